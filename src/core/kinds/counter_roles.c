/* SPDX-License-Identifier: MIT */
#include "core/kinds/counter_roles.h"

/*
 * For each role, the names of its counters: in lower case, with '-' for blanks (role_plain_name()),
 * separated by '|'. Sources: tools/perf/util/parse-events.l and evsel.c of Linux (generic and cache
 * events), tools/perf/pmu-events (events of CPU vendors), getrusage(2) and GNU time (times).
 */
static const struct str role_names[COUNTS_COUNT] = {
	[COUNTS_ELAPSED] =
		STR("seconds-time-elapsed|duration-time|real|wall-time|elapsed|elapsed-time|"
		    "wall-clock|time-elapsed|elapsed-(wall-clock)-time*"),
	[COUNTS_USER] = STR("seconds-user|user-time|user|user-time-(seconds)"),
	[COUNTS_SYSTEM] = STR("seconds-sys|system-time|sys|system-time-(seconds)"),
	[COUNTS_TASK_CLOCK] = STR("task-clock|task-clock-msecs|task-clock-ticks|cpu-clock|"
				  "cpu-clock-msecs|cpu-time"),
	[COUNTS_SWITCHES] = STR("context-switches|cs|context-switch|ctx-switches"),
	[COUNTS_VOLUNTARY] = STR("voluntary-context-switches"),
	[COUNTS_INVOLUNTARY] = STR("involuntary-context-switches"),
	[COUNTS_MIGRATIONS] = STR("cpu-migrations|migrations|cpu-migration"),
	[COUNTS_FAULTS] = STR("page-faults|faults|pagefaults|page-fault"),
	[COUNTS_MINOR_FAULTS] = STR("minor-faults|minor-(reclaiming-a-frame)-page-faults"),
	[COUNTS_MAJOR_FAULTS] = STR("major-faults|major-(requiring-i/o)-page-faults"),
	[COUNTS_CYCLES] = STR("cycles|cpu-cycles|cpu-clk-unhalted.thread|cpu-clk-unhalted.core|"
			      "cpu-clk-unhalted|ls-not-halted-cyc|cpu-cycles-not-idle"),
	[COUNTS_REF_CYCLES] = STR("ref-cycles|cpu-clk-unhalted.ref-tsc"),
	[COUNTS_INSTRUCTIONS] = STR("instructions|inst-retired.any|inst-retired|ex-ret-instr|"
				    "instructions-retired|instr-retired|insns"),
	[COUNTS_BRANCHES] =
		STR("branches|branch-instructions|br-inst-retired.all-branches|br-retired|"
		    "ex-ret-brn"),
	[COUNTS_BRANCH_MISSES] = STR("branch-misses|br-misp-retired.all-branches|br-mis-pred|"
				     "br-mis-pred-retired|ex-ret-brn-misp|branch-mispredictions"),
	[COUNTS_CACHE_REFERENCES] = STR("cache-references"),
	[COUNTS_CACHE_MISSES] = STR("cache-misses"),
	[COUNTS_STALLS_FRONT] = STR("stalled-cycles-frontend|idle-cycles-frontend|stall-frontend"),
	[COUNTS_STALLS_BACK] = STR("stalled-cycles-backend|idle-cycles-backend|stall-backend|"
				   "cycle-activity.stalls-total"),
	[COUNTS_L1D_LOADS] = STR("l1-dcache-loads|l1-dcache-load"),
	[COUNTS_L1D_MISSES] = STR("l1-dcache-load-misses|l1-dcache-misses|l1-dcache-loads-misses|"
				  "l1d.replacement|mem-load-retired.l1-miss|l1d-cache-refill"),
	[COUNTS_L1I_MISSES] = STR("l1-icache-load-misses|l1-icache-misses|l1-icache-loads-misses|"
				  "icache.misses|l1i-cache-refill|icache-*.iftag-miss"),
	[COUNTS_L2_MISSES] = STR("l2-rqsts.miss|l2-rqsts.all-demand-miss|mem-load-retired.l2-miss|"
				 "l2d-cache-refill|l2-misses"),
	[COUNTS_LLC_LOADS] = STR("llc-loads|llc-load"),
	[COUNTS_LLC_MISSES] =
		STR("llc-load-misses|llc-misses|llc-loads-misses|longest-lat-cache.miss|"
		    "mem-load-retired.l3-miss|l3-misses|ll-cache-miss-rd|ll-cache-miss"),
	[COUNTS_DTLB_LOADS] = STR("dtlb-loads|dtlb-load"),
	[COUNTS_DTLB_MISSES] = STR("dtlb-load-misses|dtlb-misses|dtlb-loads-misses|"
				   "dtlb-load-misses.miss-causes-a-walk|dtlb-walk|"
				   "dtlb-load-misses.walk-completed"),
	[COUNTS_DTLB_WALK] = STR("dtlb-load-misses.walk-active|dtlb-load-misses.walk-duration|"
				 "dtlb-load-misses.walk-pending|dtlb-misses.walk-duration"),
	[COUNTS_ITLB_MISSES] = STR("itlb-load-misses|itlb-misses|itlb-loads-misses|itlb-walk|"
				   "itlb-misses.miss-causes-a-walk|itlb-misses.walk-completed"),
	[COUNTS_NODE_LOADS] = STR("node-loads|node-load"),
	[COUNTS_NODE_MISSES] = STR("node-load-misses|node-misses|node-loads-misses|"
				   "*retired.remote-dram|offcore-response*remote*"),
	[COUNTS_HITM] = STR("*xsnp-hitm|*remote-hitm|*hitm|*xsnp-fwd|*hitm-other-core"),
	[COUNTS_MACHINE_CLEARS] = STR("machine-clears.memory-ordering|machine-clears.count|"
				      "machine-clears.*"),
	[COUNTS_TOPDOWN_RETIRING] = STR("retiring|tma-retiring|topdown-retiring"),
	[COUNTS_TOPDOWN_SPECULATION] = STR("bad-speculation|tma-bad-speculation|topdown-bad-spec|"
					   "bad-spec"),
	[COUNTS_TOPDOWN_FRONT] = STR("frontend-bound|tma-frontend-bound|topdown-fe-bound|fe-bound"),
	[COUNTS_TOPDOWN_BACK] = STR("backend-bound|tma-backend-bound|topdown-be-bound|be-bound"),
	[COUNTS_SLOTS] = STR("slots|topdown.slots|topdown-total-slots"),
	[COUNTS_RESIDENT] = STR("maximum-resident-set-size-(kbytes)|peak-rss|max-rss|maxrss"),
};

