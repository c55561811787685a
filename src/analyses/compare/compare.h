/* SPDX-License-Identifier: MIT */
/*
 * compare.h - compare two sides: more, less, same, or inconclusive
 *
 * A side is one recording, or several recordings of repeated runs. Each is a profile with samples,
 * or with the rows of a printed report. Functions of the sides are matched by name
 * (compare_names.h). Then their shares or rates are compared (stats_compare.h).
 *
 * Samples of one recording are not independent: work comes in bursts, and threads run in parallel.
 * So for each function the overdispersion is estimated: the variance, divided by the variance of
 * independent samples. The estimate comes from the first of these that is available:
 *   several runs per side: the variance between runs
 *   times of samples: the variance between slices of equal length, 12 to 48 for a recording.
 *   Slices are paired between the sides, so that common phases cancel.
 *   none: COMPARE_DISPERSION is assumed, and the output says so.
 * Several runs are best, because a single recording does not show how much recordings differ.
 *
 * A printed figure is rounded: its interval covers every value that prints as this figure. A
 * function that is missing in a truncated report may have as much as the smallest printed row.
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

#define COMPARE_RUNS_MAX 64u  /* maximum number of captures in a side */
#define COMPARE_ALPHA    0.05 /* false discovery rate; intervals are 95 % */
/*
 * quantile of the normal distribution that gives a power of 80 %: a change as large as
 * compare_row.visible is found in 4 of 5 comparisons
 */
#define COMPARE_POWER_Z 0.8416212335729143
/* in percentage points of the total: a smaller change of a share counts as no change */
#define COMPARE_MARGIN     0.5
#define COMPARE_DISPERSION 1.1 /* overdispersion that is assumed if it cannot be estimated */
/* in percent of A's time per call: a smaller change of a function counts as no change */
#define COMPARE_CALL_MARGIN 5.0
#define COMPARE_CALLS_MIN   5u /* a test needs at least this number of timed calls on each side */
/*
 * each test of a table gets a part of the false discovery rate. This fraction of the rate is split
 * equally among the tests. The rest is split in proportion to the shares of their rows
 */
#define COMPARE_EVEN 0.5
/* a test needs at least this number of samples, of both sides together */
#define COMPARE_COUNT_MIN 5.0

/*
 * Standard deviation of a run's total, in percent of the total. Assumed for a side with only one
 * run. On an idle machine, CPU time and instructions of a program differ by 1 to 3 % from run to
 * run; wall time and page faults differ more.
 */
#define COMPARE_RUN_SPREAD   3.0
#define COMPARE_OTHER_SPREAD 10.0
/*
 * The assumed deviation of a run's total is multiplied by a factor, because waiting times vary more
 * than CPU time. The factor is 1 for a run that never waited, and COMPARE_WAIT_FACTOR for a run
 * that was never on a CPU; between these it is linear.
 */
#define COMPARE_WAIT_FACTOR 3.0
/*
 * If the wall times of both sides are equal within COMPARE_TIMED_LOG (difference of logarithms),
 * the program may run for a set time. It then does less work, and takes less CPU time, if other
 * programs use the CPU meanwhile. So the assumed deviation grows by this part of the fraction of
 * the time of its CPUs in which a run was on none, of which more than COMPARE_TIMED_MOST does not
 * count.
 * Measured on pairs of equal runs of 3 s, with a load average of five for each CPU: their CPU times
 * differed by up to 45 % (labs/cases/control.py).
 */
#define COMPARE_TIMED_LOG  0.02
#define COMPARE_TIMED_PART 0.3
#define COMPARE_TIMED_MOST 0.5
/*
 * Significance levels if both shares and totals are compared. The shares get half of the error
 * rate, and the total CPU time or event count gets the other half. Wall time mostly changes
 * together with CPU time. So its test has a much lower level of its own, which adds hardly any
 * false positives.
 */
#define COMPARE_HALF_ALPHA (COMPARE_ALPHA / 2)
#define COMPARE_WALL_ALPHA 0.005
/* error rate: 1 of 20 comparisons misses a change as large as compare_whole.visible */
#define COMPARE_RUN_MISS   0.05
#define COMPARE_RUN_MARGIN 1.0 /* in percent: a smaller change of a total counts as no change */
#define COMPARE_PARTS_MAX  8u

enum compare_level {
	COMPARE_SYMBOL,   /* table of functions by self weight */
	COMPARE_CHILDREN, /* table of functions by weight with callees */
	COMPARE_DSO,
	COMPARE_CATEGORY,
	COMPARE_STACK, /* table of call chains: one row for each chain */
	COMPARE_LEVEL_COUNT,
	/* call chains with all their callees, in compare.paths; not a table */
	COMPARE_PATHS = COMPARE_LEVEL_COUNT,
};

