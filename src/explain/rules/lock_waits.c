/* SPDX-License-Identifier: MIT */
/*
 * Measured waits for locks, from perf lock contention or /proc/lock_stat. The finding names the
 * lock or caller with most of the waiting.
 *
 * Thresholds: a mean wait of 100 us for a spinning lock, or 1 s in total, is a warning. Less than
 * 1 ms in total is negligible. The table does not print the length of the measurement, so shares
 * of time are unknown.
 */
#include "core/capture.h"
#include "explain/words/table_words.h"

#include "base/str.h"
#include "core/kinds/metrics.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <math.h>

DECLARE_RULE(lock_waits);

#define WAITS_LEAD_TOTAL_NS 1e9
#define WAITS_LEAD_AVG_NS   100e3
#define WAITS_NOTE_TOTAL_NS 1e6
#define WAITS_SURE_FUTEX    50u
#define WAITS_EVIDENCE      3u

struct lock_waits {
	size_t contended, total, max, avg, type, taken;
	double sum;   /* total wait in all rows, ns */
	double count; /* number of waits in all rows */
	size_t top;   /* index of the row with the longest total wait */
};

static bool waits_columns(const struct rule_input *in, struct lock_waits *w)
{
	const struct metrics *m = in->capture->metrics;

	w->contended = table_words_column(in, "contended");
	w->total = table_words_column(in, "total wait");
	w->max = table_words_column(in, "max wait");
	w->avg = table_words_column(in, "avg wait");
	w->type = table_words_column(in, "type");
	w->taken = table_words_column(in, "acquisitions");
	w->sum = w->count = 0;
	w->top = 0;
	if (w->contended == TABLE_NO_COLUMN || w->total == TABLE_NO_COLUMN ||
	    w->max == TABLE_NO_COLUMN || w->avg == TABLE_NO_COLUMN)
		return false;
	for (size_t row = 0; row < m->n_rows; row++) {
		w->sum += metrics_value(m, row, w->total);
		w->count += metrics_value(m, row, w->contended);
		if (metrics_value(m, row, w->total) > metrics_value(m, w->top, w->total))
			w->top = row;
	}
	return m->n_rows > 0;
}

/* Add a finding about row w->top, which has the longest total wait. */
static void waits_finding(const struct rule_input *in, struct findings *out,
			  const struct lock_waits *w)
{
	const struct metrics *m = in->capture->metrics;
	double total = metrics_value(m, w->top, w->total);
	double avg = metrics_value(m, w->top, w->avg);
	struct str type = table_words_text(in, w->top, w->type);
	struct str name = str_sub(table_words_name(in, w->top), 0, 96);
	/* the table counts waits; false: it counts acquisitions, even those without a wait */
	bool is_each = !isnan(metrics_value(m, w->top, w->max));
	/* threads without work also wait in a futex, such as that of a condition variable */
	bool is_futex = str_glob(STR("futex*"), type) || str_glob(STR("futex *|futex_wait*"), name);
	bool leads = !is_futex &&
		     (total >= WAITS_LEAD_TOTAL_NS ||
		      (avg >= WAITS_LEAD_AVG_NS && str_glob(STR("spinlock|rwlock*"), type)));
	struct finding *f =
		finding_add(out, in, &rule_lock_waits, leads ? FINDING_WARNING : FINDING_NOTE,
			    is_futex ? WAITS_SURE_FUTEX : 90);
	char text[3][32];

	finding_claim(out, f,
		      "%.0f %% of the waiting for locks (%s of %s) is for " STR_FMT "%s" STR_FMT
		      ": %.0f %s of %s",
		      total / w->sum * 100, table_words_duration(total, text[0]),
		      table_words_duration(w->sum, text[1]), STR_ARG(name), type.len ? ", " : "",
		      STR_ARG(type), metrics_value(m, w->top, w->contended),
		      is_each ? "waits" : "acquisitions with a mean wait",
		      table_words_duration(avg, text[2]));
	finding_figure(f, "total wait", total / 1e6, 0, "ms");
	finding_figure(f, "mean wait", avg / 1e3, 0, "us");
	if (is_each)
		finding_figure(f, "longest wait", metrics_value(m, w->top, w->max) / 1e3, 0, "us");
	finding_figure(f, is_each ? "waits" : "acquisitions",
		       metrics_value(m, w->top, w->contended), 0, "");
	if (w->taken != TABLE_NO_COLUMN && metrics_value(m, w->top, w->taken) > 0)
		finding_figure(f, "share of all lock acquisitions",
			       metrics_value(m, w->top, w->contended) /
				       metrics_value(m, w->top, w->taken) * 100,
			       0, "%");
	finding_subject(f, m->names.data[w->top], SUBJECT_EXPLAINED);
	finding_evidence(out, f, in, m->lines.data[w->top], STR_FMT, STR_ARG(name));
	for (size_t row = 0; row < m->n_rows && f->evidence.len < WAITS_EVIDENCE; row++) {
		if (row != w->top && metrics_value(m, row, w->total) >= total / 4)
			finding_evidence(out, f, in, m->lines.data[row], STR_FMT,
					 STR_ARG(table_words_name(in, row)));
	}
	finding_usual_cause(
		out, f, "%s",
		is_futex ? "Threads wait for a lock, or for work or a timeout (condition "
			   "variable): a futex does not show which"
			 : "Several CPUs want this lock at once (contention), or its holder "
			   "keeps it long. The wait does not show which");
	finding_because(out, f, "each wait was measured; the elapsed time is not in the table");
	if (is_each)
		finding_next(
			out, f,
			"perf lock contention -ab -o sleep 10: the owners, and the work under the "
			"lock in %s",
			finding_word(out, name, true));
	else
		finding_next(out, f,
			     "perf record -g -p PID; perf report --no-children: who takes the lock "
			     "most often, and what runs while it is held");
}

static void waits_check(const struct rule_input *in, struct findings *out)
{
	struct lock_waits w;

	if (!waits_columns(in, &w))
		return;
	if (w.sum >= WAITS_NOTE_TOTAL_NS)
		waits_finding(in, out, &w);
	else if (w.count == 0)
		finding_not_assessed(out, in, &rule_lock_waits, "perf lock contention -ab sleep 10",
				     "no waits for locks in this measurement");
	else
		finding_clean(out, in, &rule_lock_waits,
			      "%.0f waits for locks take %.0f \xc2\xb5s in total", w.count,
			      w.sum / 1e3);
}

const struct rule rule_lock_waits = {
	.id = "lock-waits",
	.title = "Measured lock waits",
	.needs = RULE_METRICS,
	.check = waits_check,
	.is_measured = true,
};
