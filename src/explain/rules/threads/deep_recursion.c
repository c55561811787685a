/* SPDX-License-Identifier: MIT */
/*
 * A function calls itself until the stack overflows.
 *
 * Thresholds. With usual data, fewer than 12 calls of one function are on a stack. With 12 calls or
 * more, recursion is the reason for an overflow in three cases: a message reports a stack overflow;
 * the stack has 1000 frames or more; the process crashed and the outermost frames are not printed.
 * (A main stack of 8 MB has space for 80 000 frames of 100 bytes, and a thread's stack of 1 MB for
 * 10 000; interpreters stop at 1000.) If a message reports a stack overflow, and the stack is an
 * excerpt, two calls are enough for a note.
 */
#include "explain/words/source_words.h"
#include "explain/words/thread_words.h"

#include "analyses/threads/thread_summary.h"
#include "base/alloc.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/threads.h"
#include "core/names/package.h"
#include "core/names/start_names.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(deep_recursion);

#define RECURSION_TIMES 12u
/* minimum number of calls on the stack if a message reports a stack overflow */
#define RECURSION_NAMED 2u
/* minimum number of repetitions of the innermost round: three equal rounds in a row */
#define RECURSION_ROUNDS 2u
#define RECURSION_SHOWN  4u  /* number of functions of a round that the claim names */
#define RECURSION_CITED  12u /* maximum number of frames of a round that are cited */
#define RECURSION_DEEP   1000u
#define RECURSION_FRAMES 65536u /* maximum number of frames of a stack to examine */
/*
 * maximum number of other functions of the cycle that are named, and the minimum number of calls of
 * each of them. A function with fewer calls is no part of the usual round.
 */
#define RECURSION_OTHERS      3u
#define RECURSION_OTHER_CALLS 3u
#define RECURSION_SURE_ROUND  80u
#define RECURSION_SURE        90u
#define RECURSION_GUESS       60u

struct recursion {
	uint32_t row;
	uint32_t first; /* index of the innermost frame of the recursive function */
	uint32_t times;
	/* number of frames from one call of the recursive function to the next */
	uint32_t period;
	/* the stack is complete: its outermost frame starts the program or a thread */
	bool is_whole;
	/* frames of other functions between the calls: one for each function with several calls */
	uint32_t others[RECURSION_OTHERS];
	uint32_t n_others;
	/*
	 * frame of the only function between the calls that occurs once, while all others occur
	 * RECURSION_OTHER_CALLS times; INDEX_NONE: none, or several
	 */
	uint32_t once;
};

/* Is the stack of @row complete? Then its number of frames is its depth. */
static bool recursion_is_whole(const struct rule_input *in, uint32_t row)
{
	const struct thread_row *r = threads_summary_row(in->threads, row);
	uint32_t n = r->n_frames;

	return n && start_names_have(thread_words_frame(in, row, n - 1),
				     START_BEFORE_MAIN | START_BIT(START_ROLE_MAIN) |
					     START_BIT(START_ROLE_RUNTIME) | START_ENTRY);
}

/* Is frame @frame of thread @row without a name? Such frames may be different functions. */
static bool recursion_is_nameless(const struct rule_input *in, uint32_t row, uint32_t frame)
{
	struct str name = thread_words_frame(in, row, frame);

	return str_glob(STR("[*|0x*"), name) || str_eq(STR("\?\?"), name);
}

/*
 * Find the other functions between the innermost and the outermost call of @sym. @counts: number of
 * frames of each function. Of each other function, counts is 0 afterwards.
 */
static void recursion_find_others(struct recursion *best, const struct thread_frame *frames,
				  uint32_t last, sym_id sym, uint32_t *counts)
{
	bool is_clear = true;

	best->once = INDEX_NONE;
	for (uint32_t i = best->first; i < last; i++) {
		uint32_t n = counts[frames[i].sym.v];

		if (frames[i].sym.v == sym.v || n == 0)
			continue;
		counts[frames[i].sym.v] = 0;
		if (n >= RECURSION_OTHER_CALLS && best->n_others < RECURSION_OTHERS)
			best->others[best->n_others++] = i;
		if (n == 1 && best->once == INDEX_NONE)
			best->once = i;
		else if (n < RECURSION_OTHER_CALLS)
			is_clear = false;
	}
	if (!is_clear || best->n_others == 0)
		best->once = INDEX_NONE;
}

