/* SPDX-License-Identifier: MIT */
/*
 * wait_roles.h - the wait role of a function: the kind of wait that the function shows on a stack
 *
 * The table is generated from the lines "wait/NAME" of roles.tsv, such as "wait/futex". The first
 * matching line counts.
 */
#ifndef ANALYSES_WAIT_ROLES_H
#define ANALYSES_WAIT_ROLES_H

#include "base/str.h"

/* Wait roles, in the order of roles.tsv. */
enum wait_role {
	WAIT_ROLE_NONE,
	/* function that handles page faults: waits in its callees belong to the page fault */
	WAIT_ROLE_FAULT,
	/*
	 * function of a kernel thread or of a runtime's thread. Waiting is normal for such threads
	 */
	WAIT_ROLE_KTHREAD,
	WAIT_ROLE_RECORDER, /* kernel function that works for the recorder: perf_event_* */
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
	/*
	 * the roles from here to WAIT_ROLE_STREAM are found by wait_role_has() only, because a
	 * function can have such a role in addition to another role
	 */
	WAIT_ROLE_SILENT,     /* innermost frames of every wait, such as the scheduler */
	WAIT_ROLE_FUTEX_CALL, /* innermost frames of a futex call, up to the system call */
	/* functions of the scheduler: a stack that has only these frames shows no kind of wait */
	WAIT_ROLE_SCHEDULER,
	/*
	 * WAIT_ROLE_WORD_*: the function shows a more exact reason than the kind of wait: "pipe"
	 * instead of "peer"
	 */
	WAIT_ROLE_WORD_PIPE,
	WAIT_ROLE_WORD_SOCKET,
	WAIT_ROLE_WORD_NETWORK,
	WAIT_ROLE_WORD_JOIN,
	/* functions such as vfs_read(), through which kernel code calls a file system */
	WAIT_ROLE_ENTRY,
	WAIT_ROLE_NAMED_LOCK,  /* functions known to wait for a lock: spa_config_enter() */
	WAIT_ROLE_NAMED_EVENT, /* functions known to wait for an event */
	WAIT_ROLE_PAGE_LOCK,   /* functions that wait until a page or buffer is unlocked */
	WAIT_ROLE_WRITTEN,     /* functions that wait until a page is written */
	/*
	 * kernel functions that wait on behalf of their callers, such as flush_work(): the place of
	 * the wait is the first caller without this role
	 */
	WAIT_ROLE_HELPER,
	/*
	 * lock functions of a runtime whose locks are made of condition variables, such as Java's
	 * monitors
	 */
	WAIT_ROLE_RUNTIME_LOCK,
	/*
	 * reads the next request or message of a connection; until it arrives, the thread has no
	 * work
	 */
	WAIT_ROLE_NEXT,
	/*
	 * function of a stream or buffer, between a WAIT_ROLE_NEXT function and the call that waits
	 */
	WAIT_ROLE_STREAM,
	/* the roles from here on are only for frames of thread dumps */
	WAIT_ROLE_START,
	WAIT_ROLE_DNS,
	WAIT_ROLE_CONNECT,
	WAIT_ROLE_JOIN,
	WAIT_ROLE_FILE_LOCK,
	WAIT_ROLE_POOL,
	WAIT_ROLE_RANDOM, /* the source of random numbers waits for entropy */
	WAIT_ROLE_PUT,    /* waits to put an element into a full queue */
	WAIT_ROLE_IDLE,
	WAIT_ROLE_GC,
	WAIT_ROLE_SOCKET,
	WAIT_ROLE_READ,
	/*
	 * wrapper of a library or runtime around a wait: its name does not show the kind of wait,
	 * and it is no function of the program
	 */
	WAIT_ROLE_THROUGH,
	WAIT_ROLES,
};

/*
 * Kinds of stacks for which a line of the table is valid. The letters are those in the column
 * "space" of roles.tsv.
 */
enum wait_lines {
	WAIT_LINES_KERNEL = 1, /* letter k: kernel frames of recorded stacks */
	WAIT_LINES_USER = 2,   /* letter u: user frames of recorded stacks */
	WAIT_LINES_DUMP = 3,   /* letter *: frames of thread dumps */
};

/*
 * Find the role of the function @name, given without its list of arguments. Only the lines of the
 * table for stacks of the kind @lines are searched. Cost: a walk over the table, about 10 µs.
 */
enum wait_role wait_role_find(struct str name, enum wait_lines lines);
/* Whether a line of the table gives the role @role to the function @name. */
bool wait_role_has(enum wait_role role, struct str name);

#endif
