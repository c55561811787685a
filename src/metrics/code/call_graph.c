/* SPDX-License-Identifier: MIT */
/*
 * call_graph.c - callers, callees, reachability, distance from entries, recursion
 *
 * Functions that call each other in a cycle form a strongly connected component. Components are
 * found by Tarjan's algorithm (SIAM J. Computing 1, 1972), without recursion in this code. A bit
 * set per component has one bit for each function that the component can reach. So a function
 * counts once, even if several paths lead to it. To limit memory, bit sets are computed for one
 * block of functions at a time.
 */
#include "metrics/risk.h"

#include "base/alloc.h"
#include "base/vec.h"

#include <math.h>

#define GRAPH_BLOCK 4096u /* number of functions per block */
#define GRAPH_WORDS (GRAPH_BLOCK / 64u)

struct graph {
	struct risk_tree *t;
	uint32_t n;
	/*
	 * component[function]: number of the function's component; its callees are in the same
	 * component or in a component with a smaller number
	 */
	uint32_t *component;
	uint32_t *low;
	uint32_t *index;
	uint32_t n_components;
	uint32_t *members; /* indices of all functions, sorted by component */
	/*
	 * members_from[component]: index in `members` of the component's first function; the last
	 * element is the length of `members`
	 */
	uint32_t *members_from;
};

struct graph_frame {
	uint32_t node;
	uint32_t next;
};

static void graph_close(struct graph *g, uint32_t root, uint32_t *stack, size_t *depth)
{
	uint32_t node;

	do {
		node = stack[--*depth];
		g->component[node] = g->n_components;
	} while (node != root);
	g->n_components++;
}

static void graph_components(struct graph *g)
{
	VEC(struct graph_frame) path = VEC_INIT;
	uint32_t *stack = xcalloc(g->n + 1, sizeof(*stack));
	size_t depth = 0;
	uint32_t next = 1;

	for (uint32_t root = 0; root < g->n; root++) {
		if (g->index[root])
			continue;
		*VEC_PUSH(&path) = (struct graph_frame){ root, 0 };
		while (path.len) {
			struct graph_frame *top = &path.data[path.len - 1];
			const struct risk_function *f = &g->t->functions.data[top->node];
			uint32_t node = top->node;

			if (top->next == 0) {
				g->index[node] = g->low[node] = next++;
				stack[depth++] = node;
			}
			if (top->next < f->n_calls) {
				uint32_t to = g->t->calls.data[f->calls + top->next++];

				if (!g->index[to])
					*VEC_PUSH(&path) = (struct graph_frame){ to, 0 };
				else if (g->component[to] == UINT32_MAX &&
					 g->index[to] < g->low[node])
					g->low[node] = g->index[to];
				continue;
			}
			if (f->n_calls == 0)
				top->next = 1;
			if (g->low[node] == g->index[node])
				graph_close(g, node, stack, &depth);
			path.len--;
			if (path.len && g->low[node] < g->low[path.data[path.len - 1].node])
				g->low[path.data[path.len - 1].node] = g->low[node];
		}
	}
	VEC_FREE(&path);
	free(stack);
}

static void graph_members(struct graph *g)
{
	g->members = xcalloc(g->n + 1, sizeof(*g->members));
	g->members_from = xcalloc(g->n_components + 2, sizeof(*g->members_from));
	for (uint32_t i = 0; i < g->n; i++)
		g->members_from[g->component[i] + 2]++;
	for (uint32_t c = 0; c < g->n_components; c++)
		g->members_from[c + 2] += g->members_from[c + 1];
	for (uint32_t i = 0; i < g->n; i++)
		g->members[g->members_from[g->component[i] + 1]++] = i;
}

/*
 * Compute @bits: for each component, the functions in [block, block + GRAPH_BLOCK) that it can
 * reach, including its own functions. Then add to the metrics RM_REACH (functions that a function
 * reaches) and RM_REACHED_BY (functions that reach it).
 */
