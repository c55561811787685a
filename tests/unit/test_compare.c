/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "analyses/categories.h"
#include "analyses/compare/compare.h"
#include "analyses/compare/compare_names.h"
#include "analyses/compare/stats_compare.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "profiles.h"
#include "simulate.h"

#include <stdio.h>
#include <stdlib.h>

struct fixture {
	struct dossier *d;
	struct category_cache cats;
	struct compare_spec spec;
	struct compare c;
	struct error err;
	int status;
};

static void open_fixture(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	f->d = dossier_new();
}

static void compare_them(struct fixture *f)
{
	compare_fini(&f->c);
	f->status = compare_profiles(&f->spec, &f->cats, &f->c, &f->err);
}

static void close_fixture(struct fixture *f)
{
	compare_fini(&f->c);
	category_cache_fini(&f->cats);
	dossier_free(f->d);
}

static void compare_folded(struct fixture *f, const char *a, const char *b)
{
	open_fixture(f);
	f->spec.a = (struct compare_side){ { profile_of_folded(f->d, a) }, 1 };
	f->spec.b = (struct compare_side){ { profile_of_folded(f->d, b) }, 1 };
	compare_them(f);
}

static const struct compare_row *row_of(const struct fixture *f, enum compare_level level,
					const char *name)
{
	VEC_FOREACH (r, &f->c.tables[level].rows) {
		if (str_eq(r->name, str_of(name)))
			return r;
	}
	return NULL;
}

static void a_function_that_grew_is_more_and_the_rest_is_separated(void **state)
{
	struct fixture f;
	const struct compare_row *r;

	(void)state;
	compare_folded(
		&f, "app;main;work 6000\napp;main;copy 1000\napp;main;rare 3\napp;main;old 500",
		"app;main;work 6000\napp;main;copy 2000\napp;main;rare 4\napp;main;fresh 500");
	assert_int_equal(f.status, OK);
	assert_int_equal(f.c.spread, COMPARE_ASSUMED);
	r = row_of(&f, COMPARE_SYMBOL, "copy");
	assert_non_null(r);
	assert_int_equal(r->verdict, COMPARE_MORE);
	assert_near(r->a, 100 * 1000 / 7503.0, 1e-9);
	assert_near(r->b, 100 * 2000 / 8504.0, 1e-9);
	assert_true(r->low < r->delta && r->delta < r->high && r->low > 0);
	assert_int_equal(row_of(&f, COMPARE_SYMBOL, "rare")->verdict, COMPARE_SAME);
	assert_true(isnan(row_of(&f, COMPARE_SYMBOL, "main") == NULL ? NAN : 0));
	r = row_of(&f, COMPARE_SYMBOL, "fresh");
	assert_true(r->is_new && r->verdict == COMPARE_MORE);
	r = row_of(&f, COMPARE_SYMBOL, "old");
	assert_true(r->is_vanished && r->verdict == COMPARE_LESS);
	assert_int_equal(f.c.tables[COMPARE_SYMBOL].n_new, 1);
	r = row_of(&f, COMPARE_CHILDREN, "main");
	assert_near(r->a, 100, 1e-9);
	assert_int_equal(r->verdict, COMPARE_SAME);
	r = row_of(&f, COMPARE_STACK, "main;copy");
	assert_int_equal(r->verdict, COMPARE_MORE);
	assert_non_null(row_of(&f, COMPARE_DSO, "app"));
	close_fixture(&f);
}

static void equal_recordings_show_no_difference(void **state)
{
	struct fixture f;
	const char *text = "app;main;a 900\napp;main;b 90\napp;main;a;a 10";

	(void)state;
	compare_folded(&f, text, text);
	assert_int_equal(f.status, OK);
	for (int i = 0; i < COMPARE_LEVEL_COUNT; i++) {
		assert_int_equal(f.c.tables[i].counts[COMPARE_MORE], 0);
		assert_int_equal(f.c.tables[i].counts[COMPARE_LESS], 0);
	}
	/* a recursive function counts once per sample */
	assert_near(row_of(&f, COMPARE_CHILDREN, "a")->a, 91, 1e-9);
	assert_near(f.c.overlap, 100, 1e-9);
	close_fixture(&f);
}

