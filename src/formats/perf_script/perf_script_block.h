/* SPDX-License-Identifier: MIT */
/*
 * perf_script_block.h - scan the lines up to the next empty one in one pass
 *
 * One pass finds the newlines and hashes each line; the hashes of all suffixes of the stack
 * follow from these. Separate passes for the end, the lines and the hashes took 15 % of the
 * time of a large text.
 */
#ifndef FORMATS_PERF_SCRIPT_BLOCK_H
#define FORMATS_PERF_SCRIPT_BLOCK_H

#include "base/str.h"

#define SCRIPT_BLOCK_LINES 2048u
#define SCRIPT_BLOCK_BYTES 131072u

struct script_block {
	size_t end;                              /* offset of the last line's newline */
	uint32_t n_lines;                        /* 0: no empty line within the limits */
	uint32_t starts[SCRIPT_BLOCK_LINES + 1]; /* start of line i in the block */
	uint64_t hashes[SCRIPT_BLOCK_LINES];     /* hash of line i and all following lines */
};

/*
 * Scan the block at @at of @text. @ret_seen is the end of the scanned part. Cost: O(bytes of
 * the block), at most SCRIPT_BLOCK_BYTES.
 */
void script_block_read(struct script_block *b, struct str text, size_t at, size_t *ret_seen);

/* Line @i without its newline. */
static inline struct str script_block_line(const struct script_block *b, struct str text, size_t at,
					   uint32_t i)
{
	return (struct str){ text.p + at + b->starts[i], b->starts[i + 1] - b->starts[i] - 1 };
}

#endif
