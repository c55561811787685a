/* SPDX-License-Identifier: MIT */
/* Waits of threads: durations, wakers, kinds. */
#include "unit.h"

#include "analyses/waits/waits.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/symbols.h"
#include "document/document.h"
#include "formats/load.h"
#include "transform/off_cpu.h"
#include "transform/wall_clock.h"

#define SCHED        "sched:sched_switch: "
#define STACK(...)   "\tffffffff81000001 __schedule ([kernel.kallsyms])\n" __VA_ARGS__ "\n"
#define KERNEL(name) "\tffffffff81000002 " name " ([kernel.kallsyms])\n"
#define USER(name)   "\t401000 " name " (/bin/app)\n"

/* @text as perf script prints it; its switches become waits. */
static struct capture *waits_of_text(struct dossier *d, const char *text, struct off_cpu *ret)
{
	struct load_options options = { .fields = off_cpu_fields, .n_fields = off_cpu_n_fields };
	struct document *doc = NULL;
	struct error err = { "" };

	assert_int_equal(document_from_memory(str_of(text), NULL, &doc, &err), OK);
	assert_int_equal(load_document(d, doc, "in.script", &options, &err), OK);
	assert_int_equal(off_cpu_make(d, 0, ret, &err), OK);
	document_free(doc);
	assert_true(ret->is_done);
	return d->captures.data[0];
}

/*
 * `app` runs from 1 s to 3 s and waits for a lock until `b` wakes it at 5 s. It runs from 6 s on
 * and ends at 7 s.
 */
static const char one_wait[] =
	"other 9/9 [000] 1.000000000: 1 " SCHED "prev_comm=other prev_pid=9 prev_prio=120 "
	"prev_state=S ==> next_comm=app next_pid=7 next_prio=120\n\n"
	"app 7/7 [000] 3.000000000: 1 " SCHED "prev_comm=app prev_pid=7 prev_prio=120 "
	"prev_state=S ==> next_comm=other next_pid=9 next_prio=120\n" STACK(
		KERNEL("futex_wait") USER("pthread_mutex_lock") USER(
			"work")) "b 7/8 [001] 5.000000000: 1 sched:sched_waking: comm=app pid=7 "
				 "prio=120 target_cpu=000\n\n"
				 "other 9/9 [000] 6.000000000: 1 " SCHED
				 "prev_comm=other prev_pid=9 prev_prio=120 "
				 "prev_state=R ==> next_comm=app next_pid=7 next_prio=120\n\n"
				 "app 7/7 [000] 7.000000000: 1 " SCHED
				 "prev_comm=app prev_pid=7 prev_prio=120 "
				 "prev_state=X ==> next_comm=other next_pid=9 next_prio=120\n\n";

static void a_wait_ends_with_the_wake_up_and_then_it_waits_for_a_cpu(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct off_cpu found;
	struct capture *c = waits_of_text(d, one_wait, &found);
	struct waits w;

	(void)state;
	assert_int_equal(found.blocked_ns, 2000000000);
	assert_int_equal(found.runnable_ns, 1000000000);
	assert_int_equal(found.ran_ns, 3000000000);
	assert_int_equal(c->profile->samples.n, 2);
	assert_int_equal(c->profile->event_count, 3000000000);
	waits_compute(c, &w);
	assert_int_equal(w.kinds[WAIT_LOCK].ns, 2000000000);
	assert_int_equal(w.kinds[WAIT_CPU].ns, 1000000000);
	assert_int_equal(w.ran_ns, 3000000000);
	assert_int_equal(w.pairs.len, 1);
	assert_int_equal(w.pairs.data[0].tid, 7);
	assert_int_equal(w.pairs.data[0].by, 8);
	assert_int_equal(waits_busy_ns(waits_thread(&w, 7)), 6000000000);
	waits_fini(&w);
}

