/* SPDX-License-Identifier: MIT */
#include "formats/profilers/column_amount.h"

#include "base/status.h"
#include "base/str.h"
#include "formats/profilers/text_dialects.h"

#include <math.h>

/* factor for shares and plain numbers, which are stored in thousandths */
#define COLUMN_MILLI     1e3
#define COLUMN_MAX       1e18
#define COLUMN_BYTES_MAX 8u

static const struct {
	const char *name;
	double scale;
	enum column_unit unit;
} column_units[] = {
	{ "", COLUMN_MILLI, COLUMN_PLAIN },
	{ "%", COLUMN_MILLI, COLUMN_SHARE },
	{ "ns", 1, COLUMN_TIME },
	{ "us", 1e3, COLUMN_TIME },
	{ "\xc2\xb5s", 1e3, COLUMN_TIME }, /* micro sign */
	{ "\xce\xbcs", 1e3, COLUMN_TIME }, /* Greek mu */
	{ "ms", 1e6, COLUMN_TIME },
	{ "s", 1e9, COLUMN_TIME },
	{ "min", 60e9, COLUMN_TIME },
	{ "h", 3600e9, COLUMN_TIME },
	{ "B", 1, COLUMN_BYTES },
	{ "Byte", 1, COLUMN_BYTES },
	{ "Bytes", 1, COLUMN_BYTES },
	{ "KB", 1024, COLUMN_BYTES },
	{ "KiB", 1024, COLUMN_BYTES },
	{ "MB", 1048576, COLUMN_BYTES },
	{ "MiB", 1048576, COLUMN_BYTES },
	{ "GB", 1073741824., COLUMN_BYTES },
	{ "GiB", 1073741824., COLUMN_BYTES },
	{ "cycles", 1, COLUMN_CYCLES },
	{ "cycle", 1, COLUMN_CYCLES },
	{ "Kc", 1e3, COLUMN_CYCLES },
	{ "Mc", 1e6, COLUMN_CYCLES },
	{ "Gc", 1e9, COLUMN_CYCLES },
	{ "Tc", 1e12, COLUMN_CYCLES },
	{ "samples", 1, COLUMN_SAMPLES },
	{ "sample", 1, COLUMN_SAMPLES },
};

/* Skip blanks, including figure spaces and non-breaking spaces. */
static struct str column_skip_blanks(struct str s)
{
	for (;;) {
		s = str_ltrim(s);
		if (!str_take(&s, STR("\xe2\x80\x87")) && !str_take(&s, STR("\xc2\xa0")) &&
		    !str_take(&s, STR("\xe2\x80\xaf")))
			return s;
	}
}

bool column_amount_take(struct str *s, struct column_amount *ret)
{
	struct str rest = column_skip_blanks(*s);
	struct str number, unit;
	struct amount a;
	size_t n = 0;

	*ret = (struct column_amount){ 0 };
	if (str_take(&rest, STR("-"))) {
		*s = rest;
		return rest.len == 0 || char_is_blank(rest.p[0]);
	}
	while (n < rest.len && (char_is_digit(rest.p[n]) || strchr(".,", rest.p[n])))
		n++;
	number = str_sub(rest, 0, n);
	if (n == 0 || !text_dialect_amount(&number, &a) || number.len)
		return false;
	rest = column_skip_blanks(str_skip(rest, n));
	n = 0;
	while (n < rest.len && n < COLUMN_BYTES_MAX && !char_is_blank(rest.p[n]) &&
	       !char_is_digit(rest.p[n]))
		n++;
	unit = str_sub(rest, 0, n);
	for (size_t i = 0; i < ARRAY_LEN(column_units); i++) {
		double scale = column_units[i].scale;

		if (!str_eq(unit, str_of(column_units[i].name)) || a.value * scale > COLUMN_MAX)
			continue;
		ret->value = (uint64_t)llround(a.value * scale);
		ret->half = (uint64_t)llround(a.half * scale);
		ret->unit = column_units[i].unit;
		*s = str_skip(rest, n);
		return true;
	}
	return false;
}

void column_amount_as_time(struct column_amount *a, double ns)
{
	double scale = ns / COLUMN_MILLI;

	if (a->unit != COLUMN_PLAIN || (double)a->value * scale > COLUMN_MAX)
		return;
	a->value = (uint64_t)llround((double)a->value * scale);
	a->half = (uint64_t)llround((double)a->half * scale);
	a->unit = COLUMN_TIME;
}
