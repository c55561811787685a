/* SPDX-License-Identifier: MIT */
/* Find the callers of functions, and the functions that run inside calls of other functions. */
#include "analyses/quality/quality.h"
#include "analyses/roles.h"
#include "base/alloc.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/names/start_names.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/symbols.h"
#include "explain/facts.h"
#include "explain/facts/facts_build.h"

#include <math.h>

#define FACTS_CALLERS_MAX 65536u
#define FACTS_ELSEWHERE   8u /* maximum number of callers from another capture */
/*
 * A function calls nothing if its self share is at least this part of its inclusive share. The
 * limit is below 1, because trees count timer interrupts as callees.
 */
#define FACTS_LEAF_PART 0.9

/*
 * Tests whether symbols match a pattern or a set of roles, and stores the answers. If the profile
 * has p->function_of, the answers are in `found`, by function; otherwise they are in `matches`, by
 * symbol.
 */
struct facts_match {
	const struct profile_facts *p;
	const struct symbols *symbols;
	struct facts_found found;
	uint8_t *matches; /* matches[symbol]: 0: not tested yet; 1: no match; 2: match */
	struct str pattern;
	/*
	 * roles[r] is true: functions with role r match, instead of the pattern; NULL: the pattern
	 * is used
	 */
	const bool *roles;
	bool has_addresses;  /* if `roles` is set: unresolved addresses match, too */
	bool has_all_kernel; /* if `roles` is set: all kernel functions match, too */
	/* if `roles` is set: functions whose names contain a word of this role match, too */
	enum role named;
};

static void facts_match_init(struct facts_match *m, const struct profile_facts *p,
			     const char *pattern)
{
	*m = (struct facts_match){ .p = p, .symbols = capture_symbols(p->capture) };
	m->pattern = str_of(pattern ? pattern : "");
	if (p->function_of)
		facts_find(p, pattern ? pattern : "", &m->found);
	else
		m->matches = xcalloc(m->symbols->rows.len, 1);
}

static void facts_match_init_roles(struct facts_match *m, const struct profile_facts *p,
				   const bool *roles)
{
	*m = (struct facts_match){ .p = p, .symbols = capture_symbols(p->capture), .roles = roles };
	m->matches = xcalloc(m->symbols->rows.len, 1);
}

static void facts_match_fini(struct facts_match *m)
{
	facts_find_fini(&m->found);
	free(m->matches);
}

static bool facts_matches_role(struct facts_match *m, sym_id sym)
{
	const struct symbol *s = symbols_get(m->symbols, sym);

	return m->roles[role_of(m->p->roles, m->symbols, sym)] ||
	       (m->has_addresses && s->flags & SYMBOL_ADDRESS) ||
	       (m->has_all_kernel && s->space == SPACE_KERNEL) ||
	       (m->named && role_of_words(symbols_canonical(m->symbols, sym)) == m->named);
}

static bool facts_matches(struct facts_match *m, sym_id sym)
{
	uint8_t *known;

	if (m->roles) {
		known = &m->matches[sym.v];
		if (*known == 0)
			*known = facts_matches_role(m, sym) ? 2 : 1;
		return *known == 2;
	}
	if (m->p->function_of) {
		uint32_t function = m->p->function_of[sym.v];

		return function && m->found.has[function - 1];
	}
	known = &m->matches[sym.v];
	if (*known == 0)
		*known = m->pattern.len && str_glob(m->pattern, symbols_canonical(m->symbols, sym))
				 ? 2
				 : 1;
	return *known == 2;
}

/* Whether the pattern matches no function of the profile, and therefore no symbol. */
static bool facts_match_is_empty(const struct facts_match *m)
{
	return m->p->function_of && !m->roles && m->found.numbers.len == 0;
}

/*
 * Following the node lists (profile_facts.next_node) of the matching symbols is cheaper than one
 * pass over all nodes if fewer than 1 / FACTS_RARE_PART of the nodes match.
 */
#define FACTS_RARE_PART 8u

/*
 * Whether following the node lists of the matching symbols is cheaper than one pass over all nodes.
 */
static bool facts_match_is_rare(const struct facts_match *m)
{
	const struct profile_facts *p = m->p;
	uint64_t n = 0;

	if (!p->next_node || m->roles)
		return false;
	for (size_t i = 1; i < m->symbols->rows.len; i++) {
		if (p->function_of[i] && m->found.has[p->function_of[i] - 1])
			n += p->nodes_of[i];
	}
	return n * FACTS_RARE_PART < p->n_nodes;
}

