/* SPDX-License-Identifier: MIT */
/*
 * profile.h - weighted stacks, and printed report tables
 *
 * A profile has samples, which are stacks with weights (perf script, folded, perf.data), or the
 * rows of a printed report with their call trees, or both. transform/recover.h rebuilds the samples
 * of a printed report if the report determines them, and states whether they are exact.
 *
 * Weights are integers, so that sums are exact: "26.76 %" is 2676 with decimals 2. A weight from a
 * printed table is rounded: "26.76" stands for 26.755 to 26.765, a half-width of 0.005. The
 * half-width follows from printed_decimals, here 2. A sum of n weights has n times that half-width.
 * If weights are exact, is_rounded is false.
 */
#ifndef CORE_PROFILE_H
#define CORE_PROFILE_H

#include "base/idmap.h"
#include "base/status.h"
#include "base/vec.h"
#include "core/ids.h"
#include "core/process_list.h"
#include "core/stacks.h"

/*
 * Key of a note of the capture, for a table of commands of Redis. Its value is the mean duration of
 * the calls in the heaviest row, in microseconds: "3.54" for "usec_per_call=3.54".
 */
#define PROFILE_NOTE_CALL_US "time of a call, us"
/*
 * Key of a note of the capture, for commands of Redis. Its value is the longest call in a printed
 * slow log, such as "LREM feed:eu, 12738 us"; the note also has its line. The value is empty if the
 * slow log has an unknown form.
 */
#define PROFILE_NOTE_SLOW_CALL "longest call of the slow log"

enum weight_unit {
	WEIGHT_SAMPLES, /* a count of samples */
	WEIGHT_EVENTS,  /* the event's own count: cycles, page-faults … (perf's period) */
	WEIGHT_NS,      /* the event counts nanoseconds: cpu-clock, task-clock, off-CPU time */
	WEIGHT_PERCENT, /* percent of a total that may be unknown */
	WEIGHT_BYTES,
	WEIGHT_UNKNOWN, /* a number without a unit: folded stacks */
};

/* How the tool got the weights. Only samples have a sampling error. */
enum profile_method {
	PROFILE_SAMPLED, /* the tool took samples, or its method is unknown */
	PROFILE_COUNTED, /* the tool executed the program itself and counted each event */
	PROFILE_TIMED,   /* the tool timed each call */
};

/* A thread as samples name it. pid or tid is 0 if unknown: see has_pid and has_tid. */
struct profile_thread {
	str_id comm;
	uint32_t pid;
	uint32_t tid;
	bool has_pid;
	bool has_tid;
};

/* A text column of samples: a field of a tracepoint, or the control group. */
struct sample_field {
	str_id name;
	VEC(uint32_t) values; /* for each sample, the id of the text (str_id.v) */
};

/*
 * Samples in columns. An element (index i of each column) is one sample, or several samples of one
 * stack. `stack` and `weight` always have n elements; time_ns, thread, cpu, no_frame, code_row and
 * count have n elements or none. Memory: 12 bytes per element, 26 with time, thread and cpu.
 *
 * A reader may merge samples of one stack into one element if no analysis needs their other fields.
 * Then `count` is the number of merged samples, and `weight` is the sum of their weights.
 * profile_count_samples() returns the number of samples, which can be larger than n.
 */
struct samples {
	size_t n;
	VEC(stack_id) stack;
	VEC(uint64_t) weight;
	VEC(uint32_t) count; /* number of samples in the element; an empty column means 1 each */
	VEC(uint64_t) time_ns;
	VEC(uint32_t) thread; /* row of profile.threads */
	VEC(uint16_t) cpu;    /* CPU on which the sample was taken; UINT16_MAX: unknown */
	/*
	 * 1: the kernel walked frame pointers, and the innermost user function had not set up its
	 * frame. Its direct caller may then be missing: the next frame is the caller's caller.
	 */
	VEC(uint8_t) no_frame;
	/*
	 * index of the sampled instruction in the rows of capture.instructions, plus 1; 0: the
	 * instruction is not listed. Only with read_options.with_code_rows
	 */
	VEC(uint32_t) code_row;
	VEC(struct sample_field) fields;
};

