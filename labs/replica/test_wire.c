/* SPDX-License-Identifier: MIT */
/*
 * test_wire - directed tests of messages as datagrams, of each kind that was built
 *
 * Both kinds must carry every message equally, and refuse bytes that no replica sends.
 */
#include "replica/test.h"
#include "replica/wire.h"

#include <string.h>

#define TEST_CLIENTS 40u

/* A sender and a receiver, and a message with room for what it points to. */
struct test {
	struct wire_out out;
	struct wire_in in;
	struct vr_message m;
	struct vr_entry entries[VR_PIECE_MAX];
	struct vr_state state;
	uint64_t seed;
};

static uint64_t test_random(struct test *t)
{
	t->seed = t->seed * 6364136223846793005u + 1442695040888963407u;
	/* 0, small, and as large as can be */
	return t->seed >> 62 == 0   ? 0
	       : t->seed >> 62 == 1 ? UINT64_MAX
				    : t->seed >> (t->seed >> 58);
}

static struct vr_entry test_entry(struct test *t)
{
	return (struct vr_entry){ (uint32_t)test_random(t), (uint32_t)test_random(t) };
}

static void test_fill(struct test *t, uint32_t type, size_t n_entries, size_t n_clients)
{
	t->m = (struct vr_message){ .type = type,
				    .from = (uint32_t)(test_random(t) % WIRE_SENDERS),
				    .view = test_random(t),
				    .op = test_random(t),
				    .commit = test_random(t),
				    .last_normal = test_random(t),
				    .nonce = test_random(t),
				    .request = test_entry(t),
				    .place = test_random(t),
				    .before = test_entry(t),
				    .goal = test_random(t),
				    .n_entries = n_entries,
				    .entries = n_entries ? t->entries : NULL };
	for (size_t i = 0; i < n_entries; i++)
		t->entries[i] = test_entry(t);
	memset(&t->state, 0, sizeof(t->state));
	if (n_clients == SIZE_MAX)
		return;
	t->m.state = &t->state;
	t->state.op = test_random(t);
	t->state.places = test_random(t);
	t->state.digest = test_random(t);
	t->state.last = test_entry(t);
	t->state.n_clients = n_clients;
	for (size_t i = 0; i < n_clients; i++) {
		t->state.clients[i].place = test_random(t);
		t->state.clients[i].executed = (uint32_t)test_random(t);
		t->state.clients[i].before = test_entry(t);
	}
}

static bool test_is_entry(struct vr_entry a, struct vr_entry b)
{
	return a.client == b.client && a.number == b.number;
}

static bool test_is_same_state(const struct vr_state *a, const struct vr_state *b)
{
	if (a->op != b->op || a->places != b->places || a->digest != b->digest ||
	    !test_is_entry(a->last, b->last) || a->n_clients != b->n_clients)
		return false;
	for (size_t i = 0; i < a->n_clients; i++) {
		if (a->clients[i].place != b->clients[i].place ||
		    a->clients[i].executed != b->clients[i].executed ||
		    !test_is_entry(a->clients[i].before, b->clients[i].before))
			return false;
	}
	return true;
}

static bool test_is_same(const struct vr_message *a, const struct vr_message *b)
{
	if (a->type != b->type || a->from != b->from || a->view != b->view || a->op != b->op ||
	    a->commit != b->commit || a->last_normal != b->last_normal || a->nonce != b->nonce ||
	    !test_is_entry(a->request, b->request) || a->place != b->place ||
	    !test_is_entry(a->before, b->before) || a->goal != b->goal ||
	    a->n_entries != b->n_entries || !a->state != !b->state)
		return false;
	for (size_t i = 0; i < a->n_entries; i++) {
		if (!test_is_entry(a->entries[i], b->entries[i]))
			return false;
	}
	return !a->state || test_is_same_state(a->state, b->state);
}

