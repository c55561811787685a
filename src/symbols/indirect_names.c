/* SPDX-License-Identifier: MIT */
#include "symbols/indirect_names.h"

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "symbols/elf_symbols.h"
#include "symbols/symtab.h"
#include "symbols/unwind/cfi.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>

/* A library that is searched by build id among the libraries loaded in this process. */
struct indirect_library {
	const struct build_id *id;
	const char *name; /* path of the library, from the loader; NULL: not found */
	uint64_t base;    /* load bias: address in memory minus address in the file */
};

/*
 * Callback of dl_iterate_phdr() for each loaded library. Returns 1 if it is the wanted library; its
 * name and base are then stored.
 */
static int indirect_is_library(struct dl_phdr_info *info, size_t size, void *data)
{
	struct indirect_library *l = data;

	(void)size;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		struct build_id id = { .len = 0 };

		if (ph->p_type != PT_NOTE || !info->dlpi_name || !info->dlpi_name[0])
			continue;
		build_id_of_notes((const char *)(info->dlpi_addr + ph->p_vaddr), ph->p_memsz, &id);
		if (!id.len || !build_id_eq(&id, l->id))
			continue;
		l->name = info->dlpi_name;
		l->base = info->dlpi_addr;
		return 1;
	}
	return 0;
}

static uint64_t indirect_offset(const struct elf_symbols *e, uint64_t address)
{
	for (size_t i = 0; i < e->n_loads; i++) {
		const struct elf_load *l = &e->loads[i];

		if (address >= l->vaddr && address - l->vaddr < l->size)
			return address - l->vaddr + l->offset;
	}
	return UINT64_MAX;
}

static void indirect_add(struct elf_symbols *e, const struct indirect_library *l, void *library,
			 struct cfi *cfi)
{
	VEC_FOREACH (i, &e->indirect) {
		struct symtab_entry function = e->table.entries.data[*i];
		struct str name = symtab_name(&e->table, &function);
		uint64_t chosen = (uint64_t)(uintptr_t)dlsym(library, name.p) - l->base;
		uint64_t offset = indirect_offset(e, chosen);
		uint64_t size = offset == UINT64_MAX ? 0 : cfi_function_size(cfi, chosen);

		if (size)
			symtab_add_at(&e->table, offset, size, function.name,
				      (enum symtab_binding)function.binding);
	}
}

void indirect_names_add(struct elf_symbols *e, const char *path)
{
	struct indirect_library l = { .id = &e->build_id };
	struct cfi *cfi;
	void *library;

	if (e->indirect.len == 0 || e->build_id.len == 0 ||
	    dl_iterate_phdr(indirect_is_library, &l) == 0)
		return;
	library = dlopen(l.name, RTLD_LAZY | RTLD_NOLOAD);
	if (!library)
		return;
	if (cfi_open(path, &cfi, NULL) == OK) {
		indirect_add(e, &l, library, cfi);
		cfi_free(cfi);
	}
	(void)dlclose(library);
}
