/* SPDX-License-Identifier: MIT */
/*
 * wait_holders.h - find the holder, the thread for which others waited, and its activity in that
 * time
 *
 * A wait for a lock, a pipe, a child or another thread has a holder: the thread that must act
 * before the wait can end. A lock is handed over when its holder wakes a waiting thread. Between
 * two hand-overs of a lock, the holder is the thread that makes the second hand-over. A wait that
 * spans several hand-overs is divided among these holders. This needs the address of the lock
 * (sample field "lock"). Without it, the thread that wakes the waiting thread counts as the holder
 * for the whole wait. The activity of the holder follows from its own waits, and from CPU samples
 * between them.
 *
 * The times of all rows add up to total_ns exactly.
 */
#ifndef ANALYSES_WAIT_HOLDERS_H
#define ANALYSES_WAIT_HOLDERS_H

#include "base/vec.h"
#include "core/ids.h"

struct capture;

enum holder_state {
	/* the holder ran on a CPU; without a CPU sample in that time, holder_at is unknown */
	HOLDER_RUNNING,
	HOLDER_READY,     /* the holder was runnable and waited for a CPU */
	HOLDER_WAITING,   /* the holder was blocked; holder_reason is the reason */
	HOLDER_UNSEEN,    /* the holder is known, but it has no records in the time of the wait */
	HOLDER_INTERRUPT, /* a timer, a device or the network ended the wait, not a thread */
	HOLDER_UNKNOWN,   /* no wake-up was recorded, so the holder is unknown */
	HOLDER_STATES,
};

/* What a thread does: its innermost frame, and the function of the program that called it. */
struct wait_place {
	sym_id leaf;  /* innermost frame; SYM_ID_NONE: unknown */
	sym_id place; /* function of the program; SYM_ID_NONE: none is among the callers */
};

struct wait_holder {
	uint32_t pid; /* process of the waiting thread */
	str_id comm;  /* command of the waiting thread */
	str_id reason;
	struct wait_place at;
	uint32_t holder_tid; /* thread id of the holder; 0: none */
	str_id holder_comm;
	enum holder_state state;
	str_id holder_reason; /* reason of the holder's wait; only for HOLDER_WAITING */
	struct wait_place holder_at;
	/*
	 * a call stack of the holder. With HOLDER_RUNNING, a node in the profile of the CPU
	 * samples; else a node in the profile of the waits
	 */
	stack_id holder_stack;
	uint64_t ns;
};

struct wait_holders {
	VEC(struct wait_holder) rows; /* waits by holder and activity, longest sum first */
	/* sum of all waits that only an action of another thread can end */
	uint64_t total_ns;
	uint64_t waits;
	const struct capture *cpu; /* NULL: no CPU samples */
	bool has_locks;            /* the recording has the addresses of locks */
};

/*
 * Find the holders. @waits: a capture of waits, from off_cpu_make() and off_cpu_name(). @cpu: a
 * capture of CPU samples of the same threads, with times; or NULL. Owner of @ret: caller,
 * wait_holders_fini(). Cost: O(n log n) for n samples, times the hand-overs within one wait.
 */
void wait_holders_compute(const struct capture *waits, const struct capture *cpu,
			  struct wait_holders *ret);
void wait_holders_fini(struct wait_holders *h);
/* Name of a state: "running", "waiting for a CPU" …; static string. */
const char *holder_state_name(enum holder_state state);

#endif
