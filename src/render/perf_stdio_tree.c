/* SPDX-License-Identifier: MIT */
/*
 * Draw call trees like perf. Each level of branches is a column of 11 characters. A line with a bar
 * '|' precedes each branch. On the line of the branch itself, the bar is drawn only if another
 * branch of the same parent follows:
 *
 *     |
 *     |--60.00%--a
 *     |          |
 *     |           --20.00%--b
 *     |
 *      --40.00%--c
 */
#include "render/perf_stdio_tree.h"

#include "analyses/top/tree.h"
#include "base/out.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/symbols.h"

#define STDIO_MARGIN 12

void stdio_tree_fini(struct stdio_tree *t)
{
	VEC_FREE(&t->nodes);
	VEC_FREE(&t->bars);
}

void stdio_tree_printed(struct stdio_tree *t, const struct profile *p, uint32_t first, uint32_t end)
{
	t->nodes.len = 0;
	for (uint32_t i = first; i < end; i++) {
		const struct profile_node *n = &p->table.nodes.data[i];

		*VEC_PUSH(&t->nodes) = (struct stdio_node){
			.sym = n->sym,
			.pct = profile_value(p, n->weight),
			.end = n->end - first,
			.is_branch = n->is_printed,
			.is_other = n->is_other,
		};
	}
}

void stdio_tree_counted(struct stdio_tree *t, const struct tree *from, uint64_t row)
{
	t->nodes.len = 0;
	for (uint32_t i = 0; i < from->nodes.len; i++) {
		const struct tree_node *n = &from->nodes.data[i];
		uint64_t up = n->parent == INDEX_NONE ? row : from->nodes.data[n->parent].weight;

		*VEC_PUSH(&t->nodes) = (struct stdio_node){
			.sym = n->sym,
			.pct = tree_pct(from, n->weight),
			.end = n->end,
			.is_branch = n->weight != up,
			.is_other = n->is_other,
		};
	}
}

static void stdio_bars(const struct stdio_tree *t, struct out *o, uint32_t margin, uint32_t depth)
{
	out_repeat(o, ' ', STDIO_MARGIN + margin);
	for (uint32_t i = 0; i < depth; i++) {
		out_char(o, t->bars.data[i] ? '|' : ' ');
		if (i + 1 < depth)
			out_repeat(o, ' ', 10);
	}
}

static void stdio_name(struct out *o, const struct symbols *symbols, const struct stdio_node *n)
{
	out_str(o, n->is_other ? STR("[...]") : symbols_name(symbols, n->sym));
	if (symbols_get(symbols, n->sym)->flags & SYMBOL_INLINED)
		out_z(o, " (inlined)");
	out_char(o, '\n');
}

static void stdio_set_bar(struct stdio_tree *t, uint32_t depth, bool on)
{
	while (t->bars.len <= depth)
		*VEC_PUSH(&t->bars) = 0;
	t->bars.data[depth] = on;
}

/*
 * Draw the nodes from @first to @end - 1: branches of one parent, and the subtrees of these
 * branches. @depth: number of columns with a bar '|' or a blank, to the left of the branches.
 */
static void stdio_branches(struct stdio_tree *t, struct out *o, const struct symbols *symbols,
			   const char *gap, uint32_t first, uint32_t end, uint32_t margin,
			   uint32_t depth)
{
	uint32_t next;

	for (uint32_t i = first; i < end; i = next) {
		uint32_t k = i + 1;

		next = t->nodes.data[i].end > i ? t->nodes.data[i].end : i + 1;
		stdio_set_bar(t, depth - 1, true);
		stdio_bars(t, o, margin, depth);
		out_z(o, "          \n");
		stdio_set_bar(t, depth - 1, next < end);
		stdio_bars(t, o, margin, depth);
		out_printf(o, "--%.2f%%--%s", t->nodes.data[i].pct, gap);
		stdio_name(o, symbols, &t->nodes.data[i]);
		for (; k < next && !t->nodes.data[k].is_branch; k++) {
			stdio_bars(t, o, margin, depth);
			out_repeat(o, ' ', 10);
			stdio_name(o, symbols, &t->nodes.data[k]);
		}
		stdio_branches(t, o, symbols, gap, k, next, margin, depth + 1);
	}
}

void stdio_tree_draw(struct stdio_tree *t, struct out *o, const struct symbols *symbols,
		     const char *gap)
{
	uint32_t n = (uint32_t)t->nodes.len;
	uint32_t i = 0;
	uint32_t margin = 0;

	if (n == 0)
		return;
	for (; i < n && !t->nodes.data[i].is_branch; i++) {
		out_repeat(o, ' ', STDIO_MARGIN + margin);
		if (i == 0) {
			out_z(o, "|\n");
			out_repeat(o, ' ', STDIO_MARGIN);
			out_z(o, "---");
			margin = 3;
		}
		stdio_name(o, symbols, &t->nodes.data[i]);
	}
	stdio_branches(t, o, symbols, gap, i, n, margin, 1);
	out_char(o, '\n');
}
