/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "explain/explain.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "formats/format.h"
#include "texts.h"

#include <stdio.h>

DECLARE_FORMAT(profile_text);

#define is_near(a, b) assert_true((a) > (b)-1e-6 && (a) < (b) + 1e-6)

static void pprof_prints_self_and_children_of_time(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c = text_detect(
		d, "Type: cpu\n"
		   "Duration: 30s, Total samples = 20s (66.67%)\n"
		   "Showing nodes accounting for 18s, 90.00% of 20s total\n"
		   "      flat  flat%   sum%        cum   cum%\n"
		   "       12s 60.00% 60.00%        16s 80.00%  main.(*shelf).lookup\n"
		   "        6s 30.00% 90.00%         6s 30.00%  strings.Index (inline)\n");

	(void)state;
	assert_string_equal(c->format, "pprof-text");
	assert_str(strings_get(&d->strings, c->profile->event), "cpu");
	assert_int_equal(c->profile->event_count, 20000000000);
	is_near(text_self(c, "main.(*shelf).lookup"), 60);
	is_near(text_children(c, "main.(*shelf).lookup"), 80);
	is_near(text_self(c, "strings.Index"), 30);
	assert_true(c->profile->is_rounded);
	assert_int_equal(c->profile->printed_decimals, 2);
}

static void the_line_above_a_row_of_stackprof_names_its_function(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c =
		text_detect(d, "Cart#total (shop/cart.rb:31)\n"
			       "  samples:   840 self (35.0%)  /   1260 total (52.5%)\n"
			       "  callers:\n"
			       "     945  (   75.0%)  Checkout#price\n"
			       "  callees (420 total):\n"
			       "     420  (  100.0%)  Item#rate\n"
			       "  code:\n"
			       " 1260   (52.5%) /   840  (35.0%)  |    32  |  items.sum\n");

	(void)state;
	assert_string_equal(c->format, "stackprof");
	assert_int_equal(c->profile->table.rows.len, 1);
	is_near(text_self(c, "Cart#total"), 35);
	is_near(text_children(c, "Cart#total"), 52.5);
	assert_int_equal(c->profile->samples.n, 0);
	assert_int_equal(c->diag.entries.len, 0);
}

static void a_command_names_the_function_of_stackprof(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c =
		text_detect(d, "stackprof dump --text --method 'Cart#total'\n"
			       "  samples:   840 self (35.0%)  /   1260 total (52.5%)\n");

	(void)state;
	is_near(text_self(c, "Cart#total"), 35);
}

static void lines_of_the_start_of_vim_are_steps(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c = text_detect(d, "150 104.491  000.250: inits 3\n"
						 "104.900  000.250  000.250: sourcing a.vim\n"
						 "105.400  000.500: loading plugins\n");
	struct extent e;

	(void)state;
	assert_string_equal(c->format, "vim-startuptime");
	assert_int_equal(c->profile->table.rows.len, 3);
	is_near(text_self(c, "inits 3"), 25);
	is_near(text_self(c, "loading plugins"), 50);
	/* other decimals, no clock, and words before the times */
	assert_false(format_profile_text.find(STR("104.49  000.25: inits 3\n"
						  "105.40  000.50: loading plugins\n"),
					      0, &e));
	assert_false(format_profile_text.find(STR("000.250: inits 3\n000.500: loading plugins\n"),
					      0, &e));
	assert_false(format_profile_text.find(STR("main.c 104.491  000.250: inits 3\n"
						  "main.c 105.400  000.500: loading plugins\n"),
					      0, &e));
}

static void counts_of_a_stated_whole_are_exact(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c =
		text_detect(d, "Type: alloc_objects\n"
			       "Showing nodes accounting for 300, 100% of 300 total\n"
			       "      flat  flat%   sum%        cum   cum%\n"
			       "       200 66.67% 66.67%        300   100%  main.build\n"
			       "       100 33.33%   100%        100 33.33%  main.grow\n");

	(void)state;
	assert_false(c->profile->is_rounded);
	is_near(text_self(c, "main.build"), 66.666667);
	assert_str(strings_get(&d->strings, c->profile->event), "alloc_objects");
}

