/* SPDX-License-Identifier: MIT */
/*
 * wait_roles.h - the kind of wait that a function shows
 *
 * The table consists of the lines wait/NAME of roles.tsv, compiled in. The first matching line
 * counts.
 */
#ifndef ANALYSES_WAIT_ROLES_H
#define ANALYSES_WAIT_ROLES_H

#include "base/str.h"

/* In the order of roles.tsv. */
enum wait_role {
	WAIT_ROLE_NONE,
	WAIT_ROLE_FAULT,    /* page fault: waits below this function belong to it */
	WAIT_ROLE_KTHREAD,  /* function of a kernel thread */
	WAIT_ROLE_RECORDER, /* work of the recorder */
	/* futex call: only its caller shows whether it waits for a lock or a condition */
	WAIT_ROLE_FUTEX,
	WAIT_ROLE_TIMER,
	WAIT_ROLE_PEER, /* waits for the other end of a pipe or socket */
	WAIT_ROLE_POLL,
	WAIT_ROLE_SIGNAL, /* waits for a signal of another thread: condition, semaphore, future */
	WAIT_ROLE_CHILD,
	WAIT_ROLE_LOCK,
	WAIT_ROLE_MEMORY,
	WAIT_ROLE_DISK,
	/*
	 * the following roles give no kind of wait; they are sets of functions for
	 * wait_role_has()
	 */
	WAIT_ROLE_SILENT,     /* innermost frames that every wait has */
	WAIT_ROLE_FUTEX_CALL, /* frames of a futex call */
	WAIT_ROLE_SCHEDULER,  /* frames of the scheduler, which alone are no wait */
	/* WORD_*: the function allows a more exact word than its kind of wait */
	WAIT_ROLE_WORD_PIPE,
	WAIT_ROLE_WORD_SOCKET,
	WAIT_ROLE_WORD_NETWORK,
	WAIT_ROLE_WORD_JOIN,
	WAIT_ROLE_ENTRY, /* functions with which kernel code enters a file system */
	/* the name of the place shows that it waits for a lock; the next role: for an event */
	WAIT_ROLE_NAMED_LOCK,
	WAIT_ROLE_NAMED_EVENT,
	WAIT_ROLE_RUNTIME_LOCK, /* a runtime's lock that is implemented with conditions */
	/* the following roles are for the stacks of thread dumps */
	WAIT_ROLE_START,
	WAIT_ROLE_DNS,
	WAIT_ROLE_CONNECT,
	WAIT_ROLE_JOIN,
	WAIT_ROLE_FILE_LOCK,
	WAIT_ROLE_POOL,
	WAIT_ROLE_IDLE,
	WAIT_ROLE_GC,
	WAIT_ROLE_SOCKET,
	WAIT_ROLE_READ,
	WAIT_ROLE_THROUGH, /* wrapper: shows neither the kind nor the place of a wait */
	WAIT_ROLES,
};

/* Which lines of the table apply: their column "space". */
enum wait_lines {
	WAIT_LINES_KERNEL = 1, /* k: kernel frames of recorded stacks */
	WAIT_LINES_USER = 2,   /* u: user frames of recorded stacks */
	WAIT_LINES_DUMP = 3,   /* *: frames of dumps */
};

/*
 * The role of a function; @name has no arguments. Only lines of one kind are searched. Cost: a
 * walk over the table, about 10 µs.
 */
enum wait_role wait_role_find(struct str name, enum wait_lines lines);
/* Whether a line of @role matches @name. */
bool wait_role_has(enum wait_role role, struct str name);

#endif
