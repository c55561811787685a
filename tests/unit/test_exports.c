/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/paths.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "document/document.h"
#include "formats/load.h"

#include "config.h"

static struct dossier *load_text(struct str text, int want)
{
	struct dossier *d = dossier_new();
	struct document *doc = NULL;

	assert_int_equal(document_from_memory(text, NULL, &doc, NULL), OK);
	assert_int_equal(load_document(d, doc, "test", NULL, NULL), want);
	document_free(doc);
	return d;
}

static void a_trace_nests_by_time_and_by_pairs(void **state)
{
	struct dossier *d;
	struct calls *c;

	(void)state;
	if (!HAVE_JSON)
		SKIP_TEST("no json-c in this build");
	d = load_text(
		STR("[{\"name\":\"late\",\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":7,\"dur\":2},"
		    "{\"name\":\"outer\",\"ph\":\"B\",\"pid\":1,\"tid\":1,\"ts\":0.5},"
		    "{\"name\":\"inner\",\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":3.25},"
		    "{\"name\":\"open\",\"ph\":\"B\",\"pid\":1,\"tid\":2,\"ts\":1},"
		    "{\"ph\":\"E\",\"pid\":1,\"tid\":1,\"ts\":10.5},"
		    "{\"ph\":\"E\",\"pid\":1,\"tid\":1,\"ts\":11},"),
		OK);
	c = d->captures.data[0]->calls;
	assert_int_equal(c->n, 4);
	assert_str(symbols_name(&d->symbols, c->sym.data[0]), "outer");
	assert_int_equal(calls_duration(c, 0), 10000);
	assert_int_equal(c->start_ns.data[0], 500);
	assert_int_equal(c->parent.data[1], 0);
	assert_int_equal(calls_duration(c, 1), 3250);
	assert_int_equal(c->parent.data[2], 0);
	assert_int_equal(c->state.data[3] & CALL_STATE_MASK, CALL_OPEN);
	assert_int_equal(diag_get(&d->captures.data[0]->diag, "chrome-trace-unopened"), 1);
	assert_int_equal(diag_get(&d->captures.data[0]->diag, "json-cut"), 1);
	dossier_free(d);
}

static void begins_and_ends_pair_by_time_in_any_order_of_the_file(void **state)
{
	struct dossier *d;
	struct calls *c;

	(void)state;
	if (!HAVE_JSON)
		SKIP_TEST("no json-c in this build");
	d = load_text(STR("[{\"ph\":\"E\",\"pid\":1,\"tid\":1,\"ts\":9},"
			  "{\"ph\":\"E\",\"pid\":1,\"tid\":1,\"ts\":4},"
			  "{\"name\":\"second\",\"ph\":\"B\",\"pid\":1,\"tid\":1,\"ts\":4},"
			  "{\"name\":\"inner\",\"ph\":\"B\",\"pid\":1,\"tid\":1,\"ts\":2},"
			  "{\"ph\":\"E\",\"pid\":1,\"tid\":1,\"ts\":6},"
			  "{\"name\":\"outer\",\"ph\":\"B\",\"pid\":1,\"tid\":1,\"ts\":1}]"),
		      OK);
	c = d->captures.data[0]->calls;
	assert_int_equal(c->n, 3);
	assert_str(symbols_name(&d->symbols, c->sym.data[0]), "outer");
	assert_int_equal(calls_duration(c, 0), 8000);
	assert_str(symbols_name(&d->symbols, c->sym.data[1]), "inner");
	assert_int_equal(calls_duration(c, 1), 2000);
	assert_int_equal(c->parent.data[1], 0);
	/* at equal times the order in the file decides: here an end precedes a start */
	assert_str(symbols_name(&d->symbols, c->sym.data[2]), "second");
	assert_int_equal(calls_duration(c, 2), 2000);
	assert_int_equal(c->parent.data[2], 0);
	assert_int_equal(diag_get(&d->captures.data[0]->diag, "chrome-trace-unopened"), 0);
	dossier_free(d);
}

