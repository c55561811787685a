/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/text/shell.h"

#include <stdio.h>
#include <unistd.h>

static const struct {
	const char *word;
	bool is_quoted;
	const char *printed;
} words[] = {
	{ "perf", false, "perf" },
	{ "perf", true, "'perf'" },
	{ "--call-graph=dwarf,4096", false, "--call-graph=dwarf,4096" },
	{ "./a_b.c:1@x%2+3/4", false, "./a_b.c:1@x%2+3/4" },
	{ "", false, "''" },
	{ "a b", false, "'a b'" },
	{ "it's", false, "'it'\\''s'" },
	{ "'", true, "''\\'''" },
	{ "$HOME;`id`\\|&<>*?[]~#!", false, "'$HOME;`id`\\|&<>*?[]~#!'" },
	{ "two\nlines", false, "'two\nlines'" },
	{ "\xc3\xa9", false, "'\xc3\xa9'" },
};

static void a_word_is_quoted_if_the_shell_would_change_it(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		struct out o;

		out_init(&o);
		shell_word(&o, str_of(words[i].word), words[i].is_quoted);
		assert_str(out_view(&o), words[i].printed);
		out_fini(&o);
	}
}

/* What sh makes of the quoted word is the word. */
static void a_shell_reads_the_word_back(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		struct out o;
		char got[256] = "";
		size_t n;
		FILE *f;

		out_init(&o);
		out_z(&o, "printf %s ");
		shell_word(&o, str_of(words[i].word), words[i].is_quoted);
		out_char(&o, 0);
		f = popen(out_view(&o).p, "r");
		assert_non_null(f);
		n = fread(got, 1, sizeof(got), f);
		assert_int_equal(pclose(f), 0);
		assert_str(((struct str){ got, n }), words[i].word);
		out_fini(&o);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_word_is_quoted_if_the_shell_would_change_it),
		cmocka_unit_test(a_shell_reads_the_word_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
