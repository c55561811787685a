/* SPDX-License-Identifier: MIT */
/* The scrolling part of the page: the table, callers and callees, findings, or help. */
#include "cmds/top/top_page.h"

#include "analyses/top/top.h"
#include "analyses/top/tree.h"
#include "base/arena.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmds/show/profile/show_profile.h"
#include "cmds/show/show.h"
#include "cmds/show/show_findings.h"
#include "cmds/top.h"
#include "core/ids.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "render/view.h"
#include "transform/name_list.h"

#include <inttypes.h>
#include <strings.h>

#define BODY_BAR_WIDTH 120u /* on narrower terminals, the table has no bars */
#define BODY_DSO_WIDTH 60u
#define BODY_SUM_WIDTH 40u
/* smallest share of a caller or callee to print, in percent of the total */
#define BODY_TREE_LIMIT 0.1

static void body_keys(const struct top_page *p, struct top_spec *spec)
{
	static const enum top_key keys[TOP_GROUPS][2] = {
		[TOP_GROUP_SYMBOL] = { TOP_DSO, TOP_SYM },
		[TOP_GROUP_THREAD] = { TOP_TID, TOP_COMM },
		[TOP_GROUP_COMM] = { TOP_COMM, TOP_COMM },
		[TOP_GROUP_DSO] = { TOP_DSO, TOP_DSO },
		[TOP_GROUP_CATEGORY] = { TOP_CATEGORY, TOP_CATEGORY },
	};
	unsigned int group = p->choice.group;

	spec->keys[0].key = keys[group][0];
	spec->keys[1].key = keys[group][1];
	spec->n_keys = keys[group][0] == keys[group][1] ? 1 : 2;
}

/* Whether a name in the row contains the filter that the user typed; case is ignored. */
static bool body_passes(const struct top_page *p, const struct top *top, const struct top_row *row)
{
	struct str wanted = out_view(&p->choice.filter);

	for (size_t k = 0; k < top->n_keys && wanted.len; k++) {
		char buffer[24];
		struct str text = top_key_text(p->capture, top, row, k, buffer);

		for (size_t i = 0; i + wanted.len <= text.len; i++) {
			if (strncasecmp(text.p + i, wanted.p, wanted.len) == 0)
				return true;
		}
	}
	return wanted.len == 0;
}

static void body_line(struct top_page *p, const struct top *top, const struct top_row *row)
{
	struct top_line *line = VEC_PUSH(&p->lines);
	char buffer[24];
	size_t name = top->n_keys - 1;

	*line = (struct top_line){ .text = arena_str(&p->arena, top_key_text(p->capture, top, row,
									     name, buffer)) };
	if (p->choice.group == TOP_GROUP_THREAD)
		line->tid = row->keys[0];
	if (p->choice.group == TOP_GROUP_SYMBOL)
		line->sym = (sym_id){ row->keys[1] };
}

/*
 * Choose the columns that fit the width. The symbol is most important, then other names, then
 * shares with callees and bars.
 */
static void body_columns(const struct top_page *p, struct show *s, const struct top *top,
			 struct profile_columns *cols)
{
	unsigned int width = p->text.width ? p->text.width : UINT32_MAX;

	show_profile_column(cols, "self", "Self %", COLUMN_HEAT);
	show_profile_column(cols, "children", width < BODY_SUM_WIDTH ? NULL : "Children %",
			    COLUMN_HEAT);
	show_profile_column(cols, NULL, width < BODY_BAR_WIDTH ? NULL : "", COLUMN_BAR);
	show_profile_column(cols, "samples", "Samples", COLUMN_MINOR);
	show_profile_key_columns(s, p->capture, top, cols);
	for (unsigned int i = 0; i < cols->n && width < BODY_DSO_WIDTH && top->n_keys > 1; i++) {
		if (cols->columns[i].key && strcmp(cols->columns[i].key, "dso") == 0)
			cols->columns[i].title = NULL;
	}
}

static void body_rows(struct top_page *p, struct show *s, const struct top *top, uint64_t max)
{
	struct profile_columns cols = { .n = 0 };
	struct view_table table = { .key = "rows", .is_main = true };
	body_columns(p, s, top, &cols);
	table.columns = cols.columns;
	table.n_columns = cols.n;
	view_table(s->v, &table);
	VEC_FOREACH (row, &top->rows) {
		struct cell cells[TOP_MAX_KEYS * 4 + 8];
		double share = p->choice.is_by_children ? row->children_pct : row->self_pct;
		unsigned int n = 0;

		if (!body_passes(p, top, row))
			continue;
		if (p->lines.len >= max) {
			p->n_hidden++;
			continue;
		}
		body_line(p, top, row);
		cells[n++] = show_profile_pct(row->self_pct, -1);
		cells[n++] =
			row->has_children ? show_profile_pct(row->children_pct, -1) : cell_none();
		cells[n++] = cell_real(share, 2);
		cells[n++] = row->has_samples ? cell_count(row->samples) : cell_none();
		(void)show_profile_key_cells(s, p->capture, top, row, cells + n);
		view_row(s->v, cells);
	}
	view_table_end(s->v);
	if (p->lines.len == 0)
		view_line(s->v, NULL, "no row%s" STR_FMT "%s",
			  p->choice.filter.len ? " with '" : "",
			  STR_ARG(out_view(&p->choice.filter)), p->choice.filter.len ? "'" : "");
}

