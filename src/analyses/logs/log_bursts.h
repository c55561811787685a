/* SPDX-License-Identifier: MIT */
/*
 * log_bursts.h - one message many times in a short time, against its rate elsewhere in the log
 */
#ifndef ANALYSES_LOG_BURSTS_H
#define ANALYSES_LOG_BURSTS_H

#include "base/vec.h"

#include <stdint.h>

struct log_summary;

struct log_burst {
	uint64_t n;         /* in the window */
	uint64_t all;       /* in the log */
	uint64_t window_ns; /* from the first to the last of the burst, at least LOG_BURST_LEAST_NS
			     */
	uint64_t span_ns;   /* of the log */
	uint32_t template;  /* index in log_summary.templates */
	uint32_t first;     /* records */
	uint32_t last;
};

#define LOG_BURST_LEAST_NS UINT64_C(1000000) /* least window: log clocks are no finer */
#define LOG_BURST_LEAST    20u               /* messages */
#define LOG_BURST_TIMES    10u /* least factor over the rate elsewhere, and of log over window */

struct log_bursts {
	VEC(struct log_burst) rows; /* most messages first */
	uint64_t considered;        /* templates with enough messages */
};

/*
 * Find the burst of each message: the window of 1 s or 10 s with most of it. Lines of dumps and
 * of the start of a kernel are no messages here. Owner: caller, log_bursts_fini(). Cost:
 * O(records + templates log templates).
 */
void log_bursts_init(struct log_bursts *b, const struct log_summary *s);
void log_bursts_fini(struct log_bursts *b);

#endif
