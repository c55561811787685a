/* SPDX-License-Identifier: MIT */
/* Kinds of instructions of x86 and Arm, and the instruction that makes another one hot. */
#include "unit.h"

#include "analyses/instruction.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/kinds/code.h"
#include "core/strings.h"

static const struct {
	const char *text;
	enum instruction_kind kind;
} rows[] = {
	{ "lock add %rax,(%rdi)", INSTRUCTION_ATOMIC },
	{ "LOCK XADD %eax,(%rdi)", INSTRUCTION_ATOMIC },
	{ "xchg %rax,(%rdi)", INSTRUCTION_ATOMIC },
	{ "xchg %ax,%ax", INSTRUCTION_OTHER },
	{ "xchg rax,[rdi]", INSTRUCTION_ATOMIC },
	{ "cmpxchg %ecx,(%rdi)", INSTRUCTION_ATOMIC },
	{ "idiv %ecx", INSTRUCTION_DIVIDE },
	{ "divq 8(%rsp)", INSTRUCTION_DIVIDE },
	{ "vdivsd %xmm0,%xmm1,%xmm2", INSTRUCTION_DIVIDE },
	{ "sqrtsd %xmm0,%xmm1", INSTRUCTION_SQRT },
	{ "pause", INSTRUCTION_PAUSE },
	{ "PAUSE", INSTRUCTION_PAUSE },
	{ "STAC", INSTRUCTION_USER_ACCESS },
	{ "IDIV ecx", INSTRUCTION_DIVIDE },
	{ "rep movsb %ds:(%rsi),%es:(%rdi)", INSTRUCTION_COPY },
	{ "rep stos %al,(%rdi)", INSTRUCTION_FILL },
	{ "repz ret", INSTRUCTION_OTHER },
	{ "bnd jmp *%rax", INSTRUCTION_INDIRECT },
	{ "notrack jmp *%rax", INSTRUCTION_INDIRECT },
	{ "bnd call foo", INSTRUCTION_OTHER },
	{ "mfence", INSTRUCTION_FENCE },
	{ "rdtsc", INSTRUCTION_SERIALIZE },
	{ "stac", INSTRUCTION_USER_ACCESS },
	{ "syscall", INSTRUCTION_SYSCALL },
	{ "in (%dx),%al", INSTRUCTION_DEVICE },
	{ "sti", INSTRUCTION_INTERRUPTS_ON },
	{ "hlt", INSTRUCTION_HALT },
	{ "vpgatherdd (%rax),%ymm0", INSTRUCTION_GATHER },
	{ "call *0x8(%rax)", INSTRUCTION_INDIRECT },
	{ "callq *%rax", INSTRUCTION_INDIRECT },
	{ "call __x86_indirect_thunk_rax", INSTRUCTION_INDIRECT },
	{ "jmp foo", INSTRUCTION_OTHER },
	{ "jmp *(%rax)", INSTRUCTION_INDIRECT },
	{ "mov (%rdi),%rax", INSTRUCTION_LOAD },
	{ "mov %rax,(%rdi)", INSTRUCTION_OTHER },
	{ "mov rax,[rdi]", INSTRUCTION_LOAD },
	{ "mov [rdi],rax", INSTRUCTION_OTHER },
	{ "mov 0x8(%rdi,%rax,8),%rcx ## 0x10", INSTRUCTION_LOAD },
	{ "mov 0x8(%rip),%rax # 0x1234 <x>", INSTRUCTION_LOAD },
	{ "mov %rax,0x8(%rip) # 0x1234 (x)", INSTRUCTION_OTHER },
	{ "mov %gs:0x28,%rax", INSTRUCTION_LOAD },
	{ "mov %fs:0x28,%rax", INSTRUCTION_LOAD },
	{ "mov %rax,%gs:0x28", INSTRUCTION_OTHER },
	{ "mov %rax,%rcx", INSTRUCTION_OTHER },
	{ "cmp %gs:0x1,%rax", INSTRUCTION_LOAD },
	{ "cmp %gs:0x1,%fs:0x2", INSTRUCTION_OTHER },
	{ "xor %gs:0x28,%rax", INSTRUCTION_OTHER },
	{ "add %gs:0x10,%rax", INSTRUCTION_LOAD },
	{ "sub %fs:0x10,%rax", INSTRUCTION_LOAD },
	{ "add $1,%gs:0x10", INSTRUCTION_OTHER },
	{ "lea (%rdi),%rax", INSTRUCTION_OTHER },
	{ "nopw 0x0(%rax)", INSTRUCTION_OTHER },
	{ "prefetcht0 (%rdi)", INSTRUCTION_OTHER },
	{ "cmp (%rdi),%rax", INSTRUCTION_LOAD },
	{ "add %rax,(%rdi)", INSTRUCTION_LOAD },
	{ "ldr x0, [x1]", INSTRUCTION_LOAD },
	{ "ldp x0, x1, [sp]", INSTRUCTION_LOAD },
	{ "str x0, [x1]", INSTRUCTION_OTHER },
	{ "stp x0, x1, [sp]", INSTRUCTION_OTHER },
	{ "ldxr x0, [x1]", INSTRUCTION_ATOMIC },
	{ "cas x0, x1, [x2]", INSTRUCTION_ATOMIC },
	{ "vmovdqu (%rsi),%ymm0", INSTRUCTION_LOAD },
	{ "vmovdqu %ymm0,(%rsi)", INSTRUCTION_OTHER },
	{ "sete (%rax)", INSTRUCTION_OTHER },
	{ "test %eax,(%rax)", INSTRUCTION_LOAD },
	{ "jne 0x12(%rip)", INSTRUCTION_OTHER },
	{ "b.ne foo", INSTRUCTION_OTHER },
	{ "ld a0,8(sp)", INSTRUCTION_LOAD },
	{ "lw a0,8(sp)", INSTRUCTION_LOAD },
	{ "averyveryverylongmnemonicx (%rax)", INSTRUCTION_LOAD },
	{ "averyveryverylongmnemonic (%rax)", INSTRUCTION_LOAD },
	{ "", INSTRUCTION_OTHER },
	{ "   ", INSTRUCTION_OTHER },
	{ "ret", INSTRUCTION_OTHER },
	{ "retq", INSTRUCTION_OTHER },
	{ "data16 cs nopw (%rax)", INSTRUCTION_OTHER },
	{ "dmb ish", INSTRUCTION_FENCE },
	{ "isb", INSTRUCTION_SERIALIZE },
	{ "wfi", INSTRUCTION_HALT },
	{ "svc #0", INSTRUCTION_SYSCALL },
	{ ")mov", INSTRUCTION_OTHER },
	{ "]add", INSTRUCTION_OTHER },
	{ "zmov (%rax),%rcx", INSTRUCTION_LOAD },
};

