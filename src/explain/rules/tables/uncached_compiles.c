/* SPDX-License-Identifier: MIT */
/*
 * A compiler cache (ccache, sccache) that saves little: most calls cannot be cached, or most of the
 * calls that can be cached are misses.
 *
 * Thresholds: among 100 calls or more, a note needs 20 % that cannot be cached, a warning 50 %.
 * Some percent are normal: links, and calls of configure scripts. Among 100 cacheable calls or
 * more, less than 20 % hits are a note, since a first build has few hits, too.
 */
#include "base/str.h"
#include "core/capture.h"
#include "core/kinds/metrics.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/words/table_words.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

DECLARE_RULE(uncached_compiles);

#define UNCACHED_CALLS    100.0
#define UNCACHED_NOTE_PCT 20.0
#define UNCACHED_LEAD_PCT 50.0
#define UNCACHED_HIT_PCT  20.0
/* a cache counts as full at this part (0 to 1) of its maximum size */
#define UNCACHED_FULL 0.9
#define UNCACHED_SURE 75u
#define MISSES_SURE   60u

/* Names of counters of ccache 3, one for each reason why it did not cache compilations. */
#define UNCACHED_REASONS                                                                          \
	"unsupported compiler option|unsupported source language|compiler produced *|couldn't *|" \
	"can't use *|could not *|multiple source files|output to *|bad compiler arguments|"       \
	"unsupported code directive|preprocessor error"

struct uncached {
	double hits, misses, uncacheable;
	double size, size_of, cleanups;
	uint32_t line, miss_line;
	/* the most frequent reason why calls cannot be cached; empty: not printed */
	struct str reason;
	double reason_calls;
	bool is_sccache;
};

static void uncached_row(struct uncached *u, struct str name, double count, double of,
			 uint32_t line)
{
	bool is_first = !u->miss_line;
	bool is_reason = str_take(&name, STR("Non-cacheable reason: "));

	u->is_sccache |= str_eq(name, STR("Compile requests executed"));
	if (str_glob(STR("Hits|Cache hits"), name) && is_first) {
		u->hits = count;
	} else if (str_glob(STR("cache hit (direct)|cache hit (preprocessed)"), name)) {
		u->hits += count;
	} else if (str_glob(STR("Misses|cache miss|Cache misses"), name) && is_first) {
		u->misses = count;
		u->miss_line = line;
	} else if (str_glob(STR("Uncacheable|Uncacheable calls|Non-cacheable calls"), name)) {
		u->uncacheable = count;
		u->line = line;
	} else if (str_glob(STR("Cache size*|cache size"), name)) {
		u->size = count;
		u->size_of = isnan(of) ? u->size_of : of;
	} else if (str_glob(STR("max cache size|Max cache size"), name)) {
		u->size_of = count;
	} else if (str_glob(STR("Cleanups|cleanups performed"), name)) {
		u->cleanups = count;
	} else if (!is_reason && str_glob(STR(UNCACHED_REASONS), name)) {
		/*
		 * Add up the counts of ccache 3, one per reason. ccache 4 prints the sum itself,
		 * and its reasons begin with a capital letter.
		 */
		u->uncacheable += count;
		u->line = u->line ? u->line : line;
	}
	if ((is_reason ||
	     str_glob(
		     STR("unsupported *|Unsupported *|Could not *|Multiple *|Output to *|Compiler "
			 "*|"
			 "Called for *|No input file|couldn't *|can't use *|output to *|multiple *|"
			 "Autoconf *|Bad compiler*"),
		     name)) &&
	    count > u->reason_calls) {
		u->reason = name;
		u->reason_calls = count;
	}
}

static void uncached_report(const struct rule_input *in, struct findings *out,
			    const struct uncached *u)
{
	double calls = u->hits + u->misses + u->uncacheable;
	double pct = 100 * u->uncacheable / calls;
	struct finding *f = finding_add(out, in, &rule_uncached_compiles,
					pct >= UNCACHED_LEAD_PCT ? FINDING_WARNING : FINDING_NOTE,
					UNCACHED_SURE);
	bool has_reason = u->reason.len && u->reason_calls >= u->uncacheable / 2;
	const char *what =
		u->uncacheable >= calls
			? finding_name(out, "None of %s compiler calls can be cached",
				       finding_count(out, calls))
			: finding_name(out, "%.1f %% of compiler calls cannot be cached (%s of %s)",
				       pct, finding_count(out, u->uncacheable),
				       finding_count(out, calls));

	f->impact = pct;
	finding_claim(out, f, "%s%s" STR_FMT "%s", what,
		      !has_reason                         ? ""
		      : u->reason_calls >= u->uncacheable ? ": '"
							  : ": mostly '",
		      STR_ARG(has_reason ? u->reason : STR("")), has_reason ? "'" : "");
	finding_figure(f, "calls that cannot be cached", pct, 0, "%");
	finding_evidence(out, f, in, u->line, "calls that cannot be cached");
	finding_usual_cause(out, f,
			    "A compiler option that the cache does not support makes it run the "
			    "compiler for each of these calls, without a look-up and without a "
			    "store. A larger cache changes nothing");
	finding_because(out, f,
			has_reason ? "the statistics count the calls by their reason"
				   : "the calls are counted\n"
				     "which option it is");
	if (u->is_sccache)
		finding_next(out, f,
			     "SCCACHE_LOG=debug sccache --start-server, and one compilation: its "
			     "line with 'CannotCache'");
	else
		finding_next(out, f,
			     "ccache -svv: the reasons; CCACHE_LOGFILE=/tmp/ccache.log for one "
			     "compilation: its line with 'unsupported' or 'Failed'");
	finding_next(out, f, "compile without the option, or with another version of the cache");
}

