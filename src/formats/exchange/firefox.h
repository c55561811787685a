/* SPDX-License-Identifier: MIT */
/*
 * firefox.h - reader and writer of processed Firefox profiles
 *
 * Definition: the Firefox Profiler's processed profile format; the writer uses the fixed
 * version 48.
 */
#ifndef FORMATS_FIREFOX_H
#define FORMATS_FIREFOX_H

#include <stddef.h>

struct capture;
struct error;
struct out;

#define FIREFOX_VERSION       48u /* preprocessedProfileVersion of written files */
#define FIREFOX_GECKO_VERSION 29u /* the matching Gecko version, which the format requires */

int firefox_write(const struct capture *const *captures, size_t n, struct out *out,
		  struct error *err);

#endif
