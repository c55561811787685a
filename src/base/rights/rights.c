/* SPDX-License-Identifier: MIT */
#include "base/rights/rights.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Constants of linux/landlock.h, defined here because the installed header may be older. */
#define LANDLOCK_CREATE   444
#define LANDLOCK_ADD_RULE 445
#define LANDLOCK_RESTRICT 446
#define LANDLOCK_VERSION  1u
#define LANDLOCK_BENEATH  1
/* rights to read files and to read folders */
#define LANDLOCK_READ (UINT64_C(1) << 2 | UINT64_C(1) << 3)
#define LANDLOCK_FILE (UINT64_C(1) << 2)

bool rights_limit_soft(int what, uint64_t soft, uint64_t hard)
{
	struct rlimit now;
	struct rlimit limit = { .rlim_cur = (rlim_t)soft, .rlim_max = (rlim_t)hard };

	if (getrlimit((__rlimit_resource_t)what, &now) == 0 && now.rlim_max < limit.rlim_max)
		limit.rlim_max = now.rlim_max;
	if (limit.rlim_cur > limit.rlim_max)
		limit.rlim_cur = limit.rlim_max;
	return setrlimit((__rlimit_resource_t)what, &limit) == 0;
}

bool rights_limit(int what, uint64_t value)
{
	return rights_limit_soft(what, value, value);
}

bool rights_no_new(void)
{
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

int rights_landlock_version(void)
{
	long version = RIGHTS_SANITIZED ? 0 : syscall(LANDLOCK_CREATE, NULL, 0, LANDLOCK_VERSION);

	return version > 0 ? (int)version : 0;
}

/* Open @path with O_PATH, for a Landlock rule. Fails if a component of @path is a symbolic link. */
static int rights_place(const char *path, uint64_t flags)
{
	struct open_how how = { .flags = flags | O_PATH | O_CLOEXEC,
				.resolve = RESOLVE_NO_SYMLINKS };

	return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));
}

static void rights_allow_tree(int ruleset, const char *path)
{
	struct __attribute__((packed)) {
		uint64_t allowed;
		int32_t parent_fd;
	} rule = { LANDLOCK_READ, rights_place(path, O_DIRECTORY) };

	if (rule.parent_fd < 0) {
		rule.allowed = LANDLOCK_FILE;
		rule.parent_fd = rights_place(path, 0);
	}
	if (rule.parent_fd < 0)
		return;
	(void)syscall(LANDLOCK_ADD_RULE, ruleset, LANDLOCK_BENEATH, &rule, 0);
	(void)close(rule.parent_fd);
}

bool rights_landlock(const char *const *trees, size_t n_trees)
{
	struct {
		uint64_t files;
		uint64_t net;
		uint64_t scopes;
	} handled = { 0x1fff, 0, 0 }; /* bits of all rights of Landlock version 1 */
	size_t size = sizeof(handled.files);
	int version = rights_landlock_version();
	long fd;
	bool is_done;

	if (version <= 0)
		return false;
	if (version >= 2)
		handled.files |= UINT64_C(1) << 13;
	if (version >= 3)
		handled.files |= UINT64_C(1) << 14;
	if (version >= 4) {
		handled.net = 3;
		size = 2 * sizeof(uint64_t);
	}
	if (version >= 5)
		handled.files |= UINT64_C(1) << 15;
	if (version >= 6) {
		handled.scopes = 3;
		size = sizeof(handled);
	}
	fd = syscall(LANDLOCK_CREATE, &handled, size, 0);
	if (fd < 0)
		return false;
	for (size_t i = 0; i < n_trees; i++)
		rights_allow_tree((int)fd, trees[i]);
	is_done = syscall(LANDLOCK_RESTRICT, (int)fd, 0) == 0;
	(void)close((int)fd);
	return is_done;
}

static void rights_close_from(unsigned int first, unsigned int last)
{
	if (first > last)
		return;
#ifdef SYS_close_range
	if (syscall(SYS_close_range, first, last, 0u) == 0)
		return;
#endif
	for (unsigned int fd = first; fd <= last && fd < 65536; fd++)
		(void)close((int)fd);
}

void rights_close(const int *keep, size_t n_keep)
{
	unsigned int from = 0;

	for (;;) {
		unsigned int next = UINT_MAX;

		for (size_t i = 0; i < n_keep; i++) {
			if (keep[i] >= 0 && (unsigned int)keep[i] >= from &&
			    (unsigned int)keep[i] < next)
				next = (unsigned int)keep[i];
		}
		if (next == UINT_MAX)
			break;
		if (next > from)
			rights_close_from(from, next - 1);
		from = next + 1;
	}
	rights_close_from(from, UINT_MAX);
}
