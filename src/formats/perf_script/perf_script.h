/* SPDX-License-Identifier: MIT */
/*
 * perf_script.h - the grammar of `perf script` text, line by line
 *
 * perf_script_line.c parses lines, perf_script_find.c detects the format, and perf_script.c reads
 * the samples. All texts that a parser returns are views of the parsed line.
 */
#ifndef FORMATS_PERF_SCRIPT_H
#define FORMATS_PERF_SCRIPT_H

#include "base/str.h"
#include "formats/format.h"

/* The first line of a sample: `comm pid/tid [cpu] time: period event: rest`. */
struct script_header {
	struct str comm; /* empty: the line has no command */
	/* comm and pid/tid as printed, including the blanks between them */
	struct str who;
	/* name of the event without its final ':'; empty: the line has no event */
	struct str event;
	/* text after the event, trimmed: the fields of a tracepoint, or a frame */
	struct str rest;
	uint64_t time_ns;
	uint64_t period;
	uint32_t pid;
	uint32_t tid;
	uint16_t cpu; /* UINT16_MAX: the line has no CPU */
	bool has_pid;
	bool has_tid;
	bool has_time;
	bool has_period;
	/*
	 * the line is no sample but another record (mmap, cgroup, lost). `rest` is the text from
	 * PERF_RECORD_… on
	 */
	bool is_record;
};

/* A frame line of a stack: `address symbol+0x1f (dso)`. */
struct script_frame {
	struct str address; /* hex digits; in a file edited by hand, any word */
	struct str symbol;  /* function name without "+0x1f"; empty: unresolved */
	struct str module;  /* dso without its parentheses; empty: the line has no dso */
	bool is_inlined;
	bool is_kernel_address; /* the address has 16 hex digits and begins with ffff */
};

/*
 * Parse @line as the header line of a sample (script_header()), or as a frame (script_frame()).
 * Both return false for an ambiguous line: a command may look like a hex number ("dd"), and a
 * symbol may contain blanks, colons and digits.
 */
bool script_header(struct str line, struct script_header *ret);
bool script_frame(struct str line, struct script_frame *ret);
/*
 * Faster form of script_header() for most header lines: the line has a thread, a time, and the
 * event @event of the previous header line. False: the line has another form, so call
 * script_header().
 */
bool script_header_like(struct str line, struct str event, struct script_header *ret);
/*
 * Parse the frame that follows the event on a header line: "40ac3f main+0xe (a.out)" in "jcc 40ac3f
 * main+0xe (a.out) => 0 [unknown]". @rest: the text after the event. False: no frame.
 */
bool script_rest_frame(struct str rest, struct script_frame *ret);

/* Whether @line reports an error of the trace decoder: " instruction trace error type 1 time …". */
bool script_is_trace_error(struct str line);
/*
 * Whether @line is the source position of the previous frame: `file.c:12`, `libc-2.33.so[27b25]`.
 */
bool script_is_source_line(struct str line);

/* Functions probe and find of the format (struct format), in perf_script_find.c. */
unsigned int script_probe(struct str head);
bool script_find(struct str text, size_t from, struct extent *ret);

#endif
