/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "analyses/categories.h"
#include "analyses/top/top.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "profiles.h"
#include "transform/select.h"

#include <math.h>
#include <stdio.h>

static bool near(double a, double b)
{
	return fabs(a - b) < 1e-6;
}

static const struct top_row *row_named(const struct capture *c, const struct top *t, size_t key,
				       const char *name)
{
	char buffer[24];

	VEC_FOREACH (r, &t->rows) {
		if (str_eq(top_key_text(c, t, r, key, buffer), str_of(name)))
			return r;
	}
	return NULL;
}

static const char recursion[] = "app;main;f;g;f;g 3\n"
				"app;main;f 2\n"
				"app;main;h;sys_read_[k] 4\n"
				"other;main;h 1\n";

static void recursive_functions_count_a_sample_once(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct category_cache cats = { 0 };
	struct capture *c = profile_of_folded(d, recursion);
	struct top_spec spec = { .n_keys = 1 };
	struct error err;
	struct top t;

	(void)state;
	spec.keys[0].key = TOP_SYM;
	assert_int_equal(top_compute(c, &cats, &spec, &t, &err), OK);
	assert_int_equal(t.rows.len, 5);
	assert_int_equal(row_named(c, &t, 0, "f")->children, 5);
	assert_int_equal(row_named(c, &t, 0, "f")->self, 2);
	assert_int_equal(row_named(c, &t, 0, "g")->children, 3);
	assert_int_equal(row_named(c, &t, 0, "main")->children, 10);
	assert_true(near(row_named(c, &t, 0, "main")->children_pct, 100));
	assert_true(near(row_named(c, &t, 0, "sys_read")->self_pct, 40));
	assert_int_equal(t.total, 10);
	top_fini(&t);
	category_cache_fini(&cats);
}

static void groups_by_command_and_module_and_category(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct category_cache cats = { 0 };
	struct capture *c = profile_of_folded(d, recursion);
	struct error err;
	struct top t;

	(void)state;
	assert_int_equal(top_by(c, &cats, TOP_COMM, &t, &err), OK);
	assert_int_equal(row_named(c, &t, 0, "app")->self, 9);
	assert_int_equal(row_named(c, &t, 0, "app")->children, 9);
	assert_int_equal(row_named(c, &t, 0, "other")->self, 1);
	top_fini(&t);
	assert_int_equal(top_by(c, &cats, TOP_DSO, &t, &err), OK);
	assert_int_equal(row_named(c, &t, 0, "app")->self, 6);
	assert_int_equal(row_named(c, &t, 0, "app")->children, 10);
	assert_int_equal(row_named(c, &t, 0, "[kernel.kallsyms]")->self, 4);
	top_fini(&t);
	assert_int_equal(top_by(c, &cats, TOP_CATEGORY, &t, &err), OK);
	assert_int_equal(row_named(c, &t, 0, "filesystem/vfs")->self, 4);
	top_fini(&t);
	category_cache_fini(&cats);
}

static void filters_keep_percentages_of_the_whole(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct category_cache cats = { 0 };
	struct capture *c = profile_of_folded(d, recursion);
	static const struct str app = STR("app");
	struct top_spec spec = { .n_keys = 1, .comms = { &app, 1 } };
	struct error err;
	struct top t;

	(void)state;
	spec.keys[0].key = TOP_SYM;
	assert_int_equal(top_compute(c, &cats, &spec, &t, &err), OK);
	assert_int_equal(t.total, 9);
	assert_true(near(t.total_pct, 90));
	assert_int_equal(row_named(c, &t, 0, "main")->children, 9);
	top_fini(&t);
	spec.relative = true;
	assert_int_equal(top_compute(c, &cats, &spec, &t, &err), OK);
	assert_true(near(row_named(c, &t, 0, "main")->children_pct, 100));
	top_fini(&t);
	spec = (struct top_spec){ .under = STR("h"), .n_keys = 1, .percent_limit = 20 };
	spec.keys[0].key = TOP_COMM;
	assert_int_equal(top_compute(c, &cats, &spec, &t, &err), OK);
	assert_int_equal(t.total, 5);
	assert_int_equal(t.rows.len, 1);
	assert_int_equal(t.hidden_rows, 1);
	assert_int_equal(t.hidden, 1);
	top_fini(&t);
	category_cache_fini(&cats);
}

