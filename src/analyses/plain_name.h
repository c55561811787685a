/* SPDX-License-Identifier: MIT */
/*
 * plain_name.h - a function's name without types, the form used in name tables
 *
 * "void std::vector<int, A>::push_back(int const&)" becomes "std::vector::push_back", and
 * "<alloc::vec::Vec<T> as core::ops::Drop>::drop" becomes "alloc::vec::Vec::drop". Dropped:
 * versions of namespaces (std::__1, std::__cxx11), "(anonymous namespace)", and suffixes of
 * profilers for inlined or compiled frames. Java classes are written with dots.
 */
#ifndef ANALYSES_PLAIN_NAME_H
#define ANALYSES_PLAIN_NAME_H

#include "base/str.h"

/* Longer names are truncated: the start identifies the function. */
#define PLAIN_NAME_MAX 512u

struct plain_name {
	char text[PLAIN_NAME_MAX];
	size_t len;
};

/* Cost: O(bytes of @name). */
struct str plain_name_make(struct plain_name *ret, struct str name);
/*
 * The owner of the function: class, namespace, receiver or package of a plain name; empty if it
 * has none, as in C.
 */
struct str plain_name_family(struct str plain);
/* The last component: "push_back". */
struct str plain_name_last(struct str plain);

#endif