/*
 * Flags for the fields that a printed row has. A field without a flag was not printed. A field with
 * a flag was printed, and its value can be 0.
 */
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
	/*
	 * self weight in the profile's unit; in a report without a children column, the only
	 * percentage
	 */
	uint64_t self;
	uint64_t children; /* weight with callees */
	uint64_t samples;  /* number of samples; valid with ROW_HAS_SAMPLES */
	uint64_t period;   /* number of events; valid with ROW_HAS_PERIOD */
	sym_id sym;        /* function of the row; the symbol's module is the row's DSO */
	str_id comm;
	str_id dso; /* DSO as printed; set even if the row has no symbol */
	uint32_t pid;
	uint32_t cpu;
	uint32_t line; /* line of the original input */
	/* index in profile_table.nodes of the row's call tree; INDEX_NONE: no tree */
	uint32_t tree;
	/*
	 * index in extra_cells of the row's first cell; a row has one cell per extra column.
	 * INDEX_NONE: none
	 */
	uint32_t extra;
	uint16_t has; /* set of enum row_has: the printed fields */
	/*
	 * perf's letter before the symbol: k kernel, . user, g guest kernel, u guest user, H
	 * hypervisor; else ' '
	 */
	char level;
	bool is_truncated; /* the printed line or symbol is truncated */
};

/*
 * A frame of a printed call tree. Nodes are in preorder: a node is followed by its subtree, then by
 * its next sibling.
 */
struct profile_node {
	/*
	 * weight of the node with its subtree; as in rows, a share of the total, not of the parent
	 * node
	 */
	uint64_t weight;
	sym_id sym;
	/* index of the parent node; INDEX_NONE: outermost frame of a row's tree */
	uint32_t parent;
	uint32_t end; /* index of the first node that is not in the subtree */
	uint32_t line;
	/*
	 * the line prints a percentage; false: the node is the only child, and has the parent's
	 * percentage
	 */
	bool is_printed;
	/* "[...]": sum of the branches that are too small to be printed; it has no symbol */
	bool is_other;
};

enum chain_order {
	CHAIN_UNKNOWN,
	CHAIN_CALLEE, /* the sampled function is first, then follow its callers */
	CHAIN_CALLER, /* the outermost function is first */
	/*
	 * order of perf 4.4 and older with DWARF: kernel frames outermost first, then user frames
	 * innermost first
	 */
	CHAIN_MIXED,
};

enum chain_style {
	CHAIN_NONE,
	CHAIN_GRAPH,   /* percentages of the total ("graph") */
	CHAIN_FRACTAL, /* percentages of the parent node */
	CHAIN_FLAT,    /* one chain after another, each with a percentage */
	CHAIN_TUI,     /* interactive perf report, with - and + before entries */
};

/*
 * A printed call chain that belongs to no row, with its share of the weight. lkp, the kernel test
 * robot, prints such chains.
 */
struct profile_trace {
	/* weight with callees of the first function, counting only calls through this chain */
	uint64_t weight;
	/* index in trace_syms of the first function; its callers follow, innermost first */
	uint32_t first;
	uint32_t n;
	uint32_t line;
};

/*
 * Standard deviation of a row's shares between runs of the program, in percentage points; NAN: not
 * printed.
 */
struct profile_spread {
	float self;
	float children;
};

/* A report table as printed. */
struct profile_table {
	/* in printed order; other tables refer to a row by its index in this vector */
	VEC(struct profile_row) rows;
	/* indexed like rows; empty: the table prints no standard deviations */
	VEC(struct profile_spread) spreads;
	VEC(struct profile_node) nodes;
	VEC(struct profile_trace) traces;
	VEC(sym_id) trace_syms;
	VEC(str_id) extra_columns; /* titles of columns without a member in profile_row */
	VEC(str_id) extra_cells;
	/*
	 * indexed by symbol: line of the first tree node with this symbol; 0: no node. Only set
	 * after transform/recover.c has replaced the rows and the trees by samples.
	 */
	VEC(uint32_t) tree_lines;
	uint16_t columns; /* set of enum row_has: fields that the table prints */
	enum chain_order order;
	enum chain_style style;
	/*
	 * percentages of trees were assumed to be relative to the parent node, and were made
	 * absolute
	 */
	bool is_relative_assumed;
	bool has_header;
	double limit_pct; /* lowest percentage that trees print; < 0: unknown */
};

/* How the call chains of a recording were collected. */
enum chain_source {
	CHAINS_UNKNOWN,        /* unknown, as in text formats */
	CHAINS_FRAME_POINTERS, /* the kernel walked frame pointers */
	CHAINS_UNWOUND,        /* unwound from stack dumps with call frame information */
	CHAINS_BRANCHES,       /* from the processor's branch record (LBR) */
};

/*
 * Name of a frame for allocation sites that massif does not list, because they are small or
 * truncated.
 */
#define PROFILE_OTHER_PLACES "[other places]"

enum recovery {
	RECOVERY_NONE,  /* not tried, or impossible */
	RECOVERY_EXACT, /* samples reproduce every printed figure */
	/*
	 * samples reproduce the self figures of rows, but only some samples have their call chain:
	 * see recovered_weight. Rows that are not printed have no samples.
	 */
	RECOVERY_PARTIAL,
};

/* Socket and NUMA node of a CPU; UINT16_MAX: unknown. */
struct profile_cpu {
	uint16_t socket;
	uint16_t node; /* NUMA node */
};

