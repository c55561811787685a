/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "document/document.h"
#include "formats/format.h"
#include "formats/load.h"
#include "texts.h"

/* The weight of the stacks that end in @name, called by @caller; @caller NULL: by nothing. */
static uint64_t weight_of(const struct capture *c, const char *caller, const char *name)
{
	const struct profile *p = c->profile;
	uint64_t sum = 0;

	for (size_t i = 0; i < p->samples.n; i++) {
		stack_id at = p->samples.stack.data[i];
		stack_id above = stacks_parent(&p->stacks, at);

		if (str_eq(symbols_name(capture_symbols(c), stacks_sym(&p->stacks, at)),
			   str_of(name)) &&
		    (above.v == STACK_ROOT.v
			     ? !caller
			     : caller && str_eq(symbols_name(capture_symbols(c),
							     stacks_sym(&p->stacks, above)),
						str_of(caller))))
			sum += p->samples.weight.data[i];
	}
	return sum;
}

static void sample_counts_with_callees(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c;

	(void)state;
	(void)text_detect(
		d, "Analysis of sampling shelfd (pid 7) every 1 millisecond\n\n"
		   "Call graph:\n"
		   "    100 Thread_1   DispatchQueue_1: com.apple.main-thread  (serial)\n"
		   "    + 100 main  (in shelfd) + 12  [0x10f1a5c44]\n"
		   "    +   90 fill  (in shelfd) + 80,8,...  [0x10f1a5b90,...]  shelf.c:33\n"
		   "    +   ! 60 find(int, char)  (in shelfd) + 4  [0x10f1a5a2c]\n"
		   "    +   ! 20 strcmp  (in libc.dylib) + 4  [0x18d6f1a0c]\n"
		   "    +   10 strcmp  (in libc.dylib) + 4  [0x18d6f1a0c]\n"
		   "    100 Thread_2: worker\n"
		   "      100 ???  (in shelfd)  load address 0x10f1a4000 + 0x1f00  [0x10f1a5f00]\n"
		   "\nTotal number in stack (recursive counted multiple, when >=5):\n\n"
		   "Sort by top of stack, same collapsed (when >= 5):\n"
		   "        find  (in shelfd)        60\n\nBinary Images:\n"
		   "       0x10f1a4000 -        0x10f1a7fff +shelfd (0) <0-1> /bin/shelfd\n");
	c = d->captures.data[0];
	assert_int_equal(d->captures.len, 1);
	assert_string_equal(c->format, "macos-sample");
	assert_int_equal(c->last_line, 19);
	assert_int_equal(c->profile->n_samples, 200);
	assert_string_equal(strings_get(capture_strings(c), c->profile->event).p, "wall");
	assert_int_equal(weight_of(c, "main", "fill"), 10);
	assert_int_equal(weight_of(c, "fill", "find(int, char)"), 60);
	assert_int_equal(weight_of(c, "fill", "strcmp"), 20);
	assert_int_equal(weight_of(c, "main", "strcmp"), 10);
	assert_int_equal(weight_of(c, "Thread_2: worker", "???"), 100);
	assert_int_equal(c->diag.entries.len, 0);
}

#define GHC_HEAD                                                                    \
	"\tMon Mar 11 10:12 2024 Time and Allocation Profiling Report  (Final)\n\n" \
	"COST CENTRE MODULE    SRC                      %time %alloc\n\n"           \
	"find        Shelf     src/Shelf.hs:12:1-40      71.2   60.1\n\n"           \
	"                                            individual      inherited\n"

static void ghc_has_shares_of_time_and_allocation(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c;

	(void)state;
	(void)text_detect(
		d, GHC_HEAD
		"COST CENTRE  MODULE  SRC  no.  entries  %time %alloc   %time %alloc\n\n"
		"MAIN    MAIN   <built-in>            120     0    0.1    0.0  100.0  100.0\n"
		" main   Main   src/Main.hs:5:1-20    240     1    8.6    9.5   99.9  100.0\n"
		"  put   Shelf  src/Shelf.hs:20:1-30  242  2000   20.1   30.4   91.3   90.5\n"
		"   find Shelf  src/Shelf.hs:12:1-40  243  2000   71.2   60.1   71.2   60.1\n");
	assert_int_equal(d->captures.len, 2);
	c = d->captures.data[0];
	assert_string_equal(c->format, "ghc-prof");
	assert_int_equal(c->profile->unit, WEIGHT_PERCENT);
	assert_true(c->profile->is_rounded);
	assert_false(c->profile->has_n_samples); /* only shares: the number of samples is unknown */
	assert_int_equal(weight_of(c, "put", "find"), 712);
	assert_int_equal(weight_of(c, "main", "put"), 201);
	c = d->captures.data[1];
	assert_string_equal(strings_get(capture_strings(c), c->profile->event).p, "alloc_space");
	assert_int_equal(weight_of(c, "put", "find"), 601);
}

