/* SPDX-License-Identifier: MIT */
/*
 * A plan of MySQL reads many rows of an index, but few of them are wanted. Either a condition that
 * the index does not serve removes them, or a LIMIT removes them after a sort.
 *
 * Thresholds: 100000 estimated rows for a note, because so many row lookups take about a second if
 * the rows are not cached. A million rows are a warning, if the plan shows that few of them are
 * wanted.
 *
 *   - A LIMIT with a sort or a temporary table reads all rows first.
 *   - A LIMIT in the order of the index stops early: after LIMIT / `filtered` rows. Without
 *     `filtered` this number is unknown. Then the finding is a note, and has two conditions: the
 *     index reads a range of the column of ORDER BY, and other indexes serve other parts of the
 *     statement's condition.
 *   - Without a LIMIT, `filtered` of 50 % or more means that most rows are wanted.
 */
#include "base/str.h"
#include "core/capture.h"
#include "core/kinds/metrics.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/words/table_words.h"

#include <math.h>

DECLARE_RULE(wide_index_read);

#define WIDE_NOTE 100000.0
#define WIDE_LEAD 1000000.0
/* if a condition keeps at least this percentage of the rows, most rows are wanted */
#define WIDE_KEPT 50.0
#define WIDE_SURE 60u

struct wide_columns {
	size_t select, type, possible, key, rows, filtered, extra;
};

/* Facts from the statement above the plan. */
struct wide_statement {
	struct str order; /* the first column of ORDER BY; empty: none */
	uint64_t limit;   /* the number in LIMIT; 0: no LIMIT */
	bool is_known;
};

static void wide_columns(const struct rule_input *in, struct wide_columns *ret)
{
	*ret = (struct wide_columns){
		.select = table_words_column(in, "select"),
		.type = table_words_column(in, "type"),
		.possible = table_words_column(in, "possible keys"),
		.key = table_words_column(in, "key"),
		.rows = table_words_column(in, "estimated rows"),
		.filtered = table_words_column(in, "filtered"),
		.extra = table_words_column(in, "extra"),
	};
}

/* The text after the last occurrence of @words in @text, in upper or lower case. Empty: none. */
static struct str wide_after(struct str text, struct str words)
{
	for (size_t at = text.len; at-- > 0;) {
		if (str_starts_nocase(str_skip(text, at), words))
			return str_ltrim(str_skip(text, at + words.len));
	}
	return STR_NONE;
}

/* The name at the start of @s, without quotes and the name of its table. */
static struct str wide_name(struct str s)
{
	size_t n = 0;

	while (n < s.len && (char_is_word(s.p[n]) || s.p[n] == '`' || s.p[n] == '.'))
		n++;
	s = str_sub(s, 0, n);
	n = str_rfind_char(s, '.');
	s = n < s.len ? str_skip(s, n + 1) : s;
	(void)str_take(&s, STR("`"));
	return str_sub(s, 0, str_find_char(s, '`'));
}

/*
 * Read ORDER BY and LIMIT after the last closing bracket of the statement: there they belong to the
 * outermost SELECT.
 */
static struct wide_statement wide_statement(const struct rule_input *in)
{
	struct str text = capture_note_of(in->capture, STR("statement"));
	size_t bracket = str_rfind_char(text, ')');
	struct wide_statement ret = { .is_known = text.len > 0 };
	struct str limit;
	uint64_t offset;

	text = bracket < text.len ? str_skip(text, bracket + 1) : text;
	ret.order = wide_name(wide_after(text, STR("order by ")));
	limit = wide_after(text, STR("limit "));
	if (!str_u64(&limit, &ret.limit))
		ret.limit = 0;
	if (str_take(&limit, STR(",")) && (limit = str_ltrim(limit), str_u64(&limit, &offset)))
		ret.limit = offset; /* "LIMIT offset, count": the second number is the limit */
	return ret;
}

static bool wide_has_filter(const struct rule_input *in, const struct wide_columns *c, size_t row)
{
	return str_glob(STR("*Using where*|*Using index condition*"),
			table_words_text(in, row, c->extra));
}

/* Are all rows read before the first one is returned? */
static bool wide_is_sorted(const struct rule_input *in, const struct wide_columns *c, size_t row)
{
	return str_glob(STR("*Using filesort*|*Using temporary*"),
			table_words_text(in, row, c->extra));
}

/* Does the name of index @key contain the word @column? */
static bool wide_is_of(struct str key, struct str column)
{
	for (size_t at = 0; column.len && at + column.len <= key.len; at++) {
		if (str_eq_nocase(str_sub(key, at, at + column.len), column) &&
		    (at == 0 || key.p[at - 1] == '_') &&
		    (at + column.len == key.len || key.p[at + column.len] == '_'))
			return true;
	}
	return false;
}

static bool wide_has_other_keys(const struct rule_input *in, const struct wide_columns *c,
				size_t row)
{
	return str_contains(table_words_text(in, row, c->possible), STR(","));
}

/*
 * Estimated number of rows that are read in vain; 0: none, or unknown. *@ret_proved: the plan shows
 * that few of the rows are wanted.
 */