static void threads_split_what_stacks_share(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct category_cache cats = { 0 };
	struct capture *c = profile_of_folded(d, "app;main;f;f 3\napp;main 2\n");
	struct profile *p = c->profile;
	struct top_spec spec = { .n_keys = 2 };
	struct error err;
	struct top t;

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		struct profile_thread thread = { .pid = 7, .tid = 7 + i, true, true };

		*VEC_PUSH(&p->samples.thread) = profile_thread(p, thread);
	}
	assert_int_equal(profile_add_sample(p, p->samples.stack.data[0], 5), OK);
	*VEC_PUSH(&p->samples.thread) = 1;
	spec.keys[0].key = TOP_TID;
	spec.keys[1].key = TOP_SYM;
	assert_int_equal(top_compute(c, &cats, &spec, &t, &err), OK);
	assert_int_equal(t.rows.len, 4);
	assert_str(top_key_text(c, &t, &t.rows.data[0], 0, (char[24]){ 0 }), "8");
	assert_int_equal(t.rows.data[0].children, 7);
	VEC_FOREACH (r, &t.rows) {
		if (str_eq(top_key_text(c, &t, r, 1, (char[24]){ 0 }), STR("f")))
			assert_int_equal(r->children, r->keys[0] == 7 ? 3 : 5);
	}
	top_fini(&t);
	assert_int_equal(top_by(c, &cats, TOP_CPU, &t, &err), ERR_USAGE);
	category_cache_fini(&cats);
}

static void threads_with_numbered_commands_are_one_row(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct category_cache cats = { 0 };
	struct capture *c = dossier_add(d, "test");
	struct profile *p = capture_profile(c);
	struct error err;
	struct top t;

	(void)state;
	p->unit = WEIGHT_SAMPLES;
	for (uint32_t i = 0; i < 2; i++) {
		struct str comm = i ? STR("worker-12") : STR("worker-7");
		struct profile_thread thread = { .comm = strings_add(&d->strings, comm),
						 .pid = 7,
						 .tid = 7 + i,
						 .has_pid = true,
						 .has_tid = true };

		assert_int_equal(profile_add_sample(p, STACK_ROOT, 2 + i), OK);
		*VEC_PUSH(&p->samples.thread) = profile_thread(p, thread);
	}
	assert_int_equal(top_by(c, &cats, TOP_COMM, &t, &err), OK);
	assert_int_equal(t.rows.len, 2);
	top_fini(&t);
	assert_int_equal(top_by(c, &cats, TOP_COMM_NODIGIT, &t, &err), OK);
	assert_int_equal(t.rows.len, 1);
	assert_int_equal(row_named(c, &t, 0, "worker-<N>")->self, 5);
	top_fini(&t);
	category_cache_fini(&cats);
}

/* The samples of a thread that has no frames at all come after those of a thread that has some. */
static void samples_without_frames_are_in_the_row_of_their_thread(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct category_cache cats = { 0 };
	struct capture *c = profile_of_folded(d, "app;main;f 3\n");
	struct profile *p = c->profile;
	struct top_spec spec = { .n_keys = 1, .keys = { { .key = TOP_TID } } };
	struct error err;
	struct top t;

	(void)state;
	assert_int_equal(profile_add_sample(p, STACK_ROOT, 5), OK);
	for (uint32_t i = 0; i < 2; i++)
		*VEC_PUSH(&p->samples.thread) = profile_thread(
			p, (struct profile_thread){ .pid = 7, .tid = 7 + i, true, true });
	assert_int_equal(top_compute(c, &cats, &spec, &t, &err), OK);
	assert_int_equal(t.total, 8);
	assert_int_equal(t.rows.len, 2);
	assert_str(top_key_text(c, &t, &t.rows.data[0], 0, (char[24]){ 0 }), "8");
	assert_int_equal(t.rows.data[0].self, 5);
	assert_int_equal(t.rows.data[0].children, 5);
	top_fini(&t);
	category_cache_fini(&cats);
}

