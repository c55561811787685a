/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "config.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "document/document.h"
#include "formats/format.h"
#include "formats/perf_text/perf_line.h"
#include "formats/perf_text/perf_rows.h"
#include "texts.h"

#include <stdio.h>
#include <stdlib.h>

DECLARE_FORMAT(perf_report);
DECLARE_FORMAT(perf_top);

static struct profile *profile_of(const struct reading *in, size_t i)
{
	assert_true(i < in->d->captures.len);
	return in->d->captures.data[i]->profile;
}

static const struct profile_row *row_of(const struct reading *in, size_t i)
{
	const struct profile_table *t = &profile_of(in, 0)->table;

	assert_true(i < t->rows.len);
	return &t->rows.data[i];
}

static struct str name_of(const struct reading *in, sym_id sym)
{
	return symbols_name(&in->d->symbols, sym);
}

static struct str text_of(const struct reading *in, str_id id)
{
	return strings_get(&in->d->strings, id);
}

static void names_of_functions_are_demangled_in_rows_and_trees(void **state)
{
	struct reading in =
		reading_of(&format_perf_report,
			   "# Samples: 10  of event 'cycles'\n"
			   "# Overhead  Command  Shared Object  Symbol\n"
			   "    60.00%  app      app            [.] _ZNK2ns3BoxIiE3getEiRKSs\n"
			   "            |\n"
			   "            ---_RNvCs1234_7mycrate4main\n"
			   "               _ZN4core3fmt5write17h0123456789abcdefE (inlined)\n"
			   "               _ZNK2ns3BoxIiE3getEiRKSs\n"
			   "\n"
			   "    40.00%  app      app            [.] _Znot_a_name\n");
	const struct profile_table *t = &profile_of(&in, 0)->table;

	(void)state;
	assert_int_equal(t->rows.len, 2);
	assert_int_equal(t->nodes.len, 3);
	assert_str(name_of(&in, row_of(&in, 1)->sym), "_Znot_a_name");
	if (HAVE_LIBIBERTY) {
		assert_str(name_of(&in, row_of(&in, 0)->sym), "ns::Box<int>::get");
		assert_str(name_of(&in, t->nodes.data[0].sym), "mycrate::main");
		assert_str(name_of(&in, t->nodes.data[1].sym), "core::fmt::write");
		assert_int_equal(t->nodes.data[2].sym.v, row_of(&in, 0)->sym.v);
	}
	reading_fini(&in);
}

static void percentages_are_kept_as_printed(void **state)
{
	struct perf_percent p;
	struct str s = STR("26.76% x");

	(void)state;
	assert_true(perf_line_percent(&s, &p));
	assert_int_equal(p.units, 2676);
	assert_int_equal(p.decimals, 2);
	s = STR("13,12%");
	assert_true(perf_line_percent(&s, &p));
	assert_int_equal(p.units, 1312);
	s = STR("90.0445%");
	assert_true(perf_line_percent(&s, &p));
	assert_int_equal(p.units, 900445);
	assert_int_equal(p.decimals, 4);
	s = STR("100%");
	assert_true(perf_line_percent(&s, &p));
	assert_int_equal(p.decimals, 0);
	s = STR("12.%");
	assert_false(perf_line_percent(&s, &p));
	s = STR("12.5");
	assert_false(perf_line_percent(&s, &p));
	s = STR("12345678%");
	assert_false(perf_line_percent(&s, &p));
}

static void lines_are_distinguished(void **state)
{
	static const struct {
		const char *line;
		enum perf_line kind;
	} cases[] = {
		{ "", PERF_LINE_BLANK },
		{ " \t ", PERF_LINE_BLANK },
		{ "    26.76%  app  [kernel.kallsyms]  [k] do_work", PERF_LINE_ROW },
		{ "+   3,10%  [kernel]  [k] take", PERF_LINE_ROW },
		{ "*1  40.63%  app  libc.so.6  [.] strlen", PERF_LINE_ROW },
		{ "17.97% [kernel] [k] copy", PERF_LINE_ROW },
		{ "    42.25%     -9.24%  [kernel.kallsyms]  [k] slow", PERF_LINE_OTHER },
		{ "    33.33%   22.22%  0x10  1  [k] f  [kernel]", PERF_LINE_OTHER },
		{ "    53.90%  kworker/u16:4+f  [kernel.kallsyms]", PERF_LINE_PERCENT },
		{ "           5.49%", PERF_LINE_FLAT },
		{ "            |--40.00%--work", PERF_LINE_TREE },
		{ "            ---main", PERF_LINE_TREE },
		{ "            |          |          ", PERF_LINE_TREE },
		{ "| a | b |", PERF_LINE_OTHER },
		{ "   - 17.88% relocate", PERF_LINE_MARK },
		{ "- a bullet of prose", PERF_LINE_MARK },
		{ "# Overhead  Command  Symbol", PERF_LINE_TITLES },
		{ "  Children      Self  Comma  Shared O  Symbol", PERF_LINE_TITLES },
		{ "Overhead of this is 5% and more", PERF_LINE_OTHER },
		{ "# ........  .......", PERF_LINE_RULER },
		{ "# Samples: 67  of event 'cpu-clock'", PERF_LINE_BANNER },
		{ "[k] ext4_mb_good_group", PERF_LINE_LEVEL },
		{ "#", PERF_LINE_COMMENT },
		{ "10% of all", PERF_LINE_PERCENT },
		{ "The overhead is 10%", PERF_LINE_OTHER },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		if (perf_line_kind(str_of(cases[i].line)) != cases[i].kind)
			print_error("'%s' is %d\n", cases[i].line,
				    (int)perf_line_kind(str_of(cases[i].line)));
		assert_int_equal(perf_line_kind(str_of(cases[i].line)), cases[i].kind);
	}
}

