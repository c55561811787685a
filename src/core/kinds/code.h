/* SPDX-License-Identifier: MIT */
/*
 * code.h - weights by instruction or source line, within a function
 *
 * From perf annotate, pprof -list and callgrind_annotate: the lines of a function, each with
 * its self weight and, if the tool knows calls, its weight with callees. Weights are doubles of
 * `unit`; a printed weight stands for an interval of `half` on each side. `whole` is the
 * denominator of the lines' shares: 100 if a tool prints percent of the function. Lines missing
 * in the text are missing here: sums may be less.
 *
 * Not thread safe: one reader fills one table.
 */
#ifndef CORE_CODE_H
#define CORE_CODE_H

#include "base/vec.h"
#include "core/ids.h"
#include "core/profile.h"

struct code_row {
	double self;      /* weight; 0 if not printed */
	double cum;       /* with callees; == self if the tool does not know them */
	double half;      /* half-width of self */
	uint64_t address; /* 0: not printed */
	str_id text;      /* the instruction or source line, trimmed */
	uint32_t number;  /* of the source line; 0: not printed */
	uint32_t line;    /* of the original input */
	bool is_source;   /* a line of source, not an instruction */
	bool has_weight;  /* a number is printed, possibly 0 */
};

struct code_function {
	sym_id sym;       /* SYM_ID_NONE: the text does not name the function */
	str_id file;      /* of the source, or the object; STR_ID_NONE: none */
	double whole;     /* denominator of the rows' shares */
	double of_all;    /* percent of the whole measurement; < 0: not printed */
	uint64_t samples; /* samples in the whole; 0: not printed */
	uint32_t first;   /* row */
	uint32_t n;
	uint32_t line; /* of the original input */
};

struct code {
	str_id event; /* STR_ID_NONE: not printed */
	enum weight_unit unit;
	bool has_calls;    /* cum differs from self */
	bool is_inclusive; /* self includes callees: the tool does not separate them */
	bool is_percent;   /* weights are printed shares of the function */
	VEC(struct code_function) functions;
	VEC(struct code_row) rows;
};

void code_init(struct code *c);
void code_fini(struct code *c);
/* Add a function; its rows follow. Borrowed until the next one is added. */
struct code_function *code_add_function(struct code *c, sym_id sym, uint32_t line);
/* Add a row to the last function. NULL: LIMIT_ROWS is reached, or no function. */
struct code_row *code_add_row(struct code *c, uint32_t line);
/* Self weight of all rows of @f. */
double code_sum(const struct code *c, const struct code_function *f);

#endif
