/* SPDX-License-Identifier: MIT */
/* Unwinding by rows that are made here: each kind of rule, both machines, and guesses without rows.
 */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"
#include "symbols/unwind/cfi.h"
#include "symbols/unwind/unwind.h"
#include "symbols/unwind/unwind_expression.h"

#include <elf.h>
#include <endian.h>

#define STACK   UINT64_C(0x7000)
#define CODE    UINT64_C(0x1000) /* row i covers 16 addresses from CODE + 16 * i */
#define CALLER  (CODE + 0x80)    /* row 8: always the outermost function */
#define NO_ROW  UINT64_C(0x2000) /* code without rows, up to 0x2fff */
#define NOWHERE UINT64_C(0x3100) /* in a module, but not mapped, up to 0x3fff */
#define PLT     UINT64_C(0x2800)
#define PLT_BAD UINT64_C(0x2900)
#define UNKNOWN UINT64_C(0x5000) /* mapped, but of unknown content, up to 0x5fff */

#define RBX 3u
#define RBP 6u
#define RSP 7u
#define RIP 16u
#define LR  30u
#define SP  31u
#define PC  32u

struct world {
	struct cfi cfi;
	struct unwind_sample sample;
	uint64_t stack[4096];
	size_t n_words;
};

/* Add a row with the rules {register, kind, value} that end at register 99. */
static void add_row(struct world *w, uint8_t cfa_reg, int32_t cfa_value, bool is_signal,
		    const struct cfi_rule *rules, size_t n)
{
	struct cfi_row row = { .cfa_reg = cfa_reg,
			       .cfa_value = cfa_value,
			       .first_rule = (uint32_t)w->cfi.rules.len,
			       .n_rules = (uint8_t)n,
			       .is_signal = is_signal,
			       .return_reg = w->cfi.machine == EM_AARCH64 ? LR : RIP };

	for (size_t i = 0; i < n; i++) {
		*VEC_PUSH(&w->cfi.rules) = rules[i];
		row.is_rare |= rules[i].kind >= CFI_REGISTER;
	}
	*VEC_PUSH(&w->cfi.rows) = row;
}

#define ADD(w, cfa_reg, cfa_value, ...)                                                 \
	add_row(w, cfa_reg, cfa_value, false, (const struct cfi_rule[]){ __VA_ARGS__ }, \
		sizeof((const struct cfi_rule[]){ __VA_ARGS__ }) / sizeof(struct cfi_rule))

static struct unwind_place world_place(void *context, uint64_t address)
{
	struct world *w = context;
	uint64_t row = (address - CODE) / 16;

	if (address >= CODE && row == 8) /* the outermost function: no rules known */
		return (struct unwind_place){ &w->cfi, 0, true };
	if (address >= CODE && row < 8 && row + 1 < w->cfi.rows.len)
		return (struct unwind_place){ &w->cfi, (uint32_t)row + 1, true };
	if (address >= NO_ROW && address < NO_ROW + 0x2000)
		return (struct unwind_place){ &w->cfi, INDEX_NONE, true };
	return (struct unwind_place){ NULL, INDEX_NONE, false };
}

static enum unwind_read world_read(void *context, uint64_t address, uint64_t *ret)
{
	(void)context;
	*ret = 0x1111111111111111;
	if (address == PLT || address == PLT_BAD)
		*ret = 0x00681234567825ff | UINT64_C(0x77) << 56;
	else if (address == PLT + 8)
		*ret = 0x12345678e9aabbcc;
	else if (address == PLT_BAD + 8)
		*ret = 0x12345678e8aabbcc;
	if (address >= UNKNOWN && address < UNKNOWN + 0x1000)
		return UNWIND_READ_NOTHING;
	return address >= CODE && address < 0x3000 ? UNWIND_READ_OK : UNWIND_READ_UNMAPPED;
}

