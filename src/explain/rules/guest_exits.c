/* SPDX-License-Identifier: MIT */
/*
 * Virtual machines exit to the host: guests exit often (timers, IPIs, emulated devices), or the
 * host polls for a halted guest.
 *
 * Thresholds, of the non-idle time: a guest that computes costs the host below 3 %.
 */
#include "explain/signature.h"

#include "explain/facts.h"
#include "explain/guest_exits_names.h"
#include "explain/rule.h"

DECLARE_RULE(guest_exits);

#define GUEST_EXITS_NOTE_PCT 8.0
#define GUEST_EXITS_LEAD_PCT 20.0

/* With this part in the entry alone, exits are unproven. */
#define GUEST_EXITS_PART 0.6

static const struct signature guest_exits = {
	.functions = GUEST_EXITS_FUNCTIONS,
	.note_pct = GUEST_EXITS_NOTE_PCT,
	.lead_pct = GUEST_EXITS_LEAD_PCT,
	.sure_note = 65,
	.sure_lead = 80,
	.what = "is virtual machine exits",
	.name = "exits of virtual machines",
	.cause = "Guests exit to the host often (timers, IPIs, emulated devices), or the host "
		 "polls for a halted guest",
	.because = "these functions are the host side of a virtual CPU",
	.next = { "perf kvm stat live; cat /sys/module/kvm/parameters/halt_poll_ns: exits by "
		  "reason, and halt polling",
		  "set halt_poll_ns=0 if polling is unwanted; use virtio and posted interrupts "
		  "instead of emulation" },
};

/*
 * A timer interrupt instead of a counter hits the guest itself, and the sample is attributed to
 * the guest entry: most samples there are guest work.
 */
static const struct signature guest_runs = {
	.functions = GUEST_EXITS_FUNCTIONS,
	.note_pct = GUEST_EXITS_NOTE_PCT,
	.lead_pct = GUEST_EXITS_LEAD_PCT,
	.sure_note = 60,
	.sure_lead = 65,
	.is_minor = true,
	.what = "is running virtual machines or handling their exits",
	.name = "running virtual machines",
	.cause = "Most samples are at the guest entry: the guest computes, or it exits often. This "
		 "profile cannot tell which",
	.because = "a sample taken while a guest runs may be charged to the guest entry",
	.next = { "perf kvm stat live: exits per second, by reason",
		  "perf kvm --host --guest record -a: the guest's own work" },
};

static void guest_exits_check(const struct rule_input *in, struct findings *out)
{
	const struct signature *s = &guest_exits;
	struct signature_share share;

	if (in->profile->functions.len == 0 || !signature_can_judge(in, out, &rule_guest_exits))
		return;
	share = signature_measure(in, s);
	if (facts_sum(in->profile, GUEST_EXITS_ENTRY).self >= share.sum.self * GUEST_EXITS_PART)
		s = &guest_runs;
	if (!signature_find(in, out, &rule_guest_exits, s, &share))
		signature_rule_out(in, out, &rule_guest_exits, &guest_exits, &share);
}

const struct rule rule_guest_exits = {
	.id = "guest-exits",
	.title = "Virtual machine exits",
	.needs = RULE_PROFILE,
	.wants = RULE_WANTS_KERNEL,
	.hides_pct = GUEST_EXITS_NOTE_PCT,
	.check = guest_exits_check,
};
