/* SPDX-License-Identifier: MIT */
/*
 * claim_samples.c - shares of samples, with exact limits
 *
 * Let w be the weight of a sample, and y = 1 if the target matches, otherwise 0. The share is p =
 * sum w y / sum w. If samples are independent, its variance is sum w^2 (y - p)^2 / (sum w)^2.
 * Bursts make the variance larger. The recording is cut into m slices of time, and e is the sum of
 * w (y - p) in a slice. Then the variance is m / (m - 1) sum e^2 / (sum w)^2 (compare_spread.c).
 * The larger variance gives the effective number of samples, p (1 - p) / variance. This number
 * gives the limits.
 */
#include "analyses/compare/compare.h"
#include "analyses/compare/stats_compare.h"
#include "analyses/quality/quality.h"
#include "base/alloc.h"
#include "base/stats.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "explain/claims/claim.h"
#include "explain/claims/claim_build.h"
#include "explain/claims/claim_judge.h"
#include "explain/facts.h"

#include <math.h>
#include <stdio.h>

/*
 * Sums of weights over the samples of a claim. all: all samples; hit: samples that match the
 * target; *_squares: sums of squared weights.
 */
struct claim_sums {
	double all, hit;
	double all_squares, hit_squares;
	double unseen; /* weight of samples that do not match, but may belong to the target */
	double n, n_hit;
	double slice_all[CLAIM_SLICES], slice_hit[CLAIM_SLICES];
};

/*
 * How much the share varies between time slices: the variance, divided by the variance of
 * independent samples. It is computed for several lengths of the slices. Returns the largest ratio,
 * at least 1.
 */
static double claim_ratio(const struct claim_sums *s, unsigned int slices, double alpha)
{
	double p = s->hit / s->all;
	double independent =
		(1 - p) * (1 - p) * s->hit_squares + p * p * (s->all_squares - s->hit_squares);
	double largest = 1;

	for (unsigned int step = 1; slices / step >= CLAIM_SLICES_MIN && independent > 0;
	     step *= 2) {
		double m = slices / step;
		double t =
			stats_t_critical(alpha, m - 1) / stats_t_critical(alpha, STATS_DF_NORMAL);
		double sum = 0;

		for (unsigned int k = 0; k < slices; k += step) {
			double e = 0;

			for (unsigned int i = k; i < k + step; i++)
				e += s->slice_hit[i] - p * s->slice_all[i];
			sum += e * e;
		}
		/*
		 * the variance itself is only an estimate; the factor t increases the ratio for
		 * this uncertainty
		 */
		sum *= m / (m - 1) / independent;
		if (sum > 1 && sum * t * t > largest)
			largest = sum * t * t;
	}
	return largest;
}

static bool claim_in_time(const struct claim_scope *in, const struct claim_times *t, uint64_t at)
{
	double since = (double)(at - t->first);

	if (in->is_percent)
		since *= 100 / (double)(t->last > t->first ? t->last - t->first : 1);
	return since >= in->from && since < in->to;
}

/* Whether sample @i is in all threads, CPUs and time ranges of the claim's clauses "in ...". */
static bool claim_is_in(const struct capture *capture, const struct claim *c,
			const struct claim_times *t, size_t i)
{
	const struct profile *p = capture->profile;
	const struct profile_thread *thread =
		p->samples.thread.len ? &p->threads.data[p->samples.thread.data[i]] : NULL;

	for (unsigned int k = 0; k < c->n_in; k++) {
		const struct claim_scope *in = &c->in[k];
		bool is_in = false;

		switch (in->kind) {
		case CLAIM_IN_COMM:
			is_in = str_glob(in->name,
					 strings_get(capture_strings(capture), thread->comm));
			break;
		case CLAIM_IN_PID:
			is_in = thread->has_pid && thread->pid == in->from;
			break;
		case CLAIM_IN_TID:
			is_in = thread->has_tid && thread->tid == in->from;
			break;
		case CLAIM_IN_CPU:
			is_in = p->samples.cpu.data[i] == in->from;
			break;
		case CLAIM_IN_TIME:
			is_in = claim_in_time(in, t, p->samples.time_ns.data[i]);
			break;
		}
		if (!is_in)
			return false;
	}
	return true;
}

