/* SPDX-License-Identifier: MIT */
#include "explain/signatures/signature.h"

#include "analyses/compare/compare.h"
#include "analyses/event_unit.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "explain/facts.h"
#include "explain/findings.h"

#include <stdio.h>

#define SIGNATURE_EVIDENCE    3
#define SIGNATURE_CALLERS     3
#define SIGNATURE_LOST_PCT    20.0
#define SIGNATURE_OFF_CPU_PCT 90.0
/* maximum number of bytes of a name in a claim, because C++ names may be very long */
#define SIGNATURE_NAME_MAX 96
/*
 * Findings are sorted by cost. An inclusive share also contains other work of the callees, so only
 * this part (0 to 1) of the share counts as cost.
 */
#define SIGNATURE_UNDER_PART 0.6
/*
 * The claim names a function or caller if it has at least this part (0 to 1) of the claimed share.
 */
#define SIGNATURE_NAMED_PART 0.1
/*
 * A caller that is known, but not seen, spends at least SIGNATURE_KNOWN_PART (0 to 1) of the share
 * in its own code. A caller that is seen makes most of the calls from SIGNATURE_CALLS_PART.
 */
#define SIGNATURE_KNOWN_PART 0.025
#define SIGNATURE_CALLS_PART 0.5
/* shares that differ by less (percentage points) look equal in print */
#define SIGNATURE_SAME 0.05
/*
 * A finding has its full certainty if the share is this many times the threshold for warnings, or
 * SIGNATURE_HALF_PCT of the busy time.
 */
#define SIGNATURE_DOMINATES 2.0
#define SIGNATURE_HALF_PCT  50.0
#define SIGNATURE_LEAD_SURE 75u
/*
 * Doubtful functions (s->doubtful) are included if calls from s->doubtful_under cause at least this
 * part (0 to 1) of their share.
 */
#define SIGNATURE_DOUBT_PART 0.5

double signature_of_busy(const struct rule_input *in, double pct)
{
	return in->profile->busy > 0 ? pct / in->profile->busy * 100 : 0;
}

bool signature_is_precise(const struct rule_input *in)
{
	return event_unit_name_is_precise(
		strings_get(capture_strings(in->capture), in->capture->profile->event));
}

/*
 * If the rows of one function add up to more than this percentage, the printed shares are not parts
 * of one whole, such as one recording. (Rounding errors are smaller.)
 */
#define SIGNATURE_WHOLE 101.0

/* if one function has this self share, percent, it is assumed that all stacks end in it */
#define SIGNATURE_ONE_PCT 99.0

bool signature_is_off_cpu(const struct rule_input *in)
{
	return str_eq(strings_get(capture_strings(in->capture), in->capture->profile->event),
		      STR("off-cpu"));
}

/*
 * Do all stacks end in one function, because a tool recorded them at a probe? This includes off-CPU
 * stacks, which all end in the scheduler.
 */
static bool signature_is_probe(const struct rule_input *in)
{
	const struct profile *p = in->capture->profile;

	if (!p->is_summed || p->samples.n < 2)
		return false;
	if (signature_is_off_cpu(in))
		return true;
	return in->profile->functions.len &&
	       in->profile->functions.data[0].self >= SIGNATURE_ONE_PCT;
}

bool signature_is_tracepoint(const struct rule_input *in)
{
	/* the name of a tracepoint contains ':', but "mem:0x1000:rw" is a watched address */
	struct str event = compare_event(
		strings_get(capture_strings(in->capture), in->capture->profile->event));

	return (str_find_char(event, ':') < event.len && !str_glob(STR("mem:*"), event)) ||
	       signature_is_probe(in);
}

/* Were so many samples lost that the rest may not be representative? */
static bool signature_is_lossy(const struct rule_input *in)
{
	const struct profile *p = in->capture->profile;

	return p->has_lost && p->lost > 0 &&
	       (double)p->lost * 100 >
		       SIGNATURE_LOST_PCT * ((double)p->lost + (double)p->n_samples);
}

