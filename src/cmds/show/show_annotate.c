/* SPDX-License-Identifier: MIT */
/*
 * show_annotate.c - a function by source line and instruction, for `annotate`
 *
 * It prints the hot rows and the rows around them, their loops, and why the hottest instruction may
 * be slow.
 */

#include "analyses/code_view.h"
#include "analyses/event_unit.h"
#include "analyses/instruction.h"
#include "analyses/plain_name.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmds/run/session.h"
#include "cmds/show/show.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/code.h"
#include "core/symbols.h"
#include "render/view.h"

/* a row with at least this share of the function, in percent, has a note about its instruction */
#define ANNOTATE_NOTE_PCT    5.0
#define ANNOTATE_ROW_SAMPLES 5.0 /* a row with fewer samples has no note */
/* if the function has fewer samples, shares have only one decimal */
#define ANNOTATE_FEW     1000u
#define ANNOTATE_LINES   5u /* maximum number of lines in the table of hot lines */
#define ANNOTATE_INLINED 4u
#define ANNOTATE_NAME    60u  /* maximum length of a function's name in a sentence */
#define ANNOTATE_TEXT    512u /* maximum length of a row of code in text */

/* State while the listing of one function is printed. */
struct annotate {
	struct show *s;
	const struct code *code;
	const struct code_function *f;
	struct code_view view;
	bool is_whole; /* print all rows, not only those near hot ones */
	size_t indent; /* number of leading blanks that all printed source lines have */
};

/*
 * Copy @text to @ret, with tabs expanded. Returns the length. A text that is too long is truncated.
 */
static size_t annotate_expand(struct str text, char ret[ANNOTATE_TEXT])
{
	size_t n = 0;

	for (size_t i = 0; i < text.len && n < ANNOTATE_TEXT - 4; i++) {
		if (text.p[i] != '\t') {
			ret[n++] = text.p[i];
			continue;
		}
		do
			ret[n++] = ' ';
		while (n % 4);
	}
	return n;
}

/* The number of leading blanks that all printed source lines have. */
static size_t annotate_indent(const struct annotate *a)
{
	char expanded[ANNOTATE_TEXT];
	size_t least = SIZE_MAX;

	for (uint32_t i = 0; i < a->f->n; i++) {
		const struct code_row *row = &a->code->rows.data[a->f->first + i];
		struct str text = show_string(a->s, row->text);
		size_t n, blanks = 0;

		if (!row->is_source || (!a->is_whole && !a->view.is_shown.data[i]) ||
		    str_trim(text).len == 0)
			continue;
		n = annotate_expand(text, expanded);
		while (blanks < n && expanded[blanks] == ' ')
			blanks++;
		least = blanks < least ? blanks : least;
	}
	return least == SIZE_MAX ? 0 : least;
}

/*
 * The text of @row. For people, tabs are expanded, and the blanks that all source lines have are
 * removed. In JSON and CSV, there are no leading blanks.
 */
static struct str annotate_text(const struct annotate *a, const struct code_row *row)
{
	struct str text = show_string(a->s, row->text);
	char expanded[ANNOTATE_TEXT];
	size_t n, from;

	if (a->s->session->to.is_json || a->s->session->to.is_csv)
		return str_trim(text);
	n = annotate_expand(text, expanded);
	from = row->is_source && a->indent < n ? a->indent : 0;
	return show_format(a->s, STR_FMT, STR_ARG(((struct str){ expanded + from, n - from })));
}

/* The name of a function for a sentence: without types, and truncated if it is long. */
static struct str annotate_symbol(const struct annotate *a, sym_id sym)
{
	struct plain_name plain;
	struct str name =
		plain_name_make(&plain, symbols_name(&a->s->session->dossier->symbols, sym));

	return show_format(a->s, STR_FMT "%s", STR_ARG(str_sub(name, 0, ANNOTATE_NAME)),
			   name.len <= ANNOTATE_NAME ? ""
			   : a->s->v->is_ascii       ? "..."
						     : "…");
}

/* The number of decimals of shares that the function's number of samples justifies. */
static int annotate_decimals(const struct annotate *a)
{
	return a->f->samples && a->f->samples < ANNOTATE_FEW ? 1 : 2;
}

/* Format the position "a.c:9"; "9" if the file is unknown; "" if the line is unknown. */
static struct str annotate_place(const struct annotate *a, str_id file, uint32_t number)
{
	if (!number)
		return STR_NONE;
	return file.v ? show_format(a->s, STR_FMT ":%u", STR_ARG(show_string(a->s, file)), number)
		      : show_format(a->s, "%u", number);
}

