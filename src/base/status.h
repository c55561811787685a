/* SPDX-License-Identifier: MIT */
/*
 * status.h - how functions fail, and cleanup of locals
 *
 * Every fallible function returns OK (0) or a negative enum status and, where
 * a person will read the reason, fills a struct error that lives on the
 * caller's stack. Library code never prints and never exits; src/cmds does.
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

/* Defines `fn##p(T **)`, for use as `CLEANUP(fn##p) T *x = NULL;`. */
#define DEFINE_CLEANUP(type, fn)             \
	static inline void fn##p(type *slot) \
	{                                    \
		fn(*slot);                   \
		*slot = NULL;                \
	}                                    \
	struct require_semicolon

/* Hand the pointer over and clear the local, which disarms its cleanup. */
#define TAKE(p)                         \
	({                              \
		__typeof__(p) p_ = (p); \
		(p) = NULL;             \
		p_;                     \
	})

enum status {
	OK = 0,
	ERR_IO = -2,          /* the system refused: open, read, map */
	ERR_FORMAT = -3,      /* the input violates its format */
	ERR_LIMIT = -4,       /* past a named limit of base/limits.h */
	ERR_UNSUPPORTED = -5, /* recognised, but not supported */
	ERR_PERM = -6,        /* permission denied */
	ERR_USAGE = -7,       /* the caller's arguments are wrong */
	ERR_NOTFOUND = -8,
	ERR_CANCELED = -9, /* stopped on request */
};

/* A message for people: lower case, no final dot, no program or file name. */
struct error {
	char msg[256];
};

/* Format into @err (may be NULL) and return @status: `return fail(err, ERR_IO, "...")`. */
int fail(struct error *err, int status, const char *fmt, ...) PRINTF(3, 4);

#endif
