/* SPDX-License-Identifier: MIT */
#include "formats/ftrace/function_graph_line.h"

#include "base/str.h"
#include "core/calls.h"

#define FG_MAX_COLUMNS     8
#define FG_MAX_FIELD_BYTES 80u

bool fg_task_split(struct str task, struct str *ret_comm, uint32_t *ret_pid)
{
	size_t dash = str_rfind_char(task, '-');
	struct str digits = str_skip(task, dash + 1);
	uint64_t pid;

	if (dash == task.len || dash == 0 || digits.len == 0 || !char_is_digit(digits.p[0]) ||
	    !str_u64(&digits, &pid) || digits.len || pid > UINT32_MAX)
		return false;
	*ret_comm = str_sub(task, 0, dash);
	*ret_pid = (uint32_t)pid;
	return true;
}

static bool fg_is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '.' || c == '$' || c == '@' || c == ':' || c == '+' || c == '-' ||
	       c == '/' || c == '<' || c == '>' || (unsigned char)c >= 0x80;
}

bool fg_name_ok(struct str name)
{
	size_t n = 0;

	while (n < name.len && fg_is_name_char(name.p[n]))
		n++;
	if (n == 0 || name.p[0] == '/' || name.p[0] == '-' || name.p[0] == '+')
		return false;
	name = str_skip(name, n);
	if (name.len == 0)
		return true;
	if (name.len < 4 || name.p[0] != ' ' || name.p[1] != '[' || name.p[name.len - 1] != ']')
		return false;
	name = str_sub(name, 2, name.len - 1);
	for (n = 0; n < name.len; n++) {
		if (!fg_is_name_char(name.p[n]) && name.p[n] != ' ')
			return false;
	}
	return true;
}

static uint64_t fg_scale_of_unit(struct str unit)
{
	if (str_eq(unit, STR("us")))
		return 1000;
	if (str_eq(unit, STR("ms")))
		return 1000000;
	if (str_eq(unit, STR("ns")))
		return 1;
	return str_eq(unit, STR("s")) || str_eq(unit, STR("sec")) ? 1000000000 : 0;
}

bool fg_number(struct str digits, uint64_t scale, uint64_t *ret, uint8_t *ret_decimals)
{
	uint64_t whole;
	uint64_t part = 0;

	*ret_decimals = 0;
	if (!str_u64(&digits, &whole) || __builtin_mul_overflow(whole, scale, &whole))
		return false;
	if (digits.len && digits.p[0] == '.') {
		digits = str_skip(digits, 1);
		while (digits.len && char_is_digit(digits.p[0])) {
			scale /= 10;
			part += scale * (uint64_t)(digits.p[0] - '0');
			*ret_decimals = (uint8_t)(*ret_decimals + (*ret_decimals < UINT8_MAX));
			digits = str_skip(digits, 1);
		}
	}
	return digits.len == 0 && !__builtin_add_overflow(whole, part, ret);
}

/* Take digits with at most one '.' between them. */
static struct str fg_take_digits(struct str *s)
{
	size_t n = 0;
	bool dot = false;

	while (n < s->len && (char_is_digit(s->p[n]) || (s->p[n] == '.' && !dot && n)))
		dot |= s->p[n++] == '.';
	*s = str_skip(*s, n);
	return (struct str){ s->p - n, n };
}

static bool fg_retval(struct str *text, struct fg_tail *ret)
{
	bool negative = str_take(text, STR("-"));
	uint64_t v;

	if (!negative && str_starts(*text, STR("0x"))) {
		if (!str_hex64(text, &v))
			return false;
		ret->retval_kind = RETVAL_HEX;
	} else {
		if (!str_u64(text, &v) || v > (uint64_t)INT64_MAX + negative)
			return false;
		ret->retval_kind = RETVAL_DECIMAL;
	}
	ret->retval = negative ? 0 - v : v;
	return true;
}

/*
 * Parse the words of a comment: "name <-retaddr = 0x2" or "name <-retaddr ret=2". Each part is
 * optional. False: the comment has other words.
 */
