/* SPDX-License-Identifier: MIT */
/*
 * One text has several readings of /proc/meminfo, and slab grows while the page cache shrinks. So
 * reclaim frees page cache instead of slab: caches of inodes and dentries grow faster than their
 * shrinkers free them.
 *
 * Thresholds: at least three readings, because two readings may show two different states of the
 * machine. Slab never shrinks, and grows by a quarter and by 256 MiB. The page cache (the sum of
 * both lists of file pages) shrinks to half or less. It loses at least a quarter of the memory that
 * slab gains, so the memory moved from one to the other. Readings with different values of MemTotal
 * are from different machines. The readings are compared in the order of the text.
 */
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

#include <math.h>

DECLARE_RULE(slab_growth);

#define SLAB_READINGS   3u
#define SLAB_GROWTH     1.25
#define SLAB_GROWTH_KIB 262144.0
#define SLAB_CACHE_PART 0.5
#define SLAB_CACHE_GAIN 0.25
#define SLAB_SURE       70u
#define SLAB_KIB        1024.0

/* One reading: sizes in KiB; NAN: not printed. */
struct slab_reading {
	uint32_t capture, line;
	str_id path;
	double total, slab, reclaimable, kept, cache;
};

struct slab_readings {
	VEC(struct slab_reading) rows;
};

/*
 * The sum of the rows whose names match @names. *@ret_line: line of the first such row. NAN: no row
 * matches.
 */
static double slab_sum(const struct capture *c, const char *names, uint32_t *ret_line)
{
	double ret = (double)NAN;

	VEC_FOREACH (row, &c->counters->rows) {
		if (row->state != COUNTER_COUNTED ||
		    !str_glob(str_of(names), strings_get(capture_strings(c), row->name)))
			continue;
		if (isnan(ret))
			*ret_line = row->line;
		ret = (isnan(ret) ? 0 : ret) + counter_value(row);
	}
	return ret;
}

static void slab_take(struct slab_readings *r, const struct capture *c, uint32_t number)
{
	struct slab_reading one = { .capture = number, .path = c->path };
	uint32_t other = 0;

	if (!str_eq(strings_get(capture_strings(c), c->counters->tool), STR("/proc/meminfo")))
		return;
	one.slab = slab_sum(c, "Slab", &one.line);
	one.total = slab_sum(c, "MemTotal", &other);
	one.reclaimable = slab_sum(c, "SReclaimable", &other);
	one.kept = slab_sum(c, "SUnreclaim", &other);
	/*
	 * if one of the two lists is missing, the sum is NAN: the other list alone would be too
	 * small
	 */
	one.cache = slab_sum(c, "Active(file)", &other) + slab_sum(c, "Inactive(file)", &other);
	if (!isnan(one.slab) && !isnan(one.cache))
		*VEC_PUSH(&r->rows) = one;
}

/* Does slab grow over the readings @r, with memory that the page cache lost? */
static bool slab_grows(const struct slab_readings *r)
{
	const struct slab_reading *a = &r->rows.data[0];
	const struct slab_reading *b = &r->rows.data[r->rows.len - 1];
	double growth = b->slab - a->slab;

	for (size_t i = 1; i < r->rows.len; i++) {
		if (r->rows.data[i].slab < r->rows.data[i - 1].slab)
			return false;
	}
	return b->slab >= a->slab * SLAB_GROWTH && growth >= SLAB_GROWTH_KIB &&
	       b->cache <= a->cache * SLAB_CACHE_PART &&
	       a->cache - b->cache >= growth * SLAB_CACHE_GAIN;
}

static bool slab_is_one_machine(const struct slab_readings *r)
{
	VEC_FOREACH (row, &r->rows) {
		const struct slab_reading *first = &r->rows.data[0];

		if (row->path.v != first->path.v ||
		    (!isnan(row->total) && !isnan(first->total) && row->total != first->total))
			return false;
	}
	return true;
}

