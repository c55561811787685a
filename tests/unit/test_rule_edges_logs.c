/* SPDX-License-Identifier: MIT */
/* Rules about logs, traces and query plans, on both sides of their thresholds: rule_edges.h. */
#include "unit.h"

#include "base/status.h"
#include "rule_edges.h"

static const struct edge edges[] = {
	/* two traces: medians that differ by half and by a microsecond */
	{ "two-traces-fires",
	  "clean",
	  { { "29.100", "6.140" },
	    { "29.300", "6.140" },
	    { "28.900", "6.140" },
	    { "30.200", "6.140" } } },
	{ "two-traces-fires",
	  "note 85 %: ; 1.5 times shorter; impact 33.33",
	  { { "29.100", "6.150" },
	    { "29.300", "6.150" },
	    { "28.900", "6.150" },
	    { "30.200", "6.150" } } },
	{ "two-traces-fires",
	  "longer; impact 90.11",
	  { { " 29.", " 1." }, { " 28.", " 0." }, { " 30.", " 0." }, { "   4.", "   9." } } },
	/*
	 * a node of a query plan: a note from half of the time, a warning from 90 %; 10 ms at least
	 * in all
	 */
	{ "plan-node-fires",
	  "clean",
	  { { "0.027..0.027 rows=0.01 loops=1800", "0.027..0.027 rows=0.01 loops=946" } } },
	{ "plan-node-fires",
	  "note 90 %; time in the node: 50.0",
	  { { "0.027..0.027 rows=0.01 loops=1800", "0.027..0.027 rows=0.01 loops=947" } } },
	{ "plan-node-fires",
	  "note 90 %",
	  { { "0.027..0.027 rows=0.01 loops=1800", "0.027..0.027 rows=0.01 loops=1703" } } },
	{ "plan-node-fires",
	  "warning 90 %",
	  { { "0.027..0.027 rows=0.01 loops=1800", "0.027..0.027 rows=0.01 loops=1704" } } },
	{ "plan-node-fires",
	  "clean",
	  { { "51.1..51.1", "9.99..9.99" },
	    { "0.09..51.0", "0.09..9.98" },
	    { "0.05..1.2", "0.05..0.2" },
	    { "0.027..0.027 rows=0.01 loops=1800", "0.005..0.005 rows=0.01 loops=1800" } } },
	{ "plan-node-fires",
	  "warning 90 %",
	  { { "51.1..51.1", "10.0..10.0" },
	    { "0.09..51.0", "0.09..9.98" },
	    { "0.05..1.2", "0.05..0.2" },
	    { "0.027..0.027 rows=0.01 loops=1800", "0.0051..0.0051 rows=0.01 loops=1800" } } },
	/* slow rows: 10 ms for each row and each of at most 100 blocks */
	{ "plan-node-slow-row",
	  "warning 90 %: 100 % of 503.9 ms are in 'Seq Scan on c', 503.9 ms for each",
	  { { NULL } } },
	{ "plan-node-slow-row", "takes long for each row", { { "503.9", "20.1" } } },
	{ "plan-node-slow-row", "Its own work takes the time", { { "503.9", "19.9" } } },
	/* not below a LIMIT, or nearly all expected rows: the whole table */
	{ "plan-node-slow-row",
	  "reads its whole table",
	  { { "shared hit=1\n", "shared hit=159\n" }, { "Limit ", "Append " } } },
	{ "plan-node-kept-none",
	  "removed about 399999 rows, and kept 1 at most; its condition uses no index",
	  { { NULL } } },
	{ "plan-node-kept-none",
	  "removed all of 133333 rows",
	  { { "rows=0 loops=3", "rows=0 loops=1" }, { "Launched: 2", "Launched: 0" } } },
	{ "plan-node-kept-none",
	  "removed 133333 rows for each one it kept",
	  { { "44.451 rows=0 loops=3", "44.451 rows=1 loops=3" } } },
	{ "plan-node-computed", "computed rows have no index", { { NULL } } },
	{ "plan-node-computed",
	  "its condition uses no index",
	  { { "Function Scan on generate_series", "Seq Scan on series" } } },
	/* triggers: outside of the root, if both fit into the execution time */
	{ "plan-node-trigger", "clean", { { NULL } } },
	{ "plan-node-trigger",
	  "note 90 %: 55 % of 85.4 ms are in 'Trigger for constraint o_c_id_fkey'",
	  { { "time=36.335", "time=46.9" }, { "75.049", "90.0" } } },
	{ "plan-node-trigger",
	  "note 90 %: 77 % of 47.0 ms",
	  { { "Execution Time: 75.049", "Execution Time: 38.6" } } },
	/* a limit above a sort by an aggregate, or by a column */
	{ "plan-limit-total", "note 90 %; all groups are computed", { { NULL } } },
	{ "plan-limit-total",
	  "warning 90 %; The plan reads no index in the order",
	  { { "(sum(o.amt)) DESC", "c.name DESC" } } },
	/* the cause is the number of loops from 1000 on, else the work of the node itself */
	{ "plan-node-fires",
	  "Its own work takes the time",
	  { { "0.027..0.027 rows=0.01 loops=1800", "0.027..0.027 rows=0.01 loops=999" } } },
	{ "plan-node-fires",
	  "Each loop is short",
	  { { "0.027..0.027 rows=0.01 loops=1800", "0.027..0.027 rows=0.01 loops=1000" } } },
	/*
	 * a wrong estimate of a query plan: by a factor of 100, for 1000 rows. Another node is
	 * repeated for each row if its loops equal the rows within 1 %
	 */
	{ "plan-estimate-fires",
	  "clean",
	  { { "rows=3 width=16", "rows=413 width=16" },
	    { "rows=3 width=48", "rows=41234 width=48" } } },
	{ "plan-estimate-fires",
	  "warning 80 %: The planner expected 412 rows",
	  { { "rows=3 width=16", "rows=412 width=16" },
	    { "rows=3 width=48", "rows=41234 width=48" } } },
	{ "plan-estimate-fires", "clean", { { "41234", "999" } } },
	{ "plan-estimate-fires", "warning 80 %", { { "41234", "1000" } } },
	{ "plan-estimate-fires",
	  "time in the repeated node",
	  { { "loops=41234", "loops=41646" } } },
	{ "plan-estimate-fires",
	  "times as many; rows per row expected: 13744.7 ; impact",
	  { { "loops=41234", "loops=41647" } } },
	/* a gap between elections equals the timeout within 5 ms */
	{ "election-storm-fires",
	  "elections: 3 ",
	  { { "2024-03-05T10:00:05.000Z|00006|raft|INFO|term 5: 1100 ms timeout expired, starting "
	      "election\n",
	      "" } } },
	{ "election-storm-fires",
	  "gaps equal to the timeout: 1",
	  { { "1200 ms", "1300 ms" }, { "1500 ms", "1205 ms" } } },
	{ "election-storm-fires",
	  "gaps equal to the timeout: 0",
	  { { "1200 ms", "1300 ms" }, { "1500 ms", "1206 ms" } } },
	/*
	 * a blocked main loop: a warning from an election timer of 1 s on; own code is the cause
	 * from 60 %
	 */
	{ "long-poll-fires",
	  "note 92 %; intervals above 1 s: 0 ",
	  { { "2345ms", "999ms" }, { "2001ms", "900ms" }, { "300ms", "9ms" } } },
	{ "long-poll-fires",
	  "warning 92 %; intervals above 1 s: 1 ",
	  { { "2345ms", "1001ms" }, { "2001ms", "900ms" }, { "300ms", "9ms" } } },
	{ "long-poll-fires", "own code computes too long", { { "2345ms", "3335ms" } } },
	{ "long-poll-fires", "own code, the kernel and waiting", { { "2345ms", "3336ms" } } },
	/* two speeds of a function: eight calls at least */
	{ "two-speeds-fires",
	  "not assessed",
	  { { " 1) # 6255.900 us  |  foo_wake();\n", "" },
	    { " 1) # 6312.400 us  |  foo_wake();\n", "" } } },
	{ "two-speeds-fires",
	  "note 85 %: foo_wake has two speeds: 5 calls of about 7.7 µs and 3",
	  { { " 1) # 6312.400 us  |  foo_wake();\n", "" } } },
	/*
	 * time that grows faster than a number: by a power of 1.4 over three measurements, 1.6 over
	 * two
	 */
	{ "grows-faster-fires", "clean", { { "6.970s", "6.960s" } } },
	{ "grows-faster-fires",
	  "warning 75 %: time grows faster than; power of the number: 1.40058",
	  { { "6.970s", "6.970s" } } },
	{ "grows-faster-fires", "time grows faster than", { { "6.970s", "11.31s" } } },
	{ "grows-faster-fires", "time grows with the square", { { "6.970s", "11.32s" } } },
	{ "grows-faster-fires",
	  "clean",
	  { { "$ time ./shelf --fill 20000 -q\n\nreal\t0m2.000s\nuser\t0m2.000s\nsys\t0m0.000s\n\n",
	      "" },
	    { "6.970s", "9.18s" } } },
	{ "grows-faster-fires",
	  "warning 65 %; measurements: 2",
	  { { "$ time ./shelf --fill 20000 -q\n\nreal\t0m2.000s\nuser\t0m2.000s\nsys\t0m0.000s\n\n",
	      "" },
	    { "6.970s", "9.20s" } } },
	{ "grows-faster-fires",
	  "not assessed",
	  { { "$ time ./shelf --fill 20000 -q\n\nreal\t0m2.000s\nuser\t0m2.000s\nsys\t0m0.000s\n\n",
	      "" },
	    { "40000", "19999" },
	    { "6.970s", "9.20s" } } },
	{ "grows-faster-fires",
	  "warning 65 %",
	  { { "$ time ./shelf --fill 20000 -q\n\nreal\t0m2.000s\nuser\t0m2.000s\nsys\t0m0.000s\n\n",
	      "" },
	    { "40000", "20000" },
	    { "6.970s", "9.20s" } } },
	/*
	 * pauses of a garbage collector: a note from 5 %, a warning from 20 %; at least three
	 * pauses in at least a second of log, and no longer than the log
	 */
	{ "gc-pauses-fires",
	  "clean",
	  { { "100.000ms", "10.000ms" },
	    { " 50.000ms", " 10.400ms" },
	    { "[2.000s]", "[2.100s]" },
	    { "150.000ms", "30.000ms" } } },
	{ "gc-pauses-fires",
	  "note 90 %; pauses, of wall-clock time: 5",
	  { { "100.000ms", "10.000ms" },
	    { " 50.000ms", " 10.600ms" },
	    { "150.000ms", "30.000ms" },
	    { "[2.000s]", "[2.100s]" } } },
	{ "gc-pauses-fires",
	  "note 90 %",
	  { { " 50.000ms", " 49.000ms" }, { "150.000ms", "50.000ms" } } },
	{ "gc-pauses-fires",
	  "warning 90 %; young",
	  { { " 50.000ms", " 50.000ms" }, { "150.000ms", "50.000ms" } } },
	{ "gc-pauses-fires",
	  "Most of that are collections of the whole heap; The whole heap is collected again and "
	  "again",
	  { { "150.000ms", "150.000ms" } } },
	{ "gc-pauses-fires", "; The program allocates much", { { "150.000ms", "149.000ms" } } },
	{ "gc-pauses-fires",
	  "not assessed",
	  { { "[1.600s]", "[1.900s]" },
	    { "GC(1) Pause Young (Normal) (G1 Evacuation Pause) 28M->4M(256M) 50.000ms",
	      "Something else" } } },
	{ "gc-pauses-fires", "not assessed", { { "[2.000s]", "[1.999s]" } } },
	{ "gc-pauses-fires",
	  "pauses, of wall-clock time: 100 %",
	  { { " 50.000ms", " 50.000ms" }, { "150.000ms", "850.000ms" } } },
	{ "gc-pauses-fires",
	  "clean",
	  { { " 50.000ms", " 51.000ms" }, { "150.000ms", "850.000ms" } } },
	/* out of memory: the largest process is the cause from half of the memory of all tasks */
	{ "out-of-memory-fires",
	  "No process holds most of it",
	  { { "50000    61440", "49999    61440" } } },
	{ "out-of-memory-fires",
	  "error 97 %; all tasks: 390.625 MiB; the largest by name: 50 % of all; leaks",
	  { { "50000    61440", "50000    61440" } } },
	/* the page size, 4, 16 or 64 KiB, follows from the memory that the killed process had */
	{ "out-of-memory-fires",
	  "all tasks: 1562.5 MiB",
	  { { "anon-rss:200000kB", "anon-rss:800000kB" } } },
	{ "out-of-memory-fires",
	  "all tasks: 6250 MiB",
	  { { "anon-rss:200000kB", "anon-rss:3200000kB" } } },
	{ "out-of-memory-fires",
	  "all tasks: 6250 MiB",
	  { { "anon-rss:200000kB", "anon-rss:12800000kB" } } },
	/* a slow call: the text names the usual time, and the slow callee */
	{ "slow-calls-fires",
	  "vfs_read (else 1.700 µs; 1 of 8 calls), in filemap_read below: 31.2 us",
	  { { "0.200", "0.200" } } },
	{ "slow-calls-fires",
	  "vfs_read (else 1.700 µs; 1 of 8 calls): 31.2 us",
	  { { "+ 30.200 us |    }", "   0.700 us |    }" } } },
	/* an idle transaction: reported from five minutes */
	{ "idle-transaction-fires", "clean", { { "00:41:07.113204", "00:04:59.999999" } } },
	{ "idle-transaction-fires",
	  "warning 95 %; seconds of the oldest: 300",
	  { { "00:41:07.113204", "00:05:00.000000" } } },
	/*
	 * statements that wait for locks: a note from a tenth of the time, a warning from 30 %; a
	 * lock time longer than its statement is ignored
	 */
	{ "statement-locks-fires", "clean", { { "Lock_time: 2.0", "Lock_time: 0.649" } } },
	{ "statement-locks-fires",
	  "note 95 %; share of the time: 10 %",
	  { { "Lock_time: 2.0", "Lock_time: 0.65" } } },
	{ "statement-locks-fires", "note 95 %", { { "Lock_time: 2.0", "Lock_time: 1.949" } } },
	{ "statement-locks-fires",
	  "warning 95 %; share of the time: 30 %",
	  { { "Lock_time: 2.0", "Lock_time: 1.95" } } },
	{ "statement-locks-fires",
	  "lock time: 2.1 s",
	  { { "Lock_time: 5000.0", "Lock_time: 0.1" } } },
	{ "statement-locks-fires",
	  "lock time: 2 s",
	  { { "Lock_time: 5000.0", "Lock_time: 0.11" } } },
	/*
	 * repeated calls of one function: a note from eight calls and 30 % of the trace, a warning
	 * from 60 %
	 */
	{ "repeated-calls-fires", "clean", { { "27.400", "84.100" } } },
	{ "repeated-calls-fires",
	  "note 75 %; share of the trace: 30 %",
	  { { "27.400", "84.000" } } },
	{ "repeated-calls-fires", "note 75 %", { { "27.400", "42.100" } } },
	{ "repeated-calls-fires",
	  "warning 75 %; share of the trace: 60 %",
	  { { "27.400", "42.000" } } },
	/* long calls: a note if one takes 10 ms, a warning from 100 ms in all */
	{ "long-calls-fires",
	  "clean",
	  { { "<0.038114>", "<0.009900>" },
	    { "<0.041270>", "<0.009999>" },
	    { "<0.036400>", "<0.009900>" },
	    { "<0.090000>", "<0.000100>" } } },
	{ "long-calls-fires",
	  "note 75 %; longest: 10 ms",
	  { { "<0.038114>", "<0.009900>" },
	    { "<0.041270>", "<0.010000>" },
	    { "<0.036400>", "<0.009900>" },
	    { "<0.090000>", "<0.000100>" } } },
	{ "long-calls-fires",
	  "note 75 %; time: 99.999 ms",
	  { { "<0.038114>", "<0.030000>" },
	    { "<0.041270>", "<0.041000>" },
	    { "<0.036400>", "<0.028999>" },
	    { "<0.090000>", "<0.000100>" } } },
	{ "long-calls-fires",
	  "warning 75 %; time: 100 ms",
	  { { "<0.038114>", "<0.030000>" },
	    { "<0.041270>", "<0.041000>" },
	    { "<0.036400>", "<0.029000>" },
	    { "<0.090000>", "<0.000100>" } } },
	{ "long-calls-fires",
	  "note 75 %: 22.4 %; note 60 %: 77.5 %; impact 19.37;",
	  { { "<0.090000>", "<0.400000>" } } },
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
