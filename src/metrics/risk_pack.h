/* SPDX-License-Identifier: MIT */
/*
 * risk_pack.h - convert the metrics of one file to bytes, and back; only metrics/ includes it
 *
 * A small integer takes one to four bytes; any other number is stored as a full double. Each name
 * is stored once.
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
 * Fill @part from @bytes, which may be damaged or malicious. Returns false if they are not an
 * output of risk_pack(). part->file.path and part->file.bytes are not changed. The caller frees
 * @part in either case.
 */
bool risk_unpack(const uint8_t *bytes, size_t n, struct risk_part *part);

#endif
