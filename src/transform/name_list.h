/* SPDX-License-Identifier: MIT */
/* name_list.h - names and patterns that pass a filter */
#ifndef TRANSFORM_NAME_LIST_H
#define TRANSFORM_NAME_LIST_H

#include "base/str.h"

/* Names to keep; each may be a pattern of str_glob(). Empty: all. Borrowed. */
struct name_list {
	const struct str *names;
	size_t n;
};

/* Whether @name equals an entry of @list or matches it as a pattern. Cost: O(names). */
bool name_list_has(struct name_list list, struct str name);
/* The same for a module, whose last path component matches too. */
bool name_list_has_module(struct name_list list, struct str module);

#endif
