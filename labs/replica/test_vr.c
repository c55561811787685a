/* SPDX-License-Identifier: MIT */
/*
 * test_vr - directed tests of the protocol: limits, failures that must be reported, logs in pieces
 */
#include "lib/work.h"
#include "replica/test.h"
#include "replica/vr_parts.h"

#include <string.h>

#define TEST_MS      1000000u
#define TEST_CLIENTS 40u

/* Replicas without a network: messages stand in a queue. */
struct test_message {
	uint32_t to;
	struct vr_message m;
	struct vr_entry entries[VR_PIECE_MAX];
	struct vr_state state;
};

struct test {
	struct vr_out out; /* must be the first member: callbacks cast it to struct test */
	struct test_message queue[64];
	size_t n;
	uint64_t reported[VR_TROUBLES];
	uint64_t kept_view; /* the latest that was stored */
};

static void test_send(struct vr_out *out, uint32_t to, const struct vr_message *m)
{
	struct test *t = (struct test *)out;
	struct test_message *q = &t->queue[t->n];

	if (t->n == sizeof(t->queue) / sizeof(*t->queue))
		return;
	t->n++;
	q->to = to;
	q->m = *m;
	if (m->n_entries)
		memcpy(q->entries, m->entries, m->n_entries * sizeof(*m->entries));
	if (m->state)
		q->state = *m->state;
	q->m.entries = q->entries;
	q->m.state = m->state ? &q->state : NULL;
}

static void test_keep_view(struct vr_out *out, uint64_t view)
{
	((struct test *)out)->kept_view = view;
}

static void test_report(struct vr_out *out, enum vr_trouble trouble)
{
	((struct test *)out)->reported[trouble]++;
}

static void test_begin(struct test *t)
{
	t->out = (struct vr_out){ .send = test_send,
				  .reply = test_send,
				  .keep_view = test_keep_view,
				  .report = test_report };
	t->n = 0;
	t->kept_view = 0;
	memset(t->reported, 0, sizeof(t->reported));
}

static void test_init(struct vr *r, uint32_t self, uint32_t log_max)
{
	const struct vr_config config = { .n_replicas = 3,
					  .self = self,
					  .batch_max = 64,
					  .suffix_max = 4,
					  .piece_max = 4,
					  .log_max = log_max,
					  .checkpoint_every = 10,
					  .resend_ns = 20 * TEST_MS,
					  .suspect_ns = 100 * TEST_MS };

	vr_init(r, &config, false, 0, 0, 0);
}

static void test_request(struct test *t, struct vr *r, uint32_t client)
{
	const struct vr_message m = { .type = VR_REQUEST, .request = { client, 1 } };

	vr_receive(r, &m, 0, &t->out);
}

static void test_ack(struct test *t, struct vr *r, uint64_t op)
{
	const struct vr_message m = { .type = VR_PREPARE_OK, .from = 1, .view = r->view, .op = op };

	vr_receive(r, &m, 0, &t->out);
}

static void a_full_log_is_reported_and_takes_requests_again(struct test *t)
{
	struct vr r;

	test_begin(t);
	test_init(&r, 0, 8);
	for (uint32_t i = 0; i < 9; i++)
		test_request(t, &r, i);
	TEST(r.log.op == 8);
	TEST(t->reported[VR_LOG_FULL] == 1 && r.troubles[VR_LOG_FULL] == 1);
	test_ack(t, &r, 8);
	TEST(r.state.op == 8);
	/* checkpoints after 2, 4, 6 and 8: entries up to 6 are dropped */
	TEST(r.log.base == 6);
	test_request(t, &r, 8);
	TEST(r.log.op == 9 && t->reported[VR_LOG_FULL] == 1);
	vr_fini(&r);
}

static void a_log_that_contradicts_is_reported_and_not_taken(struct test *t)
{
	const struct vr_entry other[] = { { 7, 7 }, { 8, 8 } };
	struct vr_message start = { .type = VR_START_VIEW,
				    .from = 1,
				    .view = 1,
				    .op = 2,
				    .n_entries = 2,
				    .entries = other };
	struct vr r;

	test_begin(t);
	test_init(&r, 0, 0);
	test_request(t, &r, 0);
	test_request(t, &r, 1);
	test_ack(t, &r, 2);
	vr_receive(&r, &start, 0, &t->out);
	TEST(t->reported[VR_BROKEN] == 1);
	TEST(r.view == 0 && r.log.op == 2 && vr_log_after(&r.log, 0)->client == 0);
	/* one that is shorter than what was executed */
	start.op = start.n_entries = 1;
	vr_receive(&r, &start, 0, &t->out);
	TEST(t->reported[VR_BROKEN] == 2 && r.log.op == 2);
	vr_fini(&r);
}

