/* SPDX-License-Identifier: MIT */
/*
 * waits_build.h - state while waits are summed; private to waits*.c
 *
 * waits.c sums waits, waits_kind.c finds the kind and reason of each, waits_quiet.c finds the
 * time in which no thread works.
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

/* A time for which a thread slept voluntarily. */
struct wait_nap {
	uint32_t tid;
	uint64_t from_ns, to_ns;
	uint64_t before_ns; /* sum of the thread's earlier naps */
};

/* A wait other than for a CPU: the thread has nothing to run. */
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
	uint8_t *said;     /* by symbol: enum wait_kind or waits_said */
	uint8_t *by_stack; /* by stack node: enum wait_kind, or WAITS_NOT_ASKED */
	uint8_t *kernel;   /* by stack node: 1 if the stack is of a kernel thread */
	struct idmap threads, stacks, pairs, wakers;
	bool is_chosen; /* samples were selected, so a thread without samples may have waited */
	VEC(struct wait_waker) waker_rows;
	VEC(struct wait_nap) naps;
	VEC(struct wait_rest) rests; /* waits of user threads and of kernel threads */
	/* by pair: time that `by` slept during the waits of `tid` for it */
	VEC(uint64_t) pair_slept;
	VEC(uint64_t) pair_locked; /* by pair: as pair_slept, but only waits for locks */
	const struct sample_field *wait, *waker, *waker_tid, *reason;
	str_id runnable, interrupt;
};

struct wait_waker {
	uint32_t stack;
	str_id who;
	uint64_t ns;
};

/*
 * Find the kind of wait of a stack, from its innermost frame outwards. The first function with a
 * kind decides. User frames then refine a futex. An outer page fault makes a disk wait
 * WAIT_MEMORY.
 */
enum wait_kind waits_classify(struct waits_build *b, stack_id stack);
/* Set ret->quiet from `rests` and `threads`. Cost: O(n log n). */
void waits_find_quiet(struct waits_build *b);

#endif