double signature_elapsed_pct(const struct rule_input *in)
{
	const struct profile *p = in->capture->profile;
	uint64_t first = UINT64_MAX;
	uint64_t last = 0;
	double cpu_ns = 0;

	if (profile_sample_unit(p) != WEIGHT_NS)
		return -1;
	VEC_FOREACH (weight, &p->samples.weight)
		cpu_ns += profile_value(p, *weight);
	VEC_FOREACH (at, &p->samples.time_ns) {
		first = *at < first ? *at : first;
		last = *at > last ? *at : last;
	}
	last = last > first ? last - first : 0;
	if (last < p->recording.command_ns)
		last = p->recording.command_ns;
	return last ? cpu_ns * 100 / (double)last : -1;
}

bool signature_is_few(const struct rule_input *in)
{
	return signature_is_lossy(in) ||
	       signature_of_busy(in, in->profile->one_sample) > SIGNATURE_FEW_PCT;
}

bool signature_is_explained(const struct rule_input *in, const struct findings *out,
			    const struct fact_function *f, unsigned int sure)
{
	const struct finding *row = NULL;

	while ((row = findings_of(out, in->number, row))) {
		if (row->sure < sure)
			continue;
		/*
		 * a finding may add up the shares of all functions that match a pattern; it
		 * explains each of these functions, even if it does not name the function
		 */
		if ((row->sums.pattern && facts_is_one_of(in->profile, &row->sums, f)) ||
		    finding_explains(row, f->sym))
			return true;
	}
	return false;
}

/*
 * If all waits of a profile together are shorter than this (10 ms), they do not matter: users do
 * not notice them.
 */
#define SIGNATURE_WAITS_NS UINT64_C(10000000)

/* Is this a profile of waits that together are shorter than SIGNATURE_WAITS_NS? */
static bool signature_waits_little(const struct rule_input *in)
{
	const struct profile *p = in->capture->profile;

	return str_eq(str_of(in->profile->unit.of), STR("waiting time")) && p->has_event_count &&
	       p->event_count < SIGNATURE_WAITS_NS;
}

bool signature_can_judge(const struct rule_input *in, struct findings *out, const struct rule *rule)
{
	if (in->profile->functions.len == 0)
		return false;
	if (signature_waits_little(in)) {
		finding_clean(out, in, rule, "all waits together take %.2f ms",
			      (double)in->capture->profile->event_count / 1e6);
		return false;
	}
	if (signature_of_busy(in, in->profile->one_sample) > SIGNATURE_NONE_PCT) {
		finding_not_assessed(out, in, rule, "perf record, longer",
				     "too few samples: one is %.1f %%%s",
				     signature_of_busy(in, in->profile->one_sample),
				     in->profile->idle > 0 ? " of the non-idle time" : "");
		return false;
	}
	if (in->profile->is_off_cpu && EVENT_BIT(in->profile->unit.kind) & EVENT_IS_TIME) {
		finding_not_assessed(out, in, rule, "perf record -e cycles -a -g",
				     "the stacks show where tasks went to sleep, not CPU time");
		return false;
	}
	if (in->profile->functions.data[0].self > SIGNATURE_WHOLE) {
		finding_not_assessed(
			out, in, rule, "perf report --stdio of one recording",
			"one function has %.0f %%: the shares do not add up to one whole",
			in->profile->functions.data[0].self);
		return false;
	}
	return true;
}

/* The functions of signature @s, as an argument of facts_sum_of(). */
static struct fact_names signature_names(const struct signature *s)
{
	return (struct fact_names){ s->functions, s->except, !s->is_user && !s->also_user };
}

static bool signature_has(const struct rule_input *in, const struct signature *s,
			  const char *pattern)
{
	struct fact_names names = { pattern, NULL, signature_names(s).is_kernel };

	return !pattern || facts_sum_of(in->profile, &names).functions > 0;
}

