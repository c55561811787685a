/* SPDX-License-Identifier: MIT */
/* name_list.h - a list of names and patterns, used as a filter */
#ifndef TRANSFORM_NAME_LIST_H
#define TRANSFORM_NAME_LIST_H

#include "base/str.h"

/*
 * A filter by name. Each element of `names` is a name or a pattern of str_glob(), such as
 * "mem*|str*". A name passes if it matches an element. An empty list passes all names. The strings
 * are borrowed.
 */
struct name_list {
	const struct str *names;
	size_t n;
};

/* Whether @name equals an entry of @list or matches it as a pattern. Cost: O(names). */
bool name_list_has(struct name_list list, struct str name);
/*
 * Whether a module passes: the whole path @module or its last component must match as in
 * name_list_has().
 */
bool name_list_has_module(struct name_list list, struct str module);

#endif
