/* SPDX-License-Identifier: MIT */
/*
 * The functions of a profile with their shares.
 *
 * Printed rows are merged by function. Samples are first added up on the nodes of the prefix tree
 * of stacks. A pass from the last node to the first makes the weights inclusive. A pass from the
 * first node to the last adds them up by function.
 *
 * A recursive function counts once per sample. To find recursion, each node has two 64-bit filters
 * of the functions on its path to the root. The search along the path ends as soon as a filter
 * excludes the function, so the expected cost is O(nodes).
 */
#include "explain/facts/facts_build.h"

#include "analyses/categories.h"
#include "analyses/event_unit.h"
#include "analyses/roles.h"
#include "analyses/top/top.h"
#include "base/alloc.h"
#include "base/idmap.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "explain/facts.h"

#include <math.h>

/*
 * If more than this part (0 to 1) of the samples was lost, the remaining samples are no random
 * selection.
 */
#define FACTS_LOST       0.05
#define FACTS_NESTED_MAX 64u
/* If the shares add up to at least this, in percent, rounding cannot be the only reason. */
#define FACTS_SKEWED_PCT 101.0

static struct fact_function *facts_function_row(struct profile_facts *p, str_id name)
{
	struct idmap_probe probe = idmap_first(&p->by_name, hash_u64(name.v, 5));

	while (idmap_next(&p->by_name, &probe)) {
		if (p->functions.data[probe.id].name.v == name.v)
			return &p->functions.data[probe.id];
	}
	idmap_insert(&p->by_name, &probe, (uint32_t)p->functions.len);
	*VEC_PUSH(&p->functions) = (struct fact_function){
		.name = name, .children = -1, .self_spread = NAN, .children_spread = NAN
	};
	return &p->functions.data[p->functions.len - 1];
}

static int facts_compare(const void *a, const void *b)
{
	const struct fact_function *x = a;
	const struct fact_function *y = b;

	if (x->self != y->self)
		return x->self < y->self ? 1 : -1;
	if (x->children != y->children)
		return x->children < y->children ? 1 : -1;
	return x->name.v < y->name.v ? -1 : x->name.v > y->name.v;
}

/* Sort p->functions by self share, largest first, and update all indices that refer to them. */
static void facts_sort(struct profile_facts *p)
{
	size_t n = p->functions.len;
	uint32_t *place = xcalloc(n, sizeof(*place));

	for (uint32_t i = 0; i < n; i++)
		p->functions.data[i].number = i;
	if (n)
		qsort(p->functions.data, n, sizeof(*p->functions.data), facts_compare);
	for (uint32_t i = 0; i < n; i++) {
		place[p->functions.data[i].number] = i;
		p->functions.data[i].number = i;
	}
	for (size_t i = 0; i < capture_symbols(p->capture)->rows.len && p->function_of; i++) {
		if (p->function_of[i])
			p->function_of[i] = place[p->function_of[i] - 1] + 1;
	}
	free(place);
	idmap_fini(&p->by_name);
	for (uint32_t i = 0; i < n; i++) {
		struct idmap_probe probe =
			idmap_first(&p->by_name, hash_u64(p->functions.data[i].name.v, 5));

		idmap_insert(&p->by_name, &probe, i);
	}
}

struct str facts_function_name(const struct profile_facts *p, const struct fact_function *f)
{
	return strings_get(capture_strings(p->capture), f->name);
}

static int facts_compare_texts(const void *a, const void *b, void *context)
{
	const struct profile_facts *p = context;
	const uint32_t *x = a;
	const uint32_t *y = b;

	return str_cmp(facts_function_name(p, &p->functions.data[*x]),
		       facts_function_name(p, &p->functions.data[*y]));
}

static void facts_index_texts(struct profile_facts *p)
{
	for (uint32_t i = 0; i < p->functions.len; i++)
		*VEC_PUSH(&p->by_text) = i;
	if (p->by_text.len)
		qsort_r(p->by_text.data, p->by_text.len, sizeof(*p->by_text.data),
			facts_compare_texts, p);
	VEC_FOREACH (number, &p->by_text) {
		struct str name = facts_function_name(p, &p->functions.data[*number]);
		uint64_t grams = 0;

		for (size_t i = 1; i < name.len; i++)
			grams |= facts_gram(name.p[i - 1], name.p[i]);
		*VEC_PUSH(&p->grams) = grams;
	}
}

