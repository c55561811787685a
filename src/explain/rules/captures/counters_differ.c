/* SPDX-License-Identifier: MIT */
/*
 * perf stat measured one program twice, and one of the measurements costs more. Which counter
 * explains the difference? Elapsed time is CPU time divided by the number of busy CPUs. CPU time
 * is cycles divided by the clock rate. Cycles are instructions divided by instructions per cycle.
 * The finding names each of these factors that has a large part in the change. It also names
 * events that can explain a part of the change by their usual cost.
 *
 * The usual cost of an event is a range for servers of the last fifteen years: a context switch 1
 * to 5 us (lmbench lat_ctx, and the refill of caches), a minor fault 0.25 to 2 us (with zeroing),
 * a mispredicted branch 10 to 25 cycles, a cache miss to memory 40 to 300 cycles, a page walk 7
 * to 50 cycles (Intel's optimization manual, A. Fog's tables).
 *
 * Thresholds: an event must be able to explain a fifth of the extra time at its usual cost. A
 * factor must have 40 % of the change.
 */
#include "explain/signatures/counter_sides.h"

#include "analyses/counters/compare_counters.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/kinds/counter_roles.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <math.h>
#include <stdio.h>

DECLARE_RULE(counters_differ);

#define DIFFER_EVENT_PART  0.20
#define DIFFER_FACTOR_PART 0.40
#define DIFFER_EVENT_RATIO 1.10
#define DIFFER_EVENTS      2u
#define DIFFER_IPC_PART    0.05 /* smaller changes of instructions per cycle are not reported */
/*
 * A run is denied the CPU if it is often preempted (at least DIFFER_DENIED_OTHER times), but seldom
 * gives up the CPU itself (at most DIFFER_DENIED_OWN times). A few voluntary switches are normal: a
 * program that starts waits for pages.
 */
#define DIFFER_DENIED_OWN   20.0
#define DIFFER_DENIED_OTHER 100.0
/* if two counts differ by less, in percent, the claim calls them "about as many" */
#define DIFFER_AS_MANY 5.0
/*
 * Minimum ratio of the cycles for a note if both sides are single runs with the same number of
 * instructions.
 */
#define DIFFER_SMALL_CYCLES 1.03
#define DIFFER_SMALL_WORK   0.01
#define DIFFER_SURE_SMALL   55u
#define DIFFER_FREQUENCY_HZ 3e9 /* assumed clock rate if cycles were not counted */
#define DIFFER_SURE         75u
#define DIFFER_SURE_SINGLE  70u /* certainty if both sides are single runs */
/* certainty if the text does not present the two tables as a pair */
#define DIFFER_SURE_GUESS 60u

struct differ_event {
	enum counter_role role;
	double low, high; /* usual cost of one event, in seconds; with is_cycles, in cycles */
	bool is_cycles;
	/* verb of the claim "'before' makes 9.9 times as many …" */
	const char *verb;
	const char *cause;
	const char *next;
};

