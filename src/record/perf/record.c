/* SPDX-License-Identifier: MIT */
/*
 * The recorder's loop. A single thread sleeps until a buffer is half full, a signal arrives, a
 * process ends or a time limit is reached. Then it drains all buffers.
 */
#include "record/perf/rec.h"

#include "base/alloc.h"
#include "base/newfile.h"
#include "base/out.h"
#include "base/status.h"
#include "base/vec.h"
#include "record/perf/record.h"
#include "record/window/window.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define RECORD_ONLINE    "/sys/devices/system/cpu/online"
#define RECORD_ONLINE_NS UINT64_C(500000000)
/* maximum time in ns between two drains of the buffers */
#define RECORD_FLUSH_NS UINT64_C(2000000000)
/* minimum CPU time of the command in ns for a note about missing samples */
#define RECORD_COVER_NS UINT64_C(100000000)
#define RECORD_MAX_CPUS 8192u

void rec_note(struct rec *r, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	VEC_FOREACH (note, &r->result->notes) {
		if (strcmp(*note, text) == 0)
			return;
	}
	*VEC_PUSH(&r->result->notes) = xmemdupz(text, strlen(text));
}

static void record_add_cpu(void *arg, uint32_t cpu)
{
	struct rec *r = arg;

	*VEC_PUSH(&r->cpus) = cpu;
}

static void record_choose_cpu(void *arg, uint32_t cpu)
{
	struct rec *r = arg;

	*VEC_PUSH(&r->chosen_cpus) = cpu;
}

static int record_cpus(struct rec *r, struct error *err)
{
	const char *list = r->spec->cpus;

	r->online = rec_slurp(RECORD_ONLINE, NULL);
	if (!r->online || !rec_list(r->online, RECORD_MAX_CPUS, record_add_cpu, r) ||
	    r->cpus.len == 0)
		return fail(err, ERR_IO, RECORD_ONLINE " cannot be read");
	if (list &&
	    (!rec_list(list, RECORD_MAX_CPUS, record_choose_cpu, r) || r->chosen_cpus.len == 0))
		return fail(err, ERR_USAGE, "-C takes CPU numbers, for example 0,2-4, not '%s'",
			    list);
	VEC_FOREACH (cpu, &r->chosen_cpus) {
		bool is_online = false;

		VEC_FOREACH (other, &r->cpus)
			is_online |= *other == *cpu;
		if (!is_online)
			return fail(err, ERR_NOTFOUND, "CPU %" PRIu32 " is not online", *cpu);
	}
	return OK;
}

/*
 * Make the loop wake up when @fd is readable. @fd: descriptor of a buffer, of the signals, or of a
 * process (pidfd).
 */
static int record_watch(struct rec *r, int fd, struct error *err)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	if (epoll_ctl(r->epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0)
		return fail(err, ERR_IO, "cannot wait for it: %s", strerror(errno));
	return OK;
}

static int record_watch_all(struct rec *r, struct error *err)
{
	int status;

	r->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (r->epoll_fd < 0)
		return fail(err, ERR_IO, "cannot wait for events: %s", strerror(errno));
	status = record_watch(r, r->signal_fd, err);
	for (size_t i = 0; i < r->fds.len && status == OK; i++) {
		struct rec_ring *g = &r->rings.data[r->fds.data[i].ring];

		if (g->is_watched)
			continue;
		g->is_watched = true;
		status = record_watch(r, r->fds.data[i].fd, err);
	}
	VEC_FOREACH (pid, &r->spec->pids) {
		int fd = (int)syscall(SYS_pidfd_open, (pid_t)*pid, 0);

		if (fd < 0)
			continue;
		*VEC_PUSH(&r->pid_fds) = fd;
		if (status == OK)
			status = record_watch(r, fd, err);
	}
	return status;
}

static void record_describe_process(void *arg, uint32_t pid)
{
	rec_synth_process(arg, pid);
}

