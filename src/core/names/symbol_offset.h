/* SPDX-License-Identifier: MIT */
/* symbol_offset.h - offset and size after the name of a function, as kernels print them */
#ifndef CORE_SYMBOL_OFFSET_H
#define CORE_SYMBOL_OFFSET_H

#include "base/str.h"

#include <stdbool.h>

/*
 * Is @s, the text after the name of a function, an offset that is not inside of this function:
 * "+0x20/0x20"? Such an address is one past its end: mostly the start of another function whose
 * symbol is missing. The function that is named is not the caller.
 */
bool symbol_offset_is_past_end(struct str s);

#endif
