/* SPDX-License-Identifier: MIT */
/*
 * scaling_table.c - tables made by hand: a benchmark by number of threads, clients, cores or nodes
 *
 * The table is Markdown, drawn, or aligned. Its first column is a number that grows from row to
 * row, below a title such as "threads". A cell may hold several figures, "945 ms \| 0.3 s": then
 * the line above the table names them, as "`wall ms | system CPU s`". Each cell becomes a counter
 * whose key is the number of the row.
 */
#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/ids.h"
#include "core/kinds/counter_roles.h"
#include "core/kinds/counters.h"
#include "core/names/scaling_words.h"
#include "core/strings.h"
#include "document/document.h"
#include "formats/above.h"
#include "formats/counters/counter_number.h"
#include "formats/counters/hand_cells.h"
#include "formats/format.h"
#include "formats/unread_rows.h"

#include <stdio.h>

DECLARE_FORMAT(scaling_table);

#define SCALING_CELLS 12u
#define SCALING_PARTS 4u /* maximum number of figures in one cell */
#define SCALING_ROWS  3u /* minimum number of rows */
/* the last number in the first column must be at least this many times the first number */
#define SCALING_TIMES 2u
#define SCALING_LINE  1024u
#define SCALING_VALUE 48u
#define SCALING_MOST  100000u /* maximum number of threads */
/* number of lines before the titles in which names of figures are searched */
#define SCALING_ABOVE 3u
/* low score: if a tool prints such a table, the reader for this tool is preferred */
#define SCALING_SCORE 60u

static const struct diag_kind scaling_cells = { "scaling-table-cells", DIAG_INFO,
						"cells without a number that can be read" };
static const struct diag_kind scaling_lines = { "scaling-table-lines", DIAG_INFO,
						"lines between rows of the table" };

struct scaling_head {
	enum hand_layout layout;
	size_t n;
	struct str titles[SCALING_CELLS];
	bool is_numa; /* the first column has the NUMA nodes to which numactl binds the program */
};

/* The number of nodes in the list "0", "0,1", "0-3" or "0,2-3"; 0: @list is no such list. */
static uint64_t scaling_listed(struct str list)
{
	uint64_t n = 0, a, b;

	while (list.len) {
		if (!str_u64(&list, &a))
			return 0;
		b = a;
		if (str_take(&list, STR("-")) && (!str_u64(&list, &b) || b < a || b - a > 1024))
			return 0;
		n += b - a + 1;
		if (list.len && !str_take(&list, STR(",")))
			return 0;
	}
	return n;
}

/* The number of NUMA nodes on which the numactl command @s lets a program run; 0: none. */
static uint64_t scaling_numa(struct str s)
{
	struct str word;
	bool is_list = false;

	s = str_skip(s, str_find(s, STR("numactl ")));
	while (str_word(&s, &word)) {
		if (is_list)
			return scaling_listed(word);
		if (str_take(&word, STR("--cpunodebind=")))
			return scaling_listed(word);
		is_list = str_glob(STR("-N|--cpunodebind"), word);
	}
	return 0;
}

/* The number in the first cell of a row: "16", "16 threads", "1,024"; 0: none. */
static uint64_t scaling_count(const struct scaling_head *h, struct str cell)
{
	struct counter_number n;
	struct str word;

	cell = hand_cells_plain(cell);
	if (h->is_numa)
		return scaling_numa(cell);
	if (!counter_number(&cell, &n) || n.is_scaled)
		return 0;
	n = counter_number_whole(n);
	if (n.decimals || n.value <= 0 || n.value > SCALING_MOST)
		return 0;
	return str_word(&cell, &word) && !scaling_words_is_count(word) ? 0 : (uint64_t)n.value;
}

/* Split a cell with several figures at its escaped bars. Returns the number of figures. */
static size_t scaling_parts(struct str cell, struct str *ret)
{
	size_t n = 0;

	while (n < SCALING_PARTS) {
		size_t bar = str_find(cell, STR("\\|"));

		ret[n++] = str_trim(str_sub(cell, 0, bar));
		if (bar >= cell.len)
			break;
		cell = str_skip(cell, bar + 2);
	}
	return n;
}

