/* SPDX-License-Identifier: MIT */
/*
 * arena.h - memory that is freed all at once
 *
 * Each dossier has an arena for names, and each reader an arena for temporary data. Allocation
 * never returns NULL. Not thread safe.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/str.h"

struct arena_block;

struct arena {
	struct arena_block *blocks; /* newest first */
	char *next;
	size_t left;
	size_t used_bytes;
};

/* Free all memory. A zeroed struct is an empty arena. */
void arena_fini(struct arena *a);
/* Empty the arena, but keep its newest block for reuse. For temporary data. */
void arena_clear(struct arena *a);
/* Allocate @size bytes, aligned to 8 bytes, not zeroed. */
void *arena_alloc(struct arena *a, size_t size) __attribute__((returns_nonnull));
/* Copy @s into the arena and append a NUL, which the returned length does not count. */
struct str arena_str(struct arena *a, struct str s);

#endif
