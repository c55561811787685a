/* SPDX-License-Identifier: MIT */
/*
 * profile.h - weighted stacks, and printed report tables
 *
 * A profile has samples (stacks with weights: perf script, folded, perf.data), or the rows of a
 * printed report with their call trees, or both. If a printed report determines its samples,
 * transform/recover.h rebuilds them and states whether they are exact.
 *
 * Weights are integers of 10^-decimals of the unit, so that sums are exact: "26.76 %" is 2676
 * with decimals 2. A weight read from print stands for an interval. printed_decimals is the
 * number of printed digits, and the half-width of one weight is half a unit of its last digit.
 * A sum of n weights has n times that half-width. Exact weights have is_rounded false.
 */
#ifndef CORE_PROFILE_H
#define CORE_PROFILE_H

#include "base/idmap.h"
#include "base/status.h"
#include "base/vec.h"
#include "core/ids.h"
#include "core/stacks.h"

enum weight_unit {
	WEIGHT_SAMPLES, /* a count of samples */
	WEIGHT_EVENTS,  /* the event's own count: cycles, page-faults … (perf's period) */
	WEIGHT_NS,      /* the event counts nanoseconds: cpu-clock, task-clock, off-CPU time */
	WEIGHT_PERCENT, /* percent of a total that may be unknown */
	WEIGHT_BYTES,
	WEIGHT_UNKNOWN, /* a number without a unit: folded stacks */
};

/* A thread as named by samples. pid or tid 0 with !has: unknown. */
struct profile_thread {
	str_id comm;
	uint32_t pid;
	uint32_t tid;
	bool has_pid;
	bool has_tid;
};

/* A text column of samples: a tracepoint field, the control group. */
struct sample_field {
	str_id name;
	VEC(uint32_t) values; /* str_id.v by sample number */
};

/*
 * Columns by sample number. stack and weight always have n elements; time_ns, thread, cpu,
 * no_frame and count have n elements or none. 12 bytes a sample, 26 with time, thread and cpu.
 *
 * A reader may add samples of one stack into one element if nobody asked for their other
 * fields. count is then their number and weight their sum. profile_count_samples() returns the
 * number of samples; n is the number of elements.
 */
struct samples {
	size_t n;
	VEC(stack_id) stack;
	VEC(uint64_t) weight;
	VEC(uint32_t) count; /* samples in the element; absent: 1 each */
	VEC(uint64_t) time_ns;
	VEC(uint32_t) thread; /* row of profile.threads */
	VEC(uint16_t) cpu;    /* UINT16_MAX: unknown */
	/*
	 * 1: frame pointers made the chain, and the innermost user function had not set up its
	 * frame. Its caller may be missing; the frame above it is then the caller's caller.
	 */
	VEC(uint8_t) no_frame;
	VEC(struct sample_field) fields;
};

/* Fields of a printed row; a missing column is absent, not zero. */
enum row_has {
	ROW_HAS_SELF = 1 << 0,
	ROW_HAS_CHILDREN = 1 << 1,
	ROW_HAS_SAMPLES = 1 << 2,
	ROW_HAS_SYMBOL = 1 << 3,
	ROW_HAS_COMM = 1 << 4,
	ROW_HAS_DSO = 1 << 5,
	ROW_HAS_PERIOD = 1 << 6,
	ROW_HAS_PID = 1 << 7,
	ROW_HAS_CPU = 1 << 8,
};

/* One printed row: a line of perf report or perf top. */
struct profile_row {
	uint64_t self;     /* weight in the profile's unit; of a flat report its only percentage */
	uint64_t children; /* weight */
	uint64_t samples;  /* a printed count of samples, next to the weight */
	uint64_t period;   /* a printed count of events, next to the weight */
	sym_id sym;        /* its module is the DSO of the row */
	str_id comm;
	str_id dso; /* as printed; set even if the row has no symbol */
	uint32_t pid;
	uint32_t cpu;
	uint32_t line;     /* of the original input */
	uint32_t tree;     /* its first node in profile.nodes, INDEX_NONE if none */
	uint32_t extra;    /* first of its extra_columns.len cells in extra_cells, or INDEX_NONE */
	uint16_t has;      /* enum row_has */
	char level;        /* perf's letter: k . g u H, or ' ' */
	bool is_truncated; /* the line or symbol is truncated */
};

/*
 * A frame of a printed call tree. Nodes are in preorder: the first child, if any, is the next
 * node; the subtree ends at `end`.
 */
