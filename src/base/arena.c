/* SPDX-License-Identifier: MIT */
#include "base/arena.h"

#include "base/alloc.h"

#define ARENA_BLOCK_BYTES (1u << 20)

struct arena_block {
	struct arena_block *older;
	size_t size;
	char data[];
};

static void arena_add_block(struct arena *a, size_t size)
{
	struct arena_block *b;

	/*
	 * the first block is small, because many arenas stay small, such as the arena of a test or
	 * of a short document
	 */
	if (size < ARENA_BLOCK_BYTES)
		size = a->blocks ? ARENA_BLOCK_BYTES : (size < 16384 ? 16384 : size);
	b = xmalloc(sizeof(*b) + size);
	b->older = a->blocks;
	b->size = size;
	a->blocks = b;
	a->next = b->data;
	a->left = size;
}

static char *arena_take(struct arena *a, size_t size)
{
	char *p;

	if (size > a->left)
		arena_add_block(a, size);
	p = a->next;
	a->next += size;
	a->left -= size;
	a->used_bytes += size;
	return p;
}

void *arena_alloc(struct arena *a, size_t size)
{
	size_t pad = a->next ? (size_t)(-(uintptr_t)a->next & 7) : 0;

	if (pad <= a->left) {
		a->next += pad;
		a->left -= pad;
	} else {
		a->left = 0;
	}
	return arena_take(a, (size + 7) & ~(size_t)7);
}

struct str arena_str(struct arena *a, struct str s)
{
	char *p = arena_take(a, s.len + 1);

	if (s.len)
		memcpy(p, s.p, s.len);
	p[s.len] = '\0';
	return (struct str){ p, s.len };
}

static void arena_free_blocks(struct arena_block *b)
{
	while (b) {
		struct arena_block *older = b->older;

		free(b);
		b = older;
	}
}

void arena_clear(struct arena *a)
{
	struct arena_block *b = a->blocks;

	if (!b)
		return;
	arena_free_blocks(b->older);
	b->older = NULL;
	a->next = b->data;
	a->left = b->size;
	a->used_bytes = 0;
}

void arena_fini(struct arena *a)
{
	arena_free_blocks(a->blocks);
	memset(a, 0, sizeof(*a));
}
