/* SPDX-License-Identifier: MIT */
/*
 * CPUs interrupt each other to flush translations: mappings are removed or protected while
 * threads of the process run on many CPUs.
 *
 * Thresholds, of the time that is not idle: Machines in good health spend below 2 % here.
 */
#include "explain/signature.h"

#define TLB_SHOOTDOWN_NOTE_PCT 6.0
#define TLB_SHOOTDOWN_LEAD_PCT 15.0

static const struct signature tlb_shootdown = {
	.functions = "flush_tlb_*|native_flush_tlb*|do_flush_tlb*|ptep_clear_flush*|"
		     "try_to_unmap_flush*|smp_call_function_many*|"
		     "smp_call_function_single*|on_each_cpu*|arch_tlbbatch_flush|"
		     "tlb_flush*|csd_lock_wait*|llist_add_batch|llist_reverse_order|"
		     "generic_smp_call_function*|flush_smp_call_function*|"
		     "__flush_smp_call*|native_send_call_func*|"
		     "smp_call_function_interrupt|sysvec_call_function*|"
		     "asm_sysvec_call_function*|hyperv_flush_tlb*|kvm_flush_tlb*|"
		     "xen_flush_tlb*",
	/* CPUs interrupt each other for much else: membarrier, wake-ups, profilers */
	.needs = "flush_tlb_*|native_flush_tlb*|ptep_clear_flush*|arch_tlbbatch_flush|"
		 "tlb_flush*|do_flush_tlb*|try_to_unmap_flush*|hyperv_flush_tlb*|"
		 "kvm_flush_tlb*|xen_flush_tlb*",
	.through = "flush_tlb_*|native_flush*|smp_call_*|on_each_cpu*|ptep_*|tlb_*|"
		   "arch_tlbbatch*|csd_*|llist_*",
	.note_pct = TLB_SHOOTDOWN_NOTE_PCT,
	.lead_pct = TLB_SHOOTDOWN_LEAD_PCT,
	.sure_note = 65,
	.sure_lead = 85,
	.what = "flushes translations on other CPUs and waits for them",
	.name = "flushing of address translations",
	.cause = "mappings are removed or protected while threads of the process "
		 "run on many CPUs",
	.because = "the sender waits until every CPU has answered",
	.next = { "perf stat -e tlb:tlb_flush -a sleep 5; perf record -a -g: who "
		  "flushes",
		  "unmap less often and in larger pieces; fewer threads in one "
		  "address space; no per-page flush" },
};

const struct rule rule_tlb_shootdown = {
	.id = "tlb-shootdown",
	.title = "CPUs interrupt each other to flush translations",
	.needs = RULE_PROFILE,
	.signature = &tlb_shootdown,
};
