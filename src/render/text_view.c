/* SPDX-License-Identifier: MIT */
/* text_view.c - the text view: aligned text that fits the terminal */
#include "render/text_view.h"

#include "base/alloc.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/text/utf8.h"
#include "core/names/go_package.h"
#include "render/escape.h"

#include <math.h>

static struct text_view *text_of(struct view *v)
{
	return (struct text_view *)v;
}

void text_view_styled(const struct text_view *t, struct out *out, enum text_style style,
		      struct str s)
{
	static const char *const codes[] = { "", "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[32m" };

	if (!t->opt.has_colour || style == STYLE_PLAIN || s.len == 0) {
		out_str(out, s);
		return;
	}
	out_z(out, codes[style]);
	out_str(out, s);
	out_z(out, "\x1b[0m");
}

void text_view_gap(struct text_view *t)
{
	if (t->has_output && !t->is_gap)
		out_char(t->base.out, '\n');
	t->is_gap = true;
}

static void text_put(struct text_view *t)
{
	t->has_output = true;
	t->is_gap = false;
	t->is_headed = false;
}

static void text_count(const struct text_view *t, struct out *out, uint64_t v)
{
	struct out digits = { .fd = -1 };

	if (!t->opt.is_grouped || v < 10000) {
		out_u64(out, v);
	} else {
		out_u64(&digits, v);
		for (size_t i = 0; i < digits.len; i++) {
			if (i && (digits.len - i) % 3 == 0)
				out_z(out, t->opt.has_utf8 ? "\u202f" : ",");
			out_char(out, digits.data[i]);
		}
	}
	out_fini(&digits);
}

unsigned int text_view_ns_unit(uint64_t ns)
{
	return ns < 1000 ? 9 : ns < 10000000 ? 6 : ns < UINT64_C(10000000000) ? 3 : 0;
}

const char *text_view_ns_unit_name(const struct text_view *t, unsigned int unit)
{
	return unit == 9   ? "ns"
	       : unit == 6 ? (t->opt.has_utf8 ? "µs" : "us")
	       : unit == 3 ? "ms"
			   : "s";
}

static void text_ns(struct out *out, uint64_t ns, unsigned int unit)
{
	if (unit == 9)
		out_u64(out, ns);
	else if (unit == 6)
		out_printf(out, "%llu.%03llu", (unsigned long long)(ns / 1000),
			   (unsigned long long)(ns % 1000));
	else
		out_printf(out, "%.3f", (double)ns / (unit == 3 ? 1e6 : 1e9));
}

/* Whether a duration that is not 0 would be printed as 0.000 in this unit. */
static bool text_ns_is_small(uint64_t ns, unsigned int unit)
{
	return ns && ((unit == 3 && ns < 500) || (unit == 0 && ns < 500000));
}

static void text_fixed(struct out *out, struct cell c)
{
	if (c.shown < 0 || c.shown >= c.decimals)
		out_fixed(out, c.i, c.decimals);
	else
		out_printf(out, "%.*f", c.shown, (double)c.i / pow(10, c.decimals));
}

/*
 * Append @s with package paths removed, if the options request this. Otherwise return false, and
 * append nothing.
 */
static bool text_without_paths(const struct text_view *t, struct str s, struct out *out)
{
	if (!t->opt.packages)
		return false;
	(void)go_packages_shorten(t->opt.packages, s, out);
	return true;
}

