/* SPDX-License-Identifier: MIT */
/*
 * Each signature rule, with a share just below and just above the thresholds that its page in
 * docs/rules promises: "from 8 % a note, from 20 % a warning".
 */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "document/document.h"
#include "explain/explain.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/signatures/signature.h"
#include "formats/load.h"
#include "profiles.h"

#include <stdio.h>
#include <stdlib.h>

DECLARE_RULE(copying);
DECLARE_RULE(lock_contention);

#define WHOLE 10000 /* samples of a profile: each is 0.01 % */
#define STEP  5     /* distance to a threshold: 0.05 % */

#define wrong(...)                        \
	do {                              \
		print_error(__VA_ARGS__); \
		print_error("\n");        \
		assert_true(false);       \
	} while (0)

/* Shares from which a rule's page promises a note and a warning, in 0.01 %. */
struct promise {
	int note;
	int lead; /* 0: never a warning */
};

/* A name that the first alternative of @pattern matches. */
static void name_of(const char *pattern, char *ret, size_t size)
{
	size_t n = 0;

	for (; *pattern && *pattern != '|' && n + 1 < size; pattern++) {
		if (*pattern == '[') {
			ret[n++] = pattern[1];
			pattern = strchr(pattern, ']');
		} else {
			ret[n++] = *pattern == '*' || *pattern == '?' ? 'x' : *pattern;
		}
	}
	ret[n] = '\0';
}

/* Fill @text, which has @weight samples, up to WHOLE with functions of a healthy profile. */
static void healthy(char *text, size_t size, int weight)
{
	size_t used = strlen(text);

	for (unsigned int n = 0; weight < WHOLE; n++) {
		int one = WHOLE - weight < 90 ? WHOLE - weight : 90;

		used += (size_t)snprintf(text + used, size - used, "db;main;work_%u%s %d\n", n,
					 n % 2 ? "" : "_[k]", one);
		weight += one;
	}
	assert_true(used < size);
}

/* A healthy profile, except for @weight samples in a function of the signature. */
static struct capture *profile_with(struct dossier *d, const struct signature *s, int weight)
{
	static char text[1 << 16];
	const char *mark = s->is_user ? "" : "_[k]";
	const char *const needs[] = { s->needs, s->needs_too };
	size_t used;
	char name[128];

	name_of(s->functions, name, sizeof(name));
	used = (size_t)snprintf(text, sizeof(text), "db;main;caller%s;%s%s %d\n", mark, name, mark,
				weight);
	for (size_t i = 0; i < ARRAY_LEN(needs); i++) {
		if (!needs[i])
			continue;
		name_of(needs[i], name, sizeof(name));
		used += (size_t)snprintf(text + used, sizeof(text) - used, "db;main;%s%s 1\n", name,
					 mark);
		weight++;
	}
	healthy(text, sizeof(text), weight);
	return profile_of_folded(d, text);
}

/* "no finding", or "note" or "warning": the severity of @rule if its functions have @weight. */
static const char *said(const struct rule *rule, int weight)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(facts_freep) struct facts *facts = NULL;
	struct findings f = { .rows = VEC_INIT };
	struct rule_input in = { .capture = profile_with(d, rule->signature, weight) };
	struct signature_share share;
	const struct finding *found;
	const char *ret = "no finding";

	in.facts = facts = facts_new(d);
	in.profile = facts->profiles[0];
	share = signature_measure(&in, rule->signature);
	found = signature_find(&in, &f, rule, rule->signature, &share);
	if (found)
		ret = found->severity == FINDING_NOTE ? "note" : "warning";
	findings_fini(&f);
	return ret;
}

/* The percentage directly before @what in @line, in 0.01 %; 0: none. */
static int percent_before(struct str line, const char *what)
{
	for (; line.len; line = str_skip(line, 1)) {
		struct str rest = line;
		double pct;

		if (*line.p < '0' || *line.p > '9')
			continue;
		if (str_double(&rest, &pct) && str_starts(rest, str_of(what)))
			return (int)(pct * 100 + 0.5);
		line = str_skip(line, (size_t)(rest.p - line.p) - 1);
	}
	return 0;
}

