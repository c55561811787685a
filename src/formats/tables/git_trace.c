/* SPDX-License-Identifier: MIT */
/*
 * git_trace.c - times of the parts of a git command, from GIT_TRACE2_PERF and GIT_TRACE_PERFORMANCE
 *
 *     12:28:42.62 cache.c:17 | d0 | main | region_leave | r1 | 0.31 | 0.30 | index | ..refresh
 *
 *     12:28:42.62 read-cache.c:17   performance: 0.301280000 s:  refresh index
 *
 * The columns of the first example are: place, process, thread, event, repository, time since the
 * start, time since the begin of the region, category, text. The text begins with two dots for each
 * region around it. GIT_TRACE2_PERF_BRIEF leaves out the place. People leave out more columns, or
 * make a table of Markdown. In the second example, the text begins with a blank for each part
 * around it. Definition: git, trace2/tr2_tgt_perf.c; trace.c, trace_performance_leave().
 *
 * The result is the time of each region without the regions in it. Regions of other threads than
 * main run in parallel to it, and those of child processes are in the time of the child: both are
 * left out.
 */
#include "formats/tables/line_table.h"

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/profile_rows.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "formats/format.h"

#include <stdio.h>

DECLARE_FORMAT(git_trace);

#define GIT_CELLS    12u
#define GIT_DEPTH    64u /* maximum number of regions around a region */
#define GIT_NAME     96u /* maximum length of the name of a region */
#define GIT_FACTS    64u /* maximum number of counts to keep */
#define GIT_BYTES    4096u
#define GIT_LEAST    3u  /* minimum number of rows of one table */
#define GIT_CHILDREN 64u /* maximum number of child processes whose command is kept */
#define GIT_DECIMALS 4u  /* decimals of computed shares */

#define GIT_EVENTS                                                                                \
	"version|start|exit|atexit|signal|error|cmd_path|cmd_name|cmd_mode|cmd_ancestry|alias|"   \
	"child_start|child_exit|child_ready|exec|exec_result|thread_start|thread_exit|def_param|" \
	"def_repo|region_enter|region_leave|data|data_json|printf|timer|th_timer|counter|"        \
	"th_counter|too_many_files"

static const struct diag_kind git_lines = { "git-trace-lines", DIAG_INFO,
					    "lines between rows of the trace" };
static const struct diag_kind git_parallel = { "git-trace-parallel", DIAG_INFO,
					       "regions of other threads and of child processes" };

struct git_row {
	struct str event, category, text;
	unsigned int depth;    /* number of regions around the row */
	double absolute, took; /* s; negative: not printed */
	bool is_other;         /* the row is of a child process or of another thread */
};

/* A number of seconds in a cell. Negative: the cell has none. */
static double git_seconds(struct str cell)
{
	double value;

	return str_double(&cell, &value) && cell.len == 0 && value >= 0 ? value : -1;
}

static bool git_is_level(struct str cell)
{
	uint64_t n;

	return str_take(&cell, STR("d")) && str_u64(&cell, &n) && cell.len == 0;
}

/* Parse a row of GIT_TRACE2_PERF. */
static bool git_row_perf(struct str line, struct git_row *ret)
{
	struct str cells[GIT_CELLS];
	struct str rest = line;
	size_t n = 0, at = 0;

	while (n < GIT_CELLS && rest.len) {
		size_t bar = str_find_char(rest, '|');

		cells[n++] = str_trim(str_sub(rest, 0, bar));
		rest = str_skip(rest, bar + 1);
	}
	while (at < n && at < 5 && (cells[at].len == 0 || !str_glob(STR(GIT_EVENTS), cells[at])))
		at++;
	if (at == 0 || at >= 5 || at + 4 >= n)
		return false;
	*ret = (struct git_row){ .event = cells[at],
				 .category = cells[at + 4],
				 .text = at + 5 < n ? cells[at + 5] : STR_NONE,
				 .absolute = git_seconds(cells[at + 2]),
				 .took = git_seconds(cells[at + 3]) };
	if ((cells[at + 1].len && cells[at + 1].p[0] != 'r') ||
	    (cells[at + 2].len && ret->absolute < 0) || (cells[at + 3].len && ret->took < 0))
		return false;
	for (size_t i = 0; i + 1 < at; i++)
		ret->is_other |= git_is_level(cells[i]) && (!str_eq(cells[i], STR("d0")) ||
							    !str_eq(cells[i + 1], STR("main")));
	while (str_take(&ret->text, STR("..")))
		ret->depth++;
	return true;
}

