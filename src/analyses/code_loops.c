/* SPDX-License-Identifier: MIT */
#include "analyses/code_loops.h"

#include "base/alloc.h"
#include "base/status.h"
#include "base/str.h"
#include "core/ids.h"
#include "core/kinds/code.h"
#include "core/strings.h"

#include <stdlib.h>

/* instructions after which execution does not continue with the next one: x86, AArch64 */
#define LOOPS_NO_NEXT "jmp|jmpq|bnd|notrack|ret|retq|repz|ud2|hlt|b|br"

/*
 * Two nested loops count as one loop, the outer one, under two conditions. The outer loop has at
 * most LOOPS_SAME_SIZE times as many instructions as the inner loop. It has at least
 * LOOPS_SAME_WEIGHT times the weight of the inner loop.
 */
#define LOOPS_SAME_SIZE   2u
#define LOOPS_SAME_WEIGHT 1.25

/* A node is an instruction. Its number counts the instructions of the function from 0. */
struct loops_graph {
	uint32_t n;
	uint32_t *row; /* index in code.rows */
	/* the next node in the listing; INDEX_NONE: execution does not continue there */
	uint32_t *next;
	uint32_t *jump; /* node to which this node jumps; INDEX_NONE: none */
	/* nodes that jump to node i: froms[from_at[i]] to froms[from_at[i + 1] - 1] */
	uint32_t *froms, *from_at;
	/* the arrays from here on are the state of the search in one part (struct loops_part) */
	uint32_t *part; /* number of the part to which the node belongs */
	uint32_t *index, *low;
	uint8_t *on_stack;
	VEC(uint32_t) stack, path;
};

/*
 * A set of nodes in which loops are searched: the whole function, or the nodes of one loop. In a
 * loop, jumps to its entry `cut` are ignored, so that the search finds only its inner loops.
 */
struct loops_part {
	uint32_t from, n; /* its nodes: loops_search.nodes[from] to nodes[from + n - 1] */
	/* entry of the loop that is searched; INDEX_NONE: the part is the whole function */
	uint32_t cut;
	uint32_t number;
	unsigned int depth;
};

struct loops_search {
	struct loops_graph g;
	const struct code *code;
	VEC(uint32_t) nodes;
	VEC(struct loops_part) parts;
	struct code_loops *ret;
};

/* The node at @address; INDEX_NONE: none. Nodes are sorted by address. */
static uint32_t loops_node(const struct loops_search *s, uint64_t address)
{
	uint32_t low = 0, high = s->g.n;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (s->code->rows.data[s->g.row[mid]].address < address)
			low = mid + 1;
		else
			high = mid;
	}
	return low < s->g.n && s->code->rows.data[s->g.row[low]].address == address ? low
										    : INDEX_NONE;
}

/* Fill in `froms`: for each node, the nodes that jump to it. */
static void loops_graph_reverse(struct loops_graph *g)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < g->n; i++) {
		if (g->jump[i] != INDEX_NONE)
			g->from_at[g->jump[i]]++;
	}
	for (uint32_t i = 0; i <= g->n; i++) {
		uint32_t n = g->from_at[i];

		g->from_at[i] = at;
		at += n;
	}
	/*
	 * set from_at[i] to the end of list i, then fill each list from its last entry to its
	 * first: from_at[i] is then the start of list i
	 */
	for (uint32_t i = 0; i + 1 <= g->n; i++)
		g->from_at[i] = g->from_at[i + 1];
	for (uint32_t i = g->n; i-- > 0;) {
		if (g->jump[i] != INDEX_NONE)
			g->froms[--g->from_at[g->jump[i]]] = i;
	}
}

