/* SPDX-License-Identifier: MIT */
/* Tasks of a kernel log: who waits for whom. */
#include "unit.h"

#include "lines.h"

#include "analyses/threads/thread_summary.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/kinds/threads.h"
#include "core/strings.h"

#include <stdio.h>

static void stack(const char *task, unsigned int pid, const char *wait, const char *place)
{
	lines_add("task:%-15s state:D stack:0     pid:%u   tgid:%u   ppid:1", task, pid, pid);
	lines_add("Call Trace:");
	lines_add(" <TASK>");
	lines_add(" __schedule+0x425/0x1460");
	lines_add(" schedule+0x27/0xf0");
	lines_add(" %s+0x3d0/0x6d0", wait);
	lines_add(" %s+0x10/0x40", place);
	lines_add(" </TASK>");
}

static void hung(const char *task, unsigned int pid, unsigned int seconds, const char *wait,
		 const char *place)
{
	lines_add("INFO: task %s:%u blocked for more than %u seconds.", task, pid, seconds);
	stack(task, pid, wait, place);
}

static const struct capture *threads_of(const struct dossier *d)
{
	VEC_FOREACH (c, &d->captures) {
		if ((*c)->threads)
			return *c;
	}
	assert_true(false);
	return NULL;
}

static void a_task_with_colons_in_its_name_is_one_thread(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = NULL;
	const struct threads *t;

	(void)state;
	hung("kworker/u4:1", 11, 122, "__mutex_lock", "shelf_flush");
	d = lines_load();
	t = threads_of(d)->threads;
	assert_int_equal(t->rows.len, 1);
	assert_true(str_eq(strings_get(&d->strings, t->rows.data[0].name), STR("kworker/u4:1")));
	assert_true(str_eq(strings_get(&d->strings, t->rows.data[0].id), STR("11")));
}

static void an_owner_that_is_printed_twice_is_one_thread(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = NULL;
	const struct threads *t;

	(void)state;
	hung("reader", 300, 122, "__mutex_lock", "shelf_read");
	lines_add("INFO: task reader:300 is blocked on a mutex likely owned by task flush:200.");
	stack("flush", 200, "__mutex_lock", "shelf_flush");
	hung("flush", 200, 125, "__mutex_lock", "shelf_flush");
	d = lines_load();
	t = threads_of(d)->threads;
	assert_int_equal(t->rows.len, 2);
	assert_int_equal(t->snapshots, 1);
	assert_true(t->rows.data[1].age_ns == UINT64_C(125000000000));
	assert_int_equal(t->rows.data[0].n_locks, 1);
	assert_int_equal(t->rows.data[1].n_locks, 1);
}

static void the_same_task_in_two_reports_is_two_snapshots(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = NULL;

	(void)state;
	hung("reader", 300, 122, "__mutex_lock", "shelf_read");
	hung("reader", 300, 245, "__mutex_lock", "shelf_read");
	d = lines_load();
	assert_int_equal(threads_of(d)->threads->snapshots, 2);
}

static void the_head_of_a_chain_is_the_finding(void **state)
{
	const char *claim;

	(void)state;
	hung("reader", 300, 122, "__mutex_lock", "shelf_read");
	lines_add("INFO: task reader:300 is blocked on a mutex likely owned by task "
		  "kworker/u4:1:200.");
	stack("kworker/u4:1", 200, "rwsem_down_write_slowpath", "shelf_flush");
	lines_add("INFO: task kworker/u4:1:200 <writer> blocked on an rw-semaphore likely owned by "
		  "task "
		  "disk0:150 <writer>");
	stack("disk0", 150, "io_schedule", "rack_commit");
	claim = lines_claim("thread-lock");
	assert_non_null(strstr(claim, "2 threads wait for thread 'disk0', which waits for the disk "
				      "in rack_commit"));
	assert_non_null(strstr(claim, "for an rw-semaphore of thread 'disk0'"));
}

