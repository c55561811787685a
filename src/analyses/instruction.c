/* SPDX-License-Identifier: MIT */
/*
 * Sources of the tables:
 *   Intel SDM         volume 2, the instructions; volume 3, "Locked Atomic Operations"
 *   Intel manual      Optimization Reference Manual, "Optimizing Cache Usage", "Locks"
 *   A. Fog            Instruction tables: latencies
 *   Arm ARM           "Atomic instructions", "Barriers"
 *   perf-list(1)      perf-list.txt, "precise event": samples are shown late
 */
#include "analyses/instruction.h"

#include "base/status.h"
#include "base/str.h"
#include "core/ids.h"
#include "core/kinds/code.h"
#include "core/strings.h"

#define INSTRUCTION_BACK 3u /* maximum number of instructions to search backwards for a load */
/* maximum number of instructions to search backwards for the last write of an address register */
#define INSTRUCTION_WRITE 8u

/* The comment after or above a row names its source: see the list at the top of this file. */
static const struct {
	/*
	 * patterns in lower case. For an instruction with a lock prefix, such as "lock cmpxchg",
	 * the mnemonic is "lock"
	 */
	const char *mnemonics;
	enum instruction_kind kind;
} instruction_mnemonics[] = {
	{ "lock|xchg*|cmpxchg*|xadd*", INSTRUCTION_ATOMIC }, /* Intel SDM */
	{ "ldxr*|ldaxr*|stxr*|stlxr*|cas|cas?|cas??*|ldadd*|swp|swp?*|ldclr*|ldset*",
	  INSTRUCTION_ATOMIC }, /* Arm ARM */
	/* A. Fog */
	{ "div|div?|idiv|idiv?|udiv|sdiv|fdiv*|divs?|divp?|vdiv*", INSTRUCTION_DIVIDE },
	{ "sqrt*|vsqrt*|fsqrt*|rsqrt*", INSTRUCTION_SQRT },    /* A. Fog */
	{ "pause|yield|wfe|tpause", INSTRUCTION_PAUSE },       /* Intel manual, Arm ARM */
	{ "rep movs*|rep*movs*", INSTRUCTION_COPY },           /* Intel SDM */
	{ "rep stos*|rep*stos*", INSTRUCTION_FILL },           /* Intel SDM */
	{ "mfence|sfence|lfence|dmb|dsb", INSTRUCTION_FENCE }, /* Intel SDM, Arm ARM */
	{ "cpuid|rdtscp|rdtsc|serialize|isb|wrmsr|rdmsr|invlpg|invpcid|tlbi|xsave*|xrstor*",
	  INSTRUCTION_SERIALIZE },                /* Intel SDM, Arm ARM */
	{ "stac|clac", INSTRUCTION_USER_ACCESS }, /* Intel SDM */
	/* Intel SDM, Arm ARM */
	{ "syscall|sysenter|swapgs|sysret*|iret*|svc|eret", INSTRUCTION_SYSCALL },
	{ "in|inb|inw|inl|out|outb|outw|outl", INSTRUCTION_DEVICE }, /* Intel SDM */
	{ "sti|popf*", INSTRUCTION_INTERRUPTS_ON },                  /* Intel SDM, perf-list(1) */
	{ "hlt|mwait*|monitor*|wfi", INSTRUCTION_HALT },             /* Intel SDM, Arm ARM */
	{ "vgather*|vpgather*|vscatter*|vpscatter*", INSTRUCTION_GATHER }, /* A. Fog */
};

