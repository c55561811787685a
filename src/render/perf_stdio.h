/* SPDX-License-Identifier: MIT */
/*
 * perf_stdio.h - a profile in the layout of `perf report --stdio`
 *
 * Printed profiles are reproduced as read: rows and trees in print order, without loss. After
 * an exact recovery of samples, every figure is computed from the samples. The order of rows
 * and branches of equal weight, which in perf depends on memory addresses, stays as printed.
 *
 * Profiles with samples only are printed as by current perf: callee order, graph percentages,
 * limit 0.5 %. Each tree needs a pass over all stacks. With millions of stack nodes only the
 * heaviest rows get a tree, and a comment says so.
 */
#ifndef RENDER_PERF_STDIO_H
#define RENDER_PERF_STDIO_H

#include "base/status.h"

struct capture;
struct out;

enum perf_stdio_style {
	PERF_STDIO_AS_READ, /* old style for CHAIN_MIXED tables, else new */
	PERF_STDIO_OLD,     /* "--52.24%-- name" (<= 4.4) */
	PERF_STDIO_NEW,     /* "--52.24%--name" */
};

struct perf_stdio_options {
	enum perf_stdio_style style;
	bool no_children;     /* Overhead only; for samples: tables keep their columns */
	bool no_trees;        /* perf's -g none */
	bool has_samples;     /* perf's -n; samples only */
	bool has_header;      /* perf_stdio_header() was printed: omit the hint at it */
	bool caller_order;    /* -g caller; samples only */
	double percent_limit; /* of trees; < 0: 0.5, or no limit for recovered profiles */
};

/* Print the header of perf report --header, as far as @c has its fields. */
void perf_stdio_header(struct out *out, const struct capture *c);
/* Print the profile. Errors: ERR_USAGE if the capture has no profile. Write errors stay in @out. */
MUST_CHECK int perf_stdio_print(struct out *out, const struct capture *c,
				const struct perf_stdio_options *options, struct error *err);

#endif
