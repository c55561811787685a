/* SPDX-License-Identifier: MIT */
/*
 * log_stamp.h - read the time at the start of a log line, by a table of layouts
 *
 * A layout is a pattern of the text before the message. Containers and their tools print a prefix
 * before that text: "web_1  | ", "[pod/a/b] ", {"log":". In a JSON object, one of the members is
 * the time.
 */
#ifndef FORMATS_LOG_STAMP_H
#define FORMATS_LOG_STAMP_H

#include "base/str.h"

struct log_stamp {
	uint64_t time_ns; /* time in ns by the clock in `clock` */
	uint64_t tick_ns; /* resolution of the time in ns: 1000000 if the time has three decimals */
	struct str lead;  /* name of the container before the time: "web_1"; empty: not printed */
	uint8_t clock;    /* enum log_clock; CLOCK_BOOT does not occur */
	/*
	 * number of the layout that matched the time; the lines of a log usually have the same
	 * layout
	 */
	uint8_t layout;
	/*
	 * a time zone is printed; if false, a time of CLOCK_REALTIME is local time of an unknown
	 * zone
	 */
	bool has_zone;
	bool has_weekday; /* the name of the weekday is printed, as in some kernel logs */
	bool is_json;     /* the line is a JSON object, which the caller still has to parse */
	/* the layout is one of syslog, so host and program may follow the time */
	bool is_syslog;
	char level; /* level of klog: I, W, E, F; 0: not printed */
};

/*
 * Remove the start of @line up to the message: the container's name if present, the time, and the
 * blanks after the time. If the line is a JSON object, only parse its time and leave @line
 * unchanged. False: no layout matches. Cost: O(layouts), but most layouts fail at their first
 * character.
 */
bool log_stamp_take(struct str *line, struct log_stamp *ret);
/*
 * The value of the first member named @key in @line, a JSON object. A string is returned without
 * its quotes but with its escapes. Empty: no such member.
 */
struct str log_stamp_json(struct str line, const char *key);
/* Whether JSON objects of logs store the time in a member named @name. */
bool log_stamp_is_json_key(struct str name);

#endif
