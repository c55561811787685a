/* SPDX-License-Identifier: MIT */
/*
 * Sources of the table, one a line:
 *   list   perf-list(1), tools/perf/Documentation/perf-list.txt of Linux
 *   sw     include/uapi/linux/perf_event.h, enum perf_sw_ids
 *   hw     the same, enum perf_hw_id and enum perf_hw_cache_id
 *   sdm    Intel SDM volume 3, "Performance Monitoring Events"; perfmon event lists
 *   ibs    tools/perf/Documentation/perf-amd-ibs.txt; AMD PPR, IbsOpCntCtl
 *   spe    tools/perf/Documentation/perf-arm-spe.txt
 *   arm    Arm ARM, "PMU events and event numbers"
 *   s390   tools/perf/pmu-events/arch/s390: CPU_CYCLES, INSTRUCTIONS
 *   ppc    tools/perf/pmu-events/arch/powerpc; arch/powerpc/perf/vpa-pmu.c
 *   tp     include/trace/events of Linux, the file of the part before the colon
 *   amd    tools/perf/pmu-events/arch/x86/amdzen*: core events
 *   jvm    async-profiler's README, "Profiling modes"
 *   bsd    pmc.hwpmc(3) of FreeBSD; DTrace's profile provider
 */
#include "analyses/event_unit.h"

#include "analyses/compare/compare.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/profile.h"
#include "core/strings.h"

#include <stdio.h>

#define EVENT_LOCK_WAITS "waits for locks"

/*
 * The first matching line counts, so exceptions precede their general case. A name with ':' is
 * a tracepoint or probe, whose words are arbitrary: only patterns with ':' match it.
 */
