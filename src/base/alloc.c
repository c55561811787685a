/* SPDX-License-Identifier: MIT */
#include "base/alloc.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static _Noreturn void alloc_gone(size_t size)
{
	(void)fprintf(stderr, "assay: out of memory (%zu bytes wanted)\n", size);
	exit(1);
}

void *xmalloc(size_t size)
{
	void *p = malloc(size ? size : 1);

	if (!p)
		alloc_gone(size);
	return p;
}

void *xcalloc(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size ? size : 1);

	if (!p)
		alloc_gone(n * size);
	return p;
}

void *xrealloc(void *old, size_t size)
{
	void *p = realloc(old, size ? size : 1);

	if (!p)
		alloc_gone(size);
	return p;
}

void *xreallocarray(void *old, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes))
		alloc_gone(SIZE_MAX);
	return xrealloc(old, bytes);
}

char *xmemdupz(const char *p, size_t len)
{
	char *copy = xmalloc(len + 1);

	if (len)
		memcpy(copy, p, len);
	copy[len] = '\0';
	return copy;
}
