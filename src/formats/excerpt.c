/* SPDX-License-Identifier: MIT */
#include "formats/excerpt.h"

#include "base/alloc.h"
#include "base/idmap.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "core/kinds/metrics.h"
#include "core/kinds/records.h"
#include "core/profile.h"
#include "core/stacks.h"

#define EXCERPT_MAX_ROWS (UINT64_C(1) << 22)
/*
 * maximum number of kinds (captures with different rows). Each kind is compared with every other
 * kind: at most 4 million pairs
 */
#define EXCERPT_MAX_KINDS 2048u

struct excerpt_row {
	uint64_t hash;
	size_t n; /* number of equal rows */
};

/* Hashes of the rows of one capture. */
struct excerpt_rows {
	VEC(uint64_t) hashes; /* one hash per row, in any order; excerpt_count() frees them */
	/* each different hash with the number of its rows, sorted by hash */
	VEC(struct excerpt_row) distinct;
	size_t n; /* number of rows of the capture */
	/*
	 * Hash of the row with the largest weight. It is compared first: another capture that lacks
	 * this row cannot contain all rows of this capture.
	 */
	uint64_t heaviest;
	uint64_t heaviest_weight;
	/*
	 * the rows are so many or so specific (for example, they have times) that two captures do
	 * not have equal rows by chance
	 */
	bool is_significant;
};

static void excerpt_push(struct excerpt_rows *rows, uint64_t hash, uint64_t weight)
{
	*VEC_PUSH(&rows->hashes) = hash;
	if (rows->hashes.len == 1 || weight > rows->heaviest_weight) {
		rows->heaviest = hash;
		rows->heaviest_weight = weight;
	}
}

/*
 * Convert a weight to units of 1e-9, so that weights with different numbers of decimals can be
 * equal. The result is used only in a hash, so an overflow does no harm.
 */
static uint64_t excerpt_weight(const struct profile *p, uint64_t weight)
{
	for (unsigned int i = p->decimals; i < 9; i++)
		weight *= 10;
	return weight;
}

static void excerpt_table(struct excerpt_rows *rows, const struct profile *p)
{
	bool has_symbol = false;

	VEC_FOREACH (r, &p->table.rows) {
		uint64_t h = hash_u64(excerpt_weight(p, r->self), excerpt_weight(p, r->children));

		h = hash_u64(h, (uint64_t)r->sym.v << 32 | r->comm.v);
		h = hash_u64(h, r->dso.v);
		excerpt_push(rows, h, r->self > r->children ? r->self : r->children);
		has_symbol |= r->sym.v != 0 || r->comm.v != 0;
	}
	rows->is_significant = has_symbol && rows->heaviest_weight > 0;
}

static void excerpt_samples(struct excerpt_rows *rows, const struct profile *p)
{
	const struct samples *s = &p->samples;
	uint32_t n_nodes = stacks_count(&p->stacks);
	VEC(uint64_t) paths = VEC_INIT;

	VEC_RESERVE(&paths, n_nodes);
	paths.data[0] = 0;
	for (uint32_t i = 1; i < n_nodes; i++)
		paths.data[i] =
			hash_u64(paths.data[p->stacks.parent.data[i]], p->stacks.sym.data[i].v);
	for (size_t i = 0; i < s->n; i++) {
		uint64_t h = hash_u64(paths.data[s->stack.data[i].v],
				      excerpt_weight(p, s->weight.data[i]));

		if (s->time_ns.len == s->n)
			h = hash_u64(h, s->time_ns.data[i]);
		excerpt_push(rows, h, s->weight.data[i]);
	}
	VEC_FREE(&paths);
	rows->is_significant = s->n > 1 || s->time_ns.len > 0;
}

/*
 * Hash each call together with the previous call, so that a capture with another order of calls has
 * other hashes.
 */
static void excerpt_calls(struct excerpt_rows *rows, const struct calls *c)
{
	uint64_t before = 0;

	for (size_t i = 0; i < c->n; i++) {
		uint64_t dur = c->dur_ns_low.data[i];
		uint64_t h = hash_u64((uint64_t)c->sym.data[i].v << 16 | c->depth.data[i], dur);

		if (i > 0)
			excerpt_push(rows, hash_u64(before, h), dur == UINT32_MAX ? 0 : dur);
		before = h;
	}
	rows->is_significant = c->n > 2 && c->has_durations;
}