static void facts_add_row(struct profile_facts *p, const struct symbols *symbols,
			  const struct top_row *row)
{
	sym_id sym = { row->keys[0] };
	struct fact_function *f = facts_function_row(p, symbols_get(symbols, sym)->canonical);

	if (f->rows == 0) {
		f->sym = sym;
		f->category = category_of(p->cats, symbols, sym);
		f->line = row->line;
	}
	f->self += row->self_pct;
	f->self_err += row->self_err;
	if (row->has_children && row->children_pct > f->children)
		f->children = row->children_pct;
	f->samples += row->samples;
	f->rows += row->rows;
	if (row->zero_rows)
		p->prints_zero_rows = true;
}

/*
 * Whether an ancestor of node @at in its printed tree has the same symbol. Looks at
 * FACTS_NESTED_MAX levels.
 */
static bool facts_is_nested(const struct profile_table *t, uint32_t at)
{
	uint32_t up = t->nodes.data[at].parent;

	for (unsigned int i = 0; i < FACTS_NESTED_MAX && up < at; i++) {
		if (t->nodes.data[up].sym.v == t->nodes.data[at].sym.v)
			return true;
		up = t->nodes.data[up].parent;
	}
	return false;
}

/*
 * Add functions that have no row, but occur in printed trees with the outermost function at the
 * top. A tree shows their inclusive share. Trees of several rows may contain the same samples, so
 * each function gets the largest share that any tree shows.
 */
static void facts_add_trees(struct profile_facts *p, const struct symbols *symbols)
{
	const struct profile *profile = p->capture->profile;
	const struct profile_table *t = &profile->table;
	double *sums;
	double *leaves;
	VEC(uint32_t) touched = VEC_INIT;

	/*
	 * if the order is unknown, but the table has a children column, the outermost function is
	 * at the top, as in perf's default
	 */
	if (t->nodes.len == 0 || (t->order != CHAIN_CALLER &&
				  (t->order != CHAIN_UNKNOWN || !(t->columns & ROW_HAS_CHILDREN))))
		return;
	sums = xcalloc(symbols->rows.len, sizeof(*sums));
	leaves = xcalloc(symbols->rows.len, sizeof(*leaves));
	VEC_FOREACH (row, &t->rows) {
		uint32_t end = profile_tree_end(t, (size_t)(row - t->rows.data));

		for (uint32_t i = row->tree; i < end; i++) {
			const struct profile_node *n = &t->nodes.data[i];

			if (n->is_other || facts_is_nested(t, i))
				continue;
			if (sums[n->sym.v] == 0)
				*VEC_PUSH(&touched) = n->sym.v;
			sums[n->sym.v] += profile_value(profile, n->weight);
			if (n->end <= i + 1)
				leaves[n->sym.v] += profile_value(profile, n->weight);
		}
		VEC_FOREACH (sym, &touched) {
			sym_id id = { *sym };
			struct fact_function *f =
				facts_function_row(p, symbols_get(symbols, id)->canonical);

			if (!f->sym.v) {
				f->sym = id;
				f->category = category_of(p->cats, symbols, id);
				f->line = row->line;
			}
			if (f->rows == 0 && sums[*sym] > f->children)
				f->children = sums[*sym] < 100 ? sums[*sym] : 100;
			if (f->rows == 0 && leaves[*sym] > f->leaf)
				f->leaf = leaves[*sym] < 100 ? leaves[*sym] : 100;
			sums[*sym] = leaves[*sym] = 0;
		}
		touched.len = 0;
	}
	VEC_FREE(&touched);
	free(sums);
	free(leaves);
}

/*
 * The functions on the path from a stack node to the root, as two 64-bit filters. Each function
 * sets one bit in each filter, chosen by two hashes. Two functions can share a bit, so one filter
 * alone would too often contain the bit of a function that is not on the path.
 */
struct facts_path {
	uint64_t first, second;
};

/* Data of the passes over samples; freed after the last one. */
struct facts_pass {
	struct profile_facts *p;
	const struct symbols *symbols;
	struct facts_path *path; /* path[node]: functions on the path from the node to the root */
	uint64_t *below;         /* below[symbol]: inclusive weight of the symbol */
};

