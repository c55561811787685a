/* SPDX-License-Identifier: MIT */
/* Rules about tables, profiles and dumps, on both sides of their thresholds: rule_edges.h. */
#include "unit.h"

#include "base/status.h"
#include "rule_edges.h"

static const struct edge edges[] = {
	/* wait for locks: a millisecond in all; a second, or 100 µs for those that spin */
	{ "lock-waits-fires", "clean", { { "2.11 m", "0.59 ms" }, { "301.20 ms", "0.39 ms" } } },
	{ "lock-waits-fires", "warning", { { "2.11 m", "0.61 ms" }, { "301.20 ms", "0.39 ms" } } },
	{ "lock-waits-fires", "note", { { "2.11 m", "999.0 ms" }, { "155.80", "99.90" } } },
	{ "lock-waits-fires", "warning", { { "2.11 m", "1000.0 ms" }, { "155.80", "99.90" } } },
	{ "lock-waits-fires", "warning", { { "2.11 m", "999.0 ms" }, { "155.80", "100.0" } } },
	/* others are cited from a quarter of the longest on */
	{ "lock-waits-fires", "lines 1", { { "2.11 m", "400.0 ms" }, { "301.20", "99.00" } } },
	{ "lock-waits-fires", "lines 2", { { "2.11 m", "400.0 ms" }, { "301.20", "100.00" } } },
	{ "lock-waits-fires",
	  "lines 3",
	  { { "2.11 m", "400.0 ms" }, { "12.31 us", "101.00 ms" } } },
	/* the scheduler's table: 1000 switches a second and 10000 in all */
	{ "sched-latency-fires",
	  "clean",
	  { { "1250.001", "99.999" }, { "2400000", "9999" }, { "12001.334", "1000.000" } } },
	{ "sched-latency-fires",
	  "switches per second of run time: 10000",
	  { { "1250.001", "99.999" }, { "2400000", "10000" }, { "12001.334", "1000.000" } } },
	{ "sched-latency-fires",
	  "clean",
	  { { "1250.001", "99.999" }, { "2400000", "19999" }, { "12001.334", "20000.000" } } },
	{ "sched-latency-fires",
	  "warning 80 %; switches per second of run time: 1000",
	  { { "1250.001", "99.999" }, { "2400000", "20000" }, { "12001.334", "20000.000" } } },
	/* a delay of 100 ms that is 100 times the mean, or a mean of 10 ms */
	{ "sched-latency-fires", "clean", { { "1250.001", "99.999" }, { "2400000", "2400" } } },
	{ "sched-latency-fires",
	  "warning 85 %: Task logger",
	  { { "1250.001", "100.000" }, { "2400000", "2400" } } },
	{ "sched-latency-fires",
	  "clean",
	  { { "0.010", "1.300" }, { "1250.001", "129.999" }, { "2400000", "2400" } } },
	{ "sched-latency-fires",
	  "warning 85 %: Task logger; kept its CPU",
	  { { "0.010", "1.300" }, { "1250.001", "130.000" }, { "2400000", "2400" } } },
	{ "sched-latency-fires",
	  "clean",
	  { { "0.010", "9.999" }, { "1250.001", "99.000" }, { "2400000", "2400" } } },
	{ "sched-latency-fires",
	  "warning 85 %: Task logger; more runnable tasks than CPUs",
	  { { "0.010", "10.000" }, { "1250.001", "99.000" }, { "2400000", "2400" } } },
	/* the tail of a latency: 10 times the median is a note, 30 times a warning, from 100 µs and
	   1 ms */
	{ "latency-tail-fires", "clean", { { "61.00ms", "11.99ms" } } },
	{ "latency-tail-fires",
	  "note 90 %; p99 / p50, at least: 10 ;",
	  { { "61.00ms", "12.00ms" } } },
	{ "latency-tail-fires", "note 90 %", { { "61.00ms", "35.99ms" } } },
	{ "latency-tail-fires", "warning 90 %; impact 10;", { { "61.00ms", "36.00ms" } } },
	{ "latency-tail-fires",
	  "clean",
	  { { "1.20ms", "2.00us" },
	    { "1.90ms", "3.00us" },
	    { "3.40ms", "4.00us" },
	    { "61.00ms", "99.90us" } } },
	{ "latency-tail-fires",
	  "note 90 %",
	  { { "1.20ms", "2.00us" },
	    { "1.90ms", "3.00us" },
	    { "3.40ms", "4.00us" },
	    { "61.00ms", "100.00us" } } },
	{ "latency-tail-fires",
	  "note 90 %",
	  { { "1.20ms", "2.00us" },
	    { "1.90ms", "3.00us" },
	    { "3.40ms", "4.00us" },
	    { "61.00ms", "999.00us" } } },
	{ "latency-tail-fires",
	  "warning 90 %",
	  { { "1.20ms", "2.00us" },
	    { "1.90ms", "3.00us" },
	    { "3.40ms", "4.00us" },
	    { "61.00ms", "1.00ms" } } },
	/* the overhead of an allocator: a fifth of the largest heap */
	{ "heap-overhead-fires",
	  "clean",
	  { { "10,500,000     3,500,000", "11,214,000     2,786,000" } } },
	{ "heap-overhead-fires",
	  "note 75 %; overhead of the allocator: 20 %; impact 20;",
	  { { "10,500,000     3,500,000", "11,200,000     2,800,000" } } },
	/* a heap that grows: 12 snapshots, each quarter a tenth larger, the end within a tenth of
	   the peak */
	{ "heap-growth-fires",
	  "warning 60 %; last quarter: 1.3e+07 bytes; peak: 1.4e+07",
	  { { "1,000,000 ", "1,000,000 " } } },
	{ "heap-growth-fires", "clean", { { "14,000,000", "11,690,000" } } },
	{ "heap-growth-fires", "warning 60 %", { { "14,000,000", "11,700,000" } } },
	{ "heap-growth-fires",
	  "not assessed",
	  { { " 12         12,000       13,000,000       12,350,000       650,000             0\n",
	      "" },
	    { " 11         11,000       12,000,000       11,400,000       600,000             0\n",
	      "" },
	    { " 10         10,000       11,000,000       10,450,000       550,000             0\n",
	      "" } } },
	{ "heap-growth-fires",
	  "warning",
	  { { " 12         12,000       13,000,000       12,350,000       650,000             0\n",
	      "" },
	    { " 11         11,000       12,000,000       11,400,000       600,000             0\n",
	      "" } } },
	/* broken call chains: half of them make it certain */
	{ "broken-chains-fires", "note 98 %; broken call chains: 100 %", { { "6c", "6c" } } },
	/* costly work: 10 % with a caller, 40 % is a warning */
	{ "costly-work-fires", "clean", { { "step(int) 100", "step(int) 4701" } } },
	{ "costly-work-fires", "note 70 %: 10.0 %", { { "step(int) 100", "step(int) 4699" } } },
	{ "costly-work-fires", "note 70 %: 40.0 %", { { "step(int) 100", "step(int) 576" } } },
	{ "costly-work-fires",
	  "warning 70 %: 40.0 %; lines 4",
	  { { "step(int) 100", "step(int) 575" } } },
	/* a lock: three waiters; from half of the threads on a warning */
	{ "thread-lock-fires", "clean", { { "     41 __lll", "      2 __lll" } } },
	{ "thread-lock-fires", "note 75 %", { { "     41 __lll", "      3 __lll" } } },
	{ "thread-lock-fires", "note", { { "     41 __lll", "      7 __lll" } } },
	{ "thread-lock-fires", "warning; impact 50;", { { "     41 __lll", "      8 __lll" } } },
	/* false sharing: 50 hits, 10 % on a line, 30 %; 90 % at one offset is one variable */
	{ "false-sharing-fires",
	  "not assessed",
	  { { "0     6200     1400", "0      49        0" },
	    { "1       12        3", "1        0        0" } } },
	{ "false-sharing-fires",
	  "warning 74 %; in 3 fields; hits in modified lines: 50 ;",
	  { { "0     6200     1400", "0      50        0" },
	    { "1       12        3", "1        0        0" } } },
	{ "false-sharing-fires",
	  "False sharing; in 3 fields; share of the hottest offset: 89.9 %; Different CPUs",
	  { { "61.20%", "89.90%" }, { "38.80%", "10.10%" } } },
	{ "false-sharing-fires",
	  "warning 75 %; one shared variable; hottest offset: 90 %; impact 99.8; one variable",
	  { { "61.20%", "90.00%" }, { "38.80%", "10.00%" } } },
	{ "false-sharing-fires",
	  "warning 74 %: False sharing: 90.0 %; in at least 2 fields; offsets touched: 2",
	  { { "0     6200     1400", "0      100        0" },
	    { "1       12        3", "1      901        0" } } },
	{ "false-sharing-clean",
	  "note 75 %",
	  { { "0      100       20", "0      150       20" } } },
	{ "false-sharing-clean",
	  "warning 75 %",
	  { { "0      100       20", "0      1000       20" } } },
	/* a crash: 5 % of the profile is in the core dump */
	{ "crash-in-progress-fires",
	  "clean: 4.9 %",
	  { { "elf_core_dump_[k] 750", "elf_core_dump_[k] 65" } } },
	{ "crash-in-progress-fires",
	  "error 99 %",
	  { { "elf_core_dump_[k] 750", "elf_core_dump_[k] 66" } } },
	/* a hot function: 12 % is a note, 30 % a warning */
	{ "hot-function-fires", "clean", { { "update_totals 750", "update_totals 170" } } },
	{ "hot-function-fires",
	  "note 60 %; self share: 12.0338 %; lines 3",
	  { { "update_totals 750", "update_totals 171" } } },
	{ "hot-function-fires", "note 60 %", { { "update_totals 750", "update_totals 535" } } },
	{ "hot-function-fires",
	  "warning 70 %; self share: 30.0112 %; lines 2",
	  { { "update_totals 750", "update_totals 536" } } },
	/* a structure that is walked: 12 % is a note, 25 % a warning */
	{ "linear-scan-fires",
	  "clean: 12.0 %",
	  { { "dir_hash_lookup 520", "dir_hash_lookup 215" } } },
	{ "linear-scan-fires", "note", { { "dir_hash_lookup 520", "dir_hash_lookup 216" } } },
	{ "linear-scan-fires", "note", { { "dir_hash_lookup 520", "dir_hash_lookup 526" } } },
	{ "linear-scan-fires", "warning", { { "dir_hash_lookup 520", "dir_hash_lookup 527" } } },
	/* a loop of several functions, the first of them below 60 % */
	{ "tight-loop-fires", "note 45 %", { { "walk_stripe_[k] 2600", "walk_stripe_[k] 7063" } } },
	{ "tight-loop-fires", "clean", { { "walk_stripe_[k] 2600", "walk_stripe_[k] 7064" } } },
};

static void rules_change_their_minds_at_their_thresholds(void **state)
{
	(void)state;
	assert_int_equal(rule_edges_wrong(edges, ARRAY_LEN(edges)), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_change_their_minds_at_their_thresholds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
