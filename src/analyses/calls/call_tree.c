/* SPDX-License-Identifier: MIT */
#include "analyses/calls/call_tree.h"

#include "analyses/calls/calls_below.h"
#include "analyses/calls/calls_total.h"
#include "base/alloc.h"
#include "base/idmap.h"
#include "base/number.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/symbols.h"

/* Values of tree.at that are no node. They say why a call has no node of its own. */
/* neither the call nor a caller of it matches the option `under` */
#define TREE_OUTSIDE UINT32_MAX
/* the option `only` omits the call and all its callers: its callees become top-level nodes */
#define TREE_TOP (UINT32_MAX - 1)
/* the call is deeper than `levels`, or there are too many nodes: its callees get no nodes either */
#define TREE_CUT (UINT32_MAX - 2)

enum tree_match {
	TREE_NOT_ASKED,
	TREE_NO,
	TREE_YES,
};

struct tree {
	const struct calls *c;
	const struct symbols *symbols;
	const struct call_tree_options *options;
	struct call_tree *out;
	struct idmap map;
	/*
	 * indexed by call: its node. A call that the option `only` omits has the node of its
	 * nearest caller with a node. Calls without a node have TREE_OUTSIDE, TREE_TOP or TREE_CUT
	 */
	uint32_t *at;
	uint32_t last_top;
	/*
	 * indexed by symbol (enum tree_match): `under` says whether the function matches the
	 * pattern options.under. `only` and `expand` say the same for their options
	 */
	uint8_t *under;
	uint8_t *only;
	uint8_t *expand;
	/* line of the input whose calls get a node of their own; 0: `expand` is a pattern */
	uint64_t expand_line;
};

static bool tree_matches(const struct tree *t, uint8_t *asked, struct str pattern, sym_id sym)
{
	if (!pattern.len)
		return true;
	if (asked[sym.v] == TREE_NOT_ASKED)
		asked[sym.v] = calls_matches(t->symbols, sym, pattern) ? TREE_YES : TREE_NO;
	return asked[sym.v] == TREE_YES;
}

/*
 * Whether the option `expand` selects @call: the call then gets a node of its own, not a shared
 * one.
 */
static bool tree_opens(const struct tree *t, uint32_t call)
{
	if (t->expand_line)
		return t->c->line.data[call] == t->expand_line;
	return t->options->expand.len &&
	       tree_matches(t, t->expand, t->options->expand, t->c->sym.data[call]);
}

/* Parse "L118" or "118", a line of the input. 0: @place is no line, but a pattern for functions. */
static uint64_t tree_line(struct str place)
{
	uint64_t line;

	(void)str_take(&place, STR("L"));
	return str_u64(&place, &line) && place.len == 0 ? line : 0;
}

static uint32_t tree_child(struct tree *t, uint32_t parent, uint32_t call)
{
	struct call_tree *out = t->out;
	sym_id sym = t->c->sym.data[call];
	struct idmap_probe p = idmap_first(&t->map, hash_u64(parent, sym.v));
	uint32_t depth = parent == TREE_TOP ? 0 : out->nodes.data[parent].depth + 1u;
	uint32_t above = parent == TREE_TOP ? INDEX_NONE : parent;
	uint32_t node;
	uint32_t *last;

	bool opens = tree_opens(t, call);

	while (!opens && idmap_next(&t->map, &p)) {
		const struct call_node *n = &out->nodes.data[p.id];

		if (n->parent == above && n->sym.v == sym.v)
			return p.id;
	}
	if (out->nodes.len >= CALL_TREE_NODES_MAX || depth >= UINT16_MAX ||
	    (t->options->levels && depth >= t->options->levels))
		return TREE_CUT;
	node = (uint32_t)out->nodes.len;
	if (!opens)
		idmap_insert(&t->map, &p, node);
	*VEC_PUSH(&out->nodes) = (struct call_node){
		.sym = sym,
		.parent = above,
		.first = INDEX_NONE,
		.last = INDEX_NONE,
		.next = INDEX_NONE,
		.line = t->c->line.data[call],
		.depth = (uint16_t)depth,
	};
	last = above == INDEX_NONE ? &t->last_top : &out->nodes.data[above].last;
	if (*last != INDEX_NONE)
		out->nodes.data[*last].next = node;
	else if (above == INDEX_NONE)
		out->first = node;
	else
		out->nodes.data[above].first = node;
	*last = node;
	return node;
}

