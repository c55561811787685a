/* SPDX-License-Identifier: MIT */
/*
 * The thresholds in this file decide how severe a reason is. Below a threshold, the reason and its
 * figure are still printed.
 */
#include "analyses/quality/quality.h"

#include "analyses/counters/counter_metrics.h"
#include "analyses/quality/quality_reasons.h"
#include "analyses/syscalls/syscalls.h"
#include "base/arena.h"
#include "base/number.h"
#include "base/out.h"
#include "base/plural.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/kinds/code.h"
#include "core/kinds/counter_roles.h"
#include "core/kinds/counters.h"
#include "core/kinds/distribution.h"
#include "core/kinds/metrics.h"
#include "core/kinds/records.h"
#include "core/kinds/threads.h"
#include "core/profile.h"
#include "core/strings.h"
#include "core/symbols.h"

#include <math.h>

/* in percent: if fewer events were lost, the order of the largest items is still reliable */
#define QUALITY_LOST_SERIOUS_PCT 5.0
/*
 * in percent of a function's weight: if its printed lines add up to less, the text is an excerpt.
 * Rounding alone causes smaller differences
 */
#define QUALITY_CODE_WHOLE_PCT 90.0

void quality_part(struct quality *q, const char *fmt, ...)
{
	char text[256];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	q->reasons.data[q->reasons.len - 1].missing = arena_str(&q->arena, str_of(text));
	if (q->extent != QUALITY_CUT)
		q->extent = QUALITY_EXCERPT;
}

void quality_add(struct quality *q, const char *id, enum quality_severity severity, double figure,
		 const char *unit, uint32_t line, const char *fmt, ...)
{
	struct quality_reason *r = VEC_PUSH(&q->reasons);
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	*r = (struct quality_reason){
		.id = id,
		.severity = severity,
		.sentence = arena_str(&q->arena, str_of(text)),
		.figure = figure,
		.unit = unit,
		.line = line,
	};
}

static void quality_lost_events(const struct calls *calls, uint64_t after_loss, struct quality *q)
{
	/* each call has two events: entry and return */
	double kept = calls->n ? 2 * (double)calls->n : (double)calls->marks.len;
	double lost = (double)calls->lost_events;

	if (calls->lost_events)
		quality_add(q, "lost-events",
			    100 * lost / (lost + kept) > QUALITY_LOST_SERIOUS_PCT ? QUALITY_SERIOUS
										  : QUALITY_CAUTION,
			    lost, "events", 0, "Events were lost: %llu. Calls with gaps: %llu",
			    (unsigned long long)calls->lost_events, (unsigned long long)after_loss);
}

