/* SPDX-License-Identifier: MIT */
/*
 * Interrupts that the trace hides.
 * Thresholds: any call; a note at any share.
 */
#include "explain/call_signature.h"

static const struct call_signature hidden_interrupts = {
	.rule = &rule_hidden_interrupts,
	.marker = "irq_enter_rcu|irq_enter",
	.cost = NULL,
	.scope = NULL,
	.absent = "irq_exit_rcu|irq_exit|handle_irq*|handle_edge_irq|handle_fasteoi_irq|__do_"
		  "softirq|handle_softirqs|sysvec_*|__sysvec_*|do_IRQ|common_interrupt",
	.min_per_root = 0,
	.note_pct = 0,
	.lead_pct = 101,
	.sure = 90,
	.what = "interrupts came in and are not in the trace (only their entry is)",
	.name = "entries",
	.cause = "the tracer was told to leave interrupts out (noirqs), so their time is in the "
		 "self time of what they interrupted",
	.because = "entering is traced before the count of interrupts is raised, handling is not",
	.next = "trace again without noirqs; look at what stands beside these lines for self time "
		"that is too long",
};

static void hidden_interrupts_check(const struct rule_input *in, struct findings *out)
{
	call_signature_check(in, out, &hidden_interrupts);
}

const struct rule rule_hidden_interrupts = {
	.id = "hidden-interrupts",
	.title = "interrupts that the trace hides",
	.needs = RULE_CALLS,
	.check = hidden_interrupts_check,
};
