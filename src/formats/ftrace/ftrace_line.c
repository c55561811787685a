/* SPDX-License-Identifier: MIT */
#include "formats/ftrace/ftrace_line.h"

#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "formats/ftrace/function_graph_line.h"

/* maximum number of bytes before the body of a line: comm, pid, tgid, CPU, flags and time */
#define FT_FRONT_BYTES 160u
#define FT_FLAGS_BYTES 10u

static const char *const ft_latency_tracers[] = {
	"irqsoff", "preemptoff", "preemptirqsoff", "wakeup", "wakeup_rt", "wakeup_dl",
};
static const char *const ft_tracers[] = { "function", "nop", "blk", "sched_switch" };

static bool ft_is_one_of(struct str name, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (str_eq(name, str_of(list[i])))
			return true;
	}
	return false;
}

bool ft_is_latency_tracer(struct str tracer)
{
	return ft_is_one_of(tracer, ft_latency_tracers, ARRAY_LEN(ft_latency_tracers));
}

bool ft_is_tracer(struct str tracer)
{
	return ft_is_latency_tracer(tracer) ||
	       ft_is_one_of(tracer, ft_tracers, ARRAY_LEN(ft_tracers));
}

static void ft_note(struct capture *c, struct str key, struct str value, uint32_t line)
{
	value = str_trim(value);
	if (value.len && c->notes.len < 64)
		capture_note(c, key, value, line);
}

void ft_header(struct capture *c, struct str comment, uint32_t line)
{
	struct str s = str_trim(comment);

	(void)str_take(&s, STR("#"));
	s = str_ltrim(s);
	(void)str_take(&s, STR("| "));
	if (str_take(&s, STR("latency: "))) {
		size_t at = str_find(s, STR(", #"));

		ft_note(c, STR("latency"), str_sub(s, 0, str_find_char(s, ',')), line);
		/*
		 * old kernels print the numbers of entries in this line, as "#168/168"
		 * (kernel/trace/trace.c, print_trace_header())
		 */
		if (at < s.len) {
			s = str_skip(s, at + 3);
			ft_note(c, STR("entries in buffer, written"),
				str_sub(s, 0, str_find_char(s, ',')), line);
		}
	} else if (str_take(&s, STR("task: ")))
		ft_note(c, STR("task"), s, line);
	else if (str_take(&s, STR("=> started at: ")))
		ft_note(c, STR("started at"), s, line);
	else if (str_take(&s, STR("=> ended at: ")))
		ft_note(c, STR("ended at"), s, line);
	else if (str_take(&s, STR("entries-in-buffer/entries-written: ")))
		ft_note(c, STR("entries in buffer, written"), str_sub(s, 0, str_find_char(s, ' ')),
			line);
	else if (str_contains(s, STR(" latency trace v")))
		ft_note(c, STR("trace"), s, line);
}

static bool ft_is_flags(struct str s)
{
	if (s.len < 3 || s.len > FT_FLAGS_BYTES)
		return false;
	for (size_t i = 0; i < s.len; i++) {
		char ch = s.p[i];

		if (!char_is_digit(ch) && ch != '.' && ch != '#' && ch != '-' &&
		    !((ch | 32) >= 'a' && (ch | 32) <= 'z'))
			return false;
	}
	return true;
}

/*
 * Whether an interrupt, softirq or NMI was running, according to the third latency flag
 * (Documentation/trace/ftrace.rst, "hardirq/softirq").
 */
static bool ft_is_by_irq(struct str flags)
{
	return flags.len > 2 && memchr("hHsZz", flags.p[2], 5);
}

/*
 * Parse seconds such as "12.345678". Digits below a nanosecond are dropped. False: @s is not such a
 * number.
 */
static bool ft_seconds(struct str s, uint64_t *ret)
{
	uint64_t v = 0;
	uint64_t part = 0;
	uint64_t scale = 1000000000;
	size_t i = 0;

	for (; i < s.len && char_is_digit(s.p[i]); i++) {
		if (i > 9)
			return false;
		v = v * 10 + (uint64_t)(s.p[i] - '0');
	}
	if (i == 0)
		return false;
	if (i < s.len && s.p[i] == '.') {
		for (i++; i < s.len && char_is_digit(s.p[i]); i++) {
			scale /= 10;
			part += scale * (uint64_t)(s.p[i] - '0');
		}
	}
	*ret = v * 1000000000 + part;
	return i == s.len;
}

