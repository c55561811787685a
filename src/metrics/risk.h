/* SPDX-License-Identifier: MIT */
/*
 * risk.h - the functions of a C tree with all their metrics
 *
 * Files are read once and released. Memory: a row per function (about 500 bytes) and the names
 * it calls. Files are measured on the requested number of threads; the result does not depend
 * on it.
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

/* Metrics of the call graph, the history and the ranking, in addition to c_metrics.h. */
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

/* By enum c_metric, then enum risk_metric. */
const struct c_metric_info *risk_metric_info(unsigned int metric);
/* RISK_METRIC_COUNT if no metric has this title. */
unsigned int risk_metric_find(struct str title);

#define RISK_PARTS 5u
/* The metrics whose ranks make the score. */
extern const uint16_t risk_parts[RISK_PARTS];

enum risk_entry {
	ENTRY_NONE,
	ENTRY_SYSCALL,
	ENTRY_EXPORTED,
	ENTRY_TABLE, /* named in an initializer at file scope, or by module_init() and the like */
	ENTRY_MAIN,
};

struct risk_function {
	struct str name;  /* in the arena of the tree */
	struct str macro; /* macro that makes the definition, or empty */
	uint32_t file;
	uint32_t line; /* of the name */
	uint32_t head_line;
	uint32_t last_line;
	uint32_t calls; /* first of its callees in risk_tree.calls */
	uint32_t n_calls;
	uint32_t rank; /* by score, 1 is the highest; equal scores share it */
	uint8_t entry; /* enum risk_entry */
	bool is_static;
	bool has_error;     /* part of its body did not parse */
	bool is_unmeasured; /* nested too deep: metrics of the tree are NaN */
	bool has_compat;
	float parts[RISK_PARTS]; /* parts of the score, 0 to 100 */
	double m[RISK_METRIC_COUNT];
	double c[COMPAT_COLUMNS + 1]; /* with has_compat */
};

struct risk_file {
	struct str path; /* NUL-terminated */
	uint32_t n_functions;
	uint32_t n_errors; /* functions with unparsed text */
	uint64_t bytes;
	bool is_binary; /* contains NUL bytes: skipped */
	bool is_cut;    /* longer than LIMIT_SOURCE_BYTES */
	bool is_unreadable;
	bool is_cxx; /* a header with C++ content: skipped */
};

struct risk_tree {
	VEC(struct risk_file) files;
	VEC(struct risk_function) functions; /* by file, then line */
	VEC(uint32_t) calls;                 /* function rows, resolved by name */
	VEC(uint32_t) by_rank;               /* function rows */
	struct arena arena;
	uint64_t bytes;
	uint32_t n_binary;
	uint32_t n_unreadable;
	uint32_t n_cxx; /* C++ by name or content: skipped, as the metrics are defined for C */
	uint32_t n_cut;
	uint32_t n_errors;
	uint32_t n_unmeasured;
	uint32_t n_cached;    /* files taken from the cache */
	uint32_t n_ambiguous; /* calls of a name that several files define: the first was chosen */
	bool has_compat;
	bool is_compat_cut;
};

struct risk_options {
	unsigned int n_threads; /* 0: number of processors; at most 64 */
	bool has_compat;        /* compute the compat metrics as well */
	const char *cache;      /* cache folder, see risk_cache.h; NULL: none */
	/* called repeatedly on the calling thread; may be NULL */
	void (*progress)(void *arg, uint64_t done_bytes, uint32_t done_files, uint32_t n_files);
	void *arg;
};

/*
 * Measure @files into @ret. Owner: caller, risk_tree_fini(). Errors: ERR_UNSUPPORTED in builds
 * without tree-sitter. Cost: parsing, about 8 MB/s a thread.
 */
MUST_CHECK int risk_measure(const struct c_file_list *files, const struct risk_options *options,
			    struct risk_tree *ret, struct error *err);
/* The same for one text in memory. */
MUST_CHECK int risk_measure_text(struct str path, struct str text,
				 const struct risk_options *options, struct risk_tree *ret,
				 struct error *err);
/* The same for several texts, sequentially. */
MUST_CHECK int risk_measure_texts(const struct str *paths, const struct str *texts, uint32_t n,
				  const struct risk_options *options, struct risk_tree *ret,
				  struct error *err);
void risk_tree_fini(struct risk_tree *t);

/* Fill in the metrics of enum risk_metric. Private to metrics/. */
void call_graph_measure(struct risk_tree *t);
void risk_rank(struct risk_tree *t);

#endif
