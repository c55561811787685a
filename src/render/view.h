/* SPDX-License-Identifier: MIT */
/*
 * view.h - what a command shows, as a stream of typed events
 *
 * A command says once what it shows (objects, fields, tables, trees, sentences)
 * and a back-end turns the events into bytes: text for people, JSON and CSV for
 * programs. Because all come from the same calls they cannot disagree. A part
 * with a key is for programs, a part with a title is for people; most have both.
 *
 * Strings handed in are borrowed for the call only. Errors of writing are told
 * by view_end(). Not thread safe.
 */
#ifndef RENDER_VIEW_H
#define RENDER_VIEW_H

#include "base/out.h"

#define VIEW_COLUMNS_MAX 1088u /* LIMIT_COLUMNS and some of our own */

enum cell_kind {
	CELL_NONE,  /* nothing there: blank in text, left out of JSON, empty in CSV */
	CELL_TEXT,  /* a name or sentence from the input: control characters are shown escaped */
	CELL_WORD,  /* a constant of ours: needs no escape */
	CELL_COUNT, /* uint64_t, a number of things: digits may be grouped for people */
	CELL_FIXED, /* int64_t of 10^-decimals */
	CELL_REAL,  /* double; NaN is none */
	CELL_NS,    /* uint64_t nanoseconds: JSON and CSV as they are, text with a unit */
	CELL_LINE,  /* line of the original input; 0 is none */
	CELL_BOOL,
	CELL_NULL, /* known to be unknown: JSON null, "-" in text */
};

struct cell {
	union {
		struct str s;
		uint64_t u;
		int64_t i;
		double d;
		bool b;
	};
	double err;       /* half-width in the unit; < 0: none to show */
	uint8_t kind;     /* enum cell_kind */
	uint8_t decimals; /* CELL_FIXED: of the value */
	uint8_t err_decimals;
	int8_t shown; /* decimals in text, CELL_FIXED and CELL_REAL; < 0: as many as there are */
};

static inline struct cell cell_none(void)
{
	return (struct cell){ .kind = CELL_NONE, .err = -1 };
}

static inline struct cell cell_null(void)
{
	return (struct cell){ .kind = CELL_NULL, .err = -1 };
}

static inline struct cell cell_text(struct str s)
{
	return (struct cell){ .kind = CELL_TEXT, .s = s, .err = -1 };
}

static inline struct cell cell_word(const char *z)
{
	return (struct cell){ .kind = CELL_WORD, .s = str_of(z), .err = -1 };
}

static inline struct cell cell_count(uint64_t v)
{
	return (struct cell){ .kind = CELL_COUNT, .u = v, .err = -1 };
}

static inline struct cell cell_fixed(int64_t v, unsigned int decimals)
{
	return (struct cell){
		.kind = CELL_FIXED, .i = v, .decimals = (uint8_t)decimals, .err = -1, .shown = -1
	};
}

/* @v with @shown decimals in text (JSON has all of it); < 0: the shortest. */
static inline struct cell cell_real(double v, int shown)
{
	return (struct cell){ .kind = CELL_REAL, .d = v, .err = -1, .shown = (int8_t)shown };
}

static inline struct cell cell_ns(uint64_t ns)
{
	return (struct cell){ .kind = CELL_NS, .u = ns, .err = -1 };
}

static inline struct cell cell_line(uint32_t line)
{
	return (struct cell){ .kind = line ? CELL_LINE : CELL_NONE, .u = line, .err = -1 };
}

static inline struct cell cell_bool(bool b)
{
	return (struct cell){ .kind = CELL_BOOL, .b = b, .err = -1 };
}

/* @c ± @err: a second key `<key>_err` in JSON and CSV. */
static inline struct cell cell_with_err(struct cell c, double err)
{
	c.err = err;
	return c;
}

enum column_flags {
	COLUMN_RIGHT = 1 << 0,   /* aligned right in text; numbers are so anyway */
	COLUMN_FLEX = 1 << 1,    /* gives way first when the terminal is narrow */
	COLUMN_HEAT = 1 << 2,    /* a share in percent: coloured as perf does */
	COLUMN_BAR = 1 << 3,     /* text only: a bar of the percentage in the cell */
	COLUMN_TREE = 1 << 4,    /* text: indented by the row's depth */
	COLUMN_ERR = 1 << 5,     /* cells carry a half-width: CSV has a column for it */
	COLUMN_NO_ZERO = 1 << 6, /* text: a zero is left blank */
	COLUMN_MINOR = 1 << 7,   /* left out where the terminal is too narrow */
};

