/* SPDX-License-Identifier: MIT */
/*
 * waits_build.h - waits while they are summed up
 *
 * waits.c sums them up, waits_kind.c decides the kind and reason of each, waits_quiet.c finds the
 * time without work. Private to waits*.c.
 */
#ifndef ANALYSES_WAITS_BUILD_H
#define ANALYSES_WAITS_BUILD_H

#include "analyses/waits/waits.h"
#include "base/idmap.h"
#include "base/status.h"
#include "base/vec.h"
#include "core/ids.h"

struct capture;
struct sample_field;
struct symbols;

enum waits_said {
	WAITS_SAID_FAULT = WAIT_KINDS,
	WAITS_SAID_KTHREAD,
	WAITS_SAID_RECORDER,
	WAITS_SAID_NOTHING,
	WAITS_NOT_ASKED = 0xff,
};

/* A sleep requested by a thread. */
struct wait_nap {
	uint32_t tid;
	uint64_t from_ns, to_ns;
	uint64_t before_ns; /* sum of the thread's naps up to this one */
};

/* A wait from which a thread goes on by itself: not for a CPU. */
struct wait_rest {
	uint64_t from_ns, to_ns;
	stack_id stack;
	uint32_t tid;
	uint8_t kind; /* enum wait_kind */
};

struct waits_build {
	const struct capture *c;
	const struct symbols *symbols;
	struct waits *ret;
	uint8_t *said;     /* class by symbol */
	uint8_t *by_stack; /* kind by stack node; WAITS_NOT_ASKED */
	uint8_t *kernel;   /* by stack node: the stack of a kernel thread */
	struct idmap threads, stacks, pairs, wakers;
	bool is_chosen; /* samples were filtered, so threads without samples may have waited */
	VEC(struct wait_waker) waker_rows;
	VEC(struct wait_nap) naps;
	VEC(struct wait_rest) rests; /* of user threads and of kernel threads */
	VEC(uint64_t) pair_slept;    /* by pair */
	VEC(uint64_t) pair_locked;   /* by pair, in waits for locks */
	const struct sample_field *wait, *waker, *waker_tid, *reason;
	str_id runnable, interrupt;
};

struct wait_waker {
	uint32_t stack;
	str_id who;
	uint64_t ns;
};

/*
 * Classify a stack from the scheduler outwards. The first function with a class decides; user
 * frames then refine a futex, and a page fault further out makes a disk wait WAIT_MEMORY.
 */
enum wait_kind waits_classify(struct waits_build *b, stack_id stack);
/* Set ret->quiet, from rests and threads. Cost: O(n log n). */
void waits_find_quiet(struct waits_build *b);

#endif
