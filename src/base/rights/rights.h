/* SPDX-License-Identifier: MIT */
/*
 * rights.h - rights that a process gives up for good before it reads untrusted bytes
 *
 * Rlimits exist on every machine. Seccomp removes system calls on x86-64, arm64, riscv64 and s390x;
 * on s390x it cannot forbid mapping code. Landlock removes access to files, sockets and signals, if
 * the kernel supports it. If the machine has no seccomp or Landlock, this is not an error:
 * rights_landlock_version() and rights_has_seccomp() tell the caller.
 *
 * Under AddressSanitizer and similar tools, only CPU time is limited. These tools map more shadow
 * memory than any limit allows, and they open files for their reports.
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
	/* always kept: calls for memory, and for reading and writing open descriptors */
	RIGHTS_MEMORY = 0,
	RIGHTS_THREADS = 1 << 0, /* start threads, and child processes with the same rights */
	/* send and receive messages over an open socket, also with descriptors */
	RIGHTS_MESSAGES = 1 << 1,
	RIGHTS_READ_TREES = 1 << 2 /* open files by name for reading */
};

/*
 * Set the rlimit @what to @value, or to the current hard limit if that is lower. False: the kernel
 * refused.
 */
bool rights_limit(int what, uint64_t value);
/*
 * Set both values of the rlimit @what. For RLIMIT_CPU, the process gets SIGXCPU at @soft and
 * SIGKILL at @hard. False: the kernel refused.
 */
bool rights_limit_soft(int what, uint64_t soft, uint64_t hard);
/*
 * Set no_new_privs: a program that this process starts gains no privileges from set-user-ID bits or
 * file capabilities. False: the kernel refused.
 */
bool rights_no_new(void);
/*
 * Forbid opening files by name, sockets, and signals to other processes. Files below @trees stay
 * readable; a tree need not exist. A tree with a symbolic link in its path does not become
 * readable, because the link may have changed since the path was checked. False: this kernel has no
 * Landlock.
 */
bool rights_landlock(const char *const *trees, size_t n_trees);
/*
 * Allow only the system calls that @kept (enum rights_kept) needs. All other calls fail with EPERM.
 * False: no filter was installed.
 */
bool rights_seccomp(unsigned int kept);
/*
 * As rights_seccomp(), but each clone() waits for the decision of another process. That process
 * receives the questions over the returned descriptor (seccomp_unotify(2)). If it closes the
 * descriptor, clone() fails. Returns -1 if no filter was installed.
 */
int rights_seccomp_asking(unsigned int kept);
/* Close all descriptors except @keep. */
void rights_close(const int *keep, size_t n_keep);

/*
 * rights_landlock_version(): Landlock's version, or 0 if the kernel has none. rights_has_seccomp():
 * whether seccomp filters work.
 */
int rights_landlock_version(void);
bool rights_has_seccomp(void);

#endif
