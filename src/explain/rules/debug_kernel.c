/* SPDX-License-Identifier: MIT */
/*
 * A debug kernel: its checks cost and mislead: the kernel was built with debug options
 * (lockdep, KASAN, kmemleak, debug of lists, slabs or file systems).
 *
 * Thresholds, of the time that is not idle: Checks that stay in production kernels (list
 * validation in hardened ones) cost below 3 %.
 */
#include "explain/signature.h"

#define DEBUG_KERNEL_NOTE_PCT 3.0
#define DEBUG_KERNEL_LEAD_PCT 10.0

#define DEBUG_KERNEL_STRONG                                                  \
	"check_preemption_disabled|debug_smp_processor_id|"                  \
	"__this_cpu_preempt_check|lock_acquire*|lock_release*|"              \
	"__lock_acquire*|lockdep_*|lock_is_held*|mark_lock*|"                \
	"mark_held_locks|validate_chain|check_chain_key|hlock_*|__kasan_*|"  \
	"kasan_*|__asan_*|kmemleak_*|create_object*|delete_object*|"         \
	"scan_block|debug_object_*|debug_check_no_obj*|debug_mutex_*|"       \
	"page_poison*|kernel_poison_pages|check_poison*|"                    \
	"stack_depot_*|__stack_depot*|"                                      \
	"__kcsan_*|__tsan_*|kcsan_*|kmsan_*|__msan_*|"                       \
	"check_bytes_and_report|check_object|init_object|set_track*|"        \
	"alloc_debug_processing|free_debug_processing|check_slab|"           \
	"on_freelist|xfs_*_check_int|xfs_errortag_test|rcu_read_lock_held*|" \
	"rcu_lockdep*|__might_sleep|__might_resched|___might_sleep|"         \
	"do_raw_spin_lock|do_raw_spin_unlock|do_raw_read_*|do_raw_write_*|"  \
	"debug_spin_*|save_trace|"                                           \
	"xas_debug*|ubsan_*|__ubsan_*|debug_dma_*|add_dma_entry"
/* In production kernels too: of what was read from disk, of lists, for tracers. */
#define DEBUG_KERNEL_WEAK                                                          \
	"__xfs_dir3_data_check|__xfs_dir3_*_check|xfs_*_verify|xfs_btree_check_*|" \
	"__list_del_entry_valid*|__list_add_valid*|should_failslab|should_fail*|"  \
	"preempt_count_add|preempt_count_sub|trace_hardirqs_*|update_stack_state|" \
	"save_stack_trace|__save_stack_trace|stack_trace_consume_entry"

static const struct signature debug_kernel = {
	.functions = DEBUG_KERNEL_STRONG "|" DEBUG_KERNEL_WEAK,
	.needs = DEBUG_KERNEL_STRONG,
	.note_pct = DEBUG_KERNEL_NOTE_PCT,
	.lead_pct = DEBUG_KERNEL_LEAD_PCT,
	.sure_note = 75,
	.sure_lead = 93,
	.what = "is spent in checks of a debug kernel",
	.name = "checks of a debug kernel",
	.cause = "the kernel was built with debug options (lockdep, KASAN, "
		 "kmemleak, debug of lists, slabs or file systems)",
	.because = "kernels made for production do not contain these functions, or "
		   "never call them",
	.next = { "grep -E \"PROVE_LOCKING|KASAN|KMEMLEAK|DEBUG_OBJECTS|DEBUG_LIST|"
		  "DEBUG_PREEMPT|XFS_DEBUG|PAGE_POISON\" /boot/config-$(uname -r)",
		  "measure again on a kernel without them: shares of this one are "
		  "not those of production" },
};

const struct rule rule_debug_kernel = {
	.id = "debug-kernel",
	.title = "a debug kernel: its checks cost and mislead",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_WORK,
	.signature = &debug_kernel,
};
