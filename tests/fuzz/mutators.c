/* SPDX-License-Identifier: MIT */
#include "mutators.h"

#include <stdio.h>
#include <string.h>

#define EDGES                                                                                 \
	0, 1, 7, 8, 9, 16, 127, 128, 255, 256, 32767, 32768, 65528, 65535, 65536, 0x7fffffff, \
		0x80000000, 0xfffffff8, 0xffffffff, 0x100000000, 0x7fffffffffffffff,          \
		0x8000000000000000, 0xfffffffffffffff8, 0xffffffffffffffff

static const uint64_t mutation_edges[] = { EDGES };
#define N_EDGES (sizeof(mutation_edges) / sizeof(mutation_edges[0]))

uint64_t mutation_random(struct mutation *m, uint64_t below)
{
	uint64_t z = m->random += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return below ? (z ^ z >> 31) % below : z ^ z >> 31;
}

/* Replace [at, at + old) by @n bytes. False: no room. */
static bool mutation_replace(struct mutation *m, size_t at, size_t old, const void *with, size_t n)
{
	uint8_t copy[4096];

	if (n > sizeof(copy) || at > m->len || old > m->len - at || m->len - old + n > m->room)
		return false;
	if (n)
		memcpy(copy, with, n); /* source and target may overlap */
	memmove(m->data + at + n, m->data + at + old, m->len - at - old);
	if (n)
		memcpy(m->data + at, copy, n);
	m->len = m->len - old + n;
	return true;
}

static uint64_t mutation_get(const struct mutation *m, size_t at, size_t width)
{
	uint64_t v = 0;

	if (at <= m->len && width <= m->len - at)
		memcpy(&v, m->data + at, width);
	return v;
}

static void mutation_put(struct mutation *m, size_t at, size_t width, uint64_t v)
{
	if (at <= m->len && width <= m->len - at)
		memcpy(m->data + at, &v, width);
}

/*
 * perf.data: record @at is [type u32][misc u16][size u16]. Duplicate, drop, cut, extend or
 * modify one, and fix the size of the data section.
 */
static void mutation_perf(struct mutation *m)
{
	size_t from = (size_t)mutation_get(m, 40, 8);
	uint64_t size = mutation_get(m, 48, 8);
	size_t starts[256];
	size_t n = 0;
	size_t before = m->len;
	size_t at;
	size_t len;

	if (from < 104 || from >= m->len)
		return;
	for (at = from; at + 8 <= m->len && at - from < size && n < 256;) {
		starts[n++] = at;
		len = (size_t)mutation_get(m, at + 6, 2);
		if (len < 8)
			break;
		at += len;
	}
	if (n == 0)
		return;
	at = starts[mutation_random(m, n)];
	len = (size_t)mutation_get(m, at + 6, 2);
	if (len < 8 || len > 4096 || len > m->len - at)
		return;
	switch (mutation_random(m, 6)) {
	case 0:
		(void)mutation_replace(m, at, 0, m->data + at, len);
		break;
	case 1:
		(void)mutation_replace(m, at, len, NULL, 0);
		break;
	case 2: /* shorter, with its size adjusted */
		if (len > 16 && mutation_replace(m, at + len - 8, 8, NULL, 0))
			mutation_put(m, at + 6, 2, len - 8);
		break;
	case 3: /* longer */
		if (mutation_replace(m, at + len, 0, &mutation_edges[mutation_random(m, N_EDGES)],
				     8))
			mutation_put(m, at + 6, 2, len + 8);
		break;
	case 4: /* another type */
		mutation_put(m, at, 4, mutation_random(m, mutation_random(m, 2) ? 22 : 90));
		break;
	default: /* one of its fields */
		if (len > 16)
			mutation_put(m, at + 8 + 8 * mutation_random(m, len / 8 - 1), 8,
				     mutation_random(m, 3)
					     ? mutation_edges[mutation_random(m, N_EDGES)]
					     : mutation_random(m, 0));
		break;
	}
	mutation_put(m, 48, 8, size + m->len - before);
}

static size_t mutation_varint(const struct mutation *m, size_t at, uint64_t *ret)
{
	size_t n = 0;

	*ret = 0;
	while (at + n < m->len && n < 10) {
		*ret |= (uint64_t)(m->data[at + n] & 127) << 7 * n;
		if (!(m->data[at + n++] & 128))
			return n;
	}
	return 0;
}

static size_t mutation_varint_write(uint8_t *p, uint64_t v)
{
	size_t n = 0;

	for (; v > 127; v >>= 7)
		p[n++] = (uint8_t)(v | 128);
	p[n++] = (uint8_t)v;
	return n;
}

/*
 * protobuf: duplicate or drop a top-level field, or change its number or length; lengths stay
 * valid.
 */
