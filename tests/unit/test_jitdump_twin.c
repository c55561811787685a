/* SPDX-License-Identifier: MIT */
/* Random jitdumps, whole and damaged, read by jitdump_read() and by a plain reader. */
#include "unit.h"

#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "jitdumps.h"
#include "symbols/jitdump.h"

#include <stdio.h>
#include <stdlib.h>

#define CODES_MAX 64
#define LINES_MAX 512
#define ELF_BYTES 64 /* that V8 adds to offsets of lines */

struct line {
	uint64_t offset;
	uint32_t line;
	char file[256];
};

struct code {
	uint64_t start, end, from, until, index;
	char name[256];
	struct line lines[16];
	size_t n_lines;
};

/* The plain reader's result. */
struct plain {
	struct code codes[CODES_MAX]; /* in the order of their records */
	size_t n;
	uint64_t n_bad, n_unknown, n_unwinding, n_wrong;
	uint64_t at_start, beyond;
	bool is_closed, is_cut;
	/* lines of the code that the next record loads */
	struct line lines[16];
	size_t n_lines;
	uint64_t lines_of;
};

static uint64_t number(const uint8_t *p, size_t n)
{
	uint64_t v = 0;

	for (size_t i = n; i-- > 0;)
		v = v << 8 | p[i];
	return v;
}

static void plain_load(struct plain *d, const uint8_t *p, size_t total, uint64_t time)
{
	struct code c = { .from = time, .until = UINT64_MAX };
	uint64_t size, at_start = 0, beyond = 0;
	bool fits = true;

	if (total <= 56) {
		d->n_bad++;
		return;
	}
	c.start = number(p + 32, 8);
	size = number(p + 40, 8);
	c.index = number(p + 48, 8);
	if (size > UINT64_MAX - c.start) {
		d->n_bad++;
		return;
	}
	c.end = c.start + size;
	(void)snprintf(c.name, sizeof(c.name), "%.*s", (int)(total - 56), (const char *)p + 56);
	if (!size || !c.name[0])
		return;
	for (size_t i = 0; i < d->n_lines; i++) {
		uint64_t offset = d->lines[i].offset;

		/* lines are in the code, or as far behind it as an ELF header moves them */
		fits &= offset < size + ELF_BYTES && (!i || offset >= d->lines[i - 1].offset);
		at_start += offset < ELF_BYTES;
		beyond += offset >= size;
	}
	if (d->n_lines && d->lines_of == c.start && fits) {
		d->at_start += at_start;
		d->beyond += beyond;
		fits = !at_start || !beyond;
	} else {
		fits = false;
	}
	if (fits) {
		memcpy(c.lines, d->lines, sizeof(c.lines));
		c.n_lines = d->n_lines;
	} else if (d->n_lines) {
		d->n_wrong++;
	}
	d->n_lines = 0;
	d->codes[d->n++] = c;
}

static void plain_move(struct plain *d, const uint8_t *p, size_t total, uint64_t time)
{
	struct code *old = NULL;
	struct code new;

	for (size_t i = 0; i < d->n && total >= 64; i++) {
		if (d->codes[i].index == number(p + 56, 8))
			old = &d->codes[i];
	}
	if (!old || old->start != number(p + 32, 8) || time < old->from || !number(p + 48, 8) ||
	    number(p + 48, 8) > UINT64_MAX - number(p + 40, 8)) {
		d->n_bad++;
		return;
	}
	new = *old;
	new.start = number(p + 40, 8);
	new.end = new.start + number(p + 48, 8);
	new.from = time;
	old->until = time;
	d->codes[d->n++] = new;
}

static bool is_name(const char *s)
{
	for (; *s; s++) {
		if ((uint8_t)*s < 0x20 || *s == 0x7f)
			return false;
	}
	return true;
}

static void plain_debug(struct plain *d, const uint8_t *p, size_t total)
{
	size_t at = 32;
	const char *file = "";

	d->n_lines = 0;
	if (total < 32) {
		d->n_bad++;
		return;
	}
	d->lines_of = number(p + 16, 8);
	for (uint64_t i = 0; i < number(p + 24, 8); i++) {
		struct line l;
		size_t end = at + 16;

		while (end < total && p[end])
			end++;
		if (end >= total || number(p + at, 8) - d->lines_of > INT32_MAX)
			goto wrong;
		l.offset = number(p + at, 8) - d->lines_of;
		l.line = (uint32_t)number(p + at + 8, 4);
		if (strcmp((const char *)p + at + 16, "\xff") != 0)
			file = (const char *)p + at + 16;
		if (!*file || !is_name(file))
			goto wrong;
		(void)snprintf(l.file, sizeof(l.file), "%s", file);
		d->lines[d->n_lines++] = l;
		at = end + 1;
	}
	return;
wrong:
	d->n_lines = 0;
	d->n_wrong++;
}

