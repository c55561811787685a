/* SPDX-License-Identifier: MIT */
/* unit.h - included first in every unit test */
#ifndef UNIT_H
#define UNIT_H

/* clang-format off */
/* cmocka 1.1 needs the four headers before it, and its fail() clashes with ours. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
/* clang-format on */
#undef fail

#include "base/str.h"

/*
 * Leave a test whose input is missing; the reason names the missing input.
 *
 * cmocka's skip() jumps out of the function and leaks everything it owns. So the test returns
 * first, and unit_run() skips it afterwards.
 */
#define SKIP_TEST(reason)                \
	do {                             \
		unit_skipped = (reason); \
		return;                  \
	} while (0)

/* The top folder of the sources: meson sets it; tests that are run by hand stand in it. */
static inline const char *unit_source(void)
{
	const char *source = getenv("ASSAY_SOURCE");

	return source ? source : ".";
}

static const char *unit_skipped;
/* The setup of a group passes data to its tests: their *state. */
static void *unit_state;

static inline void unit_run(void **state)
{
	void (*test)(void **) = (void (*)(void **)) * state;

	unit_skipped = NULL;
	test(&unit_state);
	if (!unit_skipped)
		return;
	/* tests/lib/unit_tap.sh appends the reason to the name */
	print_message("# SKIP %s\n", unit_skipped);
	skip();
}

#undef cmocka_unit_test
#define cmocka_unit_test(f)                           \
	{                                             \
#f, unit_run, NULL, NULL, (void *)(f) \
	}

/* cmocka's assert_float_equal() has only the precision of a float. */
#define assert_near(actual, expected, by)                                                \
	do {                                                                             \
		double a_ = (actual);                                                    \
		double e_ = (expected);                                                  \
		if (!(a_ - e_ <= (by) && e_ - a_ <= (by))) {                             \
			print_error("%.12g is not %.12g +- %g\n", a_, e_, (double)(by)); \
			_fail(__FILE__, __LINE__);                                       \
		}                                                                        \
	} while (0)

#define assert_str(actual, literal)                                                       \
	do {                                                                              \
		struct str a_ = (actual);                                                 \
		if (!str_eq(a_, str_of(literal))) {                                       \
			print_error("'" STR_FMT "' is not '%s'\n", STR_ARG(a_), literal); \
			_fail(__FILE__, __LINE__);                                        \
		}                                                                         \
	} while (0)

#endif
