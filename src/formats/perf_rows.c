/* SPDX-License-Identifier: MIT */
#include "formats/perf_rows.h"

#define ROWS_PARTS 12u

static bool rows_is_blank_at(struct str s, size_t i)
{
	return i >= s.len || char_is_space(s.p[i]);
}

static struct str rows_ltrim(struct str s)
{
	while (s.len && char_is_blank(*s.p)) {
		s.p++;
		s.len--;
	}
	return s;
}

struct str perf_rows_unshade(struct str line)
{
	for (;;) {
		const unsigned char *end = (const unsigned char *)line.p + line.len;

		if (line.len < 3 || end[-3] != 0xe2 || end[-2] < 0x96 || end[-2] > 0x97)
			return line;
		line = str_rtrim(str_sub(line, 0, line.len - 3));
	}
}

bool perf_rows_percent(struct str *s, struct perf_percent *ret)
{
	uint64_t v = 0;
	size_t i = 0;
	size_t dot;

	while (i < s->len && char_is_digit(s->p[i]) && i < 6)
		v = v * 10 + (uint64_t)(s->p[i++] - '0');
	if (i == 0 || i == s->len)
		return false;
	dot = i;
	if (s->p[i] == '.' || s->p[i] == ',') {
		i++;
		while (i < s->len && char_is_digit(s->p[i]) && i - dot <= 9)
			v = v * 10 + (uint64_t)(s->p[i++] - '0');
		if (i == dot + 1 || i == s->len)
			return false;
		dot++;
	}
	if (s->p[i] != '%')
		return false;
	*ret = (struct perf_percent){ v, (unsigned int)(i - dot) };
	*s = str_skip(*s, i + 1);
	return true;
}

static bool rows_is_level(struct str s, size_t i)
{
	return i + 2 < s.len && s.p[i] == '[' && s.p[i + 2] == ']' &&
	       memchr("k.guH?", s.p[i + 1], 6) && rows_is_blank_at(s, i + 3) &&
	       (i == 0 || char_is_blank(s.p[i - 1]));
}

size_t perf_rows_level(struct str line, size_t from)
{
	while (from < line.len) {
		size_t i = from + str_find_char(str_skip(line, from), '[');
		size_t next;

		if (i >= line.len)
			break;
		if (!rows_is_level(line, i)) {
			from = i + 1;
			continue;
		}
		/* a DSO that is printed as "[k]" stands before the marker */
		next = i + 3;
		while (next < line.len && char_is_blank(line.p[next]))
			next++;
		return rows_is_level(line, next) ? next : i;
	}
	return line.len;
}

/* Behind a percentage at the start of a row: what follows makes it one? */
static enum perf_line rows_kind_percent(struct str s)
{
	struct perf_percent p;

	s = rows_ltrim(s);
	if (s.len == 0)
		return PERF_LINE_FLAT;
	while (s.len && char_is_digit(s.p[0]) && perf_rows_percent(&s, &p))
		s = rows_ltrim(s);
	if (s.len == 0)
		return PERF_LINE_PERCENT;
	/* `perf diff` has a signed change, `perf c2c` an offset behind its percentages */
	if ((s.p[0] == '+' || s.p[0] == '-') && s.len > 1 && char_is_digit(s.p[1]))
		return PERF_LINE_OTHER;
	if (str_starts(s, STR("0x")))
		return PERF_LINE_OTHER;
	return perf_rows_level(s, 0) < s.len ? PERF_LINE_ROW : PERF_LINE_PERCENT;
}

/* A mark somebody put before a row: "*1", "=>", "1.", "-->". */
static size_t rows_hand_mark(struct str s)
{
	size_t n = 0;

	while (n < s.len && n < 5 && memchr("*0123456789<>=-+!.):|#", s.p[n], 22))
		n++;
	return n && n < s.len && char_is_blank(s.p[n]) ? n : 0;
}

static enum perf_line rows_kind_number(struct str s)
{
	struct str rest = s;
	struct perf_percent p;
	size_t n;

