/* SPDX-License-Identifier: MIT */
/*
 * Requests that nobody answers. A thread sends to a peer or connects to it, waits for the same
 * descriptor, and the wait ends by its time limit. Such a wait is not idle, because a request is
 * open.
 *
 * The peer is known from connect() or sendto(). If the log does not show how a socket was
 * connected, the socket is ignored: it may belong to a server that has sent its answer and waits
 * for the next request. Only waits of 10 ms or more are examined, since users notice them.
 *
 * Thresholds: a tenth of a thread's time is a note. A warning needs 40 %, 100 ms and two time
 * limits, because any network may lose a single packet. Sources: poll(2); udp(7); strace(1).
 */
#include "analyses/syscalls/syscalls.h"
#include "base/alloc.h"
#include "base/number.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/words/syscall_words.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

DECLARE_RULE(unanswered_request);

#define UNANSWERED_NS       10e6
#define UNANSWERED_NOTE_PCT 10.0
#define UNANSWERED_LEAD_PCT 40.0
#define UNANSWERED_LEAD_NS  100e6
#define UNANSWERED_LEAD     2u
#define UNANSWERED_SOCKETS  256u /* maximum number of open sockets for which a peer is stored */
#define UNANSWERED_PEERS    32u
#define UNANSWERED_NAME     128u
#define UNANSWERED_DNS      53u
#define UNANSWERED_RECORD   "strace -f -tt -T -e trace=network,poll -o out COMMAND"

struct unanswered_peer {
	char address[UNANSWERED_NAME]; /* IP address without the port, or path of a Unix socket */
	uint64_t port;                 /* port number of the peer; 0: a Unix socket */
	uint32_t lane;                 /* thread that waits for the peer */
	uint64_t requests, answers, limits;
	uint64_t connects; /* number of attempts to connect, among the waits in `limits` */
	double ns;         /* total time of the waits that ended at their time limit, ns */
	double max_ns;     /* the longest of the waits in `ns`, ns */
	sym_id sym;        /* name of the call with the longest wait */
	/* input lines of the longest wait (line) and of its request (sent); 0: none */
	uint32_t line, sent;
};

struct unanswered_socket {
	uint32_t lane;
	uint64_t fd;
	struct unanswered_peer *peer; /* peer of the socket; NULL: the socket is closed */
	uint32_t sent;                /* input line of the open request; 0: no request is open */
	/* number of messages that sendmmsg() sent at once and that have no answer yet */
	uint64_t pending;
	bool is_connecting; /* the request is an attempt to connect */
};

struct unanswered {
	const struct rule_input *in;
	struct unanswered_peer peers[UNANSWERED_PEERS];
	unsigned int n_peers;
	struct unanswered_socket sockets[UNANSWERED_SOCKETS];
	unsigned int n_sockets;
	uint64_t waits; /* number of waits for sockets whose peer is unknown */
};

/* The text in @args from the end of @before to the next quote; empty: none. */
static struct str unanswered_quoted(struct str args, struct str before)
{
	size_t at = str_find(args, before);

	if (at == args.len)
		return str_sub(args, 0, 0);
	args = str_skip(args, at + before.len);
	return str_sub(args, 0, str_find_char(args, '"'));
}

/*
 * The peer whose address is in @args. A new peer is added. NULL: there is no address, or there are
 * too many peers.
 */
static struct unanswered_peer *unanswered_peer(struct unanswered *u, uint32_t lane, struct str args)
{
	struct str address = unanswered_quoted(args, STR("inet_addr(\""));
	struct str port = str_skip(args, str_find(args, STR("htons(")));
	uint64_t number = 0;
	unsigned int i = 0;

	if (!address.len)
		address = unanswered_quoted(args, STR("AF_INET6, \""));
	if (!address.len)
		address = unanswered_quoted(args, STR("sun_path=\""));
	if (!address.len || address.len >= UNANSWERED_NAME)
		return NULL;
	port = str_skip(port, port.len ? strlen("htons(") : 0);
	if (port.len && !str_u64(&port, &number))
		return NULL;
	while (i < u->n_peers && (u->peers[i].lane != lane || u->peers[i].port != number ||
				  !str_eq(str_of(u->peers[i].address), address)))
		i++;
	if (i == UNANSWERED_PEERS)
		return NULL;
	if (i == u->n_peers) {
		u->n_peers++;
		memcpy(u->peers[i].address, address.p, address.len);
		u->peers[i].port = number;
		u->peers[i].lane = lane;
	}
	return &u->peers[i];
}