/* Send the message of @t, and compare what comes out with it. */
static bool test_arrives(struct test *t, struct wire_in *in)
{
	static uint32_t serial;
	uint32_t n = wire_begin(&t->out, &t->m, ++serial);
	struct vr_message got;
	char buffer[WIRE_BYTES];

	for (uint32_t i = 0; i < n; i++) {
		if (wire_get(in, buffer, wire_put(&t->out, i, buffer), &got))
			return i == n - 1 && test_is_same(&t->m, &got);
	}
	return false;
}

static void every_message_arrives_as_it_was_sent(struct test *t)
{
	const size_t n_entries[] = { 0, 1, 64, 1024, VR_PIECE_MAX };
	const size_t n_clients[] = { SIZE_MAX, 0, 1, TEST_CLIENTS, VR_CLIENTS_MAX };

	for (uint32_t type = VR_PREPARE; type < VR_TYPES; type++) {
		for (size_t i = 0; i < 25; i++) {
			test_fill(t, type, n_entries[i % 5], n_clients[i / 5]);
			TEST(test_arrives(t, &t->in));
		}
	}
	for (uint32_t i = 0; i < 100; i++) {
		test_fill(t, i % 2 ? VR_REQUEST : VR_REPLY, 0, SIZE_MAX);
		t->m.from = i;
		TEST(test_arrives(t, &t->in) && test_arrives(t, NULL));
	}
	TEST(t->in.n_bad == 0 && t->in.n_given_up == 0);
}

static void a_client_takes_only_answers(struct test *t)
{
	test_fill(t, VR_PREPARE, 0, SIZE_MAX);
	TEST(!test_arrives(t, NULL));
	test_fill(t, VR_NEW_STATE, 1024, SIZE_MAX);
	TEST(!test_arrives(t, NULL));
}

static void a_message_that_is_too_large_is_not_sent(struct test *t)
{
	test_fill(t, VR_PREPARE, VR_PIECE_MAX, SIZE_MAX);
	TEST(wire_begin(&t->out, &t->m, 1) > 1);
	t->m.n_entries = VR_PIECE_MAX + 1;
	TEST(wire_begin(&t->out, &t->m, 1) == 0);
}

static void fragments_arrive_in_any_order_and_twice(struct test *t)
{
	static struct test other;
	struct vr_message got = { 0 };
	char buffer[WIRE_BYTES];
	uint32_t n, n_complete = 0;

	other.out.kind = t->out.kind;
	test_fill(t, VR_NEW_STATE, VR_PIECE_MAX, TEST_CLIENTS);
	test_fill(&other, VR_NEW_STATE, VR_PIECE_MAX - 1, SIZE_MAX);
	t->m.from = other.m.from = 1;
	n = wire_begin(&t->out, &t->m, 11);
	TEST(n >= 5 && wire_begin(&other.out, &other.m, 12) <= n);
	/* backwards, each fragment twice, the two messages mixed */
	for (uint32_t i = 2 * n; i-- > 0;) {
		if (wire_get(&t->in, buffer, wire_put(&t->out, i / 2, buffer), &got)) {
			n_complete++;
			TEST(test_is_same(&t->m, &got));
		}
		if (i / 2 >= wire_begin(&other.out, &other.m, 12) ||
		    !wire_get(&t->in, buffer, wire_put(&other.out, i / 2, buffer), &got))
			continue;
		n_complete++;
		TEST(test_is_same(&other.m, &got));
	}
	TEST(n_complete == 2 && t->in.n_bad == 0);
	/* a fragment that is cut short is refused */
	wire_begin(&t->out, &t->m, 20);
	TEST(!wire_get(&t->in, buffer, wire_put(&t->out, 0, buffer) - 1, &got) && t->in.n_bad == 1);
	wire_out_fini(&other.out);
}

/* What wire_get() may return of any bytes. */
static bool test_is_within_limits(const struct vr_message *m)
{
	return m->type && m->type < VR_TYPES && m->n_entries <= VR_PIECE_MAX &&
	       (!m->state || m->state->n_clients <= VR_CLIENTS_MAX) &&
	       (m->type == VR_REQUEST || m->type == VR_REPLY || m->from < WIRE_SENDERS);
}