/* Parse a row of GIT_TRACE_PERFORMANCE. */
static bool git_row_performance(struct str line, struct git_row *ret)
{
	static const struct str word = { " performance: ", 14 };
	size_t at = str_find(line, word);
	struct str rest = str_skip(line, at + word.len);

	*ret = (struct git_row){ .event = STR("region_leave"), .absolute = -1 };
	if (at >= line.len || str_find_char(str_sub(line, 0, at), ':') >= at ||
	    !str_double(&rest, &ret->took) || ret->took < 0 || !str_take(&rest, STR(" s:")))
		return false;
	for (ret->text = str_trim(rest); rest.len && rest.p[0] == ' '; rest = str_skip(rest, 1))
		ret->depth++;
	ret->depth -= ret->depth > 0;
	return ret->text.len > 0;
}

static bool git_row_of(struct str line, struct git_row *ret)
{
	line = str_trim(line);
	if (line.len < 16 || line.len > GIT_BYTES)
		return false;
	return (str_find_char(line, '|') < line.len && git_row_perf(line, ret)) ||
	       git_row_performance(line, ret);
}

static enum line_kind git_kind(struct str line)
{
	struct git_row row;

	if (str_trim(line).len == 0 || str_glob(STR("|--*|"), str_trim(line)))
		return LINE_BLANK;
	return git_row_of(line, &row) ? LINE_ROW : LINE_OTHER;
}

static const struct line_table git_table = {
	.kind = git_kind, .gap = 3, .min_rows = GIT_LEAST, .score = 98
};

static unsigned int git_trace_probe(struct str head)
{
	return line_table_probe(&git_table, head);
}

static bool git_trace_find(struct str text, size_t from, struct extent *ret)
{
	struct str lines, line;
	struct git_row row;

	/* a table without a time is no evidence */
	while (line_table_find(&git_table, text, from, ret)) {
		lines = str_sub(text, ret->from, ret->to);
		while (str_line(&lines, &line)) {
			if (git_row_of(line, &row) && row.took >= 0)
				return true;
		}
		from = ret->to;
	}
	return false;
}

struct git_region {
	str_id name;
	double self, took; /* s */
	double longest;
	uint32_t calls, line; /* line of the longest call */
};

struct git_reader {
	const struct region *in;
	struct capture *c;
	VEC(struct git_region) regions;
	/* for each depth, the time of the regions that ended since the region around them began */
	double inner[GIT_DEPTH + 1];
	double end; /* the largest time since the start */
	str_id children[GIT_CHILDREN];
	uint32_t n_facts;
};

static void git_add(struct git_reader *r, str_id name, double self, double took, uint32_t line)
{
	struct git_region *g = NULL;

	VEC_FOREACH (old, &r->regions) {
		if (old->name.v == name.v)
			g = old;
	}
	if (!g) {
		g = VEC_PUSH(&r->regions);
		*g = (struct git_region){ .name = name };
	}
	g->self += self > 0 ? self : 0;
	g->took += took;
	g->calls++;
	if (took > g->longest || g->line == 0) {
		g->longest = took;
		g->line = line;
	}
}

