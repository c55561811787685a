/* SPDX-License-Identifier: MIT */
/*
 * Vector registers are saved for small pieces of work: the kernel uses vector instructions
 * in pieces that are small against the saving of the registers.
 *
 * Thresholds, of the time that is not idle: A section that does a page of work costs below
 * 1 % to open.
 */
#include "explain/signature.h"

#define FPU_SECTIONS_NOTE_PCT 3.0
#define FPU_SECTIONS_LEAD_PCT 8.0

static const struct signature fpu_sections = {
	.functions = "kernel_fpu_begin*|kernel_fpu_end|irq_fpu_usable|save_fpregs*|"
		     "copy_fpregs*|__save_fpu|restore_fpregs*|fpregs_lock*|fpregs_mark*|"
		     "switch_fpu_return|kernel_neon_begin|kernel_neon_end|fpsimd_*|"
		     "kernel_vector_begin|xsaves|os_xsave|xfpregs*|"
		     "save_fpregs_to_fpstate",
	/* a switch of tasks and the entry of a guest save and restore them too */
	.needs = "kernel_fpu_begin*|kernel_fpu_end|irq_fpu_usable|kernel_neon_begin|"
		 "kernel_neon_end|kernel_vector_begin",
	.note_pct = FPU_SECTIONS_NOTE_PCT,
	.lead_pct = FPU_SECTIONS_LEAD_PCT,
	.sure_note = 70,
	.sure_lead = 80,
	.what = "saves and restores vector registers",
	.name = "saving of vector registers",
	.cause = "the kernel uses vector instructions in pieces that are probably small "
		 "against the saving of the registers",
	.because = "these functions save state; the work they make possible is "
		   "elsewhere",
	.next = { "perf record -a -g: which cipher or checksum",
		  "process several blocks or the whole request in one section; use a "
		  "driver that does the whole mode" },
};

const struct rule rule_fpu_sections = {
	.id = "fpu-sections",
	.title = "vector registers are saved for small pieces of work",
	.needs = RULE_PROFILE,
	.signature = &fpu_sections,
};
