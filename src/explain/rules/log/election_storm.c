/* SPDX-License-Identifier: MIT */
/*
 * Several elections in a row have no winner. If the log shows refused connections or earlier
 * crashes, peers are dead, and the elections are a consequence. If a main loop was blocked for
 * longer than the election timer, that is the cause.
 *
 * Threshold: three elections by one process, each at most 60 s or one timeout after the previous
 * one. One or two are normal when a leader restarts. If at least three elections in a row have no
 * winner, only these count: an earlier election that was won has another cause.
 */
#include "core/capture.h"
#include "explain/words/log_words.h"

#include "analyses/logs/log_summary.h"
#include "base/alloc.h"
#include "base/plural.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"
#include "core/kinds/records.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <math.h>

DECLARE_RULE(election_storm);

#define ELECTION_STORM 3u
/*
 * If the time from one election to the next differs from the election timeout by at most this, the
 * first election timed out: no peer answered.
 */
#define ELECTION_GAP_MS  5.0
#define ELECTION_POLL_MS 500u
/*
 * Maximum time from one election of a storm to the next. A longer time is normal if it is the
 * timeout of the next election, and an election timer can have this length: at most 600 s and up to
 * the same time more, ovsdb/raft.c of Open vSwitch.
 */
#define ELECTION_APART_S   60.0
#define ELECTION_TIMEOUT_S 1200.0
/* maximum time between the elections and a cause: a peer that crashed may stay dead for minutes */
#define ELECTION_CAUSE_S 600.0

struct election_facts {
	uint32_t stream;
	uint32_t n;
	/* first and last: indices of the log records of the first and the last election */
	uint32_t first;
	uint32_t last;
	uint32_t gaps;
	/*
	 * number of gaps (times from one election to the next) that last as long as the election
	 * timeout, because no peer answered
	 */
	uint32_t unanswered;
	uint32_t refused;
	uint32_t refused_record;
	uint32_t crashes;
	uint32_t long_polls;
	/* number of elections after which the process names a leader, except the last one */
	uint32_t won;
	double seconds;
};

/* Does a record of @stream between @from and @to name the leader of a term? */
static bool election_has_winner(const struct rule_input *in, uint32_t stream, uint32_t from,
				uint32_t to)
{
	const struct log_leader *l = in->log->leaders.data;
	size_t low = 0, high = in->log->leaders.len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (l[middle].record < from)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < in->log->leaders.len && l[low].record < to; low++) {
		if (log_words_record(in, l[low].record)->stream == stream)
			return true;
	}
	return false;
}

/* Is the time from record @a to record @b known, and at most @limit_s seconds? */
static bool election_is_soon(const struct rule_input *in, uint32_t a, uint32_t b, double limit_s)
{
	double seconds;

	return log_words_seconds(in, a, b, &seconds) && seconds >= 0 && seconds <= limit_s;
}

/* Does the election @x follow the election of record @last so soon that both may be one storm? */
static bool election_is_next(const struct rule_input *in, uint32_t last,
			     const struct log_election *x)
{
	double timeout_s = ((double)x->timeout_ms + ELECTION_GAP_MS) / 1000;

	return election_is_soon(in, last, x->record, ELECTION_APART_S) ||
	       (timeout_s <= ELECTION_TIMEOUT_S &&
		election_is_soon(in, last, x->record, timeout_s));
}

/* Add the election @x to the elections @e. */
static void election_add(const struct rule_input *in, struct election_facts *e,
			 const struct log_election *x)
{
	double gap;

	if (e->n++ == 0) {
		e->first = x->record;
	} else if (log_words_seconds(in, e->last, x->record, &gap)) {
		e->gaps++;
		e->unanswered += fabs(gap * 1000 - (double)x->timeout_ms) <= ELECTION_GAP_MS;
		e->seconds += gap;
	}
	e->last = x->record;
}

/*
 * Gather the most of the @n elections of one stream, @rows, in a row that follow each other soon
 * and have no winner. If they are too few for a storm, gather the most that follow each other soon.
 */
static struct election_facts election_gather(const struct rule_input *in,
					     const struct sort_item *rows, size_t n)
{
	uint32_t stream = (uint32_t)rows->key;
	struct election_facts none = { .stream = stream, .first = INDEX_NONE, .last = INDEX_NONE };
	struct election_facts near = none, most = none, run = none, longest = none;

	for (size_t i = 0; i < n; i++) {
		const struct log_election *x = &in->log->elections.data[rows[i].value];

		if (near.n && !election_is_next(in, near.last, x)) {
			near = none;
			run = none;
		}
		if (near.n && election_has_winner(in, stream, near.last, x->record)) {
			near.won++;
			run = none;
		}
		election_add(in, &near, x);
		election_add(in, &run, x);
		most = near.n > most.n ? near : most;
		longest = run.n > longest.n ? run : longest;
	}
	return longest.n >= ELECTION_STORM ? longest : most;
}

/* Is the record @i at the time of the elections, or some minutes before or after? */
static bool election_is_at(const struct rule_input *in, const struct election_facts *e, uint32_t i)
{
	return election_is_soon(in, i, e->first, ELECTION_CAUSE_S) ||
	       election_is_soon(in, e->last, i, ELECTION_CAUSE_S) ||
	       (election_is_soon(in, e->first, i, e->seconds) &&
		election_is_soon(in, i, e->last, e->seconds));
}

/*
 * Is @c the crash of a peer, shortly before an election? A crash of the server itself does not
 * count: its log has the same title and machine, and its monitor started it again.
 */
