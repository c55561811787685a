/* SPDX-License-Identifier: MIT */
/*
 * listing_line.h - parse one line of a code listing with weights, for each tool's layout
 *
 * Definitions: tools/perf/util/annotate.c of Linux; google/pprof internal/report/source.go and
 * report.go (printAssembly); valgrind callgrind/callgrind_annotate.in; line_profiler
 * line_profiler.py (show_func); memory_profiler memory_profiler.py (show_results); oprofile
 * pp/opannotate.cpp (do_output_one_file(), count_str()).
 */
#ifndef FORMATS_PROFILERS_LISTING_LINE_H
#define FORMATS_PROFILERS_LISTING_LINE_H

#include "base/str.h"
#include "formats/profilers/text_dialects.h"

/*
 * Kinds of listings. LISTING_PLAIN is perf annotate --stdio2, which prints no separator between
 * share and instruction.
 */
enum listing_kind {
	LISTING_NONE,
	LISTING_PERF,
	LISTING_PLAIN,
	LISTING_PPROF,
	LISTING_CALLGRIND,
	LISTING_TIME,
	LISTING_MEMORY,
	LISTING_OPROFILE,
};

struct listing_row {
	struct amount self;
	struct amount cum;
	/*
	 * callgrind, oprofile: printed share of the row in the whole run, percent; 0: not printed
	 */
	double share;
	uint64_t address;
	uint32_t number;
	struct str text;
	bool has_weight;
	bool has_cum;
	bool is_source;
	/* the row is certainly from a code listing, so the listing needs no title */
	bool is_sure;
};

/*
 * Parse a row of perf annotate: "  8.26 |   test %ecx,%ecx", "    0.00 :   4005a0:  push %rbp",
 * "       │   mov (%rdi),%rax".
 */
bool listing_line_perf_row(struct str line, struct listing_row *row);
/* Parse a row of pprof: ".  860ms  89:  out += x", "10ms 20ms  4a2f3c: MOVQ AX, BX ;main.go:12". */
bool listing_line_pprof_row(struct str line, struct listing_row *row);
/*
 * Take name, samples and share of a function from a comment of opannotate: "f total:  89901
 * 15.3566". opannotate appends it to the first line of the function. False: no such comment.
 */
bool listing_line_total(struct str text, struct str *ret_name, double *ret_samples,
			double *ret_share);
/* Whether @t is a comment line that opannotate prints before or after the lines of a file. */
bool listing_line_is_comment(struct str t);
bool listing_row_of(enum listing_kind kind, struct str line, struct listing_row *row);
/* Kind of the listing whose title is @line; LISTING_NONE: @line is no title. */
enum listing_kind listing_line_head(struct str line);
/*
 * Whether @t is the line in which pprof prints the sums of a function: "2950.28s  4.24hrs (flat,
 * cum)  3.70% of Total".
 */
bool listing_line_is_sums(struct str t);
/*
 * Whether @t may be a line before a listing: "Samples: 40K of event 'cycles', …", "Timer unit:
 * 1e-06 s".
 */
bool listing_line_is_preface(struct str t);
/* Name of the format for listings of @kind, such as "perf-annotate". */
const char *listing_line_name(enum listing_kind kind);

#endif
