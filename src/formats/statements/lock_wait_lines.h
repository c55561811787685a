/* SPDX-License-Identifier: MIT */
/*
 * lock_wait_lines.h - lines of PostgreSQL about waits for locks (log_lock_waits)
 *
 * A line about a wait, "process 548 acquired ShareLock on transaction 726 after 761.783 ms",
 * precedes the line with the duration of the statement. The latter line has the same process in its
 * prefix: "[548]".
 */
#ifndef FORMATS_LOCK_WAIT_LINES_H
#define FORMATS_LOCK_WAIT_LINES_H

#include "base/str.h"
#include "base/vec.h"

/*
 * str_glob pattern of lines about waits for locks, and of the lines with details that follow them
 */
#define LOCK_WAIT_LINES                                                           \
	"*process * still waiting for *Lock on *|*process * acquired *Lock on *|" \
	"*DETAIL:  Process* holding the lock: *|*CONTEXT:  while *|*STATEMENT:  *"

struct lock_wait {
	uint64_t process;
	double ns;
	/* lines show that the process waits, but no line gives the time of the wait */
	bool is_hidden;
};

#define LOCK_QUEUE_TEXT 64u /* maximum number of bytes of the name or the mode of a lock */

/* A lock with its holder and its wait queue, from the DETAIL lines of PostgreSQL. */
struct lock_queue {
	char object[LOCK_QUEUE_TEXT]; /* "relation 16403 of database 5" */
	char mode[LOCK_QUEUE_TEXT];   /* mode that the head of the queue requests; "": unknown */
	uint64_t holder;              /* process that holds the lock; 0: unknown */
	uint64_t head;                /* first process of the longest printed queue; 0: none */
	uint32_t length;              /* number of processes in the queue of `head` */
	double ns;                    /* longest printed wait for the lock */
	/* several processes hold the lock at the same time, or one after another */
	bool has_holders;
};

/* Waits of statements that have not ended yet. A zeroed struct has no waits. */
struct lock_waits {
	VEC(struct lock_wait) open;
	VEC(struct lock_queue) queues;
	/* process and mode in the last line "process N still waiting for MODE on OBJECT" */
	uint64_t asker;
	char asked[LOCK_QUEUE_TEXT];
	/* index in `queues` of the lock in that line, plus 1; 0: no such line */
	uint32_t asked_queue;
	bool has_any; /* the log has lines about waits for locks */
	/*
	 * the process whose last message is an error, of which the next lines are details; 0: none
	 */
	uint64_t failed;
};

void lock_waits_fini(struct lock_waits *w);
/*
 * Take a line that is not the end of a statement. The line may end a wait of a process. It may also
 * show that the process's statement ended without a line of its own.
 */
void lock_waits_line(struct lock_waits *w, struct str line);
/*
 * The time in ns that a statement waited for locks; 0: it did not wait. @line: the line with which
 * the statement ends. The waits of the statement are removed from @w. *@ret_hidden: the process of
 * the statement if no line gives the time of its wait; otherwise 0.
 */
double lock_waits_end(struct lock_waits *w, struct str line, uint64_t *ret_hidden);

/* The lock with the longest wait queue; NULL: no line prints a holder and a queue. */
const struct lock_queue *lock_waits_queue(const struct lock_waits *w);

#endif