static void a_prepare_is_a_sign_of_life_during_a_transfer(struct test *t)
{
	struct vr_message prepare = {
		.type = VR_PREPARE, .from = 1, .view = 1, .op = 100, .commit = 100
	};
	struct vr r;

	test_begin(t);
	test_init(&r, 0, 0);
	for (uint64_t ms = 0; ms < 2000; ms += 50) {
		t->n = 0;
		vr_receive(&r, &prepare, ms * TEST_MS, &t->out);
		vr_tick(&r, ms * TEST_MS, &t->out);
	}
	TEST(r.status == VR_TRANSFER && r.view == 1);
	vr_tick(&r, 1950 * TEST_MS + 99 * TEST_MS, &t->out);
	TEST(r.view == 1);
	vr_tick(&r, 1950 * TEST_MS + 101 * TEST_MS, &t->out);
	TEST(r.status == VR_VIEW_CHANGE && r.view == 2);
	vr_fini(&r);
}

static void view_changes_without_success_back_off(struct test *t)
{
	const uint64_t waits_ms[] = { 100, 100, 200, 400, 800, 1600, 1600, 1600 };
	uint64_t now_ns = 0;
	struct vr r;

	test_begin(t);
	test_init(&r, 1, 0);
	for (size_t i = 0; i < sizeof(waits_ms) / sizeof(*waits_ms); i++) {
		now_ns += waits_ms[i] * TEST_MS;
		vr_tick(&r, now_ns - 1, &t->out);
		TEST(r.view == i);
		vr_tick(&r, now_ns, &t->out);
		TEST(r.view == i + 1);
		t->n = 0;
	}
	vr_fini(&r);
}

/* Pass the messages between replicas 0 and 1 until there are none; @lost: the type to lose. */
static void test_pass(struct test *t, struct vr *replicas, uint64_t now_ns, enum vr_type lost)
{
	static struct test_message now;

	while (t->n) {
		now = t->queue[0];
		now.m.entries = now.entries;
		now.m.state = now.m.state ? &now.state : NULL;
		t->n--;
		memmove(t->queue, t->queue + 1, t->n * sizeof(*t->queue));
		for (size_t i = 0; i < t->n; i++) {
			t->queue[i].m.entries = t->queue[i].entries;
			if (t->queue[i].m.state)
				t->queue[i].m.state = &t->queue[i].state;
		}
		if (now.to < 2 && now.m.type != VR_REPLY && now.m.type != lost)
			vr_receive(&replicas[now.to], &now.m, now_ns, &t->out);
	}
}

static void a_replica_far_behind_gets_a_checkpoint_and_pieces(struct test *t)
{
	static struct vr replicas[2];

	test_begin(t);
	test_init(&replicas[0], 0, 0);
	test_init(&replicas[1], 1, 0);
	for (uint32_t i = 0; i < 35; i++) {
		test_request(t, &replicas[0], i);
		test_ack(t, &replicas[0], i + 1);
		t->n = 0;
	}
	TEST(replicas[0].log.base == 20 && replicas[0].kept.op == 30);
	TEST(replicas[1].log.op == 0);
	vr_tick(&replicas[0], 20 * TEST_MS, &t->out);
	test_pass(t, replicas, 20 * TEST_MS, VR_TYPES);
	TEST(replicas[1].state.op == 35 && replicas[1].log.base == 30);
	TEST(replicas[1].state.digest == replicas[0].state.digest);
	TEST(replicas[1].state.places == 35);
	vr_fini(&replicas[0]);
	vr_fini(&replicas[1]);
}

