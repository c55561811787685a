/* SPDX-License-Identifier: MIT */
/*
 * role_work.h - cost of library work, including all functions that it calls
 *
 * A regular expression that allocates costs its own time and that of its allocations: the
 * application asked only for the expression. On a stack, functions with roles (analyses/roles.h)
 * are between the application's innermost function and the leaf. The sample counts for the leaf's
 * role, and for each role on the way that has ":within" in roles.tsv. A function of the
 * application called by the library, such as the comparison of a sort, is the application's own
 * cost.
 */
#ifndef ANALYSES_ROLE_WORK_H
#define ANALYSES_ROLE_WORK_H

#include "analyses/roles.h"

#include <stdbool.h>
#include <stdint.h>

struct stacks;
struct symbols;

/* A set of roles, as returned by role_with(). */
struct role_set {
	uint64_t bits[2];
};

struct role_work {
	struct role_set *at;  /* by stack node with samples: the roles that its samples count for */
	const uint64_t *self; /* weight of samples by stack node; borrowed */
	uint32_t n;
};

/*
 * Find the roles of all stacks. @self: weight by node, must outlive @w. Owner: caller,
 * role_work_fini(). Cost: O(nodes), 16 bytes a node.
 */
void role_work_init(struct role_work *w, struct role_cache *c, const struct symbols *symbols,
		    const struct stacks *stacks, const uint64_t *self);
void role_work_fini(struct role_work *w);
/*
 * Sum the weight by role of the samples that count for none of the roles in @taken; @ret has
 * ROLE_COUNT elements. A sample may count for several roles. Cost: O(nodes).
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
