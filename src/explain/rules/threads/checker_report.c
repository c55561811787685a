/* SPDX-License-Identifier: MIT */
/*
 * A checker (AddressSanitizer, MemorySanitizer, ThreadSanitizer, valgrind, Go's race detector)
 * reports a bad access to memory, a data race or a wrong call. The finding names the kind of error
 * and its place. It also names the place of the other thread, or the place where the memory was
 * freed or allocated.
 *
 * Only the first report of the text is used: the others often are consequences of the first.
 */
#include "explain/words/thread_words.h"

#include "analyses/threads/thread_summary.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/threads.h"
#include "core/strings.h"
#include "explain/checker_report_names.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(checker_report);

#define CHECKER_SURE          95u
#define CHECKER_SURE_LEAK     80u
#define CHECKER_SURE_EXPECTED 60u
/* certainty for a program that a signal ended: the signal is certain, but its cause is not */
#define CHECKER_SURE_SIGNAL 80u
#define CHECKER_SURE_VECTOR 60u
#define CHECKER_DETAIL      105u /* maximum number of bytes of a report that the claim quotes */
#define CHECKER_LOOK        64u  /* number of innermost frames of a stack to search */

/* How well a report shows the fault. This decides the wording and certainty of the finding. */
enum checker_grade {
	CHECKER_FAULT,
	CHECKER_RACE, /* the report has the stacks of two threads that accessed the same memory */
	/* like CHECKER_RACE, but perhaps the checker does not know how the threads synchronise */
	CHECKER_POSSIBLE,
	/* a forbidden call inside a signal handler; the call is the innermost frame */
	CHECKER_HANDLER,
	CHECKER_LEAK,
	CHECKER_NOWHERE, /* the printed stack does not show where the fault is */
	CHECKER_SUM,     /* out of memory; the stack shows only the latest allocation */
	CHECKER_SIGNAL,  /* a signal ended the program, and the checker does not know the reason */
	/* abort() ended the program; rule crash-stack may explain the stack better */
	CHECKER_ABORT,
	/* the language defines the result, so it may be intended (unsigned overflow) */
	CHECKER_DEFINED,
	CHECKER_OTHER, /* a report of an unknown kind */
	CHECKER_GRADES,
};

/*
 * Kinds of reports. The first row whose pattern matches the text of a report is used; the last row
 * matches every text.
 */
static const struct checker_kind {
	const char *pattern;
	const char *what;
	const char *cause;
	/*
	 * next step of the finding; NULL: a general step, which depends on the number of stacks in
	 * the report
	 */
	const char *next;
	enum checker_grade grade;
} checker_kinds[] = { CHECKER_KINDS };

static const struct {
	enum finding_severity severity;
	unsigned int sure;
	const char *because;
} checker_grades[CHECKER_GRADES] = {
	[CHECKER_FAULT] = { FINDING_ERROR, CHECKER_SURE, "the checker saw the fault itself" },
	[CHECKER_RACE] = { FINDING_ERROR, CHECKER_SURE, "the checker saw the accesses itself" },
	[CHECKER_POSSIBLE] = { FINDING_WARNING, CHECKER_SURE_LEAK,
			       "helgrind itself says that it is possible" },
	[CHECKER_HANDLER] = { FINDING_ERROR, CHECKER_SURE, "the checker saw the call itself" },
	[CHECKER_LEAK] = { FINDING_WARNING, CHECKER_SURE_LEAK,
			   "the scan found no pointer to the block; it may miss one" },
	[CHECKER_SUM] = { FINDING_ERROR, CHECKER_SURE_SIGNAL,
			  "the limit is printed\n"
			  "the other allocations" },
	[CHECKER_NOWHERE] = { FINDING_ERROR, CHECKER_SURE,
			      "the checker compared both definitions" },
	[CHECKER_SIGNAL] = { FINDING_ERROR, CHECKER_SURE_SIGNAL,
			     "the signal is reported\n"
			     "its reason" },
	[CHECKER_ABORT] = { FINDING_WARNING, CHECKER_SURE_SIGNAL,
			    "the signal is reported\n"
			    "its reason" },
	[CHECKER_DEFINED] = { FINDING_NOTE, CHECKER_SURE, "the checker saw the operation itself" },
	[CHECKER_OTHER] = { FINDING_WARNING, CHECKER_SURE_SIGNAL, "the report is quoted" },
};

