/* SPDX-License-Identifier: MIT */
/*
 * wait_holders.h - who was waited for, and what that thread did meanwhile
 *
 * A wait for a lock, a pipe, a child or another thread has a holder: the thread that caused the
 * wait. The wait ends when the holder wakes the waiting thread. Between two hand-overs of a lock,
 * the holder is the thread that makes the second hand-over. A wait that spans several hand-overs is
 * divided among these holders. This needs the address of the lock (sample field "lock"); without
 * it, the waker counts as the holder for the whole wait. The holder's own waits, and CPU samples
 * between them, show what it did.
 *
 * The times of all rows add up to total_ns exactly.
 */
#ifndef ANALYSES_WAIT_HOLDERS_H
#define ANALYSES_WAIT_HOLDERS_H

#include "base/vec.h"
#include "core/ids.h"

struct capture;

enum holder_state {
	/* on a CPU; leaf and place are unknown if there is no sample in that time */
	HOLDER_RUNNING,
	HOLDER_READY,     /* runnable, waiting for a CPU */
	HOLDER_WAITING,   /* blocked; holder_reason says why */
	HOLDER_UNSEEN,    /* the holder is known, but has no record of that time */
	HOLDER_INTERRUPT, /* not a thread: a timer, a device, the network */
	HOLDER_UNKNOWN,   /* no wake-up was recorded, so the holder is unknown */
	HOLDER_STATES,
};

/*
 * The frame that shows what a thread did, and the nearest function of the program that led to it.
 */
struct wait_place {
	sym_id leaf;  /* 0: unknown */
	sym_id place; /* 0: no such function */
};

struct wait_holder {
	uint32_t pid; /* process of the waiting thread */
	str_id comm;  /* command of the waiting thread */
	str_id reason;
	struct wait_place at;
	uint32_t holder_tid; /* thread that was waited for; 0: none */
	str_id holder_comm;
	enum holder_state state;
	str_id holder_reason; /* only HOLDER_WAITING */
	struct wait_place holder_at;
	/* one of the holder's stacks: of @cpu if HOLDER_RUNNING, else of @waits */
	stack_id holder_stack;
	uint64_t ns;
};

struct wait_holders {
	VEC(struct wait_holder) rows; /* longest first */
	uint64_t total_ns;            /* time of all waits that another thread can end */
	uint64_t waits;
	const struct capture *cpu; /* NULL: no CPU samples */
	bool has_locks;            /* the recording has addresses of locks */
};

/*
 * Find the holders. @waits: a capture made by off_cpu_make() and off_cpu_name(). @cpu: a capture
 * of CPU samples of the same threads, with times; or NULL. Owner: wait_holders_fini(). Cost: O(n
 * log n) for n samples, times the hand-overs within one wait.
 */
void wait_holders_compute(const struct capture *waits, const struct capture *cpu,
			  struct wait_holders *ret);
void wait_holders_fini(struct wait_holders *h);
/* "running", "waiting for a CPU", …; static string. */
const char *holder_state_name(enum holder_state state);

#endif
