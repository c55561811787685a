/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/out.h"
#include "base/str.h"
#include "render/markdown.h"

static void check(const char *page, size_t columns, bool has_colour, const char *want)
{
	struct out out;

	out_init(&out);
	markdown_write(&out, str_of(page), columns, has_colour);
	assert_str(out_view(&out), want);
	out_fini(&out);
}

static void lines_of_a_paragraph_are_filled(void **state)
{
	(void)state;
	check("# title\none\ntwo three\n\nfour\n", 9, false, "title\n\none two\nthree\n\nfour\n");
	check("", 80, false, "");
	check("averyveryverylongword x\n", 5, false, "averyveryverylongword\nx\n");
}

static void marks_become_bold_or_vanish(void **state)
{
	(void)state;
	check("**Fix.** run `a*b` and `c d`\n", 80, false, "Fix. run a*b and 'c d'\n");
	check("**Fix.** run `a b`\n", 80, true, "\x1b[1mFix.\x1b[0m run \x1b[1ma b\x1b[0m\n");
	check("is *not recorded*: 2*3*4 a*b\n", 80, false, "is not recorded: 2*3*4 a*b\n");
	check("`it's one`\n", 80, false, "it's one\n");
}

static void bold_takes_no_columns(void **state)
{
	(void)state;
	check("`aa` `bb`\n", 5, true, "\x1b[1maa\x1b[0m \x1b[1mbb\x1b[0m\n");
	check("`aa` `bb`\n", 4, true, "\x1b[1maa\x1b[0m\n\x1b[1mbb\x1b[0m\n");
}

static void links_keep_their_text_and_web_address(void **state)
{
	(void)state;
	check("see [roles](../roles.md), [perf](https://x.example)\n", 80, false,
	      "see roles, perf (https://x.example)\n");
	check("a[1] and (b) [unfinished](\n", 80, false, "a[1] and (b) [unfinished](\n");
}

static void list_items_hang(void **state)
{
	(void)state;
	check("- one two\n- three\n  four\n1. five six\n", 8, false,
	      "- one\n  two\n- three\n  four\n1. five\n   six\n");
}

static void blocks_stay_as_they_are(void **state)
{
	(void)state;
	check("a\n```sh\n| *x*  `y`\n\n# z\n```\nb\n", 80, false, "a\n  | *x*  `y`\n\n  # z\nb\n");
}

static void tables_are_aligned(void **state)
{
	(void)state;
	check("| option | meaning |\n|---|---|\n| `-a` | all of them |\n| `a\\|b` | x |\n\nend\n",
	      40, false, "option  meaning\n-a      all of them\na|b     x\n\nend\n");
	check("| option | meaning |\n|---|---|\n| -a | one two three four five six |\n", 32, false,
	      "option  meaning\n-a      one two three four five\n        six\n");
}

static void a_narrow_table_has_a_cell_a_line(void **state)
{
	(void)state;
	check("| option | meaning |\n|---|---|\n| -a | all of them |\n", 20, false,
	      "option\n    meaning\n-a\n    all of them\n");
}

static void damaged_pages_end(void **state)
{
	(void)state;
	check("```\nx", 80, false, "  x\n");
	check("|\n", 80, false, "");
	check("**a", 80, false, "a\n");
	check("`a", 80, false, "`a\n");
	check("[", 80, false, "[\n");
	check("#", 80, false, "\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_of_a_paragraph_are_filled),
		cmocka_unit_test(marks_become_bold_or_vanish),
		cmocka_unit_test(bold_takes_no_columns),
		cmocka_unit_test(links_keep_their_text_and_web_address),
		cmocka_unit_test(list_items_hang),
		cmocka_unit_test(blocks_stay_as_they_are),
		cmocka_unit_test(tables_are_aligned),
		cmocka_unit_test(a_narrow_table_has_a_cell_a_line),
		cmocka_unit_test(damaged_pages_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
