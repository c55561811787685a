/* SPDX-License-Identifier: MIT */
#include "symbols/mini_debug.h"

#include "base/alloc.h"
#include "base/limits.h"

#include "config.h"

#if HAVE_LZMA

#include <lzma.h>

uint8_t *mini_debug_unpack(struct str section, size_t *ret_len)
{
	lzma_stream z = LZMA_STREAM_INIT;
	uint8_t *bytes = NULL;
	size_t room = 0;
	lzma_ret r;

	alloc_watch();
	r = lzma_stream_decoder(&z, LIMIT_MINI_DEBUG_BYTES, 0);
	z.next_in = (const uint8_t *)section.p;
	z.avail_in = section.len;
	while (r == LZMA_OK) {
		if (z.avail_out == 0) {
			size_t more = room ? room : (size_t)1 << 16;

			if (room >= LIMIT_MINI_DEBUG_BYTES)
				break;
			bytes = xrealloc(bytes, room + more);
			z.next_out = bytes + room;
			z.avail_out = more;
			room += more;
		}
		r = lzma_code(&z, LZMA_FINISH);
	}
	*ret_len = room - z.avail_out;
	alloc_watched();
	lzma_end(&z);
	if (r == LZMA_STREAM_END && *ret_len)
		return bytes;
	free(bytes);
	return NULL;
}

#else

uint8_t *mini_debug_unpack(struct str section, size_t *ret_len)
{
	(void)section;
	*ret_len = 0;
	return NULL;
}

#endif
