/* SPDX-License-Identifier: MIT */
/*
 * Find the function of a sampled address in its file, and read the machine code of the function.
 * The code is read from the file that ran; its build id or its origin must prove this. Instructions
 * of another build would be wrong.
 */
#include "symbols/resolver/resolver_state.h"

#include "base/alloc.h"
#include "base/files.h"
#include "base/status.h"
#include "base/str.h"
#include "core/ids.h"
#include "core/symbols.h"
#include "symbols/elf_symbols.h"
#include "symbols/module_files.h"
#include "symbols/resolver/resolver.h"
#include "symbols/symtab.h"

#include <elf.h>
#include <endian.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

bool resolver_code_at(struct resolver *r, uint32_t pid, uint64_t address, struct resolver_code *ret)
{
	sym_id sym = resolver_symbol(r, pid, CPUMODE_USER, address);
	const struct map *map = resolver_find_map(resolver_process(r, pid), address);
	const struct module *m = map ? &r->modules.data[map->module] : NULL;
	const struct symtab_entry *e;
	uint64_t offset;

	if (!m || m->kind != MODULE_FILE || map->is_data)
		return false;
	offset = address - map->start + map->offset;
	e = symtab_find(&m->table, offset);
	if (!e || e->sym.v != sym.v)
		return false;
	*ret = (struct resolver_code){ .sym = sym,
				       .module = map->module,
				       .start = e->start,
				       .end = e->end,
				       .offset = offset };
	return true;
}

str_id resolver_code_module(const struct resolver *r, const struct resolver_code *code)
{
	return r->modules.data[code->module].name;
}

/* ELF machine number of the open file @fd. EM_NONE: not a 64-bit little-endian ELF file. */
static uint16_t resolver_machine(int fd)
{
	uint8_t head[20];
	uint16_t machine;

	if (pread(fd, head, sizeof(head), 0) != (ssize_t)sizeof(head) ||
	    head[EI_CLASS] != ELFCLASS64 || head[EI_DATA] != ELFDATA2LSB)
		return EM_NONE;
	memcpy(&machine, head + 18, sizeof(machine));
	return le16toh(machine);
}

/* Read the code from the file @path. Errors: ERR_NOTFOUND if a part of it is unreadable. */
static int resolver_code_take(const char *path, const struct resolver_code *code,
			      struct resolver_bytes *ret, struct error *err)
{
	struct elf_symbols e;
	struct stat st;
	int fd = files_open(path, FILES_ELF);
	ssize_t n;

	if (fd < 0)
		return fail(err, ERR_NOTFOUND, "the file is not here");
	ret->machine = resolver_machine(fd);
	ret->changed_s = fstat(fd, &st) == 0 ? st.st_mtime : 0;
	n = pread(fd, ret->data, ret->len, (off_t)code->start);
	(void)close(fd);
	if (n != (ssize_t)ret->len || elf_symbols_read(path, ELF_FRAME, NULL, &e, NULL) < 0)
		return fail(err, ERR_NOTFOUND, "the file cannot be read whole");
	ret->shift = 0;
	for (size_t i = 0; i < e.n_loads; i++) {
		const struct elf_load *l = &e.loads[i];

		if (code->start >= l->offset && code->start - l->offset < l->size)
			ret->shift = l->vaddr - l->offset;
	}
	elf_symbols_fini(&e);
	return OK;
}

int resolver_code_read(struct resolver *r, const struct resolver_code *code, size_t max,
		       struct resolver_bytes *ret, struct error *err)
{
	struct module *m = &r->modules.data[code->module];
	char path[PATH_MAX];
	int status = ERR_NOTFOUND;
	struct error why = { "" };

	*ret = (struct resolver_bytes){ .len = code->end - code->start };
	if (r->options.names)
		return fail(err, ERR_NOTFOUND,
			    "the recording has the names of its functions, but not their code");
	if (ret->len > max)
		ret->len = max;
	ret->data = xmalloc(ret->len + 1);
	for (unsigned int i = 0; i < RESOLVER_CODE_FILES && module_files_are_read(); i++) {
		if (status < 0 && resolver_code_file(r, m, i, path))
			status = resolver_code_take(path, code, ret, &why);
	}
	if (status == OK)
		return OK;
	free(ret->data);
	ret->data = NULL;
	return fail(err, ERR_NOTFOUND, "%s",
		    m->is_code_judged && !m->is_code_here
			    ? "the file that ran is not here, or not provably"
		    : why.msg[0] ? why.msg
				 : "the file that ran is not here");
}

struct str resolver_code_name(struct resolver *r, const struct resolver_code *code, uint64_t offset,
			      uint64_t *ret_distance)
{
	struct module *m = &r->modules.data[code->module];
	const struct symtab_entry *e = symtab_find(&m->table, offset);

	if (!e)
		return STR_NONE;
	*ret_distance = offset - e->start;
	/* functions with samples have demangled names; other names are as in the file */
	return e->sym.v ? symbols_name(r->symbols, e->sym) : symtab_name(&m->table, e);
}
