/* SPDX-License-Identifier: MIT */
/*
 * listing_line.h - parse one line of a code listing with weights, in the layout of each tool
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
 * LISTING_PLAIN: perf annotate --stdio2, which prints no separator between share and instruction.
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
	/* callgrind, oprofile: the printed share in the whole run, percent; 0: not printed */
	double share;
	uint64_t address;
	uint32_t number;
	struct str text;
	bool has_weight;
	bool has_cum;
	bool is_source;
	bool is_sure; /* only code listings contain such a row, so it needs no title */
};

/*
 * Parse a row of perf annotate: "  8.26 |   test %ecx,%ecx", "    0.00 :   4005a0:  push %rbp",
 * "       │   mov (%rdi),%rax".
 */
bool listing_line_perf_row(struct str line, struct listing_row *row);
/* Parse a row of pprof: ".  860ms  89:  out += x", "10ms 20ms  4a2f3c: MOVQ AX, BX ;main.go:12". */
bool listing_line_pprof_row(struct str line, struct listing_row *row);
/*
 * Take the name, the samples and the share of a function from the comment that opannotate appends
 * to the first line of the function: "f total:  89901 15.3566". False: no such comment.
 */
bool listing_line_total(struct str text, struct str *ret_name, double *ret_samples,
			double *ret_share);
/* Whether @t is a line of the comments that opannotate prints around a file. */
bool listing_line_is_comment(struct str t);
bool listing_row_of(enum listing_kind kind, struct str line, struct listing_row *row);
/* Kind of the listing that has the title @line; LISTING_NONE: @line is no title. */
enum listing_kind listing_line_head(struct str line);
/*
 * Whether @t is the line with the sums of a function. pprof prints this line below the name:
 * "2950.28s  4.24hrs (flat, cum)  3.70% of Total".
 */
bool listing_line_is_sums(struct str t);
/*
 * Whether a line such as @t may precede a listing: "Samples: 40K of event 'cycles', …", "Timer
 * unit: 1e-06 s".
 */
bool listing_line_is_preface(struct str t);
/* Name of the format, such as "perf-annotate". */
const char *listing_line_name(enum listing_kind kind);

#endif
