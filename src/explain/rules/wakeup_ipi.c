/* SPDX-License-Identifier: MIT */
/*
 * Waking up another CPU.
 * Thresholds: any call; from 5 % of the trace a warning.
 */
#include "explain/call_signature.h"

static const struct call_signature wakeup_ipi = {
	.rule = &rule_wakeup_ipi,
	.marker = "default_send_IPI_single*|default_send_IPI_mask*|x2apic_send_IPI*|native_smp_"
		  "send_reschedule|native_send_call_func_single_ipi|smp_cross_call|ipi_send_single|"
		  "ipi_send_mask|kvm_send_ipi*",
	.cost = NULL,
	.scope = "try_to_wake_up|default_wake_function",
	.absent = NULL,
	.min_per_root = 0,
	.note_pct = 0,
	.lead_pct = 5,
	.sure = 90,
	.what = "the receiver sleeps on another CPU and is woken by an interrupt",
	.name = "sending the interrupt",
	.cause = "sender and receiver run on different CPUs, and the receiver was idle",
	.because = "the interrupt is sent only to another CPU",
	.next = "pin both to one core or cache (taskset), batch messages, or poll in the receiver",
};

static void wakeup_ipi_check(const struct rule_input *in, struct findings *out)
{
	call_signature_check(in, out, &wakeup_ipi);
}

const struct rule rule_wakeup_ipi = {
	.id = "wakeup-ipi",
	.title = "waking up another CPU",
	.needs = RULE_CALLS,
	.check = wakeup_ipi_check,
};
