/* SPDX-License-Identifier: MIT */
#include "formats/logs/log_trace.h"

#include "base/status.h"
#include "base/str.h"
#include "formats/threads/stack_dialect.h"

#define TRACE_RULES 12u
/* the name of an exception is searched in at most this many words at the start of a line */
#define TRACE_WORDS 24u
#define TRACE_NAME  160u /* maximum length of the name of an exception or function */

enum trace_line {
	TRACE_HEAD,  /* a line that begins a trace; it may contain the reason of a panic */
	TRACE_FRAME, /* a line with a frame; it may begin a trace */
	/*
	 * a line with a frame. It cannot begin a trace, because lines of other texts look the same
	 */
	TRACE_CALL,
	/* the line names the cause of the previous exception; the trace of this cause follows */
	TRACE_CAUSE,
	/* the trace above this line is of the root cause; the trace of a later exception follows */
	TRACE_AGAIN,
	/*
	 * the call of panic() in Go. Forget the frames above this line, because they are of the
	 * runtime, which handles the panic
	 */
	TRACE_RESET,
	TRACE_INNER, /* any other line inside a trace */
};

struct log_trace_dialect {
	/*
	 * str_glob patterns of the language runtime's functions, which are not part of the program
	 */
	const char *runtime;
	bool is_outermost_first;   /* the outermost frame is printed first */
	bool takes_indented;       /* every indented line after a frame belongs to the trace */
	bool has_exception_before; /* the line above the first frame names the exception */
	struct stack_rule rules[TRACE_RULES];
};

/* clang-format off */
static const struct log_trace_dialect trace_dialects[] = {
	/*
	 * sources of these rules: java.lang.Throwable.printStackTrace(); logback's packaging data;
	 * System.Exception.ToString() of .NET; Error.stack of V8
	 */
	{ "java.*|javax.*|jdk.*|sun.*|kotlin.*|scala.*|System.*|node:*|*$$Lambda*", false, false, true, {
		{ TRACE_FRAME, 1, "at %F(%*" },
		{ TRACE_FRAME, 1, "at async %f (%s:%l:%d)" },
		{ TRACE_FRAME, 1, "at new %f (%s:%l:%d)" },
		{ TRACE_FRAME, 1, "at %f (%s:%l:%d)" },
		{ TRACE_INNER, 1, "at %s:%l:%d" },
		{ TRACE_INNER, 1, "... %d more" },
		{ TRACE_INNER, 1, "... %d common frames omitted" },
		{ TRACE_INNER, 1, "Suppressed: %*" },
		{ TRACE_INNER, 1, "--- End of %* ---" },
		{ TRACE_CAUSE, 0, "Caused by: %*" } } },
	/* source: CPython, Lib/traceback.py */
	{ "<frozen *", true, true, false, {
		{ TRACE_HEAD, 0, "Traceback (most recent call last):" },
		{ TRACE_FRAME, 1, "File \"%s\", line %l, in %f" },
		{ TRACE_AGAIN, 0, "During handling of the above exception, another exception occurred:" },
		{ TRACE_AGAIN, 0, "The above exception was the direct cause of the following exception:" } } },
	/* source: Go, src/runtime/traceback.go, panic.go; net/http/server.go */
	{ "runtime.*|runtime/debug.*|net/http.*|panic|log.*", false, true, false, {
		{ TRACE_HEAD, 0, "goroutine %d [%t]:" },
		{ TRACE_HEAD, 0, "panic: %*" },
		{ TRACE_INNER, 0, "[signal %*" },
		{ TRACE_RESET, 0, "panic(%*" },
		{ TRACE_INNER, 0, "created by %*" },
		{ TRACE_CALL, 0, "%F(%a" } } },
	/* source: Rust, library/std/src/panicking.rs, backtrace.rs */
	{ "std::*|core::*|rust_begin_unwind|<*", false, true, false, {
		{ TRACE_HEAD, 0, "thread '%n' panicked at %*" },
		{ TRACE_HEAD, 0, "stack backtrace:" },
		{ TRACE_INNER, 0, "note: %*RUST_BACKTRACE%*" },
		{ TRACE_FRAME, 1, "%N: %x - %f" },
		{ TRACE_FRAME, 1, "%N: %f" } } },
	/* source: glibc, debug/backtracesyms.c; boost/stacktrace/frame.hpp; glog; gdb in logs */
	{ "boost::stacktrace::*|__GI_*|raise|abort|__assert_fail*|std::terminate*|__cxa_*", false, false, false, {
		{ TRACE_FRAME, 0, "%m(%f+0x%x) [0x%x]" },
		{ TRACE_FRAME, 0, "%m(%f+0x%x)[0x%x]" },
		{ TRACE_INNER, 0, "%m(+0x%x) [0x%x]" },
		{ TRACE_INNER, 0, "%m(+0x%x)[0x%x]" },
		{ TRACE_FRAME, 1, "%N# %f at %s:%l" },
		{ TRACE_FRAME, 1, "%N# %f in %m" },
		{ TRACE_FRAME, 0, "#%N %x in %f (%*" },
		{ TRACE_FRAME, 0, "@ %x %f" },
		{ TRACE_HEAD, 0, "*** Check failure stack trace: ***" } } },
	/* source: ruby, error.c, error_print() */
	{ "<*", false, false, true, {
		{ TRACE_FRAME, 1, "from %s:%l:in `%f'" },
		{ TRACE_FRAME, 1, "from %s:%l:in '%f'" } } },
};
/* clang-format on */

/*
 * Whether @word is the name of an exception, judged by its last letters:
 * "java.lang.IllegalStateException", "KeyError", "System.IO.IOException".
 */
