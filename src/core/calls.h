/* SPDX-License-Identifier: MIT */
/*
 * calls.h - timed calls from a tracer, as columns
 *
 * A call is a row number in order of its opening line (or of its closing line,
 * where the opening is not in the trace). Its parent is an earlier row, or
 * INDEX_NONE. A lane is one line of execution: a (cpu, task) pair as far as the
 * trace tells; nesting is within a task where tasks are known, within a CPU
 * else.
 *
 * 23 bytes a call; + 8 with start times, + 9 with return values, + 4 with
 * arguments, + 4 with return addresses. Optional columns have n elements or
 * none: test col.len.
 */
#ifndef CORE_CALLS_H
#define CORE_CALLS_H

#include "core/symbols.h"

enum call_state {
	CALL_CLOSED,     /* opened and closed, or a leaf */
	CALL_OPEN,       /* the trace ends (or is cut) before it closes: duration unknown */
	CALL_ORPHAN,     /* only its end is in the trace; name from the tail comment or unknown */
	CALL_AFTER_LOSS, /* lost events fall inside it: children are missing */
	CALL_STATE_MASK = 0x0f,
	CALL_LEAF = 0x10,   /* printed as one line `f();` */
	CALL_IN_IRQ = 0x20, /* between ==========> and <========== */
	CALL_NO_DURATION = 0x40,
};

enum retval_kind {
	RETVAL_NONE,
	RETVAL_HEX,     /* printed as 0x… */
	RETVAL_DECIMAL, /* printed as a signed number */
};

struct call_lane {
	str_id comm; /* STR_ID_NONE: the trace names no task */
	uint32_t pid;
	uint16_t cpu; /* UINT16_MAX: not said */
	bool has_pid;
};

/* Something else in the trace: an event line, an interrupt arrow, a task switch. */
enum call_mark_kind {
	MARK_EVENT,       /* a trace event or trace_printk comment: text is its name and fields */
	MARK_IRQ_ENTER,   /* ==========> */
	MARK_IRQ_EXIT,    /* <========== */
	MARK_TASK_SWITCH, /* ruler with `a => b`; lane is the CPU of the line, text the new task */
	MARK_LOST,        /* CPU:n [LOST m EVENTS]: count is m */
	MARK_ELIDED,      /* somebody left lines out: "..." */
};

struct call_mark {
	uint64_t time_ns; /* 0 where the trace has no time */
	uint64_t count;
	uint32_t before_call; /* row number of the next call to be opened */
	uint32_t lane;
	uint32_t line;
	str_id text;
	uint8_t kind; /* enum call_mark_kind */
};

struct call_long {
	uint32_t call;
	uint64_t dur_ns;
};

struct calls {
	size_t n;
	VEC(sym_id) sym;
	VEC(uint32_t) parent;
	VEC(uint32_t) lane;
	VEC(uint32_t) line;       /* original line of the opening; of the close for an orphan */
	VEC(uint32_t) dur_ns_low; /* UINT32_MAX: see long_durations */
	VEC(uint16_t) depth;      /* as printed, 0 at the margin of its task */
	VEC(uint8_t) state;       /* enum call_state and flags */
	VEC(uint64_t) start_ns;   /* optional; UINT64_MAX: this one not said */
	VEC(uint64_t) retval;     /* optional */
	VEC(uint8_t) retval_kind; /* optional, with retval: enum retval_kind */
	VEC(str_id) args;         /* optional: what stands between the parentheses */
	VEC(str_id) retaddr;      /* optional: "caller+0x5f/0xa0" */
	size_t room;              /* calls that the columns in use have room for */

	/* durations of UINT32_MAX ns (4.29 s) and more, by ascending call */
	VEC(struct call_long) long_durations;
	VEC(struct call_lane) lanes;
	struct idmap lanes_map;
	VEC(struct call_mark) marks;
	uint64_t lost_events;
	str_id tracer;  /* "function_graph" */
	str_id options; /* what the command or header says that changes the meaning: "noirqs" */
	uint8_t duration_decimals; /* of a microsecond as printed: 3 */
	bool has_tasks;            /* lanes name tasks: nesting was by task */
	bool has_cpus;
	bool has_durations;
	bool is_from_events; /* pairs of trace events: no cost of a tracer a call is in the times */
	/*
	 * Lines of several CPUs or tasks without a word whose they are, as the text shows:
	 * so many calls were closed by their depth, and who called whom is a guess.
	 */
	uint64_t mixed;
	uint32_t mixed_line; /* the first */
	bool is_mixed;
	bool is_bare; /* lines name neither CPU nor task, though a tracer of all CPUs made them */
};

void calls_init(struct calls *c);
void calls_fini(struct calls *c);
/* The row of @lane, made on first use. Past LIMIT_CALL_LANES: row 0. */
uint32_t calls_lane(struct calls *c, struct call_lane lane);
/*
 * Say which task a lane without one was: its calls so far were that task's. A
 * later calls_lane() for the CPU alone makes a new row. False: there is such a
 * lane already, and nothing was changed.
 */
bool calls_lane_name(struct calls *c, uint32_t lane, str_id comm, uint32_t pid);
/* Make room in all columns in use for more calls. Errors: ERR_LIMIT past LIMIT_CALLS. */
MUST_CHECK int calls_grow(struct calls *c);

/*
 * Append a call and return its row in @ret_call; optional columns that already
 * have elements get "not said". Errors: ERR_LIMIT past LIMIT_CALLS.
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

/* For durations of UINT32_MAX ns and more; use calls_set_duration(). */
void calls_set_long_duration(struct calls *c, uint32_t call, uint64_t dur_ns);

/* Set the duration. Call it in any order; a call may be set once. */
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

/* Set optional values, making the column on first use ("not said" for earlier calls). */
void calls_set_start(struct calls *c, uint32_t call, uint64_t start_ns);
void calls_set_retval(struct calls *c, uint32_t call, uint64_t value, enum retval_kind kind);
void calls_set_args(struct calls *c, uint32_t call, str_id args);
void calls_set_retaddr(struct calls *c, uint32_t call, str_id retaddr);
/*
 * Call it once after the last calls_set_long_duration(): sorts long_durations.
 * calls_duration() of a long one is right only behind it.
 */
void calls_finish(struct calls *c);

uint64_t calls_long_duration(const struct calls *c, uint32_t call);

static inline bool calls_is_timed(const struct calls *c, size_t call)
{
	return !(c->state.data[call] & CALL_NO_DURATION);
}

/* Nanoseconds; 0 when the call has no duration (CALL_NO_DURATION is set then). */
static inline uint64_t calls_duration(const struct calls *c, uint32_t call)
{
	uint32_t low = c->dur_ns_low.data[call];

	return LIKELY(low != UINT32_MAX) ? low : calls_long_duration(c, call);
}

#endif
