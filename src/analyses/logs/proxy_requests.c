/* SPDX-License-Identifier: MIT */
#include "analyses/logs/proxy_requests.h"

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/records.h"

#include <string.h>

/* maximum number of backends; requests to further backends are ignored */
#define PROXY_BACKENDS 256u
#define PROXY_PEERS    256u /* maximum number of servers for which tries are counted */
#define PROXY_ENDS     4096u
#define PROXY_TIMES    5u
/* the times of a request are searched in this number of words at the start of its record */
#define PROXY_WORDS 24u
/*
 * in ms. A connection is quick if it opens in less than PROXY_QUICK_MS. If it opens less than
 * PROXY_RESENT_MS after a SYN was sent again, this repeated SYN opened it
 */
#define PROXY_QUICK_MS  100
#define PROXY_RESENT_MS 200
#define PROXY_MS_MAX    UINT64_C(1000000000)
/* If none of the first PROXY_TRIES records is a request, the log is not that of a proxy. */
#define PROXY_TRIES 500u

enum proxy_time {
	TIME_QUEUE = 1,
	TIME_CONNECT,
	TIME_ANSWER,
	TIME_TOTAL,
};

struct proxy_line {
	struct str backend;
	int64_t times[PROXY_TIMES]; /* in ms; -1: the request did not reach this phase */
	char state[2];
	/*
	 * server: number of connections to the server when the request was logged. queues: number
	 * of requests that were processed before this one in the queues of server and backend
	 */
	uint64_t server, queues;
	int64_t server_ms; /* proxy_transfer.server_ms; -1: unknown */
	uint64_t bytes;
	bool is_nginx;
	/*
	 * nginx: peers has the servers that were tried, "192.0.2.7:80, 192.0.2.8:80"; waits has the
	 * time of each try. Empty: unknown
	 */
	struct str peers, waits;
};

/* Parse @n numbers, separated by slashes: "0/312/-1/+5". False: @word is something else. */
static bool proxy_numbers(struct str word, size_t n, int64_t *ret)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t v;
		bool is_missing;

		if (i && !str_take(&word, STR("/")))
			return false;
		/* option logasap: "+" means that the request was logged before its end */
		(void)str_take(&word, STR("+"));
		is_missing = str_take(&word, STR("-"));
		if (!str_u64(&word, &v) || v > PROXY_MS_MAX)
			return false;
		ret[i] = is_missing ? -1 : (int64_t)v;
	}
	return word.len == 0;
}

/*
 * Convert the value of a field from seconds to milliseconds. -1: the value is no time, or a list of
 * the times of several tries.
 */
static int64_t proxy_seconds(struct str value)
{
	double s;

	(void)str_take(&value, STR("\""));
	/*
	 * nginx prints three decimals; a number without them may be milliseconds of another program
	 */
	if (!str_contains(value, STR(".")) || !str_double(&value, &s) ||
	    !(s >= 0 && s < (double)PROXY_MS_MAX / 1e3))
		return -1;
	return str_glob(STR("|\""), value) ? (int64_t)(s * 1e3 + 0.5) : -1;
}

/*
 * Returns the first quoted part of @text, and moves @text to the text after this part. @before is
 * set to the text before it. Empty: there is none.
 */
static struct str proxy_quoted(struct str *text, struct str *before)
{
	size_t at = str_find_char(*text, '"');
	struct str rest = str_skip(*text, at + 1);
	struct str ret = str_sub(rest, 0, str_find_char(rest, '"'));

	*before = str_sub(*text, 0, at);
	*text = str_skip(rest, ret.len + 1);
	return ret;
}

struct str proxy_request_line(struct str text)
{
	struct str before;

	while (text.len) {
		struct str q = proxy_quoted(&text, &before);

		if (str_glob(STR("* HTTP/*"), q))
			return q;
	}
	return STR_NONE;
}

struct str proxy_request_path(struct str line)
{
	struct str word;

	if (!str_word(&line, &word) || !str_word(&line, &word))
		return STR_NONE;
	return str_sub(word, 0, str_find_char(word, '?'));
}

struct str proxy_request_agent(struct str text)
{
	struct str ret = STR_NONE;
	struct str before;

	/*
	 * the user agent is the last quoted text with a '/' that is no request, no URL and no value
	 * of a key
	 */
	while (text.len) {
		struct str q = proxy_quoted(&text, &before);

		if (str_find_char(q, '/') < q.len && !str_ends(before, STR("=")) &&
		    !str_glob(STR("* HTTP/*|http:*|https:*|/*"), q))
			ret = q;
	}
	return ret;
}

