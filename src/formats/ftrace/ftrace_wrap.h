/* SPDX-License-Identifier: MIT */
/*
 * ftrace_wrap.h - trace lines that a mailer broke at 72 columns
 *
 * "comm-pid [cpu] flags time: event:" and its fields on the next line or lines, or a break within
 * the fields or before the time. A line is a continuation only if it cannot be a line of its own:
 * it parses as none, it begins without a blank, its first word did not fit on the line above, and
 * it looks like fields.
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
	uint32_t lines;           /* lines of the input that the last call took; 0: the end */
};

/*
 * Take the next line from @rest, joined with its continuations. @ret is in @rest or in @w. False:
 * no line is left. Cost: O(length of the lines).
 */
bool ft_wrap_line(struct ft_wrap *w, struct ft_fronts *fronts, struct str *rest, struct str *ret);

#endif
