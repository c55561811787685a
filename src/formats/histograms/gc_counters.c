/* SPDX-License-Identifier: MIT */
#include "formats/histograms/gc_counters.h"

#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "formats/histograms/gc_line.h"
#include "formats/histograms/heap_sizes.h"

/* The collection whose counters are being added. */
struct gc_counters {
	struct capture *capture;
	/*
	 * name of the collection with its cause, such as "Full GC (System.gc())". It becomes the
	 * comment of each counter. STR_ID_NONE: none
	 */
	str_id cause;
	uint32_t interval;
	struct gc_place at;
	uint8_t decimals; /* number of decimals of the values that are added */
	bool is_full;     /* the limit of rows is reached */
};

static struct gc_counters gc_counters_begin(struct capture *c, str_id cause, struct gc_place at)
{
	size_t n = capture_counters(c)->rows.len;

	if (n == 0)
		c->counters->n_intervals = 0;
	c->counters->tool = strings_add(capture_strings(c), STR("gc log"));
	/*
	 * If the previous counter is from another line, it belongs to another collection: begin the
	 * next interval.
	 */
	if (n == 0 || at.line == 0 || c->counters->rows.data[n - 1].line != at.line)
		c->counters->n_intervals++;
	return (struct gc_counters){ c, cause, c->counters->n_intervals - 1, at, 1, false };
}

static void gc_counters_add(struct gc_counters *g, const char *name, const char *unit, double value)
{
	struct strings *strings = capture_strings(g->capture);

	if (counters_add(capture_counters(g->capture), strings,
			 (struct counter){
				 .name = strings_add(strings, str_of(name)),
				 .unit = strings_add(strings, str_of(unit)),
				 .comment = g->cause,
				 .value = (int64_t)(value * (g->decimals == 1 ? 10 : 1000) + 0.5),
				 .decimals = g->decimals,
				 .spread = -1,
				 .running = -1,
				 .interval = g->interval,
				 .line = g->at.line }) < 0)
		g->is_full = true;
}

bool gc_counters_add_cpu(struct capture *c, struct str line, struct gc_place at)
{
	double cpu, real;
	struct gc_counters g;

	if (!gc_line_times(line, &cpu, &real))
		return true;
	g = gc_counters_begin(c, STR_ID_NONE, at);
	gc_counters_add(&g, "pause CPU time", "ms", cpu * 1e3);
	gc_counters_add(&g, "pause elapsed time", "ms", real * 1e3);
	return !g.is_full;
}

/* Add counters for incremental marking: its steps, and the time at which it ended. */
static void gc_counters_add_marking(struct gc_counters *g, const struct gc_marking *m)
{
	gc_counters_add(g, "marking steps", "", m->steps);
	gc_counters_add(g, "marking time", "ms", m->ns / 1e6);
	gc_counters_add(g, "longest marking step", "ms", m->longest_ns / 1e6);
	gc_counters_add(g, "marking elapsed time", "ms", m->elapsed_ns / 1e6);
	if (g->at.stamp >= 0)
		gc_counters_add(g, "marking ended at", "ms", g->at.stamp / 1e6);
}

bool gc_counters_add_heap(struct capture *c, struct str what, struct str line,
			  const struct gc_pending *p, struct gc_place at)
{
	double regions;
	struct heap_sizes heap, whole;
	struct gc_marking marking;
	struct gc_counters g;

	if (!str_glob(STR("Full*|Mark-sweep*|Mark-Compact*"), what) ||
	    !heap_sizes_parse(line, &heap))
		return true;
	g = gc_counters_begin(c, strings_add(capture_strings(c), what), at);
	g.decimals = heap.is_in_kib ? 3 : 1;
	gc_counters_add(&g, heap.is_old ? "old generation before" : "heap before", "MiB",
			heap.before / (1 << 20));
	gc_counters_add(&g, heap.is_old ? "old generation after" : "heap after", "MiB",
			heap.after / (1 << 20));
	if (heap.size > 0)
		gc_counters_add(&g, heap.is_old ? "old generation size" : "heap size", "MiB",
				heap.size / (1 << 20));
	if (heap.is_old && heap_sizes_whole(line, &whole)) {
		gc_counters_add(&g, "heap after", "MiB", whole.after / (1 << 20));
		if (whole.size > 0)
			gc_counters_add(&g, "heap size", "MiB", whole.size / (1 << 20));
	}
	g.decimals = 1;
	if (gc_line_large_regions(line, p, &regions))
		gc_counters_add(&g, "humongous regions", "", regions);
	if (gc_line_marking(line, &marking))
		gc_counters_add_marking(&g, &marking);
	return !g.is_full;
}
