/* SPDX-License-Identifier: MIT */
/*
 * decompress.h - gzip, zstd and xz, as far as the data goes
 *
 * Streams behind each other (as pigz, zstd and cat make them) are one text. A
 * stream that ends too early or breaks gives what came before; a diag counter
 * says so. How much may come out is bounded by the spool, how much memory a
 * decoder takes by DECOMPRESS_MEMORY_BYTES.
 */
#ifndef DOCUMENT_DECOMPRESS_H
#define DOCUMENT_DECOMPRESS_H

#include "core/diag.h"
#include "document/spool.h"

#define DECOMPRESS_MEMORY_BYTES (UINT64_C(1) << 28)
#define DECOMPRESS_LAYERS       3u /* a .gz in a .xz is met, deeper is a trick */

enum compression {
	COMPRESSION_NONE,
	COMPRESSION_GZIP,
	COMPRESSION_ZSTD,
	COMPRESSION_XZ,
	COMPRESSION_BZIP2, /* known by name only, as are those below */
	COMPRESSION_LZ4,
	COMPRESSION_ZIP,
	COMPRESSION_7Z,
};

/* What @head starts as. */
enum compression decompress_detect(struct str head);
/* "gzip" */
const char *decompress_name(enum compression how);

/*
 * Decompress @in to the end of @out.
 * Errors: ERR_UNSUPPORTED (a kind that is not read, or not by this build),
 * ERR_FORMAT (nothing came out).
 */
MUST_CHECK int decompress(struct str in, enum compression how, struct spool *out, struct diag *diag,
			  struct error *err);

#endif
