/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "analyses/categories.h"
#include "analyses/quality/quality.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "core/kinds/metrics.h"
#include "core/kinds/records.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "profiles.h"
#include "seeds.h"
#include "transform/recover.h"

#include <math.h>

static const struct quality_reason *reason(const struct quality *q, const char *id)
{
	VEC_FOREACH (r, &q->reasons) {
		if (strcmp(r->id, id) == 0)
			return r;
	}
	return NULL;
}

static void few_samples_are_said_with_their_interval(void **state)
{
	static const struct {
		unsigned int n;
		const char *sentence;
	} cases[] = {
		{ 1, "Only 1 sample: no conclusion possible" },
		{ 2, "Only 2 samples: one sample is 50 %; a row of 50 % may be 9–91 %" },
		{ 9, "Only 9 samples: one sample is 11 %; a row of 50 % may be 23–77 %" },
		{ 10, "Only 10 samples: one sample is 10.0 %; a row of 50 % may be 24–76 %" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(dossier_freep) struct dossier *d = dossier_new();
		struct category_cache cats = { 0 };
		struct quality q;
		char text[128] = "";

		for (unsigned int k = 0; k < cases[i].n; k++)
			memcpy(text + k * 6, "a;f 1\n", 6);
		quality_of(profile_of_folded(d, text), &cats, &q);
		assert_int_equal(q.verdict, QUALITY_POOR);
		assert_string_equal(q.reasons.data[0].id, "few-samples");
		assert_str(q.reasons.data[0].sentence, cases[i].sentence);
		quality_fini(&q);
		category_cache_fini(&cats);
	}
}

/* Each row becomes one piece of a chain, but the rows print 3 * 60326 samples. */
static void samples_that_rows_print_are_counted_not_the_pieces_of_chains(void **state)
{
	static const char *const frames[] = { "f", "g", "h" };
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct category_cache cats = { 0 };
	struct capture *c = dossier_add(d, "perf-report");
	struct recover_result r;
	struct quality q;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(frames); i++) {
		struct profile_row *row =
			profile_add_row(d, c, "a", "x", '.', frames[i], UINT64_MAX, 2000);

		row->samples = 60326;
		row->has |= ROW_HAS_SAMPLES;
	}
	recover_samples(c, &r);
	quality_of(c, &cats, &q);
	assert_null(reason(&q, "few-samples"));
	assert_true(reason(&q, "samples-least")->figure == 180978);
	quality_fini(&q);
	/* a header with fewer samples than the rows contradicts the rows */
	c->profile->has_n_samples = true;
	c->profile->n_samples = 9;
	quality_of(c, &cats, &q);
	assert_true(reason(&q, "samples-contradict")->figure == 180978);
	quality_fini(&q);
	category_cache_fini(&cats);
}

static void excerpts_and_unknown_sample_counts_are_said(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct category_cache cats = { 0 };
	struct capture *c = dossier_add(d, "perf-report");
	struct quality q;

	(void)state;
	profile_add_row(d, c, "a", "x", '.', "f", UINT64_MAX, 6000);
	profile_add_row(d, c, "a", "x", '.', "0x0000000000000010", UINT64_MAX, 1000);
	quality_of(c, &cats, &q);
	assert_int_equal(q.verdict, QUALITY_USABLE);
	assert_non_null(reason(&q, "samples-unknown"));
	assert_int_equal(reason(&q, "visible")->severity, QUALITY_CAUTION);
	assert_int_equal(reason(&q, "unsymbolised")->severity, QUALITY_CAUTION);
	assert_true(fabs(reason(&q, "visible")->figure - 70) < 1e-9);
	quality_fini(&q);
	category_cache_fini(&cats);
}

static void data_that_does_not_say_enough_cannot_be_judged(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct category_cache cats = { 0 };
	struct capture *c = dossier_add(d, "perf-report");
	struct quality q;

	(void)state;
	profile_add_row(d, c, "a", "x", '.', "f", UINT64_MAX, 10000);
	quality_of(c, &cats, &q);
	assert_int_equal(q.verdict, QUALITY_CANNOT_TELL);
	assert_string_equal(quality_verdict_name(q.verdict), "cannot-tell");
	quality_fini(&q);
	category_cache_fini(&cats);
}

static void what_a_reader_skipped_is_a_reason(void **state)
{
	static const struct diag_kind lost = { "made-up-loss", DIAG_DATALOSS, "lines were eaten" };
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct category_cache cats = { 0 };
	struct capture *c = profile_of_folded(d, "a;main;f 5000\n");
	struct quality q;

	(void)state;
	c->profile->n_samples = 5000;
	c->profile->has_n_samples = true;
	quality_of(c, &cats, &q);
	assert_int_equal(q.verdict, QUALITY_GOOD);
	quality_fini(&q);
	diag_add(&c->diag, &lost, 3, 17);
	quality_of(c, &cats, &q);
	assert_int_equal(q.verdict, QUALITY_USABLE);
	assert_str(q.reasons.data[0].sentence, "3 lines were eaten (first: L17)");
	assert_int_equal(q.reasons.data[0].line, 17);
	quality_fini(&q);
	category_cache_fini(&cats);
}

static void one_that_a_reader_skipped_is_no_plural(void **state)
{
	static const struct diag_kind lost = { "made-up-loss", DIAG_DATALOSS, "lines to eat" };
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct category_cache cats = { 0 };
	struct capture *c = profile_of_folded(d, "a;main;f 5000\n");
	struct quality q;

	(void)state;
	diag_add(&c->diag, &lost, 1, 17);
	quality_of(c, &cats, &q);
	assert_str(reason(&q, "made-up-loss")->sentence, "lines to eat: 1 (L17)");
	quality_fini(&q);
	category_cache_fini(&cats);
}

