/* SPDX-License-Identifier: MIT */
#include "core/names/symbol_offset.h"

#include <stdint.h>

bool symbol_offset_is_past_end(struct str s)
{
	uint64_t offset, size;

	return str_take(&s, STR("+0x")) && str_hex64(&s, &offset) && str_take(&s, STR("/0x")) &&
	       str_hex64(&s, &size) && size && offset >= size;
}