static const struct differ_event differ_events[] = {
	{ COUNTS_SWITCHES, 1e-6, 5e-6, false, "makes",
	  "Threads block, wait for each other or yield, and wake again: locks, condition "
	  "variables, pipes, sched_yield()",
	  "perf sched record -- COMMAND; perf sched timehist -w: who wakes whom" },
	{ COUNTS_MIGRATIONS, 1e-6, 2e-5, false, "makes",
	  "woken threads migrate to other CPUs and start with cold caches",
	  "perf stat -e sched:sched_migrate_task,context-switches COMMAND" },
	{ COUNTS_FAULTS, 0.25e-6, 2e-6, false, "takes",
	  "Memory is mapped and touched anew: fresh allocations, memory returned and taken again, "
	  "copy on write after fork(), or no huge pages",
	  "perf record -e page-faults -g COMMAND: who touches new memory" },
	{ COUNTS_MINOR_FAULTS, 0.25e-6, 2e-6, false, "takes",
	  "memory is mapped and touched anew: fresh allocations instead of reuse, or no huge pages",
	  "perf record -e minor-faults -g COMMAND: who touches new memory" },
	{ COUNTS_MAJOR_FAULTS, 5e-5, 1e-2, false, "takes",
	  "pages are read from storage: mapped files are not cached, or memory is short",
	  "perf record -e major-faults -g COMMAND; vmstat 1" },
	{ COUNTS_BRANCH_MISSES, 10, 25, true, "has",
	  "branches that depend on data are mispredicted",
	  "perf record -e branch-misses COMMAND; perf annotate: which branch" },
	{ COUNTS_HITM, 60, 300, true, "has",
	  "CPUs fetch cache lines that other CPUs have just written",
	  "perf c2c record COMMAND; perf c2c report" },
	{ COUNTS_NODE_MISSES, 100, 300, true, "has", "memory of another NUMA node is used",
	  "numastat -p PID; numactl --cpunodebind=0 --membind=0 COMMAND" },
	{ COUNTS_LLC_MISSES, 40, 300, true, "has",
	  "data comes from memory: a larger working set, or worse locality",
	  "perf mem record COMMAND; perf mem report --sort=symbol,mem" },
	{ COUNTS_CACHE_MISSES, 40, 300, true, "has",
	  "data comes from memory or from caches of other CPUs: a larger working set, worse "
	  "locality, or lines that several CPUs write",
	  "perf record -e cache-misses COMMAND; perf c2c record COMMAND" },
	{ COUNTS_DTLB_WALK, 1, 1, true, "spends",
	  "data is spread over more pages than the TLB covers; huge pages help",
	  "grep -i huge /proc/PID/smaps_rollup; perf record -e dTLB-load-misses COMMAND" },
	{ COUNTS_DTLB_MISSES, 7, 50, true, "has",
	  "data is spread over more pages than the TLB covers; huge pages help",
	  "grep -i huge /proc/PID/smaps_rollup; perf record -e dTLB-load-misses COMMAND" },
	{ COUNTS_ITLB_MISSES, 10, 50, true, "has",
	  "code is spread over more pages than the instruction TLB covers: its size or layout",
	  "perf record -e iTLB-load-misses COMMAND; size PROGRAM" },
	{ COUNTS_L1I_MISSES, 10, 40, true, "has",
	  "code does not fit the instruction cache: its size or layout, inlining or unrolling",
	  "perf record -e L1-icache-load-misses COMMAND; size PROGRAM" },
	{ COUNTS_MACHINE_CLEARS, 20, 100, true, "has",
	  "the pipeline is flushed: memory order between CPUs, or code that writes itself",
	  "perf record -e machine_clears.memory_ordering COMMAND" },
	{ COUNTS_STALLS_FRONT, 1, 1, true, "has",
	  "the CPU waits for instructions: instruction cache and TLB, code layout, or decoding",
	  "perf stat -e L1-icache-load-misses,iTLB-load-misses COMMAND" },
	{ COUNTS_STALLS_BACK, 1, 1, true, "has",
	  "the CPU waits for data or for long operations: memory, dependent loads, divisions",
	  "perf stat -d -d -d COMMAND; perf mem record COMMAND" },
	{ COUNTS_L2_MISSES, 10, 60, true, "has",
	  "data does not stay in the nearer caches: a larger working set, or worse locality",
	  "perf stat -d -d -d COMMAND" },
	{ COUNTS_L1D_MISSES, 4, 20, true, "has",
	  "data does not stay in the nearer caches: a larger working set, or worse locality",
	  "perf stat -d -d -d COMMAND" },
};

/*
 * The comparison. In each pair of counters, `a` belongs to the good side (the faster run) and `b`
 * to the bad side.
 */
struct differ {
	const struct rule_input *in;
	struct findings *out;
	struct counter_sides sides;
	struct counter_compare cmp;
	const struct counter_change *cost;
	/* CPU time of the bad side minus that of the good one, seconds; 0: unknown */
	double extra_cpu;
	bool has_extra_cpu; /* extra_cpu is CPU time; false: it is elapsed time */
	/* elapsed time of the bad side minus that of the good one, seconds; 0: unknown */
	double extra_elapsed;
	double hz;
	unsigned int sure;
};