static void times_that_go_back_give_no_endless_waits(void **state)
{
	static const char text[] =
		"other 9/9 [000] 9.000000000: 1 " SCHED "prev_comm=other prev_pid=9 prev_prio=120 "
		"prev_state=S ==> next_comm=app next_pid=7 next_prio=120\n\n"
		"app 7/7 [000] 3.000000000: 1 " SCHED "prev_comm=app prev_pid=7 prev_prio=120 "
		"prev_state=S ==> next_comm=other next_pid=9 next_prio=120\n" STACK(
			KERNEL("futex_wait")
				USER("work")) "b 7/8 [001] 8.000000000: 1 sched:sched_waking: "
					      "comm=app pid=7 prio=1 target_cpu=0\n\n"
					      "other 9/9 [000] 2.000000000: 1 " SCHED
					      "prev_comm=other prev_pid=9 prev_prio=120 "
					      "prev_state=R ==> next_comm=app next_pid=7 "
					      "next_prio=120\n\n"
					      "app 7/7 [000] 1.000000000: 1 " SCHED
					      "prev_comm=app prev_pid=7 prev_prio=120 "
					      "prev_state=R ==> next_comm=other next_pid=9 "
					      "next_prio=120\n" STACK(USER("work"));
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct off_cpu found;
	struct waits w;

	(void)state;
	waits_compute(waits_of_text(d, text, &found), &w);
	assert_true(w.span_ns <= 8000000000);
	assert_true(w.ran_ns <= 8000000000);
	assert_true(found.blocked_ns <= 16000000000);
	assert_true(found.runnable_ns <= 16000000000);
	VEC_FOREACH (t, &w.threads)
		assert_true(t->life_ns <= 8000000000);
	waits_fini(&w);
}

static enum wait_kind kind_of(const char *frames)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct out text = { .fd = -1 };
	struct off_cpu found;
	struct waits w;
	enum wait_kind kind = WAIT_KINDS;

	out_printf(&text,
		   "app 7/7 [000] 3.000000000: 1 " SCHED "prev_comm=app prev_pid=7 prev_prio=120 "
		   "prev_state=S ==> next_comm=other next_pid=9 next_prio=120\n%s\n"
		   "other 9/9 [000] 6.000000000: 1 " SCHED "prev_comm=other prev_pid=9 prev_prio=1 "
		   "prev_state=R ==> next_comm=app next_pid=7 next_prio=120\n\n",
		   frames);
	out_char(&text, 0);
	waits_compute(waits_of_text(d, out_view(&text).p, &found), &w);
	for (unsigned int k = 0; k < WAIT_KINDS; k++) {
		if (w.kinds[k].n)
			kind = (enum wait_kind)k;
	}
	waits_fini(&w);
	out_fini(&text);
	return kind;
}

static void the_kind_of_a_wait_follows_from_its_stack(void **state)
{
	(void)state;
	assert_int_equal(kind_of(STACK(KERNEL("io_schedule") KERNEL("folio_wait_bit_common")
					       KERNEL("filemap_read") USER("load"))),
			 WAIT_DISK);
	assert_int_equal(kind_of(STACK(KERNEL("io_schedule") KERNEL("filemap_fault")
					       KERNEL("handle_mm_fault") USER("load"))),
			 WAIT_MEMORY);
	assert_int_equal(kind_of(STACK(KERNEL("do_nanosleep") USER("usleep"))), WAIT_SLEEP);
	assert_int_equal(kind_of(STACK(KERNEL("futex_do_wait") USER("serve"))), WAIT_FUTEX);
	assert_int_equal(kind_of(STACK(KERNEL("futex_do_wait") USER("pthread_cond_wait"))),
			 WAIT_CONDITION);
	assert_int_equal(kind_of(STACK(KERNEL("futex_do_wait") USER("__GI___lll_lock_wait"))),
			 WAIT_LOCK);
	assert_int_equal(kind_of(STACK(KERNEL("rwsem_down_read_slowpath") KERNEL("down_read")
					       KERNEL("do_user_addr_fault") USER("load"))),
			 WAIT_LOCK);
	assert_int_equal(kind_of(STACK(KERNEL("pipe_read") USER("read"))), WAIT_PEER);
	assert_int_equal(kind_of(STACK(KERNEL("do_epoll_wait") USER("loop"))), WAIT_EVENT);
	assert_int_equal(kind_of(STACK(KERNEL("__mutex_lock") KERNEL("perf_event_init_task")
					       KERNEL("copy_process") USER("clone3"))),
			 WAIT_OTHER);
	assert_int_equal(kind_of(""), WAIT_UNKNOWN);
}

/*
 * Python's queue.get() waits in a function that Python calls a lock; threads that wait there are
 * idle.
 */
