/* SPDX-License-Identifier: MIT */
/*
 * risk_pack.h - convert the metrics of one file to bytes, and back; only metrics/ includes it
 *
 * Small integers take one to four bytes; other numbers keep all bits of the double. Each name is
 * stored once.
 */
#ifndef METRICS_RISK_PACK_H
#define METRICS_RISK_PACK_H

#include "base/vec.h"

struct risk_part;

struct risk_bytes {
	VEC(uint8_t) bytes;
};

/* Append the bytes of @part to @ret. */
void risk_pack(const struct risk_part *part, struct risk_bytes *ret);
/*
 * Set @part from @bytes, which may be damaged or hostile. False: they are no output of
 * risk_pack(). @part keeps file.path and file.bytes. The caller frees @part in either case.
 */
bool risk_unpack(const uint8_t *bytes, size_t n, struct risk_part *part);

#endif
