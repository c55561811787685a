/* SPDX-License-Identifier: MIT */
/*
 * cfi_rows.c - run call frame instructions, and store the result as rows
 *
 * Opcodes: DWARF 5, section 7.24, and the GNU opcodes of the Linux Standard Base. If instructions
 * are damaged, the rows before the damage are kept, and a row with CFI_BAD_REG follows.
 */
#include "symbols/unwind/cfi.h"

#include "base/limits.h"
#include "base/vec.h"
#include "symbols/unwind/dwarf_bytes.h"

/* maximum number of states that CFA_REMEMBER_STATE may store; gcc needs one or two */
#define CFI_REMEMBERED 16u

enum cfi_code {
	CFA_NOP = 0x00,
	CFA_SET_LOC = 0x01,
	CFA_ADVANCE_LOC1 = 0x02,
	CFA_ADVANCE_LOC2 = 0x03,
	CFA_ADVANCE_LOC4 = 0x04,
	CFA_OFFSET_EXTENDED = 0x05,
	CFA_RESTORE_EXTENDED = 0x06,
	CFA_UNDEFINED = 0x07,
	CFA_SAME_VALUE = 0x08,
	CFA_REGISTER = 0x09,
	CFA_REMEMBER_STATE = 0x0a,
	CFA_RESTORE_STATE = 0x0b,
	CFA_DEF_CFA = 0x0c,
	CFA_DEF_CFA_REGISTER = 0x0d,
	CFA_DEF_CFA_OFFSET = 0x0e,
	CFA_DEF_CFA_EXPRESSION = 0x0f,
	CFA_EXPRESSION = 0x10,
	CFA_OFFSET_EXTENDED_SF = 0x11,
	CFA_DEF_CFA_SF = 0x12,
	CFA_DEF_CFA_OFFSET_SF = 0x13,
	CFA_VAL_OFFSET = 0x14,
	CFA_VAL_OFFSET_SF = 0x15,
	CFA_VAL_EXPRESSION = 0x16,
	/* on AArch64: the return address is signed from here on, or not any more */
	CFA_GNU_WINDOW_SAVE = 0x2d,
	CFA_GNU_ARGS_SIZE = 0x2e,
	CFA_GNU_NEGATIVE_OFFSET_EXTENDED = 0x2f,
	/* the opcodes below have an operand in their low 6 bits */
	CFA_ADVANCE_LOC = 0x40,
	CFA_OFFSET = 0x80,
	CFA_RESTORE = 0xc0,
};

#define CFI_SAME 255u /* value in kind[]: the register is unchanged, and has no rule */

struct cfi_state {
	int64_t value[CFI_REGISTERS];
	uint8_t kind[CFI_REGISTERS]; /* enum cfi_rule_kind, or CFI_SAME */
	int64_t cfa_value;
	uint8_t cfa_reg;
};

struct cfi_machine {
	struct cfi *c;
	const struct cfi_common *common;
	struct dwarf_bytes b;
	struct cfi_state now, initial;
	struct cfi_state remembered[CFI_REMEMBERED];
	size_t n_remembered;
	uint64_t at; /* first address of the current row */
	bool is_bad;
};

static void cfi_set(struct cfi_machine *m, uint64_t reg, unsigned int kind, int64_t value)
{
	if (reg >= CFI_REGISTERS) { /* unwinding needs no vector registers: ignore their rules */
		m->is_bad |= reg > 512;
		return;
	}
	m->now.kind[reg] = (uint8_t)kind;
	m->now.value[reg] = value;
}

static void cfi_restore(struct cfi_machine *m, uint64_t reg)
{
	if (reg < CFI_REGISTERS)
		cfi_set(m, reg, m->initial.kind[reg], m->initial.value[reg]);
}

/* @value multiplied by the data alignment factor. An overflow sets is_bad. */
static int64_t cfi_scaled(struct cfi_machine *m, int64_t value)
{
	int64_t result = 0;

	m->is_bad |= __builtin_mul_overflow(value, m->common->data_align, &result);
	return result;
}

/*
 * Skip an expression. Returns its offset in the section; the expression starts there with its
 * length.
 */
static int64_t cfi_expression(struct cfi_machine *m)
{
	size_t at = m->b.at;

	dwarf_bytes_skip(&m->b, dwarf_bytes_uleb(&m->b));
	return (int64_t)at;
}

static void cfi_cfa(struct cfi_machine *m, uint64_t reg, int64_t value)
{
	m->is_bad |= reg >= CFI_REGISTERS;
	m->now.cfa_reg = (uint8_t)reg;
	m->now.cfa_value = value;
}