static void damaged_bytes_stay_within_the_limits(struct test *t)
{
	struct vr_message got;
	char buffer[WIRE_BYTES], damaged[WIRE_BYTES];
	size_t len;

	test_fill(t, VR_NEW_STATE, 20, 3);
	wire_begin(&t->out, &t->m, 1);
	len = wire_put(&t->out, 0, buffer);
	for (size_t i = 0; i < len; i++) {
		memcpy(damaged, buffer, i);
		TEST(!wire_get(&t->in, damaged, i, &got));
	}
	for (size_t i = 0; i < 8 * len; i++) {
		memcpy(damaged, buffer, len);
		damaged[i / 8] = (char)(damaged[i / 8] ^ (1 << i % 8));
		TEST(!wire_get(&t->in, damaged, len, &got) || test_is_within_limits(&got));
	}
	for (size_t i = 0; i < 20000; i++) {
		memcpy(damaged, buffer, len);
		for (size_t k = 0; k < 4; k++)
			damaged[8 + test_random(t) % (len - 8)] = (char)test_random(t);
		TEST(!wire_get(&t->in, damaged, len, &got) || test_is_within_limits(&got));
	}
}

static void a_plain_checkpoint_with_too_many_clients_is_refused(struct test *t)
{
	/* so many rows that their size in bytes is that of 2 rows, modulo 2^64 */
	const uint64_t n_clients = 2 + (UINT64_C(1) << 61);
	struct vr_message got;
	char buffer[WIRE_BYTES];
	uint64_t n_bad = t->in.n_bad;
	size_t len;

	if (t->out.kind != WIRE_PLAIN)
		return;
	test_fill(t, VR_NEW_STATE, 0, 2);
	wire_begin(&t->out, &t->m, 1);
	len = wire_put(&t->out, 0, buffer);
	TEST(wire_get(&t->in, buffer, len, &got) && got.state->n_clients == 2);
	memcpy(buffer + sizeof(struct wire_header) + offsetof(struct vr_state, n_clients),
	       &n_clients, sizeof(n_clients));
	TEST(!wire_get(&t->in, buffer, len, &got) && t->in.n_bad == n_bad + 1);
}

/* Receive @n bytes of Protocol Buffers in as many fragments as they need. */
static bool test_gets_packed(struct test *t, const char *bytes, size_t n, uint32_t from,
			     struct vr_message *ret_m)
{
	static uint32_t serial = 1000;
	struct wire_packed_header h = {
		.magic = WIRE_MAGIC_PROTOBUF, .serial = ++serial, .from = from, .bytes = (uint32_t)n
	};
	char buffer[WIRE_BYTES];
	bool is_complete = false;

	for (; h.fragment * WIRE_PART < n; h.fragment++) {
		size_t at = h.fragment * WIRE_PART;
		size_t part = n - at < WIRE_PART ? n - at : WIRE_PART;

		memcpy(buffer, &h, sizeof(h));
		memcpy(buffer + sizeof(h), bytes + at, part);
		is_complete = wire_get(&t->in, buffer, sizeof(h) + part, ret_m);
	}
	return is_complete;
}

/* A message of @n times the two bytes @pair, in a checkpoint of 257 or fewer if @is_state. */
static bool test_gets_many(struct test *t, const char *pair, size_t n, bool is_state)
{
	static char bytes[2 * VR_PIECE_MAX + 100];
	struct vr_message got;
	size_t at = 0;

	bytes[at++] = 0x08; /* type */
	bytes[at++] = VR_NEW_STATE;
	if (is_state) {
		bytes[at++] = 0x6a; /* state, and how long it is */
		bytes[at++] = (char)(0x80 | (2 * n & 0x7f));
		bytes[at++] = (char)(2 * n >> 7);
	}
	for (size_t i = 0; i < n; i++, at += 2)
		memcpy(bytes + at, pair, 2);
	return test_gets_packed(t, bytes, at, 0, &got) &&
	       (is_state ? got.state->n_clients : got.n_entries) == n;
}

