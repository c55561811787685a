/* SPDX-License-Identifier: MIT */
/*
 * perf_line.h - kinds of lines of a printed perf table
 *
 * The readers of `perf report` and `perf top` share these functions. Each function looks at only
 * one line, and the texts that it returns point into this line. perf_table.c handles the order of
 * lines.
 */
#ifndef FORMATS_PERF_LINE_H
#define FORMATS_PERF_LINE_H

#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"

enum perf_line {
	PERF_LINE_BLANK,
	/* has a percentage and a level marker such as "[k]", so it is certainly a row */
	PERF_LINE_ROW,
	PERF_LINE_PERCENT, /* starts with a percentage, but has no level marker */
	PERF_LINE_FLAT,    /* only a percentage; a chain of perf report -g flat follows */
	PERF_LINE_TREE,    /* a line of a tree drawn with | and -- */
	/* a line of a tree copied from perf's TUI (terminal interface): `- name`, `+ 12.3% name` */
	PERF_LINE_MARK,
	PERF_LINE_COMMENT, /* starts with '#', content unknown */
	PERF_LINE_TITLES,  /* column titles: Overhead  Command  Shared Object  Symbol */
	/* line of dots or dashes under the titles: ........  ....... or ------- */
	PERF_LINE_RULER,
	PERF_LINE_BANNER, /* "Samples: …", "Event count …", "PerfTop: …", "# cmdline : …" */
	PERF_LINE_LEVEL,  /* starts with a level marker: the rest of a wrapped row */
	PERF_LINE_OTHER,  /* none of the above kinds: a frame, a wrapped name, or prose */
};

struct perf_percent {
	uint64_t units; /* the percentage is units / 10^decimals */
	unsigned int decimals;
};

/* Offset of the first character that is not blank; line.len: no such character. */
static inline size_t perf_line_indent(struct str line)
{
	size_t i = 0;

	while (i < line.len && char_is_blank(line.p[i]))
		i++;
	return i;
}

/*
 * Screen column of the first character that is not blank. Tabs before it make the column larger
 * than the offset.
 */
static inline size_t perf_line_column(struct str line)
{
	size_t col = 0;

	for (size_t i = 0; i < line.len && char_is_blank(line.p[i]); i++)
		col = line.p[i] == '\t' ? (col | 7) + 1 : col + 1;
	return col;
}

/*
 * @line without the block characters (U+2580 to U+25FF) at its end. perf's TUI draws its scroll bar
 * with these characters.
 */
struct str perf_line_unshade(struct str line);

/*
 * Frames of a tree drawn with | and -- start at this column or to its right, and rows start to its
 * left. So after a line of such a tree, the indentation shows whether a line is a frame or a row.
 */
#define PERF_TREE_INDENT 11u

static inline bool perf_line_is_deep(struct str line)
{
	if (LIKELY(line.len > PERF_TREE_INDENT &&
		   memcmp(line.p, "           ", PERF_TREE_INDENT) == 0))
		return true;
	return line.len && memchr(line.p, '\t', perf_line_indent(line)) &&
	       perf_line_column(line) >= PERF_TREE_INDENT && perf_line_indent(line) < line.len;
}

/*
 * Take the next line of @text, up to LIMIT_LINE_BYTES. Block characters at the end of the line are
 * removed, because they are the scroll bar of perf's TUI. False: the text has ended.
 */
static inline bool perf_line_next(struct str *text, struct str *ret_line)
{
	if (!str_line(text, ret_line))
		return false;
	if (UNLIKELY(ret_line->len > LIMIT_LINE_BYTES))
		ret_line->len = LIMIT_LINE_BYTES;
	if (UNLIKELY(ret_line->len && (unsigned char)ret_line->p[ret_line->len - 1] >= 0x80))
		*ret_line = perf_line_unshade(*ret_line);
	return true;
}

/* @s without leading blanks; unlike str_ltrim() it keeps '\r' and similar characters. */
static inline struct str perf_line_ltrim(struct str s)
{
	while (s.len && char_is_blank(*s.p)) {
		s.p++;
		s.len--;
	}
	return s;
}

static inline bool perf_line_is_blank_at(struct str s, size_t i)
{
	return i >= s.len || char_is_space(s.p[i]);
}

/*
 * Kind of @line, judged without the lines around it. Cost: most lines are read only up to their
 * first character that is no blank. Lines that start with a number, a mark ('#', '|', '-'), a ruler
 * or the first word of a title are read further, up to the end: O(length).
 */
enum perf_line perf_line_kind(struct str line);
/*
 * Take a percentage with 0 to 9 decimals, such as "26.76%" or "13,12%", from the start of @s.
 * False: no percentage.
 */
bool perf_line_percent(struct str *s, struct perf_percent *ret);
/*
 * Offset of the first level marker ("[k]", "[.]") at or after @from; line.len: none. A blank, or
 * the start or end of the line, must be on each side of a marker. If two markers follow each other,
 * the result is the second, because the first is a DSO with the name "[k]".
 */
size_t perf_line_level(struct str line, size_t from);
/* Length of a mark that a user added before a row ("*1", "=>", "1.", "-->"); 0: no mark. */
size_t perf_line_hand_mark(struct str s);
/* Offset in @s of the first gap between columns (two blanks, or a tab); s.len: no gap. */
size_t perf_line_gap(struct str s);
/*
 * Whether @line is a branch of a tree of perf's TUI without its mark '+' or '-': at least three
 * blanks, a percentage, one blank, a name.
 */
bool perf_line_is_branch(struct str line);
/* If @line has only bars and blanks, the screen column after its last '|'. 0 for any other line. */
size_t perf_line_bars(struct str line);
/*
 * Whether @line is a chain of `perf report -g folded`, "21.63% main;run;work": a percentage, one
 * blank, names. If there is only one name, the line must start to the left of @row_indent, the
 * start column of the previous row.
 */
bool perf_line_is_folded(struct str line, size_t row_indent);

#endif
