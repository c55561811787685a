/* SPDX-License-Identifier: MIT */
/* web_clock.c - convert times of a recording to the times of logs, for the page */
#include "render/web/web_page.h"

#include "base/str.h"
#include "base/text/json.h"
#include "core/capture.h"
#include "core/capture_clock.h"

void web_clock(struct web_block *b, const struct capture *c, uint64_t first_ns)
{
	struct str clock = capture_note_of(c, STR("clockid"));
	double ms = (double)first_ns / 1e6;
	uint64_t day_ns;

	if (capture_clock_day(c, first_ns, &day_ns)) {
		json_key(&b->json, "utc_ms");
		json_double(&b->json, (double)day_ns / 1e6);
	}
	if (capture_clock_is_kernels(c) && first_ns < CAPTURE_CLOCK_DAY_NS &&
	    (clock.len == 0 || str_starts(clock, STR("mono")) || str_starts(clock, STR("boot")))) {
		json_key(&b->json, "boot_ms");
		json_double(&b->json, ms);
	}
}
