/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "config.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "document/document.h"
#include "formats/load.h"

#define TABLES                                                                                    \
	"\"dictionary\":{\"mappingTable\":[{},{\"filenameStrindex\":7}],"                         \
	"\"locationTable\":[{},{\"mappingIndex\":1,\"line\":[{\"functionIndex\":1}]},"            \
	"{\"mappingIndex\":1,\"lines\":[{\"functionIndex\":2},{\"functionIndex\":1}]}],"          \
	"\"functionTable\":[{},{\"nameStrindex\":5},{\"nameStrindex\":6}],"                       \
	"\"stringTable\":[\"\",\"samples\",\"count\",\"cpu\",\"nanoseconds\",\"main\",\"parse\"," \
	"\"shopd\",\"thread.name\",\"worker\"],"                                                  \
	"\"attributeTable\":[{},{\"keyStrindex\":8,\"value\":{\"stringValue\":\"worker\"}}],"     \
	"\"stackTable\":[{},{\"locationIndices\":[1]},{\"locationIndices\":[2,1]}]}"
#define PROFILE(samples)                                                              \
	"{\"resourceProfiles\":[{\"scopeProfiles\":[{\"profiles\":[{\"sampleType\":"  \
	"{\"typeStrindex\":1,\"unitStrindex\":2},\"periodType\":{\"typeStrindex\":3," \
	"\"unitStrindex\":4}," samples "}]}]}]," TABLES "}"

static int load(struct dossier *d, const char *text, struct error *err)
{
	CLEANUP(document_freep) struct document *doc = NULL;

	assert_int_equal(document_from_memory(str_of(text), NULL, &doc, NULL), OK);
	return load_document(d, doc, "made.json", NULL, err);
}

/* The name of the function at the top of sample @i, and of its caller. */
static struct str function(const struct capture *c, size_t i, bool is_caller)
{
	const struct profile *p = c->profile;
	stack_id at = p->samples.stack.data[i];

	if (is_caller)
		at = stacks_parent(&p->stacks, at);
	return symbols_name(capture_symbols(c), stacks_sym(&p->stacks, at));
}

static void samples_have_stacks_values_and_times(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct error err = { "" };
	const struct profile *p;

	(void)state;
	if (!HAVE_JSON)
		SKIP_TEST("built without json-c");
	assert_int_equal(load(d,
			      PROFILE("\"samples\":[{\"stackIndex\":1,\"values\":[\"3\"]},"
				      "{\"stackIndex\":2,\"attributeIndices\":[1],"
				      "\"timestampsUnixNano\":[\"1767225600000000001\"]}]"),
			      &err),
			 OK);
	assert_int_equal(d->captures.len, 1);
	p = d->captures.data[0]->profile;
	assert_string_equal(d->captures.data[0]->format, "otlp-json");
	assert_str(strings_get(&d->strings, p->event), "cpu");
	assert_int_equal(p->samples.n, 2);
	assert_int_equal(p->samples.weight.data[0], 3);
	assert_str(function(d->captures.data[0], 0, false), "main");
	assert_str(function(d->captures.data[0], 1, false), "parse");
	assert_str(function(d->captures.data[0], 1, true), "main");
	assert_true(p->samples.time_ns.data[1] == UINT64_C(1767225600000000001));
	assert_str(strings_get(&d->strings, p->threads.data[p->samples.thread.data[1]].comm),
		   "worker");
}

static void each_line_may_be_a_document(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct error err = { "" };

	(void)state;
	if (!HAVE_JSON)
		SKIP_TEST("built without json-c");
	assert_int_equal(
		load(d,
		     PROFILE("\"sample\":[{\"stackIndex\":1,\"values\":[3]}]") "\n{\"cut\n" PROFILE(
			     "\"samples\":[{\"stackIndex\":2,\"values\":[\"-4\"]}]") "\n",
		     &err),
		OK);
	assert_int_equal(d->captures.len, 2);
	assert_int_equal(d->captures.data[0]->profile->samples.weight.data[0], 3);
	assert_int_equal(diag_get(&d->captures.data[1]->diag, "otlp-negative-values"), 1);
}

static void releases_without_a_table_of_stacks_are_declined(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct error err = { "" };

	(void)state;
	if (!HAVE_JSON)
		SKIP_TEST("built without json-c");
	assert_int_equal(load(d,
			      "{\"resourceProfiles\":[{}],\"dictionary\":{\"stringTable\":[\"\"]}}",
			      &err),
			 ERR_UNSUPPORTED);
	assert_non_null(strstr(err.msg, "before 1.8"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_have_stacks_values_and_times),
		cmocka_unit_test(each_line_may_be_a_document),
		cmocka_unit_test(releases_without_a_table_of_stacks_are_declined),
	};

	return cmocka_run_group_tests_name("otlp_json", tests, NULL, NULL);
}
