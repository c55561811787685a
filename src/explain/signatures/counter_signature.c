/* SPDX-License-Identifier: MIT */
#include "explain/signatures/counter_signature.h"

#include "analyses/counters/counter_metrics.h"
#include "base/number.h"
#include "base/vec.h"
#include "core/ids.h"

#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/kinds/counter_roles.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/signatures/counter_devices.h"
#include "explain/signatures/counter_halves.h"

#include <math.h>

#define SIGNATURE_NAME_MAX 64u
/*
 * If fewer CPUs than this are busy, CPU time is less than a fifth of the elapsed time. Then saving
 * CPU time hardly speeds up the program. (Rule cpu-underused warns below 0.25.)
 */
#define SIGNATURE_BUSY 0.2
/* if the mean clock rate is below this, in GHz, the CPUs were halted most of the time */
#define SIGNATURE_RUNS_GHZ 0.1
/*
 * If a program uses less CPU time than this, in seconds, it does little more than start. A start
 * takes about a millisecond, with cold caches and new memory.
 */
#define SIGNATURE_SHORT_S 0.01
/* a run with at most this elapsed time, in seconds, is mostly the start of the program */
#define SIGNATURE_START_S 0.1
/*
 * The claim also names the interval with the peak if the peak is at least this many times the mean.
 */
#define SIGNATURE_PEAK         2.0
#define SIGNATURE_SURE_SEVERAL 60u
/*
 * if a single interval has more than this part (0 to 1) of the events, they are a burst, and not a
 * rate
 */
#define SIGNATURE_BURST 0.5
/* Two columns count the same events if their sums differ by at most this part (0 to 1). */
#define SIGNATURE_EQUAL 0.01
/*
 * Two counters count the same events if their values differ in each interval by at most the part
 * SIGNATURE_NEAR (0 to 1) plus SIGNATURE_NEAR_COUNT events. With more than SIGNATURE_INTERVALS
 * intervals, counters are not compared.
 */
#define SIGNATURE_NEAR       0.05
#define SIGNATURE_NEAR_COUNT 5
#define SIGNATURE_INTERVALS  1000u
/*
 * If kernel threads in the list of tasks of top use at least this part (0 to 1) of the system CPU
 * time, they are the problem. Rules about kernel threads report it.
 */
#define SIGNATURE_THREADS 0.5

/*
 * The metric that matches @ids, if all its rows were left out because their values are impossible,
 * such as 3378 % of CPU time. NULL: no such metric.
 */
static const struct counter_impossible *signature_impossible(const struct rule_input *in,
							     const char *ids)
{
	for (size_t i = 0; i < in->counters->n_impossible; i++) {
		if (str_glob(str_of(ids), str_of(in->counters->impossible[i].def->id)))
			return &in->counters->impossible[i];
	}
	return NULL;
}

static bool signature_reaches(const struct counter_signature *s, const struct counter_metric *m,
			      double from)
{
	return s->is_below ? m->value <= from : m->value >= from;
}

/* Share of CPU time that the events of the metric cost, in percent; 0: unknown. */
static double signature_impact(const struct counter_signature *s, const struct counter_metric *m)
{
	double impact = s->is_below        ? 0
			: s->usual_cost_ns ? m->value * (double)s->usual_cost_ns / 1e7
			: str_eq(str_of(m->def->unit), STR("%")) ? m->value
								 : 0;

	return fmin(100, impact);
}