struct signature_share signature_measure(const struct rule_input *in, const struct signature *s)
{
	struct signature_share ret = { .under = -1 };
	struct fact_names names = signature_names(s);

	ret.sum = facts_sum_of(in->profile, &names);
	/*
	 * An excerpt of a table may lack the rows of these functions. Then their share is taken
	 * from the printed call trees: the weight of the innermost nodes.
	 */
	if (in->profile->total < SIGNATURE_VISIBLE_PCT && ret.sum.leaf > ret.sum.self) {
		ret.sum.self = ret.sum.low = ret.sum.high = ret.sum.leaf;
		ret.is_of_trees = true;
	}
	ret.pct = ret.sum.self;
	/*
	 * Without stacks it is unknown which samples are in both `under` and `under_except`. Then
	 * neither is used, because their difference is unknown.
	 */
	if (s->under && facts_sum(in->profile, s->under).functions &&
	    (!s->under_except || facts_has_stacks(in->profile))) {
		ret.under = facts_under(in->profile, s->under);
		if (s->under_except)
			ret.under -= facts_under(in->profile, s->under_except);
		if (ret.under > ret.pct)
			ret.pct = ret.under;
	}
	ret.has_needs = signature_has(in, s, s->needs) && signature_has(in, s, s->needs_too);
	ret.busy_pct = signature_of_busy(in, ret.pct);
	return ret;
}

unsigned int signature_sure(const struct rule_input *in, const struct fact_sum *sum,
			    double threshold_pct, unsigned int sure, unsigned int sure_below)
{
	if (sum->high > sum->low && signature_of_busy(in, sum->low) < threshold_pct &&
	    sure > sure_below)
		sure = sure_below;
	if (in->profile->one_sample > SIGNATURE_FEW_PCT && sure > SIGNATURE_FEW_SURE)
		sure = SIGNATURE_FEW_SURE;
	return sure;
}

static void signature_cite(const struct rule_input *in, struct findings *out, struct finding *f,
			   const struct fact_names *names)
{
	const struct fact_function *heaviest[SIGNATURE_EVIDENCE];
	size_t n = facts_heaviest_of(in->profile, names, heaviest, ARRAY_LEN(heaviest));

	for (size_t i = 0; i < n; i++) {
		if (i && heaviest[i]->self <= 0)
			break;
		if (heaviest[i]->self > 0 || heaviest[i]->children <= 0) {
			finding_function(out, f, in, heaviest[i]);
			continue;
		}
		finding_subject(f, heaviest[i]->sym, SUBJECT_EXPLAINED);
		finding_evidence(out, f, in, heaviest[i]->line, STR_FMT " %.2f %% with callees",
				 STR_ARG(facts_name(in->facts, heaviest[i]->sym)),
				 heaviest[i]->children);
	}
}

void signature_evidence(const struct rule_input *in, struct findings *out, struct finding *f,
			const char *pattern)
{
	signature_cite(in, out, f, &(struct fact_names){ .pattern = pattern });
}

/*
 * Find the callers to name in the claim, heaviest first, at most SIGNATURE_CALLERS. Returns their
 * number. *@ret_word: "by" or "from", as in "called by X". If the finding uses the inclusive share
 * of s->under, the callers are the user functions that made the system call.
 */
static size_t signature_callers(const struct rule_input *in, const struct signature *s,
				const struct signature_share *share, const char **ret_word,
				struct fact_caller ret[SIGNATURE_CALLERS])
{
	struct fact_owned of = { .pattern = s->functions };
	size_t n = 0;

	*ret_word = "from";
	if (share->under > 0 && share->under >= share->sum.self * SIGNATURE_UNDER_PART) {
		of = (struct fact_owned){ .pattern = s->under,
					  .is_user = true,
					  .is_anywhere = true };
		n = facts_owners(in->profile, &of, ret, SIGNATURE_CALLERS);
		if (n && ret[0].pct >= share->pct * SIGNATURE_NAMED_PART)
			return n;
		of = (struct fact_owned){ .pattern = s->functions };
	}
	if (!share->sum.top)
		return 0;
	if (!s->through)
		return facts_owners(in->profile, &of, ret, SIGNATURE_CALLERS);
	*ret_word = "by";
	return facts_callers(in->profile, s->functions, s->through, ret, SIGNATURE_CALLERS);
}

