/* SPDX-License-Identifier: MIT */
#include "formats/perf_text/perf_chains.h"

#include "base/alloc.h"
#include "base/idmap.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/names/start_names.h"
#include "core/profile.h"
#include "core/strings.h"
#include "core/symbols.h"

/*
 * Groups of function names in calling order, outermost first. A function often calls the functions
 * that follow it in its group. NULL ends a group. Functions of different groups have no order.
 * Source: call_order.tsv.
 */
#include "formats/call_order_table.h"

/* maximum number of pairs (a tree node and its parent) whose names are compared */
#define CHAINS_LOOKS 20000u
#define CHAINS_MEMO  8192u /* number of slots of the cache struct chains_memo */
/*
 * minimum self share of a row, in units of the last printed digit: a smaller one could be rounding
 */
#define CHAINS_SELF_UNITS 3u

static const struct diag_kind chains_relative = {
	"perf-report-relative-assumed", DIAG_INFO,
	"tables whose tree percentages were taken as of the parent and made absolute"
};

static const struct diag_kind chains_cut = { "perf-report-decimals-cut", DIAG_INFO,
					     "tables with more decimals than can be kept" };

/* Map from names to the symbols of the table's rows. */
struct chains_names {
	struct idmap map;
	/*
	 * symbol for nodes with the name name[i]. It is the symbol of the table's rows with this
	 * name. If no row has the name, it is UINT32_MAX until a symbol without a module is made.
	 * SYM_ID_NONE: the rows with this name have different symbols
	 */
	VEC(sym_id) sym;
	VEC(str_id) name; /* name of rows or nodes; name[i] belongs to sym[i] */
};

static sym_id *chains_name(struct chains_names *n, str_id name, bool add)
{
	struct idmap_probe probe = idmap_first(&n->map, hash_u64(name.v, 0));

	while (idmap_next(&n->map, &probe)) {
		if (n->name.data[probe.id].v == name.v)
			return &n->sym.data[probe.id];
	}
	if (!add)
		return NULL;
	idmap_insert(&n->map, &probe, (uint32_t)n->sym.len);
	*VEC_PUSH(&n->name) = name;
	*VEC_PUSH(&n->sym) = (sym_id){ UINT32_MAX };
	return &n->sym.data[n->sym.len - 1];
}

static void chains_collect(struct capture *c, struct chains_names *names)
{
	struct symbols *symbols = capture_symbols(c);

	VEC_FOREACH (row, &c->profile->table.rows) {
		sym_id *known;

		if (row->sym.v == 0)
			continue;
		known = chains_name(names, symbols_get(symbols, row->sym)->name, true);
		if (known->v == UINT32_MAX)
			*known = row->sym;
		else if (known->v != row->sym.v)
			*known = SYM_ID_NONE;
	}
}

static sym_id chains_symbol(struct capture *c, struct chains_names *names, str_id name,
			    sym_id row_sym)
{
	struct symbols *symbols = capture_symbols(c);
	struct str text = strings_get(symbols->strings, name);
	struct str inlined = STR(" (inlined)");
	sym_id *known;

	if (row_sym.v && symbols_get(symbols, row_sym)->name.v == name.v)
		return row_sym;
	known = chains_name(names, name, true);
	if (known->v == UINT32_MAX) {
		if (str_ends(text, inlined))
			*known = symbols_add_text(symbols, str_sub(text, 0, text.len - inlined.len),
						  STR(""), SPACE_UNKNOWN, SYMBOL_INLINED);
		else
			*known = symbols_add(symbols, name, STR_ID_NONE, SPACE_UNKNOWN);
	} else if (known->v == 0) {
		return symbols_add(symbols, name, STR_ID_NONE, SPACE_UNKNOWN);
	}
	return *known;
}

static uint64_t chains_row_weight(const struct profile_row *row)
{
	return row->has & ROW_HAS_CHILDREN ? row->children : row->self;
}

struct chains_votes {
	uint64_t relative;
	uint64_t absolute;
};

