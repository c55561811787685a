/* SPDX-License-Identifier: MIT */
/*
 * waits.h - waits of threads: by kind, thread, call stack and waker
 *
 * The input is an off-CPU capture (transform/off_cpu.h). The kind of a wait is determined by the
 * field "reason", if off_cpu_name() set it, else by the functions on the call stack. The time from
 * wake-up or preemption until the thread runs is WAIT_CPU for any stack. In waits of
 * WAIT_BUSY_KINDS, the thread has work to do. In other waits, its work may be late, or it may have
 * no work; a recording does not show which.
 */
#ifndef ANALYSES_WAITS_H
#define ANALYSES_WAITS_H

#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"

struct capture;

enum wait_kind {
	WAIT_CPU,    /* waits for a CPU: the thread is runnable */
	WAIT_LOCK,   /* waits for a lock: of the program (a mutex), of the kernel, or of a file */
	WAIT_DISK,   /* waits for storage: reads, writes, flushes */
	WAIT_MEMORY, /* waits for memory: page faults, reclaim */
	WAIT_GC,     /* helps the garbage collector of the runtime, or waits until it is done */
	WAIT_SLEEP,  /* the thread sleeps for a fixed time */
	WAIT_CHILD,  /* waits for the end of a child process */
	/* waits for a signal of another thread: condition variable, join, semaphore */
	WAIT_CONDITION,
	/* waits for either a lock or a condition; the stack does not show for which of the two */
	WAIT_FUTEX,
	WAIT_PEER,    /* waits for the process at the other end of a pipe or socket */
	WAIT_EVENT,   /* waits for the next event: epoll, poll, accept, signals */
	WAIT_OTHER,   /* any other wait */
	WAIT_UNKNOWN, /* the recording has no call stack of the wait */
	WAIT_KINDS,
};

/* kinds of waits in which a thread certainly has work to do */
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
	str_id comm;    /* last command of the thread */
	bool is_kernel; /* thread of the kernel or of a runtime, for which waiting is normal */
	uint64_t ran_ns;
	uint64_t life_ns; /* time from the thread's first to its last event */
	struct wait_sum kinds[WAIT_KINDS];
	/*
	 * the thread that waited longest for this thread while this thread slept voluntarily (as
	 * with sleep()), and its waiting time in ns; 0: none
	 */
	uint32_t slept_for_tid;
	uint64_t slept_for_ns;
	/*
	 * the thread that waited longest for a lock of this thread while this thread slept
	 * voluntarily, and its waiting time in ns; 0: none
	 */
	uint32_t slept_with_lock_tid;
	uint64_t slept_with_lock_ns;
};

/* Waits of one kind at one call stack. */
struct wait_stack {
	stack_id stack;
	enum wait_kind kind;
	struct wait_sum sum;
	/*
	 * the waker that ended the most waiting time. For WAIT_CPU, it is the thread that had the
	 * CPU until the wait ended. waker_ns: sum of the waits that the waker ended
	 */
	str_id waker;
	uint64_t waker_ns;
	bool is_kernel;
};

/* Waits of thread `tid` that thread `by` ended. WAIT_CPU is not included. */
struct wait_pair {
	uint32_t tid;
	uint32_t by;
	uint64_t n;
	uint64_t ns;
	uint32_t kinds; /* kinds of the waits of this pair: set of bits 1 << enum wait_kind */
};

/*
 * For each stack, the reason of its waits, and the frame that shows the reason. Owner: caller,
 * waits_places_fini().
 */
struct wait_places {
	/*
	 * indexed by stack node: reason of waits with this stack, a static string: "lock", "disk",
	 * "pipe"; NULL: no wait has this stack
	 */
	const char **reason;
	/*
	 * indexed by stack node: the stack from the frame that shows the reason to the outermost
	 * frame. So it lacks the scheduler, and the futex call inside a lock function of the C
	 * library
	 */
	stack_id *shown;
};

/*
 * Quiet intervals: times in which no user thread ran or was runnable. A quiet interval ends when a
 * wait ends. `kind` is the kind of wait that ended most of the quiet time. The other members,
 * except all_ns, are about the intervals that waits of this kind ended. n is 0 if samples have no
 * times.
 */
struct wait_quiet {
	uint64_t all_ns; /* sum of all quiet intervals */
	uint64_t ns;     /* sum of the intervals that waits of `kind` ended */
	uint64_t n;      /* number of intervals that waits of `kind` ended */
	/*
	 * lengths of the intervals that waits of `kind` ended: the quantiles 10 %, 50 % and 90 %,
	 * weighted by length
	 */
	uint64_t low_ns, median_ns, high_ns;
	uint32_t threads; /* number of threads whose waits of `kind` ended quiet intervals */
	enum wait_kind kind;
	stack_id stack; /* call stack of the waits that ended the largest part of `ns` */
	uint64_t stack_ns;
};

struct waits {
	VEC(struct wait_thread) threads;
	VEC(struct wait_stack) stacks;     /* sorted by sum of waits, longest first */
	VEC(struct wait_pair) pairs;       /* sorted by sum of waits, longest first */
	struct wait_sum kinds[WAIT_KINDS]; /* indexed by kind: sums over user threads */
	/* running time of all user threads, including those that never waited */
	uint64_t ran_ns;
	/* running time of the threads that never waited; part of ran_ns */
	uint64_t never_waited_ns;
	unsigned int never_waited;
	uint64_t span_ns;
	struct wait_quiet quiet;
	bool has_wakers; /* the recording has wake-ups, so wakers are known */
};

/* Compute the waits of @c. Owner: caller, waits_fini(). Cost: O(samples log samples). */
void waits_compute(const struct capture *c, struct waits *ret);
void waits_fini(struct waits *w);
/* Name of a kind of wait, a noun: "locks", "a CPU" …; static string. */
const char *wait_kind_name(enum wait_kind kind);
/* The thread with the id @tid; NULL: none. Cost: O(log threads). */
const struct wait_thread *waits_thread(const struct waits *w, uint32_t tid);
/* Time in which the thread had work to do: its running time and its waits of WAIT_BUSY_KINDS. */
uint64_t waits_busy_ns(const struct wait_thread *t);

/*
 * Find the reason and the shown stack (struct wait_places) for each stack in @c, an off-CPU
 * capture. Cost: O(samples + nodes).
 */
void waits_places(const struct capture *c, struct wait_places *ret);
void waits_places_fini(struct wait_places *p);
/* One word for a kind of wait: "lock", "disk" …; static string. */
const char *wait_kind_word(enum wait_kind kind);
/* The kind of wait that has this reason ("lock", "pipe"). False: no kind has it. */
bool wait_kind_of_reason(struct str reason, enum wait_kind *ret);

/*
 * Why threads left the CPU. For samples of context switches without times: only the shares of the
 * reasons are known.
 */
struct wait_switches {
	/*
	 * in percent of all samples, indexed by kind of wait. WAIT_CPU: the thread was preempted
	 * while it was runnable
	 */
	double pct[WAIT_KINDS];
	/* in percent of all samples: kernel threads, which are not divided by kind */
	double kernel_pct;
	/* indexed by kind of wait: the call stack with the most samples */
	stack_id stack[WAIT_KINDS];
	double stack_pct[WAIT_KINDS];
};

/*
 * Compute the shares from @c. False: @c has no call stacks with weights. @ret needs no release.
 * Cost: O(samples + nodes).
 */
bool waits_of_switches(const struct capture *c, struct wait_switches *ret);

#endif
