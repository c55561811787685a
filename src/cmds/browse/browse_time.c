/* SPDX-License-Identifier: MIT */
#include "cmds/browse/browse_time.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/out.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmds/screen/profile_pages.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/strings.h"
#include "render/escape.h"
#include "render/screen.h"
#include "render/view.h"

#include <stdint.h>
#include <stdlib.h>

#define TIME_THREADS 100u /* maximum number of threads with a row of their own */
#define TIME_LABEL   24u  /* width of the column with the names of threads */
#define TIME_LEVELS  8u

struct time_row {
	uint64_t total;
	uint32_t thread; /* index in profile.threads */
};

struct time_grid {
	const struct profile *p;
	unsigned int n_cells;  /* number of cells of a row */
	uint64_t from, to;     /* times of the first and of the last sample */
	struct time_row *rows; /* one for each thread, sorted by weight, the heaviest first */
	size_t n_rows;         /* number of rows to show; the rest of `rows` is not shown */
	/* weights: n_cells for each shown row, then n_cells for the row "all threads" */
	uint64_t *cells;
	uint32_t *row_of; /* for each thread, its index in `rows` */
};

bool browse_time_has(const struct capture *c)
{
	const struct profile *p = c->profile;

	return p && p->samples.n && p->samples.time_ns.len == p->samples.n &&
	       p->samples.thread.len == p->samples.n && p->threads.len;
}

static void time_span(struct time_grid *g)
{
	g->from = UINT64_MAX;
	g->to = 0;
	VEC_FOREACH (t, &g->p->samples.time_ns) {
		g->from = *t < g->from ? *t : g->from;
		g->to = *t > g->to ? *t : g->to;
	}
}

static int time_compare(const void *a, const void *b)
{
	const struct time_row *x = a, *y = b;

	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return x->thread < y->thread ? -1 : x->thread > y->thread;
}

/* Make g->rows, sorted by the weight of the samples, and count the rows to show. */
static void time_sort(struct time_grid *g)
{
	const struct profile *p = g->p;
	size_t n = p->threads.len;

	g->rows = xcalloc(n, sizeof(*g->rows));
	g->row_of = xcalloc(n, sizeof(*g->row_of));
	for (uint32_t i = 0; i < n; i++)
		g->rows[i].thread = i;
	for (size_t i = 0; i < p->samples.n; i++) {
		if (p->samples.thread.data[i] < n)
			g->rows[p->samples.thread.data[i]].total += p->samples.weight.data[i];
	}
	qsort(g->rows, n, sizeof(*g->rows), time_compare);
	for (uint32_t i = 0; i < n; i++) {
		g->row_of[g->rows[i].thread] = i;
		g->n_rows += i < TIME_THREADS && g->rows[i].total;
	}
}

static void time_fill(struct time_grid *g)
{
	const struct profile *p = g->p;
	double span = (double)(g->to - g->from) + 1;

	g->cells = xcalloc((g->n_rows + 1) * g->n_cells, sizeof(*g->cells));
	for (size_t i = 0; i < p->samples.n; i++) {
		uint64_t at = p->samples.time_ns.data[i] - g->from;
		size_t cell = (size_t)((double)at / span * g->n_cells);
		uint32_t thread = p->samples.thread.data[i];
		uint64_t weight = p->samples.weight.data[i];

		cell = cell < g->n_cells ? cell : g->n_cells - 1;
		g->cells[g->n_rows * g->n_cells + cell] += weight;
		if (thread < p->threads.len && g->row_of[thread] < g->n_rows)
			g->cells[g->row_of[thread] * g->n_cells + cell] += weight;
	}
}

static uint64_t time_most(const uint64_t *cells, size_t n)
{
	uint64_t most = 0;

	for (size_t i = 0; i < n; i++)
		most = cells[i] > most ? cells[i] : most;
	return most;
}

static void time_cells(const struct time_grid *g, size_t row, uint64_t most, bool has_utf8,
		       struct out *out)
{
	static const char *const bars[] = { " ",      "\u2581", "\u2582", "\u2583", "\u2584",
					    "\u2585", "\u2586", "\u2587", "\u2588" };
	static const char *const marks[] = { " ", ".", ":", "-", "=", "+", "*", "#", "@" };

	for (unsigned int i = 0; i < g->n_cells; i++) {
		uint64_t v = g->cells[row * g->n_cells + i];
		size_t level = v ? 1 + (size_t)((double)v / (double)most * (TIME_LEVELS - 1)) : 0;

		out_z(out, has_utf8 ? bars[level] : marks[level]);
	}
	out_char(out, '\n');
}

static void time_label(struct str name, uint32_t tid, struct out *out)
{
	struct out clean = { .fd = -1 };
	struct out number = { .fd = -1 };
	unsigned int used;

	escape_text(&clean, name);
	if (tid)
		out_u64(&number, tid);
	used = screen_clip(out_view(&clean), TIME_LABEL - 2 - (unsigned int)number.len, false, out);
	out_repeat(out, ' ', TIME_LABEL - 1 - used - number.len);
	out_str(out, out_view(&number));
	out_char(out, ' ');
	out_fini(&clean);
	out_fini(&number);
}

static void time_rows(struct pages *pages, struct time_grid *g, bool has_utf8, struct out *out)
{
	const struct profile *p = g->p;
	const uint64_t *all = g->cells + g->n_rows * g->n_cells;
	uint64_t most = time_most(g->cells, g->n_rows * g->n_cells);

	time_label(STR("all threads"), 0, out);
	time_cells(g, g->n_rows, time_most(all, g->n_cells), has_utf8, out);
	for (size_t i = 0; i < g->n_rows; i++) {
		const struct profile_thread *t = &p->threads.data[g->rows[i].thread];
		struct str comm = strings_get(capture_strings(pages->capture), t->comm);

		*VEC_PUSH(&pages->rows) = (struct page_row){
			.text = arena_str(&pages->arena, comm),
			.tid = t->has_tid ? t->tid : 0,
			.comm = t->comm,
			.node = INDEX_NONE,
			.line = i + 2,
		};
		time_label(comm, t->has_tid ? t->tid : 0, out);
		time_cells(g, i, most, has_utf8, out);
	}
}

void browse_time_draw(struct pages *pages, const struct text_options *text, struct out *out)
{
	struct time_grid g = { .p = pages->capture->profile };

	g.n_cells = text->width > TIME_LABEL + 1 ? text->width - TIME_LABEL - 1 : 1;
	time_span(&g);
	time_sort(&g);
	time_fill(&g);
	out_printf(out, "%-*s0 to %.3f s, %.1f ms a column\n", (int)TIME_LABEL, "Thread",
		   (double)(g.to - g.from) / 1e9, (double)(g.to - g.from) / g.n_cells / 1e6);
	time_rows(pages, &g, text->has_utf8, out);
	free(g.cells);
	free(g.rows);
	free(g.row_of);
}
