/* SPDX-License-Identifier: MIT */
/*
 * profile.h - weighted stacks, and the printed tables that were made from them
 *
 * A profile has samples (stacks with weights: perf script, folded, perf.data),
 * or the rows of a printed report with the call trees under them, or both: when
 * a printed report over-determines its samples, transform/recover.h rebuilds them
 * and says whether that is exact.
 *
 * Weights are integers of 10^-decimals of the unit, so that sums are exact:
 * "26.76 %" is 2676 with decimals 2. A weight read from print stands for an
 * interval: printed_decimals says how many digits the column was printed with,
 * and the half-width of one weight is half a unit of its last digit; a sum of n
 * weights carries n times that. Exact weights have is_rounded false.
 */
#ifndef CORE_PROFILE_H
#define CORE_PROFILE_H

#include "core/stacks.h"

enum weight_unit {
	WEIGHT_SAMPLES, /* a count of samples */
	WEIGHT_EVENTS,  /* the event's own count: cycles, page-faults … (perf's period) */
	WEIGHT_NS,      /* the event counts nanoseconds: cpu-clock, task-clock, off-CPU time */
	WEIGHT_PERCENT, /* of a total that may not be known */
	WEIGHT_BYTES,
	WEIGHT_UNKNOWN, /* a number without a unit: folded stacks */
};

/* One thread as a sample names it. pid or tid 0 with !has: not said. */
struct profile_thread {
	str_id comm;
	uint32_t pid;
	uint32_t tid;
	bool has_pid;
	bool has_tid;
};

/* A column of words of the samples: a field of a tracepoint, the control group. */
struct sample_field {
	str_id name;
	VEC(uint32_t) values; /* str_id.v by sample number */
};

/*
 * Columns by sample number. stack and weight always have n elements; time_ns,
 * thread, cpu, no_frame and count have n elements or none. 12 bytes a sample, 26 with time,
 * thread and cpu.
 *
 * Where nobody asks for what tells samples of one stack apart, a reader may add
 * them up into one element: count then says how many they were, weight is their
 * sum. The number of samples is profile_count_samples(), not n.
 */
struct samples {
	size_t n;
	VEC(stack_id) stack;
	VEC(uint64_t) weight;
	VEC(uint32_t) count; /* samples that the element stands for; absent: 1 each */
	VEC(uint64_t) time_ns;
	VEC(uint32_t) thread; /* row of profile.threads */
	VEC(uint16_t) cpu;    /* UINT16_MAX: not said */
	/*
	 * 1: the chain was made by frame pointers, and the program's innermost function had
	 * none yet: its caller may be missing, and the frame above it is that one's caller.
	 */
	VEC(uint8_t) no_frame;
	VEC(struct sample_field) fields;
};

/* What a printed row has; absent columns are absent, not zero. */
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
	uint64_t self;     /* weight, see decimals; the one percentage of a flat report */
	uint64_t children; /* weight */
	uint64_t samples;
	uint64_t period;
	sym_id sym; /* its module is the DSO of the row */
	str_id comm;
	str_id dso; /* as printed; also where the row has no symbol */
	uint32_t pid;
	uint32_t cpu;
	uint32_t line;  /* of the original input */
	uint32_t tree;  /* first node of profile.nodes under it, INDEX_NONE if none */
	uint32_t extra; /* first of extra_columns.len cells in profile.extra_cells, or INDEX_NONE */
	uint16_t has;   /* enum row_has */
	char level;     /* perf's letter: k . g u H, or ' ' */
	bool is_truncated; /* the row is cut: line or symbol incomplete */
};

/*
 * A frame of a printed call tree. Children of a node follow in preorder: the
 * first child, if there is one, is the next node; subtree ends at `end`.
 */
struct profile_node {
	uint64_t weight; /* absolute, as for rows; of the branch that the frame belongs to */
	sym_id sym;
	uint32_t parent; /* node, or INDEX_NONE at the top of a row's tree */
	uint32_t end;    /* node number behind the last one of the subtree */
	uint32_t line;
	bool is_printed; /* the line itself carries the percentage; else it is inherited */
	bool is_other;   /* "[...]": what was below the limit, no symbol */
};

