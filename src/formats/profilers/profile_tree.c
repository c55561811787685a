/* SPDX-License-Identifier: MIT */
/*
 * profile_tree.c - call trees with one function per line: sample of macOS, GHC's .prof, pmcstat
 *
 * The column of the name, or of the number before it, gives the depth. sample and pmcstat print
 * numbers of samples that include the lines below. Below a line, sample prints callees, pmcstat
 * callers. GHC prints two amounts that exclude callees, time and allocation, which become two
 * captures. tree_rows.c reads the lines.
 */
#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "formats/format.h"
#include "formats/profilers/tree_rows.h"
#include "formats/tables/line_table.h"

static const struct diag_kind tree_lines = { "profile-tree-lines", DIAG_DATALOSS,
					     "lines of a call tree that were not read" };

static const char *const tree_names[TREE_TOOLS] = {
	[TREE_SAMPLE] = "macos-sample",
	[TREE_GHC] = "ghc-prof",
	[TREE_PMCSTAT] = "pmcstat",
};

/* A line whose callees, or callers, may still follow. */
struct tree_open {
	size_t depth;
	sym_id sym;                   /* trees of callers */
	stack_id stack[TREE_AMOUNTS]; /* trees of callees */
	uint64_t rest;                /* weight without the lines below it that were read so far */
};

struct tree_reader {
	const struct region *in;
	struct capture *c[TREE_AMOUNTS];
	VEC(struct tree_open) open;
	enum tree_tool tool;
	struct str event;   /* pmcstat: event of the title */
	struct str module;  /* pmcstat: object of the line above */
	uint64_t n_samples; /* pmcstat: samples by the title */
	uint64_t sum;       /* weight of all samples */
};

static bool tree_is_head(struct str t)
{
	struct str event;
	uint64_t n;

	return str_eq(t, STR("Call graph:")) ||
	       str_glob(STR("COST CENTRE *MODULE *no. *entries *%time %alloc*"), t) ||
	       tree_row_title(t, &event, &n);
}

static enum line_kind tree_kind(struct str line)
{
	struct str t = str_trim(line);
	struct tree_row row;
	struct str event;
	uint64_t n;

	/* a second title of pmcstat is that of another event */
	if (tree_is_head(t))
		return tree_row_title(t, &event, &n) ? LINE_HEAD : LINE_PART;
	if (str_glob(STR("Analysis of sampling * (pid *) every *|"
			 "*Time and Allocation Profiling Report*"),
		     t))
		return LINE_HEAD;
	if (t.len == 0)
		return LINE_BLANK;
	/* parts below the tree of macOS's sample: they repeat its samples */
	if (str_glob(STR("Total number in stack*|Sort by top of stack*|Binary Images:*|0x* - *0x*"),
		     t))
		return LINE_TAIL;
	if (tree_row_of(line, &row))
		return tree_row_is_sure(&row) ? LINE_SURE : LINE_ROW;
	return str_contains(t, STR("  (in ")) ? LINE_TAIL : LINE_OTHER;
}

/*
 * The gap is large, because in a .prof file a table of the most expensive functions precedes the
 * tree.
 */
static const struct line_table tree_table = {
	.kind = tree_kind, .gap = 60, .min_rows = UINT32_MAX, .score = 99
};

static unsigned int profile_tree_probe(struct str head)
{
	return line_table_probe(&tree_table, head);
}

static bool profile_tree_find(struct str text, size_t from, struct extent *ret)
{
	return line_table_find(&tree_table, text, from, ret);
}

static struct str tree_event(const struct tree_reader *r, size_t which)
{
	if (r->tool == TREE_PMCSTAT)
		return r->event;
	/* sample records all threads at each tick, also threads that wait */
	return which ? STR("alloc_space") : r->tool == TREE_GHC ? STR("cpu-time") : STR("wall");
}

static struct capture *tree_capture(struct tree_reader *r, struct dossier *d, size_t which,
				    const struct tree_row *row)
{
	struct profile *p;
	bool is_ghc = r->tool == TREE_GHC;

	if (r->c[which])
		return r->c[which];
	r->c[which] = format_add_capture(&format_profile_tree, r->in, d);
	r->c[which]->format = tree_names[r->tool];
	p = capture_profile(r->c[which]);
	p->table.limit_pct = -1;
	p->unit = is_ghc && !row->has_ticks ? WEIGHT_PERCENT
		  : which                   ? WEIGHT_BYTES
					    : WEIGHT_SAMPLES;
	p->is_rounded = p->unit == WEIGHT_PERCENT;
	p->decimals = p->printed_decimals = p->is_rounded;
	p->is_summed = p->unit != WEIGHT_SAMPLES;
	if (tree_event(r, which).len)
		p->event = strings_add(capture_strings(r->c[which]), tree_event(r, which));
	return r->c[which];
}

static void tree_sample(struct tree_reader *r, struct profile *p, stack_id stack, uint64_t weight)
{
	if (weight == 0 || profile_add_sample(p, stack, weight) < 0)
		return;
	r->sum += weight;
	if (p->unit != WEIGHT_SAMPLES)
		return;
	*VEC_PUSH(&p->samples.count) = weight < UINT32_MAX ? (uint32_t)weight : UINT32_MAX;
	p->n_samples += p->samples.count.data[p->samples.count.len - 1];
	p->has_n_samples = true;
}

