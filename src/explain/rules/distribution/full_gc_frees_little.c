/* SPDX-License-Identifier: MIT */
/*
 * Collections of the whole heap leave it as full as before: live objects fill it.
 *
 * Thresholds: at least two full collections, and at least half of all full collections, free less
 * than a tenth and leave at least 80 % of the heap in use. The next collection then follows soon.
 * If the heap size is not printed, five collections that free less than a tenth are needed.
 * Requested collections are ignored, because programs can request them at any time. The printed
 * size is the current size of the heap, and not its limit. So if the heap still grows from one
 * collection to the next, the finding is a note.
 */
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/words/gc_words.h"

#include <math.h>

DECLARE_RULE(full_gc_frees_little);

#define FULL_FREED     0.10
#define FULL_USED      0.80
#define FULL_LEAST     2u
#define FULL_SIZELESS  5u
#define FULL_SURE      90u
#define FULL_SURE_LESS 60u
/*
 * The claim mentions the time in pauses if it is at least this percentage of all time. Rule
 * gc-pauses has the same limit.
 */
#define FULL_STOPPED 5.0
#define FULL_GROWTH  1.10
#define FULL_RESIZED 1.05 /* minimum growth of the heap's size between two collections */

struct full_gc {
	unsigned int n;      /* number of full collections */
	unsigned int little; /* collections that freed less than FULL_FREED */
	/* collections in `little` that left at least FULL_USED of the heap in use */
	unsigned int full;
	unsigned int sized; /* collections in `little` with a printed heap size */
	/* memory in use after the first and after the last collection that freed little */
	double first, last;
	/*
	 * freed: largest amount that one collection in `little` freed. heap, heap_size: memory in
	 * use in the whole heap, and size of the whole heap, after the last collection in `little`;
	 * 0: not printed.
	 */
	double freed, heap, heap_size;
	double size; /* heap size at the last collection that freed little; 0: not printed */
	double sized_before; /* heap size at the previous collection that freed little */
	uint32_t line;       /* input line of the last collection that freed little */
	uint8_t decimals;    /* decimals of the printed sizes in MiB */
	bool is_old;
};

/* One full collection. Several adjacent rows of the input describe it. */
struct full_gc_one {
	double before, after, size;
	/*
	 * memory in use in the whole heap after the collection, and size of the whole heap, if the
	 * log also prints them for a collection of the old generation; otherwise 0
	 */
	double heap, heap_size;
	uint32_t line;
	uint8_t decimals;
	bool is_old;
};

static void full_gc_add(struct full_gc *g, const struct full_gc_one *one)
{
	g->n++;
	if (one->before <= 0 || one->before - one->after >= FULL_FREED * one->before)
		return;
	g->first = g->little++ ? g->first : one->after;
	g->last = one->after;
	g->freed = fmax(g->freed, one->before - one->after);
	g->heap = one->heap;
	g->heap_size = one->heap_size;
	g->decimals = one->decimals;
	g->sized_before = g->size;
	g->size = one->size;
	g->line = one->line;
	g->is_old = one->is_old;
	g->sized += one->size > 0;
	g->full += one->size > 0 && one->after >= FULL_USED * one->size;
}

static void full_gc_gather(const struct rule_input *in, struct full_gc *g)
{
	const struct strings *strings = capture_strings(in->capture);
	struct full_gc_one one = { .before = 0 };
	uint32_t interval = UINT32_MAX;

	VEC_FOREACH (c, &in->capture->counters->rows) {
		struct str name = strings_get(strings, c->name);

		if (str_starts(name, STR("pause")) ||
		    gc_words_asker(strings_get(strings, c->comment)))
			continue;
		if (c->interval != interval && interval != UINT32_MAX)
			full_gc_add(g, &one);
		if (c->interval != interval)
			one = (struct full_gc_one){ .line = c->line,
						    .is_old = str_starts(name, STR("old")),
						    .decimals = c->decimals };
		interval = c->interval;
		if (one.is_old && str_eq(name, STR("heap after")))
			one.heap = counter_value(c);
		else if (one.is_old && str_eq(name, STR("heap size")))
			one.heap_size = counter_value(c);
		else if (str_ends(name, STR(" before")))
			one.before = counter_value(c);
		else if (str_ends(name, STR(" after")))
			one.after = counter_value(c);
		else if (str_ends(name, STR(" size")))
			one.size = counter_value(c);
	}
	if (interval != UINT32_MAX)
		full_gc_add(g, &one);
}