static void a_new_leader_fetches_what_the_votes_lack(struct test *t)
{
	static struct vr replicas[2];

	test_begin(t);
	test_init(&replicas[0], 0, 0);
	test_init(&replicas[1], 1, 0);
	for (uint32_t i = 0; i < 15; i++) {
		test_request(t, &replicas[0], i);
		test_ack(t, &replicas[0], i + 1);
	}
	t->n = 0;
	vr_tick(&replicas[1], 100 * TEST_MS, &t->out);
	test_pass(t, replicas, 100 * TEST_MS, VR_TYPES);
	TEST(replicas[1].status == VR_NORMAL && replicas[1].view == 1);
	TEST(replicas[1].state.op == 15);
	TEST(replicas[1].state.digest == replicas[0].state.digest);
	/* the vote had the last 4 entries, the rest came in pieces of 4 */
	TEST(replicas[1].fetched == 15);
	vr_fini(&replicas[0]);
	vr_fini(&replicas[1]);
}

static void a_transfer_without_all_pieces_keeps_the_own_log(struct test *t)
{
	const struct vr_entry piece[] = { { 1, 1 }, { 2, 1 } };
	struct vr_message m = { .type = VR_NEW_STATE,
				.from = 1,
				.view = 1,
				.last_normal = 1,
				.op = 2,
				.goal = 4,
				.n_entries = 2,
				.entries = piece };
	struct vr_message commit = { .type = VR_COMMIT, .from = 1, .view = 1, .commit = 4 };
	struct vr r;

	test_begin(t);
	test_init(&r, 0, 0);
	test_request(t, &r, 9);
	vr_receive(&r, &commit, 0, &t->out);
	vr_receive(&r, &m, 0, &t->out);
	TEST(r.status == VR_TRANSFER && r.last_normal == 0);
	TEST(r.log.op == 1 && vr_log_after(&r.log, 0)->client == 9);
	m.op = 4;
	vr_receive(&r, &m, 0, &t->out);
	TEST(r.status == VR_NORMAL && r.last_normal == 1 && r.log.op == 4);
	TEST(vr_log_after(&r.log, 0)->client == 1);
	vr_fini(&r);
}

/* Messages that no replica sends ------------------------------------------------- */

static void a_view_beyond_the_limit_is_not_stored(struct test *t)
{
	struct vr_message m = { .type = VR_START_VIEW_CHANGE, .from = 1, .view = VR_VIEW_MAX + 1 };
	struct vr r;

	test_begin(t);
	test_init(&r, 0, 0);
	for (m.type = VR_PREPARE; m.type < VR_TYPES; m.type++)
		vr_receive(&r, &m, 0, &t->out);
	TEST(r.view == 0 && r.status == VR_NORMAL && t->kept_view == 0);
	m.type = VR_START_VIEW_CHANGE;
	m.view = VR_VIEW_MAX;
	vr_receive(&r, &m, 0, &t->out);
	TEST(r.view == VR_VIEW_MAX && t->kept_view == VR_VIEW_MAX);
	vr_fini(&r);
}

static void a_prepare_commits_nothing_beyond_its_entries(struct test *t)
{
	const struct vr_entry entries[] = { { 1, 1 }, { 2, 1 } };
	struct vr_message m = {
		.type = VR_PREPARE, .op = 1, .commit = 2, .n_entries = 1, .entries = entries
	};
	struct vr r;

	test_begin(t);
	test_init(&r, 1, 0);
	vr_receive(&r, &m, 0, &t->out);
	TEST(r.log.op == 0 && r.commit == 0);
	m.commit = 1;
	vr_receive(&r, &m, 0, &t->out);
	TEST(r.state.op == 1);
	m.op = 2;
	m.n_entries = 2;
	m.commit = 0;
	vr_receive(&r, &m, 0, &t->out);
	TEST(r.log.op == 2 && r.commit == 1 && r.state.op == 1);
	vr_fini(&r);
}

static void a_leader_sends_no_entries_that_a_quorum_fetched(struct test *t)
{
	struct vr r;

	test_begin(t);
	test_init(&r, 0, 0);
	for (uint32_t i = 0; i < 70; i++)
		test_request(t, &r, i);
	/* replica 1 has fetched entries that were not sent, and checkpoints drop most of them */
	test_ack(t, &r, 68);
	TEST(r.commit == 68 && r.log.base == 50);
	t->n = 0;
	vr_flush(&r, 0, &t->out);
	TEST(t->n == 2 && t->queue[0].m.n_entries == 2);
	TEST(t->queue[0].m.op == 70 && t->queue[0].m.commit == 68);
	vr_fini(&r);
}

