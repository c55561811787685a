/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/out.h"
#include "record/window/window.h"

#include <linux/perf_event.h>
#include <stdio.h>

#define SECOND   UINT64_C(1000000000)
#define ID_BYTES 32u
#define TIME_AT  32u

/* Records as the kernel writes them, for sample_type IDENTIFIER, IP, TID, TIME, CPU. */
struct made {
	struct out out;
};

static size_t made_begin(struct made *m, uint32_t type, uint16_t misc)
{
	struct perf_event_header h = { type, misc, 0 };
	size_t at = m->out.len;

	out_bytes(&m->out, &h, sizeof(h));
	return at;
}

static void made_u32(struct made *m, uint32_t v)
{
	out_bytes(&m->out, &v, sizeof(v));
}

static void made_u64(struct made *m, uint64_t v)
{
	out_bytes(&m->out, &v, sizeof(v));
}

static void made_end(struct made *m, size_t at, uint32_t pid, uint32_t tid, uint64_t time)
{
	uint16_t size;

	made_u32(m, pid);
	made_u32(m, tid);
	made_u64(m, time);
	made_u64(m, 0);
	made_u64(m, 7);
	size = (uint16_t)(m->out.len - at);
	memcpy(m->out.data + at + 6, &size, sizeof(size));
}

static void made_sample(struct made *m, uint32_t pid, uint64_t time)
{
	uint64_t words[6] = { 7, 0x401000, pid | (uint64_t)pid << 32, 0, 0, 1 };
	struct perf_event_header h = { PERF_RECORD_SAMPLE, 2, sizeof(h) + sizeof(words) };

	words[3] = time;
	out_bytes(&m->out, &h, sizeof(h));
	out_bytes(&m->out, words, sizeof(words));
}

static void made_map(struct made *m, uint32_t pid, uint64_t start, uint64_t len, const char *name,
		     uint64_t time)
{
	size_t at = made_begin(m, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);

	made_u32(m, pid);
	made_u32(m, pid);
	made_u64(m, start);
	made_u64(m, len);
	made_u64(m, 0);
	out_repeat(&m->out, '\0', 24);
	made_u32(m, 5);
	made_u32(m, 2);
	out_z(&m->out, name);
	out_repeat(&m->out, '\0', 8 - strlen(name) % 8);
	made_end(m, at, pid, pid, time);
}

static void made_comm(struct made *m, uint32_t pid, const char *name, bool is_exec, uint64_t time)
{
	size_t at = made_begin(m, PERF_RECORD_COMM, is_exec ? PERF_RECORD_MISC_COMM_EXEC : 0);

	made_u32(m, pid);
	made_u32(m, pid);
	out_z(&m->out, name);
	out_repeat(&m->out, '\0', 8 - strlen(name) % 8);
	made_end(m, at, pid, pid, time);
}

static void made_fork(struct made *m, uint32_t type, uint32_t pid, uint32_t parent, uint64_t time)
{
	size_t at = made_begin(m, type, 0);

	made_u32(m, pid);
	made_u32(m, parent);
	made_u32(m, pid);
	made_u32(m, parent);
	made_u64(m, time);
	made_end(m, at, pid, pid, time);
}

/* Pass the records @m to the window, as if drained in one go. */
static void give(struct window *w, struct made *m)
{
	struct iovec iov = { m->out.data, m->out.len };

	window_take(w, &iov, 1);
	m->out.len = 0;
}

static struct window *make(uint64_t seconds, uint64_t max_bytes)
{
	const struct window_options options = {
		.span_ns = seconds * SECOND,
		.max_bytes = max_bytes,
		.time_at = TIME_AT,
		.id_bytes = ID_BYTES,
	};

	return window_new(&options, 0);
}

/*
 * Number of records in the window's output that have @type, process @pid (0: any) and the text
 * @name (NULL: any).
 */
static unsigned int written(struct window *w, uint32_t type, uint32_t pid, const char *name)
{
	struct out out = { .fd = -1 };
	unsigned int n = 0;

	window_write(w, &out);
	for (size_t at = 0; at + 8 <= out.len;) {
		struct perf_event_header h;
		uint32_t of;

		memcpy(&h, out.data + at, sizeof(h));
		assert_true(h.size >= 8 && at + h.size <= out.len);
		memcpy(&of, out.data + at + (h.type == PERF_RECORD_SAMPLE ? 24 : 8), sizeof(of));
		if (h.type == type && (pid == 0 || of == pid) &&
		    (!name || memmem(out.data + at, h.size, name, strlen(name))))
			n++;
		at += h.size;
	}
	out_fini(&out);
	return n;
}