static void kinds_follow_from_mnemonics_and_operands(void **state)
{
	size_t wrong = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		enum instruction_kind kind = instruction_kind_of(str_of(rows[i].text));

		if (kind == rows[i].kind)
			continue;
		print_error("%s: %u, not %u\n", rows[i].text, kind, rows[i].kind);
		wrong++;
	}
	assert_int_equal(wrong, 0);
}

/* Lines of code, '*' before the hot one; a line of source begins with '#'. */
static const struct {
	const char *code;
	enum instruction_kind kind;
	unsigned int row;
	char why; /* s: skid, o: operand, else ' ' */
} blames[] = {
	{ "*mov %rax,%rcx", INSTRUCTION_OTHER, 0, ' ' },
	{ "*mov (%rdi),%rax", INSTRUCTION_LOAD, 0, ' ' },
	{ "*mov (%rax),%rax", INSTRUCTION_CHASE, 0, ' ' },
	{ "*mov 8(%rax),%eax", INSTRUCTION_CHASE, 0, ' ' },
	{ "*mov 8(%r10),%r10d", INSTRUCTION_CHASE, 0, ' ' },
	{ "*mov 8(%r1),%r10d", INSTRUCTION_LOAD, 0, ' ' },
	{ "*ldr x10, [x10, 8]", INSTRUCTION_CHASE, 0, ' ' },
	{ "*cmp (%rax),%rax", INSTRUCTION_LOAD, 0, ' ' },
	{ "mov (%rdi),%rax;*mov (%rax),%rcx", INSTRUCTION_CHASE, 1, ' ' },
	{ "mov (%rdi),%rax;nop;nop;*mov (%rax),%rcx", INSTRUCTION_CHASE, 3, ' ' },
	{ "mov (%rdi),%rax;nop;nop;nop;*mov (%rax),%rcx", INSTRUCTION_LOAD, 4, ' ' },
	{ "mov (%rdi),%rax;#a;#b;#c;*mov (%rax),%rcx", INSTRUCTION_CHASE, 4, ' ' },
	{ "mov (%rdi),%rax;*add %rax,%rcx", INSTRUCTION_LOAD, 0, 'o' },
	{ "mov (%rdi),%rax;*add %eax,%ecx", INSTRUCTION_LOAD, 0, 'o' },
	{ "mov (%rdi),%rax;*add %rbx,%rcx", INSTRUCTION_OTHER, 1, ' ' },
	{ "cmp (%rdi),%rax;*jne 0x40", INSTRUCTION_LOAD, 0, 'o' },
	{ "cmp (%rdi),%rax;nop;*jne 0x40", INSTRUCTION_OTHER, 2, ' ' },
	{ "cmp (%rdi),%rax;*sete %al", INSTRUCTION_OTHER, 1, ' ' },
	{ "mov (%rdi),%rax;*jne 0x40", INSTRUCTION_OTHER, 1, ' ' },
	/* the load of an operand walks a list: an earlier load replaced its own address */
	{ "mov (%rdi),%rdi;add $1,%rax;test %rdi,%rdi;je 0x40;cmp %rsi,8(%rdi);*jne 0x10",
	  INSTRUCTION_CHASE, 4, 'o' },
	{ "mov (%rdi),%rdi;*test %rdi,%rdi", INSTRUCTION_CHASE, 0, 'o' },
	{ "mov (%rdi),%rdi;nop;nop;nop;nop;nop;nop;nop;*add 8(%rdi),%rax", INSTRUCTION_CHASE, 8,
	  ' ' },
	{ "mov (%rdi),%rdi;nop;nop;nop;nop;nop;nop;nop;nop;*add 8(%rdi),%rax", INSTRUCTION_LOAD, 9,
	  ' ' },
	/* no walk: another write of the register, code after a jump, a call, an array */
	{ "mov (%rdi),%rdi;add $8,%rdi;nop;nop;cmp %rsi,8(%rdi);*jne 0x10", INSTRUCTION_LOAD, 4,
	  'o' },
	{ "mov (%rdi),%rdi;jmp 0x10;nop;nop;cmp %rsi,8(%rdi);*jne 0x10", INSTRUCTION_LOAD, 4, 'o' },
	{ "mov (%rdi),%rdi;call 0x10;nop;nop;cmp %rsi,8(%rdi);*jne 0x10", INSTRUCTION_LOAD, 4,
	  'o' },
	{ "mov (%rdi),%rdi;nop;nop;nop;cmp %rsi,(%rdi,%rax,8);*jne 0x10", INSTRUCTION_LOAD, 4,
	  'o' },
	/* the frame of the function is in the cache */
	{ "mov (%rdi),%rsp;nop;nop;nop;cmp %rsi,8(%rsp);*jne 0x10", INSTRUCTION_OTHER, 5, ' ' },
	{ "mov -0x8(%rbp),%rax;*add %rax,%rcx", INSTRUCTION_OTHER, 1, ' ' },
	{ "mov 0x8(%rbp),%rax;*add %rax,%rcx", INSTRUCTION_LOAD, 0, 'o' },
	{ "*mov -0x8(%rsp),%eax", INSTRUCTION_OTHER, 0, ' ' },
	{ "*mov -0x8(%rsp,%rcx,4),%eax", INSTRUCTION_LOAD, 0, ' ' },
	/* an index that is loaded: a walk by numbers, or an element of an array */
	{ "*mov (%rsi,%rdx,4),%edx;add %edx,%eax", INSTRUCTION_CHASE, 0, ' ' },
	{ "lea 1(%rcx),%edx;*mov (%rsi,%rdx,4),%edx", INSTRUCTION_LOAD, 1, ' ' },
	{ "*mov (%rsi,%rdx,4),%edx;add %edx,%eax;lea 1(%rcx),%edx", INSTRUCTION_LOAD, 0, ' ' },
	{ "lea 1(%rcx),%edx;*mov (%rdx,%rsi,4),%edx", INSTRUCTION_CHASE, 1, ' ' },
	{ "div %rcx;*mov %rax,%rdx", INSTRUCTION_DIVIDE, 0, 's' },
	{ "lock incl (%rdi);*div %rcx", INSTRUCTION_ATOMIC, 0, 's' },
	{ "lock incl (%rdi);nop;*div %rcx", INSTRUCTION_DIVIDE, 2, ' ' },
	{ "lock incl (%rdi);*rep movsb %ds:(%rsi),%es:(%rdi)", INSTRUCTION_COPY, 1, ' ' },
	{ "lock incl (%rdi);*rep stos %al,(%rdi)", INSTRUCTION_FILL, 1, ' ' },
	{ "mov (%rdi),%rax;*rep movsb %ds:(%rsi),%es:(%rdi)", INSTRUCTION_COPY, 1, ' ' },
	{ "mov (%rdi),%rax;*call *%rax", INSTRUCTION_INDIRECT, 1, ' ' },
};