/* Did the heap grow up to the last collection? Then it had not reached its limit. */
static bool full_gc_is_growing(const struct full_gc *g)
{
	return g->sized_before > 0 && g->size >= FULL_RESIZED * g->sized_before;
}

static void full_gc_grows(const struct rule_input *in, struct findings *out,
			  const struct full_gc *g)
{
	struct finding *f =
		finding_add(out, in, &rule_full_gc_frees_little, FINDING_NOTE, FULL_SURE_LESS);

	finding_claim(out, f,
		      "%u of %u full collections free less than a tenth of the %s, which grows: "
		      "%.0f MiB stayed in use after the first of them, %.0f of %.0f MiB after the "
		      "last",
		      g->little, g->n, g->is_old ? "old generation" : "heap", g->first, g->last,
		      g->size);
	finding_figure(f, "full collections", (double)g->n, 0, "");
	finding_figure(f, "growth of what stays in use", g->last / g->first, 0, "times");
	finding_evidence(out, f, in, g->line, "the last one");
	finding_usual_cause(
		out, f,
		"The program loads data that it needs, as after its start, or it keeps objects "
		"that it does not need (a leak). The heap still grew, so its limit is not reached");
	finding_because(out, f, "each line states the size of the heap, but not its limit");
	finding_next(out, f,
		     "record the log until the size of the heap stays: does the memory in use "
		     "still grow");
	finding_next(out, f,
		     "-Xms as large as -Xmx: the heap is not collected to grow step by step");
}

/* The most that one collection freed: "1 KiB", "at most 12 MiB", "less than 1 MiB". */
static const char *full_gc_freed(struct findings *out, const struct full_gc *g)
{
	const char *most = g->little > 1 ? "at most " : "";

	if (g->decimals >= 3 && g->freed < 1)
		return finding_name(out, "%s%.0f KiB", most, g->freed * 1024);
	if (g->freed < 1)
		return "less than 1 MiB";
	return finding_name(out, "%s%.0f MiB", most, g->freed);
}

/*
 * If the claim is about the old generation, a clause about the whole heap after the last collection
 * that freed little: ", and the whole heap 97 % (970 of 1000 MiB)". "" if the log does not print
 * the whole heap.
 */
static const char *full_gc_heap(struct findings *out, const struct full_gc *g)
{
	return g->heap_size > 0
		       ? finding_name(out, ", and the whole heap %.0f %% (%.0f of %.0f MiB)",
				      100 * g->heap / g->heap_size, g->heap, g->heap_size)
		       : "";
}

/*
 * The start of the claim: "The program stands still 30 % of the time (...): ". "" if the pauses
 * take less than FULL_STOPPED percent of the time, or if their share is unknown.
 */
static const char *full_gc_stopped(const struct rule_input *in, struct findings *out)
{
	double ns, sum;
	double share = gc_words_stopped(in->capture, &ns, &sum);

	if (!(share >= FULL_STOPPED))
		return "";
	return finding_name(out, "The program stands still %.0f %% of the time (%s of %s): ", share,
			    finding_duration(out, (uint64_t)sum),
			    finding_duration(out, (uint64_t)ns));
}

