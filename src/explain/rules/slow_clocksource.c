/* SPDX-License-Identifier: MIT */
/*
 * Reading the time goes to slow hardware: the clock source is not the TSC: it was marked
 * unstable, or the hypervisor does not offer it.
 *
 * Thresholds, of the time that is not idle: A clock that is read in user space costs well
 * below 1 %.
 */
#include "explain/signature.h"

#define SLOW_CLOCKSOURCE_NOTE_PCT 3.0
#define SLOW_CLOCKSOURCE_LEAD_PCT 8.0

static const struct signature slow_clocksource = {
	/* kvm-clock, Xen's clock and the page of Hyper-V read the TSC, and are quick */
	.functions = "read_hpet|acpi_pm_read*|pit_read|read_hv_clock_msr|read_hv_sched_clock_msr|"
		     "arch_counter_get_cntvct_mem|exynos4_frc_read|dw_apb_clocksource_read",
	.note_pct = SLOW_CLOCKSOURCE_NOTE_PCT,
	.lead_pct = SLOW_CLOCKSOURCE_LEAD_PCT,
	.sure_note = 75,
	.sure_lead = 93,
	.what = "reads a slow clock",
	.name = "slow clocks",
	.cause = "the clock source is not the TSC: it was marked unstable, or the "
		 "hypervisor does not offer it",
	.because = "these functions read a timer beside the CPU, or leave the guest; the TSC is "
		   "read without them",
	.next = { "cat /sys/devices/system/clocksource/clocksource0/{current,availabl"
		  "e}_clocksource; dmesg | grep -i -E \"tsc|clocksource\"",
		  "tsc=reliable where the hardware is known to be good; read the "
		  "time less often" },
};

const struct rule rule_slow_clocksource = {
	.id = "slow-clocksource",
	.title = "reading the time goes to slow hardware",
	.needs = RULE_PROFILE,
	.signature = &slow_clocksource,
};