	if (perf_rows_percent(&rest, &p) && rows_is_blank_at(rest, 0))
		return rows_kind_percent(rest);
	n = rows_hand_mark(s);
	if (n == 0)
		return PERF_LINE_OTHER;
	rest = rows_ltrim(str_skip(s, n));
	if (perf_rows_percent(&rest, &p) && rows_is_blank_at(rest, 0) &&
	    rows_kind_percent(rest) == PERF_LINE_ROW)
		return PERF_LINE_ROW;
	return PERF_LINE_OTHER;
}

static enum perf_line rows_kind_mark(struct str s)
{
	struct str rest;
	struct perf_percent p;
	enum perf_line kind;

	if (s.len < 2 || !char_is_blank(s.p[1]))
		return rows_kind_number(s);
	rest = rows_ltrim(str_skip(s, 1));
	if (rest.len == 0)
		return PERF_LINE_OTHER;
	if (!perf_rows_percent(&rest, &p) || !rows_is_blank_at(rest, 0))
		return PERF_LINE_MARK;
	kind = rows_kind_percent(rest);
	if (kind == PERF_LINE_ROW || kind == PERF_LINE_OTHER)
		return kind;
	/* a branch has one blank before its name, columns of a row have two and more */
	return rest.len > 2 && char_is_blank(rest.p[1]) ? PERF_LINE_PERCENT : PERF_LINE_MARK;
}

static enum perf_line rows_kind_dashes(struct str s)
{
	struct str rest = str_skip(s, 2);
	struct perf_percent p;
	uint64_t count;
	size_t i = 0;

	if (!str_starts(s, STR("--")))
		return rows_kind_mark(s);
	if (perf_rows_percent(&rest, &p) || str_u64(&rest, &count))
		return str_starts(rest, STR("--")) ? PERF_LINE_TREE : PERF_LINE_OTHER;
	while (i < s.len && s.p[i] == '-')
		i++;
	if (str_rtrim(s).len == i)
		return i >= 8 ? PERF_LINE_RULER : PERF_LINE_OTHER;
	if (i == 3 && !rows_is_blank_at(s, 3))
		return PERF_LINE_TREE;
	return rows_kind_number(s);
}

static enum perf_line rows_kind_bars(struct str s)
{
	size_t i = 0;

	while (i < s.len && (s.p[i] == '|' || char_is_blank(s.p[i])))
		i++;
	if (i == s.len)
		return PERF_LINE_TREE;
	/* a table of Markdown: bars behind the text too */
	if (s.p[i] != '-' && s.len > 2 && str_rtrim(s).p[str_rtrim(s).len - 1] == '|')
		return PERF_LINE_OTHER;
	return PERF_LINE_TREE;
}

static bool rows_is_dots(struct str s)
{
	size_t dots = 0;

	for (size_t i = 0; i < s.len; i++) {
		if (s.p[i] == '.' || s.p[i] == '_')
			dots++;
		else if (!char_is_space(s.p[i]))
			return false;
	}
	return dots >= 5;
}

/* Lines before or between tables that say what was measured. */
static bool rows_is_banner(struct str s, bool is_comment)
{
	static const struct str plain[] = {
		STR("Samples: "), STR("Event count (approx.): "), STR("PerfTop: "), STR("Events: "),
		STR("Event: "),   STR("Event count: "),
	};
	static const struct str comment[] = {
		STR("To display the perf.data header"),
		STR("Total Lost Samples: "),
		STR("========"),
		STR("captured on"),
		STR("hostname : "),
		STR("os release : "),
		STR("perf version : "),
		STR("cmdline : "),
		STR("group: {"),
	};

	for (size_t i = 0; i < ARRAY_LEN(plain); i++) {
		if (str_starts(s, plain[i]) && s.len > plain[i].len)
			return true;
	}
	for (size_t i = 0; is_comment && i < ARRAY_LEN(comment); i++) {
		if (str_starts(s, comment[i]))
			return true;
	}
	return false;
}

