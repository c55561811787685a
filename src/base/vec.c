/* SPDX-License-Identifier: MIT */
#include "base/vec.h"

#include "base/alloc.h"

void *vec_grow(void *data, size_t *cap, size_t need, size_t size)
{
	size_t want = *cap + *cap / 2;

	if (want < need)
		want = need;
	if (want < 8)
		want = 8;
	data = xreallocarray(data, want, size);
	*cap = want;
	return data;
}
