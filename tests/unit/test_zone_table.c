/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/kinds/metrics.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "formats/format.h"
#include "texts.h"

DECLARE_FORMAT(zone_table);

#define HEAD "name,src_file,src_line,total_ns,total_perc,counts,mean_ns,min_ns,max_ns,std_ns\n"

static void rows_are_split_from_their_end(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c = text_detect(
		d, HEAD "Frame,src/main.cpp,42,5000,98.5,3,1666,1500,4000,120.5\n"
			"solve<int, float>,src/solve.cpp,55,2500,49.2,12,208,100,900,40\n"
			"broken,src/solve.cpp,55,x,49.2,12,208,100,900,40\n"
			"last,a.cpp,1,1,0.1,1,1,1,1,0\n");
	const struct metrics *m = c->metrics;

	(void)state;
	assert_string_equal(c->format, "tracy");
	assert_int_equal(m->n_rows, 3);
	assert_str(symbols_name(&d->symbols, m->names.data[1]), "solve<int, float>");
	assert_true(metrics_value(m, 1, 2) == 2500 && metrics_value(m, 1, 4) == 12);
	assert_str(strings_get(&d->strings, m->texts.data[0]), "src/main.cpp");
	assert_int_equal(diag_get(&c->diag, "zone-table-lines"), 1);
}

static void the_titles_name_the_separator(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c =
		text_detect(d, "name;src_file;src_line;total_ns;total_perc;counts;mean_ns;min_ns;"
			       "max_ns;std_ns\n"
			       "a,b;src/main.cpp;42;5000;98.5;3;1666;1500;4000;120.5\n");

	(void)state;
	assert_int_equal(c->metrics->n_rows, 1);
	assert_str(symbols_name(&d->symbols, c->metrics->names.data[0]), "a,b");
}

static void titles_alone_and_other_tables_are_nobodys(void **state)
{
	struct extent e;

	(void)state;
	assert_false(format_zone_table.find(STR(HEAD), 0, &e));
	assert_false(
		format_zone_table.find(STR("a,b,1,2,3,4,5,6,7,8\nc,d,1,2,3,4,5,6,7,8\n"), 0, &e));
	assert_false(format_zone_table.find(
		STR("name,src_file,src_line\nFrame,src/main.cpp,42,5000,98.5,3,1666,1500,4000,1\n"),
		0, &e));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_split_from_their_end),
		cmocka_unit_test(the_titles_name_the_separator),
		cmocka_unit_test(titles_alone_and_other_tables_are_nobodys),
	};

	return cmocka_run_group_tests_name("zone_table", tests, NULL, NULL);
}
