/* SPDX-License-Identifier: MIT */
#include "cmds/screen/screen_host.h"

#include "base/files.h"
#include "base/rights/sandbox.h"
#include "base/rights/sandbox_clone.h"
#include "base/status.h"
#include "cmds/run/confine.h"
#include "cmds/run/session.h"
#include "cmds/screen/screen_terminal.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

/* time that the drawing process has to end, before it is killed */
#define HOST_GRACE_MS 500
/*
 * maximum time to wait for the rest of a key's escape sequence, in ms; a slow connection may
 * deliver the sequence in parts
 */
#define HOST_KEY_MS 40

enum { HOST_FILES, HOST_TALK, HOST_SIGNALS, HOST_KEYS, HOST_CLONES, HOST_ENDED, HOST_MORE, HOST_N };

static uint64_t host_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

void screen_host_fail(struct screen_host *h, const char *what)
{
	int error = errno;

	screen_terminal_leave(&h->terminal);
	complain(NULL, "%s: %s", what, strerror(error));
	h->is_failed = h->is_over = true;
}

void screen_host_send(struct screen_host *h, const struct screen_message *m, int fd)
{
	struct pollfd p = { .fd = h->talk, .events = POLLOUT };

	/* if the drawing process reads slowly, drop keys, to limit the length of their queue */
	if (m->word == SCREEN_KEYS && poll(&p, 1, 0) != 1)
		return;
	if (files_send(h->talk, m, sizeof(*m), fd))
		return;
	h->is_lost = true;
	/* EPIPE or ECONNRESET: the drawing process has ended, and has already printed the reason */
	if (errno != EPIPE && errno != ECONNRESET)
		screen_host_fail(h, "cannot reach the process that draws");
}

void screen_host_say(struct screen_host *h, const char *fmt, ...)
{
	struct screen_message m = { .word = SCREEN_MESSAGE };
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(m.text, sizeof(m.text), fmt, ap);
	va_end(ap);
	m.len = (uint32_t)strlen(m.text);
	screen_host_send(h, &m, -1);
}

static void host_size(struct screen_host *h)
{
	struct screen_message m = { .word = SCREEN_SIZE };

	screen_terminal_size(&m.width, &m.height);
	screen_host_send(h, &m, -1);
}

void screen_host_enter(struct screen_host *h)
{
	if (h->terminal.is_on)
		return;
	screen_terminal_enter(&h->terminal);
	host_size(h);
}

/* Receive and handle a message from the drawing process. */
static void host_talk(struct screen_host *h)
{
	struct screen_message m;

	errno = 0;
	if (!files_receive(h->talk, &m, sizeof(m), NULL)) {
		h->is_lost = true;
		if (errno && errno != ECONNRESET)
			screen_host_fail(h, "cannot hear the process that draws");
		return;
	}
	if (m.word == SCREEN_QUIT)
		h->is_over = true;
	else
		h->on_message(h->arg, &m);
}

static void host_keys(struct screen_host *h)
{
	struct screen_message m = { .word = SCREEN_KEYS };
	struct pollfd p = { .fd = h->terminal.keys_fd, .events = POLLIN };
	ssize_t n = read(p.fd, m.text, sizeof(m.text));

	/* an escape character at the end may begin a sequence: wait for the rest of it */
	if (n > 0 && m.text[n - 1] == '\033' && (size_t)n < sizeof(m.text) &&
	    poll(&p, 1, HOST_KEY_MS) == 1) {
		ssize_t more = read(p.fd, m.text + n, sizeof(m.text) - (size_t)n);

		n += more > 0 ? more : 0;
	}
	if (n > 0) {
		m.len = (uint32_t)n;
		screen_host_send(h, &m, -1);
	} else if (n == 0 || errno != EINTR) {
		h->is_over = true; /* no key can be read any more: the terminal was closed */
	}
}

/*
 * Handle SIGTSTP: restore the terminal and stop this process and its child. When this process is
 * continued, undo this.
 */
static void host_suspend(struct screen_host *h)
{
	bool was_on = h->terminal.is_on;

	if (h->on_suspend)
		h->on_suspend(h->arg, true);
	(void)kill(h->box.child, SIGSTOP);
	screen_terminal_leave(&h->terminal);
	(void)kill(getpid(), SIGSTOP);
	if (was_on)
		screen_terminal_enter(&h->terminal);
	(void)kill(h->box.child, SIGCONT);
	if (h->on_suspend)
		h->on_suspend(h->arg, false);
	if (was_on)
		host_size(h);
}

static void host_signals(struct screen_host *h)
{
	struct signalfd_siginfo info;

	while (read(h->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo == SIGWINCH && h->terminal.is_on)
			host_size(h);
		else if (info.ssi_signo == SIGTSTP && h->has_screen)
			host_suspend(h);
		else if (info.ssi_signo == SIGTSTP)
			(void)kill(getpid(), SIGSTOP);
		else if (info.ssi_signo != SIGWINCH)
			h->is_over = true;
		if (h->is_over && !h->signal)
			h->signal = (int)info.ssi_signo;
	}
}

