/* SPDX-License-Identifier: MIT */
/* record_repeat.h - record several runs of one command, or of two commands in turn */
#ifndef CMDS_RECORD_REPEAT_H
#define CMDS_RECORD_REPEAT_H

#include <stdint.h>

struct record_options;
struct record_spec;

#define RECORD_REPEAT_MAX 64u /* most runs per command, which is the limit of diff */

struct record_repeat {
	uint64_t n;
	/* records @spec->argv into @spec->output in this process; returns the exit status */
	int (*record)(const struct record_options *o, struct record_spec *spec);
	const struct record_options *options;
};

/*
 * Record the command @spec->argv, which is `A` or `A --vs B`, @r->n times each. Files are named
 * after @spec->output: FILE.1, or FILE.a1 and FILE.b1. Two commands run in turn and are then
 * compared. Returns the exit status; if there are two commands, it is that of the comparison.
 */
int record_repeat(const struct record_repeat *r, struct record_spec *spec);

#endif
