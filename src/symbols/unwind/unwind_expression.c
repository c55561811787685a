/* SPDX-License-Identifier: MIT */
/*
 * unwind_expression.c - evaluate DWARF expressions in call frame information
 *
 * Opcodes: DWARF 5, section 7.7.1. Compilers use few of them here, for PLT stubs and signal frames.
 * Opcodes that call other expressions or need types are not supported.
 */
#include "symbols/unwind/unwind_expression.h"

#include "symbols/unwind/cfi.h"
#include "symbols/unwind/dwarf_bytes.h"

#define EXPRESSION_STACK 64u
/* maximum number of operations per evaluation, because an expression may contain an endless loop */
#define EXPRESSION_STEPS 1000u

enum expression_code {
	OP_ADDR = 0x03,
	OP_DEREF = 0x06,
	OP_CONST1U = 0x08,
	OP_CONST8S = 0x0f,
	OP_CONSTU = 0x10,
	OP_CONSTS = 0x11,
	OP_DUP = 0x12,
	OP_DROP = 0x13,
	OP_OVER = 0x14,
	OP_PICK = 0x15,
	OP_SWAP = 0x16,
	OP_ROT = 0x17,
	OP_ABS = 0x19,
	OP_AND = 0x1a,
	OP_DIV = 0x1b,
	OP_MINUS = 0x1c,
	OP_MOD = 0x1d,
	OP_MUL = 0x1e,
	OP_NEG = 0x1f,
	OP_NOT = 0x20,
	OP_OR = 0x21,
	OP_PLUS = 0x22,
	OP_PLUS_UCONST = 0x23,
	OP_SHL = 0x24,
	OP_SHR = 0x25,
	OP_SHRA = 0x26,
	OP_XOR = 0x27,
	OP_BRA = 0x28,
	OP_EQ = 0x29,
	OP_GE = 0x2a,
	OP_GT = 0x2b,
	OP_LE = 0x2c,
	OP_LT = 0x2d,
	OP_NE = 0x2e,
	OP_SKIP = 0x2f,
	OP_LIT0 = 0x30,
	OP_LIT31 = 0x4f,
	OP_BREG0 = 0x70,
	OP_BREG31 = 0x8f,
	OP_BREGX = 0x92,
	OP_DEREF_SIZE = 0x94,
	OP_NOP = 0x96,
};

struct expression {
	struct unwind_frame *frame;
	struct dwarf_bytes b;
	size_t start;
	uint64_t stack[EXPRESSION_STACK];
	size_t n;
	bool is_bad;
};

static void expression_push(struct expression *e, uint64_t v)
{
	if (e->n == EXPRESSION_STACK)
		e->is_bad = true;
	else
		e->stack[e->n++] = v;
}

static uint64_t expression_pop(struct expression *e)
{
	if (e->n == 0) {
		e->is_bad = true;
		return 0;
	}
	return e->stack[--e->n];
}

/* Push a copy of stack element number @i; number 0 is the top of the stack. */
static void expression_pick(struct expression *e, uint64_t i)
{
	if (i >= e->n)
		e->is_bad = true;
	else
		expression_push(e, e->stack[e->n - 1 - i]);
}

static void expression_register(struct expression *e, uint64_t reg, int64_t offset)
{
	uint64_t v = 0;

	if (reg >= CFI_REGISTERS || !unwind_register(e->frame, (unsigned int)reg, &v))
		e->is_bad = true;
	expression_push(e, v + (uint64_t)offset);
}

static void expression_deref(struct expression *e, unsigned int bytes)
{
	uint64_t v = 0;

	if (bytes == 0 || bytes > 8 || !unwind_memory(e->frame, expression_pop(e), &v))
		e->is_bad = true;
	else if (bytes < 8)
		v &= (UINT64_C(1) << 8 * bytes) - 1;
	expression_push(e, v);
}

/*
 * Run an operator with two operands. The second operand is on top of the stack, the first below it.
 */
static void expression_binary(struct expression *e, unsigned int code)
{
	uint64_t b = expression_pop(e);
	uint64_t a = expression_pop(e);
	int64_t x = (int64_t)a;
	int64_t y = (int64_t)b;
	uint64_t v = 0;

	switch (code) {
	case OP_AND:
		v = a & b;
		break;
	case OP_DIV:
		if (b == 0)
			e->is_bad = true;
		else
			v = y == -1 ? 0 - a : (uint64_t)(x / y);
		break;
	case OP_MINUS:
		v = a - b;
		break;
	case OP_MOD:
		if (b == 0)
			e->is_bad = true;
		else
			v = a % b;
		break;
	case OP_MUL:
		v = a * b;
		break;
	case OP_OR:
		v = a | b;
		break;
	case OP_PLUS:
		v = a + b;
		break;
	case OP_SHL:
		v = b < 64 ? a << b : 0;
		break;
	case OP_SHR:
		v = b < 64 ? a >> b : 0;
		break;
	case OP_SHRA:
		v = (uint64_t)(x >> (b < 64 ? b : 63));
		break;
	case OP_XOR:
		v = a ^ b;
		break;
	case OP_EQ:
		v = a == b;
		break;
	case OP_GE:
		v = x >= y;
		break;
	case OP_GT:
		v = x > y;
		break;
	case OP_LE:
		v = x <= y;
		break;
	case OP_LT:
		v = x < y;
		break;
	default: /* OP_NE */
		v = a != b;
		break;
	}
	expression_push(e, v);
}

