/* SPDX-License-Identifier: MIT */
#include "formats/exchange/jfr_pauses.h"

#include "base/limits.h"
#include "base/out.h"
#include "base/status.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/kinds/distribution.h"
#include "core/strings.h"
#include "formats/format.h"

#include <stdlib.h>

/* Collectors that stop the program and collect the whole heap; OpenJDK, gcName.hpp. */
static const char *const jfr_full[] = { "G1Full", "SerialOld", "ParallelOld", "PSMarkSweep" };

void jfr_pauses_fini(struct jfr_pauses *p)
{
	VEC_FREE(&p->rows);
	VEC_FREE(&p->collections);
}

void jfr_pauses_add(struct jfr_pauses *p, uint64_t id, uint64_t ns)
{
	if (p->rows.len < LIMIT_SAMPLES)
		*VEC_PUSH(&p->rows) = (struct jfr_pause){ .id = id, .ns = ns };
}

void jfr_pauses_collection(struct jfr_pauses *p, struct dossier *d, uint64_t id, struct str name,
			   struct str cause)
{
	struct out key = { .fd = -1 };

	if (p->collections.len >= LIMIT_SAMPLES)
		return;
	for (size_t i = 0; i < ARRAY_LEN(jfr_full); i++) {
		if (str_eq(name, str_of(jfr_full[i])))
			out_z(&key, "Full ");
	}
	out_str(&key, name);
	if (cause.len)
		out_printf(&key, " (" STR_FMT ")", STR_ARG(cause));
	*VEC_PUSH(&p->collections) =
		(struct jfr_pause){ .id = id, .key = strings_add(&d->strings, out_view(&key)) };
	out_fini(&key);
}

static int jfr_pauses_by_id(const void *a, const void *b)
{
	const struct jfr_pause *x = a;
	const struct jfr_pause *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static int jfr_pauses_by_key(const void *a, const void *b)
{
	const struct jfr_pause *x = a;
	const struct jfr_pause *y = b;

	if (x->key.v != y->key.v)
		return x->key.v < y->key.v ? -1 : 1;
	return (x->ns > y->ns) - (x->ns < y->ns);
}

static void jfr_pauses_name(struct jfr_pauses *p)
{
	if (p->collections.len == 0)
		return;
	qsort(p->collections.data, p->collections.len, sizeof(*p->collections.data),
	      jfr_pauses_by_id);
	VEC_FOREACH (row, &p->rows) {
		size_t i = VEC_PARTITION(&p->collections, c, c->id < row->id);

		if (i < p->collections.len && p->collections.data[i].id == row->id)
			row->key = p->collections.data[i].key;
	}
}

void jfr_pauses_finish(struct jfr_pauses *p, const struct format *f, const struct region *in,
		       struct dossier *d, double span_ns)
{
	struct distribution *to;

	if (p->rows.len == 0)
		return;
	jfr_pauses_name(p);
	qsort(p->rows.data, p->rows.len, sizeof(*p->rows.data), jfr_pauses_by_key);
	to = capture_distribution(format_add_capture(f, in, d));
	to->span_ns = span_ns;
	for (size_t i = 0, n; i < p->rows.len; i += n) {
		const struct jfr_pause *row = &p->rows.data[i];
		struct distribution_series *s;

		if (i == 0 || row->key.v != row[-1].key.v) {
			s = distribution_begin(to, row->key, strings_add(&d->strings, STR("ns")),
					       0);
			s->name = strings_add(&d->strings, STR("pause"));
		}
		for (n = 1;
		     i + n < p->rows.len && row[n].key.v == row->key.v && row[n].ns == row->ns;)
			n++;
		if (distribution_add(to, (double)row->ns, (double)row->ns + 1, n, 0) < 0)
			return;
	}
}
