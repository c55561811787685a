/* SPDX-License-Identifier: MIT */
/*
 * records.h - timed records of service and kernel logs
 *
 * A stream is the output of one process, or of one of its threads. Its records have the same
 * process, the same machine, and the same title line above them, such as the name of the log file.
 * Within a stream, sequence numbers and times ascend, if the log has them. Streams may overlap in
 * time. Records are in the order of the text.
 */
#ifndef CORE_RECORDS_H
#define CORE_RECORDS_H

#include "base/arena.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"

/* Levels are ordered from harmless to fatal, so that they can be compared as numbers. */
enum log_level {
	LEVEL_NONE, /* the record has no level */
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
	CLOCK_YEAR,     /* ns since the start of an unknown year: "Apr  5 06:29:32" */
	CLOCK_DAY,      /* ns since the start of an unknown day: "[06:29:32]" */
};

struct log_stream {
	str_id title;   /* the line above the stream, as printed; STR_ID_NONE: none */
	str_id process; /* name of the process, from title or prefix: "ovsdb-server-nb" */
	str_id node;    /* name of the machine: "node3"; STR_ID_NONE: unknown */
	uint32_t title_line;
	uint64_t tick_ns; /* resolution of the printed times: 1000000 if they have three decimals */
	uint8_t clock;    /* enum log_clock */
	bool is_local;    /* CLOCK_REALTIME in an unknown time zone, read as UTC */
};

struct log_record {
	uint64_t time_ns; /* time by the stream's clock; 0 if has_time is false */
	/* the message without time, module and level; wrapped lines are joined */
	struct str text;
	str_id module;
	str_id level_text; /* level as written: "WARN", "EMER", "warning" */
	uint32_t stream;
	uint32_t thread; /* id of the thread or process, from the prefix of the line; 0: none */
	uint32_t sequence;
	/* first line of the record in the original input; last_line is the last line */
	uint32_t line;
	uint32_t last_line;
	uint8_t level; /* enum log_level */
	bool has_time;
	bool has_sequence;
	bool is_truncated;
};

/* A stack trace in the lines after a record. */
struct log_trace_record {
	str_id what;  /* type of the exception, such as "KeyError"; STR_ID_NONE: not printed */
	str_id where; /* innermost function of the trace that is not part of the language runtime */
	uint32_t record;
};

struct records {
	VEC(struct log_record) rows;
	VEC(struct log_stream) streams;
	VEC(struct log_trace_record) traces; /* sorted by record */
	struct arena arena;                  /* owner of the texts */
	bool is_kernel;                      /* all records are from a kernel */
};

void records_init(struct records *r);
void records_fini(struct records *r);
/* The coarsest resolution of times in all streams, in ns. */
uint64_t records_tick_ns(const struct records *r);
/* The name of a level: "debug" … "emergency"; "none" for LEVEL_NONE. */
const char *log_level_name(enum log_level level);

#endif
