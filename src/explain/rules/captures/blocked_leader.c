/* SPDX-License-Identifier: MIT */
/*
 * The main loop of a cluster's leader is blocked, and its peers elect another leader. A blocked
 * leader sends no heartbeats. A peer waits for its election timeout and starts an election. Servers
 * of Open vSwitch log both: the blocked interval at its end, and the election with its timeout.
 *
 * The process must be the leader: it won the last election before, and no log names another leader
 * after that, or its log says that it received a request for votes as leader. Both processes must
 * have the same name: the servers of two databases elect their leaders apart. If the name does not
 * show the database ("ovsdb-server"), the finding says so, with less certainty. The election must
 * fall into the blocked interval, and at least half of the timeout must, too: a leader sends a
 * heartbeat every third of its timer (ovsdb/raft.c of Open vSwitch), so the timeout begins at most
 * that long before the interval.
 *
 * No other threshold: an election is an interruption of the service.
 */
#include "explain/rule.h"

#include "analyses/logs/log_summary.h"
#include "base/idmap.h"
#include "base/plural.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/records.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/words/log_words.h"

DECLARE_RULE(blocked_leader);

#define LEADER_PART  0.5 /* part of the timeout that must be in the interval */
#define LEADER_SHOWN 3u  /* maximum number of elections to cite */
#define LEADER_MS    UINT64_C(1000000)
/* process of a log whose name and prefix do not show the database */
#define LEADER_ANY "ovsdb-server"

/* A record that names the leader of a term of the servers @process. */
struct leader_named {
	uint64_t term;
	str_id process;
	uint32_t number, stream;
	bool is_self; /* the leader is the process of the stream */
};

/* The servers of one cluster: their processes have the same name. */
struct leader_cluster {
	str_id process;
	/* the first server; another server has another title, machine or number of the input */
	uint32_t number, title_line;
	str_id node;
	bool has_several;
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
	VEC(struct leader_named) named;
	VEC(struct leader_cluster) clusters;
	struct idmap by_process; /* process to index of its cluster */
	VEC(struct leader_loss) losses;
	size_t polls;
	size_t elections; /* elections of clusters of which several servers have a log */
	size_t alone;     /* elections of the other clusters */
};

/* The cluster of @process, which the first call adds without a server. */
static struct leader_cluster *leader_cluster(struct leader_search *s, str_id process)
{
	struct idmap_probe p = idmap_first(&s->by_process, hash_u64(process.v, 1));

	while (idmap_next(&s->by_process, &p)) {
		if (s->clusters.data[p.id].process.v == process.v)
			return &s->clusters.data[p.id];
	}
	idmap_insert(&s->by_process, &p, (uint32_t)s->clusters.len);
	*VEC_PUSH(&s->clusters) =
		(struct leader_cluster){ .process = process, .number = INDEX_NONE };
	return &s->clusters.data[s->clusters.len - 1];
}

/* Add the servers of @log. A server that was started again has several streams. */
static void leader_servers(const struct rule_input *log, struct leader_search *s)
{
	VEC_FOREACH (t, &log->capture->records->streams) {
		struct leader_cluster *c = leader_cluster(s, t->process);

		if (c->number == INDEX_NONE) {
			c->number = log->number;
			c->title_line = t->title_line;
			c->node = t->node;
		}
		c->has_several |= c->number != log->number || c->title_line != t->title_line ||
				  c->node.v != t->node.v;
	}
}

static void leader_gather(const struct rule_input *in, struct leader_search *s)
{
	struct rule_input log;

	for (uint32_t k = 0; k < in->facts->dossier->captures.len; k++) {
		if (!log_words_input(in, k, &log) || !log_words_is_vlog(&log))
			continue;
		leader_servers(&log, s);
		s->polls += log.log->long_polls.len;
		VEC_FOREACH (l, &log.log->leaders)
			*VEC_PUSH(&s->named) = (struct leader_named){
				l->term, log_words_stream(&log, l->record)->process, k,
				log_words_record(&log, l->record)->stream, l->is_self
			};
	}
}

/*
 * The server of the cluster of @process that is the last leader before term @term; NULL: another
 * server is, or none is named.
 */
static const struct leader_named *leader_before(const struct leader_search *s, str_id process,
						uint64_t term)
{
	const struct leader_named *last = NULL;

	VEC_FOREACH (w, &s->named) {
		if (w->process.v == process.v && w->term < term &&
		    (!last || w->term > last->term || (w->term == last->term && w->is_self)))
			last = w;
	}
	return last && last->is_self ? last : NULL;
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

	if (!at->has_time || !end->has_time || a == b || a->process.v != b->process.v ||
	    a->clock != b->clock || a->is_local != b->is_local ||
	    end->time_ns < q->interval_ms * LEADER_MS)
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
	const struct leader_named *won =
		leader_before(s, log_words_stream(peer, e->record)->process, e->term);

	for (uint32_t k = 0; k < peer->facts->dossier->captures.len; k++) {
		struct rule_input log;

		if (!log_words_input(peer, k, &log))
			continue;
		VEC_FOREACH (q, &log.log->long_polls) {
			uint32_t stream = log_words_record(&log, q->record)->stream;
			bool is_leader = won && won->number == k && won->stream == stream;

			if ((q->vote_record == INDEX_NONE && !is_leader) ||
			    !leader_is_in(peer, e, &log, q))
				continue;
			*VEC_PUSH(&s->losses) =
				(struct leader_loss){ *peer, log, e, q, q->vote_record };
			return;
		}
	}
}

