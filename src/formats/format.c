/* SPDX-License-Identifier: MIT */
#include "formats/format.h"

#include "base/scan.h"

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

struct capture *format_add_capture(const struct format *f, const struct region *in,
				   struct dossier *d)
{
	struct capture *c = dossier_add(d, f->name);
	size_t lines;

	c->path = in->path;
	if (f->is_binary)
		return c;
	lines = scan_lines(in->text);
	c->first_line = region_line(in, 0);
	c->last_line = region_line(in, lines ? (uint32_t)lines - 1 : 0);
	return c;
}
