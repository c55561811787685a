/* SPDX-License-Identifier: MIT */
#include "base/rights/confined.h"

#include "base/alloc.h"
#include "base/files.h"
#include "base/rights/rights.h"
#include "base/rights/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define CONFINED_IN_FD      3
#define CONFINED_OUT_FD     4
#define CONFINED_PIPE_BYTES (1 << 20)
#define CONFINED_NO_START   125 /* exit status: the child could not give up its rights */

/*
 * Move @in_fd (-1: none) to CONFINED_IN_FD and @out_fd to CONFINED_OUT_FD, and close all other
 * descriptors.
 */
static bool confined_descriptors(int in_fd, int out_fd)
{
	int in = in_fd >= 0 ? fcntl(in_fd, F_DUPFD, 10) : -1;
	int out = fcntl(out_fd, F_DUPFD, 10);
	const int keep[] = { in_fd >= 0 ? CONFINED_IN_FD : -1, CONFINED_OUT_FD };

	if (out < 0 || (in_fd >= 0 && in < 0) || dup2(out, CONFINED_OUT_FD) < 0)
		return false;
	if (in >= 0 && dup2(in, CONFINED_IN_FD) < 0)
		return false;
	rights_close(keep, ARRAY_LEN(keep));
	return true;
}

static void confined_child(const struct confined_options *o, int out_fd, confined_run *run,
			   void *arg)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGSEGV, SIGBUS, SIGXCPU };
	bool limits = true;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (size_t i = 0; i < ARRAY_LEN(signals) && !RIGHTS_SANITIZED; i++)
		(void)signal(signals[i], SIG_DFL);
	if (!RIGHTS_SANITIZED)
		limits &= rights_limit(RLIMIT_AS, files_memory_now() + o->memory);
	limits &= rights_limit(RLIMIT_CPU, o->seconds);
	limits &= rights_limit(RLIMIT_CORE, 0);
	limits &= rights_limit(RLIMIT_NPROC, 0);
	limits &= rights_limit(RLIMIT_FSIZE, 0);
	/*
	 * From now on no file can be opened, not even by the parent process. If memory is
	 * exhausted, alloc.c now ends the child with SANDBOX_NO_MEMORY.
	 */
	files_confine(-1, -1);
	alloc_watch_crashes();
	if (!limits || !confined_descriptors(o->in_fd, out_fd) || !rights_no_new())
		_exit(CONFINED_NO_START);
	(void)rights_landlock(NULL, 0);
	(void)rights_seccomp(RIGHTS_MEMORY);
	_exit(run(arg, o->in_fd >= 0 ? CONFINED_IN_FD : -1, CONFINED_OUT_FD));
}

int confined_start(struct confined *c, const struct confined_options *options, confined_run *run,
		   void *arg, struct error *err)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0)
		return fail(err, ERR_IO, "cannot make a pipe: %m");
	(void)fcntl(fds[1], F_SETPIPE_SZ, CONFINED_PIPE_BYTES);
	c->seconds = options->seconds;
	c->memory = options->memory;
	c->fd = fds[0];
	c->pid = fork();
	if (c->pid < 0) {
		(void)close(fds[0]);
		(void)close(fds[1]);
		return fail(err, ERR_IO, "cannot start a process: %m");
	}
	if (c->pid == 0)
		confined_child(options, fds[1], run, arg);
	(void)close(fds[1]);
	return OK;
}

ssize_t confined_read(struct confined *c, void *buf, size_t size)
{
	for (;;) {
		struct pollfd p = { .fd = c->fd, .events = POLLIN };
		ssize_t n = poll(&p, 1, (int)(c->seconds * 1000));

		if (n == 0)
			return ERR_CANCELED;
		if (n > 0) {
			n = read(c->fd, buf, size);
			if (n >= 0)
				return n;
		}
		if (errno != EINTR && errno != EAGAIN)
			return ERR_IO;
	}
}

int confined_finish(struct confined *c, bool kill_it, struct error *err)
{
	int status = 0;

	(void)close(c->fd);
	if (kill_it)
		(void)kill(c->pid, SIGKILL);
	while (waitpid(c->pid, &status, 0) < 0) {
		if (errno != EINTR)
			return fail(err, ERR_IO, "lost the reading process: %m");
	}
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && kill_it)
		return fail(err, ERR_CANCELED, "reading was cancelled");
	/*
	 * The CPU time limit: the kernel sends SIGXCPU at the soft limit. It sends SIGKILL instead
	 * if the hard limit is the same.
	 */
	if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL))
		return fail(err, ERR_CANCELED, "reading took more than %u s, or was stopped",
			    c->seconds);
	if (WIFSIGNALED(status))
		return fail(err, ERR_FORMAT,
			    "the file is damaged: the library that reads it crashed");
	if (WEXITSTATUS(status) == CONFINED_NO_START)
		return fail(err, ERR_IO, "cannot confine the reading process");
	if (WEXITSTATUS(status) == SANDBOX_NO_MEMORY || WEXITSTATUS(status) == SANDBOX_MEMORY_CRASH)
		return fail(err, ERR_LIMIT, "reading needs more than %llu MiB of memory",
			    (unsigned long long)(c->memory >> 20));
	if (WEXITSTATUS(status) != 0)
		return fail(err, ERR_FORMAT,
			    "the file is damaged: the library that reads it failed");
	return OK;
}
