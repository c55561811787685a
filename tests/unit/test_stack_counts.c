/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/profile.h"
#include "document/document.h"
#include "formats/format.h"

DECLARE_FORMAT(stack_counts);

static size_t found(struct str text, struct extent *ret)
{
	return format_stack_counts.find(text, 0, ret) ? ret->to - ret->from : 0;
}

/* Read all of @text into @d. */
static void read_all(struct str text, struct dossier *d)
{
	CLEANUP(document_freep) struct document *doc = NULL;
	struct document_options raw = { .is_raw = true };
	struct region in = { .text = text, .first_line = 1 };

	assert_int_equal(document_from_memory(text, &raw, &doc, NULL), OK);
	in.doc = doc;
	assert_int_equal(format_stack_counts.read(&in, d, NULL), OK);
}

static void two_frames_and_a_count_are_a_stack(void **state)
{
	struct extent e;

	(void)state;
	assert_true(found(STR("    submit_bio\n    submit_bh\n        38\n"), &e));
	assert_int_equal(e.score, 90);
	assert_false(found(STR("    submit_bio\n        38\n"), &e));
	assert_false(found(STR("    submit_bio\n    submit_bh\n"), &e));
}

static void lists_and_prose_are_no_stacks(void **state)
{
	struct extent e;

	(void)state;
	assert_false(found(STR("    apples\n    pears\n        12\n"), &e));
	assert_false(found(STR("    the lock_a is slow\n    so is lock_b\n        12\n"), &e));
	assert_false(found(STR("submit_bio\nsubmit_bh\n38\n"), &e));
	assert_false(found(STR("    submit_bio\n\n    submit_bh\n\n        38\n"), &e));
	assert_false(found(STR("@[\n    vfs_read+1\n]:\n[2, 4)  3 |@@@|\n"), &e));
}

static void a_map_of_bpftrace_ends_at_its_amount(void **state)
{
	static const char text[] = "@[\n    vfs_read+1\n]: 12\nThe rest is prose.\n";
	struct extent e;

	(void)state;
	assert_int_equal(found(STR(text), &e), str_find(STR(text), STR("The")));
	assert_int_equal(e.score, 98);
}

static void a_second_head_starts_another_output(void **state)
{
	static const char text[] = "[1] Top 1 stacks with outstanding allocations:\n"
				   "\t80 bytes in 5 allocations from stack\n"
				   "\t\tmain+0x6d [a]\n"
				   "[2] Top 1 stacks with outstanding allocations:\n"
				   "\t160 bytes in 9 allocations from stack\n"
				   "\t\tmain+0x6d [a]\n";
	struct extent e;

	(void)state;
	assert_true(found(STR(text), &e));
	assert_int_equal(e.to, str_find(STR(text), STR("[2]")));
}

static void time_off_the_cpu_is_in_nanoseconds(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct profile *p;

	(void)state;
	read_all(STR("Tracing off-CPU time (us) of all threads by kernel stack...\n"
		     "    schedule\n    do_sys_poll\n    -                tmux (3210)\n"
		     "        1200345\n"),
		 d);
	p = d->captures.data[0]->profile;
	assert_int_equal(p->unit, WEIGHT_NS);
	assert_int_equal(p->samples.weight.data[0], 1200345000);
	assert_true(p->is_summed);
	assert_false(p->has_n_samples);
}

static void samples_of_a_timer_are_counted(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct profile *p;

	(void)state;
	read_all(STR("Sampling at 49 Hertz of all threads by user + kernel stack...\n"
		     "    f_one\n    main\n        15\n\n    g_two\n    main\n        4\n"),
		 d);
	p = d->captures.data[0]->profile;
	assert_int_equal(p->n_samples, 19);
	assert_int_equal(profile_count_samples(p), 19);
	assert_false(p->is_summed);
}

/* As scaleHeapSample() of pprof: 512 KiB between samples, and one object of 512 KiB. */
static void heaps_are_scaled_as_pprof_does(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct profile *p;

	(void)state;
	read_all(STR("heap profile: 1: 524288 [2: 1048576] @ heap/1048576\n"
		     "1: 524288 [2: 1048576] @ 0x4005 0x4006\n"),
		 d);
	assert_int_equal(d->captures.len, 2);
	p = d->captures.data[0]->profile;
	assert_int_equal(p->unit, WEIGHT_BYTES);
	assert_int_equal(p->samples.weight.data[0], 829411); /* 524288 / (1 - 1/e) */
	p = d->captures.data[1]->profile;
	assert_int_equal(p->samples.weight.data[0], 1658823);
}

static void cycles_become_time_and_stand_for_the_period(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();

	(void)state;
	read_all(STR("--- mutex:\ncycles/second=2000000000\nsampling period=5\n"
		     "2000 1 @ 0x4005 0x4006\n"),
		 d);
	assert_int_equal(d->captures.data[0]->profile->samples.weight.data[0], 5000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_frames_and_a_count_are_a_stack),
		cmocka_unit_test(lists_and_prose_are_no_stacks),
		cmocka_unit_test(a_map_of_bpftrace_ends_at_its_amount),
		cmocka_unit_test(a_second_head_starts_another_output),
		cmocka_unit_test(time_off_the_cpu_is_in_nanoseconds),
		cmocka_unit_test(samples_of_a_timer_are_counted),
		cmocka_unit_test(heaps_are_scaled_as_pprof_does),
		cmocka_unit_test(cycles_become_time_and_stand_for_the_period),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
