/* SPDX-License-Identifier: MIT */
/* cells.h - recognise numbers and times of day in tables that programs print */
#ifndef BASE_CELLS_H
#define BASE_CELLS_H

#include "base/str.h"

/*
 * Whether @word is a number. It may have a sign, a unit of up to three letters or '%', and brackets
 * around it: "[4K,", "-1.5%". False for an IP address, a bit mask and a time of day.
 */
bool cell_is_number(struct str word);
/* Whether @word is a time of day ("08:11:47"), or the word "AM" or "PM" after it. */
bool cell_is_time(struct str word);

#endif
