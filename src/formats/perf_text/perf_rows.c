/* SPDX-License-Identifier: MIT */
#include "formats/perf_text/perf_rows.h"

#include "base/str.h"
#include "core/profile.h"
#include "core/symbols.h"
#include "formats/perf_text/perf_line.h"

#define ROWS_PARTS 12u

/*
 * Split @s into at most ROWS_PARTS parts at wide gaps (two blanks, or a tab). @single: also split
 * at single blanks. If there are more parts, the last one contains the rest. Returns the number of
 * parts.
 */
static unsigned int rows_split(struct str s, bool single, struct str parts[ROWS_PARTS])
{
	unsigned int n = 0;

	s = str_trim(s);
	while (s.len && n < ROWS_PARTS) {
		size_t end = single ? str_find_char(s, ' ') : perf_line_gap(s);

		if (n == ROWS_PARTS - 1)
			end = s.len;
		parts[n++] = str_sub(s, 0, end);
		s = perf_line_ltrim(str_skip(s, end));
	}
	return n;
}

static bool rows_is_number(struct str s)
{
	if (s.len == 0 || s.len > 19)
		return false;
	for (size_t i = 0; i < s.len; i++) {
		if (!char_is_digit(s.p[i]))
			return false;
	}
	return true;
}

static uint64_t rows_number(struct str s)
{
	uint64_t v = 0;

	(void)str_u64(&s, &v);
	return v;
}

/* Read a process id, which a name may follow: "1234" or "56:irq/17". */
static bool rows_pid_comm(struct str s, uint32_t *ret_pid, struct str *ret_comm)
{
	uint64_t pid;

	s = str_trim(s);
	if (!str_u64(&s, &pid) || pid > UINT32_MAX)
		return false;
	*ret_pid = (uint32_t)pid;
	if (s.len && s.p[0] == ':')
		*ret_comm = str_ltrim(str_skip(s, 1));
	else if (s.len)
		return false;
	return true;
}

static void rows_set_cell(struct perf_row_text *row, const struct perf_layout *l, unsigned int col,
			  struct str cell)
{
	cell = str_trim(cell);
	row->cells[col] = cell;
	if (cell.len == 0)
		return;
	switch (l->columns[col].kind) {
	case PERF_COL_SAMPLES:
		if (rows_is_number(cell)) {
			row->samples = rows_number(cell);
			row->has |= ROW_HAS_SAMPLES;
		}
		break;
	case PERF_COL_PERIOD:
		if (rows_is_number(cell)) {
			row->period = rows_number(cell);
			row->has |= ROW_HAS_PERIOD;
		}
		break;
	case PERF_COL_PID:
		if (rows_pid_comm(cell, &row->pid, &row->comm))
			row->has |= ROW_HAS_PID;
		else
			row->comm = cell;
		if (row->comm.len)
			row->has |= ROW_HAS_COMM;
		break;
	case PERF_COL_CPU:
		if (rows_is_number(cell) && cell.len < 7) {
			row->cpu = (uint32_t)rows_number(cell);
			row->has |= ROW_HAS_CPU;
		}
		break;
	case PERF_COL_COMM:
		row->comm = cell;
		row->has |= ROW_HAS_COMM;
		break;
	case PERF_COL_DSO:
		row->dso = cell;
		row->has |= ROW_HAS_DSO;
		break;
	case PERF_COL_SYMBOL:
		row->symbol = cell;
		row->has |= ROW_HAS_SYMBOL;
		break;
	default:
		break;
	}
}

/*
 * Assign the @n parts to the columns from index @from to @to - 1, from left to right. A part that
 * reaches into the next column belongs to that column, so the column before it stays empty.
 */
static void rows_place(struct perf_row_text *row, const struct perf_layout *l, unsigned int from,
		       unsigned int to, const struct str *parts, unsigned int n, const char *line)
{
	unsigned int col = from;

	for (unsigned int i = 0; i < n; i++) {
		size_t at = (size_t)(parts[i].p - line);
		size_t end = at + parts[i].len;

		/*
		 * if the part reaches into a later column, it belongs to that column. But leave a
		 * column for each of the remaining parts
		 */
		while (col + (n - i) < to && l->columns[col + 1].from < end)
			col++;
		rows_set_cell(row, l, col, parts[i]);
		if (++col >= to)
			break;
	}
}

/*
 * Split @s at wide gaps, and assign the parts to the columns from index @from to @to - 1. If there
 * are too few parts, split at single blanks instead, provided that this gives exactly one word per
 * column.
 */
