/* SPDX-License-Identifier: MIT */
/*
 * off_cpu_walk.h - compute waits from switches and wake-ups, in the order of time
 *
 * off_cpu_chain.c finds out whether switches are missing. off_cpu_walk.c follows each thread
 * through the samples. off_cpu.c chooses the captures to read, and makes a profile of the waits.
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
/*
 * in nanoseconds; if a thread leaves a CPU twice within this time, both records are of one switch
 */
#define OFF_CPU_TWICE_NS UINT64_C(200000)

/* A thread, and its current wait or run. */
struct off_cpu_thread {
	uint32_t tid;
	/*
	 * index of the sample, a switch, at which the thread left its CPU; OFF_CPU_NONE: the thread
	 * runs, or was not seen yet
	 */
	size_t out;
	uint64_t out_ns;
	uint64_t woken_ns; /* time at which the waiting thread was woken; 0: not woken yet */
	str_id waker;
	str_id waker_tid;
	/*
	 * name of the thread that used the CPU until this thread got it; a real-time thread with
	 * its priority (off_cpu_runner())
	 */
	str_id runner;
	/*
	 * start of the thread's current run; OFF_CPU_NEVER: it does not run, or the start is
	 * unknown
	 */
	uint64_t on_ns;
	uint64_t switched_ns; /* time of the last switch to the thread; 0: none so far */
	uint64_t ran_ns;
	/* time of the first record that shows the thread; OFF_CPU_NEVER: none so far */
	uint64_t from_ns;
	uint64_t to_ns;
	uint64_t exit_ns; /* time at which the thread exited; 0: not recorded */
	bool has_waited;
	/*
	 * The thread runs, but no switch to it was seen. on_ns is then the time of its first
	 * record.
	 */
	bool is_on_by_sign;
	/* time of the last record that the thread made: a sample, or a wake-up of another thread */
	uint64_t sign_ns;
	/*
	 * w->c, the capture of the program's switches, has a switch of this thread. (A second
	 * capture, with the switches of all CPUs, is not considered.)
	 */
	bool is_recorded;
	str_id lock; /* the lock that the thread requested last */
	/*
	 * whole_runs: number of runs whose start and end are both in the trace; gaps: number of
	 * places in the trace where a switch of this thread is missing (off_cpu_chain())
	 */
	uint64_t whole_runs, gaps;
};

/* The last recorded switch on a CPU. */
struct off_cpu_cpu {
	/*
	 * ids of the thread that left the CPU (from) and of the thread that got the CPU (to); 0:
	 * the idle task, or unknown
	 */
	uint32_t from, to;
	uint64_t time_ns;
	bool has_switch;
};

enum off_cpu_link_kind {
	OFF_CPU_UNLINKED, /* not known, for example at the first switch on a CPU */
	/* the thread that got the CPU at the previous switch now leaves the CPU */
	OFF_CPU_LINKED,
	/* another thread leaves the CPU, so at least one switch in between is missing */
	OFF_CPU_GAP,
};

/* How a switch fits to the previous switch on the same CPU. */
struct off_cpu_link {
	enum off_cpu_link_kind kind;
	/*
	 * the thread that got the CPU at the previous switch; NULL: there is no previous switch, or
	 * the thread is the idle task or was not recorded
	 */
	struct off_cpu_thread *left;
	uint64_t since_ns; /* time of the previous switch on the CPU; 0: unknown */
};

enum { OFF_CPU_PREV, OFF_CPU_NEXT, OFF_CPU_FIELDS };

struct off_cpu_chain {
	VEC(struct off_cpu_cpu) cpus; /* indexed by CPU */
	const struct sample_field *fields[OFF_CPU_FIELDS];
};

/* The blocked or the runnable part of a wait. Each such part becomes a sample. */
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
	/* for at least one wait for a CPU, it is known which thread used the CPU meanwhile */
	bool has_runners;
	bool has_locks; /* lock requests of threads were recorded */
	/* there is a second capture, with the switches of all threads on the machine */
	bool has_all;
	/* name of the wake-up event: sched_waking, or sched_wakeup if that is missing */
	const char *wakes;
	str_id none, interrupt, blocked, runnable;
	uint64_t first_ns, last_ns;
	struct off_cpu_chain chain;
	struct profile_switches switches;
	/*
	 * The trace is an excerpt, in which many switches of recorded threads are missing.
	 * Therefore a run counts only if its start and its end were seen. A wait counts only if the
	 * trace has no gap between the start and the end of the wait, or if it has all switches of
	 * the waiting thread (off_cpu_is_whole()).
	 */
	bool is_excerpt;
	/* time of the last switch that follows missing switches on its CPU; 0: none so far */
	uint64_t gap_ns;
	/* time of the previous switch on the CPU of the switch that is being handled; 0: unknown */
	uint64_t since_ns;
};

bool off_cpu_is(const struct capture *c, const char *event);
/* Whether the samples of @c are lock requests of threads. */
bool off_cpu_is_lock(const struct capture *c);
struct off_cpu_thread *off_cpu_thread(struct off_cpu_walk *w, uint32_t tid, bool add);
/*
 * Find out from the switches of w->c whether the trace lacks switches of recorded threads, and of
 * which threads. Sets w->is_excerpt, w->switches, and `gaps` and `whole_runs` of the threads. A
 * switch between threads that were not recorded does not count as missing.
 */
void off_cpu_chain(struct off_cpu_walk *w, struct capture *const *all, size_t n);
void off_cpu_chain_begin(struct off_cpu_walk *w);
struct off_cpu_link off_cpu_follow(struct off_cpu_walk *w, size_t i);
/* Whether an excerpt probably has all switches of the thread @t. */
bool off_cpu_is_whole(const struct off_cpu_thread *t);
/*
 * Follow each thread through the samples of the @n captures in @all, in the order of time. Adds the
 * waits to w->parts, and their totals to w->ret.
 */
void off_cpu_walk(struct off_cpu_walk *w, struct capture *const *all, size_t n);

#endif
