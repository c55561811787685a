/* SPDX-License-Identifier: MIT */
/* diff_page.h - private to the files that write the page of `assay diff` */
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

/* A cell for JSON and CSV: six digits, more than the precision of the data. */
struct cell diff_real(double v);
/* Format @v with the number of decimals of the page. */
struct str diff_value(const struct diff_page *p, double v);
/*
 * Format the value of one side: "12.34". If the side's report is truncated and has no such row
 * (@is_absent): "< 0.35", where 0.35 is @high.
 */
struct str diff_side_value(const struct diff_page *p, double v, double high, bool is_absent);
/*
 * The last component of an absolute path: "x" of "/build/a/x". Other texts are returned unchanged.
 */
struct str diff_last_component(struct str path);
/* Format the size of a change, without sign: "5.1 points". */
struct str diff_amount(const struct diff_page *p, double delta);
/*
 * Format a move (diff_changes.c): "3.0 points moved from memcmp to has_dup, which called it in A".
 */
struct str diff_move(const struct diff_page *p, const struct compare_move *m);
/*
 * Whether functions only moved: nearly all lost shares are in moves, and each function with a
 * higher share is the target of a move.
 */
bool diff_is_moved(const struct compare *c);
/* Format a burst: "5.1 points in crc went away: B spends them from 1.2 to 1.4 s of 10.0 s only". */
struct str diff_burst(const struct diff_page *p, const struct compare_burst *b);
/*
 * Print the moves and bursts that are not in the headline, one per line. @headline: the burst in
 * the headline, or NULL.
 */
void diff_changes(const struct diff_page *p, const struct compare_burst *headline);
/*
 * Format a total that differs between the sides: "B takes 0.20 s more CPU time: …". A total is CPU
 * time, wall time or a count (diff_whole.c).
 */
struct str diff_whole_summary(const struct diff_page *p, const struct compare_whole *w);
/*
 * Format a total that shows no difference: "CPU time is the same within …", "no difference found in
 * …".
 */
struct str diff_whole_none(const struct diff_page *p, const struct compare_whole *w);
/* Print the totals, one per line, and the reason for totals that are missing. */
void diff_wholes(const struct diff_page *p);
/* Print the table of functions, each with its contribution to the change of a total. */
void diff_whole_parts(const struct diff_page *p);
/*
 * Print how much runs vary, and the smallest change that this number of runs can show. Also print
 * how many runs are needed to show a smaller change.
 */
void diff_whole_sure(const struct diff_page *p);
/* The noun for @n rows of @level: "function", "functions". */
const char *diff_kind(enum compare_level level, uint64_t n);
/*
 * Print the table of @level, and a note on omitted rows. The most important rows come first.
 * @is_main: the user requested this table; any other table has only rows that differ.
 */
void diff_table(const struct diff_page *p, enum compare_level level, const char *key, bool is_main);

#endif