/* The number of bytes sent to the client: the second number after the request; 0: unknown. */
static uint64_t proxy_bytes(struct str text)
{
	struct str line = proxy_request_line(text);
	struct str rest, word;
	uint64_t status, bytes;

	if (!line.len)
		return 0;
	rest = str_skip(text, (size_t)(line.p - text.p) + line.len + 1);
	if (!str_word(&rest, &word) || !str_u64(&word, &status) || word.len ||
	    !str_word(&rest, &word) || !str_u64(&word, &bytes) || word.len)
		return 0;
	return bytes;
}

/*
 * Take the next key and its value from the start of @text: rt=0.012, rt="0.012", and in JSON
 * "rt":"0.012" or "rt": 0.012. @text is moved to the text after them. The value includes its
 * quotes. False: there is no further key.
 */
static bool proxy_pair(struct str *text, struct str *key, struct str *value)
{
	size_t at = 0;

	while (at < text->len && text->p[at] != '=' &&
	       !(text->p[at] == ':' && at && text->p[at - 1] == '"'))
		at++;
	if (at == text->len)
		return false;
	*key = str_sub(*text, 0, at);
	*text = str_skip(*text, at + 1);
	if (str_ends(*key, STR("\""))) {
		key->len--;
		at = str_rfind_char(*key, '"');
		*key = at < key->len ? str_skip(*key, at + 1) : *key;
		*text = str_ltrim(*text);
	} else {
		at = str_rfind_char(*key, ' ');
		*key = at < key->len ? str_skip(*key, at + 1) : *key;
	}
	at = 0;
	if (text->len && text->p[0] == '"')
		at = str_find_char(str_skip(*text, 1), '"') + 2;
	else
		while (at < text->len && !char_is_blank(text->p[at]) && text->p[at] != ',' &&
		       text->p[at] != '}')
			at++;
	*value = str_sub(*text, 0, at);
	*text = str_skip(*text, value->len);
	return true;
}

/* Parse a request of nginx. False: @text is another message. */
static bool proxy_keys(struct str text, struct proxy_line *ret)
{
	int64_t header = -1;
	struct str key, value;
	bool is_any = false;

	*ret = (struct proxy_line){ .backend = STR("the upstream"),
				    .times = { -1, -1, -1, -1, -1 },
				    .server_ms = -1,
				    .bytes = proxy_bytes(text),
				    .is_nginx = true };
	while (proxy_pair(&text, &key, &value)) {
		if (str_glob(STR("uct|upstream_connect_time"), key)) {
			ret->times[TIME_CONNECT] = proxy_seconds(value);
			is_any = true;
		} else if (str_glob(STR("uht|upstream_header_time"), key)) {
			header = proxy_seconds(value);
		} else if (str_glob(STR("rt|request_time"), key)) {
			ret->times[TIME_TOTAL] = proxy_seconds(value);
		} else if (str_glob(STR("urt|upstream_response_time"), key)) {
			ret->server_ms = proxy_seconds(value);
			ret->waits = value;
		} else if (str_glob(STR("bytes|size|bytes_sent|body_bytes_sent"), key)) {
			(void)str_take(&value, STR("\""));
			(void)str_u64(&value, &ret->bytes);
		} else if (str_glob(STR("ua|ups|upstream|upstream_addr"), key)) {
			(void)str_take(&value, STR("\""));
			value = str_sub(value, 0, str_find_char(value, '"'));
			ret->peers = str_find_char(value, ':') < value.len ? value : STR_NONE;
			if (!str_eq(key, STR("ups")) && str_find_char(value, ',') == value.len)
				ret->backend = value;
		}
	}
	if (header >= ret->times[TIME_CONNECT] && ret->times[TIME_CONNECT] >= 0)
		ret->times[TIME_ANSWER] = header - ret->times[TIME_CONNECT];
	is_any |= ret->times[TIME_TOTAL] >= 0 && (ret->server_ms >= 0 || ret->peers.len);
	return is_any && ret->backend.len > 0;
}

