/* SPDX-License-Identifier: MIT */
#include "formats/perf_script/perf_script_block.h"

#include "base/idmap.h"
#include "base/status.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define BLOCK_CHUNK 64u

/* Bit i is set if p[i] is a newline. Reads 64 bytes. */
static uint64_t block_newlines(const char *p)
{
	uint64_t bits = 0;
#ifdef __SSE2__
	const __m128i nl = _mm_set1_epi8('\n');

	for (unsigned int i = 0; i < BLOCK_CHUNK; i += 16) {
		__m128i v;

		memcpy(&v, p + i, sizeof(v));
		bits |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(v, nl)) << i;
	}
#else
	for (unsigned int i = 0; i < BLOCK_CHUNK; i++)
		bits |= (uint64_t)(p[i] == '\n') << i;
#endif
	return bits;
}

static inline uint64_t block_word(const char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/*
 * Hash four words of the line: the address, after one tab, and words in the middle and at the
 * end. Lines that differ elsewhere collide; users of the hash compare the bytes.
 */
static inline uint64_t block_hash_line(const char *p, size_t len)
{
	uint64_t v = 0;

	if (LIKELY(len >= 17))
		return hash_u64(block_word(p + 1) ^ len, block_word(p + 9)) ^
		       hash_u64(block_word(p + len / 2), block_word(p + len - 8) + len);
	memcpy(&v, p, len < 8 ? len : 8);
	return hash_u64(v, len >= 8 ? block_word(p + len - 8) + len : len);
}

/* Add the line that ends at @nl. False: the line is empty, or there are too many. */
static inline bool block_take(struct script_block *b, const char *p, uint32_t nl, bool *ret_is_end)
{
	uint32_t start = b->starts[b->n_lines];

	if (UNLIKELY(nl == start)) {
		*ret_is_end = b->n_lines > 0;
		return false;
	}
	if (UNLIKELY(b->n_lines == SCRIPT_BLOCK_LINES))
		return false;
	b->hashes[b->n_lines++] = block_hash_line(p + start, nl - start);
	b->starts[b->n_lines] = nl + 1;
	return true;
}

/* Convert hashes of lines to hashes of all following text. */
static void block_sum(struct script_block *b)
{
	uint64_t hash = 0;

	for (uint32_t i = b->n_lines; i-- > 0;) {
		hash = hash_u64(b->hashes[i], hash);
		b->hashes[i] = hash;
	}
}

void script_block_read(struct script_block *b, struct str text, size_t at, size_t *ret_seen)
{
	struct str s = str_sub(text, at, at + SCRIPT_BLOCK_BYTES);
	bool is_end = false;
	uint32_t i = 0;
	uint64_t bits;

	b->n_lines = 0;
	b->starts[0] = 0;
	for (; i + BLOCK_CHUNK <= s.len; i += BLOCK_CHUNK) {
		for (bits = block_newlines(s.p + i); bits; bits &= bits - 1) {
			if (!block_take(b, s.p, i + (uint32_t)__builtin_ctzll(bits), &is_end))
				goto done;
		}
	}
	for (; i < s.len; i++) {
		if (s.p[i] == '\n' && !block_take(b, s.p, i, &is_end))
			goto done;
	}
done:
	*ret_seen = at + i;
	if (!is_end)
		b->n_lines = 0;
	b->end = at + b->starts[b->n_lines] - (b->n_lines > 0);
	block_sum(b);
}