static bool trace_is_exception(struct str word)
{
	if (word.len < 5 || word.len > TRACE_NAME || char_is_digit(word.p[0]))
		return false;
	for (size_t i = 0; i < word.len; i++) {
		char c = (char)(word.p[i] | 32);

		if (!(c >= 'a' && c <= 'z') && !char_is_digit(word.p[i]) &&
		    !memchr("._$", word.p[i], 3))
			return false;
	}
	return str_glob(STR("*Exception|*Error|*Throwable|*Failure|*Fault|*Interrupt|*Warning"),
			word);
}

/* The first exception name among the first TRACE_WORDS words of @line; empty: none. */
static struct str trace_exception(struct str line)
{
	struct str word;

	for (unsigned int i = 0; i < TRACE_WORDS && str_word(&line, &word); i++) {
		while (word.len && memchr(":,;(\"'", word.p[word.len - 1], 6))
			word.len--;
		if (trace_is_exception(word))
			return word;
	}
	return STR_NONE;
}

/*
 * The reason of a panic in @line; empty: none. In "runtime error: index out of range [3]", the
 * reason is the text after the colon. In "panicked at src/main.rs:12:5" and "panic: text", it is
 * the whole text.
 */
static struct str trace_panic(struct str line)
{
	static const struct str marks[] = { { "runtime error: ", 15 },
					    { "panicked at ", 12 },
					    { "panic: ", 7 } };

	for (size_t i = 0; i < ARRAY_LEN(marks); i++) {
		size_t at = str_find(line, marks[i]);

		if (at < line.len)
			return str_trim(str_sub(line, i ? at : at + marks[i].len, at + TRACE_NAME));
	}
	return STR_NONE;
}

static void trace_frame(struct log_trace *t, struct str name)
{
	bool is_program = !str_glob(str_of(t->dialect->runtime), name);

	t->frames++;
	if (t->is_whole || name.len == 0 || name.len > TRACE_NAME)
		return;
	if (t->first.len == 0 || t->dialect->is_outermost_first)
		t->first = name;
	if (is_program && (t->where.len == 0 || t->dialect->is_outermost_first))
		t->where = name;
}

/*
 * Forget the frames read so far, because the next frames are nearer to the error. @what: exception
 * to which the next frames belong; empty: keep t->what.
 */
static void trace_reset(struct log_trace *t, struct str what)
{
	t->what = what.len ? what : t->what;
	t->where = t->first = STR_NONE;
}

static void trace_apply(struct log_trace *t, enum trace_line kind, const struct stack_match *m,
			struct str line, struct str before)
{
	switch (kind) {
	case TRACE_HEAD:
		if (t->what.len == 0)
			t->what = trace_panic(line);
		if (t->what.len == 0)
			t->what = trace_panic(before);
		break;
	case TRACE_FRAME:
	case TRACE_CALL:
		if (t->frames == 0 && t->dialect->has_exception_before && t->what.len == 0)
			t->what = trace_exception(before);
		trace_frame(t, str_trim(m->fields[STACK_FUNCTION]));
		break;
	case TRACE_CAUSE:
		trace_reset(t, trace_exception(line));
		break;
	case TRACE_RESET:
		trace_reset(t, STR_NONE);
		break;
	case TRACE_AGAIN:
		t->is_whole = true;
		break;
	default:
		break;
	}
}

/*
 * The rule of @d that matches @line; NULL: none. @is_begun: the line is inside a trace. If false,
 * only the rules for lines that can begin a trace are tried.
 */
static const struct stack_rule *trace_rule(const struct log_trace_dialect *d, struct str line,
					   bool is_begun, struct stack_match *m)
{
	for (size_t i = 0; i < TRACE_RULES && d->rules[i].pattern; i++) {
		const struct stack_rule *r = &d->rules[i];

		if ((is_begun || r->line <= TRACE_FRAME) && stack_dialect_may_match(r, line) &&
		    stack_match_rule(r, line, m))
			return r;
	}
	return NULL;
}

/*
 * Whether @line ends a Python trace: it names the exception and is not indented. If so, t->what
 * becomes the exception, unless the root cause is already known (t->is_whole).
 */
static bool trace_ends(struct log_trace *t, struct str line)
{
	struct str what = str_sub(line, 0, str_find_char(line, ':'));

	if (!t->dialect->is_outermost_first || !t->is_open || t->frames == 0 ||
	    char_is_blank(line.p[0]) || what.len > TRACE_NAME ||
	    str_find_char(what, ' ') < what.len)
		return false;
	if (!t->is_whole)
		t->what = what;
	t->is_open = false;
	return true;
}

bool log_trace_take(struct log_trace *t, struct str line, struct str before)
{
	const struct stack_rule *rule = NULL;
	struct stack_match m;

	line = str_rtrim(line);
	if (line.len == 0)
		return false;
	if (t->dialect)
		rule = trace_rule(t->dialect, line, true, &m);
	for (size_t i = 0; i < ARRAY_LEN(trace_dialects) && !rule && !t->frames; i++) {
		rule = trace_rule(&trace_dialects[i], line, false, &m);
		if (rule)
			t->dialect = &trace_dialects[i];
	}
	if (rule) {
		trace_apply(t, (enum trace_line)rule->line, &m, line, before);
		t->is_open = true;
		return true;
	}
	if (!t->dialect)
		return false;
	return trace_ends(t, line) ||
	       (t->is_open && t->dialect->takes_indented && char_is_blank(line.p[0]));
}

struct str log_trace_where(const struct log_trace *t)
{
	return t->where.len ? t->where : t->first;
}