/*
 * Find the function that is most often on the stack of @row. @counts: scratch array with one
 * element per symbol; all elements must be 0, and are 0 again after the call.
 */
static struct recursion recursion_of(const struct rule_input *in, uint32_t *counts, uint32_t row)
{
	const struct thread_row *r = threads_summary_row(in->threads, row);
	const struct thread_frame *frames = threads_frames(in->capture->threads, r);
	uint32_t n = r->n_frames < RECURSION_FRAMES ? r->n_frames : RECURSION_FRAMES;
	struct recursion best = { .row = row,
				  .is_whole = recursion_is_whole(in, row),
				  .once = INDEX_NONE };
	sym_id sym = SYM_ID_NONE;
	uint32_t last = INDEX_NONE;

	for (uint32_t i = 0; i < n; i++) {
		/* frames without a name may belong to different functions */
		if (recursion_is_nameless(in, row, i))
			continue;
		if (++counts[frames[i].sym.v] > best.times && frames[i].sym.v) {
			best.times = counts[frames[i].sym.v];
			sym = frames[i].sym;
		}
	}
	for (uint32_t i = 0; i < n && sym.v; i++) {
		if (frames[i].sym.v != sym.v)
			continue;
		if (last == INDEX_NONE)
			best.first = i;
		else if (!best.period)
			best.period = i - last;
		last = i;
	}
	if (last != INDEX_NONE)
		recursion_find_others(&best, frames, last, sym, counts);
	for (uint32_t i = 0; i < n; i++)
		counts[frames[i].sym.v] = 0;
	return best;
}

/*
 * Do the same frames stand between each call of the function and the next, for at least
 * RECURSION_ROUNDS calls from the innermost frames on?
 */
static bool recursion_is_round(const struct rule_input *in, const struct recursion *best)
{
	const struct thread_row *r = threads_summary_row(in->threads, best->row);
	const struct thread_frame *frames = threads_frames(in->capture->threads, r);
	uint32_t same = 0;

	if (best->period == 0 || best->first > best->period)
		return false;
	while (best->first + best->period + same < r->n_frames &&
	       frames[best->first + same].sym.v == frames[best->first + best->period + same].sym.v)
		same++;
	return same >= RECURSION_ROUNDS * best->period;
}

/*
 * The functions through which the function calls itself, in the order of the calls: " through a →
 * b → c → 2 more → d". Frames are innermost first, so the order is reversed. "": it calls itself
 * directly.
 */
static const char *recursion_through(const struct rule_input *in, struct findings *out,
				     const struct recursion *best)
{
	const char *text = "";
	uint32_t n = 0;
	uint32_t at = 0;

	for (uint32_t i = 1; i < best->period; i++)
		n += !recursion_is_nameless(in, best->row, best->first + i);
	for (uint32_t i = best->period; i-- > 1;) {
		if (recursion_is_nameless(in, best->row, best->first + i))
			continue;
		at++;
		if (n > RECURSION_SHOWN + 1 && at == RECURSION_SHOWN)
			text = finding_name(out, "%s → %u more", text, n - RECURSION_SHOWN);
		if (n > RECURSION_SHOWN + 1 && at >= RECURSION_SHOWN && at < n)
			continue;
		text = finding_name(
			out, "%s%s" STR_FMT, text, at > 1 ? " → " : " through ",
			STR_ARG(package_strip(thread_words_frame(in, best->row, best->first + i))));
	}
	return text;
}