/*
 * Why the clauses "in ..." of the claim cannot be applied, such as "the samples have no times".
 * NULL: they can be applied.
 */
static const char *claim_lacks(const struct profile *p, const struct claim *c)
{
	if (c->target == CLAIM_OF_COMM && !p->samples.thread.len)
		return "the samples name no threads";
	for (unsigned int k = 0; k < c->n_in; k++) {
		if (c->in[k].kind == CLAIM_IN_TIME && !p->samples.time_ns.len)
			return "the samples have no times";
		if (c->in[k].kind == CLAIM_IN_CPU && !p->samples.cpu.len)
			return "the samples name no CPUs";
		if (c->in[k].kind <= CLAIM_IN_TID && !p->samples.thread.len)
			return "the samples name no threads";
	}
	return NULL;
}

/*
 * Bits of each stack node. NODE_HIT: samples at this node count for the claim. NODE_UNDER: the node
 * or one of its callers matches the clause "under". NODE_ANY: the node or one of its callers
 * matches the target. NODE_UNSEEN: the node is an unresolved address that may belong to the target.
 */
enum claim_node { NODE_HIT = 1, NODE_UNDER = 2, NODE_ANY = 4, NODE_UNSEEN = 8 };

struct claim_nodes {
	struct claim_names of, under;
	uint8_t *bits;
	bool is_inclusive;
	bool has_under;
};

static bool claim_is_inclusive(const struct claim *c)
{
	return c->measure == CLAIM_CHILDREN ||
	       (c->measure == CLAIM_SHARE && c->target == CLAIM_OF_FUNCTION) ||
	       ((c->measure == CLAIM_SAMPLES || c->measure == CLAIM_TIME) &&
		c->target == CLAIM_OF_FUNCTION);
}

static void claim_nodes_of(const struct capture *capture, struct claim_nodes *n)
{
	const struct stacks *stacks = &capture->profile->stacks;
	const struct symbols *symbols = capture_symbols(capture);
	uint32_t count = stacks_count(stacks);

	n->bits = xcalloc(count + 1, 1);
	for (uint32_t id = 1; id < count; id++) {
		sym_id sym = stacks_sym(stacks, (stack_id){ id });
		uint8_t up = n->bits[stacks->parent.data[id]];
		uint8_t bits = up & (NODE_UNDER | NODE_ANY);
		bool is_unseen = claim_names_may_be(&n->of, symbols, sym) ||
				 (n->is_inclusive && up & NODE_UNSEEN);
		bool is_under = !n->has_under || up & NODE_UNDER;

		if (n->of.by_sym[sym.v] && is_under)
			bits |= NODE_ANY;
		if (n->is_inclusive ? bits & NODE_ANY : n->of.by_sym[sym.v] && is_under)
			bits |= NODE_HIT;
		else if (is_unseen)
			bits |= NODE_UNSEEN;
		if (n->has_under && n->under.by_sym[sym.v])
			bits |= NODE_UNDER;
		n->bits[id] = bits;
	}
}

static void claim_sum(const struct capture *capture, const struct claim *c,
		      const struct claim_nodes *n, const struct claim_times *t,
		      struct claim_sums *s)
{
	const struct profile *p = capture->profile;

	for (size_t i = 0; i < p->samples.n; i++) {
		uint32_t node = p->samples.stack.data[i].v;
		double w = (double)p->samples.weight.data[i];
		double count = claim_profile_count(p, i);
		double w2 = count > 0 ? w * w / count : 0;
		unsigned int k;
		bool is_hit;

		if (!claim_is_in(capture, c, t, i))
			continue;
		k = claim_profile_slice(p, t, i);
		is_hit = n->bits ? n->bits[node] & NODE_HIT
				 : c->target == CLAIM_OF_ALL ||
					   str_glob(c->name,
						    strings_get(
							    capture_strings(capture),
							    p->threads
								    .data[p->samples.thread.data[i]]
								    .comm));
		s->all += w;
		s->all_squares += w2;
		s->n += count;
		s->slice_all[k] += w;
		if (n->bits && !is_hit &&
		    (n->bits[node] & NODE_UNSEEN ||
		     ((n->is_inclusive || n->has_under) && p->samples.no_frame.len &&
		      p->samples.no_frame.data[i])))
			s->unseen += w;
		if (!is_hit)
			continue;
		s->hit += w;
		s->hit_squares += w2;
		s->n_hit += count;
		s->slice_hit[k] += w;
	}
}

