/* SPDX-License-Identifier: MIT */
/*
 * profile_tree.c - call trees with one function per line: sample of macOS, GHC's .prof, pmcstat,
 * Julia, sysprof, V8, Emacs
 *
 * The depth of a line is the column of its name, or of the number before its name. Most tools print
 * numbers of samples; sysprof prints shares. The number of a line includes the numbers of the lines
 * below it in the tree. In trees of pmcstat and V8, the lines below a line are its callers; in
 * other trees, they are its callees. GHC prints time and allocation, both without callees; each of
 * the two becomes a capture. tree_rows.c parses single lines.
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

DECLARE_FORMAT(profile_tree);

/*
 * TREE_V8_NAME: maximum length of a name, in bytes. TREE_ROOTS: maximum number of functions at the
 * top level of V8's tree. V8 omits functions with less than 1 %, so 100 are possible.
 */
#define TREE_V8_NAME   1024u
#define TREE_ROOTS     128u
#define TREE_EMACS_MIN 3u /* minimum number of rows in a tree of Emacs */
/* largest error of a sum of rounded shares, in hundredths of a percent */
#define TREE_ROUNDED 3u

static const struct diag_kind tree_lines = { "profile-tree-lines", DIAG_DATALOSS,
					     "lines of a call tree that were not read" };

static const char *const tree_names[TREE_TOOLS] = {
	[TREE_SAMPLE] = "macos-sample",  [TREE_GHC] = "ghc-prof", [TREE_PMCSTAT] = "pmcstat",
	[TREE_JULIA] = "julia",          [TREE_V8] = "v8-prof",   [TREE_SYSPROF] = "sysprof",
	[TREE_EMACS] = "emacs-profiler",
};

/* An open line of the tree: lines of its callees (or callers) may still follow. */
struct tree_open {
	size_t depth;
	sym_id sym; /* function of the line; used only in trees of callers */
	/* stack of the line, in each capture; used only in trees of callees */
	stack_id stack[TREE_AMOUNTS];
	/*
	 * samples of the line, minus the samples of its callees (or callers) that were read so far
	 */
	uint64_t rest;
	/* `self` is known: the samples of the line without those of its callees */
	bool has_self;
	uint64_t self;
};

/*
 * A row of V8's tables, which precede the tree. Functions that are too rare for the tree have rows
 * only in these tables.
 */
struct tree_flat {
	sym_id sym;
	/* hash of the name as printed, including the mark for the tier of the code */
	uint32_t printed;
	uint64_t weight;
};

struct tree_reader {
	const struct region *in;
	struct capture *c[TREE_AMOUNTS];
	VEC(struct tree_open) open;
	enum tree_tool tool;
	struct str event;   /* pmcstat, V8: the event that the title names */
	struct str module;  /* pmcstat: object of the previous line */
	uint64_t n_samples; /* pmcstat, V8: number of samples in the title */
	bool has_title;     /* n_samples is from the title, not computed from a row */
	/*
	 * V8, if the tree has no title: n_samples was computed from the row with this share, in
	 * tenths of a percent
	 */
	unsigned int permille;
	uint64_t sum;    /* weight of all samples */
	uint64_t hidden; /* samples of callees (or callers) that the tree does not show */
	/*
	 * sysprof: depth of the line "- - kernel - -", whose callees are kernel functions; 0: the
	 * current line is not below such a line
	 */
	size_t kernel_depth;
	bool is_flat; /* V8: the current lines are rows of a table of functions */
	VEC(struct tree_flat) flat;
	/*
	 * V8: hashes of the printed names at the top level of the tree. The tree has the samples of
	 * these functions, so their rows in V8's tables are not added
	 */
	VEC(uint32_t) roots;
};

static bool tree_is_head(struct str t)
{
	struct str event;
	uint64_t n;

	return str_eq(t, STR("Call graph:")) || str_glob(STR("SELF *CUMULATIVE *FUNCTION"), t) ||
	       str_glob(STR("Overhead *Count File:Line; Function|ticks parent  name"), t) ||
	       str_glob(STR("COST CENTRE *MODULE *no. *entries *%time %alloc*"), t) ||
	       tree_row_title(t, &event, &n);
}

