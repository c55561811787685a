/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/str.h"
#include "base/text/suggest.h"

static void letters_that_differ_are_counted(void **state)
{
	(void)state;
	assert_int_equal(suggest_distance(STR("report"), STR("report")), 0);
	assert_int_equal(suggest_distance(STR("reprot"), STR("report")), 1);
	assert_int_equal(suggest_distance(STR("repor"), STR("report")), 1);
	assert_int_equal(suggest_distance(STR("rreport"), STR("report")), 1);
	assert_int_equal(suggest_distance(STR("resort"), STR("report")), 1);
	assert_int_equal(suggest_distance(STR(""), STR("abc")), 3);
	assert_int_equal(suggest_distance(STR("abcd"), STR("badc")), 2);
}

static void the_most_similar_word_is_suggested(void **state)
{
	struct suggest s;
	char word[SUGGEST_MAX + 2];

	(void)state;
	suggest_init(&s, STR("childen"));
	suggest_try(&s, STR("chill"));
	suggest_try(&s, STR("children"));
	suggest_try(&s, STR("childer"));
	assert_string_equal(s.best, "children");
	/* one wrong letter of three is similar enough; one of two and two of five are not */
	suggest_init(&s, STR("abc"));
	suggest_try(&s, STR("abd"));
	assert_string_equal(s.best, "abd");
	suggest_init(&s, STR("ab"));
	suggest_try(&s, STR("ac"));
	assert_string_equal(s.best, "");
	suggest_init(&s, STR("abcde"));
	suggest_try(&s, STR("abxye"));
	assert_string_equal(s.best, "");
	memset(word, 'x', sizeof(word));
	suggest_init(&s, (struct str){ word, sizeof(word) - 1 });
	suggest_try(&s, (struct str){ word, SUGGEST_MAX });
	assert_string_equal(s.best, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(letters_that_differ_are_counted),
		cmocka_unit_test(the_most_similar_word_is_suggested),
	};

	return cmocka_run_group_tests_name("suggest", tests, NULL, NULL);
}