enum compare_norm {
	COMPARE_TOTAL,    /* shares of the total, in percent */
	COMPARE_SECOND,   /* weight per second of recorded time */
	COMPARE_REQUEST,  /* weight per unit of work: compare_spec.done_a, done_b */
	COMPARE_PER_CALL, /* traces of calls: time per call, in microseconds */
	/* percent of the weight (with callees) of one function, compare_spec.anchor */
	COMPARE_ANCHOR,
};

enum compare_verdict {
	COMPARE_SAME,
	COMPARE_MORE, /* B has a larger value than A */
	COMPARE_LESS,
	COMPARE_CANNOT_TELL,
	COMPARE_VERDICT_COUNT,
};

/* The data that the variance of the differences is estimated from. */
enum compare_spread {
	COMPARE_BY_RUNS, /* several runs on both sides */
	/* only one side has several runs; their variance is used for both sides */
	COMPARE_BY_RUNS_ONE,
	COMPARE_BY_SLICES,
	COMPARE_BY_SLICES_ONE,
	COMPARE_BY_CALLS, /* variance between single calls, which are assumed to be independent */
	COMPARE_ASSUMED,  /* no data shows the variance: COMPARE_DISPERSION is assumed */
	COMPARE_GIVEN,    /* the user set compare_spec.dispersion */
	/*
	 * the number of samples is unknown: there is no variance, only the rounding of printed
	 * figures
	 */
	COMPARE_UNKNOWN,
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
	 * changes of at most this size count as the same: in percentage points for shares, in
	 * percent of A's total for rates. If `margin` is 0 or less, COMPARE_MARGIN is used
	 */
	double margin;
	/* size of change that the user wants to detect, in the unit of `margin`; 0: none */
	double want;
	/*
	 * overdispersion to use instead of an estimate; 0: estimate it, or assume
	 * COMPARE_DISPERSION
	 */
	double dispersion;
	/* standard deviation of a run's total, in percent; 0: measure it, or assume it */
	double run_spread;
	bool is_per_run;    /* each capture is a whole run, even if its file does not state that */
	bool is_forced;     /* compare in spite of reasons against it (compare.refusals) */
	bool has_paths;     /* compute compare.paths in addition to the tables */
	bool is_only_paths; /* with has_paths: skip all tables except the table of functions */
	/*
	 * each row is a line of one function, not a function. compare.overlap is then not checked,
	 * because lines do not show whether both sides are one program
	 */
	bool is_of_lines;
};

struct compare_row {
	/*
	 * name of the row in A; if A lacks the row, in B. For a stack, the whole chain joined by
	 * ';'
	 */
	struct str name;
	struct str name_b; /* name in B, if it differs from `name`; else STR_NONE */
	struct str dso;
	struct str space;
	/* values in the unit compare.unit; of a truncated report, only the printed part */
	double a, b;
	/* smallest and largest value that prints as `a`; equal to `a` if figures are exact */
	double a_low, a_high;
	double b_low, b_high;
	/*
	 * effective sample sizes: this number of independent samples would have the same variance
	 * as `a` (or `b`); NaN: unknown
	 */
	double samples_a, samples_b;
	double delta;
	/* 95 % interval of delta; with COMPARE_UNKNOWN, the range that rounding allows */
	double low, high;
	/*
	 * p: p-value; q: false discovery rate, which corrects p for all tests of the table. NaN:
	 * not tested
	 */
	double p, q;
	/*
	 * weight of the row's test; the mean over all tests of the table is 1. q is computed from p
	 * / weight
	 */
	double weight;
	/* overdispersion: the row's variance divided by that of independent samples */
	double dispersion;
	/* smallest change that would be found in 4 of 5 comparisons; NaN: unknown */
	double visible;
	/*
	 * factor by which recordings must be longer to detect the change compare_spec.want; NaN:
	 * unknown; INFINITY: rounding hides the change
	 */
	double longer;
	/*
	 * with COMPARE_UNKNOWN: number of samples per side with which `delta` would be significant;
	 * NaN: none
	 */
	double needed;
	/* COMPARE_PER_CALL: number of timed calls, and the sum and the median of their durations */
	uint64_t calls_a, calls_b;
	uint64_t total_ns_a, total_ns_b;
	uint64_t p50_ns_a, p50_ns_b;
	enum compare_verdict verdict;
	bool is_new;      /* the row is absent in A */
	bool is_vanished; /* the row is absent in B */
};

/*
 * A call chain with all its callees. There may be millions, so a row holds only what a flame graph
 * needs.
 */
struct compare_path {
	double a, b; /* percent of the side's total; exact, because paths come from samples */
	double low, high;
	double p, q;
	/* symbol of the innermost function, from the side whose symbol has more details */
	sym_id sym;
	uint32_t parent; /* index of the row of its caller; INDEX_NONE: none */
	uint8_t verdict; /* enum compare_verdict */
	bool is_new;
	bool is_vanished;
	bool is_many; /* the row combines all raw addresses of one object */
};