/* A sample of @machine at @ip with the stack pointer at STACK; row 0 knows no caller. */
static void world_init(struct world *w, uint16_t machine, uint64_t ip)
{
	bool is_arm = machine == EM_AARCH64;

	memset(w, 0, sizeof(*w));
	w->cfi.machine = machine;
	w->sample.machine = machine;
	w->sample.regs[is_arm ? PC : RIP] = ip;
	w->sample.regs[is_arm ? SP : RSP] = STACK;
	w->sample.has_regs = is_arm ? UINT64_C(1) << PC | UINT64_C(1) << SP
				    : UINT64_C(1) << RIP | UINT64_C(1) << RSP;
	ADD(w, is_arm ? SP : RSP, 8, { 0, is_arm ? LR : RIP, CFI_UNDEFINED });
}

static void set_reg(struct world *w, unsigned int reg, uint64_t value)
{
	w->sample.regs[reg] = value;
	w->sample.has_regs |= UINT64_C(1) << reg;
}

static void push(struct world *w, uint64_t word)
{
	w->stack[w->n_words++] = htole64(word);
}

/* Unwind; the last word of a dump is never read, so one more follows. */
static size_t run(struct world *w, uint64_t *ret)
{
	const struct unwind_process process = { .context = w,
						.place = world_place,
						.read = world_read };

	w->sample.stack = (const uint8_t *)w->stack;
	w->sample.stack_bytes = 8 * w->n_words + 8;
	return unwind_run(&w->sample, &process, ret, 8);
}

static void world_end(struct world *w)
{
	VEC_FREE(&w->cfi.rows);
	VEC_FREE(&w->cfi.rules);
}

/* The caller that the one row of a function finds; 0: none. */
static uint64_t caller(struct world *w)
{
	uint64_t got[8] = { 0 };
	size_t n = run(w, got);

	world_end(w);
	assert_true(n <= 2);
	return n == 2 ? got[1] : 0;
}

