/* SPDX-License-Identifier: MIT */
/*
 * unwind_quick.c - unwind steps that need the stack pointer and %rbp only
 *
 * The fast path of unwind_run(), for rows of this form: the CFA is one of the two registers
 * plus a constant, the return address is just below it, and %rbp is unchanged or saved at a
 * fixed offset. Other registers are neither needed nor tracked.
 */
#include "symbols/unwind_expression.h"

#include "base/idmap.h"
#include "base/status.h"
#include "core/ids.h"
#include "symbols/cfi.h"
#include "symbols/unwind.h"

#include <elf.h>

/* Fill in @step if @row has this form. */
static void unwind_step_row(struct unwind_step *step, const struct cfi *c,
			    const struct cfi_row *row)
{
	bool has_return = false;
	bool is_last = false;
	int32_t bp = 0;

	if (row->cfa_reg == CFI_BAD_REG) {
		step->base = UNWIND_BASE_END;
		return;
	}
	if (row->is_rare || row->is_signal || row->return_reg != X86_RIP)
		return;
	for (uint32_t i = 0; i < row->n_rules; i++) {
		const struct cfi_rule *rule = &c->rules.data[row->first_rule + i];

		if (rule->reg == X86_RIP) {
			is_last = rule->kind == CFI_UNDEFINED;
			has_return = rule->kind == CFI_OFFSET && rule->value == -8;
		} else if (rule->reg == X86_RBP) {
			if (rule->kind != CFI_OFFSET || rule->value == 0 ||
			    rule->value != (int16_t)rule->value)
				return;
			bp = rule->value;
		}
	}
	if (row->cfa_reg != X86_RSP && row->cfa_reg != X86_RBP)
		return;
	if (is_last)
		step->base = UNWIND_BASE_END;
	else if (has_return)
		step->base = row->cfa_reg == X86_RSP ? UNWIND_BASE_SP : UNWIND_BASE_BP;
	step->cfa = row->cfa_value;
	step->bp = (int16_t)bp;
}

static void unwind_step_fill(struct unwind_step *step, const struct unwind_process *p,
			     uint64_t address)
{
	*step = (struct unwind_step){
		.address = address,
		.code = p->code,
		.place = p->place(p->context, address),
		.base = UNWIND_BASE_OTHER,
	};
	if (!step->place.cfi || step->place.cfi->machine != EM_X86_64)
		step->base = UNWIND_BASE_END;
	else if (step->place.row != INDEX_NONE)
		unwind_step_row(step, step->place.cfi,
				&step->place.cfi->rows.data[step->place.row]);
}

const struct unwind_step *unwind_step_at(const struct unwind_process *p, uint64_t address,
					 struct unwind_step *scratch)
{
	struct unwind_step *step = scratch;

	if (p->steps && p->code) {
		step = &p->steps[hash_u64(address, p->code) & (UNWIND_STEPS - 1)];
		if (LIKELY(step->address == address && step->code == p->code))
			return step;
	}
	unwind_step_fill(step, p, address);
	return step;
}

bool unwind_quick(struct unwind_frame *f, uint64_t *ret_places, size_t max, size_t *ret_n)
{
	uint64_t ip = f->ip;
	uint64_t sp = f->cfa;
	uint64_t bp = f->sample->regs[X86_RBP];
	bool is_bp_saved = false; /* bp holds the address of the saved value */
	uint64_t after_call = 0;
	size_t n = 0;

	if (!(f->sample->has_regs >> X86_RBP & 1))
		return false;
	if (max)
		ret_places[n++] = ip;
	while (n < max) {
		struct unwind_step scratch;
		const struct unwind_step *step =
			unwind_step_at(f->process, ip - after_call, &scratch);
		uint64_t back;
		uint64_t cfa;

		if (step->base == UNWIND_BASE_OTHER)
			return false;
		if (step->base == UNWIND_BASE_END)
			break;
		if (step->base == UNWIND_BASE_BP && is_bp_saved) {
			if (!unwind_memory(f, bp, &bp))
				break;
			is_bp_saved = false;
		}
		cfa = (step->base == UNWIND_BASE_SP ? sp : bp) + (uint64_t)(int64_t)step->cfa;
		if (step->bp) {
			bp = cfa + (uint64_t)(int64_t)step->bp;
			is_bp_saved = true;
		}
		if (!unwind_stack(f, cfa - 8, &back) && !unwind_memory(f, cfa - 8, &back))
			break;
		if (back == ip && cfa == sp)
			break;
		ip = back;
		sp = cfa;
		after_call = 1;
		ret_places[n++] = ip - after_call;
	}
	*ret_n = n;
	return true;
}