/* One function, as the just-in-time compilers of two runs name it. */
static void names_of_just_in_time_compilers_are_matched(void **state)
{
	static const struct {
		const char *a, *b;
		bool is_same;
	} cases[] = {
		{ "JS:~sum_ /srv/up.js:28:18", "JS:*sum_ /srv/up.js:28:18", true },
		{ "LazyCompile:~sum_", "LazyCompile:^sum_", true },
		{ "JS:~sum_", "JS:*other", false },
		{ "JS:sum_", "JS:*sum_", false },
		{ "Desk$$Lambda$3/0x00007fd878000a08.run", "Desk$$Lambda$3/0x00007f12ac000bf0.run",
		  true },
		{ "Desk$$Lambda$3/0x00007fd878000a08.run", "Desk$$Lambda$4/0x00007fd878000a08.run",
		  false },
		{ "path/0x12", "path/0x13", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char text[2][200];
		struct fixture f;

		(void)snprintf(text[0], sizeof(text[0]), "app;main;work 900\napp;main;%s 100",
			       cases[i].a);
		(void)snprintf(text[1], sizeof(text[1]), "app;main;work 900\napp;main;%s 100",
			       cases[i].b);
		compare_folded(&f, text[0], text[1]);
		assert_int_equal(f.c.tables[COMPARE_SYMBOL].n_new, cases[i].is_same ? 0 : 1);
		close_fixture(&f);
	}
}

static void names_are_matched_without_what_tools_add(void **state)
{
	struct fixture f;

	(void)state;
	assert_str(compare_base_name(STR("foo.isra.0")), "foo");
	assert_str(compare_base_name(STR("memcpy@@GLIBC_2.14")), "memcpy");
	assert_str(compare_base_name(STR("memcpy@plt")), "memcpy");
	assert_str(compare_base_name(STR("a::b(int) [clone .constprop.0]")), "a::b(int)");
	assert_str(compare_base_name(STR("f (inlined)")), "f");
	assert_str(compare_base_name(STR("bpf_prog_6deef7357e7b4530_sd_egress")), "sd_egress");
	assert_str(compare_base_name(STR("@")), "@");
	assert_str(compare_base_dso(STR("[JIT] tid 3355")), "[jit]");
	assert_str(compare_base_dso(STR("/usr/lib/libc-2.31.so")), "libc");
	assert_str(compare_base_dso(STR("libc.so.6")), "libc");
	assert_str(compare_base_dso(STR("[kernel.vmlinux]")), "[kernel]");
	assert_str(compare_base_dso(STR("[nf_conntrack]")), "nf_conntrack");
	assert_str(compare_base_dso(STR("/lib/modules/6.1/nf_conntrack.ko.xz")), "nf_conntrack");
	compare_folded(&f, "app;main;sum.isra.0 800\napp;main;0x7f001 200",
		       "app;main;sum.constprop.1 800\napp;main;0x7f999 200");
	assert_int_equal(f.c.matched_base, 1);
	assert_str(f.c.matched_example, "sum.isra.0 = sum.constprop.1");
	assert_str(row_of(&f, COMPARE_SYMBOL, "sum.isra.0")->name_b, "sum.constprop.1");
	assert_near(row_of(&f, COMPARE_SYMBOL, "[no symbol]")->b, 20, 1e-9);
	close_fixture(&f);
}

static void a_name_alone_on_either_side_is_matched_across_objects(void **state)
{
	struct fixture f;
	struct capture *a, *b;

	(void)state;
	open_fixture(&f);
	a = dossier_add(f.d, "test");
	b = dossier_add(f.d, "test");
	(void)profile_add_row(f.d, a, "x", "prog.old", '.', "walk", UINT64_MAX, 6000);
	(void)profile_add_row(f.d, a, "x", "libc.so.6", '.', "read", UINT64_MAX, 4000);
	(void)profile_add_row(f.d, b, "x", "libwalk.so.1", '.', "walk", UINT64_MAX, 5800);
	(void)profile_add_row(f.d, b, "x", "prog.old", '.', "run", UINT64_MAX, 100);
	(void)profile_add_row(f.d, b, "x", "libc-2.40.so", '.', "read", UINT64_MAX, 4100);
	f.spec.a = (struct compare_side){ { a }, 1 };
	f.spec.b = (struct compare_side){ { b }, 1 };
	compare_them(&f);
	assert_int_equal(f.status, OK);
	assert_int_equal(f.c.tables[COMPARE_SYMBOL].rows.len, 3);
	assert_int_equal(f.c.matched_dso, 1);
	assert_int_equal(f.c.matched_objects, 0);
	assert_int_equal(f.c.spread, COMPARE_UNKNOWN);
	close_fixture(&f);
}

/* Compare two reports of @n rows with equal shares. A row is { object, function }. */
static void compare_reports(struct fixture *f, const char *const (*a)[2], const char *const (*b)[2],
			    size_t n)
{
	struct capture *sides[2];

	open_fixture(f);
	for (int s = 0; s < 2; s++) {
		sides[s] = dossier_add(f->d, "test");
		for (size_t i = 0; i < n; i++)
			(void)profile_add_row(f->d, sides[s], "x", s ? b[i][0] : a[i][0], '.',
					      s ? b[i][1] : a[i][1], UINT64_MAX,
					      10000 / (unsigned int)n);
	}
	f->spec.a = (struct compare_side){ { sides[0] }, 1 };
	f->spec.b = (struct compare_side){ { sides[1] }, 1 };
	compare_them(f);
	assert_int_equal(f->status, OK);
}

static void an_object_under_another_name_is_one_object(void **state)
{
	static const char *const a[][2] = { { "/build/a/slow", "walk" },
					    { "/build/a/slow", "sort" },
					    { "libc.so.6", "read" } };
	static const char *const b[][2] = { { "/build/b/slow2", "walk" },
					    { "/build/b/slow2", "hash" },
					    { "libc.so.6", "read" } };
	/*
	 * two objects match if at least half of the functions of the smaller one are in both: one
	 * of three is too few
	 */
	static const char *const other[][2] = { { "/build/b/slow2", "walk" },
						{ "/build/b/slow2", "hash" },
						{ "/build/b/slow2", "fold" } };
	static const char *const three[][2] = { { "/build/a/slow", "walk" },
						{ "/build/a/slow", "sort" },
						{ "/build/a/slow", "scan" } };
	struct fixture f;

	(void)state;
	compare_reports(&f, a, b, 3);
	assert_int_equal(f.c.matched_objects, 1);
	assert_str(f.c.object_example, "slow = slow2");
	assert_int_equal(f.c.matched_dso, 0);
	assert_int_equal(f.c.tables[COMPARE_DSO].rows.len, 2);
	assert_str(row_of(&f, COMPARE_DSO, "/build/a/slow")->name_b, "/build/b/slow2");
	assert_near(row_of(&f, COMPARE_DSO, "/build/a/slow")->b, 66.66, 0.01);
	close_fixture(&f);
	compare_reports(&f, three, other, 3);
	assert_int_equal(f.c.matched_objects, 0);
	close_fixture(&f);
}

/* A capture with 100 chains, of which @broken end in an address where no code can be. */
static struct capture *chains_of(struct fixture *f, unsigned int broken)
{
	struct symbols *symbols = &f->d->symbols;
	struct capture *c = dossier_add(f->d, "test");
	struct profile *p = capture_profile(c);
	sym_id outer[2] = {
		symbols_add_text(symbols, STR("main"), STR("app"), SPACE_USER, 0),
		symbols_add_text(symbols, STR("0x10"), STR_NONE, SPACE_USER, SYMBOL_ADDRESS),
	};
	sym_id work = symbols_add_text(symbols, STR("work"), STR("app"), SPACE_USER, 0);

	p->unit = WEIGHT_SAMPLES;
	for (unsigned int i = 0; i < 100; i++) {
		stack_id at = stacks_push(&p->stacks, STACK_ROOT, outer[i < broken]);

		assert_int_equal(profile_add_sample(p, stacks_push(&p->stacks, at, work), 1), OK);
	}
	return c;
}

static void chains_broken_on_one_side_are_not_compared(void **state)
{
	struct fixture f;

	(void)state;
	open_fixture(&f);
	f.spec.a = (struct compare_side){ { chains_of(&f, 0) }, 1 };
	f.spec.b = (struct compare_side){ { chains_of(&f, 10) }, 1 };
	compare_them(&f);
	assert_int_equal(f.c.tables[COMPARE_STACK].missing.len, 0);
	f.spec.b.captures[0] = chains_of(&f, 11);
	compare_them(&f);
	assert_true(f.c.tables[COMPARE_STACK].missing.len > 0);
	assert_true(f.c.tables[COMPARE_CHILDREN].missing.len > 0);
	assert_int_equal(f.c.tables[COMPARE_SYMBOL].missing.len, 0);
	assert_string_equal(f.c.notes.data[f.c.notes.len - 1].id, "chains");
	/* a capture without any chains */
	f.spec.b.captures[0] = profile_of_folded(f.d, "app;work 100");
	compare_them(&f);
	assert_true(f.c.tables[COMPARE_STACK].missing.len > 0);
	close_fixture(&f);
}

static void versions_of_an_object_are_one_object(void **state)
{
	static const char *const names[][2] = {
		{ "python3.11", "python3.12" },
		{ "node-18", "node-20" },
		{ "app_v1", "app_v2" },
		{ "prog", "prog-1.2.3" },
	};
	static const char *const others[][2] = { { "sha1", "sha256" }, { "left", "right" } };
	struct fixture f;
	bool is_marked;

	(void)state;
	assert_str(compare_object_stem(STR("slow2"), &is_marked), "slow");
	assert_false(is_marked);
	assert_str(compare_object_stem(STR("node-20.1.0"), &is_marked), "node");
	assert_true(is_marked);
	assert_str(compare_object_stem(STR("7"), &is_marked), "7");
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		const char *a[][2] = { { names[i][0], "old" }, { "libc.so.6", "read" } };
		const char *b[][2] = { { names[i][1], "new" }, { "libc.so.6", "read" } };

		compare_reports(&f, a, b, 2);
		assert_int_equal(f.c.matched_objects, 1);
		close_fixture(&f);
	}
	for (size_t i = 0; i < ARRAY_LEN(others); i++) {
		const char *a[][2] = { { others[i][0], "old" }, { "libc.so.6", "read" } };
		const char *b[][2] = { { others[i][1], "new" }, { "libc.so.6", "read" } };

		compare_reports(&f, a, b, 2);
		assert_int_equal(f.c.matched_objects, 0);
		close_fixture(&f);
	}
}

static void a_name_that_was_cut_is_matched(void **state)
{
	struct fixture f;

	(void)state;
	compare_folded(&f, "app;native_queued_spin_lock_slowpath 800\napp;_raw_spin_lock 200",
		       "app;native_queued_spin_lock_slowpat 700\napp;_raw_spin_lock_bh 300");
	assert_str(row_of(&f, COMPARE_SYMBOL, "native_queued_spin_lock_slowpath")->name_b,
		   "native_queued_spin_lock_slowpat");
	assert_true(row_of(&f, COMPARE_SYMBOL, "_raw_spin_lock")->is_vanished);
	close_fixture(&f);
	/* the truncated name first */
	compare_folded(&f, "app;native_queued_spin_lock_slowpat 800\napp;x 200",
		       "app;native_queued_spin_lock_slowpath 700\napp;x 300");
	assert_int_equal(f.c.tables[COMPARE_SYMBOL].rows.len, 2);
	close_fixture(&f);
}

static void events_are_compared_without_modifiers(void **state)
{
	(void)state;
	assert_str(compare_event(STR("cycles:uppp")), "cycles");
	assert_str(compare_event(STR("cpu-cycles:P")), "cycles");
	assert_str(compare_event(STR("cpu_core/cycles/")), "cycles");
	assert_str(compare_event(STR("sched:sched_switch")), "sched:sched_switch");
	assert_str(compare_event(STR("page-faults")), "page-faults");
	assert_int_equal(compare_event_spaces(STR("cycles:u")), 1);
	assert_int_equal(compare_event_spaces(STR("cycles:kppp")), 2);
	assert_int_equal(compare_event_spaces(STR("cycles:uk")), 0);
	assert_int_equal(compare_event_spaces(STR("cycles")), 0);
}

