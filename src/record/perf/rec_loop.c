/* SPDX-License-Identifier: MIT */
/* Code shared by the loops of all recorders: signals, limits, capabilities, end of the command. */
#include "record/perf/rec.h"

#include "base/rights/capabilities.h"
#include "base/rights/rights.h"
#include "base/status.h"
#include "record/perf/record.h"

#include <errno.h>
#include <linux/capability.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#define LOOP_CAP(n) (UINT64_C(1) << (n))
/* maximum time in ns to wait for the command's end after a signal */
#define LOOP_GRACE_NS UINT64_C(2000000000)

int rec_signals_open(struct rec *r, struct error *err)
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
	if (r->signal_fd < 0)
		return fail(err, ERR_IO, "cannot wait for signals: %s", strerror(errno));
	return OK;
}

void rec_signals_fini(struct rec *r)
{
	if (r->signal_fd >= 0)
		(void)close(r->signal_fd);
	r->signal_fd = -1;
	if (r->has_signals)
		(void)sigprocmask(SIG_SETMASK, &r->old_signals, NULL);
	r->has_signals = false;
}

bool rec_signals_take(struct rec *r)
{
	struct signalfd_siginfo info;
	bool is_over = false;

	while (read(r->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo == SIGUSR2) {
			r->is_asked = true;
			continue;
		}
		if (info.ssi_signo == SIGCHLD) {
			if (!rec_target_ended(r, false))
				continue;
			r->result->end = RECORD_ENDED;
		} else {
			r->result->end = RECORD_SIGNALLED;
			/*
			 * a signal from the terminal has reached the command, too; a signal from
			 * kill(1) has not, so pass it on
			 */
			if (r->child && info.ssi_pid)
				(void)kill(r->child, (int)info.ssi_signo);
		}
		is_over = true;
	}
	return is_over;
}

bool rec_check(struct rec *r, uint64_t bytes, uint64_t now)
{
	const struct record_spec *spec = r->spec;
	struct record_counts *c = &r->result->counts;

	c->bytes = bytes;
	c->elapsed_ns = now - r->began_ns;
	if (spec->tick && now >= r->ticked_ns + spec->tick_ns) {
		r->ticked_ns = now;
		spec->tick(spec->tick_arg, c);
	}
	if (r->file.error)
		r->result->end = RECORD_DISK_FULL;
	else if (spec->max_bytes && c->bytes + r->feature_bytes >= spec->max_bytes)
		r->result->end = RECORD_SIZE_OVER;
	else if (spec->duration_ns && c->elapsed_ns >= spec->duration_ns)
		r->result->end = RECORD_TIME_OVER;
	else
		return false;
	return true;
}

/*
 * Wait until the command ends. Returns false if it still runs after @ns, or if another signal ended
 * the wait.
 */
static bool loop_wait(struct rec *r, uint64_t ns)
{
	uint64_t end = rec_clock_ns(CLOCK_MONOTONIC) + ns;

	while (!rec_target_ended(r, false)) {
		uint64_t now = rec_clock_ns(CLOCK_MONOTONIC);
		struct pollfd p = { .fd = r->signal_fd, .events = POLLIN };
		struct signalfd_siginfo info;

		if (now >= end)
			return false;
		(void)poll(&p, 1, (int)((end - now) / 1000000) + 1);
		while (read(r->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
			if (info.ssi_signo != SIGCHLD && info.ssi_signo != SIGUSR2)
				return rec_target_ended(r, false);
		}
	}
	return true;
}

void rec_end_command(struct rec *r)
{
	if (!r->child)
		return;
	if (r->result->end == RECORD_SIGNALLED && loop_wait(r, LOOP_GRACE_NS))
		return;
	(void)kill(r->child, SIGTERM);
	if (loop_wait(r, LOOP_GRACE_NS))
		return;
	rec_note(r, "the command does not end and goes on: process %d", (int)r->child);
	r->child = 0;
}

void rec_rights_drop(struct rec *r)
{
	struct error err;

	r->kept_rights = r->child ? LOOP_CAP(CAP_KILL) : 0;
	/* the unwinder must be able to read the programs of all users */
	if (r->unwinds && !r->spec->argv)
		r->kept_rights |= LOOP_CAP(CAP_DAC_READ_SEARCH);
	(void)rights_no_new();
	if (!capabilities_drop(r->kept_rights, /* for_good= */ false) || !r->window)
		return;
	/*
	 * --ring creates files during the recording. If the user may not write to the folder of the
	 * output without capabilities, keep those that permit it
	 */
	if (rec_keep_try(r, &err) < 0) {
		r->kept_rights |= LOOP_CAP(CAP_DAC_OVERRIDE) | LOOP_CAP(CAP_FOWNER);
		(void)capabilities_raise(r->kept_rights);
	}
}

void rec_rights_forget(const struct rec *r)
{
	if (r->spec->is_last)
		(void)capabilities_drop(r->kept_rights, /* for_good= */ true);
}

void rec_rights_raise(void)
{
	(void)capabilities_raise(UINT64_MAX);
}
