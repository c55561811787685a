/* SPDX-License-Identifier: MIT */
/*
 * risk_pack.h - serialise a measured file, and read it back
 *
 * Private to metrics/. Small integers take one or two bytes, other doubles keep all bits. Each name
 * is stored once.
 */
#ifndef METRICS_RISK_PACK_H
#define METRICS_RISK_PACK_H

#include "base/vec.h"

struct risk_part;

struct risk_bytes {
	VEC(uint8_t) bytes;
};

/* Append @part to @ret. */
void risk_pack(const struct risk_part *part, struct risk_bytes *ret);
/*
 * Read @part from any bytes. False: risk_pack() did not write them. @part keeps file.path and
 * file.bytes; free @part in either case.
 */
bool risk_unpack(const uint8_t *bytes, size_t n, struct risk_part *part);

#endif
