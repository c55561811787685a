/* SPDX-License-Identifier: MIT */
/*
 * compare.h - compare two sides: more, less, same, or inconclusive
 *
 * A side is one recording or several runs. Each is a profile with samples or with rows of a
 * printed report. Functions are matched by name (compare_names.h); shares or rates are compared
 * (stats_compare.h).
 *
 * Samples of one recording are not independent: work comes in bursts, and threads run in
 * parallel. The overdispersion, relative to independent samples, is estimated per function from
 *   several runs per side: their variance, else
 *   times of samples: the variance between 12 to 48 equal slices of the recording, paired
 *   between the sides, so that common phases cancel, else
 *   nothing: COMPARE_DISPERSION is assumed, and stated.
 * Runs are best: one recording does not show the variation from start to start.
 *
 * A printed figure carries its rounding: the interval holds for every value that prints the
 * same. A function missing in a truncated report may have had as much as the smallest printed
 * row.
 *
 * Cost: O(samples + stack nodes) a level, O(rows log rows). Memory: O(rows * runs + stack nodes
 * + samples of a side). Pure: captures are not changed.
 */
#ifndef ANALYSES_COMPARE_H
#define ANALYSES_COMPARE_H

#include "base/arena.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"

struct capture;
struct category_cache;

#define COMPARE_RUNS_MAX 64u  /* captures per side */
#define COMPARE_ALPHA    0.05 /* false discovery rate; intervals are 95 % */
/* quantile for 80 % power: a change of this size is found 4 times of 5 */
#define COMPARE_POWER_Z     0.8416212335729143
#define COMPARE_MARGIN      0.5 /* points of the total: shares within it are the same */
#define COMPARE_DISPERSION  1.1 /* assumed variance relative to independent samples */
#define COMPARE_CALL_MARGIN 5.0 /* percent of A's time per call: times within it are the same */
#define COMPARE_CALLS_MIN   5u  /* minimum of timed calls per side for a test */
/* part of the error budget shared equally among tests; the rest by share */
#define COMPARE_EVEN      0.5
#define COMPARE_COUNT_MIN 5.0 /* minimum of samples on both sides together for a test */

/*
 * Totals of whole runs. One run a side does not show how much runs differ, so a standard
 * deviation is assumed, in percent of the total: CPU time and instructions of a program on an
 * idle machine repeat to 1 to 3 %, its wall time and its faults less well.
 */
#define COMPARE_RUN_SPREAD   3.0
#define COMPARE_OTHER_SPREAD 10.0
/*
 * factor of the assumed deviation for a run that was never on a CPU; 1 for one that never waited,
 * linear in between
 */
#define COMPARE_WAIT_FACTOR 3.0
/*
 * Significance levels if totals are compared, too: shares and totals have half of the errors
 * each. Wall time follows CPU time and must not add errors.
 */
#define COMPARE_HALF_ALPHA (COMPARE_ALPHA / 2)
#define COMPARE_WALL_ALPHA 0.005
#define COMPARE_RUN_MISS   0.05 /* a visible change is missed by 1 of 20 comparisons */
#define COMPARE_RUN_MARGIN 1.0  /* percent: totals within it are the same */
#define COMPARE_PARTS_MAX  8u

enum compare_level {
	COMPARE_SYMBOL,   /* the function itself */
	COMPARE_CHILDREN, /* with callees */
	COMPARE_DSO,
	COMPARE_CATEGORY,
	COMPARE_STACK, /* the function with its call chain */
	COMPARE_LEVEL_COUNT,
	COMPARE_PATHS = COMPARE_LEVEL_COUNT, /* a stack with all its callees: compare.paths */
};

enum compare_norm {
	COMPARE_TOTAL,    /* shares of the total, in percent */
	COMPARE_SECOND,   /* per second of recorded time */
	COMPARE_REQUEST,  /* per unit of work: compare_spec.done_a, done_b */
	COMPARE_PER_CALL, /* traces: time per call, microseconds */
	COMPARE_ANCHOR,   /* in percent of one function with its callees */
};

enum compare_verdict {
	COMPARE_SAME,
	COMPARE_MORE, /* b is larger */
	COMPARE_LESS,
	COMPARE_CANNOT_TELL,
	COMPARE_VERDICT_COUNT,
};