static const struct counter_change *differ_role(const struct differ *d, enum counter_role role)
{
	const struct counter_change *c = counter_compare_role(&d->cmp, role);

	return c && isfinite(c->ratio) && c->a > 0 && c->b > 0 ? c : NULL;
}

static double differ_log(const struct differ *d, enum counter_role role)
{
	const struct counter_change *c = differ_role(d, role);

	return c ? log(c->ratio) : (double)NAN;
}

/* Format a count or a time: "4,404,564,712", "1.537 s". */
static const char *differ_value(struct differ *d, const struct counter_change *c, double v)
{
	char digits[32];
	char text[48];
	size_t n, at = 0;

	if (c->role == COUNTS_ELAPSED || c->role == COUNTS_USER || c->role == COUNTS_SYSTEM ||
	    c->role == COUNTS_TASK_CLOCK)
		return finding_name(d->out, "%.4g s", v);
	if (v > 1e18)
		return finding_name(d->out, "%.4g", v);
	n = (size_t)snprintf(digits, sizeof(digits), "%.0f", v);
	for (size_t i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			text[at++] = ',';
		text[at++] = digits[i];
	}
	text[at] = '\0';
	return finding_name(d->out, "%s", text);
}

static struct str differ_name(const struct differ *d, const struct counter_change *c)
{
	struct str name = strings_get(&d->in->facts->dossier->strings, c->name);

	return c->role == COUNTS_TASK_CLOCK ? STR("task-clock") : str_sub(name, 0, 64);
}

/*
 * How much larger a counter is on the bad side: "2.1 times as many NAME as 'after'", or "13 %
 * more NAME than 'after'". @name: NAME.
 */
static const char *differ_times(struct differ *d, const struct counter_change *c, const char *name)
{
	bool is_time = c->role == COUNTS_ELAPSED || c->role == COUNTS_SYSTEM;

	if (c->ratio >= 1.995)
		return finding_name(d->out, "%.*f times as %s %s as %s",
				    c->ratio < 9.95 && fabs(c->ratio - round(c->ratio)) >= 0.05,
				    c->ratio, is_time ? "much" : "many", name, d->sides.good_name);
	return finding_name(d->out, "%.1f %% more %s than %s", (c->ratio - 1) * 100, name,
			    d->sides.good_name);
}

/* Like differ_times(), with the name of the counter itself as NAME. */
static const char *differ_more(struct differ *d, const struct counter_change *c)
{
	return differ_times(d, c, finding_name(d->out, STR_FMT, STR_ARG(differ_name(d, c))));
}

/*
 * A second counter at the end of a claim: "with about as many NAME (-2.8 %)", or "and 12.0 %
 * fewer NAME".
 */
static const char *differ_second_counter(struct differ *d, const struct counter_change *c,
					 const char *name)
{
	double percent = (c->ratio - 1) * 100;

	if (fabs(percent) < DIFFER_AS_MANY)
		return finding_name(d->out, "with about as many %s (%s%.1f %%)", name,
				    percent < 0 ? "\xe2\x88\x92" : "+", fabs(percent));
	if (c->ratio >= 1.995)
		return finding_name(d->out, "and %.1f times as many %s", c->ratio, name);
	return finding_name(d->out, "and %.1f %% %s %s", fabs(percent),
			    percent < 0 ? "fewer" : "more", name);
}

static struct finding *differ_add(struct differ *d, double part)
{
	struct finding *f =
		finding_add(d->out, &d->sides.bad, &rule_counters_differ, FINDING_WARNING, d->sure);

	f->impact = part * 100;
	return f;
}

static void differ_evidence(struct differ *d, struct finding *f, const struct counter_change *c)
{
	struct str name = differ_name(d, c);

	finding_evidence(d->out, f, &d->sides.bad, c->line_b, STR_FMT " %s", STR_ARG(name),
			 differ_value(d, c, c->b));
	if (c->line_a != c->line_b || d->sides.good.capture->path.v != d->sides.bad.capture->path.v)
		finding_evidence(d->out, f, &d->sides.good, c->line_a, STR_FMT " %s", STR_ARG(name),
				 differ_value(d, c, c->a));
	if (c->has_spread)
		finding_figure_interval(f, finding_name(d->out, STR_FMT, STR_ARG(name)), c->ratio,
					c->low, c->high, "times");
	else
		finding_figure(f, finding_name(d->out, STR_FMT, STR_ARG(name)), c->ratio, 0,
			       "times");
}

