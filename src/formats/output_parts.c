/* SPDX-License-Identifier: MIT */
#include "formats/output_parts.h"

#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "core/kinds/threads.h"
#include "core/parts.h"
#include "core/profile.h"
#include "core/strings.h"
#include "document/document.h"
#include "formats/detect.h"

#define OUTPUT_PARTS_BYTES (4u << 20)

enum output_part {
	OUTPUT_HEAD,  /* printed before the data */
	OUTPUT_TAIL,  /* printed after the data */
	OUTPUT_OTHER, /* printed anywhere */
	/* a line with two numbers: the lines of a list, and how many of them are printed */
	OUTPUT_LIST,
	/* a line whose first number is the sum of the weights of all stacks */
	OUTPUT_SUM,
	/* numbered lines, each with the number of all of them: "record 4 of 12" */
	OUTPUT_COUNT,
};

/*
 * A line that a tool always prints. `tool` is the name of a format, of a tool of counters, or
 * "stack-dump/" and the name of a kind of thread dump. `line` is a pattern of str_glob(); leading
 * and trailing blanks of a line are removed. The line is expected only if the text has a line that
 * matches `if_line` (NULL: always) and none that matches `unless`.
 *
 * For OUTPUT_LIST, a '#' in `line` stands for a number, and "%1" and "%2" in `missing` stand for
 * the first and second number. Something is missing if the numbers differ. For OUTPUT_SUM, the
 * first number is the sum of the stacks in the text, and the second one is the printed total. For
 * OUTPUT_COUNT, they are the number of such lines and the number after " of ".
 */
struct output_mark {
	const char *tool;
	enum output_part part;
	const char *if_line;
	const char *line;
	const char *unless;
	const char *missing; /* a phrase for the missing part: "no SUMMARY line" */
	/* of a dump with fewer stacks, the line is not expected, since more than it is missing */
	uint32_t least_stacks;
};