static const struct {
	const char *pattern; /* of names without modifiers, in lower case */
	enum event_kind kind;
	const char *of;
} event_units[] = {
	/* switches of threads */
	{ "context-switches|cs", EVENT_SLEEP, "context switches" },     /* sw */
	{ "sched:sched_switch", EVENT_SLEEP, "context switches" },      /* tp: sched.h */
	{ "cgroup-switches", EVENT_OTHER, "switches between cgroups" }, /* sw */
	{ "cpu-migrations|migrations", EVENT_OTHER, "migrations" },     /* sw */
	{ "sched:sched_migrate_task", EVENT_OTHER, "migrations" },      /* tp: sched.h */
	{ "sched:sched_wak*", EVENT_OTHER, "wake-ups" },                /* tp: sched.h */
	{ "off-cpu|offcpu-time", EVENT_OTHER, "time off the CPU" }, /* perf-record(1), --off-cpu */
	{ "hitcount", EVENT_OTHER, "hits" }, /* Documentation/trace/histogram.rst */
	{ "wall|wall-clock", EVENT_OTHER, "wall-clock time" }, /* jvm */
	/* time: software clocks */
	{ "cpu-clock|cpu_clock|task-clock|task_clock", EVENT_TIME, "CPU time" }, /* sw */
	{ "itimer*|ctimer*|cpu|hotkernel", EVENT_TIME, "CPU time" },             /* jvm */
	{ "profile*|tick-*|profile:*|tick:*", EVENT_TIME, "CPU time" },          /* bsd */
	{ "elapsed-time", EVENT_TIME, "elapsed time" }, /* cProfile: waits count, too */
	{ "cpu-samples|samples|time|ns|nanoseconds|cpu-time", EVENT_TIME,
	  "CPU time" }, /* pprof's cpu profile */
	/* time: cycles, by names that count whenever the CPU runs; other cycles are not time */
	{ "cpu_clk*unhalted.one_thread_active|cpu_clk*unhalted.ring0*|cpu_clk_unhalted.pause*|"
	  "cpu_clk_unhalted.c0*|event=0x3c,umask=0x2*|r23c|r023c",
	  EVENT_OTHER, "cycles in that state" },                                           /* sdm */
	{ "cycles|cycles,*|cpu-cycles*|cpu_cycles*|ref-cycles*", EVENT_TIME, "CPU time" }, /* hw */
	{ "bus-cycles|bus_cycles", EVENT_TIME, "CPU time" },                               /* hw */
	{ "cpu_clk*unhalted*|*cpu-clk-unhalted*|unhalted_core_cycles*|unhalted-core-cycles*|"
	  "unhalted_reference_cycles*|unhalted-reference-cycles*|unhalted_cycles|unhalted-cycles",
	  EVENT_TIME, "CPU time" },                                              /* sdm, bsd */
	{ "ls_not_halted_cyc", EVENT_TIME, "CPU time" },                         /* amd */
	{ "pm_cyc|pm_run_cyc|pm_run_cyc_alt", EVENT_TIME, "CPU time" },          /* ppc */
	{ "armv*/cpu_cycles*|apple*/cycles*", EVENT_TIME, "CPU time" },          /* arm */
	{ "sf_cycles_basic*|problem_state_cpu_cycles", EVENT_TIME, "CPU time" }, /* s390 */
	{ "event=0x3c*|r3c|r003c|r00003c|r000003c", EVENT_TIME, "CPU time" },    /* sdm: 3CH/00H */
	{ "event=0x76|event=0x76,*|r76|r0076", EVENT_TIME, "CPU time" },         /* amd: PMCx076 */
	{ "event=0x11|event=0x11,*|r11|r011|r0011", EVENT_TIME, "CPU time" },    /* arm: 0x0011 */
	{ "ibs_op/*cnt_ctl=1*", EVENT_WORK, "micro-operations" },                /* ibs */
	{ "ibs_op*", EVENT_TIME, "CPU time" },                                   /* ibs */
	{ "ibs_fetch*", EVENT_WORK, "instruction fetches" },                     /* ibs */
	/* cycles in a state are part of the time, or not time */
	{ "*stall*", EVENT_OTHER, "stalled cycles" }, /* hw, sdm */
	{ "*cycle*|*_cyc|*walk_active*|*walk_duration*", EVENT_OTHER,
	  "cycles in that state" }, /* sdm, ppc */
	{ "*outstanding*|*walk_pending*|*pend_miss*", EVENT_OTHER, "waiting requests" }, /* sdm */
	{ "topdown*|slots*", EVENT_WORK, "issue slots" },                                /* sdm */
	{ "vpa*", EVENT_OTHER, "dispatches of virtual processors" },                     /* ppc */
	/* executed code; many are counted where their instruction retires */
	{ "branch-misses|*branch*mis*|*br_mis*", EVENT_OTHER, "branch misses" }, /* hw, sdm */
	{ "branches|*branch*|br_*", EVENT_WORK, "branches" },                    /* hw, sdm */
	{ "mem_inst_retired*tlb*miss*", EVENT_OTHER, "TLB misses" },             /* sdm */
	{ "mem_inst_retired*load*", EVENT_OTHER, "loads" },                      /* sdm */
	{ "mem_inst_retired*store*", EVENT_OTHER, "stores" },                    /* sdm */
	{ "fp_arith*|*simd*|*flops*", EVENT_WORK, "floating-point operations" }, /* sdm */
	{ "*instructions*|inst_*|armv*/inst_*|ex_ret_instr*|pm_inst_cmpl*", EVENT_WORK,
	  "instructions" },                                       /* hw, sdm, arm, amd, ppc */
	{ "event=0xc0*|rc0|r00c0", EVENT_WORK, "instructions" },  /* sdm, amd: C0H */
	{ "uops*|*uops*", EVENT_WORK, "micro-operations" },       /* sdm */
	{ "arm_spe*|*spe_*", EVENT_OTHER, "sampled operations" }, /* spe */
	{ "intel_pt*|intel_bts*", EVENT_WORK,
	  "branches" }, /* tools/perf/Documentation/perf-intel-pt.txt */
	/* caches and memory */
	{ "l1d-miss|l1d-access|llc-miss|llc-access|tlb-miss|tlb-access|remote-access|memory",
	  EVENT_OTHER, "sampled operations" }, /* spe */
	{ "*tlb*miss*|*tlb-load*|*tlb-store*|*tlb-pref*|*tlb*walk*", EVENT_OTHER,
	  "TLB misses" }, /* hw, sdm */
	{ "cache-misses|*cache*miss*|*llc*miss*|*l[123]*miss*|longest_lat_cache.miss*", EVENT_OTHER,
	  "cache misses" },                                              /* hw, sdm */
	{ "mem_load*miss*|offcore*miss*", EVENT_OTHER, "cache misses" }, /* sdm */
	{ "cache-references|*cache*reference*|l1-*|llc-*|node-*", EVENT_OTHER,
	  "cache accesses" },                                      /* hw */
	{ "*hitm*", EVENT_OTHER, "hits in modified cache lines" }, /* sdm */
	{ "mem-loads*|ldlat-loads*|mem_load*|mem_trans*load*", EVENT_OTHER,
	  "loads" },                                                         /* list, perf-mem(1) */
	{ "mem-stores*|ldlat-stores*|*mem_*store*", EVENT_OTHER, "stores" }, /* list, perf-mem(1) */
	{ "*machine_clears*", EVENT_OTHER, "machine clears" },               /* sdm */
	{ "*miss*", EVENT_OTHER, "misses" },                                 /* sdm, arm */
	/* faults */
	{ "page-faults|faults|minor-faults|major-faults|min-flt|maj-flt|min_flt|maj_flt",
	  EVENT_OTHER, "page faults" },                           /* sw */
	{ "exceptions:page_fault*", EVENT_OTHER, "page faults" }, /* tp: arch/x86 exceptions.h */
	{ "alignment-faults|emulation-faults", EVENT_OTHER, "faults" }, /* sw */
	{ "dummy|bpf-output", EVENT_OTHER, "marks" },                   /* sw */
	/* tracepoints */
	{ "kmem:mm_page_alloc*", EVENT_OTHER, "page allocations" },          /* tp: kmem.h */
	{ "kmem:mm_page_free*", EVENT_OTHER, "freed pages" },                /* tp: kmem.h */
	{ "kmem:kfree|kmem:kmem_cache_free*", EVENT_OTHER, "kernel frees" }, /* tp: kmem.h */
	{ "kmem:kmalloc*|kmem:kmem_cache_alloc*", EVENT_OTHER,
	  "kernel allocations" }, /* tp: kmem.h */
	{ "syscalls:sys_exit*|raw_syscalls:sys_exit", EVENT_OTHER,
	  "returns from system calls" },                              /* tp: syscalls.h */
	{ "syscalls:*|raw_syscalls:*", EVENT_OTHER, "system calls" }, /* tp: syscalls.h */
	{ "block:block_rq_issue|block:block_rq_insert", EVENT_OTHER,
	  "block requests" },                                                   /* tp: block.h */
	{ "block:block_rq_complete", EVENT_OTHER, "completed block requests" }, /* tp: block.h */
	{ "skb:kfree_skb|skb:consume_skb", EVENT_OTHER, "freed packets" },      /* tp: skb.h */
	{ "lock:contention_begin", EVENT_OTHER, EVENT_LOCK_WAITS },             /* tp: lock.h */
	{ "irq:softirq_*", EVENT_OTHER, "softirqs" },                           /* tp: irq.h */
	{ "irq:irq_handler_*", EVENT_OTHER, "interrupts" },                     /* tp: irq.h */
	{ "workqueue:*", EVENT_OTHER, "work items" },             /* tp: workqueue.h */
	{ "sched:sched_process_fork", EVENT_OTHER, "forks" },     /* tp: sched.h */
	{ "sched:sched_stat_runtime", EVENT_OTHER, "run times" }, /* tp: sched.h */
	/* of runtimes and heap profilers */
	{ "alloc*objects*", EVENT_MEMORY, "allocated objects" }, /* pprof's heap profile */
	{ "inuse_objects", EVENT_MEMORY, "objects in use" },     /* the same */
	{ "object|objects", EVENT_MEMORY, "objects" },           /* the same; stackprof */
	{ "inuse_space", EVENT_MEMORY, "bytes in use" },         /* pprof */
	{ "peak_space", EVENT_MEMORY, "bytes of the peak" },     /* heaptrack */
	{ "leaked_space", EVENT_MEMORY, "leaked bytes" },        /* valgrind, LeakSanitizer */
	{ "temporary_objects", EVENT_MEMORY, "temporary allocations" }, /* heaptrack */
	{ "alloc*", EVENT_MEMORY, "allocated bytes" },                  /* pprof, jvm */
	{ "space|bytes", EVENT_MEMORY, "bytes" },                       /* pprof */
	{ "count|counts", EVENT_OTHER, "counted things" },              /* pprof without a type */
	{ "goroutine|threadcreate", EVENT_OTHER, "goroutines" },        /* pprof */
	{ "lock|contentions|mutex|delay", EVENT_OTHER, EVENT_LOCK_WAITS }, /* pprof, jvm */
};

