/* SPDX-License-Identifier: MIT */
/*
 * Function graphs recorded by BPF, without a kernel: a ring buffer in memory, and the file as
 * readers see it; a list of functions, and the selection from it.
 */
#include "core/capture.h"
#include "unit.h"

#include "base/idmap.h"
#include "base/newfile.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "config.h"
#include "core/calls.h"
#include "core/dossier.h"
#include "core/strings.h"
#include "record/graph/ftrace.h"
#include "record/graph/ftrace_parts.h"
#include "record/graph/graph_bpf_wire.h"
#include "record/perf/rec.h"
#include "record/perf/record.h"

#if HAVE_BPF

#include "formats/load.h"
#include "record/graph/graph_bpf.h"

#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define RING 65536u

struct fake {
	char output[64];
	struct ftrace ftrace;
	struct ftrace_options options;
	struct record_spec spec;
	struct record_result result;
	struct graph_bpf g;
	uint8_t *memory; /* consumer's page, producer's page, data */
	uint64_t at;
	uint32_t lost; /* loss count of the next records */
};

static void fake_init(struct fake *f)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct error err = { "" };
	int fd;

	memset(f, 0, sizeof(*f));
	(void)snprintf(f->output, sizeof(f->output), "/tmp/assay-graph-XXXXXX");
	fd = mkstemp(f->output);
	assert_true(fd >= 0);
	(void)close(fd);
	f->spec.output = f->output;
	f->ftrace.rec.spec = &f->spec;
	f->ftrace.rec.result = &f->result;
	f->ftrace.rec.output = (struct newfile)NEWFILE_NONE;
	assert_int_equal(rec_output_find(&f->ftrace.rec, &ftrace_kind, &err), OK);
	f->ftrace.options = &f->options;
	f->ftrace.source = &graph_bpf_source;
	f->ftrace.bpf = &f->g;
	f->ftrace.page_bytes = 4096;
	*VEC_PUSH(&f->options.functions) = "work";
	f->g.ftrace = &f->ftrace;
	f->g.ring_bytes = RING;
	assert_int_equal(ftrace_buffers_add(&f->ftrace, -1, &err), OK);
	f->memory = calloc(1, 2 * page + RING);
	assert_non_null(f->memory);
	*VEC_PUSH(&f->g.cpus) = (struct graph_cpu){ .map = 0,
						    .consumer = f->memory,
						    .producer = f->memory + page,
						    .page = calloc(1, 4096) };
}

static void fake_fini(struct fake *f)
{
	(void)unlink(f->output);
	ftrace_buffers_fini(&f->ftrace);
	newfile_fini(&f->ftrace.rec.output);
	free(f->g.cpus.data[0].page);
	free(f->memory);
	VEC_FREE(&f->g.cpus);
	VEC_FREE(&f->g.cpu_counts);
	VEC_FREE(&f->g.tasks);
	idmap_fini(&f->g.task_ids);
	VEC_FREE(&f->options.functions);
}

/* Add a record to the ring, as the kernel does. */
static void fake_put(struct fake *f, const void *record, uint32_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *p = f->memory + 2 * page + f->at;

	assert_true(f->at + size + 8 <= RING);
	memcpy(p, &size, 4);
	memcpy(p + 8, record, size);
	f->at += (size + 8 + 7) / 8 * 8;
	memcpy(f->memory + page, &f->at, 8);
}

static struct graph_record fake_head(uint8_t type, uint64_t time, uint8_t depth)
{
	return (struct graph_record){ .time = time,
				      .ip = UINT64_C(0xffffffff81000000) + depth * 256u,
				      .tid = 42,
				      .type = type,
				      .depth = depth };
}

static void fake_enter(struct fake *f, uint64_t time, uint8_t depth)
{
	struct graph_record r = fake_head(GRAPH_ENTRY, time, depth);

	r.lost = f->lost;
	fake_put(f, &r, sizeof(r));
}

static void fake_leave(struct fake *f, uint64_t time, uint8_t depth, uint64_t from, uint64_t value)
{
	struct graph_exit r = { .head = fake_head(GRAPH_EXIT, time, depth),
				.value = value,
				.from = from };

	r.head.lost = f->lost;
	fake_put(f, &r, sizeof(r));
}