static void rows_cells(struct perf_row_text *row, const struct perf_layout *l, unsigned int from,
		       unsigned int to, struct str s, const char *line)
{
	struct str parts[ROWS_PARTS];
	unsigned int want = to - from;
	unsigned int n = rows_split(s, false, parts);

	if (want == 0 || n == 0)
		return;
	if (n < want) {
		struct str single[ROWS_PARTS];
		unsigned int m = rows_split(s, true, single);

		if (m == want) {
			memcpy(parts, single, sizeof(parts));
			n = m;
		}
	}
	if (n < want) {
		rows_place(row, l, from, to, parts, n, line);
		return;
	}
	/*
	 * more parts than columns: a cell contains a wide gap, so the last column takes all
	 * remaining text
	 */
	for (unsigned int i = 0; i < want; i++) {
		struct str cell = parts[i];

		if (i == want - 1 && n > want)
			cell = (struct str){ cell.p,
					     (size_t)(parts[n - 1].p + parts[n - 1].len - cell.p) };
		rows_set_cell(row, l, from + i, cell);
	}
}

/*
 * Remove from @s the two words that `perf report -v` prints before the level marker "[k]": an
 * address, and a letter for the origin of the symbol, "0xffffffff81001000 k". Returns the text
 * before these words, or @s.
 */
static struct str rows_cut_address(struct str s)
{
	struct str t = str_rtrim(s);
	size_t at;
	struct str word;

	if (t.len > 4 && t.p[t.len - 2] == ' ')
		t = str_rtrim(str_sub(t, 0, t.len - 2));
	at = t.len;
	while (at > 0 && !char_is_blank(t.p[at - 1]))
		at--;
	word = str_skip(t, at);
	return word.len > 2 && str_starts(word, STR("0x")) && symbol_name_is_address(word)
		       ? str_sub(s, 0, at)
		       : s;
}

/*
 * Store @s as the symbol of the row. Words that a user added after the symbol, such as "<- here",
 * become row->remark.
 */
static void rows_symbol(struct perf_row_text *row, struct str s)
{
	size_t cut;

	s = str_trim(s);
	row->has_open_symbol = s.len == 0;
	row->has |= s.len ? ROW_HAS_SYMBOL : 0;
	row->symbol = s;
	if (str_find_char(s, ' ') == s.len && str_find_char(s, '\t') == s.len)
		return;
	cut = perf_line_gap(s);
	for (size_t i = 0; i + 3 < cut; i++) {
		struct str at = str_sub(s, i, s.len);

		if (str_starts(at, STR(" <-")) || str_starts(at, STR(" -->")) ||
		    str_starts(at, STR(" <=")) || str_starts(at, STR(" ==>")))
			cut = i;
	}
	if (cut == 0)
		return;
	row->symbol = str_rtrim(str_sub(s, 0, cut));
	row->remark = str_trim(str_skip(s, cut));
}

static void rows_parse_titled(struct str s, struct perf_row_text *row, const struct perf_layout *l,
			      const char *line)
{
	unsigned int first = l->n_percents + l->n_leading;
	unsigned int symbol = first;
	unsigned int n_data = 0;
	size_t level = l->has_symbol ? perf_line_level(s, 0) : s.len;
	struct str tail;
	size_t gap;

	for (; symbol < l->n && l->columns[symbol].kind != PERF_COL_SYMBOL; symbol++) {
		/*
		 * the column "Data Symbol" before the symbol has a level marker ("[.]") of its own
		 */
		if (level < s.len && str_eq(l->columns[symbol].title, STR("Data Symbol"))) {
			level = perf_line_level(s, level + 3);
			n_data++;
		}
	}
	if (level == s.len || symbol == l->n) {
		rows_cells(row, l, first, l->n, s, line);
		return;
	}
	row->level = s.p[level + 1];
	tail = str_sub(s, 0, level);
	rows_cells(row, l, first, symbol, n_data ? tail : rows_cut_address(tail), line);
	tail = str_trim(str_skip(s, level + 3));
	if (symbol + 1 == l->n) {
		rows_symbol(row, tail);
		return;
	}
	gap = perf_line_gap(tail);
	rows_symbol(row, str_sub(tail, 0, gap));
	rows_cells(row, l, symbol + 1, l->n, str_skip(tail, gap), line);
}