/* Each key and each filter needs its column; a report without it is refused. */
static void a_table_of_printed_rows_needs_their_columns(void **state)
{
	static const struct {
		enum top_key key;
		unsigned int bit;
	} needs[] = {
		{ TOP_COMM, ROW_HAS_COMM },
		{ TOP_COMM_NODIGIT, ROW_HAS_COMM },
		{ TOP_DSO, ROW_HAS_DSO },
		{ TOP_SYM, ROW_HAS_SYMBOL },
		{ TOP_CANONICAL, ROW_HAS_SYMBOL },
		{ TOP_SPACE, ROW_HAS_SYMBOL },
		{ TOP_CATEGORY, ROW_HAS_SYMBOL },
		{ TOP_PID, ROW_HAS_PID },
		{ TOP_CPU, ROW_HAS_CPU },
		{ TOP_TID, 0 },
		{ TOP_SOCKET, 0 },
		{ TOP_NODE, 0 },
	};
	const unsigned int all =
		ROW_HAS_COMM | ROW_HAS_DSO | ROW_HAS_SYMBOL | ROW_HAS_PID | ROW_HAS_CPU;
	struct str name = STR("x");
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct category_cache cats = { 0 };
	struct capture *c = dossier_add(d, "test");
	struct profile_row *row = profile_add_row(d, c, "x", "app", '.', "main", UINT64_MAX, 5000);
	struct error err;
	struct top t;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(needs); i++) {
		for (int has = 0; has < 2; has++) {
			struct top_spec spec = { .n_keys = 1 };
			unsigned int columns = has ? all : all & ~needs[i].bit;
			bool is_ok = has && needs[i].bit;

			spec.keys[0].key = needs[i].key;
			row->has = (uint16_t)(ROW_HAS_SELF | columns);
			c->profile->table.columns = row->has;
			assert_int_equal(top_compute(c, &cats, &spec, &t, &err),
					 is_ok ? OK : ERR_USAGE);
			if (is_ok)
				assert_int_equal(t.rows.len, 1);
			top_fini(&t);
		}
	}
	for (int has = 0; has < 2; has++) {
		struct top_spec comm = { .n_keys = 1,
					 .keys = { { .key = TOP_SYM } },
					 .comms = { &name, 1 } };
		struct top_spec dso = { .n_keys = 1,
					.keys = { { .key = TOP_SYM } },
					.dsos = { &name, 1 } };
		struct top_spec under = { .n_keys = 1, .keys = { { .key = TOP_SYM } } };

		row->has = (uint16_t)(ROW_HAS_SELF | ROW_HAS_SYMBOL | (has ? all : 0));
		c->profile->table.columns = row->has;
		assert_int_equal(top_check(c, &comm, &err), has ? OK : ERR_USAGE);
		assert_int_equal(top_check(c, &dso, &err), has ? OK : ERR_USAGE);
		assert_int_equal(top_check(c, &under, &err), OK);
		under.source = TOP_FROM_ROWS;
		under.under = name;
		assert_int_equal(top_check(c, &under, &err), ERR_USAGE);
	}
	category_cache_fini(&cats);
}

/* Samples need ids of threads, CPUs and the topology only for the keys that show them. */
static void a_table_of_samples_needs_their_columns(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct capture *c = profile_of_folded(d, "app;main 3\n");
	struct profile *p = c->profile;
	struct error err;

	(void)state;
	for (int step = 0; step < 4; step++) {
		static const struct {
			enum top_key key;
			int from; /* the first step that has the column */
		} keys[] = { { TOP_SYM, 0 },   { TOP_PID, 1 },     { TOP_TID, 1 },
			     { TOP_CPU, 2 },   { TOP_SOCKET, 3 },  { TOP_NODE, 3 },
			     { TOP_EXTRA, 9 }, { TOP_SRCLINE, 9 }, { TOP_SRCFILE, 9 } };

		if (step == 1)
			*VEC_PUSH(&p->samples.thread) = profile_thread(
				p, (struct profile_thread){ .pid = 7, .tid = 8, true, true });
		if (step == 2)
			*VEC_PUSH(&p->samples.cpu) = 0;
		if (step == 3)
			*VEC_PUSH(&p->cpus) = (struct profile_cpu){ .socket = 0, .node = 0 };
		for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
			struct top_spec spec = { .n_keys = 1 };

			spec.keys[0].key = keys[i].key;
			assert_int_equal(top_check(c, &spec, &err),
					 step >= keys[i].from ? OK : ERR_USAGE);
		}
	}
}

