/* SPDX-License-Identifier: MIT */
/* browse_flame.h - the call tree as a flame graph on the terminal: callers above, widths are shares
 */
#ifndef CMDS_BROWSE_FLAME_H
#define CMDS_BROWSE_FLAME_H

#include <stdbool.h>
#include <stdint.h>

struct browse_place;
struct capture;
struct out;
struct text_options;
struct tree;

enum browse_step { FLAME_UP, FLAME_DOWN, FLAME_LEFT, FLAME_RIGHT };

/*
 * Write a line for each level of @tree below @place->zoom (INDEX_NONE: all), and the levels above
 * it. The frame @place->at is in reverse.
 */
void browse_flame_draw(const struct capture *c, const struct tree *tree,
		       const struct browse_place *place, const struct text_options *text,
		       struct out *out);
/* The frame that a step from @at leads to; @at if there is none. */
uint32_t browse_flame_step(const struct tree *tree, uint32_t zoom, uint32_t at,
			   enum browse_step step);

#endif
