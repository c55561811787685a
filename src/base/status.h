/* SPDX-License-Identifier: MIT */
/*
 * status.h - how functions report failures, and cleanup of local variables
 *
 * A function that can fail in several ways returns OK (0) or a negative enum status. If a user will
 * read the reason, the function also fills a struct error, which is on the caller's stack. Library
 * code does not print messages and does not end the process; src/cmds does. Exceptions: a process
 * ends if memory is exhausted (base/alloc.h), or if it is confined and its parent process fails
 * (base/files.h).
 */
#ifndef BASE_STATUS_H
#define BASE_STATUS_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#define MUST_CHECK        __attribute__((warn_unused_result))
#define PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define CLEANUP(fn)       __attribute__((cleanup(fn)))
#define UNLIKELY(x)       __builtin_expect(!!(x), 0)
#define LIKELY(x)         __builtin_expect(!!(x), 1)
#define ARRAY_LEN(a)      (sizeof(a) / sizeof((a)[0]))

/*
 * Define the function `fn##p(type *)`, which frees a local variable: `CLEANUP(fn##p) type x =
 * NULL;`.
 */
#define DEFINE_CLEANUP(type, fn)             \
	static inline void fn##p(type *slot) \
	{                                    \
		fn(*slot);                   \
		*slot = NULL;                \
	}                                    \
	struct require_semicolon

/*
 * Return the pointer @p, and set the variable @p to NULL. So a variable with CLEANUP() hands its
 * object to another owner.
 */
#define TAKE(p)                         \
	({                              \
		__typeof__(p) p_ = (p); \
		(p) = NULL;             \
		p_;                     \
	})

enum status {
	OK = 0,
	ERR_IO = -2,          /* a system call failed, such as open, read or map */
	ERR_FORMAT = -3,      /* the input does not follow the rules of its format */
	ERR_LIMIT = -4,       /* a limit of base/limits.h is exceeded */
	ERR_UNSUPPORTED = -5, /* the input is recognised, but this part of it is not supported */
	ERR_PERM = -6,        /* permission denied */
	ERR_USAGE = -7,       /* wrong arguments on the command line */
	ERR_NOTFOUND = -8,
	ERR_CANCELED = -9, /* stopped on request */
};

/* A message for the user: lower case, no final dot, without the name of the program or file. */
struct error {
	char msg[256];
};

/*
 * Format a message into @err (may be NULL), and return @status. For `return fail(err, ERR_IO,
 * "...")`.
 */
int fail(struct error *err, int status, const char *fmt, ...) PRINTF(3, 4);

#endif
