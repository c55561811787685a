/* SPDX-License-Identifier: MIT */
/*
 * log_trace.h - a stack trace below a record of a log, in lines without a time
 *
 * Traces are those of exceptions of the JVM, .NET and JavaScript, tracebacks of Python and Ruby,
 * panics of Go and Rust, and backtraces of C and C++. Their lines belong to the record above them.
 * The reader keeps the name of the exception, and the innermost frame that is not a function of the
 * language's runtime. If a trace lists the causes of an exception, the reader keeps name and frame
 * of the root cause.
 */
#ifndef FORMATS_LOG_TRACE_H
#define FORMATS_LOG_TRACE_H

#include "base/str.h"

struct log_trace_dialect;

struct log_trace {
	const struct log_trace_dialect *dialect; /* NULL: no trace yet */
	struct str what;                         /* exception: "KeyError"; empty: not printed */
	/* innermost function that is not part of the language's runtime; empty: none */
	struct str where;
	struct str first; /* innermost frame, in the runtime or not */
	uint32_t frames;
	bool is_open; /* the previous line belongs to the trace */
	/* the trace of the root cause has ended: later frames are of other exceptions */
	bool is_whole;
};

/*
 * Whether @line is part of a stack trace; if so, @t is updated. @before: the line above @line. At
 * each new record, the caller zeroes @t. @t has views of the lines. Cost: O(patterns).
 */
bool log_trace_take(struct log_trace *t, struct str line, struct str before);
/* Where the error occurred: t->where, or t->first if all frames are of the runtime. */
struct str log_trace_where(const struct log_trace *t);

#endif
