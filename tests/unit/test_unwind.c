/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/alloc.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"
#include "symbols/elf_symbols.h"
#include "symbols/symtab.h"
#include "symbols/unwind/cfi.h"
#include "symbols/unwind/unwind.h"

#include <elf.h>
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The tests use offsets of these instructions: push takes one byte, mov three, leave one. */
static const char assembly[] = ".text\n"
			       ".globl framed\n"
			       "framed: .cfi_startproc\n"
			       "push %rbp\n"
			       ".cfi_def_cfa_offset 16\n"
			       ".cfi_offset %rbp, -16\n"
			       "mov %rsp, %rbp\n"
			       ".cfi_def_cfa_register %rbp\n"
			       "push %rbx\n"
			       ".cfi_offset %rbx, -24\n"
			       ".cfi_remember_state\n"
			       "leave\n"
			       ".cfi_def_cfa %rsp, 8\n"
			       ".cfi_restore %rbp\n"
			       "ret\n"
			       ".cfi_restore_state\n"
			       "nop\n"
			       ".cfi_endproc\n"
			       ".globl outermost\n"
			       "outermost: .cfi_startproc\n"
			       ".cfi_undefined %rip\n"
			       "nop\n"
			       "nop\n"
			       ".cfi_endproc\n"
			       ".globl signalled\n"
			       "signalled: .cfi_startproc\n"
			       ".cfi_signal_frame\n"
			       "nop\n"
			       "nop\n"
			       ".cfi_endproc\n"
			       /* DW_CFA_def_cfa_expression: breg7 8, lit8, plus */
			       ".globl by_expression\n"
			       "by_expression: .cfi_startproc\n"
			       ".cfi_escape 0x0f, 4, 0x77, 8, 0x38, 0x22\n"
			       "nop\n"
			       "nop\n"
			       ".cfi_endproc\n"
			       ".globl bare\n"
			       "bare: nop\n"
			       "nop\n";

struct fixture {
	struct cfi *cfi;
	uint64_t framed, outermost, signalled, by_expression, bare;
};

static uint64_t symbol(const struct symtab *t, const char *name)
{
	VEC_FOREACH (e, &t->entries) {
		if (str_eq(symtab_name(t, e), str_of(name)))
			return e->start;
	}
	return 0;
}

/* Assemble and link; false if there is no x86-64 compiler. */
static bool build(struct fixture *f)
{
	char folder[] = "/tmp/assay-unwind-XXXXXX";
	char path[64];
	char command[256];
	struct elf_symbols e;
	FILE *out;
	bool is_built = false;

	if (!mkdtemp(folder))
		return false;
	(void)snprintf(path, sizeof(path), "%s/a.s", folder);
	out = fopen(path, "w");
	if (out) {
		(void)fputs(assembly, out);
		(void)fclose(out);
		(void)snprintf(command, sizeof(command),
			       "cd %s && cc -shared -nostdlib -o a.so a.s 2>/dev/null", folder);
		is_built = system(command) == 0;
	}
	(void)snprintf(path, sizeof(path), "%s/a.so", folder);
	if (is_built && elf_symbols_read(path, ELF_WHOLE, NULL, &e, NULL) == OK) {
		symtab_finish(&e.table, true);
		is_built = cfi_open(path, &f->cfi, NULL) == OK && f->cfi->machine == EM_X86_64;
		f->framed = symbol(&e.table, "framed");
		f->outermost = symbol(&e.table, "outermost");
		f->signalled = symbol(&e.table, "signalled");
		f->by_expression = symbol(&e.table, "by_expression");
		f->bare = symbol(&e.table, "bare");
		elf_symbols_fini(&e);
	}
	(void)snprintf(command, sizeof(command), "rm -r %s", folder);
	(void)!system(command);
	return is_built;
}

static int setup(void **state)
{
	static struct fixture f;

	(void)state;
	unit_state = build(&f) ? &f : NULL;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = unit_state;

	(void)state;
	if (f)
		cfi_free(f->cfi);
	return 0;
}

static const struct cfi_row *row_at(struct fixture *f, uint64_t address)
{
	uint32_t row = cfi_find(f->cfi, address);

	assert_int_not_equal(row, INDEX_NONE);
	return &f->cfi->rows.data[row];
}

