/* SPDX-License-Identifier: MIT */
/*
 * capture_clock.h - convert times of a recording to times of day, which logs have
 *
 * By default, perf and ftrace use the clock of the kernel's log (sched_clock), which counts from
 * boot. `assay record` and `perf record -k` use another clock. The header of the recording then has
 * a reference: the time of one moment by the other clock and by the time of day.
 */
#ifndef CORE_CAPTURE_CLOCK_H
#define CORE_CAPTURE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct capture;

/* Limit between times of day and times since boot: 1e18 ns after 1970 is in the year 2001. */
#define CAPTURE_CLOCK_DAY_NS UINT64_C(1000000000000000000)

/* Whether the sample times of @c are from the kernel's clock or a clock that the user chose. */
bool capture_clock_is_kernels(const struct capture *c);
/*
 * Convert @at_ns, a sample time of @c, to ns since 1970-01-01T00:00:00Z. False: the recording has
 * no reference, and its times are no times of day.
 */
bool capture_clock_day(const struct capture *c, uint64_t at_ns, uint64_t *ret_ns);

#endif
