/* SPDX-License-Identifier: MIT */
#include "base/vec.h"
#include "unit.h"

#include "texts.h"

#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/distribution.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "document/document.h"
#include "formats/load.h"

#include <stdarg.h>
#include <string.h>

/* A trace under construction. */
struct made {
	unsigned char b[4096];
	size_t n;
};

static void put_byte(struct made *m, unsigned int v)
{
	m->b[m->n++] = (unsigned char)v;
}

static void put(struct made *m, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		put_byte(m, (unsigned int)(v & 0x7f) | 0x80);
	put_byte(m, (unsigned int)v);
}

static void put_bytes(struct made *m, const void *bytes, size_t n)
{
	memcpy(m->b + m->n, bytes, n);
	m->n += n;
}

static void put_header(struct made *m, const char *text)
{
	put_bytes(m, (char[16]){ 0 }, 16);
	memcpy(m->b + m->n - 16, text, strlen(text));
}

/* An event of Go 1.11 to 1.21 with @n arguments: more than three have a length before them. */
static void old(struct made *m, unsigned int type, unsigned int n, ...)
{
	struct made args = { .n = 0 };
	va_list list;

	va_start(list, n);
	for (unsigned int i = 0; i < n; i++)
		put(&args, va_arg(list, uint64_t));
	va_end(list);
	put_byte(m, type | (n < 4 ? n - 1 : 3) << 6);
	if (n >= 4)
		put(m, args.n);
	put_bytes(m, args.b, args.n);
}

#define U(v) ((uint64_t)(v))

static void put_string(struct made *m, unsigned int type, uint64_t id, const char *text)
{
	put_byte(m, type);
	put(m, id);
	put(m, strlen(text));
	put_bytes(m, text, strlen(text));
}

/*
 * Goroutine 1 creates 2, waits on a channel until 2 wakes it, and ends. Goroutine 2 makes a system
 * call that blocks. One tick is a nanosecond. The clock of the second context is @skew ticks
 * behind.
 */
static void make_old(struct made *m, uint64_t skew, bool has_end)
{
	put_header(m, "go 1.19 trace");
	old(m, 1, 2, U(0), U(1000));            /* batch of context 0 */
	old(m, 13, 4, U(0), U(1), U(1), U(0));  /* create 1 */
	old(m, 38, 2, U(0), U(1));              /* start 1 */
	old(m, 13, 4, U(10), U(2), U(2), U(3)); /* create 2 at 1010 */
	old(m, 9, 2, U(5), U(0));               /* mark termination, from 1015 to 1035 */
	old(m, 10, 1, U(20));
	old(m, 23, 2, U(65), U(3));                     /* receive at 1100 */
	old(m, 1, 2, U(1), U(1050) - skew);             /* batch of context 1 */
	old(m, 14, 3, U(0), U(2), U(1));                /* start 2 at 1050 */
	old(m, 21, 4, U(150) + skew, U(1), U(2), U(0)); /* unblock 1 at 1200 */
	old(m, 28, 2, U(10), U(4));                     /* system call at 1210 */
	old(m, 30, 1, U(20));                           /* it blocks */
	old(m, 49, 5, U(0), U(1220), U(1), U(2), U(4)); /* sample of the CPU profiler */
	old(m, 1, 2, U(0), U(1190));
	old(m, 33, 2, U(10), U(4096));    /* heap size */
	old(m, 14, 3, U(50), U(1), U(3)); /* start 1 at 1250 */
	old(m, 15, 1, U(50));             /* end at 1300 */
	old(m, 1, 2, U(1), U(1280));
	old(m, 29, 4, U(10), U(2), U(2), U(1270)); /* return at 1270 */
	old(m, 38, 2, U(20), U(2));                /* start 2 at 1310 */
	old(m, 15, 1, U(40));                      /* end at 1350 */
	put_string(m, 37, 1, "runtime.main");
	put_string(m, 37, 2, "main.worker");
	put_string(m, 37, 3, "runtime.chanrecv1");
	put_string(m, 37, 4, "syscall.fsync");
	for (uint64_t i = 1; i <= 2; i++)
		old(m, 3, 6, i, U(1), U(0), i, U(0), U(7));
	old(m, 3, 10, U(3), U(2), U(0), U(3), U(0), U(8), U(0), U(1), U(0), U(9));
	old(m, 3, 10, U(4), U(2), U(0), U(4), U(0), U(8), U(0), U(2), U(0), U(9));
	if (has_end)
		old(m, 2, 1, U(1000000000));
}