static void graph_reach_block(struct graph *g, uint32_t block, uint64_t *bits)
{
	uint32_t end = block + GRAPH_BLOCK < g->n ? block + GRAPH_BLOCK : g->n;
	struct risk_function *functions = g->t->functions.data;

	memset(bits, 0, (size_t)g->n_components * GRAPH_WORDS * sizeof(*bits));
	for (uint32_t i = block; i < end; i++)
		bits[(size_t)g->component[i] * GRAPH_WORDS + (i - block) / 64] |=
			UINT64_C(1) << ((i - block) % 64);
	for (uint32_t c = 0; c < g->n_components; c++) {
		uint64_t *mine = bits + (size_t)c * GRAPH_WORDS;
		uint64_t reached = 0;

		for (uint32_t k = g->members_from[c]; k < g->members_from[c + 1]; k++) {
			const struct risk_function *f = &functions[g->members[k]];

			for (uint32_t e = f->calls; e < f->calls + f->n_calls; e++) {
				uint32_t to = g->component[g->t->calls.data[e]];
				const uint64_t *theirs = bits + (size_t)to * GRAPH_WORDS;

				for (uint32_t w = 0; to != c && w < GRAPH_WORDS; w++)
					mine[w] |= theirs[w];
			}
		}
		for (uint32_t w = 0; w < GRAPH_WORDS; w++)
			reached += (uint64_t)__builtin_popcountll(mine[w]);
		for (uint32_t k = g->members_from[c]; reached && k < g->members_from[c + 1]; k++)
			functions[g->members[k]].m[RM_REACH] += (double)reached;
		/*
		 * `mine` has the functions that this component can reach. Add to each of them the
		 * number of functions in this component, because all of these reach it
		 */
		for (uint32_t w = 0; reached && w < GRAPH_WORDS; w++) {
			for (uint64_t left = mine[w]; left; left &= left - 1) {
				uint32_t to = block + w * 64 + (uint32_t)__builtin_ctzll(left);

				functions[to].m[RM_REACHED_BY] +=
					g->members_from[c + 1] - g->members_from[c];
			}
		}
	}
}

static void graph_reach(struct graph *g)
{
	uint64_t *bits = xcalloc((size_t)g->n_components * GRAPH_WORDS + 1, sizeof(*bits));

	for (uint32_t block = 0; block < g->n; block += GRAPH_BLOCK)
		graph_reach_block(g, block, bits);
	free(bits);
	/* do not count that a function reaches itself */
	VEC_FOREACH (f, &g->t->functions) {
		f->m[RM_REACH]--;
		f->m[RM_REACHED_BY]--;
	}
}

/*
 * Set RM_ENTRY_DEPTH, the number of calls from the nearest entry to the function, by breadth-first
 * search. An entry is a function that code outside of the tree can call.
 */
static void graph_depth(struct graph *g)
{
	struct risk_function *f = g->t->functions.data;
	uint32_t *queue = xcalloc(g->n + 1, sizeof(*queue));
	uint32_t head = 0;
	uint32_t tail = 0;

	for (uint32_t i = 0; i < g->n; i++) {
		if (f[i].entry != ENTRY_NONE) {
			f[i].m[RM_ENTRY_DEPTH] = 0;
			queue[tail++] = i;
		}
	}
	while (head < tail) {
		uint32_t node = queue[head++];

		for (uint32_t e = f[node].calls; e < f[node].calls + f[node].n_calls; e++) {
			uint32_t to = g->t->calls.data[e];

			if (isnan(f[to].m[RM_ENTRY_DEPTH])) {
				f[to].m[RM_ENTRY_DEPTH] = f[node].m[RM_ENTRY_DEPTH] + 1;
				queue[tail++] = to;
			}
		}
	}
	free(queue);
}

void call_graph_measure(struct risk_tree *t)
{
	struct graph g = { .t = t, .n = (uint32_t)t->functions.len };

	g.component = xcalloc(g.n + 1, sizeof(*g.component));
	g.low = xcalloc(g.n + 1, sizeof(*g.low));
	g.index = xcalloc(g.n + 1, sizeof(*g.index));
	for (uint32_t i = 0; i < g.n; i++) {
		struct risk_function *f = &t->functions.data[i];

		g.component[i] = UINT32_MAX;
		f->m[RM_CALLERS] = f->m[RM_REACH] = f->m[RM_REACHED_BY] = 0;
		f->m[RM_CALLEES] = f->n_calls;
		f->m[RM_RECURSIVE] = 0;
	}
	graph_components(&g);
	graph_members(&g);
	for (uint32_t i = 0; i < g.n; i++) {
		struct risk_function *f = &t->functions.data[i];
		uint32_t c = g.component[i];

		f->m[RM_RECURSIVE] = g.members_from[c + 1] - g.members_from[c] > 1;
		for (uint32_t e = f->calls; e < f->calls + f->n_calls; e++) {
			t->functions.data[t->calls.data[e]].m[RM_CALLERS]++;
			if (t->calls.data[e] == i)
				f->m[RM_RECURSIVE] = 1;
		}
	}
	graph_reach(&g);
	graph_depth(&g);
	free(g.component);
	free(g.low);
	free(g.index);
	free(g.members);
	free(g.members_from);
}
