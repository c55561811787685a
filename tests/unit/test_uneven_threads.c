/* SPDX-License-Identifier: MIT */
/* The rule uneven-threads on both sides of its thresholds. */
#include "unit.h"

#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "core/dossier.h"
#include "document/document.h"
#include "formats/load.h"
#include "rule_says.h"
#include "transform/off_cpu.h"

#include <stdio.h>

/* clang-format off */
#define EVENTS       64
#define KERNEL(name) "\tffffffff80001000 " name " ([kernel.kallsyms])\n"
#define LIBC(name)   "\t7f0000001000 " name " (/lib/libc.so.6)\n"
#define APP(name)    "\t401000 " name " (/opt/mill/mill)\n"
#define FUTEX        KERNEL("schedule") KERNEL("futex_wait") KERNEL("__x64_sys_futex")
#define EPOLL        KERNEL("schedule") KERNEL("ep_poll") KERNEL("__x64_sys_epoll_wait")
#define POLL         KERNEL("schedule") KERNEL("do_sys_poll") KERNEL("__x64_sys_poll")
#define START        LIBC("start_thread") LIBC("clone3")
#define CONDITION    FUTEX LIBC("pthread_cond_wait") APP("grind") START
#define MUTEX        FUTEX LIBC("pthread_mutex_lock") APP("grind") START
/* clang-format on */

/*
 * A pool that exists for one second: threads 101, 102 and so on of process 100. Thread 101 waits
 * `waits` times for wait_ms, and runs in the rest of the second. Each other thread runs for
 * other_ms, waits at `others`, and last waits for a lock for locked_ms.
 */
struct mill {
	unsigned int threads;
	unsigned int waits;
	double wait_ms;
	double other_ms;
	double locked_ms;
	double from_ms;     /* the other threads exist from here on */
	const char *name;   /* of the threads; NULL: "mill" */
	bool is_numbered;   /* the number of the thread follows its name */
	const char *busy;   /* where thread 101 waits; NULL: CONDITION */
	const char *others; /* where the others wait; NULL: CONDITION */
	bool is_without_pid;
	bool is_woken_by_busy; /* thread 101 wakes the others */
	const char *said;
};

/* Events of a text, which is sorted by time. */
struct events {
	struct event {
		double ms;
		struct out text;
	} rows[EVENTS];
	size_t n;
};

static struct out *event_add(struct events *e, double ms)
{
	size_t at = e->n++;

	assert_true(e->n <= EVENTS);
	while (at && e->rows[at - 1].ms > ms)
		at--;
	memmove(&e->rows[at + 1], &e->rows[at], (e->n - 1 - at) * sizeof(*e->rows));
	e->rows[at] = (struct event){ .ms = ms, .text = { .fd = -1 } };
	return &e->rows[at].text;
}

static void events_print(struct events *e, struct out *o)
{
	for (size_t i = 0; i < e->n; i++) {
		out_str(o, out_view(&e->rows[i].text));
		out_fini(&e->rows[i].text);
	}
}

static void name_of(const struct mill *m, unsigned int i, char *ret, size_t size)
{
	const char *name = m->name ? m->name : "mill";

	if (m->is_numbered)
		(void)snprintf(ret, size, "%s%u", name, i);
	else
		(void)snprintf(ret, size, "%s", name);
}

static void leave(struct events *e, const struct mill *m, unsigned int i, double ms,
		  const char *stack)
{
	struct out *o = event_add(e, ms);
	char name[32];

	name_of(m, i, name, sizeof(name));
	if (m->is_without_pid)
		out_printf(o, "%s %u", name, 101 + i);
	else
		out_printf(o, "%s 100/%u", name, 101 + i);
	out_printf(o,
		   " [%03u] %.9f: 1 sched:sched_switch: prev_comm=%s prev_pid=%u prev_prio=120 "
		   "prev_state=S ==> next_comm=swapper/%u next_pid=0 next_prio=120\n%s\n",
		   i, 10 + ms / 1000, name, 101 + i, i, stack);
}

