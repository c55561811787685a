/* SPDX-License-Identifier: MIT */
/*
 * A program looks up host names again and again. A log of system calls shows sockets that are
 * connected to port 53, the queries that are sent on them, and how long the thread then waits for
 * each answer.
 *
 * A server that answers none of its queries costs one timeout per query. The mean over all servers
 * would hide this, so the answers of each server are counted separately.
 *
 * Thresholds: five queries, and a tenth of the thread's time is a note. A warning needs 40 %, or 20
 * % if most queries repeat a name. Source of the format: RFC 1035, 4.1: a header of 12 bytes, then
 * the name in labels.
 */
#include "analyses/syscalls/syscalls.h"
#include "base/alloc.h"
#include "base/number.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/words/syscall_words.h"

#include <stdlib.h>

DECLARE_RULE(name_lookups);

#define LOOKUPS_LEAST     5u
#define LOOKUPS_NOTE_PCT  10.0
#define LOOKUPS_LEAD_PCT  40.0
#define LOOKUPS_AGAIN_PCT 20.0
/* a single look-up may send this number of queries for one name (one for IPv4, one for IPv6) */
#define LOOKUPS_ONCE    2u
#define LOOKUPS_NAMES   64u /* maximum number of different names to count */
#define LOOKUPS_NAME    64u
#define LOOKUPS_HEADER  12u
#define LOOKUPS_SERVERS 8u /* maximum number of servers; resolv.conf(5) allows 3 */
/* a server is dead after this number of timeouts, if it has never answered */
#define LOOKUPS_TIMEOUTS 3u
/*
 * a dead server is reported if its timeouts are at least this part (0 to 1) of the time that the
 * thread waits for all name servers
 */
#define LOOKUPS_DEAD_PART 0.5

struct lookups_server {
	char address[LOOKUPS_NAME];
	uint64_t queries, answers, timeouts;
	double answer_ns;  /* total wait for answers that arrived, ns */
	double timeout_ns; /* total wait for answers that did not arrive before the timeout, ns */
	uint32_t line;     /* input line of the server's first timeout */
};

struct lookups_lane {
	uint64_t fd; /* descriptor of a socket that is connected to a name server */
	bool is_open;
	bool waits; /* a query was sent, and its answer has not arrived */
	double ns;  /* total time between the queries and their answers, ns */
	/* the server to which the socket is connected; NULL: unknown */
	struct lookups_server *server;
	double wait_ns; /* time since the latest query, ns */
	uint64_t queries;
};

struct lookups {
	const struct rule_input *in;
	struct lookups_lane *lanes;
	char names[LOOKUPS_NAMES][LOOKUPS_NAME];
	unsigned int times[LOOKUPS_NAMES];
	unsigned int n_names;
	uint32_t first;  /* index of the first call that sends a query */
	uint32_t server; /* index of the call that connects to the server */
	struct lookups_server servers[LOOKUPS_SERVERS];
	unsigned int n_servers;
	bool has_server;
	uint64_t queries;
};

/*
 * Take the next byte from a string in the output of strace. The string has C escapes such as "\1".
 * -1: end of the string.
 */
static int lookups_byte(struct str *s)
{
	unsigned int byte = 0;

	if (s->len == 0 || s->p[0] == '"')
		return -1;
	if (s->p[0] != '\\' || s->len < 2) {
		byte = (unsigned char)s->p[0];
		*s = str_skip(*s, 1);
		return (int)byte;
	}
	*s = str_skip(*s, 1);
	if (s->p[0] < '0' || s->p[0] > '7') {
		byte = (unsigned char)s->p[0];
		*s = str_skip(*s, 1);
		return byte == 't' ? '\t' : byte == 'n' ? '\n' : byte == 'r' ? '\r' : (int)byte;
	}
	for (unsigned int i = 0; i < 3 && s->len && s->p[0] >= '0' && s->p[0] <= '7'; i++) {
		byte = byte * 8 + (unsigned int)(s->p[0] - '0');
		*s = str_skip(*s, 1);
	}
	return (int)(byte & 0xff);
}

/*
 * Copy the host name of a DNS query to @ret, as far as the log prints the name. False: @args has no
 * name.
 */