static enum line_kind tree_kind(struct str line)
{
	struct str t = str_trim(line);
	struct tree_row row;
	struct str event;
	uint64_t n;

	/* a second title starts another profile of pmcstat or V8 */
	if (tree_is_head(t))
		return tree_row_title(t, &event, &n) ? LINE_HEAD : LINE_PART;
	if (str_glob(STR("Analysis of sampling * (pid *) every *|"
			 "*Time and Allocation Profiling Report*"),
		     t))
		return LINE_HEAD;
	if (t.len == 0)
		return LINE_BLANK;
	/*
	 * V8 prints the titles "ticks ... name" before the tree, Julia prints "Total snapshots"
	 * after it
	 */
	if (str_glob(STR("ticks *name|Total snapshots: *"), t))
		return LINE_TAIL;
	/* texts that sample of macOS prints after the tree; they repeat its numbers */
	if (str_glob(STR("Total number in stack*|Sort by top of stack*|Binary Images:*|0x* - *0x*"),
		     t))
		return LINE_TAIL;
	if (tree_row_of(line, &row))
		return tree_row_is_sure(&row) ? LINE_SURE : LINE_ROW;
	return str_contains(t, STR("  (in ")) ? LINE_TAIL : LINE_OTHER;
}

/*
 * .gap is the maximum number of other lines between title and tree. A .prof file has a table of the
 * most expensive functions between its title and its tree.
 */
static const struct line_table tree_table = {
	.kind = tree_kind, .gap = 60, .min_rows = UINT32_MAX, .score = 99
};

/* Whether @text begins with V8's tables. */
static bool tree_is_v8(struct str text)
{
	return str_starts(str_ltrim(text), STR("Statistical profiling result from "));
}

/*
 * Whether @text has too few rows to be a tree of Emacs. Lines of prose, such as "- half of it 12
 * 50%", may look like rows of Emacs. Trees of other tools may have any size: they have a title, or
 * rows that only this tool prints.
 */
static bool tree_is_few(struct str text)
{
	struct tree_row row;
	struct str line;
	size_t n = 0;

	while (n < TREE_EMACS_MIN && str_line(&text, &line)) {
		if (tree_is_head(str_trim(line)))
			return false;
		if (!tree_row_of(line, &row))
			continue;
		if (row.tool != TREE_EMACS)
			return false;
		n++;
	}
	return n < TREE_EMACS_MIN;
}

static bool profile_tree_find(struct str text, size_t from, struct extent *ret)
{
	while (line_table_find(&tree_table, text, from, ret)) {
		struct str in = str_sub(text, ret->from, ret->to);

		/*
		 * skip lines that only look like rows of Emacs. Also skip V8's tables without a
		 * tree, because profile_text.c reads them
		 */
		if (tree_is_few(in)) {
			from = ret->to;
			continue;
		}
		if (!tree_is_v8(in) || str_contains(in, STR("ticks parent  name")))
			return true;
		from = ret->to;
	}
	return false;
}

static unsigned int profile_tree_probe(struct str head)
{
	struct extent e;

	if (!profile_tree_find(head, 0, &e))
		return 0;
	/* V8's score must be higher than that of profile_text.c, which also finds V8's tables */
	return tree_is_v8(str_skip(head, e.from)) ? 98 : 85;
}

