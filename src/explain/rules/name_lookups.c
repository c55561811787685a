/* SPDX-License-Identifier: MIT */
/*
 * A program looks up host names again and again. A log of system calls shows sockets that are
 * connected to port 53, the queries that are sent there, and how long the thread then waits for the
 * answer.
 *
 * Thresholds: five queries, and a tenth of the thread's time is a note. A warning needs 40 %, or 20
 * % if most queries repeat a name. Source of the format: RFC 1035, 4.1: a header of 12 bytes, then
 * the name in labels.
 */
#include "analyses/syscalls/syscalls.h"
#include "base/alloc.h"
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
#define LOOKUPS_ONCE      2u  /* maximum number of queries for one look-up */
#define LOOKUPS_NAMES     64u /* maximum number of different names that are counted */
#define LOOKUPS_NAME      64u
#define LOOKUPS_HEADER    12u

struct lookups_lane {
	uint64_t fd; /* socket that is connected to a name server */
	bool is_open;
	bool waits; /* an answer to a query is pending */
	double ns;  /* sum of the times from queries to answers, ns */
	uint64_t queries;
};

struct lookups {
	const struct rule_input *in;
	struct lookups_lane *lanes;
	char names[LOOKUPS_NAMES][LOOKUPS_NAME];
	unsigned int times[LOOKUPS_NAMES];
	unsigned int n_names;
	uint32_t first;  /* index of the call that sends the first query */
	uint32_t server; /* index of the call that connects to the server */
	bool has_server;
	uint64_t queries;
};

/* Take the next byte of a string as strace prints it, with escapes of C; -1: end of the string. */
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

/* The name in a DNS query, as far as the log shows it. False: @args has no name. */
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

static void lookups_query(struct lookups *l, struct lookups_lane *lane, uint32_t call,
			  struct str args)
{
	char name[LOOKUPS_NAME];
	unsigned int i = 0;

	if (l->queries++ == 0)
		l->first = call;
	lane->queries++;
	lane->waits = true;
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
		return;
	}
	if (!str_u64(&rest, &fd))
		return;
	if (is_server && str_glob(STR("connect|send*"), name)) {
		l->server = l->has_server ? l->server : call;
		l->has_server = true;
		lane->fd = fd;
		lane->is_open = true;
	}
	if (!lane->is_open || fd != lane->fd)
		return;
	if (str_glob(STR("send*|write"), name))
		lookups_query(l, lane, call, args);
	else if (str_eq(name, STR("close")))
		lane->is_open = false;
	if (lane->waits && str_glob(STR("send*|recv*|read"), name))
		lane->ns += ns;
	lane->waits = lane->waits && !str_glob(STR("recv*|read|close"), name);
}

/*
 * Number of queries for the most frequent name, which is stored in @ret_name. 0: at most half of
 * the queries repeat a name. One look-up may send two queries, for IPv4 and IPv6.
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

/* Index of the lane that waits longest for name servers. */
static uint32_t lookups_slowest(const struct lookups *l)
{
	uint32_t ret = 0;

	for (uint32_t i = 1; i < l->in->capture->calls->lanes.len; i++)
		ret = l->lanes[i].ns > l->lanes[ret].ns ? i : ret;
	return ret;
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
		      finding_duration(out, (uint64_t)(lane->ns / (double)lane->queries)));
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
	if (l.lanes[slowest].queries >= LOOKUPS_LEAST && pct >= LOOKUPS_NOTE_PCT)
		lookups_finding(&l, out, slowest, pct);
	else
		finding_clean(out, in, &rule_name_lookups,
			      "%llu queries to name servers, %.1f %% of a thread's time",
			      (unsigned long long)l.queries, pct);
	free(l.lanes);
}

static const char *const lookups_explains[] = { "call-sequence", "long-calls", "empty-polls",
						NULL };

const struct rule rule_name_lookups = {
	.id = "name-lookups",
	.title = "Host names looked up again and again",
	.needs = RULE_SYSCALLS,
	.explains = lookups_explains,
	.check = lookups_check,
};