static void slab_figures(struct findings *out, struct finding *f, const char *name, double first,
			 double last)
{
	if (isnan(first) || isnan(last))
		return;
	finding_figure(f, finding_name(out, "%s, first", name), first / SLAB_KIB, 0, "MiB");
	finding_figure(f, finding_name(out, "%s, last", name), last / SLAB_KIB, 0, "MiB");
}

static void slab_finding(const struct rule_input *in, struct findings *out,
			 const struct slab_readings *r)
{
	const struct slab_reading *a = &r->rows.data[0];
	const struct slab_reading *b = &r->rows.data[r->rows.len - 1];
	struct rule_input side = *in;
	struct finding *f;

	side.number = b->capture;
	side.capture = in->facts->dossier->captures.data[b->capture];
	f = finding_add(out, &side, &rule_slab_growth, FINDING_NOTE, SLAB_SURE);
	f->capture = INDEX_NONE;
	f->impact = 100 * (1 - a->slab / b->slab);
	finding_claim(out, f,
		      "Slab grows from %s to %s over %zu readings, while the page cache falls from "
		      "%s to %s",
		      finding_bytes(out, a->slab * SLAB_KIB),
		      finding_bytes(out, b->slab * SLAB_KIB), r->rows.len,
		      finding_bytes(out, a->cache * SLAB_KIB),
		      finding_bytes(out, b->cache * SLAB_KIB));
	slab_figures(out, f, "Slab", a->slab, b->slab);
	slab_figures(out, f, "SReclaimable", a->reclaimable, b->reclaimable);
	slab_figures(out, f, "SUnreclaim", a->kept, b->kept);
	slab_figures(out, f, "page cache", a->cache, b->cache);
	finding_evidence(out, f, &side, b->line, "Slab, last reading");
	side.number = a->capture;
	side.capture = in->facts->dossier->captures.data[a->capture];
	finding_evidence(out, f, &side, a->line, "Slab, first reading");
	finding_usual_cause(out, f,
			    "Reclaim takes page cache rather than slab: inodes, dentries or other "
			    "objects of the kernel are made faster than their shrinkers free them, "
			    "or cannot be freed");
	finding_because(out, f,
			"the sizes are printed, in the order of the text\n"
			"what reclaim freed meanwhile");
	finding_next(out, f, "slabtop -o -s c, twice: which cache grows");
	finding_next(out, f,
		     "grep -E 'slabs_scanned|pgsteal' /proc/vmstat, twice: does reclaim ask the "
		     "slab caches at all");
}

static void slab_check(const struct rule_input *in, struct findings *out)
{
	const struct dossier *d = in->facts->dossier;
	struct slab_readings r = { .rows = VEC_INIT };

	for (uint32_t i = 0; i < d->captures.len; i++) {
		if (d->captures.data[i]->counters && d->captures.data[i]->excerpt_of == INDEX_NONE)
			slab_take(&r, d->captures.data[i], i);
	}
	if (r.rows.len > 1 && !slab_is_one_machine(&r))
		finding_not_assessed(out, in, &rule_slab_growth, "cat /proc/meminfo, every minute",
				     "the readings are of several machines");
	else if (r.rows.len > 1 && r.rows.len < SLAB_READINGS)
		finding_not_assessed(out, in, &rule_slab_growth, "cat /proc/meminfo, every minute",
				     "fewer than three readings of slab and page cache");
	else if (r.rows.len > 1 && slab_grows(&r))
		slab_finding(in, out, &r);
	else if (r.rows.len > 1)
		finding_clean(out, in, &rule_slab_growth,
			      "slab does not grow at the expense of the page cache");
	VEC_FREE(&r.rows);
}

const struct rule rule_slab_growth = {
	.id = "slab-growth",
	.title = "Slab grows while page cache shrinks",
	.needs = RULE_DOSSIER,
	.check = slab_check,
};