/* All amounts are multiples of 10 ms, or one is not: then the rate is unknown. */
static void pprof_prints_its_number_of_samples(void **state)
{
	static const char *const smallest[] = { "10ms", "15ms" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		CLEANUP(dossier_freep) struct dossier *d = dossier_new();
		char text[512];
		const struct capture *c;

		(void)snprintf(text, sizeof(text),
			       "Type: cpu\n"
			       "Duration: 30s, Total samples = 1.20s ( 4%%)\n"
			       "Showing nodes accounting for 1.20s, 100%% of 1.20s total\n"
			       "      flat  flat%%   sum%%        cum   cum%%\n"
			       "     1.19s 99.17%% 99.17%%      1.20s   100%%  main.build\n"
			       "      %s  0.83%%   100%%       10ms  0.83%%  main.grow\n",
			       smallest[i]);
		c = text_detect(d, text);
		assert_int_equal(c->profile->has_n_samples, i == 0);
		assert_int_equal(c->profile->n_samples, i == 0 ? 120 : 0);
	}
}

static void gprof_prints_the_time_of_a_sample(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c =
		text_detect(d, "Each sample counts as 0.01 seconds.\n"
			       "  %   cumulative   self              self     total\n"
			       " time   seconds   seconds    calls  ms/call  ms/call  name\n"
			       " 75.00      0.30     0.30        1   300.00   400.00  main\n"
			       " 25.00      0.40     0.10        1   100.00   100.00  walk\n");

	(void)state;
	assert_int_equal(c->profile->n_samples, 40);
	assert_int_equal(c->profile->n_samples_err, 0);
}

static void plain_counts_of_a_heap_session_are_objects(void **state)
{
	static const char *const after[] = { "(pprof) sample_index=inuse_space\n",
					     "(pprof) top\n" };
	static const char *const events[] = { "objects", "count" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		CLEANUP(dossier_freep) struct dossier *d = dossier_new();
		char text[512];
		const struct capture *c;

		(void)snprintf(text, sizeof(text),
			       "(pprof) top\n"
			       "Showing nodes accounting for 300, 100%% of 300 total\n"
			       "      flat  flat%%   sum%%        cum   cum%%\n"
			       "       200 66.67%% 66.67%%        300   100%%  main.build\n"
			       "       100 33.33%%   100%%        100 33.33%%  main.grow\n%s",
			       after[i]);
		c = text_detect(d, text);
		assert_str(strings_get(&d->strings, c->profile->event), events[i]);
	}
}

static void a_name_that_was_wrapped_is_joined(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c =
		text_detect(d, "  Alloc profile of it:\n"
			       "Showing nodes accounting for 900, 90% of 1000 total\n"
			       "      flat  flat%   sum%        cum   cum%\n"
			       "       600 60.00% 60.00%        900 90.00%\n"
			       "example.org/shelf.(*Rack).Collect\n"
			       "       300 30.00% 90.00%        300 30.00%\n"
			       "example.org/shelf.grow\n"
			       "(inline)\n");

	(void)state;
	assert_int_equal(c->profile->table.rows.len, 2);
	is_near(text_self(c, "example.org/shelf.(*Rack).Collect"), 60);
	is_near(text_self(c, "example.org/shelf.grow"), 30);
	/* plain numbers are not times; the words above the table say what they count */
	assert_str(strings_get(&d->strings, c->profile->event), "alloc_objects");
}

