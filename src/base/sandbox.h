/* SPDX-License-Identifier: MIT */
/*
 * sandbox.h - from here on work in a child that keeps no rights
 *
 * sandbox_enter() forks. The child goes on with memory, the descriptors that it
 * is told to keep, and a socket by which it asks for files (base/files.h); rights
 * (base/rights.h), memory and processor time are limited. The parent serves it
 * and tells how it ended, so that a crash is a sentence and no crash.
 *
 * The caller must have one thread. Signals that end a program are passed on to the
 * child. Cost: about a millisecond.
 */
#ifndef BASE_SANDBOX_H
#define BASE_SANDBOX_H

#include "base/files.h"
#include "base/status.h"

#include <sys/types.h>

#define SANDBOX_NO_MEMORY 124 /* exit status of a child that ran out of memory */
#define SANDBOX_MEMORY_CRASH \
	126 /* exit status of a child that crashed when it had been refused memory */
#define SANDBOX_NO_START 125 /* exit status of a child that could not give up its rights */

struct sandbox_options {
	const int *keep; /* descriptors of the child besides 0, 1 and 2; -1 is none */
	size_t n_keep;
	const char *const *trees; /* folders and files that it may read itself */
	size_t n_trees;
	uint64_t memory;            /* bytes of data; 0: as the process has it */
	uint64_t seconds;           /* of processor time; 0: as the process has it */
	struct files_server server; /* words and wishes */
};

struct sandbox_end {
	int status;                   /* exit status of the child, if signal is 0 */
	int signal;                   /* what ended it */
	char reading[FILES_TEXT_MAX]; /* the input that it read then or last; may be empty */
	bool has_read;                /* all inputs were read: it was at work on them */
	bool is_complete;             /* it said that its output is whole */
};

/*
 * 1 in the child, which goes on; 0 in the parent, when the child is gone, with
 * @ret. Errors: ERR_IO.
 */
MUST_CHECK int sandbox_enter(const struct sandbox_options *options, struct sandbox_end *ret,
			     struct error *err);

/*
 * The same for a parent that does more than to serve: 1 in the child; 0 in the parent,
 * at once, with its id and a server: call files_serve() when server.fd is readable,
 * sandbox_wait() when that is false. Signals are the caller's. Errors: ERR_IO.
 */
MUST_CHECK int sandbox_start(const struct sandbox_options *options, struct files_server *ret_server,
			     pid_t *ret_child, struct error *err);
/* Serve no more, and wait until it has ended. */
void sandbox_wait(struct files_server *server, pid_t child, struct sandbox_end *ret);

#endif