static void ghc_has_ticks_and_bytes_with_their_own_columns(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();

	(void)state;
	(void)text_detect(
		d, GHC_HEAD
		"COST CENTRE MODULE SRC no. entries %time %alloc %time %alloc ticks bytes\n\n"
		"MAIN    MAIN   <built-in>        1    0    0.0    0.0  100.0  100.0     0      "
		"32\n"
		" find   Shelf  Shelf.hs:(1,2)-(3,4) 2 20  100.0  100.0  100.0  100.0  1082  "
		"108300\n");
	assert_int_equal(d->captures.data[0]->profile->n_samples, 1082);
	assert_int_equal(d->captures.data[1]->profile->unit, WEIGHT_BYTES);
	assert_int_equal(weight_of(d->captures.data[1], "MAIN", "find"), 108300);
}

static void pmcstat_has_callers_below_each_function(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c;

	(void)state;
	(void)text_detect(d, "@ inst_retired.any [500 samples]\n\n"
			     "40.00%  [200]      fill @ /boot/kernel/zfs.ko\n"
			     " 75.00%  [150]       sync\n"
			     "  66.67%  [100]       loop @ /boot/kernel/kernel\n"
			     "   100.0%  [100]        fork_exit\n"
			     " 20.00%  [40]        loop @ /boot/kernel/kernel\n"
			     "\n"
			     "20.00%  [100]      strcmp @ /lib/libc.so.7\n\n"
			     "@ llc_misses [7 samples]\n\n"
			     "100.0%  [7]        0x4011d6 @ /usr/bin/shelfd\n");
	assert_int_equal(d->captures.len, 2);
	c = d->captures.data[0];
	assert_string_equal(c->format, "pmcstat");
	assert_string_equal(strings_get(capture_strings(c), c->profile->event).p,
			    "inst_retired.any");
	/* the title counts 200 samples that no line shows */
	assert_int_equal(c->profile->n_samples, 500);
	assert_int_equal(c->profile->left_out, 200);
	/* fork_exit > loop > sync > fill 100, sync > fill 50, loop > fill 40, fill 10 */
	assert_int_equal(weight_of(c, "sync", "fill"), 150);
	assert_int_equal(weight_of(c, "loop", "fill"), 40);
	assert_int_equal(weight_of(c, NULL, "fill"), 10);
	assert_int_equal(weight_of(c, NULL, "strcmp"), 100);
	assert_int_equal(c->diag.entries.len, 0);
	c = d->captures.data[1];
	assert_int_equal(c->profile->n_samples, 7);
	assert_int_equal(c->profile->left_out, 0);
}

static void pmcstat_needs_no_title_if_it_names_objects(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();

	(void)state;
	(void)text_detect(d, "Half of the time is here:\n\n"
			     "50.00%  [20]       fill @ /boot/kernel/zfs.ko\n"
			     " 100.0%  [20]        sync\n");
	assert_int_equal(d->captures.len, 1);
	assert_int_equal(d->captures.data[0]->profile->n_samples, 20);
	assert_int_equal(weight_of(d->captures.data[0], "sync", "fill"), 20);
}

static void julia_indents_by_one_character_a_call(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c;

	(void)state;
	(void)text_detect(
		d, "Overhead \u254e [+additional indent] Count File:Line; Function\n"
		   "=========================================================\n"
		   "   \u254e100 @Base/client.jl:541; _start()\n"
		   "  9\u254e 97  /srv/a.jl:3; turn(n::Int64)\n"
		   "   \u254e  80  @Base/int.jl:87; +\n"
		   " 60\u254e   60  @Base/int.jl:9; add\n"
		   " 20\u254e  +1 20  ?:?; malloc\n"
		   "  8\u254e  8   /srv/a.jl:4; turn(n::Int64)\n"
		   "  3\u254e 3   /srv/a.jl:7; stop()\n"
		   "Total snapshots: 100. Utilization: 100% across all threads and tasks.\n");
	assert_int_equal(d->captures.len, 1);
	c = d->captures.data[0];
	assert_string_equal(c->format, "julia");
	assert_int_equal(weight_of(c, "_start()", "turn(n::Int64)"), 9);
	assert_int_equal(weight_of(c, "turn(n::Int64)", "turn(n::Int64)"), 8);
	assert_int_equal(weight_of(c, "+", "add"), 60);
	assert_int_equal(weight_of(c, "+", "malloc"), 20);
	assert_int_equal(weight_of(c, "_start()", "stop()"), 3);
	assert_int_equal(c->profile->n_samples, 100);
	assert_int_equal(c->profile->left_out, 0);
}

static void julia_hides_callees_that_belong_to_the_whole(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c;

	(void)state;
	(void)text_detect(d, "  5\u254e100 a.jl:1; f()\n"
			     " 70\u254e 80  a.jl:2; g()\n");
	c = d->captures.data[0];
	assert_int_equal(weight_of(c, NULL, "f()"), 5);
	assert_int_equal(weight_of(c, "f()", "g()"), 70);
	assert_int_equal(c->profile->left_out, 25);
	assert_int_equal(c->profile->n_samples, 100);
}

