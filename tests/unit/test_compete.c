/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/symbols.h"
#include "explain/compete.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

static const struct rule rule_first = { .id = "first", .needs = RULE_PROFILE };
static const struct rule rule_second = { .id = "second", .needs = RULE_PROFILE };
static const struct rule rule_general = { .id = "general",
					  .needs = RULE_PROFILE,
					  .is_general = true };
static const struct rule rule_names = { .id = "names",
					.needs = RULE_PROFILE,
					.is_about_names = true };

/* A profile of functions "a", "b" and "c" with these weights, and findings about it. */
struct made {
	struct dossier *d;
	struct facts *facts;
	struct findings f;
	struct capture *capture;
	sym_id sym[3];
};

static void made_open(struct made *m, const unsigned int weights[3])
{
	static const char *const names[] = { "a", "b", "c" };
	struct profile *p;

	memset(m, 0, sizeof(*m));
	m->d = dossier_new();
	m->capture = dossier_add(m->d, "made");
	(void)capture_profile(m->capture);
	p = m->capture->profile;
	p->unit = WEIGHT_SAMPLES;
	for (unsigned int i = 0; i < 3; i++) {
		m->sym[i] = symbols_add_text(capture_symbols(m->capture), str_of(names[i]),
					     STR("prog"), SPACE_USER, 0);
		assert_int_equal(profile_add_sample(p,
						    stacks_push(&p->stacks, STACK_ROOT, m->sym[i]),
						    weights[i]),
				 OK);
	}
	m->facts = facts_new(m->d);
}

static void made_close(struct made *m)
{
	findings_fini(&m->f);
	facts_free(m->facts);
	dossier_free(m->d);
}

/* A finding about the functions of @letters. */
static struct finding *made_finding(struct made *m, const struct rule *rule, unsigned int sure,
				    const char *letters)
{
	struct rule_input in = { .facts = m->facts, .capture = m->capture, .number = 0 };
	struct finding *f = finding_add(&m->f, &in, rule, FINDING_NOTE, sure);

	for (; *letters; letters++)
		finding_subject(f, m->sym[*letters - 'a'], SUBJECT_EXPLAINED);
	return f;
}

static bool made_is_evidence(struct made *m, size_t number)
{
	compete_findings(m->facts, &m->f);
	return finding_is_evidence(&m->f.rows.data[number]);
}

static void a_later_finding_about_the_same_functions_is_evidence(void **state)
{
	struct made m;

	(void)state;
	made_open(&m, (const unsigned int[]){ 50, 30, 20 });
	made_finding(&m, &rule_first, 80, "ab");
	made_finding(&m, &rule_second, 80, "a");
	assert_true(made_is_evidence(&m, 1));
	assert_int_equal(m.f.rows.data[1].overruled_by, 0);
	assert_false(finding_is_evidence(&m.f.rows.data[0]));
	made_close(&m);
}

static void a_fifth_of_its_own_keeps_a_finding(void **state)
{
	struct made m;

	(void)state;
	made_open(&m, (const unsigned int[]){ 40, 10, 50 });
	made_finding(&m, &rule_first, 80, "a");
	made_finding(&m, &rule_second, 80, "ab");
	assert_true(made_is_evidence(&m, 1));
	made_close(&m);

	made_open(&m, (const unsigned int[]){ 39, 11, 50 });
	made_finding(&m, &rule_first, 80, "a");
	made_finding(&m, &rule_second, 80, "ab");
	assert_false(made_is_evidence(&m, 1));
	made_close(&m);
}

static void a_caller_that_only_the_later_one_names_keeps_it(void **state)
{
	struct made m;
	struct finding *f;

	(void)state;
	made_open(&m, (const unsigned int[]){ 50, 30, 20 });
	made_finding(&m, &rule_first, 80, "a");
	f = made_finding(&m, &rule_second, 80, "a");
	finding_subject(f, m.sym[2], SUBJECT_CALLER);
	f->subjects.data[1].share = 25;
	assert_false(made_is_evidence(&m, 1));
	m.f.rows.data[1].subjects.data[1].share = 24;
	assert_true(made_is_evidence(&m, 1));
	made_close(&m);
}

static void a_more_severe_or_much_surer_finding_stands(void **state)
{
	struct made m;

	(void)state;
	made_open(&m, (const unsigned int[]){ 50, 30, 20 });
	made_finding(&m, &rule_first, 60, "a");
	made_finding(&m, &rule_second, 76, "a");
	assert_false(made_is_evidence(&m, 1));
	m.f.rows.data[1].sure = 75;
	m.f.rows.data[1].severity = FINDING_WARNING;
	assert_false(made_is_evidence(&m, 1));
	m.f.rows.data[1].severity = FINDING_NOTE;
	assert_true(made_is_evidence(&m, 1));
	made_close(&m);
}

static void a_finding_with_a_cause_wins_over_a_general_one(void **state)
{
	struct made m;

	(void)state;
	made_open(&m, (const unsigned int[]){ 50, 30, 20 });
	made_finding(&m, &rule_general, 80, "a");
	made_finding(&m, &rule_second, 60, "a");
	assert_true(made_is_evidence(&m, 0));
	assert_int_equal(m.f.rows.data[0].overruled_by, 1);
	assert_false(finding_is_evidence(&m.f.rows.data[1]));
	made_close(&m);
}

static void remarks_about_names_and_other_functions_stand(void **state)
{
	struct made m;

	(void)state;
	made_open(&m, (const unsigned int[]){ 50, 30, 20 });
	made_finding(&m, &rule_first, 80, "a");
	made_finding(&m, &rule_names, 80, "a");
	made_finding(&m, &rule_second, 80, "b");
	assert_false(made_is_evidence(&m, 1));
	assert_false(made_is_evidence(&m, 2));
	made_close(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_later_finding_about_the_same_functions_is_evidence),
		cmocka_unit_test(a_fifth_of_its_own_keeps_a_finding),
		cmocka_unit_test(a_caller_that_only_the_later_one_names_keeps_it),
		cmocka_unit_test(a_more_severe_or_much_surer_finding_stands),
		cmocka_unit_test(a_finding_with_a_cause_wins_over_a_general_one),
		cmocka_unit_test(remarks_about_names_and_other_functions_stand),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
