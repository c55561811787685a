/* SPDX-License-Identifier: MIT */
/* c_names.c - map names to numbers */
#include "metrics/code/c_names.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

static uint64_t c_names_hash(struct str name)
{
	return XXH3_64bits(name.p, name.len);
}

void c_names_fini(struct c_names *n)
{
	VEC_FREE(&n->names);
	VEC_FREE(&n->slots);
	VEC_FREE(&n->used);
}

void c_names_clear(struct c_names *n)
{
	for (size_t i = 0; i < n->used.len; i++)
		n->slots.data[n->used.data[i]] = 0;
	n->used.len = 0;
	n->names.len = 0;
}

static size_t c_names_slot(const struct c_names *n, struct str name)
{
	size_t mask = n->slots.len - 1;
	size_t at = c_names_hash(name) & mask;

	while (n->slots.data[at] && !str_eq(n->names.data[n->slots.data[at] - 1], name))
		at = (at + 1) & mask;
	return at;
}

static void c_names_grow(struct c_names *n)
{
	size_t want = n->slots.len ? n->slots.len * 2 : 64;

	VEC_RESERVE(&n->slots, want);
	memset(n->slots.data, 0, want * sizeof(*n->slots.data));
	n->slots.len = want;
	n->used.len = 0;
	for (uint32_t i = 0; i < n->names.len; i++) {
		size_t at = c_names_slot(n, n->names.data[i]);

		n->slots.data[at] = i + 1;
		*VEC_PUSH(&n->used) = (uint32_t)at;
	}
}

uint32_t c_names_add(struct c_names *n, struct str name)
{
	size_t at;

	if ((n->names.len + 1) * 2 > n->slots.len)
		c_names_grow(n);
	at = c_names_slot(n, name);
	if (n->slots.data[at])
		return n->slots.data[at] - 1;
	*VEC_PUSH(&n->names) = name;
	*VEC_PUSH(&n->used) = (uint32_t)at;
	n->slots.data[at] = (uint32_t)n->names.len;
	return (uint32_t)n->names.len - 1;
}

uint32_t c_names_find(const struct c_names *n, struct str name)
{
	uint32_t id;

	if (!n->slots.len)
		return UINT32_MAX;
	id = n->slots.data[c_names_slot(n, name)];
	return id ? id - 1 : UINT32_MAX;
}
