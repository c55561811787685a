/* SPDX-License-Identifier: MIT */
/*
 * A record announces work ("Reloading service data", "Loading current state"), and then the stream
 * has no record for long. No other record says how long the work took. The next record of the
 * stream marks the end of the work.
 *
 * If the next record reports a timeout, the time was a wait for an answer that did not arrive. The
 * rule sums up these waits. A record may state its timeout: "1767 ms timeout expired". If the gap
 * is longer than this, the process was only silent before the wait. Elections have rules of their
 * own.
 *
 * Thresholds: the gap takes 1 s, which users notice, and half of the time of the stream. If a log
 * consists mostly of one gap, a person probably selected these lines because of the gap. Some gaps
 * are pauses and are ignored. After a record that announces waiting for work ("Listening on"), the
 * program is idle. If a record occurs several times, its work may be periodic.
 */
#include "analyses/logs/log_facts.h"
#include "analyses/logs/log_summary.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/records.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/log_gaps_names.h"
#include "explain/rule.h"
#include "explain/words/log_words.h"

#include <inttypes.h>

DECLARE_RULE(log_gaps);

#define GAPS_NS           UINT64_C(1000000000)
#define GAPS_PCT          50.0
#define GAPS_SURE         60u
#define GAPS_SURE_TIMEOUT 85u
/* a gap of more than this multiple of the stated timeout is not one wait */
#define GAPS_STATED_TIMES 1.5
/* maximum number of words at the start of a message among which the announcing word is searched */
#define GAPS_WORDS 8u
#define GAPS_TEXT  100u /* maximum number of bytes of the message in the claim */

/* A gap: time without a record, after a record that announces work. */
struct gap {
	uint64_t ns;
	uint32_t from, to; /* records before and after the gap; INDEX_NONE: none */
};

static bool gap_is_letters(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		char c = (char)(s.p[i] | 0x20);

		if (c < 'a' || c > 'z')
			return false;
	}
	return s.len > 0;
}

/*
 * Does @text announce work? Its first capitalized word ends with "ing", as in "Loading", and no
 * word says that the work is done.
 */
static bool gap_is_work(struct str text)
{
	struct str word;

	if (str_glob(STR(LOG_GAPS_DONE), text))
		return false;
	for (unsigned int i = 0; i < GAPS_WORDS && str_word(&text, &word); i++) {
		while (word.len && memchr("\"'([{*", word.p[0], 6))
			word = str_skip(word, 1);
		while (word.len && memchr("\"')]}:,.", word.p[word.len - 1], 8))
			word.len--;
		if (!gap_is_letters(word) || !char_is_upper(word.p[0]))
			continue;
		return str_ends(word, STR("ing")) && !str_glob(STR(LOG_GAPS_IDLE), word);
	}
	return false;
}

/*
 * Does the template of record @from occur more than once? Then the gap may be the period of a
 * timer.
 */
static bool gap_repeats(const struct rule_input *in, uint32_t from)
{
	const struct log_summary *s = in->log;

	if (from >= s->template_of.len)
		return false;
	VEC_FOREACH (t, &s->templates) {
		if (t->number == s->template_of.data[from])
			return t->n > 1;
	}
	return false;
}

/* Iterator over the gaps of GAPS_NS or more in each stream. */
struct gap_walk {
	const struct records *r;
	VEC(uint32_t) last; /* latest record of each stream; INDEX_NONE: none */
	uint32_t at;
};

static void gap_walk_init(struct gap_walk *w, const struct records *r)
{
	*w = (struct gap_walk){ .r = r };
	for (size_t i = 0; i < r->streams.len; i++)
		*VEC_PUSH(&w->last) = INDEX_NONE;
}

/* Find the next gap. False: there is no further gap; the iterator is then freed. */
static bool gap_walk_next(struct gap_walk *w, struct gap *ret)
{
	while (w->at < w->r->rows.len) {
		uint32_t i = w->at++;
		const struct log_record *rec = &w->r->rows.data[i];
		uint32_t before = w->last.data[rec->stream];

		if (!rec->has_time)
			continue;
		w->last.data[rec->stream] = i;
		if (before == INDEX_NONE ||
		    rec->time_ns < w->r->rows.data[before].time_ns + GAPS_NS)
			continue;
		*ret = (struct gap){ .ns = rec->time_ns - w->r->rows.data[before].time_ns,
				     .from = before,
				     .to = i };
		return true;
	}
	VEC_FREE(&w->last);
	return false;
}

static struct gap gap_longest(const struct rule_input *in)
{
	const struct records *r = in->capture->records;
	struct gap best = { .from = INDEX_NONE };
	struct gap_walk w;
	struct gap gap;

	gap_walk_init(&w, r);
	while (gap_walk_next(&w, &gap)) {
		if (gap.ns > best.ns && gap_is_work(r->rows.data[gap.from].text) &&
		    !gap_repeats(in, gap.from))
			best = gap;
	}
	return best;
}

/* Gaps that end with a record about a timeout. */
struct gap_timeouts {
	uint32_t n;
	uint64_t ns; /* sum of the gaps */
	/* longest.from: the record before the wait; longest.to: the record about the timeout */
	struct gap longest;
};

/* Is the record of @gap about an election? */
static bool gap_is_election(const struct rule_input *in, const struct gap *gap)
{
	VEC_FOREACH (e, &in->log->elections) {
		if (e->record == gap->to)
			return true;
	}
	return false;
}

