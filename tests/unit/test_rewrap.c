/* SPDX-License-Identifier: MIT */
/* Rows of tables that a mailer broke: document/rewrap.c. */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "core/diag.h"
#include "document/document.h"

#include <stdio.h>

/* Expects that @text is read as @expected. */
static void assert_joined(const char *text, const char *expected)
{
	CLEANUP(document_freep) struct document *d = NULL;

	assert_int_equal(document_from_memory(str_of(text), NULL, &d, NULL), OK);
	assert_str(d->text, expected);
}

/* Expects that no line of @text is joined. */
static void assert_same(const char *text)
{
	assert_joined(text, text);
}

#define TITLES "time       r/s     rkB/s   rrqm/s  wkB/s  w/s"
#define ROW    "12        10.5   1030.00     0.50   20.0  1.5"
#define LAST   "33        11.5   1130.00     1.50   21.0  2.5"

static void titles_and_rows_broken_at_one_column_are_joined(void **state)
{
	(void)state;
	assert_joined(TITLES "\n%util  queue\n" ROW "\n12.50 3\n" LAST "\n13.50 4\n",
		      TITLES " %util  queue\n" ROW " 12.50 3\n" LAST " 13.50 4\n");
	/* one row is enough if it is broken, as the titles are */
	assert_joined(TITLES "\n%util  queue\n" ROW "\n12.50 3\n",
		      TITLES " %util  queue\n" ROW " 12.50 3\n");
	/* whole titles of 58 characters: two rows are needed, and 45 + 1 + 12 + 1 is more than 58
	 */
	assert_joined(TITLES " %util  queue\n" ROW "\n12.500000000 3\n" LAST "\n13.500000000 4\n",
		      TITLES " %util  queue\n" ROW " 12.500000000 3\n" LAST " 13.500000000 4\n");
	assert_same(TITLES " %util  queue\n" ROW "\n12.500000000 3\n");
	assert_same(TITLES " %util  queue\n" ROW "\n12.50000000 3\n" LAST "\n13.500000 4\n");
}

static void rows_with_another_number_of_values_stay(void **state)
{
	(void)state;
	assert_same(TITLES "\n%util  queue\n" ROW "\n12.50\n" LAST "\n13.50\n");
	assert_same(TITLES "\n%util  queue\n" ROW "\n12.50 3 4 5\n" LAST "\n13.50 4 5 6\n");
	/* half of the words are numbers */
	assert_same(TITLES "\n%util  queue\na b c d e f\n12.50 3\nb c d e f g\n13.50 4\n");
	/* a whole line of dashes with blanks, which a mailer would have broken */
	assert_same(TITLES "\n%util  queue\n----- ----- -----\n" ROW "\n12.50 3\n" LAST
			   "\n13.50 4\n");
	/* a blank line ends a row */
	assert_same(TITLES "\n%util  queue\n" ROW "\n\n12.50 3\n");
}

static void a_word_that_fits_into_the_line_above_is_another_row(void **state)
{
	(void)state;
	/* 48 + 1 + 5 characters, of a line with 55 */
	assert_same(TITLES " %util  queue\n" ROW "\n1.5 30\n" LAST "\n1.5 4\n");
	assert_same("sda        10.5   1030.00     0.50   20.0  1.5  7\n"
		    "sdb        10.5   1030.00     0.50   20.0  1.5  7\n");
}

static void lines_of_one_shape_are_rows(void **state)
{
	(void)state;
	/* twelve titles in two lines, but each line is a row of six */
	assert_same("alpha      beta     gamma    delta    epsilon  zeta a\n"
		    "eta      theta     iota      kappa    lambda     mu b\n" ROW " 9\n" LAST
		    " 9\n" ROW " 8\n" LAST " 8\n");
}

