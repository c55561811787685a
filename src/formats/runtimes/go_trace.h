/* SPDX-License-Identifier: MIT */
/*
 * go_trace.h - a Go execution trace while it is read: names, stacks, goroutines
 *
 * Go 1.11 to 1.21 write one stream of events (go_trace_old.c). Later versions write generations of
 * batches (go_trace_new.c). Both readers report the states of goroutines to go_trace_states.c,
 * which turns these states into waits.
 *
 * A goroutine is always in one state. The time in each state except running becomes samples. These
 * samples and the running time add up to the goroutine's life in the trace.
 */
#ifndef FORMATS_GO_TRACE_H
#define FORMATS_GO_TRACE_H

#include "base/idmap.h"
#include "base/slots.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/diag.h"
#include "core/ids.h"
#include "formats/runtimes/gc_pauses.h"

struct capture;
struct dossier;
struct region;

/* A position in the trace. A read past the end of the bytes returns 0 and sets is_bad. */
struct go_cursor {
	const unsigned char *p;
	const unsigned char *end;
	bool is_bad;
};

uint64_t go_number_long(struct go_cursor *c);

/* Read the next varint, a number stored with seven bits in each byte. */
static inline uint64_t go_number(struct go_cursor *c)
{
	if (LIKELY(c->p < c->end && *c->p < 0x80))
		return *c->p++;
	return go_number_long(c);
}

/* A string or a stack that the trace defines. */
struct go_item {
	uint64_t id;
	/* string: its text; stack: its frames, with four varints for each frame */
	struct str bytes;
	/*
	 * stack: number of its frames. String that is a reason: its enum go_reason, plus 1; 0: the
	 * reason was not looked up yet
	 */
	uint32_t n;
	/* string: symbol of the function with this name, plus 1; 0: not made yet */
	uint32_t made;
	str_id text; /* string that is a reason: id of its text in dossier.strings */
};

struct go_table {
	VEC(struct go_item) items;
	struct idmap map;
};

enum go_state {
	GO_DEAD,
	GO_RUNNABLE,
	GO_RUNNING,
	GO_WAITING,
	GO_SYSCALL,
};

/*
 * Why a goroutine waits, or why it can run again. GO_OTHER: a reason of a later version of Go,
 * which assay does not know.
 */
enum go_reason {
	GO_UNKNOWN, /* reason unknown, because the wait began before the trace */
	GO_OTHER,
	GO_CREATED,
	GO_WOKEN,
	GO_YIELDED,
	GO_PREEMPTED,
	GO_RETURNED, /* returned from a system call */
	GO_IN_SYSCALL,
	GO_SEND,
	GO_RECEIVE,
	GO_SELECT,
	GO_SYNC,
	GO_COND,
	GO_NETWORK,
	GO_SLEEP,
	GO_ASSIST,
	GO_FOREVER,
	GO_COROUTINE,
	GO_SYSTEM,
	GO_SWEEPER,
	GO_UNTIL_GC_ENDS,
	GO_WEAK,
	GO_DEBUG,
	GO_SYNCTEST,
	GO_REASONS,
};

struct go_goroutine {
	uint64_t id;
	uint64_t since_ns; /* time at which the goroutine's current state began */
	uint64_t from_ns;  /* time at which the goroutine's life in the trace began */
	uint64_t ran_ns;
	uint64_t call_ns; /* time at which the goroutine's last system call began */
	/*
	 * in go_trace_new.c, sequence number of the goroutine's last event; in go_trace_old.c,
	 * sequence number that its next event must have
	 */
	uint64_t order;
	/*
	 * stack at which the goroutine stopped running, as a node in the stacks of go_reader.waits
	 */
	stack_id stack;
	stack_id call_stack;
	str_id name; /* function with which the goroutine started */
	str_id id_text;
	/* index of its thread in go_reader.waits, plus 1; 0: no thread added yet */
	uint32_t thread;
	/* name and id of the goroutine that woke this goroutine last; STR_ID_NONE: unknown */
	str_id waker, waker_tid;
	uint8_t state;  /* enum go_state */
	uint8_t reason; /* enum go_reason */
	str_id other;   /* only with GO_OTHER: text of the reason, if the trace has one */
};

/* A sample of the CPU profiler. `goroutine` and `stack` are ids that the trace defines. */
struct go_cpu_sample {
	uint64_t ns;
	uint64_t goroutine;
	uint64_t stack;
};

/* A wait that became a sample before the name of its goroutine was known. */
struct go_nameless {
	uint32_t sample; /* index of the sample in go_reader.waits */
	uint32_t row;    /* index in go_reader.goroutines */
};

