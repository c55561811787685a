/* SPDX-License-Identifier: MIT */
/* symbol_offset.h - offset and size after the name of a function, as kernels print them */
#ifndef CORE_SYMBOL_OFFSET_H
#define CORE_SYMBOL_OFFSET_H

#include "base/str.h"

#include <stdbool.h>

/*
 * Whether @s, the text after a function's name, is an offset at or after the end of the function:
 * "+0x20/0x20". The address then is mostly the start of the next function, whose symbol is missing.
 * The named function is not the caller.
 */
bool symbol_offset_is_past_end(struct str s);

#endif
