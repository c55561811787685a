/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "symbols/elf_symbols.h"
#include "symbols/origin.h"

#define S      UINT64_C(1000000000)
#define FIXED  UINT64_C(0xffffffff81000000)
#define RANDOM UINT64_C(0xffffffff9d400000)
#define NOW    (UINT64_C(1700000000) * S)
#define UPTIME (UINT64_C(3600) * S)
#define KERNEL_ID                 \
	{                         \
		{ 1, 2, 3, 4 }, 4 \
	}
#define OTHER_ID                  \
	{                         \
		{ 1, 2, 3, 5 }, 4 \
	}

static const struct origin_facts here = {
	.release = { "6.1.0", 5 },
	.host = { "web7", 4 },
	.arch = { "x86_64", 6 },
	.kernel = KERNEL_ID,
	.text = RANDOM,
	.text_ends = { RANDOM + 0xe0bb08, RANDOM + 0x1a00000, RANDOM + 0x2c00000 },
	.uptime_ns = UPTIME,
	.wall_ns = NOW,
};

/* Facts of a recording on this machine, without a build id. */
static struct origin_facts recorded(void)
{
	struct origin_facts f = here;

	f.kernel.len = 0;
	f.text_ends[1] = f.text_ends[2] = 0;
	f.uptime_ns = UPTIME - 60 * S;
	f.wall_ns = NOW - 59 * S;
	return f;
}

/* A recording without a header: left by an interrupted perf record, or an old one from a pipe. */
static struct origin_facts headerless(void)
{
	struct origin_facts f = recorded();

	f.release = f.host = f.arch = STR_NONE;
	return f;
}

static void expect(const struct origin_facts *f, enum origin kernel, enum origin machine,
		   const char *why)
{
	struct error err = { "" };

	assert_int_equal(origin_kernel(f, &here, &err), kernel);
	if (why && kernel != ORIGIN_SAME)
		assert_non_null(strstr(err.msg, why));
	assert_int_equal(origin_machine(f, &here, &err), machine);
	if (why)
		assert_non_null(strstr(err.msg, why));
}

static void host_release_and_boot_of_this_machine_prove_it(void **state)
{
	struct origin_facts f = recorded();

	(void)state;
	expect(&f, ORIGIN_SAME, ORIGIN_SAME, NULL);
	f.text = f.text_ends[0] = f.uptime_ns = f.wall_ns = 0; /* everything known is equal */
	expect(&f, ORIGIN_SAME, ORIGIN_SAME, NULL);
}

static void another_release_host_or_architecture_is_another_machine(void **state)
{
	struct origin_facts f = recorded();

	(void)state;
	f.release = STR("6.1.1");
	expect(&f, ORIGIN_OTHER, ORIGIN_OTHER,
	       "the recorded kernel is 6.1.1, this machine's is 6.1.0");
	f = recorded();
	f.host = STR("web8");
	expect(&f, ORIGIN_OTHER, ORIGIN_OTHER, "the recorded host is web8");
	f = recorded();
	f.arch = STR("aarch64");
	expect(&f, ORIGIN_OTHER, ORIGIN_OTHER, "the recorded architecture is aarch64");
}

static void another_version_of_the_same_release_has_another_size(void **state)
{
	struct origin_facts f = recorded();

	(void)state;
	f.text_ends[0] += 8;
	expect(&f, ORIGIN_OTHER, ORIGIN_OTHER, "of another size");
	f.text_ends[0] = UINT64_C(0xffffffffc0000000); /* perf 3.x: text up to the modules */
	expect(&f, ORIGIN_SAME, ORIGIN_SAME, NULL);
	f.text_ends[0] = here.text_ends[1]; /* the text extends to _edata */
	expect(&f, ORIGIN_SAME, ORIGIN_SAME, NULL);
}

