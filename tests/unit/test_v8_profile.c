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
#include "core/symbols.h"
#include "document/document.h"
#include "formats/format.h"
#include "formats/load.h"

#define FRAME(name, url, line)                                                           \
	"\"callFrame\":{\"functionName\":\"" name "\",\"scriptId\":\"1\",\"url\":\"" url \
	"\",\"lineNumber\":" line ",\"columnNumber\":0}"
#define NODES                                                                          \
	"{\"nodes\":[{\"id\":1," FRAME(                                                \
		"(root)", "",                                                          \
		"-1") ",\"hitCount\":0,\"children\":[2,4]},"                           \
		      "{\"id\":2," FRAME("pack", "file:///srv/depot/pack.js",          \
					 "9") ",\"hitCount\":1,\"children\":[3]},"     \
					      "{\"id\":3," FRAME(                      \
						      "", "file:///srv/depot/pack.js", \
						      "41") ",\"hitCount\":2},"        \
							    "{\"id\":4," FRAME(        \
								    "(idle)", "",      \
								    "-1") ",\"hitCount\":1}],"

static struct dossier *loaded(const char *text)
{
	CLEANUP(document_freep) struct document *doc = NULL;
	struct dossier *d = dossier_new();

	assert_int_equal(document_from_memory(str_of(text), NULL, &doc, NULL), OK);
	assert_int_equal(load_document(d, doc, "made.json", NULL, NULL), OK);
	assert_int_equal(d->captures.len, 1);
	assert_string_equal(d->captures.data[0]->format, "v8-profile");
	return d;
}

/* The innermost function of sample @i, and its weight. */
static struct str sample_of(const struct dossier *d, size_t i, uint64_t *ret)
{
	const struct profile *p = d->captures.data[0]->profile;
	stack_id at = p->samples.stack.data[i];

	*ret = p->samples.weight.data[i];
	return symbols_name(&d->symbols, stacks_sym(&p->stacks, at));
}

static void a_sample_lasts_until_the_next_one(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d =
		loaded(NODES "\"startTime\":1000,\"endTime\":2000,\"samples\":[2,3,4,3],"
			     "\"timeDeltas\":[100,200,300,50]}");
	const struct profile *p = d->captures.data[0]->profile;
	uint64_t ns;

	(void)state;
	assert_int_equal(p->unit, WEIGHT_NS);
	assert_int_equal(p->n_samples, 4);
	assert_str(sample_of(d, 0, &ns), "pack");
	assert_int_equal(ns, 200000);
	/* without a name: script and line, counted from 1 */
	assert_str(sample_of(d, 1, &ns), "(anonymous) pack.js:42");
	assert_int_equal(ns, 300000);
	assert_str(sample_of(d, 2, &ns), "(idle)");
	assert_int_equal(ns, 50000);
	/* the last one until the end: 1000 - 650 us */
	assert_str(sample_of(d, 3, &ns), "(anonymous) pack.js:42");
	assert_int_equal(ns, 350000);
}

static void without_times_hits_are_counted(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = loaded(NODES "\"startTime\":1,\"endTime\":2}");
	const struct profile *p = d->captures.data[0]->profile;
	uint64_t n;

	(void)state;
	assert_int_equal(p->unit, WEIGHT_SAMPLES);
	assert_int_equal(p->samples.n, 3);
	assert_str(sample_of(d, 1, &n), "(anonymous) pack.js:42");
	assert_int_equal(n, 2);
}

static void a_sample_of_an_unknown_node_is_counted(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = loaded(
		NODES "\"startTime\":0,\"endTime\":9,\"samples\":[2,77],\"timeDeltas\":[1,2]}");

	(void)state;
	assert_int_equal(d->captures.data[0]->profile->samples.n, 1);
	assert_int_equal(diag_get(&d->captures.data[0]->diag, "v8-profile-unknown-node"), 1);
}

static void a_cycle_of_nodes_ends(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = loaded("{\"nodes\":[{\"id\":1," FRAME(
		"a", "", "0") ",\"hitCount\":1,\"children\":[2]},"
			      "{\"id\":2," FRAME("b", "", "0") ",\"hitCount\":1,\"children\":[1]}],"
							       "\"startTime\":0,\"endTime\":1}");

	(void)state;
	assert_int_equal(d->captures.data[0]->profile->samples.n, 2);
	assert_int_equal(diag_get(&d->captures.data[0]->diag, "v8-profile-deep"), 1);
}

static void a_heap_profile_has_bytes(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = loaded("{\"head\":{" FRAME(
		"(root)", "",
		"-1") ",\"selfSize\":0,\"id\":1,\"children\":["
		      "{" FRAME("pack", "file:///srv/depot/pack.js",
				"9") ",\"selfSize\":100,\"id\":2,"
				     "\"children\":[{" FRAME(
					     "label", "",
					     "3") ",\"selfSize\":900,\"id\":3,\"children\":[]}]}]},"
						  "\"samples\":[]}");
	uint64_t bytes;

	(void)state;
	assert_int_equal(d->captures.data[0]->profile->unit, WEIGHT_BYTES);
	assert_int_equal(d->captures.data[0]->profile->samples.n, 2);
	assert_str(sample_of(d, 1, &bytes), "label");
	assert_int_equal(bytes, 900);
}

static void profiles_need_json(void **state)
{
	(void)state;
	SKIP_TEST("no json-c in this build");
}

int main(void)
{
	const struct CMUnitTest none[] = { cmocka_unit_test(profiles_need_json) };
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sample_lasts_until_the_next_one),
		cmocka_unit_test(without_times_hits_are_counted),
		cmocka_unit_test(a_sample_of_an_unknown_node_is_counted),
		cmocka_unit_test(a_cycle_of_nodes_ends),
		cmocka_unit_test(a_heap_profile_has_bytes),
	};

	return HAVE_JSON ? cmocka_run_group_tests(tests, NULL, NULL)
			 : cmocka_run_group_tests(none, NULL, NULL);
}
