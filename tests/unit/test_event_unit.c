/* SPDX-License-Identifier: MIT */
/* The denominator of a share follows from the event, in every sentence. */
#include "unit.h"

#include "analyses/event_unit.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/profile.h"
#include "core/strings.h"
#include "explain/explain.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "profiles.h"

#include <stdio.h>

static void an_event_says_what_it_counts(void **state)
{
	static const struct {
		const char *event, *of;
		enum event_kind kind;
	} cases[] = {
		{ "cycles", "CPU time", EVENT_TIME },
		{ "cycles:ppp", "CPU time", EVENT_TIME },
		{ "cpu-cycles:u", "CPU time in user space", EVENT_TIME },
		{ "cpu_core/cycles/P", "CPU time", EVENT_TIME },
		{ "CPU_CLK_UNHALTED.THREAD", "CPU time", EVENT_TIME },
		{ "cpu/event=0x3c,umask=0x0/", "CPU time", EVENT_TIME },
		{ "r003c", "CPU time", EVENT_TIME },
		{ "cpu-clock:uhH", "CPU time in user space", EVENT_TIME },
		{ "task-clock:ppp", "CPU time", EVENT_TIME },
		{ "itimer", "CPU time", EVENT_TIME },
		{ "profile-997", "CPU time", EVENT_TIME },
		{ "ibs_op//", "CPU time", EVENT_TIME },
		{ "ibs_op/cnt_ctl=1/", "micro-operations", EVENT_WORK },
		{ "ibs_fetch//", "instruction fetches", EVENT_WORK },
		{ "instructions", "instructions", EVENT_WORK },
		{ "cpu/instructions/", "instructions", EVENT_WORK },
		{ "INST_RETIRED.ANY", "instructions", EVENT_WORK },
		{ "branches:uH", "branches in user space", EVENT_WORK },
		{ "branch-instructions", "branches", EVENT_WORK },
		{ "branch-misses:u", "branch misses in user space", EVENT_OTHER },
		{ "cache-misses", "cache misses", EVENT_OTHER },
		{ "LLC-load-misses", "cache misses", EVENT_OTHER },
		{ "dTLB-load-misses", "TLB misses", EVENT_OTHER },
		{ "stalled-cycles-backend", "stalled cycles", EVENT_OTHER },
		{ "cpu/mem-loads,ldlat=30/P", "loads", EVENT_OTHER },
		{ "arm_spe_0/ts_enable=1/", "sampled operations", EVENT_OTHER },
		{ "page-faults", "page faults", EVENT_OTHER },
		{ "faults:u", "page faults in user space", EVENT_OTHER },
		{ "kmem:mm_page_alloc", "page allocations", EVENT_OTHER },
		{ "syscalls:sys_enter_read", "system calls", EVENT_OTHER },
		{ "raw_syscalls:sys_enter", "system calls", EVENT_OTHER },
		{ "block:block_rq_issue", "block requests", EVENT_OTHER },
		{ "context-switches", "context switches", EVENT_SLEEP },
		{ "cs", "context switches", EVENT_SLEEP },
		{ "sched:sched_switch", "context switches", EVENT_SLEEP },
		{ "lock:contention_begin", "waits for locks", EVENT_OTHER },
		{ "probe:work", "'probe:work' events", EVENT_OTHER },
		{ "r1b1", "'r1b1' events", EVENT_OTHER },
		{ "", "the profile", EVENT_UNNAMED },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct event_unit u = event_unit_named(str_of(cases[i].event));

		if (u.kind != cases[i].kind || strcmp(u.of, cases[i].of) != 0) {
			print_error("%s: %s (%d)\n", cases[i].event, u.of, (int)u.kind);
			_fail(__FILE__, __LINE__);
		}
	}
}

