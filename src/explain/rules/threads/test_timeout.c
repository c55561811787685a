/* SPDX-License-Identifier: MIT */
/*
 * A test of Go did not end within the time limit of its runner, which then prints all goroutines
 * and panics. The panic is no crash of the program: the question is where the test waits.
 *
 * A test is the function that testing.tRunner() calls. No threshold: the runner has decided.
 */
#include "explain/words/thread_words.h"

#include "analyses/threads/thread_summary.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/threads.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(test_timeout);

#define TIMEOUT_SURE 95u
/* functions that call a test; source: testing/testing.go, testing/fuzz.go */
#define TIMEOUT_RUNNERS "testing.tRunner|testing.fRunner|testing.runExample"

struct timeout {
	uint32_t note;  /* message of the runner; INDEX_NONE: none */
	uint32_t row;   /* goroutine of the test that waited longest; INDEX_NONE: none */
	uint32_t test;  /* index of the frame of the test in this goroutine */
	uint32_t tests; /* number of goroutines that run a test */
};

/*
 * Index of the frame of the test in goroutine @row. INDEX_NONE: the goroutine runs no test, or
 * waits for a subtest.
 */
static uint32_t timeout_test(const struct rule_input *in, uint32_t row)
{
	const struct threads_summary *s = in->threads;
	uint32_t n = threads_summary_row(s, row)->n_frames;

	if (str_starts(thread_words_frame(in, row, s->rows.data[row].place), STR("testing.")))
		return INDEX_NONE;
	for (uint32_t i = 1; i < n; i++) {
		if (str_glob(STR(TIMEOUT_RUNNERS), thread_words_frame(in, row, i)))
			return i - 1;
	}
	return INDEX_NONE;
}

static struct timeout timeout_find(const struct rule_input *in)
{
	const struct threads *t = in->capture->threads;
	const struct threads_summary *s = in->threads;
	struct timeout found = { .note = INDEX_NONE, .row = INDEX_NONE };

	for (uint32_t i = 0; i < t->notes.len && found.note == INDEX_NONE; i++) {
		if (t->notes.data[i].kind == THREAD_NOTE_TIMEOUT)
			found.note = i;
	}
	for (uint32_t i = 0; i < s->rows.len && found.note != INDEX_NONE; i++) {
		const struct thread_row *row = threads_summary_row(s, i);
		uint32_t test = row->snapshot == s->snapshot ? timeout_test(in, i) : INDEX_NONE;

		if (test == INDEX_NONE)
			continue;
		found.tests++;
		if (found.row == INDEX_NONE ||
		    row->age_ns > threads_summary_row(s, found.row)->age_ns) {
			found.row = i;
			found.test = test;
		}
	}
	return found;
}

/*
 * Name of a test or subtest without its package: "TestDrain" or "TestDrain.func1" for functions of
 * "example.org/pump/drain".
 */
static struct str timeout_name(const struct rule_input *in, const struct timeout *t)
{
	struct str name = thread_words_frame(in, t->row, t->test);
	size_t slash = str_rfind_char(name, '/');
	struct str base = str_skip(name, slash < name.len ? slash + 1 : 0);
	size_t dot = str_find_char(base, '.');

	return dot < base.len ? str_skip(base, dot + 1) : base;
}

static void timeout_check(const struct rule_input *in, struct findings *out)
{
	struct timeout t = timeout_find(in);
	const struct thread_row *row;
	const struct thread_note *note;
	struct str name, text;
	struct finding *f;

	if (t.note == INDEX_NONE) {
		finding_clean(out, in, &rule_test_timeout, "no test runner reports a timeout");
		return;
	}
	if (t.row == INDEX_NONE) {
		finding_not_assessed(out, in, &rule_test_timeout,
				     "paste the whole output of go test",
				     "the goroutine of the test is not in the dump");
		return;
	}
	row = threads_summary_row(in->threads, t.row);
	note = &in->capture->threads->notes.data[t.note];
	text = strings_get(capture_strings(in->capture), note->text);
	name = timeout_name(in, &t);
	f = finding_add(out, in, &rule_test_timeout, FINDING_ERROR, TIMEOUT_SURE);
	finding_claim(
		out, f, "Test timeout: " STR_FMT " %s%s%s in " STR_FMT "%s", STR_ARG(name),
		thread_words_runs(in, t.row) ? "runs" : "has waited", row->age_ns ? " for " : "",
		row->age_ns ? thread_words_age(out, row->age_ns) : "",
		STR_ARG(thread_words_frame(in, t.row, in->threads->rows.data[t.row].place)),
		row->state_text.v ? finding_name(out, " (" STR_FMT ")",
						 STR_ARG(threads_summary_state(in->threads, t.row)))
				  : "");
	f->impact = 100;
	finding_figure(f, "tests that did not end", t.tests, 0, "");
	thread_words_cite(out, f, in, t.row);
	finding_evidence(out, f, in, note->line, STR_FMT, STR_ARG(text));
	finding_usual_cause(out, f, "%s",
			    thread_words_runs(in, t.row)
				    ? "It works longer than the limit, or loops without an end"
				    : "What it waits for never comes: no goroutine sends, closes "
				      "the channel, calls Done or releases the lock");
	finding_because(out, f,
			"the test runner reports the timeout\n"
			"who should have ended the wait");
	finding_next(out, f,
		     "read the other goroutines of the program in the table: which of them should "
		     "end this wait, and what does it wait for");
	finding_next(out, f, "go test -race -run '" STR_FMT "' -count 20 -timeout 30s",
		     STR_ARG(name));
}

static const char *const timeout_overrules[] = { "thread-waits", NULL };

const struct rule rule_test_timeout = {
	.id = "test-timeout",
	.title = "Test that hangs",
	.needs = RULE_THREADS,
	.overrules = timeout_overrules,
	.check = timeout_check,
	.is_measured = true,
};
