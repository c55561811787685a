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

/*
 * What @op saw before it. Of one without an answer the place is known by that:
 * it is noted in @place_of, so that nothing stands in two places.
 */
static bool check_before(const struct check_op *ops, const struct check_op *op,
			 const struct check_op *previous, const struct check_op **ids,
			 uint64_t *place_of, size_t n, char *why, size_t size)
{
	const struct check_op *before;

	if (op->place == 1) {
		if (op->before.number == 0)
			return true;
		snprintf(why, size, "the first of the list saw something before it");
		return false;
	}
	before = check_find(ids, n, op->before);
	if (!before) {
		snprintf(why, size, "%u.%u saw %u.%u before it, which nobody asked for",
			 op->id.client, op->id.number, op->before.client, op->before.number);
		return false;
	}
	if (previous && previous->place == op->place - 1) {
		if (check_same(previous->id, op->before))
			return true;
		snprintf(why, size,
			 "%u.%u at place %" PRIu64 " saw %u.%u before it, but %u.%u was told "
			 "that place",
			 op->id.client, op->id.number, op->place, op->before.client,
			 op->before.number, previous->id.client, previous->id.number);
		return false;
	}
	if (before->answered_ns != CHECK_NEVER || before->asked_ns > op->answered_ns ||
	    place_of[before - ops]) {
		snprintf(why, size,
			 "%u.%u at place %" PRIu64 " saw %u.%u before it, which stands "
			 "elsewhere",
			 op->id.client, op->id.number, op->place, op->before.client,
			 op->before.number);
		return false;
	}
	place_of[before - ops] = op->place - 1;
	return true;
}

static bool check_sorted(const struct check_op *ops, size_t n, const struct check_op **ids,
			 uint64_t *place_of, char *why, size_t size)
{
	uint64_t latest_asked_ns = 0; /* of all with a lower place */
	uint64_t waiting = 0;
	uint64_t gaps = 0;

	for (size_t i = 0; i < n; i++)
		waiting += ops[i].answered_ns == CHECK_NEVER;
	for (size_t i = 0; i < n && ops[i].answered_ns != CHECK_NEVER; i++) {
		const struct check_op *previous = i ? &ops[i - 1] : NULL;

		if (ops[i].place == 0 || (previous && previous->place == ops[i].place)) {
			snprintf(why, size, "two have place %" PRIu64, ops[i].place);
			return false;
		}
		gaps += ops[i].place - (previous ? previous->place : 0) - 1;
		if (ops[i].answered_ns < latest_asked_ns) {
			snprintf(why, size,
				 "%u.%u at place %" PRIu64
				 " was answered before one with a lower place was asked for",
				 ops[i].id.client, ops[i].id.number, ops[i].place);
			return false;
		}
		if (ops[i].asked_ns > latest_asked_ns)
			latest_asked_ns = ops[i].asked_ns;
		if (!check_before(ops, &ops[i], previous, ids, place_of, n, why, size))
			return false;
	}
	if (gaps > waiting) {
		snprintf(why, size,
			 "%" PRIu64 " places without an owner, %" PRIu64 " without an answer", gaps,
			 waiting);
		return false;
	}
	return true;
}

bool check_history(struct check_op *ops, size_t n, char *why, size_t size)
{
	const struct check_op **ids = calloc(n + 1, sizeof(struct check_op *));
	uint64_t *place_of = calloc(n + 1, sizeof(*place_of));
	bool ok = ids && place_of;

	if (!ok)
		snprintf(why, size, "no memory");
	if (ok) {
		qsort(ops, n, sizeof(*ops), check_by_place);
		for (size_t i = 0; i < n; i++)
			ids[i] = &ops[i];
		qsort(ids, n, sizeof(struct check_op *), check_by_id);
		for (size_t i = 1; ok && i < n; i++) {
			ok = check_by_id(&ids[i - 1], &ids[i]) != 0;
			if (!ok)
				snprintf(why, size, "one id twice in the history");
		}
	}
	if (ok)
		ok = check_sorted(ops, n, ids, place_of, why, size);
	free(ids);
	free(place_of);
	return ok;
}
