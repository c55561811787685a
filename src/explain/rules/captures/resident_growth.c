/* SPDX-License-Identifier: MIT */
/*
 * The resident memory of a process grows in the output of top or pidstat, which prints all
 * processes again and again (snapshots). If a snapshot has several processes with one name, these
 * are ignored, because their rows cannot be distinguished.
 *
 * Thresholds: six snapshots. The memory never shrinks, and it grows from at least four of five
 * snapshots to the next, in total by a fifth and by 4 MiB. A third of the growth must be in the
 * second half of the snapshots, since memory that is filled once stops growing. A program that is
 * still starting grows as well, so the finding is always a note.
 */
#include "base/alloc.h"
#include "base/number.h"
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

#include <stdlib.h>

DECLARE_RULE(resident_growth);

#define RESIDENT_SNAPSHOTS 6u
/* minimum part (0 to 1) of the snapshots that are larger than the previous one */
#define RESIDENT_STEPS  0.8
#define RESIDENT_GROWTH 1.2
#define RESIDENT_KIB    4096.0
#define RESIDENT_LATE   (1.0 / 3)
/* a growth of fewer MiB per second is printed as MiB per hour */
#define RESIDENT_SLOW 0.1
#define RESIDENT_DAY  86400.0
#define RESIDENT_MOST 3u /* maximum number of findings */
#define RESIDENT_SURE 60u

struct resident_point {
	str_id key;
	str_id path;
	double kib;
	uint32_t capture, interval, line, second;
};

struct resident {
	VEC(struct resident_point) points;
};

/*
 * For each interval, the first thread of the process: it has the name of the process, and the
 * lowest number. If it is not printed, its oldest printed thread is taken instead. Owner: the
 * caller.
 */
static const struct counter **resident_threads(const struct counters *k)
{
	const struct counter **ret = xcalloc(k->n_intervals, sizeof(*ret));

	VEC_FOREACH (row, &k->rows) {
		if (row->task && (!ret[row->interval] || row->task < ret[row->interval]->task))
			ret[row->interval] = row;
	}
	return ret;
}

/* The sizes of a process whose threads are listed are in notes, one for each interval. */
static void resident_take_threads(struct resident *r, const struct capture *c, uint32_t number)
{
	const struct counter **threads = resident_threads(c->counters);
	uint32_t interval = 0;

	VEC_FOREACH (note, &c->notes) {
		struct str text = strings_get(capture_strings(c), note->value);
		uint64_t kib;

		if (interval == c->counters->n_intervals ||
		    !str_eq(strings_get(capture_strings(c), note->key), STR(COUNTERS_NOTE_THREADS)))
			continue;
		text = str_skip(text, str_find(text, STR("RES ")));
		if (threads[interval] && str_take(&text, STR("RES ")) && str_u64(&text, &kib))
			*VEC_PUSH(&r->points) = (struct resident_point){
				threads[interval]->key,
				c->path,
				(double)kib,
				number,
				interval,
				note->line,
				threads[interval]->second,
			};
		interval++;
	}
	free(threads);
}

static void resident_take(struct resident *r, const struct capture *c, uint32_t number)
{
	VEC_FOREACH (row, &c->counters->rows) {
		if (row->key.v && row->state == COUNTER_COUNTED &&
		    str_glob(STR("RES|RSS"), strings_get(capture_strings(c), row->name)))
			*VEC_PUSH(&r->points) = (struct resident_point){
				row->key,      c->path,   counter_value(row), number,
				row->interval, row->line, row->second,
			};
	}
}

/* Compare two points by process, then by position in the input. */
static int resident_cmp(const void *va, const void *vb)
{
	const struct resident_point *a = va;
	const struct resident_point *b = vb;

	if (a->path.v != b->path.v)
		return a->path.v < b->path.v ? -1 : 1;
	if (a->key.v != b->key.v)
		return a->key.v < b->key.v ? -1 : 1;
	if (a->capture != b->capture)
		return a->capture < b->capture ? -1 : 1;
	if (a->interval != b->interval)
		return a->interval < b->interval ? -1 : 1;
	return (a->line > b->line) - (a->line < b->line);
}

/*
 * Does the process whose @n snapshots are at @p grow steadily? It must never shrink, grow from most
 * snapshots to the next, and grow enough over all snapshots and in their second half.
 */
static bool resident_grows(const struct resident_point *p, size_t n)
{
	double first = p[0].kib, last = p[n - 1].kib;
	size_t up = 0;

	if (n < RESIDENT_SNAPSHOTS)
		return false;
	for (size_t i = 1; i < n; i++) {
		bool is_same_snapshot =
			p[i].capture == p[i - 1].capture && p[i].interval == p[i - 1].interval;

		if (is_same_snapshot || p[i].kib < p[i - 1].kib)
			return false;
		up += p[i].kib > p[i - 1].kib;
	}
	return (double)up >= RESIDENT_STEPS * (double)(n - 1) && last >= first * RESIDENT_GROWTH &&
	       last - first >= RESIDENT_KIB &&
	       last - p[n / 2].kib >= (last - first) * RESIDENT_LATE;
}

