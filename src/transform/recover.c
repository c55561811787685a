/* SPDX-License-Identifier: MIT */
/*
 * Let L be the list of frames of a sample, in the order in which perf prints it. L appears in the
 * trees of these rows (tools/perf/builtin-report.c, tools/perf/util/callchain.c):
 *
 * - the row of the sampled function (the leaf): all of L;
 * - with --children, the row of every other function in L: the part of L that starts at the
 *   first occurrence of that function.
 *
 * All lists are kept in one prefix tree, in reverse order: the last printed frame is nearest to the
 * root. A part of a list therefore ends at a node on the path from the root to the list's own node.
 * The count that perf printed for a list includes the samples of longer lists of which this list is
 * a part. Therefore lists are processed from long to short, and the samples of each list are
 * subtracted from the counts of its parts. The remaining count of a list is the number of samples
 * with exactly this list.
 */
#include "transform/recover.h"

#include "base/alloc.h"
#include "base/idmap.h"
#include "base/limits.h"
#include "base/stats.h"
#include "base/status.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/symbols.h"
#include "transform/recover_chains.h"
#include "transform/transform.h"

#include <math.h>

/* Trees replace the rows if the trees show at least this fraction of the rows' weight. */
#define RECOVER_TREES_PART 0.9

/*
 * A chain of frames in the tree of a row. `printed`: number of samples that perf printed for the
 * chain, which includes samples with longer stacks. `explained`: number of these samples that were
 * found so far.
 */
struct recover_key {
	uint32_t group;
	stack_id node;
	uint32_t length;
	uint64_t printed;
	uint64_t explained;
	/* number of samples whose stack is exactly this chain; this is x(stack) in recover.h */
	uint64_t sampled;
};

/* The row of a command and a symbol. All numbers are counts of samples. */
struct recover_group {
	str_id comm;
	sym_id sym;
	/*
	 * self and children: converted from the printed percentages; found_self and found_children:
	 * computed again from the samples found
	 */
	uint64_t self;
	uint64_t children;
	uint64_t found_self;
	uint64_t found_children;
	uint32_t rows;
	bool is_wrong;
};

struct recover {
	struct capture *capture;
	struct profile *profile;
	const struct symbols *symbols;
	enum chain_order order;
	bool has_children;
	uint64_t n;
	double half; /* largest rounding error of a printed percentage: 0.005 with two decimals */
	struct recover_aliases aliases;
	/*
	 * all printed frame lists as a prefix tree; the last printed frame is nearest to the root
	 */
	struct stacks lists;
	VEC(struct recover_key) keys;
	struct idmap keys_map;
	VEC(struct recover_group) groups;
	struct idmap groups_map;
	/*
	 * indexed by node of the current row's tree: number of samples whose chain ends at the node
	 */
	VEC(uint64_t) counts;
	/* indexed by symbol: `stamp` of the last frame list that contained the symbol */
	VEC(uint32_t) seen;
	uint32_t stamp;
	uint64_t frames; /* number of frames visited so far, limited to bound the run time */
	struct error *why;
};

static bool recover_fail(struct recover *rc, const char *fmt, ...) PRINTF(2, 3);

static bool recover_fail(struct recover *rc, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(rc->why->msg, sizeof(rc->why->msg), fmt, args);
	va_end(args);
	return false;
}

static bool recover_walk_ok(struct recover *rc, uint64_t frames)
{
	rc->frames += frames;
	if (rc->frames > LIMIT_RECOVER_FRAMES)
		return recover_fail(rc, "the trees are too large to be solved");
	return true;
}

