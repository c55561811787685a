/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "formats/foreign/foreign.h"
#include "formats/format.h"
#include "formats/registry.h"

static void patterns_match_the_start_of_a_line(void **state)
{
	static const struct {
		const char *pattern;
		struct str line;
		bool matches;
	} cases[] = {
		{ "a b", STR("a   b and more"), true },
		{ "a b&", STR("a b and more"), false },
		{ "a~b", STR("ab"), true },
		{ "# ?@", STR("1,234.5 cycles"), true },
		{ "# ?@", STR("1, cycles"), false },
		{ "0x$ x", STR("0xdeadBEEF x"), true },
		{ "$ x", STR("0xffff x"), true },
		{ "@-# [#]", STR("kworker/0:1-51 [004]"), true },
		{ "@-# [#]", STR("kworker/0:1 [004]"), false },
		{ "*-# [#]", STR("a b-51 [004]"), true },
		{ "\\# x", STR("# x"), true },
		{ "\\# x", STR("1 x"), false },
		{ "* <-@&", STR("f <-g"), true },
		{ "*%~|", STR("12 %  | x"), true },
		{ "@&", STR(""), false },
		{ "", STR("anything"), true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		if (foreign_match(cases[i].pattern, cases[i].line) != cases[i].matches) {
			print_error("'%s' on '" STR_FMT "'\n", cases[i].pattern,
				    STR_ARG(cases[i].line));
			_fail(__FILE__, __LINE__);
		}
	}
}

static void hostile_lines_do_not_hang_the_patterns(void **state)
{
	char line[512];

	(void)state;
	memset(line, '-', sizeof(line));
	for (size_t i = 0; i < foreign_n_marks; i++)
		(void)foreign_match(foreign_marks[i].pattern, (struct str){ line, sizeof(line) });
	assert_false(foreign_match("*-*-*-*-*-*-*-x", (struct str){ line, sizeof(line) }));
}

static void the_tables_are_whole(void **state)
{
	(void)state;
	for (size_t k = 1; k < foreign_n_kinds; k++) {
		bool can_be_found = false;

		assert_non_null(foreign_kinds[k].name);
		assert_non_null(strstr(foreign_kinds[k].declined, ": not read"));
		assert_in_range(foreign_kinds[k].cap, FOREIGN_THRESHOLD, 100);
		for (size_t i = 0; i < foreign_n_marks; i++)
			can_be_found |= foreign_marks[i].kind == k;
		assert_true(can_be_found);
	}
	assert_true(foreign_n_marks < 640);
}

/* One made-up sample for each kind, in the layout of its tool. */
static const struct {
	const char *name;
	const char *text;
} samples[] = {
	{ "bcc", "PID    COMM         IP SADDR            DADDR            DPORT\n"
		 "1479   telnet       4  127.0.0.1        127.0.0.1        23\n" },
	{ "blktrace", "CPU3 (8,0):\n"
		      " Reads Queued:           0,        0KiB\t Writes Queued:           3,\n"
		      " Read Dispatches:        0,        0KiB\t Write Dispatches:        1,\n" },
	{ "bpftrace", "Attaching 2 probes...\n^C\n\n@reads[a.out]: 12\n@reads[b]: 3\n" },
	{ "dtrace", "CPU     ID                    FUNCTION:NAME\n  1  29684       :tick-60s\n\n"
		    "              libc.so.1`__read+0xa\n              app`work+0x3f\n"
		    "              app`main+0x15\n                4\n" },
	{ "ftrace-functions", "#  Total (us)   Avg (us)   Max (us)      Count   Function\n"
			      "       12.5        2.5        4.0          5   f\n" },
	{ "ftrace-events", "COMM         PID    TYPE DEV      BLOCK        BYTES     LATms\n"
			   "app          17     R    8,0      1234         4096       0.12\n" },
	{ "ftrace-latency", "# tracer: osnoise\n#\n"
			    "  <...>-17 [0] .... 1.5: 1000000 190 99.98100 9 18 0 7 8 1\n" },
	{ "gprof", " %Time Seconds Cumsecs  #Calls   msec/call  Name\n"
		   "%time cumsecs seconds    calls ms/call  name\n"
		   " 60.0    0.03    0.03        1   30.00  work\n" },
	{ "query-plan", "-> Filter: (shelf.id > 3)  (cost=1.15 rows=9)\n"
			"    -> Table scan on shelf  (cost=1.15 rows=9)\n" },
	{ "hprof", "JAVA PROFILE 1.0.1, created Mon Jan  1 00:00:00 2024\n"
		   "THREAD START (obj=5000032b, id = 200001, name=\"main\", group=\"main\")\n" },
	{ "kvm-trace", "kvm statistics - summary\n\n kvm_exit      17   3\n" },
	{ "lkp-report", "kernel test robot noticed a 74.3% regression of x.ops on:\n\n"
			"         %stddev     %change         %stddev\n"
			"             \\          |                \\\n"
			"      2904 ±  2%     +13.6%       3301 ±  2%  uptime.idle\n" },
	{ "lock-stat", "lock_stat version 0.4\n-----\n"
		       "  class name    con-bounces    contentions   waittime-min\n"
		       "&rq->lock:   13128   13128   0.43   190.53   103881.26   7.91\n" },
	{ "oprofile",
	  "CPU: Core 2, speed 2400 MHz\nCounted CPU_CLK_UNHALTED events (x)\n"
	  "samples  cum. samples  %        cum. %     symbol name\n12  12  50.0  50.0  work\n" },
	{ "ovs-kernel-delay", "# Start sampling @2024\nTID   THREAD     <RESOURCE SPECIFIC>\n"
			      "     7 main  [SYSCALL STATISTICS]\n"
			      "        NAME  NUMBER  COUNT  TOTAL ns  MAX ns\n" },
	{ "perf-c2c", "=====\n            Trace Event Information\n=====\n"
		      "  Total records                     :     329\n"
		      "  Load Local HITM                   :      34\n" },
	{ "perf-diff",
	  "# Event 'cycles'\n#\n# Baseline  Delta Abs  Shared Object  Symbol\n"
	  "# ........  .........  .............  ......\n#\n"
	  "    46.72%     -4.86%  app  [.] work\n               +1.52%  app  [.] more\n" },
	{ "perf-diff", "    42.25%     -9.24%  [kernel.kallsyms]     [k] f\n"
		       "     4.79%     +2.83%  [kernel.kallsyms]     [k] g\n" },
	{ "perf-lock", " contended   total wait     max wait     avg wait         type   caller\n\n"
		       "       724      4.36 m     198.66 us    151.66 us     spinlock   f+0x1\n" },
	{ "perf-sched",
	  "  Task    |   Runtime ms  | Switches | Average delay ms | Maximum delay\n"
	  " app:7    |   21.193 ms |    32 | avg:    0.002 ms | max:    0.041 ms |\n" },
	{ "perf-sched", "       time    cpu  task name      wait time  sch delay   run time\n"
			"                    [tid/pid]         (msec)     (msec)     (msec)\n"
			"  1.370 [0002]  app[7]     0.000  0.004  0.123\n" },
	{ "pprof-legacy",
	  "--- Thread 7f10a0b0 (name: worker/71) stack: ---\n  0x00401136\n  0x00401200\n" },
	{ "query-plan", "-> Table scan on o  (cost=1.15 rows=9)\n" },
	{ "retsnoop", "FUNCTION CALLS                 RESULT      DURATION\n"
		      "→ f\n    ↔ g   [void]   2.046us\n← f     [5]   3.697us\n" },
	{ "uftrace", "  Total time   Self time       Calls  Function\n  ==========  ==========\n"
		     "  150.829 us  150.829 us           1  work\n" },
	{ "vtune", "Function                CPU Time  CPU Time:Self  Module\nwork  1.0s 1.0s app\n"
		   "Elapsed Time: 1.2s\n    CPU Time: 1.0s\nTop Hotspots\n" },
	{ "xperf",
	  "BeginHeader\n  P-Start, TimeStamp\nEndHeader\nOS Version: 10, Trace Start: 1\n" },
	{ "gecko-profile", "{\"libs\":[],\"meta\":{\"version\":29},\"threads\":[]}" },
	{ "gecko-profile", "{\"meta\":{\"version\":2,\"interval\":1},\"libs\":\"[]\",\"threads\":"
			   "[{\"samples\":[{\"frames\":[{\"location\":\"(root)\"}]}]}]}" },
	{ "gecko-profile", "{\"format\":\"profileJSONWithSymbolicationTable,1\",\"meta\":{}}" },
	{ "cpuprofile", "{\"head\":{\"functionName\":\"(root)\",\"hitCount\":0}}" },
	{ "stackprof", "{\"mode\":\"wall\",\"gc_samples\":0,\"missed_samples\":0}" },
	{ "haskell", "{\"program\":\"a\",\"initial_capabilities\":1,\"cost_centres\":[]}" },
};

static void each_kind_is_known_from_a_made_up_sample(void **state)
{
	const struct format *f = format_find(STR("foreign"));

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(samples); i++) {
		struct extent e = { 0 };
		bool found = f->find(str_of(samples[i].text), 0, &e);

		if (!found || strcmp(e.name, samples[i].name) != 0) {
			print_error("%s (sample %zu): %s\n", samples[i].name, i,
				    found ? e.name : "nothing");
			_fail(__FILE__, __LINE__);
		}
	}
}

