/* SPDX-License-Identifier: MIT */
/*
 * perf_stdio.h - a profile in the layout of `perf report --stdio`
 *
 * Printed profiles come out as they were read: rows and trees in the printed
 * order, without loss. Where samples were recovered exactly, every figure is
 * computed again from the samples; the order of rows and branches of equal
 * weight, which perf takes from memory addresses, stays as printed.
 *
 * Profiles with samples only are printed as current perf does: callee order,
 * graph percentages, limit 0.5 %. Each tree takes a pass over all stacks, so with
 * millions of stack nodes only the heaviest rows get one; a comment says so.
 */
#ifndef RENDER_PERF_STDIO_H
#define RENDER_PERF_STDIO_H

#include "analyses/top/top.h"
#include "base/out.h"
#include "core/capture.h"

enum perf_stdio_style {
	PERF_STDIO_AS_READ, /* old for CHAIN_MIXED tables, else new */
	PERF_STDIO_OLD,     /* "--52.24%-- name" (<= 4.4) */
	PERF_STDIO_NEW,     /* "--52.24%--name" */
};

struct perf_stdio_options {
	enum perf_stdio_style style;
	bool no_children;     /* Overhead only; samples only: tables keep their columns */
	bool no_trees;        /* perf's -g none */
	bool has_samples;     /* perf's -n; samples only */
	bool has_header;      /* perf_stdio_header() stands above: no hint at it */
	bool caller_order;    /* -g caller; samples only */
	double percent_limit; /* of trees; < 0: 0.5, or all for recovered profiles */
};

/* What perf report --header prints above its tables, as far as @c knows it. */
void perf_stdio_header(struct out *out, const struct capture *c);
/* Errors: ERR_USAGE when the capture has no profile. Write errors stay in @out. */
MUST_CHECK int perf_stdio_print(struct out *out, const struct capture *c,
				const struct perf_stdio_options *options, struct error *err);

#endif
