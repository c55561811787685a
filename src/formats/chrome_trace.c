/* SPDX-License-Identifier: MIT */
#include "formats/chrome_trace.h"
#include "formats/export.h"

static unsigned int chrome_trace_probe(struct str head)
{
	(void)head;
	return 0;
}

const struct format format_chrome_trace = {
	.name = "chrome-trace",
	.summary = "calls as trace events of Chrome and Perfetto",
	.probe = chrome_trace_probe,
	.check = chrome_trace_check,
	.write_all = chrome_trace_write,
};
