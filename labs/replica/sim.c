/* SPDX-License-Identifier: MIT */
/*
 * sim - simulate Viewstamped Replication under faults
 *
 *   lab-replica-sim [--schedules N] [--seed S] [--bug NAME] [--first] [--verbose]
 *   lab-replica-sim --bugs     the names for --bug, and what the defect is
 *
 * Each schedule is a run of 3 or 5 replicas and some clients in simulated time, which its seed
 * determines. First it draws the kinds of faults that it has (enum sim_fault): with all kinds in
 * each schedule, some of them would hide others. At most f replicas are down or recovering at once,
 * as the protocol requires. At the end all faults are healed, and every request must be answered.
 *
 * Checked: the history of the clients is linearizable (check.h); whenever two replicas have
 * executed equally many entries, these are the same; no log contradicts what its replica executed;
 * all requests were answered in the end.
 *
 * --first ends at the first violation.
 *
 * Exit status: 0 if there was no violation, or with --bug if there was one, because the defect was
 * detected; otherwise 1; 2 after a usage error.
 */
#include "lib/work.h"
#include "replica/check.h"
#include "replica/vr.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIM_CLIENTS_MAX  6u
#define SIM_REQUESTS_MAX 40u
#define SIM_MS           1000000u
#define SIM_FAULTS_MS    4000u /* simulated time in ms at which faults stop */
#define SIM_END_MS       20000u
#define SIM_CLIENT_MS    120u /* interval in ms after which a client repeats a request */
#define SIM_GHOSTS_MAX   8u
#define SIM_OPS_MAX      4096u /* op-numbers whose digests are compared */

/* Kinds of faults. */
enum sim_fault {
	SIM_LOSS = 1 << 0,
	SIM_DOUBLING = 1 << 1,
	SIM_LATE = 1 << 2,        /* some messages take much longer */
	SIM_HOLD = 1 << 3,        /* many messages of some types take very long */
	SIM_CUT = 1 << 4,         /* a minority is isolated */
	SIM_CUT_ONE_WAY = 1 << 5, /* some replicas do not receive from some others */
	SIM_CRASH = 1 << 6,
	SIM_CRASH_VOTE = 1 << 7, /* crashes right after a message of a view change */
	SIM_CRASH_ACK = 1 << 8,  /* crashes right after a PREPARE_OK */
	SIM_QUICK = 1 << 9,      /* restarts take a few ms */
	SIM_FOCUS = 1 << 10,     /* only one replica crashes */
	/*
	 * the last messages of a replica that crashes arrive when it is back and has entries that
	 * the receiver lacks; or late, or not at all
	 */
	SIM_LAST_WORDS = 1 << 11,
	SIM_EAGER = 1 << 12,     /* replicas suspect the leader early */
	SIM_BAD_LINKS = 1 << 13, /* some connections lose most messages in one direction */
	SIM_ECHO = 1 << 14,      /* answers to an earlier recovery arrive again in the next one */
	/* the leader is isolated when it begins to lead, or when another replica has recovered */
	SIM_AMBUSH = 1 << 15,
	SIM_FAULTS = 1 << 16
};

enum sim_kind { SIM_MESSAGE, SIM_TICK, SIM_CLIENT, SIM_CHAOS, SIM_RESTART };

struct sim_event {
	uint64_t at_ns;
	/*
	 * sequence number of the event: of two events with the same time, the one with the lower
	 * number is processed first
	 */
	uint64_t order;
	enum sim_kind kind;
	uint32_t node;
	/*
	 * for events of a replica: how often the replica had started when the event was created.
	 * After a restart, the replica ignores events with a lower number. For SIM_CLIENT: number
	 * of the request.
	 */
	uint32_t life;
	struct vr_message message;
};

/* One of the last messages of a replica that crashed. */
struct sim_ghost {
	uint64_t until_ns; /* it arrives then at the latest; 0: none */
	uint32_t to;
	struct vr_message message; /* without entries, unless `entries` has them */
};

struct sim_client {
	struct check_op ops[SIM_REQUESTS_MAX];
	uint32_t n_ops; /* requests so far */
	uint32_t leader;
	bool waits;
};

