/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "explain/explain.h"
#include "explain/facts.h"
#include "explain/findings.h"

#include <stdio.h>

/* An empty capture of samples. */
static struct capture *made_profile(struct dossier *d)
{
	struct capture *c = dossier_add(d, "made");

	(void)capture_profile(c);
	c->path = strings_add(&d->strings, STR("made.txt"));
	c->first_line = c->last_line = 1;
	c->profile->unit = WEIGHT_SAMPLES;
	return c;
}

static void made_sample(struct capture *c, const char *frames, uint64_t weight)
{
	struct profile *p = c->profile;
	struct str rest = str_of(frames);
	stack_id node = STACK_ROOT;

	while (rest.len) {
		size_t semi = str_find_char(rest, ';');
		enum symbol_space space = node.v == 0 ? SPACE_COMM : SPACE_KERNEL;

		node = stacks_push(&p->stacks, node,
				   symbols_add_text(capture_symbols(c), str_sub(rest, 0, semi),
						    node.v == 0        ? STR("")
						    : rest.p[0] == '0' ? STR("[unknown]")
								       : STR("[kernel]"),
						    space, 0));
		rest = str_skip(rest, semi + 1);
	}
	assert_int_equal(profile_add_sample(p, node, weight), OK);
	p->n_samples += weight;
	p->has_n_samples = true;
}

static const struct finding *found(const struct findings *f, const char *rule)
{
	VEC_FOREACH (row, &f->rows) {
		if (strcmp(row->rule->id, rule) == 0)
			return row;
	}
	return NULL;
}

static void lock_contention_names_the_caller_of_the_lock(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(facts_freep) struct facts *facts = NULL;
	struct capture *c = made_profile(d);
	struct findings f = { .rows = VEC_INIT };

	(void)state;
	made_sample(c, "db;raid1_write;_raw_spin_lock_irq;native_queued_spin_lock_slowpath", 60);
	made_sample(c, "db;fsync;_raw_spin_lock;native_queued_spin_lock_slowpath", 10);
	made_sample(c, "db;crc32", 30);
	facts = facts_new(d);
	explain_run(facts, NULL, &f);
	assert_null(findings_check(&f));
	assert_non_null(found(&f, "lock-contention"));
	assert_true(str_contains(found(&f, "lock-contention")->claim, STR("raid1_write")));
	assert_true(found(&f, "lock-contention")->sure >= 95);
	findings_fini(&f);
}

static void stacks_of_sleeping_tasks_are_no_time_on_a_cpu(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(facts_freep) struct facts *facts = NULL;
	struct capture *c = made_profile(d);
	struct findings f = { .rows = VEC_INIT };

	(void)state;
	made_sample(c, "db;read;schedule;finish_task_switch;wake_up_it;run_loop", 900);
	made_sample(c, "db;crc32", 50);
	facts = facts_new(d);
	assert_true(facts->profiles[0]->is_off_cpu);
	explain_run(facts, NULL, &f);
	assert_null(found(&f, "hot-function"));
	assert_null(found(&f, "wakeup-churn"));
	findings_fini(&f);
}

static void several_causes_are_apart_from_their_signs_and_from_what_is_not_known(void **state)
{
	struct findings all = { .rows = VEC_INIT };
	struct finding f = { .rule = NULL };

	(void)state;
	finding_usual_cause(&all, &f, "The queue is full, if it grows\nthe reader sleeps, if not");
	assert_int_equal(f.causes.len, 2);
	assert_str(f.cause, "The queue is full; the reader sleeps");
	assert_str(f.causes.data[1].cause, "The reader sleeps");
	assert_str(f.causes.data[1].sign, "not");
	assert_string_equal(finding_cause_label(&f), "Usual causes");
	finding_usual_cause(&all, &f, "the queue is full");
	assert_int_equal(f.causes.len, 0);
	assert_str(f.cause, "The queue is full");
	finding_because(&all, &f, "the share is printed\nwhether it grows");
	assert_str(f.sure_because, "the share is printed");
	assert_str(f.unknown, "whether it grows");
	finding_because(&all, &f, "the share is printed");
	assert_str(f.unknown, "");
	finding_fini(&f);
	findings_fini(&all);
}

static void what_is_said_of_several_captures_is_one_finding_with_all_places(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(facts_freep) struct facts *facts = NULL;
	struct findings f = { .rows = VEC_INIT };
	size_t n = 0;

	(void)state;
	for (unsigned int i = 0; i < 3; i++) {
		struct capture *c = made_profile(d);

		made_sample(c, "db;raid1_write;_raw_spin_lock_irq;native_queued_spin_lock_slowpath",
			    600 - 100 * i);
		made_sample(c, "db;crc32", 400);
	}
	facts = facts_new(d);
	explain_run(facts, NULL, &f);
	assert_null(findings_check(&f));
	VEC_FOREACH (row, &f.rows)
		n += strcmp(row->rule->id, "lock-contention") == 0;
	assert_int_equal(n, 1);
	assert_int_equal(found(&f, "lock-contention")->capture, 0);
	assert_int_equal(found(&f, "lock-contention")->also.len, 2);
	assert_true(found(&f, "lock-contention")->also.data[1].value > 49);
	findings_fini(&f);
}

