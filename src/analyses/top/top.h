/* SPDX-License-Identifier: MIT */
/*
 * top.h - the table of a report: cost by command, module, function or other keys
 *
 * The table is made from printed rows or from samples. Printed rows are rounded: the rounding error
 * of a sum of n rows is n times that of one row. Samples are exact. TOP_AUTO takes printed rows if
 * the capture has them. Exception: tables that add up rows are made from samples if exact samples
 * could be recovered from the rows (transform/recover.h).
 *
 * Weights are integers: multiples of 10^-top.decimals of top.unit. Percentages in printed rows
 * refer to the event's total. Other percentages refer to all samples, including those that the
 * filters remove, unless top_spec.relative is set.
 *
 * Memory: O(stack nodes + rows), not O(samples * depth). With recursion, a sample counts only once
 * in the `children` of a function.
 */
#ifndef ANALYSES_TOP_H
#define ANALYSES_TOP_H

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"
#include "core/profile.h"
#include "transform/name_list.h"

struct capture;
struct category_cache;
struct symbols;

#define TOP_MAX_KEYS 8u

enum top_key {
	TOP_COMM,      /* command; the values of this key are str_id */
	TOP_DSO,       /* module; values are str_id */
	TOP_SYM,       /* function; values are sym_id */
	TOP_CANONICAL, /* function name without compiler suffixes; values are str_id */
	TOP_PID,       /* process id; values are numbers; INDEX_NONE: unknown */
	TOP_TID,
	TOP_CPU,
	TOP_SPACE,    /* address space; values are enum symbol_space */
	TOP_CATEGORY, /* kind of work; values are category_id */
	TOP_SOCKET,   /* number of the CPU's socket */
	TOP_NODE,     /* number of the CPU's NUMA node */
	/*
	 * source line "file.c:12"; values are str_id. STR_ID_NONE if the symbol is a whole
	 * function, not one line of it (symbol.place)
	 */
	TOP_SRCLINE,
	/*
	 * source file "file.c"; values are str_id. STR_ID_NONE if the symbol is a whole function,
	 * not a part in one line or file (symbol.place)
	 */
	TOP_SRCFILE,
	TOP_COMM_NODIGIT, /* command with "<N>" instead of each number; values are str_id */
	TOP_EXTRA,        /* text in the printed column top_column.extra; values are str_id */
	/*
	 * value of the sample field or printed column with the name top_column.name; values are
	 * str_id
	 */
	TOP_FIELD,
	TOP_KEY_COUNT,
};

struct select_spec;

struct top_column {
	enum top_key key;
	/*
	 * TOP_EXTRA, and TOP_FIELD of printed rows: index of the column in table.extra_columns.
	 * TOP_FIELD of samples: index of the field in samples.fields
	 */
	uint32_t extra;
	struct str name; /* TOP_FIELD: name of the field or column; borrowed */
};

enum top_source { TOP_AUTO, TOP_FROM_ROWS, TOP_FROM_SAMPLES };

/* Describes the table. A zeroed struct: keys comm, dso and symbol, and no filters. */
struct top_spec {
	struct top_column keys[TOP_MAX_KEYS];
	size_t n_keys;
	enum top_source source;
	struct name_list comms, dsos, symbols, categories;
	/* use only printed rows with these pids and CPUs; NULL: all */
	const struct select_spec *rows;
	/* keep only samples with this function on their stack; STR_NONE: all */
	struct str under;
	/*
	 * rows with a smaller share are counted, but not listed. The share is `children` if rows
	 * have it, else `self`
	 */
	double percent_limit;
	/* make one row for each printed row, instead of adding up printed rows with equal keys */
	bool keep_rows;
	/* percentages refer to the samples that pass the filters, not to all samples */
	bool relative;
	bool no_children; /* do not compute children: faster for samples */
	/*
	 * sort by `self`. Otherwise sort as perf does: by `children` if the source has them, else
	 * by `self`
	 */
	bool sort_by_self;
	bool is_unnamed; /* no names are shown, so rows of equal weight may be in any order */
};

struct top_row {
	/* value of each key; enum top_key shows the type of the value */
	uint32_t keys[TOP_MAX_KEYS];
	uint64_t self;     /* self weight of the row */
	uint64_t children; /* weight of the row with callees; only if has_children */
	double self_pct;
	double self_err; /* rounding error of self_pct, in percentage points; 0: exact */
	double children_pct;
	double children_err;
	/* number of samples in this row's functions; valid if has_samples */
	uint64_t samples;
	/*
	 * number of printed rows that were added up in this row; in a table from samples, number of
	 * functions
	 */
	uint32_t rows;
	/* number of the added-up printed rows that show 0.00: a share below the rounding error */
	uint32_t zero_rows;
	uint32_t line; /* line in the input of the first printed row that was added up; 0: none */
	/*
	 * index in table.rows of the first printed row that was added up; INDEX_NONE: the table is
	 * from samples
	 */
	uint32_t first_row;
	bool has_children;
	bool has_samples;
};