static void a_view_begins_with_no_commit_beyond_its_log(struct test *t)
{
	const struct vr_entry entries[] = { { 1, 1 }, { 2, 1 } };
	struct vr_message m = {
		.from = 1, .view = 1, .op = 2, .commit = 3, .n_entries = 2, .entries = entries
	};
	struct vr r;

	test_begin(t);
	test_init(&r, 0, 0);
	m.type = VR_START_VIEW;
	vr_receive(&r, &m, 0, &t->out);
	TEST(r.view == 0 && r.log.op == 0);
	m.commit = 2;
	vr_receive(&r, &m, 0, &t->out);
	TEST(r.view == 1 && r.state.op == 2);
	/* a vote for view 3, which this replica leads */
	m.type = VR_DO_VIEW_CHANGE;
	m.view = 3;
	m.commit = 3;
	vr_receive(&r, &m, 0, &t->out);
	TEST(r.status == VR_VIEW_CHANGE && !r.votes[1].has_state);
	m.commit = 2;
	vr_receive(&r, &m, 0, &t->out);
	TEST(r.status == VR_NORMAL && r.view == 3 && r.commit == 2);
	vr_fini(&r);
}

static void a_piece_commits_nothing_beyond_the_senders_log(struct test *t)
{
	const struct vr_entry entries[] = { { 1, 1 }, { 2, 1 } };
	struct vr_message m = { .type = VR_NEW_STATE,
				.op = 2,
				.goal = 4,
				.commit = 5,
				.n_entries = 2,
				.entries = entries };
	struct vr r;

	test_begin(t);
	test_init(&r, 1, 0);
	vr_receive(&r, &m, 0, &t->out);
	TEST(r.log.op == 0 && r.commit == 0);
	/* the sender has committed more than this piece has */
	m.commit = 4;
	vr_receive(&r, &m, 0, &t->out);
	TEST(r.state.op == 2 && r.commit == 2);
	vr_fini(&r);
}

static void a_fetched_log_has_the_limit_of_a_log(struct test *t)
{
	static const struct vr_entry entries[VR_PIECE_MAX];
	struct vr_message commit = { .type = VR_COMMIT, .from = 1, .view = 1, .commit = 4 };
	struct vr_message m = { .type = VR_NEW_STATE,
				.from = 1,
				.view = 1,
				.last_normal = 1,
				.goal = UINT64_MAX,
				.n_entries = VR_PIECE_MAX,
				.entries = entries };
	struct vr r;

	test_begin(t);
	test_init(&r, 0, 0);
	vr_receive(&r, &commit, 0, &t->out);
	for (m.op = VR_PIECE_MAX; m.op <= VR_LOG_MAX; m.op += VR_PIECE_MAX)
		vr_receive(&r, &m, 0, &t->out);
	TEST(r.fetch.log.op == VR_LOG_MAX);
	m.op = VR_LOG_MAX + 1;
	vr_receive(&r, &m, 0, &t->out);
	TEST(r.status == VR_TRANSFER && r.fetch.log.op == VR_LOG_MAX);
	vr_fini(&r);
}

int main(void)
{
	static struct test t;

	a_full_log_is_reported_and_takes_requests_again(&t);
	a_log_that_contradicts_is_reported_and_not_taken(&t);
	a_prepare_is_a_sign_of_life_during_a_transfer(&t);
	view_changes_without_success_back_off(&t);
	a_replica_far_behind_gets_a_checkpoint_and_pieces(&t);
	a_new_leader_fetches_what_the_votes_lack(&t);
	a_transfer_without_all_pieces_keeps_the_own_log(&t);
	a_view_beyond_the_limit_is_not_stored(&t);
	a_prepare_commits_nothing_beyond_its_entries(&t);
	a_leader_sends_no_entries_that_a_quorum_fetched(&t);
	a_view_begins_with_no_commit_beyond_its_log(&t);
	a_piece_commits_nothing_beyond_the_senders_log(&t);
	a_fetched_log_has_the_limit_of_a_log(&t);
	return test_failures ? 1 : 0;
}
