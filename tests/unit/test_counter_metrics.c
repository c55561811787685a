/* SPDX-License-Identifier: MIT */
/* Metrics of counters against plain sums over random tables, and against formulas. */
#include "unit.h"

#include "analyses/counters/counter_metrics.h"
#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/counter_roles.h"
#include "core/kinds/counters.h"
#include "core/strings.h"

#include <math.h>

static struct capture *made(struct dossier *d, const char *tool)
{
	struct capture *c = dossier_add(d, "test");

	capture_counters(c)->tool = strings_add(&d->strings, str_of(tool));
	return c;
}

static struct counter *add(struct capture *c, const char *name, double value, const char *unit)
{
	struct strings *s = &c->dossier->strings;
	struct counter row = {
		.name = strings_add(s, str_of(name)),
		.unit = strings_add(s, str_of(unit)),
		.value = llround(value * 1e6),
		.decimals = 6,
		.spread = -1,
		.running = -1,
		.line = (uint32_t)c->counters->rows.len + 3,
	};

	assert_int_equal(counters_add(c->counters, s, row), OK);
	return &c->counters->rows.data[c->counters->rows.len - 1];
}

static const struct counter_metric *metric(const struct counter_metrics *m, const char *id)
{
	for (size_t i = 0; i < m->n; i++) {
		if (strcmp(m->rows[i].def->id, id) == 0)
			return &m->rows[i];
	}
	return NULL;
}

static void ratios_are_the_formulas_of_their_titles(void **state)
{
	const double cycles = 7000, instructions = 11000, branches = 1300, branch_misses = 17;
	const double references = 1900, misses = 230, l1_loads = 2900, l1_misses = 31;
	const double clock = 2.5, elapsed = 4, user = 1.5, sys = 0.75;
	const struct {
		const char *id;
		double value;
		/* the range of the usual cost of a miss, by `value`; 0: none */
		double low, high;
	} expected[] = {
		{ "ipc", instructions / cycles },
		{ "cpi", cycles / instructions },
		{ "cpus-utilised", clock / elapsed },
		{ "frequency", cycles / clock / 1e9 },
		{ "user-share", user / clock * 100 },
		{ "system-share", sys / clock * 100 },
		{ "switches-per-second", 41 / clock },
		{ "elapsed-switches", 41 / elapsed },
		{ "migrations-per-second", 43 / clock },
		{ "faults-per-second", 47 / clock },
		{ "major-faults-per-second", 53 / elapsed },
		{ "branch-miss-share", branch_misses / branches * 100 },
		{ "branch-misses", branch_misses / instructions * 1000 },
		{ "branch-miss-cycles", 15 * branch_misses / cycles * 100, 10.0 / 15, 25.0 / 15 },
		{ "cache-miss-share", misses / references * 100 },
		{ "cache-misses", misses / instructions * 1000 },
		{ "l1d-misses", l1_misses / instructions * 1000 },
		{ "l1d-miss-share", l1_misses / l1_loads * 100 },
		{ "l1i-misses", 59 / instructions * 1000 },
		{ "llc-misses", 61 / instructions * 1000 },
		{ "llc-miss-share", 61.0 / 670 * 100 },
		{ "dtlb-misses", 71 / instructions * 1000 },
		{ "dtlb-miss-share", 71.0 / 730 * 100 },
		{ "dtlb-walk-share", 790 / cycles * 100 },
		{ "dtlb-miss-cycles", 20 * 71 / cycles * 100, 7.0 / 20, 50.0 / 20 },
		{ "itlb-misses", 83 / instructions * 1000 },
		{ "itlb-miss-cycles", 20 * 83 / cycles * 100, 10.0 / 20, 50.0 / 20 },
		{ "stalled-front", 890 / cycles * 100 },
		{ "stalled-back", 970 / cycles * 100 },
		{ "node-miss-share", 101.0 / 1030 * 100 },
		{ "hitm", 107 / instructions * 1000 },
	};
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct capture *c = made(d, "perf stat");
	struct counter_metrics m;

	(void)state;
	add(c, "task-clock", clock * 1000, "msec");
	add(c, "seconds time elapsed", elapsed, "");
	add(c, "seconds user", user, "");
	add(c, "seconds sys", sys, "");
	add(c, "context-switches", 41, "");
	add(c, "cpu-migrations", 43, "");
	add(c, "page-faults", 47, "");
	add(c, "major-faults", 53, "");
	add(c, "cycles", cycles, "");
	add(c, "instructions", instructions, "");
	add(c, "branches", branches, "");
	add(c, "branch-misses", branch_misses, "");
	add(c, "cache-references", references, "");
	add(c, "cache-misses", misses, "");
	add(c, "L1-dcache-loads", l1_loads, "");
	add(c, "L1-dcache-load-misses", l1_misses, "");
	add(c, "L1-icache-load-misses", 59, "");
	add(c, "LLC-load-misses", 61, "");
	add(c, "LLC-loads", 670, "");
	add(c, "dTLB-load-misses", 71, "");
	add(c, "dTLB-loads", 730, "");
	add(c, "dtlb_load_misses.walk_active", 790, "");
	add(c, "iTLB-load-misses", 83, "");
	add(c, "stalled-cycles-frontend", 890, "");
	add(c, "stalled-cycles-backend", 970, "");
	add(c, "node-loads", 1030, "");
	add(c, "node-load-misses", 101, "");
	add(c, "mem_load_l3_hit_retired.xsnp_hitm", 107, "");
	counter_metrics_compute(c, &m);
	assert_int_equal(m.n, ARRAY_LEN(expected));
	for (size_t i = 0; i < ARRAY_LEN(expected); i++) {
		const struct counter_metric *have = metric(&m, expected[i].id);

		if (!have || fabs(have->value / expected[i].value - 1) > 1e-12)
			print_message("# %s\n", expected[i].id);
		assert_non_null(have);
		assert_near(have->value / expected[i].value, 1, 1e-12);
		if (expected[i].low > 0) {
			assert_near(have->low / have->value, expected[i].low, 1e-12);
			assert_near(have->high / have->value, expected[i].high, 1e-12);
		} else {
			assert_true(have->low == have->value && have->high == have->value);
		}
		assert_true(have->peak == have->value && have->burst == 0 && have->n == 1);
		assert_true(have->running < 0);
		assert_int_equal(have->line, c->counters->rows.data[have->line - 3].line);
		assert_true(have->bottom_line > 2 && have->bottom_line != have->line);
	}
}

