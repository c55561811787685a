/* SPDX-License-Identifier: MIT */
#include "formats/perf_text/perf_tree.h"

#include "base/arena.h"
#include "base/idmap.h"
#include "base/limits.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "document/omission.h"
#include "formats/perf_text/perf_chains.h"
#include "formats/perf_text/perf_line.h"
#include "symbols/demangle.h"

/* maximum difference between a share and the sum of its branches, from rounding */
#define TREE_ROUNDING 5u
/* maximum length of a name that is joined from several lines, in bytes */
#define TREE_NAME_BYTES 4096u

static const struct diag_kind tree_too_deep = { "perf-report-tree-too-deep", DIAG_DATALOSS,
						"frames of trees deeper than can be kept" };
static const struct diag_kind tree_no_name = { "perf-report-branch-without-name", DIAG_DATALOSS,
					       "branches of call trees without a name" };
static const struct diag_kind tree_flat_empty = { "perf-report-flat-chain-empty", DIAG_DATALOSS,
						  "percentages of flat chains without frames" };
static const struct diag_kind tree_count = {
	"perf-report-branch-count", DIAG_DATALOSS,
	"branches with a count or period instead of a percentage, which is not kept"
};
static const struct diag_kind tree_too_many = { "perf-report-too-many-nodes", DIAG_DATALOSS,
						"frames past the limit of nodes" };

str_id perf_names_add(struct perf_names *n, struct str name)
{
	uint64_t head = 0;
	uint64_t tail = 0;
	uint64_t hash;
	str_id *slot;
	struct str known;

	if (name.len >= 8) {
		memcpy(&head, name.p, 8);
		memcpy(&tail, name.p + name.len - 8, 8);
	} else if (name.len) {
		memcpy(&head, name.p, name.len);
	}
	if (name.len > 24) {
		uint64_t middle;

		memcpy(&middle, name.p + name.len / 2, 8);
		tail ^= middle * UINT64_C(0x9e3779b97f4a7c15);
	}
	hash = hash_u64(head + name.len, tail);
	slot = &n->slots[hash % PERF_NAMES_SLOTS];
	known = strings_get(n->strings, *slot);
	if (!str_eq(known, name))
		*slot = strings_add(n->strings, name);
	return *slot;
}

str_id perf_names_symbol(struct perf_names *n, struct str name)
{
	struct str inlined = STR(" (inlined)");
	struct arena scratch = { .blocks = NULL };
	struct out o;
	str_id id;

	if (LIKELY(!demangle_is_mangled(name)))
		return perf_names_add(n, name);
	out_init(&o);
	if (str_ends(name, inlined)) {
		out_str(&o, demangle(&scratch, str_sub(name, 0, name.len - inlined.len)));
		out_str(&o, inlined);
	} else {
		out_str(&o, demangle(&scratch, name));
	}
	id = perf_names_add(n, out_view(&o));
	out_fini(&o);
	arena_fini(&scratch);
	return id;
}

void perf_tree_fini(struct perf_tree *t)
{
	VEC_FREE(&t->open);
}

static struct profile_table *tree_table(const struct perf_tree *t)
{
	return &t->capture->profile->table;
}

uint64_t perf_tree_units(struct profile *p, struct perf_percent percent)
{
	static const uint64_t tens[] = { 1,      10,      100,      1000,      10000,
					 100000, 1000000, 10000000, 100000000, 1000000000 };
	uint64_t units = percent.units;

	if (percent.decimals > p->decimals && profile_set_decimals(p, percent.decimals) < 0)
		return units / tens[percent.decimals - p->decimals];
	return units * tens[p->decimals - percent.decimals];
}

/*
 * Append a node with the name @name under the node @parent. False: the limit of nodes is reached.
 * The missing node is then counted in the diagnostics.
 */
static bool tree_node(struct perf_tree *t, uint32_t parent, struct str name,
		      const struct perf_percent *percent)
{
	struct profile_table *table = tree_table(t);
	struct profile_node *node;
	uint64_t weight = percent ? perf_tree_units(t->capture->profile, *percent) : 0;

	if (UNLIKELY(table->nodes.len >= LIMIT_STACK_NODES)) {
		diag_count(&t->capture->diag, &tree_too_many, t->line);
		return false;
	}
	if (UNLIKELY(name.len == 0))
		diag_count(&t->capture->diag, &tree_no_name, t->line);
	node = VEC_PUSH(&table->nodes);
	*node = (struct profile_node){
		.weight = weight,
		.sym = { perf_names_symbol(t->names, name).v },
		.parent = parent,
		.line = t->line,
		.is_printed = percent != NULL,
		.is_other = str_eq(name, STR("[...]")) || str_eq(name, STR("...")),
	};
	if (table->rows.data[t->row].tree == INDEX_NONE)
		table->rows.data[t->row].tree = (uint32_t)table->nodes.len - 1;
	return true;
}