static const struct instruction instructions[INSTRUCTION_KINDS] = {
	[INSTRUCTION_LOAD] = { "loads from memory",
			       "later instructions wait for the data: some cycles if it is in the "
			       "cache, hundreds if it is not, because too much data lies in "
			       "between "
			       "or another CPU wrote the cache line (shared or falsely shared)",
			       "perf c2c record -- COMMAND: hits in modified lines are sharing; "
			       "perf mem record: "
			       "how far away the data is" },
	[INSTRUCTION_CHASE] = { "follows a pointer",
				"each load needs the address from the load before: a linked list "
				"or tree is walked. Each step waits for the cache, or for memory "
				"if it misses; in a short loop even hits take most of the time",
				"perf stat -e cycles,instructions,cache-misses COMMAND: misses, or "
				"only many steps; then fewer steps (a hash, a shorter list), or "
				"elements side by side in an array" },
	[INSTRUCTION_ATOMIC] = { "is an atomic operation",
				 "it takes about 20 cycles alone and hundreds where the cache line "
				 "is contended: other "
				 "CPUs write the same lock, counter or reference count",
				 "perf c2c record -a -- COMMAND: who else writes this cache line" },
	[INSTRUCTION_DIVIDE] = { "divides",
				 "a division takes many cycles (10 to 40 for integers, 4 to 20 "
				 "in floating point), and divisions overlap little",
				 "divide by a constant or a power of two, multiply by the inverse, "
				 "or divide less "
				 "often" },
	[INSTRUCTION_SQRT] = { "takes a square root",
			       "a square root takes 10 to 20 cycles and is not pipelined",
			       "compare squares instead, or take fewer roots" },
	[INSTRUCTION_PAUSE] = { "pauses in a busy wait",
				"it spins: another thread holds what this one waits for",
				"read the call stack of this function, and use bpftrace on its "
				"caller: who holds it" },
	[INSTRUCTION_COPY] = { "copies memory", "a block is copied; the time grows with its size",
			       "perf record -g: who copies, how much, and whether it must" },
	[INSTRUCTION_FILL] = { "fills memory",
			       "a block is zeroed or filled; the time grows with its size",
			       "perf record -g: who clears, how much, and whether it is read "
			       "before it is "
			       "overwritten" },
	[INSTRUCTION_FENCE] = { "is a memory barrier",
				"a barrier waits until all earlier stores are visible to other "
				"CPUs",
				"which barrier the algorithm needs: release and acquire are "
				"cheaper than a full one" },
	[INSTRUCTION_SERIALIZE] = { "serializes the processor",
				    "it waits for all earlier instructions, and traps to the "
				    "hypervisor in many virtual "
				    "machines",
				    "read clocks, registers and translations less often; in a "
				    "virtual machine: perf kvm "
				    "stat" },
	[INSTRUCTION_USER_ACCESS] = { "opens or closes access to user memory",
				      "many small copies between user space and the kernel: each "
				      "opens access once",
				      "strace -f -e trace=%desc -p PID: which calls, how few "
				      "bytes; batch "
				      "them" },
	[INSTRUCTION_SYSCALL] = { "enters or leaves the kernel",
				  "many short system calls or interrupts: the crossing costs more "
				  "than the work",
				  "strace -c -f -p PID: which system calls, how often" },
	[INSTRUCTION_DEVICE] = { "reads or writes a device port",
				 "the processor waits for the device: one access takes about a "
				 "microsecond",
				 "how often: perf probe on the caller; use memory or interrupts "
				 "instead of polling" },
	[INSTRUCTION_INTERRUPTS_ON] = { "turns interrupts on",
					"interrupts were off before: the timer's samples are shown "
					"where they come on again, "
					"and the cost lies in the code above",
					"perf record -e cycles:pp, or with NMIs: where it really "
					"is" },
	[INSTRUCTION_INDIRECT] = { "calls through a pointer",
				   "the processor cannot predict the target, or the call goes "
				   "through a retpoline, "
				   "which forbids it to",
				   "perf stat -e branch-misses; fewer indirect calls, or direct "
				   "ones for the common "
				   "case" },
	[INSTRUCTION_GATHER] = { "gathers from many addresses",
				 "each element is a load of its own: the data lies scattered",
				 "lay the data out side by side" },
	[INSTRUCTION_HALT] = { "waits in idle", "the CPU has nothing to do",
			       "perf sched timehist: what the threads wait for" },
};