static void a_report_with_titles_fills_rows_and_header(void **state)
{
	struct reading in = reading_of(
		&format_perf_report,
		"# hostname : box\n"
		"# cmdline : /usr/bin/perf record -g app\n"
		"# Total Lost Samples: 3\n"
		"#\n"
		"# Samples: 73K of event 'cycles:P'\n"
		"# Event count (approx.): 61307230094\n"
		"#\n"
		"# Overhead  Command  Shared Object          Symbol\n"
		"# ........  .......  .....................  ......................\n"
		"#\n"
		"    26.76%  app      [kernel.kallsyms]      [k] do_work          \n"
		"     1.20%  Web Co   libx.so                [.] std::pair<int, char> f(int, int)\n"
		"     0.02%  app      bpf_prog_0123_filter   [k] bpf_prog_0123_filter\n"
		"     0.01%  app      [vdso]                 [.] 0x00000000000008ac\n"
		"     0.00%  app      libx.so                [.] X::name[abi:cxx11]\n"
		"\n\n#\n# (Tip: x)\n#\n");
	const struct profile *p = profile_of(&in, 0);

	(void)state;
	assert_int_equal(in.status, OK);
	assert_int_equal(in.d->captures.len, 1);
	assert_int_equal(p->table.rows.len, 5);
	assert_str(text_of(&in, p->event), "cycles:P");
	assert_int_equal(p->n_samples, 73000);
	assert_int_equal(p->n_samples_err, 500);
	assert_int_equal(p->event_count, UINT64_C(61307230094));
	assert_int_equal(p->lost, 3);
	assert_true(p->has_lost && p->is_rounded && p->table.has_header);
	assert_int_equal(p->unit, WEIGHT_PERCENT);
	assert_int_equal(p->decimals, 2);
	assert_str(text_of(&in, in.d->captures.data[0]->command), "/usr/bin/perf record -g app");
	assert_int_equal(row_of(&in, 0)->self, 2676);
	assert_int_equal(row_of(&in, 0)->line, 11);
	assert_int_equal(row_of(&in, 0)->level, 'k');
	assert_str(name_of(&in, row_of(&in, 0)->sym), "do_work");
	assert_str(text_of(&in, row_of(&in, 1)->comm), "Web Co");
	assert_str(name_of(&in, row_of(&in, 1)->sym), "std::pair<int, char> f(int, int)");
	assert_int_equal(symbols_get(&in.d->symbols, row_of(&in, 2)->sym)->space, SPACE_BPF);
	assert_int_equal(row_of(&in, 2)->level, 'k');
	assert_int_equal(symbols_get(&in.d->symbols, row_of(&in, 3)->sym)->space, SPACE_VDSO);
	assert_true(symbols_get(&in.d->symbols, row_of(&in, 3)->sym)->flags & SYMBOL_ADDRESS);
	assert_str(name_of(&in, row_of(&in, 4)->sym), "X::name[abi:cxx11]");
	assert_int_equal(row_of(&in, 4)->self, 0);
	assert_true(row_of(&in, 4)->has & ROW_HAS_SELF);
	reading_fini(&in);
}

static void the_new_drawing_becomes_a_tree(void **state)
{
	struct reading in =
		reading_of(&format_perf_report,
			   "    26.76%  app  [kernel.kallsyms]  [k] leave\n"
			   "            |          \n"
			   "             --26.60%--leave\n"
			   "                       |          \n"
			   "                       |--25.44%--do_syscall_64\n"
			   "                       |          entry_SYSCALL_64_after_hwframe\n"
			   "                       |          |          \n"
			   "                       |           --25.40%--poll\n"
			   "                       |                     0x6c\n"
			   "                       |          \n"
			   "                        --1.17%--entry_SYSCALL_64_after_hwframe\n"
			   "                                  operator new\n"
			   "\n"
			   "     1.94%  app  [kernel.kallsyms]  [k] read_tsc\n");
	const struct profile *p = profile_of(&in, 0);
	const struct profile_node *n = p->table.nodes.data;

	(void)state;
	assert_int_equal(p->table.rows.len, 2);
	assert_int_equal(p->table.nodes.len, 7);
	assert_int_equal(row_of(&in, 0)->tree, 0);
	assert_int_equal(row_of(&in, 1)->tree, INDEX_NONE);
	assert_int_equal(n[0].weight, 2660);
	assert_int_equal(n[0].parent, INDEX_NONE);
	assert_int_equal(n[0].end, 7);
	assert_true(n[0].sym.v == row_of(&in, 0)->sym.v);
	assert_int_equal(n[1].parent, 0);
	assert_int_equal(n[2].parent, 1);
	assert_int_equal(n[2].weight, 2544);
	assert_false(n[2].is_printed);
	assert_int_equal(n[3].parent, 2);
	assert_int_equal(n[4].parent, 3);
	assert_true(symbols_get(&in.d->symbols, n[4].sym)->flags & SYMBOL_ADDRESS);
	assert_int_equal(n[5].parent, 0);
	assert_int_equal(n[5].weight, 117);
	assert_str(name_of(&in, n[6].sym), "operator new");
	assert_int_equal(n[6].line, 12);
	assert_int_equal(p->table.style, CHAIN_GRAPH);
	assert_int_equal(p->table.order, CHAIN_CALLEE);
	assert_false(p->table.is_relative_assumed);
	reading_fini(&in);
}

