/* SPDX-License-Identifier: MIT */
#include "symbols/symtab.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/sort.h"
#include "symbols/demangle.h"

#include <sys/mman.h>

#define SYMTAB_PAGE      UINT64_C(4096)
#define SYMTAB_MAP_BYTES 65536u /* a smaller table of names is copied and not mapped */
/* names up to this length in bytes are always shown; symtab_may_show() limits longer names */
#define SYMTAB_LONG 256u
/*
 * factor in the limit for the total length of all long names that are shown: the limit is this
 * factor times the size of the name table. It is more than 1, because demangling makes names longer
 */
#define SYMTAB_SHOWN 16u

void symtab_fini(struct symtab *t)
{
	VEC_FREE(&t->entries);
	VEC_FREE(&t->names);
	VEC_FREE(&t->spins);
	if (t->mapping)
		(void)munmap(t->mapping, t->mapping_bytes);
	t->mapping = NULL;
}

bool symtab_add_names(struct symtab *t, struct str names, uint32_t *ret_place)
{
	if (names.len >= SYMTAB_MAPPED - t->names.len)
		return false;
	*ret_place = (uint32_t)t->names.len;
	VEC_APPEND(&t->names, names.p, names.len);
	*VEC_PUSH(&t->names) = '\0';
	return true;
}

bool symtab_map_names(struct symtab *t, int fd, uint64_t offset, struct str names,
		      uint32_t *ret_place)
{
	size_t before = (size_t)(offset % SYMTAB_PAGE);
	void *p;

	if (fd < 0 || t->mapping || names.len < SYMTAB_MAP_BYTES || names.len >= SYMTAB_MAPPED ||
	    names.p[names.len - 1] != '\0' || offset > INT64_MAX)
		return symtab_add_names(t, names, ret_place);
	p = mmap(NULL, before + names.len, PROT_READ, MAP_PRIVATE, fd, (off_t)(offset - before));
	if (p == MAP_FAILED)
		return symtab_add_names(t, names, ret_place);
	t->mapping = p;
	t->mapping_bytes = before + names.len;
	t->mapped = (struct str){ (const char *)p + before, names.len };
	*ret_place = SYMTAB_MAPPED;
	return true;
}

void symtab_add(struct symtab *t, uint64_t start, uint64_t size, struct str name,
		enum symtab_binding binding)
{
	uint32_t place;

	if (symtab_add_names(t, name, &place))
		symtab_add_at(t, start, size, place, binding);
}

/* Sort the entries by start address. Entries with equal start addresses stay in their order. */
static void symtab_sort(struct symtab *t)
{
	size_t n = t->entries.len;
	struct symtab_entry *old = t->entries.data;
	struct symtab_entry *new;
	struct sort_item *items;
	size_t in_order = 1;

	while (in_order < n && old[in_order - 1].start <= old[in_order].start)
		in_order++;
	if (in_order >= n)
		return;
	items = xreallocarray(NULL, n, sizeof(*items));
	new = xreallocarray(NULL, n, sizeof(*new));
	for (size_t i = 0; i < n; i++)
		items[i] = (struct sort_item){ old[i].start, (uint32_t)i };
	sort_items(items, n);
	for (size_t i = 0; i < n; i++)
		new[i] = old[items[i].value];
	free(items);
	free(old);
	t->entries.data = new;
	t->entries.cap = n;
}

static size_t symtab_underscores(struct str name)
{
	size_t n = 0;

	while (n < name.len && name.p[n] == '_')
		n++;
	return n;
}

/*
 * Return the name by which @name is compared: its demangled name, or @name itself if @scratch is
 * NULL.
 */
static struct str symtab_shown(struct arena *scratch, struct str name)
{
	return scratch && demangle_is_mangled(name) ? demangle(scratch, name) : name;
}

/*
 * Whether both names are equal except for the variant of a constructor or destructor (C1, C2).
 * Their demangled names are then equal.
 */
static bool symtab_is_variant(struct str a, struct str b)
{
	size_t at = 0;

	if (a.len != b.len)
		return false;
	while (at < a.len && a.p[at] == b.p[at])
		at++;
	if (at == a.len)
		return true;
	return at > 0 && (a.p[at - 1] == 'C' || a.p[at - 1] == 'D') && char_is_digit(a.p[at]) &&
	       char_is_digit(b.p[at]) && str_eq(str_skip(a, at + 1), str_skip(b, at + 1));
}