/*
 * The quantity of a column, by its title and unit. A title such as a version number names no
 * quantity. If the unit is also missing, the result is @above: the quantity that a heading before
 * the table names. SCALING_NONE: unknown, or not a speed or time.
 */
static enum scaling_value scaling_value(struct str title, struct str unit, enum scaling_value above)
{
	enum scaling_value ret = scaling_value_of(title, unit);

	if (ret != SCALING_NONE || unit.len ||
	    str_glob(STR("*%*|*mem*|*rss*|*RSS*|*size*|*error*|*count*|*miss*|*fault*|*switch*|"
			 "*cycles*|*instr*|*CPU*|*cpu*|*util*|*speed*|*ratio*|*change*|*diff*"),
		     title))
		return ret;
	return above;
}

/*
 * Does a row have at least one cell that is certainly a speed, a time or a latency? Its title or
 * its unit shows this.
 */
static bool scaling_is_judged(const struct scaling_head *h, const struct str *cells, size_t n,
			      enum scaling_value above)
{
	bool is_vague = !h->is_numa && scaling_words_is_ambiguous(h->titles[0]);

	for (size_t i = 1; i < n && i < h->n; i++) {
		struct str parts[SCALING_PARTS];
		struct hand_number cell;
		enum scaling_value value;

		if (scaling_parts(cells[i], parts) == 0 || !hand_cells_number(parts[0], &cell))
			continue;
		value = scaling_value(h->titles[i], cell.unit, above);
		if (value == SCALING_RATE ||
		    (!is_vague && (value == SCALING_TIME || value == SCALING_LATENCY)))
			return true;
	}
	return false;
}

static bool scaling_head_of(struct str line, struct scaling_head *ret)
{
	if (line.len < 4 || line.len > SCALING_LINE || hand_cells_is_rule(line))
		return false;
	for (unsigned int l = 0; l < HAND_LAYOUTS; l++) {
		ret->layout = (enum hand_layout)l;
		ret->n = hand_cells_split(ret->layout, line, ret->titles, SCALING_CELLS);
		if (ret->n < 2)
			continue;
		for (size_t i = 0; i < ret->n; i++)
			ret->titles[i] = hand_cells_plain(ret->titles[i]);
		ret->is_numa = str_contains_nocase(ret->titles[0], STR("numa")) &&
			       !scaling_words_is_count(ret->titles[0]);
		if (ret->is_numa || scaling_words_is_count(ret->titles[0]))
			return true;
	}
	return false;
}

/* Is @line a row of the table with the titles @h? *@ret: its first number. */
static bool scaling_row(const struct scaling_head *h, struct str line, struct str *cells,
			size_t *ret_n, uint64_t *ret)
{
	if (line.len > SCALING_LINE || hand_cells_is_rule(line))
		return false;
	*ret_n = hand_cells_split(h->layout, line, cells, SCALING_CELLS);
	if (*ret_n < 2 || *ret_n > h->n || (h->layout != HAND_DRAWN && *ret_n != h->n))
		return false;
	*ret = scaling_count(h, cells[0]);
	return *ret > 0;
}

/* Is @line a heading? It is short, and has marks of Markdown or a colon at its end. */
static bool scaling_is_title(struct str line)
{
	return line.len < 80 && (str_starts(line, STR("#")) || str_starts(line, STR("**")) ||
				 str_ends(line, STR(":")));
}

/*
 * The quantity that a heading among the last lines of @above names. SCALING_NONE: no heading names
 * a quantity, or headings name different ones.
 */
static enum scaling_value scaling_above(struct str above)
{
	enum scaling_value ret = SCALING_NONE;

	struct str line;

	for (unsigned int n = 0; n < SCALING_ABOVE && above_line(&above, &line);) {
		enum scaling_value value;

		line = str_trim(line);
		value = scaling_value_of(line, STR_NONE);
		if (line.len == 0)
			continue;
		n++;
		if (!scaling_is_title(line) || value == SCALING_NONE || value == SCALING_CPU)
			continue;
		if (ret != SCALING_NONE && ret != value)
			return SCALING_NONE;
		ret = value;
	}
	return ret;
}

