/* SPDX-License-Identifier: MIT */
/* Waits of traces in which switches are missing: excerpts, lost events, other CPUs. */
#include "unit.h"

#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/strings.h"
#include "document/document.h"
#include "formats/load.h"
#include "transform/off_cpu.h"

#define MS UINT64_C(1000000)

/* A switch of CPU @cpu at @ms from thread @from, in state @state, to thread @to. */
static void put(struct out *o, unsigned int ms, unsigned int cpu, unsigned int from, char state,
		unsigned int to)
{
	out_printf(
		o,
		"t%u %u/%u [%03u] %u.%03u000000: 1 sched:sched_switch: prev_comm=t%u prev_pid=%u "
		"prev_prio=120 prev_state=%c ==> next_comm=t%u next_pid=%u next_prio=120\n\n",
		from, from, from, cpu, 1 + ms / 1000, ms % 1000, from, from, state, to, to);
}

/* The waits of the switches in @o, which is freed. */
static struct profile *waits_of(struct dossier *d, struct out *o, struct off_cpu *ret)
{
	struct load_options options = { .fields = off_cpu_fields, .n_fields = off_cpu_n_fields };
	struct document *doc = NULL;
	struct error err = { "" };
	struct str text = { o->data, o->len };

	assert_int_equal(document_from_memory(text, NULL, &doc, &err), OK);
	assert_int_equal(load_document(d, doc, "in.script", &options, &err), OK);
	assert_int_equal(off_cpu_make(d, 0, ret, &err), OK);
	document_free(doc);
	out_fini(o);
	assert_true(ret->is_done);
	return d->captures.data[0]->profile;
}

static uint64_t ran_ns(const struct profile *p, uint32_t tid)
{
	VEC_FOREACH (r, &p->ran) {
		if (r->tid == tid)
			return r->ran_ns;
	}
	return UINT64_MAX;
}

/* @n switches of CPU 0, of which @gaps follow a missing one. */
static uint64_t unlinked(unsigned int n, unsigned int gaps)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct off_cpu found;
	struct out o;
	unsigned int runs = 1;

	out_init(&o);
	for (unsigned int i = 0; i < n; i++) {
		/* with a gap, the switches from the running thread and to the next one are missing
		 */
		unsigned int from = i % 7 == 3 && gaps && gaps-- ? runs % 3 + 1 : runs;

		put(&o, i, 0, from, 'S', from % 3 + 1);
		runs = from % 3 + 1;
	}
	return waits_of(d, &o, &found)->switches.unlinked;
}

static void a_trace_is_an_excerpt_if_one_switch_of_twenty_follows_a_missing_one(void **state)
{
	(void)state;
	assert_int_equal(unlinked(100, 0), 0);
	assert_int_equal(unlinked(100, 4), 0);
	assert_int_equal(unlinked(100, 5), 5);
	assert_int_equal(unlinked(100, 10), 10);
}

static void a_recording_of_one_process_has_no_gaps(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct off_cpu found;
	struct out o;
	const struct profile *p;

	(void)state;
	out_init(&o);
	/* only its own switches away from a CPU; who follows is never seen to leave */
	for (unsigned int i = 0; i < 40; i++)
		put(&o, 10 * i, i % 2, 7, 'S', 90 + i % 5);
	p = waits_of(d, &o, &found);
	assert_int_equal(p->switches.unlinked, 0);
	assert_int_equal(p->switches.uncounted, 0);
}

/*
 * Thread 7 is preempted for 1 ms @runs times, then for 20 ms; threads 8 and 9 leave and get the CPU
 * unseen in between. Returns the time that thread 7 waited.
 */
static uint64_t waited_over_gaps(unsigned int runs, struct profile_switches *ret)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct off_cpu found;
	struct out o;
	const struct profile *p;
	unsigned int ms = 0;

	out_init(&o);
	put(&o, ms++, 0, 8, 'S', 7);
	for (unsigned int i = 0; i < runs; i++) {
		/* thread 9 got the CPU from thread 8 unseen: a gap */
		put(&o, ms++, 0, 7, 'R', 8);
		put(&o, ms++, 0, 9, 'S', 7);
	}
	put(&o, ms, 0, 7, 'R', 8);
	put(&o, ms + 20, 0, 9, 'S', 7);
	p = waits_of(d, &o, &found);
	*ret = p->switches;
	return found.runnable_ns;
}

static void waits_over_gaps_count_for_threads_without_a_missing_switch(void **state)
{
	struct profile_switches s;

	(void)state;
	/* the last run has no end in the trace: this one and those before are whole */
	assert_int_equal(waited_over_gaps(6, &s), 0);
	assert_int_equal(s.uncounted, 7 + 7); /* of thread 7, and of thread 8 */
	assert_int_equal(waited_over_gaps(7, &s), 27 * MS);
	assert_int_equal(s.uncounted, 8);
}

static void a_thread_that_left_a_cpu_unseen_ran_only_as_long_as_was_seen(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct off_cpu found;
	struct out o;
	const struct profile *p;

	(void)state;
	out_init(&o);
	put(&o, 0, 0, 8, 'S', 7);
	put(&o, 4, 0, 7, 'S', 8); /* ran for 4 ms */
	put(&o, 10, 0, 8, 'S', 7);
	put(&o, 50, 0, 9, 'S', 8); /* 7 left between 10 ms and 50 ms */
	put(&o, 60, 0, 8, 'S', 7);
	put(&o, 61, 0, 7, 'S', 9); /* ran for 1 ms */
	put(&o, 70, 0, 9, 'S', 8);
	p = waits_of(d, &o, &found);
	assert_int_equal(ran_ns(p, 7), 5 * MS);
	assert_int_equal(ran_ns(p, 8), 16 * MS);
	/* unknown when 9 began to run before it left at 50 ms: then only from 61 ms on */
	assert_int_equal(ran_ns(p, 9), 9 * MS);
}