static void what_cannot_be_compared_is_refused_with_reasons(void **state)
{
	struct fixture f;
	struct capture *log;

	(void)state;
	compare_folded(&f, "app;main 10", "app;main 20");
	f.spec.a.captures[0]->profile->event = strings_add(&f.d->strings, STR("cycles"));
	f.spec.b.captures[0]->profile->event = strings_add(&f.d->strings, STR("page-faults"));
	compare_them(&f);
	assert_int_equal(f.status, ERR_UNSUPPORTED);
	assert_int_equal(f.c.refusals.len, 1);
	assert_string_equal(f.c.refusals.data[0].id, "event");
	f.spec.is_forced = true;
	compare_them(&f);
	assert_int_equal(f.status, OK);
	log = dossier_add(f.d, "ovs-vlog");
	(void)capture_records(log);
	f.spec.b.captures[0] = log;
	compare_them(&f);
	assert_int_equal(f.status, ERR_UNSUPPORTED);
	assert_string_equal(f.c.refusals.data[0].id, "kind");
	close_fixture(&f);
}

static void a_side_without_recordings_is_an_error(void **state)
{
	(void)state;
	for (int empty = 1; empty <= 3; empty++) {
		struct fixture f;

		compare_folded(&f, "app;main 10", "app;main 20");
		f.spec.a.n = !(empty & 1);
		f.spec.b.n = !(empty & 2);
		compare_them(&f);
		assert_int_equal(f.status, ERR_USAGE);
		close_fixture(&f);
	}
}

/*
 * Two truncated reports without a number of samples: the printed rows give limits, but no verdict.
 */
static void without_a_number_of_samples_there_is_no_verdict(void **state)
{
	struct fixture f;
	struct capture *a, *b;
	const struct compare_row *r;

	(void)state;
	open_fixture(&f);
	a = dossier_add(f.d, "test");
	b = dossier_add(f.d, "test");
	(void)profile_add_row(f.d, a, "x", "[kernel]", 'k', "lock", UINT64_MAX, 9000);
	(void)profile_add_row(f.d, a, "x", "[kernel]", 'k', "copy", UINT64_MAX, 200);
	(void)profile_add_row(f.d, b, "x", "[kernel]", 'k', "lock", UINT64_MAX, 1000);
	f.spec.a = (struct compare_side){ { a }, 1 };
	f.spec.b = (struct compare_side){ { b }, 1 };
	compare_them(&f);
	assert_int_equal(f.c.spread, COMPARE_UNKNOWN);
	r = row_of(&f, COMPARE_SYMBOL, "lock");
	assert_int_equal(r->verdict, COMPARE_CANNOT_TELL);
	assert_near(r->low, -80.01, 1e-6);
	assert_near(r->high, -79.99, 1e-6);
	assert_true(r->needed > 1 && r->needed < 10);
	assert_true(isnan(r->p));
	r = row_of(&f, COMPARE_SYMBOL, "copy");
	/* B's list ends at 10 %: copy may have up to that share */
	assert_near(r->b_high, 10.005, 1e-6);
	assert_true(f.c.tables[COMPARE_DSO].missing.len > 0);
	/* the same rows with a number of samples */
	a->profile->n_samples = b->profile->n_samples = 5000;
	a->profile->has_n_samples = b->profile->has_n_samples = true;
	compare_them(&f);
	assert_int_equal(row_of(&f, COMPARE_SYMBOL, "lock")->verdict, COMPARE_LESS);
	assert_int_equal(row_of(&f, COMPARE_SYMBOL, "copy")->verdict, COMPARE_CANNOT_TELL);
	close_fixture(&f);
}

static void rates_and_anchors_take_the_amount_into_account(void **state)
{
	struct fixture f;
	const struct compare_row *r;

	(void)state;
	/* half the share of twice the total work: the amount of a() is the same */
	compare_folded(&f, "app;main;a 4000\napp;main;b 4000", "app;main;a 4000\napp;main;b 12000");
	assert_int_equal(row_of(&f, COMPARE_SYMBOL, "a")->verdict, COMPARE_LESS);
	f.spec.norm = COMPARE_REQUEST;
	f.spec.done_a = f.spec.done_b = 1000;
	compare_them(&f);
	assert_int_equal(f.status, OK);
	r = row_of(&f, COMPARE_SYMBOL, "a");
	assert_near(r->a, 4, 1e-9);
	assert_near(r->delta, 0, 1e-9);
	assert_true(r->verdict != COMPARE_LESS && r->verdict != COMPARE_MORE);
	r = row_of(&f, COMPARE_SYMBOL, "b");
	assert_near(r->delta, 8, 1e-9);
	assert_int_equal(r->verdict, COMPARE_MORE);
	f.spec.norm = COMPARE_ANCHOR;
	f.spec.anchor = STR("a");
	compare_them(&f);
	r = row_of(&f, COMPARE_SYMBOL, "a");
	assert_near(r->a, 100, 1e-9);
	assert_near(r->low, 0, 1e-4);
	r = row_of(&f, COMPARE_SYMBOL, "b");
	assert_near(r->b, 300, 1e-9);
	assert_int_equal(r->verdict, COMPARE_MORE);
	f.spec.anchor = STR("nobody");
	compare_them(&f);
	assert_int_equal(f.status, ERR_USAGE);
	f.spec.norm = COMPARE_SECOND;
	compare_them(&f);
	assert_int_equal(f.status, ERR_USAGE); /* the captures have no times */
	close_fixture(&f);
}

static void a_change_that_is_wanted_says_how_much_longer(void **state)
{
	struct fixture f;
	const struct compare_row *r;
	double longer;

	(void)state;
	compare_folded(&f, "app;main;a 500\napp;main;b 500", "app;main;a 500\napp;main;b 500");
	f.spec.want = 1;
	compare_them(&f);
	r = row_of(&f, COMPARE_SYMBOL, "a");
	longer = r->longer;
	assert_true(longer > 10);
	assert_near(longer, r->visible * r->visible, 1e-6);
	f.spec.want = 2 * r->visible;
	compare_them(&f);
	assert_near(row_of(&f, COMPARE_SYMBOL, "a")->longer, 1, 1e-9);
	close_fixture(&f);
}

static void runs_give_the_spread(void **state)
{
	struct fixture f;

	(void)state;
	open_fixture(&f);
	/* the runs of either side differ by far more than chance: 45 to 55 % of 100000 samples */
	f.spec.a.captures[0] = profile_of_folded(f.d, "app;a 45000\napp;b 55000");
	f.spec.a.captures[1] = profile_of_folded(f.d, "app;a 55000\napp;b 45000");
	f.spec.a.captures[2] = profile_of_folded(f.d, "app;a 50000\napp;b 50000");
	f.spec.b.captures[0] = profile_of_folded(f.d, "app;a 49000\napp;b 51000");
	f.spec.b.captures[1] = profile_of_folded(f.d, "app;a 58000\napp;b 42000");
	f.spec.a.n = 3;
	f.spec.b.n = 1;
	compare_them(&f);
	assert_int_equal(f.c.spread, COMPARE_BY_RUNS_ONE);
	f.spec.b.n = 2;
	compare_them(&f);
	assert_int_equal(f.c.spread, COMPARE_BY_RUNS);
	assert_int_equal(row_of(&f, COMPARE_SYMBOL, "a")->verdict, COMPARE_CANNOT_TELL);
	assert_true(row_of(&f, COMPARE_SYMBOL, "a")->dispersion > 100);
	close_fixture(&f);
}

