/* SPDX-License-Identifier: MIT */
/*
 * sched_debug.c - dump of the kernel's scheduler: /sys/kernel/debug/sched/debug, /proc/sched_debug,
 * SysRq-t
 *
 * Each CPU has counters, queues, and a table of its tasks. The counters become one capture, the
 * tasks another one. Columns are found by the titles of the table, because they differ between
 * kernels. Definition: kernel/sched/debug.c of Linux, 2.6.24 to 6.17.
 */
#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "formats/format.h"
#include "formats/tables/line_table.h"

#include <math.h>
#include <stdio.h>

DECLARE_FORMAT(sched_debug);

#define DEBUG_BYTES   400u
#define DEBUG_WORDS   32u
#define DEBUG_KEY     160u
#define DEBUG_GAP     12u
#define DEBUG_DECIMAL 6u
/* factor from the tasks' times, which are in milliseconds, to nanoseconds */
#define DEBUG_NS 1e6

static const struct diag_kind debug_lines = { "sched-debug-lines", DIAG_INFO,
					      "lines of a scheduler dump that were not read" };
static const struct diag_kind debug_past = { "sched-debug-past-limit", DIAG_DATALOSS,
					     "counters or tasks past the limit" };

static const struct line_column debug_columns[] = {
	{ "state", NULL, true },     { "CPU", NULL, false },        { "PID", NULL, false },
	{ "priority", NULL, false }, { "switches", NULL, false },   { "wait time", "ns", false },
	{ "run time", "ns", false }, { "sleep time", "ns", false }, { "block time", "ns", false },
	{ "group", NULL, true },
};

enum {
	DEBUG_STATE,
	DEBUG_CPU,
	DEBUG_PID,
	DEBUG_PRIORITY,
	DEBUG_SWITCHES,
	DEBUG_WAIT,
	DEBUG_RUN,
	DEBUG_SLEEP,
	DEBUG_BLOCK,
	DEBUG_GROUP,
	DEBUG_N
};

/*
 * For each title of a column in the kernel's tables: the capture's column for its values, and the
 * factor to the capture's unit.
 */
static const struct {
	const char *title;
	unsigned int column;
	double scale;
} debug_titles[] = {
	{ "prio", DEBUG_PRIORITY, 1 },          { "switches", DEBUG_SWITCHES, 1 },
	{ "wait-time", DEBUG_WAIT, DEBUG_NS },  { "sum-exec", DEBUG_RUN, DEBUG_NS },
	{ "sum-sleep", DEBUG_SLEEP, DEBUG_NS }, { "sum-block", DEBUG_BLOCK, DEBUG_NS },
};

/*
 * The columns of a table of tasks, from its titles after "PID". columns[i] is the capture's column
 * for the values of column i; DEBUG_N: the values are not stored.
 */
struct debug_head {
	unsigned int columns[DEBUG_WORDS];
	double scales[DEBUG_WORDS];
	size_t n;
};

struct debug_task {
	double values[DEBUG_N];
	struct str name, state, group;
};

/*
 * @line without blanks at its start and end, and without the time that a kernel log puts before it.
 */
static struct str debug_plain(struct str line)
{
	struct str t = str_trim(str_sub(line, 0, DEBUG_BYTES));
	struct str rest = t;
	double seconds;

	if (!str_take(&rest, STR("[")))
		return t;
	rest = str_ltrim(rest);
	return str_double(&rest, &seconds) && str_take(&rest, STR("]")) ? str_trim(rest) : t;
}

static bool debug_head_of(struct str t, struct debug_head *ret)
{
	struct str word;

	*ret = (struct debug_head){ .n = 0 };
	(void)str_take(&t, STR("S "));
	t = str_ltrim(t);
	if (!str_take(&t, STR("task ")) || !str_word(&t, &word) || !str_eq(word, STR("PID")))
		return false;
	while (ret->n < DEBUG_WORDS && str_word(&t, &word)) {
		ret->columns[ret->n] = DEBUG_N;
		for (size_t i = 0; i < ARRAY_LEN(debug_titles); i++) {
			if (!str_eq(word, str_of(debug_titles[i].title)))
				continue;
			ret->columns[ret->n] = debug_titles[i].column;
			ret->scales[ret->n] = debug_titles[i].scale;
		}
		ret->n++;
	}
	return ret->n >= 4;
}

static bool debug_is_state(struct str word)
{
	(void)str_take(&word, STR(">"));
	return word.len == 1 && memchr("RSDTtXZPI", word.p[0], 9);
}

