/* SPDX-License-Identifier: MIT */
#include "replica/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static int check_by_place(const void *va, const void *vb)
{
	const struct check_op *a = va;
	const struct check_op *b = vb;

	if ((a->answered_ns == CHECK_NEVER) != (b->answered_ns == CHECK_NEVER))
		return a->answered_ns == CHECK_NEVER ? 1 : -1;
	if (a->place != b->place)
		return a->place < b->place ? -1 : 1;
	return 0;
}

static int check_by_id(const void *va, const void *vb)
{
	const struct check_op *const *a = va;
	const struct check_op *const *b = vb;

	if ((*a)->id.client != (*b)->id.client)
		return (*a)->id.client < (*b)->id.client ? -1 : 1;
	if ((*a)->id.number != (*b)->id.number)
		return (*a)->id.number < (*b)->id.number ? -1 : 1;
	return 0;
}

static const struct check_op *check_find(const struct check_op **ids, size_t n, struct vr_entry id)
{
	const struct check_op key = { .id = id };
	const struct check_op *p = &key;
	const struct check_op **at = bsearch(&p, ids, n, sizeof(struct check_op *), check_by_id);

	return at ? *at : NULL;
}

static bool check_same(struct vr_entry a, struct vr_entry b)
{
	return a.client == b.client && a.number == b.number;
}

/* State of the check, a walk over the operations in the order of their places in the list. */
struct check {
	const struct check_op *ops;
	size_t n, n_answered;
	const struct check_op **ids;
	/*
	 * is_placed[i]: operation i was not answered, but another operation saw it as its
	 * predecessor
	 */
	bool *is_placed;
	/* until_ns[i]: time of the earliest answer among operation i and all later operations */
	uint64_t *until_ns;
	/*
	 * for each place whose operation is unknown: latest time at which that operation can have
	 * been requested; ascending
	 */
	uint64_t *gaps_ns;
	size_t n_gaps;
	char *why;
	size_t size;
};

/*
 * Check the predecessor that operation @i saw. Either the previous operation in c->ops has it as
 * its id, and has the previous place. Or no answered operation has that place: then the
 * predecessor must be unanswered, and requested before any later place was answered.
 */
static bool check_before(struct check *c, size_t i)
{
	const struct check_op *op = &c->ops[i];
	const struct check_op *previous = i ? &c->ops[i - 1] : NULL;
	const struct check_op *before;

	if (op->place == 1) {
		if (op->before.number == 0)
			return true;
		snprintf(c->why, c->size, "the first of the list saw something before it");
		return false;
	}
	before = check_find(c->ids, c->n, op->before);
	if (!before) {
		snprintf(c->why, c->size, "%u.%u saw %u.%u before it, which nobody asked for",
			 op->id.client, op->id.number, op->before.client, op->before.number);
		return false;
	}
	if (previous && previous->place == op->place - 1) {
		if (check_same(previous->id, op->before))
			return true;
		snprintf(c->why, c->size,
			 "%u.%u at place %" PRIu64 " saw %u.%u before it, but %u.%u was told "
			 "that place",
			 op->id.client, op->id.number, op->place, op->before.client,
			 op->before.number, previous->id.client, previous->id.number);
		return false;
	}
	if (before->answered_ns != CHECK_NEVER || before->asked_ns > c->until_ns[i] ||
	    c->is_placed[before - c->ops]) {
		snprintf(c->why, c->size,
			 "%u.%u at place %" PRIu64 " saw %u.%u before it, which stands elsewhere",
			 op->id.client, op->id.number, op->place, op->before.client,
			 op->before.number);
		return false;
	}
	c->is_placed[before - c->ops] = true;
	return true;
}

/*
 * Add the places between operation @i and the previous one to c->gaps_ns: their operations are
 * unknown.
 */
