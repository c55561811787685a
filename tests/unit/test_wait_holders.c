/* SPDX-License-Identifier: MIT */
/* Threads that held up waiting threads, and the time of threads as a sum. */
#include "unit.h"

#include "analyses/waits/wait_holders.h"
#include "analyses/waits/waits.h"
#include "analyses/waits/wall_times.h"
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
#include "document/document.h"
#include "explain/explain.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "formats/load.h"
#include "transform/off_cpu.h"
#include "transform/wall_clock.h"

#define SECOND UINT64_C(1000000000)
/* clang-format off */
#define SWITCH          "sched:sched_switch: prev_comm="
#define LEFT(state)     " prev_prio=1 prev_state=" state " ==> next_comm=swapper next_pid=0 next_prio=1\n"
#define CAME(name, id)  " prev_prio=1 prev_state=R ==> next_comm=" name " next_pid=" id " next_prio=1\n\n"
#define WAKES(name, id) "sched:sched_waking: comm=" name " pid=" id " prio=120 target_cpu=000\n\n"
#define KERNEL(name)    "\tffffffff81000002 " name " ([kernel.kallsyms])\n"
#define USER(name)      "\t401000 " name " (/bin/app)\n"
#define LOCK            KERNEL("futex_wait") USER("pthread_mutex_lock") USER("take")
#define NAP             KERNEL("hrtimer_nanosleep") USER("nap")

/*
 * `a` (7) has the lock from the start. `b` (8) asks for the lock at 1 s, `c` (9) at 2 s. `a` sleeps
 * with the lock from 3 s to 4 s and hands it to `b` at 5 s. `b` gets a CPU at 5.5 s, has a sample
 * at 6 s and hands the lock to `c` at 7 s.
 */
static const char convoy[] =
	"a 7/7 [000] 0.500000000: 1 " SWITCH "a prev_pid=7" LEFT("S") KERNEL("pipe_read") "\n"
	"a 7/7 [000] 0.600000000: 1 " SWITCH "swapper prev_pid=0" CAME("a", "7")
	"b 7/8 [001] 1.000000000: 1 " SWITCH "b prev_pid=8" LEFT("S") LOCK "\n"
	"c 7/9 [001] 2.000000000: 1 " SWITCH "c prev_pid=9" LEFT("S") LOCK "\n"
	"a 7/7 [000] 3.000000000: 1 " SWITCH "a prev_pid=7" LEFT("S") NAP "\n"
	"swapper 0/0 [000] 4.000000000: 1 " SWITCH "swapper prev_pid=0" CAME("a", "7")
	"a 7/7 [000] 5.000000000: 1 " WAKES("b", "8")
	"swapper 0/0 [001] 5.500000000: 1 " SWITCH "swapper prev_pid=0" CAME("b", "8")
	"b 7/8 [001] 6.000000000: 1 cpu-clock:\n" USER("crunch") "\n"
	"b 7/8 [001] 7.000000000: 1 " WAKES("c", "9")
	"swapper 0/0 [002] 7.100000000: 1 " SWITCH "swapper prev_pid=0" CAME("c", "9")
	"a 7/7 [000] 8.000000000: 1 " SWITCH "a prev_pid=7" LEFT("X") "\n"
	"b 7/8 [001] 8.000000000: 1 " SWITCH "b prev_pid=8" LEFT("X") "\n"
	"c 7/9 [002] 8.000000000: 1 " SWITCH "c prev_pid=9" LEFT("X") "\n";

/* `b` waits for a lock, but nothing says who woke it up. `c` holds the lock next. */
static const char no_waker[] =
	"b 7/8 [001] 1.000000000: 1 " SWITCH "b prev_pid=8" LEFT("S") LOCK "\n"
	"c 7/9 [001] 2.000000000: 1 " SWITCH "c prev_pid=9" LEFT("S") LOCK "\n"
	"swapper 0/0 [001] 5.500000000: 1 " SWITCH "swapper prev_pid=0" CAME("b", "8")
	"b 7/8 [001] 7.000000000: 1 " WAKES("c", "9")
	"swapper 0/0 [002] 7.100000000: 1 " SWITCH "swapper prev_pid=0" CAME("c", "9")
	"b 7/8 [001] 8.000000000: 1 " SWITCH "b prev_pid=8" LEFT("X") "\n"
	"c 7/9 [002] 8.000000000: 1 " SWITCH "c prev_pid=9" LEFT("X") "\n";

