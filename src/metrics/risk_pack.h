/* SPDX-License-Identifier: MIT */
/*
 * risk_pack.h - a measured file as bytes, and back
 *
 * Private to metrics/. Numbers that are small integers take one or two bytes,
 * other doubles are kept bit by bit; a name stands once.
 */
#ifndef METRICS_RISK_PACK_H
#define METRICS_RISK_PACK_H

#include "metrics/risk_part.h"

struct risk_bytes {
	VEC(uint8_t) bytes;
};

/* Appends to @ret. */
void risk_pack(const struct risk_part *part, struct risk_bytes *ret);
/*
 * Any bytes are accepted: false where they are not what risk_pack() writes. @part
 * keeps file.path and file.bytes, and is to be freed in either case.
 */
bool risk_unpack(const uint8_t *bytes, size_t n, struct risk_part *part);

#endif
