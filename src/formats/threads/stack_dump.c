/* SPDX-License-Identifier: MIT */
/*
 * stack_dump.c - thread dumps of debuggers, runtimes and the kernel
 *
 * A dump starts at a line that only one tool prints: the title of a thread, or an innermost frame.
 * All further lines that the same tool prints belong to the dump. Other lines may be between them,
 * because mails and bug reports often quote only parts of a dump: at most STACK_GAP such lines in a
 * row.
 */
#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/kinds/threads.h"
#include "core/parts.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "formats/format.h"
#include "formats/threads/stack_dialect.h"
#include "formats/threads/stack_reader.h"

#include <assert.h>

DECLARE_FORMAT(stack_dump);

/* number of lines above a stack that are searched for words about a crash */
#define STACK_PROSE_LINES 20u
#define STACK_PROSE_BYTES 400u
/* maximum number of lines from a sentence about a hang to the stacks */
#define STACK_HANG_LINES 8u
/* number of words before "hangs" that are searched for a negation: "we do not see it hang" */
#define STACK_NEGATED 4u
/*
 * number of bytes above a stack that are searched for the message "stopped by a breakpoint or a
 * crash"
 */
#define STACK_STOP_BYTES 1000u
/* maximum number of consecutive unknown lines inside a dump; blank lines do not count */
#define STACK_GAP 12u
/* minimum number of frames of a dump if its first line could be prose (STACK_WEAK) */
#define STACK_WEAK_FRAMES 3u
/*
 * only for dialects with is_anchored, whose dumps are found by a line in the middle of a stack:
 * maximum number of frames above this line that are added to the dump
 */
#define STACK_ABOVE 128u
/* maximum number of rules with STACK_BEGINS, in all dialects together */
#define STACK_BEGINS_MAX 256u
/* maximum number of consecutive blank lines inside a dump */
#define STACK_GAP_BLANK 40u

static const struct diag_kind stack_skipped = {
	"threads-other-lines", DIAG_INFO, "lines between the stacks that are no part of them"
};

/* A rule that may start a dump. */
struct stack_begin {
	const struct stack_rule *rule;
	const struct stack_dialect *dialect;
	struct stack_hint hint;
};

/* All rules that may start a dump, in the order in which they are tried. */
struct stack_starts {
	struct stack_begin begins[STACK_BEGINS_MAX];
	size_t n;
	/*
	 * first[c]: some pattern in `begins` starts with the character c, so a line that starts
	 * with c may start a dump
	 */
	bool first[256];
	/*
	 * indices in `begins` of the patterns that start with a field, such as "%f+0x%x": these are
	 * tried for each line, whatever its first character is
	 */
	uint16_t texts[STACK_BEGINS_MAX];
	size_t n_texts;
};

static void stack_starts_make(struct stack_starts *s)
{
	s->n = s->n_texts = 0;
	memset(s->first, 0, sizeof(s->first));
	for (size_t d = 0; d < stack_dialects_len; d++) {
		for (size_t i = 0; i < STACK_RULES_MAX && stack_dialects[d].rules[i].pattern; i++) {
			const struct stack_rule *rule = &stack_dialects[d].rules[i];
			struct stack_begin begin = { .rule = rule, .dialect = &stack_dialects[d] };

			if (!(rule->line & STACK_BEGINS))
				continue;
			assert(s->n < STACK_BEGINS_MAX);
			if (rule->pattern[0] == '%') {
				begin.hint = stack_hint_of(rule);
				s->texts[s->n_texts++] = (uint16_t)s->n;
			} else {
				s->first[(unsigned char)rule->pattern[0]] = true;
			}
			s->begins[s->n++] = begin;
		}
	}
}

/*
 * Whether @names lists the functions of one stack, such as "sys_read,do_poll,main". To exclude
 * prose, it must have at least three names, no blanks, and at least one '_'.
 */
static bool stack_is_chain(struct str names)
{
	size_t commas = 0;

	for (size_t i = 0; i < names.len; i++) {
		if (char_is_blank(names.p[i]))
			return false;
		commas += names.p[i] == ',';
	}
	return commas >= 2 && str_find_char(names, '_') < names.len;
}

/* Whether @name is one word, as a function's name is. Blanks inside brackets are allowed. */
static bool stack_is_word(struct str name)
{
	int depth = 0;

	for (size_t i = 0; i < name.len; i++) {
		depth += name.p[i] == '<' || name.p[i] == '(' || name.p[i] == '{';
		depth -= name.p[i] == '>' || name.p[i] == ')' || name.p[i] == '}';
		if (depth <= 0 && char_is_blank(name.p[i]))
			return false;
	}
	return name.len > 0;
}