static void a_return_address_comes_from_where_the_rule_says(void **state)
{
	static const uint8_t section[] = "\3\x77\x10\x06"; /* breg7 16, deref */
	struct world w;

	(void)state;
	/* saved at CFA - 8, where CFA is rsp + 16 */
	world_init(&w, EM_X86_64, CODE);
	set_reg(&w, RBP, 5);
	ADD(&w, RSP, 16, { -8, RIP, CFI_OFFSET });
	push(&w, 1);
	push(&w, CALLER + 1);
	assert_int_equal(caller(&w), CALLER);
	/* the value itself is CFA + n: a row that starts another function */
	world_init(&w, EM_X86_64, CODE);
	set_reg(&w, RBP, 5);
	set_reg(&w, RBX, CALLER - 3);
	ADD(&w, RBX, 1, { 7, RIP, CFI_VAL_OFFSET });
	assert_int_equal(caller(&w), CALLER + 4);
	/* in another register */
	world_init(&w, EM_X86_64, CODE);
	set_reg(&w, RBP, 5);
	set_reg(&w, RBX, CALLER + 6);
	ADD(&w, RSP, 8, { RBX, RIP, CFI_REGISTER });
	assert_int_equal(caller(&w), CALLER + 5);
	/* in a register that is unknown, or does not exist */
	world_init(&w, EM_X86_64, CODE);
	set_reg(&w, RBP, 5);
	ADD(&w, RSP, 8, { RBX, RIP, CFI_REGISTER });
	assert_int_equal(caller(&w), 0);
	world_init(&w, EM_X86_64, CODE);
	set_reg(&w, RBP, 5);
	ADD(&w, RSP, 8, { CFI_REGISTERS, RIP, CFI_REGISTER });
	assert_int_equal(caller(&w), 0);
	/* at the address that an expression computes, or its result itself; the CFA is pushed first
	 */
	for (unsigned int is_value = 0; is_value < 2; is_value++) {
		world_init(&w, EM_X86_64, CODE);
		w.cfi.bytes = section;
		w.cfi.len = 4;
		set_reg(&w, RBP, 5);
		ADD(&w, RSP, 8, { 0, RIP, is_value ? CFI_VAL_EXPRESSION : CFI_EXPRESSION });
		push(&w, 1);
		push(&w, 2);
		push(&w, is_value ? CALLER + 2 : STACK + 32);
		push(&w, 3);
		push(&w, CALLER + 9);
		assert_int_equal(caller(&w), is_value ? CALLER + 1 : CALLER + 8);
	}
	/* a damaged expression */
	world_init(&w, EM_X86_64, CODE);
	w.cfi.bytes = section;
	w.cfi.len = 3;
	set_reg(&w, RBP, 5);
	ADD(&w, RSP, 8, { 0, RIP, CFI_VAL_EXPRESSION });
	assert_int_equal(caller(&w), 0);
	/* the CFA by an expression: the third word is the CFA, the return address is below it */
	world_init(&w, EM_X86_64, CODE);
	w.cfi.bytes = section;
	w.cfi.len = 4;
	set_reg(&w, RBP, 5);
	ADD(&w, CFI_EXPRESSION_REG, 0, { -8, RIP, CFI_OFFSET });
	push(&w, 1);
	push(&w, 2);
	push(&w, STACK + 32);
	push(&w, CALLER + 4);
	assert_int_equal(caller(&w), CALLER + 3);
	/* the CFA from a register that is unknown; damaged instructions */
	world_init(&w, EM_X86_64, CODE);
	set_reg(&w, RBP, 5);
	set_reg(&w, RIP, CODE);
	ADD(&w, RBX, 8, { -8, RIP, CFI_OFFSET });
	push(&w, CALLER + 4);
	assert_int_equal(caller(&w), 0);
	world_init(&w, EM_X86_64, CODE);
	set_reg(&w, RBP, 5);
	ADD(&w, CFI_BAD_REG, 8, { -8, RIP, CFI_OFFSET });
	push(&w, CALLER + 4);
	assert_int_equal(caller(&w), 0);
}

/* Three frames: the second finds its registers by the rules of the first. */
static void registers_are_restored_for_the_caller(void **state)
{
	struct world w;
	uint64_t got[8];

	(void)state;
	/* row 0 saves rbx in memory, sets rbp to CFA + 16; row 1 has its CFA in rbx or rbp */
	for (unsigned int by_rbp = 0; by_rbp < 2; by_rbp++) {
		world_init(&w, EM_X86_64, CODE);
		set_reg(&w, RBP, 5);
		set_reg(&w, RBX, 5);
		ADD(&w, RSP, 24, { -8, RIP, CFI_OFFSET }, { -24, RBX, CFI_OFFSET },
		    { 16, RBP, CFI_VAL_OFFSET });
		ADD(&w, by_rbp ? RBP : RBX, 0, { 8, RIP, CFI_OFFSET });
		push(&w, STACK + 40); /* rbx */
		push(&w, 2);
		push(&w, CODE + 17);
		push(&w, 4);
		push(&w, 5);
		push(&w, 6);
		push(&w, CALLER + 2);
		push(&w, 8);
		assert_int_equal(run(&w, got), 3);
		assert_int_equal(got[1], CODE + 16);
		assert_int_equal(got[2], CALLER + 1);
		world_end(&w);
	}
	/* the stack pointer of the caller is the CFA; rbx of row 2 is the ip of row 1 */
	world_init(&w, EM_X86_64, CODE);
	set_reg(&w, RBP, 5);
	ADD(&w, RSP, 16, { -8, RIP, CFI_OFFSET });
	ADD(&w, RSP, 8, { -8, RIP, CFI_OFFSET }, { RIP, RBX, CFI_REGISTER });
	ADD(&w, RBX, STACK + 24 - (CODE + 18), { 0, RIP, CFI_OFFSET });
	push(&w, 1);
	push(&w, CODE + 18);
	push(&w, CODE + 34);
	push(&w, CALLER + 1);
	assert_int_equal(run(&w, got), 4);
	assert_int_equal(got[2], CODE + 33);
	assert_int_equal(got[3], CALLER);
	world_end(&w);
	/* without a saved rbp, nothing is above: the ABI's mark of the outermost frame */
	world_init(&w, EM_X86_64, CODE);
	ADD(&w, RSP, 8, { -8, RIP, CFI_OFFSET });
	push(&w, CALLER + 1);
	assert_int_equal(caller(&w), 0);
}

