/* SPDX-License-Identifier: MIT */
/*
 * The key with the most hits in a table of counts by key (hist triggers of ftrace):
 *
 *     { pid: 101, size: 4096 } hitcount: 90      the key has the fields pid and size
 *     { pid: 102, size: 4096 } hitcount: 80
 *
 * Thresholds: the key must have 20 % of the hits. If no key has that many, the hits are spread over
 * many keys, and there is no finding. All keys with the same value of one field ("size 4096") may
 * together have 1.2 times the hits of this key. Then the finding also names this value.
 */
#include "base/alloc.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/metrics.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/words/table_words.h"

#include <stdlib.h>

DECLARE_RULE(hit_counts);

#define HITS_NOTE_PCT    20.0
#define HITS_FIELD_RATIO 1.2
#define HITS_VISIBLE_PCT 50.0
/*
 * If a value has at least this percentage of the hits, a filter selected it and it is in all rows,
 * so it is not named.
 */
#define HITS_ALL_PCT 99.5
#define HITS_NAME    96u

struct hits {
	size_t column; /* index of the column with the hits */
	double shown;  /* sum of the hits in all rows */
	/* number of all hits, as printed; equal to `shown` if no total is printed */
	double total;
	bool has_total;
	double dropped; /* hits of keys that are not in the table, because it was full */
	size_t top;
	/*
	 * The value of one field with the most hits, such as "size 4096" in all keys together.
	 * field: index of the field's column; field_row: first row with this value; field_hits:
	 * hits of all rows with this value.
	 */
	size_t field, field_row;
	double field_hits;
};

/*
 * The event of the hist trigger: "netif_rx" in the path "cat
 * /sys/kernel/tracing/events/net/netif_rx/hist". Empty: unknown.
 */
static struct str hits_event(const struct capture *c)
{
	struct str path = strings_get(capture_strings(c), c->command);
	size_t at = str_find(path, STR("/events/"));
	size_t end = str_find(path, STR("/hist"));

	if (at >= path.len || end >= path.len || end < at + 8)
		return STR_NONE;
	path = str_sub(path, at + 8, end);
	return str_skip(path, str_find_char(path, '/') + 1);
}

/*
 * Find the value in @column with the most hits. If it has more than h->field_hits, store it in @h.
 * Values in nearly all rows (HITS_ALL_PCT) are ignored.
 */
static void hits_field(const struct rule_input *in, struct hits *h, size_t column)
{
	const struct metrics *m = in->capture->metrics;
	size_t n = capture_strings(in->capture)->views.len;
	double *sums = xcalloc(n + 1, sizeof(*sums));

	for (size_t row = 0; row < m->n_rows; row++) {
		uint32_t id = m->texts.data[row * m->columns.len + column].v;

		if (id < n)
			sums[id] += metrics_value(m, row, h->column);
	}
	for (size_t row = 0; row < m->n_rows; row++) {
		uint32_t id = m->texts.data[row * m->columns.len + column].v;

		if (id >= n || sums[id] <= h->field_hits ||
		    100 * sums[id] >= HITS_ALL_PCT * h->shown)
			continue;
		h->field_hits = sums[id];
		h->field = column;
		h->field_row = row;
	}
	free(sums);
}

static bool hits_sum(const struct rule_input *in, struct hits *h)
{
	const struct metrics *m = in->capture->metrics;
	struct str stated = capture_note_of(in->capture, STR("Hits"));
	struct str dropped = capture_note_of(in->capture, STR("Dropped"));

	*h = (struct hits){ .column = table_words_column(in, "hitcount") };
	if (h->column == TABLE_NO_COLUMN || m->columns.data[h->column].is_text || !m->is_tool ||
	    !m->n_rows)
		return false;
	for (size_t row = 0; row < m->n_rows; row++) {
		double hits = metrics_value(m, row, h->column);

		h->shown += hits;
		if (hits > metrics_value(m, h->top, h->column))
			h->top = row;
	}
	h->has_total = str_double(&stated, &h->total) && h->total >= h->shown;
	if (!h->has_total)
		h->total = h->shown;
	for (size_t i = 0; m->texts.len && i < m->columns.len; i++) {
		if (m->columns.data[i].is_text)
			hits_field(in, h, i);
	}
	(void)str_double(&dropped, &h->dropped);
	return h->total > 0;
}

/* The value of a cell. A number is preceded by the name of its column: "size 4096". */
static const char *hits_value(const struct rule_input *in, struct findings *out, size_t row,
			      size_t column)
{
	const struct metrics *m = in->capture->metrics;
	struct str text = str_sub(table_words_text(in, row, column), 0, HITS_NAME);
	struct str name = strings_get(capture_strings(in->capture), m->columns.data[column].name);

	return text.len && (char_is_digit(text.p[0]) || text.p[0] == '~' || text.p[0] == '-')
		       ? finding_name(out, STR_FMT " " STR_FMT, STR_ARG(name), STR_ARG(text))
		       : finding_name(out, STR_FMT, STR_ARG(text));
}