static void loops_graph_make(struct loops_search *s, const struct strings *strings,
			     const struct code_function *f)
{
	struct loops_graph *g = &s->g;
	bool has_jumps = false;

	g->row = xcalloc(f->n + 1, sizeof(*g->row));
	g->next = xcalloc(f->n + 1, sizeof(*g->next));
	g->jump = xcalloc(f->n + 1, sizeof(*g->jump));
	g->froms = xcalloc(f->n + 1, sizeof(*g->froms));
	g->from_at = xcalloc(f->n + 2, sizeof(*g->from_at));
	g->part = xcalloc(f->n + 1, sizeof(*g->part));
	g->index = xcalloc(f->n + 1, sizeof(*g->index));
	g->low = xcalloc(f->n + 1, sizeof(*g->low));
	g->on_stack = xcalloc(f->n + 1, sizeof(*g->on_stack));
	for (uint32_t i = f->first; i < f->first + f->n; i++) {
		const struct code_row *row = &s->code->rows.data[i];

		has_jumps = has_jumps || row->target;
		if (!row->is_source && row->address)
			g->row[g->n++] = i;
	}
	for (uint32_t i = 0; i < g->n; i++) {
		const struct code_row *row = &s->code->rows.data[g->row[i]];
		struct str text = strings_get(strings, row->text);
		struct str mnemonic;

		g->jump[i] = row->target ? loops_node(s, row->target) : INDEX_NONE;
		g->next[i] = i + 1 < g->n && !(str_word(&text, &mnemonic) &&
					       str_glob(STR(LOOPS_NO_NEXT), mnemonic))
				     ? i + 1
				     : INDEX_NONE;
	}
	if (!has_jumps)
		g->n = 0;
	loops_graph_reverse(g);
}

static int loops_compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/*
 * Whether control flow enters part @number at @node: from a node outside the part, or at the start
 * of the function.
 */
static bool loops_is_entry(const struct loops_graph *g, uint32_t node, uint32_t number)
{
	if (node == 0 || (g->next[node - 1] == node && g->part[node - 1] != number))
		return true;
	for (uint32_t i = g->from_at[node]; i < g->from_at[node + 1]; i++) {
		if (g->part[g->froms[i]] != number)
			return true;
	}
	return false;
}

/*
 * The entry of part @number, whose @n nodes are @list: the first node that is reached from outside.
 */
static uint32_t loops_entry(const struct loops_graph *g, const uint32_t *list, uint32_t n,
			    uint32_t number)
{
	for (uint32_t i = 0; i < n; i++) {
		if (loops_is_entry(g, list[i], number))
			return list[i];
	}
	return list[0];
}

/*
 * The nodes on the stack down to @root form a loop: add it, and queue it for the search of inner
 * loops.
 */
static void loops_add(struct loops_search *s, const struct loops_part *part, uint32_t root)
{
	struct loops_graph *g = &s->g;
	struct code_loop loop = { .depth = part->depth, .rows_at = (uint32_t)s->ret->rows.len };
	uint32_t number = (uint32_t)s->parts.len + 1;
	uint32_t from = (uint32_t)s->nodes.len;
	uint32_t node;

	do {
		node = g->stack.data[--g->stack.len];
		g->on_stack[node] = 0;
		*VEC_PUSH(&s->nodes) = node;
	} while (node != root);
	loop.n = (uint32_t)s->nodes.len - from;
	if (loop.n == 1 && (g->jump[root] != root || root == part->cut)) {
		s->nodes.len = from;
		return;
	}
	qsort(s->nodes.data + from, loop.n, sizeof(*s->nodes.data), loops_compare);
	for (uint32_t i = 0; i < loop.n; i++) {
		g->part[s->nodes.data[from + i]] = number;
		*VEC_PUSH(&s->ret->rows) = g->row[s->nodes.data[from + i]];
		loop.self += s->code->rows.data[g->row[s->nodes.data[from + i]]].self;
	}
	loop.first = g->row[s->nodes.data[from]];
	loop.last = g->row[s->nodes.data[from + loop.n - 1]];
	node = loops_entry(g, s->nodes.data + from, loop.n, number);
	loop.entry = g->row[node];
	*VEC_PUSH(&s->ret->loops) = loop;
	*VEC_PUSH(&s->parts) = (struct loops_part){ from, loop.n, node, number, part->depth + 1 };
}

/*
 * A successor of @node within @part: the next node (@k 0) or the target of its jump (@k 1).
 * INDEX_NONE: none.
 */
static uint32_t loops_successor(const struct loops_graph *g, const struct loops_part *part,
				uint32_t node, unsigned int k)
{
	uint32_t to = k ? g->jump[node] : g->next[node];

	return to != INDEX_NONE && to != part->cut && g->part[to] == part->number ? to : INDEX_NONE;
}

