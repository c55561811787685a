/* SPDX-License-Identifier: MIT */
/*
 * off_cpu.h - off-CPU time of threads: its duration, call stack and waker
 *
 * Waits are computed from samples of sched:sched_switch and sched:sched_waking. Each sample of
 * sched:sched_switch is taken where a thread leaves its CPU. A thread that must wait is blocked
 * until its next wake-up. After the wake-up, or after preemption, the thread is runnable: it waits
 * for a CPU until it runs. Blocked and runnable time are kept separate and never added.
 */
#ifndef TRANSFORM_OFF_CPU_H
#define TRANSFORM_OFF_CPU_H

#include "base/status.h"
#include "base/str.h"
#include "core/ids.h"

struct capture;
struct dossier;
struct sample_field;
struct transform;

/*
 * Names of the sample fields that off_cpu_step() needs. A reader keeps only the fields in
 * load_options.fields, so commands add these names there.
 */
extern const struct str off_cpu_fields[];
extern const size_t off_cpu_n_fields;

struct off_cpu {
	bool is_done;
	uint64_t waits;      /* number of times that a thread was blocked */
	uint64_t blocked_ns; /* total time that threads were blocked */
	/*
	 * number of ended waits without a recorded wake-up; their whole length counts as blocked
	 * time
	 */
	uint64_t unwoken;
	/*
	 * number of waits that end without a recorded switch to the thread, because a later record
	 * shows that the thread runs again
	 */
	uint64_t unseen;
	/* number of times that a thread lost its CPU although it was runnable (state "R") */
	uint64_t preempted;
	uint64_t runnable_ns; /* time runnable but not running, after wake-ups and preemptions */
	/*
	 * number of threads that are still blocked at the end of the recording; their time counts
	 * up to that end
	 */
	uint64_t open;
	uint64_t threads; /* number of threads that were blocked at least once */
	/* time that threads ran; measured from switches, not estimated from samples */
	uint64_t ran_ns;
};

/* The sample field of @c with the name @name; NULL: there is none. */
const struct sample_field *off_cpu_field(const struct capture *c, const char *name);
/* Value of field @f for sample @i; STR_NONE if @f is NULL. */
struct str off_cpu_word(const struct capture *c, const struct sample_field *f, size_t i);
/* The decimal number at the start of @s; 0 if there is none. */
uint64_t off_cpu_number(struct str s);
/* Whether the samples of @c are context switches of threads. */
bool off_cpu_is_switches(const struct capture *c);
/*
 * Whether @c is a helper capture: its samples (switches, wake-ups or lock requests) serve only to
 * compute waits.
 */
bool off_cpu_is_helper(const struct capture *c);
/* Whether the samples of @c are waits, computed by off_cpu_make() or by a reader. */
bool off_cpu_has_waits(const struct capture *c);
/*
 * Convert the first capture of event sched:sched_switch at or after index @from to a capture of
 * waits. Its event becomes "off-cpu", and its weights become nanoseconds. @ret->is_done is false if
 * no such capture exists.
 *
 * Fields of the new samples:
 *   `wait`: "blocked" (until the wake-up) or "runnable" (from then on, or after preemption)
 *   `waker`: name of the thread that woke this thread; "interrupt"; "-" if unknown
 *   `waker_tid`: thread id of the waker
 *   `runner`, if recorded, in samples of runnable time: the thread that used the CPU until this
 *           thread got it; for a real-time thread with priority: "audio (priority 59)"
 *   `state`: the kernel's letter for the thread's state, such as "S" (sleeping)
 *   `lock`, if recorded: the futex or kernel lock that the thread requested last
 *
 * The idle task and exiting threads get no samples. profile.ran receives the running time of each
 * thread. Errors: ERR_UNSUPPORTED if times, threads or fields are missing.
 */
MUST_CHECK int off_cpu_make(struct dossier *d, size_t from, struct off_cpu *ret, struct error *err);
/*
 * Add the field `reason` to the samples of waits in @c: "cpu" for runnable threads, otherwise the
 * text in @reasons. Replace the stack of each sample by its stack in @shown. Both arrays are
 * indexed by stack node, and have a value for each node that is the stack of a sample.
 */
void off_cpu_name(struct capture *c, const char *const *reasons, const stack_id *shown);
/* Whether off_cpu_name() was called for @c, and @c has samples. */
bool off_cpu_is_named(const struct capture *c);
/*
 * Steps of transform.h. If a reader has already made a capture of waits, off_cpu_step() only takes
 * its totals. Otherwise it calls off_cpu_make() if t->is_off_cpu is set, or if t->finds_off_cpu is
 * set and the input has usable switches. If neither applies and t->drops_helpers is set, it drops
 * helper captures. off_cpu_name_step() calls t->name_waits() for captures of waits. Errors: those
 * of off_cpu_make(); ERR_NOTFOUND if t->is_off_cpu is set and there are no switches.
 */
int off_cpu_step(struct dossier *d, struct transform *t, struct error *err);
int off_cpu_name_step(struct dossier *d, struct transform *t, struct error *err);

#endif
