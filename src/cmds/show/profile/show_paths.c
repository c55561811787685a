/* SPDX-License-Identifier: MIT */
/*
 * show_paths.c - the hot call paths of a profile, and the callers of its most expensive functions
 */
#include "analyses/quality/quality.h"
#include "analyses/roles.h"
#include "analyses/top/hot_paths.h"
#include "analyses/top/top.h"
#include "analyses/top/tree.h"
#include "base/arena.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/text/utf8.h"
#include "base/vec.h"
#include "cmds/run/session.h"
#include "cmds/show/profile/show_profile.h"
#include "cmds/show/show.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/names/arguments.h"
#include "core/profile.h"
#include "core/profile_inclusive.h"
#include "core/symbols.h"
#include "render/view.h"

#define PATHS_ROWS        12u
#define PATHS_ROWS_BUDGET 60u
/* maximum length of a name; longer names are truncated in the middle */
#define PATHS_NAME_COLUMNS 36u
#define PATHS_LEFT_COLUMNS 11u /* width of the shares to the left of a path, in columns */
/*
 * factor by which view_weigh() multiplies the worth of a row; low, because shares include callees
 */
#define PATHS_WORTH      0.5
#define PATHS_CALLED     24u /* maximum number of functions whose callers are shown */
#define PATHS_CALLED_PCT 0.5
/* smallest share of a caller to print, in percent of the function's samples */
#define PATHS_CALLER_PCT   10.0
#define PATHS_CALLER_DEPTH 48u
/* maximum number of names in one row; the row ends with the number of further callers */
#define PATHS_CALLER_CHAIN 9u
/* a caller with at least this fraction of the function's weight is printed in the function's row */
#define PATHS_CALLER_SAME 0.9
/*
 * a row ends with the share of its outermost function only if this share is smaller than the share
 * of the row by at least so many percentage points
 */
#define PATHS_SAME_PCT 0.5
#define PATHS_FRAMES   256u /* maximum number of frames per path; further frames are ignored */
/* print paths only if the sum of their shares is at least this percentage */
#define PATHS_LEAST_PCT 10.0

/* A call path as a line of text: which of its frames are shown. */
struct paths_line {
	struct str names[PATHS_FRAMES];
	/* the frame is in the program itself, not in a library or the kernel */
	bool is_own[PATHS_FRAMES];
	bool is_wrapper[PATHS_FRAMES];
	/*
	 * the frame has an address but no name. It is shown only if it is the hot function, or if
	 * the whole path has no names
	 */
	bool is_unnamed[PATHS_FRAMES];
	bool is_kept[PATHS_FRAMES];
	bool is_broken; /* the outermost frame is at an address where no code can be */
	bool is_ascii;  /* draw arrows and dots with ASCII characters */
	size_t n;
};

/*
 * Shorten @name to PATHS_NAME_COLUMNS by omitting its argument list, then its namespaces, then its
 * middle.
 */
static struct str paths_name(struct show *s, struct str name)
{
	size_t half = PATHS_NAME_COLUMNS / 2 - 2;
	struct out text = { .fd = -1 };
	struct str head;

	if (name.len > PATHS_NAME_COLUMNS &&
	    arguments_shorten(name, /* is_name= */ true, "(…)", &text))
		name = arena_str(&s->scratch, out_view(&text));
	while (text.len && utf8_width(name) > PATHS_NAME_COLUMNS) {
		struct str rest = arguments_skip_namespace(name, &head);

		if (!rest.len)
			break;
		name = rest;
	}
	out_fini(&text);
	if (name.len <= PATHS_NAME_COLUMNS || utf8_width(name) != name.len)
		return name;
	return show_format(s, STR_FMT "%s" STR_FMT, STR_ARG(str_sub(name, 0, half)),
			   s->v->is_ascii ? "..." : "…", STR_ARG(str_skip(name, name.len - half)));
}

/* If no frame of @line has a name, show the addresses. */
static void paths_name_addresses(struct paths_line *line)
{
	size_t named = 0;

	for (size_t i = 0; i < line->n; i++)
		named += !line->is_unnamed[i];
	for (size_t i = 0; i < line->n && named == 0; i++)
		line->is_unnamed[i] = false;
}

