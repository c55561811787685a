/* SPDX-License-Identifier: MIT */
/* Which texts are whole, and which are excerpts: the lines that a tool always prints. */
#include "unit.h"

#include "analyses/categories.h"
#include "analyses/quality/quality.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "core/dossier.h"
#include "texts.h"

struct part_case {
	const char *text;
	enum quality_extent extent;
	const char *missing;
};

#define LEAK                                                         \
	"Direct leak of 48 byte(s) in 2 object(s) allocated from:\n" \
	"    #0 0x7f11 in malloc (/lib/libasan.so.6+0xab3cf)\n"      \
	"    #1 0x55e5 in make_row /src/rows.c:31\n"                 \
	"    #2 0x55e6 in main /src/main.c:9\n\n"
#define LEAK_HEAD "==7==ERROR: LeakSanitizer: detected memory leaks\n\n"
#define LEAK_TAIL "SUMMARY: AddressSanitizer: 48 byte(s) leaked in 2 allocation(s).\n"
#define NODES                                                                 \
	"      flat  flat%   sum%        cum   cum%\n"                        \
	"  600.00kB 60.00% 60.00%   600.00kB 60.00%  shop/cart.(*Cart).add\n" \
	"  300.00kB 30.00% 90.00%   300.00kB 30.00%  shop/cart.(*Cart).grow\n"
#define COUNTS                                                                  \
	"% time     seconds  usecs/call     calls    errors syscall\n"          \
	"------ ----------- ----------- --------- --------- ----------------\n" \
	" 60.00    0.600000          10     60000           read\n"             \
	" 40.00    0.400000          10     40000           write\n"
#define STAT_HEAD " Performance counter stats for './run':\n\n"
#define STAT_ROWS                                                                      \
	"          1,234.56 msec task-clock                #    0.998 CPUs utilized\n" \
	"                12      context-switches          #    9.720 /sec\n\n"
#define STAT_TAIL "       1.236543210 seconds time elapsed\n"
#define FUZZED                                        \
	"    #0 0x55e5 in parse_row /src/rows.c:31\n" \
	"    #1 0x55e6 in LLVMFuzzerTestOneInput /src/f.c:9\n\n"
#define LOSS "==7== 48 bytes in 2 blocks are definitely lost "
#define LOSS_STACK                                                  \
	"==7==    at 0x4848899: malloc (vg_replace_malloc.c:381)\n" \
	"==7==    by 0x1091A0: make_row (rows.c:31)\n==7==\n"
#define LOSS_TAIL "==7== ERROR SUMMARY: 1 errors from 1 contexts (suppressed: 0 from 0)\n"
#define DUMP      "2 @ 0x1 0x2\n#\t0x1\tmain.wait+0x1\t/src/main.go:3\n\n"
#define FRAMES                                            \
	"#0  0x00007f01 in poll () from /lib/libc.so.6\n" \
	"#1  0x00005501 in serve (s=0x1) at serve.c:40\n" \
	"#2  0x00005502 in main () at main.c:12\n"

