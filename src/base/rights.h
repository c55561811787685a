/* SPDX-License-Identifier: MIT */
/*
 * rights.h - what a process gives up for good before it reads a stranger's bytes
 *
 * Limits of the kernel's own (rlimits) are everywhere. System calls are given up
 * by seccomp on x86-64, arm64, riscv64 and s390x (where mapping code is not refused), files,
 * sockets and signals by Landlock where the kernel has it. What a kernel lacks is no error:
 * the two questions below tell.
 *
 * Under AddressSanitizer and its like only the time is limited: they map shadow
 * memory larger than any limit and open files when they report.
 */
#ifndef BASE_RIGHTS_H
#define BASE_RIGHTS_H

#include "base/status.h"

#include <stdint.h>
#include <sys/types.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define RIGHTS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) || \
	__has_feature(thread_sanitizer)
#define RIGHTS_SANITIZED 1
#endif
#endif
#ifndef RIGHTS_SANITIZED
#define RIGHTS_SANITIZED 0
#endif

enum rights_kept {
	RIGHTS_MEMORY = 0,         /* memory, and descriptors that are open */
	RIGHTS_THREADS = 1 << 0,   /* threads, and children with the same rights */
	RIGHTS_MESSAGES = 1 << 1,  /* descriptors by messages on an open socket */
	RIGHTS_READ_TREES = 1 << 2 /* files may be opened by name, to be read */
};

/* An rlimit, never above what it is. False: the kernel refuses. */
bool rights_limit(int what, uint64_t value);
/* The same with a signal at @soft before the end at @hard (RLIMIT_CPU). */
bool rights_limit_soft(int what, uint64_t soft, uint64_t hard);
/* From here on a program that is started gets no rights of its file. False: refused. */
bool rights_no_new(void);
/*
 * Files by name, sockets and signals to others are over; files below @trees (which
 * need not exist) may still be read. False: this kernel has no Landlock.
 */
bool rights_landlock(const char *const *trees, size_t n_trees);
/* System calls beyond what @kept (enum rights_kept) needs fail with EPERM. */
bool rights_seccomp(unsigned int kept);
/* All descriptors but @keep are closed. */
void rights_close(const int *keep, size_t n_keep);

/* Version of Landlock, 0: none; of filters for system calls: yes or no. */
int rights_landlock_version(void);
bool rights_has_seccomp(void);

#endif
