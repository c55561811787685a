/* SPDX-License-Identifier: MIT */
/* record_repeat.h - record several runs of a command, or of two commands alternately */
#ifndef CMDS_RECORD_REPEAT_H
#define CMDS_RECORD_REPEAT_H

#include <stdint.h>

struct record_options;
struct record_spec;

/* maximum number of runs per command: `assay diff` accepts no more inputs per side */
#define RECORD_REPEAT_MAX 64u

struct record_repeat {
	uint64_t n;
	/*
	 * record the command @spec->argv into the file @spec->output, in this process; returns the
	 * exit status
	 */
	int (*record)(const struct record_options *o, struct record_spec *spec);
	const struct record_options *options;
};

/*
 * Run and record @spec->argv @r->n times. @spec->argv is one command, or two: "A --vs B".
 * Recordings are named after @spec->output: FILE.1, or FILE.a1 and FILE.b1. Two commands run
 * alternately, and their recordings are then compared. Returns the exit status, for two commands
 * that of the comparison.
 */
int record_repeat(const struct record_repeat *r, struct record_spec *spec);

#endif