static bool debug_number(struct str word, bool has_point, double *ret)
{
	return (str_find_char(word, '.') < word.len) == has_point && str_double(&word, ret) &&
	       word.len == 0 && isfinite(*ret);
}

/*
 * The index in @words of the process id. It is a whole number, and the next word is a number with a
 * fraction. 0: no process id.
 */
static size_t debug_pid(const struct str *words, size_t n, double *ret_pid)
{
	double key;

	for (size_t i = 1; i + 2 < n; i++) {
		if (debug_number(words[i], false, ret_pid) &&
		    debug_number(words[i + 1], true, &key))
			return i;
	}
	return 0;
}

/*
 * Parse a row of a task: ">R  stress-ng 4711  8123.401822  91 120  3.140000  77.250000  0.000000 0
 * 0 /".
 */
static bool debug_task_of(const struct debug_head *h, struct str t, struct debug_task *ret)
{
	struct str words[DEBUG_WORDS];
	struct str rest = t;
	size_t n = 0, first, pid;

	*ret = (struct debug_task){ .name = STR_NONE };
	for (size_t i = 0; i < DEBUG_N; i++)
		ret->values[i] = (double)NAN;
	while (n < DEBUG_WORDS && str_word(&rest, &words[n]))
		n++;
	pid = debug_pid(words, n, &ret->values[DEBUG_PID]);
	if (pid == 0)
		return false;
	first = pid > 1 && debug_is_state(words[0]);
	if (first) {
		ret->state = words[0];
		(void)str_take(&ret->state, STR(">"));
	}
	ret->name = (struct str){ words[first].p, (size_t)(words[pid - 1].p + words[pid - 1].len -
							   words[first].p) };
	if (str_starts(words[n - 1], STR("/")))
		ret->group = words[n - 1];
	for (size_t i = 0; i < h->n && pid + 1 + i < n; i++) {
		double v;
		struct str word = words[pid + 1 + i];

		if (h->columns[i] == DEBUG_N)
			continue;
		if (!str_double(&word, &v) || word.len || !isfinite(v))
			return false;
		ret->values[h->columns[i]] = v * h->scales[i];
	}
	return true;
}

/* Parse a counter: ".nr_running                    : 3". */
static bool debug_counter_of(struct str t, struct str *ret_name, struct counter *ret)
{
	size_t colon = str_find_char(t, ':');
	struct str rest = str_trim(str_skip(t, colon + 1));
	struct str again;
	unsigned int decimals = 0;
	bool is_negative = str_take(&rest, STR("-"));
	uint64_t value;

	if (!str_take(&t, STR(".")) || colon < 2)
		return false;
	*ret_name = str_rtrim(str_sub(t, 0, colon - 1));
	again = rest;
	if (!str_fixed(&rest, DEBUG_DECIMAL, &value, &decimals) || rest.len ||
	    str_find_char(*ret_name, ' ') < ret_name->len)
		return false;
	decimals = decimals < DEBUG_DECIMAL ? decimals : DEBUG_DECIMAL;
	if (!str_fixed(&again, decimals, &value, NULL) || value > INT64_MAX)
		return false;
	*ret = (struct counter){ .value = is_negative ? -(int64_t)value : (int64_t)value,
				 .decimals = (uint8_t)decimals,
				 .spread = -1,
				 .running = -1 };
	return true;
}

/*
 * Parse the title of a CPU, "cpu#3, 2400.000 MHz", or of a queue, "cfs_rq[3]:/system.slice",
 * "rt_rq[3]:". @ret_queue: title of the queue; empty for a CPU.
 */
static bool debug_title(struct str t, uint64_t *ret_cpu, struct str *ret_queue)
{
	size_t open = str_find_char(t, '[');

	*ret_queue = STR_NONE;
	if (str_take(&t, STR("cpu#")))
		return str_u64(&t, ret_cpu) && (t.len == 0 || str_starts(t, STR(",")));
	if (!str_glob(STR("cfs_rq[*]:*|rt_rq[*]:*|dl_rq[*]:*"), t))
		return false;
	*ret_queue = t;
	t = str_skip(t, open + 1);
	return str_u64(&t, ret_cpu) && str_starts(t, STR("]:"));
}

static enum line_kind debug_kind(struct str line)
{
	struct str t = debug_plain(line);
	struct debug_head none = { .n = 0 };
	struct debug_task task;
	struct counter counter;
	struct str name;
	uint64_t cpu;

	if (t.len == 0 || str_starts(t, STR("----")))
		return LINE_BLANK;
	if (str_starts(t, STR("Sched Debug Version: v")))
		return LINE_HEAD;
	if (debug_title(t, &cpu, &name) || debug_head_of(t, &none) ||
	    str_eq(t, STR("runnable tasks:")))
		return LINE_PART;
	none.n = 0;
	return debug_counter_of(t, &name, &counter) || debug_task_of(&none, t, &task) ? LINE_ROW
										      : LINE_OTHER;
}