/* Source of the estimated variance. */
enum compare_spread {
	COMPARE_BY_RUNS,     /* several runs on both sides */
	COMPARE_BY_RUNS_ONE, /* runs of one side, used for both */
	COMPARE_BY_SLICES,
	COMPARE_BY_SLICES_ONE,
	COMPARE_BY_CALLS, /* single calls, assumed independent */
	COMPARE_ASSUMED,  /* compare_spec.dispersion */
	COMPARE_GIVEN,    /* compare_spec.dispersion, set by the user */
	COMPARE_UNKNOWN,  /* the number of samples is unknown: rounding only */
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
	double want;        /* a change of this many points should be detectable; 0: none */
	double dispersion;  /* value to use instead of an estimate; 0: estimate, or
			       COMPARE_DISPERSION */
	double run_spread;  /* variation of runs (standard deviation) in percent; 0: measured, or
			       assumed */
	bool is_per_run;    /* each capture is a whole run, even if its file does not state that */
	bool is_forced;     /* compare in spite of refusals */
	bool has_paths;     /* also compute compare.paths */
	bool is_only_paths; /* with has_paths: of the tables, only that of functions */
};

struct compare_row {
	struct str name;   /* A's name, else B's; for a stack the whole chain, ';' separated */
	struct str name_b; /* B's name if it differs; else STR_NONE */
	struct str dso;
	struct str space;
	double a, b;          /* in compare.unit; of a truncated report the printed part */
	double a_low, a_high; /* range allowed by rounding; equal if figures are exact */
	double b_low, b_high;
	double samples_a, samples_b; /* effective number of independent samples; NaN: unknown */
	double delta;
	double low, high;  /* 95 % interval of delta; with COMPARE_UNKNOWN the rounding range */
	double p, q;       /* NaN: not tested */
	double weight;     /* weight of the test in its table; q is computed from p / weight */
	double dispersion; /* variance relative to independent samples */
	double visible;    /* smallest change detectable 4 times of 5; NaN: unknown */
	double longer;     /* factor of recording time needed for compare_spec.want; NaN: unknown;
			      INFINITY: rounding hides it */
	/* COMPARE_UNKNOWN: samples per side that would make this delta significant; NaN: none */
	double needed;
	/* COMPARE_PER_CALL: number of timed calls, then their sum and median */
	uint64_t calls_a, calls_b;
	uint64_t total_ns_a, total_ns_b;
	uint64_t p50_ns_a, p50_ns_b;
	enum compare_verdict verdict;
	bool is_new;      /* absent in A */
	bool is_vanished; /* absent in B */
};

/* A stack with all its callees. There may be millions, so a row has only what a picture needs. */
struct compare_path {
	double a, b; /* percent; from samples, hence exact */
	double low, high;
	double p, q;
	sym_id sym;      /* the most informative symbol of the function */
	uint32_t parent; /* row of the caller; INDEX_NONE: none */
	uint8_t verdict; /* enum compare_verdict */
	bool is_new;
	bool is_vanished;
	bool is_many; /* combines all addresses of an object */
};

struct compare_paths {
	VEC(struct compare_path) rows; /* callers first */
	uint64_t counts[COMPARE_VERDICT_COUNT];
	uint64_t n_tested;
	struct str missing; /* reason why there are none */
};

struct compare_table {
	VEC(struct compare_row) rows; /* largest difference first */
	uint64_t counts[COMPARE_VERDICT_COUNT];
	uint64_t n_new, n_vanished; /* rows with verdict more, less */
	uint64_t n_tested;
	/* p / weight up to which a difference is significant, after correction */
	double cut;
	double mean;        /* mean value of tested rows, over both sides */
	double dispersion;  /* median of rows; NaN: none */
	double visible_one; /* smallest detectable change for a row of 1 % (a hundredth of A) */
	double visible_top; /* the same for the heaviest row */
	double longer;      /* factor of recording time needed to find `want` in the heaviest row */
	struct str missing; /* reason why the table is missing; STR_NONE: it exists */
};

/* A sentence on the validity of the comparison. */
struct compare_note {
	const char *id; /* "kernel", "lost", "spread" …; static */
	bool is_warning;
	struct str sentence;
};

/* Possibly one function under two names: one vanished, one new, similar weight. */
struct compare_rename {
	struct str from, to;
	double a, b;
};

/* Evidence that the work of a function moved to another one. */
enum compare_moved_how {
	MOVED_NAMES,     /* one name contains the other */
	MOVED_TO_CALLER, /* it called the function in A: inlined, or rewritten there */
	MOVED_TO_CALLEE, /* the function calls it in B: split */
	MOVED_SIBLING,   /* one is gone, one is new, and both have the same caller */
};

/* A share that one function lost and another one gained. */
struct compare_move {
	struct str from, to;
	double lost, gained; /* in compare.unit, both positive */
	struct str caller;   /* MOVED_SIBLING */
	enum compare_moved_how how;
};

/*
 * A temporary change: one side spends more in a function during one short part of its recording,
 * and otherwise as much as the other side.
 */