static bool fg_tail_words(struct str text, struct fg_tail *ret)
{
	text = str_trim(text);
	if (text.len && text.p[0] != '=' && !str_starts(text, STR("ret=")) &&
	    !str_starts(text, STR("<-"))) {
		size_t n = 0;

		while (n < text.len && text.p[n] != ' ')
			n++;
		if (str_starts(str_skip(text, n), STR(" [")))
			n += str_find_char(str_skip(text, n), ']') + 1;
		ret->name = str_sub(text, 0, n);
		if (str_ends(ret->name, STR("()")))
			ret->name.len -= 2;
		text = str_ltrim(str_skip(text, n));
		if (!fg_name_ok(ret->name)) {
			ret->name.len = 0;
			return false;
		}
	}
	if (str_take(&text, STR("<-"))) {
		size_t n = str_find_char(text, ' ');

		ret->retaddr = str_sub(text, 0, n);
		text = str_ltrim(str_skip(text, n));
	}
	if (str_take(&text, STR("ret=")) || str_take(&text, STR("= ")) ||
	    str_take(&text, STR("="))) {
		text = str_ltrim(text);
		if (!fg_retval(&text, ret))
			return false;
	}
	return str_trim(text).len == 0;
}

bool fg_tail_parse(struct str text, struct fg_tail *ret)
{
	memset(ret, 0, sizeof(*ret));
	text = str_trim(text);
	if (text.len == 0)
		return true;
	if (str_take(&text, STR("/*"))) {
		size_t n = str_find(text, STR("*/"));

		if (!fg_tail_words(str_sub(text, 0, n), ret))
			return false;
		text = str_ltrim(str_skip(text, n + 2));
		if (text.len == 0)
			return true;
	}
	if (text.len > 2 && text.p[0] == '(' && text.p[text.len - 1] == ')') {
		text = str_sub(text, 1, text.len - 1);
		return str_starts(text, STR("Overruns:")) || fg_tail_words(text, ret);
	}
	return false;
}

/*
 * Parse the comment that follows a call or brace into ret->tail. Set has_open_tail if its end is
 * missing.
 */
static void fg_after(struct str text, struct fg_line *ret)
{
	text = str_trim(text);
	ret->has_rest = !fg_tail_parse(text, &ret->tail);
	ret->has_open_tail = str_starts(text, STR("/*")) && !str_contains(text, STR("*/"));
}

/* Parse a call, `name(args);` or `name(args) {`, and the comment after it. */
static void fg_function(struct str s, struct fg_line *ret)
{
	size_t paren = str_find_char(s, '(');
	size_t close = paren + 1;

	ret->kind = FG_PARTIAL;
	ret->name = str_sub(s, 0, paren);
	if (!fg_name_ok(str_rtrim(ret->name))) {
		ret->kind = FG_NONE;
		return;
	}
	if (paren == s.len) /* a mailer broke the line before the module or the parentheses */
		return;
	ret->name = str_rtrim(ret->name);
	for (;; close++) {
		close += str_find_char(str_skip(s, close), ')');
		if (close >= s.len)
			return;
		if (str_starts(str_skip(s, close + 1), STR(";")))
			ret->kind = FG_LEAF;
		else if (str_starts(str_ltrim(str_skip(s, close + 1)), STR("{")))
			ret->kind = FG_OPEN;
		else
			continue;
		break;
	}
	ret->args = str_sub(s, paren + 1, close);
	s = str_ltrim(str_skip(s, close + 1));
	fg_after(str_skip(s, 1), ret);
}

