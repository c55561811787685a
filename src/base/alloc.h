/* SPDX-License-Identifier: MIT */
/*
 * alloc.h - heap allocations that never return NULL
 *
 * If memory is exhausted, an allocation ends the process (one line on stderr, exit status 1), as in
 * git and tmux. Handling such errors in each caller would be untested code, which is worse.
 * base/limits.h bounds every size that an input controls before it is allocated.
 */
#ifndef BASE_ALLOC_H
#define BASE_ALLOC_H

#include "base/status.h"

#include <errno.h>
#include <stdlib.h>

void *xmalloc(size_t size) __attribute__((malloc, returns_nonnull));
void *xcalloc(size_t n, size_t size) __attribute__((malloc, returns_nonnull));
void *xrealloc(void *p, size_t size) __attribute__((returns_nonnull));

/* Copy @len bytes and add a NUL. Owner: caller, free(). */
char *xmemdupz(const char *p, size_t len) __attribute__((malloc, returns_nonnull));

/* Like xrealloc(p, n * size), but the product is checked for overflow. */
void *xreallocarray(void *p, size_t n, size_t size) __attribute__((returns_nonnull));

/*
 * Zeroed memory for a table with random access. Tables of 2 MiB or more use huge pages if the
 * system has them: look-ups then rarely miss the TLB. Owner: caller, free_table() with the same
 * size.
 */
void *xcalloc_table(size_t bytes) __attribute__((returns_nonnull));
void free_table(void *p, size_t bytes);
/*
 * Grow the table @p from @old to @bytes bytes. The new part is zeroed. For a new table, @p is NULL
 * and @old is 0. Large tables are remapped, not copied. Owner: caller, free_table() with @bytes.
 */
void *grow_table(void *p, size_t old, size_t bytes) __attribute__((returns_nonnull));

/*
 * Detect failed allocations in a library: call alloc_watch() before and alloc_watched() after the
 * calls into the library. After a failed allocation, a library may return a smaller result or an
 * unrelated error. alloc_watched() then ends the process, so that no result is incomplete without a
 * warning.
 */
static inline void alloc_watch(void)
{
	errno = 0;
}
void alloc_watched(void);
/*
 * As alloc_watched(), for libraries that overwrite errno: also ends the process if no memory can be
 * allocated now. Cost: two system calls.
 */
void alloc_watched_well(void);
/*
 * For libraries that crash when an allocation fails. After this call, a crash ends the process with
 * exit status SANDBOX_MEMORY_CRASH if memory is exhausted. Any other crash ends it by its signal,
 * as usual.
 */
void alloc_watch_crashes(void);

/* Free the variable that @slot points to: `CLEANUP(freep) char *x = NULL;` frees x. */
static inline void freep(void *slot)
{
	free(*(void **)slot);
}

#endif