static void traces_tables_and_logs_have_their_reasons(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct category_cache cats = { 0 };
	struct capture *c = dossier_add(d, "function-graph");
	struct calls *calls = capture_calls(c);
	struct quality q;
	uint32_t row;

	(void)state;
	calls->lost_events = 12;
	assert_int_equal(calls_add(calls, SYM_ID_NONE, INDEX_NONE,
				   calls_lane(calls, (struct call_lane){ .cpu = 1 }), 0, CALL_OPEN,
				   3, &row),
			 OK);
	quality_of(c, &cats, &q);
	assert_int_equal(q.verdict, QUALITY_POOR);
	assert_string_equal(q.reasons.data[0].id, "lost-events");
	assert_non_null(reason(&q, "open-calls"));
	quality_fini(&q);
	/* callers of mixed CPUs are a guess: unusable, even if all else is good */
	calls->lost_events = 0;
	calls->is_bare = calls->is_mixed = true;
	calls->mixed = 5;
	quality_of(c, &cats, &q);
	assert_int_equal(q.verdict, QUALITY_POOR);
	assert_string_equal(q.reasons.data[0].id, "mixed-cpus");
	quality_fini(&q);
	calls->mixed = 0;
	quality_of(c, &cats, &q);
	assert_int_equal(q.verdict, QUALITY_USABLE);
	assert_non_null(reason(&q, "mixed-cpus"));
	quality_fini(&q);
	calls->is_mixed = false;
	quality_of(c, &cats, &q);
	assert_non_null(reason(&q, "no-cpus"));
	assert_null(reason(&q, "no-tasks"));
	quality_fini(&q);
	c = dossier_add(d, "metric-table");
	*VEC_PUSH(&capture_metrics(c)->columns) = (struct metric_column){ 0 };
	quality_of(c, &cats, &q);
	assert_int_equal(q.verdict, QUALITY_CANNOT_TELL);
	assert_non_null(reason(&q, "unnamed-columns"));
	quality_fini(&q);
	c = dossier_add(d, "ovs-vlog");
	*VEC_PUSH(&capture_records(c)->rows) =
		(struct log_record){ .has_time = true, .is_truncated = true, .line = 9 };
	quality_of(c, &cats, &q);
	assert_int_equal(q.verdict, QUALITY_GOOD);
	assert_int_equal(reason(&q, "truncated-records")->line, 9);
	quality_fini(&q);
	category_cache_fini(&cats);
}

/* 19 calls are 38 events. */
static void lost_events_are_serious_above_five_percent(void **state)
{
	(void)state;
	for (unsigned int lost = 0; lost <= 3; lost++) {
		CLEANUP(dossier_freep) struct dossier *d = dossier_new();
		struct category_cache cats = { 0 };
		struct capture *c = dossier_add(d, "function-graph");
		struct calls *calls = capture_calls(c);
		struct quality q;
		uint32_t row;

		calls->lost_events = lost;
		for (uint32_t i = 0; i < 19; i++)
			assert_int_equal(
				calls_add(calls, SYM_ID_NONE, INDEX_NONE,
					  calls_lane(calls, (struct call_lane){ .cpu = 1 }),
					  i * 100, 50, 3, &row),
				OK);
		quality_of(c, &cats, &q);
		assert_int_equal(reason(&q, "lost-events") != NULL, lost > 0);
		if (lost)
			assert_int_equal(reason(&q, "lost-events")->severity,
					 lost > 2 ? QUALITY_SERIOUS : QUALITY_CAUTION);
		quality_fini(&q);
		category_cache_fini(&cats);
	}
}

static void the_samples_are_judged_as_an_expert_does(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(dossier_freep) struct dossier *e = dossier_new();
	struct category_cache cats = { 0 };
	struct recover_result r;
	struct quality q;

	(void)state;
	if (!seed_load(d, "000") || !seed_load(e, "001"))
		SKIP_TEST("../shared/seeds is missing");
	quality_of(seed_largest_table(d), &cats, &q);
	VEC_FOREACH (x, &q.reasons)
		print_message("# %s %s: " STR_FMT "\n", quality_severity_name(x->severity), x->id,
			      STR_ARG(x->sentence));
	assert_int_equal(q.verdict, QUALITY_USABLE);
	assert_true(fabs(reason(&q, "unsymbolised")->figure - 7.33) < 1e-9);
	assert_true(fabs(reason(&q, "rounded-to-zero")->figure - 277) < 1e-9);
	assert_true(fabs(reason(&q, "visible")->figure - 99.67) < 1e-9);
	assert_int_equal(reason(&q, "broken-chains")->severity, QUALITY_CAUTION);
	assert_true(reason(&q, "none-lost") != NULL);
	quality_fini(&q);
	category_cache_fini(&cats);
	recover_samples(seed_largest_table(e), &r);
	quality_of(seed_largest_table(e), &cats, &q);
	VEC_FOREACH (x, &q.reasons)
		print_message("# %s %s: " STR_FMT "\n", quality_severity_name(x->severity), x->id,
			      STR_ARG(x->sentence));
	assert_int_equal(q.verdict, QUALITY_USABLE);
	assert_true(reason(&q, "few-samples")->figure == 67);
	assert_non_null(reason(&q, "clock-event"));
	assert_true(fabs(reason(&q, "children-overlap")->figure - 2413.41) < 1e-9);
	quality_fini(&q);
	category_cache_fini(&cats);
}

/* @n samples of one CPU, @step_ns apart; every eighth @late_ns later. */
static struct capture *timed(struct dossier *d, size_t n, uint64_t step_ns, uint64_t late_ns)
{
	struct capture *c = profile_of_folded(d, "a;main;f 1\n");
	struct profile *p = c->profile;
	stack_id stack = p->samples.stack.data[0];

	p->unit = WEIGHT_NS;
	while (p->samples.n < n)
		assert_int_equal(profile_add_sample(p, stack, 1), OK);
	for (size_t i = 0; i < n; i++) {
		*VEC_PUSH(&p->samples.time_ns) = 5000000123 + i * step_ns + (i % 8 == 1) * late_ns;
		*VEC_PUSH(&p->samples.cpu) = 3;
	}
	return c;
}

/* Percentage of samples in step with ticks; -1: not reported. */
static double in_step(size_t n, uint64_t step_ns, uint64_t late_ns)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct category_cache cats = { 0 };
	struct quality q;
	double figure = -1;

	quality_of(timed(d, n, step_ns, late_ns), &cats, &q);
	if (reason(&q, "in-step"))
		figure = reason(&q, "in-step")->figure;
	quality_fini(&q);
	category_cache_fini(&cats);
	return figure;
}

static void samples_in_step_with_timer_ticks_are_found(void **state)
{
	(void)state;
	assert_true(in_step(500, 1000000, 0) == 100);   /* -F 1000 */
	assert_true(in_step(500, 250000, 2000) == 100); /* -F 4000, two microseconds of jitter */
	assert_true(in_step(500, 4000000, 0) == 100);
	assert_true(in_step(500, 1001001, 0) == -1);      /* -F 999 */
	assert_true(in_step(500, 1003009, 0) == -1);      /* -F 997 */
	assert_true(in_step(500, 1000000, 400000) == -1); /* two phases */
	assert_true(in_step(99, 1000000, 0) == -1);       /* too few to decide */
	assert_true(in_step(500, 0, 0) == -1);
}

