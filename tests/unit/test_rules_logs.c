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

static double figure(const struct finding *f, const char *name)
{
	VEC_FOREACH (g, &f->figures) {
		if (strcmp(g->name, name) == 0)
			return g->value;
	}
	return -1;
}

static bool cites(const struct finding *f, uint32_t line)
{
	VEC_FOREACH (e, &f->evidence) {
		if (e->line == line)
			return true;
	}
	return false;
}

static void the_mail_about_a_raft_database_is_explained_from_its_logs(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(facts_freep) struct facts *facts = NULL;
	struct findings f = { .rows = VEC_INIT };

	(void)state;
	if (!seed_load(d, "001"))
		SKIP_TEST("../shared/seeds is missing");
	facts = facts_new(d);
	explain_run(facts, NULL, &f);
	assert_null(findings_check(&f));
	assert_true(figure(found(&f, "crash-loop"), "segfaults at one offset") == 3);
	assert_true(cites(found(&f, "crash-loop"), 231));
	assert_true(figure(found(&f, "election-storm"), "gaps equal to the timeout") == 4);
	assert_int_equal(found(&f, "election-storm")->severity, FINDING_NOTE);
	assert_true(cites(found(&f, "long-poll"), 578));
	assert_true(figure(found(&f, "long-poll"), "minor faults in that of 1278 ms") == 61669);
	assert_true(figure(found(&f, "prerequisite-race"), "dropped") == 54603);
	assert_true(figure(found(&f, "memory-growth"), "growth") > 405.0);
	assert_true(figure(found(&f, "memory-growth"), "growth") < 405.3);
	assert_true(figure(found(&f, "overlapping-roles"), "both active") > 2.04);
	assert_true(figure(found(&f, "failed-transactions"), "refused") == 5);
	assert_true(cites(found(&f, "restart-failure"), 401));
	assert_true(cites(found(&f, "damaged-state"), 231));
	findings_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_mail_about_a_raft_database_is_explained_from_its_logs),
	};

	return cmocka_run_group_tests_name("rules_logs", tests, NULL, NULL);
}
