/* SPDX-License-Identifier: MIT */
/*
 * risk_pack.h - serialise a measured file, and read it back
 *
 * Private to metrics/. Small integers take one or two bytes, other doubles keep all bits; each
 * name is stored once.
 */
#ifndef METRICS_RISK_PACK_H
#define METRICS_RISK_PACK_H

#include "base/vec.h"

struct risk_part;

struct risk_bytes {
	VEC(uint8_t) bytes;
};

/* Appends to @ret. */
void risk_pack(const struct risk_part *part, struct risk_bytes *ret);
/*
 * Accepts any bytes. False: they do not have the form that risk_pack() writes. @part keeps
 * file.path and file.bytes; free it in either case.
 */
bool risk_unpack(const uint8_t *bytes, size_t n, struct risk_part *part);

#endif
