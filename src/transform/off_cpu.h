/* SPDX-License-Identifier: MIT */
/*
 * off_cpu.h - how long threads were off the CPU, on which stack, and who woke them
 *
 * From samples of sched:sched_switch, each taken where a thread leaves its CPU, and
 * of sched:sched_waking. A thread that leaves because it must wait is blocked until
 * the first wake-up behind that; from there, or from being preempted, until it
 * runs again it waits for a CPU. The two are told apart, never added up.
 */
#ifndef ANALYSES_OFF_CPU_H
#define ANALYSES_OFF_CPU_H

#include "core/dossier.h"

/* Fields of samples that must have been read: load_options.fields. */
extern const struct str off_cpu_fields[];
extern const size_t off_cpu_n_fields;

struct off_cpu {
	bool is_done;
	uint64_t waits;       /* times that a thread was blocked */
	uint64_t blocked_ns;  /* in them */
	uint64_t unwoken;     /* of them without a wake-up that was seen: until it ran again */
	uint64_t preempted;   /* times that a thread could have run on */
	uint64_t runnable_ns; /* that threads could run and did not, after both */
	uint64_t open; /* waits that had not ended when the recording did, counted till then */
	uint64_t threads;
	uint64_t ran_ns; /* that they ran, by the switches: exact, not from samples */
};

/*
 * Turn the first capture from @from on whose event is sched:sched_switch into one of
 * event "off-cpu", whose weights are nanoseconds blocked, with the fields `waker`
 * ("name", "interrupt", "-" where it was not seen), `waker_tid`, `state` (as the
 * kernel's letter) and `wait`: "blocked" until the wake-up, and "runnable" from there,
 * or from being preempted, until it runs. Samples of the idle task and of ends of
 * threads are taken away. profile.ran tells how long each thread ran. @ret->is_done is false where
 * there is no such capture. Errors: ERR_UNSUPPORTED, when it has no times, threads or fields.
 */
/* Whether @c has the waits that off_cpu_make() makes. */
bool off_cpu_has_waits(const struct capture *c);
bool off_cpu_can_make(const struct dossier *d, size_t from); /* there are such switches */
MUST_CHECK int off_cpu_make(struct dossier *d, size_t from, struct off_cpu *ret, struct error *err);

#endif