/* Parse the task of a line: "comm-pid" or "instance: comm-pid (tgid)". */
static bool ft_task(struct str s, struct ft_line *ret)
{
	struct str comm;
	uint32_t pid;
	size_t at;

	s = str_trim(s);
	if (s.len && s.p[s.len - 1] == ')')
		s = str_rtrim(str_sub(s, 0, str_rfind_char(s, '(')));
	at = str_find_char(s, ':');
	if (at + 1 < s.len && s.p[at + 1] == ' ')
		s = str_ltrim(str_skip(s, at + 2));
	ret->task = s;
	return fg_task_split(s, &comm, &pid);
}

/* Parse "[001] flags 44.835817: body". The flags may be missing. @ret_body: " body". */
static bool ft_cpu_and_time(struct str s, struct ft_line *ret, struct str *ret_body)
{
	uint64_t cpu;
	size_t n;
	struct str word;

	s = str_skip(s, 1);
	if (!str_u64(&s, &cpu) || !str_take(&s, STR("]")) || cpu > UINT32_MAX)
		return false;
	ret->cpu = (uint32_t)cpu;
	s = str_ltrim(s);
	n = str_find_char(str_sub(s, 0, 48), ' ');
	word = str_sub(s, 0, n);
	if (!str_ends(word, STR(":"))) {
		if (!ft_is_flags(word))
			return false;
		ret->is_by_irq = ft_is_by_irq(word);
		s = str_ltrim(str_skip(s, n));
		n = str_find_char(str_sub(s, 0, 48), ' ');
		word = str_sub(s, 0, n);
	}
	if (word.len < 2 || word.p[word.len - 1] != ':')
		return false;
	word.len--;
	*ret_body = str_skip(s, n);
	return ft_seconds(word, &ret->time_ns);
}

/*
 * Parse the start of a line in the latency format, `comm-pid  0dNh.   6us+: ` (CPU 0, flags, time),
 * or of a line of trace-cmd report -l, `comm-pid 1...1. 7.061428: `. @ret_body: the rest.
 */
static bool ft_latency_front(struct str s, struct ft_line *ret, struct str *ret_body)
{
	size_t colon = str_find(str_sub(s, 0, FT_FRONT_BYTES), STR(": "));
	struct str left = str_rtrim(str_sub(s, 0, colon));
	struct str time;
	struct str cpu;
	uint64_t v;

	if (colon >= s.len || colon >= FT_FRONT_BYTES)
		return false;
	*ret_body = str_skip(s, colon + 2);
	while (left.len && memchr("+!#*@$ ", left.p[left.len - 1], 7))
		left.len--;
	if (!left.len)
		return false;
	time = str_skip(left,
			str_rfind_char(left, ' ') == left.len ? 0 : str_rfind_char(left, ' ') + 1);
	left = str_rtrim(str_sub(left, 0, (size_t)(time.p - left.p)));
	if (str_ends(time, STR("us"))) {
		time.len -= 2;
		if (!str_u64(&time, &v) || time.len || v > UINT64_MAX / 1000)
			return false;
		ret->time_ns = v * 1000;
		ret->is_relative = true;
	} else if (!ft_seconds(time, &ret->time_ns)) {
		return false;
	}
	cpu = str_skip(left,
		       str_rfind_char(left, ' ') == left.len ? 0 : str_rfind_char(left, ' ') + 1);
	left = str_sub(left, 0, (size_t)(cpu.p - left.p));
	if (!str_u64(&cpu, &v) || v > UINT32_MAX || !ft_is_flags(cpu))
		return false;
	ret->is_by_irq = ft_is_by_irq(cpu);
	ret->cpu = (uint32_t)v;
	return ft_task(left, ret);
}