static void quality_calls(const struct capture *c, struct quality *q)
{
	const struct calls *calls = c->calls;
	uint64_t open = 0;
	uint64_t orphans = 0;
	uint64_t after_loss = 0;
	uint64_t shortened = 0;
	uint32_t shortened_line = 0;
	uint64_t timed = 0;
	bool has_starts = false;

	for (size_t i = 0; i < calls->n; i++) {
		uint8_t state = calls->state.data[i];

		open += (state & CALL_STATE_MASK) == CALL_OPEN;
		orphans += (state & CALL_STATE_MASK) == CALL_ORPHAN;
		after_loss += (state & CALL_STATE_MASK) == CALL_AFTER_LOSS;
		if ((state & CALL_STATE_MASK) == CALL_SHORTENED && !shortened++)
			shortened_line = calls->line.data[i];
		timed += !(state & CALL_NO_DURATION);
		has_starts |= i < calls->start_ns.len && calls->start_ns.data[i] != UINT64_MAX;
	}
	if (calls->n == 0 && calls->marks.len) {
		quality_add(q, "no-calls", QUALITY_INFO, (double)calls->marks.len, "events",
			    c->first_line, "%zu event%s, no calls", calls->marks.len,
			    plural(calls->marks.len));
		quality_lost_events(calls, after_loss, q);
		return;
	}
	if (calls->n == 0) {
		quality_add(q, "no-calls", QUALITY_SERIOUS, 0, "calls", c->first_line,
			    "The trace holds no calls");
		return;
	}
	quality_add(q, "calls", QUALITY_INFO, (double)calls->n, "calls", 0, "%zu call%s", calls->n,
		    plural(calls->n));
	quality_lost_events(calls, after_loss, q);
	if (shortened)
		quality_add(q, "shortened-calls", QUALITY_CAUTION, (double)shortened, "calls",
			    shortened_line,
			    "Lines inside %llu call%s were cut out (...). Self time there is "
			    "unknown, and counts of callees are too low",
			    (unsigned long long)shortened, plural(shortened));
	if (open)
		quality_add(q, "open-calls", QUALITY_INFO, (double)open, "calls", 0,
			    "Still open when the trace ends: %llu call%s", (unsigned long long)open,
			    plural(open));
	if (orphans)
		quality_add(q, "orphan-calls", QUALITY_INFO, (double)orphans, "calls", 0,
			    "Begun before the trace: %llu call%s", (unsigned long long)orphans,
			    plural(orphans));
	if (timed == 0)
		quality_add(q, "no-durations", QUALITY_CAUTION, 0, "calls", c->first_line,
			    "No call has a duration. The trace shows %s",
			    has_starts ? "when calls began, and how many"
				       : "only order and counts");
	if (calls->has_durations && !calls->is_from_events)
		quality_add(q, "tracer-cost", QUALITY_CAUTION, NAN, "", 0,
			    "Tracing adds about the same time to every call, so "
			    "short and frequent functions look too expensive");
	if (calls->mixed)
		quality_add(
			q, "mixed-cpus", QUALITY_SERIOUS, (double)calls->mixed, "calls",
			calls->mixed_line,
			"Callers and self times are a guess: lines of several CPUs or tasks are "
			"mixed, and %llu calls were closed by their depth alone. Record with the "
			"CPU column (funcgraph-cpu)",
			(unsigned long long)calls->mixed);
	else if (calls->is_mixed)
		quality_add(q, "mixed-cpus", QUALITY_CAUTION, NAN, "", c->first_line,
			    "Calls may be nested in calls of another CPU: several CPUs switch "
			    "tasks, and the lines of calls do not name their CPU");
	else if (calls->is_bare)
		quality_add(q, "no-cpus", QUALITY_CAUTION, NAN, "", c->first_line,
			    "The trace names neither CPUs nor tasks. Calls of several CPUs would "
			    "appear nested");
	if (!calls->has_tasks && !calls->is_bare)
		quality_add(q, "no-tasks", QUALITY_INFO, NAN, "", 0,
			    "The trace names no tasks. Calls are nested by CPU");
}

/* Add a reason if frames have no name: "??" of gdb. */
static void quality_nameless(const struct capture *c, struct quality *q)
{
	const struct symbols *symbols = capture_symbols(c);
	uint32_t first = 0;
	size_t n = 0;

	VEC_FOREACH (frame, &c->threads->frames) {
		if (!str_eq(STR("??"), symbols_name(symbols, frame->sym)))
			continue;
		first = n++ ? first : frame->line;
	}
	if (n)
		quality_add(q, "nameless-frames", QUALITY_CAUTION, (double)n, "frames", first,
			    "%zu of %zu frames %s no name", n, c->threads->frames.len,
			    n == 1 ? "has" : "have");
}

static void quality_threads(const struct capture *c, struct quality *q)
{
	quality_nameless(c, q);
}