static void the_old_drawing_and_root_lines_read_alike(void **state)
{
	struct reading in =
		reading_of(&format_perf_report,
			   "# Children      Self  Command  Shared Object      Symbol\n"
			   "# ........  ........  .......  .................  ........\n"
			   "#\n"
			   "    60.00%     0.00%  app      app                [.] main\n"
			   "            |\n"
			   "            ---main\n"
			   "               |          \n"
			   "               |--40.00%-- work\n"
			   "               |          rest\n"
			   "               |          \n"
			   "                --20.00%-- tail\n"
			   "                          end\n"
			   "\n"
			   "    10.00%    10.00%  app      [kernel.kallsyms]  [k] vfs_write\n"
			   "            |\n"
			   "            ---ksys_write\n"
			   "               vfs_write\n"
			   "               main\n"
			   "               __libc_start_main\n"
			   "               _start\n");
	const struct profile *p = profile_of(&in, 0);
	const struct profile_node *n = p->table.nodes.data;

	(void)state;
	assert_int_equal(p->table.nodes.len, 10);
	assert_int_equal(n[0].weight, 6000);
	assert_false(n[0].is_printed);
	assert_int_equal(n[1].parent, 0);
	assert_str(name_of(&in, n[1].sym), "work");
	assert_int_equal(n[2].parent, 1);
	assert_int_equal(n[3].parent, 0);
	assert_int_equal(n[4].parent, 3);
	assert_int_equal(row_of(&in, 1)->tree, 5);
	assert_int_equal(n[5].weight, 1000);
	assert_int_equal(p->table.order, CHAIN_MIXED);
	reading_fini(&in);
}

static void marks_of_the_tui_become_a_tree_by_indentation(void **state)
{
	struct reading in = reading_of(&format_perf_report,
				       "-   82.39%     0.04%  app  [kernel.kallsyms]  [k] work\n"
				       "   - 80.00% work\n"
				       "      - 70.00% ksys_write\n"
				       "         - vfs_write\n"
				       "            - 60.00% fsync\n"
				       "                 50.00% flush\n"
				       "                 5.00% wait\n"
				       "        9.00% other\n"
				       "      + 1.00% more\n"
				       "+   38.75%     0.47%  app  [kernel.kallsyms]  [k] run\n");
	const struct profile *p = profile_of(&in, 0);
	const struct profile_node *n = p->table.nodes.data;

	(void)state;
	assert_int_equal(p->table.rows.len, 2);
	assert_int_equal(p->table.nodes.len, 8);
	assert_int_equal(n[2].parent, 1);
	assert_int_equal(n[2].weight, 7000);
	assert_int_equal(n[3].parent, 2);
	assert_int_equal(n[4].parent, 3);
	assert_int_equal(n[5].parent, 3);
	assert_int_equal(n[6].parent, 0);
	assert_int_equal(n[7].parent, 0);
	assert_int_equal(n[7].weight, 100);
	assert_int_equal(p->table.style, CHAIN_TUI);
	assert_int_equal(p->table.order, CHAIN_CALLER);
	assert_int_equal(row_of(&in, 0)->children, 8239);
	assert_int_equal(row_of(&in, 0)->self, 4);
	reading_fini(&in);
}

static void relative_percentages_become_absolute_and_say_so(void **state)
{
	struct reading in =
		reading_of(&format_perf_report, "    10.00%  app  libm.so  [.] take\n"
						"            |\n"
						"            ---take\n"
						"               |          \n"
						"               |--75.00%-- lex\n"
						"               |          |          \n"
						"               |          |--50.00%-- get\n"
						"               |           --50.00%-- put\n"
						"                --25.00%-- run\n");
	const struct profile *p = profile_of(&in, 0);
	const struct profile_node *n = p->table.nodes.data;

	(void)state;
	assert_true(p->table.is_relative_assumed);
	assert_int_equal(p->table.style, CHAIN_FRACTAL);
	assert_int_equal(p->decimals, 4);
	assert_int_equal(p->printed_decimals, 2);
	assert_int_equal(row_of(&in, 0)->self, 100000);
	assert_int_equal(n[0].weight, 100000);
	assert_int_equal(n[1].weight, 75000);
	assert_int_equal(n[2].weight, 37500);
	assert_int_equal(n[4].weight, 25000);
	assert_int_equal(diag_get(&in.d->captures.data[0]->diag, "perf-report-relative-assumed"),
			 1);
	reading_fini(&in);
}

static void flat_and_folded_chains_hang_under_their_row(void **state)
{
	struct reading in =
		reading_of(&format_perf_report, "    47.99%     0.00%  app  app  [.] main\n"
						"           5.49%\n"
						"                main\n"
						"                work\n"
						"\n"
						"           1.19%\n"
						"                main\n"
						"                rest\n"
						"\n"
						"    45.82%     0.00%  app  app  [.] work\n");
	const struct profile *p = profile_of(&in, 0);

	(void)state;
	assert_int_equal(p->table.rows.len, 2);
	assert_int_equal(p->table.nodes.len, 4);
	assert_int_equal(p->table.nodes.data[0].weight, 549);
	assert_int_equal(p->table.nodes.data[1].parent, 0);
	assert_int_equal(p->table.nodes.data[2].parent, INDEX_NONE);
	assert_int_equal(p->table.nodes.data[3].weight, 119);
	assert_int_equal(p->table.style, CHAIN_FLAT);
	reading_fini(&in);
}