/*
 * Tarjan's search from @start, without recursion: g->path is its stack, with two entries per node:
 * the node, and the number of successors already visited.
 */
static void loops_from(struct loops_search *s, const struct loops_part *part, uint32_t start,
		       uint32_t *count)
{
	struct loops_graph *g = &s->g;

	*VEC_PUSH(&g->path) = start;
	*VEC_PUSH(&g->path) = 0;
	while (g->path.len) {
		uint32_t node = g->path.data[g->path.len - 2];
		uint32_t k = g->path.data[g->path.len - 1]++;
		uint32_t to;

		if (k == 0) {
			g->index[node] = g->low[node] = ++*count;
			g->on_stack[node] = 1;
			*VEC_PUSH(&g->stack) = node;
		}
		if (k < 2) {
			to = loops_successor(g, part, node, k);
			if (to != INDEX_NONE && !g->index[to]) {
				*VEC_PUSH(&g->path) = to;
				*VEC_PUSH(&g->path) = 0;
			} else if (to != INDEX_NONE && g->on_stack[to] &&
				   g->index[to] < g->low[node]) {
				g->low[node] = g->index[to];
			}
			continue;
		}
		g->path.len -= 2;
		if (g->path.len) {
			uint32_t from = g->path.data[g->path.len - 2];

			if (g->low[node] < g->low[from])
				g->low[from] = g->low[node];
		}
		if (g->low[node] == g->index[node])
			loops_add(s, part, node);
	}
}

static void loops_search_part(struct loops_search *s, struct loops_part part)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < part.n; i++)
		s->g.index[s->nodes.data[part.from + i]] = 0;
	for (uint32_t i = 0; i < part.n; i++) {
		uint32_t node = s->nodes.data[part.from + i];

		if (!s->g.index[node])
			loops_from(s, &part, node, &count);
	}
}

void code_loops_find(const struct code *code, const struct strings *strings,
		     const struct code_function *f, struct code_loops *ret)
{
	struct loops_search s = { .code = code, .ret = ret };

	*ret = (struct code_loops){ .loops = VEC_INIT };
	loops_graph_make(&s, strings, f);
	for (uint32_t i = 0; i < s.g.n; i++)
		*VEC_PUSH(&s.nodes) = i;
	*VEC_PUSH(&s.parts) = (struct loops_part){ 0, s.g.n, INDEX_NONE, 0, 0 };
	for (size_t i = 0; i < s.parts.len; i++) {
		if (s.parts.data[i].depth < CODE_LOOPS_DEPTH)
			loops_search_part(&s, s.parts.data[i]);
	}
	free(s.g.row);
	free(s.g.next);
	free(s.g.jump);
	free(s.g.froms);
	free(s.g.from_at);
	free(s.g.part);
	free(s.g.index);
	free(s.g.low);
	free(s.g.on_stack);
	VEC_FREE(&s.g.stack);
	VEC_FREE(&s.g.path);
	VEC_FREE(&s.nodes);
	VEC_FREE(&s.parts);
}

void code_loops_fini(struct code_loops *l)
{
	VEC_FREE(&l->loops);
	VEC_FREE(&l->rows);
}

static bool loops_contain(const struct code_loops *l, const struct code_loop *loop, uint32_t row)
{
	for (uint32_t i = 0; i < loop->n; i++) {
		if (l->rows.data[loop->rows_at + i] == row)
			return true;
	}
	return false;
}

const struct code_loop *code_loops_around(const struct code_loops *l, uint32_t row)
{
	const struct code_loop *ret = NULL;

	/* from the last loop to the first: inner loops come before the loops around them */
	for (size_t i = l->loops.len; i-- > 0;) {
		const struct code_loop *loop = &l->loops.data[i];

		if (!loops_contain(l, loop, row))
			continue;
		if (!ret || (loop->depth + 1 == ret->depth && loop->n <= LOOPS_SAME_SIZE * ret->n &&
			     loop->self >= LOOPS_SAME_WEIGHT * ret->self))
			ret = loop;
	}
	return ret;
}
