/* SPDX-License-Identifier: MIT */
/*
 * packet_dump.c - the lines that tcpdump prints for TCP and DNS, added up by server
 *
 * The server of a connection is the side that gets the first SYN. Without a SYN, it is the side
 * with the smaller port. A wait for an answer begins with a segment of the client that has data. It
 * ends with the next data of the server.
 *
 * A segment is "sent again" if its bytes were in an earlier segment of the dump. It is also "sent
 * again" if it fills a hole (missing bytes) that is older than PACKET_REORDER_NS. A younger hole
 * usually means that the network changed the order of segments.
 *
 * An ACK is late if it took PACKET_LATE_NS to PACKET_LATEST_NS, although at most PACKET_OUT
 * segments were in flight. A segment was "held back" if it is sent directly after a late ACK:
 * Nagle's algorithm in the sender waited for the ACK, and the receiver delayed the ACK (by 40 ms to
 * 200 ms). But over a long distance, all ACKs are late. So held segments are counted only if each
 * of their ACKs took at least PACKET_LATE_NS longer than the fastest ACK or answer in this
 * direction.
 *
 * With -i any, tcpdump prints a packet once for each interface. If the same packet occurs again
 * within PACKET_REORDER_NS, it is counted once, because no sender repeats a packet so soon.
 *
 * Sources: tcpdump(1); print-tcp.c: sequence numbers are relative after the first segment of each
 * direction; RFC 9293; RFC 1122, 4.2.3.2 (delayed ACK) and 4.2.3.4 (Nagle's algorithm).
 */
#include "base/idmap.h"
#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "formats/counters/counter_label.h"
#include "formats/format.h"
#include "formats/listings/packet_line.h"

#include <stdio.h>

DECLARE_FORMAT(packet_dump);

#define PACKET_GAP        3u
#define PACKET_LEAST      3u
#define PACKET_SCORE      99u
#define PACKET_HOLES      4u
#define PACKET_REORDER_NS UINT64_C(3000000)
#define PACKET_LATE_NS    UINT64_C(30000000)
#define PACKET_LATEST_NS  UINT64_C(500000000)
#define PACKET_SOON_NS    UINT64_C(2000000)
#define PACKET_OUT        3u
#define PACKET_KEY        96u
#define PACKET_TOOL       "tcpdump"

static const struct diag_kind packet_others = { "packet-dump-others", DIAG_INFO,
						"lines of tcpdump about other protocols" };
static const struct diag_kind packet_skipped = { "packet-dump-skipped", DIAG_DATALOSS,
						 "lines that are no packet" };
static const struct diag_kind packet_past = { "packet-dump-past-limit", DIAG_DATALOSS,
					      "packets of connections past the limit" };

struct packet_hole {
	uint64_t from, to; /* sequence numbers of the missing bytes, [from, to) */
	uint64_t ns;       /* time at which the bytes were first found missing */
};

/* One direction of a connection: the data that one side sends. */
struct packet_side {
	/* a sequence number of this side was read, so its next sequence numbers are relative */
	bool is_known;
	uint64_t highest;    /* sequence number after the last byte sent so far */
	uint64_t highest_ns; /* time of the segment with the byte before `highest` */
	struct packet_hole holes[PACKET_HOLES];
	unsigned int n_holes;
	uint64_t full_ns; /* time at which the receiver of this data announced a window of 0 */
	bool is_full;
	/* number of segments with data since the other side last sent an ACK or data */
	unsigned int n_out;
	uint64_t out_ns;     /* time of the last segment counted in n_out */
	uint64_t late_ns;    /* how long the last ACK took, if it was late; otherwise 0 */
	uint64_t late_at_ns; /* time of the late ACK */
	uint32_t late_line;  /* input line of the late ACK */
	/*
	 * held: number of segments that were held back until a late ACK came; held_ns: total time
	 * that these late ACKs took
	 */
	uint64_t held;
	double held_ns;
	uint64_t fastest_held_ns;
	uint64_t n_acked;    /* number of ACKs and answers for data of this side */
	uint64_t fastest_ns; /* shortest time from sent data to its ACK or answer */
	uint32_t held_line;
};

