/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/vec.h"
#include "core/dossier.h"
#include "explain/explain.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "seeds.h"

static const struct finding *found(const struct findings *f, const char *rule)
{
	VEC_FOREACH (row, &f->rows) {
		if (strcmp(row->rule->id, rule) == 0)
			return row;
	}
	return NULL;
}

static void explained(const char *seed, const char *const *rules_found,
		      const char *const *rules_not_found)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(facts_freep) struct facts *facts = NULL;
	struct findings f = { .rows = VEC_INIT };

	if (!seed_load(d, seed))
		SKIP_TEST("../shared/seeds is missing");
	facts = facts_new(d);
	explain_run(facts, NULL, &f);
	assert_null(findings_check(&f));
	for (; *rules_found; rules_found++)
		assert_non_null(found(&f, *rules_found));
	for (; *rules_not_found; rules_not_found++)
		assert_null(found(&f, *rules_not_found));
	findings_fini(&f);
}

static void the_trace_of_a_udp_send_is_a_first_packet_through_a_tunnel(void **state)
{
	static const char *const yes[] = { "first-packet",      "conntrack-twice",
					   "tunnel-traversal",  "software-segmentation",
					   "neighbour-work",    "packet-tap",
					   "allocation-refill", "netfilter-hooks",
					   "tracer-dominates",  NULL };
	static const char *const no[] = { "traced-debug-kernel", "sockmap-redirect", NULL };

	(void)state;
	explained("002", yes, no);
}

static void the_trace_of_a_redirected_send_shows_that_it_bypasses_ip(void **state)
{
	static const char *const yes[] = { "sockmap-redirect",  "traced-debug-kernel",
					   "hidden-interrupts", "wakeup-ipi",
					   "allocation-refill", "unexplained-time-gaps",
					   "socket-locks",      NULL };
	static const char *const no[] = { "first-packet", "tunnel-traversal", "netfilter-hooks",
					  NULL };

	(void)state;
	explained("003", yes, no);
}

static double figure(const struct finding *f, const char *name)
{
	VEC_FOREACH (g, &f->figures) {
		if (strcmp(g->name, name) == 0)
			return g->value;
	}
	return -1;
}

static void figures_of_the_two_traces_match_their_tables(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(facts_freep) struct facts *facts = NULL;
	struct findings f = { .rows = VEC_INIT };
	const struct finding *gaps;

	(void)state;
	if (!seed_load(d, "002") || !seed_load(d, "003"))
		SKIP_TEST("../shared/seeds is missing");
	facts = facts_new(d);
	explain_run(facts, NULL, &f);
	assert_float_equal(figure(found(&f, "first-packet"), "creating the flow entry"), 26.953,
			   1e-9);
	assert_float_equal(
		figure(found(&f, "early-orphan"), "time to release the send buffer space"), 2.499,
		1e-9);
	assert_float_equal(figure(found(&f, "socket-locks"), "taking and releasing socket locks"),
			   39.758, 1e-9);
	assert_float_equal(figure(found(&f, "hidden-interrupts"), "interrupts"), 2, 0);
	gaps = found(&f, "unexplained-time-gaps");
	assert_float_equal(figure(gaps, "unexplained"), 92.6, 0.05);
	assert_float_equal(figure(gaps, "share of the trace"), 47.6, 0.05);
	assert_int_equal(gaps->evidence.len, 5);
	findings_fini(&f);
}

static void the_table_of_metrics_has_holes_and_two_labels(void **state)
{
	static const char *const yes[] = { "extractor-defects", "few-positives", NULL };
	static const char *const no[] = { NULL };

	(void)state;
	explained("004", yes, no);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_trace_of_a_udp_send_is_a_first_packet_through_a_tunnel),
		cmocka_unit_test(the_trace_of_a_redirected_send_shows_that_it_bypasses_ip),
		cmocka_unit_test(figures_of_the_two_traces_match_their_tables),
		cmocka_unit_test(the_table_of_metrics_has_holes_and_two_labels),
	};

	return cmocka_run_group_tests_name("rules_calls", tests, NULL, NULL);
}
