/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "formats/format.h"
#include "texts.h"

DECLARE_FORMAT(folded);

static struct str frame(const struct reading *f, size_t sample, unsigned int up)
{
	stack_id id = f->p->samples.stack.data[sample];

	while (up--)
		id = stacks_parent(&f->p->stacks, id);
	return symbols_name(&f->d->symbols, stacks_sym(&f->p->stacks, id));
}

static const struct symbol *leaf(const struct reading *f, size_t sample)
{
	return symbols_get(&f->d->symbols,
			   stacks_sym(&f->p->stacks, f->p->samples.stack.data[sample]));
}

static uint32_t depth(const struct reading *f, size_t sample)
{
	return stacks_depth(&f->p->stacks, f->p->samples.stack.data[sample]);
}

static void assert_written(const struct reading *f, const char *text)
{
	struct out out;

	out_init(&out);
	assert_int_equal(format_folded.write(f->c, &out, NULL), OK);
	assert_str(out_view(&out), text);
	out_fini(&out);
}

static void keeps_blanks_and_parentheses_in_frames(void **state)
{
	struct reading f = reading_of(&format_folded,
				      "run (a.py:1);<module> (b c.py:2) 7\nf(int, char*);g 12\n");

	(void)state;
	assert_int_equal(f.p->samples.n, 2);
	assert_str(frame(&f, 0, 0), "<module> (b c.py:2)");
	assert_str(frame(&f, 1, 1), "f(int, char*)");
	assert_int_equal(f.p->samples.weight.data[1], 12);
	reading_fini(&f);
}

static void what_is_called_below_an_entry_to_the_kernel_is_of_the_kernel(void **state)
{
	struct reading f = reading_of(&format_folded,
				      "app;main;read;entry_SYSCALL_64;do_syscall_64;read_it 7\n"
				      "app;main;read_it 5\n"
				      "swapper;start_secondary;do_idle 3\n"
				      "app;main;do_syscall_64_like 2\n");

	(void)state;
	assert_int_equal(leaf(&f, 0)->space, SPACE_KERNEL);
	assert_int_equal(leaf(&f, 1)->space, SPACE_UNKNOWN);
	assert_int_equal(leaf(&f, 2)->space, SPACE_KERNEL);
	assert_int_equal(leaf(&f, 3)->space, SPACE_UNKNOWN);
	assert_written(&f, "app;main;do_syscall_64_like 2\napp;main;read;entry_SYSCALL_64;"
			   "do_syscall_64;read_it 7\napp;main;read_it 5\n"
			   "swapper;start_secondary;do_idle 3\n");
	reading_fini(&f);
}

static void nothing_is_concluded_where_kernel_frames_are_marked(void **state)
{
	struct reading f = reading_of(&format_folded, "app;main;vfs_read_[k] 7\n"
						      "app;main;do_syscall_64;callback 5\n");

	(void)state;
	assert_int_equal(leaf(&f, 0)->space, SPACE_KERNEL);
	assert_int_equal(leaf(&f, 1)->space, SPACE_UNKNOWN);
	reading_fini(&f);
}

static void the_waker_after_a_ruler_starts_anew(void **state)
{
	struct reading f = reading_of(&format_folded,
				      "app;main;entry_SYSCALL_64;schedule;--;wake_up;main 7\n");

	(void)state;
	assert_int_equal(leaf(&f, 0)->space, SPACE_UNKNOWN);
	reading_fini(&f);
}

static void keeps_the_semicolons_of_java_names(void **state)
{
	struct reading f =
		reading_of(&format_folded, "r;Lorg/Foo;::bar;a(ILjava/lang/String;[J)V;x 1\n"
					   "r;Lorg/Foo;.baz(Lorg/Bar;)Ljava/lang/Object;;y 2\n"
					   "LL;a;Lost;b 3\n");

	(void)state;
	assert_int_equal(depth(&f, 0), 4);
	assert_str(frame(&f, 0, 2), "Lorg/Foo;::bar");
	assert_str(frame(&f, 0, 1), "a(ILjava/lang/String;[J)V");
	assert_int_equal(depth(&f, 1), 3);
	assert_str(frame(&f, 1, 1), "Lorg/Foo;.baz(Lorg/Bar;)Ljava/lang/Object;");
	assert_int_equal(depth(&f, 2), 4);
	reading_fini(&f);
}

static void stops_joining_a_frame_that_never_ends(void **state)
{
	static char text[3 * 100000 + 32] = "x;a(";
	struct reading f;

	(void)state;
	for (size_t i = 0; i < 100000; i++)
		memcpy(text + 4 + 3 * i, "Lb;", 3);
	strcpy(text + 4 + 300000, " 3\n");
	f = reading_of(&format_folded, text);
	assert_int_equal(f.p->samples.n, 1);
	assert_int_equal(depth(&f, 0), 4096);
	reading_fini(&f);
}

