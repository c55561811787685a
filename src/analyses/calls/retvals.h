/* SPDX-License-Identifier: MIT */
/*
 * retvals.h - errors among the return values of a function graph
 *
 * The tracer prints what is in the register when a function returns: an int, a
 * pointer, a bool with whatever is above its lowest byte, or for a void
 * function anything. So -11 is taken for EAGAIN only where it can be: the value
 * has the name of an error, in 32 or 64 bits, and the low byte is not that of a
 * bool or nothing (-255 and -256 are true and false over a register full of
 * ones; -512, ERESTARTSYS, cannot be told from those and is left out too), and
 * the function returns nothing else that neither an int nor a pointer can be.
 */
#ifndef ANALYSES_RETVALS_H
#define ANALYSES_RETVALS_H

#include "core/capture.h"

struct retval_error {
	sym_id sym;
	int error;      /* -11 */
	uint64_t calls; /* that returned it */
	uint64_t of;    /* calls of the function with a return value */
	uint32_t line;  /* of the first */
};

struct retval_errors {
	VEC(struct retval_error) rows; /* most calls first */
	uint64_t valued;               /* calls with a return value */
	uint64_t calls;                /* of rows */
};

/* The negative errno that a return value can be, or 0. */
int retval_errno(uint64_t value);
/* "EAGAIN"; NULL if there is no such error. @error is negative. */
const char *retval_errno_name(int error);

/* Owner of @ret: caller, retval_errors_fini(). Cost: O(calls), 8 bytes a symbol. */
void retval_errors_find(const struct capture *capture, struct retval_errors *ret);
void retval_errors_fini(struct retval_errors *r);

#endif