/*
 * Iterate over the matching stack nodes. First call: @node and *@sym are 0. Later calls: @node is
 * the last result. Returns 0 after the last node.
 */
static uint32_t facts_match_next(const struct facts_match *m, uint32_t *sym, uint32_t node)
{
	const struct profile_facts *p = m->p;

	if (node && p->next_node[node])
		return p->next_node[node];
	while (++*sym < m->symbols->rows.len) {
		if (p->last_node[*sym] && m->found.has[p->function_of[*sym] - 1])
			return p->last_node[*sym];
	}
	return 0;
}

/* Whether a caller of @node on its stack matches. */
static bool facts_is_inside(struct facts_match *m, uint32_t node)
{
	const struct stacks *stacks = &m->p->capture->profile->stacks;

	while ((node = stacks->parent.data[node]) != 0) {
		if (facts_matches(m, stacks->sym.data[node]))
			return true;
	}
	return false;
}

struct facts_callers {
	struct facts_match of, through;
	/* ignore a frame that is outermost in nearly all samples (facts_is_root()) */
	bool wants_owner;
	/* report the callee that the caller calls directly, instead of the caller */
	bool wants_entry;
	/* in a printed tree, add the whole weight of a match, with all of its callees */
	bool is_whole;
	VEC(struct fact_caller) rows;
	/*
	 * place[symbol]: index of the symbol's row in `rows`, or CALLER_NONE. The array starts with
	 * zeros, so an index is valid only if the row has this symbol.
	 */
	uint32_t *place;
};

#define CALLER_NONE UINT32_MAX /* this symbol is never reported as a caller */

/*
 * Whether @sym is not a real caller: a frame of a broken chain; a user address without a module
 * (from a program that keeps data in the frame pointer); the start of a program or thread.
 */
static bool facts_is_no_caller(const struct symbols *symbols, sym_id sym)
{
	const struct symbol *s = symbols_get(symbols, sym);
	struct str module = symbols_module(symbols, sym);

	if (s->space == SPACE_KERNEL)
		return quality_is_no_code(symbols, sym);
	if (s->flags & SYMBOL_ADDRESS)
		return module.len == 0 || str_eq(module, STR("[unknown]"));
	return start_names_have(symbols_name(symbols, sym), START_BEFORE_MAIN);
}

/* The row of the caller @sym; NULL: none yet. */
static struct fact_caller *facts_caller_find(struct facts_callers *c, sym_id sym)
{
	uint32_t at;

	if (!c->place)
		c->place = xcalloc(c->of.symbols->rows.len, sizeof(*c->place));
	at = c->place[sym.v];
	return at < c->rows.len && c->rows.data[at].sym.v == sym.v ? &c->rows.data[at] : NULL;
}

static void facts_caller_add(struct facts_callers *c, sym_id sym, double pct, uint32_t line)
{
	struct fact_caller *known = facts_caller_find(c, sym);

	if (known) {
		known->pct += pct;
		return;
	}
	if (c->place[sym.v] != CALLER_NONE && facts_is_no_caller(c->of.symbols, sym))
		c->place[sym.v] = CALLER_NONE;
	if (c->place[sym.v] == CALLER_NONE || c->rows.len >= FACTS_CALLERS_MAX)
		return;
	c->place[sym.v] = (uint32_t)c->rows.len;
	*VEC_PUSH(&c->rows) = (struct fact_caller){ sym, pct, line };
}

/* Whether @sym is a user-space function with its own stack frame. Inlined functions have none. */
static bool facts_is_program(const struct facts_callers *c, sym_id sym)
{
	const struct symbol *s = symbols_get(c->of.symbols, sym);

	return (s->space == SPACE_USER || s->space == SPACE_JIT || s->space == SPACE_VDSO) &&
	       !(s->flags & SYMBOL_INLINED);
}

/*
 * Add the weight of the samples whose innermost node is @node to the caller @up, in percent of the
 * profile. @below: the callee of @up on the stack. In some samples, the direct caller of the
 * innermost user function is perhaps missing (samples.no_frame). These samples do not count if @up
 * is the next frame after that function.
 */
static void facts_caller_of_node(struct facts_callers *c, uint32_t node, uint64_t weight,
				 stack_id up, stack_id below)
{
	const struct profile_facts *p = c->of.p;
	const struct stacks *stacks = &p->capture->profile->stacks;
	stack_id inner = { node };

	if (!up.v || symbols_get(c->of.symbols, stacks_sym(stacks, up))->space == SPACE_COMM ||
	    (c->wants_owner && facts_is_root(p, up)))
		return;
	if (p->no_frame && p->no_frame[node]) {
		while (inner.v && !facts_is_program(c, stacks_sym(stacks, inner)))
			inner = stacks_parent(stacks, inner);
		if (inner.v && stacks_parent(stacks, inner).v == up.v)
			weight -= p->no_frame[node];
	}
	if (weight)
		facts_caller_add(c, stacks_sym(stacks, c->wants_entry ? below : up),
				 (double)weight / (double)p->weight * 100, 0);
}

