/* SPDX-License-Identifier: MIT */
/*
 * perf_top.c - output of `perf top`, from a terminal or with --stdio
 *
 * Definition: tools/perf/builtin-top.c of Linux.
 */
#include "formats/perf_text/perf_table.h"

#include "base/str.h"
#include "core/capture.h"
#include "formats/format.h"

DECLARE_FORMAT(perf_top);

static unsigned int perf_top_probe(struct str head)
{
	return perf_table_probe(head, /* is_top= */ true);
}

static bool perf_top_find(struct str text, size_t from, struct extent *ret)
{
	return perf_table_find_of(text, from, /* is_top= */ true, ret);
}

static int perf_top_read(const struct region *in, struct dossier *d, struct error *err)
{
	return perf_table_read(&format_perf_top, in, d, err);
}

static const char *const perf_top_extensions[] = { ".txt", NULL };

const struct format format_perf_top = {
	.name = "perf-top",
	.summary = "rows and call trees of perf top",
	.kinds = KIND_PROFILE,
	.extensions = perf_top_extensions,
	.probe = perf_top_probe,
	.find = perf_top_find,
	.read = perf_top_read,
};