static void keeps_fractions_exactly(void **state)
{
	struct reading f = reading_of(&format_folded, "a;b 31.23\na;c 6\na;d 2.567\na;e 19.0\n");

	(void)state;
	assert_int_equal(f.p->decimals, 3);
	assert_int_equal(f.p->samples.weight.data[0], 31230);
	assert_int_equal(f.p->samples.weight.data[1], 6000);
	assert_int_equal(f.p->samples.weight.data[2], 2567);
	assert_written(&f, "a;b 31.23\na;c 6\na;d 2.567\na;e 19\n");
	reading_fini(&f);
}

static void makes_two_captures_of_two_counts(void **state)
{
	struct reading f = reading_of(&format_folded, "a;b 1 2\na;c 3 0\na;d 0 9.5\n");
	const struct profile *second;

	(void)state;
	assert_int_equal(f.d->captures.len, 2);
	second = f.d->captures.data[1]->profile;
	assert_int_equal(f.p->samples.weight.data[1], 3);
	assert_int_equal(second->decimals, 1);
	assert_int_equal(second->samples.weight.data[2], 95);
	reading_fini(&f);
}

static void takes_a_number_before_the_count_as_part_of_the_frame(void **state)
{
	struct reading f = reading_of(&format_folded, "a;thread 5 10\na;b 3\na;c 4\n");

	(void)state;
	assert_int_equal(f.d->captures.len, 1);
	assert_str(frame(&f, 0, 0), "thread 5");
	reading_fini(&f);
}

static void turns_annotations_into_spaces_and_back(void **state)
{
	static const char text[] = "a;b_[i] 1\na;c_[j] 2\na;k_[k] 3\na;k_[g] 4\na;k 5\na;k_[1] 6\n";
	struct reading f = reading_of(&format_folded, text);

	(void)state;
	assert_int_equal(leaf(&f, 0)->flags & SYMBOL_INLINED, SYMBOL_INLINED);
	assert_int_equal(leaf(&f, 1)->space, SPACE_JIT);
	assert_str(frame(&f, 2, 0), "k");
	assert_int_equal(leaf(&f, 2)->space, SPACE_KERNEL);
	assert_int_equal(leaf(&f, 3)->space, SPACE_GUEST_KERNEL);
	assert_int_equal(leaf(&f, 4)->space, SPACE_UNKNOWN);
	assert_str(frame(&f, 5, 0), "k_[1]");
	assert_written(&f, "a;b_[i] 1\na;c_[j] 2\na;k 5\na;k_[1] 6\na;k_[g] 4\na;k_[k] 3\n");
	reading_fini(&f);
}

static void reads_command_pid_and_tid_at_the_root(void **state)
{
	struct reading f =
		reading_of(&format_folded, "V8 Worker-12/34;start_thread;a 1\nsh-?/7;main;b 2\n");
	const struct profile_thread *t;

	(void)state;
	assert_int_equal(f.p->samples.thread.len, 2);
	t = &f.p->threads.data[f.p->samples.thread.data[0]];
	assert_str(strings_get(&f.d->strings, t->comm), "V8 Worker");
	assert_int_equal(t->pid, 12);
	assert_int_equal(t->tid, 34);
	t = &f.p->threads.data[f.p->samples.thread.data[1]];
	assert_false(t->has_pid);
	assert_int_equal(t->tid, 7);
	reading_fini(&f);
}

static void takes_a_root_for_a_command_only_with_reason(void **state)
{
	struct reading f =
		reading_of(&format_folded, "java;start_thread;a 1\nwrk;[unknown];b 2\nwrk;c 1\n");
	struct reading g =
		reading_of(&format_folded, "start_thread;java_start;a 1\nstart_thread;b;c 1\n");

	(void)state;
	assert_int_equal(
		symbols_get(&f.d->symbols, stacks_sym(&f.p->stacks, (stack_id){ 1 }))->space,
		SPACE_COMM);
	assert_int_equal(
		symbols_get(&g.d->symbols, stacks_sym(&g.p->stacks, (stack_id){ 1 }))->space,
		SPACE_UNKNOWN);
	reading_fini(&f);
	reading_fini(&g);
}

static void reads_process_and_thread_of_austin(void **state)
{
	struct reading f =
		reading_of(&format_folded,
			   "# austin: 3.3.0\n# mode: wall\n\nP63;T64;<frozen a>:f:11;b.py:g:2 105\n"
			   "P63;T0:65;b.py:g:3 1\n# duration: 23\n");
	const struct profile_thread *t = &f.p->threads.data[f.p->samples.thread.data[0]];

	(void)state;
	assert_int_equal(f.p->samples.n, 2);
	assert_int_equal(t->pid, 63);
	assert_int_equal(t->tid, 64);
	assert_int_equal(f.p->threads.data[f.p->samples.thread.data[1]].tid, 65);
	assert_str(frame(&f, 0, 1), "<frozen a>:f:11");
	assert_int_equal(f.c->notes.len, 3);
	assert_int_equal(f.c->diag.entries.len, 0);
	reading_fini(&f);
}

