/* SPDX-License-Identifier: MIT */
/* show_profile_head.c - the lines before the table of a profile: recording, samples, stacks */

#include "analyses/categories.h"
#include "analyses/event_unit.h"
#include "analyses/top/top.h"
#include "base/alloc.h"
#include "base/out.h"
#include "base/plural.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmds/risk/heat.h"
#include "cmds/run/session.h"
#include "cmds/show/show.h"
#include "cmds/show/show_front.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/profile_inclusive.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "metrics/risk.h"
#include "render/view.h"
#include "transform/recover.h"
#include "transform/transform.h"

#include <inttypes.h>

struct str show_samples(struct show *s, const struct profile *p)
{
	if (p->n_samples_err)
		return show_format(s, "%" PRIu64 " ± %" PRIu64 " samples", p->n_samples,
				   p->n_samples_err);
	if (p->is_n_samples_assumed)
		return show_format(s, "about %" PRIu64 " samples", p->n_samples);
	return show_plural(s, p->n_samples, "sample", "samples");
}

static void profile_json_head(struct show *s, const struct profile *p)
{
	struct cell samples = cell_count(p->n_samples);

	view_field(s->v, "event", NULL, show_name(s, p->event));
	view_field(s->v, "event_count", NULL,
		   p->has_event_count ? cell_count(p->event_count) : cell_none());
	view_field(s->v, "samples", NULL,
		   p->has_n_samples ? cell_with_err(samples, (double)p->n_samples_err)
				    : cell_none());
	view_field(s->v, "lost", NULL, p->has_lost ? cell_count(p->lost) : cell_none());
}

static const char *profile_unit_name(enum weight_unit unit)
{
	switch (unit) {
	case WEIGHT_SAMPLES:
		return "samples";
	case WEIGHT_EVENTS:
		return "events";
	case WEIGHT_NS:
		return "ns";
	case WEIGHT_PERCENT:
		return "percent";
	case WEIGHT_BYTES:
		return "bytes";
	case WEIGHT_UNKNOWN:
		break;
	}
	return "unknown";
}

/*
 * Write the part `recording`, and a sentence in text: sampling rate, losses and other counts that
 * the recording states.
 */
static void profile_recording(struct show *s, const struct profile *p)
{
	const struct profile_recording *r = &p->recording;
	const struct {
		const char *key;
		const char *one; /* noun for a count of one; NULL: this count is only in JSON */
		const char *many;
		uint64_t n;
	} counts[] = {
		{ "frequency", NULL, NULL, r->frequency },
		{ "period", NULL, NULL, r->period },
		{ "enabled_ns", NULL, NULL, r->enabled_ns },
		{ "running_ns", NULL, NULL, r->running_ns },
		{ "lost_records", "record lost", "records lost", r->lost_records },
		{ "lost_samples", "sample lost", "samples lost", r->lost_samples },
		{ "throttled", "time throttled", "times throttled", r->throttled },
		{ "switches", "context switch", "context switches", r->switches },
		{ "forks", "fork", "forks", r->forks },
		{ "exits", "exit", "exits", r->exits },
		{ "namespaces", "change of namespaces", "changes of namespaces", r->namespaces },
		{ "cgroups", "control group", "control groups", r->cgroups },
		{ "reads", "count read", "counts read", r->reads },
		{ "aux", "record of hardware traces", "records of hardware traces", r->aux },
	};
	struct out line = { .fd = -1 };

	if (!r->is_known)
		return;
	view_object(s->v, "recording", NULL);
	if (r->frequency)
		out_printf(&line, "%" PRIu64 " samples a second wanted", r->frequency);
	else if (r->period)
		out_printf(&line, "a sample every %" PRIu64 " %s", r->period,
			   p->unit == WEIGHT_NS ? "ns" : plural_of(r->period, "event", "events"));
	for (size_t i = 0; i < ARRAY_LEN(counts); i++) {
		view_field(s->v, counts[i].key, NULL,
			   counts[i].n ? cell_count(counts[i].n) : cell_none());
		if (counts[i].one && counts[i].n)
			out_printf(&line, "%s%" PRIu64 " %s", out_view(&line).len ? ", " : "",
				   counts[i].n, counts[i].n == 1 ? counts[i].one : counts[i].many);
	}
	view_object_end(s->v);
	if (!s->is_brief)
		view_line(s->v, "Recorded", STR_FMT, STR_ARG(out_view(&line)));
	out_fini(&line);
}