struct packet_flow {
	struct str ends[2]; /* addresses with ports: [0] client, [1] server */
	uint32_t server;    /* index of the server in packet_reader.servers */
	/* [0] the data that the client sends, [1] the data that the server sends */
	struct packet_side sides[2];
	uint64_t syn_ns, last_syn_ns, syn_seq, asked_ns, first_ns, last_ns;
	uint32_t syn_line, asked_line;
	unsigned int n_syn;
	bool is_answered; /* the SYN was answered */
	bool is_asking;   /* the client sent data, and the server has not answered yet */
	uint64_t id;      /* DNS: id of the last query */
	uint64_t sent_ns; /* DNS: time of the last query */
};

struct packet_server {
	struct str name;
	bool is_dns;
	uint32_t line; /* line of the first packet */
	uint64_t connections, syn_again, unanswered, refused, resets;
	uint64_t data, again, full, answers, handshakes, held;
	double full_ns, open_ns, wait_ns, longest_ns, handshake_ns, held_ns;
	uint32_t syn_line, unanswered_line, refused_line, reset_line, again_line, full_line,
		longest_line, held_line;
};

struct packet_reader {
	struct capture *c;
	VEC(struct packet_flow) flows;
	VEC(struct packet_server) servers;
	struct idmap by_ends, by_server;
};

static uint64_t packet_hash(struct str a, struct str b)
{
	/* the hash must be the same for both directions */
	return hash_u64((uint64_t)str_hash32(a) ^ (uint64_t)str_hash32(b), 43);
}

static uint32_t packet_server_of(struct packet_reader *r, struct str name, bool is_dns,
				 uint32_t line)
{
	struct idmap_probe p = idmap_first(&r->by_server, hash_u64(str_hash32(name), 44));
	uint32_t id = (uint32_t)r->servers.len;

	while (idmap_next(&r->by_server, &p)) {
		if (str_eq(r->servers.data[p.id].name, name))
			return p.id;
	}
	idmap_insert(&r->by_server, &p, id);
	*VEC_PUSH(&r->servers) =
		(struct packet_server){ .name = name, .is_dns = is_dns, .line = line };
	return id;
}

/* Whether @to is the server of a packet from @from, according to the ports. */
static bool packet_to_server(struct str from, struct str to)
{
	struct str a = str_skip(from, packet_line_port(from) + 1);
	struct str b = str_skip(to, packet_line_port(to) + 1);
	uint64_t x, y;
	bool has_x = str_u64(&a, &x) && a.len == 0, has_y = str_u64(&b, &y) && b.len == 0;

	/* a port with a name, such as "http", is the port of a server */
	return has_x != has_y ? has_x : !has_x || y <= x;
}

/*
 * The connection of a packet. It is added if it is new. NULL: the limit of connections is reached.
 */
static struct packet_flow *packet_flow_of(struct packet_reader *r, const struct packet_line *l,
					  uint64_t ns, uint32_t line)
{
	struct idmap_probe p = idmap_first(&r->by_ends, packet_hash(l->from, l->to));
	bool to_server = l->kind == PACKET_DNS      ? !l->is_answer
			 : l->is_syn && !l->has_ack ? true
			 : l->is_syn                ? false
						    : packet_to_server(l->from, l->to);
	struct packet_flow *f;

	while (idmap_next(&r->by_ends, &p)) {
		f = &r->flows.data[p.id];
		if ((str_eq(f->ends[0], l->from) && str_eq(f->ends[1], l->to)) ||
		    (str_eq(f->ends[1], l->from) && str_eq(f->ends[0], l->to)))
			return f;
	}
	if (r->flows.len >= LIMIT_ROWS)
		return NULL;
	idmap_insert(&r->by_ends, &p, (uint32_t)r->flows.len);
	f = VEC_PUSH(&r->flows);
	*f = (struct packet_flow){ .ends = { to_server ? l->from : l->to,
					     to_server ? l->to : l->from },
				   .first_ns = ns,
				   .last_ns = ns };
	f->server = packet_server_of(r, f->ends[1], l->kind == PACKET_DNS, line);
	r->servers.data[f->server].connections += l->kind == PACKET_TCP;
	return f;
}

