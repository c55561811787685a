/* SPDX-License-Identifier: MIT */
/*
 * The load average is high while CPUs are idle. If CPUs are idle, a task that is ready runs at
 * once. So the number of busy CPUs is about the number of tasks that run or are ready. The rest of
 * the load is tasks in state D, which wait in the kernel without a signal.
 *
 * Thresholds: 40 % of CPU time is idle or I/O wait. The load of the last minute is at least twice
 * the number of busy CPUs, and 4 more. It is also at least half of the load of five minutes. If the
 * number of CPUs is unknown, 512 are assumed, which is more than nearly all machines have. Sources:
 * kernel/sched/loadavg.c; proc(5), loadavg.
 */
#include "analyses/counters/counter_metrics.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/signatures/counter_halves.h"

DECLARE_RULE(load_blocked);

#define BLOCKED_CPUS  512.0
#define BLOCKED_IDLE  40.0
#define BLOCKED_TIMES 2.0
#define BLOCKED_MORE  4.0
#define BLOCKED_PART  0.5
#define BLOCKED_SURE  70u
/* a machine has at least this number of tasks: its kernel threads alone are more */
#define BLOCKED_TASKS 20.0
/* minimum CPU use of kswapd, percent of a CPU; rule reclaim-thread warns from the same value on */
#define BLOCKED_KSWAPD 60.0

struct blocked_mean {
	double sum;
	size_t n;
	uint32_t line; /* input line of the first value */
};

/* The mean of all values in the columns that match @names. Member n is 0 if none is printed. */
static struct blocked_mean blocked_mean(const struct capture *c, const char *names)
{
	struct blocked_mean ret = { .n = 0 };

	VEC_FOREACH (row, &c->counters->rows) {
		if (row->state != COUNTER_COUNTED ||
		    !str_glob(str_of(names), strings_get(capture_strings(c), row->name)))
			continue;
		ret.sum += counter_value(row);
		ret.line = ret.n++ ? ret.line : row->line;
	}
	if (ret.n)
		ret.sum /= (double)ret.n;
	return ret;
}

/*
 * Number of tasks that run at this moment; n is 0 if it is unknown. With -p or -u, or in a
 * container, top counts only some of the tasks: then they are few, and fewer than the load of five
 * minutes, @load.
 */
static struct blocked_mean blocked_running(const struct capture *c, double load)
{
	struct blocked_mean tasks = blocked_mean(c, "tasks");

	if (tasks.n && tasks.sum < load && tasks.sum < BLOCKED_TASKS)
		return (struct blocked_mean){ .n = 0 };
	return blocked_mean(c, "running");
}

/*
 * Does the text show that the capture @later is not a later report of the same run as @mine? It has
 * a heading, label or command of its own, or it is of a machine with another size.
 */
static bool blocked_is_apart(const struct capture *mine, const struct capture *later)
{
	str_id label = later->counters->label;

	return (later->title.v && later->title.v != mine->title.v) ||
	       (label.v && label.v != mine->counters->label.v) ||
	       (later->command.v && later->command.v != mine->command.v) ||
	       facts_cpus(later) != facts_cpus(mine) ||
	       blocked_mean(later, "total memory").sum != blocked_mean(mine, "total memory").sum;
}

/*
 * Is this the first of several reports of one run of a tool? Its CPU shares are means since boot,
 * or, in newer versions of top, of a few ticks. The later reports are judged instead.
 */
static bool blocked_is_first(const struct rule_input *in)
{
	const struct capture *mine = in->capture;
	bool has_later = false;

	VEC_FOREACH (c, &in->facts->dossier->captures) {
		const struct capture *other = *c;

		if (other == mine || !other->counters || other->path.v != mine->path.v ||
		    other->counters->tool.v != mine->counters->tool.v)
			continue;
		if (other->first_line < mine->first_line && !blocked_is_apart(other, mine))
			return false;
		has_later |= other->first_line > mine->first_line && !blocked_is_apart(mine, other);
	}
	return has_later;
}

static void blocked_finding(const struct rule_input *in, struct findings *out, double idle,
			    const struct blocked_mean *one, const struct blocked_mean *load,
			    double cpus, double busy, bool is_known)
{
	struct finding *f = finding_add(out, in, &rule_load_blocked, FINDING_WARNING, BLOCKED_SURE);
	struct blocked_mean running = blocked_running(in->capture, load->sum);
	const struct counter_metric *kswapd = counter_halves_metric(in, "kswapd-cpu");
	bool is_reclaiming = kswapd && kswapd->value >= BLOCKED_KSWAPD;

	finding_claim(out, f,
		      "The load average of five minutes is %s, but %.0f %% of CPU time is idle or "
		      "waits for I/O%s",
		      finding_amount(out, 3, load->sum), idle,
		      running.n ? finding_name(out,
					       ", and %s: the rest of this load is blocked in "
					       "the kernel (state D)",
					       running.sum == 1
						       ? "1 task runs"
						       : finding_name(out, "%s tasks run",
								      finding_amount(out, 3,
										     running.sum)))
				: ": most of its tasks are blocked in the kernel (state D)");
	finding_figure(f, "load average of five minutes", load->sum, 0, "");
	finding_figure(f, "CPU time idle or waiting for I/O", idle, 0, "%");
	finding_evidence(out, f, in, one->line, "the load averages");
	finding_usual_cause(out, f, "%s%s",
			    is_reclaiming ? "Tasks that need memory wait until it is reclaimed or "
					    "compacted: kswapd is busy. Or a"
					  : "A",
			    " network file system (NFS) or a disk does not answer, or many tasks "
			    "want one lock of the kernel");
	if (running.n)
		finding_because(out, f,
				"the load counts tasks that run or wait for a CPU, and tasks in "
				"state D; it is a mean, the rest is of one moment");
	else
		finding_because(
			out, f,
			"%s%.0f CPUs that are busy %.0f %% of the time %s %.0f tasks; the first "
			"report of top -b is the mean since boot",
			is_known ? "" : "even ", cpus, 100 - idle, is_known ? "run" : "would run",
			busy);
	finding_next(out, f,
		     "ps -eLo state,pid,wchan:32,comm | grep ^D: what they wait for; cat "
		     "/proc/PID/stack");
}

static void load_blocked_check(const struct rule_input *in, struct findings *out)
{
	double cpus = facts_cpus(in->capture);
	struct blocked_mean one = blocked_mean(in->capture, "1m|ldavg-1");
	struct blocked_mean five = blocked_mean(in->capture, "5m|ldavg-5");
	struct blocked_mean id = blocked_mean(in->capture, "id|idl|%idle");
	struct blocked_mean wa = blocked_mean(in->capture, "wa|wai|%iowait");
	double idle = id.sum + wa.sum;
	bool is_known = cpus > 0;
	double busy;

	if (!one.n || !five.n || !id.n || blocked_is_first(in))
		return;
	cpus = is_known ? cpus : BLOCKED_CPUS;
	busy = cpus * (100 - idle) / 100;
	if (idle >= BLOCKED_IDLE && five.sum >= BLOCKED_TIMES * busy + BLOCKED_MORE &&
	    one.sum >= BLOCKED_PART * five.sum)
		blocked_finding(in, out, idle, &one, &five, cpus, busy, is_known);
	else
		finding_clean(out, in, &rule_load_blocked,
			      "a load average of %s with %.0f %% of CPU time idle or waiting",
			      finding_amount(out, 3, five.sum), idle);
}

const struct rule rule_load_blocked = {
	.id = "load-blocked",
	.title = "High load average on idle CPUs",
	.needs = RULE_COUNTERS,
	.check = load_blocked_check,
};