/* Widen the interval of @r by lost samples, and by samples whose function or caller is unknown. */
static void claim_widen(const struct claim_profile *shared, const struct profile *p,
			const struct claim_sums *s, bool needs_chains, struct claim_result *r)
{
	double unseen = s->unseen / s->all;
	double lost = 0;

	if (needs_chains)
		unseen += shared->broken * (1 - s->hit / s->all);
	if (unseen > 0 && r->high < 1) {
		(void)snprintf(r->why, sizeof(r->why),
			       "%.1f %% of the samples %s, and may be of it", 100 * unseen,
			       needs_chains ? "lack a name or a caller" : "have no function name");
		r->high = fmin(1, r->high + unseen);
	}
	if (p->has_lost && p->lost)
		lost = (double)p->lost / ((double)p->lost + s->n);
	r->low *= 1 - lost;
	r->high = r->high * (1 - lost) + lost;
}

static bool claim_has_number(const struct profile *p)
{
	return p->has_n_samples && p->n_samples && !p->is_summed;
}

static void claim_limits(struct claim_state *state, uint32_t number, const struct claim_sums *s,
			 const struct claim_times *t, struct claim_result *r)
{
	const struct claim_profile *shared = claim_profile_of(state, number);
	const struct profile *p = state->facts->dossier->captures.data[number]->profile;
	double share = s->hit / s->all;
	double independent = (1 - share) * (1 - share) * s->hit_squares +
			     share * share * (s->all_squares - s->hit_squares);
	double ratio = t->slices ? claim_ratio(s, t->slices, state->alpha) : 1;
	double size = s->all * s->all / s->all_squares;
	struct interval i;

	r->low = r->high = share;
	if (state->options->is_recorded_only || p->is_complete)
		return;
	r->is_sampled = true;
	if (independent > 0)
		size = share * (1 - share) * s->all * s->all / independent;
	size /= fmax(ratio, shared->dispersion);
	i = stats_exact_limits(share * size, size, state->alpha);
	r->low = i.low;
	r->high = i.high;
}

/*
 * Set @r to a number of samples or a time. Both are facts of the recording, without sampling error.
 * The upper limit includes samples that are lost or unresolved.
 */
static void claim_amount_of(const struct profile *p, const struct claim *c,
			    const struct claim_sums *s, struct claim_result *r)
{
	double unseen = s->all > 0 ? s->unseen / s->all : 0;

	r->unit = CLAIM_NUMBER;
	r->value = s->n_hit;
	r->high = r->value + unseen * s->n + (p->has_lost ? (double)p->lost : 0);
	if (c->measure == CLAIM_TIME) {
		double scale = pow(10, profile_sample_decimals(p));

		r->unit = CLAIM_NS;
		r->value = s->hit / scale;
		r->high = r->value + s->unseen / scale;
	}
	r->low = r->value;
}

