/* SPDX-License-Identifier: MIT */
#include "explain/words/statement_words.h"

#include "base/str.h"
#include "core/capture.h"
#include "core/kinds/metrics.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/words/table_words.h"

#include <math.h>

#define STATEMENT_SHOWN 72u /* maximum number of bytes of a statement in a sentence */

bool statement_words_table(const struct rule_input *in, struct statement_table *ret)
{
	const struct metrics *m = in->capture->metrics;

	*ret = (struct statement_table){
		.calls = table_words_column(in, "calls"),
		.time = table_words_column(in, "time"),
		.longest = table_words_column(in, "longest"),
		.lock = table_words_column(in, "lock time"),
		.examined = table_words_column(in, "examined"),
		.returned = table_words_column(in, "returned"),
		.scans = table_words_column(in, "full scans"),
		.joins = table_words_column(in, "full joins"),
		.n_rows = m->n_rows,
		.is_statistics = table_words_column(in, "mean") != TABLE_NO_COLUMN,
		.has_longest = true,
	};
	if (ret->longest == TABLE_NO_COLUMN && ret->is_statistics) {
		ret->longest = table_words_column(in, "mean");
		ret->has_longest = false;
	}
	if (!m->is_tool || ret->calls == TABLE_NO_COLUMN || ret->time == TABLE_NO_COLUMN ||
	    ret->longest == TABLE_NO_COLUMN)
		return false;
	for (size_t row = 0; row < m->n_rows; row++) {
		ret->time_ns += metrics_value(m, row, ret->time);
		ret->n += metrics_value(m, row, ret->calls);
	}
	return ret->time_ns > 0;
}

double statement_words_value(const struct rule_input *in, size_t row, size_t column)
{
	return column == TABLE_NO_COLUMN ? (double)NAN
					 : metrics_value(in->capture->metrics, row, column);
}

const char *statement_words_name(const struct rule_input *in, struct findings *out, size_t row)
{
	struct str name = table_words_name(in, row);
	size_t n = STATEMENT_SHOWN;

	if (name.len <= n)
		return finding_name(out, STR_FMT, STR_ARG(name));
	while (n && ((unsigned char)name.p[n] & 0xc0) == 0x80)
		n--; /* do not truncate within a UTF-8 character */
	return finding_name(out, STR_FMT "...", STR_ARG(str_sub(name, 0, n)));
}

void statement_words_cite(const struct rule_input *in, struct findings *out, struct finding *f,
			  const struct statement_table *t, size_t row)
{
	const struct metrics *m = in->capture->metrics;
	char text[32];

	finding_subject(f, m->names.data[row], SUBJECT_EXPLAINED);
	finding_evidence(out, f, in, m->lines.data[row], "%s, %s",
			 t->has_longest ? "the longest" : "the mean",
			 table_words_duration(statement_words_value(in, row, t->longest), text));
}
