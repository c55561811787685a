/* SPDX-License-Identifier: MIT */
/* Small tables of symbols and small sections of notes at random, against a plain reading of the
 * rules. */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "config.h"
#include "symbols/elf_symbols.h"
#include "symbols/symtab.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>

#define SYMBOLS 14u

struct symbol {
	uint64_t start, end;
	const char *name, *shown;
	enum symtab_binding binding;
	bool is_sized;
};

static const struct {
	const char *name, *shown;
} names[] = {
	{ "read", "read" },
	{ "_read", "_read" },
	{ "__read", "__read" },
	{ "write", "write" },
	{ "longer_name", "longer_name" },
	{ "SyS_read", "SyS_read" },
	{ "compat_SyS_rd", "compat_SyS_rd" },
	{ "sys_read", "sys_read" },
	{ "compat_sys_rd", "compat_sys_rd" },
	{ "_ZdaPv", "operator delete[]" },
	{ "_ZdlPv", "operator delete" },
	{ "_ZdlPvm", "operator delete" },
};

static uint64_t draw(unsigned int *state, uint64_t n)
{
	*state = *state * 1103515245u + 12345u;
	return (*state >> 8) % n;
}

static size_t bars(const char *name)
{
	return strspn(name, "_");
}

/* Whether the later symbol @b takes the address that @a has. */
static bool takes(const struct symbol *a, const struct symbol *b, bool is_demangled)
{
	const char *x = is_demangled ? a->shown : a->name, *y = is_demangled ? b->shown : b->name;

	if ((a->end > a->start) != (b->end > b->start))
		return b->end > b->start;
	if ((a->binding == SYMTAB_WEAK) != (b->binding == SYMTAB_WEAK))
		return a->binding == SYMTAB_WEAK;
	if ((a->binding == SYMTAB_GLOBAL) != (b->binding == SYMTAB_GLOBAL))
		return b->binding == SYMTAB_GLOBAL;
	if (strcmp(a->name, b->name) == 0)
		return strstr(x, "SyS") != NULL;
	if (bars(x) != bars(y))
		return bars(y) < bars(x);
	if (strlen(x) != strlen(y))
		return strlen(y) > strlen(x);
	return strstr(x, "SyS") != NULL;
}

/* Sort by start, end symbols without a size, and keep one symbol for each address. */
static size_t plain_finish(struct symbol *s, size_t n, bool is_demangled)
{
	size_t kept = 0;

	for (size_t i = 1; i < n; i++) {
		for (size_t k = i; k > 0 && s[k - 1].start > s[k].start; k--) {
			struct symbol swap = s[k];

			s[k] = s[k - 1];
			s[k - 1] = swap;
		}
	}
	for (size_t i = 0; i < n; i++) {
		uint64_t page =
			s[i].start % 4096 ? s[i].start + 4096 - s[i].start % 4096 : s[i].start;

		if (s[i].end > s[i].start)
			continue;
		s[i].end = i + 1 < n ? s[i + 1].start : page + 4096;
		if (i + 1 == n && s[i].start >= UINT64_MAX - 8192)
			s[i].end = UINT64_MAX;
	}
	for (size_t i = 0; i < n; i++) {
		if (kept == 0 || s[kept - 1].start != s[i].start)
			s[kept++] = s[i];
		else if (takes(&s[kept - 1], &s[i], is_demangled))
			s[kept - 1] = s[i];
	}
	return kept;
}

/* The nearest of the last eight symbols before the address that covers it. */
static const struct symbol *plain_find(const struct symbol *s, size_t n, uint64_t address)
{
	size_t looked = 0;

	for (size_t i = n; i-- > 0 && looked < 8;) {
		if (s[i].start > address)
			continue;
		if (address < s[i].end)
			return &s[i];
		looked++;
	}
	return NULL;
}