const struct instruction *instruction_of(enum instruction_kind kind)
{
	return &instructions[kind];
}

static bool instruction_glob(const char *pattern, struct str mnemonic)
{
	char lower[24];

	if (mnemonic.len > sizeof(lower))
		return false;
	return str_glob(str_of(pattern), str_lower(mnemonic, lower));
}

/*
 * The mnemonic of the instruction: "mov"; with a rep prefix "rep movsb"; with a lock prefix only
 * "lock". *@ret_operands: the operands.
 */
static struct str instruction_mnemonic(struct str text, struct str *ret_operands)
{
	struct str rest = str_trim(text);
	const char *from = rest.p;
	struct str word = STR_NONE;

	while (str_word(&rest, &word) && instruction_glob("bnd|notrack|data16|cs|ds", word))
		from = str_ltrim(rest).p;
	if (instruction_glob("rep*", word) && !instruction_glob("ret*", word))
		(void)str_word(&rest, &word);
	*ret_operands = str_trim(str_sub(rest, 0, str_find(rest, STR("##"))));
	*ret_operands = str_rtrim(str_sub(*ret_operands, 0, str_find(*ret_operands, STR(" # "))));
	return word.len ? (struct str){ from, (size_t)(word.p + word.len - from) } : STR_NONE;
}

/*
 * Index in @operands of the closing bracket of a memory operand, "0x8(%rdi)" or "[rdi+8]"; 0: there
 * is no memory operand.
 */
static size_t instruction_memory(struct str operands)
{
	size_t at = str_rfind_char(operands, ')');

	if (at == operands.len)
		at = str_rfind_char(operands, ']');
	return at == operands.len ? 0 : at;
}

/*
 * Whether the memory operand is in the stack frame of the function: "0x4(%rsp)" or "-0x4(%rbp)".
 * Such memory was written recently and is in the cache.
 */
static bool instruction_is_frame(struct str operands)
{
	return str_contains(operands, STR("(%rsp)")) || str_glob(STR("*-0x*(%rbp)*"), operands);
}

static bool instruction_loads(struct str mnemonic, struct str operands)
{
	size_t memory = instruction_memory(operands);

	if (instruction_is_frame(operands))
		return false;
	if (memory == 0)
		return instruction_glob("mov*|cmp*|add*|sub*", mnemonic) &&
		       (str_contains(operands, STR("%gs:")) ||
			str_contains(operands, STR("%fs:"))) &&
		       str_starts(operands, STR("%")) &&
		       str_find_char(operands, ',') < operands.len &&
		       !str_contains(str_skip(operands, str_rfind_char(operands, ',')), STR(":"));
	if (instruction_glob("ldr*|ldp*|ldur*|lw*|ld|lbz*|lhz*|lg*", mnemonic))
		return true;
	if (instruction_glob("str*|stp*|stur*|st*|lea*|nop*|prefetch*|j*|call*|b*", mnemonic))
		return false;
	if (!instruction_glob("mov*|vmov*|set*", mnemonic))
		return true;
	/*
	 * a move to memory is no load. The target is the last operand in AT&T syntax ("(%rax)"),
	 * the first in Intel syntax
	 */
	return (operands.p[memory] == ')') == (memory + 1 < operands.len);
}

enum instruction_kind instruction_kind_of(struct str text)
{
	struct str operands;
	struct str mnemonic = instruction_mnemonic(text, &operands);

	for (size_t i = 0; i < ARRAY_LEN(instruction_mnemonics); i++) {
		if (!instruction_glob(instruction_mnemonics[i].mnemonics, mnemonic))
			continue;
		/* xchg of two registers does not access memory, so it is not atomic */
		if (instruction_glob("xchg*", mnemonic) && !instruction_memory(operands))
			return INSTRUCTION_OTHER;
		return instruction_mnemonics[i].kind;
	}
	if (instruction_glob("call*|jmp*", mnemonic) &&
	    (str_starts(operands, STR("*")) || str_contains(operands, STR("x86_indirect_thunk"))))
		return INSTRUCTION_INDIRECT;
	return instruction_loads(mnemonic, operands) ? INSTRUCTION_LOAD : INSTRUCTION_OTHER;
}

