/* SPDX-License-Identifier: MIT */
/* hand_cells.h - cells of tables made by hand: Markdown, drawn, aligned, separated by tabs or
 * commas */
#ifndef FORMATS_COUNTERS_HAND_CELLS_H
#define FORMATS_COUNTERS_HAND_CELLS_H

#include "base/str.h"
#include "formats/counters/counter_number.h"

#include <stdbool.h>
#include <stddef.h>

enum hand_layout {
	/* '|' or drawn lines between cells; an escaped bar, "\|", is part of the text */
	HAND_DRAWN,
	HAND_TABS,
	HAND_GAPS, /* cells are separated by a tab, or by two or more blanks */
	HAND_COMMAS,
	HAND_LAYOUTS,
};

/* Does @line have a bar? Then its layout is HAND_DRAWN. */
bool hand_cells_is_drawn(struct str line);
/*
 * Split @line into trimmed cells, at most @max. Returns their number; 0: more than @max. Cost:
 * O(length of @line).
 */
size_t hand_cells_split(enum hand_layout layout, struct str line, struct str *ret, size_t max);
/* @s without the marks of Markdown: "**threads**" and "`threads`" are "threads". */
struct str hand_cells_plain(struct str s);

/* A number in a cell, with its unit. An empty unit: the cell has none. */
struct hand_number {
	struct counter_number number;
	struct str unit;
};

/*
 * Take the number at the start of @cell, "1,140 ms", "~0.2s", "65839 (!?)", "12.5 ± 0.1". False:
 * there is no number, or a word of 16 bytes or more follows it.
 */
bool hand_cells_number(struct str cell, struct hand_number *ret);
/* Is @line only a separator of rows: "+----+", "|---|---:|", "====="? */
bool hand_cells_is_rule(struct str line);

#endif