struct sim {
	struct vr_out out; /* must be the first member: callbacks cast it to struct sim */
	uint64_t random;
	uint64_t now_ns;
	uint64_t order;
	struct sim_event **heap;
	size_t n_heap, heap_room;
	struct vr replicas[VR_REPLICAS_MAX];
	bool is_up[VR_REPLICAS_MAX];
	uint32_t life[VR_REPLICAS_MAX];
	uint64_t kept_view[VR_REPLICAS_MAX];
	bool is_cut[VR_REPLICAS_MAX][VR_REPLICAS_MAX]; /* from the first, to the second replica */
	bool is_muttering;                             /* and its messages become ghosts */
	bool has_voted; /* it has sent a message after which it may crash */
	struct sim_ghost ghosts[SIM_GHOSTS_MAX];
	/* the latest answers of the second replica to recoveries of the first; 0: none */
	struct vr_message echoes[VR_REPLICAS_MAX][VR_REPLICAS_MAX];
	bool dies; /* the replica whose callback is running crashes when it returns */
	uint32_t n_replicas, n_clients, n_requests;
	uint32_t self; /* the replica whose callback is running */
	struct sim_client clients[SIM_CLIENTS_MAX];
	unsigned int bugs;
	uint32_t faults; /* enum sim_fault: the kinds that this schedule has */
	/* probabilities in this schedule, in 1/1000 */
	uint32_t loss, doubling, late, hold, die;
	uint32_t link_loss[VR_REPLICAS_MAX][VR_REPLICAS_MAX];
	uint32_t victim;     /* SIM_FOCUS */
	uint32_t held_types; /* bit mask of enum vr_type */
	uint32_t delay_us, hold_ms, chaos_ms;
	/* digests[n]: of the first n executed entries; 0: not yet known */
	uint64_t digests[SIM_OPS_MAX];
	const char *broken; /* what went wrong inside the replicas; NULL: nothing */
	uint64_t crashes, cuts, messages, lost, doubled, views, recoveries, transfers;
};

static uint64_t sim_random(struct sim *s, uint64_t n)
{
	/* splitmix64 */
	uint64_t x = (s->random += 0x9e3779b97f4a7c15u);

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return (x ^ x >> 31) % n;
}

static bool sim_chance(struct sim *s, uint32_t of_1000)
{
	return sim_random(s, 1000) < of_1000;
}

/* Events: a heap, ordered by time ------------------------------------------------------ */

static bool sim_before(const struct sim_event *a, const struct sim_event *b)
{
	return a->at_ns != b->at_ns ? a->at_ns < b->at_ns : a->order < b->order;
}

static void sim_push(struct sim *s, struct sim_event e)
{
	struct sim_event *event = malloc(sizeof(*event));
	size_t i = s->n_heap++;

	if (s->n_heap > s->heap_room) {
		s->heap_room = s->heap_room ? s->heap_room * 2 : 256;
		s->heap = realloc(s->heap, s->heap_room * sizeof(struct sim_event *));
	}
	if (!event || !s->heap)
		abort();
	e.order = s->order++;
	*event = e;
	for (; i && sim_before(event, s->heap[(i - 1) / 2]); i = (i - 1) / 2)
		s->heap[i] = s->heap[(i - 1) / 2];
	s->heap[i] = event;
}

static struct sim_event *sim_pop(struct sim *s)
{
	struct sim_event *top = s->n_heap ? s->heap[0] : NULL;
	struct sim_event *last;
	size_t i = 0;

	if (!top)
		return NULL;
	last = s->heap[--s->n_heap];
	for (;;) {
		size_t child = 2 * i + 1;

		if (child + 1 < s->n_heap && sim_before(s->heap[child + 1], s->heap[child]))
			child++;
		if (child >= s->n_heap || !sim_before(s->heap[child], last))
			break;
		s->heap[i] = s->heap[child];
		i = child;
	}
	if (s->n_heap)
		s->heap[i] = last;
	return top;
}

static void *sim_copy(const void *data, size_t size)
{
	void *copy = malloc(size);

	if (!copy)
		abort();
	memcpy(copy, data, size);
	return copy;
}

static void sim_event_free(struct sim_event *e)
{
	union {
		const void *in;
		void *out;
	} entries = { .in = e->message.entries }, state = { .in = e->message.state };

	free(entries.out);
	free(state.out);
	free(e);
}

/* The network --------------------------------------------------------------------- */

static bool sim_is_faulty(const struct sim *s)
{
	return s->now_ns < SIM_FAULTS_MS * (uint64_t)SIM_MS;
}

/*
 * Whether the network from node @a to node @b is cut. Nodes below VR_REPLICAS_MAX are replicas,
 * others are clients. Clients always reach all replicas.
 */
static bool sim_is_parted(const struct sim *s, uint32_t a, uint32_t b)
{
	return a < VR_REPLICAS_MAX && b < VR_REPLICAS_MAX && s->is_cut[a][b];
}

