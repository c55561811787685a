/* SPDX-License-Identifier: MIT */
/* symbol_offset.h - offset and size after the name of a function, as kernels print them */
#ifndef CORE_SYMBOL_OFFSET_H
#define CORE_SYMBOL_OFFSET_H

#include "base/str.h"

#include <stdbool.h>

/*
 * Whether @s, the text after the function's name in a stack frame, is an offset at or after the end
 * of the function: "+0x20/0x20". The name of the frame is then wrong: its address is mostly in the
 * next function, which has no symbol.
 */
bool symbol_offset_is_past_end(struct str s);

#endif
