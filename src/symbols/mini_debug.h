/* SPDX-License-Identifier: MIT */
/*
 * mini_debug.h - the symbol table in .gnu_debugdata of stripped programs
 *
 * Some distributions store function names in this section, as an ELF file compressed by xz. Names
 * that are in .dynsym are omitted. Source: "MiniDebugInfo" in the GDB manual.
 */
#ifndef SYMBOLS_MINI_DEBUG_H
#define SYMBOLS_MINI_DEBUG_H

#include "base/str.h"

#include <stdint.h>

/*
 * Decompress the ELF file in @section. NULL: the section is damaged, more than
 * LIMIT_MINI_DEBUG_BYTES would be needed for the file or the decoder, or this build has no lzma.
 * Owner: caller, free().
 */
uint8_t *mini_debug_unpack(struct str section, size_t *ret_len);

#endif
