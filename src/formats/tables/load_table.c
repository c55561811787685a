/* SPDX-License-Identifier: MIT */
/*
 * load_table.c - load tests in a table written by hand, with one row for each number of clients
 *
 *     clients  req/s  p50 ms  p99 ms
 *     1          96     10.4    14.1
 *     8         712     11.2    18.0
 *     64       1480     43.1    97.5
 *
 * Cells are separated by '|', tabs, commas or two blanks. If a line has none of these, they are
 * separated by single blanks. No tool has this format, so a table is read only if its first title
 * is a number of clients and a later title is a rate. Times need a unit, in the title or in each
 * cell.
 */
#include "formats/tables/line_table.h"

#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/symbols.h"
#include "formats/format.h"

#include <math.h>
#include <stdio.h>

DECLARE_FORMAT(load_table);

static const struct diag_kind load_table_past = { "load-table-past-limit", DIAG_DATALOSS,
						  "rows past the limit" };

#define LOAD_COLUMNS 12u
#define LOAD_TITLE   40u

#define LOAD_CLIENTS                                                                          \
	"clients|client|# clients|#clients|connections|conns|concurrency|concurrent *|users|" \
	"vus|virtual users|concurrent"
#define LOAD_RATES                                                                          \
	"req/s*|reqs/s*|requests/s*|requests per second*|rps|qps|tps|tps *|ops/s*|ops per " \
	"second*|throughput|throughput (req*|throughput (ops*|throughput (t*|queries/s*|"   \
	"transactions/s*"
#define LOAD_TIMES \
	"*latency*|*lat *|*lat|p50*|p90*|p95*|p99*|avg*|mean*|median*|max*|*response time*"

enum load_kind {
	LOAD_OTHER,
	LOAD_CLIENT,
	LOAD_RATE,
	LOAD_TIME,
};

struct load_column {
	struct str title;
	enum load_kind kind;
	double unit; /* unit of time in the title, in ns; 0: the title has none */
};

struct load_head {
	struct load_column columns[LOAD_COLUMNS];
	size_t n;
};

/*
 * Remove the first cell of @line, with the blanks before it and the separator after it. @is_wide:
 * single blanks do not separate cells. False: @line has no cell.
 */
static bool load_cell(struct str *line, bool is_wide, struct str *ret)
{
	size_t n = 0;

	*line = str_ltrim(*line);
	if (line->len == 0)
		return false;
	while (n < line->len && !strchr("|\t,", line->p[n]) &&
	       !(line->p[n] == ' ' && (!is_wide || (n + 1 < line->len && line->p[n + 1] == ' '))))
		n++;
	*ret = str_trim(str_sub(*line, 0, n));
	*line = str_ltrim(str_skip(*line, n));
	if (line->len && strchr("|,", line->p[0]))
		*line = str_skip(*line, 1);
	return true;
}

/* Split @line into cells. Returns the number of cells; 0: no cells, or too many. */
static size_t load_cells(struct str line, struct str *ret)
{
	struct str rest = str_trim(line);
	bool is_wide = str_contains(rest, STR("  ")) || str_contains(rest, STR("|")) ||
		       str_contains(rest, STR("\t")) || str_contains(rest, STR(","));
	struct str cell;
	size_t n = 0;

	(void)str_take(&rest, STR("|"));
	while (load_cell(&rest, is_wide, &cell)) {
		if (n == LOAD_COLUMNS)
			return 0;
		ret[n++] = cell;
	}
	return n;
}

/* The number of ns in the unit @unit; 0: @unit is no unit of time. */
static double load_unit(struct str unit)
{
	return str_eq_nocase(unit, STR("ms"))                                     ? 1e6
	       : str_eq_nocase(unit, STR("us")) || str_eq(unit, STR("\xc2\xb5s")) ? 1e3
	       : str_glob(STR("s|sec|secs|seconds"), unit)                        ? 1e9
	       : str_eq(unit, STR("ns"))                                          ? 1
										  : 0;
}

/*
 * Remove a unit of time that is the last word of a title: "p50 ms", "p50 (ms)", "p50_ms". Returns
 * its number of ns; 0: the title has none.
 */
static double load_take_unit(struct str *title)
{
	struct str s = *title;
	double ret;
	size_t at;

	while (s.len && strchr(")]", s.p[s.len - 1]))
		s.len--;
	at = s.len;
	while (at && !strchr(" ([_", s.p[at - 1]))
		at--;
	ret = at ? load_unit(str_skip(s, at)) : 0;
	while (at && strchr(" ([_", s.p[at - 1]))
		at--;
	if (ret > 0)
		title->len = at;
	return ret;
}

static bool load_head(struct str line, struct load_head *ret)
{
	struct str cells[LOAD_COLUMNS];
	char lower[LOAD_TITLE];
	bool has_rate = false;

	*ret = (struct load_head){ .n = load_cells(line, cells) };
	for (size_t i = 0; i < ret->n; i++) {
		struct load_column *c = &ret->columns[i];
		struct str title = { lower, cells[i].len };

		if (cells[i].len >= LOAD_TITLE || char_is_digit(cells[i].len ? cells[i].p[0] : '0'))
			return false;
		for (size_t k = 0; k < title.len; k++)
			lower[k] = (char)(cells[i].p[k] >= 'A' && cells[i].p[k] <= 'Z'
						  ? cells[i].p[k] | 0x20
						  : cells[i].p[k]);
		c->title = cells[i];
		c->kind = i == 0 && str_glob(STR(LOAD_CLIENTS), title) ? LOAD_CLIENT
			  : str_glob(STR(LOAD_RATES), title)           ? LOAD_RATE
			  : str_glob(STR(LOAD_TIMES), title)           ? LOAD_TIME
								       : LOAD_OTHER;
		if (c->kind == LOAD_TIME)
			c->unit = load_take_unit(&c->title);
		if (c->kind == LOAD_RATE && str_ends(c->title, STR("/s")))
			/* remove "/s", because the stored column has the unit "/s" */
			c->title.len -= 2;
		has_rate |= c->kind == LOAD_RATE;
	}
	return ret->n >= 2 && ret->columns[0].kind == LOAD_CLIENT && has_rate;
}