static void printed_rows_carry_their_rounding(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct category_cache cats = { 0 };
	struct capture *c = dossier_add(d, "perf-report");
	struct error err;
	struct top_summary s;
	struct top t;

	(void)state;
	profile_add_row(d, c, "a", "libx", '.', "f", UINT64_MAX, 5000);
	profile_add_row(d, c, "a", "libx", '.', "0x0000000000000010", UINT64_MAX, 25);
	profile_add_row(d, c, "b", "libx", '.', "g", UINT64_MAX, 0);
	profile_add_row(d, c, "a", "[kernel.kallsyms]", 'k', "intel_idle", UINT64_MAX, 4000);
	assert_int_equal(top_by(c, &cats, TOP_DSO, &t, &err), OK);
	assert_int_equal(t.rows.data[0].self, 5025);
	assert_true(near(t.rows.data[0].self_pct, 50.25));
	assert_true(near(t.rows.data[0].self_err, 0.015));
	assert_int_equal(t.rows.data[0].rows, 3);
	assert_int_equal(t.rows.data[0].zero_rows, 1);
	assert_true(near(t.total_pct, 90.25) && near(t.total_err, 0.02));
	top_fini(&t);
	assert_int_equal(top_summarise(c, &cats, &s, &err), OK);
	assert_true(near(s.unsymbolised.pct, 0.25) && near(s.unsymbolised.err, 0.005));
	assert_true(near(s.idle.pct, 40) && near(s.kernel.pct, 40) && near(s.user.pct, 50.25));
	assert_int_equal(s.rows, 4);
	assert_int_equal(s.zero_rows, 1);
	assert_int_equal(top_by(c, &cats, TOP_PID, &t, &err), ERR_USAGE);
	category_cache_fini(&cats);
}

static void shares_become_events_per_request(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct capture *c = dossier_add(d, "perf-report");
	struct profile *p = capture_profile(c);
	double each, err;
	uint64_t requests;

	(void)state;
	p->event = strings_add(&d->strings, STR("cycles:u"));
	p->event_count = 61307230094;
	p->has_event_count = true;
	*VEC_PUSH(&c->facts) =
		(struct capture_fact){ strings_add(&d->strings, STR("requests")), 10000, 3 };
	assert_true(top_fact(c, STR("request"), &requests));
	assert_int_equal(requests, 10000);
	assert_false(top_fact(c, STR("replica"), &requests));
	*VEC_PUSH(&d->facts) =
		(struct capture_fact){ strings_add(&d->strings, STR("replicas")), 3, 1 };
	assert_true(top_fact(c, STR("replica"), &requests));
	assert_int_equal(requests, 3);
	assert_true(top_divide(c, 0.74, 1.08, 10000, &each, &err));
	assert_int_equal((int)each, 45367);
	assert_int_equal((int)err, 66211);
	assert_str(top_divide_unit(c), "cycles");
	assert_false(top_divide(c, 1, 0, 0, &each, &err));
	/* without a printed count: the sum of the weights, whatever their decimals */
	c = profile_of_folded(d, "app;main 10\napp;main;work 5");
	assert_true(top_divide(c, 50, 0, 3, &each, &err));
	assert_float_equal(each, 2.5, 1e-9);
	assert_float_equal(err, 0, 1e-9);
	assert_int_equal(profile_set_decimals(c->profile, 1), 0);
	assert_true(top_divide(c, 50, 0, 3, &each, &err));
	assert_float_equal(each, 2.5, 1e-9);
}

/* CPU 2 is not in the topology, and the node of CPU 1 is unknown. */
static void sockets_and_nodes_are_those_of_the_cpus(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct category_cache cats = { 0 };
	struct capture *c = profile_of_folded(d, "app;main 4\napp;f 2\napp;g 1\n");
	struct profile *p = c->profile;
	struct error err;
	struct top t;

	(void)state;
	for (uint16_t i = 0; i < 3; i++)
		*VEC_PUSH(&p->samples.cpu) = i;
	*VEC_PUSH(&p->cpus) = (struct profile_cpu){ .socket = 3, .node = 5 };
	*VEC_PUSH(&p->cpus) = (struct profile_cpu){ .socket = 4, .node = UINT16_MAX };
	assert_int_equal(top_by(c, &cats, TOP_SOCKET, &t, &err), OK);
	assert_int_equal(t.rows.len, 3);
	assert_int_equal(row_named(c, &t, 0, "3")->self, 4);
	assert_int_equal(row_named(c, &t, 0, "4")->self, 2);
	assert_int_equal(row_named(c, &t, 0, "")->self, 1);
	top_fini(&t);
	assert_int_equal(top_by(c, &cats, TOP_NODE, &t, &err), OK);
	assert_int_equal(t.rows.len, 2);
	assert_int_equal(row_named(c, &t, 0, "5")->self, 4);
	assert_int_equal(row_named(c, &t, 0, "")->self, 3);
	top_fini(&t);
	category_cache_fini(&cats);
}

