/* SPDX-License-Identifier: MIT */
#include "base/alloc.h"

#include "base/files.h"
#include "base/rights/rights.h"
#include "base/rights/sandbox.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ALLOC_LARGE_BYTES (UINT32_C(2) << 20)
/* number of bytes by which malloc() grows the heap */
#define ALLOC_HEAP_BYTES (UINT32_C(1) << 20)

static _Noreturn void alloc_gone(size_t size)
{
	if (files_are_confined())
		/*
		 * the parent process reports that memory is exhausted, with the name of the input
		 */
		_exit(SANDBOX_NO_MEMORY);
	if (size)
		(void)fprintf(stderr, "assay: out of memory (%zu bytes wanted)\n", size);
	else
		(void)fprintf(stderr, "assay: out of memory\n");
	exit(1);
}

void alloc_watched(void)
{
	if (errno == ENOMEM)
		alloc_gone(0);
}

/*
 * Whether memory is exhausted. A failed allocation in a library sets errno, but the library may
 * have overwritten it. So this also tests whether malloc() could grow its heap.
 */
static bool alloc_is_short(void)
{
	void *p;

	if (errno == ENOMEM)
		return true;
	p = mmap(NULL, ALLOC_HEAP_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		 0);
	if (p != MAP_FAILED)
		(void)munmap(p, ALLOC_HEAP_BYTES);
	return p == MAP_FAILED;
}

void alloc_watched_well(void)
{
	if (alloc_is_short())
		alloc_gone(0);
}

static void alloc_crashed(int number)
{
	if (alloc_is_short())
		_exit(SANDBOX_MEMORY_CRASH);
	/* SA_RESETHAND has removed this handler, so raise() ends the process */
	(void)raise(number);
}

void alloc_watch_crashes(void)
{
	const struct sigaction handler = { .sa_handler = alloc_crashed,
					   .sa_flags = (int)SA_RESETHAND };

	if (RIGHTS_SANITIZED)
		return;
	errno = 0;
	(void)sigaction(SIGSEGV, &handler, NULL);
	(void)sigaction(SIGABRT, &handler, NULL);
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

void *xcalloc_table(size_t bytes)
{
	void *p;

	if (bytes < ALLOC_LARGE_BYTES)
		return xcalloc(1, bytes);
	p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		alloc_gone(bytes);
	(void)madvise(p, bytes, MADV_HUGEPAGE); /* if this fails, the table has small pages */
	return p;
}

void free_table(void *p, size_t bytes)
{
	if (bytes < ALLOC_LARGE_BYTES)
		free(p);
	else if (p)
		(void)munmap(p, bytes);
}

void *grow_table(void *p, size_t old, size_t bytes)
{
	void *larger;

	if (old >= ALLOC_LARGE_BYTES) {
		larger = mremap(p, old, bytes, MREMAP_MAYMOVE);
		if (larger == MAP_FAILED)
			alloc_gone(bytes);
		return larger;
	}
	larger = xcalloc_table(bytes);
	if (old)
		memcpy(larger, p, old);
	free_table(p, old);
	return larger;
}
