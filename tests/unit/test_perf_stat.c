/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "analyses/counters/counter_metrics.h"
#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/kinds/counter_roles.h"
#include "core/kinds/counters.h"
#include "core/names/side_words.h"
#include "core/strings.h"
#include "document/document.h"
#include "formats/counters/counter_number.h"
#include "formats/counters/stat_line.h"
#include "formats/format.h"
#include "formats/load.h"
#include "texts.h"

#include <stdio.h>

DECLARE_FORMAT(perf_stat);

static double number_of(const char *z)
{
	struct str s = str_of(z);
	struct counter_number n;

	return counter_number(&s, &n) && s.len == 0 ? counter_number_double(&n) : -1;
}

static void separators_of_all_locales_are_read(void **state)
{
	(void)state;
	assert_near(number_of("1,234,567"), 1234567, 0);
	assert_near(number_of("1.234.567"), 1234567, 0);
	assert_near(number_of("1 234 567"), 1234567, 0);
	assert_near(number_of("1'234'567"), 1234567, 0);
	assert_near(number_of("1\xe2\x80\xaf"
			      "234"),
		    1234, 0);
	assert_near(number_of("1,537.459666"), 1537.459666, 1e-9);
	assert_near(number_of("1.537,459666"), 1537.459666, 1e-9);
	assert_near(number_of("0,560967"), 0.560967, 1e-9);
	assert_near(number_of("12,34,567"), 1234567, 0);
	assert_near(number_of("1.27G"), 1.27e9, 0);
	assert_near(number_of("1234567890123456789"), -1, 0); /* more than 18 digits */
}

static void three_digits_after_a_dot_depend_on_the_counter(void **state)
{
	struct stat_row row;

	(void)state;
	assert_true(stat_line(STR("  1.234  cycles"), &row));
	assert_near(counter_number_double(&row.value), 1234, 0);
	assert_true(stat_line(STR("  1.234 msec task-clock"), &row));
	assert_near(counter_number_double(&row.value), 1.234, 1e-9);
}

static void a_row_has_all_its_parts(void **state)
{
	struct stat_row row;

	(void)state;
	assert_true(stat_line(STR("S0-D0-C1   2   3,531,767,774   cycles:u   # 2.297 GHz   "
				  "( +-  1.96% ) [56.85%]"),
			      &row));
	assert_str(row.key, "S0-D0-C1");
	assert_str(row.name, "cycles:u");
	assert_str(row.comment, "2.297 GHz");
	assert_int_equal(row.value.value, 3531767774);
	assert_near(row.spread, 1.96, 1e-9);
	assert_near(row.running, 56.85, 1e-9);
	assert_true(stat_line(STR("     2.000530718  CPU3   1,234   branches"), &row));
	assert_true(row.has_time);
	assert_int_equal(row.time_ns, 2000530718);
	assert_str(row.key, "CPU3");
	assert_true(stat_line(STR("  0.5600 +- 0.0120 seconds time elapsed  ( +-  2.1% )"), &row));
	assert_true(row.is_summary);
	assert_near(row.spread, 2.1, 1e-9);
	assert_true(stat_line(STR("0.613972165  seconds time elapsed"), &row));
	assert_false(row.has_time);
}

static void separated_fields_and_json_are_rows(void **state)
{
	struct stat_row row;

	(void)state;
	assert_true(stat_line(STR("1.000,S0,4,1234,,cycles,2.50%,1000,83.31,1.5,GHz"), &row));
	assert_str(row.key, "S0");
	assert_int_equal(row.time_ns, 1000000000);
	assert_int_equal(row.value.value, 1234);
	assert_near(row.spread, 2.5, 1e-9);
	assert_near(row.running, 83.31, 1e-9);
	assert_true(stat_line(STR("12.5;msec;task-clock;12500000;100.00;;"), &row));
	assert_str(row.unit, "msec");
	assert_true(stat_line(STR("{\"counter-value\" : \"77.000000\", \"unit\" : \"\", "
				  "\"event\" : \"branches\", \"pcnt-running\" : 50.00}"),
			      &row));
	assert_int_equal(row.value.value, 77);
	assert_int_equal(row.value.decimals, 0);
	assert_near(row.running, 50, 1e-9);
	assert_false(stat_line(STR("1234,a,b,c,d"), &row));
}

