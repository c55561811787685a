/* SPDX-License-Identifier: MIT */
/* column_amount.h - amounts with units in the cells of tables of Instruments and VTune */
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
 * An amount as an integer: nanoseconds, bytes, cycles or samples. Shares and plain numbers are in
 * thousandths.
 */
struct column_amount {
	uint64_t value;
	uint64_t half; /* rounding error: half a unit of the last printed digit */
	enum column_unit unit;
};

/*
 * Take an amount from the start of @s: "4.93 s", "45.92 Gc", "1.5 MB", "99.853%", or "-", which is
 * 0. False: no amount, or an unknown unit.
 */
bool column_amount_take(struct str *s, struct column_amount *ret);
/* Turn a plain number into a time. @ns: number of nanoseconds that the number 1 stands for. */
void column_amount_as_time(struct column_amount *a, double ns);

#endif