/*
 * With wants_entry: whether the function of node @at only passes on calls (ROLE_TRANSPARENT).
 * Without wants_entry: false.
 */
static bool facts_is_wrapper(const struct facts_callers *c, stack_id at)
{
	const struct profile_facts *p = c->of.p;
	sym_id sym = stacks_sym(&p->capture->profile->stacks, at);

	return c->wants_entry && role_of(p->roles, c->of.symbols, sym) == ROLE_TRANSPARENT;
}

static void facts_callers_of_sample(struct facts_callers *c, uint32_t node)
{
	const struct profile_facts *p = c->of.p;
	const struct stacks *stacks = &p->capture->profile->stacks;
	stack_id at = { node };
	stack_id below = at;

	if (p->self[node] == 0 || !facts_matches(&c->of, stacks_sym(stacks, at)))
		return;
	while (at.v && (facts_matches(&c->of, stacks_sym(stacks, at)) ||
			facts_matches(&c->through, stacks_sym(stacks, at)))) {
		if (!facts_is_wrapper(c, at))
			below = at;
		at = stacks_parent(stacks, at);
	}
	facts_caller_of_node(c, node, p->self[node], at, below);
}

static void facts_callers_of_samples(const struct profile_facts *p, struct facts_callers *c)
{
	const struct stacks *stacks = &p->capture->profile->stacks;

	if (p->weight == 0)
		return;
	if (facts_match_is_rare(&c->of)) {
		for (uint32_t sym = 0, id = 0; (id = facts_match_next(&c->of, &sym, id)) != 0;)
			facts_callers_of_sample(c, id);
		return;
	}
	for (uint32_t id = 1; id < stacks_count(stacks); id++)
		facts_callers_of_sample(c, id);
}

/*
 * Add the weight of samples with the innermost node @node to the caller of the matching node
 * @match. The caller is the first frame outwards that is no helper (c->through).
 */
static void facts_caller_of_match(struct facts_callers *c, uint32_t node, uint64_t weight,
				  uint32_t match)
{
	const struct stacks *stacks = &c->of.p->capture->profile->stacks;
	stack_id at = stacks_parent(stacks, (stack_id){ match });

	while (at.v && facts_matches(&c->through, stacks_sym(stacks, at)))
		at = stacks_parent(stacks, at);
	facts_caller_of_node(c, node, weight, at, at);
}

/*
 * Count each sample for the caller of the outermost match on its stack. One pass suffices,
 * because a caller's node comes before its callees' nodes.
 */
static void facts_callers_of_outermost(const struct profile_facts *p, struct facts_callers *c)
{
	const struct stacks *stacks = &p->capture->profile->stacks;
	uint32_t *outermost;

	if (facts_match_is_rare(&c->of) && !p->no_frame) {
		for (uint32_t sym = 0, id = 0; (id = facts_match_next(&c->of, &sym, id)) != 0;) {
			if (!facts_is_inside(&c->of, id))
				facts_caller_of_match(c, id, p->inclusive[id], id);
		}
		return;
	}
	outermost = xcalloc(stacks_count(stacks), sizeof(*outermost));
	for (uint32_t id = 1; id < stacks_count(stacks); id++) {
		outermost[id] = outermost[stacks->parent.data[id]];
		if (!outermost[id] && facts_matches(&c->of, stacks_sym(stacks, (stack_id){ id })))
			outermost[id] = id;
		if (p->self[id] && outermost[id])
			facts_caller_of_match(c, id, p->self[id], outermost[id]);
	}
	free(outermost);
}

/*
 * Whether node @at of a tree is no real caller, because the unwinder lost its way. Two facts show
 * this together. The path from the top node @first to @at contains an unresolved address. All
 * chains of the subtree at @at end in an address where no code can be, such as 0.
 */
static bool facts_is_lost(const struct facts_callers *c, const struct profile_table *t,
			  uint32_t first, uint32_t at)
{
	bool has_address = false;

	for (uint32_t i = first; i < at; i++)
		has_address |=
			t->nodes.data[i].end > at &&
			symbols_get(c->of.symbols, t->nodes.data[i].sym)->flags & SYMBOL_ADDRESS;
	for (uint32_t i = at; has_address && i < t->nodes.data[at].end; i++) {
		if (t->nodes.data[i].end <= i + 1 &&
		    !quality_is_no_code(c->of.symbols, t->nodes.data[i].sym))
			return false;
	}
	return has_address;
}

