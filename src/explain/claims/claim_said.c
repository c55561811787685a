/* SPDX-License-Identifier: MIT */
/* claim_said.c - judge a figure in prose by the captures */
#include "base/alloc.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/symbols.h"
#include "explain/claims/claim.h"
#include "explain/claims/claim_build.h"
#include "explain/claims/claim_judge.h"
#include "explain/claims/claim_prose.h"
#include "explain/facts.h"

#include <math.h>
#include <stdio.h>

/* shares are printed with two decimals: the rounding error, in percentage points */
#define SAID_ROUNDING 0.005
/*
 * a round figure ("20 %") may differ from the recorded value by this fraction of itself: it may
 * mean 18 to 22 %
 */
#define SAID_ROUND 0.1

/*
 * A meaning that a figure in prose can have. The unit decides which ones are possible: "12 %" may
 * be a self share or a share with callees.
 */
struct said_measure {
	enum claim_measure measure;
	double quantile;
	enum claim_unit unit;
	const char *title;
};

static const struct said_measure said_measures[] = {
	{ CLAIM_SELF, 0, CLAIM_PERCENT, "self" },
	{ CLAIM_CHILDREN, 0, CLAIM_PERCENT, "with callees" },
	{ CLAIM_TIME, 0, CLAIM_NS, "in all" },
	{ CLAIM_MEAN, 0, CLAIM_NS, "mean" },
	{ CLAIM_QUANTILE, 0.5, CLAIM_NS, "median" },
	{ CLAIM_QUANTILE, 0.99, CLAIM_NS, "p99" },
	{ CLAIM_MIN, 0, CLAIM_NS, "shortest" },
	{ CLAIM_MAX, 0, CLAIM_NS, "longest" },
	{ CLAIM_CALLS, 0, CLAIM_NUMBER, "calls" },
	{ CLAIM_SAMPLES, 0, CLAIM_NUMBER, "samples" },
};

struct said_judge {
	struct facts *facts;
	const struct claim_said *said;
	struct claim_result *result;
	struct out is; /* the measured values as text, for the reason in the result */
	bool has_figure;
	/* the text has a round figure, and a recorded value is within SAID_ROUND of it */
	bool is_near;
	/*
	 * the figure may have a meaning that the capture cannot show, such as a share with callees
	 */
	bool is_open;
};

static bool said_matches(struct said_judge *j, double value)
{
	const struct claim_said *said = j->said;
	double by = said->tolerance + (said->claim.unit == CLAIM_PERCENT ? SAID_ROUNDING
				       : said->claim.unit == CLAIM_NS    ? 0.5
									 : 0);

	if (said->is_hedged_low)
		return value >= said->value - by;
	if (said->is_hedged_high)
		return value <= said->value + by;
	j->is_near |= said->is_round && fabs(value - said->value) <= SAID_ROUND * said->value;
	/* the text may have rounded 26.76 to 27, or truncated it to 26 */
	return fabs(value - said->value) <= by ||
	       (value > said->value && value < said->value + said->digit);
}

/*
 * Whether a row of the table has the figure. A function may have several rows, and the text may
 * quote any of these rows.
 */
static bool said_matches_row(struct said_judge *j, const struct capture *capture)
{
	const struct profile *p = capture->profile;
	const struct symbols *symbols = capture_symbols(capture);
	double scale;

	if (!p || p->unit != WEIGHT_PERCENT || j->said->claim.unit != CLAIM_PERCENT)
		return false;
	scale = (double)profile_scale(p);
	VEC_FOREACH (row, &p->table.rows) {
		if (!(row->has & ROW_HAS_SYMBOL) ||
		    !(str_eq(symbols_name(symbols, row->sym), j->said->claim.name) ||
		      str_eq(symbols_canonical(symbols, row->sym), j->said->claim.name)))
			continue;
		if ((row->has & ROW_HAS_SELF && said_matches(j, (double)row->self / scale)) ||
		    (row->has & ROW_HAS_CHILDREN && said_matches(j, (double)row->children / scale)))
			return true;
	}
	return false;
}

/*
 * Whether the figure may be the share of one node of the call tree. A function has a node for each
 * caller, and the text may quote one of them. Always true for massif: its shares refer to a total
 * with the overhead of the allocator, which the profile does not have.
 */
