/* SPDX-License-Identifier: MIT */
/*
 * view.h - a command's output as a stream of typed events
 *
 * A command describes its output once, with calls for objects, fields, tables, trees and sentences.
 * A back-end converts these events: to text for people, to JSON and CSV for programs. All formats
 * come from the same calls, so they cannot contradict each other. Text has each part that has a
 * title; JSON and CSV have each part that has a key. Most parts have both.
 *
 * Strings need to be valid only during a call. view_end() reports write errors. Not thread safe.
 */
#ifndef RENDER_VIEW_H
#define RENDER_VIEW_H

#include "base/out.h"
#include "base/status.h"
#include "base/str.h"

struct go_packages;

/*
 * importance of a sentence for view_budget(); a table row with a share of 10 percent is equally
 * important
 */
#define BUDGET_LINE 10.0
/* maximum number of columns: LIMIT_COLUMNS of a table in an input, plus fixed columns */
#define VIEW_COLUMNS_MAX 1088u

enum cell_kind {
	CELL_NONE,  /* empty cell: blank in text, omitted in JSON, empty in CSV */
	CELL_TEXT,  /* text from the input, such as a name; control characters are escaped */
	CELL_WORD,  /* text of the program; needs no escaping */
	CELL_COUNT, /* uint64_t, a count; text_options.is_grouped groups its digits */
	CELL_FIXED, /* fixed-point number: int64_t in units of 10^-decimals */
	CELL_REAL,  /* double; NaN is printed as an empty cell */
	/* uint64_t, a duration in ns; text shows it with a suitable unit, JSON and CSV in ns */
	CELL_NS,
	CELL_LINE, /* line number in the original input; 0 is an empty cell */
	CELL_BOOL,
	CELL_NULL, /* unknown value: null in JSON, "-" in text */
};

struct cell {
	union {
		struct str s;
		uint64_t u;
		int64_t i;
		double d;
		bool b;
	};
	/* half-width of the confidence interval, in the unit of the value; < 0: no interval */
	double err;
	uint8_t kind;     /* enum cell_kind */
	uint8_t decimals; /* for CELL_FIXED: number of decimals of `i` */
	uint8_t err_decimals;
	/*
	 * number of decimals in text; < 0: all decimals for CELL_FIXED, as few as possible for
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
 * A cell with a real number. @shown: number of decimals in text; < 0: as few as possible. JSON
 * always has all decimals.
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

/* Return @c with an interval of half-width @err. JSON and CSV print @err as `<key>_err`. */
static inline struct cell cell_with_err(struct cell c, double err)
{
	c.err = err;
	return c;
}

enum column_flags {
	/* text: align to the right; numbers are always aligned to the right */
	COLUMN_RIGHT = 1 << 0,
	COLUMN_FLEX = 1 << 1, /* text: narrow this column first if the table is too wide */
	COLUMN_HEAT = 1 << 2, /* the values are shares in percent; text colours them like perf */
	COLUMN_BAR = 1 << 3,  /* text: draw a bar instead of the number */
	COLUMN_TREE = 1 << 4, /* text: indent this column by the depth of the row in the tree */
	/*
	 * the cells have an interval (cell_with_err()); CSV has a separate column for its
	 * half-width
	 */
	COLUMN_ERR = 1 << 5,
	COLUMN_NO_ZERO = 1 << 6, /* text: print zero as blank */
	/* text: omit this column if the table is still too wide after narrowing */
	COLUMN_MINOR = 1 << 7,
	/* text: choose the unit of durations for this column alone; other columns share one unit */
	COLUMN_UNIT = 1 << 8,
	/*
	 * with COLUMN_FLEX: the cells are source code, which is truncated at the end and not in the
	 * middle
	 */
	COLUMN_CODE = 1 << 9,
};

struct view_column {
	const char *key;    /* key in JSON and CSV; NULL: the column is only in text */
	const char *title;  /* title in text; NULL: the column is not in text */
	unsigned int flags; /* enum column_flags */
};

struct view_table {
	const char *key;   /* key in JSON; NULL: the table is not in JSON */
	const char *title; /* heading in text; NULL: none */
	/*
	 * command that prints all rows of the table; NULL: view_budget() looks up `key` in
	 * budget_options.commands
	 */
	const char *command;
	const struct view_column *columns;
	unsigned int n_columns;
	bool is_main;       /* --csv prints only tables with this flag */
	bool is_json_only;  /* the table is not in text */
	bool has_no_header; /* text omits the column titles */
	bool is_whole;      /* view_budget() prints all rows or none */
};

struct view;

enum line_kind {
	LINE_PLAIN,
	LINE_HEADING,
	LINE_ITEM,
};

/*
 * Functions of a back-end. The view_*() functions check the state of the view and then call them. A
 * back-end must have object, field, table, row and free; other members may be NULL, and their
 * events are then ignored.
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
	/* the current table: set by view_table(), and reset to NULL by view_table_end() */
	const struct view_table *table;
	struct view_table table_copy;
	struct view_column columns[VIEW_COLUMNS_MAX];
	unsigned int n_objects;
	/*
	 * maximum number of rows per table, set by the command; 0: all rows. In a tree, only top
	 * rows are counted, and a top row is printed with all rows below it. A line below the table
	 * states how many rows were omitted
	 */
	uint64_t row_limit;
	uint64_t n_rows; /* number of rows of the current table, including omitted rows */
	/*
	 * number of omitted rows that are not reported yet; view_count_left_out() reports them in a
	 * line below the table
	 */
	uint64_t n_left_out;
	unsigned int n_side_by_side;
	bool is_row_left_out;
	unsigned int width; /* width of text in columns; 0: unlimited, or the output is not text */
	bool is_ascii;      /* the text may have only ASCII characters */
};

