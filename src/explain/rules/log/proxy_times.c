/* SPDX-License-Identifier: MIT */
/*
 * A proxy passes requests to a backend, and one phase takes at least half of the time until the
 * answer: the queue, opening the connection, or waiting for the server.
 *
 * Thresholds: a queue or a connection normally takes almost no time, so an average of 10 ms is a
 * note and 100 ms a warning. While the proxy waits for the server, the server works, so the limits
 * are higher: 300 ms is a note, 1 s a warning. At least five requests are needed. The slowest
 * request is left out of the mean, so that a single slow request is no finding.
 */
#include "explain/words/log_words.h"

#include "analyses/logs/proxy_requests.h"
#include "base/number.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <inttypes.h>

DECLARE_RULE(proxy_times);

#define TIMES_PCT   50.0
#define TIMES_LEAST 5u
#define TIMES_SURE  90u
#define TIMES_NAME  64u
/*
 * Thresholds for connections that were opened only by a second SYN: minimum number for a note
 * (TIMES_RESENT), minimum percentage for a warning (TIMES_RESENT_PCT).
 */
#define TIMES_RESENT      3u
#define TIMES_RESENT_PCT  1.0
#define TIMES_RESENT_SURE 80u
/* A server is quick if it answers in less than this part (0 to 1) of the time in the queue. */
#define TIMES_QUICK 0.2

/*
 * Requests for one path occupy the connections under two conditions. Their part of all connection
 * time is at least TIMES_HELD_PCT, in percent. Each of them takes at least TIMES_HELD_TIMES times
 * as long as the other requests.
 */
#define TIMES_HELD_PCT   50.0
#define TIMES_HELD_TIMES 5.0
#define TIMES_HELD_LEAST 3u
#define TIMES_PATHS      256u /* maximum number of paths that are compared */

/*
 * thresholds for requests that continue after the server has answered (nginx) or begun to answer
 * (HAProxy)
 */
#define TIMES_AFTER_LEAST 3u
#define TIMES_AFTER_MS    1000u
/* minimum time after the answer or its begin, as a part (0 to 1) of the request's whole time */
#define TIMES_AFTER_PART 0.5
/* maximum size of the answer, in bytes per ms of the time after the answer or its begin */
#define TIMES_AFTER_RATE 1000.0
#define TIMES_AFTER_SURE 80u
/* certainty for a log of HAProxy: it does not show whether the client or the server is slow */
#define TIMES_AFTER_SURE_HEADERS 60u
/*
 * If other answers of the same size took at most this part (0 to 1) of the time of the slow
 * answers, the claim says that the others were quick.
 */
#define TIMES_SAME_QUICK 0.2

struct times_phase {
	const char *title;
	const char *what;
	const char *nginx; /* text instead of `what` for a log of nginx; NULL: `what` is used */
	double note_ms, lead_ms;
	const char *cause;
	const char *next[2];
	const char *nginx_next; /* replaces next[1] for a log of nginx */
};

static const struct times_phase times_phases[PROXY_PHASES] = {
	[PROXY_QUEUE] = { "Requests wait in the queue of the proxy",
			  "in a queue of the proxy (Tw)",
			  NULL,
			  10,
			  100,
			  NULL,
			  { "echo 'show servers conn; show stat' | socat stdio "
			    "/run/haproxy/admin.sock: "
			    "connections (scur), their limit (slim) and the queue (qcur) of each "
			    "server",
			    "maxconn of the servers of this backend: compare it with the number of "
			    "requests "
			    "that a server can work on at once" },
			  NULL },
	[PROXY_CONNECT] = { "The proxy waits for connections to the servers",
			    "for a connection to a server (Tc)",
			    "for a connection to a server (uct)",
			    10,
			    100,
			    "The server or the network is slow to accept: a full accept queue, "
			    "lost SYN packets (1 s each), a long way, or a TLS handshake",
			    { "nstat -az TcpRetransSegs TcpExtListenOverflows TcpExtListenDrops on "
			      "proxy and server",
			      "http-reuse of the backend: a kept connection needs no handshake" },
			    "keepalive in upstream{}: a kept connection needs no handshake" },
	[PROXY_ANSWER] = { "Servers behind the proxy answer slowly",
			   "for the answer of a server (Tr)",
			   "for the answer of a server (uht less uct)",
			   300,
			   1000,
			   "The server computes, waits for its database or another service, or "
			   "queues requests itself; long polls look the same",
			   { "read the log of the server for these requests: does it state the "
			     "same times?",
			     "stacks of the server while requests wait (jstack, py-spy dump, "
			     "goroutine?debug=2)" },
			   NULL },
};

