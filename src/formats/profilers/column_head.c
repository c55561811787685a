/* SPDX-License-Identifier: MIT */
/*
 * column_head.c - titles and cells of call trees with columns
 *
 * Instruments (Edit > Deep Copy) separates cells by tabs; the last title is "Symbol Name". VTune
 * marks columns by a line of dashes, or separates cells by a tab, comma or semicolon (-format csv
 * -csv-delimiter). Source: VTune user guide, "Top-down Report", "Callstacks Report".
 */
#include "formats/profilers/column_head.h"

#include "base/status.h"
#include "base/str.h"
#include "formats/profilers/column_amount.h"

#define COLUMN_LINE 16384u /* maximum length of a line */

/*
 * Take the next cell of a row. Quotes around the cell are removed. Blanks at the start of the cell
 * stay, because they show the depth in the call tree.
 */
static struct str column_take_cell(struct str *s, char separator)
{
	struct str t = str_ltrim(*s);
	struct str cell;
	size_t end;

	if (separator != '\t' && str_take(&t, STR("\""))) {
		cell = str_sub(t, 0, str_find_char(t, '"'));
		t = str_skip(t, cell.len + 1);
		*s = str_skip(t, str_find_char(t, separator) + 1);
		return cell;
	}
	end = str_find_char(*s, separator);
	cell = str_sub(*s, 0, end);
	*s = str_skip(*s, end + 1);
	return cell;
}

/* Split @line into at most COLUMN_MAX_CELLS cells. */
static uint32_t column_cells(const struct column_head *h, struct str line,
			     struct str cells[COLUMN_MAX_CELLS])
{
	uint32_t n = 0;

	if (h->separator) {
		while (line.len && n < COLUMN_MAX_CELLS)
			cells[n++] = column_take_cell(&line, h->separator);
		return n;
	}
	for (; n < h->n; n++)
		cells[n] = str_sub(line, h->from[n], n + 1 < h->n ? h->from[n + 1] : line.len);
	return n;
}

/* Set h->from to the offset of each title in @line. Titles are separated by at least two blanks. */
static void column_places(struct column_head *h, struct str line)
{
	size_t at = 0;

	h->n = 0;
	while (at < line.len && h->n < COLUMN_MAX_CELLS) {
		struct str rest = str_skip(line, at);

		h->from[h->n++] = (uint32_t)at;
		at += str_find(rest, STR("  "));
		while (at < line.len && char_is_blank(line.p[at]))
			at++;
	}
}

static bool column_is(struct str title, struct str metric, struct str suffix)
{
	return title.len == metric.len + suffix.len && str_starts(title, metric) &&
	       str_ends(title, suffix);
}

/*
 * Find the columns in the titles of Instruments: "Weight", "Self Weight", "Symbol Names". False:
 * these are no titles of Instruments.
 */
static bool column_instruments(struct column_head *h, const struct str *titles, uint32_t n)
{
	h->tool = COLUMN_INSTRUMENTS;
	h->metric = titles[0];
	h->total = 0;
	for (uint32_t i = 1; i < n; i++) {
		if (str_glob(STR("Self|Self *"), titles[i]) && h->self == COLUMN_NONE)
			h->self = i;
		else if (str_glob(STR("Symbol Name|Symbol Names"), titles[i]))
			h->name = i;
	}
	if (h->self != COLUMN_NONE && str_ends(titles[h->self], STR("(ms)")))
		h->self_ns = 1e6;
	return h->name != COLUMN_NONE &&
	       str_glob(STR("Weight|Running Time*|Bytes Used"), h->metric);
}

/*
 * Find the columns in the titles of VTune: "Function Stack", "CPU Time:Total", "CPU Time:Self",
 * "Module". False: these are no titles of VTune.
 */
static bool column_vtune(struct column_head *h, const struct str *titles, uint32_t n)
{
	h->tool = str_eq(titles[0], STR("Function Stack")) ? COLUMN_TOP_DOWN : COLUMN_CALLSTACKS;
	h->name = h->tool == COLUMN_CALLSTACKS;
	h->function = 0;
	if (n < h->name + 2 || !str_eq(titles[h->name], STR("Function Stack")) ||
	    (h->name && !str_eq(titles[0], STR("Function"))))
		return false;
	h->metric = titles[h->name + 1];
	h->metric.len = str_find_char(h->metric, ':');
	for (uint32_t i = h->name + 1; i < n; i++) {
		if (column_is(titles[i], h->metric, STR(":Self")))
			h->self = i;
		else if (column_is(titles[i], h->metric, STR(":Total")) ||
			 str_eq(titles[i], h->metric))
			h->total = i;
		else if (str_eq(titles[i], STR("Module")))
			h->module = i;
	}
	if (str_ends(h->metric, STR(" Time")))
		h->self_ns = h->total_ns = 1e9;
	return h->self != COLUMN_NONE || h->total != COLUMN_NONE;
}

