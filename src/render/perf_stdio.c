/* SPDX-License-Identifier: MIT */
#include "render/perf_stdio.h"

#include "analyses/categories.h"
#include "analyses/top/top.h"
#include "analyses/top/tree.h"
#include "base/idmap.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "render/perf_stdio_tree.h"
#include "transform/recover_chains.h"

/* perf's default for the minimum share of a frame in a tree, in percent */
#define STDIO_TREE_LIMIT 0.5
/*
 * Limit of work for trees: each tree visits all stack nodes. After this number of visited nodes
 * (some seconds), the remaining rows are printed without a tree.
 */
#define STDIO_TREE_WORK UINT64_C(200000000)

/*
 * The frames of one sample in printed order. Used for samples that were recovered from a printed
 * report (recover.h).
 */
struct stdio_list {
	uint32_t first; /* index in stdio.frames of the sample's first frame */
	uint32_t n;
	str_id comm;
	sym_id leaf;
	uint64_t count;
};

/*
 * A sample that belongs to the tree of a row, because its stack contains the row's function. The
 * tree has the frames from this function on.
 */
struct stdio_place {
	uint32_t row;  /* index of the row in profile.table.rows */
	uint32_t list; /* index of the sample in stdio.lists */
	uint32_t at;   /* index in the sample's frames of the first frame that is in the tree */
};

struct stdio {
	struct out *out;
	const struct capture *capture;
	const struct profile *profile;
	const struct symbols *symbols;
	const struct perf_stdio_options *options;
	bool is_old;
	bool has_children;
	unsigned int has; /* columns of the table: a combination of flags of enum row_has */
	size_t comm_width;
	size_t dso_width;
	size_t sym_width;
	struct stdio_tree tree;
	/*
	 * the members below are used only for samples that were recovered exactly from a printed
	 * report (recover.h)
	 */
	struct recover_aliases aliases;
	VEC(sym_id) frames;
	VEC(struct stdio_list) lists;
	VEC(struct stdio_place) places; /* sorted by row */
	uint64_t total;
};

static struct str stdio_string(const struct stdio *s, str_id id)
{
	return strings_get(capture_strings(s->capture), id);
}

static void stdio_padded(struct out *o, struct str text, size_t width)
{
	out_str(o, text);
	if (text.len < width)
		out_repeat(o, ' ', width - text.len);
}

/* Print the number of samples with a unit (K, M or G), rounded down as in perf: "67 ", "73K". */
static void stdio_sample_count(struct out *o, uint64_t n)
{
	static const char units[] = " KMG";
	unsigned int u = 0;

	for (; n > 1000 && u < 3; u++)
		n /= 1000;
	out_printf(o, "# Samples: %llu%c of event ", (unsigned long long)n, units[u]);
}

static void stdio_measure(struct stdio *s, str_id comm, str_id dso, sym_id sym)
{
	size_t c = stdio_string(s, comm).len;
	size_t d = stdio_string(s, dso).len;
	size_t n = symbols_name(s->symbols, sym).len + 4;

	s->comm_width = c > s->comm_width ? c : s->comm_width;
	s->dso_width = d > s->dso_width ? d : s->dso_width;
	s->sym_width = n > s->sym_width ? n : s->sym_width;
}

static void stdio_title(struct stdio *s, bool ruler, const char *title, size_t width)
{
	out_z(s->out, "  ");
	if (ruler)
		out_repeat(s->out, '.', width);
	else
		stdio_padded(s->out, str_of(title), width);
}

