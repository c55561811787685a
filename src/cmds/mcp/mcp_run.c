/* SPDX-License-Identifier: MIT */
#include "cmds/mcp/mcp_run.h"

#include "base/alloc.h"
#include "base/files.h"
#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"
#include "cmds/help.h"
#include "cmds/mcp/mcp_tools.h"
#include "cmds/mcp/mcp_wish.h"
#include "cmds/run/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define RUN_MESSAGE_BYTES 600u
#define RUN_ANSWER_BYTES  300u /* number of bytes of a reply besides its text */
#define RUN_DESCRIPTORS   64
#define RUN_PART_BYTES    65536u
#define RUN_MS            1000

int64_t mcp_run_now(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * RUN_MS + now.tv_nsec / 1000000;
}

/*
 * Return a descriptor of a memory file with the text for the command's standard input; -1: error.
 */
static int run_input(const struct mcp_wish *wish)
{
	int fd = memfd_create("assay-mcp", MFD_CLOEXEC);
	struct error err;
	struct out out;

	if (fd < 0)
		return -1;
	out_init_fd(&out, fd);
	out_str(&out, out_view(&wish->input));
	if (out_finish(&out, &err) < 0 || lseek(fd, 0, SEEK_SET) < 0) {
		(void)close(fd);
		fd = -1;
	}
	out_fini(&out);
	return fd;
}

/* Run the command in the child process, then exit. */
static void __attribute__((noreturn))
run_child(const struct mcp_wish *wish, const char *folder, const int fds[3], unsigned int seconds)
{
	const struct cmd *command = help_find(wish->words.data[0]);
	sigset_t none;
	int status;

	(void)setpgid(0, 0);
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	(void)signal(SIGPIPE, SIG_DFL);
	for (int i = 0; i < 3; i++) {
		if (dup2(fds[i], i) < 0)
			_exit(1);
	}
	for (int fd = 3; fd < RUN_DESCRIPTORS; fd++)
		(void)close(fd);
	if (chdir(folder) < 0 || !command)
		_exit(1);
	/* refuse symbolic links that were created after mcp_paths_find() resolved the paths */
	files_stay_below();
	if (!LIMIT_SECONDS)
		LIMIT_SECONDS = seconds + 1;
	status = command->run((int)wish->words.len - 1, wish->words.data);
	(void)fflush(NULL);
	exit(status);
}

static void run_close(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
	*fd = -1;
}

int mcp_run_start(const struct mcp_wish *wish, const char *folder, unsigned int seconds,
		  struct mcp_run *ret, struct error *err)
{
	int out[2] = { -1, -1 };
	int messages[2] = { -1, -1 };
	int input = run_input(wish);
	size_t most = (size_t)((double)wish->tokens * MCP_TOKEN_BYTES) - RUN_ANSWER_BYTES;

	*ret = (struct mcp_run){ .out = -1, .err = -1, .seconds = seconds };
	mcp_cut_init(&ret->cut, wish->from, most);
	out_init(&ret->messages);
	if (input >= 0 && pipe2(out, O_CLOEXEC) == 0 && pipe2(messages, O_CLOEXEC) == 0) {
		(void)fflush(NULL);
		ret->began_ms = mcp_run_now();
		ret->pid = fork();
		if (ret->pid == 0)
			run_child(wish, folder, (int[]){ input, out[1], messages[1] }, seconds);
	}
	run_close(&input);
	run_close(&out[1]);
	run_close(&messages[1]);
	ret->out = out[0];
	ret->err = messages[0];
	if (ret->pid > 0) {
		(void)setpgid(ret->pid, ret->pid);
		return OK;
	}
	ret->pid = 0;
	return fail(err, ERR_IO, "cannot start a process: %s", strerror(errno));
}

static void run_kill(struct mcp_run *r)
{
	(void)kill(-r->pid, SIGKILL);
	(void)kill(r->pid, SIGKILL);
}

static void run_wait(struct mcp_run *r)
{
	int status = 0;

	while (r->pid && waitpid(r->pid, &status, 0) < 0 && errno == EINTR)
		;
	r->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	r->pid = 0;
}

bool mcp_run_read(struct mcp_run *r, int fd)
{
	CLEANUP(freep) char *part = xmalloc(RUN_PART_BYTES);
	ssize_t n = read(fd, part, RUN_PART_BYTES);
	struct str bytes = { part, n > 0 ? (size_t)n : 0 };
	size_t room = RUN_MESSAGE_BYTES - r->messages.len;

	if (n < 0 && errno == EINTR)
		return true;
	if (fd == r->out)
		mcp_cut_add(&r->cut, bytes);
	else
		out_str(&r->messages, str_sub(bytes, 0, bytes.len < room ? bytes.len : room));
	if (n > 0)
		return true;
	run_close(fd == r->out ? &r->out : &r->err);
	if (r->out >= 0 || r->err >= 0)
		return true;
	mcp_cut_end(&r->cut);
	run_wait(r);
	return false;
}

void mcp_run_watch(struct mcp_run *r)
{
	if (!r->pid || r->is_late || mcp_run_now() - r->began_ms <= (int64_t)r->seconds * RUN_MS)
		return;
	r->is_late = true;
	run_kill(r);
}

void mcp_run_fini(struct mcp_run *r)
{
	if (r->pid) {
		run_kill(r);
		run_wait(r);
	}
	run_close(&r->out);
	run_close(&r->err);
	mcp_cut_fini(&r->cut);
	out_fini(&r->messages);
}