/*
 * Find the rows at the start of @text, under the titles @h. Returns the offset of their end; 0:
 * none.
 */
static size_t scaling_run(const struct scaling_head *h, struct str text, enum scaling_value above)
{
	struct str rest = text;
	struct str cells[SCALING_CELLS];
	uint64_t first = 0, last = 0, x;
	size_t to = 0, rows = 0, n;
	bool is_judged = false;
	struct str line;

	while (str_line(&rest, &line)) {
		if (hand_cells_is_rule(line) || (rows == 0 && str_trim(line).len == 0))
			continue;
		if (!scaling_row(h, line, cells, &n, &x) || x <= last)
			break;
		is_judged |= scaling_is_judged(h, cells, n, above);
		first = first ? first : x;
		last = x;
		rows++;
		to = text.len - rest.len;
	}
	return rows >= SCALING_ROWS && is_judged && last >= SCALING_TIMES * first ? to : 0;
}

static bool scaling_table_find(struct str text, size_t from, struct extent *ret)
{
	struct str rest = str_skip(text, from);
	struct scaling_head h;
	struct str line;

	for (size_t at = from; str_line(&rest, &line); at = text.len - rest.len) {
		size_t to;

		if (!scaling_head_of(line, &h))
			continue;
		to = scaling_run(&h, rest, scaling_above(str_sub(text, 0, at)));
		if (to == 0)
			continue;
		*ret = (struct extent){ .from = at,
					.to = text.len - rest.len + to,
					.score = SCALING_SCORE };
		return true;
	}
	return false;
}

static unsigned int scaling_table_probe(struct str head)
{
	struct extent e;

	return scaling_table_find(head, 0, &e) ? SCALING_SCORE : 0;
}

struct scaling_reader {
	const struct region *in;
	struct capture *c;
	struct scaling_head head;
	struct str above; /* text before the table */
	struct str legend[SCALING_PARTS];
	size_t n_legend;
};

/*
 * Find the names of figures that share one cell. They are in a text before the table, in backquotes
 * and separated by bars: "`wall ms | system CPU s`".
 */
static void scaling_find_legend(struct scaling_reader *r)
{
	struct str above = r->above;

	struct str line;

	for (unsigned int n = 0; n < SCALING_ABOVE && r->n_legend == 0 && above_line(&above, &line);
	     n++) {
		struct str quoted = str_skip(line, str_find_char(line, '`') + 1);

		quoted = str_sub(quoted, 0, str_find_char(quoted, '`'));
		if (str_find_char(quoted, '|') == quoted.len)
			continue;
		while (quoted.len && r->n_legend < SCALING_PARTS) {
			size_t bar = str_find_char(quoted, '|');

			r->legend[r->n_legend++] = str_trim(str_sub(quoted, 0, bar));
			quoted = str_skip(quoted, bar + 1);
		}
	}
}

/*
 * The name of the counter for one cell, or for one figure of a cell. Example: "26.3 wall" for the
 * figure "wall" in the column with the title "26.3". @part: number of the figure, from 0; @parts:
 * number of figures in the cell.
 */
static str_id scaling_name(struct scaling_reader *r, size_t column, size_t part, size_t parts,
			   struct str unit, enum scaling_value above)
{
	static const char *const words[] = {
		[SCALING_RATE] = "throughput",
		[SCALING_TIME] = "time",
		[SCALING_LATENCY] = "latency",
		[SCALING_CPU] = "CPU time",
	};
	struct str title = str_sub(r->head.titles[column], 0, 48);
	char name[2 * COUNTER_NAME_MAX];
	int n;