/*
 * Take the number of a cell from @line: "1480", "43.1 ms", "1.2k"; "-" gives NAN. The blanks and
 * the separator after it are removed, too. @unit: unit of time of the cell in ns; 0: none. False:
 * the cell is no number.
 */
static bool load_value(struct str *line, double *ret, double *unit)
{
	struct str rest;
	size_t n = 0;

	*unit = 0;
	*line = str_ltrim(*line);
	if (str_take(line, STR("- ")) || str_take(line, STR("n/a"))) {
		*ret = NAN;
		return true;
	}
	if (line->len == 0 || !char_is_digit(line->p[0]) || !str_double(line, ret))
		return false;
	rest = str_ltrim(*line);
	while (n < rest.len && !strchr("|\t, ", rest.p[n]))
		n++;
	*unit = load_unit(str_sub(rest, 0, n));
	if (*unit > 0 || str_eq(str_sub(rest, 0, n), STR("%"))) {
		*line = str_skip(rest, n);
	} else if (rest.p == line->p && n == 1 && (rest.p[0] == 'k' || rest.p[0] == 'K')) {
		*ret *= 1e3;
		*line = str_skip(rest, n);
	}
	/* other text follows the number, so the line is no row of such a table */
	if (line->len && !strchr("|\t, ", line->p[0]))
		return false;
	*line = str_ltrim(*line);
	if (line->len && strchr("|,", line->p[0]))
		*line = str_skip(*line, 1);
	return true;
}

/* Parse a row. Returns the number of its cells; 0: @line is no row. */
static size_t load_row(struct str line, double *values, double *units)
{
	size_t n = 0;

	line = str_trim(line);
	(void)str_take(&line, STR("|"));
	while (str_trim(line).len) {
		if (n == LOAD_COLUMNS || !load_value(&line, &values[n], &units[n]))
			return 0;
		n++;
	}
	return n >= 2 && values[0] >= 1 && values[0] == floor(values[0]) && units[0] == 0 ? n : 0;
}

static enum line_kind load_kind(struct str line)
{
	double values[LOAD_COLUMNS];
	double units[LOAD_COLUMNS];
	struct load_head head;
	struct str t = str_trim(line);
	size_t n = 0;

	while (n < t.len && strchr("-|=+: ", t.p[n]))
		n++;
	if (n == t.len)
		return LINE_BLANK;
	if (load_row(line, values, units))
		return LINE_ROW;
	return load_head(line, &head) ? LINE_HEAD : LINE_OTHER;
}

/* .min_rows: a table needs its titles, because any table of numbers may have such rows. */
static const struct line_table load_table_table = {
	.kind = load_kind, .gap = 0, .min_rows = UINT32_MAX, .score = 90
};

static unsigned int load_table_probe(struct str head)
{
	return line_table_probe(&load_table_table, head);
}

static bool load_table_find(struct str text, size_t from, struct extent *ret)
{
	return line_table_find(&load_table_table, text, from, ret);
}

static void load_columns(struct capture *c, const struct load_head *head, const double *row_units)
{
	struct line_column columns[LOAD_COLUMNS];
	char titles[LOAD_COLUMNS][LOAD_TITLE];

	for (size_t i = 0; i < head->n; i++) {
		const struct load_column *column = &head->columns[i];

		(void)snprintf(titles[i], sizeof(titles[i]), STR_FMT, STR_ARG(column->title));
		columns[i] = (struct line_column){
			.name = titles[i],
			.unit = column->kind == LOAD_RATE ? "/s"
				: column->kind == LOAD_TIME &&
						(column->unit > 0 || row_units[i] > 0)
					? "ns"
					: NULL,
		};
	}
	line_table_columns(c, titles[0], NULL, columns + 1, head->n - 1);
}

static int load_table_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct capture *c = NULL;
	struct load_head head = { .n = 0 };
	struct str text = in->text;
	struct str line;

	for (uint32_t n = 0; str_line(&text, &line); n++) {
		double values[LOAD_COLUMNS];
		double units[LOAD_COLUMNS];
		char clients[24];

		if (head.n == 0 && load_head(line, &head))
			continue;
		if (head.n == 0 || load_row(line, values, units) != head.n)
			continue;
		if (!c) {
			c = format_add_capture(&format_load_table, in, d);
			load_columns(c, &head, units);
		}
		for (size_t i = 1; i < head.n; i++) {
			double unit = units[i] > 0 ? units[i] : head.columns[i].unit;

			values[i] *= head.columns[i].kind == LOAD_TIME && unit > 0 ? unit : 1;
		}
		(void)snprintf(clients, sizeof(clients), "%.0f", values[0]);
		if (!line_table_add(c,
				    symbols_add_text(capture_symbols(c), str_of(clients), STR_NONE,
						     SPACE_UNKNOWN, 0),
				    values + 1, NULL, region_line(in, n)))
			diag_count(&c->diag, &load_table_past, region_line(in, n));
	}
	return c ? OK : fail(err, ERR_FORMAT, "no row of a load test");
}

const struct format format_load_table = {
	.name = "load-table",
	.summary = "rate and latency by number of clients, written by hand",
	.kinds = KIND_METRICS,
	.probe = load_table_probe,
	.find = load_table_find,
	.read = load_table_read,
};
