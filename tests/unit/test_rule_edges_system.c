/* SPDX-License-Identifier: MIT */
/* Rules about tables of the system and of its calls, at their thresholds: rule_edges.h. */
#include "unit.h"

#include "base/status.h"
#include "rule_edges.h"

static const struct edge edges[] = {
	/* a table of calls: a warning needs 0.5 s, or 100 µs each, or a quarter of failed calls */
	{ "system-calls-table-shares", "note 75 %; Directories are read", { { NULL } } },
	{ "system-calls-table-shares",
	  "note",
	  { { "5     47800       120", "5     47800 11949" } } },
	{ "system-calls-table-shares",
	  "warning 75 %; or each place",
	  { { "5     47800       120", "5     47800 11950" } } },
	{ "system-calls-table-shares",
	  "note",
	  { { "0.239000", "0.499000" }, { "0.336000", "0.596000" } } },
	{ "system-calls-table-shares",
	  "warning 75 %; Directories are read",
	  { { "0.239000", "0.500000" }, { "0.336000", "0.597000" } } },
	{ "system-calls-table-shares",
	  "note",
	  { { "5     47800       120", "98     2500" }, { "12400", "  400" } } },
	{ "system-calls-table-shares",
	  "warning",
	  { { "5     47800       120", "98     2390" }, { "12400", "  400" } } },
	/* a search path is tried if a twentieth of the calls fail */
	{ "system-calls-table-shares",
	  "note; Directories are read and",
	  { { "47800       120", "47800      2389" } } },
	{ "system-calls-table-shares",
	  "note; search path",
	  { { "47800       120", "47800      2390" } } },
	/* no error in the whole table: it may have no column of them */
	{ "system-calls-table-opened", "search path", { { "        10 ", "           " } } },
	{ "system-calls-table-opened", "note; the paths tell", { { NULL } } },
	{ "system-calls-table-opened",
	  "Many closes without opens",
	  { { "     41790", "     83601" } } },
};

static void rules_change_their_minds_at_their_thresholds(void **state)
{
	(void)state;
	assert_int_equal(rule_edges_wrong(edges, ARRAY_LEN(edges)), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_change_their_minds_at_their_thresholds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