static void differ_cost_figure(struct differ *d, struct finding *f,
			       const struct counter_change *about)
{
	if (d->cost && d->cost != about)
		differ_evidence(d, f, d->cost);
	finding_because(d->out, f,
			!d->sides.is_sure && about->has_spread
				? "repeated runs differ by more than their spread\n"
				  "whether the two are meant as a pair"
			: about->has_spread ? "the runs were repeated, and their spread is "
					      "small compared with the difference"
			: d->sides.bad.capture->counters->is_titled ||
					d->sides.bad.capture->counters->runs > 1 ||
					d->sides.good.capture->counters->runs > 1
				? "both sides are counted\n"
				  "how far equal runs differ"
				: "both sides are counted, in one run each\n"
				  "how far equal runs differ");
}

/*
 * The part (0 to 1) of the extra time that the additional events @e can explain. *@ret_low: the
 * part at the lowest usual cost of an event; *@ret_high: at the highest. Returns the geometric mean
 * of both.
 */
static double differ_part(const struct differ *d, const struct differ_event *e,
			  const struct counter_change *c, double *ret_low, double *ret_high)
{
	double unit = e->is_cycles ? 1 / d->hz : 1;
	double more = c->b - c->a;
	double extra = e->role == COUNTS_MAJOR_FAULTS ? d->extra_elapsed : d->extra_cpu;

	*ret_low = *ret_high = 0;
	if (!(extra > 0))
		return 0;
	*ret_low = more * e->low * unit / extra;
	*ret_high = more * e->high * unit / extra;
	return sqrt(*ret_low * *ret_high);
}

/*
 * Add a figure: the share of the extra time that the events explain, "share of the extra CPU time
 * at 1 µs each". @part: this share as a part (0 to 1); a larger part is printed as 100 %. @cost:
 * assumed cost of one event.
 */
static void differ_cost_share(struct differ *d, struct finding *f, const struct differ_event *e,
			      double cost, double part)
{
	const char *of = e->role == COUNTS_MAJOR_FAULTS || !d->has_extra_cpu ? "elapsed" : "CPU";

	if (e->is_cycles && e->high > e->low)
		finding_figure(f,
			       finding_name(d->out, "share of the extra %s time at %g cycles each",
					    of, cost),
			       fmin(100, part * 100), 0, "%");
	else if (e->is_cycles)
		finding_figure(f, finding_name(d->out, "share of the extra %s time", of),
			       fmin(100, part * 100), 0, "%");
	else
		finding_figure(f,
			       finding_name(d->out,
					    "share of the extra %s time at %g \xc2\xb5s each", of,
					    cost * 1e6),
			       fmin(100, part * 100), 0, "%");
}

static void differ_event_finding(struct differ *d, const struct differ_event *e,
				 const struct counter_change *c, double part, double low,
				 double high)
{
	struct finding *f = differ_add(d, part);

	finding_claim(d->out, f, "%s %s %s: %s instead of %s", d->sides.bad_name, e->verb,
		      differ_more(d, c), differ_value(d, c, c->b), differ_value(d, c, c->a));
	finding_usual_cause(d->out, f, "%s", e->cause);
	differ_evidence(d, f, c);
	differ_cost_share(d, f, e, e->low, low);
	if (e->high > e->low)
		differ_cost_share(d, f, e, e->high, high);
	differ_cost_figure(d, f, c);
	finding_next(d->out, f, "%s", e->next);
}

/*
 * Add findings about events that can explain at least DIFFER_EVENT_PART of the extra time.
 * Largest part first, at most DIFFER_EVENTS. Returns their number.
 */