static bool recursion_has_overflow(const struct rule_input *in)
{
	VEC_FOREACH (note, &in->capture->threads->notes) {
		struct str text = strings_get(capture_strings(in->capture), note->text);

		if (str_glob(STR("*SIGSEGV*|*signal 11*|*stack overflow*|*stack exceeds*|"
				 "*overflowed its stack*|*StackOverflow*|*RecursionError*|"
				 "*stack-overflow*|*EXC_BAD_ACCESS*|*Segmentation fault*"),
			     text))
			return true;
	}
	return false;
}

/* Does a message in the text report a signal, a failed assertion or a panic? */
static bool recursion_has_crash(const struct rule_input *in)
{
	VEC_FOREACH (note, &in->capture->threads->notes) {
		if (note->kind < THREAD_NOTE_RELOCK || note->kind == THREAD_NOTE_PROSE)
			return true;
	}
	return false;
}

/* Does a message in the text report a stack overflow? */
static bool recursion_is_named(const struct rule_input *in)
{
	VEC_FOREACH (note, &in->capture->threads->notes) {
		if (str_glob(STR("*tack overflow*|*stack exceeds*|*overflowed its stack*|"
				 "*StackOverflow*|*RecursionError*|*stack-overflow*"),
			     strings_get(capture_strings(in->capture), note->text)))
			return true;
	}
	return false;
}

/*
 * Does a message report a stack overflow, and is the printed stack an excerpt whose innermost
 * frames repeat? (If a complete stack has few frames, large variables cause the overflow.)
 */
static bool recursion_is_excerpt(const struct rule_input *in, const struct recursion *best)
{
	return recursion_is_named(in) && best->times >= RECURSION_NAMED && !best->is_whole &&
	       best->first <= best->period;
}

/*
 * An argument of a function that calls itself, with its values in the outermost and the innermost
 * printed call.
 */
struct recursion_argument {
	/* name of an argument that grows in each call, or shrinks in each call; empty: none */
	struct str name;
	uint64_t outer, inner;
	uint32_t calls; /* number of calls whose arguments are printed */
	bool is_same;   /* all arguments are the same in each call */
	/* the value in each call is half of the value in its caller, with a tolerance of 1 */
	bool is_halved;
};

/*
 * Take the first argument with a decimal number, "n=8", from @rest. Set *@name and *@value to it.
 * False: there is none. Hexadecimal numbers are skipped: they are addresses, whose order means
 * nothing.
 */
static bool recursion_take_argument(struct str *rest, struct str *name, uint64_t *value)
{
	while (rest->len) {
		size_t end = str_find(*rest, STR(", "));
		struct str one = str_sub(*rest, 0, end);
		size_t at = str_find_char(one, '=');
		struct str number = str_skip(one, at + 1);

		*rest = str_skip(*rest, end + 2);
		*name = str_sub(one, 0, at);
		if (str_starts(number, *name) && str_take(&number, *name))
			(void)str_take(&number, STR("@entry="));
		if (at < one.len && !str_starts(number, STR("0x")) && str_u64(&number, value) &&
		    number.len == 0)
			return true;
	}
	return false;
}

/*
 * Find the value of argument @name in @args. False: the value is missing, or is no decimal number.
 */
static bool recursion_value(struct str args, struct str name, uint64_t *ret)
{
	struct str other;

	while (recursion_take_argument(&args, &other, ret)) {
		if (str_eq(other, name))
			return true;
	}
	return false;
}

/*
 * Follow argument @name through the calls of @best, innermost first. False: its value neither grows
 * in each call nor shrinks in each call.
 */
static bool recursion_follow(const struct rule_input *in, const struct recursion *best,
			     struct str name, struct recursion_argument *ret)
{
	const struct thread_row *r = threads_summary_row(in->threads, best->row);
	const struct thread_frame *frames = threads_frames(in->capture->threads, r);
	const struct strings *strings = capture_strings(in->capture);
	uint64_t last = 0, value;
	bool grows = true, shrinks = true;

