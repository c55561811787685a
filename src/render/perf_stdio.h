/* SPDX-License-Identifier: MIT */
/*
 * perf_stdio.h - a profile in the format of `perf report --stdio`
 *
 * A profile that was read from printed rows is reproduced without loss: rows and trees in the order
 * of the input. If the loader could recover the samples exactly, all figures are computed from the
 * samples. Rows and branches of equal weight keep the order of the input, because perf sorts them
 * by memory address.
 *
 * A profile that was read from samples is printed as current versions of perf print it: callee
 * order, graph percentages, limit 0.5 %. Each tree needs a pass over all stacks. If there are
 * millions of stack nodes, only the heaviest rows get a tree, and a comment in the output says so.
 */
#ifndef RENDER_PERF_STDIO_H
#define RENDER_PERF_STDIO_H

#include "base/status.h"

struct capture;
struct out;

enum perf_stdio_style {
	/*
	 * the style of the input: PERF_STDIO_OLD if its trees print kernel frames in reverse order
	 * (CHAIN_MIXED), as old versions of perf do, else PERF_STDIO_NEW
	 */
	PERF_STDIO_AS_READ,
	PERF_STDIO_OLD, /* "--52.24%-- name", as in perf up to Linux 4.4 */
	PERF_STDIO_NEW, /* "--52.24%--name", as in later perf */
};

struct perf_stdio_options {
	enum perf_stdio_style style;
	/*
	 * print only the column Overhead, not Children and Self; ignored for printed tables, which
	 * keep their columns
	 */
	bool no_children;
	bool no_trees; /* print no call trees, as perf with -g none */
	/* print a column with numbers of samples, as perf with -n; ignored for printed tables */
	bool has_samples;
	/*
	 * the caller has called perf_stdio_header(): do not print the sentence that recommends
	 * --header
	 */
	bool has_header;
	/*
	 * trees start at the outermost callers, as perf with -g caller; ignored for printed tables
	 */
	bool caller_order;
	/*
	 * smallest share of a frame in a tree, in percent; < 0: 0.5, or no limit for recovered
	 * profiles
	 */
	double percent_limit;
};

/* Print the fields of @c that perf report --header prints. */
void perf_stdio_header(struct out *out, const struct capture *c);
/*
 * Print the profile. Errors: ERR_USAGE if the capture has no profile with samples or printed rows.
 * Write errors are stored in @out.
 */
MUST_CHECK int perf_stdio_print(struct out *out, const struct capture *c,
				const struct perf_stdio_options *options, struct error *err);

#endif