/* Two names have the same address; @a is earlier in the table. Whether @a is kept and not @b. */
static bool symtab_keeps_name(struct arena *scratch, struct str a, struct str b)
{
	size_t a_bars;
	size_t b_bars;

	if (!symtab_is_variant(a, b)) {
		a = symtab_shown(scratch, a);
		b = symtab_shown(scratch, b);
	}
	a_bars = symtab_underscores(a);
	b_bars = symtab_underscores(b);
	if (a_bars != b_bars)
		return a_bars < b_bars;
	if (a.len != b.len)
		return a.len > b.len;
	/*
	 * on x86, SyS_... and compat_SyS_... are second names of system calls: keep the other name
	 */
	return !(str_starts(a, STR("SyS")) || str_starts(a, STR("compat_SyS")));
}

/* Two entries have the same address; @a is earlier in the table. Whether @a is kept and not @b. */
static bool symtab_keeps(const struct symtab *t, struct arena *scratch,
			 const struct symtab_entry *a, const struct symtab_entry *b)
{
	bool a_sized = a->end != a->start;
	bool b_sized = b->end != b->start;
	bool keeps;

	if (a_sized != b_sized)
		return a_sized;
	if ((a->binding == SYMTAB_WEAK) != (b->binding == SYMTAB_WEAK))
		return b->binding == SYMTAB_WEAK;
	if ((a->binding == SYMTAB_GLOBAL) != (b->binding == SYMTAB_GLOBAL))
		return a->binding == SYMTAB_GLOBAL;
	keeps = symtab_keeps_name(scratch, symtab_name(t, a), symtab_name(t, b));
	if (scratch)
		arena_clear(scratch);
	return keeps;
}

void symtab_finish(struct symtab *t, bool is_demangled)
{
	struct arena scratch = { .blocks = NULL };
	struct symtab_entry *e;
	size_t n = 0;

	symtab_sort(t);
	e = t->entries.data;
	for (size_t i = 0; i < t->entries.len; i++) {
		if (e[i].end != e[i].start)
			continue;
		if (i + 1 < t->entries.len)
			e[i].end = e[i + 1].start;
		else if (e[i].start < UINT64_MAX - 2 * SYMTAB_PAGE)
			e[i].end =
				((e[i].start + SYMTAB_PAGE - 1) & ~(SYMTAB_PAGE - 1)) + SYMTAB_PAGE;
		else
			e[i].end = UINT64_MAX;
	}
	for (size_t i = 0; i < t->entries.len; i++) {
		if (n == 0 || e[n - 1].start != e[i].start)
			e[n++] = e[i];
		else if (!symtab_keeps(t, is_demangled ? &scratch : NULL, &e[n - 1], &e[i]))
			e[n - 1] = e[i];
	}
	t->entries.len = n;
	VEC_FOREACH (entry, &t->entries)
		entry->sym = SYM_ID_NONE;
	arena_fini(&scratch);
	/*
	 * the comparison of names has loaded pages of the mapped file; few are needed again, so
	 * release them
	 */
	if (t->mapping)
		(void)madvise(t->mapping, t->mapping_bytes, MADV_DONTNEED);
}

struct symtab_entry *symtab_find(const struct symtab *t, uint64_t address)
{
	size_t low = VEC_PARTITION(&t->entries, it, it->start <= address);

	/*
	 * symbols may be nested: the symbol that covers @address may start up to 8 entries earlier
	 */
	for (size_t back = 0; low > 0 && back < 8; back++, low--) {
		if (address < t->entries.data[low - 1].end)
			return &t->entries.data[low - 1];
	}
	return NULL;
}

bool symtab_may_show(struct symtab *t, struct str shown)
{
	uint64_t most = (uint64_t)SYMTAB_SHOWN * (t->names.len + t->mapped.len);

	if (shown.len <= SYMTAB_LONG)
		return true;
	if (t->shown_bytes + shown.len > most)
		return false;
	t->shown_bytes += shown.len;
	return true;
}

bool symtab_spins(const struct symtab *t, uint64_t start)
{
	size_t low = 0, high = t->spins.len;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (t->spins.data[mid] < start)
			low = mid + 1;
		else
			high = mid;
	}
	return low < t->spins.len && t->spins.data[low] == start;
}