/*
 * Count a vote on the meaning of the branches' percentages: shares of the total (absolute), or
 * shares of the parent branch (relative). Shares of the total cannot add up to more than their
 * parent's share, so a larger sum is a vote for relative. A small excess is no vote, because perf
 * top prints decayed counts of different age.
 *
 * @whole: percentage of the parent; @sum: sum of the percentages of its @n branches. Both are
 * integers in units of 1 / @scale percent.
 */
static void chains_vote(struct chains_votes *v, uint64_t whole, uint64_t sum, uint64_t n,
			uint64_t scale)
{
	if (sum == 0)
		return;
	if (sum > whole + whole / 4 + n + scale / 20)
		v->relative++;
	else if (whole < 90 * scale && sum <= whole + whole / 50 + n)
		v->absolute++;
}

/*
 * Add the votes of the tree of @row (chains_vote()). The tree's nodes have the indices @first to
 * @end - 1. @sums: scratch space for two values per node.
 */
static void chains_judge(const struct profile_table *t, const struct profile_row *row,
			 uint32_t first, uint32_t end, uint64_t *sums, uint64_t scale,
			 struct chains_votes *v)
{
	uint64_t top = 0;
	uint64_t n = 0;

	for (uint32_t i = first; i < end; i++) {
		const struct profile_node *node = &t->nodes.data[i];
		uint32_t up = node->parent;

		sums[2 * (i - first)] = 0;
		/*
		 * the second value is the nearest node with a printed percentage, on the path from
		 * this node to the root
		 */
		sums[2 * (i - first) + 1] = node->is_printed   ? i
					    : up == INDEX_NONE ? INDEX_NONE
							       : sums[2 * (up - first) + 1];
		if (!node->is_printed)
			continue;
		up = up == INDEX_NONE ? INDEX_NONE : (uint32_t)sums[2 * (up - first) + 1];
		if (up == INDEX_NONE) {
			top += node->weight;
			n++;
		} else {
			sums[2 * (up - first)] += node->weight;
		}
	}
	if (chains_row_weight(row))
		chains_vote(v, chains_row_weight(row), top, n, scale);
	for (uint32_t i = first; i < end; i++) {
		if (t->nodes.data[i].is_printed)
			chains_vote(v, t->nodes.data[i].weight, sums[2 * (i - first)], 4, scale);
	}
}

static bool chains_is_relative(const struct profile *p)
{
	const struct profile_table *t = &p->table;
	struct chains_votes v = { 0, 0 };
	VEC(uint64_t) sums = VEC_INIT;
	uint32_t end = (uint32_t)t->nodes.len;

	for (size_t i = t->rows.len; i-- > 0;) {
		const struct profile_row *row = &t->rows.data[i];

		if (row->tree == INDEX_NONE)
			continue;
		VEC_RESERVE(&sums, 2 * (size_t)(end - row->tree));
		chains_judge(t, row, row->tree, end, sums.data, profile_scale(p), &v);
		end = row->tree;
	}
	VEC_FREE(&sums);
	return v.relative > v.absolute;
}

static void chains_weights(struct profile *p, struct profile_row *row, uint32_t end)
{
	struct profile_table *t = &p->table;
	uint64_t whole = chains_row_weight(row);

	for (uint32_t i = row->tree; i < end; i++) {
		struct profile_node *n = &t->nodes.data[i];
		uint64_t up = n->parent == INDEX_NONE ? whole : t->nodes.data[n->parent].weight;

		if (!n->is_printed)
			n->weight = up;
		else if (t->is_relative_assumed && whole)
			n->weight =
				(uint64_t)((__uint128_t)up * n->weight / (100 * profile_scale(p)));
		n->end = i + 1;
	}
	for (uint32_t i = end; i-- > row->tree;) {
		uint32_t up = t->nodes.data[i].parent;

		if (up != INDEX_NONE && t->nodes.data[up].end < t->nodes.data[i].end)
			t->nodes.data[up].end = t->nodes.data[i].end;
	}
}

typedef unsigned __int128 chains_mask;

_Static_assert(ARRAY_LEN(chains_kernel) <= 128 && ARRAY_LEN(chains_user) <= 128,
	       "a bit for each entry of the lists");