static void stdio_titles(struct stdio *s, bool ruler)
{
	struct out *o = s->out;

	out_z(o, ruler ? "# ........" : s->has_children ? "# Children" : "# Overhead");
	if (s->has_children)
		out_z(o, ruler ? "  ........" : "      Self");
	if (s->has & ROW_HAS_SAMPLES)
		out_z(o, ruler ? "  ............" : "       Samples");
	if (s->has & ROW_HAS_PERIOD)
		out_z(o, ruler ? "  ............" : "        Period");
	if (s->has & ROW_HAS_PID)
		out_z(o, ruler ? "  ......." : "      Pid");
	if (s->has & ROW_HAS_CPU)
		out_z(o, ruler ? "  ..." : "  CPU");
	if (s->has & ROW_HAS_COMM)
		stdio_title(s, ruler, "Command", s->comm_width);
	if (s->has & ROW_HAS_DSO)
		stdio_title(s, ruler, "Shared Object", s->dso_width);
	VEC_FOREACH (id, &s->profile->table.extra_columns) {
		struct str title = stdio_string(s, *id);

		out_z(o, "  ");
		if (ruler)
			out_repeat(o, '.', title.len);
		else
			out_str(o, title);
	}
	if (s->has & ROW_HAS_SYMBOL)
		stdio_title(s, ruler, "Symbol", s->sym_width);
	out_char(o, '\n');
}

static void stdio_header(struct stdio *s)
{
	const struct profile *p = s->profile;
	struct out *o = s->out;
	bool has_n = p->has_n_samples || !p->table.rows.len;

	if (s->comm_width < 7)
		s->comm_width = 7;
	if (s->dso_width < 13)
		s->dso_width = 13;
	if (s->sym_width < 6)
		s->sym_width = 6;
	if (!s->options->has_header)
		out_z(o, "# To display the perf.data header info, please use "
			 "--header/--header-only options.\n#\n");
	out_z(o, "#\n");
	if (p->has_lost)
		out_printf(o, "# Total Lost Samples: %llu\n#\n", (unsigned long long)p->lost);
	if (has_n && p->event.v) {
		stdio_sample_count(o, p->has_n_samples ? p->n_samples : profile_count_samples(p));
		out_char(o, '\'');
		out_str(o, stdio_string(s, p->event));
		out_z(o, "'\n");
	}
	if (p->has_event_count)
		out_printf(o, "# Event count (approx.): %llu\n",
			   (unsigned long long)p->event_count);
	out_z(o, "#\n");
	stdio_titles(s, false);
	stdio_titles(s, true);
	out_z(o, "#\n");
}

static void stdio_pct(struct out *o, double pct)
{
	out_printf(o, "  %7.2f%%", pct);
}

/* Print the last cells of a row: Command, Shared Object, extra columns and Symbol. */
static void stdio_names(struct stdio *s, str_id comm, str_id dso, char level, sym_id sym,
			const struct profile_row *row)
{
	struct out *o = s->out;

	if (s->has & ROW_HAS_COMM) {
		out_z(o, "  ");
		stdio_padded(o, stdio_string(s, comm), s->comm_width);
	}
	if (s->has & ROW_HAS_DSO) {
		out_z(o, "  ");
		stdio_padded(o, stdio_string(s, dso), s->dso_width);
	}
	for (size_t i = 0;
	     row && row->extra != INDEX_NONE && i < s->profile->table.extra_columns.len; i++) {
		out_z(o, "  ");
		stdio_padded(o, stdio_string(s, s->profile->table.extra_cells.data[row->extra + i]),
			     stdio_string(s, s->profile->table.extra_columns.data[i]).len);
	}
	if (s->has & ROW_HAS_SYMBOL) {
		out_z(o, "  ");
		if (level != ' ' && level)
			out_printf(o, "[%c] ", level);
		if (s->is_old)
			stdio_padded(o, symbols_name(s->symbols, sym), s->sym_width - 4);
		else
			out_str(o, symbols_name(s->symbols, sym));
	}
	out_char(o, '\n');
}

static void stdio_row(struct stdio *s, const struct profile_row *row, double children, double self)
{
	struct out *o = s->out;

	if (s->has_children)
		stdio_pct(o, children);
	stdio_pct(o, self);
	if (s->has & ROW_HAS_SAMPLES)
		out_printf(o, "  %12llu", (unsigned long long)row->samples);
	if (s->has & ROW_HAS_PERIOD)
		out_printf(o, "  %12llu", (unsigned long long)row->period);
	if (s->has & ROW_HAS_PID)
		out_printf(o, "  %7u", row->pid);
	if (s->has & ROW_HAS_CPU)
		out_printf(o, "  %3u", row->cpu);
	stdio_names(s, row->comm, row->dso.v ? row->dso : symbols_get(s->symbols, row->sym)->module,
		    row->level, row->sym, row);
}

