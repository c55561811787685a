/* SPDX-License-Identifier: MIT */
/*
 * edge_mix.h - random changes of a text
 *
 * The same seed makes the same changes on every machine. A change repeats or removes lines,
 * replaces a word by that at the same place of another line, or scales a number.
 */
#ifndef EDGE_MIX_H
#define EDGE_MIX_H

#include "base/arena.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "edge_words.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define EDGE_MIX_LINES 20000u

struct edge_mix {
	VEC(struct str) lines;
	struct arena arena;
	uint64_t random;
};

static inline size_t edge_mix_any(struct edge_mix *m, size_t below)
{
	m->random = m->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return below ? (size_t)(m->random >> 33) % below : 0;
}

/* Repeat @n lines from @at before line @to. */
static inline void edge_mix_repeat(struct edge_mix *m, size_t at, size_t n, size_t to)
{
	struct str copy[8];

	for (size_t i = 0; i < n; i++)
		copy[i] = m->lines.data[at + i];
	for (size_t i = 0; i < n; i++)
		(void)VEC_PUSH(&m->lines);
	memmove(m->lines.data + to + n, m->lines.data + to,
		(m->lines.len - n - to) * sizeof(struct str));
	for (size_t i = 0; i < n; i++)
		m->lines.data[to + i] = copy[i];
}

static inline void edge_mix_remove(struct edge_mix *m, size_t at)
{
	memmove(m->lines.data + at, m->lines.data + at + 1,
		(m->lines.len - at - 1) * sizeof(struct str));
	m->lines.len--;
}

/* Write @number times @tenths / 10, with as many decimals. */
static inline void edge_mix_scale(struct str number, uint64_t tenths, struct out *ret)
{
	size_t dot = str_find_char(number, '.'), at;
	size_t decimals = dot < number.len ? number.len - dot - 1 : 0;
	char digits[40];
	uint64_t value = 0;

	for (size_t i = 0; i < number.len; i++) {
		if (i != dot)
			value = value * 10 + (uint64_t)(number.p[i] - '0');
	}
	value = value * tenths / 10;
	(void)snprintf(
		digits, sizeof(digits), "%0*llu",
		(int)(number.p[0] == '0' && dot > 1 ? number.len - (decimals > 0) : decimals + 1),
		(unsigned long long)value);
	at = strlen(digits) - decimals;
	out_printf(ret, "%.*s%s%s", (int)at, digits, decimals ? "." : "", digits + at);
}

/* Whether a number is none of a version or an address, which have two dots or many digits. */
static inline bool edge_mix_is_plain(struct str number)
{
	size_t dots = 0;

	for (size_t i = 0; i < number.len; i++)
		dots += number.p[i] == '.';
	return number.len <= 12 && dots < 2;
}

/* Scale one number of line @at. */
static inline void edge_mix_number(struct edge_mix *m, size_t at)
{
	static const unsigned int tenths[] = { 0, 1, 5, 8, 9, 11, 13, 20, 30, 100, 1000 };
	struct str line = m->lines.data[at], before, number;
	struct out made = { .fd = -1 };
	size_t n = 0, which;

	while (edge_number(&line, &before, &number))
		n++;
	which = edge_mix_any(m, n);
	line = m->lines.data[at];
	for (size_t i = 0; edge_number(&line, &before, &number); i++) {
		out_str(&made, before);
		if (i == which && edge_mix_is_plain(number))
			edge_mix_scale(number, tenths[edge_mix_any(m, ARRAY_LEN(tenths))], &made);
		else
			out_str(&made, number);
	}
	out_str(&made, line);
	m->lines.data[at] = arena_str(&m->arena, out_view(&made));
	out_fini(&made);
}

/* Replace one word of line @at by the word at the same place of line @of. */
static inline void edge_mix_word(struct edge_mix *m, size_t at, size_t of)
{
	struct str line = m->lines.data[at], other = m->lines.data[of], before, word, by = STR("x");
	struct out made = { .fd = -1 };
	size_t n = 0, which;

	while (edge_word(&line, &before, &word))
		n++;
	which = edge_mix_any(m, n);
	for (size_t i = 0; i <= which && edge_word(&other, &before, &word); i++) {
		if (i == which)
			by = word;
	}
	line = m->lines.data[at];
	for (size_t i = 0; edge_word(&line, &before, &word); i++) {
		out_str(&made, before);
		out_str(&made, i == which ? by : word);
	}
	out_str(&made, before);
	m->lines.data[at] = arena_str(&m->arena, out_view(&made));
	out_fini(&made);
}

static inline void edge_mix_one(struct edge_mix *m)
{
	size_t at = edge_mix_any(m, m->lines.len), n;

	switch (edge_mix_any(m, 8)) {
	case 0:
	case 1:
		n = 1 + edge_mix_any(m, 8);
		if (n > m->lines.len - at)
			n = m->lines.len - at;
		edge_mix_repeat(m, at, n,
				edge_mix_any(m, 2) ? at + n : edge_mix_any(m, m->lines.len));
		break;
	case 2:
		if (m->lines.len > 1)
			edge_mix_remove(m, at);
		break;
	case 3:
	case 4:
	case 5:
		edge_mix_number(m, at);
		break;
	default:
		edge_mix_word(m, at, edge_mix_any(m, m->lines.len));
		break;
	}
}

/* Write @text with @n changes of the seed @seed. */
static inline void edge_mix(struct str text, unsigned int seed, unsigned int n, struct out *ret)
{
	struct edge_mix m = { .lines = VEC_INIT, .random = seed };
	struct str line;

	(void)edge_mix_any(&m, 1);
	while (m.lines.len < EDGE_MIX_LINES && str_line(&text, &line))
		*VEC_PUSH(&m.lines) = line;
	for (unsigned int i = 0; i < n && m.lines.len && m.lines.len < EDGE_MIX_LINES; i++)
		edge_mix_one(&m);
	VEC_FOREACH (l, &m.lines) {
		out_str(ret, *l);
		out_char(ret, '\n');
	}
	VEC_FREE(&m.lines);
	arena_fini(&m.arena);
}

#endif