static bool lookups_name(struct str args, char *ret)
{
	size_t quote = str_find_char(args, '"');
	struct str s = str_skip(args, quote + 1);
	size_t n = 0;
	int length, byte = 0;

	if (quote == args.len)
		return false;
	for (unsigned int i = 0; i < LOOKUPS_HEADER && byte >= 0; i++)
		byte = lookups_byte(&s);
	while (byte >= 0 && (length = lookups_byte(&s)) > 0 && length < 64) {
		if (n && n + 1 < LOOKUPS_NAME)
			ret[n++] = '.';
		for (; length > 0 && (byte = lookups_byte(&s)) >= 0; length--) {
			if (byte <= ' ' || byte > '~')
				return false;
			if (n + 1 < LOOKUPS_NAME)
				ret[n++] = (char)byte;
		}
	}
	ret[n] = '\0';
	return n > 0;
}

/*
 * Find the server whose address is in the arguments: inet_addr("10.0.0.2"), inet_pton(AF_INET6,
 * "fd::1", ...). A new server is added. NULL: there is no address, or there are too many servers.
 */
static struct lookups_server *lookups_server(struct lookups *l, struct str args)
{
	struct str address = args;
	unsigned int i = 0;
	size_t at = str_find(args, STR("inet_addr(\""));
	size_t at6 = str_find(args, STR("AF_INET6, \""));

	if (at < args.len)
		address = str_skip(args, at + strlen("inet_addr(\""));
	else if (at6 < args.len)
		address = str_skip(args, at6 + strlen("AF_INET6, \""));
	else
		return NULL;
	address = str_sub(address, 0, str_find_char(address, '"'));
	if (address.len == 0 || address.len >= LOOKUPS_NAME)
		return NULL;
	while (i < l->n_servers && !str_eq(str_of(l->servers[i].address), address))
		i++;
	if (i == LOOKUPS_SERVERS)
		return NULL;
	if (i == l->n_servers)
		memcpy(l->servers[l->n_servers++].address, address.p, address.len);
	return &l->servers[i];
}

/* End a wait for a server: count it as a timeout or as an answer. @call: the call that waited. */
static void lookups_wait_end(const struct lookups *l, struct lookups_lane *lane, uint32_t call,
			     bool is_timeout)
{
	struct lookups_server *server = lane->server;

	if (server && is_timeout) {
		server->line =
			server->timeouts ? server->line : l->in->capture->calls->line.data[call];
		server->timeouts++;
		server->timeout_ns += lane->wait_ns;
	} else if (server) {
		server->answers++;
		server->answer_ns += lane->wait_ns;
	}
	lane->wait_ns = 0;
}

/* Did the poll @call end by its timeout? */
static bool lookups_is_timeout(const struct calls *c, uint32_t call)
{
	return call < c->retval.len && c->retval_kind.data[call] && c->retval.data[call] == 0;
}

static void lookups_query(struct lookups *l, struct lookups_lane *lane, uint32_t call,
			  struct str args)
{
	char name[LOOKUPS_NAME];
	unsigned int i = 0;

	if (l->queries++ == 0)
		l->first = call;
	lane->queries++;
	lane->waits = true;
	lane->wait_ns = 0;
	if (lane->server)
		lane->server->queries++;
	if (!lookups_name(args, name))
		return;
	while (i < l->n_names && strcmp(l->names[i], name) != 0)
		i++;
	if (i == LOOKUPS_NAMES)
		return;
	if (i == l->n_names)
		memcpy(l->names[l->n_names++], name, sizeof(name));
	l->times[i]++;
}

static void lookups_call(struct lookups *l, uint32_t call)
{
	const struct calls *c = l->in->capture->calls;
	struct lookups_lane *lane = &l->lanes[c->lane.data[call]];
	struct str name = syscall_words_name(l->in, c->sym.data[call]);
	struct str args = strings_get(capture_strings(l->in->capture), c->args.data[call]);
	double ns = calls_is_timed(c, call) ? (double)calls_duration(c, call) : 0;
	bool is_server = str_contains(args, STR("htons(53)"));
	struct str rest = args;
	uint64_t fd;

	if (lane->waits && str_glob(STR("poll|ppoll|select|pselect6|epoll_*wait*"), name)) {
		lane->ns += ns;
		lane->wait_ns += ns;
		if (lookups_is_timeout(c, call))
			lookups_wait_end(l, lane, call, /* is_timeout= */ true);
		return;
	}
	if (!str_u64(&rest, &fd))
		return;
	if (is_server && str_glob(STR("connect|send*"), name)) {
		l->server = l->has_server ? l->server : call;
		l->has_server = true;
		lane->fd = fd;
		lane->is_open = true;
		lane->server = lookups_server(l, args);
	}
	if (!lane->is_open || fd != lane->fd)
		return;
	if (str_glob(STR("send*|write"), name))
		lookups_query(l, lane, call, args);
	else if (str_eq(name, STR("close")))
		lane->is_open = false;
	if (lane->waits && str_glob(STR("send*|recv*|read"), name)) {
		lane->ns += ns;
		lane->wait_ns += ns;
	}
	if (lane->waits && str_glob(STR("recv*|read"), name) && !syscalls_call_error(c, call))
		lookups_wait_end(l, lane, call, /* is_timeout= */ false);
	lane->waits = lane->waits && !str_glob(STR("recv*|read|close"), name);
}

