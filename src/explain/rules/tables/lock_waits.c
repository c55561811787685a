/* SPDX-License-Identifier: MIT */
/*
 * Measured waits for locks, from perf lock contention or /proc/lock_stat. The finding names the
 * lock or caller with most of the waiting.
 *
 * Thresholds: a mean wait of 100 us for a spinning lock, or 1 s in total, is a warning. Less than
 * 1 ms in total is negligible. The table does not print the length of the measurement, so shares
 * of time are unknown.
 */
#include "base/vec.h"
#include "core/capture.h"
#include "core/strings.h"
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
/*
 * Limits for the comparison with another table of the input. WAITS_EQUAL: two numbers count as
 * equal if their ratio is between WAITS_EQUAL and 1 / WAITS_EQUAL. WAITS_MORE: the tables are
 * compared only if the lock has at least WAITS_MORE times as many waits in this table as in the
 * other one.
 */
#define WAITS_EQUAL 0.95
#define WAITS_MORE  1.5

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

/* A second table that has the same columns and a row for the same lock. */
struct waits_other {
	/* the other table; NULL: there is none, or more than one */
	const struct metrics *metrics;
	size_t row;
	/* name of the other table, if the tables have different names; otherwise empty */
	struct str label;
};

static bool waits_same_columns(const struct metrics *a, const struct metrics *b)
{
	if (a->columns.len != b->columns.len)
		return false;
	for (size_t i = 0; i < a->columns.len; i++) {
		if (a->columns.data[i].name.v != b->columns.data[i].name.v)
			return false;
	}
	return true;
}

static struct waits_other waits_other_of(const struct rule_input *in, const struct lock_waits *w)
{
	const struct metrics *m = in->capture->metrics;
	struct str mine = strings_get(capture_strings(in->capture), m->label);
	struct waits_other ret = { .metrics = NULL };

	VEC_FOREACH (c, &in->facts->dossier->captures) {
		const struct metrics *other = (*c)->metrics;

		if (*c == in->capture || !other || !waits_same_columns(m, other))
			continue;
		for (size_t row = 0; row < other->n_rows; row++) {
			if (other->names.data[row].v != m->names.data[w->top].v)
				continue;
			if (ret.metrics)
				return (struct waits_other){ .metrics = NULL };
			ret = (struct waits_other){
				other, row, strings_get(capture_strings(*c), other->label)
			};
		}
	}
	if (mine.len == 0 || str_eq(mine, ret.label))
		ret.label.len = 0;
	return ret;
}

/*
 * A clause that compares the waits with those of the other table: ", 36 times as many waits as in
 * the table of line 110 (245)". Returns "" if there is no other table, or if the lock has less than
 * WAITS_MORE times as many waits here as there.
 */
static const char *waits_compared(const struct rule_input *in, struct findings *out,
				  const struct waits_other *other, const struct lock_waits *w)
{
	const struct metrics *m = in->capture->metrics;
	double here = metrics_value(m, w->top, w->contended);
	double there = other->metrics ? metrics_value(other->metrics, other->row, w->contended) : 0;
	double taken = 0;
	const char *also = "";

	if (!(there > 0) || here < there * WAITS_MORE)
		return "";
	if (w->taken != TABLE_NO_COLUMN && metrics_value(other->metrics, other->row, w->taken) > 0)
		taken = metrics_value(m, w->top, w->taken) /
			metrics_value(other->metrics, other->row, w->taken);
	if (taken >= WAITS_EQUAL && taken <= 1 / WAITS_EQUAL)
		also = "; as many acquisitions";
	else if (taken > 0)
		also = finding_name(out, "; %.3g times as many acquisitions", taken);
	if (other->label.len)
		return finding_name(out, ", %.3g times as many waits as '" STR_FMT "' (%.0f)%s",
				    here / there, STR_ARG(other->label), there, also);
	return finding_name(out, ", %.3g times as many waits as in the table of line %u (%.0f)%s",
			    here / there, other->metrics->lines.data[other->row], there, also);
}

/*
 * Are all rows about one type of lock? Then other types may be missing, as with perf lock
 * contention -Y spinlock.
 */
