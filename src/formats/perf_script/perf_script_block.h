/* SPDX-License-Identifier: MIT */
/*
 * perf_script_block.h - the lines up to the next empty one, seen in one pass
 *
 * A stack is read once for its newlines; in the same pass each line is hashed,
 * and from the hashes of the lines those of all ends of the stack follow. Finding
 * the end, the lines and the hash of what is left in passes of their own took
 * 15 % of the time of a large text.
 */
#ifndef FORMATS_PERF_SCRIPT_BLOCK_H
#define FORMATS_PERF_SCRIPT_BLOCK_H

#include "base/str.h"

#define SCRIPT_BLOCK_LINES 2048u
#define SCRIPT_BLOCK_BYTES 131072u

struct script_block {
	size_t end;                              /* place of the newline of the last line */
	uint32_t n_lines;                        /* 0: no empty line within the limits */
	uint32_t starts[SCRIPT_BLOCK_LINES + 1]; /* of line i, from the start of the block */
	uint64_t hashes[SCRIPT_BLOCK_LINES];     /* of line i and all behind it */
};

/*
 * Read the block of @text at @at. @ret_seen is how far it was looked at.
 * Cost: O(bytes of the block), at most SCRIPT_BLOCK_BYTES.
 */
void script_block_read(struct script_block *b, struct str text, size_t at, size_t *ret_seen);

/* Line @i without its newline. */
static inline struct str script_block_line(const struct script_block *b, struct str text, size_t at,
					   uint32_t i)
{
	return (struct str){ text.p + at + b->starts[i], b->starts[i + 1] - b->starts[i] - 1 };
}

#endif
