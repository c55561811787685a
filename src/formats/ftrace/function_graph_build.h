/* SPDX-License-Identifier: MIT */
/*
 * function_graph_build.h - convert lines of a function graph to calls
 *
 * The builder knows the running task of each CPU, and the open calls of each task. A call is open
 * until its closing brace is read. Calls nest within a task, even if the task moves to another CPU.
 * If the task of a CPU is unknown, its calls nest within an anonymous task, until a task switch
 * shows the task's name. Each CPU has its own idle task (pid 0).
 *
 * Memory: the open calls, 88 bytes per CPU, 60 per task, and 256 KiB of names.
 */
#ifndef FORMATS_FUNCTION_GRAPH_BUILD_H
#define FORMATS_FUNCTION_GRAPH_BUILD_H

#include "base/arena.h"
#include "base/idmap.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/ids.h"
#include "formats/format.h"

struct capture;
struct dossier;
struct fg_line;
struct fg_tail;

#define FG_MAX_CPUS     8192u /* maximum of the kernel's NR_CPUS */
#define FG_FIELD_BYTES  32u
#define FG_NAME_BYTES   48u
#define FG_NAME_SLOTS   4096u /* slots of the cache of names, a power of two */
#define FG_ADRIFT_MAX   256u  /* maximum length of fg.adrift */
#define FG_NO_CALL      INDEX_NONE
#define FG_TIME_UNKNOWN UINT64_MAX
/*
 * value of a depth that the line does not show: one more than the depth of the innermost open call
 */
#define FG_DEPTH_FROM_TOP UINT32_MAX

/* Counters of irregular lines. Each counter has a row in fg_diags (function_graph_build.c). */
enum fg_count {
	FG_COUNT_JUNK,
	FG_COUNT_CUT,
	FG_COUNT_REST,
	FG_COUNT_LONG_LINE,
	FG_COUNT_JOINED,
	FG_COUNT_NO_INDENT,
	FG_COUNT_ODD_INDENT,
	FG_COUNT_ORPHAN,
	FG_COUNT_UNNAMED,
	FG_COUNT_MISMATCH,
	FG_COUNT_MIXED,
	FG_COUNT_UNCLOSED,
	FG_COUNT_JUMP,
	FG_COUNT_NO_CALLER,
	FG_COUNT_LOST,
	FG_COUNT_LOST_UNKNOWN,
	FG_COUNT_ELIDED,
	FG_COUNT_SWITCH,
	FG_COUNT_BAD_CPU,
	FG_COUNT_BAD_DURATION,
	FG_COUNT_TOO_DEEP,
	FG_COUNT_TOO_MANY_TASKS,
	FG_COUNT_TOO_MANY_CALLS,
	FG_COUNT_NOTE,
	FG_COUNT_N,
};

struct fg_open {
	uint32_t call;
	uint32_t depth;
	bool is_shortened; /* lines were cut out while this call was the innermost open call */
};

struct fg_task {
	struct fg_open *open; /* outermost first; depths ascend */
	uint32_t n;
	uint32_t cap;
	/*
	 * the first `lossy` elements of `open` were open when events were lost, so callees of these
	 * calls may be missing
	 */
	uint32_t lossy;
	uint32_t index; /* index of the task in fg.tasks */
	uint64_t key;   /* fg_task_key(); 0: anonymous task */
};

struct fg_cpu {
	struct fg_task *task; /* running task; NULL: no line of this CPU was read yet */
	uint32_t lane;
	uint32_t pid; /* pid of the running task; valid if has_pid */
	str_id comm;  /* command name in the CPU's last line; exec changes the name of a task */
	uint32_t field_len;
	char field[FG_FIELD_BYTES + 16]; /* text of the task column in the CPU's last line */
	bool in_irq;
	bool has_pid;
};

/* Entry of the cache that maps printed function names to symbols. */
struct fg_name {
	char text[FG_NAME_BYTES];
	uint32_t len; /* length of the name; 0: the entry is free */
	sym_id sym;
};

struct fg {
	const struct region *in;
	struct dossier *dossier;
	struct capture *capture;
	struct calls *calls;
	struct arena arena;  /* memory from which tasks are allocated */
	struct fg_cpu *cpus; /* element 0: the unknown CPU; element n + 1: CPU n */
	uint32_t n_cpus;     /* number of elements of `cpus` */
	uint32_t last_cpu;   /* index of the CPU of the latest line */
	/*
	 * For traces without CPU and task: calls that were removed from the open calls, oldest
	 * first. Their closing braces may still follow, because lines of several CPUs alternate.
	 */
	VEC(struct fg_open) adrift;
	/* index in cpus of the CPU of the latest task switch; 0: no switch yet */
	uint32_t switch_cpu;
	bool has_switches; /* task switches were read on at least two different CPUs */
	VEC(struct fg_task *) tasks;
	struct idmap tasks_map;
	struct fg_name *names;
	uint32_t line; /* current line in the text `in`, from 0 */
	/* columns of the previous line; the fast path reads only lines with the same columns */
	unsigned int columns;
	uint64_t counts[FG_COUNT_N];
	uint32_t first_lines[FG_COUNT_N];
	bool is_full; /* the limit of calls is reached */
};

void fg_init(struct fg *g, const struct region *in, struct dossier *d);
void fg_fini(struct fg *g);
/* Begin a capture without open calls. @first_line: first line of the capture in g->in, from 0. */
void fg_begin(struct fg *g, uint32_t first_line);
/*
 * Complete the capture and its counts of irregular lines. @last_line: last line of the capture in
 * g->in, from 0.
 */
