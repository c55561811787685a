/* SPDX-License-Identifier: MIT */
/* Rules about kinds of work: costly-work and hot-caller. Weights are per mille. */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "explain/findings.h"
#include "made.h"

#include <stdio.h>

/* @stack with @weight of 1000 samples; the rest is in small functions of the program. */
static void made_share(struct made *m, const char *stack, unsigned int weight)
{
	char text[4096];
	size_t used = (size_t)snprintf(text, sizeof(text), "%s %u\n", stack, weight);

	for (unsigned int i = 0, rest = 1000 - weight; rest; i++) {
		unsigned int one = rest < 90 ? rest : 90;

		used += (size_t)snprintf(text + used, sizeof(text) - used, "db;main;step_%u %u\n",
					 i, one);
		rest -= one;
	}
	made_run(m, NULL, text);
}

static void work_is_a_note_from_ten_percent_on(void **state)
{
	static const struct {
		unsigned int weight;
		int severity; /* -1: no finding */
	} cases[] = {
		{ 99, -1 }, { 100, FINDING_NOTE }, { 399, FINDING_NOTE }, { 400, FINDING_WARNING }
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct made m;
		const struct finding *f;

		made_share(&m, "db;main;load;std::vector<int>::_M_realloc_insert<int>(int&&)",
			   cases[i].weight);
		f = made_found(&m, "costly-work", "");
		assert_int_equal(f ? (int)f->severity : -1, cases[i].severity);
		assert_true(!f || (f->sure == 70 && f->cause.len && f->next.len));
		made_end(&m);
	}
}

static void what_programs_are_for_stays_a_note(void **state)
{
	struct made m;

	(void)state;
	made_share(&m, "db;main;pack;sws_scale", 900);
	assert_int_equal(made_found(&m, "costly-work", "coding pictures")->severity, FINDING_NOTE);
	made_end(&m);
	made_share(&m, "db;main;rank;std::__introsort_loop", 900);
	assert_int_equal(made_found(&m, "costly-work", "sorting")->severity, FINDING_NOTE);
	made_end(&m);
	made_share(&m, "db;main;find;memcmp", 900);
	assert_int_equal(made_found(&m, "costly-work", "comparing")->severity, FINDING_NOTE);
	made_end(&m);
}

static void the_caller_is_neither_a_library_nor_a_wrapper(void **state)
{
	struct made m;
	const struct finding *f;

	(void)state;
	made_run(&m, NULL,
		 "db;main;start_thread;Table::fill(int);std::vector<int>::push_back(int const&);"
		 "void std::vector<int>::_M_realloc_insert<int>(int&&);__cxa_throw 600\n"
		 "db;main;other 80\ndb;main;more 80\ndb;main;third 80\ndb;main;fourth 80\n"
		 "db;main;fifth 80\n");
	/* exceptions are nearly all of the library work that the application calls */
	f = made_found(&m, "costly-work", "exceptions");
	assert_non_null(f);
	assert_true(str_contains(f->claim, STR("all called from Table::fill")));
	made_end(&m);
}

static void a_wrapper_by_its_name_is_looked_through(void **state)
{
	struct made m;

	(void)state;
	made_run(&m, NULL,
		 "db;main;join;row_compare;wcscoll 500\n"
		 "db;main;a 100\ndb;main;b 100\ndb;main;c 100\ndb;main;d 100\ndb;main;e 100\n");
	assert_non_null(made_found(&m, "costly-work", "called from row_compare, from join"));
	made_end(&m);
}

static void work_of_the_kernel_names_the_program_too(void **state)
{
	struct made m;

	(void)state;
	made_run(&m, NULL,
		 "db;main;reload;read;do_syscall_64_[k];ksys_read_[k];demo_fs_get_[k];"
		 "rep_movs_alternative_[k] 500\n"
		 "db;main;a 100\ndb;main;b 100\ndb;main;c 100\ndb;main;d 100\ndb;main;e 100\n");
	assert_non_null(made_found(&m, "costly-work", "called from demo_fs_get, from reload"));
	made_end(&m);
}

