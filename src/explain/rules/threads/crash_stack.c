/* SPDX-License-Identifier: MIT */
/*
 * The stack of a crash: the kind of crash, and its place in the program.
 *
 * No threshold: every signal, abort or panic is a crash. The innermost frames and the text around
 * the stack show the kind.
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
#include "explain/crash_stack_names.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <string.h>

DECLARE_RULE(crash_stack);

#define CRASH_SURE       90u
#define CRASH_SURE_PROSE 70u
#define CRASH_MESSAGE    96u /* maximum number of bytes of a message in the claim */
/* number of innermost frames to search for the kind of crash */
#define CRASH_LOOK 12u

enum crash_kind {
	CRASH_NONE,
	CRASH_ASSERT,
	CRASH_HEAP,
	/* the frame is a sign of CRASH_HEAP only if the text also reports a crash */
	CRASH_HEAP_MAYBE,
	CRASH_SMASHED,
	CRASH_EXCEPTION,
	CRASH_PANIC,
	CRASH_NULL,
	CRASH_SIGNAL,
	CRASH_ARITHMETIC,
	CRASH_ABORT,
	CRASH_FAULT,
	CRASH_OTHER, /* any other signal that ends a program */
	/* the frame sends a signal; it counts as CRASH_ABORT if the signal ends the process */
	CRASH_RAISE,
};

static const struct {
	const char *what;
	const char *cause;
	const char *next;
} crash_words[] = {
	[CRASH_NONE] = { "", "", "" },
	[CRASH_ASSERT] = { "a failed assertion",
			   "The program detected an impossible state and aborted itself",
			   "read the condition of the assertion at that line; find the caller that "
			   "broke it" },
	[CRASH_HEAP] = { "heap corruption found by the allocator (double free, or a write past a "
			 "block)",
			 "Memory was freed twice or overwritten earlier. The stack shows the "
			 "detection, not the damage",
			 "build with -fsanitize=address and run again: it stops at the first bad "
			 "access" },
	[CRASH_SMASHED] = { "a buffer overflow on the stack",
			    "the guard value at the end of the frame was overwritten",
			    "build with -fsanitize=address and run again: it stops at the "
			    "overflow" },
	[CRASH_EXCEPTION] = { "an uncaught exception",
			      "No function on the stack catches it, or it left a noexcept function "
			      "or a destructor",
			      "gdb -ex 'catch throw' -ex run PROGRAM: where the exception is "
			      "thrown" },
	[CRASH_PANIC] = { "a panic", "The code or its runtime gave up there; the message says why",
			  "read the first frame of the program on the stack: where it happened" },
	[CRASH_NULL] = { "a null pointer",
			 "A pointer that was never set, or a lookup that found nothing",
			 "gdb PROGRAM CORE -ex 'bt full': which caller passes the null pointer" },
	[CRASH_SIGNAL] = { "a bad memory access",
			   "A pointer to unmapped memory: freed, overwritten, or never set",
			   "build with -fsanitize=address and run again: it stops at the first bad "
			   "access" },
	[CRASH_FAULT] = { "a fault", "A bad pointer, or a failed check: the text calls it a crash",
			  "gdb PROGRAM CORE -ex 'bt full' -ex 'p $_siginfo': the signal and its "
			  "address" },
	[CRASH_OTHER] = { "a signal", "The message names the signal",
			  "man 7 signal; gdb PROGRAM CORE -ex 'p $_siginfo': who sent it" },
	[CRASH_ARITHMETIC] = { "an arithmetic error", "An integer was divided by zero",
			       "gdb PROGRAM CORE -ex 'info locals': which divisor is zero" },
	[CRASH_ABORT] = { "abort()", "The program found something that it takes as fatal",
			  "read the lines printed just before, and the first frame below abort()" },
};

static const struct {
	const char *pattern;
	enum crash_kind kind;
} crash_frames[] = { CRASH_FRAMES };

static enum crash_kind crash_frame_kind(struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(crash_frames); i++) {
		if (str_glob(str_of(crash_frames[i].pattern), name))
			return crash_frames[i].kind;
	}
	return CRASH_NONE;
}

