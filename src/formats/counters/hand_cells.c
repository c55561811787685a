/* SPDX-License-Identifier: MIT */
#include "formats/counters/hand_cells.h"

#include "base/status.h"

#include <string.h>

static const char *const hand_bars[] = { "|", "│", "┃", "║" };

/* Length of the bar, such as "|", at the start of @s; 0: none. */
static size_t hand_bar(struct str s)
{
	for (size_t i = 0; i < ARRAY_LEN(hand_bars); i++) {
		if (str_starts(s, str_of(hand_bars[i])))
			return strlen(hand_bars[i]);
	}
	return 0;
}

bool hand_cells_is_drawn(struct str line)
{
	for (size_t i = 0; i < ARRAY_LEN(hand_bars); i++) {
		if (str_contains(line, str_of(hand_bars[i])))
			return true;
	}
	return false;
}

/* Length of the separator at the start of @s; 0: none. */
static size_t hand_separator(enum hand_layout layout, struct str s)
{
	size_t n = 0;

	switch (layout) {
	case HAND_DRAWN:
		return hand_bar(s);
	case HAND_TABS:
		return str_starts(s, STR("\t"));
	case HAND_COMMAS:
		return str_starts(s, STR(",")) || str_starts(s, STR(";"));
	case HAND_GAPS:
	case HAND_LAYOUTS:
		break;
	}
	while (n < s.len && char_is_blank(s.p[n]))
		n++;
	return n > 1 || str_starts(s, STR("\t")) ? n : 0;
}

size_t hand_cells_split(enum hand_layout layout, struct str line, struct str *ret, size_t max)
{
	size_t from = 0, n = 0;

	line = str_trim(line);
	if (layout == HAND_DRAWN)
		line = str_skip(line, hand_bar(line));
	for (size_t i = 0; i <= line.len;) {
		size_t gap = hand_separator(layout, str_skip(line, i));
		bool is_escaped = i && line.p[i - 1] == '\\';

		if (i < line.len && (gap == 0 || is_escaped)) {
			i++;
			continue;
		}
		if (layout == HAND_DRAWN && i == line.len && i == from)
			break;
		if (n == max)
			return 0;
		ret[n++] = str_trim(str_sub(line, from, i));
		from = i += gap ? gap : 1;
	}
	return n;
}

bool hand_cells_is_rule(struct str line)
{
	line = str_trim(line);
	for (size_t i = 0; i < line.len; i++) {
		if (!strchr("+-=|:_ \t", line.p[i]) && (unsigned char)line.p[i] < 0x80)
			return false;
	}
	return line.len > 0;
}

struct str hand_cells_plain(struct str s)
{
	while (s.len && strchr("*`_ ", s.p[0]))
		s = str_skip(s, 1);
	while (s.len && strchr("*` ", s.p[s.len - 1]))
		s.len--;
	return s;
}

bool hand_cells_number(struct str cell, struct hand_number *ret)
{
	struct str rest = hand_cells_plain(cell);
	size_t n = 0;

	(void)(str_take(&rest, STR("~")) || str_take(&rest, STR("\xe2\x89\x88")));
	if (!counter_number(&rest, &ret->number))
		return false;
	rest = str_ltrim(rest);
	while (n < rest.len && !char_is_blank(rest.p[n]) && !strchr("([,;*`", rest.p[n]))
		n++;
	ret->unit = str_sub(rest, 0, n);
	/* "±" or "+" begins a deviation and not a unit: "12.5 ± 0.1" */
	if (str_starts(ret->unit, STR("\xc2\xb1")) || str_starts(ret->unit, STR("+")))
		ret->unit = STR_NONE;
	return n < 16;
}
