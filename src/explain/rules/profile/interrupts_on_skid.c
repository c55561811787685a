/* SPDX-License-Identifier: MIT */
/*
 * Time is charged to functions that enable interrupts. Without NMI (an interrupt that cannot be
 * disabled), a sample is delayed until interrupts are enabled. So code that runs with interrupts
 * disabled shows no time, and the function that enables them has all of it.
 *
 * This happens with timer sampling (cpu-clock, task-clock). It also happens on machines whose
 * counters use normal interrupts (ARM without pseudo-NMI, RISC-V). Counters of x86 and POWER use
 * NMI, and precise events (PEBS, IBS, SPE) record the instruction. Samples of these are right, and
 * the rule reports nothing.
 *
 * Thresholds, as shares of the non-idle time: 5 % is a note, and from 15 % on it is more certain.
 * With NMI sampling these functions have less than 2 %.
 */
#include "explain/signatures/signature.h"

#include "base/str.h"
#include "core/capture.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/interrupts_on_skid_names.h"
#include "explain/rule.h"

DECLARE_RULE(interrupts_on_skid);

#define INTERRUPTS_ON_SKID_NOTE_PCT 5.0
#define INTERRUPTS_ON_SKID_LEAD_PCT 15.0
/* Minimum share of the total, percent; a smaller share does not mislead. */
#define INTERRUPTS_ON_SKID_LEAST_PCT 2.0

static const struct signature skid_of_timer = {
	.functions = SKID_FUNCTIONS,
	.note_pct = INTERRUPTS_ON_SKID_NOTE_PCT,
	.lead_pct = INTERRUPTS_ON_SKID_LEAD_PCT,
	.sure_note = 75,
	.sure_lead = 85,
	.is_minor = true,
	.what = "is charged to functions that re-enable interrupts, but belongs to the code before",
	.name = "functions that re-enable interrupts",
	.cause = "Sampled by timer: samples taken with interrupts off are charged to the point "
		 "where they are re-enabled",
	.because = "the event is a clock, and releasing a lock takes about ten cycles",
	.next = { "perf record -a -g: the caller; read the code before it that runs with "
		  "interrupts off",
		  "perf record -e cycles on a machine with hardware counters (a virtual machine "
		  "needs a virtual PMU)" },
};

static const struct signature skid_of_counter = {
	.functions = SKID_FUNCTIONS,
	.note_pct = INTERRUPTS_ON_SKID_NOTE_PCT,
	.lead_pct = INTERRUPTS_ON_SKID_LEAD_PCT,
	.sure_note = 65,
	.sure_lead = 72,
	.is_minor = true,
	.what = "is charged to functions that re-enable interrupts, and probably belongs to the "
		"code before",
	.name = "functions that re-enable interrupts",
	.cause = "Counters of this machine use normal interrupts, unless pseudo-NMI is on. Samples "
		 "wait until interrupts are on",
	.because = "releasing a lock takes about ten cycles; whether pseudo-NMI is on is unknown",
	.next = { "perf record -a -g: the caller; read the code before it that runs with "
		  "interrupts off",
		  "enable pseudo-NMI on ARM64 (irqchip.gicv3_pseudo_nmi=1), or use SPE (perf "
		  "record -e arm_spe_0//)" },
};

enum skid_kind {
	SKID_BY_TIMER,
	/* samples of a hardware counter on a machine whose counters do not use NMI */
	SKID_BY_COUNTER,
	/* samples show the function that really ran, because of NMI or a precise event */
	SKID_NONE,
	SKID_UNKNOWN,
};

static enum skid_kind skid_kind_of(const struct rule_input *in)
{
	struct str event = strings_get(capture_strings(in->capture), in->capture->profile->event);
	struct str arch = capture_note_of(in->capture, STR("arch"));
	bool no_nmi = str_glob(STR("arm*|aarch64*|riscv*|mips*"), arch);
	bool has_nmi = str_glob(STR("x86*|i?86|ppc64*"), arch);

	if (str_glob(STR("*clock*|*CLOCK*"), event) && !str_glob(STR("*clockticks*"), event))
		return SKID_BY_TIMER;
	if (signature_is_precise(in))
		return SKID_NONE;
	if (arch.len == 0) {
		no_nmi = facts_sum(in->profile, SKID_NO_NMI).functions > 0;
		has_nmi = !no_nmi && facts_sum(in->profile, SKID_X86).functions > 0;
	}
	if (no_nmi)
		/*
		 * on these machines, neither counters nor clocks use NMI, so the event does not
		 * matter
		 */
		return SKID_BY_COUNTER;
	return has_nmi && event.len ? SKID_NONE : SKID_UNKNOWN;
}

static void skid_other(const struct rule_input *in, struct findings *out, enum skid_kind kind,
		       double pct)
{
	if (kind == SKID_UNKNOWN)
		finding_not_assessed(out, in, &rule_interrupts_on_skid,
				     "perf report --header: the event and the machine",
				     "%.1f %% in functions that re-enable interrupts; whether "
				     "sampling uses NMIs is unknown",
				     pct);
	else
		finding_clean(out, in, &rule_interrupts_on_skid,
			      "%.1f %% in functions that re-enable interrupts, sampled precisely "
			      "or by NMI",
			      pct);
}

static void interrupts_on_skid_check(const struct rule_input *in, struct findings *out)
{
	struct signature_share share;
	enum skid_kind kind;

	if (!signature_can_judge(in, out, &rule_interrupts_on_skid))
		return;
	share = signature_measure(in, &skid_of_timer);
	/*
	 * On a nearly idle machine, CPUs go to sleep and wake up all the time. The functions that
	 * enable interrupts then have such a share of the busy time without any skid.
	 */
	if (share.pct < INTERRUPTS_ON_SKID_LEAST_PCT ||
	    share.busy_pct < INTERRUPTS_ON_SKID_NOTE_PCT) {
		signature_rule_out(in, out, &rule_interrupts_on_skid, &skid_of_timer, &share);
		return;
	}
	kind = skid_kind_of(in);
	if (kind == SKID_UNKNOWN || kind == SKID_NONE)
		skid_other(in, out, kind, share.pct);
	else
		(void)signature_find(in, out, &rule_interrupts_on_skid,
				     kind == SKID_BY_TIMER ? &skid_of_timer : &skid_of_counter,
				     &share);
}

const struct rule rule_interrupts_on_skid = {
	.id = "interrupts-on-skid",
	.title = "Interrupt skid",
	.needs = RULE_PROFILE,
	.wants = RULE_WANTS_KERNEL,
	.hides_pct = INTERRUPTS_ON_SKID_NOTE_PCT,
	.displaces = true,
	.check = interrupts_on_skid_check,
};