static void annotate_lines(const struct annotate *a)
{
	static const struct view_column columns[] = {
		{ "self", "Self %", COLUMN_HEAT },
		{ "place", "Hot line", 0 },
		{ "text", "Source", COLUMN_FLEX | COLUMN_CODE },
		{ "file", NULL, 0 },
		{ "source_line", NULL, 0 },
	};
	static const struct view_table table = { .key = "lines",
						 .columns = columns,
						 .n_columns = ARRAY_LEN(columns) };
	size_t n = 0;

	/* if the rows are source lines, a second list of lines is not needed */
	if (a->view.lines.len == 0 ||
	    (a->view.hot != INDEX_NONE && a->code->rows.data[a->view.hot].is_source))
		return;
	view_table(a->s->v, &table);
	VEC_FOREACH (line, &a->view.lines) {
		struct str text =
			line->source == INDEX_NONE
				? STR_NONE
				: show_string(a->s, a->code->rows.data[line->source].text);
		struct cell cells[] = {
			cell_real(line->self, annotate_decimals(a)),
			cell_text(annotate_place(a, line->file, line->number)),
			line->source == INDEX_NONE ? cell_none() : cell_text(str_trim(text)),
			show_name(a->s, line->file),
			cell_count(line->number),
		};

		if (n++ >= ANNOTATE_LINES && !a->s->session->to.is_json)
			break;
		view_row(a->s->v, cells);
	}
	view_table_end(a->s->v);
}

/*
 * Print that the samples at the hottest row belong to an earlier instruction, if they probably do.
 */
static void annotate_late(const struct annotate *a)
{
	const struct strings *strings = &a->s->session->dossier->strings;
	bool is_precise = event_unit_name_is_precise(show_string(a->s, a->code->event));
	struct instruction_blame blame;
	const struct code_row *row;
	struct str place;

	if (a->view.hot == INDEX_NONE || a->code->rows.data[a->view.hot].is_source)
		return;
	blame = instruction_blame(a->code, strings, a->f, a->view.hot);
	row = &a->code->rows.data[blame.row];
	place = annotate_place(a, row->file, row->number);
	if (blame.is_skid)
		view_line(a->s->v, "Skid",
			  "samples come late: those of the hottest row usually belong to '" STR_FMT
			  "'%s" STR_FMT "%s",
			  STR_ARG(show_string(a->s, row->text)), place.len ? ", " : "",
			  STR_ARG(place),
			  is_precise ? "" : "; -e cycles:pp is exact where the CPU can");
	else if (!is_precise)
		view_line(a->s->v, "Skid",
			  "this event is sampled late: the slow instruction may be some rows above "
			  "the hottest one");
	if (blame.is_operand)
		view_line(a->s->v, "Wait",
			  "the hottest row needs the value that '" STR_FMT "'%s" STR_FMT " loads",
			  STR_ARG(show_string(a->s, row->text)), place.len ? ", " : "",
			  STR_ARG(place));
}

/* Print the heaviest inlined functions. */
static void annotate_inlined(const struct annotate *a)
{
	struct str text = STR_NONE;
	size_t n = 0;

	view_list(a->s->v, "inlined");
	VEC_FOREACH (in, &a->view.inlined) {
		view_object(a->s->v, NULL, NULL);
		view_field(a->s->v, "function", NULL,
			   cell_text(symbols_name(&a->s->session->dossier->symbols, in->sym)));
		view_field(a->s->v, "self", NULL, cell_real(in->self, 2));
		view_object_end(a->s->v);
		if (n++ < ANNOTATE_INLINED && in->self >= CODE_VIEW_HOT_PCT)
			text = show_format(a->s, STR_FMT "%s" STR_FMT " %.1f %%", STR_ARG(text),
					   text.len ? ", " : "",
					   STR_ARG(annotate_symbol(a, in->sym)), in->self);
	}
	view_list_end(a->s->v);
	if (text.len)
		view_line(a->s->v, "Inlined", STR_FMT, STR_ARG(text));
}

/*
 * Draw the loops to the left of the row with index @at: "┌─>" at the start of a loop, "└──" at the
 * jump back, "│" between them. Longer loops are farther to the left.
 */
static struct str annotate_arrows(const struct annotate *a, uint32_t at)
{
	static const char *const utf8[] = { " ", "│", "┌", "└", "─", ">" };
	static const char *const ascii[] = { " ", "|", "+", "+", "-", ">" };
	const char *const *draw = a->s->v->is_ascii ? ascii : utf8;
	char text[8 * (CODE_VIEW_LANES + 1) + 1];
	size_t len = 0;
	bool is_end = false;
	bool is_target = false;