struct compare_paths {
	VEC(struct compare_path) rows; /* a caller precedes its callees */
	uint64_t counts[COMPARE_VERDICT_COUNT];
	uint64_t n_tested;
	struct str missing; /* reason why there are no rows; STR_NONE: there are rows */
};

struct compare_table {
	VEC(struct compare_row) rows; /* sorted by size of the difference, largest first */
	uint64_t counts[COMPARE_VERDICT_COUNT];
	/*
	 * number of rows that are only in B and have the verdict more; number of rows that are only
	 * in A and have the verdict less
	 */
	uint64_t n_new, n_vanished;
	uint64_t n_tested;
	/*
	 * limit for p / weight (compare_row.weight): a test is significant if its value does not
	 * exceed the limit. The limit is corrected for all tests of the table
	 */
	double cut;
	double mean;       /* mean share of the tested rows, over both sides */
	double dispersion; /* median of the rows' dispersion; NaN: unknown */
	/* smallest change that would be detected in a row with 1 % of A's total */
	double visible_one;
	double visible_top; /* smallest change that would be detected in the heaviest row */
	/* factor by which recordings must be longer to detect compare.want in the heaviest row */
	double longer;
	struct str missing; /* reason why there is no table; STR_NONE: there is one */
};

/* A sentence on the validity of the comparison. */
struct compare_note {
	const char *id; /* id of the note: "kernel", "lost", "spread" …; static string */
	bool is_warning;
	struct str sentence;
};

/*
 * Two names that may be one function: one is only in A, the other only in B, and their weights are
 * similar.
 */
struct compare_rename {
	struct str from, to;
	double a, b;
};

/* How the work of one function (the loser) seems to have moved to another one (the gainer). */
enum compare_moved_how {
	MOVED_NAMES, /* one of the two names contains the other */
	/* in A, the gainer called the loser; in B, the loser is inlined or rewritten */
	MOVED_TO_CALLER,
	/* in B, the loser calls the gainer: a part of the loser became a function of its own */
	MOVED_TO_CALLEE,
	/* the loser is only in A, the gainer only in B, and both have the same caller */
	MOVED_SIBLING,
};

/* Weight that one function lost and another one gained. */
struct compare_move {
	struct str from, to;
	double lost, gained; /* weights in the unit compare.unit, both positive */
	struct str caller;   /* MOVED_SIBLING: the common caller */
	enum compare_moved_how how;
};

/*
 * A temporary change: in one short part of its recording, a side spends more in a function than the
 * other side does. In the rest of the recording, both spend the same.
 */
struct compare_burst {
	struct str name, dso;
	/*
	 * excess weight of the function in the burst, in percent of the side's total: its weight in
	 * the burst, minus the weight that it would have there at the other side's share
	 */
	double points;
	double from, to; /* start and end, in seconds since the side's first sample */
	double seconds;  /* duration of the side's recording, from first to last sample */
	bool is_in_b;
};

struct compare_total {
	double weight;    /* sum over all runs of the side, in the event's unit */
	double samples;   /* number of samples of all runs of the side; NaN: unknown */
	double seconds;   /* recorded time of all runs of the side, in seconds; NaN: unknown */
	double shown_pct; /* of a printed report: sum of its rows, in percent of the total */
	/*
	 * compare_run.divisor of the side's last run: its total weight, its seconds, its units of
	 * work, or the weight of the anchor function
	 */
	double unit;
};

/* The total of one quantity, such as CPU time, over whole runs of each side. */
struct compare_whole {
	const char *id;   /* "cpu", "wall" or "event" */
	struct str what;  /* name of the quantity: "CPU time", "wall time", "instructions" */
	struct str unit;  /* "s", "samples", "cycles"; STR_NONE: `what` is the unit, too */
	double a, b;      /* geometric means of the totals of each side's runs, in `unit` */
	double change;    /* change from a to b, in percent of a */
	double low, high; /* 95 % interval of change */
	double alpha;     /* significance level to which p is compared */
	/*
	 * fraction (0 to 1) of the wall time in which no CPU ran the program, for the run with the
	 * largest fraction; 0: none, or unknown. With is_timed: of the time of its CPUs
	 */
	double waited;
	/* all runs took the same wall time: CPU time may show how busy the machine was */
	bool is_timed;
	double p;
	double spread; /* standard deviation of one run, in percent of its total */
	double df;     /* degrees of freedom of `spread` */
	/* smallest increase, in percent, that would be found in 19 of 20 comparisons */
	double visible;
	double want; /* increase in percent for which runs_needed is computed; 0: none */
	/*
	 * number of runs per side with which `want` would be found in 19 of 20 comparisons; 0: too
	 * many
	 */
	uint64_t runs_needed;
	size_t n_a, n_b;
	/* data that `spread` comes from: COMPARE_BY_RUNS, _BY_RUNS_ONE, _ASSUMED or _GIVEN */
	enum compare_spread from;
	enum compare_verdict verdict;
};