/*
 * Is frame @i of thread @row a function that reports a failed assertion? The arguments of such a
 * function are a condition and a source line. Other functions (evaluators of expressions) may have
 * such arguments, so a second sign is required: the process aborts in this frame (@is_aborted), or
 * the name of the function is known.
 */
static bool crash_is_check(const struct rule_input *in, uint32_t row, uint32_t i, bool is_aborted)
{
	const struct thread_row *r = threads_summary_row(in->threads, row);

	return threads_frames(in->capture->threads, r)[i].is_check &&
	       (is_aborted || str_glob(STR(CRASH_CHECKERS), thread_words_frame(in, row, i)));
}

/* Is @n the number of a signal for a fault or an abort (on most Linux machines)? */
static bool crash_is_fatal(unsigned int n)
{
	return n == 4 || n == 6 || n == 7 || n == 8 || n == 11 || n == 31;
}

/*
 * Does the signal that frame @i sends to its own thread end the process? If the dump prints the
 * number of the signal, this number decides. Without a number, the signal ends the process in two
 * cases:
 * - The process aborts (@is_aborted).
 * - The frame is inside a signal handler, and the name of its function does not contain "kill": the
 *   handler raises its own signal again.
 */
static bool crash_raises(const struct rule_input *in, uint32_t row, uint32_t i, bool is_aborted)
{
	const struct thread_row *r = threads_summary_row(in->threads, row);
	unsigned int signal = threads_frames(in->capture->threads, r)[i].signal;

	if (signal)
		return crash_is_fatal(signal);
	return is_aborted ||
	       (i < r->signal_at && !str_glob(STR("*kill*"), thread_words_frame(in, row, i)));
}

/*
 * Find the kind of crash of thread @row by its innermost frames. *@ret_place: index of the frame to
 * blame, the innermost frame that belongs neither to crash handling nor to libc. @is_aborted: a
 * line before the stack says that the process aborts.
 */
static enum crash_kind crash_of_stack(const struct rule_input *in, uint32_t row, bool is_aborted,
				      uint32_t *ret_place)
{
	const struct thread_row *r = threads_summary_row(in->threads, row);
	uint32_t n = r->n_frames;
	enum crash_kind found = CRASH_NONE;

	*ret_place = 0;
	/*
	 * A message that the process aborts is about the current thread, so it is ignored for all
	 * other threads. A dump with a single thread need not mark this thread as the current one.
	 */
	is_aborted &= r->is_current || in->capture->threads->rows.len == 1;
	for (uint32_t i = 0; i < n && i < CRASH_LOOK; i++) {
		enum crash_kind kind = crash_frame_kind(thread_words_frame(in, row, i));

		if (kind == CRASH_RAISE)
			kind = crash_raises(in, row, i, is_aborted) ? CRASH_ABORT : CRASH_NONE;
		if (kind == CRASH_NONE && found != CRASH_ASSERT &&
		    crash_is_check(in, row, i,
				   is_aborted || (found == CRASH_ABORT && *ret_place == i)))
			kind = CRASH_ASSERT;
		/*
		 * If a signal handler of the program calls abort(), the fault is in the interrupted
		 * function.
		 */
		if (found == CRASH_ABORT && r->signal_at && i == r->signal_at) {
			found = CRASH_FAULT;
			*ret_place = i;
		}
		if (kind == CRASH_NONE)
			continue;
		if (found == CRASH_NONE || found == CRASH_FAULT || found == CRASH_ABORT ||
		    kind < found)
			found = kind;
		*ret_place = i + 1;
	}
	while (*ret_place && *ret_place < n &&
	       (thread_waits_is_allocator(capture_symbols(in->capture),
					  threads_summary_sym(in->threads, row, *ret_place)) ||
		str_glob(STR(CRASH_BETWEEN), thread_words_frame(in, row, *ret_place))) &&
	       *ret_place + 1 < n)
		(*ret_place)++;
	return found;
}

/*
 * Does @text say that a debugger stopped at a signal that does not end a program? (A debugger stops
 * before the program receives the signal.)
 */
static bool crash_is_stop(struct str text)
{
	return str_contains(text, STR("received signal ")) && !str_glob(STR(CRASH_SIGNALS), text);
}

