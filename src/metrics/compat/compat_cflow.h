/* SPDX-License-Identifier: MIT */
/*
 * compat_cflow.h - sizes of the call trees that GNU cflow prints for a file
 *
 * Behaviour of cflow:
 *
 * - It does not print names that begin with '_', nor their callees. - A macro that is written like
 * a call is a callee. - A function that is named as a value is a callee, even an external function
 * that was called earlier in the file. - Both arms of an #if count. - Recursion stops at the
 * repeated name. - A function whose head has `noinline` before a struct has no callees.
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
	double callees; /* number of lines printed below the function */
	/* number of lines printed below the function in the reversed tree (callers) */
	double callers;
};

/*
 * Set @ret[i] for each function number i of @f. Returns false if the trees were too large to walk;
 * the sizes are then lower bounds.
 */
bool cflow_sizes(const struct c_tokens *t, const struct c_functions *f, struct cflow_size *ret);

#endif
