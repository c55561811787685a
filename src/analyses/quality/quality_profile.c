/* SPDX-License-Identifier: MIT */
#include "analyses/compare/compare.h"
#include "analyses/event_unit.h"
#include "analyses/quality/quality.h"
#include "analyses/quality/quality_reasons.h"
#include "analyses/top/top.h"
#include "base/plural.h"
#include "base/stats.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/names/record_scope.h"
#include "core/profile.h"
#include "core/profile_inclusive.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"

#include <math.h>

/*
 * With 30 samples, the 95 % interval of a share of 50 % is 33 to 67 %: no ranking is possible. With
 * 1000 samples, the interval of a share of 10 % is 8.3 to 12.0 %: the largest shares can be ranked.
 */
#define QUALITY_SAMPLES_SERIOUS 30u
#define QUALITY_SAMPLES_CAUTION 1000u
/*
 * limits in percent, for shares of unresolved addresses, printed rows, lost samples and idle time.
 * Beyond such a limit, the first rows of a table are misleading
 */
#define QUALITY_UNSYMBOLISED_CAUTION 2.0
#define QUALITY_UNSYMBOLISED_SERIOUS 50.0
#define QUALITY_VISIBLE_CAUTION      95.0
#define QUALITY_VISIBLE_SERIOUS      20.0
#define QUALITY_LOST_SERIOUS         5.0
#define QUALITY_IDLE                 20.0

/*
 * Add a reason if the rows have more samples than the header states: they are then from different
 * recordings.
 */
static void quality_head(const struct profile *p, const struct top_summary *s, struct quality *q)
{
	if (p->has_n_samples && s->printed_samples > p->n_samples + p->n_samples_err)
		quality_add(q, "samples-contradict", QUALITY_CAUTION, (double)s->printed_samples,
			    "samples", 0,
			    "The %s says %llu samples and the rows print %llu. One of them "
			    "belongs to another recording",
			    p->is_n_samples_stated ? "text" : "header",
			    (unsigned long long)p->n_samples,
			    (unsigned long long)s->printed_samples);
}

/* Whether the event is a tracepoint. Its events are all recorded, not sampled. */
static bool quality_is_traced(const struct capture *c)
{
	struct str event = compare_event(strings_get(capture_strings(c), c->profile->event));

	return str_find_char(event, ':') < event.len && !str_glob(STR("mem:*"), event);
}

