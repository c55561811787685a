/* SPDX-License-Identifier: MIT */
/*
 * log_bursts.h - one message many times in a short time, compared with its rate in the rest of
 * the log
 */
#ifndef ANALYSES_LOG_BURSTS_H
#define ANALYSES_LOG_BURSTS_H

#include "base/vec.h"

#include <stdint.h>

struct log_summary;

struct log_burst {
	uint64_t n;   /* number of messages in the window */
	uint64_t all; /* number of messages in the log */
	/* from the first to the last message of the burst, at least LOG_BURST_LEAST_NS */
	uint64_t window_ns;
	uint64_t span_ns;  /* duration of the log */
	uint32_t template; /* index in log_summary.templates */
	uint32_t first;    /* records of the first and of the last message of the burst */
	uint32_t last;
};

/* minimum length of a window: log clocks have no finer resolution */
#define LOG_BURST_LEAST_NS UINT64_C(1000000)
#define LOG_BURST_LEAST    20u /* minimum number of messages in a burst */
/*
 * a burst's rate is at least this multiple of the rate elsewhere; the log is at least this
 * multiple of the window
 */
#define LOG_BURST_TIMES 10u

struct log_bursts {
	VEC(struct log_burst) rows; /* bursts, most messages first */
	uint64_t considered;        /* number of templates with enough messages */
};

/*
 * Find the burst of each message template: the window of 1 s or 10 s with most of its records.
 * Lines of dumps and of a kernel's first minute do not count. Owner: caller, log_bursts_fini().
 * Cost: O(records + templates log templates).
 */
void log_bursts_init(struct log_bursts *b, const struct log_summary *s);
void log_bursts_fini(struct log_bursts *b);

#endif
