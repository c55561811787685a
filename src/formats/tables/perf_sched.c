/* SPDX-License-Identifier: MIT */
/*
 * perf_sched.c - `perf sched latency` and `perf sched timehist`: run time and delays by task
 *
 * A row of latency is "task:pid | 12.3 ms | 45 | avg: 0.1 ms | max: 2.3 ms | max at: 4.5 s". Newer
 * versions print "max start" and "max end". timehist prints a line for each switch: "2374.291132
 * [0001] task[12/10] 0.015 0.000 0.238". These lines are added up by task. Definition:
 * tools/perf/builtin-sched.c of Linux.
 */
#include "core/kinds/metrics.h"
#include "formats/tables/line_table.h"

#include "base/idmap.h"
#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/ids.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "formats/counters/counter_label.h"
#include "formats/format.h"
#include "formats/unread_rows.h"

#include <math.h>

DECLARE_FORMAT(perf_sched);

#define SCHED_MS    1e6   /* nanoseconds in a millisecond */
#define SCHED_BYTES 1024u /* maximum number of bytes of a line that are read */
#define SCHED_NAME  96u   /* maximum length of a task's name, including its ids */

static const struct diag_kind sched_lines = { "perf-sched-lines", DIAG_INFO,
					      "lines between switches that were not read" };
static const struct diag_kind sched_past = { "perf-sched-past-limit", DIAG_DATALOSS,
					     "tasks past the limit" };

static const struct line_column sched_columns[] = {
	{ "runtime", "ns", false },
	{ "switches", NULL, false },
	{ "avg delay", "ns", false },
	{ "max delay", "ns", false },
	/* the following columns exist only for timehist */
	{ "wait time", "ns", false },
	{ "span", "ns", false }, /* time from the start of the first wait to the last switch */
	{ "cpu", NULL, false },  /* the CPU of the task; empty: the task ran on several CPUs */
};

enum {
	SCHED_RUNTIME,
	SCHED_SWITCHES,
	SCHED_AVG,
	SCHED_MAX,
	SCHED_N,
	SCHED_WAIT = SCHED_N,
	SCHED_SPAN,
	SCHED_CPU,
	SCHED_ALL
};

/* Take the word @name, such as "avg:", and the duration that follows it, from @cell. */
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

/* A line of timehist: a task leaves its CPU. Times are in ns. */
struct sched_switch {
	struct str task; /* "perf[12/10]", or "<idle>" for an idle CPU */
	double at;       /* time at which the task left its CPU */
	double wait, delay, run;
	double cpu;
};

/* Take a time in milliseconds such as "0.015". @ret_ns: the time in ns. */
static bool sched_ms(struct str *s, double *ret_ns)
{
	struct str word;

	if (!str_word(s, &word) || str_find_char(word, '.') == word.len ||
	    !char_is_digit(word.p[0]) || !str_double(&word, ret_ns) || word.len || *ret_ns > 1e12)
		return false;
	*ret_ns *= SCHED_MS;
	return true;
}

/* Take the time in seconds and the CPU from the start of a switch: "2374.291132 [0001] ". */
static bool sched_stamp(struct str *line, double *ret_s, double *ret_cpu)
{
	struct str time, cpu;
	uint64_t n;

	if (!str_word(line, &time) || time.len <= 7 || time.p[time.len - 7] != '.' ||
	    !char_is_digit(time.p[0]) || !str_double(&time, ret_s) || !str_word(line, &cpu) ||
	    !str_take(&cpu, STR("[")) || !str_u64(&cpu, &n) || !str_eq(cpu, STR("]")))
		return false;
	*ret_cpu = (double)n;
	return true;
}

/*
 * Parse a switch. The name of a task may contain blanks and brackets. It ends before the three
 * times.
 */
static bool sched_switch_of(struct str line, struct sched_switch *ret)
{
	struct str rest;

	if (!sched_stamp(&line, &ret->at, &ret->cpu))
		return false;
	ret->at *= SCHED_MS * 1000;
	line = str_ltrim(line);
	for (size_t at = 0; at < line.len && at < SCHED_NAME; at++) {
		if (line.p[at] != ']' && line.p[at] != '>')
			continue;
		rest = str_skip(line, at + 1);
		ret->task = str_sub(line, 0, at + 1);
		if (sched_ms(&rest, &ret->wait) && sched_ms(&rest, &ret->delay) &&
		    sched_ms(&rest, &ret->run))
			return true;
	}
	return false;
}

/*
 * Whether @line is a line that timehist prints between switches: a wake-up, a migration, or the
 * idle time of a CPU.
 */
static bool sched_is_between(struct str line)
{
	struct sched_switch s;

	if (sched_switch_of(line, &s))
		return str_eq(s.task, STR("<idle>"));
	return sched_stamp(&line, &s.at, &s.cpu) &&
	       (str_contains(line, STR(" awakened: ")) || str_contains(line, STR(" migrated: ")));
}

static enum line_kind sched_kind(struct str line)
{
	struct sched_switch s;
	struct str name;
	double values[SCHED_N];

	line = str_sub(str_trim(line), 0, SCHED_BYTES);
	if (line.len == 0 || str_starts(line, STR("---")) || str_starts(line, STR("===")))
		return LINE_BLANK;
	if (str_starts(line, STR("Task")) && str_contains(line, STR("Runtime ms")))
		return LINE_HEAD;
	if (str_starts(line, STR("time ")) && str_contains(line, STR("sch delay")))
		return LINE_HEAD;
	if (sched_is_between(line))
		return LINE_TAIL;
	if (str_starts(line, STR("[tid/pid]")))
		return LINE_BLANK;
	return sched_row_of(line, &name, values) || sched_switch_of(line, &s) ? LINE_ROW
									      : LINE_OTHER;
}

