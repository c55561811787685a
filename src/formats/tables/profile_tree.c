/* SPDX-License-Identifier: MIT */
/*
 * profile_tree.c - call trees with one function per line: sample of macOS, GHC's .prof
 *
 * Callees are indented below their caller: the column of the name, or of the number before it,
 * gives the depth. sample prints numbers of samples that include callees. GHC prints two amounts
 * that exclude callees, time and allocation, which become two captures. Definitions: sample(1) of
 * macOS; rts/ProfilerReport.c of GHC.
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
#include "formats/tables/line_table.h"

#include <math.h>

#define TREE_BYTES 4096u /* limit of the length of a line */
#define TREE_WORDS 64u
/* numbers in a row of GHC: no., entries, %time, %alloc, and the latter two with callees */
#define TREE_NUMBERS 6u
#define TREE_TICKS   8u /* numbers in a row of GHC with -P, which adds ticks and bytes */
#define TREE_AMOUNTS 2u

static const struct diag_kind tree_lines = { "profile-tree-lines", DIAG_DATALOSS,
					     "lines of a call tree that were not read" };

struct tree_row {
	size_t depth;
	struct str name, module;
	uint64_t weight[TREE_AMOUNTS]; /* sample: callees included; GHC: callees excluded */
	bool is_ghc;
	bool has_ticks;
	bool is_thread;
};

/* A line whose callees may still follow. */
struct tree_open {
	size_t depth;
	stack_id stack[TREE_AMOUNTS];
	uint64_t rest; /* sample: samples without the callees read so far */
};

struct tree_reader {
	const struct region *in;
	struct capture *c[TREE_AMOUNTS];
	VEC(struct tree_open) open;
};

/*
 * Parse a row of sample: "    +   ! : 1800 shelf_find  (in shelfd) +
 * 44,28,...  [0x10f1a5a2c,...]  shelf.c:12".
 */
static bool tree_sample_row(struct str line, struct tree_row *ret)
{
	struct str rest = line;
	size_t in;

	while (rest.len && strchr(" +!:|", rest.p[0]))
		rest = str_skip(rest, 1);
	ret->depth = line.len - rest.len;
	if (ret->depth < 4 || !str_u64(&rest, &ret->weight[0]) || !str_take(&rest, STR(" ")))
		return false;
	in = str_find(rest, STR("  (in "));
	ret->name = str_trim(str_sub(rest, 0, in));
	ret->is_thread = str_starts(ret->name, STR("Thread_"));
	/* cut a thread's name: "Thread_7   DispatchQueue_1: com.apple.main-thread  (serial)" */
	if (ret->is_thread)
		ret->name = str_sub(ret->name, 0, str_find(ret->name, STR("   ")));
	rest = str_skip(rest, in + 6);
	ret->module = str_sub(rest, 0, str_find_char(rest, ')'));
	return ret->name.len && (ret->is_thread || (ret->module.len && in + 6 < line.len));
}

/*
 * Parse a row of GHC:
 * "   put   Shelf   src/Shelf.hs:20:1-30   242   2000   20.1   30.4    91.3   90.5".
 */
static bool tree_ghc_row(struct str line, struct tree_row *ret)
{
	struct str words[TREE_WORDS];
	double v[TREE_TICKS] = { 0 };
	struct str t = str_ltrim(line);
	size_t n = 0, tail = 0;

	ret->depth = line.len - t.len;
	while (n < TREE_WORDS && str_word(&t, &words[n]))
		n++;
	for (; tail < TREE_TICKS && tail + 2 < n; tail++) {
		struct str word = words[n - 1 - tail];

		if (!str_double(&word, &v[TREE_TICKS - 1 - tail]) || word.len ||
		    v[TREE_TICKS - 1 - tail] < 0 || v[TREE_TICKS - 1 - tail] > 1e15)
			break;
	}
	if (t.len || (tail != TREE_NUMBERS && tail != TREE_TICKS))
		return false;
	ret->is_ghc = true;
	ret->has_ticks = tail == TREE_TICKS;
	ret->name = words[0];
	ret->module = words[1];
	/* the root stands for work of the runtime outside of all cost centres */
	ret->is_thread = str_eq(ret->name, STR("MAIN")) && str_eq(ret->module, STR("MAIN"));
	/* shares become integers: they have one decimal */
	for (size_t i = 0; i < TREE_AMOUNTS; i++)
		ret->weight[i] =
			(uint64_t)llround(ret->has_ticks ? v[TREE_NUMBERS + i] : 10 * v[2 + 2 + i]);
	return ret->name.len > 0 && (ret->has_ticks || (v[4] <= 100 && v[5] <= 100));
}