struct top {
	struct top_column keys[TOP_MAX_KEYS];
	size_t n_keys;
	/*
	 * heaviest row first. Rows of equal weight are in print order; in a table from samples,
	 * they are sorted by name
	 */
	VEC(struct top_row) rows;
	enum top_source source; /* source that was used: TOP_FROM_ROWS or TOP_FROM_SAMPLES */
	enum weight_unit unit;
	uint8_t decimals;
	bool has_children;
	bool has_samples;
	/*
	 * weight of all rows or samples that passed the filters, including rows below the percent
	 * limit
	 */
	uint64_t total;
	double total_pct;
	double total_err;
	uint64_t n_rows; /* number of printed rows or samples that passed the filters */
	/* number of printed rows that passed the filters and show 0.00: each is below 0.005 % */
	uint64_t n_zero_rows;
	uint64_t hidden_rows; /* number of rows that percent_limit hides */
	uint64_t hidden;      /* sum of the hidden rows' self weights */
	double hidden_err;
};

/*
 * Compute the table. @cats may be NULL if no key or filter needs categories. Errors: ERR_USAGE with
 * a message if the capture has no profile, or lacks data that @spec needs, such as pids, or samples
 * for `under`. Owner of @ret: caller, top_fini(); zeroed on error.
 */
MUST_CHECK int top_compute(const struct capture *c, struct category_cache *cats,
			   const struct top_spec *spec, struct top *ret, struct error *err);
/*
 * Check whether top_compute() would succeed. It fails with the same errors. Cost: O(printed rows +
 * symbols).
 */
MUST_CHECK int top_check(const struct capture *c, const struct top_spec *spec, struct error *err);
/* Make a table with one key and no filters, for example by DSO, command or category. */
MUST_CHECK int top_by(const struct capture *c, struct category_cache *cats, enum top_key key,
		      struct top *ret, struct error *err);
void top_fini(struct top *t);

/* Text of key number @key of a row. Borrowed, or in @buffer if the key is a number. */
struct str top_key_text(const struct capture *c, const struct top *t, const struct top_row *row,
			size_t key, char buffer[24]);
/* Name of a key in JSON: "comm", "dso", "symbol", "pid", …. */
const char *top_key_name(enum top_key key);
/*
 * Find a key by its name, or by perf's name for it. perf's keys "overhead_…" are not found. False:
 * unknown.
 */
bool top_key_find(struct str word, enum top_key *ret);

/*
 * A share of the whole profile: percent, rounding error in percentage points, and number of rows or
 * functions.
 */
struct top_share {
	double pct;
	double err;
	uint32_t rows;
};

struct top_summary {
	enum top_source source;
	uint64_t rows;      /* number of printed rows, or of functions */
	uint64_t zero_rows; /* number of rows printed as 0.00 */
	uint64_t samples;   /* number of samples, as stated in the header or counted */
	uint64_t samples_err;
	uint64_t printed_samples; /* sum of the sample counts that are printed in rows; 0: none */
	bool has_samples;
	/* `samples` is only a lower bound, because some printed rows have no number of samples */
	bool is_least;
	struct top_share total;
	/* share of the samples in functions without a name (raw addresses) */
	struct top_share unsymbolised;
	struct top_share unnamed_kernel; /* the part of `unsymbolised` in the kernel */
	/* share of the samples at data symbols of the kernel, which have no code */
	struct top_share data;
	sym_id data_example;     /* the heaviest data symbol counted in `data` */
	struct top_share idle;   /* share of samples in functions of category "idle" */
	struct top_share kernel; /* share of samples in the host kernel, without BPF programs */
	struct top_share user;
};

/* Whether the symbol is a data symbol of the kernel. No code can run there. */
bool top_is_kernel_data(const struct symbols *symbols, sym_id id);
MUST_CHECK int top_summarise(const struct capture *c, struct category_cache *cats,
			     struct top_summary *ret, struct error *err);

/*
 * Cost per unit of work, such as "cycles per request". The cost is @pct percent of the capture's
 * event count; @by is the number of units. If the event count is unknown, it is replaced by the sum
 * of all weights, or else by the number of samples. @pct_err: error of @pct; *@ret_err: the error
 * of *@ret that follows from it. False: no count is known, or @by is 0.
 */
bool top_divide(const struct capture *c, double pct, double pct_err, uint64_t by, double *ret,
		double *ret_err);
/* Unit of the result of top_divide(): "cycles", "ns", "samples". */
struct str top_divide_unit(const struct capture *c);
/*
 * A number of the workload that the input prints: 10000 in "10000 requests". @name: "requests" or
 * "request". False: there is none.
 */
bool top_fact(const struct capture *c, struct str name, uint64_t *ret);

#endif
