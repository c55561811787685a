/* SPDX-License-Identifier: MIT */
/*
 * confined.h - run a parser that is not trusted in a child that can do nothing
 *
 * The child keeps the memory that it had, one descriptor to read and one to
 * write. Before the function runs it gives up the rest: other descriptors, new
 * rights, files (Landlock), every system call that memory and those two
 * descriptors do not need (seccomp), time and memory over a limit. Where a
 * kernel lacks one of these the others stay. What comes out of it is bytes of a
 * stranger: the reader checks all of them.
 *
 * Seccomp is for x86-64, arm64 and riscv64. Under AddressSanitizer memory is
 * not limited, because its shadow is larger than any limit.
 */
#ifndef BASE_CONFINED_H
#define BASE_CONFINED_H

#include "base/status.h"

#include <stdint.h>
#include <sys/types.h>

struct confined_options {
	int in_fd;            /* kept for reading, or -1 */
	uint64_t memory;      /* bytes on top of what the process has now */
	unsigned int seconds; /* of processor time, and of silence */
};

struct confined {
	pid_t pid;
	int fd;               /* what the child writes comes out here */
	unsigned int seconds; /* as given */
	uint64_t memory;
};

/*
 * @in_fd (or -1) and @out_fd are all that is left. What it returns is the
 * child's exit status; it ends by _exit(), so that nothing registered runs.
 */
typedef int confined_run(void *arg, int in_fd, int out_fd);

/* Errors: ERR_IO. */
MUST_CHECK int confined_start(struct confined *c, const struct confined_options *options,
			      confined_run *run, void *arg, struct error *err);
/*
 * The next bytes, at most @size. 0: the child has closed its end.
 * Errors: ERR_CANCELED when nothing came for c->seconds; ERR_IO.
 */
MUST_CHECK ssize_t confined_read(struct confined *c, void *buf, size_t size);
/*
 * Wait for the child, after ending it if @kill_it. Call it once.
 * Errors: ERR_CANCELED (it ran into a limit), ERR_LIMIT (memory was short), ERR_FORMAT (it crashed,
 * or returned something else than 0).
 */
int confined_finish(struct confined *c, bool kill_it, struct error *err);

#endif
