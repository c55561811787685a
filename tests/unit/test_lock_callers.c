/* SPDX-License-Identifier: MIT */
/*
 * Callers of a contended kernel lock, from all kinds of text: the tree of the lock's row, trees
 * of other rows and tables, chains and stacks outside tables. "No chain shows the caller" is
 * only reported if none does, and shares alone never name a caller.
 */
#include "unit.h"

#include "base/str.h"
#include "base/vec.h"
#include "core/dossier.h"
#include "explain/explain.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "texts.h"

struct lock_report {
	struct dossier *d;
	struct facts *facts;
	struct findings f;
	const struct finding *lock; /* the first finding of lock-contention */
};

static struct lock_report report_of(const char *text)
{
	struct lock_report t = { .d = text_load(NULL, text) };

	t.facts = facts_new(t.d);
	explain_run(t.facts, NULL, &t.f);
	assert_null(findings_check(&t.f));
	VEC_FOREACH (row, &t.f.rows) {
		if (!t.lock && strcmp(row->rule->id, "lock-contention") == 0)
			t.lock = row;
	}
	assert_non_null(t.lock);
	return t;
}

static void report_end(struct lock_report *t)
{
	findings_fini(&t->f);
	facts_free(t->facts);
	dossier_free(t->d);
}

static void assert_claims(const char *text, const char *part)
{
	struct lock_report t = report_of(text);

	if (!str_contains(t.lock->claim, str_of(part))) {
		print_error("claims: " STR_FMT "\n", STR_ARG(t.lock->claim));
		assert_true(false);
	}
	report_end(&t);
}

#define NOBODY "no call chain names its caller"

#define FLAT                                                           \
	"    41.30%  [kernel]  [k] native_queued_spin_lock_slowpath\n" \
	"     3.20%  [kernel]  [k] memset_erms\n"                      \
	"     2.10%  [kernel]  [k] update_sd_lb_stats\n"               \
	"     1.20%  [kernel]  [k] clear_page_erms\n"                  \
	"     1.10%  [kernel]  [k] intel_idle\n\n"

static void nobody_is_named_where_nothing_shows_a_caller(void **state)
{
	struct lock_report t;

	(void)state;
	t = report_of(FLAT);
	assert_true(str_contains(t.lock->claim, STR(NOBODY)));
	VEC_FOREACH (e, &t.lock->evidence)
		assert_false(str_contains(e->text, STR("called by")));
	report_end(&t);
}

static void a_function_with_the_same_share_as_the_lock_is_not_its_caller(void **state)
{
	(void)state;
	/*
	 * a function that computes, and a function with a large inclusive share: neither proves
	 * that it takes the lock
	 */
	assert_claims("  Children      Self  Command  Shared Object      Symbol\n"
		      "    41.90%    41.30%  db       [kernel.kallsyms]  [k] "
		      "native_queued_spin_lock_slowpath\n"
		      "    42.10%    42.00%  db       [kernel.kallsyms]  [k] compute_checksum\n"
		      "    42.30%     0.10%  kworker  [kernel.kallsyms]  [k] process_one_work\n"
		      "     5.10%     5.10%  db       [kernel.kallsyms]  [k] clear_page_erms\n",
		      NOBODY);
}

static void a_tree_in_another_table_of_the_text_names_the_caller(void **state)
{
	(void)state;
	assert_claims(FLAT "and in detail:\n\n"
			   "- 33.79% el0_svc\n"
			   "   - 33.43% do_el0_svc\n"
			   "      - 17.27% __arm64_sys_clone\n"
			   "         - 17.26% kernel_clone\n"
			   "            - 16.73% copy_process\n"
			   "               - 11.82% shrink_things\n"
			   "                  - 9.15% _raw_spin_lock\n"
			   "                     - 8.87% native_queued_spin_lock_slowpath\n",
		      "shrink_things takes it");
}