static void how_the_recording_went_is_judged(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct category_cache cats = { 0 };
	struct capture *c = timed(d, 5000, 1001001, 0); /* 5 s */
	struct quality q;

	(void)state;
	c->profile->recording = (struct profile_recording){
		.is_known = true, .throttled = 50, .enabled_ns = 1000, .running_ns = 250
	};
	quality_of(c, &cats, &q);
	assert_int_equal(reason(&q, "throttled")->severity, QUALITY_CAUTION);
	assert_true(fabs(reason(&q, "throttled")->figure - 10) < 0.1);
	assert_int_equal(reason(&q, "multiplexed")->severity, QUALITY_CAUTION);
	assert_true(reason(&q, "multiplexed")->figure == 25);
	quality_fini(&q);
	c->profile->recording.throttled = 1;
	c->profile->recording.running_ns = 1000;
	quality_of(c, &cats, &q);
	assert_int_equal(reason(&q, "throttled")->severity, QUALITY_INFO);
	assert_null(reason(&q, "multiplexed"));
	quality_fini(&q);
	category_cache_fini(&cats);
}

static void chains_as_deep_as_the_kernel_goes_are_cut(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct category_cache cats = { 0 };
	struct capture *c = profile_of_folded(d, "a;main;f 1\n");
	struct profile *p = c->profile;
	stack_id deep = p->samples.stack.data[0];
	sym_id f = stacks_sym(&p->stacks, deep);
	struct quality q;

	(void)state;
	while (stacks_depth(&p->stacks, deep) < 1 + 127)
		deep = stacks_push(&p->stacks, deep, f);
	assert_int_equal(profile_add_sample(p, deep, 1), OK);
	quality_of(c, &cats, &q);
	assert_true(reason(&q, "truncated-chains")->figure == 50);
	quality_fini(&q);
	/*
	 * a stored chain stands for several samples: the complete one for three, the truncated one
	 * for one
	 */
	*VEC_PUSH(&p->samples.count) = 3;
	*VEC_PUSH(&p->samples.count) = 1;
	quality_of(c, &cats, &q);
	assert_true(reason(&q, "truncated-chains")->figure == 25);
	quality_fini(&q);
	*VEC_PUSH(&p->samples.count) = 1;
	/* a deeper chain: so the depth limit was higher */
	assert_int_equal(profile_add_sample(p, stacks_push(&p->stacks, deep, f), 1), OK);
	quality_of(c, &cats, &q);
	assert_null(reason(&q, "truncated-chains"));
	quality_fini(&q);
	category_cache_fini(&cats);
}

/* A sample of main -> @caller of @module -> f. */
static void add_chain(struct dossier *d, struct profile *p, const char *caller, const char *module)
{
	stack_id at = stacks_push(&p->stacks, STACK_ROOT,
				  symbols_add_text(&d->symbols, STR("a"), STR(""), SPACE_COMM, 0));

	at = stacks_push(&p->stacks, at,
			 symbols_add_text(&d->symbols, STR("main"), STR("app"), SPACE_USER, 0));
	at = stacks_push(
		&p->stacks, at,
		symbols_add_text(&d->symbols, str_of(caller), str_of(module), SPACE_USER, 0));
	at = stacks_push(&p->stacks, at,
			 symbols_add_text(&d->symbols, STR("f"), STR("app"), SPACE_USER, 0));
	assert_int_equal(profile_add_sample(p, at, 1), OK);
}

static void a_caller_inside_the_chain_may_be_no_code_too(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct capture *c = profile_of_folded(d, "a;main;g;0x0000000000000000 1\na;main;g 2\n");
	struct quality_chains chains;

	(void)state;
	add_chain(d, c->profile, "0x0000000000000008", "[unknown]");
	add_chain(d, c->profile, "0x0000000000000008", "");
	/* address 8 is inside a module without symbols: it may be code */
	add_chain(d, c->profile, "0x0000000000000008", "app");
	quality_chains_of(c, &chains);
	assert_int_equal(chains.all, 5);
	assert_int_equal(chains.broken, 2); /* a sampled address is no caller */
}

/* A sample of @chain, outermost first: "0x6c;main;f". */
static void add_frames(struct dossier *d, struct profile *p, const char *chain)
{
	struct str rest = str_of(chain);
	stack_id at = STACK_ROOT;

	while (rest.len) {
		struct str name = str_sub(rest, 0, str_find_char(rest, ';'));

		rest = str_skip(rest, name.len + 1);
		at = stacks_push(&p->stacks, at,
				 symbols_add_text(&d->symbols, name,
						  name.p[0] == '0' ? STR("[unknown]") : STR("app"),
						  SPACE_USER, 0));
	}
	assert_int_equal(profile_add_sample(p, at, 1), OK);
}

static void what_is_beyond_the_start_of_a_thread_breaks_no_chain(void **state)
{
	/* these chains start with the end marker of a stack or with an initial register value */
	static const char *const whole[] = {
		"0x0;start_thread;work;leaf",
		"0000000000000000;run;leaf",
		"0xbe552274c0854800;_fini;__libc_start_call_main;main;leaf",
		"0xbe552274c0854800;_fini;main",
	};
	static const char *const broken[] = {
		"0x6c;run;leaf",       "0x0;0x6c;run;leaf", "run;0x0;leaf",
		"0x6c;main;0x10;leaf", "0x0;leaf",
	};
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct capture *c = profile_of_folded(d, "");
	struct quality_chains chains;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(whole); i++)
		add_frames(d, c->profile, whole[i]);
	quality_chains_of(c, &chains);
	assert_int_equal(chains.all, 4);
	assert_int_equal(chains.broken, 0);
	assert_int_equal(chains.whole, 3);
	assert_int_equal(chains.cut, 1); /* "run" is no start of a thread */
	for (size_t i = 0; i < ARRAY_LEN(broken); i++)
		add_frames(d, c->profile, broken[i]);
	quality_chains_of(c, &chains);
	assert_int_equal(chains.all, 9);
	assert_int_equal(chains.broken, 5);
}