static void a_step_that_leads_nowhere_is_the_last(void **state)
{
	struct world w;

	(void)state;
	/* the same ip and CFA again */
	world_init(&w, EM_X86_64, CODE);
	set_reg(&w, RBP, 5);
	set_reg(&w, RBX, CODE);
	ADD(&w, RSP, 0, { RBX, RIP, CFI_REGISTER });
	assert_int_equal(caller(&w), 0);
	/* code of another machine */
	world_init(&w, EM_X86_64, CODE);
	set_reg(&w, RBP, 5);
	ADD(&w, RSP, 8, { -8, RIP, CFI_OFFSET });
	push(&w, CALLER + 1);
	w.cfi.machine = EM_AARCH64;
	assert_int_equal(caller(&w), 0);
}

static void arm_returns_by_its_link_register(void **state)
{
	struct world w;

	(void)state;
	/* no rule: the address is still in x30, with a signature in its upper bits */
	world_init(&w, EM_AARCH64, CODE);
	set_reg(&w, LR, UINT64_C(0xabcd) << 48 | (CALLER + 4));
	add_row(&w, SP, 16, false, NULL, 0);
	assert_int_equal(caller(&w), CALLER + 3);
	world_init(&w, EM_AARCH64, CODE);
	ADD(&w, SP, 16, { -8, LR, CFI_OFFSET });
	push(&w, 1);
	push(&w, CALLER + 8);
	assert_int_equal(caller(&w), CALLER + 7);
	/* address 0 ends the stack */
	world_init(&w, EM_AARCH64, CODE);
	set_reg(&w, LR, UINT64_C(0xabcd) << 48);
	add_row(&w, SP, 16, false, NULL, 0);
	assert_int_equal(caller(&w), 0);
	/* code without a row is not guessed on this machine */
	world_init(&w, EM_AARCH64, NO_ROW);
	set_reg(&w, LR, CALLER + 4);
	set_reg(&w, RBP, STACK);
	push(&w, 0);
	push(&w, CALLER + 8);
	assert_int_equal(caller(&w), 0);
}

static void arm_signal_frames_save_the_interrupted_address(void **state)
{
	static const struct cfi_rule rules[] = { { -16, LR, CFI_OFFSET }, { -8, PC, CFI_OFFSET } };
	struct world w;

	(void)state;
	/* the interrupted address is no return address: the caller is exactly it */
	for (unsigned int is_signal = 0; is_signal < 2; is_signal++) {
		world_init(&w, EM_AARCH64, CODE);
		add_row(&w, SP, 16, is_signal, rules, 2);
		push(&w, CALLER + 4);
		push(&w, CALLER + 9);
		assert_int_equal(caller(&w), is_signal ? CALLER + 9 : CALLER + 3);
	}
	/* without a rule for pc, x30 is taken */
	world_init(&w, EM_AARCH64, CODE);
	add_row(&w, SP, 16, true, rules, 1);
	push(&w, CALLER + 4);
	push(&w, CALLER + 9);
	assert_int_equal(caller(&w), CALLER + 4);
	/* its place cannot be read */
	world_init(&w, EM_AARCH64, CODE);
	add_row(&w, SP, 0x1000, true, rules, 2);
	assert_int_equal(caller(&w), 0);
}

