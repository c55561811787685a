/* SPDX-License-Identifier: MIT */
/*
 * syscall_line.h - one line of a log of calls: strace, ltrace, perf trace, truss
 *
 * All these tools print `[who] [when] name(arguments) = result [error] [<duration>]`. They differ
 * in the text before the name and in the form of errors. Texts in the result are views of the line.
 */
#ifndef FORMATS_SYSCALL_LINE_H
#define FORMATS_SYSCALL_LINE_H

#include "base/str.h"

enum syscall_line_kind {
	SYSCALL_OTHER,
	SYSCALL_CALL,
	/* the line ends with "<unfinished ...>", or the log ends before the result */
	SYSCALL_UNFINISHED,
	SYSCALL_RESUMED, /* "<... name resumed>" */
	SYSCALL_SIGNAL,  /* "--- SIGCHLD {...} ---"; `name` is the signal */
	SYSCALL_STOPPED, /* "--- stopped by SIGTTOU ---"; `name` is the signal */
	SYSCALL_KILLED,  /* "+++ killed by SIGKILL +++"; `name` is the signal */
	SYSCALL_EXIT,    /* "+++ exited with 0 +++" */
	SYSCALL_NOTE,    /* "strace: Process 12 attached", "Process 12 attached" */
	/* a stack frame that strace -k prints after a call: " > /lib/libc.so.6(read+0x10) [0x1]" */
	SYSCALL_FRAME,
};

enum syscall_clock {
	SYSCALL_NO_CLOCK,
	SYSCALL_ABSOLUTE, /* time of day, time since 1970, or time since the start of the trace */
	SYSCALL_RELATIVE, /* time since the previous line */
};

struct syscall_line {
	enum syscall_line_kind kind;
	bool is_sure;    /* the line is certainly from a log of calls */
	bool is_library; /* ltrace: a library call */
	bool has_duration;
	bool has_result; /* the result is a number; false: it is "?" or missing */
	bool has_gap;
	bool is_end_time; /* time_ns is the time at which the call returned, as ts prints it */
	enum syscall_clock clock;
	uint32_t pid; /* process or thread id; 0: not printed */
	struct str comm;
	uint64_t time_ns;
	uint64_t duration_ns;
	/*
	 * Time since the previous line, which "ts -i" prints. "ts -i" receives a line when the call
	 * on the line has ended, so this is the time between the ends of two calls
	 */
	uint64_t gap_ns;
	struct str name;
	struct str args;
	int64_t result;
	struct str error; /* name of the error, "ENOENT"; empty: the call succeeded */
};

/*
 * Parse @line into @ret. If @line is no line of a log of calls, ret->kind is SYSCALL_OTHER. Cost:
 * O(n) for n bytes.
 */
void syscall_line_parse(struct str line, struct syscall_line *ret);
/*
 * The negative number of the error @name: -2 for ENOENT. ERESTARTSYS and similar names give -4
 * (EINTR). 0: unknown name.
 */
int syscall_line_errno(struct str name);

#endif
