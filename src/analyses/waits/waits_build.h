/* SPDX-License-Identifier: MIT */
/*
 * waits_build.h - state of the analysis of waits; private to waits*.c
 *
 * waits.c adds up waits. waits_kind.c finds the kind and the reason of each wait. waits_quiet.c
 * finds the quiet intervals, in which no thread works.
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

/* Meanings of a function on a stack, in addition to the kinds of wait (enum wait_kind). */
enum waits_class {
	WAITS_CLASS_FAULT = WAIT_KINDS, /* a page fault waits for memory */
	/* the thread belongs to the kernel or to a runtime, and waiting is normal for it */
	WAITS_CLASS_KTHREAD,
	WAITS_CLASS_RECORDER,      /* the recorder itself caused the wait */
	WAITS_CLASS_NONE,          /* the function has no meaning for the wait */
	WAITS_NOT_COMPUTED = 0xff, /* the meaning is not in the cache yet */
};

/* An interval in which a thread slept voluntarily (WAIT_SLEEP). */
struct wait_nap {
	uint32_t tid;
	uint64_t from_ns, to_ns;
	uint64_t before_ns; /* sum of the lengths of this thread's earlier naps */
};

/* A wait in which the thread is blocked, that is any wait except WAIT_CPU. */
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
	/* indexed by symbol: cache of waits_class_of(): enum wait_kind or waits_class */
	uint8_t *class_of;
	uint8_t *by_stack; /* indexed by stack node: enum wait_kind, or WAITS_NOT_COMPUTED */
	/* indexed by stack node: 1 if the thread belongs to the kernel or to a runtime */
	uint8_t *kernel;
	struct idmap threads, stacks, pairs, wakers;
	/* a filter selected samples, so a thread without samples may have waited, too */
	bool is_chosen;
	VEC(struct wait_waker) waker_rows;
	VEC(struct wait_nap) naps;
	VEC(struct wait_rest) rests; /* all waits in which a thread is blocked */
	/* indexed like waits.pairs: time in which thread `by` slept while `tid` waited for it */
	VEC(uint64_t) pair_slept;
	/* indexed like waits.pairs: the part of pair_slept in which `tid` waited for a lock */
	VEC(uint64_t) pair_locked;
	const struct sample_field *wait, *waker, *waker_tid, *runner, *reason;
	str_id runnable, interrupt;
};

struct wait_waker {
	uint32_t stack;
	str_id who;
	uint64_t ns;
};

/*
 * Find the kind of wait of a stack: the kind that its innermost function with a kind shows. If this
 * function is a futex, user frames show whether it is a lock or a condition. A wait for the disk
 * that a page fault caused is WAIT_MEMORY.
 */
enum wait_kind waits_classify(struct waits_build *b, stack_id stack);
/* The stack @stack without the frames inside of the frame that shows the reason of the wait. */
stack_id waits_shown(struct waits_build *b, stack_id stack);
/* Set ret->quiet from the waits in `rests` and the `threads`. Cost: O(n log n). */
void waits_find_quiet(struct waits_build *b);

#endif