/* Filters of printed rows, each with the sentence if the report lacks its column. */
static void filters_of_printed_rows_need_their_columns(void **state)
{
	static const struct {
		enum select_kind kind;
		const char *text;
		unsigned int bit; /* column that suffices; 0: none does */
		const char *why;
	} filters[] = {
		{ SELECT_TIME, "1,2", 0, "a printed report does not say when its samples are" },
		{ SELECT_TID, "7", 0,
		  "a printed report does not say of which threads its samples are" },
		{ SELECT_PID, "7", ROW_HAS_PID, "this report has no column of process ids" },
		{ SELECT_CPU, "7", ROW_HAS_CPU, "this report has no column of CPUs" },
	};
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct capture *c = dossier_add(d, "test");
	struct profile_row *row = profile_add_row(d, c, "x", "app", '.', "main", UINT64_MAX, 5000);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(filters); i++) {
		for (unsigned int bit = ROW_HAS_PID; bit;
		     bit = bit == ROW_HAS_PID ? ROW_HAS_CPU : 0) {
			struct top_spec spec = { .n_keys = 1, .keys = { { .key = TOP_SYM } } };
			struct select_spec select = { .is_relative = false };
			struct error err = { "" };
			bool is_ok = filters[i].bit == bit;

			row->has = (uint16_t)(ROW_HAS_SELF | ROW_HAS_SYMBOL | bit);
			c->profile->table.columns = row->has;
			assert_int_equal(select_parse(&select, filters[i].kind,
						      str_of(filters[i].text), &err),
					 OK);
			spec.rows = &select;
			assert_int_equal(top_check(c, &spec, &err), is_ok ? OK : ERR_USAGE);
			assert_string_equal(err.msg, is_ok ? "" : filters[i].why);
			select_fini(&select);
		}
	}
}

/* Printed source lines are a column like any other; an unknown key lists the columns. */
static void a_key_may_be_a_printed_column(void **state)
{
	static const char unknown[] =
		"--sort does not know 'weight': it is none of comm, dso, sym, "
		"canonical, pid, tid, cpu, socket, node, space, category, "
		"srcline, srcfile, comm_nodigit, and no column of this report";
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct category_cache cats = { 0 };
	struct capture *c = dossier_add(d, "test");
	struct top_spec spec = { .n_keys = 1,
				 .keys = { { .key = TOP_FIELD, .name = STR("weight") } } };
	struct profile_row *row = profile_add_row(d, c, "x", "app", '.', "main", UINT64_MAX, 5000);
	char buffer[24];
	char text[300];
	struct error err;
	struct top t;

	(void)state;
	assert_int_equal(top_check(c, &spec, &err), ERR_USAGE);
	assert_string_equal(err.msg, unknown);
	*VEC_PUSH(&c->profile->table.extra_columns) = strings_add(&d->strings, STR("Source:Line"));
	*VEC_PUSH(&c->profile->table.extra_cells) = strings_add(&d->strings, STR("a.c:7"));
	row->extra = 0;
	(void)snprintf(text, sizeof(text), "%s (Source:Line)", unknown);
	assert_int_equal(top_check(c, &spec, &err), ERR_USAGE);
	assert_string_equal(err.msg, text);
	*VEC_PUSH(&c->profile->table.extra_columns) = strings_add(&d->strings, STR("Weight"));
	*VEC_PUSH(&c->profile->table.extra_cells) = strings_add(&d->strings, STR("heavy"));
	assert_int_equal(top_compute(c, &cats, &spec, &t, &err), OK);
	assert_str(top_key_text(c, &t, &t.rows.data[0], 0, buffer), "heavy");
	top_fini(&t);
	assert_int_equal(top_by(c, &cats, TOP_SRCLINE, &t, &err), OK);
	assert_str(top_key_text(c, &t, &t.rows.data[0], 0, buffer), "a.c:7");
	top_fini(&t);
	assert_int_equal(top_by(c, &cats, TOP_SRCFILE, &t, &err), ERR_USAGE);
	assert_true(str_contains(str_of(err.msg), STR("does not know 'Source File'")));
	assert_true(str_contains(str_of(err.msg), STR(" (Source:Line, Weight)")));
	for (uint32_t i = 1; i < 3; i++) {
		spec.keys[0] = (struct top_column){ .key = TOP_EXTRA, .extra = i };
		assert_int_equal(top_check(c, &spec, &err), i < 2 ? OK : ERR_USAGE);
	}
	assert_string_equal(err.msg, "this report has no such column");
	category_cache_fini(&cats);
}

