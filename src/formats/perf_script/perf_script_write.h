/* SPDX-License-Identifier: MIT */
/*
 * perf_script_write.h - samples as the text of perf script
 *
 * From captures, samples of several events go by time where all have times. A
 * capture knows functions, not addresses inside them: a frame is
 * `address symbol (dso)`, the address that of the function where it is known.
 */
#ifndef FORMATS_PERF_SCRIPT_WRITE_H
#define FORMATS_PERF_SCRIPT_WRITE_H

#include "formats/format.h"

MUST_CHECK int perf_script_check(const struct capture *c, struct error *err);
int perf_script_write(const struct capture *const *captures, size_t n, struct out *out,
		      struct error *err);

#endif