static bool said_matches_node(struct said_judge *j, const struct capture *capture)
{
	const struct profile *p = capture->profile;
	const struct symbols *symbols = capture_symbols(capture);
	double total = 0;
	CLEANUP(freep) double *weights = NULL;
	bool matches = false;

	if (!p || p->samples.n == 0 || j->said->claim.unit != CLAIM_PERCENT)
		return false;
	if (str_eq(str_of(capture->format), STR("massif")))
		return true;
	weights = xcalloc(p->stacks.parent.len + 1, sizeof(*weights));
	for (size_t i = 0; i < p->samples.n; i++) {
		weights[p->samples.stack.data[i].v] += (double)p->samples.weight.data[i];
		total += (double)p->samples.weight.data[i];
	}
	for (size_t i = p->stacks.parent.len; i-- > 1 && total > 0 && !matches;) {
		sym_id sym = p->stacks.sym.data[i];

		weights[p->stacks.parent.data[i]] += weights[i];
		matches = (str_eq(symbols_name(symbols, sym), j->said->claim.name) ||
			   str_eq(symbols_canonical(symbols, sym), j->said->claim.name)) &&
			  said_matches(j, 100 * weights[i] / total);
	}
	return matches;
}

/* Compare the figure in the text with one capture, in the meaning @m. */
static void said_try(struct said_judge *j, uint32_t capture, const struct said_measure *m)
{
	const struct claim_options options = { .capture = capture, .is_recorded_only = true };
	struct claim claim = j->said->claim;
	struct claim_result r;

	claim.measure = m->measure;
	claim.quantile = m->quantile;
	claim_judge(j->facts, &claim, 1, &options, &r);
	if (!r.has_figure || isnan(r.value) || r.unit != claim.unit)
		return;
	if (m->measure == CLAIM_CHILDREN && r.high >= 100 && r.value < 100) {
		j->is_open |= j->said->value > r.low;
		return;
	}
	if (j->result->capture == INDEX_NONE || said_matches(j, r.value)) {
		j->result->capture = capture;
		j->result->n_lines = 0;
		for (unsigned int i = 0; i < r.n_lines; i++)
			claim_add_line(j->result, r.lines[i]);
	}
	if (j->is.len < CLAIM_TEXT_BYTES / 2)
		out_printf(&j->is, "%s%s %.4g%s", j->is.len ? ", " : "", m->title,
			   m->unit == CLAIM_NS ? r.value / 1e3 : r.value,
			   m->unit == CLAIM_PERCENT ? " %"
			   : m->unit == CLAIM_NS    ? " µs"
						    : "");
	/* the figure "12 samples" may be a number of other events, such as calls */
	j->is_open |= m->measure == CLAIM_SAMPLES && !j->facts->calls[capture];
	j->has_figure = true;
	if (said_matches(j, r.value))
		j->result->outcome = CLAIM_TRUE;
}

void claim_said_judge(struct facts *f, const struct claim_said *said, struct claim_result *r)
{
	struct said_judge j = { .facts = f, .said = said, .result = r, .is = { .fd = -1 } };

	*r = (struct claim_result){
		.claim = &said->claim, .outcome = CLAIM_FALSE, .capture = INDEX_NONE, .n = NAN
	};
	r->is_final = true;
	for (uint32_t i = 0; i < f->dossier->captures.len && r->outcome != CLAIM_TRUE; i++) {
		for (size_t m = 0; m < ARRAY_LEN(said_measures); m++) {
			if (said_measures[m].unit == said->claim.unit)
				said_try(&j, i, &said_measures[m]);
		}
		if (said_matches_row(&j, f->dossier->captures.data[i])) {
			r->outcome = CLAIM_TRUE;
			r->capture = i;
		}
		if (r->outcome != CLAIM_TRUE)
			j.is_open |= said_matches_node(&j, f->dossier->captures.data[i]);
	}
	out_char(&j.is, '\0');
	if (r->outcome == CLAIM_FALSE && !j.has_figure && r->capture == INDEX_NONE)
		claim_cannot(r, "no capture has such a figure of it", "a capture that has");
	else if (r->outcome == CLAIM_FALSE && said->is_compared)
		claim_cannot(r, j.is.data, "the recording that the sentence compares with");
	else if (r->outcome == CLAIM_FALSE && j.is_near)
		claim_cannot(r, j.is.data, "a figure with more digits: this one may be rounded");
	else if (r->outcome == CLAIM_FALSE && j.is_open)
		claim_cannot(
			r, j.is.data,
			"a capture that shows which figure is meant: with callees, or all calls");
	else
		(void)snprintf(r->why, sizeof(r->why), "recorded: %s", j.is.data);
	out_fini(&j.is);
}
