/* SPDX-License-Identifier: MIT */
#include "explain/plan_words.h"

#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"

#include <math.h>

static const char *const plan_names[PLAN_FIGURES] = {
	[PLAN_ESTIMATE] = "estimated rows",
	[PLAN_ROWS] = "rows",
	[PLAN_LOOPS] = "loops",
	[PLAN_PROCESSES] = "processes",
	[PLAN_SELF] = "own time",
	[PLAN_REMOVED] = "rows removed",
	[PLAN_RECHECKED] = "rows failing recheck",
	[PLAN_LOSSY] = "lossy blocks",
	[PLAN_SORT_DISK] = "sort on disk",
	[PLAN_HASH_DISK] = "hash on disk",
	[PLAN_BATCHES] = "hash batches",
	[PLAN_READ] = "blocks read",
	[PLAN_READ_MS] = "time of reads",
	[PLAN_HIT] = "blocks hit",
	[PLAN_HEAP] = "heap fetches",
	[PLAN_PLANNED] = "workers planned",
	[PLAN_LAUNCHED] = "workers launched",
	[PLAN_COMPUTED] = "computed sort keys",
	[PLAN_PARAMETERS] = "conditions with parameters",
	[PLAN_SORT_KEYS] = "sort keys",
};

void plan_rows_fini(struct plan_rows *p)
{
	VEC_FREE(&p->rows);
}

/*
 * Index of the row that was printed on @line; INDEX_NONE: none. The rows are sorted by line, so
 * bisection is used.
 */
static uint32_t plan_row_at(const struct plan_rows *p, uint32_t line)
{
	size_t from = 0, to = p->rows.len;

	while (from < to) {
		size_t at = from + (to - from) / 2;

		if (p->rows.data[at].line == line)
			return (uint32_t)at;
		if (p->rows.data[at].line < line)
			from = at + 1;
		else
			to = at;
	}
	return INDEX_NONE;
}

static void plan_take(struct plan_rows *p, const struct strings *strings, const struct counter *c)
{
	struct str name = strings_get(strings, c->name);
	struct plan_row *row;

	if (!c->key.v) {
		if (str_eq(name, STR("elapsed time")))
			p->execution_ms = counter_value(c);
		if (str_eq(name, STR("time of JIT compilation"))) {
			p->jit_ms = counter_value(c);
			p->jit_line = c->line;
		}
		if (str_eq(name, STR("planning time"))) {
			p->planning_ms = counter_value(c);
			p->planning_line = c->line;
		}
		return;
	}
	if (p->rows.len == 0 || p->rows.data[p->rows.len - 1].line != c->line) {
		uint32_t parent = plan_row_at(p, c->above);

		row = VEC_PUSH(&p->rows);
		*row = (struct plan_row){ .name = c->key, .line = c->line, .parent = parent };
		for (size_t i = 0; i < PLAN_FIGURES; i++)
			row->figures[i] = -1;
	}
	row = &p->rows.data[p->rows.len - 1];
	/* the lost children of the node, printed in its line */
	if (row->name.v != c->key.v) {
		row->cut_ms = fmax(row->cut_ms, counter_value(c));
		p->self_ms += counter_value(c);
		return;
	}
	for (size_t i = 0; i < PLAN_FIGURES; i++) {
		if (str_eq(name, str_of(plan_names[i])))
			row->figures[i] = counter_value(c);
	}
	if (str_eq(name, str_of(plan_names[PLAN_REMOVED])))
		row->condition = c->comment;
	if (str_eq(name, str_of(plan_names[PLAN_LOOPS])))
		row->index_condition = c->comment;
	if (str_eq(name, str_of(plan_names[PLAN_SELF]))) {
		p->self_ms += counter_value(c);
		row->subplan = c->comment;
	}
}

bool plan_rows_init(struct plan_rows *p, const struct rule_input *in)
{
	const struct strings *strings = capture_strings(in->capture);
	const struct counters *k = in->capture->counters;

	*p = (struct plan_rows){ .execution_ms = -1, .jit_ms = -1, .planning_ms = -1 };
	if (!k || !str_eq(strings_get(strings, k->tool), STR("EXPLAIN ANALYZE")))
		return false;
	VEC_FOREACH (c, &k->rows)
		plan_take(p, strings, c);
	return p->rows.len > 0;
}

struct str plan_row_name(const struct rule_input *in, const struct plan_row *row)
{
	return strings_get(capture_strings(in->capture), row->name);
}

struct str plan_row_table(const struct rule_input *in, const struct plan_row *row,
			  struct str *alias)
{
	struct str name = plan_row_name(in, row);
	size_t at = str_find(name, STR(" on "));
	struct str rest = str_skip(name, at + 4);
	struct str table;