static void counts_junk_lines_with_their_place(void **state)
{
	struct reading f =
		reading_of(&format_folded,
			   "\xef\xbb\xbf# c\r\na;b 1\r\n\r\nTHIS IS BAD\r\na;c 12V.4\r\n// x\r\n"
			   "a;;d 3\r\na 18446744073709551616\r\n");

	(void)state;
	assert_int_equal(f.p->samples.n, 2);
	assert_int_equal(diag_get(&f.c->diag, "folded-no-count"), 3);
	assert_int_equal(f.c->diag.entries.data[0].first_line, 4);
	assert_int_equal(diag_get(&f.c->diag, "folded-empty-frames"), 1);
	assert_int_equal(f.c->last_line, 8);
	reading_fini(&f);
}

static void fails_when_there_is_no_stack(void **state)
{
	struct reading f = reading_of(&format_folded, "no count\n# comment\n");

	(void)state;
	assert_int_equal(f.status, ERR_FORMAT);
	reading_fini(&f);
}

static void cuts_stacks_that_are_too_deep(void **state)
{
	static char text[3 * 5000 + 16];
	struct reading f;

	(void)state;
	for (size_t i = 0; i < 5000; i++)
		memcpy(text + 3 * i, "ab;", 3);
	strcpy(text + 15000, "z 5\n");
	f = reading_of(&format_folded, text);
	assert_int_equal(f.p->samples.n, 1);
	assert_int_equal(depth(&f, 0), 4096);
	assert_int_equal(diag_get(&f.c->diag, "folded-deep-frames"), 5001 - 4096);
	reading_fini(&f);
}

static void writes_lines_in_bytewise_order(void **state)
{
	struct reading f =
		reading_of(&format_folded,
			   "b 1\na;c 1\na-b;x 2\na 4\na.b 3\naa;y 1\na;c 5\na;c;d 1\na;c d 1\n");

	(void)state;
	assert_written(&f, "a 4\na-b;x 2\na.b 3\na;c 6\na;c d 1\na;c;d 1\naa;y 1\nb 1\n");
	reading_fini(&f);
}

static void shares_nothing_wrong_with_the_line_before(void **state)
{
	struct reading f = reading_of(&format_folded,
				      "a;bc;d 1\na;b;d 1\na;b 1\na;bc 1\na;bc;d;e 1\na;bc;d 1\n");

	(void)state;
	assert_str(frame(&f, 1, 1), "b");
	assert_int_equal(depth(&f, 2), 2);
	assert_int_equal(f.p->samples.stack.data[0].v, f.p->samples.stack.data[5].v);
	assert_int_equal(stacks_parent(&f.p->stacks, f.p->samples.stack.data[4]).v,
			 f.p->samples.stack.data[0].v);
	reading_fini(&f);
}

static void takes_no_cells_of_tables(void **state)
{
	struct extent e;

	(void)state;
	assert_false(format_folded.find(STR("7\tsum += a[i];\t8.2s\t820\n8\tfree(p);\t0.1s\t10\n"
					    "9\treturn sum;\t0.3s\t31\n"),
					0, &e));
	/* a tab before each of two counts is no cell */
	assert_true(format_folded.find(STR("main;read\t12\t9\nmain;write\t4\t8\n"), 0, &e));
	assert_true(format_folded.find(STR("main;read\t12\nmain;write\t4\n"), 0, &e));
}

static void finds_stacks_between_prose(void **state)
{
	static const char text[] = "Hello,\n\nwe saw this:\n\n"
				   "app;main;read_all;read 12\napp;main;parse 30\napp;main 2\n\n"
				   "for (i = 0; i < 10; i++) x = 5\nBest regards, section 7\n"
				   "see chapter; and verse 3\n";
	struct extent e;

	(void)state;
	assert_true(format_folded.find(str_of(text), 0, &e));
	assert_true(str_starts(str_skip(str_of(text), e.from), STR("app;main;read_all")));
	assert_true(str_ends(str_sub(str_of(text), 0, e.to), STR("app;main 2\n")));
	assert_true(e.score >= 90);
	assert_false(format_folded.find(str_of(text), e.to, &e));
}

