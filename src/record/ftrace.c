/* SPDX-License-Identifier: MIT */
/*
 * The recorder of function graphs: set up, let the target run, take pages of the
 * kernel's buffers as they fill, write the file, and have everything put back.
 */
#include "record/ftrace_parts.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define FTRACE_WAKE_NS  UINT64_C(200000000) /* what is in a buffer that is not full yet waits */
#define FTRACE_GRACE_NS UINT64_C(2000000000)

static int ftrace_signals(struct rec *r, struct error *err)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGUSR2 };
	sigset_t set;

	(void)sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
		(void)sigaddset(&set, numbers[i]);
	if (sigprocmask(SIG_BLOCK, &set, &r->old_signals) < 0)
		return fail(err, ERR_IO, "cannot block signals: %s", strerror(errno));
	r->has_signals = true;
	r->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return r->signal_fd < 0 ? fail(err, ERR_IO, "cannot wait for signals: %s", strerror(errno))
				: OK;
}

/* True: stop. */
static bool ftrace_take_signals(struct rec *r)
{
	struct signalfd_siginfo info;
	bool is_over = false;

	while (read(r->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo == SIGUSR2)
			continue;
		if (info.ssi_signo == SIGCHLD) {
			if (!rec_target_ended(r, false))
				continue;
			r->result->end = RECORD_ENDED;
		} else {
			r->result->end = RECORD_SIGNALLED;
			/* the terminal sends it to all, kill(1) to us alone */
			if (r->child && info.ssi_pid)
				(void)kill(r->child, (int)info.ssi_signo);
		}
		is_over = true;
	}
	return is_over;
}

/* Processes that are followed: all have ended. */
static bool ftrace_all_ended(const struct rec *r)
{
	if (r->spec->argv || r->spec->is_system_wide)
		return false;
	VEC_FOREACH (tid, &r->tids) {
		if (syscall(SYS_tkill, (pid_t)*tid, 0) == 0 || errno != ESRCH)
			return false;
	}
	return true;
}

/* Look at clocks and limits. True: stop. */
static bool ftrace_check(struct ftrace *t, uint64_t now)
{
	const struct record_spec *spec = t->rec.spec;
	struct record_counts *c = &t->rec.result->counts;

	c->bytes = t->bytes;
	c->elapsed_ns = now - t->rec.began_ns;
	if (spec->tick && now >= t->rec.ticked_ns + spec->tick_ns) {
		t->rec.ticked_ns = now;
		spec->tick(spec->tick_arg, c);
	}
	if (t->rec.file.error)
		t->rec.result->end = RECORD_DISK_FULL;
	else if (spec->max_bytes && c->bytes >= spec->max_bytes)
		t->rec.result->end = RECORD_SIZE_OVER;
	else if (spec->duration_ns && c->elapsed_ns >= spec->duration_ns)
		t->rec.result->end = RECORD_TIME_OVER;
	else if (ftrace_all_ended(&t->rec))
		t->rec.result->end = RECORD_ENDED;
	else
		return false;
	return true;
}

static void ftrace_loop(struct ftrace *t)
{
	struct pollfd *fds = xcalloc(t->cpus.len + 1, sizeof(*fds));
	bool is_over = false;

	t->rec.began_ns = t->rec.ticked_ns = rec_clock_ns(CLOCK_MONOTONIC);
	fds[0] = (struct pollfd){ .fd = t->rec.signal_fd, .events = POLLIN };
	for (size_t i = 0; i < t->cpus.len; i++)
		fds[i + 1] = (struct pollfd){ .fd = t->cpus.data[i].fd, .events = POLLIN };
	while (!is_over) {
		uint64_t left = FTRACE_WAKE_NS;
		uint64_t now = rec_clock_ns(CLOCK_MONOTONIC);
		bool has_data = false;

		if (t->rec.spec->duration_ns &&
		    t->rec.began_ns + t->rec.spec->duration_ns < now + left)
			left = t->rec.began_ns + t->rec.spec->duration_ns > now
				       ? t->rec.began_ns + t->rec.spec->duration_ns - now
				       : 0;
		(void)poll(fds, (nfds_t)t->cpus.len + 1, (int)((left + 999999) / 1000000));
		if (fds[0].revents)
			is_over = ftrace_take_signals(&t->rec);
		for (size_t i = 0; i < t->cpus.len; i++)
			has_data |= (fds[i + 1].revents & POLLIN) != 0;
		if (has_data)
			ftrace_buffers_drain(t);
		is_over |= ftrace_check(t, rec_clock_ns(CLOCK_MONOTONIC));
	}
	free(fds);
}

