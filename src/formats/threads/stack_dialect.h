/* SPDX-License-Identifier: MIT */
/*
 * stack_dialect.h - how tools print a call stack: one descriptor per tool
 *
 * A descriptor lists line patterns in the order in which they are tried. In a pattern, a blank
 * stands for any run of blanks, '~' for an optional run of blanks. '%' starts a field:
 *
 *   %x  hex number          %d  decimal number     %*  any text, even none
 *   %N  number of the frame %f  function           %a  arguments up to their ')'
 *   %F  a function in code: no blank outside of brackets, and one of "_.:`!("
 *   %L  function of any text: it ends at the last place, not at the first
 *   %m  module              %s  file               %l  line of the file
 *   %n  name of the thread  %i  id of the thread   %t  its state
 *   %c  count of threads    %g  minutes in state   %G  seconds, %M milliseconds
 *   %k  address of a lock   %K  class of the lock  %o  owner of the lock
 *   %u  CPU time in ms      %e  seconds since the start of the thread
 *
 * For example, "#%N %x in %f (%a" matches "#1  0x7f12 in main (argc=1)". A text field ends at the
 * first place from which the rest of the pattern matches. Brackets of a function are kept together.
 * Leading and trailing blanks of a line are removed before matching.
 */
#ifndef FORMATS_THREADS_STACK_DIALECT_H
#define FORMATS_THREADS_STACK_DIALECT_H

#include "base/str.h"
#include "core/symbols.h"

enum stack_line {
	STACK_OTHER,
	STACK_TITLE,  /* title of a whole dump, printed before its first thread */
	STACK_THREAD, /* title of one thread; starts a thread */
	STACK_STATE,
	/* the innermost frame; it starts a thread if the dump prints no titles of threads */
	STACK_FIRST,
	STACK_FRAME,
	STACK_GUESS, /* uncertain frame: used only if the thread has no other frames */
	/* a line "12 read,poll,main": number of threads, and the frames of their common stack */
	STACK_CHAIN,
	STACK_PLACE, /* source file and line of the previous frame */
	STACK_SIGNAL_FRAME,
	STACK_CREATOR, /* function that created the thread */
	STACK_HELD,
	STACK_WANTED,
	/* the thread waits for another thread to finish the initialisation of a class */
	STACK_CLASS,
	STACK_OWNED, /* owner of the lock in the line above */
	STACK_EVENT,
	STACK_NOTE_SIGNAL,
	STACK_NOTE_ASSERT,
	STACK_NOTE_PANIC,
	STACK_NOTE_RELOCK,
	STACK_NOTE_LOCK_ORDER,
	STACK_NOTE_DEADLOCK,
	STACK_NOTE_TIMEOUT,
	STACK_NOTE_CHECKER,
	STACK_NOTE_LEAK,
	STACK_INNER, /* another line of a thread, without data that is used */
	STACK_STOP,  /* the threads below this line repeat earlier threads, or must not be read */
	/* a task and the task that it waits for; the stack of the latter may follow */
	STACK_WAITS,
	STACK_HOLDER, /* title of a list: the locks of one task, which the next lines name */
	STACK_LISTED, /* one lock of the list below a STACK_HOLDER line */
	/* thread, state and its only frame, all on one line; "-" means that there is no frame */
	STACK_ROW,
	/* a command that prints an expression in the debugger: "(gdb) p lock.__data.__owner" */
	STACK_ASKED,
	/*
	 * the frames so far belong to an interrupt; the frames below belong to the task that it
	 * interrupted
	 */
	STACK_INTERRUPTED,
	/* debugger's answer to a STACK_ASKED command: the id of the thread that owns the mutex */
	STACK_ANSWER,
};

#define STACK_BEGINS 0x80u /* flag in stack_rule.line: a matching line may start a dump */
/*
 * flag next to STACK_BEGINS: a matching line may be prose, so it starts a dump only if the dump has
 * at least three frames
 */
#define STACK_WEAK 0x40u

struct stack_rule {
	uint8_t line;   /* enum stack_line, plus the flags STACK_BEGINS and STACK_WEAK */
	uint8_t indent; /* minimum number of leading blanks of a matching line */
	const char *pattern;
};

#define STACK_RULES_MAX 68u

struct stack_dialect {
	const char *name;
	enum symbol_space space;
	bool is_outermost_first;
	/* minimum number of frames of a dump; shorter dumps are ignored */
	uint8_t min_frames;
	/*
	 * rules in the order in which they are tried; the list ends at the first rule without a
	 * pattern
	 */
	struct stack_rule rules[STACK_RULES_MAX];
	/*
	 * if a line with STACK_BEGINS is found in the middle of a stack: extend the stack upwards
	 * to its first frame
	 */
	bool is_anchored;
	/*
	 * the output may have amounts (counts, times) below the stacks; stack_counts.c then reads
	 * the output
	 */
	bool may_have_counts;
};

extern const struct stack_dialect stack_dialects[];
extern const size_t stack_dialects_len;

enum stack_field {
	STACK_FUNCTION,
	STACK_ARGS,
	STACK_MODULE,
	STACK_FILE,
	STACK_FILE_LINE,
	STACK_NAME,
	STACK_ID,
	STACK_STATE_TEXT,
	STACK_COUNT,
	STACK_MINUTES,
	STACK_SECONDS,
	STACK_LOCK,
	STACK_LOCK_TYPE,
	STACK_OWNER,
	STACK_NUMBER,
	STACK_MILLISECONDS,
	STACK_CPU_TIME,
	STACK_LIFETIME,
	STACK_FIELDS,
};

/*
 * Fields of a line that matches a rule. They point into the line; fields that the pattern does not
 * have are empty.
 */
struct stack_match {
	const struct stack_rule *rule;
	struct str fields[STACK_FIELDS];
};

/* Data for a quick check of a pattern: texts that each matching line contains. */
struct stack_hint {
	struct str literal; /* longest literal text of the pattern */
	char last;          /* last character of each matching line; 0: any */
};

struct stack_hint stack_hint_of(const struct stack_rule *rule);
/*
 * Check quickly whether @trimmed can match the pattern of @rule; false: it cannot match. @trimmed:
 * the line without blanks at its start and end.
 */
bool stack_hint_may_match(const struct stack_rule *rule, const struct stack_hint *hint,
			  struct str trimmed);
/* Like stack_hint_may_match(), but without a prepared hint. */
bool stack_dialect_may_match(const struct stack_rule *rule, struct str line);
/*
 * Match @line against one rule, and store the fields in @ret. Gives up after STACK_STEPS
 * characters.
 */
bool stack_match_rule(const struct stack_rule *rule, struct str line, struct stack_match *ret);
/* The comma-separated functions of a STACK_CHAIN line: "futex_wait,pthread_cond_wait,main". */
static inline struct str stack_match_chain(const struct stack_match *m)
{
	return m->fields[STACK_FUNCTION].len ? m->fields[STACK_FUNCTION] : m->fields[STACK_FILE];
}

/*
 * Match @line against the rules of @d in order. Returns the kind (enum stack_line, without flags)
 * of the first rule that matches; STACK_OTHER: none.
 */
enum stack_line stack_match_line(const struct stack_dialect *d, struct str line,
				 struct stack_match *ret);

#endif