static struct str sched_name(struct str line)
{
	double values[SCHED_N];
	struct str name;

	return sched_row_of(str_sub(str_trim(line), 0, SCHED_BYTES), &name, values) ? name
										    : STR_NONE;
}

static const struct line_table sched_table = {
	.kind = sched_kind, .name = sched_name, .gap = 1, .min_rows = 1, .score = 98
};

static unsigned int perf_sched_probe(struct str head)
{
	return line_table_probe(&sched_table, head);
}

static bool perf_sched_find(struct str text, size_t from, struct extent *ret)
{
	return line_table_find(&sched_table, text, from, ret);
}

/* Sums over all switches of one task. */
struct sched_task {
	sym_id sym;
	uint32_t line; /* line of the task's longest delay */
	double from;   /* time at which the task's first wait began, in ns */
	double values[SCHED_ALL];
};

struct sched_tasks {
	VEC(struct sched_task) rows;
	struct idmap map;
};

static struct sched_task *sched_task(struct sched_tasks *t, sym_id sym, uint32_t line)
{
	struct idmap_probe probe = idmap_first(&t->map, hash_u64(sym.v, 0));

	while (idmap_next(&t->map, &probe)) {
		if (t->rows.data[probe.id].sym.v == sym.v)
			return &t->rows.data[probe.id];
	}
	if (t->rows.len >= LIMIT_ROWS)
		return NULL;
	idmap_insert(&t->map, &probe, (uint32_t)t->rows.len);
	*VEC_PUSH(&t->rows) = (struct sched_task){ .sym = sym, .line = line };
	return &t->rows.data[t->rows.len - 1];
}

static sym_id sched_symbol(struct capture *c, struct str name)
{
	return symbols_add_text(capture_symbols(c), name, STR_NONE, SPACE_UNKNOWN, 0);
}

static void sched_add_switch(struct capture *c, struct sched_tasks *t, const struct sched_switch *s,
			     uint32_t line)
{
	struct sched_task *task = sched_task(t, sched_symbol(c, s->task), line);

	if (!task) {
		diag_count(&c->diag, &sched_past, line);
		return;
	}
	if (task->values[SCHED_SWITCHES] <= 0) {
		task->from = s->at - s->run - s->delay - s->wait;
		task->values[SCHED_CPU] = s->cpu;
	}
	if (task->values[SCHED_CPU] != s->cpu)
		task->values[SCHED_CPU] = NAN;
	task->values[SCHED_WAIT] += s->wait;
	task->values[SCHED_SPAN] = s->at - task->from;
	task->values[SCHED_RUNTIME] += s->run;
	task->values[SCHED_SWITCHES]++;
	/* sum of the delays here; sched_add_tasks() divides it by the number of switches */
	task->values[SCHED_AVG] += s->delay;
	if (s->delay > task->values[SCHED_MAX]) {
		task->values[SCHED_MAX] = s->delay;
		task->line = line;
	}
}

static void sched_add_tasks(struct capture *c, struct sched_tasks *t)
{
	VEC_FOREACH (task, &t->rows) {
		task->values[SCHED_AVG] =
			round(task->values[SCHED_AVG] / task->values[SCHED_SWITCHES]);
		(void)line_table_add(c, task->sym, task->values, NULL, task->line);
	}
	VEC_FREE(&t->rows);
	idmap_fini(&t->map);
}

/* Whether @text is from timehist. If so, its first row is a switch. */
static bool sched_is_timehist(struct str text)
{
	struct str line;

	while (str_line(&text, &line)) {
		double values[SCHED_ALL];
		struct sched_switch s;
		struct str name;

		line = str_sub(str_trim(line), 0, SCHED_BYTES);
		if (sched_row_of(line, &name, values))
			return false;
		if (sched_switch_of(line, &s))
			return true;
	}
	return false;
}

static int perf_sched_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct capture *c = format_add_capture(&format_perf_sched, in, d);
	struct sched_tasks tasks = { .map = { .slots = NULL } };
	struct str text = in->text;
	struct str line;

	line_table_columns(c, "task", "max delay", sched_columns,
			   sched_is_timehist(in->text) ? SCHED_ALL : SCHED_N);
	for (uint32_t n = 0; str_line(&text, &line); n++) {
		double values[SCHED_ALL] = {
			[SCHED_WAIT] = NAN, [SCHED_SPAN] = NAN, [SCHED_CPU] = NAN
		};
		struct sched_switch s;
		struct str name;

		line = str_sub(str_trim(line), 0, SCHED_BYTES);
		if (sched_row_of(line, &name, values))
			(void)line_table_add(c, sched_symbol(c, name), values, NULL,
					     region_line(in, n));
		else if (sched_is_between(line))
			continue;
		else if (sched_switch_of(line, &s))
			sched_add_switch(c, &tasks, &s, region_line(in, n));
		else if (sched_kind(line) == LINE_OTHER)
			unread_rows_count(c, &sched_lines, line, region_line(in, n));
	}
	sched_add_tasks(c, &tasks);
	c->metrics->label = strings_add(capture_strings(c), counter_label(in));
	return c->metrics->n_rows ? OK : fail(err, ERR_FORMAT, "no row of perf sched");
}

const struct format format_perf_sched = {
	.name = "perf-sched",
	.summary = "run times and delays by task, of perf sched latency and timehist",
	.kinds = KIND_METRICS,
	.probe = perf_sched_probe,
	.find = perf_sched_find,
	.read = perf_sched_read,
};
