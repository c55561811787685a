/* SPDX-License-Identifier: MIT */
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "core/profile.h"
#include "formats/format.h"
#include "formats/perf_text/perf_header.h"
#include "formats/perf_text/perf_join.h"
#include "formats/perf_text/perf_line.h"
#include "formats/perf_text/perf_rows.h"
#include "formats/perf_text/perf_table.h"
#include "formats/perf_text/perf_titles.h"

/* maximum number of blank lines between the header of a table (banner or titles) and its rows */
#define FIND_BLANKS 6u
/*
 * Percentages usually fall from row to row. After FIND_FALLING falling rows, a percentage of more
 * than FIND_JUMP times the previous one starts another table.
 */
#define FIND_FALLING 6u
#define FIND_JUMP    8u
/*
 * maximum number of blank lines before a part of a TUI tree that belongs to the same report
 */
#define FIND_PART_BLANKS 2u
#define FIND_TUI_STEP    3u  /* perf's TUI indents each level of a tree by so many columns */
#define FIND_NODES       64u /* maximum number of functions of trees that are remembered */

/* A function in a tree of the table, with its largest percentage, times 100. */
struct find_node {
	struct str name;
	uint64_t percent;
	bool is_root;
};

struct find {
	struct str text;
	size_t at;      /* offset of the current line */
	size_t next;    /* offset of the next line */
	struct str raw; /* the current line as it is in the text, without its line break */
	/* the current line; if a mailer wrapped it, joined with its continuation lines */
	struct str line;
	enum perf_line kind;

	/*
	 * offset of the first line of the table, including banner and titles; SIZE_MAX: no table
	 * yet
	 */
	size_t from;
	size_t to; /* offset of the end of the table's last line so far */
	bool has_titles;
	bool has_banner;
	bool has_leading; /* each row has a number before its percentage */
	bool is_comment_titles;
	bool is_top_banner;
	bool is_diff;
	struct str banner;   /* the latest banner line */
	unsigned int blanks; /* number of blank lines since the last non-blank line */
	unsigned int others; /* number of lines of prose since the last line of the table */

	unsigned int rows;
	unsigned int tree_lines;
	/* number of rows with the DSO "[kernel]", as perf top prints it */
	unsigned int kernel_short;
	/* number of rows with the DSO "[kernel.kallsyms]", as perf report prints it */
	unsigned int kernel_long;
	unsigned int with_comm;
	struct str last; /* text of the last row */
	bool is_drawn;   /* the previous line was part of a tree drawn with | and -- */
	struct str prev; /* the previous line */
	bool is_tree;    /* the previous lines were part of a tree */
	bool is_row;     /* the previous line was a row */
	bool is_open;    /* the last row has the mark '-', so perf's TUI showed its tree */
	bool is_report_banner;
	uint64_t percent; /* first percentage of the last row, times 100 */
	unsigned int falling;
	bool is_rising;
	size_t row_indent;
	/*
	 * column of the roots of the table's trees; SIZE_MAX: no tree yet. Of trees that are drawn
	 * with | and --, only those without a row count
	 */
	size_t root_column;
	struct find_node nodes[FIND_NODES];
	unsigned int n_nodes;
	struct perf_layout bare;
	struct out joined;
};

static bool find_line(struct find *f)
{
	struct str rest = str_skip(f->text, f->next);

	f->at = f->next;
	f->prev = f->raw;
	if (!perf_line_next(&rest, &f->line))
		return false;
	f->raw = f->line;
	f->next = f->text.len - rest.len;
	return true;
}

/* If a mailer wrapped the row on the current line, join its lines. */
static void find_join(struct find *f)
{
	struct perf_joined j = perf_join(f->line, f->kind, str_skip(f->text, f->next), &f->joined);

	if (j.n_lines == 0)
		return;
	f->line = j.line;
	f->kind = PERF_LINE_ROW;
	f->next += j.bytes;
}

/*
 * Look at later lines without changing @f. Returns the line at offset *@ret_next, and then sets
 * *@ret_next to the offset of the line after it.
 */
static struct str find_peek(const struct find *f, size_t *ret_next)
{
	struct str rest = str_skip(f->text, *ret_next);
	struct str line = STR_NONE;

	(void)perf_line_next(&rest, &line);
	*ret_next = f->text.len - rest.len;
	return line;
}