/* Index in p->functions of the function of @sym, which is created on first use. */
static uint32_t facts_function_of(struct facts_pass *w, sym_id sym)
{
	struct profile_facts *p = w->p;
	struct fact_function *f;

	if (p->function_of[sym.v])
		return p->function_of[sym.v] - 1;
	f = facts_function_row(p, symbols_get(w->symbols, sym)->canonical);
	if (f->rows == 0) {
		f->sym = sym;
		f->category = category_of(p->cats, w->symbols, sym);
		f->children = 0;
	}
	f->rows++;
	p->function_of[sym.v] = (uint32_t)(f - p->functions.data) + 1;
	return p->function_of[sym.v] - 1;
}

/*
 * Add the weight of each sample to the self share of its innermost function. Shares are weights
 * until facts_finish_samples() converts them to percent.
 */
static void facts_add_leaves(struct facts_pass *w)
{
	struct profile_facts *p = w->p;
	const struct profile *profile = p->capture->profile;
	const struct stacks *stacks = &profile->stacks;

	for (size_t i = 0; i < profile->samples.n; i++) {
		stack_id leaf = profile->samples.stack.data[i];
		uint64_t weight = profile->samples.weight.data[i];
		sym_id sym = stacks_sym(stacks, leaf);
		struct fact_function *f;
		uint32_t function;

		if (symbols_get(w->symbols, sym)->space == SPACE_COMM)
			sym = SYM_ID_NONE; /* the stack has only the command, and no frame */
		function = facts_function_of(w, sym);
		f = &p->functions.data[function];
		f->self += (double)weight;
		f->samples++;
		if (sym.v == 0)
			f->children += (double)weight;
	}
}

static struct facts_path facts_path_of(uint32_t function)
{
	uint64_t hash = hash_u64(function, 3);

	return (struct facts_path){ UINT64_C(1) << (hash >> 58), UINT64_C(1) << (hash >> 52 & 63) };
}

static bool facts_path_may(const struct facts_path *path, struct facts_path one)
{
	return path->first & one.first && path->second & one.second;
}

/*
 * Whether a caller of @node on its stack belongs to the same @function (recursion). @one: hashes of
 * @function.
 */
static bool facts_is_recursive(const struct facts_pass *w, uint32_t node, uint32_t function,
			       struct facts_path one)
{
	const struct stacks *stacks = &w->p->capture->profile->stacks;
	uint32_t up = stacks->parent.data[node];

	for (; up && facts_path_may(&w->path[up], one); up = stacks->parent.data[up]) {
		if (w->p->function_of[stacks->sym.data[up].v] == function + 1)
			return true;
	}
	return false;
}

/*
 * If the samples were rebuilt from printed trees, set f->line to the first line with the function.
 */
static void facts_tree_line(struct profile_facts *p, uint32_t function, sym_id sym)
{
	const struct profile_table *t = &p->capture->profile->table;
	struct fact_function *f = &p->functions.data[function];

	if (f->line == 0 && sym.v < t->tree_lines.len)
		f->line = t->tree_lines.data[sym.v];
}

static void facts_add_nodes(struct facts_pass *w)
{
	struct profile_facts *p = w->p;
	const struct stacks *stacks = &p->capture->profile->stacks;
	uint32_t n = stacks_count(stacks);

	memcpy(p->inclusive, p->self, n * sizeof(*p->inclusive));
	for (uint32_t i = n; i-- > 1;)
		p->inclusive[stacks->parent.data[i]] += p->inclusive[i];
	for (uint32_t i = 1; i < n; i++) {
		sym_id sym = stacks->sym.data[i];
		struct facts_path one;
		uint32_t function;

		w->path[i] = w->path[stacks->parent.data[i]];
		if (p->inclusive[i] == 0 || sym.v == 0 ||
		    (!p->function_of[sym.v] && symbols_get(w->symbols, sym)->space == SPACE_COMM))
			continue;
		function = facts_function_of(w, sym);
		facts_tree_line(p, function, sym);
		p->next_node[i] = p->last_node[sym.v];
		p->last_node[sym.v] = i;
		p->nodes_of[sym.v]++;
		one = facts_path_of(function);
		w->path[i].first |= one.first;
		w->path[i].second |= one.second;
		if (!facts_is_recursive(w, i, function, one))
			w->below[sym.v] += p->inclusive[i];
	}
	for (size_t i = 1; i < w->symbols->rows.len; i++) {
		if (p->function_of[i])
			p->functions.data[p->function_of[i] - 1].children += (double)w->below[i];
	}
}