static void prose_and_tables_of_others_are_nobodys(void **state)
{
	static const char *const texts[] = {
		"we saw 12 cycles of it and 3 branches\nand 14 instructions more\n",
		"3 files changed\n12 insertions\n",
		"1234 malloc (45.12%)\n 123 free (12.01%)\n",
		"0.5 seconds user code\n",
		"  12.34%  app  libc.so  [.] memcpy\n  2.00%  app  app  [.] main\n",
		"10 foo # bar\n11 boo # far\n",
	};

	(void)state;
	text_claims_none(&format_perf_stat, texts, ARRAY_LEN(texts));
}

/*
 * The error of a sum is the root of the sum of squares. If one error is unknown, so is the error of
 * the sum.
 */
static void cpu_time_is_user_and_system_time_with_both_errors(void **state)
{
	static const struct {
		const char *user, *sys;
		double seconds, rel;
	} cases[] = {
		{ "( +-  1.00% )", "( +-  4.00% )", 4, 0.0125 },
		{ "( +-  2.00% )", "", 4, -1 },
		{ "", "( +-  2.00% )", 4, -1 },
		{ "", "", 4, -1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(dossier_freep) struct dossier *d = dossier_new();
		struct counter_sum sum;
		char text[512];

		(void)snprintf(text, sizeof(text),
			       " Performance counter stats for './work' (5 runs):\n\n"
			       "       1,402      page-faults   ( +-  0.10%% )\n\n"
			       "       5.000 seconds time elapsed ( +-  0.50%% )\n\n"
			       "       3.000 seconds user %s\n"
			       "       1.000 seconds sys %s\n",
			       cases[i].user, cases[i].sys);
		assert_true(counter_metrics_cpu_seconds(text_detect(d, text), &sum));
		assert_near(sum.value, cases[i].seconds, 1e-9);
		assert_near(sum.rel, cases[i].rel, 1e-9);
	}
}

static const char two_runs[] = "Some prose.\n\nbefore:\n"
			       "   1,000.00 msec task-clock   #  1.0 CPUs utilized\n"
			       "  2,000,000,000  cycles       #  2.0 GHz\n"
			       "      [83.31%]\n"
			       "  <not counted>  LLC-loads\n"
			       "   1.001  seconds time elapsed\n\nafter:\n"
			       "     900.00 msec task-clock   #  1.0 CPUs utilized\n"
			       "  1,800,000,000  cycles       #  2.0 GHz\n";

static void two_runs_are_two_captures_with_their_labels(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(document_freep) struct document *doc = NULL;
	const struct counters *k;

	(void)state;
	assert_int_equal(document_from_memory(str_of(two_runs), NULL, &doc, NULL), OK);
	assert_int_equal(load_document(d, doc, "made.txt", NULL, NULL), OK);
	assert_int_equal(d->captures.len, 2);
	k = d->captures.data[0]->counters;
	assert_int_equal(k->rows.len, 4);
	assert_str(strings_get(&d->strings, k->label), "before");
	assert_near(k->rows.data[1].running, 83.31, 1e-9); /* the row was broken into two lines */
	assert_int_equal(k->rows.data[2].state, COUNTER_NOT_COUNTED);
	assert_int_equal(k->rows.data[3].line, 8);
	k = d->captures.data[1]->counters;
	assert_int_equal(k->rows.len, 2);
	assert_str(strings_get(&d->strings, k->label), "after");
}

static struct dossier *stat_load(const char *text)
{
	struct dossier *d = dossier_new();
	CLEANUP(document_freep) struct document *doc = NULL;

	assert_int_equal(document_from_memory(str_of(text), NULL, &doc, NULL), OK);
	if (load_document(d, doc, "made.txt", NULL, NULL) < 0)
		assert_int_equal(d->captures.len, 0);
	return d;
}

#define HEAD " Performance counter stats for 'system wide':\n\n"
#define END  "\n       1.001234567 seconds time elapsed\n"

/* Expects @n counters below a head and the lines @text; the @at-th one is @value of @name. */
static void assert_metric(const char *text, size_t n, size_t at, const char *name, double value)
{
	struct dossier *d = stat_load(text);
	const struct counters *k = d->captures.len ? d->captures.data[0]->counters : NULL;

	assert_int_equal(k ? k->rows.len : 0, n);
	if (n) {
		assert_str(strings_get(&d->strings, k->rows.data[at].name), name);
		assert_near(counter_value(&k->rows.data[at]), value, 1e-9);
	}
	dossier_free(d);
}

static void columns_of_metrics_are_counters(void **state)
{
	(void)state;
	assert_metric(HEAD "      GHz  insn per cycle \n      2.1            0.45 \n" END, 3, 1,
		      "insn per cycle", 0.45);
	/* one blank between titles: 20 characters fill a column */
	assert_metric(HEAD "   insn per cycle frontend cycles idle GHz \n   0.4  31.2%  2.0 \n" END,
		      4, 1, "frontend cycles idle", 31.2);
	assert_metric(HEAD " %  tma_retiring %  tma_backend_bound \n   11,5   34,9 \n" END, 3, 1,
		      "tma_backend_bound", 34.9);
	/* a value less than titles */
	assert_metric(HEAD "      GHz  insn per cycle \n      2.1 \n" END, 1, 0,
		      "seconds time elapsed", 1.001234567);
	/* without a head, two metrics of the topdown method or a time are needed */
	assert_metric("S0-D0-C0 2 38.0% 1.9%\n", 0, 0, "", 0);
	assert_metric("     retiring      bad speculation \nS0-D0-C0   2   38.0%  -1.9% \n", 2, 1,
		      "bad speculation", -1.9);
	assert_metric("     retiring      GHz \nS0-D0-C0   2   38.0%  1.9 \n", 0, 0, "", 0);
	assert_metric("#           time      GHz \n     1.000373951     1.9 \n", 1, 0, "GHz", 1.9);
}

static void titles_that_perf_repeats_begin_no_table(void **state)
{
	static const char head[] = "#           time             counts unit events\n";
	char text[512], one[] = "2.000373951              812      page-faults\n";
	char two[] = "2.000373951              912      page-faults\n";
	struct dossier *d;

	(void)state;
	for (int second = 2; second <= 3; second++) {
		two[0] = (char)('0' + second);
		(void)snprintf(text, sizeof(text), "%s%s%s%s", head, one, head, two);
		d = stat_load(text);
		/* the same time again: another run */
		assert_int_equal(d->captures.len, second == 2 ? 2 : 1);
		dossier_free(d);
	}
}

static void names_of_all_vendors_have_roles(void **state)
{
	(void)state;
	assert_int_equal(counter_role_of(STR("cpu_core/cycles/u")), COUNTS_CYCLES);
	assert_int_equal(counter_role_of(STR("CPU_CLK_UNHALTED.THREAD")), COUNTS_CYCLES);
	assert_int_equal(counter_role_of(STR("instructions:uk")), COUNTS_INSTRUCTIONS);
	assert_int_equal(counter_role_of(STR("dTLB-load-misses")), COUNTS_DTLB_MISSES);
	assert_int_equal(counter_role_of(STR("mem_load_l3_hit_retired.xsnp_hitm")), COUNTS_HITM);
	assert_int_equal(counter_role_of(STR("kmem:kfree")), COUNTS_NONE);
}

static void words_name_a_side(void **state)
{
	(void)state;
	assert_int_equal(side_of_words(STR("Before:")), SIDE_BASE);
	assert_int_equal(side_of_words(STR("without this patch")), SIDE_BASE);
	assert_int_equal(side_of_words(STR("vanilla kernel 5.10")), SIDE_BASE);
	assert_int_equal(side_of_words(STR("With the patch applied")), SIDE_CHANGED);
	assert_int_equal(side_of_words(STR("after")), SIDE_CHANGED);
	assert_int_equal(side_of_words(STR("before and after")), SIDE_UNKNOWN);
	assert_int_equal(side_of_words(STR("some run")), SIDE_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(separators_of_all_locales_are_read),
		cmocka_unit_test(three_digits_after_a_dot_depend_on_the_counter),
		cmocka_unit_test(a_row_has_all_its_parts),
		cmocka_unit_test(separated_fields_and_json_are_rows),
		cmocka_unit_test(prose_and_tables_of_others_are_nobodys),
		cmocka_unit_test(cpu_time_is_user_and_system_time_with_both_errors),
		cmocka_unit_test(two_runs_are_two_captures_with_their_labels),
		cmocka_unit_test(columns_of_metrics_are_counters),
		cmocka_unit_test(titles_that_perf_repeats_begin_no_table),
		cmocka_unit_test(names_of_all_vendors_have_roles),
		cmocka_unit_test(words_name_a_side),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
