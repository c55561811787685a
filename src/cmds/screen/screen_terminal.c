/* SPDX-License-Identifier: MIT */
#include "cmds/screen/screen_terminal.h"

#include "base/files.h"
#include "base/rights/rights.h"
#include "render/screen.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define TERMINAL_COLUMNS 80u
#define TERMINAL_LINES   24u
#define TERMINAL_MOST    1000u

/* Write all of @text, also if signals interrupt write(). */
static void terminal_write(const char *text)
{
	size_t len = strlen(text);

	while (len) {
		ssize_t n = write(STDOUT_FILENO, text, len);

		if (n < 0 && errno != EINTR)
			return;
		if (n > 0) {
			text += n;
			len -= (size_t)n;
		}
	}
}

static void terminal_restore(const struct screen_terminal *t)
{
	terminal_write(SCREEN_LEAVE);
	if (t->keys_fd >= 0)
		(void)tcsetattr(t->keys_fd, TCSADRAIN, &t->saved);
}

/*
 * Run the guard process. It reads 'e' when the terminal enters page mode, and 'l' when it leaves
 * page mode. At the end of this input, it restores the terminal if the last byte was not 'l'.
 */
static void terminal_guard(struct screen_terminal *t, int fd)
{
	const int keep[] = { STDOUT_FILENO, t->keys_fd, fd };
	sigset_t all;
	char word = 'l';
	char next;
	ssize_t n;

	(void)sigfillset(&all);
	(void)sigprocmask(SIG_SETMASK, &all, NULL);
	rights_close(keep, ARRAY_LEN(keep));
	do {
		n = files_read(fd, &next, 1);
		if (n == 1)
			word = next;
	} while (n == 1);
	if (word == 'e')
		terminal_restore(t);
	_exit(0);
}

static void terminal_send(struct screen_terminal *t, char word)
{
	if (t->guard_fd >= 0)
		(void)!write(t->guard_fd, &word, 1);
}

/* Open the terminal, to read keys if standard input is something else; -1: none. */
static int terminal_keys(void)
{
	return open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY);
}

bool screen_terminal_is_here(void)
{
	int fd;

	if (isatty(STDOUT_FILENO) != 1 || isatty(STDIN_FILENO) == 1)
		return isatty(STDOUT_FILENO) == 1;
	fd = terminal_keys();
	if (fd >= 0)
		(void)close(fd);
	return fd >= 0;
}

void screen_terminal_init(struct screen_terminal *t)
{
	int ends[2];

	*t = (struct screen_terminal){ .keys_fd = STDIN_FILENO, .guard_fd = -1 };
	if (!isatty(STDIN_FILENO))
		t->keys_fd = terminal_keys();
	if (t->keys_fd >= 0 && tcgetattr(t->keys_fd, &t->saved) < 0)
		t->keys_fd = -1;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return;
	t->guard = fork();
	if (t->guard == 0)
		terminal_guard(t, ends[0]);
	(void)close(ends[0]);
	t->guard_fd = ends[1];
}

void screen_terminal_enter(struct screen_terminal *t)
{
	struct termios raw = t->saved;

	if (t->is_on)
		return;
	t->is_on = true;
	terminal_send(t, 'e');
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	raw.c_iflag &= ~(tcflag_t)(IXON | ICRNL);
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	if (t->keys_fd >= 0)
		(void)tcsetattr(t->keys_fd, TCSADRAIN, &raw);
	terminal_write(SCREEN_ENTER);
}

void screen_terminal_leave(struct screen_terminal *t)
{
	if (!t->is_on)
		return;
	t->is_on = false;
	terminal_restore(t);
	terminal_send(t, 'l');
}

void screen_terminal_fini(struct screen_terminal *t)
{
	screen_terminal_leave(t);
	if (t->guard_fd >= 0)
		(void)close(t->guard_fd);
	if (t->guard > 0)
		(void)waitpid(t->guard, NULL, 0);
	if (t->keys_fd > STDERR_FILENO)
		(void)close(t->keys_fd);
}

void screen_terminal_size(uint32_t *ret_width, uint32_t *ret_height)
{
	struct winsize size = { 0 };

	(void)ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
	*ret_width = size.ws_col ? size.ws_col : TERMINAL_COLUMNS;
	*ret_height = size.ws_row ? size.ws_row : TERMINAL_LINES;
	*ret_width = *ret_width > TERMINAL_MOST ? TERMINAL_MOST : *ret_width;
	*ret_height = *ret_height > TERMINAL_MOST ? TERMINAL_MOST : *ret_height;
}
