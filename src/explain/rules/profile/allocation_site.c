/* SPDX-License-Identifier: MIT */
/*
 * The function that allocates most, or holds most of the heap, in profiles whose shares are of
 * bytes or objects. Allocators, and helpers that grow containers, are skipped: their caller is the
 * site.
 *
 * Thresholds: a site with 12 % is a note, with 30 % a warning, as for CPU time (rule hot-function).
 */
#include "analyses/plain_name.h"
#include "analyses/quality/quality.h"
#include "analyses/roles.h"
#include "core/profile.h"
#include "core/symbols.h"
#include "explain/signatures/signature.h"

#include "analyses/event_unit.h"
#include "base/alloc.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/metrics.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "explain/allocation_site_names.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/words/heap_words.h"
#include "explain/words/source_words.h"
#include "explain/words/table_words.h"

#include <inttypes.h>
#include <math.h>

DECLARE_RULE(allocation_site);

/* names of events that count the heap in one snapshot: at its peak, or at another time */
#define SITE_HEAP        "peak*|snapshot*"
#define SITE_NOTE_PCT    12.0
#define SITE_LEAD_PCT    30.0
#define SITE_SURE        75u
#define SITE_PATTERN     1024u /* for a name; templates of C++ have long ones */
#define SITE_CALLERS     3u
#define SITE_CALLER_PART 0.3
/*
 * SITE_PASSED_PART: a caller with at least this part (0 to 1) of the site's share only forwards
 * requests. SITE_OWNER_PART: the owner of the memory is the first function further outwards that
 * has at least this part, but less than SITE_PASSED_PART.
 */
#define SITE_OWNER_PART  0.5
#define SITE_PASSED_PART 0.98
#define SITE_DEPTH       8u
/* Two amounts of a table that differ by less than this part (0 to 1) count as equal. */
#define SITE_EQUAL_PART 0.0005
/*
 * With fewer allocations per second than this, allocation takes less than 0.1 % of a CPU, since an
 * allocation takes about 100 ns.
 */
#define SITE_RATE 10000.0
/* minimum number of sampled allocations: with fewer, a share means nothing */
#define SITE_SAMPLES 10u
/*
 * Limits for snapshots of the heap. SITE_SNAPSHOTS: minimum number. SITE_LEVEL_PART: a level heap
 * never falls below this part (0 to 1) of its peak. SITE_EXIT_PCT: later than this percentage of
 * the run, a program may free its memory because it exits.
 */
#define SITE_SNAPSHOTS  8u
#define SITE_LEVEL_PART 0.85
#define SITE_EXIT_PCT   95.0
/*
 * maximum number of callers that are cited, if each of them is the only caller of the previous one
 */
#define SITE_CHAIN 4u
/* maximum number of functions of the program that are compared */
#define SITE_PROGRAMS 64u
/* maximum number of frames between an allocation and the program that are cited */
#define SITE_FRAMES 8u
#define SITE_BEYOND 2u
/* if a program holds less memory, the finding is a note: such a program is healthy */
#define SITE_USE_BYTES (UINT64_C(64) << 20)
/*
 * If less memory was allocated since the start, the finding is a note: allocating and freeing a GiB
 * takes at most a few seconds of CPU time.
 */
#define SITE_ALLOC_BYTES (UINT64_C(1) << 30)
/* If this part (0 to 1) of all memory that a site ever allocated is in use, the site keeps it. */
#define SITE_KEPT_PART 0.5
/* A TiB. No heap is larger, so a larger total counts all memory that was ever allocated. */
#define SITE_FREED_BYTES (UINT64_C(1) << 40)
#define SITE_ROUNDING    1e-9 /* rounding error of a computed share */
/* a smaller leak is a note: perhaps the program allocates a single block once */
#define SITE_LEAK_BYTES (UINT64_C(1) << 20)
/*
 * The claim names up to SITE_NEXT more sites, each with at least SITE_NEXT_PART (0 to 1) of the
 * largest site's share.
 */
#define SITE_NEXT      2u
#define SITE_NEXT_PART 0.5
/* Modules and namespaces of the C++ standard library. */
#define SITE_STANDARD_LIBRARY "*libstdc++*|*libc++.*|*libc++-*"
#define SITE_STANDARD_SPACES  "std::*|__gnu_cxx::*|__cxxabiv1::*"
/* Packages of the class library of Java. */
#define SITE_JAVA_PACKAGES "java.*|javax.*|jdk.*|sun.*|com.sun.*"

static bool site_is_event(const struct rule_input *in, const char *pattern)
{
	return str_glob(str_of(pattern),
			strings_get(capture_strings(in->capture), in->capture->profile->event));
}

/* Are the samples from a heap profile of pprof? Its totals count from the start of the program. */
static bool site_is_pprof(const struct rule_input *in)
{
	return str_eq(str_of(in->capture->format), STR("pprof"));
}

/*
 * Does the program hold less than SITE_USE_BYTES, or has it allocated less than SITE_ALLOC_BYTES
 * since its start? Then no share of the heap matters.
 */
static bool site_is_small_heap(const struct rule_input *in)
{
	uint64_t bytes = heap_words_bytes(in);

	if (site_is_event(in, "inuse*"))
		return bytes && bytes < SITE_USE_BYTES;
	return site_is_event(in, "alloc_*") && site_is_pprof(in) && bytes &&
	       bytes < SITE_ALLOC_BYTES;
}

static bool site_is_small_leak(const struct rule_input *in)
{
	const struct profile *p = in->capture->profile;

	return site_is_event(in, "leaked*") && p->unit == WEIGHT_BYTES && in->profile->weight &&
	       in->profile->weight < SITE_LEAK_BYTES;
}

static bool site_is_java(const struct rule_input *in, sym_id sym)
{
	return str_glob(STR(SITE_JAVA_PACKAGES), facts_name(in->facts, sym));
}

/*
 * Does @sym belong to the C++ standard library, perhaps as an inlined function, or to the class
 * library of Java? It allocates for its caller.
 */
static bool site_is_standard(const struct rule_input *in, sym_id sym)
{
	const struct symbols *symbols = capture_symbols(in->capture);
	struct plain_name plain;

	return site_is_java(in, sym) ||
	       str_glob(STR(SITE_STANDARD_LIBRARY), symbols_module(symbols, sym)) ||
	       str_glob(STR(SITE_STANDARD_SPACES),
			plain_name_make(&plain, symbols_name(symbols, sym)));
}