/* Source: tools/perf/util/parse-events.l of Linux and perf list(1). */
static const char *const role_events[COUNTS_COUNT] = {
	[COUNTS_TASK_CLOCK] = "task-clock",
	[COUNTS_SWITCHES] = "context-switches",
	[COUNTS_MIGRATIONS] = "cpu-migrations",
	[COUNTS_FAULTS] = "page-faults",
	[COUNTS_MINOR_FAULTS] = "minor-faults",
	[COUNTS_MAJOR_FAULTS] = "major-faults",
	[COUNTS_CYCLES] = "cycles",
	[COUNTS_REF_CYCLES] = "ref-cycles",
	[COUNTS_INSTRUCTIONS] = "instructions",
	[COUNTS_BRANCHES] = "branches",
	[COUNTS_BRANCH_MISSES] = "branch-misses",
	[COUNTS_CACHE_REFERENCES] = "cache-references",
	[COUNTS_CACHE_MISSES] = "cache-misses",
	[COUNTS_STALLS_FRONT] = "stalled-cycles-frontend",
	[COUNTS_STALLS_BACK] = "stalled-cycles-backend",
	[COUNTS_L1D_LOADS] = "L1-dcache-loads",
	[COUNTS_L1D_MISSES] = "L1-dcache-load-misses",
	[COUNTS_L1I_MISSES] = "L1-icache-load-misses",
	[COUNTS_LLC_LOADS] = "LLC-loads",
	[COUNTS_LLC_MISSES] = "LLC-load-misses",
	[COUNTS_DTLB_LOADS] = "dTLB-loads",
	[COUNTS_DTLB_MISSES] = "dTLB-load-misses",
	[COUNTS_ITLB_MISSES] = "iTLB-load-misses",
	[COUNTS_NODE_LOADS] = "node-loads",
	[COUNTS_NODE_MISSES] = "node-load-misses",
};

