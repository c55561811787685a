/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/dossier.h"
#include "document/document.h"
#include "explain/explain.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "formats/load.h"
#include "lines.h"

#include <stdio.h>

/*
 * @text: tables with "%s" for the number that a rule judges. With @note the rule reports a note,
 * with @lead a warning. @clean and @below_lead are the values just before these thresholds.
 */
struct threshold {
	const char *rule;
	const char *text;
	const char *clean, *note, *below_lead, *lead;
};

#define VMSTAT                                                         \
	" r b swpd free buff cache si so bi bo in cs us sy id wa st\n" \
	" 1 0 0 1 1 1 0 0 5 5 10 10 1 1 98 0 0\n"
#define MPSTAT    "10:00:01 CPU %%usr %%sys %%soft %%steal %%idle\n"
#define PIDSTAT   "10:00:01 UID PID %%usr %%system %%guest %%CPU CPU Command\n"
#define CLOCK     " Performance counter stats for './work':\n\n 1,000.00 msec task-clock\n"
#define END       "\n 1.000 seconds time elapsed\n"
#define MEMCACHED "STAT pid 1\nSTAT uptime 3600\nSTAT limit_maxbytes 10000\n"

static const struct threshold thresholds[] = {
	{ "zombies",
	  "Tasks: 240 total, 1 running, 118 sleeping, 0 stopped, %s zombie\n"
	  "%%Cpu(s): 1.0 us, 0.5 sy, 0.0 ni, 98.5 id, 0.0 wa, 0.0 hi, 0.0 si, 0.0 st\n",
	  "4", "5", "99", "100" },
	{ "receive-pages",
	  " Ethtool(e7    ) stat: %s ( 1) <= rx_cache_busy /sec\n"
	  " Ethtool(e7    ) stat: 1000 ( 1,000) <= rx_cache_reuse /sec\n",
	  "999", "1000", "3999", "4000" },
	{ "listen-overflow-count", " %s times the listen queue of a socket overflowed\n", "9", "10",
	  NULL, NULL },
	{ "switch-rate", CLOCK " %s context-switches\n" END, "9,999", "10,000", "19,999",
	  "20,000" },
	/* many for the CPU time, but clean below 0.2 CPUs: the program waits */
	{ "switch-rate",
	  " Performance counter stats for './work':\n\n %s msec task-clock\n"
	  " 3,000 context-switches\n" END,
	  "199.00", "200.00", NULL, NULL },
	{ "erlang-busy-wait",
	  " scheduler( 1) 0.40%% 0.50%% 8.10%% 0.60%% %s%% 1.40%% 39.00%%\n"
	  " scheduler( 2) 0.40%% 0.50%% 8.10%% 0.60%% 1.00%% 1.40%% 88.00%%\n",
	  "29.99", "30.00", "49.99", "50.00" },
	{ "migration-rate", CLOCK " %s cpu-migrations\n" END, "1,999", "2,000", "9,999", "10,000" },
	{ "fault-rate", CLOCK " %s page-faults\n" END, "49,999", "50,000", "199,999", "200,000" },
	{ "major-fault-rate", CLOCK " %s major-faults\n" END, "19", "20", "199", "200" },
	/* a CPU that runs has a clock rate above 0.1 GHz */
	{ "branch-bound", CLOCK " 1,500,000,000 cycles\n %s branch-misses\n" END, "9,999,000",
	  "10,000,000", "19,999,000", "20,000,000" },
	{ "tlb-bound", CLOCK " 2,000,000,000 cycles\n %s dTLB-load-misses\n" END, "4,999,000",
	  "5,000,000", "14,999,000", "15,000,000" },
	{ "memory-bound",
	  CLOCK " 1,000,000,000 cycles\n 1,000,000,000 instructions\n %s LLC-load-misses\n" END,
	  "4,999,000", "5,000,000", "14,999,000", "15,000,000" },
	/* many misses, but the rule is clean if an instruction takes less than a cycle */
	{ "memory-bound",
	  CLOCK " %s cycles\n 1,000,000,000 instructions\n 9,000,000 LLC-load-misses\n" END,
	  "999,999,000", "1,000,000,000", NULL, NULL },
	{ "frontend-bound", CLOCK " 1,000,000,000 cycles\n %s stalled-cycles-frontend\n" END,
	  "249,999,000", "250,000,000", "399,999,000", "400,000,000" },
	{ "speculation-bound", CLOCK " 1,000,000,000 slots\n %s topdown-bad-spec\n" END,
	  "149,999,000", "150,000,000", "299,999,000", "300,000,000" },
	{ "backend-bound", CLOCK " 1,000,000,000 cycles\n %s stalled-cycles-backend\n" END,
	  "499,999,000", "500,000,000", "699,999,000", "700,000,000" },
	{ "cpu-underused", " Performance counter stats for './work':\n\n %s msec task-clock\n" END,
	  "600.01", "600.00", "250.01", "250.00" },
	{ "system-time", CLOCK END "\n 0.0 seconds user\n %s seconds sys\n", "0.3999", "0.4",
	  "0.5999", "0.6" },
	/* half of the CPU time, but clean below 0.2 CPUs utilised: the program waits */
	{ "system-time", "real\t0m1.000s\nuser\t0m0.100s\nsys\t0m%ss\n", "0.099", "0.100", NULL,
	  NULL },
	{ "fault-rate",
	  " Performance counter stats for './work':\n\n %s msec task-clock\n 19,000 "
	  "page-faults\n" END,
	  "199.9", "200.0", NULL, NULL },
	{ "one-busy-cpu", MPSTAT "10:00:02 0 1 1 0 0 %s\n10:00:02 1 9 0 0 0 50\n", "20.01", "20.00",
	  "5.01", "5.00" },
	/* clean if the other CPUs are busy, too */
	{ "one-busy-cpu", MPSTAT "10:00:02 0 1 1 0 0 19\n10:00:02 1 9 0 0 0 %s\n", "49.99", "50.00",
	  NULL, NULL },
	{ "one-waiting-cpu",
	  "10:00:01 CPU %%usr %%sys %%iowait %%idle\n10:00:02 0 0 0 %s 20\n10:00:02 1 2 8 0 90\n"
	  "10:00:02 2 2 8 0 90\n10:00:02 3 2 8 0 90\n10:00:02 4 2 8 0 90\n"
	  "10:00:02 5 2 8 0 90\n",
	  "79.99", "80.00", NULL, NULL },
	/* clean if the other CPUs have work */
	{ "one-waiting-cpu",
	  "10:00:01 CPU %%usr %%sys %%iowait %%idle\n10:00:02 0 0 0 80 20\n10:00:02 1 2 8 0 %s\n"
	  "10:00:02 2 2 8 0 90\n10:00:02 3 2 8 0 90\n10:00:02 4 2 8 0 90\n"
	  "10:00:02 5 2 8 0 90\n",
	  "89.9", "90.0", NULL, NULL },
	{ "idle-interrupts",
	  VMSTAT " 0 0 0 1 1 1 0 0 5 5 %s 10 0 0 100 0 0\n"
		 " 0 0 0 1 1 1 0 0 5 5 2000 10 0 0 100 0 0\n",
	  "1999", "2000", NULL, NULL },
	/* clean if CPUs work: their ticks are interrupts */
	{ "idle-interrupts", VMSTAT " 0 0 0 1 1 1 0 0 5 5 3000 10 0 0 %s 0 0\n", "98", "99", NULL,
	  NULL },
	{ "receive-memory",
	  "TcpInSegs 900000 0.0\nTcpExtTCPRcvQDrop %s 0.0\nTcpExtOfoPruned 1 0.0\n", "999", "1000",
	  NULL, NULL },
	{ "receive-memory", "TcpInSegs 900000 0.0\nTcpOutSegs 1 0.0\nTcpExtOfoPruned %s 0.0\n",
	  "999", "1000", NULL, NULL },
	{ "softirq-cpu", MPSTAT "10:00:02 0 1 1 %s 0 9\n10:00:02 1 9 0 0 0 90\n", "29.99", "30.00",
	  "69.99", "70.00" },
	{ "steal-time", MPSTAT "10:00:02 all 1 1 0 %s 50\n", "4.99", "5.00", "19.99", "20.00" },
	{ "run-queue", VMSTAT " %s 0 0 1 1 1 0 0 5 5 10 10 80 10 10 0 0\n", "3", "4", NULL, NULL },
	{ "run-queue", VMSTAT " %s 0 0 1 1 1 0 0 5 5 10 10 80 10 10 0 0\n$ nproc\n4\n", "4.9", "5",
	  "7", "8" },
	/* clean if CPUs are idle */
	{ "run-queue", VMSTAT " 9 0 0 1 1 1 0 0 5 5 10 10 80 9 %s 0 0\n", "11", "10", NULL, NULL },
	/* one thread has no more than one CPU */
	{ "busy-task", PIDSTAT "10:00:02 1000 4321 80.00 20.00 0.00 %s 3 java\n", "105.01",
	  "105.00", NULL, NULL },
	{ "busy-task", PIDSTAT "10:00:02 1000 4321 80.00 20.00 0.00 %s 3 java\n", "89.99", "90.00",
	  NULL, NULL },
	/* clean if they wait for I/O: that is idle time, too */
	{ "run-queue", VMSTAT " 9 0 0 1 1 1 0 0 5 5 10 10 80 9 1 %s 0\n", "10", "9", NULL, NULL },
	{ "swap-traffic", VMSTAT " 1 0 0 1 1 1 0 %s 5 5 10 10 1 1 98 0 0\n", "49", "50", "499",
	  "500" },
	{ "disk-busy", "Device r/s w/s %%util\nsda 1.0 2.0 %s\nsdb 1.0 2.0 3.0\n", "79.99", "80.00",
	  "94.99", "95.00" },
	{ "memcached-evictions",
	  MEMCACHED "STAT get_misses 10000\nSTAT cmd_get 20000\nSTAT evictions %s\n", "1999",
	  "2000", "4999", "5000" },
	/* clean if fewer than half of the look-ups miss */
	{ "memcached-evictions",
	  MEMCACHED "STAT evictions 2500\nSTAT cmd_get 20000\nSTAT get_misses %s\n", "9999",
	  "10000", NULL, NULL },
	{ "julia-compile", "2.5 seconds (1.20 M allocations: 60.1 MiB, %s%% compilation time)\n",
	  "49.99", "50.00", "89.99", "90.00" },
	{ "julia-gc", "2.5 seconds (1.20 M allocations: 60.1 MiB, %s%% gc time)\n", "19.99",
	  "20.00", "49.99", "50.00" },
	{ "rocksdb-stall",
	  "Uptime(secs): 100.0 total, 50.0 interval\nInterval stall: 00:00:1.0 H:M:S, %s percent\n",
	  "0.9", "1.0", "9.9", "10.0" },
	{ "old-generation-full",
	  "S0 S1 E O M CCS YGC YGCT FGC FGCT GCT\n"
	  "0.0 0.0 9.0 15.0 9.0 9.0 3 1.0 1 0.5 1.1\n"
	  "0.0 0.0 9.0 15.0 9.0 9.0 3 1.0 2 %s 1.2\n",
	  "1.499", "1.500", NULL, NULL },
	{ "fio-system-time",
	  "read: IOPS=812k, BW=3172MiB/s\ncpu : usr=2.10%%, sys=%s%%, ctx=40211, majf=0\n", "49.99",
	  "50.00", "79.99", "80.00" },
	{ "iowait-time", VMSTAT " 1 0 0 1 1 1 0 0 5 5 10 10 1 1 9 %s 0\n", "19", "20", "49", "50" },
};

