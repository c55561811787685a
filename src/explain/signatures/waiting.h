/* SPDX-License-Identifier: MIT */
/*
 * waiting.h - rules about waits of threads
 *
 * Shares are of the time in which threads had work: they ran, or waited for a lock, storage,
 * memory or a CPU. Pool threads that wait for work have none of these and dilute nothing. Every
 * wait was measured: shares have no interval from sampling, but include waits cut by the end of
 * the recording.
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

/* Waits below this part of the recording are negligible. */
#define WAITING_SPAN_PCT 1.0
/* Below this part of the recording they need no action. */
#define WAITING_LEAD_SPAN_PCT 5.0
/* Limit of blocked time on unknown stacks; above it no "clean". */
#define WAITING_UNKNOWN_PCT 10.0

/* A rule about a kind of wait. */
struct waiting {
	enum wait_kind kind;
	double note_pct;
	double lead_pct;
	unsigned int sure;
	/* "was waiting for locks": follows "… of the time that threads had work" */
	const char *what;
	const char *name; /* of the figure, and in the clean sentence: "waiting for locks" */
	const char *cause;
	const char *because;
	const char *next[2];
};

void waiting_check(const struct rule_input *in, struct findings *out, const struct rule *rule);

/* Time of all user threads with work to do. */
uint64_t waiting_busy_ns(const struct waits *w);
double waiting_pct(uint64_t ns, uint64_t of);
/*
 * Add the stacks with the longest waits of some kinds (bits) as evidence, at most @max; of the
 * command @comm, or of all with STR_NONE.
 */
void waiting_evidence(const struct rule_input *in, struct findings *out, struct finding *f,
		      uint32_t kinds, struct str comm, unsigned int max);
/*
 * "work < serve < main", frames of the program; without any, the kernel's system call. In the
 * arena of @out.
 */
struct str waiting_frames(const struct rule_input *in, struct findings *out, stack_id stack);
/* The same for a stack of capture @c. */
struct str waiting_frames_of(const struct rule_input *in, struct findings *out,
			     const struct capture *c, stack_id stack);
/* The innermost function of the program above the libraries, on @stack; 0: none. */
sym_id waiting_program(const struct rule_input *in, stack_id stack);
/* "'name' (1234)" in the arena of @out. */
struct str waiting_who(const struct rule_input *in, struct findings *out, uint32_t tid);
/*
 * Who held up waits for locks (bits of their kinds), and what that thread did: a clause of a
 * claim, "" without a clear holder, in the arena of @out; and evidence.
 */
const char *waiting_held_claim(const struct rule_input *in, struct findings *out, uint32_t kinds);
void waiting_held_evidence(const struct rule_input *in, struct findings *out, struct finding *f,
			   uint32_t kinds);
/* Do the stacks suffice to rule something out? Otherwise adds @rule's "not assessed". */
bool waiting_can_rule_out(const struct rule_input *in, struct findings *out,
			  const struct rule *rule);
/* Add a finding that applies to the whole recording, not to one capture. */
struct finding *waiting_add(const struct rule_input *in, struct findings *out,
			    const struct rule *rule, enum finding_severity severity,
			    unsigned int sure);

#endif
