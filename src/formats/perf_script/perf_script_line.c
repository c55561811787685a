/* SPDX-License-Identifier: MIT */
/*
 * perf_script_line.c - parse single lines of `perf script` text
 *
 * Source: sample__fprintf_start(), process_event() and sample__fprintf_callchain() of
 * perf's builtin-script.c and evsel_fprintf.c, from 3.0 to 6.x.
 */
#include "formats/perf_script/perf_script.h"

#include "base/status.h"
#include "base/str.h"

#define SCRIPT_TOKENS 64u /* maximum number of words before the event of a header line */

static struct str script_token(struct str *s)
{
	struct str word = STR_NONE;

	(void)str_word(s, &word);
	return word;
}

static bool script_digits(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (!char_is_digit(s.p[i]))
			return false;
	}
	return s.len > 0;
}

static bool script_hex(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (char_hex(s.p[i]) < 0)
			return false;
	}
	return s.len > 0 && s.len <= 16;
}

/* Like str_u64(), but faster for the short numbers of header lines. */
static inline bool script_u64(struct str *s, uint64_t *ret)
{
	uint64_t v = 0;
	size_t n = 0;

	while (n < s->len && n < 19 && char_is_digit(s->p[n]))
		v = v * 10 + (uint64_t)(s->p[n++] - '0');
	if (UNLIKELY(n == 0 || n == 19))
		return str_u64(s, ret);
	*s = str_skip(*s, n);
	*ret = v;
	return true;
}

/* Parse a process and thread id: "1234", "1234/5678" or "-1". */
static bool script_pid(struct str s, struct script_header *h)
{
	uint64_t first = 0;
	uint64_t second;
	bool is_negative = str_take(&s, STR("-"));

	if (!script_u64(&s, &first) || first > UINT32_MAX)
		return false;
	if (is_negative)
		first = UINT32_MAX;
	if (s.len == 0) {
		/* a single number is the thread id, which perf prints by default */
		h->tid = (uint32_t)first;
		h->has_tid = true;
		return true;
	}
	if (!str_take(&s, STR("/")))
		return false;
	is_negative = str_take(&s, STR("-"));
	if (!script_u64(&s, &second) || s.len || second > UINT32_MAX)
		return false;
	h->pid = (uint32_t)first;
	h->tid = is_negative ? UINT32_MAX : (uint32_t)second;
	h->has_pid = true;
	h->has_tid = true;
	return true;
}

/* Parse the CPU of a header line: "[003]". */
static bool script_cpu(struct str s, uint16_t *ret)
{
	uint64_t v;

	if (s.len < 3 || s.p[0] != '[' || s.p[s.len - 1] != ']')
		return false;
	s = str_sub(s, 1, s.len - 1);
	if (str_eq(s, STR("-1"))) {
		*ret = UINT16_MAX;
		return true;
	}
	if (!script_u64(&s, &v) || s.len || v >= UINT16_MAX)
		return false;
	*ret = (uint16_t)v;
	return true;
}

/* Parse a time with its colon, "12345.678901:". It usually has six or nine decimals. */
static bool script_time(struct str s, uint64_t *ret)
{
	uint64_t sec;
	uint64_t ns = 0;
	unsigned int n = 0;

	if (!script_u64(&s, &sec) || !str_take(&s, STR(".")))
		return false;
	for (; s.len && char_is_digit(s.p[0]); s = str_skip(s, 1), n++) {
		if (n < 9)
			ns = ns * 10 + (uint64_t)(s.p[0] - '0');
	}
	if (n == 0 || !str_eq(s, STR(":")))
		return false;
	for (; n < 9; n++)
		ns *= 10;
	return !__builtin_mul_overflow(sec, UINT64_C(1000000000), ret) &&
	       !__builtin_add_overflow(*ret, ns, ret);
}

/*
 * Whether @s is the name of an event with a ':' at its end: "cycles:ppp:", "sched:sched_switch:",
 * "cpu/config=1/:".
 */
static bool script_event(struct str s)
{
	size_t letters = 0;

	if (s.len < 2 || s.p[s.len - 1] != ':')
		return false;
	for (size_t i = 0; i + 1 < s.len; i++) {
		char c = s.p[i];
		bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');

		letters += is_letter;
		if (!is_letter && !char_is_digit(c) && !strchr("_-:/=,.@%*~{}\\[]+", c))
			return false;
	}
	return letters > 0;
}

