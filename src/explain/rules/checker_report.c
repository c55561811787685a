/* SPDX-License-Identifier: MIT */
/*
 * A checker (AddressSanitizer, MemorySanitizer, ThreadSanitizer, valgrind, Go's race detector)
 * reports a bad access to memory, a data race or a wrong call. The finding names the kind of error
 * and its place. It also names the place of the other thread, or where the memory was freed or
 * allocated.
 *
 * Only the first report of the text counts: the others often follow from it.
 */
#include "explain/words/thread_words.h"

#include "analyses/threads/thread_summary.h"
#include "analyses/threads/thread_waits.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/threads.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(checker_report);

#define CHECKER_SURE      95u
#define CHECKER_SURE_LEAK 80u
#define CHECKER_LEAK      "*unreferenced object*"
#define CHECKER_SIGNAL    "*signal-unsafe call*"
#define CHECKER_LOOK      64u /* innermost frames that are compared */

/*
 * Kinds of errors, by the text of the report or the title of its second stack. The first match
 * counts.
 */
static const struct {
	const char *pattern;
	const char *what;
	const char *cause;
	const char *next; /* NULL: the next step is to compare the places of the stacks */
} checker_kinds[] = {
	{ "*data race*|*race on *|*DATA RACE*", "Data race",
	  "Two threads use the same memory without a common lock, and at least one writes it",
	  "the lock that should be held in both places, or an atomic variable" },
	{ "*invalid mutex*", "Use of a mutex that is destroyed or was never initialised",
	  "The object that contains the mutex is torn down while code still locks it",
	  "the order in which the object is torn down" },
	{ "*destroy of a locked mutex*", "Destruction of a locked mutex",
	  "A thread still holds the mutex when its object is torn down",
	  "who still holds the mutex at that time" },
	{ "*double lock of a mutex*", "Mutex locked twice by one thread",
	  "The mutex is not recursive: the thread waits for itself",
	  "release the mutex before the call that takes it again" },
	{ "*unlock of *|*read lock of a write locked*", "Unlock of a mutex by the wrong thread",
	  "The unlock is not paired with a lock of the same thread",
	  "the paths that lead to this unlock: which of them never took the mutex?" },
	{ CHECKER_SIGNAL, "Call inside a signal handler that is not async-signal-safe",
	  "The signal can interrupt malloc, stdio or a lock halfway: the handler then deadlocks "
	  "or corrupts their state",
	  "man 7 signal-safety lists what a handler may call; set a flag and do the work outside" },
	{ "*signal handler spoils errno*", "Signal handler that changes errno",
	  "The interrupted code sees the handler's error as its own",
	  "save errno at the start of the handler and restore it at the end" },
	{ "*thread leak*", "Thread that is never joined or detached",
	  "Its stack and its entry stay allocated", "join the thread, or create it detached" },
	{ CHECKER_LEAK, "Memory leak: block allocated",
	  "Nothing points to the block any more, and it was never freed",
	  "the paths after this allocation: an error return, or a pointer that is overwritten" },
	{ "*libFuzzer: out-of-memory*", "Out of memory by one allocation",
	  "A length from the input is used as the size of an allocation without a limit",
	  "check the length against what is left of the input before the allocation" },
	{ "*libFuzzer: timeout*", "Input that takes too long",
	  "A loop over the input that does not end, or grows faster than the input",
	  "the loop in the first function of the program on this stack" },
	{ "*heap-use-after-free*|*free'd*", "Use after free",
	  "The memory was freed while something still points to it" },
	{ "*attempting double-free*", "Double free", "Two owners free the same memory" },
	{ "*stack-use-after-*", "Use of a local variable after its end",
	  "A pointer to a local variable outlives its function or block" },
	{ "*heap-buffer-overflow*|*container-overflow*|*alloc'd*",
	  "Access outside of a block of the heap",
	  "A length or index is larger than the allocated block" },
	{ "*stack-buffer-*flow*", "Access outside of an array on the stack",
	  "A length or index is larger than the array, or its text is not terminated" },
	{ "*global-buffer-overflow*", "Access outside of a global array",
	  "An index is larger than the table, or a table lacks its last entry" },
	{ "*stack-overflow*", "Stack overflow", "Recursion without an end, or a huge local array" },
	{ "*alloc-dealloc-mismatch*|*Mismatched free*", "Memory freed by the wrong function",
	  "malloc goes with free, new with delete, new[] with delete[]" },
	{ "*allocation-size-too-big*|*calloc-overflow*|*exceeds maximum supported size*|"
	  "*calloc parameters overflow*",
	  "Allocation of an impossible size",
	  "A length was computed from unchecked input, or it overflowed" },
	{ "*bad-free*|*attempting free on*|*Invalid free*", "Free of an address that is no block",
	  "The pointer was moved, is of the stack, or was freed before" },
	{ "*use-of-uninitialized-value*|*uninitialised*", "Use of an uninitialized value",
	  "A branch or a system call reads memory that nothing has written" },
	{ "*unknown address 0x0000000000*|*null pointer*|*zero page*", "Null pointer",
	  "A pointer that was never set, or a lookup that found nothing" },
	{ "*runtime error: *", "Undefined behaviour",
	  "The language does not define the result of this operation: compilers assume that it "
	  "never happens" },
	{ "*overlap*", "Copy between overlapping ranges",
	  "memcpy needs ranges apart: use memmove" },
	{ "*", "Bad memory access", "The pointer is freed, overwritten, or was never set" },
};

