/* SPDX-License-Identifier: MIT */
/*
 * ftrace_wrap.h - trace lines that a mailer broke at 72 columns
 *
 * A mailer breaks "comm-pid [cpu] flags time: event: fields" before the time, before the fields, or
 * within them. After a break before the time, both lines together must parse as an event. Otherwise
 * a line continues the previous line only if all of this is true:
 * - It is not a trace line, starts without a blank, and looks like fields.
 * - Its first word did not fit on the previous line, or the previous line ends in ':'.
 */
#ifndef FORMATS_FTRACE_WRAP_H
#define FORMATS_FTRACE_WRAP_H

#include <stdbool.h>
#include <stdint.h>

struct str;
struct ft_fronts;

#define FT_WRAP_BYTES 1024u

struct ft_wrap {
	char text[FT_WRAP_BYTES]; /* the line, after its parts are joined */
	/* number of input lines that the last call took; 0: end of the text */
	uint32_t lines;
};

/*
 * Take the next line from @rest, together with the lines that continue it. @ret points into the
 * text of @rest or, if lines were joined, into @w. False: end of the text. Cost: O(length of the
 * lines).
 */
bool ft_wrap_line(struct ft_wrap *w, struct ft_fronts *fronts, struct str *rest, struct str *ret);

#endif