static struct dossier *load(const struct made *m, int want)
{
	struct dossier *d = dossier_new();
	struct document *doc = NULL;

	assert_int_equal(
		document_from_memory((struct str){ (const char *)m->b, m->n }, NULL, &doc, NULL),
		OK);
	assert_int_equal(load_document(d, doc, "a.trace", NULL, NULL), want);
	document_free(doc);
	return d;
}

static str_id field(const struct profile *p, size_t field, size_t i)
{
	return (str_id){ p->samples.fields.data[field].values.data[i] };
}

/* Time of goroutine @tid in the state that Go calls @state. */
static uint64_t time_in(struct dossier *d, uint32_t tid, const char *state)
{
	const struct profile *p = d->captures.data[0]->profile;
	uint64_t ns = 0;

	for (size_t i = 0; i < p->samples.n; i++) {
		if (p->threads.data[p->samples.thread.data[i]].tid == tid &&
		    str_eq(strings_get(&d->strings, field(p, 3, i)), str_of(state)))
			ns += p->samples.weight.data[i];
	}
	return ns;
}

static void check_conserved(struct dossier *d)
{
	const struct profile *p = d->captures.data[0]->profile;

	VEC_FOREACH (t, &p->ran) {
		uint64_t sum = t->ran_ns;

		for (size_t i = 0; i < p->samples.n; i++)
			sum += p->threads.data[p->samples.thread.data[i]].tid == t->tid
				       ? p->samples.weight.data[i]
				       : 0;
		assert_int_equal(sum, t->to_ns - t->from_ns);
	}
}

static void states_of_an_old_trace_add_up_to_lives(void **state)
{
	struct made m = { .n = 0 };
	struct dossier *d;
	const struct profile *p;

	(void)state;
	make_old(&m, 0, true);
	d = load(&m, OK);
	p = d->captures.data[0]->profile;
	assert_int_equal(p->ran.len, 2);
	assert_int_equal(p->ran.data[0].ran_ns, 150);
	assert_int_equal(p->ran.data[1].ran_ns, 160 + 40);
	assert_int_equal(time_in(d, 1, "chan receive"), 100);
	assert_int_equal(time_in(d, 1, "unblocked"), 50);
	assert_int_equal(time_in(d, 2, "created"), 40);
	assert_int_equal(time_in(d, 2, "syscall"), 60);
	assert_int_equal(time_in(d, 2, "syscall exit"), 40);
	assert_int_equal(p->span_ns, 350);
	check_conserved(d);
	assert_int_equal(diag_get(&d->captures.data[0]->diag, "go-events-out-of-order"), 0);
	assert_int_equal(diag_get(&d->captures.data[0]->diag, "go-heap-events"), 1);
	dossier_free(d);
}

static void a_wait_has_its_stack_waker_and_reason(void **state)
{
	struct made m = { .n = 0 };
	struct dossier *d;
	const struct profile *p;
	stack_id at;

	(void)state;
	make_old(&m, 0, true);
	d = load(&m, OK);
	p = d->captures.data[0]->profile;
	/* samples are in the order in which their states end */
	assert_int_equal(p->samples.time_ns.data[1], 100);
	at = p->samples.stack.data[1];
	assert_str(symbols_name(&d->symbols, stacks_sym(&p->stacks, at)), "runtime.chanrecv1");
	at = stacks_parent(&p->stacks, at);
	assert_str(symbols_name(&d->symbols, stacks_sym(&p->stacks, at)), "runtime.main");
	at = stacks_parent(&p->stacks, at);
	assert_str(symbols_name(&d->symbols, stacks_sym(&p->stacks, at)), "main.main");
	assert_name(d, field(p, 0, 1), "blocked");
	assert_name(d, field(p, 1, 1), "main.worker");
	assert_name(d, field(p, 2, 1), "2");
	assert_name(d, field(p, 4, 1), "condition");
	/* the function near the leaf shows that the system call waits for a disk */
	assert_name(d, field(p, 3, 3), "syscall");
	assert_name(d, field(p, 4, 3), "disk");
	assert_name(d, field(p, 1, 3), "-");
	dossier_free(d);
}

static void numbers_order_events_if_clocks_differ(void **state)
{
	struct made m = { .n = 0 };
	struct dossier *d;

	(void)state;
	/* goroutine 2 seems to start 5 ns before it is created */
	make_old(&m, 45, true);
	d = load(&m, OK);
	assert_int_equal(time_in(d, 2, "created"), 0);
	assert_int_equal(time_in(d, 1, "chan receive"), 100);
	assert_int_equal(diag_get(&d->captures.data[0]->diag, "go-events-out-of-order"), 0);
	check_conserved(d);
	dossier_free(d);
}

