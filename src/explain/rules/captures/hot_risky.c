/* SPDX-License-Identifier: MIT */
/*
 * A hot function that is risky according to a table of code metrics (complexity, dependencies). The
 * table was measured from C sources, or read from a file. A change of this function has the largest
 * effect, and a mistake in it runs most often.
 *
 * Thresholds: the function is in the riskiest fifth of the table. The authors of LEOPARD
 * (metrics/leopard.c) found three of four known bugs in such a fifth. The function has at least 1 %
 * of the time: a smaller share hardly matters. If a table has no column titles, the rule only
 * states a fact: in half of the columns, the function is in the largest tenth.
 */
#include "analyses/hot_metrics.h"
#include "analyses/metrics_summary.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/metrics.h"
#include "core/symbols.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(hot_risky);

#define HOT_PCT       1.0
#define HOT_TENTH     10u
#define HOT_SHOWN     3u
#define HOT_LOOKED_AT 64u  /* number of functions that are examined, hottest first */
#define HOT_FEW       100u /* with fewer samples the certainty is lower */
#define HOT_BY_FILE   95u
#define HOT_BY_NAME   80u
#define HOT_GUESSED   50u

struct hot_pair {
	struct rule_input in; /* the rule's input, with the profile as its capture */
	const struct capture *table;
	struct hot_metrics h;
	/* column numbers of source file and source line in the table; SIZE_MAX: none */
	size_t file, line;
};

static struct str hot_name(const struct hot_pair *p, const struct hot_function *f)
{
	return symbols_name(capture_symbols(p->table), p->table->metrics->names.data[f->row]);
}

/* Cite the two rows of the function: in the profile and in the table. */
static void hot_cite(struct findings *out, struct finding *f, const struct hot_pair *p,
		     const struct hot_function *one)
{
	const struct metrics *m = p->table->metrics;
	struct rule_input table = p->in;
	size_t at = one->row * m->columns.len;

	finding_subject(f, one->sym, SUBJECT_EXPLAINED);
	finding_evidence(out, f, &p->in, one->line, STR_FMT " %.2f %%",
			 STR_ARG(facts_name(p->in.facts, one->sym)), one->self);
	table.capture = p->table;
	finding_evidence(out, f, &table, m->lines.data[one->row], STR_FMT,
			 STR_ARG(hot_name(p, one)));
	if (p->table->is_measured && p->file != SIZE_MAX && p->line != SIZE_MAX &&
	    m->texts.len > at + p->file) {
		struct finding_evidence *e = &f->evidence.data[f->evidence.len - 1];
		double line = m->values.data[at + p->line];

		e->path = m->texts.data[at + p->file];
		e->line = line >= 1 && line < UINT32_MAX ? (uint32_t)line : 0;
	}
}

static unsigned int hot_sure(const struct hot_pair *p, const struct hot_function *f)
{
	unsigned int sure = f->alike > 1 ? HOT_GUESSED : f->is_by_place ? HOT_BY_FILE : HOT_BY_NAME;

	return p->h.n_samples && p->h.n_samples < HOT_FEW && sure > HOT_GUESSED ? HOT_GUESSED
										: sure;
}

static const char *hot_because(const struct hot_function *f)
{
	if (f->alike > 1)
		return "joined by name\n"
		       "which of several functions with this name it is";
	return f->is_by_place ? "the debug information of the recording names the file"
			      : "joined by name: the profile names no file, so a function of the "
				"same name elsewhere would match";
}

/*
 * The next risky function that may be as hot as @top, that is, whose interval of the share overlaps
 * that of @top. NULL: none.
 */
static const struct hot_function *hot_similar(const struct hot_pair *p,
					      const struct hot_function *top)
{
	VEC_FOREACH (one, &p->h.functions) {
		if (one != top && one->self >= HOT_PCT && hot_metrics_is_risky(&p->h, one))
			return one->high >= top->low ? one : NULL;
	}
	return NULL;
}

static void hot_finding(struct hot_pair *p, struct findings *out, const struct hot_function *top)
{
	struct finding *f =
		finding_add(out, &p->in, &rule_hot_risky, FINDING_NOTE, hot_sure(p, top));
	const struct hot_function *other = hot_similar(p, top);
	const char *second = "";
	size_t n = 0;

	f->impact = top->self;
	if (other)
		second = finding_name(out, " and " STR_FMT " (%.1f %%)",
				      STR_ARG(hot_name(p, other)), other->self);
	finding_claim(out, f,
		      STR_FMT " has %.1f %% of %s and ranks %u of %zu functions by %s; of the "
			      "riskiest fifth it%s %s the hottest",
		      STR_ARG(hot_name(p, top)), top->self, p->in.profile->unit.of, top->rank,
		      p->h.n_rows, p->h.risk_title, second, other ? "are" : "is");
	VEC_FOREACH (one, &p->h.functions) {
		if (one->self < HOT_PCT || !hot_metrics_is_risky(&p->h, one) || n == HOT_SHOWN)
			continue;
		if (one->low < one->high)
			finding_figure_interval(f,
						finding_name(out, "self share of " STR_FMT,
							     STR_ARG(hot_name(p, one))),
						one->self, one->low, one->high, "%");
		else
			finding_figure(f,
				       finding_name(out, "self share of " STR_FMT,
						    STR_ARG(hot_name(p, one))),
				       one->self, one->self_err, "%");
		finding_figure(f,
			       finding_name(out, "its place among %zu by %s", p->h.n_rows,
					    p->h.risk_title),
			       one->rank, 0, "");
		hot_cite(out, f, p, one);
		n++;
	}
	finding_figure(f, "share in functions of the table", p->h.matched, 0, "%");
	finding_cause(out, f,
		      "Hot code runs most and is changed for speed. Code that is hard to read "
		      "hides mistakes. Review and tests pay most where both meet");
	finding_because(out, f, "%s", hot_because(top));
	finding_next(out, f, "assay risk SOURCES --function %s: the metrics behind the rank",
		     finding_word(out, hot_name(p, top), true));
}