static bool waits_is_one_type(const struct rule_input *in, const struct lock_waits *w)
{
	struct str type = table_words_text(in, w->top, w->type);

	for (size_t row = 0; row < in->capture->metrics->n_rows; row++) {
		if (!str_eq(table_words_text(in, row, w->type), type))
			return false;
	}
	return type.len > 0;
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
	bool is_one_type = waits_is_one_type(in, w);
	/* each counted event is a wait; false: the table also counts acquisitions without a wait */
	bool is_each = !isnan(metrics_value(m, w->top, w->max));
	/*
	 * A wait in a futex may be harmless: threads without work wait on a condition variable,
	 * which uses a futex.
	 */
	bool is_futex = str_glob(STR("futex*"), type) || str_glob(STR("futex *|futex_wait*"), name);
	bool leads = !is_futex &&
		     (total >= WAITS_LEAD_TOTAL_NS ||
		      (avg >= WAITS_LEAD_AVG_NS && str_glob(STR("spinlock|rwlock*"), type)));
	struct finding *f =
		finding_add(out, in, &rule_lock_waits, leads ? FINDING_WARNING : FINDING_NOTE,
			    is_futex ? WAITS_SURE_FUTEX : 90);
	size_t hold = table_words_column(in, "total hold");
	struct waits_other other = waits_other_of(in, w);
	struct str label =
		other.label.len ? strings_get(capture_strings(in->capture), m->label) : STR("");
	const char *side = label.len ? finding_name(out, " in '" STR_FMT "'", STR_ARG(label)) : "";
	char text[3][32];

	/*
	 * a single row always has a share of 100 %; the finding then names the table by its label
	 */
	f->names_capture = m->n_rows == 1 && label.len;
	if (m->n_rows == 1)
		finding_claim(out, f, STR_FMT "%s" STR_FMT " is waited for %s%s: %.0f %s of %s%s",
			      STR_ARG(name), type.len ? ", " : "", STR_ARG(type),
			      table_words_duration(total, text[0]), side,
			      metrics_value(m, w->top, w->contended),
			      is_each ? "waits" : "acquisitions with a mean wait",
			      table_words_duration(avg, text[2]),
			      waits_compared(in, out, &other, w));
	else
		finding_claim(
			out, f,
			"%.0f %% of the waiting for locks%s (%s of %s) is for " STR_FMT "%s" STR_FMT
			": %.0f %s of %s%s",
			total / w->sum * 100,
			is_one_type ? finding_name(out, " of the type " STR_FMT, STR_ARG(type))
				    : "",
			table_words_duration(total, text[0]), table_words_duration(w->sum, text[1]),
			STR_ARG(name), type.len && !is_one_type ? ", " : "",
			STR_ARG(is_one_type ? STR("") : type),
			metrics_value(m, w->top, w->contended),
			is_each ? "waits" : "acquisitions with a mean wait",
			table_words_duration(avg, text[2]), waits_compared(in, out, &other, w));
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
	if (hold != TABLE_NO_COLUMN && metrics_value(m, w->top, hold) > 0)
		finding_figure(f, "total time held", metrics_value(m, w->top, hold) / 1e6, 0, "ms");
	finding_subject(f, m->names.data[w->top], SUBJECT_EXPLAINED);
	finding_evidence(out, f, in, m->lines.data[w->top], STR_FMT, STR_ARG(name));
	if (other.metrics)
		finding_evidence(out, f, in, other.metrics->lines.data[other.row],
				 STR_FMT ", the other measurement", STR_ARG(name));
	for (size_t row = 0; row < m->n_rows && f->evidence.len < WAITS_EVIDENCE; row++) {
		if (row != w->top && metrics_value(m, row, w->total) >= total / 4)
			finding_evidence(out, f, in, m->lines.data[row], STR_FMT,
					 STR_ARG(table_words_name(in, row)));
	}
	finding_usual_cause(
		out, f, "%s",
		is_futex ? "Threads wait for a lock, or for work or a timeout (condition variable)"
			 : "Several CPUs want this lock at once (contention), or its holder keeps "
			   "it long");
	finding_because(out, f,
			"each wait was measured\n"
			"the elapsed time, and so the share of the waits");
	if (is_each && str_glob(STR("spinlock|rwlock*"), type))
		/*
		 * the kernel does not know the owner of a spinlock or rwlock, so option -o shows no
		 * owner
		 */
		finding_next(
			out, f,
			"perf record -a -g sleep 10; perf report --no-children: who spins, and "
			"what the callers do while they hold it");
	else if (is_each)
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

/*
 * Add a finding about a table by task (perf lock contention -t, -o): its rows are tasks, not locks.
 * @is_owner: the tasks own the locks; false: they wait for them.
 */
static void waits_task_finding(const struct rule_input *in, struct findings *out,
			       const struct lock_waits *w, bool is_owner)
{
	const struct metrics *m = in->capture->metrics;
	double total = metrics_value(m, w->top, w->total);
	struct str name = str_sub(table_words_name(in, w->top), 0, 96);
	struct finding *f = finding_add(out, in, &rule_lock_waits, FINDING_NOTE, 90);
	char text[3][32];

	finding_claim(
		out, f,
		is_owner
			? "%.0f %% of the waiting for locks (%s of %s) is for locks that the "
			  "task " STR_FMT " holds: %.0f waits of %s"
			: "%.0f %% of the waiting for locks (%s of %s) is done by the task " STR_FMT
			  ": %.0f waits of %s",
		total / w->sum * 100, table_words_duration(total, text[0]),
		table_words_duration(w->sum, text[1]), STR_ARG(name),
		metrics_value(m, w->top, w->contended),
		table_words_duration(metrics_value(m, w->top, w->avg), text[2]));
	finding_figure(f, "total wait", total / 1e6, 0, "ms");
	finding_figure(f, "waits", metrics_value(m, w->top, w->contended), 0, "");
	finding_evidence(out, f, in, m->lines.data[w->top], STR_FMT, STR_ARG(name));
	finding_usual_cause(out, f, "%s",
			    is_owner ? "The task holds its locks long, or often"
				     : "Another task holds the lock long, or often");
	finding_because(out, f,
			"each wait was measured\n"
			"the elapsed time, and so the share of the waits");
	finding_next(out, f,
		     "perf lock contention -ab sleep 10: the same waits by lock and caller");
}

static void waits_check(const struct rule_input *in, struct findings *out)
{
	struct str by =
		strings_get(capture_strings(in->capture), in->capture->metrics->name_column);
	bool is_owner = str_eq(by, STR("owner"));
	struct lock_waits w;

	if (!waits_columns(in, &w))
		return;
	if (w.sum >= WAITS_NOTE_TOTAL_NS && (is_owner || str_eq(by, STR("task"))))
		waits_task_finding(in, out, &w, is_owner);
	else if (w.sum >= WAITS_NOTE_TOTAL_NS)
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