#define CHECKER_RACE  0u
#define CHECKER_OTHER (ARRAY_LEN(checker_kinds) - 1)

static size_t checker_kind(struct str text)
{
	size_t kind = 0;

	while (!str_glob(str_of(checker_kinds[kind].pattern), text))
		kind++;
	return kind;
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
 * Clause that relates two stacks of the same memory: @freed, where it was freed, and @row, where it
 * was accessed. It names the innermost function that is on both stacks, and the callee of that
 * function on @freed: ", through callee, which function calls before". Empty: no common function.
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
 * The innermost frame of @row, starting at @place, whose function is not on the stack @other. If
 * both stacks of a race end in the same function, this frame tells the two threads apart. @place +
 * 1: no such frame.
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

/* "spa_strdup, called from spa_vdev_remove". If @through is not empty, it replaces the caller. */
static const char *checker_where(const struct rule_input *in, struct findings *out,
				 struct finding *f, uint32_t row, const char *through)
{
	const struct thread_row *r = threads_summary_row(in->threads, row);
	uint32_t place = thread_words_fault(in, row, 0);

	for (uint32_t i = place; i < r->n_frames && i < place + THREAD_WORDS_CALLERS; i++)
		finding_evidence(out, f, in, threads_frames(in->capture->threads, r)[i].line,
				 STR_FMT, STR_ARG(thread_words_frame(in, row, i)));
	finding_subject(f, threads_summary_sym(in->threads, row, place), SUBJECT_EXPLAINED);
	if (*through || place + 1 >= r->n_frames)
		return finding_name(out, STR_FMT "%s", STR_ARG(thread_words_frame(in, row, place)),
				    through);
	return finding_name(out, STR_FMT ", called from " STR_FMT,
			    STR_ARG(thread_words_frame(in, row, place)),
			    STR_ARG(thread_words_frame(in, row, place + 1)));
}

/*
 * The detail of a runtime error: " (division by zero)" for "builder.cc:1066:39: runtime error:
 * division by zero".
 */
static const char *checker_detail(struct findings *out, struct str text)
{
	struct str mark = STR("runtime error: ");
	size_t at = str_find(text, mark);

	return at < text.len ? finding_name(out, " (" STR_FMT ")",
					    STR_ARG(str_sub(text, at + mark.len, at + 120)))
			     : "";
}

/* What happened to the memory at the stack with this title: "freed", "allocated"; NULL: unknown. */
static const char *checker_verb(struct str title)
{
	if (str_glob(STR("free'd*|freed*"), title))
		return "freed";
	if (str_glob(STR("*alloc*|*created*"), title))
		return "allocated";
	return NULL;
}

/* The access of one stack of a race, by its title: "write by thread T9". */
static const char *checker_access(const struct rule_input *in, struct findings *out, uint32_t row,
				  struct str note)
{
	const struct thread_row *r = threads_summary_row(in->threads, row);
	struct str title = strings_get(capture_strings(in->capture), r->name);
	struct str id = strings_get(capture_strings(in->capture), r->id);
	const char *verb = str_glob(STR("*rite*"), title) ? "write" : "read";
	bool is_main = str_eq(id, STR("main"));
	const char *kind = thread_words_kind(in);

	if (title.len == 0) /* helgrind prints the kind of access in the first line */
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
 * "read by thread T9 in f, called from g; write by the main thread in f, called from h". Callers
 * that both threads share are skipped.
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
		text = finding_name(out, "%s%s %s in " STR_FMT "%s" STR_FMT, text, i ? "; " : ":",
				    checker_access(in, out, rows[i], note),
				    STR_ARG(thread_words_frame(in, rows[i], place)),
				    caller < r->n_frames ? ", called from " : "",
				    STR_ARG(caller < r->n_frames
						    ? thread_words_frame(in, rows[i], caller)
						    : STR("")));
	}
	return text;
}