/*
 * A clause about the key with the largest value in the column after the hits (such as bytes).
 * Returns "" if there is no such column, or if the table does not show all hits. Also returns "" if
 * the same key has the most hits.
 */
static const char *hits_sums(const struct rule_input *in, struct findings *out, struct finding *f,
			     const struct hits *h)
{
	const struct metrics *m = in->capture->metrics;
	size_t column = h->column + 1;
	struct str name;
	double sum = 0;
	size_t top = 0;

	if (column >= m->columns.len || h->shown < h->total)
		return "";
	name = strings_get(capture_strings(in->capture), m->columns.data[column].name);
	if (str_contains(name, STR("(%)")) || str_eq(name, STR("hitcount")))
		return "";
	for (size_t row = 0; row < m->n_rows; row++) {
		sum += metrics_value(m, row, column);
		if (metrics_value(m, row, column) > metrics_value(m, top, column))
			top = row;
	}
	if (sum <= 0)
		return "";
	finding_figure(f, finding_name(out, "largest part of " STR_FMT, STR_ARG(name)),
		       100 * metrics_value(m, top, column) / sum, 0, "%");
	if (top == h->top)
		return "";
	finding_evidence(out, f, in, m->lines.data[top], "most " STR_FMT, STR_ARG(name));
	return finding_name(out, "; most " STR_FMT " (%.1f %%): " STR_FMT, STR_ARG(name),
			    100 * metrics_value(m, top, column) / sum,
			    STR_ARG(str_sub(table_words_name(in, top), 0, HITS_NAME)));
}

static void hits_finding(const struct rule_input *in, struct findings *out, const struct hits *h)
{
	const struct metrics *m = in->capture->metrics;
	double top = metrics_value(m, h->top, h->column);
	struct str event = hits_event(in->capture);
	struct str name = str_sub(table_words_name(in, h->top), 0, HITS_NAME);
	struct finding *f = finding_add(out, in, &rule_hit_counts, FINDING_NOTE, 95);
	const char *of = h->has_total ? "" : " shown";
	const char *more = "";

	f->impact = 100 * top / h->total;
	finding_figure(f, "share of the hits", 100 * top / h->total, 0, "%");
	finding_figure(f, h->has_total ? "all hits" : "hits shown", h->total, 0, "");
	if (h->dropped > 0)
		finding_figure(f, "hits in no row (table full)", h->dropped, 0, "");
	finding_evidence(out, f, in, m->lines.data[h->top], STR_FMT, STR_ARG(name));
	if (h->field_hits >= HITS_FIELD_RATIO * top) {
		const char *value = hits_value(in, out, h->field_row, h->field);

		more = finding_name(out, "; %s has %s%.1f %% in all", value,
				    h->shown < h->total ? "at least " : "",
				    100 * h->field_hits / h->total);
		finding_figure(f, finding_name(out, "share of %s", value),
			       100 * h->field_hits / h->total, 0, "%");
	}
	more = finding_name(out, "%s%s", more, hits_sums(in, out, f, h));
	finding_claim(out, f, "%.1f %% of the hits%s%s" STR_FMT " are of " STR_FMT "%s",
		      100 * top / h->total, of, event.len ? " of " : "", STR_ARG(event),
		      STR_ARG(name), more);
	finding_because(out, f,
			"the kernel counts each hit: one event\n"
			"how long each of them takes");
	finding_next(out, f,
		     "echo 'hist:keys=stacktrace if FIELD == VALUE' > trigger, then cat hist: "
		     "which code these hits come from");
}

static void hit_counts_check(const struct rule_input *in, struct findings *out)
{
	struct hits h;
	double pct;

	if (!in->capture->metrics || !hits_sum(in, &h))
		return;
	pct = 100 * metrics_value(in->capture->metrics, h.top, h.column) / h.total;
	if (in->capture->metrics->n_rows > 1 && pct >= HITS_NOTE_PCT)
		hits_finding(in, out, &h);
	else if (h.shown < HITS_VISIBLE_PCT / 100 * h.total)
		finding_not_assessed(out, in, &rule_hit_counts, "cat hist: all rows",
				     "the rows show only %.0f of %.0f hits", h.shown, h.total);
	else if (in->capture->metrics->n_rows == 1)
		finding_clean(out, in, &rule_hit_counts, "the table has a single key");
	else
		finding_clean(out, in, &rule_hit_counts,
			      "no key has more than %.1f %% of %.0f hits", pct, h.total);
}

const struct rule rule_hit_counts = {
	.id = "hit-counts",
	.title = "One key has most hits of an event",
	.needs = RULE_METRICS,
	.is_measured = true,
	.check = hit_counts_check,
};