static void a_condition_is_a_lock_only_inside_the_lock_of_a_runtime(void **state)
{
	(void)state;
	assert_int_equal(kind_of(STACK(KERNEL("futex_do_wait") USER("__new_sem_wait_slow64")
					       USER("PyThread_acquire_lock_timed")
						       USER("lock_PyThread_acquire_lock"))),
			 WAIT_CONDITION);
	assert_int_equal(kind_of(STACK(KERNEL("futex_do_wait") USER("pthread_cond_wait")
					       USER("Jobs::pop") USER("Table::Mutex::Lock"))),
			 WAIT_CONDITION);
	assert_int_equal(kind_of(STACK(KERNEL("futex_do_wait") USER("pthread_cond_timedwait")
					       USER("take_gil") USER("PyEval_RestoreThread"))),
			 WAIT_LOCK);
	assert_int_equal(kind_of(STACK(KERNEL("futex_do_wait") USER("pthread_cond_wait") USER(
				 "PlatformEvent::park") USER("ObjectMonitor::EnterI")
					       USER("ObjectMonitor::enter"))),
			 WAIT_LOCK);
	assert_int_equal(kind_of(STACK(KERNEL("futex_do_wait") USER("pthread_cond_wait") USER(
				 "PlatformEvent::park") USER("ObjectMonitor::wait"))),
			 WAIT_CONDITION);
}

static void the_wall_clock_is_running_and_waiting_together(void **state)
{
	static const char cycles[] = "app 7/7 [000] 1.500000000: 300 cycles: \n" USER(
		"work") "\n"
			"app 7/7 [000] 2.500000000: 700 cycles: \n" USER("rest") "\n";
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	uint64_t sums[WALL_STATES] = { 0 };
	struct out text = { .fd = -1 };
	struct error err = { "" };
	const struct capture *wall;
	struct off_cpu found;

	(void)state;
	out_printf(&text, "%s%s", one_wait, cycles);
	out_char(&text, 0);
	(void)waits_of_text(d, out_view(&text).p, &found);
	assert_int_equal(wall_clock_make(d, 0, &found, true, &err), OK);
	wall = d->captures.data[d->captures.len - 1];
	assert_true(wall_clock_is(wall));
	for (size_t i = 0; i < wall->profile->samples.n; i++) {
		const struct stacks *s = &wall->profile->stacks;
		enum wall_state said = WALL_NONE;

		for (uint32_t at = wall->profile->samples.stack.data[i].v; at && !said;
		     at = s->parent.data[at])
			said = wall_clock_state(&d->symbols, s->sym.data[at]);
		sums[said] += wall->profile->samples.weight.data[i];
	}
	assert_int_equal(sums[WALL_NONE], 0);
	/* running time comes from the switches: the cycles are scaled to 3 s */
	assert_int_equal(sums[WALL_RUNNING], 3000000000);
	assert_int_equal(sums[WALL_READY], 1000000000);
	assert_int_equal(sums[WALL_WAITING], 2000000000);
	assert_int_equal(wall->profile->event_count, 6000000000);
	for (size_t i = 0; i + 1 < d->captures.len; i++)
		assert_int_equal(d->captures.data[i]->excerpt_of, d->captures.len - 1);
	out_fini(&text);
}

/*
 * Sample 1 is the first switch that takes `app` off the CPU. Its wait has two parts: blocked, and
 * runnable.
 */
static void a_caller_that_may_be_missing_stays_so_in_waits_and_the_wall_clock(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct load_options options = { .fields = off_cpu_fields, .n_fields = off_cpu_n_fields };
	const struct samples *s;
	struct document *doc = NULL;
	struct error err = { "" };
	struct off_cpu found;
	struct profile *p;

	(void)state;
	assert_int_equal(document_from_memory(str_of(one_wait), NULL, &doc, &err), OK);
	assert_int_equal(load_document(d, doc, "in.script", &options, &err), OK);
	document_free(doc);
	p = d->captures.data[0]->profile;
	for (size_t i = 0; i < p->samples.n; i++)
		*VEC_PUSH(&p->samples.no_frame) = i == 1;
	assert_int_equal(off_cpu_make(d, 0, &found, &err), OK);
	s = &d->captures.data[0]->profile->samples;
	assert_int_equal(s->n, 2);
	assert_int_equal(s->no_frame.len, 2);
	assert_true(s->no_frame.data[0] && s->no_frame.data[1]);
	assert_int_equal(wall_clock_make(d, 0, &found, false, &err), OK);
	s = &d->captures.data[d->captures.len - 1]->profile->samples;
	assert_int_equal(s->no_frame.len, s->n);
	assert_true(s->no_frame.data[0]);
}