static struct str tree_event(const struct tree_reader *r, size_t which, const struct tree_row *row)
{
	if (row->is_bytes)
		return STR("alloc_space");
	if (r->tool == TREE_PMCSTAT || r->tool == TREE_V8)
		return r->event;
	/*
	 * the event of macOS's sample and of Julia is wall time: both sample all threads, including
	 * those that wait
	 */
	return which ? STR("alloc_space")
	       : r->tool == TREE_GHC || r->tool == TREE_SYSPROF || r->tool == TREE_EMACS
		       ? STR("cpu-time")
		       : STR("wall");
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
	p->unit = (is_ghc && !row->has_ticks) || r->tool == TREE_SYSPROF ? WEIGHT_PERCENT
		  : which || row->is_bytes                               ? WEIGHT_BYTES
									 : WEIGHT_SAMPLES;
	p->is_rounded = p->unit == WEIGHT_PERCENT;
	p->decimals = p->printed_decimals = !p->is_rounded ? 0 : is_ghc ? 1 : 2;
	p->is_summed = p->unit != WEIGHT_SAMPLES;
	if (tree_event(r, which, row).len)
		p->event = strings_add(capture_strings(r->c[which]), tree_event(r, which, row));
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
 * Make the stack of the last open line in a tree of callers. The last open line is the outermost
 * caller, and the first open line is the sampled function. Cost: O(number of open lines).
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
 * Add samples of callees that are not printed, under the name "[not listed]". Lines of sysprof and
 * Emacs may be collapsed or cut, so the names of these callees are unknown.
 */
static void tree_unlisted(struct tree_reader *r, stack_id stack, uint64_t weight)
{
	struct capture *c = r->c[0];
	sym_id sym = symbols_add_text(capture_symbols(c), STR("[not listed]"), STR_NONE,
				      SPACE_UNKNOWN, 0);

	tree_sample(r, c->profile, stacks_push(&c->profile->stacks, stack, sym), weight);
}

/*
 * Close the open lines whose depth is at least @depth: add the own samples of each line to the
 * profile. If `self` is unknown, these are the samples of the line that none of its callees (or
 * callers) has.
 */
static void tree_close(struct tree_reader *r, size_t depth)
{
	while (r->open.len && r->open.data[r->open.len - 1].depth >= depth) {
		const struct tree_open *o = &r->open.data[r->open.len - 1];

		uint64_t own = o->has_self ? o->self : o->rest;

		if ((r->tool == TREE_SYSPROF && o->rest > own + TREE_ROUNDED) ||
		    (r->tool == TREE_EMACS && o->rest > own))
			tree_unlisted(r, o->stack[0], o->rest - own);
		r->hidden += o->rest > own ? o->rest - own : 0;
		if (own)
			tree_sample(r, r->c[0]->profile,
				    tree_tool_has_callers(r->tool) ? tree_callers(r) : o->stack[0],
				    own);
		r->open.len--;
	}
}

/*
 * Whether a function on FreeBSD is in the kernel or in user space, judged by the path of its
 * object.
 */
static enum symbol_space tree_pmcstat_space(struct str module)
{
	enum symbol_space space = symbol_space_of_module(module);

	if (str_glob(STR("/boot/*|*/kernel|kernel"), module))
		space = SPACE_KERNEL;
	return space == SPACE_UNKNOWN && module.len ? SPACE_USER : space;
}

/*
 * @name without the mark for the tier of the code, written to @ret. V8 puts the mark before the
 * name: "JS: *f", "JS: ~f", "JS: ^f" and "JS: +f" are one function. Source: v8,
 * tools/tickprocessor.mjs, JsCodeState in tools/profile.mjs.
 */
static struct str tree_v8_name(struct str name, char ret[TREE_V8_NAME + 4])
{
	struct str rest = name;

