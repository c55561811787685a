/* SPDX-License-Identifier: MIT */
/*
 * sandbox_clone.h - how many processes and threads a confined process may have
 *
 * A filter of system calls cannot count. RLIMIT_NPROC counts all processes of a user, and none of
 * root. So the kernel asks the parent process about each clone() (seccomp_unotify(2), Linux 5.7).
 * The flags are in registers, which the confined process cannot change while it waits.
 */
#ifndef BASE_SANDBOX_CLONE_H
#define BASE_SANDBOX_CLONE_H

#include "base/str.h"

#include <stdint.h>
#include <sys/types.h>

/*
 * Maximum number of living children of one thread. A reader of inputs has one at a time, which runs
 * libtraceevent (base/rights/confined.h).
 */
#define SANDBOX_CHILDREN_MAX 2u
/* maximum number of threads of a process that reads source trees */
#define SANDBOX_THREADS_MAX 64u
/* maximum number of processes and threads that one command starts */
#define SANDBOX_CLONES_MAX 4096u

struct sandbox_clones {
	int fd;      /* the kernel's questions, readable with poll(); -1: none are asked */
	pid_t child; /* the confined process */
	unsigned int threads;
	unsigned int n_left;
};

/* Answer one question. Never blocks if c->fd is readable. */
void sandbox_clones_serve(struct sandbox_clones *c);
/* Answer no more: from now on each clone() of the confined process fails. */
void sandbox_clones_end(struct sandbox_clones *c);

/* Read the start of a file of /proc. Returns the length; 0: it is empty or unreadable. */
size_t sandbox_proc_text(const char *path, char *text, size_t size);
/* The number after @key in /proc/@pid/status ("Seccomp_filters:\t1"); 0: no such line. */
uint64_t sandbox_status(const char *pid, struct str key);

#endif
