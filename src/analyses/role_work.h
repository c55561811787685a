/* SPDX-License-Identifier: MIT */
/*
 * role_work.h - the cost of library work, including all functions that it calls
 *
 * If matching a regular expression allocates memory, the allocation is part of its cost, because
 * the application requested only the match. On a stack, library functions with roles
 * (analyses/roles.h) lie between the innermost function of the application and the sampled
 * function. A sample counts for the role of the sampled function. It also counts for the role of
 * each library function that calls it, if this role has ":within" in roles.tsv. A library may call
 * a function of the application, such as the comparison of a sort. The cost of this function is not
 * part of the library's work.
 */
#ifndef ANALYSES_ROLE_WORK_H
#define ANALYSES_ROLE_WORK_H

#include "analyses/roles.h"

#include <stdbool.h>
#include <stdint.h>

struct stacks;
struct symbols;

/*
 * A set of roles, one bit each. Roles that are reported under another role are replaced by that
 * role: role_with().
 */
struct role_set {
	uint64_t bits[2];
};

struct role_work {
	/* indexed by stack node: the roles for which samples with this stack count */
	struct role_set *at;
	/* indexed by stack node: weight of the samples with this stack; borrowed */
	const uint64_t *self;
	uint32_t n;
};

/*
 * Find the roles for which each stack counts. @self: weights of samples, indexed by stack node;
 * they must outlive @w. Owner: caller, role_work_fini(). Cost: O(nodes), 16 bytes a node.
 */
void role_work_init(struct role_work *w, struct role_cache *c, const struct symbols *symbols,
		    const struct stacks *stacks, const uint64_t *self);
void role_work_fini(struct role_work *w);
/*
 * Sum the weights of samples by role. @ret is an array of ROLE_COUNT elements, indexed by role. A
 * sample may count for several roles. Samples that count for a role in @taken are left out. Cost:
 * O(nodes).
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
