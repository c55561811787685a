/* SPDX-License-Identifier: MIT */
#include "formats/firefox.h"
#include "formats/export.h"

static unsigned int firefox_probe(struct str head)
{
	(void)head;
	return 0;
}

const struct format format_firefox = {
	.name = "firefox",
	.summary = "a processed profile of the Firefox Profiler",
	.probe = firefox_probe,
	.check = export_check_stacks,
	.write_all = firefox_write,
};
