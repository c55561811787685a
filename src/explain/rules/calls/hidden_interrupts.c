/* SPDX-License-Identifier: MIT */
/*
 * Interrupts happened, but the trace does not show their handlers. Calls of irq_enter, the entry of
 * an interrupt, prove this. No threshold: one such call suffices. The finding is a note, because
 * the duration of the interrupts is unknown.
 */
#include "analyses/calls/call_gaps.h"
#include "analyses/calls/call_kinds.h"
#include "analyses/calls/calls_summary.h"
#include "analyses/calls/calls_total.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/ids.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(hidden_interrupts);

#define HIDDEN_CITED 5u

static void hidden_none(const struct rule_input *in, struct findings *out)
{
	/* a handler in the trace proves that this trace records interrupts */
	struct calls_total shown = calls_total_of(in->capture, call_kind_names(CALL_KIND_INTERRUPT),
						  STR("irq_enter*"));

	if (shown.matching)
		finding_clean(out, in, &rule_hidden_interrupts,
			      "interrupts are traced: %llu calls of their handlers, %.3f \xc2\xb5s",
			      (unsigned long long)shown.matching, (double)shown.total_ns / 1000);
	else if (calls_has_option(in->capture, STR("noirqs")))
		finding_not_assessed(out, in, &rule_hidden_interrupts, "trace without noirqs",
				     "interrupts are not traced (noirqs); this kernel may leave no "
				     "mark of them");
}

static void hidden_cite(const struct rule_input *in, struct findings *out, struct finding *f)
{
	const struct call_gaps *gaps = &in->traced->gaps;
	const struct calls *c = in->capture->calls;

	for (size_t i = 0; i < gaps->interrupts.len && i < HIDDEN_CITED; i++) {
		const struct hidden_interrupt *h = &gaps->interrupts.data[i];

		if (h->parent == INDEX_NONE)
			finding_evidence(out, f, in, h->line, "irq_enter_rcu, then idle_cpu");
		else
			finding_evidence(out, f, in, h->line,
					 "irq_enter_rcu, then idle_cpu, in " STR_FMT "%s",
					 STR_ARG(facts_name(in->facts, c->sym.data[h->parent])),
					 h->in_tracer ? ": during the return of a call, so printed "
							"one level too deep"
						      : "");
	}
}

static void hidden_interrupts_check(const struct rule_input *in, struct findings *out)
{
	const struct call_gaps *gaps = &in->traced->gaps;
	double all = (double)in->calls->root_total_ns;
	double unexplained = 0;
	double in_tracer = 0;
	struct finding *f;

	if (gaps->n_interrupts == 0) {
		hidden_none(in, out);
		return;
	}
	VEC_FOREACH (g, &gaps->rows)
		unexplained += g->interrupts ? g->sum.ns : 0;
	f = finding_add(out, in, &rule_hidden_interrupts, FINDING_NOTE, 95);
	f->impact = all > 0 ? unexplained / all * 100 : 0;
	if (unexplained > 0)
		finding_about(out, f, /* is_part= */ true, "gaps of %u", (unsigned int)in->number);
	finding_claim(
		out, f, "%llu interrupt%s hit this trace but %s not traced (only %s entry is)",
		(unsigned long long)gaps->n_interrupts, gaps->n_interrupts == 1 ? "" : "s",
		gaps->n_interrupts == 1 ? "is" : "are", gaps->n_interrupts == 1 ? "its" : "their");
	finding_cause(out, f,
		      "The tracer leaves interrupts out (noirqs). Their time is charged to the "
		      "functions they interrupted");
	finding_because(out, f,
			"only the entry of an interrupt calls irq_enter_rcu and then idle_cpu");
	finding_figure(f, "interrupts", (double)gaps->n_interrupts, 0, "");
	if (unexplained > 0)
		finding_figure(f, "unexplained time in the interrupted calls", unexplained / 1000,
			       0, "us");
	VEC_FOREACH (h, &gaps->interrupts)
		in_tracer += h->in_tracer;
	if (in_tracer > 0)
		finding_figure(f,
			       "interrupts during a return of a call, printed one level too deep",
			       in_tracer, 0, "");
	hidden_cite(in, out, f);
	finding_next(out, f,
		     "echo 1 > /sys/kernel/tracing/options/funcgraph-irqs: trace again, with "
		     "interrupts (perf ftrace: without noirqs)");
}

const struct rule rule_hidden_interrupts = {
	.id = "hidden-interrupts",
	.title = "Interrupts hidden from the trace",
	.needs = RULE_CALLS,
	.check = hidden_interrupts_check,
	.is_measured = true,
};