/*
 * Whether the profile has no name for the function that allocated this memory: @sym is empty, or
 * stands for "other places".
 */
static bool site_is_nameless(const struct rule_input *in, sym_id sym)
{
	struct str name = facts_name(in->facts, sym);

	return name.len == 0 || str_eq(name, STR(PROFILE_OTHER_PLACES));
}

/* Whether @sym is a kind of memory, such as "[heap overhead]", and not a function. */
static bool site_is_part(const struct rule_input *in, sym_id sym)
{
	return str_starts(facts_name(in->facts, sym), STR("[")) && !site_is_nameless(in, sym);
}

/* Is @sym an allocator by its role, such as malloc() or xmalloc()? */
static bool site_is_named_allocator(const struct rule_input *in, sym_id sym)
{
	const struct symbols *symbols = capture_symbols(in->capture);

	return role_is_allocation(role_of_name(facts_name(in->facts, sym),
					       symbols_module(symbols, sym),
					       symbols_get(symbols, sym)->space));
}

/* Is @sym an allocator by its role, or by a part of its name, such as grow()? */
static bool site_is_allocator(const struct rule_input *in, sym_id sym)
{
	struct str name = facts_name(in->facts, sym);
	struct plain_name plain;
	/* Ignore types of arguments: std::allocator occurs in many of them. */
	struct str short_name = str_find(name, STR("::")) < name.len && !site_is_standard(in, sym)
					? plain_name_make(&plain, name)
					: name;

	return site_is_named_allocator(in, sym) || str_glob(STR(SITE_ALLOCATORS), short_name);
}

/*
 * Append @name to @patterns, with '|' before it. False: @name is empty, does not fit, or contains
 * '|'.
 */
static bool site_append(char *patterns, size_t size, struct str name)
{
	size_t at = strlen(patterns);

	if (name.len == 0 || at + name.len + 2 > size || str_find_char(name, '|') < name.len)
		return false;
	if (at)
		patterns[at++] = '|';
	memcpy(patterns + at, name.p, name.len);
	patterns[at + name.len] = '\0';
	return true;
}

/*
 * Find the callers of the functions that match @pattern, largest first. Functions that match
 * @through are skipped: their callers are used instead. Returns the number of callers.
 */
static size_t site_callers_through(const struct rule_input *in, const char *pattern,
				   const char *through, struct fact_caller *ret)
{
	size_t n = facts_callers(in->profile, pattern, through, ret, SITE_CALLERS);

	return n ? n : facts_callers_printed(in->profile, pattern, through, ret, SITE_CALLERS);
}

/*
 * Find the callers of @f, largest first. Allocators are skipped: their callers are used instead.
 * Returns the number of callers.
 */
static size_t site_callers(const struct rule_input *in, const struct fact_function *f,
			   struct fact_caller *ret)
{
	char pattern[SITE_PATTERN] = "";

	if (!site_append(pattern, sizeof(pattern), facts_name(in->facts, f->sym)))
		return 0;
	return site_callers_through(in, pattern, SITE_ALLOCATORS, ret);
}

/*
 * Find the owner of the memory that @site allocates. It is the first function, from @caller
 * outwards, with most of the site's share, but not all of it. (A function with all of it, such as a
 * constructor, only forwards requests.) False: there is no such function.
 */
static bool site_owner(const struct rule_input *in, const struct fact_function *site,
		       struct fact_caller caller, struct fact_caller *ret)
{
	struct fact_caller above[SITE_CALLERS];
	char pattern[SITE_PATTERN] = "";
	char through[2048] = SITE_ALLOCATORS;

	if (!site_append(pattern, sizeof(pattern), facts_name(in->facts, site->sym)))
		return false;
	for (unsigned int i = 0; i < SITE_DEPTH; i++) {
		if (!site_append(through, sizeof(through), facts_name(in->facts, caller.sym)) ||
		    site_callers_through(in, pattern, through, above) == 0 ||
		    above[0].pct < site->self * SITE_OWNER_PART)
			return false;
		caller = above[0];
		if (caller.pct < site->self * SITE_PASSED_PART) {
			*ret = caller;
			return true;
		}
	}
	return false;
}

/*
 * Cite up to SITE_CHAIN callers, from @caller outwards, that have nearly all of the site's share.
 * Application code is among them, but it is unknown which of them it is.
 */
static void site_chain(const struct rule_input *in, struct findings *out, struct finding *f,
		       const struct fact_function *site, struct fact_caller caller)
{
	struct fact_caller above[SITE_CALLERS];
	char pattern[SITE_PATTERN] = "";
	char through[2048] = SITE_ALLOCATORS;

	if (!site_append(pattern, sizeof(pattern), facts_name(in->facts, site->sym)))
		return;
	for (unsigned int i = 0; i < SITE_CHAIN; i++) {
		if (!site_append(through, sizeof(through), facts_name(in->facts, caller.sym)) ||
		    site_callers_through(in, pattern, through, above) != 1 ||
		    above[0].pct < site->self * SITE_PASSED_PART)
			return;
		caller = above[0];
		if (symbols_get(capture_symbols(in->capture), caller.sym)->flags & SYMBOL_ADDRESS)
			return; /* an address does not name a function */
		finding_caller(out, f, in, &caller);
	}
}

/* Append the next largest sites to the claim: ", and B has 11.5 %, C 11.0 %". */
static void site_others(const struct rule_input *in, struct findings *out, struct finding *f,
			const struct fact_function *site)
{
	size_t n = 0;

	VEC_FOREACH (other, &in->profile->functions) {
		struct str name = facts_short_name(in->facts, other->sym, 120);

		if (n == SITE_NEXT || other->self < site->self * SITE_NEXT_PART)
			break; /* functions are sorted, heaviest first */
		if (other->sym.v == site->sym.v || site_is_nameless(in, other->sym) ||
		    site_is_part(in, other->sym) || site_is_standard(in, other->sym) ||
		    site_is_allocator(in, other->sym))
			continue;
		finding_claim(out, f, STR_FMT "%s" STR_FMT " %s%.1f %%", STR_ARG(f->claim),
			      n ? ", " : ", and ", STR_ARG(name), n ? "" : "has ", other->self);
		finding_function(out, f, in, other);
		n++;
	}
}

