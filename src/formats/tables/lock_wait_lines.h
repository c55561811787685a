/* SPDX-License-Identifier: MIT */
/*
 * lock_wait_lines.h - lines of PostgreSQL about waits for locks (log_lock_waits)
 *
 * "process 548 acquired ShareLock on transaction 726 after 761.783 ms" precedes the line with the
 * duration of the statement, which has the same process in its prefix: "[548]".
 */
#ifndef FORMATS_LOCK_WAIT_LINES_H
#define FORMATS_LOCK_WAIT_LINES_H

#include "base/str.h"
#include "base/vec.h"

/* str_glob pattern of these lines, and of those that explain them */
#define LOCK_WAIT_LINES                                                           \
	"*process * still waiting for *Lock on *|*process * acquired *Lock on *|" \
	"*DETAIL:  Process* holding the lock: *|*CONTEXT:  while *|*STATEMENT:  *"

struct lock_wait {
	uint64_t process;
	double ns;
};

/* Waits whose statement has not ended yet. Zeroed: none. */
struct lock_waits {
	VEC(struct lock_wait) open;
	bool has_any; /* the log has such lines */
};

void lock_waits_fini(struct lock_waits *w);
/*
 * Take a line that does not end a statement: it may begin a wait, or end one without a statement.
 */
void lock_waits_line(struct lock_waits *w, struct str line);
/*
 * How long the statement that ends with @line waited for locks, in ns; 0: not at all. Forgets its
 * waits.
 */
double lock_waits_end(struct lock_waits *w, struct str line);

#endif
