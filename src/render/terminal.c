/* SPDX-License-Identifier: MIT */
#include "render/terminal.h"

#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define TERMINAL_MIN_COLUMNS 40u
#define TERMINAL_MAX_COLUMNS 1000u

static bool terminal_wants(const char *name)
{
	const char *value = getenv(name);

	return value && *value;
}

static unsigned int terminal_width(int fd)
{
	struct winsize size = { 0 };
	struct str columns = str_of(getenv("COLUMNS"));
	uint64_t width = 0;

	if (!str_u64(&columns, &width) && ioctl(fd, TIOCGWINSZ, &size) == 0)
		width = size.ws_col;
	if (width == 0)
		width = 80;
	return width < TERMINAL_MIN_COLUMNS   ? TERMINAL_MIN_COLUMNS
	       : width > TERMINAL_MAX_COLUMNS ? TERMINAL_MAX_COLUMNS
					      : (unsigned int)width;
}

unsigned int terminal_pipe_columns(int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0 || !S_ISFIFO(st.st_mode) || isatty(STDERR_FILENO) != 1)
		return 0;
	return terminal_width(STDERR_FILENO);
}

struct text_options terminal_options(int fd, enum terminal_colour colour)
{
	const char *term = getenv("TERM");
	bool is_tty = isatty(fd) == 1;
	struct text_options opt = { 0 };

	opt.width = is_tty || terminal_wants("COLUMNS") ? terminal_width(fd) : 0;
	opt.has_colour = colour == COLOUR_ALWAYS ||
			 (colour == COLOUR_AUTO && is_tty && !terminal_wants("NO_COLOR") && term &&
			  !str_eq(str_of(term), STR("dumb")));
	opt.has_utf8 = str_eq_nocase(str_of(nl_langinfo(CODESET)), STR("UTF-8"));
	opt.is_grouped = is_tty;
	return opt;
}

static const char *pager_command(void)
{
	const char *command = getenv("ASSAY_PAGER");

	if (!command)
		command = getenv("PAGER");
	if (!command)
		command = "less";
	return str_eq(str_of(command), STR("cat")) ? "" : command;
}

struct pager pager_start(int fd)
{
	const char *command = pager_command();
	struct pager p = { 0, fd };
	int ends[2];

	if (!*command || isatty(fd) != 1 || pipe2(ends, O_CLOEXEC) < 0)
		return p;
	p.pid = fork();
	if (p.pid < 0) {
		(void)close(ends[0]);
		(void)close(ends[1]);
		p.pid = 0;
		return p;
	}
	if (p.pid == 0) {
		(void)dup2(ends[0], STDIN_FILENO);
		(void)setenv("LESS", "FRX", /* overwrite= */ 0);
		/* if the pager does not exist, run cat instead, so that the output is printed */
		(void)execl("/bin/sh", "sh", "-c",
			    "command -v \"${1%% *}\" >/dev/null 2>&1 || exec cat; eval \"$1\"",
			    "sh", command, (char *)NULL);
		_exit(127);
	}
	(void)close(ends[0]);
	/* ignore SIGPIPE: the user may quit the pager before it has read all output */
	(void)signal(SIGPIPE, SIG_IGN);
	p.fd = ends[1];
	return p;
}

void pager_finish(struct pager *p)
{
	int status;

	if (p->pid == 0)
		return;
	(void)close(p->fd);
	while (p->pid > 0 && waitpid(p->pid, &status, 0) < 0 && errno == EINTR)
		;
	p->pid = 0;
}