/* Parse a request of HAProxy. False: @text is another message. */
static bool proxy_line(struct str text, struct proxy_line *ret)
{
	struct str before = STR_NONE;
	struct str word;
	int64_t status, connections[5], queues[2];
	size_t n = 0;

	while (n++ < PROXY_WORDS && str_word(&text, &word) &&
	       !(str_find_char(before, '/') < before.len &&
		 proxy_numbers(word, PROXY_TIMES, ret->times)))
		before = word;
	if (n > PROXY_WORDS || !str_word(&text, &word) || !proxy_numbers(word, 1, &status))
		return false;
	ret->backend = str_sub(before, 0, str_find_char(before, '/'));
	ret->is_nginx = false;
	ret->bytes = 0;
	ret->server_ms = 0;
	for (size_t i = TIME_QUEUE; i < TIME_TOTAL; i++) {
		if (ret->times[i] < 0)
			ret->server_ms = -1;
		else if (ret->server_ms >= 0)
			ret->server_ms += ret->times[i];
	}
	/* the next four words of the record are: bytes, two cookies, state */
	for (size_t i = 0; i < 4; i++) {
		if (!str_word(&text, &word))
			return false;
		if (i == 0) {
			struct str bytes = word;

			(void)str_take(&bytes, STR("+"));
			(void)str_u64(&bytes, &ret->bytes);
		}
	}
	/*
	 * old versions of HAProxy include the wait for the request in the total time: subtract it
	 */
	if (ret->times[0] > 0 && ret->times[TIME_TOTAL] >= ret->times[0])
		ret->times[TIME_TOTAL] -= ret->times[0];
	/*
	 * after a switch of protocols (101), the client and the server end the connection when they
	 * like: the server's time is then no measure
	 */
	if (status == 101)
		ret->server_ms = -1;
	if (word.len != 4)
		return false;
	memcpy(ret->state, word.p, sizeof(ret->state));
	if (!str_word(&text, &word) || !proxy_numbers(word, 5, connections) ||
	    !str_word(&text, &word) || !proxy_numbers(word, 2, queues) || connections[3] < 0 ||
	    queues[0] < 0 || queues[1] < 0)
		return false;
	ret->server = (uint64_t)connections[3];
	ret->queues = (uint64_t)(queues[0] + queues[1]);
	return ret->backend.len > 0;
}

static uint32_t proxy_backend(struct proxy_requests *p, struct str name)
{
	for (uint32_t i = 0; i < p->backends.len; i++) {
		if (str_eq(p->backends.data[i].name, name))
			return i;
	}
	if (p->backends.len == PROXY_BACKENDS)
		return INDEX_NONE;
	*VEC_PUSH(&p->backends) = (struct proxy_backend){ .name = name };
	return (uint32_t)p->backends.len - 1;
}

static void proxy_end(struct proxy_requests *p, uint32_t backend, const char *state,
		      uint32_t record)
{
	VEC_FOREACH (e, &p->ends) {
		if (e->backend == backend && memcmp(e->state, state, sizeof(e->state)) == 0) {
			e->n++;
			return;
		}
	}
	if (p->ends.len == PROXY_ENDS)
		return;
	*VEC_PUSH(&p->ends) =
		(struct proxy_end){ backend, { state[0], state[1] }, .n = 1, .record = record };
}

static void proxy_phase(struct proxy_phase_sum *s, int64_t ms, uint32_t record)
{
	if (ms < 0)
		return;
	if (s->n++ == 0 || (uint64_t)ms > s->slowest_ms) {
		s->slowest_ms = (uint64_t)ms;
		s->slowest = record;
	}
	s->ms += (uint64_t)ms;
}

static void proxy_connect(struct proxy_connects *c, int64_t ms, uint32_t record)
{
	static const int64_t sent[] = { 1000, 3000, 7000 };
	bool is_resent = false;

	if (ms < 0)
		return;
	for (size_t i = 0; i < ARRAY_LEN(sent); i++)
		is_resent |= ms >= sent[i] && ms < sent[i] + PROXY_RESENT_MS;
	c->quick += ms < PROXY_QUICK_MS;
	c->resent += is_resent;
	c->slow += ms >= PROXY_QUICK_MS && !is_resent;
	if (is_resent && (uint64_t)ms > c->longest_ms) {
		c->longest_ms = (uint64_t)ms;
		c->record = record;
	}
}

/*
 * The time in which the request had a connection to the server: the total time minus the time in
 * the queue.
 */
