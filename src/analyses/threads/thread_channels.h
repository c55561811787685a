/* SPDX-License-Identifier: MIT */
/*
 * thread_channels.h - goroutines that wait for a channel inside a function that others call
 *
 * An idle worker receives from a channel in its own loop, which is in the function that the go
 * statement started. But if other functions call the function that receives, it may hand out a
 * resource, such as a connection. If it has several callers, the waiting goroutines are not idle:
 * they are in the middle of their work.
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
 * Find the function in which most goroutines wait in a receive or a select. Only functions that are
 * called by other functions of the program are candidates. False: there is no candidate. Cost:
 * O(rows * frames), for at most 64 functions, and 16 callers of each.
 */
bool thread_channels_find(const struct threads_summary *s, struct thread_channels *ret);

#endif
