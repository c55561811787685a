/* SPDX-License-Identifier: MIT */
/*
 * location_frames.h - stacks that are lists of rows in a table of locations (pprof, OTLP)
 *
 * A location stands for a function and the functions that were inlined into it. Each of these is a
 * frame. The symbols of the frames are looked up when a stack first uses the location.
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
	 * frames of the locations that were made so far; those of one location are outermost first
	 */
	VEC(sym_id) syms;
	/*
	 * per row of the table of locations: index in `syms` of its first frame, plus 1; 0: not
	 * made yet
	 */
	VEC(uint32_t) first;
	VEC(uint32_t) n; /* per row of the table of locations: number of its frames */
};

void location_frames_init(struct location_frames *l, size_t n_rows);
void location_frames_fini(struct location_frames *l);
bool location_frames_is_made(const struct location_frames *l, size_t row);
/* Append a frame to `syms`. The caller adds the frames of a location innermost first. */
void location_frames_add(struct location_frames *l, sym_id sym);
/*
 * Finish location @row. Its frames are the elements of `syms` from index @begin on. Reverses their
 * order, so that the outermost frame comes first.
 */
void location_frames_make(struct location_frames *l, size_t row, size_t begin);
/*
 * Push the frames of location @row on the stack *@at. location_frames_make() must have made the
 * location. *@depth: number of frames of the stack; it is increased. False: the stack has
 * LIMIT_STACK_DEPTH frames, and the other frames were dropped.
 */
bool location_frames_push(const struct location_frames *l, size_t row, struct stacks *s,
			  stack_id *at, uint32_t *depth);

#endif
