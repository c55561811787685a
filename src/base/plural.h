/* SPDX-License-Identifier: MIT */
/* plural.h - singular or plural of a counted noun: "1 call", "2 calls" */
#ifndef BASE_PLURAL_H
#define BASE_PLURAL_H

#include <stdint.h>

/*
 * The ending of a noun after the number @n: "" for 1, else "s". For formats such as "%zu call%s".
 */
static inline const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/*
 * The word for the number @n: @one if @n is 1, else @many. For verbs, such as "1 entry has", "2
 * entries have".
 */
static inline const char *plural_of(uint64_t n, const char *one, const char *many)
{
	return n == 1 ? one : many;
}

#endif