static bool election_is_peer_crash(const struct rule_input *in, const struct election_facts *e,
				   const struct log_crash *c)
{
	const struct log_stream *own = &in->capture->records->streams.data[e->stream];
	const struct log_stream *other = log_words_stream(in, c->record);
	double after;

	return (own->title_line != other->title_line || own->node.v != other->node.v) &&
	       election_is_at(in, e, c->record) &&
	       log_words_seconds(in, c->record, e->last, &after) && after >= 0;
}

static void election_causes(const struct rule_input *in, struct election_facts *e)
{
	for (uint32_t i = 0; i < in->capture->records->rows.len; i++) {
		const struct log_record *r = log_words_record(in, i);

		if (r->stream == e->stream && str_contains(r->text, STR("Connection refused")) &&
		    election_is_at(in, e, i)) {
			if (e->refused++ == 0)
				e->refused_record = i;
		}
	}
	VEC_FOREACH (c, &in->log->crashes)
		e->crashes += election_is_peer_crash(in, e, c);
	VEC_FOREACH (p, &in->log->long_polls)
		e->long_polls +=
			p->interval_ms >= ELECTION_POLL_MS && election_is_at(in, e, p->record);
}

static void election_finding(const struct rule_input *in, struct findings *out,
			     const struct election_facts *e)
{
	/*
	 * A refused connection alone proves nothing: it may be a connection to another program,
	 * while all peers answer.
	 */
	bool is_consequence = (e->refused || e->crashes) && e->unanswered * 2 >= e->gaps;
	struct finding *f = finding_add(out, in, &rule_election_storm,
					is_consequence ? FINDING_NOTE : FINDING_WARNING,
					e->refused && e->crashes ? 97
					: is_consequence         ? 85
								 : 70);
	struct str who = log_words_who(out, in, e->first);

	finding_figure(f, "elections", e->n, 0, "");
	finding_figure(f, "from the first to the last", e->seconds, 0, "s");
	finding_figure(f, "gaps equal to the timeout", e->unanswered, 0, "");
	log_words_cite(out, f, in, e->first);
	log_words_cite(out, f, in, e->last);
	if (is_consequence) {
		finding_claim(out, f,
			      "%u elections of " STR_FMT
			      " in %.1f s are a consequence: its peers are dead (%u refused "
			      "connection%s, %u crash%s before)",
			      e->n, STR_ARG(who), e->seconds, e->refused, plural(e->refused),
			      e->crashes, plural_of(e->crashes, "", "es"));
		finding_usual_cause(out, f, "no majority is alive to vote");
		finding_because(out, f, "%u of %u gaps equal the next timeout: no peer answered",
				e->unanswered, e->gaps);
		finding_figure(f, "refused connections", e->refused, 0, "");
		finding_figure(f, "crashes before", e->crashes, 0, "");
		if (e->refused)
			log_words_cite(out, f, in, e->refused_record);
		VEC_FOREACH (c, &in->log->crashes) {
			if (f->evidence.len < 6 && election_is_peer_crash(in, e, c))
				log_words_cite(out, f, in, c->record);
		}
		finding_next(out, f,
			     "find the reason why the peers died; the election timers are not the "
			     "problem");
		return;
	}
	finding_claim(out, f, "Election storm: %u elections of " STR_FMT " in %.1f s%s", e->n,
		      STR_ARG(who), e->seconds, e->won ? "" : " without a winner");
	finding_cause_if(
		out, f, e->long_polls > 0,
		e->long_polls ? "A main loop was blocked for longer than the election timer"
			      : "Peers do not answer in time: blocked, overloaded or disconnected");
	finding_because(out, f, "%s",
			e->refused || e->crashes
				? "connections are refused or processes crash, too, but the gaps "
				  "differ from the timeouts\n"
				  "whether the peers answer"
				: "no refused connections or crashes of peers at that time");
	finding_next(
		out, f,
		"read the peers' logs of these seconds: long poll intervals, lost connections");
}

/* Are there three elections, some of them without a time? */
static bool election_is_unknown(const struct rule_input *in)
{
	VEC_FOREACH (x, &in->log->elections) {
		if (!log_words_record(in, x->record)->has_time)
			return in->log->elections.len >= ELECTION_STORM;
	}
	return false;
}

/* Find the first stream with a storm. False: there is none. */
static bool election_find(const struct rule_input *in, struct election_facts *ret)
{
	size_t n = in->log->elections.len;
	struct sort_item *rows = xcalloc(n, sizeof(*rows));
	bool is_found = false;

	for (uint32_t i = 0; i < n; i++)
		rows[i] = (struct sort_item){
			log_words_record(in, in->log->elections.data[i].record)->stream, i
		};
	sort_items(rows, n);
	for (size_t i = 0, end; i < n && !is_found; i = end) {
		for (end = i; end < n && rows[end].key == rows[i].key;)
			end++;
		*ret = election_gather(in, &rows[i], end - i);
		is_found = ret->n >= ELECTION_STORM;
	}
	free(rows);
	return is_found;
}

static void election_check(const struct rule_input *in, struct findings *out)
{
	struct election_facts e;

	if (in->log->elections.len == 0)
		return;
	/* other processes in this log report the same elections: one finding is enough */
	if (election_find(in, &e)) {
		election_causes(in, &e);
		election_finding(in, out, &e);
	} else if (election_is_unknown(in)) {
		finding_not_assessed(out, in, &rule_election_storm, "a log with times",
				     "the log shows %zu elections, but not all of their times",
				     in->log->elections.len);
	} else {
		finding_clean(out, in, &rule_election_storm, "%zu election%s, no storm",
			      in->log->elections.len, plural(in->log->elections.len));
	}
}

const struct rule rule_election_storm = {
	.id = "election-storm",
	.title = "Election storm",
	.needs = RULE_LOG,
	.check = election_check,
};
