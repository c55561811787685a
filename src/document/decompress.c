/* SPDX-License-Identifier: MIT */
#include "document/decompress.h"

#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"
#include "config.h"
#include "core/diag.h"
#include "document/spool.h"

#include <limits.h>
#include <zlib.h>
#if HAVE_ZSTD
#include <zstd.h>
#include <zstd_errors.h>
#endif
#if HAVE_LZMA
#include <lzma.h>
#endif

static const struct diag_kind decompress_truncated = {
	"document-compressed-truncated", DIAG_DATALOSS,
	"compressed streams that end too early; what came before is there", true
};
static const struct diag_kind decompress_damaged = {
	"document-compressed-damaged", DIAG_DATALOSS,
	"compressed streams that are damaged; what came before is there"
};
static const struct diag_kind decompress_cut = {
	"document-compressed-cut", DIAG_DATALOSS,
	"compressed streams that were cut at a limit: --limit expansion, or half of the memory",
	true
};
static const struct diag_kind decompress_trailing = {
	"document-compressed-trailing", DIAG_INFO, "inputs with other bytes behind compressed data"
};

static const struct {
	enum compression how;
	const char *name;
	const char magic[7];
	size_t len;
} decompress_kinds[] = {
	{ COMPRESSION_GZIP, "gzip", "\x1f\x8b\x08", 3 },
	{ COMPRESSION_ZSTD, "zstd", "\x28\xb5\x2f\xfd", 4 },
	{ COMPRESSION_XZ, "xz", "\xfd\x37\x7a\x58\x5a\x00", 6 },
	{ COMPRESSION_BZIP2, "bzip2", "BZh", 3 },
	{ COMPRESSION_LZ4, "lz4", "\x04\x22\x4d\x18", 4 },
	{ COMPRESSION_ZIP, "zip", "PK\x03\x04", 4 },
	{ COMPRESSION_7Z, "7z", "7z\xbc\xaf\x27\x1c", 6 },
};

enum compression decompress_detect(struct str head)
{
	for (size_t i = 0; i < ARRAY_LEN(decompress_kinds); i++) {
		struct str magic = { decompress_kinds[i].magic, decompress_kinds[i].len };

		if (!str_starts(head, magic))
			continue;
		/* "BZh" may also begin a text: check that the mark of a bzip2 block follows */
		if (decompress_kinds[i].how == COMPRESSION_BZIP2 &&
		    !str_starts(str_skip(head, 4), STR("1AY&SY")))
			continue;
		return decompress_kinds[i].how;
	}
	return COMPRESSION_NONE;
}

uint64_t decompress_limit(uint64_t n)
{
	uint64_t most = n > UINT64_MAX / LIMIT_EXPANSION ? UINT64_MAX : n * LIMIT_EXPANSION;

	return most > DECOMPRESS_LEAST_BYTES ? most : DECOMPRESS_LEAST_BYTES;
}

const char *decompress_name(enum compression how)
{
	for (size_t i = 0; i < ARRAY_LEN(decompress_kinds); i++) {
		if (decompress_kinds[i].how == how)
			return decompress_kinds[i].name;
	}
	return "";
}

/* Result of a decoder. */
enum decompress_end {
	DECOMPRESS_DONE,
	DECOMPRESS_TRUNCATED,
	DECOMPRESS_DAMAGED,
	DECOMPRESS_CUT,
	DECOMPRESS_TRAILING,
};

static unsigned int decompress_uint(size_t n)
{
	return n > UINT_MAX / 2 ? UINT_MAX / 2 : (unsigned int)n;
}

static enum decompress_end decompress_gzip(struct str in, struct spool *out)
{
	enum decompress_end end = DECOMPRESS_TRUNCATED;
	z_stream z = { 0 };
	size_t room;
	char *p;
	int r = inflateInit2(&z, 15 + 16);

	if (r != Z_OK)
		return DECOMPRESS_CUT;
	for (;;) {
		unsigned int in_len = decompress_uint(in.len);
		unsigned int out_len;

		p = spool_room(out, &room);
		if (!p) {
			end = DECOMPRESS_CUT;
			break;
		}
		out_len = decompress_uint(room);
		/* zlib does not modify its input, but next_in is not a pointer to const */
		z.next_in = (Bytef *)(uintptr_t)in.p;
		z.avail_in = in_len;
		z.next_out = (Bytef *)p;
		z.avail_out = out_len;
		r = inflate(&z, Z_NO_FLUSH);
		in = str_skip(in, in_len - z.avail_in);
		out->len += out_len - z.avail_out;
		if (r == Z_STREAM_END) {
			end = DECOMPRESS_DONE;
			if (in.len == 0)
				break;
			if (decompress_detect(in) != COMPRESSION_GZIP) {
				end = DECOMPRESS_TRAILING;
				break;
			}
			end = DECOMPRESS_TRUNCATED;
			(void)inflateReset(&z);
		} else if (r != Z_OK && r != Z_BUF_ERROR) {
			end = r == Z_MEM_ERROR ? DECOMPRESS_CUT : DECOMPRESS_DAMAGED;
			break;
		} else if (in.len == 0 && z.avail_out) {
			break;
		}
	}
	(void)inflateEnd(&z);
	return end;
}