static void the_ends_of_chains_are_shares_where_the_recording_has_chains(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct capture *c = profile_of_folded(d, "");
	struct category_cache cats = { 0 };
	struct quality q;

	(void)state;
	for (size_t i = 0; i < 18; i++)
		add_frames(d, c->profile, "_start;main;run;leaf");
	add_frames(d, c->profile, "run;leaf");
	/* an unnamed end counts neither as whole nor as cut */
	add_frames(d, c->profile, "0x7f0000001234;leaf");
	quality_of(c, &cats, &q);
	assert_null(reason(&q, "chain-ends"));
	quality_fini(&q);
	c->profile->chains = CHAINS_UNWOUND;
	quality_of(c, &cats, &q);
	assert_true(
		str_eq(reason(&q, "chain-ends")->sentence,
		       STR("Call chains (unwound): 94.7 % whole, 5.3 % cut, 0.0 % implausible")));
	assert_int_equal(reason(&q, "chain-ends")->severity, QUALITY_INFO);
	quality_fini(&q);
	add_frames(d, c->profile, "leaf"); /* a sample without a caller is cut, too */
	quality_of(c, &cats, &q);
	assert_int_equal(reason(&q, "chain-ends")->severity, QUALITY_INFO); /* 90.0 % are whole */
	quality_fini(&q);
	for (size_t i = 0; i < 5; i++)
		add_frames(d, c->profile, "0x6c;run;leaf");
	quality_of(c, &cats, &q);
	assert_int_equal(reason(&q, "chain-ends")->severity, QUALITY_CAUTION);
	/* 18, 2 and 5 of 25 */
	assert_str(reason(&q, "chain-ends")->sentence,
		   "Call chains (unwound): 72.0 % whole, 8.0 % cut, 20.0 % implausible");
	quality_fini(&q);
	category_cache_fini(&cats);
}

/* Add @n samples of @chain; with @no_frame the innermost function has no frame of its own. */
static void add_samples(struct dossier *d, struct profile *p, const char *chain, size_t n,
			bool no_frame)
{
	for (size_t i = 0; i < n; i++) {
		add_frames(d, p, chain);
		profile_set_no_frame(p, no_frame);
	}
}

static void few_selected_samples_are_reported_with_their_interval(void **state)
{
	static const struct {
		size_t n;
		int severity; /* -1: no reason */
	} cases[] = { { 29, QUALITY_SERIOUS },
		      { 30, QUALITY_CAUTION },
		      { 999, QUALITY_CAUTION },
		      { 1000, -1 } };
	struct category_cache cats = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(dossier_freep) struct dossier *d = dossier_new();
		struct capture *c = profile_of_folded(d, "");
		const struct quality_reason *r;
		struct quality q;

		add_samples(d, c->profile, "main;f", cases[i].n, false);
		c->profile->is_selected = true;
		c->profile->has_n_samples = true;
		c->profile->n_samples = 5000;
		quality_of(c, &cats, &q);
		r = reason(&q, "few-chosen");
		assert_int_equal(r ? (int)r->severity : -1, cases[i].severity);
		if (i == 1)
			assert_true(str_contains(r->sentence, STR("Only 30 samples were")) &&
				    str_contains(r->sentence, STR("may be 33–67 %")));
		quality_fini(&q);
	}
	category_cache_fini(&cats);
}

static void samples_without_a_real_caller_are_a_reason_with_a_next_step(void **state)
{
	static const char *const alone[] = { "leaf", "main;leaf", "start_thread;leaf",
					     "0x00007ffe1d1cf6a8;leaf",
					     "_start;__libc_start_main;main;leaf" };
	struct category_cache cats = { 0 };
	struct quality q;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(alone); i++) {
		CLEANUP(dossier_freep) struct dossier *d = dossier_new();
		struct capture *c = profile_of_folded(d, "");

		c->profile->chains = CHAINS_FRAME_POINTERS;
		add_samples(d, c->profile, alone[i], 98, true);
		add_samples(d, c->profile, "_start;main;run;leaf", 2, false);
		quality_of(c, &cats, &q);
		assert_non_null(reason(&q, "no-callers"));
		assert_true(reason(&q, "no-callers")->figure == 98);
		/* both reasons are about the same samples: reported once */
		assert_null(reason(&q, "frameless-leaf"));
		assert_true(
			str_contains(reason(&q, "no-callers")->sentence,
				     STR("98 % are in functions without a frame (mainly leaf)")));
		assert_true(str_contains(reason(&q, "no-callers")->sentence,
					 STR("-mno-omit-leaf-frame-pointer")));
		assert_int_equal(reason(&q, "no-callers")->severity, QUALITY_CAUTION);
		assert_true(str_contains(reason(&q, "no-callers")->sentence,
					 STR("--call-graph dwarf")));
		quality_fini(&q);
		category_cache_fini(&cats);
	}
}

static void chains_that_were_recorded_and_hold_no_caller_are_a_reason_too(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct capture *c = profile_of_folded(d, "db;leaf 20\n");
	struct category_cache cats = { 0 };
	struct quality q;

	(void)state;
	quality_of(c, &cats, &q);
	assert_non_null(reason(&q, "no-chains"));
	assert_null(reason(&q, "no-callers")); /* callers were not requested */
	quality_fini(&q);
	c->profile->chains = CHAINS_FRAME_POINTERS;
	quality_of(c, &cats, &q);
	assert_non_null(reason(&q, "no-callers"));
	assert_true(reason(&q, "no-callers")->figure == 100);
	quality_fini(&q);
	category_cache_fini(&cats);
}

static void main_is_a_caller_where_the_chain_can_be_trusted(void **state)
{
	/* perf script text does not name the source of chains: no evidence against main */
	static const enum chain_source trusted[] = { CHAINS_UNWOUND, CHAINS_BRANCHES,
						     CHAINS_FRAME_POINTERS, CHAINS_UNKNOWN };
	struct category_cache cats = { 0 };
	struct quality q;

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_LEN(trusted); i++) {
		CLEANUP(dossier_freep) struct dossier *d = dossier_new();
		struct capture *c = profile_of_folded(d, "");

		c->profile->chains = (uint8_t)trusted[i / 2];
		/* leaf() is called by main, or is the function of a thread */
		add_samples(d, c->profile, i % 2 ? "clone3;start_thread;leaf" : "_start;main;leaf",
			    90, false);
		/* no caller of main itself is missing */
		add_samples(d, c->profile, "_start;main", 10, false);
		quality_of(c, &cats, &q);
		assert_null(reason(&q, "no-callers"));
		assert_null(reason(&q, "frameless-leaf"));
		quality_fini(&q);
		category_cache_fini(&cats);
	}
}

