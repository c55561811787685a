/* SPDX-License-Identifier: MIT */
/*
 * thread_channels.h - goroutines that wait for a channel inside a function that others call
 *
 * A worker without work receives in its own loop: in the function that the go statement started. A
 * function that receives and is called by others may hand out resources, such as connections. If it
 * has several callers, these callers are in the middle of their work.
 */
#ifndef ANALYSES_THREAD_CHANNELS_H
#define ANALYSES_THREAD_CHANNELS_H

#include "core/ids.h"

#include <stdbool.h>
#include <stdint.h>

struct threads_summary;

struct thread_channels {
	sym_id place;     /* the function that receives */
	uint64_t threads; /* number of goroutines that wait in `place` */
	uint32_t row;     /* row of the first such goroutine */
	uint32_t callers; /* number of different functions that call `place` directly */
	/* largest number of functions of the program that are outside of `place` on one stack */
	uint32_t distance;
	/*
	 * Number of goroutines that have another direct caller of `place`, `outer`, further out on
	 * their stack. They may already hold a resource while they wait for a second one.
	 */
	uint64_t nested;
	uint32_t nested_row; /* row of the first of these goroutines */
	sym_id outer;        /* the other direct caller on its stack */
};

/*
 * Find the function in which most goroutines receive or select, of those that other functions of
 * the program call. False: there is none. Cost: O(rows * frames), for at most 64 functions, and 16
 * callers of each.
 */
bool thread_channels_find(const struct threads_summary *s, struct thread_channels *ret);

#endif
