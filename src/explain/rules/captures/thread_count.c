/* SPDX-License-Identifier: MIT */
/*
 * The number of threads of a process grows. A text has the contents of /proc/PID/status several
 * times (snapshots), and the number of threads never falls.
 *
 * Thresholds: at least three snapshots, none with fewer threads than the previous one. The last
 * snapshot has at least twice as many threads as the first, and 50 more. A thread pool grows to the
 * number of CPUs and then stops.
 */
#include "base/str.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/kinds/counters.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(thread_count);

#define COUNT_SNAPSHOTS 3u
#define COUNT_FACTOR    2.0
#define COUNT_MORE      50.0
#define COUNT_SURE      85u

struct count_series {
	uint32_t first, last; /* indices of the first and the last capture */
	uint32_t first_line, last_line;
	double from, to;
	double pid;
	unsigned int n;
	bool falls;
	bool is_mixed; /* the snapshots are of several processes, or one prints no process id */
};

static const struct counter *count_row(const struct capture *c, struct str name)
{
	return counters_find(c->counters, capture_strings(c), STR("/proc/PID/status"), name);
}

static void count_finding(const struct rule_input *in, struct findings *out,
			  const struct count_series *s)
{
	struct rule_input side = *in;
	struct finding *f;

	side.capture = in->facts->dossier->captures.data[s->last];
	side.number = s->last;
	f = finding_add(out, &side, &rule_thread_count, FINDING_WARNING, COUNT_SURE);
	finding_claim(out, f, "The process has ever more threads: %.0f, then %.0f in %u snapshots",
		      s->from, s->to, s->n);
	finding_figure(f, "threads at the end", s->to, 0, "");
	finding_figure(f, "growth", s->to / s->from, 0, "times");
	finding_evidence(out, f, &side, s->last_line, "the last snapshot");
	side.capture = in->facts->dossier->captures.data[s->first];
	side.number = s->first;
	finding_evidence(out, f, &side, s->first_line, "the first snapshot");
	finding_usual_cause(out, f,
			    "Threads are started and do not end: each request or timer starts one, "
			    "or all of them wait for the same thing");
	finding_because(out, f, "no snapshot has fewer threads than the one before");
	finding_next(out, f,
		     "gdb -p PID -batch -ex 'thread apply all bt' (jstack, py-spy dump), then "
		     "assay on it: where do most threads wait, and who started them");
}

static void count_check(const struct rule_input *in, struct findings *out)
{
	const struct dossier *d = in->facts->dossier;
	struct count_series s = { .n = 0 };

	for (uint32_t i = 0; i < d->captures.len; i++) {
		const struct counter *row = count_row(d->captures.data[i], STR("Threads"));
		const struct counter *pid = count_row(d->captures.data[i], STR("Pid"));
		double n = row ? counter_value(row) : 0;

		if (!row || n < 1)
			continue;
		s.is_mixed |= !pid || (s.n && counter_value(pid) != s.pid);
		s.pid = pid ? counter_value(pid) : 0;
		if (s.n == 0) {
			s.first = i;
			s.first_line = row->line;
			s.from = n;
		}
		s.falls |= s.n && n < s.to;
		s.to = n;
		s.last = i;
		s.last_line = row->line;
		s.n++;
	}
	if (s.n && (s.n < COUNT_SNAPSHOTS || s.is_mixed))
		finding_not_assessed(out, in, &rule_thread_count,
				     "for i in 1 2 3; do cat /proc/PID/status; sleep 60; done",
				     s.is_mixed ? "the snapshots are not all of one process, by Pid"
						: "fewer than three snapshots");
	else if (s.n && !s.falls && s.to >= COUNT_FACTOR * s.from && s.to >= s.from + COUNT_MORE)
		count_finding(in, out, &s);
	else if (s.n)
		finding_clean(out, in, &rule_thread_count,
			      "%.0f threads, then %.0f in %u snapshots", s.from, s.to, s.n);
}

const struct rule rule_thread_count = {
	.id = "thread-count",
	.title = "The number of threads grows",
	.needs = RULE_DOSSIER,
	.check = count_check,
	.is_measured = true,
};
