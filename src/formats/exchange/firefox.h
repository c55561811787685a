/* SPDX-License-Identifier: MIT */
/*
 * firefox.h - the reader and the writer of processed Firefox profiles
 *
 * Definition: the Firefox Profiler's processed profile format, of which one
 * frozen version is written: 48. Private to firefox*.c.
 */
#ifndef FORMATS_FIREFOX_H
#define FORMATS_FIREFOX_H

#include "formats/exchange/export.h"

#define FIREFOX_VERSION       48u /* preprocessedProfileVersion that is written */
#define FIREFOX_GECKO_VERSION 29u /* version of the same time, which the format wants */

int firefox_write(const struct capture *const *captures, size_t n, struct out *out,
		  struct error *err);

#endif
