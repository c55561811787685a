/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/strings.h"
#include "document/document.h"
#include "formats/context.h"
#include "formats/detect.h"
#include "formats/format.h"
#include "formats/load.h"
#include "formats/registry.h"

#include <dirent.h>
#include <stdio.h>

#define REPORT                                                     \
	"# Overhead  Command  Shared Object      Symbol\n"         \
	"# ........  .......  .................  ............\n"   \
	"#\n"                                                      \
	"    60.00%  app      app                [.] work\n"       \
	"    30.00%  app      [kernel.kallsyms]  [k] do_syscall\n" \
	"    10.00%  app      libc.so.6          [.] memcpy\n"
#define FOLDED                \
	"app;main;work 12\n"  \
	"app;main;sleep 3\n"  \
	"app;main;a;b;c 40\n" \
	"app;start;d 7\n"
#define GPROF                                                          \
	"Flat profile:\n\nEach sample counts as 0.01 seconds.\n"       \
	"  %   cumulative   self              self     total\n"        \
	" time   seconds   seconds    calls  ms/call  ms/call  name\n" \
	" 60.00      0.03     0.03        1    30.00    50.00  work\n"
#define KVM "kvm statistics - summary\n\n kvm_exit      17   3\n"
#define GRAPH                                \
	"  0)               |  outer() {\n"  \
	"  0)   0.333 us    |    inner();\n" \
	"  0)   1.240 us    |    other();\n" \
	"  0)   2.726 us    |  }\n"

static struct document *open_text(const char *text)
{
	static const struct document_options raw = { .is_raw = true };
	struct document *doc = NULL;

	assert_int_equal(document_from_memory(str_of(text), &raw, &doc, NULL), OK);
	return doc;
}

/* Expects the regions of @text: line numbers and names, such as "4-9 perf-report, 10-12 -". */
static void regions_are(const char *text, const char *expected)
{
	CLEANUP(document_freep) struct document *doc = open_text(text);
	struct detection d;
	char got[512] = "";
	size_t n = 0;

	detect(doc, &d);
	VEC_FOREACH (r, &d.regions) {
		const char *name = detected_name(r);

		n += (size_t)snprintf(got + n, sizeof(got) - n, "%s%u-%u %s", n ? ", " : "",
				      r->first_line, r->first_line + r->n_lines - 1,
				      name ? name : "-");
	}
	detection_fini(&d);
	assert_string_equal(got, expected);
}

static void a_document_of_one_kind_is_one_region(void **state)
{
	(void)state;
	regions_are(REPORT, "1-6 perf-report");
	regions_are(FOLDED, "1-4 folded");
	regions_are(GRAPH, "1-4 function-graph");
	regions_are(GPROF, "1-6 gprof");
	regions_are("just prose\n", "1-1 -");
}

static void captures_of_different_kinds_are_found_between_prose(void **state)
{
	(void)state;
	regions_are("Hello,\n\nhere is the report:\n\n" REPORT "\nand the graph:\n\n" GRAPH
		    "\nalso gprof:\n\n" GPROF "\nBye\n",
		    "1-4 -, 5-10 perf-report, 11-13 -, 14-17 function-graph, 18-20 -, "
		    "21-26 gprof, 27-28 -");
}

static void a_foreign_table_with_report_rows_is_not_a_report(void **state)
{
	(void)state;
	regions_are("# Event 'cycles'\n#\n# Baseline  Delta Abs  Shared Object  Symbol\n"
		    "# ........  .........  .............  ......\n#\n"
		    "    46.72%     -4.86%  app                [.] work\n"
		    "    16.72%     +4.86%  [kernel.kallsyms]  [k] more\n",
		    "1-7 perf-diff");
}

static void two_tables_with_prose_between_are_two_regions(void **state)
{
	(void)state;
	regions_are("before:\n\n" REPORT "\nwith the patch it looks\nlike this now:\n\n" REPORT,
		    "1-2 -, 3-8 perf-report, 9-12 -, 13-18 perf-report");
}

