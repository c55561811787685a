/* SPDX-License-Identifier: MIT */
/* risk_pack.c - convert the metrics of one file to bytes and back */
#include "metrics/risk_pack.h"

#include "base/arena.h"
#include "base/str.h"
#include "base/vec.h"
#include "metrics/code/c_metrics.h"
#include "metrics/code/c_names.h"
#include "metrics/compat/compat.h"
#include "metrics/risk.h"
#include "metrics/risk_part.h"

#include <math.h>

/* integers below 2^28 are packed into one to four bytes; any other value is packed as a double */
#define PACK_SMALL 268435456.0

enum pack_flags {
	PACK_STATIC = 1 << 0,
	PACK_ERROR = 1 << 1,
	PACK_UNMEASURED = 1 << 2,
	PACK_COMPAT = 1 << 3,
	PACK_FLAGS = 1 << 4,
};

static void pack_uint(struct risk_bytes *b, uint64_t v)
{
	for (; v >= 128; v >>= 7)
		*VEC_PUSH(&b->bytes) = (uint8_t)(v | 128);
	*VEC_PUSH(&b->bytes) = (uint8_t)v;
}

/*
 * Pack a number. NaN becomes 0, a small integer i becomes i + 2. Any other number becomes a 1 and
 * the 8 bytes of the double.
 */
static void pack_number(struct risk_bytes *b, double v)
{
	uint64_t bits;

	if (isnan(v)) {
		pack_uint(b, 0);
	} else if (v >= 0 && v < PACK_SMALL && v == floor(v) && !signbit(v)) {
		pack_uint(b, (uint64_t)v + 2);
	} else {
		pack_uint(b, 1);
		memcpy(&bits, &v, sizeof(bits));
		for (unsigned int i = 0; i < 64; i += 8)
			*VEC_PUSH(&b->bytes) = (uint8_t)(bits >> i);
	}
}

static void pack_function(struct risk_bytes *b, struct c_names *names, const struct risk_part *part,
			  const struct risk_function *f)
{
	pack_uint(b, c_names_add(names, f->name));
	pack_uint(b, c_names_add(names, f->macro));
	pack_uint(b, f->head_line);
	pack_uint(b, f->line - f->head_line);
	pack_uint(b, f->last_line - f->line);
	pack_uint(b, f->entry);
	pack_uint(b, (f->is_static ? PACK_STATIC : 0u) | (f->has_error ? PACK_ERROR : 0u) |
			     (f->is_unmeasured ? PACK_UNMEASURED : 0u) |
			     (f->has_compat ? PACK_COMPAT : 0u));
	for (unsigned int i = 0; i < C_METRIC_COUNT; i++)
		pack_number(b, f->m[i]);
	for (unsigned int i = 0; f->has_compat && i <= COMPAT_COLUMNS; i++)
		pack_number(b, f->c[i]);
	pack_uint(b, f->n_calls);
	for (uint32_t i = f->calls; i < f->calls + f->n_calls; i++)
		pack_uint(b, c_names_add(names, part->call_names.data[i]));
}

void risk_pack(const struct risk_part *part, struct risk_bytes *ret)
{
	struct c_names names = { .names = VEC_INIT };
	struct risk_bytes b = { .bytes = VEC_INIT };

	VEC_FOREACH (f, &part->functions)
		pack_function(&b, &names, part, f);
	for (uint32_t i = 0; i < part->entries.len; i++) {
		pack_uint(&b, c_names_add(&names, part->entries.data[i]));
		pack_uint(&b, part->entry_kinds.data[i]);
	}
	pack_uint(ret, part->is_compat_cut);
	pack_uint(ret, names.names.len);
	VEC_FOREACH (name, &names.names) {
		pack_uint(ret, name->len);
		VEC_APPEND(&ret->bytes, (const uint8_t *)name->p, name->len);
	}
	pack_uint(ret, part->functions.len);
	pack_uint(ret, part->call_names.len);
	pack_uint(ret, part->entries.len);
	VEC_APPEND(&ret->bytes, b.bytes.data, b.bytes.len);
	VEC_FREE(&b.bytes);
	c_names_fini(&names);
}

struct pack_reader {
	const uint8_t *at;
	const uint8_t *end;
	bool is_bad;
	/*
	 * the names that were read so far; packed functions and calls contain indices in this list
	 */
	VEC(struct str) names;
};

static uint64_t unpack_uint(struct pack_reader *r)
{
	uint64_t v = 0;

	for (unsigned int shift = 0; r->at < r->end && shift < 63; shift += 7) {
		uint8_t byte = *r->at++;

		v |= (uint64_t)(byte & 127) << shift;
		if (!(byte & 128))
			return v;
	}
	r->is_bad = true;
	return 0;
}