static size_t differ_explain_events(struct differ *d)
{
	bool is_said[ARRAY_LEN(differ_events)] = { false };
	size_t n = 0;

	for (; n < DIFFER_EVENTS; n++) {
		const struct counter_change *best = NULL;
		double best_part = 0, best_low = 0, best_high = 0;
		size_t at = 0;

		for (size_t i = 0; i < ARRAY_LEN(differ_events); i++) {
			const struct counter_change *c = differ_role(d, differ_events[i].role);
			double low, high, part;

			if (is_said[i] || !c || c->verdict != COUNTER_MORE ||
			    c->ratio < DIFFER_EVENT_RATIO)
				continue;
			part = differ_part(d, &differ_events[i], c, &low, &high);
			if (part <= best_part)
				continue;
			best = c;
			best_part = part;
			best_low = low;
			best_high = high;
			at = i;
		}
		if (!best || best_part < DIFFER_EVENT_PART)
			break;
		is_said[at] = true;
		differ_event_finding(d, &differ_events[at], best, best_part, best_low, best_high);
	}
	return n;
}

/*
 * How many times longer an instruction takes on the bad side: the ratio of the cycles per
 * instruction (CPI) of both sides. Cycles are the number of instructions times CPI. So the extra
 * cycles are not a sum with one part for more instructions and one part for a higher CPI. The
 * finding prints a ratio instead of a share. Returns 1 if the change is smaller than
 * DIFFER_IPC_PART or within the spread of the runs. NaN: unknown.
 */
static double differ_cpi(const struct differ *d)
{
	const struct counter_change *cycles = differ_role(d, COUNTS_CYCLES);
	const struct counter_change *c = differ_role(d, COUNTS_INSTRUCTIONS);
	double cpi, half;

	if (!cycles || !c)
		return (double)NAN;
	cpi = cycles->ratio / c->ratio;
	half = hypot((cycles->high - cycles->low) / cycles->ratio, (c->high - c->low) / c->ratio) /
	       2;
	return fabs(cpi - 1) < fmax(half, DIFFER_IPC_PART) ? 1 : cpi;
}

/* Add the instructions per cycle of both sides as figures. */
static void differ_ipc_figures(struct differ *d, struct finding *f)
{
	const struct counter_change *cycles = differ_role(d, COUNTS_CYCLES);
	const struct counter_change *c = differ_role(d, COUNTS_INSTRUCTIONS);

	if (!cycles || !c)
		return;
	finding_figure(f, finding_name(d->out, "instructions per cycle of %s", d->sides.bad_name),
		       c->b / cycles->b, 0, "");
	finding_figure(f, finding_name(d->out, "instructions per cycle of %s", d->sides.good_name),
		       c->a / cycles->a, 0, "");
}

/*
 * Add a finding if more instructions explain the extra cycles or the extra time. @has_event: there
 * is already a finding about an event, which may be the cause of these instructions.
 */
static bool differ_explain_work(struct differ *d, bool has_event)
{
	const struct counter_change *c = differ_role(d, COUNTS_INSTRUCTIONS);
	const struct counter_change *branches = differ_role(d, COUNTS_BRANCHES);
	const struct counter_change *cycles = differ_role(d, COUNTS_CYCLES);
	double whole = differ_log(d, COUNTS_CYCLES);
	struct finding *f;
	double part, cpi;

	if (isnan(whole))
		whole = d->cost ? log(d->cost->ratio) : 0;
	if (!c || c->verdict != COUNTER_MORE)
		return false;
	part = whole > 0 ? log(c->ratio) / whole : 0;
	if (part < DIFFER_FACTOR_PART)
		return false;
	/* a finding about an event must come before this one, so divide the impact by 4 */
	f = differ_add(d, has_event ? part / 4 : part);
	finding_claim(d->out, f, "%s executes %s: %s instead of %s%s%s", d->sides.bad_name,
		      differ_more(d, c), differ_value(d, c, c->b), differ_value(d, c, c->a),
		      branches ? ", " : "",
		      branches ? differ_second_counter(d, branches, "branches") : "");
	cpi = differ_cpi(d);
	finding_cause(d->out, f,
		      "More work for the same job: an algorithm, checks, copies or calls that the "
		      "other run lacks%s",
		      cpi > 1   ? ". Its instructions also take more cycles each"
		      : cpi < 1 ? ". Its instructions take fewer cycles each"
				: "");
	differ_evidence(d, f, c);
	if (cycles && d->cost != cycles) /* differ_cost_figure() adds d->cost */
		differ_evidence(d, f, cycles);
	differ_ipc_figures(d, f);
	differ_cost_figure(d, f, c);
	finding_next(d->out, f,
		     "perf record -e instructions -o 1.data COMMAND: then the other version with "
		     "-o 2.data");
	finding_next(d->out, f, "assay diff 1.data 2.data: which functions execute more");
	return true;
}