static void leader_claim(struct findings *out, struct finding *f, const struct leader_search *s,
			 const struct leader_loss *worst)
{
	const struct log_stream *stream = log_words_stream(&worst->leader, worst->poll->record);
	bool is_named = stream->node.v || stream->process.v;
	const char *who = is_named ? finding_name(out, " " STR_FMT,
						  STR_ARG(log_words_who(out, &worst->leader,
									worst->poll->record)))
				   : "";
	bool is_longer = worst->poll->interval_ms > worst->election->timeout_ms;
	size_t n = 0;

	VEC_FOREACH (l, &s->losses)
		n += l->poll == worst->poll;
	if (n == s->losses.len)
		finding_claim(out, f,
			      "The leader%s was blocked for %llu ms, %s (%llu ms): %zu "
			      "election%s followed",
			      who, (unsigned long long)worst->poll->interval_ms,
			      is_longer ? "longer than the timeout of a peer"
					: "and the timeout of a peer ended in this time",
			      (unsigned long long)worst->election->timeout_ms, n, plural(n));
	else
		finding_claim(out, f,
			      "%zu elections followed while their leader was blocked:%s for %llu "
			      "ms, %s (%llu ms)",
			      s->losses.len, who, (unsigned long long)worst->poll->interval_ms,
			      is_longer ? "longer than the timeout of a peer"
					: "in which the timeout of a peer ended",
			      (unsigned long long)worst->election->timeout_ms);
}

/* Set the basis of the finding about @worst. */
static void leader_because(struct findings *out, struct finding *f, const struct leader_loss *worst,
			   bool is_any)
{
	const char *unknown = is_any ? "\nwhether both logs are of one database" : "";

	if (worst->vote != INDEX_NONE)
		finding_because(out, f,
				"the blocked process read the request for votes at the end of the "
				"interval, as leader%s",
				unknown);
	else
		finding_because(out, f,
				"it won the election before; the times of both logs must be from "
				"equal clocks%s",
				unknown);
}

static void leader_finding(const struct rule_input *in, struct findings *out,
			   const struct leader_search *s)
{
	const struct leader_loss *worst = s->losses.data;
	struct finding *f;
	bool is_any;

	VEC_FOREACH (l, &s->losses) {
		if (l->poll->interval_ms > worst->poll->interval_ms)
			worst = l;
	}
	is_any = str_eq(strings_get(capture_strings(worst->leader.capture),
				    log_words_stream(&worst->leader, worst->poll->record)->process),
			STR(LEADER_ANY));
	f = finding_add(out, in, &rule_blocked_leader, FINDING_WARNING,
			is_any                      ? 75
			: worst->vote != INDEX_NONE ? 95
						    : 85);
	leader_claim(out, f, s, worst);
	finding_cause(out, f,
		      "A blocked leader sends no heartbeats: its peers wait for their timeout and "
		      "elect another leader");
	leader_because(out, f, worst, is_any);
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
	for (uint32_t k = 0; k < in->facts->dossier->captures.len; k++) {
		struct rule_input peer;

		if (!log_words_input(in, k, &peer))
			continue;
		VEC_FOREACH (e, &peer.log->elections) {
			str_id process = log_words_stream(&peer, e->record)->process;

			if (!e->has_timeout)
				continue;
			if (!leader_cluster(&s, process)->has_several) {
				s.alone++;
				continue;
			}
			s.elections++;
			if (s.polls)
				leader_look(&peer, e, &s);
		}
	}
	if (s.losses.len)
		leader_finding(in, out, &s);
	else if (s.alone)
		finding_not_assessed(out, in, &rule_blocked_leader, "the logs of the other servers",
				     "the log shows elections, but only one server of the cluster");
	else if (s.elections)
		finding_clean(out, in, &rule_blocked_leader,
			      "no leader of these logs was blocked at %zu election%s", s.elections,
			      plural(s.elections));
	VEC_FREE(&s.named);
	VEC_FREE(&s.clusters);
	idmap_fini(&s.by_process);
	VEC_FREE(&s.losses);
}

const struct rule rule_blocked_leader = {
	.id = "blocked-leader",
	.title = "Blocked leader loses its role",
	.needs = RULE_DOSSIER,
	.check = blocked_leader_check,
};
