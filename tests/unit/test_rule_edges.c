/* SPDX-License-Identifier: MIT */
/*
 * Rules just below and just above their thresholds: the input of a golden, with one text of it
 * replaced. tests/golden/rules/CASE.d shows the whole input and the output.
 */
#include "unit.h"

#include "base/alloc.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "core/dossier.h"
#include "document/document.h"
#include "explain/rule.h"
#include "formats/load.h"
#include "rule_says.h"

#include <stdio.h>
#include <stdlib.h>

#define SWAPS_MAX 4

/*
 * @said are words that the rule says, in this order and separated by "; ": "warning 75 %", the
 * claim, figures as "NAME: VALUE UNIT", "lines N" of evidence, the cause; or "clean", or "not
 * assessed".
 */
struct edge {
	const char *golden;
	const char *said;
	const char *swaps[SWAPS_MAX][2]; /* what is replaced wherever it is, and by what */
};

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
	/* two traces: half as long again, and a microsecond */
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
	/* a node of a query plan: half of the time, 90 %, and 10 ms in all */
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
	/* 1000 loops are the cause, or ten rows removed for one that is kept */
	{ "plan-node-fires",
	  "The work of this node itself",
	  { { "0.027..0.027 rows=0.01 loops=1800", "0.027..0.027 rows=0.01 loops=999" } } },
	{ "plan-node-fires",
	  "Each loop is short",
	  { { "0.027..0.027 rows=0.01 loops=1800", "0.027..0.027 rows=0.01 loops=1000" } } },
	/* an estimate of a query plan: 100 times as many rows, 1000 rows, loops as many as rows
	   within 1 % */
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
	/* a main loop that is blocked for an election timer of a second; its parts from 60 % */
	{ "long-poll-fires",
	  "note 92 %; intervals above 1 s: 0 ",
	  { { "2345ms", "999ms" }, { "2001ms", "900ms" }, { "300ms", "9ms" } } },
	{ "long-poll-fires",
	  "warning 92 %; intervals above 1 s: 1 ",
	  { { "2345ms", "1001ms" }, { "2001ms", "900ms" }, { "300ms", "9ms" } } },
	{ "long-poll-fires", "own code computes too long", { { "2345ms", "3335ms" } } },
	{ "long-poll-fires", "own code, the kernel and waiting", { { "2345ms", "3336ms" } } },
	/* two speeds: eight calls */
	{ "two-speeds-fires",
	  "not assessed",
	  { { " 1) # 6255.900 us  |  foo_wake();\n", "" },
	    { " 1) # 6312.400 us  |  foo_wake();\n", "" } } },
	{ "two-speeds-fires",
	  "note 85 %: foo_wake has two speeds: 5 calls of about 7.7 µs and 3",
	  { { " 1) # 6312.400 us  |  foo_wake();\n", "" } } },
	/* time that grows faster than a number: a power of 1.4 of three measurements, 1.6 of two */
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
	/* pauses of a garbage collector: 5 %, 20 %, three of them, a second of log, less than the
	   log */
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
	  "Most of that are collections of the whole heap; The heap is nearly full",
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
	/* memory: half of all tasks */
	{ "out-of-memory-fires",
	  "No process holds most of it",
	  { { "50000    61440", "49999    61440" } } },
	{ "out-of-memory-fires",
	  "error 97 %; all tasks: 390.625 MiB; the largest by name: 50 % of all; leaks",
	  { { "50000    61440", "50000    61440" } } },
	/* memory in pages of the machine: 4, 16 or 64 KiB, as the killed process says */
	{ "out-of-memory-fires",
	  "all tasks: 1562.5 MiB",
	  { { "anon-rss:200000kB", "anon-rss:800000kB" } } },
	{ "out-of-memory-fires",
	  "all tasks: 6250 MiB",
	  { { "anon-rss:200000kB", "anon-rss:3200000kB" } } },
	{ "out-of-memory-fires",
	  "all tasks: 6250 MiB",
	  { { "anon-rss:200000kB", "anon-rss:12800000kB" } } },
	/* a slow call names the usual time, and the callee that is slow */
	{ "slow-calls-fires",
	  "vfs_read (else 1.700 µs; 1 of 8 calls), in filemap_read below: 31.2 us",
	  { { "0.200", "0.200" } } },
	{ "slow-calls-fires",
	  "vfs_read (else 1.700 µs; 1 of 8 calls): 31.2 us",
	  { { "+ 30.200 us |    }", "   0.700 us |    }" } } },
	/* a transaction that is idle for five minutes */
	{ "idle-transaction-fires", "clean", { { "00:41:07.113204", "00:04:59.999999" } } },
	{ "idle-transaction-fires",
	  "warning 95 %; seconds of the oldest: 300",
	  { { "00:41:07.113204", "00:05:00.000000" } } },
	/* locks of statements: a tenth of the time, and 30 %; not those that are longer than the
	   statement */
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
};