/* The severity of the finding for @value; -1: clean; -2: not assessed. */
static int said_of(const struct threshold *t, const char *value)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(document_freep) struct document *doc = NULL;
	CLEANUP(facts_freep) struct facts *facts = NULL;
	const struct explain_options options = { .only = str_of(t->rule) };
	struct findings f = { .rows = VEC_INIT };
	char text[1024];
	int said;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	(void)snprintf(text, sizeof(text), t->text, value);
#pragma GCC diagnostic pop
	assert_int_equal(document_from_memory(str_of(text), NULL, &doc, NULL), OK);
	assert_int_equal(load_document(d, doc, "made.txt", NULL, NULL), OK);
	facts = facts_new(d);
	explain_run(facts, &options, &f);
	assert_null(findings_check(&f));
	said = f.rows.len ? (int)f.rows.data[0].severity : f.clean.len ? -1 : -2;
	findings_fini(&f);
	return said;
}

static void each_threshold_holds_from_both_sides(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(thresholds); i++) {
		const struct threshold *t = &thresholds[i];

		if (said_of(t, t->clean) != -1 || said_of(t, t->note) != FINDING_NOTE ||
		    (t->lead && (said_of(t, t->below_lead) != FINDING_NOTE ||
				 said_of(t, t->lead) != FINDING_WARNING))) {
			print_error("%s: %d %d %d %d\n", t->rule, said_of(t, t->clean),
				    said_of(t, t->note), t->lead ? said_of(t, t->below_lead) : 0,
				    t->lead ? said_of(t, t->lead) : 0);
			assert_true(false);
		}
	}
}

