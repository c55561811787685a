/* SPDX-License-Identifier: MIT */
/*
 * counter_columns.c - tables made by hand: a row for each counter, a column for each measurement
 *
 * Such a table is Markdown, ASCII art or text in aligned columns. It has rows such as "| cycles |
 * 2,857 B | 2,713 B | -5.0 % |" under the titles "before" and "after". Each column of values
 * becomes a capture. A column of changes is only checked: if a printed change contradicts the
 * values, it is counted in the diag of both captures.
 */
#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/ids.h"
#include "core/kinds/counter_roles.h"
#include "core/kinds/counters.h"
#include "core/names/side_words.h"
#include "core/strings.h"
#include "formats/counters/counter_number.h"
#include "formats/counters/hand_cells.h"

#include "base/limits.h"
#include "formats/format.h"
#include "formats/unread_rows.h"

#include <math.h>
#include <stdio.h>

DECLARE_FORMAT(counter_columns);

#define COLUMNS_CELLS 8u
/* a table is accepted if the columns_points() of all its rows add up to at least this */
#define COLUMNS_SURE  6u
#define COLUMNS_VALUE 48u
#define COLUMNS_LINE  512u
#define COLUMNS_SCORE 96u
#define COLUMNS_NONE  ((size_t)-1)

static const struct diag_kind columns_lines = { "counter-columns-lines", DIAG_INFO,
						"lines between rows of counters" };
static const struct diag_kind columns_cells = { "counter-columns-cells", DIAG_INFO,
						"cells without a number that can be read" };
static const struct diag_kind columns_changes = { "counter-columns-change", DIAG_DATALOSS,
						  "printed changes that contradict their values" };

/* The titles of a table, and its two columns of values. */
struct columns_head {
	struct str titles[2];
	size_t at[2];  /* columns of the two values; column 0 has the names of the rows */
	size_t change; /* column with the printed changes, such as "-5.0 %"; COLUMNS_NONE: none */
	size_t n;      /* number of columns; 0: no titles yet */
	/* the titles name both sides of a comparison, such as "before" and "after" */
	bool has_sides;
};

struct columns_value {
	struct counter_number number;
	struct str unit;
};

/*
 * Split a line into cells, at bars or at gaps of two blanks. A cell may be empty. Returns the
 * number of cells; 0: more than COLUMNS_CELLS.
 */
static size_t columns_split(struct str line, struct str *ret)
{
	size_t n = hand_cells_split(hand_cells_is_drawn(line) ? HAND_DRAWN : HAND_GAPS, line, ret,
				    COLUMNS_CELLS);

	for (size_t i = n; i < COLUMNS_CELLS; i++)
		ret[i] = STR_NONE;
	return n;
}

/* Parse "2,857.3 B", "612.5 s", "12.3M (100 %)". False for other text, such as "1.5e9". */
static bool columns_value(struct str cell, struct columns_value *ret)
{
	static const char units[] =
		"s|sec|secs|seconds|ms|msec|us|usec|ns|nsec|%|B|KB|MB|GB|KiB|MiB|GiB|kB|bytes|"
		"GHz|MHz|min|\xc2\xb5s|\xce\xbcs|ns/op|us/op|ms/op|s/op|B/op|allocs/op|ops/s|op/s|"
		"req/s|reqs/s|tps|qps|QPS|IOPS|iops|KB/s|MB/s|GB/s|kB/s|KiB/s|MiB/s|GiB/"
		"s|Mbps|Gbps|"
		"Mbit/s|Gbit/s|pps|Mpps";
	char buffer[COLUMNS_VALUE];
	struct str rest = { buffer, 0 };

	for (size_t i = 0; i < cell.len; i++) {
		struct str here = str_skip(cell, i);

		if (here.p[0] == '(' || str_starts(here, STR("\xc2\xb1")) ||
		    str_starts(here, STR("+-")) || str_starts(here, STR("+/-")))
			break;
		if (char_is_blank(here.p[0]))
			continue;
		if (rest.len == sizeof(buffer))
			return false;
		buffer[rest.len++] = here.p[0];
	}
	if (!counter_number(&rest, &ret->number))
		return false;
	if (rest.len && !str_glob(STR(units), rest))
		return false;
	ret->unit = STR_NONE;
	if (rest.len) {
		size_t at = str_find(cell, rest);

		ret->unit = str_sub(cell, at, at + rest.len);
	}
	return true;
}

static bool columns_is_change(struct str title)
{
	static const char *const words[] = { "delta", "diff",    "change", "ratio", "speedup",
					     "speed", "improve", "gain",   "%",     "reduction" };

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (str_contains_nocase(title, str_of(words[i])))
			return true;
	}
	return title.len == 0 || str_starts(title, STR("\xce\x94"));
}

static bool columns_is_name(struct str name)
{
	return counter_role_of(name) != COUNTS_NONE ||
	       str_glob(STR("CPI|IPC|cpi|ipc|insn per cycle|instructions per cycle"), name);
}

