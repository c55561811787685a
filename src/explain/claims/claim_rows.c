/* SPDX-License-Identifier: MIT */
/*
 * claim_rows.c - claims about figures in printed tables
 *
 * A printed share stands for all values that are rounded to it. A table that ends early hides rows.
 * Each hidden row is at most as large as the smallest printed row. Together, the hidden rows have
 * at most 100 % minus the printed rows. If a function has several rows, their shares with callees
 * may count the same samples. The function's share is then between the largest of these shares and
 * their sum.
 */
#include "analyses/compare/compare.h"
#include "analyses/compare/stats_compare.h"
#include "base/stats.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "explain/claims/claim.h"
#include "explain/claims/claim_build.h"
#include "explain/claims/claim_judge.h"
#include "explain/facts.h"

#include <math.h>
#include <stdio.h>

/* Sums over the rows of a table; shares in percent. */
struct claim_table {
	double factor; /* percentage that one unit of weight stands for */
	/*
	 * hit: sum of the shares of rows that match the claim; largest: the largest of these shares
	 */
	double hit, largest;
	double visible;  /* sum of the self shares of all rows */
	double smallest; /* smallest self share of a printed row */
	/* sum of the shares of unresolved addresses that may belong to the claimed functions */
	double unnamed;
	uint64_t samples, rows, comms;
	str_id comm;
};

static bool claim_row_is(const struct capture *capture, const struct claim *c,
			 const struct claim_names *names, const struct profile_row *row)
{
	if (c->target == CLAIM_OF_ALL)
		return true;
	if (c->target == CLAIM_OF_COMM)
		return str_glob(c->name, strings_get(capture_strings(capture), row->comm));
	if (c->target == CLAIM_OF_DSO && row->dso.v &&
	    str_glob(c->name, strings_get(capture_strings(capture), row->dso)))
		return true;
	return row->has & ROW_HAS_SYMBOL && names->by_sym[row->sym.v];
}

static void claim_table_sum(const struct capture *capture, const struct claim *c,
			    const struct claim_names *names, bool is_inclusive,
			    struct claim_table *t, struct claim_result *r)
{
	const struct profile *p = capture->profile;
	double scale = (double)profile_scale(p);

	t->smallest = INFINITY;
	VEC_FOREACH (row, &p->table.rows) {
		double self = (double)row->self / scale;
		double value = is_inclusive ? (double)row->children / scale : self;

		t->comms += row->comm.v != t->comm.v;
		t->comm = row->comm;
		if (row->has & ROW_HAS_SELF) {
			t->visible += self;
			t->smallest = fmin(t->smallest, self);
		}
		if (row->has & ROW_HAS_SYMBOL &&
		    claim_names_may_be(names, capture_symbols(capture), row->sym))
			t->unnamed += self;
		if (!claim_row_is(capture, c, names, row))
			continue;
		t->hit += value;
		t->largest = fmax(t->largest, value);
		t->samples += row->samples;
		t->rows++;
		if (c->target != CLAIM_OF_ALL)
			claim_add_line(r, row->line);
	}
}

/*
 * The factor that converts weights to percent. A table without percentages prints counts. Their
 * total is the printed number of samples or events. If this is missing or too small, the total is
 * @visible, the sum of all rows.
 */
static double claim_table_factor(const struct profile *p, double visible)
{
	double whole = visible;

	if (p->unit == WEIGHT_PERCENT)
		return 1;
	if (p->unit == WEIGHT_SAMPLES && p->has_n_samples)
		whole = (double)p->n_samples;
	else if (p->has_event_count)
		whole = (double)p->event_count;
	whole = fmax(whole, visible);
	return whole > 0 ? 100 / whole : 0;
}

static void claim_table_scale(struct claim_table *t, double factor)
{
	t->factor = factor;
	t->hit *= factor;
	t->largest *= factor;
	t->visible *= factor;
	t->unnamed *= factor;
	t->smallest = t->smallest < INFINITY ? fmin(100, t->smallest * factor) : 100;
}

/*
 * Set @r to the share of the rows in @t, in percent. Its interval includes rounding and hidden
 * rows.
 */
static void claim_table_limits(const struct profile *p, const struct claim *c,
			       const struct claim_table *t, bool is_inclusive,
			       struct claim_result *r)
{
	double half = profile_half_width(p) * t->factor;
	double hidden = fmax(0, 100 - t->visible) + half * (double)p->table.rows.len;
	bool is_group = c->target != CLAIM_OF_FUNCTION;

	r->value = is_inclusive ? t->largest : t->hit;
	r->low = fmax(0, r->value - half * (is_inclusive ? 1 : (double)t->rows));
	r->high = t->hit + half * (double)t->rows;
	if (100 - t->visible <= half * (double)p->table.rows.len)
		hidden = 0;
	/*
	 * A function has one row per command, so the table hides at most one row of it for each
	 * command (column "comm"). For a group of functions, there is no such limit.
	 */
	if (!is_group && !is_inclusive)
		hidden =
			fmin(hidden, (t->smallest + half) *
					     (t->comms > 1 || t->rows == 0 ? (double)t->comms : 0));
	if (!is_inclusive)
		r->high += hidden + t->unnamed;
	else if (t->rows == 0)
		r->high = 100;
	if (hidden > 0 && !is_inclusive)
		(void)snprintf(r->why, sizeof(r->why),
			       "the table shows %.1f %% of all: rows that it hides may be of it",
			       t->visible);
	else if (t->unnamed > 0 && !is_inclusive)
		(void)snprintf(r->why, sizeof(r->why),
			       "%.2f %% is in functions without a name, which may be of it",
			       t->unnamed);
	r->high = fmin(100, r->high);
}

