/* SPDX-License-Identifier: MIT */
/*
 * thread_cross.h - two threads that wait for locks inside each other's objects
 *
 * A dump without owners shows a deadlock by receivers: one thread waits for a lock in a method of
 * object X, called by a method of object Y, and another thread waits in a method of Y, called by a
 * method of X. If the outer methods hold the locks of their objects, neither can continue.
 */
#ifndef ANALYSES_THREAD_CROSS_H
#define ANALYSES_THREAD_CROSS_H

#include <stdbool.h>
#include <stdint.h>

struct threads_summary;

struct thread_cross {
	uint32_t rows[2];
	/*
	 * for each of the two rows, number of a frame that calls the waiting function, directly or
	 * not, and is a method of the object in which the other thread waits
	 */
	uint32_t outer[2];
};

/*
 * Find the first such pair of threads. False: there is none, or the dump prints owners of locks, or
 * no objects. Cost: the square of the number of threads that wait for a lock (the first 256 count),
 * times 64 frames.
 */
bool thread_cross_find(const struct threads_summary *s, struct thread_cross *ret);

#endif