static void signature_figures(const struct rule_input *in, struct findings *out, struct finding *f,
			      const struct counter_signature *s, const struct counter_metric *m)
{
	/* a mean over the rows of several devices has more values than intervals */
	bool is_rows = m->n > in->capture->counters->n_intervals;

	if (m->def->cost > 0) {
		finding_figure(f, finding_name(out, "%s, at %g each", s->name, m->def->cost),
			       m->value, 0, m->def->unit);
		finding_figure(f, finding_name(out, "at %g each", m->def->cost_low),
			       m->value / m->def->cost * m->def->cost_low, 0, m->def->unit);
		finding_figure(f, finding_name(out, "at %g each", m->def->cost_high),
			       fmin(100, m->value / m->def->cost * m->def->cost_high), 0,
			       m->def->unit);
	} else if (m->high > m->low)
		finding_figure_interval(f, s->name, m->value, m->low, m->high, m->def->unit);
	else
		finding_figure(f, s->name, m->value, 0, m->def->unit);
	if (m->n > 1) {
		finding_figure(f, is_rows ? "rows" : "intervals", (double)m->n, 0, "");
		finding_figure(f, is_rows ? "highest row" : "highest interval", m->peak, 0,
			       m->def->unit);
	}
	if (s->usual_cost_ns)
		finding_figure(f,
			       finding_name(out, "share of CPU time, if each costs %s",
					    finding_duration(out, s->usual_cost_ns)),
			       signature_impact(s, m), 0, "%");
	if (m->running >= 0 && m->running < 100)
		finding_figure(f, "counted for", m->running, 0, "% of the time");
}

static bool signature_is_number(struct str key)
{
	uint64_t n;

	return str_u64(&key, &n) && key.len == 0;
}

/*
 * The value of a metric, followed by its title without the unit: "10 GiB in deleted files" for a
 * title that begins with MiB. "": the title begins with no unit of size. In pidstat, kB means 1024
 * bytes (sysstat, pidstat.c).
 */
static const char *signature_size(struct findings *out, const struct counter_metric *m)
{
	static const struct {
		const char *unit, *per;
		double bytes;
	} units[] = { { "KiB", "", 1024 }, { "MiB", "", 1024 * 1024 }, { "kB/s", "/s", 1024 } };
	struct str title = str_of(m->def->title);

	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		if (str_eq(str_of(m->def->unit), str_of(units[i].unit)) &&
		    str_starts(title, str_of(units[i].unit)))
			return finding_name(out, "%s%s%s",
					    finding_bytes(out, m->value * units[i].bytes),
					    units[i].per, m->def->title + strlen(units[i].unit));
	}
	return "";
}

/*
 * The value and title of the metric: "52521 context switches per second of CPU time", "23.4 % of
 * the cycles on CPU 3".
 */
static const char *signature_value(const struct rule_input *in, struct findings *out,
				   const struct counter_metric *m)
{
	const char *text;
	bool is_thread;
	struct str key = str_sub(
		counter_task_name(strings_get(capture_strings(in->capture), m->key), &is_thread), 0,
		SIGNATURE_NAME_MAX);
	struct str device = capture_note_of(in->capture, STR(COUNTERS_NOTE_DEVICE));
	bool is_percent = str_eq(str_of(m->def->unit), STR("%"));
	/* keep more decimals, so that 99.96 % is not printed as 100.0 % */
	bool is_nearly_all = is_percent && m->value < 100 && m->value >= 99.95;
	int decimals = counter_metric_is_whole(m) || m->value >= 1000 ? 0
		       : m->value >= 10 && !is_nearly_all             ? 1
		       : m->value >= 0.1 || m->value < 0.00005        ? 2
		       : m->value >= 0.01                             ? 3
								      : 4;

	/* the cost of an event is assumed to be in a range, so the share is printed as a range */
	if (m->def->cost > 0) {
		double low = m->value / m->def->cost * m->def->cost_low;
		double high = m->value / m->def->cost * m->def->cost_high;

		return finding_name(out, "%.*f to %.*f %% %s, at %g to %g each", low < 10 ? 1 : 0,
				    low, high < 10 ? 1 : 0, fmin(high, 100), m->def->title,
				    m->def->cost_low, m->def->cost_high);
	}
	/*
	 * For attributes of a disk, the key is the name of the attribute, which is also in the
	 * title. So print the disk instead of the key.
	 */
	if (device.len && key.len)
		key = device;
	if (!key.len)
		key = capture_note_of(in->capture, STR(COUNTERS_NOTE_INTERFACE));
	text = signature_size(out, m);
	if (!*text)
		text = finding_name(out, "%s%s %s",
				    m->value < 1e6 ? finding_name(out, "%.*f", decimals, m->value)
						   : finding_count(out, m->value),
				    is_percent ? " %" : "", m->def->title);
	return finding_name(out, "%s%s%s%s" STR_FMT, text, key.len ? " on " : "",
			    !signature_is_number(key) ? ""
			    : m->def->numbered        ? m->def->numbered
						      : "CPU",
			    signature_is_number(key) ? " " : "", STR_ARG(key));
}