static void rows_without_titles_are_read_by_their_shape(void **state)
{
	struct reading in = reading_of(
		&format_perf_report,
		"    25.72%         11804  [kernel]          [k] redirect\n"
		"     8.73%          4008  libc.so.6         [.] memcpy  \xe2\x96\x92\n");

	(void)state;
	assert_str(name_of(&in, row_of(&in, 1)->sym), "memcpy");
	assert_int_equal(in.d->captures.data[0]->diag.entries.len, 0);
	assert_int_equal(row_of(&in, 0)->samples, 11804);
	assert_str(text_of(&in, row_of(&in, 1)->dso), "libc.so.6");
	assert_int_equal(row_of(&in, 1)->has & ROW_HAS_COMM, 0);
	reading_fini(&in);
	in = reading_of(&format_perf_report, "    18.89%  000  ksoftirqd/0  [k] poll\n"
					     "    12.29%  001  ksoftirqd/1  [k] inval\n");
	assert_int_equal(row_of(&in, 1)->cpu, 1);
	assert_true(row_of(&in, 1)->has & ROW_HAS_CPU);
	assert_str(text_of(&in, row_of(&in, 1)->comm), "ksoftirqd/1");
	assert_int_equal(row_of(&in, 1)->dso.v, 0);
	reading_fini(&in);
	in = reading_of(&format_perf_report, "33.43% a.out libc.so.6         [.] scan\n"
					     " 6.88% a.out [kernel.kallsyms] [k] print\n");
	assert_str(text_of(&in, row_of(&in, 0)->comm), "a.out");
	assert_str(text_of(&in, row_of(&in, 1)->dso), "[kernel.kallsyms]");
	reading_fini(&in);
	in = reading_of(&format_perf_report, "  25.83%  [k] range\n  12.68%  [.] check\n");
	assert_int_equal(profile_of(&in, 0)->table.rows.len, 2);
	assert_int_equal(row_of(&in, 1)->level, '.');
	reading_fini(&in);
}

static void rows_that_a_mailer_put_on_one_line_are_all_read(void **state)
{
	struct reading in = reading_of(
		&format_perf_report,
		"  51.05%  app  [kernel.kallsyms]  [k] f_one   10.04%  app  [kernel.kallsyms]  "
		"[k] f_two\n"
		"   8.00%  app  libc.so.6          [.] f_three 4.00%  app  libc.so.6  [.] f_four\n"
		"   2.00%  app  app                [.] f(int, char)  <-- 5% more\n");
	static const struct {
		const char *name;
		uint64_t self;
	} want[] = { { "f_one", 5105 },
		     { "f_two", 1004 },
		     { "f_three", 800 },
		     { "f_four", 400 },
		     { "f(int, char)", 200 } };

	(void)state;
	assert_int_equal(profile_of(&in, 0)->table.rows.len, ARRAY_LEN(want));
	for (uint32_t i = 0; i < ARRAY_LEN(want); i++) {
		assert_str(name_of(&in, row_of(&in, i)->sym), want[i].name);
		assert_int_equal(row_of(&in, i)->self, want[i].self);
	}
	assert_int_equal(diag_get(&in.d->captures.data[0]->diag, "perf-joined-rows"), 2);
	reading_fini(&in);
}

static void wrapped_rows_are_joined(void **state)
{
	struct reading in =
		reading_of(&format_perf_report,
			   "    53.90%  kworker/u16:4+f  [kernel.kallsyms]  [k]\n"
			   "ext4_mb_find_good_group_avg_frag_lists\n"
			   "     6.96%  kworker/u16:4+f  [kernel.kallsyms]\n"
			   "[k] __rcu_read_unlock\n"
			   "     4.75%  kworker/u16:4+f  libx.so            [.] a::B<c::D\n"
			   "const&>::Look\n"
			   "     1.00%  kworker/u16:4+f  libx.so            [.]\n"
			   "     0.50%  kworker/u16:4+f  libx.so            [.] last\n");
	const struct capture *c = in.d->captures.data[0];

	(void)state;
	assert_int_equal(profile_of(&in, 0)->table.rows.len, 5);
	assert_str(name_of(&in, row_of(&in, 0)->sym), "ext4_mb_find_good_group_avg_frag_lists");
	assert_str(name_of(&in, row_of(&in, 1)->sym), "__rcu_read_unlock");
	assert_int_equal(row_of(&in, 1)->line, 3);
	assert_str(name_of(&in, row_of(&in, 2)->sym), "a::B<c::D const&>::Look");
	assert_true(row_of(&in, 3)->is_truncated);
	assert_str(name_of(&in, row_of(&in, 4)->sym), "last");
	assert_int_equal(diag_get(&c->diag, "perf-report-row-wrapped"), 3);
	assert_int_equal(diag_get(&c->diag, "perf-report-row-truncated"), 1);
	reading_fini(&in);
}

static void two_tables_in_one_text_are_two_captures(void **state)
{
	struct reading in = reading_of(&format_perf_report, "  35.90%  ovn  ovn      [.] scan\n"
							    "   5.02%  ovn  libc.so  [.] malloc\n"
							    "\n"
							    "After optimization:\n"
							    "\n"
							    "  11.34%  ovn  libc.so  [.] malloc\n"
							    "   5.77%  ovn  ovn      [.] scan\n");

	(void)state;
	assert_int_equal(in.d->captures.len, 2);
	assert_int_equal(in.d->captures.data[1]->first_line, 6);
	assert_int_equal(in.d->captures.data[1]->last_line, 7);
	reading_fini(&in);
}

