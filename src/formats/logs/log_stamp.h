/* SPDX-License-Identifier: MIT */
/*
 * log_stamp.h - the time at the start of a log line, by a table of layouts
 *
 * A layout is a pattern of the text up to the message. Containers and their tools print leads
 * before it: "web_1  | ", "[pod/a/b] ", {"log":". Lines of JSON have the time in a member.
 */
#ifndef FORMATS_LOG_STAMP_H
#define FORMATS_LOG_STAMP_H

#include "base/str.h"

struct log_stamp {
	uint64_t time_ns; /* by clock */
	uint64_t tick_ns; /* one unit of the last printed digit */
	struct str lead;  /* name of the container; empty: not printed */
	uint8_t clock;    /* enum log_clock, except CLOCK_BOOT */
	uint8_t layout;   /* its number, to compare */
	bool has_zone;    /* with CLOCK_REALTIME: false means local time of an unknown zone */
	bool has_weekday; /* as kernels print it, too */
	bool is_json;     /* the rest of the line is the whole object */
	bool is_syslog;   /* host and program follow */
	char level;       /* klog: I, W, E, F; 0: not printed */
};

/*
 * Take the time, its lead and the blanks after it from @line; after JSON the whole object
 * stays. False: no layout fits. Cost: O(layouts); most fail at their first character.
 */
bool log_stamp_take(struct str *line, struct log_stamp *ret);
/* The value of @key in the JSON object @line: text without quotes, or a number. Empty: none. */
struct str log_stamp_json(struct str line, const char *key);

#endif