static void claim_measured(struct claim_state *state, uint32_t number, const struct claim *c,
			   const struct claim_nodes *n, struct claim_result *r)
{
	const struct capture *capture = state->facts->dossier->captures.data[number];
	const struct profile *p = capture->profile;
	struct claim_sums *s = xcalloc(1, sizeof(*s));
	struct claim_times t = claim_profile_times(p);
	bool is_known;
	bool needs_chains = (n->is_inclusive || n->has_under) && n->bits;

	claim_sum(capture, c, n, &t, s);
	is_known = claim_has_number(p) || p->is_complete;
	r->n = is_known ? s->n : NAN;
	r->n_of = is_known ? "samples" : NULL;
	r->has_figure = true;
	if (c->measure == CLAIM_SAMPLES || (c->measure == CLAIM_TIME && c->unit == CLAIM_NS)) {
		claim_amount_of(p, c, s, r);
		if (!is_known && c->measure == CLAIM_SAMPLES)
			claim_cannot(r, "the number of samples is unknown",
				     "a recording with its number of samples");
	} else if (s->all > 0) {
		claim_limits(state, number, s, &t, r);
		claim_widen(claim_profile_of(state, number), p, s, needs_chains, r);
		r->unit = CLAIM_PERCENT;
		r->value = 100 * s->hit / s->all;
		r->low *= 100;
		r->high *= 100;
		if (!is_known && !state->options->is_recorded_only)
			claim_cannot(r, "the number of samples is unknown",
				     "a recording with its number of samples, or --recorded, which "
				     "judges these figures and not the program");
	} else {
		claim_cannot(r, "no sample is of these threads, CPUs or times", "a wider claim");
	}
	free(s);
}

/*
 * Whether the recording has no call chains: no stack has more than two nodes, such as a command and
 * a function. An inclusive share then has only a lower limit.
 */
static bool claim_lacks_chains(const struct profile *p)
{
	if (p->has_no_callers)
		return true;
	for (size_t i = 0; i < p->samples.n; i++) {
		stack_id up = stacks_parent(&p->stacks, p->samples.stack.data[i]);

		if (up.v && stacks_parent(&p->stacks, up).v)
			return false;
	}
	return true;
}

/*
 * If the samples were rebuilt from a printed table, add to @r the lines of the table that are about
 * the claimed functions.
 */
static void claim_row_lines(const struct profile *p, const struct claim_names *names,
			    struct claim_result *r)
{
	VEC_FOREACH (row, &p->table.rows) {
		if (names->by_sym && row->has & ROW_HAS_SYMBOL && names->by_sym[row->sym.v])
			claim_add_line(r, row->line);
	}
}

void claim_samples_measure(struct claim_state *s, uint32_t number, const struct claim *c,
			   struct claim_result *r)
{
	const struct capture *capture = s->facts->dossier->captures.data[number];
	const char *lacks = claim_lacks(capture->profile, c);
	struct claim_nodes n = { .is_inclusive = claim_is_inclusive(c),
				 .has_under = c->under.len > 0 };
	bool has_names = c->target != CLAIM_OF_ALL && c->target != CLAIM_OF_COMM;

	if (lacks) {
		claim_cannot(r, lacks, "a recording that has them, as of assay record");
		return;
	}
	if (c->measure == CLAIM_TIME && c->unit == CLAIM_NS &&
	    profile_sample_unit(capture->profile) != WEIGHT_NS) {
		claim_cannot(r, "the samples do not count nanoseconds",
			     "a recording of cpu-clock or task-clock, or a claim about a share");
		return;
	}
	if (has_names)
		claim_names_of(s, capture, c, &n.of);
	if (n.has_under)
		claim_names_match(capture, c->under, &n.under);
	if (has_names && n.of.n == 0 && c->target == CLAIM_OF_FUNCTION && !c->may_be_absent &&
	    !c->base.len) {
		claim_names_unknown(capture, c->name, r);
	} else if (n.has_under && (n.under.n == 0 || !has_names)) {
		claim_names_unknown(capture, c->under, r);
	} else {
		if (has_names)
			claim_nodes_of(capture, &n);
		claim_row_lines(capture->profile, &n.of, r);
		claim_measured(s, number, c, &n, r);
		if ((n.is_inclusive || n.has_under) && claim_lacks_chains(capture->profile) &&
		    r->high < 100 && r->unit == CLAIM_PERCENT) {
			r->high = 100;
			(void)snprintf(r->why, sizeof(r->why),
				       "no call chains were recorded: callees are not counted");
			(void)snprintf(r->decide, sizeof(r->decide),
				       "a recording with call chains: perf record -g");
		}
	}
	claim_names_fini(&n.of);
	claim_names_fini(&n.under);
	free(n.bits);
}