/*
 * Add callers from a tree that is printed with the sampled function at the top:
 *
 *     malloc
 *       json_alloc     helper: matches c->through
 *         parse        the caller
 *           main       not counted again
 */
static void facts_callers_of_tree(const struct profile_facts *p, struct facts_callers *c,
				  uint32_t first, uint32_t end)
{
	const struct profile_table *t = &p->capture->profile->table;

	for (uint32_t i = first; i < end;) {
		const struct profile_node *n = &t->nodes.data[i];

		if (facts_matches(&c->of, n->sym) || facts_matches(&c->through, n->sym)) {
			i++;
			continue;
		}
		if (!n->is_other && !facts_is_lost(c, t, first, i))
			facts_caller_add(c, n->sym, profile_value(p->capture->profile, n->weight),
					 n->line);
		i = n->end;
	}
}

/*
 * Whether the trees of the table are printed with the outermost function at the top.
 * (facts_add_trees() decides in the same way.)
 */
static bool facts_is_caller_first(const struct profile_table *t)
{
	return t->order == CHAIN_CALLER || t->order == CHAIN_MIXED ||
	       (t->order == CHAIN_UNKNOWN && t->columns & ROW_HAS_CHILDREN);
}

/*
 * Whether a caller of @node in its tree matches, too. @node is then already counted, as a part of
 * that match.
 */
static bool facts_is_below_match(struct facts_callers *c, const struct profile_table *t,
				 uint32_t node)
{
	for (uint32_t up = t->nodes.data[node].parent; up < node;
	     node = up, up = t->nodes.data[up].parent) {
		if (facts_matches(&c->of, t->nodes.data[up].sym))
			return true;
	}
	return false;
}

/*
 * For a tree with the outermost function at the top: add @pct to the caller of @node. This is the
 * nearest parent that is no helper; if there is none, the function of @row.
 */
static void facts_caller_above(struct facts_callers *c, const struct profile_row *row,
			       uint32_t node, double pct)
{
	const struct profile_table *t = &c->of.p->capture->profile->table;
	uint32_t line = t->nodes.data[node].line;

	for (uint32_t up = t->nodes.data[node].parent; up < node;
	     node = up, up = t->nodes.data[up].parent) {
		if (!facts_matches(&c->through, t->nodes.data[up].sym)) {
			facts_caller_add(c, t->nodes.data[up].sym, pct, line);
			return;
		}
	}
	if (row->has & ROW_HAS_SYMBOL && !facts_matches(&c->of, row->sym) &&
	    !facts_matches(&c->through, row->sym))
		facts_caller_add(c, row->sym, pct, line);
}

/* Weight of @node without its callees. Callees that also match stay included. */
static uint64_t facts_weight_of_match(struct facts_callers *c, const struct profile_table *t,
				      uint32_t node)
{
	uint64_t weight = t->nodes.data[node].weight;

	for (uint32_t i = node + 1; i < t->nodes.data[node].end;) {
		const struct profile_node *n = &t->nodes.data[i];

		if (!n->is_other && facts_matches(&c->of, n->sym)) {
			i++;
			continue;
		}
		weight -= n->weight < weight ? n->weight : weight;
		i = n->end;
	}
	return weight;
}

/* Add the callers of all matches in the tree of @row. */
static void facts_callers_within(struct facts_callers *c, const struct profile_row *row)
{
	const struct profile *p = c->of.p->capture->profile;
	const struct profile_table *t = &p->table;
	uint32_t end = profile_tree_end(t, (size_t)(row - t->rows.data));

	for (uint32_t i = row->tree; i < end; i++) {
		const struct profile_node *n = &t->nodes.data[i];
		uint64_t weight;

		if (n->is_other || !facts_matches(&c->of, n->sym) || facts_is_below_match(c, t, i))
			continue;
		if (!facts_is_caller_first(t)) {
			facts_callers_of_tree(c->of.p, c, i, n->end);
			continue;
		}
		weight = c->is_whole ? n->weight : facts_weight_of_match(c, t, i);
		if (weight)
			facts_caller_above(c, row, i, profile_value(p, weight));
	}
}

/*
 * Add the callers of all matches in the trees of all rows. In a table with a children column,
 * several trees contain the same samples. Each caller therefore gets the largest share that any
 * tree shows.
 */
