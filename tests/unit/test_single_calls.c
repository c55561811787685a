/* SPDX-License-Identifier: MIT */
/* Calls that change their CPU, and the one call that has the time of its callers. */
#include "unit.h"

#include "lines.h"

#include "base/status.h"
#include "base/str.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/dossier.h"

#include <stdio.h>

static const char head[] = "# tracer: function_graph\n"
			   "#\n"
			   "# CPU  TASK/PID         DURATION                  FUNCTION CALLS\n"
			   "# |     |    |           |   |                     |   |   |   |";
static void begin(void)
{
	if (!lines_text[0])
		lines_add("%s", head);
}

/* Begin a call at indent @depth; closes() ends it after @us. */
static void opens(unsigned int cpu, unsigned int depth, const char *name)
{
	begin();
	lines_add(" %u)   app-100    |               |  %*s%s() {", cpu, (int)depth * 2, "", name);
}

static void closes(unsigned int cpu, unsigned int depth, double us)
{
	begin();
	lines_add(" %u)   app-100    | %10.3f us |  %*s}", cpu, us, (int)depth * 2, "");
}

static void leaf(unsigned int cpu, unsigned int depth, double us, const char *name)
{
	begin();
	lines_add(" %u)   app-100    | %10.3f us |  %*s%s();", cpu, us, (int)depth * 2, "", name);
}

static void moves_are_noted_for_the_calls_that_end_elsewhere(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = NULL;
	const struct calls *c;

	(void)state;
	opens(0, 0, "shop_sync");
	leaf(0, 1, 0.5, "shop_lock");
	opens(0, 1, "shop_wait");
	closes(3, 1, 40);
	closes(3, 0, 41);
	opens(3, 0, "shop_read");
	closes(3, 0, 2);
	d = lines_load();
	c = d->captures.data[0]->calls;
	assert_int_equal(c->moves.len, 2);
	assert_int_equal(c->moves.data[0].call, 2);
	assert_int_equal(c->moves.data[0].line, 8);
	assert_int_equal(c->moves.data[0].cpu, 3);
	assert_int_equal(c->moves.data[1].call, 0);
}

/* A call of @us that migrated to another CPU, in a trace of 1 ms. */
static const char *moved(double us)
{
	opens(0, 0, "shop_wait");
	closes(1, 0, us);
	for (unsigned int i = 0; i < 4; i++)
		leaf(1, 0, (1000 - us) / 4, "shop_read");
	return lines_claim("migrated-call");
}

static void a_move_counts_from_five_percent_of_the_trace(void **state)
{
	(void)state;
	assert_string_equal(moved(49), "");
	assert_string_equal(moved(51), "shop_wait took 51 \xc2\xb5s and changed its CPU "
				       "meanwhile: it began on CPU 0 and ended on CPU 1");
}

/* @n calls of 2 us, and one of @us that migrated. */
static const char *slow(unsigned int n, double us)
{
	for (unsigned int i = 0; i < n; i++) {
		opens(0, 0, "shop_read");
		closes(0, 0, 2);
	}
	opens(0, 0, "shop_read");
	closes(1, 0, us);
	leaf(1, 0, 5000, "shop_other");
	return lines_claim("migrated-call");
}

static void a_move_counts_from_three_times_the_median_of_five_calls(void **state)
{
	(void)state;
	assert_string_equal(slow(4, 5.9), "");
	assert_non_null(strstr(slow(4, 6), "half of its calls take at most 2 "));
	assert_string_equal(slow(3, 6), "");
}

static void the_innermost_call_that_moved_is_named(void **state)
{
	(void)state;
	opens(0, 0, "shop_sync");
	opens(0, 1, "shop_wait");
	closes(1, 1, 30);
	leaf(1, 1, 50, "shop_lock");
	closes(1, 0, 90);
	assert_memory_equal(lines_claim("migrated-call"), "shop_wait took", 14);
}

/* A call of @us inside a call of 100 us. */
static const char *passed_on(double us)
{
	opens(0, 0, "shop_sync");
	opens(0, 1, "shop_store");
	leaf(0, 2, us / 2, "shop_read");
	leaf(0, 2, us / 2.5, "shop_write");
	closes(0, 1, us);
	closes(0, 0, 100);
	return lines_claim("one-call");
}

static void the_last_call_with_nine_tenths_of_its_caller_is_the_place(void **state)
{
	(void)state;
	assert_string_equal(passed_on(89), "");
	assert_string_equal(passed_on(91),
			    "One call of shop_store takes 91 \xc2\xb5s, 91.0 % of the call of "
			    "shop_sync around it (100 \xc2\xb5s), 1 level below it");
}

/* A call of @us, @peers short calls of the same function, and other calls of @rest us in all. */
static const char *half(double us, double rest, unsigned int peers)
{
	for (unsigned int i = 0; i < peers; i++) {
		opens(0, 0, "shop_sync");
		leaf(0, 1, 0.5, "shop_lock");
		closes(0, 0, 1);
	}
	opens(0, 0, "shop_sync");
	leaf(0, 1, us - 0.1, "shop_store");
	closes(0, 0, us);
	leaf(0, 0, rest / 2, "shop_other");
	leaf(0, 0, rest / 2, "shop_other");
	return lines_claim("one-call");
}

static void one_call_has_half_of_a_trace_with_few_of_its_kind(void **state)
{
	(void)state;
	assert_string_equal(half(49, 51, 0), "");
	assert_string_not_equal(half(51, 49, 0), "");
	assert_string_not_equal(half(51, 45, 3), "");
	assert_string_equal(half(51, 44, 4), "");
	assert_string_equal(half(9.9, 1, 0), "");
	assert_string_not_equal(half(10.1, 1, 0), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(moves_are_noted_for_the_calls_that_end_elsewhere),
		cmocka_unit_test(a_move_counts_from_five_percent_of_the_trace),
		cmocka_unit_test(a_move_counts_from_three_times_the_median_of_five_calls),
		cmocka_unit_test(the_innermost_call_that_moved_is_named),
		cmocka_unit_test(the_last_call_with_nine_tenths_of_its_caller_is_the_place),
		cmocka_unit_test(one_call_has_half_of_a_trace_with_few_of_its_kind),
	};

	return cmocka_run_group_tests_name("single_calls", tests, NULL, NULL);
}
