/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/str.h"
#include "base/text/utf8.h"

static void test_one_byte_at_any_place_makes_a_text_other_than_printable_ascii(void **state)
{
	(void)state;
	for (size_t n = 0; n < 40; n++) {
		char text[40];

		for (size_t i = 0; i < n; i++)
			text[i] = (char)(0x20 + (i * 37 + n) % 95);
		assert_true(utf8_is_ascii_print((struct str){ text, n }));
		assert_int_equal(utf8_width((struct str){ text, n }), n);
		for (size_t i = 0; i < n; i++) {
			char before = text[i];

			for (unsigned int c = 0; c < 256; c++) {
				text[i] = (char)c;
				assert_int_equal(utf8_is_ascii_print((struct str){ text, n }),
						 c >= 0x20 && c < 0x7f);
			}
			text[i] = before;
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_one_byte_at_any_place_makes_a_text_other_than_printable_ascii),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
