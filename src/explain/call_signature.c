/* SPDX-License-Identifier: MIT */
#include "explain/call_signature.h"

#include "base/alloc.h"

#define CALL_EVIDENCE_MAX 5u

static struct calls_total call_signature_total(const struct rule_input *in, const char *pattern)
{
	return calls_total_of(in->capture, str_of(pattern), STR_NONE);
}

/* The first calls of different functions that match. */
static void call_signature_cite(const struct rule_input *in, struct findings *out,
				struct finding *f, const char *pattern)
{
	const struct calls *c = in->capture->calls;
	const struct symbols *symbols = capture_symbols(in->capture);
	uint8_t *known = xcalloc(symbols->rows.len, 1);
	unsigned int n = 0;

	for (uint32_t i = 0; i < c->n && n < CALL_EVIDENCE_MAX; i++) {
		sym_id sym = c->sym.data[i];
		struct str name = symbols_canonical(symbols, sym);

		if (sym.v >= symbols->rows.len || known[sym.v])
			continue;
		known[sym.v] = 1;
		if (!str_glob(str_of(pattern), name))
			continue;
		finding_evidence(out, f, in, c->line.data[i], STR_FMT " %.3f us", STR_ARG(name),
				 (double)calls_duration(c, i) / 1000);
		n++;
	}
	free(known);
}

static void call_signature_acquit(const struct rule_input *in, struct findings *out,
				  const struct call_signature *s, double pct, uint64_t calls)
{
	if (!s->scope || !call_signature_total(in, s->scope).matching)
		return;
	if (calls == 0 && (in->calls->lost_events || in->calls->lost_unknown))
		finding_not_assessed(out, in, s->rule, "trace again with a larger buffer_size_kb",
				     "%s: no such call, but events were lost", s->name);
	else
		finding_clean(out, in, s->rule, "%s: %llu calls, %.2f %% of the trace", s->name,
			      (unsigned long long)calls, pct);
}

void call_signature_check(const struct rule_input *in, struct findings *out,
			  const struct call_signature *s)
{
	const char *cost_pattern = s->cost ? s->cost : s->marker;
	struct calls_total marker = call_signature_total(in, s->marker);
	struct calls_total cost = s->cost ? call_signature_total(in, s->cost) : marker;
	double roots = in->calls->root_calls ? (double)in->calls->root_calls : 1;
	double all = (double)in->calls->root_total_ns;
	double pct = all > 0 ? (double)cost.total_ns / all * 100 : 0;
	struct finding *f;

	if (marker.matching == 0 || (double)marker.matching < s->min_per_root * roots ||
	    pct < s->note_pct || (s->absent && call_signature_total(in, s->absent).matching)) {
		call_signature_acquit(in, out, s, pct, marker.matching);
		return;
	}
	f = finding_add(out, in, s->rule, pct >= s->lead_pct ? FINDING_WARNING : FINDING_NOTE,
			s->sure);
	f->impact = pct > 100 ? 100 : pct;
	finding_claim(out, f, "%s: %.3f us, %.2f %% of the trace", s->what,
		      (double)cost.total_ns / 1000, pct);
	finding_cause(out, f, "%s", s->cause);
	finding_because(out, f, "%s", s->because);
	finding_next(out, f, "%s", s->next);
	finding_figure(f, s->name, (double)cost.total_ns / 1000, 0, "us");
	finding_figure(f, "share of the trace", pct, 0, "%");
	finding_figure(f, "calls that show it", (double)marker.matching, 0, "");
	if (cost.below > cost.topmost)
		finding_figure(f, "calls in all below", (double)cost.below, 0, "");
	call_signature_cite(in, out, f, s->marker);
	if (s->cost)
		call_signature_cite(in, out, f, cost_pattern);
}