static void come(struct events *e, const struct mill *m, unsigned int i, double ms)
{
	struct out *o = event_add(e, ms);
	char name[32];

	name_of(m, i, name, sizeof(name));
	out_printf(o,
		   "swapper 0/0 [%03u] %.9f: 1 sched:sched_switch: prev_comm=swapper/%u prev_pid=0 "
		   "prev_prio=120 prev_state=R ==> next_comm=%s next_pid=%u next_prio=120\n\n",
		   i, 10 + ms / 1000, i, name, 101 + i);
}

static void wake(struct events *e, const struct mill *m, unsigned int i, double ms)
{
	struct out *o = event_add(e, ms);
	char name[32];

	name_of(m, i, name, sizeof(name));
	out_printf(o,
		   "mill 100/101 [000] %.9f: 1 sched:sched_waking: comm=%s pid=%u prio=120 "
		   "target_cpu=%03u\n\n",
		   10 + ms / 1000, name, 101 + i, i);
}

static void print(struct out *o, const struct mill *m)
{
	struct events events = { .n = 0 };
	const char *busy = m->busy ? m->busy : CONDITION;
	const char *others = m->others ? m->others : CONDITION;

	come(&events, m, 0, 0);
	for (unsigned int k = 0; k < m->waits; k++) {
		double at = 1000.0 / (m->waits + 1) * (k + 1) - m->wait_ms / 2;

		leave(&events, m, 0, at, busy);
		come(&events, m, 0, at + m->wait_ms);
	}
	leave(&events, m, 0, 1000, busy);
	for (unsigned int i = 1; i < m->threads; i++) {
		come(&events, m, i, m->from_ms);
		leave(&events, m, i, m->from_ms + m->other_ms, others);
		if (m->is_woken_by_busy)
			wake(&events, m, i, 999.9 - m->locked_ms);
		come(&events, m, i, 1000 - m->locked_ms);
		if (m->locked_ms > 0) {
			leave(&events, m, i, 1000 - m->locked_ms, MUTEX);
			come(&events, m, i, 1000);
		}
		leave(&events, m, i, 1000, others);
	}
	events_print(&events, o);
}

static bool says(const struct mill *m)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(document_freep) struct document *doc = NULL;
	struct load_options options = { .fields = off_cpu_fields, .n_fields = off_cpu_n_fields };
	struct off_cpu found;
	struct out text = { .fd = -1 };
	struct out is = { .fd = -1 };
	bool ret;

	print(&text, m);
	assert_int_equal(document_from_memory(out_view(&text), NULL, &doc, NULL), OK);
	assert_int_equal(load_document(d, doc, "in.script", &options, NULL), OK);
	assert_int_equal(off_cpu_make(d, 0, &found, NULL), OK);
	rule_says(d, STR("uneven-threads"), &is);
	ret = rule_says_in(out_view(&is), m->said);
	if (!ret)
		print_error("'%s' expected, is:\n" STR_FMT, m->said, STR_ARG(out_view(&is)));
	out_fini(&text);
	out_fini(&is);
	return ret;
}

#define MILL(n, n_waits, ms, other) \
	.threads = (n), .waits = (n_waits), .wait_ms = (ms), .other_ms = (other)
#define NOTE  "note 90 %: One thread has nearly all the work: 'mill' (101)"
#define WARNS "warning 90 %: Work is divided unevenly: 'mill' (101)"
#define CLEAN "clean: no pool has one busy thread among idle ones"
#define NONE  "clean: the recording has no pool of threads"

