/* SPDX-License-Identifier: MIT */
/*
 * calls.h - timed calls of a tracer, in columns
 *
 * Each call has a row number. Rows are in the order of the lines that open calls ("f() {"). A call
 * without an opening line is at the position of its closing line ("}"). The parent of a call is an
 * earlier row, or INDEX_NONE. A lane is one flow of execution: a pair of CPU and task, as far as
 * the trace names them. Calls nest within a task if tasks are known, otherwise within a CPU.
 *
 * Memory: 23 bytes per call. Optional columns add 8 bytes for start times, 9 for return values, 4
 * for arguments and 4 for return addresses. An optional column has n elements or none: test
 * col.len.
 */
#ifndef CORE_CALLS_H
#define CORE_CALLS_H

#include "base/idmap.h"
#include "base/status.h"
#include "base/vec.h"
#include "core/ids.h"

enum call_state {
	/* the trace has begin and end of the call, or the call is printed as a leaf, `f();` */
	CALL_CLOSED,
	CALL_OPEN, /* the trace ends, or is cut, before the call returns: duration unknown */
	/*
	 * only the end of the call was traced; its name is from the comment after '}', or unknown
	 */
	CALL_ORPHAN,
	CALL_AFTER_LOSS, /* events were lost inside the call: callees may be missing */
	/* the author of the text removed callees of the call ("..."): its self time is unknown */
	CALL_SHORTENED,
	CALL_STATE_MASK = 0x0f,
	CALL_LEAF = 0x10,   /* the trace prints the call in one line: `f();` */
	CALL_IN_IRQ = 0x20, /* within an interrupt: between ==========> and <========== */
	CALL_NO_DURATION = 0x40,
	/* a trace event shows that this CPU runs an interrupt or softirq during the call */
	CALL_BY_IRQ = 0x80,
};

enum retval_kind {
	RETVAL_NONE,
	RETVAL_HEX,     /* printed as 0x… */
	RETVAL_DECIMAL, /* printed as a signed number */
};

struct call_lane {
	str_id comm; /* name of the task; STR_ID_NONE: the trace has no task names */
	uint32_t pid;
	uint16_t cpu; /* number of the CPU; UINT16_MAX: unknown */
	bool has_pid;
};

/* An entry of the trace that is no call: an event, an interrupt arrow, a task switch. */
enum call_mark_kind {
	/* a trace event or a comment by trace_printk(); text holds its name and fields */
	MARK_EVENT,
	MARK_IRQ_ENTER, /* an interrupt begins: ==========> */
	MARK_IRQ_EXIT,  /* an interrupt ends: <========== */
	/*
	 * a separator line `a => b`: the CPU of the line switches to task b. lane is the lane of
	 * this CPU, text is the name of task b
	 */
	MARK_TASK_SWITCH,
	MARK_LOST,   /* lost events: "CPU:n [LOST m EVENTS]"; count is m */
	MARK_ELIDED, /* "...": lines of the trace were removed by hand */
	/*
	 * MARK_FAULT, MARK_STOPPED and MARK_KILLED occur in logs of system calls; text is the name
	 * of the signal.
	 */
	MARK_FAULT,   /* a signal about a memory access; count is the address */
	MARK_STOPPED, /* a signal stopped the thread */
	MARK_KILLED,  /* a signal ended the process */
	/*
	 * a time since the previous line, which "ts -i" printed before the line of call
	 * before_call; only in logs of system calls. count: this time in ns. "ts -i" sees a line
	 * when the call of the line has ended
	 */
	MARK_GAP,
};

struct call_mark {
	uint64_t time_ns; /* time of the mark; 0: the trace has no times */
	uint64_t count;
	/* row number of the first call after the mark; calls.n: no call follows */
	uint32_t before_call;
	uint32_t lane;
	uint32_t line;
	str_id text;
	uint8_t kind;   /* enum call_mark_kind */
	bool is_by_irq; /* the CPU runs an interrupt or softirq at the mark */
};