static void facts_share(struct top_share *share, const struct fact_function *f)
{
	share->pct += f->self;
	share->err += f->self_err;
	share->rows++;
}

/* Convert the weights to percent, and set p->summary. */
static void facts_finish_samples(struct facts_pass *w)
{
	struct profile_facts *p = w->p;
	const struct profile *profile = p->capture->profile;
	double half = profile->recovery == RECOVERY_EXACT
			      ? 0
			      : profile_half_width(profile) * (double)profile_scale(profile);
	double to_pct = p->weight ? 100 / (double)p->weight : 0;
	double most_data = 0;

	VEC_FOREACH (f, &p->functions) {
		const struct symbol *sym = symbols_get(w->symbols, f->sym);

		f->self *= to_pct;
		f->self_err = half * (double)f->samples * to_pct;
		f->children *= to_pct;
		facts_share(&p->summary.total, f);
		if (sym->flags & SYMBOL_ADDRESS)
			facts_share(&p->summary.unsymbolised, f);
		else if (top_is_kernel_data(w->symbols, f->sym)) {
			facts_share(&p->summary.data, f);
			if (f->self > most_data)
				p->summary.data_example = f->sym;
			most_data = f->self > most_data ? f->self : most_data;
		}
		if (category_is_in(f->category, STR("idle")))
			facts_share(&p->summary.idle, f);
		if (sym->space == SPACE_KERNEL)
			facts_share(&p->summary.kernel, f);
		else if (sym->space == SPACE_USER || sym->space == SPACE_VDSO ||
			 sym->space == SPACE_JIT)
			facts_share(&p->summary.user, f);
	}
	p->summary.source = TOP_FROM_SAMPLES;
	p->summary.rows = p->functions.len;
	p->summary.has_samples = true;
	p->summary.samples =
		profile->has_n_samples ? profile->n_samples : profile_count_samples(profile);
	p->summary.samples_err = profile->has_n_samples ? profile->n_samples_err : 0;
	p->total = p->summary.total.pct;
	p->idle = p->summary.idle.pct;
}

static void facts_from_samples(struct profile_facts *p)
{
	struct facts_pass w = { .p = p, .symbols = capture_symbols(p->capture) };

	p->function_of = xcalloc(w.symbols->rows.len, sizeof(*p->function_of));
	p->inclusive = xcalloc_table(p->n_nodes * sizeof(*p->inclusive));
	p->next_node = xcalloc_table(p->n_nodes * sizeof(*p->next_node));
	p->last_node = xcalloc(w.symbols->rows.len, sizeof(*p->last_node));
	p->nodes_of = xcalloc(w.symbols->rows.len, sizeof(*p->nodes_of));
	w.path = xcalloc_table(p->n_nodes * sizeof(*w.path));
	w.below = xcalloc(w.symbols->rows.len, sizeof(*w.below));
	facts_add_leaves(&w);
	facts_add_nodes(&w);
	facts_finish_samples(&w);
	free_table(w.path, p->n_nodes * sizeof(*w.path));
	free(w.below);
}

/* Add up the weights of the samples by stack node. */
static void facts_add_weights(struct profile_facts *p)
{
	const struct profile *profile = p->capture->profile;

	p->n_nodes = stacks_count(&profile->stacks);
	p->self = xcalloc_table(p->n_nodes * sizeof(*p->self));
	if (profile->samples.no_frame.len)
		p->no_frame = xcalloc(stacks_count(&profile->stacks), sizeof(*p->no_frame));
	p->weight = profile->left_out;
	for (size_t i = 0; i < profile->samples.n; i++) {
		uint32_t node = profile->samples.stack.data[i].v;

		p->self[node] += profile->samples.weight.data[i];
		p->weight += profile->samples.weight.data[i];
		if (p->no_frame && profile->samples.no_frame.data[i])
			p->no_frame[node] += profile->samples.weight.data[i];
	}
	/*
	 * The samples were rebuilt from a printed report, and their weights are percentages. Rows
	 * that the report omits also belong to the total, so the total is 100 %.
	 */
	if (p->weight && profile_sample_unit(profile) == WEIGHT_PERCENT)
		p->weight = 100 * (uint64_t)profile_scale(profile);
}

