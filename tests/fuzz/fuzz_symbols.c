/* SPDX-License-Identifier: MIT */
/* A kernel's symbol table, and names of C++ and Rust. */
#include "symbols/demangle.h"
#include "symbols/kallsyms.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_CHECK(x) ((x) ? (void)0 : __builtin_trap())
#define FUZZ_NAMES    256u

static void fuzz_table(const struct symtab *t)
{
	uint64_t last = 0;

	VEC_FOREACH (e, &t->entries) {
		FUZZ_CHECK(e->start >= last && e->end >= e->start);
		FUZZ_CHECK(symtab_find(t, e->start) || e->end == e->start);
		last = e->start;
	}
	(void)symtab_find(t, 0);
	(void)symtab_find(t, UINT64_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kallsyms k = { .modules = VEC_INIT };
	struct str text = { (const char *)data, size };
	struct error err = { "" };
	struct arena arena = { 0 };
	struct str line;
	int status = kallsyms_read(&k, text, &err);

	FUZZ_CHECK(status == OK || err.msg[0]);
	VEC_FOREACH (m, &k.modules) {
		(void)kallsyms_module_name(m);
		if (status == OK)
			fuzz_table(&m->table);
	}
	kallsyms_fini(&k);
	for (unsigned int n = 0; n < FUZZ_NAMES && str_line(&text, &line); n++)
		(void)demangle(&arena, line);
	arena_fini(&arena);
	return 0;
}
