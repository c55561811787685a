/* SPDX-License-Identifier: MIT */
/*
 * load_line.c - lines of the summary of k6
 *
 * Sources: internal/js/summary.js of k6 0.30 to 0.57, and internal/lib/summary of k6 1.0 and later.
 * The option summaryTrendStats selects the figures of a trend, and their order.
 */
#include "formats/histograms/load_line.h"

#include "base/status.h"
#include "formats/histograms/histogram_line.h"

#include <math.h>
#include <string.h>

#define LOAD_BYTES    400u
#define LOAD_DOTS     3u
#define LOAD_DECIMALS 6u

/*
 * Take a duration as Go prints it, "1m6s", and convert it to ns, or take a number without a unit.
 * @ret_is_time is set to true only for a duration.
 */
static bool load_value(struct str *s, double *ret, bool *ret_is_time)
{
	struct str rest = *s;
	double sum = 0;
	size_t parts = 0;

	while (rest.len && char_is_digit(rest.p[0])) {
		size_t n = 0;
		double v, ns;

		if (!str_double(&rest, &v) || !isfinite(v))
			return false;
		while (n < rest.len && !char_is_digit(rest.p[n]) && !char_is_blank(rest.p[n]))
			n++;
		if (n == 0 && parts == 0) {
			*ret = v;
			*s = rest;
			return true;
		}
		ns = str_eq(str_sub(rest, 0, n), STR("h"))
			     ? 3600e9
			     : histogram_line_unit(str_sub(rest, 0, n));
		if (ns <= 0)
			return false;
		sum += v * ns;
		rest = str_skip(rest, n);
		parts++;
	}
	*ret = sum;
	*ret_is_time |= parts > 0;
	*s = rest;
	return parts > 0;
}

/*
 * The percentile for the name of a figure of a trend: 90 for "p(90)", 50 for "med", 0 for "min"; <
 * 0: not a percentile.
 */
static double load_percentile(struct str name)
{
	double v;

	if (str_eq(name, STR("min")))
		return 0;
	if (str_eq(name, STR("med")))
		return 50;
	if (str_eq(name, STR("max")))
		return 100;
	if (!str_take(&name, STR("p(")) || !str_double(&name, &v) || !str_eq(name, STR(")")) ||
	    !(v >= 0 && v <= 100))
		return -1;
	return v;
}

static void load_add_point(struct load_line *l, double percentile, double value)
{
	size_t at = l->n_points;

	if (at == LOAD_POINTS)
		return;
	for (; at && l->points[at - 1].percentile > percentile; at--)
		l->points[at] = l->points[at - 1];
	l->points[at] = (struct load_point){ percentile, value };
	l->n_points++;
}

/* Parse the figures of a trend: "avg=12ms min=1ms med=9ms max=1m6s p(90)=20ms p(95)=31ms". */
static bool load_trend(struct str rest, struct load_line *l)
{
	struct str word;
	bool has_middle = false;

	while (str_word(&rest, &word)) {
		size_t equals = str_find_char(word, '=');
		struct str name = str_sub(word, 0, equals);
		double percentile = load_percentile(name);
		double value;

		word = str_skip(word, equals + 1);
		if (!load_value(&word, &value, &l->is_time) || word.len)
			return false;
		if (str_eq(name, STR("count")))
			l->count = value < 1e15 ? (uint64_t)value : 0;
		else if (percentile >= 0)
			load_add_point(l, percentile, value);
		else if (!str_eq(name, STR("avg")))
			return false;
		has_middle |= percentile > 0 && percentile < 100;
	}
	return has_middle && l->n_points >= 2;
}

/* Take a value with its unit: "708 kB/s", "1000", "32.4/s" or "99.10%". */
static bool load_cell(struct str *s, struct load_cell *ret)
{
	struct str rest = str_ltrim(*s);
	struct str again = rest;
	struct str word;

	if (rest.len == 0 || !char_is_digit(rest.p[0]) ||
	    !str_fixed(&rest, LOAD_DECIMALS, &ret->value, &ret->decimals))
		return false;
	if (ret->decimals > LOAD_DECIMALS)
		ret->decimals = LOAD_DECIMALS;
	else if (!str_fixed(&again, ret->decimals, &ret->value, NULL))
		return false;
	if (ret->value > INT64_MAX)
		return false;
	word = str_sub(rest, 0, str_find_char(rest, ' '));
	if (word.len == 0) {
		struct str after = rest;

		if (str_word(&after, &word) &&
		    str_glob(STR("B|kB|MB|GB|TB|B/s|kB/s|MB/s|GB/s"), word))
			rest = after;
		else
			word = STR_NONE;
	} else if (str_eq(word, STR("%")) || str_eq(word, STR("/s"))) {
		rest = str_skip(rest, word.len);
	} else {
		return false;
	}
	ret->unit = word;
	*s = rest;
	return true;
}

/* Whether @rest, the text at the end of a counter's line, has one of the forms that k6 prints. */
static bool load_is_tail(struct str rest)
{
	rest = str_trim(rest);
	return rest.len == 0 ||
	       str_glob(STR("\xe2\x9c\x93 * \xe2\x9c\x97 *|* out of *|min=* max=*"), rest);
}

/* Parse @rest, the figures of a metric that is a counter, a gauge or a rate. */
static bool load_counter(struct str rest, struct load_line *l)
{
	struct load_cell *cells = l->cells;

	if (!load_cell(&rest, &cells[0]))
		return false;
	cells[0].suffix = "";
	l->n_cells = 1;
	if (str_eq(cells[0].unit, STR("%"))) {
		/*
		 * take also the number of cases that the percentage stands for: 1982 in "✓ 1982 ✗
		 * 18" or in "1982 out of 2000"
		 */
		struct str count = str_ltrim(rest);

		(void)str_take(&count, STR("\xe2\x9c\x93 "));
		if (load_cell(&count, &cells[1]) && cells[1].unit.len == 0) {
			cells[1].suffix = " count";
			l->n_cells = 2;
		}
	} else if (!load_is_tail(rest) && load_cell(&rest, &cells[1])) {
		cells[1].suffix = " rate";
		l->n_cells = 2;
		return str_ends(cells[1].unit, STR("/s")) && load_is_tail(rest);
	}
	return load_is_tail(rest);
}

bool load_line_parse(struct str line, struct load_line *ret)
{
	struct str s = str_trim(line);
	size_t colon = str_find(s, STR("..: "));
	struct str figures = str_trim(str_skip(s, colon + strlen("..: ")));
	size_t dots = 0;

	*ret = (struct load_line){ .count = 0 };
	if (colon >= s.len || s.len > LOAD_BYTES)
		return false;
	if (!str_take(&s, STR("\xe2\x9c\x93 ")))
		(void)str_take(&s, STR("\xe2\x9c\x97 "));
	s = str_sub(s, 0, str_find(s, STR("..: ")));
	while (s.len && s.p[s.len - 1] == '.') {
		s.len--;
		dots++;
	}
	ret->name = str_trim(s);
	ret->is_part = str_starts(ret->name, STR("{")) && str_ends(ret->name, STR("}"));
	if (ret->name.len == 0 || dots + 2 < LOAD_DOTS)
		return false;
	if (load_trend(figures, ret))
		return true;
	ret->n_points = 0;
	return load_counter(figures, ret);
}
