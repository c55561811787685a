/* SPDX-License-Identifier: MIT */
/*
 * c_language.h - distinguish C and C++
 *
 * The metrics are defined for C. Parsing C++ as C finds wrong functions, and causes parse errors
 * that look as if macros caused them. The file name shows the language; only *.h may be either, so
 * its contents decide.
 */
#ifndef METRICS_C_LANGUAGE_H
#define METRICS_C_LANGUAGE_H

#include "base/str.h"

/* Do compilers treat a file with this name as C++: "a.cc", "a.hpp", "a.C"? */
bool c_language_is_cxx_name(struct str name);
/*
 * Is the header with the contents @text C++? One line with a C++ construct is enough. It starts
 * with "class X {", namespace, "template <", "public:" or using; uses "std::"; or includes <vector>
 * or similar. Comments and code for C++ compilers (#ifdef __cplusplus) are ignored. Cost: linear in
 * the first 64 KiB.
 */
bool c_language_is_cxx_text(struct str text);

#endif