/* Index in t->notes of the message that reports the crash; INDEX_NONE: none. */
static uint32_t crash_note(const struct rule_input *in)
{
	const struct threads *t = in->capture->threads;

	for (uint32_t i = 0; i < t->notes.len; i++) {
		struct str text = strings_get(capture_strings(in->capture), t->notes.data[i].text);

		if ((t->notes.data[i].kind < THREAD_NOTE_RELOCK ||
		     t->notes.data[i].kind == THREAD_NOTE_PROSE) &&
		    !crash_is_stop(text) &&
		    !str_glob(STR("*SIGINT*|*SIGSTOP*|*SIGTRAP*|*KeyboardInterrupt*|*SIGQUIT*|"
				  "*Interrupt.|*SIGTERM*|*User defined signal*|*SIGUSR*"),
			      text))
			return i;
	}
	return INDEX_NONE;
}

/* Does @note report an abort? */
static bool crash_is_abort(const struct rule_input *in, uint32_t note)
{
	const struct threads *t = in->capture->threads;

	return note != INDEX_NONE &&
	       (t->notes.data[note].kind == THREAD_NOTE_ASSERT ||
		str_glob(STR("*SIGABRT*|*signal 6*|*Aborted*"),
			 strings_get(capture_strings(in->capture), t->notes.data[note].text)));
}

/*
 * Did a debugger stop at a bad access that the program handles, so that nothing crashed? This is so
 * if the innermost frame has no name ("??") and belongs to a runtime: a runtime generates code, and
 * handles bad accesses of this code.
 */
static bool crash_is_handled(const struct rule_input *in, uint32_t note, uint32_t row)
{
	const struct threads *t = in->capture->threads;
	uint32_t n = threads_summary_row(in->threads, row)->n_frames;

	if (!n || !str_eq(thread_words_frame(in, row, 0), STR("??")) ||
	    !str_contains(strings_get(capture_strings(in->capture), t->notes.data[note].text),
			  STR("received signal ")))
		return false;
	for (uint32_t i = 1; i < n; i++) {
		if (str_glob(STR(CRASH_MANAGED), thread_words_frame(in, row, i)))
			return true;
	}
	return false;
}

/*
 * Is the innermost frame a libc function such as strlen() that got a null pointer instead of a
 * string?
 */
static bool crash_reads_null(const struct rule_input *in, uint32_t row)
{
	const struct thread_row *r = threads_summary_row(in->threads, row);
	struct str name = thread_words_frame(in, row, 0);
	unsigned int nulls = r->n_frames ? threads_frames(in->capture->threads, r)->null_args : 0;

	return (nulls & 1 && str_glob(STR(CRASH_READS), name)) ||
	       (nulls & 2 && str_glob(STR(CRASH_READS_BOTH), name));
}

/* Is a null pointer passed to the innermost frame as an argument that must not be null? */
static bool crash_has_null(const struct rule_input *in, uint32_t row)
{
	const struct thread_row *r = threads_summary_row(in->threads, row);
	struct str name = thread_words_frame(in, row, 0);

	return crash_reads_null(in, row) ||
	       (r->n_frames && threads_frames(in->capture->threads, r)->null_args &&
		!str_glob(STR(CRASH_READS), name) && !str_glob(STR(CRASH_NULL_IS_USUAL), name));
}

static enum crash_kind crash_of_note(const struct rule_input *in, uint32_t note, uint32_t row)
{
	const struct thread_note *n = &in->capture->threads->notes.data[note];
	struct str text = strings_get(capture_strings(in->capture), n->text);
	bool has_null = crash_has_null(in, row);

	if (str_glob(
		    STR("*nil pointer*|*NullPointerException*|*addr=0x0*|*address 0x000000000000 *|"
			"*null pointer*"),
		    text))
		return CRASH_NULL;
	if (str_glob(STR("*SIGSEGV*|*signal 11*|*SIGBUS*|*Segmentation fault*|*SEGV*|"
			 "*EXC_BAD_ACCESS*"),
		     text))
		return has_null ? CRASH_NULL : CRASH_SIGNAL;
	if (str_glob(STR("*SIGFPE*|*signal 8*|*Arithmetic exception*"), text))
		return CRASH_ARITHMETIC;
	if (str_glob(STR("*SIGABRT*|*signal 6*|*Aborted*"), text))
		return CRASH_ABORT;
	if (n->kind == THREAD_NOTE_PROSE && !str_glob(STR("*egfault*"), text))
		return has_null ? CRASH_NULL : CRASH_FAULT;
	if (n->kind == THREAD_NOTE_PANIC || str_starts(text, STR("Fatal Python error")))
		return CRASH_PANIC;
	return str_glob(STR("*SIG*|*signal *"), text) ? CRASH_OTHER : CRASH_SIGNAL;
}

