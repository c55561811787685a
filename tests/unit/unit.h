/* SPDX-License-Identifier: MIT */
/*
 * unit.h - what every unit test includes first
 */
#ifndef UNIT_H
#define UNIT_H

/* clang-format off */
/* cmocka 1.1 needs the four headers before it, and its fail() is our word too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */
#undef fail

#include "base/str.h"

/* Leave a test whose input is not here. cmocka's skip() prints "not ok", which meson fails. */
#define SKIP_TEST(reason)                        \
	do {                                     \
		print_message("# %s\n", reason); \
		return;                          \
	} while (0)

/* cmocka's own compares floats. */
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