struct call_long {
	uint32_t call;
	uint64_t dur_ns;
};

/* A call that did not end on the CPU on which it began. */
struct call_move {
	uint32_t call;
	uint32_t line; /* line of the call's end, in the original input */
	uint16_t cpu;  /* CPU on which the call ended */
};

/*
 * The kind of log from which the calls were read. Calls in logs of system and library calls do not
 * nest, and their tracing overhead is not estimated.
 */
enum calls_log {
	CALLS_OF_FUNCTIONS, /* a trace of functions */
	CALLS_OF_SYSTEM,    /* strace: the return value of a failed call is -errno */
	CALLS_OF_LIBRARIES, /* ltrace: calls of library functions */
};

struct calls {
	size_t n;
	VEC(sym_id) sym;
	VEC(uint32_t) parent;
	VEC(uint32_t) lane;
	/*
	 * number of the line that opens the call, in the original input; for CALL_ORPHAN, number of
	 * the line that closes the call
	 */
	VEC(uint32_t) line;
	/* duration in ns; UINT32_MAX: the duration is in long_durations */
	VEC(uint32_t) dur_ns_low;
	/* printed depth; 0: the call is not nested in another call of its task */
	VEC(uint16_t) depth;
	VEC(uint8_t) state;       /* enum call_state and flags */
	VEC(uint64_t) start_ns;   /* optional: start of the call; UINT64_MAX: unknown */
	VEC(uint64_t) retval;     /* optional: return value */
	VEC(uint8_t) retval_kind; /* optional, set together with retval: enum retval_kind */
	VEC(str_id) args;         /* optional: the arguments, as the text between the parentheses */
	/* optional: return address, a position in the caller: "caller+0x5f/0xa0" */
	VEC(str_id) retaddr;
	/* number of calls that fit into the memory of the columns that are not optional */
	size_t room;

	/* durations of UINT32_MAX ns (4.29 s) or more, in order of calls */
	VEC(struct call_long) long_durations;
	/* calls that began and ended on different CPUs, in the order of their ends */
	VEC(struct call_move) moves;
	VEC(struct call_lane) lanes;
	struct idmap lanes_map;
	VEC(struct call_mark) marks;
	uint64_t lost_events;
	str_id tracer; /* name of the tracer: "function_graph" */
	/* options that change how to read the trace, from its command or header: "noirqs" */
	str_id options;
	uint8_t log_of;            /* enum calls_log */
	uint8_t duration_decimals; /* number of decimals of the printed durations (µs): usually 3 */
	bool has_tasks;            /* lanes have task names: calls nest within tasks */
	bool has_cpus;
	bool has_durations;
	/*
	 * the calls were made from pairs of trace events, such as sys_enter and sys_exit, so the
	 * calls have no tracing overhead of their own
	 */
	bool is_from_events;
	/*
	 * number of calls whose caller is a guess: the trace mixes lines of several CPUs or tasks,
	 * but a line does not name its CPU or task. Only the printed depth then shows which call a
	 * '}' closes
	 */
	uint64_t mixed;
	uint32_t mixed_line; /* line of the first call counted in `mixed` */
	bool is_mixed;
	bool is_bare; /* lines name neither CPU nor task, although the tracer recorded all CPUs */
};

void calls_init(struct calls *c);
void calls_fini(struct calls *c);
/* Return the row of @lane in calls.lanes, added on first use; row 0 past LIMIT_CALL_LANES. */
uint32_t calls_lane(struct calls *c, struct call_lane lane);
/*
 * Name the task of a lane that had no task. Earlier calls of the lane then belong to that task,
 * too. If calls_lane() is later called with the CPU but no task, it adds a new row. False: nothing
 * was changed, because a lane with this name already exists.
 */
bool calls_lane_name(struct calls *c, uint32_t lane, str_id comm, uint32_t pid);
/*
 * Make room for one more call in the columns that every call has. Errors: ERR_LIMIT past
 * LIMIT_CALLS.
 */