static void full_gc_finding(const struct rule_input *in, struct findings *out,
			    const struct full_gc *g)
{
	struct str end = capture_note_of(in->capture, STR("ended with"));
	bool is_limit = g->size > 0 || end.len > 0;
	bool grows = g->last >= FULL_GROWTH * g->first;
	const char *what = g->is_old ? "old generation" : "heap";
	struct finding *f = finding_add(out, in, &rule_full_gc_frees_little, FINDING_WARNING,
					is_limit ? FULL_SURE : FULL_SURE_LESS);

	if (g->size > 0)
		finding_claim(out, f,
			      "%s%u of %u full collections free %s of the %s, which stays %.0f %% "
			      "full (%.0f of %.0f MiB)%s",
			      full_gc_stopped(in, out), g->little, g->n, full_gc_freed(out, g),
			      what, 100 * g->last / g->size, g->last, g->size,
			      full_gc_heap(out, g));
	else
		finding_claim(out, f,
			      "%u of %u full collections free %s of the %s: %.0f MiB stay in use%s",
			      g->little, g->n, full_gc_freed(out, g), what, g->last,
			      end.len ? ". Then the program ended, out of memory" : "");
	if (g->size > 0) {
		f->impact = 100 * g->last / g->size;
		finding_figure(f, "in use after the last one", 100 * g->last / g->size, 0, "%");
	}
	finding_about(out, f, /* is_part= */ false, GC_WORDS_ABOUT_FULL);
	finding_figure(f, "full collections", (double)g->n, 0, "");
	finding_figure(f, "growth of what stays in use", g->last / g->first, 0, "times");
	if (end.len)
		f->impact = 100;
	finding_evidence(out, f, in, g->line, "the last one");
	finding_usual_cause(
		out, f, "%s",
		grows      ? "Live objects fill the heap, and their size grows from one "
			     "collection to the next: a memory leak, or a cache without limit"
		: is_limit ? "Live objects fill the heap: it is too small for them, or they leak. "
			     "The collector runs again and again in vain, up to an out-of-memory "
			     "error"
			   : "Nearly all objects are alive each time: they fill the heap, or "
			     "something "
			     "asks for a collection long before it is full. The line may name the "
			     "reason");
	finding_because(out, f, "%s",
			end.len       ? "the last line says that the heap reached its limit"
			: g->size > 0 ? "each line states the memory before, after, and the limit"
				      : "each line states the memory before and after\n"
					"the limit of the heap");
	finding_next(out, f, "%s: which objects hold the memory, and from where",
		     gc_words_dump(in->capture));
	finding_next(out, f,
		     "read the log since the start: if the memory after full collections grows, a "
		     "leak; if not, %s",
		     str_starts(capture_note_of(in->capture, STR("printed by")), STR("V8"))
			     ? "--max-old-space-size"
			     : "a larger -Xmx");
}

static void full_gc_check(const struct rule_input *in, struct findings *out)
{
	struct full_gc g = { .n = 0 };
	bool is_full;

	if (!in->capture->counters ||
	    !str_eq(strings_get(capture_strings(in->capture), in->capture->counters->tool),
		    STR("gc log")))
		return;
	full_gc_gather(in, &g);
	/*
	 * At least half of the collections must free little: one such collection after a peak is
	 * normal.
	 */
	is_full = g.sized ? g.full >= FULL_LEAST && 2 * g.full >= g.n
			  : g.little >= FULL_SIZELESS && 2 * g.little >= g.n;
	if (is_full && full_gc_is_growing(&g) &&
	    capture_note_of(in->capture, STR("ended with")).len == 0)
		full_gc_grows(in, out, &g);
	else if (is_full)
		full_gc_finding(in, out, &g);
	else if (g.n < FULL_LEAST)
		finding_not_assessed(out, in, &rule_full_gc_frees_little,
				     "-Xlog:gc, or --trace-gc, until the next full collection",
				     "fewer than two full collections that nobody requested");
	else
		finding_clean(out, in, &rule_full_gc_frees_little,
			      "%u of %u full collections free less than a tenth", g.little, g.n);
}

const struct rule rule_full_gc_frees_little = {
	.id = "full-gc-frees-little",
	.title = "Full collections free almost nothing",
	.needs = RULE_DISTRIBUTION,
	.check = full_gc_check,
	.is_measured = true,
};