static void without_callers_more_is_wanted(void **state)
{
	struct made m;

	(void)state;
	made_run(&m, NULL, "app;getaddrinfo 149\napp;a 283\napp;b 284\napp;c 284\n");
	assert_null(made_found(&m, "costly-work", ""));
	made_end(&m);
	made_run(&m, NULL, "app;getaddrinfo 150\napp;a 283\napp;b 283\napp;c 284\n");
	assert_non_null(made_found(&m, "costly-work", "resolving names"));
	made_end(&m);
}

static void traffic_of_servers_is_a_note_from_forty_percent_on(void **state)
{
	struct made m;

	(void)state;
	made_share(&m, "db;main;answer;curl_easy_perform", 399);
	assert_null(made_found(&m, "costly-work", ""));
	made_end(&m);
	made_share(&m, "db;main;answer;curl_easy_perform", 400);
	assert_int_equal(made_found(&m, "costly-work", "sockets")->severity, FINDING_NOTE);
	made_end(&m);
}

static void without_callers_the_programs_own_code_is_listed(void **state)
{
	struct made m;
	const struct finding *f;
	bool is_listed = false;

	(void)state;
	made_run(&m, NULL,
		 "app;getaddrinfo 500\napp;own_code 90\napp;a 80\napp;b 80\napp;c 80\napp;d "
		 "80\napp;e 90\n");
	f = made_found(&m, "costly-work", "resolving names");
	assert_non_null(f);
	assert_int_equal(f->sure, 60);
	assert_true(str_contains(f->next.data[0], STR("perf record -g: who calls 'getaddrinfo'")));
	/* they are no evidence of the work */
	VEC_FOREACH (e, &f->evidence)
		is_listed |= str_contains(e->text, STR("own_code"));
	assert_false(is_listed);
	assert_true(str_contains(f->sure_because, STR("(perhaps own_code or e)")));
	made_end(&m);
}

static void a_collector_has_no_caller(void **state)
{
	struct made m;
	const struct finding *f;

	(void)state;
	made_run(&m, NULL,
		 "vm;main;run_all;ir_tree;PhaseChaitin::Split 500\nvm;main;a 250\nvm;main;b 250\n");
	f = made_found(&m, "costly-work", "compiling");
	assert_non_null(f);
	assert_false(str_contains(f->claim, STR("under")));
	made_end(&m);
}

static void what_another_rule_explains_is_not_said_again(void **state)
{
	struct made m;

	(void)state;
	made_share(&m, "db;main;load;malloc", 500);
	assert_non_null(made_found(&m, "malloc-churn", ""));
	assert_null(made_found(&m, "costly-work", ""));
	made_end(&m);
}

static void faults_are_no_time(void **state)
{
	struct made m;
	const struct finding *f;

	(void)state;
	made_run(&m, "page-faults",
		 "db;main;load;java.util.zip.Deflater.deflate 800\ndb;main;a 200\n");
	f = made_found(&m, "costly-work", "page faults are in compressing");
	assert_non_null(f);
	assert_int_equal(f->severity, FINDING_NOTE);
	made_end(&m);
}

/* Twelve kinds of library work below one function, each with @weight of 1200 samples. */
static void made_spread(struct made *m, unsigned int weight)
{
	static const char *const leaves[] = { "qsort",  "getaddrinfo", "__divti3", "clock_gettime",
					      "rand",   "syslog",      "iconv",    "exp",
					      "printf", "setlocale",   "mpz_mul",  "sws_scale" };
	char text[4096];
	size_t used = 0;

	for (size_t i = 0; i < ARRAY_LEN(leaves); i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "db;main;digest;%s %u\n",
					 leaves[i], weight);
	for (size_t i = 0; i < 16; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "db;main;step_%zu %u\n",
					 i, (1200 - weight * 12) / 16);
	made_run(m, NULL, text);
}

