/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "analyses/top/tree.h"
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

static void tree_text(const struct capture *c, const struct tree *t, struct out *out)
{
	out_init(out);
	VEC_FOREACH (n, &t->nodes) {
		out_repeat(out, ' ', n->depth);
		out_str(out, symbols_name(capture_symbols(c), n->sym));
		out_printf(out, " %u", (unsigned int)n->weight);
		if (n->self)
			out_printf(out, " self %u", (unsigned int)n->self);
		if (n->hidden)
			out_printf(out, " hidden %u", (unsigned int)n->hidden);
		out_char(out, '\n');
	}
}

static sym_id named(struct dossier *d, const char *name)
{
	VEC_FOREACH (s, &d->symbols.rows) {
		if (str_eq(strings_get(&d->strings, s->name), str_of(name)))
			return (sym_id){ (uint32_t)(s - d->symbols.rows.data) };
	}
	return SYM_ID_NONE;
}

static void check(struct dossier *d, struct capture *c, struct tree_spec spec, const char *expected)
{
	struct error err;
	struct tree t;
	struct out out;

	(void)d;
	assert_int_equal(tree_build(c, &spec, &t, &err), OK);
	tree_text(c, &t, &out);
	assert_str(out_view(&out), expected);
	VEC_FOREACH (n, &t.nodes) {
		assert_true(n->end > (uint32_t)(n - t.nodes.data));
		assert_true(n->end <= t.nodes.len);
	}
	out_fini(&out);
	tree_fini(&t);
}

static const char stacks[] = "app;main;f;g;f;g 3\n"
			     "app;main;f 2\n"
			     "app;main;h;g 4\n"
			     "other;main;h 1\n";

static void callees_start_at_the_outermost_frames(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct capture *c = profile_of_folded(d, stacks);

	(void)state;
	check(d, c, (struct tree_spec){ .direction = TREE_CALLEES },
	      "main 10\n"
	      " f 5 self 2\n"
	      "  g 3\n"
	      "   f 3\n"
	      "    g 3 self 3\n"
	      " h 5 self 1\n"
	      "  g 4 self 4\n");
	check(d, c, (struct tree_spec){ .direction = TREE_CALLEES, .start = named(d, "g") },
	      "g 7 self 4\n"
	      " f 3\n"
	      "  g 3 self 3\n");
	check(d, c,
	      (struct tree_spec){ .direction = TREE_CALLEES,
				  .comm = strings_add(&d->strings, STR("other")) },
	      "main 1\n h 1 self 1\n");
	check(d, c, (struct tree_spec){ .direction = TREE_CALLEES, .percent_limit = 40 },
	      "main 10\n"
	      " f 5 self 2 hidden 3\n"
	      " h 5 self 1\n"
	      "  g 4 self 4\n");
	check(d, c, (struct tree_spec){ .direction = TREE_CALLEES, .max_depth = 2 },
	      "main 10\n"
	      " f 5 self 2 hidden 3\n"
	      " h 5 self 1 hidden 4\n");
}

static void callers_count_a_recursive_sample_once(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct capture *c = profile_of_folded(d, stacks);

	(void)state;
	check(d, c, (struct tree_spec){ .direction = TREE_CALLERS, .start = named(d, "g") },
	      "g 7\n"
	      " h 4\n"
	      "  main 4 self 4\n"
	      " f 3\n"
	      "  g 3\n"
	      "   f 3\n"
	      "    main 3 self 3\n");
	check(d, c,
	      (struct tree_spec){
		      .direction = TREE_CALLERS, .start = named(d, "f"), .self_only = true },
	      "f 2\n main 2 self 2\n");
	check(d, c, (struct tree_spec){ .direction = TREE_CALLERS, .max_nodes = 3 },
	      "g 7 hidden 3\n"
	      " h 4\n"
	      "  main 4 self 4\n");
}

