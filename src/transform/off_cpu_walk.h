/* SPDX-License-Identifier: MIT */
/*
 * off_cpu_walk.h - compute waits from switches and wake-ups, in the order of time
 *
 * off_cpu_chain.c finds out whether switches are missing. off_cpu_walk.c follows each thread
 * through the samples. off_cpu.c chooses these samples and makes a profile of the waits.
 */
#ifndef TRANSFORM_OFF_CPU_WALK_H
#define TRANSFORM_OFF_CPU_WALK_H

#include "base/idmap.h"
#include "base/status.h"
#include "base/vec.h"
#include "core/ids.h"
#include "core/profile.h"

struct capture;
struct dossier;
struct off_cpu;
struct sample_field;

#define OFF_CPU_FUTEX "syscalls:sys_enter_futex"
#define OFF_CPU_LOCK  "lock:contention_begin"
#define OFF_CPU_NONE  SIZE_MAX
#define OFF_CPU_NEVER UINT64_MAX
/* ns; two records of one thread leaving its CPU, closer than this, are of the same switch */
#define OFF_CPU_TWICE_NS UINT64_C(200000)

/* A thread and its current wait. */
struct off_cpu_thread {
	uint32_t tid;
	/*
	 * index of the switch (a sample) at which the thread left the CPU; OFF_CPU_NONE: it runs,
	 * or was not seen yet
	 */
	size_t out;
	uint64_t out_ns;
	uint64_t woken_ns; /* time of the wake-up during the current wait; 0: none yet */
	str_id waker;
	str_id waker_tid;
	/* name of the thread whose CPU it gets next, with the priority if that is a real-time one
	 */
	str_id runner;
	uint64_t on_ns;       /* start of its current run; OFF_CPU_NEVER: not running, or unknown */
	uint64_t switched_ns; /* the last switch to it; 0: none so far */
	uint64_t ran_ns;
	/* first time at which a record shows the thread; OFF_CPU_NEVER: none so far */
	uint64_t from_ns;
	uint64_t to_ns;
	uint64_t exit_ns; /* time at which the thread exited; 0: not recorded */
	bool has_waited;
	/*
	 * on_ns is the time of the thread's first record, because no switch to the thread was seen
	 */
	bool is_on_by_sign;
	/* time of the last record that the thread made: a sample, or a wake-up of another thread */
	uint64_t sign_ns;
	/*
	 * the capture of the program's events has a switch of this thread; a capture of all CPUs,
	 * which may follow, does not count
	 */
	bool is_recorded;
	str_id lock; /* the lock that the thread requested last */
	/*
	 * number of runs whose two ends are in the trace, and of places at which a switch of this
	 * thread is missing (off_cpu_chain())
	 */
	uint64_t whole_runs, gaps;
};

/* The last recorded switch on a CPU. */
struct off_cpu_cpu {
	uint32_t from, to; /* threads; 0: the idle task, or unknown */
	uint64_t time_ns;
	bool has_switch;
};

enum off_cpu_link_kind {
	OFF_CPU_UNLINKED, /* unknown */
	OFF_CPU_LINKED,   /* the thread that got the CPU leaves it */
	OFF_CPU_GAP,      /* another thread leaves it: at least two switches are missing */
};

/* How a switch follows the one before it on its CPU. */
struct off_cpu_link {
	enum off_cpu_link_kind kind;
	/* the thread that had got the CPU; NULL: none, or it is not recorded */
	struct off_cpu_thread *left;
	uint64_t since_ns; /* time of the switch before, to another thread or this; 0: unknown */
};

enum { OFF_CPU_PREV, OFF_CPU_NEXT, OFF_CPU_FIELDS };

struct off_cpu_chain {
	VEC(struct off_cpu_cpu) cpus; /* indexed by CPU */
	const struct sample_field *fields[OFF_CPU_FIELDS];
};

/* The blocked or the runnable part of a wait. Each becomes a sample. */
struct off_cpu_part {
	uint64_t from_ns;
	uint64_t ns;
	uint32_t sample; /* index of the sample, a switch, at which the wait began */
	str_id waker, waker_tid, kind, lock, runner;
};

struct off_cpu_walk {
	struct dossier *d;
	struct capture *c;
	struct off_cpu *ret;
	struct idmap by_tid;
	VEC(struct off_cpu_thread) threads;
	VEC(struct off_cpu_part) parts;
	VEC(str_id) states; /* indexed by sample: state of the thread that leaves the CPU */
	VEC(uint8_t) cpus;  /* indexed by CPU: 1 if a switch on this CPU was seen */
	bool has_wakeups;
	bool has_runners; /* of some waits for a CPU, the thread that had it is known */
	bool has_locks;   /* lock requests of threads were recorded */
	bool has_all;     /* a second capture has the switches of all threads on the machine */
	/* name of the wake-up event: sched_waking, or sched_wakeup if that is missing */
	const char *wakes;
	str_id none, interrupt, blocked, runnable;
	uint64_t first_ns, last_ns;
	struct off_cpu_chain chain;
	struct profile_switches switches;
	/*
	 * Switches of recorded threads are missing. Then a thread's run counts only if both its
	 * ends were seen, and a wait only if no switch is missing between its ends or none of the
	 * thread's.
	 */
	bool is_excerpt;
	uint64_t gap_ns;   /* the last time by which a switch was missing; 0: none so far */
	uint64_t since_ns; /* the switch before on the CPU of the current one; 0: unknown */
};

bool off_cpu_is(const struct capture *c, const char *event);
/* Whether the samples of @c are lock requests of threads. */
bool off_cpu_is_lock(const struct capture *c);
struct off_cpu_thread *off_cpu_thread(struct off_cpu_walk *w, uint32_t tid, bool add);
/*
 * Find out from the switches of w->c whether switches of recorded threads are missing, and of which
 * threads. Sets w->is_excerpt, w->switches, and gaps and whole_runs of threads. A recording of some
 * threads has no switches between others; that is no gap.
 */
void off_cpu_chain(struct off_cpu_walk *w, struct capture *const *all, size_t n);
void off_cpu_chain_begin(struct off_cpu_walk *w);
struct off_cpu_link off_cpu_follow(struct off_cpu_walk *w, size_t i);
/* Whether an excerpt has all switches of the thread. */
bool off_cpu_is_whole(const struct off_cpu_thread *t);
/*
 * Follow each thread through the samples of the @n captures in @all, in the order of time. Adds the
 * waits to w->parts, and their sums to w->ret.
 */
void off_cpu_walk(struct off_cpu_walk *w, struct capture *const *all, size_t n);

#endif
