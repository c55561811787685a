/* SPDX-License-Identifier: MIT */
/*
 * perf_stdio.h - print a profile in the format of `perf report --stdio`
 *
 * A profile that was read from printed rows is printed without loss: rows and trees in the order of
 * the input. If its samples were recovered exactly, all figures are computed from these samples.
 * Rows and branches of equal weight then keep the order of the input; perf sorts them by memory
 * address.
 *
 * A profile that was read from samples is printed as by current versions of perf: callee order,
 * graph percentages, limit 0.5 %. Each tree needs a pass over all stacks. If there are millions of
 * stack nodes, only the heaviest rows have a tree, and a comment in the output says so.
 */
#ifndef RENDER_PERF_STDIO_H
#define RENDER_PERF_STDIO_H

#include "base/status.h"

struct capture;
struct out;

enum perf_stdio_style {
	/*
	 * the style of the input: PERF_STDIO_OLD if the trees have kernel frames in reverse order
	 * (CHAIN_MIXED), as in old versions of perf; otherwise PERF_STDIO_NEW
	 */
	PERF_STDIO_AS_READ,
	PERF_STDIO_OLD, /* "--52.24%-- name", as in perf up to Linux 4.4 */
	PERF_STDIO_NEW, /* "--52.24%--name", as in perf after Linux 4.4 */
};

struct perf_stdio_options {
	enum perf_stdio_style style;
	/*
	 * print the column Overhead instead of Children and Self. Ignored if the profile was read
	 * from a printed report: its columns are kept
	 */
	bool no_children;
	bool no_trees; /* print no call trees, like perf with -g none */
	/*
	 * print a column with the number of samples, like perf with -n. Ignored if the profile was
	 * read from a printed report
	 */
	bool has_samples;
	/* perf_stdio_header() was called before: do not print the line that recommends --header */
	bool has_header;
	/*
	 * print trees from the outermost caller to the callee, like perf with -g caller. Ignored if
	 * the profile was read from a printed report
	 */
	bool caller_order;
	/*
	 * minimum share of a frame in a tree, in percent; < 0: the default, 0.5. Ignored if the
	 * profile was read from a printed report: all its frames are printed
	 */
	double percent_limit;
};

/* Print the header fields of @c, like perf report --header. */
void perf_stdio_header(struct out *out, const struct capture *c);
/*
 * Print the profile of @c. Errors: ERR_USAGE if @c has no profile with samples or printed rows.
 * Write errors are stored in @out.
 */
MUST_CHECK int perf_stdio_print(struct out *out, const struct capture *c,
				const struct perf_stdio_options *options, struct error *err);

#endif