static void checker_check(const struct rule_input *in, struct findings *out)
{
	const struct threads_summary *s = in->threads;
	const struct strings *strings = capture_strings(in->capture);
	uint32_t next_line;
	const struct thread_note *note = checker_note(in, &next_line);
	uint32_t rows[3];
	size_t n_rows = 0;
	size_t kind;
	const char *text;
	bool is_race;
	bool is_leak;
	struct finding *f;

	if (!note) {
		finding_clean(out, in, &rule_checker_report, "no report of a checker");
		return;
	}
	for (uint32_t i = 0; i < s->rows.len && n_rows < ARRAY_LEN(rows); i++) {
		const struct thread_row *r = threads_summary_row(s, i);

		if (r->line >= note->line && r->line < next_line && r->n_frames)
			rows[n_rows++] = i;
	}
	if (n_rows == 0) {
		finding_not_assessed(out, in, &rule_checker_report, "the report with its stacks",
				     "the report has no stack with names");
		return;
	}
	kind = checker_kind(strings_get(strings, note->text));
	/* valgrind describes the error in the title of the second stack */
	if (kind == CHECKER_OTHER && n_rows > 1)
		kind = checker_kind(strings_get(strings, threads_summary_row(s, rows[1])->name));
	is_leak = str_glob(STR(CHECKER_LEAK), strings_get(strings, note->text));
	f = finding_add(out, in, &rule_checker_report, is_leak ? FINDING_WARNING : FINDING_ERROR,
			is_leak ? CHECKER_SURE_LEAK : CHECKER_SURE);
	finding_evidence(out, f, in, note->line, STR_FMT,
			 STR_ARG(strings_get(strings, note->text)));
	is_race = kind == CHECKER_RACE && n_rows > 1;
	if (is_race)
		text = finding_name(
			out, "%s%s", checker_kinds[kind].what,
			checker_race(in, out, f, rows, strings_get(strings, note->text)));
	else if (str_glob(STR(CHECKER_SIGNAL), strings_get(strings, note->text)))
		text = finding_name(out, "%s: " STR_FMT ", from %s", checker_kinds[kind].what,
				    STR_ARG(thread_words_frame(in, rows[0], 0)),
				    checker_where(in, out, f, rows[0], ""));
	else
		text = finding_name(out, "%s%s in %s", checker_kinds[kind].what,
				    checker_detail(out, strings_get(strings, note->text)),
				    checker_where(in, out, f, rows[0], ""));
	for (size_t i = is_race ? 2 : 1; i < n_rows; i++) {
		const char *verb =
			checker_verb(strings_get(strings, threads_summary_row(s, rows[i])->name));

		if (verb)
			text = finding_name(
				out, "%s; %s in %s", text, verb,
				checker_where(in, out, f, rows[i],
					      checker_through(in, out, rows[0], rows[i])));
	}
	finding_claim(out, f, "%s", text);
	finding_figure(f, "stacks of the report", (double)n_rows, 0, "");
	finding_cause(out, f, "%s", checker_kinds[kind].cause);
	if (is_leak)
		finding_because(out, f, "the scan found no pointer to the block; it may miss one");
	else
		finding_because(out, f, "the checker saw the access itself");
	if (checker_kinds[kind].next)
		finding_next(out, f, "%s", checker_kinds[kind].next);
	else if (n_rows > 1)
		finding_next(out, f,
			     "the code between the two places: who keeps the pointer, and "
			     "which size it assumes");
	else
		finding_next(out, f,
			     "the first function of the program on this stack, and the "
			     "size that it assumes");
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
