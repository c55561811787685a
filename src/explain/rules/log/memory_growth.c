/* SPDX-License-Identifier: MIT */
/*
 * Memory grows while the data does not. The rule compares the peak resident size of a process with
 * the number of database cells that the same process prints.
 *
 * Thresholds: twice the memory at the same number of cells, or four times the memory per cell. If
 * the number of sessions grew by half or more, too, the sessions may use the memory, and the
 * finding is a note. In a healthy database, history and heap fragmentation cost less than a factor
 * of two.
 */
#include "core/capture.h"
#include "explain/words/log_words.h"

#include "analyses/logs/log_summary.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/kinds/records.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(memory_growth);

#define MEMORY_MIB         1024.0 /* KiB per MiB; getrusage() and /proc count in KiB */
#define MEMORY_SAME_FACTOR 2.0
#define MEMORY_CELL_FACTOR 4.0
#define MEMORY_MORE        1.5  /* minimum growth of sessions, and of the Raft log */
#define MEMORY_RAFT_LOG    100u /* minimum number of entries of a Raft log that takes memory */
/* sessions or entries explain growth by at most this many times the factor by which they grew */
#define MEMORY_BY_MORE 2.0
/* maximum distance, in log records, from a memory size to its number of cells */
#define MEMORY_CELLS_NEAR 3u

struct memory_point {
	uint64_t kb;
	uint64_t cells;
	uint64_t sessions; /* number of sessions; 0: not printed */
	uint64_t raft_log; /* entries of the Raft log in memory; 0: none, or not printed */
	uint32_t record;
};

struct memory_series {
	VEC(struct memory_point) points;
	/*
	 * indices of two points with the same number of cells: those between which memory grew most
	 */
	size_t same_first, same_last;
	double same_factor;
};

/* The number named @name in the record of in->log->usage[@at]; 0: not printed. */
static uint64_t memory_number(const struct rule_input *in, size_t at, struct str name)
{
	uint32_t record = in->log->usage.data[at].record;

	while (at && in->log->usage.data[at - 1].record == record)
		at--;
	for (; at < in->log->usage.len && in->log->usage.data[at].record == record; at++) {
		if (str_eq(in->log->usage.data[at].name, name))
			return in->log->usage.data[at].value;
	}
	return 0;
}

/*
 * Pair each memory size with the number of cells that the log prints right after it. Both lists
 * have the order of the log.
 */
static void memory_gather(const struct rule_input *in, uint32_t stream, struct memory_series *s)
{
	size_t at = 0;

	VEC_FOREACH (m, &in->log->memory) {
		if (log_words_record(in, m->record)->stream != stream)
			continue;
		while (at < in->log->usage.len && in->log->usage.data[at].record <= m->record)
			at++;
		for (size_t i = at; i < in->log->usage.len; i++) {
			const struct log_usage *u = &in->log->usage.data[i];

			if (u->record > m->record + MEMORY_CELLS_NEAR)
				break;
			if (!str_eq(u->name, STR("cells")) || u->value == 0)
				continue;
			*VEC_PUSH(&s->points) = (struct memory_point){
				m->to_kb, u->value, memory_number(in, i, STR("sessions")),
				memory_number(in, i, STR("raft-log")), m->record
			};
			break;
		}
	}
}

static void memory_runs(struct memory_series *s)
{
	size_t first = 0;

	for (size_t i = 1; i < s->points.len; i++) {
		double factor;

		if (s->points.data[i].cells != s->points.data[first].cells) {
			first = i;
			continue;
		}
		factor = (double)s->points.data[i].kb / (double)s->points.data[first].kb;
		if (factor > s->same_factor) {
			s->same_factor = factor;
			s->same_first = first;
			s->same_last = i;
		}
	}
}

static double memory_per_cell(const struct memory_point *p)
{
	return (double)p->kb / (double)p->cells;
}

/* Did a number that was @before at the first point grow to @after? 0: not printed. */
static bool memory_has_more(uint64_t before, uint64_t after)
{
	return before && (double)after >= MEMORY_MORE * (double)before;
}

/* Does the growth of such a number explain the growth of the memory? */
static bool memory_is_by(const struct memory_point *from, const struct memory_point *to,
			 uint64_t before, uint64_t after)
{
	return memory_has_more(before, after) &&
	       (double)to->kb * (double)before <= MEMORY_BY_MORE * (double)from->kb * (double)after;
}

/* Did the Raft log in memory grow, too? Then it is the history that takes the memory. */
static bool memory_is_raft_log(const struct memory_point *from, const struct memory_point *to)
{
	return to->raft_log >= MEMORY_RAFT_LOG &&
	       memory_is_by(from, to, from->raft_log, to->raft_log);
}

