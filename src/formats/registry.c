/* SPDX-License-Identifier: MIT */
#include "formats/registry.h"

#include "base/str.h"
#include "formats/format.h"

/* clang-format off */
#define FORMAT(id) DECLARE_FORMAT(id);
#include "formats.def"
#undef FORMAT
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
