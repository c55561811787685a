/* SPDX-License-Identifier: MIT */
#include "formats/speedscope.h"
#include "formats/export.h"

static unsigned int speedscope_probe(struct str head)
{
	(void)head;
	return 0;
}

const struct format format_speedscope = {
	.name = "speedscope",
	.summary = "a profile for speedscope",
	.probe = speedscope_probe,
	.check = export_check_stacks,
	.write_all = speedscope_write,
};
