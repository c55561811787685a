/* SPDX-License-Identifier: MIT */
#include "base/newfile.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool write_all(int fd, const void *data, size_t len)
{
	const uint8_t *p = data;

	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n == 0)
			errno = EIO;
		if (n <= 0)
			return false;
		p += n;
		len -= (size_t)n;
	}
	return true;
}

/* The name that is begun and not placed, for exit() alone, and whose it is. */
static struct {
	const char *name;
	pid_t pid;
} newfile_begun;

/* No memory, for one, ends a program where nothing of it is known. */
static void newfile_forget(void)
{
	if (newfile_begun.name && newfile_begun.pid == getpid())
		(void)unlink(newfile_begun.name);
}

void newfile_begin(const char *name)
{
	if (!newfile_begun.name && atexit(newfile_forget) == 0) {
		newfile_begun.name = name;
		newfile_begun.pid = getpid();
	}
}

void newfile_end(const char *name)
{
	if (newfile_begun.name == name)
		newfile_begun.name = NULL;
}

int newfile_create(const char *path, unsigned int mode, char **ret_name)
{
	static const char suffix[] = ".tmpXXXXXX";
	size_t len = strlen(path);
	char *name = xmalloc(len + sizeof(suffix));
	int fd;

	memcpy(name, path, len);
	memcpy(name + len, suffix, sizeof(suffix));
	fd = mkostemp(name, O_CLOEXEC);
	*ret_name = name;
	if (fd < 0) {
		free(name);
		*ret_name = NULL;
	} else {
		newfile_begin(name);
		(void)fchmod(fd, (mode_t)mode);
	}
	return fd;
}

bool newfile_place(int fd, char *name, const char *path, bool is_complete)
{
	int error = 0;

	/* EINVAL: where it lies nothing can be waited for */
	if (is_complete && fsync(fd) < 0 && errno != EINVAL)
		error = errno;
	if (close(fd) < 0 && is_complete && !error)
		error = errno;
	if (is_complete && !error && rename(name, path) < 0)
		error = errno;
	if (!is_complete || error)
		(void)unlink(name);
	newfile_end(name);
	free(name);
	if (error)
		errno = error;
	return !error;
}
