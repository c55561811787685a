/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "explain/words/wait_reasons.h"

static void functions_of_the_kernel_say_what_they_wait_for(void **state)
{
	static const struct {
		const char *name, *object;
	} cases[] = {
		{ "xlog_grant_head_wait", "space in the log of XFS" },
		{ "wait_transaction_locked",
		  "the commit of the running transaction of the journal (jbd2)" },
		{ "handle_reserve_ticket", "free space of btrfs (a reservation ticket)" },
		{ "blk_mq_get_tag", "a free tag of a block device" },
		{ "blk_mq_freeze_queue_wait", "all users of a block queue to leave it (freeze)" },
		{ "mempool_alloc_noprof", "a free element of a memory pool (mempool)" },
		{ "dm_wait_for_completion", "I/O in flight on a device-mapper device (suspend)" },
		{ "rpc_wait_bit_killable", "the answer of a network file server" },
		{ "reclaim_throttle", "memory reclaim (it is throttled)" },
		{ "percpu_ref_switch_to_atomic_sync",
		  "a per-CPU reference count to switch its mode" },
		{ "synchronize_rcu_expedited", "an RCU grace period" },
		{ "__flush_work", "a work item of a workqueue to end" },
		{ "__filemap_get_folio_mpol", "the lock of a page or buffer" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct wait_reason *reason = wait_reason_of(str_of(cases[i].name));

		assert_non_null(reason);
		assert_string_equal(reason->object, cases[i].object);
		assert_false(wait_reason_is_general(reason));
	}
}

static void their_callers_and_neighbours_say_nothing(void **state)
{
	static const char *const names[] = {
		"xlog_grant_head_check", "jbd2__journal_start",   "blk_mq_submit_bio",
		"mempool_alloc_slab",    "folio_wait_bit_common", "synchronize_irq",
		"queue_work_on",         "xfs_trans_reserve",     "",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		assert_null(wait_reason_of(str_of(names[i])));
}

static void a_completion_is_a_general_reason(void **state)
{
	(void)state;
	assert_true(wait_reason_is_general(wait_reason_of(STR("wait_for_completion_timeout"))));
	assert_false(wait_reason_is_general(NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_of_the_kernel_say_what_they_wait_for),
		cmocka_unit_test(their_callers_and_neighbours_say_nothing),
		cmocka_unit_test(a_completion_is_a_general_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