void text_cell_text(const struct text_view *t, struct out *out, struct cell c, unsigned int ns_unit)
{
	struct out name = { .fd = -1 };

	switch ((enum cell_kind)c.kind) {
	case CELL_NONE:
		break;
	case CELL_NULL:
		out_char(out, '-');
		break;
	case CELL_TEXT:
		if (text_without_paths(t, c.s, &name))
			c.s = out_view(&name);
		escape_text(out, c.s);
		out_fini(&name);
		break;
	case CELL_WORD:
		out_str(out, c.s);
		break;
	case CELL_COUNT:
		text_count(t, out, c.u);
		break;
	case CELL_LINE:
		out_printf(out, "L%llu", (unsigned long long)c.u);
		break;
	case CELL_FIXED:
		text_fixed(out, c);
		break;
	case CELL_REAL:
		if (isnan(c.d))
			break;
		if (c.shown < 0)
			out_double(out, c.d);
		else
			out_real(out, c.d, (unsigned int)c.shown);
		break;
	case CELL_NS:
		if (text_ns_is_small(c.u, ns_unit)) {
			unsigned int own = text_view_ns_unit(c.u);

			text_ns(out, c.u, own);
			out_printf(out, " %s", text_view_ns_unit_name(t, own));
			break;
		}
		text_ns(out, c.u, ns_unit);
		break;
	case CELL_BOOL:
		out_z(out, c.b ? "yes" : "no");
		break;
	}
}

static void text_object(struct view *v, const char *key, const char *title)
{
	struct text_view *t = text_of(v);

	(void)key;
	if (!title)
		return;
	text_view_gap(t);
	text_view_styled(t, v->out, STYLE_BOLD, str_of(title));
	out_char(v->out, '\n');
	text_put(t);
}

/*
 * Print a title in the left margin: two blanks, then @title padded to @columns. Returns the next
 * column.
 */
static size_t text_title(struct text_view *t, const char *title, size_t columns)
{
	struct out *out = t->base.out;
	size_t width = title ? utf8_width(str_of(title)) : 0;
	size_t pad = width < columns ? columns - width : 1;

	out_z(out, "  ");
	if (title)
		text_view_styled(t, out, STYLE_DIM, str_of(title));
	out_repeat(out, ' ', pad);
	return 2 + width + pad;
}

static void text_field(struct view *v, const char *key, const char *title, struct cell c)
{
	struct text_view *t = text_of(v);
	struct out value = { .fd = -1 };
	unsigned int unit = text_view_ns_unit(c.u);

	(void)key;
	if (!title || c.kind == CELL_NONE || (c.kind == CELL_REAL && isnan(c.d)))
		return;
	text_cell_text(t, &value, c, unit);
	(void)text_title(t, title, TEXT_TITLE_COLUMNS);
	out_str(v->out, out_view(&value));
	if (c.kind == CELL_NS)
		out_printf(v->out, " %s", text_view_ns_unit_name(t, unit));
	if (c.err > 0)
		out_printf(v->out, " %s %.3g", t->opt.has_utf8 ? "±" : "+-", c.err);
	out_char(v->out, '\n');
	out_fini(&value);
	text_put(t);
}

/*
 * Append @s with ASCII instead of the UTF-8 signs that the program's own sentences use. Other
 * characters, as in names, are not changed.
 */
static void text_ascii(struct out *out, struct str s)
{
	static const char *const signs[][2] = { { "–", "-" },  { "→", "->" }, { "…", "..." },
						{ "±", "+-" }, { "µ", "u" },  { "×", "x" },
						{ "≥", ">=" } };

	while (s.len) {
		size_t n = 1;
		struct str text = str_sub(s, 0, 1);

		for (size_t i = 0; i < ARRAY_LEN(signs); i++) {
			if (!str_starts(s, str_of(signs[i][0])))
				continue;
			n = strlen(signs[i][0]);
			text = str_of(signs[i][1]);
		}
		out_str(out, text);
		s = str_skip(s, n);
	}
}

/* Print the sentence @s in bold, wrapped at column @limit. Returns its width in columns. */
static size_t text_bold(struct text_view *t, struct str s, size_t limit)
{
	struct out lines = { .fd = -1 };
	size_t width = utf8_width(s);

	if (width > limit) {
		utf8_fill(&lines, s, 0, limit);
		text_view_styled(t, t->base.out, STYLE_BOLD, out_view(&lines));
	} else {
		text_view_styled(t, t->base.out, STYLE_BOLD, s);
	}
	out_fini(&lines);
	return width;
}

