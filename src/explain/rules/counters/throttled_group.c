/* SPDX-License-Identifier: MIT */
/*
 * In the CPU pressure of a control group, "full" is nearly as high as "some": whenever a task of
 * the group lacks a CPU, no task of the group runs. The cause is a quota, which stops all tasks of
 * the group together.
 *
 * Only the "full" of a group is useful: for the whole machine it is 0, because tasks lack a CPU
 * only while the CPUs run other tasks (kernel/sched/psi.c, psi_group_change()). If a group lacks
 * CPUs without a quota, some of its tasks wait while others run, so "full" stays far below "some".
 * But both are also equal if the group has a single task, or if other groups leave it no CPU at
 * all.
 *
 * Thresholds: "full" at 10 % is a note, at 40 % a warning, as in rule pressure, and it has 90 % of
 * "some". Another group in the same text with a pressure below 5 % shows that CPUs are available,
 * or that this other group is idle. It must be neither an ancestor nor a descendant of the group.
 */
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(throttled_group);

#define THROTTLED_NOTE 10.0
#define THROTTLED_LEAD 40.0
#define THROTTLED_PART 0.9 /* minimum of "full", as a part (0 to 1) of "some" */
#define THROTTLED_FREE 5.0
#define THROTTLED_SURE 60u
/* certainty if the text shows another group that hardly waits for a CPU */
#define THROTTLED_SURE_FREE 70u

/*
 * Is @row the avg10 of a group's CPU pressure of kind @kind (" some" or " full")? Then set *@ret to
 * the key without @kind.
 */
static bool throttled_of(const struct capture *c, const struct counter *row, struct str kind,
			 struct str *ret)
{
	struct str key = strings_get(capture_strings(c), row->key);

	if (!str_eq(strings_get(capture_strings(c), row->name), STR("avg10")) ||
	    row->state != COUNTER_COUNTED || !str_ends(key, kind))
		return false;
	key.len -= kind.len;
	*ret = key;
	return str_eq(key, STR("cpu")) || str_ends(key, STR("/cpu"));
}

static const struct counter *throttled_some(const struct capture *c, struct str group,
					    uint32_t interval)
{
	VEC_FOREACH (row, &c->counters->rows) {
		struct str key;

		if (row->interval == interval && throttled_of(c, row, STR(" some"), &key) &&
		    str_eq(key, group))
			return row;
	}
	return NULL;
}

/* The group with the highest "full", if this is nearly as high as its "some". NULL: none. */
static const struct counter *throttled_full(const struct capture *c, struct str *ret_group,
					    bool *ret_has_full)
{
	const struct counter *ret = NULL;

	*ret_has_full = false;
	VEC_FOREACH (row, &c->counters->rows) {
		const struct counter *some;
		struct str group;

		if (!throttled_of(c, row, STR(" full"), &group))
			continue;
		some = throttled_some(c, group, row->interval);
		*ret_has_full |= some != NULL;
		if (some && counter_value(row) >= THROTTLED_NOTE &&
		    counter_value(row) >= THROTTLED_PART * counter_value(some) &&
		    (!ret || counter_value(row) > counter_value(ret))) {
			ret = row;
			*ret_group = group;
		}
	}
	return ret;
}

/*
 * The path of a control group in the key of a row: "app/web" for "/sys/fs/cgroup/app/web/cpu".
 * Empty: the row is not about CPU pressure.
 */
static struct str throttled_path(struct str key)
{
	size_t at = str_find(key, STR("sys/fs/cgroup/"));

	if (at < key.len)
		key = str_skip(key, at + strlen("sys/fs/cgroup/"));
	return str_ends(key, STR("/cpu")) ? str_sub(key, 0, key.len - strlen("/cpu")) : STR_NONE;
}

/* Are the two paths equal, or is one an ancestor of the other? */
static bool throttled_is_kin(struct str a, struct str b)
{
	struct str shorter = a.len < b.len ? a : b;
	struct str longer = a.len < b.len ? b : a;

	return str_starts(longer, shorter) &&
	       (longer.len == shorter.len || longer.p[shorter.len] == '/');
}