static uint32_t recover_group(struct recover *rc, str_id comm, sym_id sym, bool add)
{
	struct idmap_probe p = idmap_first(&rc->groups_map, hash_u64(comm.v, sym.v));
	struct recover_group *g;

	while (idmap_next(&rc->groups_map, &p)) {
		g = &rc->groups.data[p.id];
		if (g->comm.v == comm.v && g->sym.v == sym.v)
			return p.id;
	}
	if (!add)
		return INDEX_NONE;
	idmap_insert(&rc->groups_map, &p, (uint32_t)rc->groups.len);
	g = VEC_PUSH(&rc->groups);
	memset(g, 0, sizeof(*g));
	g->comm = comm;
	g->sym = sym;
	return (uint32_t)rc->groups.len - 1;
}

/*
 * The entry for the chain that ends at @node of rc->lists, in the row @group. With @add, a missing
 * entry is made. NULL: the chain is not in the tree of this row.
 */
static struct recover_key *recover_key(struct recover *rc, uint32_t group, stack_id node, bool add)
{
	struct idmap_probe p = idmap_first(&rc->keys_map, hash_u64(group, node.v));
	struct recover_key *k;

	while (idmap_next(&rc->keys_map, &p)) {
		k = &rc->keys.data[p.id];
		if (k->group == group && k->node.v == node.v)
			return k;
	}
	if (!add)
		return NULL;
	idmap_insert(&rc->keys_map, &p, (uint32_t)rc->keys.len);
	k = VEC_PUSH(&rc->keys);
	memset(k, 0, sizeof(*k));
	k->group = group;
	k->node = node;
	return k;
}

static bool recover_count(struct recover *rc, uint64_t weight, uint32_t line, uint64_t *ret)
{
	double pct = profile_value(rc->profile, weight);

	if (!stats_count_of(pct, rc->half, rc->n, ret))
		return recover_fail(rc, "%.*f %% in line %u is no count of %llu samples",
				    rc->profile->decimals, pct, line, (unsigned long long)rc->n);
	return true;
}

/* Record that @count samples have the frame list from the root of the row's tree to node @at. */
static bool recover_add_chain(struct recover *rc, uint32_t group, uint32_t at, uint64_t count)
{
	const struct profile_node *nodes = rc->profile->table.nodes.data;
	stack_id node = STACK_ROOT;
	uint32_t length = 0;
	struct recover_key *k;

	for (uint32_t i = at; i != INDEX_NONE; i = nodes[i].parent) {
		if (nodes[i].is_other)
			return recover_fail(rc, "line %u stands for several frames", nodes[i].line);
		node = stacks_push(&rc->lists, node, recover_alias(&rc->aliases, nodes[i].sym));
		length++;
	}
	k = recover_key(rc, group, node, true);
	k->printed += count;
	k->length = length;
	return recover_walk_ok(rc, length);
}

/*
 * For each node of a row's tree, compute the number of samples whose chain ends at the node. Record
 * these chains. @total: number of samples in the tree; @end: index after its last node.
 */
static bool recover_read_tree(struct recover *rc, const struct profile_row *row, uint32_t end,
			      uint32_t group, uint64_t total)
{
	const struct profile_node *nodes = rc->profile->table.nodes.data;
	uint32_t first = row->tree;
	uint64_t top = total;

	rc->counts.len = 0;
	VEC_RESERVE(&rc->counts, end - first);
	for (uint32_t i = first; i < end; i++) {
		uint32_t up = nodes[i].parent;
		uint64_t *from = up == INDEX_NONE ? &top : &rc->counts.data[up - first];
		uint64_t count = up == INDEX_NONE ? total : *from;

		if (nodes[i].is_printed &&
		    !recover_count(rc, nodes[i].weight, nodes[i].line, &count))
			return false;
		rc->counts.data[i - first] = count;
		/*
		 * `count` of the samples in *from, the parent's samples, are in this child. After
		 * all children are read, *from is the number of samples whose chain ends at the
		 * parent
		 */
		if (count > *from)
			return recover_fail(rc, "branches sum up to more than their stem, line %u",
					    nodes[i].line);
		*from -= count;
	}
	if (top)
		return recover_fail(rc, "branches are missing in the tree of line %u", row->line);
	for (uint32_t i = first; i < end; i++) {
		uint64_t left = rc->counts.data[i - first];

		if (left && !recover_add_chain(rc, group, i, left))
			return false;
	}
	return true;
}

