/* SPDX-License-Identifier: MIT */
/*
 * rights.h - rights that a process gives up for good before it reads untrusted bytes
 *
 * Rlimits exist everywhere. Seccomp removes system calls on x86-64, arm64, riscv64 and s390x. On
 * s390x it cannot forbid mapping code. Landlock removes access to files, sockets and signals where
 * the kernel has it. A missing mechanism is no error: rights_landlock_version() and
 * rights_has_seccomp() report it.
 *
 * Under AddressSanitizer and similar tools only CPU time is limited: they map shadow memory beyond
 * any limit and open files for their reports.
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
	/* always kept: memory, and reading and writing open descriptors */
	RIGHTS_MEMORY = 0,
	RIGHTS_THREADS = 1 << 0,   /* threads, and child processes with the same rights */
	RIGHTS_MESSAGES = 1 << 1,  /* descriptors passed over an open socket */
	RIGHTS_READ_TREES = 1 << 2 /* opening files by name for reading */
};

/* Set an rlimit, never above its current value. False: the kernel refused. */
bool rights_limit(int what, uint64_t value);
/* Set an rlimit: a signal at @soft, SIGKILL at @hard (RLIMIT_CPU). False: the kernel refused. */
bool rights_limit_soft(int what, uint64_t soft, uint64_t hard);
/*
 * Set no_new_privs: programs started later gain no privileges from set-user-ID bits or file
 * capabilities. False: the kernel refused.
 */
bool rights_no_new(void);
/*
 * Forbid opening files by name, sockets, and signals to other processes; files below @trees
 * (which need not exist) stay readable. A tree whose path leads through a symbolic link is left
 * out: it may have been replaced since the path was checked. False: this kernel has no Landlock.
 */
bool rights_landlock(const char *const *trees, size_t n_trees);
/*
 * Make all system calls fail with EPERM except those that @kept (enum rights_kept) needs. False: no
 * filter was installed.
 */
bool rights_seccomp(unsigned int kept);
/*
 * As rights_seccomp(), but each clone() waits until another process has answered it over the
 * returned descriptor (seccomp_unotify(2)); without that process it fails. -1: no filter was
 * installed.
 */
int rights_seccomp_asking(unsigned int kept);
/* Close all descriptors except @keep. */
void rights_close(const int *keep, size_t n_keep);

/* Landlock's version (0: none), and whether seccomp filters work. */
int rights_landlock_version(void);
bool rights_has_seccomp(void);

#endif
