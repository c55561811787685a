/* SPDX-License-Identifier: MIT */
/*
 * top.h - the table of a report: cost by command, module, function, …
 *
 * There are two sources. Printed rows are rounded: a sum of n rows has n times the half-width
 * of one. Samples are exact. TOP_AUTO takes printed rows if the capture has them, but sums over
 * rows come from exactly recovered samples.
 *
 * Weights are integers of top.decimals decimals of top.unit. Percentages refer to the event's
 * total for printed percentages, else to the sum of all samples (not only those that pass the
 * filters; see top_spec.relative).
 *
 * Memory: O(stack nodes + rows), not O(samples * depth). A recursive function counts a sample
 * once in `children`.
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
	TOP_COMM,      /* str_id */
	TOP_DSO,       /* str_id */
	TOP_SYM,       /* sym_id */
	TOP_CANONICAL, /* str_id, name without compiler suffixes */
	TOP_PID,       /* number; INDEX_NONE: unknown */
	TOP_TID,
	TOP_CPU,
	TOP_SPACE,        /* enum symbol_space */
	TOP_CATEGORY,     /* category_id */
	TOP_SOCKET,       /* number of the CPU's socket */
	TOP_NODE,         /* number of the CPU's NUMA node */
	TOP_SRCLINE,      /* str_id: "file.c:12", for symbols of single lines (symbol.place) */
	TOP_SRCFILE,      /* str_id: its file */
	TOP_COMM_NODIGIT, /* str_id: the command, each number in it as "<N>" */
	TOP_EXTRA,        /* str_id: cell of a printed column, see top_column.extra */
	TOP_FIELD,        /* str_id: a sample field or printed column by name */
	TOP_KEY_COUNT,
};

struct select_spec;

struct top_column {
	enum top_key key;
	uint32_t extra;  /* index in table.extra_columns or samples.fields */
	struct str name; /* TOP_FIELD; borrowed */
};

enum top_source { TOP_AUTO, TOP_FROM_ROWS, TOP_FROM_SAMPLES };

/* Zeroed: comm, dso, symbol, without filters. */
struct top_spec {
	struct top_column keys[TOP_MAX_KEYS];
	size_t n_keys;
	enum top_source source;
	struct name_list comms, dsos, symbols, categories;
	/* filter for printed rows: pids and CPUs to keep; NULL: all */
	const struct select_spec *rows;
	struct str under;     /* only samples with this function on their stack; STR_NONE: all */
	double percent_limit; /* rows below (by children, else self) are counted but not listed */
	bool keep_rows;       /* printed rows with equal keys stay separate, as printed */
	bool relative;        /* percentages of the filtered samples */
	bool no_children;     /* skip children: faster for samples */
	bool sort_by_self;    /* otherwise by children if present, as perf does */
	bool is_unnamed;      /* rows of equal weight may be in any order */
};

struct top_row {
	uint32_t keys[TOP_MAX_KEYS]; /* by type of each enum top_key */
	uint64_t self;               /* weight */
	uint64_t children;           /* weight; only with has_children */
	double self_pct;
	double self_err; /* half-width in percent from rounding; 0: exact */
	double children_pct;
	double children_err;
	uint64_t samples;   /* samples with this leaf; 0 and !has_samples: unknown */
	uint32_t rows;      /* number of printed rows (or functions, for samples) in this row */
	uint32_t zero_rows; /* those printed as 0.00: each below the half-width */
	uint32_t line;      /* of the first printed row; 0: none */
	uint32_t first_row; /* index in table.rows, INDEX_NONE for samples */
	bool has_children;
	bool has_samples;
};

struct top {
	struct top_column keys[TOP_MAX_KEYS];
	size_t n_keys;
	VEC(struct top_row) rows; /* heaviest first; equal rows in print order, else by name */
	enum top_source source;   /* source used: TOP_FROM_ROWS or TOP_FROM_SAMPLES */
	enum weight_unit unit;
	uint8_t decimals;
	bool has_children;
	bool has_samples;
	uint64_t total; /* weight that passed the filters, hidden rows included */
	double total_pct;
	double total_err;
	uint64_t n_rows;      /* number of printed rows or samples that passed */
	uint64_t n_zero_rows; /* printed rows of 0.00 among them: each below 0.005 % */
	uint64_t hidden_rows; /* below the percent limit */
	uint64_t hidden;      /* their self weight */
	double hidden_err;
};

/*
 * Errors: ERR_USAGE, with a sentence, if the capture has no profile or lacks data that @spec
 * needs (pids in a report without pids, `under` without samples). Owner of @ret: caller,
 * top_fini(); zeroed on error.
 */
MUST_CHECK int top_compute(const struct capture *c, struct category_cache *cats,
			   const struct top_spec *spec, struct top *ret, struct error *err);
/* Check whether top_compute() would succeed: the same errors. Cost: O(printed rows + symbols). */
MUST_CHECK int top_check(const struct capture *c, const struct top_spec *spec, struct error *err);
/* One key without filters: by_dso, by_comm, by_space, by_category of the report. */
MUST_CHECK int top_by(const struct capture *c, struct category_cache *cats, enum top_key key,
		      struct top *ret, struct error *err);
void top_fini(struct top *t);

/* Text of a row's key; numbers are formatted in @buffer. Borrowed. */
struct str top_key_text(const struct capture *c, const struct top *t, const struct top_row *row,
			size_t key, char buffer[24]);
/* JSON names: "comm", "dso", "symbol", "pid", …. */
const char *top_key_name(enum top_key key);
/* Find a key by name, including perf's names (but not "overhead_…"). False: unknown. */
bool top_key_find(struct str word, enum top_key *ret);

/* Shares of a profile shown on every page, in percent with rounding half-width. */
struct top_share {
	double pct;
	double err;
	uint32_t rows;
};

struct top_summary {
	enum top_source source;
	uint64_t rows;      /* printed rows, or functions */
	uint64_t zero_rows; /* rows printed as 0.00 */
	uint64_t samples;   /* from the header, or counted */
	uint64_t samples_err;
	uint64_t printed_samples; /* sum of the samples printed in rows; 0: not printed */
	bool has_samples;
	bool is_least; /* a lower bound: some rows lack the column */
	struct top_share total;
	struct top_share unsymbolised;   /* raw addresses as leaf */
	struct top_share unnamed_kernel; /* those in the kernel */
	struct top_share data;           /* leaf is a kernel data symbol: no code runs there */
	sym_id data_example;             /* a heavy one of them */
	struct top_share idle;           /* category "idle" */
	struct top_share kernel;         /* without BPF and guest kernel */
	struct top_share user;
};

/* Whether the name is a data symbol of a kernel's symbol table, which cannot be running code. */
bool top_is_kernel_data(const struct symbols *symbols, sym_id id);
MUST_CHECK int top_summarise(const struct capture *c, struct category_cache *cats,
			     struct top_summary *ret, struct error *err);

/*
 * @pct percent of the capture's event count (else its sum of weights, else its number of
 * samples) divided by @by: "cycles per request". @ret_err propagates @pct_err. False: no count
 * is known, or by is 0.
 */
bool top_divide(const struct capture *c, double pct, double pct_err, uint64_t by, double *ret,
		double *ret_err);
/* Unit of top_divide()'s result: "cycles", "ns", "samples". */
struct str top_divide_unit(const struct capture *c);
/* Value of a stated workload fact ("requests", singular or plural). False: not stated. */
bool top_fact(const struct capture *c, struct str name, uint64_t *ret);

#endif
