/* SPDX-License-Identifier: MIT */
/*
 * For most of the recording no thread of the program runs or is ready. These idle periods have
 * similar lengths, and each ends with an event from outside. Either the program waits for the
 * answer to each of its requests, or a network timer delays its packets. A server whose only client
 * sends requests at a steady pace looks the same, so the finding is never a warning.
 *
 * Thresholds: there are at least 50 such periods, and together they take three quarters of the
 * recording. Their lengths differ by at most a factor of 2.5. The shortest periods, with a tenth of
 * the idle time, and the longest periods, with another tenth, are left out of this comparison.
 * Healthy servers under load are idle for up to two thirds of the time.
 */
#include "explain/signatures/waiting.h"

#include "analyses/waits/waits.h"
#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/ids.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(serial_waits);

#define SERIAL_NOTE_PCT 75.0
#define SERIAL_LEAST    50u
/* a function is named if it has at least this part (0 to 1) of the waits */
#define SERIAL_PLACE_PART 0.5
#define SERIAL_SPREAD     2.5
#define SERIAL_OUTSIDE    (1u << WAIT_PEER | 1u << WAIT_EVENT | 1u << WAIT_OTHER)

/*
 * Timers of TCP that delay an answer. If the idle periods are as long as a timer, this timer is the
 * likely cause.
 */
static const struct {
	uint64_t from_ns, to_ns;
	const char *cause;
} serial_timers[] = {
	/* source: include/net/tcp.h, TCP_DELACK_MIN is HZ/25 and TCP_RTO_MIN is HZ/5 */
	{ 38000000, 48000000,
	  "40 ms is how long TCP delays an acknowledgement: one side holds a small packet back "
	  "until the other has acknowledged the last one (Nagle). Or each answer takes that long" },
	{ 198000000, 215000000,
	  "200 ms is the shortest time after which TCP sends a lost packet again. Or each answer "
	  "takes that long" },
};

static const char *serial_cause(uint64_t ns)
{
	for (size_t i = 0; i < ARRAY_LEN(serial_timers); i++) {
		if (ns >= serial_timers[i].from_ns && ns <= serial_timers[i].to_ns)
			return serial_timers[i].cause;
	}
	return "Requests are made one after another, each waiting for its answer, or a timer sets "
	       "the pace. A server that one client asks at a steady pace looks the same";
}

static void serial_found(const struct rule_input *in, struct findings *out, double pct)
{
	const struct waits *w = in->waits;
	const struct wait_quiet *q = &w->quiet;
	struct finding *f = waiting_add(in, out, &rule_serial_waits, FINDING_NOTE, 80);
	sym_id program = waiting_program(in, q->stack);
	const char *in_program = "";

	f->impact = pct;
	f->is_kind = true;
	if (program.v && (double)q->stack_ns >= (double)q->ns * SERIAL_PLACE_PART) {
		in_program = finding_name(out, " in " STR_FMT,
					  STR_ARG(facts_short_name(in->facts, program, 96)));
		finding_subject(f, program, SUBJECT_CALLER);
	}
	finding_claim(out, f,
		      "No %s ran or was ready for %.1f %% of %s: %llu waits of about %s (%s to "
		      "%s), one after another, for %s%s",
		      waiting_word(in), pct, finding_duration(out, w->span_ns),
		      (unsigned long long)q->n, finding_duration(out, q->median_ns),
		      finding_duration(out, q->low_ns), finding_duration(out, q->high_ns),
		      wait_kind_name(q->kind), in_program);
	finding_figure(f, "without work", waiting_pct(q->all_ns, w->span_ns), 0, "%");
	finding_figure(f, "in these waits", pct, 0, "%");
	finding_figure(f, finding_name(out, "%ss that wait there", waiting_word(in)), q->threads, 0,
		       "");
	finding_evidence(out, f, in, 0, STR_FMT, STR_ARG(waiting_frames(in, out, q->stack)));
	finding_usual_cause(out, f, "%s", serial_cause(q->median_ns));
	finding_because(
		out, f,
		"each wait was measured; who is slow to answer, or to ask, was not recorded");
	finding_next(out, f,
		     "ss -tiepm while it runs: retransmits, unacknowledged data, and to whom it is "
		     "connected");
	finding_next(
		out, f,
		"if it asks: send requests before the last answer is there, in one write, with "
		"TCP_NODELAY; if others ask it: record them");
}

static void serial_check(const struct rule_input *in, struct findings *out)
{
	const struct waits *w = in->waits;
	const struct wait_quiet *q = &w->quiet;
	double pct = waiting_pct(q->ns, w->span_ns);
	bool is_even = q->low_ns && (double)q->high_ns <= (double)q->low_ns * SERIAL_SPREAD;

	if (w->threads.len == 0)
		return;
	if (pct >= SERIAL_NOTE_PCT && q->n >= SERIAL_LEAST && is_even &&
	    SERIAL_OUTSIDE >> q->kind & 1)
		serial_found(in, out, pct);
	else if (waiting_can_rule_out(in, out, &rule_serial_waits))
		finding_clean(out, in, &rule_serial_waits,
			      "no %s worked for %.1f %% of the recording: %llu waits for %s of %s "
			      "to %s",
			      waiting_word(in), waiting_pct(q->all_ns, w->span_ns),
			      (unsigned long long)q->n, wait_kind_name(q->kind),
			      finding_duration(out, q->low_ns), finding_duration(out, q->high_ns));
}

static const char *const serial_overrules[] = { "few-samples", NULL };

const struct rule rule_serial_waits = {
	.id = "serial-waits",
	.title = "Nobody works: one wait after another",
	.needs = RULE_WAITS,
	.overrules = serial_overrules,
	.check = serial_check,
	.is_measured = true,
};
