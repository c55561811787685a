/* SPDX-License-Identifier: MIT */
/* column_amount.h - amounts with units, as in the cells of tables of Instruments and VTune */
#ifndef FORMATS_PROFILERS_COLUMN_AMOUNT_H
#define FORMATS_PROFILERS_COLUMN_AMOUNT_H

#include <stdbool.h>
#include <stdint.h>

struct str;

enum column_unit {
	COLUMN_PLAIN, /* a number without a unit */
	COLUMN_TIME,
	COLUMN_BYTES,
	COLUMN_CYCLES,
	COLUMN_SAMPLES,
	COLUMN_SHARE, /* percent */
};

/*
 * An amount as an integer. Times are in nanoseconds, sizes in bytes; cycles and samples are counts.
 * Shares and plain numbers are in thousandths.
 */
struct column_amount {
	uint64_t value;
	uint64_t half; /* rounding error of the amount: half a unit of the last printed digit */
	enum column_unit unit;
};

/*
 * Take an amount from the start of @s: "4.93 s", "45.92 Gc", "1.5 MB", "99.853%", or "-" for 0.
 * False: @s starts with no amount, or its unit is unknown.
 */
bool column_amount_take(struct str *s, struct column_amount *ret);
/* Convert the plain number @a to a time. @ns: unit of the number in nanoseconds. */
void column_amount_as_time(struct column_amount *a, double ns);

#endif