/*
 * The first report of vmstat is the mean since boot, not an interval.
 */
static void the_first_report_is_left_out(void **state)
{
	static const struct threshold t = {
		.rule = "swap-traffic",
		.text = " r b swpd free buff cache si so bi bo in cs us sy id wa st\n"
			" 1 0 0 1 1 1 0 9000 5 5 10 10 1 1 98 0 0\n"
			" 1 0 0 1 1 1 0 %s 5 5 10 10 1 1 98 0 0\n",
	};

	(void)state;
	assert_int_equal(said_of(&t, "0"), -1);
	assert_int_equal(said_of(&t, "600"), FINDING_WARNING);
}

/* Its rates are of no interval; of a series that was cut off, nobody can tell. */
static void a_lone_row_of_vmstat_has_no_rates(void **state)
{
	static const struct threshold t = {
		.rule = "swap-traffic",
		.text = " r b swpd free buff cache si so bi bo in cs us sy id wa st\n"
			" 9 1 0 1 1 1 0 %s 5 5 10 10 1 1 98 0 0\n",
	};
	struct threshold now = t;

	(void)state;
	assert_int_equal(said_of(&t, "600"), -2);
	now.rule = "blocked-tasks";
	assert_int_not_equal(said_of(&now, "600"), -2);
}

