/* SPDX-License-Identifier: MIT */
#include "formats/format.h"

#include "base/str.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "formats/detect.h"

/* clang-format off */
#define FORMAT(id) &format_##id,
const struct format *const formats[] = {
#include "formats.def"
	NULL,
};
#undef FORMAT
/* clang-format on */

const struct format *format_find(struct str name)
{
	for (const struct format *const *f = formats; *f; f++) {
		if (str_eq(str_of((*f)->name), name))
			return *f;
	}
	return NULL;
}

const char *format_title(const char *name)
{
	const struct format *f = format_find(str_of(name));

	return f && f->title ? f->title : name;
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
		lines = detect_count_lines(in->text);
	c->first_line = region_line(in, 0);
	if (lines)
		c->last_line = region_line(in, lines - 1);
	return c;
}
