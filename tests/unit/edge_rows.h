/* SPDX-License-Identifier: MIT */
/* edge_rows.h - the rows of a file of tests/edges, compared with this build */
#ifndef EDGE_ROWS_H
#define EDGE_ROWS_H

#include "base/alloc.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "edges_found.h"

#include <stdio.h>
#include <stdlib.h>

#define EDGE_ROWS_PRINTED 10 /* wrong rows; the others are not tried, unless UPDATE=1 */

typedef bool edge_loads(const char *name, struct edge_case *ret);
typedef void edge_outputs(const struct edge_case *c, const struct edge_change *change,
			  struct edge_output *ret);

/* Whether a row is as the output says; writes the row of the output to @now. */
static inline bool edge_row_holds(const struct edge_case *c, edge_outputs *output, struct str name,
				  const struct edge_row *row, size_t n_wrong, struct out *now)
{
	struct edge_change change;
	struct edge_output is;
	bool ret;

	if (!edge_change_parse(row->change, &change)) {
		print_error("no change: " STR_FMT "\n", STR_ARG(row->change));
		return false;
	}
	output(c, &change, &is);
	ret = str_eq(out_view(&is.brief), row->brief) &&
	      (!row->words.len || str_contains(out_view(&is.whole), row->words));
	if (!ret && n_wrong < EDGE_ROWS_PRINTED)
		print_error(STR_FMT " with " STR_FMT ": '" STR_FMT "' '" STR_FMT
				    "' expected, is '" STR_FMT "':\n" STR_FMT,
			    STR_ARG(name), STR_ARG(row->change), STR_ARG(row->brief),
			    STR_ARG(row->words), STR_ARG(out_view(&is.brief)),
			    STR_ARG(out_view(&is.whole)));
	out_printf(now, STR_FMT "\t" STR_FMT, STR_ARG(row->change), STR_ARG(out_view(&is.brief)));
	/* words that are gone are gone: edges_find finds others */
	if (row->words.len && str_contains(out_view(&is.whole), row->words))
		out_printf(now, "\t" STR_FMT, STR_ARG(row->words));
	out_char(now, '\n');
	edge_output_fini(&is);
	return ret;
}

static inline bool edge_rows_stop(size_t n_wrong)
{
	return n_wrong >= EDGE_ROWS_PRINTED && !getenv("UPDATE");
}

/*
 * Number of wrong rows of a file. Below a line "= NAME", whose inputs @load loads, it has rows of a
 * change (edges_found.h), the brief output, and words of the whole output, or no words. UPDATE=1
 * writes the outputs of this build into the file.
 */
static inline size_t edge_rows_wrong(const char *path, edge_loads *load, edge_outputs *output)
{
	CLEANUP(freep) char *text = edge_read(path);
	struct str rest = str_of(text ? text : ""), line, name = STR_NONE;
	struct edge_case c = { .n = 0 };
	struct out now = { .fd = -1 };
	size_t wrong = 0;

	while (!edge_rows_stop(wrong) && str_line(&rest, &line)) {
		struct edge_row row;
		struct str start = line;
		char z[4096];

		if (str_take(&start, STR("= "))) {
			name = start;
			edge_case_fini(&c);
			(void)snprintf(z, sizeof(z), STR_FMT, STR_ARG(name));
			if (!load(z, &c))
				print_error("%s: no inputs of %s\n", path, z);
			out_printf(&now, STR_FMT "\n", STR_ARG(line));
		} else if (!edge_row_of(line, &row)) {
			print_error("%s: no row: " STR_FMT "\n", path, STR_ARG(line));
			wrong++;
		} else {
			wrong += !edge_row_holds(&c, output, name, &row, wrong, &now);
		}
	}
	edge_case_fini(&c);
	if (wrong && getenv("UPDATE")) {
		FILE *f = fopen(path, "we");

		assert_non_null(f);
		(void)fwrite(now.data, 1, now.len, f);
		(void)fclose(f);
	}
	out_fini(&now);
	return wrong;
}

#endif