static void a_reply_in_the_middle_of_a_table_does_not_cut_it(void **state)
{
	struct reading in = reading_of(&format_perf_report, "  35.90%  ovn  ovn      [.] scan\n"
							    "   9.02%  ovn  libc.so  [.] malloc\n"
							    "   7.02%  ovn  libc.so  [.] free\n"
							    "\n"
							    "That is a lot of malloc.\n"
							    "\n"
							    "   4.34%  ovn  libc.so  [.] strlen\n"
							    "[...]\n"
							    "   0.77%  ovn  ovn      [.] run\n");

	(void)state;
	assert_int_equal(in.d->captures.len, 1);
	assert_int_equal(profile_of(&in, 0)->table.rows.len, 5);
	reading_fini(&in);
}

static void each_event_of_a_report_is_a_capture(void **state)
{
	struct reading in = reading_of(&format_perf_report, "# Samples: 10  of event 'cycles'\n"
							    "# Overhead  Command  Symbol\n"
							    "    60.00%  app      [.] a\n"
							    "\n"
							    "# Samples: 7  of event 'faults'\n"
							    "# Overhead  Command  Symbol\n"
							    "    90.00%  app      [.] b\n");

	(void)state;
	assert_int_equal(in.d->captures.len, 2);
	assert_str(text_of(&in, profile_of(&in, 0)->event), "cycles");
	assert_str(text_of(&in, profile_of(&in, 1)->event), "faults");
	reading_fini(&in);
}

static void groups_and_unknown_columns_become_cells(void **state)
{
	struct reading in = reading_of(
		&format_perf_report,
		"# Samples: 4K of event 'anon group { cycles, faults }'\n"
		"#         Overhead  Command  Shared Object  Symbol   IPC   [IPC Coverage]\n"
		"    92.19%  98.68%  app      app            [.] LOOP  -      -\n"
		"     3.12%   0.29%  app      app            [.] REST  1.20  [ 50.0%]\n");
	const struct profile_table *t = &profile_of(&in, 0)->table;

	(void)state;
	assert_int_equal(t->extra_columns.len, 2);
	assert_str(text_of(&in, t->extra_columns.data[0]), "IPC   [IPC Coverage]");
	assert_str(text_of(&in, t->extra_columns.data[1]), "Overhead of faults");
	assert_int_equal(row_of(&in, 0)->self, 9219);
	assert_str(text_of(&in, t->extra_cells.data[row_of(&in, 1)->extra]), "1.20  [ 50.0%]");
	assert_str(text_of(&in, t->extra_cells.data[row_of(&in, 1)->extra + 1]), "0.29%");
	assert_str(text_of(&in, profile_of(&in, 0)->event), "cycles");
	reading_fini(&in);
}

static void tables_without_a_symbol_column_need_titles(void **state)
{
	struct reading in = reading_of(&format_perf_report,
				       "# Children      Self       Samples  Trace output\n"
				       "# ........  ........  ............  ............\n"
				       "    23.53%    23.53%             4  reason=1 cpu=2\n");
	const struct profile_table *t;

	(void)state;
	assert_int_equal(in.status, OK);
	t = &profile_of(&in, 0)->table;
	assert_int_equal(row_of(&in, 0)->samples, 4);
	assert_str(text_of(&in, t->extra_cells.data[0]), "reason=1 cpu=2");
	reading_fini(&in);
	in = reading_of(&format_perf_report, "  23.53%  app  libc.so\n  3.53%  app  libm.so\n");
	assert_int_equal(in.status, ERR_FORMAT);
	assert_int_equal(in.d->captures.len, 0);
	reading_fini(&in);
}

static void a_hierarchy_gives_its_names_to_the_rows(void **state)
{
	struct reading in = reading_of(&format_perf_report,
				       "  Overhead        Command / Shared Object / Symbol\n"
				       "-  100.00%        modprobe\n"
				       "   -   85.00%        [unknown]\n"
				       "      +   66.00%        [k] 0xffffffffc1d4c1db\n"
				       "   -   15.00%        [kernel.vmlinux]\n"
				       "          15.00%        [k] serial_in\n");

	(void)state;
	assert_int_equal(profile_of(&in, 0)->table.rows.len, 2);
	assert_str(text_of(&in, row_of(&in, 0)->comm), "modprobe");
	assert_str(text_of(&in, row_of(&in, 1)->dso), "[kernel.vmlinux]");
	assert_str(name_of(&in, row_of(&in, 1)->sym), "serial_in");
	reading_fini(&in);
}

