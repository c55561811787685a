/* SPDX-License-Identifier: MIT */
/*
 * count_dialect.h - how tools print call stacks, each with an amount: one descriptor per tool
 *
 * A descriptor lists line patterns in the language of stack_dialect.h, in the order in which they
 * are tried. In these patterns, some fields have another meaning than in stack_dialect.h:
 *
 *   %n  amount of a stack, with its unit       %o  a second amount
 *   %G  number of objects of the amount %n     %M  number of objects of the amount %o
 *   %t  command or thread of the stack         %K  name of the counted thing
 *   %c  period of the samples
 *
 * Example: "@[%t]: %n" matches "@[bash]: 12". An amount is in a line before the frames
 * (COUNTS_OPEN) or after them (COUNTS_CLOSE).
 */
#ifndef FORMATS_THREADS_COUNT_DIALECT_H
#define FORMATS_THREADS_COUNT_DIALECT_H

#include "core/profile.h"
#include "formats/threads/stack_dialect.h"

enum counts_line {
	COUNTS_OTHER,
	/*
	 * A line before the first stack. After a stack, such a line starts another output of the
	 * tool (with STACK_BEGINS) or the next section of the same output (without STACK_BEGINS).
	 */
	COUNTS_HEAD,
	COUNTS_OPEN, /* starts a stack; may have its amount */
	/*
	 * The sum of several stacks that share their innermost frame. The shared frame follows,
	 * then the largest of the stacks.
	 */
	COUNTS_SUM,
	/*
	 * the sum over all stacks, including those that are not printed; its second amount is a
	 * rate per second
	 */
	COUNTS_TOTAL,
	COUNTS_FRAME,  /* a frame; frames are printed innermost first */
	COUNTS_OBJECT, /* module of the frame on the previous line */
	COUNTS_COMM,
	COUNTS_DROP,  /* the frames before this line belong to another thread: drop them */
	COUNTS_CLOSE, /* ends a stack; may have its amount */
	COUNTS_EMPTY, /* the line itself is a stack without frames */
	/* the clock rate in %n (cycles per second), or the period of samples in %c */
	COUNTS_RATE,
	COUNTS_INNER,
};

struct count_rule {
	/*
	 * pattern and kind of the line; rule.line is enum counts_line, possibly with STACK_BEGINS
	 */
	struct stack_rule rule;
	const char *event; /* event of the amount %n; NULL: event of the dialect */
	enum weight_unit unit;
	/*
	 * factor from the printed amount %n to `unit`; 0: the amount is not converted, and `unit`
	 * of the dialect is its unit
	 */
	double scale;
};

enum count_flags {
	/*
	 * an output may lack a COUNTS_HEAD line. Its frames must then look like code, so that prose
	 * is not read as a stack
	 */
	COUNTS_BARE = 1 << 0,
	COUNTS_BLANKS = 1 << 1, /* a blank line does not end a stack */
	/* an output prints each stack once, so a repeated stack starts another output */
	COUNTS_ONCE = 1 << 2,
	COUNTS_IMPLIED = 1 << 3, /* a stack without an amount has the amount 1 */
	/*
	 * amounts are sums over samples, which must be scaled up to the whole heap: heaps of Go and
	 * gperftools
	 */
	COUNTS_UNSCALED = 1 << 4,
	/* the COUNTS_OPEN line may contain the frames of the stack, as addresses */
	COUNTS_ADDRESSES = 1 << 5,
	COUNTS_KERNEL = 1 << 6, /* all frames are kernel functions */
};

#define COUNT_RULES_MAX 24u

struct count_dialect {
	const char *name;
	const char *event; /* event of amounts whose rule names no event; NULL: unknown */
	enum weight_unit unit;
	unsigned int flags; /* enum count_flags */
	/* patterns of lines; the list ends at the first rule without a pattern */
	struct count_rule rules[COUNT_RULES_MAX];
};

extern const struct count_dialect count_dialects[];
extern const size_t count_dialects_len;

#endif
