/* SPDX-License-Identifier: MIT */
#include "symbols/symtab.h"

#define SYMTAB_PAGE UINT64_C(4096)

void symtab_fini(struct symtab *t)
{
	VEC_FREE(&t->entries);
	arena_fini(&t->names);
}

void symtab_add(struct symtab *t, uint64_t start, uint64_t size, struct str name,
		enum symtab_binding binding, bool is_data)
{
	uint64_t end = size > UINT64_MAX - start ? UINT64_MAX : start + size;
	struct symtab_entry entry = {
		.start = start,
		.end = end,
		.name = arena_str(&t->names, name),
		.order = (uint32_t)t->entries.len,
		.binding = (uint8_t)binding,
		.is_data = is_data,
	};

	*VEC_PUSH(&t->entries) = entry;
}

static int symtab_compare(const void *a, const void *b)
{
	const struct symtab_entry *x = a;
	const struct symtab_entry *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static size_t symtab_underscores(struct str name)
{
	size_t n = 0;

	while (n < name.len && name.p[n] == '_')
		n++;
	return n;
}

/* True when the earlier @a is kept against @b. */
static bool symtab_keeps(const struct symtab_entry *a, const struct symtab_entry *b)
{
	bool a_sized = a->end != a->start;
	bool b_sized = b->end != b->start;
	size_t a_bars = symtab_underscores(a->name);
	size_t b_bars = symtab_underscores(b->name);

	if (a_sized != b_sized)
		return a_sized;
	if ((a->binding == SYMTAB_WEAK) != (b->binding == SYMTAB_WEAK))
		return b->binding == SYMTAB_WEAK;
	if ((a->binding == SYMTAB_GLOBAL) != (b->binding == SYMTAB_GLOBAL))
		return a->binding == SYMTAB_GLOBAL;
	if (a_bars != b_bars)
		return a_bars < b_bars;
	if (a->name.len != b->name.len)
		return a->name.len > b->name.len;
	/* x86: the alias of a system call loses */
	return !(str_starts(a->name, STR("SyS")) || str_starts(a->name, STR("compat_SyS")));
}

void symtab_finish(struct symtab *t)
{
	struct symtab_entry *e = t->entries.data;
	size_t n = 0;

	if (t->entries.len)
		qsort(e, t->entries.len, sizeof(*e), symtab_compare);
	for (size_t i = 0; i < t->entries.len; i++) {
		if (e[i].end != e[i].start)
			continue;
		if (i + 1 < t->entries.len)
			e[i].end = e[i + 1].start;
		else
			e[i].end =
				((e[i].start + SYMTAB_PAGE - 1) & ~(SYMTAB_PAGE - 1)) + SYMTAB_PAGE;
	}
	for (size_t i = 0; i < t->entries.len; i++) {
		if (n == 0 || e[n - 1].start != e[i].start)
			e[n++] = e[i];
		else if (!symtab_keeps(&e[n - 1], &e[i]))
			e[n - 1] = e[i];
	}
	t->entries.len = n;
}

struct symtab_entry *symtab_find(const struct symtab *t, uint64_t address)
{
	size_t low = 0;
	size_t high = t->entries.len;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (t->entries.data[mid].start <= address)
			low = mid + 1;
		else
			high = mid;
	}
	/* Symbols may nest: an outer one a little before can still cover it. */
	for (size_t back = 0; low > 0 && back < 8; back++, low--) {
		if (address < t->entries.data[low - 1].end)
			return &t->entries.data[low - 1];
	}
	return NULL;
}