static void does_not_claim_code_or_tables(void **state)
{
	struct extent e;

	(void)state;
	assert_false(
		format_folded.find(STR("int a; int b; 3\nx = 1; y = 2\nfoo 12\nbar 13\n"), 0, &e));
	assert_false(format_folded.find(STR("name;value;total 1\n"), 0, &e) && e.score > 50);
	assert_int_equal(format_folded.probe(STR("a 1\nb 2\nc 3\n")), 0);
	assert_int_equal(format_folded.probe(STR("1;2;3 4\n5;6;7 8\n")), 0);
}

static void writes_self_times_of_calls(void **state)
{
	struct dossier *d = dossier_new();
	struct capture *c = dossier_add(d, "function-graph");
	struct calls *calls = capture_calls(c);
	struct call_lane lane = { .comm = strings_add(&d->strings, STR("my app")), .cpu = 1 };
	uint32_t l = calls_lane(calls, lane);
	sym_id f = symbols_add_text(&d->symbols, STR("outer"), STR(""), SPACE_KERNEL, 0);
	sym_id g = symbols_add_text(&d->symbols, STR("inner"), STR(""), SPACE_KERNEL, 0);
	uint32_t a = 0;
	uint32_t b = 0;
	struct out out;

	(void)state;
	assert_int_equal(calls_add(calls, f, INDEX_NONE, l, 0, CALL_CLOSED, 1, &a), OK);
	assert_int_equal(calls_add(calls, g, a, l, 1, CALL_CLOSED, 2, &b), OK);
	calls_set_duration(calls, b, 300);
	calls_set_duration(calls, a, 1000);
	out_init(&out);
	assert_int_equal(format_folded.write(c, &out, NULL), OK);
	assert_str(out_view(&out), "my_app;outer 700\nmy_app;outer;inner 300\n");
	out_fini(&out);
	dossier_free(d);
}

/* Stacks with equal text become one line, at every depth, whatever the order of the nodes. */
static void joins_stacks_that_print_the_same(void **state)
{
	static const char *const stacks[][3] = {
		{ "main", "f(int)", "g" },   { "main", "f-x", NULL },   { "main", "f(long)", "g" },
		{ "main", "f(long)", NULL }, { "main", "f(int)", "a" }, { "main", "f(long)", "h" },
		{ "main", "f(int)", NULL },  { NULL, NULL, NULL },      { "[unknown]", NULL, NULL },
	};
	struct dossier *d = dossier_new();
	struct profile *p = capture_profile(dossier_add(d, "perf-data"));
	struct out out;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(stacks); i++) {
		stack_id at = STACK_ROOT;

		for (size_t k = 0; k < 3 && stacks[i][k]; k++)
			at = stacks_push(&p->stacks, at,
					 symbols_add_text(&d->symbols, str_of(stacks[i][k]),
							  STR(""), SPACE_USER, 0));
		assert_int_equal(profile_add_sample(p, at, (uint64_t)1 << i), OK);
	}
	out_init(&out);
	assert_int_equal(format_folded.write(d->captures.data[0], &out, NULL), OK);
	assert_str(out_view(&out), "[unknown] 384\n"
				   "main;f 72\n"
				   "main;f-x 2\n"
				   "main;f;a 16\n"
				   "main;f;g 5\n"
				   "main;f;h 32\n");
	out_fini(&out);
	dossier_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_blanks_and_parentheses_in_frames),
		cmocka_unit_test(what_is_called_below_an_entry_to_the_kernel_is_of_the_kernel),
		cmocka_unit_test(nothing_is_concluded_where_kernel_frames_are_marked),
		cmocka_unit_test(the_waker_after_a_ruler_starts_anew),
		cmocka_unit_test(keeps_the_semicolons_of_java_names),
		cmocka_unit_test(stops_joining_a_frame_that_never_ends),
		cmocka_unit_test(keeps_fractions_exactly),
		cmocka_unit_test(makes_two_captures_of_two_counts),
		cmocka_unit_test(takes_a_number_before_the_count_as_part_of_the_frame),
		cmocka_unit_test(turns_annotations_into_spaces_and_back),
		cmocka_unit_test(reads_command_pid_and_tid_at_the_root),
		cmocka_unit_test(takes_a_root_for_a_command_only_with_reason),
		cmocka_unit_test(reads_process_and_thread_of_austin),
		cmocka_unit_test(counts_junk_lines_with_their_place),
		cmocka_unit_test(fails_when_there_is_no_stack),
		cmocka_unit_test(cuts_stacks_that_are_too_deep),
		cmocka_unit_test(writes_lines_in_bytewise_order),
		cmocka_unit_test(shares_nothing_wrong_with_the_line_before),
		cmocka_unit_test(finds_stacks_between_prose),
		cmocka_unit_test(takes_no_cells_of_tables),
		cmocka_unit_test(does_not_claim_code_or_tables),
		cmocka_unit_test(writes_self_times_of_calls),
		cmocka_unit_test(joins_stacks_that_print_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
