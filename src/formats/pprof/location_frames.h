/* SPDX-License-Identifier: MIT */
/*
 * location_frames.h - frames of stacks that refer to rows in a table of locations (pprof, OTLP)
 *
 * A location stands for a function and the functions that were inlined into it. Each of these
 * functions is a frame. The symbols of these frames are looked up when a stack first uses the
 * location.
 */
#ifndef FORMATS_LOCATION_FRAMES_H
#define FORMATS_LOCATION_FRAMES_H

#include "base/vec.h"
#include "core/ids.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stacks;

struct location_frames {
	/*
	 * frames of all locations made so far; the frames of one location follow each other,
	 * outermost first
	 */
	VEC(sym_id) syms;
	/*
	 * for each row of the table of locations: index in `syms` of its first frame, plus 1; 0:
	 * its frames are not made yet
	 */
	VEC(uint32_t) first;
	VEC(uint32_t) n; /* for each row of the table of locations: number of its frames */
};

void location_frames_init(struct location_frames *l, size_t n_rows);
void location_frames_fini(struct location_frames *l);
bool location_frames_is_made(const struct location_frames *l, size_t row);
/* Append a frame to l->syms. The caller adds the frames of a location innermost first. */
void location_frames_add(struct location_frames *l, sym_id sym);
/*
 * Complete the location in row @row. Its frames are the elements of l->syms from index @begin on.
 * Their order is reversed, so that the outermost frame comes first.
 */
void location_frames_make(struct location_frames *l, size_t row, size_t begin);
/*
 * Push the frames of the location in row @row on the stack *@at. The location must be complete
 * (location_frames_make()). *@depth: number of frames of the stack; it grows. False: the stack
 * reached LIMIT_STACK_DEPTH frames, so some frames were dropped.
 */
bool location_frames_push(const struct location_frames *l, size_t row, struct stacks *s,
			  stack_id *at, uint32_t *depth);

#endif