/*
 * Index of the thread that crashed, which message @note reports. It is the current thread, if its
 * frames show a crash or @is_aborted is set. Otherwise it is the first thread whose frames show a
 * crash, or the first thread with frames; of goroutines, the first one below the message.
 * *@ret_kind, *@ret_place: results of crash_of_stack().
 */
static uint32_t crash_row(const struct rule_input *in, bool is_aborted, uint32_t note,
			  enum crash_kind *ret_kind, uint32_t *ret_place)
{
	const struct threads_summary *s = in->threads;
	const struct threads *t = in->capture->threads;
	bool is_go =
		str_starts(strings_get(capture_strings(in->capture), t->dialect), STR("goroutine"));
	uint32_t from = is_go && note != INDEX_NONE ? t->notes.data[note].line : 0;
	uint32_t below = INDEX_NONE;
	uint32_t first = INDEX_NONE;

	VEC_FOREACH (g, &s->groups) {
		if (!threads_summary_row(s, g->row)->is_current)
			continue;
		*ret_kind = crash_of_stack(in, g->row, is_aborted, ret_place);
		if (*ret_kind || is_aborted)
			return g->row;
	}
	VEC_FOREACH (g, &s->groups) {
		*ret_kind = crash_of_stack(in, g->row, is_aborted, ret_place);
		if (*ret_kind)
			return g->row;
		if (!threads_summary_row(s, g->row)->n_frames)
			continue;
		if (first == INDEX_NONE || g->row < first)
			first = g->row;
		if (threads_summary_row(s, g->row)->line >= from &&
		    (below == INDEX_NONE || g->row < below))
			below = g->row;
	}
	*ret_place = 0;
	return below == INDEX_NONE ? first : below;
}

/*
 * The message of a panic or exception: " ('send on closed channel')" for "panic: send on closed
 * channel". "": no message, or the kind of crash already states it.
 */
static const char *crash_message(const struct rule_input *in, struct findings *out,
				 enum crash_kind kind, uint32_t note)
{
	static const char *const marks[] = { "panic: ",       "fatal error: ",       "panicked at ",
					     "Caused by: ",   "Uncaught exception",  "FATAL: ",
					     "Fatal error: ", "Fatal Python error: " };
	struct str text;

	if (note == INDEX_NONE || (kind != CRASH_PANIC && kind != CRASH_EXCEPTION))
		return "";
	text = strings_get(capture_strings(in->capture),
			   in->capture->threads->notes.data[note].text);
	for (size_t i = 0; i < ARRAY_LEN(marks); i++) {
		size_t at = str_find(text, str_of(marks[i]));

		if (at < text.len)
			text = str_skip(text, at + strlen(marks[i]));
	}
	if (str_take(&text, STR("Exception in thread \""))) {
		struct str class;
		size_t dot;

		/*
		 * Java prints '"main" org.apache.zookeeper.KeeperException: message'. Skip the name
		 * of the thread, and the package of the class. (A class may have no package.)
		 */
		text = str_ltrim(str_skip(text, str_find_char(text, '"') + 1));
		class = str_sub(text, 0, str_find_char(text, ':'));
		dot = str_rfind_char(class, '.');
		text = dot < class.len ? str_skip(text, dot + 1) : text;
	}
	text = str_sub(str_trim(text), 0, CRASH_MESSAGE);
	return text.len ? finding_name(out, " ('" STR_FMT "')", STR_ARG(text)) : "";
}

enum crash_end {
	CRASH_ENDS_PROCESS,
	CRASH_ENDS_THREAD,
	/* a deferred function of Go caught the panic (recover()), and printed the stack */
	CRASH_IS_CAUGHT,
	/* the text prints an exception; it is unknown if the program caught it */
	CRASH_IS_LOGGED,
};

