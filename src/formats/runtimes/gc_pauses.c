/* SPDX-License-Identifier: MIT */
#include "formats/runtimes/gc_pauses.h"

#include "base/limits.h"
#include "base/out.h"
#include "base/status.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/kinds/distribution.h"
#include "core/strings.h"
#include "formats/format.h"

#include <stdlib.h>

/*
 * Names of collectors that stop the program and collect the whole heap. Source: OpenJDK,
 * gcName.hpp.
 */
static const char *const gc_pauses_full[] = { "G1Full", "SerialOld", "ParallelOld", "PSMarkSweep" };

void gc_pauses_fini(struct gc_pauses *p)
{
	VEC_FREE(&p->rows);
	VEC_FREE(&p->collections);
}

void gc_pauses_add(struct gc_pauses *p, uint64_t id, uint64_t ns)
{
	if (p->rows.len < LIMIT_SAMPLES)
		*VEC_PUSH(&p->rows) = (struct gc_pause){ .id = id, .ns = ns };
}

void gc_pauses_collection(struct gc_pauses *p, struct dossier *d, uint64_t id, struct str name,
			  struct str cause)
{
	struct out key = { .fd = -1 };

	if (p->collections.len >= LIMIT_SAMPLES)
		return;
	for (size_t i = 0; i < ARRAY_LEN(gc_pauses_full); i++) {
		if (str_eq(name, str_of(gc_pauses_full[i])))
			out_z(&key, "Full ");
	}
	out_str(&key, name);
	if (cause.len)
		out_printf(&key, " (" STR_FMT ")", STR_ARG(cause));
	*VEC_PUSH(&p->collections) =
		(struct gc_pause){ .id = id, .key = strings_add(&d->strings, out_view(&key)) };
	out_fini(&key);
}

static int gc_pauses_by_id(const void *a, const void *b)
{
	const struct gc_pause *x = a;
	const struct gc_pause *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static int gc_pauses_by_key(const void *a, const void *b)
{
	const struct gc_pause *x = a;
	const struct gc_pause *y = b;

	if (x->key.v != y->key.v)
		return x->key.v < y->key.v ? -1 : 1;
	return (x->ns > y->ns) - (x->ns < y->ns);
}

static void gc_pauses_name(struct gc_pauses *p)
{
	if (p->collections.len == 0)
		return;
	VEC_SORT(&p->collections, gc_pauses_by_id);
	VEC_FOREACH (row, &p->rows) {
		size_t i = VEC_PARTITION(&p->collections, c, c->id < row->id);

		if (i < p->collections.len && p->collections.data[i].id == row->id)
			row->key = p->collections.data[i].key;
	}
}

void gc_pauses_finish(struct gc_pauses *p, const struct format *f, const struct region *in,
		      struct dossier *d, double span_ns)
{
	struct distribution *to;

	if (p->rows.len == 0)
		return;
	gc_pauses_name(p);
	VEC_SORT(&p->rows, gc_pauses_by_key);
	to = capture_distribution(format_add_capture(f, in, d));
	to->span_ns = span_ns;
	for (size_t i = 0, n; i < p->rows.len; i += n) {
		const struct gc_pause *row = &p->rows.data[i];
		struct distribution_series *s;

		if (i == 0 || row->key.v != row[-1].key.v) {
			s = distribution_begin(to, row->key, strings_add(&d->strings, STR("ns")),
					       0);
			s->name = strings_add(&d->strings, str_of(p->name ? p->name : "pause"));
		}
		for (n = 1;
		     i + n < p->rows.len && row[n].key.v == row->key.v && row[n].ns == row->ns;)
			n++;
		if (distribution_add(to, (double)row->ns, (double)row->ns + 1, n, 0) < 0)
			return;
	}
}