static void quality_samples(const struct capture *c, const struct top_summary *s, struct quality *q)
{
	const struct profile *p = c->profile;
	struct event_unit unit = event_unit_of(c);
	enum quality_severity severity = QUALITY_INFO;
	struct interval half;

	if (p->is_selected && p->samples.n == 0) {
		quality_add(q, "few-chosen", QUALITY_SERIOUS, 0, "samples", 0,
			    "No sample was selected: no conclusion possible");
		return;
	}
	if (unit.is_exact) {
		quality_add(q, "measured", QUALITY_INFO, NAN, "", 0,
			    "Every step was timed, so there is no sampling error");
		return;
	}
	if (event_unit_is_goroutines(&unit)) {
		quality_add(q, "counted", QUALITY_INFO, NAN, "", 0,
			    "All goroutines are counted, so there is no sampling error");
		return;
	}
	if (p->method == PROFILE_COUNTED) {
		quality_add(q, "counted", QUALITY_INFO, NAN, "", 0,
			    "All %s are counted, so there is no sampling error", unit.of);
		return;
	}
	if (p->method == PROFILE_TIMED) {
		quality_add(q, "measured", QUALITY_INFO, NAN, "", 0,
			    "Every call was timed, so there is no sampling error");
		return;
	}
	if (!s->has_samples || s->samples == 0) {
		/*
		 * shares of amounts, such as the bytes of a heap, are useful without a number of
		 * samples
		 */
		quality_add(q, "samples-unknown",
			    unit.kind == EVENT_MEMORY || unit.kind == EVENT_PLAN ? QUALITY_INFO
										 : QUALITY_UNKNOWN,
			    NAN, "samples", 0,
			    "The number of samples is unknown, so shares have no intervals");
		return;
	}
	if (p->unit == WEIGHT_BYTES && !(p->has_n_samples && p->samples.count.len)) {
		quality_add(q, "allocations", QUALITY_INFO, (double)s->samples, "stacks", 0,
			    "Bytes of %llu call stack%s: not samples, so no interval is given",
			    (unsigned long long)s->samples, plural(s->samples));
		return;
	}
	if (p->is_complete) {
		quality_add(q, "complete", QUALITY_INFO, (double)s->samples, "samples", 0,
			    "All %llu events were recorded, so there is no sampling error",
			    (unsigned long long)s->samples);
		return;
	}
	if (quality_is_traced(c) && !s->is_least) {
		quality_add(q, "events", QUALITY_INFO, (double)s->samples, "events", 0,
			    "%llu event%s of a tracepoint: records, no samples",
			    (unsigned long long)s->samples, plural(s->samples));
		return;
	}
	if (s->samples < QUALITY_SAMPLES_SERIOUS)
		severity = QUALITY_SERIOUS;
	else if (s->samples < QUALITY_SAMPLES_CAUTION)
		severity = QUALITY_CAUTION;
	half = stats_wilson(0.5 * (double)s->samples, (double)s->samples, STATS_Z95);
	if (s->is_least)
		quality_add(q, "samples-least",
			    severity == QUALITY_INFO ? QUALITY_INFO : QUALITY_UNKNOWN,
			    (double)s->samples, "samples", 0,
			    "At least %llu sample%s: the printed rows have that many. The rest is "
			    "unknown",
			    (unsigned long long)s->samples, plural(s->samples));
	else if (s->samples <= 1)
		quality_add(q, "few-samples", severity, (double)s->samples, "samples", 0,
			    "Only %llu sample%s: no conclusion possible",
			    (unsigned long long)s->samples, plural(s->samples));
	else if (severity != QUALITY_INFO)
		quality_add(q, "few-samples", severity, (double)s->samples, "samples", 0,
			    "Only %llu sample%s: one sample is %.*f %%; a row of 50 %% may be "
			    "%.0f–%.0f %%",
			    (unsigned long long)s->samples, plural(s->samples),
			    s->samples < 10 ? 0 : 1, 100 / (double)s->samples, half.low, half.high);
	else
		quality_add(q, "samples", severity, (double)s->samples, "samples", 0,
			    "%llu samples%s: one sample is %.2g %%", (unsigned long long)s->samples,
			    p->is_n_samples_assumed ? " (if 100 were taken a second)"
			    : p->n_samples_err      ? " (rounded)"
						    : "",
			    100 / (double)s->samples);
}

/* Add a reason if a filter selected only few of the samples. */
static void quality_chosen(const struct profile *p, const struct top_summary *s, struct quality *q)
{
	double n = (double)p->samples.n;
	struct interval half;

	if (!p->is_selected || p->samples.n >= QUALITY_SAMPLES_CAUTION || p->samples.n == 0 ||
	    p->samples.n == s->samples)
		return;
	half = stats_wilson(0.5 * n, n, STATS_Z95);
	quality_add(q, "few-chosen",
		    p->samples.n < QUALITY_SAMPLES_SERIOUS ? QUALITY_SERIOUS : QUALITY_CAUTION, n,
		    "samples", 0, "Only %zu sample%s selected: a row of 50 %% may be %.0f–%.0f %%",
		    p->samples.n, p->samples.n == 1 ? " was" : "s were", half.low, half.high);
}

static void quality_lost(const struct profile *p, const struct top_summary *s, struct quality *q)
{
	double pct;

	if (!p->has_lost)
		return;
	if (p->lost == 0) {
		quality_add(q, "none-lost", QUALITY_INFO, 0, "samples", 0, "No samples were lost");
		return;
	}
	pct = s->samples ? 100 * (double)p->lost / (double)(p->lost + s->samples) : 100;
	quality_add(q, "lost-samples",
		    pct > QUALITY_LOST_SERIOUS ? QUALITY_SERIOUS : QUALITY_CAUTION, (double)p->lost,
		    "samples", 0, "%llu sample%s lost, %.1f %% of all", (unsigned long long)p->lost,
		    p->lost == 1 ? " was" : "s were", pct);
}