static void quality_code(const struct capture *c, struct quality *q)
{
	const struct code *code = c->code;
	const struct code_function *f = code->functions.data;
	double shown = 0;

	if (diag_get(&c->diag, "code-listing-no-numbers")) {
		quality_add(q, "no-weights", QUALITY_UNKNOWN, 0, "", c->first_line,
			    "No line has a figure: this is code without a measurement");
		return;
	}
	quality_add(q, "lines", QUALITY_INFO, (double)code->rows.len, "lines", 0,
		    "%zu line%s of code", code->rows.len, plural(code->rows.len));
	if (code->functions.len == 1 && code->is_percent) {
		shown = code_sum(code, f);
		if (shown < QUALITY_CODE_WHOLE_PCT) {
			quality_add(q, "excerpt", QUALITY_INFO, shown, "%", c->first_line,
				    "An excerpt: the lines show %.1f %% of the function", shown);
			quality_part(q, "%.1f %% of the function", shown);
		}
	} else if (code->functions.len > 1 && code->is_percent) {
		VEC_FOREACH (one, &code->functions)
			shown = fmax(shown, code_sum(code, one));
		if (shown < QUALITY_CODE_WHOLE_PCT) {
			quality_add(q, "excerpt", QUALITY_INFO, shown, "%", c->first_line,
				    "Excerpts: the lines show at most %.1f %% of each function",
				    shown);
			quality_part(q, "at most %.1f %% of each function", shown);
		}
	}
	if (code->functions.len == 1 && f->samples)
		quality_add(q, "samples", QUALITY_INFO, (double)f->samples, "samples", 0,
			    "%llu sample%s in this function", (unsigned long long)f->samples,
			    plural(f->samples));
}

static void quality_metrics(const struct capture *c, struct quality *q)
{
	const struct metrics *m = c->metrics;
	size_t unnamed = 0;
	size_t unitless = 0;
	size_t missing = 0;

	VEC_FOREACH (column, &m->columns) {
		unnamed += column->name.v == 0;
		unitless += column->unit.v == 0;
	}
	VEC_FOREACH (v, &m->values)
		missing += isnan(*v) != 0;
	quality_add(q, "rows", QUALITY_INFO, (double)m->n_rows, "rows", 0,
		    "%zu row%s of %zu column%s", m->n_rows, plural(m->n_rows), m->columns.len,
		    plural(m->columns.len));
	if (unnamed)
		quality_add(q, "unnamed-columns", QUALITY_UNKNOWN, (double)unnamed, "columns",
			    c->first_line, "%zu of %zu column%s no title. Their meaning is unknown",
			    unnamed, m->columns.len, plural_of(m->columns.len, " has", "s have"));
	else if (unitless)
		quality_add(q, "no-units", QUALITY_INFO, (double)unitless, "columns", 0,
			    "%zu of %zu column%s no unit", unitless, m->columns.len,
			    plural_of(m->columns.len, " has", "s have"));
	if (missing && m->texts.len == 0)
		quality_add(q, "empty-cells", QUALITY_INFO, (double)missing, "cells", 0,
			    "%zu empty cell%s", missing, plural(missing));
}

static void quality_records(const struct capture *c, struct quality *q)
{
	const struct records *r = c->records;
	size_t truncated = 0;
	size_t timeless = 0;
	size_t gaps = 0;
	uint32_t first_cut = 0;

	for (size_t i = 0; i < r->rows.len; i++) {
		const struct log_record *a = &r->rows.data[i];
		const struct log_record *b = i ? a - 1 : NULL;

		truncated += a->is_truncated;
		timeless += !a->has_time;
		if (a->is_truncated && first_cut == 0)
			first_cut = a->line;
		gaps += b && a->stream == b->stream && a->has_sequence && b->has_sequence &&
			a->sequence > b->sequence + 1;
	}
	quality_add(q, "records", QUALITY_INFO, (double)r->rows.len, "records", 0,
		    "%zu record%s in %zu stream%s", r->rows.len, plural(r->rows.len),
		    r->streams.len, plural(r->streams.len));
	if (truncated)
		quality_add(q, "truncated-records", QUALITY_INFO, (double)truncated, "records",
			    first_cut, "%zu truncated record%s", truncated, plural(truncated));
	if (timeless == r->rows.len && timeless)
		quality_add(q, "no-times", QUALITY_CAUTION, (double)timeless, "records",
			    c->first_line, "No record has a time");
	else if (timeless)
		quality_add(q, "no-times", QUALITY_INFO, (double)timeless, "records", 0,
			    "%zu record%s without a time", timeless, plural(timeless));
	if (gaps)
		quality_add(q, "sequence-gaps", QUALITY_CAUTION, (double)gaps, "gaps", 0,
			    "Records are missing: sequence numbers jump %zu time%s", gaps,
			    plural(gaps));
}

