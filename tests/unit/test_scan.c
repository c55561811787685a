/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "base/text/scan.h"

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
			size_t empty;

			for (size_t i = 0; i < len; i++)
				n += s.p[i] == '\n';
			assert_int_equal(scan_count(s, '\n'), n);
			assert_int_equal(scan_lines(s), n + (len && s.p[len - 1] != '\n'));
			for (empty = 0; empty < len; empty++) {
				if (s.p[empty] == '\n' && empty + 1 < len && s.p[empty + 1] == '\n')
					break;
			}
			assert_int_equal(scan_empty_line(s), empty);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_like_a_loop_at_every_length_and_offset),
		cmocka_unit_test(counts_past_the_range_of_a_byte),
		cmocka_unit_test(finds_a_needle_like_memmem),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
