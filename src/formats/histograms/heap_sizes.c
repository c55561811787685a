/* SPDX-License-Identifier: MIT */
#include "formats/histograms/heap_sizes.h"

#define HEAP_ARROW STR("->")
#define HEAP_LINE  2048u /* sizes are searched in this many bytes of a line */

/* Number of bytes of the unit @c, such as 'K'; 0: not a unit. */
static double heap_unit(char c)
{
	switch (c) {
	case 'B':
		return 1;
	case 'K':
		return 1024;
	case 'M':
		return 1024.0 * 1024;
	case 'G':
		return 1024.0 * 1024 * 1024;
	default:
		return 0;
	}
}

/* Take a size, "1890M", and convert it to bytes. A number without a unit is in MB. */
static bool heap_take(struct str *s, double *ret)
{
	struct str rest = *s;
	double value;

	if (!str_double(&rest, &value) || value < 0 || value > 1e15)
		return false;
	if (rest.len && heap_unit(rest.p[0]) > 0) {
		value *= heap_unit(rest.p[0]);
		rest = str_skip(rest, 1);
	} else {
		value *= heap_unit('M');
	}
	*s = rest;
	*ret = value;
	return true;
}

/*
 * Parse the size before the arrow "->" at offset @arrow: "1890M", or 20.1 if the text is "20.1
 * (30.0) ".
 */
static bool heap_before(struct str line, size_t arrow, double *ret)
{
	struct str s = str_rtrim(str_sub(line, 0, arrow));
	size_t from;

	if (s.len && s.p[s.len - 1] == ')') {
		size_t open = str_rfind_char(s, '(');

		if (open == s.len)
			return false;
		s = str_rtrim(str_sub(s, 0, open));
	}
	from = s.len;
	if (from && heap_unit(s.p[from - 1]) > 0)
		from--;
	while (from && (char_is_digit(s.p[from - 1]) || s.p[from - 1] == '.'))
		from--;
	s = str_skip(s, from);
	return heap_take(&s, ret) && s.len == 0;
}

static bool heap_at(struct str line, size_t arrow, struct heap_sizes *ret)
{
	struct str rest = str_skip(line, arrow + HEAP_ARROW.len);
	bool is_v8 = rest.len && rest.p[0] == ' ';

	*ret = (struct heap_sizes){ .size = 0, .is_in_kib = arrow && line.p[arrow - 1] == 'K' };
	rest = str_ltrim(rest);
	if (!heap_before(line, arrow, &ret->before) || !heap_take(&rest, &ret->after))
		return false;
	/*
	 * the number in brackets after the arrow is the mapped memory in V8, not a limit of the
	 * heap
	 */
	if (is_v8)
		return str_starts(str_ltrim(rest), STR("("));
	if (str_take(&rest, STR("(")) && heap_take(&rest, &ret->size) &&
	    !str_starts(rest, STR(")")))
		ret->size = 0;
	return true;
}

/*
 * Whether the sizes on both sides of the arrow "->" at offset @arrow are sizes of the old
 * generation. The old generation is named "[ParOldGen: ", "[PSOldGen: ", "[CMS: " or "[Tenured: ".
 */
static bool heap_is_old(struct str line, size_t arrow)
{
	struct str s = str_sub(line, 0, arrow);
	size_t open = str_rfind_char(s, '[');

	s = str_skip(s, open < s.len ? open + 1 : s.len);
	return str_find_char(s, ']') == s.len &&
	       str_glob(STR("ParOldGen: *|PSOldGen: *|Tenured: *|CMS: *"), s);
}

static bool heap_find(struct str line, bool takes_old, struct heap_sizes *ret)
{
	int depth = 0, least = -1;
	bool is_found = false;

	line = str_sub(line, 0, HEAP_LINE);
	for (size_t i = 0; i + 1 < line.len; i++) {
		struct heap_sizes one;

		depth += (line.p[i] == '[') - (line.p[i] == ']');
		if (line.p[i] != '-' || line.p[i + 1] != '>' || !heap_at(line, i, &one))
			continue;
		one.is_old = heap_is_old(line, i);
		if (one.is_old && takes_old) {
			*ret = one;
			return true;
		}
		if (is_found && depth >= least)
			continue;
		least = depth;
		*ret = one;
		is_found = true;
	}
	return is_found;
}

bool heap_sizes_parse(struct str line, struct heap_sizes *ret)
{
	return heap_find(line, true, ret);
}

bool heap_sizes_whole(struct str line, struct heap_sizes *ret)
{
	return heap_find(line, false, ret) && !ret->is_old;
}
