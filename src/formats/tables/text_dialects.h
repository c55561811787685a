/* SPDX-License-Identifier: MIT */
/*
 * text_dialects.h - how profilers print a table with one function a line
 *
 * A dialect is data: the words above the rows, and a letter for each column of a row. The table
 * names the tool and its source for each dialect.
 */
#ifndef FORMATS_TEXT_DIALECTS_H
#define FORMATS_TEXT_DIALECTS_H

#include "base/str.h"

enum amount_unit {
	AMOUNT_PLAIN,
	AMOUNT_NS, /* values are nanoseconds */
	AMOUNT_BYTES,
};

/* "1.5MB" is 1572864 bytes, "10ms" is 1e7 ns. */
struct amount {
	double value;
	double half; /* half a unit of the last printed digit */
	enum amount_unit unit;
};

enum dialect_flags {
	DIALECT_ROWS = 1 << 0,    /* rows are recognised without a head */
	DIALECT_PARTS = 1 << 1,   /* further heads start a part of the same table */
	DIALECT_FILES = 1 << 2,   /* names are "file:function [object]" */
	DIALECT_SECONDS = 1 << 3, /* plain amounts are seconds */
	DIALECT_SAMPLES = 1 << 4, /* plain amounts are samples */
	DIALECT_EDGES = 1 << 5,   /* callers and callees around a function, split by '|' */
	DIALECT_GRAPH = 1 << 6,   /* the same in gprof's layout */
	DIALECT_STACKS = 1 << 7,  /* whole stacks, innermost first, split by rulers */
	DIALECT_NATIVE = 1 << 8,  /* rows without a module belong to compiled programs */
	DIALECT_MILLIS = 1 << 9,  /* plain amounts are milliseconds */
	DIALECT_MICROS = 1 << 10, /* microseconds */
};

struct text_dialect {
	const char *name;
	/* words of the line above the rows; '*': any words before, '#': a number */
	const char *heads;
	/*
	 * One letter a column: s self amount, c inclusive amount; S, C shares with '%'; T a
	 * share without; n a number, p a share, w a word, M the module, N the name up to the
	 * end, F the name up to two blanks, L up to ": " or " ("; '?' before a letter: optional;
	 * '+': any further numbers and shares; '=': the text up to '='.
	 */
	const char *row;
	const char *event; /* NULL: from the text or the unit */
	unsigned int flags;
};

struct text_row {
	struct amount self;
	struct amount cum;
	double self_pct; /* < 0: not printed */
	double cum_pct;
	unsigned int decimals; /* of the shares, the largest number */
	bool has_self;
	bool has_cum;
	struct str module;
	struct str name; /* empty: wrapped to the next line */
};

extern const struct text_dialect text_dialects[];
extern const size_t text_n_dialects;

/* Take "1,234.5MB", "10ms", "." (none). False: no amount. */
bool text_dialect_amount(struct str *s, struct amount *ret);
/* Take "12.3%", "(12.3%)", "( 0.1%)"; with !@is_strict, also without '%'. */
bool text_dialect_share(struct str *s, bool is_strict, double *ret, unsigned int *ret_decimals);
bool text_row_of(const struct text_dialect *d, struct str line, struct text_row *ret);
/* The dialect whose head is @line, or NULL. */
const struct text_dialect *text_dialect_of_head(struct str line);
/* A line that these tools print above a table: "Type: cpu", "Flat profile:". */
bool text_dialect_is_preface(struct str line);
/* Nanoseconds of a plain amount; 1: it is no time. */
double text_dialect_scale(const struct text_dialect *d);
/* Take the whole from a header line. */
bool text_dialect_total(struct str line, struct amount *ret);
/* The name without "(inline)", "file.c:", "[object]" and cycles; @ret_module may be set. */
struct str text_dialect_name(const struct text_dialect *d, struct str name, struct str *ret_module);

#endif
