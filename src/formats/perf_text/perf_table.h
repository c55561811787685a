/* SPDX-License-Identifier: MIT */
/*
 * perf_table.h - find and read the tables of perf report and perf top
 *
 * A table has banners, titles, rows, and trees under the rows. A text may contain several tables.
 * Tables of both tools are read in the same way. perf_report.c and perf_top.c differ only in which
 * tables they accept.
 */
#ifndef FORMATS_PERF_TABLE_H
#define FORMATS_PERF_TABLE_H

#include "base/str.h"
#include "formats/format.h"

struct dossier;
struct error;

struct perf_extent {
	size_t from;
	size_t to;
	unsigned int score;
	bool is_top; /* the table was probably printed by perf top */
};

/*
 * Find the next table of @text at or after @from. False: no table. Cost: linear; reads up to
 * PERF_TABLE_GAP lines after the table, too.
 */
bool perf_table_find(struct str text, size_t from, struct perf_extent *ret);
/*
 * Find the next table of one tool. @is_top: true for perf top, false for perf report. The result is
 * false if there is no such table.
 */
bool perf_table_find_of(struct str text, size_t from, bool is_top, struct extent *ret);
/*
 * Certainty, 0 to 100, that the input contains only tables of one tool. @is_top: the tool is perf
 * top; false: it is perf report. @head: start of the input.
 */
unsigned int perf_table_probe(struct str head, bool is_top);
/* Read all tables of @in; each becomes a capture. */
int perf_table_read(const struct format *f, const struct region *in, struct dossier *d,
		    struct error *err);

/* maximum number of lines of prose between two rows of a table, such as a reply in a mail */
#define PERF_TABLE_GAP 40u

#endif
