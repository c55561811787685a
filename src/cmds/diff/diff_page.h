/* SPDX-License-Identifier: MIT */
/* diff_page.h - shared by the parts of the page of `assay diff` */
#ifndef CMDS_DIFF_PAGE_H
#define CMDS_DIFF_PAGE_H

#include "analyses/compare/compare.h"
#include "base/str.h"
#include "render/view.h"

struct diff_show_options;
struct diff_side;
struct show;

struct diff_page {
	struct show *s;
	struct compare *c;
	const struct diff_show_options *options;
	const struct diff_side *sides;
};

/* A cell for programs: six digits, which is more precise than the data. */
struct cell diff_real(double v);
/* Format @v with the decimals of the page. */
struct str diff_value(const struct diff_page *p, double v);
/* Format the value of one side: "12.34", or "< 0.35" if a truncated report does not show it. */
struct str diff_side_value(const struct diff_page *p, double v, double high, bool is_absent);
/* The last component of an absolute path: "x" of "/build/a/x". */
struct str diff_last_component(struct str path);
/* Format the size of a change, without sign: "5.1 points". */
struct str diff_amount(const struct diff_page *p, double delta);
/*
 * Format a move (diff_changes.c): "3.0 points moved from memcmp to has_dup, which called it in A".
 */
struct str diff_move(const struct diff_page *p, const struct compare_move *m);
/* Whether (nearly) all lost shares moved, and all gained shares are from these moves. */
bool diff_is_moved(const struct compare *c);
/* Format a burst: "5.1 points in crc went away: B spends them from 1.2 to 1.4 s of 10.0 s only". */
struct str diff_burst(const struct diff_page *p, const struct compare_burst *b);
/*
 * Print moves and bursts, one a line, except those in the headline. @headline: the burst in the
 * headline, or NULL.
 */
void diff_changes(const struct diff_page *p, const struct compare_burst *headline);
/* Format a total that differs (diff_whole.c): "B takes 0.20 s more CPU time: …". */
struct str diff_whole_summary(const struct diff_page *p, const struct compare_whole *w);
/*
 * Format a total that does not differ: "CPU time is the same within …", "no difference shown
 * in …".
 */
struct str diff_whole_none(const struct diff_page *p, const struct compare_whole *w);
/* Print the totals, one a line, or the reason why there are none. */
void diff_wholes(const struct diff_page *p);
/* Print the table of functions by their part of a total's change. */
void diff_whole_parts(const struct diff_page *p);
/*
 * Print how much runs vary, the smallest visible change, and how many runs would show a smaller
 * change.
 */
void diff_whole_sure(const struct diff_page *p);
/* The name of the rows of a level, singular if @n is 1: "function", "functions". */
const char *diff_kind(enum compare_level level, uint64_t n);
/*
 * Print the table of a level, most important rows first, and a note on omitted rows. @is_main: this
 * is the requested table; other tables have only rows that differ.
 */
void diff_table(const struct diff_page *p, enum compare_level level, const char *key, bool is_main);

#endif
