/* SPDX-License-Identifier: MIT */
/*
 * Each rule for profiles: made-up profiles where it reports a finding, where it is clean, and
 * where the data is inconclusive. Weights are percent: the rest of each hundred goes to
 * functions that no rule knows.
 */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "explain/explain.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule_list.h"
#include "made.h"
#include "profiles.h"

#include <stdio.h>

#define wrong(...)                        \
	do {                              \
		print_error(__VA_ARGS__); \
		print_error("\n");        \
		assert_true(false);       \
	} while (0)

/* Many small kernel and user functions: a healthy profile. */
static void health(char *text, size_t size, unsigned int weight)
{
	size_t used = strlen(text);
	unsigned int n = 0;

	while (weight) {
		unsigned int one = weight < 30 ? weight : 30;

		used += (size_t)snprintf(text + used, size - used, "db;main;work_%u%s %u\n", n,
					 n % 2 ? "" : "_[k]", one);
		weight -= one;
		n++;
	}
}

static void made_stacks(struct made *m, const char *text)
{
	made_run(m, NULL, text);
}

static const struct finding *found(const struct made *m, const char *rule)
{
	return made_found(m, rule, "");
}

static bool is_clean(const struct made *m, const char *rule)
{
	VEC_FOREACH (row, &m->f.clean) {
		if (strcmp(row->rule->id, rule) == 0)
			return true;
	}
	return false;
}

static bool is_not_assessed(const struct made *m, const char *rule)
{
	VEC_FOREACH (row, &m->f.not_assessed) {
		if (strcmp(row->rule->id, rule) == 0)
			return row->to_find_out.len > 0;
	}
	return false;
}

/* A rule, a stack that triggers it with 400 of 1000 samples, and the expected result. */
struct rule_case {
	const char *rule;
	const char *stack;
	const char *says; /* text that the claim must contain; NULL: not checked */
	bool is_user;     /* the rule can be assessed without kernel samples */
};

static const struct rule_case rule_cases[] = {
	{ "all-cpu-walk", "db;show_stat_[k];thread_group_cputime_[k]", "CPUs or threads", false },
	{ "byte-loop", "db;normalise;tolower", "one byte at a time", true },
	{ "compaction", "kcompactd0;kthread_[k];isolate_migratepages_block_[k]", "compaction",
	  false },
	{ "conntrack-lookup", "softirq;nf_conntrack_in_[k];____nf_conntrack_find_[k]", NULL,
	  false },
	{ "copying", "db;write_[k];copy_user_generic_string_[k]", "copying data", true },
	{ "crash-in-progress", "db;main;check;abort;raise;do_coredump_[k];elf_core_dump_[k]",
	  "crashing", false },
	{ "debug-kernel", "db;work_[k];check_preemption_disabled_[k]", "Debug kernel", false },
	{ "device-register-wait", "db;poll_status_[k];ioread32_[k]", "registers", false },
	{ "dma-mapping", "db;xmit_[k];arm_smmu_cmdq_issue_cmdlist_[k]", "xmit", false },
	{ "emulated-device", "db;dev_hard_start_xmit_[k];cp_start_xmit_[k]", "emulated", false },
	{ "ext4-group-scan", "kworker;ext4_map_[k];ext4_mb_good_group_[k]", "block groups", false },
	{ "firewall-rules", "db;nf_hook_slow_[k];ipt_do_table_[k]", "firewall rules", false },
	{ "fpu-sections", "db;crypt_[k];kernel_fpu_begin_[k]", "vector registers", false },
	{ "guest-exits", "qemu;ioctl_[k];vmx_vcpu_run_[k]", "virtual machines", false },
	{ "hot-function", "db;main;update_totals",
	  "update_totals takes 40.0 % of the profile (self)", true },
	{ "hw-queue-walk", "db;end_[k];sbitmap_any_bit_set_[k]", "hardware queues", false },
	{ "idle-balancing", "swapper;balance_[k];update_sg_lb_stats_[k]", "balancing load", false },
	{ "interrupt-load", "db;irq_[k];nic_irq_status_[k]", "interrupt handling", false },
	{ "interrupts-on-skid", "db;el0_svc_[k];_raw_spin_unlock_irqrestore_[k]",
	  "re-enable interrupts", false },
	{ "kernel-allocation", "db;rx_[k];kmem_cache_alloc_[k]", "called by rx", false },
	{ "linear-scan", "db;main;dir_hash_lookup", "dir_hash_lookup", true },
	{ "lock-contention",
	  "db;__wake_up_common_lock_[k];_raw_spin_lock_irqsave_[k];native_queued_spin_lock_"
	  "slowpath_[k]",
	  "a wait queue", false },
	{ "lru-list-walk", "kswapd0;shrink_[k];__list_lru_walk_one_[k]", "cached objects", false },
	{ "malloc-churn", "db;lexer_get;_int_malloc", "lexer_get", true },
	{ "mapping-churn", "db;__x64_sys_munmap_[k];zap_pte_range_[k]", "unmapping", false },
	{ "memcg-charge", "db;fcntl_[k];mod_objcg_state_[k]", "cgroup", false },
	{ "mitigations", "db;send_[k];srso_alias_return_thunk_[k]", "vulnerability", false },
	{ "numa-balancing", "db;task_work_[k];change_prot_numa_[k]", "NUMA", false },
	{ "observer-cost", "db;work_[k];ftrace_graph_caller_[k]", "tracing", false },
	{ "page-fault-storm", "db;touch;asm_exc_page_fault_[k];clear_page_erms_[k]", "page faults",
	  false },
	{ "plug-merge-scan", "db;submit_[k];blk_attempt_plug_merge_[k]", "merge", false },
	{ "reclaim", "kswapd0;balance_[k];shrink_slab_[k]", "reclaim", false },
	{ "shared-cache-line", "db;__fsnotify_parent_[k];lockref_get_not_zero_[k]",
	  "__fsnotify_parent", false },
	{ "slow-clocksource", "db;ktime_[k];read_hpet_[k]", "slow clock", false },
	{ "syscall-border", "db;loop;syscall_exit_to_user_mode_[k]", "entering and leaving",
	  false },
	{ "text-conversion", "db;log;vfprintf", "text", true },
	{ "text-conversion", "db;load;rapidjson::Reader::Next", "text", true },
	{ "timer-walk", "swapper;call_timer_[k];estimation_timer_[k]", "timer", false },
	{ "tlb-shootdown", "db;unmap_[k];flush_tlb_mm_range_[k];native_flush_tlb_multi_[k]",
	  "translations", false },
	{ "user-lock", "db;update;__lll_lock_wait", "locks of the program", true },
	{ "wakeup-churn", "db;hand_over_[k];try_to_wake_up_[k]", "waking", false },
	{ "writeback", "kworker;run_[k];iomap_finish_ioends_[k]", "back", false },
};