/*
 * Is the difference large enough for a note about slower instructions? It is if both sides are
 * single runs with the same number of instructions, and cycles differ by DIFFER_SMALL_CYCLES. On a
 * busy machine chance can cause that, so the finding is only "possible".
 */
static bool differ_is_small_stall(const struct counter_change *cycles,
				  const struct counter_change *instructions)
{
	return cycles->verdict == COUNTER_UNCERTAIN && cycles->ratio >= DIFFER_SMALL_CYCLES &&
	       fabs(instructions->ratio - 1) <= DIFFER_SMALL_WORK;
}

/* If fewer instructions per cycle explain the extra cycles, add a finding. */
static bool differ_explain_stalls(struct differ *d, bool has_event)
{
	const struct counter_change *cycles = differ_role(d, COUNTS_CYCLES);
	const struct counter_change *c = differ_role(d, COUNTS_INSTRUCTIONS);
	double per_a, per_b, part;
	struct finding *f;
	bool is_small;

	if (!cycles || !c)
		return false;
	is_small = differ_is_small_stall(cycles, c);
	if (cycles->verdict != COUNTER_MORE && !is_small)
		return false;
	part = 1 - log(c->ratio) / log(cycles->ratio);
	per_a = c->a / cycles->a;
	per_b = c->b / cycles->b;
	if (part < DIFFER_FACTOR_PART || (!is_small && per_b > per_a / DIFFER_EVENT_RATIO))
		return false;
	f = differ_add(d, part);
	if (is_small) {
		f->severity = FINDING_NOTE;
		f->sure = DIFFER_SURE_SMALL;
	}
	finding_claim(d->out, f, "%s executes %.2f instructions per cycle instead of %.2f: %s %s",
		      d->sides.bad_name, per_b, per_a, differ_times(d, cycles, "cycles"),
		      differ_second_counter(d, c, "instructions"));
	finding_usual_cause(
		d->out, f,
		"The instructions stall longer on memory, on cache lines that other CPUs "
		"write, or on earlier results. Or they are slower instructions; %s",
		has_event ? "see the events that grew" : "the reason was not counted");
	differ_evidence(d, f, cycles);
	differ_evidence(d, f, c);
	differ_ipc_figures(d, f);
	differ_cost_figure(d, f, cycles);
	finding_next(d->out, f,
		     "perf stat -d -d -d -r 5 COMMAND: on both sides, which misses grew");
	return true;
}

/*
 * Whether the bad run was ready to run, but had no CPU, for most of its elapsed time. Its context
 * switches show this: few are voluntary, and many are preemptions. *@ret_both: whether the same is
 * true for the good run.
 */
static bool differ_is_denied(const struct differ *d, bool *ret_both)
{
	const struct counter_change *own = differ_role(d, COUNTS_VOLUNTARY);
	const struct counter_change *other = differ_role(d, COUNTS_INVOLUNTARY);

	if (!own || !other || own->b > DIFFER_DENIED_OWN || other->b < DIFFER_DENIED_OTHER)
		return false;
	*ret_both = own->a <= DIFFER_DENIED_OWN && other->a >= DIFFER_DENIED_OTHER;
	return true;
}

/* Fill in the cause and the next step of a run that got no CPU. */
static void differ_denied(struct differ *d, struct finding *f, bool is_both)
{
	const struct counter_change *own = differ_role(d, COUNTS_VOLUNTARY);
	const struct counter_change *other = differ_role(d, COUNTS_INVOLUNTARY);

	finding_usual_cause(d->out, f,
			    "The program was ready to run and got no CPU: it gave up the CPU %.0f "
			    "times and was preempted %.0f times. Other programs or a CPU quota "
			    "took it%s",
			    own->b, other->b,
			    is_both ? ", in both runs: elapsed times compare the load of the "
				      "machine, not the programs"
				    : "");
	differ_evidence(d, f, own);
	differ_evidence(d, f, other);
	finding_next(d->out, f,
		     "compare CPU time, or repeat both on an idle machine: perf stat -r 5 COMMAND");
}

