/* SPDX-License-Identifier: MIT */
/*
 * perf_script_write.h - write samples as the text of perf script
 *
 * Samples of several events are merged by time, if all samples have times. The samples of each
 * capture must be sorted by time. A capture stores functions, not addresses inside them. Therefore
 * a frame is `address symbol (dso)` with the start address of the function, if known.
 */
#ifndef FORMATS_PERF_SCRIPT_WRITE_H
#define FORMATS_PERF_SCRIPT_WRITE_H

#include "base/status.h"
#include "formats/format.h"

struct capture;
struct out;

/* Check that @c can be written. Errors, with the reason in @err: ERR_UNSUPPORTED, ERR_LIMIT. */
MUST_CHECK int perf_script_check(const struct capture *c, struct error *err);
int perf_script_write(const struct capture *const *captures, size_t n, struct out *out,
		      struct error *err);

#endif