/* Both sides have the same two phases: the spread between the phases is not random. */
static void phases_of_both_sides_fall_out(void **state)
{
	struct fixture f;
	struct simulate_random random = { 5 };
	struct capture *captures[2];

	(void)state;
	open_fixture(&f);
	for (int s = 0; s < 2; s++) {
		struct profile *p;

		captures[s] = dossier_add(f.d, "test");
		p = capture_profile(captures[s]);
		p->unit = WEIGHT_SAMPLES;
		for (unsigned int i = 0; i < 20000; i++) {
			unsigned int k = (unsigned int)(simulate_next(&random) % 10);
			unsigned int function = i < 10000 ? k : 10 + k;

			if (s == 1 && function == 3 && simulate_uniform(&random) < 0.5)
				function = 4;
			assert_int_equal(
				profile_add_sample(p,
						   stacks_push(&p->stacks, STACK_ROOT,
							       simulate_symbol(f.d, function)),
						   1),
				OK);
			*VEC_PUSH(&p->samples.time_ns) = i * UINT64_C(1000);
		}
	}
	f.spec.a = (struct compare_side){ { captures[0] }, 1 };
	f.spec.b = (struct compare_side){ { captures[1] }, 1 };
	compare_them(&f);
	assert_int_equal(f.c.spread, COMPARE_BY_SLICES);
	assert_int_equal(row_of(&f, COMPARE_SYMBOL, "function_3")->verdict, COMPARE_LESS);
	assert_int_equal(row_of(&f, COMPARE_SYMBOL, "function_4")->verdict, COMPARE_MORE);
	assert_true(row_of(&f, COMPARE_SYMBOL, "function_15")->dispersion < 1.5);
	close_fixture(&f);
}

static struct capture *trace_of(struct dossier *d, const char *name, const uint64_t *ns, size_t n)
{
	struct capture *c = dossier_add(d, "test");
	struct calls *calls = capture_calls(c);
	sym_id sym = symbols_add_text(&d->symbols, str_of(name), STR_NONE, SPACE_KERNEL, 0);

	for (size_t i = 0; i < n; i++) {
		uint32_t call = 0;

		assert_int_equal(calls_add(calls, sym, INDEX_NONE, 0, 0, CALL_CLOSED, 1, &call),
				 OK);
		calls_set_duration(calls, call, ns[i]);
	}
	return c;
}

/*
 * Welch's test by hand: means 20 and 30 us, variances 2.5 and 10, 5 calls each: t = 6.325, df 5.88.
 */
static void calls_are_compared_by_their_mean_time(void **state)
{
	static const uint64_t a[] = { 18000, 19000, 20000, 21000, 22000 };
	static const uint64_t b[] = { 26000, 28000, 30000, 32000, 34000 };
	struct fixture f;
	const struct compare_row *r;

	(void)state;
	open_fixture(&f);
	f.spec.a = (struct compare_side){ { trace_of(f.d, "walk.isra.0", a, 5) }, 1 };
	f.spec.b = (struct compare_side){
		{ trace_of(f.d, "walk", b, 5), trace_of(f.d, "fresh", b, 1) }, 2
	};
	assert_int_equal(compare_calls(&f.spec, &f.c, &f.err), OK);
	r = row_of(&f, COMPARE_SYMBOL, "walk.isra.0");
	assert_non_null(r);
	assert_str(r->name_b, "walk");
	assert_near(r->delta, 10, 1e-9);
	assert_near(r->p, 0.000788, 2e-5);
	assert_near(r->low, 10 - 2.4587 * sqrt(2.5), 0.01);
	assert_int_equal(r->verdict, COMPARE_MORE);
	assert_int_equal(r->p50_ns_b, 30000);
	assert_int_equal(r->total_ns_a, 100000);
	r = row_of(&f, COMPARE_SYMBOL, "fresh");
	assert_true(r->is_new && r->verdict == COMPARE_CANNOT_TELL && isnan(r->p));
	for (int empty = 0; empty < 2; empty++) {
		struct compare_side *side = empty ? &f.spec.b : &f.spec.a;
		size_t n = side->n;

		compare_fini(&f.c);
		side->n = 0;
		assert_int_equal(compare_calls(&f.spec, &f.c, &f.err), ERR_USAGE);
		assert_string_equal(f.err.msg, "a side is empty");
		side->n = n;
	}
	compare_fini(&f.c);
	f.spec.b.captures[0] = profile_of_folded(f.d, "app;main 1");
	assert_int_equal(compare_calls(&f.spec, &f.c, &f.err), ERR_USAGE);
	assert_string_equal(f.err.msg, "B is no trace of calls: a trace is compared with a trace");
	compare_them(&f);
	assert_int_equal(f.status, ERR_UNSUPPORTED);
	close_fixture(&f);
}

/* The mean of @n durations, and the sum of their squared deviations from it. */
static double deviations(const uint64_t *ns, size_t n, double *ret_mean)
{
	double sum = 0;

	*ret_mean = 0;
	for (size_t i = 0; i < n; i++)
		*ret_mean += (double)ns[i] / 1e3 / (double)n;
	for (size_t i = 0; i < n; i++)
		sum += pow((double)ns[i] / 1e3 - *ret_mean, 2);
	return sum;
}

/* Two calls a side give an interval, five a test; one call, or equal calls, give none. */
static void an_interval_needs_two_calls_and_a_test_five(void **state)
{
	static const uint64_t a[] = { 18000, 19500, 20000, 21000, 22000, 27000, 18500 };
	static const uint64_t b[] = { 26000, 28000, 30500, 32000, 34000, 31000, 29000 };

	(void)state;
	for (size_t n = 1; n <= 7; n++) {
		for (size_t k = 1; k <= 7; k++) {
			double mean[2], va = deviations(a, n, &mean[0]),
					vb = deviations(b, k, &mean[1]);
			double error, df, t;
			const struct compare_row *r;
			struct fixture f;

			va /= (double)(n - 1) * (double)n;
			vb /= (double)(k - 1) * (double)k;
			error = sqrt(va + vb);
			df = pow(va + vb, 2) /
			     (va * va / (double)(n - 1) + vb * vb / (double)(k - 1));
			open_fixture(&f);
			f.spec.a = (struct compare_side){ { trace_of(f.d, "walk", a, n) }, 1 };
			f.spec.b = (struct compare_side){ { trace_of(f.d, "walk", b, k) }, 1 };
			assert_int_equal(compare_calls(&f.spec, &f.c, &f.err), OK);
			r = row_of(&f, COMPARE_SYMBOL, "walk");
			assert_near(r->a, mean[0], 1e-9);
			assert_near(r->b, mean[1], 1e-9);
			assert_near(r->delta, mean[1] - mean[0], 1e-9);
			assert_true(r->calls_a == n && r->calls_b == k);
			assert_int_equal(isnan(r->p), n < 5 || k < 5);
			if (n < 2 || k < 2) {
				assert_true(isinf(r->low) && isinf(r->high) && isnan(r->visible));
			} else {
				t = stats_t_critical(COMPARE_ALPHA, df);
				assert_near(r->low, r->delta - t * error, 1e-9);
				assert_near(r->high, r->delta + t * error, 1e-9);
				assert_near(r->visible, (t + COMPARE_POWER_Z) * error, 1e-9);
				if (!isnan(r->p))
					assert_near(r->p, stats_t_two_sided(r->delta / error, df),
						    1e-12);
			}
			close_fixture(&f);
		}
	}
}

struct tally {
	uint64_t heavy, covering, verdicts, wrong, found, pairs, bursts;
};

static void tally_pairs(struct tally *t, enum simulate_kind kind, double points, unsigned int pairs)
{
	struct simulate_random random = { 20261121 };
	double a[SIMULATE_FUNCTIONS], b[SIMULATE_FUNCTIONS];

	simulate_shares(a);
	simulate_shares(b);
	simulate_plant(b, 2, points);
	for (unsigned int pair = 0; pair < pairs; pair++) {
		struct fixture f;

		open_fixture(&f);
		f.spec.a = (struct compare_side){ { simulate(f.d, kind, a, 20000, &random) }, 1 };
		f.spec.b = (struct compare_side){ { simulate(f.d, kind, b, 20000, &random) }, 1 };
		compare_them(&f);
		assert_int_equal(f.status, OK);
		t->pairs++;
		t->bursts += f.c.bursts.len > 0;
		VEC_FOREACH (r, &f.c.tables[COMPARE_SYMBOL].rows) {
			unsigned int i = (unsigned int)atoi(r->name.p + strlen("function_"));
			bool differs = r->verdict == COMPARE_MORE || r->verdict == COMPARE_LESS;
			double truth = 100 * (b[i] - a[i]);

			t->verdicts++;
			if (points > 0)
				t->found += i == 2 && r->verdict == COMPARE_MORE;
			else
				t->wrong += differs;
			t->heavy += a[i] >= 0.01;
			t->covering += a[i] >= 0.01 && r->low <= truth && truth <= r->high;
		}
		close_fixture(&f);
	}
}

