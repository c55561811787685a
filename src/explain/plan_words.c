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
	[PLAN_HIT] = "blocks hit",
	[PLAN_HEAP] = "heap fetches",
	[PLAN_PLANNED] = "workers planned",
	[PLAN_LAUNCHED] = "workers launched",
	[PLAN_COMPUTED] = "computed sort keys",
	[PLAN_PARAMETERS] = "conditions with parameters",
};

void plan_rows_fini(struct plan_rows *p)
{
	VEC_FREE(&p->rows);
}

/*
 * Index of the row that was printed on @line; INDEX_NONE: none. Bisection: the rows are sorted by
 * line.
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
	for (size_t i = 0; i < PLAN_FIGURES; i++) {
		if (str_eq(name, str_of(plan_names[i])))
			row->figures[i] = counter_value(c);
	}
	if (str_eq(name, str_of(plan_names[PLAN_REMOVED])))
		row->condition = c->comment;
	if (str_eq(name, str_of(plan_names[PLAN_LOOPS])))
		row->index_condition = c->comment;
	if (str_eq(name, str_of(plan_names[PLAN_SELF])))
		p->self_ms += counter_value(c);
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

static bool plan_is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || char_is_digit(c) || c == '_';
}

struct str plan_row_table(const struct rule_input *in, const struct plan_row *row,
			  struct str *alias)
{
	struct str name = plan_row_name(in, row);
	size_t at = str_find(name, STR(" on "));
	struct str rest = str_skip(name, at + 4);
	struct str table;

	/* "Bitmap Index Scan on" names an index; MySQL prints "<temporary>" for its own tables */
	if (!str_glob(STR("*Seq Scan on *|Index Scan *|Index Only Scan *|*Bitmap Heap Scan on *|"
			  "Table scan on *"),
		      name) ||
	    !str_word(&rest, &table) || !plan_is_word(table.p[0]))
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
		while (n < rest.len && plan_is_word(rest.p[n]))
			n++;
		column = str_sub(rest, 0, n);
		rest = str_skip(rest, n);
		if (n && ((str_ends(before, STR(" = ")) && str_starts(rest, STR(")"))) ||
			  (str_ends(before, STR("(")) && str_starts(rest, STR(" = ")))))
			return column;
	}
	return STR("");
}

void plan_row_cite(struct findings *out, struct finding *f, const struct rule_input *in,
		   const struct plan_row *row)
{
	finding_evidence(out, f, in, row->line, STR_FMT, STR_ARG(plan_row_name(in, row)));
}