/* Offset from the CFA at which @reg is saved; 1: no rule. */
static int saved_at(struct fixture *f, const struct cfi_row *row, unsigned int reg)
{
	for (uint32_t i = 0; i < row->n_rules; i++) {
		const struct cfi_rule *rule = &f->cfi->rules.data[row->first_rule + i];

		if (rule->reg == reg)
			return rule->value;
	}
	return 1;
}

static void rows_follow_the_prologue(void **state)
{
	struct fixture *f = *state;
	const struct cfi_row *row;

	if (!f)
		SKIP_TEST("no x86-64 compiler here");
	row = row_at(f, f->framed);
	assert_int_equal(row->cfa_reg, 7);
	assert_int_equal(row->cfa_value, 8);
	assert_int_equal(saved_at(f, row, 16), -8);
	assert_int_equal(saved_at(f, row, 6), 1);
	row = row_at(f, f->framed + 1);
	assert_int_equal(row->cfa_value, 16);
	assert_int_equal(saved_at(f, row, 6), -16);
	row = row_at(f, f->framed + 4);
	assert_int_equal(row->cfa_reg, 6);
	assert_int_equal(row->cfa_value, 16);
	row = row_at(f, f->framed + 5);
	assert_int_equal(saved_at(f, row, 3), -24);
}

static void rows_forget_and_remember(void **state)
{
	struct fixture *f = *state;
	const struct cfi_row *row;

	if (!f)
		SKIP_TEST("no x86-64 compiler here");
	row = row_at(f, f->framed + 6); /* ret */
	assert_int_equal(row->cfa_reg, 7);
	assert_int_equal(row->cfa_value, 8);
	assert_int_equal(saved_at(f, row, 6), 1);
	row = row_at(f, f->framed + 7);
	assert_int_equal(row->cfa_reg, 6);
	assert_int_equal(saved_at(f, row, 6), -16);
	assert_int_equal(saved_at(f, row, 3), -24);
}

static bool has_no_frame(const struct fixture *f, uint64_t address)
{
	uint32_t row = cfi_find(f->cfi, address);

	assert_true(row != INDEX_NONE);
	return cfi_has_no_frame(f->cfi, row);
}

static void a_function_has_no_frame_before_it_makes_one_and_after_it_drops_it(void **state)
{
	const struct fixture *f = *state;

	if (!f)
		SKIP_TEST("no x86-64 compiler");
	assert_true(has_no_frame(f, f->framed));
	assert_true(has_no_frame(f, f->framed + 1)); /* %rbp is pushed but unchanged */
	assert_false(has_no_frame(f, f->framed + 4));
	assert_false(has_no_frame(f, f->framed + 5));
	assert_true(has_no_frame(f, f->framed + 6)); /* at the ret instruction */
	assert_true(has_no_frame(f, f->by_expression));
	/* functions without a caller */
	assert_false(has_no_frame(f, f->outermost));
	assert_false(has_no_frame(f, f->signalled));
}

static void code_without_a_program_has_no_row(void **state)
{
	struct fixture *f = *state;

	if (!f)
		SKIP_TEST("no x86-64 compiler here");
	assert_int_equal(cfi_find(f->cfi, f->bare), INDEX_NONE);
	assert_int_equal(cfi_find(f->cfi, 0), INDEX_NONE);
	assert_int_equal(cfi_find(f->cfi, UINT64_MAX), INDEX_NONE);
	assert_true(row_at(f, f->signalled)->is_signal);
	assert_false(row_at(f, f->framed)->is_signal);
}

/* A process with only the module, at its load address. */
static struct unwind_place place_in_module(void *context, uint64_t address)
{
	struct fixture *f = context;

	if (address > UINT16_MAX)
		return (struct unwind_place){ NULL, INDEX_NONE };
	return (struct unwind_place){ f->cfi, cfi_find(f->cfi, address), true };
}

static enum unwind_read read_nothing(void *context, uint64_t address, uint64_t *ret)
{
	(void)context;
	*ret = 0;
	return address > UINT16_MAX ? UNWIND_READ_UNMAPPED : UNWIND_READ_OK;
}

static enum unwind_read read_unrecorded(void *context, uint64_t address, uint64_t *ret)
{
	(void)context;
	(void)address;
	*ret = 0;
	return UNWIND_READ_NOTHING;
}

#define STACK UINT64_C(0x7fff0000)

/* Code from this address on has no call frame information, as that of a JIT. */
#define JIT UINT64_C(0x8000)

