/* SPDX-License-Identifier: MIT */
#include "explain/signatures/sleeping.h"

#include "analyses/event_unit.h"
#include "analyses/waits/waits.h"
#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/profile.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/signatures/signature.h"
#include "explain/signatures/waiting.h"

/*
 * if more than this percentage of the context switches has unknown stacks, no rule reports "clean"
 */
#define SLEEPING_UNKNOWN_PCT 10.0

const char *sleeping_verb(const struct rule_input *in, const char *plural, const char *singular)
{
	return in->profile->unit.is_plural ? plural : singular;
}

bool sleeping_measure(const struct rule_input *in, struct findings *out, const struct rule *rule,
		      struct wait_switches *ret)
{
	if (signature_of_busy(in, in->profile->one_sample) > SIGNATURE_NONE_PCT) {
		finding_not_assessed(out, in, rule, "perf record, longer",
				     "too few samples: one is %.1f %%", in->profile->one_sample);
		return false;
	}
	/*
	 * These folded stacks have no event name, and do not end in the scheduler. So they may be
	 * output of offwaketime, whose stacks contain the frames of the sleeper and of its waker.
	 */
	if (!in->capture->profile->event.v && !in->profile->ends_in_scheduler) {
		finding_not_assessed(out, in, rule, "perf record -e context-switches -a -g",
				     "the stacks show tasks that went to sleep; the unit of their "
				     "weights is unknown");
		return false;
	}
	if (waits_of_switches(in->capture, ret) && ret->pct[WAIT_UNKNOWN] < 100)
		return true;
	finding_not_assessed(out, in, rule, "perf record -e context-switches -a -g",
			     "no call chains: the reason for waiting is unknown");
	return false;
}

bool sleeping_is_unnamed(const struct rule_input *in)
{
	return !in->capture->profile->event.v;
}

bool sleeping_is_time(const struct rule_input *in)
{
	return !sleeping_is_unnamed(in) && in->capture->profile->unit == WEIGHT_NS;
}

static void sleeping_rule_out(const struct rule_input *in, struct findings *out,
			      const struct rule *rule, const struct wait_switches *w)
{
	const struct waiting *s = rule->sleeping;

	if (s->kind == WAIT_LOCK && w->pct[WAIT_FUTEX] >= s->note_pct)
		finding_not_assessed(
			out, in, rule,
			"frame pointers or symbols for the C library; perf trace -s -e futex",
			"%.1f %% wait in futexes: for locks or for work; the stacks do not show "
			"which",
			w->pct[WAIT_FUTEX]);
	else if (w->pct[WAIT_UNKNOWN] >= SLEEPING_UNKNOWN_PCT)
		finding_not_assessed(out, in, rule, "perf record -e context-switches -a -g",
				     "%.1f %% have no stack that shows a reason",
				     w->pct[WAIT_UNKNOWN]);
	else
		finding_clean(out, in, rule, "%.1f %% of %s in %s", w->pct[s->kind],
			      in->profile->unit.of, s->name);
}

void sleeping_check(const struct rule_input *in, struct findings *out, const struct rule *rule)
{
	const struct waiting *s = rule->sleeping;
	struct wait_switches w;
	struct finding *f;
	bool leads;

	if (in->profile->functions.len == 0 || !sleeping_measure(in, out, rule, &w))
		return;
	if (w.pct[s->kind] < s->note_pct) {
		sleeping_rule_out(in, out, rule, &w);
		return;
	}
	leads = w.pct[s->kind] >= s->lead_pct && !signature_is_few(in);
	f = finding_add(out, in, rule, leads ? FINDING_WARNING : FINDING_NOTE, s->sure);
	f->impact = w.pct[s->kind];
	f->is_kind = true;
	finding_claim(out, f, "%s%.1f %% of %s%s %s, most often in " STR_FMT " (%.1f %%)",
		      sleeping_verb(in, "", "In "), w.pct[s->kind], in->profile->unit.of,
		      sleeping_verb(in, "", " threads"), s->what,
		      STR_ARG(waiting_frames(in, out, w.stack[s->kind])), w.stack_pct[s->kind]);
	finding_figure(f, s->name, w.pct[s->kind], 0, "%");
	finding_figure(f, "on one stack", w.stack_pct[s->kind], 0, "%");
	finding_evidence(out, f, in, 0, STR_FMT " %.2f %%",
			 STR_ARG(waiting_frames(in, out, w.stack[s->kind])), w.stack_pct[s->kind]);
	finding_causes(out, f, s->cause, s->usual_cause);
	finding_because(out, f, "%s",
			sleeping_is_unnamed(in) ? SLEEPING_UNNAMED
			: sleeping_is_time(in)  ? SLEEPING_TIMED
						: s->because);
	if (!sleeping_is_time(in))
		finding_unknown(out, f, s->not_known);
	for (size_t i = 0; i < ARRAY_LEN(s->next) && s->next[i]; i++)
		finding_next(out, f, "%s", s->next[i]);
}
