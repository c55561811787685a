/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "core/names/arguments.h"

static const char *shorten(struct str text, bool is_name, const char *instead)
{
	static char buffer[256];
	struct out out = { .fd = -1 };

	(void)arguments_shorten(text, is_name, instead, &out);
	assert_true(out.len < sizeof(buffer));
	for (size_t i = 0; i < out.len; i++) /* without output, out.data is NULL */
		buffer[i] = out.data[i];
	buffer[out.len] = '\0';
	out_fini(&out);
	return buffer;
}

static void argument_lists_of_qualified_names_are_replaced(void **state)
{
	(void)state;
	assert_string_equal(shorten(STR("ns::Queue::push(int, char**)"), true, "(…)"),
			    "ns::Queue::push(…)");
	assert_string_equal(shorten(STR("30 % in 'ns::push(ns::Row*)' (self)"), false, ""),
			    "30 % in 'ns::push' (self)");
	assert_string_equal(shorten(STR("ns::Less::operator()(int, int) const"), true, "(…)"),
			    "ns::Less::operator()(…) const");
	assert_string_equal(shorten(STR("(anonymous namespace)::fill(int*)"), true, "(…)"),
			    "(anonymous namespace)::fill(…)");
}

static void other_brackets_stay(void **state)
{
	static const char *const texts[] = {
		"main.(*Server).Serve",
		"Depot.stop(Depot.java:12)",
		"openat(AT_FDCWD, 3)",
		"ns::push()",
		"ns::push(ns::Row",
		"3 of 4 (75 %)",
		"",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		assert_string_equal(shorten(str_of(texts[i]), true, "(…)"), texts[i]);
}

static void types_at_the_end_of_a_plain_name_are_replaced_in_names_only(void **state)
{
	(void)state;
	assert_string_equal(shorten(STR("sort_rows(std::vector<int>&)"), true, "(…)"),
			    "sort_rows(…)");
	assert_string_equal(shorten(STR("sort_rows(char*)"), true, "(…)"), "sort_rows(…)");
	assert_string_equal(shorten(STR("sort_rows(char*)"), false, "(…)"), "sort_rows(char*)");
}

static void a_name_is_stripped_of_its_list(void **state)
{
	(void)state;
	assert_str(arguments_strip(STR("ns::push(int)")), "ns::push");
	assert_str(arguments_strip(STR("ns::Less::operator()(int) const")), "ns::Less::operator()");
	assert_str(arguments_strip(STR("ns::push(int")), "ns::push(int");
	assert_str(arguments_strip(STR("push(int)")), "push(int)");
	assert_str(arguments_strip(STR("std::function<void (int)>::call")),
		   "std::function<void (int)>::call");
}

static void namespaces_are_skipped_then_the_class(void **state)
{
	struct str head;
	struct str rest;

	(void)state;
	rest = arguments_skip_namespace(STR("[.] a::i::b::c(…)"), &head);
	assert_str(rest, "b::c(…)");
	assert_str(head, "[.] ");
	assert_str(arguments_skip_namespace(rest, &head), "c(…)");
	rest = arguments_skip_namespace(STR("[.] a::T* a::b<x::y>(…)"), &head);
	assert_str(head, "[.] ");
	assert_str(rest, "b<x::y>(…)");
	assert_str(arguments_skip_namespace(STR("b<x::y>(…)"), &head), "");
	assert_str(arguments_skip_namespace(STR("plain"), &head), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(argument_lists_of_qualified_names_are_replaced),
		cmocka_unit_test(other_brackets_stay),
		cmocka_unit_test(types_at_the_end_of_a_plain_name_are_replaced_in_names_only),
		cmocka_unit_test(a_name_is_stripped_of_its_list),
		cmocka_unit_test(namespaces_are_skipped_then_the_class),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