/* Parse @s, the text `period event: rest`, into @h. */
static bool script_take_event(struct str s, struct script_header *h)
{
	struct str at = s;
	struct str word = script_token(&at);
	struct str digits = word;
	uint64_t v;

	h->rest = str_trim(s);
	if (str_starts(word, STR("PERF_RECORD_"))) {
		h->is_record = true;
		return true;
	}
	if (script_digits(word) && script_u64(&digits, &v)) {
		struct str next = script_token(&at);

		if (!script_event(next) && next.len)
			return false;
		h->period = v;
		h->has_period = true;
		word = next;
	}
	if (!script_event(word))
		return word.len == 0;
	h->event = str_sub(word, 0, word.len - 1);
	h->rest = str_trim(at);
	return true;
}

/*
 * Whether the word @s, which is between CPU and time, is a list of flags: letters of `perf script
 * -F misc` ("K", "Uh"), or latency flags ("d..2.").
 */
static bool script_misc(struct str s)
{
	if (s.len == 0 || s.len > 6)
		return false;
	for (size_t i = 0; i < s.len; i++) {
		if (!strchr("KUHGgEhsSdDNnbBpX.1234567890", s.p[i]))
			return false;
	}
	return !script_digits(s);
}

/*
 * Parse comm, pid/tid and CPU of a header line into @h. @words: the @n words before the time or, if
 * there is no time, before the event. False: the words are no comm, pid/tid and CPU.
 */
static bool script_who(const struct str *words, size_t n, struct script_header *h)
{
	const char *end;

	while (n && h->has_time && script_misc(words[n - 1]) && n > 1 &&
	       (words[n - 2].p[0] == '[' || n > 2))
		n--;
	if (n && script_cpu(words[n - 1], &h->cpu))
		n--;
	if (n && script_pid(words[n - 1], h)) {
		end = words[n - 1].p + words[n - 1].len;
		n--;
	} else if (n) {
		end = words[n - 1].p + words[n - 1].len;
	} else {
		return false;
	}
	h->who = (struct str){ words[0].p, (size_t)(end - words[0].p) };
	if (n == 0)
		return true;
	h->comm = (struct str){ words[0].p,
				(size_t)(words[n - 1].p + words[n - 1].len - words[0].p) };
	/*
	 * without a thread id, the command must be a single word. "comm-pid", as ftrace prints it,
	 * is no command
	 */
	if (!h->has_tid) {
		size_t dash = str_rfind_char(h->comm, '-');

		return h->has_time && n == 1 && h->comm.len <= 16 &&
		       !script_digits(str_skip(h->comm, dash + 1)) &&
		       !strchr("[(<\"'#*>|", h->comm.p[0]);
	}
	return h->comm.len <= 64;
}

bool script_header(struct str line, struct script_header *ret)
{
	struct script_header h = { .cpu = UINT16_MAX };
	struct str words[SCRIPT_TOKENS];
	struct str s = line;
	size_t n = 0;

	if (line.len == 0 || line.p[0] == '#')
		return false;
	for (; n < SCRIPT_TOKENS; n++) {
		struct str before = s;
		struct str word = script_token(&s);

		if (word.len == 0)
			return false;
		if (word.p[word.len - 1] == ':' && script_time(word, &h.time_ns)) {
			h.has_time = true;
			if (!script_take_event(s, &h))
				return false;
			break;
		}
		/*
		 * no time precedes this word. If it is an event and follows a pid, the line has no
		 * time
		 */
		if (n >= 1 && script_event(word) && !str_starts(str_ltrim(s), STR("("))) {
			size_t m = n;
			struct script_header ignored = { 0 };

			/*
			 * a number between pid and event is the period: the line is `pid period
			 * event:`, not `pid event:`
			 */
			if (m >= 2 && script_digits(words[m - 1]) &&
			    (script_pid(words[m - 2], &ignored) || words[m - 2].p[0] == '['))
				before = words[--m];
			before.len = (size_t)(line.p + line.len - before.p);
			if (m == 0 || !script_take_event(before, &h))
				return false;
			n = m;
			if (!script_who(words, n, &h) || !h.has_tid)
				return false;
			*ret = h;
			return true;
		}
		words[n] = word;
	}
	if (n == SCRIPT_TOKENS || !script_who(words, n, &h))
		return false;
	if (!h.has_tid && h.event.len == 0 && !h.is_record)
		return false;
	*ret = h;
	return true;
}