static void the_rest_of_a_command_belongs_to_its_row(void **state)
{
	(void)state;
	assert_joined("  PID USER   PR  NI     S  %CPU  %MEM     TIME+ COMMAND\n"
		      "  731 wiki   20   0     R  61.7   5.0  10:12.33 indexer\n"
		      "  732 wiki   20   0     R  61.7   5.0  10:12.33\n"
		      "indexer-two\n"
		      "  733 wiki   20   0     R  61.7   5.0  10:12.33 flush\n"
		      "worker three\n",
		      "  PID USER   PR  NI     S  %CPU  %MEM     TIME+ COMMAND\n"
		      "  731 wiki   20   0     R  61.7   5.0  10:12.33 indexer\n"
		      "  732 wiki   20   0     R  61.7   5.0  10:12.33 indexer-two\n"
		      "  733 wiki   20   0     R  61.7   5.0  10:12.33 flush worker three\n");
}

static void two_rests_of_commands_prove_a_broken_table(void **state)
{
	static const char one[] =
		"  TID  PRIO  USER     DISK READ  DISK WRITE  SWAPIN     IO> COMMAND\n"
		" 8138 be/4 root       29.26 K/s  168.89 K/s  0.00 % 75.29 %\n"
		"[kworker/u8:3-depot-endio-meta]\n"
		" 8139 be/4 root       11.03 M/s   23.61 M/s  0.00 % 74.65 % init\n";

	(void)state;
	assert_joined("  TID  PRIO  USER     DISK READ  DISK WRITE  SWAPIN     IO> COMMAND\n"
		      " 8138 be/4 root       29.26 K/s  168.89 K/s  0.00 % 75.29 %\n"
		      "[kworker/u8:3-depot-endio-meta]\n"
		      " 8139 be/4 root       11.03 M/s   23.61 M/s  0.00 % 74.65 %\n"
		      "[kworker/u8:4-depot-endio-meta]\n",
		      "  TID  PRIO  USER     DISK READ  DISK WRITE  SWAPIN     IO> COMMAND\n"
		      " 8138 be/4 root       29.26 K/s  168.89 K/s  0.00 % 75.29 % "
		      "[kworker/u8:3-depot-endio-meta]\n"
		      " 8139 be/4 root       11.03 M/s   23.61 M/s  0.00 % 74.65 % "
		      "[kworker/u8:4-depot-endio-meta]\n");
	assert_same(one);
}

static void bars_of_histograms_are_joined(void **state)
{
	(void)state;
	assert_joined("[8, 16)    120 |@@@@@@@@   \n|\n[16, 32)   12\n|@         |\n",
		      "[8, 16)    120 |@@@@@@@@    |\n[16, 32)   12 |@         |\n");
	assert_same("[8, 16)    120 |@@@@@@@@   |\n|\n");
	assert_same("[8, 16)    120 |@@@@@@@@   \n| next\n");
	assert_same("some text |@@@@@@@@   \n|\n");
}

static void system_calls_are_joined_up_to_their_result(void **state)
{
	(void)state;
	/* 62 + 1 + 8 characters are more than 70 */
	assert_joined("12 10:20:30.5 openat(AT_FDCWD, \"/srv/a/b/c/d/e/f/g/h/i/j/k/l\",\n"
		      "O_RDONLY) = 3\n",
		      "12 10:20:30.5 openat(AT_FDCWD, \"/srv/a/b/c/d/e/f/g/h/i/j/k/l\", "
		      "O_RDONLY) = 3\n");
	assert_same("12 10:20:30.5 openat(AT_FDCWD, \"/srv/a/b/c/d/e/f/g/h/i/j/k/l\",\n"
		    "O_RD) = 3\n");
	/* the call has no result, or another record follows */
	assert_same("12 10:20:30.5 openat(AT_FDCWD, \"/srv/a/b/c/d/e/f/g/h/i/j/k/l\",\n"
		    "O_RDONLY) + 3\n");
	assert_same("12 10:20:30.5 openat(AT_FDCWD, \"/srv/a/b/c/d/e/f/g/h/i/j/k/l\",\n"
		    "12 10:20:30.6 getpid() = 12\n");
}

