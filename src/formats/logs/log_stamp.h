/* SPDX-License-Identifier: MIT */
/*
 * log_stamp.h - read the time at the start of a log line, by a table of layouts
 *
 * A layout is a pattern of the text before the message. Containers and their tools print a prefix
 * before that text: "web_1  | ", "[pod/a/b] ", {"log":". A JSON object has the time in a member.
 */
#ifndef FORMATS_LOG_STAMP_H
#define FORMATS_LOG_STAMP_H

#include "base/str.h"

struct log_stamp {
	uint64_t time_ns; /* time in ns by the clock `clock` */
	uint64_t tick_ns; /* resolution of the time in ns: 1000000 if the time has three decimals */
	struct str lead;  /* name of the container before the time: "web_1"; empty: not printed */
	uint8_t clock;    /* enum log_clock; CLOCK_BOOT does not occur */
	/* number of the layout of the time; all lines of a log usually have the same layout */
	uint8_t layout;
	/*
	 * the time zone is printed; false: a time of CLOCK_REALTIME is local time of an unknown
	 * zone
	 */
	bool has_zone;
	bool has_weekday; /* the name of the weekday is printed, as in some kernel logs */
	bool is_json;     /* the line is a JSON object, which the caller still has to parse */
	bool is_syslog;   /* a layout of syslog: host and program may follow the time */
	char level;       /* level of klog: I, W, E, F; 0: not printed */
};

/*
 * Remove from the start of @line: the name of a container if it has one, the time, and the blanks
 * after the time. A JSON object stays whole; only its time is parsed. False: no layout matches.
 * Cost: O(layouts), but most layouts fail at their first character.
 */
bool log_stamp_take(struct str *line, struct log_stamp *ret);
/*
 * Find the first member @key in @line, a JSON object. Returns its value: a string without its
 * quotes but with its escapes, or a number. Empty: not found.
 */
struct str log_stamp_json(struct str line, const char *key);
/* Whether @name is a member of JSON objects that holds the time. */
bool log_stamp_is_json_key(struct str name);

#endif