/*
 * The patterns in the lists of call_order.tsv that a function's name matches. Bit i of `kernel` is
 * set if the name matches entry i of chains_kernel, the list of kernel functions. Bit i of `user`
 * is for entry i of chains_user, the list of user functions.
 */
struct chains_ranks {
	chains_mask kernel;
	chains_mask user;
	bool is_inner;
	bool is_start; /* main, or start-up code that calls main or the function of a thread */
};

static chains_mask chains_ranks_in(const char *const *list, size_t n, struct str name)
{
	chains_mask ranks = 0;

	for (size_t i = 0; i < n; i++) {
		if (list[i] && str_glob(str_of(list[i]), name))
			ranks |= (chains_mask)1 << i;
	}
	return ranks;
}

bool perf_chains_is_inner(struct str name)
{
	struct str inlined = STR(" (inlined)");

	if (str_ends(name, inlined))
		name.len -= inlined.len;
	return chains_ranks_in(chains_inner, ARRAY_LEN(chains_inner), name) != 0;
}

static struct chains_ranks chains_ranks_of(struct str name)
{
	return (struct chains_ranks){
		.kernel = chains_ranks_in(chains_kernel, ARRAY_LEN(chains_kernel), name),
		.user = chains_ranks_in(chains_user, ARRAY_LEN(chains_user), name),
		.is_inner = perf_chains_is_inner(name),
		.is_start = start_names_have(name, START_BEFORE_MAIN | START_BIT(START_ROLE_MAIN)),
	};
}

/* Index of the lowest bit that is set in @mask. @mask must not be 0. */
static unsigned int chains_lowest(chains_mask mask)
{
	uint64_t low = (uint64_t)mask;

	return low ? (unsigned int)__builtin_ctzll(low)
		   : 64 + (unsigned int)__builtin_ctzll((uint64_t)(mask >> 64));
}

/*
 * Infer which of two functions calls the other. 1: the first calls the second; -1: the second calls
 * the first; 0: unknown.
 *
 * @first, @second: bits of the entries in @list (call_order.tsv) that the functions' names match.
 * Each group of @list is in calling order. So the function that matches an earlier entry of a group
 * is the caller. If both match the same entry first, the next group is tried.
 */
static int chains_direction_in(const char *const *list, size_t n, chains_mask first,
			       chains_mask second)
{
	size_t start = 0;

	if (!first || !second)
		return 0;
	for (size_t i = 0; i < n; i++) {
		chains_mask group = ((chains_mask)1 << i) - ((chains_mask)1 << start);
		unsigned int a;
		unsigned int b;

		if (list[i])
			continue;
		start = i + 1;
		if (!(first & group) || !(second & group))
			continue;
		a = chains_lowest(first & group);
		b = chains_lowest(second & group);
		if (a != b)
			return a < b ? 1 : -1;
	}
	return 0;
}

static int chains_direction(const struct chains_ranks *first, const struct chains_ranks *second,
			    bool *ret_kernel)
{
	int r = chains_direction_in(chains_kernel, ARRAY_LEN(chains_kernel), first->kernel,
				    second->kernel);

	*ret_kernel = r != 0;
	if (r == 0)
		r = chains_direction_in(chains_user, ARRAY_LEN(chains_user), first->user,
					second->user);
	return r;
}

/*
 * Cache from symbols to the list entries that their names match. Names repeat, and comparing a name
 * with 120 patterns takes a microsecond.
 */
struct chains_memo {
	const struct symbols *symbols;
	struct chains_known *slots;
	size_t mask;
};

struct chains_known {
	struct chains_ranks ranks;
	sym_id sym;
	bool is_known;
};

static struct chains_ranks chains_memo_get(struct chains_memo *m, sym_id sym)
{
	struct chains_known *k = &m->slots[sym.v & m->mask];

	if (!k->is_known || k->sym.v != sym.v)
		*k = (struct chains_known){ chains_ranks_of(symbols_name(m->symbols, sym)), sym,
					    true };
	return k->ranks;
}

