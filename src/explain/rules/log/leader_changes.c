/* SPDX-License-Identifier: MIT */
/*
 * A cluster elects a leader again and again. During an election no request that needs the leader is
 * answered. Logs of Open vSwitch print more, and have a rule of their own: election-storm.
 *
 * One election is logged by several servers, and by several modules of one server. So elections are
 * counted by their term, if the messages print it. Otherwise the messages of the most frequent text
 * are counted: other texts may be about other leaders, such as the leases of other controllers.
 * Messages about the leader of a part of the data do not count, as there are many of them.
 *
 * Thresholds: a healthy cluster elects a leader when a server starts or stops, which is rare. Three
 * elections with less than an hour between two of them (mean) are a note, and with less than ten
 * minutes a warning. A message about something late is the likely cause if it is logged in
 * four of five periods between two elections.
 */
#include "explain/words/log_words.h"

#include "analyses/logs/log_summary.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/records.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/leader_changes_names.h"
#include "explain/rule.h"

#include <string.h>

DECLARE_RULE(leader_changes);

#define LEADER_LEAST     3u
#define LEADER_NOTE_S    3600.0
#define LEADER_WARNING_S 600.0
#define LEADER_LATE_PART 0.8
#define LEADER_MOST      4096u /* maximum number of elections that are kept */
#define LEADER_TEXT      90u   /* maximum number of bytes of a message in the claim */

struct leader_change {
	uint64_t term;     /* 0: not printed */
	uint32_t template; /* number of the template of its message */
	uint32_t record;
};

/* A message about something late. */
struct leader_late {
	uint32_t template; /* number of its template */
	uint32_t first;    /* index of its first record */
	uint32_t last_period;
	uint64_t n;       /* number of records */
	uint64_t periods; /* number of periods between two elections that have such a record */
};

struct leader_changes {
	VEC(struct leader_change) all;
	VEC(struct leader_late) late;
};

/* The number after the word "term": "at term 5", "term=5", "term: 5". 0: none. */
static uint64_t leader_term(struct str text)
{
	size_t at = str_find(text, STR("term"));
	uint64_t term;

	if (at == text.len)
		return 0;
	text = str_skip(text, at + 4);
	while (text.len && strchr(" =:\"", text.p[0]))
		text = str_skip(text, 1);
	return str_u64(&text, &term) ? term : 0;
}

static bool leader_is_new(const struct leader_changes *l, uint64_t term)
{
	for (size_t i = l->all.len; term && i-- > 0;) {
		if (l->all.data[i].term == term)
			return false;
	}
	return true;
}

static void leader_add_late(struct leader_changes *l, uint32_t template, uint32_t record)
{
	uint32_t period = (uint32_t)l->all.len;
	struct leader_late *found = NULL;

	VEC_FOREACH (late, &l->late) {
		if (late->template == template)
			found = late;
	}
	if (!found) {
		found = VEC_PUSH(&l->late);
		*found = (struct leader_late){ .template = template, .first = record };
	}
	found->n++;
	found->periods += period != found->last_period;
	found->last_period = period;
}

static void leader_collect(const struct rule_input *in, struct leader_changes *l)
{
	const struct records *r = in->capture->records;

	for (uint32_t i = 0; i < r->rows.len; i++) {
		struct str text = r->rows.data[i].text;

		if (str_glob(STR(LEADER_ELECTED), text)) {
			uint64_t term = leader_term(text);

			if (i < in->log->template_of.len && l->all.len < LEADER_MOST &&
			    leader_is_new(l, term) && !str_glob(STR(LEADER_OF_PART), text))
				*VEC_PUSH(&l->all) =
					(struct leader_change){ term, in->log->template_of.data[i],
								i };
		} else if (l->all.len && i < in->log->template_of.len &&
			   in->log->template_of.data[i] != INDEX_NONE &&
			   str_glob(STR(LATE_MESSAGES), text)) {
			leader_add_late(l, in->log->template_of.data[i], i);
		}
	}
}

/* How many elections have the same text as @of. */
static size_t leader_alike(const struct leader_changes *l, const struct leader_change *of)
{
	size_t n = 0;

	VEC_FOREACH (c, &l->all)
		n += c->term == 0 && c->template == of->template;
	return n;
}

