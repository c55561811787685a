/* SPDX-License-Identifier: MIT */
/*
 * code.h - weights by instruction or source line, within a function
 *
 * perf annotate, pprof -list and callgrind_annotate print the lines of a function. Each line has
 * its self weight and, if the tool knows calls, its weight with callees.
 *
 * Weights have the unit `unit`. A printed weight is rounded: it differs from the true weight by at
 * most `half`. Shares of lines are relative to `whole`, which is 100 if a tool prints percentages
 * of the function. Lines that the tool does not print have no row, so the sum of the rows may be
 * less than `whole`.
 *
 * Not thread safe: one reader fills one table.
 */
#ifndef CORE_CODE_H
#define CORE_CODE_H

#include "base/vec.h"
#include "core/ids.h"
#include "core/profile.h"

struct code_row {
	double self;      /* self weight; 0 if not printed */
	double cum;       /* weight with callees; same as self if the tool does not know calls */
	double half;      /* largest difference between the printed and the true self weight */
	uint64_t address; /* address of the instruction; 0: not printed */
	uint64_t target;  /* target address of a jump within the function; 0: no jump, or unknown */
	str_id text;      /* the instruction or source line, trimmed */
	uint32_t number;  /* number of the source line; 0: not printed */
	str_id file;      /* source file of the line, without folders; STR_ID_NONE: not printed */
	sym_id inlined;   /* function that is inlined at the instruction; SYM_ID_NONE: none known */
	uint32_t line;    /* line of the original input */
	bool is_source;   /* a line of source, not an instruction */
	bool has_weight;  /* the tool prints a number for this row, possibly 0 */
};

struct code_function {
	sym_id sym;   /* function of the listing; SYM_ID_NONE: the text names no function */
	str_id file;  /* source file or object; STR_ID_NONE: unknown */
	double whole; /* weight that counts as 100 % for the rows' shares */
	/* share of the function in the whole measurement, in percent; < 0: not printed */
	double of_all;
	uint64_t samples; /* number of samples in `whole`; 0: not printed */
	uint32_t first;   /* index of the function's first row in code.rows */
	uint32_t n;
	uint32_t line; /* line of the original input */
};

/* A hot function whose instructions could not be read. */
struct code_missing {
	sym_id sym;
	double of_all; /* share of the function in the whole measurement, in percent */
	str_id why;    /* a clause: "the file here is of another build" */
};

struct code {
	str_id event; /* event of the profile; STR_ID_NONE: not printed */
	enum weight_unit unit;
	bool has_calls; /* the tool knows calls: cum may differ from self */
	/* self includes the cost of callees, because the tool does not print them separately */
	bool is_inclusive;
	bool is_percent; /* weights are percentages of the function, as printed */
	/*
	 * weight of the whole measurement, in `unit`. It is computed from a printed share; 0:
	 * unknown
	 */
	double run;
	/*
	 * weight of the whole measurement, in `unit`, as printed. All outputs of the tool for the
	 * same data print the same total; 0: not printed
	 */
	double total;
	double total_half; /* rounding error of `total` */
	VEC(struct code_function) functions;
	VEC(struct code_row) rows;
	VEC(struct code_missing) missing; /* only in a listing that assay made from samples */
};

void code_init(struct code *c);
void code_fini(struct code *c);
/*
 * Add a function. Rows that are added next belong to it. Borrowed until the next function is added.
 */
struct code_function *code_add_function(struct code *c, sym_id sym, uint32_t line);
/* Add a row to the last function. NULL: LIMIT_ROWS is reached, or there is no function. */
struct code_row *code_add_row(struct code *c, uint32_t line);
/*
 * Compute the weights of all rows and functions again from the samples of @p (samples.code_row),
 * after samples were removed. The weight of a row is a percentage of its function. Functions
 * without samples are removed, and the heaviest functions are first. Cost: O(samples + rows).
 */
void code_weigh(struct code *c, const struct profile *p);
/* Sum of the self weights of all rows of @f. */
double code_sum(const struct code *c, const struct code_function *f);

#endif