static enum perf_line rows_kind_comment(struct str s)
{
	struct perf_layout layout;

	s = str_trim(str_skip(s, 1));
	if (s.len == 0)
		return PERF_LINE_COMMENT;
	if (rows_is_dots(s))
		return PERF_LINE_RULER;
	if (rows_is_banner(s, true))
		return PERF_LINE_BANNER;
	return perf_rows_titles(s, &layout) ? PERF_LINE_TITLES : PERF_LINE_COMMENT;
}

static enum perf_line rows_kind_word(struct str s)
{
	static const struct str words[] = {
		STR("Overhead"), STR("Children"),  STR("Sample"),  STR("Self"),
		STR("Events: "), STR("PerfTop: "), STR("Event: "), STR("Event count"),
		STR("Baseline"), STR("samples"),   STR("Period"),
	};
	struct perf_layout layout;
	bool may = false;

	for (size_t i = 0; i < ARRAY_LEN(words) && !may; i++)
		may = words[i].p[0] == s.p[0] && str_starts(s, words[i]);
	if (LIKELY(!may))
		return PERF_LINE_OTHER;
	if (rows_is_banner(s, false))
		return PERF_LINE_BANNER;
	return perf_rows_titles(s, &layout) ? PERF_LINE_TITLES : PERF_LINE_OTHER;
}

enum perf_line perf_rows_kind(struct str line)
{
	size_t i = perf_rows_indent(line);
	struct str s = str_skip(line, i);

	if (s.len == 0)
		return PERF_LINE_BLANK;
	switch (s.p[0]) {
	case '0':
	case '1':
	case '2':
	case '3':
	case '4':
	case '5':
	case '6':
	case '7':
	case '8':
	case '9':
	case '*':
	case '=':
	case '>':
	case '!':
		return rows_kind_number(s);
	case '|':
		return rows_kind_bars(s);
	case '-':
		return rows_kind_dashes(s);
	case '+':
		return rows_kind_mark(s);
	case '#':
		return rows_kind_comment(s);
	case '[':
		return rows_is_level(s, 0) ? PERF_LINE_LEVEL : PERF_LINE_OTHER;
	case '.':
	case '_':
		return rows_is_dots(s) ? PERF_LINE_RULER : PERF_LINE_OTHER;
	case 'O':
	case 'C':
	case 'S':
	case 'E':
	case 'P':
	case 'B':
	case 's':
		return rows_kind_word(s);
	default:
		return PERF_LINE_OTHER;
	}
}