/* NULL: no reader for such files in this build. */
static struct dossier *fake_read(struct fake *f)
{
	struct dossier *d = dossier_new();
	struct error err = { "" };

	graph_file_drain(&f->g, true);
	assert_int_equal(f->ftrace.rec.file.error, 0);
	assert_int_equal(ftrace_file_write(&f->ftrace, &err), OK);
	if (!HAVE_TRACEEVENT) {
		dossier_free(d);
		return NULL;
	}
	assert_int_equal(load_input(d, f->output, NULL, &err), OK);
	assert_int_equal(d->captures.len, 1);
	return d;
}

static void records_become_calls_with_times_and_values(void **state)
{
	const uint64_t base = UINT64_C(5000000000);
	struct graph_name name = { .head = fake_head(GRAPH_NAME, base, 0), .comm = "worker" };
	struct fake f;
	struct dossier *d;
	const struct calls *c;

	(void)state;
	fake_init(&f);
	fake_put(&f, &name, sizeof(name));
	fake_enter(&f, base, 0);
	fake_enter(&f, base + 1000, 1);
	fake_leave(&f, base + 3500, 1, base + 1000, UINT64_MAX - 110);
	/* a time delta of more than 27 bits, then a time before the previous one */
	fake_leave(&f, base + UINT64_C(3000000000), 0, base, 100);
	fake_enter(&f, base + 10, 0);
	d = fake_read(&f);
	if (!d)
		goto out;
	c = d->captures.data[0]->calls;
	assert_int_equal(c->n, 3);
	assert_int_equal(calls_duration(c, 0), UINT64_C(3000000000));
	assert_int_equal(calls_duration(c, 1), 2500);
	assert_int_equal(c->parent.data[1], 0);
	assert_int_equal(c->start_ns.data[1], base + 1000);
	assert_true(c->start_ns.data[2] >= base + UINT64_C(3000000000));
	assert_str(strings_get(&d->strings, c->lanes.data[c->lane.data[0]].comm), "worker");
	assert_int_equal(c->lanes.data[c->lane.data[0]].pid, 42);
	assert_int_equal(f.g.n_records, 5);
	dossier_free(d);
out:
	fake_fini(&f);
}

static void records_without_room_are_reported_at_the_gap(void **state)
{
	const uint64_t base = UINT64_C(5000000000);
	struct fake f;
	struct dossier *d;
	const struct calls *c;

	(void)state;
	fake_init(&f);
	fake_enter(&f, base, 0);
	fake_leave(&f, base + 50, 0, base, 0);
	f.lost = 7;
	fake_enter(&f, base + 100, 0);
	fake_leave(&f, base + 150, 0, base + 100, 0);
	d = fake_read(&f);
	if (!d)
		goto out;
	c = d->captures.data[0]->calls;
	assert_int_equal(c->n, 2);
	assert_int_equal(c->lost_events, 7);
	dossier_free(d);
out:
	fake_fini(&f);
}

static void switches_and_interrupts_become_marks(void **state)
{
	const uint64_t base = UINT64_C(5000000000);
	struct graph_switch s = { .head = fake_head(GRAPH_SWITCH, base + 20, 0),
				  .prev_comm = "worker",
				  .prev_pid = 42,
				  .prev_state = 1,
				  .next_comm = "other\n",
				  .next_pid = 43 };
	struct graph_record timer = fake_head(GRAPH_TIMER_ENTRY, base + 10, 0);
	struct fake f;
	struct dossier *d;
	const struct calls *c;

	(void)state;
	fake_init(&f);
	fake_enter(&f, base, 0);
	timer.number = 236;
	fake_put(&f, &timer, sizeof(timer));
	timer.type = GRAPH_TIMER_EXIT;
	fake_put(&f, &timer, sizeof(timer));
	fake_put(&f, &s, sizeof(s));
	fake_leave(&f, base + 50, 0, base, 0);
	d = fake_read(&f);
	if (!d)
		goto out;
	c = d->captures.data[0]->calls;
	assert_int_equal(c->marks.len, 3);
	assert_str(strings_get(&d->strings, c->marks.data[0].text),
		   "local_timer_entry: vector=236");
	assert_true(str_contains(strings_get(&d->strings, c->marks.data[2].text),
				 STR("prev_pid=42 prev_prio=0 prev_state=S ==> next_comm=other")));
	dossier_free(d);
out:
	fake_fini(&f);
}