/*
 * Read the percentages at the start of a row. Marks and one number may precede them. @ret: the
 * first percentage; @ret_n: how many there are. False: the line has no percentage.
 */
static bool find_first_percent(struct str line, struct perf_percent *ret, unsigned int *ret_n)
{
	struct str s = str_ltrim(line);
	struct perf_percent p;

	while (s.len && !char_is_digit(s.p[0]))
		s = str_skip(s, 1);
	*ret_n = 0;
	if (!perf_line_percent(&s, ret)) {
		/* a user may have added a number before the row: skip it */
		size_t blank = str_find_char(s, ' ');

		s = str_ltrim(str_skip(s, blank));
		if (!perf_line_percent(&s, ret))
			return false;
	}
	*ret_n = 1;
	for (s = str_ltrim(s); s.len && char_is_digit(s.p[0]) && perf_line_percent(&s, &p);
	     s = str_ltrim(s))
		(*ret_n)++;
	return true;
}

static bool find_is_larger(struct perf_percent a, struct perf_percent b)
{
	for (; a.decimals < b.decimals; a.decimals++)
		a.units *= 10;
	for (; b.decimals < a.decimals; b.decimals++)
		b.units *= 10;
	return a.units > b.units;
}

/*
 * Kind of the current line. If the rows of the table start with a number, a line of unknown kind
 * that starts with a number and contains a percentage is PERF_LINE_PERCENT.
 */
static enum perf_line find_kind(const struct find *f)
{
	enum perf_line kind = perf_line_kind(f->line);

	if (UNLIKELY(f->has_leading && kind == PERF_LINE_OTHER)) {
		struct str s = str_ltrim(f->line);

		if (s.len && char_is_digit(s.p[0]) && str_find_char(s, '%') < s.len)
			return PERF_LINE_PERCENT;
	}
	return kind;
}

static void find_reset(struct find *f)
{
	f->from = SIZE_MAX;
	f->has_titles = false;
	f->has_leading = false;
	f->has_banner = false;
	f->is_comment_titles = false;
	f->is_top_banner = false;
	f->is_report_banner = false;
	f->is_diff = false;
	f->blanks = 0;
}

static void find_header(struct find *f)
{
	if (f->from == SIZE_MAX)
		f->from = f->at;
	f->blanks = 0;
	if (f->kind == PERF_LINE_BANNER) {
		f->has_banner = true;
		f->banner = f->line;
		f->is_top_banner |= perf_header_is_top(f->line);
		f->is_report_banner |= !perf_header_is_top(f->line);
	}
	if (f->kind == PERF_LINE_TITLES) {
		struct perf_layout layout;

		f->has_titles = true;
		f->is_comment_titles = str_ltrim(f->line).p[0] == '#';
		if (!perf_titles_read(f->line, &layout))
			return;
		f->is_diff = layout.is_diff;
		f->has_leading = layout.n_leading > 0;
		for (unsigned int i = 0; i < layout.n; i++)
			f->with_comm += layout.n_hierarchy ||
					layout.columns[i].kind == PERF_COL_COMM ||
					layout.columns[i].kind == PERF_COL_PID;
	}
}

static void find_row(struct find *f)
{
	f->rows++;
	f->last = f->raw;
	f->is_drawn = false;
	f->blanks = 0;
	f->others = 0;
	f->to = f->next;
	f->is_tree = false;
	f->is_row = true;
	f->row_indent = perf_line_column(f->line);
	f->is_open = f->line.p[perf_line_indent(f->line)] == '-';
	if (f->rows <= 16 && f->kind == PERF_LINE_ROW) {
		struct perf_row_text row;

		if (perf_row_parse(f->line, &f->bare, &row)) {
			f->with_comm += (row.has & ROW_HAS_COMM) != 0;
			f->kernel_short += str_eq(row.dso, STR("[kernel]"));
			f->kernel_long += str_starts(row.dso, STR("[kernel."));
		}
	}
}

/* Column of the first character of @line that is neither a blank nor a bar of a tree. */
static size_t find_column(struct str line)
{
	size_t col = 0;

	for (size_t i = 0; i < line.len && (char_is_blank(line.p[i]) || line.p[i] == '|'); i++)
		col = line.p[i] == '\t' ? (col | 7) + 1 : col + 1;
	return col;
}