/* Known titles, longer before shorter. Prefixes of the last two words are cut by the TUI. */
static const struct rows_title {
	struct str text;
	uint8_t kind;
	bool is_percent;
	uint8_t shortest; /* how many characters the TUI must leave; 0: all */
} rows_titles[] = {
	{ STR("Source Shared Object"), PERF_COL_DSO, false, 0 },
	{ STR("Target Shared Object"), PERF_COL_EXTRA, false, 0 },
	{ STR("Source Symbol"), PERF_COL_SYMBOL, false, 10 },
	{ STR("Target Symbol"), PERF_COL_EXTRA, false, 10 },
	{ STR("From Source:Line"), PERF_COL_EXTRA, false, 0 },
	{ STR("To Source:Line"), PERF_COL_EXTRA, false, 0 },
	{ STR("From Line"), PERF_COL_EXTRA, false, 0 },
	{ STR("To Line"), PERF_COL_EXTRA, false, 0 },
	{ STR("FromSrcLine"), PERF_COL_EXTRA, false, 0 },
	{ STR("ToSrcLine"), PERF_COL_EXTRA, false, 0 },
	{ STR("BBCycles"), PERF_COL_EXTRA, false, 0 },
	{ STR("Basic Block Cycles"), PERF_COL_EXTRA, false, 0 },
	{ STR("Branch Mispredicted"), PERF_COL_EXTRA, false, 0 },
	{ STR("Branch Predicted"), PERF_COL_EXTRA, false, 0 },
	{ STR("Source:Line"), PERF_COL_EXTRA, false, 0 },
	{ STR("In Transaction"), PERF_COL_EXTRA, false, 0 },
	{ STR("guest sys"), PERF_COL_EXTRA, true, 0 },
	{ STR("guest usr"), PERF_COL_EXTRA, true, 0 },
	{ STR("sys"), PERF_COL_EXTRA, true, 0 },
	{ STR("usr"), PERF_COL_EXTRA, true, 0 },
	{ STR("Parent symbol"), PERF_COL_EXTRA, false, 0 },
	{ STR("Data Symbol"), PERF_COL_EXTRA, false, 0 },
	{ STR("Data Object"), PERF_COL_EXTRA, false, 0 },
	{ STR("Data Type Offset"), PERF_COL_EXTRA, false, 0 },
	{ STR("Data Type"), PERF_COL_EXTRA, false, 0 },
	{ STR("Trace output"), PERF_COL_EXTRA, false, 0 },
	{ STR("Memory access"), PERF_COL_EXTRA, false, 0 },
	{ STR("Local Weight"), PERF_COL_EXTRA, false, 0 },
	{ STR("TLB access"), PERF_COL_EXTRA, false, 0 },
	{ STR("Sampled Cycles%"), PERF_COL_SELF, true, 0 },
	{ STR("Sampled Cycles"), PERF_COL_EXTRA, false, 0 },
	{ STR("Avg Cycles%"), PERF_COL_EXTRA, false, 0 },
	{ STR("Avg Cycles"), PERF_COL_EXTRA, false, 0 },
	{ STR("[Program Block Range]"), PERF_COL_EXTRA, false, 0 },
	{ STR("Overhead"), PERF_COL_SELF, true, 0 },
	{ STR("Children"), PERF_COL_CHILDREN, true, 0 },
	{ STR("Self"), PERF_COL_SELF, true, 0 },
	{ STR("pcnt"), PERF_COL_SELF, true, 0 },
	{ STR("Samples"), PERF_COL_SAMPLES, false, 0 },
	{ STR("samples"), PERF_COL_SAMPLES, false, 0 },
	{ STR("Sample"), PERF_COL_SAMPLES, false, 0 },
	{ STR("Period"), PERF_COL_PERIOD, false, 0 },
	{ STR("EventCount"), PERF_COL_PERIOD, false, 0 },
	{ STR("Pid:Command"), PERF_COL_PID, false, 5 },
	{ STR("Pid: Command"), PERF_COL_PID, false, 6 },
	{ STR("Tid:Command"), PERF_COL_PID, false, 5 },
	{ STR("Pid"), PERF_COL_PID, false, 0 },
	{ STR("Tid"), PERF_COL_EXTRA, false, 0 },
	{ STR("CPU"), PERF_COL_CPU, false, 0 },
	{ STR("Command"), PERF_COL_COMM, false, 4 },
	{ STR("Shared Object"), PERF_COL_DSO, false, 6 },
	{ STR("Object"), PERF_COL_DSO, false, 0 },
	{ STR("DSO"), PERF_COL_DSO, false, 0 },
	{ STR("Symbol"), PERF_COL_SYMBOL, false, 3 },
	{ STR("function"), PERF_COL_SYMBOL, false, 0 },
};

/* The known title at the start of @s; @ret_len is what it takes. */
static const struct rows_title *rows_title(struct str s, size_t *ret_len)
{
	for (size_t i = 0; i < ARRAY_LEN(rows_titles); i++) {
		const struct rows_title *t = &rows_titles[i];
		size_t n = 0;

		if (t->text.p[0] != s.p[0])
			continue;
		while (n < s.len && n < t->text.len && s.p[n] == t->text.p[n])
			n++;
		if (n < t->text.len && (!t->shortest || n < t->shortest))
			continue;
		while (n > 0 && s.p[n - 1] == ' ')
			n--;
		if (n < s.len && !char_is_space(s.p[n]))
			continue;
		*ret_len = n;
		return t;
	}
	return NULL;
}

