/* SPDX-License-Identifier: MIT */
#include "formats/pprof/pprof_wire.h"

#include "base/str.h"
#include "base/vec.h"

bool pprof_take_varint(struct str *s, uint64_t *ret)
{
	uint64_t v = 0;

	for (unsigned int i = 0; i < 10 && i < s->len; i++) {
		unsigned char c = (unsigned char)s->p[i];

		v |= (uint64_t)(c & 0x7f) << (7 * i);
		if (!(c & 0x80)) {
			*ret = v;
			*s = str_skip(*s, i + 1);
			return true;
		}
	}
	return false;
}

uint64_t pprof_fixed(struct str s, size_t n)
{
	uint64_t v = 0;

	for (size_t i = 0; i < n; i++)
		v |= (uint64_t)(unsigned char)s.p[i] << (8 * i);
	return v;
}

bool pprof_next(struct str *s, struct pprof_item *ret, bool *ret_bad)
{
	uint64_t key;
	uint64_t len;

	*ret = (struct pprof_item){ .field = 0 };
	if (s->len == 0)
		return false;
	*ret_bad = true;
	if (!pprof_take_varint(s, &key) || key >> 3 == 0 || key >> 3 > 0x1fffffff)
		return false;
	ret->field = (unsigned int)(key >> 3);
	switch (key & 7) {
	case 0:
		if (!pprof_take_varint(s, &ret->number))
			return false;
		break;
	case 1:
	case 5:
		len = (key & 7) == 1 ? 8 : 4;
		if (s->len < len)
			return false;
		ret->number = pprof_fixed(*s, (size_t)len);
		*s = str_skip(*s, (size_t)len);
		break;
	case 2:
		if (!pprof_take_varint(s, &len) || len > s->len)
			return false;
		ret->is_bytes = true;
		ret->bytes = str_sub(*s, 0, (size_t)len);
		*s = str_skip(*s, (size_t)len);
		break;
	default:
		return false;
	}
	*ret_bad = false;
	return true;
}

uint64_t pprof_number(struct str message, unsigned int field, bool *ret_bad)
{
	struct pprof_item f;
	bool is_bad = false;
	uint64_t v = 0;

	while (pprof_next(&message, &f, &is_bad)) {
		if (f.field == field && !f.is_bytes)
			v = f.number;
	}
	*ret_bad |= is_bad;
	return v;
}

void pprof_append_numbers(const struct pprof_item *f, struct pprof_numbers *out)
{
	struct str bytes = f->bytes;
	uint64_t v;

	if (!f->is_bytes) {
		*VEC_PUSH(out) = f->number;
		return;
	}
	while (pprof_take_varint(&bytes, &v))
		*VEC_PUSH(out) = v;
}