/* Keep the elections with a term; if there are none, those of the most frequent text. */
static void leader_keep(struct leader_changes *l)
{
	const struct leader_change *best = NULL;
	uint32_t template;
	bool has_term = false;
	size_t most = 0, kept = 0;

	VEC_FOREACH (c, &l->all) {
		size_t n = leader_alike(l, c);

		has_term |= c->term != 0;
		best = n > most ? c : best;
		most = n > most ? n : most;
	}
	template = best ? best->template : INDEX_NONE;
	for (size_t i = 0; i < l->all.len; i++) {
		struct leader_change c = l->all.data[i];

		if (has_term ? c.term != 0 : c.template == template)
			l->all.data[kept++] = c;
	}
	l->all.len = kept;
}

/* The message about something late that is logged in most periods; NULL: in too few. */
static const struct leader_late *leader_cause(const struct leader_changes *l)
{
	const struct leader_late *best = NULL;

	VEC_FOREACH (late, &l->late) {
		if (!best || late->periods > best->periods)
			best = late;
	}
	return best && (double)best->periods >= LEADER_LATE_PART * (double)(l->all.len - 1) ? best
											    : NULL;
}

static void leader_report(const struct rule_input *in, struct findings *out,
			  const struct leader_changes *l, double seconds)
{
	uint32_t first = l->all.data[0].record;
	uint32_t last = l->all.data[l->all.len - 1].record;
	double each = seconds > 0 ? seconds / (double)(l->all.len - 1) : 0;
	const struct leader_late *late = leader_cause(l);
	struct finding *f =
		finding_add(out, in, &rule_leader_changes,
			    seconds > 0 && each < LEADER_WARNING_S ? FINDING_WARNING : FINDING_NOTE,
			    late ? 80 : 70);

	finding_claim(out, f, "The cluster elects a leader %s%s times%s%s",
		      l->all.len == LEADER_MOST ? "at least " : "",
		      finding_count(out, (double)l->all.len),
		      seconds > 0 ? finding_name(out, " in %s",
						 finding_duration(out, (uint64_t)(seconds * 1e9)))
				  : "",
		      late ? finding_name(out, "; in between: '" STR_FMT "'",
					  STR_ARG(str_sub(log_words_record(in, late->first)->text,
							  0, LEADER_TEXT)))
			   : "");
	finding_figure(f, "elections", (double)l->all.len, 0, "");
	if (seconds > 0)
		finding_figure(f, "time between two elections (mean)", each, 0, "s");
	if (late)
		finding_figure(f, "messages about something late", (double)late->n, 0, "");
	log_words_cite(out, f, in, first);
	if (late)
		log_words_cite(out, f, in, late->first);
	log_words_cite(out, f, in, last);
	if (late)
		finding_usual_cause(
			out, f,
			"A main loop, a disk or a collector blocks the leader for longer "
			"than the election timeout. It sends no heartbeats meanwhile, so "
			"the others vote for another one");
	else
		finding_usual_cause(
			out, f,
			"The heartbeats of the leader come too late or not at all: it is "
			"blocked or overloaded, its disk is slow, or packets are lost");
	finding_because(out, f,
			late ? "something is late before nearly each election\n"
			       "whether it delayed the heartbeats"
			     : "the log shows the elections\n"
			       "why they happen");
	finding_next(out, f,
		     late ? "profile the leader while it is late: what blocks it"
			  : "read the log of the leader before each election: what was late; its "
			    "CPU and the latency of its disk");
}

static void leader_changes_check(const struct rule_input *in, struct findings *out)
{
	struct leader_changes l = { .all = VEC_INIT, .late = VEC_INIT };
	double seconds = 0;

	/* election-storm judges these logs */
	if (in->log->elections.len)
		return;
	leader_collect(in, &l);
	leader_keep(&l);
	if (l.all.len >= LEADER_LEAST) {
		bool has_time = log_words_seconds(in, l.all.data[0].record,
						  l.all.data[l.all.len - 1].record, &seconds) &&
				seconds > 0;

		if (!has_time || seconds / (double)(l.all.len - 1) < LEADER_NOTE_S)
			leader_report(in, out, &l, has_time ? seconds : 0);
		else
			finding_clean(out, in, &rule_leader_changes,
				      "%zu elections of a leader, an hour or more apart (mean)",
				      l.all.len);
	} else if (l.all.len) {
		finding_clean(out, in, &rule_leader_changes, "%zu election%s of a leader",
			      l.all.len, l.all.len == 1 ? "" : "s");
	}
	VEC_FREE(&l.all);
	VEC_FREE(&l.late);
}

const struct rule rule_leader_changes = {
	.id = "leader-changes",
	.title = "A cluster that elects leaders again and again",
	.needs = RULE_LOG,
	.check = leader_changes_check,
};