/* The socket @fd of thread @lane; NULL: its peer is unknown. */
static struct unanswered_socket *unanswered_socket(struct unanswered *u, uint32_t lane, uint64_t fd)
{
	for (unsigned int i = 0; i < u->n_sockets; i++) {
		if (u->sockets[i].lane == lane && u->sockets[i].fd == fd)
			return u->sockets[i].peer ? &u->sockets[i] : NULL;
	}
	return NULL;
}

static void unanswered_open(struct unanswered *u, uint32_t lane, uint64_t fd,
			    struct unanswered_peer *peer)
{
	unsigned int i = 0;

	while (i < u->n_sockets && u->sockets[i].peer &&
	       (u->sockets[i].lane != lane || u->sockets[i].fd != fd))
		i++;
	if (i == UNANSWERED_SOCKETS)
		return;
	u->n_sockets += i == u->n_sockets;
	u->sockets[i] = (struct unanswered_socket){ .lane = lane, .fd = fd, .peer = peer };
}

/*
 * Count a wait for an answer on @s that ended by its time limit. @call: the call that waited; @ns:
 * its duration.
 */
static void unanswered_limit(const struct unanswered *u, const struct unanswered_socket *s,
			     uint32_t call, double ns)
{
	struct unanswered_peer *peer = s->peer;

	peer->limits++;
	peer->connects += s->is_connecting;
	if (ns > peer->max_ns) {
		peer->max_ns = ns;
		peer->sym = u->in->capture->calls->sym.data[call];
		peer->line = u->in->capture->calls->line.data[call];
		peer->sent = s->sent;
	}
	peer->ns += ns;
}

/*
 * A poll or select ended at its time limit: count the wait. @args: arguments of this call. The
 * thread waited for the first socket in @args that has an open request: either the socket connects,
 * or the thread sent something and waits for input. If no socket has an open request, the peer of
 * the wait is unknown.
 */
static void unanswered_poll(struct unanswered *u, uint32_t lane, uint32_t call, struct str args,
			    double ns, bool is_select)
{
	size_t end = str_find_char(args, ']');
	bool is_known = false;

	/*
	 * Use the first non-empty list of select(): "select(6, [3 5], NULL, ..." waits for input,
	 * and "select(6, NULL, [5], ..." waits for a socket that connects.
	 */
	args = str_skip(str_sub(args, 0, end), str_find_char(args, '['));
	while (args.len) {
		uint64_t fd;
		struct unanswered_socket *s;
		struct str rest;

		if (!is_select)
			args = str_skip(args, str_find(args, STR("{fd=")) + strlen("{fd="));
		while (args.len && (args.p[0] < '0' || args.p[0] > '9'))
			args = str_skip(args, 1);
		if (!str_u64(&args, &fd))
			break;
		rest = str_sub(args, 0, str_find_char(args, '}'));
		s = unanswered_socket(u, lane, fd);
		if (s && s->sent &&
		    (is_select || s->is_connecting || str_contains(rest, STR("POLLIN")))) {
			is_known = true;
			unanswered_limit(u, s, call, ns);
			break;
		}
	}
	u->waits += !is_known;
}

/*
 * The time limit in the arguments @args of a poll, which are "[{fd=3, events=POLLIN}], 1, 4981",
 * ns. A poll that returned 0 has lasted as long. 0: no limit, or other arguments.
 */
static double unanswered_limit_ns(struct str args)
{
	struct str last = str_trim(str_skip(args, str_rfind_char(args, ',') + 1));
	uint64_t ms;

	return str_u64(&last, &ms) && last.len == 0 ? (double)ms * 1e6 : 0;
}

