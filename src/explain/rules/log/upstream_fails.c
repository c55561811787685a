/* SPDX-License-Identifier: MIT */
/*
 * One server of an upstream of nginx fails, and its requests are tried again on another server. The
 * client gets an answer, but only after the time limit of the first try.
 *
 * Thresholds: three failed tries, which are half of the tries at this server, are a note. It is a
 * warning if each of them costs 100 ms, and 1 % of the requests have such a try.
 */
#include "explain/words/log_words.h"

#include "analyses/logs/proxy_requests.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(upstream_fails);

#define FAILS_LEAST    3u
#define FAILS_PART     0.5 /* minimum part (0 to 1) of the tries at one server that fail */
#define FAILS_LEAD_MS  100.0
#define FAILS_LEAD_PCT 1.0
#define FAILS_SURE     90u

static void fails_finding(const struct rule_input *in, struct findings *out,
			  const struct proxy_requests *p, const struct proxy_peer *peer)
{
	double each = (double)peer->lost_ms / (double)peer->failed;
	double pct = log_words_pct((double)peer->failed, (double)p->n);
	struct finding *f = finding_add(
		out, in, &rule_upstream_fails,
		each >= FAILS_LEAD_MS && pct >= FAILS_LEAD_PCT ? FINDING_WARNING : FINDING_NOTE,
		FAILS_SURE);

	f->impact = pct;
	finding_claim(out, f,
		      "The upstream server " STR_FMT " fails %llu of %llu requests; each is tried "
		      "again on another one%s%s",
		      STR_ARG(peer->name), (unsigned long long)peer->failed,
		      (unsigned long long)peer->tries, peer->lost_ms ? ", after " : "",
		      peer->lost_ms ? finding_duration(out, (uint64_t)(each * 1e6)) : "");
	finding_figure(f, "failed tries", (double)peer->failed, 0, "");
	finding_figure(f, "tries at this server", (double)peer->tries, 0, "");
	finding_figure(f, "share of all requests", pct, 0, "%");
	if (peer->lost_ms)
		finding_figure(f, "longest failed try", (double)peer->longest_ms, 0, "ms");
	log_words_cite(out, f, in, peer->record);
	finding_usual_cause(out, f,
			    "The server is down, does not accept connections, or answers with an "
			    "error; nginx waits for proxy_connect_timeout or proxy_read_timeout "
			    "before it tries the next one");
	finding_because(out, f,
			"the log lists the servers of each request in the order of the tries");
	finding_next(out, f,
		     "curl -v --max-time 5 http://" STR_FMT "/ from the proxy; ss -ltn on the "
		     "server: does it listen",
		     STR_ARG(peer->name));
	finding_next(out, f,
		     "grep 'upstream timed out\\|connect() failed' in the error log of nginx; "
		     "max_fails, fail_timeout and proxy_connect_timeout limit the cost");
}

static void fails_check(const struct rule_input *in, struct findings *out)
{
	struct proxy_requests p;
	size_t n = 0;

	proxy_requests_init(&p, in->capture);
	VEC_FOREACH (peer, &p.peers) {
		if (peer->failed < FAILS_LEAST ||
		    (double)peer->failed < FAILS_PART * (double)peer->tries)
			continue;
		fails_finding(in, out, &p, peer);
		n++;
	}
	if (n == 0 && p.peers.len)
		finding_clean(out, in, &rule_upstream_fails,
			      "%zu upstream server%s: none fails half of its requests", p.peers.len,
			      p.peers.len == 1 ? "" : "s");
	proxy_requests_fini(&p);
}

static const char *const fails_explains[] = { "proxy-times", "slow-operation", NULL };

const struct rule rule_upstream_fails = {
	.id = "upstream-fails",
	.title = "A server of an upstream fails",
	.needs = RULE_LOG,
	.explains = fails_explains,
	.check = fails_check,
	.is_measured = true,
};