static void pauses_and_cpu_samples_are_captures(void **state)
{
	struct made m = { .n = 0 };
	struct dossier *d;
	const struct profile *p;
	const struct distribution *dist;

	(void)state;
	make_old(&m, 0, true);
	d = load(&m, OK);
	assert_int_equal(d->captures.len, 3);
	p = d->captures.data[1]->profile;
	assert_name(d, p->event, "cpu-samples");
	assert_int_equal(p->samples.n, 1);
	assert_int_equal(p->samples.time_ns.data[0], 220);
	assert_int_equal(stacks_depth(&p->stacks, p->samples.stack.data[0]), 3);
	assert_int_equal(p->threads.data[p->samples.thread.data[0]].tid, 2);
	dist = d->captures.data[2]->distribution;
	assert_non_null(dist);
	assert_name(d, dist->series.data[0].key, "GC mark termination");
	assert_name(d, dist->series.data[0].name, "pause");
	assert_near(dist->buckets.data[0].low, 20, 0);
	dossier_free(d);
}

static void a_trace_without_its_clock_is_an_error(void **state)
{
	struct made m = { .n = 0 };

	(void)state;
	make_old(&m, 0, false);
	dossier_free(load(&m, ERR_FORMAT));
}

/* Events of Go 1.22 and later have no length. */
static void new (struct made *m, unsigned int type, unsigned int n, ...)
{
	va_list list;

	va_start(list, n);
	put_byte(m, type);
	for (unsigned int i = 0; i < n; i++)
		put(m, va_arg(list, uint64_t));
	va_end(list);
}

static void put_batch(struct made *m, uint64_t generation, uint64_t thread, uint64_t time,
		      const struct made *events)
{
	put_byte(m, 1);
	put(m, generation);
	put(m, thread);
	put(m, time);
	put(m, events->n);
	put_bytes(m, events->b, events->n);
}

static void put_tables(struct made *m, uint64_t generation)
{
	struct made strings = { .n = 0 }, stacks = { .n = 0 }, clock = { .n = 0 };

	put_byte(&strings, 4);
	put_string(&strings, 5, 1, "main.main");
	put_string(&strings, 5, 2, "sync.(*Mutex).Lock");
	put_string(&strings, 5, 3, "sync");
	put_string(&strings, 5, 4, "a reason of tomorrow");
	put_string(&strings, 5, 5, "GOMAXPROCS");
	put_batch(m, generation, UINT64_MAX, 0, &strings);
	put_byte(&stacks, 2);
	new (&stacks, 3, 10, U(1), U(2), U(90), U(2), U(0), U(5), U(91), U(1), U(0), U(6));
	put_batch(m, generation, UINT64_MAX, 0, &stacks);
	new (&clock, 8, 1, U(1000000000));
	put_batch(m, generation, UINT64_MAX, 0, &clock);
}

/*
 * Goroutine 1 runs on thread 70 and waits for a lock over a change of generations, until goroutine
 * 2 on thread 71 wakes it. Then it waits for a reason that no version of Go has.
 */
static void make_new(struct made *m, const char *version)
{
	struct made a = { .n = 0 }, b = { .n = 0 }, c = { .n = 0 };

	put_header(m, version);
	new (&a, 25, 4, U(0), U(1), U(70), U(2)); /* status of 1 at 1000: running */
	new (&a, 20, 3, U(100), U(3), U(1));      /* it waits for a lock at 1100 */
	put_batch(m, 1, 70, 1000, &a);
	new (&b, 25, 4, U(50), U(2), U(71), U(2)); /* status of 2 at 1050: running */
	new (&b, 26, 3, U(10), U(5), U(0));        /* the world stops at 1060 for 5 */
	new (&b, 27, 1, U(5));
	put_batch(m, 1, 71, 1000, &b);
	put_tables(m, 1);
	b.n = 0;
	new (&b, 25, 4, U(0), U(2), U(71), U(2));
	new (&b, 25, 4, U(0), U(1), UINT64_MAX, U(4)); /* 1 still waits */
	new (&b, 21, 4, U(300), U(1), U(1), U(0));     /* unblock at 1500 */
	new (&b, 17, 1, U(300));                       /* 2 ends at 1800 */
	put_batch(m, 2, 71, 1200, &b);
	new (&c, 16, 3, U(0), U(1), U(2));  /* start 1 at 1550 */
	new (&c, 22, 3, U(50), U(0), U(0)); /* system call from 1600 to 1650 */
	new (&c, 23, 1, U(50));
	new (&c, 20, 3, U(50), U(4), U(1)); /* wait at 1700 */
	put_batch(m, 2, 70, 1550, &c);
	put_tables(m, 2);
}