/* `a` waits for 1 s at each of two places; meanwhile no other thread runs. */
static const char quiet[] =
	"a 7/7 [000] 1.000000000: 1 " SWITCH "a prev_pid=7" LEFT("S") KERNEL("pipe_read") USER("first") "\n"
	"swapper 0/0 [000] 2.000000000: 1 " SWITCH "swapper prev_pid=0" CAME("a", "7")
	"a 7/7 [000] 3.000000000: 1 " SWITCH "a prev_pid=7" LEFT("S") KERNEL("pipe_read") USER("second") "\n"
	"swapper 0/0 [000] 4.000000000: 1 " SWITCH "swapper prev_pid=0" CAME("a", "7")
	"a 7/7 [000] 5.000000000: 1 " SWITCH "a prev_pid=7" LEFT("X") "\n";

/* clang-format on */

/* The waits of @text, which perf script printed. With @lock, all of them wait for this lock. */
static struct capture *waits_of(struct dossier *d, const char *text, const char *lock)
{
	struct load_options options = { .fields = off_cpu_fields, .n_fields = off_cpu_n_fields };
	struct document *doc = NULL;
	struct error err = { "" };
	struct wait_places places;
	struct off_cpu found;
	struct capture *c = NULL;

	assert_int_equal(document_from_memory(str_of(text), NULL, &doc, &err), OK);
	assert_int_equal(load_document(d, doc, "in.script", &options, &err), OK);
	assert_int_equal(off_cpu_make(d, 0, &found, &err), OK);
	document_free(doc);
	VEC_FOREACH (one, &d->captures) {
		if (off_cpu_has_waits(*one))
			c = *one;
	}
	assert_non_null(c);
	waits_places(c, &places);
	off_cpu_name(c, places.reason, places.shown);
	waits_places_fini(&places);
	for (size_t i = 0; lock && i < c->profile->samples.n; i++)
		profile_set_field(c->profile, i, strings_add(&d->strings, STR("lock")),
				  strings_add(&d->strings, str_of(lock)));
	return c;
}

/* Time for which `waiter` was held up by thread @tid in @state at @place. */
static uint64_t held(const struct capture *c, const struct wait_holders *h, const char *waiter,
		     uint32_t tid, enum holder_state state, const char *place)
{
	const struct symbols *symbols = capture_symbols(c);
	uint64_t ns = 0;

	VEC_FOREACH (row, &h->rows) {
		struct str name = row->holder_at.place.v
					  ? symbols_name(symbols, row->holder_at.place)
					  : STR_NONE;

		if (str_eq(strings_get(capture_strings(c), row->comm), str_of(waiter)) &&
		    row->holder_tid == tid && row->state == state && str_eq(name, str_of(place)))
			ns += row->ns;
	}
	return ns;
}

static uint64_t sum_of(const struct wait_holders *h)
{
	uint64_t ns = 0;

	VEC_FOREACH (row, &h->rows)
		ns += row->ns;
	return ns;
}

static void each_holder_has_its_part_of_a_wait_for_a_known_lock(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct capture *c = waits_of(d, convoy, "7:1000");
	struct wait_holders h;

	(void)state;
	wait_holders_compute(c, wall_clock_cpu(d, c), &h);
	assert_true(h.has_locks);
	assert_int_equal(held(c, &h, "b", 7, HOLDER_RUNNING, ""), 3 * SECOND);
	assert_int_equal(held(c, &h, "b", 7, HOLDER_WAITING, "nap"), SECOND);
	assert_int_equal(held(c, &h, "c", 7, HOLDER_RUNNING, ""), 2 * SECOND);
	assert_int_equal(held(c, &h, "c", 7, HOLDER_WAITING, "nap"), SECOND);
	assert_int_equal(held(c, &h, "c", 8, HOLDER_READY, "take"), SECOND / 2);
	assert_int_equal(held(c, &h, "c", 8, HOLDER_RUNNING, "crunch"), 3 * SECOND / 2);
	assert_int_equal(sum_of(&h), h.total_ns);
	wait_holders_fini(&h);
}

static void the_finding_names_the_holder_and_what_it_did(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	(void)waits_of(d, convoy, "7:1000");
	CLEANUP(facts_freep) struct facts *facts = facts_new(d);
	CLEANUP(findings_fini) struct findings f = { .rows = VEC_INIT };
	const struct finding *found = NULL;

	(void)state;
	explain_run(facts, NULL, &f);
	VEC_FOREACH (row, &f.rows) {
		if (strcmp(row->rule->id, "waiting-lock") == 0)
			found = row;
	}
	assert_non_null(found);
	assert_true(str_contains(found->claim,
				 STR(", 77.8 % of it held by 'a' (7), which mostly ran; ")));
	assert_true(str_contains(found->evidence.data[2].text,
				 STR("'a' (7) held the lock for 5 s (55.6 %), and ran")));
	assert_true(str_contains(
		found->evidence.data[3].text,
		STR("'a' (7) held the lock for 2 s (22.2 %), and slept: hrtimer_nanosleep")));
}