static int ftrace_open(struct ftrace *t, struct error *err)
{
	struct rec *r = &t->rec;
	int status = ftrace_find(t, err);

	if (status == OK)
		status = ftrace_signals(r, err);
	if (status == OK && !r->spec->argv && !r->spec->is_system_wide)
		status = rec_target_threads(r, err);
	if (status == OK)
		status = ftrace_arm(t, err);
	if (status == OK)
		status = ftrace_buffers_open(t, err);
	/* behind the helper, so that it holds nothing of the command's */
	if (status == OK && r->spec->argv)
		status = rec_target_start(r, err);
	if (status == OK && !r->spec->is_system_wide)
		status = ftrace_follow(t, err);
	return status;
}

static int ftrace_go(struct ftrace *t, struct error *err)
{
	struct record_counts *c = &t->rec.result->counts;
	int error = ftrace_write(t, "tracing_on", "1");
	int status;

	if (error)
		return fail(err, ERR_IO, "%s/tracing_on: %s", t->dir, strerror(error));
	status = rec_target_go(&t->rec, err);
	if (status < 0)
		return status;
	ftrace_loop(t);
	(void)ftrace_write(t, "tracing_on", "0");
	ftrace_buffers_drain(t);
	ftrace_buffers_count(t, &c->samples, &c->lost);
	status = ftrace_file_write(t, err);
	c->bytes = t->bytes;
	return status;
}

/* The command, where it is still there: it was told to end, or is now. */
static void ftrace_end_command(struct rec *r)
{
	uint64_t end = rec_clock_ns(CLOCK_MONOTONIC) + FTRACE_GRACE_NS;
	bool is_told = r->result->end == RECORD_SIGNALLED;

	while (r->child && !rec_target_ended(r, false)) {
		if (!is_told)
			(void)kill(r->child, SIGTERM);
		is_told = true;
		if (rec_clock_ns(CLOCK_MONOTONIC) >= end) {
			rec_note(r, "the command does not end and goes on: process %d",
				 (int)r->child);
			r->child = 0;
			break;
		}
		(void)poll(NULL, 0, 10);
	}
}

int ftrace_record(const struct record_spec *spec, const struct ftrace_options *options,
		  struct record_result *ret, struct error *err)
{
	struct ftrace t = {
		.rec = { .spec = spec,
			 .result = ret,
			 .file = { .fd = -1 },
			 .start_fd = -1,
			 .status_fd = -1,
			 .signal_fd = -1,
			 .epoll_fd = -1 },
		.options = options,
	};
	int status;

	memset(ret, 0, sizeof(*ret));
	status = ftrace_open(&t, err);
	if (status == OK)
		status = ftrace_go(&t, err);
	/* first of all: whatever comes, others find their settings */
	ftrace_buffers_fini(&t);
	ftrace_disarm(&t);
	if (status == OK)
		ftrace_end_command(&t.rec);
	rec_target_fini(&t.rec);
	if (t.rec.signal_fd >= 0)
		(void)close(t.rec.signal_fd);
	if (t.rec.has_signals)
		(void)sigprocmask(SIG_SETMASK, &t.rec.old_signals, NULL);
	VEC_FREE(&t.rec.tids);
	VEC_FOREACH (name, &options->functions)
		*VEC_PUSH(&ret->events) = xmemdupz(*name, strlen(*name));
	return status;
}
