/* SPDX-License-Identifier: MIT */
/* Messages of logs without their numbers, addresses and ids. */
#include "unit.h"

#include "analyses/logs/log_summary.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"

static const struct {
	const char *text, *pattern;
} rows[] = {
	{ "started 12 of 13.5 in 7ms", "started <n> of <n> in <n>ms" },
	{ "x12 y_3 z", "x<n> y_<n> z" },
	{ "12x", "<n>x" },
	{ "1.2.3", "<n>.<n>" },
	{ "1.", "<n>." },
	{ ".5 a.5", ".<n> a.<n>" },
	{ "at 10.0.0.1 port", "at <addr> port" },
	{ "10.0.0.1:80 up", "<addr> up" },
	{ "10.0.0.255/24 up", "<addr> up" },
	{ "10.0.0.256 up", "<n>.<n> up" },
	{ "10.0.0.1: up", "<addr>: up" },
	{ "10.0.0.1:x up", "<addr>:x up" },
	{ "10.0.0.1x up", "<n>.<n>x up" },
	{ "10.0.0.1/2x", "<n>.<n>/<n>x" },
	{ "10.0.0 up", "<n>.<n> up" },
	{ "1.2.3.4.5", "<addr>.<n>" },
	{ "aa:bb:cc:dd:ee:ff", "<addr>" },
	{ "aa:bb:cc:dd:ee:ff.", "<addr>." },
	{ "aa:bb:cc:dd:ee:ff0", "aa:bb:cc:dd:ee:ff<n>" },
	{ "aa:bb:cc:dd:ee:f", "aa:bb:cc:dd:ee:f" },
	{ "aa:bb:cc:dd:ee-ff", "aa:bb:cc:dd:ee-ff" },
	{ "ag:bb:cc:dd:ee:ff", "ag:bb:cc:dd:ee:ff" },
	{ "12:34:56:78:9a:bc x", "<addr> x" },
	{ "12345678-1234-1234-1234-123456789abc", "<id>" },
	{ "12345678-1234-1234-1234-123456789abcd", "<n>-<n>-<n>-<n>-<id>" },
	{ "12345678-1234-1234-1234-123456789ab", "<n>-<n>-<n>-<n>-<id>" },
	{ "12345678-1234-1234-1234-123456789abg", "<n>-<n>-<n>-<n>-<n>abg" },
	{ "12345678_1234-1234-1234-123456789abc", "<n>_<n>-<n>-<n>-<id>" },
	{ "1234567-1234-1234-1234-123456789abc", "<n>-<n>-<n>-<n>-<id>" },
	{ "12345678-1234-1234-1234-123456789abc_", "<n>-<n>-<n>-<n>-<n>abc_" },
	{ "12345678-1234-1234-1234", "<n>-<n>-<n>-<n>" },
	{ "abcdef12-abcd-abcd-abcd-abcdefabcdef x", "<id> x" },
	{ "0x", "<n>x" },
	{ "0x1", "<id>" },
	{ "0xdeadbeef,", "<id>," },
	{ "0xdeadbeefg", "<n>xdeadbeefg" },
	{ "0x_", "<n>x_" },
	{ "dead", "dead" },
	{ "1ead", "<id>" },
	{ "ea1", "ea<n>" },
	{ "1234", "<n>" },
	{ "12a4_", "<n>a<n>_" },
	{ "12a4z", "<n>a<n>z" },
	{ "12a4Z", "<n>a<n>Z" },
	{ "12a4-b", "<id>-b" },
	{ "A12F", "<id>" },
	{ "face b00c", "face <id>" },
	{ "f0", "f<n>" },
	{ "(f00d)", "(<id>)" },
	{ "zf00d", "zf<n>d" },
	{ "_f00d", "_f<n>d" },
	{ "9f00d", "<id>" },
	{ "a,b", "a,b" },
	{ "Z1 A1 z1 a1 _1 91", "Z<n> A<n> z<n> a<n> _<n> <n>" },
	{ "{1} [2] `3 @4 /5 :6", "{<n>} [<n>] `<n> @<n> /<n> :<n>" },
	{ "3.4.5.6:7.8", "<addr>.<n>" },
	{ "-5 +6", "-<n> +<n>" },
	{ "1.2.3.4 5.6.7.8:9/1", "<addr> <addr>/<n>" },
	{ "\303\2511", "\303\251<n>" },
};

static void variable_parts_of_messages_are_replaced(void **state)
{
	size_t wrong = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct out out;

		out_init(&out);
		log_template_text(str_of(rows[i].text), &out);
		if (!str_eq(out_view(&out), str_of(rows[i].pattern))) {
			print_error("%s: " STR_FMT ", not %s\n", rows[i].text,
				    STR_ARG(out_view(&out)), rows[i].pattern);
			wrong++;
		}
		out_fini(&out);
	}
	assert_int_equal(wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(variable_parts_of_messages_are_replaced),
	};

	return cmocka_run_group_tests_name("log_template", tests, NULL, NULL);
}