/* Contents of a file of the golden, NUL-terminated, or NULL. Owner: caller. */
static char *golden_file(const char *golden, const char *name)
{
	static const char *const areas[] = { "rules", "rules-calls" };
	char path[4096];

	for (size_t i = 0; i < ARRAY_LEN(areas); i++) {
		char *text = xcalloc(1, 1u << 20);
		FILE *f;

		(void)snprintf(path, sizeof(path), "%s/tests/golden/%s/%s.d/%s",
			       getenv("ASSAY_SOURCE"), areas[i], golden, name);
		f = fopen(path, "re");
		if (f) {
			text[fread(text, 1, (1u << 20) - 1, f)] = '\0';
			(void)fclose(f);
			return text;
		}
		free(text);
	}
	return NULL;
}

/* Replace @from wherever it is; returns how often it was. */
static size_t replace(struct str text, const char *from, const char *to, struct out *ret)
{
	size_t n = 0;

	for (size_t at; (at = str_find(text, str_of(from))) < text.len; n++) {
		out_str(ret, str_sub(text, 0, at));
		out_z(ret, to);
		text = str_skip(text, at + strlen(from));
	}
	out_str(ret, text);
	return n;
}

/* Load an input of the golden with what is replaced, and count that in @n. */
static void load(struct dossier *d, const struct edge *e, struct str name, size_t *n)
{
	CLEANUP(document_freep) struct document *doc = NULL;
	CLEANUP(freep) char *text = NULL;
	struct out changed = { .fd = -1 };
	char file[64];

	(void)snprintf(file, sizeof(file), STR_FMT, STR_ARG(name));
	text = golden_file(e->golden, file);
	assert_non_null(text);
	out_z(&changed, text);
	for (size_t i = 0; i < SWAPS_MAX && e->swaps[i][0]; i++) {
		struct out next = { .fd = -1 };

		n[i] += replace(out_view(&changed), e->swaps[i][0], e->swaps[i][1], &next);
		out_fini(&changed);
		changed = next;
	}
	assert_int_equal(document_from_memory(out_view(&changed), NULL, &doc, NULL), OK);
	assert_int_equal(load_document(d, doc, file, NULL, NULL), OK);
	out_fini(&changed);
}

static bool check(const struct edge *e)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(freep) char *args = golden_file(e->golden, "args");
	struct out is = { .fd = -1 };
	struct str rest, rule, name;
	size_t n[SWAPS_MAX] = { 0 };
	bool ret;

	assert_non_null(args);
	rest = str_skip(str_of(args), strlen("explain\n--rule"));
	assert_true(str_word(&rest, &rule));
	while (str_word(&rest, &name))
		load(d, e, name, n);
	rule_says(d, rule, &is);
	ret = rule_says_in(out_view(&is), e->said);
	for (size_t i = 0; i < SWAPS_MAX && e->swaps[i][0]; i++)
		ret = ret && n[i];
	if (!ret)
		print_error("%s with '%s', '%s': '%s' expected, is:\n" STR_FMT, e->golden,
			    e->swaps[0][1], e->swaps[1][1], e->said, STR_ARG(out_view(&is)));
	out_fini(&is);
	return ret;
}

static void rules_change_their_minds_at_their_thresholds(void **state)
{
	size_t wrong = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(edges); i++)
		wrong += !check(&edges[i]);
	assert_int_equal(wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_change_their_minds_at_their_thresholds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