static void expect_units(const char *const *events, size_t n, const char *of, enum event_kind kind)
{
	for (size_t i = 0; i < n; i++) {
		struct event_unit u = event_unit_named(str_of(events[i]));

		if (u.kind != kind || strcmp(u.of, of) != 0) {
			print_error("%s: %s (%d)\n", events[i], u.of, (int)u.kind);
			_fail(__FILE__, __LINE__);
		}
	}
}

static void a_unit_is_plural_if_what_is_counted_is(void **state)
{
	static const char *const plural[] = { "page-faults",     "inuse_space",    "peak_space",
					      "cgroup-switches", "native-samples", "probe:work" };
	static const char *const singular[] = { "cycles", "plan-time", "vm-exit-time", "off-cpu" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(plural); i++)
		assert_true(event_unit_named(str_of(plural[i])).is_plural);
	for (size_t i = 0; i < ARRAY_LEN(singular); i++)
		assert_false(event_unit_named(str_of(singular[i])).is_plural);
}

static void times_of_steps_are_exact_and_sampled_time_is_not(void **state)
{
	static const char *const exact[] = { "plan-time", "import-time", "statement-time",
					     "step-time" };
	static const char *const others[] = { "cycles",         "listed-time",  "vm-exit-time",
					      "wait-name-time", "elapsed-time", "r1b1" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(exact); i++)
		assert_true(event_unit_named(str_of(exact[i])).is_exact);
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		assert_false(event_unit_named(str_of(others[i])).is_exact);
}

static void cycles_in_some_state_are_no_cpu_time(void **state)
{
	static const char *const time[] = {
		"cycles",
		"cpu-cycles",
		"cpu_cycles",
		"CPU_CYCLES",
		"ref-cycles",
		"cycles:ppp",
		"cpu/cpu-cycles/",
		"cpu/cycles,period=10007/",
		"cpu_core/cycles/",
		"cpu_atom/cycles/",
		"armv8_pmuv3_0/cpu_cycles/",
		"cpum_cf/CPU_CYCLES/",
		"CPU_CLK_UNHALTED.REF_TSC",
		"cpu_clk_thread_unhalted.ref_xclk",
		"UNHALTED_CORE_CYCLES",
		"unhalted_reference_cycles",
		"PM_CYC",
		"pm_run_cyc",
		"ls_not_halted_cyc",
	};
	static const char *const other[] = {
		"dtlb_load_misses.walk_cycles",
		"dtlb_load_misses.walk_duration",
		"l1d_pend_miss.pending_cycles",
		"offcore_requests_outstanding.cycles_with_demand_data_rd",
		"arith.cycles_div_busy",
		"lock_cycles.cache_lock_duration",
		"idq.all_mite_cycles_any_uops",
		"cycles-t",
		"cpu/cycles-ct/",
		"cycle_activity.cycles_l2_miss",
		"cpu_clk_unhalted.one_thread_active",
		"cpu_clk_unhalted.ring0_trans",
	};

	(void)state;
	expect_units(time, ARRAY_LEN(time), "CPU time", EVENT_TIME);
	expect_units(other, ARRAY_LEN(other), "cycles in that state", EVENT_OTHER);
}

static void the_words_of_a_tracepoint_are_no_counters(void **state)
{
	static const char *const names[] = {
		"clk:clk_enable",      "probe:inode_permission", "probe:branch_lookup",
		"probe:count_cycles",  "sdt_app:instructions",   "timer:clock_event_x",
		"probe_app:alloc_one", "probe:cache_miss",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		char of[64];

		snprintf(of, sizeof(of), "'%s' events", names[i]);
		expect_units(&names[i], 1, of, EVENT_OTHER);
	}
}

static void what_retires_with_an_instruction_is_not_taken_for_instructions(void **state)
{
	static const char *const branches[] = { "br_inst_retired.near_taken",
						"br_inst_retired.all_branches" };
	static const char *const loads[] = { "mem_inst_retired.all_loads" };
	static const char *const floats[] = { "fp_arith_inst_retired.scalar_double" };

	(void)state;
	expect_units(branches, ARRAY_LEN(branches), "branches", EVENT_WORK);
	expect_units(loads, ARRAY_LEN(loads), "loads", EVENT_OTHER);
	expect_units(floats, ARRAY_LEN(floats), "floating-point operations", EVENT_WORK);
}