	if (parts > 1 && r->n_legend == parts) {
		struct str legend = str_sub(r->legend[part], 0, 40);

		/*
		 * a counter has a separate member for the unit, so remove the unit: "wall ms"
		 * becomes "wall"
		 */
		if (unit.len && str_ends(legend, unit) && legend.len > unit.len &&
		    legend.p[legend.len - unit.len - 1] == ' ')
			legend = str_rtrim(str_sub(legend, 0, legend.len - unit.len));
		n = snprintf(name, sizeof(name), STR_FMT " " STR_FMT, STR_ARG(title),
			     STR_ARG(legend));
	} else if (parts > 1)
		n = snprintf(name, sizeof(name), STR_FMT " (%zu)", STR_ARG(title), part + 1);
	else if (scaling_value_of(title, unit) == SCALING_NONE &&
		 scaling_value(title, unit, above) != SCALING_NONE)
		/* the text before the table names the quantity of all columns */
		n = snprintf(name, sizeof(name), STR_FMT " %s", STR_ARG(title), words[above]);
	else
		n = snprintf(name, sizeof(name), STR_FMT, STR_ARG(title));
	return strings_add(capture_strings(r->c), (struct str){ name, n > 0 ? (size_t)n : 0 });
}

static void scaling_add(struct scaling_reader *r, str_id name, str_id key,
			const struct hand_number *cell, uint32_t line)
{
	struct strings *strings = capture_strings(r->c);

	if (counters_add(capture_counters(r->c), strings,
			 (struct counter){ .name = name,
					   .key = key,
					   .unit = cell->unit.len ? strings_add(strings, cell->unit)
								  : STR_ID_NONE,
					   .value = cell->number.value,
					   .decimals = cell->number.decimals,
					   .spread = -1,
					   .running = -1,
					   .line = line }) < 0)
		diag_count(&r->c->diag, &scaling_cells, line);
}

static void scaling_read_row(struct scaling_reader *r, const struct str *cells, size_t n,
			     uint64_t x, enum scaling_value above, uint32_t line)
{
	struct strings *strings = capture_strings(r->c);
	char text[SCALING_VALUE];
	str_id key;

	(void)snprintf(
		text, sizeof(text), "%llu " STR_FMT, (unsigned long long)x,
		STR_ARG(str_sub(r->head.is_numa ? STR(SCALING_NUMA) : r->head.titles[0], 0, 24)));
	key = strings_add(strings, str_of(text));
	for (size_t i = 1; i < n; i++) {
		struct str parts[SCALING_PARTS];
		size_t n_parts = scaling_parts(cells[i], parts);

		for (size_t p = 0; p < n_parts; p++) {
			struct hand_number cell;

			if (hand_cells_number(parts[p], &cell))
				scaling_add(r, scaling_name(r, i, p, n_parts, cell.unit, above),
					    key, &cell, line);
			else if (parts[p].len)
				diag_count(&r->c->diag, &scaling_cells, line);
		}
	}
}

static int scaling_table_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct scaling_reader r = { .in = in,
				    .c = format_add_capture(&format_scaling_table, in, d),
				    .above = above_region(in) };
	enum scaling_value above = scaling_above(r.above);
	struct str text = in->text;
	struct str line;

	scaling_find_legend(&r);
	for (uint32_t n = 0; str_line(&text, &line); n++) {
		struct str cells[SCALING_CELLS];
		uint64_t x;
		size_t width;

		if (n == 0 || r.head.n == 0) {
			if (!scaling_head_of(line, &r.head))
				r.head.n = 0;
			continue;
		}
		if (scaling_row(&r.head, line, cells, &width, &x))
			scaling_read_row(&r, cells, width, x, above, region_line(in, n));
		else if (!hand_cells_is_rule(line))
			unread_rows_count(r.c, &scaling_lines, line, region_line(in, n));
	}
	if (!r.c->counters)
		return fail(err, ERR_FORMAT, "no row of a benchmark by number of threads");
	r.c->counters->n_intervals = 1;
	r.c->counters->tool = strings_add(capture_strings(r.c), STR("scaling table"));
	return OK;
}

const struct format format_scaling_table = {
	.name = "scaling-table",
	.title = "counters",
	.summary = "tables of a benchmark by number of threads, clients, cores or nodes",
	.kinds = KIND_COUNTERS,
	.probe = scaling_table_probe,
	.find = scaling_table_find,
	.read = scaling_table_read,
};
