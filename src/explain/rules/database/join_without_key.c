/* SPDX-License-Identifier: MIT */
/*
 * A plan of MySQL joins tables without a key: each row of the earlier tables is compared with all
 * rows of a later one, which is read whole (type ALL or index, without a reference to a column).
 *
 * The number of comparisons is the product of the estimated rows of the tables, in the order of the
 * plan. Thresholds: 10000 combinations for a note, because fewer take milliseconds, and ten million
 * for a warning. A later table of 10000 rows or more is left to the rule full-scan. A hash join
 * reads each table once, so it does not count.
 */
#include "base/str.h"
#include "core/capture.h"
#include "core/kinds/metrics.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/words/table_words.h"

#include <math.h>

DECLARE_RULE(join_without_key);

#define JOIN_NOTE   1e4
#define JOIN_LEAD   1e7
#define JOIN_SCAN   1e4 /* rows of a table that rule full-scan reports */
#define JOIN_TABLES 8u  /* maximum number of factors in the text */
#define JOIN_SURE   75u

struct join_plan {
	const struct rule_input *in;
	size_t select, type, possible, ref, rows, filtered, extra;
	double pairs;     /* combinations of the rows of all tables so far */
	double compared;  /* combinations up to the last table that is joined without a key */
	size_t first;     /* first table that is joined without a key; SIZE_MAX: none */
	size_t last, n;   /* the last one, and their number */
	size_t n_rows;    /* tables of the statement itself, without its subqueries */
	bool has_unknown; /* a table has no estimated rows */
	bool has_scan;    /* rule full-scan reports one of them */
};

static struct join_plan join_columns(const struct rule_input *in)
{
	return (struct join_plan){
		.in = in,
		.select = table_words_column(in, "select"),
		.type = table_words_column(in, "type"),
		.possible = table_words_column(in, "possible keys"),
		.ref = table_words_column(in, "ref"),
		.rows = table_words_column(in, "estimated rows"),
		.filtered = table_words_column(in, "filtered"),
		.extra = table_words_column(in, "extra"),
		.pairs = 1,
		.first = SIZE_MAX,
	};
}

/* Is the table in @row one of the statement itself, instead of a subquery? */
static bool join_is_outer(const struct join_plan *p, size_t row)
{
	struct str select = table_words_text(p->in, row, p->select);

	return select.len == 0 || str_glob(STR("SIMPLE|PRIMARY"), select);
}

static bool join_is_whole(const struct join_plan *p, size_t row)
{
	return str_glob(STR("ALL|index"), table_words_text(p->in, row, p->type)) &&
	       table_words_text(p->in, row, p->ref).len == 0 &&
	       !str_contains(table_words_text(p->in, row, p->extra), STR("hash join"));
}

/* Count the tables that are joined without a key. Cost: O(rows). */
static void join_count(struct join_plan *p)
{
	const struct metrics *m = p->in->capture->metrics;

	for (size_t row = 0; row < m->n_rows && join_is_outer(p, row); row++) {
		double rows = metrics_value(m, row, p->rows);
		double kept = metrics_value(m, row, p->filtered);

		if (isnan(rows)) {
			p->has_unknown = true;
			return;
		}
		p->n_rows++;
		p->pairs *= rows;
		if (row && rows > 1 && join_is_whole(p, row)) {
			p->first = p->n++ ? p->first : row;
			p->last = row;
			p->compared = p->pairs;
			p->has_scan |= rows >= JOIN_SCAN;
		}
		if (kept >= 0 && kept <= 100)
			p->pairs *= kept / 100;
	}
}

/* "30 x 22 x 73": the estimated rows of the tables up to the last one that has no key. */
static const char *join_factors(const struct join_plan *p, struct findings *out)
{
	const char *text = "";

	if (p->last >= JOIN_TABLES)
		return "product of the estimated rows";
	for (size_t row = 0; row <= p->last; row++)
		text = finding_name(out, "%s%s%.0f", text, row ? " x " : "",
				    metrics_value(p->in->capture->metrics, row, p->rows));
	return text;
}

static void join_finding(const struct join_plan *p, struct findings *out)
{
	const struct rule_input *in = p->in;
	const struct metrics *m = in->capture->metrics;
	bool has_key = table_words_text(in, p->first, p->possible).len > 0;
	struct finding *f =
		finding_add(out, in, &rule_join_without_key,
			    p->compared >= JOIN_LEAD ? FINDING_WARNING : FINDING_NOTE, JOIN_SURE);

	finding_claim(out, f,
		      "Join without a key: all rows of '" STR_FMT
		      "'%s are compared with each row of the tables before %s: up to %.0f "
		      "combinations (%s)",
		      STR_ARG(table_words_name(in, p->first)),
		      p->n > 2   ? finding_name(out, ", '" STR_FMT "' and %zu more table%s",
						STR_ARG(table_words_name(in, p->last)), p->n - 2,
                                              p->n > 3 ? "s" : "")
		      : p->n > 1 ? finding_name(out, " and '" STR_FMT "'",
						STR_ARG(table_words_name(in, p->last)))
				 : "",
		      p->n > 1 ? "them" : "it", p->compared, join_factors(p, out));
	finding_figure(f, "combinations of rows", p->compared, 0, "");
	finding_figure(f, "tables joined without a key", (double)p->n, 0, "");
	finding_evidence(out, f, in, m->lines.data[p->first], "the row of EXPLAIN");
	if (p->n > 1)
		finding_evidence(out, f, in, m->lines.data[p->last], "the row of EXPLAIN");
	finding_usual_cause(
		out, f, "%s",
		has_key ? "possible_keys names an index that is not used: the join condition "
			  "stands in one branch of an OR, compares different types, or the table "
			  "is "
			  "small"
			: "The statement has no join condition for this table (a Cartesian "
			  "product), or no index on the joined columns");
	finding_because(out, f,
			"EXPLAIN names the access; the rows are estimates\n"
			"whether a condition ends the comparison early");
	finding_next(
		out, f, "%s; EXPLAIN must then say ref or eq_ref",
		has_key ? "join by JOIN ... ON outside of the OR, or a UNION of its branches"
			: "write a condition, and create an index, on the columns that join it");
}

static void join_check(const struct rule_input *in, struct findings *out)
{
	struct join_plan p;

	if (!str_eq(str_of(in->capture->format), STR("mysql-explain")))
		return;
	p = join_columns(in);
	join_count(&p);
	if (p.has_unknown || p.n_rows == 0)
		finding_not_assessed(out, in, &rule_join_without_key,
				     "EXPLAIN of the statement on its server",
				     "the plan has no estimated rows of a table");
	else if (p.n == 0 || p.has_scan || p.compared < JOIN_NOTE)
		finding_clean(out, in, &rule_join_without_key,
			      "no small tables are joined without a key in 10000 combinations");
	else
		join_finding(&p, out);
}

const struct rule rule_join_without_key = {
	.id = "join-without-key",
	.title = "Tables joined without a key in a plan of MySQL",
	.needs = RULE_METRICS,
	.check = join_check,
};