static void the_slow_instruction_may_be_an_earlier_one(void **state)
{
	size_t wrong = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(blames); i++) {
		CLEANUP(dossier_freep) struct dossier *d = dossier_new();
		struct capture *c = dossier_add(d, "code-listing");
		struct str rest = str_of(blames[i].code);
		struct code_function f = { .first = 1 };
		struct instruction_blame b;
		struct code code = { 0 };
		uint32_t hot = 0;

		c->code = &code;
		/* a row of the function before */
		VEC_PUSH(&code.rows)->text = strings_add(capture_strings(c), STR("div %rcx"));
		while (rest.len) {
			struct str line = str_sub(rest, 0, str_find_char(rest, ';'));
			struct code_row *row = VEC_PUSH(&code.rows);

			rest = str_skip(rest, line.len + 1);
			memset(row, 0, sizeof(*row));
			if (str_take(&line, STR("*")))
				hot = (uint32_t)code.rows.len - 1;
			row->is_source = str_take(&line, STR("#"));
			row->text = strings_add(capture_strings(c), line);
		}
		f.n = (uint32_t)code.rows.len - f.first;
		b = instruction_blame(c->code, capture_strings(c), &f, hot);
		if (b.kind != blames[i].kind || b.row != blames[i].row + 1 ||
		    b.is_skid != (blames[i].why == 's') || b.is_operand != (blames[i].why == 'o')) {
			print_error("%s: kind %u, row %u\n", blames[i].code, b.kind, b.row - 1);
			wrong++;
		}
		c->code = NULL;
		VEC_FREE(&code.rows);
	}
	assert_int_equal(wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds_follow_from_mnemonics_and_operands),
		cmocka_unit_test(the_slow_instruction_may_be_an_earlier_one),
	};

	return cmocka_run_group_tests_name("instruction", tests, NULL, NULL);
}
