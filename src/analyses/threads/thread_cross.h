/* SPDX-License-Identifier: MIT */
/*
 * thread_cross.h - two threads that wait for locks inside each other's objects
 *
 * Even without owners of locks, a dump may show a deadlock by the objects of its methods. One
 * thread waits for a lock in a method of object X, called by a method of object Y. Another thread
 * waits in a method of Y, called by a method of X. If the outer methods hold the locks of their
 * objects, neither thread can continue.
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