void rec_describe(struct rec *r)
{
	rec_synth_kernel(r);
	if (r->spec->has_cgroups)
		rec_groups_all(rec_synth_group, r);
	rec_synth_child(r);
	if (r->groups.len && !r->spec->has_off_cpu)
		rec_groups_processes(r, record_describe_process, r);
	else if (r->spec->is_system_wide || r->spec->has_off_cpu)
		rec_synth_all(r);
	else if (!r->spec->argv) {
		VEC_FOREACH (pid, &r->spec->pids)
			rec_synth_process(r, *pid);
		VEC_FOREACH (tid, &r->spec->tids)
			rec_synth_process(r, rec_process_of(*tid));
	}
}

static void record_write_described(struct rec *r)
{
	struct iovec iov = { r->synth.data, r->synth.len };

	rec_chains_describe(r);
	if (r->window)
		window_describe(r->window, r->synth.data, r->synth.len);
	else if (r->synth.len)
		rec_file_write(&r->file, &iov, 1);
	out_fini(&r->synth);
}

/*
 * Handle the end of a recorded process. @fd: its pidfd. Returns true if it was the last recorded
 * process.
 */
static bool record_take_end(struct rec *r, int fd)
{
	for (size_t i = 0; i < r->pid_fds.len; i++) {
		if (r->pid_fds.data[i] != fd)
			continue;
		(void)close(fd);
		r->pid_fds.data[i] = r->pid_fds.data[--r->pid_fds.len];
		return r->pid_fds.len == 0;
	}
	return false;
}

/* Time in ms until the next drain or tick is due, or until the maximum duration is reached. */
static int record_timeout(const struct rec *r, uint64_t now)
{
	uint64_t next = r->window ? rec_keep_next(r) : r->flushed_ns + RECORD_FLUSH_NS;

	if (r->spec->duration_ns && r->began_ns + r->spec->duration_ns < next)
		next = r->began_ns + r->spec->duration_ns;
	if (r->spec->tick && r->ticked_ns + r->spec->tick_ns < next)
		next = r->ticked_ns + r->spec->tick_ns;
	return next <= now ? 0 : (int)((next - now + 999999) / 1000000);
}

/* Drain all buffers if @has_data is set, if the next drain is due, or after SIGUSR2. */
static void record_flush(struct rec *r, uint64_t now, bool has_data)
{
	uint64_t due = r->window ? rec_keep_next(r) : r->flushed_ns + RECORD_FLUSH_NS;

	if (!has_data && !r->is_asked && now < due)
		return;
	(void)rec_rings_drain(r, /* is_last= */ false);
	if (r->window) {
		rec_keep_look(r, now);
	} else if (r->is_asked || now >= r->flushed_ns + RECORD_FLUSH_NS / 2) {
		rec_file_checkpoint(r);
		r->flushed_ns = now;
	}
	r->is_asked = false;
}

static uint64_t record_bytes_now(const struct rec *r)
{
	struct window_sum sum;

	if (!r->window)
		return r->file.at;
	window_sum(r->window, &sum);
	return sum.bytes;
}

bool rec_poll(struct rec *r, int timeout_ms, bool *ret_has_data)
{
	struct epoll_event events[64];
	int n = epoll_wait(r->epoll_fd, events, ARRAY_LEN(events), timeout_ms);
	bool is_over = false;

	*ret_has_data = false;
	for (int i = 0; i < n; i++) {
		if (events[i].data.fd == r->signal_fd)
			is_over |= rec_signals_take(r);
		else if (r->pid_fds.len && record_take_end(r, events[i].data.fd))
			is_over = true;
		else
			*ret_has_data = true;
		/*
		 * the thread of this descriptor has ended, and the descriptor stays readable: stop
		 * watching it
		 */
		if (events[i].events & EPOLLHUP)
			(void)epoll_ctl(r->epoll_fd, EPOLL_CTL_DEL, events[i].data.fd, NULL);
	}
	return is_over;
}

/*
 * Add a note if a CPU went offline or came online. The kernel removes the events of a CPU that goes
 * offline, and does not restore them when it comes online. Changes that last less than
 * RECORD_ONLINE_NS may not be noticed.
 */
