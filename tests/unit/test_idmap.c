/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/idmap.h"
#include "base/status.h"

#define KEYS 1000u

/* Keys like event ids of the kernel: nearly consecutive, so that many share a slot. */
static uint64_t key(uint32_t i)
{
	return UINT64_C(0x2b02f) + i * 2;
}

static bool has(struct idmap *m, uint32_t wanted)
{
	struct idmap_probe p = idmap_first(m, hash_u64(key(wanted), 5));

	while (idmap_next(m, &p)) {
		if (key(p.id) == key(wanted))
			return p.id == wanted;
	}
	return false;
}

static void new_ids_need_no_look_up(void **state)
{
	struct idmap m = { .slots = NULL };

	(void)state;
	for (uint32_t i = 0; i < KEYS; i++) {
		struct idmap_probe p = idmap_first(&m, hash_u64(key(i), 5));

		idmap_insert(&m, &p, i);
		for (uint32_t k = i % 50 ? i : 0; k <= i; k++)
			assert_true(has(&m, k));
	}
	assert_int_equal(m.len, KEYS);
	assert_false(has(&m, KEYS));
	idmap_fini(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(new_ids_need_no_look_up),
	};

	return cmocka_run_group_tests_name("idmap", tests, NULL, NULL);
}
