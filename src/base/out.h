/* SPDX-License-Identifier: MIT */
/*
 * out.h - buffered output to memory or a file descriptor
 *
 * Appending never fails: the first write error is stored, and out_finish() returns it. Output to a
 * descriptor is written when 64 KiB are in the buffer, so memory is bounded.
 */
#ifndef BASE_OUT_H
#define BASE_OUT_H

#include "base/status.h"
#include "base/str.h"

struct out {
	char *data;
	size_t len;
	size_t cap;
	int fd;    /* descriptor to write to; -1: keep all output in memory */
	int error; /* errno of the first failed write; 0: none failed */
};

/* Write to memory. Release with out_fini(). */
void out_init(struct out *o);
/* Write to @fd, which out_fini() does not close. */
void out_init_fd(struct out *o, int fd);
void out_fini(struct out *o);
/*
 * Write the buffered output. Errors: ERR_IO: this or an earlier write failed; @err has the reason
 * of the first failure.
 */
MUST_CHECK int out_finish(struct out *o, struct error *err);

void out_bytes(struct out *o, const void *p, size_t len);
void out_str(struct out *o, struct str s);
void out_z(struct out *o, const char *z);
void out_char(struct out *o, char c);
void out_repeat(struct out *o, char c, size_t n);
void out_printf(struct out *o, const char *fmt, ...) PRINTF(2, 3);
void out_u64(struct out *o, uint64_t v);
void out_i64(struct out *o, int64_t v);
/* Append @v * 10^-@decimals with all its decimals: (2676, 2) gives "26.76". */
void out_fixed(struct out *o, int64_t v, unsigned int decimals);
/* Append the same text as printf("%.*f"), but faster. */
void out_real(struct out *o, double v, unsigned int decimals);
/*
 * Append the shortest text that gives exactly @v when it is read back; "null" if @v is infinite or
 * not a number.
 */
void out_double(struct out *o, double v);

static inline struct str out_view(const struct out *o)
{
	return (struct str){ o->data, o->len };
}

#endif
