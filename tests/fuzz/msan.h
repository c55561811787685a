/* SPDX-License-Identifier: MIT */
/*
 * Included first in every file by tools/check-msan. clang before 15 does not know that stat()
 * and similar calls are functions since glibc 2.33, and treats their results as uninitialised.
 */
#ifndef FUZZ_MSAN_H
#define FUZZ_MSAN_H

#include <sanitizer/msan_interface.h>
#include <sys/stat.h>

struct stat;

static inline int msan_wrote(int status, struct stat *st)
{
	if (status == 0)
		__msan_unpoison(st, sizeof(*st));
	return status;
}

#define stat(path, st)               msan_wrote(stat(path, st), st)
#define lstat(path, st)              msan_wrote(lstat(path, st), st)
#define fstat(fd, st)                msan_wrote(fstat(fd, st), st)
#define fstatat(fd, path, st, flags) msan_wrote(fstatat(fd, path, st, flags), st)

#endif
