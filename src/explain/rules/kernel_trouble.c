/* SPDX-License-Identifier: MIT */
/*
 * What the kernel says about itself: oopses, lockups, hung tasks, stalls, out of
 * memory. Everything measured on such a machine stands behind it.
 *
 * No threshold; warnings alone are a note.
 */
#include "explain/log_words.h"

struct kernel_words {
	enum finding_severity severity;
	const char *cause;
	const char *next;
};

static const struct kernel_words kernel_words[KERNEL_EVENT_KINDS] = {
	[KERNEL_OOPS] = { FINDING_ERROR, "a bug in the kernel or a module: state is damaged",
			  "the trace below the line, with scripts/decode_stacktrace.sh" },
	[KERNEL_WARNING] = { FINDING_NOTE, "the kernel met what it takes for impossible",
			     "the trace below the line, with scripts/decode_stacktrace.sh" },
	[KERNEL_SOFT_LOCKUP] = { FINDING_ERROR,
				 "code in the kernel did not give up a CPU: a long loop, a lock, "
				 "or a guest whose CPU was taken away",
				 "the trace of that CPU below the line; in a guest, its steal "
				 "time" },
	[KERNEL_HARD_LOCKUP] = { FINDING_ERROR, "a CPU stood with interrupts off",
				 "the trace of that CPU below the line" },
	[KERNEL_HUNG_TASK] = { FINDING_WARNING,
			       "a task waits for a lock or for a device that does not answer",
			       "the trace below the line: what it sleeps in; echo w > "
			       "/proc/sysrq-trigger for all such tasks" },
	[KERNEL_RCU_STALL] = { FINDING_WARNING,
			       "a CPU does not pass a quiescent state: a long loop or a CPU that "
			       "is taken away",
			       "the trace of the CPU named in the line" },
	[KERNEL_OOM] = { FINDING_ERROR, "memory ran out, and a process was killed",
			 "the table of tasks in the report; memory.max of the control group" },
	[KERNEL_PANIC] = { FINDING_ERROR, "the kernel stopped",
			   "the lines before it; kdump for the next time" },
};

static void kernel_finding(const struct rule_input *in, struct findings *out,
			   enum kernel_event_kind kind, uint64_t n)
{
	const struct kernel_words *words = &kernel_words[kind];
	struct finding *f = finding_add(out, in, &rule_kernel_trouble, words->severity, 97);
	uint64_t seconds = 0;
	uint32_t cited = 0;

	finding_figure(f, "reports", (double)n, 0, "");
	VEC_FOREACH (e, &in->log->kernel_events) {
		if (e->kind != kind)
			continue;
		if (cited++ < LOG_EVIDENCE_MAX)
			log_words_cite(out, f, in, e->record);
		seconds = e->seconds > seconds ? e->seconds : seconds;
	}
	if (seconds)
		finding_figure(f, "longest", (double)seconds, 0, "s");
	finding_claim(out, f, "the kernel reports %s, %llu times", kernel_event_name(kind),
		      (unsigned long long)n);
	finding_cause(out, f, "%s", words->cause);
	finding_because(out, f, "the kernel says so");
	finding_next(out, f, "%s", words->next);
}

static void kernel_check(const struct rule_input *in, struct findings *out)
{
	uint64_t n[KERNEL_EVENT_KINDS] = { 0 };

	VEC_FOREACH (e, &in->log->kernel_events)
		n[e->kind]++;
	for (unsigned int kind = 0; kind < KERNEL_EVENT_KINDS; kind++) {
		if (n[kind])
			kernel_finding(in, out, (enum kernel_event_kind)kind, n[kind]);
	}
	if (in->log->kernel_events.len == 0 &&
	    str_eq(str_of(in->capture->format), STR("kernel-log")))
		finding_clean(out, in, &rule_kernel_trouble,
			      "no oops, lockup, hung task, stall or lack of memory");
}

const struct rule rule_kernel_trouble = {
	.id = "kernel-trouble",
	.title = "oopses, lockups, hung tasks, lack of memory",
	.needs = RULE_LOG,
	.check = kernel_check,
};
