/* SPDX-License-Identifier: MIT */
/*
 * Whether a capture has all that its tool printed: totals that the text states, the one thread of a
 * debugger, and the lines of a tool that the reader did not find (src/formats/output_parts.h).
 */
#include "analyses/quality/quality_reasons.h"

#include "analyses/quality/quality.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/kinds/counters.h"
#include "core/kinds/threads.h"
#include "core/parts.h"
#include "core/profile.h"
#include "core/strings.h"

#include <math.h>

/*
 * Add a reason if the text shows only one thread. A JVM always has several threads. If the text has
 * only goroutine 29, the main goroutine (number 1) is missing. A process in a debugger may have
 * only one thread, but "bt" prints no other, so it is unknown. A crash report prints one thread on
 * purpose and gets no such reason.
 */
static void quality_one_thread(const struct capture *c, struct quality *q)
{
	const struct threads *t = c->threads;
	const struct thread_row *row = t->rows.data;
	struct str dialect = strings_get(capture_strings(c), t->dialect);

	if (t->rows.len != 1 || row->count != 1 || t->notes.len)
		return;
	if (str_eq(dialect, STR("goroutines")) && row->id.v &&
	    !str_eq(strings_get(capture_strings(c), row->id), STR("1"))) {
		quality_add(q, "one-thread", QUALITY_CAUTION, 1, "goroutines", row->line,
			    "Only one goroutine of the program is in the text");
		quality_part(q, "one goroutine of the program");
	} else if (str_eq(dialect, STR("jstack"))) {
		quality_add(q, "one-thread", QUALITY_CAUTION, 1, "threads", row->line,
			    "Only one thread of the JVM is in the text");
		quality_part(q, "one thread of the JVM");
	} else if (str_glob(STR("gdb|lldb"), dialect)) {
		quality_add(q, "one-thread", QUALITY_CAUTION, 1, "threads", row->line,
			    "Only one thread is in the text. Whether the process has others is not "
			    "shown");
		quality_part(q, "one thread of an unknown number");
	}
}

/*
 * Judge a dump by the total that it states, as in "goroutine profile: total 29". Add a reason if it
 * prints fewer threads, or if it is a profile of goroutines without this line. Of several dumps in
 * one text, only one total is known, so they are not judged.
 */
static void quality_total(const struct capture *c, struct quality *q)
{
	const struct threads *t = c->threads;
	struct str dialect = strings_get(capture_strings(c), t->dialect);
	uint64_t printed = threads_count(t, 0);
	const char *name = str_starts(dialect, STR("goroutine")) ? "goroutine" : "thread";

	if (t->snapshots > 1)
		return;
	if (printed < t->total) {
		quality_add(q, "cut-dump", QUALITY_CAUTION, (double)(t->total - printed), "threads",
			    c->first_line, "%llu of %llu %ss are not in the text",
			    (unsigned long long)(t->total - printed), (unsigned long long)t->total,
			    name);
		quality_part(q, "%llu of %llu %ss", (unsigned long long)printed,
			     (unsigned long long)t->total, name);
	} else if (t->total && printed == t->total) {
		q->extent = QUALITY_WHOLE;
	} else if (t->total == 0 && t->rows.len && str_eq(dialect, STR("goroutine-profile"))) {
		quality_add(q, "no-total", QUALITY_CAUTION, NAN, "", c->first_line,
			    "The line with the total of the goroutines is not in the text, so "
			    "groups may be missing");
		quality_part(q, "no line with the total of the goroutines");
	}
}

/*
 * Add a reason if the output of a benchmark tool is cut off. The table `outputs` names one figure
 * at the start of each tool's output and one at its end. The output is cut off if the text has only
 * the first of the two.
 */