static bool stack_fits(const struct stack_rule *rule, const struct stack_match *m)
{
	if (rule->line == (STACK_CHAIN | STACK_BEGINS))
		return stack_is_chain(stack_match_chain(m));
	return !(rule->line & STACK_WEAK) || stack_is_word(m->fields[STACK_FUNCTION]);
}

/*
 * Return the dialect whose dump starts at @line; NULL: no dump starts there. *@ret_is_weak is set
 * if @line could also be prose (STACK_WEAK).
 */
static const struct stack_dialect *stack_begun(const struct stack_starts *s, struct str line,
					       bool *ret_is_weak)
{
	struct str trimmed = str_trim(str_sub(line, 0, LIMIT_LINE_BYTES));
	/*
	 * dialect with a rule that matched @line, but with a text that is no function name
	 * (stack_fits()); its next rules are skipped
	 */
	const struct stack_dialect *unfit = NULL;
	bool is_any = trimmed.len && s->first[(unsigned char)trimmed.p[0]];
	size_t n = is_any ? s->n : s->n_texts;
	struct stack_match m;

	for (size_t i = 0; i < n; i++) {
		const struct stack_begin *b = &s->begins[is_any ? i : s->texts[i]];

		if (b->dialect == unfit || !stack_hint_may_match(b->rule, &b->hint, trimmed) ||
		    !stack_match_rule(b->rule, line, &m))
			continue;
		if (stack_fits(b->rule, &m)) {
			*ret_is_weak = b->rule->line & STACK_WEAK;
			return b->dialect;
		}
		unfit = b->dialect;
	}
	return NULL;
}

struct stack_stretch {
	const struct stack_dialect *dialect;
	size_t to;
	unsigned int frames, threads;
};

static bool stack_counts_as_frame(enum stack_line kind, const struct stack_match *m)
{
	/*
	 * a deadlock report may list only threads and lock owners, without frames: so a line with
	 * an owner (STACK_OWNED) counts as a frame
	 */
	return kind == STACK_FIRST || kind == STACK_FRAME || kind == STACK_ROW ||
	       kind == STACK_SIGNAL_FRAME || kind == STACK_OWNED ||
	       (kind == STACK_CHAIN && stack_is_chain(stack_match_chain(m)));
}

/*
 * Find the end of the dump that starts at offset @from. @s: its member `dialect` is already set.
 * Stores the end in s->to, and counts frames and threads in s->frames and s->threads.
 */
static void stack_follow(const struct stack_starts *starts, struct str text, size_t from,
			 struct stack_stretch *s)
{
	struct str rest = str_skip(text, from);
	unsigned int gap = 0;
	unsigned int blanks = 0;
	struct str line;

	while (gap <= STACK_GAP && blanks <= STACK_GAP_BLANK && str_line(&rest, &line)) {
		const struct stack_dialect *other;
		enum stack_line kind;
		struct stack_match m;
		bool is_weak;

		line = str_sub(line, 0, LIMIT_LINE_BYTES);
		if (str_trim(line).len == 0) {
			blanks++;
			continue;
		}
		kind = stack_match_line(s->dialect, line, &m);
		if (kind == STACK_CHAIN && !stack_is_chain(stack_match_chain(&m)))
			kind = STACK_OTHER;
		if (kind == STACK_OTHER) {
			other = stack_begun(starts, line, &is_weak);
			if (other && !is_weak && other != s->dialect)
				break;
			gap++;
			continue;
		}
		if (kind == STACK_INNER && gap > 0)
			/*
			 * unknown lines are between the dump and this STACK_INNER line, which may
			 * therefore be prose: do not extend the dump to it
			 */
			continue;
		gap = blanks = 0;
		s->to = (size_t)(rest.p - text.p);
		s->frames += stack_counts_as_frame(kind, &m);
		s->threads += kind == STACK_THREAD;
	}
}

/*
 * Whether the frames below the title @line are no stack of a thread, but the place of a memory leak
 * ("allocated from:", see stack_counts.c) or of an exception.
 */
static bool stack_is_foreign(struct str line)
{
	return str_ends(line, STR("allocated from:")) ||
	       str_glob(STR("*Exception|*Exception: *|*Error|*Error: *|Caused by: *|*Throwable*|"
			    "... * more"),
			str_trim(line));
}

