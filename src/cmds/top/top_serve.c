/* SPDX-License-Identifier: MIT */
/*
 * The first process of `assay top`: it records, owns the terminal, and opens files for the
 * drawing process.
 */
#include "cmds/top.h"

#include "base/files.h"
#include "base/newfile.h"
#include "base/out.h"
#include "base/rights/capabilities.h"
#include "base/rights/rights.h"
#include "base/rights/sandbox.h"
#include "base/rights/sandbox_clone.h"
#include "base/status.h"
#include "base/vec.h"
#include "cmds/run/confine.h"
#include "cmds/run/session.h"
#include "cmds/top/top_terminal.h"
#include "record/perf/record.h"
#include "record/window/live.h"
#include "record/window/window.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SERVE_PATH_MAX 4096u
#define SERVE_FIRST_NS UINT64_C(500000000)
/* time for the drawing process to end by itself, before it is killed */
#define SERVE_GRACE_MS 500

struct serve {
	struct session *session;
	const struct top_options *o;
	struct live *live;
	struct sandbox box;
	struct sandbox_end end;
	int talk;
	int signal_fd;
	struct top_terminal terminal;
	uint64_t next_ns; /* time of the next update */
	uint64_t frames;  /* number of updates sent so far */
	bool is_busy;     /* the drawing process is still drawing */
	bool is_last;     /* the last update that was sent has the final samples */
	bool is_paused;
	bool has_ended; /* the recorded target (command or processes) has ended */
	bool is_over;
	bool is_lost;   /* the drawing process has ended */
	bool is_failed; /* this process failed, and printed a message */
};

