/* SPDX-License-Identifier: MIT */
/*
 * compat_cflow.h - the call trees that GNU cflow prints for one file, their sizes
 *
 * cflow's ways that matter: names that begin with '_' are neither shown nor
 * entered; a macro written like a call is a callee; a function named as a value
 * is a callee, also an external one that was called earlier in the file; both
 * #if arms count; recursion stops at the repeated name; a function whose head
 * holds `noinline` before a struct loses its body.
 *
 * Private to compat*.c.
 */
#ifndef METRICS_COMPAT_CFLOW_H
#define METRICS_COMPAT_CFLOW_H

#include "metrics/c_functions.h"

struct cflow_size {
	double level;   /* deepest level it is printed at, 0: never */
	double callees; /* lines below it */
	double callers; /* lines below it in the reversed tree */
};

/* @ret has an element for each function. False: cut after CFLOW_STEPS. */
bool cflow_sizes(const struct c_tokens *t, const struct c_functions *f, struct cflow_size *ret);

#endif