static void unanswered_call(struct unanswered *u, uint32_t call)
{
	const struct calls *c = u->in->capture->calls;
	uint32_t lane = c->lane.data[call];
	struct str name = syscall_words_name(u->in, c->sym.data[call]);
	struct str args = strings_get(capture_strings(u->in->capture), c->args.data[call]);
	double ns = calls_is_timed(c, call) ? (double)calls_duration(c, call) : 0;
	int error = syscalls_call_error(c, call);
	struct str rest = args;
	struct unanswered_socket *s;
	uint64_t fd;

	if (str_eq(name, STR("poll")) && !calls_is_timed(c, call))
		ns = unanswered_limit_ns(args);
	if (str_glob(STR("poll|ppoll|select|pselect6"), name)) {
		if (ns >= UNANSWERED_NS && call < c->retval.len && c->retval_kind.data[call] &&
		    c->retval.data[call] == 0)
			unanswered_poll(u, lane, call, args, ns, str_glob(STR("*select*"), name));
		return;
	}
	if (!str_u64(&rest, &fd))
		return;
	if (str_glob(STR("connect|sendto"), name)) {
		struct unanswered_peer *peer = unanswered_peer(u, lane, args);

		s = unanswered_socket(u, lane, fd);
		if (peer && (!s || s->peer != peer) &&
		    (!error || error == -EINPROGRESS || error == -ETIMEDOUT))
			unanswered_open(u, lane, fd, peer);
	}
	s = unanswered_socket(u, lane, fd);
	if (!s)
		return;
	if (str_eq(name, STR("connect")) && (error == -EINPROGRESS || error == -ETIMEDOUT)) {
		s->is_connecting = true;
		s->sent = c->line.data[call];
		s->peer->requests++;
		if (error == -ETIMEDOUT && ns >= UNANSWERED_NS)
			unanswered_limit(u, s, call, ns);
		return;
	}
	if (s->is_connecting && !error && str_glob(STR("getsockopt|send*|write|writev"), name)) {
		/*
		 * the attempt has ended: the socket is connected, or getsockopt() returns an error
		 */
		s->peer->answers += str_contains(args, STR("SO_ERROR, [0]")) ||
				    !str_eq(name, STR("getsockopt"));
		s->is_connecting = false;
		s->sent = 0;
	}
	if (str_glob(STR("close|shutdown"), name)) {
		s->peer = NULL;
	} else if (str_glob(STR("send*|write|writev"), name) && !error) {
		bool is_several = str_eq(name, STR("sendmmsg")) && call < c->retval.len &&
				  c->retval_kind.data[call] && c->retval.data[call] > 1;

		s->sent = c->line.data[call];
		s->pending = is_several ? (uint64_t)c->retval.data[call] : 1;
		s->peer->requests += s->pending;
	} else if (str_glob(STR("recv*|read|readv"), name) && s->sent) {
		/* with SO_RCVTIMEO, the receiving call itself ends at the time limit */
		if (error == -EAGAIN && ns >= UNANSWERED_NS)
			unanswered_limit(u, s, call, ns);
		s->peer->answers += !error;
		s->pending -= !error && s->pending > 0;
		s->sent = error || s->pending ? s->sent : 0;
	}
}

/* Name of a peer in the arena of @out: "192.0.2.7, port 53", or the path of a socket. */
static const char *unanswered_name(struct findings *out, const struct unanswered_peer *p)
{
	return p->port ? finding_name(out, "%s, port %llu", p->address, (unsigned long long)p->port)
		       : finding_name(out, "'%s'", p->address);
}