/*
 * If the branches of the last node are folded, add a node "[...]" for them, in a table without self
 * shares. Without it, the weight of the last node would look like self time. Functions with hardly
 * any callees need no such node. @col: column of the next line. If it is further right, the
 * branches are printed.
 */
static void tree_fold(struct perf_tree *t, size_t col)
{
	struct profile_table *table = tree_table(t);
	struct str name;

	if (LIKELY(!t->has_folded))
		return;
	t->has_folded = false;
	name = strings_get(t->names->strings, (str_id){ table->nodes.data[t->folded].sym.v });
	if (col <= t->folded_col && !(table->columns & ROW_HAS_SELF) &&
	    !perf_chains_is_inner(name) && tree_node(t, t->folded, STR("[...]"), NULL))
		table->nodes.data[table->nodes.len - 1].line = table->nodes.data[t->folded].line;
}

static void tree_close(struct perf_tree *t)
{
	tree_fold(t, 0);
	if (t->has_flat)
		diag_count(&t->capture->diag, &tree_flat_empty, t->line);
	t->has_flat = false;
	t->open.len = 0;
}

void perf_tree_start(struct perf_tree *t, uint32_t row)
{
	tree_close(t);
	t->row = row;
}

/*
 * Printed weight of @node. If @node has none, the printed weight of its nearest ancestor that has
 * one.
 */
static uint64_t tree_weight(const struct perf_tree *t, uint32_t node)
{
	const struct profile_table *table = tree_table(t);

	while (!table->nodes.data[node].is_printed && table->nodes.data[node].parent != INDEX_NONE)
		node = table->nodes.data[node].parent;
	return table->nodes.data[node].weight;
}

/*
 * The author removed the next lines, so the open chains may lack branches. To each open chain, add
 * a node "[...]". Its weight is the weight of the chain's last frame minus the weights of the
 * printed branches. Without this node, this weight would look like self time. perf adds such a
 * node, too, if it omits branches.
 */
static void tree_cut(struct perf_tree *t)
{
	struct profile_table *table = tree_table(t);
	uint32_t n = (uint32_t)table->nodes.len;

	for (size_t i = 0; i < t->open.len; i++) {
		uint32_t node = t->open.data[i].node;
		uint64_t left = tree_weight(t, node);

		for (uint32_t k = node + 1; k < n; k++) {
			uint64_t weight = table->nodes.data[k].weight;

			if (table->nodes.data[k].parent == node)
				left -= weight < left ? weight : left;
		}
		if (!left || !tree_node(t, node, STR("[...]"), &(struct perf_percent){ 0 }))
			continue;
		t->open.data[i].cut = (uint32_t)table->nodes.len - 1;
		table->nodes.data[t->open.data[i].cut].weight = left;
	}
}

/*
 * Subtract @weight from the node "[...]" of the chain @up, if it has one. This node has the weight
 * of the branches that the author removed. Called for each branch that is printed after the removed
 * lines. @weight: weight of this branch.
 */
static void tree_less_cut(struct perf_tree *t, struct perf_tree_open *up, uint64_t weight)
{
	struct profile_node *cut;

	if (up->cut == INDEX_NONE)
		return;
	cut = &tree_table(t)->nodes.data[up->cut];
	cut->weight -= weight < cut->weight ? weight : cut->weight;
}

/*
 * Start a chain (a sequence of frames without branches) at screen column @col. @name: its first
 * frame. Open chains that start at @col or to its right are closed.
 */
static void tree_push(struct perf_tree *t, size_t col, struct str name,
		      const struct perf_percent *percent)
{
	struct perf_tree_open *up = NULL;
	uint32_t parent = INDEX_NONE;
	uint32_t depth = 1;

	while (t->open.len && t->open.data[t->open.len - 1].col >= col)
		t->open.len--;
	if (t->open.len) {
		up = &t->open.data[t->open.len - 1];
		parent = up->node;
		depth = up->depth + 1;
	}
	if (depth > LIMIT_STACK_DEPTH) {
		diag_count(&t->capture->diag, &tree_too_deep, t->line);
		return;
	}
	if (!tree_node(t, parent, name, percent))
		return;
	if (up)
		tree_less_cut(t, up,
			      tree_table(t)->nodes.data[tree_table(t)->nodes.len - 1].weight);
	*VEC_PUSH(&t->open) = (struct perf_tree_open){
		.col = (uint32_t)col,
		.node = (uint32_t)tree_table(t)->nodes.len - 1,
		.depth = depth,
		.cut = INDEX_NONE,
		.is_printed = percent != NULL,
	};
}