/* Read an integer. Set is_bad if it exceeds @max. */
static uint32_t unpack_u32(struct pack_reader *r, uint64_t max)
{
	uint64_t v = unpack_uint(r);

	r->is_bad |= v > max;
	return v > max ? 0 : (uint32_t)v;
}

static double unpack_number(struct pack_reader *r)
{
	uint64_t v = unpack_uint(r);
	uint64_t bits = 0;
	double d;

	if (v == 0)
		return NAN;
	if (v > 1) {
		r->is_bad |= v - 2 >= (uint64_t)PACK_SMALL;
		return (double)(v - 2);
	}
	if (r->end - r->at < 8) {
		r->is_bad = true;
		return 0;
	}
	for (unsigned int i = 0; i < 64; i += 8)
		bits |= (uint64_t)*r->at++ << i;
	memcpy(&d, &bits, sizeof(d));
	/* metrics are finite and not negative, so other values are damage */
	if (!isfinite(d) || d < 0)
		r->is_bad = true;
	return d;
}

static struct str unpack_name(struct pack_reader *r)
{
	uint32_t i = unpack_u32(r, UINT32_MAX);

	r->is_bad |= i >= r->names.len;
	return r->is_bad ? STR_NONE : r->names.data[i];
}

static void unpack_names(struct pack_reader *r, struct risk_part *part)
{
	uint64_t n = unpack_uint(r);

	while (n-- > 0 && !r->is_bad) {
		uint64_t len = unpack_uint(r);

		if (r->is_bad || len > (uint64_t)(r->end - r->at)) {
			r->is_bad = true;
			return;
		}
		*VEC_PUSH(&r->names) =
			arena_str(&part->arena, (struct str){ (const char *)r->at, (size_t)len });
		r->at += len;
	}
}

static void unpack_function(struct pack_reader *r, struct risk_part *part, struct risk_function *f)
{
	/* limit of line numbers: a file has at most one line more than it has bytes */
	uint64_t lines = part->file.bytes + 1;
	unsigned int flags;

	*f = (struct risk_function){ .name = unpack_name(r) };
	f->macro = unpack_name(r);
	f->head_line = unpack_u32(r, lines);
	f->line = f->head_line + unpack_u32(r, lines - f->head_line);
	f->last_line = f->line + unpack_u32(r, lines - f->line);
	f->entry = (uint8_t)unpack_u32(r, ENTRY_MAIN);
	flags = unpack_u32(r, PACK_FLAGS - 1);
	f->is_static = flags & PACK_STATIC;
	f->has_error = flags & PACK_ERROR;
	f->is_unmeasured = flags & PACK_UNMEASURED;
	f->has_compat = flags & PACK_COMPAT;
	for (unsigned int i = 0; i < C_METRIC_COUNT; i++)
		f->m[i] = unpack_number(r);
	for (unsigned int i = C_METRIC_COUNT; i < RISK_METRIC_COUNT; i++)
		f->m[i] = NAN;
	for (unsigned int i = 0; f->has_compat && i <= COMPAT_COLUMNS; i++)
		f->c[i] = unpack_number(r);
	f->n_calls = unpack_u32(r, (uint64_t)(r->end - r->at));
	f->calls = (uint32_t)part->call_names.len;
	for (uint32_t i = 0; i < f->n_calls && !r->is_bad; i++)
		*VEC_PUSH(&part->call_names) = unpack_name(r);
	r->is_bad |= f->name.len == 0 || f->head_line == 0;
}

bool risk_unpack(const uint8_t *bytes, size_t n, struct risk_part *part)
{
	struct pack_reader r = { .at = bytes, .end = bytes + n };
	uint32_t n_functions;
	uint32_t n_calls;
	uint32_t n_entries;

	part->is_compat_cut = unpack_u32(&r, 1);
	unpack_names(&r, part);
	/* each item takes at least one byte, so a count above @n is damage */
	n_functions = unpack_u32(&r, n);
	n_calls = unpack_u32(&r, n);
	n_entries = unpack_u32(&r, n);
	if (!r.is_bad) {
		VEC_RESERVE(&part->call_names, n_calls);
		VEC_RESERVE(&part->functions, n_functions / C_METRIC_COUNT + 1);
	}
	for (uint32_t i = 0; i < n_functions && !r.is_bad; i++)
		unpack_function(&r, part, VEC_PUSH(&part->functions));
	for (uint32_t i = 0; i < n_entries && !r.is_bad; i++) {
		*VEC_PUSH(&part->entries) = unpack_name(&r);
		*VEC_PUSH(&part->entry_kinds) = (uint8_t)unpack_u32(&r, ENTRY_MAIN);
	}
	VEC_FREE(&r.names);
	return !r.is_bad && r.at == r.end && part->call_names.len == n_calls;
}
