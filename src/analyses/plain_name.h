/* SPDX-License-Identifier: MIT */
/*
 * plain_name.h - the plain name of a function: the form that the tables of names use
 *
 * "void std::vector<int, A>::push_back(int const&)" becomes "std::vector::push_back".
 * "<alloc::vec::Vec<T> as core::ops::Drop>::drop" becomes "alloc::vec::Vec::drop". The plain
 * name also lacks versions of namespaces (std::__1, std::__cxx11), "(anonymous namespace)", and
 * suffixes that profilers add to inlined or compiled frames. Java classes are written with dots.
 */
#ifndef ANALYSES_PLAIN_NAME_H
#define ANALYSES_PLAIN_NAME_H

#include "base/str.h"

/* in bytes; longer names are truncated, because their start identifies the function */
#define PLAIN_NAME_MAX 512u

struct plain_name {
	char text[PLAIN_NAME_MAX];
	size_t len;
};

/* Write the plain form of @name to @ret, and return a view of it. Cost: O(bytes of @name). */
struct str plain_name_make(struct plain_name *ret, struct str name);
/*
 * The class, namespace, receiver or package of a function: "std::vector" for
 * "std::vector::push_back". Empty: none, as in C.
 */
struct str plain_name_family(struct str plain);
/* The last component of a plain name: "push_back". */
struct str plain_name_last(struct str plain);

#endif
