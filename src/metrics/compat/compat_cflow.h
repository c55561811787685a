/* SPDX-License-Identifier: MIT */
/*
 * compat_cflow.h - sizes of the call trees that GNU cflow prints for a file
 *
 * Behaviour of cflow:
 *
 * - It neither prints nor enters names that begin with '_'.
 * - A macro that is written like a call is a callee.
 * - A function named as a value is a callee, even an external one called earlier in the file.
 * - Both arms of an #if count.
 * - Recursion stops at the repeated name.
 * - A function whose head has `noinline` before a struct loses its body.
 *
 * Only compat*.c include this file.
 */
#ifndef METRICS_COMPAT_COMPAT_CFLOW_H
#define METRICS_COMPAT_COMPAT_CFLOW_H

#include <stdbool.h>

struct c_functions;
struct c_tokens;

struct cflow_size {
	double level;   /* deepest level at which the function is printed; 0: never printed */
	double callees; /* lines printed below the function */
	double callers; /* lines printed below the function in the reversed tree */
};

/*
 * Set @ret[i] for each function i of @f. False: the trees were too large, and the sizes are lower
 * bounds.
 */
bool cflow_sizes(const struct c_tokens *t, const struct c_functions *f, struct cflow_size *ret);

#endif