/*
 * The register that the instruction writes: the last operand in AT&T syntax, the first on Arm.
 * STR_NONE: none.
 */
static struct str instruction_target(struct str text)
{
	struct str operands;
	struct str mnemonic = instruction_mnemonic(text, &operands);
	struct str reg;

	if (instruction_glob("cmp*|test*", mnemonic))
		return STR_NONE;
	if (instruction_glob("ldr*|ldp*|ldur*", mnemonic))
		return str_trim(str_sub(operands, 0, str_find_char(operands, ',')));
	reg = str_trim(str_skip(operands, str_rfind_char(operands, ',') + 1));
	return str_starts(reg, STR("%")) ? str_skip(reg, 1) : STR_NONE;
}

/*
 * The part of a register's name that is the same for all widths: "ax" for eax and rax, "r8" for
 * r8d.
 */
static struct str instruction_register(struct str reg)
{
	if (reg.len > 1 && reg.p[0] == 'r' && char_is_digit(reg.p[1])) {
		size_t n = 2;

		while (n < reg.len && char_is_digit(reg.p[n]))
			n++;
		return str_sub(reg, 0, n);
	}
	if (reg.len == 3 && (reg.p[0] == 'r' || reg.p[0] == 'e'))
		return str_skip(reg, 1);
	return reg;
}

/* Whether an operand of the instruction uses @reg. */
static bool instruction_uses(struct str text, struct str reg)
{
	struct str operands;

	(void)instruction_mnemonic(text, &operands);
	reg = instruction_register(reg);
	return reg.len >= 2 && str_contains(operands, reg);
}

/* Whether the address of the instruction's memory operand uses @reg: rdi in "8(%rdi)". */
static bool instruction_addresses(struct str text, struct str reg)
{
	struct str operands;
	size_t end, begin;

	(void)instruction_mnemonic(text, &operands);
	end = instruction_memory(operands);
	begin = end ? str_rfind_char(str_sub(operands, 0, end), operands.p[end] == ')' ? '(' : '[')
		    : 0;
	reg = instruction_register(reg);
	return end && reg.len >= 2 && str_contains(str_sub(operands, begin, end), reg);
}

static bool instruction_is_jump(struct str text)
{
	struct str operands;

	return instruction_glob("j*|b.*|cb*|tb*", instruction_mnemonic(text, &operands));
}

/* Whether the instruction does nothing but set flags, jump, or copy a value to a register. */
static bool instruction_is_look(struct str text)
{
	struct str operands;
	struct str mnemonic = instruction_mnemonic(text, &operands);

	if (instruction_glob("cmp*|test*|nop*|pause|endbr*|xchg", mnemonic))
		return !str_eq(mnemonic, STR("xchg"));
	if (instruction_glob("j*", mnemonic))
		return !str_starts(operands, STR("*"));
	return instruction_glob("mov|movl|movq|movz*|movs?|movs??|movsl?", mnemonic) &&
	       (instruction_memory(operands) == 0 || instruction_kind_of(text) == INSTRUCTION_LOAD);
}

bool instruction_only_reads(const struct code *code, const struct strings *strings,
			    const uint32_t *rows, size_t n, uint32_t *ret_load)
{
	uint32_t load = INDEX_NONE;

	for (size_t i = 0; i < n; i++) {
		struct str text = strings_get(strings, code->rows.data[rows[i]].text);
		struct str reg = instruction_target(text);
		struct str operands;

		(void)instruction_mnemonic(text, &operands);
		if (!instruction_is_look(text))
			return false;
		if (instruction_memory(operands) && !instruction_is_frame(operands) &&
		    load == INDEX_NONE)
			load = rows[i];
		for (size_t k = 0; reg.len && k < n; k++) {
			if (instruction_addresses(
				    strings_get(strings, code->rows.data[rows[k]].text), reg))
				return false;
		}
	}
	*ret_load = load;
	return load != INDEX_NONE;
}