static void paths_fill(struct show *s, const struct capture *c, const struct hot_paths *paths,
		       const struct hot_path *path, struct paths_line *line)
{
	const struct symbols *symbols = capture_symbols(c);

	line->n = 0;
	line->is_broken = path->n && path->depth == 0 &&
			  quality_is_no_code(symbols, paths->frames.data[path->first]);
	line->is_ascii = s->v->is_ascii;
	for (uint32_t i = 0; i < path->n && line->n < PATHS_FRAMES; i++) {
		sym_id id = paths->frames.data[path->first + i];
		const struct symbol *sym = symbols_get(symbols, id);
		struct str name = paths_name(s, symbols_name(symbols, id));
		enum role role = role_of_name(symbols_canonical(symbols, id),
					      symbols_module(symbols, id), sym->space);

		/* a function that calls itself directly is shown as one frame */
		if (line->n && str_eq(line->names[line->n - 1], name))
			continue;
		line->names[line->n] = name;
		line->is_own[line->n] = role == ROLE_NONE &&
					(sym->space == SPACE_USER || sym->space == SPACE_UNKNOWN);
		line->is_unnamed[line->n] =
			str_starts(name, STR("0x")) || str_starts(name, STR("[unknown]"));
		line->is_wrapper[line->n] = role == ROLE_TRANSPARENT;
		line->is_kept[line->n] = false;
		line->n++;
	}
	paths_name_addresses(line);
}

/* Write the kept names with arrows between them, and "…" for omitted frames. */
static void paths_text(const struct paths_line *line, struct out *ret)
{
	const char *arrow = line->is_ascii ? " > " : " → ";
	bool is_gap = false;

	ret->len = 0;
	if (line->is_broken)
		out_z(ret, "(broken chain)");
	for (size_t i = 0; i < line->n; i++) {
		if (!line->is_kept[i]) {
			is_gap = i > 0 || !line->is_broken;
			continue;
		}
		if (is_gap)
			out_printf(ret, "%s%s", ret->len ? arrow : "",
				   line->is_ascii ? "..." : "…");
		out_printf(ret, "%s" STR_FMT, ret->len ? arrow : "", STR_ARG(line->names[i]));
		is_gap = false;
	}
}

/* Keep frame @i, if the line then still fits into @width columns. */
static void paths_keep(struct paths_line *line, size_t i, size_t width, struct out *text)
{
	if (line->is_kept[i] || line->is_unnamed[i])
		return;
	line->is_kept[i] = true;
	paths_text(line, text);
	if (utf8_width(out_view(text)) > width)
		line->is_kept[i] = false;
}

/*
 * Choose the frames to show in @width columns. First comes the hot function, then frame @apart
 * (SIZE_MAX: none), then the innermost two frames of the program itself, then the outermost frame.
 * Other callers follow, the inner ones first.
 */
static void paths_fit(struct paths_line *line, size_t apart, size_t width, struct out *text)
{
	size_t own = 0;

	memset(line->is_kept, 0, sizeof(line->is_kept));
	line->is_kept[line->n - 1] = true;
	if (apart < line->n)
		paths_keep(line, apart, width, text);
	for (size_t i = line->n; i-- > 0 && own < 2;) {
		if (line->is_own[i] && !line->is_unnamed[i]) {
			paths_keep(line, i, width, text);
			own++;
		}
	}
	for (size_t i = 0; i < line->n; i++) {
		if (!line->is_wrapper[i] && !line->is_unnamed[i]) {
			paths_keep(line, i, width, text);
			break;
		}
	}
	for (unsigned int pass = 0; pass < 2; pass++) {
		for (size_t i = line->n; i-- > 0;) {
			if (pass || !line->is_wrapper[i])
				paths_keep(line, i, width, text);
		}
	}
	paths_text(line, text);
}

/* Write all frames, joined by ';', for JSON and CSV. */
static void paths_folded(const struct capture *c, const struct hot_paths *paths,
			 const struct hot_path *path, struct out *ret)
{
	ret->len = 0;
	for (uint32_t i = 0; i < path->n; i++)
		out_printf(ret, "%s" STR_FMT, i ? ";" : "",
			   STR_ARG(symbols_name(capture_symbols(c),
						paths->frames.data[path->first + i])));
}