/*
 * Append the frame @name to the innermost chain that starts to the left of @col. If there is none,
 * start a chain.
 */
static void tree_continue(struct perf_tree *t, size_t col, struct str name)
{
	struct perf_tree_open *top;

	while (t->open.len && t->open.data[t->open.len - 1].col >= col)
		t->open.len--;
	if (t->open.len == 0) {
		tree_push(t, col ? col - 1 : 0, name, NULL);
		return;
	}
	top = &t->open.data[t->open.len - 1];
	if (top->depth >= LIMIT_STACK_DEPTH) {
		diag_count(&t->capture->diag, &tree_too_deep, t->line);
		return;
	}
	if (tree_node(t, top->node, name, NULL)) {
		tree_less_cut(t, top, UINT64_MAX);
		top->node = (uint32_t)tree_table(t)->nodes.len - 1;
		top->depth++;
	}
}

/* Weight of the row that owns the current tree. */
static uint64_t tree_row_weight(const struct perf_tree *t)
{
	const struct profile_row *row = &tree_table(t)->rows.data[t->row];

	return row->has & ROW_HAS_CHILDREN ? row->children : row->self;
}

bool perf_tree_has_room(const struct perf_tree *t, size_t col, struct perf_percent percent)
{
	const struct profile_table *table = tree_table(t);
	uint64_t need = perf_tree_units(t->capture->profile, percent);
	uint32_t first = table->rows.data[t->row].tree;
	uint32_t parent = INDEX_NONE;
	uint64_t whole = 0;
	uint64_t sum = 0;
	size_t n = t->open.len;

	while (n && t->open.data[n - 1].col >= col)
		n--;
	if (first == INDEX_NONE)
		return true;
	if (n) {
		parent = t->open.data[n - 1].node;
		whole = tree_weight(t, parent);
		first = parent + 1;
	}
	if ((n && t->has_folded && parent == t->folded) || (!n && t->style == CHAIN_TUI))
		return false;
	for (uint32_t i = first; i < table->nodes.len; i++) {
		if (table->nodes.data[i].parent == parent)
			sum += table->nodes.data[i].weight;
	}
	whole = whole ? whole : tree_row_weight(t);
	/* shares that already exceed the whole are of the parent, and show no limit */
	return sum > whole + TREE_ROUNDING || sum + need <= whole + TREE_ROUNDING;
}

bool perf_tree_takes(const struct perf_tree *t, size_t col)
{
	if (t->has_flat)
		return true;
	return t->open.len && col > t->open.data[0].col;
}

bool perf_tree_is_open(const struct perf_tree *t)
{
	const struct profile_table *table = tree_table(t);
	struct str name;

	if (t->open.len == 0 || table->nodes.len == 0)
		return false;
	name = strings_get(t->names->strings,
			   (str_id){ table->nodes.data[table->nodes.len - 1].sym.v });
	return name.len == 0 || symbol_name_is_cut(name);
}

bool perf_tree_append(struct perf_tree *t, struct str line)
{
	const struct profile_table *table = tree_table(t);
	struct profile_node *node;
	struct str name;
	struct out joined;

	if (t->open.len == 0 || table->nodes.len == 0)
		return false;
	node = &table->nodes.data[table->nodes.len - 1];
	name = strings_get(t->names->strings, (str_id){ node->sym.v });
	if (name.len + line.len > TREE_NAME_BYTES)
		return false;
	out_init(&joined);
	out_str(&joined, name);
	if (name.len)
		out_char(&joined, ' ');
	out_str(&joined, str_trim(line));
	node->sym.v = strings_add(t->names->strings, out_view(&joined)).v;
	out_fini(&joined);
	return true;
}

