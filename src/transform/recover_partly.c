/* SPDX-License-Identifier: MIT */
/*
 * Build samples for a report that does not determine them exactly. The samples of each row together
 * have the row's self weight. A sample gets a call chain of the row's tree only where it is certain
 * that the chain ends in the row's function:
 *
 * - without --children, or if Children equals Self: all chains of the tree;
 * - otherwise, in caller or mixed order: the chains whose sampled function is the row's function;
 * - otherwise, in callee order: the only chain of the tree, if the tree has no branches.
 */
#include "transform/recover_chains.h"

#include "base/limits.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/profile_inclusive.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "transform/recover.h"

bool recover_has_children(const struct profile_table *t)
{
	VEC_FOREACH (r, &t->rows) {
		if (r->has & ROW_HAS_CHILDREN)
			return true;
	}
	return false;
}

static bool recover_same_address(const struct symbols *symbols, sym_id a, sym_id b)
{
	struct str ta = symbols_name(symbols, a);
	struct str tb = symbols_name(symbols, b);
	uint64_t va;
	uint64_t vb;

	return str_hex64(&ta, &va) && str_hex64(&tb, &vb) && (va & 0xfff) == (vb & 0xfff);
}

static void recover_alias_set(struct recover_aliases *a, sym_id from, sym_id to)
{
	while (a->by_sym.len <= from.v)
		*VEC_PUSH(&a->by_sym) = SYM_ID_NONE;
	a->by_sym.data[from.v] = to;
}

void recover_aliases_make(const struct capture *c, struct recover_aliases *ret)
{
	const struct profile_table *t = &c->profile->table;
	struct symbols *symbols = capture_symbols(c);

	memset(ret, 0, sizeof(*ret));
	VEC_FOREACH (row, &t->rows) {
		const struct symbol *s = symbols_get(symbols, row->sym);
		sym_id frame;
		sym_id both;

		if (row->tree == INDEX_NONE || !(s->flags & SYMBOL_ADDRESS))
			continue;
		frame = t->nodes.data[row->tree].sym;
		if (frame.v == row->sym.v ||
		    !(symbols_get(symbols, frame)->flags & SYMBOL_ADDRESS) ||
		    !recover_same_address(symbols, frame, row->sym) ||
		    recover_alias(ret, frame).v != frame.v)
			continue;
		both = symbols_add(symbols, symbols_get(symbols, frame)->name, s->module, s->space);
		recover_alias_set(ret, frame, both);
		recover_alias_set(ret, row->sym, both);
	}
}

void recover_aliases_fini(struct recover_aliases *a)
{
	VEC_FREE(&a->by_sym);
}

static bool recover_is_kernel(const struct symbols *symbols, sym_id sym)
{
	return symbols_get(symbols, sym)->space == SPACE_KERNEL;
}

void recover_push(struct capture *c, enum chain_order order, str_id comm, const sym_id *list,
		  size_t n, sym_id leaf, uint64_t weight)
{
	struct symbols *symbols = capture_symbols(c);
	struct stacks *stacks = &c->profile->stacks;
	stack_id at = STACK_ROOT;
	size_t kernel = 0;

	if (comm.v)
		at = stacks_push(stacks, at, symbols_add(symbols, comm, STR_ID_NONE, SPACE_COMM));
	if (order == CHAIN_MIXED) {
		while (kernel < n && recover_is_kernel(symbols, list[kernel]))
			kernel++;
	}
	if (order == CHAIN_CALLER) {
		for (size_t i = 0; i < n; i++)
			at = stacks_push(stacks, at, list[i]);
	} else {
		for (size_t i = n; i-- > kernel;)
			at = stacks_push(stacks, at, list[i]);
		for (size_t i = 0; i < kernel; i++)
			at = stacks_push(stacks, at, list[i]);
	}
	if (at.v == 0 || stacks_sym(stacks, at).v != leaf.v)
		at = stacks_push(stacks, at, leaf);
	if (profile_add_sample(c->profile, at, weight) < 0)
		return; /* cannot fail: LIMIT_ROWS is smaller than LIMIT_SAMPLES */
}

/*
 * The sampled function of a printed frame list @list of @n frames. In caller order it is the last
 * frame, in mixed order the last kernel frame, otherwise the first frame.
 */
static sym_id recover_partly_leaf(const struct symbols *symbols, enum chain_order order,
				  const sym_id *list, size_t n)
{
	size_t i = 0;

	if (order == CHAIN_CALLER)
		return list[n - 1];
	while (order == CHAIN_MIXED && i + 1 < n && recover_is_kernel(symbols, list[i]) &&
	       recover_is_kernel(symbols, list[i + 1]))
		i++;
	return list[i];
}

struct recover_partial {
	struct capture *c;
	const struct symbols *symbols;
	enum chain_order order;
	bool has_children;
	uint64_t frames;
	uint64_t chained; /* total weight of the samples that have a call chain */
	struct recover_aliases aliases;
	VEC(sym_id) list;
};

/*
 * Weight of the samples whose chain ends at node @i: the weight of the node minus the weights of
 * its children.
 */
static uint64_t recover_rest(const struct profile_node *nodes, uint32_t i)
{
	uint64_t rest = nodes[i].weight;

	for (uint32_t k = i + 1; k<nodes[i].end; k = nodes[k].end> k ? nodes[k].end : k + 1)
		rest = rest > nodes[k].weight ? rest - nodes[k].weight : 0;
	return rest;
}

