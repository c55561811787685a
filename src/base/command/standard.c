/* SPDX-License-Identifier: MIT */
#include "base/command/standard.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

bool standard_open(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		int flags = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;

		if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
			continue;
		/*
		 * the descriptors below @fd are open, so open() returns @fd, the lowest free
		 * descriptor
		 */
		if (open("/dev/null", flags) != fd)
			return false;
	}
	return true;
}