static double times_mean(const struct proxy_phase_sum *s)
{
	return s->n ? (double)s->ms / (double)s->n : 0;
}

/*
 * The mean time of the requests without the slowest one, so that a single slow request is no
 * finding.
 */
static double times_rest(const struct proxy_phase_sum *s)
{
	return s->n > 1 ? (double)(s->ms - s->slowest_ms) / (double)(s->n - 1) : 0;
}

static double times_sum(const struct proxy_backend *b)
{
	double sum = 0;

	for (size_t i = 0; i < PROXY_PHASES; i++)
		sum += (double)b->phases[i].ms;
	return sum;
}

/*
 * Find the phase that takes TIMES_PCT of the requests' time. The mean time of this phase must also
 * reach the threshold for a note. PROXY_PHASES: there is no such phase.
 */
static size_t times_main(const struct proxy_backend *b)
{
	for (size_t i = 0; i < PROXY_PHASES; i++) {
		const struct proxy_phase_sum *s = &b->phases[i];

		if (s->n >= TIMES_LEAST && times_rest(s) >= times_phases[i].note_ms &&
		    log_words_pct((double)s->ms, times_sum(b)) >= TIMES_PCT)
			return i;
	}
	return PROXY_PHASES;
}

static const char *times_ms(struct findings *out, double ms)
{
	return finding_duration(out, number_whole(ms * 1e6));
}

/* The requests to a backend for one path. */
struct times_path {
	struct str path;
	uint64_t n, held_ms, longest_ms;
	uint32_t longest; /* index of the log record of the longest request */
};

/* The requests that occupy the connections of a backend, and the other requests. */
struct times_holders {
	/* requests for the path that occupies the connections; top.n is 0: no such path */
	struct times_path top;
	uint64_t others, others_ms;
};

/* Is a part of a path the id of an object, "17" or "3f2a9c0b1d"? */
static bool times_is_id(struct str part)
{
	bool has_digit = false;

	for (size_t i = 0; i < part.len; i++)
		has_digit |= char_is_digit(part.p[i]);
	return has_digit && (char_is_digit(part.p[0]) || part.len >= 8);
}

/* The start of @path before the id of an object: "/items/" of "/items/17/parts". */
static struct str times_path_group(struct str path)
{
	size_t from = 0;

	for (size_t at = 0; at <= path.len; at++) {
		if (at < path.len && path.p[at] != '/')
			continue;
		if (times_is_id(str_sub(path, from, at)))
			return str_sub(path, 0, from);
		from = at + 1;
	}
	return path;
}

/*
 * Find the path whose requests occupy connections to the backend @at for the longest time in total.
 */
static struct times_holders times_holders(const struct rule_input *in,
					  const struct proxy_requests *p, size_t at)
{
	VEC(struct times_path) paths = VEC_INIT;
	struct times_holders ret = { .others = 0 };
	uint64_t n = 0, all_ms = 0;

	VEC_FOREACH (t, &p->transfers) {
		struct str text = log_words_record(in, t->record)->text;
		struct str path = times_path_group(proxy_request_path(proxy_request_line(text)));
		struct times_path *of = NULL;

		if (t->backend != at || t->is_nginx)
			continue;
		n++;
		all_ms += t->held_ms;
		for (size_t i = 0; i < paths.len && !of; i++)
			of = str_eq(paths.data[i].path, path) ? &paths.data[i] : NULL;
		if (!of && path.len && paths.len < TIMES_PATHS) {
			of = VEC_PUSH(&paths);
			*of = (struct times_path){ .path = path };
		}
		if (!of)
			continue;
		if (of->n++ == 0 || t->held_ms > of->longest_ms) {
			of->longest_ms = t->held_ms;
			of->longest = t->record;
		}
		of->held_ms += t->held_ms;
	}
	VEC_FOREACH (of, &paths) {
		if (of->held_ms > ret.top.held_ms)
			ret.top = *of;
	}
	VEC_FREE(&paths);
	ret.others = n - ret.top.n;
	ret.others_ms = all_ms - ret.top.held_ms;
	if (ret.top.n < TIMES_HELD_LEAST || ret.others == 0 ||
	    log_words_pct((double)ret.top.held_ms, (double)all_ms) < TIMES_HELD_PCT ||
	    (double)ret.top.held_ms / (double)ret.top.n <
		    TIMES_HELD_TIMES * (double)ret.others_ms / (double)ret.others)
		ret.top.n = 0;
	return ret;
}