struct chains_order {
	/*
	 * Numbers of tree nodes. The fields *_caller count nodes that are called by their parent,
	 * as in a tree that starts at the outermost caller. The fields *_callee count nodes that
	 * call their parent. kernel_* and user_* use the lists of kernel and user functions.
	 * inner_* use chains_inner, the list of functions with hardly any callees.
	 */
	uint32_t kernel_caller;
	uint32_t kernel_callee;
	uint32_t user_caller;
	uint32_t user_callee;
	uint32_t inner_caller;
	uint32_t inner_callee;
	/*
	 * starts_*: main, or the start of a thread, calls a function of the program. Only in tables
	 * without self shares, whose rows give no evidence
	 */
	uint32_t starts_caller;
	uint32_t starts_callee;
	/*
	 * Numbers of rows without a Children percentage. sampled_first: the row's tree starts with
	 * the row's own symbol; sampled_not_first: it starts with another symbol
	 */
	uint32_t sampled_first;
	uint32_t sampled_not_first;
	/*
	 * Numbers of rows with Children and Self whose tree starts with the row's own symbol.
	 * self_apart: the start has the share Children - Self; self_inside: it has the share
	 * Children
	 */
	uint32_t self_apart;
	uint32_t self_inside;
};

/*
 * Count in @o whether the own samples of @row are in the branch that starts with its symbol. In
 * callee order each chain of a row starts with its symbol. In caller order the chains of its own
 * samples are whole: they start with the outermost caller (tools/perf/builtin-report.c,
 * hist_iter__report_callback). The branch of the symbol then has Children - Self.
 */
static void chains_count_self(const struct capture *c, const struct profile_row *row, uint32_t end,
			      struct chains_order *o)
{
	const struct profile_table *t = &c->profile->table;
	const struct symbols *symbols = capture_symbols(c);
	struct str name = symbols_canonical(symbols, row->sym);
	uint64_t one = 1;

	for (unsigned int i = c->profile->printed_decimals; i < c->profile->decimals; i++)
		one *= 10;
	if (!(row->has & ROW_HAS_CHILDREN) || !(row->has & ROW_HAS_SELF) ||
	    row->self < CHAINS_SELF_UNITS * one || row->self > row->children)
		return;
	for (uint32_t i = row->tree; i < end; i = t->nodes.data[i].end) {
		const struct profile_node *n = &t->nodes.data[i];

		if (!n->is_printed || !str_eq(symbols_canonical(symbols, n->sym), name))
			continue;
		o->self_apart += n->weight + row->self + one >= row->children &&
				 n->weight + row->self <= row->children + one;
		o->self_inside +=
			n->weight + one >= row->children && n->weight <= row->children + one;
	}
}

static void chains_look(const struct capture *c, struct chains_order *o)
{
	const struct profile_table *t = &c->profile->table;
	const struct symbols *symbols = capture_symbols(c);
	struct chains_memo memo = { .symbols = symbols, .mask = 63 };
	bool is_cut = !(t->columns & ROW_HAS_SELF);
	size_t looks = 0;

	for (size_t i = 0; i < t->rows.len; i++) {
		const struct profile_row *row = &t->rows.data[i];

		if (row->tree == INDEX_NONE || row->sym.v == 0)
			continue;
		if (!t->is_relative_assumed)
			chains_count_self(c, row, profile_tree_end(t, i), o);
		if (row->has & ROW_HAS_CHILDREN)
			continue;
		if (str_eq(symbols_canonical(symbols, t->nodes.data[row->tree].sym),
			   symbols_canonical(symbols, row->sym)))
			o->sampled_first++;
		else
			o->sampled_not_first++;
	}
	while (memo.mask < t->nodes.len && memo.mask < CHAINS_MEMO - 1)
		memo.mask = memo.mask * 2 + 1;
	memo.slots = xcalloc(memo.mask + 1, sizeof(*memo.slots));
	/* CHAINS_LOOKS pairs are enough, because names repeat */
	for (size_t i = 1; i < t->nodes.len && looks < CHAINS_LOOKS; i++) {
		const struct profile_node *n = &t->nodes.data[i];
		struct chains_ranks up;
		struct chains_ranks down;
		bool is_kernel;
		int r;

		if (n->parent == INDEX_NONE || n->is_other)
			continue;
		looks++;
		up = chains_memo_get(&memo, t->nodes.data[n->parent].sym);
		down = chains_memo_get(&memo, n->sym);
		r = chains_direction(&up, &down, &is_kernel);
		o->kernel_caller += r > 0 && is_kernel;
		o->kernel_callee += r < 0 && is_kernel;
		o->user_caller += r > 0 && !is_kernel;
		o->user_callee += r < 0 && !is_kernel;
		if (r)
			continue;
		/*
		 * the lists give no answer: a function with hardly any callees (chains_inner) must
		 * be the callee
		 */
		o->starts_caller += is_cut && up.is_start && !down.is_start;
		o->starts_callee += is_cut && down.is_start && !up.is_start;
		o->inner_caller += down.is_inner && !up.is_inner;
		o->inner_callee += up.is_inner && !down.is_inner;
	}
	free(memo.slots);
}