/*
 * Find the titles of two columns of values in the cells from @first on, and the title of a column
 * of changes, if any. False: there are not exactly two titles of values.
 */
static bool columns_titles(const struct str *cells, size_t n, size_t first,
			   struct columns_head *ret)
{
	size_t found = 0;

	*ret = (struct columns_head){ .change = COLUMNS_NONE };
	for (size_t i = first; i < n; i++) {
		struct columns_value value;
		bool is_change = columns_is_change(cells[i]);

		if (!is_change && (found == 2 || columns_value(cells[i], &value)))
			return false;
		if (is_change && (found < 2 || ret->change != COLUMNS_NONE))
			return false;
		if (is_change) {
			ret->change = i + 1 - first;
			continue;
		}
		ret->titles[found] = cells[i];
		ret->at[found++] = i + 1 - first;
	}
	ret->n = n + 1 - first;
	if (found == 2) {
		enum side a = side_of_words(ret->titles[0]);
		enum side b = side_of_words(ret->titles[1]);

		ret->has_sides = a != SIDE_UNKNOWN && b != SIDE_UNKNOWN && a != b;
	}
	return found == 2;
}

/*
 * Parse a line of titles. The title of the column with the names of rows is empty, or a word such
 * as "metric".
 */
static bool columns_head(struct str line, struct columns_head *ret)
{
	struct str cells[COLUMNS_CELLS];
	size_t n = columns_split(line, cells);
	bool has_first = hand_cells_is_drawn(line) || (line.len && !char_is_blank(line.p[0]));

	ret->n = 0;
	if (line.len > COLUMNS_LINE || hand_cells_is_rule(line))
		return false;
	return (!has_first && columns_titles(cells, n, 0, ret)) ||
	       (n > 0 && columns_titles(cells, n, 1, ret));
}

static bool columns_row(const struct columns_head *h, struct str line, struct str *cells)
{
	struct columns_value value;
	size_t n;

	if (h->n == 0 || line.len > COLUMNS_LINE || hand_cells_is_rule(line))
		return false;
	n = columns_split(line, cells);
	if (n < 3 || n > h->n + 1 || n <= h->at[1] || cells[0].len == 0 ||
	    cells[0].len >= COUNTER_NAME_MAX)
		return false;
	return columns_value(cells[h->at[0]], &value) && columns_value(cells[h->at[1]], &value);
}

/*
 * How surely a row compares two measurements, in points: by the name of the row, the titles and the
 * units.
 */
static size_t columns_points(const struct columns_head *h, const struct str *cells)
{
	struct columns_value value;

	if (columns_is_name(cells[0]))
		return COLUMNS_SURE / 2;
	if (!h->has_sides)
		return 0;
	if (h->change != COLUMNS_NONE)
		return COLUMNS_SURE;
	return columns_value(cells[h->at[0]], &value) && value.unit.len ? COLUMNS_SURE / 2
									: COLUMNS_SURE / 3;
}

static bool counter_columns_find(struct str text, size_t from, struct extent *ret)
{
	struct columns_head head = { .n = 0 };
	struct columns_head next;
	struct str cells[COLUMNS_CELLS];
	struct str rest = str_skip(text, from);
	size_t at = from;
	size_t points = 0;
	struct str line;

	for (; str_line(&rest, &line); at = text.len - rest.len) {
		if (head.n && columns_row(&head, line, cells)) {
			points += columns_points(&head, cells);
			ret->to = text.len - rest.len;
		} else if (hand_cells_is_rule(line) && head.n) {
			ret->to = points ? text.len - rest.len : ret->to;
		} else if (points >= COLUMNS_SURE) {
			break;
		} else {
			points = 0;
			head = columns_head(line, &next) ? next : (struct columns_head){ .n = 0 };
			ret->from = at;
		}
	}
	if (points < COLUMNS_SURE)
		return false;
	ret->score = COLUMNS_SCORE;
	ret->name = ret->declined = NULL;
	return true;
}

static unsigned int counter_columns_probe(struct str head)
{
	struct extent e;

	return counter_columns_find(head, 0, &e) ? 85 : 0;
}

/*
 * The common end of both titles, which names the quantity: "time/op" for "old time/op" and "new
 * time/op". Empty: the titles end in different words.
 */
static struct str columns_measure(const struct columns_head *h)
{
	struct str a = str_skip(h->titles[0], str_find_char(h->titles[0], ' '));
	struct str b = str_skip(h->titles[1], str_find_char(h->titles[1], ' '));

	return h->has_sides && str_eq(a, b) ? str_trim(a) : STR_NONE;
}

static void columns_add(const struct columns_head *h, struct capture *c, struct str row,
			struct str cell, uint32_t line)
{
	struct strings *strings = capture_strings(c);
	struct str measure = columns_measure(h);
	char buffer[2 * COUNTER_NAME_MAX];
	struct str name = row;
	struct columns_value v;

