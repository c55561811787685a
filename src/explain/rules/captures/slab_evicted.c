/* SPDX-License-Identifier: MIT */
/*
 * Two readings of /proc/meminfo, one after the other, in which the page cache fills the memory and
 * slab shrinks: reclaim frees inodes, dentries and other objects of the kernel for pages of files.
 *
 * Thresholds: slab falls to half or less, and by 256 MiB. The page cache grows by twice as much or
 * more, so something else than the freed slab fills it. At the end at most 5 % of the memory is
 * free: without reclaim, slab would not shrink. A user who drops the caches by hand empties both.
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

DECLARE_RULE(slab_evicted);

#define EVICTED_PART  0.5
#define EVICTED_KIB   262144.0
#define EVICTED_TIMES 2.0
#define EVICTED_FREE  0.05
#define EVICTED_SURE  75u
#define EVICTED_KIB_B 1024.0

/* One reading: sizes in KiB; NAN: not printed. */
struct evicted_reading {
	uint32_t capture, line;
	str_id path;
	double total, free, slab, cache;
};

/* The value of the counter @name in KiB. NAN: not printed. */
static double evicted_value(const struct capture *c, const char *name, uint32_t *ret_line)
{
	VEC_FOREACH (row, &c->counters->rows) {
		if (row->state == COUNTER_COUNTED &&
		    str_eq(str_of(name), strings_get(capture_strings(c), row->name))) {
			*ret_line = row->line;
			return counter_value(row);
		}
	}
	return (double)NAN;
}

/* Read capture @number. False: it is no reading of /proc/meminfo with all these sizes. */
static bool evicted_read(const struct capture *c, uint32_t number, struct evicted_reading *ret)
{
	uint32_t other = 0;

	if (!c->counters || c->excerpt_of != INDEX_NONE ||
	    !str_eq(strings_get(capture_strings(c), c->counters->tool), STR("/proc/meminfo")))
		return false;
	*ret = (struct evicted_reading){ .capture = number, .path = c->path };
	ret->slab = evicted_value(c, "Slab", &ret->line);
	ret->total = evicted_value(c, "MemTotal", &other);
	ret->free = evicted_value(c, "MemFree", &other);
	ret->cache = evicted_value(c, "Cached", &other);
	return !isnan(ret->slab + ret->total + ret->free + ret->cache) && ret->total > 0;
}

static bool evicted_is_one_machine(const struct evicted_reading *a, const struct evicted_reading *b)
{
	return a->path.v == b->path.v && a->total >= b->total && a->total <= b->total;
}

static bool evicted_is(const struct evicted_reading *a, const struct evicted_reading *b)
{
	double lost = a->slab - b->slab;

	return b->slab <= a->slab * EVICTED_PART && lost >= EVICTED_KIB &&
	       b->cache - a->cache >= lost * EVICTED_TIMES && b->free <= b->total * EVICTED_FREE;
}

static void evicted_finding(const struct rule_input *in, struct findings *out,
			    const struct evicted_reading *a, const struct evicted_reading *b)
{
	struct rule_input side = *in;
	struct finding *f;

	side.number = b->capture;
	side.capture = in->facts->dossier->captures.data[b->capture];
	f = finding_add(out, &side, &rule_slab_evicted, FINDING_NOTE, EVICTED_SURE);
	f->capture = INDEX_NONE;
	f->impact = 100 * (1 - b->slab / a->slab);
	finding_claim(
		out, f,
		"Reclaim dropped slab objects for page cache: Slab falls from %s to %s, while "
		"the page cache grows from %s to %s and %.1f %% of memory is free",
		finding_bytes(out, a->slab * EVICTED_KIB_B),
		finding_bytes(out, b->slab * EVICTED_KIB_B),
		finding_bytes(out, a->cache * EVICTED_KIB_B),
		finding_bytes(out, b->cache * EVICTED_KIB_B), b->free / b->total * 100);
	finding_figure(f, "Slab, before", a->slab / EVICTED_KIB_B, 0, "MiB");
	finding_figure(f, "Slab, after", b->slab / EVICTED_KIB_B, 0, "MiB");
	finding_figure(f, "page cache, before", a->cache / EVICTED_KIB_B, 0, "MiB");
	finding_figure(f, "page cache, after", b->cache / EVICTED_KIB_B, 0, "MiB");
	finding_evidence(out, f, &side, b->line, "Slab, later reading");
	side.number = a->capture;
	side.capture = in->facts->dossier->captures.data[a->capture];
	finding_evidence(out, f, &side, a->line, "Slab, earlier reading");
	finding_usual_cause(out, f,
			    "Files that are read once fill the memory, and reclaim frees inodes "
			    "and dentries for them. The next walk over the files reads these from "
			    "the disk again");
	finding_because(out, f,
			"the sizes are printed, in the order of the text; what reclaim freed is "
			"inferred");
	finding_next(out, f,
		     "grep -E 'inode|dentry' /proc/slabinfo before and after: which cache lost its "
		     "objects");
	finding_next(out, f,
		     "lower vm.vfs_cache_pressure keeps inodes and dentries longer; or read large "
		     "files in a control group with memory.high, or with POSIX_FADV_DONTNEED");
}

static void evicted_check(const struct rule_input *in, struct findings *out)
{
	const struct dossier *d = in->facts->dossier;
	struct evicted_reading last = { .capture = INDEX_NONE }, one;
	bool has_pair = false;
	unsigned int readings = 0;

	for (uint32_t i = 0; i < d->captures.len; i++) {
		if (!evicted_read(d->captures.data[i], i, &one))
			continue;
		readings++;
		if (last.capture != INDEX_NONE && evicted_is_one_machine(&last, &one)) {
			has_pair = true;
			if (evicted_is(&last, &one)) {
				evicted_finding(in, out, &last, &one);
				return;
			}
		}
		last = one;
	}
	if (has_pair)
		finding_clean(out, in, &rule_slab_evicted,
			      "slab does not shrink while the page cache fills the memory");
	else if (readings > 1)
		finding_not_assessed(out, in, &rule_slab_evicted,
				     "cat /proc/meminfo before and after the slow work",
				     "the readings are of several machines");
}

const struct rule rule_slab_evicted = {
	.id = "slab-evicted",
	.title = "Slab dropped for page cache",
	.needs = RULE_DOSSIER,
	.check = evicted_check,
};