/* Parse the text after the columns: a call, a brace or a comment. */
static void fg_right(struct str s, struct fg_line *ret)
{
	size_t base = ret->columns & FG_DURATION ? 2 : ret->columns != 0;
	size_t blanks = 0;

	while (blanks < s.len && s.p[blanks] == ' ')
		blanks++;
	s = str_rtrim(str_skip(s, blanks));
	ret->has_depth = blanks >= base;
	blanks -= ret->has_depth ? base : 0;
	ret->depth = (uint32_t)(blanks / 2);
	ret->has_odd_indent = ret->has_depth && blanks % 2;
	if (s.len == 0) {
		ret->kind = FG_PARTIAL;
	} else if (str_take(&s, STR("/*"))) {
		ret->kind = FG_EVENT;
		ret->text = str_trim(str_ends(s, STR("*/")) ? str_sub(s, 0, s.len - 2) : s);
	} else if (s.p[0] == '}') {
		ret->kind = FG_CLOSE;
		fg_after(str_skip(s, 1), ret);
	} else {
		fg_function(s, ret);
	}
	if (ret->kind == FG_NONE && ret->columns & FG_DURATION && ret->columns & FG_CPU)
		/*
		 * the call cannot be parsed, but columns for duration and CPU exist only in a
		 * function graph
		 */
		ret->kind = FG_PARTIAL;
	if (ret->has_rest && !(ret->columns & (FG_DURATION | FG_CPU)))
		ret->kind = FG_NONE;
}

bool fg_is_flags(struct str s)
{
	static const char set[] = ".dDbBnNpPlLhHsSzZaAxX#-0123456789";

	if (s.len < 3 || s.len > 9)
		return false;
	for (size_t i = 0; i < s.len; i++) {
		if (!memchr(set, s.p[i], sizeof(set) - 1))
			return false;
	}
	return true;
}

/*
 * Whether @s begins with a CPU, "0)". Then the number before @s is a time since the start, not a
 * duration.
 */
static bool fg_cpu_follows(struct str s)
{
	uint64_t v;

	s = str_ltrim(s);
	return str_u64(&s, &v) && str_starts(s, STR(")"));
}

/* Take a column with a number: the CPU, a time or the duration. False: the column has no number. */
static bool fg_number_column(struct str *s, struct fg_line *ret)
{
	struct str rest = *s;
	struct str digits = fg_take_digits(&rest);
	struct str word;
	uint64_t scale;

	if (rest.len && rest.p[0] == ')' && !(ret->columns & (FG_CPU | FG_TASK)) &&
	    str_find_char(digits, '.') == digits.len && digits.len < 6) {
		uint64_t cpu = 0;

		(void)str_u64(&digits, &cpu);
		ret->cpu = (uint32_t)cpu;
		ret->columns |= FG_CPU;
		*s = str_skip(rest, 1);
		return true;
	}
	rest = str_ltrim(rest);
	if (str_starts(rest, STR("|")) && !ret->columns) {
		if (!fg_number(digits, 1000000000, &ret->time_ns, &ret->decimals))
			return false;
		ret->columns |= FG_TIME;
		*s = str_skip(rest, 1);
		return true;
	}
	if (!str_word(&rest, &word))
		return false;
	if (str_ends(word, STR("|"))) { /* "us|": no blank before the bar */
		rest = (struct str){ rest.p - 1, rest.len + 1 };
		word.len--;
	}
	scale = fg_scale_of_unit(word);
	rest = str_ltrim(rest);
	if (!scale || !str_take(&rest, STR("|")))
		return false;
	*s = rest;
	if (!ret->columns && fg_cpu_follows(rest)) {
		ret->columns |= FG_REL_TIME;
		return true;
	}
	ret->columns |= FG_DURATION;
	ret->has_duration = fg_number(digits, scale, &ret->dur_ns, &ret->decimals);
	ret->bad_duration = !ret->has_duration;
	return true;
}

/*
 * Take a column with a task or latency flags, including its '|'. @field: start of the column in the
 * line, before its blanks. False: the column has neither.
 */
