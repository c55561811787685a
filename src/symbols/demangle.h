/* SPDX-License-Identifier: MIT */
/*
 * demangle.h - readable names of C++ and Rust functions
 *
 * Uses libiberty (optional feature `demangle`): Itanium C++ ABI without parameters, as in perf;
 * Rust legacy (without the hash) and v0.
 */
#ifndef SYMBOLS_DEMANGLE_H
#define SYMBOLS_DEMANGLE_H

#include "base/str.h"

struct arena;

/* Whether @name looks mangled. Cheap. */
bool demangle_is_mangled(struct str name);
/*
 * Demangle @name into @arena. Returns @name if it is not mangled, malformed, longer than 4 KiB
 * (the result can be exponentially long), or if the feature is off.
 */
struct str demangle(struct arena *arena, struct str name);

#endif
