/* SPDX-License-Identifier: MIT */
#include "formats/pprof.h"
#include "formats/export.h"

static unsigned int pprof_probe(struct str head)
{
	(void)head;
	return 0;
}

const struct format format_pprof = {
	.name = "pprof",
	.summary = "a profile for pprof, gzip compressed",
	.probe = pprof_probe,
	.check = export_check_stacks,
	.is_binary = true,
	.is_write_binary = true,
	.write_all = pprof_write,
};