static size_t rows_gap(struct str s)
{
	const char *p = s.p;

	for (size_t i = 0; i < s.len; i++) {
		const char *b = memchr(p + i, ' ', s.len - i);
		size_t end = b ? (size_t)(b - p) : s.len;
		const char *t = memchr(p + i, '\t', end - i);

		if (t)
			return (size_t)(t - p);
		if (!b)
			break;
		i = end;
		if (i + 1 < s.len && char_is_blank(p[i + 1]))
			return i;
	}
	return s.len;
}

/* One title from the start of @s, known or up to a gap of two blanks. */
static size_t rows_take_title(struct str s, struct perf_column *column, bool *ret_percent)
{
	size_t len = rows_gap(s);
	const struct rows_title *t = NULL;

	/* "Command / Shared Object / Symbol" is the one column of a hierarchy */
	if (!str_contains(str_sub(s, 0, len), STR(" / ")))
		t = rows_title(s, &len);
	*ret_percent = t && t->is_percent;
	column->kind = t ? t->kind : PERF_COL_EXTRA;
	if (!t) {
		/* "IPC   [IPC Coverage]" is one column */
		if (str_starts(s, STR("IPC")) && str_find_char(s, ']') < s.len)
			len = str_find_char(s, ']') + 1;
	}
	column->title = str_rtrim(str_sub(s, 0, len));
	return len;
}

/* The levels of "Command / Shared Object / Symbol". */
static void rows_hierarchy(struct str title, struct perf_layout *l)
{
	struct str sep = STR(" / ");

	if (!str_contains(title, sep))
		return;
	for (l->n_hierarchy = 0; title.len && l->n_hierarchy < PERF_HIERARCHY;) {
		size_t end = str_find(title, sep);
		struct str level = str_trim(str_sub(title, 0, end));
		size_t len;
		const struct rows_title *t = level.len ? rows_title(level, &len) : NULL;

		l->level_titles[l->n_hierarchy] = level;
		l->hierarchy[l->n_hierarchy++] = t ? t->kind : PERF_COL_EXTRA;
		title = str_skip(title, end + sep.len);
	}
}

static void rows_read_titles(struct str line, struct perf_layout *l)
{
	size_t at = 0;

	while (l->n < PERF_COLUMNS) {
		struct perf_column *c = &l->columns[l->n];
		bool is_percent;
		size_t len;

		while (at < line.len && char_is_space(line.p[at]))
			at++;
		if (at == line.len)
			break;
		len = rows_take_title(str_skip(line, at), c, &is_percent);
		c->from = (uint32_t)at;
		rows_hierarchy(c->title, l);
		if (is_percent && l->n == l->n_percents + l->n_leading)
			l->n_percents++;
		else if (l->n_percents == 0)
			l->n_leading++;
		if (c->kind == PERF_COL_SYMBOL) {
			if (l->has_symbol)
				c->kind = PERF_COL_EXTRA;
			l->has_symbol = true;
		}
		l->n++;
		at += len;
	}
}