	if (!str_take(&rest, STR("JS: ")) || rest.len < 2 || rest.len > TREE_V8_NAME ||
	    !memchr("*~^+", rest.p[0], 4))
		return name;
	memcpy(ret, "JS: ", 4);
	memcpy(ret + 4, rest.p + 1, rest.len - 1);
	return (struct str){ ret, rest.len + 3 };
}

static sym_id tree_symbol(struct tree_reader *r, struct capture *c, const struct tree_row *row)
{
	char text[TREE_V8_NAME + 4];

	if (r->tool == TREE_PMCSTAT)
		return symbols_add_text(capture_symbols(c), row->name, r->module,
					tree_pmcstat_space(r->module), 0);
	return symbols_add_text(capture_symbols(c),
				row->tool == TREE_V8 ? tree_v8_name(row->name, text) : row->name,
				row->is_thread ? STR_NONE : row->module,
				row->is_thread    ? SPACE_COMM
				: r->kernel_depth ? SPACE_KERNEL
						  : SPACE_USER,
				0);
}

/*
 * If V8's tree has no title, compute the total number of ticks from a row at the top level, whose
 * share is of all ticks. Of all such rows, the one with the largest share gives the most exact
 * number.
 */
static void tree_see_total(struct tree_reader *r, const struct tree_row *row)
{
	if (r->has_title || row->tool != TREE_V8 || row->permille <= r->permille)
		return;
	r->permille = row->permille;
	r->n_samples = row->weight[0] * 1000 / row->permille;
	r->event = STR("cpu-time");
}

/*
 * Sysprof: whether @row is no function but a mark. Marks are the root "[Everything]", and "- -
 * kernel - -", whose callees are kernel functions. Updates r->kernel_depth.
 */
static bool tree_is_mark(struct tree_reader *r, const struct tree_row *row)
{
	if (row->depth <= r->kernel_depth)
		r->kernel_depth = 0;
	if (str_glob(STR("- - kernel - -|- - Kernel - -"), row->name)) {
		r->kernel_depth = row->depth;
		return true;
	}
	return row->is_thread && str_glob(STR("Everything|All Processes"), row->name);
}

static void tree_add(struct tree_reader *r, struct dossier *d, const struct tree_row *row)
{
	bool is_ghc = row->tool == TREE_GHC;
	struct tree_open o = { .depth = row->depth,
			       .rest = is_ghc ? 0 : row->weight[0],
			       .has_self = row->has_self,
			       .self = row->self };
	struct tree_open *above;

	tree_close(r, row->depth);
	if (r->tool == TREE_SYSPROF && tree_is_mark(r, row))
		return;
	if (r->open.len >= LIMIT_STACK_DEPTH)
		return;
	above = r->open.len ? &r->open.data[r->open.len - 1] : NULL;
	if (!above)
		tree_see_total(r, row);
	if (above)
		above->rest -= above->rest > o.rest ? o.rest : above->rest;
	if (row->module.len || !above)
		r->module = row->module;
	for (size_t i = 0; i < (is_ghc ? TREE_AMOUNTS : 1); i++) {
		struct capture *c = tree_capture(r, d, i, row);

		o.sym = tree_symbol(r, c, row);
		if (r->tool == TREE_V8 && !above && r->roots.len < TREE_ROOTS)
			*VEC_PUSH(&r->roots) = str_hash32(row->name);
		if (tree_tool_has_callers(r->tool))
			continue;
		o.stack[i] = stacks_push(&c->profile->stacks, above ? above->stack[i] : STACK_ROOT,
					 o.sym);
		if (is_ghc)
			tree_sample(r, c->profile, o.stack[i], row->weight[i]);
	}
	*VEC_PUSH(&r->open) = o;
}

/* Read a line of the tables that V8 prints before its tree. */
static void tree_flat_line(struct tree_reader *r, struct dossier *d, struct str line)
{
	struct str t = str_trim(line);
	struct tree_row row;

	if (str_starts(t, STR("[")) && str_ends(t, STR("]:")))
		r->is_flat = !str_eq(t, STR("[Summary]:")) && !str_contains(t, STR("entry points"));
	if (!r->is_flat || !tree_row_v8_table(line, &row) || r->flat.len >= LIMIT_ROWS)
		return;
	r->tool = TREE_V8;
	*VEC_PUSH(&r->flat) = (struct tree_flat){ tree_symbol(r, tree_capture(r, d, 0, &row), &row),
						  str_hash32(row.name), row.weight[0] };
}

/* Add the samples of functions that are in V8's tables but not at the top level of its tree. */
static void tree_add_flat(struct tree_reader *r)
{
	VEC_FOREACH (f, &r->flat) {
		struct profile *p = r->c[0]->profile;
		bool is_root = false;

		VEC_FOREACH (root, &r->roots)
			is_root |= *root == f->printed;
		if (!is_root)
			tree_sample(r, p, stacks_push(&p->stacks, STACK_ROOT, f->sym), f->weight);
	}
}

/*
 * Add the functions that only V8's tables have. Then set left_out, the number of samples without a
 * stack. In pmcstat and V8, the title counts these samples, but no line shows them. In Julia, they
 * are samples of hidden lines.
 */
static void tree_finish(struct tree_reader *r)
{
	struct profile *p = r->c[0]->profile;

	tree_add_flat(r);
	if (r->tool == TREE_JULIA)
		r->n_samples = r->sum + r->hidden;
	if ((!tree_tool_has_callers(r->tool) && r->tool != TREE_JULIA) || r->n_samples <= r->sum)
		return;
	p->left_out = r->n_samples - r->sum;
	p->n_samples = r->n_samples;
}

static void tree_lines_read(struct tree_reader *r, struct dossier *d)
{
	struct str text = r->in->text;
	bool is_v8 = tree_is_v8(text);
	bool is_tree = false;
	struct tree_row row;
	struct str line;

	for (uint32_t n = 0; str_line(&text, &line); n++) {
		enum line_kind kind = tree_kind(line);
		bool is_row = (kind == LINE_ROW || kind == LINE_SURE) && tree_row_of(line, &row);

		is_v8 = is_v8 && kind != LINE_PART;
		if (tree_row_title(line, &r->event, &r->n_samples))
			is_tree = r->has_title = true;
		if (is_v8) {
			tree_flat_line(r, d, line);
			continue;
		}
		is_tree = kind == LINE_PART || (!r->c[0] && kind == LINE_SURE) ||
			  (is_tree && kind != LINE_TAIL);
		if (is_tree && is_row && !r->c[0])
			r->tool = row.tool;
		if (is_tree && is_row && row.tool == r->tool)
			tree_add(r, d, &row);
		else if (is_tree && r->c[0] && (is_row || kind == LINE_OTHER))
			diag_count(&r->c[0]->diag, &tree_lines, region_line(r->in, n));
	}
	tree_close(r, 0);
}

/*
 * Whether a tree of Julia counts samples twice. In such a tree, a line has fewer samples than the
 * sum of its own samples and those of its callees. Profile.print(recur=:flat) prints such trees for
 * recursive calls. Shares cannot be computed from these trees.
 */
static bool tree_is_double(struct tree_reader *r)
{
	struct str text = r->in->text;
	bool is_double = false;
	struct tree_row row;
	struct str line;

	r->open.len = 0;
	while (!is_double && str_line(&text, &line)) {
		struct tree_open *above;

		if (!tree_row_of(line, &row) || !row.has_self)
			continue;
		while (r->open.len && r->open.data[r->open.len - 1].depth >= row.depth)
			r->open.len--;
		above = r->open.len ? &r->open.data[r->open.len - 1] : NULL;
		is_double = above && above->rest < row.weight[0];
		if (above && !is_double)
			above->rest -= row.weight[0];
		if (r->open.len < LIMIT_STACK_DEPTH)
			*VEC_PUSH(&r->open) =
				(struct tree_open){ .depth = row.depth,
						    .rest = row.weight[0] - row.self };
	}
	r->open.len = 0;
	return is_double;
}

static int profile_tree_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct tree_reader r = { .in = in };
	size_t samples;
	int ret = OK;

	if (tree_is_double(&r)) {
		VEC_FREE(&r.open);
		return fail(err, ERR_FORMAT,
			    "Profile.print(recur=:flat) counts recursive calls twice: print the "
			    "tree without recur");
	}
	tree_lines_read(&r, d);
	samples = r.c[0] ? r.c[0]->profile->samples.n : 0;
	samples += r.c[1] ? r.c[1]->profile->samples.n : 0;
	if (samples == 0)
		ret = fail(err, ERR_FORMAT, "no amount in a call tree");
	else
		tree_finish(&r);
	VEC_FREE(&r.open);
	VEC_FREE(&r.flat);
	VEC_FREE(&r.roots);
	return ret;
}

const struct format format_profile_tree = {
	.name = "profile-tree",
	.title = "profile tree",
	.summary = "call trees as text: sample of macOS, sysprof, GHC's .prof, pmcstat -G, Julia, "
		   "V8, Emacs",
	.kinds = KIND_PROFILE,
	.probe = profile_tree_probe,
	.find = profile_tree_find,
	.read = profile_tree_read,
};