bool event_unit_is_lock_wait(const struct event_unit *unit)
{
	return str_eq(str_of(unit->of), STR(EVENT_LOCK_WAITS));
}

/* Describe an event without a line: a tracepoint, or an event of some processor. */
static void event_unit_other(struct str event, struct event_unit *ret)
{
	ret->kind = EVENT_OTHER;
	ret->is_plural = true;
	(void)snprintf(ret->of, sizeof(ret->of), "'" STR_FMT "' events",
		       STR_ARG(str_sub(event, 0, EVENT_UNIT_MAX - 32)));
}

/* Whether the unit is plural: "page faults", unlike "CPU time". */
static bool event_unit_is_plural(const char *of)
{
	struct str s = str_of(of);

	return s.len && s.p[s.len - 1] == 's';
}

static bool event_unit_matches(struct str patterns, struct str name)
{
	bool is_tracepoint = str_find_char(name, ':') < name.len;

	while (patterns.len) {
		struct str one = str_sub(patterns, 0, str_find_char(patterns, '|'));

		patterns = str_skip(patterns, one.len + 1);
		if ((!is_tracepoint || str_find_char(one, ':') < one.len) && str_glob(one, name))
			return true;
	}
	return false;
}

/* Name the side if the event counts on one side only. */
static void event_unit_restrict(struct event_unit *u, unsigned int spaces)
{
	static const char *const sides[] = { "", " in user space", " in the kernel" };
	size_t n = strlen(u->of);

	(void)snprintf(u->of + n, sizeof(u->of) - n, "%s", sides[spaces]);
}

