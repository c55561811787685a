/* SPDX-License-Identifier: MIT */
/*
 * off_cpu.h - off-CPU time of threads: how long, on which stack, who woke them
 *
 * From samples of sched:sched_switch, each at the point where a thread leaves its CPU, and of
 * sched:sched_waking. A thread that must wait is blocked until its next wake-up. After the
 * wake-up, or after preemption, it is runnable and waits for a CPU until it runs. The two are
 * kept separate and never added.
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

/* Fields of samples that must be loaded: load_options.fields. */
extern const struct str off_cpu_fields[];
extern const size_t off_cpu_n_fields;

struct off_cpu {
	bool is_done;
	uint64_t waits;       /* how often a thread was blocked */
	uint64_t blocked_ns;  /* blocked time in these waits */
	uint64_t unwoken;     /* waits without a recorded wake-up: they end when the thread runs */
	uint64_t unseen;      /* waits without a recorded end: up to the next sign of the thread */
	uint64_t preempted;   /* how often a runnable thread lost its CPU */
	uint64_t runnable_ns; /* time runnable but not running, after both */
	uint64_t open;    /* waits still open at the end of the recording, counted up to there */
	uint64_t threads; /* that were blocked at least once */
	uint64_t ran_ns;  /* time running, by the switches: exact, not sampled */
};

/* A field of samples by name; NULL: none. */
const struct sample_field *off_cpu_field(const struct capture *c, const char *name);
/* Value of a field for sample @i; STR_NONE without @f. */
struct str off_cpu_word(const struct capture *c, const struct sample_field *f, size_t i);
/* A decimal number; 0 if there is none. */
uint64_t off_cpu_number(struct str s);
/* Whether @c has switches of threads. */
bool off_cpu_is_switches(const struct capture *c);
/* Whether samples of @c are of no use except for waits: switches, wake-ups, locks asked for. */
bool off_cpu_is_helper(const struct capture *c);
/* Drop trailing captures while they are helpers; never one before @from. */
void off_cpu_drop_all(struct dossier *d, size_t from);
/* Whether @c was made by off_cpu_make(). */
bool off_cpu_has_waits(const struct capture *c);
/*
 * Convert the first capture from @from on with event sched:sched_switch to event "off-cpu",
 * with weights in blocked nanoseconds. Fields: `waker` ("name", "interrupt", "-" if unknown),
 * `waker_tid`, `state` (the kernel's letter) and `wait`: "blocked" until the wake-up,
 * "runnable" from there, or from preemption, until it runs; `lock`, if recorded: the futex or
 * kernel lock that the thread asked for last. Samples of the idle task and of
 * exiting threads are removed. profile.ran holds each thread's running time. @ret->is_done is
 * false if no such capture exists. Errors: ERR_UNSUPPORTED if it lacks times, threads or
 * fields.
 */
MUST_CHECK int off_cpu_make(struct dossier *d, size_t from, struct off_cpu *ret, struct error *err);
/*
 * Give the samples of @c, made by off_cpu_make(), field `reason`: "cpu" if runnable, else
 * @reasons by stack node; and replace stacks by @shown. Both are indexed by stack node and set
 * for each node that a sample has.
 */
void off_cpu_name(struct capture *c, const char *const *reasons, const stack_id *shown);
bool off_cpu_is_named(const struct capture *c); /* by off_cpu_name(), and not empty */
/*
 * Steps of transform.h: off_cpu_make(), or by t->drops_helpers the removal of the helpers alone;
 * then t->name_waits(). Errors: those of off_cpu_make(); ERR_NOTFOUND without switches.
 */
int off_cpu_step(struct dossier *d, struct transform *t, struct error *err);
int off_cpu_name_step(struct dossier *d, struct transform *t, struct error *err);

#endif
