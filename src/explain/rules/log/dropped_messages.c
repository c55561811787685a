/* SPDX-License-Identifier: MIT */
/*
 * A program's rate limit for log messages dropped some of them. So the number of printed messages
 * is not the number of events.
 *
 * Threshold: at least as many messages were dropped as were printed. If fewer were dropped, the log
 * still shows most events.
 */
#include "core/capture.h"
#include "explain/words/log_words.h"

#include "analyses/logs/log_summary.h"
#include "base/str.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(dropped_messages);

static void dropped_check(const struct rule_input *in, struct findings *out)
{
	double dropped = (double)in->log->dropped_messages;
	double kept = (double)in->log->n_records;
	const struct log_dropped_total *most = in->log->dropped_total.data;
	struct finding *f;

	if (in->log->dropped.len == 0) {
		bool has_levels =
			in->capture->format && str_eq(str_of(in->capture->format), STR("ovs-vlog"));

		if (has_levels)
			finding_clean(out, in, &rule_dropped_messages,
				      "no report of dropped messages");
		return;
	}
	if (dropped < kept) {
		finding_clean(out, in, &rule_dropped_messages,
			      "%.0f messages dropped, fewer than the %.0f printed", dropped, kept);
		return;
	}
	f = finding_add(out, in, &rule_dropped_messages, FINDING_NOTE, 99);
	finding_claim(out, f,
		      "The log shows only %.0f of %.0f messages: its rate limit dropped %.0f, most "
		      "of " STR_FMT " (%.0f per second at the time)",
		      kept, kept + dropped, dropped,
		      STR_ARG(strings_get(&in->facts->dossier->strings, most->module)),
		      (double)most->dropped / (double)most->active_seconds);
	finding_usual_cause(out, f, "An event repeats far faster than the log's rate limit");
	finding_because(out, f, "the process counted the dropped messages itself");
	finding_figure(f, "dropped", dropped, 0, "");
	finding_figure(f, "printed", kept, 0, "");
	finding_figure(f, "shown", log_words_pct(kept, kept + dropped), 0, "%");
	for (size_t i = 0; i < in->log->dropped.len && i < LOG_EVIDENCE_MAX; i++)
		log_words_cite(out, f, in, in->log->dropped.data[i].record);
	finding_value(out, f, "MODULE", strings_get(&in->facts->dossier->strings, most->module));
	finding_next(out, f,
		     "ovs-appctl vlog/disable-rate-limit MODULE for a minute, or ovs-appctl "
		     "coverage/show: the real rate");
}

const struct rule rule_dropped_messages = {
	.id = "dropped-messages",
	.title = "Log messages dropped by a rate limit",
	.needs = RULE_LOG,
	.check = dropped_check,
	.is_measured = true,
};