static void plain_read(struct plain *d, const uint8_t *p, size_t len)
{
	memset(d, 0, sizeof(*d));
	for (size_t at = 40; !d->is_closed && at < len;) {
		uint64_t total = len - at >= 16 ? number(p + at + 4, 4) : UINT64_MAX;
		uint64_t time = len - at >= 16 ? number(p + at + 8, 8) : 0;

		if (total < 16) {
			d->n_bad++;
			return;
		}
		d->is_cut = total > len - at;
		if (d->is_cut)
			return;
		switch (number(p + at, 4)) {
		case 0:
			plain_load(d, p + at, total, time);
			break;
		case 1:
			plain_move(d, p + at, total, time);
			break;
		case 2:
			plain_debug(d, p + at, total);
			break;
		case 3:
			d->is_closed = true;
			break;
		case 4:
			d->n_unwinding++;
			break;
		default:
			d->n_unknown++;
		}
		at += total;
	}
}

static bool is_later(const struct code *a, const struct code *b)
{
	return a->from > b->from || (a->from == b->from && a > b);
}

/* The code at an address: the latest that was there at a time, or else the next one. */
static const struct code *plain_find(const struct plain *d, uint64_t address, uint64_t now)
{
	const struct code *last = NULL, *next = NULL;
	const char *name = NULL;

	for (size_t i = 0; i < d->n; i++) {
		const struct code *c = &d->codes[i];

		if (address < c->start || address >= c->end)
			continue;
		if (name && strcmp(name, c->name) != 0 && now == JITDUMP_NO_TIME)
			return NULL;
		name = c->name;
		if (c->from <= now && (!last || is_later(c, last)))
			last = c;
		if (c->from > now && (!next || is_later(next, c)))
			next = c;
	}
	if (!last)
		return next;
	return now != JITDUMP_NO_TIME && now >= last->until ? NULL : last;
}

static const struct line *plain_line(const struct plain *d, const struct code *c, uint64_t address)
{
	const struct line *ret = NULL;
	uint64_t offset = address - c->start + (d->beyond ? ELF_BYTES : 0);

	/* it must be known whether offsets are moved */
	for (size_t i = 0; i < c->n_lines && !d->at_start == !!d->beyond; i++) {
		if (c->lines[i].offset <= offset)
			ret = &c->lines[i];
	}
	return ret;
}

struct dice {
	uint32_t seed;
};

static uint32_t draw(struct dice *d, uint32_t below)
{
	d->seed = d->seed * 1664525 + 1013904223;
	return (d->seed >> 8) % below;
}

static const char *draw_name(struct dice *dice)
{
	static const char *const names[] = { "f", "g", "a longer name", "h", "", "f" };

	return names[draw(dice, ARRAY_LEN(names))];
}

static void put_debug(struct jit_bytes *b, struct dice *dice, uint64_t at)
{
	static const char *const files[] = { "a.js", "b.js", "\xff", "\xff", "a.js",
					     "\x1f", "\x7f", "a b",  "" };
	uint32_t n = draw(dice, 5), moved = draw(dice, 2) * 64, offset = 0;
	struct jit_bytes body = { .is_swapped = false };

	out_init(&body.o);
	for (uint32_t i = 0; i < n; i++) {
		offset += draw(dice, 5) * 8;
		jit_entry(&body, at + moved + offset - (draw(dice, 30) ? 0 : 16), draw(dice, 100),
			  files[draw(dice, draw(dice, 4) ? 5 : ARRAY_LEN(files))]);
	}
	jit_record(b, 2, 16 + body.o.len, 90);
	jit_put64(b, at);
	jit_put64(b, n + (draw(dice, 20) == 0));
	out_str(&b->o, out_view(&body.o));
	out_fini(&body.o);
}

static void put_record(struct jit_bytes *b, struct dice *dice, uint64_t time)
{
	uint64_t at = 0x1000 + 0x20 * (uint64_t)draw(dice, 8), to = 0x1000 + 0x20 * draw(dice, 8);
	uint64_t size = 0x10 * (uint64_t)draw(dice, 6);

	switch (draw(dice, 12)) {
	case 0:
		jit_record(b, 4 + draw(dice, 4), 8, time);
		jit_put64(b, 0);
		break;
	case 1:
	case 2:
		jit_move(b, time, at, to, size, draw(dice, 6));
		break;
	case 3:
		if (draw(dice, 8) == 0)
			jit_record(b, 3, 0, time);
		break;
	case 4:
		jit_record(b, draw(dice, 3), 0, time); /* without a body */
		break;
	case 5:
		jit_load(b, time, UINT64_MAX - 0x10 * (uint64_t)draw(dice, 3),
			 0x10 * (uint64_t)draw(dice, 3), 9, "last");
		break;
	case 6:
	case 7:
	case 8:
		put_debug(b, dice, at);
		if (draw(dice, 6))
			jit_load(b, time, at, size, draw(dice, 6), draw_name(dice));
		break;
	default:
		jit_load(b, time, at, size, draw(dice, 6), draw_name(dice));
	}
}