/*
 * Conditions of a recording, if the format states them. Counts include the records of all events of
 * the file. Members marked "this event" are only about the profile's event.
 */
struct profile_recording {
	bool is_known;
	bool has_branches; /* samples have a branch stack (perf record -b), which is not read */
	/* this event: requested samples per second; 0: the event has a fixed period */
	uint64_t frequency;
	uint64_t period; /* this event: events per sample; 0: the event has a frequency */
	/* this event: time for which it was enabled, summed over CPUs and threads; 0: unknown */
	uint64_t enabled_ns;
	/* this event: time in which it was counted; less than enabled_ns if multiplexed */
	uint64_t running_ns;
	uint64_t throttled;
	uint64_t lost_records; /* records of any kind that did not fit into the ring buffer */
	uint64_t lost_samples; /* samples that the kernel reports as lost */
	uint64_t switches, forks, exits, namespaces, cgroups, reads, aux;
	/* time from exec to exit of the recorded command; 0: exec or exit was not recorded */
	uint64_t command_ns;
};

/* Running time of a thread, from the context switches of the recording. */
struct profile_ran {
	uint32_t tid;
	uint64_t ran_ns;
	uint64_t from_ns; /* first time at which a context switch shows the thread */
	uint64_t to_ns;   /* last time at which a context switch shows the thread */
};

/* How complete the context switches are from which waits were computed. */
struct profile_switches {
	uint64_t n; /* number of context switches whose CPU is recorded */
	/*
	 * Number of switches before which a switch is missing: the outgoing thread is not the
	 * thread that the previous switch on this CPU started. 0 if only a few switches are
	 * missing.
	 */
	uint64_t unlinked;
	/* number of waits that are not counted, because events or CPUs are missing */
	uint64_t uncounted;
	unsigned int cpus;    /* number of CPUs with events */
	unsigned int numbers; /* highest number of a CPU with events, plus 1 */
	/* some CPUs with lower numbers have no events, so a thread may have run there unseen */
	bool misses_cpus;
};

/* When a thread began to exit. */
struct profile_exit {
	uint32_t tid;
	uint64_t time_ns;
};

/* Reasons why addresses have no symbol: clauses without a final dot; STR_ID_NONE: unknown. */
struct profile_unnamed {
	str_id kernel;
	str_id user;
};

/*
 * Limit for the share of samples in kernel data, in percent of the weight of all samples. No code
 * runs in data, so a larger share means that the symbols come from another kernel. A small share is
 * possible with the right symbols, because assemblers put single symbols between code and data.
 */
#define PROFILE_DATA_PCT 1.0

struct profile {
	str_id event;         /* name of the event: "cycles", "cpu-clock:u"; STR_ID_NONE: unknown */
	uint64_t event_count; /* total count of the event; unknown with !has_event_count */
	/* number of samples, from the header or counted; unknown with !has_n_samples */
	uint64_t n_samples;
	uint64_t n_samples_err; /* half-width of n_samples: "73K" is 73000 ± 500 */
	/* elapsed time, if the text prints it and event_count is CPU time in ns; 0: unknown */
	uint64_t wall_ns;
	/* line that prints n_samples, or the time from which n_samples was computed; 0: none */
	uint32_t n_samples_line;
	/* n_samples is computed from a time, at the usual 100 samples a second */
	bool is_n_samples_assumed;
	/* the text around the table states n_samples, in n_samples_line */
	bool is_n_samples_stated;
	uint64_t lost;
	/* the input does not name the event, so it was inferred from the innermost function */
	bool is_event_inferred;
	bool has_event_count;
	bool has_n_samples;
	bool has_lost;
	/*
	 * event_count is a total that the tool printed. All outputs of the tool for the same data
	 * print this total: both tables of functions and listings of source lines.
	 */
	bool repeats_total;
	struct profile_recording recording;
	struct profile_unnamed unnamed;
	VEC(struct profile_cpu) cpus; /* indexed by CPU number; empty: unknown */

	enum weight_unit unit;
	uint8_t decimals;         /* decimals of all weights, in rows and samples alike */
	uint8_t printed_decimals; /* decimals that the tool printed */
	/*
	 * weights are printed figures: each differs from the true weight by up to 0.5 *
	 * 10^-printed_decimals
	 */
	bool is_rounded;

