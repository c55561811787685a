/* SPDX-License-Identifier: MIT */
#include "base/vec.h"

#include "base/alloc.h"
#include "base/rights/rights.h"

/* under AddressSanitizer, an array of at most this many elements has no spare capacity */
#define VEC_EXACT 64u

void *vec_grow(void *data, size_t *cap, size_t need, size_t size)
{
	size_t want = *cap + *cap / 2;

	if (want < need)
		want = need;
	if (want < 8)
		want = 8;
	/* AddressSanitizer then reports an access past the last element */
	if (RIGHTS_SANITIZED && need <= VEC_EXACT)
		want = need;
	data = xreallocarray(data, want, size);
	*cap = want;
	return data;
}