static void excerpt_metrics(struct excerpt_rows *rows, const struct metrics *m)
{
	for (size_t i = 0; i < m->n_rows; i++) {
		uint64_t h = m->names.data[i].v;

		for (size_t k = 0; k < m->columns.len; k++) {
			double v = metrics_value(m, i, k);
			uint64_t bits;

			memcpy(&bits, &v, sizeof(bits));
			h = hash_u64(h, bits);
		}
		excerpt_push(rows, h, m->names.data[i].v);
	}
	rows->is_significant = m->n_rows > 0;
}

static void excerpt_counters(struct excerpt_rows *rows, const struct counters *c)
{
	VEC_FOREACH (row, &c->rows) {
		uint64_t h = hash_u64((uint64_t)row->name.v << 32 | row->key.v, row->time_ns);

		excerpt_push(rows, hash_u64(h, (uint64_t)row->value), (uint64_t)row->value);
	}
	rows->is_significant = c->rows.len > 1;
}

static void excerpt_records(struct excerpt_rows *rows, const struct records *r)
{
	bool has_time = false;

	VEC_FOREACH (rec, &r->rows) {
		uint64_t h = hash_u64(rec->time_ns, hash_str(rec->text));

		h = hash_u64(h, (uint64_t)rec->module.v << 32 | rec->sequence);
		excerpt_push(rows, h, rec->time_ns);
		has_time |= rec->has_time;
	}
	rows->is_significant = has_time || r->rows.len > 1;
}

static uint64_t excerpt_size(const struct capture *c)
{
	if (c->calls)
		return c->calls->n;
	if (c->profile)
		return c->profile->table.rows.len ? c->profile->table.rows.len
						  : profile_count_samples(c->profile);
	if (c->records)
		return c->records->rows.len;
	if (c->counters)
		return c->counters->rows.len;
	return c->metrics ? c->metrics->n_rows : 0;
}

static int excerpt_compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Sort the hashes, and count how often each occurs. */
static void excerpt_count(struct excerpt_rows *rows)
{
	if (rows->hashes.len == 0)
		return;
	VEC_SORT(&rows->hashes, excerpt_compare);
	VEC_FOREACH (h, &rows->hashes) {
		size_t n = rows->distinct.len;

		if (n && rows->distinct.data[n - 1].hash == *h)
			rows->distinct.data[n - 1].n++;
		else
			*VEC_PUSH(&rows->distinct) = (struct excerpt_row){ *h, 1 };
	}
	rows->n = rows->hashes.len;
	VEC_FREE(&rows->hashes);
}

static void excerpt_collect(struct excerpt_rows *rows, const struct capture *c)
{
	if (excerpt_size(c) > EXCERPT_MAX_ROWS)
		return;
	if (c->calls)
		excerpt_calls(rows, c->calls);
	else if (c->profile && c->profile->table.rows.len)
		excerpt_table(rows, c->profile);
	else if (c->profile)
		excerpt_samples(rows, c->profile);
	else if (c->records)
		excerpt_records(rows, c->records);
	else if (c->counters)
		excerpt_counters(rows, c->counters);
	else if (c->metrics)
		excerpt_metrics(rows, c->metrics);
	excerpt_count(rows);
}

/* Does @whole contain every row of @part, at least as often as @part does? */
static bool excerpt_is_within(const struct excerpt_rows *part, const struct excerpt_rows *whole)
{
	size_t k = 0;

	if (part->n > whole->n ||
	    !bsearch(&part->heaviest, whole->distinct.data, whole->distinct.len,
		     sizeof(struct excerpt_row), excerpt_compare))
		return false;
	for (size_t i = 0; i < part->distinct.len; i++, k++) {
		const struct excerpt_row *row = &part->distinct.data[i];

		while (k < whole->distinct.len && whole->distinct.data[k].hash < row->hash)
			k++;
		if (k == whole->distinct.len || whole->distinct.data[k].hash != row->hash ||
		    whole->distinct.data[k].n < row->n)
			return false;
	}
	return true;
}

/*
 * Are @a and @b profiles of different events? Then neither is an excerpt of the other, even if
 * their rows are equal. For example, the profiles of allocated bytes and of bytes in use are equal
 * if the program has freed nothing.
 */
static bool excerpt_is_other_event(const struct capture *a, const struct capture *b)
{
	return a->profile && b->profile && a->profile->event.v && b->profile->event.v &&
	       a->profile->event.v != b->profile->event.v;
}