	ret->calls = 0;
	ret->is_halved = true;
	for (uint32_t i = best->first; i < r->n_frames && frames[i].args.v; i++) {
		if (frames[i].sym.v != frames[best->first].sym.v)
			break;
		if (!recursion_value(strings_get(strings, frames[i].args), name, &value))
			return false;
		if (ret->calls == 0)
			ret->inner = value;
		else if (value <= last)
			shrinks = false;
		if (ret->calls && value >= last)
			grows = false;
		if (ret->calls && value / 2 != last && (value - 1) / 2 != last &&
		    (value + 1) / 2 != last)
			ret->is_halved = false;
		ret->outer = last = value;
		ret->calls++;
	}
	ret->name = name;
	return ret->calls >= RECURSION_TIMES && (grows || shrinks);
}

static struct recursion_argument recursion_argument_of(const struct rule_input *in,
						       const struct recursion *best)
{
	const struct thread_row *r = threads_summary_row(in->threads, best->row);
	const struct thread_frame *frames = threads_frames(in->capture->threads, r);
	str_id args = frames[best->first].args;
	struct str rest = strings_get(capture_strings(in->capture), args);
	struct recursion_argument ret = { .calls = 0 };
	struct str name;
	uint64_t value;
	uint32_t i = best->first;

	if (best->period != 1 || !args.v)
		return ret;
	while (recursion_take_argument(&rest, &name, &value)) {
		if (recursion_follow(in, best, name, &ret))
			return ret;
	}
	ret.name.len = 0;
	while (i < r->n_frames && frames[i].args.v == args.v)
		i++;
	ret.calls = i - best->first;
	ret.is_same = ret.calls == best->times;
	return ret;
}

/*
 * The next step for a recursion that likely has an end, while the program may hang: find the frame
 * that does not return. NULL: the dump is of a core, or of no debugger.
 */
static const char *recursion_watch(const struct rule_input *in)
{
	struct str dialect =
		strings_get(capture_strings(in->capture), in->capture->threads->dialect);

	if (in->capture->threads->is_stopped || !str_glob(STR("gdb|lldb"), dialect))
		return NULL;
	return "finish, again and again, in the debugger: the first call that does not return has "
	       "the loop";
}

/* A clause about the functions through which the function of @best calls itself. */
static const char *recursion_round(const struct rule_input *in, struct findings *out,
				   const struct recursion *best)
{
	const char *round = recursion_through(in, out, best);

	for (uint32_t i = 0; best->period == 1 && i < best->n_others; i++)
		round = finding_name(out, "%s%s" STR_FMT "%s", round,
				     i == 0 ? ", also through " : " and ",
				     STR_ARG(thread_words_frame(in, best->row, best->others[i])),
				     i + 1 == best->n_others ? "," : "");
	return round;
}

/* A clause about the only function of the cycle that occurs once. Cite its frame. */
static const char *recursion_once(const struct rule_input *in, struct findings *out,
				  struct finding *f, const struct recursion *best)
{
	const struct thread_row *r = threads_summary_row(in->threads, best->row);
	const struct thread_frame *frame;

	if (best->once == INDEX_NONE)
		return "";
	frame = &threads_frames(in->capture->threads, r)[best->once];
	finding_evidence(out, f, in, frame->line, STR_FMT,
			 STR_ARG(thread_words_frame(in, best->row, best->once)));
	return finding_name(
		out, ". Of the functions between these calls, only " STR_FMT "%s occurs once",
		STR_ARG(thread_words_frame(in, best->row, best->once)),
		source_words_place(out, in->capture, frame->sym));
}

/*
 * Add the next step for the recursive function @name. It depends on the change of argument @a from
 * call to call.
 */
