/* SPDX-License-Identifier: MIT */
/* test_base64.c - bytes as base64: the vectors of RFC 4648, and bytes that are no text */
#include "base/text/base64.h"

#include "base/out.h"
#include "unit.h"

static void writes(const char *bytes, size_t n, const char *wanted)
{
	struct out out = { .fd = -1 };

	base64_write(&out, bytes, n);
	assert_str(out_view(&out), wanted);
	out_fini(&out);
}

static void vectors_of_the_standard(void **state)
{
	(void)state;
	writes("", 0, "");
	writes("f", 1, "Zg==");
	writes("fo", 2, "Zm8=");
	writes("foo", 3, "Zm9v");
	writes("foob", 4, "Zm9vYg==");
	writes("fooba", 5, "Zm9vYmE=");
	writes("foobar", 6, "Zm9vYmFy");
}

static void all_bits_are_kept(void **state)
{
	(void)state;
	writes("\xff\xfe\xfb\0", 4, "//77AA==");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vectors_of_the_standard),
		cmocka_unit_test(all_bits_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