/* One function's contribution to the change of the total compare.wholes[0]. */
struct compare_part {
	struct str name, dso;
	/* caller from which nearly all of the change comes; STR_NONE: several, or unknown */
	struct str caller;
	double a, b; /* amounts in compare.wholes[0].unit */
	double delta;
	double error; /* standard error of delta, caused by sampling alone */
	double pct;   /* the contribution in percent of the whole change */
};

struct compare {
	struct compare_table tables[COMPARE_LEVEL_COUNT];
	/*
	 * call chains with all their callees; empty without spec.has_paths. Callers precede their
	 * callees. A caller with one callee and no samples of its own is not tested: it gets the
	 * callee's verdict
	 */
	struct compare_paths paths;
	struct compare_total a, b;
	struct str unit; /* unit of figures: "%", "samples/s", "cycles per request" */
	double scale;    /* total of A in `unit`: 100 for shares */
	double margin;   /* changes up to this size count as the same; in `unit` */
	double want;     /* change that should be detectable, in `unit`; 0: none */
	double alpha;    /* false discovery rate to which the tests of each table are limited */
	enum compare_norm norm;
	enum compare_spread spread;
	unsigned int n_slices;
	/*
	 * number of functions that match without compiler suffixes: "foo.isra.0" in A, "foo" in B
	 */
	uint64_t matched_base;
	/* number of functions matched although they are inlined on one side only */
	uint64_t matched_inlined;
	/* number of functions matched although they are in different objects */
	uint64_t matched_dso;
	/* number of objects that match by their functions or versions: "slow" in A, "slow2" in B */
	uint64_t matched_objects;
	struct str object_example; /* first pair counted in matched_objects: "slow = slow2" */
	/* first pair of functions with different names: "foo.isra.0 = foo" */
	struct str matched_example;
	/*
	 * similarity of the sides in percent: the sum, over all functions, of the smaller of their
	 * two shares
	 */
	double overlap;
	VEC(struct compare_note) notes;
	VEC(struct compare_note) refusals; /* reasons why the sides cannot be compared */
	VEC(struct compare_rename) renames;
	VEC(struct compare_move) moves;
	/* empty unless shares are compared and both sides have times */
	VEC(struct compare_burst) bursts;
	/* weight that moved to other functions, as a fraction of all lost weight */
	double moved_part;
	/* first the total CPU time or event count, then the wall time */
	struct compare_whole wholes[2];
	size_t n_wholes;
	struct str wholes_missing; /* reason why `wholes` is empty */
	/* if wholes[0] differs: functions that changed, largest change first */
	VEC(struct compare_part) parts;
	struct arena arena; /* owner of all strings of this struct */
};

/*
 * Compare two sides. Errors: ERR_UNSUPPORTED if the sides cannot be compared; ret->refusals has all
 * reasons. spec->is_forced ignores these reasons, unless a side has no profile or no figures.
 * ERR_USAGE if the captures lack data that @spec needs. Owner of @ret: caller, compare_fini(), also
 * on error.
 */
MUST_CHECK int compare_profiles(const struct compare_spec *spec, struct category_cache *cats,
				struct compare *ret, struct error *err);
/*
 * Compare traces of calls: the mean time per call of each function, with callees and tracing
 * overhead (B. L. Welch, Biometrika 34 (1947) 28-35). Runs of a side are combined. Only the table
 * COMPARE_SYMBOL is filled. Cost: O(calls log calls). Memory: 8 bytes a call.
 */
MUST_CHECK int compare_calls(const struct compare_spec *spec, struct compare *ret,
			     struct error *err);
void compare_fini(struct compare *c);

/* Name of a verdict: "same", "more", "less", "cannot-tell". */
const char *compare_verdict_name(enum compare_verdict v);
/*
 * Name of @s in JSON: "runs", "runs-of-one", "slices", "slices-of-one", "calls", "assumed",
 * "given", "unknown".
 */
const char *compare_spread_name(enum compare_spread s);
/* Name of a table: "symbol", "children", "dso", "category", "stack". */
const char *compare_level_name(enum compare_level level);
/* The event's usual name without modifiers: "cycles" for "cpu-cycles:uppp". */
struct str compare_event(struct str event);
/*
 * Bits for the modifiers of @event: 1 if it has 'u' (user space only), 2 if 'k' (kernel only). 0:
 * neither, or both.
 */
unsigned int compare_event_spaces(struct str event);

#endif