static void callers_around_a_function_become_chains(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c = text_detect(
		d, "Showing nodes accounting for 1s, 100% of 1s total\n"
		   "----------------------------------------------------------+-------------\n"
		   "      flat  flat%   sum%        cum   cum%   calls calls% + context\n"
		   "----------------------------------------------------------+-------------\n"
		   "                                             0.60s 75.00% |   main.serve\n"
		   "                                             0.20s 25.00% |   main.warm\n"
		   "     0.70s 70.00% 70.00%      0.80s 80.00%                | main.lookup\n"
		   "                                             0.10s 12.50% |   strings.Index\n"
		   "----------------------------------------------------------+-------------\n");
	const struct profile_table *t = &c->profile->table;

	(void)state;
	assert_int_equal(t->rows.len, 1);
	assert_int_equal(t->traces.len, 2);
	is_near(profile_value(c->profile, t->traces.data[0].weight), 60);
	assert_str(symbols_name(&d->symbols, t->trace_syms.data[1]), "main.serve");
	is_near(profile_value(c->profile, t->traces.data[1].weight), 20);
	is_near(text_children(c, "main.lookup"), 80);
}

static void whole_stacks_of_pprof_are_samples(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c = text_detect(
		d, "Type: cpu\n"
		   "-----------+-------------------------------------------------------\n"
		   "      20ms   strings.Index\n"
		   "             main.lookup\n"
		   "             main.main\n"
		   "-----------+-------------------------------------------------------\n"
		   "      10ms   main.main\n"
		   "-----------+-------------------------------------------------------\n");
	const struct profile *p = c->profile;

	(void)state;
	assert_int_equal(p->samples.n, 2);
	assert_int_equal(p->unit, WEIGHT_NS);
	assert_int_equal(p->samples.weight.data[0], 20000000);
	assert_int_equal(stacks_depth(&p->stacks, p->samples.stack.data[0]), 3);
}

static void gprof_has_flat_profile_and_call_graph_in_one(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c = text_detect(
		d, "Flat profile:\n\nEach sample counts as 0.01 seconds.\n"
		   "  %   cumulative   self              self     total\n"
		   " time   seconds   seconds    calls  ms/call  ms/call  name\n"
		   " 75.00      0.30     0.30        3   100.00   100.00  turn\n"
		   " 25.00      0.40     0.10                             polish(int, long)\n"
		   "\n\t\t\tCall graph\n\n"
		   "granularity: each sample hit covers 2 byte(s) for 2.50% of 0.40 seconds\n\n"
		   "index % time    self  children    called     name\n"
		   "                                                 <spontaneous>\n"
		   "[1]    100.0    0.00    0.40                 main [1]\n"
		   "                0.30    0.00       3/3           turn [2]\n"
		   "-----------------------------------------------\n"
		   "                0.30    0.00       3/3           main [1]\n"
		   "[2]     75.0    0.30    0.00       3         turn [2]\n"
		   "-----------------------------------------------\n");

	(void)state;
	assert_int_equal(d->captures.len, 1);
	assert_string_equal(c->format, "gprof");
	is_near(text_self(c, "turn"), 75);
	is_near(text_children(c, "turn"), 75);
	is_near(text_self(c, "polish(int, long)"), 25);
	is_near(text_children(c, "main"), 100);
	is_near(text_self(c, "main"), 0);
	assert_int_equal(c->profile->n_samples, 40);
	assert_int_equal(c->profile->table.traces.len, 1);
}

static void shares_are_computed_where_none_is_printed(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c = text_detect(
		d, "         2403 function calls (2400 primitive calls) in 2.000 seconds\n\n"
		   "   ncalls  tottime  percall  cumtime  percall filename:lineno(function)\n"
		   "      300    1.500    0.005    1.500    0.005 shelf.py:3(lookup)\n"
		   "    3/1    0.200    0.067    2.000    0.200 shelf.py:9(main)\n");

	(void)state;
	is_near(text_self(c, "shelf.py:3(lookup)"), 75);
	is_near(text_children(c, "shelf.py:9(main)"), 100);
	assert_int_equal(c->profile->event_count, 2000000000);
	/* 0.0005 s of 2 s are 0.025 %: only one decimal is certain */
	assert_int_equal(c->profile->printed_decimals, 1);
}