/* Regions touch, cover the whole text and count all its lines. */
static void regions_cover_all(struct str text)
{
	static const struct document_options raw = { .is_raw = true };
	CLEANUP(document_freep) struct document *doc = NULL;
	struct detection d;
	size_t at = 0;
	uint32_t line = 1;

	if (document_from_memory(text, &raw, &doc, NULL) < 0 || doc->is_binary)
		return;
	detect(doc, &d);
	VEC_FOREACH (r, &d.regions) {
		assert_int_equal(r->extent.from, at);
		assert_true(r->extent.to > at);
		assert_int_equal(r->first_line, line);
		at = r->extent.to;
		line += r->n_lines;
	}
	assert_int_equal(at, doc->text.len);
	assert_int_equal(d.n_lines, line - 1);
	detection_fini(&d);
}

/* Call @fn with the folder, name and bytes of each file of tests/fuzz/corpus. */
static size_t each_fuzz_input(void (*fn)(const char *folder, const char *name, struct str bytes))
{
	const char *source = unit_source();
	char path[4096];
	size_t n = 0;
	DIR *top;

	(void)snprintf(path, sizeof(path), "%s/tests/fuzz/corpus", source ? source : ".");
	top = opendir(path);
	if (!top)
		return 0;
	for (struct dirent *f = readdir(top); f; f = readdir(top)) {
		char folder[4096];
		DIR *dir;

		(void)snprintf(folder, sizeof(folder), "%.2000s/%.255s", path, f->d_name);
		dir = f->d_name[0] == '.' ? NULL : opendir(folder);
		for (struct dirent *e = dir ? readdir(dir) : NULL; e; e = readdir(dir)) {
			CLEANUP(document_freep) struct document *doc = NULL;
			static const struct document_options raw = { .is_raw = true };
			char file[8192];

			(void)snprintf(file, sizeof(file), "%s/%s", folder, e->d_name);
			/* libFuzzer names its inputs by a hash: they are arbitrary fragments */
			if (e->d_name[0] == '.' || strlen(e->d_name) == 40 ||
			    document_open(file, &raw, &doc, NULL) < 0)
				continue;
			fn(f->d_name, e->d_name, doc->text);
			n++;
		}
		if (dir)
			(void)closedir(dir);
	}
	(void)closedir(top);
	return n;
}

static void cover(const char *folder, const char *name, struct str bytes)
{
	(void)folder;
	(void)name;
	regions_cover_all(bytes);
}

static void regions_leave_no_gap(void **state)
{
	(void)state;
	regions_cover_all(STR(REPORT GRAPH FOLDED GPROF));
	regions_cover_all(STR("\n\n\n" REPORT "\n" FOLDED "x"));
	regions_cover_all(STR("no newline"));
	(void)each_fuzz_input(cover);
}

/* The conflict policy: at most one reader is sure of an input. */
static void one_winner(const char *folder, const char *name, struct str bytes)
{
	struct str head = str_sub(bytes, 0, DETECT_HEAD_BYTES);
	bool is_binary = str_find_char(head, '\0') < head.len;
	const struct format *best = NULL;
	unsigned int first = 0;
	unsigned int second = 0;

	if (strcmp(folder, "load") == 0 || strcmp(folder, "document") == 0)
		return; /* several captures in one input, intended */
	if (strlen(name) == 40 && strspn(name, "0123456789abcdef") == 40)
		return; /* made by a fuzzer from several inputs */
	for (const struct format *const *f = formats; *f; f++) {
		unsigned int score = (*f)->is_binary == is_binary ? (*f)->probe(head) : 0;

		if (score > first) {
			second = first;
			first = score;
			best = *f;
		} else if (score > second) {
			second = score;
		}
	}
	if (first >= 50 && first < second + 20) {
		print_error("%s/%s: %s with %u, another with %u\n", folder, name, best->name, first,
			    second);
		_fail(__FILE__, __LINE__);
	}
}

