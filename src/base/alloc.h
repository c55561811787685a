/* SPDX-License-Identifier: MIT */
/*
 * alloc.h - heap memory that cannot be NULL
 *
 * Small allocations end the process when memory is gone (one line on stderr,
 * exit status 1), as in git and tmux: untested out-of-memory branches are worse
 * than none. Sizes that come from an input are bounded by base/limits.h first.
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

/* Like xrealloc(p, n * size), with the product checked. */
void *xreallocarray(void *p, size_t n, size_t size) __attribute__((returns_nonnull));

/*
 * Zeroed memory for a table that is looked up at random: from 2 MiB on in large
 * pages, where the system has them, so that a look-up does not walk page tables
 * too. Owner: caller, free_table() with the same size.
 */
void *xcalloc_table(size_t bytes) __attribute__((returns_nonnull));
void free_table(void *p, size_t bytes);
/* More of it, zeroed; @p is NULL and @old 0 at first. Large ones are not copied. */
void *grow_table(void *p, size_t old, size_t bytes) __attribute__((returns_nonnull));

/*
 * Around calls into a library. One that got no memory may come back with less, or with
 * another reason, and say nothing of it: what it left out would be missing in silence.
 * alloc_watched() ends the process then, as above.
 */
static inline void alloc_watch(void)
{
	errno = 0;
}
void alloc_watched(void);
/* Also where it overwrites errno later on: is there memory to have? Cost: system calls. */
void alloc_watched_well(void);
/*
 * Some libraries crash when they get no memory. From here on a crash that follows upon
 * that is the exit status SANDBOX_MEMORY_CRASH; any other stays what it is.
 */
void alloc_watch_crashes(void);

/* For `CLEANUP(freep) char *x = NULL;` */
static inline void freep(void *slot)
{
	free(*(void **)slot);
}

#endif
