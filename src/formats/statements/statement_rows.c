/* SPDX-License-Identifier: MIT */
#include "formats/statements/statement_rows.h"

#include "base/idmap.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/symbols.h"
#include "formats/tables/line_table.h"

#include <math.h>
#include <stdlib.h>

static const struct line_column statement_columns[STATEMENT_COLUMNS] = {
	{ "calls", "calls", false },      { "time", "ns", false },
	{ "longest", "ns", false },       { "mean", "ns", false },
	{ "lock time", "ns", false },     { "examined", "rows", false },
	{ "returned", "rows", false },    { "full scans", "calls", false },
	{ "full joins", "calls", false },
};

static struct statement_row *statement_row(struct statement_rows *s, sym_id sym)
{
	struct idmap_probe probe = idmap_first(&s->map, hash_u64(sym.v, 0));

	while (idmap_next(&s->map, &probe)) {
		if (s->rows.data[probe.id].sym.v == sym.v)
			return &s->rows.data[probe.id];
	}
	if (s->rows.len >= LIMIT_ROWS)
		return NULL;
	idmap_insert(&s->map, &probe, (uint32_t)s->rows.len);
	*VEC_PUSH(&s->rows) = (struct statement_row){ .sym = sym };
	for (size_t i = 0; i < STATEMENT_COLUMNS; i++)
		s->rows.data[s->rows.len - 1].values[i] = (double)NAN;
	return &s->rows.data[s->rows.len - 1];
}

bool statement_rows_add(struct capture *c, struct statement_rows *s, struct str shape,
			const double values[STATEMENT_COLUMNS], uint32_t line)
{
	struct statement_row *row = statement_row(
		s, symbols_add_text(capture_symbols(c), shape, STR_NONE, SPACE_UNKNOWN, 0));
	bool is_merged;

	if (!row)
		return false;
	is_merged = !isnan(row->values[STATEMENT_CALLS]);
	if (!(row->values[STATEMENT_LONGEST] >= values[STATEMENT_LONGEST])) {
		row->values[STATEMENT_LONGEST] = values[STATEMENT_LONGEST];
		row->line = line;
	}
	for (size_t i = 0; i < STATEMENT_COLUMNS; i++) {
		if (!isnan(values[i]) && i != STATEMENT_LONGEST)
			row->values[i] = fmax(row->values[i], 0) + values[i];
	}
	if (is_merged && !isnan(row->values[STATEMENT_MEAN]))
		row->values[STATEMENT_MEAN] =
			row->values[STATEMENT_TIME] / row->values[STATEMENT_CALLS];
	return true;
}

static int statement_cmp(const void *va, const void *vb)
{
	const struct statement_row *a = va;
	const struct statement_row *b = vb;

	if (a->values[STATEMENT_TIME] < b->values[STATEMENT_TIME] ||
	    a->values[STATEMENT_TIME] > b->values[STATEMENT_TIME])
		return a->values[STATEMENT_TIME] > b->values[STATEMENT_TIME] ? -1 : 1;
	return (a->line > b->line) - (a->line < b->line);
}

void statement_rows_fill(struct capture *c, struct statement_rows *s)
{
	struct line_column columns[STATEMENT_COLUMNS];
	size_t from[STATEMENT_COLUMNS];
	size_t n = 0;

	for (size_t i = 0; i < STATEMENT_COLUMNS; i++) {
		bool has = false;

		VEC_FOREACH (row, &s->rows)
			has |= !isnan(row->values[i]);
		if (!has)
			continue;
		columns[n] = statement_columns[i];
		from[n++] = i;
	}
	VEC_SORT(&s->rows, statement_cmp);
	line_table_columns(c, "Statement", "time", columns, n);
	VEC_FOREACH (row, &s->rows) {
		double values[STATEMENT_COLUMNS];

		for (size_t i = 0; i < n; i++)
			values[i] = row->values[from[i]];
		(void)line_table_add(c, row->sym, values, NULL, row->line);
	}
}

void statement_rows_fini(struct statement_rows *s)
{
	VEC_FREE(&s->rows);
	idmap_fini(&s->map);
}
