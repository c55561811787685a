/* SPDX-License-Identifier: MIT */
/*
 * perf_script_write.h - write samples as the text of perf script
 *
 * If all samples have times, the samples of several events are merged by time. For this, the
 * samples of each capture must be sorted by time. A capture stores functions, not addresses inside
 * them. So a frame is `address symbol (dso)`, where address is the start of the function if it is
 * known.
 */
#ifndef FORMATS_PERF_SCRIPT_WRITE_H
#define FORMATS_PERF_SCRIPT_WRITE_H

#include "base/status.h"
#include "formats/format.h"

struct capture;
struct out;

/* Check whether @c can be written. Errors: ERR_UNSUPPORTED, ERR_LIMIT. @err has the reason. */
MUST_CHECK int perf_script_check(const struct capture *c, struct error *err);
int perf_script_write(const struct capture *const *captures, size_t n, struct out *out,
		      struct error *err);

#endif
