/* SPDX-License-Identifier: MIT */
/*
 * speedscope.h - reader and writer of speedscope files
 *
 * Definition: speedscope's published file format and its JSON schema
 * (https://www.speedscope.app/file-format-schema.json).
 */
#ifndef FORMATS_SPEEDSCOPE_H
#define FORMATS_SPEEDSCOPE_H

#include "formats/format.h"

struct capture;
struct error;
struct out;

int speedscope_write(const struct capture *const *captures, size_t n, struct out *out,
		     struct error *err);

#endif
