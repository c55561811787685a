/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "base/text/scan.h"

#include <stdlib.h>

static void counts_like_a_loop_at_every_length_and_offset(void **state)
{
	char text[700];

	(void)state;
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = i * 2654435761u >> 7 & 3 ? 'x' : '\n';
	for (size_t from = 0; from < 17; from++) {
		for (size_t len = 0; from + len <= sizeof(text); len += 1 + len / 16) {
			struct str s = { text + from, len };
			size_t n = 0;

			for (size_t i = 0; i < len; i++)
				n += s.p[i] == '\n';
			assert_int_equal(scan_count(s, '\n'), n);
			assert_int_equal(scan_lines(s), n + (len && s.p[len - 1] != '\n'));
		}
	}
}

static void counts_past_the_range_of_a_byte(void **state)
{
	static char text[100000];

	(void)state;
	memset(text, '\n', sizeof(text));
	assert_int_equal(scan_count((struct str){ text, sizeof(text) }, '\n'), sizeof(text));
}

static void finds_a_needle_like_memmem(void **state)
{
	char text[80];
	static const char *const needles[] = { "ab", "aab", "ba", "aaaaaaaaaaaaaaaaaab", "bbb" };

	(void)state;
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = i * 2654435761u >> 9 & 3 ? 'a' : 'b';
	for (size_t from = 0; from < 17; from++) {
		for (size_t len = 0; from + len <= sizeof(text); len++) {
			struct str s = { text + from, len };

			for (size_t k = 0; k < ARRAY_LEN(needles); k++) {
				struct str needle = str_of(needles[k]);
				const char *q = memmem(s.p, s.len, needle.p, needle.len);

				assert_int_equal(scan_find_in_line(s, needle),
						 q ? (size_t)(q - s.p) : len);
			}
		}
	}
}

/* The place that scan_alternative() must return, by one comparison after another. */
static size_t next_alternative(struct str pattern, size_t from, struct str s)
{
	for (size_t at = from; at < pattern.len; at++) {
		bool is_start = at == 0 || pattern.p[at - 1] == '|';
		char c = pattern.p[at];

		if ((at > from || at == 0) && is_start && c != '|' &&
		    (c == '*' || (s.len && (c == '?' || c == s.p[0]))))
			return at;
	}
	return pattern.len;
}

static void finds_alternatives_like_a_loop(void **state)
{
	static const char *const texts[] = { "", "a", "bc", "|", "*", "?" };
	char pattern[80];

	(void)state;
	for (size_t i = 0; i < sizeof(pattern); i++)
		pattern[i] = "a|*?|c?|"[i * 2654435761u >> 11 & 7];
	for (size_t from = 0; from < 17; from++) {
		for (size_t len = 0; from + len <= sizeof(pattern); len++) {
			struct str p = { pattern + from, len };

			for (size_t k = 0; k < ARRAY_LEN(texts); k++) {
				struct str s = str_of(texts[k]);
				size_t at = 0;

				do {
					size_t want = next_alternative(p, at, s);

					assert_int_equal(scan_alternative(p, at, s), want);
					/* the place of a '|', or the end */
					at = want + str_find_char(str_skip(p, want), '|');
				} while (at < p.len);
			}
		}
	}
}

static void globs_have_alternatives(void **state)
{
	(void)state;
	assert_true(str_glob(STR("first|second*|th?rd"), STR("second one")));
	assert_true(str_glob(STR("first|second*|th?rd"), STR("third")));
	assert_false(str_glob(STR("first|second*|th?rd"), STR("third|")));
	assert_false(str_glob(STR("first|second*|th?rd"), STR("fir")));
	assert_false(str_glob(STR("first|second"), STR("")));
	assert_true(str_glob(STR("first||second"), STR("")));
	assert_true(str_glob(STR("|first"), STR("")));
	assert_true(str_glob(STR("first|"), STR("")));
	assert_true(str_glob(STR(""), STR("")));
	assert_true(str_glob(STR("first|*"), STR("")));
	assert_true(str_glob(STR("an alternative that is long|the second one|*with|?"), STR("w")));
}

static void reads_doubles_like_strtod(void **state)
{
	static const char *const texts[] = {
		"0",
		"-0",
		"12.5",
		"0.1",
		"-.5",
		"5.",
		"1.2.3",
		"3e2",
		"1.5e-3",
		"7E+1",
		"00.10",
		"123456",
		"9e",
		"1-2",
		"1.25s",
		"999999999999999",
		"0.3999999999999999",
		"9007199254740993",
		"123456789012345678901234567890",
		"0.000000000000001",
		"0.0000000000000000000000001",
		"+4",
		"48.35",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct str rest = str_of(texts[i]);
		char *end;
		double want = strtod(texts[i], &end);
		double v;

		assert_true(str_double(&rest, &v));
		assert_memory_equal(&v, &want, sizeof(v));
		assert_ptr_equal(rest.p, end);
	}
	assert_false(str_double(&(struct str){ "-", 1 }, &(double){ 0 }));
	assert_false(str_double(&(struct str){ ".", 1 }, &(double){ 0 }));
	assert_false(str_double(&(struct str){ "inf", 3 }, &(double){ 0 }));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_like_a_loop_at_every_length_and_offset),
		cmocka_unit_test(counts_past_the_range_of_a_byte),
		cmocka_unit_test(finds_a_needle_like_memmem),
		cmocka_unit_test(finds_alternatives_like_a_loop),
		cmocka_unit_test(globs_have_alternatives),
		cmocka_unit_test(reads_doubles_like_strtod),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
