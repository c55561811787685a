/* SPDX-License-Identifier: MIT */
/* Function graph text through all computations of `assay calls` and of the rules for calls. */
#include "analyses/calls/call_gaps.h"
#include "analyses/calls/call_tree.h"
#include "analyses/calls/calls_summary.h"
#include "analyses/calls/retvals.h"
#include "analyses/categories.h"
#include "analyses/slow/slow_calls.h"
#include "analyses/tracer/tracer_cost.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "document/document.h"
#include "explain/explain.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "formats/format.h"

DECLARE_FORMAT(function_graph);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern const struct format format_function_graph;

static void fuzz_check(bool ok)
{
	if (!ok)
		__builtin_trap();
}

static void fuzz_away(const struct calls *c, const struct calls_summary *sum)
{
	uint32_t last = 0;

	VEC_FOREACH (a, &sum->away.rows) {
		fuzz_check(a->call < c->n && (a == sum->away.rows.data || a->call > last));
		fuzz_check(a->asleep_ns + a->irq_ns <= calls_duration(c, a->call));
		last = a->call;
	}
}

static void fuzz_analyses(const struct capture *capture)
{
	struct category_cache cats = { .by_sym = VEC_INIT };
	struct call_tree_options options = { .levels = 3 };
	struct calls_summary sum;
	struct tracer_cost cost;
	struct call_gaps gaps;
	struct slow_calls slow;
	struct retval_errors errors;
	struct call_tree tree;

	fuzz_check(calls_summary_compute(capture, &cats, &sum, NULL) == OK);
	fuzz_check(sum.calls == capture->calls->n);
	fuzz_away(capture->calls, &sum);
	tracer_cost_estimate(capture, &sum, &cost);
	call_gaps_find(capture, &sum, &cost, &gaps);
	slow_calls_find(capture, &sum, &cost, &slow);
	VEC_FOREACH (row, &slow.rows)
		fuzz_check(row->calls > 0 && row->total_ns >= row->typical_ns);
	retval_errors_find(capture, &errors);
	call_tree_build(capture, &options, &tree);
	call_tree_fini(&tree);
	retval_errors_fini(&errors);
	slow_calls_fini(&slow);
	call_gaps_fini(&gaps);
	calls_summary_fini(&sum);
	category_cache_fini(&cats);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(document_freep) struct document *doc = NULL;
	CLEANUP(facts_freep) struct facts *facts = NULL;
	struct document_options raw = { .is_raw = true };
	struct findings findings = { .rows = VEC_INIT };
	struct str text = { (const char *)data, size };
	struct region in = { .text = text, .first_line = 1 };

	if (document_from_memory(text, &raw, &doc, NULL) < 0)
		return 0;
	in.doc = doc;
	if (format_function_graph.read(&in, d, NULL) < 0)
		return 0;
	VEC_FOREACH (c, &d->captures) {
		if ((*c)->calls && (*c)->calls->n)
			fuzz_analyses(*c);
	}
	facts = facts_new(d);
	explain_run(facts, NULL, &findings);
	fuzz_check(!findings_check(&findings));
	findings_fini(&findings);
	return 0;
}