static bool ft_front(struct str s, struct ft_line *ret, struct str *ret_body)
{
	struct str front = str_sub(s, 0, FT_FRONT_BYTES);
	size_t at = 0;

	for (;;) {
		at += str_find_char(str_skip(front, at), '[');
		if (at + 1 >= front.len)
			break;
		if (at && front.p[at - 1] == ' ' && char_is_digit(front.p[at + 1]) &&
		    ft_task(str_sub(s, 0, at), ret) &&
		    ft_cpu_and_time(str_skip(s, at), ret, ret_body)) {
			ret->bracket = (uint32_t)at;
			return true;
		}
		at++;
	}
	return ft_latency_front(s, ret, ret_body);
}

/* Parse a call: `name <-caller`, `name(args) <-caller`, `name [module] <-caller`. */
static bool ft_function(struct str s, struct ft_line *ret)
{
	size_t arrow = 0;
	size_t paren;

	for (;; arrow++) {
		arrow += str_find_char(str_skip(s, arrow), '<');
		if (arrow + 1 >= s.len)
			return false;
		if (s.p[arrow + 1] == '-' && arrow && s.p[arrow - 1] == ' ')
			break;
	}
	arrow--;
	ret->caller = str_trim(str_skip(s, arrow + 3));
	(void)str_take(&ret->caller, STR("- ")); /* trace-cmd prints "f <-- g" */
	ret->name = str_rtrim(str_sub(s, 0, arrow));
	paren = str_find_char(ret->name, '(');
	if (paren < ret->name.len && str_ends(ret->name, STR(")"))) {
		ret->args = str_sub(ret->name, paren + 1, ret->name.len - 1);
		ret->name = str_sub(ret->name, 0, paren);
	}
	if (!fg_name_ok(ret->name) || !fg_name_ok(ret->caller))
		return false;
	ret->kind = FT_FUNCTION;
	return true;
}

static void ft_body(struct str s, struct ft_line *ret)
{
	struct str rest;

	s = str_trim(s);
	if (str_take(&s, STR("(+"))) /* time difference of trace-cmd report --ts-diff */
		s = str_ltrim(str_skip(s, str_find_char(s, ')') + 1));
	if (s.len == 0)
		return;
	rest = s;
	if (s.p[s.len - 1] == '>' &&
	    (str_ends(s, STR("stack trace>")) || str_ends(s, STR("stack trace >")))) {
		ret->kind = FT_NOTE;
		return;
	}
	if (ft_function(s, ret))
		return;
	if (str_take(&rest, STR("function: "))) {
		rest = str_trim(rest);
		if (ft_function(rest, ret))
			return;
		if (fg_name_ok(rest)) {
			ret->kind = FT_FUNCTION;
			ret->name = rest;
			ret->caller = STR_NONE;
			return;
		}
	}
	ret->kind = FT_EVENT;
	ret->text = s;
}

static bool ft_lost(struct str s, struct ft_line *ret)
{
	if (!fg_line_lost(s, &ret->cpu, &ret->has_count, &ret->count))
		return false;
	ret->kind = FT_LOST;
	return true;
}

/* Whether the line is a frame of a stack trace: "=> f", "=> f (ffffffff81458269)". */
static bool ft_is_frame(struct str s)
{
	return str_starts(s, STR("=> ")) && s.len < 512;
}

void ft_line_parse(struct str line, struct ft_line *ret)
{
	struct str s = str_trim(line);
	struct str body = STR_NONE;

	memset(ret, 0, sizeof(*ret));
	if (s.len == 0) {
		ret->kind = FT_BLANK;
	} else if (s.p[0] == '#') {
		struct str after = str_ltrim(str_skip(s, 1));

		ret->kind = FT_COMMENT;
		ret->text = s;
		if (str_take(&after, STR("tracer: "))) {
			ret->kind = FT_TRACER;
			ret->text = str_trim(after);
		}
	} else if (ft_is_frame(s)) {
		ret->kind = FT_NOTE;
	} else if (s.p[0] == 'C' && ft_lost(s, ret)) {
		return;
	} else if (ft_front(s, ret, &body)) {
		ft_body(body, ret);
	} else if ((str_starts(s, STR("cpus=")) && s.len < 12) ||
		   (str_starts(s, STR("CPU ")) && str_ends(s, STR(" is empty"))) ||
		   (str_starts(s, STR("version = ")) && s.len < 16)) {
		ret->kind = FT_WORDS;
	}
}

