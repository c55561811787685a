/* SPDX-License-Identifier: MIT */
/*
 * live.h - sample as record.h does, but keep only the last seconds, in memory
 *
 * The window (the records of the last seconds, record/window/window.h) can be read at any time as a
 * perf.data file. The caller has its own loop, and waits for live_fd() together with its other
 * descriptors:
 *
 *     live_open(); while (live_take() == LIVE_RUNS) { wait; live_cut(); live_image(); }
 *     live_close();
 *
 * As in record.h, signals are blocked from live_open() to live_close(). After SIGINT, SIGTERM or
 * SIGHUP, live_take() returns LIVE_SIGNALLED. A process can make one recording at a time.
 */
#ifndef RECORD_LIVE_H
#define RECORD_LIVE_H

#include "base/status.h"

#include <stdint.h>

struct out;
struct record_result;
struct record_spec;
struct window_sum;

struct live;

enum live_state {
	LIVE_RUNS,
	LIVE_ENDED,     /* the command or the recorded processes have ended */
	LIVE_SIGNALLED, /* SIGINT, SIGTERM or SIGHUP has arrived */
};

/*
 * Start to record the target of @spec, with its events, rates and call chains. @spec must remain
 * valid until live_close(). @span_ns, @max_bytes: limits of the window. Errors: those of
 * record_run(). Owner of *@ret: caller, live_close().
 */
MUST_CHECK int live_open(const struct record_spec *spec, uint64_t span_ns, uint64_t max_bytes,
			 struct live **ret, struct error *err);
/* Descriptor that becomes readable when live_take() has work to do. */
int live_fd(const struct live *l);
enum live_state live_take(struct live *l);
/* End the current time slice. The window then includes all records up to now. */
void live_cut(struct live *l);
/* Freeze the window if @is_on is set, otherwise continue; see window_pause(). */
void live_pause(struct live *l, bool is_on);
void live_sum(const struct live *l, struct window_sum *ret);
/* Counts since the start of the recording, names of events, and notes. The result is borrowed. */
const struct record_result *live_result(const struct live *l);
uint32_t live_cpus(const struct live *l);
/* Write the window as a perf.data file to @out, which must be empty. */
void live_image(struct live *l, struct out *out);
/*
 * Stop recording and end the command. If a command was started, *@ret_has_status is set and
 * *@ret_status is its exit status.
 */
void live_close(struct live *l, bool *ret_has_status, int *ret_status);

#endif
