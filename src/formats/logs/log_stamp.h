/* SPDX-License-Identifier: MIT */
/*
 * log_stamp.h - the time at the start of a log line, by a table of layouts
 *
 * A layout is a pattern of the text before the message. Containers and their tools print a prefix
 * before that text: "web_1  | ", "[pod/a/b] ", {"log":". Lines of JSON have the time in a member.
 */
#ifndef FORMATS_LOG_STAMP_H
#define FORMATS_LOG_STAMP_H

#include "base/str.h"

struct log_stamp {
	uint64_t time_ns; /* ns since the origin of clock */
	uint64_t tick_ns; /* resolution: one unit of the last printed digit */
	struct str lead;  /* name of the container, from its prefix; empty: not printed */
	uint8_t clock;    /* enum log_clock, except CLOCK_BOOT */
	uint8_t layout;   /* index of the layout in the table, to compare lines */
	bool has_zone;    /* false with CLOCK_REALTIME: local time of an unknown zone */
	bool has_weekday; /* the name of the day is printed, as in some kernel logs */
	bool is_json;     /* the rest of the line is the whole JSON object */
	bool is_syslog;   /* host and program may follow */
	char level;       /* level of klog: I, W, E, F; 0: not printed */
};

/*
 * Take the prefix of a container, if any, the time, and the blanks after it. A line of JSON is only
 * parsed: @line stays whole. False: no layout matches. Cost: O(layouts); most layouts fail at their
 * first character.
 */
bool log_stamp_take(struct str *line, struct log_stamp *ret);
/*
 * Find the value of the first @key in @line, a JSON object: a string without quotes and with its
 * escapes, or a number. Empty: none.
 */
struct str log_stamp_json(struct str line, const char *key);

#endif
