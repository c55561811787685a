/* SPDX-License-Identifier: MIT */
/* Parts of one perf report: trees without their rows, with blank lines between them. */
#include "unit.h"

#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/profile.h"
#include "core/symbols.h"
#include "formats/format.h"
#include "texts.h"

#include <stdio.h>

DECLARE_FORMAT(perf_report);

#define PARTS_ROW                                                        \
	"   28.40%     0.06%  ledgerd  ledgerd      [.] ledger_commit\n" \
	"   - 28.34% ledger_commit\n"                                    \
	"      + 19.75% page_write\n"                                    \
	"      + 3.90% meter_close\n"
#define PARTS_TREE                       \
	"   - 14.20% receipt_add\n"      \
	"      - 7.45% receipt_render\n" \
	"         + 4.02% column_flush\n"

static const struct profile *parts_profile(const struct reading *in, size_t i)
{
	assert_true(i < in->d->captures.len);
	return in->d->captures.data[i]->profile;
}

/* Number of captures of @text, and number of rows of the first one. */
static void parts_assert(const char *text, size_t captures, size_t rows)
{
	struct reading in = reading_of(&format_perf_report, text);

	assert_int_equal(in.d->captures.len, captures);
	assert_int_equal(parts_profile(&in, 0)->table.rows.len, rows);
	reading_fini(&in);
}

/* The order of the trees of @text. */
static enum chain_order parts_order(const char *text)
{
	struct reading in = reading_of(&format_perf_report, text);
	enum chain_order order = parts_profile(&in, 0)->table.order;

	reading_fini(&in);
	return order;
}

/* Number of nodes "[...]" in the trees of @text. */
static size_t parts_folded(const char *text)
{
	struct reading in = reading_of(&format_perf_report, text);
	size_t n = 0;

	VEC_FOREACH (node, &parts_profile(&in, 0)->table.nodes)
		n += node->is_other;
	reading_fini(&in);
	return n;
}

static void a_root_after_a_blank_line_is_a_row_without_self_share(void **state)
{
	struct reading in = reading_of(&format_perf_report, PARTS_ROW "\n" PARTS_TREE);
	const struct profile_table *t = &parts_profile(&in, 0)->table;

	(void)state;
	assert_int_equal(in.d->captures.len, 1);
	assert_int_equal(t->rows.len, 2);
	assert_int_equal(t->rows.data[1].children, 1420);
	assert_true(t->rows.data[1].has & ROW_HAS_CHILDREN);
	assert_false(t->rows.data[1].has & ROW_HAS_SELF);
	assert_false(t->rows.data[1].is_truncated);
	assert_str(symbols_name(&in.d->symbols, t->rows.data[1].sym), "receipt_add");
	assert_int_equal(profile_tree_end(t, 1) - t->rows.data[1].tree, 3);
	assert_int_equal(in.d->captures.data[0]->last_line, 8);
	reading_fini(&in);
}

static void a_deeper_part_is_a_branch_if_the_shares_leave_room(void **state)
{
	struct reading in;
	const struct profile_table *t;

	(void)state;
	/* 14.20 - 7.45 = 6.75, and rounding */
	in = reading_of(&format_perf_report, PARTS_TREE
			"\n      - 6.80% receipt_forward\n         + 3.10% peer_queue\n");
	t = &parts_profile(&in, 0)->table;
	assert_int_equal(in.d->captures.len, 1);
	assert_int_equal(t->rows.len, 1);
	reading_fini(&in);
	parts_assert(PARTS_TREE "\n      - 6.81% receipt_forward\n         + 3.10% peer_queue\n", 1,
		     2);
	/* below a folded branch nothing is printed */
	parts_assert(PARTS_TREE "\n            + 1.10% peer_queue\n", 1, 2);
	parts_assert(PARTS_TREE "\n         + 1.10% peer_queue\n", 1, 1);
}

static void shares_that_contradict_are_two_reports(void **state)
{
	(void)state;
	/* the same root again */
	parts_assert(PARTS_ROW "\n" PARTS_TREE "\n   - 12.20% receipt_add\n"
			       "      + 7.01% receipt_render\n      + 3.02% b\n      + 1.02% c\n",
		     2, 2);
	/* less than inside of another tree */
	parts_assert(PARTS_ROW "\n   - 19.73% page_write\n      + 7.01% a\n      + 3.02% b\n"
			       "      + 1.02% c\n",
		     2, 1);
	parts_assert(PARTS_ROW "\n   - 19.74% page_write\n      + 7.01% a\n      + 3.02% b\n"
			       "      + 1.02% c\n",
		     1, 2);
}