/* @is_copy: the second copy of a message, which is held like a message of a held type. */
static uint64_t sim_delay_us(struct sim *s, const struct vr_message *m, bool is_copy)
{
	uint64_t delay_us = 50 + sim_random(s, s->delay_us);

	if (!sim_is_faulty(s))
		return delay_us;
	if (sim_chance(s, s->late))
		delay_us += sim_random(s, 600000);
	if ((is_copy || s->held_types >> m->type & 1) && sim_chance(s, s->hold))
		delay_us += sim_random(s, s->hold_ms * 1000u);
	return delay_us;
}

static void sim_push_message(struct sim *s, uint32_t to, const struct vr_message *m, bool is_copy)
{
	struct sim_event e = { .kind = SIM_MESSAGE, .node = to, .message = *m };

	e.at_ns = s->now_ns + sim_delay_us(s, m, is_copy) * 1000;
	e.message.entries = NULL;
	if (m->n_entries)
		e.message.entries = sim_copy(m->entries, m->n_entries * sizeof(*m->entries));
	if (m->state)
		e.message.state = sim_copy(m->state, sizeof(*m->state));
	sim_push(s, e);
}

static bool sim_is_lost(struct sim *s, uint32_t from, uint32_t to)
{
	if (sim_is_parted(s, from, to) || sim_chance(s, s->loss))
		return true;
	return from < VR_REPLICAS_MAX && to < VR_REPLICAS_MAX &&
	       sim_chance(s, s->link_loss[from][to]);
}

static void sim_post(struct sim *s, uint32_t from, uint32_t to, const struct vr_message *m)
{
	uint32_t copies = 1;

	s->messages++;
	if (sim_is_faulty(s)) {
		if (sim_is_lost(s, from, to)) {
			s->lost++;
			return;
		}
		if (sim_chance(s, s->doubling)) {
			copies = 2;
			s->doubled++;
		}
	}
	while (copies--)
		sim_push_message(s, to, m, copies > 0);
}

static void sim_ghost_free(struct sim_ghost *g)
{
	union {
		const void *in;
		void *out;
	} entries = { .in = g->message.entries };

	free(entries.out);
	*g = (struct sim_ghost){ 0 };
}

/* Keep a message of a replica that crashes now. Most are lost: one that arrives stands alone. */
static void sim_ghost_keep(struct sim *s, uint32_t to, const struct vr_message *m)
{
	struct sim_ghost *g = &s->ghosts[sim_random(s, SIM_GHOSTS_MAX)];

	if (m->state || (m->type != VR_DO_VIEW_CHANGE && sim_chance(s, 700)))
		return;
	sim_ghost_free(g);
	g->until_ns = s->now_ns + sim_random(s, s->hold_ms) * SIM_MS * 2;
	g->to = to;
	g->message = *m;
	if (m->n_entries)
		g->message.entries = sim_copy(m->entries, m->n_entries * sizeof(*m->entries));
}

/*
 * Whether it is the worst time for a ghost: its sender goes on in an earlier view, as if it had not
 * voted. A log of the sender (DO_VIEW_CHANGE) does most harm if it is out of date and the receiver
 * has no better one.
 */
static bool sim_ghost_is_due(const struct sim *s, const struct sim_ghost *g)
{
	const struct vr *from = &s->replicas[g->message.from];
	const struct vr *to = &s->replicas[g->to];

	if (!s->is_up[g->message.from] || !s->is_up[g->to] || from->status != VR_NORMAL ||
	    to->status == VR_RECOVERING || from->view >= g->message.view ||
	    to->view > g->message.view)
		return false;
	return g->message.type != VR_DO_VIEW_CHANGE ||
	       (from->state.op > to->log.op && from->state.op > g->message.op);
}

static void sim_ghosts(struct sim *s)
{
	for (size_t i = 0; i < SIM_GHOSTS_MAX; i++) {
		struct sim_ghost *g = &s->ghosts[i];

		if (!g->until_ns || (s->now_ns < g->until_ns && !sim_ghost_is_due(s, g)))
			continue;
		sim_push_message(s, g->to, &g->message, false);
		sim_ghost_free(g);
	}
}

/*
 * Whether the replica that sends @m shall crash right after it. This is decided at the first
 * message in question: those that follow are as much its last ones.
 */
static bool sim_dies(struct sim *s, const struct vr_message *m)
{
	bool is_vote = m->type == VR_START_VIEW_CHANGE || m->type == VR_DO_VIEW_CHANGE ||
		       m->type == VR_START_VIEW;

	if (!sim_is_faulty(s) || s->has_voted || (!is_vote && m->type != VR_PREPARE_OK) ||
	    !(s->faults & (is_vote ? SIM_CRASH_VOTE : SIM_CRASH_ACK)))
		return false;
	s->has_voted = true;
	return sim_chance(s, is_vote ? s->die : s->die / 8);
}

