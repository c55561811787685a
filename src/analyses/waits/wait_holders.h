/* SPDX-License-Identifier: MIT */
/*
 * wait_holders.h - who was waited for, and what that thread did meanwhile
 *
 * A wait for a lock, a pipe, a child or another thread ends by a wake-up of the thread that
 * held it up: the holder. Between two hand-overs of one lock, the thread that makes the second
 * one holds it; a wait across several hand-overs is divided among these holders. That takes the
 * address of the lock (sample field "lock"); without it the waker counts for the whole wait.
 * What a holder did is known from its own waits, and from CPU samples in between.
 *
 * The times of all rows add up to total_ns exactly.
 */
#ifndef ANALYSES_WAIT_HOLDERS_H
#define ANALYSES_WAIT_HOLDERS_H

#include "base/vec.h"
#include "core/ids.h"

struct capture;

enum holder_state {
	HOLDER_RUNNING,   /* on a CPU; without a sample meanwhile leaf and place are unknown */
	HOLDER_READY,     /* runnable, waiting for a CPU */
	HOLDER_WAITING,   /* blocked itself, for `holder_reason` */
	HOLDER_UNSEEN,    /* the holder is known, but has no record of that time */
	HOLDER_INTERRUPT, /* no thread: a timer, a device, the network */
	HOLDER_UNKNOWN,   /* no wake-up was recorded */
	HOLDER_STATES,
};

/* A frame that shows the activity of a thread, and the nearest function of the program that called
 * it. */
struct wait_place {
	sym_id leaf;  /* 0: unknown */
	sym_id place; /* 0: none */
};

struct wait_holder {
	uint32_t pid; /* of the waiting process */
	str_id comm;  /* of the waiting thread */
	str_id reason;
	struct wait_place at;
	uint32_t holder_tid; /* 0: none */
	str_id holder_comm;
	enum holder_state state;
	str_id holder_reason; /* HOLDER_WAITING */
	struct wait_place holder_at;
	stack_id holder_stack; /* an example; of @cpu with HOLDER_RUNNING, else of @waits */
	uint64_t ns;
};

struct wait_holders {
	VEC(struct wait_holder) rows; /* longest first */
	uint64_t total_ns;            /* of all waits that another thread can end */
	uint64_t waits;
	const struct capture *cpu; /* NULL: no CPU samples */
	bool has_locks;            /* addresses of locks were recorded */
};

/*
 * @waits is a capture of off_cpu_make() with off_cpu_name(); @cpu has CPU samples with times of
 * the same threads, or is NULL. Owner: wait_holders_fini(). Cost: O(n log n) in samples, times
 * the hand-overs within one wait.
 */
void wait_holders_compute(const struct capture *waits, const struct capture *cpu,
			  struct wait_holders *ret);
void wait_holders_fini(struct wait_holders *h);
/* "running", "waiting for a CPU"; static. */
const char *holder_state_name(enum holder_state state);

#endif