/* The sentence ". 12 requests for '/a' ..."; "": @h names no path. */
static const char *times_holders_say(struct findings *out, const struct times_holders *h)
{
	if (h->top.n == 0)
		return "";
	return finding_name(
		out,
		". %" PRIu64 " requests for '" STR_FMT
		"' hold their connections %s on average, %.0f %% of the time of all connections. "
		"The other %" PRIu64 " requests hold theirs %s",
		h->top.n, STR_ARG(str_sub(h->top.path, 0, TIMES_NAME)),
		times_ms(out, (double)h->top.held_ms / (double)h->top.n),
		log_words_pct((double)h->top.held_ms, (double)(h->top.held_ms + h->others_ms)),
		h->others, times_ms(out, (double)h->others_ms / (double)h->others));
}

static void times_queue(struct findings *out, struct finding *f, const struct proxy_backend *b,
			const struct times_holders *h)
{
	double answer = times_mean(&b->phases[PROXY_ANSWER]);
	double queue = times_mean(&b->phases[PROXY_QUEUE]);
	bool is_known = b->phases[PROXY_ANSWER].n;

	if (b->queued) {
		finding_figure(f, "most connections of a server", (double)b->server_most, 0, "");
		finding_figure(f, "most requests in the queue", (double)b->queue_most, 0, "");
	}
	if (h->top.n)
		finding_usual_cause(out, f,
				    "The slow requests hold the connections that maxconn allows, "
				    "and the quick ones wait for these connections");
	else if (is_known && answer <= queue * TIMES_QUICK)
		finding_usual_cause(out, f,
				    "The servers had all connections that maxconn allows, though "
				    "they answer quickly: the limit is too low for this rate, or "
				    "slow transfers to clients hold the connections");
	else if (is_known)
		finding_usual_cause(out, f,
				    "The servers had all connections that maxconn allows, because "
				    "each request takes them long: the queue follows from that");
	else
		finding_usual_cause(out, f,
				    "The servers had all connections that maxconn allows. No "
				    "request to this backend got an answer");
}

static void times_finding(const struct rule_input *in, struct findings *out,
			  const struct proxy_requests *p, const struct proxy_backend *b, size_t at)
{
	struct times_holders h = { .others = 0 };
	const struct times_phase *phase = &times_phases[at];
	const struct proxy_phase_sum *s = &b->phases[at];
	double share = log_words_pct((double)s->ms, times_sum(b));
	double answer = times_mean(&b->phases[PROXY_ANSWER]);
	const char *servers = "";
	struct finding *f;

	if (at == PROXY_QUEUE && b->queued >= TIMES_LEAST && b->server_least == b->server_most)
		servers = finding_name(
			out, ". Each time the server had %" PRIu64 " connections, as with a limit",
			b->server_most);
	if (at == PROXY_QUEUE)
		h = times_holders(in, p, (size_t)(b - p->backends.data));
	f = finding_add(out, in, &rule_proxy_times,
			times_rest(s) >= phase->lead_ms ? FINDING_WARNING : FINDING_NOTE,
			TIMES_SURE);
	f->title = phase->title;
	finding_claim(
		out, f,
		"Requests to '" STR_FMT "' wait %s on average %s. The wait is %.1f %% of their "
		"time until the answer, in %" PRIu64 " requests%s%s",
		STR_ARG(str_sub(b->name, 0, TIMES_NAME)), times_ms(out, times_mean(s)),
		finding_name(out, "%s%s", b->is_nginx && phase->nginx ? phase->nginx : phase->what,
			     at != PROXY_ANSWER && b->phases[PROXY_ANSWER].n
				     ? finding_name(out, ". The servers then answer after %s",
						    times_ms(out, answer))
				     : ""),
		share, s->n, servers, times_holders_say(out, &h));
	f->impact = share;
	finding_figure(f, "share of the time until the answer", share, 0, "%");
	finding_figure(f, "mean", times_mean(s), 0.5, "ms");
	finding_figure(f, "longest", (double)s->slowest_ms, 0.5, "ms");
	if (at != PROXY_ANSWER && b->phases[PROXY_ANSWER].n)
		finding_figure(f, "mean until the answer of the server", answer, 0.5, "ms");
	log_words_cite(out, f, in, s->slowest);
	if (h.top.n) {
		log_words_cite(out, f, in, h.top.longest);
		finding_next(out, f,
			     "make a backend with servers or a maxconn of its own for '" STR_FMT
			     "' (use_backend ... if { path_beg ... }), or a shorter time of these "
			     "requests",
			     STR_ARG(str_sub(h.top.path, 0, TIMES_NAME)));
	}
	if (at == PROXY_QUEUE)
		times_queue(out, f, b, &h);
	else
		finding_usual_cause(out, f, "%s", phase->cause);
	finding_because(out, f, "the proxy measured the phases of each request");
	for (size_t i = 0; i < ARRAY_LEN(phase->next); i++)
		finding_next(out, f, "%s",
			     i == 1 && b->is_nginx && phase->nginx_next ? phase->nginx_next
									: phase->next[i]);
}

