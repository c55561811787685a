/* SPDX-License-Identifier: MIT */
/*
 * wait_roles.h - the kind of wait that a function shows
 *
 * Lines wait/NAME of roles.tsv, compiled in. The first line that matches counts.
 */
#ifndef ANALYSES_WAIT_ROLES_H
#define ANALYSES_WAIT_ROLES_H

#include "base/str.h"

/* In the order of roles.tsv. */
enum wait_role {
	WAIT_ROLE_NONE,
	WAIT_ROLE_FAULT,    /* a wait below is part of a page fault */
	WAIT_ROLE_KTHREAD,  /* of a kernel thread */
	WAIT_ROLE_RECORDER, /* caused by the recorder */
	WAIT_ROLE_FUTEX,    /* a lock or a condition: its caller shows which */
	WAIT_ROLE_TIMER,
	WAIT_ROLE_PEER, /* the other end of a pipe or socket */
	WAIT_ROLE_POLL,
	WAIT_ROLE_SIGNAL, /* of another thread: condition, semaphore, future */
	WAIT_ROLE_CHILD,
	WAIT_ROLE_LOCK,
	WAIT_ROLE_MEMORY,
	WAIT_ROLE_DISK,
	/* sets of functions without a kind of wait, queried by wait_role_has() */
	WAIT_ROLE_SILENT,     /* innermost frames of any wait */
	WAIT_ROLE_FUTEX_CALL, /* frames of the futex call */
	WAIT_ROLE_SCHEDULER,  /* alone, they are no wait */
	WAIT_ROLE_WORD_PIPE,  /* words for a wait that are more exact than its kind */
	WAIT_ROLE_WORD_SOCKET,
	WAIT_ROLE_WORD_NETWORK,
	WAIT_ROLE_WORD_JOIN,
	WAIT_ROLE_ENTRY,      /* functions with which kernel code enters a file system */
	WAIT_ROLE_NAMED_LOCK, /* a place that names its lock, or its event */
	WAIT_ROLE_NAMED_EVENT,
	WAIT_ROLE_RUNTIME_LOCK, /* a lock that a runtime builds of conditions */
	/* for stacks in the form of thread dumps */
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
	WAIT_ROLE_THROUGH, /* wrappers: neither a kind nor a place of a wait */
	WAIT_ROLES,
};

/* Lines of the table, by its column "space". */
enum wait_lines {
	WAIT_LINES_KERNEL = 1, /* k: kernel frames of recorded stacks */
	WAIT_LINES_USER = 2,   /* u: user frames of recorded stacks */
	WAIT_LINES_DUMP = 3,   /* *: frames of dumps */
};

/* The role of a name without arguments, from one kind of lines. Cost: a table walk, about 10 µs. */
enum wait_role wait_role_find(struct str name, enum wait_lines lines);
/* Whether a line of @role has the name. */
bool wait_role_has(enum wait_role role, struct str name);

#endif
