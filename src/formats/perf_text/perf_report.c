/* SPDX-License-Identifier: MIT */
/*
 * perf_report.c - output of `perf report`, from a file or pasted into a mail
 *
 * Definition: tools/perf/ui/stdio/hist.c and ui/browsers/hists.c of Linux.
 */
#include "formats/perf_text/perf_table.h"

#include "base/str.h"
#include "core/capture.h"
#include "formats/format.h"

DECLARE_FORMAT(perf_report);

static unsigned int perf_report_probe(struct str head)
{
	return perf_table_probe(head, /* is_top= */ false);
}

static bool perf_report_find(struct str text, size_t from, struct extent *ret)
{
	return perf_table_find_of(text, from, /* is_top= */ false, ret);
}

static int perf_report_read(const struct region *in, struct dossier *d, struct error *err)
{
	return perf_table_read(&format_perf_report, in, d, err);
}

static const char *const perf_report_extensions[] = { ".txt", ".report", NULL };

const struct format format_perf_report = {
	.name = "perf-report",
	.summary = "rows and call trees of perf report",
	.kinds = KIND_PROFILE,
	.extensions = perf_report_extensions,
	.probe = perf_report_probe,
	.find = perf_report_find,
	.read = perf_report_read,
};
