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

/* A figure for programs, with six digits, more than the data's precision. */
struct cell diff_real(double v);
/* Format @v in the unit of the page, with its decimals. */
struct str diff_value(const struct diff_page *p, double v);
/* Format "12.34", or "< 0.35" for a value that a truncated report does not show. */
struct str diff_side_value(const struct diff_page *p, double v, double high, bool is_absent);
/* "x" of "/build/a/x". */
struct str diff_last_component(struct str path);
/* "5.1 points": an amount of a change, without sign. */
struct str diff_amount(const struct diff_page *p, double delta);
/* diff_changes.c: "3.0 points moved from memcmp to has_dup, which called it in A" */
struct str diff_move(const struct diff_page *p, const struct compare_move *m);
/* Whether all lost shares moved to other functions, and no total is known to differ. */
bool diff_is_moved(const struct compare *c);
/* "5.1 points in crc went away: B spends them from 1.2 to 1.4 s of 10.0 s only" */
struct str diff_burst(const struct diff_page *p, const struct compare_burst *b);
/* Moved work and bursts, one a line, except those of the headline (@headline: a burst; NULL). */
void diff_changes(const struct diff_page *p, const struct compare_burst *headline);
/* diff_whole.c: "B takes 0.20 s more CPU time: …" for a total that differs. */
struct str diff_whole_summary(const struct diff_page *p, const struct compare_whole *w);
/* "CPU time shows no difference (…)" for a total without a difference. */
struct str diff_whole_none(const struct diff_page *p, const struct compare_whole *w);
/* The totals, one a line, or why there are none. */
void diff_wholes(const struct diff_page *p);
/* Functions by their part of a total's change. */
void diff_whole_parts(const struct diff_page *p);
/*
 * The variation between runs, the smallest change that they show, and the number of runs that
 * would show a smaller one.
 */
void diff_whole_sure(const struct diff_page *p);
/* The name of a level's rows, for a count of @n. */
const char *diff_kind(enum compare_level level, uint64_t n);
/*
 * Print the table of a level, most important rows first, and a note on omitted rows. @is_main:
 * the requested table; others print differences only.
 */
void diff_table(const struct diff_page *p, enum compare_level level, const char *key, bool is_main);

#endif
