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

int main(void)
{
	const struct CMUnitTest tests[] = {
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