/*
 * Remove the bytes of @l from the holes (missing bytes) of @s. True: @l fills an old hole, so the
 * segment was sent again. *@ret_is_young: it fills a young hole.
 */
static bool packet_fills(struct packet_side *s, const struct packet_line *l, uint64_t ns,
			 bool *ret_is_young)
{
	for (unsigned int i = 0; i < s->n_holes; i++) {
		struct packet_hole *h = &s->holes[i];
		bool is_old = ns >= h->ns + PACKET_REORDER_NS;

		if (l->seq >= h->to || l->end <= h->from)
			continue;
		*ret_is_young = !is_old;
		if (l->end >= h->to)
			h->to = l->seq > h->from ? l->seq : h->from;
		else
			h->from = l->end;
		if (h->from >= h->to)
			*h = s->holes[--s->n_holes];
		return is_old;
	}
	return false;
}

/* Whether the segment was already printed, for another interface. */
static bool packet_is_copy(const struct packet_side *s, const struct packet_line *l, uint64_t ns)
{
	return s->is_known && l->has_seq && l->end == s->highest && s->highest_ns &&
	       ns < s->highest_ns + PACKET_REORDER_NS;
}

/* Update @s for a segment with data. True: the segment was sent again. */
static bool packet_is_again(struct packet_side *s, const struct packet_line *l, uint64_t ns)
{
	bool is_young = false;

	if (!s->is_known || !l->has_seq) {
		s->is_known = l->has_seq;
		/*
		 * do not store this sequence number: it may be absolute, while the next ones are
		 * relative
		 */
		s->highest = 0;
		return false;
	}
	if (l->seq >= s->highest) {
		if (l->seq > s->highest && s->highest && s->n_holes < PACKET_HOLES)
			s->holes[s->n_holes++] = (struct packet_hole){ s->highest, l->seq, ns };
		s->highest = l->end;
		s->highest_ns = ns;
		return false;
	}
	if (packet_fills(s, l, ns, &is_young))
		return true;
	if (l->end > s->highest)
		s->highest = l->end;
	/* a keep-alive probe repeats the last byte of a quiet connection */
	return !is_young && !(l->length <= 1 && l->end == s->highest);
}

/* Add the held segments of a direction to its server. */
static void packet_side_end(struct packet_server *v, const struct packet_side *s)
{
	/* if all ACKs take this long, the distance is the reason, and no segment was held back */
	if (s->held && s->fastest_held_ns >= s->fastest_ns + PACKET_LATE_NS) {
		v->held += s->held;
		v->held_ns += s->held_ns;
		v->held_line = v->held_line ? v->held_line : s->held_line;
	}
}

/* Reset a direction at the start of its connection. */
static void packet_side_begin(struct packet_server *v, struct packet_side *s)
{
	packet_side_end(v, s);
	*s = (struct packet_side){ .is_known = true, .highest = 1 };
}

