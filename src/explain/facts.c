/* SPDX-License-Identifier: MIT */
#include "explain/facts.h"

#include "analyses/stats.h"

#define FACTS_CALLERS_MAX 4096u
#define FACTS_NESTED_MAX  64u

static struct fact_function *facts_function_row(struct profile_facts *p, str_id name)
{
	struct idmap_probe probe = idmap_first(&p->by_name, hash_u64(name.v, 5));

	while (idmap_next(&p->by_name, &probe)) {
		if (p->functions.data[probe.id].name.v == name.v)
			return &p->functions.data[probe.id];
	}
	idmap_insert(&p->by_name, &probe, (uint32_t)p->functions.len);
	*VEC_PUSH(&p->functions) = (struct fact_function){ .name = name, .children = -1 };
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

/* Positions changed: the index is made anew. */
static void facts_reindex(struct profile_facts *p)
{
	idmap_fini(&p->by_name);
	for (size_t i = 0; i < p->functions.len; i++) {
		struct idmap_probe probe =
			idmap_first(&p->by_name, hash_u64(p->functions.data[i].name.v, 5));

		while (idmap_next(&p->by_name, &probe))
			;
		idmap_insert(&p->by_name, &probe, (uint32_t)i);
	}
}

static struct str facts_function_name(const struct profile_facts *p, const struct fact_function *f)
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

/* True when a frame above node @at in its tree has the same symbol. Looks up a bounded way. */
static bool facts_is_nested(const struct profile_table *t, uint32_t at)
{
	uint32_t up = t->nodes.data[at].parent;

	for (unsigned int i = 0; i < FACTS_NESTED_MAX && up < at; i++) {
		if (t->nodes.data[up].sym.v == t->nodes.data[at].sym.v)
			return true;
		if (t->nodes.data[up].parent >= up)
			return false;
		up = t->nodes.data[up].parent;
	}
	return false;
}

/*
 * Functions that have no row but stand in the tree of one, outermost first: what
 * they have with all that they call is known. The largest share in one tree
 * counts, as trees of several rows show the same samples.
 */
static void facts_add_trees(struct profile_facts *p, const struct symbols *symbols)
{
	const struct profile *profile = p->capture->profile;
	const struct profile_table *t = &profile->table;
	double *sums;
	VEC(uint32_t) touched = VEC_INIT;

	if (t->order != CHAIN_CALLER || t->nodes.len == 0)
		return;
	sums = xcalloc(symbols->rows.len, sizeof(*sums));
	VEC_FOREACH (row, &t->rows) {
		uint32_t end = row->tree < t->nodes.len ? t->nodes.data[row->tree].end : 0;

		for (uint32_t i = row->tree; i < end && i < t->nodes.len; i++) {
			const struct profile_node *n = &t->nodes.data[i];

			if (n->is_other || facts_is_nested(t, i))
				continue;
			if (sums[n->sym.v] == 0)
				*VEC_PUSH(&touched) = n->sym.v;
			sums[n->sym.v] += profile_value(profile, n->weight);
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
			sums[*sym] = 0;
		}
		touched.len = 0;
	}
	VEC_FREE(&touched);
	free(sums);
}

/* Weights of folded stacks are counts of samples in all but name. */
static double facts_one_sample(const struct profile *p)
{
	enum weight_unit unit = profile_sample_unit(p);
	double sum = 0;

	if (p->table.rows.len) /* what was rebuilt from print counts no samples */
		return 0;
	if (unit != WEIGHT_SAMPLES && unit != WEIGHT_UNKNOWN)
		return p->samples.n ? 100.0 / (double)p->samples.n : 0;
	for (size_t i = 0; i < p->samples.n; i++)
		sum += (double)p->samples.weight.data[i];
	for (unsigned int i = 0; i < profile_sample_decimals(p); i++)
		sum /= 10;
	return sum > 0 ? 100.0 / sum : 0;
}

static struct profile_facts *facts_profile_new(const struct capture *c, struct category_cache *cats)
{
	struct profile_facts *p = xcalloc(1, sizeof(*p));
	struct top top;