/* `before` began before the trace; the end of `lost` is missing. */
static void an_end_with_a_name_ends_the_begin_of_that_name(void **state)
{
	struct dossier *d;
	struct calls *c;

	(void)state;
	if (!HAVE_JSON)
		SKIP_TEST("no json-c in this build");
	d = load_text(STR("[{\"name\":\"outer\",\"ph\":\"B\",\"pid\":1,\"tid\":1,\"ts\":1},"
			  "{\"name\":\"before\",\"ph\":\"E\",\"pid\":1,\"tid\":1,\"ts\":2},"
			  "{\"name\":\"lost\",\"ph\":\"B\",\"pid\":1,\"tid\":1,\"ts\":3},"
			  "{\"name\":\"outer\",\"ph\":\"E\",\"pid\":1,\"tid\":1,\"ts\":9}]"),
		      OK);
	c = d->captures.data[0]->calls;
	assert_int_equal(c->n, 2);
	assert_str(symbols_name(&d->symbols, c->sym.data[0]), "outer");
	assert_int_equal(calls_duration(c, 0), 8000);
	assert_int_equal(c->state.data[1] & CALL_STATE_MASK, CALL_OPEN);
	assert_int_equal(diag_get(&d->captures.data[0]->diag, "chrome-trace-unopened"), 1);
	dossier_free(d);
}

static void indices_out_of_range_are_counted(void **state)
{
	struct dossier *d;

	(void)state;
	if (!HAVE_JSON)
		SKIP_TEST("no json-c in this build");
	d = load_text(
		STR("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
		    "\"shared\":{\"frames\":[{\"name\":\"a\"}]},\"profiles\":[{\"type\":"
		    "\"sampled\","
		    "\"name\":\"x\",\"unit\":\"seconds\",\"samples\":[[0,1],[-1,0.5],[\"0\"],7],"
		    "\"weights\":[0.25,1e300,-2]}]}"),
		OK);
	assert_int_equal(d->captures.data[0]->profile->samples.n, 3);
	assert_int_equal(d->captures.data[0]->profile->samples.weight.data[0], 250000000);
	assert_int_equal(d->captures.data[0]->profile->samples.weight.data[1], INT64_MAX);
	assert_int_equal(diag_get(&d->captures.data[0]->diag, "speedscope-bad-frames"), 3);
	assert_int_equal(diag_get(&d->captures.data[0]->diag, "speedscope-negative-weights"), 1);
	assert_int_equal(diag_get(&d->captures.data[0]->diag, "speedscope-no-weight"), 1);
	dossier_free(d);
}

static void shared_tables_of_later_firefox_versions_are_read(void **state)
{
	struct dossier *d;
	struct profile *p;

	(void)state;
	if (!HAVE_JSON)
		SKIP_TEST("no json-c in this build");
	d = load_text(STR("{\"meta\":{\"preprocessedProfileVersion\":57},\"shared\":{"
			  "\"stringArray\":[\"f\",\"g\",\"lib\"],"
			  "\"stackTable\":{\"frame\":[0,1],\"prefix\":[null,0]},"
			  "\"frameTable\":{\"func\":[0,1],\"inlineDepth\":[0,1]},"
			  "\"funcTable\":{\"name\":[0,1],\"resource\":[-1,0]},"
			  "\"resourceTable\":{\"name\":[2]}},\"threads\":[{\"name\":\"T\","
			  "\"pid\":\"7\",\"tid\":8,\"samples\":{\"stack\":[1,null],"
			  "\"time\":[1,2.5],\"weight\":null,\"weightType\":\"samples\"}}]}"),
		      OK);
	p = d->captures.data[0]->profile;
	assert_int_equal(p->samples.n, 2);
	assert_int_equal(p->unit, WEIGHT_SAMPLES);
	assert_int_equal(p->samples.time_ns.data[1], 2500000);
	assert_int_equal(stacks_depth(&p->stacks, p->samples.stack.data[0]), 3);
	assert_int_equal(
		symbols_get(&d->symbols, stacks_sym(&p->stacks, p->samples.stack.data[0]))->flags,
		SYMBOL_INLINED);
	assert_str(symbols_module(&d->symbols, stacks_sym(&p->stacks, p->samples.stack.data[0])),
		   "lib");
	assert_int_equal(p->threads.data[0].pid, 7);
	dossier_free(d);
}