#if HAVE_ZSTD
static enum decompress_end decompress_zstd(struct str in, struct spool *out)
{
	enum decompress_end end = DECOMPRESS_TRUNCATED;
	ZSTD_DStream *z = ZSTD_createDStream();
	ZSTD_inBuffer ib = { in.p, in.len, 0 };
	size_t left = 1;

	if (!z)
		return DECOMPRESS_CUT;
	(void)ZSTD_DCtx_setParameter(z, ZSTD_d_windowLogMax, 28);
	for (;;) {
		ZSTD_outBuffer ob = { NULL, 0, 0 };

		/* a frame is complete: the input ends here, or another frame follows */
		if (left == 0) {
			struct str rest = str_skip(in, ib.pos);

			if (rest.len == 0) {
				end = DECOMPRESS_DONE;
				break;
			}
			if (decompress_detect(rest) != COMPRESSION_ZSTD) {
				end = DECOMPRESS_TRAILING;
				break;
			}
		}
		ob.dst = spool_room(out, &ob.size);
		if (!ob.dst) {
			end = DECOMPRESS_CUT;
			break;
		}
		left = ZSTD_decompressStream(z, &ob, &ib);
		if (ZSTD_isError(left)) {
			end = ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation
				      ? DECOMPRESS_CUT
				      : DECOMPRESS_DAMAGED;
			break;
		}
		out->len += ob.pos;
		if (left && ib.pos == ib.size && ob.pos < ob.size)
			break;
	}
	(void)ZSTD_freeDStream(z);
	return end;
}
#endif

#if HAVE_LZMA
static enum decompress_end decompress_xz(struct str in, struct spool *out)
{
	enum decompress_end end;
	lzma_stream z = LZMA_STREAM_INIT;
	lzma_ret r = lzma_stream_decoder(&z, DECOMPRESS_MEMORY_BYTES, LZMA_CONCATENATED);
	size_t room;

	if (r != LZMA_OK)
		return DECOMPRESS_CUT;
	z.next_in = (const uint8_t *)in.p;
	z.avail_in = in.len;
	for (;;) {
		z.next_out = (uint8_t *)spool_room(out, &room);
		if (!z.next_out) {
			end = DECOMPRESS_CUT;
			break;
		}
		z.avail_out = room;
		r = lzma_code(&z, LZMA_FINISH);
		out->len += room - z.avail_out;
		if (r == LZMA_OK)
			continue;
		end = r == LZMA_STREAM_END                 ? DECOMPRESS_DONE
		      : r == LZMA_BUF_ERROR                ? DECOMPRESS_TRUNCATED
		      : r == LZMA_MEMLIMIT_ERROR           ? DECOMPRESS_CUT
		      : r == LZMA_MEM_ERROR                ? DECOMPRESS_CUT
		      : r == LZMA_FORMAT_ERROR && out->len ? DECOMPRESS_TRAILING
							   : DECOMPRESS_DAMAGED;
		break;
	}
	lzma_end(&z);
	return end;
}
#endif

static int decompress_run(struct str in, enum compression how, struct spool *out,
			  enum decompress_end *ret_end, struct error *err)
{
	switch (how) {
	case COMPRESSION_GZIP:
		*ret_end = decompress_gzip(in, out);
		return OK;
	case COMPRESSION_ZSTD:
#if HAVE_ZSTD
		*ret_end = decompress_zstd(in, out);
		return OK;
#else
		return fail(err, ERR_UNSUPPORTED,
			    "zstd-compressed, and this build has no zstd; pipe it through 'zstd "
			    "-dc', or build with -Dzstd=enabled");
#endif
	case COMPRESSION_XZ:
#if HAVE_LZMA
		*ret_end = decompress_xz(in, out);
		return OK;
#else
		return fail(err, ERR_UNSUPPORTED,
			    "xz-compressed, and this build has no lzma; pipe it through 'xz -dc', "
			    "or build with -Dlzma=enabled");
#endif
	default:
		return fail(err, ERR_UNSUPPORTED,
			    "%s data is not read; unpack it and name the files",
			    decompress_name(how));
	}
}

int decompress(struct str in, enum compression how, struct spool *out, struct diag *diag,
	       struct error *err)
{
	enum decompress_end end = DECOMPRESS_DONE;
	size_t before = out->len;
	int r = decompress_run(in, how, out, &end, err);

	if (r < 0)
		return r;
	if (out->len == before)
		return fail(err, ERR_FORMAT,
			    end == DECOMPRESS_DONE ? "the %s data is empty"
			    : end == DECOMPRESS_CUT
				    ? "the %s data needs more memory than is allowed"
				    : "the %s data is damaged; nothing could be had",
			    decompress_name(how));
	if (end == DECOMPRESS_TRUNCATED)
		diag_count(diag, &decompress_truncated, 0);
	else if (end == DECOMPRESS_DAMAGED)
		diag_count(diag, &decompress_damaged, 0);
	else if (end == DECOMPRESS_CUT)
		diag_count(diag, &decompress_cut, 0);
	else if (end == DECOMPRESS_TRAILING)
		diag_count(diag, &decompress_trailing, 0);
	return OK;
}
