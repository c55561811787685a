/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "analyses/calls/call_gaps.h"
#include "analyses/calls/calls_summary.h"
#include "analyses/categories.h"
#include "analyses/tracer/tracer_cost.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/dossier.h"
#include "core/symbols.h"
#include "document/document.h"
#include "formats/load.h"
#include "seeds.h"

#include <math.h>

static const struct call_gap *gap_of(const struct dossier *d, const struct call_gaps *gaps,
				     const char *name)
{
	VEC_FOREACH (g, &gaps->rows) {
		if (str_eq(symbols_name(&d->symbols, g->sym), str_of(name)))
			return g;
	}
	print_error("%s has no gap\n", name);
	_fail(__FILE__, __LINE__);
	return NULL;
}

static void the_third_seed_has_five_gaps_and_two_hidden_interrupts(void **state)
{
	static const struct {
		const char *name;
		unsigned int line;
		double ns;
		bool has_interrupt;
	} truth[] = {
		{ "sk_msg_memcopy_from_iter", 84, 29274, false },
		{ "__sys_sendto", 6, 20267, true },
		{ "tcp_bpf_sendmsg_redir", 118, 19441, false },
		{ "_raw_spin_lock_bh", 232, 15770, false },
		{ "tcp_bpf_sendmsg", 14, 7826, true },
	};
	struct dossier *d = dossier_new();
	struct category_cache cats = { .by_sym = VEC_INIT };
	struct calls_summary sum;
	struct tracer_cost cost;
	struct call_gaps gaps;
	const struct calls *c;

	(void)state;
	if (!seed_load(d, "003")) {
		dossier_free(d);
		SKIP_TEST("../shared/seeds is missing");
	}
	c = d->captures.data[0]->calls;
	assert_int_equal(calls_summary_compute(d->captures.data[0], &cats, &sum, NULL), OK);
	tracer_cost_estimate(d->captures.data[0], &sum, &cost);
	call_gaps_find(d->captures.data[0], &sum, &cost, &gaps);
	assert_int_equal(gaps.rows.len, ARRAY_LEN(truth));
	for (size_t i = 0; i < ARRAY_LEN(truth); i++) {
		const struct call_gap *g = gap_of(d, &gaps, truth[i].name);

		assert_ptr_equal(g, &gaps.rows.data[i]);
		assert_int_equal(g->worst_line, truth[i].line);
		assert_int_equal(lround(g->worst.high_ns), lround(truth[i].ns));
		assert_true(g->worst.low_ns <= g->worst.high_ns);
		assert_int_equal(g->worst_has_interrupt, truth[i].has_interrupt);
	}
	assert_int_equal(lround(gaps.sum.ns), 92578);
	assert_int_equal(gaps.n_interrupts, 2);
	assert_int_equal(gaps.interrupts.data[0].line, 7);
	assert_int_equal(c->line.data[gaps.interrupts.data[0].parent], 6);
	assert_false(gaps.interrupts.data[0].in_tracer);
	assert_int_equal(gaps.interrupts.data[1].line, 87);
	assert_int_equal(c->line.data[gaps.interrupts.data[1].parent], 14);
	assert_true(gaps.interrupts.data[1].in_tracer);
	call_gaps_fini(&gaps);
	calls_summary_fini(&sum);
	category_cache_fini(&cats);
	dossier_free(d);
}

static struct call_gaps gaps_of_text(struct dossier *d, struct document **doc, const char *text)
{
	struct category_cache cats = { .by_sym = VEC_INIT };
	struct calls_summary sum;
	struct tracer_cost cost;
	struct call_gaps gaps;

	assert_int_equal(document_from_memory(str_of(text), NULL, doc, NULL), OK);
	assert_int_equal(load_document(d, *doc, "test", NULL, NULL), OK);
	assert_int_equal(calls_summary_compute(d->captures.data[0], &cats, &sum, NULL), OK);
	tracer_cost_estimate(d->captures.data[0], &sum, &cost);
	call_gaps_find(d->captures.data[0], &sum, &cost, &gaps);
	calls_summary_fini(&sum);
	category_cache_fini(&cats);
	return gaps;
}

static void an_interrupt_that_is_in_the_trace_is_not_hidden(void **state)
{
	struct dossier *d = dossier_new();
	struct document *doc = NULL;
	struct call_gaps gaps;

	(void)state;
	gaps = gaps_of_text(d, &doc,
			    "# tracer: function_graph\n#\n"
			    " 0)               |  a() {\n"
			    " 0)   0.100 us    |    irq_enter_rcu();\n"
			    " 0)   9.100 us    |    __sysvec_apic_timer_interrupt();\n"
			    " 0)               |    irq_exit_rcu() {\n"
			    " 0)   0.100 us    |      idle_cpu();\n"
			    " 0)   0.400 us    |    }\n"
			    " 0) + 10.400 us   |  }\n");
	assert_int_equal(gaps.n_interrupts, 0);
	call_gaps_fini(&gaps);
	dossier_free(d);
	document_free(doc);
}

static void without_a_cost_there_are_no_gaps(void **state)
{
	struct dossier *d = dossier_new();
	struct document *doc = NULL;
	struct call_gaps gaps;

	(void)state;
	gaps = gaps_of_text(d, &doc,
			    "# tracer: function_graph\n#\n"
			    " 0)               |  a() {\n"
			    " 0)   0.100 us    |    irq_enter_rcu();\n"
			    " 0)   0.100 us    |    idle_cpu();\n"
			    " 0) ! 900.400 us  |  }\n");
	assert_int_equal(gaps.rows.len, 0);
	assert_int_equal(gaps.n_interrupts, 1);
	call_gaps_fini(&gaps);
	dossier_free(d);
	document_free(doc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_third_seed_has_five_gaps_and_two_hidden_interrupts),
		cmocka_unit_test(an_interrupt_that_is_in_the_trace_is_not_hidden),
		cmocka_unit_test(without_a_cost_there_are_no_gaps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