static bool fg_text_column(struct str *s, struct fg_line *ret, const char *field)
{
	size_t bar = str_find_char(str_sub(*s, 0, FG_MAX_FIELD_BYTES), '|');
	struct str text = str_rtrim(str_sub(*s, 0, bar));
	struct str comm;
	uint32_t pid;

	if (bar >= s->len || bar >= FG_MAX_FIELD_BYTES)
		return false;
	/*
	 * "sh-146" may be a task or flags. It is the task, unless the task column was already read
	 */
	if (!(ret->columns & FG_FLAGS) && ret->columns & (FG_CPU | FG_TASK) && fg_is_flags(text) &&
	    (ret->columns & FG_TASK || text.p[0] == '.' || !fg_task_split(text, &comm, &pid))) {
		ret->columns |= FG_FLAGS;
	} else if (!(ret->columns & (FG_TASK | FG_FLAGS)) && fg_task_split(text, &comm, &pid) &&
		   str_find_char(text, '(') == text.len && str_find_char(text, ';') == text.len) {
		ret->columns |= FG_TASK;
		ret->task = text;
		ret->task_field = (struct str){ field, (size_t)(s->p + bar + 1 - field) };
	} else {
		return false;
	}
	*s = str_skip(*s, bar + 1);
	return true;
}

static bool fg_is_mark(struct str s)
{
	return s.len > 2 && memchr("+!#*@$&", s.p[0], 7) && char_is_blank(s.p[1]);
}

void fg_columns(struct str s, struct fg_line *ret)
{
	for (int i = 0; i < FG_MAX_COLUMNS && !(ret->columns & FG_DURATION); i++) {
		struct str t = str_ltrim(s);
		struct str after = str_ltrim(str_skip(t, 1));

		if (t.len == 0)
			break;
		if (t.p[0] == '|') {
			ret->columns |= FG_DURATION;
			s = str_skip(t, 1);
		} else if (str_starts(t, STR("==========>")) || str_starts(t, STR("<=========="))) {
			ret->kind = t.p[0] == '=' ? FG_IRQ_ENTER : FG_IRQ_EXIT;
			return;
		} else if (fg_is_mark(t) && after.len && char_is_digit(after.p[0])) {
			s = after;
			if (!fg_number_column(&s, ret) || !(ret->columns & FG_DURATION))
				return;
		} else if (char_is_digit(t.p[0]) && fg_number_column(&t, ret)) {
			s = t;
		} else if (fg_text_column(&t, ret, s.p)) {
			s = t;
		} else {
			break;
		}
	}
	fg_right(s, ret);
}

/*
 * Parse an event line, `comm-pid [001] d..1. 14.209884: name: fields`, even if its first words are
 * missing. Also parses the line "<stack trace>".
 */
static bool fg_event_line(struct str s, struct fg_line *ret)
{
	size_t open = str_find(str_sub(s, 0, 96), STR("["));
	size_t colon = str_find(str_sub(s, 0, 32), STR(": "));

	if (str_ends(s, STR("<stack trace>"))) {
		ret->kind = FG_NOTE;
		return true;
	}
	/*
	 * a line that begins with the time, because a user removed the words before it:
	 * "1072.028323: name: fields"
	 */
	if (char_is_digit(s.p[0]) && colon < s.len && str_find_char(s, '.') < colon &&
	    char_is_digit(s.p[colon - 1]) && str_find_char(str_sub(s, 0, colon), ' ') == colon &&
	    fg_trace_cmd_front(str_sub(s, 0, colon + 1), ret)) {
		ret->kind = FG_EVENT;
		ret->columns |= FG_TRACE_CMD;
		ret->text = str_trim(str_skip(s, colon + 1));
		return true;
	}
	if (open >= s.len || open + 4 >= s.len || !char_is_digit(s.p[open + 1]))
		return false;
	colon = open + str_find(str_sub(str_skip(s, open), 0, 96), STR(": "));
	if (colon >= s.len || !char_is_digit(s.p[colon - 1]) ||
	    !fg_trace_cmd_front(str_sub(s, 0, colon + 1), ret) || !(ret->columns & FG_CPU) ||
	    !(ret->columns & FG_TASK))
		return false;
	ret->kind = FG_EVENT;
	ret->columns |= FG_TRACE_CMD;
	ret->text = str_trim(str_skip(s, colon + 1));
	return true;
}