static void another_boot_is_another_machine(void **state)
{
	struct origin_facts f = recorded();

	(void)state;
	f.text = FIXED;
	f.text_ends[0] = FIXED + 0xe0bb08;
	expect(&f, ORIGIN_OTHER, ORIGIN_OTHER, "at another address");
	f = recorded();
	f.uptime_ns = UPTIME + 60 * S; /* longer than this machine's uptime */
	expect(&f, ORIGIN_OTHER, ORIGIN_OTHER, "started after the recording");
	f = recorded();
	f.wall_ns = NOW - UPTIME - 60 * S; /* written before the machine started */
	expect(&f, ORIGIN_OTHER, ORIGIN_OTHER, "started after the recording");
	f = recorded();
	f.wall_ns = NOW - UPTIME / 2; /* written when this machine was not up that long */
	expect(&f, ORIGIN_OTHER, ORIGIN_OTHER, "started after the recording");
}

static void equal_build_ids_prove_the_kernel_and_not_the_machine(void **state)
{
	struct origin_facts f = recorded();

	(void)state;
	f.kernel = here.kernel;
	expect(&f, ORIGIN_SAME, ORIGIN_SAME, NULL);
	f.host = STR("web8");
	expect(&f, ORIGIN_SAME, ORIGIN_OTHER, "the recorded host is web8");
	f = recorded();
	f.kernel = here.kernel;
	f.text = FIXED; /* rebooted since */
	expect(&f, ORIGIN_SAME, ORIGIN_OTHER, "at another address");
	f = headerless();
	f.kernel = here.kernel;
	f.text = 0;
	expect(&f, ORIGIN_SAME, ORIGIN_OPEN, "nothing in the recording proves");
}

static void different_build_ids_are_another_kernel_whatever_the_header_says(void **state)
{
	struct origin_facts f = recorded();

	(void)state;
	f.kernel = (struct build_id)OTHER_ID;
	expect(&f, ORIGIN_OTHER, ORIGIN_OTHER, "another kernel than the running one");
}

static void without_a_header_the_place_of_the_kernel_must_prove_it(void **state)
{
	struct origin_facts f = headerless();
	struct origin_facts fixed = here;
	struct error err = { "" };

	(void)state;
	/* randomised load address: only this boot has it */
	expect(&f, ORIGIN_SAME, ORIGIN_SAME, NULL);
	f.text = f.text_ends[0] = 0;
	expect(&f, ORIGIN_OPEN, ORIGIN_OPEN, "nothing in the recording proves");
	/* if every kernel has the same load address, the end of its text decides */
	fixed.text = FIXED;
	fixed.text_ends[0] = FIXED + 0xe0bb08;
	f = headerless();
	f.text = FIXED;
	f.text_ends[0] = 0;
	assert_int_equal(origin_kernel(&f, &fixed, &err), ORIGIN_OPEN);
	f.text_ends[0] = FIXED + 0xe0bb08;
	assert_int_equal(origin_kernel(&f, &fixed, &err), ORIGIN_SAME);
	assert_int_equal(origin_machine(&f, &fixed, &err), ORIGIN_OPEN);
}

static void a_host_name_that_many_machines_have_proves_nothing(void **state)
{
	struct origin_facts f = recorded();
	struct origin_facts local = here;

	(void)state;
	local.host = f.host = STR("localhost");
	f.text = f.text_ends[0] = 0;
	assert_int_equal(origin_kernel(&f, &local, NULL), ORIGIN_OPEN);
	assert_int_equal(origin_machine(&f, &local, NULL), ORIGIN_OPEN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(host_release_and_boot_of_this_machine_prove_it),
		cmocka_unit_test(another_release_host_or_architecture_is_another_machine),
		cmocka_unit_test(another_version_of_the_same_release_has_another_size),
		cmocka_unit_test(another_boot_is_another_machine),
		cmocka_unit_test(equal_build_ids_prove_the_kernel_and_not_the_machine),
		cmocka_unit_test(different_build_ids_are_another_kernel_whatever_the_header_says),
		cmocka_unit_test(without_a_header_the_place_of_the_kernel_must_prove_it),
		cmocka_unit_test(a_host_name_that_many_machines_have_proves_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