/*
 * Read @line as a branch of a tree that has a percentage with two decimals and a name without
 * blanks: "- 16.03% name" or "|--16.03%--name". *@ret_mark: '+', '-', or ' ' without a mark. False:
 * it is none.
 */
static bool find_node_of(struct str line, struct find_node *ret, char *ret_mark)
{
	struct str inlined = STR(" (inlined)");
	struct str s = str_trim(line);
	struct perf_percent p;
	bool is_drawn;

	while (s.len && (s.p[0] == '|' || char_is_blank(s.p[0])))
		s = str_skip(s, 1);
	*ret_mark = ' ';
	is_drawn = str_take(&s, STR("--"));
	if (is_drawn) {
		*ret_mark = '-';
	} else if (s.len > 1 && (s.p[0] == '+' || s.p[0] == '-') && char_is_blank(s.p[1])) {
		*ret_mark = s.p[0];
		s = perf_line_ltrim(str_skip(s, 1));
	}
	if (!perf_line_percent(&s, &p) || p.decimals != 2 || (is_drawn && !str_take(&s, STR("--"))))
		return false;
	s = str_trim(s);
	if (str_ends(s, inlined))
		s.len -= inlined.len;
	*ret = (struct find_node){ .name = s, .percent = p.units };
	return s.len && str_find_char(s, ' ') == s.len && p.units <= 10000;
}

/* Remember the current line, a branch of a tree. */
static void find_remember(struct find *f)
{
	size_t column = find_column(f->line);
	struct find_node node;
	char mark;

	if (f->root_column == SIZE_MAX && !char_is_digit(f->line.p[perf_line_indent(f->line)]))
		f->root_column = column;
	if (!find_node_of(f->line, &node, &mark))
		return;
	node.is_root = mark != ' ' && column == f->root_column;
	for (unsigned int i = 0; i < f->n_nodes; i++) {
		if (!str_eq(f->nodes[i].name, node.name))
			continue;
		if (node.percent > f->nodes[i].percent)
			f->nodes[i].percent = node.percent;
		f->nodes[i].is_root |= node.is_root;
		return;
	}
	if (f->n_nodes < FIND_NODES)
		f->nodes[f->n_nodes++] = node;
}

/*
 * Whether the shares show that @root, the root of a tree, is of another report: the function is the
 * root of an earlier tree, or it has more inside of one. (A share with callees includes the calls
 * that another tree shows.)
 */
static bool find_contradicts(const struct find *f, const struct find_node *root)
{
	for (unsigned int i = 0; i < f->n_nodes; i++) {
		if (str_eq(f->nodes[i].name, root->name) &&
		    (f->nodes[i].is_root || f->nodes[i].percent > root->percent + 1))
			return true;
	}
	return false;
}

/*
 * Whether the current line continues the table after blank lines: a part of a TUI tree begins, in
 * the columns of the earlier trees. Authors cut a report to the trees that matter, without the rows
 * above them.
 */
static bool find_is_part(const struct find *f)
{
	size_t column = find_column(f->line);
	size_t next = f->next;
	struct str below = find_peek(f, &next);
	struct find_node node;
	char mark;

	if (f->others || f->blanks > FIND_PART_BLANKS || f->root_column == SIZE_MAX ||
	    column < f->root_column || (column - f->root_column) % FIND_TUI_STEP)
		return false;
	if (!find_node_of(f->line, &node, &mark) || mark == ' ')
		return false;
	/* the mark '-' says that callees are shown */
	if (mark == '-' && perf_line_column(below) <= column)
		return false;
	return column > f->root_column || !find_contradicts(f, &node);
}

/*
 * Whether a call tree that belongs to no row starts at the current line. The tree must have three
 * branches within seven lines.
 */
static bool find_is_tree(const struct find *f)
{
	size_t next = f->next;
	unsigned int n = 1;

	if (f->kind == PERF_LINE_MARK) {
		struct str s = str_trim(f->line);
		struct perf_percent p;

		s = str_ltrim(str_skip(s, 1));
		if (!perf_line_percent(&s, &p) || str_trim(s).len == 0 ||
		    str_find_char(str_trim(s), ' ') < str_trim(s).len)
			return false;
	} else if (!str_contains(f->line, STR("%--"))) {
		return false;
	}
	for (unsigned int i = 0; i < 6 && n < 3; i++) {
		struct str line = find_peek(f, &next);
		enum perf_line kind = perf_line_kind(line);

		if (f->kind == PERF_LINE_TREE && str_contains(line, STR("%--")))
			n++;
		else if (f->kind == PERF_LINE_MARK && kind == PERF_LINE_MARK &&
			 perf_line_indent(line) > perf_line_indent(f->line) &&
			 str_find_char(line, '%') < line.len)
			n++;
	}
	return n >= 3;
}

