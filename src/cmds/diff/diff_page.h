/* SPDX-License-Identifier: MIT */
/*
 * diff_page.h - what the parts of the page of `assay diff` share
 */
#ifndef CMDS_DIFF_PAGE_H
#define CMDS_DIFF_PAGE_H

#include "cmds/diff/diff_show.h"

struct diff_page {
	struct show *s;
	struct compare *c;
	const struct diff_show_options *options;
	const struct diff_side *sides;
};

/* Figures for programs: six digits say more than the data does. */
struct cell diff_real(double v);
/* In the unit of the page, with its digits. */
struct str diff_value(const struct diff_page *p, double v);
/* "12.34", or of what a cut report does not show "< 0.35". */
struct str diff_side_value(const struct diff_page *p, double v, double high, bool is_absent);
/* What the rows of a level are called when there are @n of them. */
const char *diff_kind(enum compare_level level, uint64_t n);
/*
 * The table of a level, most important rows first, and what is not in it.
 * @is_main: the table that was asked for; the others only say what differs.
 */
void diff_table(const struct diff_page *p, enum compare_level level, const char *key, bool is_main);

#endif
