/* SPDX-License-Identifier: MIT */
/*
 * cfi_table.c - search the linker's table .eh_frame_hdr, so that only the entries of sampled
 * functions are read
 *
 * Source: Linux Standard Base Core, "The .eh_frame_hdr section".
 */
#include "symbols/unwind/cfi.h"

#include "base/idmap.h"

#include <endian.h>

/* size of the table's header: version, three encodings, address of .eh_frame, number of entries */
#define TABLE_HEAD  12u
#define TABLE_ENTRY 8u

static uint32_t table_u32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return le32toh(v);
}

/* Read the address at @p, which is stored relative to the table. */
static uint64_t table_address(const struct cfi *c, const uint8_t *p)
{
	return c->table.address + (uint64_t)(int64_t)(int32_t)table_u32(p);
}

void cfi_table_open(struct cfi *c, const uint8_t *header, size_t len)
{
	/*
	 * the usual header: version 1; address of .eh_frame is pc-relative sdata4; number of
	 * entries is udata4; entries are table-relative sdata4
	 */
	static const uint8_t usual[4] = { 1, 0x1b, 0x03, 0x3b };
	uint32_t n;

	if (len < TABLE_HEAD || memcmp(header, usual, sizeof(usual)) != 0)
		return;
	n = table_u32(header + 8);
	if (n == 0 || n > (len - TABLE_HEAD) / TABLE_ENTRY)
		return;
	c->table.entries = header + TABLE_HEAD;
	c->table.n = n;
}

/*
 * Find the last entry whose function starts at @address or before. Returns its index plus 1; 0:
 * none.
 */
static uint32_t table_search(const struct cfi *c, uint64_t address)
{
	uint32_t low = 0;
	uint32_t high = c->table.n;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (table_address(c, c->table.entries + (size_t)mid * TABLE_ENTRY) <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

struct cfi_function *cfi_table_find(struct cfi *c, uint64_t address)
{
	uint32_t i = table_search(c, address);
	struct idmap_probe p;
	const uint8_t *entry;
	uint64_t at;

	if (i-- == 0)
		return NULL;
	p = idmap_first(&c->table.entries_map, hash_u64(i, 3));
	while (idmap_next(&c->table.entries_map, &p)) {
		if (c->functions.data[p.id].in_table == i)
			return &c->functions.data[p.id];
	}
	entry = c->table.entries + (size_t)i * TABLE_ENTRY;
	at = table_address(c, entry + 4) - c->address;
	if (at < c->len && cfi_read_entry(c, (size_t)at)) {
		struct cfi_function *f = &c->functions.data[c->functions.len - 1];

		if (f->start == table_address(c, entry)) {
			f->in_table = i;
			idmap_insert(&c->table.entries_map, &p, (uint32_t)c->functions.len - 1);
			return f;
		}
	}
	cfi_read_all(c);
	return NULL;
}