static const struct output_mark output_marks[] = {
	/* google/pprof, internal/report/report.go: printText(), legendLines(), ProfileLabels() */
	{ "pprof-text", OUTPUT_LIST, NULL, "Showing top # nodes out of #", NULL,
	  "the top %1 of %2 nodes" },
	/* the interactive mode prints the type once, before the first command */
	{ "pprof-text", OUTPUT_HEAD, "Showing top * nodes out of *", "Type: *", NULL,
	  "no Type line" },
	/* CPython, Lib/pstats.py, print_title() and print_stats() */
	{ "pstats", OUTPUT_HEAD, NULL, "*function calls*in * second*", NULL,
	  "no line with the number of calls" },
	/* Go, runtime/traceback.go, goroutineheader(): the main goroutine always exists */
	{ "stack-dump/goroutines", OUTPUT_OTHER, "goroutine * [*",
	  "*goroutine 1 [*|*goroutine 1 gp=*",
	  "*panic: *|*fatal error: *|*unexpected signal*|*signal arrived*|exit status*|"
	  "*unexpected goroutines:*",
	  "no goroutine 1", 2 },
	/* OpenJDK, runtime/threads.cpp, Threads::print_on(), and runtime/vmOperations.cpp */
	{ "stack-dump/jstack", OUTPUT_HEAD, "*tid=0x* nid=*", "*Full thread dump*", NULL,
	  "no line \"Full thread dump\"", 2 },
	{ "stack-dump/jstack", OUTPUT_TAIL, "*tid=0x* nid=*", "*JNI global ref*", NULL,
	  "no line of JNI references", 2 },
	/* compiler-rt, lib/lsan/lsan_common.cpp, ReportLeaks() and ReportSummary() */
	{ "leak-sanitizer", OUTPUT_HEAD, NULL, "*ERROR: LeakSanitizer*", NULL, "no head" },
	{ "leak-sanitizer", OUTPUT_TAIL, NULL, "*SUMMARY: *Sanitizer*", NULL, "no SUMMARY line" },
	{ "leak-sanitizer", OUTPUT_SUM, NULL, "*SUMMARY: *Sanitizer: * byte(s) leaked in *", NULL,
	  "%1 of %2 leaked bytes" },
	/*
	 * compiler-rt, lib/asan/asan_report.cpp, lib/tsan/rtl/tsan_rtl_report.cpp, and
	 * lib/fuzzer/FuzzerLoop.cpp
	 */
	{ "stack-dump/sanitizer", OUTPUT_HEAD, NULL,
	  "*ERROR: *Sanitizer*|*WARNING: *Sanitizer*|*ERROR: libFuzzer*", "*runtime error: *",
	  "no head" },
	{ "stack-dump/sanitizer", OUTPUT_TAIL, NULL, "*SUMMARY: *Sanitizer*|*SUMMARY: libFuzzer*",
	  "*runtime error: *", "no SUMMARY line" },
	/* valgrind, memcheck/mc_leakcheck.c and coregrind/m_errormgr.c */
	/* with -q, both are missing */
	{ "memcheck", OUTPUT_TAIL, "==*== Memcheck, a memory error detector*", "*ERROR SUMMARY: *",
	  NULL, "no ERROR SUMMARY line" },
	{ "memcheck", OUTPUT_COUNT, NULL, "*in loss record * of *",
	  "*ERROR SUMMARY: *|*LEAK SUMMARY:*", "%1 of %2 loss records" },
	{ "memcheck", OUTPUT_HEAD, "*ERROR SUMMARY: *", "==*== Memcheck, a memory error detector*",
	  NULL, "no head of Memcheck" },
	/* py-spy, src/dump.rs, print_traces() */
	{ "stack-dump/py-spy", OUTPUT_HEAD, NULL, "*Process ?*: *", NULL,
	  "no line with the process" },
	/* linux, tools/perf/builtin-stat.c and util/stat-display.c: not with -I or -x */
	{ "perf stat", OUTPUT_HEAD, "*seconds time elapsed*", "*erformance counter stats for *",
	  NULL, "no head with the command" },
	{ "perf stat", OUTPUT_TAIL, "*erformance counter stats for *", "*seconds time elapsed*",
	  NULL, "no line of the elapsed time" },
	/* linux, tools/perf/builtin-sched.c, perf_sched__lat() */
	{ "perf-sched", OUTPUT_TAIL, "Task *|*Runtime ms*", "TOTAL:*", NULL, "no TOTAL line" },
	/* strace, src/count.c, call_summary_pers() */
	{ "syscall-counts", OUTPUT_TAIL, "% time *seconds *usecs/call *calls *syscall*",
	  "*100.0* total", NULL, "no total line" },
	/* mysql-server, storage/innobase/srv/srv0srv.cc, srv_printf_innodb_monitor() */
	{ "innodb-status", OUTPUT_HEAD, NULL, "*INNODB MONITOR OUTPUT*", NULL,
	  "no head of the InnoDB monitor" },
	{ "innodb-status", OUTPUT_TAIL, NULL, "*END OF INNODB MONITOR OUTPUT*", NULL,
	  "no last line of the InnoDB monitor" },
	/* GNU time, src/time.c, verbose_format */
	{ "GNU time", OUTPUT_HEAD, NULL, "*Command being timed: *", NULL, "no command" },
	{ "GNU time", OUTPUT_TAIL, NULL, "*Exit status: *", NULL, "no exit status" },
};

#define OUTPUT_MARKS ARRAY_LEN(output_marks)

/* What the text has of one mark. */
struct output_seen {
	uint32_t n_captures; /* number of captures of the tool; 0: do not search */
	bool has_if;         /* a line matches if_line, or there is no if_line */
	bool has_unless;     /* a line matches `unless` */
	uint32_t n;          /* number of lines that match `line` */
	/*
	 * the first such line of OUTPUT_LIST and OUTPUT_SUM: its numbers, and its number in the
	 * original input
	 */
	uint64_t numbers[2];
	uint32_t at;
};

static bool output_is_of(const struct output_mark *mark, const struct capture *c)
{
	const struct strings *strings = capture_strings(c);
	const struct str dump = STR("stack-dump/");
	struct str tool = str_of(mark->tool);

	if (c->excerpt_of != INDEX_NONE)
		return false;
	if (c->threads)
		return str_starts(tool, dump) &&
		       str_eq(str_skip(tool, dump.len), strings_get(strings, c->threads->dialect));
	return str_eq(tool, str_of(c->format)) ||
	       (c->counters && str_eq(tool, strings_get(strings, c->counters->tool)));
}