static void a_stub_of_the_linkage_table_is_left_by_the_top_of_the_stack(void **state)
{
	struct world w;
	uint64_t got[8];

	(void)state;
	world_init(&w, EM_X86_64, PLT);
	set_reg(&w, RBP, 0);
	push(&w, CALLER + 5);
	assert_int_equal(caller(&w), CALLER + 5); /* as libunwind, which takes it for no call */
	/* code that only begins like a stub has no frame pointer here */
	world_init(&w, EM_X86_64, PLT_BAD);
	set_reg(&w, RBP, 0);
	push(&w, CALLER + 5);
	assert_int_equal(caller(&w), 0);
	/* the word is taken: the caller's CFA is 8 higher */
	world_init(&w, EM_X86_64, PLT);
	set_reg(&w, RBP, 5);
	ADD(&w, RSP, 8, { -8, RIP, CFI_OFFSET });
	push(&w, CODE + 1);
	push(&w, CALLER + 3);
	assert_int_equal(run(&w, got), 3);
	assert_int_equal(got[2], CALLER + 2);
	world_end(&w);
}

/* Each byte of the pattern matters, and no other does. */
static enum unwind_read pattern_read(void *context, uint64_t address, uint64_t *ret)
{
	const uint64_t *words = context;

	*ret = address == NO_ROW ? words[0] : words[1];
	return address == NO_ROW || address == NO_ROW + 8 ? UNWIND_READ_OK : UNWIND_READ_UNMAPPED;
}

static void a_stub_is_known_by_four_bytes(void **state)
{
	uint64_t words[2];
	const struct unwind_process process = { .context = words, .read = pattern_read };
	struct unwind_sample s = { .machine = EM_X86_64 };
	struct unwind_frame f;

	(void)state;
	s.regs[RIP] = NO_ROW;
	unwind_start(&f, &s, &process);
	for (unsigned int bit = 0; bit < 128; bit++) {
		unsigned int byte = bit / 8;

		words[0] = 0x00680000000025ff;
		words[1] = 0x00000000e9000000;
		assert_true(unwind_is_plt(&f));
		words[bit / 64] ^= UINT64_C(1) << bit % 64;
		assert_int_equal(unwind_is_plt(&f),
				 byte != 0 && byte != 1 && byte != 6 && byte != 11);
	}
	f.ip = NO_ROW + 8; /* the next word is not mapped */
	words[1] = 0x00680000000025ff;
	assert_false(unwind_is_plt(&f));
	f.ip = NO_ROW + 1;
	assert_false(unwind_is_plt(&f));
}

static void a_frame_pointer_is_followed_within_its_distance(void **state)
{
	static const uint64_t distances[] = { 0, 8, 0x3ff8, 0x4000, 0x4008 };
	struct world w;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(distances); i++) {
		world_init(&w, EM_X86_64, NO_ROW);
		set_reg(&w, RBP, STACK + distances[i]);
		for (uint64_t at = 0; at < distances[i]; at += 8)
			push(&w, 0);
		push(&w, 7);
		push(&w, CALLER + 1);
		assert_int_equal(caller(&w), distances[i] <= 0x4000 ? CALLER : 0);
	}
	/* below the stack pointer, in code that can be read */
	world_init(&w, EM_X86_64, NO_ROW);
	set_reg(&w, RBP, NO_ROW + 0x100);
	assert_int_equal(caller(&w), 0);
	/* unknown, or at an address that is not mapped */
	world_init(&w, EM_X86_64, NO_ROW);
	push(&w, CALLER + 1);
	assert_int_equal(caller(&w), 0);
	world_init(&w, EM_X86_64, NO_ROW);
	set_reg(&w, RBP, STACK + 0x800);
	push(&w, CALLER + 1);
	assert_int_equal(caller(&w), 0);
}

