/* SPDX-License-Identifier: MIT */
/*
 * service_line.h - one line of a service's log: time, host, program, level, message
 */
#ifndef FORMATS_SERVICE_LINE_H
#define FORMATS_SERVICE_LINE_H

#include "base/str.h"
#include "formats/logs/log_stamp.h"

struct service_line {
	struct log_stamp stamp;
	struct str process; /* of syslog, or the container; empty: not printed */
	struct str node;
	struct str level_text;
	struct str text; /* the message; a level at its start is not part of it */
	struct str more; /* JSON: members after the message */
	uint32_t thread; /* the pid of syslog, the thread of klog; 0: not printed */
	uint8_t level;   /* enum log_level */
};

/* Views of @line. False: it does not start with a time. */
bool service_line_read(struct str line, struct service_line *ret);
/* Has the message words? Rows of tables with a time have none. */
bool service_line_has_words(const struct service_line *l);
/* Does an untimed line look like a continuation: indented, or a part of a stack trace? */
bool service_line_is_tail(struct str line);

#endif
