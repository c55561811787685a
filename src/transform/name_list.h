/* SPDX-License-Identifier: MIT */
/*
 * name_list.h - names and patterns that a filter lets through
 */
#ifndef TRANSFORM_NAME_LIST_H
#define TRANSFORM_NAME_LIST_H

#include "base/str.h"

/* Names to keep; each may be a pattern of str_glob(). Empty: all. Borrowed. */
struct name_list {
	const struct str *names;
	size_t n;
};

/* Whether @name is one of @list, or matches one as a pattern. Cost: O(names). */
bool name_list_has(struct name_list list, struct str name);
/* The same for a module, which also goes by the last part of its path. */
bool name_list_has_module(struct name_list list, struct str module);

#endif
