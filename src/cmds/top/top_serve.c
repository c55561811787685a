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
#include "cmds/run/session.h"
#include "cmds/screen/screen_host.h"
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

struct serve {
	struct session *session;
	const struct top_options *o;
	struct live *live;
	struct screen_host host;
	uint64_t next_ns; /* time of the next update */
	uint64_t frames;  /* number of updates sent so far */
	bool is_busy;     /* the drawing process is still drawing */
	bool is_last;     /* the last update has been sent; it contains the final samples */
	bool is_paused;
	bool has_ended; /* the recorded target (command or processes) has ended */
};

static uint64_t serve_ns(clockid_t clock)
{
	struct timespec t;

	(void)clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/*
 * Read the current window (the samples of the last seconds), and send it to the drawing process
 * with the status.
 */
static void serve_update(struct serve *s)
{
	struct screen_message m = { .word = TOP_UPDATE, .len = sizeof(struct top_status) };
	struct top_status status = {
		.lost = live_result(s->live)->counts.lost,
		.frequency = live_result(s->live)->frequency,
		.cpus = live_cpus(s->live),
		.is_paused = s->is_paused,
		.has_ended = s->has_ended,
	};
	struct out image;
	int fd;

	if (!s->is_paused)
		live_cut(s->live);
	live_sum(s->live, &status.window);
	out_init(&image);
	live_image(s->live, &image);
	fd = memfd_create("window", MFD_CLOEXEC);
	if (fd < 0 || !newfile_write(fd, image.data, image.len)) {
		screen_host_fail(&s->host, "no memory for the window");
		out_fini(&image);
		if (fd >= 0)
			(void)close(fd);
		return;
	}
	out_fini(&image);
	status.at_ns = serve_ns(CLOCK_MONOTONIC);
	status.cpu_ns = serve_ns(CLOCK_PROCESS_CPUTIME_ID);
	memcpy(m.text, &status, sizeof(status));
	screen_host_send(&s->host, &m, fd);
	(void)close(fd);
	s->is_busy = true;
	s->is_last = s->has_ended;
	s->frames++;
	/*
	 * Schedule the next update one delay from now. A slow update is thus not followed by fast
	 * updates that catch up. While the recording is paused, only keys cause updates.
	 */
	s->next_ns = s->is_paused ? UINT64_MAX : status.at_ns + s->o->delay_ns;
}

/*
 * Prepare the file to write: the file that the user named, otherwise a file named after the current
 * time. *@ret_path: its path. Errors: ERR_USAGE, ERR_IO.
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
		screen_host_say(&s->host, "%.300s: %" PRIu64 " samples of %.1f s", path,
				sum.samples, (double)sum.held_ns / 1e9);
	else
		screen_host_say(&s->host, "%.300s: %s", path, err.msg);
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
	 * send an update now, to show the samples at the start of the pause, or the first samples
	 * after the pause
	 */
	s->next_ns = serve_ns(CLOCK_MONOTONIC);
}

/* Handle a request of the drawing process. */
static void serve_message(void *arg, const struct screen_message *m)
{
	struct serve *s = arg;

	switch (m->word) {
	case SCREEN_READY:
		s->is_busy = false;
		if (s->o->is_batch && (s->is_last || s->frames == s->o->frames))
			s->host.is_over = true;
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
	default:
		break;
	}
}

/* The recording pauses while this program is stopped. */
static void serve_suspend(void *arg, bool is_stopped)
{
	struct serve *s = arg;

	if (!s->is_paused)
		live_pause(s->live, is_stopped);
}

static void serve_ended(struct serve *s, enum live_state state)
{
	if (state == LIVE_SIGNALLED)
		s->host.is_over = true;
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
	struct screen_host *h = &s->host;
	struct pollfd live = { .fd = live_fd(s->live) };

	s->next_ns = serve_ns(CLOCK_MONOTONIC) + s->o->delay_ns;
	/* send the first update soon, even if the delay is long */
	if (!s->o->is_batch && s->o->delay_ns > SERVE_FIRST_NS)
		s->next_ns -= s->o->delay_ns - SERVE_FIRST_NS;
	while (!h->is_over && !h->is_lost) {
		if (screen_host_wait(h, &live, serve_timeout(s, serve_ns(CLOCK_MONOTONIC))))
			serve_ended(s, live_take(s->live));
		if (!s->is_busy && !h->is_over && !h->is_lost &&
		    serve_ns(CLOCK_MONOTONIC) >= s->next_ns)
			serve_update(s);
	}
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

	screen_host_fini(&s->host);
	live_close(s->live, &has_status, &exit_status);
	return status == EXIT_DONE && has_status && s->has_ended ? exit_status : status;
}

/*
 * Drop rights once everything is open. Some rights must remain: to open files of any process for
 * the reader, to read kernel addresses, to end the recorded command, and to write a file into the
 * user's folder.
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

/* Run the second process. */
static int serve_draw(void *arg, int talk)
{
	struct serve *s = arg;

	return top_view(s->session, s->o, talk);
}

int top_run(struct session *session, const struct top_options *options)
{
	struct top_options o = *options;
	struct serve s = { .session = session, .o = &o };
	struct screen_host *h = &s.host;
	struct error err = { "" };
	int status = EXIT_DONE;

	*h = (struct screen_host){
		.session = session,
		.has_screen = !o.is_batch,
		.kept = -1,
		.arg = &s,
		.on_message = serve_message,
		.on_suspend = serve_suspend,
	};
	if (!serve_has_place(&s))
		return EXIT_USAGE;
	if (live_open(&o.spec, o.window_ns, o.max_bytes, &s.live, &err) < 0) {
		complain(NULL, "%s", err.msg);
		return EXIT_FAILED;
	}
	o.result = live_result(s.live);
	serve_report(&s);
	serve_drop_rights();
	/* screen_host_init() also blocks the signals of the terminal; live_close() unblocks them */
	screen_host_init(h);
	if (!session->in.has_sandbox)
		complain(NULL, "--no-sandbox: symbols of files are read without confinement");
	if (screen_host_start(h, serve_draw, &err) < 0) {
		complain(NULL, "%s", err.msg);
		return serve_close(&s, EXIT_FAILED);
	}
	if (!o.is_batch)
		screen_host_enter(h);
	serve_loop(&s);
	screen_host_stop(h);
	if (h->end.is_killed) {
		complain(NULL, "drawing was stopped: its process violated the sandbox; please "
			       "report it");
		status = EXIT_FAILED;
	} else if (h->end.signal) {
		complain(NULL,
			 "drawing failed: the symbol reader died by signal %d; please report it",
			 h->end.signal);
		status = EXIT_FAILED;
	} else if (h->is_failed) {
		status = EXIT_FAILED;
	} else if (h->is_lost) {
		status = h->end.status;
		/*
		 * the drawing process printed its reason on the alternate screen, which is no
		 * longer visible
		 */
		if (status != EXIT_DONE && !o.is_batch)
			complain(NULL, "drawing failed");
	}
	return serve_close(&s, status);
}
