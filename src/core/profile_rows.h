/* SPDX-License-Identifier: MIT */
/*
 * profile_rows.h - rows and chains of a printed table, given as shares
 *
 * The profile's unit is WEIGHT_PERCENT; weights have its decimals.
 */
#ifndef CORE_PROFILE_ROWS_H
#define CORE_PROFILE_ROWS_H

#include "core/ids.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct capture;

/* Add a row; shares are percent, >= 0. */
void profile_rows_add(struct capture *c, sym_id sym, str_id dso, char level, double self_pct,
		      double children_pct, unsigned int has, uint32_t line);
/* Set the self or children share of row @at; @line is that of the self share. */
void profile_rows_set(struct capture *c, uint32_t at, bool is_self, double pct, uint32_t line);
/*
 * Add a separate chain: @n functions, each called by the next, with the share of the first.
 * False: LIMIT_ROWS is reached.
 */
bool profile_rows_trace(struct capture *c, const sym_id *syms, size_t n, double pct, uint32_t line);

#endif