/*
 * Append a sample with the frames of @stack, in printed order, to s->lists. Used only for recovered
 * samples.
 */
static void stdio_add_list(struct stdio *s, stack_id stack, uint64_t count)
{
	const struct stacks *stacks = &s->profile->stacks;
	enum chain_order order = s->profile->table.order;
	struct stdio_list list = { (uint32_t)s->frames.len, 0, STR_ID_NONE, SYM_ID_NONE, count };
	size_t kernel;
	sym_id *f;

	list.leaf = stacks_sym(stacks, stack);
	for (stack_id at = stack; at.v; at = stacks_parent(stacks, at)) {
		const struct symbol *sym = symbols_get(s->symbols, stacks_sym(stacks, at));

		if (sym->space == SPACE_COMM)
			list.comm = sym->name;
		else
			*VEC_PUSH(&s->frames) = stacks_sym(stacks, at);
	}
	list.n = (uint32_t)s->frames.len - list.first;
	f = s->frames.data + list.first;
	/*
	 * `f` starts with the sampled function. perf prints some frames in the opposite order: in
	 * caller order all frames, in mixed order the kernel frames. Reverse these frames
	 */
	kernel = order == CHAIN_CALLER ? list.n : 0;
	while (order == CHAIN_MIXED && kernel < list.n &&
	       symbols_get(s->symbols, f[kernel])->space == SPACE_KERNEL)
		kernel++;
	for (size_t i = 0; i < kernel / 2; i++) {
		sym_id swap = f[i];

		f[i] = f[kernel - 1 - i];
		f[kernel - 1 - i] = swap;
	}
	*VEC_PUSH(&s->lists) = list;
}

static int stdio_compare_places(const void *pa, const void *pb)
{
	const struct stdio_place *a = pa;
	const struct stdio_place *b = pb;

	if (a->row != b->row)
		return a->row < b->row ? -1 : 1;
	return a->list < b->list ? -1 : a->list > b->list;
}

/*
 * For each row, find the samples whose stack contains the row's function, and store them in
 * s->places. Without a Children column, a sample belongs only to the row of its sampled function.
 * If a stack contains the function several times, its part in the tree starts at the first of these
 * frames. If the function is the sampled function, the tree has the whole stack.
 */
static void stdio_find_places(struct stdio *s)
{
	struct idmap map = { 0 };
	/*
	 * indexed by row: number of the last list that contains the row's function, counted from 1;
	 * 0: none so far
	 */
	VEC(uint32_t) seen = VEC_INIT;

	for (uint32_t i = 0; i < s->profile->table.rows.len; i++) {
		const struct profile_row *r = &s->profile->table.rows.data[i];
		sym_id sym = recover_alias(&s->aliases, r->sym);
		struct idmap_probe p = idmap_first(&map, hash_u64(r->comm.v, sym.v));
		bool found = false;

		while (!found && idmap_next(&map, &p)) {
			const struct profile_row *o = &s->profile->table.rows.data[p.id];

			found = o->comm.v == r->comm.v &&
				recover_alias(&s->aliases, o->sym).v == sym.v;
		}
		if (!found)
			idmap_insert(&map, &p, i);
		*VEC_PUSH(&seen) = 0;
	}
	for (uint32_t l = 0; l < s->lists.len; l++) {
		const struct stdio_list *list = &s->lists.data[l];

		for (uint32_t at = 0; at < list->n; at++) {
			sym_id sym = s->frames.data[list->first + at];
			struct idmap_probe p = idmap_first(&map, hash_u64(list->comm.v, sym.v));

			while (idmap_next(&map, &p)) {
				const struct profile_row *r = &s->profile->table.rows.data[p.id];
				bool is_leaf = sym.v == list->leaf.v;

				if (r->comm.v != list->comm.v ||
				    recover_alias(&s->aliases, r->sym).v != sym.v)
					continue;
				if (seen.data[p.id] != l + 1 && (is_leaf || s->has_children))
					*VEC_PUSH(&s->places) =
						(struct stdio_place){ p.id, l, is_leaf ? 0 : at };
				seen.data[p.id] = l + 1;
				break;
			}
		}
	}
	VEC_SORT(&s->places, stdio_compare_places);
	idmap_fini(&map);
	VEC_FREE(&seen);
}

