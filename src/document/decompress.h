/* SPDX-License-Identifier: MIT */
/*
 * decompress.h - gzip, zstd and xz, complete or damaged
 *
 * Consecutive streams, as pigz, zstd and cat write them, form one text. If a stream is truncated or
 * damaged, the data before the damage is kept, and diag counts the damage. The output spool limits
 * the size of the data. DECOMPRESS_MEMORY_BYTES limits the memory of the decoder.
 *
 * Four bytes of zstd can expand to 128 KiB, and the result can be compressed data again: 90 bytes
 * are enough for 6 GB in two layers. Therefore decompress_limit() limits the data of all layers of
 * an input by the size of the input. Logs and profiles expand 5 to 60 times.
 */
#ifndef DOCUMENT_DECOMPRESS_H
#define DOCUMENT_DECOMPRESS_H

#include "base/status.h"
#include "base/str.h"

struct diag;
struct spool;

#define DECOMPRESS_MEMORY_BYTES (UINT64_C(1) << 28)
/* a .gz inside a .xz occurs; deeper nesting is likely a decompression bomb */
#define DECOMPRESS_LAYERS 3u
/* decompressed data of this size is allowed for any input */
#define DECOMPRESS_LEAST_BYTES (UINT64_C(1) << 26)

enum compression {
	COMPRESSION_NONE,
	COMPRESSION_GZIP,
	COMPRESSION_ZSTD,
	COMPRESSION_XZ,
	COMPRESSION_BZIP2, /* this kind and the next ones are recognised, but not decompressed */
	COMPRESSION_LZ4,
	COMPRESSION_ZIP,
	COMPRESSION_7Z,
};

/* Detect the compression by the first bytes of a file. */
enum compression decompress_detect(struct str head);
/* Limit of the decompressed data of an input of @n bytes, in bytes, over all its layers. */
uint64_t decompress_limit(uint64_t n);
/* The name of a kind of compression: "gzip". */
const char *decompress_name(enum compression how);

/*
 * Decompress @in and append it to @out. Errors: ERR_UNSUPPORTED (this kind is not supported, or not
 * in this build), ERR_FORMAT (nothing could be decompressed).
 */
MUST_CHECK int decompress(struct str in, enum compression how, struct spool *out, struct diag *diag,
			  struct error *err);

#endif