enum chain_order {
	CHAIN_UNKNOWN,
	CHAIN_CALLEE, /* first the sampled function, then its callers */
	CHAIN_CALLER, /* first the outermost function */
	CHAIN_MIXED,  /* kernel part outermost first, then user part innermost first: perf <= 4.4,
			 DWARF */
};

enum chain_style {
	CHAIN_NONE,
	CHAIN_GRAPH,   /* percentages of the total ("graph") */
	CHAIN_FRACTAL, /* percentages of the parent */
	CHAIN_FLAT,    /* one chain under another, each with a percentage */
	CHAIN_TUI,     /* the - and + of the text user interface */
};

/* A chain that is printed with its share and belongs to no row: lkp's call traces. */
struct profile_trace {
	uint64_t weight; /* of the first function through the others, with what it calls */
	uint32_t first;  /* in trace_syms: the function, then its callers */
	uint32_t n;
	uint32_t line;
};

/* A report table as printed. */
struct profile_table {
	VEC(struct profile_row) rows; /* in order of print; ids are positions */
	VEC(struct profile_node) nodes;
	VEC(struct profile_trace) traces;
	VEC(sym_id) trace_syms;
	VEC(str_id) extra_columns; /* titles of columns without a field of their own */
	VEC(str_id) extra_cells;
	uint16_t columns; /* enum row_has: columns that the table has */
	enum chain_order order;
	enum chain_style style;
	bool is_relative_assumed; /* tree percentages looked relative and were made absolute */
	bool has_header;
	double limit_pct; /* smallest percentage for which trees were printed; < 0 unknown */
};

/* How the chains of a recording were made. */
enum chain_source {
	CHAINS_UNKNOWN,        /* a text does not say it */
	CHAINS_FRAME_POINTERS, /* by the kernel, which follows frame pointers */
	CHAINS_UNWOUND,        /* from copied stacks, by call frame information */
	CHAINS_BRANCHES,       /* by the processor's record of calls (LBR) */
};

enum recovery {
	RECOVERY_NONE,    /* not tried, or no samples to be had */
	RECOVERY_EXACT,   /* samples reproduce every printed figure */
	RECOVERY_PARTIAL, /* a lower bound: see recovered_weight */
};

/* Where a CPU sits; UINT16_MAX: not said. */
struct profile_cpu {
	uint16_t socket;
	uint16_t node; /* of memory */
};

/*
 * What a recording says about how it went, where its format says it; counts of
 * records for all events of the file, save what is of one event.
 */
struct profile_recording {
	bool is_known;
	bool has_branches;   /* of each sample the branches before it (perf record -b), not read */
	uint64_t frequency;  /* samples a second that were asked for, of this event; 0: a period */
	uint64_t period;     /* of this event; 0: a frequency */
	uint64_t enabled_ns; /* of this event, all CPUs and threads; 0: not recorded */
	uint64_t running_ns; /* less than enabled: it shared a counter */
	uint64_t throttled;
	uint64_t lost_records; /* anything the buffer had no room for */
	uint64_t lost_samples; /* samples that the kernel says it could not write */
	uint64_t switches, forks, exits, namespaces, cgroups, reads, aux;
};

/* How long a thread ran, by the switches that tell of its waits. */
struct profile_ran {
	uint32_t tid;
	uint64_t ran_ns;
	uint64_t from_ns; /* first and last time at which it was seen */
	uint64_t to_ns;
};

/* Why addresses have no names, as clauses without a final dot; STR_ID_NONE: not known. */
struct profile_unnamed {
	str_id kernel;
	str_id user;
};

/*
 * Samples whose function is data of the kernel, where no code runs: more of all weight than this
 * means that the names are of another kernel. Less comes from single symbols that assemblers
 * place between code and data.
 */
