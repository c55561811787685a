/* SPDX-License-Identifier: MIT */
#include "core/kinds/counters.h"

#include "base/limits.h"
#include "base/number.h"
#include "base/status.h"
#include "base/str.h"
#include "core/kinds/counter_roles.h"
#include "core/strings.h"

#include <math.h>
#include <string.h>

_Static_assert(COUNTS_COUNT <= 64, "counters.roles has a bit for each role");

void counters_init(struct counters *c)
{
	memset(c, 0, sizeof(*c));
	c->n_intervals = 1;
}

void counters_fini(struct counters *c)
{
	VEC_FREE(&c->rows);
}

int counters_add(struct counters *c, const struct strings *strings, struct counter row)
{
	struct counter_role_known *known = &c->known[row.name.v % COUNTERS_KNOWN];

	if (c->rows.len >= LIMIT_ROWS)
		return ERR_LIMIT;
	if (known->name.v != row.name.v)
		*known = (struct counter_role_known){
			row.name, (uint8_t)counter_role_of(strings_get(strings, row.name))
		};
	row.role = known->role;
	c->roles |= UINT64_C(1) << row.role;
	*VEC_PUSH(&c->rows) = row;
	return OK;
}

struct str counter_task_name(struct str key, bool *ret_is_thread)
{
	struct str name = key;

	(void)str_take(&name, STR("|"));
	*ret_is_thread = str_take(&name, STR("__"));
	return *ret_is_thread ? name : key;
}

struct str counter_task_command(struct str key)
{
	size_t open = str_rfind_char(key, '(');
	struct str number = str_skip(key, open + 1);
	uint64_t pid;

	if (open < 2 || open >= key.len || key.p[open - 1] != ' ' || !str_u64(&number, &pid) ||
	    !str_eq(number, STR(")")))
		return key;
	return str_sub(key, 0, open - 1);
}

const struct counter *counters_find(const struct counters *c, const struct strings *strings,
				    struct str tool, struct str name)
{
	if (!c || !str_eq(strings_get(strings, c->tool), tool))
		return NULL;
	VEC_FOREACH (row, &c->rows) {
		if (str_eq(strings_get(strings, row->name), name))
			return row;
	}
	return NULL;
}

static bool counters_is_row(const struct counter *a, const struct counter *b)
{
	return a->line == b->line && a->key.v == b->key.v && a->interval == b->interval;
}

double counters_in_row(const struct counters *c, const struct strings *strings,
		       const struct counter *of, struct str name)
{
	const struct counter *end = c->rows.data + c->rows.len;

	while (of > c->rows.data && counters_is_row(of - 1, of))
		of--;
	for (const struct counter *k = of; k < end && counters_is_row(k, of); k++) {
		if (str_eq(strings_get(strings, k->name), name))
			return counter_value(k);
	}
	return -1;
}

size_t counters_pick(struct counter_pick *best, size_t n, size_t most, const struct counter *row,
		     double rank)
{
	size_t at = n;

	for (; at && best[at - 1].rank < rank; at--) {
		if (at < most)
			best[at] = best[at - 1];
	}
	if (at < most)
		best[at] = (struct counter_pick){ row, rank };
	return n + (n < most);
}

double counter_value(const struct counter *c)
{
	return c->state == COUNTER_COUNTED ? (double)c->value / number_pow10(c->decimals)
					   : (double)NAN;
}