void fg_end(struct fg *g, uint32_t last_line);
/*
 * Find the callees of each call that began before the trace: the earlier, deeper calls of its task.
 * The row of such a call moves before the rows of its callees (function_graph_adopt.c). Call this
 * after calls_finish(). Cost: O(calls). Traces of more than 100000 calls do not change.
 */
void fg_adopt(struct calls *c);
/* Process one line of any kind except FG_NONE and FG_PARTIAL. */
void fg_apply(struct fg *g, const struct fg_line *l);

/* Add the event @text on @cpu, at the current line. Returns its mark; NULL: too many events. */
struct call_mark *fg_event(struct fg *g, const struct fg_cpu *cpu, struct str text,
			   uint64_t time_ns);
/* The state of CPU @n. NULL: @n is FG_MAX_CPUS or more; then the line is counted as irregular. */
struct fg_cpu *fg_cpu_of(struct fg *g, uint32_t n);
/* Set the running task of @cpu: @comm with @pid. */
void fg_run(struct fg *g, struct fg_cpu *cpu, str_id comm, uint32_t pid);
/* The symbol of a function name that may end in " [module]". Cost: two hashes. */
sym_id fg_symbol(struct fg *g, struct str name);
/* Process a closing brace. If it matches no open call, add a call that began before the trace. */
void fg_close(struct fg *g, struct fg_cpu *cpu, uint32_t depth, const struct fg_tail *tail,
	      bool has_duration, uint64_t dur_ns, uint64_t time_ns);
/*
 * Call this before adding a call at a @depth that is not one more than the depth of the innermost
 * open call. Removes the open calls at this depth and deeper, and counts the line as irregular.
 */
void fg_unusual_depth(struct fg *g, struct fg_task *t, uint32_t depth);
/* Enlarge the array of open calls of @t. At LIMIT_CALL_DEPTH, only counts the line as irregular. */
void fg_push_grow(struct fg *g, struct fg_task *t);
/*
 * Set the return value and return address of @call, if @tail has them. @tail: the comment after the
 * function.
 */
void fg_set_tail(struct fg *g, uint32_t call, const struct fg_tail *tail);

static inline uint32_t fg_here(const struct fg *g)
{
	return region_line(g->in, g->line);
}

static inline void fg_count(struct fg *g, enum fg_count what)
{
	if (g->counts[what]++ == 0)
		g->first_lines[what] = fg_here(g);
}

/*
 * Add a call of the task that runs on @cpu. The caller is the innermost open call with a depth
 * below @depth. Returns the row of the call; FG_NO_CALL: too many calls.
 */
static inline uint32_t fg_add(struct fg *g, struct fg_cpu *cpu, sym_id sym, uint32_t depth,
			      uint8_t state)
{
	struct fg_task *t = cpu->task;
	uint32_t top = t->n ? t->open[t->n - 1].depth + 1 : 0;
	uint32_t call;

	if (UNLIKELY(depth != top)) {
		if (depth == FG_DEPTH_FROM_TOP)
			depth = top;
		else
			fg_unusual_depth(g, t, depth);
	}
	if (UNLIKELY(calls_add(g->calls, sym, t->n ? t->open[t->n - 1].call : INDEX_NONE, cpu->lane,
			       depth, (uint8_t)(state | (cpu->in_irq ? CALL_IN_IRQ : 0)),
			       fg_here(g), &call) < 0)) {
		fg_count(g, FG_COUNT_TOO_MANY_CALLS);
		g->is_full = true;
		return FG_NO_CALL;
	}
	if (!(state & CALL_LEAF)) {
		if (UNLIKELY(t->n == t->cap))
			fg_push_grow(g, t);
		if (LIKELY(t->n < t->cap))
			t->open[t->n++] = (struct fg_open){ .call = call, .depth = depth };
	}
	return call;
}

/*
 * Close the innermost open call of the task that runs on @cpu. Such a call must exist. Returns its
 * row.
 */
static inline uint32_t fg_pop(struct fg *g, const struct fg_cpu *cpu)
{
	struct fg_task *t = cpu->task;
	uint32_t call = t->open[--t->n].call;
	uint8_t *state = &g->calls->state.data[call];

	*state = (uint8_t)((*state & ~CALL_STATE_MASK) | CALL_CLOSED);
	if (UNLIKELY(t->n < t->lossy)) {
		t->lossy = t->n;
		*state |= CALL_AFTER_LOSS;
	}
	if (UNLIKELY(t->open[t->n].is_shortened))
		*state = (uint8_t)((*state & ~CALL_STATE_MASK) | CALL_SHORTENED);
	if (UNLIKELY(g->calls->lane.data[call] != cpu->lane))
		calls_note_move(g->calls, call, cpu->lane, fg_here(g));
	return call;
}

/*
 * The key of the task @pid on @cpu: the pid; for the idle task (pid 0), a number made from the CPU.
 */
uint64_t fg_task_key(const struct fg *g, const struct fg_cpu *cpu, uint32_t pid);
/*
 * The task with @key. If no task has this key, the task @anonymous gets it and is returned. If
 * @anonymous is NULL, a new task with this key is added and returned. If there are too many tasks,
 * the first task of the trace is returned.
 */
struct fg_task *fg_task_of(struct fg *g, uint64_t key, struct fg_task *anonymous);
/* The CPU of the line @l. Also sets the running task of this CPU. NULL: invalid CPU number. */
struct fg_cpu *fg_place(struct fg *g, const struct fg_line *l);

#endif
