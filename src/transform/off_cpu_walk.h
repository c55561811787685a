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
/* ns; if a thread leaves its CPU twice within this time, both records are of the same switch */
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
	/*
	 * name of the thread whose CPU this thread gets next, with the priority of a real-time
	 * thread
	 */
	str_id runner;
	uint64_t on_ns;       /* start of its current run; OFF_CPU_NEVER: not running, or unknown */
	uint64_t switched_ns; /* time of the last switch to the thread; 0: none so far */
	uint64_t ran_ns;
	/* first time at which a record shows the thread; OFF_CPU_NEVER: none so far */
	uint64_t from_ns;
	uint64_t to_ns;
	uint64_t exit_ns; /* time at which the thread exited; 0: not recorded */
	bool has_waited;
	/* no switch to the thread was seen; on_ns is the time of its first record */
	bool is_on_by_sign;
	/* time of the last record that the thread made: a sample, or a wake-up of another thread */
	uint64_t sign_ns;
	/*
	 * the first capture, with the events of the program, has a switch of this thread; the
	 * second capture, of all CPUs, does not count
	 */
	bool is_recorded;
	str_id lock; /* the lock that the thread requested last */
	/*
	 * whole_runs: number of runs whose start and end are in the trace; gaps: number of places
	 * at which a switch of this thread is missing (off_cpu_chain())
	 */
	uint64_t whole_runs, gaps;
};

/* The last recorded switch on a CPU. */
struct off_cpu_cpu {
	/*
	 * ids of the thread that left the CPU and of the thread that got it; 0: the idle task, or
	 * unknown
	 */
	uint32_t from, to;
	uint64_t time_ns;
	bool has_switch;
};

enum off_cpu_link_kind {
	OFF_CPU_UNLINKED, /* unknown, for example at the first switch on a CPU */
	OFF_CPU_LINKED,   /* the thread that got the CPU at the previous switch leaves it */
	OFF_CPU_GAP,      /* another thread leaves the CPU: at least two switches are missing */
};

/* How a switch follows the previous switch on the same CPU. */
struct off_cpu_link {
	enum off_cpu_link_kind kind;
	/* the thread that got the CPU at the previous switch; NULL: none, or it is not recorded */
	struct off_cpu_thread *left;
	uint64_t since_ns; /* time of the previous switch on the CPU; 0: unknown */
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
	bool has_runners; /* for some waits for a CPU, the thread that used this CPU is known */
	bool has_locks;   /* lock requests of threads were recorded */
	bool has_all;     /* a second capture has the switches of all threads on the machine */
	/* name of the wake-up event: sched_waking, or sched_wakeup if that is missing */
	const char *wakes;
	str_id none, interrupt, blocked, runnable;
	uint64_t first_ns, last_ns;
	struct off_cpu_chain chain;
	struct profile_switches switches;
	/*
	 * Many switches of recorded threads are missing. A run then counts only if its start and
	 * its end were seen. A wait counts only if no switch is missing since its start, or if no
	 * switch of its thread is missing.
	 */
	bool is_excerpt;
	/* time of the last switch before which switches are missing; 0: none so far */
	uint64_t gap_ns;
	/* time of the previous switch on the CPU of the current switch; 0: unknown */
	uint64_t since_ns;
};

bool off_cpu_is(const struct capture *c, const char *event);
/* Whether the samples of @c are lock requests of threads. */
bool off_cpu_is_lock(const struct capture *c);
struct off_cpu_thread *off_cpu_thread(struct off_cpu_walk *w, uint32_t tid, bool add);
/*
 * Find out from the switches of w->c whether switches of recorded threads are missing, and of which
 * threads. Sets w->is_excerpt, w->switches, and the gaps and whole_runs of threads. If only some
 * threads were recorded, switches between other threads are not missing.
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