struct crash {
	enum crash_kind kind;
	uint32_t row;
	uint32_t place; /* index of the frame to blame */
	uint32_t note;  /* index of the message that reports the crash; INDEX_NONE: none */
	/* the only sign of a crash is a null pointer in the innermost frame */
	bool is_read;
};

/*
 * Did a deferred function of Go recover from a panic, as net/http does for each request? It did if
 * a function of the program is further inwards than panic(): panic() called this deferred function.
 */
static bool crash_is_recovered(const struct rule_input *in, uint32_t row)
{
	uint32_t n = threads_summary_row(in->threads, row)->n_frames;
	bool has_function = false;

	for (uint32_t i = 0; i < n && i < CRASH_LOOK; i++) {
		struct str name = thread_words_frame(in, row, i);

		if (str_eq(name, STR("panic")) || str_eq(name, STR("runtime.gopanic")))
			return has_function;
		has_function |= !str_glob(STR("runtime.*|runtime/debug.*|panic*"), name);
	}
	return false;
}

/*
 * Does @text begin with the name of an exception of the JVM or of Python, such as
 * "java.lang.OutOfMemoryError: ..." or "MemoryError"?
 */
static bool crash_is_exception(struct str text)
{
	struct str name = str_sub(text, 0, str_find_char(text, ':'));

	return str_find_char(name, ' ') == name.len &&
	       (str_ends(name, STR("Exception")) || str_ends(name, STR("Error")));
}

static enum crash_end crash_end_of(const struct rule_input *in, const struct crash *c)
{
	struct str text =
		c->note == INDEX_NONE
			? STR_NONE
			: str_trim(strings_get(capture_strings(in->capture),
					       in->capture->threads->notes.data[c->note].text));

	if (c->kind != CRASH_PANIC && c->kind != CRASH_EXCEPTION)
		return CRASH_ENDS_PROCESS;
	if ((text.len == 0 || str_contains(text, STR("panic serving "))) &&
	    crash_is_recovered(in, c->row))
		return CRASH_IS_CAUGHT;
	if (crash_is_exception(text))
		return CRASH_IS_LOGGED;
	if (str_glob(STR("*thread '*' panicked at*|*thread '*' (*) panicked at*|"
			 "*Exception in thread \"*"),
		     text) &&
	    !str_glob(STR("*thread 'main'*|*thread \"main\"*"), text))
		return CRASH_ENDS_THREAD;
	return CRASH_ENDS_PROCESS;
}

static void crash_claim(const struct rule_input *in, struct findings *out, struct finding *f,
			const struct crash *c, uint32_t place, enum crash_end end)
{
	static const char *const before[] = { [CRASH_ENDS_PROCESS] = "Crash, not slow: ",
					      [CRASH_ENDS_THREAD] = "A thread ends: ",
					      [CRASH_IS_CAUGHT] = "A request or task fails: ",
					      [CRASH_IS_LOGGED] = "The text reports " };
	static const char *const after[] = { [CRASH_ENDS_PROCESS] = " ends the process",
					     [CRASH_ENDS_THREAD] = " is not caught",
					     [CRASH_IS_CAUGHT] =
						     " is caught by a deferred function",
					     [CRASH_IS_LOGGED] = "" };
	bool has_caller = place + 1 < threads_summary_row(in->threads, c->row)->n_frames;

	finding_claim(
		out, f, "%s%s%s in " STR_FMT "%s" STR_FMT "%s%s", before[end],
		end == CRASH_IS_LOGGED ? "an exception" : crash_words[c->kind].what,
		crash_message(in, out, c->kind, c->note),
		STR_ARG(thread_words_frame(in, c->row, place)), has_caller ? ", called from " : "",
		STR_ARG(has_caller ? thread_words_frame(in, c->row, place + 1) : STR("")),
		has_caller && end != CRASH_ENDS_PROCESS && *after[end] ? "," : "", after[end]);
}