static uint64_t serve_ns(clockid_t clock)
{
	struct timespec t;

	(void)clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void serve_fail(struct serve *s, const char *what)
{
	int error = errno;

	top_terminal_leave(&s->terminal);
	complain(NULL, "%s: %s", what, strerror(error));
	s->is_failed = s->is_over = true;
}

static void serve_send(struct serve *s, struct top_message *m, int fd)
{
	struct pollfd p = { .fd = s->talk, .events = POLLOUT };

	/* the drawing process reads slowly: drop keys, to limit the length of their queue */
	if (m->word == TOP_KEYS && poll(&p, 1, 0) != 1)
		return;
	if (files_send(s->talk, m, sizeof(*m), fd))
		return;
	s->is_lost = true;
	/* EPIPE or ECONNRESET: the drawing process has ended, and has printed the reason itself */
	if (errno != EPIPE && errno != ECONNRESET)
		serve_fail(s, "cannot reach the process that draws");
}

static void serve_say(struct serve *s, const char *fmt, ...) PRINTF(2, 3);

static void serve_say(struct serve *s, const char *fmt, ...)
{
	struct top_message m = { .word = TOP_MESSAGE };
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(m.text, sizeof(m.text), fmt, ap);
	va_end(ap);
	m.len = (uint32_t)strlen(m.text);
	serve_send(s, &m, -1);
}

static void serve_size(struct serve *s)
{
	struct top_message m = { .word = TOP_SIZE };

	top_terminal_size(&m.width, &m.height);
	serve_send(s, &m, -1);
}

/*
 * Read the current window (the samples of the last seconds), and send it to the drawing process
 * with the status.
 */
static void serve_update(struct serve *s)
{
	struct top_message m = { .word = TOP_UPDATE };
	struct out image;
	int fd;

	if (!s->is_paused)
		live_cut(s->live);
	live_sum(s->live, &m.status.window);
	m.status.lost = live_result(s->live)->counts.lost;
	m.status.frequency = live_result(s->live)->frequency;
	m.status.cpus = live_cpus(s->live);
	m.status.is_paused = s->is_paused;
	m.status.has_ended = s->has_ended;
	out_init(&image);
	live_image(s->live, &image);
	fd = memfd_create("window", MFD_CLOEXEC);
	if (fd < 0 || !newfile_write(fd, image.data, image.len)) {
		serve_fail(s, "no memory for the window");
		out_fini(&image);
		if (fd >= 0)
			(void)close(fd);
		return;
	}
	out_fini(&image);
	m.status.at_ns = serve_ns(CLOCK_MONOTONIC);
	m.status.cpu_ns = serve_ns(CLOCK_PROCESS_CPUTIME_ID);
	serve_send(s, &m, fd);
	(void)close(fd);
	s->is_busy = true;
	s->is_last = s->has_ended;
	s->frames++;
	/*
	 * schedule from the current time, so that a slow update is not followed by a series of
	 * updates; while paused, only keys cause updates
	 */
	s->next_ns = s->is_paused ? UINT64_MAX : m.status.at_ns + s->o->delay_ns;
}

/*
 * Prepare the file to write: the one that the user named, else one named after the time.
 * *@ret_path: its path. Errors: ERR_USAGE, ERR_IO.
 */
static int serve_find(const struct serve *s, char ret_path[SERVE_PATH_MAX], struct newfile *ret,
		      struct error *err)
{
	struct newfile_spec spec = { .path = ret_path,
				     .kind = &record_kind,
				     .is_forced = s->o->is_forced,
				     .is_private = true,
				     .keeps_old = true };
	VEC(const char *) inputs = VEC_INIT;
	struct tm tm;
	time_t now = time(NULL);
	int status;

	for (char *const *word = s->o->spec.argv; word && *word; word++)
		*VEC_PUSH(&inputs) = *word;
	spec.inputs = inputs.data;
	spec.n_inputs = inputs.len;
	(void)localtime_r(&now, &tm);
	if (s->o->output)
		(void)snprintf(ret_path, SERVE_PATH_MAX, "%s", s->o->output);
	else
		(void)strftime(ret_path, SERVE_PATH_MAX, "assay-top-%Y%m%d-%H%M%S.data", &tm);
	status = newfile_find(&spec, ret, err);
	VEC_FREE(&inputs);
	return status;
}

/*
 * Write the window (the samples of the last seconds) to a file, and report the result to the
 * drawing process.
 */
static void serve_keep(struct serve *s)
{
	struct newfile f = NEWFILE_NONE;
	struct error err = { "" };
	char path[SERVE_PATH_MAX];
	struct window_sum sum;
	struct out image;
	int status = serve_find(s, path, &f, &err);

	if (status == OK)
		status = newfile_make(&f, &err);
	live_sum(s->live, &sum);
	out_init(&image);
	live_image(s->live, &image);
	if (status == OK && !newfile_write(f.fd, image.data, image.len))
		status = fail(&err, ERR_IO, "cannot write the file: %s", strerror(errno));
	out_fini(&image);
	if (status == OK)
		status = newfile_put(&f, /* keeps_old= */ true, &err);
	newfile_fini(&f);
	if (status == OK)
		serve_say(s, "%.300s: %" PRIu64 " samples of %.1f s", path, sum.samples,
			  (double)sum.held_ns / 1e9);
	else
		serve_say(s, "%.300s: %s", path, err.msg);
}

/*
 * Check at the start that the key `w` will be able to write the file. False: a message was printed.
 */
static bool serve_has_place(const struct serve *s)
{
	struct newfile f = NEWFILE_NONE;
	struct error err = { "" };
	char path[SERVE_PATH_MAX];
	int status = s->o->output ? serve_find(s, path, &f, &err) : OK;

	newfile_fini(&f);
	if (status < 0)
		complain(path[0] ? path : NULL, "%s", err.msg);
	return status == OK;
}

static void serve_pause(struct serve *s)
{
	if (s->has_ended)
		return;
	s->is_paused = !s->is_paused;
	live_pause(s->live, s->is_paused);
	/*
	 * update now: show the window at the start of the pause, or the first window after the
	 * pause
	 */
	s->next_ns = serve_ns(CLOCK_MONOTONIC);
}

/* Receive and handle a message from the drawing process. */
static void serve_talk(struct serve *s)
{
	struct top_message m;

	errno = 0;
	if (!files_receive(s->talk, &m, sizeof(m), NULL)) {
		s->is_lost = true;
		if (errno && errno != ECONNRESET)
			serve_fail(s, "cannot hear the process that draws");
		return;
	}
	switch (m.word) {
	case TOP_READY:
		s->is_busy = false;
		if (s->o->is_batch && (s->is_last || s->frames == s->o->frames))
			s->is_over = true;
		break;
	case TOP_AGAIN:
		s->next_ns = serve_ns(CLOCK_MONOTONIC);
		break;
	case TOP_WRITE:
		serve_keep(s);
		break;
	case TOP_PAUSE:
		serve_pause(s);
		break;
	case TOP_QUIT:
		s->is_over = true;
		break;
	default:
		break;
	}
}

static void serve_keys(struct serve *s)
{
	struct top_message m = { .word = TOP_KEYS };
	ssize_t n = read(s->terminal.keys_fd, m.text, sizeof(m.text));

	if (n > 0) {
		m.len = (uint32_t)n;
		serve_send(s, &m, -1);
	} else if (n == 0 || errno != EINTR) {
		s->is_over = true; /* the terminal was closed */
	}
}

/*
 * Handle SIGTSTP: restore the terminal and stop this process and its child. When this process is
 * continued, undo this.
 */
static void serve_suspend(struct serve *s)
{
	bool was_paused = s->is_paused;

	if (!was_paused)
		live_pause(s->live, true);
	(void)kill(s->box.child, SIGSTOP);
	top_terminal_leave(&s->terminal);
	(void)kill(getpid(), SIGSTOP);
	top_terminal_enter(&s->terminal);
	(void)kill(s->box.child, SIGCONT);
	if (!was_paused)
		live_pause(s->live, false);
	serve_size(s);
}

static void serve_signals(struct serve *s)
{
	struct signalfd_siginfo info;

	while (read(s->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo == SIGWINCH && !s->o->is_batch)
			serve_size(s);
		else if (info.ssi_signo == SIGTSTP && !s->o->is_batch)
			serve_suspend(s);
		else if (info.ssi_signo == SIGTSTP)
			(void)kill(getpid(), SIGSTOP);
		else if (info.ssi_signo == SIGQUIT)
			s->is_over = true;
	}
}

static void serve_ended(struct serve *s, enum live_state state)
{
	if (state == LIVE_SIGNALLED)
		s->is_over = true;
	if (state != LIVE_ENDED || s->has_ended)
		return;
	/* schedule the final update, which then stays on the screen */
	s->has_ended = true;
	if (!s->is_paused)
		live_cut(s->live);
	live_pause(s->live, true);
	s->is_paused = true;
	s->next_ns = serve_ns(CLOCK_MONOTONIC);
}

static int serve_timeout(const struct serve *s, uint64_t now)
{
	if (s->is_busy || s->next_ns == UINT64_MAX)
		return -1;
	return s->next_ns <= now ? 0 : (int)((s->next_ns - now + 999999) / 1000000);
}

static void serve_loop(struct serve *s)
{
	struct pollfd fds[] = { { .fd = live_fd(s->live), .events = POLLIN },
				{ .fd = s->box.server.fd, .events = POLLIN },
				{ .fd = s->talk, .events = POLLIN },
				{ .fd = s->signal_fd, .events = POLLIN },
				{ .fd = s->terminal.is_on ? s->terminal.keys_fd : -1,
				  .events = POLLIN },
				{ .fd = s->box.clones.fd, .events = POLLIN },
				{ .fd = s->box.ended, .events = POLLIN } };

	s->next_ns = serve_ns(CLOCK_MONOTONIC) + s->o->delay_ns;
	if (!s->o->is_batch) {
		serve_size(s);
		/* send the first update soon, even if the delay is long */
		if (s->o->delay_ns > SERVE_FIRST_NS)
			s->next_ns -= s->o->delay_ns - SERVE_FIRST_NS;
	}
	while (!s->is_over && !s->is_lost) {
		if (poll(fds, ARRAY_LEN(fds), serve_timeout(s, serve_ns(CLOCK_MONOTONIC))) < 0) {
			/* poll() was interrupted and has not set the results */
			if (errno != EINTR)
				serve_fail(s, "cannot wait for what is next");
			continue;
		}
		if (fds[0].revents)
			serve_ended(s, live_take(s->live));
		if (fds[1].revents && !files_serve(&s->box.server))
			s->is_lost = true;
		else if (fds[6].revents && !fds[1].revents)
			s->is_lost = true;
		if (fds[2].revents && !s->is_lost)
			serve_talk(s);
		if (fds[3].revents)
			serve_signals(s);
		if (fds[4].revents)
			serve_keys(s);
		if (fds[5].revents & POLLIN)
			sandbox_clones_serve(&s->box.clones);
		else if (fds[5].revents)
			sandbox_clones_end(&s->box.clones);
		fds[5].fd = s->box.clones.fd;
		if (!s->is_busy && !s->is_over && !s->is_lost &&
		    serve_ns(CLOCK_MONOTONIC) >= s->next_ns)
			serve_update(s);
	}
}

/*
 * Block signals of the terminal, which are read from signal_fd instead. live_open() has blocked
 * others.
 */
static void serve_block(struct serve *s)
{
	sigset_t set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGWINCH);
	(void)sigaddset(&set, SIGTSTP);
	(void)sigaddset(&set, SIGQUIT);
	(void)sigprocmask(SIG_BLOCK, &set, NULL); /* live_close() unblocks these signals */
	s->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/*
 * End the child process: close its socket, which requests that. If the child does not end in time,
 * kill it.
 */
static void serve_end_child(struct serve *s)
{
	struct pollfd p = { .fd = s->box.server.fd, .events = POLLIN };
	bool was_lost = s->is_lost;
	uint64_t end = serve_ns(CLOCK_MONOTONIC) + SERVE_GRACE_MS * UINT64_C(1000000);

	(void)close(s->talk);
	while (poll(&p, 1, SERVE_GRACE_MS) == 1 && serve_ns(CLOCK_MONOTONIC) < end &&
	       files_serve(&s->box.server))
		;
	if (!was_lost && poll(&p, 1, 0) == 0)
		(void)kill(s->box.child, SIGKILL);
	sandbox_wait(&s->box, &s->end);
	if (!was_lost)
		s->end.signal = 0;
}

static void serve_report(const struct serve *s)
{
	VEC_FOREACH (note, &live_result(s->live)->notes)
		complain(NULL, "%s", *note);
}

static int serve_close(struct serve *s, int status)
{
	bool has_status = false;
	int exit_status = 0;

	top_terminal_fini(&s->terminal);
	live_close(s->live, &has_status, &exit_status);
	if (s->signal_fd >= 0)
		(void)close(s->signal_fd);
	return status == EXIT_DONE && has_status && s->has_ended ? exit_status : status;
}

/*
 * Drop rights once everything is open. The remaining rights are needed to open files of any process
 * for the reader, to read kernel addresses, to end the recorded command, and to write a file into
 * the user's folder.
 */
static void serve_drop_rights(void)
{
	(void)rights_no_new();
	(void)capabilities_drop(UINT64_C(1) << CAP_DAC_OVERRIDE |
					UINT64_C(1) << CAP_DAC_READ_SEARCH |
					UINT64_C(1) << CAP_KILL | UINT64_C(1) << CAP_SYS_PTRACE |
					UINT64_C(1) << CAP_SYSLOG,
				true);
}

static int serve_start(struct serve *s, struct error *err)
{
	int talk[2];
	int keep[1];

	if (!files_pair(talk))
		return fail(err, ERR_IO, "cannot make a socket: %s", strerror(errno));
	keep[0] = talk[1];
	const struct sandbox_options options = {
		.keep = keep,
		.n_keep = ARRAY_LEN(keep),
		.memory = confine_memory(),
		.server = { .words = s->session->words },
	};
	(void)fflush(NULL);
	s->talk = talk[0];
	int r;

	s->box.server.fd = -1;
	s->box.clones.fd = -1;
	s->box.ended = -1;
	if (s->session->in.has_sandbox) {
		r = sandbox_start(&options, &s->box, err);
	} else {
		complain(NULL, "--no-sandbox: symbols of files are read without confinement");
		s->box.child = fork();
		r = s->box.child < 0    ? fail(err, ERR_IO, "cannot start another process")
		    : s->box.child == 0 ? 1
					: 0;
	}
	if (r > 0)
		_exit(top_view(s->session, s->o, talk[1]));
	(void)close(talk[1]);
	return r;
}

int top_run(struct session *session, const struct top_options *options)
{
	struct top_options o = *options;
	struct serve s = { .session = session, .o = &o, .signal_fd = -1, .talk = -1 };
	struct error err = { "" };
	int status = EXIT_DONE;

	s.terminal = (struct top_terminal){ .keys_fd = -1, .guard_fd = -1 };
	if (!serve_has_place(&s))
		return EXIT_USAGE;
	if (live_open(&o.spec, o.window_ns, o.max_bytes, &s.live, &err) < 0) {
		complain(NULL, "%s", err.msg);
		return EXIT_FAILED;
	}
	o.result = live_result(s.live);
	serve_report(&s);
	serve_drop_rights();
	serve_block(&s);
	(void)signal(SIGPIPE, SIG_IGN);
	if (serve_start(&s, &err) < 0) {
		complain(NULL, "%s", err.msg);
		return serve_close(&s, EXIT_FAILED);
	}
	if (!o.is_batch) {
		top_terminal_init(&s.terminal);
		top_terminal_enter(&s.terminal);
	}
	serve_loop(&s);
	serve_end_child(&s);
	top_terminal_leave(&s.terminal);
	if (s.end.signal) {
		complain(NULL,
			 "drawing failed: the symbol reader died by signal %d; please report it",
			 s.end.signal);
		status = EXIT_FAILED;
	} else if (s.is_failed) {
		status = EXIT_FAILED;
	} else if (s.is_lost) {
		status = s.end.status;
		/* the alternate screen has hidden the message of the drawing process */
		if (status != EXIT_DONE && !o.is_batch)
			complain(NULL, "drawing failed");
	}
	return serve_close(&s, status);
}