/* The CFA after a frame pointer is 16 higher than the old one, as in libunwind. */
static void the_next_frame_pointer_is_the_saved_one(void **state)
{
	struct world w;
	uint64_t got[8];

	(void)state;
	world_init(&w, EM_X86_64, NO_ROW);
	set_reg(&w, RBP, STACK);
	push(&w, STACK + 24);
	push(&w, NO_ROW + 0x101);
	push(&w, 1);
	push(&w, 0);
	push(&w, CALLER + 4);
	assert_int_equal(run(&w, got), 3);
	assert_int_equal(got[1], NO_ROW + 0x100);
	assert_int_equal(got[2], CALLER + 3);
	world_end(&w);
	/* a saved pointer of 15 bytes above the stack pointer is below the new CFA */
	world_init(&w, EM_X86_64, NO_ROW);
	set_reg(&w, RBP, STACK);
	push(&w, STACK + 15);
	push(&w, NO_ROW + 0x101);
	push(&w, 1);
	push(&w, 2);
	push(&w, 3);
	assert_int_equal(run(&w, got), 2);
	world_end(&w);
	/* 16 bytes above it is the CFA itself */
	world_init(&w, EM_X86_64, NO_ROW);
	set_reg(&w, RBP, STACK);
	push(&w, STACK + 16);
	push(&w, NO_ROW + 0x101);
	push(&w, 1);
	push(&w, CALLER + 8);
	assert_int_equal(run(&w, got), 3);
	assert_int_equal(got[2], CALLER + 7);
	world_end(&w);
}

static void memory_is_the_dump_then_the_process(void **state)
{
	const struct unwind_process process = { .read = world_read };
	uint64_t words[3] = { htole64(1), htole64(2), htole64(3) };
	struct unwind_sample s = { .machine = EM_X86_64,
				   .stack = (const uint8_t *)words,
				   .stack_bytes = 24 };
	struct unwind_frame f;
	uint64_t v = 9;

	(void)state;
	s.regs[RSP] = STACK;
	unwind_start(&f, &s, &process);
	assert_true(unwind_memory(&f, STACK + 8, &v) && v == 2);
	/* the last word is never read */
	assert_false(unwind_memory(&f, STACK + 16, &v));
	assert_int_equal(v, 0);
	assert_false(unwind_memory(&f, STACK - 8, &v));
	assert_true(unwind_memory(&f, CODE, &v) && v == 0x1111111111111111);
	assert_true(unwind_memory(&f, UNKNOWN, &v) && v == 0);
	assert_int_equal(f.last_read, UNWIND_READ_NOTHING);
	assert_false(unwind_memory(&f, UINT64_MAX - 7, &v));
	assert_int_equal(f.last_read, UNWIND_READ_UNMAPPED);
	assert_true(unwind_memory(&f, STACK, &v) && v == 1);
	assert_int_equal(f.last_read, UNWIND_READ_OK);
	for (unsigned int i = 0; i < CFI_REGISTERS; i++)
		assert_true(f.kind[i] == UNWIND_NOWHERE && f.v[i] == 0);
	assert_false(unwind_register(&f, CFI_REGISTERS, &v));
	assert_true(unwind_register(&f, RSP, &v) && v == STACK);
}

/* A bad function pointer was called: no code can be read at the ip. */
static void a_call_to_nowhere_is_left_by_the_top_of_the_stack(void **state)
{
	struct world w;
	uint64_t got[8];

	(void)state;
	world_init(&w, EM_X86_64, NOWHERE);
	set_reg(&w, RBP, STACK + 8);
	ADD(&w, RSP, 8, { -8, RIP, CFI_OFFSET });
	push(&w, CODE + 1);
	push(&w, CALLER + 5);
	assert_int_equal(run(&w, got), 3);
	assert_int_equal(got[1], CODE);
	assert_int_equal(got[2], CALLER + 4);
	world_end(&w);
	/* the word on top is no address, or one of unknown content: the frame pointer decides */
	for (unsigned int is_unknown = 0; is_unknown < 2; is_unknown++) {
		world_init(&w, EM_X86_64, NOWHERE);
		set_reg(&w, RBP, STACK + 8);
		push(&w, is_unknown ? UNKNOWN : 3);
		push(&w, 4);
		push(&w, CALLER + 7);
		assert_int_equal(caller(&w), CALLER + 6);
	}
	/* the frame pointer 0 ends the stack of code only */
	world_init(&w, EM_X86_64, NOWHERE);
	set_reg(&w, RBP, 0);
	push(&w, CALLER + 5);
	assert_int_equal(caller(&w), CALLER + 4);
}