static double wide_rows(const struct rule_input *in, const struct wide_columns *c,
			const struct wide_statement *s, size_t row, bool *ret_proved)
{
	double rows = metrics_value(in->capture->metrics, row, c->rows);
	double filtered = metrics_value(in->capture->metrics, row, c->filtered);
	struct str type = table_words_text(in, row, c->type);

	/* if the text lacks the statement, it may have a LIMIT, so nothing is proved */
	*ret_proved = s->limit || (s->is_known && filtered < WIDE_KEPT);
	if (isnan(rows) || !str_glob(STR("range|ref|ref_or_null|index_merge"), type))
		return 0;
	if (s->limit && wide_is_sorted(in, c, row))
		return rows;
	if (!wide_has_filter(in, c, row))
		return 0;
	if (!s->limit)
		/* a missing `filtered` is NaN, and the comparison is false */
		return filtered >= WIDE_KEPT ? 0 : rows;
	if (!isnan(filtered))
		return fmin(rows, filtered > 0 ? 100 * (double)s->limit / filtered : rows);
	*ret_proved = false;
	return str_eq(type, STR("range")) && wide_has_other_keys(in, c, row) &&
			       wide_is_of(table_words_text(in, row, c->key), s->order)
		       ? rows
		       : 0;
}

static void wide_cause(const struct rule_input *in, struct findings *out, struct finding *f,
		       const struct wide_columns *c, const struct wide_statement *s, size_t row)
{
	struct str key = table_words_text(in, row, c->key);
	bool is_sorted = wide_is_sorted(in, c, row);

	if (!is_sorted && s->limit)
		finding_usual_cause(
			out, f,
			"The planner takes the index " STR_FMT
			" for its order and hopes to meet the LIMIT early; until then it reads the "
			"rows that the rest of the condition drops",
			STR_ARG(key));
	else if (is_sorted && s->limit)
		finding_usual_cause(
			out, f,
			"The index " STR_FMT
			" serves a part of the condition, and not the order: all rows of that part "
			"are read and sorted before LIMIT cuts them",
			STR_ARG(key));
	else
		finding_usual_cause(out, f,
				    "The index " STR_FMT
				    " serves only a part of the condition: the rows of that part "
				    "are read, and the rest of the condition drops them",
				    STR_ARG(key));
	finding_next(out, f,
		     "create an index that begins with the columns compared by '=', then the "
		     "column of the range or of ORDER BY; EXPLAIN must then estimate few rows");
	if (wide_has_other_keys(in, c, row))
		finding_next(out, f,
			     "EXPLAIN ANALYZE with FORCE INDEX of another one of possible_keys "
			     "(" STR_FMT "): is it faster",
			     STR_ARG(str_sub(table_words_text(in, row, c->possible), 0, 120)));
}

static void wide_finding(const struct rule_input *in, struct findings *out,
			 const struct wide_columns *c, const struct wide_statement *s, size_t row)
{
	const struct metrics *m = in->capture->metrics;
	double filtered = metrics_value(m, row, c->filtered);
	bool is_proved;
	double rows = wide_rows(in, c, s, row, &is_proved);
	/*
	 * rows of the same SELECT form a join: this table is read for each row of the previous
	 * table
	 */
	bool is_joined = row > 0 && str_eq(table_words_text(in, row, c->select),
					   table_words_text(in, row - 1, c->select));
	struct finding *f = finding_add(
		out, in, &rule_wide_index_read,
		rows >= WIDE_LEAD && is_proved ? FINDING_WARNING : FINDING_NOTE, WIDE_SURE);

	finding_claim(
		out, f,
		"The plan reads about %.0f rows of '" STR_FMT "' through the index '" STR_FMT
		"' (type " STR_FMT ")%s%s",
		rows, STR_ARG(table_words_name(in, row)),
		STR_ARG(table_words_text(in, row, c->key)),
		STR_ARG(table_words_text(in, row, c->type)),
		is_joined ? " for each row of the tables before it" : "",
		s->limit ? finding_name(out, ", for a LIMIT of %llu", (unsigned long long)s->limit)
			 : "");
	finding_figure(f, "estimated rows", rows, 0, "");
	if (!isnan(filtered))
		finding_figure(f, "rows that the rest of the condition keeps", filtered, 0, "%");
	finding_evidence(out, f, in, m->lines.data[row], "the row of EXPLAIN");
	wide_cause(in, out, f, c, s, row);
	finding_because(out, f,
			is_proved ? "EXPLAIN names the access; it estimates the rows"
				  : "EXPLAIN estimates the rows\n"
				    "how many of them the statement wants");
}

static void wide_index_read_check(const struct rule_input *in, struct findings *out)
{
	const struct metrics *m = in->capture->metrics;
	struct wide_statement s = wide_statement(in);
	size_t best = SIZE_MAX, known = 0;
	double most = 0;
	struct wide_columns c;

	if (!str_eq(str_of(in->capture->format), STR("mysql-explain")))
		return;
	wide_columns(in, &c);
	for (size_t row = 0; row < m->n_rows; row++) {
		bool is_proved;
		double rows = wide_rows(in, &c, &s, row, &is_proved);

		known += isnan(metrics_value(m, row, c.rows)) ? 0 : 1;
		if (rows >= WIDE_NOTE && rows > most) {
			best = row;
			most = rows;
		}
	}
	if (best != SIZE_MAX)
		wide_finding(in, out, &c, &s, best);
	else if (known == 0)
		finding_not_assessed(out, in, &rule_wide_index_read,
				     "EXPLAIN of the statement on its server",
				     "the plan has no estimated rows");
	else
		finding_clean(
			out, in, &rule_wide_index_read,
			"no index is read over 100000 rows that a condition or a LIMIT drops");
}

const struct rule rule_wide_index_read = {
	.id = "wide-index-read",
	.title = "Index read of many rows in a plan of MySQL",
	.needs = RULE_METRICS,
	.check = wide_index_read_check,
};