static void julia_before_1_4_has_no_column_of_own_samples(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c;

	(void)state;
	(void)text_detect(d, "60 ./event.jl:68; run()\n 59 ./loop.jl:?; turn(::Int64)\n"
			     "  20 ./int.jl:8; +\n");
	c = d->captures.data[0];
	assert_int_equal(weight_of(c, NULL, "run()"), 1);
	assert_int_equal(weight_of(c, "run()", "turn(::Int64)"), 39);
	assert_int_equal(weight_of(c, "turn(::Int64)", "+"), 20);
}

static void julia_with_recursion_made_flat_is_refused(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(document_freep) struct document *doc = NULL;
	struct error err = { "" };

	(void)state;
	assert_int_equal(
		document_from_memory(
			STR(" 39\u254e263 a.jl:1; f(::Int64)\n 90\u254e 263 a.jl:2; g(::Int64)\n"),
			NULL, &doc, NULL),
		OK);
	assert_int_equal(load_document(d, doc, "made.txt", NULL, &err), ERR_FORMAT);
	assert_non_null(strstr(err.msg, "recursive calls twice"));
	assert_int_equal(d->captures.len, 0);
}

static void v8_has_callers_below_and_rare_functions_in_its_tables(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c;

	(void)state;
	(void)text_detect(d,
			  "Statistical profiling result from v8.log, (300 ticks, 200 unaccounted, "
			  "0 excluded).\n"
			  "\n [Shared libraries]:\n   ticks  total  nonlib   name\n"
			  "     12    4.0%          /usr/lib/libc.so.6\n"
			  "\n [JavaScript]:\n   ticks  total  nonlib   name\n"
			  "     80   26.7%   27.8%  JS: *turn /srv/a.js:1:13\n"
			  "      2    0.7%    0.7%  JS: ~stop /srv/a.js:9:1\n"
			  "\n [Summary]:\n   ticks  total  nonlib   name\n"
			  "     82   27.3%   28.5%  JavaScript\n"
			  "\n [C++ entry points]:\n   ticks    cpp   total   name\n"
			  "      3   75.0%    1.0%  fwrite\n"
			  "\n [Bottom up (heavy) profile]:\n"
			  "  Note: percentage shows a share of a particular caller in the total\n"
			  "\n   ticks parent  name\n"
			  "    200   66.7%  UNKNOWN\n"
			  "    150   75.0%    JS: ~sort /srv/a.js:2:1\n"
			  "    150  100.0%      JS: ~main /srv/a.js:3:1\n"
			  "\n     80   26.7%  JS: *turn /srv/a.js:1:13\n"
			  "\n     12    4.0%  /usr/lib/libc.so.6\n");
	assert_int_equal(d->captures.len, 1);
	c = d->captures.data[0];
	assert_string_equal(c->format, "v8-prof");
	assert_int_equal(weight_of(c, "JS: sort /srv/a.js:2:1", "[unknown]"), 150);
	assert_int_equal(weight_of(c, NULL, "[unknown]"), 50);
	assert_int_equal(weight_of(c, NULL, "JS: turn /srv/a.js:1:13"), 80);
	assert_int_equal(weight_of(c, NULL, "JS: stop /srv/a.js:9:1"), 2);
	assert_int_equal(weight_of(c, NULL, "fwrite"), 0);
	assert_int_equal(weight_of(c, NULL, "JavaScript"), 0);
	assert_int_equal(c->profile->n_samples, 300);
	assert_int_equal(c->profile->left_out, 6);
}

static void v8_without_its_tree_stays_a_table(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();

	(void)state;
	(void)text_detect(
		d,
		"Statistical profiling result from v8.log, (30 ticks, 2 unaccounted, 0 excluded).\n"
		"\n [JavaScript]:\n   ticks  total  nonlib   name\n"
		"     20   66.7%   67.8%  JS: *turn /srv/a.js:1:13\n"
		"      8   26.7%   27.7%  JS: ~stop /srv/a.js:9:1\n");
	assert_int_equal(d->captures.len, 1);
	assert_int_equal(d->captures.data[0]->profile->table.rows.len, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sample_counts_with_callees),
		cmocka_unit_test(ghc_has_shares_of_time_and_allocation),
		cmocka_unit_test(ghc_has_ticks_and_bytes_with_their_own_columns),
		cmocka_unit_test(pmcstat_has_callers_below_each_function),
		cmocka_unit_test(pmcstat_needs_no_title_if_it_names_objects),
		cmocka_unit_test(julia_indents_by_one_character_a_call),
		cmocka_unit_test(julia_hides_callees_that_belong_to_the_whole),
		cmocka_unit_test(julia_before_1_4_has_no_column_of_own_samples),
		cmocka_unit_test(julia_with_recursion_made_flat_is_refused),
		cmocka_unit_test(v8_has_callers_below_and_rare_functions_in_its_tables),
		cmocka_unit_test(v8_without_its_tree_stays_a_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
