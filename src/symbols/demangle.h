/* SPDX-License-Identifier: MIT */
/*
 * demangle.h - readable names of C++ and Rust functions
 *
 * Uses libiberty (optional feature `demangle`). C++ names are mangled by the Itanium ABI; they are
 * printed without parameters, as in perf. Rust names are mangled by the legacy scheme, whose hash
 * is not printed, or by v0.
 */
#ifndef SYMBOLS_DEMANGLE_H
#define SYMBOLS_DEMANGLE_H

#include "base/str.h"

struct arena;

/* Whether @name looks like a mangled name. This check is cheap. */
bool demangle_is_mangled(struct str name);
/*
 * Demangle @name into @arena. Returns @name unchanged if it is not a valid mangled name, if it is
 * longer than 4 KiB, or if the feature is off. The limit is needed because the result can be
 * exponentially longer than @name.
 */
struct str demangle(struct arena *arena, struct str name);

#endif