static void rows_bare_number(struct perf_row_text *row, const struct perf_layout *l, struct str s)
{
	if (l->number_is_cpu && s.len < 7) {
		row->cpu = (uint32_t)rows_number(s);
		row->has |= ROW_HAS_CPU;
	} else {
		row->samples = rows_number(s);
		row->has |= ROW_HAS_SAMPLES;
	}
}

static void rows_parse_bare(struct str s, size_t level, struct perf_row_text *row,
			    const struct perf_layout *l)
{
	struct str parts[ROWS_PARTS];
	unsigned int n = rows_split(rows_cut_address(str_sub(s, 0, level)), false, parts);
	unsigned int first = 0;

	row->level = s.p[level + 1];
	rows_symbol(row, str_skip(s, level + 3));
	if (n == 1 && str_find_char(parts[0], ' ') < parts[0].len) {
		/*
		 * single blanks separate all columns, or a single blank separates a long DSO from
		 * the previous column
		 */
		size_t blank = str_rfind_char(parts[0], ' ');
		size_t number = str_find_char(parts[0], ' ');

		if (number < blank && rows_is_number(str_sub(parts[0], 0, number))) {
			parts[2] = str_skip(parts[0], blank + 1);
			parts[1] = str_sub(parts[0], number + 1, blank);
			parts[0] = str_sub(parts[0], 0, number);
			n = 3;
		} else {
			parts[1] = str_skip(parts[0], blank + 1);
			parts[0] = str_sub(parts[0], 0, blank);
			n = 2;
		}
	}
	if (n && rows_is_number(parts[0])) {
		rows_bare_number(row, l, parts[0]);
		first = 1;
	}
	if (n - first == 0)
		return;
	if (n - first == 1 && !l->one_name_is_comm) {
		row->dso = parts[first];
		row->has |= ROW_HAS_DSO;
		return;
	}
	row->comm = parts[first];
	row->has |= ROW_HAS_COMM;
	if (row->comm.len && char_is_digit(row->comm.p[0]) &&
	    rows_pid_comm(row->comm, &row->pid, &row->comm))
		row->has |= ROW_HAS_PID;
	if (n - first == 1)
		return;
	/*
	 * more than two parts: the last is the DSO, and the others are a command that contains wide
	 * gaps
	 */
	if (n - first > 2)
		row->comm.len = (size_t)(parts[n - 2].p + parts[n - 2].len - row->comm.p);
	row->dso = parts[n - 1];
	row->has |= ROW_HAS_DSO;
}

/* Parse a row with a single name, a command or an object, in a table without titles. */
static void rows_parse_name(struct str s, struct perf_row_text *row)
{
	if (symbol_space_of_module(s) == SPACE_KERNEL || str_glob(STR("*.so|*.so.*|[*]"), s)) {
		row->dso = s;
		row->has |= ROW_HAS_DSO;
	} else {
		row->comm = s;
		row->has |= ROW_HAS_COMM;
	}
}

/*
 * Take the numbers that precede the percentage: "1234.00" in "1234.00 12.3% name dso". Returns the
 * rest of @s.
 */
static struct str rows_leading(struct str s, const struct perf_layout *l, struct perf_row_text *row)
{
	for (unsigned int i = 0; i < l->n_leading; i++) {
		struct str word;
		size_t digits;

		if (!str_word(&s, &word))
			break;
		digits = str_find_char(word, '.');
		if (rows_is_number(str_sub(word, 0, digits)))
			rows_set_cell(row, l, i, str_sub(word, 0, digits));
		s = perf_line_ltrim(s);
	}
	return s;
}

static bool rows_starts_percent(struct str s)
{
	struct perf_percent p;

	return char_is_digit(s.p[0]) && perf_line_percent(&s, &p);
}