/*
 * Handle a line that has a percentage but no level marker such as "[k]", in a table without titles:
 * decide whether the line is a row. It is a row if a call tree follows it, or if an earlier row had
 * no marker either. Then f->kind becomes PERF_LINE_ROW.
 */
static void find_bare(struct find *f)
{
	if (f->kind == PERF_LINE_PERCENT && !f->has_titles && !f->is_diff &&
	    (f->bare.has_bare || perf_row_is_bare(f->line, str_skip(f->text, f->next)))) {
		f->bare.has_bare = true;
		f->kind = PERF_LINE_ROW;
	}
}

/* Find the first row of a table. True: it is the current line of @f. */
static bool find_start(struct find *f)
{
	struct perf_percent first;
	unsigned int n;

	find_reset(f);
	while (find_line(f)) {
		f->kind = find_kind(f);
		if (f->kind == PERF_LINE_PERCENT)
			find_join(f);
		find_bare(f);
		switch (f->kind) {
		case PERF_LINE_BLANK:
			if (f->from != SIZE_MAX && ++f->blanks > FIND_BLANKS)
				find_reset(f);
			break;
		case PERF_LINE_BANNER:
		case PERF_LINE_TITLES:
			find_header(f);
			break;
		case PERF_LINE_COMMENT:
		case PERF_LINE_RULER:
			break;
		case PERF_LINE_ROW:
		case PERF_LINE_PERCENT:
			if ((f->kind == PERF_LINE_ROW || f->has_titles) && !f->is_diff &&
			    find_first_percent(f->line, &first, &n)) {
				if (f->from == SIZE_MAX)
					f->from = f->at;
				if (f->kind == PERF_LINE_ROW)
					find_join(f);
				find_row(f);
				return true;
			}
			if (!f->is_diff)
				find_reset(f);
			break;
		case PERF_LINE_TREE:
		case PERF_LINE_MARK:
			if (find_is_tree(f)) {
				if (f->from == SIZE_MAX)
					f->from = f->at;
				f->is_tree = true;
				f->tree_lines = 1;
				f->to = f->next;
				find_remember(f);
				return true;
			}
			find_reset(f);
			break;
		default:
			if (f->from != SIZE_MAX && f->has_banner &&
			    (perf_header_goes_on(f->banner, f->line) || f->line.len < 24)) {
				f->is_top_banner |= str_contains(f->line, STR("lost: "));
				break;
			}
			/*
			 * a row of perf diff contains '%' and may look like a row of perf report,
			 * so it does not end the table of perf diff
			 */
			if (!f->is_diff || str_find_char(f->line, '%') == f->line.len)
				find_reset(f);
			break;
		}
	}
	return false;
}

/*
 * Whether the row on the current line starts another table because its percentage jumps. It must be
 * at least 1 %, and more than FIND_JUMP times the previous one, after FIND_FALLING or more rows
 * with falling percentages. If percentages have risen before, the result is false, because the
 * table is not sorted by percentage.
 */
static bool find_is_jump(struct find *f)
{
	struct perf_percent first;
	unsigned int n;
	bool is_jump;

	if (!find_first_percent(f->raw, &first, &n))
		return false;
	while (first.decimals < 2) {
		first.units *= 10;
		first.decimals++;
	}
	is_jump = f->falling >= FIND_FALLING && first.decimals == 2 && first.units >= 100 &&
		  first.units / FIND_JUMP > f->percent;
	if (first.units > f->percent && f->rows)
		f->is_rising = true;
	f->falling = f->is_rising ? 0 : f->falling + 1;
	f->percent = first.units;
	return is_jump;
}

/*
 * Whether the row on the current line starts another table. True after a jump (find_is_jump()).
 * After blank lines or prose, also true if the row has larger percentages than the last row, or a
 * different number of percentages.
 */