static void compare_lookups(const struct plain *want, struct jitdump *d)
{
	static const uint64_t times[] = { 0, 99, 100, 110, 125, 140, 200, JITDUMP_NO_TIME };

	for (uint64_t at = 0xff0; at < 0x1200; at += 8) {
		for (size_t t = 0; t < ARRAY_LEN(times); t++) {
			const struct code *c = plain_find(want, at, times[t]);
			const struct jit_code *is = jitdump_find(d, at, times[t]);
			const struct line *l = c ? plain_line(want, c, at) : NULL;
			const struct jit_line *line = is ? jitdump_line(d, is, at) : NULL;

			assert_int_equal(!c, !is);
			if (!c)
				continue;
			assert_string_equal(c->name, jitdump_name(d, is->name).p);
			assert_int_equal(c->start, is->start);
			assert_int_equal(c->from, is->from_ns);
			assert_int_equal(c->until, is->until_ns);
			assert_int_equal(c - want->codes, is->order);
			assert_int_equal(!l, !line);
			if (!l)
				continue;
			assert_int_equal(l->line, line->line);
			assert_string_equal(l->file, jitdump_name(d, line->file).p);
		}
	}
}

/* Names change at no other times than those of d->changes, and these ascend. */
static void compare_changes(const struct plain *want, const struct jitdump *d)
{
	for (size_t i = 1; i < d->changes.len; i++)
		assert_true(d->changes.data[i - 1] < d->changes.data[i]);
	for (uint64_t now = 95; now < 210; now++) {
		bool is_listed = false;

		VEC_FOREACH (change, &d->changes)
			is_listed |= *change == now;
		for (uint64_t at = 0xff0; at < 0x1200 && !is_listed; at += 16)
			assert_ptr_equal(plain_find(want, at, now - 1), plain_find(want, at, now));
	}
}

static void compare(const struct jit_bytes *b, size_t len)
{
	static struct plain want;
	struct jitdump d;
	int fd = jit_file(b, len);

	plain_read(&want, (const uint8_t *)b->o.data, len);
	assert_int_equal(jitdump_read(fd, &d, NULL), OK);
	(void)close(fd);
	assert_int_equal(d.codes.len, want.n);
	assert_int_equal(d.n_bad, want.n_bad);
	assert_int_equal(d.n_unknown, want.n_unknown);
	assert_int_equal(d.n_unwinding, want.n_unwinding);
	assert_int_equal(d.n_lines_wrong, want.n_wrong);
	assert_int_equal(d.is_closed, want.is_closed);
	assert_int_equal(d.is_cut, want.is_cut);
	compare_lookups(&want, &d);
	compare_changes(&want, &d);
	jitdump_fini(&d);
}

static void random_dumps_are_read_as_by_a_plain_reader(void **state)
{
	size_t n_codes = 0, n_lines = 0;

	(void)state;
	for (uint32_t seed = 1; seed <= 2000; seed++) {
		struct dice dice = { seed };
		struct jit_bytes b;
		static struct plain want;
		uint32_t n = 1 + draw(&dice, 20);

		jit_begin(&b, false, 0);
		for (uint32_t i = 0; i < n; i++)
			put_record(&b, &dice, 100 + draw(&dice, 12) * 5);
		compare(&b, b.o.len);
		/* cut, and with one byte changed behind the head */
		compare(&b, 40 + draw(&dice, (uint32_t)(b.o.len - 39)));
		if (b.o.len > 56 && draw(&dice, 2)) {
			size_t at = 40 + draw(&dice, (uint32_t)(b.o.len - 40));

			b.o.data[at] = (char)(b.o.data[at] + 1 + (char)draw(&dice, 3));
			compare(&b, b.o.len);
		}
		plain_read(&want, (const uint8_t *)b.o.data, b.o.len);
		n_codes += want.n;
		for (size_t i = 0; i < want.n; i++)
			n_lines += want.codes[i].n_lines;
		out_fini(&b.o);
	}
	assert_true(n_codes > 1000 && n_lines > 300);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_dumps_are_read_as_by_a_plain_reader),
	};

	return cmocka_run_group_tests_name("jitdump_twin", tests, NULL, NULL);
}
