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
	STACK_TITLE,  /* starts a dump, before the dump's first thread */
	STACK_THREAD, /* starts a thread */
	STACK_STATE,
	/* the innermost frame; it starts a thread if the dump prints no titles of threads */
	STACK_FIRST,
	STACK_FRAME,
	STACK_GUESS, /* uncertain frame: used only if the thread has no other frames */
	/* a line "12 read,poll,main": number of threads, and the frames of their common stack */
	STACK_CHAIN,
	STACK_PLACE, /* source line of the previous frame */
	STACK_SIGNAL_FRAME,
	STACK_CREATOR, /* function that created the thread */
	STACK_HELD,
	STACK_WANTED,
	STACK_CLASS, /* the thread waits until another thread has initialised a class */
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
	STACK_INNER,  /* any other line of a thread */
	STACK_STOP,   /* threads below this line were printed before, or must not be read */
	STACK_WAITS,  /* a task waits for another, the owner; the owner's stack may follow */
	STACK_HOLDER, /* a task; the locks that it holds follow */
	STACK_LISTED, /* a lock that the task of the STACK_HOLDER line above holds */
	STACK_ROW,    /* a thread with its state and its only frame, on one line; '-': no frame */
	/* a command that prints an expression in the debugger: "(gdb) p lock.__data.__owner" */
	STACK_ASKED,
	/*
	 * the frames above belong to the interrupt that stopped a running task; the task's frames
	 * follow
	 */
	STACK_INTERRUPTED,
	STACK_ANSWER, /* the answer to STACK_ASKED, with the id of the mutex's owner */
};

#define STACK_BEGINS 0x80u /* a line of this kind may start a dump */
/* with STACK_BEGINS: the line may be prose, so it starts a dump only if two more frames follow */
#define STACK_WEAK 0x40u

struct stack_rule {
	uint8_t line;   /* enum stack_line, possibly with STACK_BEGINS and STACK_WEAK */
	uint8_t indent; /* a line needs at least this many leading blanks */
	const char *pattern;
};

#define STACK_RULES_MAX 68u

struct stack_dialect {
	const char *name;
	enum symbol_space space;
	bool is_outermost_first;
	uint8_t min_frames;                       /* dumps with fewer frames are ignored */
	struct stack_rule rules[STACK_RULES_MAX]; /* ends at the first rule without a pattern */
	/*
	 * a line with STACK_BEGINS may be inside a stack, which then starts at the first frame
	 * above that line
	 */
	bool is_anchored;
	/* the output may have amounts below the stacks; stack_counts.c then reads it */
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

/* Parts that a line needs to match a pattern, for a fast check. */
struct stack_hint {
	struct str literal; /* longest literal text */
	char last;          /* last character of the line; 0: any */
};

struct stack_hint stack_hint_of(const struct stack_rule *rule);
/*
 * Fast check before a match. @trimmed is a line without blanks at its ends. Returns whether it has
 * the first character that @rule requires and, if the pattern starts with a field, the parts in
 * @hint.
 */
bool stack_hint_may_match(const struct stack_rule *rule, const struct stack_hint *hint,
			  struct str trimmed);
/* Like stack_hint_may_match(), but computes the hint of @rule. */
bool stack_dialect_may_match(const struct stack_rule *rule, struct str line);
/* Match @line against one rule. The number of steps for each line is limited (STACK_STEPS). */
bool stack_match_rule(const struct stack_rule *rule, struct str line, struct stack_match *ret);
/* The names of a line of kind STACK_CHAIN: "futex_wait,pthread_cond_wait,main". */
static inline struct str stack_match_chain(const struct stack_match *m)
{
	return m->fields[STACK_FUNCTION].len ? m->fields[STACK_FUNCTION] : m->fields[STACK_FILE];
}

/* The kind of the first rule of @d that matches @line: enum stack_line without the flags. */
enum stack_line stack_match_line(const struct stack_dialect *d, struct str line,
				 struct stack_match *ret);

#endif