	/*
	 * a "Bitmap Index Scan on" names an index, and "<temporary>" is a table that MySQL makes:
	 * both are no tables of the user
	 */
	if (!str_glob(STR("*Seq Scan on *|Index Scan *|Index Only Scan *|*Bitmap Heap Scan on *|"
			  "Table scan on *"),
		      name) ||
	    !str_word(&rest, &table) || !char_is_word(table.p[0]))
		return STR("");
	*alias = str_skip(
		table, str_rfind_char(table, '.') < table.len ? str_rfind_char(table, '.') + 1 : 0);
	(void)str_word(&rest, alias);
	return table;
}

struct str plan_words_column(struct str condition, struct str alias)
{
	for (size_t at = 0; at + alias.len + 1 < condition.len; at++) {
		struct str before = str_sub(condition, 0, at);
		struct str rest = str_skip(condition, at);
		struct str column;
		size_t n = 0;

		if (!str_take(&rest, alias) || !str_take(&rest, STR(".")))
			continue;
		while (n < rest.len && char_is_word(rest.p[n]))
			n++;
		column = str_sub(rest, 0, n);
		rest = str_skip(rest, n);
		if (n && ((str_ends(before, STR(" = ")) && str_starts(rest, STR(")"))) ||
			  (str_ends(before, STR("(")) && str_starts(rest, STR(" = ")))))
			return column;
	}
	return STR("");
}

/* Types of PostgreSQL that are stored like text: a conversion to them does not change the value. */
#define PLAN_TEXTS "text*|character*|bpchar*|varchar*|name*|reg*|citext*"

/*
 * Whether @c may be in the name of a column that has the name of its table before it: "s.id",
 * "s.`key`".
 */
static bool plan_is_column(char c)
{
	return char_is_word(c) || c == '.' || c == '`';
}

/* Take the column at the start of *@s. Empty: there is none; a number is no column. */
static struct str plan_take_column(struct str *s)
{
	size_t n = 0;
	struct str column;

	while (n < s->len && plan_is_column(s->p[n]))
		n++;
	column = str_sub(*s, 0, n && !char_is_digit(s->p[0]) ? n : 0);
	*s = str_skip(*s, column.len);
	return column;
}

/*
 * Parse a conversion of MySQL at the start of @s: "convert(c.ref using utf8mb4)", "cast(c.id as
 * double)".
 */
static bool plan_cast_call(struct str s, struct plan_cast *ret)
{
	bool is_convert = str_take(&s, STR("convert("));
	struct str column;

	if (!is_convert && !str_take(&s, STR("cast(")))
		return false;
	column = plan_take_column(&s);
	if (!column.len || !str_take(&s, is_convert ? STR(" using ") : STR(" as ")))
		return false;
	*ret = (struct plan_cast){ .column = column,
				   .type = str_sub(s, 0, str_find_char(s, ')')),
				   .is_call = true,
				   .is_charset = is_convert };
	return ret->type.len && str_find_char(s, ')') < s.len;
}

/* Parse a conversion of PostgreSQL, "(s.id)::numeric". @at: offset of its ")::". */
static bool plan_cast_typed(struct str s, size_t at, struct plan_cast *ret)
{
	struct str rest = str_skip(s, at + 3);
	size_t from = at, len = 0;

	while (from > 0 && (char_is_word(s.p[from - 1]) || s.p[from - 1] == '.'))
		from--;
	/*
	 * in the cast of a column, "(" is directly before the name. A name that begins with a digit
	 * is a number, and a word before "(" is a function.
	 */
	if (from == at || from == 0 || s.p[from - 1] != '(' || char_is_digit(s.p[from]) ||
	    (from > 1 && char_is_word(s.p[from - 2])))
		return false;
	while (len < rest.len &&
	       (char_is_word(rest.p[len]) || rest.p[len] == '.' || rest.p[len] == ' ') &&
	       !str_starts(str_skip(rest, len), STR(" = ")) &&
	       !str_starts(str_skip(rest, len), STR(" AND ")))
		len++;
	*ret = (struct plan_cast){ .column = str_sub(s, from, at),
				   .type = str_rtrim(str_sub(rest, 0, len)) };
	return ret->type.len && !str_glob(STR(PLAN_TEXTS), ret->type);
}

bool plan_words_cast(struct str condition, struct plan_cast *ret)
{
	for (size_t at = 0; at < condition.len; at++) {
		struct str rest = str_skip(condition, at);

		if (str_starts(rest, STR(")::")) && plan_cast_typed(condition, at, ret))
			return true;
		if ((at == 0 || !plan_is_column(condition.p[at - 1])) && plan_cast_call(rest, ret))
			return true;
	}
	return false;
}

void plan_row_cite(struct findings *out, struct finding *f, const struct rule_input *in,
		   const struct plan_row *row)
{
	finding_evidence(out, f, in, row->line, STR_FMT, STR_ARG(plan_row_name(in, row)));
}
