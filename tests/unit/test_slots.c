/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/slots.h"

static uint32_t key_of(uint32_t i)
{
	return i * UINT32_C(2654435761);
}

static void fill(struct slots *t, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++) {
		struct slot *slot;

		slots_reserve(t, 1);
		slot = slots_find(t, key_of(i), i / 3);
		assert_int_equal(slot->value, 0);
		slots_fill(t, slot, (struct slot){ key_of(i), i / 3, i + 1 });
	}
}

static void check(const struct slots *t, uint32_t n)
{
	assert_int_equal(t->len, n);
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(slots_find(t, key_of(i), i / 3)->value, i + 1);
	/* other keys are missing */
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(slots_find(t, key_of(i), UINT32_MAX)->value, 0);
}

static void test_every_key_is_found_after_the_table_grew(void **state)
{
	struct slots t = { NULL, 0, 0 };

	(void)state;
	/* up to a size that is remapped, not copied */
	for (uint32_t n = 1; n <= 600000; n = n * 3 + 1) {
		fill(&t, (uint32_t)t.len, n);
		check(&t, n);
	}
	slots_fini(&t);
	assert_null(t.data);
}

static void test_room_for_many_is_made_at_once(void **state)
{
	struct slots t = { NULL, 0, 0 };

	(void)state;
	fill(&t, 0, 300000);
	slots_reserve(&t, 5000000); /* four times as large, in one step */
	assert_true(slots_have_room(&t, 5000000));
	check(&t, 300000);
	slots_fini(&t);
}

static void test_a_cleared_table_is_empty(void **state)
{
	struct slots t = { NULL, 0, 0 };

	(void)state;
	fill(&t, 0, 100);
	slots_clear(&t);
	check(&t, 0);
	fill(&t, 0, 50);
	check(&t, 50);
	slots_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_key_is_found_after_the_table_grew),
		cmocka_unit_test(test_room_for_many_is_made_at_once),
		cmocka_unit_test(test_a_cleared_table_is_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
