/* SPDX-License-Identifier: MIT */
/*
 * view.h - a command's output as a stream of typed events
 *
 * A command describes its output once: objects, fields, tables, trees, sentences. A back-end
 * converts these events to bytes: text for people, JSON and CSV for programs. All formats come from
 * the same calls, so they cannot disagree. JSON and CSV print each part that has a key. Text prints
 * each part that has a title. Most parts have both.
 *
 * Strings are borrowed for the duration of a call. view_end() reports write errors. Not thread
 * safe.
 */
#ifndef RENDER_VIEW_H
#define RENDER_VIEW_H

#include "base/out.h"
#include "base/status.h"
#include "base/str.h"

struct go_packages;

/* view_budget(): a sentence is as important as a table row with this share in percent */
#define BUDGET_LINE      10.0
#define VIEW_COLUMNS_MAX 1088u /* LIMIT_COLUMNS of a table in an input, plus fixed columns */

enum cell_kind {
	CELL_NONE,  /* empty: blank in text, omitted in JSON, empty in CSV */
	CELL_TEXT,  /* a name or sentence from the input: control characters are escaped */
	CELL_WORD,  /* a constant of the program: needs no escape */
	CELL_COUNT, /* uint64_t, a count; digits are grouped if text_options.is_grouped is set */
	CELL_FIXED, /* int64_t in units of 10^-decimals */
	CELL_REAL,  /* double; NaN prints an empty cell */
	CELL_NS,    /* uint64_t nanoseconds: unchanged in JSON and CSV, with a unit in text */
	CELL_LINE,  /* line number in the original input; 0: an empty cell */
	CELL_BOOL,
	CELL_NULL, /* unknown: JSON null, "-" in text */
};

struct cell {
	union {
		struct str s;
		uint64_t u;
		int64_t i;
		double d;
		bool b;
	};
	/*
	 * half-width of the interval around the value, in the unit of the value; < 0: no interval
	 */
	double err;
	uint8_t kind;     /* enum cell_kind */
	uint8_t decimals; /* CELL_FIXED: number of decimals of `i` */
	uint8_t err_decimals;
	/*
	 * number of decimals in text; < 0: all decimals of CELL_FIXED, as few as needed of
	 * CELL_REAL
	 */
	int8_t shown;
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

/*
 * A real number. @shown: number of decimals in text; < 0: as few as needed. JSON always has all
 * decimals.
 */
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

/*
 * Return @c with an interval of half-width @err. JSON and CSV print it under the key `<key>_err`.
 */
static inline struct cell cell_with_err(struct cell c, double err)
{
	c.err = err;
	return c;
}

enum column_flags {
	COLUMN_RIGHT = 1 << 0, /* right-aligned in text; numbers are always right-aligned */
	COLUMN_FLEX = 1 << 1,  /* if the table is too wide, this column is narrowed first */
	COLUMN_HEAT = 1 << 2,  /* a share in percent, coloured as perf does */
	COLUMN_BAR = 1 << 3,   /* text only: draw a bar instead of the percentage */
	COLUMN_TREE = 1 << 4,  /* text: indent the names in this column by the depth of the row */
	/* cells have a half-width (cell_with_err), for which CSV has a separate column */
	COLUMN_ERR = 1 << 5,
	COLUMN_NO_ZERO = 1 << 6, /* text: a zero is printed as blank */
	COLUMN_MINOR = 1 << 7,   /* if the table is still too wide, this column is omitted */
	/* text: choose the unit of durations for this column alone, not for the whole table */
	COLUMN_UNIT = 1 << 8,
	/* with COLUMN_FLEX: texts are code, so they are cut at the end, not in the middle */
	COLUMN_CODE = 1 << 9,
};

struct view_column {
	const char *key;    /* key in JSON and CSV; NULL: text only */
	const char *title;  /* title in text; NULL: not in text */
	unsigned int flags; /* enum column_flags */
};

struct view_table {
	const char *key;   /* key in JSON; NULL: text only */
	const char *title; /* heading in text; NULL: no heading */
	/* command that shows all rows; NULL: view_budget() looks it up by the table's key */
	const char *command;
	const struct view_column *columns;
	unsigned int n_columns;
	bool is_main;       /* --csv prints this table */
	bool is_json_only;  /* text omits this table */
	bool has_no_header; /* text omits the column titles */
	bool is_whole;      /* view_budget() keeps either all rows or none */
};

struct view;

enum line_kind {
	LINE_PLAIN,
	LINE_HEADING,
	LINE_ITEM,
};

/*
 * A back-end. The view_*() functions check the state and call the members. All members may be NULL
 * except object, field, table, row and free. An event whose member is NULL is not printed.
 */
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
	void (*side_by_side)(struct view *v, bool is_begin);
	void (*weigh)(struct view *v, double factor);
	void (*end)(struct view *v);
	void (*free)(struct view *v);
};

