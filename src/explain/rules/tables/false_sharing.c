/* SPDX-License-Identifier: MIT */
/*
 * Cache lines that move between CPUs, from perf c2c: the cache line, its accessed bytes, its
 * readers and writers.
 *
 * Thresholds: a cache line with 10 % of all hits in modified lines (HITM) is a note, with 30 % a
 * warning. The share is the one that perf prints, which also counts the lines that the table of
 * accesses leaves out; if perf prints none, it is the share of the listed hits. The table must have
 * at least 50 such hits. If nearly all hits are at one offset, the variable itself is shared, and
 * padding does not help.
 */
#include "core/capture.h"
#include "explain/words/table_words.h"

#include "base/str.h"
#include "core/kinds/metrics.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <math.h>

DECLARE_RULE(false_sharing);

#define SHARING_NOTE_PCT 10.0
#define SHARING_LEAD_PCT 30.0
#define SHARING_MIN_HITM 50.0
/*
 * if one offset in the cache line has at least this share of the hits, percent, one variable is
 * shared
 */
#define SHARING_ONE_PCT 90.0
#define SHARING_OFFSETS 16u

struct sharing {
	size_t remote, local, stores, offset, hitm, line, source, share;
	/*
	 * index of the column that counts: remote hits, or local hits if there are no remote ones
	 */
	size_t hits;
	double sum; /* sum of the hits in all cache lines */
	size_t top; /* index of the first row of the cache line with the most hits */
	double top_hitm;
	double offsets[SHARING_OFFSETS];
	/* shares[i]: share of offsets[i] in the cache line's hits, percent */
	double shares[SHARING_OFFSETS];
	double writes[SHARING_OFFSETS];
	size_t n;
};

static bool sharing_columns(const struct rule_input *in, struct sharing *s)
{
	*s = (struct sharing){ 0 };
	s->remote = table_words_column(in, "remote HITM");
	s->local = table_words_column(in, "local HITM");
	s->stores = table_words_column(in, "stores");
	s->offset = table_words_column(in, "offset");
	s->hitm = table_words_column(in, "line HITM");
	s->line = table_words_column(in, "cache line");
	s->source = table_words_column(in, "source");
	s->share = table_words_column(in, "line share");
	return s->remote != TABLE_NO_COLUMN && s->local != TABLE_NO_COLUMN &&
	       s->stores != TABLE_NO_COLUMN && s->offset != TABLE_NO_COLUMN &&
	       s->hitm != TABLE_NO_COLUMN && s->line != TABLE_NO_COLUMN;
}

static void sharing_lines(const struct rule_input *in, struct sharing *s)
{
	const struct metrics *m = in->capture->metrics;

	for (size_t row = 0; row < m->n_rows; row++) {
		double hitm = metrics_value(m, row, s->hitm);

		if (row && str_eq(table_words_text(in, row, s->line),
				  table_words_text(in, row - 1, s->line)))
			continue;
		s->sum += hitm;
		if (hitm > s->top_hitm) {
			s->top = row;
			s->top_hitm = hitm;
		}
	}
}

/*
 * Add up hits and stores by offset, for the cache line with the most hits. Hits are remote ones;
 * if there are none, local ones.
 */
static void sharing_offsets(const struct rule_input *in, struct sharing *s)
{
	const struct metrics *m = in->capture->metrics;
	struct str line = table_words_text(in, s->top, s->line);
	double remote = 0;

	for (size_t row = s->top; row < m->n_rows; row++)
		remote += str_eq(table_words_text(in, row, s->line), line)
				  ? metrics_value(m, row, s->remote)
				  : 0;
	s->hits = remote > 0 ? s->remote : s->local;
	for (size_t row = s->top;
	     row < m->n_rows && str_eq(table_words_text(in, row, s->line), line); row++) {
		double offset = metrics_value(m, row, s->offset);
		size_t i = 0;

		while (i < s->n && s->offsets[i] != offset)
			i++;
		if (i == SHARING_OFFSETS)
			continue;
		if (i == s->n)
			s->offsets[s->n++] = offset;
		s->shares[i] += metrics_value(m, row, s->hits);
		s->writes[i] += metrics_value(m, row, s->stores);
	}
}

static void sharing_evidence(const struct rule_input *in, struct findings *out, struct finding *f,
			     const struct sharing *s)
{
	const struct metrics *m = in->capture->metrics;
	struct str line = table_words_text(in, s->top, s->line);

	for (size_t row = s->top; row < m->n_rows && f->evidence.len < 6 &&
				  str_eq(table_words_text(in, row, s->line), line);
	     row++) {
		if (metrics_value(m, row, s->remote) < 5 && metrics_value(m, row, s->local) < 5 &&
		    metrics_value(m, row, s->stores) < 5)
			continue;
		finding_evidence(out, f, in, m->lines.data[row],
				 "offset 0x%llx: " STR_FMT " " STR_FMT " %.1f %% of the hits",
				 (unsigned long long)metrics_value(m, row, s->offset),
				 STR_ARG(table_words_name(in, row)),
				 STR_ARG(table_words_text(in, row, s->source)),
				 metrics_value(m, row, s->hits));
	}
	if (f->evidence.len == 0)
		finding_evidence(out, f, in, m->lines.data[s->top], STR_FMT,
				 STR_ARG(table_words_name(in, s->top)));
}