/*
 * Is the metric a part of CPU time, in a run that uses less than SIGNATURE_BUSY CPUs? Then the
 * result is "clean" (no problem): the program mostly waits, and rule cpu-underused reports this.
 */
static bool signature_is_small(const struct rule_input *in, struct findings *out,
			       const struct rule *rule, const struct counter_metric *m)
{
	const struct counter_metric *cpus =
		rule->counters->is_of_cpu_time ? counter_metrics_find(in->counters, "cpus-utilised")
					       : NULL;

	if (!cpus || cpus->value >= SIGNATURE_BUSY)
		return false;
	finding_clean(out, in, rule, "%s, but only %s: the program waits",
		      signature_value(in, out, m), signature_value(in, out, cpus));
	return true;
}

/*
 * Is the metric a part of CPU time, in a run whose caches were mostly cold? Caches are cold after
 * CPUs were halted, and in a program that starts and ends at once. Then the metric shows no
 * problem, and the result is "clean" or "not assessed".
 */
static bool signature_is_cold(const struct rule_input *in, struct findings *out,
			      const struct rule *rule, const struct counter_metric *m)
{
	const struct counter_metric *hz = rule->counters->is_of_cpu_time
						  ? counter_metrics_find(in->counters, "frequency")
						  : NULL;
	struct counter_sum cpu;

	if (!rule->counters->is_of_cpu_time)
		return false;
	if (hz && hz->value < SIGNATURE_RUNS_GHZ) {
		finding_clean(out, in, rule, "%s, but the CPUs are halted: %.3f GHz on average",
			      signature_value(in, out, m), hz->value);
		return true;
	}
	if (!counter_metrics_cpu_seconds(in->capture, &cpu) || cpu.value <= 0 ||
	    cpu.value >= SIGNATURE_SHORT_S)
		return false;
	finding_not_assessed(out, in, rule, "a longer run", "only %s of CPU time: %s",
			     finding_duration(out, number_whole(cpu.value * 1e9)),
			     signature_value(in, out, m));
	return true;
}

/* Does the measured command only sleep? */
static bool signature_sleeps(const struct rule_input *in)
{
	struct str command = strings_get(capture_strings(in->capture), in->capture->command);

	return str_glob(STR("sleep|sleep *|*/sleep|*/sleep *"), command);
}

/*
 * Did the program use less than SIGNATURE_SHORT_S of CPU time? Then the run is mostly the start of
 * the program, or the program waits on purpose, like a server without work. *@ret_cpu: the CPU
 * time.
 */
static bool signature_is_hardly(const struct rule_input *in, struct counter_sum *ret_cpu)
{
	return counter_metrics_cpu_seconds(in->capture, ret_cpu) && ret_cpu->value > 0 &&
	       ret_cpu->value < SIGNATURE_SHORT_S;
}

/*
 * The sentence @says, which begins with "The program". If the whole machine was measured, it begins
 * with "The machine" instead.
 */
static const char *signature_says(const struct rule_input *in, struct findings *out,
				  const char *says)
{
	struct str command = strings_get(capture_strings(in->capture), in->capture->command);
	struct str rest = str_of(says);

	if (!str_eq(command, STR("system wide")) || !str_take(&rest, STR("The program ")))
		return says;
	return finding_name(out, "The machine " STR_FMT, STR_ARG(rest));
}

/*
 * Does one of several intervals have most of the events? Then the problem does not last, and the
 * result is "clean" (no problem).
 */
static bool signature_is_burst(const struct rule_input *in, struct findings *out,
			       const struct rule *rule, const struct counter_metric *m)
{
	if (!rule->counters->is_steady || m->burst <= SIGNATURE_BURST)
		return false;
	finding_clean(out, in, rule, "%s, but one interval has %.0f %% of them",
		      signature_value(in, out, m), 100 * m->burst);
	return true;
}

/*
 * The clause ", in one interval 61.2 %" about the interval with the largest value. "": that value
 * is less than SIGNATURE_PEAK times the mean.
 */