/*
 * The unit of the event count: "cycles", "page-faults". If the event's name is not a plural, the
 * unit is "events".
 */
static struct str profile_count_unit(const struct capture *c)
{
	struct str unit = top_divide_unit(c);
	struct str event = strings_get(capture_strings(c), c->profile->event);
	struct event_unit of = event_unit_of(c);

	/*
	 * an event NAME-time, such as elapsed-time, counts nanoseconds if the number of samples is
	 * unknown
	 */
	if (c->profile->unit == WEIGHT_NS || str_eq(unit, STR("ns")) ||
	    (str_ends(event, STR("-time")) && !c->profile->has_n_samples))
		return STR("ns");
	if (event_unit_is_bytes(&of))
		return STR("bytes");
	return str_ends(unit, STR("s")) ? unit : STR("events");
}

/* The sum of the samples' times in ns; 0: the weights of stacks are no times. */
static double profile_stack_ns(const struct profile *p)
{
	double sum = 0;

	if (p->table.rows.len || profile_sample_unit(p) != WEIGHT_NS)
		return 0;
	VEC_FOREACH (w, &p->samples.weight)
		sum += profile_value(p, *w);
	return sum;
}

void show_profile_head(struct show *s, const struct capture *c)
{
	const struct profile *p = c->profile;
	struct out what = { .fd = -1 };

	profile_json_head(s, p);
	view_field(s->v, "unit", NULL, cell_word(profile_unit_name(p->unit)));
	if (p->event.v)
		out_printf(&what, "event " STR_FMT "%s, ", STR_ARG(show_string(s, p->event)),
			   p->is_event_inferred ? " (the innermost function shows it)" : "");
	if (p->has_n_samples)
		out_printf(&what, STR_FMT ", ", STR_ARG(show_samples(s, p)));
	if (p->has_event_count)
		out_printf(&what, STR_FMT ", ",
			   STR_ARG(show_amount(s, (double)p->event_count, profile_count_unit(c))));
	else if (profile_stack_ns(p) > 0)
		out_printf(&what, STR_FMT " in total, ",
			   STR_ARG(show_amount(s, profile_stack_ns(p), STR("ns"))));
	if (p->wall_ns && p->has_event_count)
		out_printf(&what, "%.0f %% of a CPU over " STR_FMT ", ",
			   100 * (double)p->event_count / (double)p->wall_ns,
			   STR_ARG(show_amount(s, (double)p->wall_ns, STR("ns"))));
	if (p->has_lost)
		out_printf(&what, "%" PRIu64 " lost, ", p->lost);
	/* if the page has one capture, its title already contains the number of rows */
	if (p->table.rows.len && !(show_front_is_single(s) && !p->has_n_samples))
		out_printf(
			&what, STR_FMT ", ",
			STR_ARG(show_plural(s, p->table.rows.len, "printed row", "printed rows")));
	if (p->samples.n && (p->table.rows.len ? p->recovery == RECOVERY_NONE
					       : !show_front_is_single(s) || p->has_n_samples))
		out_printf(&what, STR_FMT ", ",
			   STR_ARG(show_plural(s, profile_count_samples(p), "weighted stack",
					       "weighted stacks")));
	/* if the profile is a query plan, the title already has the number of steps */
	if (what.len > 2 && !str_eq(show_string(s, p->event), STR("plan-time"))) {
		what.data[what.len - 2] = '\0';
		view_line(s->v, "What", "%s", what.data);
	}
	out_fini(&what);
	profile_recording(s, p);
}