/* The name of the region of @row: its category and its label, "index: refresh". */
static str_id git_name(struct git_reader *r, const struct git_row *row)
{
	struct str label = row->text;
	char text[GIT_NAME];
	int n;

	if (str_take(&label, STR("label:")))
		label = str_trim(label);
	n = snprintf(text, sizeof(text), STR_FMT "%s" STR_FMT, STR_ARG(row->category),
		     row->category.len ? ": " : "", STR_ARG(label));
	if (n < 0)
		return STR_ID_NONE;
	return strings_add(
		capture_strings(r->c),
		(struct str){ text, (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1 });
}

/* The number of the child process in "[ch0] class:hook ..."; GIT_CHILDREN: none, or too large. */
static uint64_t git_child(struct str *text)
{
	uint64_t n;

	if (!str_take(text, STR("[ch")) || !str_u64(text, &n) || !str_take(text, STR("]")))
		return GIT_CHILDREN;
	*text = str_trim(*text);
	return n < GIT_CHILDREN ? n : GIT_CHILDREN;
}

/* A region, or a child process, has ended: its time without the regions in it is its own. */
static void git_leave(struct git_reader *r, str_id name, const struct git_row *row, uint32_t line)
{
	unsigned int at = row->depth < GIT_DEPTH ? row->depth : GIT_DEPTH - 1;
	double self = row->took;

	for (unsigned int i = at + 1; i <= GIT_DEPTH; i++)
		self -= r->inner[i];
	/*
	 * GIT_TRACE_PERFORMANCE prints a command that git starts before the command that starts it,
	 * with the same depth
	 */
	if (row->category.len == 0 && at == 0 && row->took >= r->inner[0]) {
		self -= r->inner[0];
		r->inner[0] = 0;
	}
	r->inner[at] += row->took;
	for (unsigned int i = at + 1; i <= GIT_DEPTH; i++)
		r->inner[i] = 0;
	git_add(r, name, self, row->took, line);
}

/* Keep a count that git prints: "refresh/sum_scan:1". */
static void git_count(struct git_reader *r, struct str text, uint32_t line)
{
	size_t colon = str_rfind_char(text, ':');
	struct str value = str_skip(text, colon + 1);
	uint64_t n;

	if (r->n_facts >= GIT_FACTS || colon >= text.len || !str_u64(&value, &n) || value.len)
		return;
	r->n_facts++;
	*VEC_PUSH(&r->c->facts) =
		(struct capture_fact){ strings_add(capture_strings(r->c), str_sub(text, 0, colon)),
				       n, line };
}

static void git_take(struct git_reader *r, const struct git_row *row, uint32_t line)
{
	struct strings *strings = capture_strings(r->c);
	struct str text = row->text;
	uint64_t child;

	if (row->is_other) {
		if (str_eq(row->event, STR("region_leave")))
			diag_count(&r->c->diag, &git_parallel, line);
		return;
	}
	r->end = row->absolute > r->end ? row->absolute : r->end;
	if (str_eq(row->event, STR("start")) && !r->c->command.v) {
		r->c->command = strings_add(strings, str_sub(text, 0, GIT_NAME));
	} else if (str_eq(row->event, STR("data"))) {
		git_count(r, text, line);
	} else if (str_eq(row->event, STR("child_start"))) {
		child = git_child(&text);
		if (child < GIT_CHILDREN)
			r->children[child] = strings_add(
				strings, str_sub(text, 0, GIT_NAME - strlen("child: ")));
	} else if (str_eq(row->event, STR("child_exit")) && row->took >= 0) {
		struct git_row of = *row;

		child = git_child(&text);
		of.category = STR("child");
		if (child < GIT_CHILDREN && r->children[child].v)
			of.text = strings_get(strings, r->children[child]);
		git_leave(r, git_name(r, &of), row, line);
	} else if (str_eq(row->event, STR("region_leave")) && row->took >= 0) {
		git_leave(r, git_name(r, row), row, line);
	}
}

/* Write the regions as rows of a profile, whose whole is the time of the command. */
static void git_finish(struct git_reader *r)
{
	struct strings *strings = capture_strings(r->c);
	struct profile *p = capture_profile(r->c);
	double whole = r->end, sum = 0;

	VEC_FOREACH (g, &r->regions)
		sum += g->self;
	whole = whole > sum ? whole : sum;
	p->table.limit_pct = -1;
	p->unit = WEIGHT_PERCENT;
	p->decimals = p->printed_decimals = GIT_DECIMALS;
	p->is_rounded = true;
	p->event = strings_add(strings, STR("git-time"));
	p->event_count = (uint64_t)(whole * 1e9);
	p->has_event_count = true;
	if (whole <= 0)
		return;
	if (whole - sum > whole * 1e-4)
		git_add(r, strings_add(strings, STR("outside of regions")), whole - sum,
			whole - sum, r->c->first_line);
	VEC_FOREACH (g, &r->regions) {
		uint32_t at = (uint32_t)p->table.rows.len;
		sym_id sym = symbols_add_text(capture_symbols(r->c), strings_get(strings, g->name),
					      STR_NONE, SPACE_UNKNOWN, 0);

		profile_rows_add(r->c, sym, symbols_get(capture_symbols(r->c), sym)->module, ' ', 0,
				 0, 0, g->line);
		profile_rows_set(r->c, at, /* is_self= */ true, 100 * g->self / whole, g->line);
		if (g->took <= whole)
			profile_rows_set(r->c, at, /* is_self= */ false, 100 * g->took / whole,
					 g->line);
	}
}

static int git_trace_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct git_reader r = { .in = in,
				.c = format_add_capture(&format_git_trace, in, d),
				.regions = VEC_INIT };
	struct str text = in->text;
	struct git_row row;
	struct str line;

	for (uint32_t n = 0; str_line(&text, &line); n++) {
		if (git_row_of(line, &row))
			git_take(&r, &row, region_line(in, n));
		else if (git_kind(line) == LINE_OTHER)
			diag_count(&r.c->diag, &git_lines, region_line(in, n));
	}
	git_finish(&r);
	VEC_FREE(&r.regions);
	return r.c->profile->table.rows.len ? OK : fail(err, ERR_FORMAT, "no region of git");
}

const struct format format_git_trace = {
	.name = "git-trace",
	.title = "times of git",
	.summary = "times of the parts of a git command, of GIT_TRACE2_PERF and "
		   "GIT_TRACE_PERFORMANCE",
	.kinds = KIND_PROFILE,
	.probe = git_trace_probe,
	.find = git_trace_find,
	.read = git_trace_read,
};