static void sim_send(struct vr_out *out, uint32_t to, const struct vr_message *m)
{
	struct sim *s = (struct sim *)out;

	if (!s->dies && sim_dies(s, m)) {
		s->dies = true;
		s->is_muttering = s->faults & SIM_LAST_WORDS && sim_chance(s, 900);
	}
	if (m->type == VR_RECOVERY_RESPONSE && sim_chance(s, 600))
		s->echoes[to][s->self] = *m;
	if (s->is_muttering)
		sim_ghost_keep(s, to, m);
	else
		sim_post(s, s->self, to, m);
}

static void sim_reply(struct vr_out *out, uint32_t client, const struct vr_message *m)
{
	struct sim *s = (struct sim *)out;

	sim_post(s, s->self, VR_REPLICAS_MAX + client, m);
}

static void sim_keep_view(struct vr_out *out, uint64_t view)
{
	struct sim *s = (struct sim *)out;

	s->kept_view[s->self] = view;
}

static void sim_executed(struct vr_out *out, const struct vr_state *state)
{
	struct sim *s = (struct sim *)out;
	uint64_t *known = &s->digests[state->op < SIM_OPS_MAX ? state->op : 0];

	if (state->op >= SIM_OPS_MAX)
		return;
	if (*known && *known != state->digest)
		s->broken = "replicas executed different things";
	*known = state->digest;
}

static void sim_report(struct vr_out *out, enum vr_trouble trouble)
{
	struct sim *s = (struct sim *)out;

	s->broken = vr_trouble_text(trouble);
}

/* Replicas ------------------------------------------------------------------------ */

static void sim_tick_at(struct sim *s, uint32_t i)
{
	uint64_t at_ns = vr_deadline(&s->replicas[i]);

	sim_push(s, (struct sim_event){ .at_ns = at_ns > s->now_ns ? at_ns : s->now_ns + 1000,
					.kind = SIM_TICK,
					.node = i,
					.life = s->life[i] });
}

static void sim_start(struct sim *s, uint32_t i, bool is_restart)
{
	struct vr_config config = {
		.n_replicas = s->n_replicas,
		.self = i,
		.batch_max = 1 + (uint32_t)sim_random(s, 8),
		.suffix_max = 1 + (uint32_t)sim_random(s, 8),
		.piece_max = 1 + (uint32_t)sim_random(s, 8),
		.checkpoint_every = 1 + sim_random(s, 40),
		.resend_ns = 20 * SIM_MS,
		.suspect_ns = ((s->faults & SIM_EAGER ? 25 : 80) + sim_random(s, 60)) * SIM_MS,
		.bugs = s->bugs
	};

	vr_init(&s->replicas[i], &config, is_restart, s->kept_view[i],
		(uint64_t)i << 32 | ++s->life[i], s->now_ns);
	s->is_up[i] = true;
	for (uint32_t from = 0; is_restart && s->faults & SIM_ECHO && from < s->n_replicas;
	     from++) {
		if (s->echoes[i][from].type && sim_chance(s, 900))
			sim_post(s, from, i, &s->echoes[i][from]);
	}
	sim_tick_at(s, i);
}

static void sim_count(struct sim *s, uint32_t i)
{
	s->views += s->replicas[i].view_changes;
	s->recoveries += s->replicas[i].recoveries;
	s->transfers += s->replicas[i].transfers;
}

static bool sim_may_crash(const struct sim *s)
{
	uint32_t down = 0;

	for (uint32_t i = 0; i < s->n_replicas; i++)
		down += !s->is_up[i] || s->replicas[i].status == VR_RECOVERING;
	return down < (s->n_replicas - 1) / 2;
}

static void sim_crash(struct sim *s, uint32_t i)
{
	sim_count(s, i);
	vr_fini(&s->replicas[i]);
	s->is_up[i] = false;
	s->life[i]++;
	s->crashes++;
	sim_push(s, (struct sim_event){
			    .at_ns = s->now_ns +
				     (1 + sim_random(s, s->faults & SIM_QUICK ? 10 : 300)) * SIM_MS,
			    .kind = SIM_RESTART,
			    .node = i });
}

/* The replica whose callback has returned crashes, if it shall. */
static void sim_crash_if_due(struct sim *s)
{
	if (s->dies && (!(s->faults & SIM_FOCUS) || s->self == s->victim) &&
	    s->replicas[s->self].status != VR_RECOVERING && sim_may_crash(s))
		sim_crash(s, s->self);
	s->dies = false;
	s->is_muttering = false;
	s->has_voted = false;
}

