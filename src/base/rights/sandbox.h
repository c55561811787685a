/* SPDX-License-Identifier: MIT */
/*
 * sandbox.h - continue in a child process without rights
 *
 * sandbox_enter() forks, and the program continues in the child. The child keeps its memory, the
 * descriptors in the options, and a socket over which it requests files (base/files.h). Its rights
 * (base/rights/rights.h), memory and CPU time are limited. The parent serves the requests and
 * reports how the child ended, so that a crash of the child becomes an error message.
 *
 * The caller must be single-threaded. In sandbox_enter(), the parent forwards terminating signals
 * to the child. Cost: about 1 ms.
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
	/* descriptors that the child keeps in addition to 0, 1 and 2; -1 is ignored */
	const int *keep;
	size_t n_keep;
	/* files and folders that the child may open by name, without the parent */
	const char *const *trees;
	size_t n_trees;
	uint64_t memory;  /* limit of the child's data in bytes; 0: the parent's limit */
	uint64_t seconds; /* limit of the child's CPU time; 0: the parent's limit */
	/*
	 * initial state of the server for the child's requests; the caller sets only `words`,
	 * `wish` and `arg`
	 */
	struct files_server server;
};

/* What the parent knows of its confined child. */
struct sandbox {
	struct files_server server;
	struct sandbox_clones clones;
	pid_t child;
	/*
	 * descriptor that poll() reports as readable when the child has ended, even if a grandchild
	 * still holds the socket open; -1 before Linux 5.3
	 */
	int ended;
};

struct sandbox_end {
	int status; /* exit status of the child, if `signal` is 0 */
	int signal; /* signal that ended the child; 0: none */
	/* name of the last input that the child began to read; may be empty */
	char reading[FILES_TEXT_MAX];
	bool has_read;    /* the child had read all inputs, so the analysis had begun */
	bool is_complete; /* the child reported that its output is complete */
	/* the parent killed the child, which did not end within SANDBOX_GRACE_MS */
	bool is_killed;
};

/*
 * Start the confined child. Returns 1 in the child. In the parent, returns 0 after the child has
 * ended; @ret then says how. Errors: ERR_IO.
 */
MUST_CHECK int sandbox_enter(const struct sandbox_options *options, struct sandbox_end *ret,
			     struct error *err);

/*
 * As sandbox_enter(), but returns 0 in the parent at once, so that the parent can do other work.
 * The parent must then poll these descriptors. If ret->server.fd is readable, call files_serve().
 * If ret->clones.fd is readable, call sandbox_clones_serve(). If files_serve() returns false or
 * ret->ended is readable, call sandbox_wait(). The caller must handle signals. Errors: ERR_IO.
 */
MUST_CHECK int sandbox_start(const struct sandbox_options *options, struct sandbox *ret,
			     struct error *err);
/*
 * Stop serving, wait for the end of the child, and write to @ret how it ended. A child that does
 * not end within SANDBOX_GRACE_MS is killed. Before Linux 5.3 the child is never killed: this
 * function waits as long as the child runs.
 */
void sandbox_wait(struct sandbox *s, struct sandbox_end *ret);

#endif
