/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/alloc.h"
#include "base/sort.h"

static void check(size_t n, uint64_t mask, uint64_t seed)
{
	struct sort_item *items = xreallocarray(NULL, n, sizeof(*items));

	for (size_t i = 0; i < n; i++) {
		seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		items[i] = (struct sort_item){ (seed >> 7 ^ seed) & mask, (uint32_t)i };
	}
	sort_items(items, n);
	for (size_t i = 1; i < n; i++) {
		assert_true(items[i - 1].key <= items[i].key);
		if (items[i - 1].key == items[i].key)
			assert_true(items[i - 1].value < items[i].value);
	}
	free(items);
}

static void items_come_in_order_and_equal_ones_stay(void **state)
{
	static const uint64_t masks[] = { 0, 1, 0xff, 0xff00, 0xffffff, UINT64_MAX };

	(void)state;
	for (size_t m = 0; m < sizeof(masks) / sizeof(masks[0]); m++) {
		check(0, masks[m], m);
		check(2, masks[m], m);
		check(31, masks[m], m);
		check(33, masks[m], m);
		check(5000, masks[m], m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(items_come_in_order_and_equal_ones_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
