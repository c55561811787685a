/* SPDX-License-Identifier: MIT */
/*
 * c_language.h - C or C++?
 *
 * The metrics are of C: C++ read as C gives functions that are none, and macros get the
 * blame for what does not parse. Other names of files say the language; a *.h does not.
 */
#ifndef METRICS_C_LANGUAGE_H
#define METRICS_C_LANGUAGE_H

#include "base/str.h"

/* "a.cc", "a.hpp", "a.C": the ending that compilers take for C++. */
bool c_language_is_cxx_name(struct str name);
/*
 * Whether a header is C++: it begins a line with what C has no use for (class X {,
 * namespace, template <, public:, using), names std::, or includes <vector> and the like,
 * outside of comments and of what is only for C++ compilers (#ifdef __cplusplus).
 * Cost: linear in the first 64 KiB.
 */
bool c_language_is_cxx_text(struct str text);

#endif
