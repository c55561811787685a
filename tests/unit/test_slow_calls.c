/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "analyses/calls/calls_summary.h"
#include "analyses/categories.h"
#include "analyses/slow/slow_calls.h"
#include "analyses/tracer/tracer_cost.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/symbols.h"
#include "document/document.h"
#include "formats/load.h"
#include "seeds.h"

#define PLANT_TRACES 30u
#define PLANT_CALLS  60u

/* The defect that is planted in one call of a generated trace. */
enum plant {
	PLANT_NOTHING,
	PLANT_OWN_TIME,
	PLANT_DEEP_CHILD,
	PLANT_RARE_PATH,
	PLANT_MORE_CALLS,
	PLANT_SLEEP,
	PLANT_INTERRUPT,
	PLANT_HIDDEN_INTERRUPT,
	PLANT_REFILL,
	PLANT_LOSS,
	PLANT_SPREAD,
	PLANTS,
};

struct planter {
	struct out text;
	uint64_t random;
	enum plant plant;
	unsigned int line;
	unsigned int depth;
	unsigned int planted_line; /* first line of the slow call */
	const char *mark;          /* line of an event in the slow call, before its callee "copy" */
};

static unsigned int planter_random(struct planter *p, unsigned int below)
{
	p->random = p->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned int)(p->random >> 33) % below;
}

/* Work that takes up to a third longer in some calls. */
static unsigned int planter_work(struct planter *p, unsigned int ns)
{
	return ns + planter_random(p, ns / 3 + 1);
}

static unsigned int planter_cost(struct planter *p)
{
	return 230 + planter_random(p, 20);
}

static void planter_line(struct planter *p, unsigned int ns, const char *name, const char *end)
{
	if (ns)
		out_printf(&p->text, " 0) %5u.%03u us  |  ", ns / 1000, ns % 1000);
	else
		out_z(&p->text, " 0)               |  ");
	for (unsigned int i = 0; i < p->depth; i++)
		out_z(&p->text, "  ");
	out_printf(&p->text, "%s%s\n", name, end);
	p->line++;
}

/* A leaf; returns the time it adds to its caller. */
static unsigned int planter_leaf(struct planter *p, const char *name, unsigned int work)
{
	unsigned int ns = 30 + planter_work(p, work);

	planter_line(p, ns, name, "();");
	return ns + planter_cost(p);
}

static void planter_open(struct planter *p, const char *name)
{
	planter_line(p, 0, name, "() {");
	p->depth++;
}

static unsigned int planter_close(struct planter *p, unsigned int ns)
{
	p->depth--;
	planter_line(p, ns, "}", "");
	return ns + planter_cost(p);
}

/* lookup calls walk, which calls compare; the deep child is compare. */
static unsigned int planter_lookup(struct planter *p, bool is_slow)
{
	unsigned int ns = 30 + planter_work(p, 40);
	unsigned int below;

	planter_open(p, "lookup");
	ns += planter_leaf(p, "hash", 20);
	planter_open(p, "walk");
	below = 30 + planter_work(p, 30);
	below += planter_leaf(p, "compare", is_slow && p->plant == PLANT_DEEP_CHILD ? 40000 : 60);
	below += planter_leaf(p, "advance", 10);
	ns += planter_close(p, below);
	return planter_close(p, ns);
}

static unsigned int planter_events(struct planter *p)
{
	unsigned int ns = 0;
	unsigned int below;

	switch (p->plant) {
	case PLANT_RARE_PATH:
		planter_open(p, "rebuild_table");
		below = 30 + planter_work(p, 20000);
		below += planter_leaf(p, "hash", 20);
		return planter_close(p, below);
	case PLANT_SLEEP:
		planter_open(p, "mutex_wait");
		below = 30 + planter_work(p, 100);
		planter_open(p, "schedule");
		below += planter_close(p, 30 + planter_work(p, 90000));
		return planter_close(p, below);
	case PLANT_INTERRUPT:
		ns += planter_leaf(p, "irq_enter_rcu", 200);
		planter_open(p, "__sysvec_apic_timer_interrupt");
		ns += planter_close(p, 30 + planter_work(p, 15000));
		planter_open(p, "irq_exit_rcu");
		return ns + planter_close(p, 30 + planter_work(p, 8000));
	case PLANT_HIDDEN_INTERRUPT:
		ns += planter_leaf(p, "irq_enter_rcu", 100);
		ns += planter_leaf(p, "idle_cpu", 20);
		return ns + planter_work(p, 30000);
	case PLANT_REFILL:
		planter_open(p, "___slab_alloc");
		below = 30 + planter_work(p, 900);
		below += planter_leaf(p, "alloc_pages", 25000);
		return planter_close(p, below);
	case PLANT_MORE_CALLS:
		for (unsigned int i = 0; i < 60; i++)
			ns += planter_leaf(p, "step", 200);
		return ns;
	case PLANT_OWN_TIME:
	case PLANT_LOSS:
		return planter_work(p, 30000);
	default:
		return 0;
	}
}

