/* SPDX-License-Identifier: MIT */
/*
 * In a function graph, the kernel waits for a device: slow register reads, a device that must wake
 * up first, or a bus with slow transfers.
 *
 * Thresholds: reading a register of a PCI Express device takes 0.5 to 2 us. A call of 20 us, or a
 * median of 5 us, is a wait. All waits together: 10 % of the trace is a note, 30 % a warning.
 */
#include "explain/rule.h"

#include "analyses/calls/calls_away.h"
#include "analyses/calls/calls_summary.h"
#include "analyses/calls/calls_total.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/traced_register_wait_names.h"

DECLARE_RULE(traced_register_wait);

#define DEVICE_ONE_NS   20000u
#define DEVICE_USUAL_NS 5000u
#define DEVICE_NOTE_PCT 10.0
#define DEVICE_LEAD_PCT 30.0
#define DEVICE_CITED    4u
#define DEVICE_SURE     85u
/* Certainty if only one call is slow: perhaps an interrupt made it slow, and the trace lacks it. */
#define DEVICE_SURE_ONE 70u

static bool device_is_slow(const struct rule_input *in, const struct calls_function *f)
{
	/*
	 * at least half of the time in these calls must be spent in the device, and not in
	 * interrupts or sleep
	 */
	return f->timed && (f->irq_ns + f->asleep_ns) * 2 < f->total_ns + 1 &&
	       (f->max_ns >= DEVICE_ONE_NS || f->p50_ns >= DEVICE_USUAL_NS) &&
	       str_glob(STR(DEVICE_CALLS), symbols_canonical(capture_symbols(in->capture), f->sym));
}

static void device_cite(const struct rule_input *in, struct findings *out, struct finding *f,
			const struct calls_function *one)
{
	struct str name = facts_name(in->facts, one->sym);

	finding_figure(f, finding_name(out, "median call of " STR_FMT, STR_ARG(name)),
		       (double)one->p50_ns / 1000, 0, "us");
	finding_figure(f, finding_name(out, "longest call of " STR_FMT, STR_ARG(name)),
		       (double)one->max_ns / 1000, 0, "us");
	finding_call(out, f, in, one->max_line, one->sym, one->max_ns);
}

/*
 * Add kernel messages as evidence: the first message in any trace of the input that reports a
 * timeout or an error. Such messages are events "console" in a trace.
 */
static void device_messages(const struct rule_input *in, struct findings *out, struct finding *f)
{
	const struct dossier *d = in->facts->dossier;
	struct rule_input other = *in;

	for (uint32_t i = 0; i < d->captures.len; i++) {
		other.capture = d->captures.data[i];
		other.number = i;
		if (!other.capture->calls || other.capture->path.v != in->capture->path.v)
			continue;
		VEC_FOREACH (m, &other.capture->calls->marks) {
			struct str text = strings_get(&d->strings, m->text);

			if (m->kind != MARK_EVENT || !str_take(&text, STR("console:")) ||
			    !str_glob(STR(DEVICE_TROUBLE), text))
				continue;
			finding_evidence(out, f, &other, m->line, "the kernel reports:" STR_FMT,
					 STR_ARG(str_sub(text, 0, 120)));
			return;
		}
	}
}

static void device_wait_check(const struct rule_input *in, struct findings *out)
{
	const struct calls_function *worst = NULL;
	struct calls_total all = calls_total_of(in->capture, STR(DEVICE_CALLS), STR_NONE);
	double whole = (double)in->calls->root_total_ns;
	double pct = whole > 0 ? (double)all.total_ns / whole * 100 : 0;
	struct finding *f;
	size_t n = 0;

	if (in->calls->calls == 0)
		return;
	VEC_FOREACH (x, &in->calls->functions) {
		if (device_is_slow(in, x) && (!worst || x->max_ns > worst->max_ns))
			worst = x;
	}
	if (all.matching == 0) {
		finding_not_assessed(out, in, &rule_traced_register_wait,
				     "trace the driver's functions that read and write registers",
				     "the trace has no named access to device registers");
		return;
	}
	if (!worst || pct < DEVICE_NOTE_PCT) {
		finding_clean(out, in, &rule_traced_register_wait,
			      "%llu calls access devices, %.3f \xc2\xb5s, %.1f %% of the trace",
			      (unsigned long long)all.matching, (double)all.total_ns / 1000, pct);
		return;
	}
	f = finding_add(out, in, &rule_traced_register_wait,
			pct >= DEVICE_LEAD_PCT ? FINDING_WARNING : FINDING_NOTE,
			worst->p50_ns >= DEVICE_USUAL_NS ? DEVICE_SURE : DEVICE_SURE_ONE);
	f->impact = pct;
	finding_claim(out, f,
		      "A device is slow to answer: " STR_FMT
		      " takes up to %s per call; such calls are %.1f %% of the trace",
		      STR_ARG(facts_name(in->facts, worst->sym)),
		      finding_duration(out, worst->max_ns), pct);
	finding_figure(f, "device access", (double)all.total_ns / 1000, 0, "us");
	finding_figure(f, "share of the trace", pct, 0, "%");
	device_cite(in, out, f, worst);
	VEC_FOREACH (x, &in->calls->functions) {
		if (x != worst && n < DEVICE_CITED && device_is_slow(in, x)) {
			device_cite(in, out, f, x);
			n++;
		}
	}
	finding_usual_cause(out, f,
			    "The CPU stalls until the device answers. A read waits for all posted "
			    "writes, and a sleeping or busy device answers late");
	finding_because(out, f, "a register read takes 0.5 to 2 \xc2\xb5s on an awake device; %s",
			in->calls->away.irqs_open
				? "a part of the time is that of interrupts, which begin in the "
				  "trace without an end"
				: "an untraced interrupt inside the call looks alike");
	device_messages(in, out, f);
	finding_next(out, f,
		     "trace with irq events: is there an interrupt inside the call; check runtime "
		     "power management and ASPM of the device");
	finding_next(out, f,
		     "read fewer registers on hot paths; start timeouts after the read that "
		     "flushes the writes");
}

const struct rule rule_traced_register_wait = {
	.id = "traced-register-wait",
	.title = "Slow device access",
	.needs = RULE_CALLS,
	.check = device_wait_check,
};