static void recursion_next(struct findings *out, struct finding *f, struct str name,
			   const struct recursion_argument *a, bool is_overflow)
{
	if (a->name.len && a->inner < a->outer && !is_overflow)
		finding_next(out, f,
			     "timeout 5 bpftrace -p PID -e 'uprobe:PROGRAM:" STR_FMT
			     " { @ = count(); }': how often is it called? Each call does its work "
			     "again for a smaller '" STR_FMT "'",
			     STR_ARG(name), STR_ARG(a->name));
	else if (a->name.len || a->is_same || str_ends(name, STR("()")))
		finding_next(out, f,
			     "look for the condition that ends the recursion of " STR_FMT
			     ": why is it not met?",
			     STR_ARG(name));
	else
		finding_next(out, f,
			     "compare the arguments of " STR_FMT
			     " in two calls: do they shrink, or repeat?",
			     STR_ARG(name));
}

/* The cause of the recursion, if the arguments show it. NULL: the arguments do not show a cause. */
static const char *recursion_cause(struct findings *out, const struct recursion_argument *a,
				   bool is_overflow)
{
	if (a->is_same)
		return "Each call has the same arguments: the recursion ends only if other data "
		       "changes";
	if (a->name.len == 0)
		return NULL;
	if (a->is_halved)
		return finding_name(
			out,
			"If each call works on both halves, 2^%u calls reach this depth: the "
			"first value, %llu, decides the cost. Is it plausible?",
			a->calls - 1, (unsigned long long)a->outer);
	return finding_name(
		out, "'" STR_FMT "' %s in each of %u calls, from %llu to %llu%s", STR_ARG(a->name),
		a->inner < a->outer ? "shrinks" : "grows", a->calls, (unsigned long long)a->outer,
		(unsigned long long)a->inner,
		a->inner < a->outer && is_overflow
			? ". It may end, but needs more stack than there is"
		: a->inner < a->outer
			? ": most likely this recursion ends. How often it begins decides the cost"
			: "");
}

/*
 * Set cause and next step for a recursion whose stack is whole. An endless recursion soon overflows
 * the stack, unless each call is slow; a loop in one of its functions can hang the program.
 */
static void recursion_say_end(const struct rule_input *in, struct findings *out, struct finding *f,
			      struct str name, const struct recursion_argument *a)
{
	const char *watch = recursion_watch(in);
	bool hangs = thread_words_says_hang(in);

	finding_usual_cause(
		out, f, "%s",
		hangs ? "One of the functions on this stack has a loop that does not end, "
			"or takes very long. The stack is whole: an endless recursion would "
			"likely have overflowed it"
		      : "The data is nested this deep: the stack is whole, and an endless "
			"recursion would likely have overflowed it\n"
			"one of these functions has a loop that does not end, if the "
			"program hangs");
	finding_because(out, f, "%s",
			hangs ? "each frame is printed, down to the first function\n"
				"which function has the loop"
			      : "each frame is printed, down to the first function\n"
				"whether the program hangs or works");
	if (watch)
		finding_next(out, f, "%s", watch);
	else
		recursion_next(out, f, name, a, /* is_overflow= */ false);
}

