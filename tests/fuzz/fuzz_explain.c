/* SPDX-License-Identifier: MIT */
/* Any bytes through all analyses: switches to waits, tables, comparisons, rules. */
#include "analyses/categories.h"
#include "analyses/compare/compare.h"
#include "analyses/top/top.h"
#include "analyses/waits/waits.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/profile.h"
#include "document/document.h"
#include "explain/explain.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/known_message.h"
#include "formats/load.h"
#include "sound.h"
#include "transform/off_cpu.h"
#include "transform/recover.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_CHECK(x) ((x) ? (void)0 : __builtin_trap())

static void fuzz_table(const struct capture *c, struct category_cache *cats)
{
	struct top_spec spec = { .n_keys = 0 };
	struct top t;
	double self = 0;

	if (top_compute(c, cats, &spec, &t, NULL) < 0)
		return;
	VEC_FOREACH (row, &t.rows) {
		FUZZ_CHECK(row->self_pct >= 0 && row->self_err >= 0);
		self += row->self_pct;
	}
	/* shares that a text prints can add up to more */
	FUZZ_CHECK(t.source != TOP_FROM_SAMPLES || t.unit == WEIGHT_PERCENT || self < 100.001);
	top_fini(&t);
}

static void fuzz_compare(const struct dossier *d, size_t a, size_t b, struct category_cache *cats)
{
	struct compare_spec spec = { .a = { { d->captures.data[a] }, 1 },
				     .b = { { d->captures.data[b] }, 1 } };
	struct compare c;

	(void)!compare_profiles(&spec, cats, &c, NULL);
	compare_fini(&c);
}

static void fuzz_waits(const struct capture *c)
{
	struct waits w;

	if (!off_cpu_has_waits(c))
		return;
	waits_compute(c, &w);
	waits_fini(&w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(document_freep) struct document *doc = NULL;
	CLEANUP(facts_freep) struct facts *facts = NULL;
	struct category_cache cats = { .by_sym = VEC_INIT };
	struct findings findings = { .rows = VEC_INIT };
	struct str bytes = { (const char *)data, size };
	struct load_options options = { .fields = off_cpu_fields,
					.n_fields = off_cpu_n_fields,
					.is_message = known_message_is };
	struct off_cpu off;

	if (document_from_memory(bytes, NULL, &doc, NULL) < 0)
		return 0;
	d->wanted.symfs = getenv("FUZZ_SYMFS");
	d->wanted.kallsyms = d->wanted.symfs ? "/dev/null" : NULL;
	if (load_document(d, doc, "-", &options, NULL) < 0)
		return 0;
	sound_check(d);
	(void)!off_cpu_make(d, 0, &off, NULL);
	for (size_t i = 0; i < d->captures.len; i++) {
		struct recover_result recovered;

		if (d->captures.data[i]->profile && d->captures.data[i]->profile->table.rows.len)
			recover_samples(d->captures.data[i], &recovered);
		fuzz_table(d->captures.data[i], &cats);
		fuzz_waits(d->captures.data[i]);
		if (i < 4)
			fuzz_compare(d, 0, i, &cats);
	}
	facts = facts_new(d);
	explain_run(facts, NULL, &findings);
	FUZZ_CHECK(!findings_check(&findings));
	findings_fini(&findings);
	category_cache_fini(&cats);
	return 0;
}
