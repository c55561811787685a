/* SPDX-License-Identifier: MIT */
/*
 * retvals.h - errors among the return values of a function graph
 *
 * The tracer prints the return register. It may hold an int, a pointer, a bool with arbitrary upper
 * bytes, or garbage if the function is void. So a value such as -11 counts as an error (EAGAIN)
 * only under three conditions:
 * - It is the negative number of a known error, as a 32-bit or 64-bit int.
 * - Its low byte is neither 0 nor 1: -256 and -255 may be false and true with all upper bits set.
 *   This also rules out -512, ERESTARTSYS.
 * - All values that the function returns in this trace are ints or pointers.
 */
#ifndef ANALYSES_RETVALS_H
#define ANALYSES_RETVALS_H

#include "base/vec.h"
#include "core/ids.h"

struct capture;

struct retval_error {
	sym_id sym;
	int error;      /* negative errno: -11 for EAGAIN */
	uint64_t calls; /* number of calls that returned this error */
	uint64_t of;    /* number of the function's calls that have a return value, errors or not */
	uint32_t line;  /* line of the function's first call with this error in the input */
};

struct retval_errors {
	VEC(struct retval_error) rows; /* errors by function, most calls first */
	uint64_t valued;               /* number of calls in the trace that have a return value */
	/* number of calls that returned an error: the sum of `calls` over all rows */
	uint64_t calls;
};

/* The negative errno that @value stands for; 0: it is no error. */
int retval_errno(uint64_t value);
/* "EAGAIN" for -11; NULL: unknown error. */
const char *retval_errno_name(int error);

/*
 * Find the errors in @capture. Owner of @ret: caller, retval_errors_fini(). Cost: O(calls), 8
 * bytes a symbol.
 */
void retval_errors_find(const struct capture *capture, struct retval_errors *ret);
void retval_errors_fini(struct retval_errors *r);

#endif