static bool instruction_is_strong(enum instruction_kind kind)
{
	return kind != INSTRUCTION_OTHER && kind != INSTRUCTION_LOAD;
}

/* Index of the last instruction in the function @f before row @at; INDEX_NONE: there is none. */
static uint32_t instruction_before(const struct code *code, const struct code_function *f,
				   uint32_t at)
{
	while (at-- > f->first) {
		if (!code->rows.data[at].is_source)
			return at;
	}
	return INDEX_NONE;
}

/*
 * Whether the samples of @slow may appear two instructions later. A division or square root takes
 * tens of cycles, so the next instruction, @next, may complete together with it. *@ret: kind of
 * @slow.
 */
static bool instruction_skids_twice(struct str slow, struct str next, enum instruction_kind *ret)
{
	struct str operands;

	*ret = instruction_kind_of(slow);
	return (*ret == INSTRUCTION_DIVIDE || *ret == INSTRUCTION_SQRT) &&
	       !instruction_is_jump(next) &&
	       !instruction_glob("call*|bl|blr|ret*", instruction_mnemonic(next, &operands));
}

/* Whether @text writes @reg. A call may write any register. */
static bool instruction_writes(struct str text, struct str reg)
{
	struct str operands;
	struct str mnemonic = instruction_mnemonic(text, &operands);
	struct str target = instruction_target(text);

	if (instruction_glob("call*|bl|blr|xchg*|*mul*|div*|idiv*|cpuid|rdtsc*|syscall", mnemonic))
		return true;
	return target.len && str_eq(instruction_register(target), instruction_register(reg));
}

/*
 * instruction_renews_index() examines at most this number of rows before the load, and as many
 * after the load.
 */
#define INSTRUCTION_NEAR 32u

/*
 * Whether the load at row @at overwrites its own index register, "mov (%rsi,%rdx,4),%edx", and a
 * nearby instruction writes this register again. Such code reads an array and does not chase
 * pointers.
 */
static bool instruction_renews_index(const struct code *code, const struct strings *strings,
				     const struct code_function *f, uint32_t at)
{
	struct str text = strings_get(strings, code->rows.data[at].text);
	struct str reg = instruction_register(instruction_target(text));
	struct str operands, base;
	uint32_t first = at > f->first + INSTRUCTION_NEAR ? at - INSTRUCTION_NEAR : f->first;
	size_t open, comma;

	(void)instruction_mnemonic(text, &operands);
	open = str_find(operands, STR("(%"));
	base = str_skip(operands, open < operands.len ? open + 2 : operands.len);
	comma = str_find_char(base, ',');
	if (comma >= str_find_char(base, ')') ||
	    str_eq(instruction_register(str_sub(base, 0, comma)), reg))
		/*
		 * no index register, or the base register is overwritten: the load follows a
		 * pointer
		 */
		return false;
	for (uint32_t i = first; i < f->first + f->n && i <= at + INSTRUCTION_NEAR; i++) {
		if (i != at && !code->rows.data[i].is_source &&
		    instruction_writes(strings_get(strings, code->rows.data[i].text), reg))
			return true;
	}
	return false;
}

/*
 * Whether the load at row @at chases pointers: its address register has a value that was loaded
 * from an address in the same register, as in mov (%rdi),%rdi. This mov is either the load itself
 * or the last earlier instruction that wrote the register. The search ends at an unconditional jump
 * or return, because the code after it is reached from elsewhere.
 */