/*
 * Add a finding about connections that take as long as a connection after a lost SYN, while most
 * other connections are quick. Returns whether it was added.
 */
static bool times_resent(const struct rule_input *in, struct findings *out,
			 const struct proxy_backend *b)
{
	const struct proxy_connects *c = &b->connects;
	uint64_t all = c->quick + c->resent + c->slow;
	double share = log_words_pct((double)c->resent, (double)all);
	struct finding *f;

	if (c->resent < TIMES_RESENT || c->quick <= all / 2 || c->slow >= c->resent)
		return false;
	f = finding_add(out, in, &rule_proxy_times,
			share >= TIMES_RESENT_PCT ? FINDING_WARNING : FINDING_NOTE,
			TIMES_RESENT_SURE);
	f->title = "Connections to the servers need a second SYN";
	finding_claim(out, f,
		      "%" PRIu64 " of %" PRIu64 " connections to '" STR_FMT
		      "' take 1, 3 or 7 s and a little, as after a lost SYN; %" PRIu64
		      " take less than 100 ms",
		      c->resent, all, STR_ARG(str_sub(b->name, 0, TIMES_NAME)), c->quick);
	f->impact = share;
	finding_figure(f, "share of connections", share, 0, "%");
	finding_figure(f, "longest", (double)c->longest_ms, 0.5, "ms");
	log_words_cite(out, f, in, c->record);
	finding_usual_cause(out, f,
			    "The server's accept queue is full, so the kernel drops the SYN; or "
			    "the network loses packets");
	finding_because(out, f, "a SYN without an answer is sent again after 1 s");
	finding_next(out, f,
		     "ss -ltn and nstat -az TcpExtListenOverflows TcpExtListenDrops on the server: "
		     "a full accept queue (Recv-Q above Send-Q)");
	return true;
}

/*
 * The requests of a log that continue after the server has answered (nginx) or begun to answer
 * (HAProxy), with their common properties.
 */
struct times_after {
	uint64_t n, all;
	uint64_t least_ms, most_ms, server_most_ms;
	uint64_t rest_ms, all_ms;
	uint64_t least_bytes; /* size of the smallest answer to these requests; 0: unknown */
	uint32_t slowest;
	bool is_nginx, is_read; /* is_read: all requests are GET or HEAD, so they send no body */
	/* path and agent that all these requests have in common; empty: they differ */
	struct str path, agent;
	bool path_is_part; /* the requests have different paths, which all begin with `path` */
	/*
	 * same: number of other requests whose answers have at least least_bytes bytes;
	 * same_most_ms: duration of the longest of these other requests
	 */
	uint64_t same, same_most_ms;
};

static bool times_is_after(const struct proxy_transfer *t)
{
	uint64_t rest = t->total_ms > t->server_ms ? t->total_ms - t->server_ms : 0;

	return rest >= TIMES_AFTER_MS && (double)rest >= TIMES_AFTER_PART * (double)t->total_ms &&
	       (double)t->bytes < TIMES_AFTER_RATE * (double)rest;
}

