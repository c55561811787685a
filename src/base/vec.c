/* SPDX-License-Identifier: MIT */
#include "base/vec.h"

#include "base/alloc.h"
#include "base/rights/rights.h"

/* with AddressSanitizer, an array of up to so many elements has no spare ones */
#define VEC_EXACT 64u

void *vec_grow(void *data, size_t *cap, size_t need, size_t size)
{
	size_t want = *cap + *cap / 2;

	if (want < need)
		want = need;
	if (want < 8)
		want = 8;
	/* the sanitizer then finds an access past the last element */
	if (RIGHTS_SANITIZED && need <= VEC_EXACT)
		want = need;
	data = xreallocarray(data, want, size);
	*cap = want;
	return data;
}
