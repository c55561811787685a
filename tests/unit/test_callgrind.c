/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "formats/format.h"
#include "texts.h"

/* The share of the calls from @caller to @callee, in percent. */
static double call_of(const struct capture *c, const char *caller, const char *callee)
{
	const struct profile_table *t = &c->profile->table;
	const struct symbols *s = capture_symbols(c);

	VEC_FOREACH (trace, &t->traces) {
		const sym_id *syms = &t->trace_syms.data[trace->first];

		if (str_eq(symbols_name(s, syms[0]), str_of(callee)) &&
		    str_eq(symbols_name(s, syms[1]), str_of(caller)))
			return profile_value(c->profile, trace->weight);
	}
	return 0;
}

static uint64_t counted(const struct capture *c, const char *what)
{
	VEC_FOREACH (entry, &c->diag.entries) {
		if (str_eq(str_of(entry->kind->counter), str_of(what)))
			return entry->count;
	}
	return 0;
}

#define is_near(a, b) assert_true((a) > (b)-2e-6 && (a) < (b) + 2e-6)
#define HEAD          "version: 1\npositions: line\nevents: Ir Dr\n"

static void costs_belong_to_the_function_above_and_calls_to_the_callee(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c = text_detect(d, HEAD "ob=(1) /usr/bin/shelfd\n"
						      "fn=(1) main\n3 100 9\n"
						      "cob=(2) /usr/lib/libc.so.6\ncfn=(2) strcmp\n"
						      "calls=7 5\n+1 700 80\n* 50\n"
						      "cfn=(3) fill\ncalls=1 9\n+2 150\n"
						      "fn=(3)\n9 150\nob=(2)\nfn=(2)\n5 700 80\n");

	(void)state;
	assert_string_equal(c->format, "callgrind");
	assert_int_equal(c->profile->event_count, 1000);
	is_near(text_self(c, "main"), 15);
	is_near(text_children(c, "main"), 100);
	is_near(text_self(c, "strcmp"), 70);
	is_near(call_of(c, "main", "strcmp"), 70);
	is_near(call_of(c, "main", "fill"), 15);
	/* cob= applies to one call only: fill is in the object of main again */
	assert_true(
		str_ends(strings_get(capture_strings(c), text_row(c, "fill")->dso), STR("shelfd")));
	assert_true(str_ends(strings_get(capture_strings(c), text_row(c, "strcmp")->dso),
			     STR("libc.so.6")));
}

static void levels_of_recursion_are_one_function(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c =
		text_detect(d, HEAD "fn=main\n1 100\ncfn=walk\ncalls=1 4\n2 900\n"
				    "fn=walk\n4 300\ncfn=walk'2\ncalls=1 4\n5 600\n"
				    "fn=walk'2\n4 600\ncfn=walk'2\ncalls=9 4\n5 550\n");

	(void)state;
	is_near(text_self(c, "walk"), 90);
	is_near(text_children(c, "walk"), 90);
	assert_int_equal(counted(c, "callgrind-cycles"), 0);
}

static void cycles_are_limited_to_the_whole_and_counted(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c =
		text_detect(d, HEAD "fn=main\n1 100\ncfn=even\ncalls=1 4\n2 900\n"
				    "fn=even\n4 450\ncfn=odd\ncalls=9 4\n5 800\n"
				    "fn=odd\n4 450\ncfn=even\ncalls=9 4\n5 800\n");

	(void)state;
	is_near(text_children(c, "even"), 100);
	is_near(text_children(c, "odd"), 80);
	assert_int_equal(counted(c, "callgrind-cycles"), 1);
}

static void damage_is_counted(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c = text_detect(d, HEAD "summary: 999 5\nfn=main\n1 100\n1 x7\n"
						      "fn=(9)\n2 50\nfn=fill\n3 50\n");

	(void)state;
	assert_int_equal(counted(c, "callgrind-lines"), 1);
	assert_int_equal(counted(c, "callgrind-names"), 1);
	assert_int_equal(counted(c, "callgrind-total"), 1);
	is_near(text_self(c, "main"), 50);
}

static void positions_are_relative_and_may_be_two(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c = text_detect(d, "positions: instr line\nevents: cpu(ms)\n"
						 "fn=(1) main.fill\n0x46130e 372 310\n+14 -3 140\n"
						 "fn=(2) main.main\n* * 50\n-0x20 +1\n"
						 "fn=(3) main.idle\n1 1 0\n");

	(void)state;
	assert_int_equal(c->profile->event_count, 500000000); /* ms are stored as ns */
	assert_string_equal(strings_get(capture_strings(c), c->profile->event).p, "cpu");
	is_near(text_self(c, "main.fill"), 90);
	assert_null(text_row(c, "main.idle"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(costs_belong_to_the_function_above_and_calls_to_the_callee),
		cmocka_unit_test(levels_of_recursion_are_one_function),
		cmocka_unit_test(cycles_are_limited_to_the_whole_and_counted),
		cmocka_unit_test(damage_is_counted),
		cmocka_unit_test(positions_are_relative_and_may_be_two),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