static void perf_top_is_distinguished_from_perf_report(void **state)
{
	static const char top[] =
		"   PerfTop:   85864 irqs/sec  kernel:89.6%  exact:  0.0% lost: 0/344 drop:\n"
		"0/40116 [4000Hz cycles],  (all, 96 CPUs)\n"
		"-----------------------------------------------------\n"
		"\n"
		"    27.43%  [kernel]          [k] issue\n"
		"    11.71%  [kernel]          [k] unlock\n";
	struct extent e;
	struct reading in;

	(void)state;
	assert_true(format_perf_top.find(str_of(top), 0, &e));
	assert_int_equal(e.from, 0);
	assert_int_equal(e.to, sizeof(top) - 1);
	assert_false(format_perf_report.find(str_of(top), 0, &e));
	assert_true(format_perf_top.probe(str_of(top)) >= 90);
	in = reading_of(&format_perf_top, top);
	assert_str(text_of(&in, profile_of(&in, 0)->event), "cycles");
	assert_int_equal(profile_of(&in, 0)->lost, 344);
	reading_fini(&in);
	assert_true(
		format_perf_report.find(STR("  1.00%  app  [kernel.kallsyms]  [k] f\n"), 0, &e));
	assert_false(format_perf_report.find(STR("It was 10%\nof [k] all.\n"), 0, &e));
}

static void old_perf_top_prints_samples_before_the_share(void **state)
{
	struct reading in =
		reading_of(&format_perf_top,
			   "             samples  pcnt function          DSO\n"
			   "             _______ _____ _________________ _________________\n"
			   "\n"
			   "             1234.00 12.3% native_read_tsc   [kernel.kallsyms]\n");

	(void)state;
	assert_int_equal(in.status, OK);
	assert_int_equal(row_of(&in, 0)->self, 123);
	assert_str(name_of(&in, row_of(&in, 0)->sym), "native_read_tsc");
	assert_int_equal(row_of(&in, 0)->samples, 1234);
	reading_fini(&in);
}

static void simpleperf_and_verbose_rows_are_read(void **state)
{
	struct reading in =
		reading_of(&format_perf_report,
			   "Event: cpu-cycles (type 0, config 0)\n"
			   "Samples: 83\n"
			   "Event count: 35682400\n"
			   "\n"
			   "Overhead  Command  Pid   Tid   Shared Object         Symbol\n"
			   "24.15%    app      1234  1235  /system/lib/libc.so   memcpy\n"
			   "10.00%    app      1234  1236  libx.so               A::run(int)\n");

	(void)state;
	assert_int_equal(in.status, OK);
	assert_str(text_of(&in, profile_of(&in, 0)->event), "cpu-cycles");
	assert_int_equal(profile_of(&in, 0)->event_count, 35682400);
	assert_int_equal(row_of(&in, 0)->pid, 1234);
	assert_str(name_of(&in, row_of(&in, 1)->sym), "A::run(int)");
	reading_fini(&in);
	in = reading_of(&format_perf_report,
			"    26.76%  app  /lib/libc.so.6  0x1a2b3c d [.] memcpy\n"
			"            |\n"
			"            |--120--work\n"
			"             --12--rest\n");
	assert_str(text_of(&in, row_of(&in, 0)->dso), "/lib/libc.so.6");
	assert_int_equal(profile_of(&in, 0)->table.nodes.len, 2);
	assert_str(name_of(&in, profile_of(&in, 0)->table.nodes.data[1].sym), "rest");
	assert_int_equal(diag_get(&in.d->captures.data[0]->diag, "perf-report-branch-count"), 2);
	reading_fini(&in);
}

/* A file outside the project, or NULL. Owner: caller. */
static struct document *shared(const char *path)
{
	const char *base = getenv("ASSAY_SHARED");
	struct document *doc = NULL;
	char full[4096];

	(void)snprintf(full, sizeof(full), "%s/%s", base ? base : "../shared", path);
	if (document_open(full, NULL, &doc, NULL) < 0)
		return NULL;
	return doc;
}

struct tree_counts {
	size_t branch;
	size_t root;
	size_t frame;
	size_t leaf;
	size_t deepest;
};

static struct tree_counts count_tree(const struct profile_table *t)
{
	struct tree_counts n = { 0 };

	for (size_t i = 0; i < t->nodes.len; i++) {
		const struct profile_node *node = &t->nodes.data[i];
		size_t depth = 1;

		for (uint32_t up = node->parent; up != INDEX_NONE; depth++)
			up = t->nodes.data[up].parent;
		n.branch += node->is_printed;
		n.root += !node->is_printed && node->parent == INDEX_NONE;
		n.frame += !node->is_printed && node->parent != INDEX_NONE;
		n.leaf += node->end == i + 1;
		n.deepest = depth > n.deepest ? depth : n.deepest;
	}
	return n;
}

static void seed_000_has_the_figures_that_were_counted_by_hand(void **state)
{
	struct document *doc = shared("seeds/000_3151eef8346c8b93.txt");
	struct dossier *d;
	const struct profile *p;
	struct tree_counts n;
	struct region in = { .first_line = 1 };
	uint64_t sum = 0;
	uint64_t kernel = 0;
	uint64_t level_k = 0;
	size_t zero = 0;
	size_t trees = 0;

	(void)state;
	if (!doc)
		SKIP_TEST("../shared/seeds is missing");
	d = dossier_new();
	in.doc = doc;
	in.text = doc->text;
	assert_int_equal(format_perf_report.read(&in, d, NULL), OK);
	assert_int_equal(d->captures.len, 1);
	p = d->captures.data[0]->profile;
	assert_int_equal(p->table.rows.len, 517);
	VEC_FOREACH (row, &p->table.rows) {
		sum += row->self;
		zero += row->self == 0;
		trees += row->tree != INDEX_NONE;
		level_k += row->level == 'k' ? row->self : 0;
		if (str_eq(strings_get(&d->strings, row->dso), STR("[kernel.kallsyms]")))
			kernel += row->self;
	}
	assert_int_equal(sum, 9967);
	assert_int_equal(zero, 277);
	assert_int_equal(trees, 30);
	assert_int_equal(level_k, 8075);
	assert_int_equal(kernel, 8073);
	n = count_tree(&p->table);
	assert_int_equal(n.branch, 56);
	assert_int_equal(n.root, 7);
	assert_int_equal(n.frame, 170);
	assert_int_equal(n.leaf, 35);
	assert_int_equal(n.deepest, 12);
	assert_int_equal(p->table.order, CHAIN_CALLEE);
	assert_int_equal(d->captures.data[0]->diag.entries.len, 0);
	dossier_free(d);
	document_free(doc);
}