static uint64_t proxy_held(const struct proxy_line *l)
{
	int64_t queue = l->times[TIME_QUEUE] > 0 ? l->times[TIME_QUEUE] : 0;

	return l->times[TIME_TOTAL] > queue ? (uint64_t)(l->times[TIME_TOTAL] - queue) : 0;
}

static void proxy_add(struct proxy_requests *p, const struct proxy_line *l, uint32_t record)
{
	uint32_t at = proxy_backend(p, l->backend);
	struct proxy_backend *b;

	if (at == INDEX_NONE)
		return;
	b = &p->backends.data[at];
	p->n++;
	if (b->n++ == 0)
		b->is_nginx = l->is_nginx;
	if (l->times[TIME_TOTAL] >= 0 && l->server_ms >= 0)
		*VEC_PUSH(&p->transfers) = (struct proxy_transfer){
			.record = record,
			.is_nginx = l->is_nginx,
			.backend = at,
			.total_ms = (uint64_t)l->times[TIME_TOTAL],
			.held_ms = proxy_held(l),
			.server_ms = (uint64_t)l->server_ms,
			.bytes = l->bytes,
		};
	for (size_t i = 0; i < PROXY_PHASES; i++)
		proxy_phase(&b->phases[i], l->times[TIME_QUEUE + i], record);
	proxy_connect(&b->connects, l->times[TIME_CONNECT], record);
	if (l->state[0])
		proxy_end(p, at, l->state, record);
	/*
	 * the remaining members are about requests that waited in a queue and then got a connection
	 */
	if (l->times[TIME_QUEUE] <= 0 || l->times[TIME_CONNECT] < 0)
		return;
	if (b->queued++ == 0 || l->server < b->server_least)
		b->server_least = l->server;
	b->server_most = l->server > b->server_most ? l->server : b->server_most;
	b->queue_most = l->queues > b->queue_most ? l->queues : b->queue_most;
}

/*
 * Take the next item of a list. Items are separated by commas; nginx prints " : " between the lists
 * of redirections.
 */
static struct str proxy_item(struct str *list)
{
	size_t at = str_find_char(*list, ',');
	struct str item = str_trim(str_sub(*list, 0, at));

	*list = str_skip(*list, at + 1);
	return str_sub(item, 0, str_find(item, STR(" : ")));
}

static struct proxy_peer *proxy_peer(struct proxy_requests *p, struct str name)
{
	VEC_FOREACH (peer, &p->peers) {
		if (str_eq(peer->name, name))
			return peer;
	}
	if (p->peers.len == PROXY_PEERS || name.len == 0)
		return NULL;
	*VEC_PUSH(&p->peers) = (struct proxy_peer){ .name = name };
	return &p->peers.data[p->peers.len - 1];
}

/* Count the tries of a request at the servers of an upstream. */
static void proxy_tries(struct proxy_requests *p, const struct proxy_line *l, uint32_t record)
{
	struct str peers = l->peers, waits = l->waits;

	(void)str_take(&waits, STR("\""));
	waits = str_sub(waits, 0, str_find_char(waits, '"'));
	while (peers.len) {
		struct proxy_peer *peer = proxy_peer(p, proxy_item(&peers));
		int64_t ms = proxy_seconds(proxy_item(&waits));

		if (!peer)
			continue;
		peer->tries++;
		if (peers.len == 0)
			continue;
		if (peer->failed++ == 0 || ms > (int64_t)peer->longest_ms)
			peer->record = record;
		peer->lost_ms += ms > 0 ? (uint64_t)ms : 0;
		peer->longest_ms = ms > (int64_t)peer->longest_ms ? (uint64_t)ms : peer->longest_ms;
	}
}

void proxy_requests_init(struct proxy_requests *p, const struct capture *c)
{
	memset(p, 0, sizeof(*p));
	if (!c->records)
		return;
	for (uint32_t i = 0; i < c->records->rows.len && (p->n || i < PROXY_TRIES); i++) {
		struct proxy_line l;

		if (!proxy_line(c->records->rows.data[i].text, &l) &&
		    !proxy_keys(c->records->rows.data[i].text, &l))
			continue;
		proxy_add(p, &l, i);
		if (l.is_nginx)
			proxy_tries(p, &l, i);
	}
}

void proxy_requests_fini(struct proxy_requests *p)
{
	VEC_FREE(&p->backends);
	VEC_FREE(&p->peers);
	VEC_FREE(&p->transfers);
	VEC_FREE(&p->ends);
}