static void other_tools_print_the_same_in_other_columns(void **state)
{
	static const struct {
		const char *text, *format, *name;
		double self, children;
	} cases[] = {
		{ "  Mode: wall(1000)\n  Samples: 2000 (0.05% miss rate)\n"
		  "     TOTAL    (pct)     SAMPLES    (pct)     FRAME\n"
		  "       900  (45.0%)         701  (35.0%)     Shelf::Index#lookup\n",
		  "stackprof", "Shelf::Index#lookup", 35.05, 45 },
		{ "samples  %        image name               symbol name\n"
		  "6000     60.0000  vmlinux                  copy_user_generic_string\n",
		  "oprofile", "copy_user_generic_string", 60, -1 },
		{ "Ir                  file:function\n"
		  "----------------------------------\n"
		  "4,320,015 (65.42%)  gp.c:turn [/srv/gp]\n",
		  "callgrind", "turn", 65.42, -1 },
		{ "1,000  PROGRAM TOTALS\n\n  650  gp.c:turn [/srv/gp]\n  200  gp.c:fill\n",
		  "callgrind", "turn", 65, -1 },
		{ "1,000 (100.0%)  PROGRAM TOTALS\n\n  650 (65.00%)  gp.c:turn [/srv/gp]\n",
		  "callgrind", "turn", 65, -1 },
		{ "Ir\n----\n1,000  PROGRAM TOTALS\n\n----\nIr   file:function\n----\n"
		  "650  gp.c:turn\n",
		  "callgrind", "turn", 65, -1 },
		{ "% self  % total  name\n 60.00    80.00  lookup - shelf.rb\n", "rbspy",
		  "lookup - shelf.rb", 60, 80 },
		{ "  %Own   %Total  OwnTime  TotalTime  Function (filename)\n"
		  " 70.00%  75.00%    3.50s     3.75s   lookup (shelf.py)\n",
		  "py-spy", "lookup (shelf.py)", 70, 75 },
		{ "CPU SAMPLES BEGIN (total = 200) Mon\n"
		  "rank   self  accum   count trace method\n"
		  "   1 55.00% 55.00%     110 300027 org.example.Shelf.lookup\n",
		  "hprof", "org.example.Shelf.lookup", 55, -1 },
		{ " [JavaScript]:\n   ticks  total  nonlib   name\n"
		  "    500   50.0%   62.5%  LazyCompile: *lookup /srv/shelf.js:3:16\n",
		  "v8-prof", "LazyCompile: *lookup /srv/shelf.js:3:16", 50, -1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(dossier_freep) struct dossier *d = dossier_new();
		const struct capture *c = text_detect(d, cases[i].text);

		assert_string_equal(c->format, cases[i].format);
		is_near(text_self(c, cases[i].name), cases[i].self);
		is_near(text_children(c, cases[i].name), cases[i].children);
	}
}

/* clang-format off */
#define GPROF_CC \
	"Index  % CPU Time:Total  CPU Time:Self  CPU Time:Children  Name                  Index\n" \
	"-----  ----------------  -------------  -----------------  --------------------  -----\n" \
	"                         0.0            10.0                 <spontaneous>       [0]\n" \
	"[1]    100.0             0.5            9.5                main                  [1]\n" \
	"                         2.0            6.0                  walk <cycle 1>      [3]\n" \
	"                         1.5            0.0                  find                [5]\n" \
	"                                                                                      \n" \
	"                         2.0            6.0                  main                [1]\n" \
	"[2]    80.0              3.0            5.0                <cycle 1 as a whole>  [2]\n" \
	"                         2.0            6.0                  walk <cycle 1>      [3]\n" \
	"                         0.008          -0.008               step <cycle 1>      [4]\n" \
	"                                                                                      \n" \
	"                         2.0            6.0                  main                [1]\n" \
	"                                                             step <cycle 1>      [4]\n" \
	"[3]    80.0              2.0            6.5                walk <cycle 1>        [3]\n" \
	"                                                             step <cycle 1>      [4]\n" \
	"                         5.0            0.0                  find                [5]\n" \
	"                                                                                      \n" \
	"                                                             walk <cycle 1>      [3]\n" \
	"[4]    10.0              1.0            0.0                step <cycle 1>        [4]\n" \
	"                                                                                      \n" \
	"                         1.5            0.0                  main                [1]\n" \
	"                         5.0            0.0                  walk <cycle 1>      [3]\n" \
	"[5]    65.0              6.5            0.0                find                  [5]\n" \
	"                                                                                      \n" \
	"\n\nIndex by function name\n\nIndex  Function\n-----  --------\n" \
	"[5]    find\n[1]    main\n[4]    step\n[3]    walk\n[2]    <cycle 1>\n"
/* clang-format on */

static void fprof_prints_terms_with_callers_above_a_function(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c =
		text_detect(d, "%                      CNT       ACC       OWN\n"
			       "[{ totals,             900,  275.000,  200.000}].  %%%\n\n"
			       "%                      CNT       ACC       OWN\n"
			       "[{ \"<0.9.0>\",          800,undefined,  180.000}].   %%\n\n"
			       "{[{{shop,run,1},         1,   90.000,   30.000},\n"
			       "  {{shop,'-a/1-fun-0-',2},  3,  60.000,   90.000}],\n"
			       " { {lists,sort,1},       4,  150.000,  120.000},     %\n"
			       " [{suspend,              1,   75.000,    0.000},\n"
			       "  {{lists,split,2},      4,   75.000,   60.000}]}.\n\n"
			       "{[ ],\n"
			       " { {lists,split,2},      4,   75.000,   60.000},     %\n"
			       " [ ]}.\n\n"
			       "[{ \"<0.10.0>\",         100,undefined,   20.000},    %%\n"
			       "  { spawned_by, \"<0.9.0>\"}].\n\n"
			       "{[ ],\n"
			       " { {lists,sort,1},       4,   20.000,   20.000},     %\n"
			       " [ ]}.\n");

	(void)state;
	assert_string_equal(c->format, "fprof");
	assert_int_equal(d->captures.len, 1);
	assert_int_equal(c->profile->event_count, 200000000);
	is_near(text_self(c, "lists:sort/1"), 70);
	is_near(text_self(c, "lists:split/2"), 30);
	assert_int_equal(c->profile->table.traces.len, 2);
	is_near(profile_value(c->profile, c->profile->table.traces.data[0].weight), 15);
	is_near(profile_value(c->profile, c->profile->table.traces.data[1].weight), 45);
	assert_str(symbols_name(&d->symbols, c->profile->table.trace_syms.data[3]),
		   "shop:'-a/1-fun-0-'/2");
}

static void fprof_with_totals_repeats_its_functions_by_process(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c =
		text_detect(d, "%                      CNT       ACC       OWN\n"
			       "[{ totals,             900,  275.000,  200.000}].  %%%\n\n"
			       "{  {lists,sort,1},       8,  170.000,  150.000}.\n"
			       "{  garbage_collect,      8,   50.000,   50.000}.\n\n"
			       "%                      CNT       ACC       OWN\n"
			       "[{ \"<0.9.0>\",          800,undefined,  150.000}].   %%\n\n"
			       "{  {lists,sort,1},       8,  170.000,  150.000}.\n");

	(void)state;
	assert_int_equal(c->profile->event_count, 200000000);
	is_near(text_self(c, "lists:sort/1"), 75);
	is_near(text_self(c, "garbage_collect"), 25);
}

static void vtune_prints_a_call_graph_with_cycles(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c = text_detect(d, GPROF_CC);

	(void)state;
	assert_string_equal(c->format, "vtune");
	assert_str(strings_get(&d->strings, c->profile->event), "cpu-time");
	assert_int_equal(c->profile->event_count, 10000000000);
	assert_int_equal(c->profile->table.rows.len, 4); /* a cycle is no function */
	is_near(text_self(c, "main"), 5);
	is_near(text_children(c, "main"), 100);
	is_near(text_self(c, "walk"), 20); /* although 2 + 6.5 s are 85 % */
	is_near(text_children(c, "walk"), 80);
	is_near(text_self(c, "step"), 10);
	is_near(text_self(c, "find"), 65);
	/* main and walk call find, main calls walk */
	assert_int_equal(c->profile->table.traces.len, 3);
	assert_int_equal(c->diag.entries.len, 0);
	assert_int_equal(c->last_line, 36);
}

static void prose_and_other_tables_are_nobodys(void **state)
{
	static const char *const texts[] = {
		"The flat profile shows 12.5% in the parser and 3% elsewhere.\n",
		"  52.24%  1.49%  shelfd  [kernel.kallsyms]  [k] elf_core_dump\n",
		"| name | self | total |\n| a | 12 | 30% |\n",
		"10 20.00% 20.00% 10 20.00% one row alone\n",
		"1,000  PROGRAM TOTALS\n\nNothing below them.\n",
	};

	(void)state;
	text_claims_none(&format_profile_text, texts, ARRAY_LEN(texts));
}

/*
 * Whether grown-cost names turn(): the total goes from 1,000,000 instructions to @after, turn()
 * from 400,000 to @turn.
 */
static bool names_turn(const char *after, const char *turn)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(facts_freep) struct facts *facts = NULL;
	struct findings f = { .rows = VEC_INIT };
	char text[512];
	bool ret = false;

	(void)snprintf(text, sizeof(text),
		       "before:\n 1,000,000  PROGRAM TOTALS\n\n  400,000  a.c:turn\n"
		       "  300,000  a.c:fill\n\nafter:\n %s  PROGRAM TOTALS\n\n"
		       "  %s  a.c:turn\n  300,000  a.c:fill\n",
		       after, turn);
	(void)text_detect(d, text);
	facts = facts_new(d);
	explain_run(facts, NULL, &f);
	assert_null(findings_check(&f));
	VEC_FOREACH (row, &f.rows)
		ret |= str_contains(row->claim, STR("turn has 400000 instructions before"));
	findings_fini(&f);
	return ret;
}