static void functions_without_a_frame_are_counted_and_the_heaviest_is_named(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct capture *c = profile_of_folded(d, "");
	struct category_cache cats = { 0 };
	struct quality q;

	(void)state;
	c->profile->chains = CHAINS_FRAME_POINTERS;
	add_samples(d, c->profile, "_start;main;check_all;has_dup", 20, false);
	add_samples(d, c->profile, "_start;main;check_all;strlen", 10, true);
	add_samples(d, c->profile, "_start;main;check_all;memcmp", 70, true);
	quality_of(c, &cats, &q);
	assert_null(reason(&q, "no-callers"));
	assert_non_null(reason(&q, "frameless-leaf"));
	assert_true(reason(&q, "frameless-leaf")->figure == 80);
	assert_int_equal(reason(&q, "frameless-leaf")->severity, QUALITY_CAUTION);
	assert_true(str_contains(reason(&q, "frameless-leaf")->sentence, STR("mainly memcmp")));
	quality_fini(&q);
	category_cache_fini(&cats);
}

static void functions_without_a_frame_matter_from_2_percent_and_warn_from_10(void **state)
{
	static const struct {
		unsigned int per_mille;
		int severity; /* -1: no reason */
	} cases[] = {
		{ 19, -1 }, { 20, QUALITY_INFO }, { 99, QUALITY_INFO }, { 100, QUALITY_CAUTION }
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(dossier_freep) struct dossier *d = dossier_new();
		struct capture *c = profile_of_folded(d, "");
		struct category_cache cats = { 0 };
		struct quality q;

		c->profile->chains = CHAINS_FRAME_POINTERS;
		add_samples(d, c->profile, "_start;main;run;work", 1000 - cases[i].per_mille,
			    false);
		add_samples(d, c->profile, "_start;main;run;memcmp", cases[i].per_mille, true);
		quality_of(c, &cats, &q);
		if (cases[i].severity < 0)
			assert_null(reason(&q, "frameless-leaf"));
		else
			assert_int_equal(reason(&q, "frameless-leaf")->severity, cases[i].severity);
		quality_fini(&q);
		category_cache_fini(&cats);
	}
}

static void two_reasons_of_about_the_same_samples_are_one(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct capture *c = profile_of_folded(d, "");
	struct category_cache cats = { 0 };
	struct quality q;

	(void)state;
	c->profile->chains = CHAINS_FRAME_POINTERS;
	add_samples(d, c->profile, "_start;main;memcmp", 50, true);
	add_samples(d, c->profile, "_start;main;run;memcmp", 10, true);
	add_samples(d, c->profile, "_start;main;run;work", 40, false);
	quality_of(c, &cats, &q);
	assert_null(reason(&q, "frameless-leaf"));
	assert_true(reason(&q, "no-callers")->figure == 50);
	assert_true(str_contains(reason(&q, "no-callers")->sentence,
				 STR("; 60 % are in functions without a frame (mainly memcmp)")));
	quality_fini(&q);
	/* other samples without callers: both reasons are reported */
	add_samples(d, c->profile, "clone3;work", 100, false);
	quality_of(c, &cats, &q);
	assert_true(reason(&q, "no-callers")->figure == 75);
	assert_true(reason(&q, "frameless-leaf")->figure == 30);
	quality_fini(&q);
	category_cache_fini(&cats);
}

/* 15 % without any caller are information; 17 % without a frame are a caution */
static void one_reason_for_two_is_as_severe_as_the_worse(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct capture *c = profile_of_folded(d, "");
	struct category_cache cats = { 0 };
	struct quality q;

	(void)state;
	c->profile->chains = CHAINS_FRAME_POINTERS;
	add_samples(d, c->profile, "_start;main;memcmp", 15, true);
	add_samples(d, c->profile, "_start;main;run;memcmp", 2, true);
	add_samples(d, c->profile, "_start;main;run;work", 83, false);
	quality_of(c, &cats, &q);
	assert_null(reason(&q, "frameless-leaf"));
	assert_true(reason(&q, "no-callers")->figure == 15);
	assert_int_equal(reason(&q, "no-callers")->severity, QUALITY_CAUTION);
	quality_fini(&q);
	category_cache_fini(&cats);
}

static void one_sample_and_one_address_are_no_plural(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct capture *c = profile_of_folded(d, "a;main;f 1\n");
	struct category_cache cats = { 0 };
	struct quality q;

	(void)state;
	c->profile->has_lost = true;
	c->profile->lost = 1;
	quality_of(c, &cats, &q);
	assert_true(str_starts(reason(&q, "few-samples")->sentence,
			       STR("Only 1 sample: no conclusion")));
	assert_true(str_starts(reason(&q, "lost-samples")->sentence, STR("1 sample was lost")));
	quality_fini(&q);
	c = dossier_add(d, "perf-report");
	profile_add_row(d, c, "a", "x", '.', "f", UINT64_MAX, 6000);
	profile_add_row(d, c, "a", "x", '.', "0x0000000000000010", UINT64_MAX, 1000);
	quality_of(c, &cats, &q);
	assert_true(str_contains(reason(&q, "unsymbolised")->sentence, STR("(1 address)")));
	quality_fini(&q);
	category_cache_fini(&cats);
}

static void a_tree_that_begins_at_the_outermost_function_is_a_chain(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct capture *c = dossier_add(d, "made");
	struct profile_row *row = profile_add_row(d, c, "db", "[kernel]", 'k', "do_exit", 9000, 10);
	struct category_cache cats = { 0 };
	struct quality q;

	(void)state;
	row->tree = 0;
	c->profile->table.order = CHAIN_CALLER;
	for (uint32_t i = 0; i < 2; i++)
		*VEC_PUSH(&c->profile->table.nodes) = (struct profile_node){
			.sym = row->sym, .weight = 4000, .parent = i ? 0 : INDEX_NONE, .end = 2
		};
	quality_of(c, &cats, &q);
	assert_null(reason(&q, "no-chains"));
	quality_fini(&q);
	category_cache_fini(&cats);
}

/* The severity of the reason @id; QUALITY_INFO if it is missing. */
static enum quality_severity severity_of(struct capture *c, const char *id)
{
	struct category_cache cats = { 0 };
	enum quality_severity ret = QUALITY_INFO;
	struct quality q;

