/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/str.h"
#include "core/names/same_job.h"

static bool is_same(const char *a, const char *b)
{
	bool is = same_job(str_of(a), str_of(b));

	assert_true(is == same_job(str_of(b), str_of(a)));
	return is;
}

static void versions_paths_and_sides_of_a_program_do_one_job(void **state)
{
	(void)state;
	assert_true(is_same("./queue --jobs 1000", "./queue --jobs 1000"));
	assert_true(is_same("./pack-old -9 big.tar", "/opt/bin/pack-2.1 -9 big.tar"));
	assert_true(is_same("python3.11 bench.py", "python3.12 bench.py"));
	assert_true(is_same("java -jar app-1.2.jar", "java -jar lib/app-1.3.jar"));
	assert_true(is_same("X=1 ./old/queue", "X=1 ./new/queue"));
	assert_true(is_same("./run before/data", "./run after/data"));
	assert_true(is_same("time ./pack-1.9 big.tar", "time ./pack-2.0 big.tar"));
	assert_true(is_same("sudo time ./pack-old x", "sudo time /opt/pack-new x"));
}

static void the_file_of_the_output_is_no_difference(void **state)
{
	(void)state;
	assert_true(is_same("time ./pack x > /dev/null", "time ./pack x > out.txt"));
	assert_true(is_same("./pack x >old.log 2>&1", "./pack x"));
	assert_true(is_same("./pack x 2> a.log", "./pack x 2>> b.log"));
	assert_false(is_same("./pack < small.txt", "./pack < large.txt"));
	assert_false(is_same("./pack 5>6", "./pack 5>7"));
}

static void other_arguments_and_programs_do_other_jobs(void **state)
{
	(void)state;
	assert_false(is_same("./app --rows 1000000", "./app --rows 10000000"));
	assert_false(is_same("./app -t 4", "./app -t 8"));
	assert_false(is_same("./indexer", "./query"));
	assert_false(is_same("./app", "./app -v"));
	assert_false(is_same("X=1 ./app", "X=2 ./app"));
	assert_false(is_same("cat data.1", "cat data.2"));
	assert_false(is_same("time tree linux > /dev/null", "time ls test > /dev/null"));
	assert_false(is_same("time ./run pack-1.9", "time ./run pack-2.0"));
	assert_true(is_same("", ""));
	assert_false(is_same("", "./app"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(versions_paths_and_sides_of_a_program_do_one_job),
		cmocka_unit_test(the_file_of_the_output_is_no_difference),
		cmocka_unit_test(other_arguments_and_programs_do_other_jobs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
