/* SPDX-License-Identifier: MIT */
#include "symbols/unwind/unwind.h"

#include "base/status.h"
#include "core/ids.h"
#include "symbols/unwind/unwind_expression.h"

#include <elf.h>

#define ARM_LR 30u
#define ARM_SP 31u
#define ARM_PC 32u

/*
 * Maximum value of a frame pointer minus the CFA, in bytes. As in libunwind, a frame pointer
 * further above the CFA is not trusted.
 */
#define UNWIND_GUESS_BYTES 0x4000u

bool unwind_take_regs(struct unwind_sample *ret, uint64_t mask, const uint64_t *values, size_t n)
{
	/*
	 * index: register in the order of perf (ax bx cx dx si di bp sp ip flags cs ss ds es fs gs
	 * r8-r15); value: its DWARF number; 99: not needed
	 */
	static const uint8_t x86[24] = { 0,  3,  2,  1,  4, 5, 6,  7,  16, 99, 99, 99,
					 99, 99, 99, 99, 8, 9, 10, 11, 12, 13, 14, 15 };
	uint64_t need;
	size_t at = 0;

	ret->machine = mask >> 32 & 1 ? EM_AARCH64 : EM_X86_64;
	ret->has_regs = 0;
	if (mask >> (ret->machine == EM_AARCH64 ? CFI_REGISTERS : ARRAY_LEN(x86)))
		return false;
	for (uint64_t left = mask; left && at < n; left &= left - 1) {
		unsigned int reg = (unsigned int)__builtin_ctzll(left);

		if (ret->machine == EM_X86_64)
			reg = x86[reg];
		if (reg < CFI_REGISTERS) {
			ret->regs[reg] = values[at];
			ret->has_regs |= UINT64_C(1) << reg;
		}
		at++;
	}
	need = ret->machine == EM_X86_64 ? 1u << X86_RIP | 1u << X86_RSP
					 : UINT64_C(1) << ARM_PC | 1u << ARM_SP;
	return (ret->has_regs & need) == need;
}

bool unwind_memory(struct unwind_frame *f, uint64_t address, uint64_t *ret)
{
	if (unwind_stack(f, address, ret)) {
		f->last_read = UNWIND_READ_OK;
		return true;
	}
	*ret = 0;
	f->last_read = address > UINT64_MAX - 8
			       ? UNWIND_READ_UNMAPPED
			       : f->process->read(f->process->context, address, ret);
	if (f->last_read != UNWIND_READ_OK)
		*ret = 0;
	return f->last_read != UNWIND_READ_UNMAPPED;
}

bool unwind_get(struct unwind_frame *f, unsigned int reg, uint64_t *ret)
{
	if (f->kind[reg] == UNWIND_NOWHERE)
		return false;
	if (f->kind[reg] == UNWIND_MEMORY)
		return unwind_memory(f, f->v[reg], ret);
	*ret = f->v[reg];
	return true;
}

void unwind_set(struct unwind_frame *f, unsigned int reg, enum unwind_where_kind kind, uint64_t v)
{
	f->kind[reg] = (uint8_t)kind;
	f->v[reg] = v;
}

bool unwind_register(struct unwind_frame *f, unsigned int reg, uint64_t *ret)
{
	if (reg >= CFI_REGISTERS)
		return false;
	/* the stack pointer of the frame is f->cfa, which the step to this frame computed */
	if (reg == f->sp_reg)
		*ret = f->cfa;
	else if (reg == f->ip_reg)
		*ret = f->ip;
	else
		return unwind_get(f, reg, ret);
	return true;
}

/*
 * Apply a rule that reads registers of the current frame. @before: copy of this frame, because @f
 * already has some registers of the caller.
 */