#define PROFILE_DATA_PCT 1.0

struct profile {
	str_id event;           /* "cycles", "cpu-clock:u"; STR_ID_NONE: not said */
	uint64_t event_count;   /* of the event, 0 and !has: not said */
	uint64_t n_samples;     /* as the header says, or counted */
	uint64_t n_samples_err; /* half-width: "73K" is 73000 ± 500 */
	uint64_t lost;
	bool has_event_count;
	bool has_n_samples;
	bool has_lost;
	struct profile_recording recording;
	struct profile_unnamed unnamed;
	VEC(struct profile_cpu) cpus; /* by CPU number; empty: not said */

	enum weight_unit unit;
	uint8_t decimals;         /* of every weight here, rows and samples alike */
	uint8_t printed_decimals; /* digits that were printed */
	bool is_rounded;          /* read from print: half-width 0.5 * 10^-printed_decimals */

	struct samples samples;
	/*
	 * Weight of samples that a choice took away and that 100 % still counts;
	 * see transform/select.h. event_count and n_samples count them too.
	 */
	uint64_t left_out;
	uint8_t chains;              /* enum chain_source, of the program's part */
	bool has_no_callers;         /* they were left out, as nobody asked for them */
	bool is_selected;            /* some samples may have been taken away, even all */
	VEC(struct profile_ran) ran; /* of waits, by thread id; else empty */
	uint64_t span_ns;            /* of waits: how long switches were recorded */
	bool has_wakeups;            /* of waits: it was recorded what ended them */
	bool is_complete; /* each sample is something that happened, all of them are there */
	struct stacks stacks;
	VEC(struct profile_thread) threads;
	struct idmap threads_map;
	struct profile_table table;

	/*
	 * How `samples` came from `table`. RECOVERY_EXACT: the weights of samples
	 * are counts of samples, exact, whatever unit and decimals say about rows.
	 */
	enum recovery recovery;
	uint64_t recovered_weight; /* of samples that have a printed chain */
};

void profile_init(struct profile *p);
void profile_fini(struct profile *p);
/* The row of @thread, made on first use. */
uint32_t profile_thread(struct profile *p, struct profile_thread thread);
/*
 * Add a sample. Optional columns are pushed by the caller to samples.time_ns,
 * .thread, .cpu, for every sample or for none.
 * Errors: ERR_LIMIT past LIMIT_SAMPLES.
 */
MUST_CHECK int profile_add_sample(struct profile *p, stack_id stack, uint64_t weight);
/* Samples that element @i stands for. */
static inline uint32_t profile_samples_at(const struct profile *p, size_t i)
{
	return p->samples.count.len ? p->samples.count.data[i] : 1;
}
/* Samples that all elements stand for. Cost: O(n) where they were added up. */
uint64_t profile_count_samples(const struct profile *p);
/* Say it of the sample that was added last (samples.no_frame). */
void profile_set_no_frame(struct profile *p, bool has_no_frame);
/* Set field @name of a sample; samples of which it is not set have the empty word. */
void profile_set_field(struct profile *p, size_t sample, str_id name, str_id value);
/* Give all fields as many values as there are samples; a reader calls it at its end. */
void profile_finish_fields(struct profile *p);
/*
 * Make weights carry at least @decimals decimals, scaling those already there.
 * Errors: ERR_LIMIT when a weight would overflow; nothing is changed then.
 */
MUST_CHECK int profile_set_decimals(struct profile *p, unsigned int decimals);
/* 10^decimals. */
uint64_t profile_scale(const struct profile *p);
/* Half-width of one printed weight in the unit (0.005 for 26.76), 0 if exact. */
double profile_half_width(const struct profile *p);

/* Of the weights of samples, which differ from those of rows when recovered exactly. */
enum weight_unit profile_sample_unit(const struct profile *p);
uint8_t profile_sample_decimals(const struct profile *p);

static inline double profile_value(const struct profile *p, uint64_t weight)
{
	return (double)weight / (double)profile_scale(p);
}

#endif