static const struct checker_kind *checker_kind_of(struct str text)
{
	size_t i = 0;

	while (i + 1 < ARRAY_LEN(checker_kinds) &&
	       !str_glob(str_of(checker_kinds[i].pattern), text))
		i++;
	return &checker_kinds[i];
}

static const struct thread_note *checker_note(const struct rule_input *in, uint32_t *ret_next_line)
{
	const struct thread_note *found = NULL;

	*ret_next_line = UINT32_MAX;
	VEC_FOREACH (n, &in->capture->threads->notes) {
		if (n->kind != THREAD_NOTE_CHECKER)
			continue;
		if (found) {
			*ret_next_line = n->line;
			break;
		}
		found = n;
	}
	return found;
}

/*
 * A clause about the call that led to the free: ", through close_session, which serve calls
 * before". Here serve is the innermost function that is on both stacks. First serve called
 * close_session, and this call led to the free. Then serve made the call that led to the bad
 * access. @freed: row of the stack that freed the memory; @row: row of the stack that accessed it
 * later. "": no function is on both stacks.
 */
static const char *checker_through(const struct rule_input *in, struct findings *out, uint32_t row,
				   uint32_t freed)
{
	uint32_t n = threads_summary_row(in->threads, row)->n_frames;
	uint32_t n_freed = threads_summary_row(in->threads, freed)->n_frames;
	uint32_t place = thread_words_fault(in, freed, 0);

	for (uint32_t i = thread_words_fault(in, row, 0); i < n && i < CHECKER_LOOK; i++) {
		sym_id sym = threads_summary_sym(in->threads, row, i);

		for (uint32_t k = place + 2; k < n_freed && k < CHECKER_LOOK; k++) {
			if (threads_summary_sym(in->threads, freed, k).v == sym.v)
				return finding_name(out,
						    ", through " STR_FMT ", which " STR_FMT
						    " calls before",
						    STR_ARG(thread_words_frame(in, freed, k - 1)),
						    STR_ARG(thread_words_frame(in, freed, k)));
		}
	}
	return "";
}

/*
 * Index of the innermost frame of thread @row whose function is not on the stack of thread @other.
 * The search starts at frame @place and goes outwards. This frame distinguishes two threads that
 * race in the same function. Returns @place + 1 if there is no such frame.
 */
static uint32_t checker_own_caller(const struct rule_input *in, uint32_t row, uint32_t place,
				   uint32_t other)
{
	uint32_t n = threads_summary_row(in->threads, row)->n_frames;
	uint32_t n_other = threads_summary_row(in->threads, other)->n_frames;

	for (uint32_t i = place; i < n && i < CHECKER_LOOK; i++) {
		sym_id sym = threads_summary_sym(in->threads, row, i);
		bool is_shared = false;

		for (uint32_t k = 0; k < n_other && k < CHECKER_LOOK; k++)
			is_shared |= threads_summary_sym(in->threads, other, k).v == sym.v;
		if (!is_shared)
			return i;
	}
	return place + 1;
}

/*
 * Cite the function to blame in thread @row (thread_words_fault()), and its callers. Returns the
 * function and its caller: "spa_strdup, called from spa_vdev_remove". If @through is not empty, it
 * replaces ", called from spa_vdev_remove".
 */
static const char *checker_where(const struct rule_input *in, struct findings *out,
				 struct finding *f, uint32_t row, const char *through)
{
	const struct thread_row *r = threads_summary_row(in->threads, row);
	uint32_t place = thread_words_fault(in, row, 0);
	uint32_t program = thread_words_program(in, row, place);

