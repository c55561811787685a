/* SPDX-License-Identifier: MIT */
/*
 * compare.h - two sides of one thing: what is more, what is less, what nobody can tell
 *
 * A side is one recording or several runs of the same. Each is a profile with
 * samples, or with the rows of a printed report. Functions are matched by name
 * (compare_names.h), shares or rates are compared (stats_compare.h).
 *
 * Samples of one recording are not independent: work comes in bursts and threads
 * run side by side. How much wider than under independence the spread is comes,
 * per function, from
 *   several runs a side: their spread, else
 *   times of samples: the spread between 12 to 48 equal slices of the recording, those of
 *   both sides taken in pairs, so that phases that both have do not count, else
 *   nothing: COMPARE_DISPERSION is assumed and said.
 * Runs tell most: what differs from one start to the next is in no single recording.
 *
 * A figure read from print carries its rounding through: the interval holds for
 * every value that would print so. A function that a cut report does not show may
 * have had as much as the smallest row that it does show.
 *
 * Cost: O(samples + stack nodes) a level, O(rows log rows). Memory: O(rows * runs +
 * stack nodes + samples of a side). Pure: captures are not changed.
 */
#ifndef ANALYSES_COMPARE_H
#define ANALYSES_COMPARE_H

#include "analyses/categories.h"
#include "base/stats.h"
#include "core/capture.h"

#define COMPARE_RUNS_MAX   64u                /* captures a side */
#define COMPARE_ALPHA      0.05               /* false discovery rate; intervals are 95 % */
#define COMPARE_POWER_Z    0.8416212335729143 /* a change of this size is found 4 times of 5 */
#define COMPARE_MARGIN     0.5 /* points of the total: within it two shares are the same */
#define COMPARE_DISPERSION 1.1 /* variance against independent samples, where nothing tells */
#define COMPARE_CALL_MARGIN \
	5.0                   /* percent of A's time of a call: within it two times are the same */
#define COMPARE_CALLS_MIN 5u  /* timed calls a side, fewer are not tested */
#define COMPARE_EVEN      0.5 /* of the allowance for errors tests share alike; the rest by share */
#define COMPARE_COUNT_MIN 5.0 /* fewer samples on both sides together are not tested */

enum compare_level {
	COMPARE_SYMBOL,   /* the function itself */
	COMPARE_CHILDREN, /* with what it calls */
	COMPARE_DSO,
	COMPARE_CATEGORY,
	COMPARE_STACK, /* the function by the way that led to it */
	COMPARE_LEVEL_COUNT,
	COMPARE_PATHS = COMPARE_LEVEL_COUNT, /* a stack with all above it: compare.paths */
};

enum compare_norm {
	COMPARE_TOTAL,    /* shares of all, in percent */
	COMPARE_SECOND,   /* of recorded time */
	COMPARE_REQUEST,  /* per thing that was done: compare_spec.done_a, done_b */
	COMPARE_PER_CALL, /* of traces: time of one call, microseconds */
	COMPARE_ANCHOR,   /* in percent of one function with its callees */
};

enum compare_verdict {
	COMPARE_SAME,
	COMPARE_MORE, /* b is larger */
	COMPARE_LESS,
	COMPARE_CANNOT_TELL,
	COMPARE_VERDICT_COUNT,
};

/* Where the spread came from. */
enum compare_spread {
	COMPARE_BY_RUNS,     /* of several runs on both sides */
	COMPARE_BY_RUNS_ONE, /* of one side, taken for both */
	COMPARE_BY_SLICES,
	COMPARE_BY_SLICES_ONE,
	COMPARE_BY_CALLS, /* of single calls, taken as independent */
	COMPARE_ASSUMED,  /* compare_spec.dispersion */
	COMPARE_GIVEN,    /* the same, by the user's word */
	COMPARE_UNKNOWN,  /* not even the number of samples is known: rounding only */
};

struct compare_side {
	const struct capture *captures[COMPARE_RUNS_MAX];
	size_t n;
};

struct compare_spec {
	struct compare_side a, b;
	enum compare_norm norm;
	struct str anchor; /* COMPARE_ANCHOR: name of the function */
	double done_a;     /* COMPARE_REQUEST, of each run */
	double done_b;
	double margin;      /* points; rates: percent of A's total; <= 0: COMPARE_MARGIN */
	double want;        /* a change of this many points that should be seen; 0: none */
	double dispersion;  /* take this, estimate nothing; 0: estimate, or COMPARE_DISPERSION */
	bool is_forced;     /* compare what cannot be compared */
	bool has_paths;     /* also compare.paths */
	bool is_only_paths; /* and of the tables none but that of functions themselves */
};

