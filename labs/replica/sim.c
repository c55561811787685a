/* SPDX-License-Identifier: MIT */
/*
 * sim - simulate Viewstamped Replication under faults
 *
 *   lab-replica-sim [--schedules N] [--seed S] [--bug NAME] [--verbose]
 *
 * Each schedule is a run of 3 or 5 replicas and some clients in simulated time, which its seed
 * determines. Messages are lost, duplicated, delayed and reordered. A minority of replicas is cut
 * off. Replicas crash at any time, the leader included. They lose all their state, restart and
 * recover. At most f replicas are down or recovering at once, as the protocol requires. At the end
 * all faults are healed, and every request must be answered.
 *
 * Checked: the history of the clients is linearizable (check.h); the executed logs of all replicas
 * are prefixes of one log without duplicate entries; no replica removed an executed entry; all
 * requests were answered in the end.
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
#define SIM_NODES        (VR_REPLICAS_MAX + SIM_CLIENTS_MAX)

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
	bool is_cut[VR_REPLICAS_MAX]; /* the replica is in the isolated minority */
	uint32_t n_replicas, n_clients, n_requests;
	uint32_t self; /* the replica whose callback is running */
	struct sim_client clients[SIM_CLIENTS_MAX];
	unsigned int bugs;
	/* probabilities in this schedule, in 1/1000 */
	uint32_t loss, doubling, late;
	uint32_t delay_us, chaos_ms;
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

static void sim_event_free(struct sim_event *e)
{
	union {
		const struct vr_entry *in;
		struct vr_entry *out;
	} entries = { .in = e->message.entries };

	free(entries.out);
	free(e);
}

/* The network --------------------------------------------------------------------- */

static bool sim_is_faulty(const struct sim *s)
{
	return s->now_ns < SIM_FAULTS_MS * (uint64_t)SIM_MS;
}

/*
 * Whether the network between the nodes @a and @b is cut. Nodes below VR_REPLICAS_MAX are replicas,
 * others are clients. Clients always reach all replicas.
 */
static bool sim_is_parted(const struct sim *s, uint32_t a, uint32_t b)
{
	return a < VR_REPLICAS_MAX && b < VR_REPLICAS_MAX && s->is_cut[a] != s->is_cut[b];
}

static void sim_post(struct sim *s, uint32_t from, uint32_t to, const struct vr_message *m)
{
	uint32_t copies = 1;

	s->messages++;
	if (sim_is_faulty(s)) {
		if (sim_is_parted(s, from, to) || sim_chance(s, s->loss)) {
			s->lost++;
			return;
		}
		if (sim_chance(s, s->doubling)) {
			copies = 2;
			s->doubled++;
		}
	}
	while (copies--) {
		struct sim_event e = { .kind = SIM_MESSAGE, .node = to, .message = *m };
		uint64_t delay_us = 50 + sim_random(s, s->delay_us);

		if (sim_is_faulty(s) && sim_chance(s, s->late))
			delay_us += sim_random(s, 600000);
		e.at_ns = s->now_ns + delay_us * 1000;
		if (m->n_entries) {
			struct vr_entry *copy = malloc(m->n_entries * sizeof(*copy));

			if (!copy)
				abort();
			memcpy(copy, m->entries, m->n_entries * sizeof(*copy));
			e.message.entries = copy;
		} else {
			e.message.entries = NULL;
		}
		sim_push(s, e);
	}
}

static void sim_send(struct vr_out *out, uint32_t to, const struct vr_message *m)
{
	struct sim *s = (struct sim *)out;

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
	struct vr_config config = { .n_replicas = s->n_replicas,
				    .self = i,
				    .batch_max = 1 + (uint32_t)sim_random(s, 8),
				    .resend_ns = 20 * SIM_MS,
				    .suspect_ns = (80 + sim_random(s, 60)) * SIM_MS,
				    .bugs = s->bugs };

	vr_init(&s->replicas[i], &config, is_restart, s->kept_view[i],
		(uint64_t)i << 32 | ++s->life[i], s->now_ns);
	s->is_up[i] = true;
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
	sim_push(s, (struct sim_event){ .at_ns = s->now_ns + (5 + sim_random(s, 300)) * SIM_MS,
					.kind = SIM_RESTART,
					.node = i });
}

