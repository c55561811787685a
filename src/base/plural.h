/* SPDX-License-Identifier: MIT */
/* plural.h - the end of a counted noun: "1 call", "2 calls" */
#ifndef BASE_PLURAL_H
#define BASE_PLURAL_H

#include <stdint.h>

/* "s" unless @n is 1. For texts such as "%zu call%s". */
static inline const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* The verb of a counted noun: @one for 1, otherwise @many: "1 entry has", "2 entries have". */
static inline const char *plural_of(uint64_t n, const char *one, const char *many)
{
	return n == 1 ? one : many;
}

#endif