/* Whether @line is one indented word, such as the function name "copyout" without an offset. */
static bool stack_is_short(struct str line)
{
	struct str t = str_trim(line);

	for (size_t i = 0; i < t.len; i++) {
		if (!char_is_word(t.p[i]))
			return false;
	}
	return t.len > 0 && t.len < line.len;
}

/*
 * Find the first of the consecutive frames of @d that precede offset @at, the start of a line.
 * Returns its offset, at least @from; @at if no frame precedes it.
 */
static size_t stack_start_above(const struct stack_dialect *d, struct str text, size_t from,
				size_t at)
{
	struct stack_match m;

	for (unsigned int i = 0; i < STACK_ABOVE && at > from; i++) {
		struct str before = str_sub(text, from, at - 1);
		size_t cut = str_rfind_char(before, '\n');
		size_t begin = from + (cut < before.len ? cut + 1 : 0);
		struct str line = str_sub(text, begin, at - 1);

		if (line.len > LIMIT_LINE_BYTES ||
		    (stack_match_line(d, line, &m) != STACK_FRAME && !stack_is_short(line)))
			break;
		at = begin;
	}
	return at;
}

/*
 * Return the offset in @text at which the dump with the line @line starts. @above: the line above
 * @line. The dump usually starts at @line; but if @line is only the source line of the frame in
 * @above, it starts at @above. With is_anchored, it starts at the first frame of the stack, but not
 * before @from.
 */
static size_t stack_start(const struct stack_dialect *d, struct str text, size_t from,
			  struct str above, struct str line)
{
	struct stack_match m;

	if (d->is_anchored)
		return stack_start_above(d, text, from, (size_t)(line.p - text.p));
	if (stack_match_line(d, line, &m) == STACK_PLACE && above.p &&
	    stack_match_line(d, above, &m) == STACK_FRAME)
		return (size_t)(above.p - text.p);
	return (size_t)(line.p - text.p);
}

static bool stack_dump_find(struct str text, size_t from, struct extent *ret)
{
	struct str rest = str_skip(text, from);
	struct stack_starts starts;
	struct str above = STR_NONE;
	struct str line;
	/*
	 * the current lines are a stack that is no thread (stack_is_foreign()), so they are skipped
	 */
	bool is_skipped = false;

	stack_starts_make(&starts);
	for (; str_line(&rest, &line); above = line) {
		bool is_weak;
		struct stack_stretch s = { .dialect = stack_begun(&starts, line, &is_weak) };
		size_t at;

		is_skipped = s.dialect && (is_skipped || stack_is_foreign(above));
		if (!s.dialect || is_skipped)
			continue;
		at = stack_start(s.dialect, text, from, above, line);
		stack_follow(&starts, text, at, &s);
		if (s.frames < s.dialect->min_frames ||
		    s.frames + s.threads < (is_weak ? STACK_WEAK_FRAMES : 2))
			continue;
		*ret = (struct extent){ .from = at,
					.to = s.to,
					.score = s.dialect->is_anchored             ? 55
						 : s.dialect->may_have_counts       ? 78
						 : s.dialect->space == SPACE_KERNEL ? 78
						 : s.threads                        ? 98
										    : 88 };
		return true;
	}
	return false;
}

static unsigned int stack_dump_probe(struct str head)
{
	struct extent e;

	if (!stack_dump_find(head, 0, &e))
		return 0;
	return (e.to - e.from) * 2 >= head.len ? e.score : e.score / 2;
}

/* The dialect of the first dump in @text; NULL: none. */
static const struct stack_dialect *stack_dialect_of(struct str text)
{
	const struct stack_dialect *d = NULL;
	struct stack_starts starts;
	struct str line;
	bool is_weak;

	stack_starts_make(&starts);
	while (!d && str_line(&text, &line))
		d = stack_begun(&starts, line, &is_weak);
	return d;
}

/* Does a word of prose end at the start of @rest? In a name, such as "hang.py", it does not. */
static bool stack_ends_word(struct str rest)
{
	if (str_starts(rest, STR(".")))
		rest = str_skip(rest, 1);
	return rest.len == 0 || str_find_char(STR(" \t,;:!?)'\""), rest.p[0]) < 10;
}

