/* SPDX-License-Identifier: MIT */
/*
 * top.h - the table of a report: cost by command, module, function, …
 *
 * Two sources. Printed rows are what the mail says: a figure of one row is as
 * printed, a sum of n rows carries n times the half-width of one. Samples are
 * exact. TOP_AUTO takes printed rows if the capture has them, except that sums
 * over rows come from samples where these were recovered exactly.
 *
 * Weights are integers of top.decimals decimals of top.unit; percentages are
 * derived: of the event's total for printed percentages, else of the sum of all
 * samples (not only of those that pass the filters; see top_spec.relative).
 *
 * Memory: O(stack nodes + rows), never O(samples * depth). A recursive function
 * counts a sample once in `children`.
 */
#ifndef ANALYSES_TOP_H
#define ANALYSES_TOP_H

#include "analyses/categories.h"
#include "core/capture.h"
#include "transform/name_list.h"

#define TOP_MAX_KEYS 8u

enum top_key {
	TOP_COMM,      /* str_id */
	TOP_DSO,       /* str_id */
	TOP_SYM,       /* sym_id */
	TOP_CANONICAL, /* str_id of the name without compiler suffixes */
	TOP_PID,       /* number; INDEX_NONE: not said */
	TOP_TID,
	TOP_CPU,
	TOP_SPACE,    /* enum symbol_space */
	TOP_CATEGORY, /* category_id */
	TOP_SOCKET,   /* number, of the CPU */
	TOP_NODE,     /* number, of the CPU's memory */
	TOP_SRCLINE,  /* str_id: "file.c:12", of symbols that stand for one line (symbol.place) */
	TOP_SRCFILE,  /* str_id: its file */
	TOP_EXTRA,    /* str_id: a cell of a printed column, see top_column.extra */
	TOP_FIELD,    /* str_id: a field of the samples, or a printed column, by its name */
	TOP_KEY_COUNT,
};

struct select_spec;

struct top_column {
	enum top_key key;
	uint32_t extra;  /* position in table.extra_columns or samples.fields */
	struct str name; /* TOP_FIELD; borrowed */
};

enum top_source { TOP_AUTO, TOP_FROM_ROWS, TOP_FROM_SAMPLES };

/* Zeroed: comm, dso, symbol of everything. */
struct top_spec {
	struct top_column keys[TOP_MAX_KEYS];
	size_t n_keys;
	enum top_source source;
	struct name_list comms, dsos, symbols, categories;
	const struct select_spec *rows; /* of printed rows: pids and CPUs to keep; NULL: all */
	struct str under;     /* only samples with such a function on their stack; STR_NONE: all */
	double percent_limit; /* rows below (by children, else self) are counted, not listed */
	bool keep_rows;       /* printed rows with equal keys stay apart, as they were printed */
	bool relative;        /* percentages of what passes the filters */
	bool no_children;     /* do not compute children: faster for samples */
	bool sort_by_self;    /* else by children where there are any, as perf does */
	bool is_unnamed;      /* rows of equal weight may come in any order */
};

struct top_row {
	uint32_t keys[TOP_MAX_KEYS]; /* see enum top_key for what each holds */
	uint64_t self;               /* weight */
	uint64_t children;           /* weight; only with has_children */
	double self_pct;
	double self_err; /* half-width in percent, from rounding alone; 0: exact */
	double children_pct;
	double children_err;
	uint64_t samples;   /* whose leaf it is; 0 and !has_samples: not known */
	uint32_t rows;      /* printed rows (or functions, from samples) merged here */
	uint32_t zero_rows; /* of them printed as 0.00: each is less than the half-width */
	uint32_t line;      /* of the first printed row; 0: none */
	uint32_t first_row; /* position in table.rows, INDEX_NONE from samples */
	bool has_children;
	bool has_samples;
};

struct top {
	struct top_column keys[TOP_MAX_KEYS];
	size_t n_keys;
	VEC(struct top_row) rows; /* heaviest first; equal ones in printed order, else by name */
	enum top_source source;   /* what was taken: TOP_FROM_ROWS or TOP_FROM_SAMPLES */
	enum weight_unit unit;
	uint8_t decimals;
	bool has_children;
	bool has_samples;
	uint64_t total; /* weight of all that passed the filters, hidden rows included */
	double total_pct;
	double total_err;
	uint64_t n_rows;      /* printed rows or samples that passed */
	uint64_t n_zero_rows; /* printed rows of 0.00 among them: "each less than 0.005 %" */
	uint64_t hidden_rows; /* below the percent limit */
	uint64_t hidden;      /* their self weight */
	double hidden_err;
};

/*
 * Errors: ERR_USAGE when the capture has no profile, or has not what @spec asks
 * for (pids of a report without pids, `under` without samples); @err says it.
 * Owner of @ret: caller, top_fini(); zeroed on error.
 */
MUST_CHECK int top_compute(const struct capture *c, struct category_cache *cats,
			   const struct top_spec *spec, struct top *ret, struct error *err);
/* Could top_compute() do it? The same errors, no cost. */
MUST_CHECK int top_check(const struct capture *c, const struct top_spec *spec, struct error *err);
/* One key, no filters: by_dso, by_comm, by_space, by_category of the report. */
MUST_CHECK int top_by(const struct capture *c, struct category_cache *cats, enum top_key key,
		      struct top *ret, struct error *err);
void top_fini(struct top *t);

/* The text of a key of a row; numbers are written into @buffer. Borrowed. */
struct str top_key_text(const struct capture *c, const struct top *t, const struct top_row *row,
			size_t key, char buffer[24]);
/* "comm", "dso", "symbol", "pid", …: JSON names. */
const char *top_key_name(enum top_key key);
/* Also perf's words: "overhead_…" is not one. False: no such key. */
bool top_key_find(struct str word, enum top_key *ret);

/* Shares of a profile that every page states, in percent with rounding half-width. */
struct top_share {
	double pct;
	double err;
	uint32_t rows;
};

struct top_summary {
	enum top_source source;
	uint64_t rows;      /* printed rows, or functions */
	uint64_t zero_rows; /* printed as 0.00 */
	uint64_t samples;   /* of the header, or counted */
	uint64_t samples_err;
	uint64_t printed_samples; /* that the rows print, each for itself; 0: they do not */
	bool has_samples;
	bool is_least; /* there are more: the rows that print them are not all */
	struct top_share total;
	struct top_share unsymbolised;   /* raw addresses as leaf */
	struct top_share unnamed_kernel; /* of them in the kernel */
	struct top_share data;           /* names of kernel data: no code runs there */
	sym_id data_example;             /* one of them that is heavy */
	struct top_share idle;           /* category "idle" */
	struct top_share kernel;         /* with BPF and guest kernel apart */
	struct top_share user;
};

/* The name is one of data in a kernel's symbol table: it cannot be that of code which ran. */
bool top_is_kernel_data(const struct symbols *symbols, sym_id id);
MUST_CHECK int top_summarise(const struct capture *c, struct category_cache *cats,
			     struct top_summary *ret, struct error *err);

/*
 * @pct percent of the capture's events (its event count, else its sum of
 * weights, else its number of samples), divided by @by: "cycles per request".
 * @ret_err takes @pct_err along. False: neither count is known, or by is 0.
 */
bool top_divide(const struct capture *c, double pct, double pct_err, uint64_t by, double *ret,
		double *ret_err);
/* Unit of what top_divide() gives: "cycles", "ns", "samples". */
struct str top_divide_unit(const struct capture *c);
/* The value of a workload fact ("requests", singular or plural). False: not stated. */
bool top_fact(const struct capture *c, struct str name, uint64_t *ret);

#endif