static void registers_of_perf_have_their_places(void **state)
{
	static const uint8_t dwarf[] = { 0, 3, 2, 1, 4, 5, 6, 7, 16 };
	uint64_t values[64];
	struct unwind_sample s;

	(void)state;
	for (size_t i = 0; i < 64; i++)
		values[i] = 100 + i;
	/* all of x86-64: the segment registers have no place */
	assert_true(unwind_take_regs(&s, 0xffffff, values, 24));
	assert_int_equal(s.machine, EM_X86_64);
	for (size_t i = 0; i < ARRAY_LEN(dwarf); i++)
		assert_int_equal(s.regs[dwarf[i]], 100 + i);
	for (size_t i = 8; i < 16; i++)
		assert_int_equal(s.regs[i], 108 + i);
	assert_int_equal(s.has_regs, 0x1ffff);
	/* only ip and sp; without one of them */
	assert_true(unwind_take_regs(&s, 0x180, values, 2));
	assert_int_equal(s.has_regs, UINT64_C(1) << RIP | UINT64_C(1) << RSP);
	assert_int_equal(s.regs[RSP], 100);
	assert_false(unwind_take_regs(&s, 0x100, values, 1));
	assert_false(unwind_take_regs(&s, 0x80, values, 1));
	assert_false(unwind_take_regs(&s, 0x180, values, 1)); /* the value of ip is missing */
	assert_false(unwind_take_regs(&s, 0x1000180, values, 3));
	assert_false(unwind_take_regs(&s, 0, values, 0));
	/* AArch64: registers in order */
	assert_true(unwind_take_regs(&s, UINT64_C(0x1ffffffff), values, 33));
	assert_int_equal(s.machine, EM_AARCH64);
	for (size_t i = 0; i <= PC; i++)
		assert_int_equal(s.regs[i], 100 + i);
	assert_int_equal(s.has_regs, UINT64_C(0x1ffffffff));
	assert_true(unwind_take_regs(&s, UINT64_C(0x180000000), values, 2));
	assert_false(unwind_take_regs(&s, UINT64_C(0x100000000), values, 1));
	assert_false(unwind_take_regs(&s, UINT64_C(0x380000000), values, 3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_return_address_comes_from_where_the_rule_says),
		cmocka_unit_test(registers_are_restored_for_the_caller),
		cmocka_unit_test(a_step_that_leads_nowhere_is_the_last),
		cmocka_unit_test(arm_returns_by_its_link_register),
		cmocka_unit_test(arm_signal_frames_save_the_interrupted_address),
		cmocka_unit_test(a_stub_of_the_linkage_table_is_left_by_the_top_of_the_stack),
		cmocka_unit_test(a_stub_is_known_by_four_bytes),
		cmocka_unit_test(a_frame_pointer_is_followed_within_its_distance),
		cmocka_unit_test(the_next_frame_pointer_is_the_saved_one),
		cmocka_unit_test(memory_is_the_dump_then_the_process),
		cmocka_unit_test(a_call_to_nowhere_is_left_by_the_top_of_the_stack),
		cmocka_unit_test(registers_of_perf_have_their_places),
	};

	return cmocka_run_group_tests_name("unwind_rows", tests, NULL, NULL);
}
