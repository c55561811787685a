/* SPDX-License-Identifier: MIT */
/*
 * compare.h - compare two sides: more, less, same, or inconclusive
 *
 * A side is one recording or several runs. Each is a profile with samples or with rows of a
 * printed report. Functions are matched by name (compare_names.h); shares or rates are compared
 * (stats_compare.h).
 *
 * Samples of one recording are not independent: work comes in bursts, and threads run in
 * parallel. So the variance relative to independent samples (overdispersion) is estimated for
 * each function. The source is the first of these that exists:
 *   several runs per side: the variance between runs
 *   times of samples: the variance between 12 to 48 equal slices of the recording. Slices are
 *   paired between the sides, so that common phases cancel.
 *   none: COMPARE_DISPERSION is assumed, and the output says so.
 * Several runs are best: one recording does not show how much recordings differ.
 *
 * A printed figure is rounded: its interval holds for every value that prints the same. A
 * function missing in a truncated report may have as much as the smallest printed row.
 *
 * Cost: O(samples + stack nodes) a level, O(rows log rows). Memory: O(rows * runs + stack nodes +
 * samples of a side). Pure: captures are not changed.
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

#define COMPARE_RUNS_MAX 64u  /* maximum number of captures per side */
#define COMPARE_ALPHA    0.05 /* false discovery rate; intervals are 95 % */
/* normal quantile for a power of 80 %: a change of the visible size is found 4 times of 5 */
#define COMPARE_POWER_Z 0.8416212335729143
/* percentage points of the total: a smaller change of a share counts as the same */
#define COMPARE_MARGIN     0.5
#define COMPARE_DISPERSION 1.1 /* assumed variance, relative to independent samples */
/* percent of A's time per call: a smaller change counts as the same */
#define COMPARE_CALL_MARGIN 5.0
#define COMPARE_CALLS_MIN   5u /* minimum number of timed calls per side for a test */
/* share of the error budget that is split equally among tests; the rest is split by share */
#define COMPARE_EVEN      0.5
#define COMPARE_COUNT_MIN 5.0 /* minimum number of samples, both sides together, for a test */

/*
 * Assumed standard deviation of a run's total, in percent of the total. It is used with one run a
 * side, which does not show how much runs differ. On an idle machine, CPU time and instructions of
 * a program repeat to 1 to 3 %; wall time and page faults repeat less well.
 */
#define COMPARE_RUN_SPREAD   3.0
#define COMPARE_OTHER_SPREAD 10.0
/*
 * A run that never waited has the assumed deviation; a run that was never on a CPU has this
 * multiple of it. The factor is linear in between.
 */
#define COMPARE_WAIT_FACTOR 3.0
/*
 * Significance levels if totals are compared besides shares: each gets half of the error rate. Wall
 * time mostly changes with CPU time: its own level is so low that it hardly adds errors.
 */
#define COMPARE_HALF_ALPHA (COMPARE_ALPHA / 2)
#define COMPARE_WALL_ALPHA 0.005
#define COMPARE_RUN_MISS   0.05 /* 1 of 20 comparisons misses a change of the visible size */
#define COMPARE_RUN_MARGIN 1.0  /* percent: a smaller change of a total counts as the same */
#define COMPARE_PARTS_MAX  8u

enum compare_level {
	COMPARE_SYMBOL,   /* the function itself */
	COMPARE_CHILDREN, /* the function with its callees */
	COMPARE_DSO,
	COMPARE_CATEGORY,
	COMPARE_STACK, /* the function with its call chain */
	COMPARE_LEVEL_COUNT,
	COMPARE_PATHS = COMPARE_LEVEL_COUNT, /* a stack with all its callees: compare.paths */
};

enum compare_norm {
	COMPARE_TOTAL,    /* shares of the total, in percent */
	COMPARE_SECOND,   /* weight per second of recorded time */
	COMPARE_REQUEST,  /* weight per unit of work: compare_spec.done_a, done_b */
	COMPARE_PER_CALL, /* traces of calls: time per call, in microseconds */
	COMPARE_ANCHOR,   /* percent of the weight of one function with its callees */
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
	COMPARE_BY_CALLS, /* deviations between single calls, assumed independent */
	COMPARE_ASSUMED,  /* COMPARE_DISPERSION is assumed */
	COMPARE_GIVEN,    /* the user set compare_spec.dispersion */
	COMPARE_UNKNOWN,  /* unknown number of samples: only the rounding range is known */
};

struct compare_side {
	const struct capture *captures[COMPARE_RUNS_MAX];
	size_t n;
};