static void record_look_online(struct rec *r, uint64_t now)
{
	CLEANUP(freep) char *online = NULL;

	if (r->has_other_cpus || now < r->online_ns + RECORD_ONLINE_NS)
		return;
	r->online_ns = now;
	online = rec_slurp(RECORD_ONLINE, NULL);
	if (!online || strcmp(online, r->online) == 0)
		return;
	r->has_other_cpus = true;
	rec_note(r,
		 "CPUs went offline or came online (%.*s, then %.*s): from then on their samples "
		 "are missing",
		 (int)strcspn(r->online, "\n"), r->online, (int)strcspn(online, "\n"), online);
}

static void record_loop(struct rec *r)
{
	bool is_over = false;

	r->began_ns = r->flushed_ns = r->ticked_ns = rec_clock_ns(CLOCK_MONOTONIC);
	r->cut_ns = r->looked_ns = r->began_ns;
	while (!is_over) {
		uint64_t now = rec_clock_ns(CLOCK_MONOTONIC);
		bool has_data;

		is_over = rec_poll(r, record_timeout(r, now), &has_data);
		now = rec_clock_ns(CLOCK_MONOTONIC);
		record_flush(r, now, has_data);
		record_look_online(r, now);
		is_over |= rec_check(r, record_bytes_now(r), now);
	}
}

/* Start the target, and record until the end. Events must be open. */
static int record_go(struct rec *r, struct error *err)
{
	bool is_kept = r->spec->keep_ns || r->spec->keep_bytes;
	int status = is_kept ? rec_keep_begin(r, err) : rec_output_make(r, err);

	if (r->unwinds)
		rec_chains_begin(r);
	if (status == OK && !is_kept)
		status = rec_file_create(r, err);
	if (status < 0)
		return status;
	r->reference_wall_ns = rec_clock_ns(CLOCK_REALTIME);
	r->reference_ns = rec_clock_ns(CLOCK_MONOTONIC);
	rec_rings_enable(r, true);
	rec_describe(r);
	record_write_described(r);
	rec_rings_enable(r, false);
	if (!is_kept)
		rec_waiting(r);
	/* the formats are readable only before capabilities are dropped */
	(void)rec_tracing_data(r, &r->tracing);
	status = is_kept ? OK : rec_file_fits(r, err);
	if (status < 0)
		return status;
	rec_rights_drop(r);
	status = rec_target_go(r, err);
	if (status < 0 || !is_kept)
		rec_rights_raise();
	/*
	 * rename the file to its final name already now, so that the data remain if the recorder is
	 * killed
	 */
	if (status == OK && !is_kept)
		status = rec_output_put(r, err);
	if (status < 0)
		return status;
	if (!is_kept)
		rec_rights_drop(r);
	rec_rights_forget(r);
	record_loop(r);
	rec_rings_disable(r);
	while (rec_rings_drain(r, /* is_last= */ true))
		;
	if (is_kept)
		return rec_keep_end(r, err);
	/*
	 * the kernel may have written no LOST record for the last lost samples, so read their
	 * number from its counters
	 */
	if (r->has_lost_counts)
		r->result->counts.lost = rec_rings_lost(r);
	return rec_file_finish(r, err);
}

/*
 * Add a note if there are no samples because the kernel disabled the events of a privileged
 * command. Returns whether a note was added.
 */
static bool record_note_privileged(struct rec *r)
{
	const char *why =
		r->spec->argv && r->result->counts.samples == 0 ? rec_target_privileged(r) : NULL;

	if (why)
		rec_note(r,
			 "%s %s: the kernel ends the events of a process that starts such a "
			 "program, so there are no samples; -a samples it",
			 r->spec->argv[0], why);
	return why != NULL;
}

/*
 * Add a note if the samples cover less than 80 % of the command's CPU time. Reason: the sampling
 * timer restarts in each process, so a process that runs for less than one period gets no sample.
 */