	for (uint32_t i = place; i < r->n_frames && i < place + THREAD_WORDS_CALLERS; i++)
		finding_evidence(out, f, in, threads_frames(in->capture->threads, r)[i].line,
				 STR_FMT, STR_ARG(thread_words_frame(in, row, i)));
	finding_subject(f, threads_summary_sym(in->threads, row, place), SUBJECT_EXPLAINED);
	if (*through || place + 1 >= r->n_frames)
		return finding_name(out, "%s%s", thread_words_frame_at(out, in, row, place),
				    through);
	/* the fault is in a library: name its caller in the program, too */
	if (program > place + 1 && program < r->n_frames) {
		finding_evidence(out, f, in, threads_frames(in->capture->threads, r)[program].line,
				 STR_FMT, STR_ARG(thread_words_frame(in, row, program)));
		return finding_name(out, STR_FMT ", called from " STR_FMT ", %sfrom %s",
				    STR_ARG(thread_words_frame(in, row, place)),
				    STR_ARG(thread_words_frame(in, row, place + 1)),
				    program > place + 2 ? "… " : "",
				    thread_words_frame_at(out, in, row, program));
	}
	return finding_name(
		out, "%s, called from %s",
		program == place
			? thread_words_frame_at(out, in, row, place)
			: finding_name(out, STR_FMT, STR_ARG(thread_words_frame(in, row, place))),
		program == place + 1
			? thread_words_frame_at(out, in, row, program)
			: finding_name(out, STR_FMT,
				       STR_ARG(thread_words_frame(in, row, place + 1))));
}

/*
 * The description of the error in the first line of a report, in parentheses. For
 * "builder.cc:1066:39: runtime error: division by zero" it is " (division by zero)". For
 * CHECKER_OTHER, it is all text after the name of the checker.
 */
static const char *checker_detail(struct findings *out, const struct checker_kind *kind,
				  struct str text)
{
	static const char *const marks[] = { "runtime error: ", "Sanitizer: ", "libFuzzer: " };

	for (size_t i = 0; i < (kind->grade == CHECKER_OTHER ? ARRAY_LEN(marks) : 1); i++) {
		size_t at = str_find(text, str_of(marks[i]));
		struct str detail = str_skip(text, at + strlen(marks[i]));

		if (at == text.len)
			continue;
		if (i)
			detail = str_sub(detail, 0, str_find(detail, STR(" (")));
		if (i)
			detail = str_sub(detail, 0, str_find(detail, STR(" on ")));
		return finding_name(out, " (" STR_FMT ")",
				    STR_ARG(str_rtrim(str_sub(detail, 0, CHECKER_DETAIL))));
	}
	return "";
}

/* "freed" or "allocated", by the @title of a stack in the report; NULL: unknown. */
static const char *checker_verb(struct str title)
{
	if (str_glob(STR("free'd*|freed*"), title))
		return "freed";
	if (str_glob(STR("*alloc*|*created*"), title))
		return "allocated";
	return NULL;
}

/*
 * One access of a race: "write by thread T9". The kind of access is in the title of the stack @row.
 * Without a title, it is in @note, the first line of the report.
 */
static const char *checker_access(const struct rule_input *in, struct findings *out, uint32_t row,
				  struct str note)
{
	const struct thread_row *r = threads_summary_row(in->threads, row);
	struct str title = strings_get(capture_strings(in->capture), r->name);
	struct str id = strings_get(capture_strings(in->capture), r->id);
	const char *verb = str_glob(STR("*rite*"), title) ? "write" : "read";
	bool is_main = str_eq(id, STR("main"));
	const char *kind = thread_words_kind(in);

	if (title.len == 0) /* helgrind prints the kind of access in the first line of the report */
		return str_glob(STR("*during write*"), note)  ? "write"
		       : str_glob(STR("*during read*"), note) ? "read"
							      : "access";
	if (id.len == 0)
		return verb;
	if (is_main)
		return finding_name(out, "%s by the main %s", verb, kind);
	return finding_name(out, "%s by %s " STR_FMT, verb, kind, STR_ARG(id));
}

