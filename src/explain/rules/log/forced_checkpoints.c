/* SPDX-License-Identifier: MIT */
/*
 * PostgreSQL begins checkpoints because max_wal_size is reached ("checkpoint starting: wal"), and
 * not because checkpoint_timeout is over ("time"). Each checkpoint writes all changed pages. After
 * a checkpoint, the first change of each page is written to the WAL as a whole page.
 *
 * Thresholds: three such checkpoints, on average less than 30 s apart, are a note (30 s is the
 * default of checkpoint_warning); less than 10 s apart they are a warning. Sources: PostgreSQL,
 * xlog.c, LogCheckpointStart(); checkpointer.c.
 */
#include "explain/words/log_words.h"

#include "analyses/logs/log_facts.h"
#include "base/number.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/records.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(forced_checkpoints);

#define FORCED_LEAST  3u
#define FORCED_NOTE_S 30.0
#define FORCED_LEAD_S 10.0
#define FORCED_SURE   90u
#define FORCED_MARK   "checkpoint starting:"

struct forced {
	uint64_t forced, all;
	uint32_t first, last; /* first and last record of a forced checkpoint; INDEX_NONE: none */
	uint64_t distance_kb; /* largest amount of WAL between two checkpoints; 0: not printed */
};

static struct forced forced_count(const struct rule_input *in)
{
	const struct records *r = in->capture->records;
	struct forced c = { .first = INDEX_NONE, .last = INDEX_NONE };

	for (uint32_t i = 0; i < r->rows.len; i++) {
		struct str text = r->rows.data[i].text;
		size_t at = str_find(text, STR(FORCED_MARK));
		struct log_match m;

		if (at == text.len) {
			if (str_contains(text, STR("checkpoint complete:")) &&
			    log_match_in(text, "distance=%u", &m) && m.n[0] > c.distance_kb)
				c.distance_kb = m.n[0];
			continue;
		}
		c.all++;
		if (!str_contains(str_skip(text, at), STR(" wal")) &&
		    !str_contains(str_skip(text, at), STR(" xlog")))
			continue;
		c.forced++;
		c.first = c.first == INDEX_NONE ? i : c.first;
		c.last = i;
	}
	return c;
}

static void forced_finding(const struct rule_input *in, struct findings *out,
			   const struct forced *c, double each)
{
	struct finding *f =
		finding_add(out, in, &rule_forced_checkpoints,
			    each < FORCED_LEAD_S ? FINDING_WARNING : FINDING_NOTE, FORCED_SURE);

	f->impact = 50;
	finding_claim(out, f,
		      "Checkpoints are forced by the amount of WAL every %s (%llu of %llu): "
		      "max_wal_size is too small for these writes",
		      finding_duration(out, number_whole(each * 1e9)),
		      (unsigned long long)c->forced, (unsigned long long)c->all);
	finding_figure(f, "forced checkpoints", (double)c->forced, 0, "");
	finding_figure(f, "all checkpoints", (double)c->all, 0, "");
	finding_figure(f, "time between two", each, 0, "s");
	if (c->distance_kb)
		finding_figure(f, "WAL between two, at most", (double)c->distance_kb, 0, "kB");
	log_words_cite(out, f, in, c->first);
	log_words_cite(out, f, in, c->last);
	finding_cause(out, f,
		      "Each checkpoint writes all changed pages, and after it the first change of "
		      "each page goes to the WAL as a whole page, which fills it sooner");
	finding_because(out, f, "PostgreSQL prints the reason of each checkpoint: wal, not time");
	finding_next(out, f,
		     "SHOW max_wal_size; raise it until checkpoints start by time: the WAL of "
		     "checkpoint_timeout (5 min), that is pg_wal_lsn_diff() of "
		     "pg_current_wal_lsn() over this time");
	finding_next(out, f,
		     "SELECT wal_fpi, wal_bytes FROM pg_stat_wal, before and after: pages written "
		     "whole; wal_compression = on makes them smaller");
}

static void forced_check(const struct rule_input *in, struct findings *out)
{
	struct forced c = forced_count(in);
	double s = 0, each;

	if (c.all == 0)
		return; /* not a log of PostgreSQL with log_checkpoints */
	if (c.forced < FORCED_LEAST) {
		finding_clean(out, in, &rule_forced_checkpoints,
			      "%llu of %llu checkpoints are forced by the amount of WAL",
			      (unsigned long long)c.forced, (unsigned long long)c.all);
		return;
	}
	if (!log_words_seconds(in, c.first, c.last, &s) || s <= 0) {
		finding_not_assessed(out, in, &rule_forced_checkpoints,
				     "log_line_prefix with a time (%m)",
				     "%llu forced checkpoints %s", (unsigned long long)c.forced,
				     log_words_record(in, c.last)->has_time ? "have the same time"
									    : "without times");
		return;
	}
	each = s / (double)(c.forced - 1);
	if (each < FORCED_NOTE_S)
		forced_finding(in, out, &c, each);
	else
		finding_clean(out, in, &rule_forced_checkpoints,
			      "%llu checkpoints are forced by the amount of WAL, %.0f s apart",
			      (unsigned long long)c.forced, each);
}

static const char *const forced_explains[] = { "message-burst", "slow-operation", NULL };

const struct rule rule_forced_checkpoints = {
	.id = "forced-checkpoints",
	.title = "Checkpoints that the WAL forces",
	.needs = RULE_LOG,
	.explains = forced_explains,
	.check = forced_check,
	.is_measured = true,
};
