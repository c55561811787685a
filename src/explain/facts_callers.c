/* SPDX-License-Identifier: MIT */
/* Who called functions, and what ran below them. */
#include "analyses/quality.h"
#include "explain/facts_build.h"

#define FACTS_CALLERS_MAX 4096u

/*
 * Which symbols match: by functions, where samples gave every symbol one, else
 * asked once for each symbol.
 */
struct facts_match {
	const struct profile_facts *p;
	const struct symbols *symbols;
	struct facts_found found;
	uint8_t *matches; /* by symbol: 0 not asked, 1 no, 2 yes */
	struct str pattern;
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

static void facts_match_fini(struct facts_match *m)
{
	facts_find_fini(&m->found);
	free(m->matches);
}

static bool facts_matches(struct facts_match *m, sym_id sym)
{
	uint8_t *known;

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

/* True where nothing can match, as no function does. */
static bool facts_match_is_empty(const struct facts_match *m)
{
	return m->p->function_of && m->found.numbers.len == 0;
}

struct facts_callers {
	struct facts_match of, through;
	VEC(struct fact_caller) rows;
};

/* What a broken chain gives as a caller is none. */
static void facts_caller_add(struct facts_callers *c, sym_id sym, double pct, uint32_t line)
{
	if (quality_is_no_code(c->of.symbols, sym))
		return;
	VEC_FOREACH (r, &c->rows) {
		if (r->sym.v == sym.v) {
			r->pct += pct;
			return;
		}
	}
	if (c->rows.len < FACTS_CALLERS_MAX)
		*VEC_PUSH(&c->rows) = (struct fact_caller){ sym, pct, line };
}

/* Self weight of a node, percent of all. */
static double facts_weight_pct(const struct profile_facts *p, uint32_t node)
{
	return (double)p->self[node] / (double)p->weight * 100;
}

static void facts_callers_of_samples(const struct profile_facts *p, struct facts_callers *c)
{
	const struct stacks *stacks = &p->capture->profile->stacks;

	for (uint32_t id = 1; id < stacks_count(stacks) && p->weight; id++) {
		stack_id at = { id };

		if (p->self[id] == 0 || !facts_matches(&c->of, stacks_sym(stacks, at)))
			continue;
		while (at.v && (facts_matches(&c->of, stacks_sym(stacks, at)) ||
				facts_matches(&c->through, stacks_sym(stacks, at))))
			at = stacks_parent(stacks, at);
		if (at.v && symbols_get(c->of.symbols, stacks_sym(stacks, at))->space != SPACE_COMM)
			facts_caller_add(c, stacks_sym(stacks, at), facts_weight_pct(p, id), 0);
	}
}

/*
 * The caller of the outermost frame that matches on each path: one pass, as
 * nodes come after their parents.
 */
static void facts_callers_of_outermost(const struct profile_facts *p, struct facts_callers *c)
{
	const struct stacks *stacks = &p->capture->profile->stacks;
	uint32_t *outermost = xcalloc(stacks_count(stacks), sizeof(*outermost));

	for (uint32_t id = 1; id < stacks_count(stacks); id++) {
		stack_id at = { id };

		outermost[id] = outermost[stacks->parent.data[id]];
		if (!outermost[id] && facts_matches(&c->of, stacks_sym(stacks, at)))
			outermost[id] = id;
		if (p->self[id] == 0 || !outermost[id])
			continue;
		at = stacks_parent(stacks, (stack_id){ outermost[id] });
		while (at.v && facts_matches(&c->through, stacks_sym(stacks, at)))
			at = stacks_parent(stacks, at);
		if (at.v && symbols_get(c->of.symbols, stacks_sym(stacks, at))->space != SPACE_COMM)
			facts_caller_add(c, stacks_sym(stacks, at), facts_weight_pct(p, id), 0);
	}
	free(outermost);
}

/*
 * In a printed callee tree the function is at the top and its callers below it.
 * The first node on each path that is neither it nor a helper is a caller; the
 * branch's own weight counts once.
 */
static void facts_callers_of_tree(const struct profile_facts *p, struct facts_callers *c,
				  const struct profile_row *row)
{
	const struct profile_table *t = &p->capture->profile->table;
	uint32_t end = row->tree < t->nodes.len ? t->nodes.data[row->tree].end : row->tree;

	for (uint32_t i = row->tree; i < end && i < t->nodes.len;) {
		const struct profile_node *n = &t->nodes.data[i];

		if (facts_matches(&c->of, n->sym) || facts_matches(&c->through, n->sym)) {
			i++;
			continue;
		}
		if (!n->is_other)
			facts_caller_add(c, n->sym, profile_value(p->capture->profile, n->weight),
					 n->line);
		i = n->end > i ? n->end : i + 1;
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

	if (c->rows.len)
		qsort(c->rows.data, c->rows.len, sizeof(*c->rows.data), facts_compare_callers);
	if (n)
		memcpy(ret, c->rows.data, n * sizeof(*ret));
	for (size_t i = 0; i < n; i++) {
		const struct fact_function *f =
			ret[i].line
				? NULL
				: facts_by_name(c->of.p,
						symbols_get(c->of.symbols, ret[i].sym)->canonical);

		if (f) /* the samples were rebuilt from rows: its own is its place */
			ret[i].line = f->line;
	}
	VEC_FREE(&c->rows);
	facts_match_fini(&c->of);
	facts_match_fini(&c->through);
	return n;
}

size_t facts_callers(const struct profile_facts *p, const char *pattern, const char *through,
		     struct fact_caller *ret, size_t max)
{
	struct facts_callers c = { .rows = VEC_INIT };
	const struct profile *profile = p->capture->profile;
	bool is_caller_order = profile->table.order == CHAIN_CALLER;

	facts_match_init(&c.of, p, pattern);
	facts_match_init(&c.through, p, through);
	if (profile->table.rows.len && !is_caller_order && profile->recovery != RECOVERY_EXACT) {
		VEC_FOREACH (row, &profile->table.rows) {
			if (row->tree != INDEX_NONE && row->has & ROW_HAS_SYMBOL &&
			    facts_matches(&c.of, row->sym))
				facts_callers_of_tree(p, &c, row);
		}
	} else if (p->self && !facts_match_is_empty(&c.of)) {
		facts_callers_of_samples(p, &c);
	}
	return facts_callers_finish(&c, ret, max);
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

double facts_under(const struct profile_facts *p, const char *pattern)
{
	const struct profile *profile = p->capture->profile;
	const struct stacks *stacks = &profile->stacks;
	struct facts_match m;
	uint8_t *under;
	uint64_t hit = 0;

	if (!p->self || (profile->table.rows.len && profile->recovery != RECOVERY_EXACT)) {
		struct fact_sum s = facts_sum(p, pattern);

		return s.children;
	}
	if (p->weight == 0)
		return -1;
	facts_match_init(&m, p, pattern);
	if (facts_match_is_empty(&m)) {
		facts_match_fini(&m);
		return 0;
	}
	under = xcalloc(stacks_count(stacks), 1);
	for (uint32_t id = 1; id < stacks_count(stacks); id++) {
		under[id] = under[stacks->parent.data[id]] ||
			    facts_matches(&m, stacks_sym(stacks, (stack_id){ id }));
		if (under[id])
			hit += p->self[id];
	}
	free(under);
	facts_match_fini(&m);
	return (double)hit / (double)p->weight * 100;
}
