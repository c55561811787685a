/* SPDX-License-Identifier: MIT */
/*
 * chrome_trace.h - reader and writer of Chrome's trace events
 *
 * Definition: the Trace Event Format as documented by Chrome and Perfetto.
 */
#ifndef FORMATS_CHROME_TRACE_H
#define FORMATS_CHROME_TRACE_H

#include "base/status.h"

struct capture;
struct out;

/*
 * Can @c be written as trace events? Error: ERR_UNSUPPORTED, with the reason in @err, if the
 * capture has no calls.
 */
MUST_CHECK int chrome_trace_check(const struct capture *c, struct error *err);
int chrome_trace_write(const struct capture *const *captures, size_t n, struct out *out,
		       struct error *err);

#endif