	if (measure.len && measure.len < COUNTER_NAME_MAX) {
		int n = snprintf(buffer, sizeof(buffer), STR_FMT " " STR_FMT, STR_ARG(row),
				 STR_ARG(measure));

		name = (struct str){ buffer, (size_t)n };
	}

	if (!columns_value(cell, &v) ||
	    counters_add(capture_counters(c), strings,
			 (struct counter){ .name = strings_add(strings, name),
					   .unit = v.unit.len ? strings_add(strings, v.unit)
							      : STR_ID_NONE,
					   .value = v.number.value,
					   .decimals = v.number.decimals,
					   .spread = -1,
					   .running = -1,
					   .line = line }) < 0)
		diag_count(&c->diag, &columns_cells, line);
}

/* Rounding error of a printed value, in percent of the value: half a unit of its last digit. */
static double columns_rounding(const struct counter_number *n)
{
	return n->value ? 50 / fabs((double)n->value) : 0;
}

/*
 * Does the printed change ("-5.0 %") contradict the values @a and @b? It may be a percentage of @a
 * or of @b. Its sign is ignored.
 */
static bool columns_contradicts(struct str a, struct str b, struct str change)
{
	size_t percent = str_find_char(change, '%');
	struct str number = str_rtrim(str_sub(change, 0, percent));
	size_t from = number.len;
	struct columns_value x, y;
	struct counter_number n;
	double printed, moved, slack;

	while (from && (char_is_digit(number.p[from - 1]) || number.p[from - 1] == '.'))
		from--;
	number = str_skip(number, from);
	if (percent >= change.len || !counter_number(&number, &n) || !columns_value(a, &x) ||
	    !columns_value(b, &y) || x.number.value == 0 || y.number.value == 0 ||
	    !str_eq(x.unit, y.unit))
		return false;
	printed = counter_number_double(&n);
	moved = fabs(counter_number_double(&y.number) - counter_number_double(&x.number)) * 100;
	/* a scaled value such as "2.8 B" is rounded, so 1 % more is allowed */
	slack = 0.5 * pow(10, -n.decimals) + columns_rounding(&x.number) * 2 +
		columns_rounding(&y.number) * 2 + 0.01 +
		(x.number.is_scaled || y.number.is_scaled ? 1 : 0);
	return fabs(printed - moved / fabs(counter_number_double(&x.number))) > slack &&
	       fabs(printed - moved / fabs(counter_number_double(&y.number))) > slack;
}

static void columns_read_row(const struct columns_head *h, struct capture *const *c,
			     const struct str *cells, uint32_t line)
{
	for (size_t i = 0; i < 2; i++) {
		columns_add(h, c[i], cells[0], cells[h->at[i]], line);
		if (h->change != COLUMNS_NONE &&
		    columns_contradicts(cells[h->at[0]], cells[h->at[1]], cells[h->change]))
			diag_count(&c[i]->diag, &columns_changes, line);
	}
}

static int counter_columns_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct columns_head head = { .n = 0 };
	struct str cells[COLUMNS_CELLS];
	struct str text = in->text;
	struct capture *c[2];
	struct str line;

	for (size_t i = 0; i < 2; i++)
		c[i] = format_add_capture(&format_counter_columns, in, d);
	for (uint32_t n = 0; str_line(&text, &line); n++) {
		if (n == 0)
			(void)columns_head(line, &head);
		else if (columns_row(&head, line, cells))
			columns_read_row(&head, c, cells, region_line(in, n));
		else if (!hand_cells_is_rule(line))
			unread_rows_count(c[0], &columns_lines, line, region_line(in, n));
	}
	if (!c[0]->counters || !c[1]->counters)
		return fail(err, ERR_FORMAT, "no row of counters");
	for (size_t i = 0; i < 2; i++) {
		struct strings *strings = capture_strings(c[i]);
		enum side side = side_of_words(head.titles[i]);
		enum side other = side_of_words(head.titles[!i]);

		if (side == SIDE_UNKNOWN && other != SIDE_UNKNOWN)
			side = other == SIDE_BASE ? SIDE_CHANGED : SIDE_BASE;
		if (side != SIDE_UNKNOWN && side != other)
			capture_note(c[i], STR("side"),
				     side == SIDE_BASE ? STR("before") : STR("after"),
				     c[i]->first_line);
		c[i]->counters->tool = strings_add(strings, STR("table"));
		c[i]->counters->label = strings_add(strings, head.titles[i]);
		c[i]->counters->is_titled = true;
	}
	return OK;
}

const struct format format_counter_columns = {
	.name = "counter-columns",
	.title = "table of counters",
	.summary = "tables of counters with one column before and one after",
	.kinds = KIND_COUNTERS,
	.probe = counter_columns_probe,
	.find = counter_columns_find,
	.read = counter_columns_read,
};