MUST_CHECK int calls_grow(struct calls *c);

/*
 * Append a call. *@ret_call: its row number. In the optional columns that exist, its values are
 * "unknown". Errors: ERR_LIMIT past LIMIT_CALLS.
 */
MUST_CHECK static inline int calls_add(struct calls *c, sym_id sym, uint32_t parent, uint32_t lane,
				       uint32_t depth, uint8_t state, uint32_t line,
				       uint32_t *ret_call)
{
	size_t n = c->n;

	if (UNLIKELY(n >= c->room) && calls_grow(c) < 0)
		return ERR_LIMIT;
	c->sym.data[n] = sym;
	c->parent.data[n] = parent;
	c->lane.data[n] = lane;
	c->line.data[n] = line;
	c->dur_ns_low.data[n] = 0;
	c->depth.data[n] = (uint16_t)(depth > UINT16_MAX ? UINT16_MAX : depth);
	c->state.data[n] = (uint8_t)(state | CALL_NO_DURATION);
	*ret_call = (uint32_t)n++;
	c->n = n;
	c->sym.len = c->parent.len = c->lane.len = c->line.len = n;
	c->dur_ns_low.len = c->depth.len = c->state.len = n;
	if (UNLIKELY(c->start_ns.len))
		*VEC_PUSH(&c->start_ns) = UINT64_MAX;
	if (UNLIKELY(c->retval.len)) {
		*VEC_PUSH(&c->retval) = 0;
		*VEC_PUSH(&c->retval_kind) = RETVAL_NONE;
	}
	if (UNLIKELY(c->args.len))
		*VEC_PUSH(&c->args) = STR_ID_NONE;
	if (UNLIKELY(c->retaddr.len))
		*VEC_PUSH(&c->retaddr) = STR_ID_NONE;
	return OK;
}

/* Store a duration of UINT32_MAX ns or more. Only calls_set_duration() may call this. */
void calls_set_long_duration(struct calls *c, uint32_t call, uint64_t dur_ns);

/* Set the duration of a call, once. Calls may come in any order. */
static inline void calls_set_duration(struct calls *c, uint32_t call, uint64_t dur_ns)
{
	if (UNLIKELY(dur_ns >= UINT32_MAX)) {
		calls_set_long_duration(c, call, dur_ns);
		return;
	}
	c->state.data[call] &= (uint8_t)~CALL_NO_DURATION;
	c->has_durations = true;
	c->dur_ns_low.data[call] = (uint32_t)dur_ns;
}

/*
 * Note that @call ended in @line, on the CPU of @lane. If it began on another CPU, append it to
 * c->moves.
 */
void calls_note_move(struct calls *c, uint32_t call, uint32_t lane, uint32_t line);

/*
 * Set an optional value of a call. The first call of each of these functions makes the column, in
 * which all other calls have the value "unknown".
 */
void calls_set_start(struct calls *c, uint32_t call, uint64_t start_ns);
void calls_set_retval(struct calls *c, uint32_t call, uint64_t value, enum retval_kind kind);
void calls_set_args(struct calls *c, uint32_t call, str_id args);
void calls_set_retaddr(struct calls *c, uint32_t call, str_id retaddr);
/*
 * Sort long_durations. Call this once, after the last duration was set. Until then,
 * calls_duration() does not work for calls of UINT32_MAX ns or more.
 */
void calls_finish(struct calls *c);

uint64_t calls_long_duration(const struct calls *c, uint32_t call);

static inline bool calls_is_timed(const struct calls *c, size_t call)
{
	return !(c->state.data[call] & CALL_NO_DURATION);
}

/* Duration in ns; 0 if the call has none (CALL_NO_DURATION is set). */
static inline uint64_t calls_duration(const struct calls *c, uint32_t call)
{
	uint32_t low = c->dur_ns_low.data[call];

	return LIKELY(low != UINT32_MAX) ? low : calls_long_duration(c, call);
}

#endif
