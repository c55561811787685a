/* SPDX-License-Identifier: MIT */
/*
 * waiting.h - rules about waits of threads
 *
 * Shares are of the time in which threads had work: they ran, or waited for a lock, storage, memory
 * or a CPU. The time in which a thread waits for work is not included. Every wait was measured, so
 * shares have no sampling error. If a wait was in progress at the end of the recording, it is
 * included up to the end.
 */
#ifndef EXPLAIN_WAITING_H
#define EXPLAIN_WAITING_H

#include "analyses/waits/waits.h"
#include "base/str.h"
#include "core/ids.h"
#include "explain/findings.h"
#include "explain/rule.h"

struct capture;
struct rule_input;

/* waits with less than this percentage of the recorded time are negligible */
#define WAITING_SPAN_PCT 1.0
/* waits with less than this percentage of the recorded time are a note, and no warning */
#define WAITING_LEAD_SPAN_PCT 5.0
/* if more than this percentage of the blocked time has unknown stacks, no rule reports "clean" */
#define WAITING_UNKNOWN_PCT 10.0

/* Thresholds and texts of a rule about one kind of wait. */
struct waiting {
	enum wait_kind kind;
	double note_pct;
	double lead_pct;
	unsigned int sure;
	/* "waiting for locks": this text follows "Threads with work to do were" in the claim */
	const char *what;
	/* name of the figure and in the "clean" sentence: "waiting for locks" */
	const char *name;
	/*
	 * cause: a cause that the data proves. usual_cause: a cause that is usual, but not proved
	 * by the data. One of the two is NULL (finding_causes()).
	 */
	const char *cause, *usual_cause;
	const char *because;
	const char *not_known; /* the thing that the data does not show (finding_unknown()) */
	const char *next[2];
};

void waiting_check(const struct rule_input *in, struct findings *out, const struct rule *rule);

/*
 * Sum of the time in which the program's threads have work: they run, or are in a wait of a kind in
 * WAIT_BUSY_KINDS.
 */
uint64_t waiting_busy_ns(const struct waits *w);
/*
 * Are context switches missing, so that sums of waits and running times are too small? Then
 * waiting_add() reports nothing as certain.
 */
bool waiting_is_partial(const struct rule_input *in);
/*
 * Are waits missing, or may threads have waited without a record? Then no kind of wait is ruled
 * out.
 */
bool waiting_misses_waits(const struct rule_input *in);
/* Add "not assessed" for @rule because switches are missing. */
void waiting_not_ruled_out(const struct rule_input *in, struct findings *out,
			   const struct rule *rule);
double waiting_pct(uint64_t ns, uint64_t of);
/*
 * Add the stacks with the longest waits as evidence, at most @max. @kinds: kinds of wait, as bits
 * such as 1 << WAIT_LOCK. @comm: only threads with this command; STR_NONE: all threads.
 */
void waiting_evidence(const struct rule_input *in, struct findings *out, struct finding *f,
		      uint32_t kinds, struct str comm, unsigned int max);
/*
 * The system call on @stack, and the program's frames, innermost first: "futex < work < serve <
 * main". In the arena of @out.
 */
struct str waiting_frames(const struct rule_input *in, struct findings *out, stack_id stack);
/* As waiting_frames(), for a stack of capture @c instead of in->capture. */
struct str waiting_frames_of(const struct rule_input *in, struct findings *out,
			     const struct capture *c, stack_id stack);
/* The innermost function on @stack that belongs neither to the kernel nor to a library; 0: none. */
sym_id waiting_program(const struct rule_input *in, stack_id stack);
/* The command of the thread with @stack. */
struct str waiting_comm(const struct rule_input *in, stack_id stack);
/* The noun for the waiting threads: "thread", or "goroutine" in traces of Go. */
const char *waiting_word(const struct rule_input *in);
/* Name and tid of a thread, "'name' (1234)", in the arena of @out. */
struct str waiting_who(const struct rule_input *in, struct findings *out, uint32_t tid);
/*
 * The threads that kept others waiting, and their state meanwhile. @kinds: kinds of wait, as bits
 * such as 1 << WAIT_LOCK. waiting_held_claim() returns a clause for the claim, in the arena of
 * @out: ", 80.0 % of it held by 'a' (7)"; "" if no thread has a large share.
 * waiting_held_evidence() adds evidence to @f.
 */
const char *waiting_held_claim(const struct rule_input *in, struct findings *out, uint32_t kinds);
void waiting_held_evidence(const struct rule_input *in, struct findings *out, struct finding *f,
			   uint32_t kinds);
/*
 * The real-time thread that runs instead of the holder of a lock, "picture (priority 94)".
 * *@ret_is_certain: the waiting thread has a higher priority, so this is a priority inversion;
 * false: its priority is unknown. Empty: the holder mostly runs or sleeps, no real-time thread is
 * known, or the waiting thread has a lower priority.
 */
struct str waiting_held_inverted(const struct rule_input *in, uint32_t kinds, bool *ret_is_certain);
/* Do enough waits have stacks to rule out a problem? If not, "not assessed" of @rule is added. */
bool waiting_can_rule_out(const struct rule_input *in, struct findings *out,
			  const struct rule *rule);
/* Add a finding about the whole recording, not about one capture. */
struct finding *waiting_add(const struct rule_input *in, struct findings *out,
			    const struct rule *rule, enum finding_severity severity,
			    unsigned int sure);

#endif