/*
 * Convert the percentages of all rows and trees to counts, and record the chains. Returns false if
 * that is not possible.
 */
static bool recover_read_rows(struct recover *rc)
{
	const struct profile_table *t = &rc->profile->table;
	uint64_t sum = 0;

	for (size_t i = 0; i < t->rows.len; i++) {
		const struct profile_row *row = &t->rows.data[i];
		uint64_t self = 0;
		uint64_t children = 0;
		uint32_t group =
			recover_group(rc, row->comm, recover_alias(&rc->aliases, row->sym), true);
		struct recover_group *g = &rc->groups.data[group];

		if (!(row->has & ROW_HAS_SELF) || !(row->has & ROW_HAS_SYMBOL))
			return recover_fail(rc, "line %u has no symbol or no self figure",
					    row->line);
		if (!recover_count(rc, row->self, row->line, &self))
			return false;
		children = self;
		if (rc->has_children && !recover_count(rc, row->children, row->line, &children))
			return false;
		g->self += self;
		g->children += children;
		if (g->rows++)
			return recover_fail(rc, "line %u is a second row of one function",
					    row->line);
		sum += self;
		if (row->tree == INDEX_NONE && children)
			return recover_fail(rc, "line %u has no call tree", row->line);
		if (row->tree != INDEX_NONE &&
		    !recover_read_tree(rc, row, profile_tree_end(t, i), group, children))
			return false;
	}
	if (sum != rc->n)
		return recover_fail(rc, "the rows show %llu of %llu samples",
				    (unsigned long long)sum, (unsigned long long)rc->n);
	return true;
}

static int recover_compare(const void *pa, const void *pb, void *arg)
{
	const struct recover *rc = arg;
	const struct recover_key *a = &rc->keys.data[*(const uint32_t *)pa];
	const struct recover_key *b = &rc->keys.data[*(const uint32_t *)pb];

	if (a->length != b->length)
		return a->length > b->length ? -1 : 1;
	return *(const uint32_t *)pa < *(const uint32_t *)pb ? -1 : 1;
}

/*
 * The sampled function of a printed frame list. In caller order it is the last frame, in mixed
 * order the last kernel frame, otherwise the first frame.
 */
static sym_id recover_leaf(const struct recover *rc, stack_id list)
{
	sym_id leaf = stacks_sym(&rc->lists, list);

	switch (rc->order) {
	case CHAIN_CALLER:
		for (stack_id at = list; at.v; at = stacks_parent(&rc->lists, at))
			leaf = stacks_sym(&rc->lists, at);
		return leaf;
	case CHAIN_MIXED:
		for (stack_id at = list; at.v; at = stacks_parent(&rc->lists, at)) {
			sym_id sym = stacks_sym(&rc->lists, at);

			if (symbols_get(rc->symbols, sym)->space != SPACE_KERNEL)
				break;
			leaf = sym;
		}
		return leaf;
	default:
		return leaf;
	}
}

/*
 * @x samples have the frame list @list: add @x to the counts of every row in whose tree perf prints
 * the list or a part of it.
 */
static bool recover_explain(struct recover *rc, uint32_t group, stack_id list, sym_id leaf,
			    uint64_t x)
{
	str_id comm = rc->groups.data[group].comm;

	rc->stamp++;
	rc->seen.data[leaf.v] = rc->stamp;
	rc->groups.data[group].found_self += x;
	rc->groups.data[group].found_children += x;
	recover_key(rc, group, list, false)->explained += x;
	for (stack_id at = list; rc->has_children && at.v; at = stacks_parent(&rc->lists, at)) {
		sym_id sym = stacks_sym(&rc->lists, at);
		struct recover_key *k;
		uint32_t g;

		if (rc->seen.data[sym.v] == rc->stamp)
			continue;
		rc->seen.data[sym.v] = rc->stamp;
		g = recover_group(rc, comm, sym, false);
		if (g == INDEX_NONE)
			return recover_fail(rc, "there is no row for '%.100s'",
					    symbols_name(rc->symbols, sym).p);
		rc->groups.data[g].found_children += x;
		k = recover_key(rc, g, at, false);
		if (!k)
			return recover_fail(rc, "a stack with '%.100s' is not in its row's tree",
					    symbols_name(rc->symbols, sym).p);
		k->explained += x;
	}
	return true;
}

