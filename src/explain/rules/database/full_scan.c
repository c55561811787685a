/* SPDX-License-Identifier: MIT */
/*
 * A plan of MySQL reads a whole table or index to check a condition, because no index serves the
 * condition.
 *
 * Thresholds: 10000 rows for a note, because a scan of fewer rows takes milliseconds (rule
 * rows-examined has the same limit), and 100000 for a warning. `rows` is an estimate. Without a
 * condition ("Using where") the statement asks for the whole table, so there is no finding. An
 * index would not help if the condition keeps half of the rows or more, as estimated by the planner
 * (`filtered`).
 *
 * With LIMIT, MySQL may read an index in the order of ORDER BY and test each row. `rows` is then
 * the limit, and the number of rows that are read is unknown: a note, without a threshold.
 */
#include "base/str.h"
#include "core/capture.h"
#include "core/kinds/metrics.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/words/table_words.h"

#include <math.h>

DECLARE_RULE(full_scan);

#define SCAN_NOTE 10000.0
#define SCAN_LEAD 100000.0
/* if a condition keeps at least this percentage of the rows, an index would not help */
#define SCAN_KEPT 50.0
#define SCAN_SURE 75u

struct scan_columns {
	size_t select, type, possible, key, rows, filtered, extra;
};

static bool scan_columns(const struct rule_input *in, struct scan_columns *ret)
{
	*ret = (struct scan_columns){
		.select = table_words_column(in, "select"),
		.type = table_words_column(in, "type"),
		.possible = table_words_column(in, "possible keys"),
		.key = table_words_column(in, "key"),
		.rows = table_words_column(in, "estimated rows"),
		.filtered = table_words_column(in, "filtered"),
		.extra = table_words_column(in, "extra"),
	};
	return str_eq(str_of(in->capture->format), STR("mysql-explain"));
}

/* Does the table in @row have a condition, or a join, that an index could serve? */
static bool scan_has_condition(const struct rule_input *in, const struct scan_columns *c,
			       size_t row)
{
	return str_glob(STR("*Using where*|*Using join buffer*|*Range checked for each record*"),
			table_words_text(in, row, c->extra));
}

static bool scan_is_whole(const struct rule_input *in, const struct scan_columns *c, size_t row)
{
	/* a share that is not printed is NaN, and the comparison is false */
	bool keeps_most = metrics_value(in->capture->metrics, row, c->filtered) >= SCAN_KEPT;

	return str_glob(STR("ALL|index"), table_words_text(in, row, c->type)) &&
	       scan_has_condition(in, c, row) && !keeps_most &&
	       metrics_value(in->capture->metrics, row, c->rows) >= SCAN_NOTE;
}

/*
 * Is the table in @row read several times, once for each buffer of rows from the previous tables?
 * (A hash join reads it once.)
 */
static bool scan_is_join(const struct rule_input *in, const struct scan_columns *c, size_t row)
{
	struct str extra = table_words_text(in, row, c->extra);

	return str_contains(extra, STR("join buffer")) && !str_contains(extra, STR("hash join"));
}

static void scan_cause(const struct rule_input *in, struct findings *out, struct finding *f,
		       const struct scan_columns *c, size_t row)
{
	struct str possible = table_words_text(in, row, c->possible);
	struct str key = table_words_text(in, row, c->key);

	if (key.len) {
		finding_usual_cause(out, f,
				    "No index begins with the columns of the condition: the whole "
				    "index " STR_FMT " is read instead of the table",
				    STR_ARG(key));
		finding_next(out, f,
			     "create an index that begins with the columns of the condition; "
			     "EXPLAIN must then say ref or range");
	} else if (possible.len) {
		finding_usual_cause(
			out, f,
			"The index " STR_FMT
			" serves a part of the condition and is not used: an OR with a column "
			"that has no index, a value that many rows have, or a comparison of "
			"different types",
			STR_ARG(possible));
		finding_next(out, f,
			     "create an index for each side of an OR; without one, a UNION scans "
			     "the table for that side, too. EXPLAIN must then name a key");
	} else {
		finding_cause(out, f,
			      "No index of the table serves the condition: possible_keys is empty");
		finding_next(out, f,
			     scan_is_join(in, c, row)
				     ? "CREATE INDEX on the columns of '" STR_FMT
				       "' that join it; EXPLAIN must then say ref or eq_ref"
				     : "CREATE INDEX on the columns of '" STR_FMT
				       "' in the condition; EXPLAIN must then name a key",
			     STR_ARG(table_words_name(in, row)));
	}
}

static void scan_finding(const struct rule_input *in, struct findings *out,
			 const struct scan_columns *c, size_t row, size_t scans)
{
	const struct metrics *m = in->capture->metrics;
	double rows = metrics_value(m, row, c->rows);
	bool is_index = str_eq(table_words_text(in, row, c->type), STR("index"));
	bool is_join = scan_is_join(in, c, row);
	bool is_again =
		str_glob(STR("DEPENDENT *|UNCACHEABLE *"), table_words_text(in, row, c->select));
	struct finding *f =
		finding_add(out, in, &rule_full_scan,
			    rows >= SCAN_LEAD ? FINDING_WARNING : FINDING_NOTE, SCAN_SURE);

	finding_claim(out, f, "Full %s scan of '" STR_FMT "': %s, about %.0f rows%s%s",
		      is_index ? "index" : "table", STR_ARG(table_words_name(in, row)),
		      is_index ? "type index reads the whole index" : "type ALL uses no index",
		      rows,
		      is_again  ? " for each row of the outer query"
		      : is_join ? " for each buffer of rows from the tables before it"
				: " in each run",
		      scans > 2   ? "; other tables are read whole, too"
		      : scans > 1 ? "; another table is read whole, too"
				  : "");
	finding_figure(f, "estimated rows", rows, 0, "");
	finding_evidence(out, f, in, m->lines.data[row], "the row of EXPLAIN");
	scan_cause(in, out, f, c, row);
	finding_because(out, f,
			"EXPLAIN names the access; the rows are an estimate\n"
			"how often the statement runs");
}