/* Is the gap longer than the timeout that the record after it states? */
static bool gap_exceeds_stated(const struct gap *gap, struct str text)
{
	static const struct {
		const char *pattern;
		double ns;
	} stated[] = {
		{ "%u ms timeout", 1e6 }, { "%u-ms timeout", 1e6 },   { "timeout of %u ms", 1e6 },
		{ "%u s timeout", 1e9 },  { "timeout of %u s", 1e9 },
	};
	struct log_match m;

	for (size_t i = 0; i < ARRAY_LEN(stated); i++) {
		for (size_t at = 0; at < text.len; at++) {
			if (at && char_is_digit(text.p[at - 1]))
				continue;
			if (log_match(str_skip(text, at), stated[i].pattern, &m))
				return (double)gap->ns >
				       GAPS_STATED_TIMES * stated[i].ns * (double)m.n[0];
		}
	}
	return false;
}

static struct gap_timeouts gap_timeouts(const struct rule_input *in)
{
	const struct records *r = in->capture->records;
	struct gap_timeouts ret = { .longest = { .from = INDEX_NONE } };
	struct gap_walk w;
	struct gap gap;

	gap_walk_init(&w, r);
	while (gap_walk_next(&w, &gap)) {
		if (!str_glob(STR(LOG_GAPS_TIMEOUT), r->rows.data[gap.to].text) ||
		    gap_is_election(in, &gap) ||
		    gap_exceeds_stated(&gap, r->rows.data[gap.to].text))
			continue;
		ret.n++;
		ret.ns += gap.ns;
		if (gap.ns > ret.longest.ns)
			ret.longest = gap;
	}
	return ret;
}

/*
 * Add the finding about waits that end with a timeout. False: they are only a small part of the
 * log.
 */
static bool gap_timeouts_finding(const struct rule_input *in, struct findings *out)
{
	const struct records *r = in->capture->records;
	struct gap_timeouts t = gap_timeouts(in);
	const struct log_stream_summary *stream;
	struct finding *f;
	struct str text;
	double pct;

	if (t.n == 0)
		return false;
	stream = &in->log->streams.data[r->rows.data[t.longest.to].stream];
	pct = log_words_pct((double)t.ns, (double)(stream->last_ns - stream->first_ns));
	if (pct < GAPS_PCT)
		return false;
	text = r->rows.data[t.longest.to].text;
	f = finding_add(out, in, &rule_log_gaps, t.n > 1 ? FINDING_WARNING : FINDING_NOTE,
			GAPS_SURE_TIMEOUT);
	f->title = "Waits that end with a timeout";
	f->impact = pct;
	finding_claim(out, f, "No answer comes in %s, until '" STR_FMT "%s'",
		      finding_duration(out, t.longest.ns), STR_ARG(str_sub(text, 0, GAPS_TEXT)),
		      text.len > GAPS_TEXT ? "..." : "");
	if (t.n > 1)
		finding_claim(out, f, STR_FMT ": %" PRIu32 " such waits, %s together",
			      STR_ARG(f->claim), t.n, finding_duration(out, t.ns));
	finding_figure(f, "waits until a timeout", t.n, 0, "");
	finding_figure(f, "share of the log's time", pct, 0, "%");
	log_words_cite(out, f, in, t.longest.from);
	log_words_cite(out, f, in, t.longest.to);
	finding_usual_cause(
		out, f,
		"What was asked (a server, a device, another service) never answers, and "
		"the program waits for its whole timeout before it goes on or tries again");
	finding_because(out, f, "the record says that a timeout ended the wait");
	finding_next(out, f,
		     "ask by hand (dig, curl, nc) whom the record before names, and capture the "
		     "packets: does the request leave, does an answer come back");
	return true;
}

static void log_gaps_check(const struct rule_input *in, struct findings *out)
{
	const struct records *r = in->capture->records;
	struct gap gap = gap_longest(in);
	const struct log_stream_summary *stream;
	struct finding *f;
	double pct;
	bool is_cut;
	struct str text;

	if (in->capture->filtered_by.v) {
		finding_not_assessed(out, in, &rule_log_gaps, "the log without the filter",
				     "a filter left out records");
		return;
	}
	if (gap_timeouts_finding(in, out))
		return;
	if (gap.from == INDEX_NONE) {
		finding_clean(out, in, &rule_log_gaps,
			      "no record that announces work is followed by a second of silence");
		return;
	}
	stream = &in->log->streams.data[r->rows.data[gap.from].stream];
	pct = log_words_pct((double)gap.ns, (double)(stream->last_ns - stream->first_ns));
	if (pct < GAPS_PCT) {
		finding_clean(out, in, &rule_log_gaps,
			      "the longest time after a record that announces work is %.1f %% of "
			      "the log's time",
			      pct);
		return;
	}
	text = r->rows.data[gap.from].text;
	is_cut = text.len > GAPS_TEXT;
	f = finding_add(out, in, &rule_log_gaps, FINDING_NOTE, GAPS_SURE);
	f->impact = pct;
	finding_claim(out, f, "%s pass after '" STR_FMT "%s' until the next record",
		      finding_duration(out, gap.ns), STR_ARG(str_sub(text, 0, GAPS_TEXT)),
		      is_cut ? "..." : "");
	finding_figure(f, "time without a record", (double)gap.ns / 1e9, 0, "s");
	finding_figure(f, "share of the log's time", pct, 0, "%");
	log_words_cite(out, f, in, gap.from);
	log_words_cite(out, f, in, gap.to);
	finding_usual_cause(out, f,
			    "The announced work takes this long, or later steps write no records");
	finding_because(out, f,
			"the times are printed\n"
			"which step took the time: the record before only announces it");
	finding_next(out, f,
		     "top -H -p PID during this time: a busy thread computes (perf record -g -p "
		     "PID), an idle one waits (its stack: gdb, jstack, py-spy dump)");
}

const struct rule rule_log_gaps = {
	.id = "log-gaps",
	.title = "Time passes after an announced step",
	.needs = RULE_LOG,
	.check = log_gaps_check,
	.is_measured = true,
};