static bool recover_solve(struct recover *rc)
{
	uint32_t *order = xreallocarray(NULL, rc->keys.len + 1, sizeof(*order));
	size_t n = rc->keys.len;
	bool ok = true;

	for (size_t i = 0; i < n; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, n, sizeof(*order), recover_compare, rc);
	VEC_RESERVE(&rc->seen, rc->symbols->rows.len);
	rc->seen.len = rc->symbols->rows.len;
	if (rc->seen.len)
		memset(rc->seen.data, 0, rc->seen.len * sizeof(uint32_t));
	for (size_t i = 0; ok && i < n; i++) {
		struct recover_key *k = &rc->keys.data[order[i]];
		sym_id leaf = recover_leaf(rc, k->node);

		if (rc->has_children && leaf.v != rc->groups.data[k->group].sym.v)
			continue;
		leaf = rc->groups.data[k->group].sym;
		if (k->explained > k->printed) {
			ok = recover_fail(rc, "longer stacks explain more than '%.100s' has",
					  symbols_name(rc->symbols, leaf).p);
			break;
		}
		k->sampled = k->printed - k->explained;
		if (k->sampled)
			ok = recover_walk_ok(rc, k->length) &&
			     recover_explain(rc, k->group, k->node, leaf, k->sampled);
	}
	free(order);
	return ok;
}

/*
 * Whether the samples found give exactly the printed figures of all rows. Counts the rows checked
 * and the rows that match in @ret.
 */
static bool recover_verify(struct recover *rc, struct recover_result *ret)
{
	VEC_FOREACH (k, &rc->keys) {
		if (k->explained != k->printed)
			rc->groups.data[k->group].is_wrong = true;
	}
	VEC_FOREACH (g, &rc->groups) {
		if (g->found_self != g->self || g->found_children != g->children)
			g->is_wrong = true;
		ret->rows_checked += g->rows;
		if (!g->is_wrong)
			ret->rows_matching += g->rows;
	}
	if (ret->rows_matching != ret->rows_checked)
		return recover_fail(rc, "%llu of %llu rows come out differently",
				    (unsigned long long)(ret->rows_checked - ret->rows_matching),
				    (unsigned long long)ret->rows_checked);
	return true;
}

static void recover_emit(struct recover *rc, struct recover_result *ret)
{
	VEC(sym_id) list = VEC_INIT;

	VEC_FOREACH (k, &rc->keys) {
		const struct recover_group *g = &rc->groups.data[k->group];

		if (k->sampled == 0)
			continue;
		list.len = 0;
		for (stack_id at = k->node; at.v; at = stacks_parent(&rc->lists, at))
			*VEC_PUSH(&list) = stacks_sym(&rc->lists, at);
		ret->stacks++;
		ret->samples += k->sampled;
		recover_push(rc->capture, rc->order, g->comm, list.data, list.len, g->sym,
			     k->sampled);
	}
	VEC_FREE(&list);
}

static void recover_fini(struct recover *rc)
{
	stacks_fini(&rc->lists);
	recover_aliases_fini(&rc->aliases);
	VEC_FREE(&rc->keys);
	idmap_fini(&rc->keys_map);
	VEC_FREE(&rc->groups);
	idmap_fini(&rc->groups_map);
	VEC_FREE(&rc->counts);
	VEC_FREE(&rc->seen);
}