struct event_unit event_unit_named(struct str event)
{
	struct event_unit ret = { .kind = EVENT_UNNAMED, .of = "the profile" };
	char lower[EVENT_UNIT_MAX];
	struct str name = compare_event(event);
	size_t n = name.len < sizeof(lower) ? name.len : sizeof(lower);

	if (name.len == 0)
		return ret;
	for (size_t i = 0; i < n; i++)
		lower[i] =
			name.p[i] >= 'A' && name.p[i] <= 'Z' ? (char)(name.p[i] | 0x20) : name.p[i];
	for (size_t i = 0; i < ARRAY_LEN(event_units); i++) {
		if (!event_unit_matches(str_of(event_units[i].pattern), (struct str){ lower, n }))
			continue;
		ret.kind = event_units[i].kind;
		ret.is_plural = event_unit_is_plural(event_units[i].of);
		(void)snprintf(ret.of, sizeof(ret.of), "%s", event_units[i].of);
		break;
	}
	if (ret.kind == EVENT_UNNAMED)
		event_unit_other(name, &ret);
	if (ret.kind != EVENT_SLEEP) /* threads leave their CPU in the kernel only */
		event_unit_restrict(&ret, compare_event_spaces(event));
	return ret;
}

/* Whether a printed table lists branch targets, which is independent of the sampled event. */
static bool event_unit_is_of_branches(const struct capture *c)
{
	VEC_FOREACH (title, &c->profile->table.extra_columns) {
		if (str_glob(STR("Target Sym*|To Line*|To Symbol*|Basic Block*"),
			     strings_get(capture_strings(c), *title)))
			return true;
	}
	return false;
}

struct event_unit event_unit_of(const struct capture *c)
{
	const struct profile *p = c->profile;
	struct event_unit ret =
		event_unit_named(p ? strings_get(capture_strings(c), p->event) : STR_NONE);

	if (p && event_unit_is_of_branches(c))
		return event_unit_named(STR("branches"));
	if (!p || ret.kind != EVENT_UNNAMED)
		return ret;
	if (p->unit == WEIGHT_NS)
		(void)snprintf(ret.of, sizeof(ret.of), "the time");
	if (p->unit == WEIGHT_BYTES) {
		ret.kind = EVENT_MEMORY;
		ret.is_plural = true;
		(void)snprintf(ret.of, sizeof(ret.of), "bytes");
	}
	return ret;
}
