/* SPDX-License-Identifier: MIT */
/*
 * ftrace_wrap.h - trace lines that a mailer broke at 72 columns
 *
 * A mailer breaks "comm-pid [cpu] flags time: event: fields" before the time, before the fields, or
 * within them. A line continues the previous one only if all of this is true: it is no trace line,
 * it starts without a blank, it looks like fields, and its first word did not fit on the previous
 * line. After a break before the time, both lines together must parse as an event.
 */
#ifndef FORMATS_FTRACE_WRAP_H
#define FORMATS_FTRACE_WRAP_H

#include <stdbool.h>
#include <stdint.h>

struct str;
struct ft_fronts;

#define FT_WRAP_BYTES 1024u

struct ft_wrap {
	char text[FT_WRAP_BYTES]; /* the joined line */
	uint32_t lines;           /* number of input lines that the last call took; 0: at the end */
};

/*
 * Take the next line from @rest, joined with its continuations. @ret points into the text of @rest,
 * or into @w if lines were joined. False: no line is left. Cost: O(length of the lines).
 */
bool ft_wrap_line(struct ft_wrap *w, struct ft_fronts *fronts, struct str *rest, struct str *ret);

#endif