/* Try to find exact samples, assuming that perf printed the frame lists in the order @order. */
static bool recover_try(struct capture *c, enum chain_order order, struct recover_result *ret)
{
	struct recover rc = {
		.capture = c,
		.profile = c->profile,
		.symbols = capture_symbols(c),
		.order = order,
		.has_children = recover_has_children(&c->profile->table),
		.n = c->profile->n_samples,
		.half = profile_half_width(c->profile),
		.why = &ret->why,
	};
	bool ok;

	ret->rows_checked = 0;
	ret->rows_matching = 0;
	stacks_init(&rc.lists);
	recover_aliases_make(c, &rc.aliases);
	ok = recover_read_rows(&rc) && recover_solve(&rc) && recover_verify(&rc, ret);
	if (ok)
		recover_emit(&rc, ret);
	recover_fini(&rc);
	return ok;
}

/*
 * Whether the percentages of @p can be converted to exact counts. If not, @why receives the reason.
 */
static bool recover_may_be_exact(const struct profile *p, struct error *why)
{
	double limit = p->table.limit_pct;
	double one;

	if (p->unit != WEIGHT_PERCENT || !p->has_n_samples || p->n_samples == 0) {
		fail(why, ERR_FORMAT, "the report does not say how many samples it has");
		return false;
	}
	one = 100 / (double)p->n_samples;
	if (p->is_latency) {
		fail(why, ERR_FORMAT, "the shares are of the latency, not of the samples");
		return false;
	}
	if (p->n_samples_err) {
		fail(why, ERR_FORMAT, "the number of samples is rounded: %llu, give or take %llu",
		     (unsigned long long)p->n_samples, (unsigned long long)p->n_samples_err);
		return false;
	}
	if (one <= 2 * profile_half_width(p)) {
		fail(why, ERR_FORMAT, "one sample is %.4f %%, less than the rounding", one);
		return false;
	}
	if (limit > one) {
		fail(why, ERR_FORMAT, "trees below %.2f %% are left out, one sample is %.4f %%",
		     limit, one);
		return false;
	}
	/*
	 * by default, perf hides branches below 0.5 %: a chain whose last frames are hidden would
	 * look like a short stack
	 */
	if (limit < 0 && one < 0.5 && !recover_has_children(&p->table)) {
		fail(why, ERR_FORMAT, "branches below 0.5 %% may be left out");
		return false;
	}
	return true;
}

static void recover_exact(struct capture *c, struct recover_result *ret)
{
	static const enum chain_order guesses[] = { CHAIN_CALLEE, CHAIN_MIXED, CHAIN_CALLER };
	struct profile *p = c->profile;
	struct error first;

	if (!recover_may_be_exact(p, &ret->why))
		return;
	if (p->table.order != CHAIN_UNKNOWN) {
		if (recover_try(c, p->table.order, ret))
			ret->recovery = RECOVERY_EXACT;
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(guesses); i++) {
		if (recover_try(c, guesses[i], ret)) {
			ret->recovery = RECOVERY_EXACT;
			return;
		}
		if (i == 0)
			first = ret->why;
	}
	ret->why = first;
}

void recover_samples(struct capture *c, struct recover_result *ret)
{
	struct profile *p = c->profile;
	uint64_t self = 0;

	memset(ret, 0, sizeof(*ret));
	if (!p || p->table.rows.len == 0 || p->samples.n)
		return;
	VEC_FOREACH (r, &p->table.rows) {
		ret->rows_with_self += (r->has & ROW_HAS_SELF) && r->self;
		ret->rows_with_tree += r->tree != INDEX_NONE;
		self += r->has & ROW_HAS_SELF ? r->self : 0;
	}
	if (self == 0) {
		fail(&ret->why, ERR_FORMAT, "no row has a self figure");
		return;
	}
	recover_exact(c, ret);
	if (ret->recovery == RECOVERY_EXACT) {
		p->recovery = RECOVERY_EXACT;
		p->recovered_weight = ret->samples;
		ret->recovered_pct = 100;
		memset(&ret->why, 0, sizeof(ret->why));
		return;
	}
	recover_partly(c, ret);
}