/*
 * Number of queries for the name that is queried most often; *@ret_name: this name. 0: at most half
 * of the queries repeat a name. (One look-up may send two queries, for IPv4 and IPv6.)
 */
static unsigned int lookups_again(const struct lookups *l, const char **ret_name)
{
	unsigned int most = 0, all = 0, again = 0;

	for (unsigned int i = 0; i < l->n_names; i++) {
		most = l->times[i] > l->times[most] ? i : most;
		all += l->times[i];
		again += l->times[i] > LOOKUPS_ONCE ? l->times[i] : 0;
	}
	*ret_name = l->names[most];
	return again * 2 > all ? l->times[most] : 0;
}

/* Index of the thread (lane) that waits longest for name servers. */
static uint32_t lookups_slowest(const struct lookups *l)
{
	uint32_t ret = 0;

	for (uint32_t i = 1; i < l->in->capture->calls->lanes.len; i++)
		ret = l->lanes[i].ns > l->lanes[ret].ns ? i : ret;
	return ret;
}

/*
 * Find a dead server: it answers no query, has at least LOOKUPS_TIMEOUTS timeouts, and causes at
 * least half of the time that thread @lane waits for servers. NULL: none.
 */
static const struct lookups_server *lookups_dead(const struct lookups *l,
						 const struct lookups_lane *lane)
{
	const struct lookups_server *dead = NULL;

	for (unsigned int i = 0; i < l->n_servers; i++) {
		const struct lookups_server *s = &l->servers[i];

		if (s->timeouts >= LOOKUPS_TIMEOUTS && s->answers == 0 &&
		    s->timeout_ns >= LOOKUPS_DEAD_PART * lane->ns &&
		    (!dead || s->timeout_ns > dead->timeout_ns))
			dead = s;
	}
	return dead;
}

/* The server with the most answers; NULL: no server answers. */
static const struct lookups_server *lookups_alive(const struct lookups *l)
{
	const struct lookups_server *alive = NULL;

	for (unsigned int i = 0; i < l->n_servers; i++) {
		if (l->servers[i].answers > (alive ? alive->answers : 0))
			alive = &l->servers[i];
	}
	return alive;
}

static void lookups_finding_dead(const struct lookups *l, struct findings *out, uint32_t slowest,
				 const struct lookups_server *dead, double pct)
{
	const struct rule_input *in = l->in;
	const struct lookups_server *alive = lookups_alive(l);
	const char *each =
		finding_duration(out, number_whole(dead->timeout_ns / (double)dead->timeouts));
	struct finding *f =
		finding_add(out, in, &rule_name_lookups,
			    pct >= LOOKUPS_AGAIN_PCT ? FINDING_WARNING : FINDING_NOTE, 75);

	f->impact = pct;
	finding_claim(out, f,
		      "%s waits for name servers %.1f %% of its time: '%s' answers none of %llu "
		      "queries, and each timeout takes %s",
		      syscall_words_thread(in, out, slowest), pct, dead->address,
		      (unsigned long long)dead->queries, each);
	finding_figure(f, "queries", (double)dead->queries, 0, "");
	finding_figure(f, "timeouts", (double)dead->timeouts, 0, "");
	finding_figure(f, "share of the thread's time", pct, 0, "%");
	finding_evidence(out, f, in, dead->line, "the first timeout of %s", dead->address);
	if (alive)
		finding_cause(
			out, f,
			"The name server '%s' does not answer. Each look-up asks it and waits "
			"for the timeout; '%s' answers in %s",
			dead->address, alive->address,
			finding_duration(out,
					 number_whole(alive->answer_ns / (double)alive->answers)));
	else
		finding_cause(out, f,
			      "The name server '%s' does not answer, and no other server "
			      "does",
			      dead->address);
	finding_because(out, f, "port 53 is that of name servers; the log shows each timeout");
	finding_next(out, f, "cat /etc/resolv.conf: remove the server, or set options timeout:1");
	finding_next(out, f, "dig @%s NAME: whether the server answers at all", dead->address);
}