/* Cut a minority off, or some connections in one direction. */
static void sim_cut(struct sim *s)
{
	bool is_one_way =
		s->faults & SIM_CUT_ONE_WAY && (!(s->faults & SIM_CUT) || sim_chance(s, 500));
	bool is_off[VR_REPLICAS_MAX] = { false };
	uint32_t n = 1 + (uint32_t)sim_random(s, (s->n_replicas - 1) / 2);

	memset(s->is_cut, 0, sizeof(s->is_cut));
	if (!(s->faults & (SIM_CUT | SIM_CUT_ONE_WAY)))
		return;
	s->cuts++;
	while (n--)
		is_off[sim_random(s, s->n_replicas)] = true;
	for (uint32_t a = 0; a < s->n_replicas; a++) {
		for (uint32_t b = 0; b < s->n_replicas; b++)
			s->is_cut[a][b] =
				is_one_way ? a != b && sim_chance(s, 300) : is_off[a] != is_off[b];
	}
}

/* Isolate the leader of replica @i's view; of five replicas, sometimes with another one. */
static void sim_isolate_leader(struct sim *s, uint32_t i)
{
	uint32_t leader = vr_leader(&s->replicas[i]);
	uint32_t other = s->n_replicas > 3 ? (uint32_t)sim_random(s, s->n_replicas) : leader;

	s->cuts++;
	for (uint32_t a = 0; a < s->n_replicas; a++) {
		for (uint32_t b = 0; b < s->n_replicas; b++)
			s->is_cut[a][b] =
				(a == leader || a == other) != (b == leader || b == other);
	}
}

/* Replica @i has processed an event; it was in @status before. */
static void sim_ambush(struct sim *s, uint32_t i, enum vr_status status)
{
	const struct vr *r = &s->replicas[i];

	if (!(s->faults & SIM_AMBUSH) || !sim_is_faulty(s) || !s->is_up[i] || status == VR_NORMAL ||
	    r->status != VR_NORMAL)
		return;
	if ((status == VR_RECOVERING || vr_is_leader(r)) && sim_chance(s, 500))
		sim_isolate_leader(s, i);
}

/* Start a fault (a crash or a cut), or end one. */
static void sim_chaos(struct sim *s)
{
	uint32_t i = (uint32_t)sim_random(s, s->n_replicas);

	if (!sim_is_faulty(s)) {
		memset(s->is_cut, 0, sizeof(s->is_cut));
		return;
	}
	if (s->faults & SIM_CRASH && sim_chance(s, 450)) {
		if (s->faults & SIM_FOCUS)
			i = s->victim;
		if (s->is_up[i] && s->replicas[i].status != VR_RECOVERING && sim_may_crash(s))
			sim_crash(s, i);
	} else if (sim_chance(s, 500)) {
		memset(s->is_cut, 0, sizeof(s->is_cut));
	} else {
		sim_cut(s);
	}
	sim_push(s,
		 (struct sim_event){ .at_ns = s->now_ns + (1 + sim_random(s, s->chaos_ms)) * SIM_MS,
				     .kind = SIM_CHAOS });
}

/* Clients ------------------------------------------------------------------------- */

static void sim_ask(struct sim *s, uint32_t c)
{
	struct sim_client *client = &s->clients[c];
	struct vr_message m = { .type = VR_REQUEST, .from = c };

	if (!client->waits) {
		if (client->n_ops == s->n_requests)
			return;
		client->ops[client->n_ops++] = (struct check_op){ .id = { c, client->n_ops },
								  .asked_ns = s->now_ns,
								  .answered_ns = CHECK_NEVER };
		client->ops[client->n_ops - 1].id.number = client->n_ops;
		client->waits = true;
		m.request = client->ops[client->n_ops - 1].id;
		sim_post(s, VR_REPLICAS_MAX + c, client->leader, &m);
	} else {
		/* the client has no answer: send the request to all replicas */
		m.request = client->ops[client->n_ops - 1].id;
		for (uint32_t i = 0; i < s->n_replicas; i++)
			sim_post(s, VR_REPLICAS_MAX + c, i, &m);
	}
	sim_push(s, (struct sim_event){ .at_ns = s->now_ns + SIM_CLIENT_MS * SIM_MS,
					.kind = SIM_CLIENT,
					.node = c,
					.life = client->n_ops });
}