static void each_input_has_one_clear_winner(void **state)
{
	(void)state;
	if (each_fuzz_input(one_winner) == 0)
		SKIP_TEST("the inputs of the fuzz targets are not here");
	one_winner("made up", "report", STR(REPORT));
	one_winner("made up", "folded", STR(FOLDED));
	one_winner("made up", "graph", STR(GRAPH));
	one_winner("made up", "gprof", STR(GPROF));
}

static struct dossier *load(const char *text, int expected, struct error *err)
{
	CLEANUP(document_freep) struct document *doc = open_text(text);
	struct dossier *d = dossier_new();

	assert_int_equal(load_document(d, doc, "made-up", NULL, err), expected);
	return d;
}

static void unrecognised_lines_are_counted_and_placed(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d =
		load("What is this about?\n\nIt is slow.\n\n" REPORT "\nRegards\n", OK, NULL);
	struct dossier_input *in = &d->inputs.data[0];

	(void)state;
	assert_int_equal(in->unrecognised_lines, 3);
	assert_int_equal(in->lines, 12);
	assert_int_equal(in->regions.len, 3);
	assert_null(in->regions.data[0].format);
	assert_int_equal(in->regions.data[0].first_line, 1);
	assert_int_equal(in->regions.data[0].last_line, 3);
	assert_string_equal(in->regions.data[1].format, "perf-report");
	assert_int_equal(in->regions.data[1].capture, 0);
	assert_int_equal(in->regions.data[2].first_line, 12);
}

static void what_has_no_capture_is_refused_with_a_reason(void **state)
{
	struct error err = { "" };
	struct dossier *d = load("only\nprose\n", ERR_FORMAT, &err);

	(void)state;
	assert_non_null(strstr(err.msg, "no capture found in 2 lines of text; "));
	dossier_free(d);
	d = load(KVM, ERR_FORMAT, &err);
	assert_string_equal(err.msg, "a trace of KVM events: not read yet");
	assert_string_equal(d->inputs.data[0].regions.data[0].format, "kvm-trace");
	assert_string_equal(d->inputs.data[0].regions.data[0].declined,
			    "a trace of KVM events: not read yet");
	dossier_free(d);
}

static void binary_junk_is_refused_with_a_reason(void **state)
{
	static const struct document_options raw = { .is_raw = true };
	CLEANUP(document_freep) struct document *doc = NULL;
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct error err = { "" };

	(void)state;
	assert_int_equal(document_from_memory(STR("\0\1\2\3\0\0\7\7"), &raw, &doc, &err), OK);
	assert_int_equal(load_document(d, doc, "junk", NULL, &err), ERR_FORMAT);
	assert_non_null(strstr(err.msg, "unknown binary data"));
}

static void a_capture_that_is_quoted_again_is_an_excerpt(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d =
		load("    60.00%  app      app                [.] work\n"
		     "    30.00%  app      [kernel.kallsyms]  [k] do_syscall\n"
		     "\nThe full report is below, with all the rows that there are.\n\n" REPORT
		     "\nThe graph, and once more, for those who missed it above:\n\n" GRAPH
		     "\nAfter the change we have this:\n\n"
		     "    61.00%  app      app                [.] work\n"
		     "    30.00%  app      [kernel.kallsyms]  [k] do_syscall\n"
		     "\nagain, nothing has changed here at all:\n\n" GRAPH,
		     OK, NULL);

	(void)state;
	assert_int_equal(d->captures.len, 5);
	assert_int_equal(d->captures.data[0]->excerpt_of, 1);
	assert_int_equal(d->captures.data[1]->excerpt_of, INDEX_NONE);
	assert_int_equal(d->captures.data[2]->excerpt_of, INDEX_NONE);
	assert_int_equal(d->captures.data[3]->excerpt_of, INDEX_NONE);
	assert_int_equal(d->captures.data[4]->excerpt_of, 2);
}