static void exact_counts_of_two_sides_are_compared(void **state)
{
	(void)state;
	assert_true(names_turn("990,000", "390,000")); /* the total changes by 1 % */
	assert_false(names_turn("990,001", "390,001"));
	assert_true(names_turn("900,000", "394,900")); /* turn() has a twentieth of the change */
	assert_false(names_turn("900,000", "395,100"));
	assert_true(names_turn("1,100,000", "500,000"));
	assert_false(names_turn("1,100,000", "300,000")); /* turn() changes against the total */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pprof_prints_self_and_children_of_time),
		cmocka_unit_test(the_line_above_a_row_of_stackprof_names_its_function),
		cmocka_unit_test(a_command_names_the_function_of_stackprof),
		cmocka_unit_test(lines_of_the_start_of_vim_are_steps),
		cmocka_unit_test(counts_of_a_stated_whole_are_exact),
		cmocka_unit_test(plain_counts_of_a_heap_session_are_objects),
		cmocka_unit_test(a_name_that_was_wrapped_is_joined),
		cmocka_unit_test(callers_around_a_function_become_chains),
		cmocka_unit_test(whole_stacks_of_pprof_are_samples),
		cmocka_unit_test(gprof_has_flat_profile_and_call_graph_in_one),
		cmocka_unit_test(pprof_prints_its_number_of_samples),
		cmocka_unit_test(gprof_prints_the_time_of_a_sample),
		cmocka_unit_test(shares_are_computed_where_none_is_printed),
		cmocka_unit_test(other_tools_print_the_same_in_other_columns),
		cmocka_unit_test(exact_counts_of_two_sides_are_compared),
		cmocka_unit_test(vtune_prints_a_call_graph_with_cycles),
		cmocka_unit_test(prose_and_other_tables_are_nobodys),
		cmocka_unit_test(fprof_prints_terms_with_callers_above_a_function),
		cmocka_unit_test(fprof_with_totals_repeats_its_functions_by_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