static struct promise promise_of(const char *rule)
{
	static char text[1 << 16];
	struct promise ret = { 0, 0 };
	struct str rest = { text, 0 };
	struct str line;
	char path[4096];
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/docs/rules/%s.md", unit_source(), rule);
	f = fopen(path, "re");
	if (!f)
		wrong("%s is missing", path);
	rest.len = fread(text, 1, sizeof(text), f);
	(void)fclose(f);
	while (str_line(&rest, &line)) {
		if (!str_starts(line, STR("**Thresholds.**")))
			continue;
		ret.note = percent_before(line, " % a note");
		ret.lead = percent_before(line, " % a warning");
	}
	return ret;
}

static void check_is(const struct rule *rule, int weight, const char *expected)
{
	const char *is = said(rule, weight);

	if (strcmp(is, expected) != 0)
		wrong("%s: %s at %.2f %%; docs/rules/%s.md: %s", rule->id, is, weight / 100.0,
		      rule->id, expected);
}

static void a_rule_begins_to_speak_where_its_page_says(void **state)
{
	size_t n = 0;

	(void)state;
	for (const struct rule *const *r = rules; *r; r++) {
		struct promise p;

		if (!(*r)->signature)
			continue;
		p = promise_of((*r)->id);
		if (!p.note)
			wrong("docs/rules/%s.md: its thresholds name no share from which on it is "
			      "a note",
			      (*r)->id);
		check_is(*r, p.note - STEP, "no finding");
		check_is(*r, p.note + STEP, "note");
		n++;
	}
	assert_true(n > 40);
}

static void a_rule_warns_where_its_page_says(void **state)
{
	size_t n = 0;

	(void)state;
	for (const struct rule *const *r = rules; *r; r++) {
		struct promise p;

		if (!(*r)->signature)
			continue;
		p = promise_of((*r)->id);
		if (!p.lead) {
			check_is(*r, WHOLE * 9 / 10, "note");
			continue;
		}
		check_is(*r, p.lead - STEP, "note");
		check_is(*r, p.lead + STEP, "warning");
		n++;
	}
	assert_true(n > 30);
}

/*
 * Severity and certainty of lock-contention if @lock has @weight samples. No finding: certainty 0.
 */
static void lock_said(const char *lock, int weight, enum finding_severity *ret,
		      unsigned int *ret_sure)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(facts_freep) struct facts *facts = NULL;
	struct findings f = { .rows = VEC_INIT };
	struct rule_input in = { .number = 0 };
	static char text[1 << 16];

	(void)snprintf(text, sizeof(text), "db;main;caller_[k];%s_[k] %d\n", lock, weight);
	healthy(text, sizeof(text), weight);
	in.capture = profile_of_folded(d, text);
	in.facts = facts = facts_new(d);
	in.profile = facts->profiles[0];
	rule_lock_contention.check(&in, &f);
	*ret = f.rows.len ? f.rows.data[0].severity : FINDING_NOTE;
	*ret_sure = f.rows.len ? f.rows.data[0].sure : 0;
	findings_fini(&f);
}