static void claim_table_chance(struct claim_state *s, const struct profile *p,
			       struct claim_result *r)
{
	double n = (double)p->n_samples - (double)p->n_samples_err;
	double lost = p->has_lost && p->lost ? (double)p->lost / ((double)p->lost + n) : 0;

	if (s->options->is_recorded_only || p->is_complete)
		return;
	if (!p->has_n_samples || !(n > 0)) {
		claim_cannot(r, "the number of samples is unknown",
			     "the header of the report, which has it, or --recorded, which judges "
			     "the printed figures and not the program");
		return;
	}
	r->is_sampled = true;
	r->n = (double)p->n_samples;
	n /= COMPARE_DISPERSION;
	r->low = 100 * (1 - lost) * stats_exact_limits(r->low / 100 * n, n, s->alpha).low;
	r->high = 100 * (1 - lost) * stats_exact_limits(r->high / 100 * n, n, s->alpha).high +
		  100 * lost;
}

static const char *claim_table_lacks(const struct profile *p, const struct claim *c)
{
	if (c->under.len)
		return "a printed report has no samples with their callers";
	for (unsigned int i = 0; i < c->n_in; i++) {
		if (c->in[i].kind != CLAIM_IN_COMM)
			return "a printed report has no samples with their times and CPUs";
		return "a printed report has only shares of all threads";
	}
	if (c->target == CLAIM_OF_COMM && !(p->table.columns & ROW_HAS_COMM))
		return "the report has no column of commands";
	if (c->measure == CLAIM_TIME && c->unit == CLAIM_NS)
		return "a printed report has shares, no times";
	if (c->measure == CLAIM_SAMPLES && !(p->table.columns & ROW_HAS_SAMPLES) &&
	    c->target != CLAIM_OF_ALL)
		return "the report has no column of samples";
	return NULL;
}

static void claim_table_samples(const struct profile *p, const struct claim *c,
				const struct claim_table *t, struct claim_result *r)
{
	r->unit = CLAIM_NUMBER;
	r->value = r->low = r->high = (double)t->samples;
	if (100 - t->visible > profile_half_width(p) * t->factor * (double)p->table.rows.len)
		r->high = INFINITY;
	if (c->target == CLAIM_OF_ALL) {
		r->value = (double)p->n_samples;
		r->low = r->value - (double)p->n_samples_err;
		r->high = r->value + (double)p->n_samples_err;
		r->has_figure = p->has_n_samples;
		if (!p->has_n_samples)
			claim_cannot(r, "the number of samples is unknown",
				     "the header of the report, which has it");
	}
}

static void claim_table_figure(struct claim_state *s, const struct capture *capture,
			       const struct claim *c, const struct claim_names *names,
			       struct claim_result *r)
{
	const struct profile *p = capture->profile;
	struct claim_table t = { .comm = STR_ID_NONE };
	bool wants_callees = c->measure == CLAIM_CHILDREN ||
			     (c->measure != CLAIM_SELF && c->measure != CLAIM_SAMPLES &&
			      c->target == CLAIM_OF_FUNCTION);
	bool has_callees = p->table.columns & ROW_HAS_CHILDREN;

	claim_table_sum(capture, c, names, wants_callees && has_callees, &t, r);
	claim_table_scale(&t, claim_table_factor(p, t.visible));
	if (t.factor == 0) {
		claim_cannot(r, "the total of the table is unknown", "the recording itself");
		return;
	}
	r->has_figure = true;
	r->n = p->has_n_samples ? (double)p->n_samples : NAN;
	r->n_of = "samples";
	if (c->measure == CLAIM_SAMPLES) {
		claim_table_samples(p, c, &t, r);
		return;
	}
	r->unit = CLAIM_PERCENT;
	claim_table_limits(p, c, &t, wants_callees && has_callees, r);
	claim_table_chance(s, p, r);
	if (wants_callees && !has_callees) {
		r->high = 100;
		(void)snprintf(r->why, sizeof(r->why),
			       "the report has no column with callees (Children)");
	}
}

void claim_rows_measure(struct claim_state *s, uint32_t number, const struct claim *c,
			struct claim_result *r)
{
	const struct capture *capture = s->facts->dossier->captures.data[number];
	const char *lacks = claim_table_lacks(capture->profile, c);
	struct claim_names names = { .by_sym = NULL };
	bool has_names = c->target != CLAIM_OF_ALL && c->target != CLAIM_OF_COMM;

	if (lacks) {
		claim_cannot(r, lacks, "the recording itself");
		return;
	}
	if (s->facts->profiles[number] && s->facts->profiles[number]->is_skewed) {
		claim_cannot(r, "the rows add up to more than a whole", "a table with one event");
		return;
	}
	if (has_names)
		claim_names_of(s, capture, c, &names);
	if (has_names && names.n == 0 && c->target == CLAIM_OF_FUNCTION && !c->may_be_absent &&
	    !c->base.len)
		claim_names_unknown(capture, c->name, r);
	else
		claim_table_figure(s, capture, c, &names, r);
	claim_names_fini(&names);
}