/* The row with the most hits at offset number @i of the hottest cache line. */
static size_t sharing_row(const struct rule_input *in, const struct sharing *s, size_t i)
{
	const struct metrics *m = in->capture->metrics;
	struct str line = table_words_text(in, s->top, s->line);
	size_t best = s->top;
	double most = -1;

	for (size_t row = s->top;
	     row < m->n_rows && str_eq(table_words_text(in, row, s->line), line); row++) {
		if (metrics_value(m, row, s->offset) != s->offsets[i] ||
		    metrics_value(m, row, s->hits) <= most)
			continue;
		most = metrics_value(m, row, s->hits);
		best = row;
	}
	return best;
}

/* The share of the hottest line in all hits that perf printed, percent. NAN: not printed. */
static double sharing_printed(const struct rule_input *in, const struct sharing *s)
{
	return s->share == TABLE_NO_COLUMN ? (double)NAN
					   : metrics_value(in->capture->metrics, s->top, s->share);
}

/* The share of the hottest line in all hits, or else in the listed hits, percent. */
static double sharing_pct(const struct rule_input *in, const struct sharing *s)
{
	double printed = sharing_printed(in, s);

	return isnan(printed) ? s->top_hitm / s->sum * 100 : printed;
}

static void sharing_finding(const struct rule_input *in, struct findings *out,
			    const struct sharing *s)
{
	double pct = sharing_pct(in, s);
	const char *hits = isnan(sharing_printed(in, s)) ? "listed hits" : "hits";
	struct str line = table_words_text(in, s->top, s->line);
	struct str name;
	size_t first = 0;
	size_t used = 0;
	double listed = 0;
	bool is_one, is_least;
	struct finding *f;

	for (size_t i = 0; i < s->n; i++) {
		if (s->shares[i] > s->shares[first])
			first = i;
		used += s->shares[i] > 0 || s->writes[i] > 0;
		listed += s->shares[i];
	}
	name = str_sub(table_words_name(in, sharing_row(in, s, first)), 0, 96);
	is_one = s->shares[first] >= SHARING_ONE_PCT;
	/* the table lacks the offsets of some hits, so at least one more offset is used */
	is_least = listed < SHARING_ONE_PCT;
	used += is_least;
	f = finding_add(out, in, &rule_false_sharing,
			pct >= SHARING_LEAD_PCT ? FINDING_WARNING : FINDING_NOTE, is_one ? 80 : 74);
	f->impact = pct;
	if (is_one)
		finding_claim(out, f,
			      "%.1f %% of the %s in modified cache lines are on the line "
			      "at " STR_FMT
			      ", nearly all at offset 0x%llx: one shared variable (" STR_FMT ")",
			      pct, hits, STR_ARG(line), (unsigned long long)s->offsets[first],
			      STR_ARG(name));
	else
		finding_claim(out, f,
			      "False sharing: %.1f %% of the %s in modified cache lines are on "
			      "the line at " STR_FMT
			      ", in %s%zu fields, most at offset 0x%llx (" STR_FMT ")",
			      pct, hits, STR_ARG(line), is_least ? "at least " : "", used,
			      (unsigned long long)s->offsets[first], STR_ARG(name));
	finding_figure(f, finding_name(out, "share of the %s in modified lines", hits), pct, 0,
		       "%");
	finding_figure(f, "hits in modified lines", s->top_hitm, 0, "");
	finding_figure(f, "offsets touched", (double)used, 0, "");
	finding_figure(f, "share of the hottest offset", s->shares[first], 0, "%");
	sharing_evidence(in, out, f, s);
	finding_cause(out, f, "%s",
		      is_one ? "CPUs read and write one variable. Each write takes the cache line "
			       "away from all others"
			     : "Different CPUs read and write fields in one cache line. Each write "
			       "takes the line away from readers of its neighbours");
	finding_because(out, f, "%s",
			is_one ? "the CPU itself reports the source of the data; the offset "
				 "identifies the field"
			       : "the CPU itself reports the source of the data; different CPUs "
				 "per field are likely, but not in the table");
	finding_next(out, f, "%s",
		     is_one ? "keep one copy per CPU or thread and sum on read, or write the "
			      "variable less often"
			    : "pahole -C STRUCT: the fields at these offsets; move written fields "
			      "to a line of their own (alignas(64), ____cacheline_aligned)");
}

static void sharing_check(const struct rule_input *in, struct findings *out)
{
	struct sharing s;

	if (!sharing_columns(in, &s))
		return;
	sharing_lines(in, &s);
	sharing_offsets(in, &s);
	if (s.sum < SHARING_MIN_HITM)
		finding_not_assessed(out, in, &rule_false_sharing,
				     "perf c2c record -a -u --ldlat 30 sleep 10, under load",
				     "%.0f hits in modified lines are too few", s.sum);
	else if (sharing_printed(in, &s) < SHARING_NOTE_PCT)
		finding_clean(out, in, &rule_false_sharing,
			      "the line with most hits in modified lines has %.1f %% of them",
			      sharing_printed(in, &s));
	else if (sharing_pct(in, &s) < SHARING_NOTE_PCT)
		finding_clean(out, in, &rule_false_sharing,
			      "no cache line has %.0f %% of the %.0f hits in modified lines",
			      SHARING_NOTE_PCT, s.sum);
	else
		sharing_finding(in, out, &s);
}

const struct rule rule_false_sharing = {
	.id = "false-sharing",
	.title = "False sharing",
	.needs = RULE_METRICS,
	.check = sharing_check,
};