/* in percent: an event that was counted in a smaller fraction of the time is hardly measured */
#define QUALITY_RUNNING_PCT 25.0
/*
 * in percent of all slab memory: if the listed slab caches have less, the list lacks large caches
 */
#define QUALITY_SLAB_PCT 90.0
/* in percent: a larger standard error of repeated runs hides changes of several percent */
#define QUALITY_SPREAD_PCT 5.0

/* below this number of events, chance makes runs differ: by about 10 % for 100 events */
#define QUALITY_RARE 100.0
#define QUALITY_NAME 60u

/* Whether the counter counts so few events that chance alone makes runs differ. */
static bool quality_is_rare(const struct counter *row)
{
	return row->unit.v == 0 && row->decimals == 0 && counter_value(row) < QUALITY_RARE;
}

/*
 * in percent of the time: if two events were counted together for less than this, their ratio mixes
 * different intervals
 */
#define QUALITY_TOGETHER_PCT 50.0
/* in percent of the time: the counting times of events in the same group differ by at most this */
#define QUALITY_GROUP_PCT 1.0

/*
 * Add a reason if cycles and instructions were mostly counted in different intervals, because
 * events shared hardware counters. If they were counted for a % and b % of the time, they were
 * counted together for at least a + b - 100 %.
 */
static void quality_counter_intervals(const struct capture *c, struct quality *q)
{
	struct counter_sum cycles, instructions;

	if (!counter_sum_of(c, COUNTS_CYCLES, &cycles) ||
	    !counter_sum_of(c, COUNTS_INSTRUCTIONS, &instructions) || cycles.running < 0 ||
	    instructions.running < 0 ||
	    fabs(cycles.running - instructions.running) <= QUALITY_GROUP_PCT ||
	    cycles.running + instructions.running - 100 >= QUALITY_TOGETHER_PCT)
		return;
	quality_add(q, "mixed-intervals", QUALITY_CAUTION,
		    fmin(cycles.running, instructions.running), "%",
		    c->counters->rows.data[cycles.row].line,
		    "Instructions per cycle mixes different intervals: cycles were counted for "
		    "%.1f %% of the time, instructions for %.1f %%",
		    cycles.running, instructions.running);
}

/*
 * Add a reason if events were counted in user space only (":u"): they miss everything in the
 * kernel.
 */
static void quality_counter_levels(const struct capture *c, struct quality *q)
{
	const struct counter *unseen = NULL;
	struct counter_sum cycles, cpu;
	bool is_no_clock;

	VEC_FOREACH (row, &c->counters->rows) {
		if (!unseen && counter_metrics_is_unseen(c, row))
			unseen = row;
	}
	is_no_clock =
		counter_sum_of(c, COUNTS_CYCLES, &cycles) &&
		counter_levels(strings_get(capture_strings(c), cycles.name)) == COUNTS_IN_USER &&
		counter_sum_of(c, COUNTS_TASK_CLOCK, &cpu);
	if (unseen)
		quality_add(q, is_no_clock ? "user-only" : "user-switches", QUALITY_CAUTION, 0, "",
			    unseen->line,
			    "Counted in user space only (:u): 0 context switches or migrations are "
			    "no measurement%s",
			    is_no_clock ? ", and the clock frequency is unknown" : "");
	else if (is_no_clock)
		quality_add(q, "user-cycles", QUALITY_CAUTION, 0, "",
			    c->counters->rows.data[cycles.row].line,
			    "Cycles are counted in user space only (:u): the clock frequency is "
			    "unknown");
}