/* Expects @reason as the reason of a wait at @frames, and @shown as the frame that shows it. */
static void place_is(const char *frames, const char *reason, const char *shown)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct out text = { .fd = -1 };
	struct off_cpu found;
	struct wait_places places;
	const struct profile *p;
	struct capture *c;
	stack_id stack;

	out_printf(&text,
		   "app 7/7 [000] 3.000000000: 1 " SCHED "prev_comm=app prev_pid=7 prev_prio=120 "
		   "prev_state=S ==> next_comm=other next_pid=9 next_prio=120\n%s\n"
		   "other 9/9 [000] 6.000000000: 1 " SCHED "prev_comm=other prev_pid=9 prev_prio=1 "
		   "prev_state=R ==> next_comm=app next_pid=7 next_prio=120\n\n",
		   frames);
	out_char(&text, 0);
	c = waits_of_text(d, out_view(&text).p, &found);
	p = c->profile;
	stack = p->samples.stack.data[0];
	waits_places(c, &places);
	assert_string_equal(places.reason[stack.v], reason);
	stack = places.shown[stack.v];
	assert_string_equal(symbols_name(&d->symbols, p->stacks.sym.data[stack.v]).p, shown);
	off_cpu_name(c, places.reason, places.shown);
	assert_int_equal(p->samples.stack.data[0].v, stack.v);
	waits_places_fini(&places);
	out_fini(&text);
}

static void the_first_frame_that_says_something_is_shown(void **state)
{
	(void)state;
	place_is(STACK(KERNEL("schedule") KERNEL("anon_pipe_read") KERNEL("vfs_read") USER("read")),
		 "pipe", "anon_pipe_read");
	place_is(STACK(KERNEL("schedule") KERNEL("futex_do_wait") KERNEL("do_syscall_64")
			       USER("__lll_lock_wait") USER("pthread_mutex_lock") USER("work")),
		 "lock", "pthread_mutex_lock");
	/* without a known lock, only the system call is known */
	place_is(STACK(KERNEL("schedule") KERNEL("futex_do_wait") KERNEL("do_syscall_64")
			       USER("work")),
		 "futex", "futex_do_wait");
	place_is(STACK(KERNEL("schedule_timeout") KERNEL("do_select") USER("select")), "event",
		 "do_select");
	place_is(STACK(KERNEL("io_schedule") KERNEL("folio_wait_bit_common") USER("pread")), "disk",
		 "folio_wait_bit_common");
	place_is(STACK(KERNEL("schedule") KERNEL("tcp_recvmsg") USER("recv")), "network",
		 "tcp_recvmsg");
	/* only scheduler frames: the reason is unknown */
	place_is(STACK(KERNEL("schedule")), "unknown", "__schedule");
}

/* `app` leaves the CPU at 3 s, and exits at 7 s, without a switch to it in between. */
#define NO_END_FROM                                                                     \
	"app 7/7 [000] 3.000000000: 1 " SCHED "prev_comm=app prev_pid=7 prev_prio=120 " \
	"prev_state=S ==> next_comm=other next_pid=9 next_prio=120\n"                   \
	"\tffffffff81000001 __schedule ([kernel.kallsyms])\n"                           \
	"\tffffffff81000002 futex_wait ([kernel.kallsyms])\n\n"
#define NO_END_TO                                                                            \
	"app 7/7 [000] 7.000000000: 1 " SCHED "prev_comm=app prev_pid=7 prev_prio=120 "      \
	"prev_state=X ==> next_comm=other next_pid=9 next_prio=120\n\n"                      \
	"other 9/9 [000] 20.000000000: 1 " SCHED "prev_comm=other prev_pid=9 prev_prio=120 " \
	"prev_state=R ==> next_comm=b next_pid=8 next_prio=120\n\n"

