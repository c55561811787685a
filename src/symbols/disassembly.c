/* SPDX-License-Identifier: MIT */
#include "symbols/disassembly.h"

#include "base/alloc.h"
#include "base/status.h"
#include "base/str.h"
#include "config.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if HAVE_ZYDIS

#include <Zydis/Zydis.h>

struct disassembly {
	ZydisDecoder decoder;
	ZydisFormatter formatter;
};

int disassembly_new(uint16_t machine, struct disassembly **ret, struct error *err)
{
	static const struct {
		ZydisFormatterProperty property;
		ZyanUPointer value;
	} properties[] = {
		{ ZYDIS_FORMATTER_PROP_FORCE_RELATIVE_RIPREL, ZYAN_TRUE },
		{ ZYDIS_FORMATTER_PROP_HEX_UPPERCASE, ZYAN_FALSE },
		{ ZYDIS_FORMATTER_PROP_DISP_PADDING, ZYDIS_PADDING_DISABLED },
		{ ZYDIS_FORMATTER_PROP_IMM_PADDING, ZYDIS_PADDING_DISABLED },
		{ ZYDIS_FORMATTER_PROP_ADDR_PADDING_ABSOLUTE, ZYDIS_PADDING_DISABLED },
	};
	struct disassembly *d;

	if (machine != EM_X86_64)
		return fail(err, ERR_UNSUPPORTED,
			    "assay disassembles code of x86-64 only, and this is of another "
			    "machine");
	d = xcalloc(1, sizeof(*d));
	(void)ZydisDecoderInit(&d->decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	(void)ZydisFormatterInit(&d->formatter, ZYDIS_FORMATTER_STYLE_ATT);
	for (size_t i = 0; i < ARRAY_LEN(properties); i++)
		(void)ZydisFormatterSetProperty(&d->formatter, properties[i].property,
						properties[i].value);
	*ret = d;
	return OK;
}

void disassembly_free(struct disassembly *d)
{
	free(d);
}

/*
 * Convert the mnemonic @name, as in Intel's manual, to the mnemonic of compilers and GNU tools:
 * "jnz" becomes "jne". Other names are returned unchanged.
 */
static const char *disassembly_mnemonic(const char *name)
{
	static const char *const names[][2] = {
		{ "jnz", "jne" },       { "jz", "je" },          { "jnb", "jae" },
		{ "jnbe", "ja" },       { "jnl", "jge" },        { "jnle", "jg" },
		{ "setnz", "setne" },   { "setz", "sete" },      { "setnb", "setae" },
		{ "setnbe", "seta" },   { "setnl", "setge" },    { "setnle", "setg" },
		{ "cmovnz", "cmovne" }, { "cmovz", "cmove" },    { "cmovnb", "cmovae" },
		{ "cmovnbe", "cmova" }, { "cmovnl", "cmovge" },  { "cmovnle", "cmovg" },
		{ "movsxd", "movslq" }, { "movsxdl", "movslq" }, { "cdq", "cltd" },
		{ "cqo", "cqto" },      { "cdqe", "cltq" },      { "cwde", "cwtl" },
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (strcmp(name, names[i][0]) == 0)
			return names[i][1];
	}
	return name;
}

/* The size suffix in AT&T syntax for an operand of @bits bits: 'b', 'w', 'l' or 'q'. */
static char disassembly_letter(unsigned int bits)
{
	return bits == 8 ? 'b' : bits == 16 ? 'w' : bits == 32 ? 'l' : 'q';
}

/*
 * Store the mnemonic of @in in @ret. @name: the mnemonic from Zydis. Zydis omits size suffixes that
 * GNU tools print: "incl (%rdi)", "movzbl %al,%eax".
 */
static void disassembly_name(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *operands,
			     const char *name, char ret[32])
{
	static const ZydisMnemonic sized[] = {
		ZYDIS_MNEMONIC_INC, ZYDIS_MNEMONIC_DEC, ZYDIS_MNEMONIC_NEG,  ZYDIS_MNEMONIC_NOT,
		ZYDIS_MNEMONIC_MUL, ZYDIS_MNEMONIC_DIV, ZYDIS_MNEMONIC_IDIV, ZYDIS_MNEMONIC_IMUL,
	};

	(void)snprintf(ret, 32, "%s", disassembly_mnemonic(name));
	if (in->mnemonic == ZYDIS_MNEMONIC_MOVZX || in->mnemonic == ZYDIS_MNEMONIC_MOVSX)
		(void)snprintf(
			ret, 32, "mov%c%c%c", in->mnemonic == ZYDIS_MNEMONIC_MOVZX ? 'z' : 's',
			disassembly_letter(operands[1].size), disassembly_letter(operands[0].size));
	for (size_t i = 0; i < ARRAY_LEN(sized); i++) {
		if (in->mnemonic == sized[i] && in->operand_count_visible == 1 &&
		    operands[0].type == ZYDIS_OPERAND_TYPE_MEMORY)
			(void)snprintf(ret, 32, "%.24s%c", name,
				       disassembly_letter(operands[0].size));
	}
}

/*
 * Whether the target of the jump or call is in a register or in memory. AT&T syntax marks such a
 * target with '*'.
 */
static bool disassembly_is_indirect(const ZydisDecodedInstruction *in,
				    const ZydisDecodedOperand *operands)
{
	return (in->mnemonic == ZYDIS_MNEMONIC_CALL || in->mnemonic == ZYDIS_MNEMONIC_JMP) &&
	       in->operand_count_visible > 0 &&
	       (operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER ||
		operands[0].type == ZYDIS_OPERAND_TYPE_MEMORY);
}

/* Length of the prefixes in @text, including the blank after each: 5 for "lock add %eax,(%rdi)". */
static size_t disassembly_prefixes(const char *text)
{
	static const char *const prefixes[] = { "lock ",     "rep ",     "repe ", "repz ",
						"repne ",    "repnz ",   "bnd ",  "notrack ",
						"xacquire ", "xrelease " };
	size_t len = 0;

	for (size_t i = 0; i < ARRAY_LEN(prefixes); i++) {
		if (strncmp(text + len, prefixes[i], strlen(prefixes[i])) == 0) {
			len += strlen(prefixes[i]);
			i = (size_t)-1;
		}
	}
	return len;
}

/*
 * Convert @text from the style of Zydis to that of GNU tools: "jnz  0x10, x" becomes "jne 0x10,x".
 */
static void disassembly_rewrite(const ZydisDecodedInstruction *in,
				const ZydisDecodedOperand *operands, const char *text,
				bool has_operands, char *ret)
{
	size_t prefixes = disassembly_prefixes(text);
	size_t n = strcspn(text + prefixes, " ");
	char printed[32];
	char mnemonic[32];
	size_t at;

	(void)snprintf(printed, sizeof(printed), "%.*s", (int)n, text + prefixes);
	disassembly_name(in, operands, printed, mnemonic);
	at = (size_t)snprintf(ret, DISASSEMBLY_TEXT, "%.*s%s", (int)prefixes, text, mnemonic);
	text += prefixes + n;
	if (!has_operands || !*text)
		return;
	text += strspn(text, " ");
	at += (size_t)snprintf(ret + at, DISASSEMBLY_TEXT - at, " %s",
			       disassembly_is_indirect(in, operands) ? "*" : "");
	for (; *text && at + 1 < DISASSEMBLY_TEXT; text++) {
		if (*text == ' ' && text[-1] == ',')
			continue;
		ret[at++] = *text;
	}
	ret[at] = '\0';
}

void disassembly_next(const struct disassembly *d, const uint8_t *p, size_t len, uint64_t address,
		      struct disassembly_row *ret)
{
	ZydisDecodedInstruction in;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	char text[DISASSEMBLY_TEXT / 2];
	ZyanU64 target = 0;
	bool is_nop;

	*ret = (struct disassembly_row){ .len = 1, .text = "(bad)" };
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&d->decoder, p, len, &in, operands)) ||
	    !ZYAN_SUCCESS(ZydisFormatterFormatInstruction(&d->formatter, &in, operands,
							  in.operand_count_visible, text,
							  sizeof(text), address, NULL)))
		return;
	ret->len = in.length;
	ret->has_target =
		in.operand_count_visible > 0 && operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
		operands[0].imm.is_relative &&
		ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&in, &operands[0], address, &target));
	ret->target = target;
	/* do not print the operands of a nop: they only determine its length */
	is_nop = in.mnemonic == ZYDIS_MNEMONIC_NOP;
	disassembly_rewrite(&in, operands, text, !ret->has_target && !is_nop, ret->text);
}

#else

int disassembly_new(uint16_t machine, struct disassembly **ret, struct error *err)
{
	(void)machine;
	(void)ret;
	return fail(err, ERR_UNSUPPORTED,
		    "this assay was built without the library Zydis, which disassembles");
}

void disassembly_free(struct disassembly *d)
{
	(void)d;
}

void disassembly_next(const struct disassembly *d, const uint8_t *p, size_t len, uint64_t address,
		      struct disassembly_row *ret)
{
	(void)d;
	(void)p;
	(void)len;
	(void)address;
	*ret = (struct disassembly_row){ .len = 1, .text = "(bad)" };
}

#endif
