/* SPDX-License-Identifier: MIT */
#include "explain/words/statement_words.h"

#include "analyses/threads/thread_summary.h"
#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/metrics.h"
#include "core/kinds/threads.h"
#include "core/names/statement.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/words/table_words.h"

#include <math.h>

/* a search lacks an index if it reads this number of rows for each returned row */
#define STATEMENT_RATIO 100.0
#define STATEMENT_LEAST 10000.0 /* minimum number of examined rows per execution */
#define STATEMENT_SHOWN 72u     /* maximum number of bytes of a statement in a sentence */

/* Does a list of sessions in the input show that process @id waits for a lock? */
static bool statement_waits(const struct rule_input *in, struct str id)
{
	for (uint32_t k = 0; k < in->facts->dossier->captures.len; k++) {
		const struct threads_summary *s = in->facts->threads[k];

		if (!s || !s->c->threads->is_sessions)
			continue;
		for (uint32_t i = 0; i < s->rows.len; i++) {
			const struct thread_row *row = threads_summary_row(s, i);

			if (s->rows.data[i].wants != INDEX_NONE &&
			    str_eq(strings_get(capture_strings(s->c), row->id), id))
				return true;
		}
	}
	return false;
}

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
	if (!m->is_tool || ret->calls == TABLE_NO_COLUMN)
		return false;
	/*
	 * All lines of the log are truncated, and the time of each statement is missing. So only
	 * the numbers of rows are known.
	 */
	ret->is_timeless = ret->time == TABLE_NO_COLUMN && ret->examined != TABLE_NO_COLUMN &&
			   ret->returned != TABLE_NO_COLUMN;
	if (ret->is_timeless)
		return true;
	if (ret->time == TABLE_NO_COLUMN || ret->longest == TABLE_NO_COLUMN)
		return false;
	for (size_t row = 0; row < m->n_rows; row++) {
		ret->time_ns += fmax(metrics_value(m, row, ret->time), 0);
		ret->n += metrics_value(m, row, ret->calls);
	}
	return ret->time_ns > 0;
}

/* words of statements that return few rows by their nature, although they read many */
static const char *const statement_sums[] = {
	"count(", "sum(",      "avg(",       "min(",       "max(",     "group by", "distinct",
	"count:", "distinct:", "aggregate:", "mapreduce:", "_concat(", "_agg(",    "std",
};

static bool statement_has(struct str text, const char *word)
{
	for (size_t i = 0; i < text.len; i++) {
		if (str_starts_nocase(str_skip(text, i), str_of(word)))
			return true;
	}
	return false;
}

/*
 * Does the statement return unchanged rows of a table? Then an index could find exactly these rows.
 * False if the log truncates the statement.
 */
static bool statement_is_search(struct str name)
{
	if (name.len >= STATEMENT_BYTES - 4)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(statement_sums); i++) {
		if (statement_has(name, statement_sums[i]))
			return false;
	}
	return statement_has(name, "select ") || str_contains(name, STR("{"));
}

double statement_words_ratio(const struct rule_input *in, const struct statement_table *t,
			     size_t row)
{
	double examined = statement_words_value(in, row, t->examined);
	double returned = statement_words_value(in, row, t->returned);

	if (isnan(examined) || isnan(returned) ||
	    !(statement_words_value(in, row, t->joins) > 0 ||
	      statement_is_search(table_words_name(in, row))))
		return (double)NAN;
	return examined / fmax(returned, 1);
}

bool statement_words_is_wasteful(const struct rule_input *in, const struct statement_table *t,
				 size_t row)
{
	return statement_words_ratio(in, t, row) >= STATEMENT_RATIO &&
	       statement_words_value(in, row, t->examined) >=
		       STATEMENT_LEAST * statement_words_value(in, row, t->calls);
}

double statement_words_unmeasured(const struct rule_input *in, bool *ret_seen)
{
	struct str note =
		capture_note_of(in->capture, STR("statements with an unmeasured lock wait"));
	double seconds = 0;
	struct str word;

	*ret_seen = false;
	if (!str_double(&note, &seconds) || !str_take(&note, STR(" s of")))
		return 0;
	while (str_word(&note, &word))
		*ret_seen |= statement_waits(in, word);
	return seconds * 1e9;
}

double statement_words_value(const struct rule_input *in, size_t row, size_t column)
{
	return column == TABLE_NO_COLUMN ? (double)NAN
					 : metrics_value(in->capture->metrics, row, column);
}

const char *statement_words_cut(struct findings *out, struct str text)
{
	size_t n = STATEMENT_SHOWN;

	if (text.len <= n)
		return finding_name(out, STR_FMT, STR_ARG(text));
	while (n && ((unsigned char)text.p[n] & 0xc0) == 0x80)
		n--; /* do not truncate within a UTF-8 character */
	return finding_name(out, STR_FMT "...", STR_ARG(str_sub(text, 0, n)));
}

const char *statement_words_name(const struct rule_input *in, struct findings *out, size_t row)
{
	return statement_words_cut(out, table_words_name(in, row));
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