static void lock_contention_is_surer_the_more_it_has(void **state)
{
	static const struct {
		const char *lock;
		int weight;
		enum finding_severity severity;
		unsigned int sure;
	} steps[] = {
		{ "native_queued_spin_lock_slowpath", 495, FINDING_NOTE, 0 },
		{ "native_queued_spin_lock_slowpath", 505, FINDING_NOTE, 60 },
		{ "native_queued_spin_lock_slowpath", 995, FINDING_NOTE, 60 },
		{ "native_queued_spin_lock_slowpath", 1005, FINDING_NOTE, 75 },
		{ "native_queued_spin_lock_slowpath", 1995, FINDING_NOTE, 75 },
		{ "native_queued_spin_lock_slowpath", 2005, FINDING_WARNING, 90 },
		{ "native_queued_spin_lock_slowpath", 5995, FINDING_WARNING, 90 },
		{ "native_queued_spin_lock_slowpath", 6005, FINDING_WARNING, 97 },
		{ "_raw_spin_lock", 1495, FINDING_NOTE, 0 },
		{ "_raw_spin_lock", 1505, FINDING_NOTE, 68 },
		{ "_raw_spin_lock", 3995, FINDING_WARNING, 68 },
		{ "_raw_spin_lock", 4005, FINDING_WARNING, 80 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		enum finding_severity severity;
		unsigned int sure;

		lock_said(steps[i].lock, steps[i].weight, &severity, &sure);
		if (severity != steps[i].severity || sure != steps[i].sure)
			wrong("%s at %.2f %%: severity %d, %u %% sure", steps[i].lock,
			      steps[i].weight / 100.0, (int)severity, sure);
	}
}

/* The finding of signature @s about @text, whose @weight samples are filled up to WHOLE. */
static struct finding made_finding(const struct signature *s, const char *text, int weight)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(facts_freep) struct facts *facts = NULL;
	struct findings f = { .rows = VEC_INIT };
	struct rule_input in = { .number = 0 };
	struct signature_share share;
	static char whole[1 << 16];
	static char claim[512];
	const struct finding *found;
	struct finding ret = { 0 };

	(void)snprintf(whole, sizeof(whole), "%s", text);
	healthy(whole, sizeof(whole), weight);
	in.capture = profile_of_folded(d, whole);
	in.facts = facts = facts_new(d);
	in.profile = facts->profiles[0];
	share = signature_measure(&in, s);
	found = signature_find(&in, &f, &rule_copying, s, &share);
	assert_non_null(found);
	ret.impact = found->impact;
	ret.sure = found->sure;
	(void)snprintf(claim, sizeof(claim), STR_FMT, STR_ARG(found->claim));
	ret.claim = str_of(claim);
	findings_fini(&f);
	return ret;
}

static const struct signature made_signature = {
	.functions = "leaf_*",
	.under = "entry",
	.note_pct = 5,
	.lead_pct = 10,
	.sure_note = 60,
	.sure_lead = 90,
	.what = "goes into leaves",
	.name = "leaves",
	.cause = "made up",
	.because = "made up",
};

static void a_share_with_callees_ranks_with_six_tenths_of_it(void **state)
{
	(void)state;
	assert_near(made_finding(&made_signature,
				 "db;entry_[k];leaf_a_[k] 2900\ndb;entry_[k];other_[k] 2100\n",
				 5000)
			    .impact,
		    30, 1e-9);
	assert_near(made_finding(&made_signature,
				 "db;entry_[k];leaf_a_[k] 3100\ndb;entry_[k];other_[k] 1900\n",
				 5000)
			    .impact,
		    31, 1e-9);
}

static void a_function_is_named_where_it_has_a_tenth_of_the_share(void **state)
{
	struct finding f;

	(void)state;
	f = made_finding(&made_signature,
			 "db;entry_[k];leaf_a_[k] 195\ndb;entry_[k];other_[k] 1805\n", 2000);
	assert_false(str_contains(f.claim, STR("leaf_a")));
	f = made_finding(&made_signature,
			 "db;entry_[k];leaf_a_[k] 205\ndb;entry_[k];other_[k] 1795\n", 2000);
	assert_true(str_contains(f.claim, STR("% in leaf_a)")));
	f = made_finding(&made_signature,
			 "db;entry_[k];leaf_a_[k] 995\ndb;entry_[k];other_[k] 1005\n", 2000);
	assert_true(str_contains(f.claim, STR("% in leaf_a)")));
	f = made_finding(&made_signature,
			 "db;entry_[k];leaf_a_[k] 1005\ndb;entry_[k];other_[k] 995\n", 2000);
	assert_true(str_contains(f.claim, STR("% in leaf_a)")));
}

static void a_share_that_only_just_leads_is_not_the_cause_of_all(void **state)
{
	struct signature s = made_signature;

	(void)state;
	s.under = NULL;
	assert_int_equal(made_finding(&s, "db;leaf_a_[k] 995\n", 995).sure, 60);
	assert_int_equal(made_finding(&s, "db;leaf_a_[k] 1005\n", 1005).sure, 75);
	assert_int_equal(made_finding(&s, "db;leaf_a_[k] 1995\n", 1995).sure, 75);
	assert_int_equal(made_finding(&s, "db;leaf_a_[k] 2005\n", 2005).sure, 90);
	s.lead_pct = 30;
	assert_int_equal(made_finding(&s, "db;leaf_a_[k] 4995\n", 4995).sure, 75);
	assert_int_equal(made_finding(&s, "db;leaf_a_[k] 5005\n", 5005).sure, 90);
}

