/* SPDX-License-Identifier: MIT */
/* line_filter.h - the program of a command line that removes lines: "strace ls |& grep config" */
#ifndef CORE_LINE_FILTER_H
#define CORE_LINE_FILTER_H

#include "base/str.h"

struct line_filter {
	/* the program, without its folder: "grep"; empty: no program removes lines */
	struct str by;
	/*
	 * the program keeps a block of consecutive lines (head, tail), so no line inside the block
	 * is missing
	 */
	bool is_cut;
};

/*
 * The filter of @command: a program after a pipe that can remove lines, or grep as the first
 * program. A filter such as grep, which removes any lines, is preferred to head and tail. If there
 * are several commands ("a; b", "a && b"), the last one counts. Cost: O(length of @command).
 */
struct line_filter line_filter_of(struct str command);

#endif