/*
 * Is it unclear whether the weights are allocated bytes or bytes in use? If their total is
 * SITE_FREED_BYTES or more, they are allocated bytes: no process has so much memory in use.
 */
static bool site_is_unclear(const struct rule_input *in)
{
	return (in->profile->is_unit_guessed || site_is_event(in, "space")) &&
	       heap_words_bytes(in) < SITE_FREED_BYTES;
}

/*
 * Does the text not name the type of the weights, and is their total more than a process has in
 * use? Then they are all bytes that were ever allocated.
 */
static bool site_is_freed(const struct rule_input *in)
{
	return site_is_event(in, "space") && !site_is_unclear(in);
}

/*
 * Sizes of the heap over time, from a table in the same input, such as the snapshots of massif. The
 * heap is level if it is never below SITE_LEVEL_PART of its peak in the second half of the run.
 */
struct site_level {
	size_t snapshots; /* number of measured sizes; 0: no such table */
	double peak;      /* largest size of the heap, bytes */
	/*
	 * time at which the heap first reached SITE_LEVEL_PART of its peak, in percent of the run
	 */
	double at;
	bool is_level;
};

static struct site_level site_level(const struct rule_input *in)
{
	const struct dossier *d = in->facts->dossier;
	struct site_level ret = { 0 };

	VEC_FOREACH (c, &d->captures) {
		const struct metrics *m = (*c)->metrics;
		struct rule_input side = *in;
		size_t total, time;
		double end, least = 0;

		side.capture = *c;
		if (!m || (*c)->path.v != in->capture->path.v ||
		    (*c)->first_line != in->capture->first_line || m->n_rows < SITE_SNAPSHOTS)
			continue;
		total = table_words_column(&side, "total");
		time = table_words_column(&side, "time");
		if (total == TABLE_NO_COLUMN || time == TABLE_NO_COLUMN)
			continue;
		end = metrics_value(m, m->n_rows - 1, time);
		if (end <= 0)
			continue;
		for (size_t i = 0; i < m->n_rows; i++)
			ret.peak = fmax(ret.peak, metrics_value(m, i, total));
		least = ret.peak;
		ret.at = 100;
		for (size_t i = m->n_rows; i-- > 0;) {
			double at = 100 * metrics_value(m, i, time) / end;
			double size = metrics_value(m, i, total);

			if (size >= SITE_LEVEL_PART * ret.peak)
				ret.at = at;
			/*
			 * count only times before the end of the run, where a program frees its
			 * memory
			 */
			if (at >= 50 && at <= SITE_EXIT_PCT)
				least = fmin(least, size);
		}
		ret.snapshots = m->n_rows;
		ret.is_level = ret.at < 50 && least >= SITE_LEVEL_PART * ret.peak;
		break;
	}
	return ret;
}

/* Does the function @sym make timers, and does the profile show memory in use? */
static bool site_is_timers(const struct rule_input *in, sym_id sym, bool is_use)
{
	return (is_use || site_is_event(in, "space")) &&
	       str_glob(STR(SITE_TIMERS), facts_name(in->facts, sym));
}

/*
 * The function that reads text and holds SITE_NOTE_PCT or more of the memory in use; NULL: none.
 * Its memory stays as long as any part of the text is referenced.
 */
static const struct fact_function *site_reader(const struct rule_input *in)
{
	if (!site_is_event(in, "inuse*") || site_is_small_heap(in))
		return NULL;
	VEC_FOREACH (f, &in->profile->functions) {
		if (f->self < SITE_NOTE_PCT)
			break; /* functions are sorted, heaviest first */
		if (str_glob(STR(SITE_READERS), facts_name(in->facts, f->sym)))
			return f;
	}
	return NULL;
}

/* Set the basis of finding @f, and the thing that the profile does not show. */
static void site_say_sure(const struct rule_input *in, struct findings *out, struct finding *f,
			  bool is_use)
{
	if (site_is_event(in, "leaked*"))
		finding_because(out, f, "the tool found no pointer to this memory at the end");
	else if (site_is_event(in, "possibly_leaked*"))
		finding_because(out, f,
				"the amount is printed\nwhether the memory is still needed");
	else if (site_is_event(in, "*_classes"))
		finding_because(out, f, "the amount is printed\nwhich code makes these objects");
	else if (site_is_unclear(in))
		finding_because(out, f,
				"the amount is printed\n"
				"whether it is memory in use, or all that was ever allocated: the "
				"text does not name its type (inuse_space, alloc_space)");
	else if (is_use || site_is_event(in, SITE_HEAP "|snapshot*|memory_growth*|committed"))
		finding_because(out, f, "the memory in use is printed\nwhether it is needed");
	else if (site_is_freed(in))
		finding_because(out, f,
				"the text names no type, but %s is more than a process has in use: "
				"it is all that was ever allocated (alloc_space)\n"
				"how much of it is still in use",
				finding_bytes(out, (double)heap_words_bytes(in)));
	else
		finding_because(out, f,
				"the allocated memory is printed\nhow much of it is still in use");
	f->is_place = !signature_is_few(in);
}

/*
 * Is @sym library code, as shown by its role or its Go package? A library holds memory for its
 * caller.
 */
static bool site_is_of_library(const struct rule_input *in, sym_id sym)
{
	const struct symbols *symbols = capture_symbols(in->capture);
	struct str name = facts_name(in->facts, sym);
	struct str package = str_sub(name, 0, str_find_char(name, '.'));

	return role_of(in->profile->roles, symbols, sym) != ROLE_NONE ||
	       str_glob(STR(SITE_STANDARD), package);
}

/*
 * Set the cause of a finding about @sym. @is_kept: most of the memory that the site allocated since
 * the start is still in use.
 */