static void text_line_event(struct view *v, const char *title, struct str sentence,
			    enum line_kind kind)
{
	struct text_view *t = text_of(v);
	size_t width = t->opt.width ? t->opt.width : TEXT_PROSE_COLUMNS;
	size_t limit = width < TEXT_PROSE_COLUMNS ? width : TEXT_PROSE_COLUMNS;
	struct out ascii = { .fd = -1 };
	struct out names = { .fd = -1 };
	size_t used;

	if (text_without_paths(t, sentence, &names))
		sentence = out_view(&names);
	if (!t->opt.has_utf8) {
		text_ascii(&ascii, sentence);
		sentence = out_view(&ascii);
	}
	if (kind == LINE_HEADING) {
		text_view_gap(t);
		used = text_bold(t, str_of(title), sentence.len ? SIZE_MAX : limit);
		if (used + 1 >= limit / 2) {
			utf8_fill_at(v->out, sentence, used, 2, limit);
		} else {
			if (sentence.len)
				out_char(v->out, ' ');
			utf8_fill(v->out, sentence, used + 1, limit);
		}
		out_char(v->out, '\n');
	} else {
		used = text_title(t, title,
				  kind == LINE_ITEM ? TEXT_MARK_COLUMNS : TEXT_TITLE_COLUMNS);
		utf8_fill(v->out, sentence, used, limit);
		out_char(v->out, '\n');
	}
	out_fini(&names);
	out_fini(&ascii);
	text_put(t);
	t->is_headed = kind == LINE_HEADING;
}

static void text_table_event(struct view *v, const struct view_table *def)
{
	text_table_begin(text_of(v), def);
}

static void text_row_event(struct view *v, const struct cell *cells, unsigned int depth)
{
	text_table_row(text_of(v), cells, depth);
}

static void text_table_end_event(struct view *v)
{
	struct out text = { .fd = -1 };
	struct out hidden = { .fd = -1 };

	text_table_end(text_of(v), &hidden);
	if (hidden.len) {
		out_printf(&text, "Hidden columns: " STR_FMT " (--wide)",
			   STR_ARG(out_view(&hidden)));
		text_line_event(v, NULL, out_view(&text), LINE_PLAIN);
	}
	out_fini(&hidden);
	out_fini(&text);
}

static void text_side_by_side(struct view *v, bool is_begin)
{
	struct text_view *t = text_of(v);

	if (is_begin) {
		t->side_by_side++;
		return;
	}
	if (t->side_by_side && --t->side_by_side == 0)
		text_blocks_flush(t);
}

static void text_free(struct view *v)
{
	struct text_view *t = text_of(v);

	arena_fini(&t->table.arena);
	out_fini(&t->table.text);
	out_fini(&t->table.line);
	VEC_FREE(&t->table.cells);
	VEC_FREE(&t->table.rows);
	VEC_FOREACH (b, &t->blocks) {
		out_fini(&b->text);
		VEC_FREE(&b->lines);
	}
	VEC_FREE(&t->blocks);
	free(t);
}

static const struct view_ops text_view_ops = {
	.object = text_object,
	.field = text_field,
	.line = text_line_event,
	.table = text_table_event,
	.row = text_row_event,
	.table_end = text_table_end_event,
	.side_by_side = text_side_by_side,
	.free = text_free,
};

struct view *view_text(struct out *out, const struct text_options *options)
{
	struct text_view *t = xcalloc(1, sizeof(*t));

	t->base.ops = &text_view_ops;
	t->base.out = out;
	t->opt = *options;
	t->base.is_ascii = !options->has_utf8;
	t->base.width = TEXT_PROSE_COLUMNS;
	if (options->width && (!options->is_piped || options->width < TEXT_PROSE_COLUMNS))
		t->base.width = options->width;
	return &t->base;
}