static void no_pages_of_many_records_are_lost(void **state)
{
	const uint64_t base = UINT64_C(5000000000);
	struct fake f;
	struct dossier *d;

	(void)state;
	fake_init(&f);
	for (uint64_t i = 0; i < 500; i++) {
		fake_enter(&f, base + i * 100, 0);
		fake_leave(&f, base + i * 100 + 50, 0, base + i * 100, i);
	}
	d = fake_read(&f);
	if (!d)
		goto out;
	assert_int_equal(d->captures.data[0]->calls->n, 500);
	assert_true(f.ftrace.bytes > 2 * 4096);
	dossier_free(d);
out:
	fake_fini(&f);
}

static void write_list(const char *root, const char *name, const char *text)
{
	char path[128];
	FILE *out;

	(void)snprintf(path, sizeof(path), "%s/%s", root, name);
	out = fopen(path, "w");
	assert_non_null(out);
	(void)fputs(text, out);
	assert_int_equal(fclose(out), 0);
}

static void choose(const char *root, const char *function, const char *only, bool is_single,
		   int want, struct graph_names *ret)
{
	struct ftrace_options options = { .root = root };
	struct ftrace t = { .options = &options };
	struct error err = { "" };

	memset(ret, 0, sizeof(*ret));
	*VEC_PUSH(&options.functions) = function;
	if (only)
		*VEC_PUSH(&options.only) = only;
	assert_int_equal(graph_names_choose(ret, &t, is_single, &err), want);
	VEC_FREE(&options.functions);
	VEC_FREE(&options.only);
}

static void functions_are_chosen_by_names_and_globs(void **state)
{
	static const char list[] = "ffffffff81000004 udp_sendmsg\n"
				   "ffffffff81000104 udp_recvmsg\n"
				   "ffffffff81000204 __rcu_read_lock\n"
				   "ffffffff81000304 __ftrace_invalid_address___16\n"
				   "ffffffffc0000004 nf_hook [nf_tables]\n";
	char root[] = "/tmp/assay-names-XXXXXX";
	struct graph_names n;
	char path[128];

	(void)state;
	assert_non_null(mkdtemp(root));
	write_list(root, "available_filter_functions_addrs", list);
	choose(root, "udp_sendmsg", NULL, false, OK, &n);
	/* all traceable functions except those that the programs call themselves */
	assert_int_equal(n.functions.len, 3);
	assert_true(n.is_all);
	assert_true(n.functions.data[0].is_root);
	assert_int_equal(n.functions.data[0].address, UINT64_C(0xffffffff81000004));
	assert_false(n.functions.data[1].is_root);
	assert_true(n.functions.data[2].is_module);
	graph_names_fini(&n);
	choose(root, "udp_*", "__rcu_*", false, OK, &n);
	assert_int_equal(n.functions.len, 3);
	assert_true(n.functions.data[1].is_root);
	assert_false(n.functions.data[2].is_root);
	graph_names_fini(&n);
	choose(root, "udp_sendmsg", NULL, true, OK, &n);
	assert_int_equal(n.functions.len, 1);
	graph_names_fini(&n);
	choose(root, "no_such_*", NULL, false, ERR_NOTFOUND, &n);
	graph_names_fini(&n);
	(void)snprintf(path, sizeof(path), "%s/available_filter_functions_addrs", root);
	(void)unlink(path);
	(void)rmdir(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_become_calls_with_times_and_values),
		cmocka_unit_test(records_without_room_are_reported_at_the_gap),
		cmocka_unit_test(switches_and_interrupts_become_marks),
		cmocka_unit_test(no_pages_of_many_records_are_lost),
		cmocka_unit_test(functions_are_chosen_by_names_and_globs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

static void it_is_not_built(void **state)
{
	(void)state;
	SKIP_TEST("this build has no libbpf");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(it_is_not_built) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