static bool find_is_new(struct find *f)
{
	struct perf_percent first;
	struct perf_percent last;
	unsigned int n;
	unsigned int n_last;

	if (find_is_jump(f))
		return true;
	if (LIKELY(f->others == 0 && (f->blanks == 0 || f->has_titles || f->is_tree)))
		return false;
	if (f->rows == 0)
		return f->others > 0;
	if (!find_first_percent(f->raw, &first, &n) || !find_first_percent(f->last, &last, &n_last))
		return true;
	return n != n_last || find_is_larger(first, last) || (f->others > 0 && f->rows < 3);
}

/*
 * Kind of the current line, which starts with a percentage and words but has no level marker such
 * as "[k]": PERF_LINE_ROW, PERF_LINE_MARK (a branch of a tree), or PERF_LINE_OTHER.
 */
static enum perf_line find_percent(const struct find *f)
{
	bool is_near = f->others == 0 && f->blanks == 0 && (f->is_tree || f->is_row);

	if ((perf_line_is_branch(f->line) || perf_line_is_folded(f->line, f->row_indent)) &&
	    is_near)
		return PERF_LINE_MARK;
	if (f->bare.has_bare && f->others == 0)
		return PERF_LINE_ROW;
	return f->has_titles ? PERF_LINE_ROW : PERF_LINE_OTHER;
}

/*
 * Whether @line stands for rows that the author removed: "...", "[...]", "<snip>". Such a line does
 * not end the table.
 */
static bool find_is_elision(struct str line)
{
	struct str s = str_trim(line);
	bool has_dot = false;

	if (s.len == 0 || s.len > 16)
		return false;
	if (str_contains(s, STR("snip")) && s.len <= 12)
		return true;
	for (size_t i = 0; i < s.len; i++) {
		if (!memchr(".[]<>() -", s.p[i], 9))
			return false;
		has_dot |= s.p[i] == '.';
	}
	return has_dot;
}

/*
 * Whether the current line, which has no marks, is a frame of a call tree and not prose. It must
 * follow an expanded row or a line of a tree, and be indented further than the row.
 */
static bool find_is_frame(const struct find *f)
{
	size_t indent = perf_line_column(f->line);

	return (f->is_tree || (f->is_row && f->is_open)) && f->others == 0 && f->blanks == 0 &&
	       indent >= 3 && indent > f->row_indent;
}

/*
 * Whether the current line continues a long line of a tree drawn with | and --. A mailer wraps such
 * a line, and its second part starts at the left margin. This part looks like a line of the tree,
 * or is a single word.
 */
static bool find_is_tail(const struct find *f)
{
	struct str s = str_trim(f->line);

	return f->is_tree && f->others == 0 && perf_line_column(f->line) < PERF_TREE_INDENT &&
	       perf_line_bars(f->prev) > PERF_TREE_INDENT &&
	       (f->kind == PERF_LINE_TREE ||
		(f->kind == PERF_LINE_OTHER && str_find_char(s, ' ') == s.len));
}

static void find_accept(struct find *f)
{
	f->is_drawn = false;
	f->to = f->next;
	f->blanks = 0;
	f->is_row = false;
}

/* Whether the current line is the root of a tree of another report. */
static bool find_is_other(const struct find *f)
{
	struct find_node node;
	char mark;

	return find_column(f->line) == f->root_column && find_node_of(f->line, &node, &mark) &&
	       find_contradicts(f, &node);
}

/* Whether the current line, a line of a TUI tree, belongs to the table. */
static bool find_is_branch(const struct find *f)
{
	if (f->blanks)
		return find_is_part(f);
	return !f->others &&
	       (perf_line_indent(f->line) > 0 || perf_line_is_folded(f->line, f->row_indent));
}

