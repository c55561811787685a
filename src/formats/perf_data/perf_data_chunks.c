/* SPDX-License-Identifier: MIT */
/*
 * Decompress records of type PERF_RECORD_COMPRESSED. A single zstd stream continues over all such
 * records of the file. The decompressed data of one such record form a chunk. A record inside these
 * data may begin in one chunk and end in the next.
 */
#include "formats/perf_data/perf_data_reader.h"

#include "base/alloc.h"
#include "base/vec.h"
#include "config.h"
#include "core/diag.h"
#include "formats/perf_data/perf_data_file.h"
#if HAVE_ZSTD
#include <zstd.h>
#endif

/* maximum size of the decompressed data of one record, which has at most 64 KiB itself */
#define PERF_DECOMPRESSED_MAX (64u << 20)

static const struct diag_kind perf_data_compressed = {
	"perf-data-compressed", DIAG_DATALOSS, "compressed records that could not be undone"
};

bool perf_chunk_add(struct perf_reader *r, struct perf_bytes body)
{
#if HAVE_ZSTD
	ZSTD_inBuffer in = { body.p + body.at, body.len - body.at, 0 };
	size_t cap = r->carry.len + 65536;
	uint8_t *data = xmalloc(cap);
	size_t len = r->carry.len;

	if (!r->zstd) {
		alloc_watch();
		r->zstd = ZSTD_createDStream();
		alloc_watched();
		(void)ZSTD_initDStream(r->zstd);
	}
	if (len)
		memcpy(data, r->carry.data, len);
	/* when the output buffer is full, call the decoder again, because it may hold more data */
	for (bool is_full = true; in.pos < in.size || is_full;) {
		ZSTD_outBuffer out;
		size_t status;

		if (cap - len < 65536) {
			cap *= 2;
			data = xrealloc(data, cap);
		}
		out = (ZSTD_outBuffer){ data + len, cap - len, 0 };
		alloc_watch();
		status = ZSTD_decompressStream(r->zstd, &out, &in);
		alloc_watched();
		len += out.pos;
		is_full = out.pos == out.size;
		if (ZSTD_isError(status) || (out.pos == 0 && in.pos < in.size) ||
		    len > PERF_DECOMPRESSED_MAX) {
			diag_count(&r->file.diag, &perf_data_compressed, 0);
			break;
		}
	}
	r->carry.len = 0;
	*VEC_PUSH(&r->chunks) = (struct perf_chunk){ data, len };
	return true;
#else
	(void)body;
	diag_count(&r->file.diag, &perf_data_compressed, 0);
	return false;
#endif
}

void perf_chunks_drop(struct perf_reader *r, size_t keep)
{
	for (; r->chunks_freed + 1 < keep; r->chunks_freed++) {
		free(r->chunks.data[r->chunks_freed].data);
		r->chunks.data[r->chunks_freed].data = NULL;
	}
}

void perf_chunks_restart(struct perf_reader *r)
{
	r->carry.len = 0;
#if HAVE_ZSTD
	if (r->zstd)
		(void)ZSTD_initDStream(r->zstd);
#endif
}

void perf_chunks_fini(struct perf_reader *r)
{
	VEC_FOREACH (c, &r->chunks)
		free(c->data);
	VEC_FREE(&r->chunks);
	VEC_FREE(&r->carry);
#if HAVE_ZSTD
	(void)ZSTD_freeDStream(r->zstd);
#endif
}