static void quality_symbols(const struct capture *c, const struct top_summary *s, struct quality *q)
{
	const struct profile_unnamed *unnamed = &c->profile->unnamed;
	bool is_kernel = s->unnamed_kernel.pct > s->unsymbolised.pct / 2;
	struct str why =
		strings_get(capture_strings(c), is_kernel ? unnamed->kernel : unnamed->user);
	struct event_unit unit = event_unit_of(c);
	enum quality_severity severity = QUALITY_INFO;

	if (s->data.pct > PROFILE_DATA_PCT)
		quality_add(
			q, "kernel-data", QUALITY_SERIOUS, s->data.pct, "%", 0,
			"Kernel symbols are wrong: %.1f %% of samples are in kernel data (" STR_FMT
			"). The names come from another kernel",
			s->data.pct, STR_ARG(symbols_name(capture_symbols(c), s->data_example)));

	if (s->unsymbolised.rows == 0)
		return;
	if (s->unsymbolised.pct >= QUALITY_UNSYMBOLISED_SERIOUS)
		severity = QUALITY_SERIOUS;
	else if (s->unsymbolised.pct >= QUALITY_UNSYMBOLISED_CAUTION)
		severity = QUALITY_CAUTION;
	if (why.len)
		quality_add(q, "unsymbolised", severity, s->unsymbolised.pct, "%", 0,
			    "%.1f %% of %s %s in unknown functions (%u address%s): " STR_FMT
			    "; provide %s",
			    s->unsymbolised.pct, unit.of, unit.is_plural ? "are" : "is",
			    s->unsymbolised.rows, s->unsymbolised.rows == 1 ? "" : "es",
			    STR_ARG(why),
			    is_kernel ? "/proc/kallsyms of that machine (--kallsyms FILE), its "
					"vmlinux (--vmlinux FILE) or a perf archive"
				      : "files of that machine (--symfs DIR) or a perf archive");
	else
		quality_add(q, "unsymbolised", severity, s->unsymbolised.pct, "%", 0,
			    "%.1f %% of %s %s in unknown functions (%u address%s)",
			    s->unsymbolised.pct, unit.of, unit.is_plural ? "are" : "is",
			    s->unsymbolised.rows, s->unsymbolised.rows == 1 ? "" : "es");
}

/* If the printed shares add up to more than 100 %, add a reason and return true. */
static bool quality_over_100(const struct profile *p, double pct, double err, struct quality *q)
{
	if (p->unit != WEIGHT_PERCENT || pct - err < 100.005)
		return false;
	quality_add(q, "over-100", QUALITY_SERIOUS, pct, "%",
		    p->table.rows.len ? p->table.rows.data[0].line : 0,
		    "The rows add up to %.2f %%: they overlap, or refer to different totals", pct);
	return true;
}

/* Add a reason with the sum of the self shares of the printed rows, in percent of the total. */
static void quality_visible_self(const struct profile *p, const struct top *t, struct quality *q)
{
	enum quality_severity severity = QUALITY_INFO;

	if (t->total_pct < QUALITY_VISIBLE_SERIOUS && !p->has_hidden_idle)
		severity = QUALITY_SERIOUS;
	else if (t->total_pct + t->total_err < QUALITY_VISIBLE_CAUTION)
		severity = QUALITY_CAUTION;
	quality_add(q, "visible", severity, t->total_pct, "%", 0, "The rows add up to %.2f %%%s",
		    t->total_pct,
		    severity == QUALITY_INFO ? " of the total"
		    : p->has_hidden_idle     ? ", and the rest is idle time, or has no row"
					     : ", and the rest of the total has no row");
}

/* Add a reason with the part of the profile that the printed rows show. */
static void quality_visible(const struct profile *p, const struct top *t, struct quality *q)
{
	struct profile_inclusive in;

	if (!profile_has_self(p)) {
		quality_add(q, "no-self", QUALITY_CAUTION, NAN, "%", p->table.rows.data[0].line,
			    "No row has a self share. Shares with callees overlap: do not add "
			    "them");
		return;
	}
	if (t->unit != WEIGHT_PERCENT || quality_over_100(p, t->total_pct, t->total_err, q))
		return;
	if (profile_is_inclusive(p, &in))
		quality_add(q, "below-rows", QUALITY_CAUTION, in.missing, "%",
			    p->table.rows.data[in.row].line,
			    "The rows have only %.2f %% self. The largest has %.2f %% with "
			    "callees: at most %.2f %% is below no row",
			    t->total_pct, in.widest, in.missing);
	else
		quality_visible_self(p, t, q);
	/*
	 * a row with a printed 0 has either no sample or a small share. If even the share of one
	 * sample exceeds the rounding error, the row has no sample
	 */
	if (t->n_zero_rows && !(p->has_n_samples && p->n_samples && p->n_samples_err == 0 &&
				100 / (double)p->n_samples > profile_half_width(p)))
		quality_add(q, "rounded-to-zero", QUALITY_INFO, (double)t->n_zero_rows, "rows", 0,
			    "%llu of %llu rows are printed as 0: each is below %g %%, all "
			    "together below %.2f %%",
			    (unsigned long long)t->n_zero_rows, (unsigned long long)t->n_rows,
			    profile_half_width(p), (double)t->n_zero_rows * profile_half_width(p));
}