static void slices_past_the_span_go_and_the_sum_says_what_is_left(void **state)
{
	struct window *w = make(3, 1 << 20);
	struct made m = { .out = { .fd = -1 } };
	struct window_sum sum;

	(void)state;
	for (uint64_t t = 1; t <= 10; t++) {
		made_sample(&m, 5, t * SECOND - 1);
		give(w, &m);
		window_cut(w, t * SECOND);
	}
	window_sum(w, &sum);
	assert_int_equal(sum.samples, 3);
	assert_int_equal(sum.from_ns, 7 * SECOND);
	assert_int_equal(sum.until_ns, 10 * SECOND);
	assert_false(sum.is_short);
	assert_int_equal(written(w, PERF_RECORD_SAMPLE, 5, NULL), 3);
	out_fini(&m.out);
	window_free(w);
}

static void for_want_of_room_the_oldest_go_but_never_the_last(void **state)
{
	struct window *w = make(1000, 200);
	struct made m = { .out = { .fd = -1 } };
	struct window_sum sum;

	(void)state;
	for (uint64_t t = 1; t <= 4; t++) {
		for (unsigned int i = 0; i < 10; i++)
			made_sample(&m, 5, t * SECOND - 1);
		give(w, &m);
		window_cut(w, t * SECOND);
	}
	window_sum(w, &sum);
	assert_int_equal(sum.samples, 10);
	assert_true(sum.is_short);
	assert_int_equal(sum.from_ns, 3 * SECOND);
	out_fini(&m.out);
	window_free(w);
}

static void maps_and_names_outlive_the_slices_they_came_in(void **state)
{
	struct window *w = make(2, 1 << 20);
	struct made m = { .out = { .fd = -1 } };

	(void)state;
	made_comm(&m, 5, "worker", true, 1);
	made_map(&m, 5, 0x400000, 0x1000, "/bin/worker", 2);
	made_map(&m, 6, 0x400000, 0x1000, "/bin/idle", 2);
	give(w, &m);
	for (uint64_t t = 1; t <= 9; t++) {
		made_sample(&m, 5, t * SECOND - 1);
		give(w, &m);
		window_cut(w, t * SECOND);
	}
	assert_int_equal(written(w, PERF_RECORD_MMAP2, 5, "/bin/worker"), 1);
	assert_int_equal(written(w, PERF_RECORD_COMM, 5, "worker"), 1);
	/* process 6 has no sample: its maps are not needed */
	assert_int_equal(written(w, PERF_RECORD_MMAP2, 6, NULL), 0);
	out_fini(&m.out);
	window_free(w);
}

static void what_was_there_before_is_written_with_the_pid_and_time_zero(void **state)
{
	struct window *w = make(2, 1 << 20);
	struct made m = { .out = { .fd = -1 } };
	struct out out = { .fd = -1 };
	uint64_t time;

	(void)state;
	made_map(&m, 5, 0x400000, 0x1000, "/bin/old", 77);
	window_describe(w, m.out.data, m.out.len);
	m.out.len = 0;
	made_sample(&m, 5, 10);
	give(w, &m);
	window_cut(w, SECOND);
	window_write(w, &out);
	memcpy(&time, out.data + ((struct perf_event_header *)(void *)out.data)->size - 24, 8);
	assert_int_equal(time, 0);
	out_fini(&out);
	out_fini(&m.out);
	window_free(w);
}

static void a_fork_has_the_maps_of_its_parent_and_an_exec_none_of_them(void **state)
{
	struct window *w = make(1, 1 << 20);
	struct made m = { .out = { .fd = -1 } };

	(void)state;
	made_comm(&m, 5, "shell", true, 1);
	made_map(&m, 5, 0x400000, 0x1000, "/bin/shell", 2);
	made_fork(&m, PERF_RECORD_FORK, 8, 5, 3);
	made_fork(&m, PERF_RECORD_FORK, 9, 5, 4);
	made_comm(&m, 9, "tool", true, 5);
	made_map(&m, 9, 0x500000, 0x1000, "/bin/tool", 6);
	give(w, &m);
	for (uint64_t t = 1; t <= 4; t++) {
		made_sample(&m, 8, t * SECOND - 2);
		made_sample(&m, 9, t * SECOND - 1);
		give(w, &m);
		window_cut(w, t * SECOND);
	}
	assert_int_equal(written(w, PERF_RECORD_MMAP2, 8, "/bin/shell"), 1);
	assert_int_equal(written(w, PERF_RECORD_COMM, 8, "shell"), 1);
	assert_int_equal(written(w, PERF_RECORD_MMAP2, 9, "/bin/tool"), 1);
	assert_int_equal(written(w, PERF_RECORD_MMAP2, 9, "/bin/shell"), 0);
	out_fini(&m.out);
	window_free(w);
}

