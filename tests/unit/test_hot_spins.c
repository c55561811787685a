/* SPDX-License-Identifier: MIT */
/* A hot function whose code spins, as the resolver marks it: what hot-function says about it. */
#include "unit.h"

#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/profile.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "explain/explain.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "texts.h"

#define STACKS "app;main;work;gate_enter 800\napp;main;work;build 200\n"

/* Explain STACKS, with the function @spins marked; whether hot-function says @part. */
static bool says(const char *spins, const char *event, const char *part)
{
	struct dossier *d = text_load(NULL, STACKS);
	struct findings out = { .rows = VEC_INIT };
	struct facts *facts;
	bool ret = false;

	d->captures.data[0]->profile->event = strings_add(&d->strings, str_of(event));
	VEC_FOREACH (s, &d->symbols.rows) {
		if (str_eq(strings_get(&d->strings, s->name), str_of(spins)))
			s->flags |= SYMBOL_SPINS;
	}
	facts = facts_new(d);
	explain_run(facts, NULL, &out);
	assert_null(findings_check(&out));
	VEC_FOREACH (row, &out.rows) {
		if (strcmp(row->rule->id, "hot-function") == 0)
			ret = str_contains(row->claim, str_of(part)) &&
			      row->severity == (spins[0] == 'g' ? FINDING_WARNING : FINDING_NOTE);
	}
	findings_fini(&out);
	facts_free(facts);
	dossier_free(d);
	return ret;
}

static void code_that_spins_is_named_so(void **state)
{
	(void)state;
	assert_true(says("gate_enter", "cycles", "gate_enter spins for 80.0 % of"));
	/* another function spins, or none */
	assert_true(says("build", "cycles", "gate_enter and build take 100.0 %"));
	assert_true(says("none", "cycles", "gate_enter and build take 100.0 %"));
}

static void events_that_count_no_time_do_not_spin(void **state)
{
	(void)state;
	assert_false(says("gate_enter", "cache-misses", "spins"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_that_spins_is_named_so),
		cmocka_unit_test(events_that_count_no_time_do_not_spin),
	};

	return cmocka_run_group_tests_name("hot_spins", tests, NULL, NULL);
}
