/* SPDX-License-Identifier: MIT */
/*
 * profile_rows.h - rows and chains of a printed table of percentages
 *
 * The unit of the profile is WEIGHT_PERCENT. Percentages are stored with the profile's decimals.
 */
#ifndef CORE_PROFILE_ROWS_H
#define CORE_PROFILE_ROWS_H

#include "base/str.h"
#include "core/ids.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct capture;

/*
 * Add a row. Shares are >= 0, in percent. @has: set of enum row_has, the fields that are printed.
 */
void profile_rows_add(struct capture *c, sym_id sym, str_id dso, char level, double self_pct,
		      double children_pct, unsigned int has, uint32_t line);
/*
 * Set a share of row number @at to @pct percent: its self share if @is_self, otherwise its share
 * with callees. If @is_self, @line becomes the row's line.
 */
void profile_rows_set(struct capture *c, uint32_t at, bool is_self, double pct, uint32_t line);
/*
 * Set the number of calls of row number @at, as printed, in the column "calls". This is the only
 * additional column of the table. Does nothing if @calls is empty, or if the number is already set.
 */
void profile_rows_set_calls(struct capture *c, uint32_t at, struct str calls);
/*
 * Set the standard deviation, between runs, of a share of row number @at, in percentage points.
 * NAN: not printed.
 */
void profile_rows_spread(struct capture *c, uint32_t at, bool is_self, double points);
/*
 * Add a call chain that belongs to no row. @syms are @n functions, innermost first. @pct: share of
 * the first function with callees, in percent. Returns false if LIMIT_ROWS is reached.
 */
bool profile_rows_trace(struct capture *c, const sym_id *syms, size_t n, double pct, uint32_t line);

#endif
