/* SPDX-License-Identifier: MIT */
/*
 * confined.h - run an untrusted parser in a child process without rights
 *
 * The child keeps its copy of the parent's memory, one descriptor for reading, and one for writing.
 * Before the parser runs, the child closes all other descriptors. It also gives up new privileges
 * (no_new_privs), access to files (Landlock), and all system calls that memory and the two
 * descriptors do not need (seccomp). Its CPU time and memory are limited. If the kernel lacks a
 * mechanism, the other mechanisms still apply. The output of the child is untrusted: the reader of
 * the pipe must check every byte.
 *
 * Seccomp is used on the machines that base/rights/rights.h lists. Under AddressSanitizer and
 * similar tools, memory is not limited, because their shadow memory exceeds any limit.
 */
#ifndef BASE_CONFINED_H
#define BASE_CONFINED_H

#include "base/status.h"

#include <stdint.h>
#include <sys/types.h>

struct confined_options {
	int in_fd;       /* descriptor that the child may read, or -1 */
	uint64_t memory; /* bytes that the child may use in addition to the parent's current use */
	/* limit of the child's CPU time, and of the time that confined_read() waits for output */
	unsigned int seconds;
};

struct confined {
	pid_t pid;
	int fd;               /* read end of the pipe for the child's output */
	unsigned int seconds; /* confined_options.seconds */
	uint64_t memory;
};

/*
 * The parser, which runs in the child. @in_fd (or -1) and @out_fd are its only descriptors. Its
 * return value is the child's exit status. The child ends with _exit(), so that no atexit handler
 * runs.
 */
typedef int confined_run(void *arg, int in_fd, int out_fd);

/* Start the child. Errors: ERR_IO. */
MUST_CHECK int confined_start(struct confined *c, const struct confined_options *options,
			      confined_run *run, void *arg, struct error *err);
/*
 * Read at most @size bytes of output. Returns 0 when the child has closed its end of the pipe.
 * Errors: ERR_CANCELED after c->seconds without output; ERR_IO.
 */
MUST_CHECK ssize_t confined_read(struct confined *c, void *buf, size_t size);
/*
 * Wait for the end of the child. @kill_it: kill the child first. Call this once. Errors:
 * ERR_CANCELED (killed, or CPU time limit), ERR_LIMIT (out of memory), ERR_FORMAT (crash, or a
 * nonzero return value), ERR_IO (the child could not give up its rights).
 */
int confined_finish(struct confined *c, bool kill_it, struct error *err);

#endif