/*
 * The number of rows that the LIMIT of the statement asks for, as text: "101". Empty: the statement
 * is unknown, or has none at its end.
 */
static struct str scan_limit(const struct rule_input *in)
{
	struct str text = capture_note_of(in->capture, STR("statement"));
	struct str word, before = STR_NONE, last = STR_NONE;

	while (str_word(&text, &word)) {
		before = last;
		last = word;
	}
	last = str_sub(last, 0, str_find_char(last, ';'));
	return str_glob(STR("LIMIT|limit|Limit"), before) ? last : STR_NONE;
}

/* Is the table in @row read in the order of an index until the limit is reached? */
static bool scan_is_ordered(const struct rule_input *in, const struct scan_columns *c, size_t row,
			    struct str limit)
{
	struct str extra = table_words_text(in, row, c->extra);
	uint64_t n;

	return str_u64(&limit, &n) && !limit.len &&
	       metrics_value(in->capture->metrics, row, c->rows) == (double)n &&
	       str_eq(table_words_text(in, row, c->type), STR("index")) &&
	       str_contains(extra, STR("Using where")) &&
	       !str_glob(STR("*filesort*|*temporary*|*Using index"), extra);
}

static void scan_ordered(const struct rule_input *in, struct findings *out,
			 const struct scan_columns *c, size_t row, struct str limit)
{
	struct finding *f = finding_add(out, in, &rule_full_scan, FINDING_NOTE, SCAN_SURE);
	struct str key = table_words_text(in, row, c->key);

	finding_claim(out, f,
		      "'" STR_FMT "' is read in the order of the index " STR_FMT
		      ", row by row, until " STR_FMT " rows meet the condition (LIMIT)",
		      STR_ARG(table_words_name(in, row)), STR_ARG(key), STR_ARG(limit));
	finding_figure(f, "limit", metrics_value(in->capture->metrics, row, c->rows), 0, "rows");
	finding_evidence(out, f, in, in->capture->metrics->lines.data[row], "the row of EXPLAIN");
	finding_cause(
		out, f,
		"%s. rows (" STR_FMT ") is the limit, and not the number of rows that are "
		"read: the fewer rows meet the condition, the more of the table is read",
		table_words_text(in, row, c->possible).len
			? "The optimizer prefers the index for the order to one for the "
			  "condition"
			: "No index of the table serves the condition: possible_keys is empty",
		STR_ARG(limit));
	finding_because(out, f,
			"EXPLAIN names the access\n"
			"how many rows meet the condition");
	finding_next(out, f,
		     "FLUSH STATUS; the statement; SHOW SESSION STATUS LIKE 'Handler_read%%': the "
		     "rows that are read");
	finding_next(out, f,
		     "CREATE INDEX on the columns of the condition, then that of ORDER BY; EXPLAIN "
		     "must then name it");
}

/* Does the scan in @row cost more than the scan in @than? A joined table is read many times. */
static bool scan_is_worse(const struct rule_input *in, const struct scan_columns *c, size_t row,
			  size_t than)
{
	bool is_join = scan_is_join(in, c, row);

	if (is_join != scan_is_join(in, c, than))
		return is_join;
	return metrics_value(in->capture->metrics, row, c->rows) >
	       metrics_value(in->capture->metrics, than, c->rows);
}

static void full_scan_check(const struct rule_input *in, struct findings *out)
{
	const struct metrics *m = in->capture->metrics;
	struct scan_columns c;
	size_t best = SIZE_MAX, ordered = SIZE_MAX, scans = 0, known = 0;
	struct str limit;

	if (!scan_columns(in, &c))
		return;
	limit = scan_limit(in);
	for (size_t row = 0; row < m->n_rows; row++) {
		double rows = metrics_value(m, row, c.rows);

		known += isnan(rows) ? 0 : 1;
		if (ordered == SIZE_MAX && scan_is_ordered(in, &c, row, limit))
			ordered = row;
		if (!scan_is_whole(in, &c, row))
			continue;
		scans++;
		if (best == SIZE_MAX || scan_is_worse(in, &c, row, best))
			best = row;
	}
	if (best != SIZE_MAX)
		scan_finding(in, out, &c, best, scans);
	else if (ordered != SIZE_MAX)
		scan_ordered(in, out, &c, ordered, limit);
	else if (known == 0)
		finding_not_assessed(out, in, &rule_full_scan,
				     "EXPLAIN of the statement on its server",
				     "the plan has no estimated rows");
	else
		finding_clean(
			out, in, &rule_full_scan,
			"no table is read whole for a condition that drops half of 10000 rows");
}

const struct rule rule_full_scan = {
	.id = "full-scan",
	.title = "Full table scan in a plan of MySQL",
	.needs = RULE_METRICS,
	.check = full_scan_check,
};