static void a_table_has_a_source_and_at_most_so_many_keys(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct capture *c = profile_of_folded(d, "app;main 3\n");
	struct top_spec spec = { .source = TOP_FROM_ROWS };
	struct error err;

	(void)state;
	assert_int_equal(top_check(c, &spec, &err), ERR_USAGE);
	assert_string_equal(err.msg, "this capture has no printed rows");
	spec.source = TOP_FROM_SAMPLES;
	spec.n_keys = TOP_MAX_KEYS;
	assert_int_equal(top_check(c, &spec, &err), OK);
	spec.n_keys++;
	assert_int_equal(top_check(c, &spec, &err), ERR_USAGE);
}

/* Samples at names of kernel data: the sum, and the heaviest of them as the example. */
static void samples_in_kernel_data_are_summed(void **state)
{
	static const char folded[] = "app;main 80\napp;jiffies_[k] 4\napp;init_task_[k] 5\n"
				     "app;gdt_page_[k] 5\napp;vfs_read_[k] 6\n";
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct category_cache cats = { 0 };
	struct capture *c = profile_of_folded(d, folded);
	struct error err;
	struct top_summary s;

	(void)state;
	assert_int_equal(top_summarise(c, &cats, &s, &err), OK);
	assert_true(near(s.data.pct, 14));
	assert_int_equal(s.data.rows, 3);
	assert_str(symbols_name(&d->symbols, s.data_example), "init_task");
	c = dossier_add(d, "perf-report");
	profile_add_row(d, c, "a", "app", '.', "main", UINT64_MAX, 8000);
	/* a function of a program may have such a name */
	profile_add_row(d, c, "a", "app", '.', "jiffies", UINT64_MAX, 900);
	profile_add_row(d, c, "a", "[kernel.kallsyms]", 'k', "gdt_page", UINT64_MAX, 500);
	profile_add_row(d, c, "a", "[kernel.kallsyms]", 'k', "init_task", UINT64_MAX, 400);
	assert_int_equal(top_summarise(c, &cats, &s, &err), OK);
	assert_true(near(s.data.pct, 9) && near(s.data.err, 0.01));
	assert_int_equal(s.data.rows, 2);
	assert_str(symbols_name(&d->symbols, s.data_example), "gdt_page");
	category_cache_fini(&cats);
}

/* Shares of printed rows without an event count are shares of the printed number of samples. */
static void shares_become_samples_per_request(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct capture *c = dossier_add(d, "perf-report");
	double each, err;

	(void)state;
	assert_false(top_divide(c, 50, 0, 4, &each, &err));
	assert_str(top_divide_unit(c), "");
	profile_add_row(d, c, "a", "app", '.', "main", UINT64_MAX, 5000);
	assert_false(top_divide(c, 50, 0, 4, &each, &err));
	c->profile->has_n_samples = true;
	c->profile->n_samples = 1000;
	c->profile->n_samples_err = 100;
	assert_true(top_divide(c, 50, 1, 4, &each, &err));
	assert_float_equal(each, 125, 1e-9);
	/* (1 % of 1100 samples + 50 % of 100 samples) / 4 */
	assert_float_equal(err, 15.25, 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recursive_functions_count_a_sample_once),
		cmocka_unit_test(groups_by_command_and_module_and_category),
		cmocka_unit_test(filters_keep_percentages_of_the_whole),
		cmocka_unit_test(threads_split_what_stacks_share),
		cmocka_unit_test(threads_with_numbered_commands_are_one_row),
		cmocka_unit_test(samples_without_frames_are_in_the_row_of_their_thread),
		cmocka_unit_test(a_table_of_printed_rows_needs_their_columns),
		cmocka_unit_test(a_table_of_samples_needs_their_columns),
		cmocka_unit_test(printed_rows_carry_their_rounding),
		cmocka_unit_test(shares_become_events_per_request),
		cmocka_unit_test(sockets_and_nodes_are_those_of_the_cpus),
		cmocka_unit_test(filters_of_printed_rows_need_their_columns),
		cmocka_unit_test(a_key_may_be_a_printed_column),
		cmocka_unit_test(a_table_has_a_source_and_at_most_so_many_keys),
		cmocka_unit_test(samples_in_kernel_data_are_summed),
		cmocka_unit_test(shares_become_samples_per_request),
	};

	return cmocka_run_group_tests_name("top", tests, NULL, NULL);
}
