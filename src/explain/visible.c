/* SPDX-License-Identifier: MIT */
#include "explain/visible.h"

#include "analyses/event_unit.h"
#include "analyses/syscalls/syscalls.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/profile.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/signatures/signature.h"

#include <stdio.h>

/* The reason why a capture cannot show a problem, and a recording that can show it. */
struct visible_doubt {
	const char *to_find_out;
	char why[192];
};

static PRINTF(3, 4) bool visible_say(struct visible_doubt *ret, const char *to_find_out,
				     const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(ret->why, sizeof(ret->why), fmt, ap);
	va_end(ap);
	ret->to_find_out = to_find_out;
	return true;
}

bool visible_is_of_event(const struct rule_input *in, const struct rule *rule, struct findings *out)
{
	unsigned int events = rule->events ? rule->events : EVENT_IS_TIME;
	const struct event_unit *unit;

	if (!in->profile || in->profile->functions.len == 0)
		return true; /* the rule reports an empty profile itself */
	unit = &in->profile->unit;
	if (events & EVENT_BIT(unit->kind))
		return true;
	/* a rule for another kind of recording gets no result, not even "not assessed" */
	if (!(events & EVENT_IS_TIME) || unit->kind == EVENT_PLAN || unit->kind == EVENT_UNJUDGED)
		return false;
	finding_not_assessed(out, in, rule, "perf record -e cycles -a -g",
			     unit->kind == EVENT_SLEEP
				     ? "the samples show where threads leave the CPU, not CPU time"
				     : "this event counts %s, not CPU time",
			     unit->of);
	return false;
}

bool visible_is_filtered(const struct rule_input *in, const struct rule *rule, struct findings *out)
{
	const struct capture *c = in->capture;
	bool is_log = in->syscalls ? in->syscalls->is_log : in->calls != NULL;

	if (!c->filtered_by.v || c->is_cut || !is_log || rule->takes_selection ||
	    !(rule->needs & (RULE_SYSCALLS | RULE_CALLS)))
		return false;
	finding_not_assessed(out, in, rule, "the whole output, without the filter",
			     "lines were filtered by " STR_FMT
			     ": shares and the order of calls are unknown",
			     STR_ARG(strings_get(capture_strings(c), c->filtered_by)));
	return true;
}

static unsigned int visible_wants(const struct rule *rule)
{
	const struct signature *s = rule->signature;

	if (!s)
		return rule->wants;
	return rule->wants | (s->is_user ? RULE_WANTS_USER : RULE_WANTS_KERNEL) |
	       (s->under ? RULE_WANTS_CHAINS : 0);
}

static bool visible_is_cut(const struct rule_input *in, const struct rule *rule,
			   struct visible_doubt *ret)
{
	double hides = rule->signature ? rule->signature->note_pct : rule->hides_pct;
	double hidden = 100 - in->profile->total - in->profile->summary.total.err;

	if (hides <= 0 || hidden < hides)
		return false;
	return visible_say(ret, "perf report --stdio without a limit",
			   "only %.1f %% of the profile has a row", in->profile->total);
}

/* Does any function outside the kernel have self time? (Few text formats mark user functions.) */
static bool visible_has_user(const struct profile_facts *p)
{
	const struct symbols *symbols = capture_symbols(p->capture);

	if (p->summary.user.pct > 0)
		return true;
	VEC_FOREACH (f, &p->functions) {
		const struct symbol *s = symbols_get(symbols, f->sym);

		if (f->self > 0 && (s->space == SPACE_UNKNOWN || s->space == SPACE_JIT) &&
		    !(s->flags & SYMBOL_ADDRESS) &&
		    !str_starts(symbols_name(symbols, f->sym), STR("[")))
			return true;
	}
	return false;
}

static bool visible_doubts(const struct rule_input *in, const struct rule *rule,
			   struct visible_doubt *ret)
{
	const struct profile_facts *p = in->profile;
	unsigned int wants = visible_wants(rule);

	if (!profile_has_self(p->capture->profile))
		return visible_say(ret, "perf report --stdio --no-children",
				   "no row has a self share");
	if (wants & RULE_WANTS_KERNEL && p->summary.kernel.pct <= 0)
		return visible_say(ret, "perf record -a -g", "no kernel functions in the profile");
	if (wants & RULE_WANTS_USER && p->is_script)
		return visible_say(ret, "perf record -g of the interpreter",
				   "frames belong to a script or virtual machine: compiled "
				   "functions are not visible");
	if (wants & RULE_WANTS_USER && p->summary.kernel.pct > 0 && !visible_has_user(p))
		return visible_say(ret, "perf record -a -g", "no user functions in the profile");
	if (wants & RULE_WANTS_CHAINS && !p->has_stacks &&
	    !(p->capture->profile->table.columns & ROW_HAS_CHILDREN))
		return visible_say(ret, "perf record -g", "no call chains: callees are unknown");
	return visible_is_cut(in, rule, ret);
}

void visible_doubt(const struct rule_input *in, const struct rule *rule, struct findings *out,
		   size_t first)
{
	size_t n = first;
	struct visible_doubt doubt;

	if (!in->profile || first >= out->clean.len || !visible_doubts(in, rule, &doubt))
		return;
	for (size_t i = first; i < out->clean.len; i++) {
		if (out->clean.data[i].capture == in->number)
			finding_not_assessed(out, in, rule, doubt.to_find_out, "%s", doubt.why);
		else
			out->clean.data[n++] = out->clean.data[i];
	}
	out->clean.len = n;
}