static const struct part_case part_cases[] = {
	{ LEAK, QUALITY_EXCERPT, "no head, no SUMMARY line" },
	{ LEAK_HEAD LEAK, QUALITY_EXCERPT, "no SUMMARY line" },
	{ LEAK LEAK_TAIL, QUALITY_EXCERPT, "no head" },
	{ LEAK_HEAD LEAK LEAK_TAIL, QUALITY_WHOLE, "" },
	/* the sum of the blocks is not the total: blocks between the first and last line are
	   missing */
	{ LEAK_HEAD LEAK "SUMMARY: AddressSanitizer: 96 byte(s) leaked in 4 allocation(s).\n",
	  QUALITY_EXCERPT, "48 of 96 leaked bytes" },
	{ LEAK_HEAD LEAK LEAK "SUMMARY: AddressSanitizer: 96 byte(s) leaked in 4 allocation(s).\n",
	  QUALITY_WHOLE, "" },
	/* a total below the sum is of something else */
	{ LEAK_HEAD LEAK "SUMMARY: AddressSanitizer: 47 byte(s) leaked in 2 allocation(s).\n",
	  QUALITY_ENDS, "" },
	/* two totals: which one is that of the blocks? */
	{ LEAK_HEAD LEAK LEAK_TAIL LEAK_TAIL, QUALITY_ENDS, "" },
	/* a report of a fuzzer has other words */
	{ "==12== ERROR: libFuzzer: deadly signal\n" FUZZED "SUMMARY: libFuzzer: deadly signal\n",
	  QUALITY_ENDS, "" },
	{ "==12== ERROR: libFuzzer: deadly signal\n" FUZZED, QUALITY_EXCERPT, "no SUMMARY line" },
	/* a list of the first nodes, and whether the type is printed */
	{ "Showing nodes accounting for 900kB, 90% of 1000kB total\nShowing top 2 nodes out of "
	  "48\n" NODES,
	  QUALITY_EXCERPT, "the top 2 of 48 nodes, no Type line" },
	{ "Type: inuse_space\nShowing nodes accounting for 900kB, 90% of 1000kB total\n"
	  "Showing top 2 nodes out of 48\n" NODES,
	  QUALITY_EXCERPT, "the top 2 of 48 nodes" },
	{ "Type: inuse_space\nShowing nodes accounting for 900kB, 90% of 1000kB total\n"
	  "Showing top 2 nodes out of 2\n" NODES,
	  QUALITY_EXTENT_UNKNOWN, "" },
	/* the whole output of a command of the interactive mode has no type */
	{ "Showing nodes accounting for 900kB, 90% of 1000kB total\n" NODES, QUALITY_EXTENT_UNKNOWN,
	  "" },
	{ "Showing nodes accounting for 900kB, 90% of 1000kB total\nShowing top 9 nodes out of "
	  "48\n" NODES,
	  QUALITY_EXCERPT, "2 of 9 rows of the list, the top 9 of 48 nodes, no Type line" },
	{ COUNTS, QUALITY_EXCERPT, "no total line" },
	{ COUNTS "------ ----------- ----------- --------- --------- ----------------\n"
		 "100.00    1.000000                100000           total\n",
	  QUALITY_EXTENT_UNKNOWN, "" },
	/* perf stat -I and -x print neither the head nor the last line */
	{ STAT_HEAD STAT_ROWS STAT_TAIL, QUALITY_ENDS, "" },
	{ STAT_HEAD STAT_ROWS, QUALITY_EXCERPT, "no line of the elapsed time" },
	{ STAT_ROWS STAT_TAIL, QUALITY_EXCERPT, "no head with the command" },
	{ STAT_ROWS, QUALITY_EXTENT_UNKNOWN, "" },
	/* numbered records, without the last line of the tool, which counts the others */
	{ LOSS "in loss record 4 of 1,201\n" LOSS_STACK, QUALITY_EXCERPT,
	  "1 of 1201 loss records" },
	{ LOSS "in loss record 1 of 1\n" LOSS_STACK, QUALITY_EXTENT_UNKNOWN, "" },
	{ LOSS "in loss record 4 of 12\n" LOSS_STACK LOSS_TAIL, QUALITY_EXCERPT,
	  "no head of Memcheck" },
	/* one thread of a debugger */
	{ FRAMES, QUALITY_EXCERPT, "one thread of an unknown number" },
	{ "Program received signal SIGINT, Interrupt.\n" FRAMES, QUALITY_EXTENT_UNKNOWN, "" },
	{ "It hangs here:\n" FRAMES, QUALITY_EXCERPT, "one thread of an unknown number" },
	/* of several dumps, the text states only one total */
	{ "goroutine profile: total 2\n" DUMP "goroutine profile: total 5\n" DUMP,
	  QUALITY_EXTENT_UNKNOWN, "" },
	{ "goroutine profile: total 2\n" DUMP "goroutine profile: total 2\n" DUMP,
	  QUALITY_EXTENT_UNKNOWN, "" },
	/* profiles of goroutines */
	{ "goroutine profile: total 5\n5 @ 0x1 0x2\n#\t0x1\tmain.wait+0x1\t/src/main.go:3\n",
	  QUALITY_WHOLE, "" },
	{ "goroutine profile: total 6\n5 @ 0x1 0x2\n#\t0x1\tmain.wait+0x1\t/src/main.go:3\n",
	  QUALITY_EXCERPT, "5 of 6 goroutines" },
	{ "5 @ 0x1 0x2\n#\t0x1\tmain.wait+0x1\t/src/main.go:3\n", QUALITY_EXCERPT,
	  "no line with the total of the goroutines" },
	{ "goroutine 7 [chan receive]:\nmain.wait()\n\t/src/main.go:3 +0x1\n\n"
	  "goroutine 9 [chan receive]:\nmain.wait()\n\t/src/main.go:3 +0x1\n",
	  QUALITY_EXCERPT, "no goroutine 1" },
	{ "goroutine 1 [chan receive]:\nmain.wait()\n\t/src/main.go:3 +0x1\n\n"
	  "goroutine 9 [chan receive]:\nmain.wait()\n\t/src/main.go:3 +0x1\n",
	  QUALITY_EXTENT_UNKNOWN, "" },
	{ "goroutine 7 [chan receive]:\nmain.wait()\n\t/src/main.go:3 +0x1\n", QUALITY_EXCERPT,
	  "one goroutine of the program" },
};

static void a_text_without_a_line_that_the_tool_prints_is_an_excerpt(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(part_cases); i++) {
		const struct part_case *expected = &part_cases[i];
		CLEANUP(dossier_freep) struct dossier *d = dossier_new();
		const struct capture *c = text_detect(d, expected->text);
		struct category_cache cats = { 0 };
		struct out missing = { .fd = -1 };
		struct quality q;

		quality_of(c, &cats, &q);
		quality_missing(&q, &missing);
		if (q.extent != expected->extent ||
		    !str_eq(out_view(&missing), str_of(expected->missing)) ||
		    quality_is_part(c) != (expected->extent == QUALITY_EXCERPT)) {
			print_error("case %zu: %s, '" STR_FMT "'\n", i,
				    quality_extent_name(q.extent), STR_ARG(out_view(&missing)));
			_fail(__FILE__, __LINE__);
		}
		out_fini(&missing);
		quality_fini(&q);
		category_cache_fini(&cats);
	}
}

/* A line that is left out, or a last line that is cut, is no matter of the tool. */
static void lines_left_out_and_a_cut_line_make_a_part(void **state)
{
	CLEANUP(dossier_freep) struct dossier *left = dossier_new();
	CLEANUP(dossier_freep) struct dossier *cut = dossier_new();
	const struct capture *c;

	(void)state;
	c = text_detect(left, LEAK_HEAD LEAK "(...)\n" LEAK LEAK_TAIL);
	assert_true(quality_is_part(c));
	c = text_detect(cut, "goroutine profile: total 5\n5 @ 0x1 0x2\n"
			     "#\t0x1\tmain.wait+0x1\t/src/main.go:3 \"x\n");
	assert_true(quality_is_part(c));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_text_without_a_line_that_the_tool_prints_is_an_excerpt),
		cmocka_unit_test(lines_left_out_and_a_cut_line_make_a_part),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