void top_table(struct top_page *p, struct view *v, uint64_t max)
{
	struct show show = { .session = p->session, .v = v };
	struct top_spec spec = { .sort_by_self = !p->choice.is_by_children };
	const struct str kind = out_view(&p->choice.inside_text);
	struct error err = { "" };
	struct top top;

	p->lines.len = 0;
	p->n_hidden = 0;
	if (!p->capture)
		return;
	body_keys(p, &spec);
	if (p->choice.is_inside && p->choice.inside == TOP_GROUP_CATEGORY)
		spec.categories = (struct name_list){ &kind, 1 };
	if (top_compute(p->capture, &p->session->cats, &spec, &top, &err) < 0) {
		view_line(v, NULL, "%s", err.msg);
		return;
	}
	body_rows(p, &show, &top, max && max < TOP_ROWS_MAX ? max : TOP_ROWS_MAX);
	top_fini(&top);
	show_fini(&show);
}

static void body_tree(struct top_page *p, struct view *v, sym_id sym, bool is_callers)
{
	static const struct view_column columns[] = {
		{ "total", "Total %", COLUMN_HEAT },
		{ "self", "Self %", COLUMN_HEAT | COLUMN_NO_ZERO },
		{ "symbol", "Symbol", COLUMN_TREE | COLUMN_FLEX },
		{ "dso", "Shared Object", COLUMN_FLEX | COLUMN_MINOR },
	};
	const struct view_table table = { .key = is_callers ? "callers" : "callees",
					  .columns = columns,
					  .n_columns = ARRAY_LEN(columns) };
	const struct tree_spec spec = {
		.direction = is_callers ? TREE_CALLERS : TREE_CALLEES,
		.start = sym,
		.percent_limit = BODY_TREE_LIMIT,
		.max_nodes = TOP_ROWS_MAX,
	};
	struct show show = { .session = p->session, .v = v };
	struct error err = { "" };
	struct tree tree;

	if (tree_build(p->capture, &spec, &tree, &err) < 0) {
		view_line(v, NULL, "%s", err.msg);
		return;
	}
	view_table(v, &table);
	VEC_FOREACH (node, &tree.nodes) {
		const struct symbol *s = symbols_get(&p->session->dossier->symbols, node->sym);
		struct cell cells[] = {
			show_profile_pct(tree_pct(&tree, node->weight), -1),
			is_callers ? cell_none()
				   : show_profile_pct(tree_pct(&tree, node->self), -1),
			show_profile_symbol(&show, s),
			show_profile_dso(&show,
					 strings_get(&p->session->dossier->strings, s->module)),
		};

		view_node(v, cells, node->depth);
	}
	view_table_end(v);
	tree_fini(&tree);
	show_fini(&show);
}

void top_detail(struct top_page *p, struct view *v, sym_id sym)
{
	struct str name = symbols_name(&p->session->dossier->symbols, sym);

	if (!p->capture)
		return;
	view_heading(v, STR("Callers"), "of " STR_FMT, STR_ARG(name));
	body_tree(p, v, sym, true);
	view_heading(v, STR("Callees"), "of " STR_FMT, STR_ARG(name));
	body_tree(p, v, sym, false);
}

void top_findings(struct top_page *p, struct view *v)
{
	struct show show = { .session = p->session, .v = v };

	if (!p->capture)
		return;
	show_findings_quality(&show);
	if (p->findings.rows.len == 0)
		view_heading(v, STR("No finding"), "%s", "");
	show_findings(&show, &p->findings, 0);
	show_checks(&show, &p->findings);
	show_fini(&show);
}

void top_help(const struct top_page *p, struct view *v)
{
	static const struct {
		const char *keys;
		const char *what;
	} lines[] = {
		{ "q", "quit; out of what was entered: Escape" },
		{ "space p", "hold what is shown, or go on" },
		{ "j k arrows", "the row; PgUp, PgDn, Home, End" },
		{ "Enter",
		  "callers and callees of a function; functions of a thread, command or file" },
		{ "s", "sort by own samples, or with those of callees" },
		{ "t", "rows by function, thread, command, file, kind of work" },
		{ "/", "only rows with this in a name; empty: all" },
		{ "f", "findings, with the evidence" },
		{ "w", "write what is held as perf.data: for report, explain, perf" },
		{ "?", "this" },
	};

	view_heading(v, STR("Keys"), "%s", "");
	for (size_t i = 0; i < ARRAY_LEN(lines); i++)
		view_line(v, lines[i].keys, "%s", lines[i].what);
	view_heading(v, STR("What is shown"), "%s", "");
	view_line(v, "Window",
		  "samples of the last seconds (--window), read anew each time (-d): shares and "
		  "findings are of these alone");
	view_line(v, "lost", "records for which a buffer had no room");
	view_line(v, "assay",
		  "processor time of both its processes; that of the kernel for "
		  "taking samples is not in it");
	if (!p->o->result || p->o->result->notes.len == 0)
		return;
	view_heading(v, STR("What it cannot contain"), "%s", "");
	VEC_FOREACH (note, &p->o->result->notes)
		view_line(v, NULL, "- %s", *note);
}