struct compare_burst {
	struct str name, dso;
	double points;   /* of that side's total, above the other side's share */
	double from, to; /* seconds since its first sample */
	double seconds;  /* from its first to its last sample */
	bool is_in_b;
};

struct compare_total {
	double weight;    /* in the event's unit, over all runs */
	double samples;   /* NaN: unknown */
	double seconds;   /* NaN: unknown */
	double shown_pct; /* printed reports: sum of the rows */
	double unit;      /* divisor of the values */
};

/* Totals of whole runs; their parts by function follow. */
struct compare_whole {
	const char *id;   /* "cpu", "wall", "event" */
	struct str what;  /* "CPU time", "wall time", "instructions" */
	struct str unit;  /* "s", "samples", "cycles"; STR_NONE: those of `what` */
	double a, b;      /* geometric means of the runs, in unit */
	double change;    /* from a to b, in percent of a */
	double low, high; /* its 95 % interval */
	double alpha;     /* largest p of a difference */
	double waited;    /* part of the wall time without a CPU, of the run with most; 0: none, or
			     unknown */
	double p;
	double spread;  /* standard deviation of one run, in percent of it */
	double df;      /* degrees of freedom of spread */
	double visible; /* smallest increase that is found 19 of 20 times, in percent */
	double want;    /* increase in percent for which runs_needed is computed; 0: none */
	/* runs a side at which `want` is found 19 of 20 times; 0: too many */
	uint64_t runs_needed;
	size_t n_a, n_b;
	enum compare_spread from; /* RUNS, RUNS_ONE, ASSUMED, GIVEN */
	enum compare_verdict verdict;
};

/* A function's part of the change of the first total. */
struct compare_part {
	struct str name, dso;
	struct str caller; /* has nearly all of the change; STR_NONE: several, or unknown */
	double a, b;       /* in compare.wholes[0].unit */
	double delta;
	double error; /* standard error of delta by sampling alone */
	double pct;   /* delta in percent of the total's change */
};

struct compare {
	struct compare_table tables[COMPARE_LEVEL_COUNT];
	/*
	 * With spec.has_paths: functions by call chain, with callees; callers first. A caller
	 * with a single callee and no own samples is not tested: it has the callee's verdict.
	 */
	struct compare_paths paths;
	struct compare_total a, b;
	struct str unit; /* "%", "samples/s", "cycles per request" */
	double scale;    /* A's total in unit: 100 for shares */
	double margin;   /* in unit */
	double want;     /* requested change, in unit; 0: none */
	double alpha;    /* false discovery rate of each table */
	enum compare_norm norm;
	enum compare_spread spread;
	unsigned int n_slices;
	uint64_t matched_base;      /* functions whose names differ in suffixes only */
	uint64_t matched_inlined;   /* inlined on one side only */
	uint64_t matched_dso;       /* in a different object */
	uint64_t matched_objects;   /* objects under another name */
	struct str object_example;  /* "slow = slow2" */
	struct str matched_example; /* "foo.isra.0 = foo" */
	double overlap;             /* sum over functions of the smaller share, percent */
	VEC(struct compare_note) notes;
	VEC(struct compare_note) refusals; /* reasons against the comparison */
	VEC(struct compare_rename) renames;
	VEC(struct compare_move) moves;
	VEC(struct compare_burst) bursts; /* shares of sides with times only */
	double moved_part; /* part of the lost shares that moved to other functions; 0 to 1 */
	struct compare_whole wholes[2]; /* CPU time or the event, then wall time */
	size_t n_wholes;
	struct str wholes_missing; /* reason why there are none */
	/* if wholes[0] differs: functions that changed with it, largest first */
	VEC(struct compare_part) parts;
	struct arena arena; /* owns all texts above */
};

/*
 * Compare two sides. Errors: ERR_UNSUPPORTED if they are not comparable (ret->refusals has
 * every reason; nothing is computed unless is_forced), ERR_USAGE if the captures lack what
 * @spec asks for. Owner of @ret: caller, compare_fini(), also on error.
 */
MUST_CHECK int compare_profiles(const struct compare_spec *spec, struct category_cache *cats,
				struct compare *ret, struct error *err);
/*
 * The same for traces of calls: mean time per call by function, callees and tracing overhead
 * included (B. L. Welch, Biometrika 34 (1947) 28-35). Runs of a side are combined. Fills the
 * symbol level only. Cost: O(calls log calls). Memory: 8 bytes a call.
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
/* The event without modifiers: "cycles" for "cpu-cycles:uppp". */
struct str compare_event(struct str event);
/* Modifiers 'u' and 'k' as bits: restricted to user space, kernel; 0: no restriction. */
unsigned int compare_event_spaces(struct str event);

#endif