static enum chain_order chains_decide(const struct chains_order *o)
{
	uint32_t caller = o->kernel_caller + o->user_caller;
	uint32_t callee = o->kernel_callee + o->user_callee;

	if (o->kernel_caller > 2 * o->kernel_callee && o->user_callee > 2 * o->user_caller)
		return CHAIN_MIXED;
	if (caller > 2 * callee)
		return CHAIN_CALLER;
	if (callee > 2 * caller)
		return CHAIN_CALLEE;
	if (caller == 0 && callee == 0 && o->starts_caller > 2 * o->starts_callee)
		return CHAIN_CALLER;
	if (caller == 0 && callee == 0 && o->starts_callee > 2 * o->starts_caller)
		return CHAIN_CALLEE;
	if (caller == 0 && callee == 0 && o->self_apart > 2 * o->self_inside)
		return CHAIN_CALLER;
	if (caller == 0 && callee == 0 && o->self_inside > 2 * o->self_apart)
		return CHAIN_CALLEE;
	if (caller == 0 && callee == 0 && o->inner_caller > 2 * o->inner_callee)
		return CHAIN_CALLER;
	if (caller == 0 && callee == 0 && o->inner_callee > 2 * o->inner_caller)
		return CHAIN_CALLEE;
	if (o->sampled_first > 2 * o->sampled_not_first)
		return CHAIN_CALLEE;
	return CHAIN_UNKNOWN;
}

void perf_chains_finish(struct capture *c)
{
	struct profile *p = c->profile;
	struct profile_table *t = &p->table;
	struct chains_names names = { 0 };
	struct chains_order order = { 0 };
	uint64_t least = UINT64_MAX;

	if (t->nodes.len == 0)
		return;
	t->is_relative_assumed = chains_is_relative(p);
	if (t->is_relative_assumed) {
		diag_count(&c->diag, &chains_relative, 0);
		if (t->style == CHAIN_GRAPH)
			t->style = CHAIN_FRACTAL;
		/*
		 * a share of a share needs more decimals than are printed: 12.5% of 50.5% is
		 * 6.3125%
		 */
		if (profile_set_decimals(p, p->decimals + 2u) < 0)
			diag_count(&c->diag, &chains_cut, 0);
	}
	chains_collect(c, &names);
	for (size_t i = 0; i < t->rows.len; i++) {
		struct profile_row *row = &t->rows.data[i];
		uint32_t end;

		if (row->tree == INDEX_NONE)
			continue;
		end = profile_tree_end(t, i);
		chains_weights(p, row, end);
		for (uint32_t n = row->tree; n < end; n++)
			t->nodes.data[n].sym = chains_symbol(
				c, &names, (str_id){ t->nodes.data[n].sym.v }, row->sym);
		if (chains_row_weight(row) < least)
			least = chains_row_weight(row);
	}
	if (least != UINT64_MAX)
		t->limit_pct = profile_value(p, least);
	idmap_fini(&names.map);
	VEC_FREE(&names.sym);
	VEC_FREE(&names.name);
	chains_look(c, &order);
	t->order = chains_decide(&order);
}
