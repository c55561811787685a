/* SPDX-License-Identifier: MIT */
/* diff_show.h - the page of `assay diff` */
#ifndef CMDS_DIFF_SHOW_H
#define CMDS_DIFF_SHOW_H

#include "analyses/compare/compare.h"
#include "cmds/diff/diff_pick.h"

struct show;

enum diff_by {
	/* print a table of functions, and a table of each other level that has differences */
	DIFF_BY_ALL,
	DIFF_BY_SYMBOL,
	DIFF_BY_CHILDREN,
	DIFF_BY_DSO,
	DIFF_BY_CATEGORY,
	DIFF_BY_STACK,
};

enum diff_sort { DIFF_SORT_DELTA, DIFF_SORT_A, DIFF_SORT_B, DIFF_SORT_Q, DIFF_SORT_NAME };

struct diff_show_options {
	unsigned int by;   /* enum diff_by: level of the main table, such as functions or objects */
	unsigned int sort; /* enum diff_sort */
	uint64_t limit;    /* maximum number of table rows in text; 0: all */
	bool is_all;       /* also print the rows whose difference is inconclusive */
};

static inline bool diff_is_change(enum compare_verdict v)
{
	return v == COMPARE_MORE || v == COMPARE_LESS;
}

/* Print the whole page. False: the requested table does not exist; the page says why. */
bool diff_show(struct show *s, const struct diff_side sides[2], struct compare *c,
	       const struct diff_show_options *options);
/* Print why the captures cannot be compared. */
void diff_show_refusal(struct show *s, const struct diff_side sides[2], const struct compare *c);

#endif
