/* SPDX-License-Identifier: MIT */
/*
 * code.h - weights by instruction or source line, below a function
 *
 * What perf annotate, pprof -list and callgrind_annotate print: the lines of a function,
 * each with what it has by itself and, where the tool knows calls, with its callees. Weights
 * are doubles of `unit`; a weight read from print stands for an interval of `half` on each
 * side. The whole of a function is what its lines are shares of: 100 where a tool prints
 * percent of the function. Lines that a text left out are not there: sums may be less.
 *
 * Not thread safe: one reader fills one table.
 */
#ifndef CORE_CODE_H
#define CORE_CODE_H

#include "base/vec.h"
#include "core/ids.h"
#include "core/profile.h"

struct code_row {
	double self;      /* weight; 0 where nothing is printed */
	double cum;       /* with callees; == self where the tool does not know them */
	double half;      /* half-width of self */
	uint64_t address; /* 0: not printed */
	str_id text;      /* the instruction or the line of source, trimmed */
	uint32_t number;  /* of the source line; 0: not printed */
	uint32_t line;    /* of the original input */
	bool is_source;   /* a line of source, not an instruction */
	bool has_weight;  /* some number is printed, be it 0 */
};

struct code_function {
	sym_id sym;       /* SYM_ID_NONE: the text does not say of what it is */
	str_id file;      /* of the source, or the object; STR_ID_NONE */
	double whole;     /* what rows are shares of */
	double of_all;    /* percent of everything that was measured; < 0: not said */
	uint64_t samples; /* behind the whole; 0: not said */
	uint32_t first;   /* row */
	uint32_t n;
	uint32_t line; /* of the original input */
};

struct code {
	str_id event; /* STR_ID_NONE: not said */
	enum weight_unit unit;
	bool has_calls;  /* cum says something that self does not */
	bool is_percent; /* weights are printed shares of the function */
	VEC(struct code_function) functions;
	VEC(struct code_row) rows;
};

void code_init(struct code *c);
void code_fini(struct code *c);
/* A function whose rows follow. Borrowed until the next one. */
struct code_function *code_add_function(struct code *c, sym_id sym, uint32_t line);
/* A row of the last function; past LIMIT_ROWS, or without a function: NULL. */
struct code_row *code_add_row(struct code *c, uint32_t line);
/* Rows of @f have this weight together, self alone. */
double code_sum(const struct code *c, const struct code_function *f);

#endif