/* The call tree of one row, with the number of samples of each node. */
struct stdio_counts {
	/* tree of frames; the frame that perf prints first is a child of the root */
	struct stacks tree;
	VEC(uint64_t) counts;
	VEC(uint32_t) child;
	VEC(uint32_t) sibling;
};

static stack_id stdio_count_frame(struct stdio_counts *c, stack_id at, sym_id sym, uint64_t n)
{
	at = stacks_push(&c->tree, at, sym);
	while (c->counts.len < stacks_count(&c->tree))
		*VEC_PUSH(&c->counts) = 0;
	c->counts.data[at.v] += n;
	return at;
}

/*
 * Append the children of node @at, and their subtrees, to @t, in order of descending weight.
 * Children of equal weight stay in printed order.
 */
static void stdio_emit_counts(struct stdio_counts *c, struct tree *t, uint32_t at, uint32_t parent)
{
	while (c->child.data[at]) {
		uint32_t *best = &c->child.data[at];
		uint32_t node, number;

		for (uint32_t *k = best; *k; k = &c->sibling.data[*k]) {
			if (c->counts.data[*k] > c->counts.data[*best])
				best = k;
		}
		node = *best;
		*best = c->sibling.data[node];
		number = (uint32_t)t->nodes.len;
		*VEC_PUSH(&t->nodes) = (struct tree_node){ .weight = c->counts.data[node],
							   .sym = c->tree.sym.data[node],
							   .parent = parent };
		stdio_emit_counts(c, t, node, number);
		t->nodes.data[number].end = (uint32_t)t->nodes.len;
	}
}

/*
 * Print the tree of row number @number. It is computed from the samples s->places[@from] to
 * s->places[@to - 1].
 */
static void stdio_counted_tree(struct stdio *s, uint32_t number, size_t from, size_t to,
			       uint64_t row_count)
{
	const struct profile_table *table = &s->profile->table;
	const struct profile_row *row = &table->rows.data[number];
	struct stdio_counts c = { 0 };
	struct tree t = { .total = s->total, .unit = WEIGHT_SAMPLES };
	/* index: node of the printed tree; value: the same node in c.tree */
	VEC(stack_id) printed = VEC_INIT;

	stacks_init(&c.tree);
	*VEC_PUSH(&c.counts) = 0;
	/*
	 * first add the nodes of the printed tree: branches of equal weight then stay in the order
	 * of the printed report
	 */
	for (uint32_t i = row->tree; row->tree != INDEX_NONE && i < profile_tree_end(table, number);
	     i++) {
		const struct profile_node *n = &table->nodes.data[i];
		stack_id up =
			n->parent == INDEX_NONE ? STACK_ROOT : printed.data[n->parent - row->tree];

		*VEC_PUSH(&printed) =
			stdio_count_frame(&c, up, recover_alias(&s->aliases, n->sym), 0);
	}
	for (size_t i = from; i < to; i++) {
		const struct stdio_list *list = &s->lists.data[s->places.data[i].list];
		stack_id at = STACK_ROOT;

		for (uint32_t k = s->places.data[i].at; k < list->n; k++)
			at = stdio_count_frame(&c, at, s->frames.data[list->first + k],
					       list->count);
	}
	VEC_RESERVE(&c.child, c.counts.len);
	VEC_RESERVE(&c.sibling, c.counts.len);
	memset(c.child.data, 0, c.counts.len * sizeof(uint32_t));
	for (uint32_t i = (uint32_t)c.counts.len; i-- > 1;) {
		uint32_t up = c.tree.parent.data[i];

		c.sibling.data[i] = c.child.data[up];
		if (c.counts.data[i])
			c.child.data[up] = i;
		else
			c.sibling.data[i] = 0;
	}
	stdio_emit_counts(&c, &t, 0, INDEX_NONE);
	stdio_tree_counted(&s->tree, &t, row_count);
	tree_fini(&t);
	stacks_fini(&c.tree);
	VEC_FREE(&c.counts);
	VEC_FREE(&c.child);
	VEC_FREE(&c.sibling);
	VEC_FREE(&printed);
}