static void quality_cut_output(const struct capture *c, struct quality *q)
{
	/* sources: wrk, src/wrk.c; httpd, support/ab.c; PostgreSQL, src/bin/pgbench/pgbench.c */
	static const struct {
		const char *tool;
		const char *first, *last;
	} outputs[] = {
		{ "wrk", "requests", "Requests/sec" },
		{ "wrk2", "requests", "Requests/sec" },
		{ "ab", "Complete requests", "Requests per second" },
		{ "pgbench", "number of transactions actually processed", "tps" },
	};
	struct str tool = strings_get(capture_strings(c), c->counters->tool);

	for (size_t i = 0; i < ARRAY_LEN(outputs); i++) {
		bool has_first = false, has_last = false;

		if (!str_eq(tool, str_of(outputs[i].tool)))
			continue;
		VEC_FOREACH (row, &c->counters->rows) {
			struct str name = strings_get(capture_strings(c), row->name);

			has_first |= str_eq(name, str_of(outputs[i].first));
			has_last |= str_starts(name, str_of(outputs[i].last));
		}
		if (!has_first || has_last)
			continue;
		quality_add(q, "cut-output", QUALITY_CAUTION, 0, "", c->last_line,
			    "The output of %s is cut: '%s' is missing", outputs[i].tool,
			    outputs[i].last);
		quality_part(q, "no line '%s'", outputs[i].last);
	}
}

/* Add a reason if the end of a list is cut off: the text has fewer rows than the tool states. */
static void quality_cut_list(const struct capture *c, struct quality *q)
{
	struct str listed = capture_note_of(c, STR("rows of the list"));
	size_t n = c->profile->table.rows.len;
	uint64_t all;

	if (!str_u64(&listed, &all) || n >= all)
		return;
	quality_add(q, "cut-list", QUALITY_CAUTION, (double)n, "rows", c->last_line,
		    "The list is cut: %zu of its %llu rows are in the text", n,
		    (unsigned long long)all);
	quality_part(q, "%zu of %llu rows of the list", n, (unsigned long long)all);
}

/* Add one reason for the parts that the reader did not find. */
static void quality_parts(const struct capture *c, struct quality *q)
{
	const struct strings *strings = capture_strings(c);
	struct out list = { .fd = -1 };
	uint32_t line = 0;

	VEC_FOREACH (note, &c->notes) {
		if (!str_eq(strings_get(strings, note->key), STR(CAPTURE_MISSING_PART)))
			continue;
		out_printf(&list, "%s" STR_FMT, list.len ? ", " : "",
			   STR_ARG(strings_get(strings, note->value)));
		line = line ? line : note->line;
	}
	if (list.len) {
		quality_add(q, "excerpt", QUALITY_INFO, NAN, "", line, "An excerpt: " STR_FMT,
			    STR_ARG(out_view(&list)));
		quality_part(q, STR_FMT, STR_ARG(out_view(&list)));
	}
	out_fini(&list);
}

void quality_extent(const struct capture *c, struct quality *q)
{
	if (capture_note_of(c, STR(CAPTURE_ENDS)).len)
		q->extent = QUALITY_ENDS;
	if (capture_note_of(c, STR(CAPTURE_WHOLE)).len)
		q->extent = QUALITY_WHOLE;
	if (c->threads) {
		quality_one_thread(c, q);
		quality_total(c, q);
	}
	if (c->profile && !c->threads)
		quality_cut_list(c, q);
	if (c->counters)
		quality_cut_output(c, q);
	quality_parts(c, q);
}

bool quality_is_part(const struct capture *c)
{
	struct quality q = { 0 };
	bool is_part;

	quality_extent(c, &q);
	is_part = q.extent == QUALITY_EXCERPT || diag_get(&c->diag, DIAG_OMITTED_LINES) ||
		  diag_get(&c->diag, DIAG_CUT_LINE);
	quality_fini(&q);
	return is_part;
}

void quality_missing(const struct quality *q, struct out *out)
{
	const char *before = "";

	VEC_FOREACH (r, &q->reasons) {
		if (r->missing.len == 0)
			continue;
		out_printf(out, "%s" STR_FMT, before, STR_ARG(r->missing));
		before = ", ";
	}
}