static void tree_place(struct tree *t, uint32_t call)
{
	const struct calls *c = t->c;
	sym_id sym = c->sym.data[call];
	uint32_t parent = c->parent.data[call];
	uint32_t at = parent != INDEX_NONE    ? t->at[parent]
		      : t->options->under.len ? TREE_OUTSIDE
					      : TREE_TOP;

	if (at == TREE_OUTSIDE && tree_matches(t, t->under, t->options->under, sym))
		at = TREE_TOP;
	if (at != TREE_OUTSIDE && at != TREE_CUT &&
	    tree_matches(t, t->only, t->options->only, sym)) {
		at = tree_child(t, at, call);
	}
	t->out->not_kept += at == TREE_CUT && tree_matches(t, t->only, t->options->only, sym);
	t->at[call] = at;
}

/* Add @call to the sums of its node, if it has one. */
static void tree_count(struct tree *t, const struct calls_below *below, const uint32_t *size,
		       uint32_t call)
{
	const struct calls *c = t->c;
	struct call_node *node;
	uint64_t dur = calls_duration(c, call);
	uint64_t self;
	bool is_overfull;

	if (t->at[call] >= TREE_CUT ||
	    !tree_matches(t, t->only, t->options->only, c->sym.data[call]))
		return;
	node = &t->out->nodes.data[t->at[call]];
	node->calls++;
	(void)calls_self(c, below, call, &self, &is_overfull);
	node->self_ns = number_sum(node->self_ns, self);
	if (!calls_is_timed(c, call))
		return;
	node->timed++;
	node->below += size[call];
	if (t->options->hidden) {
		node->hidden.n += t->options->hidden->n[call];
		node->hidden.var += (double)t->options->hidden->var[call];
	}
	node->total_ns = number_sum(node->total_ns, dur);
	if (dur > node->max_ns)
		node->max_ns = dur;
}

void call_tree_build(const struct capture *capture, const struct call_tree_options *options,
		     struct call_tree *ret)
{
	struct tree t = { .c = capture->calls, .options = options, .out = ret };
	struct calls_below below;
	uint32_t *size;
	size_t n_symbols;

	memset(ret, 0, sizeof(*ret));
	ret->first = t.last_top = INDEX_NONE;
	if (!t.c)
		return;
	t.symbols = capture_symbols(capture);
	n_symbols = t.symbols->rows.len + 1;
	t.under = xcalloc(n_symbols, 1);
	t.only = xcalloc(n_symbols, 1);
	t.expand = xcalloc(n_symbols, 1);
	t.expand_line = tree_line(options->expand);
	t.at = xreallocarray(NULL, t.c->n + 1, sizeof(*t.at));
	for (size_t i = 0; i < t.c->n; i++)
		tree_place(&t, (uint32_t)i);
	size = calls_sizes(t.c);
	calls_below_init(&below, t.c);
	for (size_t i = 0; i < t.c->n; i++)
		tree_count(&t, &below, size, (uint32_t)i);
	calls_below_fini(&below);
	free(size);
	free(t.at);
	free(t.under);
	free(t.only);
	free(t.expand);
	idmap_fini(&t.map);
}

void call_tree_fini(struct call_tree *t)
{
	VEC_FREE(&t->nodes);
}

uint32_t call_tree_next(const struct call_tree *t, uint32_t node)
{
	const struct call_node *nodes = t->nodes.data;

	if (nodes[node].first != INDEX_NONE)
		return nodes[node].first;
	while (node != INDEX_NONE && nodes[node].next == INDEX_NONE)
		node = nodes[node].parent;
	return node == INDEX_NONE ? INDEX_NONE : nodes[node].next;
}