static void every_rule_fires_on_what_it_is_for(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rule_cases); i++) {
		const struct rule_case *c = &rule_cases[i];
		const struct finding *f;
		struct made m;
		char text[8192];

		(void)snprintf(text, sizeof(text), "%s 400\n", c->stack);
		health(text, sizeof(text), 600);
		made_stacks(&m, text);
		f = found(&m, c->rule);
		if (!f)
			wrong("%s does not fire on %s", c->rule, c->stack);
		if (c->says && !str_contains(f->claim, str_of(c->says)))
			wrong("%s says: " STR_FMT, c->rule, STR_ARG(f->claim));
		assert_true(f->impact >= 39.9 || f->impact == 0);
		assert_true(f->cause.len > 0 && f->sure_because.len > 0);
		made_end(&m);
	}
}

/* Stacks with 40 % of the time that must not trigger the rule. */
static const struct rule_case other_cases[] = {
	{ "all-cpu-walk", "kswapd0;shrink_slab_[k];_find_next_bit_[k]", NULL, false },
	{ "byte-loop", "db;main;__memcpy_generic", NULL, false },
	{ "compaction", "db;move_pages_[k];migrate_pages_batch_[k]", NULL, false },
	{ "debug-kernel", "db;list_[k];__list_del_entry_valid_or_report_[k]", NULL, false },
	{ "dma-mapping", "Xorg;drm_[k];dma_fence_signal_[k]", NULL, false },
	{ "emulated-device", "db;dev_hard_start_xmit_[k];e1000_xmit_frame_[k]", NULL, false },
	{ "firewall-rules", "nft;nf_tables_commit_[k];nft_chain_validate_[k]", NULL, false },
	{ "fpu-sections", "db;switch_[k];restore_fpregs_from_fpstate_[k]", NULL, false },
	{ "hw-queue-walk", "db;submit_[k];blk_mq_run_hw_queue_[k]", NULL, false },
	{ "interrupt-load", "db;irq_[k];hrtimer_interrupt_[k]", NULL, false },
	{ "interrupts-on-skid", "db;asm_exc_page_fault_[k];_raw_spin_unlock_irqrestore_[k]", NULL,
	  false },
	{ "linear-scan", "db;main;sort;__memcmp_avx2_movbe", NULL, false },
	{ "linear-scan", "db;main;sort;key_compare", NULL, false },
	{ "linear-scan", "db;main;pool_walk_copy", NULL, false },
	{ "linear-scan", "db;main;object_find_ref_get", NULL, false },
	{ "linear-scan", "app;main;core::iter::traits::iterator::Iterator::for_each", NULL, false },
	{ "malloc-churn", "tc;main;tc_classify", NULL, false },
	{ "mitigations", "mds;service_[k];mds_getattr_lock_[k]", NULL, false },
	{ "observer-cost", "db;next_timer_[k];native_write_msr_[k]", NULL, false },
	{ "page-fault-storm", "db;skb_[k];clear_page_erms_[k]", NULL, false },
	{ "proc-readers", "kworker;work_[k];vmstat_update_[k]", NULL, false },
	{ "program-start", "db;main;check_match", NULL, false },
	{ "reclaim", "rm;rmdir_[k];shrink_dentry_list_[k]", NULL, false },
	{ "slow-clocksource", "db;ktime_get_[k];kvm_clock_get_cycles_[k]", NULL, false },
	{ "tlb-shootdown", "db;membarrier_[k];smp_call_function_many_cond_[k]", NULL, false },
	{ "tlb-shootdown", "db;munmap_[k];flush_tlb_mm_range_[k];native_flush_tlb_one_user_[k]",
	  NULL, false },
	{ "tlb-shootdown", "db;alter_[k];native_flush_tlb_local_[k]", NULL, false },
	{ "unaccelerated-bytes", "db;seal_[k];ghash_update_[k]", NULL, false },
};

static void a_name_that_is_alike_is_not_what_a_rule_is_for(void **state)
{
	int wrongs = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(other_cases); i++) {
		const struct rule_case *c = &other_cases[i];
		struct made m;
		char text[8192];

		(void)snprintf(text, sizeof(text), "%s 400\n", c->stack);
		health(text, sizeof(text), 600);
		made_stacks(&m, text);
		if (found(&m, c->rule)) {
			print_error("%s fires on %s\n", c->rule, c->stack);
			wrongs++;
		}
		made_end(&m);
	}
	assert_int_equal(wrongs, 0);
}

static void what_is_said_of_a_search_follows_its_name(void **state)
{
	static const char *const names[][3] = {
		{ "list_scan", "searching or walking", "many elements" },
		{ "table_lookup_key", "lookups", "an inlined lock" },
		{ "generic_bin_search", "in an index", "called very often" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct made m;
		char text[8192];
		const struct finding *f;

		(void)snprintf(text, sizeof(text), "db;main;%s 400\n", names[i][0]);
		health(text, sizeof(text), 600);
		made_stacks(&m, text);
		f = found(&m, "linear-scan");
		assert_non_null(f);
		if (!str_contains(f->claim, str_of(names[i][1])) ||
		    !str_contains(f->cause, str_of(names[i][2])) || f->sure >= 75)
			wrong("%s: " STR_FMT ": " STR_FMT, names[i][0], STR_ARG(f->claim),
			      STR_ARG(f->cause));
		made_end(&m);
	}
}

/*
 * A rule, a stack with 40 % of the samples, words that its claim or cause must contain, and words
 * that neither may contain.
 */
static const struct {
	const char *rule;
	const char *stack;
	const char *has;
	const char *has_not;
} worded[] = {
	{ "journal-work", "db;fsync_[k];ext4_fc_commit_[k]", "one at a time",
	  "small for the rate" },
	{ "journal-work", "db;write_[k];start_this_handle_[k]", "any small metadata changes",
	  "rate of" },
	{ "journal-work", "kworker;ail_[k];xfsaild_push_[k]", "small for the rate", "fsync" },
	{ "mapping-churn", "db;exit_[k];zap_pte_range_[k]", " process ends",
	  "mapping and unmapping memory" },
	{ "mapping-churn", "db;__x64_sys_munmap_[k];zap_pte_range_[k]",
	  "mapping and unmapping memory", "ends" },
	{ "user-lock", "db;main;get;pthread_mutex_lock", "taken very often", "waiting for locks" },
	{ "user-lock", "db;main;get;__lll_lock_wait", "waiting for locks", "taken very often" },
	{ "user-lock", "db;main;put;futex_wake_[k]", "taken very often", "waiting for locks" },
	{ "user-lock", "db;main;get;__futex_wait_[k]", "waiting for locks", "taken very often" },
	{ "page-fault-storm",
	  "db;touch;asm_exc_page_fault_[k];do_anonymous_page_[k];alloc_pages_[k];"
	  "get_page_from_freelist_[k];prep_new_page_[k];post_alloc_hook_[k];clear_page_erms_[k]",
	  "called from touch", "get_page_from_freelist" },
};

static void a_cause_is_said_where_its_functions_are_there(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(worded); i++) {
		struct made m;
		char text[8192];
		const struct finding *f;

		(void)snprintf(text, sizeof(text), "%s 400\n", worded[i].stack);
		health(text, sizeof(text), 600);
		made_stacks(&m, text);
		f = found(&m, worded[i].rule);
		assert_non_null(f);
		if (!(str_contains(f->claim, str_of(worded[i].has)) ||
		      str_contains(f->cause, str_of(worded[i].has))) ||
		    str_contains(f->claim, str_of(worded[i].has_not)) ||
		    str_contains(f->cause, str_of(worded[i].has_not)))
			wrong("%s of %s: " STR_FMT ": " STR_FMT, worded[i].rule, worded[i].stack,
			      STR_ARG(f->claim), STR_ARG(f->cause));
		made_end(&m);
	}
}

