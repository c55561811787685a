/* SPDX-License-Identifier: MIT */
/*
 * show_calls_unseen.c - effects of the tracer's options; sleep, interrupts and calls that a
 * function graph omits
 */
#include "analyses/calls/calls_away.h"
#include "analyses/calls/calls_summary.h"
#include "analyses/calls/calls_total.h"
#include "analyses/calls/hidden_calls.h"
#include "analyses/tracer/tracer_cost.h"
#include "base/plural.h"
#include "base/status.h"
#include "base/str.h"
#include "cmds/show/calls/show_calls.h"
#include "cmds/show/show.h"
#include "core/capture.h"
#include "render/view.h"

#include <inttypes.h>

/*
 * A trace that has at least this many calls, but no entry of a call, was made with the tracer's
 * option tracing_thresh, which suppresses entries.
 */
#define UNSEEN_THRESH_CALLS 20u

/* Options of the graph tracer that change the meaning of durations and calls. */
static const char *const unseen_options[] = { "noirqs", "nofuncgraph-irqs", "nosleep-time",
					      "nograph-time" };

static void unseen_away(struct show *s, const struct calls_summary *sum)
{
	double all = (double)sum->root_total_ns;

	if (sum->root_asleep_ns)
		view_line(s->v, "Asleep", "%s" STR_FMT ", %.1f %% of the time: %s",
			  sum->away.has_switch_events ? "" : "at most ",
			  STR_ARG(show_us(s, (double)sum->root_asleep_ns)),
			  all > 0 ? 100 * (double)sum->root_asleep_ns / all : 0.0,
			  sum->away.has_switch_events ? "by sched_switch events"
						      : "self time of schedule() and its like, the "
							"scheduler's own work in it");
	else if (!s->is_brief)
		view_line(s->v, "Asleep", "%s%s", sum->away.asleep_why_not ? "not seen: " : "",
			  sum->away.asleep_why_not ? sum->away.asleep_why_not : "no time");
	if (sum->root_irq_ns && !sum->away.irq_why_not)
		view_line(s->v, "Interrupts", STR_FMT ", %.1f %% of the time",
			  STR_ARG(show_us(s, (double)sum->root_irq_ns)),
			  all > 0 ? 100 * (double)sum->root_irq_ns / all : 0.0);
	else if (!s->is_brief)
		view_line(s->v, "Interrupts", "%s%s", sum->away.irq_why_not ? "not seen: " : "",
			  sum->away.irq_why_not ? sum->away.irq_why_not : "no time");
}

static void unseen_cut(struct show *s, const struct calls_summary *sum)
{
	if (sum->lost_events || sum->lost_unknown)
		view_line(s->v, "Lost",
			  "%s%" PRIu64 " events were lost; %" PRIu64
			  " calls hold a loss, and miss calls below",
			  sum->lost_unknown ? "at least " : "", sum->lost_events, sum->after_loss);
	if (sum->orphans && sum->orphans == sum->calls && sum->calls >= UNSEEN_THRESH_CALLS)
		view_line(s->v, "Threshold",
			  "only ends of calls are in it, as with tracing_thresh: shorter calls and "
			  "what "
			  "is below are left out, self times cannot be known");
	else if (sum->orphans && (!s->is_brief || sum->self_total_ns < sum->root_total_ns / 2))
		view_line(s->v, "Cut",
			  "%" PRIu64
			  " call%s began before the trace: calls below %s may be missing, "
			  "%s self time is not known",
			  sum->orphans, plural(sum->orphans), plural_of(sum->orphans, "it", "them"),
			  plural_of(sum->orphans, "its", "their"));
	if (sum->unclosed && !s->is_brief)
		view_line(s->v, "Cut", "%" PRIu64 " call%s not end in the trace: no duration",
			  sum->unclosed, plural_of(sum->unclosed, " does", "s do"));
}

void show_unseen(struct show *s, const struct capture *c, const struct calls_summary *sum,
		 const struct tracer_cost *cost)
{
	static const char *const depth_words[] = {
		"max_graph_depth", "max-graph-depth", "depth", "--graph-depth", "-D", NULL
	};
	static const char *const thresh_words[] = { "tracing_thresh", "threshold", "thresh", NULL };
	struct str command = show_string(s, c->command);
	uint64_t depth = hidden_calls_number(command, depth_words);
	uint64_t thresh = hidden_calls_number(command, thresh_words);

	unseen_away(s, sum);
	unseen_cut(s, sum);
	view_object(s->v, "unseen", NULL);
	view_field(s->v, "asleep_why_not", NULL,
		   sum->away.asleep_why_not ? cell_word(sum->away.asleep_why_not) : cell_null());
	view_field(s->v, "asleep_is_exact", NULL, cell_bool(sum->away.has_switch_events));
	view_field(s->v, "irq_why_not", NULL,
		   sum->away.irq_why_not ? cell_word(sum->away.irq_why_not) : cell_null());
	view_field(s->v, "depth_limit", NULL,
		   depth             ? cell_count(depth)
		   : cost->cut_depth ? cell_count(cost->cut_depth)
				     : cell_null());
	view_field(s->v, "threshold_us", NULL, thresh ? cell_count(thresh) : cell_null());
	view_field(s->v, "lost_without_count", NULL, cell_count(sum->lost_unknown));
	view_field(s->v, "no_self", NULL, cell_count(sum->no_self));
	view_field(s->v, "overfull", NULL, cell_count(sum->overfull));
	view_list(s->v, "options");
	for (size_t i = 0; i < ARRAY_LEN(unseen_options); i++) {
		if (calls_has_option(c, str_of(unseen_options[i])))
			view_field(s->v, NULL, NULL, cell_word(unseen_options[i]));
	}
	view_list_end(s->v);
	view_object_end(s->v);
	if (depth)
		view_line(s->v, "Options",
			  "depth %" PRIu64
			  ": calls below it are left out, but cost the tracer time",
			  depth);
	if (thresh)
		view_line(s->v, "Options",
			  "threshold %" PRIu64 " \xc2\xb5s: shorter calls are left out", thresh);
	if (!s->is_brief)
		view_line(
			s->v, "Untraced",
			"what ftrace cannot trace (inlined, notrace) is self time of its callers");
}