static void planter_request(struct planter *p, bool is_slow)
{
	unsigned int ns = 30 + planter_work(p, 300);

	if (is_slow)
		p->planted_line = p->line + 1;
	planter_open(p, "request");
	ns += planter_leaf(p, "enter", 5);
	/* decoys: rare paths that cost little, and more cheap calls */
	if (planter_random(p, 40) == 0)
		ns += planter_leaf(p, "rare_but_cheap", 30);
	ns += planter_lookup(p, is_slow);
	for (unsigned int i = planter_random(p, 4) + 2; i > 0; i--)
		ns += planter_leaf(p, "step", 40);
	if (is_slow && p->plant == PLANT_LOSS) {
		out_z(&p->text, "CPU:0 [LOST 12 EVENTS]\n");
		p->line++;
	}
	if (is_slow && p->mark) {
		out_z(&p->text, p->mark);
		p->line++;
	}
	if (is_slow)
		ns += planter_events(p);
	ns += planter_leaf(p, "copy", is_slow && p->plant == PLANT_SPREAD ? 9000 : 900);
	ns += planter_leaf(p, "check", is_slow && p->plant == PLANT_SPREAD ? 9000 : 500);
	ns += planter_leaf(p, "notify", is_slow && p->plant == PLANT_SPREAD ? 9000 : 700);
	for (unsigned int i = 0; i < 6; i++) {
		char name[16];

		(void)snprintf(name, sizeof(name), "wrap_%u", i);
		planter_open(p, name);
		ns += planter_close(p, 30 + planter_work(p, 8) + planter_leaf(p, "leave", 3));
	}
	(void)planter_close(p, ns);
}

struct found {
	struct dossier *d;
	struct document *doc;
	struct category_cache cats;
	struct calls_summary sum;
	struct tracer_cost cost;
	struct slow_calls slow;
};

static void found_init(struct found *f)
{
	const struct capture *c = f->d->captures.data[0];

	assert_int_equal(calls_summary_compute(c, &f->cats, &f->sum, NULL), OK);
	tracer_cost_estimate(c, &f->sum, &f->cost);
	slow_calls_find(c, &f->sum, &f->cost, &f->slow);
}

static void found_fini(struct found *f)
{
	slow_calls_fini(&f->slow);
	calls_summary_fini(&f->sum);
	category_cache_fini(&f->cats);
	dossier_free(f->d);
	document_free(f->doc);
}

static void found_of_plant(struct found *f, struct planter *p)
{
	unsigned int slow = 5 + planter_random(p, PLANT_CALLS - 10);

	memset(f, 0, sizeof(*f));
	p->text = (struct out){ .fd = -1 };
	out_z(&p->text, "# tracer: function_graph\n#\n");
	p->line = 2;
	for (unsigned int i = 0; i < PLANT_CALLS; i++)
		planter_request(p, i == slow && p->plant != PLANT_NOTHING);
	out_char(&p->text, '\0');
	f->d = dossier_new();
	assert_int_equal(document_from_memory(str_of(p->text.data), NULL, &f->doc, NULL), OK);
	assert_int_equal(load_document(f->d, f->doc, "test", NULL, NULL), OK);
	assert_int_equal(f->d->captures.len, 1);
	found_init(f);
}

static const struct slow_call *found_at(const struct found *f, unsigned int line)
{
	VEC_FOREACH (r, &f->slow.rows) {
		if (r->line == line)
			return r;
	}
	return NULL;
}

static const struct {
	enum slow_cause cause;
	const char *because;
} plant_truth[PLANTS] = {
	[PLANT_OWN_TIME] = { SLOW_OWN_TIME, "request" },
	[PLANT_DEEP_CHILD] = { SLOW_CHILD, "compare" },
	[PLANT_RARE_PATH] = { SLOW_RARE_PATH, "rebuild_table" },
	[PLANT_MORE_CALLS] = { SLOW_MORE_CALLS, "step" },
	[PLANT_SLEEP] = { SLOW_SLEEP, "schedule" },
	[PLANT_INTERRUPT] = { SLOW_INTERRUPT, "__sysvec_apic_timer_interrupt" },
	[PLANT_HIDDEN_INTERRUPT] = { SLOW_INTERRUPT, "request" },
	[PLANT_REFILL] = { SLOW_ALLOCATION, "___slab_alloc" },
	[PLANT_LOSS] = { SLOW_LOST_EVENTS, "request" },
	[PLANT_SPREAD] = { SLOW_SPREAD, "request" },
};

