/* SPDX-License-Identifier: MIT */
/*
 * The main loop of a cluster's leader is blocked, and its peers elect another leader. A blocked
 * leader sends no heartbeats. A peer waits for its election timeout and starts an election. Servers
 * of Open vSwitch log both: the blocked interval at its end, and the election with its timeout.
 *
 * The process must be the leader: it won the last election before, or its log says that it received
 * a request for votes as leader. The election must fall into the blocked interval, and at least
 * half of the timeout must, too: a leader sends a heartbeat every third of its timer (ovsdb/raft.c
 * of Open vSwitch), so the timeout begins at most that long before the interval.
 *
 * No other threshold: an election is an interruption of the service.
 */
#include "explain/rule.h"

#include "analyses/logs/log_facts.h"
#include "analyses/logs/log_summary.h"
#include "base/plural.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/records.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/words/log_words.h"

DECLARE_RULE(blocked_leader);

#define LEADER_PART      0.5 /* part of the timeout that must be in the interval */
#define LEADER_LOOK_BACK 3u  /* number of records before the interval's record to search */
#define LEADER_SHOWN     3u  /* maximum number of elections to cite */
#define LEADER_MS        UINT64_C(1000000)

/* An election that a server won: "term 3: elected leader by 2+ of 3 servers". */
struct leader_won {
	uint64_t term;
	uint32_t number, stream;
};

/* An election during a blocked interval of the leader. */
struct leader_loss {
	struct rule_input peer, leader;
	const struct log_election *election;
	const struct log_long_poll *poll;
	uint32_t vote; /* record about the request for votes, in the leader's log; INDEX_NONE: none
			*/
};

struct leader_search {
	VEC(struct leader_won) won;
	VEC(struct leader_loss) losses;
	size_t elections, polls;
	size_t servers; /* sum of leader_servers() of all logs */
};

/*
 * Number of servers in @r; two stands for more. Their streams have different titles or machines. A
 * server that was started again has several streams.
 */
static size_t leader_servers(const struct records *r)
{
	VEC_FOREACH (s, &r->streams) {
		const struct log_stream *first = r->streams.data;

		if (s->title_line != first->title_line || s->node.v != first->node.v)
			return 2;
	}
	return r->streams.len ? 1 : 0;
}

static void leader_gather(const struct rule_input *in, struct leader_search *s)
{
	for (uint32_t k = 0; k < in->facts->dossier->captures.len; k++) {
		struct rule_input log;
		struct log_match m;

		if (!log_words_input(in, k, &log) || !log_words_is_vlog(&log))
			continue;
		s->servers += leader_servers(log.capture->records);
		s->polls += log.log->long_polls.len;
		VEC_FOREACH (e, &log.log->elections)
			s->elections += e->has_timeout;
		if (log.log->elections.len == 0)
			continue;
		for (uint32_t i = 0; i < log.capture->records->rows.len; i++) {
			if (log_match(log_words_record(&log, i)->text, "term %u: elected leader by",
				      &m))
				*VEC_PUSH(&s->won) =
					(struct leader_won){ m.n[0], k,
							     log_words_record(&log, i)->stream };
		}
	}
}

/* The election that was won last before term @term; NULL: none. */
static const struct leader_won *leader_before(const struct leader_search *s, uint64_t term)
{
	const struct leader_won *last = NULL;

	VEC_FOREACH (w, &s->won) {
		if (w->term < term && (!last || w->term >= last->term))
			last = w;
	}
	return last;
}

/* The record near the end of the interval @q that says it was a leader's; INDEX_NONE: none. */
static uint32_t leader_vote(const struct rule_input *log, const struct log_long_poll *q)
{
	uint32_t stream = log_words_record(log, q->record)->stream;

	for (uint32_t i = q->record; i > 0 && q->record - i < LEADER_LOOK_BACK; i--) {
		if (log_words_record(log, i - 1)->stream == stream &&
		    str_starts(log_words_record(log, i - 1)->text,
			       STR("ignoring vote request received as leader")))
			return i - 1;
	}
	return INDEX_NONE;
}

/* Does the election @e of @peer fall into the interval @q of @log? */
static bool leader_is_in(const struct rule_input *peer, const struct log_election *e,
			 const struct rule_input *log, const struct log_long_poll *q)
{
	const struct log_record *at = log_words_record(peer, e->record);
	const struct log_record *end = log_words_record(log, q->record);
	const struct log_stream *a = log_words_stream(peer, e->record);
	const struct log_stream *b = log_words_stream(log, q->record);
	uint64_t begin;

	if (!at->has_time || !end->has_time || a == b || a->clock != b->clock ||
	    a->is_local != b->is_local || end->time_ns < q->interval_ms * LEADER_MS)
		return false;
	begin = end->time_ns - q->interval_ms * LEADER_MS;
	return at->time_ns > begin && at->time_ns <= end->time_ns &&
	       (double)(at->time_ns - begin) >=
		       LEADER_PART * (double)e->timeout_ms * (double)LEADER_MS;
}