static void packet_syn(struct packet_server *v, struct packet_flow *f, const struct packet_line *l,
		       uint64_t ns, uint32_t line)
{
	if (l->has_ack) {
		/*
		 * Measure the handshake only if no SYN was lost. With a lost SYN, the time is more
		 * than a round trip.
		 */
		if (f->n_syn == 1 && !f->is_answered) {
			v->handshakes++;
			v->handshake_ns += ns >= f->syn_ns ? (double)(ns - f->syn_ns) : 0;
		}
		f->is_answered = true;
		packet_side_begin(v, &f->sides[1]);
		return;
	}
	if (f->n_syn && l->seq == f->syn_seq && ns < f->last_syn_ns + PACKET_REORDER_NS)
		return; /* the same SYN, printed for another interface */
	f->last_syn_ns = ns;
	/*
	 * A SYN with a new sequence number begins a new connection on the same ports. The same
	 * number again means that the answer to the SYN was lost.
	 */
	if (f->is_answered && f->n_syn && l->seq != f->syn_seq) {
		v->connections++;
		f->n_syn = 0;
		f->is_answered = f->is_asking = false;
	}
	if (f->n_syn++ == 0) {
		f->syn_ns = ns;
		f->syn_seq = l->seq;
		f->syn_line = line;
	} else {
		v->syn_again++;
		v->syn_line = v->syn_line ? v->syn_line : line;
	}
	packet_side_begin(v, &f->sides[0]);
}

static void packet_reset(struct packet_server *v, struct packet_flow *f, bool is_server,
			 uint32_t line)
{
	if (is_server && f->n_syn && !f->is_answered) {
		v->refused++;
		v->refused_line = v->refused_line ? v->refused_line : line;
		f->is_answered = true;
		f->n_syn = 0;
		return;
	}
	v->resets++;
	v->reset_line = v->reset_line ? v->reset_line : line;
	f->is_asking = false;
}

/*
 * Update @s for the receive window that @l announces. @s: the direction whose data this window
 * limits.
 */
static void packet_window(struct packet_server *v, struct packet_side *s,
			  const struct packet_line *l, uint64_t ns, uint32_t line)
{
	if (l->window == 0) {
		v->full++;
		v->full_line = v->full_line ? v->full_line : line;
		s->full_ns = s->is_full ? s->full_ns : ns;
		s->is_full = true;
	} else if (s->is_full) {
		v->full_ns += ns >= s->full_ns ? (double)(ns - s->full_ns) : 0;
		s->is_full = false;
	}
}

static void packet_answer(struct packet_server *v, struct packet_flow *f, uint64_t ns,
			  uint32_t line)
{
	double wait = ns >= f->asked_ns ? (double)(ns - f->asked_ns) : 0;

	v->answers++;
	v->wait_ns += wait;
	if (wait >= v->longest_ns) {
		v->longest_ns = wait;
		v->longest_line = line;
	}
	f->is_asking = false;
}

/*
 * Handle an acknowledgement, at time @ns, of data of @s. Returns the time since the data was sent.
 */
static uint64_t packet_acked(struct packet_side *s, uint64_t ns)
{
	uint64_t took = ns >= s->out_ns ? ns - s->out_ns : 0;

	if (s->n_out && (s->n_acked++ == 0 || took < s->fastest_ns))
		s->fastest_ns = took;
	return took;
}

/* Handle an ACK without data. @s: the other side, which sent the acknowledged data. */
static void packet_ack(struct packet_side *s, uint64_t ns, uint32_t line)
{
	uint64_t took = packet_acked(s, ns);

	s->late_ns = 0;
	if (s->n_out && s->n_out <= PACKET_OUT && took >= PACKET_LATE_NS &&
	    took <= PACKET_LATEST_NS) {
		s->late_ns = took;
		s->late_at_ns = ns;
		s->late_line = line;
	}
	s->n_out = 0;
}

/* Handle a new segment with data from @s, and count it if it was held back until a late ACK. */
static void packet_held(struct packet_side *s, struct packet_side *other, uint64_t ns)
{
	if (s->late_ns && ns >= s->late_at_ns && ns - s->late_at_ns <= PACKET_SOON_NS) {
		if (s->held++ == 0)
			s->held_line = s->late_line;
		s->held_ns += (double)s->late_ns;
		if (s->fastest_held_ns == 0 || s->late_ns < s->fastest_held_ns)
			s->fastest_held_ns = s->late_ns;
	}
	s->late_ns = other->late_ns = 0;
	s->n_out++;
	s->out_ns = ns;
	(void)packet_acked(other, ns);
	other->n_out = 0;
}