static struct str quality_counter_name(const struct capture *c, const struct counter *row)
{
	struct str key = strings_get(capture_strings(c), row->key);
	struct str name = strings_get(capture_strings(c), row->name);

	return str_sub(key.len ? key : name, 0, QUALITY_NAME);
}

/*
 * Add a reason if the listed slab caches have less than QUALITY_SLAB_PCT of the slab memory that
 * the header states.
 */
static void quality_slab(const struct capture *c, struct quality *q)
{
	const struct counters *k = c->counters;
	double listed = 0;

	if (k->n_intervals > 1)
		return;
	VEC_FOREACH (row, &k->rows) {
		if (row->state == COUNTER_COUNTED &&
		    str_eq(strings_get(capture_strings(c), row->name), STR("CACHE SIZE")))
			listed += counter_value(row);
	}
	VEC_FOREACH (fact, &c->facts) {
		double pct = 100 * listed / (double)fact->value;

		if (str_eq(strings_get(capture_strings(c), fact->name), STR(COUNTERS_FACT_SLAB)) &&
		    listed > 0 && pct < QUALITY_SLAB_PCT)
			quality_add(
				q, "listed-slab", QUALITY_CAUTION, pct, "%", c->first_line,
				"The listed caches have %.1f %% of the slab memory that the head "
				"states",
				pct);
	}
}

static void quality_counters(const struct capture *c, struct quality *q)
{
	const struct counter *least = NULL;
	const struct counter *widest = NULL;
	size_t missing = 0;
	size_t scaled = 0;

	VEC_FOREACH (row, &c->counters->rows) {
		missing += row->state == COUNTER_NOT_COUNTED;
		scaled += row->running >= 0 && row->running < 100;
		if (row->state == COUNTER_COUNTED && row->running >= 0 &&
		    (!least || row->running < least->running))
			least = row;
		if (row->spread > QUALITY_SPREAD_PCT && !quality_is_rare(row) &&
		    (!widest || row->spread > widest->spread))
			widest = row;
	}
	quality_add(q, "counters", QUALITY_INFO, (double)c->counters->rows.len, "counters", 0,
		    "%zu counter%s", c->counters->rows.len, plural(c->counters->rows.len));
	if (least && least->running < 100)
		quality_add(q, "multiplexed",
			    least->running < QUALITY_RUNNING_PCT ? QUALITY_CAUTION : QUALITY_INFO,
			    least->running, "%", least->line,
			    "%zu event%s shared hardware counters (multiplexing). Their values are "
			    "extrapolated, one from %.1f %% of the time",
			    scaled, plural(scaled), least->running);
	quality_slab(c, q);
	quality_counter_levels(c, q);
	quality_counter_intervals(c, q);
	if (missing)
		quality_add(q, "not-counted", QUALITY_CAUTION, (double)missing, "events",
			    c->first_line, "%zu event%s never counted", missing,
			    missing == 1 ? " was" : "s were");
	if (widest)
		quality_add(q, "runs-spread", QUALITY_CAUTION, widest->spread, "%", widest->line,
			    "Runs differ: the standard error of " STR_FMT " is %.1f %%",
			    STR_ARG(quality_counter_name(c, widest)), widest->spread);
}

static int quality_rank(enum quality_severity s)
{
	static const int rank[] = { 3, 1, 0, 2 };

	return rank[s];
}

/*
 * Sort the reasons, worst first; equally severe reasons keep their order. This is insertion sort,
 * because there are few reasons.
 */
static void quality_sort(struct quality *q)
{
	for (size_t i = 1; i < q->reasons.len; i++) {
		struct quality_reason r = q->reasons.data[i];
		size_t k = i;

		for (; k > 0 &&
		       quality_rank(q->reasons.data[k - 1].severity) > quality_rank(r.severity);
		     k--)
			q->reasons.data[k] = q->reasons.data[k - 1];
		q->reasons.data[k] = r;
	}
}