/*
 * Print a profile whose samples were recovered exactly from a printed report (RECOVERY_EXACT). All
 * figures are computed from the samples.
 */
static void stdio_recovered(struct stdio *s)
{
	const struct profile *p = s->profile;
	const char *gap = s->is_old ? " " : "";
	size_t to;

	for (size_t i = 0; i < p->samples.n; i++) {
		stdio_add_list(s, p->samples.stack.data[i], p->samples.weight.data[i]);
		s->total += p->samples.weight.data[i];
	}
	stdio_find_places(s);
	for (size_t from = 0; from < s->places.len; from = to) {
		uint32_t number = s->places.data[from].row;
		const struct profile_row *row = &p->table.rows.data[number];
		sym_id sym = recover_alias(&s->aliases, row->sym);
		uint64_t self = 0;
		uint64_t children = 0;

		for (to = from; to < s->places.len && s->places.data[to].row == number; to++) {
			const struct stdio_list *l = &s->lists.data[s->places.data[to].list];

			children += l->count;
			self += l->leaf.v == sym.v ? l->count : 0;
		}
		stdio_row(s, row, 100 * (double)children / (double)s->total,
			  100 * (double)self / (double)s->total);
		if (s->options->no_trees)
			continue;
		stdio_counted_tree(s, number, from, to, children);
		stdio_tree_draw(&s->tree, s->out, s->symbols, gap);
	}
}

static void stdio_as_printed(struct stdio *s)
{
	const struct profile *p = s->profile;

	for (uint32_t i = 0; i < p->table.rows.len; i++) {
		const struct profile_row *row = &p->table.rows.data[i];

		stdio_row(s, row, profile_value(p, row->children), profile_value(p, row->self));
		if (row->tree == INDEX_NONE || s->options->no_trees)
			continue;
		stdio_tree_printed(&s->tree, p, row->tree, profile_tree_end(&p->table, i));
		stdio_tree_draw(&s->tree, s->out, s->symbols, s->is_old ? " " : "");
	}
}

static int stdio_table(struct stdio *s)
{
	const struct profile *p = s->profile;

	s->has = p->table.columns;
	VEC_FOREACH (r, &p->table.rows) {
		s->has |= r->has;
		stdio_measure(s, r->comm, r->dso, r->sym);
	}
	s->has_children = s->has & ROW_HAS_CHILDREN;
	stdio_header(s);
	if (p->recovery == RECOVERY_EXACT)
		stdio_recovered(s);
	else
		stdio_as_printed(s);
	return OK;
}

static int stdio_sampled_tree(struct stdio *s, const struct top_row *row, double limit,
			      struct error *err)
{
	struct tree_spec spec = {
		.direction =
			s->options->caller_order && s->has_children ? TREE_CALLEES : TREE_CALLERS,
		.start = { row->keys[2] },
		.comm = { row->keys[0] },
		.self_only = !s->has_children,
		.percent_limit = limit,
	};
	struct tree t;
	int r = tree_build(s->capture, &spec, &t, err);

	if (r < 0)
		return r;
	if (t.nodes.len > 1) {
		stdio_tree_counted(&s->tree, &t, s->has_children ? row->children : row->self);
		stdio_tree_draw(&s->tree, s->out, s->symbols, s->is_old ? " " : "");
	}
	tree_fini(&t);
	return OK;
}