static void sim_answer(struct sim *s, uint32_t c, const struct vr_message *m)
{
	struct sim_client *client = &s->clients[c];
	struct check_op *op = &client->ops[client->n_ops - 1];

	if (!client->waits || m->request.number != op->id.number)
		return;
	op->answered_ns = s->now_ns;
	op->place = m->place;
	op->before = m->before;
	client->leader = m->from;
	client->waits = false;
	sim_push(s, (struct sim_event){ .at_ns = s->now_ns +
						 sim_random(s, 2 * s->chaos_ms + 1) * SIM_MS / 2,
					.kind = SIM_CLIENT,
					.node = c,
					.life = 0 });
}

/* A schedule ---------------------------------------------------------------------- */

static void sim_deliver(struct sim *s, const struct sim_event *e)
{
	enum vr_status status;

	if (e->node >= VR_REPLICAS_MAX) {
		sim_answer(s, e->node - VR_REPLICAS_MAX, &e->message);
		return;
	}
	if (!s->is_up[e->node])
		return;
	s->self = e->node;
	status = s->replicas[e->node].status;
	vr_receive(&s->replicas[e->node], &e->message, s->now_ns, &s->out);
	if (sim_chance(s, 700))
		vr_flush(&s->replicas[e->node], s->now_ns, &s->out);
	sim_crash_if_due(s);
	sim_ambush(s, e->node, status);
}

static void sim_handle(struct sim *s, const struct sim_event *e)
{
	switch (e->kind) {
	case SIM_MESSAGE:
		sim_deliver(s, e);
		break;
	case SIM_TICK:
		if (!s->is_up[e->node] || e->life != s->life[e->node])
			break;
		s->self = e->node;
		vr_tick(&s->replicas[e->node], s->now_ns, &s->out);
		vr_flush(&s->replicas[e->node], s->now_ns, &s->out);
		sim_crash_if_due(s);
		if (s->is_up[e->node])
			sim_tick_at(s, e->node);
		break;
	case SIM_CLIENT:
		/* ignore the timer of a request that was answered */
		if (s->clients[e->node].waits ? e->life == s->clients[e->node].n_ops : e->life == 0)
			sim_ask(s, e->node);
		break;
	case SIM_CHAOS:
		sim_chaos(s);
		break;
	case SIM_RESTART:
		s->self = e->node;
		sim_start(s, e->node, true);
		break;
	}
}

static bool sim_is_done(const struct sim *s)
{
	for (uint32_t c = 0; c < s->n_clients; c++) {
		if (s->clients[c].waits || s->clients[c].n_ops < s->n_requests)
			return false;
	}
	return true;
}

static bool sim_check(struct sim *s, char *why, size_t size)
{
	static struct check_op all[SIM_CLIENTS_MAX * SIM_REQUESTS_MAX];
	size_t n = 0;

	for (uint32_t c = 0; c < s->n_clients; c++) {
		memcpy(all + n, s->clients[c].ops, s->clients[c].n_ops * sizeof(*all));
		n += s->clients[c].n_ops;
	}
	if (!check_history(all, n, why, size))
		return false;
	if (s->broken) {
		snprintf(why, size, "%s", s->broken);
		return false;
	}
	if (!sim_is_done(s)) {
		snprintf(why, size, "all is healed and requests are not answered");
		return false;
	}
	return true;
}

/*
 * Draw the kinds of faults. Half of the schedules have a base that is good at one kind of defect:
 * what is forgotten at a restart, answers to an earlier life, and leaders that come and go.
 */
static void sim_draw_faults(struct sim *s)
{
	static const uint32_t bases[] = {
		SIM_LOSS | SIM_CRASH_VOTE | SIM_QUICK | SIM_LAST_WORDS | SIM_EAGER,
		SIM_CRASH | SIM_QUICK | SIM_FOCUS | SIM_BAD_LINKS | SIM_ECHO | SIM_AMBUSH,
		SIM_CUT | SIM_EAGER | SIM_AMBUSH,
	};
	uint64_t base = sim_random(s, 6);
	uint32_t density = 100u << sim_random(s, 3);

	if (base < 3) {
		s->faults = bases[base];
		density = sim_chance(s, 500) ? 0 : 100;
	}
	for (uint32_t fault = 1; fault < SIM_FAULTS; fault <<= 1)
		s->faults |= sim_chance(s, density) ? fault : 0;
	s->n_replicas = sim_chance(s, base == 2 ? 200 : 850) ? 3 : 5;
}

