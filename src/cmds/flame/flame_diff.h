/* SPDX-License-Identifier: MIT */
/*
 * flame_diff.h - a comparison as a flame graph
 */
#ifndef CMDS_FLAME_DIFF_H
#define CMDS_FLAME_DIFF_H

#include "cmds/diff/diff_pick.h"

struct session;
struct svg_flame_options;

struct flame_diff_command {
	struct diff_wish wish;
	bool is_of_a; /* the width of a frame is its weight in A, not in B */
};

/*
 * Compare the loaded inputs of @s and draw the result. There are two inputs, or one that contains
 * both sides. @o: title, width, layout. Returns the exit status; messages go to stderr.
 */
int flame_diff_draw(struct session *s, const struct flame_diff_command *c,
		    struct svg_flame_options *o);

#endif
