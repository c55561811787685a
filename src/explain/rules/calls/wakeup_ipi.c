/* SPDX-License-Identifier: MIT */
/*
 * A CPU wakes a task on another CPU by sending it an interrupt (IPI). No threshold: one such call
 * is a finding; 5 % of the trace is a warning.
 */
#include "core/capture.h"
#include "explain/signatures/call_signature.h"

#include "base/str.h"
#include "core/calls.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/wakeup_ipi_names.h"

DECLARE_RULE(wakeup_ipi);

/*
 * If the trace has return values, add a figure: the CPU that the scheduler chose for the woken
 * task.
 */
static void wakeup_ipi_cpu(const struct rule_input *in, struct finding *f)
{
	const struct calls *c = in->capture->calls;

	for (uint32_t i = 0; i < c->retval.len; i++) {
		if (c->retval_kind.data[i] == RETVAL_NONE || c->retval.data[i] >= UINT16_MAX ||
		    !str_starts(facts_name(in->facts, c->sym.data[i]), STR("select_task_rq_")))
			continue;
		finding_figure(f, "CPU chosen for the receiver", (double)c->retval.data[i], 0, "");
		if (c->lanes.data[c->lane.data[i]].cpu != UINT16_MAX)
			finding_figure(f, "CPU of the sender", c->lanes.data[c->lane.data[i]].cpu,
				       0, "");
		return;
	}
}

static const struct call_signature wakeup_ipi = {
	.marker = WAKEUP_IPI_MARKER,
	.below = WAKEUP_IPI_BELOW,
	.scope = WAKEUP_IPI_SCOPE,
	.note_pct = 0,
	.lead_pct = 5,
	.sure = 90,
	.what = "The sender wakes the receiver on another CPU by an interrupt (IPI)",
	.name = "sending the interrupt",
	.cause = "Sender and receiver run on different CPUs, and the receiver slept",
	.because = "the interrupt is sent only to another CPU",
	.next = "pin both to one core or cache (taskset), batch messages, or poll in the receiver",
	.add = wakeup_ipi_cpu,
};

const struct rule rule_wakeup_ipi = {
	.id = "wakeup-ipi",
	.title = "Wake-up by IPI",
	.needs = RULE_CALLS,
	.call_signature = &wakeup_ipi,
};