static void an_event_of_one_side_says_which(void **state)
{
	static const struct {
		const char *event, *of;
		enum event_kind kind;
	} cases[] = {
		{ "cpu-clock:k", "CPU time in the kernel", EVENT_TIME },
		{ "cpu-clock:u", "CPU time in user space", EVENT_TIME },
		{ "cycles:kppp", "CPU time in the kernel", EVENT_TIME },
		{ "cycles:uk", "CPU time", EVENT_TIME },
		{ "cycles:ppp", "CPU time", EVENT_TIME },
		{ "cpu/cycles/k", "CPU time in the kernel", EVENT_TIME },
		{ "instructions:k", "instructions in the kernel", EVENT_WORK },
		{ "instructions:upp", "instructions in user space", EVENT_WORK },
		{ "r1b1:u", "'r1b1' events in user space", EVENT_OTHER },
		{ "cs:k", "context switches", EVENT_SLEEP },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		expect_units(&cases[i].event, 1, cases[i].of, cases[i].kind);
}

/* perf report after perf record -b prints shares of branches, whatever the event. */
static void a_printed_table_of_branches_counts_branches(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct capture *c = dossier_add(d, "perf-report");

	(void)state;
	(void)profile_add_row(d, c, "app", "app", '.', "f", UINT64_MAX, 5000);
	c->profile->event = strings_add(&d->strings, STR("cycles"));
	assert_string_equal(event_unit_of(c).of, "CPU time");
	*VEC_PUSH(&c->profile->table.extra_columns) =
		strings_add(&d->strings, STR("Target Symbol"));
	assert_string_equal(event_unit_of(c).of, "branches");
	assert_int_equal(event_unit_of(c).kind, EVENT_WORK);
}

struct run {
	struct dossier *d;
	struct capture *c;
	struct facts *facts;
	struct findings f;
};

static void run_begin(struct run *r, const char *event, const char *text)
{
	memset(r, 0, sizeof(*r));
	r->d = dossier_new();
	r->c = profile_of_folded(r->d, text);
	r->c->path = strings_add(&r->d->strings, STR("made"));
	r->c->first_line = r->c->last_line = 1;
	r->c->profile->event = strings_add(&r->d->strings, str_of(event));
	r->facts = facts_new(r->d);
	explain_run(r->facts, NULL, &r->f);
	assert_null(findings_check(&r->f));
}

static void run_end(struct run *r)
{
	findings_fini(&r->f);
	facts_free(r->facts);
	dossier_free(r->d);
}

static const struct finding *run_found(const struct run *r, const char *rule)
{
	VEC_FOREACH (row, &r->f.rows) {
		if (strcmp(row->rule->id, rule) == 0)
			return row;
	}
	return NULL;
}

/* The reason why @rule was not assessed; empty: it was assessed. */
static struct str run_open(const struct run *r, const char *rule)
{
	VEC_FOREACH (row, &r->f.not_assessed) {
		if (strcmp(row->rule->id, rule) == 0)
			return row->sentence;
	}
	return STR_NONE;
}

static bool run_clean(const struct run *r, const char *rule)
{
	VEC_FOREACH (row, &r->f.clean) {
		if (strcmp(row->rule->id, rule) == 0)
			return true;
	}
	return false;
}

#define COPIES                                                                              \
	"app;main;read;copy_user_generic_string_[k] 600\napp;main;alloc;get_page_[k] 900\n" \
	"app;main;futex_wait_[k] 800\n"

static void every_sentence_says_the_unit_of_the_event(void **state)
{
	static const char *const events[] = { "cycles",
					      "cpu-clock:k",
					      "instructions",
					      "cache-misses",
					      "kmem:mm_page_alloc",
					      "page-faults",
					      "",
					      "r1b1" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(events); i++) {
		struct event_unit u = event_unit_named(str_of(events[i]));
		struct run r;

		run_begin(&r, events[i], COPIES);
		VEC_FOREACH (f, &r.f.rows) {
			bool is_share = str_contains(f->claim, STR(" % of the "));

			assert_false(str_contains(f->claim, STR("of the time")));
			if (is_share && !str_contains(f->claim, str_of(u.of))) {
				print_error("%s: " STR_FMT "\n", events[i], STR_ARG(f->claim));
				_fail(__FILE__, __LINE__);
			}
		}
		/* all samples of a tracepoint are in one function, so that it is no hot function */
		assert_true((run_found(&r, "hot-function") || run_found(&r, "costly-work")) ==
			    !str_starts(str_of(events[i]), STR("kmem:")));
		run_end(&r);
	}
}

static void rules_about_time_are_not_asked_of_events_that_count_none(void **state)
{
	struct run r;

	(void)state;
	run_begin(&r, "cycles", COPIES);
	assert_true(str_contains(run_found(&r, "copying")->claim, STR("% of CPU time is copying")));
	assert_non_null(run_found(&r, "user-lock"));
	run_end(&r);
	/* a rule about work applies to any event of running code, a rule about waits does not */
	run_begin(&r, "instructions", COPIES);
	assert_true(str_contains(run_found(&r, "copying")->claim, STR("% of instructions are in")));
	assert_null(run_found(&r, "user-lock"));
	assert_true(str_eq(run_open(&r, "user-lock"),
			   STR("this event counts instructions, not CPU time")));
	run_end(&r);
	run_begin(&r, "kmem:mm_page_alloc", COPIES);
	assert_null(run_found(&r, "copying"));
	assert_true(str_eq(run_open(&r, "copying"),
			   STR("this event counts page allocations, not CPU time")));
	assert_false(run_clean(&r, "lock-contention"));
	run_end(&r);
}

static void a_check_is_clean_only_where_its_finding_would_show(void **state)
{
	struct run r;

	(void)state;
	run_begin(&r, "cycles", "app;main;work_a 500\napp;main;work_b 500\n");
	assert_true(run_clean(&r, "malloc-churn"));
	assert_false(run_clean(&r, "reclaim"));
	assert_true(str_eq(run_open(&r, "reclaim"), STR("no kernel functions in the profile")));
	run_end(&r);
	run_begin(&r, "cycles", "app;work_a_[k] 500\napp;work_b_[k] 500\n");
	assert_true(run_clean(&r, "reclaim"));
	assert_false(run_clean(&r, "malloc-churn"));
	run_end(&r);
	/* a profile of scripts shows no functions of the C library */
	run_begin(&r, "",
		  "app;main.py:1;work (job.py:12) 500\napp;main.py:1;more (job.py:40) 500\n");
	assert_false(run_clean(&r, "malloc-churn"));
	assert_true(str_contains(run_open(&r, "malloc-churn"), STR("to a script")));
	run_end(&r);
}

/* A futex wait below a lock is a wait for a lock, not tracing and not a hot function. */
static void switches_have_rules_of_their_own(void **state)
{
	struct run r;
	const struct finding *f;

	(void)state;
	run_begin(&r, "context-switches",
		  "app;main;pthread_mutex_lock;__lll_lock_wait;do_futex_[k];futex_wait_[k];"
		  "schedule_[k];__schedule_[k];perf_event_task_sched_out_[k] 700\n"
		  "app;main;epoll_wait;ep_poll_[k];schedule_[k];__schedule_[k] 300\n");
	f = run_found(&r, "sleeping-lock");
	assert_non_null(f);
	assert_true(str_contains(f->claim, STR("70.0 % of context switches wait for a lock")));
	assert_null(run_found(&r, "observer-cost"));
	assert_null(run_found(&r, "hot-function"));
	assert_null(run_found(&r, "user-lock"));
	assert_false(run_clean(&r, "observer-cost"));
	run_end(&r);
	run_begin(&r, "cycles", COPIES);
	assert_true(str_eq(run_open(&r, "sleeping-lock"), STR_NONE));
	assert_false(run_clean(&r, "sleeping-lock"));
	run_end(&r);
}

/* The rows that are missing in a truncated table may be functions of the rule. */
static void a_truncated_table_rules_out_only_what_it_cannot_hide(void **state)
{
	struct run r = { .d = dossier_new() };

	(void)state;
	r.c = dossier_add(r.d, "perf-report");
	r.c->path = strings_add(&r.d->strings, STR("made"));
	r.c->profile = capture_profile(r.c);
	r.c->profile->unit = WEIGHT_PERCENT;
	r.c->profile->decimals = r.c->profile->printed_decimals = 2;
	for (unsigned int i = 0; i < 9; i++) {
		char name[] = "work_a";

		name[5] = (char)('a' + i);
		profile_add_row(r.d, r.c, "app", "[kernel.kallsyms]", 'k', name, 0, 1000);
	}
	r.facts = facts_new(r.d);
	explain_run(r.facts, NULL, &r.f);
	/* the rule needs 50 %, and only 10 % are missing */
	assert_true(run_clean(&r, "idle-machine"));
	assert_false(run_clean(&r, "reclaim"));
	assert_true(str_contains(run_open(&r, "reclaim"), STR("only 90.0 %")));
	run_end(&r);
}

/* Without the name of an event, the unit of the weights decides. */
static void an_unnamed_event_has_the_unit_of_its_weights(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct capture *c = dossier_add(d, "folded");
	struct profile *p;

	(void)state;
	assert_int_equal(event_unit_of(c).kind, EVENT_UNNAMED);
	p = capture_profile(c);
	p->unit = WEIGHT_SAMPLES;
	assert_string_equal(event_unit_of(c).of, "the profile");
	p->unit = WEIGHT_NS;
	assert_string_equal(event_unit_of(c).of, "the time");
	assert_int_equal(event_unit_of(c).kind, EVENT_UNNAMED);
	assert_false(event_unit_of(c).is_plural);
	p->unit = WEIGHT_BYTES;
	assert_string_equal(event_unit_of(c).of, "bytes");
	assert_int_equal(event_unit_of(c).kind, EVENT_MEMORY);
	assert_true(event_unit_of(c).is_plural);
	p->event = strings_add(&d->strings, STR("cycles"));
	assert_string_equal(event_unit_of(c).of, "CPU time");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_event_says_what_it_counts),
		cmocka_unit_test(a_unit_is_plural_if_what_is_counted_is),
		cmocka_unit_test(times_of_steps_are_exact_and_sampled_time_is_not),
		cmocka_unit_test(cycles_in_some_state_are_no_cpu_time),
		cmocka_unit_test(the_words_of_a_tracepoint_are_no_counters),
		cmocka_unit_test(what_retires_with_an_instruction_is_not_taken_for_instructions),
		cmocka_unit_test(an_event_of_one_side_says_which),
		cmocka_unit_test(a_printed_table_of_branches_counts_branches),
		cmocka_unit_test(every_sentence_says_the_unit_of_the_event),
		cmocka_unit_test(rules_about_time_are_not_asked_of_events_that_count_none),
		cmocka_unit_test(a_check_is_clean_only_where_its_finding_would_show),
		cmocka_unit_test(switches_have_rules_of_their_own),
		cmocka_unit_test(a_truncated_table_rules_out_only_what_it_cannot_hide),
		cmocka_unit_test(an_unnamed_event_has_the_unit_of_its_weights),
	};

	return cmocka_run_group_tests_name("event_unit", tests, NULL, NULL);
}
