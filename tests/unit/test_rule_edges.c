/* SPDX-License-Identifier: MIT */
/* Rules about tables, profiles and dumps, on both sides of their thresholds: rule_edges.h. */
#include "unit.h"

#include "base/status.h"
#include "rule_edges.h"

static const struct edge edges[] = {
	/* unknown functions: the kernel's if it has more than half of them */
	{ "no-symbols-fires",
	  "stripped; next perf report --sort dso,sym",
	  { { "3.10%  db            libmade.so.1.2     [.] 0x0000000000029f00",
	      "6.10%  db            [kernel.kallsyms]  [k] 0xffffffff81029f00" },
	    { "libmade.so.1.2     [.] 0x0000000000029f18",
	      "[kernel.kallsyms]  [k] 0xffffffff81029f18" },
	    { "libmade.so.1.2     [.] 0x0000000000029f30",
	      "[kernel.kallsyms]  [k] 0xffffffff81029f30" },
	    { "libmade.so.1.2     [.] 0x0000000000029f48",
	      "[kernel.kallsyms]  [k] 0xffffffff81029f48" } } },
	{ "no-symbols-fires",
	  "Kernel symbols were hidden; next sysctl",
	  { { "3.10%  db            libmade.so.1.2     [.] 0x0000000000029f00",
	      "6.30%  db            [kernel.kallsyms]  [k] 0xffffffff81029f00" },
	    { "libmade.so.1.2     [.] 0x0000000000029f18",
	      "[kernel.kallsyms]  [k] 0xffffffff81029f18" },
	    { "libmade.so.1.2     [.] 0x0000000000029f30",
	      "[kernel.kallsyms]  [k] 0xffffffff81029f30" },
	    { "libmade.so.1.2     [.] 0x0000000000029f48",
	      "[kernel.kallsyms]  [k] 0xffffffff81029f48" } } },
	/* an idle machine: half of the profile; surer from 80 % */
	{ "idle-machine-fires",
	  "clean: 50.0 % idle",
	  { { "intel_idle_[k] 9000", "intel_idle_[k] 1249" } } },
	{ "idle-machine-fires",
	  "note; 50.0 % of; idle: 50 %",
	  { { "intel_idle_[k] 9000", "intel_idle_[k] 1250" } } },
	{ "idle-machine-fires",
	  "note 85 %: 80.0 %",
	  { { "intel_idle_[k] 9000", "intel_idle_[k] 4999" } } },
	{ "idle-machine-fires",
	  "note 92 %; idle: 80 %; impact 0; lines 1",
	  { { "intel_idle_[k] 9000", "intel_idle_[k] 5000" } } },
	/* load generators: 5 % apart, a warning from a factor of 1.5 */
	{ "load-differs-fires-note", "clean: 3 runs differ", { { "1050.00", "1049.00" } } },
	{ "load-differs-fires-note",
	  "note 90 %: Of 3 runs; 4.8 % below; lowest: 1.05; impact 4.762; lines 2",
	  { { NULL } } },
	{ "load-differs-fires", "note 90 %; impact 33.29; lines 2", { { "1500.00", "1499.00" } } },
	{ "load-differs-fires", "warning 90 %; impact 33.33; lines 2", { { NULL } } },
	{ "load-differs-fires", "not assessed", { { "Requests/sec:  1500.00\n", "" } } },
	/*
	 * waits for locks: clean below 1 ms in all; a warning from 1 s, or 100 µs on average for
	 * spinning locks
	 */
	{ "lock-waits-fires", "clean", { { "2.11 m", "0.59 ms" }, { "301.20 ms", "0.39 ms" } } },
	{ "lock-waits-fires", "warning", { { "2.11 m", "0.61 ms" }, { "301.20 ms", "0.39 ms" } } },
	{ "lock-waits-fires", "note", { { "2.11 m", "999.0 ms" }, { "155.80", "99.90" } } },
	{ "lock-waits-fires", "warning", { { "2.11 m", "1000.0 ms" }, { "155.80", "99.90" } } },
	{ "lock-waits-fires", "warning", { { "2.11 m", "999.0 ms" }, { "155.80", "100.0" } } },
	/* other locks are cited from a quarter of the longest wait */
	{ "lock-waits-fires", "lines 1", { { "2.11 m", "400.0 ms" }, { "301.20", "99.00" } } },
	{ "lock-waits-fires", "lines 2", { { "2.11 m", "400.0 ms" }, { "301.20", "100.00" } } },
	{ "lock-waits-fires",
	  "lines 3",
	  { { "2.11 m", "400.0 ms" }, { "12.31 us", "101.00 ms" } } },
	/* a busy share without a queue: which kernels count ticks, and whether these can add up */
	{ "busy-without-queue-fires-ticks", "The device is mostly idle", { { NULL } } },
	{ "busy-without-queue-fires-ticks", "kernel miscounts", { { "5.4.0-60", "4.20.17-1" } } },
	{ "busy-without-queue-fires-ticks", "Either the", { { "5.4.0-60", "4.18.0-305.el8" } } },
	{ "busy-without-queue-fires-ticks", "kernel miscounts", { { "900.00", " 21.00" } } },
	{ "busy-without-queue-fires-ticks", "mostly idle", { { "900.00", " 22.00" } } },
	/* a device among its peers: ten times as long, 5 ms, a warning from 50 ms on */
	{ "slow-device-fires-old", "clean", { { "40.00", "4.99" } } },
	{ "slow-device-fires-old", "note 70 %: sdd takes 5 ms", { { "40.00", "5.00" } } },
	{ "slow-device-fires-old", "note 70 %", { { "40.00", "49.99" } } },
	{ "slow-device-fires-old", "warning 70 %", { { "40.00", "50.00" } } },
	{ "slow-device-fires-old", "clean", { { "0.20   0.20", "4.01   0.20" } } },
	{ "slow-device-fires-old", "note 70 %", { { "0.20   0.20", "4.00   0.20" } } },
	/* the other direction is part of the load from a tenth of the requests on */
	{ "slow-device-fires-old",
	  "warning 70 %",
	  { { "40.00", "50.00" }, { "80.00    0.00", "80.00    7.99" } } },
	{ "slow-device-fires-old", "not assessed", { { "80.00    0.00", "80.00    9.01" } } },
	{ "slow-device-fires-old",
	  "note 70 %",
	  { { "80.00    0.00", "80.00    9.00" }, { "90.00    0.00", "90.00    5.00" } } },
	/* two tables of a device: as busy or as long a queue, and the other direction alike */
	{ "small-requests-fires-pair", "warning 75 %", { { NULL } } },
	{ "small-requests-fires-pair", "warning 75 %", { { "0.90  80.00", "0.90  20.00" } } },
	{ "small-requests-fires-pair", "warning 75 %", { { "0.90  80.00", "0.40  47.50" } } },
	{ "small-requests-fires-pair", "note 60 %", { { "0.90  80.00", "0.44  47.40" } } },
	{ "small-requests-fires-pair",
	  "warning 75 %",
	  { { "20.00    2.00   512.00    9.00", "20.00    2.00   512.00   11.00" } } },
	{ "small-requests-fires-pair",
	  "note 60 %",
	  { { "20.00    2.00   512.00    9.00", "20.00    2.00   512.00   19.00" } } },
	{ "small-requests-fires-pair",
	  "note 45 %; Or the workload differs",
	  { { "before the upgrade:", "random:" },
	    { "after the upgrade:", "Linux 6.1.0 (h) 11/22/26 _x86_64_ (8 CPU)" } } },
	{ "small-requests-fires-merges",
	  "note 60 %; Or the workload differs",
	  { { "before the upgrade:", "random:" },
	    { "after the upgrade:", "Linux 6.1.0 (h) 11/22/26 _x86_64_ (8 CPU)" } } },
	/* small requests: 32 KiB, 100 a second, busy for 80 %, 5 % merged */
	{ "small-requests-fires-write",
	  "clean",
	  { { "63.83", "64.02" }, { "12160.00", "12210.00" } } },
	{ "small-requests-fires-write", "note 60 %", { { "97.40", "80.00" } } },
	{ "small-requests-fires-write", "clean", { { "97.40", "79.99" } } },
	{ "small-requests-fires-write", "note 60 %", { { "9.00", "10.00" } } },
	{ "small-requests-fires-write", "clean", { { "9.00", "10.01" } } },
	{ "small-requests-fires", "clean", { { "2900.00  11600.00", "99.00    396.00" } } },
	{ "small-requests-fires", "note 60 %", { { "2900.00  11600.00", "100.00   400.00" } } },
	{ "small-requests-fires", "note 60 %", { { "2900.00  11600.00", "12800.00  51200.00" } } },
	{ "small-requests-fires", "clean", { { "2900.00  11600.00", "12801.00  51204.00" } } },
	/* the scheduler's table: 1000 switches per second of run time, and 10000 in all */
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
	/* waits for a CPU: a delay of 100 ms that is 100 times the mean, or a mean of 10 ms */
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
	/*
	 * the tail of a latency: 10 times the median and 100 µs are a note, 30 times and 1 ms a
	 * warning
	 */
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
	/* the overhead of an allocator: a note from a fifth of the largest heap */
	{ "heap-overhead-fires",
	  "clean",
	  { { "10,500,000     3,500,000", "11,214,000     2,786,000" } } },
	{ "heap-overhead-fires",
	  "note 75 %; overhead of the allocator: 20 %; impact 20;",
	  { { "10,500,000     3,500,000", "11,200,000     2,800,000" } } },
	/*
	 * a growing heap: at least 12 snapshots, each quarter a tenth larger than the previous one,
	 * and the end within a tenth of the peak
	 */
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
	/* broken call chains: certain if at least half of the chains are broken */
	{ "broken-chains-fires", "note 98 %; broken call chains: 100 %", { { "6c", "6c" } } },
	/* costly work with a known caller: a note from 10 %, a warning from 40 % */
	{ "costly-work-fires", "clean", { { "step(int) 100", "step(int) 4701" } } },
	{ "costly-work-fires", "note 70 %: 10.0 %", { { "step(int) 100", "step(int) 4699" } } },
	{ "costly-work-fires", "note 70 %: 40.0 %", { { "step(int) 100", "step(int) 576" } } },
	{ "costly-work-fires",
	  "warning 70 %: 40.0 %; lines 4",
	  { { "step(int) 100", "step(int) 575" } } },
	/*
	 * a lock with an unknown owner: a note from three waiters, a warning from half of the
	 * threads
	 */
	{ "thread-lock-fires", "clean", { { "     41 __lll", "      2 __lll" } } },
	{ "thread-lock-fires", "note 75 %", { { "     41 __lll", "      3 __lll" } } },
	{ "thread-lock-fires", "note", { { "     41 __lll", "      7 __lll" } } },
	{ "thread-lock-fires", "warning; impact 50;", { { "     41 __lll", "      8 __lll" } } },
	/*
	 * false sharing: 50 hits at least; a note from 10 % on one line, a warning from 30 %; with
	 * 90 % at one offset it is one variable
	 */
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
	/* a crash: reported if 5 % of the profile is in the core dump */
	{ "crash-in-progress-fires",
	  "clean: 4.9 %",
	  { { "elf_core_dump_[k] 750", "elf_core_dump_[k] 65" } } },
	{ "crash-in-progress-fires",
	  "error 99 %",
	  { { "elf_core_dump_[k] 750", "elf_core_dump_[k] 66" } } },
	/* a hot function: a note from 12 %, a warning from 30 % */
	{ "hot-function-fires", "clean", { { "update_totals 750", "update_totals 170" } } },
	{ "hot-function-fires",
	  "note 60 %; self share: 12.0338 %; lines 3",
	  { { "update_totals 750", "update_totals 171" } } },
	{ "hot-function-fires", "note 60 %", { { "update_totals 750", "update_totals 535" } } },
	{ "hot-function-fires",
	  "warning 70 %; self share: 30.0112 %; lines 2",
	  { { "update_totals 750", "update_totals 536" } } },
	/* a data structure that is walked: a note from 12 %, a warning from 25 % */
	{ "linear-scan-fires",
	  "clean: 12.0 %",
	  { { "dir_hash_lookup 520", "dir_hash_lookup 215" } } },
	{ "linear-scan-fires", "note", { { "dir_hash_lookup 520", "dir_hash_lookup 216" } } },
	{ "linear-scan-fires", "note", { { "dir_hash_lookup 520", "dir_hash_lookup 526" } } },
	{ "linear-scan-fires", "warning", { { "dir_hash_lookup 520", "dir_hash_lookup 527" } } },
	/* a loop of several functions: the heaviest must be below 60 % */
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