static void only_the_loop_of_an_interpreter_is_called_one(void **state)
{
	static const struct {
		const char *name;
		bool is_loop;
	} names[] = {
		{ "_PyEval_EvalFrameDefault", true }, { "luaV_execute", true },
		{ "runtime.convT64", false },         { "PyDict_GetItem", false },
		{ "LazyCompile:*handle", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct made m;
		char text[8192];
		const struct finding *f;

		(void)snprintf(text, sizeof(text), "app;main;%s 400\n", names[i].name);
		health(text, sizeof(text), 600);
		made_stacks(&m, text);
		f = found(&m, "hidden-script");
		if (!!f != names[i].is_loop)
			wrong("%s: %s", names[i].name, f ? "a loop" : "no loop");
		made_end(&m);
	}
}

static void a_tracepoint_makes_no_function_hot(void **state)
{
	static const struct {
		const char *event;
		bool is_found;
		const char *because;
	} events[] = {
		{ "sched:sched_wakeup", false, "" },
		{ "kmem:kmalloc", false, "" },
		{ "probe_libc:malloc", false, "" },
		{ "sched:sched_wakeup:u", false, "" },
		{ "cycles:ppp", true, "counts the share" },
		{ "page-faults:u", true, "sampled exactly where it happened" },
		{ "cache-misses:pp", true, "sampled exactly where it happened" },
		{ "cpu/mem-loads,ldlat=30/P", true, "sampled exactly where it happened" },
		{ "cache-misses", true, "within some instructions" },
		{ "cache-misses:u", true, "within some instructions" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(events); i++) {
		struct made m;
		char text[8192] = "db;main;update_totals 400\n";
		const struct finding *f;

		health(text, sizeof(text), 600);
		made_run(&m, events[i].event, text);
		f = found(&m, "hot-function");
		if ((f != NULL) != events[i].is_found)
			wrong("%s is judged wrongly", events[i].event);
		if (f && (!str_contains(f->sure_because, str_of(events[i].because)) ||
			  str_contains(f->cause, STR("most of the"))))
			wrong("%s: " STR_FMT ": " STR_FMT, events[i].event, STR_ARG(f->cause),
			      STR_ARG(f->sure_because));
		made_end(&m);
	}
}

static void what_is_shown_in_the_wrong_place_makes_no_other_rule_sure(void **state)
{
	static const struct {
		const char *event;
		const char *name;
		bool is_sure;
	} cases[] = {
		{ "cpu-clock", "finish_task_switch_[k]", false },
		{ "cpu-clock", "try_to_wake_up_[k]", true },
		{ "cycles", "finish_task_switch_[k]", true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct made m;
		char text[8192];
		const struct finding *f;

		(void)snprintf(text, sizeof(text),
			       "db;schedule_[k];%s 400\ndb;entry_SYSCALL_64_[k] 30\n"
			       "db;irq_[k];_raw_spin_unlock_irqrestore_[k] 60\n",
			       cases[i].name);
		health(text, sizeof(text), 510);
		made_run(&m, cases[i].event, text);
		f = found(&m, "wakeup-churn");
		assert_non_null(f);
		if ((f->sure > 50) != cases[i].is_sure)
			wrong("%s of %s: %u %% sure", cases[i].name, cases[i].event, f->sure);
		if (!cases[i].is_sure)
			assert_int_equal(f->severity, FINDING_NOTE);
		made_end(&m);
	}
}

static void a_part_is_called_the_main_one_from_half_on(void **state)
{
	struct made m;
	char text[8192] = "db;wake_[k];try_to_wake_up_[k] 110\ndb;wake_[k];__schedule_[k] 100\n"
			  "db;wake_[k];pick_eevdf_[k] 90\n";

	(void)state;
	health(text, sizeof(text), 700);
	made_stacks(&m, text);
	assert_true(
		str_contains(found(&m, "wakeup-churn")->claim, STR("(11.0 % in try_to_wake_up)")));
	made_end(&m);
}

static void a_search_of_several_functions_says_what_the_first_has(void **state)
{
	struct made m;
	char text[8192] = "db;main;key_lookup_name 300\ndb;main;other_lookup 15\n"
			  "db;main;third_lookup 14\n";

	(void)state;
	health(text, sizeof(text), 671);
	made_stacks(&m, text);
	assert_true(str_contains(found(&m, "linear-scan")->claim,
				 STR("32.9 % of the profile is lookups, by the names, most of it "
				     "in key_lookup_name (30.0 %)")));
	made_end(&m);
}

/* User functions with names that the kernel also has. */
static const char *const borrowed_names[][2] = {
	{ "observer-cost", "trace_ray" },  { "security-hooks", "security_price" },
	{ "security-hooks", "evm_step" },  { "dma-mapping", "iova_of_page" },
	{ "wakeup-churn", "schedule" },    { "reclaim", "shrink_node_cache" },
	{ "proc-readers", "proc_header" }, { "interrupt-load", "vm_interrupt" },
	{ "rcu-work", "call_rcu" },        { "kernel-allocation", "page_pool_get" },
	{ "swapping", "zs_free_all" },     { "unaccelerated-bytes", "sha256_transform" },
	{ "timer-load", "itimer_tick" },   { "journal-work", "do_journal_entry" },
};

static void a_function_of_a_program_is_none_of_the_kernel(void **state)
{
	int wrongs = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(borrowed_names); i++) {
		struct made m = { .d = dossier_new() };
		struct capture *c = dossier_add(m.d, "made");

		c->path = strings_add(&m.d->strings, STR("made.txt"));
		(void)profile_add_row(m.d, c, "app", "app", '.', borrowed_names[i][1], UINT64_MAX,
				      4000);
		for (unsigned int k = 0; k < 20; k++) {
			char name[32];

			(void)snprintf(name, sizeof(name), "part_%u", k);
			(void)profile_add_row(m.d, c, "app", k % 2 ? "app" : "[kernel]",
					      k % 2 ? '.' : 'k', name, UINT64_MAX, 300);
		}
		m.facts = facts_new(m.d);
		explain_run(m.facts, NULL, &m.f);
		if (found(&m, borrowed_names[i][0])) {
			print_error("%s fires on %s of a program\n", borrowed_names[i][0],
				    borrowed_names[i][1]);
			wrongs++;
		}
		made_end(&m);
	}
	assert_int_equal(wrongs, 0);
}

static void a_profile_in_good_health_has_no_findings(void **state)
{
	struct made m;
	char text[8192] = "db;main;memcpy 30\ndb;main;malloc 20\ndb;s_[k];do_syscall_64_[k] 30\n"
			  "db;w_[k];native_queued_spin_lock_slowpath_[k] 10\n";

	(void)state;
	health(text, sizeof(text), 910);
	made_stacks(&m, text);
	VEC_FOREACH (f, &m.f.rows)
		wrong("%s: " STR_FMT, f->rule->id, STR_ARG(f->claim));
	for (size_t i = 0; i < ARRAY_LEN(rule_cases); i++) {
		if (!is_clean(&m, rule_cases[i].rule))
			wrong("%s does not say clean", rule_cases[i].rule);
	}
	assert_true(is_clean(&m, "tight-loop"));
	assert_true(is_clean(&m, "few-samples") || is_not_assessed(&m, "few-samples"));
	assert_true(is_clean(&m, "no-symbols"));
	assert_true(is_clean(&m, "idle-machine"));
	made_end(&m);
}

static void rules_of_the_kernel_do_not_judge_without_one(void **state)
{
	struct made m;
	char text[8192] = "";

	(void)state;
	for (unsigned int i = 0; i < 40; i++)
		(void)snprintf(text + strlen(text), sizeof(text) - strlen(text),
			       "db;main;part_%u 25\n", i);
	made_stacks(&m, text);
	assert_int_equal(m.f.rows.len, 0);
	for (size_t i = 0; i < ARRAY_LEN(rule_cases); i++) {
		const struct rule_case *c = &rule_cases[i];

		if (c->is_user ? !is_clean(&m, c->rule) : !is_not_assessed(&m, c->rule))
			wrong("%s judges a profile without a kernel wrongly", c->rule);
	}
	made_end(&m);
}

static void a_lock_of_many_callers_is_not_pinned_to_one(void **state)
{
	char text[8192] = "";
	struct made m;

	(void)state;
	for (unsigned int i = 0; i < 8; i++)
		(void)snprintf(text + strlen(text), sizeof(text) - strlen(text),
			       "db;path_%u_[k];_raw_spin_lock_[k];native_queued_spin_lock_slowpath_"
			       "[k] 50\n",
			       i);
	health(text, sizeof(text), 600);
	made_stacks(&m, text);
	assert_non_null(found(&m, "lock-contention"));
	assert_true(str_contains(found(&m, "lock-contention")->claim, STR("from several callers")));
	made_end(&m);
}

static void a_benchmark_that_copies_is_not_blamed(void **state)
{
	struct made m;

	(void)state;
	made_stacks(&m,
		    "bw_mem;main;run;__memmove_avx_unaligned_erms 950\nbw_mem;main;report 50\n");
	VEC_FOREACH (row, &m.f.rows)
		assert_int_equal(row->severity, FINDING_NOTE);
	made_end(&m);
}

static void sixty_samples_make_no_rule_confident(void **state)
{
	struct made m;

	(void)state;
	made_stacks(&m,
		    "db;write_[k];_raw_spin_lock_[k];native_queued_spin_lock_slowpath_[k] 20\n"
		    "db;read_[k];clear_page_erms_[k] 12\ndb;main;a 10\ndb;main;b 9\ndb;main;c 9\n");
	VEC_FOREACH (row, &m.f.rows) {
		if (row->impact > 0)
			assert_in_range(row->sure, 0, 65);
	}
	made_end(&m);
}

static void work_next_to_idle_is_weighed_as_busy_time(void **state)
{
	struct made m;

	(void)state;
	made_stacks(&m, "swapper;do_idle_[k];intel_idle_[k] 9700\ndb;main;a 100\ndb;main;b 100\n"
			"db;write_[k];ext4_write_[k] "
			"95\ndb;poll_[k];native_queued_spin_lock_slowpath_[k] 5\n");
	assert_null(found(&m, "lock-contention"));
	assert_true(is_clean(&m, "lock-contention"));
	made_end(&m);
}

static void an_excerpt_rules_nothing_out(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct made m = { .d = d };
	struct capture *c = dossier_add(d, "made");

	(void)state;
	c->path = strings_add(&d->strings, STR("made.txt"));
	(void)profile_add_row(d, c, "db", "[kernel]", 'k', "patch_run", UINT64_MAX, 534);
	m.facts = facts_new(d);
	explain_run(m.facts, NULL, &m.f);
	assert_int_equal(m.f.rows.len, 1); /* only the note that the report is an excerpt */
	assert_non_null(found(&m, "truncated-report"));
	assert_true(is_not_assessed(&m, "hot-function"));
	assert_true(is_not_assessed(&m, "reclaim"));
	assert_true(is_not_assessed(&m, "lock-contention"));
	assert_true(is_not_assessed(&m, "crash-in-progress"));
	assert_true(is_not_assessed(&m, "idle-machine"));
	assert_true(is_not_assessed(&m, "never-sleeping-loop"));
	findings_fini(&m.f);
	facts_free(m.facts);
}

static void a_crash_overrules_the_copying_of_its_dump(void **state)
{
	struct made m;
	const struct finding *f;

	(void)state;
	made_stacks(&m, "db;main;store;serialize;abort;raise;do_coredump_[k];elf_core_dump_[k];"
			"pipe_write_[k];memcpy_erms_[k] 35\n"
			"db;main;run;a_[k] 10\ndb;main;run;b_[k] 10\ndb;main;run;c 12\n");
	f = &m.f.rows.data[0];
	assert_string_equal(f->rule->id, "crash-in-progress");
	assert_true(str_contains(f->cause, STR("in serialize")));
	assert_int_equal(f->severity, FINDING_ERROR);
	assert_non_null(found(&m, "copying"));
	assert_int_equal(found(&m, "copying")->overruled_by, 0);
	assert_true(found(&m, "copying")->sure <= 65);
	made_end(&m);
}

static void rows(struct dossier *d, struct capture *c, const char *const *names,
		 const unsigned int *weights, size_t n)
{
	for (size_t i = 0; i < n; i++)
		(void)profile_add_row(
			d, c, "server", str_of(names[i]).p[0] == '@' ? "libevent.so" : "[kernel]",
			names[i][0] == '@' ? '.' : 'k',
			names[i][0] == '@' ? names[i] + 1 : names[i], UINT64_MAX, weights[i]);
}

static void a_loop_that_never_sleeps_is_cut_into_loop_and_work(void **state)
{
	static const char *const names[] = {
		"syscall_exit_to_user_mode", "ep_poll",      "ep_send_events", "ktime_get_ts64",
		"@event_base_loop",          "eventfd_poll", "udp_sendmsg",    "eventfd_signal"
	};
	static const unsigned int weights[] = { 6000, 1000, 1000, 500, 1400, 50, 50, 0 };
	struct made m = { .d = dossier_new() };
	struct capture *c = dossier_add(m.d, "made");
	const struct finding *f;

	(void)state;
	c->path = strings_add(&m.d->strings, STR("made.txt"));
	rows(m.d, c, names, weights, ARRAY_LEN(names));
	m.facts = facts_new(m.d);
	explain_run(m.facts, NULL, &m.f);
	assert_null(findings_check(&m.f));
	f = &m.f.rows.data[0];
	assert_string_equal(f->rule->id, "never-sleeping-loop");
	assert_true(str_contains(f->claim, STR("99.5 %")));
	assert_true(str_contains(f->claim, STR("The work is 0.5 %")));
	assert_true(str_contains(f->cause, STR("nothing reads it")));
	assert_true(f->sure >= 95);
	made_end(&m);
}

static void a_server_at_full_load_is_no_loop_without_work(void **state)
{
	struct made m;
	char text[8192] = "db;main;entry_SYSCALL_64_after_hwframe_[k] 450\n"
			  "db;main;do_syscall_64_[k];ep_poll_[k] 80\n"
			  "db;main;do_syscall_64_[k];tcp_sendmsg_locked_[k] 120\n"
			  "db;main;do_syscall_64_[k];tcp_recvmsg_locked_[k] 110\n"
			  "db;main;do_syscall_64_[k];schedule_[k] 10\n";

	(void)state;
	health(text, sizeof(text), 230);
	made_stacks(&m, text);
	assert_null(found(&m, "never-sleeping-loop"));
	assert_true(is_clean(&m, "never-sleeping-loop"));
	made_end(&m);
}

static void a_loop_that_sleeps_is_clean(void **state)
{
	struct made m;
	char text[8192] = "db;main;do_syscall_64_[k];ep_poll_[k] 400\n"
			  "db;main;do_syscall_64_[k];schedule_[k] 300\n";

	(void)state;
	health(text, sizeof(text), 300);
	made_stacks(&m, text);
	assert_null(found(&m, "never-sleeping-loop"));
	assert_true(is_clean(&m, "never-sleeping-loop"));
	made_end(&m);
}

static void few_samples_make_no_rule_confident(void **state)
{
	struct made m;

	(void)state;
	made_stacks(&m, "db;w_[k];native_queued_spin_lock_slowpath_[k] 40\ndb;a;b 20\ndb;c;d 20\n");
	VEC_FOREACH (f, &m.f.rows) {
		if (strcmp(f->rule->id, "few-samples") != 0)
			assert_true(f->sure <= 65);
	}
	made_end(&m);
}

static void one_thread_waits_for_no_other(void **state)
{
	(void)state;
	for (unsigned int threads = 1; threads <= 2; threads++) {
		struct made m = { .d = dossier_new() };
		struct capture *c = dossier_add(m.d, "made");
		struct profile *p = capture_profile(c);
		stack_id hot = stacks_push(&p->stacks, STACK_ROOT,
					   symbols_add_text(&m.d->symbols, STR("ring_push_one"),
							    STR("app"), SPACE_USER, 0));

		c->path = strings_add(&m.d->strings, STR("made.txt"));
		p->unit = WEIGHT_SAMPLES;
		for (unsigned int i = 0; i < 1000; i++) {
			struct profile_thread t = {
				.comm = strings_add(&m.d->strings, STR("app")),
				.pid = 7,
				.tid = 7 + i % threads,
				.has_pid = true,
				.has_tid = true,
			};

			assert_int_equal(profile_add_sample(p, hot, 1), OK);
			*VEC_PUSH(&p->samples.thread) = profile_thread(p, t);
		}
		m.facts = facts_new(m.d);
		explain_run(m.facts, NULL, &m.f);
		assert_int_equal(found(&m, "cheap-function") != NULL, threads == 2);
		assert_int_equal(is_clean(&m, "cheap-function"), threads == 1);
		made_end(&m);
	}
}

/*
 * Without callers, a function such as clear_page_erms() need not belong to the rule: with 40 % in
 * that function the rule must not report "clean".
 */
static void a_share_without_what_it_needs_is_not_called_clean(void **state)
{
	static const char *const alone[][2] = {
		{ "page-fault-storm", "clear_page_erms" },
		{ "all-cpu-walk", "find_next_bit" },
		{ "compaction", "migrate_pages_batch" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(alone); i++) {
		for (unsigned int share = 1; share <= 401; share += 400) {
			char text[96];
			struct made m;

			(void)snprintf(text, sizeof(text), "app;%s_[k] %u\napp;work_[k] %u\n",
				       alone[i][1], share, 1000 - share);
			made_stacks(&m, text);
			assert_null(found(&m, alone[i][0]));
			assert_int_equal(is_clean(&m, alone[i][0]), share == 1);
			assert_int_equal(is_not_assessed(&m, alone[i][0]), share != 1);
			made_end(&m);
		}
	}
}

static void a_page_fault_in_a_copy_is_no_foreign_name(void **state)
{
	struct made m = { .d = dossier_new() };
	struct capture *c = dossier_add(m.d, "made");
	struct profile *p = capture_profile(c);
	stack_id at = STACK_ROOT;

	(void)state;
	c->path = strings_add(&m.d->strings, STR("made.txt"));
	p->unit = WEIGHT_SAMPLES;
	at = stacks_push(&p->stacks, at,
			 symbols_add_text(&m.d->symbols, STR("__memset_avx2_unaligned_erms"),
					  STR("libc.so.6"), SPACE_USER, 0));
	at = stacks_push(&p->stacks, at,
			 symbols_add_text(&m.d->symbols, STR("asm_exc_page_fault"), STR("[kernel]"),
					  SPACE_KERNEL, 0));
	assert_int_equal(profile_add_sample(p, at, 1000), OK);
	m.facts = facts_new(m.d);
	explain_run(m.facts, NULL, &m.f);
	assert_null(found(&m, "foreign-names"));
	made_end(&m);
}

static void libc_names_that_cannot_enter_the_kernel_are_foreign(void **state)
{
	struct made m = { .d = dossier_new() };
	struct capture *c = dossier_add(m.d, "made");
	struct profile *p = capture_profile(c);
	stack_id at = STACK_ROOT;

	(void)state;
	c->path = strings_add(&m.d->strings, STR("made.txt"));
	p->unit = WEIGHT_SAMPLES;
	at = stacks_push(&p->stacks, at,
			 symbols_add_text(&m.d->symbols, STR("__strncpy_sse2"), STR("libc-2.31.so"),
					  SPACE_USER, 0));
	at = stacks_push(&p->stacks, at,
			 symbols_add_text(&m.d->symbols, STR("do_syscall_64"), STR("[kernel]"),
					  SPACE_KERNEL, 0));
	assert_int_equal(profile_add_sample(p, at, 1000), OK);
	m.facts = facts_new(m.d);
	explain_run(m.facts, NULL, &m.f);
	assert_non_null(found(&m, "foreign-names"));
	assert_true(str_contains(found(&m, "foreign-names")->claim, STR("__strncpy_sse2")));
	made_end(&m);
}

static void what_rests_on_names_of_a_foreign_libc_is_not_sure(void **state)
{
	struct made m = { .d = dossier_new() };
	struct capture *c = dossier_add(m.d, "made");
	struct profile *p = capture_profile(c);
	struct symbols *s = &m.d->symbols;
	stack_id at = STACK_ROOT;

	(void)state;
	c->path = strings_add(&m.d->strings, STR("made.txt"));
	p->unit = WEIGHT_SAMPLES;
	at = stacks_push(
		&p->stacks, at,
		symbols_add_text(s, STR("__memmove_avx"), STR("libc-2.31.so"), SPACE_USER, 0));
	assert_int_equal(profile_add_sample(p, at, 6000), OK);
	at = stacks_push(
		&p->stacks, at,
		symbols_add_text(s, STR("do_syscall_64"), STR("[kernel]"), SPACE_KERNEL, 0));
	assert_int_equal(profile_add_sample(p, at, 4000), OK);
	m.facts = facts_new(m.d);
	explain_run(m.facts, NULL, &m.f);
	assert_non_null(found(&m, "foreign-names"));
	assert_non_null(found(&m, "copying"));
	assert_int_equal(found(&m, "copying")->sure, 40);
	assert_true(str_contains(found(&m, "copying")->sure_because, STR("libc symbols")));
	made_end(&m);
}

/* Certainty of crash-in-progress if @data of 10000 samples are named as kernel data. */
static unsigned int sure_with_data(struct made *m, unsigned int data)
{
	const struct finding *f;
	char text[16384];
	size_t n;

	n = (size_t)snprintf(
		text, sizeof(text),
		"db;main;write;elf_core_dump_[k] 6000\ndb;main;__start_rodata_[k] %u\n", data);
	health(text + n, sizeof(text) - n, 4000 - data);
	made_stacks(m, text);
	f = found(m, "crash-in-progress");
	assert_non_null(f);
	return f->sure;
}

static void kernel_names_that_are_data_are_foreign(void **state)
{
	struct made m;

	(void)state;
	(void)sure_with_data(&m, 100); /* 1 %: the limit for foreign-names */
	assert_null(found(&m, "foreign-names"));
	made_end(&m);
	(void)sure_with_data(&m, 101);
	assert_non_null(found(&m, "foreign-names"));
	assert_true(str_contains(found(&m, "foreign-names")->claim, STR("1.0 %")));
	assert_true(str_contains(found(&m, "foreign-names")->claim, STR("__start_rodata")));
	made_end(&m);
}

static void no_finding_is_surer_than_the_names_that_it_rests_on(void **state)
{
	struct made m;

	(void)state;
	assert_true(sure_with_data(&m, 100) > 90);
	made_end(&m);
	assert_int_equal(sure_with_data(&m, 101), 40);
	assert_true(str_contains(found(&m, "crash-in-progress")->sure_because,
				 STR("kernel symbols come from a different build")));
	assert_int_equal(found(&m, "crash-in-progress")->severity, FINDING_NOTE);
	/* the rule about the names themselves keeps its certainty */
	assert_true(found(&m, "foreign-names")->sure > 90);
	assert_string_equal(m.f.rows.data[0].rule->id, "foreign-names");
	made_end(&m);
}

static void a_name_that_is_cut_makes_no_finding_sure(void **state)
{
	struct made m;
	char text[16384] = "db;main;__assert_fail_ba...;elf_core_dump_[k] 5000\n"
			   "db;main;__assert_fail_ba... 1000\n";

	(void)state;
	health(text, sizeof(text), 4000);
	made_stacks(&m, text);
	assert_non_null(found(&m, "crash-in-progress"));
	assert_int_equal(found(&m, "crash-in-progress")->sure, 75);
	assert_str(found(&m, "crash-in-progress")->sure_because, "the name is truncated");
	made_end(&m);
}

static void addresses_that_lie_close_are_one_group(void **state)
{
	struct made m;
	char text[8192] = "db;main;0x1000 50\ndb;main;0x1040 60\ndb;main;0x9000 80\n";

	(void)state;
	health(text, sizeof(text), 810);
	made_stacks(&m, text);
	assert_non_null(found(&m, "no-symbols"));
	assert_true(str_contains(found(&m, "no-symbols")->claim,
				 STR("0x1000 to 0x1040 of app, 11.0 %")));
	made_end(&m);
}

static void a_rule_that_knows_the_cycle_leaves_no_remark_that_it_is_one(void **state)
{
	struct made m;
	char text[8192] = "ksoftirqd;a_[k];nft_do_chain_[k] 400\nnft;a_[k];check_two_[k] 200\n"
			  "nft;a_[k];check_three_[k] 150\n";

	(void)state;
	health(text, sizeof(text), 250);
	made_stacks(&m, text);
	assert_true(m.f.rows.data[0].rule == &rule_firewall_rules);
	assert_null(found(&m, "tight-loop"));
	made_end(&m);
}

static void a_guest_that_computes_is_not_said_to_exit(void **state)
{
	struct made m;
	char text[8192] = "qemu;ioctl_[k];vcpu_run_[k];vmx_vcpu_enter_exit_[k] 860\n"
			  "qemu;ioctl_[k];vcpu_run_[k] 12\n";
	const struct finding *f;

	(void)state;
	health(text, sizeof(text), 128);
	made_stacks(&m, text);
	f = found(&m, "guest-exits");
	assert_non_null(f);
	assert_int_equal(f->severity, FINDING_NOTE);
	assert_true(f->sure < 80);
	made_end(&m);
	strcpy(text, "qemu;ioctl_[k];vcpu_run_[k];vmx_vcpu_enter_exit_[k] 100\n"
		     "qemu;ioctl_[k];vcpu_run_[k];vmx_handle_exit_[k] 300\n"
		     "qemu;ioctl_[k];kvm_vcpu_check_block_[k] 200\n");
	health(text, sizeof(text), 400);
	made_stacks(&m, text);
	assert_int_equal(found(&m, "guest-exits")->severity, FINDING_WARNING);
	made_end(&m);
}

static void locks_of_other_machines_have_other_names(void **state)
{
	static const char *const names[] = { "arch_spin_lock_wait", "queued_spin_lock_slowpath",
					     "resilient_queued_spin_lock_slowpath",
					     "splpar_spin_yield" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct made m;
		char text[8192];

		(void)snprintf(text, sizeof(text),
			       "db;do_wp_page_[k];_raw_spin_lock_[k];%s_[k] 400\n", names[i]);
		health(text, sizeof(text), 600);
		made_stacks(&m, text);
		if (!found(&m, "lock-contention"))
			wrong("%s is no lock", names[i]);
		made_end(&m);
	}
}

static void the_caller_says_which_lock_it_is(void **state)
{
	static const char *const locks[][2] = {
		{ "inode_sb_list_add", "list of inodes" },
		{ "lock_timer_base", "timers" },
		{ "nvme_queue_rq", "block device" },
		{ "___slab_alloc", "slabs" },
		{ "cgroup_kn_lock_live", "cgroup_mutex" },
		{ "futex_q_lock", "futexes" },
		{ "rtnl_lock", "network configuration" },
		{ "__wake_up_common_lock", "wait queue" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(locks); i++) {
		struct made m;
		char text[8192];

		(void)snprintf(text, sizeof(text),
			       "db;w_[k];%s_[k];_raw_spin_lock_[k];queued_spin_lock_slowpath_[k] "
			       "400\n",
			       locks[i][0]);
		health(text, sizeof(text), 600);
		made_stacks(&m, text);
		if (str_find(found(&m, "lock-contention")->claim, str_of(locks[i][1])) >=
		    found(&m, "lock-contention")->claim.len)
			wrong("the lock of %s is not named", locks[i][0]);
		made_end(&m);
	}
}

static void a_core_dump_is_seen_where_frames_say_no_kernel(void **state)
{
	struct made m;

	(void)state;
	made_stacks(&m,
		    "d;main;run;check;abort;raise;get_signal;do_coredump;elf_core_dump;copy 300\n"
		    "d;main;run;work 200\n");
	assert_true(m.f.rows.data[0].rule == &rule_crash_in_progress);
	made_end(&m);
}

static void an_idle_machine_is_not_misled_by_its_way_to_sleep(void **state)
{
	struct made m;
	char text[8192] = "swapper;cpu_startup_entry_[k];intel_idle_[k] 940\n"
			  "swapper;cpu_startup_entry_[k];tick_nohz_idle_enter_[k] 10\n";

	(void)state;
	health(text, sizeof(text), 50);
	made_stacks(&m, text);
	assert_non_null(found(&m, "idle-machine"));
	assert_null(found(&m, "interrupts-on-skid"));
	made_end(&m);
}

static bool is_tight_loop(const char *text)
{
	struct made m;
	const struct finding *f;
	bool ret;

	made_stacks(&m, text);
	f = found(&m, "tight-loop");
	ret = f;
	if (f) {
		assert_int_equal(f->severity, FINDING_NOTE);
		assert_true(f->sure < 50);
	} else {
		assert_true(is_clean(&m, "tight-loop") || is_not_assessed(&m, "tight-loop"));
	}
	made_end(&m);
	return ret;
}

#define STRIPES(thread)                                                                  \
	thread ";a_[k];stripe_one_[k] 300\n" thread ";a_[k];stripe_two_[k] 250\n" thread \
	       ";a_[k];stripe_three_[k] 200\n"

static void a_short_cycle_of_the_kernel_may_get_nowhere(void **state)
{
	char text[8192] = STRIPES("md");

	(void)state;
	for (unsigned int i = 0; i < 10; i++)
		(void)snprintf(text + strlen(text), sizeof(text) - strlen(text),
			       "md;a_[k];other_%u_[k] 25\n", i);
	assert_true(is_tight_loop(text));
}

static void work_that_a_program_or_packets_bring_is_no_loop_without_end(void **state)
{
	(void)state;
	/* the program computes */
	assert_false(is_tight_loop("db;main;insert_one 450\ndb;main;insert_two 250\n"
				   "db;main;free_all 200\ndb;write_[k];ext4_write_[k] 100\n"));
	/* the program calls the kernel in each round */
	assert_false(is_tight_loop(STRIPES("db") "db;main;submit 150\n"
						 "db;write_[k];ext4_write_[k] 100\n"));
	assert_false(is_tight_loop(STRIPES("db") "db;loop;syscall_exit_to_user_mode_[k] 100\n"
						 "db;write_[k];ext4_write_[k] 150\n"));
	/* packets bring the work */
	assert_false(is_tight_loop("ksoftirqd;a_[k];ip_rcv_[k] 350\n"
				   "ksoftirqd;a_[k];ip_forward_[k] 350\n"
				   "ksoftirqd;a_[k];ip_output_[k] 300\n"));
}

static void an_idle_machine_rebases_what_is_left(void **state)
{
	struct made m;
	char text[8192] = "swapper;cpu_startup_entry_[k];intel_idle_[k] 800\n"
			  "db;w_[k];_raw_spin_lock_[k];native_queued_spin_lock_slowpath_[k] 80\n";

	(void)state;
	health(text, sizeof(text), 120);
	made_stacks(&m, text);
	assert_non_null(found(&m, "idle-machine"));
	assert_non_null(found(&m, "lock-contention")); /* 8 % of all, 40 % of the busy time */
	made_end(&m);
}

static void a_lock_that_stands_only_in_trees_is_seen(void **state)
{
	static const char *const frames[] = { "do_exit", "release_pages", "_raw_spin_lock_irqsave",
					      "native_queued_spin_lock_slowpath" };
	struct made m = { .d = dossier_new() };
	struct capture *c = dossier_add(m.d, "made");
	struct profile_row *row =
		profile_add_row(m.d, c, "db", "[kernel]", 'k', "do_exit", 9000, 0);
	const struct finding *f;

	(void)state;
	c->path = strings_add(&m.d->strings, STR("made.txt"));
	row->tree = 0;
	c->profile->table.order = CHAIN_CALLER;
	for (uint32_t i = 0; i < ARRAY_LEN(frames); i++) {
		struct profile_node *n = VEC_PUSH(&c->profile->table.nodes);

		memset(n, 0, sizeof(*n));
		n->sym = symbols_add_text(&m.d->symbols, str_of(frames[i]), STR("[kernel]"),
					  SPACE_KERNEL, 0);
		n->weight = i == 3 ? 4000 : 4500;
		n->parent = i ? i - 1 : INDEX_NONE;
		n->end = ARRAY_LEN(frames);
		n->line = 20 + i;
	}
	m.facts = facts_new(m.d);
	explain_run(m.facts, NULL, &m.f);
	f = found(&m, "lock-contention");
	assert_non_null(f);
	assert_true(str_contains(f->claim, STR("40.0 % of the profile is spinning")));
	made_end(&m);
}

static void a_caller_that_may_be_another_one_is_no_evidence(void **state)
{
	struct made m = { .d = dossier_new() };
	struct capture *c = profile_of_folded(
		m.d, "db;main;check_all;memcmp 700\ndb;main;check_all;has_dup 200\n"
		     "db;__libc_start_call_main;memcmp 40\ndb;main;other_one;memcmp 60\n");
	struct fact_caller callers[4];
	bool is_next = false;

	(void)state;
	c->path = strings_add(&m.d->strings, STR("made.data"));
	c->profile->chains = CHAINS_FRAME_POINTERS;
	for (size_t i = 0; i < c->profile->samples.n; i++)
		*VEC_PUSH(&c->profile->samples.no_frame) = i == 0;
	m.facts = facts_new(m.d);
	/*
	 * only chains that cannot lack a caller count, and the start of a program is not a caller
	 */
	assert_int_equal(facts_callers(m.facts->profiles[0], "memcmp", NULL, callers, 4), 1);
	assert_str(facts_name(m.facts, callers[0].sym), "other_one");
	assert_true(callers[0].pct == 6);
	/* callers further out are known in all chains */
	assert_int_equal(facts_callers(m.facts->profiles[0], "memcmp", "check_all", callers, 4), 2);
	assert_str(facts_name(m.facts, callers[0].sym), "main");
	assert_true(callers[0].pct == 70);
	explain_run(m.facts, NULL, &m.f);
	assert_non_null(found(&m, "costly-work"));
	VEC_FOREACH (e, &found(&m, "costly-work")->evidence)
		assert_false(str_contains(e->text, STR("called by")));
	VEC_FOREACH (n, &found(&m, "costly-work")->next)
		is_next |= str_contains(*n, STR("perf record --call-graph dwarf: who calls"));
	assert_true(is_next);
	made_end(&m);
}

static void an_excerpt_separates_inclusive_shares_from_self(void **state)
{
	struct made m = { .d = dossier_new() };
	struct capture *c = dossier_add(m.d, "made");
	const struct finding *f;

	(void)state;
	c->path = strings_add(&m.d->strings, STR("made.txt"));
	(void)profile_add_row(m.d, c, "db", "[kernel]", 'k', "run_list", 6894, 324);
	(void)profile_add_row(m.d, c, "db", "[kernel]", 'k', "take_one", 300, 300);
	m.facts = facts_new(m.d);
	explain_run(m.facts, NULL, &m.f);
	f = found(&m, "truncated-report");
	assert_non_null(f);
	assert_true(str_contains(f->claim, STR("3.2 % self and 68.9 % with callees")));
	assert_false(str_contains(f->claim, STR("saves")));
	made_end(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_rule_fires_on_what_it_is_for),
		cmocka_unit_test(a_name_that_is_alike_is_not_what_a_rule_is_for),
		cmocka_unit_test(only_the_loop_of_an_interpreter_is_called_one),
		cmocka_unit_test(what_is_said_of_a_search_follows_its_name),
		cmocka_unit_test(a_cause_is_said_where_its_functions_are_there),
		cmocka_unit_test(a_function_of_a_program_is_none_of_the_kernel),
		cmocka_unit_test(a_tracepoint_makes_no_function_hot),
		cmocka_unit_test(what_is_shown_in_the_wrong_place_makes_no_other_rule_sure),
		cmocka_unit_test(a_part_is_called_the_main_one_from_half_on),
		cmocka_unit_test(a_search_of_several_functions_says_what_the_first_has),
		cmocka_unit_test(a_profile_in_good_health_has_no_findings),
		cmocka_unit_test(rules_of_the_kernel_do_not_judge_without_one),
		cmocka_unit_test(a_lock_of_many_callers_is_not_pinned_to_one),
		cmocka_unit_test(a_benchmark_that_copies_is_not_blamed),
		cmocka_unit_test(sixty_samples_make_no_rule_confident),
		cmocka_unit_test(work_next_to_idle_is_weighed_as_busy_time),
		cmocka_unit_test(an_excerpt_rules_nothing_out),
		cmocka_unit_test(a_crash_overrules_the_copying_of_its_dump),
		cmocka_unit_test(a_loop_that_never_sleeps_is_cut_into_loop_and_work),
		cmocka_unit_test(a_loop_that_sleeps_is_clean),
		cmocka_unit_test(a_server_at_full_load_is_no_loop_without_work),
		cmocka_unit_test(few_samples_make_no_rule_confident),
		cmocka_unit_test(libc_names_that_cannot_enter_the_kernel_are_foreign),
		cmocka_unit_test(kernel_names_that_are_data_are_foreign),
		cmocka_unit_test(what_rests_on_names_of_a_foreign_libc_is_not_sure),
		cmocka_unit_test(no_finding_is_surer_than_the_names_that_it_rests_on),
		cmocka_unit_test(a_name_that_is_cut_makes_no_finding_sure),
		cmocka_unit_test(a_share_without_what_it_needs_is_not_called_clean),
		cmocka_unit_test(a_page_fault_in_a_copy_is_no_foreign_name),
		cmocka_unit_test(one_thread_waits_for_no_other),
		cmocka_unit_test(addresses_that_lie_close_are_one_group),
		cmocka_unit_test(a_short_cycle_of_the_kernel_may_get_nowhere),
		cmocka_unit_test(work_that_a_program_or_packets_bring_is_no_loop_without_end),
		cmocka_unit_test(a_rule_that_knows_the_cycle_leaves_no_remark_that_it_is_one),
		cmocka_unit_test(a_guest_that_computes_is_not_said_to_exit),
		cmocka_unit_test(locks_of_other_machines_have_other_names),
		cmocka_unit_test(the_caller_says_which_lock_it_is),
		cmocka_unit_test(a_core_dump_is_seen_where_frames_say_no_kernel),
		cmocka_unit_test(an_idle_machine_is_not_misled_by_its_way_to_sleep),
		cmocka_unit_test(an_idle_machine_rebases_what_is_left),
		cmocka_unit_test(a_lock_that_stands_only_in_trees_is_seen),
		cmocka_unit_test(a_caller_that_may_be_another_one_is_no_evidence),
		cmocka_unit_test(an_excerpt_separates_inclusive_shares_from_self),
	};

	return cmocka_run_group_tests_name("rules_profile", tests, NULL, NULL);
}
