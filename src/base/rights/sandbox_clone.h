/* SPDX-License-Identifier: MIT */
/*
 * sandbox_clone.h - how many processes and threads a confined process may start
 *
 * A filter of system calls cannot count. RLIMIT_NPROC cannot be used either: it counts all
 * processes of a user, and does not limit root. So the kernel asks the parent process about each
 * clone() (seccomp_unotify(2), Linux 5.7). The flags of clone() are in registers, so the confined
 * process cannot change them while it waits for the answer.
 */
#ifndef BASE_SANDBOX_CLONE_H
#define BASE_SANDBOX_CLONE_H

#include "base/str.h"

#include <stdint.h>
#include <sys/types.h>

/*
 * Maximum number of living children of one thread. A process that reads inputs has at most one
 * child at a time, which runs libtraceevent (base/rights/confined.h).
 */
#define SANDBOX_CHILDREN_MAX 2u
/* maximum number of threads of a process that reads source trees */
#define SANDBOX_THREADS_MAX 64u
/*
 * maximum number of processes and threads, in total, that a sandbox with a limit of CPU time starts
 */
#define SANDBOX_CLONES_MAX 4096u

struct sandbox_clones {
	/* descriptor of the kernel's questions, for poll(); -1: the kernel does not ask */
	int fd;
	pid_t child; /* the confined process */
	unsigned int threads;
	unsigned int n_left;
};

/* Answer one question of the kernel. If c->fd is readable, this never blocks. */
void sandbox_clones_serve(struct sandbox_clones *c);
/* Answer no further questions: from now on, each clone() of the confined process fails. */
void sandbox_clones_end(struct sandbox_clones *c);

/*
 * Read at most @size bytes from the start of a file in /proc into @text. Returns their number; 0:
 * the file is empty or cannot be read.
 */
size_t sandbox_proc_text(const char *path, char *text, size_t size);
/*
 * The number after @key, such as "Seccomp_filters:", in the file /proc/@pid/status. 0: the file has
 * no such line.
 */
uint64_t sandbox_status(const char *pid, struct str key);

#endif