static const char *signature_peak(struct findings *out, const struct counter_metric *m)
{
	bool is_percent = str_eq(str_of(m->def->unit), STR("%"));

	if (m->n < 2 || !is_percent || !(m->peak >= SIGNATURE_PEAK * m->value) || m->value <= 0)
		return "";
	return finding_name(out, ", in one interval %.1f %%", m->peak);
}

/*
 * If one task computes and uses the device @d in turn, add its figures to @f, and return the cause.
 * NULL: no such task.
 */
static const char *signature_serial(const struct rule_input *in, struct findings *out,
				    struct finding *f, const struct counter_devices *d)
{
	struct rule_input other = *in;
	struct counter_reader task;
	struct str name;

	if (!counter_devices_reader(in, d, &task))
		return NULL;
	name = str_sub(task.name, 0, SIGNATURE_NAME_MAX);
	other.number = task.capture;
	other.capture = in->facts->dossier->captures.data[task.capture];
	finding_figure(f, "busy by rate and time of its requests", 100 * d->known, 0, "%");
	finding_figure(f, "CPU time of the busiest task", task.cpu, 0, "%");
	finding_evidence(out, f, &other, task.line, STR_FMT, STR_ARG(name));
	return finding_name(out,
			    "One request at a time: '" STR_FMT
			    "' computes for %.0f %% of the time, and the requests take %.0f %% of "
			    "it. Likely one thread reads and computes in turn, so neither the "
			    "device nor other CPUs have more to do",
			    STR_ARG(name), task.cpu, 100 * d->known);
}

/*
 * For a rule about storage, if the devices are fast (counter_devices_are_calm()): make @f a note,
 * add figures of the devices, and return the cause, s->calm or s->parallel_few. NULL: the rule is
 * not about storage, or the devices are not fast.
 */
static const char *signature_calm(const struct rule_input *in, struct findings *out,
				  struct finding *f, const struct counter_signature *s,
				  const struct counter_metric *m)
{
	struct counter_devices d;
	const char *serial;

	if (!s->calm || !counter_devices_of(in, m->key, &d) || !counter_devices_are_calm(&d))
		return NULL;
	f->severity = FINDING_NOTE;
	if (!isnan(d.ms))
		finding_figure(f, "mean time of a request", d.ms, 0, "ms");
	if (!isnan(d.queue))
		finding_figure(f, "requests in flight", d.queue, 0, "");
	if (d.line != m->line)
		finding_evidence(out, f, in, d.line, "requests of the device");
	serial = signature_serial(in, out, f, &d);
	if (serial)
		return serial;
	if (s->parallel && counter_devices_are_few(&d) &&
	    str_glob(str_of(s->parallel), strings_get(capture_strings(in->capture), m->key)))
		return s->parallel_few;
	return s->calm;
}

/* The value of the counter @name of @key in interval @interval; NaN: not counted. */
static double signature_at(const struct counters *k, str_id name, str_id key, uint32_t interval)
{
	VEC_FOREACH (row, &k->rows) {
		if (row->name.v == name.v && row->key.v == key.v && row->interval == interval &&
		    row->state == COUNTER_COUNTED)
			return counter_value(row);
	}
	return NAN;
}

/*
 * Does the counter @name have the same value as @m in each interval, within SIGNATURE_NEAR? The
 * counter is printed in lines of its own. Cost: O(intervals * rows), with at most
 * SIGNATURE_INTERVALS intervals.
 */
static bool signature_equals_each(const struct counters *k, const struct counter_metric *m,
				  str_id name)
{
	bool has_any = false;

	if (k->n_intervals > SIGNATURE_INTERVALS)
		return false;
	for (uint32_t i = 0; i < k->n_intervals; i++) {
		double x = signature_at(k, m->name, m->key, i);
		double y = signature_at(k, name, m->key, i);

		if (isnan(x) && isnan(y))
			continue;
		if (!(fabs(x - y) <= x * SIGNATURE_NEAR + SIGNATURE_NEAR_COUNT))
			return false;
		has_any |= x > SIGNATURE_NEAR_COUNT;
	}
	return has_any;
}