static void unanswered_finding(const struct unanswered *u, struct findings *out,
			       const struct unanswered_peer *p, double pct, bool has_span)
{
	const struct rule_input *in = u->in;
	bool leads = pct >= UNANSWERED_LEAD_PCT && p->ns >= UNANSWERED_LEAD_NS &&
		     p->limits >= UNANSWERED_LEAD;
	bool is_dns = p->port == UNANSWERED_DNS;
	const char *what = p->connects == p->limits ? "attempt" : "wait";
	const char *peer = unanswered_name(out, p);
	struct finding *f = finding_add(out, in, &rule_unanswered_request,
					leads ? FINDING_WARNING : FINDING_NOTE, 85);

	f->impact = pct;
	finding_claim(
		out, f,
		"%s waits %.1f %% of its time %sfor %s%s: %llu %s%s %s end%s by the time limit, "
		"after %s",
		syscall_words_thread(in, out, p->lane), pct, has_span ? "" : "in calls ",
		is_dns ? "the name server " : "", peer, (unsigned long long)p->limits, what,
		p->limits == 1 ? "" : "s",
		p->connects == p->limits ? "to connect" : "for an answer",
		p->limits == 1 ? "s" : "",
		p->limits == 1
			? finding_duration(out, number_whole(p->ns))
			: finding_name(
				  out, "%s each",
				  finding_duration(out, number_whole(p->ns / (double)p->limits))));
	finding_figure(f, has_span ? "share of the thread's time" : "share of its time in calls",
		       pct, 0, "%");
	finding_figure(f, "requests", (double)p->requests, 0, "");
	finding_figure(f, "answers", (double)p->answers, 0, "");
	finding_figure(f, "waits that ended by the time limit", (double)p->limits, 0, "");
	finding_evidence(out, f, in, p->line, "no answer from %s", peer);
	finding_evidence(out, f, in, p->sent,
			 p->connects == p->limits ? "the attempt to connect" : "the request");
	finding_usual_cause(
		out, f, "%s%s",
		p->answers ? "The peer answers late, or answers are lost, so the program waits for "
			     "its time limit"
		: is_dns   ? "The name server does not run, a firewall drops its packets, or "
			     "resolv.conf names the wrong one"
			   : "The peer does not run or is stuck, a firewall drops the packets, or "
			     "the address is wrong",
		is_dns && p->answers ? ", 5 s in resolv.conf" : "");
	finding_because(out, f,
			"the log shows the request, its peer, and the wait that nothing ended\n"
			"whether the peer got the request, and whether it answered");
	if (is_dns)
		finding_next(out, f,
			     "dig @%s NAME: whether the server answers; then cat "
			     "/etc/resolv.conf",
			     p->address);
	else if (p->port)
		finding_next(out, f,
			     "tcpdump -ni any host %s and port %llu: do packets leave and "
			     "come back",
			     p->address, (unsigned long long)p->port);
	else
		finding_next(out, f, "ss -xp | grep %s: which process has the other end",
			     p->address);
}

static void unanswered_check(const struct rule_input *in, struct findings *out)
{
	const struct syscalls_summary *s = in->syscalls;
	const struct calls *c = in->capture->calls;
	const struct unanswered_peer *most = NULL;
	struct unanswered *u;
	double pct = 0;
	bool has_span = false;

	if (s->is_library)
		return;
	if (!s->is_log || !c || !c->args.len || s->clock == SYSCALL_CPU_TIME) {
		finding_not_assessed(out, in, &rule_unanswered_request, UNANSWERED_RECORD,
				     "no log with durations and arguments of calls");
		return;
	}
	u = xcalloc(1, sizeof(*u));
	u->in = in;
	for (uint32_t i = 0; i < c->n; i++)
		unanswered_call(u, i);
	for (unsigned int i = 0; i < u->n_peers; i++)
		most = most && most->ns >= u->peers[i].ns ? most : &u->peers[i];
	VEC_FOREACH (t, &s->threads) {
		if (!most || t->lane != most->lane)
			continue;
		/* without durations, the span ends where the last call begins */
		if (s->clock == SYSCALL_NO_TIME) {
			has_span = true;
			pct = syscall_words_pct(most->ns, fmax((double)t->span_ns, most->ns));
			continue;
		}
		has_span = t->span_ns > 0;
		pct = syscall_words_pct(most->ns, has_span ? (double)t->span_ns : t->time_ns);
	}
	if (s->clock == SYSCALL_NO_TIME && (!most || most->limits == 0))
		finding_not_assessed(out, in, &rule_unanswered_request, UNANSWERED_RECORD,
				     "no log with durations and arguments of calls");
	else if (most && pct >= UNANSWERED_NOTE_PCT)
		unanswered_finding(u, out, most, pct, has_span);
	else if (!most && u->waits)
		finding_not_assessed(out, in, &rule_unanswered_request,
				     "strace -f -tt -T -o out COMMAND, from the start",
				     "%llu wait%s ended by a time limit, and the log does not show "
				     "the peer",
				     (unsigned long long)u->waits, u->waits == 1 ? "" : "s");
	else
		finding_clean(out, in, &rule_unanswered_request,
			      "waits for answers that do not come take %.1f %% of a thread's time",
			      pct);
	free(u);
}

static const char *const unanswered_explains[] = { "call-sequence", "long-calls", "empty-polls",
						   NULL };

const struct rule rule_unanswered_request = {
	.id = "unanswered-request",
	.title = "Request without an answer",
	.needs = RULE_SYSCALLS,
	.explains = unanswered_explains,
	.check = unanswered_check,
	.is_measured = true,
};