struct go_reader {
	const struct region *in;
	struct dossier *d;
	unsigned int version; /* minor version of Go: 19 for "go 1.19 trace" */
	struct diag diag;
	struct go_table strings;
	struct go_table stacks;
	/*
	 * cache of go_stack(): maps (index in the table `stacks` plus 1, name of the goroutine) to
	 * a node in the stacks of `waits`, plus 1
	 */
	struct slots nodes;
	VEC(struct go_goroutine) goroutines;
	struct idmap by_id;
	VEC(sym_id) frames;
	/*
	 * Cache of go_word(): the kind of wait, such as "lock", of each node in the stacks of
	 * `waits`. [0]: if the goroutine waits for a semaphore; [1]: if it is in a system call.
	 * STR_ID_NONE: not looked up yet.
	 */
	VEC(str_id) node_words[2];
	VEC(struct go_cpu_sample) cpu;
	VEC(struct go_nameless) nameless;
	uint64_t first_ns, last_ns;
	uint64_t alive, most_alive;
	struct capture *waits;
	struct capture *samples;
	str_id words[GO_REASONS]; /* for each enum go_reason, the kind of wait: "lock" */
	str_id texts[GO_REASONS]; /* for each enum go_reason, the text that Go uses */
	str_id blocked, runnable, none, unnamed;
	struct gc_pauses pauses; /* pauses of the whole program for the garbage collector */
	struct gc_pauses stops;  /* other pauses of the whole program */
	uint64_t gc_since_ns, gc_ns, gc_cycles;
	bool is_in_gc;
	/* for each enum go_other, the number of events; these events are only counted */
	uint64_t other[8];
};

/* Kinds of events that are only counted. */
enum go_other {
	GO_OTHER_HEAP,
	GO_OTHER_SWEEP,
	GO_OTHER_ASSIST,
	GO_OTHER_PROC,
	GO_OTHER_USER,
	GO_OTHER_EXPERIMENT,
	GO_OTHER_TABLES,
	GO_OTHERS,
};

extern const struct diag_kind go_bad_events, go_forced, go_no_time, go_lost_names;

struct go_item *go_item_add(struct go_table *t, uint64_t id, struct str bytes);
/* The item of @t with the id @id; NULL: none. */
struct go_item *go_item_find(struct go_table *t, uint64_t id);
void go_table_clear(struct go_table *t);

/* Index in r->goroutines of the goroutine with the id @id; INDEX_NONE: none. */
uint32_t go_find(struct go_reader *r, uint64_t id);
/*
 * Index in r->goroutines of the goroutine with the id @id. If there is none, a goroutine in state
 * GO_DEAD is added. INDEX_NONE: too many goroutines.
 */
uint32_t go_add(struct go_reader *r, uint64_t id);
/*
 * Begin the life of goroutine @row in @state at the time @ns. @why: reason of the state. @stack: id
 * in the trace of its current stack; for a new goroutine, id of a stack that has its first
 * function. 0: unknown.
 */
void go_begin(struct go_reader *r, uint32_t row, uint64_t ns, enum go_state state,
	      enum go_reason why, uint64_t stack);
/*
 * Put goroutine @row into @state at the time @ns. @why: reason of the state. @stack: id in the
 * trace of the stack at which the goroutine stops running. If @stack is 0, a goroutine in state
 * GO_WAITING has no known stack; in other states, it keeps its last stack.
 */
void go_change(struct go_reader *r, uint32_t row, uint64_t ns, enum go_state state,
	       enum go_reason why, uint64_t stack);
/*
 * Replace the state and the reason of goroutine @row, because those that go_begin() set were wrong.
 */
void go_correct(struct go_reader *r, uint32_t row, enum go_state state, enum go_reason why);
/*
 * Goroutine @row blocks in a system call. Its state becomes GO_SYSCALL, counted from its last
 * go_called() or, without such a call, from @ns. @ns: time at which Go noticed that the call
 * blocks.
 */
void go_block_in_call(struct go_reader *r, uint32_t row, uint64_t ns);
void go_end(struct go_reader *r, uint32_t row, uint64_t ns);
/*
 * Goroutine @by woke goroutine @row. @by INDEX_NONE: no goroutine woke it. Call this before
 * go_change().
 */
void go_woken(struct go_reader *r, uint32_t row, uint32_t by);
/*
 * Goroutine @row begins a system call. The call becomes a wait only if go_block_in_call() follows.
 */
void go_called(struct go_reader *r, uint32_t row, uint64_t ns, uint64_t stack);
/* The trace has ended: end the life of every goroutine. */
void go_end_all(struct go_reader *r);
/* Convert the samples in r->cpu to samples of r->samples. All stacks of the trace must be known. */
void go_take_cpu_samples(struct go_reader *r);
void go_gc_begin(struct go_reader *r, uint64_t ns);
void go_gc_end(struct go_reader *r, uint64_t ns);
/* Add a pause of all goroutines. @kind: Go's name, such as "GC mark termination". */
void go_pause(struct go_reader *r, struct str kind, uint64_t ns);

int go_read_old(struct go_reader *r, struct error *err);
int go_read_new(struct go_reader *r, struct error *err);

#endif
