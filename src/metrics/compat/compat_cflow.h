/* SPDX-License-Identifier: MIT */
/*
 * compat_cflow.h - sizes of the call trees that GNU cflow prints for a file
 *
 * Behaviour of cflow:
 *
 * - It does not print functions whose names begin with '_', nor their callees.
 * - If a macro is written like a call, `name(...)`, it is a callee.
 * - If a function body uses the name of a function as a value, that function is a callee, even an
 *   external function that was called earlier in the file.
 * - Both arms of an #if count.
 * - If a function is already on the path (recursion), its callees are not printed again.
 * - If `noinline` and then `struct` precede a function's name in its definition, the function has
 *   no callees.
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