/* Draw the figures of a schedule. */
static void sim_draw(struct sim *s)
{
	sim_draw_faults(s);
	s->n_clients = 2 + (uint32_t)sim_random(s, SIM_CLIENTS_MAX - 1);
	s->n_requests = 10 + (uint32_t)sim_random(s, SIM_REQUESTS_MAX - 9);
	s->loss = s->faults & SIM_LOSS ? (uint32_t)sim_random(s, 200) : 0;
	s->doubling = s->faults & SIM_DOUBLING ? (uint32_t)sim_random(s, 400) : 0;
	s->late = s->faults & SIM_LATE ? (uint32_t)sim_random(s, 100) : 0;
	s->hold = s->faults & SIM_HOLD ? 100 + (uint32_t)sim_random(s, 850) : 0;
	s->held_types = (uint32_t)sim_random(s, 1u << VR_TYPES);
	s->hold_ms = 50 + (uint32_t)sim_random(s, 2500);
	s->die = sim_chance(s, s->faults & SIM_LAST_WORDS ? 900 : 300)
			 ? 900
			 : 20 + (uint32_t)sim_random(s, 700);
	for (uint32_t i = 0; s->faults & SIM_BAD_LINKS && i < VR_REPLICAS_MAX * VR_REPLICAS_MAX;
	     i++)
		s->link_loss[i / VR_REPLICAS_MAX][i % VR_REPLICAS_MAX] =
			sim_chance(s, 300) ? (uint32_t)sim_random(s, 950) : 0;
	s->victim = (uint32_t)sim_random(s, s->n_replicas);
	s->delay_us = 100 + (uint32_t)sim_random(s, 20000);
	s->chaos_ms = 20 + (uint32_t)sim_random(s, 300);
}

static void sim_begin(struct sim *s, uint64_t seed, unsigned int bugs)
{
	memset(s, 0, sizeof(*s));
	s->out = (struct vr_out){ .send = sim_send,
				  .reply = sim_reply,
				  .keep_view = sim_keep_view,
				  .executed = sim_executed,
				  .report = sim_report };
	s->random = seed * 0x2545f4914f6cdd1du + 1;
	s->bugs = bugs;
	sim_draw(s);
	for (uint32_t i = 0; i < s->n_replicas; i++)
		sim_start(s, i, false);
	for (uint32_t c = 0; c < s->n_clients; c++)
		sim_push(s, (struct sim_event){ .at_ns = sim_random(s, 10 * SIM_MS),
						.kind = SIM_CLIENT,
						.node = c });
	sim_push(s, (struct sim_event){ .at_ns = 30 * SIM_MS, .kind = SIM_CHAOS });
}

static void sim_end(struct sim *s)
{
	struct sim_event *e;

	while ((e = sim_pop(s)) != NULL)
		sim_event_free(e);
	for (size_t i = 0; i < SIM_GHOSTS_MAX; i++)
		sim_ghost_free(&s->ghosts[i]);
	free(s->heap);
	for (uint32_t i = 0; i < s->n_replicas; i++) {
		if (s->is_up[i]) {
			sim_count(s, i);
			vr_fini(&s->replicas[i]);
		}
	}
}

static bool sim_schedule(struct sim *s, uint64_t seed, unsigned int bugs, char *why, size_t size)
{
	struct sim_event *e;
	bool ok;

	sim_begin(s, seed, bugs);
	while ((e = sim_pop(s)) != NULL) {
		s->now_ns = e->at_ns;
		if (!sim_is_faulty(s))
			memset(s->is_cut, 0, sizeof(s->is_cut));
		sim_ghosts(s);
		if (e->at_ns < SIM_END_MS * (uint64_t)SIM_MS)
			sim_handle(s, e);
		sim_event_free(e);
		if (s->now_ns >= SIM_END_MS * (uint64_t)SIM_MS || s->broken ||
		    (sim_is_done(s) && !sim_is_faulty(s)))
			break;
	}
	ok = sim_check(s, why, size);
	sim_end(s);
	return ok;
}

static const struct {
	const char *name;
	unsigned int bug;
	const char *defect;
} sim_bugs[] = {
	{ "none", 0, NULL },
	{ "ack-before-quorum", VR_BUG_ACKS_EARLY,
	  "the leader answers before a quorum has the entry" },
	{ "lost-recovery", VR_BUG_SKIPS_RECOVERY,
	  "a restarted replica continues with an empty log" },
	{ "no-client-table", VR_BUG_NO_CLIENT_TABLE, "a repeated request is executed again" },
	{ "short-view-log", VR_BUG_SHORT_VIEW_LOG,
	  "a view starts with the new leader's log, even if another is longer" },
	{ "forgotten-view", VR_BUG_FORGETS_VIEW,
	  "a restarted replica does not read its stored view" },
	{ "stale-acks", VR_BUG_STALE_ACKS, "the leader counts acknowledgements of earlier views" },
	{ "transfer-as-normal", VR_BUG_TRANSFER_NORMAL,
	  "a replica that knows of a view, but lacks its log, votes as if it had it" },
	{ "recovery-without-nonce", VR_BUG_NO_NONCE,
	  "recovery accepts answers to an earlier recovery" },
	{ "acks-after-vote", VR_BUG_ACKS_VOTED,
	  "a replica acknowledges in a view that it voted to end" },
	{ "longest-log", VR_BUG_LONGEST_LOG,
	  "a view starts with the longest log, of whatever view" },
	{ "kept-tail", VR_BUG_KEEPS_TAIL,
	  "a new log does not replace entries that were not executed" },
	{ "checkpoint-without-clients", VR_BUG_NO_STATE_TABLE,
	  "a transferred checkpoint lacks the client table" },
	{ "gap-in-view-log", VR_BUG_FILLS_GAP,
	  "a new leader fills a gap before the best log's last entries with its own" },
};