static const struct mill mills[] = {
	/* the busy thread has 90 % of the CPU time of the pool */
	{ MILL(3, 1, 10, 1), .said = NOTE " has 99.8 % of the CPU time of 3 threads of grind" },
	{ MILL(3, 1, 10, 55), .said = NOTE " has 90.0 %" },
	{ MILL(3, 1, 10, 55.1), .said = CLEAN },
	/* it is busy for 70 % of its time */
	{ MILL(3, 1, 300, 1), .said = NOTE "; is busy 70.0 %" },
	{ MILL(3, 1, 300.1, 1), .said = CLEAN },
	/* the others are idle for 80 % of theirs */
	{ MILL(3, 1, 10, 1), .locked_ms = 199,
	  .said = NOTE "; others idle, of their time, at least: 80 %" },
	{ MILL(3, 1, 10, 1), .locked_ms = 199.1, .said = CLEAN },
	/* three threads */
	{ MILL(2, 1, 10, 1), .said = NONE },
	/* they exist for half of the recording */
	{ MILL(3, 1, 10, 1), .from_ms = 500, .said = NOTE },
	{ MILL(3, 1, 10, 1), .from_ms = 500.1, .said = NONE },
	/* the busy thread waits for work ten times, the end of the recording included */
	{ MILL(3, 9, 1, 0.5),
	  .said = WARNS "; times the busy thread waited for work: 10; impact 99.9" },
	{ MILL(3, 8, 1, 0.5), .said = NOTE "; times the busy thread waited for work: 9" },
	/* it is busy for 80 %, and the others have 1 % of the CPU time */
	{ MILL(3, 10, 20, 0.5), .said = WARNS "; is busy 80.0 %" },
	{ MILL(3, 10, 20.1, 0.5), .said = NOTE "; is busy 79.9 %" },
	{ MILL(3, 10, 1, 5), .said = WARNS " has 99.0 %" },
	{ MILL(3, 10, 1, 5.1), .said = NOTE " has 99.0 %" },
	/* it waits for another thing than work */
	{ MILL(3, 9, 1, 0.5),
	  .busy = FUTEX LIBC("pthread_cond_wait") APP("flush") APP("grind") START,
	  .said = NOTE "; !times the busy thread" },
};

static void a_busy_thread_among_idle_equals_is_found(void **state)
{
	size_t wrong = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(mills); i++)
		wrong += !says(&mills[i]);
	assert_int_equal(wrong, 0);
}

static void threads_are_equals_by_their_names_or_start_functions(void **state)
{
	static const struct mill equals[] = {
		/* names that differ in a number, with other start functions */
		{ MILL(3, 1, 10, 1), .name = "wheel-", .is_numbered = true,
		  .busy = FUTEX LIBC("pthread_cond_wait") APP("turn") START,
		  .said = "note; 'wheel-0' (101) has 99.8 % of the CPU time of 3 threads "
			  "'wheel-N'" },
		/* one name with a number is a name of the program */
		{ MILL(3, 1, 10, 1), .name = "mill2", .said = "note; 3 threads of grind" },
		{ MILL(3, 1, 10, 1), .busy = FUTEX LIBC("pthread_cond_wait") APP("turn") START,
		  .said = NONE },
		/* the function that starts all threads of a virtual machine shows no pool */
		{ MILL(3, 1, 10, 1), .busy = FUTEX "\t401000 thread_entry (/lib/libjvm.so)\n" START,
		  .others = FUTEX "\t401000 thread_entry (/lib/libjvm.so)\n" START, .said = NONE },
		/* nor does an address */
		{ MILL(3, 1, 10, 1), .busy = FUTEX LIBC("pthread_cond_wait") APP("[unknown]") START,
		  .others = FUTEX LIBC("pthread_cond_wait") APP("[unknown]") START, .said = NONE },
		/* threads of unknown processes */
		{ MILL(3, 1, 10, 1), .is_without_pid = true, .said = NONE },
	};
	size_t wrong = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(equals); i++)
		wrong += !says(&equals[i]);
	assert_int_equal(wrong, 0);
}

static void only_waits_for_work_are_idle(void **state)
{
	static const struct mill waits[] = {
		{ MILL(3, 1, 10, 1), .others = EPOLL APP("grind") START, .said = NOTE },
		/* one connection each */
		{ MILL(3, 1, 10, 1), .others = POLL APP("grind") START, .said = CLEAN },
		/* a futex that is perhaps a lock, which the busy thread releases or not */
		{ MILL(3, 1, 10, 1), .others = FUTEX APP("grind") START, .said = NOTE },
		{ MILL(3, 1, 10, 1), .others = FUTEX APP("grind") START, .is_woken_by_busy = true,
		  .said = CLEAN },
		{ MILL(3, 1, 10, 1), .is_woken_by_busy = true, .said = NOTE },
	};
	size_t wrong = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(waits); i++)
		wrong += !says(&waits[i]);
	assert_int_equal(wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_busy_thread_among_idle_equals_is_found),
		cmocka_unit_test(threads_are_equals_by_their_names_or_start_functions),
		cmocka_unit_test(only_waits_for_work_are_idle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
