/* SPDX-License-Identifier: MIT */
/*
 * perf_script.h - the grammar of `perf script` text, line by line
 *
 * Shared by the parts of the reader: lines (perf_script_line.c), detection
 * (perf_script_find.c), reading (perf_script.c). All views borrow from the line.
 */
#ifndef FORMATS_PERF_SCRIPT_H
#define FORMATS_PERF_SCRIPT_H

#include "base/str.h"
#include "formats/format.h"

/* The line that begins a sample: `comm pid/tid [cpu] time: period event: rest`. */
struct script_header {
	struct str comm;  /* empty: not printed */
	struct str who;   /* from the start of comm to the end of pid/tid */
	struct str event; /* without the final ':'; empty: not printed */
	struct str rest;  /* text after the event, trimmed: fields, or the only frame */
	uint64_t time_ns;
	uint64_t period;
	uint32_t pid;
	uint32_t tid;
	uint16_t cpu; /* UINT16_MAX: not printed */
	bool has_pid;
	bool has_tid;
	bool has_time;
	bool has_period;
	bool is_record; /* PERF_RECORD_… (mmap, cgroup, lost): rest is its text; not a sample */
};

/* A line of a stack: `address symbol+0x1f (dso)`. */
struct script_frame {
	struct str address; /* hex digits; any word in edited files */
	struct str symbol;  /* without +0x1f; empty: unresolved */
	struct str module;  /* without parentheses; empty: not printed */
	bool is_inlined;
	bool is_kernel_address; /* 16 hex digits that begin with ffff */
};

/*
 * Parse @line as a header or as a frame. Both refuse ambiguous lines: a command may look like a
 * hex number ("dd"), a symbol may contain blanks, colons and digits.
 */
bool script_header(struct str line, struct script_header *ret);
bool script_frame(struct str line, struct script_frame *ret);
/*
 * Fast path of script_header() for a line with pid and time and the event @event, as nearly all
 * lines are. False: unknown, use script_header().
 */
bool script_header_like(struct str line, struct str event, struct script_header *ret);
/* Parse the frame at the end of a header's rest: "jcc 40ac3f main+0xe (a.out) => 0 [unknown]". */
bool script_rest_frame(struct str rest, struct script_frame *ret);

/* Whether the line is " instruction trace error type 1 time …". */
bool script_is_trace_error(struct str line);
/* Whether the line is a frame's source position: `file.c:12`, `libc-2.33.so[27b25]`. */
bool script_is_source_line(struct str line);

unsigned int script_probe(struct str head);
bool script_find(struct str text, size_t from, struct extent *ret);

#endif
