/* SPDX-License-Identifier: MIT */
/* wait_reasons.h - what functions of the kernel wait for, by their names */
#ifndef EXPLAIN_WAIT_REASONS_H
#define EXPLAIN_WAIT_REASONS_H

#include "base/str.h"

#include <stdbool.h>

/* A row of wait-reasons.names. All texts are static. */
struct wait_reason {
	const char *functions; /* pattern of the names of the functions, for str_glob() */
	const char *object;    /* text that follows "waits for" */
	const char *cause;     /* usual reason why such a wait does not end */
	const char *next;
};

/* An event for which a thread waits although only it can bring the event about. Static texts. */
struct self_wait {
	const char *waits;  /* pattern of the functions that wait for the event */
	const char *within; /* pattern of the functions that bring it about */
	const char *event;  /* text that follows "waits for" */
	const char *doing;  /* what the thread itself does: text that follows "while it" */
};

/*
 * The row for the function @name (without arguments); NULL: none. Cost: a search through the table.
 */
const struct wait_reason *wait_reason_of(struct str name);
/* Is the row vague? A vague row says only that other work must end, but not which kind of work. */
bool wait_reason_is_general(const struct wait_reason *reason);
/* The row for a thread that waits in @name, called below @caller; NULL: none. */
const struct self_wait *wait_reason_self(struct str name, struct str caller);

#endif