static void every_kind_has_a_sample(void **state)
{
	(void)state;
	for (size_t k = 1; k < foreign_n_kinds; k++) {
		bool has_sample = strcmp(foreign_kinds[k].name, "sysprof") == 0;

		for (size_t i = 0; i < ARRAY_LEN(samples); i++)
			has_sample |= strcmp(samples[i].name, foreign_kinds[k].name) == 0;
		if (!has_sample)
			print_error("%s has no sample\n", foreign_kinds[k].name);
		assert_true(has_sample);
	}
}

static void prose_and_code_are_not_foreign(void **state)
{
	static const char *const texts[] = {
		"Hi,\n\nI see 20% more CPU time with this patch (3 runs).\n\nThanks\n",
		"int f(int a)\n{\n\tx(a) = 3;\n\ty(a, b) = z(c);\n\treturn g(a) == 2;\n}\n",
		"- Jane (12)\n- Joe (14)\n- Jim (3)\n-- \nsent with 2.25.1\n",
		"Use `perf` and `grep` here: `a`b\n",
		"commit 1f2e\nAuthor: X\n 3 files changed, 10 insertions(+), 2 deletions(-)\n",
		"| name | value |\n| --- | --- |\n| a | 1 |\n",
	};
	const struct format *f = format_find(STR("foreign"));

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct extent e = { 0 };

		if (f->find(str_of(texts[i]), 0, &e)) {
			print_error("text %zu is taken for %s\n", i, e.name);
			_fail(__FILE__, __LINE__);
		}
	}
}