struct text_options {
	/* width of the terminal in columns; 0: unlimited, so nothing is truncated */
	unsigned int width;
	bool is_piped; /* the output is a pipe or a file: truncate only long names */
	bool has_colour;
	/* use UTF-8 for bars and branches; names are printed unchanged in any case */
	bool has_utf8;
	bool is_grouped; /* group the digits of counts from 10000 on: "12 345" */
	/*
	 * borrowed. Go packages: text output removes the path of a package from names, so that
	 * "example.org/a/b.Run" becomes "b.Run"; NULL: keep all paths
	 */
	const struct go_packages *packages;
};

/* Create the text view, for people. @out must outlive the view. Owner: caller, view_free(). */
struct view *view_text(struct out *out, const struct text_options *options);
struct view *view_json(struct out *out);
/*
 * Create the CSV view, which prints the tables with is_main. If the header of a table differs from
 * the previous header, a blank line and the new header are printed.
 */
struct view *view_csv(struct out *out);

/* Which command prints all rows of a table. */
struct budget_command {
	/*
	 * key of the table; NULL: last element of the list, with the command for all other tables
	 */
	const char *key;
	const char *command;
};

struct budget_options {
	unsigned int tokens;
	bool is_json;
	const struct budget_command *commands;
};

/*
 * Create a view that prints only the most important items, in at most options.tokens tokens
 * (budget_view.c). It writes its output in view_end().
 */
struct view *view_budget(struct out *out, const struct budget_options *options);
/* Estimated number of tokens of a text with @bytes bytes: 3.5 bytes per token, rounded up. */
unsigned int budget_view_tokens(size_t bytes);
void view_free(struct view *v);
DEFINE_CLEANUP(struct view *, view_free);

/*
 * Begin the output: must be called before all other view_*() functions. view_end() must be called
 * last. @schema: name of the JSON format, such as "assay-report-1".
 */
void view_begin(struct view *v, const char *schema);
MUST_CHECK int view_end(struct view *v, struct error *err);

/*
 * Begin an object. @key: its key in JSON; NULL: it is an element of a list. @title: heading in
 * text; NULL: none.
 */
void view_object(struct view *v, const char *key, const char *title);
void view_object_end(struct view *v);
/* Begin a JSON list. Its elements are objects (view_object() with @key NULL) or fields. */
void view_list(struct view *v, const char *key);
void view_list_end(struct view *v);
/*
 * Print a value. @key: key in JSON; NULL: the value is only in text. @title: title in text; NULL:
 * the value is only in JSON. Both NULL: the value is an element of a JSON list.
 */
void view_field(struct view *v, const char *key, const char *title, struct cell cell);
/*
 * Text only: print a sentence, wrapped, with @title in the left margin. @title NULL: the sentence
 * continues the text under the previous title. Names in the sentence are escaped.
 */
void view_line(struct view *v, const char *title, const char *fmt, ...) PRINTF(3, 4);
/*
 * Text only: print a list item, wrapped, after its mark, such as "1.". @mark NULL: the sentence
 * continues the previous item. The left margin is narrower than that of view_line().
 */
void view_item(struct view *v, const char *mark, const char *fmt, ...) PRINTF(3, 4);
/* Text only: print a heading. The part @bold is bold, the formatted text after it is plain. */
void view_heading(struct view *v, struct str bold, const char *fmt, ...) PRINTF(3, 4);

/*
 * Begin a table. After it, call view_row() or view_node() for each row, with one cell per column,
 * and then view_table_end().
 */
void view_table(struct view *v, const struct view_table *t);
void view_row(struct view *v, const struct cell *cells);
/*
 * Print a row of a tree. @depth: 0 for a top row; at most one more than the depth of the previous
 * row.
 */
void view_node(struct view *v, const struct cell *cells, unsigned int depth);
void view_table_end(struct view *v);

/*
 * For view_budget(): multiply the worth of all items after this call by @factor. The worth of a row
 * is its share in percent (COLUMN_HEAT); the worth of a sentence is BUDGET_LINE.
 */
void view_weigh(struct view *v, double factor);

/* Tables between these two calls are printed side by side if the terminal is wide enough. */
void view_side_by_side(struct view *v);
void view_side_by_side_end(struct view *v);

#endif
