/* SPDX-License-Identifier: MIT */
/*
 * Sort rows by the first weight, then by the second weight, the print order, and the names.
 *
 * Most rows of a large profile have the weight of a single sample, so their order depends on the
 * names. Comparing two rows would read six texts. So rows are sorted by numbers instead: by one
 * property after another, each among the rows that are still equal. Texts are sorted by eight bytes
 * at a time, unresolved addresses as numbers.
 */
#include "analyses/top/top.h"
#include "analyses/top/top_build.h"
#include "base/alloc.h"
#include "base/sort.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/strings.h"
#include "core/symbols.h"

enum top_level { TOP_BY_FIRST, TOP_BY_SECOND, TOP_BY_PRINT, TOP_BY_TEXT };

struct top_sorting {
	const struct capture *capture;
	const struct top *top;
	bool by_children;
	bool by_name;
	struct sort_item *items;
};

/* Eight bytes of @s from offset @at, as a number that sorts like memcmp(); padded with zeros. */
static uint64_t top_word(struct str s, size_t at)
{
	uint64_t word = 0;

	if (at < s.len)
		memcpy(&word, s.p + at, s.len - at < 8 ? s.len - at : 8);
	return be64toh(word);
}

static uint64_t top_number(const struct top_sorting *s, const struct top_row *row,
			   enum top_level level)
{
	switch (level) {
	case TOP_BY_FIRST:
		return ~(s->by_children ? row->children : row->self);
	case TOP_BY_SECOND:
		return ~(s->by_children ? row->self : row->children);
	default:
		return row->first_row;
	}
}

/*
 * Sort the items @from to @to - 1 by the text of key number @key, from byte @at on. Their earlier
 * keys and bytes are equal.
 */
static void top_sort_text(struct top_sorting *s, size_t from, size_t to, size_t key, size_t at);

/*
 * The items @from to @to - 1 are sorted by eight bytes of a text. Sort each run of items with equal
 * bytes by the next eight bytes. If the texts of a run end within these eight bytes, or if
 * @is_whole, sort the run by the next key.
 */
static void top_sort_runs(struct top_sorting *s, size_t from, size_t to, size_t key, size_t at,
			  bool is_whole)
{
	for (size_t i = from, end; i < to; i = end) {
		for (end = i + 1; end < to && s->items[end].key == s->items[i].key;)
			end++;
		if (end - i < 2)
			continue;
		/* the last byte is 0, so the texts end within these eight bytes and are equal */
		if (is_whole || (s->items[i].key & 255) == 0)
			top_sort_text(s, i, end, key + 1, 0);
		else
			top_sort_text(s, i, end, key, at + 8);
	}
}

/*
 * Whether the function of a row is an unresolved address, whose name is stored as a number. *@ret:
 * this number.
 */
static bool top_is_number(const struct top_sorting *s, size_t item, size_t key, uint64_t *ret)
{
	uint32_t v = s->top->rows.data[s->items[item].value].keys[key];
	const struct symbols *symbols = capture_symbols(s->capture);

	return strings_number(symbols->strings, symbols_get(symbols, (sym_id){ v })->name, ret);
}

/*
 * If all items @from to @to - 1 are unresolved addresses, sort them by address. This avoids
 * formatting them as text; in many profiles, most rows are addresses. False: nothing was done,
 * because an item is no address.
 */
static bool top_sort_numbers(struct top_sorting *s, size_t from, size_t to, size_t key)
{
	if (s->top->keys[key].key != TOP_SYM)
		return false;
	for (size_t i = from; i < to; i++) {
		if (!top_is_number(s, i, key, &s->items[i].key))
			return false;
	}
	sort_items(s->items + from, to - from);
	top_sort_runs(s, from, to, key, 0, true);
	return true;
}

static void top_sort_text(struct top_sorting *s, size_t from, size_t to, size_t key, size_t at)
{
	const struct top_row *rows = s->top->rows.data;
	bool is_one;

	for (is_one = true; key < s->top->n_keys; key++, at = 0) {
		uint32_t first = rows[s->items[from].value].keys[key];

		for (size_t i = from + 1; i < to && is_one; i++)
			is_one = rows[s->items[i].value].keys[key] == first;
		if (!is_one)
			break;
	}
	if (key >= s->top->n_keys)
		return;
	if (top_sort_numbers(s, from, to, key))
		return;
	for (size_t i = from; i < to; i++) {
		char buffer[24];
		struct str text =
			top_key_text(s->capture, s->top, &rows[s->items[i].value], key, buffer);

		s->items[i].key = top_word(text, at);
	}
	sort_items(s->items + from, to - from);
	top_sort_runs(s, from, to, key, at, false);
}

static void top_sort_level(struct top_sorting *s, size_t from, size_t to, enum top_level level)
{
	if (level == TOP_BY_TEXT) {
		if (s->by_name)
			top_sort_text(s, from, to, 0, 0);
		return;
	}
	for (size_t i = from; i < to; i++)
		s->items[i].key = top_number(s, &s->top->rows.data[s->items[i].value], level);
	sort_items(s->items + from, to - from);
	for (size_t i = from, end; i < to; i = end) {
		for (end = i + 1; end < to && s->items[end].key == s->items[i].key;)
			end++;
		if (end - i > 1)
			top_sort_level(s, i, end, level + 1);
	}
}

void top_sort(const struct capture *c, struct top *t, bool by_children, bool by_name)
{
	struct top_sorting s = {
		.capture = c,
		.top = t,
		.by_children = by_children,
		.by_name = by_name,
	};
	struct top_row *rows = t->rows.data;
	size_t n = t->rows.len;

	if (n < 2)
		return;
	s.items = xreallocarray(NULL, n, sizeof(*s.items));
	for (size_t i = 0; i < n; i++)
		s.items[i] = (struct sort_item){ 0, (uint32_t)i };
	top_sort_level(&s, 0, n, TOP_BY_FIRST);
	/* move each row to its new index, one cycle of the permutation after another */
	for (size_t i = 0; i < n; i++) {
		struct top_row row = rows[i];
		size_t at = i;

		while (s.items[at].value != i) {
			size_t next = s.items[at].value;

			rows[at] = rows[next];
			s.items[at].value = (uint32_t)at;
			at = next;
		}
		rows[at] = row;
		s.items[at].value = (uint32_t)at;
	}
	free(s.items);
}
