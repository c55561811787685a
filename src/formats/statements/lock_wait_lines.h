/* SPDX-License-Identifier: MIT */
/*
 * lock_wait_lines.h - lines of PostgreSQL about waits for locks (log_lock_waits)
 *
 * A line about a wait precedes the line with the duration of the statement that waited: "process
 * 548 acquired ShareLock on transaction 726 after 761.783 ms". The process id in the prefix of both
 * lines is the same: "[548]".
 */
#ifndef FORMATS_LOCK_WAIT_LINES_H
#define FORMATS_LOCK_WAIT_LINES_H

#include "base/str.h"
#include "base/vec.h"

/* str_glob pattern of lines about waits for locks, including their lines with details */
#define LOCK_WAIT_LINES                                                           \
	"*process * still waiting for *Lock on *|*process * acquired *Lock on *|" \
	"*DETAIL:  Process* holding the lock: *|*CONTEXT:  while *|*STATEMENT:  *"

struct lock_wait {
	uint64_t process;
	double ns;
	/* lines show that the process waits, but no line gives the time of the wait */
	bool is_hidden;
};

#define LOCK_QUEUE_TEXT 64u /* maximum size in bytes of a lock's name or mode */

/* A lock with its holder and its wait queue, from the DETAIL lines of PostgreSQL. */
struct lock_queue {
	char object[LOCK_QUEUE_TEXT]; /* name of the lock: "relation 16403 of database 5" */
	char mode[LOCK_QUEUE_TEXT];   /* mode that the process `head` requests; "": unknown */
	uint64_t holder;              /* id of a process that holds the lock; 0: unknown */
	/* id of the first process in the longest printed queue; 0: no queue was printed */
	uint64_t head;
	uint32_t length; /* number of processes in that queue */
	double ns;       /* longest printed wait for the lock */
	/* more than one process held the lock, at the same time or one after the other */
	bool has_holders;
};

/* Waits of statements that have not ended yet. If all bytes are zero, there are no waits. */
struct lock_waits {
	VEC(struct lock_wait) open;
	VEC(struct lock_queue) queues;
	/* process and mode of the last line "process N still waiting for MODE on OBJECT" */
	uint64_t asker;
	char asked[LOCK_QUEUE_TEXT];
	/* index in `queues` of the lock in that line, plus 1; 0: there is no such line */
	uint32_t asked_queue;
	bool has_any; /* the log has lines about waits for locks */
	/*
	 * process whose last message is an error, so that its next lines are details of the error;
	 * 0: none
	 */
	uint64_t failed;
};

void lock_waits_fini(struct lock_waits *w);
/*
 * Process a line that is not the end of a statement. If the line is about a wait for a lock, the
 * wait is stored. Any other message of a process shows that its last statement ended without a line
 * of its own in the log; the wait of this statement is then forgotten.
 */
void lock_waits_line(struct lock_waits *w, struct str line);
/*
 * The time in ns for which a statement waited for locks; 0: it did not wait. @line: the line that
 * ends the statement. The waits of the statement are removed from @w. *@ret_hidden: id of the
 * statement's process if the statement waited and no line gives the time of its wait; otherwise 0.
 */
double lock_waits_end(struct lock_waits *w, struct str line, uint64_t *ret_hidden);

/* The lock with the longest wait queue; NULL: no line prints a holder and a queue. */
const struct lock_queue *lock_waits_queue(const struct lock_waits *w);

#endif
