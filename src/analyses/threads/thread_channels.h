/* SPDX-License-Identifier: MIT */
/*
 * thread_channels.h - goroutines that wait for a channel inside a function that others call
 *
 * A worker without work receives in its own loop: the function that the go statement started. A
 * function that receives and is called by others may hand out resources, such as connections. If it
 * has several callers, those are in the middle of their work.
 */
#ifndef ANALYSES_THREAD_CHANNELS_H
#define ANALYSES_THREAD_CHANNELS_H

#include "core/ids.h"

#include <stdbool.h>
#include <stdint.h>

struct threads_summary;

struct thread_channels {
	sym_id place;      /* the function that receives */
	uint64_t threads;  /* goroutines that wait in `place` */
	uint32_t row;      /* row of the first of them */
	uint32_t callers;  /* number of different functions that call `place` directly */
	uint32_t distance; /* most functions of the program outside of `place` on one stack */
	/*
	 * Goroutines that reached `place` through an outer function which calls `place` itself on
	 * another stack. They may hold a resource already, and wait for a second one.
	 */
	uint64_t nested;
	uint32_t nested_row; /* row of the first of them */
	sym_id outer;        /* that outer function */
};

/*
 * Find the called function in which most goroutines receive or select. False: there is none. Cost:
 * O(rows * frames), for at most 64 functions, and 16 callers of each.
 */
bool thread_channels_find(const struct threads_summary *s, struct thread_channels *ret);

#endif
