/* SPDX-License-Identifier: MIT */
#include "formats/format.h"

#include "base/str.h"
#include "base/text/scan.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "formats/detect.h"

uint32_t format_count_lines(struct str text)
{
	size_t n = scan_lines(text);

	return n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

struct capture *format_add_capture(const struct format *f, const struct region *in,
				   struct dossier *d)
{
	struct capture *c = dossier_add(d, f->name);
	uint32_t lines = in->n_lines;

	c->path = in->path;
	if (f->is_binary)
		return c;
	if (!lines && in->text.len <= DETECT_LARGE_BYTES)
		lines = format_count_lines(in->text);
	c->first_line = region_line(in, 0);
	if (lines)
		c->last_line = region_line(in, lines - 1);
	return c;
}