/* The common start of two paths, up to a slash. */
static struct str times_common(struct str a, struct str b)
{
	size_t n = 0;

	while (n < a.len && n < b.len && a.p[n] == b.p[n])
		n++;
	while (n && a.p[n - 1] != '/')
		n--;
	return str_sub(a, 0, n);
}

static void times_after_add(struct times_after *a, const struct proxy_transfer *t, struct str text)
{
	struct str line = proxy_request_line(text);
	struct str path = proxy_request_path(line);
	struct str agent = proxy_request_agent(text);

	if (a->n++ == 0) {
		*a = (struct times_after){ .n = 1,
					   .all = a->all,
					   .all_ms = a->all_ms,
					   .least_ms = t->total_ms,
					   .least_bytes = t->bytes,
					   .is_nginx = true,
					   .is_read = true,
					   .path = path,
					   .agent = agent };
	} else {
		if (!str_eq(a->agent, agent))
			a->agent = STR_NONE;
		if (!str_eq(a->path, path)) {
			a->path = times_common(a->path, path);
			a->path_is_part = true;
		}
	}
	if (t->total_ms > a->most_ms) {
		a->most_ms = t->total_ms;
		a->slowest = t->record;
	}
	a->least_ms = t->total_ms < a->least_ms ? t->total_ms : a->least_ms;
	a->least_bytes = t->bytes < a->least_bytes ? t->bytes : a->least_bytes;
	a->server_most_ms = t->server_ms > a->server_most_ms ? t->server_ms : a->server_most_ms;
	a->rest_ms += t->total_ms - t->server_ms;
	a->is_nginx &= t->is_nginx;
	a->is_read &= str_glob(STR("GET *|HEAD *"), line);
}

/*
 * Compare the requests of @a with all other requests. Count the other requests whose answers have
 * at least a->least_bytes bytes (a->same). If all other requests have the same path or agent as
 * those of @a, clear a->path or a->agent, because it explains nothing.
 */
static void times_after_others(const struct rule_input *in, const struct proxy_requests *p,
			       struct times_after *a)
{
	bool has_path = false;
	bool has_agent = false;

	VEC_FOREACH (t, &p->transfers) {
		struct str text = log_words_record(in, t->record)->text;

		if (times_is_after(t))
			continue;
		has_path |= !str_starts(proxy_request_path(proxy_request_line(text)), a->path);
		has_agent |= !str_eq(proxy_request_agent(text), a->agent);
		if (!a->least_bytes || t->bytes < a->least_bytes)
			continue;
		a->same++;
		a->same_most_ms = t->total_ms > a->same_most_ms ? t->total_ms : a->same_most_ms;
	}
	if (!has_path || a->path.len < 2)
		a->path = STR_NONE;
	if (!has_agent)
		a->agent = STR_NONE;
}

static void times_after_claim(struct findings *out, struct finding *f, const struct times_after *a)
{
	const char *agent = a->agent.len ? finding_name(out, " of '" STR_FMT "'",
							STR_ARG(str_sub(a->agent, 0, TIMES_NAME)))
					 : "";
	const char *path = a->path.len ? finding_name(out, "%s '" STR_FMT "'",
						      a->path_is_part ? " below" : " for",
						      STR_ARG(str_sub(a->path, 0, TIMES_NAME)))
				       : "";
	const char *shared = *agent || *path ? finding_name(out, ", all%s%s,", agent, path) : "";
	const char *same =
		a->is_read && a->same &&
				(double)a->same_most_ms <= TIMES_SAME_QUICK * (double)a->least_ms
			? finding_name(out,
				       ". %" PRIu64 " other%s with as many bytes take%s at most %s",
				       a->same, a->same == 1 ? "" : "s", a->same == 1 ? "s" : "",
				       times_ms(out, (double)a->same_most_ms))
			: "";
	const char *range =
		a->least_ms == a->most_ms
			? times_ms(out, (double)a->most_ms)
			: finding_name(out, "%s to %s", times_ms(out, (double)a->least_ms),
				       times_ms(out, (double)a->most_ms));

	if (a->is_nginx)
		finding_claim(out, f,
			      "%" PRIu64 " of %" PRIu64
			      " requests%s take %s, but the server had sent its whole answer after "
			      "at most %s: the server is not slow, the client %s%s",
			      a->n, a->all, shared, range, times_ms(out, (double)a->server_most_ms),
			      a->is_read ? "takes the answer slowly"
					 : "sends its request or takes the answer slowly",
			      same);
	else
		finding_claim(
			out, f,
			"%" PRIu64 " of %" PRIu64
			" requests%s take %s, but the server began to answer after at most %s: "
			"the rest is the transfer of the answer%s",
			a->n, a->all, shared, range, times_ms(out, (double)a->server_most_ms),
			same);
}

