/* SPDX-License-Identifier: MIT */
#include "core/dossier.h"

#include "base/alloc.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/ids.h"
#include "core/kinds/code.h"
#include "core/kinds/counters.h"
#include "core/kinds/distribution.h"
#include "core/kinds/metrics.h"
#include "core/kinds/records.h"
#include "core/kinds/threads.h"
#include "core/profile.h"
#include "core/strings.h"
#include "core/symbols.h"

struct dossier *dossier_new(void)
{
	struct dossier *d = xcalloc(1, sizeof(*d));

	strings_init(&d->strings);
	symbols_init(&d->symbols, &d->strings);
	return d;
}

static void capture_free(struct capture *c)
{
	if (c->profile)
		profile_fini(c->profile);
	if (c->calls)
		calls_fini(c->calls);
	if (c->metrics)
		metrics_fini(c->metrics);
	if (c->code)
		code_fini(c->code);
	if (c->instructions)
		code_fini(c->instructions);
	if (c->records)
		records_fini(c->records);
	if (c->distribution)
		distribution_fini(c->distribution);
	free(c->distribution);
	if (c->threads)
		threads_fini(c->threads);
	if (c->counters)
		counters_fini(c->counters);
	free(c->profile);
	free(c->calls);
	free(c->metrics);
	free(c->code);
	free(c->instructions);
	free(c->records);
	free(c->threads);
	free(c->counters);
	diag_fini(&c->diag);
	VEC_FREE(&c->facts);
	VEC_FREE(&c->notes);
	free(c);
}

void dossier_free(struct dossier *d)
{
	if (!d)
		return;
	VEC_FOREACH (c, &d->captures)
		capture_free(*c);
	VEC_FOREACH (in, &d->inputs) {
		VEC_FREE(&in->regions);
		VEC_FREE(&in->examples);
		diag_fini(&in->diag);
	}
	VEC_FREE(&d->captures);
	VEC_FREE(&d->inputs);
	VEC_FREE(&d->facts);
	VEC_FREE(&d->stacks);
	VEC_FREE(&d->frames);
	symbols_fini(&d->symbols);
	strings_fini(&d->strings);
	free(d);
}

struct capture *dossier_add(struct dossier *d, const char *format)
{
	struct capture *c = xcalloc(1, sizeof(*c));

	c->dossier = d;
	c->format = format;
	c->excerpt_of = INDEX_NONE;
	*VEC_PUSH(&d->captures) = c;
	return c;
}

/*
 * Update *@number, the number of a capture, after capture @i was removed. If *@number is above @i,
 * it decreases by one; if it is @i, it becomes INDEX_NONE.
 */
static void dossier_renumber(uint32_t *number, size_t i)
{
	if (*number == INDEX_NONE || *number < i)
		return;
	*number = *number == i ? INDEX_NONE : *number - 1;
}

void dossier_drop_last(struct dossier *d)
{
	if (d->captures.len)
		capture_free(d->captures.data[--d->captures.len]);
}

void dossier_drop(struct dossier *d, size_t i)
{
	capture_free(d->captures.data[i]);
	d->captures.len--;
	for (size_t k = i; k < d->captures.len; k++)
		d->captures.data[k] = d->captures.data[k + 1];
	VEC_FOREACH (c, &d->captures)
		dossier_renumber(&(*c)->excerpt_of, i);
	/*
	 * s->capture may be any capture from the same text as the stack. If it was removed, use the
	 * next capture or, if there is no next one, the previous capture.
	 */
	VEC_FOREACH (s, &d->stacks)
		s->capture -= s->capture > i || s->capture == d->captures.len;
	VEC_FOREACH (in, &d->inputs) {
		size_t n = 0;

		VEC_FOREACH (r, &in->regions) {
			if (r->capture == i && r->capture != INDEX_NONE)
				continue;
			dossier_renumber(&r->capture, i);
			in->regions.data[n++] = *r;
		}
		in->regions.len = n;
	}
}
