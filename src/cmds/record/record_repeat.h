/* SPDX-License-Identifier: MIT */
/* record_repeat.h - several runs of one command, or of two in turn */
#ifndef CMDS_RECORD_REPEAT_H
#define CMDS_RECORD_REPEAT_H

#include <stdint.h>

struct record_options;
struct record_spec;

#define RECORD_REPEAT_MAX 64u /* runs of a command; the limit of diff */

struct record_repeat {
	uint64_t n;
	/* record @spec->argv into @spec->output in this process; returns its exit status */
	int (*record)(const struct record_options *o, struct record_spec *spec);
	const struct record_options *options;
};

/*
 * Record @spec->argv, `A --vs B` or `A`, @r->n times each, in turn, into files next to
 * @spec->output (FILE.a1, FILE.b1; FILE.1), then compare both. Returns the exit status: that of
 * the comparison.
 */
int record_repeat(const struct record_repeat *r, struct record_spec *spec);

#endif
