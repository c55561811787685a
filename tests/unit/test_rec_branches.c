/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "record/perf/rec.h"
#include "record/perf/record.h"

#include <linux/perf_event.h>

/* The bits of perf record --call-graph lbr: tools/perf/util/evsel.c. */
static void samples_of_the_processor_ask_for_its_call_stack(void **state)
{
	struct perf_event_attr a = { .type = PERF_TYPE_HARDWARE,
				     .sample_type = PERF_SAMPLE_CALLCHAIN };

	(void)state;
	rec_branches_set(&a);
	assert_true(a.sample_type == (PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK));
	assert_true(a.branch_sample_type ==
		    (PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK |
		     PERF_SAMPLE_BRANCH_NO_CYCLES | PERF_SAMPLE_BRANCH_NO_FLAGS));
}

static void events_of_the_kernel_have_no_branches(void **state)
{
	static const uint32_t types[] = { PERF_TYPE_SOFTWARE, PERF_TYPE_TRACEPOINT,
					  PERF_TYPE_BREAKPOINT };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(types); i++) {
		struct perf_event_attr a = { .type = types[i] };

		assert_false(rec_branches_are_of(&a));
		rec_branches_set(&a);
		assert_true(a.sample_type == 0 && a.branch_sample_type == 0);
	}
	assert_true(rec_branches_are_of(&(struct perf_event_attr){ .type = PERF_TYPE_RAW }));
}

static void the_kernel_alone_has_no_callers_in_user_space(void **state)
{
	struct record_spec spec = { .chains = RECORD_BRANCHES, .has_no_user = true };
	struct rec r = { .spec = &spec };
	struct error err = { "" };

	(void)state;
	assert_int_equal(rec_branches_check(&r, &err), ERR_USAGE);
	assert_true(str_contains(str_of(err.msg), STR("--all-kernel")));
	spec.chains = RECORD_UNWOUND;
	assert_int_equal(rec_branches_check(&r, &err), OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_of_the_processor_ask_for_its_call_stack),
		cmocka_unit_test(events_of_the_kernel_have_no_branches),
		cmocka_unit_test(the_kernel_alone_has_no_callers_in_user_space),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