/* Comparing each pair is limited to 2048 captures; equal ones beyond the limit are still found. */
static void equal_captures_are_excerpts_however_many_there_are(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = NULL;
	struct out text;

	(void)state;
	out_init(&text);
	for (int i = 0; i < 2200; i++)
		out_printf(&text,
			   "Report %d shows this profile of the same load:\n\n"
			   "    60.00%%  app      app                [.] work%d\n"
			   "    30.00%%  app      [kernel.kallsyms]  [k] do_syscall\n\n",
			   i % 2150, i % 2150);
	out_char(&text, '\0');
	d = load(out_view(&text).p, OK, NULL);
	out_fini(&text);
	assert_int_equal(d->captures.len, 2200);
	for (size_t i = 0; i < 2150; i++)
		assert_int_equal(d->captures.data[i]->excerpt_of, INDEX_NONE);
	for (size_t i = 2150; i < 2200; i++)
		assert_int_equal(d->captures.data[i]->excerpt_of, i - 2150);
}

static void facts_and_words_above_a_capture_belong_to_it(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d =
		load("io_uring\n3 replicas\n10,000 requests, clients: 16\n\n" REPORT, OK, NULL);
	struct capture *c = d->captures.data[0];

	(void)state;
	assert_int_equal(c->facts.len, 3);
	assert_str(strings_get(&d->strings, c->facts.data[0].name), "replicas");
	assert_int_equal(c->facts.data[0].value, 3);
	assert_int_equal(c->facts.data[0].line, 2);
	assert_str(strings_get(&d->strings, c->facts.data[1].name), "requests");
	assert_int_equal(c->facts.data[1].value, 10000);
	assert_str(strings_get(&d->strings, c->facts.data[2].name), "clients");
	assert_int_equal(c->facts.data[2].value, 16);
	assert_int_equal(d->facts.len, 3);
	assert_true(c->notes.len > 0);
	assert_str(strings_get(&d->strings, c->notes.data[c->notes.len - 1].value), "io_uring");
	assert_int_equal(d->inputs.data[0].unrecognised_lines, 0);
}

static void numbers_in_prose_are_no_facts(void **state)
{
	static const char *const lines[] = {
		"We saw 12 crashes in the last week, with 3 replicas.",
		"2.25.1",
		"12 May",
		"10:45:01",
		"0x10 thing",
		"Content-Length: 123",
		"5 files changed",
		"100 ms",
		"version: 3",
		"1,2 apples",
		"12",
		"3 %",
		"99999999999999999999999 requests",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		struct context_walk w = { .text = str_of(lines[i]) };
		enum context_kind kind;
		struct str line;

		assert_true(context_next(&w, &line, &kind));
		if (kind != CONTEXT_PROSE) {
			print_error("'%s' is taken for a fact\n", lines[i]);
			_fail(__FILE__, __LINE__);
		}
	}
}

