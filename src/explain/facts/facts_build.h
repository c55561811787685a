/* SPDX-License-Identifier: MIT */
/* facts_build.h - declarations for facts.c and facts_*.c only */
#ifndef EXPLAIN_FACTS_FACTS_BUILD_H
#define EXPLAIN_FACTS_FACTS_BUILD_H

#include "base/str.h"
#include "base/vec.h"

struct capture;
struct category_cache;
struct fact_function;
struct profile_facts;

struct role_cache;

/* Compute the facts of the profile in @c. Owner: caller, facts_profile_free(). */
struct profile_facts *facts_profile_new(const struct capture *c, struct category_cache *cats,
					struct role_cache *roles);
void facts_profile_free(struct profile_facts *p);
/*
 * Set p->is_off_cpu. If the event has no name, guess p->unit from the functions. If the unit is
 * wall-clock time, add the waits of idle threads to p->idle.
 */
void facts_find_unit(struct profile_facts *p);
/* The bit of the pair of adjacent letters @a and @b in a 64-bit filter (profile_facts.grams). */
static inline uint64_t facts_gram(char a, char b)
{
	return UINT64_C(1) << (((unsigned int)(unsigned char)a * 37 ^
				(unsigned int)(unsigned char)b * 5) &
			       63);
}

/* The canonical name of @f. */
struct str facts_function_name(const struct profile_facts *p, const struct fact_function *f);

/*
 * The functions that match a pattern, each only once. numbers: indices into
 * profile_facts.functions, ascending, so the heaviest function is first.
 */
struct facts_found {
	VEC(uint32_t) numbers;
	uint8_t *has; /* has[number]: 1 if the function with this number matches */
};

void facts_find(const struct profile_facts *p, const char *pattern, struct facts_found *found);
void facts_find_fini(struct facts_found *found);

#endif
