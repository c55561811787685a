/* SPDX-License-Identifier: MIT */
/*
 * decompress.h - gzip, zstd and xz, complete or damaged
 *
 * Concatenated streams (as from pigz, zstd and cat) form one text. A truncated or damaged
 * stream yields the data before the damage, and a diag counter. The spool bounds the output,
 * DECOMPRESS_MEMORY_BYTES the decoder's memory.
 */
#ifndef DOCUMENT_DECOMPRESS_H
#define DOCUMENT_DECOMPRESS_H

#include "base/status.h"
#include "base/str.h"

struct diag;
struct spool;

#define DECOMPRESS_MEMORY_BYTES (UINT64_C(1) << 28)
#define DECOMPRESS_LAYERS       3u /* a .gz inside a .xz occurs; deeper nesting is an attack */

enum compression {
	COMPRESSION_NONE,
	COMPRESSION_GZIP,
	COMPRESSION_ZSTD,
	COMPRESSION_XZ,
	COMPRESSION_BZIP2, /* recognised only, like the following */
	COMPRESSION_LZ4,
	COMPRESSION_ZIP,
	COMPRESSION_7Z,
};

/* Detect the compression from the first bytes. */
enum compression decompress_detect(struct str head);
/* "gzip" */
const char *decompress_name(enum compression how);

/*
 * Decompress @in and append it to @out. Errors: ERR_UNSUPPORTED (not supported, or not in this
 * build), ERR_FORMAT (no output).
 */
MUST_CHECK int decompress(struct str in, enum compression how, struct spool *out, struct diag *diag,
			  struct error *err);

#endif