static void packet_data(struct packet_server *v, struct packet_flow *f, const struct packet_line *l,
			bool is_server, uint64_t ns, uint32_t line)
{
	if (packet_is_copy(&f->sides[is_server], l, ns))
		return;
	v->data++;
	if (packet_is_again(&f->sides[is_server], l, ns)) {
		/* a probe of a zero window repeats data on purpose */
		if (f->sides[is_server].is_full)
			return;
		v->again++;
		v->again_line = v->again_line ? v->again_line : line;
		/*
		 * After a loss, the congestion window also holds segments back. So the next segment
		 * must not count as held.
		 */
		f->sides[is_server].n_out = PACKET_OUT + 1;
		return;
	}
	packet_held(&f->sides[is_server], &f->sides[!is_server], ns);
	if (!is_server) {
		f->is_asking = true;
		f->asked_ns = ns;
		f->asked_line = line;
	} else if (f->is_asking) {
		packet_answer(v, f, ns, line);
	}
}

static void packet_tcp(struct packet_server *v, struct packet_flow *f, const struct packet_line *l,
		       uint64_t ns, uint32_t line)
{
	bool is_server = str_eq(l->from, f->ends[1]);

	if (l->is_syn) {
		packet_syn(v, f, l, ns, line);
		return;
	}
	if (l->is_rst) {
		packet_reset(v, f, is_server, line);
		return;
	}
	packet_window(v, &f->sides[!is_server], l, ns, line);
	if (l->length)
		packet_data(v, f, l, is_server, ns, line);
	else if (l->has_ack && !l->is_fin)
		packet_ack(&f->sides[!is_server], ns, line);
}

static void packet_dns(struct packet_server *v, struct packet_flow *f, const struct packet_line *l,
		       uint64_t ns, uint32_t line)
{
	if (l->is_answer) {
		if (f->is_asking && f->id == l->id)
			packet_answer(v, f, ns, line);
		return;
	}
	if (f->is_asking && f->id == l->id && ns < f->sent_ns + PACKET_REORDER_NS)
		return; /* the same packet, printed for another interface */
	f->sent_ns = ns;
	v->data++;
	if (f->is_asking && f->id == l->id) {
		v->again++;
		v->again_line = v->again_line ? v->again_line : line;
		return; /* the wait began with the first copy of this query */
	}
	if (f->is_asking) {
		v->unanswered++;
		v->unanswered_line = v->unanswered_line ? v->unanswered_line : f->asked_line;
	}
	f->is_asking = true;
	f->id = l->id;
	f->asked_ns = ns;
	f->asked_line = line;
}

static void packet_take(struct packet_reader *r, const struct packet_line *l, uint64_t ns,
			uint32_t line)
{
	struct packet_flow *f;

	if (l->kind == PACKET_OTHER) {
		diag_count(&r->c->diag, &packet_others, line);
		return;
	}
	f = packet_flow_of(r, l, ns, line);
	if (!f) {
		diag_count(&r->c->diag, &packet_past, line);
		return;
	}
	f->last_ns = ns > f->last_ns ? ns : f->last_ns;
	if (l->kind == PACKET_DNS)
		packet_dns(&r->servers.data[f->server], f, l, ns, line);
	else
		packet_tcp(&r->servers.data[f->server], f, l, ns, line);
}

/* At the end of the dump, count the waits and connections that are still open. */
static void packet_end(struct packet_reader *r)
{
	VEC_FOREACH (f, &r->flows) {
		struct packet_server *v = &r->servers.data[f->server];

		v->open_ns += (double)(f->last_ns - f->first_ns);
		for (size_t i = 0; i < ARRAY_LEN(f->sides); i++) {
			struct packet_side *s = &f->sides[i];

			if (s->is_full && f->last_ns > s->full_ns)
				v->full_ns += (double)(f->last_ns - s->full_ns);
			packet_side_end(v, s);
		}
		if (v->is_dns ? f->is_asking : f->n_syn > 1 && !f->is_answered) {
			v->unanswered++;
			if (!v->unanswered_line)
				v->unanswered_line = v->is_dns ? f->asked_line : f->syn_line;
		}
	}
}