static void a_cycle_of_tasks_is_a_deadlock(void **state)
{
	(void)state;
	hung("a", 100, 122, "__mutex_lock", "a_write");
	lines_add("INFO: task a:100 is blocked on a mutex likely owned by task b:200.");
	stack("b", 200, "__mutex_lock", "b_write");
	hung("b", 200, 122, "__mutex_lock", "b_write");
	lines_add("INFO: task b:200 is blocked on a mutex likely owned by task a:100.");
	stack("a", 100, "__mutex_lock", "a_write");
	assert_non_null(strstr(lines_claim("thread-deadlock"), "wait for each other in a cycle"));
}

static void a_task_that_waits_for_itself_is_a_deadlock(void **state)
{
	(void)state;
	hung("a", 100, 122, "__mutex_lock", "a_write");
	lines_add("INFO: task a:100 is blocked on a mutex likely owned by task a:100.");
	stack("a", 100, "__mutex_lock", "a_write");
	assert_non_null(strstr(lines_claim("thread-deadlock"), "in a cycle"));
}

static void listed(const char *last_of_writer)
{
	lines_add("Showing all locks held in the system:");
	lines_add("2 locks held by reader/300:");
	lines_add(" #0: ffff888012472538 (&f->f_pos_lock){+.+.}-{3:3}, at: __fdget_pos+0xe9/0x100");
	lines_add(" #1: ffff888012472600 (&shelf->lock){+.+.}-{3:3}, at: shelf_read+0xc/0x40");
	lines_add("1 lock held by writer/301:");
	lines_add(" #0: %s (&shelf->lock){+.+.}-{3:3}, at: shelf_write+0xc/0x40", last_of_writer);
}

static void the_last_listed_lock_of_a_task_that_waits_for_one_is_the_wanted_one(void **state)
{
	(void)state;
	hung("reader", 300, 122, "__mutex_lock", "shelf_read");
	hung("writer", 301, 122, "io_schedule", "rack_commit");
	listed("ffff888012472600");
	assert_non_null(strstr(lines_claim("thread-lock"),
			       "Thread 'reader' waits for thread 'writer', which waits "
			       "for the disk in rack_commit"));
	hung("reader", 300, 122, "__mutex_lock", "shelf_read");
	hung("writer", 301, 122, "io_schedule", "rack_commit");
	listed("ffff888012472640");
	assert_string_equal(lines_claim("thread-lock"), "");
	/*
	 * the reader waits for the disk: it holds both listed locks, and the writer waits for one
	 * of them
	 */
	hung("reader", 300, 122, "io_schedule", "shelf_read");
	hung("writer", 301, 122, "__mutex_lock", "rack_commit");
	listed("ffff888012472600");
	assert_non_null(strstr(lines_claim("thread-lock"), "waits for thread 'reader'"));
}

static void one_waiter_is_a_finding_from_ten_seconds(void **state)
{
	(void)state;
	for (unsigned int seconds = 9; seconds <= 10; seconds++) {
		hung("reader", 300, seconds, "__mutex_lock", "shelf_read");
		lines_add("INFO: task reader:300 is blocked on a mutex likely owned by task "
			  "disk0:150.");
		stack("disk0", 150, "io_schedule", "rack_commit");
		assert_int_equal(lines_claim("thread-lock")[0] == '\0', seconds == 9);
	}
}

static void owners_that_are_not_printed_say_nothing(void **state)
{
	(void)state;
	hung("reader", 300, 122, "__mutex_lock", "shelf_read");
	lines_add("INFO: task reader:300 is blocked on a mutex likely owned by task disk0:150.");
	assert_string_equal(lines_claim("thread-lock"), "");
}

/* A task whose stack has @frames, innermost first, separated by blanks. */
static void frames(const char *task, unsigned int pid, const char *names)
{
	struct str rest = str_of(names);
	struct str name;

	lines_add("task:%-15s state:D stack:0     pid:%u   tgid:%u   ppid:1", task, pid, pid);
	lines_add("Call Trace:");
	lines_add(" schedule+0x27/0xf0");
	while (str_word(&rest, &name))
		lines_add(" " STR_FMT "+0x10/0x400", STR_ARG(name));
}

