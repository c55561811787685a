/* SPDX-License-Identifier: MIT */
/* Kernel symbol tables, and C++ and Rust names. */
#include "base/arena.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "symbols/demangle.h"
#include "symbols/kernel/kallsyms.h"
#include "symbols/kernel/kallsyms_index.h"
#include "symbols/symtab.h"

#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_CHECK(x) ((x) ? (void)0 : __builtin_trap())
#define FUZZ_NAMES    256u
#define FUZZ_NAME_AT  19u /* offset of the name in "ffffffff81000000 T name" */

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

static void fuzz_same(struct kallsyms_index *x, const struct symtab *t, uint64_t at)
{
	const struct symtab_entry *wanted = symtab_find(t, at);
	struct symtab *table;
	const struct symtab_entry *e = kallsyms_index_find(x, at, &table);

	FUZZ_CHECK(!wanted == !e);
	FUZZ_CHECK(!e || (e->start == wanted->start && e->end == wanted->end));
	FUZZ_CHECK(!e || str_eq(symtab_name(table, e), symtab_name(t, wanted)));
}

static bool fuzz_is_word(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (s.p[i] <= ' ' || s.p[i] == ']')
			return false;
	}
	return s.len > 0;
}

/* Whether a kernel could write @text: names have no blanks, and only "\t[module]" follows them. */
static bool fuzz_is_kernels(struct str text)
{
	struct str line;

	while (str_line(&text, &line)) {
		struct str name = str_skip(line, FUZZ_NAME_AT);
		size_t tab = str_find_char(name, '\t');
		struct str module = str_skip(name, tab);

		if (!fuzz_is_word(str_sub(name, 0, tab)))
			return false;
		if (module.len && (!str_take(&module, STR("\t[")) || !str_ends(module, STR("]")) ||
				   !fuzz_is_word(str_sub(module, 0, module.len - 1))))
			return false;
	}
	return true;
}

/* The parsed table and the index on the raw text must give the same answers. */
static void fuzz_index(const struct kallsyms *k, struct str text)
{
	const struct symtab *t = &k->modules.data[0].table;
	bool is_kernels = fuzz_is_kernels(text);
	int fd = memfd_create("symbols", MFD_CLOEXEC);
	struct kallsyms_index *x;
	struct symtab *table;
	unsigned int n = 0;

	FUZZ_CHECK(fd >= 0 && write(fd, text.p, text.len) == (ssize_t)text.len);
	x = kallsyms_index_open(fd);
	if (!x) {
		(void)close(fd);
		return;
	}
	VEC_FOREACH (e, &t->entries) {
		if (n++ == FUZZ_NAMES)
			break;
		(void)kallsyms_index_find(x, e->start, &table);
		if (is_kernels)
			fuzz_same(x, t, e->start);
		if (is_kernels)
			fuzz_same(x, t, e->end - 1);
	}
	kallsyms_index_free(x);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kallsyms k = { .modules = VEC_INIT };
	struct str text = { (const char *)data, size };
	struct error err = { "" };
	struct arena arena = { 0 };
	struct str line;
	int status;

	kallsyms_add(&k, text);
	status = kallsyms_finish(&k, &err);
	FUZZ_CHECK(status == OK || err.msg[0]);
	VEC_FOREACH (m, &k.modules) {
		(void)kallsyms_module_name(m);
		if (status == OK)
			fuzz_table(&m->table);
	}
	if (status == OK)
		fuzz_index(&k, text);
	kallsyms_fini(&k);
	for (unsigned int n = 0; n < FUZZ_NAMES && str_line(&text, &line); n++)
		(void)demangle(&arena, line);
	arena_fini(&arena);
	return 0;
}