/* Print a profile that was read from samples, not from printed rows. */
static int stdio_samples(struct stdio *s, struct error *err)
{
	struct category_cache cats = { 0 };
	struct top_spec spec = { .n_keys = 3,
				 .keys = { { TOP_COMM, 0 }, { TOP_DSO, 0 }, { TOP_SYM, 0 } },
				 .no_children = s->options->no_children,
				 .sort_by_self = s->options->no_children };
	double limit = s->options->percent_limit < 0 ? STDIO_TREE_LIMIT : s->options->percent_limit;
	struct top t;
	uint64_t work = 0;
	size_t left_out = 0;
	int r = top_compute(s->capture, &cats, &spec, &t, err);

	category_cache_fini(&cats);
	if (r < 0)
		return r;
	s->has = ROW_HAS_COMM | ROW_HAS_DSO | ROW_HAS_SYMBOL;
	if (s->options->has_samples)
		s->has |= ROW_HAS_SAMPLES;
	s->has_children = t.has_children;
	VEC_FOREACH (row, &t.rows)
		stdio_measure(s, (str_id){ row->keys[0] }, (str_id){ row->keys[1] },
			      (sym_id){ row->keys[2] });
	stdio_header(s);
	for (size_t i = 0; i < t.rows.len && r == OK; i++) {
		const struct top_row *row = &t.rows.data[i];
		sym_id sym = { row->keys[2] };
		double pct = s->has_children ? row->children_pct : row->self_pct;

		if (s->has_children)
			stdio_pct(s->out, row->children_pct);
		stdio_pct(s->out, row->self_pct);
		if (s->has & ROW_HAS_SAMPLES)
			out_printf(s->out, "  %12llu", (unsigned long long)row->samples);
		stdio_names(s, (str_id){ row->keys[0] }, (str_id){ row->keys[1] },
			    symbol_level_of_space(symbols_get(s->symbols, sym)->space), sym, NULL);
		if (pct < limit || s->options->no_trees || !sym.v)
			continue;
		work += stacks_count(&s->profile->stacks);
		if (work <= STDIO_TREE_WORK)
			r = stdio_sampled_tree(s, row, limit, err);
		else
			left_out++;
	}
	if (left_out)
		out_printf(s->out, "#\n# (The call trees of %zu more rows are left out)\n#\n",
			   left_out);
	top_fini(&t);
	return r;
}

/*
 * Print the header fields as "# key : value". As in perf, some keys have no blank before the colon.
 */
void perf_stdio_header(struct out *out, const struct capture *c)
{
	static const char *const colons[] = { "pmu mappings", "group", "CPU cache" };
	const struct strings *strings = capture_strings(c);

	out_z(out, "# ========\n");
	VEC_FOREACH (note, &c->notes) {
		struct str key = strings_get(strings, note->key);
		bool is_colon = str_starts(key, STR("CPU "));

		for (size_t i = 0; i < ARRAY_LEN(colons); i++)
			is_colon |= str_eq(key, str_of(colons[i]));
		out_printf(out, "# " STR_FMT "%s " STR_FMT "\n", STR_ARG(key),
			   is_colon ? ":" : " :", STR_ARG(strings_get(strings, note->value)));
	}
	out_z(out, "# ========\n#\n");
}

int perf_stdio_print(struct out *out, const struct capture *c,
		     const struct perf_stdio_options *options, struct error *err)
{
	struct stdio s = { .out = out, .capture = c, .profile = c->profile, .options = options };
	int r;

	if (!c->profile || (c->profile->samples.n == 0 && c->profile->table.rows.len == 0))
		return fail(err, ERR_USAGE, "this capture has no samples and no printed rows");
	s.symbols = capture_symbols(c);
	s.is_old = options->style == PERF_STDIO_OLD ||
		   (options->style == PERF_STDIO_AS_READ && c->profile->table.order == CHAIN_MIXED);
	recover_aliases_make(c, &s.aliases);
	r = c->profile->table.rows.len ? stdio_table(&s) : stdio_samples(&s, err);
	recover_aliases_fini(&s.aliases);
	stdio_tree_fini(&s.tree);
	VEC_FREE(&s.frames);
	VEC_FREE(&s.lists);
	VEC_FREE(&s.places);
	return r;
}
