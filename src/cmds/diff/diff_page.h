/* SPDX-License-Identifier: MIT */
/* diff_page.h - used only by the files that write the page of `assay diff` */
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

/*
 * A cell with @v, rounded to six digits, for JSON and CSV. The data is less precise than six
 * digits.
 */
struct cell diff_real(double v);
/* Format @v with the number of decimals of the page. */
struct str diff_value(const struct diff_page *p, double v);
/*
 * Format @v, the value of a row on one side: "12.34". If this side has no such row (@is_absent),
 * format the largest possible value @high instead: "< 0.35", or "-" if @high rounds to 0. A
 * truncated report may hide the row.
 */
struct str diff_side_value(const struct diff_page *p, double v, double high, bool is_absent);
/*
 * The last component of an absolute path: "x" of "/build/a/x". Any other text is returned
 * unchanged.
 */
struct str diff_last_component(struct str path);
/* Format the size of a change, without sign: "5.1 points". */
struct str diff_amount(const struct diff_page *p, double delta);
/*
 * Format a move (see diff_changes.c): "3.0 points moved from memcmp to has_dup, which called it in
 * A".
 */
struct str diff_move(const struct diff_page *p, const struct compare_move *m);
/*
 * Whether the difference is only that work moved between functions. Nearly all weight that
 * functions lost must have moved to other functions. Each function with more weight must be the
 * target of a move.
 */
bool diff_is_moved(const struct compare *c);
/*
 * Format a burst (see diff_changes.c): "5.1 points in crc went away: B spends them from 1.2 to 1.4
 * s of 10.0 s only". This means: the recording of B has 10.0 s, and in crc, B takes 5.1 points more
 * than A, but only between 1.2 and 1.4 s.
 */
struct str diff_burst(const struct diff_page *p, const struct compare_burst *b);
/*
 * Print the moves and bursts, one per line, without those in the headline. @headline: the burst in
 * the headline; NULL: none.
 */
void diff_changes(const struct diff_page *p, const struct compare_burst *headline);
/*
 * Format the difference of a total: "B takes 0.20 s more CPU time: …". A total is CPU time, wall
 * time or a count (diff_whole.c).
 */
struct str diff_whole_summary(const struct diff_page *p, const struct compare_whole *w);
/*
 * Format a total for which no difference was found: "CPU time is the same within …", "no difference
 * found in …".
 */
struct str diff_whole_none(const struct diff_page *p, const struct compare_whole *w);
/* Print the totals, one per line. If totals are missing, print the reason. */
void diff_wholes(const struct diff_page *p);
/* Print the table of functions, with the contribution of each function to the change of a total. */
void diff_whole_parts(const struct diff_page *p);
/*
 * Print how much the totals of single runs vary, and the smallest change that so few runs can show.
 * If the user wants to see a smaller change, also print how many runs that needs.
 */
void diff_whole_sure(const struct diff_page *p);
/* The noun for @n rows of the kind @level: "function", "functions". */
const char *diff_kind(enum compare_level level, uint64_t n);
/*
 * Print the table of @level, the most important rows first, and a note about omitted rows.
 * @is_main: this is the table that the user requested; any other table has only rows that differ.
 */
void diff_table(const struct diff_page *p, enum compare_level level, const char *key, bool is_main);

#endif