/*
 * Format @last, the share of the outermost function of a row: " (53.7 %)". Empty if it is not
 * clearly smaller than @first, the share of the row.
 */
static struct str paths_last(struct show *s, double first, double last)
{
	return first - last >= PATHS_SAME_PCT ? show_format(s, " (%.1f %%)", last) : STR("");
}

/*
 * The innermost frame of @line that @other does not have. It distinguishes the two paths. Returns
 * SIZE_MAX if @other has all frames of @line.
 */
static size_t paths_apart(const struct paths_line *line, const struct paths_line *other)
{
	for (size_t i = line->n; i-- > 0;) {
		bool is_shared = line->is_unnamed[i];

		for (size_t k = 0; k < other->n && !is_shared; k++)
			is_shared = str_eq(line->names[i], other->names[k]);
		if (!is_shared)
			return i;
	}
	return SIZE_MAX;
}

static sym_id paths_hot(const struct hot_paths *paths, const struct hot_path *path)
{
	return paths->frames.data[path->first + path->n - 1];
}

/*
 * Write the text of @path. If the text equals that of another path with the same depth and hot
 * function, show a frame that distinguishes the two paths.
 */
static void paths_fit_row(struct show *s, const struct capture *c, const struct hot_paths *paths,
			  const struct hot_path *path, size_t width, struct out *text)
{
	struct paths_line line, other;
	struct out twin = { .fd = -1 };

	paths_fill(s, c, paths, path, &line);
	paths_fit(&line, SIZE_MAX, width, text);
	VEC_FOREACH (row, &paths->rows) {
		if (row == path || row->depth != path->depth ||
		    paths_hot(paths, row).v != paths_hot(paths, path).v)
			continue;
		paths_fill(s, c, paths, row, &other);
		paths_fit(&other, SIZE_MAX, width, &twin);
		if (!str_eq(out_view(&twin), out_view(text)))
			continue;
		paths_fit(&line, paths_apart(&line, &other), width, text);
		break;
	}
	out_fini(&twin);
}

static void paths_rows(struct show *s, const struct capture *c, const struct hot_paths *paths)
{
	size_t width = s->v->width ? s->v->width : SIZE_MAX / 2;
	struct out text = { .fd = -1 };

	VEC_FOREACH (path, &paths->rows) {
		struct str last = paths_last(s, path->pct, path->last_pct);
		size_t left = PATHS_LEFT_COLUMNS + 3u * path->depth + last.len;

		if (s->session->to.is_json || s->session->to.is_csv)
			paths_folded(c, paths, path, &text);
		else
			paths_fit_row(s, c, paths, path,
				      width > left + PATHS_NAME_COLUMNS ? width - left
									: PATHS_NAME_COLUMNS,
				      &text);
		if (!s->session->to.is_json && !s->session->to.is_csv)
			out_str(&text, last);
		struct cell cells[] = { show_profile_share(s, path->pct, 0),
					cell_text(out_view(&text)) };

		view_node(s->v, cells, path->depth);
	}
	out_fini(&text);
}

void show_hot_paths(struct show *s, const struct capture *c)
{
	struct profile_inclusive unused;
	bool is_plan = str_eq(show_string(s, c->profile->event), STR("plan-time"));
	bool is_assumed = c->profile->table.nodes.len && c->profile->table.order == CHAIN_UNKNOWN &&
			  profile_is_inclusive(c->profile, &unused);
	const struct view_column columns[] = {
		{ "total", "Total %", COLUMN_HEAT },
		{ "path",
		  is_plan ? "The plan: steps, then those that take most"
		  : is_assumed
			  ? "The printed trees: probably callers, then callees (share of the last)"
			  : "Callers, then hot functions (share of the last)",
		  COLUMN_TREE | COLUMN_FLEX },
	};
	const struct view_table table = { .key = "hot_paths",
					  .columns = columns,
					  .n_columns = ARRAY_LEN(columns) };
	struct error err;
	struct hot_paths paths;

	if ((!c->profile->samples.n && !c->profile->table.nodes.len) ||
	    hot_paths_find(c, show_rows_of(s, PATHS_ROWS, PATHS_ROWS_BUDGET), &paths, &err) < 0)
		return;
	if (paths.rows.len && paths.pct >= PATHS_LEAST_PCT) {
		view_weigh(s->v, PATHS_WORTH);
		view_table(s->v, &table);
		paths_rows(s, c, &paths);
		view_table_end(s->v);
		view_weigh(s->v, 1);
	}
	hot_paths_fini(&paths);
}