static void site_why(const struct rule_input *in, struct findings *out, struct finding *f,
		     sym_id sym, bool is_kept, bool has_caller)
{
	bool is_use = site_is_event(in, "inuse*") || is_kept;
	const struct fact_function *reader = site_reader(in);
	struct site_level level = site_level(in);

	if (site_is_timers(in, sym, is_use) && site_is_freed(in))
		finding_usual_cause(
			out, f,
			"Timers are made again and again, as by time.After() in a loop or a "
			"select, or by a retry with a timer of its own: use one timer with "
			"Reset(). The garbage collector pays for it");
	else if (site_is_timers(in, sym, is_use))
		finding_usual_cause(
			out, f,
			"A timer stays in memory until it fires or is stopped (before Go 1.23). "
			"time.After() in a loop or a select leaves a timer behind in each pass, "
			"for as long as its timeout: use one timer with Reset(), or a context and "
			"Stop()");
	else if (site_is_event(in, "*_classes"))
		finding_usual_cause(
			out, f,
			"Code that makes these objects and keeps them, or makes them again and "
			"again");
	else if (site_is_event(in, "leaked*"))
		finding_cause(
			out, f,
			"Nothing refers to this memory any more, but it was not freed. On some "
			"path its owner never releases it");
	else if (site_is_event(in, "possibly_leaked*"))
		finding_usual_cause(
			out, f,
			"Only pointers into the middle of this memory were left at the end: a "
			"leak, or code that keeps such pointers, as pools and stacks of threads "
			"do");
	else if (site_is_event(in, "committed"))
		finding_cause(out, f,
			      "The JVM committed this memory for one of its parts; only pages that "
			      "were touched are resident");
	else if (site_is_event(in, "memory_growth*"))
		finding_usual_cause(
			out, f,
			"This site grew most between the two snapshots: a cache that fills, "
			"or objects that nobody releases. Sites that shrank are left out");
	else if (site_is_event(in, SITE_HEAP) && level.is_level)
		finding_usual_cause(
			out, f,
			"The heap reached this size at %.0f %% of the run and kept it, by its %zu "
			"snapshots: data that the program needs all the time, or a cache with a "
			"limit. It is no leak",
			level.at, level.snapshots);
	else if (site_is_event(in, "peak*") && level.snapshots)
		finding_usual_cause(
			out, f,
			"The program held this memory when its heap was largest: data that it "
			"needs, or a cache or queue without limit. The snapshots show how the heap "
			"grew and shrank");
	else if (site_is_event(in, "snapshot*"))
		finding_usual_cause(
			out, f,
			"It holds memory that the program needs, if later snapshots have as much\n"
			"it fills a cache or queue without limit, if it grows from snapshot to "
			"snapshot");
	else if (site_is_event(in, SITE_HEAP))
		finding_usual_cause(
			out, f,
			"It holds memory that the program needs for a while and then releases, if "
			"the heap is smaller at the end\n"
			"it fills a cache or queue without limit, if a run several times as long "
			"holds more");
	else if (site_is_unclear(in))
		finding_usual_cause(
			out, f,
			"It is still referenced, by a cache, a list or a map, if a profile of the "
			"memory in use has this site, too\n"
			"it is allocated and freed again and again, if only a profile of all "
			"allocations has it");
	else if (is_kept)
		finding_usual_cause(
			out, f,
			"At least half of the memory that this site ever allocated is still in "
			"use: it was made once and kept, such as a table or a cache");
	else if (is_use && site_is_small_heap(in))
		finding_usual_cause(
			out, f,
			"The heap in use is small, %s: data that the program needs, such as tables "
			"that it makes at its start",
			finding_bytes(out, (double)heap_words_bytes(in)));
	else if (is_use && reader) {
		finding_usual_cause(
			out, f,
			"A slice or substring of the text that " STR_FMT " read (%.1f %%), such as "
			"a key of a map, keeps the whole text alive, if a copy of the part "
			"(strings.Clone) makes that share fall\n"
			"the whole text is needed, if the share stays",
			STR_ARG(facts_short_name(in->facts, reader->sym, 120)), reader->self);
		finding_function(out, f, in, reader);
	} else if (is_use)
		finding_usual_cause(
			out, f,
			"A cache or queue without limit, if the site grows between two profiles "
			"under equal load\n"
			"data that must stay, if it stops growing after the start\n"
			"a small part keeps a large object or buffer alive (a slice, a closure), "
			"if the program needs far less memory than this");
	else if (site_is_small_heap(in))
		finding_usual_cause(
			out, f,
			"This site allocates most, but all allocations since the start of the "
			"program are only %s: little work for the garbage collector",
			finding_bytes(out, (double)heap_words_bytes(in)));
	else
		finding_usual_cause(
			out, f,
			"This site allocates memory again and again: short-lived objects, "
			"buffers that are not reused, or values that escape to the heap. The "
			"garbage collector or allocator pays for it");
	site_say_sure(in, out, f, is_use);
	if (site_is_event(in, "*_classes"))
		finding_next(out, f,
			     "take the same report by location: the lines that allocate these "
			     "objects");
	else if (site_is_event(in, "leaked*"))
		finding_next(out, f,
			     "find the owner of the result of the call, and its release. One "
			     "block may be made once; the number of blocks of a longer run shows "
			     "whether it grows");
	else if (site_is_event(in, "possibly_leaked*"))
		finding_next(
			out, f,
			"valgrind --leak-check=full --leak-check-heuristics=all: what is still "
			"possibly lost after a longer run, and does it grow");
	else if (site_is_event(in, "committed"))
		finding_next(out, f,
			     "jcmd PID VM.native_memory baseline, later summary.diff: does this "
			     "part grow");
	else if (site_is_event(in, "memory_growth*"))
		finding_next(out, f,
			     "compare a third snapshot: a line that grows again and again leaks, "
			     "one that grew once filled a cache");
	else if (level.is_level)
		finding_next(out, f,
			     "run it several times as long: a heap of the same size has a limit");
	else if (site_is_unclear(in) && str_glob(STR("pprof*"), str_of(in->capture->format)))
		finding_next(out, f,
			     "go tool pprof -top -sample_index=inuse_space PROFILE: memory in use "
			     "if " STR_FMT " is in it; then -base of a profile minutes older: does "
			     "it grow",
			     STR_ARG(facts_short_name(in->facts, sym, 120)));
	else if (!str_glob(STR("pprof*"), str_of(in->capture->format)))
		/* steps.tsv lists the commands of each tool */
		finding_next(
			out, f,
			"look at the profiler's view of its callers; two profiles, minutes apart: "
			"does this site grow");
	else if (is_use && reader)
		finding_next(out, f,
			     "go tool pprof -list FUNCTION PROFILE: where it stores a part of the "
			     "text; copy the part there, and take the profile again");
	else if (!has_caller && site_is_of_library(in, sym))
		finding_next(out, f,
			     "pprof -peek FUNCTION: which functions call it, and how much each of "
			     "them allocates");
	else if (is_use)
		finding_next(out, f,
			     "pprof -diff_base OLD NEW: does this site grow between two heap "
			     "profiles");
	else
		finding_next(out, f, "pprof -list FUNCTION: which line allocates");
}