static void facts_callers_of_trees(struct facts_callers *c)
{
	const struct profile_table *t = &c->of.p->capture->profile->table;
	bool overlaps = t->columns & ROW_HAS_CHILDREN;
	struct facts_callers one = *c;

	one.rows = (typeof(one.rows))VEC_INIT;
	one.place = NULL;
	VEC_FOREACH (row, &t->rows) {
		if (row->tree == INDEX_NONE)
			continue;
		facts_callers_within(&one, row);
		VEC_FOREACH (r, &one.rows) {
			struct fact_caller *known = facts_caller_find(c, r->sym);

			if (!known)
				facts_caller_add(c, r->sym, r->pct, r->line);
			else if (!overlaps)
				known->pct += r->pct;
			else if (r->pct > known->pct)
				*known = *r;
		}
		one.rows.len = 0;
	}
	VEC_FREE(&one.rows);
	free(one.place);
}

/*
 * Whether the function @sym has hardly any callees. Only then is the weight of a printed chain that
 * starts with the function its self cost.
 */
static bool facts_is_leaf(const struct facts_callers *c, sym_id sym)
{
	const struct fact_function *f =
		facts_by_name(c->of.p, symbols_get(c->of.symbols, sym)->canonical);

	return f && f->self >= f->children * FACTS_LEAF_PART;
}

/* Add callers from printed chains that belong to no row. */
static void facts_callers_of_traces(struct facts_callers *c)
{
	const struct profile *p = c->of.p->capture->profile;

	VEC_FOREACH (trace, &p->table.traces) {
		const sym_id *syms = p->table.trace_syms.data + trace->first;
		uint32_t at = 1;

		if (!facts_matches(&c->of, syms[0]) || !facts_is_leaf(c, syms[0]))
			continue;
		while (at < trace->n &&
		       (facts_matches(&c->of, syms[at]) || facts_matches(&c->through, syms[at])))
			at++;
		if (at < trace->n)
			facts_caller_add(c, syms[at], profile_value(p, trace->weight), trace->line);
	}
}

static int facts_compare_callers(const void *a, const void *b)
{
	const struct fact_caller *x = a;
	const struct fact_caller *y = b;

	if (x->pct != y->pct)
		return x->pct < y->pct ? 1 : -1;
	return x->sym.v < y->sym.v ? -1 : x->sym.v > y->sym.v;
}

static size_t facts_callers_finish(struct facts_callers *c, struct fact_caller *ret, size_t max)
{
	size_t n = c->rows.len < max ? c->rows.len : max;

	VEC_SORT(&c->rows, facts_compare_callers);
	if (n)
		memcpy(ret, c->rows.data, n * sizeof(*ret));
	for (size_t i = 0; i < n; i++) {
		const struct fact_function *f =
			ret[i].line
				? NULL
				: facts_by_name(c->of.p,
						symbols_get(c->of.symbols, ret[i].sym)->canonical);

		/*
		 * if the samples were rebuilt from rows, the caller has no printed line of its own:
		 * cite the row of the caller
		 */
		if (f)
			ret[i].line = f->line;
	}
	VEC_FREE(&c->rows);
	free(c->place);
	facts_match_fini(&c->of);
	facts_match_fini(&c->through);
	return n;
}

/*
 * Add the callers from the tree of row @row. If the row has no symbol, the sampled functions are
 * the top nodes of its tree (facts_add_top_frames()).
 */
static void facts_callers_of_row(const struct profile_facts *p, struct facts_callers *c, size_t row)
{
	const struct profile_table *t = &p->capture->profile->table;
	const struct profile_row *r = &t->rows.data[row];
	uint32_t end = r->tree == INDEX_NONE ? 0 : profile_tree_end(t, row);

	if (r->has & ROW_HAS_SYMBOL) {
		if (end && facts_matches(&c->of, r->sym))
			facts_callers_of_tree(p, c, r->tree, end);
		return;
	}
	for (uint32_t i = r->tree; t->order == CHAIN_CALLEE && i < end;) {
		const struct profile_node *n = &t->nodes.data[i];
		if (!n->is_other && facts_matches(&c->of, n->sym))
			facts_callers_of_tree(p, c, i, n->end);
		i = n->end;
	}
}