	for (unsigned int lane = a->view.n_lanes; lane-- > 0;) {
		const char *c = is_end ? draw[4] : draw[0];

		VEC_FOREACH (loop, &a->view.loops) {
			if (loop->lane != lane || at < loop->first || at > loop->last)
				continue;
			is_target = is_target || at == loop->first;
			c = at == loop->first  ? draw[2]
			    : at == loop->last ? draw[3]
			    : is_end           ? draw[4]
					       : draw[1];
			is_end = is_end || at == loop->first || at == loop->last;
		}
		memcpy(text + len, c, strlen(c));
		len += strlen(c);
	}
	if (a->view.n_lanes) {
		const char *c = is_target ? draw[5] : is_end ? draw[4] : draw[0];

		memcpy(text + len, c, strlen(c));
		len += strlen(c);
	}
	text[len] = '\0';
	return show_format(a->s, "%s", text);
}

/* Whether @row has too few samples for a note about its instruction. */
static bool annotate_is_few(const struct annotate *a, const struct code_row *row)
{
	return a->f->samples &&
	       code_view_pct(a->f, row->self) / 100 * (double)a->f->samples < ANNOTATE_ROW_SAMPLES;
}

/* Whether the function is a PLT entry. The jump of a PLT entry always goes to the same function. */
static bool annotate_is_plt(const struct annotate *a)
{
	return str_ends(symbols_name(&a->s->session->dossier->symbols, a->f->sym), STR("@plt"));
}

/*
 * The note about a hot instruction: what it does, or why it has samples that belong to another
 * instruction. Empty: no note.
 */
static struct str annotate_note(const struct annotate *a, uint32_t at)
{
	const struct code_row *row = &a->code->rows.data[at];
	const struct strings *strings = &a->s->session->dossier->strings;
	struct instruction_blame blame;
	const char *does;

	if (row->is_source || code_view_pct(a->f, row->self) < ANNOTATE_NOTE_PCT ||
	    annotate_is_few(a, row) || annotate_is_plt(a))
		return STR_NONE;
	blame = instruction_blame(a->code, strings, a->f, at);
	does = instruction_of(blame.kind)->does;
	if (!does)
		return STR_NONE;
	if (blame.row == at)
		return str_of(does);
	return blame.is_operand ? STR("waits for the load above")
				: show_format(a->s, "after one that %s", does);
}

static void annotate_gap(const struct annotate *a, uint32_t from, uint32_t to)
{
	struct cell cells[10];
	double self = 0;

	for (uint32_t i = from; i < to; i++)
		self += code_view_pct(a->f, a->code->rows.data[i].self);
	for (size_t i = 0; i < ARRAY_LEN(cells); i++)
		cells[i] = cell_none();
	cells[0] = self > 0 ? cell_real(self, annotate_decimals(a)) : cell_none();
	cells[4] = cell_text(show_format(a->s, "%s " STR_FMT, a->s->v->is_ascii ? "..." : "…",
					 STR_ARG(show_plural(a->s, to - from, "row", "rows"))));
	view_row(a->s->v, cells);
}

static void annotate_row(const struct annotate *a, uint32_t at)
{
	const struct code_row *row = &a->code->rows.data[at];
	struct str note = annotate_note(a, at);
	struct str place = STR_NONE;
	bool is_json = a->s->session->to.is_json;

	if (row->is_source || is_json || at == a->f->first)
		place = annotate_place(a, row->file, row->number);
	else if (row->number && (row->number != row[-1].number || row->file.v != row[-1].file.v))
		place = annotate_place(a, row->file, row->number);
	{
		struct cell cells[] = {
			row->has_weight
				? cell_real(code_view_pct(a->f, row->self), annotate_decimals(a))
				: cell_none(),
			place.len ? cell_text(place) : cell_none(),
			row->address ? cell_text(show_format(a->s, "%llx",
							     (unsigned long long)row->address))
				     : cell_none(),
			cell_text(annotate_arrows(a, at)),
			cell_text(annotate_text(a, row)),
			note.len ? cell_text(note) : cell_none(),
			row->target ? cell_text(show_format(a->s, "%llx",
							    (unsigned long long)row->target))
				    : cell_none(),
			row->inlined.v ? cell_text(symbols_name(&a->s->session->dossier->symbols,
								row->inlined))
				       : cell_none(),
			cell_bool(row->is_source),
			a->s->session->to.is_csv
				? cell_text(
					  symbols_name(&a->s->session->dossier->symbols, a->f->sym))
				: cell_none(),
		};

		view_row(a->s->v, cells);
	}
}