/*
 * Convert @pct percent to bytes, in brackets: " (4.84 GiB of 35.6 GiB)", with the total if the
 * table prints one. "": unknown, or the event does not count bytes.
 */
static const char *site_amount(const struct rule_input *in, struct findings *out, double pct)
{
	const struct profile *p = in->capture->profile;
	double whole = (double)p->event_count;

	if (site_is_pprof(in) && event_unit_is_bytes(&in->profile->unit))
		whole = (double)heap_words_bytes(in);
	else if (!p->has_event_count || !p->table.rows.len ||
		 !event_unit_is_bytes(&in->profile->unit))
		return "";
	if (whole <= 0)
		return "";
	return finding_name(out, " (%s of %s)", finding_bytes(out, whole * pct / 100),
			    finding_bytes(out, whole));
}

/*
 * A clause about the caller of @site, if a table without call chains shows the caller. The shares
 * can prove it: ", at least 20.1 % called from f". Or f has the same amount with its callees: ",
 * probably called from f, ...". "": no caller is shown.
 */
static const char *site_above(const struct rule_input *in, struct findings *out,
			      const struct fact_function *site, struct fact_caller *ret)
{
	const struct profile_facts *p = in->profile;

	if (facts_caller_bound(
		    p,
		    &(struct fact_callee){ .sym = site->sym, .share = site->self - site->self_err },
		    site->self * SITE_OWNER_PART, ret) &&
	    !site_is_of_library(in, ret->sym))
		return finding_name(out, ", at least %.1f %% called from " STR_FMT, ret->pct,
				    STR_ARG(facts_short_name(in->facts, ret->sym, 120)));
	if (facts_caller_equal(p, site, SITE_EQUAL_PART, ret) && !site_is_of_library(in, ret->sym))
		return finding_name(out,
				    ", probably called from " STR_FMT
				    ", which has the same amount with its callees",
				    STR_ARG(facts_short_name(in->facts, ret->sym, 120)));
	return "";
}

/* A function of the program, by its source line, and the memory that was allocated for it. */
struct site_program {
	sym_id sym;      /* SYM_ID_NONE: the stacks name no source of the program */
	uint64_t weight; /* sum of its samples */
	uint64_t most;   /* weight of the heaviest of them */
	stack_id stack;  /* the stack of this one */
};

/*
 * The first function of @stack outwards that is neither an allocator nor of a library. SYM_ID_NONE:
 * there is none, or the stack does not name its source line.
 */
static sym_id site_program_of(const struct rule_input *in, stack_id stack)
{
	const struct stacks *stacks = &in->capture->profile->stacks;
	const struct symbols *symbols = capture_symbols(in->capture);

	for (; stack.v; stack = stacks_parent(stacks, stack)) {
		sym_id sym = stacks_sym(stacks, stack);

		if (!source_words_is_library(in->capture, sym) && !site_is_allocator(in, sym) &&
		    !site_is_nameless(in, sym) &&
		    !(symbols_get(symbols, sym)->flags & SYMBOL_ADDRESS))
			return source_words_is_program(in->capture, sym) ? sym : SYM_ID_NONE;
	}
	return SYM_ID_NONE;
}

/*
 * The function of the program for which @site allocates most. SYM_ID_NONE: it has less than
 * SITE_CALLER_PART of the site's memory, or no source is named. Only the first SITE_PROGRAMS
 * functions are compared.
 */
static struct site_program site_program(const struct rule_input *in, sym_id site)
{
	const struct profile *p = in->capture->profile;
	struct site_program found[SITE_PROGRAMS] = { 0 };
	struct site_program best = { .sym = SYM_ID_NONE };
	uint64_t all = 0;
	size_t n = 0;

	for (size_t i = 0; i < p->samples.n; i++) {
		stack_id stack = p->samples.stack.data[i];
		uint64_t weight = p->samples.weight.data[i];
		sym_id sym;
		size_t k = 0;

		if (stacks_sym(&p->stacks, stack).v != site.v)
			continue;
		all += weight;
		sym = site_program_of(in, stack);
		while (k < n && found[k].sym.v != sym.v)
			k++;
		if (sym.v == 0 || k == SITE_PROGRAMS)
			continue;
		n += k == n;
		found[k].sym = sym;
		found[k].weight += weight;
		if (weight > found[k].most) {
			found[k].most = weight;
			found[k].stack = stack;
		}
		if (found[k].weight > best.weight)
			best = found[k];
	}
	return (double)best.weight >= SITE_CALLER_PART * (double)all
		       ? best
		       : (struct site_program){ .sym = SYM_ID_NONE };
}

/*
 * Cite the frames of @stack from the caller of the allocation outwards to @program, one after
 * another, and up to SITE_BEYOND callers of @program. Of many, the ones in the middle are left out.
 */