/*
 * Write the name of @node and the names of its callers: "malloc ← parse ← main". Stop at the first
 * caller with clearly less weight than @node. Returns the last of these nodes, even if its name is
 * not written.
 */
static uint32_t paths_callers(struct show *s, const struct capture *c, const struct tree *t,
			      uint32_t node, struct out *text)
{
	const struct tree_node *nodes = t->nodes.data;
	uint64_t weight = nodes[node].weight;
	double least = PATHS_CALLER_SAME * (double)weight;
	unsigned int n = 0;

	text->len = 0;
	for (;;) {
		struct str name = symbols_name(capture_symbols(c), nodes[node].sym);

		if (n < PATHS_CALLER_CHAIN)
			out_printf(text, "%s" STR_FMT, n ? " ← " : "",
				   STR_ARG(paths_name(s, name)));
		n++;
		if (node + 1 >= nodes[node].end || (double)nodes[node + 1].weight < least)
			break;
		node++;
	}
	if (n > PATHS_CALLER_CHAIN)
		out_printf(text, " ← %u more", n - PATHS_CALLER_CHAIN);
	if (s->is_budget)
		out_str(text, paths_last(s, tree_pct(t, weight), tree_pct(t, nodes[node].weight)));
	return node;
}

/*
 * Print a row with @node and its callers of nearly the same weight (paths_callers()). Then print a
 * row for each caller of the last node in that row.
 */
static void paths_caller_rows(struct show *s, const struct capture *c, const struct tree *t,
			      uint32_t node, unsigned int depth, struct out *text)
{
	const struct tree_node *nodes = t->nodes.data;
	uint32_t last = paths_callers(s, c, t, node, text);
	struct cell cells[] = { show_profile_share(s, tree_pct(t, nodes[node].weight), 0),
				cell_text(out_view(text)) };

	view_node(s->v, cells, depth);
	for (uint32_t child = last + 1; child < nodes[last].end; child = nodes[child].end) {
		if (!nodes[child].is_other && depth + 1 < PATHS_CALLER_DEPTH)
			paths_caller_rows(s, c, t, child, depth + 1, text);
	}
}

/* Print the callers of function @sym, from samples in which it is the innermost frame. */
static void paths_called(struct show *s, const struct capture *c, const struct top_row *row,
			 sym_id sym, struct out *text)
{
	struct tree_spec spec = { .direction = TREE_CALLERS,
				  .start = sym,
				  .self_only = true,
				  .max_depth = PATHS_CALLER_DEPTH,
				  .percent_limit = row->self_pct * PATHS_CALLER_PCT / 100 };
	struct tree tree;
	struct error err;

	if (tree_build(c, &spec, &tree, &err) < 0)
		return;
	if (tree.nodes.len > 1)
		paths_caller_rows(s, c, &tree, 0, 0, text);
	tree_fini(&tree);
}

void show_hot_callers(struct show *s, const struct capture *c, const struct top *top)
{
	static const struct view_column columns[] = {
		{ "self", "Self %", COLUMN_HEAT },
		{ "callers", "Hot function ← its callers (share of the last)", COLUMN_TREE },
	};
	static const struct view_table table = { .key = "hot_callers",
						 .columns = columns,
						 .n_columns = ARRAY_LEN(columns) };
	struct out text = { .fd = -1 };
	size_t n = 0;
	size_t key;

	if (!c->profile->samples.n || !show_profile_has_key(top, TOP_SYM, &key))
		return;
	view_table(s->v, &table);
	VEC_FOREACH (row, &top->rows) {
		bool is_again = false;

		if (n >= PATHS_CALLED || row->self_pct < PATHS_CALLED_PCT)
			break;
		for (const struct top_row *r = top->rows.data; r < row; r++)
			is_again |= r->keys[key] == row->keys[key];
		if (is_again)
			continue;
		n++;
		paths_called(s, c, row, (sym_id){ row->keys[key] }, &text);
	}
	view_table_end(s->v);
	out_fini(&text);
}