static void each_address_has_the_symbol_of_a_plain_search(void **state)
{
	unsigned int seed = 7;

	(void)state;
	for (unsigned int run = 0; run < 3000; run++) {
		struct symtab t = { .names = { 0 } };
		struct symbol s[SYMBOLS];
		bool is_demangled = HAVE_LIBIBERTY && run % 2;
		uint64_t base = run % 8 == 3 ? UINT64_MAX - 8192 - 40 : draw(&seed, 5) * 4093;
		size_t n = 1 + draw(&seed, SYMBOLS);

		for (size_t i = 0; i < n; i++) {
			uint64_t size = draw(&seed, 3) ? draw(&seed, 6) : draw(&seed, 90);
			size_t name = draw(&seed, ARRAY_LEN(names));

			if (run % 50 == 3 && i == 0)
				size = UINT64_MAX;
			s[i].start = base + draw(&seed, run % 3 ? 24 : 80);
			s[i].end = size > UINT64_MAX - s[i].start ? UINT64_MAX : s[i].start + size;
			s[i].name = names[name].name;
			s[i].shown = names[name].shown;
			s[i].binding = (enum symtab_binding)draw(&seed, 3);
			symtab_add(&t, s[i].start, size, str_of(s[i].name), s[i].binding);
		}
		symtab_finish(&t, is_demangled);
		n = plain_finish(s, n, is_demangled);
		assert_int_equal(t.entries.len, n);
		for (uint64_t at = base > 2 ? base - 2 : 0, k = 0; k < 12500 && at < UINT64_MAX;
		     k++) {
			const struct symbol *want = plain_find(s, n, at);
			struct symtab_entry *e = symtab_find(&t, at);

			assert_int_equal(e != NULL, want != NULL);
			if (want) {
				assert_int_equal(e->start, want->start);
				assert_int_equal(e->end, want->end);
				assert_true(str_eq(symtab_name(&t, e), str_of(want->name)));
			}
			at += k < 200 ? 1 : 61;
		}
		symtab_fini(&t);
	}
}

static size_t padded(size_t n)
{
	return (n + 3) & ~(size_t)3;
}

/* Notes with names and contents of any length; then one of their bytes is damaged, or the end is
 * cut. */
static void the_first_build_id_of_notes_is_found(void **state)
{
	unsigned int seed = 11;

	(void)state;
	for (unsigned int run = 0; run < 20000; run++) {
		uint8_t notes[512] = { 0 };
		size_t n = 0, at = 0, want = 0, want_len = 0, whole;
		struct build_id id = { .len = 0 };

		for (size_t left = 1 + draw(&seed, 4); left > 0; left--) {
			bool is_id = draw(&seed, 3) == 0;
			uint32_t name = is_id ? 4 : (uint32_t)draw(&seed, 14);
			uint32_t len = (uint32_t)draw(&seed, is_id ? 24 : 30);
			uint32_t type = is_id || draw(&seed, 2) ? NT_GNU_BUILD_ID : 1;
			const uint32_t head[3] = { name, len, type };

			memcpy(notes + n, head, sizeof(head));
			memcpy(notes + n + 12, is_id ? "GNU" : "stapsdt.Linux", name);
			n += 12 + padded(name);
			for (uint32_t i = 0; i < len; i++)
				notes[n + i] = (uint8_t)(1 + draw(&seed, 250));
			n += padded(len);
		}
		if (draw(&seed, 4) == 0)
			n = draw(&seed, n + 1);
		/* one note after the other, until one is not whole */
		whole = n;
		while (!want_len && at + 12 <= whole) {
			uint32_t head[3];
			size_t body;

			memcpy(head, notes + at, sizeof(head));
			body = at + 12 + padded(head[0]);
			if (body + head[1] > whole)
				break;
			if (head[0] == 4 && head[2] == NT_GNU_BUILD_ID && head[1] <= 20 &&
			    memcmp(notes + at + 12, "GNU", 4) == 0) {
				want = body;
				want_len = head[1];
				break;
			}
			at = body + padded(head[1]);
		}
		build_id_of_notes((const char *)notes, n, &id);
		assert_int_equal(id.len, want_len);
		assert_memory_equal(id.bytes, notes + want, want_len);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_address_has_the_symbol_of_a_plain_search),
		cmocka_unit_test(the_first_build_id_of_notes_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