/*
 * Find a counter that matches s->equal and counts the same events as @m. If it is printed in the
 * same lines as @m, both must have the same sum. If each is printed in lines of its own, as by perf
 * stat, both must have the same value in each interval. STR_NONE: none.
 */
static struct str signature_equal(const struct rule_input *in, const struct counter_signature *s,
				  const struct counter_metric *m)
{
	const struct counters *k = in->capture->counters;
	const struct strings *names = capture_strings(in->capture);
	double sum = 0;

	if (!s->equal || m->value <= 0)
		return STR_NONE;
	VEC_FOREACH (row, &k->rows) {
		if (row->name.v == m->name.v && row->key.v == m->key.v &&
		    row->state == COUNTER_COUNTED)
			sum += counter_value(row);
	}
	VEC_FOREACH (first, &k->rows) {
		struct str name = strings_get(names, first->name);
		double other = 0;

		if (first->key.v != m->key.v || first->name.v == m->name.v ||
		    !str_glob(str_of(s->equal), name))
			continue;
		if (first->line != m->line) {
			if (first->interval == 0 && signature_equals_each(k, m, first->name))
				return name;
			continue;
		}
		VEC_FOREACH (row, &k->rows) {
			if (row->name.v == first->name.v && row->key.v == m->key.v &&
			    row->state == COUNTER_COUNTED)
				other += counter_value(row);
		}
		if (fabs(other - sum) <= sum * SIGNATURE_EQUAL)
			return name;
	}
	return STR_NONE;
}

/* The name of a column that only one tool prints: @names is a pattern without alternatives. */
static struct str signature_column(const char *names)
{
	struct str name = str_of(names);

	if (str_find_char(name, '|') < name.len)
		return STR_NONE;
	return str_skip(name, str_starts(name, STR("*")));
}

/*
 * The output that would show the missing metric @ids: "perf stat -e branches,branch-misses
 * COMMAND", "the whole output of cachestat: MISSES".
 */
static const char *signature_wanted(const struct rule_input *in, struct findings *out,
				    const char *ids)
{
	const struct counter_metric_def *def = counter_metrics_def(in->capture, ids);
	const char *top = def ? counter_role_event(def->top) : NULL;
	const char *bottom = def ? counter_role_event(def->bottom) : NULL;
	struct str column = STR_NONE, per = STR_NONE;

	if (!def || (def->how == METRIC_RATIO && !top))
		return "perf stat -d -d COMMAND";
	if (def->how == METRIC_RATIO)
		return finding_name(out, "perf stat -e %s%s%s COMMAND", top, bottom ? "," : "",
				    bottom ? bottom : "");
	column = signature_column(def->column);
	if (column.len && def->per)
		per = signature_column(def->per);
	return finding_name(
		out, "the whole output of " STR_FMT "%s" STR_FMT "%s" STR_FMT,
		STR_ARG(strings_get(capture_strings(in->capture), in->capture->counters->tool)),
		column.len ? ": " : "", STR_ARG(column), per.len ? " and " : "", STR_ARG(per));
}

