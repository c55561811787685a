/* SPDX-License-Identifier: MIT */
/*
 * count_dialect.h - how tools print stacks with an amount each: one descriptor a tool
 *
 * A descriptor lists line patterns in the language of stack_dialect.h, in the order in which they
 * are tried. Some fields have a meaning of their own here:
 *
 *     %n  amount of a stack, with its unit       %o  a second amount
 *     %t  command or thread of the stack         %K  name of the counted thing
 *     %c  period of the samples
 *
 * An amount is above the frames (COUNTS_OPEN) or below them (COUNTS_CLOSE).
 */
#ifndef FORMATS_THREADS_COUNT_DIALECT_H
#define FORMATS_THREADS_COUNT_DIALECT_H

#include "core/profile.h"
#include "formats/threads/stack_dialect.h"

enum counts_line {
	COUNTS_OTHER,
	COUNTS_HEAD,   /* above the first stack; below one, it starts another output */
	COUNTS_OPEN,   /* starts a stack */
	COUNTS_SUM,    /* the sum of the stacks that follow; its frame is the innermost of each */
	COUNTS_FRAME,  /* the innermost frame first */
	COUNTS_OBJECT, /* module of the frame above */
	COUNTS_COMM,
	COUNTS_DROP,  /* drop the frames above: they are of another thread */
	COUNTS_CLOSE, /* ends a stack */
	COUNTS_RATE,  /* cycles a second in %n, or the period of samples in %c */
	COUNTS_INNER,
};

struct count_rule {
	struct stack_rule rule; /* .line: enum counts_line, possibly with STACK_BEGINS */
	const char *event;      /* of %n; NULL: that of the dialect */
	enum weight_unit unit;
	double scale; /* of %n to the unit; 0: 1 */
};

enum count_flags {
	COUNTS_BARE = 1 << 0,     /* stacks begin without a head: frames must look like code */
	COUNTS_BLANKS = 1 << 1,   /* a blank line does not end a stack */
	COUNTS_ONCE = 1 << 2,     /* a stack is printed once: again means another output */
	COUNTS_IMPLIED = 1 << 3,  /* a stack without an amount counts 1 */
	COUNTS_UNSCALED = 1 << 4, /* amounts are those of the samples: Go's and gperftools' heaps */
	COUNTS_ADDRESSES = 1 << 5, /* frames may be addresses in the line that opens the stack */
	COUNTS_KERNEL = 1 << 6,    /* all frames are kernel functions */
};

#define COUNT_RULES_MAX 24u

struct count_dialect {
	const char *name;
	const char *event; /* NULL: unknown */
	enum weight_unit unit;
	unsigned int flags;                       /* enum count_flags */
	struct count_rule rules[COUNT_RULES_MAX]; /* ends at the first rule without a pattern */
};

extern const struct count_dialect count_dialects[];
extern const size_t count_dialects_len;

#endif
