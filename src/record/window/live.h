/* SPDX-License-Identifier: MIT */
/*
 * live.h - sample running code, as record.h does, into memory
 *
 * The records of the last seconds can be read at any time as a perf.data file
 * (record/window/window.h). The caller owns the loop, and waits for live_fd() besides its other
 * descriptors.
 *
 *     live_open(); while (live_take() == LIVE_RUNS) { wait; live_cut(); live_image(); }
 *     live_close();
 *
 * As in record.h, signals are blocked from live_open() to live_close(): SIGINT, SIGTERM and SIGHUP
 * appear as LIVE_SIGNALLED. One recording at a time.
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
	LIVE_ENDED,     /* the command or the processes ended */
	LIVE_SIGNALLED, /* SIGINT, SIGTERM or SIGHUP */
};

/*
 * Start recording. The target, events, rates and chains of @spec are used; @spec is borrowed until
 * live_close(). Errors: as record_run(). Owner of @ret: caller, live_close().
 */
MUST_CHECK int live_open(const struct record_spec *spec, uint64_t span_ns, uint64_t max_bytes,
			 struct live **ret, struct error *err);
/* Readable when live_take() has work. */
int live_fd(const struct live *l);
enum live_state live_take(struct live *l);
/* End the current time slice, which adds the records so far to the window. */
void live_cut(struct live *l);
/* Freeze the window, or continue: window_pause(). */
void live_pause(struct live *l, bool is_on);
void live_sum(const struct live *l, struct window_sum *ret);
/* Counts since the start of the recording, event names and notes; borrowed. */
const struct record_result *live_result(const struct live *l);
uint32_t live_cpus(const struct live *l);
/* Write the window as a perf.data file to @out, which is empty. */
void live_image(struct live *l, struct out *out);
/*
 * Stop recording and end the command. @ret_status: exit status of the command, if one was started.
 */
void live_close(struct live *l, bool *ret_has_status, int *ret_status);

#endif
