/* SPDX-License-Identifier: MIT */
/*
 * Time shown where interrupts come back on: the profiler has no NMI here (ARM64, virtual
 * machine, cpu-clock): samples wait until interrupts are on.
 *
 * Thresholds, of the time that is not idle: With NMI sampling these functions have below 2
 * %.
 */
#include "explain/signature.h"

#define INTERRUPTS_ON_SKID_NOTE_PCT 5.0
#define INTERRUPTS_ON_SKID_LEAD_PCT 15.0
/* Of the whole: below this it misleads nobody. */
#define INTERRUPTS_ON_SKID_LEAST_PCT 2.0

static const struct signature interrupts_on_skid = {
	.functions = "_raw_spin_unlock_irqrestore|_raw_spin_unlock_irq|"
		     "__raw_spin_unlock_irqrestore|__raw_spin_unlock_irq|"
		     "finish_task_switch*|__softirqentry_text_start|__do_softirq|"
		     "handle_softirqs|tick_nohz_idle_exit|tick_nohz_idle_enter|"
		     "arch_local_irq_restore|arch_local_irq_enable|do_idle|"
		     "__local_bh_enable_ip|xen_restore_fl_direct*|local_daif_restore|"
		     "finish_lock_switch|raw_spin_rq_unlock*|rcu_idle_exit|ct_idle_exit|"
		     "__lock_text_start",
	.note_pct = INTERRUPTS_ON_SKID_NOTE_PCT,
	.lead_pct = INTERRUPTS_ON_SKID_LEAD_PCT,
	.sure_note = 70,
	.sure_lead = 85,
	.is_minor = true,
	.what = "is shown where interrupts come back on, and belongs to the code "
		"before",
	.name = "functions that turn interrupts on",
	.cause = "the profiler has no NMI here (ARM64, virtual machine, cpu-clock): "
		 "samples wait until interrupts are on",
	.because = "giving a lock back takes some ten cycles; it cannot be hot by "
		   "itself",
	.next = { "read the code before it, with interrupts off; perf record -a -g: "
		  "the caller",
		  "perf record -e cycles:P, or pseudo-NMI on ARM64 "
		  "(irqchip.gicv3_pseudo_nmi=1)" },
};

static void interrupts_on_skid_check(const struct rule_input *in, struct findings *out)
{
	struct signature_share share;

	if (in->profile->functions.len == 0 ||
	    !signature_can_judge(in, out, &rule_interrupts_on_skid))
		return;
	share = signature_measure(in, &interrupts_on_skid);
	/* of an idle machine's rest this is the way in and out of sleep */
	if (share.pct < INTERRUPTS_ON_SKID_LEAST_PCT ||
	    !signature_find(in, out, &rule_interrupts_on_skid, &interrupts_on_skid, &share))
		signature_acquit(in, out, &rule_interrupts_on_skid, &interrupts_on_skid, &share);
}

const struct rule rule_interrupts_on_skid = {
	.id = "interrupts-on-skid",
	.title = "time shown where interrupts come back on",
	.needs = RULE_PROFILE,
	.wants = RULE_WANTS_KERNEL,
	.hides_pct = INTERRUPTS_ON_SKID_NOTE_PCT,
	.check = interrupts_on_skid_check,
};
