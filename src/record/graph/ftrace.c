/* SPDX-License-Identifier: MIT */
/*
 * Main part of the function graph recorder. It sets up the tracer, runs the target, and reads the
 * kernel's buffers meanwhile. At the end, it writes the file and restores all settings.
 */
#include "record/graph/graph_bpf.h"

#include "base/alloc.h"
#include "base/newfile.h"
#include "base/status.h"
#include "base/vec.h"
#include "record/graph/ftrace.h"
#include "record/graph/ftrace_parts.h"
#include "record/perf/rec.h"
#include "record/perf/record.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* maximum time in ns that data waits in a buffer before it is read */
#define FTRACE_WAKE_NS UINT64_C(200000000)

/*
 * Whether all recorded threads have ended. Returns false if the target is a command or the whole
 * machine: other code detects the end of these.
 */
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

static void ftrace_loop(struct ftrace *t)
{
	size_t n = t->cpus.len + 2;
	struct pollfd *fds = xcalloc(n, sizeof(*fds));
	bool is_over = false;

	t->rec.began_ns = t->rec.ticked_ns = rec_clock_ns(CLOCK_MONOTONIC);
	fds[0] = (struct pollfd){ .fd = t->rec.signal_fd, .events = POLLIN };
	fds[1] = (struct pollfd){ .fd = t->wake_fd, .events = POLLIN };
	for (size_t i = 0; i < t->cpus.len; i++)
		fds[i + 2] = (struct pollfd){ .fd = t->cpus.data[i].fd, .events = POLLIN };
	while (!is_over) {
		uint64_t left = FTRACE_WAKE_NS;
		uint64_t now = rec_clock_ns(CLOCK_MONOTONIC);
		bool has_data = t->wake_fd >= 0;

		if (t->rec.spec->duration_ns &&
		    t->rec.began_ns + t->rec.spec->duration_ns < now + left)
			left = t->rec.began_ns + t->rec.spec->duration_ns > now
				       ? t->rec.began_ns + t->rec.spec->duration_ns - now
				       : 0;
		(void)poll(fds, (nfds_t)n, (int)((left + 999999) / 1000000));
		if (fds[0].revents)
			is_over = rec_signals_take(&t->rec);
		for (size_t i = 2; i < n; i++)
			has_data |= (fds[i].revents & POLLIN) != 0;
		if (has_data)
			t->source->drain(t);
		is_over |= rec_check(&t->rec, t->bytes, rec_clock_ns(CLOCK_MONOTONIC));
		if (!is_over && ftrace_all_ended(&t->rec)) {
			t->rec.result->end = RECORD_ENDED;
			is_over = true;
		}
	}
	free(fds);
}

/*
 * Neither tracefs nor BPF can be used. @err has the reason for tracefs; append the reason for BPF,
 * which is in @second. Returns @status.
 */
static int ftrace_neither(int status, struct error *err, const struct error *second)
{
	size_t len = strlen(err->msg);

	(void)snprintf(err->msg + len, sizeof(err->msg) - len,
		       "; nor by BPF: %s; sampling needs neither (no --graph)", second->msg);
	return status;
}

/* Choose the source of records, tracefs or BPF, and set it up. */
static int ftrace_arm_source(struct ftrace *t, struct error *err)
{
	enum ftrace_by by = t->options->by;
	struct error second = { "" };
	int status;

	if (by > FTRACE_BY_TRACEFS) {
		status = graph_bpf_find(t, err);
		if (status < 0)
			return status;
		t->source = &graph_bpf_source;
		return t->source->arm(t, err);
	}
	status = ftrace_find(t, err);
	if (status == OK)
		return t->source->arm(t, err);
	/*
	 * if t->root is set, tracefs has a graph tracer, but another user is using it. Tracing with
	 * BPF would disturb this user, so fail instead
	 */
	if (by == FTRACE_BY_TRACEFS || t->root || t->options->root)
		return status;
	if (graph_bpf_find(t, &second) < 0)
		return ftrace_neither(status, err, &second);
	t->source = &graph_bpf_source;
	if (t->source->arm(t, &second) < 0)
		return ftrace_neither(status, err, &second);
	rec_note(&t->rec, "traced by BPF: %s", err->msg);
	return OK;
}