/* "no finding", "note" or "warning" of @rule about the captures of @d. */
static const char *said_of(struct dossier *d, const char *rule)
{
	CLEANUP(facts_freep) struct facts *facts = facts_new(d);
	struct findings f = { .rows = VEC_INIT };
	const char *ret = "no finding";

	explain_run(facts, NULL, &f);
	VEC_FOREACH (row, &f.rows) {
		if (strcmp(row->rule->id, rule) == 0)
			ret = row->severity == FINDING_NOTE ? "note" : "warning";
	}
	findings_fini(&f);
	return ret;
}

static const char *said_of_text(const char *rule, const char *text)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(document_freep) struct document *doc = NULL;

	assert_int_equal(document_from_memory(str_of(text), NULL, &doc, NULL), OK);
	assert_int_equal(load_document(d, doc, "made.txt", NULL, NULL), OK);
	return said_of(d, rule);
}

static void a_wait_for_a_cpu_counts_from_a_millisecond_and_warns_from_five(void **state)
{
	static const struct {
		unsigned int us;
		const char *said;
	} waits[] = {
		{ 990, "no finding" }, { 1010, "note" }, { 4990, "note" }, { 5010, "warning" }
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(waits); i++) {
		char text[1024];

		(void)snprintf(
			text, sizeof(text),
			"           app-100   [002] 100.000000: sched_wakeup:         worker:55 "
			"[120] "
			"success=1 CPU:002\n"
			"        <idle>-0     [003] 100.000300: sched_wakeup:         other:77 "
			"[120] "
			"success=1 CPU:003\n"
			"        <idle>-0     [003] 100.000302: sched_switch:         swapper/3:0 "
			"[120] R ==> other:77 [120]\n"
			"           app-100   [002] 100.%06u: sched_switch:         app:100 [120] "
			"S "
			"==> worker:55 [120]\n",
			waits[i].us);
		assert_string_equal(said_of_text("sched-wait", text), waits[i].said);
	}
}

static void three_elections_are_a_storm(void **state)
{
	static const char line[] =
		"2024-03-05T10:00:0%u.000Z|%05u|raft|INFO|term %u: 1200 ms timeout expired, "
		"starting election\n";
	char text[1024] = "";

	(void)state;
	for (unsigned int i = 1; i <= 3; i++) {
		(void)snprintf(text + strlen(text), sizeof(text) - strlen(text), line, i, i, i + 1);
		assert_string_equal(said_of_text("election-storm", text),
				    i < 3 ? "no finding" : "warning");
	}
}

static void addresses_without_names_are_a_finding_from_five_percent(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 2; i++) {
		CLEANUP(dossier_freep) struct dossier *d = dossier_new();
		struct capture *c = dossier_add(d, "perf-report");
		uint64_t unnamed = i ? 505 : 495;

		profile_add_row(d, c, "a", "x", '.', "f", UINT64_MAX, 10000 - unnamed);
		profile_add_row(d, c, "a", "x", '.', "0x0000000000401000", UINT64_MAX, unnamed);
		assert_int_equal(strcmp(said_of(d, "no-symbols"), "no finding") == 0, i == 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_rule_begins_to_speak_where_its_page_says),
		cmocka_unit_test(a_rule_warns_where_its_page_says),
		cmocka_unit_test(lock_contention_is_surer_the_more_it_has),
		cmocka_unit_test(a_share_with_callees_ranks_with_six_tenths_of_it),
		cmocka_unit_test(a_function_is_named_where_it_has_a_tenth_of_the_share),
		cmocka_unit_test(a_share_that_only_just_leads_is_not_the_cause_of_all),
		cmocka_unit_test(a_wait_for_a_cpu_counts_from_a_millisecond_and_warns_from_five),
		cmocka_unit_test(three_elections_are_a_storm),
		cmocka_unit_test(addresses_without_names_are_a_finding_from_five_percent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
