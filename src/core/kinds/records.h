/* SPDX-License-Identifier: MIT */
/*
 * records.h - timed records of service and kernel logs
 *
 * A stream is the output of one process: records with one title and one run of sequence
 * numbers. Records stay in print order. Times ascend within a stream; streams may overlap.
 */
#ifndef CORE_RECORDS_H
#define CORE_RECORDS_H

#include "base/arena.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"

/* Ordered from harmless to fatal, for comparison. */
enum log_level {
	LEVEL_NONE, /* missing in the record */
	LEVEL_DEBUG,
	LEVEL_INFO,
	LEVEL_NOTICE,
	LEVEL_WARN,
	LEVEL_ERROR,
	LEVEL_CRITICAL,
	LEVEL_EMERGENCY,
};

enum log_clock {
	CLOCK_NONE,
	CLOCK_REALTIME, /* ns since 1970-01-01T00:00:00Z */
	CLOCK_BOOT,     /* ns since boot: [22471.454414] */
	CLOCK_YEAR,     /* ns since the start of an unprinted year: "Apr  5 06:29:32" */
	CLOCK_DAY,      /* ns since the start of an unprinted day: "[06:29:32]" */
};

struct log_stream {
	str_id title;   /* the line above it, as printed; STR_ID_NONE: none */
	str_id process; /* "ovsdb-server-nb", as far as title or prefix name it */
	str_id node;    /* "node3"; STR_ID_NONE: unknown */
	uint32_t title_line;
	uint64_t tick_ns; /* one unit of the last printed digit of its times */
	uint8_t clock;    /* enum log_clock */
	bool is_local;    /* CLOCK_REALTIME of an unknown zone, read as UTC */
};

struct log_record {
	uint64_t time_ns; /* by the stream's clock; 0 with !has_time */
	struct str text;  /* the message without line wraps, time, module and level */
	str_id module;
	str_id level_text; /* as written: "WARN", "EMER", "warning" */
	uint32_t stream;
	uint32_t thread; /* thread or process that a prefix names; 0: none */
	uint32_t sequence;
	uint32_t line; /* first and last line of the original input */
	uint32_t last_line;
	uint8_t level; /* enum log_level */
	bool has_time;
	bool has_sequence;
	bool is_truncated;
};

/* A stack trace in lines below a record. */
struct log_trace_record {
	str_id what;  /* exception: "KeyError"; STR_ID_NONE: not printed */
	str_id where; /* innermost function that is not of the runtime */
	uint32_t record;
};

struct records {
	VEC(struct log_record) rows;
	VEC(struct log_stream) streams;
	VEC(struct log_trace_record) traces; /* ascending by record */
	struct arena arena;                  /* owns the texts */
};

void records_init(struct records *r);
void records_fini(struct records *r);
/* The coarsest unit in which one of the streams prints its times. */
uint64_t records_tick_ns(const struct records *r);
/* "debug" … "emergency"; "none". */
const char *log_level_name(enum log_level level);

#endif