bool perf_row_parse(struct str line, const struct perf_layout *l, struct perf_row_text *row)
{
	size_t at = perf_line_indent(line);
	struct str s = str_skip(line, at);
	size_t level;

	row->n_percents = 0;
	row->has = 0;
	row->level = ' ';
	row->mark = ' ';
	row->has_open_symbol = false;
	row->mark_at = (uint32_t)at;
	row->pid = row->cpu = 0;
	row->samples = row->period = 0;
	row->comm = row->dso = row->symbol = row->remark = STR_NONE;
	for (unsigned int i = 0; i < l->n; i++)
		row->cells[i] = STR_NONE;
	if (s.len > 1 && (s.p[0] == '+' || s.p[0] == '-') && char_is_blank(s.p[1])) {
		row->mark = s.p[0];
		s = perf_line_ltrim(str_skip(s, 1));
	}
	if (l->n_leading)
		s = rows_leading(s, l, row);
	if (s.len && !rows_starts_percent(s))
		s = perf_line_ltrim(str_skip(s, perf_line_hand_mark(s)));
	while (row->n_percents < PERF_PERCENTS && s.len && char_is_digit(s.p[0])) {
		struct str rest = s;

		if (!perf_line_percent(&rest, &row->percents[row->n_percents]) ||
		    !perf_line_is_blank_at(rest, 0))
			break;
		row->n_percents++;
		s = perf_line_ltrim(rest);
	}
	row->name_at = (uint32_t)(s.p - line.p);
	if (row->n_percents == 0)
		return false;
	s = str_rtrim(s);
	level = perf_line_level(s, 0);
	if (l->has_titles && l->n > l->n_percents + l->n_leading &&
	    (l->has_symbol || level == s.len)) {
		rows_parse_titled(s, row, l, line.p);
		return true;
	}
	if (level == s.len) {
		if (!l->has_titles && l->has_bare)
			rows_parse_name(s, row);
		return l->has_titles || l->has_bare;
	}
	rows_parse_bare(s, level, row, l);
	return true;
}

bool perf_row_is_bare(struct str line, struct str rest)
{
	struct str s = perf_line_ltrim(line);
	struct perf_percent p;
	struct str next;
	size_t name = 0;

	while (s.len && char_is_digit(s.p[0]) && perf_line_percent(&s, &p)) {
		name = (size_t)(s.p - line.p);
		s = perf_line_ltrim(s);
	}
	/* at least two blanks must separate the columns */
	if (s.len == 0 || s.p == line.p || (size_t)(s.p - line.p) < name + 2)
		return false;
	for (unsigned int n = 0; n < 3 && perf_line_next(&rest, &next); n++) {
		struct str t = str_trim(next);

		if (perf_line_kind(next) == PERF_LINE_TREE &&
		    perf_line_column(next) > perf_line_indent(line))
			return str_eq(t, STR("|")) || str_starts(t, STR("---")) ||
			       str_contains(t, STR("%--"));
		if (t.len)
			return false;
	}
	return false;
}

/*
 * Whether @line is a row of perf mem: "9.03%  575  32  L1 or L1 hit  [.] main". 575 is the number
 * of samples, 32 the latency.
 */
static bool rows_is_memory(struct str line)
{
	struct str s = perf_line_ltrim(line);
	struct str parts[ROWS_PARTS];
	struct perf_percent p;
	size_t level;

	if (!s.len || !char_is_digit(s.p[0]) || !perf_line_percent(&s, &p))
		return false;
	level = perf_line_level(s, 0);
	return level < s.len && rows_split(str_sub(s, 0, level), false, parts) == 3 &&
	       rows_is_number(parts[0]) && rows_is_number(parts[1]) &&
	       (str_ends(parts[2], STR(" hit")) || str_ends(parts[2], STR(" miss")) ||
		str_eq(parts[2], STR("N/A")));
}

void perf_row_sniff(struct str text, struct perf_layout *layout)
{
	struct perf_row_text row;
	struct str line;
	unsigned int kernel = 0;
	unsigned int task = 0;
	unsigned int rows = 0;
	struct str rest = text;

	if (perf_line_next(&rest, &line) && rows_is_memory(line)) {
		perf_titles_memory(layout);
		return;
	}
	for (unsigned int n = 0; n < 4096 && rows < 64 && str_line(&text, &line); n++) {
		struct perf_layout guess = { .number_is_cpu = false };
		struct str first;

		if (perf_line_kind(line) != PERF_LINE_ROW || !perf_row_parse(line, &guess, &row))
			continue;
		rows++;
		/* a CPU number has leading zeros ("003"), but a number of samples has none */
		if (row.has & ROW_HAS_SAMPLES) {
			struct str s = str_skip(line, str_find_char(line, '%') + 1);

			while (str_word(&s, &first) && !rows_is_number(first))
				;
			layout->number_is_cpu |= first.len == 3 && first.p[0] == '0';
		}
		if (row.level != 'k' || (row.has & ROW_HAS_COMM) || row.dso.len == 0)
			continue;
		if (row.dso.p[0] == '[' || str_starts(row.dso, STR("bpf_")) ||
		    symbol_space_of_module(row.dso) == SPACE_KERNEL)
			kernel++;
		else
			task++;
	}
	layout->one_name_is_comm = task > 0 && kernel == 0;
}