static void quality_distribution(const struct capture *c, struct quality *q)
{
	size_t without_unit = 0;
	uint64_t values = 0;

	VEC_FOREACH (s, &c->distribution->series) {
		without_unit += s->unit.v == 0;
		values = number_sum(values, s->is_relative ? 0 : s->count);
	}
	quality_add(q, "series", QUALITY_INFO, (double)c->distribution->series.len, "series", 0,
		    "%zu distribution%s, %llu values", c->distribution->series.len,
		    plural(c->distribution->series.len), (unsigned long long)values);
	if (without_unit)
		quality_add(q, "no-unit", QUALITY_CAUTION, (double)without_unit, "series",
			    c->first_line, "%zu of %zu distribution%s no unit", without_unit,
			    c->distribution->series.len,
			    plural_of(c->distribution->series.len, " has", "s have"));
}

/*
 * Add reasons about a log or table of system calls: the number of calls; whether times are missing,
 * are CPU time, or include tracing overhead; and the number of calls that have not returned.
 */
static void quality_syscalls(const struct capture *c, struct quality *q)
{
	struct syscalls_summary s;
	bool is_perf = str_eq(capture_note_of(c, STR("printed by")), STR("perf trace"));
	uint64_t open = 0;

	syscalls_summary_init(&s, c);
	VEC_FOREACH (t, &s.threads)
		open += t->open != INDEX_NONE;
	quality_add(q, "calls", QUALITY_INFO, (double)s.calls, "calls", 0, "%llu calls",
		    (unsigned long long)s.calls);
	if (s.clock == SYSCALL_NO_TIME)
		quality_add(q, "no-durations", QUALITY_CAUTION, 0, "calls", c->first_line,
			    is_perf    ? "Calls have no durations%s"
			    : s.is_log ? "Calls have no durations (strace -T and perf trace print "
					 "them)%s"
				       : "The table has no times%s",
			    s.is_log && c->filtered_by.v ? "" : ": counts only");
	else if (s.clock == SYSCALL_CPU_TIME)
		quality_add(
			q, "cpu-time-only", QUALITY_CAUTION, 0, "", c->first_line,
			"Times are CPU time in the kernel, without waiting, unless strace had -w");
	else
		quality_add(q, "tracer-overhead", QUALITY_INFO, 0, "", 0,
			    "Tracing slows each call down. Short calls look too long");
	if (open)
		quality_add(q, "open-calls", QUALITY_INFO, (double)open, "calls", 0,
			    "Still open when the log ends: %llu call%s", (unsigned long long)open,
			    plural(open));
	syscalls_summary_fini(&s);
}

/*
 * Add a reason if a filter such as grep removed lines that the analysis counts, as in a log: counts
 * and shares are then of the remaining lines only. Figures that a tool printed (counters, rows of a
 * table) remain correct.
 */
static void quality_filter(const struct capture *c, struct quality *q)
{
	bool is_log = c->calls && !(syscalls_is(c) && c->metrics);
	bool is_counted =
		is_log || c->records || c->distribution || (c->profile && c->profile->samples.n);
	struct str by;

	if (!c->filtered_by.v || (!is_counted && !c->is_cut))
		return;
	by = strings_get(capture_strings(c), c->filtered_by);
	if (!is_counted) {
		quality_add(q, "cut-output", QUALITY_INFO, NAN, "", c->first_line,
			    "The command pipes its output to " STR_FMT
			    ", so further lines may be missing",
			    STR_ARG(by));
		return;
	}
	quality_add(q, c->is_cut ? "cut-lines" : "filtered-lines", QUALITY_CAUTION, NAN, "",
		    c->first_line,
		    "Lines were filtered by " STR_FMT ": counts and shares are of the printed "
		    "lines only",
		    STR_ARG(by));
	quality_part(q, "lines that " STR_FMT " kept", STR_ARG(by));
}

