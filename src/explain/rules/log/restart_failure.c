/* SPDX-License-Identifier: MIT */
/*
 * A daemon fails to restart, or stops itself: its log says that it cannot parse its own state, or
 * that an assertion fails.
 *
 * No threshold: one such message is enough. Messages about parsing are used only in logs of Open
 * vSwitch and its databases: other programs parse input from their clients.
 */
#include "core/capture.h"
#include "explain/words/log_words.h"

#include "base/str.h"
#include "core/kinds/records.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(restart_failure);

struct restart_facts {
	uint32_t assertions;
	uint32_t parsing;
	/*
	 * Index of the first record about a failed assertion (first[0]), and about a failure to
	 * parse (first[1]).
	 */
	uint32_t first[2];
};

static bool restart_is_parsing(struct str text)
{
	return (str_contains(text, STR("Parsing ")) && str_contains(text, STR(" failed"))) ||
	       str_contains(text, STR("error reading record")) ||
	       str_contains(text, STR("unexpected file format"));
}

static bool restart_is_assertion(const struct log_record *r)
{
	return str_contains(r->text, STR("assertion ")) &&
	       str_contains(r->text, STR("failed in")) && r->level >= LEVEL_ERROR;
}

/* Clause for @n repetitions: " (3 times)"; "" if @n is 1. */
static const char *restart_times(struct findings *out, unsigned int n)
{
	return n == 1 ? "" : finding_name(out, " (%u times)", n);
}

static void restart_finding(const struct rule_input *in, struct findings *out,
			    const struct restart_facts *r)
{
	struct finding *f = finding_add(out, in, &rule_restart_failure, FINDING_ERROR, 90);
	uint32_t at = r->parsing ? r->first[1] : r->first[0];

	if (r->parsing) {
		finding_claim(
			out, f,
			"A file written earlier cannot be parsed%s: the process may not start, "
			"and data may be lost",
			restart_times(out, r->parsing));
		finding_usual_cause(out, f,
				    "The data was damaged: in memory before the write, or on disk");
		finding_next(out, f,
			     "ovsdb-tool check-cluster FILE; ovsdb-tool show-log FILE: keep a "
			     "copy, compare it with a healthy member");
	} else {
		finding_claim(out, f, STR_FMT " stopped itself: an assertion failed%s",
			      STR_ARG(log_words_who(out, in, at)),
			      restart_times(out, r->assertions));
		finding_cause(out, f,
			      "The program detected a state that its author considered impossible");
		finding_next(out, f,
			     "coredumpctl gdb -A '-batch -ex bt': the failed assertion, and the "
			     "messages before it");
	}
	finding_because(out, f, "reported by the process");
	finding_figure(f, "failures to parse", r->parsing, 0, "");
	finding_figure(f, "assertions", r->assertions, 0, "");
	log_words_cite(out, f, in, at);
	if (at > 0 && log_words_record(in, at - 1)->stream == log_words_record(in, at)->stream)
		log_words_cite(out, f, in, at - 1);
}

static void restart_check(const struct rule_input *in, struct findings *out)
{
	struct restart_facts r = { .assertions = 0 };
	uint32_t n = (uint32_t)in->capture->records->rows.len;
	bool is_vlog = log_words_is_vlog(in);

	for (uint32_t i = 0; i < n; i++) {
		const struct log_record *rec = log_words_record(in, i);

		if (restart_is_assertion(rec)) {
			if (r.assertions++ == 0)
				r.first[0] = i;
		} else if (is_vlog && rec->level >= LEVEL_WARN && restart_is_parsing(rec->text)) {
			if (r.parsing++ == 0)
				r.first[1] = i;
		}
	}
	if (r.assertions || r.parsing)
		restart_finding(in, out, &r);
	else if (n && is_vlog)
		finding_clean(out, in, &rule_restart_failure,
			      "no failed assertion and no unreadable file");
}

const struct rule rule_restart_failure = {
	.id = "restart-failure",
	.title = "Daemon stops itself or fails to start",
	.needs = RULE_LOG,
	.check = restart_check,
	.is_measured = true,
};
