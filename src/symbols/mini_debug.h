/* SPDX-License-Identifier: MIT */
/*
 * mini_debug.h - the small symbol table inside a stripped program
 *
 * Distributions leave the names of functions, and nothing else, in a section
 * .gnu_debugdata: an ELF file of its own, compressed by xz. Names that stand in
 * .dynsym are not in it. Source: "MiniDebugInfo" of the GDB manual.
 */
#ifndef SYMBOLS_MINI_DEBUG_H
#define SYMBOLS_MINI_DEBUG_H

#include "base/str.h"

#include <stdint.h>

/*
 * The file inside @section; owner: caller, free(). NULL: it is damaged, larger than
 * LIMIT_MINI_DEBUG_BYTES or needs more memory than that to unpack, or this build has
 * no lzma.
 */
uint8_t *mini_debug_unpack(struct str section, size_t *ret_len);

#endif