/*
 * The stack of the last open line of a tree of callers, which is its outermost function. Cost: its
 * depth, which is at most the length of the line.
 */
static stack_id tree_callers(struct tree_reader *r)
{
	struct profile *p = r->c[0]->profile;
	stack_id at = STACK_ROOT;

	for (size_t i = r->open.len; i-- > 0;)
		at = stacks_push(&p->stacks, at, r->open.data[i].sym);
	return at;
}

/*
 * Close the lines at or right of @depth: a line at @depth does not belong below them.
 */
static void tree_close(struct tree_reader *r, size_t depth)
{
	while (r->open.len && r->open.data[r->open.len - 1].depth >= depth) {
		const struct tree_open *o = &r->open.data[r->open.len - 1];

		if (o->rest)
			tree_sample(r, r->c[0]->profile,
				    r->tool == TREE_PMCSTAT ? tree_callers(r) : o->stack[0],
				    o->rest);
		r->open.len--;
	}
}

/* The address space of a function of FreeBSD, by the path of its object. */
static enum symbol_space tree_pmcstat_space(struct str module)
{
	enum symbol_space space = symbol_space_of_module(module);

	if (str_glob(STR("/boot/*|*/kernel|kernel"), module))
		space = SPACE_KERNEL;
	return space == SPACE_UNKNOWN && module.len ? SPACE_USER : space;
}

static sym_id tree_symbol(struct tree_reader *r, struct capture *c, const struct tree_row *row)
{
	if (r->tool == TREE_PMCSTAT)
		return symbols_add_text(capture_symbols(c), row->name, r->module,
					tree_pmcstat_space(r->module), 0);
	return symbols_add_text(capture_symbols(c), row->name,
				row->is_thread ? STR_NONE : row->module,
				row->is_thread ? SPACE_COMM : SPACE_USER, 0);
}

static void tree_add(struct tree_reader *r, struct dossier *d, const struct tree_row *row)
{
	bool is_ghc = row->tool == TREE_GHC;
	struct tree_open o = { .depth = row->depth, .rest = is_ghc ? 0 : row->weight[0] };
	struct tree_open *above;

	tree_close(r, row->depth);
	if (r->open.len >= LIMIT_STACK_DEPTH)
		return;
	above = r->open.len ? &r->open.data[r->open.len - 1] : NULL;
	if (above)
		above->rest -= above->rest > o.rest ? o.rest : above->rest;
	if (row->module.len || !above)
		r->module = row->module;
	for (size_t i = 0; i < (is_ghc ? TREE_AMOUNTS : 1); i++) {
		struct capture *c = tree_capture(r, d, i, row);

		o.sym = tree_symbol(r, c, row);
		if (r->tool == TREE_PMCSTAT)
			continue;
		o.stack[i] = stacks_push(&c->profile->stacks, above ? above->stack[i] : STACK_ROOT,
					 o.sym);
		if (is_ghc)
			tree_sample(r, c->profile, o.stack[i], row->weight[i]);
	}
	*VEC_PUSH(&r->open) = o;
}

/* Samples that the title of pmcstat counts and no line shows still belong to the whole. */
static void tree_finish(struct tree_reader *r)
{
	struct profile *p = r->c[0]->profile;

	if (r->tool != TREE_PMCSTAT || r->n_samples <= r->sum)
		return;
	p->left_out = r->n_samples - r->sum;
	p->n_samples = r->n_samples;
}

static int profile_tree_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct tree_reader r = { .in = in };
	struct str text = in->text;
	bool is_tree = false;
	struct tree_row row;
	struct str line;
	size_t samples;

	for (uint32_t n = 0; str_line(&text, &line); n++) {
		enum line_kind kind = tree_kind(line);
		bool is_row = (kind == LINE_ROW || kind == LINE_SURE) && tree_row_of(line, &row);

		if (!r.c[0] && tree_row_title(line, &r.event, &r.n_samples))
			is_tree = true;
		is_tree = kind == LINE_PART || (!r.c[0] && kind == LINE_SURE) ||
			  (is_tree && kind != LINE_TAIL);
		if (is_tree && is_row && !r.c[0])
			r.tool = row.tool;
		if (is_tree && is_row && row.tool == r.tool)
			tree_add(&r, d, &row);
		else if (is_tree && r.c[0] && (is_row || kind == LINE_OTHER))
			diag_count(&r.c[0]->diag, &tree_lines, region_line(in, n));
	}
	tree_close(&r, 0);
	VEC_FREE(&r.open);
	samples = r.c[0] ? r.c[0]->profile->samples.n : 0;
	samples += r.c[1] ? r.c[1]->profile->samples.n : 0;
	if (samples == 0)
		return fail(err, ERR_FORMAT, "no amount in a call tree");
	tree_finish(&r);
	return OK;
}

const struct format format_profile_tree = {
	.name = "profile-tree",
	.title = "profile tree",
	.summary = "call trees as text: sample of macOS, GHC's .prof, pmcstat -G",
	.kinds = KIND_PROFILE,
	.probe = profile_tree_probe,
	.find = profile_tree_find,
	.read = profile_tree_read,
};
