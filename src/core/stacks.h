/* SPDX-License-Identifier: MIT */
/*
 * stacks.h - call stacks as a prefix tree
 *
 * Two samples with the same outermost frames share those nodes, so a stack is one id, and "is A
 * below B" is a walk up the parents. Node 0 is the root and holds no symbol. A parent's id is
 * smaller than its children's: one pass from the last id sums subtrees, one pass from the first
 * propagates from callers.
 *
 * Push the outermost frame first: the caller, then the callee. If the command of a sample is
 * known, it is the first frame, a symbol of SPACE_COMM.
 *
 * Not thread safe: one reader fills one tree.
 */
#ifndef CORE_STACKS_H
#define CORE_STACKS_H

#include "base/slots.h"
#include "base/vec.h"
#include "core/ids.h"

/* Child list of a node: most nodes have one child, which was made directly after them. */
struct stacks_link {
	uint32_t child;   /* newest child; 0: none; STACKS_WIDE: see the index */
	uint32_t sibling; /* the next older child of the same parent; 0: none */
};

#define STACKS_WIDE UINT32_MAX

struct stacks {
	VEC(uint32_t) parent; /* by node id; the root is its own parent */
	VEC(sym_id) sym;
	VEC(struct stacks_link) links; /* empty after stacks_order(), until the next push */
	struct slots index;            /* children of wide nodes: parent, symbol -> node */
	bool is_ordered;               /* stacks_order() was called and nothing was added since */
};

void stacks_init(struct stacks *s);
void stacks_fini(struct stacks *s);
/*
 * Return the child of @parent that holds @sym, made on first use. Past LIMIT_STACK_NODES it
 * returns @parent: the sample keeps its weight and loses inner frames; stacks_is_full() detects
 * that. Cost: O(1) expected; the first push after stacks_order(): O(nodes).
 */
stack_id stacks_push(struct stacks *s, stack_id parent, sym_id sym);
bool stacks_is_full(const struct stacks *s);
/* Frames from the root to @id, the root excluded: 0 for STACK_ROOT. Cost: O(depth). */
uint32_t stacks_depth(const struct stacks *s, stack_id id);

/*
 * Return the depth-first number of each node, children in order of creation. In that numbering
 * a subtree is a contiguous range that starts with its root. Owner: caller, free(). NULL: the
 * nodes have this order already. Cost: O(nodes); 4 bytes a node for the result, 4 temporary.
 */
uint32_t *stacks_places(const struct stacks *s);
/*
 * Renumber the nodes depth-first. Returns the new number of each old one, as stacks_places():
 * owner: caller; NULL: no number changed. The child links are dropped; the next push rebuilds
 * them.
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

/* Nodes, the root included: ids are 0 … count - 1. */
static inline uint32_t stacks_count(const struct stacks *s)
{
	return (uint32_t)s->parent.len;
}

#endif