static void a_fork_inside_the_window_brings_the_maps_of_a_parent_without_samples(void **state)
{
	struct window *w = make(1, 1 << 20);
	struct made m = { .out = { .fd = -1 } };

	(void)state;
	made_map(&m, 5, 0x400000, 0x1000, "/bin/shell", 2);
	window_describe(w, m.out.data, m.out.len);
	m.out.len = 0;
	made_fork(&m, PERF_RECORD_FORK, 8, 5, 3);
	made_sample(&m, 8, 4);
	give(w, &m);
	window_cut(w, SECOND);
	assert_int_equal(written(w, PERF_RECORD_MMAP2, 5, "/bin/shell"), 1);
	out_fini(&m.out);
	window_free(w);
}

static void records_of_several_buffers_are_taken_in_order_of_time(void **state)
{
	struct window *w = make(1, 1 << 20);
	struct made m = { .out = { .fd = -1 } };

	(void)state;
	/* the exec was on one CPU, the earlier maps on another, drained later */
	made_comm(&m, 5, "new", true, 50);
	made_map(&m, 5, 0x500000, 0x1000, "/bin/new", 60);
	made_map(&m, 5, 0x400000, 0x1000, "/bin/old", 10);
	give(w, &m);
	window_cut(w, SECOND);
	for (uint64_t t = 2; t <= 4; t++) {
		made_sample(&m, 5, t * SECOND - 1);
		give(w, &m);
		window_cut(w, t * SECOND);
	}
	assert_int_equal(written(w, PERF_RECORD_MMAP2, 5, "/bin/new"), 1);
	assert_int_equal(written(w, PERF_RECORD_MMAP2, 5, "/bin/old"), 0);
	out_fini(&m.out);
	window_free(w);
}

static void memory_does_not_grow_with_processes_that_end(void **state)
{
	struct window *w = make(1, 1 << 20);
	struct made m = { .out = { .fd = -1 } };
	struct window_sum sum;

	(void)state;
	made_map(&m, 5, 0x400000, 0x1000, "/bin/shell", 1);
	window_describe(w, m.out.data, m.out.len);
	m.out.len = 0;
	for (uint64_t t = 1; t <= 200; t++) {
		for (uint32_t i = 0; i < 50; i++) {
			uint32_t pid = 1000 + (uint32_t)t * 50 + i;

			made_fork(&m, PERF_RECORD_FORK, pid, 5, t * SECOND - 100);
			made_map(&m, pid, 0x700000, 0x1000, "/lib/x.so", t * SECOND - 90);
			made_fork(&m, PERF_RECORD_EXIT, pid, 5, t * SECOND - 10);
		}
		give(w, &m);
		window_cut(w, t * SECOND);
	}
	window_sum(w, &sum);
	assert_true(sum.processes < 700);
	assert_true(sum.threads < 700);
	assert_true(sum.maps < 200);
	out_fini(&m.out);
	window_free(w);
}

static void a_process_that_maps_without_end_keeps_the_latest(void **state)
{
	struct window *w = make(1, UINT64_C(1) << 30);
	struct made m = { .out = { .fd = -1 } };
	struct window_sum sum;

	(void)state;
	for (uint64_t i = 0; i < WINDOW_MAPS_MAX + 100; i++)
		made_map(&m, 5, 0x1000000 + i * 0x2000, 0x1000, "//anon", i + 1);
	give(w, &m);
	window_cut(w, SECOND);
	window_cut(w, 3 * SECOND);
	window_cut(w, 5 * SECOND);
	window_sum(w, &sum);
	assert_int_equal(sum.maps, WINDOW_MAPS_MAX);
	assert_int_equal(sum.forgotten, 100);
	/* one map over all others replaces them */
	made_map(&m, 5, 0, UINT64_C(1) << 40, "/bin/all", 6 * SECOND - 1);
	give(w, &m);
	window_cut(w, 6 * SECOND);
	window_cut(w, 8 * SECOND);
	window_cut(w, 10 * SECOND);
	window_sum(w, &sum);
	assert_int_equal(sum.maps, 1);
	out_fini(&m.out);
	window_free(w);
}

static void an_end_waits_for_what_is_older_and_comes_later(void **state)
{
	struct window *w = make(1, 1 << 20);
	struct made m = { .out = { .fd = -1 } };
	struct window_sum sum;

	(void)state;
	made_comm(&m, 5, "one", false, 10);
	give(w, &m);
	window_cut(w, SECOND);
	/*
	 * another CPU's buffer is drained later: it contains the earlier map record, which follows
	 * here
	 */
	made_fork(&m, PERF_RECORD_EXIT, 5, 5, SECOND + 20);
	give(w, &m);
	window_cut(w, 2 * SECOND);
	made_map(&m, 5, 0x1000, 0x1000, "/bin/one", SECOND + 10);
	give(w, &m);
	for (uint64_t i = 3; i < 7; i++)
		window_cut(w, i * SECOND);
	window_sum(w, &sum);
	assert_int_equal(sum.maps, 0);
	assert_int_equal(sum.processes, 1);
	out_fini(&m.out);
	window_free(w);
}