static void commands_are_known_by_their_prompt(void **state)
{
	static const struct {
		const char *line;
		const char *command;
	} cases[] = {
		{ "sh # perf ftrace -C 0 -G f", "perf ftrace -C 0 -G f" },
		{ "[root@host ~/perf-tools/bin]# ./funcgraph udp_sendmsg",
		  "./funcgraph udp_sendmsg" },
		{ "$ perf report --stdio", "perf report --stdio" },
		{ "# ./funcgraph do_nanosleep", "./funcgraph do_nanosleep" },
		{ "user@host:~$ perf top", "perf top" },
		{ "perf report --stdio -i perf.data", "perf report --stdio -i perf.data" },
		{ "sudo perf record -a sleep 1", "sudo perf record -a sleep 1" },
		{ "# Samples: 73K of event 'cycles'", NULL },
		{ "# Overhead  Command", NULL },
		{ "perf report shows that it is slow", NULL },
		{ "it costs $ 5 for each", NULL },
		{ "issue # 12 is fixed", NULL },
		{ "", NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct str command = STR("");
		bool found = context_command(str_of(cases[i].line), &command);

		if (found != (cases[i].command != NULL))
			print_error("'%s'\n", cases[i].line);
		assert_int_equal(found, cases[i].command != NULL);
		if (found)
			assert_str(command, cases[i].command);
	}
}

static void the_nearest_command_above_made_the_capture(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = load("$ perf stat -a\n$ perf report --stdio\n\n" REPORT, OK, NULL);
	CLEANUP(dossier_freep)
	struct dossier *recorded =
		load("$ perf record -a\n$ perf report --stdio\n\n" REPORT, OK, NULL);

	(void)state;
	assert_str(strings_get(&d->strings, d->captures.data[0]->command), "perf report --stdio");
	/* the command that recorded it says more than the one that printed it */
	assert_str(strings_get(&recorded->strings, recorded->captures.data[0]->command),
		   "perf record -a");
}

static void many_small_regions_stay_cheap(void **state)
{
	CLEANUP(freep) char *text = xmalloc(3000000 + sizeof(GRAPH));
	size_t n = 0;
	CLEANUP(document_freep) struct document *doc = NULL;
	struct detection d;

	(void)state;
	while (n < 3000000) {
		memcpy(text + n, n % 3 ? GRAPH : REPORT,
		       n % 3 ? sizeof(GRAPH) - 1 : sizeof(REPORT) - 1);
		n += n % 3 ? sizeof(GRAPH) - 1 : sizeof(REPORT) - 1;
		memcpy(text + n, "\n\nprose and more prose\n\n", 24);
		n += 24;
		if (n > 3000000 - sizeof(REPORT) - 24)
			break;
	}
	text[n] = '\0';
	doc = open_text(text);
	detect(doc, &d);
	assert_true(d.regions.len > 1000);
	assert_true(d.regions.len <= LIMIT_REGIONS);
	detection_fini(&d);
}

/* Fill @text with @n bytes of prose, with @piece at each of the offsets @at; 0 ends them. */
static void prose_with(char *text, size_t n, const char *piece, const size_t *at)
{
	static const char line[] = "The quick brown fox jumps over the lazy dog and sleeps.\n";

	for (size_t i = 0; i < n; i++)
		text[i] = line[i % (sizeof(line) - 1)];
	for (; *at; at++) {
		size_t start = *at - *at % (sizeof(line) - 1);
		size_t len = strlen(piece);

		memcpy(text + start, piece, len);
		/* the rest of the last line that was overwritten */
		for (size_t i = start + len; text[i] != '\n'; i++)
			text[i] = '.';
	}
	text[n] = '\0';
}

static size_t count_of(const struct detection *d, const char *name)
{
	size_t n = 0;

	VEC_FOREACH (r, &d->regions) {
		if (r->format)
			n += strcmp(detected_name(r), name) == 0;
	}
	return n;
}

static void a_large_text_of_many_kinds_is_searched_by_samples(void **state)
{
	const size_t n = DETECT_LARGE_BYTES + 1000000;
	const size_t middle = n / 2 - n / 2 % 56 + 56;
	CLEANUP(freep) char *text = xmalloc(n + 1);
	CLEANUP(document_freep) struct document *doc = NULL;
	struct detection d;

	(void)state;
	/* a kind that the head has is found anywhere */
	prose_with(text, n, REPORT "\n", (const size_t[]){ 5600, middle, n - 5600, 0 });
	doc = open_text(text);
	detect(doc, &d);
	assert_true(d.is_sampled);
	assert_int_equal(count_of(&d, "perf-report"), 3);
	assert_int_equal(d.n_lines, format_count_lines(doc->text));
	detection_fini(&d);
}

static void a_blank_line_at_the_end_of_the_head_ends_no_region(void **state)
{
	static const char event[] =
		"app 12 [001] 5.000123: cycles: \n\tffffffff81000000 f ([k])\n\n";
	const size_t n = (DETECT_LARGE_BYTES / (sizeof(event) - 1) + 9) * (sizeof(event) - 1);
	CLEANUP(freep) char *text = xmalloc(n + 1);
	CLEANUP(document_freep) struct document *doc = NULL;
	struct detection d;

	(void)state;
	for (size_t i = 0; i < n; i += sizeof(event) - 1)
		memcpy(text + i, event, sizeof(event) - 1);
	/* each window ends in the middle of an event or after it: make both end after a blank line
	 */
	for (size_t end = 65536; end <= 1 << 20; end <<= 4) {
		size_t at = end - 1 - (end - 1) % (sizeof(event) - 1);

		memset(text + at - 2, '\n', end - at + 2);
		memset(text + end, '\n', sizeof(event) - 1 - (end - 1) % (sizeof(event) - 1) - 1);
	}
	text[n] = '\0';
	doc = open_text(text);
	detect(doc, &d);
	assert_false(d.is_sampled);
	assert_int_equal(d.regions.len, 1);
	assert_string_equal(detected_name(&d.regions.data[0]), "perf-script");
	assert_int_equal(d.regions.data[0].extent.to, n);
	detection_fini(&d);
}

static void a_large_log_of_one_kind_is_read_by_one_format(void **state)
{
	/* the head and most samples end inside of a stack trace */
	static const char record[] =
		"2026-03-04 10:00:01,123 ERROR [worker-0] shop.Orders - failed\n"
		"java.lang.IllegalStateException: order is not complete\n"
		"\tat com.example.Orders.place(Orders.java:40)\n"
		"\tat com.example.web.Post.run(Post.java:22)\n";
	const size_t n = (DETECT_LARGE_BYTES / (sizeof(record) - 1) + 9) * (sizeof(record) - 1);
	CLEANUP(freep) char *text = xmalloc(n + 1);
	CLEANUP(document_freep) struct document *doc = NULL;
	struct detection d;

	(void)state;
	for (size_t i = 0; i < n; i += sizeof(record) - 1)
		memcpy(text + i, record, sizeof(record));
	doc = open_text(text);
	detect(doc, &d);
	assert_false(d.is_sampled);
	assert_int_equal(d.regions.len, 1);
	assert_string_equal(detected_name(&d.regions.data[0]), "service-log");
	assert_int_equal(d.regions.data[0].extent.to, n);
	detection_fini(&d);
	doc = (document_free(doc), NULL);
	/* prose at one place: other formats may be there, too */
	for (size_t i = n / 2; i < n / 2 + 700000; i += 10)
		memcpy(text + i, &"some prose\n"[i % 50 != 0], 10);
	doc = open_text(text);
	detect(doc, &d);
	assert_true(d.is_sampled);
	detection_fini(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_document_of_one_kind_is_one_region),
		cmocka_unit_test(captures_of_different_kinds_are_found_between_prose),
		cmocka_unit_test(a_foreign_table_with_report_rows_is_not_a_report),
		cmocka_unit_test(two_tables_with_prose_between_are_two_regions),
		cmocka_unit_test(regions_leave_no_gap),
		cmocka_unit_test(each_input_has_one_clear_winner),
		cmocka_unit_test(unrecognised_lines_are_counted_and_placed),
		cmocka_unit_test(what_has_no_capture_is_refused_with_a_reason),
		cmocka_unit_test(binary_junk_is_refused_with_a_reason),
		cmocka_unit_test(a_capture_that_is_quoted_again_is_an_excerpt),
		cmocka_unit_test(equal_captures_are_excerpts_however_many_there_are),
		cmocka_unit_test(facts_and_words_above_a_capture_belong_to_it),
		cmocka_unit_test(numbers_in_prose_are_no_facts),
		cmocka_unit_test(commands_are_known_by_their_prompt),
		cmocka_unit_test(the_nearest_command_above_made_the_capture),
		cmocka_unit_test(many_small_regions_stay_cheap),
		cmocka_unit_test(a_large_text_of_many_kinds_is_searched_by_samples),
		cmocka_unit_test(a_blank_line_at_the_end_of_the_head_ends_no_region),
		cmocka_unit_test(a_large_log_of_one_kind_is_read_by_one_format),
	};

	return cmocka_run_group_tests_name("detect", tests, NULL, NULL);
}