/* Add callers from the samples; for printed tables, from the trees of the rows that match. */
static void facts_callers_sampled(const struct profile_facts *p, struct facts_callers *c)
{
	const struct profile *profile = p->capture->profile;
	bool is_caller_order = profile->table.order == CHAIN_CALLER;

	if (profile->table.rows.len && !is_caller_order && profile->recovery != RECOVERY_EXACT) {
		for (size_t i = 0; i < profile->table.rows.len; i++)
			facts_callers_of_row(p, c, i);
	} else if (p->self && !facts_match_is_empty(&c->of)) {
		facts_callers_of_samples(p, c);
	}
}

static void facts_callers_of_print(const struct profile_facts *p, struct facts_callers *c)
{
	if (p->capture->profile->table.nodes.len)
		facts_callers_of_trees(c);
	if (c->rows.len == 0)
		facts_callers_of_traces(c);
}

size_t facts_callers(const struct profile_facts *p, const char *pattern, const char *through,
		     struct fact_caller *ret, size_t max)
{
	struct facts_callers c = { .rows = VEC_INIT };

	facts_match_init(&c.of, p, pattern);
	facts_match_init(&c.through, p, through);
	facts_callers_sampled(p, &c);
	return facts_callers_finish(&c, ret, max);
}

size_t facts_callers_printed(const struct profile_facts *p, const char *pattern,
			     const char *through, struct fact_caller *ret, size_t max)
{
	struct facts_callers c = { .rows = VEC_INIT };

	facts_match_init(&c.of, p, pattern);
	facts_match_init(&c.through, p, through);
	facts_callers_of_print(p, &c);
	return facts_callers_finish(&c, ret, max);
}

size_t facts_owners(const struct profile_facts *p, const struct fact_owned *of,
		    struct fact_caller *ret, size_t max)
{
	struct facts_callers c = { .rows = VEC_INIT,
				   .wants_owner = true,
				   .wants_entry = of->wants_entry,
				   .is_whole = of->is_anywhere };
	bool through[ROLE_COUNT];

	for (unsigned int i = 0; i < ROLE_COUNT; i++)
		through[i] = of->is_anywhere && !of->is_asked ? role_is_helper(i) : i != ROLE_NONE;
	if (of->roles)
		facts_match_init_roles(&c.of, p, of->roles);
	else
		facts_match_init(&c.of, p, of->pattern);
	facts_match_init_roles(&c.through, p, through);
	c.through.has_addresses = true;
	c.through.has_all_kernel = of->is_user;
	c.through.named = of->named;
	if (of->is_anywhere && p->self && p->weight && !facts_match_is_empty(&c.of))
		facts_callers_of_outermost(p, &c);
	else if (!of->wants_entry)
		facts_callers_sampled(p, &c);
	else if (facts_has_stacks(p))
		facts_callers_of_samples(p, &c);
	if (c.rows.len == 0 && !of->wants_entry)
		facts_callers_of_print(p, &c);
	return facts_callers_finish(&c, ret, max);
}

/* Number of lines between two captures of one text; 0: they touch or overlap. */
static uint32_t facts_lines_between(const struct capture *a, const struct capture *b)
{
	if (a->first_line > b->first_line)
		return facts_lines_between(b, a);
	return b->first_line > a->last_line ? b->first_line - a->last_line : 0;
}

/*
 * Whether capture @c is a better source of callers for the profile @of than @than. An excerpt of
 * @of is best; otherwise the capture with the fewest lines between it and @of.
 */
static bool facts_is_nearer(const struct facts *f, const struct capture *of,
			    const struct capture *c, const struct capture *than)
{
	bool is_of = c->excerpt_of != INDEX_NONE && f->dossier->captures.data[c->excerpt_of] == of;
	bool was_of = than && than->excerpt_of != INDEX_NONE &&
		      f->dossier->captures.data[than->excerpt_of] == of;

	if (!than || is_of != was_of)
		return !than || is_of;
	return facts_lines_between(of, c) < facts_lines_between(of, than);
}

size_t facts_callers_elsewhere(const struct facts *f, const struct capture *of, const char *pattern,
			       const char *through, struct fact_caller *ret, size_t max,
			       const struct capture **ret_where)
{
	size_t n = 0;

	*ret_where = NULL;
	for (size_t i = 0; i < f->dossier->captures.len && of->first_line; i++) {
		const struct capture *c = f->dossier->captures.data[i];
		struct profile_facts bare = { .capture = c };
		struct fact_caller found[FACTS_ELSEWHERE];
		const struct profile_facts *p;
		size_t k;

		if (c == of || c->path.v != of->path.v || !c->profile || c->profile->is_complete ||
		    !facts_is_nearer(f, of, c, *ret_where))
			continue;
		/* an excerpt has no facts: read its printed trees and chains */
		p = f->profiles[i] ? f->profiles[i] : &bare;
		k = facts_callers(p, pattern, through, found, ARRAY_LEN(found));
		if (k == 0)
			k = facts_callers_printed(p, pattern, through, found, ARRAY_LEN(found));
		if (k == 0)
			continue;
		*ret_where = c;
		n = k < max ? k : max;
		memcpy(ret, found, n * sizeof(*ret));
	}
	return n;
}