static void the_tree_of_another_row_names_the_caller(void **state)
{
	(void)state;
	assert_claims("# Overhead  Command  Shared Object  Symbol\n"
		      "    41.30%  db  [kernel.kallsyms]  [k] native_queued_spin_lock_slowpath\n"
		      "     6.80%  db  [kernel.kallsyms]  [k] apic_timer_interrupt\n"
		      "            |\n"
		      "            ---apic_timer_interrupt\n"
		      "               native_queued_spin_lock_slowpath\n"
		      "               _raw_spin_lock\n"
		      "               shrink_things\n"
		      "               do_syscall_64\n"
		      "               entry_SYSCALL_64_after_hwframe\n\n"
		      "     3.20%  db  [kernel.kallsyms]  [k] memset_erms\n",
		      "callers are shown for 6.8 % only, mainly shrink_things");
}

static void a_tree_that_folds_the_slow_path_away_names_the_caller(void **state)
{
	(void)state;
	assert_claims("-   60.28%     0.01%  fio  [kernel.kallsyms]  [k] do_syscall_64\n"
		      "   - 60.25% do_syscall_64\n"
		      "      - 59.10% io_submit_one\n"
		      "         - 58.80% end_things\n"
		      "            + 58.50% _raw_spin_lock_irqsave\n"
		      "+   58.60%     0.10%  fio  [kernel.kallsyms]  [k] _raw_spin_lock_irqsave\n"
		      "+   58.40%    58.40%  fio  [kernel.kallsyms]  [k] "
		      "native_queued_spin_lock_slowpath\n"
		      "+   20.10%     0.40%  fio  [kernel.kallsyms]  [k] submit_things\n",
		      "end_things takes");
}

static void a_stack_outside_the_table_names_the_caller(void **state)
{
	(void)state;
	assert_claims(FLAT "one of its stacks:\n\n"
			   "    native_queued_spin_lock_slowpath+0x1d\n"
			   "    _raw_spin_lock+0x28\n"
			   "    alloc_pid+0x12a\n"
			   "    copy_process+0xa31\n",
		      "in the call stack in line 11 alloc_pid takes it");
	/* stacks as perf script prints them; a stack that starts elsewhere proves nothing */
	assert_claims(FLAT "\tffffffff8110a2a1 native_queued_spin_lock_slowpath+0x1 (/vmlinux)\n"
			   "\tffffffff8110a2a2 _raw_spin_lock+0x1 (/vmlinux)\n"
			   "\tffffffff8110a2a3 alloc_pid+0x1 (/vmlinux)\n",
		      "alloc_pid takes it");
	/* kernel stacks, where frames with '?' are stale addresses on the stack */
	assert_claims(FLAT
		      "[ 1234.567890] watchdog: BUG: soft lockup - CPU#3 stuck for 22s! [fork:1]\n"
		      "[ 1234.567892] RIP: 0010:native_queued_spin_lock_slowpath+0x1d/0x2a0\n"
		      "[ 1234.567893] RAX: 0000000000000001 RBX: 0000000000000001\n"
		      "[ 1234.567893] Call Trace:\n"
		      "[ 1234.567893]  <TASK>\n"
		      "[ 1234.567894]  _raw_spin_lock+0x28/0x30\n"
		      "[ 1234.567894]  ? vfs_read+0x28/0x30\n"
		      "[ 1234.567895]  alloc_pid+0x12a/0x3f0\n"
		      "[ 1234.567896]  copy_process+0xa31/0x1b00\n",
		      "in the call stack in line 14 alloc_pid takes it");
	assert_claims(FLAT "\n    __schedule+0x1d\n    _raw_spin_lock+0x28\n    alloc_pid+0x12a\n",
		      NOBODY);
}

#define ROBOT                                            \
	"         %stddev     %change         %stddev\n" \
	"             \\          |                \\\n" \
	"     91713           -13.0%      79833 ± 2%   will-it-run.per_process_ops\n"
#define ROBOT_SELF                                                                               \
	"     41.20            +9.1       50.30        "                                         \
	"perf-profile.children.cycles-pp.native_queued_spin_lock_slowpath\n"                     \
	"     41.15            +9.1       50.20        "                                         \
	"perf-profile.self.cycles-pp.native_queued_spin_lock_slowpath\n"                         \
	"      3.05            -1.0        2.05        perf-profile.self.cycles-pp.clear_page\n" \
	"      2.05            -1.0        1.05        perf-profile.self.cycles-pp.memset\n"

