/* SPDX-License-Identifier: MIT */
/*
 * wait_roles.h - the wait role of a function: the kind of wait that it shows
 *
 * The table is compiled from the lines wait/NAME of roles.tsv. The first matching line counts.
 */
#ifndef ANALYSES_WAIT_ROLES_H
#define ANALYSES_WAIT_ROLES_H

#include "base/str.h"

/* In the order of roles.tsv. */
enum wait_role {
	WAIT_ROLE_NONE,
	WAIT_ROLE_FAULT,    /* page fault: a wait of its callees is part of the page fault */
	WAIT_ROLE_KTHREAD,  /* function of a kernel thread */
	WAIT_ROLE_RECORDER, /* a function of the recorder */
	/* futex call: only its callers show whether the wait is for a lock or for a condition */
	WAIT_ROLE_FUTEX,
	WAIT_ROLE_TIMER,
	WAIT_ROLE_PEER, /* waits for the process at the other end of a pipe or socket */
	WAIT_ROLE_POLL,
	/* waits for a signal of another thread: condition variable, semaphore, future */
	WAIT_ROLE_SIGNAL,
	WAIT_ROLE_CHILD,
	WAIT_ROLE_LOCK,
	WAIT_ROLE_MEMORY,
	WAIT_ROLE_DISK,
	/* the next roles show no kind of wait; they are sets of functions for wait_role_has() */
	WAIT_ROLE_SILENT,     /* innermost frames that every wait has in common */
	WAIT_ROLE_FUTEX_CALL, /* frames of a futex call */
	/* functions of the scheduler; a stack with only these shows no kind of wait */
	WAIT_ROLE_SCHEDULER,
	/* WORD_*: functions for which there is a more exact word than their kind of wait */
	WAIT_ROLE_WORD_PIPE,
	WAIT_ROLE_WORD_SOCKET,
	WAIT_ROLE_WORD_NETWORK,
	WAIT_ROLE_WORD_JOIN,
	WAIT_ROLE_ENTRY, /* functions by which other kernel code enters a file system */
	/* the function's name shows that it waits for a lock (next role: for an event) */
	WAIT_ROLE_NAMED_LOCK,
	WAIT_ROLE_NAMED_EVENT,
	/* locks of runtimes that are implemented with condition variables */
	WAIT_ROLE_RUNTIME_LOCK,
	/* reads the next request or pushed message of a connection: without work until then */
	WAIT_ROLE_NEXT,
	WAIT_ROLE_STREAM, /* layer between such a function and the call that waits */
	/* the next roles are only for stacks of thread dumps */
	WAIT_ROLE_START,
	WAIT_ROLE_DNS,
	WAIT_ROLE_CONNECT,
	WAIT_ROLE_JOIN,
	WAIT_ROLE_FILE_LOCK,
	WAIT_ROLE_POOL,
	WAIT_ROLE_PUT, /* puts into a full queue */
	WAIT_ROLE_IDLE,
	WAIT_ROLE_GC,
	WAIT_ROLE_SOCKET,
	WAIT_ROLE_READ,
	/* wrapper that shows neither the kind of a wait nor the waiting function */
	WAIT_ROLE_THROUGH,
	WAIT_ROLES,
};

/* The stacks to which a line of the table applies, by its column "space". */
enum wait_lines {
	WAIT_LINES_KERNEL = 1, /* k: kernel frames of recorded stacks */
	WAIT_LINES_USER = 2,   /* u: user frames of recorded stacks */
	WAIT_LINES_DUMP = 3,   /* *: frames of dumps */
};

/*
 * Find the role of a function. @name: its name without arguments. @lines: the only lines that are
 * searched. Cost: a walk over the table, about 10 µs.
 */
enum wait_role wait_role_find(struct str name, enum wait_lines lines);
/* Whether the name matches a line of @role. */
bool wait_role_has(enum wait_role role, struct str name);

#endif