/* Drop the name of the PMU: "cpu_core/cycles/u" becomes "cycles". */
static struct str role_without_pmu(struct str name)
{
	size_t slash = str_find_char(name, '/');
	struct str rest = str_skip(name, slash + 1);
	size_t end = str_find_char(rest, '/');

	if (slash == 0 || slash >= name.len || end == 0 || str_find_char(rest, '=') < end ||
	    str_find_char(name, '(') < slash)
		return name;
	return str_sub(rest, 0, end);
}

/*
 * Remove the modifier: "cycles:u", which counts in user space only, becomes "cycles". Mail encoding
 * (quoted-printable) may have turned ":u" into "=u".
 */
static struct str role_without_modifier(struct str name)
{
	size_t at = str_rfind_char(name, ':');

	if (at >= name.len)
		at = str_rfind_char(name, '=');
	if (at == 0 || at >= name.len || name.len - at > 6)
		return name;
	for (size_t i = at + 1; i < name.len; i++) {
		if (str_find_char(STR("ukhGHpPDSWIeb"), name.p[i]) == sizeof("ukhGHpPDSWIeb") - 1)
			return name;
	}
	return str_sub(name, 0, at);
}

/*
 * Write @name into @buffer in lower case, with '-' for '_' and blanks, without modifiers (":u") and
 * PMU name. Longer names are truncated.
 */
static struct str role_plain_name(struct str name, char buffer[COUNTER_NAME_MAX])
{
	size_t n;

	name = role_without_modifier(role_without_pmu(str_trim(name)));
	n = name.len < COUNTER_NAME_MAX ? name.len : COUNTER_NAME_MAX - 1;
	for (size_t i = 0; i < n; i++) {
		char c = name.p[i];

		if (c >= 'A' && c <= 'Z')
			c = (char)(c | 0x20);
		buffer[i] = c == '_' || c == ' ' ? '-' : c;
	}
	buffer[n] = '\0';
	return (struct str){ buffer, n };
}

enum counter_role counter_role_of(struct str name)
{
	char buffer[COUNTER_NAME_MAX];
	struct str plain = role_plain_name(name, buffer);

	for (unsigned int i = COUNTS_NONE + 1; plain.len && i < COUNTS_COUNT; i++) {
		if (role_names[i].len && str_glob(role_names[i], plain))
			return (enum counter_role)i;
	}
	return COUNTS_NONE;
}

const char *counter_role_event(enum counter_role role)
{
	return role_events[role];
}

unsigned int counter_levels(struct str name)
{
	size_t colon = str_rfind_char(name, ':');
	size_t at = str_rfind_char(name, '/');
	unsigned int levels = 0;

	if (colon < name.len && (at >= name.len || colon > at))
		at = colon;
	if (at >= name.len)
		at = str_rfind_char(name, '=');
	for (size_t i = at + 1; i < name.len; i++) {
		size_t level = str_find_char(STR("ukh"), name.p[i]);

		if (level < 3)
			levels |= 1u << level;
		else if (!str_contains(STR("pPGHSDIWeb"), str_sub(name, i, i + 1)))
			/*
			 * the text after ':' is a part of the name, not modifiers:
			 * "sched:sched_switch"
			 */
			return 0;
	}
	return (levels & COUNTS_IN_USER) && (levels & COUNTS_IN_KERNEL) ? 0 : levels;
}
