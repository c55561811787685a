/* SPDX-License-Identifier: MIT */
/*
 * RocksDB slows down or stops writes, because flushes or compaction do not keep up with them. Its
 * statistics print the time for which writes were held, and how often each limit was the reason.
 *
 * Thresholds: 1 % of the time is a note, 10 % a warning. A limit is named if it has more than half
 * of the stalls. More than 100 % may be the sum of several writers that were held at once: it is
 * not judged. Sources: RocksDB, db/column_family.cc, RecalculateWriteStallConditions(), and
 * db/internal_stats.cc; wiki, "Write Stalls".
 */
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rocksdb_stall_names.h"
#include "explain/rule.h"

DECLARE_RULE(rocksdb_stall);

#define STALL_NOTE 1.0 /* percent of the time */
#define STALL_LEAD 10.0
#define STALL_SURE 85u
#define STALL_PART 0.5   /* a limit is named if it has more than this part of the stalls */
#define STALL_MOST 100.0 /* percent */
#define STALL_TOOL STR("RocksDB statistics")

/* A limit of RocksDB that holds writes. */
static const struct stall_limit {
	const char *counters; /* pattern for the names of its counters */
	const char *limit;
	const char *cause;
	const char *next;
} stall_limits[] = { ROCKSDB_LIMITS };

struct stall {
	const struct counter *row; /* the counter that shows how long writes were held */
	double share;              /* of the time, percent */
	const struct stall_limit *limit;
	const struct counter *most; /* the largest counter of `limit` */
	double count, all;          /* stalls because of `limit`, and all stalls */
};

static struct str stall_string(const struct rule_input *in, str_id id)
{
	return strings_get(capture_strings(in->capture), id);
}

static const struct counter *stall_row(const struct rule_input *in, const char *name)
{
	return counters_find(in->capture->counters, capture_strings(in->capture), STALL_TOOL,
			     str_of(name));
}

/*
 * Share of the time for which writes were held, by @row, whose unit is percent, or microseconds of
 * the time @of. Returns -1 if it is unknown.
 */
static double stall_share(const struct rule_input *in, const struct counter *row, const char *of)
{
	const struct counter *time = stall_row(in, of);

	if (!row)
		return -1;
	if (str_eq(stall_string(in, row->unit), STR("%")))
		return counter_value(row);
	return time && time->value > 0 ? counter_value(row) / 1e4 / counter_value(time) : -1;
}

/* Add up the stalls of each limit, and set the limit with most. */
static void stall_count(const struct rule_input *in, struct stall *s)
{
	for (size_t i = 0; i < ARRAY_LEN(stall_limits); i++) {
		const struct counter *most = NULL;
		double sum = 0;

		VEC_FOREACH (row, &in->capture->counters->rows) {
			if (!str_glob(str_of(stall_limits[i].counters),
				      stall_string(in, row->name)))
				continue;
			sum += counter_value(row);
			if (!most || row->value > most->value)
				most = row;
		}
		s->all += sum;
		if (sum > s->count) {
			s->count = sum;
			s->limit = &stall_limits[i];
			s->most = most;
		}
	}
}

static void stall_gather(const struct rule_input *in, struct stall *s)
{
	s->row = stall_row(in, "stalled");
	s->share = stall_share(in, s->row, "interval");
	if (s->share < 0) {
		s->row = stall_row(in, "stalled in all");
		s->share = stall_share(in, s->row, "uptime");
	}
	stall_count(in, s);
	/* RocksDB 3 prints seconds instead of numbers, for each limit */
	if (s->share < 0 && s->most && str_eq(stall_string(in, s->most->unit), STR("s"))) {
		const struct counter *uptime = stall_row(in, "uptime");

		s->row = s->most;
		s->share = uptime && uptime->value > 0 ? 100 * s->all / counter_value(uptime) : -1;
	}
}

static void stall_finding(const struct rule_input *in, struct findings *out, const struct stall *s)
{
	bool is_named = s->limit && s->count > STALL_PART * s->all;
	bool is_now = str_eq(stall_string(in, s->row->name), STR("stalled"));
	struct finding *f =
		finding_add(out, in, &rule_rocksdb_stall,
			    s->share >= STALL_LEAD ? FINDING_WARNING : FINDING_NOTE, STALL_SURE);

	f->impact = s->share;
	finding_claim(out, f, "RocksDB held writes for %.1f %% of the %s%s%s", s->share,
		      is_now ? "interval" : "time since its start",
		      !is_named ? ""
		      : is_now  ? "; most of its stalls since the start came because "
				: ", most often because ",
		      is_named ? s->limit->limit : "");
	finding_figure(f, "time in which writes were held", s->share, 0, "%");
	finding_evidence(out, f, in, s->row->line, STR_FMT,
			 STR_ARG(stall_string(in, s->row->name)));
	if (is_named && s->most->line != s->row->line)
		finding_evidence(out, f, in, s->most->line, STR_FMT,
				 STR_ARG(stall_string(in, s->most->name)));
	finding_usual_cause(out, f, "%s",
			    is_named ? s->limit->cause
				     : "Flushes or compaction do not keep up with the writes");
	finding_because(out, f, "%s",
			is_named ? "RocksDB counts its stalls by limit since the start\n"
				   "why flushes or compaction are slower than the writes"
				 : "the time is printed\n"
				   "which limit held the writes");
	finding_next(out, f, "%s",
		     is_named ? s->limit->next
			      : "read the lines 'Stalls(count)' or 'Write Stall (count)' of the "
				"same statistics: they name the limit");
	finding_next(out, f,
		     "iostat -x 1 during a stall: is the device the limit, or the number of "
		     "background jobs (max_background_jobs)");
}

static void stall_check(const struct rule_input *in, struct findings *out)
{
	struct stall s = { .share = -1 };

	if (!str_eq(stall_string(in, in->capture->counters->tool), STALL_TOOL))
		return;
	stall_gather(in, &s);
	if (s.share < 0)
		finding_not_assessed(out, in, &rule_rocksdb_stall,
				     "the lines 'Cumulative stall' and 'Interval stall' of the "
				     "same statistics",
				     "the time in which writes were held is not printed");
	else if (s.share > STALL_MOST)
		finding_not_assessed(
			out, in, &rule_rocksdb_stall,
			"the lines 'Stalls(count)' or 'Write Stall (count)' of the "
			"same statistics, and latencies of writes",
			"writes were held for %.0f %% of the time: the figure may add up "
			"several writers",
			s.share);
	else if (s.share >= STALL_NOTE)
		stall_finding(in, out, &s);
	else
		finding_clean(out, in, &rule_rocksdb_stall,
			      "writes were held for %.1f %% of the "
			      "time",
			      s.share);
}

const struct rule rule_rocksdb_stall = {
	.id = "rocksdb-stall",
	.title = "RocksDB slows down or stops writes",
	.needs = RULE_COUNTERS,
	.check = stall_check,
	.is_measured = true,
};
