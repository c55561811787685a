/* SPDX-License-Identifier: MIT */
/* name_list.h - names and patterns that pass a filter */
#ifndef TRANSFORM_NAME_LIST_H
#define TRANSFORM_NAME_LIST_H

#include "base/str.h"

/* Names that pass; each may be a pattern of str_glob(). An empty list passes all. Borrowed. */
struct name_list {
	const struct str *names;
	size_t n;
};

/* Whether @name equals an entry of @list or matches it as a pattern. Cost: O(names). */
bool name_list_has(struct name_list list, struct str name);
/* As name_list_has(), for a module: its last path component may match, too. */
bool name_list_has_module(struct name_list list, struct str module);

#endif