static bool instruction_is_chase(const struct code *code, const struct strings *strings,
				 const struct code_function *f, uint32_t at)
{
	struct str text = strings_get(strings, code->rows.data[at].text);
	struct str operands, reg;
	size_t open;

	if (instruction_addresses(text, instruction_target(text)))
		return !instruction_renews_index(code, strings, f, at);
	(void)instruction_mnemonic(text, &operands);
	open = str_find(operands, STR("(%"));
	if (open == operands.len)
		return false;
	reg = str_skip(operands, open + 2);
	/* with an index register, "(%rdi,%rax,8)", the base may be the start of an array */
	if (str_find_char(reg, ',') < str_find_char(reg, ')'))
		return false;
	reg = str_sub(reg, 0, str_find_char(reg, ')'));
	if (str_eq(reg, STR("rsp")) || str_eq(reg, STR("rbp")) || str_eq(reg, STR("rip")))
		return false;
	for (unsigned int i = 0; i < INSTRUCTION_WRITE; i++) {
		struct str earlier;

		at = instruction_before(code, f, at);
		if (at == INDEX_NONE)
			return false;
		earlier = strings_get(strings, code->rows.data[at].text);
		if (instruction_writes(earlier, reg))
			return instruction_kind_of(earlier) == INSTRUCTION_LOAD &&
			       instruction_addresses(earlier, reg);
		if (instruction_glob("jmp*|ret*|ud2|hlt", instruction_mnemonic(earlier, &operands)))
			return false;
	}
	return false;
}

/* Report the load at row @at as the cause: a later instruction waits for its data. */
static struct instruction_blame instruction_operand(const struct code *code,
						    const struct strings *strings,
						    const struct code_function *f, uint32_t at)
{
	bool is_chase = instruction_is_chase(code, strings, f, at);

	return (struct instruction_blame){ .kind = is_chase ? INSTRUCTION_CHASE : INSTRUCTION_LOAD,
					   .row = at,
					   .is_operand = true };
}

struct instruction_blame instruction_blame(const struct code *code, const struct strings *strings,
					   const struct code_function *f, uint32_t hot)
{
	struct str text = strings_get(strings, code->rows.data[hot].text);
	struct instruction_blame ret = { .kind = instruction_kind_of(text), .row = hot };
	uint32_t at = instruction_before(code, f, hot);
	enum instruction_kind before;
	uint32_t at2;

	if (at != INDEX_NONE && ret.kind != INSTRUCTION_COPY && ret.kind != INSTRUCTION_FILL) {
		before = instruction_kind_of(strings_get(strings, code->rows.data[at].text));
		if (instruction_is_strong(before))
			return (struct instruction_blame){ .kind = before,
							   .row = at,
							   .is_skid = true };
	}
	if (instruction_is_strong(ret.kind))
		return ret;
	at2 = at == INDEX_NONE ? at : instruction_before(code, f, at);
	if (ret.kind == INSTRUCTION_OTHER && at2 != INDEX_NONE &&
	    instruction_skids_twice(strings_get(strings, code->rows.data[at2].text),
				    strings_get(strings, code->rows.data[at].text), &before))
		return (struct instruction_blame){
			.kind = before, .row = at2, .is_skid = true, .is_far = true
		};
	if (ret.kind == INSTRUCTION_LOAD && instruction_is_chase(code, strings, f, hot))
		ret.kind = INSTRUCTION_CHASE;
	for (unsigned int i = 0; i < INSTRUCTION_BACK && at != INDEX_NONE; i++) {
		struct str earlier = strings_get(strings, code->rows.data[at].text);
		struct str reg = instruction_target(earlier);

		if (i == 0 && ret.kind == INSTRUCTION_OTHER && instruction_is_jump(text) &&
		    instruction_kind_of(earlier) == INSTRUCTION_LOAD && !reg.len)
			return instruction_operand(code, strings, f, at);
		if (instruction_kind_of(earlier) == INSTRUCTION_LOAD && reg.len) {
			if (ret.kind == INSTRUCTION_LOAD && instruction_addresses(text, reg))
				ret.kind = INSTRUCTION_CHASE;
			else if (ret.kind == INSTRUCTION_OTHER && instruction_uses(text, reg))
				return instruction_operand(code, strings, f, at);
		}
		at = instruction_before(code, f, at);
	}
	return ret;
}
