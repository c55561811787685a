/* SPDX-License-Identifier: MIT */
/*
 * log_trace.h - a stack trace after a log record; its lines have no time
 *
 * These traces are read: exceptions of the JVM, .NET and JavaScript, tracebacks of Python and Ruby,
 * panics of Go and Rust, and backtraces of C and C++. The lines of a trace belong to the previous
 * record. Two facts are kept: the name of the exception, and the innermost function that is not
 * part of the language's runtime. If an exception has a cause, both facts are about the root cause.
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
	struct str first; /* innermost function, even if it is part of the runtime */
	uint32_t frames;
	bool is_open; /* the previous line belongs to the trace */
	/* the root cause is known: ignore the frames of later exceptions */
	bool is_whole;
};

/*
 * Whether @line is part of a stack trace. If so, update @t. @before: the previous line. The caller
 * clears @t at each new record. The texts in @t are views of the lines. Cost: O(n) for n rules.
 */
bool log_trace_take(struct log_trace *t, struct str line, struct str before);
/* Function in which the error occurred: t->where or, if all frames are of the runtime, t->first. */
struct str log_trace_where(const struct log_trace *t);

#endif
