/* SPDX-License-Identifier: MIT */
/*
 * stacks.h - call stacks as a prefix tree
 *
 * Samples with the same outermost frames share the nodes of these frames, so a stack is one id. To
 * test whether A calls B, directly or not, walk from B to its parents. Node 0 is the root and has
 * no symbol.
 *
 * A parent has a smaller id than its children. One pass from the last id to the first therefore
 * sums subtrees. One pass from the first id propagates values from callers to callees.
 *
 * Push the outermost frame first: the caller, then the callee. If the command of a sample is known,
 * it is the first frame, a symbol of SPACE_COMM.
 *
 * Not thread safe: one reader fills one tree.
 */
#ifndef CORE_STACKS_H
#define CORE_STACKS_H

#include "base/slots.h"
#include "base/vec.h"
#include "core/ids.h"

/* Links of a node to its newest child and to its next older sibling. */
struct stacks_link {
	/* newest child; 0: no child; STACKS_WIDE: the children are in stacks.index */
	uint32_t child;
	uint32_t sibling; /* next older child of the same parent; 0: none */
};

#define STACKS_WIDE UINT32_MAX

struct stacks {
	VEC(uint32_t) parent; /* parent of each node, by id; the root is its own parent */
	VEC(sym_id) sym;
	/* links of each node; empty from stacks_order() until the next stacks_push() */
	VEC(struct stacks_link) links;
	/*
	 * children of nodes with many children: the key is parent and symbol, the value is the
	 * child
	 */
	struct slots index;
	/* nodes are in depth-first order: no node was added since stacks_order() */
	bool is_ordered;
};

void stacks_init(struct stacks *s);
void stacks_fini(struct stacks *s);
/*
 * Return the child of @parent with symbol @sym, made on first use. Past LIMIT_STACK_NODES it
 * returns @parent: the sample keeps its weight, but loses inner frames, and stacks_is_full() is
 * true. Cost: O(1) expected; the first push after stacks_order(): O(nodes).
 */
stack_id stacks_push(struct stacks *s, stack_id parent, sym_id sym);
bool stacks_is_full(const struct stacks *s);
/* Number of frames from the root to @id, without the root: 0 for STACK_ROOT. Cost: O(depth). */
uint32_t stacks_depth(const struct stacks *s, stack_id id);

/*
 * Return the position of each node in depth-first order, with children in order of creation. The
 * positions of a subtree are a contiguous range that starts with its root. Owner: caller, free().
 * NULL: each node's position equals its id. Cost: O(nodes); 4 bytes per node for the result, 4
 * temporarily.
 */
uint32_t *stacks_places(const struct stacks *s);
/*
 * Renumber the nodes depth-first. Returns the new id of each node, indexed by its old id. Owner:
 * caller, free(). NULL: no id changed. Removes the links to children; the next push makes them
 * again.
 */
uint32_t *stacks_order(struct stacks *s);

static inline stack_id stacks_parent(const struct stacks *s, stack_id id)
{
	return (stack_id){ s->parent.data[id.v] };
}

static inline sym_id stacks_sym(const struct stacks *s, stack_id id)
{
	return s->sym.data[id.v];
}

/* Number of nodes, including the root. Ids are below this number. */
static inline uint32_t stacks_count(const struct stacks *s)
{
	return (uint32_t)s->parent.len;
}

#endif