	p->capture = c;
	p->cats = cats;
	if (top_by(c, cats, TOP_SYM, &top, NULL) < 0)
		return p;
	VEC_FOREACH (row, &top.rows)
		facts_add_row(p, capture_symbols(c), row);
	facts_add_trees(p, capture_symbols(c));
	p->total = top.total_pct;
	top_fini(&top);
	if (p->functions.len)
		qsort(p->functions.data, p->functions.len, sizeof(*p->functions.data),
		      facts_compare);
	facts_reindex(p);
	facts_index_texts(p);
	if (top_summarise(c, cats, &p->summary, NULL) == OK)
		p->idle = p->summary.idle.pct;
	p->busy = (p->total > 100 ? p->total : 100) - p->idle;
	p->has_stacks = c->profile->samples.n > 0 || c->profile->table.nodes.len > 0;
	if (c->profile->has_n_samples && c->profile->n_samples)
		p->one_sample = 100.0 / (double)c->profile->n_samples;
	else
		p->one_sample = facts_one_sample(c->profile);
	return p;
}

struct facts *facts_new(struct dossier *d)
{
	struct facts *f = xcalloc(1, sizeof(*f));
	size_t n = d->captures.len;

	f->dossier = d;
	f->profiles = xcalloc(n, sizeof(struct profile_facts *));
	f->calls = xcalloc(n, sizeof(struct calls_summary *));
	f->logs = xcalloc(n, sizeof(struct log_summary *));
	f->metrics = xcalloc(n, sizeof(struct metrics_summary *));
	for (size_t i = 0; i < n; i++) {
		const struct capture *c = d->captures.data[i];

		if (c->excerpt_of != INDEX_NONE)
			continue;
		if (c->profile)
			f->profiles[i] = facts_profile_new(c, &f->cats);
		if (c->calls) {
			f->calls[i] = xcalloc(1, sizeof(**f->calls));
			(void)(calls_summary_compute(c, &f->cats, f->calls[i], NULL) < 0);
		}
		if (c->records) {
			f->logs[i] = xcalloc(1, sizeof(**f->logs));
			log_summary_init(f->logs[i], c);
		}
		if (c->metrics) {
			f->metrics[i] = xcalloc(1, sizeof(**f->metrics));
			metrics_summary_init(f->metrics[i], c->metrics);
		}
	}
	return f;
}

void facts_free(struct facts *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->dossier->captures.len; i++) {
		if (f->profiles[i]) {
			VEC_FREE(&f->profiles[i]->functions);
			VEC_FREE(&f->profiles[i]->by_text);
			idmap_fini(&f->profiles[i]->by_name);
		}
		if (f->calls[i])
			calls_summary_fini(f->calls[i]);
		if (f->logs[i])
			log_summary_fini(f->logs[i]);
		if (f->metrics[i])
			metrics_summary_fini(f->metrics[i]);
		free(f->profiles[i]);
		free(f->calls[i]);
		free(f->logs[i]);
		free(f->metrics[i]);
	}
	free(f->profiles);
	free(f->calls);
	free(f->logs);
	free(f->metrics);
	category_cache_fini(&f->cats);
	free(f);
}

struct str facts_name(const struct facts *f, sym_id sym)
{
	return symbols_canonical(&f->dossier->symbols, sym);
}

static void facts_sum_add(struct fact_sum *s, const struct fact_function *f)
{
	s->self += f->self;
	s->err += f->self_err;
	s->samples += f->samples;
	s->functions++;
	if (f->children > s->children)
		s->children = f->children;
	if (!s->top)
		s->top = f; /* functions come heaviest first */
}

/* The sampling interval, where the number of samples is known. */
static void facts_sum_finish(const struct profile_facts *p, struct fact_sum *s)
{
	const struct profile *profile = p->capture->profile;

	s->low = s->high = s->self;
	if (profile->has_n_samples && profile->n_samples) {
		struct interval i = stats_wilson(s->self / 100 * (double)profile->n_samples,
						 (double)profile->n_samples, STATS_Z95);

		s->low = i.low;
		s->high = i.high;
	}
}

/* Functions that match, each once, heaviest first: their numbers are their order. */
struct facts_found {
	VEC(uint32_t) numbers;
	uint8_t *has; /* by function */
};

static void facts_find_add(struct facts_found *found, uint32_t number)
{
	if (found->has[number])
		return;
	found->has[number] = 1;
	*VEC_PUSH(&found->numbers) = number;
}

