/* SPDX-License-Identifier: MIT */
/*
 * thread_summary.h - summary of a thread dump: groups of equal stacks, locks with owners, deadlocks
 *
 * If the dump has several snapshots, the last complete one is summarised. The other snapshots only
 * show how long a stack stays the same.
 */
#ifndef ANALYSES_THREAD_SUMMARY_H
#define ANALYSES_THREAD_SUMMARY_H

#include "analyses/threads/thread_waits.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"

struct capture;
struct thread_row;

/* Threads with the same stack and the same kind of wait. */
struct thread_group {
	uint64_t threads;
	/* longest time that one of the threads has been in this state; 0: unknown */
	uint64_t age_ns;
	/*
	 * shortest time that one of the threads has been in this state; 0: some thread has no
	 * printed time
	 */
	uint64_t age_least_ns;
	stack_id stack;
	str_id state_text;
	uint32_t row;       /* row of the group's first thread in the dump */
	uint32_t snapshots; /* number of snapshots in which this stack occurs */
	uint8_t kind;       /* enum thread_wait */
};

/* A lock that at least one thread waits for. */
struct thread_lock_seen {
	uint64_t address;
	uint64_t waiters;
	str_id type;
	uint32_t waiter; /* row of the first thread that waits for the lock */
	uint32_t owner;  /* row of the owner; INDEX_NONE: unknown */
	str_id owner_id; /* if the owner has no row: its id as printed; STR_ID_NONE: unknown */
	/*
	 * index of the frame in which the owner took the lock; if it is unknown, the owner's
	 * n_frames
	 */
	uint32_t owner_frame;
};

struct threads_summary {
	const struct capture *c;
	struct thread_roles roles;
	uint32_t snapshot;
	/*
	 * number of threads in the snapshot, as the dump states it; if the dump states none, equal
	 * to `printed`
	 */
	uint64_t threads;
	uint64_t printed; /* number of threads in the snapshot whose stack is printed */
	uint64_t waiting[THREAD_WAIT_KINDS];
	/* the wait of each thread, in all snapshots; same order as the rows of the dump */
	VEC(struct thread_seen) rows;
	/* groups of threads in the snapshot, most threads first */
	VEC(struct thread_group) groups;
	/* locks that threads of the snapshot wait for, most waiters first */
	VEC(struct thread_lock_seen) locks;
	/* rows of the threads in a deadlock: each thread waits for a lock that the next one owns */
	VEC(uint32_t) cycle;
	/*
	 * row of a thread that owns a lock for which others wait, and that itself waits for the end
	 * of another thread (join); INDEX_NONE: none
	 */
	uint32_t joiner;
	/*
	 * rows of the threads that wait, directly or through other threads, for a lock of the
	 * joiner
	 */
	VEC(uint32_t) blocked_by_joiner;
};

/*
 * Compute the summary. Cost: O(rows * frames up to thread_seen.place + rows log rows), plus O(rows)
 * for each lock whose owner is printed by name.
 */
void threads_summary_init(struct threads_summary *s, const struct capture *c);
void threads_summary_fini(struct threads_summary *s);
const struct thread_row *threads_summary_row(const struct threads_summary *s, uint32_t row);
/*
 * The state of a thread when the dump was written. It is the state that Go prints ("chan receive"),
 * the wait ("lock wait"), "running", "not blocked", "parked" or "unknown". The text lives as long
 * as the capture.
 */
struct str threads_summary_state(const struct threads_summary *s, uint32_t row);
/*
 * The number of processes in the dump, at least 1. In a dump of a debugger, it is the number of
 * stacks that begin with main(). Addresses of different processes cannot be compared.
 */
uint64_t threads_summary_processes(const struct threads_summary *s);
/*
 * Whether the printed state or the frames show that thread @row is executing its innermost
 * function. False if the thread has a known wait.
 */
bool threads_summary_runs(const struct threads_summary *s, uint32_t row);
/* The function of frame number @frame of a row; SYM_ID_NONE: the row has no such frame. */
sym_id threads_summary_sym(const struct threads_summary *s, uint32_t row, uint32_t frame);

#endif