/* Is one of the last STACK_NEGATED words of @before, in the same clause, a negation? */
static bool stack_is_negated(struct str before)
{
	for (unsigned int i = 0; i < STACK_NEGATED; i++) {
		struct str word;
		size_t blank;

		before = str_trim(before);
		blank = str_rfind_char(before, ' ');
		word = str_skip(before, blank < before.len ? blank + 1 : 0);
		if (word.len == 0 || str_eq(word, STR("but")) ||
		    str_find_char(STR(",;:.!?"), word.p[word.len - 1]) < 6)
			return false;
		if (str_glob(STR("no|No|not|Not|never|Never|without|Without|cannot|*n't|longer|"
				 "nor|neither|Neither|nothing|Nothing"),
			     word))
			return true;
		before = str_sub(before, 0, before.len - word.len);
	}
	return false;
}

/*
 * May @rest follow a phrase such as "not return" that says that a program hangs? Not if it names
 * something else: "did not return an error".
 */
static bool stack_ends_phrase(struct str rest)
{
	return !str_starts(rest, STR(" ")) ||
	       str_glob(STR(" from*| to*| until*| after*| when*| and*| any more*| anymore*| at *"),
			rest);
}

/*
 * Does @line have @word, or a longer word that begins with it, without a negation before it? @word
 * may be a phrase that has its own negation (@is_phrase).
 */
static bool stack_has_word(struct str line, struct str word, bool is_phrase)
{
	for (size_t at = 0; at + word.len <= line.len; at++) {
		struct str rest = str_skip(line, at);

		if ((at && str_find_char(STR(" \t('\""), line.p[at - 1]) >= 5) ||
		    !str_starts(rest, word))
			continue;
		rest = str_skip(rest, word.len);
		while (rest.len && char_is_letter(rest.p[0]))
			rest = str_skip(rest, 1);
		if (stack_ends_word(rest) &&
		    (is_phrase ? stack_ends_phrase(rest) : !stack_is_negated(str_sub(line, 0, at))))
			return true;
	}
	return false;
}

/* Does @line, a sentence of a person, say that a program hangs? */
static bool stack_says_hang(struct str line)
{
	static const char *const words[] = {
		"hang",     "Hang",          "hung",          "Hung",         "stuck",
		"Stuck",    "freez",         "froze",         "Freez",        "deadlock",
		"Deadlock", "loops forever", "infinite loop", "endless loop", "unresponsive",
	};
	static const char *const phrases[] = { "never return", "never end",  "never finish",
					       "not respond",  "not return", "no progress" };

	if (str_glob(STR("*hung up*|*hang up*|*hangup*|*fixe*|*reezer*|*reezing of*"), line))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (stack_has_word(line, str_of(words[i]), /* is_phrase= */ false))
			return true;
	}
	for (size_t i = 0; i < ARRAY_LEN(phrases); i++) {
		if (stack_has_word(line, str_of(phrases[i]), /* is_phrase= */ true))
			return true;
	}
	return false;
}

/*
 * If a line right above the stacks says that the program hangs, add it as a note. The
 * search ends at a frame of another stack.
 */
static void stack_read_hang(const struct region *in, struct capture *c)
{
	struct str text = in->doc->text;
	struct str above;

	if (in->text.p < text.p || in->text.p > text.p + text.len)
		return;
	above = str_sub(text, 0, (size_t)(in->text.p - text.p));
	for (unsigned int i = 1; i <= STACK_HANG_LINES && above.len; i++) {
		struct str line;
		size_t cut;

		above.len--; /* remove the line break at the end */
		cut = str_rfind_char(above, '\n');
		line = str_trim(str_sub(cut < above.len ? str_skip(above, cut + 1) : above, 0,
					STACK_PROSE_BYTES));
		above.len = cut < above.len ? cut + 1 : 0;
		if (str_glob(STR("#?*(*|at *(*|frame #*"), line))
			return;
		if (!stack_says_hang(line))
			continue;
		capture_note(c, STR(CAPTURE_HANGS), line,
			     c->first_line > i ? c->first_line - i : 1);
		return;
	}
}

/*
 * If a debugger printed only one stack and no signal, search the text above the stack for words
 * about a crash. If there are any, add them as a note. Without such a note, the stack could also be
 * that of a program that hangs.
 */