static void cfi_row(struct cfi_machine *m)
{
	struct cfi *c = m->c;
	struct cfi_row row = {
		.start = m->at,
		.cfa_value = (int32_t)m->now.cfa_value,
		.first_rule = (uint32_t)c->rules.len,
		.cfa_reg = m->is_bad || m->now.cfa_value != (int32_t)m->now.cfa_value
				   ? CFI_BAD_REG
				   : m->now.cfa_reg,
		.return_reg = m->common->return_reg,
		.is_signal = m->common->is_signal,
	};

	for (unsigned int i = 0; i < CFI_REGISTERS && row.cfa_reg != CFI_BAD_REG; i++) {
		int64_t value = m->now.value[i];

		if (m->now.kind[i] == CFI_SAME)
			continue;
		if (value != (int32_t)value)
			row.cfa_reg = CFI_BAD_REG;
		row.is_rare |= m->now.kind[i] >= CFI_REGISTER;
		*VEC_PUSH(&c->rules) =
			(struct cfi_rule){ (int32_t)value, (uint8_t)i, m->now.kind[i] };
		row.n_rules++;
	}
	*VEC_PUSH(&c->rows) = row;
}

static void cfi_advance(struct cfi_machine *m, uint64_t delta, const struct cfi_function *f)
{
	uint64_t to;

	if (f == NULL || __builtin_mul_overflow(delta, m->common->code_align, &to) ||
	    __builtin_add_overflow(m->at, to, &to)) {
		m->is_bad = true;
		return;
	}
	if (to == m->at)
		return;
	cfi_row(m);
	m->at = to;
}

/* Run an instruction that sets the rule of the register @reg. */
static void cfi_do_register(struct cfi_machine *m, unsigned int code, uint64_t reg)
{
	struct dwarf_bytes *b = &m->b;

	switch (code) {
	case CFA_OFFSET:
	case CFA_OFFSET_EXTENDED:
		cfi_set(m, reg, CFI_OFFSET, cfi_scaled(m, (int64_t)dwarf_bytes_uleb(b)));
		break;
	case CFA_OFFSET_EXTENDED_SF:
		cfi_set(m, reg, CFI_OFFSET, cfi_scaled(m, dwarf_bytes_sleb(b)));
		break;
	case CFA_GNU_NEGATIVE_OFFSET_EXTENDED:
		cfi_set(m, reg, CFI_OFFSET,
			cfi_scaled(m, -(int64_t)(dwarf_bytes_uleb(b) & INT64_MAX)));
		break;
	case CFA_VAL_OFFSET:
		cfi_set(m, reg, CFI_VAL_OFFSET, cfi_scaled(m, (int64_t)dwarf_bytes_uleb(b)));
		break;
	case CFA_VAL_OFFSET_SF:
		cfi_set(m, reg, CFI_VAL_OFFSET, cfi_scaled(m, dwarf_bytes_sleb(b)));
		break;
	case CFA_RESTORE:
	case CFA_RESTORE_EXTENDED:
		cfi_restore(m, reg);
		break;
	case CFA_UNDEFINED:
		cfi_set(m, reg, CFI_UNDEFINED, 0);
		break;
	case CFA_SAME_VALUE:
		cfi_set(m, reg, CFI_SAME, 0);
		break;
	case CFA_REGISTER:
		cfi_set(m, reg, CFI_REGISTER, (int64_t)(dwarf_bytes_uleb(b) & INT32_MAX));
		break;
	case CFA_EXPRESSION:
		cfi_set(m, reg, CFI_EXPRESSION, cfi_expression(m));
		break;
	default:
		cfi_set(m, reg, CFI_VAL_EXPRESSION, cfi_expression(m));
		break;
	}
}

static void cfi_do_cfa(struct cfi_machine *m, unsigned int code)
{
	struct dwarf_bytes *b = &m->b;
	uint64_t reg = m->now.cfa_reg;

	switch (code) {
	case CFA_DEF_CFA:
		reg = dwarf_bytes_uleb(b);
		cfi_cfa(m, reg, (int64_t)dwarf_bytes_uleb(b));
		break;
	case CFA_DEF_CFA_SF:
		reg = dwarf_bytes_uleb(b);
		cfi_cfa(m, reg, cfi_scaled(m, dwarf_bytes_sleb(b)));
		break;
	case CFA_DEF_CFA_REGISTER:
		cfi_cfa(m, dwarf_bytes_uleb(b), m->now.cfa_value);
		break;
	case CFA_DEF_CFA_OFFSET:
		cfi_cfa(m, reg, (int64_t)dwarf_bytes_uleb(b));
		break;
	case CFA_DEF_CFA_OFFSET_SF:
		cfi_cfa(m, reg, cfi_scaled(m, dwarf_bytes_sleb(b)));
		break;
	default:
		m->now.cfa_value = cfi_expression(m);
		m->now.cfa_reg = CFI_EXPRESSION_REG;
		break;
	}
}