/*
 * Add functions from the trees of a table without a symbol column (perf report --sort comm or dso).
 * If its trees start with the sampled functions, their weights are self shares.
 */
static void facts_add_top_frames(struct profile_facts *p, const struct symbols *symbols)
{
	const struct profile *profile = p->capture->profile;
	const struct profile_table *t = &profile->table;

	if (t->columns & ROW_HAS_SYMBOL || t->order != CHAIN_CALLEE)
		return;
	for (size_t k = 0; k < t->rows.len; k++) {
		const struct profile_row *row = &t->rows.data[k];
		uint32_t end = row->tree == INDEX_NONE ? 0 : profile_tree_end(t, k);

		for (uint32_t i = row->tree; i < end;) {
			const struct profile_node *n = &t->nodes.data[i];
			struct fact_function *f;

			i = n->end;
			if (n->is_other)
				continue;
			f = facts_function_row(p, symbols_get(symbols, n->sym)->canonical);
			if (f->rows++ == 0) {
				f->sym = n->sym;
				f->category = category_of(p->cats, symbols, n->sym);
				f->line = n->line;
			}
			f->self += profile_value(profile, n->weight);
			f->self_err += profile_half_width(profile);
			p->total += profile_value(profile, n->weight);
		}
	}
}

/* Add the standard deviations that the table prints, for functions with one row. */
static void facts_add_spreads(struct profile_facts *p, const struct symbols *symbols)
{
	const struct profile_table *t = &p->capture->profile->table;

	for (size_t i = 0; i < t->spreads.len; i++) {
		struct fact_function *f =
			facts_function_row(p, symbols_get(symbols, t->rows.data[i].sym)->canonical);

		if (f->rows != 1)
			continue;
		f->self_spread = (double)t->spreads.data[i].self;
		f->children_spread = (double)t->spreads.data[i].children;
	}
}

static void facts_from_rows(struct profile_facts *p)
{
	const struct capture *c = p->capture;
	struct top top;

	if (top_by(c, p->cats, TOP_SYM, &top, NULL) < 0) {
		facts_add_top_frames(p, capture_symbols(c));
		return;
	}
	VEC_FOREACH (row, &top.rows)
		facts_add_row(p, capture_symbols(c), row);
	facts_add_spreads(p, capture_symbols(c));
	facts_add_trees(p, capture_symbols(c));
	p->total = top.total_pct;
	top_fini(&top);
	if (top_summarise(c, p->cats, &p->summary, NULL) == OK)
		p->idle = p->summary.idle.pct;
}
/*
 * Share of one sample, in percent; 0: unknown. If weights have no known unit, as in folded
 * stacks, they count as numbers of samples.
 */
static double facts_one_sample(const struct profile *p)
{
	enum weight_unit unit = profile_sample_unit(p);
	double sum = 0;

	/* the samples were rebuilt from printed rows, so their number is unknown */
	if (p->table.rows.len || p->is_summed)
		return 0;
	if (unit != WEIGHT_SAMPLES && unit != WEIGHT_UNKNOWN)
		return p->samples.n ? 100.0 / (double)profile_count_samples(p) : 0;
	for (size_t i = 0; i < p->samples.n; i++)
		sum += (double)p->samples.weight.data[i];
	for (unsigned int i = 0; i < profile_sample_decimals(p); i++)
		sum /= 10;
	return sum > 0 ? 100.0 / sum : 0;
}

/*
 * If at least this part (0 to 1) of the user code has names of an interpreter, the program is a
 * script.
 */
#define FACTS_SCRIPT_PART 0.9

/* Names that profilers of interpreters and virtual machines print for functions. */
#define FACTS_SCRIPT_NAMES                                                                    \
	"*.py:*|*.py|*.py)*|*.pyx*|*<module>*|*.rb:*|*.rb|*.rb)*|*.js:*|*.js|*.js)*|*.mjs*|"  \
	"*.ts:*|*.php*|*.lua:*|*.java:*|*.scala:*|*.kt:*|L*;::*|java/*|java.*|javax/*|org/*|" \
	"com/*|scala/*|sun/*|jdk/*|*.erl:*|*.ex:*"