static struct unwind_place place_with_jit(void *context, uint64_t address)
{
	if (address >= JIT && address <= UINT16_MAX)
		return (struct unwind_place){ NULL, INDEX_NONE, true };
	return place_in_module(context, address);
}

/*
 * In the module, an unknown call ends at `outermost` + 1, a call of `bare` at `outermost` + 2. Code
 * of the JIT cannot be read.
 */
static enum unwind_call judge_call(void *context, uint64_t address, uint64_t to)
{
	const struct fixture *f = context;

	if (address > UINT16_MAX || address < 0x100)
		return UNWIND_CALL_NONE;
	if (address >= JIT)
		return UNWIND_CALL_UNSEEN;
	if (address == f->outermost + 2 && to == f->bare)
		return UNWIND_CALL_TO;
	return address == f->outermost + 1 ? UNWIND_CALL_ANY : UNWIND_CALL_NONE;
}

static size_t unwind_mix_up_to(struct fixture *f, uint64_t ip, uint64_t rbp, const uint64_t *words,
			       size_t n, struct unwind_chain fp, uint64_t *ret, size_t max)
{
	struct unwind_process process = {
		.context = f, .place = place_with_jit, .read = read_nothing, .call = judge_call
	};
	struct unwind_sample s = { .machine = EM_X86_64,
				   .has_regs = 1u << 16 | 1u << 7 | 1u << 6,
				   .stack_bytes = n * 8 };
	uint64_t stack[64];

	assert_true(n <= ARRAY_LEN(stack));
	for (size_t i = 0; i < n; i++)
		stack[i] = htole64(words[i]);
	s.stack = (const uint8_t *)stack;
	s.regs[16] = ip;
	s.regs[7] = STACK;
	s.regs[6] = rbp;
	return unwind_mixed(&s, &process, fp, ret, max);
}

static size_t unwind_mix(struct fixture *f, uint64_t ip, uint64_t rbp, const uint64_t *words,
			 size_t n, struct unwind_chain fp, uint64_t *ret)
{
	return unwind_mix_up_to(f, ip, rbp, words, n, fp, ret, 16);
}

static const struct unwind_chain no_chain = { NULL, 0 };

static void a_leaf_without_rows_is_left_by_the_call_that_leads_to_it(void **state)
{
	struct fixture *f = *state;
	uint64_t got[16];

	if (!f)
		SKIP_TEST("no x86-64 compiler here");
	/* two pushed words, one of which looks like another return address */
	const uint64_t words[] = { 3, f->outermost + 1, f->outermost + 2, 0, 0, 0 };

	assert_int_equal(unwind_mix(f, f->bare, 0, words, 6, no_chain, got), 2);
	assert_int_equal(got[1], f->outermost + 1);
}

static void a_word_after_no_call_is_not_a_caller(void **state)
{
	struct fixture *f = *state;
	uint64_t got[16];

	if (!f)
		SKIP_TEST("no x86-64 compiler here");
	const uint64_t words[] = { f->framed + 5, f->outermost + 1, 3, 4, 0, 0 };

	/* the return address of an unknown call is accepted only at the top of the stack */
	assert_int_equal(unwind_mix(f, f->bare, 0, words, 6, no_chain, got), 1);
	assert_int_equal(unwind_mix(f, f->bare, 0, words + 1, 5, no_chain, got), 2);
	assert_int_equal(got[1], f->outermost);
}

static void code_of_a_jit_is_left_by_its_frame_pointer(void **state)
{
	struct fixture *f = *state;
	uint64_t got[16];

	if (!f)
		SKIP_TEST("no x86-64 compiler here");
	const uint64_t words[] = { 1, 2, STACK + 32, JIT + 8, 0, f->outermost + 1, 0, 0 };

	assert_int_equal(unwind_mix(f, JIT, STACK + 16, words, 8, no_chain, got), 3);
	assert_int_equal(got[1], JIT + 7);
	assert_int_equal(got[2], f->outermost);
	/* a frame pointer below the stack pointer, or not aligned, is data */
	assert_int_equal(unwind_mix(f, JIT, STACK - 16, words, 8, no_chain, got), 1);
	assert_int_equal(unwind_mix(f, JIT, STACK + 20, words, 8, no_chain, got), 1);
}