/*
 * A clause about both accesses of a race: "read by thread T9 in f, called from g; write by the main
 * thread in f, called from h". Callers that are on both stacks are skipped.
 */
static const char *checker_race(const struct rule_input *in, struct findings *out,
				struct finding *f, const uint32_t rows[2], struct str note)
{
	const char *text = "";

	for (size_t i = 0; i < 2; i++) {
		const struct thread_row *r = threads_summary_row(in->threads, rows[i]);
		uint32_t place = thread_words_fault(in, rows[i], 0);
		uint32_t caller = checker_own_caller(in, rows[i], place, rows[1 - i]);

		if (caller == place)
			caller++;
		for (uint32_t k = place; k < r->n_frames && k < place + THREAD_WORDS_CALLERS; k++)
			finding_evidence(out, f, in,
					 threads_frames(in->capture->threads, r)[k].line, STR_FMT,
					 STR_ARG(thread_words_frame(in, rows[i], k)));
		finding_subject(f, threads_summary_sym(in->threads, rows[i], place),
				SUBJECT_EXPLAINED);
		text = finding_name(out, "%s%s %s in %s%s" STR_FMT, text, i ? "; " : ":",
				    checker_access(in, out, rows[i], note),
				    thread_words_frame_at(out, in, rows[i], place),
				    caller < r->n_frames ? ", called from " : "",
				    STR_ARG(caller < r->n_frames
						    ? thread_words_frame(in, rows[i], caller)
						    : STR("")));
	}
	return text;
}

/* One report of a checker, with the stacks that it prints. */
struct checker_report {
	struct str note; /* first line of the report */
	uint32_t rows[3];
	size_t n;
	const struct checker_kind *kind;
};

/* The claim: "Use after free in f, called from g; freed in h, called from main". */
static const char *checker_claim(const struct rule_input *in, struct findings *out,
				 struct finding *f, const struct checker_report *r)
{
	const struct threads_summary *s = in->threads;
	bool is_race =
		(r->kind->grade == CHECKER_RACE || r->kind->grade == CHECKER_POSSIBLE) && r->n > 1;
	const char *text;

	if (is_race)
		text = finding_name(out, "%s%s", r->kind->what,
				    checker_race(in, out, f, r->rows, r->note));
	else if (r->kind->grade == CHECKER_NOWHERE)
		return r->kind->what;
	else if (r->kind->grade == CHECKER_HANDLER)
		text = finding_name(out, "%s: " STR_FMT ", from %s", r->kind->what,
				    STR_ARG(thread_words_frame(in, r->rows[0], 0)),
				    checker_where(in, out, f, r->rows[0], ""));
	else
		text = finding_name(out, "%s%s in %s", r->kind->what,
				    checker_detail(out, r->kind, r->note),
				    checker_where(in, out, f, r->rows[0], ""));
	for (size_t i = is_race ? 2 : 1; i < r->n; i++) {
		const char *verb = checker_verb(strings_get(
			capture_strings(in->capture), threads_summary_row(s, r->rows[i])->name));

		if (verb)
			text = finding_name(
				out, "%s; %s in %s", text, verb,
				checker_where(in, out, f, r->rows[i],
					      checker_through(in, out, r->rows[0], r->rows[i])));
	}
	return text;
}

/*
 * Is the fault inside a death test (EXPECT_DEATH of googletest)? Such a test expects that the
 * process dies.
 */
static bool checker_is_expected(const struct rule_input *in, const struct checker_report *r)
{
	const struct thread_row *row = threads_summary_row(in->threads, r->rows[0]);

	for (uint32_t i = 0; i < row->n_frames && i < CHECKER_LOOK; i++) {
		if (str_glob(STR(CHECKER_EXPECTED), thread_words_frame(in, r->rows[0], i)))
			return true;
	}
	return false;
}

