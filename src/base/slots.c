/* SPDX-License-Identifier: MIT */
#include "base/slots.h"

#include "base/alloc.h"
#include "base/vec.h"

#define SLOTS_FIRST_BITS 6u

void slots_fini(struct slots *t)
{
	if (t->data)
		free_table(t->data, sizeof(*t->data) << t->bits);
	memset(t, 0, sizeof(*t));
}

void slots_clear(struct slots *t)
{
	if (t->data)
		memset(t->data, 0, sizeof(*t->data) << t->bits);
	t->len = 0;
}

/*
 * Move the @n old slots to their places in the enlarged table, from the last slot to the first. A
 * slot's place is given by the leading bits of its hash. If the size doubles, a slot moves from
 * place h to 2h or 2h + 1, which is after all slots that still have to move. A slot for which this
 * is not true is moved at the end of this function. Examples are the slots near the start, and
 * slots that had wrapped past the end of the old table.
 */
static void slots_spread(struct slots *t, size_t n)
{
	VEC(struct slot) late = VEC_INIT;
	size_t end = (size_t)1 << t->bits;

	for (size_t i = n; i-- > 0;) {
		struct slot slot = t->data[i];
		size_t at;

		if (!slot.value)
			continue;
		t->data[i].value = 0;
		at = slots_home(t, slot.a, slot.b);
		while (at > i && at < end && t->data[at].value)
			at++;
		if (at > i && at < end)
			t->data[at] = slot;
		else
			*VEC_PUSH(&late) = slot;
	}
	VEC_FOREACH (slot, &late)
		*slots_find(t, slot->a, slot->b) = *slot;
	VEC_FREE(&late);
}

void slots_make_room(struct slots *t, size_t n)
{
	unsigned int bits = t->data ? t->bits : SLOTS_FIRST_BITS;
	size_t old = t->data ? sizeof(*t->data) << t->bits : 0;
	unsigned int old_bits = t->bits;

	while ((t->len + n) * 4 > ((size_t)3 << bits))
		bits++;
	if (t->data && bits == old_bits)
		return;
	t->data = grow_table(t->data, old, sizeof(*t->data) << bits);
	t->bits = bits;
	if (old)
		slots_spread(t, (size_t)1 << old_bits);
}
