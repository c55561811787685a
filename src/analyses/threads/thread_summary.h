/* SPDX-License-Identifier: MIT */
/*
 * thread_summary.h - groups of equal stacks, locks with their owners, cycles among them
 *
 * The analysis is of one snapshot, the last complete one. Other snapshots only show how long a
 * stack stays the same.
 */
#ifndef ANALYSES_THREAD_SUMMARY_H
#define ANALYSES_THREAD_SUMMARY_H

#include "analyses/threads/thread_waits.h"
#include "base/vec.h"
#include "core/ids.h"

struct capture;
struct thread_row;

/* Threads that wait for the same thing at the same stack. */
struct thread_group {
	uint64_t threads;
	uint64_t age_ns; /* the longest in it; 0: missing */
	stack_id stack;
	str_id state_text;
	uint32_t row;       /* its first thread */
	uint32_t snapshots; /* number of snapshots with this stack */
	uint8_t kind;       /* enum thread_wait */
};

/* A lock for which at least one thread waits. */
struct thread_lock_seen {
	uint64_t address;
	uint64_t waiters;
	str_id type;
	uint32_t waiter;      /* its first waiting row */
	uint32_t owner;       /* row; INDEX_NONE: unknown */
	uint32_t owner_frame; /* of the owner: where it took the lock; n_frames: not printed */
};

struct threads_summary {
	const struct capture *c;
	struct thread_roles roles;
	uint32_t snapshot;
	uint64_t threads; /* in the snapshot */
	uint64_t waiting[THREAD_WAIT_KINDS];
	VEC(struct thread_seen) rows;       /* by row, of all snapshots */
	VEC(struct thread_group) groups;    /* of the snapshot, most threads first */
	VEC(struct thread_lock_seen) locks; /* of the snapshot, most waiters first */
	VEC(uint32_t) cycle;                /* rows: each waits for a lock that the next one owns */
	/* The row that joins a thread while it owns a lock that others wait for; INDEX_NONE: none.
	 */
	uint32_t joiner;
	VEC(uint32_t) blocked_by_joiner; /* rows that wait for it, directly or by others */
};

/*
 * Cost: O(rows * frames before the place + rows log rows), and O(rows) for each lock whose owner
 * is printed by name.
 */
void threads_summary_init(struct threads_summary *s, const struct capture *c);
void threads_summary_fini(struct threads_summary *s);
const struct thread_row *threads_summary_row(const struct threads_summary *s, uint32_t row);
/* The function of frame @frame of @row; SYM_ID_NONE past its end. */
sym_id threads_summary_sym(const struct threads_summary *s, uint32_t row, uint32_t frame);

#endif
