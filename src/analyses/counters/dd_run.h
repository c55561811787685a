/* SPDX-License-Identifier: MIT */
/*
 * dd_run.h - the figures that dd prints at its end, and the operands of its command
 */
#ifndef ANALYSES_DD_RUN_H
#define ANALYSES_DD_RUN_H

#include "base/str.h"

#include <stdbool.h>

struct capture;
struct counter;

struct dd_run {
	const struct counter *elapsed;
	double seconds, bytes;
	double records;     /* whole records that dd wrote; 0: not printed */
	struct str command; /* "if=/dev/zero of=t bs=4k", the words after "dd"; empty: unknown */
};

/* Read the run of dd in @c. False: @c is none, or its bytes or its time are not printed. */
bool dd_run_of(const struct capture *c, struct dd_run *ret);
/* Whether an operand of @r matches @pattern (str_glob). */
bool dd_run_has(const struct dd_run *r, const char *pattern);

#endif