/*
 * Parse "] flags 20.000722: " after the CPU number. Returns the text after the ':'; NULL: the text
 * has another form.
 */
static const char *ft_quick_time(const char *p, const char *end, uint64_t *ret, bool *ret_is_by_irq)
{
	uint64_t seconds = 0;
	uint64_t part = 0;
	unsigned int digits = 0;
	const char *from;

	if (end - p < 32 || p[0] != ']' || p[1] != ' ')
		return NULL;
	for (p++; p < end && *p == ' '; p++)
		;
	/* the next word must be the flags, not the time */
	from = p;
	while (p < end && *p != ' ')
		p++;
	if (p - from < 3 || p - from > (ptrdiff_t)FT_FLAGS_BYTES ||
	    !ft_is_flags((struct str){ from, (size_t)(p - from) }) || p[-1] == ':')
		return NULL;
	*ret_is_by_irq = ft_is_by_irq((struct str){ from, (size_t)(p - from) });
	for (; p < end && *p == ' '; p++)
		;
	for (from = p; p < end && char_is_digit(*p) && p - from < 9; p++)
		seconds = seconds * 10 + (uint64_t)(*p - '0');
	if (p == from || p == end || *p != '.')
		return NULL;
	for (p++; p < end && char_is_digit(*p) && digits < 9; p++, digits++)
		part = part * 10 + (uint64_t)(*p - '0');
	if (digits == 0 || end - p < 2 || p[0] != ':' || p[1] != ' ')
		return NULL;
	for (; digits < 9; digits++)
		part *= 10;
	*ret = seconds * 1000000000 + part;
	return p + 1;
}

static bool ft_quick(const struct ft_fronts *fronts, struct str line, bool only_kind,
		     struct ft_line *ret)
{
	const char *p = line.p + fronts->bracket;
	const char *end = line.p + line.len;
	const struct ft_front *front;
	uint32_t cpu = 0;
	uint64_t time;
	bool is_by_irq;

	if (!fronts->bracket || line.len < fronts->bracket + 40u || *p != '[')
		return false;
	for (p++; p < end && char_is_digit(*p) && cpu < 100000; p++)
		cpu = cpu * 10 + (uint32_t)(*p - '0');
	front = &fronts->cpus[cpu % FT_FRONTS];
	if (!front->task_len || memcmp(front->text, line.p, fronts->bracket) != 0)
		return false;
	p = ft_quick_time(p, end, &time, &is_by_irq);
	if (!p)
		return false;
	*ret = (struct ft_line){
		.cpu = cpu,
		.time_ns = time,
		.task = { line.p + front->task_at, front->task_len },
		.bracket = fronts->bracket,
		.is_by_irq = is_by_irq,
	};
	if (!only_kind) {
		ft_body((struct str){ p, (size_t)(end - p) }, ret);
		return true;
	}
	while (p < end && *p == ' ')
		p++;
	ret->text = (struct str){ p, (size_t)(end - p) };
	ret->kind = ret->text.len ? FT_EVENT : FT_NONE;
	return true;
}

void ft_line_parse_next(struct ft_fronts *fronts, struct str line, bool only_kind,
			struct ft_line *ret)
{
	struct ft_front *front;
	size_t blanks;

	if (LIKELY(ft_quick(fronts, line, only_kind, ret)))
		return;
	ft_line_parse(line, ret);
	if (!ret->bracket || (ret->kind != FT_EVENT && ret->kind != FT_FUNCTION))
		return;
	/* ret->bracket does not count the leading blanks of the line */
	blanks = line.len - str_ltrim(line).len;
	if (ret->bracket + blanks >= FT_FRONT_CHARS)
		return;
	if (fronts->bracket != ret->bracket + blanks) {
		memset(fronts, 0, sizeof(*fronts));
		fronts->bracket = (uint32_t)(ret->bracket + blanks);
	}
	front = &fronts->cpus[ret->cpu % FT_FRONTS];
	memcpy(front->text, line.p, fronts->bracket);
	front->task_at = (uint32_t)(ret->task.p - line.p);
	front->task_len = (uint32_t)ret->task.len;
}
