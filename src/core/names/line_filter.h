/* SPDX-License-Identifier: MIT */
/* line_filter.h - the program of a command line that leaves out lines: "strace ls |& grep config"
 */
#ifndef CORE_LINE_FILTER_H
#define CORE_LINE_FILTER_H

#include "base/str.h"

struct line_filter {
	struct str by; /* the program, without its folder: "grep"; empty: no line is left out */
	/* the program prints neighbouring lines only (head, tail), so their order is whole */
	bool is_cut;
};

/*
 * The filter of @command. It is a program behind a pipe that can leave out lines, or grep as the
 * first program. One that leaves out lines in the middle goes before head and tail. Of several
 * commands ("a; b", "a && b") the last one counts. Cost: O(length of @command).
 */
struct line_filter line_filter_of(struct str command);

#endif