/* Add reasons if task switches are missing. Waits were computed from the switches. */
static void quality_switches(const struct capture *c, struct quality *q)
{
	const struct profile_switches *s = &c->profile->switches;

	if (s->unlinked)
		quality_add(q, "missing-switches", QUALITY_CAUTION, (double)s->unlinked, "switches",
			    c->first_line,
			    "%llu of %llu switches do not follow from the one before: events are "
			    "missing",
			    (unsigned long long)s->unlinked, (unsigned long long)s->n);
	if (s->misses_cpus)
		quality_add(q, "missing-cpus", QUALITY_CAUTION, (double)s->cpus, "CPUs",
			    c->first_line,
			    "%u of at least %u CPUs %s events. Threads may have run unseen on "
			    "the others",
			    s->cpus, s->numbers, s->cpus == 1 ? "has" : "have");
	if (s->uncounted)
		quality_add(q, "uncounted-waits", QUALITY_INFO, (double)s->uncounted, "waits", 0,
			    "%llu wait%s not counted, because events are missing in %s",
			    (unsigned long long)s->uncounted, s->uncounted == 1 ? " is" : "s are",
			    s->uncounted == 1 ? "it" : "them");
}

static void quality_idle(const struct capture *c, const struct top_summary *s, struct quality *q)
{
	/* samples of the idle task are idle time only if the event counts time */
	if (s->idle.pct >= QUALITY_IDLE && s->idle.pct < 100 &&
	    EVENT_BIT(event_unit_of(c).kind) & EVENT_IS_TIME)
		quality_add(q, "idle", QUALITY_INFO, s->idle.pct, "%", 0,
			    "%.1f %% is idle time. As shares of busy time, the others are %.3g "
			    "times as large",
			    s->idle.pct, 100 / (100 - s->idle.pct));
}

/* Whether the recorded name of the processor is the name of a virtual machine. */
static bool quality_is_guest(const struct capture *c)
{
	static const char *const words[] = { "QEMU", "KVM", "Virtual", "VMware", "Hyper-V" };
	struct str cpu = capture_note_of(c, STR("cpudesc"));

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (str_contains(cpu, str_of(words[i])))
			return true;
	}
	return false;
}

static void quality_event(const struct capture *c, struct quality *q)
{
	struct str event = strings_get(capture_strings(c), c->profile->event);

	if (event.len == 0) {
		quality_add(q, "event-unknown", QUALITY_INFO, NAN, "", 0,
			    "The sampled event is unknown");
		return;
	}
	if (str_starts(event, STR("cpu-clock")) || str_starts(event, STR("task-clock")))
		quality_add(
			q, "clock-event", QUALITY_CAUTION, NAN, "", 0,
			"Sampled by timer (" STR_FMT "): no hardware counter here (%s). Time with "
			"interrupts off is charged to the point where they are re-enabled",
			STR_ARG(event), quality_is_guest(c) ? "a virtual machine" : "usual in VMs");
}

static void quality_table(const struct profile *p, struct quality *q)
{
	uint64_t children = 0;
	size_t cut = 0;
	uint32_t first_cut = 0;
	bool has_children = false;

	VEC_FOREACH (r, &p->table.rows) {
		has_children |= (r->has & ROW_HAS_CHILDREN) != 0;
		children += r->children;
		cut += r->is_truncated;
		if (r->is_truncated && first_cut == 0)
			first_cut = r->line;
	}
	if (has_children)
		quality_add(q, "children-overlap", QUALITY_INFO, profile_value(p, children), "%", 0,
			    "Children shares overlap (they add up to %.2f %%); only Self adds up",
			    profile_value(p, children));
	if (cut)
		quality_add(q, "truncated-rows", QUALITY_CAUTION, (double)cut, "rows", first_cut,
			    "%zu truncated row%s", cut, plural(cut));
	if (p->table.is_relative_assumed)
		quality_add(q, "relative-assumed", QUALITY_INFO, NAN, "", 0,
			    "Percentages in trees were read as shares of their parent");
}

