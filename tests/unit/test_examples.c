/* SPDX-License-Identifier: MIT */
/* Lines of a text that are an example (formats/examples.h). */
#include "base/vec.h"
#include "core/dossier.h"
#include "unit.h"

#include "texts.h"

#define KILL "Out of memory: Killed process 71 (db) total-vm:9000kB, anon-rss:8000kB\n"

/* Is the line @line of @text in a range of examples? */
static bool is_example(const char *text, uint32_t line)
{
	struct dossier *d = text_load(NULL, text);
	bool is_in = false;

	VEC_FOREACH (e, &d->inputs.data[0].examples)
		is_in |= e->first <= line && line <= e->last;
	dossier_free(d);
	return is_in;
}

static void a_heading_holds_until_the_next(void **state)
{
	(void)state;
	assert_true(is_example("## Example\n\n" KILL "\ntext\n\n" KILL, 6));
	assert_true(is_example("## Example\n\n### One\n\n" KILL, 5));
	assert_false(is_example("## Example\n\n" KILL "\n## Incident\n\n" KILL, 7));
	assert_false(is_example("## Example of last night\n\n" KILL, 3));
	assert_true(is_example("EXAMPLE\n   " KILL, 2));
	assert_false(is_example("EXAMPLE\n   text\nSEE ALSO\n   " KILL, 4));
}

static void a_line_holds_for_its_paragraph(void **state)
{
	(void)state;
	assert_true(is_example("Examples:\n\n" KILL, 3));
	assert_true(is_example("**Example:**\n" KILL, 2));
	assert_false(is_example("Example:\n\n" KILL "\n" KILL, 5));
	assert_false(is_example("For example, see this:\n\n" KILL, 3));
}

static void a_quote_of_a_mail_is_none(void **state)
{
	(void)state;
	assert_false(is_example("On Monday, Ann wrote:\n> it died:\n> " KILL, 3));
}

static void hunks_count_their_lines(void **state)
{
	(void)state;
	assert_true(is_example("@@ -1,2 +1 @@\n-" KILL " text\n" KILL, 2));
	assert_true(is_example("@@ -1,2 +1 @@\n-" KILL " text\n" KILL, 3));
	assert_false(is_example("@@ -1,2 +1 @@\n-" KILL " text\n" KILL, 4));
	assert_false(is_example("@@ -1,2 +1 @@ but no hunk\n" KILL, 2));
}

static void strings_end_where_they_began(void **state)
{
	(void)state;
	assert_true(is_example("const a = `\n" KILL "`;\n" KILL, 2));
	assert_false(is_example("const a = `\n" KILL "`;\n" KILL, 4));
	assert_true(is_example("a = \"\"\"\n" KILL "\"\"\"\n", 2));
	/* a string without an end is none; a fence of Markdown begins no string */
	assert_false(is_example("const a = `\n" KILL, 2));
	assert_false(is_example("```\n" KILL "```\n", 2));
}

static void two_placeholders_are_a_template(void **state)
{
	(void)state;
	assert_true(is_example("Killed process <pid> (<name>)\n" KILL, 1));
	assert_false(is_example("Killed process <pid> (<name>)\n" KILL, 2));
	assert_false(is_example("perf record -p <pid>\n" KILL, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_heading_holds_until_the_next),
		cmocka_unit_test(a_line_holds_for_its_paragraph),
		cmocka_unit_test(a_quote_of_a_mail_is_none),
		cmocka_unit_test(hunks_count_their_lines),
		cmocka_unit_test(strings_end_where_they_began),
		cmocka_unit_test(two_placeholders_are_a_template),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
