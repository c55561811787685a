/* SPDX-License-Identifier: MIT */
/*
 * waiting.h - rules about what threads waited for
 *
 * Shares are of the time in which threads had something to do: they ran, or waited
 * for a lock, storage, memory or a CPU. A thread of a pool that waits for work has
 * none of these, and dilutes nothing. Every wait was measured: shares carry no
 * interval from sampling, but count waits that were cut by the recording's end.
 */
#ifndef EXPLAIN_WAITING_H
#define EXPLAIN_WAITING_H

#include "analyses/waits.h"
#include "base/str.h"
#include "core/ids.h"
#include "explain/findings.h"
#include "explain/rule.h"

struct rule_input;

/* Below this part of the recording a wait is felt by nobody. */
#define WAITING_SPAN_PCT 1.0
/* Nor is it a matter to act on below this. */
#define WAITING_LEAD_SPAN_PCT 5.0
/* Of the time that threads were blocked: with more on stacks that tell nothing, no "clean". */
#define WAITING_UNKNOWN_PCT 10.0

/* A rule that is a kind of wait. */
struct waiting {
	enum wait_kind kind;
	double note_pct;
	double lead_pct;
	unsigned int sure;
	const char *what; /* "was waiting for locks": after "… of the time that threads had work" */
	const char *name; /* of the figure, and in the clean sentence: "waiting for locks" */
	const char *cause;
	const char *because;
	const char *next[3];
};

void waiting_check(const struct rule_input *in, struct findings *out, const struct rule *rule);

/* Time of all threads of programs in which they had something to do. */
uint64_t waiting_busy_ns(const struct waits *w);
double waiting_pct(uint64_t ns, uint64_t of);
/*
 * The stacks with most time of some kinds (bits), at most @max, as evidence; of the
 * command @comm, or of all with STR_NONE.
 */
void waiting_evidence(const struct rule_input *in, struct findings *out, struct finding *f,
		      uint32_t kinds, struct str comm, unsigned int max);
/*
 * "work < serve < main", of the program; where it has no frames, the system call of the
 * kernel. In the arena of @out.
 */
struct str waiting_frames(const struct rule_input *in, struct findings *out, stack_id stack);
/* "'name' (1234)" in the arena of @out. */
struct str waiting_who(const struct rule_input *in, struct findings *out, uint32_t tid);
/*
 * Whether the stacks tell enough to say that something is not there. Says so as
 * @rule's "not assessed" otherwise.
 */
bool waiting_can_acquit(const struct rule_input *in, struct findings *out, const struct rule *rule);
/* A finding that holds for the whole recording, not for one of its captures. */
struct finding *waiting_add(const struct rule_input *in, struct findings *out,
			    const struct rule *rule, enum finding_severity severity,
			    unsigned int sure);

#endif
