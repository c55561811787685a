/* SPDX-License-Identifier: MIT */
/* arguments.h - C++ names without their argument lists and namespaces */
#ifndef CORE_ARGUMENTS_H
#define CORE_ARGUMENTS_H

#include "base/str.h"

struct out;

/* @name without the argument list at its end: "v8::f" for "v8::f(int, char**)". */
struct str arguments_strip(struct str name);

/*
 * Append @text to @out with @instead of argument lists: "v8::f" for "v8::f(int, char**)". Only
 * lists that follow a name with "::" count, or with @is_name also a list of types at the end of
 * @text. Lists that are not closed stay. Returns whether a list was shortened. Cost: O(length of
 * @text).
 */
bool arguments_shorten(struct str text, bool is_name, const char *instead, struct out *out);

/*
 * The last C++ name in @name without its namespaces: "T::f" for "[.] a::b::T::f", then "f" for
 * "T::f". *@head becomes the text before it, "[.] ", without the type that it returns. Empty: there
 * is nothing to leave out.
 */
struct str arguments_skip_namespace(struct str name, struct str *head);

#endif
