/* SPDX-License-Identifier: MIT */
/* ELF files: symbols, call frame information of every function, and unwinding by it. */
#include "symbols/unwind/unwind.h"

#include "base/limits.h"
#include "base/status.h"
#include "base/vec.h"
#include "core/ids.h"
#include "symbols/elf_symbols.h"
#include "symbols/symtab.h"
#include "symbols/unwind/cfi.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_CHECK(x)  ((x) ? (void)0 : __builtin_trap())
#define FUZZ_FUNCTIONS 2000u /* limit for one input */
#define FUZZ_STACK     UINT64_C(0x7ffffff00000)

static struct unwind_place fuzz_place(void *context, uint64_t address)
{
	struct cfi *c = context;

	return (struct unwind_place){ c, cfi_find(c, address) };
}

static enum unwind_read fuzz_read(void *context, uint64_t address, uint64_t *ret)
{
	(void)context;
	*ret = address & 0xffff;
	return (enum unwind_read)(address >> 4 & 3 ? address >> 4 & 1 : UNWIND_READ_UNMAPPED);
}

/* Unwind from @ip, with the bytes of the input as stack. */
static void fuzz_unwind(struct cfi *c, uint64_t ip, const uint8_t *data, size_t size)
{
	struct unwind_process process = { .context = c, .place = fuzz_place, .read = fuzz_read };
	struct unwind_sample s = { .machine = c->machine, .stack = data, .stack_bytes = size };
	uint64_t places[LIMIT_UNWIND_FRAMES];
	size_t n;

	s.has_regs = (UINT64_C(1) << CFI_REGISTERS) - 1;
	for (unsigned int i = 0; i < CFI_REGISTERS; i++)
		s.regs[i] = FUZZ_STACK + 8 * i;
	s.regs[16] = ip;
	s.regs[32] = ip;
	n = unwind_run(&s, &process, places, ARRAY_LEN(places));
	FUZZ_CHECK(n >= 1 && n <= ARRAY_LEN(places));
}

static void fuzz_cfi(struct cfi *c, const uint8_t *data, size_t size)
{
	uint64_t last = 0;
	size_t n = 0;

	for (uint32_t i = 0; i < c->table.n && i < FUZZ_FUNCTIONS; i++) {
		uint32_t row = cfi_find(c, c->table.address + 64 * i - c->len);

		FUZZ_CHECK(row == INDEX_NONE || row < c->rows.len);
	}
	cfi_read_all(c);
	VEC_FOREACH (f, &c->functions) {
		uint32_t row;

		if (n++ == FUZZ_FUNCTIONS)
			break;
		FUZZ_CHECK(f->start >= last && f->end > f->start && f->until <= c->len);
		last = f->start;
		row = cfi_find(c, f->start);
		FUZZ_CHECK(row == INDEX_NONE || row < c->rows.len);
		FUZZ_CHECK(f->first_row == INDEX_NONE || f->n_rows <= LIMIT_CFI_ROWS + 1);
		fuzz_unwind(c, f->start, data, size);
		fuzz_unwind(c, f->end - 1, data, size);
	}
	VEC_FOREACH (r, &c->rows)
		FUZZ_CHECK((size_t)r->first_rule + r->n_rules <= c->rules.len);
	fuzz_unwind(c, 0, data, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cfi *c = NULL;
	struct elf_symbols e;
	char path[64];
	int fd;

	if (cfi_open_image(data, size, &c, NULL) == OK)
		fuzz_cfi(c, data, size);
	cfi_free(c);
	fd = memfd_create("elf", MFD_CLOEXEC);
	FUZZ_CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (elf_symbols_read(path, ELF_WHOLE, NULL, &e, NULL) == OK) {
		symtab_finish(&e.table, true);
		for (uint64_t at = 0; at < 0x5000; at += 0x11)
			(void)symtab_find(&e.table, at);
		elf_symbols_fini(&e);
	}
	c = NULL;
	if (cfi_open(path, &c, NULL) == OK) /* uses the linker's table, which stays in the file */
		fuzz_cfi(c, data, size);
	cfi_free(c);
	(void)close(fd);
	return 0;
}