/* Read the rows and trees of a table, from the first row to the end of the table. */
static void find_end(struct find *f)
{
	while (f->others <= PERF_TABLE_GAP && find_line(f)) {
		if (f->is_drawn && perf_line_is_deep(f->line)) {
			f->to = f->next;
			continue;
		}
		f->kind = find_kind(f);
		if (find_is_tail(f)) {
			f->to = f->next;
			continue;
		}
		if (f->kind == PERF_LINE_PERCENT || f->kind == PERF_LINE_ROW)
			find_join(f);
		if (f->kind == PERF_LINE_PERCENT)
			f->kind = find_percent(f);
		switch (f->kind) {
		case PERF_LINE_BLANK:
			f->blanks++;
			f->is_row = false;
			f->is_drawn = false;
			break;
		case PERF_LINE_ROW:
			if (find_is_new(f))
				return;
			find_row(f);
			break;
		case PERF_LINE_FLAT:
			if (f->others) {
				f->others++;
				break;
			}
			f->is_tree = true;
			find_accept(f);
			break;
		case PERF_LINE_TREE:
			if (f->others && !str_contains(f->line, STR("%--"))) {
				f->others++;
				break;
			}
			/*
			 * prose precedes this tree: it belongs to another table, not to the
			 * previous row
			 */
			if (f->others && f->tree_lines == 0)
				return;
			if (f->rows == 0) {
				if (f->blanks && find_is_other(f))
					return;
				find_remember(f);
			}
			f->is_tree = true;
			f->others = 0;
			f->tree_lines++;
			find_accept(f);
			f->is_drawn = f->row_indent < PERF_TREE_INDENT / 2;
			break;
		case PERF_LINE_MARK:
			if (!find_is_branch(f)) {
				f->others++;
				break;
			}
			find_remember(f);
			f->is_tree = true;
			f->tree_lines++;
			find_accept(f);
			break;
		case PERF_LINE_TITLES:
		case PERF_LINE_BANNER:
			return;
		case PERF_LINE_COMMENT:
		case PERF_LINE_RULER:
			if (f->is_comment_titles && f->others == 0)
				f->to = f->next;
			break;
		case PERF_LINE_PERCENT:
		case PERF_LINE_LEVEL:
		case PERF_LINE_OTHER:
			if (find_is_frame(f))
				find_accept(f);
			else if (!find_is_elision(f->line))
				f->others++;
			f->is_row = false;
			break;
		}
		if (f->kind == PERF_LINE_BLANK && f->blanks > 1)
			f->is_tree = false;
	}
}

/*
 * Whether perf top printed the table. A banner of perf top proves it. Without this banner, a table
 * with rows is from perf top unless something shows perf report. These things always show perf
 * report: titles after '#', commands in rows, and "[kernel.kallsyms]". A banner of perf report
 * shows it only if no row has the DSO "[kernel]".
 */
static bool find_is_top(const struct find *f)
{
	if (f->is_top_banner)
		return true;
	if (f->is_comment_titles || f->with_comm || f->kernel_long || f->rows == 0)
		return false;
	return f->kernel_short > 0 || !f->is_report_banner;
}

bool perf_table_find(struct str text, size_t from, struct perf_extent *ret)
{
	struct find f = {
		.text = text, .next = from, .percent = UINT64_MAX, .root_column = SIZE_MAX
	};

	out_init(&f.joined);
	if (!find_start(&f)) {
		out_fini(&f.joined);
		return false;
	}
	find_end(&f);
	out_fini(&f.joined);
	ret->from = f.from;
	ret->to = f.to;
	ret->is_top = find_is_top(&f);
	ret->score = f.has_titles && f.rows ? 95 : f.rows > 1 ? 90 : f.rows ? 80 : 60;
	return true;
}

bool perf_table_find_of(struct str text, size_t from, bool is_top, struct extent *ret)
{
	struct perf_extent e;

	while (from < text.len && perf_table_find(text, from, &e)) {
		if (e.is_top == is_top) {
			*ret = (struct extent){ .from = e.from, .to = e.to, .score = e.score };
			return true;
		}
		from = e.to;
	}
	return false;
}

unsigned int perf_table_probe(struct str head, bool is_top)
{
	struct perf_extent e;
	struct str before;
	struct str line;
	size_t cut = str_rfind_char(head, '\n');

	/* if @head has more than 4096 bytes, ignore its last line, which may be incomplete */
	if (head.len > 4096 && cut < head.len)
		head = str_sub(head, 0, cut + 1);
	if (!perf_table_find(head, 0, &e) || e.is_top != is_top)
		return 0;
	before = str_sub(head, 0, e.from);
	while (perf_line_next(&before, &line)) {
		enum perf_line kind = perf_line_kind(line);

		if (kind != PERF_LINE_BLANK && kind != PERF_LINE_COMMENT)
			return 50;
	}
	before = str_skip(head, e.to);
	while (perf_line_next(&before, &line)) {
		enum perf_line kind = perf_line_kind(line);

		if (kind == PERF_LINE_OTHER || kind == PERF_LINE_PERCENT)
			return 50;
	}
	return e.score >= 90 ? e.score : 50;
}