bool script_header_like(struct str line, struct str event, struct script_header *ret)
{
	struct script_header h = { .cpu = UINT16_MAX };
	const char *colon = memchr(line.p, ':', line.len);
	const char *end = line.p + line.len;
	const char *time;
	const char *p;
	const char *pid;

	/*
	 * this fast parser needs the time at the first ':' of the line; otherwise use
	 * script_header()
	 */
	if (!colon || !event.len || !char_is_digit(colon[-(colon > line.p)]))
		return false;
	for (time = colon; time > line.p && !char_is_blank(time[-1]);)
		time--;
	if (!script_time((struct str){ time, (size_t)(colon - time) + 1 }, &h.time_ns))
		return false;
	h.has_time = true;
	for (p = time; p > line.p && char_is_blank(p[-1]);)
		p--;
	if (p > line.p && p[-1] == ']') {
		const char *cpu = p;

		while (cpu > line.p && *cpu != '[')
			cpu--;
		if (!script_cpu((struct str){ cpu, (size_t)(p - cpu) }, &h.cpu))
			return false;
		for (p = cpu; p > line.p && char_is_blank(p[-1]);)
			p--;
	}
	for (pid = p; pid > line.p && !char_is_blank(pid[-1]);)
		pid--;
	if (!script_pid((struct str){ pid, (size_t)(p - pid) }, &h))
		return false;
	h.who = str_ltrim((struct str){ line.p, (size_t)(p - line.p) });
	h.comm = str_rtrim(str_sub(h.who, 0, (size_t)(pid - h.who.p)));
	if (h.comm.len > 64)
		return false;
	/* skip the period if there is one; the next word must be @event */
	for (p = colon + 1; p < end && char_is_blank(*p);)
		p++;
	if (p < end && char_is_digit(*p)) {
		struct str s = { p, (size_t)(end - p) };

		if (!script_u64(&s, &h.period) || s.len == 0 || !char_is_blank(s.p[0]))
			return false;
		h.has_period = true;
		for (p = s.p; p < end && char_is_blank(*p);)
			p++;
	}
	if ((size_t)(end - p) <= event.len || memcmp(p, event.p, event.len) != 0 ||
	    p[event.len] != ':')
		return false;
	h.event = (struct str){ p, event.len };
	p += event.len + 1;
	if (p < end && !char_is_space(*p))
		return false;
	h.rest = str_trim((struct str){ p, (size_t)(end - p) });
	*ret = h;
	return true;
}

/* Parse the text of a frame after its address, `symbol+0x1f (dso)`, into @f. */
static void script_frame_name(struct str s, struct script_frame *f)
{
	size_t open;
	size_t hex;

	s = str_trim(s);
	f->symbol = s;
	f->module = STR_NONE;
	f->is_inlined = false;
	if (s.len && s.p[s.len - 1] == ')') {
		struct str inner = s;

		if (str_ends(s, STR(" (inlined)")) || str_eq(s, STR("(inlined)"))) {
			f->is_inlined = true;
			s = str_rtrim(str_sub(s, 0, s.len - STR("(inlined)").len));
			inner = s;
		}
		if (str_ends(s, STR(" (deleted))")))
			inner.len -= STR(" (deleted))").len;
		open = str_rfind_char(inner, '(');
		/* the dso is the last text in parentheses, and a blank precedes it */
		if (s.len && s.p[s.len - 1] == ')' && open < inner.len &&
		    (open == 0 || char_is_blank(s.p[open - 1])) &&
		    (!f->is_inlined || s.p[open + 1] == '/' || s.p[open + 1] == '[')) {
			f->module = str_sub(s, open + 1, s.len - 1);
			s = str_sub(s, 0, open);
		}
		s = str_rtrim(s);
	} else {
		/* the line may end inside the dso: "symbol (/usr/lib/lib" */
		open = str_rfind_char(s, '(');
		if (open > 0 && open + 1 < s.len && s.p[open - 1] == ' ' &&
		    (s.p[open + 1] == '/' || s.p[open + 1] == '[')) {
			f->module = str_skip(s, open + 1);
			s = str_rtrim(str_sub(s, 0, open));
		}
	}
	hex = s.len;
	while (hex > 0 && char_hex(s.p[hex - 1]) >= 0)
		hex--;
	if (hex >= 3 && hex < s.len && memcmp(s.p + hex - 3, "+0x", 3) == 0)
		s.len = hex - 3;
	f->symbol = s;
}

