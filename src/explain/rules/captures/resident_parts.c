/* SPDX-License-Identifier: MIT */
/*
 * Which part of the resident memory of a process grows. A text has the contents of /proc/PID/status
 * several times (snapshots). VmRSS is the sum of RssAnon (memory that the program allocated),
 * RssFile (pages of mapped files) and RssShmem.
 *
 * Thresholds: at least three snapshots, and VmRSS grows by 10 MiB and by a fifth: a smaller growth
 * is usual while a program works. One part has 90 % of the growth, so the other parts do not
 * matter.
 */
#include "base/str.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/kinds/counters.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(resident_parts);

#define PARTS_SNAPSHOTS 3u
#define PARTS_MORE_KB   10240.0
#define PARTS_FACTOR    1.2
#define PARTS_PART      0.9
#define PARTS_SURE      85u
/* certainty if no Pid is printed, because the snapshots may be of several processes */
#define PARTS_NO_PID 75u

enum { PARTS_RSS, PARTS_ANON, PARTS_FILE, PARTS_N };

static const char *const parts_names[PARTS_N] = { "VmRSS", "RssAnon", "RssFile" };

struct parts_series {
	uint32_t last; /* index of the last capture */
	uint32_t first_line, last_line;
	double from[PARTS_N], to[PARTS_N]; /* sizes in the first and in the last snapshot, kB */
	double pid;                        /* process id; 0: not printed */
	unsigned int n;
	bool is_mixed; /* the snapshots are of several processes */
};

static const struct counter *parts_row(const struct capture *c, struct str name)
{
	return counters_find(c->counters, capture_strings(c), STR("/proc/PID/status"), name);
}

static void parts_add(struct parts_series *s, uint32_t number, const struct capture *c)
{
	const struct counter *pid = parts_row(c, STR("Pid"));
	const struct counter *rows[PARTS_N];
	double of = pid ? counter_value(pid) : 0;

	for (unsigned int i = 0; i < PARTS_N; i++) {
		rows[i] = parts_row(c, str_of(parts_names[i]));
		if (!rows[i])
			return;
	}
	for (unsigned int i = 0; i < PARTS_N; i++) {
		s->to[i] = counter_value(rows[i]);
		if (s->n == 0)
			s->from[i] = s->to[i];
	}
	s->is_mixed |= s->n && of != s->pid;
	s->pid = of;
	s->first_line = s->n ? s->first_line : rows[PARTS_RSS]->line;
	s->last_line = rows[PARTS_RSS]->line;
	s->last = number;
	s->n++;
}

static void parts_finding(const struct rule_input *in, struct findings *out,
			  const struct parts_series *s, bool is_file)
{
	unsigned int grows = is_file ? PARTS_FILE : PARTS_ANON;
	unsigned int stays = is_file ? PARTS_ANON : PARTS_FILE;
	struct rule_input side = *in;
	struct finding *f;

	side.capture = in->facts->dossier->captures.data[s->last];
	side.number = s->last;
	f = finding_add(out, &side, &rule_resident_parts, FINDING_NOTE,
			s->pid > 0 ? PARTS_SURE : PARTS_NO_PID);
	finding_claim(out, f, "%s: %s grows from %s to %s in %u snapshots, %s from %s to %s",
		      is_file ? "Pages of mapped files grow, not the heap"
			      : "Memory that the program allocated grows",
		      parts_names[grows], finding_bytes(out, s->from[grows] * 1024),
		      finding_bytes(out, s->to[grows] * 1024), s->n, parts_names[stays],
		      finding_bytes(out, s->from[stays] * 1024),
		      finding_bytes(out, s->to[stays] * 1024));
	finding_figure(f, "growth of VmRSS", s->to[PARTS_RSS] - s->from[PARTS_RSS], 0, "kB");
	finding_figure(f, "of it in this part", s->to[grows] - s->from[grows], 0, "kB");
	finding_evidence(out, f, &side, s->first_line, "the first snapshot");
	finding_evidence(out, f, &side, s->last_line, "the last snapshot");
	finding_usual_cause(
		out, f, "%s",
		is_file ? "The program touches more and more of a mapped file. These pages are "
			  "page "
			  "cache: the kernel drops clean ones when memory is short, and the size "
			  "of "
			  "the file is their limit. Only mappings that are never unmapped would "
			  "leak"
			: "A leak, a cache without limit, or data that the program needs");
	finding_because(out, f, "the parts are measured%s",
			s->pid > 0 ? "" : "; no Pid shows that the snapshots are of one process");
	finding_next(out, f, "%s",
		     is_file ? "grep -A3 FILE /proc/PID/smaps: Rss ends at the Size of the mapping"
			     : "two heap profiles, minutes apart: which site grows");
}

static void parts_check(const struct rule_input *in, struct findings *out)
{
	const struct dossier *d = in->facts->dossier;
	struct parts_series s = { .n = 0 };
	double more, file, anon;

	for (uint32_t i = 0; i < d->captures.len; i++)
		parts_add(&s, i, d->captures.data[i]);
	if (s.n == 0)
		return;
	if (s.n < PARTS_SNAPSHOTS || s.is_mixed) {
		finding_not_assessed(out, in, &rule_resident_parts,
				     "for i in 1 2 3; do cat /proc/PID/status; sleep 60; done",
				     s.is_mixed ? "the snapshots are not all of one process, by Pid"
						: "fewer than three snapshots");
		return;
	}
	more = s.to[PARTS_RSS] - s.from[PARTS_RSS];
	file = s.to[PARTS_FILE] - s.from[PARTS_FILE];
	anon = s.to[PARTS_ANON] - s.from[PARTS_ANON];
	if (more >= PARTS_MORE_KB && s.to[PARTS_RSS] >= PARTS_FACTOR * s.from[PARTS_RSS] &&
	    (file >= PARTS_PART * more || anon >= PARTS_PART * more))
		parts_finding(in, out, &s, file >= PARTS_PART * more);
	else
		finding_clean(out, in, &rule_resident_parts,
			      "VmRSS %.0f kB, then %.0f kB in %u snapshots: no part grows alone",
			      s.from[PARTS_RSS], s.to[PARTS_RSS], s.n);
}

const struct rule rule_resident_parts = {
	.id = "resident-parts",
	.title = "One part of resident memory grows",
	.needs = RULE_DOSSIER,
	.check = parts_check,
	.is_measured = true,
};
