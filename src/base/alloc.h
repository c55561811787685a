/* SPDX-License-Identifier: MIT */
/*
 * alloc.h - heap allocations that never return NULL
 *
 * If memory is exhausted, an allocation ends the process (one line on stderr, exit status 1), as in
 * git and tmux: untested error handling would be worse. base/limits.h bounds every size that an
 * input controls before it is allocated.
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
 * Grow a table; the new part is zeroed. Start with @p NULL and @old 0. Large tables are
 * remapped, not copied.
 */
void *grow_table(void *p, size_t old, size_t bytes) __attribute__((returns_nonnull));

/*
 * Put alloc_watch() before and alloc_watched() after calls into a library. A library whose
 * allocation failed may return a smaller result, or another error, without any warning.
 * alloc_watched() ends the process in that case, so that no result is silently incomplete.
 */
static inline void alloc_watch(void)
{
	errno = 0;
}
void alloc_watched(void);
/*
 * As alloc_watched(), for libraries that overwrite errno: also test whether memory can be allocated
 * now. Cost: two system calls.
 */
void alloc_watched_well(void);
/*
 * Some libraries crash when an allocation fails. After this call, a crash that follows a failed
 * allocation exits with SANDBOX_MEMORY_CRASH; any other crash keeps its signal.
 */
void alloc_watch_crashes(void);

/* Free the variable that @slot points to: `CLEANUP(freep) char *x = NULL;` frees x. */
static inline void freep(void *slot)
{
	free(*(void **)slot);
}

#endif