static void seed_001_has_the_figures_that_were_counted_by_hand(void **state)
{
	struct document *doc = shared("seeds/001_5cb8d1146f867adc.txt");
	struct dossier *d;
	const struct profile *p;
	struct tree_counts n;
	struct region in = { .first_line = 1 };

	(void)state;
	if (!doc)
		SKIP_TEST("../shared/seeds is missing");
	d = dossier_new();
	in.doc = doc;
	in.text = doc->text;
	assert_int_equal(format_perf_report.read(&in, d, NULL), OK);
	assert_int_equal(d->captures.len, 2);
	p = d->captures.data[0]->profile;
	assert_int_equal(p->table.rows.len, 8);
	assert_int_equal(p->table.nodes.len, 90);
	assert_int_equal(diag_get(&d->captures.data[0]->diag, "perf-report-row-wrapped"), 6);
	p = d->captures.data[1]->profile;
	assert_int_equal(d->captures.data[1]->first_line, 849);
	assert_int_equal(p->table.rows.len, 195);
	assert_int_equal(p->n_samples, 67);
	n = count_tree(&p->table);
	assert_int_equal(n.branch, 442);
	assert_int_equal(n.root, 189);
	assert_int_equal(n.frame, 6977);
	assert_int_equal(n.leaf, 495);
	assert_int_equal(n.deepest, 48);
	assert_int_equal(p->table.order, CHAIN_MIXED);
	dossier_free(d);
	document_free(doc);
}

/* Whether @names is the path from node @n to the top of the first row's tree, outermost last. */
static bool is_path(const struct reading *in, uint32_t n, const char *names)
{
	const struct profile_table *t = &profile_of(in, 0)->table;
	struct str rest = str_of(names);

	while (n < t->nodes.len) {
		struct str name = str_sub(rest, 0, str_find_char(rest, ' '));

		if (!str_eq(name_of(in, t->nodes.data[n].sym), name))
			return false;
		rest = str_skip(rest, name.len + 1);
		n = t->nodes.data[n].parent;
	}
	return rest.len == 0;
}

static void tabs_in_a_tree_stand_for_columns(void **state)
{
	struct reading in = reading_of(&format_perf_report, "    99.00%  app  app  [.] spin\n"
							    "\t    |\n"
							    "\t    ---spin\n"
							    "\t       |          \n"
							    "\t       |--70.00%--left\n"
							    "\t       |\t  top\n"
							    "\t       |          \n"
							    "\t\t--29.00%--right\n"
							    "\t\t\t  top\n");

	(void)state;
	assert_int_equal(profile_of(&in, 0)->table.nodes.len, 5);
	assert_true(is_path(&in, 2, "top left spin"));
	assert_true(is_path(&in, 4, "top right spin"));
	reading_fini(&in);
}

static void branches_that_a_mailer_pushed_to_the_margin_keep_their_place(void **state)
{
	struct reading in =
		reading_of(&format_perf_report, "    99.00%  app  app  [.] spin\n"
						"            |\n"
						"            ---spin\n"
						"               |\n"
						"               |--70.00%--left\n"
						"               |          |\n"
						"               |          |--40.00%--first\n"
						"               |          |          |\n"
						"               |          |\n"
						"--39.00%--a_function_with_a_long_name\n"
						"               |          |\n"
						"top\n"
						"               |          |\n"
						"               |           --30.00%--second\n");

	(void)state;
	assert_int_equal(profile_of(&in, 0)->table.nodes.len, 6);
	assert_true(is_path(&in, 4, "top a_function_with_a_long_name first left spin"));
	assert_true(is_path(&in, 5, "second left spin"));
	reading_fini(&in);
}

static void a_branch_whose_place_is_lost_ends_its_tree(void **state)
{
	struct reading in = reading_of(&format_perf_report, "    99.00%  app  app  [.] spin\n"
							    "            |\n"
							    "            ---spin\n"
							    "               |\n"
							    "               |--70.00%--left\n"
							    "|\n"
							    "               |          |\n"
							    "--39.00%--first\n"
							    "               |          top\n"
							    "     1.00%  app  app  [.] other\n"
							    "            |\n"
							    "            ---other\n");
	const struct profile_table *t = &profile_of(&in, 0)->table;

	(void)state;
	assert_int_equal(t->rows.len, 2);
	assert_int_equal(t->nodes.len, 3);
	assert_true(is_path(&in, 1, "left spin"));
	assert_true(is_path(&in, 2, "other"));
	assert_int_equal(diag_get(&in.d->captures.data[0]->diag, "perf-report-tree-wrapped-lost"),
			 2);
	reading_fini(&in);
}

