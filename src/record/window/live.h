/* SPDX-License-Identifier: MIT */
/*
 * live.h - sample what runs, as record.h does, into memory
 *
 * What the last seconds held is there to be read at any time as a perf.data file
 * (record/window/window.h). The caller has the loop: it waits for live_fd() among others.
 *
 *     live_open(); while (live_take() == LIVE_RUNS) { wait; live_cut(); live_image(); }
 *     live_close();
 *
 * Signals are blocked as in record.h from live_open() to live_close(): SIGINT,
 * SIGTERM and SIGHUP come as LIVE_SIGNALLED. One recording at a time.
 */
#ifndef RECORD_LIVE_H
#define RECORD_LIVE_H

#include "record/perf/record.h"
#include "record/window/window.h"

struct live;

enum live_state {
	LIVE_RUNS,
	LIVE_ENDED,     /* the command or the processes have */
	LIVE_SIGNALLED, /* SIGINT or its like */
};

/*
 * Of @spec target, events, rates and chains count. @spec is borrowed until live_close().
 * Errors: as record_run(). Owner of @ret: caller, live_close().
 */
MUST_CHECK int live_open(const struct record_spec *spec, uint64_t span_ns, uint64_t max_bytes,
			 struct live **ret, struct error *err);
/* Readable when live_take() has something to do. */
int live_fd(const struct live *l);
enum live_state live_take(struct live *l);
/* Everything so far belongs to the window. */
void live_cut(struct live *l);
/* Hold the window as it is, or go on: window_pause(). */
void live_pause(struct live *l, bool is_on);
void live_sum(const struct live *l, struct window_sum *ret);
/* Counts from the start on, names of events, notes; borrowed. */
const struct record_result *live_result(const struct live *l);
uint32_t live_cpus(const struct live *l);
/* A perf.data file of the window, to the end of @out, which is empty. */
void live_image(struct live *l, struct out *out);
/* Stop, end the command; @ret_status: its exit status, if there was one. */
void live_close(struct live *l, bool *ret_has_status, int *ret_status);

#endif
