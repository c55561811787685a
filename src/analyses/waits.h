/* SPDX-License-Identifier: MIT */
/*
 * waits.h - what threads waited for: by kind, by thread, by stack, and for whom
 *
 * From a capture of waits (transform/off_cpu.h). The kind is told by the functions on
 * the stack; time between being woken, or preempted, and running is WAIT_CPU whatever
 * the stack is. Some kinds are waits of a thread that has something to do; of others
 * nobody can tell from a recording whether they are work that is late or no work.
 */
#ifndef ANALYSES_WAITS_H
#define ANALYSES_WAITS_H

#include "core/dossier.h"
#include "transform/off_cpu.h"

enum wait_kind {
	WAIT_CPU,       /* could run and had no CPU */
	WAIT_LOCK,      /* of the program (a mutex) or of the kernel, files included */
	WAIT_DISK,      /* storage: reads, writes, flushes */
	WAIT_MEMORY,    /* page faults, reclaim */
	WAIT_SLEEP,     /* it asked for that */
	WAIT_CHILD,     /* for a process to end */
	WAIT_CONDITION, /* condition variables, joins, semaphores: another thread's sign */
	WAIT_FUTEX,     /* a lock or a condition: the stack does not tell which */
	WAIT_PEER,      /* the other end of a pipe or socket */
	WAIT_EVENT,     /* epoll, poll, accept, signals: whatever comes next */
	WAIT_OTHER,     /* something else */
	WAIT_UNKNOWN,   /* there is no stack */
	WAIT_KINDS,
};

/* A thread that has something to do runs, or waits for one of these. */
#define WAIT_BUSY_KINDS (1u << WAIT_CPU | 1u << WAIT_LOCK | 1u << WAIT_DISK | 1u << WAIT_MEMORY)

struct wait_sum {
	uint64_t ns;
	uint64_t n;
	uint64_t longest_ns;
};

struct wait_thread {
	uint32_t tid;
	uint32_t pid;
	str_id comm;    /* the last */
	bool is_kernel; /* of the kernel: it waits by design */
	uint64_t ran_ns;
	uint64_t life_ns; /* from when it was first seen to the last time */
	struct wait_sum kinds[WAIT_KINDS];
	/* While it slept as it asked for, another waited that it woke later: who did longest */
	uint32_t slept_for_tid;
	uint64_t slept_for_ns;
	uint32_t slept_with_lock_tid; /* the same of waits for locks */
	uint64_t slept_with_lock_ns;
};

/* Waits of one kind on one stack. */
struct wait_stack {
	stack_id stack;
	enum wait_kind kind;
	struct wait_sum sum;
	str_id waker; /* that ended most of the time */
	uint64_t waker_ns;
	bool is_kernel;
};

/* Waits of a thread that another one ended, WAIT_CPU aside. */
struct wait_pair {
	uint32_t tid;
	uint32_t by;
	uint64_t n;
	uint64_t ns;
	uint32_t kinds; /* bits of enum wait_kind */
};

struct waits {
	VEC(struct wait_thread) threads;
	VEC(struct wait_stack) stacks;     /* most time first */
	VEC(struct wait_pair) pairs;       /* the same */
	struct wait_sum kinds[WAIT_KINDS]; /* of threads that are not of the kernel */
	uint64_t ran_ns;                   /* of the same, and of those that never waited */
	uint64_t never_waited_ns;          /* ran_ns of these */
	unsigned int never_waited;
	uint64_t span_ns;
	bool has_wakers; /* wake-ups were recorded */
};

/* Owner: caller, waits_fini(). Cost: O(samples log samples). */
void waits_compute(const struct capture *c, struct waits *ret);
void waits_fini(struct waits *w);
/* "a lock", "a CPU" */
const char *wait_kind_name(enum wait_kind kind);
/* The thread, or NULL. Cost: O(log threads). */
const struct wait_thread *waits_thread(const struct waits *w, uint32_t tid);
/* Time in which it had something to do: running, and waits of WAIT_BUSY_KINDS. */
uint64_t waits_busy_ns(const struct wait_thread *t);

/* Where threads left the CPU, of samples of context switches: a share by kind, no times. */
struct wait_switches {
	double pct[WAIT_KINDS];     /* of all; WAIT_CPU: preempted, they could have run on */
	double kernel_pct;          /* threads of the kernel, which are in no kind */
	stack_id stack[WAIT_KINDS]; /* the one with most of a kind */
	double stack_pct[WAIT_KINDS];
};

/* Owner of nothing. False: @c has no stacks with weights. Cost: O(samples + nodes). */
bool waits_of_switches(const struct capture *c, struct wait_switches *ret);

#endif
