/* SPDX-License-Identifier: MIT */
/*
 * counter_number.h - numbers as people and locales write them
 *
 * "1,234,567", "1.234.567", "1 234 567" and "1'234'567" are one number; so are
 * "1.537,459666" and "1,537.459666". Where one separator precedes three digits it
 * cannot be known which it is: counts are whole, times have a fraction.
 */
#ifndef FORMATS_COUNTER_NUMBER_H
#define FORMATS_COUNTER_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

struct str;

struct counter_number {
	int64_t value; /* of 10^-decimals */
	uint8_t decimals;
	bool may_be_grouped; /* fraction of three digits, or an integer: "1.234", "1,234" */
	bool is_scaled;      /* written with K, M, G, B or T: value is rounded */
};

/* Take a number. False: there is none, or it has more than 18 digits. */
bool counter_number(struct str *s, struct counter_number *ret);
/* The same number where it is known to be whole: "1.234" is 1234. */
struct counter_number counter_number_whole(struct counter_number n);
double counter_number_double(const struct counter_number *n);

#endif