struct compare_spec {
	struct compare_side a, b;
	enum compare_norm norm;
	struct str anchor; /* COMPARE_ANCHOR: function whose weight is the divisor */
	double done_a;     /* COMPARE_REQUEST: units of work done in each run of A */
	double done_b;
	/*
	 * percentage points; for rates, percent of A's total. Smaller changes count as the same.
	 * 0 or less: COMPARE_MARGIN
	 */
	double margin;
	double want; /* change that should be detectable, in the unit of margin; 0: none */
	/* variance to use instead of an estimate; 0: estimate it, or use COMPARE_DISPERSION */
	double dispersion;
	/* standard deviation of a run's total, in percent; 0: measure it, or assume it */
	double run_spread;
	bool is_per_run;    /* each capture is a whole run, even if its file does not state that */
	bool is_forced;     /* compare in spite of reasons against it (compare.refusals) */
	bool has_paths;     /* also compute compare.paths */
	bool is_only_paths; /* with has_paths: skip all tables except the table of functions */
};

struct compare_row {
	struct str name;   /* A's name, else B's; for a stack, the whole chain joined by ';' */
	struct str name_b; /* B's name if it differs; else STR_NONE */
	struct str dso;
	struct str space;
	/* values in compare.unit; from a truncated report, the printed part */
	double a, b;
	/* range that the rounding of a allows; equal to a if figures are exact */
	double a_low, a_high;
	double b_low, b_high;
	double samples_a, samples_b; /* effective number of independent samples; NaN: unknown */
	double delta;
	double low, high;  /* 95 % interval of delta; with COMPARE_UNKNOWN, the rounding range */
	double p, q;       /* q: p corrected for all tests of the table; NaN: not tested */
	double weight;     /* weight of the test in its table; q is computed from p / weight */
	double dispersion; /* variance, relative to independent samples */
	double visible;    /* smallest change that is found 4 times of 5; NaN: unknown */
	/*
	 * recording time must grow by this factor to detect compare_spec.want; NaN: unknown;
	 * INFINITY: rounding hides the change
	 */
	double longer;
	/*
	 * COMPARE_UNKNOWN: number of samples per side that would make delta significant; NaN: none
	 */
	double needed;
	/* COMPARE_PER_CALL: number of timed calls, their sum and their median */
	uint64_t calls_a, calls_b;
	uint64_t total_ns_a, total_ns_b;
	uint64_t p50_ns_a, p50_ns_b;
	enum compare_verdict verdict;
	bool is_new;      /* absent in A */
	bool is_vanished; /* absent in B */
};

/*
 * A stack with all its callees. There may be millions, so a row holds only what a flame graph
 * needs.
 */
struct compare_path {
	double a, b; /* percent of the side's total; exact, because paths come from samples */
	double low, high;
	double p, q;
	sym_id sym;      /* the function's symbol with the most information */
	uint32_t parent; /* row of the caller; INDEX_NONE: none */
	uint8_t verdict; /* enum compare_verdict */
	bool is_new;
	bool is_vanished;
	bool is_many; /* the row combines all unnamed addresses of an object */
};

struct compare_paths {
	VEC(struct compare_path) rows; /* callers first */
	uint64_t counts[COMPARE_VERDICT_COUNT];
	uint64_t n_tested;
	struct str missing; /* reason why there are no rows */
};

struct compare_table {
	VEC(struct compare_row) rows; /* largest difference first */
	uint64_t counts[COMPARE_VERDICT_COUNT];
	/* number of rows absent in A (verdict more), and of rows absent in B (verdict less) */
	uint64_t n_new, n_vanished;
	uint64_t n_tested;
	/* largest p / weight that is significant after correction */
	double cut;
	double mean;        /* mean of a and b over the tested rows */
	double dispersion;  /* median of the rows' dispersion; NaN: unknown */
	double visible_one; /* smallest detectable change of a row with 1 % of A's total */
	double visible_top; /* smallest detectable change of the heaviest row */
	/* recording time must grow by this factor to detect compare.want in the heaviest row */
	double longer;
	struct str missing; /* reason why there is no table; STR_NONE: there is one */
};

/* A sentence on the validity of the comparison. */
struct compare_note {
	const char *id; /* "kernel", "lost", "spread" …; static string */
	bool is_warning;
	struct str sentence;
};

/* Two names that may be one function: one vanished, one is new, and their weights are similar. */
struct compare_rename {
	struct str from, to;
	double a, b;
};

/* Evidence that the work of a function moved to another one. */
enum compare_moved_how {
	MOVED_NAMES, /* one name contains the other */
	/* the gaining function called the losing one in A; in B it is inlined or rewritten */
	MOVED_TO_CALLER,
	MOVED_TO_CALLEE, /* the losing function calls the gaining one in B: a part was split off */
	/* the losing function vanished, the gaining one is new, and both have the same caller */
	MOVED_SIBLING,
};

/* A share that one function lost and another one gained. */
struct compare_move {
	struct str from, to;
	double lost, gained; /* in compare.unit, both positive */
	struct str caller;   /* MOVED_SIBLING: the common caller */
	enum compare_moved_how how;
};

/*
 * A temporary change: one side spends more in a function during one short part of its recording,
 * and as much as the other side in the rest.
 */
