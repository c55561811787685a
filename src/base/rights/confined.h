/* SPDX-License-Identifier: MIT */
/*
 * confined.h - run an untrusted parser in a child process without rights
 *
 * The child keeps its copy of the parent's memory, one descriptor to read and one to write. Before
 * the parser runs, the child gives up everything else. It closes other descriptors, and gives up
 * new privileges, files (Landlock), and all system calls that memory and the two descriptors do not
 * need (seccomp). Its CPU time and memory are limited. A kernel that lacks one of these mechanisms
 * still applies the others. The output is untrusted: the reader of the pipe checks every byte.
 *
 * Seccomp covers x86-64, arm64 and riscv64. Under AddressSanitizer memory is not limited, because
 * its shadow exceeds any limit.
 */
#ifndef BASE_CONFINED_H
#define BASE_CONFINED_H

#include "base/status.h"

#include <stdint.h>
#include <sys/types.h>

struct confined_options {
	int in_fd;       /* passed to the child for reading, or -1 */
	uint64_t memory; /* bytes allowed in addition to current use */
	/* limit of the child's CPU time, and of the time without output from it */
	unsigned int seconds;
};

struct confined {
	pid_t pid;
	int fd;               /* read end of the child's output */
	unsigned int seconds; /* limit of CPU time, and of the time without output */
	uint64_t memory;
};

/*
 * The parser. @in_fd (or -1) and @out_fd are its only descriptors. Its return value is the
 * child's exit status; the child ends by _exit(), so that no atexit handler runs.
 */
typedef int confined_run(void *arg, int in_fd, int out_fd);

/* Start the child. Errors: ERR_IO. */
MUST_CHECK int confined_start(struct confined *c, const struct confined_options *options,
			      confined_run *run, void *arg, struct error *err);
/*
 * Read the next bytes, at most @size. 0: the child closed its end. Errors: ERR_CANCELED after
 * c->seconds without output; ERR_IO.
 */
MUST_CHECK ssize_t confined_read(struct confined *c, void *buf, size_t size);
/*
 * Wait for the child; with @kill_it, kill it first. Call once. Errors: ERR_CANCELED (time limit),
 * ERR_LIMIT (out of memory), ERR_FORMAT (crash, or a nonzero return value), ERR_IO (the child could
 * not give up its rights).
 */
int confined_finish(struct confined *c, bool kill_it, struct error *err);

#endif