static void a_counter_that_is_missing_is_not_clean(void **state)
{
	static const struct threshold t = { .rule = "switch-rate",
					    .text = CLOCK " %s page-faults\n" END };

	(void)state;
	assert_int_equal(said_of(&t, "12"), -2);
}

/* Whether counters-differ claims @words for twice the cycles and @instructions instead of 10^9. */
static bool more_cycles_claim(unsigned int instructions, const char *words)
{
	char claim[512];

	for (int side = 0; side < 2; side++)
		lines_add("%s\n\n Performance counter stats for './job' (10 runs):\n\n"
			  " %s msec task-clock ( +- 0.10%% )\n"
			  " %s cycles ( +- 0.10%% )\n"
			  " %u instructions ( +- 0.10%% )\n\n"
			  " %s seconds time elapsed ( +- 0.10%% )\n",
			  side ? "after:" : "before:", side ? "500.00" : "1,000.00",
			  side ? "1000000000" : "2000000000", side ? 1000000000 : instructions,
			  side ? "0.500" : "1.000");
	return lines_find("counters-differ", words, claim, sizeof(claim), NULL);
}

/*
 * Of a doubling of the cycles, 1.3195 = 2^0.4 times the instructions explain 40 %, and
 * 1.5157 = 2^0.6 times explain 60 %.
 */
static void a_factor_explains_more_cycles_from_40_percent_of_them(void **state)
{
	(void)state;
	assert_false(more_cycles_claim(1318000000, "more instructions than"));
	assert_true(more_cycles_claim(1321000000, "more instructions than"));
	assert_true(more_cycles_claim(1514000000, "instructions per cycle"));
	assert_false(more_cycles_claim(1517000000, "instructions per cycle"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_threshold_holds_from_both_sides),
		cmocka_unit_test(a_factor_explains_more_cycles_from_40_percent_of_them),
		cmocka_unit_test(the_first_report_is_left_out),
		cmocka_unit_test(a_lone_row_of_vmstat_has_no_rates),
		cmocka_unit_test(a_counter_that_is_missing_is_not_clean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