bool facts_caller_in_text(const struct facts *f, const struct capture *of, const char *pattern,
			  const char *through, struct fact_caller *ret)
{
	const struct dossier *d = f->dossier;

	VEC_FOREACH (s, &d->stacks) {
		const struct dossier_frame *frames = d->frames.data + s->first;
		uint32_t skipped = 0;
		bool is_caller_first;

		if (d->captures.data[s->capture]->path.v != of->path.v ||
		    !str_glob(str_of(pattern), facts_name(f, frames[0].sym)))
			continue;
		/*
		 * perf report -g caller prints the row of the sampled function, and after it a
		 * chain that ends in this function: read the chain from its end
		 */
		is_caller_first =
			s->n > 2 && str_glob(str_of(pattern), facts_name(f, frames[s->n - 1].sym));
		for (; skipped < s->n; skipped++) {
			const struct dossier_frame *frame =
				&frames[is_caller_first ? s->n - 1 - skipped : skipped];

			if (str_glob(str_of(pattern), facts_name(f, frame->sym)) ||
			    str_glob(str_of(through), facts_name(f, frame->sym)))
				continue;
			*ret = (struct fact_caller){ .sym = frame->sym, .line = frame->line };
			return true;
		}
	}
	return false;
}

size_t facts_callers_anywhere(const struct profile_facts *p, const char *pattern,
			      const char *through, struct fact_caller *ret, size_t max)
{
	struct facts_callers c = { .rows = VEC_INIT };

	facts_match_init(&c.of, p, pattern);
	facts_match_init(&c.through, p, through);
	if (p->self && p->weight && !facts_match_is_empty(&c.of))
		facts_callers_of_outermost(p, &c);
	return facts_callers_finish(&c, ret, max);
}

/*
 * Return an array that is indexed by stack node: 1 if the node or one of its callers matches
 * @pattern. NULL: no node does. Owner: caller, free().
 */
static uint8_t *facts_nodes_under(const struct profile_facts *p, const char *pattern)
{
	const struct stacks *stacks = &p->capture->profile->stacks;
	struct facts_match m;
	uint8_t *under = NULL;

	facts_match_init(&m, p, pattern);
	if (!facts_match_is_empty(&m)) {
		under = xcalloc(stacks_count(stacks), 1);
		for (uint32_t id = 1; id < stacks_count(stacks); id++)
			under[id] = under[stacks->parent.data[id]] ||
				    facts_matches(&m, stacks_sym(stacks, (stack_id){ id }));
	}
	facts_match_fini(&m);
	return under;
}

/* The function of @node; NULL: p->functions does not have it. */
static const struct fact_function *facts_of_node(const struct profile_facts *p, uint32_t node)
{
	sym_id sym = stacks_sym(&p->capture->profile->stacks, (stack_id){ node });

	return facts_by_name(p, symbols_get(capture_symbols(p->capture), sym)->canonical);
}

/* Weight of the samples with a match on the stack. A sample with several matches counts once. */
static uint64_t facts_weight_under(struct facts_match *m)
{
	const struct profile_facts *p = m->p;
	uint64_t hit = 0;

	for (uint32_t sym = 0, id = 0; (id = facts_match_next(m, &sym, id)) != 0;)
		hit += facts_is_inside(m, id) ? 0 : p->inclusive[id];
	return hit;
}

bool facts_has_stacks(const struct profile_facts *p)
{
	const struct profile *profile = p->capture->profile;

	return p->self && (profile->table.rows.len == 0 || profile->recovery == RECOVERY_EXACT);
}

double facts_under(const struct profile_facts *p, const char *pattern)
{
	const struct profile *profile = p->capture->profile;
	struct facts_match m;
	uint8_t *under;
	uint64_t hit = 0;
	bool is_rare;

	if (!facts_has_stacks(p)) {
		struct fact_sum s = facts_sum(p, pattern);

		return s.children;
	}
	if (p->weight == 0)
		return -1;
	facts_match_init(&m, p, pattern);
	is_rare = facts_match_is_rare(&m);
	if (is_rare)
		hit = facts_weight_under(&m);
	facts_match_fini(&m);
	under = is_rare ? NULL : facts_nodes_under(p, pattern);
	for (uint32_t id = 1; under && id < stacks_count(&profile->stacks); id++)
		hit += under[id] ? p->self[id] : 0;
	free(under);
	return (double)hit / (double)p->weight * 100;
}