/*
 * Write ", perhaps for f (1.2 % self)" to @ret: the heaviest function that is known to call those
 * of @s. Empty if the profile has call chains, which show the callers, or if @s is no such case.
 */
static void signature_known_caller(const struct rule_input *in, const struct signature *s,
				   char ret[], size_t size)
{
	const struct fact_function *top = NULL;

	ret[0] = '\0';
	if (!s->is_by_known || facts_has_stacks(in->profile) ||
	    !facts_heaviest(in->profile, s->known_callers, &top, 1))
		return;
	(void)snprintf(ret, size, ", perhaps for " STR_FMT " (%.1f %% self)",
		       STR_ARG(facts_short_name(in->facts, top->sym, SIGNATURE_NAME_MAX)),
		       top->self);
}

/* Set the claim: "12.3 % of CPU time is ... (10.0 % in a), called by b (8.0 %)". */
static void signature_claim(const struct rule_input *in, struct findings *out, struct finding *f,
			    const struct signature *s, const struct signature_share *share)
{
	struct fact_caller callers[SIGNATURE_CALLERS];
	const char *word;
	size_t n = signature_callers(in, s, share, &word, callers);
	const char *headline = s->headline ? s->headline : "";
	const char *colon = s->headline ? ": " : "";
	char main_part[256] = "";
	char caller[256] = "";

	if (share->sum.top && share->sum.top->self > 0 &&
	    share->sum.top->self >= share->pct * SIGNATURE_NAMED_PART) {
		struct str top = facts_name(in->facts, share->sum.top->sym);

		top = str_sub(top, 0, SIGNATURE_NAME_MAX);
		/* if one function has the whole share, do not print the share again */
		if (share->pct - share->sum.top->self < SIGNATURE_SAME)
			(void)snprintf(main_part, sizeof(main_part), " (" STR_FMT ")",
				       STR_ARG(top));
		else
			(void)snprintf(main_part, sizeof(main_part), " (%.1f %% in " STR_FMT ")",
				       share->sum.top->self, STR_ARG(top));
	}
	if (n && callers[0].pct >= share->pct * SIGNATURE_NAMED_PART)
		(void)snprintf(
			caller, sizeof(caller), ", %s %s " STR_FMT " (%.1f %%)",
			s->interrupts ? "while the program is" : "called",
			s->interrupts ? "in" : word,
			STR_ARG(facts_short_name(in->facts, callers[0].sym, SIGNATURE_NAME_MAX)),
			callers[0].pct);
	else
		signature_known_caller(in, s, caller, sizeof(caller));
	if (in->profile->unit.is_plural)
		finding_claim(out, f, "%s%s%.1f %% of %s are in %s%s%s", headline, colon,
			      share->pct, in->profile->unit.of, s->name, main_part, caller);
	else
		finding_claim(out, f, "%s%s%.1f %% of %s %s%s%s", headline, colon, share->pct,
			      in->profile->unit.of, s->what, main_part, caller);
	for (size_t i = 0; i < n; i++) {
		if (!s->through && callers[i].pct < share->pct * SIGNATURE_NAMED_PART)
			break;
		finding_figure(f,
			       finding_name(out, "share through " STR_FMT,
					    STR_ARG(facts_short_name(in->facts, callers[i].sym,
								     SIGNATURE_NAME_MAX))),
			       callers[i].pct, 0, "%");
		finding_caller(out, f, in, &callers[i]);
	}
}

