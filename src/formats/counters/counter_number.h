/* SPDX-License-Identifier: MIT */
/*
 * counter_number.h - numbers in the notations of all locales
 *
 * "1,234,567", "1.234.567", "1 234 567" and "1'234'567" are the same number, and so are
 * "1.537,459666" and "1,537.459666". A single separator before three digits ("1.234") is ambiguous.
 * The caller decides by the quantity: counts are whole numbers, times have a fraction.
 */
#ifndef FORMATS_COUNTER_NUMBER_H
#define FORMATS_COUNTER_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

struct str;

struct counter_number {
	int64_t value; /* the number, in units of 10^-decimals */
	uint8_t decimals;
	/* ambiguous: "1.234" or "1,234" has three decimals, or is 1234 with grouped digits */
	bool may_be_grouped;
	bool is_scaled; /* printed with K, M, G, B or T, so the value is rounded */
};

/*
 * Take a number from the start of @s. False: there is no number, or it has more than 18 digits;
 * then @s is unchanged.
 */
bool counter_number(struct str *s, struct counter_number *ret);
/* Treat an ambiguous separator as a separator of groups: "1.234" becomes 1234. */
struct counter_number counter_number_whole(struct counter_number n);
double counter_number_double(const struct counter_number *n);

#endif
