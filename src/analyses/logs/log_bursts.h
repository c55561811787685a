/* SPDX-License-Identifier: MIT */
/*
 * log_bursts.h - find bursts: many messages of one template in a short time, at a much higher rate
 * than in the rest of the log
 */
#ifndef ANALYSES_LOG_BURSTS_H
#define ANALYSES_LOG_BURSTS_H

#include "base/vec.h"

#include <stdint.h>

struct log_summary;

struct log_burst {
	uint64_t n;   /* number of messages in the burst */
	uint64_t all; /* number of messages of the same template in the log */
	/*
	 * time from the first to the last message of the burst, plus the resolution of the clock;
	 * at least LOG_BURST_LEAST_NS
	 */
	uint64_t window_ns;
	uint64_t span_ns;  /* time from the first to the last record of the log */
	uint32_t template; /* template of the messages: index in log_summary.templates */
	/* records of the first and of the last message of the burst */
	uint32_t first;
	uint32_t last;
};

/* minimum length of a burst's window, because clocks of logs have no finer resolution */
#define LOG_BURST_LEAST_NS UINT64_C(1000000)
#define LOG_BURST_LEAST    20u /* minimum number of messages in a burst */
/*
 * The rate in a burst is at least this multiple of the rate in the rest of the log. The log is at
 * least this multiple of the burst's length.
 */
#define LOG_BURST_TIMES 10u

struct log_bursts {
	VEC(struct log_burst) rows; /* bursts, most messages first */
	uint64_t considered;        /* number of templates with enough messages for a burst */
};

/*
 * For each template (messages that differ only in numbers), find the window of 1 s or 10 s with the
 * most messages. These messages are a burst if their rate is much lower in the rest of the log.
 * Lines of dumps, and the first minute after boot, do not count. Owner: caller, log_bursts_fini().
 * Cost: O(records + templates log templates).
 */
void log_bursts_init(struct log_bursts *b, const struct log_summary *s);
void log_bursts_fini(struct log_bursts *b);

#endif