static void stack_read_prose(const struct region *in, struct capture *c)
{
	struct threads *t = c->threads;
	struct str text = in->doc->text;
	struct str above;

	if (t->rows.len != 1 || t->notes.len ||
	    !str_glob(STR("gdb|lldb|backtrace|macos-crash"),
		      strings_get(capture_strings(c), t->dialect)) ||
	    in->text.p < text.p || in->text.p > text.p + text.len)
		return;
	above = str_sub(text, 0, (size_t)(in->text.p - text.p));
	for (unsigned int i = 1; i <= STACK_PROSE_LINES && above.len; i++) {
		struct str line;
		size_t cut;

		above.len--; /* remove the line break at the end */
		cut = str_rfind_char(above, '\n');
		line = str_sub(cut < above.len ? str_skip(above, cut + 1) : above, 0,
			       STACK_PROSE_BYTES);
		above.len = cut < above.len ? cut + 1 : 0;
		if (stack_says_hang(line))
			return;
		if (!str_glob(STR("*crash*|*Crash*|*CRASH*|*egfault*|*egmentation "
				  "fault*|*SIGSEGV*|*SEGV*|"
				  "*core dump*|*coredump*"),
			      line))
			continue;
		*VEC_PUSH(&t->notes) =
			(struct thread_note){ .text = strings_add(capture_strings(c),
								  str_trim(line)),
					      .line = c->first_line > i ? c->first_line - i : 1,
					      .kind = THREAD_NOTE_PROSE };
		return;
	}
}

/*
 * Set is_stopped if a message shows that a breakpoint or a crash stopped the program. The message
 * may precede the region, so the text above is searched too.
 */
static void stack_read_stop(const struct region *in, struct capture *c)
{
	static const char *const words[] = {
		"hit Breakpoint ",
		"hit Temporary breakpoint ",
		"hit Catchpoint ",
		"hit Hardware watch",
		"Program terminated with sig",
		"Core was generated by",
		"received signal SIGSEG",
		"received signal SIGABRT",
		"received signal SIGBUS",
		"\nBreakpoint ",
		"stop reason = breakpoint",
		"received signal SIGILL",
		"received signal SIGFPE",
		"stop reason = signal SIGSEGV",
		"stop reason = signal SIGABRT",
		"stop reason = signal SIGBUS",
		"stop reason = signal SIGILL",
		"stop reason = signal SIGFPE",
		"stop reason = EXC_",
		"stop reason = watchpoint",
	};
	struct str text = in->doc->text;
	struct str above = STR_NONE;

	if (in->text.p >= text.p && in->text.p <= text.p + text.len)
		above = str_sub(text, 0, (size_t)(in->text.p - text.p));
	if (above.len > STACK_STOP_BYTES)
		above = str_skip(above, above.len - STACK_STOP_BYTES);
	for (size_t i = 0; i < ARRAY_LEN(words) && !c->threads->is_stopped; i++)
		c->threads->is_stopped = str_contains(above, str_of(words[i])) ||
					 str_contains(in->text, str_of(words[i]));
	c->threads->is_stopped |=
		str_starts(above, STR("Breakpoint ")) || str_starts(in->text, STR("Breakpoint "));
}

static int stack_dump_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct capture *c = format_add_capture(&format_stack_dump, in, d);
	const struct stack_dialect *dialect = stack_dialect_of(in->text);
	struct stack_reader r = { .c = NULL };
	struct str text = in->text;
	struct str line;
	bool is_any;

	if (!dialect)
		return fail(err, ERR_FORMAT, "no stack found");
	stack_reader_init(&r, c, dialect);
	stack_reader_look(&r, in->text);
	for (uint32_t n = 0; str_line(&text, &line); n++) {
		line = str_sub(line, 0, LIMIT_LINE_BYTES);
		if (!stack_reader_line(&r, line, region_line(in, n)) && str_trim(line).len)
			diag_count(&c->diag, &stack_skipped, region_line(in, n));
	}
	is_any = stack_reader_end(&r);
	stack_reader_fini(&r);
	if (is_any) {
		stack_read_prose(in, c);
		stack_read_hang(in, c);
		stack_read_stop(in, c);
	}
	if (is_any)
		capture_note(c, STR("printed by"), str_of(r.dialect->name), c->first_line);
	return is_any ? OK : fail(err, ERR_FORMAT, "no stack found");
}

const struct format format_stack_dump = {
	.name = "stack-dump",
	.title = "thread stacks",
	.summary = "stacks of threads: gdb, lldb, jstack, goroutines, py-spy, kernel",
	.kinds = KIND_PROFILE | KIND_THREADS,
	.probe = stack_dump_probe,
	.find = stack_dump_find,
	.read = stack_dump_read,
};
