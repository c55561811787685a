/* SPDX-License-Identifier: MIT */
/*
 * browse_flame.h - the call tree as a flame graph on the terminal. Callers are above callees; the
 * width of a frame is its share.
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
 * Draw @tree, one line for each level. If @place->zoom is not INDEX_NONE, draw only this node with
 * the levels below and above it. The frame @place->at is in reverse video.
 */
void browse_flame_draw(const struct capture *c, const struct tree *tree,
		       const struct browse_place *place, const struct text_options *text,
		       struct out *out);
/*
 * The frame to which the cursor moves from the frame @at by one step, such as "left" or "up".
 * Returns @at if there is no frame in that direction.
 */
uint32_t browse_flame_step(const struct tree *tree, uint32_t zoom, uint32_t at,
			   enum browse_step step);

#endif
