/* SPDX-License-Identifier: MIT */
/*
 * count_dialect.h - how tools print stacks with an amount each: one descriptor per tool
 *
 * A descriptor lists line patterns in the language of stack_dialect.h, in the order in which they
 * are tried. These fields have another meaning here:
 *
 *     %n  amount of a stack, with its unit       %o  a second amount
 *     %G  number of objects of the amount %n     %M  number of objects of the amount %o
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
	/*
	 * line before the first stack; after a stack, it starts another output if it is
	 * STACK_BEGINS, else a part of this one
	 */
	COUNTS_HEAD,
	COUNTS_OPEN, /* starts a stack */
	/*
	 * a sum over stacks that share their innermost frame; that frame follows, then the largest
	 * of these stacks
	 */
	COUNTS_SUM,
	COUNTS_TOTAL,  /* sum over all stacks, printed or not; a second amount is the rate */
	COUNTS_FRAME,  /* a frame; frames are printed innermost first */
	COUNTS_OBJECT, /* module of the previous frame */
	COUNTS_COMM,
	COUNTS_DROP,  /* the previous frames belong to another thread: drop them */
	COUNTS_CLOSE, /* ends a stack */
	COUNTS_EMPTY, /* a whole stack without frames */
	COUNTS_RATE,  /* cycles per second in %n, or the period of samples in %c */
	COUNTS_INNER,
};

struct count_rule {
	struct stack_rule rule; /* rule.line: enum counts_line, possibly with STACK_BEGINS */
	const char *event;      /* event of the amount %n; NULL: event of the dialect */
	enum weight_unit unit;
	double scale; /* factor from the printed %n to `unit`; 0: unit of the dialect, factor 1 */
};

enum count_flags {
	/* stacks may begin without a head, so frames must look like code */
	COUNTS_BARE = 1 << 0,
	COUNTS_BLANKS = 1 << 1, /* a blank line does not end a stack */
	/* each stack is printed once: a repeated stack starts another output */
	COUNTS_ONCE = 1 << 2,
	COUNTS_IMPLIED = 1 << 3, /* a stack without an amount counts 1 */
	/* amounts are those of the samples, not of the whole heap: heaps of Go and gperftools */
	COUNTS_UNSCALED = 1 << 4,
	COUNTS_ADDRESSES = 1 << 5, /* frames may be addresses in the COUNTS_OPEN line */
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