static void rows_by_command_are_known_by_their_trees(void **state)
{
	struct reading in = reading_of(&format_perf_report, "    90.00%     1.00%  app\n"
							    "            |\n"
							    "            ---main\n"
							    "               work\n"
							    "\n"
							    "     9.00%     2.00%  libc.so.6\n"
							    "            |\n"
							    "            ---read\n");

	(void)state;
	assert_int_equal(profile_of(&in, 0)->table.rows.len, 2);
	assert_int_equal(row_of(&in, 0)->children, 9000);
	assert_int_equal(row_of(&in, 0)->self, 100);
	assert_str(text_of(&in, row_of(&in, 0)->comm), "app");
	assert_str(text_of(&in, row_of(&in, 1)->dso), "libc.so.6");
	assert_true(is_path(&in, 1, "work main"));
	reading_fini(&in);
}

static void folded_chains_may_stand_at_the_margin(void **state)
{
	struct reading in =
		reading_of(&format_perf_report, "# Overhead  Command  Shared Object  Symbol\n"
						"    90.00%  app      app            [.] work\n"
						"80.00% work;main\n"
						"10.00% work\n"
						"     9.00%  app      app            [.] other\n");

	(void)state;
	assert_int_equal(profile_of(&in, 0)->table.rows.len, 2);
	assert_int_equal(profile_of(&in, 0)->table.nodes.len, 3);
	assert_true(is_path(&in, 1, "main work"));
	reading_fini(&in);
}

static void a_symbol_that_is_an_address_is_joined_to_its_row(void **state)
{
	struct reading in =
		reading_of(&format_perf_report, "    60.00%  app      [unknown]            [.]\n"
						"00007f2400102030\n"
						"    30.00%  -001  [.] no_cpu\n");

	(void)state;
	assert_int_equal(profile_of(&in, 0)->table.rows.len, 2);
	assert_str(name_of(&in, row_of(&in, 0)->sym), "00007f2400102030");
	reading_fini(&in);
}

static void rows_that_start_again_at_the_top_are_another_table(void **state)
{
	struct reading in = reading_of(&format_perf_report, "    50.00%  app  app  [.] a\n"
							    "    20.00%  app  app  [.] b\n"
							    "    10.00%  app  app  [.] c\n"
							    "     5.00%  app  app  [.] d\n"
							    "     2.00%  app  app  [.] e\n"
							    "     1.00%  app  app  [.] f\n"
							    "     0.50%  app  app  [.] g\n"
							    "    70.00%  app  app  [.] b\n"
							    "    10.00%  app  app  [.] a\n");

	(void)state;
	assert_int_equal(in.d->captures.len, 2);
	assert_int_equal(profile_of(&in, 0)->table.rows.len, 7);
	reading_fini(&in);
	in = reading_of(&format_perf_report, "    50.00%  app  app  [.] a\n"
					     "    10.00%  app  app  [.] c\n"
					     "    20.00%  app  app  [.] b\n"
					     "     5.00%  app  app  [.] d\n"
					     "     2.00%  app  app  [.] e\n"
					     "     1.00%  app  app  [.] f\n"
					     "     0.50%  app  app  [.] g\n"
					     "    30.00%  app  app  [.] picked\n");
	assert_int_equal(in.d->captures.len, 1);
	reading_fini(&in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(percentages_are_kept_as_printed),
		cmocka_unit_test(lines_are_distinguished),
		cmocka_unit_test(a_report_with_titles_fills_rows_and_header),
		cmocka_unit_test(the_new_drawing_becomes_a_tree),
		cmocka_unit_test(the_old_drawing_and_root_lines_read_alike),
		cmocka_unit_test(marks_of_the_tui_become_a_tree_by_indentation),
		cmocka_unit_test(relative_percentages_become_absolute_and_say_so),
		cmocka_unit_test(flat_and_folded_chains_hang_under_their_row),
		cmocka_unit_test(rows_without_titles_are_read_by_their_shape),
		cmocka_unit_test(rows_that_a_mailer_put_on_one_line_are_all_read),
		cmocka_unit_test(wrapped_rows_are_joined),
		cmocka_unit_test(tabs_in_a_tree_stand_for_columns),
		cmocka_unit_test(branches_that_a_mailer_pushed_to_the_margin_keep_their_place),
		cmocka_unit_test(a_branch_whose_place_is_lost_ends_its_tree),
		cmocka_unit_test(rows_by_command_are_known_by_their_trees),
		cmocka_unit_test(folded_chains_may_stand_at_the_margin),
		cmocka_unit_test(a_symbol_that_is_an_address_is_joined_to_its_row),
		cmocka_unit_test(rows_that_start_again_at_the_top_are_another_table),
		cmocka_unit_test(two_tables_in_one_text_are_two_captures),
		cmocka_unit_test(a_reply_in_the_middle_of_a_table_does_not_cut_it),
		cmocka_unit_test(each_event_of_a_report_is_a_capture),
		cmocka_unit_test(groups_and_unknown_columns_become_cells),
		cmocka_unit_test(tables_without_a_symbol_column_need_titles),
		cmocka_unit_test(a_hierarchy_gives_its_names_to_the_rows),
		cmocka_unit_test(perf_top_is_distinguished_from_perf_report),
		cmocka_unit_test(old_perf_top_prints_samples_before_the_share),
		cmocka_unit_test(simpleperf_and_verbose_rows_are_read),
		cmocka_unit_test(names_of_functions_are_demangled_in_rows_and_trees),
		cmocka_unit_test(seed_000_has_the_figures_that_were_counted_by_hand),
		cmocka_unit_test(seed_001_has_the_figures_that_were_counted_by_hand),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