/*
 * Add a finding about requests that continue after the server has answered (nginx) or begun to
 * answer (HAProxy). Returns whether it was added.
 */
static bool times_after(const struct rule_input *in, struct findings *out,
			const struct proxy_requests *p)
{
	struct times_after a = { .all = p->transfers.len };
	struct finding *f;

	VEC_FOREACH (t, &p->transfers) {
		a.all_ms += t->total_ms;
		if (times_is_after(t))
			times_after_add(&a, t, log_words_record(in, t->record)->text);
	}
	if (a.n < TIMES_AFTER_LEAST)
		return false;
	times_after_others(in, p, &a);
	f = finding_add(out, in, &rule_proxy_times, FINDING_NOTE,
			a.is_nginx ? TIMES_AFTER_SURE : TIMES_AFTER_SURE_HEADERS);
	f->title = "Requests go on after the server was ready";
	times_after_claim(out, f, &a);
	f->impact = log_words_pct((double)a.rest_ms, (double)a.all_ms);
	finding_figure(f, "share of the time of requests", f->impact, 0, "%");
	finding_figure(f, "longest", (double)a.most_ms, 0.5, "ms");
	finding_figure(f, "longest until the server was ready", (double)a.server_most_ms, 0.5,
		       "ms");
	log_words_cite(out, f, in, a.slowest);
	if (a.is_nginx)
		finding_usual_cause(out, f,
				    "The network to the client is slow, or the client reads "
				    "slowly. limit_rate and limit_req of nginx look the same");
	else
		finding_usual_cause(out, f,
				    "The network to the client is slow, or the client reads "
				    "slowly. A server that sends its answer bit by bit looks the "
				    "same");
	finding_because(out, f, "the proxy measured the time of the server and of the request");
	finding_next(out, f,
		     "ss -tin '( sport = :443 or sport = :80 )' on the proxy while such a request "
		     "runs: rwnd_limited: the client reads slowly; retrans: the network loses "
		     "packets");
	return true;
}

static void times_check(const struct rule_input *in, struct findings *out)
{
	struct proxy_requests p;
	bool has_phase = false;
	bool is_any;

	proxy_requests_init(&p, in->capture);
	is_any = times_after(in, out, &p);
	VEC_FOREACH (b, &p.backends) {
		size_t at = times_main(b);
		bool is_resent = times_resent(in, out, b);

		is_any |= is_resent;
		/* the finding about second SYNs already explains long connection times */
		if (at == PROXY_PHASES || (is_resent && at == PROXY_CONNECT))
			continue;
		times_finding(in, out, &p, b, at);
		is_any = true;
	}
	VEC_FOREACH (b, &p.backends) {
		for (size_t i = 0; i < PROXY_PHASES; i++)
			has_phase |= b->phases[i].n > 0;
	}
	if (p.n && p.n < TIMES_LEAST && !is_any)
		finding_not_assessed(out, in, &rule_proxy_times, "a longer part of the log",
				     "%" PRIu64 " request%s of a proxy are too few for a mean", p.n,
				     p.n == 1 ? "" : "s");
	else if (p.n && !is_any)
		finding_clean(out, in, &rule_proxy_times,
			      "%" PRIu64 " requests through a proxy: %s%s", p.n,
			      has_phase ? "none of queue, connection and answer of the server is "
					  "slow on average"
					: "",
			      !p.transfers.len ? ""
			      : has_phase ? ", and fewer than 3 have a slow transfer to the client"
					  : "fewer than 3 have a slow transfer to the client");
	proxy_requests_fini(&p);
}

const struct rule rule_proxy_times = {
	.id = "proxy-times",
	.title = "Where requests through a proxy wait",
	.needs = RULE_LOG,
	.check = times_check,
	.is_measured = true,
};
