/* SPDX-License-Identifier: MIT */
/*
 * perf_table.h - find and read the tables of perf report and perf top
 *
 * A table is its banners, titles, rows and the trees under them; a text may hold several.
 * Reading is the same for both tools, so that formats/perf_text/perf_report.c and
 * formats/perf_text/perf_top.c differ only in the tables that they claim.
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
	bool is_top; /* looks like perf top */
};

/*
 * The next table of @text at or after @from. False: none. Cost: linear, plus a look-ahead of at
 * most PERF_TABLE_GAP lines at its end.
 */
bool perf_table_find(struct str text, size_t from, struct perf_extent *ret);
/* The same as an extent, for tables of one tool only. */
bool perf_table_find_of(struct str text, size_t from, bool is_top, struct extent *ret);
/* Certainty, 0 to 100, that the whole input is one or more tables of one tool, from its head. */
unsigned int perf_table_probe(struct str head, bool is_top);
/* Read all tables of @in, each into its own capture. */
int perf_table_read(const struct format *f, const struct region *in, struct dossier *d,
		    struct error *err);

/* Lines of prose allowed between rows of one table (an inline reply). */
#define PERF_TABLE_GAP 40u

#endif