/*
 * Remove the rows and trees, which samples have replaced. For each symbol, t->tree_lines keeps the
 * input line of the first tree node of the symbol.
 */
static void recover_drop_table(struct profile_table *t)
{
	VEC_FOREACH (n, &t->nodes) {
		while (t->tree_lines.len <= n->sym.v)
			*VEC_PUSH(&t->tree_lines) = 0;
		if (t->tree_lines.data[n->sym.v] == 0)
			t->tree_lines.data[n->sym.v] = n->line;
	}
	t->rows.len = 0;
	t->nodes.len = 0;
}

/*
 * In some reports, such as those of perf report --sort pid, the rows have no symbol, but their
 * trees name functions. Drop such rows if the samples that were made from the trees have nearly all
 * of the rows' weight.
 */
static void recover_take_trees(struct profile *p)
{
	uint64_t self = 0;

	if (p->table.columns & ROW_HAS_SYMBOL || p->recovery != RECOVERY_PARTIAL)
		return;
	VEC_FOREACH (r, &p->table.rows)
		self += r->has & ROW_HAS_SELF ? r->self : 0;
	if ((double)p->recovered_weight >= (double)self * RECOVER_TREES_PART)
		recover_drop_table(&p->table);
}

/*
 * For each symbol, find the heaviest tree that contains the symbol below its root, or the first of
 * several equally heavy trees. Returns an array, indexed by symbol: index of the tree's root node
 * plus 1; 0: there is no such tree.
 */
static uint32_t *recover_containers(const struct profile_table *t, size_t n_symbols)
{
	uint32_t *in = xcalloc(n_symbols, sizeof(*in));
	uint32_t root = 0;

	for (uint32_t i = 0; i < t->nodes.len; i++) {
		const struct profile_node *n = &t->nodes.data[i];

		if (n->parent == INDEX_NONE)
			root = i;
		else if (in[n->sym.v] == 0 ||
			 t->nodes.data[in[n->sym.v] - 1].weight < t->nodes.data[root].weight)
			in[n->sym.v] = root + 1;
	}
	return in;
}

/*
 * Whether another tree shows the samples of the tree whose root is node @at. In reports with
 * --children, each function has a tree with its callees. If the function of @at occurs below the
 * root of another tree, the root is one of its callers, and the other tree shows the same samples.
 * It is considered only if it is heavier than the tree of @at, or as heavy and printed earlier.
 * @in: result of recover_containers().
 */
static bool recover_is_inside(const struct profile_table *t, const uint32_t *in, uint32_t at)
{
	const struct profile_node *root = &t->nodes.data[at];
	uint32_t other = in[root->sym.v] - 1;
	uint64_t weight;

	if (in[root->sym.v] == 0 || other == at)
		return false;
	weight = t->nodes.data[other].weight;
	return weight > root->weight || (weight == root->weight && other < at);
}

/*
 * For each symbol, find the heaviest tree whose root is the symbol, or the first of several equally
 * heavy trees. Trees for which recover_is_inside() is true do not count. Returns an array, indexed
 * by symbol: index of the tree's root node plus 1; 0: there is no such tree.
 */
static uint32_t *recover_roots(const struct profile_table *t, const uint32_t *in, size_t n_symbols)
{
	uint32_t *roots = xcalloc(n_symbols, sizeof(*roots));

	for (uint32_t i = 0; i < t->nodes.len; i++) {
		const struct profile_node *n = &t->nodes.data[i];
		uint32_t *root = &roots[n->sym.v];

		if (n->parent == INDEX_NONE && !recover_is_inside(t, in, i) &&
		    (*root == 0 || t->nodes.data[*root - 1].weight < n->weight))
			*root = i + 1;
	}
	return roots;
}