static const struct line_table debug_table = {
	.kind = debug_kind, .gap = DEBUG_GAP, .min_rows = UINT32_MAX, .score = 99
};

static unsigned int sched_debug_probe(struct str head)
{
	return line_table_probe(&debug_table, head);
}

static bool sched_debug_find(struct str text, size_t from, struct extent *ret)
{
	return line_table_find(&debug_table, text, from, ret);
}

struct debug_reader {
	const struct region *in;
	struct dossier *d;
	struct capture *counts, *tasks; /* NULL: the capture was not made yet */
	struct debug_head head;
	uint64_t cpu;
	bool has_cpu;
	/* title of the queue to which the next counters belong; empty: they belong to the CPU */
	struct str queue;
};

static void debug_add_counter(struct debug_reader *r, struct str name, struct counter counter)
{
	char key[DEBUG_KEY] = "";
	struct strings *strings;
	int n = 0;

	if (!r->counts) {
		r->counts = format_add_capture(&format_sched_debug, r->in, r->d);
		capture_counters(r->counts)->n_intervals = 1;
		r->counts->counters->tool = strings_add(capture_strings(r->counts), STR("Linux"));
	}
	strings = capture_strings(r->counts);
	if (r->queue.len)
		n = snprintf(key, sizeof(key), STR_FMT,
			     STR_ARG(str_sub(r->queue, 0, DEBUG_KEY - 1)));
	else if (r->has_cpu)
		n = snprintf(key, sizeof(key), "CPU%llu", (unsigned long long)r->cpu);
	counter.name = strings_add(strings, name);
	counter.key = n > 0 ? strings_add(strings, (struct str){ key, (size_t)n }) : STR_ID_NONE;
	if (counters_add(r->counts->counters, strings, counter) < 0)
		diag_count(&r->counts->diag, &debug_past, counter.line);
}

static void debug_add_task(struct debug_reader *r, struct debug_task *task, uint32_t line)
{
	struct str texts[DEBUG_N] = { [DEBUG_STATE] = task->state, [DEBUG_GROUP] = task->group };

	if (!r->tasks) {
		r->tasks = format_add_capture(&format_sched_debug, r->in, r->d);
		line_table_columns(r->tasks, "task", "wait time", debug_columns,
				   ARRAY_LEN(debug_columns));
	}
	task->values[DEBUG_CPU] = r->has_cpu ? (double)r->cpu : (double)NAN;
	if (!line_table_add(r->tasks,
			    symbols_add_text(capture_symbols(r->tasks), task->name, STR_NONE,
					     SPACE_COMM, 0),
			    task->values, texts, line))
		diag_count(&r->tasks->diag, &debug_past, line);
}

static void debug_read_line(struct debug_reader *r, struct str line, uint32_t number)
{
	struct str t = debug_plain(line);
	struct debug_head head;
	struct debug_task task;
	struct counter counter;
	struct str name;
	uint64_t cpu;

	if (debug_title(t, &cpu, &name)) {
		r->cpu = cpu;
		r->queue = name;
		r->has_cpu = true;
	} else if (debug_head_of(t, &head)) {
		r->head = head;
	} else if (debug_counter_of(t, &name, &counter)) {
		counter.line = number;
		debug_add_counter(r, name, counter);
	} else if (r->head.n && debug_task_of(&r->head, t, &task)) {
		debug_add_task(r, &task, number);
	} else if (debug_kind(line) == LINE_OTHER || debug_kind(line) == LINE_ROW) {
		struct capture *c = r->tasks ? r->tasks : r->counts;

		if (c)
			diag_count(&c->diag, &debug_lines, number);
	}
}

static int sched_debug_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct debug_reader r = { .in = in, .d = d };
	struct str text = in->text;
	struct str line;

	for (uint32_t n = 0; str_line(&text, &line); n++)
		debug_read_line(&r, line, region_line(in, n));
	return r.counts || r.tasks ? OK : fail(err, ERR_FORMAT, "no counter and no task of a CPU");
}

const struct format format_sched_debug = {
	.name = "sched-debug",
	.title = "scheduler dump",
	.summary = "CPUs, queues and tasks, as the kernel's scheduler dumps them",
	.kinds = KIND_METRICS | KIND_COUNTERS,
	.probe = sched_debug_probe,
	.find = sched_debug_find,
	.read = sched_debug_read,
};