static void site_cite(const struct rule_input *in, struct findings *out, struct finding *f,
		      stack_id stack, sym_id program)
{
	const struct stacks *stacks = &in->capture->profile->stacks;
	uint32_t n = 0;
	uint32_t i = 0;

	for (stack_id at = stack; stacks_sym(stacks, at).v != program.v;
	     at = stacks_parent(stacks, at))
		n++;
	while (i < n) {
		sym_id sym;

		stack = stacks_parent(stacks, stack);
		sym = stacks_sym(stacks, stack);
		i++;
		if (n > SITE_FRAMES && i > SITE_FRAMES / 2 && i + SITE_FRAMES / 2 <= n)
			continue;
		finding_subject(f, sym, SUBJECT_CALLER);
		finding_evidence(out, f, in, 0, "%scalled by " STR_FMT "%s",
				 n > SITE_FRAMES && i + SITE_FRAMES / 2 == n + 1 ? "… " : "",
				 STR_ARG(facts_name(in->facts, sym)),
				 source_words_place(out, in->capture, sym));
	}
	/* its callers tell which use of the function it is, if it allocates for them */
	for (i = 0; i < SITE_BEYOND; i++) {
		sym_id sym;

		stack = stacks_parent(stacks, stack);
		if (!stack.v)
			return;
		sym = stacks_sym(stacks, stack);
		if (source_words_is_library(in->capture, sym) || site_is_nameless(in, sym))
			return;
		finding_evidence(out, f, in, 0, "called by " STR_FMT "%s",
				 STR_ARG(facts_name(in->facts, sym)),
				 source_words_place(out, in->capture, sym));
	}
}

/*
 * The claim about a leak whose allocation the program requested at a known source line: "8 B are
 * allocated by strdup, called from read_row (rows.c:31)". Without its share, if the text may lack
 * other leaks, or has no other one.
 */
static void site_leak_claim(const struct rule_input *in, struct findings *out, struct finding *f,
			    const struct fact_function *site, const struct site_program *program)
{
	const struct profile *p = in->capture->profile;
	double pct = 100 * (double)program->weight / (double)in->profile->weight;
	bool has_bytes = p->unit == WEIGHT_BYTES;
	bool has_share = !has_bytes || (p->samples.n > 1 && !quality_is_part(in->capture));
	const char *bytes = has_bytes ? finding_bytes(out, (double)program->weight) : "";
	const char *share = has_share
				    ? finding_name(out, "%s%.1f %% of %s%s", has_bytes ? ", " : "",
						   pct, in->profile->unit.of, has_bytes ? "," : "")
				    : "";
	const char *place = source_words_place(out, in->capture, program->sym);
	struct str name = facts_short_name(in->facts, program->sym, 120);
	sym_id called = site->sym;

	for (stack_id at = program->stack; stacks_sym(&p->stacks, at).v != program->sym.v;
	     at = stacks_parent(&p->stacks, at))
		called = stacks_sym(&p->stacks, at);
	if (called.v == program->sym.v || site_is_allocator(in, called))
		finding_claim(out, f, "Memory leak: %s%s are allocated in " STR_FMT "%s", bytes,
			      share, STR_ARG(name), place);
	else
		finding_claim(out, f,
			      "Memory leak: %s%s are allocated by " STR_FMT ", called from " STR_FMT
			      "%s",
			      bytes, share, STR_ARG(facts_short_name(in->facts, called, 120)),
			      STR_ARG(name), place);
}

/*
 * Add the finding about @site. @allocator: an allocator whose callers are unknown, and which has a
 * larger share than @site; NULL: there is none.
 */
static void site_finding(const struct rule_input *in, struct findings *out,
			 const struct fact_function *site, const struct fact_function *allocator)
{
	struct fact_caller callers[SITE_CALLERS];
	struct fact_caller owner;
	size_t n = site_callers(in, site, callers);
	bool names_caller = n && callers[0].pct >= site->self * SITE_CALLER_PART;
	bool has_owner = n && callers[0].pct >= site->self * SITE_PASSED_PART &&
			 site_owner(in, site, callers[0], &owner);
	bool is_kept = heap_words_kept(in, site) + SITE_ROUNDING >= SITE_KEPT_PART;
	bool leads = site->self >= SITE_LEAD_PCT && !signature_is_few(in) && !is_kept &&
		     !site_is_event(in, SITE_HEAP) && !site_is_event(in, "possibly_leaked*") &&
		     !site_is_small_heap(in) && !site_is_small_leak(in) &&
		     /*
		      * no warning if the rows may be classes of objects: in every program, some
		      * class has a large share
		      */
		     !(site_is_event(in, "space") && in->capture->profile->table.rows.len) &&
		     !site_is_event(in, "*_classes");
	const char *verb = site_is_event(in, "*_classes") ? "has"
			   : site_is_event(in, "inuse*")  ? "holds"
			   : site_is_event(in, "alloc*")  ? "allocates"
							  : "has";
	struct site_program program = site_is_event(in, "leaked*")
					      ? site_program(in, site->sym)
					      : (struct site_program){ .sym = SYM_ID_NONE };
	const char *below = "";
	double bytes = (double)in->profile->weight * site->self / 100;
	bool has_bytes = in->capture->profile->unit == WEIGHT_BYTES && bytes > 0;
	struct finding *f =
		finding_add(out, in, &rule_allocation_site, leads ? FINDING_WARNING : FINDING_NOTE,
			    signature_is_few(in) ? 60 : SITE_SURE);

	if (n == 0 && site_is_of_library(in, site->sym))
		below = site_above(in, out, site, &callers[0]);
	n = *below ? 1 : n;
	f->impact = site->self;
	if (program.sym.v)
		site_leak_claim(in, out, f, site, &program);
	else if (names_caller && site_is_event(in, "leaked*"))
		finding_claim(out, f,
			      "Memory leak: %s%s%.1f %% of %s%s allocated in " STR_FMT
			      " (by " STR_FMT ")",
			      has_bytes ? finding_bytes(out, bytes) : "", has_bytes ? ", " : "",
			      site->self, in->profile->unit.of, has_bytes ? ", are" : " are",
			      STR_ARG(facts_short_name(in->facts, callers[0].sym, 120)),
			      STR_ARG(facts_short_name(in->facts, site->sym, 120)));
	else if (names_caller && !in->profile->is_unit_guessed &&
		 site_is_named_allocator(in, site->sym))
		finding_claim(out, f, STR_FMT " %s %.1f %% of %s%s, through " STR_FMT "%s",
			      STR_ARG(facts_short_name(in->facts, callers[0].sym, 120)), verb,
			      callers[0].pct, in->profile->unit.of,
			      site_amount(in, out, callers[0].pct),
			      STR_ARG(facts_short_name(in->facts, site->sym, 120)), below);
	else
		finding_claim(out, f, STR_FMT " %s %.1f %% of %s%s%s" STR_FMT "%s",
			      STR_ARG(facts_short_name(in->facts, site->sym, 120)), verb,
			      site->self, in->profile->unit.of, site_amount(in, out, site->self),
			      !names_caller                  ? ""
			      : in->profile->is_unit_guessed ? ", allocated in "
							     : ", called by ",
			      STR_ARG(names_caller
					      ? facts_short_name(in->facts, callers[0].sym, 120)
					      : STR_NONE),
			      below);
	if (has_owner && !program.sym.v)
		finding_claim(out, f, STR_FMT "; %.1f %% for " STR_FMT, STR_ARG(f->claim),
			      owner.pct, STR_ARG(facts_short_name(in->facts, owner.sym, 120)));
	if (allocator && facts_name(in->facts, allocator->sym).len)
		finding_claim(out, f, STR_FMT "; " STR_FMT " has %.1f %% for unknown callers",
			      STR_ARG(f->claim),
			      STR_ARG(facts_short_name(in->facts, allocator->sym, 120)),
			      allocator->self);
	finding_share(f, in, "share of the site", site->self, site->self_err);
	finding_function(out, f, in, site);
	if (allocator && facts_name(in->facts, allocator->sym).len)
		finding_listed(out, f, in, allocator);
	site_others(in, out, f, site);
	if (program.sym.v && program.sym.v != site->sym.v) {
		site_cite(in, out, f, program.stack, program.sym);
	} else {
		for (size_t i = 0; i < n; i++)
			finding_caller(out, f, in, &callers[i]);
		if (has_owner)
			finding_caller(out, f, in, &owner);
		else if (n == 1 && !*below)
			site_chain(in, out, f, site, callers[0]);
	}
	site_why(in, out, f, site->sym, is_kept, n > 0);
}