/*
 * Add a sample with the chain that ends at node @at. Its weight is @rest, but at most @most. If
 * @all_is_self is false, nothing is added unless the sampled function of the chain is the row's
 * function. @all_is_self true: this is already known. Returns the weight added.
 */
static uint64_t recover_chain(struct recover_partial *rp, const struct profile_row *row,
			      uint32_t at, uint64_t rest, uint64_t most, bool all_is_self)
{
	const struct profile_node *nodes = rp->c->profile->table.nodes.data;
	sym_id sym = recover_alias(&rp->aliases, row->sym);
	sym_id *list;

	rp->list.len = 0;
	for (uint32_t i = at; i != INDEX_NONE; i = nodes[i].parent) {
		if (!nodes[i].is_other)
			*VEC_PUSH(&rp->list) = recover_alias(&rp->aliases, nodes[i].sym);
	}
	rp->frames += rp->list.len;
	list = rp->list.data;
	for (size_t i = 0; i < rp->list.len / 2; i++) {
		sym_id swap = list[i];

		list[i] = list[rp->list.len - 1 - i];
		list[rp->list.len - 1 - i] = swap;
	}
	if (rp->list.len == 0)
		return 0;
	if (!(row->has & ROW_HAS_SYMBOL))
		sym = recover_partly_leaf(rp->symbols, rp->order, list, rp->list.len);
	if (!all_is_self &&
	    recover_partly_leaf(rp->symbols, rp->order, list, rp->list.len).v != sym.v)
		return 0;
	if (rest > most)
		rest = most;
	recover_push(rp->c, rp->order, row->comm, list, rp->list.len, sym, rest);
	return rest;
}

/*
 * Add samples with the chains of row number @number. Returns the sum of their weights, which is at
 * most the row's self weight.
 */
static uint64_t recover_row(struct recover_partial *rp, size_t number)
{
	const struct profile_table *t = &rp->c->profile->table;
	const struct profile_row *row = &t->rows.data[number];
	const struct profile_node *nodes = t->nodes.data;
	uint32_t end = profile_tree_end(t, number);
	bool all_is_self = !rp->has_children || row->children == row->self;
	uint64_t left = row->self;
	bool is_single = true;

	for (uint32_t i = row->tree; i < end; i++)
		is_single &= nodes[i].end == end;
	if (!all_is_self && rp->order == CHAIN_CALLEE && !is_single)
		return 0;
	for (uint32_t i = row->tree; i < end && left; i++) {
		uint64_t rest = recover_rest(nodes, i);

		if (rest == 0 || rp->frames > LIMIT_RECOVER_FRAMES)
			continue;
		left -= recover_chain(rp, row, i, rest, left,
				      all_is_self || rp->order == CHAIN_CALLEE);
	}
	return row->self - left;
}

/*
 * Return the function "[unknown]". Samples get it for the part of a row's weight that the row's
 * tree does not show, if the row has no symbol.
 */
static sym_id recover_unknown(struct capture *c)
{
	return symbols_add(capture_symbols(c), strings_add(&c->dossier->strings, STR("[unknown]")),
			   STR_ID_NONE, SPACE_UNKNOWN);
}

void recover_partly(struct capture *c, struct recover_result *ret)
{
	struct profile *p = c->profile;
	struct recover_partial rp = {
		.c = c,
		.symbols = capture_symbols(c),
		.order = p->table.order == CHAIN_UNKNOWN ? CHAIN_CALLEE : p->table.order,
		.has_children = recover_has_children(&p->table),
	};
	uint64_t self = 0;

	/*
	 * the rows name no function, so they do not show whether a chain starts with the outermost
	 * or the innermost frame: assume caller order, perf's default with --children
	 */
	if (p->table.order == CHAIN_UNKNOWN && rp.has_children &&
	    !(p->table.columns & ROW_HAS_SYMBOL))
		rp.order = CHAIN_CALLER;
	recover_aliases_make(c, &rp.aliases);
	for (size_t i = 0; i < p->table.rows.len; i++) {
		const struct profile_row *row = &p->table.rows.data[i];
		uint64_t chained = 0;

		if (!(row->has & ROW_HAS_SELF) || row->self == 0)
			continue;
		if (row->tree != INDEX_NONE)
			chained = recover_row(&rp, i);
		if (row->self > chained)
			recover_push(c, CHAIN_CALLEE, row->comm, NULL, 0,
				     row->has & ROW_HAS_SYMBOL
					     ? recover_alias(&rp.aliases, row->sym)
					     : recover_unknown(c),
				     row->self - chained);
		rp.chained += chained;
		self += row->self;
	}
	p->recovery = RECOVERY_PARTIAL;
	p->recovered_weight = rp.chained;
	ret->recovery = RECOVERY_PARTIAL;
	ret->stacks = p->samples.n;
	if (p->unit == WEIGHT_PERCENT) {
		struct profile_inclusive in;
		double most;

		ret->recovered_pct = profile_value(p, rp.chained);
		ret->bare_pct = profile_value(p, self - rp.chained);
		most = 100 - profile_value(p, self) +
		       (double)p->table.rows.len * profile_half_width(p);
		if (profile_is_inclusive(p, &in))
			most = in.missing;
		ret->missing_pct = most > 0 ? most : 0;
	} else if (self) {
		ret->recovered_pct = 100 * (double)rp.chained / (double)self;
		ret->bare_pct = 100 - ret->recovered_pct;
	}
	VEC_FREE(&rp.list);
	recover_aliases_fini(&rp.aliases);
}