static void headers_of_many_reports_are_no_other_kind(void **state)
{
	static const char report[] = "# Samples: 10K of event 'cycles'\n"
				     "# Sort order   : dso,symbol\n"
				     "# Overhead  Symbol\n"
				     "    40.00%  [.] busy\n";
	static char text[100 * sizeof(report)];
	struct extent found = { 0 };
	size_t len = 0;

	(void)state;
	for (unsigned int i = 0; i < 100; i++) {
		memcpy(text + len, report, sizeof(report) - 1);
		len += sizeof(report) - 1;
	}
	assert_false(format_find(STR("foreign"))->find((struct str){ text, len }, 0, &found));
}

static void binary_kinds_are_known_by_their_first_bytes(void **state)
{
	static const struct {
		struct str bytes;
		const char *name;
	} cases[] = {
		{ STR("\x7f"
		      "ELF\2\1\1"),
		  "elf" },
		{ STR("\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x10\x27"),
		  "gperftools-cpu" },
		{ STR("\0\0\0\0\3\0\0\0\0\0\0\0\x10\x27\0\0"), "gperftools-cpu" },
		{ STR("\0\0\0\0\0\0\0\3\0\0\0\0\0\0\x27\x10"), "gperftools-cpu" },
		{ STR("PERFFILE\x68\0\0\0"), "perf-data-1" },
		{ STR("PERFILE2\x68\0\0\0"), NULL },
		{ STR("\x04\x08{\x0c:\x0cversionf\x08"), "stackprof" },
		{ STR("\x04\x08{\x06:\x0doptions"), NULL },
		{ STR("*version\n3\ndata-file-overflow=false\n"), "art-trace" },
		{ STR("SLOW\xf3\0\x20\0"), "art-trace" },
		{ STR("SLOW QUERY LOG"), NULL },
		{ STR("\x01\x02\x03\x04\x05\x06\x07\x08"), NULL },
	};
	const struct format *f = format_find(STR("foreign-binary"));

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct extent e = { 0 };
		bool found = f->find(cases[i].bytes, 0, &e);

		assert_int_equal(found, cases[i].name != NULL);
		if (found)
			assert_string_equal(e.name, cases[i].name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(patterns_match_the_start_of_a_line),
		cmocka_unit_test(hostile_lines_do_not_hang_the_patterns),
		cmocka_unit_test(the_tables_are_whole),
		cmocka_unit_test(each_kind_is_known_from_a_made_up_sample),
		cmocka_unit_test(every_kind_has_a_sample),
		cmocka_unit_test(prose_and_code_are_not_foreign),
		cmocka_unit_test(headers_of_many_reports_are_no_other_kind),
		cmocka_unit_test(binary_kinds_are_known_by_their_first_bytes),
	};

	return cmocka_run_group_tests_name("foreign", tests, NULL, NULL);
}
