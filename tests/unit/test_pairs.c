/* SPDX-License-Identifier: MIT */
/* Two profiles of one text: which is which (formats/sides.c), and what differs (explain/pairs.c).
 */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "explain/explain.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/pairs.h"
#include "explain/rule.h"
#include "texts.h"

#include <math.h>
#include <stdio.h>

#define SLOW "    40.00%  app  app  [.] work\n    20.00%  app  app  [.] lookup\n\n"
#define FAST "    40.00%  app  app  [.] work\n     2.00%  app  app  [.] lookup\n"

struct marks {
	enum capture_side side;
	enum capture_state state;
};

/* Expects the marks @a and @b for a text: @head, @first and a table, @second and a table. */
static void assert_marks(const char *head, const char *first, const char *second, struct marks a,
			 struct marks b)
{
	char text[2048];
	struct dossier *d;

	(void)snprintf(text, sizeof(text), "%s\n\n%s\n\n%s%s\n\n%s", head, first, SLOW, second,
		       FAST);
	d = text_load(NULL, text);
	assert_int_equal(d->captures.len, 2);
	assert_int_equal(d->captures.data[0]->side, a.side);
	assert_int_equal(d->captures.data[0]->state, a.state);
	assert_int_equal(d->captures.data[1]->side, b.side);
	assert_int_equal(d->captures.data[1]->state, b.state);
	dossier_free(d);
}

static void words_above_a_table_say_which_it_is(void **state)
{
	struct marks none = { SIDE_NONE, STATE_UNKNOWN };
	struct marks bad = { SIDE_NONE, STATE_BAD };
	struct marks good = { SIDE_NONE, STATE_GOOD };

	(void)state;
	assert_marks("", "The bad one:", "A good one:", bad, good);
	assert_marks("", "Fast:", "SLOW:", good, bad);
	assert_marks("", "One:", "Another:", none, none);
	/* both words on one line mark no side, nor do parts of words */
	assert_marks("", "good and bad runs:", "The second:", none, none);
	assert_marks("", "aftermath", "foldable", none, none);
}

static void before_and_after_are_bad_by_what_the_text_is(void **state)
{
	struct marks first = { SIDE_FIRST, STATE_UNKNOWN };
	struct marks second = { SIDE_SECOND, STATE_UNKNOWN };
	struct marks bad_first = { SIDE_FIRST, STATE_BAD };
	struct marks good_first = { SIDE_FIRST, STATE_GOOD };
	struct marks bad_second = { SIDE_SECOND, STATE_BAD };
	struct marks good_second = { SIDE_SECOND, STATE_GOOD };

	(void)state;
	assert_marks("", "Before:", "After:", first, second);
	assert_marks("commit 0123456789abcdef", "Before:", "After:", bad_first, good_second);
	assert_marks("Subject: [PATCH] app: look up less", "Before:", "After:", bad_first,
		     good_second);
	assert_marks("Subject: a regression in app", "Before:", "After:", good_first, bad_second);
	assert_marks("It is slow since I upgraded.", "vanilla", "patched", good_first, bad_second);
	assert_marks("A -12.3% regression of requests", "base", "new", good_first, bad_second);
	assert_marks("A +12.3% improvement of requests", "base", "new", bad_first, good_second);
	/* a text that reports both an improvement and a regression decides nothing */
	assert_marks("This patch is faster.\nNo regression.", "Before:", "After:", first, second);
}

static void words_far_above_a_table_are_not_of_it(void **state)
{
	struct marks none = { SIDE_NONE, STATE_UNKNOWN };
	struct marks good = { SIDE_NONE, STATE_GOOD };
	struct marks bad = { SIDE_NONE, STATE_BAD };

	(void)state;
	assert_marks("", "bad\n1\n2\n3\n4\n5\n6\n7\n", "good", bad, good);
	assert_marks("", "bad\n1\n2\n3\n4\n5\n6\n7\n8\n", "good", none, good);
	assert_marks("", "a b c d e f g h i j k l m n o p q r s t u v w bad", "good", bad, good);
	assert_marks("", "a b c d e f g h i j k l m n o p q r s t u v w x bad", "good", none, good);
}

/* The first pair of @text; false: none. */
static bool pair_in(const char *text, struct pair *ret, struct dossier **ret_d,
		    struct facts **ret_f)
{
	struct rule_input in = { .number = INDEX_NONE };

	*ret_d = text_load(NULL, text);
	*ret_f = facts_new(*ret_d);
	in.facts = *ret_f;
	if (!pair_of(&in, 0, ret))
		return false;
	pair_compare(ret);
	return true;
}

static void assert_first(const char *text, const char *name, double before, double after,
			 bool is_bound)
{
	struct pair p;
	struct dossier *d;
	struct facts *f;

	assert_true(pair_in(text, &p, &d, &f));
	if (!name) {
		assert_int_equal(p.n, 0);
	} else {
		assert_true(p.n > 0);
		assert_str(facts_name(f, p.changes[0].sym), name);
		assert_true(fabs(p.changes[0].before - before) < 0.001);
		assert_true(fabs(p.changes[0].after - after) < 0.001);
		assert_int_equal(p.changes[0].is_bound, is_bound);
	}
	facts_free(f);
	dossier_free(d);
}