void counter_signature_check(const struct rule_input *in, struct findings *out,
			     const struct rule *rule)
{
	const struct counter_signature *s = rule->counters;
	const struct counter_metric *m = counter_metrics_find(in->counters, s->metric);
	const struct counter_metric *other =
		s->needs ? counter_metrics_find(in->counters, s->needs) : NULL;
	const struct counter_metric *by =
		s->unless ? counter_metrics_find(in->counters, s->unless) : NULL;
	const struct counter_metric *when = s->when ? counter_halves_metric(in, s->when) : NULL;
	const struct counter_impossible *bad = signature_impossible(in, s->metric);
	struct finding *f;
	const char *calm;
	bool is_several, is_place;
	bool is_when = when && (s->when_from > 0 ? when->value >= s->when_from
						 : when->value <= s->when_up_to);
	double threads = s->is_unless_threads ? counter_halves_threads(in) : 0;
	bool is_hardly;
	bool has_attributes;
	struct counter_sum cpu, elapsed;
	bool is_between = s->between_because && in->capture->counters->is_difference;
	struct str name, equal;

	/*
	 * this capture is the first of two readings: only the capture of the second reading is
	 * judged, because its values are the differences
	 */
	if (!m && s->between_because && in->capture->counters->is_only_since_boot)
		return;
	if (!m && is_between) {
		finding_clean(out, in, rule, "none between the two readings: %s", s->name);
		return;
	}
	if (!m || (s->needs && !other && !s->needs_if_known)) {
		if (m)
			finding_not_assessed(out, in, rule, signature_wanted(in, out, s->needs),
					     "%s; there is no figure to judge whether that is much",
					     signature_value(in, out, m));
		else if (bad)
			finding_not_assessed(
				out, in, rule, s->next[0],
				bad->def->is_part
					? "line %u gives %.0f %% %s, which is impossible: "
					  "a part is larger than its whole"
					: "line %u prints %.0f %% %s, which is impossible: "
					  "the row is damaged",
				bad->line, bad->value, bad->def->title);
		else if (in->capture->counters->is_only_since_boot &&
			 counter_metrics_def(in->capture, s->metric))
			finding_not_assessed(out, in, rule, "vmstat 1 5",
					     "the only row is the mean since boot: %s now is "
					     "unknown",
					     s->name);
		else if (counter_metrics_def(in->capture, s->metric))
			finding_not_assessed(out, in, rule, signature_wanted(in, out, s->metric),
					     "no figure for %s", s->name);
		return;
	}
	if (m->few > 0 && m->low < s->note && m->high >= s->note) {
		finding_not_assessed(out, in, rule, s->next[0],
				     "only %.0f counted: %s could be %.1f to %.1f %%", m->few,
				     signature_value(in, out, m), m->low, m->high);
		return;
	}
	if (!signature_reaches(s, m, s->note) || (s->up_to > 0 && m->value > s->up_to)) {
		finding_clean(out, in, rule, "%s", signature_value(in, out, m));
		return;
	}
	if (other && other->value < s->needs_from) {
		finding_clean(out, in, rule, "%s, but only %s", signature_value(in, out, m),
			      signature_value(in, out, other));
		return;
	}
	if (other && other->key.v && m->key.v && other->key.v != m->key.v) {
		finding_not_assessed(out, in, rule, s->next[0], "%s, but %s",
				     signature_value(in, out, m), signature_value(in, out, other));
		return;
	}
	if (by && by->value >= s->unless_from) {
		finding_not_assessed(out, in, rule, s->next[0], "%s may explain it: %s",
				     signature_value(in, out, by), signature_value(in, out, m));
		return;
	}
	if (threads > 0 && threads >= m->value * SIGNATURE_THREADS) {
		finding_not_assessed(out, in, rule, s->next[0],
				     "%s, of which threads of the kernel in the list of tasks use "
				     "%.1f %%",
				     signature_value(in, out, m), threads);
		return;
	}
	if (signature_is_small(in, out, rule, m) || signature_is_cold(in, out, rule, m) ||
	    signature_is_burst(in, out, rule, m))
		return;
	if (s->is_not_attached && signature_sleeps(in)) {
		finding_not_assessed(out, in, rule, s->next[0], "the command sleeps on purpose: %s",
				     signature_value(in, out, m));
		return;
	}
	if (s->is_not_attached && in->capture->counters->is_attached) {
		finding_not_assessed(out, in, rule, s->next[0],
				     "counted in a process that ran already, which may be idle: %s",
				     signature_value(in, out, m));
		return;
	}
	is_hardly = s->is_not_attached && signature_is_hardly(in, &cpu);
	if (is_hardly && (!counter_metrics_elapsed(in->capture, &elapsed) ||
			  elapsed.value < SIGNATURE_START_S)) {
		finding_not_assessed(out, in, rule, "a longer run", "only %s of CPU time: %s",
				     finding_duration(out, number_whole(cpu.value * 1e9)),
				     signature_value(in, out, m));
		return;
	}
	is_several = s->several && m->n_near > 1;
	f = finding_add(out, in, rule,
			signature_reaches(s, m, s->lead) && !is_several && !is_hardly &&
					!(m->few > 0 && m->low < s->lead)
				? FINDING_WARNING
				: FINDING_NOTE,
			is_several ? SIGNATURE_SURE_SEVERAL : s->sure);
	/*
	 * All attributes of a disk are in one column. So the name of the attribute is the key of
	 * the value, and not the name of the column.
	 */
	has_attributes = m->key.v && capture_note_of(in->capture, STR(COUNTERS_NOTE_DEVICE)).len;
	name = str_sub(strings_get(capture_strings(in->capture), has_attributes ? m->key : m->name),
		       0, SIGNATURE_NAME_MAX);
	f->impact = signature_impact(s, m);
	f->is_kind = true;
	/*
	 * omit the name of the column if the title contains it: "tasks in state D" for column
	 * "state D"
	 */
	finding_claim(out, f, "%s: %s%s%s",
		      is_several ? finding_name(out, "%u %s", m->n_near, s->several)
				 : signature_says(in, out, s->what),
		      signature_value(in, out, m),
		      /*
		       * a ratio has two counters, and its title is a better name than the name of
		       * the first counter
		       */
		      m->def->how == METRIC_RATIO || str_contains(str_of(m->def->title), name)
			      ? ""
			      : finding_name(out, " (" STR_FMT ")", STR_ARG(name)),
		      signature_peak(out, m));
	signature_figures(in, out, f, s, m);
	if (m->few > 0)
		finding_figure(f, "counted in all", m->few, 0, "");
	finding_evidence(out, f, in, m->line, STR_FMT, STR_ARG(name));
	if (m->peak_line && m->peak_line != m->line && m->n > 1)
		finding_evidence(out, f, in, m->peak_line, STR_FMT, STR_ARG(name));
	if (m->bottom_line && m->bottom_line != m->line)
		finding_evidence(
			out, f, in, m->bottom_line, STR_FMT,
			STR_ARG(str_sub(strings_get(capture_strings(in->capture), m->bottom), 0,
					SIGNATURE_NAME_MAX)));
	is_place = s->place &&
		   str_glob(str_of(s->place), strings_get(capture_strings(in->capture), m->key));
	if (is_when) {
		struct str title = str_of(when->def->title);

		(void)str_take(&title, STR("of "));
		finding_figure(f, title.p, when->value, 0, when->def->unit);
		finding_evidence(out, f, in, when->line, "%s", when->def->title);
		finding_next(out, f, "%s", s->when_next);
	}
	calm = signature_calm(in, out, f, s, m);
	equal = signature_equal(in, s, m);
	if (equal.len)
		finding_cause(out, f, "%s", s->equal_cause);
	else if (is_place)
		finding_cause(out, f, "%s", s->place_cause);
	else if (calm && (calm == s->calm || calm == s->parallel_few))
		finding_cause(out, f, "%s", calm);
	else if (calm)
		finding_usual_cause(out, f, "%s", calm);
	else if (is_when)
		finding_cause(out, f, "%s", s->when_cause);
	else if (is_several)
		finding_usual_cause(out, f, "%s", s->several_cause);
	else
		finding_causes(out, f, s->cause, s->usual_cause);
	if (equal.len && s->is_equal_minor)
		f->severity = FINDING_NOTE;
	if (equal.len)
		finding_because(out, f, STR_FMT " of the same %s: %s",
				STR_ARG(str_sub(equal, 0, SIGNATURE_NAME_MAX)),
				s->is_equal_minor ? "intervals has the same values"
						  : "rows has the same sum",
				s->equal_because);
	else
		finding_because(out, f, "%s",
				is_place     ? s->place_because
				: is_when    ? s->when_because
				: is_between ? s->between_because
					     : s->because);
	if (!equal.len && !is_place && !is_when)
		finding_unknown(out, f, s->not_known);
	if (equal.len && s->equal_next)
		finding_next(out, f, "%s", s->equal_next);
	if (is_place)
		finding_next(out, f, "%s", s->place_next);
	/* skip s->next[0], "take two readings", if the input already has two readings */
	for (size_t i = is_between ? 1 : 0; !(equal.len && s->equal_next) && !is_place &&
					    !is_when && i < ARRAY_LEN(s->next) && s->next[i];
	     i++)
		finding_next(out, f, "%s", s->next[i]);
}