static void crash_finding(const struct rule_input *in, struct findings *out, const struct crash *c)
{
	const struct thread_row *r = threads_summary_row(in->threads, c->row);
	enum crash_end end = crash_end_of(in, c);
	uint32_t row = c->row, note = c->note, place = c->place;
	bool is_prose = note != INDEX_NONE &&
			in->capture->threads->notes.data[note].kind == THREAD_NOTE_PROSE;
	struct finding *f;

	if (c->kind == CRASH_SIGNAL || c->kind == CRASH_NULL || c->kind == CRASH_ARITHMETIC ||
	    c->kind == CRASH_FAULT)
		place = thread_words_fault(in, row, place);
	if (place >= r->n_frames)
		place = 0;
	f = finding_add(out, in, &rule_crash_stack,
			end == CRASH_ENDS_PROCESS ? FINDING_ERROR : FINDING_WARNING,
			is_prose || c->is_read ? CRASH_SURE_PROSE : CRASH_SURE);
	crash_claim(in, out, f, c, place, end);
	finding_figure(f, "frames of the stack", r->depth, 0, "");
	if (note != INDEX_NONE)
		finding_evidence(out, f, in, in->capture->threads->notes.data[note].line, STR_FMT,
				 STR_ARG(strings_get(capture_strings(in->capture),
						     in->capture->threads->notes.data[note].text)));
	for (uint32_t i = place; i < r->n_frames && i < place + THREAD_WORDS_CALLERS; i++)
		finding_evidence(out, f, in, threads_frames(in->capture->threads, r)[i].line,
				 STR_FMT, STR_ARG(thread_words_frame(in, row, i)));
	finding_subject(f, threads_summary_sym(in->threads, row, place), SUBJECT_EXPLAINED);
	finding_cause_if(out, f, end == CRASH_IS_LOGGED, "%s",
			 end == CRASH_IS_LOGGED ? "The message names the reason"
						: crash_words[c->kind].cause);
	finding_because(out, f, "%s",
			end == CRASH_IS_LOGGED      ? "the stack and the message are printed\n"
						      "whether code catches the error"
			: end != CRASH_ENDS_PROCESS ? "the stack and the message are printed"
			: is_prose   ? "only the text above the stack calls it a crash"
			: c->is_read ? "the innermost frame reads a null pointer, but no line "
				       "names a signal"
			: note == INDEX_NONE ? "only code that ends the process calls these frames"
					     : "the innermost frames and the message agree");
	finding_next(out, f, "%s", crash_words[c->kind].next);
}

static void crash_check(const struct rule_input *in, struct findings *out)
{
	struct crash c = { .note = crash_note(in) };
	bool is_prose;

	c.row = crash_row(in, crash_is_abort(in, c.note), c.note, &c.kind, &c.place);
	if (thread_words_is_nameless(in, &rule_crash_stack, out))
		return;
	if (c.kind == CRASH_NONE && c.row != INDEX_NONE && c.note != INDEX_NONE &&
	    crash_is_handled(in, c.note, c.row)) {
		finding_clean(out, in, &rule_crash_stack,
			      "the runtime of the program handles the signal of the code that it "
			      "generated");
		return;
	}
	if (c.kind == CRASH_NONE && c.row != INDEX_NONE && crash_reads_null(in, c.row)) {
		c.kind = CRASH_NULL;
		c.is_read = c.note == INDEX_NONE;
	}
	if (c.kind == CRASH_HEAP_MAYBE)
		c.kind = c.note == INDEX_NONE ? CRASH_NONE : CRASH_HEAP;
	if (c.row == INDEX_NONE || (c.kind == CRASH_NONE && c.note == INDEX_NONE)) {
		finding_clean(out, in, &rule_crash_stack, "no signal, abort or panic in the dump");
		return;
	}
	is_prose = c.note != INDEX_NONE &&
		   in->capture->threads->notes.data[c.note].kind == THREAD_NOTE_PROSE;
	if (c.note != INDEX_NONE &&
	    (c.kind == CRASH_NONE || c.kind == CRASH_FAULT ||
	     (!is_prose && (c.kind == CRASH_ABORT || c.kind == CRASH_PANIC))))
		c.kind = crash_of_note(in, c.note, c.row);
	crash_finding(in, out, &c);
}

static const char *const crash_overrules[] = { "thread-waits", NULL };

const struct rule rule_crash_stack = {
	.id = "crash-stack",
	.title = "Crash",
	.needs = RULE_THREADS,
	.overrules = crash_overrules,
	.check = crash_check,
	.is_measured = true,
};
