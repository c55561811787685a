/* SPDX-License-Identifier: MIT */
/*
 * waiting.h - rules about waits of threads
 *
 * Shares are of the time in which threads had work: they ran, or waited for a lock, storage, memory
 * or a CPU. While a pool thread waits for work, that time does not count, so it does not reduce the
 * shares. Every wait was measured, so shares have no sampling error. They include waits that the
 * end of the recording cut short.
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

/* If the waits take less than this share of the recorded time, in percent, they are negligible. */
#define WAITING_SPAN_PCT 1.0
/*
 * If the waits take less than this share of the recorded time, in percent, the finding is a note.
 */
#define WAITING_LEAD_SPAN_PCT 5.0
/*
 * If more than this share of the blocked time, in percent, has an unknown stack, a rule does not
 * report "clean".
 */
#define WAITING_UNKNOWN_PCT 10.0

/* The table of a rule about one kind of wait. */
struct waiting {
	enum wait_kind kind;
	double note_pct;
	double lead_pct;
	unsigned int sure;
	/* "waiting for locks": follows "Threads with work to do were" */
	const char *what;
	/* name of the figure; the "clean" sentence also uses it: "waiting for locks" */
	const char *name;
	const char *cause, *usual_cause; /* one of them is NULL: finding_causes() */
	const char *because;
	const char *next[2];
};

void waiting_check(const struct rule_input *in, struct findings *out, const struct rule *rule);

/* Time in which the threads of the program had work: running, or in a wait of WAIT_BUSY_KINDS. */
uint64_t waiting_busy_ns(const struct waits *w);
double waiting_pct(uint64_t ns, uint64_t of);
/*
 * Add the stacks with the longest waits as evidence, at most @max. @kinds: bits of wait kinds.
 * @comm: only this command; STR_NONE: all.
 */
void waiting_evidence(const struct rule_input *in, struct findings *out, struct finding *f,
		      uint32_t kinds, struct str comm, unsigned int max);
/*
 * The program's frames of @stack, innermost first: "work < serve < main". The system call, if there
 * is one, precedes them. In the arena of @out.
 */
struct str waiting_frames(const struct rule_input *in, struct findings *out, stack_id stack);
/* As waiting_frames(), for a stack of capture @c. */
struct str waiting_frames_of(const struct rule_input *in, struct findings *out,
			     const struct capture *c, stack_id stack);
/* The innermost function on @stack that belongs neither to the kernel nor to a library; 0: none. */
sym_id waiting_program(const struct rule_input *in, stack_id stack);
/* The noun for the waiting threads: "thread", or "goroutine" in traces of Go. */
const char *waiting_word(const struct rule_input *in);
/* Name and tid of a thread, "'name' (1234)", in the arena of @out. */
struct str waiting_who(const struct rule_input *in, struct findings *out, uint32_t tid);
/*
 * The threads that kept others waiting, and what these threads did meanwhile. @kinds: bits of wait
 * kinds. The first function returns a clause of a claim, in the arena of @out; "" if no thread
 * stands out. The second one adds evidence.
 */
const char *waiting_held_claim(const struct rule_input *in, struct findings *out, uint32_t kinds);
void waiting_held_evidence(const struct rule_input *in, struct findings *out, struct finding *f,
			   uint32_t kinds);
/* Do enough waits have stacks to rule a problem out? If not, add @rule's "not assessed". */
bool waiting_can_rule_out(const struct rule_input *in, struct findings *out,
			  const struct rule *rule);
/* Add a finding about the whole recording, not about one capture. */
struct finding *waiting_add(const struct rule_input *in, struct findings *out,
			    const struct rule *rule, enum finding_severity severity,
			    unsigned int sure);

#endif