/* If waiting explains the extra elapsed time, because CPU time grew less, add a finding. */
static bool differ_explain_waits(struct differ *d)
{
	const struct counter_change *elapsed = differ_role(d, COUNTS_ELAPSED);
	const struct counter_change *cpu = differ_role(d, COUNTS_TASK_CLOCK);
	const struct counter_change *switches = differ_role(d, COUNTS_SWITCHES);
	struct finding *f;
	bool is_both = false;
	bool is_denied;
	double part;

	if (!elapsed || !cpu || elapsed->verdict != COUNTER_MORE)
		return false;
	part = 1 - log(cpu->ratio) / log(elapsed->ratio);
	if (part < DIFFER_FACTOR_PART)
		return false;
	f = differ_add(d, part);
	finding_claim(d->out, f, "%s takes %s and keeps %.2f CPUs busy instead of %.2f",
		      d->sides.bad_name, differ_times(d, elapsed, "elapsed time"),
		      cpu->b / elapsed->b, cpu->a / elapsed->a);
	is_denied = differ_is_denied(d, &is_both);
	if (!is_denied)
		finding_usual_cause(
			d->out, f,
			"Threads wait longer, or run one after another. Or the work is done by "
			"processes that the command does not wait for: these are not counted");
	differ_evidence(d, f, elapsed);
	differ_evidence(d, f, cpu);
	if (switches)
		differ_evidence(d, f, switches);
	differ_cost_figure(d, f, elapsed);
	if (is_denied) {
		if (is_both)
			f->severity = FINDING_NOTE;
		differ_denied(d, f, is_both);
		return true;
	}
	finding_next(
		d->out, f,
		"assay record --off-cpu -- COMMAND, or perf trace -s COMMAND: where threads wait");
	return true;
}

/* If a lower clock rate explains the extra CPU time, because cycles grew less, add a finding. */
static bool differ_explain_clock(struct differ *d)
{
	const struct counter_change *cycles = differ_role(d, COUNTS_CYCLES);
	const struct counter_change *cpu = differ_role(d, COUNTS_TASK_CLOCK);
	struct finding *f;
	double part;

	if (!cycles || !cpu || cycles->levels || cpu->verdict != COUNTER_MORE)
		return false;
	part = 1 - log(cycles->ratio) / log(cpu->ratio);
	if (part < DIFFER_FACTOR_PART ||
	    cycles->a / cpu->a < DIFFER_EVENT_RATIO * cycles->b / cpu->b)
		return false;
	f = differ_add(d, part);
	finding_claim(d->out, f, "%s runs at %.2f GHz instead of %.2f of %s", d->sides.bad_name,
		      cycles->b / cpu->b / 1e9, cycles->a / cpu->a / 1e9, d->sides.good_name);
	finding_usual_cause(d->out, f,
			    "The clock frequency is lower: throttling, power limits, wide vector "
			    "instructions, or a CPU that has not ramped up");
	differ_evidence(d, f, cycles);
	differ_evidence(d, f, cpu);
	differ_cost_figure(d, f, cpu);
	finding_next(d->out, f,
		     "turbostat -- COMMAND: on both sides, Bzy_MHz and the power limits");
	return true;
}

