/* SPDX-License-Identifier: MIT */
#include "core/capture_clock.h"

#include "base/str.h"
#include "core/capture.h"

#include <string.h>

/* Parse the note "reference time": "1700000000.123456789 (UTC) = 5000000 ns of that clock". */
static bool clock_reference(struct str text, uint64_t *ret_wall_ns, uint64_t *ret_clock_ns)
{
	uint64_t seconds, ns;

	if (!str_u64(&text, &seconds) || seconds > UINT64_MAX / 1000000000 - 1 ||
	    !str_take(&text, STR(".")) || !str_u64(&text, &ns) || ns >= 1000000000 ||
	    !str_take(&text, STR(" (UTC) = ")) || !str_u64(&text, ret_clock_ns))
		return false;
	*ret_wall_ns = seconds * 1000000000 + ns;
	return true;
}

bool capture_clock_is_kernels(const struct capture *c)
{
	return strcmp(c->format, "perf-data") == 0 || strcmp(c->format, "perf-script") == 0 ||
	       strcmp(c->format, "function-graph") == 0 || strcmp(c->format, "trace-dat") == 0;
}

bool capture_clock_day(const struct capture *c, uint64_t at_ns, uint64_t *ret_ns)
{
	uint64_t wall, reference;

	if (clock_reference(capture_note_of(c, STR("reference time")), &wall, &reference)) {
		*ret_ns = wall + at_ns - reference;
		return at_ns >= reference || reference - at_ns <= wall;
	}
	*ret_ns = at_ns;
	return capture_clock_is_kernels(c) && at_ns >= CAPTURE_CLOCK_DAY_NS;
}
