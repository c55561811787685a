/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "analyses/categories.h"
#include "analyses/top/top.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "profiles.h"
#include "seeds.h"
#include "transform/recover.h"

#include <math.h>

static bool near(double a, double b)
{
	return fabs(a - b) < 1e-6;
}

static int compare_lines(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

/* "comm;outer;inner 3" lines, sorted. */
static void folded_of(const struct capture *c, struct out *out)
{
	const struct profile *p = c->profile;
	struct out lines[512];
	struct str views[512];
	size_t n = p->samples.n;

	assert_true(n < ARRAY_LEN(lines));
	for (size_t i = 0; i < n; i++) {
		sym_id path[256];
		size_t depth = 0;
		stack_id at = p->samples.stack.data[i];

		for (; at.v; at = stacks_parent(&p->stacks, at))
			path[depth++] = stacks_sym(&p->stacks, at);
		out_init(&lines[i]);
		while (depth--) {
			out_str(&lines[i], symbols_name(capture_symbols(c), path[depth]));
			out_char(&lines[i], depth ? ';' : ' ');
		}
		out_u64(&lines[i], p->samples.weight.data[i]);
		views[i] = out_view(&lines[i]);
	}
	qsort(views, n, sizeof(*views), compare_lines);
	for (size_t i = 0; i < n; i++) {
		out_str(out, views[i]);
		out_char(out, '\n');
	}
	for (size_t i = 0; i < n; i++)
		out_fini(&lines[i]);
}

struct frame {
	int parent; /* index in the current tree, -1: top */
	const char *name;
	uint64_t weight; /* 0: the weight of its parent */
};

/* Add a tree to the last row. */
static void add_tree(struct dossier *d, struct capture *c, const struct frame *frames, size_t n)
{
	struct profile_table *t = &c->profile->table;
	struct profile_row *row = &t->rows.data[t->rows.len - 1];
	uint32_t first = (uint32_t)t->nodes.len;

	row->tree = first;
	for (size_t i = 0; i < n; i++) {
		struct profile_node *node = VEC_PUSH(&t->nodes);
		sym_id sym = SYM_ID_NONE;

		VEC_FOREACH (s, &d->symbols.rows) {
			if (str_eq(strings_get(&d->strings, s->name), str_of(frames[i].name)))
				sym.v = (uint32_t)(s - d->symbols.rows.data);
		}
		memset(node, 0, sizeof(*node));
		node->parent =
			frames[i].parent < 0 ? INDEX_NONE : first + (uint32_t)frames[i].parent;
		node->is_printed = frames[i].weight != 0;
		node->weight = frames[i].weight ? frames[i].weight
			       : node->parent == INDEX_NONE
				       ? (row->has & ROW_HAS_CHILDREN ? row->children : row->self)
				       : t->nodes.data[node->parent].weight;
		node->sym = sym;
		node->line = 100 + (uint32_t)i;
	}
	for (uint32_t i = first + (uint32_t)n; i-- > first;) {
		struct profile_node *node = &t->nodes.data[i];

		if (node->end <= i)
			node->end = i + 1;
		if (node->parent != INDEX_NONE && t->nodes.data[node->parent].end < node->end)
			t->nodes.data[node->parent].end = node->end;
	}
}

#define ADD_TREE(d, c, ...)                                   \
	add_tree(d, c, (const struct frame[]){ __VA_ARGS__ }, \
		 sizeof((const struct frame[]){ __VA_ARGS__ }) / sizeof(struct frame))

/* Rows of samples: main -> f -> g 4, main -> f 2, main -> g 1, main 1; trees in callee order. */
static struct capture *small_report(struct dossier *d, uint64_t n_samples)
{
	struct capture *c = dossier_add(d, "perf-report");
	struct profile *p = capture_profile(c);
	const char *comm = "a";

	p->has_n_samples = true;
	p->n_samples = n_samples;
	p->table.order = CHAIN_CALLEE;
	p->table.style = CHAIN_GRAPH;
	symbols_add_text(&d->symbols, STR("main"), STR("a.out"), SPACE_USER, 0);
	symbols_add_text(&d->symbols, STR("f"), STR("a.out"), SPACE_USER, 0);
	profile_add_row(d, c, comm, "a.out", '.', "main", 10000, 1250);
	ADD_TREE(d, c, { -1, "main", 0 });
	profile_add_row(d, c, comm, "a.out", '.', "f", 7500, 2500);
	ADD_TREE(d, c, { -1, "f", 0 }, { 0, "main", 0 });
	profile_add_row(d, c, comm, "a.out", '.', "g", 6250, 6250);
	ADD_TREE(d, c, { -1, "g", 0 }, { 0, "f", 5000 }, { 1, "main", 0 }, { 0, "main", 1250 });
	return c;
}

static void complete_trees_give_the_samples_back(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct capture *c = small_report(d, 8);
	struct recover_result r;
	struct out out;

	(void)state;
	/* f, found only by name */
	recover_samples(c, &r);
	assert_string_equal(r.why.msg, "");
	assert_int_equal(r.recovery, RECOVERY_EXACT);
	assert_int_equal(r.samples, 8);
	assert_int_equal(r.stacks, 4);
	assert_int_equal(r.rows_matching, 3);
	assert_int_equal(profile_sample_unit(c->profile), WEIGHT_SAMPLES);
	out_init(&out);
	folded_of(c, &out);
	assert_str(out_view(&out), "a;main 1\na;main;f 2\na;main;f;g 4\na;main;g 1\n");
	out_fini(&out);
}

static void a_changed_figure_is_not_exact(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct capture *c = small_report(d, 8);
	struct category_cache cats = { 0 };
	struct recover_result r;
	struct top_spec spec = { .source = TOP_FROM_SAMPLES, .n_keys = 1 };
	struct error err;
	struct top t;

	(void)state;
	c->profile->table.rows.data[1].self = 1250; /* row f lacks one sample */
	recover_samples(c, &r);
	assert_int_equal(r.recovery, RECOVERY_PARTIAL);
	assert_true(r.why.msg[0] != 0);
	spec.keys[0].key = TOP_SYM;
	assert_int_equal(top_compute(c, &cats, &spec, &t, &err), OK);
	assert_int_equal(t.total, 8750);
	assert_int_equal(t.rows.data[2].self, 1250);
	assert_true(near(r.recovered_pct + r.bare_pct, 87.5));
	top_fini(&t);
	category_cache_fini(&cats);
}

static void unknown_or_large_sample_counts_stay_partial(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct capture *c = small_report(d, 73000);
	struct recover_result r;

	(void)state;
	c->profile->n_samples_err = 500;
	recover_samples(c, &r);
	assert_int_equal(r.recovery, RECOVERY_PARTIAL);
	assert_true(near(r.recovered_pct, 100));
	assert_int_equal(c->profile->samples.n, 4);
	/* a second call changes nothing */
	recover_samples(c, &r);
	assert_int_equal(r.recovery, RECOVERY_NONE);
}

static void mixed_order_turns_the_kernel_part_round(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct capture *c = dossier_add(d, "perf-report");
	struct profile *p = capture_profile(c);
	struct recover_result r;
	struct out out;

	(void)state;
	p->has_n_samples = true;
	p->n_samples = 4;
	p->table.order = CHAIN_MIXED;
	p->table.style = CHAIN_GRAPH;
	symbols_add_text(&d->symbols, STR("main"), STR("a.out"), SPACE_USER, 0);
	symbols_add_text(&d->symbols, STR("read"), STR("libc"), SPACE_USER, 0);
	symbols_add_text(&d->symbols, STR("copy"), STR("[kernel.kallsyms]"), SPACE_KERNEL, 0);
	profile_add_row(d, c, "a", "a.out", '.', "main", 10000, 2500);
	ADD_TREE(d, c, { -1, "main", 0 });
	profile_add_row(d, c, "a", "libc", '.', "read", 7500, 0);
	ADD_TREE(d, c, { -1, "read", 0 }, { 0, "main", 0 });
	profile_add_row(d, c, "a", "[kernel.kallsyms]", 'k', "sys_read", 7500, 2500);
	ADD_TREE(d, c, { -1, "sys_read", 0 }, { 0, "copy", 5000 }, { 1, "read", 0 },
		 { 2, "main", 0 }, { 0, "read", 2500 }, { 4, "main", 0 });
	profile_add_row(d, c, "a", "[kernel.kallsyms]", 'k', "copy", 5000, 5000);
	ADD_TREE(d, c, { -1, "sys_read", 0 }, { 0, "copy", 0 }, { 1, "read", 0 }, { 2, "main", 0 });
	recover_samples(c, &r);
	assert_string_equal(r.why.msg, "");
	assert_int_equal(r.recovery, RECOVERY_EXACT);
	out_init(&out);
	folded_of(c, &out);
	assert_str(out_view(&out),
		   "a;main 1\na;main;read;sys_read 1\na;main;read;sys_read;copy 2\n");
	out_fini(&out);
}

static void the_ovsdb_attachment_is_67_samples_in_41_stacks(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct category_cache cats = { 0 };
	struct recover_result r;
	struct capture *c;
	struct error err;
	struct top t;
	struct out out;
	char path[4096];
	FILE *f;

	(void)state;
	if (!seed_load(d, "001"))
		SKIP_TEST("../shared/seeds is missing");
	c = seed_largest_table(d);
	recover_samples(c, &r);
	assert_string_equal(r.why.msg, "");
	assert_int_equal(r.recovery, RECOVERY_EXACT);
	assert_int_equal(r.samples, 67);
	assert_int_equal(r.stacks, 41);
	assert_int_equal(r.rows_checked, 195);
	assert_int_equal(r.rows_matching, 195);
	assert_int_equal(r.rows_with_self, 31);
	snprintf(path, sizeof(path), "%s/seedfacts/001_attachment.folded", getenv("ASSAY_SHARED"));
	f = fopen(path, "r");
	if (f) {
		static char expected[65536];
		struct str lines[64];
		struct str rest = { expected, fread(expected, 1, sizeof(expected), f) };
		size_t n = 0;
		struct out want;

		fclose(f);
		while (n < 64 && str_line(&rest, &lines[n]))
			n++;
		qsort(lines, n, sizeof(*lines), compare_lines);
		out_init(&want);
		for (size_t i = 0; i < n; i++) {
			out_str(&want, lines[i]);
			out_char(&want, '\n');
		}
		out_char(&want, 0);
		out_init(&out);
		folded_of(c, &out);
		assert_str(out_view(&out), out_view(&want).p);
		out_fini(&out);
		out_fini(&want);
	}
	assert_int_equal(top_by(c, &cats, TOP_DSO, &t, &err), OK);
	assert_int_equal(t.source, TOP_FROM_SAMPLES);
	assert_int_equal(t.rows.len, 4);
	assert_int_equal(t.rows.data[0].self, 53);
	assert_int_equal(t.rows.data[0].rows, 97);
	assert_int_equal(t.rows.data[1].self, 8);
	assert_int_equal(t.rows.data[1].rows, 12);
	assert_int_equal(t.rows.data[2].self, 5);
	assert_int_equal(t.rows.data[2].rows, 83);
	top_fini(&t);
	category_cache_fini(&cats);
	if (!f)
		SKIP_TEST("../shared/seedfacts is missing");
}

static void the_epoll_report_is_partial_and_keeps_its_figures(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct category_cache cats = { 0 };
	struct recover_result r;
	struct capture *c;
	struct error err;
	struct top t;

	(void)state;
	if (!seed_load(d, "000"))
		SKIP_TEST("../shared/seeds is missing");
	c = seed_largest_table(d);
	recover_samples(c, &r);
	assert_int_equal(r.recovery, RECOVERY_PARTIAL);
	assert_int_equal(r.rows_with_tree, 30);
	assert_true(near(r.recovered_pct + r.bare_pct, 99.67));
	assert_true(r.recovered_pct > 70);
	assert_int_equal(top_by(c, &cats, TOP_CATEGORY, &t, &err), OK);
	assert_int_equal(t.source, TOP_FROM_ROWS);
	assert_true(near(t.total_pct, 99.67));
	assert_int_equal(t.n_zero_rows, 277);
	VEC_FOREACH (row, &t.rows) {
		static const struct {
			const char *category;
			double pct;
		} want[] = {
			{ "syscall-entry", 52.71 }, { "mitigation", 0.62 },
			{ "timekeeping", 8.12 },    { "libevent", 12.06 },
			{ "libc", 3.54 },           { "vdso", 0.57 },
			{ "network/driver", 0.07 }, { "bpf", 0.03 },
			{ "unsymbolised", 0.11 },   { "liburing", 1.18 },
		};

		for (size_t i = 0; i < ARRAY_LEN(want); i++) {
			category_id id = { (uint16_t)row->keys[0] };

			if (strcmp(category_name(id), want[i].category) == 0 &&
			    !near(row->self_pct, want[i].pct)) {
				print_error("%s is %.2f, not %.2f\n", want[i].category,
					    row->self_pct, want[i].pct);
				assert_true(false);
			}
		}
	}
	top_fini(&t);
	category_cache_fini(&cats);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(complete_trees_give_the_samples_back),
		cmocka_unit_test(a_changed_figure_is_not_exact),
		cmocka_unit_test(unknown_or_large_sample_counts_stay_partial),
		cmocka_unit_test(mixed_order_turns_the_kernel_part_round),
		cmocka_unit_test(the_ovsdb_attachment_is_67_samples_in_41_stacks),
		cmocka_unit_test(the_epoll_report_is_partial_and_keeps_its_figures),
	};

	return cmocka_run_group_tests_name("recover", tests, NULL, NULL);
}