static void mutation_protobuf(struct mutation *m)
{
	struct {
		size_t at;
		size_t body;
		size_t end;
	} fields[128];
	size_t n = 0;
	uint8_t head[20];
	size_t used;
	uint64_t v;

	for (size_t at = 0; at < m->len && n < 128;) {
		size_t key = mutation_varint(m, at, &v);
		unsigned int wire = (unsigned int)(v & 7);
		size_t more = key ? mutation_varint(m, at + key, &v) : 0;

		if (!more || (wire != 0 && (wire != 2 || v > m->len - at - key - more)))
			break;
		fields[n].at = at;
		fields[n].body = at + key + more;
		at = fields[n].end = fields[n].body + (wire == 2 ? (size_t)v : 0);
		n++;
	}
	if (n == 0)
		return;
	n = (size_t)mutation_random(m, n);
	switch (mutation_random(m, 4)) {
	case 0:
		(void)mutation_replace(m, fields[n].at, 0, m->data + fields[n].at,
				       fields[n].end - fields[n].at);
		break;
	case 1:
		(void)mutation_replace(m, fields[n].at, fields[n].end - fields[n].at, NULL, 0);
		break;
	case 2: /* give the field another number */
		m->data[fields[n].at] =
			(uint8_t)((1 + mutation_random(m, 15)) << 3 | (m->data[fields[n].at] & 7));
		break;
	default: /* extend a nested message by two bytes: one more field */
		used = mutation_varint_write(head, fields[n].end - fields[n].body + 2);
		if (fields[n].end > fields[n].body &&
		    mutation_replace(m, fields[n].end, 0, "\x08\x7f", 2))
			(void)mutation_replace(m, fields[n].at + 1,
					       fields[n].body - fields[n].at - 1, head, used);
		break;
	}
}

/* Find the line around @at: [*ret_from, *ret_to), with its newline. */
static void mutation_line(const struct mutation *m, size_t at, size_t *ret_from, size_t *ret_to)
{
	const uint8_t *end = memchr(m->data + at, '\n', m->len - at);

	*ret_from = at;
	while (*ret_from > 0 && m->data[*ret_from - 1] != '\n')
		--*ret_from;
	*ret_to = end ? (size_t)(end - m->data) + 1 : m->len;
}

/* Replace a number of a line by another one. */
static void mutation_number(struct mutation *m, size_t from, size_t to)
{
	char text[24];
	size_t at = from + (size_t)mutation_random(m, to - from);
	size_t len = 0;
	int n;

	while (at < to && (m->data[at] < '0' || m->data[at] > '9'))
		at++;
	while (at + len < to && m->data[at + len] >= '0' && m->data[at + len] <= '9')
		len++;
	if (len == 0)
		return;
	n = snprintf(text, sizeof(text), "%llu",
		     (unsigned long long)mutation_edges[mutation_random(m, N_EDGES)]);
	(void)mutation_replace(m, at, len, text, (size_t)n);
}

static void mutation_text(struct mutation *m)
{
	static const char *const pieces[] = { "\t", " ",  "|",    ";",  "  }\n", "{\n",
					      "%",  ":",  "-",    "\n", "\r\n",  "> ",
					      "=",  "\"", "[k] ", "0x", "." };
	size_t at = (size_t)mutation_random(m, m->len);
	size_t other = (size_t)mutation_random(m, m->len);
	size_t from;
	size_t to;
	size_t from2;
	size_t to2;

	mutation_line(m, at, &from, &to);
	mutation_line(m, other, &from2, &to2);
	switch (mutation_random(m, 7)) {
	case 0:
		(void)mutation_replace(m, from, 0, m->data + from, to - from);
		break;
	case 1:
		(void)mutation_replace(m, from, to - from, NULL, 0);
		break;
	case 2: /* insert another line */
		(void)mutation_replace(m, from, mutation_random(m, 2) ? to - from : 0,
				       m->data + from2, to2 - from2);
		break;
	case 3: /* break the line here, as mailers do, or remove its end */
		(void)mutation_replace(m, at, 0, "\n", 1);
		break;
	case 4:
		if (to > from && to <= m->len && m->data[to - 1] == '\n')
			(void)mutation_replace(m, to - 1, 1, NULL, 0);
		break;
	case 5:
		mutation_number(m, from, to);
		break;
	default: {
		const char *piece = pieces[mutation_random(m, sizeof(pieces) / sizeof(pieces[0]))];

		(void)mutation_replace(m, at, 0, piece, strlen(piece));
		break;
	}
	}
}

bool mutation_step(struct mutation *m)
{
	if (m->len == 0)
		return false;
	if (m->len > 112 && memcmp(m->data, "PERFILE2", 8) == 0)
		mutation_perf(m);
	else if (m->data[0] == 0x0a && m->len > 4 && memchr(m->data, 0, m->len < 64 ? m->len : 64))
		mutation_protobuf(m);
	else if (!memchr(m->data, 0, m->len < 512 ? m->len : 512))
		mutation_text(m);
	else
		return false;
	return true;
}