struct view_column {
	const char *key;    /* JSON and CSV; NULL: text only */
	const char *title;  /* text; NULL: not in text */
	unsigned int flags; /* enum column_flags */
};

struct view_table {
	const char *key;   /* JSON; NULL: text only */
	const char *title; /* text; NULL: no heading */
	const struct view_column *columns;
	unsigned int n_columns;
	bool is_main;       /* what --csv prints */
	bool is_json_only;  /* not in text */
	bool has_no_header; /* text: no line of column titles */
};

struct view;

enum line_kind {
	LINE_PLAIN,
	LINE_HEADING,
};

/* A back-end; the front functions check the state and call these. */
struct view_ops {
	void (*begin)(struct view *v, const char *schema);
	void (*object)(struct view *v, const char *key, const char *title);
	void (*object_end)(struct view *v);
	void (*list)(struct view *v, const char *key);
	void (*list_end)(struct view *v);
	void (*field)(struct view *v, const char *key, const char *title, struct cell cell);
	void (*line)(struct view *v, const char *title, struct str sentence, enum line_kind kind);
	void (*table)(struct view *v, const struct view_table *t);
	void (*row)(struct view *v, const struct cell *cells, unsigned int depth);
	void (*table_end)(struct view *v);
	void (*beside)(struct view *v, bool is_begin);
	void (*end)(struct view *v);
	void (*free)(struct view *v);
};

struct view {
	const struct view_ops *ops;
	struct out *out;                /* borrowed */
	const struct view_table *table; /* between view_table() and view_table_end() */
	struct view_table table_copy;
	struct view_column columns[VIEW_COLUMNS_MAX];
	unsigned int n_objects;
};

struct text_options {
	unsigned int width; /* columns of the terminal; 0: no limit, nothing is cut */
	bool has_colour;
	bool has_utf8;   /* bars and branches; names are never changed by it */
	bool is_grouped; /* digits of counts in groups of three */
};

/* Owner: caller, view_free(). @out is borrowed and must outlive the view. */
struct view *view_text(struct out *out, const struct text_options *options);
struct view *view_json(struct out *out);
/* Tables with is_main only; one header a table, a blank line between different ones. */
struct view *view_csv(struct out *out);
void view_free(struct view *v);
DEFINE_CLEANUP(struct view *, view_free);

/* First and last. @schema: "assay-report-1". */
void view_begin(struct view *v, const char *schema);
MUST_CHECK int view_end(struct view *v, struct error *err);

/* A named part, or an element of a list (@key NULL). @title is a heading in text, or NULL. */
void view_object(struct view *v, const char *key, const char *title);
void view_object_end(struct view *v);
/* A JSON array whose elements are objects (view_object with key NULL) or cells. */
void view_list(struct view *v, const char *key);
void view_list_end(struct view *v);
/* A value. @key NULL: text only; @title NULL: JSON only; in a list both are NULL: an element. */
void view_field(struct view *v, const char *key, const char *title, struct cell cell);
/*
 * Text only: a sentence, wrapped at the width, under @title in the left margin
 * (NULL: the title before goes on). It may hold names of the input: it is escaped.
 */
void view_line(struct view *v, const char *title, const char *fmt, ...) PRINTF(3, 4);
/* Text only: a heading in bold; the rest, if any, in plain letters behind it. */
void view_heading(struct view *v, struct str bold, const char *fmt, ...) PRINTF(3, 4);

/* Rows follow, each with as many cells as columns; then view_table_end(). */
void view_table(struct view *v, const struct view_table *t);
void view_row(struct view *v, const struct cell *cells);
/* A row of a tree: @depth 0 at the top, each row at most one deeper than the one before. */
void view_node(struct view *v, const struct cell *cells, unsigned int depth);
void view_table_end(struct view *v);

/* Tables between these may stand beside each other where the terminal is wide enough. */
void view_beside(struct view *v);
void view_beside_end(struct view *v);

#endif
