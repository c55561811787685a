/* SPDX-License-Identifier: MIT */
#include "formats/counters/counter_twins.h"

#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "core/strings.h"

#include <stdio.h>
#include <stdlib.h>

#define TWINS_KEY 160u /* maximum length of a key with a number, in bytes */

void twins_add(struct twins *t, const struct counters *k, size_t first, str_id key,
	       struct str number, uint32_t interval)
{
	if (key.v && number.len && k->rows.len > first)
		*VEC_PUSH(&t->rows) = (struct twin){ .key = key,
						     .number = number,
						     .interval = interval,
						     .first = (uint32_t)first,
						     .n = (uint32_t)(k->rows.len - first) };
}

static int twins_by_key(const void *a, const void *b)
{
	const struct twin *x = a;
	const struct twin *y = b;

	if (x->key.v != y->key.v)
		return x->key.v < y->key.v ? -1 : 1;
	if (x->interval != y->interval)
		return x->interval < y->interval ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

/*
 * If two tasks have the same key in any interval, mark all rows with this key. The rows in other
 * intervals are marked, too, so that a task has the same name in all intervals.
 */
static void twins_mark(struct twins *t)
{
	for (size_t i = 0, n; i < t->rows.len; i += n) {
		const struct twin *first = &t->rows.data[i];
		bool is_shared = false;

		for (n = 1; i + n < t->rows.len && t->rows.data[i + n].key.v == first->key.v; n++) {
			const struct twin *row = &t->rows.data[i + n];

			is_shared |= row->interval == row[-1].interval &&
				     !str_eq(row->number, row[-1].number);
		}
		for (size_t k = i; k < i + n; k++)
			t->rows.data[k].is_shared = is_shared;
	}
}

static str_id twins_name(const struct twin *t, struct strings *strings)
{
	char text[TWINS_KEY];
	int n = snprintf(text, sizeof(text), STR_FMT " (" STR_FMT ")",
			 STR_ARG(strings_get(strings, t->key)), STR_ARG(t->number));

	return n > 0 && (size_t)n < sizeof(text)
		       ? strings_add(strings, (struct str){ text, (size_t)n })
		       : t->key;
}

void twins_apply(struct twins *t, struct counters *k, struct strings *strings)
{
	VEC_SORT(&t->rows, twins_by_key);
	twins_mark(t);
	VEC_FOREACH (row, &t->rows) {
		str_id name = row->is_shared ? twins_name(row, strings) : row->key;

		for (uint32_t i = row->first; i < row->first + row->n; i++)
			k->rows.data[i].key = name;
	}
	VEC_FREE(&t->rows);
}