static void a_gap_does_not_end_a_run_on_another_cpu(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct off_cpu found;
	struct out o;
	const struct profile *p;

	(void)state;
	out_init(&o);
	put(&o, 0, 0, 8, 'S', 7);
	put(&o, 10, 1, 6, 'S', 7); /* it has left CPU 0 unseen */
	put(&o, 20, 0, 9, 'S', 8);
	put(&o, 30, 1, 7, 'S', 6);
	p = waits_of(d, &o, &found);
	assert_int_equal(ran_ns(p, 7), 20 * MS);
}

/* ns of waiting of thread 7, which is preempted at 2 ms and not seen again; the trace ends at 9 ms
 */
static uint64_t preempted_to_the_end(bool has_cpu_0, struct profile_switches *ret)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct off_cpu found;
	struct out o;

	out_init(&o);
	put(&o, 0, 1, 8, 'S', 7);
	put(&o, 2, 1, 7, 'R', 8);
	put(&o, 9, has_cpu_0 ? 0 : 1, has_cpu_0 ? 6 : 8, 'S', 5);
	*ret = waits_of(d, &o, &found)->switches;
	return found.runnable_ns;
}

static void a_preempted_thread_may_run_on_a_cpu_that_the_trace_lacks(void **state)
{
	struct profile_switches s;

	(void)state;
	assert_int_equal(preempted_to_the_end(true, &s), 7 * MS);
	assert_false(s.misses_cpus);
	assert_int_equal(preempted_to_the_end(false, &s), 0);
	assert_true(s.misses_cpus);
	assert_int_equal(s.cpus, 1);
	assert_int_equal(s.numbers, 2);
	assert_int_equal(s.uncounted, 1);
}

static void events_of_exiting_tasks_are_no_thread(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct off_cpu found;
	struct out o;
	const struct profile *p;

	(void)state;
	out_init(&o);
	put(&o, 0, 0, 8, 'S', 7);
	out_str(&o, STR(":-1 -1/-1 [000] 1.002000000: 1 sched:sched_switch: prev_comm=t7 "
			"prev_pid=7 prev_prio=120 prev_state=X ==> next_comm=t8 next_pid=8 "
			"next_prio=120\n\n"));
	put(&o, 9, 0, 8, 'S', 7);
	p = waits_of(d, &o, &found);
	assert_int_equal(ran_ns(p, UINT32_MAX), UINT64_MAX);
	assert_int_equal(ran_ns(p, 8), 7 * MS);
}

static void a_thread_without_a_name_has_the_one_of_its_switches(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct off_cpu found;
	struct out o;
	const struct profile *p;

	(void)state;
	out_init(&o);
	out_str(&o, STR(":7 7/7 [000] 1.000000000: 1 sched:sched_switch: prev_comm=meter "
			"prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=t8 next_pid=8 "
			"next_prio=120\n\n"));
	put(&o, 9, 0, 8, 'S', 7);
	p = waits_of(d, &o, &found);
	assert_true(str_eq(strings_get(&d->strings, p->threads.data[0].comm), STR("meter")));
	assert_true(str_eq(strings_get(&d->strings, p->threads.data[1].comm), STR("t8")));
}

/* Thread 7 is preempted by thread 8, which has the priority @prio: check the `runner` of its wait.
 */
static void runner_is(const char *from, unsigned int prio, const char *expected)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct off_cpu found;
	struct out o;
	const struct profile *p;
	const struct sample_field *f = NULL;

	out_init(&o);
	put(&o, 0, 0, 7, 'R', 8);
	out_printf(&o,
		   "%s 8/8 [000] 1.009000000: 1 sched:sched_switch: prev_comm=x prev_pid=8 "
		   "prev_prio=%u prev_state=S ==> next_comm=t7 next_pid=7 next_prio=120\n\n",
		   from, prio);
	p = waits_of(d, &o, &found);
	VEC_FOREACH (each, &p->samples.fields) {
		if (str_eq(strings_get(&d->strings, each->name), STR("runner")))
			f = each;
	}
	assert_non_null(f);
	assert_int_equal(found.runnable_ns, 9 * MS);
	assert_true(
		str_eq(strings_get(&d->strings, (str_id){ f->values.data[0] }), str_of(expected)));
}

static void a_runnable_thread_waits_for_the_one_that_has_its_cpu(void **state)
{
	(void)state;
	runner_is("audio", 120, "audio");
	runner_is("audio", 100, "audio");
	runner_is("audio", 99, "audio (priority 99)");
	runner_is("audio", 0, "audio (priority 0)");
	runner_is(":8", 120, "x");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_trace_is_an_excerpt_if_one_switch_of_twenty_follows_a_missing_one),
		cmocka_unit_test(a_recording_of_one_process_has_no_gaps),
		cmocka_unit_test(waits_over_gaps_count_for_threads_without_a_missing_switch),
		cmocka_unit_test(a_thread_that_left_a_cpu_unseen_ran_only_as_long_as_was_seen),
		cmocka_unit_test(a_gap_does_not_end_a_run_on_another_cpu),
		cmocka_unit_test(a_preempted_thread_may_run_on_a_cpu_that_the_trace_lacks),
		cmocka_unit_test(events_of_exiting_tasks_are_no_thread),
		cmocka_unit_test(a_thread_without_a_name_has_the_one_of_its_switches),
		cmocka_unit_test(a_runnable_thread_waits_for_the_one_that_has_its_cpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
