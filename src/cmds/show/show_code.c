/* SPDX-License-Identifier: MIT */
/*
 * show_code.c - the cost of functions by source line: the heaviest lines on the front page, all
 * lines in `report`
 */
#include "cmds/show/show.h"
#include "core/capture.h"
#include "core/kinds/code.h"
#include "core/profile.h"

#include "analyses/event_unit.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/symbols.h"
#include "render/view.h"

#define CODE_ROWS_BRIEF      8u
#define CODE_FUNCTIONS_BRIEF 3u

static double code_weight(const struct code_row *row)
{
	return row->cum > row->self ? row->cum : row->self;
}

/*
 * Whether to show the row with index @at of function @f. The front page shows only the heaviest
 * rows of a function; among equally heavy rows, it shows the first ones.
 */
static bool code_is_shown(const struct show *s, const struct code *code,
			  const struct code_function *f, uint32_t at)
{
	double weight = code_weight(&code->rows.data[at]);
	size_t most = show_rows(s, CODE_ROWS_BRIEF);
	size_t heavier = 0;

	if (!s->is_brief)
		return true;
	if (weight <= 0)
		return false;
	for (uint32_t i = f->first; i < f->first + f->n && heavier < most; i++) {
		double other = code_weight(&code->rows.data[i]);

		heavier += other > weight || (other == weight && i < at);
	}
	return heavier < most;
}

static void code_rows(struct show *s, const struct code *code, const struct code_function *f)
{
	static const struct view_column columns[] = {
		{ "self", "Self %", COLUMN_HEAT | COLUMN_NO_ZERO },
		{ "children", "Children %", COLUMN_HEAT | COLUMN_NO_ZERO },
		{ "address", "Address", COLUMN_RIGHT },
		{ "source_line", "Source line", 0 },
		{ "text", "Code", COLUMN_FLEX | COLUMN_CODE },
		{ "weight", NULL, 0 },
		{ "line", "Line", 0 },
	};
	static const struct view_table table = {
		.key = "rows", .columns = columns, .n_columns = ARRAY_LEN(columns), .is_main = true
	};

	size_t hidden = 0;

	view_table(s->v, &table);
	for (uint32_t i = f->first; i < f->first + f->n; i++) {
		const struct code_row *row = &code->rows.data[i];
		double to_pct = f->whole > 0 ? 100 / f->whole : 0;
		struct cell cells[] = {
			row->has_weight ? cell_real(row->self * to_pct, 2) : cell_none(),
			row->has_weight && code->has_calls ? cell_real(row->cum * to_pct, 2)
							   : cell_none(),
			row->address ? cell_text(show_format(s, "%llx",
							     (unsigned long long)row->address))
				     : cell_none(),
			row->number ? cell_count(row->number) : cell_none(),
			show_name(s, row->text),
			row->has_weight ? cell_real(code_weight(row), -1) : cell_none(),
			cell_line(row->line),
		};

		if (code_is_shown(s, code, f, i))
			view_row(s->v, cells);
		else
			hidden += code_weight(row) > 0;
	}
	view_table_end(s->v);
	if (hidden)
		view_line(s->v, NULL, STR_FMT " with samples: assay report " STR_FMT,
			  STR_ARG(show_plural(s, hidden, "more line", "more lines")),
			  STR_ARG(show_file(s)));
}

static void code_function(struct show *s, const struct code *code, const struct code_function *f)
{
	struct str name = f->sym.v ? symbols_name(&s->session->dossier->symbols, f->sym)
				   : STR("a function that the text does not name");

	view_object(s->v, NULL, NULL);
	view_field(s->v, "function", NULL, f->sym.v ? cell_text(name) : cell_null());
	view_field(s->v, "file", NULL, show_name(s, f->file));
	view_field(s->v, "of_all_pct", NULL,
		   f->of_all >= 0 ? cell_real(f->of_all, 2) : cell_null());
	view_field(s->v, "samples", NULL, f->samples ? cell_count(f->samples) : cell_null());
	view_field(s->v, "line", NULL, cell_line(f->line));
	view_line(s->v, "Function", STR_FMT "%s" STR_FMT "%s", STR_ARG(name),
		  f->file.v ? " in " : "", STR_ARG(show_string(s, f->file)),
		  f->of_all >= 0
			  ? show_format(s, ", %.2f %% of " STR_FMT " with callees", f->of_all,
					STR_ARG(code->total > 0 && code->unit == WEIGHT_BYTES
							? show_amount(s, code->total, STR("bytes"))
							: STR("all")))
				    .p
			  : "");
	code_rows(s, code, f);
	view_object_end(s->v);
}

void show_code(struct show *s, const struct capture *c)
{
	const struct code *code = c->code;
	struct event_unit unit = event_unit_named(show_string(s, code->event));
	size_t n = 0;

	view_field(s->v, "event", NULL, show_name(s, code->event));
	view_line(s->v, "What", STR_FMT " line by line%s%s",
		  STR_ARG(show_plural(s, code->functions.len, "function", "functions")),
		  code->event.v ? "; shares are of its " : "", code->event.v ? unit.of : "");
	view_list(s->v, "functions");
	VEC_FOREACH (f, &code->functions) {
		if (n++ >= show_rows(s, CODE_FUNCTIONS_BRIEF))
			continue;
		code_function(s, code, f);
	}
	view_list_end(s->v);
	if (n > show_rows(s, CODE_FUNCTIONS_BRIEF))
		view_line(s->v, NULL, "%zu more: assay report " STR_FMT, n - CODE_FUNCTIONS_BRIEF,
			  STR_ARG(show_file(s)));
}