static void planted_causes_are_named(void **state)
{
	(void)state;
	for (unsigned int plant = PLANT_OWN_TIME; plant < PLANTS; plant++) {
		unsigned int right = 0;
		unsigned int wrong_and_certain = 0;

		for (unsigned int i = 0; i < PLANT_TRACES; i++) {
			struct planter p = { .random = i * 977 + plant, .plant = plant };
			const struct slow_call *r;
			struct found f;

			found_of_plant(&f, &p);
			r = found_at(&f, p.planted_line);
			if (r && r->cause == plant_truth[plant].cause &&
			    str_eq(symbols_name(&f.d->symbols, r->because),
				   str_of(plant_truth[plant].because))) {
				right++;
			} else {
				wrong_and_certain += r && r->is_certain;
				print_message("# plant %u, trace %u: %s\n", plant, i,
					      r ? slow_cause_name(r->cause) : "not found");
			}
			found_fini(&f);
			out_fini(&p.text);
		}
		assert_true(right * 100 >= PLANT_TRACES * 95);
		assert_int_equal(wrong_and_certain, 0);
	}
}

/* Events in a call that has no slow callee, and the cause that they suggest. */
static void events_suggest_the_cause_of_own_time(void **state)
{
	static const struct {
		const char *mark;
		enum slow_cause cause;
	} cases[] = {
		{ " 0)               |  /* sched_switch: prev_comm=app ==> next_comm=sh */\n",
		  SLOW_SLEEP },
		{ " 0)               |  /* irq_handler_entry: irq=9 name=made */\n",
		  SLOW_INTERRUPT },
		{ " 0)               |  /* softirq_entry: vec=3 [action=NET_RX] */\n",
		  SLOW_INTERRUPT },
		{ " 0)               |  /* local_timer_entry: vector=236 */\n", SLOW_INTERRUPT },
		{ " 0)               |  /* irq_handler_exit: irq=9 ret=handled */\n",
		  SLOW_OWN_TIME },
		{ " 0)               |  /* sched_waking: comm=sh pid=7 */\n", SLOW_OWN_TIME },
		/* on another CPU */
		{ " 1)               |  /* sched_switch: prev_comm=app ==> next_comm=sh */\n",
		  SLOW_OWN_TIME },
		{ NULL, SLOW_OWN_TIME },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct planter p = { .random = 11, .plant = PLANT_OWN_TIME, .mark = cases[i].mark };
		const struct slow_call *r;
		struct found f;

		found_of_plant(&f, &p);
		r = found_at(&f, p.planted_line);
		assert_non_null(r);
		assert_int_equal(r->cause, cases[i].cause);
		assert_int_equal(r->is_certain, cases[i].cause == SLOW_OWN_TIME);
		assert_str(symbols_name(&f.d->symbols, r->because), "request");
		found_fini(&f);
		out_fini(&p.text);
	}
}

static void even_traces_have_no_slow_calls(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < PLANT_TRACES; i++) {
		struct planter p = { .random = i, .plant = PLANT_NOTHING };
		struct found f;

		found_of_plant(&f, &p);
		assert_null(f.cost.why_not);
		assert_int_equal(f.slow.calls, 0);
		found_fini(&f);
		out_fini(&p.text);
	}
}

static void equal_findings_are_one_row(void **state)
{
	struct planter p = { .random = 7, .plant = PLANT_RARE_PATH };
	struct found f;

	(void)state;
	memset(&f, 0, sizeof(f));
	p.text = (struct out){ .fd = -1 };
	out_z(&p.text, "# tracer: function_graph\n#\n");
	for (unsigned int i = 0; i < 200; i++)
		planter_request(&p, i % 70 == 69);
	out_char(&p.text, '\0');
	f.d = dossier_new();
	assert_int_equal(document_from_memory(str_of(p.text.data), NULL, &f.doc, NULL), OK);
	assert_int_equal(load_document(f.d, f.doc, "test", NULL, NULL), OK);
	found_init(&f);
	assert_int_equal(f.slow.rows.len, 1);
	assert_int_equal(f.slow.rows.data[0].calls, 2);
	found_fini(&f);
	out_fini(&p.text);
}

static void the_slow_lock_of_the_third_seed_is_own_time(void **state)
{
	struct found f;

	(void)state;
	memset(&f, 0, sizeof(f));
	f.d = dossier_new();
	if (!seed_load(f.d, "003")) {
		dossier_free(f.d);
		SKIP_TEST("../shared/seeds is missing");
	}
	found_init(&f);
	assert_int_equal(f.slow.rows.len, 1);
	assert_str(symbols_name(&f.d->symbols, f.slow.rows.data[0].sym), "_raw_spin_lock_bh");
	assert_int_equal(f.slow.rows.data[0].line, 232);
	assert_int_equal(f.slow.rows.data[0].total_ns, 16808);
	assert_int_equal(f.slow.rows.data[0].typical_ns, 1311);
	assert_int_equal(f.slow.rows.data[0].cause, SLOW_OWN_TIME);
	found_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(planted_causes_are_named),
		cmocka_unit_test(even_traces_have_no_slow_calls),
		cmocka_unit_test(equal_findings_are_one_row),
		cmocka_unit_test(the_slow_lock_of_the_third_seed_is_own_time),
		cmocka_unit_test(events_suggest_the_cause_of_own_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