struct view {
	const struct view_ops *ops;
	struct out *out; /* borrowed */
	/* current table, between view_table() and view_table_end() */
	const struct view_table *table;
	struct view_table table_copy;
	struct view_column columns[VIEW_COLUMNS_MAX];
	unsigned int n_objects;
	/*
	 * maximum number of rows of each table, not counting the rows of their trees; 0: all. The
	 * command sets it. A line below the table states how many rows were left out
	 */
	uint64_t row_limit;
	uint64_t n_rows; /* number of rows of the current table, printed or not */
	/* number of rows left out of tables so far, which the next line below a table will state */
	uint64_t n_left_out;
	unsigned int n_side_by_side;
	bool is_row_left_out;
	unsigned int width; /* width of text in columns; 0: unlimited, or not text */
	bool is_ascii;      /* the text must not contain UTF-8 */
};

struct text_options {
	unsigned int width; /* columns of the terminal; 0: unlimited, nothing is truncated */
	bool is_piped;      /* output goes to a pipe or file: truncate only long names */
	bool has_colour;
	bool has_utf8;   /* print bars and branches in UTF-8; names are never changed */
	bool is_grouped; /* separate groups of three digits in counts from 10000 on */
	/* packages of Go that are printed without their paths; NULL: none. Borrowed */
	const struct go_packages *packages;
};

/*
 * The view for people. @out is borrowed and must outlive it. Owner of the view: caller,
 * view_free().
 */
struct view *view_text(struct out *out, const struct text_options *options);
struct view *view_json(struct out *out);
/*
 * The view with the tables that have is_main, as CSV. A table whose header differs from the
 * previous one begins with a blank line and this header.
 */
struct view *view_csv(struct out *out);

/* The command that shows all rows of a table. */
struct budget_command {
	/* key of the table; NULL: the command for all other tables, which ends the list */
	const char *key;
	const char *command;
};

struct budget_options {
	unsigned int tokens;
	bool is_json;
	const struct budget_command *commands;
};

/*
 * Print the most important items of the output, in at most options.tokens tokens (budget_view.c).
 * Nothing is written before view_end().
 */
struct view *view_budget(struct out *out, const struct budget_options *options);
/* Estimate how many tokens a text of @bytes bytes has: 3.5 bytes per token, rounded up. */
unsigned int budget_view_tokens(size_t bytes);
void view_free(struct view *v);
DEFINE_CLEANUP(struct view *, view_free);

/*
 * Call view_begin() before all other view_*() functions, and view_end() last. @schema: name of the
 * JSON format, such as "assay-report-1".
 */
void view_begin(struct view *v, const char *schema);
MUST_CHECK int view_end(struct view *v, struct error *err);

/* Begin a named part. @key NULL: an element of a JSON list. @title: heading in text; NULL: none. */
void view_object(struct view *v, const char *key, const char *title);
void view_object_end(struct view *v);
/* Begin a JSON array of objects (view_object() with key NULL) or of cells. */
void view_list(struct view *v, const char *key);
void view_list_end(struct view *v);
/* Print a value. @key NULL: text only; @title NULL: JSON only; both NULL: an element of a list. */
void view_field(struct view *v, const char *key, const char *title, struct cell cell);
/*
 * Text only: print a sentence, wrapped, with @title in the left margin. @title NULL: continue under
 * the previous title. The text is escaped, as it may contain names of the input.
 */
void view_line(struct view *v, const char *title, const char *fmt, ...) PRINTF(3, 4);
/*
 * Text only: print an item of a list, wrapped next to its mark, such as "1.". @mark NULL: continue
 * the previous item. The margin is narrower than that of view_line().
 */
void view_item(struct view *v, const char *mark, const char *fmt, ...) PRINTF(3, 4);
/* Text only: print a heading. @bold is bold, the text after it is plain. */
void view_heading(struct view *v, struct str bold, const char *fmt, ...) PRINTF(3, 4);

/*
 * Begin a table. Then call view_row() or view_node() for each row, with one cell per column, and
 * view_table_end().
 */
void view_table(struct view *v, const struct view_table *t);
void view_row(struct view *v, const struct cell *cells);
/* Print a row of a tree. @depth: 0 at the top, at most one more than in the previous row. */
void view_node(struct view *v, const struct cell *cells, unsigned int depth);
void view_table_end(struct view *v);

/*
 * For view_budget(): multiply the worth of all later items by @factor. The worth of a row is its
 * share in percent (COLUMN_HEAT), that of a sentence BUDGET_LINE.
 */
void view_weigh(struct view *v, double factor);

/* Tables between these calls may be printed side by side if the terminal is wide enough. */
void view_side_by_side(struct view *v);
void view_side_by_side_end(struct view *v);

#endif