static void states_of_a_new_trace_last_over_generations(void **state)
{
	static const char *const versions[] = { "go 1.22 trace", "go 1.23 trace", "go 1.25 trace" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(versions); i++) {
		struct made m = { .n = 0 };
		struct dossier *d;
		const struct profile *p;

		make_new(&m, versions[i]);
		d = load(&m, OK);
		p = d->captures.data[0]->profile;
		assert_int_equal(time_in(d, 1, "sync"), 400);
		assert_name(d, field(p, 4, 0), "lock");
		assert_name(d, field(p, 2, 0), "2");
		assert_int_equal(time_in(d, 1, "unblocked"), 50);
		assert_int_equal(time_in(d, 1, "syscall"), 50);
		assert_int_equal(time_in(d, 1, "a reason of tomorrow"), 100);
		assert_int_equal(p->span_ns, 800);
		check_conserved(d);
		assert_int_equal(diag_get(&d->captures.data[0]->diag, "go-events-out-of-order"), 0);
		assert_int_equal(diag_get(&d->captures.data[0]->diag, "go-bad-events"), 0);
		/* a pause that is not of the collector has another name */
		assert_name(d, d->captures.data[1]->distribution->series.data[0].name, "stop");
		dossier_free(d);
	}
}

static void a_cut_generation_is_read_as_far_as_it_goes(void **state)
{
	struct made m = { .n = 0 };
	struct dossier *d;

	(void)state;
	make_new(&m, "go 1.23 trace");
	/* the tables of the second generation are missing: its times are known from the first one
	 */
	for (size_t tables = 0; tables + 16 < m.n; tables++) {
		if (m.b[m.n - 1 - tables] == 1 && m.b[m.n - tables] == 2 &&
		    m.b[m.n + 1 - tables] == 70) {
			m.n = m.n - 1 - tables;
			break;
		}
	}
	d = load(&m, OK);
	assert_int_equal(time_in(d, 1, "sync"), 400);
	assert_int_equal(diag_get(&d->captures.data[0]->diag, "go-unfinished"), 1);
	dossier_free(d);
}

static void events_without_their_predecessors_are_taken_and_counted(void **state)
{
	struct made m = { .n = 0 }, a = { .n = 0 };
	struct dossier *d;

	(void)state;
	put_header(&m, "go 1.22 trace");
	new (&a, 16, 3, U(10), U(1), U(7)); /* start of a goroutine that was never created */
	new (&a, 20, 3, U(90), U(3), U(1));
	new (&a, 200, 1, U(9)); /* no event */
	put_batch(&m, 1, 70, 1000, &a);
	put_tables(&m, 1);
	d = load(&m, OK);
	assert_int_equal(diag_get(&d->captures.data[0]->diag, "go-events-out-of-order"), 1);
	assert_int_equal(diag_get(&d->captures.data[0]->diag, "go-bad-events"), 1);
	assert_int_equal(d->captures.data[0]->profile->ran.data[0].ran_ns, 90);
	dossier_free(d);
}

static void other_versions_are_declined(void **state)
{
	struct made m = { .n = 0 };

	(void)state;
	put_header(&m, "go 1.7 trace");
	dossier_free(load(&m, ERR_UNSUPPORTED));
	m.n = 0;
	put_header(&m, "go 1.77 trace");
	dossier_free(load(&m, ERR_UNSUPPORTED));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(states_of_an_old_trace_add_up_to_lives),
		cmocka_unit_test(a_wait_has_its_stack_waker_and_reason),
		cmocka_unit_test(numbers_order_events_if_clocks_differ),
		cmocka_unit_test(pauses_and_cpu_samples_are_captures),
		cmocka_unit_test(a_trace_without_its_clock_is_an_error),
		cmocka_unit_test(states_of_a_new_trace_last_over_generations),
		cmocka_unit_test(a_cut_generation_is_read_as_far_as_it_goes),
		cmocka_unit_test(events_without_their_predecessors_are_taken_and_counted),
		cmocka_unit_test(other_versions_are_declined),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
