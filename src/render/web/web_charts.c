/* SPDX-License-Identifier: MIT */
/*
 * web_charts.c - data for the web page: charts that show how figures in log lines change over time
 *
 * A chart shows one figure: sizes, counts, elections, poll intervals. It has one series for each
 * process that logged the figure. Each point refers to its log line.
 */
#include "analyses/logs/log_summary.h"
#include "base/alloc.h"
#include "base/status.h"
#include "base/str.h"
#include "base/text/json.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/kinds/records.h"
#include "render/web/web_page.h"

struct web_point {
	uint32_t record;
	double value;
};

/* The points of one chart, in the order of the log. */
struct web_chart {
	const char *title;
	const char *unit; /* unit after a value; "": none */
	/* "steps": a value holds until the next point; "points": a value holds only at its time */
	const char *kind;
	struct str name; /* name of a counter, appended to the title; empty: none */
	VEC(struct web_point) points;
};

static void chart_point(struct web_chart *c, uint32_t record, double value)
{
	*VEC_PUSH(&c->points) = (struct web_point){ record, value };
}

static const struct log_record *chart_record(const struct capture *c, uint32_t record)
{
	return &c->records->rows.data[record];
}

static void chart_series(struct web_block *b, const struct capture *c,
			 const struct web_chart *chart, uint32_t stream)
{
	struct json *j = &b->json;

	json_object(j);
	json_key(j, "stream");
	json_u64(j, stream);
	for (int what = 0; what < 3; what++) {
		json_key(j, what == 0 ? "ms" : what == 1 ? "values" : "lines");
		json_array(j);
		VEC_FOREACH (p, &chart->points) {
			const struct log_record *r = chart_record(c, p->record);

			if (r->stream != stream || !r->has_time)
				continue;
			if (what == 0)
				json_double(j, (double)r->time_ns / 1e6);
			else if (what == 1)
				json_double(j, p->value);
			else
				json_u64(j, r->line);
		}
		json_array_end(j);
	}
	json_object_end(j);
}

/*
 * Write @chart to the block, and free @chart. Returns false if no point has a time; nothing is
 * written then.
 */
static bool chart_write(struct web_block *b, const struct capture *c, struct web_chart *chart)
{
	size_t n_streams = c->records->streams.len;
	CLEANUP(freep) uint32_t *timed = xcalloc(n_streams + 1, sizeof(*timed));
	uint32_t n = 0;

	VEC_FOREACH (p, &chart->points) {
		const struct log_record *r = chart_record(c, p->record);

		if (r->has_time && r->stream < n_streams) {
			timed[r->stream]++;
			n++;
		}
	}
	if (n) {
		json_object(&b->json);
		json_key(&b->json, "title");
		json_z(&b->json, chart->title);
		json_key(&b->json, "name");
		json_str(&b->json, chart->name);
		json_key(&b->json, "unit");
		json_z(&b->json, chart->unit);
		json_key(&b->json, "kind");
		json_z(&b->json, chart->kind);
		json_key(&b->json, "timeless");
		json_u64(&b->json, chart->points.len - n);
		json_key(&b->json, "series");
		json_array(&b->json);
		for (uint32_t i = 0; i < n_streams; i++) {
			if (timed[i])
				chart_series(b, c, chart, i);
		}
		json_array_end(&b->json);
		json_object_end(&b->json);
	}
	VEC_FREE(&chart->points);
	return n > 0;
}

static bool charts_memory(struct web_block *b, const struct capture *c, const struct log_summary *s)
{
	struct web_chart chart = { .title = "Peak memory", .unit = "kB", .kind = "steps" };

	VEC_FOREACH (m, &s->memory)
		chart_point(&chart, m->record, (double)m->to_kb);
	return chart_write(b, c, &chart);
}

/*
 * Write one chart per counter, for at most WEB_CHARTS_USAGE counters. Each counter has its own
 * chart, because the counters of a log line measure different things.
 */
static bool charts_usage(struct web_block *b, const struct capture *c, const struct log_summary *s)
{
	struct str names[WEB_CHARTS_USAGE];
	size_t n = 0;
	bool any = false;

	VEC_FOREACH (u, &s->usage) {
		size_t i = 0;

		while (i < n && !str_eq(names[i], u->name))
			i++;
		if (i == n && n < ARRAY_LEN(names))
			names[n++] = u->name;
	}
	for (size_t i = 0; i < n; i++) {
		struct web_chart chart = {
			.title = "Held in memory", .unit = "", .kind = "steps", .name = names[i]
		};

		VEC_FOREACH (u, &s->usage) {
			if (str_eq(u->name, names[i]))
				chart_point(&chart, u->record, (double)u->value);
		}
		any |= chart_write(b, c, &chart);
	}
	return any;
}

static bool charts_elections(struct web_block *b, const struct capture *c,
			     const struct log_summary *s)
{
	struct web_chart terms = { .title = "Raft term", .unit = "", .kind = "steps" };
	struct web_chart times = { .title = "Elections: timeout that expired",
				   .unit = "ms",
				   .kind = "points" };
	bool any;

	VEC_FOREACH (e, &s->elections) {
		chart_point(&terms, e->record, (double)e->term);
		if (e->has_timeout)
			chart_point(&times, e->record, (double)e->timeout_ms);
	}
	any = chart_write(b, c, &times);
	return chart_write(b, c, &terms) || any;
}

static bool charts_polls(struct web_block *b, const struct capture *c, const struct log_summary *s)
{
	struct web_chart polls = { .title = "Long poll intervals", .unit = "ms", .kind = "points" };
	struct web_chart drops = { .title = "Messages dropped by rate limit",
				   .unit = "messages",
				   .kind = "points" };
	struct web_chart cpu = { .title = "CPU use reported at wakeups",
				 .unit = "%",
				 .kind = "points" };
	bool any;

	VEC_FOREACH (p, &s->long_polls)
		chart_point(&polls, p->record, (double)p->interval_ms);
	VEC_FOREACH (d, &s->dropped)
		chart_point(&drops, d->record, (double)d->dropped);
	VEC_FOREACH (w, &s->wakeups) {
		if (w->has_cpu)
			chart_point(&cpu, w->record, w->cpu_pct);
	}
	any = chart_write(b, c, &polls);
	any |= chart_write(b, c, &cpu);
	return chart_write(b, c, &drops) || any;
}

static bool charts_kernel(struct web_block *b, const struct capture *c, const struct log_summary *s)
{
	struct web_chart stuck = { .title = "Kernel: stuck or blocked for",
				   .unit = "s",
				   .kind = "points" };

	VEC_FOREACH (e, &s->kernel_events) {
		if (e->seconds)
			chart_point(&stuck, e->record, (double)e->seconds);
	}
	return chart_write(b, c, &stuck);
}

bool web_charts(struct web_block *b, const struct capture *c)
{
	struct log_summary s;
	bool any = false;

	if (!c->records || c->records->rows.len == 0)
		return false;
	log_summary_init(&s, c);
	json_key(&b->json, "charts");
	json_array(&b->json);
	any |= charts_memory(b, c, &s);
	any |= charts_usage(b, c, &s);
	any |= charts_elections(b, c, &s);
	any |= charts_polls(b, c, &s);
	any |= charts_kernel(b, c, &s);
	json_array_end(&b->json);
	log_summary_fini(&s);
	return any;
}