/*
 * Does memcheck report an uninitialised value in a vectorised string function of the C library?
 * Such functions read past the end of a string on purpose.
 */
static bool checker_is_vector(const struct rule_input *in, const struct checker_report *r)
{
	return str_contains(r->note, STR("uninitialised")) &&
	       str_glob(STR(CHECKER_VECTOR), thread_words_frame(in, r->rows[0], 0));
}

static void checker_finding(const struct rule_input *in, struct findings *out,
			    const struct checker_report *r, uint32_t line)
{
	enum checker_grade grade = r->kind->grade;
	bool is_expected = checker_is_expected(in, r);
	struct finding *f =
		finding_add(out, in, &rule_checker_report,
			    is_expected ? FINDING_NOTE : checker_grades[grade].severity,
			    is_expected ? CHECKER_SURE_EXPECTED : checker_grades[grade].sure);

	/* rule crash-stack explains such a report better: a signal, an abort or an unknown kind */
	f->yields = grade == CHECKER_SIGNAL || grade == CHECKER_ABORT || grade == CHECKER_OTHER;
	finding_evidence(out, f, in, line, STR_FMT, STR_ARG(r->note));
	finding_claim(out, f, "%s", checker_claim(in, out, f, r));
	finding_figure(f, "stacks of the report", (double)r->n, 0, "");
	if (is_expected)
		finding_cause(out, f,
			      "A death test expects its statement to end the process: if the test "
			      "passes, the fault is intended");
	else
		finding_cause(out, f, "%s", r->kind->cause);
	finding_because(out, f, "%s", checker_grades[grade].because);
	if (is_expected)
		finding_unknown(out, f,
				"whether it is expected: only the name of the test says so");
	if (checker_is_vector(in, r)) {
		f->severity = FINDING_WARNING;
		f->sure = CHECKER_SURE_VECTOR;
		finding_because(out, f,
				"this string function reads whole vectors, past the end of the "
				"string on purpose, which memcheck may not know");
	}
	finding_next(out, f, "%s",
		     r->kind->next ? r->kind->next
		     : r->n > 1    ? "read the code between the two places: who keeps the pointer, "
				     "and which size it assumes"
				: "read the first function of the program on this stack, and the "
				  "size that it assumes");
}

static void checker_check(const struct rule_input *in, struct findings *out)
{
	const struct threads_summary *s = in->threads;
	const struct strings *strings = capture_strings(in->capture);
	struct checker_report r = { .n = 0 };
	uint32_t next_line;
	const struct thread_note *note = checker_note(in, &next_line);
	const char *text;

	if (!note) {
		finding_clean(out, in, &rule_checker_report, "no report of a checker");
		return;
	}
	for (uint32_t i = 0; i < s->rows.len && r.n < ARRAY_LEN(r.rows); i++) {
		const struct thread_row *row = threads_summary_row(s, i);

		if (row->line >= note->line && row->line < next_line && row->n_frames)
			r.rows[r.n++] = i;
	}
	if (r.n == 0) {
		finding_not_assessed(out, in, &rule_checker_report, "the report with its stacks",
				     "the report has no stack with names");
		return;
	}
	r.note = strings_get(strings, note->text);
	/* valgrind describes the error in the title of the second stack */
	text = r.n < 2 ? finding_name(out, STR_FMT, STR_ARG(r.note))
		       : finding_name(out, STR_FMT " / " STR_FMT, STR_ARG(r.note),
				      STR_ARG(strings_get(
					      strings, threads_summary_row(s, r.rows[1])->name)));
	r.kind = checker_kind_of(str_of(text));
	checker_finding(in, out, &r, note->line);
}

static const char *const checker_overrules[] = { "thread-waits", "crash-stack", NULL };

const struct rule rule_checker_report = {
	.id = "checker-report",
	.title = "Fault reported by a checker",
	.needs = RULE_THREADS,
	.overrules = checker_overrules,
	.check = checker_check,
	.is_measured = true,
};