struct profile_node {
	uint64_t weight; /* absolute, as in rows; weight of the frame's branch */
	sym_id sym;
	uint32_t parent; /* node, or INDEX_NONE at the top of a row's tree */
	uint32_t end;    /* node after the last one of the subtree */
	uint32_t line;
	bool is_printed; /* the line prints the percentage; otherwise inherited */
	bool is_other;   /* "[...]": entries below the limit, no symbol */
};

enum chain_order {
	CHAIN_UNKNOWN,
	CHAIN_CALLEE, /* sampled function first, then its callers */
	CHAIN_CALLER, /* outermost function first */
	/* perf <= 4.4, DWARF: kernel part outermost first, then user part innermost first */
	CHAIN_MIXED,
};

enum chain_style {
	CHAIN_NONE,
	CHAIN_GRAPH,   /* percentages of the total ("graph") */
	CHAIN_FRACTAL, /* percentages of the parent */
	CHAIN_FLAT,    /* chains one below another, each with a percentage */
	CHAIN_TUI,     /* the - and + of the text user interface */
};

/* A printed chain with its share that belongs to no row: call traces of lkp. */
struct profile_trace {
	/* of the first function when called through the others, its callees included */
	uint64_t weight;
	uint32_t first; /* in trace_syms: the function, then its callers */
	uint32_t n;
	uint32_t line;
};

/* A report table as printed. */
struct profile_table {
	VEC(struct profile_row) rows; /* in print order; ids are indices */
	VEC(struct profile_node) nodes;
	VEC(struct profile_trace) traces;
	VEC(sym_id) trace_syms;
	VEC(str_id) extra_columns; /* titles of columns without a field above */
	VEC(str_id) extra_cells;
	uint16_t columns; /* enum row_has: columns of the table */
	enum chain_order order;
	enum chain_style style;
	/* tree percentages seemed relative and were converted to absolute */
	bool is_relative_assumed;
	bool has_header;
	double limit_pct; /* smallest percentage of printed trees; < 0: unknown */
};

/* How the call chains of a recording were made. */
enum chain_source {
	CHAINS_UNKNOWN,        /* text formats do not state it */
	CHAINS_FRAME_POINTERS, /* by the kernel, from frame pointers */
	CHAINS_UNWOUND,        /* from stack dumps, with call frame information */
	CHAINS_BRANCHES,       /* by the processor's branch record (LBR) */
};

enum recovery {
	RECOVERY_NONE,    /* not tried, or impossible */
	RECOVERY_EXACT,   /* samples reproduce every printed figure */
	RECOVERY_PARTIAL, /* a lower bound: see recovered_weight */
};

/* Place of a CPU; UINT16_MAX: unknown. */
struct profile_cpu {
	uint16_t socket;
	uint16_t node; /* NUMA node */
};

/*
 * Conditions of a recording, where the format states them. Counts cover the records of all
 * events of the file, unless marked as of this event.
 */
struct profile_recording {
	bool is_known;
	bool has_branches;   /* samples carry a branch stack (perf record -b), which is not read */
	uint64_t frequency;  /* requested samples a second of this event; 0: a fixed period */
	uint64_t period;     /* of this event; 0: a frequency */
	uint64_t enabled_ns; /* of this event, over all CPUs and threads; 0: not recorded */
	uint64_t running_ns; /* less than enabled_ns: the event was multiplexed */
	uint64_t throttled;
	uint64_t lost_records; /* records of any kind that did not fit the buffer */
	uint64_t lost_samples; /* samples that the kernel reports as lost */
	uint64_t switches, forks, exits, namespaces, cgroups, reads, aux;
	/* of the recorded command, from exec to exit, if the recording has both; 0: unknown */
	uint64_t command_ns;
};

/* Running time of a thread, from the switches that also show its waits. */
struct profile_ran {
	uint32_t tid;
	uint64_t ran_ns;
	uint64_t from_ns; /* first and last time at which the thread was seen */
	uint64_t to_ns;
};

/* When a thread began to exit. */
struct profile_exit {
	uint32_t tid;
	uint64_t time_ns;
};

/* Why addresses have no symbol, as clauses without a final dot; STR_ID_NONE: unknown. */
struct profile_unnamed {
	str_id kernel;
	str_id user;
};

/*
 * If samples in kernel data, where no code runs, exceed this share of weight, the symbols come
 * from another kernel. Smaller shares come from single symbols that assemblers place between
 * code and data.
 */
#define PROFILE_DATA_PCT 1.0