static void lookups_finding(struct lookups *l, struct findings *out, uint32_t slowest, double pct)
{
	const struct rule_input *in = l->in;
	const struct calls *c = in->capture->calls;
	const struct lookups_lane *lane = &l->lanes[slowest];
	const char *name;
	unsigned int again = lookups_again(l, &name);
	struct finding *f;

	f = finding_add(out, in, &rule_name_lookups,
			pct >= LOOKUPS_LEAD_PCT || (pct >= LOOKUPS_AGAIN_PCT && again)
				? FINDING_WARNING
				: FINDING_NOTE,
			75);
	f->impact = pct;
	finding_claim(out, f,
		      "%s waits for the name server %.1f %% of its time: %llu queries for host "
		      "names (port 53), %s each",
		      syscall_words_thread(in, out, slowest), pct,
		      (unsigned long long)lane->queries,
		      finding_duration(out, number_whole(lane->ns / (double)lane->queries)));
	finding_figure(f, "queries", (double)l->queries, 0, "");
	finding_figure(f, "different names", l->n_names, 0, "");
	finding_figure(f, "share of the thread's time", pct, 0, "%");
	finding_evidence(out, f, in, c->line.data[l->server], "the name server");
	finding_evidence(out, f, in, c->line.data[l->first], "the first query");
	if (again)
		finding_cause(out, f,
			      "Nothing keeps the answers: '%s' is asked for %u times, and each "
			      "query waits for the network",
			      name, again);
	else
		finding_usual_cause(
			out, f,
			"Each look-up waits for the name server, which is slow or far away");
	finding_because(out, f, "port 53 is that of name servers; durations are measured");
	finding_next(out, f,
		     "keep the address or the connection, or run a cache (nscd, systemd-resolved)");
	finding_next(out, f, "strace -f -k -e trace=connect COMMAND: the code that asks");
}

static void lookups_check(const struct rule_input *in, struct findings *out)
{
	const struct syscalls_summary *s = in->syscalls;
	const struct calls *c = in->capture->calls;
	struct lookups l = { .in = in };
	double pct = 0;
	uint32_t slowest;
	const struct lookups_server *dead;

	if (s->is_library)
		return;
	if (!s->is_log || !c || !c->args.len || s->clock != SYSCALL_WALL_TIME) {
		finding_not_assessed(out, in, &rule_name_lookups,
				     "strace -f -tt -T -e trace=network,poll -o out COMMAND",
				     "no log with durations and arguments of calls");
		return;
	}
	l.lanes = xcalloc(c->lanes.len + 1, sizeof(*l.lanes));
	for (uint32_t i = 0; i < c->n; i++)
		lookups_call(&l, i);
	slowest = lookups_slowest(&l);
	VEC_FOREACH (t, &s->threads) {
		if (t->lane == slowest)
			pct = syscall_words_pct(l.lanes[slowest].ns, (double)t->span_ns);
	}
	dead = lookups_dead(&l, &l.lanes[slowest]);
	if (dead && pct >= LOOKUPS_NOTE_PCT)
		lookups_finding_dead(&l, out, slowest, dead, pct);
	else if (l.lanes[slowest].queries >= LOOKUPS_LEAST && pct >= LOOKUPS_NOTE_PCT)
		lookups_finding(&l, out, slowest, pct);
	else
		finding_clean(out, in, &rule_name_lookups,
			      "%llu queries to name servers, %.1f %% of a thread's time",
			      (unsigned long long)l.queries, pct);
	free(l.lanes);
}

static const char *const lookups_explains[] = { "call-sequence", "long-calls", "empty-polls",
						"unanswered-request", NULL };

const struct rule rule_name_lookups = {
	.id = "name-lookups",
	.title = "Host names looked up again and again",
	.needs = RULE_SYSCALLS,
	.explains = lookups_explains,
	.check = lookups_check,
};
