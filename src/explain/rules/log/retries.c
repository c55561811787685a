/* SPDX-License-Identifier: MIT */
/*
 * Attempts fail and are repeated. The failures, and the pauses between attempts, take time without
 * any work.
 *
 * Thresholds: three such messages. It is a note if they are a tenth of the records, or if their
 * printed pauses are a tenth of the log's time. It is a warning if there are at least five, and the
 * pauses are 30 % of the time. A few retries at a start are usual.
 */
#include "explain/words/log_words.h"

#include "analyses/logs/log_facts.h"
#include "analyses/logs/log_summary.h"
#include "base/number.h"
#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/records.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/retries_names.h"
#include "explain/rule.h"

DECLARE_RULE(retries);

#define RETRY_LEAST     3u
#define RETRY_LEAD      5u
#define RETRY_NOTE_PCT  10.0
#define RETRY_LEAD_PCT  30.0
#define RETRY_SURE      80u
#define RETRY_TEXT      90u /* maximum number of bytes of a message in the claim */
#define RETRY_PAUSE_MAX UINT64_C(86400)

struct retry_sum {
	uint64_t n, with_pause;
	double pauses;        /* sum of the printed pauses, s */
	uint32_t first, last; /* first and last record of a retry; INDEX_NONE: none */
	uint32_t longest;     /* index of the record with the longest pause */
	double longest_s;
};

/* The pause that a message prints, in s; negative: none. */
static double retry_pause(struct str text)
{
	static const char *const patterns[] = {
		"retrying in %u",    "Retrying in %u",     "retry in %u",    "retry after %u",
		"retrying after %u", "retry_in=%u",        "retry_after=%u", "backing off for %u",
		"backing off %u",    "next attempt in %u", "next try in %u",
	};
	struct log_match m;

	for (size_t i = 0; i < ARRAY_LEN(patterns); i++) {
		double whole, part = 0, scale = 0.1;
		struct str rest;

		if (!log_match_in(text, patterns[i], &m) || m.n[0] > RETRY_PAUSE_MAX * 1000)
			continue;
		whole = (double)m.n[0];
		rest = m.rest;
		if (rest.len > 1 && rest.p[0] == '.' && char_is_digit(rest.p[1])) {
			for (rest = str_skip(rest, 1); rest.len && char_is_digit(rest.p[0]);
			     rest = str_skip(rest, 1), scale /= 10)
				part += scale * (rest.p[0] - '0');
		}
		rest = str_ltrim(rest);
		if (str_glob(STR("ms|ms?*|milli*"), rest))
			return (whole + part) / 1000;
		if (str_glob(STR("s|s *|s,*|s)*|s.*|s;*|sec*"), rest))
			return whole + part;
	}
	return -1;
}

static struct retry_sum retry_count(const struct rule_input *in)
{
	const struct records *r = in->capture->records;
	struct retry_sum s = { .first = INDEX_NONE, .last = INDEX_NONE };

	for (uint32_t i = 0; i < r->rows.len; i++) {
		struct str text = r->rows.data[i].text;
		double pause;

		if (!str_glob(STR(RETRY_MESSAGES), text))
			continue;
		s.n++;
		s.first = s.first == INDEX_NONE ? i : s.first;
		s.last = i;
		pause = retry_pause(text);
		if (pause < 0)
			continue;
		s.with_pause++;
		s.pauses += pause;
		if (pause >= s.longest_s) {
			s.longest_s = pause;
			s.longest = i;
		}
	}
	return s;
}

/* The time from the first to the last record of the log, in s; 0: unknown. */
static double retry_span(const struct rule_input *in)
{
	double s = 0;
	size_t n = in->capture->records->rows.len;

	return n > 1 && log_words_seconds(in, 0, (uint32_t)n - 1, &s) && s > 0 ? s : 0;
}

static void retry_finding(const struct rule_input *in, struct findings *out,
			  const struct retry_sum *s, double span, bool leads)
{
	double records = (double)in->capture->records->rows.len;
	struct str text = str_sub(in->capture->records->rows.data[s->first].text, 0, RETRY_TEXT);
	struct finding *f = finding_add(out, in, &rule_retries,
					leads ? FINDING_WARNING : FINDING_NOTE, RETRY_SURE);

	f->impact =
		span > 0 ? log_words_pct(s->pauses, span) : log_words_pct((double)s->n, records);
	f->impact = f->impact > 100 ? 100 : f->impact;
	finding_claim(out, f, "%llu attempts fail and are repeated%s; the first: '" STR_FMT "'",
		      (unsigned long long)s->n,
		      !s->with_pause ? ""
		      : s->pauses <= 0
			      ? ", without a pause"
			      : finding_name(out, ", after pauses of %s in all",
					     finding_duration(out, number_whole(s->pauses * 1e9))),
		      STR_ARG(text));
	finding_figure(f, "failed attempts", (double)s->n, 0, "");
	if (s->with_pause)
		finding_figure(f, "pauses", s->pauses, 0, "s");
	if (span > 0)
		finding_figure(f, "time of the log", span, 0, "s");
	log_words_cite(out, f, in, s->first);
	if (s->with_pause && s->longest != s->first)
		log_words_cite(out, f, in, s->longest);
	finding_usual_cause(out, f,
			    "The other side refuses or is overloaded: each failed attempt and the "
			    "pause after it are added to the time of the request, and repeated "
			    "attempts add load there");
	finding_because(out, f,
			"the messages say that an attempt is repeated\n"
			"whether the pauses of several requests overlap");
	finding_next(out, f,
		     "read the log of the other side at the time of the first failure: why does it "
		     "fail");
}

static void retry_check(const struct rule_input *in, struct findings *out)
{
	struct retry_sum s = retry_count(in);
	double span = retry_span(in);
	double records = (double)in->capture->records->rows.len;
	double pct = span > 0 ? log_words_pct(s.pauses, span) : 0;

	if (s.n == 0)
		/*
		 * no retry is logged: this proves nothing, because a program need not log its
		 * retries
		 */
		return;
	if (s.n >= RETRY_LEAST &&
	    (pct >= RETRY_NOTE_PCT || log_words_pct((double)s.n, records) >= RETRY_NOTE_PCT))
		retry_finding(in, out, &s, span, s.n >= RETRY_LEAD && pct >= RETRY_LEAD_PCT);
	else
		finding_clean(out, in, &rule_retries, "%llu of %.0f records repeat an attempt",
			      (unsigned long long)s.n, records);
}

static const char *const retry_explains[] = { "message-burst", NULL };

const struct rule rule_retries = {
	.id = "retries",
	.title = "Attempts that are repeated",
	.needs = RULE_LOG,
	.explains = retry_explains,
	.check = retry_check,
	.is_measured = true,
};
