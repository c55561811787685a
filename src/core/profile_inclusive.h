/* SPDX-License-Identifier: MIT */
/*
 * profile_inclusive.h - printed tables that show their cost as shares with callees
 *
 * An excerpt of `perf report --children` often has rows such as "31.12%  0.04%": nearly nothing of
 * the cost is in the function itself, and 31.12 % is below it. The sum of the self shares then does
 * not show which part of the profile the excerpt covers.
 */
#ifndef CORE_PROFILE_INCLUSIVE_H
#define CORE_PROFILE_INCLUSIVE_H

#include <stdbool.h>
#include <stdint.h>

struct profile;

/* maximum sum of the self shares of such a table, in percent */
#define PROFILE_INCLUSIVE_SELF_PCT 5.0
/* minimum of its largest share with callees, in percent, and as a multiple of the self shares */
#define PROFILE_INCLUSIVE_PCT   5.0
#define PROFILE_INCLUSIVE_TIMES 2.0

struct profile_inclusive {
	double self;   /* sum of the self shares of the rows, percent */
	double widest; /* largest share with callees, percent */
	uint32_t row;  /* index in profile.table.rows of the row with this share */
	/*
	 * Upper limit of the share that is neither in nor below a printed row, percent. Shares with
	 * callees may overlap, so only the largest one counts.
	 */
	double missing;
};

/*
 * Whether the profile is a printed table whose rows show their cost as shares with callees. @ret:
 * its figures; set only if the result is true. Cost: O(rows).
 */
bool profile_is_inclusive(const struct profile *p, struct profile_inclusive *ret);

#endif
