/* SPDX-License-Identifier: MIT */
/*
 * thread_cross.h - two threads that wait for locks inside each other's objects
 *
 * A dump may show a deadlock even if it does not print the owners of locks. It must print the
 * object on which each method was called. One thread waits for a lock in a method of object X,
 * which a method of object Y called. Another thread waits in a method of Y, which a method of X
 * called. If the calling methods hold the locks of their objects, neither thread can continue.
 */
#ifndef ANALYSES_THREAD_CROSS_H
#define ANALYSES_THREAD_CROSS_H

#include <stdbool.h>
#include <stdint.h>

struct threads_summary;

struct thread_cross {
	uint32_t rows[2];
	/*
	 * for each of the two threads: index of the frame that shows the other thread's object. It
	 * is a method of that object, and a direct or indirect caller of the waiting function
	 */
	uint32_t outer[2];
};

/*
 * Find the first pair of threads that wait inside each other's objects. False: there is none, or
 * the dump prints owners of locks, or it prints no objects. Cost: 64 frames for each pair of
 * threads that wait for a lock; only the first 256 such threads are examined.
 */
bool thread_cross_find(const struct threads_summary *s, struct thread_cross *ret);

#endif