static void without_the_lock_the_waker_counts_for_the_whole_wait(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct capture *c = waits_of(d, convoy, NULL);
	struct wait_holders h;

	(void)state;
	wait_holders_compute(c, wall_clock_cpu(d, c), &h);
	assert_false(h.has_locks);
	assert_int_equal(held(c, &h, "c", 8, HOLDER_WAITING, "take"), 3 * SECOND);
	assert_int_equal(held(c, &h, "c", 8, HOLDER_RUNNING, "crunch"), 3 * SECOND / 2);
	assert_int_equal(sum_of(&h), h.total_ns);
	wait_holders_fini(&h);
}

/*
 * With the lock, the next hand-over after the start of a wait says who held the lock. If this was
 * the waiting thread itself, or there is none, nobody is known.
 */
static void a_wait_without_a_hand_over_has_no_holder(void **state)
{
	(void)state;
	for (int has_lock = 0; has_lock < 2; has_lock++) {
		CLEANUP(dossier_freep) struct dossier *d = dossier_new();
		struct capture *c = waits_of(d, no_waker, has_lock ? "7:1000" : NULL);
		struct wait_holders h;

		wait_holders_compute(c, wall_clock_cpu(d, c), &h);
		assert_int_equal(h.has_locks, has_lock);
		assert_int_equal(held(c, &h, "b", 0, HOLDER_UNKNOWN, ""), 9 * SECOND / 2);
		/* `b` itself waits for the lock until 5.5 s */
		assert_int_equal(held(c, &h, "c", 8, HOLDER_WAITING, "take"), 7 * SECOND / 2);
		assert_int_equal(held(c, &h, "c", 8, HOLDER_RUNNING, ""), 3 * SECOND / 2);
		assert_int_equal(sum_of(&h), h.total_ns);
		wait_holders_fini(&h);
	}
}

/* Samples that are no waits, and waits without times. */
static void other_samples_have_no_holders(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct capture *c = waits_of(d, convoy, NULL);
	const struct capture *cpu = wall_clock_cpu(d, c);
	struct wait_holders h;

	(void)state;
	wait_holders_compute(cpu, NULL, &h);
	assert_int_equal(h.rows.len, 0);
	assert_int_equal(h.waits, 0);
	wait_holders_fini(&h);
	c->profile->samples.time_ns.len = 0;
	wait_holders_compute(c, cpu, &h);
	assert_int_equal(h.rows.len, 0);
	assert_int_equal(h.total_ns, 0);
	wait_holders_fini(&h);
}

static void the_times_of_a_thread_add_up_to_its_life(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct capture *c = waits_of(d, convoy, "7:1000");
	struct wall_times times;
	struct waits w;

	(void)state;
	waits_compute(c, &w);
	wall_times_compute(c, &w, &times);
	assert_int_equal(times.rows.len, 3);
	VEC_FOREACH (row, &times.rows) {
		uint64_t sum = row->ran_ns + row->rest_ns;

		for (unsigned int k = 0; k < WAIT_KINDS; k++)
			sum += row->kinds[k];
		assert_int_equal(sum, row->life_ns);
	}
	assert_int_equal(times.all.kinds[WAIT_LOCK], 9 * SECOND);
	assert_int_equal(times.all.kinds[WAIT_SLEEP], SECOND);
	wall_times_fini(&times);
	waits_fini(&w);
}

static void of_two_quiet_places_with_equal_times_the_first_is_shown(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct capture *c = waits_of(d, quiet, NULL);
	const struct stacks *stacks = &c->profile->stacks;
	struct waits w;
	stack_id at;

	(void)state;
	waits_compute(c, &w);
	assert_int_equal(w.quiet.n, 2);
	assert_int_equal(w.quiet.stack_ns, SECOND);
	at = w.quiet.stack;
	while (at.v &&
	       !str_eq(symbols_name(capture_symbols(c), stacks_sym(stacks, at)), STR("first")))
		at = stacks_parent(stacks, at);
	assert_true(at.v);
	waits_fini(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_two_quiet_places_with_equal_times_the_first_is_shown),
		cmocka_unit_test(each_holder_has_its_part_of_a_wait_for_a_known_lock),
		cmocka_unit_test(the_finding_names_the_holder_and_what_it_did),
		cmocka_unit_test(without_the_lock_the_waker_counts_for_the_whole_wait),
		cmocka_unit_test(the_times_of_a_thread_add_up_to_its_life),
		cmocka_unit_test(a_wait_without_a_hand_over_has_no_holder),
		cmocka_unit_test(other_samples_have_no_holders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
