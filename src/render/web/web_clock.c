/* SPDX-License-Identifier: MIT */
/*
 * web_clock.c - convert times of a recording to the times of logs, for the page
 *
 * By default, perf and ftrace use the clock of the kernel's log (sched_clock), which counts from
 * boot. With `perf record -k`, the recording uses another clock. The header of the recording then
 * has a reference: the time of one moment by the other clock and by the time of day. A timestamp of
 * at least WEB_CLOCK_DAY_NS is taken for a time of day.
 */
#include "render/web/web_page.h"

#include "base/str.h"
#include "base/text/json.h"
#include "core/capture.h"

/* limit between times of day and times since boot: 1e18 ns after 1970 is in the year 2001 */
#define WEB_CLOCK_DAY_NS UINT64_C(1000000000000000000)

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

void web_clock(struct web_block *b, const struct capture *c, uint64_t first_ns)
{
	bool is_kernels =
		strcmp(c->format, "perf-data") == 0 || strcmp(c->format, "perf-script") == 0 ||
		strcmp(c->format, "function-graph") == 0 || strcmp(c->format, "trace-dat") == 0;
	struct str clock = capture_note_of(c, STR("clockid"));
	uint64_t wall, reference;
	double ms = (double)first_ns / 1e6;

	if (clock_reference(capture_note_of(c, STR("reference time")), &wall, &reference)) {
		json_key(&b->json, "utc_ms");
		json_double(&b->json,
			    (double)wall / 1e6 + ((double)first_ns - (double)reference) / 1e6);
	} else if (is_kernels && first_ns >= WEB_CLOCK_DAY_NS) {
		json_key(&b->json, "utc_ms");
		json_double(&b->json, ms);
	}
	if (is_kernels && first_ns < WEB_CLOCK_DAY_NS &&
	    (clock.len == 0 || str_starts(clock, STR("mono")) || str_starts(clock, STR("boot")))) {
		json_key(&b->json, "boot_ms");
		json_double(&b->json, ms);
	}
}