bool screen_host_wait(struct screen_host *h, struct pollfd *more, int timeout_ms)
{
	struct pollfd fds[HOST_N] = {
		[HOST_FILES] = { .fd = h->box.server.fd, .events = POLLIN },
		[HOST_TALK] = { .fd = h->talk, .events = POLLIN },
		[HOST_SIGNALS] = { .fd = h->signal_fd, .events = POLLIN },
		[HOST_KEYS] = { .fd = h->terminal.is_on ? h->terminal.keys_fd : -1,
				.events = POLLIN },
		[HOST_CLONES] = { .fd = h->box.clones.fd, .events = POLLIN },
		[HOST_ENDED] = { .fd = h->box.ended, .events = POLLIN },
		[HOST_MORE] = { .fd = more ? more->fd : -1, .events = POLLIN },
	};

	if (poll(fds, HOST_N, timeout_ms) < 0) {
		/* if poll() was interrupted by a signal, it has not set the results */
		if (errno != EINTR)
			screen_host_fail(h, "cannot wait for what is next");
		return false;
	}
	if (fds[HOST_FILES].revents && !files_serve(&h->box.server))
		h->is_lost = true;
	else if (fds[HOST_ENDED].revents && !fds[HOST_FILES].revents)
		h->is_lost = true;
	if (fds[HOST_TALK].revents && !h->is_lost)
		host_talk(h);
	if (fds[HOST_SIGNALS].revents)
		host_signals(h);
	if (fds[HOST_KEYS].revents)
		host_keys(h);
	if (fds[HOST_CLONES].revents & POLLIN)
		sandbox_clones_serve(&h->box.clones);
	else if (fds[HOST_CLONES].revents)
		sandbox_clones_end(&h->box.clones);
	return fds[HOST_MORE].revents;
}

void screen_host_init(struct screen_host *h)
{
	sigset_t set;

	h->terminal = (struct screen_terminal){ .keys_fd = -1, .guard_fd = -1 };
	h->talk = -1;
	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGWINCH);
	(void)sigaddset(&set, SIGTSTP);
	(void)sigaddset(&set, SIGQUIT);
	if (h->takes_end) {
		(void)sigaddset(&set, SIGINT);
		(void)sigaddset(&set, SIGTERM);
		(void)sigaddset(&set, SIGHUP);
	}
	(void)sigprocmask(SIG_BLOCK, &set, NULL);
	h->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	(void)signal(SIGPIPE, SIG_IGN);
}

int screen_host_start(struct screen_host *h, int (*draw)(void *arg, int talk), struct error *err)
{
	int talk[2];
	int keep[2];
	int r;

	if (!files_pair(talk))
		return fail(err, ERR_IO, "cannot make a socket: %s", strerror(errno));
	keep[0] = talk[1];
	keep[1] = h->kept;
	const struct sandbox_options options = {
		.keep = keep,
		.n_keep = ARRAY_LEN(keep),
		.memory = confine_memory(),
		.server = { .words = h->session->words },
	};
	(void)fflush(NULL);
	h->talk = talk[0];
	h->box.server.fd = -1;
	h->box.clones.fd = -1;
	h->box.ended = -1;
	if (h->session->in.has_sandbox) {
		r = sandbox_start(&options, &h->box, err);
	} else {
		h->box.child = fork();
		r = h->box.child < 0    ? fail(err, ERR_IO, "cannot start another process")
		    : h->box.child == 0 ? 1
					: 0;
	}
	if (r > 0)
		_exit(draw(h->arg, talk[1]));
	(void)close(talk[1]);
	if (r == 0 && h->has_screen)
		screen_terminal_init(&h->terminal);
	return r;
}

/*
 * End the child process. Closing its socket asks it to end. If it does not end in time, it is
 * killed.
 */
void screen_host_stop(struct screen_host *h)
{
	struct pollfd p = { .fd = h->box.server.fd, .events = POLLIN };
	bool was_lost = h->is_lost;
	uint64_t end = host_ns() + HOST_GRACE_MS * UINT64_C(1000000);

	(void)close(h->talk);
	while (poll(&p, 1, HOST_GRACE_MS) == 1 && host_ns() < end && files_serve(&h->box.server))
		;
	if (!was_lost && poll(&p, 1, 0) == 0)
		(void)kill(h->box.child, SIGKILL);
	sandbox_wait(&h->box, &h->end);
	if (!was_lost)
		h->end.signal = 0;
	screen_terminal_leave(&h->terminal);
}

void screen_host_fini(struct screen_host *h)
{
	screen_terminal_fini(&h->terminal);
	if (h->signal_fd >= 0)
		(void)close(h->signal_fd);
}
