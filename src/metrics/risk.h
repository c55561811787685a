/* SPDX-License-Identifier: MIT */
/*
 * risk.h - the functions of a tree of C files, with all their metrics
 *
 * Each file is read once, and its text is freed after measuring. Memory: about 500 bytes per
 * function, and the names that it calls. Several threads measure files. The result does not depend
 * on the number of threads.
 */
#ifndef METRICS_RISK_H
#define METRICS_RISK_H

#include "base/arena.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "metrics/code/c_metrics.h"
#include "metrics/compat/compat.h"

struct c_file_list;

/* Metrics of the call graph, the history and the ranking. c_metrics.h has the other metrics. */
#define RISK_METRICS(X)                                                                            \
	X(CALLERS, "callers", "count", "functions of the tree that call or name it",               \
	  "HIS source code metrics: CALLING")                                                      \
	X(CALLEES, "callees", "count", "functions of the tree that it calls or names",             \
	  "HIS source code metrics: CALLS, distinct")                                              \
	X(REACH, "reach", "count", "functions of the tree that it can reach, itself not counted",  \
	  "transitive callees")                                                                    \
	X(REACHED_BY, "reached-by", "count", "functions of the tree that can reach it",            \
	  "transitive callers")                                                                    \
	X(ENTRY_DEPTH, "entry-depth", "calls",                                                     \
	  "calls from the nearest entry: system call, exported symbol, operation table, main; "    \
	  "none where no entry reaches it",                                                        \
	  "shortest path")                                                                         \
	X(RECURSIVE, "recursive", "yes/no", "it can reach itself", "strongly connected component") \
	X(LEOPARD_BIN, "leopard-bin", "points",                                                    \
	  "C1 + C2 + C3 + C4: functions of equal complexity", "Du et al., ICSE 2019")              \
	X(LEOPARD_V, "leopard-v", "points", "V1 + ... + V11", "Du et al., ICSE 2019")              \
	X(LEOPARD_K, "leopard-k", "round",                                                         \
	  "1 + functions of its bin with a larger V: it is selected in this round",                \
	  "Du et al., ICSE 2019")                                                                  \
	X(LAST_CHANGE, "last-change", "days", "since the newest commit that changed its lines",    \
	  "git; whole days, committer's date")                                                     \
	X(AGE, "age", "days", "since the oldest commit that its lines are followed to", "git")     \
	X(COMMITS, "commits", "count", "commits that changed its lines", "git")                    \
	X(CHURN, "churn", "lines", "added and removed in these commits", "git")                    \
	X(AUTHORS, "authors", "count", "mail addresses of their authors, distinct", "git")         \
	X(FIXES, "fixes", "count",                                                                 \
	  "of these commits, those with a Fixes: line or the word fix in their subject", "git")    \
	X(SCORE, "score", "0-100",                                                                 \
	  "mean of the parts: for each, the share of the tree's functions with less",              \
	  "parts: cognitive, leopard-v3, leopard-v8, leopard-v2, unchecked-copies; an order, not " \
	  "a probability")

enum risk_metric {
	RM_FIRST = C_METRIC_COUNT - 1,
#define RISK_METRIC_ID(id, title, unit, definition, source) RM_##id,
	RISK_METRICS(RISK_METRIC_ID)
#undef RISK_METRIC_ID
		RISK_METRIC_COUNT
};

/* Description of a metric. @metric: enum c_metric or enum risk_metric. */
const struct c_metric_info *risk_metric_info(unsigned int metric);
/* Index of the metric with this title; RISK_METRIC_COUNT: none. */
unsigned int risk_metric_find(struct str title);

#define RISK_PARTS 5u
/* The score of a function is the mean of its percentile ranks for these metrics (risk_rank.c). */
extern const uint16_t risk_parts[RISK_PARTS];

enum risk_entry {
	ENTRY_NONE,
	ENTRY_SYSCALL,
	ENTRY_EXPORTED,
	/*
	 * function that is named in an initializer at file scope, or by a macro such as
	 * module_init()
	 */
	ENTRY_TABLE,
	ENTRY_MAIN,
};