static bool check_gap(struct check *c, size_t i)
{
	uint64_t from = i ? c->ops[i - 1].place : 0;
	uint64_t gap = c->ops[i].place - from - 1;

	/* the last of these places belongs to the predecessor that @i saw */
	if (gap)
		gap--;
	if (gap > c->n - c->n_answered - c->n_gaps) {
		snprintf(c->why, c->size, "places without an owner before place %" PRIu64,
			 c->ops[i].place);
		return false;
	}
	while (gap--)
		c->gaps_ns[c->n_gaps++] = c->until_ns[i];
	return true;
}

static int check_by_time(const void *va, const void *vb)
{
	const uint64_t *a = va;
	const uint64_t *b = vb;

	return *a < *b ? -1 : *a > *b;
}

/*
 * Assign the remaining unanswered operations to the places in c->gaps_ns, both in the order of
 * time. If this is impossible, so is any other assignment.
 */
static bool check_fill(struct check *c)
{
	/* reuse until_ns as memory */
	uint64_t *asked_ns = c->until_ns;
	size_t n = 0;

	for (size_t i = c->n_answered; i < c->n; i++) {
		if (!c->is_placed[i])
			asked_ns[n++] = c->ops[i].asked_ns;
	}
	qsort(asked_ns, n, sizeof(*asked_ns), check_by_time);
	for (size_t i = 0; i < c->n_gaps; i++) {
		if (i < n && asked_ns[i] <= c->gaps_ns[i])
			continue;
		snprintf(c->why, c->size,
			 "%zu places without an owner, and nobody without an answer asked in time",
			 c->n_gaps);
		return false;
	}
	return true;
}

static bool check_sorted(struct check *c)
{
	uint64_t latest_asked_ns = 0; /* latest request of the operations at all lower places */
	uint64_t until_ns = CHECK_NEVER;

	while (c->n_answered < c->n && c->ops[c->n_answered].answered_ns != CHECK_NEVER)
		c->n_answered++;
	for (size_t i = c->n_answered; i-- > 0;) {
		if (c->ops[i].answered_ns < until_ns)
			until_ns = c->ops[i].answered_ns;
		c->until_ns[i] = until_ns;
	}
	for (size_t i = 0; i < c->n_answered; i++) {
		const struct check_op *op = &c->ops[i];

		if (op->place == 0 || (i && op[-1].place == op->place)) {
			snprintf(c->why, c->size, "two have place %" PRIu64, op->place);
			return false;
		}
		if (op->answered_ns < latest_asked_ns) {
			snprintf(c->why, c->size,
				 "%u.%u at place %" PRIu64
				 " was answered before one with a lower place was asked for",
				 op->id.client, op->id.number, op->place);
			return false;
		}
		if (op->asked_ns > latest_asked_ns)
			latest_asked_ns = op->asked_ns;
		if (!check_before(c, i) || !check_gap(c, i))
			return false;
	}
	return check_fill(c);
}

bool check_history(struct check_op *ops, size_t n, char *why, size_t size)
{
	struct check c = {
		.ops = ops,
		.n = n,
		.ids = calloc(n + 1, sizeof(struct check_op *)),
		.is_placed = calloc(n + 1, sizeof(bool)),
		.until_ns = calloc(n + 1, sizeof(uint64_t)),
		.gaps_ns = calloc(n + 1, sizeof(uint64_t)),
		.why = why,
		.size = size,
	};
	bool ok = c.ids && c.is_placed && c.until_ns && c.gaps_ns;

	if (!ok)
		snprintf(why, size, "no memory");
	if (ok) {
		qsort(ops, n, sizeof(*ops), check_by_place);
		for (size_t i = 0; i < n; i++)
			c.ids[i] = &ops[i];
		qsort(c.ids, n, sizeof(struct check_op *), check_by_id);
		for (size_t i = 1; ok && i < n; i++) {
			ok = check_by_id(&c.ids[i - 1], &c.ids[i]) != 0;
			if (!ok)
				snprintf(why, size, "one id twice in the history");
		}
	}
	if (ok)
		ok = check_sorted(&c);
	free(c.ids);
	free(c.is_placed);
	free(c.until_ns);
	free(c.gaps_ns);
	return ok;
}
