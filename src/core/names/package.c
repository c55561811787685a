/* SPDX-License-Identifier: MIT */
#include "core/names/package.h"

#include "base/str.h"

/* Length of the first package name in @name, with its dot: 4 for "org.X"; 0: none. */
static size_t package_length(struct str name)
{
	size_t i = 0;

	while (i < name.len && ((name.p[i] >= 'a' && name.p[i] <= 'z') || name.p[i] == '_' ||
				(i && char_is_digit(name.p[i]))))
		i++;
	return i && i < name.len && name.p[i] == '.' ? i + 1 : 0;
}

struct str package_strip(struct str name)
{
	struct str rest = name;
	size_t packages = 0;

	for (size_t n = package_length(rest); n; n = package_length(rest), packages++)
		rest = str_skip(rest, n);
	/*
	 * A class begins with a capital letter. Before it, two or more lower-case words are
	 * required: a single one may be a variable.
	 */
	return packages > 1 && rest.len && rest.p[0] >= 'A' && rest.p[0] <= 'Z' ? rest : name;
}