/* The first function in order of names that is not before @prefix. */
static size_t facts_lower_bound(const struct profile_facts *p, struct str prefix)
{
	size_t low = 0;
	size_t high = p->by_text.len;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		uint32_t number = p->by_text.data[mid];

		if (str_cmp(facts_function_name(p, &p->functions.data[number]), prefix) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void facts_find_one(const struct profile_facts *p, struct str pattern,
			   struct facts_found *found)
{
	size_t literal = 0;
	struct str prefix;

	while (literal < pattern.len && pattern.p[literal] != '*' && pattern.p[literal] != '?')
		literal++;
	prefix = str_sub(pattern, 0, literal);
	for (size_t i = facts_lower_bound(p, prefix); i < p->by_text.len; i++) {
		uint32_t number = p->by_text.data[i];
		struct str name = facts_function_name(p, &p->functions.data[number]);

		if (!str_starts(name, prefix))
			break;
		if (str_glob(pattern, name))
			facts_find_add(found, number);
	}
}

static int facts_compare_numbers(const void *a, const void *b)
{
	const uint32_t *x = a;
	const uint32_t *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void facts_find(const struct profile_facts *p, const char *pattern,
		       struct facts_found *found)
{
	struct str rest = str_of(pattern);

	*found = (struct facts_found){ .numbers = VEC_INIT };
	found->has = xcalloc(p->functions.len, 1);
	while (rest.len) {
		size_t bar = str_find_char(rest, '|');

		facts_find_one(p, str_sub(rest, 0, bar), found);
		rest = str_skip(rest, bar + 1);
	}
	if (found->numbers.len)
		qsort(found->numbers.data, found->numbers.len, sizeof(uint32_t),
		      facts_compare_numbers);
}

static void facts_find_fini(struct facts_found *found)
{
	VEC_FREE(&found->numbers);
	free(found->has);
}

struct fact_sum facts_sum(const struct profile_facts *p, const char *pattern)
{
	struct fact_sum s = { .children = -1 };
	struct facts_found found;

	facts_find(p, pattern, &found);
	VEC_FOREACH (number, &found.numbers)
		facts_sum_add(&s, &p->functions.data[*number]);
	facts_find_fini(&found);
	facts_sum_finish(p, &s);
	return s;
}

size_t facts_heaviest(const struct profile_facts *p, const char *pattern,
		      const struct fact_function **ret, size_t max)
{
	struct facts_found found;
	size_t n;

	facts_find(p, pattern, &found);
	n = found.numbers.len < max ? found.numbers.len : max;
	for (size_t i = 0; i < n; i++)
		ret[i] = &p->functions.data[found.numbers.data[i]];
	facts_find_fini(&found);
	return n;
}

struct fact_sum facts_category(const struct profile_facts *p, const char *category)
{
	struct fact_sum s = { .children = -1 };

	VEC_FOREACH (f, &p->functions) {
		if (category_is_in(f->category, str_of(category)))
			facts_sum_add(&s, f);
	}
	facts_sum_finish(p, &s);
	return s;
}

const struct fact_function *facts_function(const struct profile_facts *p, const char *name)
{
	str_id id = strings_find(capture_strings(p->capture), str_of(name));
	uint64_t hash = hash_u64(id.v, 5);
	struct idmap_probe probe = { .hash = (uint32_t)(hash >> 32) ^ (uint32_t)hash };

	if (id.v == 0 || !p->by_name.slots)
		return NULL;
	probe.at = probe.hash & p->by_name.mask;
	while (idmap_next(&p->by_name, &probe)) {
		if (p->functions.data[probe.id].name.v == id.v)
			return &p->functions.data[probe.id];
	}
	return NULL;
}

/* Which symbols match, asked once each. */
struct facts_match {
	uint8_t *matches; /* by symbol: 0 not asked, 1 no, 2 yes */
	const struct symbols *symbols;
	struct str pattern;
};

static void facts_match_init(struct facts_match *m, const struct profile_facts *p,
			     const char *pattern)
{
	m->symbols = capture_symbols(p->capture);
	m->matches = xcalloc(m->symbols->rows.len, 1);
	m->pattern = str_of(pattern ? pattern : "");
}

static bool facts_matches(struct facts_match *m, sym_id sym)
{
	uint8_t *known = &m->matches[sym.v];

	if (*known == 0)
		*known = m->pattern.len && str_glob(m->pattern, symbols_canonical(m->symbols, sym))
				 ? 2
				 : 1;
	return *known == 2;
}

struct facts_callers {
	struct facts_match of, through;
	VEC(struct fact_caller) rows;
};

static void facts_caller_add(struct facts_callers *c, sym_id sym, double pct, uint32_t line)
{
	VEC_FOREACH (r, &c->rows) {
		if (r->sym.v == sym.v) {
			r->pct += pct;
			return;
		}
	}
	if (c->rows.len < FACTS_CALLERS_MAX)
		*VEC_PUSH(&c->rows) = (struct fact_caller){ sym, pct, line };
}

static void facts_callers_of_samples(const struct profile_facts *p, struct facts_callers *c)
{
	const struct profile *profile = p->capture->profile;
	const struct stacks *stacks = &profile->stacks;
	double total = 0;
	double *self = xcalloc(stacks_count(stacks), sizeof(*self));

	for (size_t i = 0; i < profile->samples.n; i++) {
		self[profile->samples.stack.data[i].v] += (double)profile->samples.weight.data[i];
		total += (double)profile->samples.weight.data[i];
	}
	for (uint32_t id = 1; id < stacks_count(stacks) && total > 0; id++) {
		stack_id at = { id };

		if (self[id] == 0 || !facts_matches(&c->of, stacks_sym(stacks, at)))
			continue;
		while (at.v && (facts_matches(&c->of, stacks_sym(stacks, at)) ||
				facts_matches(&c->through, stacks_sym(stacks, at))))
			at = stacks_parent(stacks, at);
		if (at.v && symbols_get(c->of.symbols, stacks_sym(stacks, at))->space != SPACE_COMM)
			facts_caller_add(c, stacks_sym(stacks, at), self[id] / total * 100, 0);
	}
	free(self);
}

/* The caller of the outermost frame that matches, or the root. */
static stack_id facts_above(const struct stacks *stacks, struct facts_callers *c, stack_id leaf)
{
	stack_id found = STACK_ROOT;

	for (stack_id at = leaf; at.v; at = stacks_parent(stacks, at)) {
		if (facts_matches(&c->of, stacks_sym(stacks, at)))
			found = stacks_parent(stacks, at);
	}
	while (found.v && facts_matches(&c->through, stacks_sym(stacks, found)))
		found = stacks_parent(stacks, found);
	return found;
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
	VEC_FREE(&c->rows);
	free(c->of.matches);
	free(c->through.matches);
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
	} else if (profile->samples.n) {
		facts_callers_of_samples(p, &c);
	}
	return facts_callers_finish(&c, ret, max);
}

size_t facts_callers_anywhere(const struct profile_facts *p, const char *pattern,
			      const char *through, struct fact_caller *ret, size_t max)
{
	struct facts_callers c = { .rows = VEC_INIT };
	const struct profile *profile = p->capture->profile;
	const struct stacks *stacks = &profile->stacks;
	double *self = xcalloc(stacks_count(stacks), sizeof(*self));
	double total = 0;

	facts_match_init(&c.of, p, pattern);
	facts_match_init(&c.through, p, through);
	for (size_t i = 0; i < profile->samples.n; i++) {
		self[profile->samples.stack.data[i].v] += (double)profile->samples.weight.data[i];
		total += (double)profile->samples.weight.data[i];
	}
	for (uint32_t id = 1; id < stacks_count(stacks) && total > 0; id++) {
		stack_id above;

		if (self[id] == 0)
			continue;
		above = facts_above(stacks, &c, (stack_id){ id });
		if (above.v &&
		    symbols_get(c.of.symbols, stacks_sym(stacks, above))->space != SPACE_COMM)
			facts_caller_add(&c, stacks_sym(stacks, above), self[id] / total * 100, 0);
	}
	free(self);
	return facts_callers_finish(&c, ret, max);
}

double facts_under(const struct profile_facts *p, const char *pattern)
{
	const struct profile *profile = p->capture->profile;
	struct facts_match m;
	uint8_t *under;
	double hit = 0;
	double total = 0;

	if (profile->samples.n == 0 ||
	    (profile->table.rows.len && profile->recovery != RECOVERY_EXACT)) {
		struct fact_sum s = facts_sum(p, pattern);

		return s.children;
	}
	facts_match_init(&m, p, pattern);
	under = xcalloc(stacks_count(&profile->stacks), 1);
	for (uint32_t id = 1; id < stacks_count(&profile->stacks); id++)
		under[id] = under[stacks_parent(&profile->stacks, (stack_id){ id }).v] ||
			    facts_matches(&m, stacks_sym(&profile->stacks, (stack_id){ id }));
	for (size_t i = 0; i < profile->samples.n; i++) {
		double w = (double)profile->samples.weight.data[i];

		total += w;
		if (under[profile->samples.stack.data[i].v])
			hit += w;
	}
	free(under);
	free(m.matches);
	return total > 0 ? hit / total * 100 : -1;
}