static void call_traces_of_the_test_robot_name_the_caller(void **state)
{
	(void)state;
	assert_claims(ROBOT "     30.00            +9.0       39.00        perf-profile.calltrace."
			    "cycles-pp.native_queued_spin_lock_slowpath._raw_spin_lock_irqsave."
			    "shrink_things.isra.0.do_things.entry\n"
			    "     11.00            +0.0       11.00        perf-profile.calltrace."
			    "cycles-pp.native_queued_spin_lock_slowpath._raw_spin_lock_irqsave."
			    "grow_things.do_things.entry\n" ROBOT_SELF,
		      "shrink_things takes");
	/* a caller's inclusive share is not its share of the lock */
	assert_claims(ROBOT "     60.00            +9.0       69.00        perf-profile.calltrace."
			    "cycles-pp.do_things.entry\n" ROBOT_SELF,
		      NOBODY);
}

static void neighbours_of_the_lock_are_a_place_to_look_and_no_claim(void **state)
{
	struct lock_report t;
	bool is_shown = false;

	(void)state;
	t = report_of("    41.30%  [kernel]  [k] native_queued_spin_lock_slowpath\n"
		      "     3.11%  [kernel]  [k] release_pages\n"
		      "     2.10%  [kernel]  [k] update_sd_lb_stats\n");
	assert_true(str_contains(t.lock->claim, STR(NOBODY)));
	assert_false(str_contains(t.lock->claim, STR("LRU")));
	assert_false(str_contains(t.lock->cause, STR("LRU")));
	VEC_FOREACH (n, &t.lock->next)
		is_shown |= str_contains(*n, STR("suspect: the lock of the LRU lists")) &&
			    str_contains(*n, STR("no proof"));
	assert_true(is_shown);
	report_end(&t);
	/* less than one percent of the waiting is no reason to suggest the LRU lists */
	is_shown = false;
	t = report_of("    74.30%  [kernel]  [k] native_queued_spin_lock_slowpath\n"
		      "     0.40%  [kernel]  [k] release_pages\n"
		      "     2.10%  [kernel]  [k] update_sd_lb_stats\n");
	VEC_FOREACH (n, &t.lock->next)
		is_shown |= str_contains(*n, STR("LRU"));
	assert_false(is_shown);
	report_end(&t);
}

#define TWO_CALLERS(one, two)                                                                    \
	"db;write_[k];" one "_[k];_raw_spin_lock_[k];native_queued_spin_lock_slowpath_[k] 520\n" \
	"db;read_[k];" two "_[k];_raw_spin_lock_[k];native_queued_spin_lock_slowpath_[k] 470\n"  \
	"db;main;work 1500\n"

static void a_lock_that_two_callers_share_is_not_called_that_of_one(void **state)
{
	struct lock_report t = report_of(TWO_CALLERS("release_pages", "futex_wake"));

	(void)state;
	assert_true(str_contains(t.lock->claim, STR("from several callers")));
	assert_false(str_contains(t.lock->claim, STR("LRU")));
	assert_false(str_contains(t.lock->cause, STR("pages")));
	report_end(&t);
	/* it may be one lock if both callers take locks of one kind */
	t = report_of(TWO_CALLERS("release_pages", "folio_batch_move_lru"));
	assert_true(str_contains(t.lock->claim, STR("from several callers")));
	assert_true(str_contains(t.lock->claim, STR("LRU")));
	report_end(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody_is_named_where_nothing_shows_a_caller),
		cmocka_unit_test(a_function_with_the_same_share_as_the_lock_is_not_its_caller),
		cmocka_unit_test(a_tree_in_another_table_of_the_text_names_the_caller),
		cmocka_unit_test(the_tree_of_another_row_names_the_caller),
		cmocka_unit_test(a_tree_that_folds_the_slow_path_away_names_the_caller),
		cmocka_unit_test(a_stack_outside_the_table_names_the_caller),
		cmocka_unit_test(call_traces_of_the_test_robot_name_the_caller),
		cmocka_unit_test(a_lock_that_two_callers_share_is_not_called_that_of_one),
		cmocka_unit_test(neighbours_of_the_lock_are_a_place_to_look_and_no_claim),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
