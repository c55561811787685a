/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/kinds/counters.h"
#include "document/document.h"
#include "formats/format.h"
#include "formats/load.h"

DECLARE_FORMAT(docker_memory);

static const struct counter *row_of(const struct capture *c, const char *name)
{
	assert_string_equal(c->format, "docker-memory");
	return counters_find(c->counters, capture_strings(c), STR("docker memory_stats"),
			     str_of(name));
}

static void numbers_of_the_object_are_counters(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(document_freep) struct document *doc = NULL;
	const struct capture *c;

	(void)state;
	assert_int_equal(document_from_memory(STR("The API shows:\n"
						  "  \"memory_stats\": {\n"
						  "    \"stats\": {\n"
						  "      \"cache\": 477001,\n"
						  "      \"rss\" : 345002,\n"
						  "    },\n"
						  "    \"version\": \"12\",\n"
						  "    \"usage\": 822003\n"
						  "  },\n"
						  "  \"cpu_stats\": { \"online_cpus\": 4 }\n"),
					      NULL, &doc, NULL),
			 OK);
	assert_int_equal(load_document(d, doc, "made.txt", NULL, NULL), OK);
	assert_int_equal(d->captures.len, 1);
	c = d->captures.data[0];
	assert_int_equal(c->counters->rows.len, 3);
	assert_near(counter_value(row_of(c, "cache")), 477001, 1e-9);
	assert_int_equal(row_of(c, "cache")->line, 4);
	assert_near(counter_value(row_of(c, "rss")), 345002, 1e-9);
	assert_near(counter_value(row_of(c, "usage")), 822003, 1e-9);
	assert_int_equal(row_of(c, "usage")->line, 8);
}

static void two_objects_on_a_line_are_two_captures(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(document_freep) struct document *doc = NULL;

	(void)state;
	assert_int_equal(
		document_from_memory(STR("[{\"memory_stats\":{\"usage\":11,\"limit\":12}},"
					 "{\"memory_stats\":{\"usage\":13,\"limit\":14}}]\n"),
				     NULL, &doc, NULL),
		OK);
	assert_int_equal(load_document(d, doc, "made.txt", NULL, NULL), OK);
	assert_int_equal(d->captures.len, 2);
	assert_near(counter_value(row_of(d->captures.data[0], "usage")), 11, 1e-9);
	assert_near(counter_value(row_of(d->captures.data[1], "limit")), 14, 1e-9);
}

static void an_object_without_two_numbers_is_none(void **state)
{
	static const char *const texts[] = {
		"\"memory_stats\": {}\n\"usage\": 12,\n\"limit\": 13\n",
		"\"memory_stats\": { \"usage\": 12 }, \"limit\": 13\n",
		"\"memory_stats\": [ \"usage\": 12, \"limit\": 13 ]\n",
		"memory_stats/usage is 12 and not 13\n",
		"\"memory_stats\": {",
		"\"memory_stats",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct extent e;

		assert_false(format_docker_memory.find(str_of(texts[i]), 0, &e));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_of_the_object_are_counters),
		cmocka_unit_test(two_objects_on_a_line_are_two_captures),
		cmocka_unit_test(an_object_without_two_numbers_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