static void protocol_buffers_that_no_replica_sends_are_refused(struct test *t)
{
	const char prepare[] = { 0x08, VR_PREPARE };
	const char of_6[] = { 0x08, VR_PREPARE, 0x10, 6 }, of_7[] = { 0x08, VR_PREPARE, 0x10, 7 };
	const char type_0[] = { 0x10, 1 }, type_13[] = { 0x08, VR_TYPES };
	const char unknown[] = { 0x08, VR_PREPARE, 0x78, 1 };
	const char request_with_entry[] = { 0x08, VR_REQUEST, 0x62, 0 };
	struct vr_message got;

	if (t->out.kind != WIRE_PROTOBUF)
		return;
	TEST(test_gets_packed(t, prepare, sizeof(prepare), 0, &got));
	TEST(!test_gets_packed(t, prepare, sizeof(prepare), 1, &got));
	TEST(test_gets_packed(t, of_6, sizeof(of_6), 6, &got) && got.from == 6);
	TEST(!test_gets_packed(t, of_7, sizeof(of_7), 7, &got));
	TEST(!test_gets_packed(t, type_0, sizeof(type_0), 1, &got));
	TEST(!test_gets_packed(t, type_13, sizeof(type_13), 0, &got));
	TEST(!test_gets_packed(t, unknown, sizeof(unknown), 0, &got));
	TEST(!test_gets_packed(t, request_with_entry, sizeof(request_with_entry), 0, &got));
	TEST(test_gets_many(t, "\x62\0", VR_PIECE_MAX, false));
	TEST(!test_gets_many(t, "\x62\0", VR_PIECE_MAX + 1, false));
	TEST(test_gets_many(t, "\x2a\0", VR_CLIENTS_MAX, true));
	TEST(!test_gets_many(t, "\x2a\0", VR_CLIENTS_MAX + 1, true));
}

static void announced_bytes_have_a_limit(struct test *t)
{
	struct wire_packed_header h = { .magic = WIRE_MAGIC_PROTOBUF, .bytes = WIRE_PACKED_MAX };
	struct vr_message got;
	char buffer[WIRE_BYTES] = "";
	uint64_t n_bad = t->in.n_bad;

	if (t->out.kind != WIRE_PROTOBUF)
		return;
	memcpy(buffer, &h, sizeof(h));
	TEST(!wire_get(&t->in, buffer, sizeof(h) + WIRE_PART, &got) && t->in.n_bad == n_bad);
	h.bytes++;
	memcpy(buffer, &h, sizeof(h));
	TEST(!wire_get(&t->in, buffer, sizeof(h) + WIRE_PART, &got) && t->in.n_bad == n_bad + 1);
	h.bytes = WIRE_PACKED_MAX;
	h.fragment = UINT32_MAX;
	memcpy(buffer, &h, sizeof(h));
	TEST(!wire_get(&t->in, buffer, sizeof(h) + WIRE_PART, &got) && t->in.n_bad == n_bad + 2);
	h.bytes = 0;
	h.fragment = 0;
	memcpy(buffer, &h, sizeof(h));
	TEST(!wire_get(&t->in, buffer, sizeof(h), &got) && t->in.n_bad == n_bad + 3);
}

static void test_kind(const char *name)
{
	static struct test t;

	memset(&t, 0, sizeof(t));
	t.seed = 1;
	if (!wire_kind_find(name, &t.out.kind)) {
		printf("built without %s: not tested\n", name);
		return;
	}
	every_message_arrives_as_it_was_sent(&t);
	a_client_takes_only_answers(&t);
	a_message_that_is_too_large_is_not_sent(&t);
	t.in.n_bad = 0;
	fragments_arrive_in_any_order_and_twice(&t);
	damaged_bytes_stay_within_the_limits(&t);
	a_plain_checkpoint_with_too_many_clients_is_refused(&t);
	protocol_buffers_that_no_replica_sends_are_refused(&t);
	announced_bytes_have_a_limit(&t);
	wire_fini(&t.in);
	wire_out_fini(&t.out);
}

int main(void)
{
	test_kind("plain");
	test_kind("protobuf");
	return test_failures ? 1 : 0;
}