static void record_note_cover(struct rec *r)
{
	const struct perf_event_attr *a = r->events.len ? &r->events.data[0].attr : NULL;
	uint64_t samples = r->result->counts.samples + r->result->counts.lost;
	uint64_t seen;

	if (r->result->end != RECORD_ENDED || r->window || !a || r->events.len != 1 || !a->freq ||
	    a->type != PERF_TYPE_SOFTWARE || a->exclude_kernel || a->exclude_user || !a->inherit)
		return;
	seen = samples * 1000000000 / r->frequency;
	if (r->cpu_ns < RECORD_COVER_NS || seen >= r->cpu_ns / 5 * 4)
		return;
	rec_note(
		r,
		"the command used %.2f s of CPU time, its samples stand for %.2f s: processes that "
		"live shorter than a sampling interval are seldom sampled, set-user-id programs "
		"never; -a samples them too",
		(double)r->cpu_ns / 1e9, (double)seen / 1e9);
}

void rec_init(struct rec *r, const struct record_spec *spec, struct record_result *result)
{
	*r = (struct rec){ .spec = spec,
			   .result = result,
			   .output = NEWFILE_NONE,
			   .file = { .fd = -1 },
			   .start_fd = -1,
			   .status_fd = -1,
			   .signal_fd = -1,
			   .epoll_fd = -1 };
	memset(result, 0, sizeof(*result));
	out_init(&r->synth);
	out_init(&r->tracing);
}

int rec_open(struct rec *r, struct error *err)
{
	int status = record_cpus(r, err);

	if (status == OK)
		status = rec_groups_open(r, err);
	if (status == OK)
		status = rec_events_choose(r, err);
	if (status == OK)
		status = rec_signals_open(r, err);
	if (status == OK && r->spec->argv)
		status = rec_target_start(r, err);
	else if (status == OK && !r->spec->is_system_wide)
		status = rec_target_threads(r, err);
	if (status == OK)
		status = rec_rings_open(r, err);
	if (status == OK)
		status = record_watch_all(r, err);
	return status;
}

void rec_fill_result(struct rec *r)
{
	r->result->is_unwound = r->unwinds;
	r->result->frequency = r->events.len && r->events.data[0].attr.freq ? r->frequency : 0;
	VEC_FOREACH (e, &r->events)
		*VEC_PUSH(&r->result->events) = xmemdupz(e->name, strlen(e->name));
}

void rec_fini(struct rec *r)
{
	rec_chains_fini(r);
	rec_rings_fini(r);
	rec_target_fini(r);
	rec_groups_fini(r);
	rec_events_fini(r);
	rec_file_fini(&r->file);
	newfile_fini(&r->output);
	rec_keep_fini(r);
	rec_build_ids_fini(r);
	VEC_FOREACH (fd, &r->pid_fds)
		(void)close(*fd);
	if (r->epoll_fd >= 0)
		(void)close(r->epoll_fd);
	rec_signals_fini(r);
	VEC_FREE(&r->pid_fds);
	VEC_FREE(&r->cpus);
	VEC_FREE(&r->chosen_cpus);
	VEC_FREE(&r->tids);
	free(r->online);
	out_fini(&r->synth);
	out_fini(&r->tracing);
}

int record_run(const struct record_spec *spec, struct record_result *ret, struct error *err)
{
	struct rec r;
	int status;

	rec_init(&r, spec, ret);
	status = rec_output_find(&r, &record_kind, err);
	if (status == OK)
		status = rec_open(&r, err);
	if (status == OK)
		status = record_go(&r, err);
	if (r.start_fd < 0) /* the command was started */
		rec_end_command(&r);
	if (status == OK && !record_note_privileged(&r))
		record_note_cover(&r);
	rec_rights_raise();
	rec_fill_result(&r);
	ret->is_straight = newfile_is_straight(&r.output);
	rec_fini(&r);
	return status;
}

void record_result_fini(struct record_result *r)
{
	VEC_FOREACH (text, &r->events)
		free(*text);
	VEC_FOREACH (text, &r->notes)
		free(*text);
	VEC_FREE(&r->events);
	VEC_FREE(&r->notes);
}