static void annotate_rows(const struct annotate *a)
{
	/* addresses are useful only in the whole listing, because its jumps refer to them */
	struct view_column columns[] = {
		{ "self", "Self %", COLUMN_HEAT | COLUMN_NO_ZERO },
		{ "place", "Line", COLUMN_MINOR },
		{ "address", a->is_whole ? "Address" : NULL, COLUMN_RIGHT },
		{ NULL, "Loop", 0 },
		{ "text", "Code", COLUMN_FLEX | COLUMN_CODE },
		{ "note", "Instruction", 0 },
		{ "target", NULL, 0 },
		{ "inlined", NULL, 0 },
		{ "is_source", NULL, 0 },
		{ "function", NULL, 0 }, /* this column is only in CSV */
	};
	struct view_table table = {
		.key = "rows", .columns = columns, .n_columns = ARRAY_LEN(columns), .is_main = true
	};
	uint32_t end = a->f->first + a->f->n;

	view_table(a->s->v, &table);
	for (uint32_t i = a->f->first; i < end;) {
		uint32_t to = i;

		while (to < end && !a->is_whole && !a->view.is_shown.data[to - a->f->first])
			to++;
		if (to > i) {
			annotate_gap(a, i, to);
			i = to;
			continue;
		}
		annotate_row(a, i++);
	}
	view_table_end(a->s->v);
}

/* Print why the hottest instruction may be slow, and how long its loop is. */
static void annotate_why(const struct annotate *a)
{
	const struct strings *strings = &a->s->session->dossier->strings;
	uint32_t hot = a->view.hot;
	struct instruction_blame blame;
	const struct instruction *in;

	if (hot == INDEX_NONE || a->code->rows.data[hot].is_source)
		return;
	if (a->view.around.n)
		view_line(a->s->v, "Loop",
			  "%.1f %% is in a loop of " STR_FMT " around the hottest one",
			  a->view.around.self,
			  STR_ARG(show_plural(a->s, a->view.around.n, "instruction",
					      "instructions")));
	blame = instruction_blame(a->code, strings, a->f, hot);
	in = instruction_of(blame.kind);
	if (!in->cause || code_view_pct(a->f, a->code->rows.data[hot].self) < ANNOTATE_NOTE_PCT ||
	    annotate_is_few(a, &a->code->rows.data[hot]) || annotate_is_plt(a))
		return;
	view_line(a->s->v, "Usual cause", "%s", in->cause);
	view_line(a->s->v, "Next", "%s", in->next);
}

/* Print the heading: "find in a.out: 92.2 % of CPU time, 1814 samples". */
static void annotate_heading(const struct annotate *a, struct str name)
{
	struct event_unit unit = event_unit_named(show_string(a->s, a->code->event));
	struct str object = a->f->file.v ? show_format(a->s, "in " STR_FMT,
						       STR_ARG(show_string(a->s, a->f->file)))
					 : STR_NONE;
	struct str share = a->f->of_all >= 0
				   ? show_format(a->s, "%.1f %% of %s", a->f->of_all, unit.of)
				   : STR_NONE;
	struct str samples =
		a->f->samples ? show_plural(a->s, a->f->samples, "sample", "samples") : STR_NONE;

	view_heading(a->s->v, object.len ? name : show_format(a->s, STR_FMT ":", STR_ARG(name)),
		     STR_FMT "%s" STR_FMT "%s" STR_FMT, STR_ARG(object),
		     object.len && (share.len || samples.len) ? ": " : "", STR_ARG(share),
		     share.len && samples.len ? ", " : "", STR_ARG(samples));
}

void show_annotate(struct show *s, const struct capture *c, const struct code_function *f,
		   bool is_whole)
{
	struct annotate a = {
		.s = s,
		.code = c->code ? c->code : c->instructions,
		.f = f,
		.is_whole = is_whole || s->session->to.is_json || s->session->to.is_csv,
	};
	struct str name = f->sym.v ? symbols_name(&s->session->dossier->symbols, f->sym)
				   : STR("a function that the text does not name");

	code_view_make(a.code, &s->session->dossier->strings, f, &a.view);
	a.indent = annotate_indent(&a);
	view_object(s->v, NULL, NULL);
	view_field(s->v, "function", NULL, f->sym.v ? cell_text(name) : cell_null());
	view_field(s->v, "object", NULL, show_name(s, f->file));
	view_field(s->v, "of_all_pct", NULL,
		   f->of_all >= 0 ? cell_real(f->of_all, 2) : cell_null());
	view_field(s->v, "samples", NULL, f->samples ? cell_count(f->samples) : cell_null());
	view_field(s->v, "event", NULL, show_name(s, a.code->event));
	annotate_heading(&a, name);
	annotate_inlined(&a);
	annotate_lines(&a);
	annotate_late(&a);
	annotate_rows(&a);
	annotate_why(&a);
	view_object_end(s->v);
	code_view_fini(&a.view);
}