	quality_of(c, &cats, &q);
	if (reason(&q, id))
		ret = reason(&q, id)->severity;
	quality_fini(&q);
	category_cache_fini(&cats);
	return ret;
}

static enum quality_severity severity_of_samples(const char *id, unsigned int n, uint64_t lost)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct out text;
	struct capture *c;

	out_init(&text);
	for (unsigned int i = 0; i < n; i++)
		out_str(&text, STR("a;main;f 1\n"));
	out_char(&text, '\0');
	c = profile_of_folded(d, out_view(&text).p);
	out_fini(&text);
	c->profile->has_lost = lost > 0;
	c->profile->lost = lost;
	return severity_of(c, id);
}

static enum quality_severity severity_of_rows(const char *id, uint64_t named, uint64_t unnamed)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct capture *c = dossier_add(d, "perf-report");

	profile_add_row(d, c, "a", "x", '.', "f", UINT64_MAX, named);
	if (unnamed)
		profile_add_row(d, c, "a", "x", '.', "0x0000000000401000", UINT64_MAX, unnamed);
	return severity_of(c, id);
}

static void a_reason_is_as_severe_as_its_figure(void **state)
{
	(void)state;
	assert_int_equal(severity_of_samples("few-samples", 29, 0), QUALITY_SERIOUS);
	assert_int_equal(severity_of_samples("few-samples", 30, 0), QUALITY_CAUTION);
	assert_int_equal(severity_of_samples("few-samples", 999, 0), QUALITY_CAUTION);
	assert_int_equal(severity_of_samples("few-samples", 1000, 0), QUALITY_INFO);
	/* 5 of 100 samples lost, 51 of 1000 lost */
	assert_int_equal(severity_of_samples("lost-samples", 95, 5), QUALITY_CAUTION);
	assert_int_equal(severity_of_samples("lost-samples", 949, 51), QUALITY_SERIOUS);
	assert_int_equal(severity_of_rows("unsymbolised", 9805, 195), QUALITY_INFO);
	assert_int_equal(severity_of_rows("unsymbolised", 9800, 200), QUALITY_CAUTION);
	assert_int_equal(severity_of_rows("unsymbolised", 5005, 4995), QUALITY_CAUTION);
	assert_int_equal(severity_of_rows("unsymbolised", 5000, 5000), QUALITY_SERIOUS);
	assert_int_equal(severity_of_rows("visible", 1995, 0), QUALITY_SERIOUS);
	assert_int_equal(severity_of_rows("visible", 2005, 0), QUALITY_CAUTION);
	assert_int_equal(severity_of_rows("visible", 9490, 0), QUALITY_CAUTION);
	assert_int_equal(severity_of_rows("visible", 9505, 0), QUALITY_INFO);
}

/* Frames of random chains: their kind, as a reader of the chain would say. */
enum plain_kind { PLAIN_CODE, PLAIN_ENTRY, PLAIN_ZERO, PLAIN_BAD };

static const struct plain_frame {
	const char *name, *module;
	enum plain_kind kind;
	bool is_kernel;
} plain_frames[] = {
	{ "f", "app", PLAIN_CODE, false },
	{ "g", "app", PLAIN_CODE, false },
	{ "vfs_read", "[kernel.kallsyms]", PLAIN_CODE, true },
	{ "main", "app", PLAIN_ENTRY, false },
	{ "_start", "app", PLAIN_ENTRY, false },
	{ "0x0", "[unknown]", PLAIN_ZERO, false },
	{ "0x0", "", PLAIN_ZERO, false },
	{ "0x0", "app", PLAIN_CODE, false }, /* inside an object: an offset */
	{ "0x1", "", PLAIN_BAD, false },
	{ "0xfff", "[unknown]", PLAIN_BAD, false },
	{ "0x1000", "[unknown]", PLAIN_CODE, false },
	{ "0x7fffffffffff", "[unknown]", PLAIN_CODE, false },
	{ "0x800000000000", "[unknown]", PLAIN_BAD, false },
	{ "0xffff7fffffffffff", "[unknown]", PLAIN_BAD, false },
	{ "0xffff800000000000", "[unknown]", PLAIN_CODE, false },
};

#define PLAIN_DEPTH 5u

/* Add to @q one sample of the chain @c of @n frames, outermost first. */
static void plain_chain(struct quality_chains *q, const struct plain_frame *const *c, size_t n)
{
	/* a zero below callers is where the stack begins */
	bool has_mark = c[0]->kind == PLAIN_ZERO && n > 1;
	size_t end = has_mark, from = has_mark && (n > 2 || c[1]->kind != PLAIN_CODE);
	size_t bad = n;
	const struct plain_frame *last;

	for (size_t i = 0; i < n; i++) {
		if (c[i]->kind == PLAIN_ENTRY) {
			end = i;
			from = i + 1;
		}
	}
	for (size_t i = n; i-- > from;)
		bad = c[i]->kind == PLAIN_BAD || c[i]->kind == PLAIN_ZERO ? i : bad;
	/* the sampled function is no caller */
	last = c[bad < n - 1 ? bad : end];
	if (last->kind == PLAIN_ENTRY || last->is_kernel)
		q->whole++;
	else if (last->kind == PLAIN_CODE && last->name[0] != '0')
		q->cut++;
	if (n == 1)
		return;
	q->all++;
	q->address += last->name[0] == '0';
	q->broken += last->kind == PLAIN_BAD || last->kind == PLAIN_ZERO;
}

static void chains_end_where_a_reader_sees_their_end(void **state)
{
	uint64_t x = 3;

	(void)state;
	for (int turn = 0; turn < 4000; turn++) {
		CLEANUP(dossier_freep) struct dossier *d = dossier_new();
		struct capture *c = dossier_add(d, "test");
		struct profile *p = capture_profile(c);
		struct quality_chains expected = { 0 }, chains;

		for (int i = 0; i < 3; i++) {
			const struct plain_frame *frames[PLAIN_DEPTH];
			stack_id at = STACK_ROOT;
			size_t n;

			x = x * 6364136223846793005u + 1442695040888963407u;
			n = 1 + (x >> 33) % PLAIN_DEPTH;
			if (x >> 60 & 1)
				at = stacks_push(&p->stacks, at,
						 symbols_add_text(&d->symbols, STR("sh"), STR_NONE,
								  SPACE_COMM, 0));
			for (size_t k = 0; k < n; k++) {
				const struct plain_frame *f;

				x = x * 6364136223846793005u + 1442695040888963407u;
				f = frames[k] = &plain_frames[(x >> 33) % ARRAY_LEN(plain_frames)];
				at = stacks_push(
					&p->stacks, at,
					symbols_add_text(
						&d->symbols, str_of(f->name), str_of(f->module),
						f->is_kernel ? SPACE_KERNEL : SPACE_USER, 0));
			}
			assert_int_equal(profile_add_sample(p, at, 1), OK);
			plain_chain(&expected, frames, n);
		}
		quality_chains_of(c, &chains);
		assert_int_equal(chains.all, expected.all);
		assert_int_equal(chains.whole, expected.whole);
		assert_int_equal(chains.cut, expected.cut);
		assert_int_equal(chains.address, expected.address);
		assert_int_equal(chains.broken, expected.broken);
	}
}