struct profile {
	str_id event;           /* "cycles", "cpu-clock:u"; STR_ID_NONE: unknown */
	uint64_t event_count;   /* total of the event; 0 and !has: unknown */
	uint64_t n_samples;     /* from the header, or counted; 0 and !has: unknown */
	uint64_t n_samples_err; /* half-width: "73K" is 73000 ± 500 */
	uint64_t lost;
	bool has_event_count;
	bool has_n_samples;
	bool has_lost;
	struct profile_recording recording;
	struct profile_unnamed unnamed;
	VEC(struct profile_cpu) cpus; /* by CPU number; empty: unknown */

	enum weight_unit unit;
	uint8_t decimals;         /* of all weights, rows and samples alike */
	uint8_t printed_decimals; /* digits in print */
	bool is_rounded;          /* read from print: half-width 0.5 * 10^-printed_decimals */

	struct samples samples;
	/*
	 * Weight of samples that a selection removed and that still belong to 100 %; see
	 * transform/select.h. event_count and n_samples include them.
	 */
	uint64_t left_out;
	uint8_t chains;                 /* enum chain_source of user frames */
	bool has_no_callers;            /* chains were not read: read_options.without_callers */
	bool is_selected;               /* a selection may have removed samples, even all */
	VEC(struct profile_ran) ran;    /* waits: by thread id; otherwise empty */
	VEC(struct profile_exit) exits; /* switches: of threads, as recorded; otherwise empty */
	uint64_t span_ns;               /* waits: recorded time of the switches */
	bool has_wakeups;               /* waits: wakeups were recorded */
	bool is_complete;               /* every element is a complete event, and none is missing */
	bool is_summed;                 /* an element is the sum of an unknown number of events */
	struct stacks stacks;
	VEC(struct profile_thread) threads;
	struct idmap threads_map;
	struct profile_table table;

	/*
	 * Origin of `samples` if rebuilt from `table`. RECOVERY_EXACT: sample weights are exact
	 * counts of samples, independent of unit and decimals, which then describe rows only.
	 */
	enum recovery recovery;
	uint64_t recovered_weight; /* of samples with a printed chain */
};

void profile_init(struct profile *p);
void profile_fini(struct profile *p);
/* Return the row of @thread, made on first use. */
uint32_t profile_thread(struct profile *p, struct profile_thread thread);
/*
 * Add a sample. The caller appends to the optional columns samples.time_ns, .thread, .cpu, for
 * every sample or for none. Errors: ERR_LIMIT past LIMIT_SAMPLES.
 */
MUST_CHECK int profile_add_sample(struct profile *p, stack_id stack, uint64_t weight);
/* Number of samples in element @i. */
static inline uint32_t profile_samples_at(const struct profile *p, size_t i)
{
	return p->samples.count.len ? p->samples.count.data[i] : 1;
}
/* Number of samples in all elements. Cost: O(n) if the count column exists. */
uint64_t profile_count_samples(const struct profile *p);
/*
 * Effective sample size (Kish): (sum w)² / sum w², the number of samples of equal weight with
 * the same precision. Less than n_samples if weights differ; 0: n_samples is unknown. Samples
 * in one element are taken as equal. Cost: O(n).
 */
double profile_effective_samples(const struct profile *p);
/* Set samples.no_frame of the sample added last. */
void profile_set_no_frame(struct profile *p, bool has_no_frame);
/* Set field @name of a sample; others have the empty string. No effect past LIMIT_COLUMNS. */
void profile_set_field(struct profile *p, size_t sample, str_id name, str_id value);
/* Extend all fields to the number of samples; readers call it last. */
void profile_finish_fields(struct profile *p);
/*
 * Give weights at least @decimals decimals, scaling existing ones. Errors: ERR_LIMIT if a
 * weight would overflow, past 9 decimals, or after an exact recovery; nothing changes then.
 */
MUST_CHECK int profile_set_decimals(struct profile *p, unsigned int decimals);
/* 10^decimals. */
uint64_t profile_scale(const struct profile *p);
/* Half-width of one printed weight in its unit (0.005 for 26.76), 0 if exact. */
double profile_half_width(const struct profile *p);

/* Unit and decimals of sample weights, which differ from those of rows after an exact recovery. */
enum weight_unit profile_sample_unit(const struct profile *p);
uint8_t profile_sample_decimals(const struct profile *p);

/*
 * Node after the tree of row @row: its top frames are siblings, and the tree of a later row
 * follows the last one.
 */
uint32_t profile_tree_end(const struct profile_table *t, size_t row);

static inline double profile_value(const struct profile *p, uint64_t weight)
{
	return (double)weight / (double)profile_scale(p);
}

#endif
