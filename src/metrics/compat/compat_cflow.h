/* SPDX-License-Identifier: MIT */
/*
 * compat_cflow.h - sizes of the call trees that GNU cflow prints for a file
 *
 * Relevant behaviour of cflow: names that begin with '_' are neither printed nor entered; a
 * macro written like a call is a callee; a function named as a value is a callee, even an
 * external one called earlier in the file; both #if arms count; recursion stops at the repeated
 * name; a function whose head has `noinline` before a struct loses its body.
 *
 * Private to compat*.c.
 */
#ifndef METRICS_COMPAT_COMPAT_CFLOW_H
#define METRICS_COMPAT_COMPAT_CFLOW_H

#include <stdbool.h>

struct c_functions;
struct c_tokens;

struct cflow_size {
	double level;   /* deepest printed level, 0: never printed */
	double callees; /* lines below it */
	double callers; /* lines below it in the reversed tree */
};

/* @ret has an element per function. False: stopped after CFLOW_STEPS. */
bool cflow_sizes(const struct c_tokens *t, const struct c_functions *f, struct cflow_size *ret);

#endif
