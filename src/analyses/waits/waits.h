/* SPDX-License-Identifier: MIT */
/*
 * waits.h - waits of threads: by kind, thread, call stack and waker
 *
 * Input is an off-CPU capture (transform/off_cpu.h). The functions on the call stack give the
 * kind, or field "reason" if off_cpu_name() set it. Time between wake-up or preemption and running
 * is WAIT_CPU, whatever the stack is. WAIT_BUSY_KINDS are waits of a thread that has work to do. Of
 * the other kinds a recording cannot tell late work from no work.
 */
#ifndef ANALYSES_WAITS_H
#define ANALYSES_WAITS_H

#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"

struct capture;

enum wait_kind {
	WAIT_CPU,       /* runnable, waiting for a CPU */
	WAIT_LOCK,      /* of the program (a mutex) or of the kernel, file locks included */
	WAIT_DISK,      /* storage: reads, writes, flushes */
	WAIT_MEMORY,    /* page faults, reclaim */
	WAIT_SLEEP,     /* voluntary */
	WAIT_CHILD,     /* for the end of a process */
	WAIT_CONDITION, /* condition variables, joins, semaphores: a signal of another thread */
	WAIT_FUTEX,     /* lock or condition: the stack does not show which */
	WAIT_PEER,      /* the other end of a pipe or socket */
	WAIT_EVENT,     /* epoll, poll, accept, signals: the next event */
	WAIT_OTHER,     /* any other wait */
	WAIT_UNKNOWN,   /* no call stack */
	WAIT_KINDS,
};

/* A thread with work to do runs, or waits for one of these. */
#define WAIT_BUSY_KINDS (1u << WAIT_CPU | 1u << WAIT_LOCK | 1u << WAIT_DISK | 1u << WAIT_MEMORY)

struct wait_sum {
	uint64_t ns;
	uint64_t n;
	uint64_t longest_ns;
};

struct wait_thread {
	uint32_t tid;
	uint32_t pid;
	str_id comm;    /* latest */
	bool is_kernel; /* kernel thread: waits by design */
	uint64_t ran_ns;
	uint64_t life_ns; /* from the first to the last event of the thread */
	struct wait_sum kinds[WAIT_KINDS];
	/* Longest wait of another thread that this one woke after a voluntary sleep. */
	uint32_t slept_for_tid;
	uint64_t slept_for_ns;
	uint32_t slept_with_lock_tid; /* the same for waits for locks */
	uint64_t slept_with_lock_ns;
};

/* Waits of one kind at one call stack. */
struct wait_stack {
	stack_id stack;
	enum wait_kind kind;
	struct wait_sum sum;
	str_id waker; /* the waker that ended most of the time */
	uint64_t waker_ns;
	bool is_kernel;
};

/* Waits of a thread that another thread ended, without WAIT_CPU. */
struct wait_pair {
	uint32_t tid;
	uint32_t by;
	uint64_t n;
	uint64_t ns;
	uint32_t kinds; /* bits of enum wait_kind */
};

/* Why a stack waits, and the frame that shows it, by stack node. Owner: waits_places_fini(). */
struct wait_places {
	/* "lock", "disk", "pipe": static; NULL: no sample has this stack */
	const char **reason;
	/*
	 * The stack without the innermost frames that do not show the reason: the scheduler, and
	 * the system call below a lock of the C library.
	 */
	stack_id *shown;
};

/*
 * Time in which no user thread ran or was ready, in stretches that ended when a wait did. Of the
 * kind of wait that ended most of it; n is 0 without times.
 */
struct wait_quiet {
	uint64_t all_ns; /* all such time */
	uint64_t ns;     /* ended by waits of this kind */
	uint64_t n;      /* such stretches */
	/* of the stretches, by the time that they have: a tenth of it is in shorter ones, … */
	uint64_t low_ns, median_ns, high_ns;
	uint32_t threads; /* that waited so */
	enum wait_kind kind;
	stack_id stack; /* that of most of ns */
	uint64_t stack_ns;
};

struct waits {
	VEC(struct wait_thread) threads;
	VEC(struct wait_stack) stacks;     /* longest total first */
	VEC(struct wait_pair) pairs;       /* longest total first */
	struct wait_sum kinds[WAIT_KINDS]; /* without kernel threads */
	/* without kernel threads, with threads that never waited */
	uint64_t ran_ns;
	uint64_t never_waited_ns; /* ran_ns of threads that never waited */
	unsigned int never_waited;
	uint64_t span_ns;
	struct wait_quiet quiet;
	bool has_wakers; /* wake-ups were recorded */
};

/* Owner: caller, waits_fini(). Cost: O(samples log samples). */
void waits_compute(const struct capture *c, struct waits *ret);
void waits_fini(struct waits *w);
/* "a lock", "a CPU" */
const char *wait_kind_name(enum wait_kind kind);
/* The thread, or NULL. Cost: O(log threads). */
const struct wait_thread *waits_thread(const struct waits *w, uint32_t tid);
/* Time with work to do: running, and waits of WAIT_BUSY_KINDS. */
uint64_t waits_busy_ns(const struct wait_thread *t);

/* @c is an off-CPU capture. Cost: O(samples + nodes). */
void waits_places(const struct capture *c, struct wait_places *ret);
void waits_places_fini(struct wait_places *p);
/* "lock"; static. */
const char *wait_kind_word(enum wait_kind kind);
/* The kind of a reason as in wait_places. False: no such reason. */
bool wait_kind_of_reason(struct str reason, enum wait_kind *ret);

/* Why threads left the CPU, from samples of context switches: shares by kind, without times. */
struct wait_switches {
	double pct[WAIT_KINDS];     /* of all samples; WAIT_CPU: preempted, still runnable */
	double kernel_pct;          /* kernel threads, which have no kind */
	stack_id stack[WAIT_KINDS]; /* the largest call stack of the kind */
	double stack_pct[WAIT_KINDS];
};

/* @ret owns nothing. False: @c has no call stacks with weights. Cost: O(samples + nodes). */
bool waits_of_switches(const struct capture *c, struct wait_switches *ret);

#endif
