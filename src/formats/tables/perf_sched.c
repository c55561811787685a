/* SPDX-License-Identifier: MIT */
/*
 * perf_sched.c - the table of `perf sched latency`: run time and delays by task
 *
 * A row is "task:pid | 12.3 ms | 45 | avg: 0.1 ms | max: 2.3 ms | max at: 4.5 s";
 * newer versions print "max start" and "max end".
 * Definition: tools/perf/builtin-sched.c of Linux.
 */
#include "core/kinds/metrics.h"
#include "formats/tables/line_table.h"

#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/symbols.h"
#include "formats/format.h"

static const struct line_column sched_columns[] = {
	{ "runtime", "ns", false },
	{ "switches", NULL, false },
	{ "avg delay", "ns", false },
	{ "max delay", "ns", false },
};

enum { SCHED_RUNTIME, SCHED_SWITCHES, SCHED_AVG, SCHED_MAX, SCHED_N };

/* Take "avg:" and a duration. */
static bool sched_named(struct str cell, const char *name, double *ret)
{
	cell = str_trim(cell);
	return str_take(&cell, str_of(name)) && line_table_duration(&cell, ret);
}

static bool sched_row_of(struct str line, struct str *ret_name, double values[SCHED_N])
{
	struct str cells[5];
	struct str rest = line;
	uint64_t n;

	for (size_t i = 0; i < ARRAY_LEN(cells); i++) {
		size_t bar = str_find_char(rest, '|');

		cells[i] = str_trim(str_sub(rest, 0, bar));
		rest = str_skip(rest, bar + 1);
	}
	if (cells[0].len == 0 || str_find_char(cells[0], ':') == cells[0].len ||
	    !line_table_duration(&cells[1], &values[SCHED_RUNTIME]) || !str_u64(&cells[2], &n))
		return false;
	values[SCHED_SWITCHES] = (double)n;
	*ret_name = cells[0];
	return sched_named(cells[3], "avg:", &values[SCHED_AVG]) &&
	       sched_named(cells[4], "max:", &values[SCHED_MAX]);
}

static enum line_kind sched_kind(struct str line)
{
	struct str name;
	double values[SCHED_N];

	line = str_trim(line);
	if (line.len == 0 || str_starts(line, STR("---")) || str_starts(line, STR("===")))
		return LINE_BLANK;
	if (str_starts(line, STR("Task")) && str_contains(line, STR("Runtime ms")))
		return LINE_HEAD;
	return sched_row_of(line, &name, values) ? LINE_ROW : LINE_OTHER;
}

static const struct line_table sched_table = {
	.kind = sched_kind, .gap = 1, .min_rows = 1, .score = 98
};

static unsigned int perf_sched_probe(struct str head)
{
	return line_table_probe(&sched_table, head);
}

static bool perf_sched_find(struct str text, size_t from, struct extent *ret)
{
	return line_table_find(&sched_table, text, from, ret);
}

static int perf_sched_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct capture *c = format_add_capture(&format_perf_sched, in, d);
	struct str text = in->text;
	struct str line;

	line_table_columns(c, "task", sched_columns, ARRAY_LEN(sched_columns));
	for (uint32_t n = 0; str_line(&text, &line); n++) {
		double values[SCHED_N];
		struct str name;

		if (sched_row_of(line, &name, values) &&
		    !line_table_add(
			    c,
			    symbols_add_text(capture_symbols(c), name, STR_NONE, SPACE_UNKNOWN, 0),
			    values, NULL, region_line(in, n)))
			break;
	}
	return c->metrics->n_rows ? OK : fail(err, ERR_FORMAT, "no row of perf sched latency");
}

const struct format format_perf_sched = {
	.name = "perf-sched",
	.summary = "run times and delays by task, of perf sched latency",
	.kinds = KIND_METRICS,
	.probe = perf_sched_probe,
	.find = perf_sched_find,
	.read = perf_sched_read,
};
