/* SPDX-License-Identifier: MIT */
/*
 * log_trace.h - a stack trace below a record of a log, in lines without a time
 *
 * Exceptions of the JVM, .NET and JavaScript, tracebacks of Python and Ruby, panics of Go and Rust,
 * backtraces of C and C++. The lines belong to the record above them. Two things of a trace are
 * kept: its exception, and its innermost frame outside the runtime. In chained traces, both are
 * those of the root cause.
 */
#ifndef FORMATS_LOG_TRACE_H
#define FORMATS_LOG_TRACE_H

#include "base/str.h"

struct log_trace_dialect;

struct log_trace {
	const struct log_trace_dialect *dialect; /* NULL: no trace yet */
	struct str what;                         /* exception: "KeyError"; empty: not printed */
	struct str where;                        /* innermost frame outside the runtime; or empty */
	struct str first;                        /* innermost frame, even if it is of the runtime */
	uint32_t frames;
	bool is_open;  /* the latest line belongs to the trace */
	bool is_whole; /* the trace of the root cause is complete */
};

/*
 * Whether @line is part of a stack trace; updates @t. @before: the whole line above @line. A zeroed
 * @t is a record without a trace so far. @t has views of the lines. Cost: O(patterns).
 */
bool log_trace_take(struct log_trace *t, struct str line, struct str before);
/* The place of the error: the frame outside the runtime; if there is none, the innermost frame. */
struct str log_trace_where(const struct log_trace *t);

#endif