static void a_function_behind_many_small_ones_is_named(void **state)
{
	struct made m;
	const struct finding *f;

	(void)state;
	made_spread(&m, 60);
	f = made_found(&m, "hot-caller",
		       "digest accounts for 60.0 % of the profile: 0.0 % in its own");
	assert_non_null(f);
	assert_int_equal(f->severity, FINDING_NOTE);
	made_end(&m);
	/* 20 % of the profile, and 19 % */
	made_spread(&m, 20);
	assert_non_null(made_found(&m, "hot-caller", "digest"));
	made_end(&m);
	made_spread(&m, 19);
	assert_null(made_found(&m, "hot-caller", ""));
	made_end(&m);
}

static void a_function_that_is_hot_itself_is_no_caller(void **state)
{
	struct made m;

	(void)state;
	made_run(&m, NULL,
		 "db;main;crunch 700\ndb;main;crunch;strtod 40\ndb;main;x 130\ndb;main;y 130\n");
	assert_null(made_found(&m, "hot-caller", ""));
	made_end(&m);
}

static void names_say_what_code_is_about(void **state)
{
	struct made m;
	const struct finding *f;

	(void)state;
	made_share(&m, "db;main;run_all;field_parse", 600);
	f = made_found(&m, "hot-function", "field_parse");
	assert_non_null(f);
	assert_true(str_contains(f->cause, STR("Possibly parsing text, by its name")));
	assert_true(f->cause_is_usual);
	made_end(&m);
}

static void findings_say_how_much_they_account_for(void **state)
{
	struct made m;
	const struct finding *f;

	(void)state;
	/* five functions of one kind are one cost; the program's own code is no cause */
	made_run(&m, NULL,
		 "db;main;x;getaddrinfo 120\ndb;main;x;gaih_inet 100\ndb;main;x;__res_query 90\n"
		 "db;main;x;freeaddrinfo 80\ndb;main;x;getnameinfo 60\ndb;main;x 300\n"
		 "db;main;y 250\n");
	f = made_found(&m, "costly-work", "45.0 % of the profile is resolving names");
	assert_non_null(f);
	assert_int_equal(m.f.accounts.len, 1);
	assert_near(m.f.accounts.data[0].pct, 45, 1e-9);
	assert_int_equal(f->subjects.data[0].role, SUBJECT_EXPLAINED);
	assert_near(f->subjects.data[0].share, 12, 1e-9);
	made_end(&m);
	/* no finding explains the time, so that nothing is accounted for */
	made_run(&m, NULL, "db;main;crunch 900\ndb;main;x 50\ndb;main;y 50\n");
	assert_non_null(made_found(&m, "hot-function", ""));
	assert_int_equal(m.f.accounts.len, 0);
	made_end(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(work_is_a_note_from_ten_percent_on),
		cmocka_unit_test(what_programs_are_for_stays_a_note),
		cmocka_unit_test(the_caller_is_neither_a_library_nor_a_wrapper),
		cmocka_unit_test(a_wrapper_by_its_name_is_looked_through),
		cmocka_unit_test(work_of_the_kernel_names_the_program_too),
		cmocka_unit_test(without_callers_more_is_wanted),
		cmocka_unit_test(traffic_of_servers_is_a_note_from_forty_percent_on),
		cmocka_unit_test(without_callers_the_programs_own_code_is_listed),
		cmocka_unit_test(a_collector_has_no_caller),
		cmocka_unit_test(what_another_rule_explains_is_not_said_again),
		cmocka_unit_test(faults_are_no_time),
		cmocka_unit_test(a_function_behind_many_small_ones_is_named),
		cmocka_unit_test(a_function_that_is_hot_itself_is_no_caller),
		cmocka_unit_test(names_say_what_code_is_about),
		cmocka_unit_test(findings_say_how_much_they_account_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