double facts_of_under(const struct profile_facts *p, const char *of, const char *under)
{
	const struct stacks *stacks = &p->capture->profile->stacks;
	struct facts_match m;
	uint8_t *below;
	uint64_t hit = 0;

	if (!facts_has_stacks(p) || p->weight == 0)
		return -1;
	below = facts_nodes_under(p, under);
	facts_match_init(&m, p, of);
	for (uint32_t id = 1; below && id < stacks_count(stacks); id++) {
		if (below[id] && p->self[id] &&
		    facts_matches(&m, stacks_sym(stacks, (stack_id){ id })))
			hit += p->self[id];
	}
	facts_match_fini(&m);
	free(below);
	return (double)hit / (double)p->weight * 100;
}

void facts_mark_below(const struct profile_facts *p, const char *pattern, double part,
		      uint8_t *marks)
{
	const struct stacks *stacks = &p->capture->profile->stacks;
	uint8_t *under = p->self && p->weight ? facts_nodes_under(p, pattern) : NULL;
	uint64_t *below;

	if (!under)
		return;
	below = xcalloc(p->functions.len + 1, sizeof(*below));
	for (uint32_t id = 1; id < stacks_count(stacks); id++) {
		const struct fact_function *fn =
			under[id] && p->self[id] ? facts_of_node(p, id) : NULL;

		if (fn)
			below[fn->number] += p->self[id];
	}
	VEC_FOREACH (fn, &p->functions) {
		double share = (double)below[fn->number] / (double)p->weight * 100;

		if (share > 0 && share >= fn->self * part)
			marks[fn->number] = 1;
	}
	free(below);
	free(under);
}

/*
 * Whether @f may be reported as a caller of the function @but: it is another function, has callees
 * and one row at most, and has no role.
 */
static bool facts_may_call_any(const struct profile_facts *p, const struct fact_function *f,
			       sym_id but)
{
	const struct symbols *symbols = capture_symbols(p->capture);
	const struct symbol *s = symbols_get(symbols, f->sym);

	/*
	 * if a function has several rows, its inclusive share is unknown, because they may count
	 * the same samples
	 */
	return f->rows <= 1 && f->children <= 100 && f->children > f->self && f->sym.v != but.v &&
	       !(s->flags & SYMBOL_ADDRESS) && s->space != SPACE_COMM &&
	       /* exclude a wrapper that cgo makes for a C function */
	       !str_contains(symbols_name(symbols, f->sym), STR("._Cfunc_")) &&
	       role_of(p->roles, symbols, f->sym) == ROLE_NONE;
}

/* Like facts_may_call_any(), but false for functions in the kernel. */
static bool facts_may_call(const struct profile_facts *p, const struct fact_function *f, sym_id but)
{
	return symbols_get(capture_symbols(p->capture), f->sym)->space != SPACE_KERNEL &&
	       facts_may_call_any(p, f, but);
}

bool facts_caller_bound(const struct profile_facts *p, const struct fact_callee *of, double least,
			struct fact_caller *ret)
{
	const struct fact_function *best = NULL;

	VEC_FOREACH (f, &p->functions) {
		bool may_call = of->is_kernel ? facts_may_call_any(p, f, of->sym)
					      : facts_may_call(p, f, of->sym);

		if (!may_call || (of->is_inclusive && f->children < of->share) ||
		    of->share + f->children - f->self_err - 100 < least)
			continue;
		if (!best || f->children < best->children)
			best = f;
	}
	if (best)
		*ret = (struct fact_caller){ .sym = best->sym,
					     .pct = of->share + best->children - best->self_err -
						    100,
					     .line = best->line };
	return best != NULL;
}

bool facts_caller_equal(const struct profile_facts *p, const struct fact_function *leaf,
			double part, struct fact_caller *ret)
{
	const struct fact_function *found = NULL;

	if (leaf->children > leaf->self * (1 + part))
		return false;
	VEC_FOREACH (f, &p->functions) {
		if (!facts_may_call(p, f, leaf->sym) || f->self > leaf->self * part ||
		    fabs(f->children - leaf->self) > leaf->self * part)
			continue;
		if (found)
			return false;
		found = f;
	}
	if (found)
		*ret = (struct fact_caller){ .sym = found->sym,
					     .pct = leaf->self,
					     .line = found->line };
	return found != NULL;
}