/* One of two chains has 127 frames; a third one of a single frame is no chain. */
static void a_sample_without_callers_is_no_chain(void **state)
{
	static const struct {
		unsigned int frames;
		double pct;
	} cases[] = { { 126, -1 }, { 127, 50 }, { 128, -1 }, { 383, -1 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(dossier_freep) struct dossier *d = dossier_new();
		struct category_cache cats = { 0 };
		struct capture *c = profile_of_folded(d, "a;main;f 1\na;idle 1\n");
		struct profile *p = c->profile;
		stack_id deep = p->samples.stack.data[0];
		const struct quality_reason *r;
		struct quality q;

		while (stacks_depth(&p->stacks, deep) < 1 + cases[i].frames)
			deep = stacks_push(&p->stacks, deep, stacks_sym(&p->stacks, deep));
		assert_int_equal(profile_add_sample(p, deep, 1), OK);
		quality_of(c, &cats, &q);
		r = reason(&q, "truncated-chains");
		assert_true(cases[i].pct < 0 ? !r : r && r->figure == cases[i].pct);
		quality_fini(&q);
		category_cache_fini(&cats);
	}
}

static void one_process_is_one_pid_of_all_threads(void **state)
{
	static const struct {
		uint32_t pid[2];
		bool has_pid[2], has;
	} cases[] = {
		{ { 1, 1 }, { true, true }, true },   { { 0, 0 }, { true, true }, true },
		{ { 7, 8 }, { true, true }, false },  { { 7, 7 }, { true, false }, false },
		{ { 7, 7 }, { false, true }, false }, { { 0, 1 }, { true, true }, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(dossier_freep) struct dossier *d = dossier_new();
		struct category_cache cats = { 0 };
		struct capture *c = profile_of_folded(d, "a;main;f 1\nb;main;g 1\n");
		struct quality q;

		for (uint32_t k = 0; k < 2; k++) {
			*VEC_PUSH(&c->profile->threads) =
				(struct profile_thread){ .pid = cases[i].pid[k],
							 .has_pid = cases[i].has_pid[k] };
			*VEC_PUSH(&c->profile->samples.thread) = k;
		}
		quality_of(c, &cats, &q);
		assert_int_equal(reason(&q, "one-process") != NULL, cases[i].has);
		if (cases[i].has)
			assert_true(reason(&q, "one-process")->figure == cases[i].pid[0]);
		quality_fini(&q);
		category_cache_fini(&cats);
	}
}

static void no_selected_sample_allows_no_conclusion(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct category_cache cats = { 0 };
	struct capture *c = profile_of_folded(d, "app;main 5\n");
	struct quality q;

	(void)state;
	c->profile->is_selected = true;
	quality_of(c, &cats, &q);
	assert_true(!reason(&q, "few-chosen") || reason(&q, "few-chosen")->figure > 0);
	quality_fini(&q);
	c->profile->samples.n = 0;
	quality_of(c, &cats, &q);
	assert_int_equal(reason(&q, "few-chosen")->severity, QUALITY_SERIOUS);
	assert_true(reason(&q, "few-chosen")->figure == 0);
	assert_true(
		str_contains(reason(&q, "few-chosen")->sentence, STR("No sample was selected")));
	assert_int_equal(q.verdict, QUALITY_POOR);
	quality_fini(&q);
	category_cache_fini(&cats);
}

/* Names of kernel data in more than 1 % of the samples are those of another kernel. */
static void samples_in_kernel_data_are_serious_above_one_percent(void **state)
{
	(void)state;
	for (uint64_t data = 100; data < 102; data++) {
		CLEANUP(dossier_freep) struct dossier *d = dossier_new();
		struct category_cache cats = { 0 };
		struct capture *c = dossier_add(d, "perf-report");
		struct quality q;

		profile_add_row(d, c, "a", "app", '.', "main", UINT64_MAX, 10000 - data);
		profile_add_row(d, c, "a", "[kernel.kallsyms]", 'k', "init_task", UINT64_MAX, data);
		quality_of(c, &cats, &q);
		if (data == 100) {
			assert_null(reason(&q, "kernel-data"));
		} else {
			assert_int_equal(reason(&q, "kernel-data")->severity, QUALITY_SERIOUS);
			assert_true(fabs(reason(&q, "kernel-data")->figure - 1.01) < 1e-9);
			assert_true(str_contains(reason(&q, "kernel-data")->sentence,
						 STR("(init_task)")));
		}
		quality_fini(&q);
		category_cache_fini(&cats);
	}
}

static void a_capture_without_any_data_is_empty(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct category_cache cats = { 0 };
	struct capture *c = dossier_add(d, "folded");
	struct quality q;

	(void)state;
	quality_of(c, &cats, &q);
	assert_int_equal(q.reasons.len, 1);
	assert_int_equal(reason(&q, "nothing")->severity, QUALITY_SERIOUS);
	assert_int_equal(q.verdict, QUALITY_POOR);
	quality_fini(&q);
	(void)capture_records(c);
	quality_of(c, &cats, &q);
	assert_null(reason(&q, "nothing"));
	quality_fini(&q);
	category_cache_fini(&cats);
}

/* A recording with branch stacks is shown as if they were not there. */
static void branch_stacks_are_a_caution(void **state)
{
	(void)state;
	for (int has = 0; has < 2; has++) {
		CLEANUP(dossier_freep) struct dossier *d = dossier_new();
		struct category_cache cats = { 0 };
		struct capture *c = profile_of_folded(d, "app;main 5\n");
		struct quality q;

		c->profile->recording.has_branches = has;
		quality_of(c, &cats, &q);
		if (has)
			assert_int_equal(reason(&q, "branch-stacks")->severity, QUALITY_CAUTION);
		else
			assert_null(reason(&q, "branch-stacks"));
		quality_fini(&q);
		category_cache_fini(&cats);
	}
}

/* @running: percent of the time that the event was counted; < 0: not printed. */
static void add_counter(struct capture *c, const char *name, double value, double running)
{
	struct strings *s = &c->dossier->strings;

	assert_int_equal(counters_add(capture_counters(c), s,
				      (struct counter){ .name = strings_add(s, str_of(name)),
							.value = llround(value),
							.spread = -1,
							.running = running,
							.line = 7 }),
			 OK);
}

/* cycles and instructions in different groups of counters that were counted together too little */
static void cycles_and_instructions_of_different_times_are_a_reason(void **state)
{
	static const struct {
		double cycles, instructions;
		bool is_said;
	} cases[] = {
		{ 67, 83, false },  { 66.9, 83, true },      { 83, 66.9, true },  { 40, 41, false },
		{ 40, 41.1, true }, { 100, 50, false },      { 100, 49.9, true }, { -1, 40, false },
		{ 40, -1, false },  { 83.37, 83.08, false },
	};
	struct category_cache cats = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(dossier_freep) struct dossier *d = dossier_new();
		struct capture *c = dossier_add(d, "test");
		struct quality q;

		add_counter(c, "cycles", 9000, cases[i].cycles);
		add_counter(c, "instructions", 8000, cases[i].instructions);
		quality_of(c, &cats, &q);
		assert_int_equal(reason(&q, "mixed-intervals") != NULL, cases[i].is_said);
		if (cases[i].is_said)
			assert_int_equal(reason(&q, "mixed-intervals")->severity, QUALITY_CAUTION);
		quality_fini(&q);
	}
	category_cache_fini(&cats);
}

static void what_user_space_does_not_show_is_a_reason(void **state)
{
	static const struct {
		const char *cycles, *clock, *switches;
		unsigned int n_switches;
		const char *id; /* NULL: none */
	} cases[] = {
		{ "cycles:u", "task-clock:u", "context-switches:u", 0, "user-only" },
		{ "cycles:u", "task-clock:u", "cpu-migrations:u", 0, "user-only" },
		{ "cycles:u", "task-clock:u", "context-switches:u", 5, "user-cycles" },
		{ "cycles:u", "task-clock", "context-switches", 0, "user-cycles" },
		{ "cycles", "task-clock", "context-switches:u", 0, "user-switches" },
		{ "cycles:u", "duration_time", "context-switches:u", 0, "user-switches" },
		{ "cycles:u", "duration_time", "page-faults:u", 0, NULL },
		{ "cycles", "task-clock", "context-switches", 0, NULL },
	};
	struct category_cache cats = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(dossier_freep) struct dossier *d = dossier_new();
		struct capture *c = dossier_add(d, "test");
		struct quality q;

		add_counter(c, cases[i].clock, 1000, -1);
		add_counter(c, cases[i].cycles, 9000, -1);
		add_counter(c, cases[i].switches, cases[i].n_switches, -1);
		quality_of(c, &cats, &q);
		assert_int_equal(q.verdict, cases[i].id ? QUALITY_USABLE : QUALITY_GOOD);
		if (cases[i].id) {
			assert_int_equal(reason(&q, cases[i].id)->severity, QUALITY_CAUTION);
			assert_non_null(quality_not_for(reason(&q, cases[i].id)));
		}
		quality_fini(&q);
	}
	category_cache_fini(&cats);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_reason_is_as_severe_as_its_figure),
		cmocka_unit_test(what_is_beyond_the_start_of_a_thread_breaks_no_chain),
		cmocka_unit_test(the_ends_of_chains_are_shares_where_the_recording_has_chains),
		cmocka_unit_test(samples_without_a_real_caller_are_a_reason_with_a_next_step),
		cmocka_unit_test(chains_that_were_recorded_and_hold_no_caller_are_a_reason_too),
		cmocka_unit_test(main_is_a_caller_where_the_chain_can_be_trusted),
		cmocka_unit_test(functions_without_a_frame_are_counted_and_the_heaviest_is_named),
		cmocka_unit_test(functions_without_a_frame_matter_from_2_percent_and_warn_from_10),
		cmocka_unit_test(two_reasons_of_about_the_same_samples_are_one),
		cmocka_unit_test(one_reason_for_two_is_as_severe_as_the_worse),
		cmocka_unit_test(one_sample_and_one_address_are_no_plural),
		cmocka_unit_test(a_tree_that_begins_at_the_outermost_function_is_a_chain),
		cmocka_unit_test(few_samples_are_said_with_their_interval),
		cmocka_unit_test(few_selected_samples_are_reported_with_their_interval),
		cmocka_unit_test(samples_that_rows_print_are_counted_not_the_pieces_of_chains),
		cmocka_unit_test(excerpts_and_unknown_sample_counts_are_said),
		cmocka_unit_test(data_that_does_not_say_enough_cannot_be_judged),
		cmocka_unit_test(what_a_reader_skipped_is_a_reason),
		cmocka_unit_test(one_that_a_reader_skipped_is_no_plural),
		cmocka_unit_test(cycles_and_instructions_of_different_times_are_a_reason),
		cmocka_unit_test(what_user_space_does_not_show_is_a_reason),
		cmocka_unit_test(traces_tables_and_logs_have_their_reasons),
		cmocka_unit_test(samples_in_step_with_timer_ticks_are_found),
		cmocka_unit_test(how_the_recording_went_is_judged),
		cmocka_unit_test(chains_as_deep_as_the_kernel_goes_are_cut),
		cmocka_unit_test(a_caller_inside_the_chain_may_be_no_code_too),
		cmocka_unit_test(lost_events_are_serious_above_five_percent),
		cmocka_unit_test(the_samples_are_judged_as_an_expert_does),
		cmocka_unit_test(chains_end_where_a_reader_sees_their_end),
		cmocka_unit_test(a_sample_without_callers_is_no_chain),
		cmocka_unit_test(one_process_is_one_pid_of_all_threads),
		cmocka_unit_test(no_selected_sample_allows_no_conclusion),
		cmocka_unit_test(samples_in_kernel_data_are_serious_above_one_percent),
		cmocka_unit_test(a_capture_without_any_data_is_empty),
		cmocka_unit_test(branch_stacks_are_a_caution),
	};

	return cmocka_run_group_tests_name("quality", tests, NULL, NULL);
}
