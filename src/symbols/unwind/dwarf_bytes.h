/* SPDX-License-Identifier: MIT */
/*
 * dwarf_bytes.h - read DWARF numbers from a range of bytes
 *
 * A read beyond the end of the range returns 0 and sets is_over, so one check after all reads is
 * enough. Numbers are little endian, as on all machines for which unwinding is supported.
 */
#ifndef SYMBOLS_DWARF_BYTES_H
#define SYMBOLS_DWARF_BYTES_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct dwarf_bytes {
	const uint8_t *p; /* start of the section; the range is a part of it */
	size_t at, end;
	bool is_over;
};

static inline uint64_t dwarf_bytes_fixed(struct dwarf_bytes *b, unsigned int n)
{
	uint64_t v = 0;

	if (b->is_over || n > b->end - b->at) {
		b->is_over = true;
		return 0;
	}
	memcpy(&v, b->p + b->at, n);
	b->at += n;
	/* all machines supported for unwinding are little endian */
	return le64toh(v);
}

static inline int64_t dwarf_bytes_signed(struct dwarf_bytes *b, unsigned int n)
{
	uint64_t v = dwarf_bytes_fixed(b, n);
	unsigned int shift = 64 - 8 * n;

	return (int64_t)(v << shift) >> shift;
}

static inline uint64_t dwarf_bytes_uleb(struct dwarf_bytes *b)
{
	uint64_t v = 0;

	for (unsigned int shift = 0;; shift += 7) {
		uint64_t byte = dwarf_bytes_fixed(b, 1);

		if (shift < 64)
			v |= (byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return v;
	}
}

static inline int64_t dwarf_bytes_sleb(struct dwarf_bytes *b)
{
	uint64_t v = 0;

	for (unsigned int shift = 0;; shift += 7) {
		uint64_t byte = dwarf_bytes_fixed(b, 1);

		if (shift < 64)
			v |= (byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			if ((byte & 0x40) && shift + 7 < 64)
				v |= UINT64_MAX << (shift + 7);
			return (int64_t)v;
		}
	}
}

static inline void dwarf_bytes_skip(struct dwarf_bytes *b, uint64_t n)
{
	if (b->is_over || n > b->end - b->at)
		b->is_over = true;
	else
		b->at += (size_t)n;
}

#endif
