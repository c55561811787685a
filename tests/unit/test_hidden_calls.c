/* SPDX-License-Identifier: MIT */
/* How a depth limit is found; test_tracer_cost.c counts the calls that it hides. */
#include "unit.h"

#include "analyses/calls/hidden_calls.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/strings.h"
#include "core/symbols.h"

static void a_number_follows_its_word(void **state)
{
	static const char *const words[] = { "max_depth", "-D", NULL };
	static const struct {
		const char *command;
		uint64_t number;
	} cases[] = {
		{ "", 0 },
		{ "perf ftrace -D", 0 },
		{ "perf ftrace -D 7", 7 },
		{ "perf ftrace -D7", 7 },
		{ "perf ftrace -D == 10 -G f", 10 },
		{ "perf ftrace -Dx 7", 0 },
		{ "max_depth=0 -D 3", 3 },
		{ "-D 3 max_depth=4", 4 },
		{ "max_depth=09", 9 },
		{ "max_depth=999999999", 999999999 },
		/* digits after the tenth do not count */
		{ "max_depth=12345678901", 1234567890 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_int_equal(hidden_calls_number(str_of(cases[i].command), words),
				 cases[i].number);
}

/* @n calls of f, of which the last @deep are one level below the first and the others at level 0.
 */
static uint32_t levels(const char *command, uint32_t n, uint32_t deep, bool is_leaf)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct capture *c = dossier_add(d, "test");
	struct calls *calls = capture_calls(c);
	sym_id f = symbols_add_text(&d->symbols, STR("f"), STR_NONE, SPACE_KERNEL, 0);

	c->command = strings_add(&d->strings, str_of(command));
	for (uint32_t i = 0; i < n; i++) {
		bool is_deep = i >= n - deep;
		uint32_t call;

		assert_int_equal(calls_add(calls, f, is_deep ? 0 : INDEX_NONE, 0, is_deep,
					   (uint8_t)(CALL_CLOSED | (is_leaf ? CALL_LEAF : 0)),
					   i + 1, &call),
				 OK);
	}
	return hidden_calls_levels(c);
}

static void a_limit_is_stated_or_shows_in_the_deepest_level(void **state)
{
	(void)state;
	/* stated, and the trace is that deep */
	assert_int_equal(levels("trace-cmd --max-graph-depth 2", 5, 1, true), 2);
	assert_int_equal(levels("max_graph_depth=2", 5, 1, true), 2);
	assert_int_equal(levels("--graph-opts depth=2", 5, 1, true), 2);
	assert_int_equal(levels("perf ftrace -D 2", 5, 1, true), 2);
	assert_int_equal(levels("perf ftrace -D 3", 5, 1, true), 0);
	assert_int_equal(levels("perf ftrace -D 1", 5, 1, true), 0);
	assert_int_equal(levels("perf ftrace -D 1", 5, 0, true), 1);
	assert_int_equal(levels("perf ftrace -D 1", 0, 0, true), 0);
	/* a sixth of at least 32 calls is at the deepest level, and elsewhere f calls others */
	assert_int_equal(levels("", 32, 20, false), 2);
	assert_int_equal(levels("", 31, 20, false), 0);
	assert_int_equal(levels("", 36, 6, false), 2);
	assert_int_equal(levels("", 36, 5, false), 0);
	assert_int_equal(levels("", 36, 0, false), 0);
	assert_int_equal(levels("", 36, 20, true), 0);
}

static void a_quantile_is_of_the_weights(void **state)
{
	struct hidden_points p = { .points = VEC_INIT };

	(void)state;
	assert_near(hidden_points_quantile(&p, 0.5), 0, 0);
	*VEC_PUSH(&p.points) = (struct hidden_point){ 30, 1 };
	*VEC_PUSH(&p.points) = (struct hidden_point){ 10, 2 };
	*VEC_PUSH(&p.points) = (struct hidden_point){ 20, 5 };
	assert_near(hidden_points_quantile(&p, 0), 10, 0);
	assert_near(hidden_points_quantile(&p, 0.25), 10, 0);
	assert_near(hidden_points_quantile(&p, 0.26), 20, 0);
	assert_near(hidden_points_quantile(&p, 0.875), 20, 0);
	assert_near(hidden_points_quantile(&p, 0.88), 30, 0);
	assert_near(hidden_points_quantile(&p, 1), 30, 0);
	VEC_FREE(&p.points);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_number_follows_its_word),
		cmocka_unit_test(a_limit_is_stated_or_shows_in_the_deepest_level),
		cmocka_unit_test(a_quantile_is_of_the_weights),
	};

	return cmocka_run_group_tests_name("hidden calls", tests, NULL, NULL);
}
