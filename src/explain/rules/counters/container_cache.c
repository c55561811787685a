/* SPDX-License-Identifier: MIT */
/*
 * The memory usage of a container includes the page cache: pages of files that the kernel drops
 * when memory is needed. So growth of this usage alone is no proof of a leak.
 *
 * Threshold: a quarter of the usage is a note. The cache includes shared memory (tmpfs), which
 * cannot be dropped. If shared memory is printed, it is subtracted. Sources: Linux,
 * Documentation/admin-guide/cgroup-v1/memory.rst, 5.5 usage_in_bytes; cgroup-v2.rst, memory.stat;
 * docker/cli, cli/command/container/stats_helpers.go, calculateMemUsageUnixNoCache().
 */
#include "base/str.h"
#include "core/capture.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <math.h>

DECLARE_RULE(container_cache);

#define CACHE_NOTE 25.0 /* minimum share of the cache in the usage, percent */
#define CACHE_SURE 90u
#define CACHE_MIB  1048576.0
#define CACHE_TOOL STR("docker memory_stats")

/* Values in bytes; NaN: not printed. */
struct cache {
	double usage;
	double cache; /* page cache without shared memory */
	double shmem;
	double program;            /* memory of the processes: rss or anon */
	bool is_inactive;          /* `cache` contains only the inactive pages */
	const struct counter *row; /* the counter from which `cache` was read */
};

static double cache_value(const struct counter *row)
{
	return row ? counter_value(row) : NAN;
}

/*
 * Find the first printed counter whose name is in @names, an array that ends with NULL. NULL: none.
 */
static const struct counter *cache_row(const struct rule_input *in, const char *const *names)
{
	const struct counter *ret = NULL;

	for (; *names && !ret; names++)
		ret = counters_find(in->capture->counters, capture_strings(in->capture), CACHE_TOOL,
				    str_of(*names));
	return ret;
}

static void cache_gather(const struct rule_input *in, struct cache *c)
{
	/* prefer the totals with child groups, because the usage also includes child groups */
	static const char *const caches[] = { "total_cache", "cache", "file", NULL };
	static const char *const inactive[] = { "total_inactive_file", "inactive_file", NULL };
	static const char *const programs[] = { "total_rss", "rss", "anon", NULL };
	static const char *const shared[] = { "total_shmem", "shmem", NULL };
	static const char *const usages[] = { "usage", NULL };

	c->row = cache_row(in, caches);
	c->shmem = cache_value(cache_row(in, shared));
	c->usage = cache_value(cache_row(in, usages));
	c->program = cache_value(cache_row(in, programs));
	c->is_inactive = !c->row;
	c->row = c->row ? c->row : cache_row(in, inactive);
	/* The inactive part counts only pages of files, so it contains no shared memory. */
	c->cache = cache_value(c->row) - (isnan(c->shmem) || c->is_inactive ? 0 : c->shmem);
}

static void cache_finding(const struct rule_input *in, struct findings *out, const struct cache *c)
{
	double share = 100 * c->cache / c->usage;
	const char *program = "";
	struct finding *f = finding_add(out, in, &rule_container_cache, FINDING_NOTE, CACHE_SURE);

	if (!isnan(c->program))
		program = finding_name(out, "; the processes have %.1f MiB of their own",
				       c->program / CACHE_MIB);
	finding_claim(out, f,
		      "%s%.1f %% of the memory usage of a container is page cache: %.1f of %.1f "
		      "MiB. Without it, the usage is %.1f MiB%s",
		      c->is_inactive ? "At least " : "", share, c->cache / CACHE_MIB,
		      c->usage / CACHE_MIB, (c->usage - c->cache) / CACHE_MIB, program);
	finding_figure(f, "page cache, of the usage", share, 0, "%");
	finding_evidence(out, f, in, c->row->line, "the cache");
	finding_cause(out, f,
		      "The control group counts pages of files that its processes read or wrote. "
		      "They are no memory of the program, and the kernel drops clean ones when "
		      "memory is needed: a usage that is high or grows by them is no leak. "
		      "docker stats subtracts them (new versions: the inactive ones)");
	finding_because(
		out, f, "%s",
		isnan(c->shmem) && !c->is_inactive
			? "both figures are printed\n"
			  "the size of shared memory (tmpfs), which counts as cache and stays"
			: "the figures are printed");
	finding_next(out, f,
		     "watch usage minus cache (cgroup v1) or minus inactive_file (v2) instead of "
		     "usage; rss or anon for a leak");
	finding_next(out, f,
		     "docker exec CONTAINER cat /sys/fs/cgroup/memory.stat (v1: "
		     "/sys/fs/cgroup/memory/memory.stat): shmem, file_dirty");
}

static void cache_check(const struct rule_input *in, struct findings *out)
{
	struct cache c;
	double share;

	if (!str_eq(strings_get(capture_strings(in->capture), in->capture->counters->tool),
		    CACHE_TOOL))
		return;
	cache_gather(in, &c);
	share = 100 * c.cache / c.usage;
	if (!(c.usage > 0) || !(c.cache >= 0) || c.cache > c.usage)
		finding_not_assessed(
			out, in, &rule_container_cache,
			"curl --unix-socket /var/run/docker.sock "
			"'http://localhost/containers/ID/stats?stream=false'",
			"usage, or cache and inactive_file, are not in it, or disagree");
	else if (share >= CACHE_NOTE)
		cache_finding(in, out, &c);
	else
		finding_clean(out, in, &rule_container_cache,
			      "page cache is %s%.0f %% of the usage of the container",
			      c.is_inactive ? "at least " : "", share);
}

const struct rule rule_container_cache = {
	.id = "container-cache",
	.title = "Memory usage includes the page cache",
	.needs = RULE_COUNTERS,
	.check = cache_check,
	.is_measured = true,
};