static void a_text_with_a_line_of_more_than_80_characters_is_no_mail(void **state)
{
	static const char edge[] = "12        10.5   1030.00     0.50   20.0                  "
				   "            1234567.55";
	char text[512], expected[512];

	(void)state;
	assert_int_equal(sizeof(edge) - 1, 80);
	(void)snprintf(
		text, sizeof(text), "%s\n%%util  queue\n%s\n%s\n",
		"time       r/s     rkB/s   rrqm/s  wkB/s                                     "
		"w/s",
		edge, "1234567.55 30");
	(void)snprintf(
		expected, sizeof(expected), "%s %%util  queue\n%s %s\n",
		"time       r/s     rkB/s   rrqm/s  wkB/s                                     "
		"w/s",
		edge, "1234567.55 30");
	assert_joined(text, expected);
	(void)snprintf(
		text, sizeof(text), "%s\n%%util  queue\n%s9\n%s\n",
		"time       r/s     rkB/s   rrqm/s  wkB/s                                     "
		"w/s",
		edge, "1234567.55 30");
	assert_same(text);
}

static void the_count_of_joined_lines_is_kept(void **state)
{
	CLEANUP(document_freep) struct document *d = NULL;
	static const char text[] = "> x\n> " TITLES "\n> %util  queue\n> " ROW "\n> 12.50 3\n";

	(void)state;
	assert_int_equal(document_from_memory(str_of(text), NULL, &d, NULL), OK);
	assert_int_equal(diag_get(&d->diag, "document-rows-joined"), 2);
	assert_int_equal(document_line(d, 2), 2);
	assert_int_equal(document_line(d, 3), 4); /* the row begins in the fourth line */
	assert_int_equal(document_quote_depth(d, 3), 1);
	assert_true(str_contains(str_of(d->encoding), STR("broken table rows")));
}

static void a_task_broken_before_its_command_is_joined(void **state)
{
	(void)state;
	/* the row has no titles: a grep removed them */
	assert_joined("root     29768 88.1  0.0  92268  10744 pts/0    D+   16:20 0:25\n"
		      "/usr/bin/index\n",
		      "root     29768 88.1  0.0  92268  10744 pts/0    D+   16:20 0:25 "
		      "/usr/bin/index\n");
	/* no number in the second column, or a number in the next line */
	assert_same("root     shelf 88.1  0.0  92268  10744 pts/0    D+   16:20 0:25\n"
		    "/usr/bin/index\n");
	assert_same("root     29768 88.1  0.0  92268  10744 pts/0    D+   16:20 0:25\n"
		    "29769\n");
	/* the command would have fitted */
	assert_same("root     29768 88.1  0.0  92268  10744 pts/0    D+   16:20 0:25\nsh\n");
}

#define CAPITALS "STARTs          ENDs            COMM         PID    TYPE DEV"
#define REQUEST  "100000.292350  100000.319052  keeper       22191  R    8,192"

static void a_blank_line_may_follow_broken_titles_in_capitals(void **state)
{
	(void)state;
	assert_joined(CAPITALS "\nBLOCK        BYTES     LATms\n\n" REQUEST
			       "\n4578940240   16384     26.70\n" REQUEST
			       "\n4578940241   16384     27.70\n",
		      CAPITALS " BLOCK        BYTES     LATms\n\n" REQUEST
			       " 4578940240   16384     26.70\n" REQUEST
			       " 4578940241   16384     27.70\n");
	assert_same("starts          ends            comm         pid    type dev\n"
		    "block        bytes     latms\n\n" REQUEST "\n4578940240   16384     26.70\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(titles_and_rows_broken_at_one_column_are_joined),
		cmocka_unit_test(rows_with_another_number_of_values_stay),
		cmocka_unit_test(a_word_that_fits_into_the_line_above_is_another_row),
		cmocka_unit_test(lines_of_one_shape_are_rows),
		cmocka_unit_test(the_rest_of_a_command_belongs_to_its_row),
		cmocka_unit_test(two_rests_of_commands_prove_a_broken_table),
		cmocka_unit_test(bars_of_histograms_are_joined),
		cmocka_unit_test(system_calls_are_joined_up_to_their_result),
		cmocka_unit_test(a_text_with_a_line_of_more_than_80_characters_is_no_mail),
		cmocka_unit_test(a_task_broken_before_its_command_is_joined),
		cmocka_unit_test(a_blank_line_may_follow_broken_titles_in_capitals),
		cmocka_unit_test(the_count_of_joined_lines_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
