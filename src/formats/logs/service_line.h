/* SPDX-License-Identifier: MIT */
/*
 * service_line.h - one line of a service's log: time, host, program, level, message
 */
#ifndef FORMATS_SERVICE_LINE_H
#define FORMATS_SERVICE_LINE_H

#include "base/str.h"
#include "core/kinds/records.h"
#include "formats/logs/log_stamp.h"

struct out;

struct service_line {
	struct log_stamp stamp;
	struct str process; /* program in syslog, or name of the container; empty: not printed */
	struct str node;    /* host in syslog; empty: not printed */
	struct str level_text;
	struct str text; /* message, without a level at its start */
	struct str more; /* text of the JSON members after the message; empty: none */
	/* the JSON object on the line, if `text` is its message; empty: not JSON, or no message */
	struct str object;
	uint32_t thread; /* pid in syslog, thread id in klog; 0: not printed */
	uint8_t level;   /* enum log_level */
};

/*
 * The level that @word names: "[warn]", "WARN", "WARNING:" or "level=warn"; LEVEL_NONE: no level. A
 * bare lower-case word, such as "error", is not a level, because it may be prose. @ret_bare: the
 * word without bracket, colon and "level=".
 */
enum log_level service_line_level(struct str word, struct str *ret_bare);
/* Parse @line. The texts of @ret are views of @line. False: the line does not start with a time. */
bool service_line_read(struct str line, struct service_line *ret);
/*
 * Write the message of @l to @ret. For a JSON object, append its other members: "render invoice
 * step=read took_ms=831 req=8f1c". Texts with digits come last, because they may be ids. If a value
 * is nested, the members after the message are copied unchanged.
 */
void service_line_text(const struct service_line *l, struct out *ret);
/* Whether the message has two words of three letters or more. Rows of tables rarely have two. */
bool service_line_has_words(const struct service_line *l);
/*
 * Whether @line, which has no time, continues the previous record. True if it is indented or begins
 * a stack trace.
 */
bool service_line_is_tail(struct str line);

#endif
