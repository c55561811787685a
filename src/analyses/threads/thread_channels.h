/* SPDX-License-Identifier: MIT */
/*
 * thread_channels.h - goroutines that wait for a channel inside a function that others call
 *
 * A worker without work receives in its own loop: in the function that the go statement started. A
 * function that receives and is called by others may hand out resources, such as connections. If
 * such a function has several callers, the waiting goroutines are in the middle of their work.
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
	uint32_t row;     /* row of the first goroutine that waits in `place` */
	uint32_t callers; /* number of different functions that call `place` directly */
	/*
	 * largest number of the program's functions that call `place`, directly or indirectly, on
	 * one stack
	 */
	uint32_t distance;
	/*
	 * Number of goroutines with two different direct callers of `place` on their stack: the
	 * second one, `outer`, is further out. Such a goroutine may already hold a resource while
	 * it waits for a second one.
	 */
	uint64_t nested;
	uint32_t nested_row; /* row of the first goroutine that is counted in `nested` */
	sym_id outer;        /* the second direct caller on the stack of row `nested_row` */
};

/*
 * Find the function in which most goroutines receive or select, of those that other functions of
 * the program call. False: there is none. Cost: O(rows * frames), for at most 64 functions, and 16
 * callers of each.
 */
bool thread_channels_find(const struct threads_summary *s, struct thread_channels *ret);

#endif
