/* SPDX-License-Identifier: MIT */
/*
 * waits.h - waits of threads: by kind, thread, call stack and waker
 *
 * Input is an off-CPU capture (transform/off_cpu.h). The functions on the call stack determine
 * the kind of a wait, or field "reason" if off_cpu_name() set it. The time from wake-up or
 * preemption until the thread runs is WAIT_CPU, whatever the stack is. WAIT_BUSY_KINDS are waits
 * of a thread that has work to do. In waits of other kinds, a recording does not show whether
 * work was late or there was none.
 */
#ifndef ANALYSES_WAITS_H
#define ANALYSES_WAITS_H

#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"

struct capture;

enum wait_kind {
	WAIT_CPU,       /* runnable, waiting for a CPU */
	WAIT_LOCK,      /* lock of the program (a mutex) or of the kernel, file locks included */
	WAIT_DISK,      /* storage: reads, writes, flushes */
	WAIT_MEMORY,    /* page faults, reclaim */
	WAIT_GC,        /* garbage collector of the runtime: to help it, or until it is done */
	WAIT_SLEEP,     /* the thread sleeps for a fixed time */
	WAIT_CHILD,     /* end of a child process */
	WAIT_CONDITION, /* signal of another thread: condition variables, joins, semaphores */
	WAIT_FUTEX,     /* lock or condition: the stack does not show which of the two */
	WAIT_PEER,      /* other end of a pipe or socket */
	WAIT_EVENT,     /* next event: epoll, poll, accept, signals */
	WAIT_OTHER,     /* any other wait */
	WAIT_UNKNOWN,   /* there is no call stack */
	WAIT_KINDS,
};

/* a thread with work to do is running or in a wait of one of these kinds */
#define WAIT_BUSY_KINDS \
	(1u << WAIT_CPU | 1u << WAIT_LOCK | 1u << WAIT_DISK | 1u << WAIT_MEMORY | 1u << WAIT_GC)

struct wait_sum {
	uint64_t ns;
	uint64_t n;
	uint64_t longest_ns;
};

struct wait_thread {
	uint32_t tid;
	uint32_t pid;
	str_id comm;    /* the thread's latest command */
	bool is_kernel; /* a thread of the kernel or a runtime, which waits by design */
	uint64_t ran_ns;
	uint64_t life_ns; /* time from the thread's first to its last event */
	struct wait_sum kinds[WAIT_KINDS];
	/*
	 * The thread that waited longest for this one while this one slept voluntarily, and how
	 * long; 0: none.
	 */
	uint32_t slept_for_tid;
	uint64_t slept_for_ns;
	uint32_t slept_with_lock_tid; /* as slept_for_tid, but only waits for locks */
	uint64_t slept_with_lock_ns;
};

/* Waits of one kind at one call stack. */
struct wait_stack {
	stack_id stack;
	enum wait_kind kind;
	struct wait_sum sum;
	str_id waker; /* the waker that ended the largest part of the time */
	uint64_t waker_ns;
	bool is_kernel;
};

/* Waits of thread `tid` that thread `by` ended, without WAIT_CPU. */
struct wait_pair {
	uint32_t tid;
	uint32_t by;
	uint64_t n;
	uint64_t ns;
	uint32_t kinds; /* kinds of the waits, bits by enum wait_kind */
};

/*
 * By stack node: why threads wait there, and the frame that shows it. Owner: waits_places_fini().
 */
struct wait_places {
	/* "lock", "disk", "pipe", …: static strings; NULL: no sample has this stack */
	const char **reason;
	/*
	 * The stack without the innermost frames that do not show the reason: the scheduler, and
	 * the system call below a lock function of the C library.
	 */
	stack_id *shown;
};

/*
 * Stretches of time in which no user thread ran or was ready; each ended when a wait ended. All
 * members except all_ns describe `kind`, the kind of wait that ended most of this time. n is 0 if
 * samples have no times.
 */
struct wait_quiet {
	uint64_t all_ns; /* length of all stretches */
	uint64_t ns;     /* length of the stretches that waits of kind `kind` ended */
	uint64_t n;      /* number of stretches that waits of kind `kind` ended */
	/*
	 * length of a stretch that a wait of kind `kind` ended: quantiles 10 %, 50 % and 90 %,
	 * weighted by length
	 */
	uint64_t low_ns, median_ns, high_ns;
	uint32_t threads; /* number of threads whose waits of kind `kind` ended stretches */
	enum wait_kind kind;
	stack_id stack; /* stack of the waits that ended the largest part of ns */
	uint64_t stack_ns;
};

struct waits {
	VEC(struct wait_thread) threads;
	VEC(struct wait_stack) stacks;     /* longest total first */
	VEC(struct wait_pair) pairs;       /* longest total first */
	struct wait_sum kinds[WAIT_KINDS]; /* sums over user threads */
	/* running time of all user threads, including those that never waited */
	uint64_t ran_ns;
	uint64_t never_waited_ns; /* part of ran_ns: threads that never waited */
	unsigned int never_waited;
	uint64_t span_ns;
	struct wait_quiet quiet;
	bool has_wakers; /* the recording has wake-ups */
};

/* Compute the waits of @c. Owner: caller, waits_fini(). Cost: O(samples log samples). */
void waits_compute(const struct capture *c, struct waits *ret);
void waits_fini(struct waits *w);
/* "locks", "a CPU", …; static string. */
const char *wait_kind_name(enum wait_kind kind);
/* The thread with id @tid; NULL: none. Cost: O(log threads). */
const struct wait_thread *waits_thread(const struct waits *w, uint32_t tid);
/* Time in which the thread had work to do: running, and waits of WAIT_BUSY_KINDS. */
uint64_t waits_busy_ns(const struct wait_thread *t);

/* Find reasons and places of the waits. @c is an off-CPU capture. Cost: O(samples + nodes). */
void waits_places(const struct capture *c, struct wait_places *ret);
void waits_places_fini(struct wait_places *p);
/* "lock", "disk", …; static string. */
const char *wait_kind_word(enum wait_kind kind);
/* The kind of a reason from wait_places.reason. False: there is no such reason. */
bool wait_kind_of_reason(struct str reason, enum wait_kind *ret);

/*
 * Why threads left the CPU, from samples of context switches: shares by kind, because times are
 * unknown.
 */
struct wait_switches {
	/* percent of all samples; WAIT_CPU: the thread was preempted and is still runnable */
	double pct[WAIT_KINDS];
	/* percent of all samples: kernel threads, which are not divided by kind */
	double kernel_pct;
	stack_id stack[WAIT_KINDS]; /* by kind: the call stack with the most weight */
	double stack_pct[WAIT_KINDS];
};

/*
 * Compute the shares from @c. False: @c has no call stacks with weights. @ret owns nothing. Cost:
 * O(samples + nodes).
 */
bool waits_of_switches(const struct capture *c, struct wait_switches *ret);

#endif
