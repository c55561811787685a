/* SPDX-License-Identifier: MIT */
/*
 * text_dialects.h - table formats of profilers that print one function per line
 *
 * A dialect is the table format of one tool, as data: the words of the titles, and a letter for
 * each column. The comment before a dialect names the tool and the source of the format.
 */
#ifndef FORMATS_TEXT_DIALECTS_H
#define FORMATS_TEXT_DIALECTS_H

#include "base/str.h"

enum amount_unit {
	AMOUNT_PLAIN,
	AMOUNT_NS, /* the value is in nanoseconds */
	AMOUNT_BYTES,
};

/* A printed amount: for "1.5MB" the value is 1572864, for "10ms" it is 1e7 (ns). */
struct amount {
	double value;
	double half; /* rounding error: half a unit of the last printed digit */
	enum amount_unit unit;
};

enum dialect_flags {
	DIALECT_ROWS = 1 << 0,    /* rows are recognised even without titles */
	DIALECT_PARTS = 1 << 1,   /* repeated titles start another section of the same table */
	DIALECT_FILES = 1 << 2,   /* names are "file:function [object]" */
	DIALECT_SECONDS = 1 << 3, /* amounts without a unit are seconds */
	DIALECT_SAMPLES = 1 << 4, /* amounts without a unit are samples */
	/* each function has a block with its callers and callees: "0.10s 50% | caller" */
	DIALECT_EDGES = 1 << 5,
	/* each function has a block with its callers and callees, in the format of gprof */
	DIALECT_GRAPH = 1 << 6,
	/* stacks are printed whole, innermost frame first; a ruler follows each stack */
	DIALECT_STACKS = 1 << 7,
	/* functions without a printed object (module) are in user space */
	DIALECT_NATIVE = 1 << 8,
	DIALECT_MILLIS = 1 << 9,  /* amounts without a unit are milliseconds */
	DIALECT_MICROS = 1 << 10, /* amounts without a unit are microseconds */
	/*
	 * Each function has a block. The line that matches `heads` is the row of the function. The
	 * line before this row is the function's name; the lines after it are callers
	 */
	DIALECT_NAMED = 1 << 11,
	/* shares are relative to all samples, including idle samples, which have no row */
	DIALECT_IDLE = 1 << 12,
	/* each function has a block with its callers and callees, as Erlang terms of fprof */
	DIALECT_TERMS = 1 << 13,
	/*
	 * a text may have several tables, one for each event; the line before a table names the
	 * event
	 */
	DIALECT_EVENTS = 1 << 14,
	DIALECT_COUNTED = 1 << 15, /* sets PROFILE_COUNTED */
	DIALECT_TIMED = 1 << 16,   /* sets PROFILE_TIMED */
	/*
	 * a table has groups of rows, and each group is a profile; the first row of a group starts
	 * with the name of the group, such as "API calls:"
	 */
	DIALECT_GROUPS = 1 << 17,
	/*
	 * lines "9x: outer.h inner.h" after a row print the callers of its function; they are not
	 * read
	 */
	DIALECT_CHAINS = 1 << 18,
	DIALECT_TOTAL = 1 << 19, /* sets profile.repeats_total */
	/* the index of the function in a call graph follows its name: "main [1]", "mcount (33)" */
	DIALECT_INDEXED = 1 << 20,
};