/* Find the blocked interval of the leader into which the election @e of @peer falls. */
static void leader_look(const struct rule_input *peer, const struct log_election *e,
			struct leader_search *s)
{
	const struct leader_won *won = leader_before(s, e->term);

	for (uint32_t k = 0; k < peer->facts->dossier->captures.len; k++) {
		struct rule_input log;

		if (!log_words_input(peer, k, &log))
			continue;
		VEC_FOREACH (q, &log.log->long_polls) {
			uint32_t stream = log_words_record(&log, q->record)->stream;
			uint32_t vote = leader_vote(&log, q);
			bool is_leader = won && won->number == k && won->stream == stream;

			if ((vote == INDEX_NONE && !is_leader) || !leader_is_in(peer, e, &log, q))
				continue;
			*VEC_PUSH(&s->losses) = (struct leader_loss){ *peer, log, e, q, vote };
			return;
		}
	}
}

static void leader_finding(const struct rule_input *in, struct findings *out,
			   const struct leader_search *s)
{
	const struct leader_loss *worst = s->losses.data;
	struct finding *f;
	const char *who;

	VEC_FOREACH (l, &s->losses) {
		if (l->poll->interval_ms > worst->poll->interval_ms)
			worst = l;
	}
	f = finding_add(out, in, &rule_blocked_leader, FINDING_WARNING,
			worst->vote != INDEX_NONE ? 95 : 85);
	who = finding_name(out, STR_FMT,
			   STR_ARG(log_words_who(out, &worst->leader, worst->poll->record)));
	finding_claim(out, f,
		      "%zu election%s a consequence: the main loop of the leader, %s, was blocked "
		      "for %s%llu ms, and a peer waits for %llu ms",
		      s->losses.len, s->losses.len == 1 ? " is" : "s are", who,
		      s->losses.len == 1 ? "" : "up to ",
		      (unsigned long long)worst->poll->interval_ms,
		      (unsigned long long)worst->election->timeout_ms);
	finding_cause(out, f,
		      "A blocked leader sends no heartbeats: its peers wait for their timeout and "
		      "elect another leader");
	finding_because(out, f, "%s",
			worst->vote != INDEX_NONE
				? "the blocked process read the request for votes at the end of "
				  "the interval, as leader"
				: "it won the election before; the times of both logs must be from "
				  "equal clocks");
	finding_figure(f, "elections", (double)s->losses.len, 0, "");
	finding_figure(f, "blocked", (double)worst->poll->interval_ms, 0.5, "ms");
	finding_figure(f, "timeout of the peer", (double)worst->election->timeout_ms, 0, "ms");
	log_words_cite(out, f, &worst->leader, worst->poll->record);
	if (worst->vote != INDEX_NONE)
		log_words_cite(out, f, &worst->leader, worst->vote);
	for (size_t i = 0; i < s->losses.len && i < LEADER_SHOWN; i++)
		log_words_cite(out, f, &s->losses.data[i].peer, s->losses.data[i].election->record);
	finding_next(out, f,
		     "perf record -g -p $(pgrep -d, ovsdb-server): the work of the blocked "
		     "iteration; do it in smaller parts");
	finding_next(out, f,
		     "ovs-appctl cluster/change-election-timer DATABASE MS: a longer timer hides "
		     "the problem without curing it");
}

static void blocked_leader_check(const struct rule_input *in, struct findings *out)
{
	struct leader_search s = { .elections = 0 };

	leader_gather(in, &s);
	for (uint32_t k = 0; k < in->facts->dossier->captures.len && s.polls; k++) {
		struct rule_input peer;

		if (!log_words_input(in, k, &peer))
			continue;
		VEC_FOREACH (e, &peer.log->elections) {
			if (e->has_timeout)
				leader_look(&peer, e, &s);
		}
	}
	if (s.losses.len)
		leader_finding(in, out, &s);
	else if (s.elections && s.servers < 2)
		finding_not_assessed(out, in, &rule_blocked_leader, "the logs of the other servers",
				     "the log shows elections, but only one server");
	else if (s.elections)
		finding_clean(out, in, &rule_blocked_leader,
			      "no leader of these logs was blocked at %zu election%s", s.elections,
			      plural(s.elections));
	VEC_FREE(&s.won);
	VEC_FREE(&s.losses);
}

const struct rule rule_blocked_leader = {
	.id = "blocked-leader",
	.title = "Blocked leader loses its role",
	.needs = RULE_DOSSIER,
	.check = blocked_leader_check,
};
