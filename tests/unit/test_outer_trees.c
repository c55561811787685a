/* SPDX-License-Identifier: MIT */
/* Tables whose rows show their cost with callees, and the trees below these rows. */
#include "unit.h"

#include "analyses/top/outer_trees.h"
#include "analyses/top/tree.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/profile_inclusive.h"
#include "core/symbols.h"
#include "formats/format.h"
#include "texts.h"

#include <stdio.h>

DECLARE_FORMAT(perf_report);

#define ROW(children, self, name) "    " children "%     " self "%  app  app      [.] " name "\n"

static bool inclusive_of(const char *text, struct profile_inclusive *ret)
{
	struct reading in = reading_of(&format_perf_report, text);
	bool is = profile_is_inclusive(in.p, ret);

	reading_fini(&in);
	return is;
}

static void rows_with_small_self_shares_show_their_cost_with_callees(void **state)
{
	struct profile_inclusive in;

	(void)state;
	assert_true(inclusive_of(ROW("31.12", "0.04", "commit") ROW("16.03", "0.02", "add"), &in));
	assert_near(in.self, 0.06, 1e-9);
	assert_near(in.widest, 31.12, 1e-9);
	assert_near(in.missing, 68.88, 1e-9);
	assert_int_equal(in.row, 0);
	/* the sum of the self shares */
	assert_true(inclusive_of(ROW("31.12", "2.99", "commit") ROW("16.03", "2.00", "add"), &in));
	assert_false(inclusive_of(ROW("31.12", "3.00", "commit") ROW("16.03", "2.00", "add"), &in));
	/* the largest share */
	assert_true(inclusive_of(ROW("5.00", "0.04", "commit"), &in));
	assert_false(inclusive_of(ROW("4.99", "0.04", "commit"), &in));
	assert_true(inclusive_of(ROW("9.98", "4.99", "commit"), &in));
	assert_false(inclusive_of(ROW("9.97", "4.99", "commit"), &in));
	/* no share with callees */
	assert_false(inclusive_of("    0.12%  app  app      [.] commit\n", &in));
}

/* The names of the roots of the outer trees of @text, with blanks between them. */
static struct out outer_of(const char *text, bool *ret_assumed)
{
	struct reading in = reading_of(&format_perf_report, text);
	struct out names = { .fd = -1 };
	struct outer_trees trees;

	outer_trees_find(in.c, &trees);
	VEC_FOREACH (t, &trees.rows)
		out_printf(
			&names, STR_FMT " ",
			STR_ARG(symbols_name(&in.d->symbols, in.p->table.nodes.data[t->node].sym)));
	if (ret_assumed)
		*ret_assumed = trees.is_assumed;
	outer_trees_fini(&trees);
	reading_fini(&in);
	return names;
}

#define ASSERT_OUTER(text, expected)                      \
	do {                                              \
		struct out names_ = outer_of(text, NULL); \
                                                          \
		assert_str(out_view(&names_), expected);  \
		out_fini(&names_);                        \
	} while (0)

#define TREE_RUN(sub)                    \
	ROW("61.20", "0.20", "run")      \
	"   - 61.00% run\n"              \
	"      - " sub "% commit\n"      \
	"         + 20.10% page_write\n" \
	"      + 12.00% load\n"
#define TREE_COMMIT                    \
	ROW("30.20", "0.10", "commit") \
	"   - 30.10% commit\n"         \
	"      + 20.10% page_write\n"  \
	"      + 9.00% meter\n"

static void a_tree_inside_another_one_is_no_outer_tree(void **state)
{
	bool is_assumed = true;
	struct out names = outer_of(TREE_RUN("30.00") TREE_COMMIT, &is_assumed);

	(void)state;
	assert_str(out_view(&names), "run ");
	assert_false(is_assumed);
	out_fini(&names);
	/* half of its share is below other callers */
	ASSERT_OUTER(TREE_RUN("15.11") TREE_COMMIT, "run ");
	ASSERT_OUTER(TREE_RUN("15.10") TREE_COMMIT, "run commit ");
	ASSERT_OUTER(TREE_COMMIT TREE_RUN("15.10"), "run commit ");
}

static void trees_of_callers_are_no_outer_trees(void **state)
{
	(void)state;
	ASSERT_OUTER(ROW("61.20", "0.20", "run") "   - 61.20% run\n      + 30.00% main_loop\n"
						 "      + 12.00% load\n",
		     "");
	/* roots with another name are of stacks that end in the function */
	ASSERT_OUTER(ROW("61.20", "0.20", "run") "   - 61.00% start\n      + 30.00% commit\n"
						 "      + 12.00% load\n",
		     "");
}

static void a_root_with_a_part_of_the_weight_is_one_chain_of_several(void **state)
{
	(void)state;
	ASSERT_OUTER(ROW("61.20", "0.20", "run") "   - 54.90% run\n      + 30.00% load\n", "run ");
	ASSERT_OUTER(ROW("61.20", "0.20", "run") "   - 54.89% run\n      + 30.00% load\n", "");
	ASSERT_OUTER(ROW("61.20", "0.20", "run") "   - 68.00% run\n      + 30.00% load\n", "run ");
	ASSERT_OUTER(ROW("61.20", "0.20", "run") "   - 68.01% run\n      + 30.00% load\n", "");
}

static void the_outer_trees_become_one_tree(void **state)
{
	struct reading in = reading_of(&format_perf_report, TREE_RUN("15.10") TREE_COMMIT);
	struct tree tree;

	(void)state;
	assert_int_equal(tree_of_outer(in.c, 0, &tree, NULL), OK);
	assert_int_equal(tree.nodes.len, 7);
	assert_int_equal(tree.nodes.data[0].end, 4);
	assert_int_equal(tree.nodes.data[4].parent, INDEX_NONE);
	assert_int_equal(tree.nodes.data[4].end, 7);
	assert_near(tree_pct(&tree, tree.nodes.data[4].weight), 30.10, 1e-9);
	tree_fini(&tree);
	/* lighter branches are hidden */
	assert_int_equal(tree_of_outer(in.c, 12.5, &tree, NULL), OK);
	assert_int_equal(tree.nodes.len, 5);
	tree_fini(&tree);
	reading_fini(&in);
	in = reading_of(&format_perf_report, ROW("61.20", "0.20", "run"));
	assert_int_equal(tree_of_outer(in.c, 0, &tree, NULL), ERR_NOTFOUND);
	reading_fini(&in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_with_small_self_shares_show_their_cost_with_callees),
		cmocka_unit_test(a_tree_inside_another_one_is_no_outer_tree),
		cmocka_unit_test(trees_of_callers_are_no_outer_trees),
		cmocka_unit_test(a_root_with_a_part_of_the_weight_is_one_chain_of_several),
		cmocka_unit_test(the_outer_trees_become_one_tree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