/* Start a fault (a crash, or an isolated minority), or end one. */
static void sim_chaos(struct sim *s)
{
	uint32_t i = (uint32_t)sim_random(s, s->n_replicas);

	if (!sim_is_faulty(s)) {
		memset(s->is_cut, 0, sizeof(s->is_cut));
		return;
	}
	if (sim_chance(s, 450)) {
		if (s->is_up[i] && s->replicas[i].status != VR_RECOVERING && sim_may_crash(s))
			sim_crash(s, i);
	} else if (sim_chance(s, 500)) {
		memset(s->is_cut, 0, sizeof(s->is_cut));
	} else {
		uint32_t n = 1 + (uint32_t)sim_random(s, (s->n_replicas - 1) / 2);

		memset(s->is_cut, 0, sizeof(s->is_cut));
		while (n--)
			s->is_cut[sim_random(s, s->n_replicas)] = true;
		s->cuts++;
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
	if (e->node >= VR_REPLICAS_MAX) {
		sim_answer(s, e->node - VR_REPLICAS_MAX, &e->message);
		return;
	}
	if (!s->is_up[e->node])
		return;
	s->self = e->node;
	vr_receive(&s->replicas[e->node], &e->message, s->now_ns, &s->out);
	if (sim_chance(s, 700))
		vr_flush(&s->replicas[e->node], s->now_ns, &s->out);
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

/* Whether the executed logs of all running replicas are prefixes of one log without duplicates. */
static bool sim_logs_agree(const struct sim *s, char *why, size_t size)
{
	const struct vr *longest = NULL;

	for (uint32_t i = 0; i < s->n_replicas; i++) {
		const struct vr *r = &s->replicas[i];

		if (!s->is_up[i])
			continue;
		if (r->violations) {
			snprintf(why, size, "replica %u took back what it had executed", i);
			return false;
		}
		if (!longest || r->executed > longest->executed)
			longest = r;
	}
	for (uint32_t i = 0; longest && i < s->n_replicas; i++) {
		const struct vr *r = &s->replicas[i];

		if (s->is_up[i] && r->executed &&
		    memcmp(r->log, longest->log, r->executed * sizeof(*r->log)) != 0) {
			snprintf(why, size, "replicas executed different things");
			return false;
		}
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
	if (!check_history(all, n, why, size) || !sim_logs_agree(s, why, size))
		return false;
	if (!sim_is_done(s)) {
		snprintf(why, size, "all is healed and requests are not answered");
		return false;
	}
	return true;
}

static void sim_draw(struct sim *s)
{
	s->n_replicas = sim_chance(s, 850) ? 3 : 5;
	s->n_clients = 2 + (uint32_t)sim_random(s, SIM_CLIENTS_MAX - 1);
	s->n_requests = 10 + (uint32_t)sim_random(s, SIM_REQUESTS_MAX - 9);
	s->loss = (uint32_t)sim_random(s, 200);
	s->doubling = (uint32_t)sim_random(s, 150);
	s->late = (uint32_t)sim_random(s, 100);
	s->delay_us = 100 + (uint32_t)sim_random(s, 20000);
	s->chaos_ms = 20 + (uint32_t)sim_random(s, 300);
}

static bool sim_schedule(struct sim *s, uint64_t seed, unsigned int bugs, char *why, size_t size)
{
	struct sim_event *e;
	bool ok;

	memset(s, 0, sizeof(*s));
	s->out =
		(struct vr_out){ .send = sim_send, .reply = sim_reply, .keep_view = sim_keep_view };
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
	while ((e = sim_pop(s)) != NULL) {
		s->now_ns = e->at_ns;
		if (!sim_is_faulty(s))
			memset(s->is_cut, 0, sizeof(s->is_cut));
		if (e->at_ns < SIM_END_MS * (uint64_t)SIM_MS)
			sim_handle(s, e);
		sim_event_free(e);
		if (s->now_ns >= SIM_END_MS * (uint64_t)SIM_MS ||
		    (sim_is_done(s) && !sim_is_faulty(s)))
			break;
	}
	while ((e = sim_pop(s)) != NULL)
		sim_event_free(e);
	free(s->heap);
	ok = sim_check(s, why, size);
	for (uint32_t i = 0; i < s->n_replicas; i++) {
		if (s->is_up[i]) {
			sim_count(s, i);
			vr_fini(&s->replicas[i]);
		}
	}
	return ok;
}

static const struct {
	const char *name;
	unsigned int bug;
} sim_bugs[] = {
	{ "none", 0 },
	{ "ack-before-quorum", VR_BUG_ACKS_EARLY },
	{ "lost-recovery", VR_BUG_SKIPS_RECOVERY },
	{ "no-client-table", VR_BUG_NO_CLIENT_TABLE },
	{ "short-view-log", VR_BUG_SHORT_VIEW_LOG },
};

static int sim_usage(void)
{
	fprintf(stderr,
		"usage: lab-replica-sim [--schedules N] [--seed S] [--bug NAME] [--verbose]\n"
		"bugs:");
	for (size_t i = 1; i < sizeof(sim_bugs) / sizeof(*sim_bugs); i++)
		fprintf(stderr, " %s", sim_bugs[i].name);
	fprintf(stderr, "\n");
	return 2;
}

int main(int argc, char **argv)
{
	static struct sim s;
	uint64_t schedules = 1000;
	uint64_t seed = 1;
	uint64_t sums[8] = { 0 };
	uint64_t bad = 0;
	uint64_t requests = 0;
	size_t bug = 0;
	bool is_verbose = false;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--verbose") == 0) {
			is_verbose = true;
		} else if (i + 1 < argc && strcmp(argv[i], "--schedules") == 0) {
			schedules = work_number(argv[++i]);
		} else if (i + 1 < argc && strcmp(argv[i], "--seed") == 0) {
			seed = work_number(argv[++i]);
		} else if (i + 1 < argc && strcmp(argv[i], "--bug") == 0) {
			i++;
			for (bug = 0; bug < sizeof(sim_bugs) / sizeof(*sim_bugs); bug++) {
				if (strcmp(argv[i], sim_bugs[bug].name) == 0)
					break;
			}
			if (bug == sizeof(sim_bugs) / sizeof(*sim_bugs))
				return sim_usage();
		} else {
			return sim_usage();
		}
	}
	for (uint64_t i = 0; i < schedules; i++) {
		char why[200] = "";

		if (!sim_schedule(&s, seed + i, sim_bugs[bug].bug, why, sizeof(why))) {
			bad++;
			if (is_verbose || bad == 1)
				printf("seed %" PRIu64 ": %s\n", seed + i, why);
		}
		requests += (uint64_t)s.n_clients * s.n_requests;
		sums[0] += s.messages;
		sums[1] += s.lost;
		sums[2] += s.doubled;
		sums[3] += s.crashes;
		sums[4] += s.cuts;
		sums[5] += s.views;
		sums[6] += s.recoveries;
		sums[7] += s.transfers;
	}
	work_print("schedules", schedules);
	work_print("requests", requests);
	work_print("messages", sums[0]);
	work_print("lost", sums[1]);
	work_print("doubled", sums[2]);
	work_print("crashes", sums[3]);
	work_print("partitions", sums[4]);
	work_print("view_changes", sums[5]);
	work_print("recoveries", sums[6]);
	work_print("state_transfers", sums[7]);
	work_print("violations", bad);
	return (bug ? bad > 0 : bad == 0) ? 0 : 1;
}