static void a_wait_without_an_end_ends_where_its_thread_is_next_seen(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct off_cpu found;

	(void)state;
	(void)waits_of_text(
		d,
		NO_END_FROM
		"app 7/7 [000] 5.000000000: 1 cpu-clock:\n\t401000 work (/bin/app)\n\n" NO_END_TO,
		&found);
	assert_int_equal(found.blocked_ns, 2000000000);
	assert_int_equal(found.unseen, 1);
	assert_int_equal(found.open, 0);
	assert_int_equal(found.threads, 1);
}

static void a_thread_that_no_switch_shows_runs_from_its_first_to_its_last_sign(void **state)
{
	static const char text[] = NO_END_FROM
		"app 7/8 [001] 4.000000000: 1 cpu-clock:\n\t401000 work (/bin/app)\n\n"
		"app 7/8 [001] 6.500000000: 1 cpu-clock:\n\t401000 work (/bin/app)\n\n" NO_END_TO;
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct off_cpu found;
	struct capture *c = waits_of_text(d, text, &found);
	uint64_t ran_ns = 0;

	(void)state;
	VEC_FOREACH (r, &c->profile->ran)
		ran_ns += r->tid == 8 ? r->ran_ns : 0;
	assert_int_equal(ran_ns, 2500000000);
}

/*
 * Blocked nanoseconds of `app`, which leaves the CPU at 3 s and exits at @exit_s; `other` leaves
 * the CPU at 20 s.
 */
static uint64_t blocked_until_exit(uint64_t exit_s, struct off_cpu *found)
{
	static const char text[] = NO_END_FROM
		"other 9/9 [000] 20.000000000: 1 " SCHED "prev_comm=other prev_pid=9 prev_prio=120 "
		"prev_state=R ==> next_comm=b next_pid=8 next_prio=1\n\n";
	struct load_options options = { .fields = off_cpu_fields, .n_fields = off_cpu_n_fields };
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct document *doc = NULL;
	struct error err = { "" };

	assert_int_equal(document_from_memory(str_of(text), NULL, &doc, &err), OK);
	assert_int_equal(load_document(d, doc, "in.script", &options, &err), OK);
	document_free(doc);
	*VEC_PUSH(&d->captures.data[0]->profile->exits) =
		(struct profile_exit){ 7, exit_s * 1000000000 };
	assert_int_equal(off_cpu_make(d, 0, found, &err), OK);
	return found->blocked_ns;
}

static void an_exit_ends_a_wait_that_no_switch_ends(void **state)
{
	struct off_cpu found;

	(void)state;
	assert_int_equal(blocked_until_exit(5, &found), 2000000000);
	assert_int_equal(found.open, 0);
	/* blocked during its own exit: not a wait of the program */
	assert_int_equal(blocked_until_exit(3, &found), 0);
	assert_int_equal(blocked_until_exit(20, &found), 17000000000);
	assert_int_equal(found.open, 1);
}

static void a_wait_never_lasts_beyond_the_exit_of_its_thread(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct off_cpu found;

	(void)state;
	(void)waits_of_text(d, NO_END_FROM NO_END_TO, &found);
	assert_int_equal(found.blocked_ns, 4000000000);
	assert_int_equal(found.open, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_wait_without_an_end_ends_where_its_thread_is_next_seen),
		cmocka_unit_test(
			a_thread_that_no_switch_shows_runs_from_its_first_to_its_last_sign),
		cmocka_unit_test(an_exit_ends_a_wait_that_no_switch_ends),
		cmocka_unit_test(a_wait_never_lasts_beyond_the_exit_of_its_thread),
		cmocka_unit_test(a_wait_ends_with_the_wake_up_and_then_it_waits_for_a_cpu),
		cmocka_unit_test(the_wall_clock_is_running_and_waiting_together),
		cmocka_unit_test(times_that_go_back_give_no_endless_waits),
		cmocka_unit_test(the_kind_of_a_wait_follows_from_its_stack),
		cmocka_unit_test(a_condition_is_a_lock_only_inside_the_lock_of_a_runtime),
		cmocka_unit_test(the_first_frame_that_says_something_is_shown),
		cmocka_unit_test(a_caller_that_may_be_missing_stays_so_in_waits_and_the_wall_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