/*
 * A recording of a command that ran for @wall_ns. The numbers in @folded are samples of 1 ms each.
 */
static struct capture *run_of(struct fixture *f, const char *folded, uint64_t wall_ns)
{
	struct capture *c = profile_of_folded(f->d, folded);
	struct profile *p = c->profile;

	p->event = strings_add(&f->d->strings, STR("cpu-clock"));
	p->unit = WEIGHT_NS;
	p->has_event_count = p->has_n_samples = true;
	for (size_t i = 0; i < p->samples.n; i++) {
		p->n_samples += p->samples.weight.data[i];
		p->samples.weight.data[i] *= 1000000;
		p->event_count += p->samples.weight.data[i];
	}
	p->recording.is_known = true;
	p->recording.command_ns = wall_ns;
	return c;
}

static void amounts_have_a_unit_of_work_and_of_time(void **state)
{
	static const struct {
		const char *things, *unit;
	} cases[] = {
		{ "request", "samples per request" },
		{ "requests", "samples per request" },
		{ "queries", "samples per query" },
		{ "processes", "samples per process" },
		{ "batches", "samples per batch" },
		{ "boxes", "samples per box" },
		{ "flushes", "samples per flush" },
		{ "pass", "samples per pass" },
		{ "10000-requests", "samples per 10000-requests" },
	};
	/* milliseconds of CPU time, number of requests: the amount of a request in its unit */
	static const struct {
		unsigned int ms;
		double requests, amount;
		const char *unit;
	} times[] = {
		{ 10, 1, 10, "ms per request" },
		{ 9, 1, 9000, "µs per request" },
		{ 10, 1000, 10, "µs per request" },
		{ 9, 1000, 9000, "ns per request" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fixture f;

		compare_folded(&f, "app;main 1000", "app;main 2000");
		f.spec.norm = COMPARE_REQUEST;
		f.spec.anchor = str_of(cases[i].things);
		f.spec.done_a = f.spec.done_b = 10;
		compare_them(&f);
		assert_str(f.c.unit, cases[i].unit);
		assert_near(row_of(&f, COMPARE_SYMBOL, "main")->a, 100, 1e-9);
		close_fixture(&f);
	}
	for (size_t i = 0; i < ARRAY_LEN(times); i++) {
		struct fixture f;
		char text[40];

		(void)snprintf(text, sizeof(text), "app;main %u", times[i].ms);
		open_fixture(&f);
		f.spec.a = (struct compare_side){ { run_of(&f, text, UINT64_C(4000000000)) }, 1 };
		f.spec.b = (struct compare_side){ { run_of(&f, text, UINT64_C(4000000000)) }, 1 };
		f.spec.norm = COMPARE_REQUEST;
		f.spec.done_a = f.spec.done_b = times[i].requests;
		compare_them(&f);
		assert_str(f.c.unit, times[i].unit);
		assert_near(row_of(&f, COMPARE_SYMBOL, "main")->a, times[i].amount, 1e-9);
		assert_near(f.c.scale, times[i].amount, 1e-9);
		close_fixture(&f);
	}
}

static void the_unit_of_a_rate_has_80_bytes_of_the_event(void **state)
{
	static const char bytes[] = "a123456789b123456789c123456789d123456789"
				    "e123456789f123456789g123456789h123456789";
	struct fixture f;
	struct capture *sides[2];
	char text[128];

	(void)state;
	for (size_t over = 0; over < 2; over++) {
		open_fixture(&f);
		(void)snprintf(text, sizeof(text), "%s%s", bytes, over ? "i" : "");
		for (size_t i = 0; i < 2; i++) {
			sides[i] = profile_of_folded(f.d, "app;main 1000");
			sides[i]->profile->event = strings_add(&f.d->strings, str_of(text));
			sides[i]->profile->has_event_count = true;
			sides[i]->profile->event_count = 5000;
		}
		f.spec.a = (struct compare_side){ { sides[0] }, 1 };
		f.spec.b = (struct compare_side){ { sides[1] }, 1 };
		f.spec.norm = COMPARE_REQUEST;
		f.spec.done_a = f.spec.done_b = 10;
		f.spec.anchor = STR("requests");
		compare_them(&f);
		(void)snprintf(text, sizeof(text), "%s per request", bytes);
		assert_str(f.c.unit, text);
		close_fixture(&f);
	}
}

static void a_call_chain_has_its_whole_name(void **state)
{
	enum { NAME = 40000 };
	struct out text = { .fd = -1 };
	struct fixture f;
	size_t longest = 0;

	(void)state;
	out_z(&text, "app");
	for (size_t i = 0; i < 3 * NAME; i++)
		out_char(&text, i % NAME ? 'a' : ';');
	out_z(&text, " 100");
	out_char(&text, '\0');
	compare_folded(&f, text.data, text.data);
	VEC_FOREACH (r, &f.c.tables[COMPARE_STACK].rows)
		longest = r->name.len > longest ? r->name.len : longest;
	assert_int_equal(longest, 3 * NAME - 1);
	close_fixture(&f);
	out_fini(&text);
}

static void a_stem_is_a_name_without_its_version(void **state)
{
	static const struct {
		const char *name, *stem;
		bool is_marked;
	} cases[] = {
		{ "app", "app", false },     { "app.", "app.", false },
		{ "app2", "app", false },    { "app2.1", "app", true },
		{ "app-2", "app", true },    { "app_2", "app", true },
		{ "app-v2", "app", true },   { "app_v2", "app", true },
		{ "appv2", "appv", false },  { "v2", "v", false },
		{ "-v2", "-", false },       { "-2", "-", false },
		{ "app-v", "app-v", false }, { "2.1", "2.1", true },
		{ "app--2", "app-", true },  { "python3.11", "python", true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		bool is_marked;

		assert_str(compare_object_stem(str_of(cases[i].name), &is_marked), cases[i].stem);
		assert_int_equal(is_marked, cases[i].is_marked);
	}
}

/*
 * Compare one run a side, with CPU times of @a and @b times 4 ms and equal shares. The wall times
 * are @wall_a and @wall_b times 4 ms.
 */
static void compare_walls_of(struct fixture *f, unsigned int a, unsigned int b, unsigned int wall_a,
			     unsigned int wall_b)
{
	char text[2][160];

	(void)snprintf(text[0], sizeof(text[0]), "app;main;work;copy %u\napp;main;work %u", a * 3,
		       a);
	(void)snprintf(text[1], sizeof(text[1]), "app;main;work;copy %u\napp;main;work %u", b * 3,
		       b);
	open_fixture(f);
	f->spec.a = (struct compare_side){ { run_of(f, text[0], wall_a * UINT64_C(4000000)) }, 1 };
	f->spec.b = (struct compare_side){ { run_of(f, text[1], wall_b * UINT64_C(4000000)) }, 1 };
	compare_them(f);
	assert_int_equal(f->status, OK);
}

/* The same for a program that does its work on one CPU without a wait. */
static void compare_totals_of(struct fixture *f, unsigned int a, unsigned int b)
{
	compare_walls_of(f, a, b, a, b);
}

/* The same for runs of 4 s. */
static void compare_timed_of(struct fixture *f, unsigned int a, unsigned int b)
{
	compare_walls_of(f, a, b, 1000, 1000);
}

static void a_total_that_grew_without_a_shift_of_shares_is_more(void **state)
{
	struct fixture f;
	const struct compare_whole *w = &f.c.wholes[0];

	(void)state;
	compare_totals_of(&f, 1000, 1200);
	assert_int_equal(f.c.tables[COMPARE_SYMBOL].counts[COMPARE_MORE], 0);
	assert_int_equal(f.c.n_wholes, 2);
	assert_string_equal(w->id, "cpu");
	assert_int_equal(w->from, COMPARE_ASSUMED);
	assert_near(w->a, 4, 1e-9);
	assert_near(w->change, 20, 1e-6);
	/* limits: 1.2 * exp(± 1.96 * 0.03 * sqrt(2)) */
	assert_near(w->low, 120 * exp(-1.96 * 0.03 * M_SQRT2) - 100, 0.01);
	assert_near(w->high, 120 * exp(1.96 * 0.03 * M_SQRT2) - 100, 0.01);
	assert_int_equal(w->verdict, COMPARE_MORE);
	/* wall time: a spread of 10 % is assumed */
	assert_int_equal(f.c.wholes[1].verdict, COMPARE_CANNOT_TELL);
	assert_near(f.c.parts.data[0].pct, 75, 1e-6);
	assert_str(f.c.parts.data[0].name, "copy");
	assert_str(f.c.parts.data[0].caller, "work");
	close_fixture(&f);
	/*
	 * changes just below and above p = 2.5 %: a factor of exp(2.241 * 0.03 * sqrt(2)) = 1.0998
	 */
	compare_totals_of(&f, 1000, 1098);
	assert_int_equal(w->verdict, COMPARE_CANNOT_TELL);
	assert_int_equal(f.c.parts.len, 0);
	close_fixture(&f);
	compare_totals_of(&f, 1000, 1101);
	assert_int_equal(w->verdict, COMPARE_MORE);
	close_fixture(&f);
	compare_totals_of(&f, 1000, 800);
	assert_int_equal(w->verdict, COMPARE_LESS);
	f.spec.run_spread = 20;
	compare_them(&f);
	assert_int_equal(w->from, COMPARE_GIVEN);
	assert_int_equal(w->verdict, COMPARE_CANNOT_TELL);
	/* the command waits for half of the wall time: the assumed spread is twice as large */
	f.spec.run_spread = 0;
	f.spec.a.captures[0]->profile->recording.command_ns = UINT64_C(8000000000);
	compare_them(&f);
	assert_near(w->waited, 0.5, 1e-9);
	assert_near(w->spread, 6, 0.01);
	f.spec.run_spread = 0.1;
	f.spec.b = f.spec.a;
	compare_them(&f);
	assert_int_equal(w->verdict, COMPARE_SAME);
	close_fixture(&f);
}

/*
 * Both runs take 4 s. One of them was on no CPU for a fifth of that: other programs may have used
 * it, as a run for a set time does less work on a busy machine.
 */
static void cpu_time_of_runs_for_a_set_time_may_show_the_load_of_the_machine(void **state)
{
	struct fixture f;
	const struct compare_whole *w = &f.c.wholes[0];
	uint64_t *wall;

	(void)state;
	compare_timed_of(&f, 1000, 800);
	assert_true(w->is_timed);
	assert_near(w->waited, 0.2, 1e-9);
	assert_near(w->spread, 3 + 30 * 0.2, 0.01);
	assert_int_equal(w->verdict, COMPARE_CANNOT_TELL);
	/* wall times of 4 s and exp(0.02) * 4 s = 4.0808 s count as the same */
	wall = &f.spec.b.captures[0]->profile->recording.command_ns;
	*wall = UINT64_C(4080000000);
	compare_them(&f);
	assert_true(w->is_timed);
	*wall = UINT64_C(4081000000);
	compare_them(&f);
	assert_false(w->is_timed);
	close_fixture(&f);
	/* half as much and less is no load */
	compare_timed_of(&f, 1000, 500);
	assert_near(w->spread, 3 + 30 * 0.5, 0.01);
	assert_int_equal(w->verdict, COMPARE_LESS);
	close_fixture(&f);
	/* threads on two CPUs: 7.2 and 5.6 s in 4 s */
	compare_timed_of(&f, 1800, 1400);
	assert_near(w->waited, 0.3, 1e-9);
	assert_near(w->spread, 3 + 30 * 0.3, 0.01);
	assert_int_equal(w->verdict, COMPARE_CANNOT_TELL);
	close_fixture(&f);
	/* one CPU and the error of its clock: nothing is missing */
	compare_timed_of(&f, 1019, 1019);
	assert_false(w->is_timed);
	close_fixture(&f);
	compare_timed_of(&f, 1021, 1021);
	assert_true(w->is_timed);
	close_fixture(&f);
	/* more than half of the wall time does not count */
	compare_timed_of(&f, 1000, 300);
	assert_near(w->spread, 3 + 30 * 0.5, 0.01);
	close_fixture(&f);
}

static void three_runs_that_grow_alike_are_found(void **state)
{
	static const unsigned int totals[2][3] = { { 1000, 1030, 980 }, { 1210, 1180, 1220 } };
	struct fixture f;
	const struct compare_whole *w = &f.c.wholes[0];
	uint64_t more;

	(void)state;
	open_fixture(&f);
	for (int s = 0; s < 2; s++) {
		struct compare_side *side = s ? &f.spec.b : &f.spec.a;

		for (int i = 0; i < 3; i++) {
			char text[80];

			(void)snprintf(text, sizeof(text), "app;main;work %u\napp;main;copy %u",
				       totals[s][i], totals[s][i] * 3);
			side->captures[side->n++] = run_of(&f, text, UINT64_C(5000000000));
		}
	}
	compare_them(&f);
	assert_int_equal(f.status, OK);
	assert_int_equal(w->from, COMPARE_BY_RUNS);
	assert_int_equal(w->verdict, COMPARE_MORE);
	assert_true(w->df < 4.01 && w->df > 2);
	assert_true(w->spread > 1 && w->spread < 3);
	assert_true(w->runs_needed > 3);
	/* a change of half a percent needs more runs than one of 1 %, which is the default */
	assert_near(w->want, 1, 0);
	more = w->runs_needed;
	f.spec.want = 0.5;
	compare_them(&f);
	assert_near(w->want, 0.5, 0);
	assert_true(w->runs_needed > 2 * more);
	/* a spread of 20 % hides the difference */
	f.spec.run_spread = 20;
	compare_them(&f);
	assert_int_equal(w->verdict, COMPARE_CANNOT_TELL);
	close_fixture(&f);
}

static void totals_are_of_whole_runs_only(void **state)
{
	struct fixture f;

	(void)state;
	compare_folded(&f, "app;main 1000", "app;main 2000");
	assert_int_equal(f.c.n_wholes, 0);
	assert_true(f.c.wholes_missing.len > 0);
	/* the user states that each capture is a whole run */
	f.spec.is_per_run = true;
	f.spec.norm = COMPARE_REQUEST;
	f.spec.anchor = STR("run");
	f.spec.done_a = f.spec.done_b = 1;
	compare_them(&f);
	assert_int_equal(f.c.n_wholes, 1);
	assert_int_equal(f.c.wholes[0].verdict, COMPARE_MORE);
	close_fixture(&f);
	compare_totals_of(&f, 1000, 1200);
	f.spec.b.captures[0]->profile->has_lost = true;
	f.spec.b.captures[0]->profile->lost = 48; /* at the limit of 1 % */
	compare_them(&f);
	assert_int_equal(f.c.n_wholes, 2);
	f.spec.b.captures[0]->profile->lost = 49;
	compare_them(&f);
	assert_int_equal(f.c.n_wholes, 0);
	f.spec.b.captures[0]->profile->lost = 0;
	f.spec.b.captures[0]->profile->recording.enabled_ns = 1000;
	f.spec.b.captures[0]->profile->recording.running_ns = 989;
	compare_them(&f);
	assert_int_equal(f.c.n_wholes, 0);
	f.spec.b.captures[0]->profile->recording.running_ns = 990;
	compare_them(&f);
	assert_int_equal(f.c.n_wholes, 2);
	close_fixture(&f);
}

/* A function's amount varies from run to run: 8 % more is inconclusive at the assumed spread. */
static void amounts_of_one_run_vary_with_the_run(void **state)
{
	struct fixture f;

	(void)state;
	compare_totals_of(&f, 100000, 108000);
	f.spec.is_per_run = true;
	f.spec.norm = COMPARE_REQUEST;
	f.spec.anchor = STR("run");
	f.spec.done_a = f.spec.done_b = 1;
	compare_them(&f);
	assert_int_equal(row_of(&f, COMPARE_SYMBOL, "copy")->verdict, COMPARE_CANNOT_TELL);
	f.spec.run_spread = 1;
	compare_them(&f);
	assert_int_equal(row_of(&f, COMPARE_SYMBOL, "copy")->verdict, COMPARE_MORE);
	close_fixture(&f);
}

static const struct compare_move *only_move(const struct fixture *f)
{
	assert_int_equal(f->status, OK);
	assert_int_equal(f->c.moves.len, 1);
	assert_str(f->c.moves.data[0].from, "copy");
	return &f->c.moves.data[0];
}

static void work_that_moved_is_found_by_callers_and_names(void **state)
{
	struct fixture f;
	const struct compare_move *m;

	(void)state;
	/* copy() was inlined into its caller */
	compare_folded(&f, "app;main;work;copy 3000\napp;main;work 1000\napp;main;rest 6000",
		       "app;main;work 4000\napp;main;rest 6000");
	m = only_move(&f);
	assert_int_equal(m->how, MOVED_TO_CALLER);
	assert_str(m->to, "work");
	assert_near(m->lost, 30, 1e-9);
	assert_near(f.c.moved_part, 1, 1e-9);
	close_fixture(&f);
	/* copy() was split: a new callee does part of its work */
	compare_folded(&f, "app;main;copy 4000\napp;main;rest 6000",
		       "app;main;copy 1000\napp;main;copy;move 3000\napp;main;rest 6000");
	m = only_move(&f);
	assert_int_equal(m->how, MOVED_TO_CALLEE);
	close_fixture(&f);
	/* copy() was replaced: it is gone, and a new function has the same caller */
	compare_folded(&f, "app;main;work;copy 3000\napp;main;rest 7000",
		       "app;main;work;move 3000\napp;main;rest 7000");
	m = only_move(&f);
	assert_int_equal(m->how, MOVED_SIBLING);
	assert_str(m->caller, "work");
	close_fixture(&f);
	/* copy() moved to a similar name */
	compare_folded(&f, "app;main;copy 3000\napp;main;rest 7000",
		       "app;main;deep;copy_in 3000\napp;main;rest 7000");
	m = only_move(&f);
	assert_int_equal(m->how, MOVED_NAMES);
	close_fixture(&f);
}

static void equal_amounts_alone_did_not_move(void **state)
{
	struct fixture f;

	(void)state;
	/* the new function has another caller */
	compare_folded(&f, "app;main;work;copy 3000\napp;main;rest 7000",
		       "app;main;rest;move 3000\napp;main;rest 7000");
	assert_int_equal(f.c.moves.len, 0);
	close_fixture(&f);
	/* the new function has the same caller, but a smaller amount */
	compare_folded(&f, "app;main;work;copy 3000\napp;main;rest 7000",
		       "app;main;work;move 2700\napp;main;rest 7300");
	assert_int_equal(f.c.moves.len, 0);
	close_fixture(&f);
	/* the sibling existed before */
	compare_folded(&f, "app;main;work;copy 3000\napp;main;work;move 100\napp;main;rest 7000",
		       "app;main;work;move 3100\napp;main;rest 7000");
	assert_int_equal(f.c.moves.len, 0);
	close_fixture(&f);
}

/*
 * Function 3 replaces all others in samples @from to @to. @in_b, @in_a: number of such bursts in B
 * and in A, each a quarter of the recording after the previous one.
 */
struct burst {
	unsigned int from, to;
	unsigned int in_b, in_a;
};

#define BURST_SAMPLES 9600u /* 200 samples a slice */

static void compare_burst(struct fixture *f, const struct burst *burst)
{
	struct simulate_random random = { 5 };
	struct capture *captures[2];

	open_fixture(f);
	for (unsigned int s = 0; s < 2; s++) {
		unsigned int n = s ? burst->in_b : burst->in_a;
		struct profile *p;

		captures[s] = dossier_add(f->d, "test");
		p = capture_profile(captures[s]);
		p->unit = WEIGHT_SAMPLES;
		for (unsigned int i = 0; i < BURST_SAMPLES; i++) {
			unsigned int function = (unsigned int)(simulate_next(&random) % 10);

			for (unsigned int k = 0; k < n; k++) {
				unsigned int shift = k * BURST_SAMPLES / 4;

				if (i >= burst->from + shift && i < burst->to + shift)
					function = 3;
			}
			assert_int_equal(
				profile_add_sample(p,
						   stacks_push(&p->stacks, STACK_ROOT,
							       simulate_symbol(f->d, function)),
						   s ? 1 : 3),
				OK);
			*VEC_PUSH(&p->samples.time_ns) = i * UINT64_C(1000000);
		}
	}
	f->spec.a = (struct compare_side){ { captures[0] }, 1 };
	f->spec.b = (struct compare_side){ { captures[1] }, 1 };
	compare_them(f);
	assert_int_equal(f->status, OK);
	assert_int_equal(f->c.spread, COMPARE_BY_SLICES);
}

static void a_change_in_a_burst_that_is_over_went_away(void **state)
{
	static const struct burst once = { 2400, 3200, 1, 0 };
	struct fixture f;
	const struct compare_burst *b;

	(void)state;
	compare_burst(&f, &once);
	assert_int_equal(f.c.bursts.len, 1);
	b = &f.c.bursts.data[0];
	assert_str(b->name, "function_3");
	assert_true(b->is_in_b);
	/*
	 * the burst is a twelfth of the samples; in A, nine tenths of these are of other functions
	 */
	assert_near(b->points, 7.5, 0.3);
	assert_near(b->from, 2.4, 1e-3);
	assert_near(b->to, 3.2, 1e-3);
	assert_near(b->seconds, 9.599, 1e-9);
	close_fixture(&f);
	/* a burst in A */
	compare_burst(&f, &(struct burst){ 2400, 3200, 0, 1 });
	assert_int_equal(f.c.bursts.len, 1);
	assert_false(f.c.bursts.data[0].is_in_b);
	close_fixture(&f);
}

static void a_change_that_lasts_or_returns_is_no_burst(void **state)
{
	static const struct {
		struct burst burst;
		size_t n;
	} cases[] = {
		{ { 2400, 4800, 1, 0 }, 1 }, /* a quarter of the time */
		{ { 2400, 5000, 1, 0 }, 0 }, /* more than a quarter of the time */
		{ { 8600, 9600, 1, 0 }, 0 }, /* the burst lasts until the end */
		{ { 8000, 8800, 1, 0 }, 1 }, /* the rest is as long as the burst */
		{ { 8200, 9000, 1, 0 }, 0 }, { { 1200, 1600, 2, 0 }, 0 }, /* two bursts */
		{ { 1200, 1600, 1, 1 }, 0 },                              /* in both sides */
		{ { 2400, 2800, 1, 0 }, 1 },                              /* 3.7 points */
		{ { 2400, 2440, 1, 0 }, 0 }, /* within the margin of 0.5 points */
		{ { 0, 0, 0, 0 }, 0 },
	};
	struct fixture f;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		compare_burst(&f, &cases[i].burst);
		if (f.c.bursts.len != cases[i].n)
			print_message("# case %zu: %zu bursts\n", i, f.c.bursts.len);
		assert_int_equal(f.c.bursts.len, cases[i].n);
		close_fixture(&f);
	}
}

/* Fixed seed; tests/bench/compare.c draws many more. */
static void intervals_cover_the_truth_and_wrong_verdicts_are_few(void **state)
{
	static const char *const names[] = { "poisson", "bursts", "threads", "printed" };

	(void)state;
	for (int kind = 0; kind < SIMULATE_KIND_COUNT; kind++) {
		struct tally same = { 0 }, planted = { 0 };
		double coverage;

		tally_pairs(&same, (enum simulate_kind)kind, 0, 60);
		tally_pairs(&planted, (enum simulate_kind)kind, 5, 30);
		coverage = 100 * (double)(same.covering + planted.covering) /
			   (double)(same.heavy + planted.heavy);
		print_message("# %s: 95 %% intervals cover %.1f %%, %llu of %llu verdicts wrong, "
			      "planted found %llu of %llu, bursts in %llu pairs\n",
			      names[kind], coverage, (unsigned long long)same.wrong,
			      (unsigned long long)same.verdicts, (unsigned long long)planted.found,
			      (unsigned long long)planted.pairs,
			      (unsigned long long)(same.bursts + planted.bursts));
		assert_true(coverage >= 93 && coverage <= 97);
		assert_true(same.wrong * 20 <= same.verdicts);
		assert_true((same.bursts + planted.bursts) * 40 <= same.pairs + planted.pairs);
		/* 20000 samples in bursts are worth 900 independent ones */
		if (kind != SIMULATE_BURSTS)
			assert_int_equal(planted.found, planted.pairs);
	}
}

static void an_event_of_one_side_only_is_another_amount(void **state)
{
	static const struct {
		const char *a, *b, *why; /* why: NULL if they can be compared */
	} cases[] = {
		{ "cycles:u", "cycles",
		  "they counted different parts of cycles: A in user space only, B all of it; the "
		  "totals are not of the same work" },
		{ "cycles", "cycles:k",
		  "they counted different parts of cycles: A all of it, B in the kernel only; the "
		  "totals are not of the same work" },
		{ "cycles:u", "cycles:up", NULL },
		{ "cycles:uk", "cycles", NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fixture f;

		compare_folded(&f, "app;main 10", "app;main 20");
		f.spec.a.captures[0]->profile->event =
			strings_add(&f.d->strings, str_of(cases[i].a));
		f.spec.b.captures[0]->profile->event =
			strings_add(&f.d->strings, str_of(cases[i].b));
		compare_them(&f);
		assert_int_equal(f.c.refusals.len, cases[i].why ? 1 : 0);
		if (cases[i].why) {
			assert_string_equal(f.c.refusals.data[0].id, "space");
			assert_str(f.c.refusals.data[0].sentence, cases[i].why);
		}
		close_fixture(&f);
	}
}

static const struct compare_note *note_of(const struct fixture *f, const char *id)
{
	VEC_FOREACH (n, &f->c.notes) {
		if (strcmp(n->id, id) == 0)
			return n;
	}
	return NULL;
}

/* What the headers of both recordings say, and say differently. */
static void headers_that_differ_are_said(void **state)
{
	static const struct {
		const char *key, *id, *text;
	} cases[] = {
		{ "os release", "kernel", "the kernels differ: A one, B two" },
		{ "hostname", "machine", "the machines differ: A one, B two" },
		{ "cpudesc", "cpu", "the processors differ: A one, B two" },
		{ "nrcpus online", "cpus", "the numbers of CPUs differ: A one, B two" },
		{ "arch", "arch", "the architectures differ: A one, B two" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		static const char *const values[][2] = {
			{ "one", "two" }, { "one", "one" }, { "one", "" }, { "", "two" }
		};

		for (size_t k = 0; k < ARRAY_LEN(values); k++) {
			struct fixture f;

			compare_folded(&f, "app;main 10", "app;main 20");
			capture_note(f.d->captures.data[0], str_of(cases[i].key),
				     str_of(values[k][0]), 1);
			capture_note(f.d->captures.data[1], str_of(cases[i].key),
				     str_of(values[k][1]), 1);
			compare_them(&f);
			if (k == 0)
				assert_str(note_of(&f, cases[i].id)->sentence, cases[i].text);
			else
				assert_null(note_of(&f, cases[i].id));
			close_fixture(&f);
		}
	}
}

/* The anchor of printed reports: its share with callees, if the report has them. */
static void printed_rows_are_compared_by_an_anchor(void **state)
{
	(void)state;
	for (int has_children = 0; has_children < 2; has_children++) {
		struct fixture f;
		const struct compare_row *r;

		open_fixture(&f);
		for (int s = 0; s < 2; s++) {
			struct capture *c = dossier_add(f.d, "test");
			struct compare_side *side = s ? &f.spec.b : &f.spec.a;

			(void)profile_add_row(f.d, c, "x", "app", '.', "lock",
					      has_children ? 8000 : UINT64_MAX, 5000);
			(void)profile_add_row(f.d, c, "x", "app", '.', "copy",
					      has_children ? 2000 : UINT64_MAX, s ? 1000 : 2000);
			c->profile->n_samples = 10000;
			c->profile->has_n_samples = true;
			*side = (struct compare_side){ { c }, 1 };
		}
		f.spec.norm = COMPARE_ANCHOR;
		f.spec.anchor = STR("lock");
		compare_them(&f);
		assert_int_equal(f.status, OK);
		r = row_of(&f, COMPARE_SYMBOL, "copy");
		assert_near(r->a, has_children ? 25 : 40, 1e-9);
		assert_near(r->b, has_children ? 12.5 : 20, 1e-9);
		assert_int_equal(r->verdict, COMPARE_LESS);
		r = row_of(&f, COMPARE_SYMBOL, "lock");
		assert_near(r->a, has_children ? 62.5 : 100, 1e-9);
		assert_near(r->delta, 0, 1e-9);
		close_fixture(&f);
	}
}

/* After a selection, the total is that of the selected samples. */
static void the_total_of_a_selection_is_that_of_its_samples(void **state)
{
	struct fixture f;
	const struct compare_whole *w = &f.c.wholes[0];
	struct profile *p;

	(void)state;
	compare_totals_of(&f, 1000, 1200);
	assert_near(w->b, 4.8, 1e-9);
	p = f.spec.b.captures[0]->profile;
	/* the half of the function without callees was not selected */
	p->samples.weight.data[1] -= UINT64_C(600000000);
	p->left_out = UINT64_C(600000000);
	p->is_selected = true;
	compare_them(&f);
	assert_int_equal(f.c.n_wholes, 2);
	assert_near(w->a, 4, 1e-9);
	assert_near(w->b, 4.2, 1e-9);
	assert_near(w->change, 5, 1e-6);
	/* nothing was selected that weighs anything */
	p->samples.weight.data[0] = p->samples.weight.data[1] = 0;
	p->left_out = UINT64_C(4800000000);
	compare_them(&f);
	assert_int_equal(f.c.n_wholes, 0);
	assert_str(f.c.wholes_missing, "a run has no samples");
	close_fixture(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_function_that_grew_is_more_and_the_rest_is_separated),
		cmocka_unit_test(equal_recordings_show_no_difference),
		cmocka_unit_test(names_are_matched_without_what_tools_add),
		cmocka_unit_test(names_of_just_in_time_compilers_are_matched),
		cmocka_unit_test(a_name_alone_on_either_side_is_matched_across_objects),
		cmocka_unit_test(an_object_under_another_name_is_one_object),
		cmocka_unit_test(versions_of_an_object_are_one_object),
		cmocka_unit_test(a_stem_is_a_name_without_its_version),
		cmocka_unit_test(amounts_have_a_unit_of_work_and_of_time),
		cmocka_unit_test(the_unit_of_a_rate_has_80_bytes_of_the_event),
		cmocka_unit_test(a_call_chain_has_its_whole_name),
		cmocka_unit_test(a_name_that_was_cut_is_matched),
		cmocka_unit_test(chains_broken_on_one_side_are_not_compared),
		cmocka_unit_test(events_are_compared_without_modifiers),
		cmocka_unit_test(what_cannot_be_compared_is_refused_with_reasons),
		cmocka_unit_test(a_side_without_recordings_is_an_error),
		cmocka_unit_test(without_a_number_of_samples_there_is_no_verdict),
		cmocka_unit_test(rates_and_anchors_take_the_amount_into_account),
		cmocka_unit_test(a_change_that_is_wanted_says_how_much_longer),
		cmocka_unit_test(runs_give_the_spread),
		cmocka_unit_test(phases_of_both_sides_fall_out),
		cmocka_unit_test(calls_are_compared_by_their_mean_time),
		cmocka_unit_test(an_interval_needs_two_calls_and_a_test_five),
		cmocka_unit_test(a_total_that_grew_without_a_shift_of_shares_is_more),
		cmocka_unit_test(cpu_time_of_runs_for_a_set_time_may_show_the_load_of_the_machine),
		cmocka_unit_test(three_runs_that_grow_alike_are_found),
		cmocka_unit_test(totals_are_of_whole_runs_only),
		cmocka_unit_test(amounts_of_one_run_vary_with_the_run),
		cmocka_unit_test(work_that_moved_is_found_by_callers_and_names),
		cmocka_unit_test(equal_amounts_alone_did_not_move),
		cmocka_unit_test(a_change_in_a_burst_that_is_over_went_away),
		cmocka_unit_test(a_change_that_lasts_or_returns_is_no_burst),
		cmocka_unit_test(intervals_cover_the_truth_and_wrong_verdicts_are_few),
		cmocka_unit_test(an_event_of_one_side_only_is_another_amount),
		cmocka_unit_test(headers_that_differ_are_said),
		cmocka_unit_test(printed_rows_are_compared_by_an_anchor),
		cmocka_unit_test(the_total_of_a_selection_is_that_of_its_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
