/* SPDX-License-Identifier: MIT */
/*
 * text_dialects.h - table formats of profilers that print one function per line
 *
 * A dialect is the table format of one tool, as data: the words of the titles, and a letter for
 * each column. The comment before each dialect names the tool and the source of the format.
 */
#ifndef FORMATS_TEXT_DIALECTS_H
#define FORMATS_TEXT_DIALECTS_H

#include "base/str.h"

enum amount_unit {
	AMOUNT_PLAIN,
	AMOUNT_NS, /* values are nanoseconds */
	AMOUNT_BYTES,
};

/* A printed amount: "1.5MB" is 1572864 bytes, "10ms" is 1e7 ns. */
struct amount {
	double value;
	double half; /* rounding error: half a unit of the last printed digit */
	enum amount_unit unit;
};

enum dialect_flags {
	DIALECT_ROWS = 1 << 0,    /* rows are recognised even without a line of titles */
	DIALECT_PARTS = 1 << 1,   /* repeated titles start another part of the same table */
	DIALECT_FILES = 1 << 2,   /* names are "file:function [object]" */
	DIALECT_SECONDS = 1 << 3, /* amounts without a unit are seconds */
	DIALECT_SAMPLES = 1 << 4, /* amounts without a unit are samples */
	/* blocks of a function with its callers and callees: "0.10s 50% | caller" */
	DIALECT_EDGES = 1 << 5,
	/* blocks of a function with its callers and callees, in the format of gprof */
	DIALECT_GRAPH = 1 << 6,
	/* whole stacks, innermost frame first; a ruler follows each stack */
	DIALECT_STACKS = 1 << 7,
	/* a function without an object (module) belongs to a compiled program */
	DIALECT_NATIVE = 1 << 8,
	DIALECT_MILLIS = 1 << 9,  /* amounts without a unit are milliseconds */
	DIALECT_MICROS = 1 << 10, /* amounts without a unit are microseconds */
	/*
	 * The words in `heads` are in the row of one function. The name of the function is on the
	 * previous line, and its callers follow
	 */
	DIALECT_NAMED = 1 << 11,
	/* shares are of all samples, including idle samples, for which no row is printed */
	DIALECT_IDLE = 1 << 12,
	/* blocks of a function with its callers and callees, as Erlang terms of fprof */
	DIALECT_TERMS = 1 << 13,
	/* several profiles, each for another event; the line before a profile names the event */
	DIALECT_EVENTS = 1 << 14,
	DIALECT_COUNTED = 1 << 15, /* PROFILE_COUNTED */
	DIALECT_TIMED = 1 << 16,   /* PROFILE_TIMED */
	/* several profiles in one table; the first row of a profile has the name of its group */
	DIALECT_GROUPS = 1 << 17,
	/* lines "9x: outer.h inner.h" after a row show its callers: they are not read */
	DIALECT_CHAINS = 1 << 18,
	DIALECT_TOTAL = 1 << 19, /* profile.repeats_total */
	/* the name is followed by its index in a call graph: "main [1]", "mcount (33)" */
	DIALECT_INDEXED = 1 << 20,
};

struct text_dialect {
	const char *name;
	/*
	 * Words of the line of titles, which precedes the rows. '*' at the start: other words
	 * precede these words. '#' as a word: any number.
	 */
	const char *heads;
	/*
	 * One letter per column. s: self amount; c: inclusive amount. S, C: self share and
	 * inclusive share, with '%'. T: as S, but the '%' may be missing. A second S or T is the
	 * inclusive share. n: any number; p: any share; w: any word; k: number of calls,
	 * "5915/5889" with recursive calls. M: module. N: name up to the end of the line; F: name
	 * up to two blanks; L: name up to ": " or " ("; A: name up to " -> ". '?' before a letter:
	 * the column is optional. '+': any number of further numbers and shares. G: name of a group
	 * of rows, "API calls:". B: "(2.4%, 11.5%)", share and sum of shares. D: "NAME (included 85
	 * times, avg 196 ms)". '=': skip the text up to '='; '^': skip the text up to "(+"; 'g':
	 * the last column, "+12", which is the self amount.
	 */
	const char *row;
	const char *event; /* NULL: the text before the table, or the unit, decides */
	unsigned int flags;
	/* with DIALECT_ROWS: pattern (str_glob()) of rows without titles; NULL: `row` is enough */
	const char *alone;
	/*
	 * For tools that print the largest rows only: the event if no total is stated. Shares are
	 * then shares of the listed rows. NULL: the tool prints all rows
	 */
	const char *listed;
};

struct text_row {
	struct amount self;
	struct amount cum;
	double self_pct; /* < 0: missing */
	double cum_pct;
	unsigned int decimals; /* largest number of decimals of a share */
	bool has_self;
	bool has_cum;
	struct str module;
	struct str calls; /* number of calls as printed; empty: missing */
	struct str name;  /* empty: the name was wrapped to the next line */
};

/* A caller or a callee of a function, from a line of callgrind_annotate --tree. */
struct text_call {
	struct amount amount; /* inclusive cost of the calls */
	struct str name;      /* "file:function" */
	struct str count;     /* number of calls as printed, "5,337"; empty: missing */
	bool is_caller;
};

extern const struct text_dialect text_dialects[];
extern const size_t text_n_dialects;

/* Take an amount such as "1,234.5MB" or "10ms"; "." is an amount of 0. False: no amount. */
bool text_dialect_amount(struct str *s, struct amount *ret);
/*
 * Take a share such as "12.3%", "(12.3%)" or "( 0.1%)". @is_strict: the '%' must be printed. False:
 * no share.
 */
bool text_dialect_share(struct str *s, bool is_strict, double *ret, unsigned int *ret_decimals);
/*
 * Read a line with a caller, "102 (97.94%)  < file:main (1x) [object]", or with a callee, which has
 * '>'. False: another line.
 */
bool text_dialect_call(const struct text_dialect *d, struct str line, struct text_call *ret);
bool text_row_of(const struct text_dialect *d, struct str line, struct text_row *ret);
/*
 * Length of the text up to and including the name of a group of rows: "   API calls:"; 0: @line
 * does not start with such a name.
 */
size_t text_dialect_group(struct str line);
/* Whether @t is a line "9x: outer.h inner.h" or "..." after a row of @d (DIALECT_CHAINS). */
bool text_dialect_is_chain(const struct text_dialect *d, struct str t);
/* The dialect (a tool's table format) whose line of titles is @line; NULL: none. */
const struct text_dialect *text_dialect_of_head(struct str line);
/* Whether @line may precede a table: "Type: cpu", "Flat profile:". */
bool text_dialect_is_preface(struct str line);
/*
 * Factor for amounts without a unit: the number of nanoseconds of one unit; 1: the unit is ns, or
 * no time.
 */
double text_dialect_scale(const struct text_dialect *d);
/*
 * Find the amount that is 100 % in @line, a line before the rows. False: @line does not have this
 * amount.
 */
bool text_dialect_total(struct str line, struct amount *ret);
/*
 * @name without "(inline)", "file.c:", "[object]", the level of recursion "'2", and the source line
 * "file.go:12" of pprof. @ret_module: set to the object if the name contains it.
 */
struct str text_dialect_name(const struct text_dialect *d, struct str name, struct str *ret_module);

#endif
