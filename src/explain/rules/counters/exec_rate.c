/* SPDX-License-Identifier: MIT */
/*
 * execsnoop traces program starts, and there are many, most of them by one parent: a script that
 * calls a program for each step.
 *
 * Thresholds: one start costs 1 to 2 ms of CPU time for fork, exec, loading the libraries and the
 * exit. So 100 starts per second take a tenth to a fifth of a CPU: a note. 300 starts per second by
 * one parent are a warning; a build has as many, but by several parents. Fewer than 20 starts are
 * too few for a rate. A parent is named if it has half of the starts. Sources: lmbench lat_proc;
 * execsnoop(8).
 */
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(exec_rate);

#define EXEC_NOTE   100.0 /* minimum number of starts per second for a note */
#define EXEC_LEAD   300.0
#define EXEC_LEAST  20.0
#define EXEC_PARENT 0.5 /* a parent is named if it has this part (0 to 1) of the starts */
#define EXEC_SHOWN  3u  /* maximum number of programs in the claim */
#define EXEC_NAME   40u
#define EXEC_SURE   75u

/*
 * Find the counter @name with the largest value. With @below, find the next one in descending
 * order, so that repeated calls give all of them. NULL: none.
 */
static const struct counter *exec_largest(const struct rule_input *in, struct str name,
					  const struct counter *below)
{
	const struct counter *ret = NULL;

	VEC_FOREACH (row, &in->capture->counters->rows) {
		bool is_below = !below || row->value < below->value ||
				(row->value == below->value && row > below);

		if (is_below &&
		    str_eq(strings_get(capture_strings(in->capture), row->name), name) &&
		    (!ret || row->value > ret->value))
			ret = row;
	}
	return ret;
}

static struct str exec_key(const struct rule_input *in, const struct counter *row)
{
	return str_sub(strings_get(capture_strings(in->capture), row->key), 0, EXEC_NAME);
}

/* The programs that start most often: "cut (119), cat (118), date (118)". */
static const char *exec_programs(const struct rule_input *in, struct findings *out,
				 struct finding *f)
{
	const struct counter *row = NULL;
	const char *text = "";

	for (unsigned int i = 0; i < EXEC_SHOWN; i++) {
		row = exec_largest(in, STR("events of"), row);
		if (!row)
			break;
		text = finding_name(out, "%s%s" STR_FMT " (%.0f)", text, i ? ", " : "",
				    STR_ARG(exec_key(in, row)), counter_value(row));
		finding_evidence(out, f, in, row->line, "the first start of the program");
	}
	return text;
}

static void exec_finding(const struct rule_input *in, struct findings *out, double n, double rate,
			 const struct counter *parent)
{
	bool is_of_one = parent && counter_value(parent) >= n * EXEC_PARENT;
	struct finding *f = finding_add(
		out, in, &rule_exec_rate,
		rate >= EXEC_LEAD && is_of_one ? FINDING_WARNING : FINDING_NOTE, EXEC_SURE);
	const char *programs = exec_programs(in, out, f);

	f->is_kind = true;
	if (is_of_one)
		finding_claim(out, f,
			      STR_FMT " starts programs all the time: %.0f of %.0f starts, %.0f "
				      "starts per second in all; most often %s",
			      STR_ARG(exec_key(in, parent)), counter_value(parent), n, rate,
			      programs);
	else
		finding_claim(out, f, "Programs start all the time: %.0f per second; most often %s",
			      rate, programs);
	finding_figure(f, "programs started per second", rate, 0, "/s");
	finding_figure(f, "programs started", n, 0, "");
	if (is_of_one)
		finding_figure(f, "of these by the parent", counter_value(parent), 0, "");
	finding_usual_cause(out, f,
			    "A script calls a program for each item or step. Each start costs 1 to "
			    "2 ms: fork, exec, loading libraries, and the exit");
	finding_because(out, f,
			"the starts are counted\n"
			"what they cost");
	finding_next(out, f,
		     "one process for all items: builtins of the shell instead of cut, sed, expr "
		     "and date; xargs with many arguments; a loop inside awk or the program");
}

static void exec_check(const struct rule_input *in, struct findings *out)
{
	const struct counter *all, *rate;

	if (!str_eq(strings_get(capture_strings(in->capture), in->capture->counters->tool),
		    STR("execsnoop")))
		return;
	all = exec_largest(in, STR("events"), NULL);
	rate = exec_largest(in, STR("events/s"), NULL);
	if (!all || counter_value(all) < EXEC_LEAST || !rate) {
		finding_not_assessed(out, in, &rule_exec_rate, "execsnoop -T for ten seconds",
				     "%.0f starts of programs%s", all ? counter_value(all) : 0,
				     rate ? "" : ", without times");
		return;
	}
	if (counter_value(rate) < EXEC_NOTE)
		finding_clean(out, in, &rule_exec_rate, "%.1f programs start per second",
			      counter_value(rate));
	else
		exec_finding(in, out, counter_value(all), counter_value(rate),
			     exec_largest(in, STR("events by"), NULL));
}

const struct rule rule_exec_rate = {
	.id = "exec-rate",
	.title = "Programs start all the time",
	.needs = RULE_COUNTERS,
	.check = exec_check,
	.is_measured = true,
};
