/* SPDX-License-Identifier: MIT */
/*
 * sandbox.h - continue in a child process without rights
 *
 * sandbox_enter() forks. The child continues with its memory, the descriptors in the options,
 * and a socket over which it requests files (base/files.h). Its rights (base/rights/rights.h),
 * memory and CPU time are limited. The parent serves the requests and reports how the child ended,
 * so that a crash becomes an error message.
 *
 * The caller must be single-threaded. The parent forwards terminating signals to the child.
 * Cost: about 1 ms.
 */
#ifndef BASE_SANDBOX_H
#define BASE_SANDBOX_H

#include "base/files.h"
#include "base/rights/sandbox_clone.h"
#include "base/status.h"

#include <sys/types.h>

#define SANDBOX_NO_MEMORY    124 /* exit status: out of memory */
#define SANDBOX_MEMORY_CRASH 126 /* exit status: crash after a failed allocation */
#define SANDBOX_NO_START     125 /* exit status: the child could not give up its rights */
#define SANDBOX_GRACE_MS     1000

struct sandbox_options {
	const int *keep; /* descriptors that the child keeps besides 0, 1 and 2; -1 is ignored */
	size_t n_keep;
	const char *const *trees; /* files and folders that the child may open itself */
	size_t n_trees;
	uint64_t memory;  /* limit of data in bytes; 0: inherited */
	uint64_t seconds; /* limit of CPU time; 0: inherited */
	/* initial state of the server; the caller sets only `words`, `wish` and `arg` */
	struct files_server server;
};

/* State that the parent keeps about its confined child. */
struct sandbox {
	struct files_server server;
	struct sandbox_clones clones;
	pid_t child;
	/*
	 * readable with poll() when the child has ended, even if processes that it started hold its
	 * socket open; -1 before Linux 5.3
	 */
	int ended;
};

struct sandbox_end {
	int status;                   /* exit status of the child, if signal is 0 */
	int signal;                   /* signal that ended the child; 0: none */
	char reading[FILES_TEXT_MAX]; /* name of the input that was read last; may be empty */
	bool has_read;                /* all inputs were read, so the analysis had begun */
	bool is_complete;             /* the child reported complete output */
	/* the parent stopped serving, and killed the child after SANDBOX_GRACE_MS */
	bool is_killed;
};

/*
 * Returns 1 in the child, which continues. Returns 0 in the parent after the child ended, with the
 * outcome in @ret. Errors: ERR_IO.
 */
MUST_CHECK int sandbox_enter(const struct sandbox_options *options, struct sandbox_end *ret,
			     struct error *err);

/*
 * As sandbox_enter(), but returns 0 in the parent at once, so that it can do other work. Call
 * files_serve() when ret->server.fd is readable, sandbox_clones_serve() when ret->clones.fd is, and
 * sandbox_wait() once files_serve() returns false or ret->ended is readable. The caller handles
 * signals. Errors: ERR_IO.
 */
MUST_CHECK int sandbox_start(const struct sandbox_options *options, struct sandbox *ret,
			     struct error *err);
/*
 * Stop serving and wait for the child, which normally ends by itself. If it does not end within
 * SANDBOX_GRACE_MS, it is killed; before Linux 5.3 this waits for as long as the child runs.
 */
void sandbox_wait(struct sandbox *s, struct sandbox_end *ret);

#endif