static void cfi_do(struct cfi_machine *m, unsigned int code, const struct cfi_function *f)
{
	struct dwarf_bytes *b = &m->b;

	switch (code) {
	case CFA_NOP:
	case CFA_GNU_WINDOW_SAVE:
		break;
	case CFA_ADVANCE_LOC1:
		cfi_advance(m, dwarf_bytes_fixed(b, 1), f);
		break;
	case CFA_ADVANCE_LOC2:
		cfi_advance(m, dwarf_bytes_fixed(b, 2), f);
		break;
	case CFA_ADVANCE_LOC4:
		cfi_advance(m, dwarf_bytes_fixed(b, 4), f);
		break;
	case CFA_GNU_ARGS_SIZE:
		(void)dwarf_bytes_uleb(b);
		break;
	case CFA_REMEMBER_STATE:
		if (m->n_remembered == CFI_REMEMBERED)
			m->is_bad = true;
		else
			m->remembered[m->n_remembered++] = m->now;
		break;
	case CFA_RESTORE_STATE:
		if (m->n_remembered == 0)
			m->is_bad = true;
		else
			m->now = m->remembered[--m->n_remembered];
		break;
	case CFA_DEF_CFA:
	case CFA_DEF_CFA_SF:
	case CFA_DEF_CFA_REGISTER:
	case CFA_DEF_CFA_OFFSET:
	case CFA_DEF_CFA_OFFSET_SF:
	case CFA_DEF_CFA_EXPRESSION:
		cfi_do_cfa(m, code);
		break;
	case CFA_OFFSET_EXTENDED:
	case CFA_RESTORE_EXTENDED:
	case CFA_UNDEFINED:
	case CFA_SAME_VALUE:
	case CFA_REGISTER:
	case CFA_EXPRESSION:
	case CFA_OFFSET_EXTENDED_SF:
	case CFA_VAL_OFFSET:
	case CFA_VAL_OFFSET_SF:
	case CFA_VAL_EXPRESSION:
	case CFA_GNU_NEGATIVE_OFFSET_EXTENDED:
		cfi_do_register(m, code, dwarf_bytes_uleb(b));
		break;
	/* unknown opcodes, and CFA_SET_LOC, which compilers do not use on x86-64 and AArch64 */
	default:
		m->is_bad = true;
		break;
	}
}

/*
 * Run the instructions from offset @at to @until. @f: function with these instructions; NULL: they
 * belong to a CIE.
 */
static void cfi_program(struct cfi_machine *m, uint32_t at, uint32_t until,
			const struct cfi_function *f)
{
	m->b = (struct dwarf_bytes){ m->c->bytes, at, until, false };
	while (m->b.at < m->b.end && !m->is_bad) {
		unsigned int code = (unsigned int)dwarf_bytes_fixed(&m->b, 1);
		unsigned int operand = code & 0x3f;

		if ((code & 0xc0) == CFA_ADVANCE_LOC)
			cfi_advance(m, operand, f);
		else if (code & 0xc0)
			cfi_do_register(m, code & 0xc0, operand);
		else
			cfi_do(m, code, f);
		m->is_bad |= m->b.is_over;
		if (f && m->c->rows.len - f->first_row >= LIMIT_CFI_ROWS)
			m->is_bad = true;
	}
}

void cfi_run(struct cfi *c, struct cfi_function *f)
{
	struct cfi_machine m;

	m.c = c;
	m.common = &c->commons.data[f->common];
	m.at = f->start;
	m.n_remembered = 0;
	m.is_bad = m.common->until - m.common->at > LIMIT_CFI_COMMON_BYTES;
	memset(m.now.kind, CFI_SAME, sizeof(m.now.kind));
	memset(m.now.value, 0, sizeof(m.now.value));
	m.now.cfa_reg = CFI_BAD_REG;
	m.now.cfa_value = 0;
	f->first_row = (uint32_t)c->rows.len;
	if (!m.is_bad)
		cfi_program(&m, m.common->at, m.common->until, NULL);
	m.initial = m.now;
	cfi_program(&m, f->at, f->until, f);
	cfi_row(&m);
	c->n_bad += m.is_bad;
	f->n_rows = (uint32_t)c->rows.len - f->first_row;
}