static int sim_usage(void)
{
	fprintf(stderr, "usage: lab-replica-sim [--schedules N] [--seed S] [--bug NAME] [--first] "
			"[--verbose] | --bugs\n");
	return 2;
}

static int sim_print_bugs(void)
{
	for (size_t i = 1; i < sizeof(sim_bugs) / sizeof(*sim_bugs); i++)
		printf("%s\t%s\n", sim_bugs[i].name, sim_bugs[i].defect);
	return 0;
}

struct sim_options {
	uint64_t schedules, seed;
	size_t bug; /* index in sim_bugs */
	bool is_verbose, ends_at_first;
};

static bool sim_parse(int argc, char **argv, struct sim_options *o)
{
	const size_t n_bugs = sizeof(sim_bugs) / sizeof(*sim_bugs);

	for (int i = 1; i < argc; i++) {
		const char *value = i + 1 < argc ? argv[i + 1] : "";

		if (strcmp(argv[i], "--verbose") == 0) {
			o->is_verbose = true;
			continue;
		}
		if (strcmp(argv[i], "--first") == 0) {
			o->ends_at_first = true;
			continue;
		}
		if (strcmp(argv[i], "--schedules") == 0) {
			o->schedules = work_number(value);
			if (o->schedules == 0)
				return false;
		} else if (strcmp(argv[i], "--seed") == 0) {
			o->seed = work_number(value);
		} else if (strcmp(argv[i], "--bug") == 0) {
			o->bug = 0;
			while (o->bug < n_bugs && strcmp(value, sim_bugs[o->bug].name) != 0)
				o->bug++;
			if (o->bug == n_bugs)
				return false;
		} else {
			return false;
		}
		i++;
	}
	return true;
}

/* Sums over all schedules. */
struct sim_sums {
	uint64_t schedules, requests, messages, lost, doubled, crashes, cuts;
	uint64_t views, recoveries, transfers, bad;
};

static void sim_add(struct sim_sums *sums, const struct sim *s)
{
	sums->schedules++;
	sums->requests += (uint64_t)s->n_clients * s->n_requests;
	sums->messages += s->messages;
	sums->lost += s->lost;
	sums->doubled += s->doubled;
	sums->crashes += s->crashes;
	sums->cuts += s->cuts;
	sums->views += s->views;
	sums->recoveries += s->recoveries;
	sums->transfers += s->transfers;
}

static void sim_print(const struct sim_sums *sums)
{
	work_print("schedules", sums->schedules);
	work_print("requests", sums->requests);
	work_print("messages", sums->messages);
	work_print("lost", sums->lost);
	work_print("doubled", sums->doubled);
	work_print("crashes", sums->crashes);
	work_print("partitions", sums->cuts);
	work_print("view_changes", sums->views);
	work_print("recoveries", sums->recoveries);
	work_print("state_transfers", sums->transfers);
	work_print("violations", sums->bad);
}

int main(int argc, char **argv)
{
	static struct sim s;
	struct sim_options o = { .schedules = 1000, .seed = 1 };
	struct sim_sums sums = { 0 };

	if (argc == 2 && strcmp(argv[1], "--bugs") == 0)
		return sim_print_bugs();
	if (!sim_parse(argc, argv, &o))
		return sim_usage();
	for (uint64_t i = 0; i < o.schedules && !(o.ends_at_first && sums.bad); i++) {
		char why[200] = "";

		if (!sim_schedule(&s, o.seed + i, sim_bugs[o.bug].bug, why, sizeof(why))) {
			sums.bad++;
			if (o.is_verbose || sums.bad == 1)
				printf("seed %" PRIu64 ": %s\n", o.seed + i, why);
		}
		sim_add(&sums, &s);
	}
	sim_print(&sums);
	return (o.bug ? sums.bad > 0 : sums.bad == 0) ? 0 : 1;
}
