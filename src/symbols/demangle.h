/* SPDX-License-Identifier: MIT */
/*
 * demangle.h - names of C++ and Rust functions as people write them
 *
 * Through libiberty (optional feature `demangle`): Itanium C++ ABI without
 * parameters, as perf shows it, Rust legacy (the hash is dropped) and v0.
 */
#ifndef SYMBOLS_DEMANGLE_H
#define SYMBOLS_DEMANGLE_H

#include "base/arena.h"

/* True when @name looks mangled: cheap. */
bool demangle_is_mangled(struct str name);
/*
 * @name demangled, in @arena; @name itself where it is not mangled, is malformed,
 * or the feature is off. Names past 4 KiB stay as they are: their demangled
 * form can be exponentially long.
 */
struct str demangle(struct arena *arena, struct str name);

#endif