bool column_head_of(struct str line, struct column_head *ret)
{
	struct str titles[COLUMN_MAX_CELLS];
	struct str t = str_trim(line);
	bool is_instruments = str_glob(STR("*Symbol Name|*Symbol Names"), t);
	uint32_t n;

	if (t.len < 12 || t.len > COLUMN_LINE ||
	    (!is_instruments && !str_contains(t, STR("Function Stack"))))
		return false;
	*ret = (struct column_head){ .name = COLUMN_NONE,
				     .total = COLUMN_NONE,
				     .self = COLUMN_NONE,
				     .module = COLUMN_NONE };
	if (is_instruments || str_find_char(t, '\t') < t.len)
		ret->separator = '\t';
	else if (str_contains(t, STR("Function Stack,")))
		ret->separator = ',';
	else if (str_contains(t, STR("Function Stack;")))
		ret->separator = ';';
	else
		column_places(ret, str_rtrim(line));
	n = column_cells(ret, line, titles);
	ret->n = n;
	for (uint32_t i = 0; i < n; i++)
		titles[i] = str_trim(titles[i]);
	if (n < 2)
		return false;
	return is_instruments ? column_instruments(ret, titles, n) : column_vtune(ret, titles, n);
}

bool column_head_ruler(struct column_head *h, struct str line)
{
	struct str t = str_trim(line);
	uint32_t n = 0;
	size_t at = 0;

	if (h->separator || h->has_ruler || !str_starts(t, STR("---")))
		return false;
	line = str_rtrim(line);
	while (at < line.len && n < h->n) {
		while (at < line.len && char_is_blank(line.p[at]))
			at++;
		h->from[n] = n ? (uint32_t)at : 0;
		n++;
		while (at < line.len && line.p[at] == '-')
			at++;
		if (at < line.len && !char_is_blank(line.p[at]))
			return false;
	}
	h->has_ruler = n == h->n;
	return h->has_ruler;
}

/*
 * Read a cell that contains only an amount. @ns: unit, in nanoseconds, of a number that is printed
 * without a unit; 0: such a number is no time. False: the cell contains something else.
 */
static bool column_amount(struct str cell, double ns, struct column_amount *ret)
{
	struct str rest = cell;

	if (!column_amount_take(&rest, ret))
		return false;
	if (ns > 0)
		column_amount_as_time(ret, ns);
	return str_trim(rest).len == 0;
}

/*
 * Read a cell of Instruments with an amount and a share: "4.93 s  100.0%". False: the cell has
 * another form.
 */
static bool column_weight(struct str cell, struct column_amount *ret)
{
	struct column_amount share;

	return column_amount_take(&cell, ret) && column_amount_take(&cell, &share) &&
	       share.unit == COLUMN_SHARE && str_trim(cell).len == 0;
}

bool column_head_row(const struct column_head *h, struct str line, struct column_row *ret)
{
	struct str cells[COLUMN_MAX_CELLS];
	struct str name;
	uint32_t n;

	*ret = (struct column_row){ .depth = 0 };
	line = str_rtrim(str_sub(line, 0, COLUMN_LINE));
	if (!h->separator && !h->has_ruler)
		return false;
	n = column_cells(h, line, cells);
	if (n <= h->name)
		return false;
	name = str_rtrim(cells[h->name]);
	ret->name = str_ltrim(name);
	ret->depth = name.len - ret->name.len;
	if (h->tool == COLUMN_CALLSTACKS)
		ret->function = str_trim(cells[h->function]);
	if (h->module < n)
		ret->module = str_trim(cells[h->module]);
	if (h->total < n)
		ret->has_total = h->tool == COLUMN_INSTRUMENTS
					 ? column_weight(cells[h->total], &ret->total)
					 : column_amount(cells[h->total], h->total_ns, &ret->total);
	if (h->self < n)
		ret->has_self = column_amount(cells[h->self], h->self_ns, &ret->self);
	return (ret->name.len || ret->function.len) && (ret->has_total || ret->has_self) &&
	       (h->tool != COLUMN_INSTRUMENTS || ret->has_total);
}
