/* SPDX-License-Identifier: MIT */
/* arguments.h - C++ names without their argument lists and namespaces */
#ifndef CORE_ARGUMENTS_H
#define CORE_ARGUMENTS_H

#include "base/str.h"

struct out;

/* @name without the argument list at its end: "v8::f" for "v8::f(int, char**)". */
struct str arguments_strip(struct str name);

/*
 * Append @text to @out, with argument lists replaced by @instead: "v8::f" for "v8::f(int, char**)".
 * Only lists after a name with "::" are replaced. With @is_name, a list of types at the end of
 * @text is replaced, too. Lists without the closing bracket stay. Returns whether a list was
 * replaced. Cost: O(length of @text).
 */
bool arguments_shorten(struct str text, bool is_name, const char *instead, struct out *out);

/*
 * The last C++ name in @name without its namespaces: "T::f" for "[.] a::b::T::f". For a name with
 * only a class before the function, the class is removed, too: "f" for "T::f". *@head: the text
 * before the name, "[.] ", without the return type of the function. Empty: there is nothing to
 * remove.
 */
struct str arguments_skip_namespace(struct str name, struct str *head);

#endif