static void thousands_of_captures_are_joined(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(facts_freep) struct facts *facts = NULL;
	struct findings f = { .rows = VEC_INIT };

	(void)state;
	for (unsigned int i = 0; i < 2100; i++) {
		struct capture *c = made_profile(d);

		made_sample(c, "db;raid1_write;_raw_spin_lock_irq;native_queued_spin_lock_slowpath",
			    600);
		made_sample(c, "db;crc32", 400);
	}
	facts = facts_new(d);
	explain_run(facts, NULL, &f);
	assert_in_range(f.rows.len, 1, 10);
	assert_int_equal(found(&f, "lock-contention")->also.len, 2099);
	findings_fini(&f);
}

static void a_profile_without_locks_is_clean(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(facts_freep) struct facts *facts = NULL;
	struct capture *c = made_profile(d);
	struct findings f = { .rows = VEC_INIT };
	struct explain_options options = { .only = STR("lock-contention|never-sleeping-loop") };

	(void)state;
	made_sample(c, "db;crc32", 99);
	made_sample(c, "db;_raw_spin_lock;native_queued_spin_lock_slowpath", 1);
	facts = facts_new(d);
	explain_run(facts, &options, &f);
	assert_int_equal(f.rows.len, 0);
	assert_true(f.clean.len >= 2);
	findings_fini(&f);
}

static void facts_have_shares_callers_and_callees(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(facts_freep) struct facts *facts = NULL;
	struct capture *c = made_profile(d);
	const struct profile_facts *p;
	struct fact_caller callers[2];

	(void)state;
	made_sample(c, "db;a;copy", 30);
	made_sample(c, "db;b;copy", 50);
	made_sample(c, "db;b;work.isra.0", 20);
	facts = facts_new(d);
	p = facts->profiles[0];
	assert_true(facts_sum(p, "copy").self == 80);
	assert_non_null(facts_function(p, "work"));
	assert_null(facts_function(p, "work.isra.0"));
	assert_true(facts_under(p, "b") == 70);
	assert_int_equal(facts_callers(p, "copy", NULL, callers, 2), 2);
	assert_str(facts_name(facts, callers[0].sym), "b");
	assert_true(callers[0].pct == 50);
}

static void the_main_caller_may_come_after_thousands_of_others(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(facts_freep) struct facts *facts = NULL;
	struct capture *c = made_profile(d);
	struct fact_caller caller;
	char frames[64];

	(void)state;
	for (unsigned int i = 0; i < 6000; i++) {
		(void)snprintf(frames, sizeof(frames), "db;caller%u;copy", i);
		made_sample(c, frames, 1);
	}
	made_sample(c, "db;main_caller;copy", 3000);
	made_sample(c, "db;caller7;other;copy", 1000);
	facts = facts_new(d);
	assert_int_equal(facts_callers(facts->profiles[0], "copy", NULL, &caller, 1), 1);
	assert_str(facts_name(facts, caller.sym), "main_caller");
	assert_true(caller.pct == 30);
}

static void an_address_where_no_code_can_be_is_no_caller(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(facts_freep) struct facts *facts = NULL;
	struct capture *c = made_profile(d);
	struct fact_caller callers[2];

	(void)state;
	made_sample(c, "db;0x0000000000000001;copy", 50);
	made_sample(c, "db;0x74697728206c6c6f;copy", 20);
	made_sample(c, "db;0x00007f0000001000;copy", 20);
	made_sample(c, "db;a;copy", 10);
	facts = facts_new(d);
	assert_int_equal(facts_callers(facts->profiles[0], "copy", NULL, callers, 2), 2);
	assert_str(facts_name(facts, callers[0].sym), "0x00007f0000001000");
	assert_str(facts_name(facts, callers[1].sym), "a");
}

static const char *named(const char *next, const char *path)
{
	static char text[128];
	struct findings out = { .rows = VEC_INIT };
	struct finding f = { .rule = NULL };

	finding_next(&out, &f, "%s", next);
	finding_name_input(&out, &f, str_of(path));
	(void)snprintf(text, sizeof(text), "%s", f.next.data[0].p);
	finding_fini(&f);
	findings_fini(&out);
	return text;
}

static void commands_of_assay_name_the_input(void **state)
{
	(void)state;
	assert_string_equal(named("assay calls FILE: times", "a.txt"), "assay calls a.txt: times");
	assert_string_equal(named("assay calls FILE", "my file"), "assay calls 'my file'");
	assert_string_equal(named("assay report FILE; assay flame FILE: a picture", "a.txt"),
			    "assay report a.txt; assay flame a.txt: a picture");
	/* FILE is not replaced in commands of other programs */
	assert_string_equal(named("python3 -m pstats FILE", "a.txt"), "python3 -m pstats FILE");
	assert_string_equal(named("assay html FILENAME", "a.txt"), "assay html FILENAME");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lock_contention_names_the_caller_of_the_lock),
		cmocka_unit_test(stacks_of_sleeping_tasks_are_no_time_on_a_cpu),
		cmocka_unit_test(
			several_causes_are_apart_from_their_signs_and_from_what_is_not_known),
		cmocka_unit_test(what_is_said_of_several_captures_is_one_finding_with_all_places),
		cmocka_unit_test(thousands_of_captures_are_joined),
		cmocka_unit_test(a_profile_without_locks_is_clean),
		cmocka_unit_test(facts_have_shares_callers_and_callees),
		cmocka_unit_test(the_main_caller_may_come_after_thousands_of_others),
		cmocka_unit_test(an_address_where_no_code_can_be_is_no_caller),
		cmocka_unit_test(commands_of_assay_name_the_input),
	};

	return cmocka_run_group_tests_name("explain", tests, NULL, NULL);
}