bool fg_line_lost(struct str s, uint32_t *ret_cpu, bool *ret_has_count, uint64_t *ret_count)
{
	uint64_t cpu;

	if (!str_take(&s, STR("CPU:")) || !str_u64(&s, &cpu) || cpu > UINT32_MAX)
		return false;
	s = str_ltrim(s);
	if (!str_take(&s, STR("[")) || !str_contains(s, STR("EVENTS")))
		return false;
	(void)str_take(&s, STR("LOST "));
	*ret_has_count = str_u64(&s, ret_count);
	*ret_cpu = (uint32_t)cpu;
	return true;
}

static bool fg_lost(struct str s, struct fg_line *ret)
{
	if (!fg_line_lost(s, &ret->cpu, &ret->has_count, &ret->count))
		return false;
	ret->columns = FG_CPU;
	ret->kind = FG_LOST;
	return true;
}

/* Parse a task switch: ` 0)    <idle>-0    =>   migrati-21`. */
static bool fg_switch(struct str s, struct fg_line *ret)
{
	size_t arrow = str_find(s, STR("=>"));
	struct str from = str_sub(s, 0, arrow);
	struct str comm;
	uint64_t cpu;
	uint32_t pid;

	if (arrow == s.len || str_find_char(s, '|') < s.len || !str_u64(&from, &cpu) ||
	    cpu > UINT32_MAX || !str_take(&from, STR(")")))
		return false;
	ret->task = str_trim(from);
	ret->text = str_trim(str_skip(s, arrow + 2));
	if (!fg_task_split(ret->task, &comm, &pid) || !fg_task_split(ret->text, &comm, &pid))
		return false;
	ret->cpu = (uint32_t)cpu;
	ret->columns = FG_CPU;
	ret->kind = FG_SWITCH;
	return true;
}

/*
 * Parse a line without columns: a comment, ruler, message, lost events or a task switch. False:
 * another line.
 */
static bool fg_special(struct str s, struct fg_line *ret)
{
	if (s.p[0] == '#') {
		struct str after = str_ltrim(str_skip(s, 1));

		if (str_take(&after, STR("tracer: "))) {
			ret->kind = FG_TRACER;
			ret->text = str_trim(after);
			return true;
		}
		if (fg_is_mark(s) && after.len && char_is_digit(after.p[0]))
			/* this '#' marks a duration above 1 ms; the line is not a comment */
			return false;
		ret->kind = FG_COMMENT;
		return true;
	}
	if (str_starts(s, STR("---------------------"))) {
		ret->kind = FG_RULER;
		return true;
	}
	if (str_starts(s, STR("Tracing \""))) {
		ret->kind = FG_TRACING;
		s = str_skip(s, 9);
		ret->text = str_sub(s, 0, str_find_char(s, '"'));
		return true;
	}
	if (s.len < 80 &&
	    (str_starts(s, STR("..")) || str_starts(s, STR("[..")) || str_starts(s, STR("<..."))) &&
	    str_find_char(s, '|') == s.len) {
		ret->kind = FG_ELIDED;
		return true;
	}
	if (str_eq(s, STR("^C")) || str_starts(s, STR("Ending tracing")) ||
	    (str_starts(s, STR("cpus=")) && s.len < 12)) {
		ret->kind = FG_WORDS;
		return true;
	}
	if (str_starts(s, STR("=> ")) || str_starts(s, STR("(Overruns:"))) {
		ret->kind = FG_NOTE;
		return true;
	}
	return fg_lost(s, ret) || fg_switch(s, ret);
}

void fg_line_parse(struct str line, struct fg_line *ret)
{
	struct str s = str_trim(line);

	memset(ret, 0, sizeof(*ret));
	if (s.len == 0) {
		ret->kind = FG_BLANK;
		return;
	}
	if (fg_special(s, ret) || fg_trace_cmd(s, ret))
		return;
	memset(ret, 0, sizeof(*ret));
	fg_columns(line, ret);
	if (ret->kind == FG_NONE || ret->kind == FG_PARTIAL) {
		struct fg_line event = { .kind = FG_NONE };

		if (fg_event_line(s, &event))
			*ret = event;
	}
	if (ret->kind == FG_PARTIAL && !(ret->columns & (FG_DURATION | FG_TRACE_CMD)))
		ret->kind = FG_NONE;
}
