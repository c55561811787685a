/* SPDX-License-Identifier: MIT */
/*
 * Interrupts take the CPU: the device interrupts for each packet or request: no
 * coalescing, or all interrupts on one CPU.
 *
 * Thresholds, of the time that is not idle: With coalescing, interrupts cost 1 to 4 %.
 */
#include "explain/signature.h"

#define INTERRUPT_LOAD_NOTE_PCT 8.0
#define INTERRUPT_LOAD_LEAD_PCT 20.0

static const struct signature interrupt_load = {
	.functions = "handle_irq_event*|__handle_irq_event_percpu|handle_fasteoi_irq|"
		     "handle_edge_irq|handle_level_irq|gic_handle_irq|irq_entries_start|"
		     "common_interrupt*|asm_common_interrupt|do_IRQ|*_irq_status|"
		     "*_irq_*_status|*_mtl_irq_status|*_dma_interrupt|*_msix_*|*_isr|"
		     "*_interrupt|*_irq_handler|*_intr|irq_enter*|irq_exit*|__irq_exit*|"
		     "mask_irq|unmask_irq|note_interrupt|*_interrupt_handler|el1_irq|"
		     "el1h_64_irq*|ret_from_intr",
	/* timers and calls between CPUs come from no device */
	.except = "hrtimer_*|*timer_interrupt|*apic*|smp_*|*reschedule*|*call_function*|"
		  "tick_*|*_clockevent*|arch_timer_*|sysvec_*|asm_sysvec_*",
	.note_pct = INTERRUPT_LOAD_NOTE_PCT,
	.lead_pct = INTERRUPT_LOAD_LEAD_PCT,
	.sure_note = 65,
	.sure_lead = 80,
	.what = "handles interrupts",
	.name = "handling of interrupts",
	.cause = "devices interrupt often (for each packet or request, without coalescing), or "
		 "an interrupt is slow to handle",
	.because = "these functions run only for interrupts; how many there are a share does not "
		   "tell",
	.next = { "cat /proc/interrupts twice, 10 s apart; ethtool -c DEVICE",
		  "set coalescing (ethtool -C DEVICE rx-usecs N), spread queues over "
		  "CPUs, use polling (NAPI defer, io_poll)" },
};

const struct rule rule_interrupt_load = {
	.id = "interrupt-load",
	.title = "interrupts take the CPU",
	.needs = RULE_PROFILE,
	.signature = &interrupt_load,
};
