/* SPDX-License-Identifier: MIT */
#include "explain/facts_build.h"

struct facts *facts_new(struct dossier *d)
{
	struct facts *f = xcalloc(1, sizeof(*f));
	size_t n = d->captures.len;

	f->dossier = d;
	f->profiles = xcalloc(n, sizeof(struct profile_facts *));
	f->calls = xcalloc(n, sizeof(struct calls_summary *));
	f->logs = xcalloc(n, sizeof(struct log_summary *));
	f->metrics = xcalloc(n, sizeof(struct metrics_summary *));
	for (size_t i = 0; i < n; i++) {
		const struct capture *c = d->captures.data[i];

		if (c->excerpt_of != INDEX_NONE)
			continue;
		if (c->profile)
			f->profiles[i] = facts_profile_new(c, &f->cats);
		if (c->calls) {
			f->calls[i] = xcalloc(1, sizeof(**f->calls));
			(void)(calls_summary_compute(c, &f->cats, f->calls[i], NULL) < 0);
		}
		if (c->records) {
			f->logs[i] = xcalloc(1, sizeof(**f->logs));
			log_summary_init(f->logs[i], c);
		}
		if (c->metrics) {
			f->metrics[i] = xcalloc(1, sizeof(**f->metrics));
			metrics_summary_init(f->metrics[i], c->metrics);
		}
	}
	return f;
}

void facts_free(struct facts *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->dossier->captures.len; i++) {
		facts_profile_free(f->profiles[i]);
		if (f->calls[i])
			calls_summary_fini(f->calls[i]);
		if (f->logs[i])
			log_summary_fini(f->logs[i]);
		if (f->metrics[i])
			metrics_summary_fini(f->metrics[i]);
		free(f->calls[i]);
		free(f->logs[i]);
		free(f->metrics[i]);
	}
	free(f->profiles);
	free(f->calls);
	free(f->logs);
	free(f->metrics);
	category_cache_fini(&f->cats);
	free(f);
}

struct str facts_name(const struct facts *f, sym_id sym)
{
	return symbols_canonical(&f->dossier->symbols, sym);
}