static void times_have_units(void **state)
{
	static const struct {
		const char *name, *unit;
		double seconds;
	} cases[] = {
		{ "task-clock", "msec", 3e-3 },
		{ "task-clock", "ms", 3e-3 },
		{ "task-clock", "nsec", 3e-9 },
		{ "task-clock", "ns", 3e-9 },
		{ "task-clock", "usec", 3e-6 },
		{ "task-clock", "us", 3e-6 },
		{ "task-clock", "s", 3 },
		{ "task-clock", "", 3e-3 },
		{ "duration_time", "", 3e-9 },
		{ "duration_time", "ns", 3e-9 },
		{ "user_time", "", 3e-9 },
		{ "system_time", "", 3e-9 },
		{ "elapsed", "", 3 },
		{ "user", "", 3 },
		{ "user", "ms", 3e-3 },
		{ "sys", "us", 3e-6 },
		{ "context-switches", "ms", 3 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(dossier_freep) struct dossier *d = dossier_new();
		struct capture *c = made(d, "perf stat");
		enum counter_role role =
			(enum counter_role)add(c, cases[i].name, 3, cases[i].unit)->role;
		struct counter_sum sum;

		assert_true(counter_sum_of(c, role, &sum));
		assert_near(sum.value / cases[i].seconds, 1, 1e-12);
	}
}

/* Errors of a sum and of a ratio add up as squares; an interval is 1.96 of them. */
static void errors_of_runs_give_an_interval(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct capture *c = made(d, "perf stat");
	const double cycles_error = hypot(10 * 4, 30 * 3), instructions_error = 2;
	const double rel = hypot(cycles_error / 4000, instructions_error / 100);
	struct counter_sum sum;
	struct counter_metrics m;
	const struct counter_metric *ipc;

	(void)state;
	add(c, "cycles", 1000, "")->spread = 4;
	add(c, "cycles", 3000, "")->spread = 3;
	add(c, "instructions", 8000, "")->spread = 2;
	assert_true(counter_sum_of(c, COUNTS_CYCLES, &sum));
	assert_near(sum.value, 4000, 1e-9);
	assert_near(sum.rel, cycles_error / 4000, 1e-12);
	assert_int_equal(sum.n_rows, 2);
	counter_metrics_compute(c, &m);
	ipc = metric(&m, "ipc");
	assert_near(ipc->value, 2, 1e-12);
	assert_near(ipc->low, 2 * (1 - 1.959964 * rel), 1e-6);
	assert_near(ipc->high, 2 * (1 + 1.959964 * rel), 1e-6);
	/* an error of 0 % is known, a missing one is not: then the interval is unknown */
	c->counters->rows.data[2].spread = 0;
	counter_metrics_compute(c, &m);
	assert_near(metric(&m, "ipc")->high, 2 * (1 + 1.959964 * cycles_error / 4000), 1e-6);
	c->counters->rows.data[1].spread = -1;
	assert_true(counter_sum_of(c, COUNTS_CYCLES, &sum) && sum.rel < 0);
	counter_metrics_compute(c, &m);
	assert_true(metric(&m, "ipc")->high == metric(&m, "ipc")->value);
	/* an error of more than the value: the interval ends at 0 */
	c->counters->rows.data[1].spread = 300;
	counter_metrics_compute(c, &m);
	assert_true(metric(&m, "ipc")->low == 0 && metric(&m, "ipc")->high > 4);
}

static void cpu_time_is_the_clock_or_user_and_system_time(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct capture *c = made(d, "time");
	struct counter_sum sum;

	(void)state;
	add(c, "user", 3, "")->spread = 2;
	assert_false(counter_metrics_cpu_seconds(c, &sum));
	add(c, "sys", 1, "")->spread = 8;
	assert_true(counter_metrics_cpu_seconds(c, &sum));
	assert_near(sum.value, 4, 1e-12);
	assert_near(sum.rel, hypot(0.06, 0.08) / 4, 1e-12);
	c->counters->rows.data[0].spread = -1;
	assert_true(counter_metrics_cpu_seconds(c, &sum) && sum.rel < 0);
	c->counters->rows.data[0].spread = 2;
	c->counters->rows.data[1].spread = -1;
	assert_true(counter_metrics_cpu_seconds(c, &sum) && sum.rel < 0);
	add(c, "task-clock", 5000, "msec");
	assert_true(counter_metrics_cpu_seconds(c, &sum));
	assert_near(sum.value, 5, 1e-12);
	c->counters->rows.data[2].value = 0;
	assert_false(counter_metrics_cpu_seconds(c, &sum));
	/* two times of a table with one per CPU: the elapsed time is their mean */
	assert_false(counter_metrics_elapsed(c, &sum));
	c->counters->rows.data[2].time_ns = 2500000000;
	assert_true(counter_metrics_elapsed(c, &sum));
	assert_near(sum.value, 2.5, 1e-12);
	assert_true(sum.rel < 0 && sum.running < 0);
	add(c, "elapsed", 6, "");
	add(c, "elapsed", 8, "");
	assert_true(counter_metrics_elapsed(c, &sum));
	assert_near(sum.value, 7, 1e-12);
}

static void events_of_different_modes_have_no_ratio(void **state)
{
	static const struct {
		const char *cycles, *instructions;
		bool has;
	} cases[] = {
		{ "cycles", "instructions", true },       { "cycles:u", "instructions:u", true },
		{ "cycles:u", "instructions", false },    { "cycles", "instructions:u", false },
		{ "cycles:k", "instructions:pp", false }, { "cycles:ku", "instructions:u", false },
		{ "cycles:pp", "instructions:uk", true }, { "cycles:k", "instructions:kp", true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(dossier_freep) struct dossier *d = dossier_new();
		struct capture *c = made(d, "perf stat");
		struct counter_metrics m;

		add(c, cases[i].cycles, 10, "");
		add(c, cases[i].instructions, 20, "");
		add(c, "task-clock", 1, "s");
		counter_metrics_compute(c, &m);
		assert_int_equal(metric(&m, "ipc") != NULL, cases[i].has);
		/* CPU time is that of user space and kernel: cycles of one of them are no clock */
		assert_int_equal(metric(&m, "frequency") != NULL,
				 counter_levels(str_of(cases[i].cycles)) == 0);
	}
}

static void modifiers_restrict_an_event_to_levels(void **state)
{
	static const struct {
		const char *name;
		unsigned int levels;
	} cases[] = {
		{ "cycles", 0 },
		{ "cycles:pp", 0 },
		{ "cycles:u", COUNTS_IN_USER },
		{ "cycles:upp", COUNTS_IN_USER },
		{ "cycles=u", COUNTS_IN_USER },
		{ "cycles:k", COUNTS_IN_KERNEL },
		{ "cycles:h", COUNTS_IN_HYPERVISOR },
		{ "cycles:uh", COUNTS_IN_USER | COUNTS_IN_HYPERVISOR },
		{ "cycles:uk", 0 },
		{ "cpu_core/cycles/", 0 },
		{ "cpu_core/cycles/u", COUNTS_IN_USER },
		{ "cpu/event=0x3c/", 0 },
		{ "sched:sched_switch", 0 },
		{ "sched:sched_switch:u", COUNTS_IN_USER },
		{ "", 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_int_equal(counter_levels(str_of(cases[i].name)), cases[i].levels);
}

/* Context switches and migrations are events of the kernel; page faults are not. */
static void what_user_space_cannot_see_is_not_measured(void **state)
{
	static const struct {
		const char *name;
		double value;
		bool has;
		const char *metric;
	} cases[] = {
		{ "context-switches:u", 0, false, "switches-per-second" },
		{ "context-switches:u", 1, true, "switches-per-second" },
		{ "context-switches", 0, true, "switches-per-second" },
		{ "context-switches:k", 0, true, "switches-per-second" },
		{ "context-switches:uk", 0, true, "switches-per-second" },
		{ "cpu-migrations:u", 0, false, "migrations-per-second" },
		{ "cpu-migrations:u", 2, true, "migrations-per-second" },
		{ "page-faults:u", 0, true, "faults-per-second" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(dossier_freep) struct dossier *d = dossier_new();
		struct capture *c = made(d, "perf stat");
		struct counter *row;
		struct counter_metrics m;

		add(c, "task-clock:u", 2, "s");
		row = add(c, cases[i].name, cases[i].value, "");
		assert_int_equal(counter_metrics_is_unseen(c, row), !cases[i].has);
		counter_metrics_compute(c, &m);
		assert_int_equal(metric(&m, cases[i].metric) != NULL, cases[i].has);
		row->state = COUNTER_NOT_COUNTED;
		assert_false(counter_metrics_is_unseen(c, row));
	}
}

/* The highest of at least three intervals; the smallest running time of the two events. */
static void a_ratio_of_a_series_says_its_burst_and_its_running_time(void **state)
{
	static const double counts[] = { 5, 30, 15 };

	(void)state;
	for (uint32_t n = 2; n <= 3; n++) {
		CLEANUP(dossier_freep) struct dossier *d = dossier_new();
		struct capture *c = made(d, "perf stat");
		struct counter_metrics m;

		for (uint32_t i = 0; i < n; i++) {
			struct counter *row = add(c, "instructions", counts[i], "");

			row->interval = i;
			row->running = 60 + i;
			row = add(c, "instructions", counts[i], "");
			row->interval = i;
			row->running = 90;
			row = add(c, "cycles", 10, "");
			row->interval = i;
			row->running = n == 2 ? 40.0 + i : -1.0;
		}
		c->counters->n_intervals = n;
		counter_metrics_compute(c, &m);
		assert_near(metric(&m, "ipc")->burst, n == 3 ? 0.6 : 0, 1e-12);
		assert_near(metric(&m, "ipc")->running, n == 3 ? 60 : 40, 1e-12);
		assert_near(metric(&m, "least-running")->value, n == 3 ? 60 : 40, 1e-12);
		assert_int_equal(metric(&m, "least-running")->line, n == 3 ? 3 : 5);
	}
}

/* A share of too few events is not computed; the table says the least number. */
static void a_share_needs_enough_events(void **state)
{
	static const struct {
		const char *id, *tool, *top, *bottom;
		double least, per;
	} cases[] = {
		{ "retransmit-share", "nstat", "TcpRetransSegs", "TcpOutSegs", 1000, 100 },
		{ "connection-retransmit-share", "ss", "retrans", "segs_out", 1000, 100 },
		{ "rwnd-limited", "ss", "rwnd_limited", "busy", 500, 100 },
		{ "sndbuf-limited", "ss", "sndbuf_limited", "busy", 500, 100 },
		{ "conntrack-full", "nf_conntrack", "net.netfilter.nf_conntrack_count",
		  "net.netfilter.nf_conntrack_max", 1, 100 },
		{ "softnet-squeeze-share", "softnet_stat", "time_squeeze", "processed", 10000,
		  1000 },
		{ "receive-drop-share", "ethtool", "rx_missed_errors", "rx_packets", 10000, 100 },
		{ "listen-overflows", "nstat", "TcpExtListenOverflows", "TcpPassiveOpens", 1000,
		  100 },
		{ "memory-available", "/proc/meminfo", "MemAvailable", "MemTotal", 1, 100 },
		{ "huge-pages", "/proc/meminfo", "Hugetlb", "MemTotal", 1, 100 },
		{ "slab-kept", "/proc/meminfo", "SUnreclaim", "MemTotal", 1, 100 },
		{ "page-tables", "/proc/meminfo", "PageTables", "MemTotal", 1, 100 },
		{ "gc-room", "Go gctrace", "heap live", "goal", 1, 100 },
		{ "ghc-gc", "GHC +RTS -s", "GC time", "Total time", 0.1, 100 },
		{ "load-errors", "wrk", "errors", "requests", 100, 100 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		for (int below = 0; below < 2; below++) {
			CLEANUP(dossier_freep) struct dossier *d = dossier_new();
			struct capture *c = made(d, cases[i].tool);
			double bottom = cases[i].least * (below ? 0.999 : 1);
			struct counter_metrics m;

			add(c, cases[i].top, bottom / 4, "");
			add(c, cases[i].bottom, bottom, "");
			counter_metrics_compute(c, &m);
			if ((metric(&m, cases[i].id) != NULL) == below)
				print_message("# %s\n", cases[i].id);
			assert_int_equal(metric(&m, cases[i].id) != NULL, !below);
			assert_non_null(counter_metrics_def(c, cases[i].id));
			if (below)
				continue;
			assert_near(metric(&m, cases[i].id)->value, cases[i].per / 4, 1e-9);
			assert_int_equal(metric(&m, cases[i].id)->line, 3);
			assert_int_equal(metric(&m, cases[i].id)->bottom_line, 4);
		}
	}
}

/* 100 segments of 1448 bytes are 0.138 MiB. */
static void segments_of_iperf3_are_counted_from_its_bytes(void **state)
{
	static const struct {
		const char *id, *unit;
		double bytes, least;
	} cases[] = { { "iperf3-again", "sent MB", 1 << 20, 10 },
		      { "iperf3-again-much", "sent GB", 1 << 30, 0.01 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(dossier_freep) struct dossier *d = dossier_new();
		struct capture *c = made(d, "iperf3");
		double segments = cases[i].least * cases[i].bytes / 1448;
		struct counter_metrics m;

		add(c, "sent again", 7, "");
		add(c, cases[i].unit, cases[i].least, "");
		counter_metrics_compute(c, &m);
		assert_near(metric(&m, cases[i].id)->value, 7 / segments * 100, 1e-9);
		c->counters->rows.data[1].value -= 1;
		counter_metrics_compute(c, &m);
		assert_null(metric(&m, cases[i].id));
	}
}

/* Dropped packets are not in the column of the others: the share is that of both together. */
static void dropped_packets_are_a_share_of_all_that_arrived(void **state)
{
	static const struct {
		const char *id, *tool, *dropped, *others;
		double least;
	} cases[] = {
		{ "softnet-drop-share", "softnet_stat", "dropped", "processed", 10000 },
		{ "udp-buffer-drops", "nstat", "UdpRcvbufErrors", "UdpInDatagrams", 1000 },
		{ "qdisc-drops", "tc -s qdisc", "dropped", "packets", 10000 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(dossier_freep) struct dossier *d = dossier_new();
		struct capture *c = made(d, cases[i].tool);
		struct counter_metrics m;

		add(c, cases[i].dropped, cases[i].least, "");
		add(c, cases[i].others, 0, "");
		counter_metrics_compute(c, &m);
		assert_near(metric(&m, cases[i].id)->value, 100, 1e-9);
		c->counters->rows.data[1].value = c->counters->rows.data[0].value / 4;
		c->counters->rows.data[0].value -= c->counters->rows.data[1].value;
		counter_metrics_compute(c, &m);
		assert_near(metric(&m, cases[i].id)->value, 75, 1e-9);
		c->counters->rows.data[0].value -= 1;
		counter_metrics_compute(c, &m);
		assert_null(metric(&m, cases[i].id));
	}
}

static uint64_t next(uint64_t *x, uint64_t below)
{
	*x = *x * 6364136223846793005u + 1442695040888963407u;
	return (*x >> 33) % below;
}

#define KEYS      4u
#define INTERVALS 4u

/* A table of %idle and %iowait, one line a CPU and interval. Negative: not counted. */
struct table {
	double idle[INTERVALS][KEYS], wait[INTERVALS][KEYS];
	uint32_t line[INTERVALS][KEYS];
	uint32_t n, keys;
	bool has_all; /* the first key is the tool's own row for all CPUs */
};

static const char *const key_names[] = { "all", "0", "1", "2", "3" };

static void fill(struct capture *c, struct table *t, uint64_t *x)
{
	struct strings *s = &c->dossier->strings;

	t->n = 1 + (uint32_t)next(x, INTERVALS);
	t->keys = 1 + (uint32_t)next(x, KEYS);
	t->has_all = next(x, 2);
	c->counters->n_intervals = t->n;
	for (uint32_t i = 0; i < t->n; i++) {
		for (uint32_t k = 0; k < t->keys; k++) {
			struct counter *row[2];
			uint32_t line = 10 + i * KEYS + k;

			t->line[i][k] = line;
			t->idle[i][k] = (double)next(x, 70);
			t->wait[i][k] = (double)next(x, 30);
			row[0] = add(c, "%idle", t->idle[i][k], "");
			row[0]->line = line;
			row[0]->interval = i;
			row[0]->key = strings_add(s, str_of(key_names[t->has_all ? k : k + 1]));
			if (next(x, 8) == 0) {
				row[0]->state = COUNTER_NOT_COUNTED;
				t->idle[i][k] = -1;
			}
			row[1] = add(c, "%iowait", t->wait[i][k], "");
			row[1]->line = line;
			row[1]->interval = i;
			row[1]->key = row[1][-1].key;
			if (next(x, 8) == 0) {
				row[1]->state = COUNTER_NOT_COUNTED;
				t->wait[i][k] = 0;
			}
		}
	}
}

/* Mean and peak of a key of the table: the busy share, or the idle one. */
struct plain {
	double sum, peak;
	uint32_t n, line, peak_line;
};

static struct plain plain_key(const struct table *t, uint32_t from, uint32_t k, bool is_busy)
{
	struct plain p = { .peak = -INFINITY };

	for (uint32_t i = from; i < t->n; i++) {
		double v = is_busy ? 100 - (t->idle[i][k] + t->wait[i][k]) : t->idle[i][k];

		if (t->idle[i][k] < 0)
			continue;
		p.sum += v;
		p.line = p.n++ ? p.line : t->line[i][k];
		p.peak_line = v > p.peak ? t->line[i][k] : p.peak_line;
		p.peak = fmax(p.peak, v);
	}
	return p;
}

/* The keys in the order of their first counted line. */
static void plain_order(const struct table *t, uint32_t from, uint32_t order[KEYS])
{
	for (uint32_t k = 0; k < t->keys; k++) {
		struct plain p = plain_key(t, from, k, false);
		uint32_t at = k;

		for (; at > 0; at--) {
			struct plain q = plain_key(t, from, order[at - 1], false);

			if (!p.n || (q.n && q.line < p.line))
				break;
			order[at] = order[at - 1];
		}
		order[at] = k;
	}
}

static void check(const struct counter_metric *m, const struct plain *p)
{
	if (p->n == 0) {
		assert_null(m);
		return;
	}
	assert_non_null(m);
	assert_near(m->value, p->sum / p->n, 1e-9);
	assert_near(m->peak, p->peak, 1e-9);
	assert_int_equal(m->n, p->n);
	assert_int_equal(m->line, p->line);
	assert_int_equal(m->peak_line, p->peak_line);
	assert_true(m->low == m->value && m->high == m->value && m->running < 0);
}

static void columns_are_means_over_intervals_and_keys(void **state)
{
	uint64_t x = 7;

	(void)state;
	for (int turn = 0; turn < 2000; turn++) {
		CLEANUP(dossier_freep) struct dossier *d = dossier_new();
		struct capture *c = made(d, turn % 3 ? "mpstat" : "sar");
		struct table t;
		struct plain busiest = { .n = 0 }, all = { .n = 0, .peak = 0 }, own = { .n = 0 };
		struct plain laziest = { .n = 0 }, others = { .n = 0, .peak = 0 };
		uint32_t from = 0, near = 0, n_keys = 0, lazy = KEYS, order[KEYS];
		struct counter_metrics m;
		double busy;

		fill(c, &t, &x);
		c->counters->is_since_boot = next(&x, 4) == 0;
		c->counters->is_only_since_boot = next(&x, 4) == 0;
		from = c->counters->is_since_boot || c->counters->is_only_since_boot;
		counter_metrics_compute(c, &m);
		plain_order(&t, from, order);
		for (uint32_t i = 0; i < t.keys; i++) {
			uint32_t k = order[i];
			struct plain p = plain_key(&t, from, k, true),
				     q = plain_key(&t, from, k, false);

			if (t.has_all && k == 0)
				continue;
			if (p.n && (!busiest.n || p.sum / p.n > busiest.sum / busiest.n))
				busiest = p;
			if (q.n && (!laziest.n || q.sum / q.n < laziest.sum / laziest.n)) {
				laziest = q;
				lazy = k;
			}
			n_keys += q.n > 0;
		}
		check(metric(&m, "busy-cpu"), &busiest);
		busy = busiest.n ? busiest.sum / busiest.n : 0;
		for (uint32_t i = 0; i < t.keys; i++) {
			uint32_t k = order[i];
			struct plain p = plain_key(&t, from, k, true),
				     q = plain_key(&t, from, k, false);

			if (t.has_all && k == 0)
				continue;
			near += p.n && p.sum / p.n >= 0.9 * busy;
			if (q.n == 0)
				continue;
			all.line = all.n ? all.line : p.line;
			all.peak_line =
				all.n == 0 || p.peak > all.peak ? p.peak_line : all.peak_line;
			all.peak = fmax(all.peak, p.peak);
			all.sum += p.sum;
			all.n += p.n;
			if (k == lazy)
				continue;
			others.line = others.n ? others.line : q.line;
			others.peak_line = others.n == 0 || q.peak > others.peak ? q.peak_line
										 : others.peak_line;
			others.peak = fmax(others.peak, q.peak);
			others.sum += q.sum;
			others.n += q.n;
		}
		if (busiest.n)
			assert_int_equal(metric(&m, "busy-cpu")->n_near, near);
		if (t.has_all)
			own = plain_key(&t, from, 0, true);
		check(metric(&m, "cpu-busy"), own.n ? &own : &all);
		if (own.n || all.n)
			assert_int_equal(metric(&m, "cpu-busy")->key.v, 0);
		/* with the tool's own row, one CPU is no other CPU */
		if (n_keys > 1)
			check(metric(&m, "other-cpus-idle"), &others);
		else
			assert_null(metric(&m, "other-cpus-idle"));
	}
}

/* A share of one moment is of its last listing; a gauge is its last value. */
static void a_listing_is_its_last_moment(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct capture *c = made(d, "slabtop");
	const double mib = 1 << 20;
	static const char *const names[] = { "dentry", "inode", "vma" };
	static const double sizes[2][3] = { { 9, 1, 1 }, { 0.3, 0.5, 0.2 } };
	struct counter_metrics m;

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		for (uint32_t k = 0; k < 3; k++) {
			struct counter *row = add(c, "CACHE SIZE", sizes[i][k] * mib, "");

			row->interval = i;
			row->key = strings_add(&d->strings, str_of(names[k]));
		}
	}
	c->counters->n_intervals = 2;
	counter_metrics_compute(c, &m);
	assert_near(metric(&m, "slab-cache")->value, 50, 1e-4);
	assert_near(metric(&m, "slab-cache")->peak, 50, 1e-4);
	assert_str(strings_get(&d->strings, metric(&m, "slab-cache")->key), "inode");
	assert_int_equal(metric(&m, "slab-cache")->line, 7);
	assert_int_equal(metric(&m, "slab-cache")->peak_line, 0);
	/* less than 1 MiB in all */
	c->counters->rows.data[5].value -= 10;
	counter_metrics_compute(c, &m);
	assert_null(metric(&m, "slab-cache"));

	c = made(d, "/proc/pressure");
	for (uint32_t i = 0; i < 3; i++) {
		struct counter *row = add(c, "avg10", 10 + 7 * (i % 2), "");

		row->interval = i;
		row->key = strings_add(&d->strings, STR("cpu some"));
	}
	counter_metrics_compute(c, &m);
	assert_near(metric(&m, "pressure")->value, 10, 1e-12);
	assert_near(metric(&m, "pressure")->peak, 17, 1e-12);
	assert_int_equal(metric(&m, "pressure")->line, 5);
	assert_int_equal(metric(&m, "pressure")->peak_line, 4);
	assert_int_equal(metric(&m, "pressure")->n, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ratios_are_the_formulas_of_their_titles),
		cmocka_unit_test(times_have_units),
		cmocka_unit_test(errors_of_runs_give_an_interval),
		cmocka_unit_test(cpu_time_is_the_clock_or_user_and_system_time),
		cmocka_unit_test(events_of_different_modes_have_no_ratio),
		cmocka_unit_test(modifiers_restrict_an_event_to_levels),
		cmocka_unit_test(what_user_space_cannot_see_is_not_measured),
		cmocka_unit_test(a_ratio_of_a_series_says_its_burst_and_its_running_time),
		cmocka_unit_test(a_share_needs_enough_events),
		cmocka_unit_test(dropped_packets_are_a_share_of_all_that_arrived),
		cmocka_unit_test(segments_of_iperf3_are_counted_from_its_bytes),
		cmocka_unit_test(columns_are_means_over_intervals_and_keys),
		cmocka_unit_test(a_listing_is_its_last_moment),
	};

	return cmocka_run_group_tests_name("counter metrics", tests, NULL, NULL);
}