/* The number of different stacks in the samples. Memory: a bit per stack node. */
static uint64_t profile_count_stacks(const struct profile *p)
{
	CLEANUP(freep) uint8_t *seen = xcalloc(stacks_count(&p->stacks) / 8 + 1, 1);
	uint64_t n = 0;

	VEC_FOREACH (stack, &p->samples.stack) {
		uint8_t bit = (uint8_t)(1u << (stack->v & 7));

		n += !(seen[stack->v >> 3] & bit);
		seen[stack->v >> 3] |= bit;
	}
	return n;
}

/*
 * Whether the title of the page contains the number of stacks. This requires that the page has one
 * capture, that it does not state its number of samples, and that each sample has a different
 * stack.
 */
static bool profile_is_folded(const struct show *s, const struct profile *p)
{
	return show_front_is_single(s) && !p->has_n_samples &&
	       profile_count_stacks(p) == profile_count_samples(p);
}

bool show_profile_is_titled(const struct show *s, const struct profile *p)
{
	if (!show_front_is_single(s) || p->event.v || p->has_n_samples || p->has_event_count ||
	    p->has_lost)
		return false;
	if (!p->table.rows.len)
		return p->has_no_callers || profile_is_folded(s, p);
	return !p->table.nodes.len && !(p->samples.n && p->recovery == RECOVERY_NONE);
}

void show_profile_stacks(struct show *s, uint32_t capture)
{
	const struct profile *p = s->session->dossier->captures.data[capture]->profile;
	const struct recover_result *r = &s->session->change.recovered.data[capture];
	bool is_printed = p->table.rows.len > 0;
	uint64_t count = profile_count_stacks(p);
	struct profile_inclusive in;

	view_object(s->v, "stacks", NULL);
	view_field(s->v, "count", NULL, cell_count(count));
	view_field(s->v, "exact", NULL, cell_bool(!is_printed || p->recovery == RECOVERY_EXACT));
	if (is_printed && p->recovery != RECOVERY_NONE) {
		view_field(s->v, "samples", NULL, cell_count(r->samples));
		view_field(s->v, "rows_checked", NULL, cell_count(r->rows_checked));
		view_field(s->v, "rows_matching", NULL, cell_count(r->rows_matching));
		view_field(s->v, "with_chain", NULL, cell_real(r->recovered_pct, 2));
		view_field(s->v, "without_chain", NULL, cell_real(r->bare_pct, 2));
		view_field(s->v, "missing", NULL, cell_real(r->missing_pct, 2));
		view_field(s->v, "why", NULL, *r->why.msg ? cell_word(r->why.msg) : cell_none());
	}
	view_object_end(s->v);
	if (is_printed && p->table.nodes.len == 0)
		/*
		 * no sentence is needed: the verdict on the data reports that call chains are
		 * missing
		 */
		return;
	if (is_printed && p->recovery == RECOVERY_EXACT)
		view_line(s->v, "Stacks",
			  "%" PRIu64 " samples in %" PRIu64
			  " stacks, rebuilt from the trees: printing them again gives %" PRIu64
			  " of %" PRIu64 " rows as they are",
			  r->samples, count, r->rows_matching, r->rows_checked);
	else if (is_printed && profile_is_inclusive(p, &in))
		view_line(s->v, "Stacks",
			  "printed trees of shares with callees, which may overlap; at most "
			  "%.2f %% is below no row",
			  in.missing);
	else if (is_printed && p->recovery == RECOVERY_PARTIAL)
		view_line(s->v, "Stacks",
			  "%.2f %% has a printed call chain, %.2f %% only a function; at most "
			  "%.2f %% is in no row",
			  r->recovered_pct, r->bare_pct, r->missing_pct);
	else if (!is_printed && !p->has_no_callers && !profile_is_folded(s, p))
		view_line(s->v, "Stacks", STR_FMT,
			  STR_ARG(show_plural(s, count, "in all", "distinct")));
}
