/* SPDX-License-Identifier: MIT */
/*
 * c_language.h - distinguish C and C++
 *
 * The metrics are defined for C. C++ parsed as C yields false functions, and macros are blamed
 * for parse errors. File names tell the language, except for *.h.
 */
#ifndef METRICS_C_LANGUAGE_H
#define METRICS_C_LANGUAGE_H

#include "base/str.h"

/* Whether compilers take the file for C++, by its name: "a.cc", "a.hpp", "a.C". */
bool c_language_is_cxx_name(struct str name);
/*
 * Whether a header is C++: a line starts with a C++ construct (class X {, namespace, template
 * <, public:, using), uses std::, or includes <vector> or similar, outside comments and code
 * for C++ compilers only (#ifdef __cplusplus). Cost: linear in the first 64 KiB.
 */
bool c_language_is_cxx_text(struct str text);

#endif