/* If time in the kernel explains the extra CPU time, add a finding. */
static bool differ_explain_system(struct differ *d)
{
	const struct counter_change *sys = differ_role(d, COUNTS_SYSTEM);
	const struct counter_change *user = differ_role(d, COUNTS_USER);
	struct finding *f;
	double part;

	if (!sys || !user || sys->verdict != COUNTER_MORE)
		return false;
	part = (sys->b - sys->a) / fmax(sys->b + user->b - sys->a - user->a, 1e-9);
	if (part < DIFFER_FACTOR_PART || !(sys->b + user->b > sys->a + user->a))
		return false;
	f = differ_add(d, part);
	finding_claim(d->out, f, "%s spends %s: %s instead of %s", d->sides.bad_name,
		      differ_times(d, sys, "system time"), differ_value(d, sys, sys->b),
		      differ_value(d, sys, sys->a));
	finding_cause(d->out, f, "%s: system calls, page faults, or other kernel work",
		      part > 1 ? "System time grew by more than the whole CPU time, as user time "
				 "fell. The "
				 "extra time is in the kernel"
			       : "The extra time is in the kernel");
	/*
	 * if user time fell, system time grew by more than 100 % of the extra CPU time: print
	 * seconds, no share
	 */
	if (part <= 1)
		finding_figure(f, "share of the extra CPU time", part * 100, 0, "%");
	else
		finding_figure(f, "extra system time", sys->b - sys->a, 0, "s");
	differ_evidence(d, f, sys);
	differ_evidence(d, f, user);
	differ_cost_figure(d, f, sys);
	finding_next(d->out, f, "perf trace -s COMMAND; perf record -e cpu-clock:k -g COMMAND");
	return true;
}

static void differ_prepare(struct differ *d)
{
	const struct counter_change *cpu = differ_role(d, COUNTS_TASK_CLOCK);
	const struct counter_change *cycles = differ_role(d, COUNTS_CYCLES);
	const struct counter_change *elapsed = differ_role(d, COUNTS_ELAPSED);

	d->cost = counter_compare_cost(&d->cmp);
	/*
	 * With cycles of user space only, cycles divided by CPU time is no clock rate: CPU time
	 * includes the kernel.
	 */
	d->hz = cpu && cycles && !cycles->levels ? cycles->b / cpu->b : DIFFER_FREQUENCY_HZ;
	if (!(d->hz > 1e8) || d->hz > 1e10) /* impossible clock rate: someone edited the figures */
		d->hz = DIFFER_FREQUENCY_HZ;
	d->extra_elapsed = elapsed ? elapsed->b - elapsed->a : 0;
	d->extra_cpu = cpu ? cpu->b - cpu->a : cycles ? (cycles->b - cycles->a) / d->hz : 0;
	d->has_extra_cpu = d->extra_cpu > 0;
	if (!d->has_extra_cpu)
		d->extra_cpu = d->extra_elapsed;
	d->sure = !d->sides.is_sure                ? DIFFER_SURE_GUESS
		  : d->cost && d->cost->has_spread ? DIFFER_SURE
						   : DIFFER_SURE_SINGLE;
}

/* Does the input have two tables of counters? With one table, a user expects no comparison. */
static bool differ_has_tables(const struct rule_input *in)
{
	size_t n = 0;

	VEC_FOREACH (c, &in->facts->dossier->captures)
		n += (*c)->counters != NULL;
	return n > 1;
}

static void differ_check(const struct rule_input *in, struct findings *out)
{
	struct differ d = { .in = in, .out = out };
	size_t said;

	if (!counter_sides_find(in, out, &d.sides)) {
		if (differ_has_tables(in))
			finding_not_assessed(
				out, in, &rule_counters_differ,
				"perf stat -r 5 of both versions, in one text",
				"no two counter tables count the same events of the same command");
		return;
	}
	if (!counter_compare(d.sides.good.capture, d.sides.bad.capture, &d.cmp))
		goto out;
	differ_prepare(&d);
	said = differ_explain_events(&d);
	said += differ_explain_work(&d, said > 0);
	said += differ_explain_stalls(&d, said > 0);
	said += differ_explain_waits(&d);
	said += differ_explain_clock(&d);
	said += said < 3 && differ_explain_system(&d);
	if (said == 0)
		finding_clean(out, &d.sides.bad, &rule_counters_differ,
			      "%s and %s: no counter explains a difference", d.sides.bad_name,
			      d.sides.good_name);
out:
	counter_compare_fini(&d.cmp);
}

const struct rule rule_counters_differ = {
	.id = "counters-differ",
	.title = "Two measurements differ: the counter that explains it",
	.needs = RULE_DOSSIER,
	.check = differ_check,
};