static void other_text_or_another_form_ends_the_report(void **state)
{
	(void)state;
	parts_assert(PARTS_ROW "\n$ perf report --no-children\n" PARTS_TREE "         + 2.02% b\n"
			       "         + 1.02% c\n",
		     2, 1);
	parts_assert(PARTS_ROW "\nChildren  Self  Command  Shared Object  Symbol\n" PARTS_ROW, 2,
		     1);
	parts_assert(PARTS_ROW "\n\n" PARTS_TREE, 1, 2);
	parts_assert(PARTS_ROW "\n\n\n" PARTS_TREE, 2, 1);
	/* the columns of the TUI */
	parts_assert(PARTS_ROW "\n    - 14.20% receipt_add\n       + 7.45% receipt_render\n", 1, 1);
	parts_assert(PARTS_ROW "\n  - 14.20% receipt_add\n     + 7.45% receipt_render\n", 1, 1);
	/* the TUI prints two decimals, and names without blanks */
	parts_assert(PARTS_ROW "\n   - 14.2% receipt_add\n      + 7.4% receipt_render\n", 1, 1);
	parts_assert(PARTS_ROW "\n   - 14.20% less work\n      + 7.45% receipt_render\n", 1, 1);
	/* the mark '-' shows branches */
	parts_assert(PARTS_ROW "\n   - 14.20% faster\n", 1, 1);
	parts_assert(PARTS_ROW "\n   + 14.20% receipt_add\n", 1, 2);
}

static void drawn_trees_without_rows_are_rows_of_one_report(void **state)
{
	(void)state;
	parts_assert("            |--28.34%--commit\n"
		     "            |          |--19.75%--page_write\n"
		     "            |           --3.90%--meter_close\n"
		     "\n"
		     "            |--14.20%--receipt_add\n"
		     "            |          |--7.45%--render\n"
		     "            |           --5.80%--forward\n",
		     1, 2);
	/* the same root is of another report */
	parts_assert("            |--28.34%--commit\n"
		     "            |          |--19.75%--page_write\n"
		     "            |           --3.90%--meter_close\n"
		     "\n"
		     "            |--14.20%--commit\n"
		     "            |          |--7.45%--page_write\n"
		     "            |           --5.80%--meter_close\n",
		     2, 1);
	/* below a row that leaves room, a blank line is no border */
	parts_assert("    28.40%  app  app  [.] leaf\n"
		     "            |--18.40%--commit\n"
		     "            |          main\n"
		     "\n"
		     "             --10.00%--receipt_add\n"
		     "                       main\n",
		     1, 1);
	parts_assert("    28.40%  app  app  [.] leaf\n"
		     "            |--18.40%--commit\n"
		     "            |          main\n"
		     "\n"
		     "             --10.06%--receipt_add\n"
		     "                       main\n",
		     1, 2);
}

static void folded_branches_are_no_self_time(void **state)
{
	(void)state;
	assert_int_equal(parts_folded(PARTS_TREE "         + 2.02% b\n         + 1.02% c\n"), 3);
	/* a function that calls nothing has no branches */
	assert_int_equal(parts_folded(PARTS_TREE "         + 2.02% memcpy\n         + 1.02% c\n"),
			 2);
	assert_int_equal(parts_folded(PARTS_TREE "         - 2.02% b\n         - 1.02% c\n"), 1);
	/* the line below is deeper: the mark shows no folded branch */
	assert_int_equal(parts_folded(PARTS_TREE "         + 2.02% b\n            + 1.02% c\n"), 2);
	/* rows with self shares need no such nodes */
	assert_int_equal(parts_folded(PARTS_ROW), 0);
}

#define PARTS_SELF(self, root)                                               \
	"   28.40%     " self "%  ledgerd  ledgerd      [.] ledger_commit\n" \
	"   - " root "% ledger_commit\n"                                     \
	"      + 19.75% page_write\n"                                        \
	"      + 3.90% meter_close\n"

static void the_self_share_shows_the_order_of_the_trees(void **state)
{
	(void)state;
	assert_int_equal(parts_order(PARTS_SELF("0.06", "28.34")), CHAIN_CALLER);
	assert_int_equal(parts_order(PARTS_SELF("0.06", "28.40")), CHAIN_CALLEE);
	assert_int_equal(parts_order(PARTS_SELF("0.06", "28.37")), CHAIN_UNKNOWN);
	/* a smaller share could be rounding */
	assert_int_equal(parts_order(PARTS_SELF("0.03", "28.37")), CHAIN_CALLER);
	assert_int_equal(parts_order(PARTS_SELF("0.02", "28.38")), CHAIN_UNKNOWN);
	assert_int_equal(parts_order(PARTS_SELF("0.02", "28.40")), CHAIN_UNKNOWN);
}

static void main_shows_the_order_of_trees_without_rows(void **state)
{
	(void)state;
	assert_int_equal(parts_order("   - 88.10% main\n      - 61.40% serve\n"
				     "         + 40.20% commit\n         + 12.75% add\n"),
			 CHAIN_CALLER);
	assert_int_equal(parts_order("   - 88.10% commit\n      - 61.40% serve\n"
				     "         + 40.20% main\n      + 12.75% load\n"),
			 CHAIN_CALLEE);
	assert_int_equal(parts_order("   - 88.10% commit\n      - 61.40% serve\n"
				     "         + 40.20% run\n      + 12.75% load\n"),
			 CHAIN_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_root_after_a_blank_line_is_a_row_without_self_share),
		cmocka_unit_test(a_deeper_part_is_a_branch_if_the_shares_leave_room),
		cmocka_unit_test(shares_that_contradict_are_two_reports),
		cmocka_unit_test(other_text_or_another_form_ends_the_report),
		cmocka_unit_test(drawn_trees_without_rows_are_rows_of_one_report),
		cmocka_unit_test(folded_branches_are_no_self_time),
		cmocka_unit_test(the_self_share_shows_the_order_of_the_trees),
		cmocka_unit_test(main_shows_the_order_of_trees_without_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