static void recursion_finding(const struct rule_input *in, struct findings *out,
			      const struct recursion *best)
{
	const struct thread_row *r = threads_summary_row(in->threads, best->row);
	const struct thread_frame *frames = threads_frames(in->capture->threads, r);
	bool is_named = recursion_is_named(in);
	bool is_few = best->times < RECURSION_TIMES;
	const char *once;
	bool is_round = is_named && is_few && recursion_is_round(in, best);
	bool is_overflow =
		is_round || (!is_few && (is_named || r->depth >= RECURSION_DEEP ||
					 (recursion_has_overflow(in) && !best->is_whole)));
	struct finding *f = finding_add(out, in, &rule_deep_recursion,
					is_overflow ? FINDING_ERROR : FINDING_NOTE,
					is_round      ? RECURSION_SURE_ROUND
					: is_overflow ? RECURSION_SURE
						      : RECURSION_GUESS);
	struct str name = thread_words_frame(in, best->row, best->first);
	struct recursion_argument a = recursion_argument_of(in, best);
	const char *shown = recursion_cause(out, &a, is_overflow);
	const char *round = recursion_round(in, out, best);
	/* an endless recursion overflows soon: a whole stack of few frames is rarely one */
	bool has_end =
		best->is_whole && !is_overflow && !is_few && !shown && !recursion_has_overflow(in);

	finding_figure(f, "calls of the function on the stack", best->times, 0, "");
	finding_figure(f, "frames of the stack", r->depth, 0, "");
	for (uint32_t i = 0; i <= best->period && (i < 4 || best->period <= RECURSION_CITED) &&
			     best->first + i < r->n_frames;
	     i++)
		finding_evidence(out, f, in, frames[best->first + i].line, STR_FMT,
				 STR_ARG(thread_words_frame(in, best->row, best->first + i)));
	once = is_few ? "" : recursion_once(in, out, f, best);
	/*
	 * a checker that reports another fault, or names the overflow, is more certain; and a stack
	 * that is only deep does not explain a crash
	 */
	f->yields = (!(is_named && is_overflow) && threads_is_checked(in->capture->threads)) ||
		    (!is_overflow && !is_few && recursion_has_crash(in));
	if (a.is_halved && a.name.len && !is_overflow)
		finding_claim(out, f,
			      "Recursion: " STR_FMT " calls itself with half of '" STR_FMT
			      "' %u times in a row, from %llu to %llu",
			      STR_ARG(name), STR_ARG(a.name), a.calls - 1,
			      (unsigned long long)a.outer, (unsigned long long)a.inner);
	else
		finding_claim(out, f, "%s: %s calls itself%s and occurs %u times in %u frames%s",
			      is_overflow ? "Stack overflow by recursion"
			      : is_few    ? "Stack overflow, possibly by recursion"
					  : "Deep recursion",
			      thread_words_frame_at(out, in, best->row, best->first + best->period),
			      round, best->times, r->depth, once);
	finding_subject(f, frames[best->first].sym, SUBJECT_EXPLAINED);
	if (has_end) {
		recursion_say_end(in, out, f, name, &a);
		return;
	}
	finding_usual_cause(
		out, f, "%s",
		shown         ? shown
		: is_overflow ? "The recursion does not end: a cycle in the data, or a call that "
				"triggers itself. Each call takes a frame until the stack is full"
		: is_few      ? "The recursion does not end, or the local variables of a function "
				"are huge"
			      : "The data is nested this deep, or the recursion does not end");
	finding_because(out, f, "%s",
			is_round      ? "the message names the overflow, and the same frames repeat"
			: is_overflow ? "the depth and the crash agree"
			: shown       ? "the arguments of each call are printed\n"
					"what each call costs"
			: is_few      ? "the message names the overflow, and the stack shows few "
					"of its frames"
				      : "each frame is printed\n"
					"how deep the data is");
	recursion_next(out, f, name, &a, is_overflow);
}

static void recursion_check(const struct rule_input *in, struct findings *out)
{
	const struct threads_summary *s = in->threads;
	struct recursion best = { .times = 0 };
	uint32_t *counts;

	if (thread_words_is_nameless(in, &rule_deep_recursion, out))
		return;
	counts = xcalloc(capture_symbols(in->capture)->rows.len + 1, sizeof(*counts));
	VEC_FOREACH (g, &s->groups) {
		struct recursion one = recursion_of(in, counts, g->row);

		if (one.times > best.times)
			best = one;
	}
	free(counts);
	if (best.times >= RECURSION_TIMES || recursion_is_excerpt(in, &best))
		recursion_finding(in, out, &best);
	else
		finding_clean(out, in, &rule_deep_recursion,
			      "no function occurs %u times on one stack", RECURSION_TIMES);
}

static const char *const recursion_overrules[] = { "crash-stack", "thread-waits", "checker-report",
						   NULL };

const struct rule rule_deep_recursion = {
	.id = "deep-recursion",
	.title = "Stack overflow by recursion",
	.needs = RULE_THREADS,
	.overrules = recursion_overrules,
	.check = recursion_check,
	.is_measured = true,
};