/*
 * May @a be an excerpt of @b? They must be from one input, in one format, and not have different
 * events.
 */
static bool excerpt_is_alike(const struct capture *a, const struct capture *b)
{
	return strcmp(a->format, b->format) == 0 && a->path.v == b->path.v &&
	       !excerpt_is_other_event(a, b);
}

/*
 * The different captures of an input. A kind is a capture together with all captures that have
 * equal rows.
 */
struct excerpt_kinds {
	struct capture **captures;
	const struct excerpt_rows *rows; /* rows of each capture, by index of the capture */
	VEC(uint32_t) first;             /* index of the first capture of each kind, ascending */
	struct idmap by_rows;            /* maps the hash of all rows to an index in `first` */
};

static uint64_t excerpt_hash(const struct excerpt_rows *rows)
{
	uint64_t h = rows->n;

	VEC_FOREACH (row, &rows->distinct)
		h = hash_u64(h, row->hash);
	return h;
}

/*
 * Index of the first capture with the same rows, input, format and event as capture @i. If there is
 * none, @i is a new kind, and is returned.
 */
static uint32_t excerpt_kind(struct excerpt_kinds *k, uint32_t i)
{
	const struct excerpt_rows *rows = &k->rows[i];
	struct idmap_probe p = idmap_first(&k->by_rows, excerpt_hash(rows));

	while (idmap_next(&k->by_rows, &p)) {
		uint32_t first = k->first.data[p.id];

		if (k->rows[first].n == rows->n &&
		    excerpt_is_alike(k->captures[first], k->captures[i]) &&
		    excerpt_is_within(rows, &k->rows[first]))
			return first;
	}
	idmap_insert(&k->by_rows, &p, (uint32_t)k->first.len);
	*VEC_PUSH(&k->first) = i;
	return i;
}

/*
 * Index of the largest capture that contains all rows of capture @i. Of several equally large
 * captures, it is the first one. INDEX_NONE: there is none.
 */
static uint32_t excerpt_whole(const struct excerpt_kinds *kinds, uint32_t i)
{
	const struct excerpt_rows *rows = kinds->rows;
	uint32_t best = INDEX_NONE;

	for (size_t at = 0; at < kinds->first.len && at < EXCERPT_MAX_KINDS; at++) {
		uint32_t k = kinds->first.data[at];
		size_t len = rows[k].n;

		/*
		 * @k can contain @i only if it is larger, or equally large and earlier. It is
		 * better only if it is larger than the best capture so far.
		 */
		if (k == i || len < rows[i].n || (len == rows[i].n && k > i) ||
		    (best != INDEX_NONE && len <= rows[best].n))
			continue;
		if (excerpt_is_alike(kinds->captures[k], kinds->captures[i]) &&
		    excerpt_is_within(&rows[i], &rows[k]))
			best = k;
	}
	return best;
}

void excerpts_mark(struct dossier *d, size_t first)
{
	size_t n = d->captures.len - first;
	struct excerpt_rows *rows;
	struct excerpt_kinds kinds = { .captures = d->captures.data + first };

	if (n < 2)
		return;
	rows = xcalloc(n, sizeof(*rows));
	kinds.rows = rows;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t same;

		excerpt_collect(&rows[i], kinds.captures[i]);
		if (!rows[i].n || !rows[i].is_significant)
			continue;
		same = excerpt_kind(&kinds, i);
		if (same == i)
			continue;
		kinds.captures[i]->excerpt_of = (uint32_t)first + same;
		VEC_FREE(&rows[i].distinct);
	}
	for (size_t at = 0; at < kinds.first.len && at < EXCERPT_MAX_KINDS; at++) {
		uint32_t whole = excerpt_whole(&kinds, kinds.first.data[at]);

		if (whole != INDEX_NONE)
			kinds.captures[kinds.first.data[at]]->excerpt_of = (uint32_t)first + whole;
	}
	/*
	 * If the capture that contains capture i is itself an excerpt, store the capture that
	 * contains both.
	 */
	for (size_t i = 0; i < n; i++) {
		uint32_t of = kinds.captures[i]->excerpt_of;

		if (of != INDEX_NONE && d->captures.data[of]->excerpt_of != INDEX_NONE)
			kinds.captures[i]->excerpt_of = d->captures.data[of]->excerpt_of;
		VEC_FREE(&rows[i].distinct);
	}
	free(rows);
	VEC_FREE(&kinds.first);
	idmap_fini(&kinds.by_rows);
}
