/* SPDX-License-Identifier: MIT */
/*
 * One message of a log occurs many times in a short time (a burst), but seldom otherwise.
 *
 * Thresholds: 20 messages in a burst of 1 or 10 s, at ten times the message's rate in the rest of
 * the log. The log must be at least ten times as long as the burst. Fewer messages may be chance,
 * or the normal rate of the log.
 */
#include "explain/words/log_words.h"

#include "analyses/logs/log_bursts.h"
#include "analyses/logs/log_summary.h"
#include "base/str.h"
#include "core/kinds/records.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(message_burst);

#define BURST_SURE 75u
#define BURST_TEXT 120u

static void burst_finding(const struct rule_input *in, struct findings *out,
			  const struct log_burst *b, size_t others)
{
	const struct log_template *t = &in->log->templates.data[b->template];
	double rate = (double)b->n / ((double)b->window_ns / 1e9);
	double rest = (double)(b->all - b->n) / ((double)(b->span_ns - b->window_ns) / 1e9);
	struct finding *f =
		finding_add(out, in, &rule_message_burst,
			    t->level >= LEVEL_WARN ? FINDING_WARNING : FINDING_NOTE, BURST_SURE);

	finding_claim(out, f,
		      "%llu of %llu messages '" STR_FMT "' come within %s: %s per second, "
		      "%s per second elsewhere in the %s of the log",
		      (unsigned long long)b->n, (unsigned long long)b->all,
		      STR_ARG(str_sub(t->text, 0, BURST_TEXT)), finding_duration(out, b->window_ns),
		      finding_amount(out, 3, rate), finding_amount(out, 3, rest),
		      finding_duration(out, b->span_ns));
	finding_figure(f, "messages in the burst", (double)b->n, 0, "");
	finding_figure(f, "messages in the log", (double)b->all, 0, "");
	finding_figure(f, "per second", rate, 0, "");
	finding_figure(f, "per second elsewhere", rest, 0, "");
	if (others)
		finding_figure(f, "other messages with a burst", (double)others, 0, "");
	if (b->first)
		log_words_cite(out, f, in, b->first - 1);
	log_words_cite(out, f, in, b->first);
	log_words_cite(out, f, in, b->last);
	log_words_meanwhile(out, f, in, log_words_record(in, b->first)->stream,
			    log_words_record(in, b->first)->time_ns,
			    log_words_record(in, b->last)->time_ns);
	finding_usual_cause(
		out, f,
		"Something happened at that time, a loop retries without a delay, or a job "
		"goes through its items: the records before the first of them may show it");
	finding_because(out, f,
			"the rates are counted\n"
			"why they come");
	finding_next(
		out, f,
		"read the records before line %u, and look for the reason why it ends at line %u",
		log_words_record(in, b->first)->line, log_words_record(in, b->last)->line);
}

static void burst_check(const struct rule_input *in, struct findings *out)
{
	struct log_bursts b;

	log_bursts_init(&b, in->log);
	if (b.rows.len)
		burst_finding(in, out, &b.rows.data[0], b.rows.len - 1);
	else if (b.considered)
		finding_clean(out, in, &rule_message_burst,
			      "%llu message%s come%s %u times or more; none in a burst",
			      (unsigned long long)b.considered, b.considered == 1 ? "" : "s",
			      b.considered == 1 ? "s" : "", LOG_BURST_LEAST);
	log_bursts_fini(&b);
}

const struct rule rule_message_burst = {
	.id = "message-burst",
	.title = "Burst of one message",
	.needs = RULE_LOG,
	.check = burst_check,
};