/*
 * The number of columns in which @row is in the largest tenth of all rows. *@ret_columns: number of
 * columns with more than two distinct values; others are ignored.
 */
static uint32_t hot_large_in(const struct hot_pair *p, uint32_t row, uint32_t *ret_columns)
{
	const struct metrics *m = p->table->metrics;
	uint32_t number = INDEX_NONE;
	uint32_t large = 0;

	*ret_columns = 0;
	for (uint32_t i = 0; i < p->in.facts->dossier->captures.len; i++) {
		if (p->in.facts->dossier->captures.data[i] == p->table)
			number = i;
	}
	for (size_t c = 0; number != INDEX_NONE && c < m->columns.len; c++) {
		const struct metrics_summary *sum = p->in.facts->metrics[number];
		uint32_t rank;

		if (!sum || sum->columns.data[c].distinct <= 2)
			continue;
		++*ret_columns;
		rank = metrics_rank(m, c, row);
		large += rank && (uint64_t)rank * HOT_TENTH <= m->n_rows;
	}
	return large;
}

/*
 * For a table without column titles: add a finding that only states facts, since the meaning of
 * the columns is unknown. False: no function stands out.
 */
static bool hot_unnamed(struct hot_pair *p, struct findings *out)
{
	const struct hot_function *best = NULL;
	uint32_t most = 0;
	uint32_t columns = 0;
	struct finding *f;

	for (size_t i = 0; i < p->h.functions.len && i < HOT_LOOKED_AT; i++) {
		const struct hot_function *one = &p->h.functions.data[i];
		uint32_t large = one->self < HOT_PCT ? 0 : hot_large_in(p, one->row, &columns);

		if (large > most) {
			most = large;
			best = one;
		}
	}
	if (!best || most * 2 < columns)
		return false;
	f = finding_add(out, &p->in, &rule_hot_risky, FINDING_NOTE, hot_sure(p, best));
	f->impact = best->self;
	finding_claim(
		out, f,
		STR_FMT " has %.1f %% of %s and is in the largest tenth of %u of the table's %u "
			"columns of numbers; the table does not say which columns measure risk",
		STR_ARG(hot_name(p, best)), best->self, p->in.profile->unit.of, most, columns);
	finding_figure_interval(f, "self share", best->self, best->low, best->high, "%");
	finding_figure(f, "columns in whose largest tenth it is", most, 0, "");
	finding_figure(f, "functions of the profile in the table", (double)p->h.functions.len, 0,
		       "");
	finding_figure(f, "share in functions of the table", p->h.matched, 0, "%");
	hot_cite(out, f, p, best);
	finding_cause(out, f, "the columns have no titles, so their meaning is unknown");
	finding_because(out, f, "%s", hot_because(best));
	finding_next(out, f, "assay CAPTURE SOURCES measures and ranks the functions itself");
	return true;
}

static void hot_pair_check(struct hot_pair *p, struct findings *out)
{
	const struct hot_function *top = hot_metrics_hottest_risky(&p->h);

	if (p->h.functions.len == 0)
		finding_not_assessed(out, &p->in, &rule_hot_risky,
				     "give the sources of the recorded program",
				     "no function of the profile is in the table of metrics");
	else if (!p->h.risk_title && hot_unnamed(p, out))
		return;
	else if (!p->h.risk_title)
		finding_not_assessed(
			out, &p->in, &rule_hot_risky,
			"give the sources, or a table with a column called score, cognitive or "
			"cyclomatic",
			"%zu functions of the profile are in the table of metrics, the "
			"hottest " STR_FMT " with %.1f %%; no column title names a measure of risk",
			p->h.functions.len, STR_ARG(hot_name(p, &p->h.functions.data[0])),
			p->h.functions.data[0].self);
	else if (!top || top->self < HOT_PCT)
		finding_clean(out, &p->in, &rule_hot_risky,
			      "none of the riskiest fifth of %zu functions has %.0f %% of %s",
			      p->h.n_rows, HOT_PCT, p->in.profile->unit.of);
	else
		hot_finding(p, out, top);
}

static void hot_check(const struct rule_input *in, struct findings *out)
{
	const struct dossier *d = in->facts->dossier;

	for (uint32_t t = 0; t < d->captures.len; t++) {
		const struct capture *table = d->captures.data[t];

		if (!hot_metrics_is_table(table))
			continue;
		for (uint32_t i = 0; i < d->captures.len; i++) {
			struct hot_pair p = { .in = *in, .table = table };
			struct error err;

			if (!in->facts->profiles[i])
				continue;
			p.in.capture = d->captures.data[i];
			p.in.number = i;
			p.in.profile = in->facts->profiles[i];
			p.file = hot_metrics_column(table, "file");
			p.line = hot_metrics_column(table, "line");
			if (hot_metrics_join(p.in.capture, table, &in->facts->cats, &p.h, &err) < 0)
				continue;
			hot_pair_check(&p, out);
			hot_metrics_fini(&p.h);
		}
	}
}

const struct rule rule_hot_risky = {
	.id = "hot-risky",
	.title = "Hot and risky function",
	.needs = RULE_DOSSIER,
	.check = hot_check,
	.is_measured = true,
};
