/* SPDX-License-Identifier: MIT */
/*
 * log_trace.h - a stack trace in lines without a time below a record of a log
 *
 * Exceptions of the JVM, .NET and JavaScript, tracebacks of Python and Ruby, panics of Go and Rust,
 * backtraces of C and C++. The lines belong to the record above them. Of a trace two things are
 * kept: its exception and its innermost frame that is not of the runtime, both of the root cause
 * where traces are chained.
 */
#ifndef FORMATS_LOG_TRACE_H
#define FORMATS_LOG_TRACE_H

#include "base/str.h"

struct log_trace_dialect;

struct log_trace {
	const struct log_trace_dialect *dialect; /* NULL: no trace yet */
	struct str what;                         /* "KeyError"; empty: not printed */
	struct str where;                        /* "com.example.Db.query"; empty: no frame yet */
	struct str first;                        /* the first frame, whatever it is of */
	uint32_t frames;
	bool is_open;  /* the last line was a frame or belongs to one */
	bool is_whole; /* the root cause was printed */
};

/*
 * Is @line a part of a stack trace? @before: the line above, with the text of the record where it
 * is one. A zeroed @t is a record without a trace. Views of the lines. Cost: O(patterns).
 */
bool log_trace_take(struct log_trace *t, struct str line, struct str before);
/* The place of the trace: where, or else the first frame. */
struct str log_trace_where(const struct log_trace *t);

#endif
