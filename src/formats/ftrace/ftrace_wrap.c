/* SPDX-License-Identifier: MIT */
#include "formats/ftrace/ftrace_wrap.h"

#include "base/str.h"
#include "formats/ftrace/ftrace_line.h"

/*
 * a line with an event continues on the next line only if it has at least this length, which is the
 * space for task, CPU and time
 */
#define WRAP_LEAST 40u
#define WRAP_MOST  80u /* maximum length of a line that a mailer has broken */
/* a mailer breaks a line only if the next word would end after this column */
#define WRAP_FULL  64u
#define WRAP_LINES 5u
/* the CPU of a trace line, "[003]", begins within this number of bytes */
#define WRAP_FRONT 64u

static bool wrap_has_cpu(struct str line)
{
	size_t at = str_find_char(str_sub(line, 0, WRAP_FRONT), '[');

	return at + 4 < line.len && at < WRAP_FRONT && char_is_digit(line.p[at + 1]) &&
	       char_is_digit(line.p[at + 2]) && char_is_digit(line.p[at + 3]);
}

static bool wrap_is_event(struct ft_fronts *fronts, struct str line)
{
	struct ft_line l;

	ft_line_parse_next(fronts, line, true, &l);
	return l.kind == FT_EVENT || l.kind == FT_FUNCTION;
}

/*
 * Whether @line is a single word in brackets, such as the flag "[reinjected]" at the end of an
 * event.
 */
static bool wrap_is_flag(struct str line)
{
	line = str_rtrim(line);
	return str_starts(line, STR("[")) && str_ends(line, STR("]")) &&
	       str_find_char(line, ' ') == line.len;
}

/*
 * Whether @line may continue the previous line: it is not a trace line, and looks like event
 * fields.
 */
static bool wrap_is_fields(struct ft_fronts *fronts, struct str line)
{
	struct ft_line l;
	bool has_field =
		str_starts(line, STR("<-")) || str_contains(line, STR("=")) || wrap_is_flag(line);

	if (line.len == 0 || line.len > WRAP_MOST || char_is_blank(line.p[0]) ||
	    str_contains(line, STR(" | ")) || str_contains(line, STR("|  ")) ||
	    str_ends(str_rtrim(line), STR(":")))
		return false;
	for (size_t i = 0; i < line.len && !has_field; i++)
		has_field = char_is_digit(line.p[i]);
	ft_line_parse_next(fronts, line, true, &l);
	return has_field && l.kind == FT_NONE;
}

/*
 * Whether a mailer may have broken a line between @line and @next. Either the first word of @next
 * did not fit on @line, or @line ends in ':'.
 */
static bool wrap_is_full(struct str line, struct str next)
{
	return str_ends(str_rtrim(line), STR(":")) ||
	       line.len + 1 + str_find_char(next, ' ') > WRAP_FULL;
}

static bool wrap_append(struct ft_wrap *w, size_t *len, struct str s)
{
	s = str_trim(s);
	if (*len + 1 + s.len > sizeof(w->text))
		return false;
	if (*len)
		w->text[(*len)++] = ' ';
	memcpy(w->text + *len, s.p, s.len);
	*len += s.len;
	return true;
}

/*
 * Join @line, "comm-pid [cpu] flags", with @next, "time: event: ...", into w->text. False: both
 * together are not an event.
 */
static bool wrap_front(struct ft_wrap *w, struct ft_fronts *fronts, struct str line,
		       struct str next, size_t *ret_len)
{
	size_t len = 0;

	if (next.len == 0 || !char_is_digit(next.p[0]) || str_find_char(next, ':') >= 24 ||
	    !wrap_append(w, &len, line) || !wrap_append(w, &len, next) ||
	    !wrap_is_event(fronts, (struct str){ w->text, len }))
		return false;
	*ret_len = len;
	return true;
}

bool ft_wrap_line(struct ft_wrap *w, struct ft_fronts *fronts, struct str *rest, struct str *ret)
{
	struct str after, next, last;
	size_t len = 0;

	w->lines = 0;
	if (!str_line(rest, ret))
		return false;
	w->lines = 1;
	after = *rest;
	/* fast path: most lines are whole, and the next line has its own CPU column */
	if (ret->len > WRAP_MOST || !wrap_has_cpu(*ret) || !str_line(&after, &next) ||
	    next.len == 0 || next.len > WRAP_MOST || wrap_has_cpu(next))
		return true;
	last = *ret;
	if (!wrap_is_event(fronts, *ret)) {
		if (!wrap_front(w, fronts, *ret, next, &len))
			return true;
		w->lines++;
		*rest = after;
		last = next;
		*ret = (struct str){ w->text, len };
	} else if (ret->len < WRAP_LEAST) {
		return true;
	}
	while (w->lines < WRAP_LINES) {
		after = *rest;
		if (!str_line(&after, &next) || !wrap_is_full(last, next) ||
		    !wrap_is_fields(fronts, next) || (!len && !wrap_append(w, &len, *ret)) ||
		    !wrap_append(w, &len, next))
			break;
		w->lines++;
		*rest = after;
		last = next;
		*ret = (struct str){ w->text, len };
	}
	return true;
}