static bool facts_is_script_name(struct str name)
{
	/* each pattern contains one of these characters; most names contain none */
	for (size_t i = 0; i < name.len; i++) {
		if (name.p[i] == '.' || name.p[i] == '/' || name.p[i] == ';' || name.p[i] == '<')
			return str_glob(STR(FACTS_SCRIPT_NAMES), name);
	}
	return false;
}

/* Whether nearly all user code has names of an interpreter or virtual machine. */
static bool facts_is_script(const struct profile_facts *p)
{
	const struct symbols *symbols = capture_symbols(p->capture);
	double user = 0;
	double script = 0;

	VEC_FOREACH (f, &p->functions) {
		enum symbol_space space = symbols_get(symbols, f->sym)->space;

		if (space == SPACE_KERNEL || space == SPACE_COMM)
			continue;
		user += f->self;
		if (space == SPACE_JIT || facts_is_script_name(facts_function_name(p, f)))
			script += f->self;
	}
	return script > 0 && script >= user * FACTS_SCRIPT_PART;
}

/* Whether any sampled stack has at least two functions. The command at the root is no function. */
static bool facts_has_callers(const struct capture *c)
{
	const struct stacks *stacks = &c->profile->stacks;

	for (uint32_t i = 1; i < stacks_count(stacks); i++) {
		stack_id up = stacks_parent(stacks, (stack_id){ i });

		if (up.v &&
		    symbols_get(capture_symbols(c), stacks_sym(stacks, up))->space != SPACE_COMM)
			return true;
	}
	return false;
}

struct profile_facts *facts_profile_new(const struct capture *c, struct category_cache *cats,
					struct role_cache *roles)
{
	struct profile_facts *p = xcalloc(1, sizeof(*p));

	p->capture = c;
	p->cats = cats;
	p->roles = roles;
	p->unit = event_unit_of(c);
	role_inherit(roles, capture_symbols(c), &c->profile->stacks);
	if (c->profile->samples.n)
		facts_add_weights(p);
	if (c->profile->table.rows.len)
		facts_from_rows(p);
	else if (c->profile->samples.n)
		facts_from_samples(p);
	else
		return p;
	facts_sort(p);
	facts_index_texts(p);
	facts_find_unit(p);
	p->is_skewed = p->total - p->summary.total.err >= FACTS_SKEWED_PCT;
	p->busy = (p->total > 100 ? p->total : 100) - p->idle;
	p->has_callers = facts_has_callers(c);
	p->has_stacks = c->profile->samples.n > 0 || c->profile->table.nodes.len > 0;
	if (p->unit.kind == EVENT_MEMORY)
		p->one_sample = 0; /* the profile counts allocations, not samples */
	else if (c->profile->has_n_samples && c->profile->n_samples)
		p->one_sample = 100.0 / (double)c->profile->n_samples;
	else
		p->one_sample = facts_one_sample(c->profile);
	/*
	 * if many samples were lost, leave p->effective unknown. Samples are not lost at random, so
	 * the 95 % interval of a share would be too narrow
	 */
	if (!c->profile->has_lost ||
	    (double)c->profile->lost <= FACTS_LOST * (double)c->profile->n_samples)
		p->effective = profile_effective_samples(c->profile);
	p->is_script = facts_is_script(p);
	return p;
}

void facts_profile_free(struct profile_facts *p)
{
	if (!p)
		return;
	VEC_FREE(&p->functions);
	VEC_FREE(&p->by_text);
	VEC_FREE(&p->grams);
	idmap_fini(&p->by_name);
	if (p->own_roles)
		role_cache_fini(p->own_roles);
	free(p->own_roles);
	free(p->function_of);
	free_table(p->self, p->n_nodes * sizeof(*p->self));
	free(p->no_frame);
	free_table(p->inclusive, p->n_nodes * sizeof(*p->inclusive));
	free_table(p->next_node, p->n_nodes * sizeof(*p->next_node));
	free(p->last_node);
	free(p->nodes_of);
	free(p);
}