static void packet_add(struct packet_reader *r, str_id key, const char *name, const char *unit,
		       double value, uint32_t line)
{
	struct strings *strings = capture_strings(r->c);
	bool is_time = *unit != '\0';

	if (counters_add(capture_counters(r->c), strings,
			 (struct counter){
				 .name = strings_add(strings, str_of(name)),
				 .unit = is_time ? strings_add(strings, str_of(unit)) : STR_ID_NONE,
				 .key = key,
				 .value = (int64_t)((is_time ? value / 1e3 : value) + 0.5),
				 .decimals = is_time ? 3 : 0,
				 .spread = -1,
				 .running = -1,
				 .line = line }) < 0)
		diag_count(&r->c->diag, &packet_past, line);
}

/*
 * Sum of the waits for answers, minus one round trip for each wait, in ns. The mean time of the
 * handshakes is used as round trip. This is right on both sides: in a dump at the client,
 * handshakes and waits include a round trip; in a dump at the server, neither does.
 */
static double packet_beyond(const struct packet_server *v)
{
	double trip = v->handshake_ns / (double)v->handshakes;
	double beyond = v->wait_ns - (double)v->answers * trip;

	return beyond > 0 ? beyond : 0;
}

/* Write the counters of a server. Rare counters are omitted if they are 0. */
static void packet_write(struct packet_reader *r, const struct packet_server *v)
{
	struct strings *strings = capture_strings(r->c);
	size_t dot = packet_line_port(v->name);
	char text[PACKET_KEY];
	struct str port = str_skip(v->name, dot + 1);
	int n = snprintf(text, sizeof(text), STR_FMT "%s" STR_FMT,
			 STR_ARG(str_sub(v->name, 0, dot)), port.len ? ":" : "", STR_ARG(port));
	str_id key = strings_add(
		strings, (struct str){ text, n > 0 && (size_t)n < sizeof(text) ? (size_t)n : 0 });

	if (!v->is_dns)
		packet_add(r, key, "connections", "", (double)v->connections, v->line);
	if (v->handshakes)
		packet_add(r, key, "handshake", "ms", v->handshake_ns / (double)v->handshakes,
			   v->line);
	if (!v->is_dns) {
		packet_add(r, key, "SYN sent again", "", (double)v->syn_again,
			   v->syn_again ? v->syn_line : v->line);
		packet_add(r, key, "refused", "", (double)v->refused,
			   v->refused ? v->refused_line : v->line);
	}
	if (v->unanswered)
		packet_add(r, key, v->is_dns ? "queries without answer" : "SYN without answer", "",
			   (double)v->unanswered, v->unanswered_line);
	if (v->resets)
		packet_add(r, key, "resets", "", (double)v->resets, v->reset_line);
	packet_add(r, key, v->is_dns ? "queries" : "data packets", "", (double)v->data, v->line);
	packet_add(r, key, v->is_dns ? "queries sent again" : "sent again", "", (double)v->again,
		   v->again ? v->again_line : v->line);
	if (v->full)
		packet_add(r, key, "zero windows", "", (double)v->full, v->full_line);
	if (!v->is_dns)
		packet_add(r, key, "stalled", "ms", v->full_ns, v->full ? v->full_line : v->line);
	if (v->held)
		packet_add(r, key, "held back", "", (double)v->held, v->held_line);
	if (!v->is_dns)
		packet_add(r, key, "waits for a late ACK", "ms", v->held_ns,
			   v->held ? v->held_line : v->line);
	packet_add(r, key, "open", "ms", v->open_ns, v->line);
	packet_add(r, key, "answers", "", (double)v->answers, v->line);
	packet_add(r, key, "waits for answers", "ms", v->wait_ns,
		   v->answers ? v->longest_line : v->line);
	if (v->handshakes)
		packet_add(r, key, "waits beyond the handshake", "ms", packet_beyond(v),
			   v->answers ? v->longest_line : v->line);
	packet_add(r, key, "longest wait", "ms", v->longest_ns,
		   v->answers ? v->longest_line : v->line);
}

