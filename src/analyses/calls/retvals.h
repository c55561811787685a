/* SPDX-License-Identifier: MIT */
/*
 * retvals.h - errors among return values of a function graph
 *
 * The tracer prints the return register: an int, a pointer, a bool with arbitrary upper bytes,
 * or garbage for a void function. So -11 is taken for EAGAIN only under these conditions. The
 * value is the number of a named error, in 32 or 64 bits. Its low byte is not that of a bool or
 * zero: -255 and -256 are true and false over a register of ones, and -512, ERESTARTSYS, is
 * left out because it looks the same. And the function returns no values that are neither int
 * nor pointer.
 */
#ifndef ANALYSES_RETVALS_H
#define ANALYSES_RETVALS_H

#include "base/vec.h"
#include "core/ids.h"

struct capture;

struct retval_error {
	sym_id sym;
	int error;      /* -11 */
	uint64_t calls; /* calls that returned it */
	uint64_t of;    /* calls of the function with a return value */
	uint32_t line;  /* of the first */
};

struct retval_errors {
	VEC(struct retval_error) rows; /* most calls first */
	uint64_t valued;               /* calls with a return value */
	uint64_t calls;                /* calls in rows */
};

/* The negative errno that a return value can be, or 0. */
int retval_errno(uint64_t value);
/* "EAGAIN"; NULL for an unknown error. @error is negative. */
const char *retval_errno_name(int error);

/* Owner of @ret: caller, retval_errors_fini(). Cost: O(calls), 8 bytes a symbol. */
void retval_errors_find(const struct capture *capture, struct retval_errors *ret);
void retval_errors_fini(struct retval_errors *r);

#endif