static void a_stub_in_a_jit_keeps_the_frame_pointer_of_its_caller(void **state)
{
	struct fixture *f = *state;
	uint64_t got[16];

	if (!f)
		SKIP_TEST("no x86-64 compiler here");
	/*
	 * framed was called by a stub that only aligns the stack, which was called by code with
	 * rows
	 */
	const uint64_t words[] = { JIT + 8, 0, f->outermost + 1, 0, 0, 0 };

	assert_int_equal(unwind_mix(f, f->framed, 5, words, 6, no_chain, got), 3);
	assert_int_equal(got[1], JIT + 7);
	assert_int_equal(got[2], f->outermost);
}

static void the_kernels_chain_continues_where_the_copy_ends(void **state)
{
	struct fixture *f = *state;
	uint64_t got[16];

	if (!f)
		SKIP_TEST("no x86-64 compiler here");
	/* framed was called from framed, whose frame is not in the copy */
	const uint64_t words[] = { f->framed + 5, 7, 7 };
	const uint64_t same[] = { f->framed, f->framed + 5, f->outermost + 1, 0x30, JIT };
	const uint64_t other[] = { f->framed, JIT + 8, f->outermost + 1 };

	assert_int_equal(unwind_mix(f, f->framed, STACK + 800, words, 3,
				    (struct unwind_chain){ same, 5 }, got),
			 3);
	assert_int_equal(got[2], f->outermost);
	assert_int_equal(unwind_mix(f, f->framed, STACK + 800, words, 3,
				    (struct unwind_chain){ other, 3 }, got),
			 2);
}

static void a_mixed_chain_ends_at_the_limit(void **state)
{
	struct fixture *f = *state;

	if (!f)
		SKIP_TEST("no x86-64 compiler here");
	/* three frames: two from the copied stack, the last from the kernel's chain */
	const uint64_t words[] = { f->framed + 5, 7, 7 };
	const uint64_t chain[] = { f->framed, f->framed + 5, f->outermost + 1 };

	for (size_t max = 1; max <= 4; max++) {
		uint64_t got[5] = { 1, 1, 1, 1, 1 };
		size_t n = unwind_mix_up_to(f, f->framed, STACK + 800, words, 3,
					    (struct unwind_chain){ chain, 3 }, got, max);

		assert_int_equal(n, max < 3 ? max : 3);
		assert_int_equal(got[n], 1);
	}
}

static void nothing_is_above_the_outermost_frame(void **state)
{
	struct fixture *f = *state;
	uint64_t got[16];

	if (!f)
		SKIP_TEST("no x86-64 compiler here");
	const uint64_t words[] = { 1, 2, 3 };
	const uint64_t chain[] = { f->outermost, f->outermost + 1 };

	assert_int_equal(
		unwind_mix(f, f->outermost, 0, words, 3, (struct unwind_chain){ chain, 2 }, got),
		1);
}

static size_t unwind_words(struct fixture *f, uint64_t ip, uint64_t rbp, const uint64_t *words,
			   size_t n, bool is_mapped, uint64_t *ret)
{
	struct unwind_process process = {
		.context = f,
		.place = place_in_module,
		.read = is_mapped ? read_unrecorded : read_nothing,
	};
	struct unwind_sample s = { .machine = EM_X86_64,
				   .has_regs = 1u << 16 | 1u << 7 | 1u << 6,
				   .stack_bytes = n * 8 };
	uint64_t stack[64]; /* content of the stack, which begins at STACK in the process */

	assert_true(n <= ARRAY_LEN(stack));
	for (size_t i = 0; i < n; i++)
		stack[i] = htole64(words[i]);
	s.stack = (const uint8_t *)stack;
	s.regs[16] = ip;
	s.regs[7] = STACK;
	s.regs[6] = rbp;
	return unwind_run(&s, &process, ret, 16);
}

static void callers_are_the_calls_and_not_what_follows(void **state)
{
	struct fixture *f = *state;
	uint64_t got[16];

	if (!f)
		SKIP_TEST("no x86-64 compiler here");
	/* framed, called by framed after its prologue, which was called by outermost */
	const uint64_t words[] = { f->framed + 5, 7, STACK + 64, f->outermost + 1, 0, 0, 0 };

	assert_int_equal(unwind_words(f, f->framed, STACK + 16, words, 7, false, got), 3);
	assert_int_equal(got[0], f->framed);
	assert_int_equal(got[1], f->framed + 4);
	assert_int_equal(got[2], f->outermost);
}