struct compare_row {
	struct str name;   /* as A has it, else as B; of a stack the whole way, ';' between */
	struct str name_b; /* B's name where it differs; else STR_NONE */
	struct str dso;
	struct str space;
	double a, b;          /* in compare.unit; of a cut report what it shows */
	double a_low, a_high; /* what the print allows: equal where figures are exact */
	double b_low, b_high;
	double samples_a, samples_b; /* as independent ones would be; NaN: not known */
	double delta;
	double low, high;  /* of delta: 95 %; with COMPARE_UNKNOWN what the print allows */
	double p, q;       /* NaN: not tested */
	double weight;     /* of the test among all of the table; q is of p / weight */
	double dispersion; /* variance against independent samples */
	double visible; /* smallest change that would have been shown, 4 times of 5; NaN: unknown */
	double longer;  /* how many times longer to record for compare_spec.want; NaN, INFINITY */
	double needed;  /* COMPARE_UNKNOWN: samples a side that would make this delta count; NaN */
	uint64_t calls_a, calls_b; /* COMPARE_PER_CALL: timed calls, their sum and their median */
	uint64_t total_ns_a, total_ns_b;
	uint64_t p50_ns_a, p50_ns_b;
	enum compare_verdict verdict;
	bool is_new;      /* A has none of it */
	bool is_vanished; /* B has none of it */
};

/* A stack with all above it. There may be millions: what a picture needs, and no more. */
struct compare_path {
	double a, b; /* percent; from samples, so exact */
	double low, high;
	double p, q;
	sym_id sym;      /* the one of the function that says most */
	uint32_t parent; /* place of the caller; INDEX_NONE */
	uint8_t verdict; /* enum compare_verdict */
	bool is_new;
	bool is_vanished;
	bool is_many; /* all addresses of an object */
};

struct compare_paths {
	VEC(struct compare_path) rows; /* callers first */
	uint64_t counts[COMPARE_VERDICT_COUNT];
	uint64_t n_tested;
	struct str missing; /* why there are none */
};

struct compare_table {
	VEC(struct compare_row) rows; /* larger differences first */
	uint64_t counts[COMPARE_VERDICT_COUNT];
	uint64_t n_new, n_vanished; /* those of verdict more, less */
	uint64_t n_tested;
	double cut;         /* p / weight up to which a difference counts, after correction */
	double mean;        /* value of the rows that were tested, of both sides */
	double dispersion;  /* median of rows; NaN */
	double visible_one; /* smallest change shown of a row of 1 % (a hundredth of A) */
	double visible_top; /* of the heaviest row */
	double longer;      /* for want, in the heaviest row */
	struct str missing; /* why there is no such table; STR_NONE: there is one */
};

/* A sentence on what the comparison is worth. */
struct compare_note {
	const char *id; /* "kernel", "lost", "spread" …; static */
	bool is_warning;
	struct str sentence;
};

/* Perhaps one function under two names: gone there, new here, about as heavy. */
struct compare_rename {
	struct str from, to;
	double a, b;
};

struct compare_total {
	double weight;    /* in the event's unit, of all runs */
	double samples;   /* NaN: not known */
	double seconds;   /* NaN: not known */
	double shown_pct; /* of printed reports: what the rows sum up to */
	double unit;      /* what values were divided by */
};

struct compare {
	struct compare_table tables[COMPARE_LEVEL_COUNT];
	/*
	 * With spec.has_paths: functions by the way that led there, with callees; callers first.
	 * A caller with nothing but one callee is not tested again: it has that one's verdict.
	 */
	struct compare_paths paths;
	struct compare_total a, b;
	struct str unit; /* "%", "samples/s", "cycles per request" */
	double scale;    /* A's total in unit: 100 for shares */
	double margin;   /* in unit */
	double want;     /* in unit; 0 */
	enum compare_norm norm;
	enum compare_spread spread;
	unsigned int n_slices;
	uint64_t matched_base;      /* functions whose names differ but for suffixes */
	uint64_t matched_inlined;   /* inlined on one side only */
	uint64_t matched_dso;       /* in another object */
	struct str matched_example; /* "foo.isra.0 = foo" */
	double overlap;             /* sum of the smaller shares of each function, percent */
	VEC(struct compare_note) notes;
	VEC(struct compare_note) refusals; /* reasons why it cannot be compared */
	VEC(struct compare_rename) renames;
	struct arena arena; /* owner of all texts above */
};

/*
 * Errors: ERR_UNSUPPORTED when the sides cannot be compared (ret->refusals has every
 * reason; nothing was computed unless is_forced), ERR_USAGE when @spec asks for what
 * the captures do not have. Owner of @ret: caller, compare_fini(), also on error.
 */
MUST_CHECK int compare_profiles(const struct compare_spec *spec, struct category_cache *cats,
				struct compare *ret, struct error *err);
/*
 * The same for traces of calls: by function the time of a call, callees and the
 * tracer's cost included, compared by its mean (B. L. Welch, Biometrika 34 (1947)
 * 28-35). Runs of a side are taken together. Only the symbol level is filled.
 * Cost: O(calls log calls). Memory: 12 bytes a call.
 */
MUST_CHECK int compare_calls(const struct compare_spec *spec, struct compare *ret,
			     struct error *err);
void compare_fini(struct compare *c);

/* "same", "more", "less", "cannot-tell" */
const char *compare_verdict_name(enum compare_verdict v);
/* "runs", "runs-of-one", "slices", "slices-of-one", "assumed", "given", "unknown" */
const char *compare_spread_name(enum compare_spread s);
/* "symbol", "children", "dso", "category", "stack" */
const char *compare_level_name(enum compare_level level);
/* What was counted, without modifiers: "cycles" of "cpu-cycles:uppp". */
struct str compare_event(struct str event);
/* 'u', 'k' or both of the modifiers as a bit each: whose work was counted; 0: all. */
unsigned int compare_event_spaces(struct str event);

#endif