static int ftrace_open(struct ftrace *t, struct error *err)
{
	struct rec *r = &t->rec;
	int status = rec_signals_open(r, err);

	if (status == OK && !r->spec->argv && !r->spec->is_system_wide)
		status = rec_target_threads(r, err);
	if (status == OK)
		status = ftrace_arm_source(t, err);
	/*
	 * start the command after the helper process (in arm()), so that the helper does not
	 * inherit the descriptors start_fd and status_fd, which belong to the command
	 */
	if (status == OK && r->spec->argv)
		status = rec_target_start(r, err);
	if (status == OK && !r->spec->is_system_wide)
		status = t->source->follow(t, err);
	return status;
}

static int ftrace_go(struct ftrace *t, struct error *err)
{
	struct record_counts *c = &t->rec.result->counts;
	int status = t->source->go(t, err);

	if (status < 0)
		return status;
	rec_rights_drop(&t->rec);
	status = rec_target_go(&t->rec, err);
	if (status < 0) {
		rec_rights_raise();
		return status;
	}
	ftrace_loop(t);
	rec_rights_raise();
	t->source->stop(t);
	t->source->count(t, &c->samples, &c->lost);
	status = ftrace_file_write(t, err);
	c->bytes = t->bytes;
	return status;
}

static int tracefs_arm(struct ftrace *t, struct error *err)
{
	int status = ftrace_arm(t, err);

	return status == OK ? ftrace_buffers_open(t, err) : status;
}

static int tracefs_go(struct ftrace *t, struct error *err)
{
	int error = ftrace_write(t, "tracing_on", "1");

	return error ? fail(err, ERR_IO, "%s/tracing_on: %s", t->dir, strerror(error)) : OK;
}

static void tracefs_stop(struct ftrace *t)
{
	(void)ftrace_write(t, "tracing_on", "0");
	ftrace_buffers_drain(t);
}

static const struct ftrace_source tracefs_source = {
	.arm = tracefs_arm,
	.follow = ftrace_follow,
	.go = tracefs_go,
	.drain = ftrace_buffers_drain,
	.stop = tracefs_stop,
	.count = ftrace_buffers_count,
	.header = ftrace_file_header,
	.close = ftrace_disarm,
};

int ftrace_record(const struct record_spec *spec, const struct ftrace_options *options,
		  struct record_result *ret, struct error *err)
{
	struct ftrace t = {
		.rec = { .spec = spec,
			 .result = ret,
			 .output = NEWFILE_NONE,
			 .file = { .fd = -1 },
			 .start_fd = -1,
			 .status_fd = -1,
			 .signal_fd = -1,
			 .epoll_fd = -1 },
		.options = options,
		.source = &tracefs_source,
		.wake_fd = -1,
	};
	int status;

	memset(ret, 0, sizeof(*ret));
	status = rec_output_find(&t.rec, &ftrace_kind, err);
	if (status == OK)
		status = ftrace_open(&t, err);
	if (status == OK)
		status = ftrace_go(&t, err);
	/* restore tracefs before writing the file, so that other users of ftrace need not wait */
	ftrace_buffers_fini(&t);
	t.source->close(&t);
	if (status == OK)
		rec_end_command(&t.rec);
	rec_target_fini(&t.rec);
	rec_signals_fini(&t.rec);
	ret->is_straight = newfile_is_straight(&t.rec.output);
	newfile_fini(&t.rec.output);
	VEC_FREE(&t.rec.tids);
	VEC_FOREACH (name, &options->functions)
		*VEC_PUSH(&ret->events) = xmemdupz(*name, strlen(*name));
	return status;
}