static void samples_before_a_time_go_and_counts_follow(void **state)
{
	struct window *w = make(10, 1 << 20);
	struct made m = { .out = { .fd = -1 } };
	struct window_sum sum;
	struct {
		struct perf_event_header header;
		uint64_t lost;
		uint8_t id[ID_BYTES];
	} lost = { .header = { PERF_RECORD_LOST_SAMPLES, 0, sizeof(lost) }, .lost = 7 };

	(void)state;
	for (uint64_t i = 1; i <= 10; i++)
		made_sample(&m, 5, i * SECOND / 10);
	made_comm(&m, 5, "one", false, SECOND / 10);
	out_bytes(&m.out, &lost, sizeof(lost));
	give(w, &m);
	window_cut(w, SECOND);
	window_sum(w, &sum);
	assert_int_equal(sum.samples, 10);
	assert_int_equal(sum.lost, 7);
	window_trim(w, SECOND / 2);
	window_sum(w, &sum);
	assert_int_equal(sum.samples, 6);
	assert_true(sum.first_ns == SECOND / 2 && sum.last_ns == SECOND);
	assert_int_equal(sum.lost, 7);
	window_write(w, &m.out);
	assert_int_equal(m.out.len, sum.bytes);
	out_fini(&m.out);
	window_free(w);
}

static void a_pause_keeps_samples_and_still_learns_of_maps(void **state)
{
	struct window *w = make(2, 1 << 20);
	struct made m = { .out = { .fd = -1 } };
	struct window_sum sum;

	(void)state;
	made_sample(&m, 5, 1);
	give(w, &m);
	window_cut(w, SECOND);
	window_pause(w, true, SECOND);
	made_sample(&m, 5, 5 * SECOND);
	made_map(&m, 5, 0x400000, 0x1000, "/bin/late", 6 * SECOND);
	made_sample(&m, 5, 7 * SECOND);
	give(w, &m);
	window_pause(w, false, 100 * SECOND);
	window_sum(w, &sum);
	assert_int_equal(sum.samples, 1);
	assert_int_equal(sum.held_ns, SECOND);
	assert_int_equal(written(w, PERF_RECORD_MMAP2, 5, "/bin/late"), 1);
	made_sample(&m, 5, 101 * SECOND);
	give(w, &m);
	window_cut(w, 101 * SECOND);
	window_cut(w, 104 * SECOND);
	window_sum(w, &sum);
	assert_int_equal(sum.samples, 0);
	assert_int_equal(written(w, PERF_RECORD_MMAP2, 5, "/bin/late"), 0);
	out_fini(&m.out);
	window_free(w);
}

static void a_record_over_the_end_of_a_buffer_is_one(void **state)
{
	struct window *w = make(1, 1 << 20);
	struct made m = { .out = { .fd = -1 } };
	struct window_sum sum;

	(void)state;
	made_sample(&m, 5, 10);
	made_sample(&m, 5, 20);
	for (size_t cut = 1; cut < m.out.len; cut++) {
		struct iovec iov[] = { { m.out.data, cut }, { m.out.data + cut, m.out.len - cut } };

		window_take(w, iov, 2);
	}
	window_cut(w, SECOND);
	window_sum(w, &sum);
	assert_int_equal(sum.samples, 2 * (m.out.len - 1));
	out_fini(&m.out);
	window_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slices_past_the_span_go_and_the_sum_says_what_is_left),
		cmocka_unit_test(for_want_of_room_the_oldest_go_but_never_the_last),
		cmocka_unit_test(maps_and_names_outlive_the_slices_they_came_in),
		cmocka_unit_test(what_was_there_before_is_written_with_the_pid_and_time_zero),
		cmocka_unit_test(a_fork_has_the_maps_of_its_parent_and_an_exec_none_of_them),
		cmocka_unit_test(
			a_fork_inside_the_window_brings_the_maps_of_a_parent_without_samples),
		cmocka_unit_test(records_of_several_buffers_are_taken_in_order_of_time),
		cmocka_unit_test(memory_does_not_grow_with_processes_that_end),
		cmocka_unit_test(a_process_that_maps_without_end_keeps_the_latest),
		cmocka_unit_test(a_pause_keeps_samples_and_still_learns_of_maps),
		cmocka_unit_test(a_record_over_the_end_of_a_buffer_is_one),
		cmocka_unit_test(an_end_waits_for_what_is_older_and_comes_later),
		cmocka_unit_test(samples_before_a_time_go_and_counts_follow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
