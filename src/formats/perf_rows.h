/* SPDX-License-Identifier: MIT */
/*
 * perf_rows.h - the lines of a printed perf table: titles, rows, banners
 *
 * Shared by the readers of `perf report` and `perf top`. Everything here is
 * about one line and borrows from it; perf_table.c knows which line follows
 * which. A row is known by a percentage at its start and a level marker (`[k] `)
 * before the symbol, or by titles that were seen before it.
 */
#ifndef FORMATS_PERF_ROWS_H
#define FORMATS_PERF_ROWS_H

#include "base/limits.h"
#include "base/str.h"
#include "core/profile.h"

#define PERF_COLUMNS   32u /* of one table; further titles are ignored */
#define PERF_PERCENTS  8u  /* at the start of one row */
#define PERF_HIERARCHY 8u  /* levels of --hierarchy */

enum perf_line {
	PERF_LINE_BLANK,
	PERF_LINE_ROW,     /* percentage and level marker: surely a row */
	PERF_LINE_PERCENT, /* a percentage first, no level marker */
	PERF_LINE_FLAT,    /* a percentage and nothing else: head of a flat chain */
	PERF_LINE_TREE,    /* drawn with | and -- */
	PERF_LINE_MARK,    /* `- name`, `+ 12.3% name`: a tree of the TUI */
	PERF_LINE_COMMENT, /* starts with '#', says nothing we know */
	PERF_LINE_TITLES,  /* Overhead  Command  Shared Object  Symbol */
	PERF_LINE_RULER,   /* ........  ....... or ------- */
	PERF_LINE_BANNER,  /* Samples: …, Event count …, PerfTop: …, # cmdline : … */
	PERF_LINE_LEVEL,   /* starts with a level marker: the end of a wrapped row */
	PERF_LINE_OTHER,   /* a frame, a wrapped name, or prose */
};

enum perf_column_kind {
	PERF_COL_EXTRA,
	PERF_COL_CHILDREN,
	PERF_COL_SELF,
	PERF_COL_SAMPLES,
	PERF_COL_PERIOD,
	PERF_COL_PID, /* "1234" or "1234:comm" */
	PERF_COL_CPU,
	PERF_COL_COMM,
	PERF_COL_DSO,
	PERF_COL_SYMBOL,
};

struct perf_column {
	struct str title;
	uint32_t from; /* where it starts on the title line */
	uint8_t kind;  /* enum perf_column_kind */
};

struct perf_layout {
	struct perf_column columns[PERF_COLUMNS];
	unsigned int n;
	unsigned int n_percents; /* columns of percentages at the start, by titles */
	unsigned int n_leading;  /* columns of numbers before the first percentage */
	bool has_titles;
	bool has_symbol;
	bool is_diff;                      /* titles of `perf diff`: not a profile */
	unsigned int n_hierarchy;          /* levels of `Command / Shared Object / Symbol`, or 0 */
	uint8_t hierarchy[PERF_HIERARCHY]; /* enum perf_column_kind */
	struct str level_titles[PERF_HIERARCHY];
	bool one_name_is_comm; /* no titles: a lone name column is the command, not the DSO */
	bool number_is_cpu;    /* no titles: the column of numbers is the CPU */
};

struct perf_percent {
	uint64_t units; /* of 10^-decimals */
	unsigned int decimals;
};

/* A row as text; views borrow from the line. */
struct perf_row_text {
	struct perf_percent percents[PERF_PERCENTS];
	unsigned int n_percents;
	uint16_t has;         /* enum row_has; percentages are not in it */
	char level;           /* ' ' if there is none */
	char mark;            /* '+', '-' of the TUI, ' ' else */
	bool has_open_symbol; /* a level marker and no symbol behind it: wrapped */
	uint32_t mark_at;     /* column of the mark, or of the percentage */
	uint32_t name_at;     /* column behind the percentages */
	uint32_t pid;
	uint32_t cpu;
	uint64_t samples;
	uint64_t period;
	struct str comm;
	struct str dso;
	struct str symbol;
	struct str remark;              /* words behind the symbol that no title explains */
	struct str cells[PERF_COLUMNS]; /* by column of the layout, for PERF_COL_EXTRA */
};

/* Column of the first character that is not blank; line.len if there is none. */
static inline size_t perf_rows_indent(struct str line)
{
	size_t i = 0;

	while (i < line.len && char_is_blank(line.p[i]))
		i++;
	return i;
}

/* @line without block characters (U+2580 to U+25FF) at its end. */
struct str perf_rows_unshade(struct str line);

/*
 * Frames of a tree that is drawn stand this far right, rows do not: while the
 * previous line was of such a tree, nothing else can be meant.
 */
#define PERF_TREE_INDENT 11u

static inline bool perf_rows_is_deep(struct str line)
{
	return line.len > PERF_TREE_INDENT && memcmp(line.p, "           ", PERF_TREE_INDENT) == 0;
}

/*
 * Take the next line of @text, cut at LIMIT_LINE_BYTES, without the shading that
 * the TUI draws at the right edge. False at the end.
 */
static inline bool perf_rows_line(struct str *text, struct str *ret_line)
{
	if (!str_line(text, ret_line))
		return false;
	if (UNLIKELY(ret_line->len > LIMIT_LINE_BYTES))
		ret_line->len = LIMIT_LINE_BYTES;
	if (UNLIKELY(ret_line->len && (unsigned char)ret_line->p[ret_line->len - 1] >= 0x80))
		*ret_line = perf_rows_unshade(*ret_line);
	return true;
}

/* What @line is, by itself. Cost: the indentation, a memchr where it starts with a number. */
enum perf_line perf_rows_kind(struct str line);
/* Take "26.76%" or "13,12%" (with 0 to 9 decimals). False: something else. */
bool perf_rows_percent(struct str *s, struct perf_percent *ret);
/* Place of a level marker "[k]" with a blank or nothing around it, at or behind @from; or len. */
size_t perf_rows_level(struct str line, size_t from);
/*
 * Read titles into @ret. False: not titles. Also called with a second line of
 * titles (@more) when mail wrapped them.
 */
bool perf_rows_titles(struct str line, struct perf_layout *ret);
void perf_rows_more_titles(struct str line, struct perf_layout *layout);
/* Correct where columns start by the dots under the titles. */
void perf_rows_ruler(struct str line, struct perf_layout *layout);
/*
 * Read a row. With titles the layout leads, without them the shape of the row.
 * False: no percentage where one belongs, or (without titles) no level marker.
 */
bool perf_rows_parse(struct str line, const struct perf_layout *layout, struct perf_row_text *ret);
/* A percentage, one blank and a name: a branch of the TUI whose mark is blank. */
bool perf_rows_is_branch(struct str line);
/* Learn what a table without titles cannot say in one row from the rows in @text. */
void perf_rows_sniff(struct str text, struct perf_layout *layout);

#endif
