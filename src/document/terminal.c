/* SPDX-License-Identifier: MIT */
#include "document/terminal.h"

#include "base/out.h"
#include "base/str.h"
#include "document/clean.h"

#define TERMINAL_SHADE  STR("\xe2\x96\x92")
#define TERMINAL_SLIDER STR("\xe2\x97\x86")
#define TERMINAL_CHUNK  4096u
/* maximum length of a window title in bytes; a longer one counts as unterminated */
#define TERMINAL_OSC_MAX 4096u

struct byte_traits terminal_traits(struct str text)
{
	struct byte_traits t = { 0 };

	for (size_t at = 0; at < text.len; at += TERMINAL_CHUNK) {
		struct str s = str_sub(text, at, at + TERMINAL_CHUNK);
		unsigned char esc = 0, cr = 0, high = 0, amp = 0, tick = 0, less = 0, odd = 0;

		for (size_t i = 0; i < s.len; i++) {
			unsigned char c = (unsigned char)s.p[i];

			esc |= c == 0x1b;
			cr |= c == '\r';
			high |= c;
			amp |= c == '&';
			tick |= c == '`';
			less |= c == '<';
			odd |= c < 0x20 && c != '\n' && c != '\t';
		}
		t.has_escape |= esc;
		t.has_cr |= cr;
		t.has_high |= high >= 0x80;
		t.has_amp |= amp;
		t.has_tick |= tick;
		t.has_less |= less;
		for (size_t i = 0; odd && i < s.len; i++) {
			unsigned char c = (unsigned char)s.p[i];

			t.n_control += c < 0x20 && !(c >= '\b' && c <= '\r') && c != 0x1b;
		}
	}
	return t;
}

/*
 * Length of the Unicode blank at the start of @s: a character of general category Zs, except ' '.
 * 0: there is no such blank.
 */
static size_t terminal_blank(struct str s)
{
	unsigned char b = s.len > 2 ? (unsigned char)s.p[2] : 0;

	if (str_starts(s, STR("\xc2\xa0")))
		return 2;
	if (str_starts(s, STR("\xe2\x80")) && ((b >= 0x80 && b <= 0x8a) || b == 0xaf))
		return 3;
	return str_starts(s, STR("\xe2\x81\x9f")) || str_starts(s, STR("\xe3\x80\x80")) ? 3 : 0;
}

/*
 * Whether @line begins with the two characters "\t". A stack trace in a quoted string has such
 * lines.
 */
static bool terminal_has_tab(struct str line)
{
	return line.len > 2 && line.p[0] == '\\' && line.p[1] == 't';
}

bool terminal_is_dirty(struct str line, const struct byte_traits *t)
{
	if (terminal_has_tab(line))
		return true;
	if (t->has_escape && str_find_char(line, '\x1b') < line.len)
		return true;
	if (!t->has_high)
		return false;
	for (size_t i = 0; i + 1 < line.len; i++) {
		struct str s = str_skip(line, i);

		if ((unsigned char)s.p[0] < 0x80)
			continue;
		if (terminal_blank(s) || str_starts(s, TERMINAL_SHADE) ||
		    str_starts(s, TERMINAL_SLIDER))
			return true;
	}
	return false;
}

/* Length of the escape sequence at the start of @s, which starts with ESC. */
static size_t terminal_escape(struct str s)
{
	size_t i = 2;

	if (s.len < 2)
		return s.len;
	switch (s.p[1]) {
	case '[': /* control sequence: parameters, intermediates, one final byte */
		while (i < s.len && s.p[i] >= 0x20 && s.p[i] <= 0x3f)
			i++;
		return i < s.len && s.p[i] >= 0x40 && s.p[i] <= 0x7e ? i + 1 : i;
	case ']': /* window title, which ends with BEL or ESC \ */
		for (; i < s.len && i < TERMINAL_OSC_MAX; i++) {
			if (s.p[i] == '\a')
				return i + 1;
			if (s.p[i] == '\x1b')
				return i + 1 < s.len && s.p[i + 1] == '\\' ? i + 2 : 2;
		}
		return 2;
	case '(':
	case ')':
	case '#':
		return s.len > 2 ? 3 : 2;
	default:
		return s.p[1] >= 0x20 && s.p[1] < 0x7f ? 2 : 1;
	}
}

void terminal_line(struct str line, struct out *out, uint32_t *undone)
{
	size_t first = out->len;
	bool has_shade_last = false;
	size_t i = 0;

	if (terminal_has_tab(line)) {
		out_char(out, '\t');
		i = 2;
		*undone |= UNDONE_ESCAPES;
	}
	while (i < line.len) {
		struct str s = str_skip(line, i);
		unsigned char c = (unsigned char)s.p[0];

		if (c == 0x1b) {
			i += terminal_escape(s);
			*undone |= UNDONE_ESCAPES;
		} else if (c < 0x80) {
			out_char(out, (char)c);
			has_shade_last &= c == ' ';
			i++;
		} else if (terminal_blank(s)) {
			out_char(out, ' ');
			*undone |= UNDONE_NBSP;
			i += terminal_blank(s);
		} else if (str_starts(s, TERMINAL_SHADE) || str_starts(s, TERMINAL_SLIDER)) {
			out_char(out, ' ');
			has_shade_last = true;
			*undone |= UNDONE_SHADES;
			i += 3;
		} else {
			out_char(out, (char)c);
			has_shade_last = false;
			i++;
		}
	}
	while (has_shade_last && out->len > first && out->data[out->len - 1] == ' ')
		out->len--;
}