struct text_dialect {
	const char *name;
	/*
	 * Words of the line of titles, which precedes the rows. If they start with '*', other words
	 * precede them on the line. '#' stands for any number.
	 */
	const char *heads;
	/*
	 * The columns of a row, one letter for each column:
	 *   s, c     self amount, inclusive amount
	 *   S, C     self share, inclusive share, with '%'
	 *   T        as S, but the '%' may be missing; a second S or T is the inclusive share
	 *   n, p, w  any number, any share, any word
	 *   k        number of calls, "5915/5889" with recursive calls
	 *   M        module
	 *   N, F     name up to the end of the line, up to two blanks
	 *   L, A     name up to ": " or " (", up to " -> "
	 *   ?        the next column is optional
	 *   +        any number of further numbers and shares
	 *   G        name of a group of rows, "API calls:"
	 *   B        share and sum of shares, "(2.4%, 11.5%)"
	 *   D        "NAME (included 85 times, avg 196 ms)"
	 *   =, ^     skip the text up to '=', up to "(+"
	 *   v        numbers of vim --startuptime; the last one, before ':', is the self amount
	 *   g        last column, "+12", which is the self amount
	 */
	const char *row;
	/* event of the profile; NULL: derived from the text before the table, or from the unit */
	const char *event;
	unsigned int flags;
	/*
	 * only with DIALECT_ROWS: str_glob() pattern that a row must match if the table has no
	 * titles; NULL: a row must only match the columns in `row`
	 */
	const char *alone;
	/*
	 * only for tools that print just the largest rows: name of the event if the text has no
	 * total, so that shares are relative to the sum of the printed rows. NULL: the tool prints
	 * all rows
	 */
	const char *listed;
};

struct text_row {
	struct amount self;
	struct amount cum;
	double self_pct; /* share in percent; < 0: missing */
	double cum_pct;
	unsigned int decimals; /* largest number of decimals of a share */
	bool has_self;
	bool has_cum;
	struct str module;
	struct str calls; /* number of calls as printed; empty: missing */
	struct str name;  /* empty: the name is on the next line, because it was wrapped */
};

/* A caller or callee of a function, from a line of callgrind_annotate --tree. */
struct text_call {
	struct amount amount; /* inclusive cost of the calls */
	struct str name;      /* name of the caller or callee: "file:function" */
	struct str count;     /* number of calls as printed, "5,337"; empty: missing */
	bool is_caller;
};

extern const struct text_dialect text_dialects[];
extern const size_t text_n_dialects;

/*
 * Take an amount from the start of @s: "1,234.5MB", "10ms", or ".", which is 0. False: no amount.
 */
bool text_dialect_amount(struct str *s, struct amount *ret);
/*
 * Take a share from the start of @s: "12.3%", "(12.3%)" or "( 0.1%)". @is_strict: the '%' must be
 * printed. False: no share.
 */
bool text_dialect_share(struct str *s, bool is_strict, double *ret, unsigned int *ret_decimals);
/*
 * Read a line with a caller or callee of callgrind_annotate: "102 (97.94%)  < file:main (1x)
 * [object]" is a caller; a callee has '>'. False: @line is neither.
 */
bool text_dialect_call(const struct text_dialect *d, struct str line, struct text_call *ret);
bool text_row_of(const struct text_dialect *d, struct str line, struct text_row *ret);
/*
 * Length of the text up to the end of a group's name: "   API calls:". 0: @line does not start with
 * the name of a group.
 */
size_t text_dialect_group(struct str line);
/*
 * Whether @t is a line with callers, "9x: outer.h inner.h" or "...", after a row of @d
 * (DIALECT_CHAINS).
 */
bool text_dialect_is_chain(const struct text_dialect *d, struct str t);
/* The dialect (a tool's table format) with the line of titles @line; NULL: none. */
const struct text_dialect *text_dialect_of_head(struct str line);
/* Whether @line may be a line before a table: "Type: cpu", "Flat profile:". */
bool text_dialect_is_preface(struct str line);
/*
 * Number of nanoseconds in the unit of amounts that are printed without a unit: 1e6 for
 * milliseconds. 1: the unit is ns, or it is no unit of time.
 */
double text_dialect_scale(const struct text_dialect *d);
/*
 * Find the amount that is 100 % in @line, a line before the rows. False: @line does not state it.
 */
bool text_dialect_total(struct str line, struct amount *ret);
/*
 * @name without these texts: "(inline)", "file.c:", "[object]", the level of recursion "'2", and
 * the source line "file.go:12" of pprof. @ret_module: the object, if @name contains it; otherwise
 * unchanged.
 */
struct str text_dialect_name(const struct text_dialect *d, struct str name, struct str *ret_module);

#endif
