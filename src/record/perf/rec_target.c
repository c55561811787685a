/* SPDX-License-Identifier: MIT */
/*
 * The target of a recording: a command that is executed after events are open, or the threads of
 * running processes.
 */
#include "record/perf/rec.h"

#include "base/files.h"
#include "base/newfile.h"
#include "base/status.h"
#include "base/vec.h"
#include "record/perf/record.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

/*
 * Redirect those standard streams of the command that are a terminal to /dev/null, because another
 * program is using the terminal.
 */
static void target_mute(void)
{
	int null = newfile_null();

	for (int fd = 0; fd <= 2 && null >= 0; fd++) {
		if (isatty(fd))
			(void)dup2(null, fd);
	}
}

/*
 * Find the file that execvp() would execute for @name. @path: receives its path, or "" if there is
 * no such file.
 */
static void target_file(const char *name, char path[PATH_MAX])
{
	const char *folders = getenv("PATH");
	const char *at = folders ? folders : "/bin:/usr/bin";

	path[0] = '\0';
	if (strchr(name, '/')) {
		(void)snprintf(path, PATH_MAX, "%s", name);
		return;
	}
	for (;;) {
		size_t len = strcspn(at, ":");
		int n = snprintf(path, PATH_MAX, "%.*s/%s", len ? (int)len : 1, len ? at : ".",
				 name);

		if (n > 0 && n < PATH_MAX && access(path, X_OK) == 0)
			return;
		if (!at[len])
			break;
		at += len + 1;
	}
	path[0] = '\0';
}

const char *rec_target_privileged(const struct rec *r)
{
	char path[PATH_MAX];
	struct stat st;

	target_file(r->spec->argv[0], path);
	if (stat(path, &st) < 0)
		return NULL;
	if (st.st_mode & S_ISUID && st.st_uid != geteuid())
		return "is set-user-id";
	if ((st.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && st.st_gid != getegid())
		return "is set-group-id";
	if (getxattr(path, "security.capability", NULL, 0) > 0)
		return "has capabilities";
	return access(path, R_OK) < 0 ? "may not be read by this user" : NULL;
}

/* In the child process: wait for the start byte, then execute the command. */
static void target_child(const struct rec *r, int start_fd, int status_fd)
{
	char go;
	int error;
	ssize_t n;

	(void)sigprocmask(SIG_SETMASK, &r->old_signals, NULL);
	(void)signal(SIGXFSZ, SIG_DFL);
	n = files_read(start_fd, &go, 1);
	if (n != 1)
		/* the recorder closed the socket: it has ended, or does not start the command */
		_exit(127);
	if (r->spec->is_argv_mute)
		target_mute();
	if (r->spec->setting)
		(void)putenv(r->spec->setting);
	(void)execvp(r->spec->argv[0], r->spec->argv);
	error = errno;
	(void)!write(status_fd, &error, sizeof(error));
	_exit(error == ENOENT ? 127 : 126);
}

int rec_target_start(struct rec *r, struct error *err)
{
	int start[2];
	int status[2];

	/* use a socket, because a write to a pipe would raise SIGPIPE if the child has ended */
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, start) < 0)
		return fail(err, ERR_IO, "cannot make a socket: %s", strerror(errno));
	if (pipe2(status, O_CLOEXEC) < 0) {
		(void)close(start[0]);
		(void)close(start[1]);
		return fail(err, ERR_IO, "cannot make a pipe: %s", strerror(errno));
	}
	r->child = fork();
	if (r->child == 0) {
		(void)close(start[1]);
		(void)close(status[0]);
		target_child(r, start[0], status[1]);
	}
	(void)close(start[0]);
	(void)close(status[1]);
	if (r->child < 0) {
		r->child = 0;
		(void)close(start[1]);
		(void)close(status[0]);
		return fail(err, ERR_IO, "cannot start a process: %s", strerror(errno));
	}
	r->result->pid = r->child;
	r->start_fd = start[1];
	r->status_fd = status[0];
	*VEC_PUSH(&r->tids) = (uint32_t)r->child;
	r->result->has_status = true;
	return OK;
}

int rec_target_go(struct rec *r, struct error *err)
{
	int error = 0;
	ssize_t n;

	if (!r->child)
		return OK;
	do {
		n = send(r->start_fd, "", 1, MSG_NOSIGNAL);
	} while (n < 0 && errno == EINTR);
	if (n != 1)
		return fail(err, ERR_IO, "cannot start %s: %s", r->spec->argv[0],
			    errno == EPIPE ? "its process was ended before" : strerror(errno));
	(void)close(r->start_fd);
	r->start_fd = -1;
	/* if exec succeeds, the pipe is closed, and 0 bytes are read */
	n = files_read(r->status_fd, &error, sizeof(error));
	(void)close(r->status_fd);
	r->status_fd = -1;
	if (n != (ssize_t)sizeof(error))
		return OK;
	(void)rec_target_ended(r, true);
	return fail(err, ERR_NOTFOUND, "%s: %s", r->spec->argv[0],
		    error == ENOENT ? "no such command" : strerror(error));
}

static uint64_t target_ns(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * 1000000000 + (uint64_t)t->tv_usec * 1000;
}

bool rec_target_ended(struct rec *r, bool wait)
{
	struct rusage usage;
	pid_t pid;
	int status;

	if (!r->child)
		return false;
	do {
		pid = wait4(r->child, &status, wait ? 0 : WNOHANG, &usage);
	} while (pid < 0 && errno == EINTR);
	if (pid == 0)
		return false;
	r->child = 0;
	if (pid > 0) {
		r->result->status =
			WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
		r->cpu_ns = target_ns(&usage.ru_utime) + target_ns(&usage.ru_stime);
	}
	return true;
}

static void target_thread(void *arg, uint32_t tid)
{
	struct rec *r = arg;

	*VEC_PUSH(&r->tids) = tid;
}

int rec_target_threads(struct rec *r, struct error *err)
{
	VEC_FOREACH (pid, &r->spec->pids) {
		if (!rec_threads("/proc", *pid, target_thread, r))
			return fail(err, ERR_NOTFOUND, "there is no process %" PRIu32, *pid);
	}
	VEC_FOREACH (tid, &r->spec->tids) {
		if (kill((pid_t)*tid, 0) < 0 && errno == ESRCH)
			return fail(err, ERR_NOTFOUND, "there is no thread %" PRIu32, *tid);
		*VEC_PUSH(&r->tids) = *tid;
	}
	return OK;
}

void rec_target_fini(struct rec *r)
{
	if (r->start_fd >= 0)
		/* the child ends when the socket is closed without a start byte */
		(void)close(r->start_fd);
	if (r->status_fd >= 0)
		(void)close(r->status_fd);
	if (!r->child)
		return;
	/* reap the child, which ends without having executed the command */
	(void)rec_target_ended(r, true);
	r->result->has_status = false;
}