struct compare_burst {
	struct str name, dso;
	double points;   /* excess over the other side's share, in percent of this side's total */
	double from, to; /* start and end, in seconds since the side's first sample */
	double seconds;  /* duration of the side's recording, from first to last sample */
	bool is_in_b;
};

struct compare_total {
	double weight;    /* sum over all runs, in the event's unit */
	double samples;   /* NaN: unknown */
	double seconds;   /* NaN: unknown */
	double shown_pct; /* printed reports: percent of the total that the rows add up to */
	double unit;      /* a weight divided by this is a value */
};

/* The totals of whole runs, compared. Their parts by function: struct compare_part. */
struct compare_whole {
	const char *id;   /* "cpu", "wall" or "event" */
	struct str what;  /* "CPU time", "wall time", "instructions" */
	struct str unit;  /* "s", "samples", "cycles"; STR_NONE: `what` names the unit */
	double a, b;      /* geometric means of the runs, in `unit` */
	double change;    /* percent of a */
	double low, high; /* 95 % interval of change */
	double alpha;     /* significance level for p */
	/*
	 * share of the wall time in which the run was on no CPU, for the run with the largest
	 * share; 0: none, or unknown
	 */
	double waited;
	double p;
	double spread;  /* standard deviation of one run, in percent of its total */
	double df;      /* degrees of freedom of `spread` */
	double visible; /* smallest increase that is found 19 times of 20, in percent */
	double want;    /* increase in percent that runs_needed refers to; 0: none */
	/* number of runs a side with which `want` is found 19 times of 20; 0: too many */
	uint64_t runs_needed;
	size_t n_a, n_b;
	enum compare_spread from; /* BY_RUNS, BY_RUNS_ONE, ASSUMED or GIVEN */
	enum compare_verdict verdict;
};

/* A function's part of the change of the total in compare.wholes[0]. */
struct compare_part {
	struct str name, dso;
	/* caller that accounts for nearly all of the change; STR_NONE: several, or unknown */
	struct str caller;
	double a, b; /* amounts in compare.wholes[0].unit */
	double delta;
	double error; /* standard error of delta, from sampling alone */
	double pct;   /* percent of the total's change */
};

struct compare {
	struct compare_table tables[COMPARE_LEVEL_COUNT];
	/*
	 * With spec.has_paths: functions with callees, by call chain; callers come before callees.
	 * A caller with a single callee and no samples of its own is not tested: it has the
	 * callee's verdict.
	 */
	struct compare_paths paths;
	struct compare_total a, b;
	struct str unit; /* "%", "samples/s", "cycles per request" */
	double scale;    /* A's total in `unit`: 100 for shares */
	double margin;   /* changes up to this size count as the same; in `unit` */
	double want;     /* change that should be detectable, in `unit`; 0: none */
	double alpha;    /* false discovery rate of each table */
	enum compare_norm norm;
	enum compare_spread spread;
	unsigned int n_slices;
	uint64_t matched_base;      /* functions matched although their names differ in suffixes */
	uint64_t matched_inlined;   /* functions matched although one side has them inlined */
	uint64_t matched_dso;       /* functions matched across objects */
	uint64_t matched_objects;   /* objects matched although their names differ */
	struct str object_example;  /* "slow = slow2" */
	struct str matched_example; /* "foo.isra.0 = foo" */
	/*
	 * similarity of the sides: for each function the smaller of its two shares, summed; percent
	 */
	double overlap;
	VEC(struct compare_note) notes;
	VEC(struct compare_note) refusals; /* reasons why the sides are not comparable */
	VEC(struct compare_rename) renames;
	VEC(struct compare_move) moves;
	/* empty unless shares are compared and both sides have times */
	VEC(struct compare_burst) bursts;
	double moved_part; /* share of the lost weight that moved to other functions; 0 to 1 */
	struct compare_whole wholes[2]; /* first CPU time or the event, then wall time */
	size_t n_wholes;
	struct str wholes_missing; /* reason why `wholes` is empty */
	/* if wholes[0] differs: functions that changed, largest change first */
	VEC(struct compare_part) parts;
	struct arena arena; /* owns all strings above */
};

/*
 * Compare two sides. Errors: ERR_UNSUPPORTED if they are not comparable (ret->refusals has
 * every reason; nothing is computed unless is_forced), ERR_USAGE if the captures lack what
 * @spec asks for. Owner of @ret: caller, compare_fini(), also on error.
 */
MUST_CHECK int compare_profiles(const struct compare_spec *spec, struct category_cache *cats,
				struct compare *ret, struct error *err);
/*
 * Compare traces of calls: mean time per call by function, including callees and tracing overhead
 * (B. L. Welch, Biometrika 34 (1947) 28-35). Runs of a side are combined. Fills the symbol level
 * only. Cost: O(calls log calls). Memory: 8 bytes a call.
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
/*
 * The modifiers 'u' and 'k' as bits: the event counts in user space, in the kernel. 0: no
 * restriction.
 */
unsigned int compare_event_spaces(struct str event);

#endif
