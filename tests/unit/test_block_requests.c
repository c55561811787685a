/* SPDX-License-Identifier: MIT */
/* Requests of block devices against a plain reading of random events. */
#include "unit.h"

#include "analyses/calls/block_requests.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/strings.h"

#include <stdio.h>

#define EVENTS 40u

static void add(struct dossier *d, struct calls *c, const char *text, uint64_t at_ns)
{
	uint32_t line = (uint32_t)c->marks.len + 1;

	*VEC_PUSH(&c->marks) = (struct call_mark){
		.time_ns = at_ns,
		.line = line,
		.text = strings_add(&d->strings, str_of(text)),
		.kind = MARK_EVENT,
	};
}

static void only_whole_events_of_requests_are_read(void **state)
{
	static const struct {
		const char *text;
		bool is_read;
	} cases[] = {
		{ "block_rq_issue: 8,0 WS 4096 () 100 + 8 [fio]", true },
		{ "block_rq_issue: 8,0 R 0 + 0", true },
		{ "block_rq_issue: 8,0 R 100 + 4294967295 [fio]", true },
		{ "block_rq_issue: 8,0 R 100 + 4294967296 [fio]", false },
		{ "block_rq_issue: 8,0 R 18446744073709551607 + 8 [fio]", true },
		{ "block_rq_issue: 8,0 R 18446744073709551608 + 8 [fio]", false },
		{ "block_rq_issue: 8,0 R x100 + 8 [fio]", false },
		{ "block_rq_issue: 8,0 R 100x + 8 [fio]", false },
		{ "block_rq_issue: 8,0 R 4096 () 100+8 [fio]", false },
		{ "block_rq_issue: 8,0", false },
		{ "block_rq_issue 8,0 R 4096 () 100 + 8 [fio]", false },
		{ "block_plug: 8,0 R 4096 () 100 + 8 [fio]", false },
		{ "sched_rq_issue: 8,0 R 4096 () 100 + 8 [fio]", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(dossier_freep) struct dossier *d = dossier_new();
		struct capture *c = dossier_add(d, "test");
		struct calls *calls = capture_calls(c);
		struct block_requests b;
		char end[100];

		add(d, calls, cases[i].text, 5);
		(void)snprintf(end, sizeof(end), "block_rq_complete%s",
			       cases[i].text + strlen("block_rq_issue"));
		add(d, calls, end, 9);
		block_requests_find(&b, c);
		if (b.done.len != cases[i].is_read)
			print_message("# %s\n", cases[i].text);
		assert_int_equal(b.done.len, cases[i].is_read);
		if (cases[i].is_read) {
			assert_int_equal(b.done.data[0].device_ns, 4);
			assert_false(b.done.data[0].has_wait);
			assert_int_equal(b.done.data[0].is_write, i == 0);
		}
		block_requests_fini(&b);
	}
}

/* An event as the test made it. Kinds: 0 to 2 queue, 3 issue, 4 complete. */
struct made {
	unsigned int kind, device, sector, sectors, at_ns;
	bool is_write;
};

static bool is_same(const struct made *a, const struct made *b)
{
	return a->device == b->device && a->sector == b->sector;
}

/* The request that the completion e[at] ends; line 0: none. */
static struct block_request plain(const struct made *e, size_t at)
{
	struct block_request r = { .sector = e[at].sector,
				   .sectors = e[at].sectors,
				   .end_line = (uint32_t)at + 1,
				   .is_write = e[at].is_write };
	size_t from = 0, issue = at, queue = at;

	for (size_t i = 0; i < at; i++) {
		if (e[i].kind == 4 && is_same(&e[i], &e[at]))
			from = i + 1;
	}
	/* the first event that queues it, and the issue after that; later ones begin it anew */
	for (size_t i = from; i < at; i++) {
		if (!is_same(&e[i], &e[at]))
			continue;
		if (e[i].kind == 3) {
			r.line = queue < at && issue == at ? r.line : (uint32_t)i + 1;
			issue = i;
		} else if (queue == at || issue < at) {
			queue = i;
			issue = at;
			r.line = (uint32_t)i + 1;
		}
	}
	if (issue == at || e[at].at_ns < e[issue].at_ns)
		return (struct block_request){ .line = 0 };
	r.device_ns = e[at].at_ns - e[issue].at_ns;
	r.has_wait = queue < at && e[queue].at_ns <= e[issue].at_ns;
	if (r.has_wait)
		r.wait_ns = e[issue].at_ns - e[queue].at_ns;
	return r;
}

/* The issue e[at] as the list should have it. */
static struct block_issue plain_issue(const struct made *e, size_t at)
{
	struct block_issue r = { .line = (uint32_t)at + 1, .sectors = e[at].sectors };
	size_t before = at;

	for (size_t i = 0; i < at; i++) {
		if (e[i].kind == 3 && e[i].device == e[at].device && e[i].sectors)
			before = i;
	}
	if (before == at)
		return r;
	r.is_next = e[before].sector + e[before].sectors == e[at].sector &&
		    e[before].is_write == e[at].is_write;
	r.gap_ns = e[at].at_ns >= e[before].at_ns ? e[at].at_ns - e[before].at_ns : 0;
	return r;
}

static uint64_t next(uint64_t *x, uint64_t below)
{
	*x = *x * 6364136223846793005u + 1442695040888963407u;
	return (*x >> 33) % below;
}

static void requests_are_pairs_of_issue_and_completion(void **state)
{
	static const char *const names[] = { "block_bio_queue", "block_getrq", "block_rq_insert",
					     "block_rq_issue", "block_rq_complete" };
	uint64_t x = 31;

	(void)state;
	for (int turn = 0; turn < 2000; turn++) {
		CLEANUP(dossier_freep) struct dossier *d = dossier_new();
		struct capture *c = dossier_add(d, "test");
		struct calls *calls = capture_calls(c);
		struct made e[EVENTS];
		size_t n = 1 + next(&x, EVENTS), n_done = 0, n_issued = 0;
		struct block_requests b;

		for (size_t i = 0; i < n; i++) {
			char text[100];

			e[i] = (struct made){ (unsigned int)next(&x, 5), (unsigned int)next(&x, 2),
					      8 * (unsigned int)next(&x, 3),
					      8 * (unsigned int)next(&x, 3),
					      /* events of other CPUs may be older */
					      (unsigned int)(10 * i + next(&x, 15)), next(&x, 2) };
			(void)snprintf(text, sizeof(text), "%s: 8,%u %s 4096 () %u + %u [fio]",
				       names[e[i].kind], e[i].device, e[i].is_write ? "WS" : "R",
				       e[i].sector, e[i].sectors);
			add(d, calls, text, e[i].at_ns);
		}
		block_requests_find(&b, c);
		for (size_t i = 0; i < n; i++) {
			struct block_request r = { .line = 0 }, *have;

			if (e[i].kind == 3 && e[i].sectors) {
				struct block_issue want = plain_issue(e, i), *is;

				assert_true(n_issued < b.issued.len);
				is = &b.issued.data[n_issued++];
				assert_int_equal(is->line, want.line);
				assert_int_equal(is->sectors, want.sectors);
				assert_int_equal(is->is_next, want.is_next);
				assert_int_equal(is->gap_ns, want.gap_ns);
			}
			if (e[i].kind == 4)
				r = plain(e, i);
			if (r.line == 0)
				continue;
			assert_true(n_done < b.done.len);
			have = &b.done.data[n_done++];
			assert_str(b.devices.data[have->device].name, e[i].device ? "8,1" : "8,0");
			assert_int_equal(have->line, r.line);
			assert_int_equal(have->end_line, r.end_line);
			assert_int_equal(have->sector, r.sector);
			assert_int_equal(have->sectors, r.sectors);
			assert_int_equal(have->device_ns, r.device_ns);
			assert_int_equal(have->has_wait, r.has_wait);
			assert_int_equal(have->wait_ns, r.wait_ns);
			assert_int_equal(have->is_write, r.is_write);
		}
		assert_int_equal(n_done, b.done.len);
		assert_int_equal(n_issued, b.issued.len);
		block_requests_fini(&b);
	}
}

/* What the kernel could not merge, and what it merged. */
static void flushes_merges_and_splits_are_counted(void **state)
{
	static const char *const texts[] = {
		"block_rq_issue: 8,0 W 4096 () 100 + 8 [a]",
		"block_rq_insert: 8,0 W 4096 () 108 + 8 [a]",
		"block_rq_complete: 8,0 W () 100 + 8 [0]",
		"block_rq_issue: 8,0 W 4096 () 108 + 8 [a]", /* queued while 100 was pending */
		"block_rq_issue: 8,0 FF 0 () 0 + 0 [a]",
		"block_rq_issue: 8,0 W 4096 () 116 + 8 [a]", /* behind a flush */
		"block_rq_issue: 8,0 DS 4096 () 124 + 8 [a]",
		"block_rq_complete: 8,0 W () 116 + 8 [0]",
		"block_rq_issue: 8,0 WFS 4096 () 124 + 8 [a]",
		"block_bio_backmerge: 8,1 W 132 + 8 [a]",
		"block_bio_frontmerge: 8,1 W 92 + 8 [a]",
		"block_rq_merge: 8,1 W 4096 () 92 + 8 [a]",
		"block_split: 8,1 W 132 / 140 [a]",
	};
	static const struct block_issue want[] = {
		{ .line = 1 },
		{ .line = 4, .is_next = true, .is_pending = true, .is_queued = true },
		{ .line = 6, .is_next = true, .is_pending = true, .is_flushed = true },
		{ .line = 9, .is_next = true, .is_flushed = true },
	};
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct capture *c = dossier_add(d, "test");
	struct block_requests b;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		add(d, capture_calls(c), texts[i], 10 * i);
	block_requests_find(&b, c);
	assert_int_equal(b.issued.len, ARRAY_LEN(want));
	for (size_t i = 0; i < ARRAY_LEN(want); i++) {
		assert_int_equal(b.issued.data[i].line, want[i].line);
		assert_int_equal(b.issued.data[i].is_next, want[i].is_next);
		assert_int_equal(b.issued.data[i].is_pending, want[i].is_pending);
		assert_int_equal(b.issued.data[i].is_queued, want[i].is_queued);
		assert_int_equal(b.issued.data[i].is_flushed, want[i].is_flushed);
	}
	assert_int_equal(b.devices.len, 2);
	assert_int_equal(b.devices.data[0].issues, 4);
	assert_int_equal(b.devices.data[0].merges, 0);
	assert_int_equal(b.devices.data[1].merges, 3);
	assert_int_equal(b.devices.data[1].splits, 1);
	block_requests_fini(&b);
}

/* Past 64 devices, the last one stands for all others. */
static void devices_are_limited(void **state)
{
	(void)state;
	for (unsigned int n = 63; n <= 66; n++) {
		CLEANUP(dossier_freep) struct dossier *d = dossier_new();
		struct capture *c = dossier_add(d, "test");
		struct calls *calls = capture_calls(c);
		struct block_requests b;

		for (unsigned int i = 0; i < n; i++) {
			char text[60];

			(void)snprintf(text, sizeof(text), "block_rq_issue: 8,%u R 8 + 8", i);
			add(d, calls, text, i);
			(void)snprintf(text, sizeof(text), "block_rq_complete: 8,%u R 8 + 8", i);
			add(d, calls, text, i);
		}
		block_requests_find(&b, c);
		assert_int_equal(b.done.len, n);
		assert_int_equal(b.devices.len, n < 64 ? n : 64);
		assert_int_equal(b.done.data[n - 1].device, n < 64 ? n - 1 : 63);
		block_requests_fini(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_whole_events_of_requests_are_read),
		cmocka_unit_test(requests_are_pairs_of_issue_and_completion),
		cmocka_unit_test(flushes_merges_and_splits_are_counted),
		cmocka_unit_test(devices_are_limited),
	};

	return cmocka_run_group_tests_name("block requests", tests, NULL, NULL);
}