static bool tree_row_of(struct str line, struct tree_row *ret)
{
	*ret = (struct tree_row){ .depth = 0 };
	line = str_rtrim(str_sub(line, 0, TREE_BYTES));
	return tree_sample_row(line, ret) || tree_ghc_row(line, ret);
}

static bool tree_is_head(struct str t)
{
	return str_eq(t, STR("Call graph:")) ||
	       str_glob(STR("COST CENTRE *MODULE *no. *entries *%time %alloc*"), t);
}

static enum line_kind tree_kind(struct str line)
{
	struct str t = str_trim(line);
	struct tree_row row;

	if (tree_is_head(t))
		return LINE_PART;
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
		return LINE_ROW;
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

static struct capture *tree_capture(struct tree_reader *r, struct dossier *d, size_t which,
				    const struct tree_row *row)
{
	struct profile *p;

	if (r->c[which])
		return r->c[which];
	r->c[which] = format_add_capture(&format_profile_tree, r->in, d);
	r->c[which]->format = row->is_ghc ? "ghc-prof" : "macos-sample";
	p = capture_profile(r->c[which]);
	p->table.limit_pct = -1;
	p->unit = row->is_ghc && !row->has_ticks ? WEIGHT_PERCENT
		  : which                        ? WEIGHT_BYTES
						 : WEIGHT_SAMPLES;
	p->is_rounded = p->unit == WEIGHT_PERCENT;
	p->decimals = p->printed_decimals = p->is_rounded;
	p->is_summed = p->unit != WEIGHT_SAMPLES;
	/* sample records all threads at each tick, also threads that wait */
	p->event = strings_add(capture_strings(r->c[which]), which         ? STR("alloc_space")
							     : row->is_ghc ? STR("cpu-time")
									   : STR("wall"));
	return r->c[which];
}

static void tree_sample(struct profile *p, stack_id stack, uint64_t weight)
{
	if (weight == 0 || profile_add_sample(p, stack, weight) < 0 || p->unit != WEIGHT_SAMPLES)
		return;
	*VEC_PUSH(&p->samples.count) = weight < UINT32_MAX ? (uint32_t)weight : UINT32_MAX;
	p->n_samples += p->samples.count.data[p->samples.count.len - 1];
	p->has_n_samples = true;
}

/* Close the lines at or right of @depth, which cannot be callers of a line at @depth. */
static void tree_close(struct tree_reader *r, size_t depth)
{
	while (r->open.len && r->open.data[r->open.len - 1].depth >= depth) {
		const struct tree_open *o = &r->open.data[--r->open.len];

		tree_sample(r->c[0]->profile, o->stack[0], o->rest);
	}
}

static void tree_add(struct tree_reader *r, struct dossier *d, const struct tree_row *row)
{
	struct tree_open o = { .depth = row->depth, .rest = row->is_ghc ? 0 : row->weight[0] };
	struct tree_open *above;

	tree_close(r, row->depth);
	if (r->open.len >= LIMIT_STACK_DEPTH)
		return;
	above = r->open.len ? &r->open.data[r->open.len - 1] : NULL;
	if (above)
		above->rest -= above->rest > o.rest ? o.rest : above->rest;
	for (size_t i = 0; i < (row->is_ghc ? TREE_AMOUNTS : 1); i++) {
		struct capture *c = tree_capture(r, d, i, row);

		o.stack[i] =
			stacks_push(&c->profile->stacks, above ? above->stack[i] : STACK_ROOT,
				    symbols_add_text(capture_symbols(c), row->name,
						     row->is_thread ? STR_NONE : row->module,
						     row->is_thread ? SPACE_COMM : SPACE_USER, 0));
		if (row->is_ghc)
			tree_sample(c->profile, o.stack[i], row->weight[i]);
	}
	*VEC_PUSH(&r->open) = o;
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

		is_tree = kind == LINE_PART || (is_tree && kind != LINE_TAIL);
		if (is_tree && kind == LINE_ROW && tree_row_of(line, &row))
			tree_add(&r, d, &row);
		else if (is_tree && r.c[0] && kind == LINE_OTHER)
			diag_count(&r.c[0]->diag, &tree_lines, region_line(in, n));
	}
	tree_close(&r, 0);
	VEC_FREE(&r.open);
	samples = r.c[0] ? r.c[0]->profile->samples.n : 0;
	samples += r.c[1] ? r.c[1]->profile->samples.n : 0;
	return samples ? OK : fail(err, ERR_FORMAT, "no amount in a call tree");
}

const struct format format_profile_tree = {
	.name = "profile-tree",
	.title = "profile tree",
	.summary = "call trees as text: sample of macOS, GHC's .prof",
	.kinds = KIND_PROFILE,
	.probe = profile_tree_probe,
	.find = profile_tree_find,
	.read = profile_tree_read,
};