	struct samples samples;
	/*
	 * Weight of samples that the user did not select (transform/select.h). They are no longer
	 * in `samples`, but 100 %, event_count and n_samples still include them.
	 */
	uint64_t left_out;
	uint8_t chains;      /* enum chain_source: how chains of user frames were collected */
	bool has_no_callers; /* stacks lack callers, because load_options.without_callers was set */
	bool is_selected;    /* samples that the user did not select were removed */
	/* running time of threads by thread id, if this is a profile of waits; otherwise empty */
	VEC(struct profile_ran) ran;
	/* when threads began to exit, if this is a profile of context switches; otherwise empty */
	VEC(struct profile_exit) exits;
	/* in a profile of waits: ns from the first to the last recorded context switch */
	uint64_t span_ns;
	bool has_wakeups; /* in a profile of waits: the recording also contains wakeups */
	/* for a profile of waits: how complete its context switches are */
	struct profile_switches switches;
	/*
	 * Every event was recorded, and each element of `samples` is one event. In a profile of
	 * waits, each element has its thread.
	 */
	bool is_complete;
	bool is_summed; /* each element of `samples` is a sum of an unknown number of events */
	/*
	 * weights are latencies of memory accesses (perf mem), so shares are not shares of samples
	 */
	bool is_latency;
	bool has_hidden_idle; /* 100 % includes idle time, which has no row */
	enum profile_method method;
	bool is_goroutines; /* the threads are goroutines, which a runtime schedules */
	struct stacks stacks;
	VEC(struct profile_thread) threads;
	struct idmap threads_map;
	/*
	 * processes of the samples, only with read_options.with_processes and if the samples have
	 * no time or no thread, because the reader merged them
	 */
	struct process_list processes;
	struct profile_table table;

	/*
	 * Origin of `samples`, if they were rebuilt from `table`. With RECOVERY_EXACT, sample
	 * weights are exact counts of samples. unit and decimals then describe the rows only.
	 */
	enum recovery recovery;
	/*
	 * Weight of the samples whose call chain was printed. With RECOVERY_PARTIAL, the stacks of
	 * the other samples have only command and function, because the callers are unknown. The
	 * depth of a stack does not show whether its chain was printed: a printed chain can also
	 * have only one function.
	 */
	uint64_t recovered_weight;
};

void profile_init(struct profile *p);
void profile_fini(struct profile *p);
/* Return the index of @thread in profile.threads; it is added on first use. */
uint32_t profile_thread(struct profile *p, struct profile_thread thread);
/*
 * Set the thread of the last sample. @thread: NULL if unknown. The column is made with the first
 * known thread; earlier samples then have an unknown thread. Cost: O(1), amortized.
 */
void profile_set_thread(struct profile *p, const struct profile_thread *thread);
/*
 * Add a sample. The caller then appends to the optional columns samples.time_ns, .thread and .cpu.
 * A column in use needs a value for every sample. Errors: ERR_LIMIT past LIMIT_SAMPLES.
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
 * Effective sample size (Kish): (sum of weights)² / (sum of squared weights). With unequal weights,
 * the profile is only as precise as this number of samples with equal weights. 0: n_samples is
 * unknown. If an element has several samples, they count as samples of equal weight. Cost: O(n).
 */
double profile_effective_samples(const struct profile *p);
/* Set samples.no_frame of the sample added last. */
void profile_set_no_frame(struct profile *p, bool has_no_frame);
/*
 * Set field @name of sample number @sample to @value. Samples without a value have the empty
 * string. Does nothing if LIMIT_COLUMNS other fields exist.
 */
void profile_set_field(struct profile *p, size_t sample, str_id name, str_id value);
/*
 * Give the last samples, for which no field value was set, the empty string in each field. Readers
 * call this at the end.
 */
void profile_finish_fields(struct profile *p);
/*
 * Raise the decimals of all weights to at least @decimals, and scale the existing weights. Errors:
 * ERR_LIMIT if a weight would overflow, past 9 decimals, or after an exact recovery; nothing is
 * changed.
 */
MUST_CHECK int profile_set_decimals(struct profile *p, unsigned int decimals);
/* Factor between stored weights and their unit: 10^decimals. */
uint64_t profile_scale(const struct profile *p);
/* Half-width of one printed weight, in the profile's unit (0.005 for 26.76); 0 if exact. */
double profile_half_width(const struct profile *p);

/*
 * profile_sample_unit(), profile_sample_decimals(): unit and decimals of sample weights. After an
 * exact recovery, they differ from those of rows.
 */
enum weight_unit profile_sample_unit(const struct profile *p);
uint8_t profile_sample_decimals(const struct profile *p);

/*
 * Return the index of the first node after the call tree of row @row. The `end` of the tree's first
 * node is not enough, because a tree may have several outermost frames.
 */
uint32_t profile_tree_end(const struct profile_table *t, size_t row);

/* Whether self shares are known. A printed table may have only shares with callees. */
static inline bool profile_has_self(const struct profile *p)
{
	return p->table.rows.len == 0 || p->samples.n || p->table.columns & ROW_HAS_SELF;
}

static inline double profile_value(const struct profile *p, uint64_t weight)
{
	return (double)weight / (double)profile_scale(p);
}

#endif