/*
 * Memory by its owner. The owner is the first function outwards that is neither a library function
 * nor an allocator.
 */
struct site_owners {
	double *sum; /* sum[symbol]: share of the memory that the symbol owns, percent */
	/* owner[node]: symbol of the owner of the memory allocated at this stack node; 0: none */
	uint32_t *owner;
	/*
	 * entry[node]: outermost function of the standard library between the owner and the stack
	 * node; 0: none
	 */
	uint32_t *entry;
};

static void site_owners_init(struct site_owners *o, const struct rule_input *in)
{
	const struct profile_facts *p = in->profile;
	const struct stacks *stacks = &in->capture->profile->stacks;
	size_t n_symbols = capture_symbols(in->capture)->rows.len;
	uint32_t n = stacks_count(stacks);
	/* kind[symbol]: 0: not tested yet; 1: can be an owner; 2: standard library; 3: skipped */
	uint8_t *kind = xcalloc(n_symbols, 1);

	o->sum = xcalloc(n_symbols, sizeof(*o->sum));
	o->owner = xcalloc(n, sizeof(*o->owner));
	o->entry = xcalloc(n, sizeof(*o->entry));
	for (uint32_t i = 1; i < n; i++) {
		sym_id sym = stacks_sym(stacks, (stack_id){ i });
		uint32_t up = stacks->parent.data[i];

		if (!kind[sym.v])
			kind[sym.v] = str_glob(STR(SITE_PASSING), facts_name(in->facts, sym)) ? 3
				      : site_is_standard(in, sym)                             ? 2
				      : site_is_nameless(in, sym) || site_is_part(in, sym) ||
						      site_is_allocator(in, sym)
					      ? 3
					      : 1;
		o->owner[i] = kind[sym.v] == 1 ? sym.v : o->owner[up];
		o->entry[i] = kind[sym.v] == 1                   ? 0
			      : o->entry[up] || kind[sym.v] == 3 ? o->entry[up]
								 : sym.v;
		o->sum[o->owner[i]] += (double)p->self[i] / (double)p->weight * 100;
	}
	o->sum[0] = 0;
	free(kind);
}

static void site_owners_fini(struct site_owners *o)
{
	free(o->sum);
	free(o->owner);
	free(o->entry);
}

static sym_id site_heaviest(const double *sum, size_t n)
{
	sym_id most = SYM_ID_NONE;

	for (uint32_t i = 1; i < n; i++)
		most = sum[i] > sum[most.v] ? (sym_id){ i } : most;
	return most;
}

/* The name of @sym without types, in the arena of @out. */
static const char *site_plain(const struct rule_input *in, struct findings *out, sym_id sym)
{
	struct plain_name plain;

	return finding_name(
		out, STR_FMT,
		STR_ARG(plain_name_make(&plain, symbols_name(capture_symbols(in->capture), sym))));
}

/* Name the functions of the standard library that @owner calls for this memory. */
static void site_entries(const struct rule_input *in, struct findings *out, struct finding *f,
			 const struct site_owners *o, sym_id owner)
{
	const struct profile_facts *p = in->profile;
	size_t n_symbols = capture_symbols(in->capture)->rows.len;
	double *sum = xcalloc(n_symbols, sizeof(*sum));

	for (uint32_t i = 1; i < stacks_count(&in->capture->profile->stacks); i++) {
		if (o->owner[i] == owner.v && o->entry[i])
			sum[o->entry[i]] += (double)p->self[i] / (double)p->weight * 100;
	}
	for (size_t i = 0; i < SITE_CALLERS; i++) {
		sym_id sym = site_heaviest(sum, n_symbols);

		if (!sym.v)
			break;
		finding_figure(f, finding_name(out, "through %s", site_plain(in, out, sym)),
			       sum[sym.v], 0, "%");
		sum[sym.v] = 0;
	}
	free(sum);
}

/*
 * The function of the program that requests most of the memory of @owner. Its share is 0 if there
 * is none.
 */
static struct fact_caller site_owner_caller(const struct rule_input *in,
					    const struct site_owners *o, sym_id owner)
{
	const struct profile_facts *p = in->profile;
	const struct stacks *stacks = &in->capture->profile->stacks;
	size_t n_symbols = capture_symbols(in->capture)->rows.len;
	double *sum = xcalloc(n_symbols, sizeof(*sum));
	struct fact_caller ret = { .line = 0 };

	for (uint32_t i = 1; i < stacks_count(stacks); i++) {
		uint32_t at = i;

		if (!p->self[i] || o->owner[i] != owner.v)
			continue;
		while (at && o->owner[at] == owner.v)
			at = stacks->parent.data[at];
		sum[o->owner[at]] += (double)p->self[i] / (double)p->weight * 100;
	}
	sum[0] = 0;
	ret.sym = site_heaviest(sum, n_symbols);
	ret.pct = sum[ret.sym.v];
	free(sum);
	return ret;
}