bool perf_rows_titles(struct str line, struct perf_layout *ret)
{
	struct str s = line;
	size_t i = perf_rows_indent(line);
	size_t len;
	unsigned int known = 0;

	if (i < s.len && s.p[i] == '#')
		i++;
	while (i < s.len && char_is_blank(s.p[i]))
		i++;
	if (i == s.len || !memchr("OCSBsP", s.p[i], 6))
		return false;
	if (!str_starts(str_skip(s, i), STR("Baseline")) && !rows_title(str_skip(s, i), &len))
		return false;
	*ret = (struct perf_layout){ .has_titles = true };
	/* keep columns where they are on the line */
	if (perf_rows_indent(line) < i && s.p[perf_rows_indent(line)] == '#') {
		struct str rest = str_skip(s, i);

		rows_read_titles(rest, ret);
		for (unsigned int k = 0; k < ret->n; k++)
			ret->columns[k].from += (uint32_t)i;
	} else {
		rows_read_titles(line, ret);
	}
	for (unsigned int k = 0; k < ret->n; k++) {
		const struct perf_column *c = &ret->columns[k];
		bool is_known = rows_title(c->title, &len) != NULL;

		known += is_known;
		ret->is_diff |=
			str_eq(c->title, STR("Baseline")) || str_starts(c->title, STR("Delta"));
		/* words of a sentence stand close: "Overhead of this is 5%" */
		if (!is_known && k > 0 &&
		    c->from < ret->columns[k - 1].from + ret->columns[k - 1].title.len + 2)
			return false;
	}
	if (ret->is_diff)
		return true;
	if (ret->n_percents == 0)
		return false;
	if (str_trim(line).p[0] == '#')
		return ret->n > 1;
	return ret->n > ret->n_percents && known * 2 >= ret->n;
}

void perf_rows_more_titles(struct str line, struct perf_layout *layout)
{
	unsigned int n = layout->n;

	line = str_ltrim(line);
	if (line.len && line.p[0] == '#')
		line = str_skip(line, 1);
	rows_read_titles(line, layout);
	for (; n < layout->n; n++)
		layout->columns[n].from += 1u << 16; /* behind all of the first line */
}

void perf_rows_ruler(struct str line, struct perf_layout *layout)
{
	size_t at = 0;
	unsigned int k = 0;
	uint32_t from[PERF_COLUMNS];

	if (str_starts(line, STR("#")))
		at = 1;
	while (k < PERF_COLUMNS) {
		while (at < line.len && line.p[at] != '.' && line.p[at] != '_')
			at++;
		if (at >= line.len)
			break;
		from[k++] = (uint32_t)at;
		while (at < line.len && (line.p[at] == '.' || line.p[at] == '_'))
			at++;
	}
	if (k != layout->n)
		return;
	for (unsigned int i = 0; i < k; i++)
		layout->columns[i].from = from[i];
}

/* Cut @s at gaps of two blanks (or, @single, at every blank) into at most ROWS_PARTS parts. */
static unsigned int rows_split(struct str s, bool single, struct str parts[ROWS_PARTS])
{
	unsigned int n = 0;

	s = str_trim(s);
	while (s.len && n < ROWS_PARTS) {
		size_t end = single ? str_find_char(s, ' ') : rows_gap(s);

		if (n == ROWS_PARTS - 1)
			end = s.len;
		parts[n++] = str_sub(s, 0, end);
		s = rows_ltrim(str_skip(s, end));
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

/* "56:irq/17": the number and the name of a task. */
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

/* Hand @parts to columns by where they start on the line; they keep their order. */
static void rows_place(struct perf_row_text *row, const struct perf_layout *l, unsigned int from,
		       unsigned int to, const struct str *parts, unsigned int n, const char *line)
{
	unsigned int col = from;

	for (unsigned int i = 0; i < n; i++) {
		size_t at = (size_t)(parts[i].p - line);
		size_t end = at + parts[i].len;

		/* leave a column for each part still to come */
		while (col + (n - i) < to && l->columns[col + 1].from < end)
			col++;
		rows_set_cell(row, l, col, parts[i]);
		if (++col >= to)
			break;
	}
}

/* Cells of columns [from, to) out of @s. */
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
	/* more parts than columns: words with two blanks inside; they belong to the last */
	for (unsigned int i = 0; i < want; i++) {
		struct str cell = parts[i];

		if (i == want - 1 && n > want)
			cell = (struct str){ cell.p,
					     (size_t)(parts[n - 1].p + parts[n - 1].len - cell.p) };
		rows_set_cell(row, l, from + i, cell);
	}
}

/* `perf report -v` prints "0xaddress o" before the level marker: cut it off @s. */
static struct str rows_cut_address(struct str s)
{
	struct str t = str_rtrim(s);
	size_t at = t.len;
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

/* A symbol, and what somebody wrote behind it. */
static void rows_symbol(struct perf_row_text *row, struct str s)
{
	size_t cut;

	s = str_trim(s);
	row->has_open_symbol = s.len == 0;
	row->has |= s.len ? ROW_HAS_SYMBOL : 0;
	row->symbol = s;
	if (str_find_char(s, ' ') == s.len && str_find_char(s, '\t') == s.len)
		return;
	cut = rows_gap(s);
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
	size_t level = l->has_symbol ? perf_rows_level(s, 0) : s.len;
	struct str tail;
	size_t gap;

	while (symbol < l->n && l->columns[symbol].kind != PERF_COL_SYMBOL)
		symbol++;
	if (level == s.len || symbol == l->n) {
		rows_cells(row, l, first, l->n, s, line);
		return;
	}
	row->level = s.p[level + 1];
	rows_cells(row, l, first, symbol, rows_cut_address(str_sub(s, 0, level)), line);
	tail = str_trim(str_skip(s, level + 3));
	if (symbol + 1 == l->n) {
		rows_symbol(row, tail);
		return;
	}
	gap = rows_gap(tail);
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
		/* single blanks between columns, or only before a long DSO */
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
	/* parts between the first and the last are words of a command with wide blanks */
	if (n - first > 2)
		row->comm.len = (size_t)(parts[n - 2].p + parts[n - 2].len - row->comm.p);
	row->dso = parts[n - 1];
	row->has |= ROW_HAS_DSO;
}

/* Take numbers that stand before the percentage ("1234.00 12.3% name dso"). */
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
		s = rows_ltrim(s);
	}
	return s;
}

