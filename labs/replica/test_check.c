/* SPDX-License-Identifier: MIT */
/*
 * test_check - compare check_history() with a search through all orders
 *
 *   lab-replica-check [HISTORIES]
 */
#include "lib/work.h"
#include "replica/check.h"

#include <string.h>

#define TEST_OPS_MAX 5u
#define TEST_TIMES   12u

static uint64_t test_random(uint64_t *state, uint64_t n)
{
	uint64_t x = (*state += 0x9e3779b97f4a7c15u);

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return (x ^ x >> 31) % n;
}

/*
 * A list has @length entries; @last is the last one. Is there an order in which all operations that
 * are not in @done (a bit mask) can be appended to it?
 */
static bool test_search(const struct check_op *ops, size_t n, unsigned int done, uint64_t length,
			struct vr_entry last)
{
	bool is_all = true;

	for (size_t i = 0; i < n; i++)
		is_all = is_all && (done >> i & 1 || ops[i].answered_ns == CHECK_NEVER);
	if (is_all)
		return true;
	for (size_t i = 0; i < n; i++) {
		const struct check_op *op = &ops[i];
		bool may = !(done >> i & 1);

		/*
		 * operation i cannot be next if another remaining operation was answered before i
		 * was requested
		 */
		for (size_t j = 0; j < n; j++)
			may = may &&
			      (done >> j & 1 || j == i || ops[j].answered_ns >= op->asked_ns);
		if (may && op->answered_ns != CHECK_NEVER)
			may = op->place == length + 1 && op->before.client == last.client &&
			      op->before.number == last.number;
		if (may && test_search(ops, n, done | 1u << i, length + 1, op->id))
			return true;
	}
	return false;
}

/*
 * Make a random history that is linearizable: operations run in an order that agrees with their
 * times.
 */
static size_t test_draw(uint64_t *state, struct check_op *ops)
{
	size_t n = 1 + test_random(state, TEST_OPS_MAX);
	struct vr_entry last = { 0 };
	uint64_t length = 0;
	uint64_t point = 1;

	for (size_t i = 0; i < n; i++) {
		bool is_answered = test_random(state, 4) != 0;
		bool is_done = is_answered || test_random(state, 2);
		uint64_t begin = point > 4 ? point - test_random(state, 5) : point;

		ops[i] = (struct check_op){ .id = { (uint32_t)i, 1 },
					    .asked_ns = begin,
					    .answered_ns = CHECK_NEVER };
		if (is_answered) {
			ops[i].answered_ns = point + 1 + test_random(state, 5);
			ops[i].place = length + 1;
			ops[i].before = last;
		}
		if (is_done) {
			last = ops[i].id;
			length++;
		}
		point += test_random(state, 3);
	}
	return n;
}

static void test_damage(uint64_t *state, struct check_op *ops, size_t n)
{
	struct check_op *op = &ops[test_random(state, n)];

	switch (test_random(state, 6)) {
	case 0:
		op->asked_ns = test_random(state, TEST_TIMES);
		break;
	case 1:
		if (op->answered_ns != CHECK_NEVER)
			op->answered_ns = op->asked_ns + test_random(state, TEST_TIMES);
		break;
	case 2:
		if (op->answered_ns != CHECK_NEVER)
			op->place = 1 + test_random(state, n);
		break;
	case 3:
		if (op->answered_ns != CHECK_NEVER)
			op->before = ops[test_random(state, n)].id;
		break;
	case 4:
		op->answered_ns = CHECK_NEVER;
		break;
	default:
		break;
	}
	if (op->answered_ns < op->asked_ns)
		op->answered_ns = op->asked_ns;
}

int main(int argc, char **argv)
{
	uint64_t histories = argc > 1 ? work_number(argv[1]) : 200000;
	uint64_t state = 1;
	uint64_t good = 0;

	for (uint64_t i = 0; i < histories; i++) {
		struct check_op ops[TEST_OPS_MAX];
		char why[200] = "";
		size_t n = test_draw(&state, ops);
		bool is_right;
		bool found;

		for (uint64_t damages = test_random(&state, 3); damages; damages--)
			test_damage(&state, ops, n);
		is_right = test_search(ops, n, 0, 0, (struct vr_entry){ 0 });
		found = check_history(ops, n, why, sizeof(why));
		good += is_right;
		if (is_right == found)
			continue;
		printf("history %" PRIu64 " is %slinearizable, and the checker says: %s\n", i,
		       is_right ? "" : "not ", found ? "it is" : why);
		for (size_t k = 0; k < n; k++)
			printf("  %u asked %" PRIu64 " answered %" PRIu64 " place %" PRIu64
			       " before %u.%u\n",
			       ops[k].id.client, ops[k].asked_ns, ops[k].answered_ns, ops[k].place,
			       ops[k].before.client, ops[k].before.number);
		return 1;
	}
	work_print("histories", histories);
	work_print("linearizable", good);
	return good && good < histories ? 0 : 1;
}