/*
 * Find another group that hardly lacks CPUs. Returns the row with its "some"; NULL: no such group.
 * *@ret: the capture of the row.
 */
static const struct counter *throttled_free(const struct rule_input *in, struct str group,
					    const struct capture **ret, uint32_t *ret_number)
{
	const struct dossier *d = in->facts->dossier;

	for (uint32_t i = 0; i < d->captures.len; i++) {
		const struct capture *c = d->captures.data[i];

		if (!c->counters || !str_eq(strings_get(capture_strings(c), c->counters->tool),
					    STR("/proc/pressure")))
			continue;
		VEC_FOREACH (row, &c->counters->rows) {
			struct str key;

			if (!throttled_of(c, row, STR(" some"), &key) ||
			    !(counter_value(row) < THROTTLED_FREE) ||
			    throttled_is_kin(throttled_path(key), throttled_path(group)))
				continue;
			*ret = c;
			*ret_number = i;
			return row;
		}
	}
	return NULL;
}

static void throttled_finding(const struct rule_input *in, struct findings *out,
			      const struct counter *full, struct str group)
{
	const struct counter *some = throttled_some(in->capture, group, full->interval);
	struct rule_input other = *in;
	const struct counter *calm = throttled_free(in, group, &other.capture, &other.number);
	double pct = counter_value(full);
	struct str path = throttled_path(group);
	struct finding *f = finding_add(out, in, &rule_throttled_group,
					pct >= THROTTLED_LEAD ? FINDING_WARNING : FINDING_NOTE,
					calm ? THROTTLED_SURE_FREE : THROTTLED_SURE);

	f->impact = pct;
	finding_claim(out, f,
		      "No task of %s" STR_FMT
		      "%s runs for %.1f %% of the time, although some want to: 'full' of its CPU "
		      "pressure is nearly as high as 'some' (%.1f %%)",
		      path.len ? "the control group '" : "a control group", STR_ARG(path),
		      path.len ? "'" : "", pct, counter_value(some));
	finding_figure(f, "no task of the group runs, mean of 10 s", pct, 0, "%");
	finding_figure(f, "a task of the group waits, mean of 10 s", counter_value(some), 0, "%");
	finding_evidence(out, f, in, full->line, "no task of the group runs");
	if (calm)
		finding_evidence(out, f, &other, calm->line, "another group waits for no CPU");
	finding_usual_cause(
		out, f, "%s",
		calm ? "The CPU quota of the group (cpu.max, CPUQuota=) is used up and stops all "
		       "its tasks together. Another group waits for no CPU, so the machine is "
		       "probably not short of them. The pressure of the whole machine counts "
		       "these stopped tasks, too"
		     : "The CPU quota of the group (cpu.max, CPUQuota=) is used up and stops all "
		       "its tasks together. Or the group has a single task, or other groups leave "
		       "it no CPU");
	finding_because(out, f,
			"a shortage of CPUs delays some tasks while others of the group run\n"
			"the quota of the group");
	finding_next(out, f,
		     "cat cpu.max cpu.stat of the group, twice: does nr_throttled grow; raise the "
		     "quota, or run fewer threads");
}

static void throttled_group_check(const struct rule_input *in, struct findings *out)
{
	const struct counter *full;
	struct str group = STR_NONE;
	bool has_full;

	if (!str_eq(strings_get(capture_strings(in->capture), in->capture->counters->tool),
		    STR("/proc/pressure")))
		return;
	full = throttled_full(in->capture, &group, &has_full);
	if (full)
		throttled_finding(in, out, full, group);
	else if (has_full)
		finding_clean(out, in, &rule_throttled_group,
			      "no group whose tasks all lack a CPU at the same time");
	else
		finding_not_assessed(out, in, &rule_throttled_group,
				     "cat /sys/fs/cgroup/GROUP/cpu.pressure",
				     "no 'full' of the CPU pressure of a control group");
}

static const char *const throttled_overrules[] = { "pressure", NULL };

const struct rule rule_throttled_group = {
	.id = "throttled-group",
	.title = "CPU quota stops a control group",
	.needs = RULE_COUNTERS,
	.overrules = throttled_overrules,
	.check = throttled_group_check,
};