static bool rows_starts_percent(struct str s)
{
	struct perf_percent p;

	return char_is_digit(s.p[0]) && perf_rows_percent(&s, &p);
}

bool perf_rows_parse(struct str line, const struct perf_layout *l, struct perf_row_text *row)
{
	size_t at = perf_rows_indent(line);
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
		s = rows_ltrim(str_skip(s, 1));
	}
	if (l->n_leading)
		s = rows_leading(s, l, row);
	if (s.len && !rows_starts_percent(s))
		s = rows_ltrim(str_skip(s, rows_hand_mark(s)));
	while (row->n_percents < PERF_PERCENTS && s.len && char_is_digit(s.p[0])) {
		struct str rest = s;

		if (!perf_rows_percent(&rest, &row->percents[row->n_percents]) ||
		    !rows_is_blank_at(rest, 0))
			break;
		row->n_percents++;
		s = rows_ltrim(rest);
	}
	row->name_at = (uint32_t)(s.p - line.p);
	if (row->n_percents == 0)
		return false;
	s = str_rtrim(s);
	level = perf_rows_level(s, 0);
	if (l->has_titles && l->n > l->n_percents + l->n_leading &&
	    (l->has_symbol || level == s.len)) {
		rows_parse_titled(s, row, l, line.p);
		return true;
	}
	if (level == s.len)
		return l->has_titles;
	rows_parse_bare(s, level, row, l);
	return true;
}

bool perf_rows_is_branch(struct str line)
{
	struct str s = rows_ltrim(line);
	struct perf_percent p;

	return line.len > 3 && char_is_blank(line.p[2]) && perf_rows_percent(&s, &p) && s.len > 1 &&
	       s.p[0] == ' ' && !char_is_blank(s.p[1]);
}

void perf_rows_sniff(struct str text, struct perf_layout *layout)
{
	struct perf_row_text row;
	struct str line;
	unsigned int kernel = 0;
	unsigned int task = 0;
	unsigned int rows = 0;

	for (unsigned int n = 0; n < 4096 && rows < 64 && str_line(&text, &line); n++) {
		struct perf_layout guess = { .number_is_cpu = false };
		struct str first;

		if (perf_rows_kind(line) != PERF_LINE_ROW || !perf_rows_parse(line, &guess, &row))
			continue;
		rows++;
		/* a CPU is printed with three digits, a count of samples without leading zeros */
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
