/* SPDX-License-Identifier: MIT */
/* cells.h - words in the rows of tables that programs print: numbers, times of day */
#ifndef BASE_CELLS_H
#define BASE_CELLS_H

#include "base/str.h"

/*
 * Whether @word is a number, perhaps with a sign, a unit of up to three letters or '%', and
 * brackets around it: "[4K,", "-1.5%". An IP address, a mask of bits and a time of day are none.
 */
bool cell_is_number(struct str word);
/* Whether @word is a time of day, "08:11:47", or the half of the day after it, "PM". */
bool cell_is_time(struct str word);

#endif