static void an_interrupted_place_is_not_a_call(void **state)
{
	struct fixture *f = *state;
	uint64_t got[16];

	if (!f)
		SKIP_TEST("no x86-64 compiler here");
	const uint64_t words[] = { f->framed, f->outermost + 1, 0, 0 };

	assert_int_equal(unwind_words(f, f->signalled, 0, words, 4, false, got), 3);
	assert_int_equal(got[1], f->framed);
	assert_int_equal(got[2], f->outermost);
}

static void an_expression_says_where_the_frame_is(void **state)
{
	struct fixture *f = *state;
	uint64_t got[16];

	if (!f)
		SKIP_TEST("no x86-64 compiler here");
	const uint64_t words[] = { 1, f->outermost + 1, 2, 3 };

	assert_int_equal(unwind_words(f, f->by_expression, 0, words, 4, false, got), 2);
	assert_int_equal(got[1], f->outermost);
}

static void the_end_of_the_copied_stack_is_seen(void **state)
{
	struct fixture *f = *state;
	uint64_t got[16];

	if (!f)
		SKIP_TEST("no x86-64 compiler here");
	const uint64_t words[] = { f->framed + 5, 7 };

	/* the caller's saved words are beyond the copied stack: readable memory, or none */
	assert_int_equal(unwind_words(f, f->framed, STACK + 16, words, 2, true, got), 3);
	assert_int_equal(got[2], UINT64_MAX);
	assert_int_equal(unwind_words(f, f->framed, STACK + 16, words, 2, false, got), 2);
}

static void code_without_a_row_may_have_a_frame_pointer(void **state)
{
	struct fixture *f = *state;
	uint64_t got[16];

	if (!f)
		SKIP_TEST("no x86-64 compiler here");
	const uint64_t words[] = { 9, 0, f->outermost + 1, 0, 0 };

	assert_int_equal(unwind_words(f, f->bare, STACK + 8, words, 5, false, got), 2);
	assert_int_equal(got[1], f->outermost);
	/* a frame cannot be below the stack pointer */
	assert_int_equal(unwind_words(f, f->bare, STACK - 8, words, 5, false, got), 1);
}

static void no_frame_of_a_stack_that_goes_round_is_shown_for_ever(void **state)
{
	struct fixture *f = *state;
	uint64_t words[64];
	uint64_t got[16];

	if (!f)
		SKIP_TEST("no x86-64 compiler here");
	for (size_t i = 0; i < 64; i++)
		words[i] = f->framed + 1;
	assert_int_equal(unwind_words(f, f->framed, 0, words, 64, false, got), 16);
}

static void registers_are_put_by_their_dwarf_numbers(void **state)
{
	uint64_t values[24];
	struct unwind_sample s;

	(void)state;
	for (size_t i = 0; i < 24; i++)
		values[i] = i;
	assert_true(unwind_take_regs(&s, 0xff0fff, values, 20));
	assert_int_equal(s.machine, EM_X86_64);
	assert_int_equal(s.regs[3], 1);   /* bx */
	assert_int_equal(s.regs[6], 6);   /* bp */
	assert_int_equal(s.regs[16], 8);  /* ip */
	assert_int_equal(s.regs[15], 19); /* r15, after the missing segment registers */
	assert_false(unwind_take_regs(&s, 0x7f, values, 7));
	assert_true(unwind_take_regs(&s, (UINT64_C(1) << 33) - 1, values, 24) == false);
}

/* Whether two rows are equal. Their numbers may differ, since rows are created on demand. */
static bool same_row(const struct cfi *a, uint32_t x, const struct cfi *b, uint32_t y)
{
	const struct cfi_row *p;
	const struct cfi_row *q;

	if (x == INDEX_NONE || y == INDEX_NONE)
		return x == y;
	p = &a->rows.data[x];
	q = &b->rows.data[y];
	if (p->start != q->start || p->cfa_reg != q->cfa_reg || p->cfa_value != q->cfa_value ||
	    p->n_rules != q->n_rules || p->is_signal != q->is_signal)
		return false;
	for (uint32_t i = 0; i < p->n_rules; i++) {
		const struct cfi_rule *r = &a->rules.data[p->first_rule + i];
		const struct cfi_rule *t = &b->rules.data[q->first_rule + i];

		if (r->value != t->value || r->reg != t->reg || r->kind != t->kind)
			return false;
	}
	return true;
}