void quality_of(const struct capture *c, struct category_cache *cats, struct quality *ret)
{
	static const enum quality_verdict verdicts[] = {
		QUALITY_GOOD,
		QUALITY_USABLE,
		QUALITY_POOR,
		QUALITY_CANNOT_TELL,
	};

	memset(ret, 0, sizeof(*ret));
	quality_extent(c, ret);
	quality_totals(c, ret);
	/* a profile made from a thread dump has no samples over time */
	if (c->profile && !c->threads)
		quality_profile(c, cats, ret);
	if (c->distribution)
		quality_distribution(c, ret);
	if (syscalls_is(c))
		quality_syscalls(c, ret);
	else if (c->calls)
		quality_calls(c, ret);
	if (c->metrics && !syscalls_is(c))
		quality_metrics(c, ret);
	if (c->code)
		quality_code(c, ret);
	if (c->records)
		quality_records(c, ret);
	if (c->counters)
		quality_counters(c, ret);
	if (c->threads)
		quality_threads(c, ret);
	quality_filter(c, ret);
	quality_diag(c, ret);
	quality_sort(ret);
	if (c->threads && c->threads->snapshots < 2)
		quality_add(ret, "one-dump", QUALITY_INFO, 1, "", c->first_line,
			    "Only one dump: it shows where threads are, not for how long");
	if (ret->reasons.len == 0 && !c->threads)
		quality_add(ret, "nothing", QUALITY_SERIOUS, NAN, "", c->first_line,
			    "This capture is empty");
	ret->verdict = ret->reasons.len ? verdicts[ret->reasons.data[0].severity] : QUALITY_GOOD;
}

void quality_fini(struct quality *q)
{
	VEC_FREE(&q->reasons);
	arena_fini(&q->arena);
}

const char *quality_not_for(const struct quality_reason *r)
{
	static const struct {
		const char *id;
		const char *not_for;
	} limits[] = {
		{ "broken-chains", "outermost callers" },
		{ "chain-ends", "outermost callers" },
		{ "clock-event", "code with interrupts off" },
		{ "cpu-time-only", "waits" },
		{ "cut-lines", "counts, shares" },
		{ "few-chosen", "small shares" },
		{ "few-samples", "small shares" },
		{ "filtered-lines", "counts, shares, order" },
		{ "kernel-data", "names of kernel functions" },
		{ "lost-events", "counts of events" },
		{ "lost-samples", "counts of events" },
		{ "mixed-cpus", "who calls whom" },
		{ "mixed-intervals", "instructions per cycle" },
		{ "multiplexed", "exact counts" },
		{ "no-callers", "callers" },
		{ "no-cpus", "who calls whom" },
		{ "no-durations", "durations" },
		{ "no-times", "durations" },
		{ "other-total", "shares across the tables" },
		{ "samples-least", "small shares" },
		{ "sequence-gaps", "counts of records" },
		{ "throttled", "counts of events" },
		{ "tracer-cost", "absolute times" },
		{ "shortened-calls", "self time and counts where lines were cut out" },
		{ "truncated-rows", "cut names" },
		{ "unsymbolised", "unknown functions" },
		{ "user-cycles", "clock frequency" },
		{ "user-only", "switches, migrations, clock frequency" },
		{ "user-switches", "switches, migrations" },
		{ "below-rows", "self shares" },
		{ "visible", "functions that are not listed" },
		{ "no-self", "self shares" },
	};

	for (size_t i = 0; i < ARRAY_LEN(limits) && r->severity != QUALITY_INFO; i++) {
		if (strcmp(limits[i].id, r->id) == 0)
			return limits[i].not_for;
	}
	return NULL;
}

const char *quality_verdict_name(enum quality_verdict verdict)
{
	static const char *const names[] = { "good", "cannot-tell", "usable", "poor" };

	return names[verdict];
}

const char *quality_extent_name(enum quality_extent extent)
{
	static const char *const names[] = { "unknown", "ends", "whole", "excerpt", "cut" };

	return names[extent];
}

const char *quality_severity_name(enum quality_severity severity)
{
	static const char *const names[] = { "info", "caution", "serious", "unknown" };

	return names[severity];
}