/* Seconds from the first of @n snapshots to the last; 0: unknown. */
static double resident_seconds(const struct resident_point *p, size_t n)
{
	double ret = 0;

	for (size_t i = 1; i < n; i++) {
		if (!p[i].second || !p[i - 1].second || p[i].capture != p[0].capture)
			return 0;
		/* if a time of day is smaller than the previous one, it belongs to the next day */
		ret += (p[i].second < p[i - 1].second ? RESIDENT_DAY : 0) + p[i].second;
		ret -= p[i - 1].second;
	}
	return ret;
}

static void resident_claim(struct findings *out, struct finding *f, struct str name,
			   const struct resident_point *p, size_t n)
{
	double seconds = resident_seconds(p, n);
	double first = p[0].kib / 1024, last = p[n - 1].kib / 1024;
	double rate = seconds > 0 ? (last - first) / seconds : 0;
	bool is_slow = rate < RESIDENT_SLOW;

	if (seconds <= 0) {
		finding_claim(out, f,
			      STR_FMT ": resident memory grows over %zu snapshots, from %.1f to "
				      "%.1f MiB",
			      STR_ARG(name), n, first, last);
		return;
	}
	finding_claim(out, f,
		      STR_FMT ": resident memory grows by %.1f MiB %s, from %.1f to %.1f MiB in %s "
			      "(%zu snapshots)",
		      STR_ARG(name), is_slow ? rate * 3600 : rate, is_slow ? "an hour" : "a second",
		      first, last, finding_duration(out, number_whole(seconds * 1e9)), n);
	finding_figure(f, is_slow ? "growth an hour" : "growth a second",
		       is_slow ? rate * 3600 : rate, 0, "MiB");
}

static void resident_finding(const struct rule_input *in, struct findings *out,
			     const struct resident_point *p, size_t n)
{
	struct rule_input side = *in;
	struct finding *f;
	struct str name;

	side.number = p[0].capture;
	side.capture = in->facts->dossier->captures.data[side.number];
	name = str_sub(strings_get(capture_strings(side.capture), p[0].key), 0, 64);
	f = finding_add(out, &side, &rule_resident_growth, FINDING_NOTE, RESIDENT_SURE);
	f->impact = 100 * (1 - p[0].kib / p[n - 1].kib);
	resident_claim(out, f, name, p, n);
	finding_figure(f, "resident memory, last against first", p[n - 1].kib / p[0].kib, 0,
		       "times");
	finding_evidence(out, f, &side, p[0].line, "the first snapshot");
	side.number = p[n - 1].capture;
	side.capture = in->facts->dossier->captures.data[side.number];
	finding_evidence(out, f, &side, p[n - 1].line, "the last snapshot");
	finding_usual_cause(out, f,
			    "The process keeps what it allocates: a leak, a cache or history "
			    "without a limit, or it is still starting");
	finding_because(out, f,
			"the sizes are printed\n"
			"whether memory stops growing later");
	finding_value(out, f, "PROCESS", name);
	finding_next(out, f, "pidstat -r -p PID 60: does it grow on with the same load");
	finding_next(out, f,
		     "take a heap profile at two times: heaptrack, jmap -histo, tracemalloc, pprof "
		     "heap");
}

static void resident_check(const struct rule_input *in, struct findings *out)
{
	const struct dossier *d = in->facts->dossier;
	struct resident r = { .points = VEC_INIT };
	size_t n = 0, longest = 0;
	unsigned int found = 0;
	bool has_threads = false;

	for (uint32_t i = 0; i < d->captures.len; i++) {
		const struct capture *c = d->captures.data[i];

		if (c->counters && c->counters->is_one_process)
			resident_take_threads(&r, c, i);
		else if (c->counters && c->counters->is_threads)
			has_threads = true;
		else if (c->counters)
			resident_take(&r, c, i);
	}
	VEC_SORT(&r.points, resident_cmp);
	for (size_t i = 0; i < r.points.len; i += n) {
		const struct resident_point *p = &r.points.data[i];

		for (n = 1;
		     i + n < r.points.len && p[n].key.v == p->key.v && p[n].path.v == p->path.v;)
			n++;
		longest = n > longest ? n : longest;
		if (resident_grows(p, n) && found++ < RESIDENT_MOST)
			resident_finding(in, out, p, n);
	}
	if (r.points.len && longest < RESIDENT_SNAPSHOTS)
		finding_not_assessed(out, in, &rule_resident_growth, "top -b -d 10 -n 12",
				     "at most %zu snapshot%s of a process; growth needs %u",
				     longest, longest > 1 ? "s" : "", RESIDENT_SNAPSHOTS);
	else if (!r.points.len && has_threads)
		finding_not_assessed(out, in, &rule_resident_growth, "top -b -d 10 -n 12",
				     "the rows are threads of several processes, and each repeats "
				     "the memory of its process");
	else if (r.points.len && !found)
		finding_clean(out, in, &rule_resident_growth,
			      "no process grows steadily, by a fifth and by 4 MiB");
	VEC_FREE(&r.points);
}

const struct rule rule_resident_growth = {
	.id = "resident-growth",
	.title = "Resident memory grows",
	.needs = RULE_DOSSIER,
	.check = resident_check,
};
