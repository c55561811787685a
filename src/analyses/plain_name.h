/* SPDX-License-Identifier: MIT */
/*
 * plain_name.h - a function's name without types: what tables of names are written for
 *
 * "void std::vector<int, A>::push_back(int const&)" is "std::vector::push_back", and
 * "<alloc::vec::Vec<T> as core::ops::Drop>::drop" is "alloc::vec::Vec::drop". Versions
 * of namespaces (std::__1, std::__cxx11) and "(anonymous namespace)" go, and what
 * profilers append to inlined or compiled frames. A class of Java is written with dots.
 */
#ifndef ANALYSES_PLAIN_NAME_H
#define ANALYSES_PLAIN_NAME_H

#include "base/str.h"

/* Longer names are cut: what a function is stands at its begin. */
#define PLAIN_NAME_MAX 512u

struct plain_name {
	char text[PLAIN_NAME_MAX];
	size_t len;
};

/* Cost: O(bytes of @name). */
struct str plain_name_make(struct plain_name *ret, struct str name);
/*
 * What the function belongs to: class, namespace, receiver or package of a plain name;
 * empty where the name has none, as in C.
 */
struct str plain_name_family(struct str plain);
/* The last part: "push_back". */
struct str plain_name_last(struct str plain);

#endif
