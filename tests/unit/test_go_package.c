/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/names/go_package.h"

/* Compare @text, shortened with the packages of the functions @names, with @wanted. */
static void assert_short(const char *const *names, const char *text, const char *wanted)
{
	struct go_packages g = { .rows = VEC_INIT };
	struct out out = { .fd = -1 };

	for (size_t i = 0; names[i]; i++)
		go_packages_add(&g, str_of(names[i]));
	go_packages_finish(&g);
	assert_int_equal(go_packages_shorten(&g, str_of(text), &out), strcmp(text, wanted) != 0);
	assert_str(out_view(&out), wanted);
	out_fini(&out);
	go_packages_fini(&g);
}

static const char *const mill[] = { "example.org/mill/loom.(*Shed).weave",
				    "example.org/mill/loom.New",
				    "example.org/dye/v2.Mix",
				    "net/http.(*Server).Serve",
				    "main.main",
				    NULL };

static void paths_of_packages_are_left_out(void **state)
{
	(void)state;
	assert_short(mill, "example.org/mill/loom.(*Shed).weave has 12 %",
		     "loom.(*Shed).weave has 12 %");
	assert_short(mill, "[.] net/http.(*Server).Serve, called by 'example.org/mill/loom.New'",
		     "[.] http.(*Server).Serve, called by 'loom.New'");
	assert_short(mill, "main.grow[example.org/mill/loom.Shed]", "main.grow[loom.Shed]");
}

static void a_version_is_no_name(void **state)
{
	(void)state;
	assert_short(mill, "example.org/dye/v2.Mix", "dye.Mix");
}

static void a_name_of_two_packages_stays(void **state)
{
	static const char *const two[] = { "example.org/a/loom.New", "example.org/b/loom.Old",
					   "example.org/b/yarn.Old", NULL };
	static const char *const plain[] = { "example.org/a/sort.By", "sort.Slice", NULL };

	(void)state;
	assert_short(two, "example.org/a/loom.New example.org/b/yarn.Old",
		     "example.org/a/loom.New yarn.Old");
	assert_short(plain, "example.org/a/sort.By", "example.org/a/sort.By");
}

static void other_texts_stay(void **state)
{
	static const char *const files[] = { "lib/shed.py", "src/loom.c:12", "lib/libloom.so.2",
					     "kworker/0", NULL };

	(void)state;
	assert_short(mill, "https://example.org/mill/loom.New",
		     "https://example.org/mill/loom.New");
	assert_short(mill, "example.org/mill/loom.go:12", "example.org/mill/loom.go:12");
	assert_short(mill, "other.org/mill/loom.New", "other.org/mill/loom.New");
	assert_short(files, "lib/shed.py src/loom.c:12 lib/libloom.so.2 kworker/0",
		     "lib/shed.py src/loom.c:12 lib/libloom.so.2 kworker/0");
	assert_short(mill, "", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_of_packages_are_left_out),
		cmocka_unit_test(a_version_is_no_name),
		cmocka_unit_test(a_name_of_two_packages_stays),
		cmocka_unit_test(other_texts_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