static void uncached_report_misses(const struct rule_input *in, struct findings *out,
				   const struct uncached *u)
{
	double cacheable = u->hits + u->misses;
	bool is_full = u->size_of > 0 && u->size >= u->size_of * UNCACHED_FULL && u->cleanups > 0;
	struct finding *f =
		finding_add(out, in, &rule_uncached_compiles, FINDING_NOTE, MISSES_SURE);

	f->impact = 100 * u->misses / cacheable;
	finding_claim(out, f,
		      "The compiler cache has %.1f %% hits: %s of %s cacheable calls miss%s",
		      100 * u->hits / cacheable, finding_count(out, u->misses),
		      finding_count(out, cacheable), is_full ? ", and it is full" : "");
	finding_figure(f, "hits", 100 * u->hits / cacheable, 0, "%");
	finding_evidence(out, f, in, u->miss_line, "misses");
	if (is_full)
		finding_usual_cause(out, f,
				    "The cache is smaller than one build: its entries are removed "
				    "before the next build needs them");
	else
		finding_usual_cause(out, f,
				    "A first build, or calls that differ in each build: a time, a "
				    "version or a folder in macros or paths, or another compiler");
	finding_because(out, f,
			"the calls are counted\n"
			"whether it was a first build, which misses as well");
	if (is_full)
		finding_next(out, f, "%s: a larger cache; then build twice",
			     u->is_sccache ? "SCCACHE_CACHE_SIZE=20G" : "ccache -M 20G");
	else if (u->is_sccache)
		finding_next(out, f,
			     "sccache --zero-stats; build the same twice; sccache --show-stats: if "
			     "the second build misses, compare the two command lines");
	else
		finding_next(out, f,
			     "ccache -z; build the same twice; ccache -s: if the second "
			     "build misses, CCACHE_DEBUG=1 shows what differs (base_dir, "
			     "__DATE__)");
}

static void uncached_check(const struct rule_input *in, struct findings *out)
{
	const struct metrics *m = in->capture->metrics;
	size_t count = table_words_column(in, "count");
	size_t of = table_words_column(in, "of");
	struct uncached u = { .hits = 0 };
	double calls;

	if (strcmp(in->capture->format, "compile-cache") != 0 || count == TABLE_NO_COLUMN ||
	    of == TABLE_NO_COLUMN)
		return;
	for (size_t row = 0; row < m->n_rows; row++)
		uncached_row(&u, table_words_name(in, row), metrics_value(m, row, count),
			     metrics_value(m, row, of), m->lines.data[row]);
	calls = u.hits + u.misses + u.uncacheable;
	if (!u.miss_line || calls < UNCACHED_CALLS) {
		finding_not_assessed(out, in, &rule_uncached_compiles,
				     u.is_sccache ? "sccache --zero-stats, a build, and sccache "
						    "--show-stats"
						  : "ccache -z, a build, and ccache -s",
				     "hits and misses of 100 calls or more are not in the text");
		return;
	}
	if (u.uncacheable >= calls * UNCACHED_NOTE_PCT / 100)
		uncached_report(in, out, &u);
	else if (u.hits + u.misses >= UNCACHED_CALLS &&
		 u.hits < (u.hits + u.misses) * UNCACHED_HIT_PCT / 100)
		uncached_report_misses(in, out, &u);
	else
		finding_clean(out, in, &rule_uncached_compiles,
			      "%.0f %% of cacheable calls hit, and %.0f %% of all cannot be cached",
			      100 * u.hits / fmax(u.hits + u.misses, 1),
			      100 * u.uncacheable / calls);
}

const struct rule rule_uncached_compiles = {
	.id = "uncached-compiles",
	.title = "The compiler cache saves little",
	.needs = RULE_METRICS,
	.check = uncached_check,
};
