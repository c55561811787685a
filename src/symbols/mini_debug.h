/* SPDX-License-Identifier: MIT */
/*
 * mini_debug.h - the symbol table in .gnu_debugdata of stripped programs
 *
 * Some distributions keep function names in this section: an inner ELF file, compressed by xz.
 * It omits names that are in .dynsym. Source: "MiniDebugInfo" in the GDB manual.
 */
#ifndef SYMBOLS_MINI_DEBUG_H
#define SYMBOLS_MINI_DEBUG_H

#include "base/str.h"

#include <stdint.h>

/*
 * Unpack the ELF file in @section; owner: caller, free(). NULL: the section is damaged, the file or
 * the decoder needs more than LIMIT_MINI_DEBUG_BYTES, or this is a build without lzma.
 */
uint8_t *mini_debug_unpack(struct str section, size_t *ret_len);

#endif