/* sample types (samples, count) and (cpu, nanoseconds), and one sample of count 3 and 10 ns */
#define PPROF_STRINGS                                \
	"\x32\x00\x32\x07samples\x32\x05"            \
	"count\x32\x03"                              \
	"cpu\x32\x0bnanoseconds\x32\x04main\x32\x03" \
	"lib"
#define PPROF_TYPES     "\x0a\x04\x08\x01\x10\x02\x0a\x04\x08\x03\x10\x04"
#define PPROF_FUNCTIONS "\x2a\x04\x08\x01\x10\x05"
#define PPROF_MAPPINGS  "\x1a\x04\x08\x01\x28\x06"
#define PPROF_LOCATIONS "\x22\x08\x08\x01\x10\x01\x22\x02\x08\x01\x22\x06\x08\x02\x18\x80\x80\x04"

static void a_pprof_sample_of_three_is_three_samples(void **state)
{
	struct dossier *d =
		load_text(STR(PPROF_TYPES
			      "\x12\x08\x0a\x02\x02\x01\x12\x02\x03\x0a"
			      "\x12\x07\x0a\x01\x09\x12\x02\x01\x05" PPROF_MAPPINGS PPROF_LOCATIONS
				      PPROF_FUNCTIONS PPROF_STRINGS),
			  OK);
	struct profile *p = d->captures.data[0]->profile;

	(void)state;
	assert_int_equal(d->captures.len, 1);
	assert_str(strings_get(&d->strings, p->event), "cpu");
	assert_int_equal(p->unit, WEIGHT_NS);
	assert_int_equal(p->samples.n, 2);
	assert_int_equal(profile_count_samples(p), 4);
	assert_int_equal(p->samples.weight.data[0], 10);
	/* innermost frame first: an address without a line, called by main */
	assert_str(symbols_name(&d->symbols, stacks_sym(&p->stacks, p->samples.stack.data[0])),
		   "0x0000000000010000");
	assert_int_equal(diag_get(&d->captures.data[0]->diag, "pprof-bad-locations"), 1);
	dossier_free(d);
}

static void calls_are_paths_of_self_time(void **state)
{
	struct dossier *d = load_text(STR("# tracer: function_graph\n#\n"
					  " 0)               |  outer() {\n"
					  " 0)   1.500 us    |    inner();\n"
					  " 0)   1.000 us    |    inner();\n"
					  " 0)   5.125 us    |  }\n"),
				      OK);
	struct paths p;

	(void)state;
	assert_int_equal(paths_of(d->captures.data[0], &p, NULL), OK);
	assert_int_equal(stacks_count(p.stacks), 3);
	assert_int_equal(p.self[1], 2625);
	assert_int_equal(p.self[2], 2500);
	assert_int_equal(p.count[2], 2);
	assert_int_equal(p.total, 5125);
	paths_fini(&p);
	dossier_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_trace_nests_by_time_and_by_pairs),
		cmocka_unit_test(an_end_with_a_name_ends_the_begin_of_that_name),
		cmocka_unit_test(begins_and_ends_pair_by_time_in_any_order_of_the_file),
		cmocka_unit_test(indices_out_of_range_are_counted),
		cmocka_unit_test(shared_tables_of_later_firefox_versions_are_read),
		cmocka_unit_test(a_pprof_sample_of_three_is_three_samples),
		cmocka_unit_test(calls_are_paths_of_self_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