/*
 * Whether the stacks belong to more than one command, which is their outermost frame. False for
 * printed tables, if a filter selected samples, or if some stack does not begin with a command.
 */
static bool quality_has_commands(const struct capture *c)
{
	const struct profile *p = c->profile;
	const struct stacks *s = &p->stacks;
	str_id first = STR_ID_NONE;

	if (p->is_selected || p->table.rows.len)
		return false;
	for (uint32_t i = 1; i < stacks_count(s); i++) {
		const struct symbol *root;

		if (s->parent.data[i] != 0)
			continue;
		root = symbols_get(capture_symbols(c), s->sym.data[i]);
		if (root->space != SPACE_COMM)
			return false;
		if (first.v && root->name.v != first.v)
			return true;
		first = root->name;
	}
	return false;
}

static void quality_commands(const struct capture *c, struct category_cache *cats,
			     enum top_source source, double total, struct quality *q)
{
	struct top_spec spec = { .source = source,
				 .keys = { { .key = TOP_COMM } },
				 .n_keys = 1,
				 .no_children = true,
				 .sort_by_self = true,
				 .is_unnamed = true };
	struct top comms;
	struct error err;

	/*
	 * a recording of all CPUs includes all commands, even if only the rows of one command are
	 * printed
	 */
	if (c->is_system_wide || record_scope_is_all(strings_get(capture_strings(c), c->command)))
		return;
	if (quality_has_commands(c)) {
		quality_one_process(c->profile, q);
		return;
	}
	if (top_compute(c, cats, &spec, &comms, &err) < 0)
		return;
	if (comms.rows.len == 1 && comms.rows.data[0].keys[0] && source == TOP_FROM_ROWS &&
	    total < QUALITY_VISIBLE_CAUTION)
		quality_add(q, "one-command", QUALITY_INFO, 1, "commands", 0,
			    "All printed rows are of one command. The rows that are not printed "
			    "may be of others");
	else if (comms.rows.len == 1 && comms.rows.data[0].keys[0])
		quality_add(q, "one-command", QUALITY_INFO, 1, "commands", 0,
			    "Only one command was recorded; others are not visible");
	else
		quality_one_process(c->profile, q);
	top_fini(&comms);
}

void quality_profile(const struct capture *c, struct category_cache *cats, struct quality *q)
{
	const struct profile *p = c->profile;
	struct top_summary summary;
	struct top top;
	struct error err;
	struct top_spec spec = { .source = p->table.rows.len ? TOP_FROM_ROWS : TOP_FROM_SAMPLES,
				 .n_keys = 1,
				 .no_children = true,
				 .sort_by_self = true,
				 .is_unnamed = true };

	spec.keys[0].key = TOP_SYM;
	if (top_summarise(c, cats, &summary, &err) < 0) {
		/* the table has no symbols, or the profile is empty */
		quality_add(q, "no-functions",
			    p->table.rows.len ? QUALITY_CAUTION : QUALITY_SERIOUS, NAN, "",
			    c->first_line, "%s", err.msg);
		return;
	}
	quality_samples(c, &summary, q);
	quality_head(p, &summary, q);
	quality_chosen(p, &summary, q);
	quality_lost(p, &summary, q);
	quality_symbols(c, &summary, q);
	if (quality_chains(c, q))
		quality_callers(c, q);
	if (spec.source == TOP_FROM_SAMPLES) {
		(void)quality_over_100(p, summary.total.pct, summary.total.err, q);
	} else if (top_compute(c, cats, &spec, &top, &err) == OK) {
		quality_visible(p, &top, q);
		top_fini(&top);
	}
	quality_event(c, q);
	quality_recording(c, q);
	quality_switches(c, q);
	quality_idle(c, &summary, q);
	quality_table(p, q);
	quality_commands(c, cats, spec.source, summary.total.pct + summary.total.err, q);
}
