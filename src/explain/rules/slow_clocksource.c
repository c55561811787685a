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
	.functions = "read_hpet|acpi_pm_read*|pit_read|hv_read_*|read_hv_*|"
		     "xen_clocksource_*|jiffies_read|pvclock_clocksource_read*|"
		     "kvm_clock_read|kvm_clock_get_cycles|kvm_sched_clock_read|"
		     "arch_counter_get_cntvct_mem|exynos4_frc_read|"
		     "dw_apb_clocksource_read|__vdso_fallback*",
	.note_pct = SLOW_CLOCKSOURCE_NOTE_PCT,
	.lead_pct = SLOW_CLOCKSOURCE_LEAD_PCT,
	.sure_note = 75,
	.sure_lead = 93,
	.what = "reads a slow clock",
	.name = "slow clocks",
	.cause = "the clock source is not the TSC: it was marked unstable, or the "
		 "hypervisor does not offer it",
	.because = "the TSC is read without these functions",
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
