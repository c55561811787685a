/* SPDX-License-Identifier: MIT */
/*
 * demangle.h - readable names of C++ and Rust functions
 *
 * Uses libiberty (optional feature `demangle`). C++ names follow the Itanium ABI and are printed
 * without parameters, as in perf. Rust names may be legacy (printed without the hash) or v0.
 */
#ifndef SYMBOLS_DEMANGLE_H
#define SYMBOLS_DEMANGLE_H

#include "base/str.h"

struct arena;

/* Whether @name looks mangled. Cheap. */
bool demangle_is_mangled(struct str name);
/*
 * Demangle @name into @arena. Returns @name unchanged if it is plain or malformed, or if the
 * feature is off. The same holds above 4 KiB, because the result can be exponentially longer than
 * the name.
 */
struct str demangle(struct arena *arena, struct str name);

#endif
