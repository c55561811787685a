/* SPDX-License-Identifier: MIT */
/*
 * role_work.h - cost of library work with all that it calls
 *
 * A regular expression that allocates costs what it and its allocations cost: the application
 * asked for the expression. Between the last function of the application and the leaf of a stack
 * are functions with roles (analyses/roles.h). The sample counts for the leaf's role and for each
 * role with ":within" in roles.tsv on the way. A function of the application below the library,
 * such as the comparison of a sort, is that one's own cost.
 */
#ifndef ANALYSES_ROLE_WORK_H
#define ANALYSES_ROLE_WORK_H

#include "analyses/roles.h"

#include <stdbool.h>
#include <stdint.h>

struct stacks;
struct symbols;

/* A set of roles, after role_with(). */
struct role_set {
	uint64_t bits[2];
};

struct role_work {
	struct role_set *at;  /* by stack node with samples: the work that they are part of */
	const uint64_t *self; /* borrowed: weight of samples by stack node */
	uint32_t n;
};

/* Owner: caller, role_work_fini(). Cost: O(nodes), 16 bytes a node. */
void role_work_init(struct role_work *w, struct role_cache *c, const struct symbols *symbols,
		    const struct stacks *stacks, const uint64_t *self);
void role_work_fini(struct role_work *w);
/*
 * Weight by role of the samples that belong to none of @taken; @ret has ROLE_COUNT elements. A
 * sample may count for several roles. Cost: O(nodes).
 */
void role_work_sum(const struct role_work *w, struct role_set taken, uint64_t *ret);

static inline bool role_set_has(struct role_set s, enum role role)
{
	return s.bits[role / 64] >> (role % 64) & 1;
}

static inline struct role_set role_set_with(struct role_set s, enum role role)
{
	s.bits[role / 64] |= (uint64_t)1 << (role % 64);
	return s;
}

#endif