struct finding *signature_find(const struct rule_input *in, struct findings *out,
			       const struct rule *rule, const struct signature *s,
			       const struct signature_share *share)
{
	bool leads = share->busy_pct >= s->lead_pct;
	bool dominates = share->busy_pct >= s->lead_pct * SIGNATURE_DOMINATES ||
			 share->busy_pct >= SIGNATURE_HALF_PCT;
	unsigned int sure = leads ? s->sure_lead : s->sure_note;
	struct finding *f;

	if (!share->has_needs || share->busy_pct < s->note_pct)
		return NULL;
	if (leads && !dominates && sure > SIGNATURE_LEAD_SURE)
		sure = SIGNATURE_LEAD_SURE;
	if (share->is_of_trees && sure > s->sure_note)
		sure = s->sure_note;
	f = finding_add(out, in, rule, leads && !s->is_minor ? FINDING_WARNING : FINDING_NOTE,
			signature_sure(in, &share->sum, leads ? s->lead_pct : s->note_pct, sure,
				       s->sure_note));
	f->sums = signature_names(s);
	f->is_kind = true;
	f->impact = f->covers = share->pct;
	if (share->under > share->sum.self)
		f->impact = share->sum.self > share->under * SIGNATURE_UNDER_PART
				    ? share->sum.self
				    : share->under * SIGNATURE_UNDER_PART;
	if (share->sum.top && share->sum.self > 0)
		finding_figure_interval(f, s->name, share->sum.self, share->sum.low,
					share->sum.high, "%");
	if (share->under >= 0)
		finding_figure(f, "with callees", share->under, 0, "%");
	if (in->profile->idle > 0)
		finding_figure(f, "share of non-idle time", share->busy_pct, 0, "%");
	if (share->under > share->sum.self && s->under)
		signature_evidence(in, out, f, s->under);
	else
		signature_cite(in, out, f, &f->sums);
	signature_claim(in, out, f, s, share);
	finding_causes(out, f, s->cause, s->usual_cause);
	finding_because(out, f, "%s", s->because);
	finding_unknown(out, f, s->not_known);
	for (size_t i = 0; i < ARRAY_LEN(s->next) && s->next[i]; i++)
		finding_next(out, f, "%s", s->next[i]);
	return f;
}

void signature_rule_out(const struct rule_input *in, struct findings *out, const struct rule *rule,
			const struct signature *s, const struct signature_share *share)
{
	finding_clean(out, in, rule, "%.1f %% in %s", share->pct, s->name);
}

/*
 * Was only one thread recorded, and is the heaviest function user code? Then the time is not spent
 * waiting for another thread.
 */
static bool signature_is_alone(const struct rule_input *in, const struct signature_share *share)
{
	const struct profile *p = in->capture->profile;
	const struct fact_function *top = share->sum.top;

	if (!top || p->threads.len == 0 ||
	    symbols_get(capture_symbols(in->capture), top->sym)->space == SPACE_KERNEL)
		return false;
	VEC_FOREACH (t, &p->threads) {
		/* compare tids, since exec() changes the name of a thread, but not its tid */
		if (!t->has_tid || t->tid != p->threads.data[0].tid)
			return false;
	}
	return true;
}

/* Do samples of two threads of one process end in functions that match @pattern? */
static bool signature_has_threads(const struct rule_input *in, const char *pattern)
{
	const struct profile *p = in->capture->profile;
	struct profile_thread first = { 0 };
	bool has_first = false;

	for (size_t i = 0; i < p->samples.thread.len; i++) {
		const struct profile_thread *t = &p->threads.data[p->samples.thread.data[i]];
		sym_id sym = stacks_sym(&p->stacks, p->samples.stack.data[i]);

		if (!t->has_tid || !str_glob(str_of(pattern), facts_name(in->facts, sym)))
			continue;
		if (has_first && t->tid != first.tid &&
		    (t->has_pid && first.has_pid ? t->pid == first.pid : t->comm.v == first.comm.v))
			return true;
		if (!has_first)
			first = *t;
		has_first = true;
	}
	return false;
}

