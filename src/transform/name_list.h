/* SPDX-License-Identifier: MIT */
/* name_list.h - a list of names and patterns, used as a filter */
#ifndef TRANSFORM_NAME_LIST_H
#define TRANSFORM_NAME_LIST_H

#include "base/str.h"

/*
 * Names or patterns of str_glob(); a name passes if it matches one of them. An empty list passes
 * all names. Borrowed.
 */
struct name_list {
	const struct str *names;
	size_t n;
};

/* Whether @name equals an entry of @list or matches it as a pattern. Cost: O(names). */
bool name_list_has(struct name_list list, struct str name);
/* As name_list_has(), for a module: either @module, a path, or its last component must match. */
bool name_list_has_module(struct name_list list, struct str module);

#endif