static bool packet_dump_find(struct str text, size_t from, struct extent *ret)
{
	struct str rest = str_skip(text, from);
	unsigned int n = 0, others = 0;
	bool is_head = false;
	struct str line;

	for (size_t at = from; str_line(&rest, &line); at = text.len - rest.len) {
		struct packet_line l;

		packet_line_parse(line, &l);
		/*
		 * with tcpdump -v, the second line of a packet has no time; accept it only after
		 * the first line of the packet (PACKET_HEAD)
		 */
		if (l.kind != PACKET_NONE && !l.has_time && !is_head && str_trim(line).len)
			l.kind = PACKET_NONE;
		is_head = l.kind == PACKET_HEAD || (is_head && l.kind == PACKET_NONE);
		if (l.kind == PACKET_NONE) {
			if (n && ++others > PACKET_GAP) {
				if (n >= PACKET_LEAST)
					return true;
				n = 0;
			}
			continue;
		}
		if (n == 0)
			*ret = (struct extent){ .from = at, .score = PACKET_SCORE };
		n += l.kind == PACKET_TCP || l.kind == PACKET_DNS;
		if (n == 0)
			continue;
		others = 0;
		ret->to = text.len - rest.len;
	}
	return n >= PACKET_LEAST;
}

static unsigned int packet_dump_probe(struct str head)
{
	struct extent e;

	return packet_dump_find(head, 0, &e) ? 85 : 0;
}

/*
 * Whether the times of @text count from the previous packet (-ttt). Such times do not form a time
 * series.
 */
static bool packet_is_since_last(struct str text)
{
	uint64_t last = 0;
	struct str line;

	while (str_line(&text, &line)) {
		struct packet_line l;

		packet_line_parse(line, &l);
		if (!l.has_time)
			continue;
		if (!l.is_relative)
			return false;
		if (l.ns < last)
			return true;
		last = l.ns;
	}
	return false;
}

static int packet_dump_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct packet_reader r = { .c = format_add_capture(&format_packet_dump, in, d) };
	struct str text = in->text;
	bool is_since_last = packet_is_since_last(text);
	uint64_t ns = 0;
	struct str line;

	for (uint32_t n = 0; str_line(&text, &line); n++) {
		struct packet_line l;

		packet_line_parse(line, &l);
		if (l.has_time)
			ns = is_since_last ? ns + l.ns : l.ns;
		if (l.kind == PACKET_TCP || l.kind == PACKET_DNS || l.kind == PACKET_OTHER)
			packet_take(&r, &l, ns, region_line(in, n));
		else if (l.kind == PACKET_NONE && str_trim(line).len)
			diag_count(&r.c->diag, &packet_skipped, region_line(in, n));
	}
	packet_end(&r);
	VEC_FOREACH (v, &r.servers)
		packet_write(&r, v);
	VEC_FREE(&r.flows);
	VEC_FREE(&r.servers);
	idmap_fini(&r.by_ends);
	idmap_fini(&r.by_server);
	if (!r.c->counters)
		return fail(err, ERR_FORMAT, "no packet of TCP or DNS");
	r.c->counters->n_intervals = 1;
	r.c->counters->tool = strings_add(capture_strings(r.c), STR(PACKET_TOOL));
	r.c->counters->label = strings_add(capture_strings(r.c), counter_label(in));
	return OK;
}

const struct format format_packet_dump = {
	.name = "packet-dump",
	.title = "packets",
	.summary = "lines of tcpdump: TCP and DNS, added up by server",
	.kinds = KIND_COUNTERS,
	.probe = packet_dump_probe,
	.find = packet_dump_find,
	.read = packet_dump_read,
};