struct risk_function {
	struct str name; /* owned by the arena of the tree */
	/* macro that defines the function, such as SYSCALL_DEFINE3; empty: none */
	struct str macro;
	uint32_t file;
	uint32_t line; /* line of the function's name */
	uint32_t head_line;
	uint32_t last_line;
	uint32_t calls; /* index in risk_tree.calls of the function's first callee */
	uint32_t n_calls;
	uint32_t rank; /* 1 for the highest score; functions with equal scores have equal ranks */
	uint8_t entry; /* enum risk_entry */
	bool is_static;
	bool has_error; /* tree-sitter could not parse a part of its body */
	/* the body is nested too deeply to be parsed: metrics that need a syntax tree are NaN */
	bool is_unmeasured;
	bool has_compat;
	/* parts[i]: percentile rank, 0 to 100, of the metric risk_parts[i] */
	float parts[RISK_PARTS];
	double m[RISK_METRIC_COUNT];
	double c[COMPAT_COLUMNS + 1]; /* columns c[1] to c[11] of compat.h; valid if has_compat */
};

struct risk_file {
	struct str path; /* NUL-terminated */
	uint32_t n_functions;
	uint32_t n_errors; /* number of functions that tree-sitter could not parse completely */
	uint64_t bytes;
	bool is_binary; /* the file contains NUL bytes, and was skipped */
	bool is_cut;    /* the file is longer than LIMIT_SOURCE_BYTES; the rest was ignored */
	bool is_unreadable;
	bool is_cxx; /* the file is a header with C++ content, and was skipped */
};

struct risk_tree {
	VEC(struct risk_file) files;
	VEC(struct risk_function) functions; /* sorted by file, then by line */
	/* function indices of all callees; risk_function.calls is an index into this list */
	VEC(uint32_t) calls;
	VEC(uint32_t) by_rank; /* indices of the functions, sorted by descending score */
	struct arena arena;
	uint64_t bytes;
	uint32_t n_binary;
	uint32_t n_unreadable;
	/* number of skipped C++ files, by name or content; the metrics are defined only for C */
	uint32_t n_cxx;
	uint32_t n_cut;
	uint32_t n_errors;
	uint32_t n_unmeasured;
	uint32_t n_cached; /* number of files whose results came from the cache */
	/*
	 * number of calls of a name that several files define; such a call is assigned to the first
	 * definition
	 */
	uint32_t n_ambiguous;
	bool has_compat;
	bool is_compat_cut;
};

struct risk_options {
	unsigned int n_threads; /* number of threads, at most 64; 0: number of CPUs */
	bool has_compat;        /* also compute the compat metrics */
	const char *cache;      /* folder of the cache, see risk_cache.h; NULL: no cache */
	/* called from time to time on the caller's thread to report progress; NULL: no reports */
	void (*progress)(void *arg, uint64_t done_bytes, uint32_t done_files, uint32_t n_files);
	void *arg;
};

/*
 * Measure @files. Owner of @ret: caller, risk_tree_fini(). Errors: ERR_UNSUPPORTED in builds
 * without tree-sitter. Cost: parsing, about 8 MB/s per thread.
 */
MUST_CHECK int risk_measure(const struct c_file_list *files, const struct risk_options *options,
			    struct risk_tree *ret, struct error *err);
/* Like risk_measure(), for the text of one file in memory. */
MUST_CHECK int risk_measure_text(struct str path, struct str text,
				 const struct risk_options *options, struct risk_tree *ret,
				 struct error *err);
/* Like risk_measure(), for the texts of @n files in memory, on one thread. */
MUST_CHECK int risk_measure_texts(const struct str *paths, const struct str *texts, uint32_t n,
				  const struct risk_options *options, struct risk_tree *ret,
				  struct error *err);
void risk_tree_fini(struct risk_tree *t);

/* Compute the metrics of the call graph. Must precede risk_rank(). Private to metrics/. */
void call_graph_measure(struct risk_tree *t);
void risk_rank(struct risk_tree *t);

#endif
