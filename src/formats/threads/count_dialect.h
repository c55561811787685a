/* SPDX-License-Identifier: MIT */
/*
 * count_dialect.h - how tools print call stacks, each with an amount: one descriptor per tool
 *
 * A descriptor lists line patterns in the language of stack_dialect.h, in the order in which they
 * are tried. These fields have another meaning here:
 *
 *   %n  amount of a stack, with its unit       %o  a second amount
 *   %G  number of objects of the amount %n     %M  number of objects of the amount %o
 *   %t  command or thread of the stack         %K  name of the counted thing
 *   %c  period of the samples
 *
 * For example, "@[%t]: %n" matches "@[bash]: 12". An amount is above the frames (COUNTS_OPEN) or
 * below them (COUNTS_CLOSE).
 */
#ifndef FORMATS_THREADS_COUNT_DIALECT_H
#define FORMATS_THREADS_COUNT_DIALECT_H

#include "core/profile.h"
#include "formats/threads/stack_dialect.h"

enum counts_line {
	COUNTS_OTHER,
	/*
	 * A line above the first stack. If it occurs after a stack and has STACK_BEGINS, it starts
	 * another output; without STACK_BEGINS, the next part of this output.
	 */
	COUNTS_HEAD,
	COUNTS_OPEN, /* starts a stack */
	/*
	 * A line with the sum of several stacks that share their innermost frame. This frame
	 * follows, then the largest of these stacks.
	 */
	COUNTS_SUM,
	/* sum over all stacks, printed or not; its second amount is a rate per second */
	COUNTS_TOTAL,
	COUNTS_FRAME,  /* a frame; frames are printed innermost first */
	COUNTS_OBJECT, /* module of the previous frame */
	COUNTS_COMM,
	COUNTS_DROP,  /* the frames above this line belong to another thread: drop them */
	COUNTS_CLOSE, /* ends a stack */
	COUNTS_EMPTY, /* a line that stands for a stack without frames */
	COUNTS_RATE,  /* cycles per second in %n, or the period of samples in %c */
	COUNTS_INNER,
};

struct count_rule {
	struct stack_rule rule; /* rule.line: enum counts_line, possibly with STACK_BEGINS */
	const char *event;      /* event of the amount %n; NULL: event of the dialect */
	enum weight_unit unit;
	/* factor from the printed amount %n to `unit`; 0: factor 1, and the unit of the dialect */
	double scale;
};

enum count_flags {
	/* stacks need no COUNTS_HEAD line, so frames must look like code */
	COUNTS_BARE = 1 << 0,
	COUNTS_BLANKS = 1 << 1, /* a blank line does not end a stack */
	/* an output prints each stack once: a stack that occurs again starts another output */
	COUNTS_ONCE = 1 << 2,
	COUNTS_IMPLIED = 1 << 3, /* a stack without an amount counts 1 */
	/*
	 * heaps of Go and gperftools: amounts are sums over samples, and have to be scaled up to
	 * the whole heap
	 */
	COUNTS_UNSCALED = 1 << 4,
	COUNTS_ADDRESSES = 1 << 5, /* the COUNTS_OPEN line may contain the frames, as addresses */
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