static void growth_in_the_bad_profile_comes_first(void **state)
{
	(void)state;
	assert_first("good\n\n"
		     "    60.00%  app  app  [.] work\n"
		     "     2.00%  app  app  [.] lookup\n\nbad\n\n"
		     "    20.00%  app  app  [.] lookup\n"
		     "    10.00%  app  app  [.] work\n",
		     "lookup", 2, 20, false);
	/* lookup is missing in the good table: it has at most the share of the last row */
	assert_first("good\n\n"
		     "    60.00%  app  app  [.] work\n"
		     "     2.00%  app  app  [.] other\n\nbad\n\n"
		     "    20.00%  app  app  [.] lookup\n"
		     "    10.00%  app  app  [.] work\n",
		     "lookup", 2, 20, true);
	/* rows that are not sorted give no upper limit for missing rows */
	assert_first("good\n\n"
		     "     2.00%  app  app  [.] other\n"
		     "    60.00%  app  app  [.] work\n\nbad\n\n"
		     "    20.00%  app  app  [.] lookup\n"
		     "    10.00%  app  app  [.] work\n",
		     NULL, 0, 0, false);
}

static void functions_without_time_of_their_own_count_with_callees(void **state)
{
	struct pair p;
	struct dossier *d;
	struct facts *f;

	(void)state;
	assert_true(pair_in("# Samples: 1000  of event 'cycles'\n"
			    "good\n\n"
			    "    99.00%     0.00%  app  app  [.] main\n"
			    "    50.00%     0.00%  app  app  [.] read_all\n"
			    "    10.00%     0.00%  app  app  [.] read_one\n\nbad\n\n"
			    "    99.00%     0.00%  app  app  [.] main\n"
			    "    90.00%     0.00%  app  app  [.] read_all\n"
			    "    50.00%     0.00%  app  app  [.] read_one\n",
			    &p, &d, &f));
	assert_int_equal(p.n, 1);
	assert_true(p.changes[0].has_callees);
	assert_str(facts_name(f, p.changes[0].sym), "read_one");
	facts_free(f);
	dossier_free(d);
}

static void the_deepest_has_most_of_what_grew(void **state)
{
	static const struct {
		const char *after;
		const char *name;
	} cases[] = { { "42.10", "read_one" }, { "41.90", "read_all" } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char text[512];
		struct pair p;
		struct dossier *d;
		struct facts *f;

		(void)snprintf(text, sizeof(text),
			       "good\n\n    50.00%%  0.00%%  app  app  [.] read_all\n"
			       "    10.00%%  0.00%%  app  app  [.] read_one\n\nbad\n\n"
			       "    90.00%%  0.00%%  app  app  [.] read_all\n"
			       "    %s%%  0.00%%  app  app  [.] read_one\n",
			       cases[i].after);
		assert_true(pair_in(text, &p, &d, &f));
		assert_true(str_eq(facts_name(f, p.changes[0].sym), str_of(cases[i].name)));
		facts_free(f);
		dossier_free(d);
	}
}

/*
 * Expects @severity of @rule for a function with @before % in the good and @after % in the bad
 * profile; -1: no finding.
 */
static void assert_grown(const char *labels[2], const char *before, const char *after,
			 const char *rule, int severity)
{
	char text[512];
	struct dossier *d;
	struct facts *facts;
	struct explain_options options = { .only = str_of(rule) };
	struct findings found = { .rows = VEC_INIT };

	(void)snprintf(text, sizeof(text),
		       "%s\n\n    60.00%%  app  app  [.] work\n    %s%%  app  app  [.] lookup\n\n"
		       "%s\n\n    60.00%%  app  app  [.] work\n    %s%%  app  app  [.] lookup\n",
		       labels[0], before, labels[1], after);
	d = text_load(NULL, text);
	facts = facts_new(d);
	explain_run(facts, &options, &found);
	assert_int_equal(found.rows.len, severity >= 0);
	if (severity >= 0)
		assert_int_equal(found.rows.data[0].severity, severity);
	findings_fini(&found);
	facts_free(facts);
	dossier_free(d);
}

static void growth_counts_from_three_points_on(void **state)
{
	const char *said[2] = { "good", "bad" };
	const char *unsaid[2] = { "one", "another" };

	(void)state;
	assert_grown(said, "5.00", "7.90", "grown-cost", -1);
	assert_grown(said, "5.00", "8.10", "grown-cost", FINDING_NOTE);
	assert_grown(said, "5.00", "14.90", "grown-cost", FINDING_NOTE);
	assert_grown(said, "5.00", "15.10", "grown-cost", FINDING_WARNING);
	/* a function that hardly occurs in the good profile */
	assert_grown(said, "0.01", "0.90", "grown-cost", -1);
	assert_grown(said, "0.01", "1.10", "grown-cost", FINDING_NOTE);
	assert_grown(said, "0.21", "2.00", "grown-cost", -1);
	assert_grown(said, "0.20", "2.10", "grown-cost", FINDING_NOTE);
	assert_grown(said, "15.00", "5.00", "grown-cost", -1);
	assert_grown(unsaid, "5.00", "7.90", "two-profiles", -1);
	assert_grown(unsaid, "5.00", "8.10", "two-profiles", FINDING_NOTE);
}

static void unrelated_tables_are_no_pair(void **state)
{
	struct pair p;
	struct dossier *d;
	struct facts *f;

	(void)state;
	assert_false(pair_in("good\n\n"
			     "    60.00%  app  app  [.] work\n\nbad\n\n"
			     "    60.00%  web  web  [.] serve\n",
			     &p, &d, &f));
	facts_free(f);
	dossier_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_above_a_table_say_which_it_is),
		cmocka_unit_test(before_and_after_are_bad_by_what_the_text_is),
		cmocka_unit_test(words_far_above_a_table_are_not_of_it),
		cmocka_unit_test(growth_in_the_bad_profile_comes_first),
		cmocka_unit_test(functions_without_time_of_their_own_count_with_callees),
		cmocka_unit_test(the_deepest_has_most_of_what_grew),
		cmocka_unit_test(growth_counts_from_three_points_on),
		cmocka_unit_test(unrelated_tables_are_no_pair),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