static void memory_cause(struct findings *out, struct finding *f, const struct memory_point *from,
			 const struct memory_point *to, bool is_by_sessions)
{
	if (!memory_is_raft_log(from, to)) {
		finding_usual_cause(
			out, f, "%s",
			is_by_sessions
				? "Each session and its monitors take memory: there are more of "
				  "them"
				: "An in-memory log that is not compacted, a leak, or one peak, as "
				  "while a snapshot or a compaction is written");
		return;
	}
	finding_figure(f, "Raft log in memory at first", (double)from->raft_log, 0, "entries");
	finding_figure(f, "Raft log in memory at last", (double)to->raft_log, 0, "entries");
	finding_usual_cause(out, f,
			    "The Raft log in memory grew from %llu to %llu entries: history that "
			    "no compaction has dropped",
			    (unsigned long long)from->raft_log, (unsigned long long)to->raft_log);
}

static void memory_finding(const struct rule_input *in, struct findings *out,
			   const struct memory_series *s)
{
	const struct memory_point *a = &s->points.data[0];
	const struct memory_point *z = &s->points.data[s->points.len - 1];
	const struct memory_point *b = &s->points.data[s->same_first];
	const struct memory_point *e = &s->points.data[s->same_last];
	bool is_same = s->same_factor >= MEMORY_SAME_FACTOR;
	const struct memory_point *from = is_same ? b : a;
	const struct memory_point *to = is_same ? e : z;
	bool has_more = memory_has_more(from->sessions, to->sessions);
	bool is_by_sessions = memory_is_by(from, to, from->sessions, to->sessions);
	struct finding *f = finding_add(out, in, &rule_memory_growth,
					is_by_sessions ? FINDING_NOTE : FINDING_WARNING, 75);
	const char *more = has_more ? finding_name(out, "; sessions: %llu to %llu",
						   (unsigned long long)from->sessions,
						   (unsigned long long)to->sessions)
				    : "";
	double seconds = 0;

	if (is_same) {
		bool has = log_words_seconds(in, b->record, e->record, &seconds);

		finding_claim(
			out, f,
			"Peak memory grew from %.1f to %.1f MiB while the database stays at %llu "
			"cells%s%s",
			(double)b->kb / MEMORY_MIB, (double)e->kb / MEMORY_MIB,
			(unsigned long long)b->cells, has ? "" : " (times unknown)", more);
		finding_figure(f, "at constant size of the database", s->same_factor, 0, "times");
		if (has && seconds > 0) {
			finding_figure(f, "over", seconds, 0, "s");
			finding_figure(f, "growth", (double)(e->kb - b->kb) / seconds, 0, "kB/s");
		}
		log_words_cite(out, f, in, b->record);
		log_words_cite(out, f, in, e->record);
	} else {
		finding_claim(out, f, "Peak memory per cell grew from %.2f to %.2f kB%s",
			      memory_per_cell(a), memory_per_cell(z), more);
		log_words_cite(out, f, in, a->record);
		log_words_cite(out, f, in, z->record);
	}
	finding_figure(f, "first size per cell", memory_per_cell(is_same ? b : a), 0, "kB");
	finding_figure(f, "last size per cell", memory_per_cell(is_same ? e : z), 0, "kB");
	finding_figure(f, "last size in the log", (double)z->kb / MEMORY_MIB, 0, "MiB");
	memory_cause(out, f, from, to, is_by_sessions);
	finding_because(out, f, "the sizes are peaks: peaks cannot fall, but need not grow");
	finding_next(
		out, f,
		"ovs-appctl ovsdb-server/compact; ovs-appctl memory/show: does the memory fall");
}

static void memory_check(const struct rule_input *in, struct findings *out)
{
	bool has_points = false;

	for (uint32_t i = 0; i < in->capture->records->streams.len && in->log->memory.len; i++) {
		struct memory_series s = { .same_factor = 1 };
		bool is_found = false;

		memory_gather(in, i, &s);
		memory_runs(&s);
		if (s.points.len > 1) {
			has_points = true;
			is_found = s.same_factor >= MEMORY_SAME_FACTOR ||
				   memory_per_cell(&s.points.data[s.points.len - 1]) >=
					   MEMORY_CELL_FACTOR * memory_per_cell(&s.points.data[0]);
		}
		if (is_found)
			memory_finding(in, out, &s);
		VEC_FREE(&s.points);
		if (is_found)
			return;
	}
	if (has_points)
		finding_clean(out, in, &rule_memory_growth,
			      "memory grows no faster than the cells");
	else if (in->log->memory.len)
		finding_not_assessed(out, in, &rule_memory_growth,
				     "ovs-appctl memory/show every minute",
				     "sizes are reported, but not twice together with cells");
}

const struct rule rule_memory_growth = {
	.id = "memory-growth",
	.title = "Memory grows with history",
	.needs = RULE_LOG,
	.check = memory_check,
};