static bool unwind_apply_rare(struct unwind_frame *f, struct unwind_frame *before,
			      const struct cfi *c, const struct cfi_rule *rule, uint64_t cfa)
{
	uint64_t v = 0;

	if (rule->kind == CFI_REGISTER) {
		bool is_known = unwind_register(before, (unsigned int)rule->value, &v);

		unwind_set(f, rule->reg, is_known ? UNWIND_VALUE : UNWIND_NOWHERE, v);
		return true;
	}
	if (!unwind_expression(before, c, rule->value, &cfa, &v))
		return false;
	unwind_set(f, rule->reg, rule->kind == CFI_EXPRESSION ? UNWIND_MEMORY : UNWIND_VALUE, v);
	return true;
}

/*
 * Apply the rules of @row to @f: compute the values of the caller's registers, or the addresses at
 * which they are saved.
 */
static bool unwind_apply(struct unwind_frame *f, const struct cfi *c, const struct cfi_row *row)
{
	const struct cfi_rule *rules = &c->rules.data[row->first_rule];
	struct unwind_frame before;
	uint64_t cfa;

	if (row->cfa_reg == CFI_EXPRESSION_REG) {
		if (!unwind_expression(f, c, row->cfa_value, NULL, &cfa))
			return false;
	} else {
		if (!unwind_register(f, row->cfa_reg, &cfa))
			return false;
		cfa += (uint64_t)(int64_t)row->cfa_value;
	}
	if (row->is_rare)
		before = *f;
	for (uint32_t i = 0; i < row->n_rules; i++) {
		const struct cfi_rule *rule = &rules[i];
		uint64_t at = cfa + (uint64_t)(int64_t)rule->value;

		if (LIKELY(rule->kind == CFI_OFFSET))
			unwind_set(f, rule->reg, UNWIND_MEMORY, at);
		else if (rule->kind == CFI_UNDEFINED)
			unwind_set(f, rule->reg, UNWIND_NOWHERE, 0);
		else if (rule->kind == CFI_VAL_OFFSET)
			unwind_set(f, rule->reg, UNWIND_VALUE, at);
		else if (!unwind_apply_rare(f, &before, c, rule, cfa))
			return false;
	}
	f->cfa = cfa;
	return true;
}

/*
 * Whether @f is in a PLT stub. Its code is ff 25 disp32 68 imm32 e9: jmp *got; push number; jmp to
 * the first stub.
 */
bool unwind_is_plt(struct unwind_frame *f)
{
	uint64_t a;
	uint64_t b;

	return unwind_memory(f, f->ip, &a) && unwind_memory(f, f->ip + 8, &b) &&
	       (a & 0xffff) == 0x25ff && (a >> 48 & 0xff) == 0x68 && (b >> 24 & 0xff) == 0xe9;
}

/*
 * Step to the caller if the instruction pointer is not in code, for example after the call of an
 * invalid function pointer. The return address is on top of the stack.
 */
static bool unwind_guess_bad_call(struct unwind_frame *f, uint64_t rbp)
{
	uint64_t rsp;
	uint64_t back;
	uint64_t unused;

	if (!unwind_register(f, X86_RSP, &rsp) || !unwind_memory(f, rsp, &back) ||
	    f->last_read != UNWIND_READ_OK || !unwind_memory(f, back, &unused) ||
	    f->last_read != UNWIND_READ_OK)
		return false;
	f->cfa += 8;
	memset(f->kind, UNWIND_NOWHERE, sizeof(f->kind));
	unwind_set(f, X86_RBP, UNWIND_MEMORY, rbp);
	unwind_set(f, X86_RIP, UNWIND_MEMORY, rsp);
	return true;
}

/*
 * Step from code that has no call frame information to its caller. The caller is guessed, as in
 * libunwind.
 */