static void expression_jump(struct expression *e, bool is_taken)
{
	int64_t by = dwarf_bytes_signed(&e->b, 2);
	int64_t to = (int64_t)e->b.at + by;

	if (!is_taken)
		return;
	if (to < (int64_t)e->start || to > (int64_t)e->b.end)
		e->is_bad = true;
	else
		e->b.at = (size_t)to;
}

static void expression_swap(struct expression *e, size_t n)
{
	uint64_t top;

	if (e->n < n) {
		e->is_bad = true;
		return;
	}
	top = e->stack[e->n - 1];
	memmove(&e->stack[e->n - n + 1], &e->stack[e->n - n], (n - 1) * sizeof(top));
	e->stack[e->n - n] = top;
}

static void expression_constant(struct expression *e, unsigned int code)
{
	unsigned int bytes = 1u << ((code - OP_CONST1U) / 2);

	expression_push(e, (code - OP_CONST1U) & 1 ? (uint64_t)dwarf_bytes_signed(&e->b, bytes)
						   : dwarf_bytes_fixed(&e->b, bytes));
}

static void expression_unary(struct expression *e, unsigned int code)
{
	uint64_t v = expression_pop(e);

	if (code == OP_ABS)
		v = (int64_t)v < 0 ? 0 - v : v;
	else if (code == OP_NEG)
		v = 0 - v;
	else if (code == OP_NOT)
		v = ~v;
	else
		v += dwarf_bytes_uleb(&e->b); /* OP_PLUS_UCONST */
	expression_push(e, v);
}

/* Run an opcode that has no function of its own. */
static void expression_other(struct expression *e, unsigned int code)
{
	uint64_t reg;

	switch (code) {
	case OP_DEREF:
		expression_deref(e, 8);
		break;
	case OP_DEREF_SIZE:
		expression_deref(e, (unsigned int)dwarf_bytes_fixed(&e->b, 1));
		break;
	case OP_CONSTU:
		expression_push(e, dwarf_bytes_uleb(&e->b));
		break;
	case OP_CONSTS:
		expression_push(e, (uint64_t)dwarf_bytes_sleb(&e->b));
		break;
	case OP_DUP:
		expression_pick(e, 0);
		break;
	case OP_DROP:
		(void)expression_pop(e);
		break;
	case OP_OVER:
		expression_pick(e, 1);
		break;
	case OP_PICK:
		expression_pick(e, dwarf_bytes_fixed(&e->b, 1));
		break;
	case OP_SWAP:
		expression_swap(e, 2);
		break;
	case OP_ROT:
		expression_swap(e, 3);
		break;
	case OP_BRA:
		expression_jump(e, expression_pop(e) != 0);
		break;
	case OP_SKIP:
		expression_jump(e, true);
		break;
	case OP_BREGX:
		reg = dwarf_bytes_uleb(&e->b);
		expression_register(e, reg, dwarf_bytes_sleb(&e->b));
		break;
	case OP_NOP:
		break;
	default: /* not supported; OP_ADDR, for example, needs the load address of the module */
		e->is_bad = true;
		break;
	}
}

static void expression_do(struct expression *e, unsigned int code)
{
	if (code >= OP_LIT0 && code <= OP_LIT31)
		expression_push(e, code - OP_LIT0);
	else if (code >= OP_BREG0 && code <= OP_BREG31)
		expression_register(e, code - OP_BREG0, dwarf_bytes_sleb(&e->b));
	else if (code >= OP_CONST1U && code <= OP_CONST8S)
		expression_constant(e, code);
	else if (code == OP_ABS || code == OP_NEG || code == OP_NOT || code == OP_PLUS_UCONST)
		expression_unary(e, code);
	else if ((code >= OP_AND && code <= OP_XOR) || (code >= OP_EQ && code <= OP_NE))
		expression_binary(e, code);
	else
		expression_other(e, code);
}

bool unwind_expression(struct unwind_frame *f, const struct cfi *c, int32_t at,
		       const uint64_t *first, uint64_t *ret)
{
	struct expression e;
	uint64_t len;

	e.frame = f;
	e.b = (struct dwarf_bytes){ c->bytes, (size_t)at, c->len, at < 0 || (size_t)at > c->len };
	e.n = 0;
	e.is_bad = false;
	len = dwarf_bytes_uleb(&e.b);
	if (e.b.is_over || len > e.b.end - e.b.at)
		return false;
	e.start = e.b.at;
	e.b.end = e.b.at + (size_t)len;
	if (first)
		expression_push(&e, *first);
	for (unsigned int i = 0; e.b.at < e.b.end && !e.is_bad; i++) {
		if (i == EXPRESSION_STEPS)
			return false;
		expression_do(&e, (unsigned int)dwarf_bytes_fixed(&e.b, 1));
		e.is_bad |= e.b.is_over;
	}
	if (e.is_bad || e.n == 0)
		return false;
	*ret = e.stack[e.n - 1];
	return true;
}