static void printed_trees_keep_their_order_and_lines(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct capture *c;
	struct error err;
	struct tree t;

	(void)state;
	if (!seed_load(d, "000"))
		SKIP_TEST("../shared/seeds is missing");
	c = seed_largest_table(d);
	assert_int_equal(tree_of_row(c, 0, 0, &t, &err), OK);
	assert_true(t.is_printed);
	assert_int_equal(t.nodes.len, 12);
	assert_int_equal(t.nodes.data[0].line, 18);
	assert_int_equal(t.nodes.data[0].weight, 2660);
	assert_int_equal(t.nodes.data[0].end, t.nodes.len);
	tree_fini(&t);
	assert_int_equal(tree_of_row(c, 516, 0, &t, &err), ERR_NOTFOUND);
}

static void callees_of_main_are_those_of_the_recovered_samples(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct recover_result r;
	struct capture *c;
	sym_id start;

	(void)state;
	if (!seed_load(d, "001"))
		SKIP_TEST("../shared/seeds is missing");
	c = seed_largest_table(d);
	recover_samples(c, &r);
	start = symbols_add_text(&d->symbols, STR("main"), STR("ovsdb-server"), SPACE_USER, 0);
	check(d, c, (struct tree_spec){ .direction = TREE_CALLEES, .start = start, .max_depth = 2 },
	      "main 67\n"
	      " ovsdb_snapshot 37 hidden 37\n"
	      " raft_run 15 hidden 15\n"
	      " poll_block 5 hidden 5\n"
	      " ovsdb_txn_row_modify 3 self 1 hidden 2\n"
	      " ovsdb_jsonrpc_server_run 1 hidden 1\n"
	      " ovsdb_jsonrpc_server_wait 1 hidden 1\n"
	      " read_db 1 hidden 1\n"
	      " reconfigure_ssl 1 hidden 1\n"
	      " unixctl_server_run 1 hidden 1\n"
	      " unixctl_server_wait 1 hidden 1\n"
	      " update_database_status 1 hidden 1\n");
}

/* Samples without a command in their stack have that of their thread. */
static void the_command_may_be_that_of_the_thread(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct capture *c = profile_of_folded(d, "app;main;f 3\napp;main;g 2\n");
	struct profile *p = c->profile;
	stack_id bare = stacks_push(&p->stacks, STACK_ROOT, named(d, "f"));
	struct tree_spec spec = { .direction = TREE_CALLEES };

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(profile_add_sample(p, bare, UINT64_C(10) << i), OK);
		*VEC_PUSH(&p->samples.thread) = profile_thread(
			p, (struct profile_thread){ .pid = 7 + i, .tid = 7 + i, true, true });
	}
	for (uint32_t i = 0; i < 2; i++)
		*VEC_PUSH(&p->samples.thread) = i;
	p->threads.data[0].comm = strings_add(&d->strings, STR("app"));
	p->threads.data[1].comm = strings_add(&d->strings, STR("other"));
	spec.comm = p->threads.data[0].comm;
	check(d, c, spec,
	      "f 10 self 10\n"
	      "main 5\n"
	      " f 3 self 3\n"
	      " g 2 self 2\n");
	spec.comm = p->threads.data[1].comm;
	check(d, c, spec, "f 20 self 20\n");
}

static void a_tree_needs_samples_or_a_selection(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct capture *c = dossier_add(d, "test");
	struct tree_spec spec = { .direction = TREE_CALLEES };
	struct error err;
	struct tree t;

	(void)state;
	assert_int_equal(tree_build(c, &spec, &t, &err), ERR_USAGE);
	(void)capture_profile(c);
	assert_int_equal(tree_build(c, &spec, &t, &err), ERR_USAGE);
	assert_string_equal(err.msg, "this capture has no samples for a call tree");
	c->profile->is_selected = true;
	check(d, c, spec, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(callees_start_at_the_outermost_frames),
		cmocka_unit_test(callers_count_a_recursive_sample_once),
		cmocka_unit_test(printed_trees_keep_their_order_and_lines),
		cmocka_unit_test(callees_of_main_are_those_of_the_recovered_samples),
		cmocka_unit_test(the_command_may_be_that_of_the_thread),
		cmocka_unit_test(a_tree_needs_samples_or_a_selection),
	};

	return cmocka_run_group_tests_name("tree", tests, NULL, NULL);
}