static bool unwind_guess(struct unwind_frame *f)
{
	uint64_t before = f->ip;
	uint64_t cfa_before = f->cfa;
	uint64_t rbp;
	uint64_t unused;

	if (unwind_is_plt(f)) {
		unwind_set(f, X86_RIP, UNWIND_MEMORY, f->cfa);
		f->cfa += 8;
	} else {
		bool is_code;

		if (!unwind_get(f, X86_RBP, &rbp))
			return false;
		is_code = unwind_memory(f, f->ip, &unused) && f->last_read == UNWIND_READ_OK;
		if (rbp == 0 && is_code)
			return false;
		if (is_code || !unwind_guess_bad_call(f, rbp)) {
			if (!unwind_memory(f, rbp, &unused) || rbp < f->cfa ||
			    rbp - f->cfa > UNWIND_GUESS_BYTES)
				return false;
			memset(f->kind, UNWIND_NOWHERE, sizeof(f->kind));
			unwind_set(f, X86_RBP, UNWIND_MEMORY, rbp);
			unwind_set(f, X86_RIP, UNWIND_MEMORY, rbp + 8);
			f->cfa += 16;
		}
		f->is_after_call = true;
	}
	return unwind_get(f, X86_RIP, &f->ip) && (f->ip != before || f->cfa != cfa_before);
}

bool unwind_by_row(struct unwind_frame *f, struct unwind_place place)
{
	const struct cfi_row *row = &place.cfi->rows.data[place.row];
	uint64_t before = f->ip;
	uint64_t cfa_before = f->cfa;

	if (row->cfa_reg == CFI_BAD_REG || !unwind_apply(f, place.cfi, row))
		return false;
	f->is_after_call = !row->is_signal;
	if (!unwind_get(f, row->return_reg, &f->ip)) {
		f->is_outermost = f->kind[row->return_reg] == UNWIND_NOWHERE;
		return false;
	}
	if (f->sample->machine == EM_AARCH64) {
		/* remove the signature (pointer authentication code) from the return address */
		f->ip &= (UINT64_C(1) << 48) - 1;
		if (row->is_signal && f->kind[ARM_PC] == UNWIND_MEMORY &&
		    !unwind_get(f, ARM_PC, &f->ip))
			return false;
		if (f->ip == 0)
			return false;
	} else if (f->kind[X86_RBP] == UNWIND_NOWHERE) {
		f->is_outermost = true; /* by the ABI, an undefined rbp marks the outermost frame */
		return false;
	}
	return f->ip != before || f->cfa != cfa_before;
}

static bool unwind_step(struct unwind_frame *f)
{
	struct unwind_place place =
		f->process->place(f->process->context, f->ip - f->is_after_call);

	if (!place.cfi || place.cfi->machine != f->sample->machine)
		return false;
	if (place.row == INDEX_NONE)
		return f->sample->machine == EM_X86_64 && unwind_guess(f);
	return unwind_by_row(f, place);
}

void unwind_start(struct unwind_frame *f, const struct unwind_sample *s,
		  const struct unwind_process *process)
{
	bool is_arm = s->machine == EM_AARCH64;

	f->sample = s;
	f->process = process;
	f->sp_reg = is_arm ? ARM_SP : X86_RSP;
	f->ip_reg = is_arm ? ARM_PC : X86_RIP;
	f->is_after_call = f->is_outermost = false;
	f->last_read = UNWIND_READ_OK;
	f->ip = s->regs[f->ip_reg];
	f->cfa = s->regs[f->sp_reg];
	f->stack_start = f->cfa;
	for (unsigned int i = 0; i < CFI_REGISTERS; i++) {
		bool is_known = s->has_regs >> i & 1;

		unwind_set(f, i, is_known ? UNWIND_VALUE : UNWIND_NOWHERE,
			   is_known ? s->regs[i] : 0);
	}
}

size_t unwind_run(const struct unwind_sample *s, const struct unwind_process *process,
		  uint64_t *ret_places, size_t max)
{
	struct unwind_frame f;
	size_t n = 0;

	unwind_start(&f, s, process);
	if (max)
		ret_places[n++] = f.ip;
	while (n < max && unwind_step(&f))
		ret_places[n++] = f.ip - f.is_after_call;
	return n;
}