/* Match @line against @pattern, in which '#' stands for a number. Store the first two numbers. */
static bool output_match_list(struct str pattern, struct str line, uint64_t numbers[2])
{
	size_t n = 0;

	for (; pattern.len; pattern = str_skip(pattern, 1)) {
		if (pattern.p[0] == '#' && n < 2) {
			if (!str_u64(&line, &numbers[n++]))
				return false;
		} else if (line.len && line.p[0] == pattern.p[0]) {
			line = str_skip(line, 1);
		} else {
			return false;
		}
	}
	return n == 2;
}

/* Match @line against the pattern of OUTPUT_SUM, and store its first number. */
static bool output_match_sum(struct str pattern, struct str line, uint64_t *ret)
{
	if (!str_glob(pattern, line))
		return false;
	/* the number of a process may precede the line: "==12==SUMMARY" */
	line = str_skip(line, str_find(line, STR("SUMMARY: ")));
	while (line.len && !char_is_digit(line.p[0]))
		line = str_skip(line, 1);
	return str_u64(&line, ret);
}

/* Match @line against the pattern of OUTPUT_COUNT, and store the number after its last " of ". */
static bool output_match_count(struct str pattern, struct str line, uint64_t *ret)
{
	if (!str_glob(pattern, line))
		return false;
	*ret = 0;
	for (size_t i = str_rfind_char(line, ' ') + 1; i < line.len; i++) {
		if (char_is_digit(line.p[i]) && *ret < UINT64_MAX / 16)
			*ret = *ret * 10 + (uint64_t)(line.p[i] - '0');
		else if (line.p[i] != ',')
			return false;
	}
	return *ret > 0;
}

static void output_see(const struct output_mark *mark, struct str line, uint32_t number,
		       struct output_seen *seen)
{
	uint64_t numbers[2];

	/* a frame of a stack is no line of a tool, although its path may have the same words */
	if (seen->n_captures == 0 || (line.len > 1 && line.p[0] == '#' && char_is_digit(line.p[1])))
		return;
	if (mark->part == OUTPUT_LIST) {
		if (seen->n == 0 && output_match_list(str_of(mark->line), line, numbers)) {
			seen->n = 1;
			seen->at = number;
			memcpy(seen->numbers, numbers, sizeof(numbers));
		}
		return;
	}
	if (mark->part == OUTPUT_SUM) {
		if (output_match_sum(str_of(mark->line), line, &numbers[1]) && seen->n++ == 0) {
			seen->at = number;
			seen->numbers[1] = numbers[1];
		}
		return;
	}
	if (mark->part == OUTPUT_COUNT &&
	    output_match_count(str_of(mark->line), line, &numbers[1])) {
		/* another total, or more lines than it says: these are records of several runs */
		seen->has_unless |= seen->n && numbers[1] != seen->numbers[1];
		seen->at = seen->n++ ? seen->at : number;
		seen->has_unless |= seen->n > numbers[1];
		seen->numbers[0] = seen->n;
		seen->numbers[1] = numbers[1];
		return;
	}
	seen->n += mark->part != OUTPUT_COUNT && str_glob(str_of(mark->line), line);
	seen->has_if = seen->has_if || str_glob(str_of(mark->if_line), line);
	seen->has_unless =
		seen->has_unless || (mark->unless && str_glob(str_of(mark->unless), line));
}

/* The phrase of a list that is not whole, with its numbers: "the top 10 of 48 nodes". */
static void output_list_text(const struct output_mark *mark, const struct output_seen *seen,
			     struct out *out)
{
	for (const char *p = mark->missing; *p; p++) {
		if (p[0] == '%' && (p[1] == '1' || p[1] == '2'))
			out_printf(out, "%llu", (unsigned long long)seen->numbers[*++p - '1']);
		else
			out_char(out, *p);
	}
}

