/* SPDX-License-Identifier: MIT */
/*
 * c_language.h - distinguish C and C++
 *
 * The metrics are defined for C. If C++ is parsed as C, wrong functions are found, and parse errors
 * appear that look as if macros caused them. The file name shows the language, except for *.h: such
 * a file may be C or C++, and its content decides.
 */
#ifndef METRICS_C_LANGUAGE_H
#define METRICS_C_LANGUAGE_H

#include "base/str.h"

/* Whether compilers treat a file with this name as C++: "a.cc", "a.hpp", "a.C". */
bool c_language_is_cxx_name(struct str name);
/*
 * Whether the header with content @text is C++. This is so if any line starts with "class X {",
 * "namespace", "template <", "public:" or "using", contains "std::", or includes a header such as
 * <vector>. Comments and code under #ifdef __cplusplus are ignored. Cost: linear in the first 64
 * KiB.
 */
bool c_language_is_cxx_text(struct str text);

#endif
