/* SPDX-License-Identifier: MIT */
#include "symbols/elf_spins.h"

#include "base/str.h"
#include "base/vec.h"
#include "symbols/symtab.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#define SPINS_LONGEST 256u /* maximum length in bytes of a function that is checked */
/*
 * maximum size in bytes of a file that is searched; for a larger file, the search would take as
 * long as reading its symbols
 */
#define SPINS_FILE (UINT64_C(4) << 20)
/*
 * x86: maximum number of bytes between the pause instruction and the jump backwards of a wait loop;
 * a load and a test may be between them
 */
#define SPINS_JUMP 16u

/* Whether the first SPINS_JUMP bytes of @code contain a short jump backwards. */
static bool spins_jumps_back(struct str code)
{
	for (size_t i = 0; i + 1 < code.len && i < SPINS_JUMP; i++) {
		unsigned char op = (unsigned char)code.p[i];

		/* opcode of a short jump (jmp or conditional), with a negative distance */
		if ((op == 0xeb || (op >= 0x70 && op <= 0x7f)) &&
		    (unsigned char)code.p[i + 1] >= 0x80)
			return true;
	}
	return false;
}

bool elf_spins_code(struct str code, uint16_t machine)
{
	static const char yield[] = { 0x3f, 0x20, 0x03, (char)0xd5 };

	if (machine == EM_AARCH64) {
		for (size_t i = 0; i + sizeof(yield) <= code.len; i += sizeof(yield)) {
			if (memcmp(code.p + i, yield, sizeof(yield)) == 0)
				return true;
		}
		return false;
	}
	if (machine != EM_X86_64 && machine != EM_386)
		return false;
	for (size_t i = 0; i + 2 <= code.len; i++) {
		if ((unsigned char)code.p[i] == 0xf3 && (unsigned char)code.p[i + 1] == 0x90 &&
		    spins_jumps_back(str_skip(code, i + 2)))
			return true;
	}
	return false;
}

static int spins_compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

void elf_spins_find(struct symtab *t, struct str image, uint16_t machine)
{
	if (image.len > SPINS_FILE)
		return;
	VEC_FOREACH (e, &t->entries) {
		uint64_t len = e->end - e->start;

		if (len == 0 || len > SPINS_LONGEST || e->start > image.len ||
		    len > image.len - e->start)
			continue;
		if (elf_spins_code(str_sub(image, (size_t)e->start, (size_t)e->end), machine))
			*VEC_PUSH(&t->spins) = e->start;
	}
	VEC_SORT(&t->spins, spins_compare);
}