static bool script_is_kernel_address(struct str hex)
{
	return hex.len == 16 && memcmp(hex.p, "ffff", 4) == 0;
}

bool script_frame(struct str line, struct script_frame *ret)
{
	struct str s = line;
	struct str address = script_token(&s);
	struct str at = s;
	struct str second = script_token(&at);
	struct script_header ignored = { 0 };
	bool is_indented = line.len && char_is_blank(line.p[0]);
	bool is_hex = script_hex(address);
	uint64_t time_ns;
	uint16_t cpu;
	struct script_frame f = { .address = address };

	if (address.len == 0)
		return false;
	if (second.len == 0) {
		if (!is_indented || !is_hex || address.len < 3)
			return false;
		f.is_kernel_address = script_is_kernel_address(address);
		*ret = f;
		return true;
	}
	/*
	 * If the second word is a pid, CPU or time, the line is a header line. Its first word is
	 * then a command that looks like a hex number, such as "dd"
	 */
	if (line.p[0] != '\t' && (script_pid(second, &ignored) || script_cpu(second, &cpu) ||
				  script_time(second, &time_ns)))
		return false;
	if (!is_hex) {
		/*
		 * a file edited by hand may have any word instead of the address: "\taddress symbol
		 * (module)"
		 */
		for (size_t i = 0; i < address.len; i++) {
			char c = address.p[i];

			if (!char_is_digit(c) && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') &&
			    c != '_')
				return false;
		}
		if (line.p[0] != '\t')
			return false;
	}
	script_frame_name(s, &f);
	if (f.module.p == NULL && !f.is_inlined && (!is_indented || !is_hex))
		return false;
	f.is_kernel_address = is_hex && script_is_kernel_address(address);
	*ret = f;
	return true;
}

/*
 * Find a frame `address symbol (dso)` at the end of @rest, the fields of an event:
 * "c0000000000f8094 a+0x18 (b)" in "runtime=9 c0000000000f8094 a+0x18 (b)". False: no frame.
 */
static bool script_fields_frame(struct str rest, struct script_frame *ret)
{
	struct str s = rest;
	struct str word;
	bool is_found = false;

	if (rest.len == 0 || rest.len > 4096 || rest.p[rest.len - 1] != ')')
		return false;
	while (str_word(&s, &word)) {
		struct script_frame f = { .address = word };

		if (word.len < 8 || !script_hex(word))
			continue;
		script_frame_name(s, &f);
		if (f.module.p == NULL)
			continue;
		f.is_kernel_address = script_is_kernel_address(word);
		*ret = f;
		is_found = true;
	}
	return is_found;
}

bool script_rest_frame(struct str rest, struct script_frame *ret)
{
	struct str from = str_sub(rest, 0, str_find(rest, STR(" => ")));
	bool is_branch = from.len < rest.len;
	struct str s = from;
	struct str word;

	/* words for the kind of the branch may precede the address: "tr strt", "jcc" */
	for (size_t n = 0; n < 6 && str_word(&s, &word); n++) {
		struct script_frame f = { .address = word };
		bool is_flag = true;

		if (script_hex(word) && (s.len || is_branch || word.len >= 6)) {
			script_frame_name(s, &f);
			if (f.module.p == NULL && !is_branch && s.len && word.len < 6)
				return false;
			f.is_kernel_address = script_is_kernel_address(word);
			*ret = f;
			return true;
		}
		for (size_t i = 0; i < word.len; i++)
			is_flag = is_flag && word.p[i] >= 'a' && word.p[i] <= 'z';
		if (!is_flag)
			break;
	}
	return script_fields_frame(rest, ret);
}

bool script_is_trace_error(struct str line)
{
	return str_starts(str_ltrim(line), STR("instruction trace error"));
}

bool script_is_source_line(struct str line)
{
	struct str s = str_trim(line);
	size_t digits = s.len;
	size_t open;

	if (s.len == 0 || str_find_char(s, ' ') < s.len)
		return false;
	while (digits && char_is_digit(s.p[digits - 1]))
		digits--;
	if (digits >= 2 && digits < s.len && s.p[digits - 1] == ':')
		return true;
	open = str_rfind_char(s, '[');
	return s.p[s.len - 1] == ']' && open > 0 && open < s.len &&
	       script_hex(str_sub(s, open + 1, s.len - 1));
}