static void the_linkers_table_leads_to_the_rows_that_all_entries_have(void **state)
{
	struct cfi *by_table;
	struct cfi *all;
	uint64_t end;

	(void)state;
	if (cfi_open("/proc/self/exe", &by_table, NULL) != OK || !by_table->table.n)
		SKIP_TEST("this program has no such table");
	assert_int_equal(by_table->functions.len, 0);
	assert_int_equal(cfi_open("/proc/self/exe", &all, NULL), OK);
	cfi_read_all(all);
	assert_true(all->functions.len > 20);
	end = all->functions.data[all->functions.len - 1].end;
	for (uint64_t a = all->functions.data[0].start - 64; a < end + 64; a += 5)
		assert_true(same_row(by_table, cfi_find(by_table, a), all, cfi_find(all, a)));
	assert_true(by_table->table.n > 0);
	assert_true(by_table->functions.len <= all->functions.len);
	cfi_free(by_table);
	cfi_free(all);
}

static void a_table_that_is_wrong_is_not_believed(void **state)
{
	struct cfi *c;
	struct cfi *all;
	CLEANUP(freep) uint8_t *entries = NULL;
	uint64_t at;
	size_t len;

	(void)state;
	if (cfi_open("/proc/self/exe", &c, NULL) != OK || !c->table.n)
		SKIP_TEST("this program has no such table");
	assert_int_equal(cfi_open("/proc/self/exe", &all, NULL), OK);
	cfi_read_all(all);
	len = (size_t)c->table.n * 8;
	entries = xmalloc(len);
	memcpy(entries, c->table.entries, len);
	/* wrong offsets: to other entries, and beyond the section */
	for (size_t i = 0; i < len; i += 8)
		entries[i + 4 + i / 8 % 4] ^= 0x48;
	c->table.entries = entries;
	at = all->functions.data[all->functions.len / 2].start;
	assert_true(same_row(c, cfi_find(c, at), all, cfi_find(all, at)));
	assert_int_equal(c->table.n, 0);
	assert_int_equal(c->functions.len, all->functions.len);
	cfi_free(c);
	cfi_free(all);
}

static void a_table_of_another_kind_is_left_alone(void **state)
{
	static const uint8_t headers[][20] = {
		{ 2, 0x1b, 0x03, 0x3b, 0, 0, 0, 0, 1 },
		{ 1, 0x1b, 0x03, 0x0b, 0, 0, 0, 0, 1 },
		{ 1, 0x1b, 0x03, 0x3b, 0, 0, 0, 0, 0 },
		{ 1, 0x1b, 0x03, 0x3b, 0, 0, 0, 0, 2 }, /* two entries are claimed, one fits */
		{ 1, 0x1b, 0x03, 0x3b, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff },
	};
	struct cfi c = { .len = 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(headers); i++)
		cfi_table_open(&c, headers[i], sizeof(headers[i]));
	cfi_table_open(&c, headers[0], 3);
	assert_int_equal(c.table.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_follow_the_prologue),
		cmocka_unit_test(rows_forget_and_remember),
		cmocka_unit_test(a_function_has_no_frame_before_it_makes_one_and_after_it_drops_it),
		cmocka_unit_test(code_without_a_program_has_no_row),
		cmocka_unit_test(callers_are_the_calls_and_not_what_follows),
		cmocka_unit_test(an_interrupted_place_is_not_a_call),
		cmocka_unit_test(an_expression_says_where_the_frame_is),
		cmocka_unit_test(the_end_of_the_copied_stack_is_seen),
		cmocka_unit_test(code_without_a_row_may_have_a_frame_pointer),
		cmocka_unit_test(no_frame_of_a_stack_that_goes_round_is_shown_for_ever),
		cmocka_unit_test(a_leaf_without_rows_is_left_by_the_call_that_leads_to_it),
		cmocka_unit_test(a_word_after_no_call_is_not_a_caller),
		cmocka_unit_test(code_of_a_jit_is_left_by_its_frame_pointer),
		cmocka_unit_test(a_stub_in_a_jit_keeps_the_frame_pointer_of_its_caller),
		cmocka_unit_test(the_kernels_chain_continues_where_the_copy_ends),
		cmocka_unit_test(a_mixed_chain_ends_at_the_limit),
		cmocka_unit_test(nothing_is_above_the_outermost_frame),
		cmocka_unit_test(registers_are_put_by_their_dwarf_numbers),
		cmocka_unit_test(the_linkers_table_leads_to_the_rows_that_all_entries_have),
		cmocka_unit_test(a_table_that_is_wrong_is_not_believed),
		cmocka_unit_test(a_table_of_another_kind_is_left_alone),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