/*
 * Add the finding about memory that the standard library allocates (C++, Java). The place is the
 * function of the program that called the library. False: the stacks show no such function.
 */
static bool site_standard_finding(const struct rule_input *in, struct findings *out, bool is_java)
{
	size_t n_symbols = capture_symbols(in->capture)->rows.len;
	struct site_owners o = { 0 };
	struct fact_caller caller;
	struct finding *f;
	sym_id owner;
	double first;

	if (!in->profile->self || in->capture->profile->table.rows.len || !in->profile->weight)
		return false;
	site_owners_init(&o, in);
	owner = site_heaviest(o.sum, n_symbols);
	first = o.sum[owner.v];
	if (!owner.v || first < SITE_NOTE_PCT) {
		site_owners_fini(&o);
		return false;
	}
	f = finding_add(out, in, &rule_allocation_site,
			first >= SITE_LEAD_PCT && !signature_is_few(in) &&
					!site_is_event(in, SITE_HEAP) && !site_is_small_heap(in)
				? FINDING_WARNING
				: FINDING_NOTE,
			signature_is_few(in) ? 60 : SITE_SURE);
	f->impact = first;
	finding_claim(out, f, "Calls of the %s in %s %s %.1f %% of %s",
		      is_java ? "Java class library" : "C++ standard library",
		      site_plain(in, out, owner),
		      site_is_event(in, "inuse*|" SITE_HEAP) ? "hold" : "account for", first,
		      in->profile->unit.of);
	finding_figure(f, "share of the site", first, 0, "%");
	site_entries(in, out, f, &o, owner);
	caller = site_owner_caller(in, &o, owner);
	for (size_t i = 0; i <= SITE_NEXT && o.sum[owner.v] >= SITE_NOTE_PCT; i++) {
		finding_caller(out, f, in,
			       &(struct fact_caller){ .sym = owner, .pct = o.sum[owner.v] });
		if (i)
			finding_claim(out, f, STR_FMT "%s%s %.1f %%", STR_ARG(f->claim),
				      i == 1 ? "; in " : ", in ", site_plain(in, out, owner),
				      o.sum[owner.v]);
		o.sum[owner.v] = 0;
		owner = site_heaviest(o.sum, n_symbols);
	}
	if (caller.pct >= first * SITE_OWNER_PART) {
		finding_claim(out, f, STR_FMT "; %.1f %% for %s", STR_ARG(f->claim), caller.pct,
			      site_plain(in, out, caller.sym));
		finding_caller(out, f, in, &caller);
	}
	site_owners_fini(&o);
	site_why(in, out, f, owner, false, true);
	return true;
}

static void site_check(const struct rule_input *in, struct findings *out)
{
	const struct profile *p = in->capture->profile;
	const struct fact_function *site = NULL;
	const struct fact_function *allocator = NULL;
	struct str rate = capture_note_of(in->capture, STR("per second"));
	struct site_level level;
	double per_second;

	if (in->profile->functions.len == 0)
		return;
	if (site_is_event(in, "reachable*")) {
		finding_clean(out, in, &rule_allocation_site,
			      "the program refers to this memory until its end: no leak");
		return;
	}
	if (p->has_n_samples && p->n_samples < SITE_SAMPLES) {
		finding_not_assessed(out, in, &rule_allocation_site, "a longer recording",
				     "only %" PRIu64 " allocations were recorded", p->n_samples);
		return;
	}
	/*
	 * with few samples, shares are mostly chance: a sample of a small object stands for many
	 * objects
	 */
	if (site_is_pprof(in) && p->has_n_samples && profile_effective_samples(p) < SITE_SAMPLES) {
		finding_not_assessed(out, in, &rule_allocation_site, "a profile after more work",
				     "shares of %s rest on about %.0f recorded allocations",
				     in->profile->unit.of, fmax(1, profile_effective_samples(p)));
		return;
	}
	level = site_level(in);
	if (site_is_event(in, SITE_HEAP) && level.is_level && level.peak < (double)SITE_USE_BYTES) {
		finding_clean(out, in, &rule_allocation_site,
			      "the heap stays at %.2f MB from %.0f %% of the run on",
			      level.peak / 1e6, level.at);
		return;
	}
	if (site_is_event(in, "alloc_objects|temporary_objects") && rate.len &&
	    str_double(&rate, &per_second) && per_second < SITE_RATE) {
		finding_clean(out, in, &rule_allocation_site,
			      "%.0f allocations a second: too few to take time", per_second);
		return;
	}
	VEC_FOREACH (f, &in->profile->functions) {
		struct fact_caller caller[SITE_CALLERS];

		if (f->self < SITE_NOTE_PCT)
			break; /* functions are sorted, heaviest first */
		if (site_is_part(in, f->sym))
			continue;
		if (site_is_nameless(in, f->sym) ||
		    (site_is_allocator(in, f->sym) && !site_callers(in, f, caller))) {
			allocator = allocator ? allocator : f;
			/* an allocator without a known caller does not show which code allocates */
			continue;
		}
		site = f;
		break;
	}
	if (site && site_is_standard(in, site->sym) &&
	    site_standard_finding(in, out, site_is_java(in, site->sym)))
		return;
	if (site)
		site_finding(in, out, site, allocator);
	else if (allocator)
		finding_not_assessed(out, in, &rule_allocation_site, "pprof -peek FUNCTION",
				     STR_FMT " has %.1f %%, and its callers are not printed",
				     STR_ARG(facts_name(in->facts, allocator->sym)),
				     allocator->self);
	else
		finding_clean(out, in, &rule_allocation_site, "no allocating function has %.0f %%",
			      SITE_NOTE_PCT);
}

const struct rule rule_allocation_site = {
	.id = "allocation-site",
	.title = "Allocation hot spot",
	.needs = RULE_PROFILE,
	.events = EVENT_BIT(EVENT_MEMORY),
	.hides_pct = SITE_NOTE_PCT,
	.check = site_check,
};