/*
 * Make samples from the trees. A node that is heavier than all its children together gets a sample
 * with the difference. Skip trees for which recover_is_inside() is true. If the function of a node
 * has a tree of its own, skip the node and all nodes below it: the tree of its own shows the
 * samples of all callers, including these.
 */
static void recover_add_trees(struct capture *c)
{
	struct profile *p = c->profile;
	struct profile_table *t = &p->table;
	CLEANUP(freep) uint32_t *in = recover_containers(t, capture_symbols(c)->rows.len);
	CLEANUP(freep) uint32_t *roots = recover_roots(t, in, capture_symbols(c)->rows.len);
	CLEANUP(freep) uint64_t *left = xcalloc(t->nodes.len, sizeof(*left));
	CLEANUP(freep) stack_id *stack = xcalloc(t->nodes.len, sizeof(*stack));
	CLEANUP(freep) bool *is_elsewhere = xcalloc(t->nodes.len, sizeof(*is_elsewhere));
	bool is_inside = false;
	uint32_t root = 0;

	for (uint32_t i = 0; i < t->nodes.len; i++) {
		const struct profile_node *n = &t->nodes.data[i];
		stack_id up = n->parent == INDEX_NONE ? STACK_ROOT : stack[n->parent];

		if (n->parent == INDEX_NONE) {
			is_inside = recover_is_inside(t, in, i);
			root = i;
		}
		if (is_inside)
			continue;
		is_elsewhere[i] = n->parent != INDEX_NONE &&
				  (is_elsewhere[n->parent] ||
				   (roots[n->sym.v] && t->nodes.data[root].sym.v != n->sym.v));
		if (n->parent != INDEX_NONE)
			left[n->parent] -=
				left[n->parent] > n->weight ? n->weight : left[n->parent];
		if (is_elsewhere[i])
			continue;
		left[i] = n->weight;
		stack[i] = stacks_push(&p->stacks, up, n->sym);
	}
	for (size_t i = 0; i < t->nodes.len; i++) {
		if (left[i] && profile_add_sample(p, stack[i], left[i]) < 0)
			return; /* cannot fail: LIMIT_ROWS is smaller than LIMIT_SAMPLES */
		p->recovered_weight += left[i];
	}
}

/* Whether the trees are of perf's TUI, and some branches are folded: their samples are unknown. */
static bool recover_is_folded(const struct profile_table *t)
{
	VEC_FOREACH (n, &t->nodes) {
		if (n->is_other && t->style == CHAIN_TUI)
			return true;
	}
	return false;
}

/*
 * Make samples from trees, for reports in which no row has a self figure, but each row has a tree
 * in caller order, which shows functions with their callees. Then drop the rows.
 */
static void recover_lost_rows(struct capture *c)
{
	struct profile *p = c->profile;
	struct profile_table *t = &p->table;

	if (t->order != CHAIN_CALLER || t->nodes.len == 0 || p->samples.n || recover_is_folded(t))
		return;
	VEC_FOREACH (r, &t->rows) {
		if (r->tree == INDEX_NONE || (r->has & ROW_HAS_SELF && r->self))
			return;
	}
	recover_add_trees(c);
	p->recovery = RECOVERY_PARTIAL;
	p->is_summed = true;
	if (p->unit == WEIGHT_PERCENT && p->recovered_weight < 100 * profile_scale(p))
		p->left_out = 100 * profile_scale(p) - p->recovered_weight;
	recover_drop_table(t);
}

int recover_step(struct dossier *d, struct transform *t, struct error *err)
{
	(void)err;
	while (t->recovered.len < d->captures.len) {
		struct capture *c = d->captures.data[t->recovered.len];
		struct recover_result *r = VEC_PUSH(&t->recovered);

		*r = (struct recover_result){ .recovery = RECOVERY_NONE };
		if (c->profile && c->profile->table.rows.len)
			recover_samples(c, r);
		if (c->profile && t->takes_trees) {
			recover_take_trees(c->profile);
			recover_lost_rows(c);
		}
	}
	return OK;
}