/*
 * Are the functions of s->doubtful included? They are in three cases: s->doubtful_under calls them
 * most of the time; several threads of one process run them; or neither stacks nor threads are
 * known.
 */
static bool signature_is_beyond_doubt(const struct rule_input *in, const struct signature *s)
{
	const struct profile *p = in->capture->profile;
	double self = facts_sum(in->profile, s->doubtful).self;
	double under = facts_of_under(in->profile, s->doubtful, s->doubtful_under);

	if (self <= 0 || under >= self * SIGNATURE_DOUBT_PART)
		return true;
	if (p->samples.thread.len)
		return signature_has_threads(in, s->doubtful);
	return under < 0;
}

/* Do the functions of s->known_callers call those of @s? Without call chains: may they? */
static bool signature_is_by_known(const struct rule_input *in, const struct signature *s,
				  const struct signature_share *share)
{
	double self = share->sum.self;

	if (facts_has_stacks(in->profile))
		return facts_of_under(in->profile, s->functions, s->known_callers) >=
		       self * SIGNATURE_CALLS_PART;
	return facts_sum(in->profile, s->known_callers).self >= self * SIGNATURE_KNOWN_PART;
}

static bool signature_is_case(const struct rule_input *in, const struct signature *s,
			      const struct signature_share *share)
{
	double least = share->sum.self * s->part;
	bool has_part;

	if (s->is_by_known && !signature_is_by_known(in, s, share))
		return false;
	if (!s->part_of && !s->part_within)
		return !share->has_needs;
	has_part = (s->part_of &&
		    facts_sum_of(in->profile,
				 &(struct fact_names){ .pattern = s->part_of, .except = s->except })
				    .self >= least) ||
		   (s->part_under && facts_under(in->profile, s->part_under) >= least) ||
		   (s->part_within &&
		    facts_of_under(in->profile, s->functions, s->part_within) >= least);
	return has_part != s->part_is_below;
}

/*
 * Find the first case of s->cases whose condition is true. Returns the case in @ret, or @s if no
 * condition is true. On entry, *@share is the share of @s. If the functions in s->needs are
 * missing, it is replaced by the share of the case.
 */
static const struct signature *signature_case(const struct rule_input *in,
					      const struct signature *s,
					      struct signature_share *share, struct signature *ret)
{
	for (const struct signature *one = s->cases; one && one->functions; one++) {
		*ret = *one;
		if (s->doubtful)
			ret->except = s->except;
		if (!signature_is_case(in, ret, share))
			continue;
		if (!share->has_needs)
			*share = signature_measure(in, ret);
		return ret;
	}
	return s;
}

void signature_check(const struct rule_input *in, struct findings *out, const struct rule *rule)
{
	const struct signature *s = rule->signature;
	struct signature without;
	struct signature of_case;
	struct signature_share share;

	if (!signature_can_judge(in, out, rule))
		return;
	if (s->doubtful && !signature_is_beyond_doubt(in, s)) {
		without = *s;
		without.except = s->doubtful;
		s = &without;
	}
	share = signature_measure(in, s);
	if (s->needs_threads && share.busy_pct >= s->note_pct && signature_is_alone(in, &share)) {
		finding_clean(out, in, rule,
			      "%.1f %% in %s, but the only recorded thread waits for no other",
			      share.pct, s->name);
		return;
	}
	if (s->absent && share.busy_pct >= s->note_pct && signature_has(in, s, s->absent)) {
		finding_clean(out, in, rule,
			      "%.1f %% in %s; other functions of the profile show the reason",
			      share.pct, s->name);
		return;
	}
	if (signature_find(in, out, rule, signature_case(in, s, &share, &of_case), &share))
		return;
	if (!share.has_needs && share.busy_pct >= s->note_pct)
		finding_not_assessed(out, in, rule, "perf record -a -g",
				     "%.1f %% in %s; the profile does not show the purpose",
				     share.pct, s->name);
	else
		signature_rule_out(in, out, rule, s, &share);
}