void perf_tree_line(struct perf_tree *t, struct str line)
{
	struct perf_percent percent;
	struct str s;
	size_t i = 0;
	size_t col = 0;

	for (; i < line.len; i++, col++) {
		char c = line.p[i];

		if (c == '\t')
			col = (col | 7);
		else if (c != ' ' && c != '|')
			break;
	}
	s = str_skip(line, i);
	if (s.len == 0)
		return; /* a line of bars only separates branches */
	tree_fold(t, 0);
	if (t->has_flat) {
		bool has_weight = t->has_flat;

		t->has_flat = false;
		tree_push(t, col ? col - 1 : 0, str_rtrim(s), has_weight ? &t->flat : NULL);
		return;
	}
	if (omission_is_mark(s)) {
		tree_cut(t);
		return;
	}
	if (s.p[0] != '-' || s.len < 3 || s.p[1] != '-') {
		tree_continue(t, col, str_rtrim(s));
		return;
	}
	if (t->style == CHAIN_NONE)
		t->style = CHAIN_GRAPH;
	if (s.p[2] == '-') {
		tree_push(t, col, str_trim(str_skip(s, 3)), NULL);
		return;
	}
	s = str_skip(s, 2);
	if (!perf_line_percent(&s, &percent) || !str_take(&s, STR("--"))) {
		uint64_t count;

		/*
		 * -g count and -g period print a number instead of the percentage, which stays
		 * unknown
		 */
		if (str_u64(&s, &count) && str_take(&s, STR("--"))) {
			diag_count(&t->capture->diag, &tree_count, t->line);
			tree_push(t, col ? col - 1 : 0, str_trim(s), NULL);
		} else {
			tree_continue(t, col, str_trim(s));
		}
		return;
	}
	tree_push(t, col ? col - 1 : 0, str_trim(s), &percent);
}

/* Add a chain of `perf report -g folded`: "21.63% main;run;work". */
static void tree_folded(struct perf_tree *t, struct str names, const struct perf_percent *percent)
{
	bool is_first = true;

	t->open.len = 0;
	while (names.len) {
		size_t semi = str_find_char(names, ';');
		struct str name = str_trim(str_sub(names, 0, semi));

		if (is_first)
			tree_push(t, 0, name, percent);
		else
			tree_continue(t, 1, name);
		is_first = false;
		names = str_skip(names, semi + 1);
	}
}

/* Add the frame @s of a line of perf's TUI, without its mark. @col: column of the mark. */
static void tree_tui_frame(struct perf_tree *t, size_t col, struct str s)
{
	struct perf_percent percent;
	struct perf_tree_open *top;

	if (t->style == CHAIN_NONE)
		t->style = CHAIN_TUI;
	if (perf_line_percent(&s, &percent)) {
		s = str_trim(s);
		if (str_find_char(s, ';') < s.len && str_find_char(s, ' ') == s.len)
			tree_folded(t, s, &percent);
		else
			tree_push(t, col, s, &percent);
		return;
	}
	s = str_trim(s);
	/*
	 * The line has no percentage. If the innermost open chain has the same column and no
	 * percentage either, the line continues this chain. Otherwise it starts a new chain.
	 */
	while (t->open.len && t->open.data[t->open.len - 1].col > col)
		t->open.len--;
	top = t->open.len ? &t->open.data[t->open.len - 1] : NULL;
	if (top && top->col == col && !top->is_printed)
		tree_continue(t, col + 1, s);
	else
		tree_push(t, col, s, NULL);
}

void perf_tree_tui(struct perf_tree *t, struct str line)
{
	struct str s;
	size_t i = perf_line_indent(line);
	size_t col = 0;
	bool is_folded;

	for (size_t k = 0; k < i; k++)
		col = line.p[k] == '\t' ? (col | 7) + 1 : col + 1;
	s = str_skip(line, i);
	is_folded = s.len > 1 && s.p[0] == '+' && char_is_blank(s.p[1]);
	if (is_folded || (s.len > 1 && s.p[0] == '-' && char_is_blank(s.p[1])))
		s = str_trim(str_skip(s, 1));
	else
		col = col > 2 ? col - 2 : 0;
	tree_fold(t, col);
	tree_tui_frame(t, col, s);
	if (is_folded && t->open.len) {
		t->has_folded = true;
		t->folded = t->open.data[t->open.len - 1].node;
		t->folded_col = (uint32_t)col;
	}
}

void perf_tree_flat(struct perf_tree *t, struct str line)
{
	tree_close(t);
	line = str_trim(line);
	if (perf_line_percent(&line, &t->flat))
		t->has_flat = true;
	if (t->style == CHAIN_NONE)
		t->style = CHAIN_FLAT;
}

void perf_tree_finish(struct perf_tree *t)
{
	tree_close(t);
	tree_table(t)->style = t->style;
	perf_chains_finish(t->capture);
}