static void a_hung_task_has_waited_more_than_the_printed_time(void **state)
{
	(void)state;
	hung("reader", 300, 122, "io_schedule", "shelf_read");
	assert_non_null(strstr(lines_claim("thread-waits"),
			       "Thread 'reader' has waited more than 122 s for the disk"));
	/* of two times, the shorter one is exceeded by both */
	hung("reader", 300, 599, "io_schedule", "shelf_read");
	hung("writer", 301, 245, "io_schedule", "shelf_read");
	assert_non_null(strstr(lines_claim("thread-waits"),
			       "2 of 2 threads have waited more than 245 s for the disk"));
	hung("reader", 300, 599, "io_schedule", "shelf_read");
	assert_non_null(strstr(lines_claim("thread-waits"), "more than 599 s"));
	hung("reader", 300, 600, "io_schedule", "shelf_read");
	assert_non_null(strstr(lines_claim("thread-waits"), "more than 10 minutes"));
	/* the owner was not reported for its own wait */
	hung("reader", 300, 122, "io_schedule", "shelf_read");
	stack("writer", 301, "io_schedule", "shelf_read");
	assert_non_null(strstr(lines_claim("thread-waits"), "2 of 2 threads wait for the disk"));
}

static void the_place_of_a_wait_is_past_functions_that_wait_for_any_caller(void **state)
{
	static const struct {
		const char *frames, *place;
	} rows[] = {
		{ "wait_for_completion __flush_work crate_drain crate_stop",
		  "in __flush_work, called from crate_drain, from crate_stop" },
		{ "wait_for_completion __flush_work __cancel_work_sync cancel_delayed_work_sync "
		  "crate_stop",
		  "in cancel_delayed_work_sync, called from crate_stop" },
		{ "wait_for_completion kthread_stop crate_stop",
		  "in kthread_stop, called from crate_stop" },
		{ "__wait_for_common __wait_rcu_gp synchronize_rcu crate_swap",
		  "in synchronize_rcu, called from crate_swap" },
		{ "blk_mq_freeze_queue_wait crate_resize",
		  "in blk_mq_freeze_queue_wait, called from crate_resize" },
		{ "dma_fence_default_wait dma_fence_wait_timeout crate_flip",
		  "in dma_fence_wait_timeout, called from crate_flip" },
		/* a lock or a completion has no name of its own */
		{ "__mutex_lock crate_open", "for a lock in crate_open" },
		{ "wait_for_completion crate_reset", "in crate_reset" },
		/* nothing but the helper is printed */
		{ "wait_for_completion __flush_work", "in __flush_work" },
		{ "wait_for_completion __flush_work do_syscall_64", "in __flush_work" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const char *claim;

		frames("crater", 300, rows[i].frames);
		claim = lines_claim("thread-waits");
		if (!strstr(claim, rows[i].place))
			print_error("%s: %s\n", rows[i].frames, claim);
		assert_non_null(strstr(claim, rows[i].place));
	}
}

static void tasks_are_joined_by_what_their_stacks_have_in_common(void **state)
{
	static const struct {
		const char *waiter, *other;
		const char *claim; /* "": no finding */
	} rows[] = {
		{ "__mutex_lock qed_open vfs_open", "wait_for_completion qed_wait vfs_write",
		  "may wait for thread 'other'" },
		/* a word of two letters, another word, a common word */
		{ "__mutex_lock qe_open vfs_open", "wait_for_completion qe_wait vfs_write", "" },
		{ "__mutex_lock qed_open vfs_open", "wait_for_completion bed_wait vfs_write", "" },
		{ "__mutex_lock vfs_open", "wait_for_completion vfs_await vfs_write", "" },
		{ "__mutex_lock __qed_open", "wait_for_completion _qed_wait",
		  "of the same subsystem (qed_*)" },
		/* two waits for locks: neither shows a holder */
		{ "__mutex_lock qed_open", "__mutex_lock qed_wait", "" },
		/* no lock, no work of the table */
		{ "wait_for_completion qed_open", "io_schedule qed_read", "" },
		{ "__mutex_lock ext4_open vfs_open", "io_schedule ext4_read vfs_read", "" },
		{ "__mutex_lock ext4_open vfs_open", "io_schedule ext4_read ext4_open vfs_open",
		  "is in the same function" },
		{ "wait_transaction_locked start_handle", "io_schedule kjournald2 kthread",
		  "likely waits for thread 'other'" },
		{ "__bio_queue_enter submit_bio loft_read", "blk_mq_freeze_queue_wait tune_loft",
		  "freezes a block queue" },
		/* the other task waits for the frozen queue as well */
		{ "__bio_queue_enter submit_bio loft_read",
		  "__bio_queue_enter submit_bio blk_mq_freeze_queue tune_loft", "" },
		{ "wait_for_completion flush_work qed_stop",
		  "io_schedule qed_item process_one_work worker_thread", "work item qed_item" },
		{ "wait_for_completion flush_work qed_stop",
		  "io_schedule bed_item process_one_work worker_thread", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const char *claim;

		frames("waiter", 300, rows[i].waiter);
		frames("other", 301, rows[i].other);
		claim = lines_claim("task-chain");
		if (*rows[i].claim ? !strstr(claim, rows[i].claim) : *claim)
			print_error("%s, %s: %s\n", rows[i].waiter, rows[i].other, claim);
		assert_int_equal(*claim == '\0', *rows[i].claim == '\0');
		assert_non_null(strstr(claim, rows[i].claim));
	}
}

static void a_flush_and_a_worker_that_wants_the_lock_may_deadlock(void **state)
{
	const char *claim;

	(void)state;
	frames("stopper", 300, "wait_for_completion flush_work qed_stop vfs_write");
	frames("worker", 301, "__mutex_lock qed_item process_one_work worker_thread");
	claim = lines_claim("task-chain");
	assert_non_null(strstr(claim, "Possible deadlock: thread 'worker' may wait for thread "
				      "'stopper', which waits for a work item"));
	assert_non_null(strstr(claim,
			       "thread 'worker' runs the work item qed_item; thread 'worker' "
			       "waits for a lock in qed_item, and thread 'stopper' is in a "
			       "function of the same subsystem (qed_*)"));
}

static void a_task_without_a_stack_hides_no_chain(void **state)
{
	(void)state;
	lines_add("INFO: task silent:299 blocked for more than 122 seconds.");
	frames("waiter", 300, "__mutex_lock qed_open vfs_open");
	frames("other", 301, "wait_for_completion qed_wait vfs_write");
	assert_non_null(strstr(lines_claim("task-chain"), "may wait for thread 'other'"));
}

static void the_first_256_tasks_are_compared(void **state)
{
	(void)state;
	for (unsigned int n = 255; n <= 256; n++) {
		for (unsigned int i = 0; i < n; i++)
			frames("reader", 300 + i, "io_schedule loft_read");
		frames("waiter", 9000, "__mutex_lock loft_open");
		assert_int_equal(lines_claim("task-chain")[0] == '\0', n == 256);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_hung_task_has_waited_more_than_the_printed_time),
		cmocka_unit_test(the_place_of_a_wait_is_past_functions_that_wait_for_any_caller),
		cmocka_unit_test(tasks_are_joined_by_what_their_stacks_have_in_common),
		cmocka_unit_test(a_flush_and_a_worker_that_wants_the_lock_may_deadlock),
		cmocka_unit_test(a_task_without_a_stack_hides_no_chain),
		cmocka_unit_test(the_first_256_tasks_are_compared),
		cmocka_unit_test(a_task_with_colons_in_its_name_is_one_thread),
		cmocka_unit_test(an_owner_that_is_printed_twice_is_one_thread),
		cmocka_unit_test(the_same_task_in_two_reports_is_two_snapshots),
		cmocka_unit_test(the_head_of_a_chain_is_the_finding),
		cmocka_unit_test(a_cycle_of_tasks_is_a_deadlock),
		cmocka_unit_test(a_task_that_waits_for_itself_is_a_deadlock),
		cmocka_unit_test(
			the_last_listed_lock_of_a_task_that_waits_for_one_is_the_wanted_one),
		cmocka_unit_test(one_waiter_is_a_finding_from_ten_seconds),
		cmocka_unit_test(owners_that_are_not_printed_say_nothing),
	};

	return cmocka_run_group_tests_name("hung_tasks", tests, NULL, NULL);
}