static void output_note(struct capture *c, const char *key, struct str value, uint32_t line)
{
	capture_note(c, str_of(key), value, line);
	c->notes.data[c->notes.len - 1].is_detail = true;
}

/*
 * The sum of all stacks of @c is numbers[0] of OUTPUT_SUM. False: the text has several totals, or
 * stacks of several captures, so the total of @c is unknown.
 */
static bool output_add_up(const struct capture *c, struct output_seen *seen)
{
	if (seen->n != 1 || seen->n_captures != 1 || !c->profile || c->profile->is_rounded)
		return false;
	for (size_t i = 0; i < c->profile->samples.weight.len; i++)
		seen->numbers[0] += c->profile->samples.weight.data[i];
	/* a total below the sum is none of these stacks */
	return seen->numbers[0] <= seen->numbers[1];
}

/*
 * Add the notes of @c. It has both ends if the text has at least as many first lines, and as many
 * last lines, as captures of this tool have dumps, and nothing is missing. It is whole if also a
 * printed total agrees with the stacks.
 */
static void output_judge(struct capture *c, struct output_seen seen[OUTPUT_MARKS])
{
	bool has_head = false, has_tail = false, is_cut = false, has_sum = false;
	uint32_t dumps = c->threads ? c->threads->snapshots : 1;
	struct out text = { .fd = -1 };

	for (size_t i = 0; i < OUTPUT_MARKS; i++) {
		const struct output_mark *mark = &output_marks[i];
		struct output_seen *s = &seen[i];
		bool has_numbers;

		if (!output_is_of(mark, c))
			continue;
		has_numbers = mark->part == OUTPUT_SUM
				      ? output_add_up(c, s)
				      : s->n && ((mark->part == OUTPUT_COUNT && !s->has_unless) ||
						 mark->part == OUTPUT_LIST);
		has_sum |= mark->part == OUTPUT_SUM && has_numbers;
		if (has_numbers && s->numbers[0] != s->numbers[1]) {
			text.len = 0;
			output_list_text(mark, s, &text);
			output_note(c, CAPTURE_MISSING_PART, out_view(&text), s->at);
			is_cut = true;
		}
		if (mark->part >= OUTPUT_LIST)
			continue;
		has_head |= mark->part == OUTPUT_HEAD && s->n >= dumps * s->n_captures;
		has_tail |= mark->part == OUTPUT_TAIL && s->n >= dumps * s->n_captures;
		if (s->n || !s->has_if || s->has_unless ||
		    (c->threads && c->threads->rows.len < mark->least_stacks))
			continue;
		output_note(c, CAPTURE_MISSING_PART, str_of(mark->missing), 0);
		is_cut = true;
	}
	if (has_head && has_tail && !is_cut)
		output_note(c, has_sum ? CAPTURE_WHOLE : CAPTURE_ENDS, STR("yes"), 0);
	out_fini(&text);
}

/* Count the captures of each row of the table. False: there are none. */
static bool output_ask(const struct dossier *d, size_t first, struct output_seen seen[OUTPUT_MARKS])
{
	bool is_asked = false;

	for (size_t i = 0; i < OUTPUT_MARKS; i++) {
		seen[i].has_if = !output_marks[i].if_line;
		for (size_t k = first; k < d->captures.len; k++)
			seen[i].n_captures += output_is_of(&output_marks[i], d->captures.data[k]);
		is_asked |= seen[i].n_captures > 0;
	}
	return is_asked;
}

void output_parts_mark(struct dossier *d, const struct document *doc, const struct detection *found,
		       size_t first)
{
	struct output_seen seen[OUTPUT_MARKS] = { 0 };
	struct str text = doc->text;
	struct str line;

	if (doc->is_binary || found->is_sampled || text.len > OUTPUT_PARTS_BYTES ||
	    !output_ask(d, first, seen))
		return;
	for (uint32_t number = 1; str_line(&text, &line); number++) {
		line = str_trim(line);
		for (size_t i = 0; i < OUTPUT_MARKS && line.len; i++)
			output_see(&output_marks[i], line, document_line(doc, number), &seen[i]);
	}
	for (size_t k = first; k < d->captures.len; k++)
		output_judge(d->captures.data[k], seen);
}
