/* SPDX-License-Identifier: MIT */
/*
 * cfi_bytes.h - call frame information written byte by byte, for tests of its reader
 */
#ifndef CFI_BYTES_H
#define CFI_BYTES_H

#include "base/idmap.h"
#include "base/vec.h"
#include "symbols/unwind/cfi.h"

#include <elf.h>

#define PLAIN   "\x01\x78\x10" /* of a CIE: alignments 1 and -8, return register 16 */
#define SECTION 0x40000u       /* address of the section */

/* A section that is being written. */
struct bytes {
	uint8_t data[4096 + 512];
	size_t n;
};

static inline void put(struct bytes *b, uint64_t value, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		b->data[b->n++] = (uint8_t)(value >> 8 * i);
}

static inline void put_text(struct bytes *b, const char *text, size_t n)
{
	memcpy(b->data + b->n, text, n);
	b->n += n;
}

/* Begin an entry; returns the place of its length. */
static inline size_t put_entry(struct bytes *b, uint64_t id)
{
	size_t at = b->n;

	put(b, 0, 4);
	put(b, id, 4);
	return at;
}

static inline void put_end(struct bytes *b, size_t at)
{
	size_t n = b->n;

	b->n = at;
	put(b, n - at - 4, 4);
	b->n = n;
}

/* A CIE: code alignment 4, data alignment -8, return address in 16, CFA r7+8, r16 saved at CFA-8.
 */
static inline void put_common(struct bytes *b, bool is_debug)
{
	size_t at = put_entry(b, is_debug ? UINT32_MAX : 0);

	put_text(b, "\x01\0\x04\x78\x10\x0c\x07\x08\x90\x01", 10);
	put_end(b, at);
}

/* The function 0x1000 to 0x1100 with @program, of the CIE at the start. */
static inline void put_function(struct bytes *b, bool is_debug, const char *program, size_t n)
{
	size_t at = put_entry(b, is_debug ? 0 : b->n + 4);

	put(b, 0x1000, 8);
	put(b, 0x100, 8);
	put_text(b, program, n);
	put_end(b, at);
}

static inline void cfi_of(struct cfi *c, const struct bytes *b, bool is_debug)
{
	memset(c, 0, sizeof(*c));
	c->bytes = b->data;
	c->len = b->n;
	c->address = SECTION;
	c->is_debug_frame = is_debug;
	c->machine = EM_X86_64;
	cfi_read_all(c);
}

static inline void cfi_end(struct cfi *c)
{
	idmap_fini(&c->table.entries_map);
	idmap_fini(&c->commons_map);
	VEC_FREE(&c->functions);
	VEC_FREE(&c->commons);
	VEC_FREE(&c->rows);
	VEC_FREE(&c->rules);
}

#endif
