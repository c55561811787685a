/* SPDX-License-Identifier: MIT */
#include "analyses/logs/log_summary.h"

#include "base/out.h"
#include "base/status.h"
#include "base/str.h"

/* Length of a UUID (8-4-4-4-12 hex digits) at the start of @s; 0: none. */
static size_t template_uuid(struct str s)
{
	static const size_t groups[] = { 8, 4, 4, 4, 12 };
	size_t at = 0;

	for (size_t g = 0; g < ARRAY_LEN(groups); g++) {
		if (g && (at >= s.len || s.p[at++] != '-'))
			return 0;
		for (size_t i = 0; i < groups[g]; i++, at++) {
			if (at >= s.len || char_hex(s.p[at]) < 0)
				return 0;
		}
	}
	return at < s.len && char_is_word(s.p[at]) ? 0 : at;
}

/* Length of an IPv4 address at the start of @s, including ":port" or "/bits"; 0: none. */
static size_t template_ipv4(struct str s)
{
	struct str rest = s;
	uint64_t v;

	for (int part = 0; part < 4; part++) {
		if (part && !str_take(&rest, STR(".")))
			return 0;
		if (!str_u64(&rest, &v) || v > 255)
			return 0;
	}
	if (rest.len > 1 && (rest.p[0] == ':' || rest.p[0] == '/') && char_is_digit(rest.p[1])) {
		rest = str_skip(rest, 1);
		while (rest.len && char_is_digit(rest.p[0]))
			rest = str_skip(rest, 1);
	}
	return rest.len && char_is_word(rest.p[0]) ? 0 : s.len - rest.len;
}

/* Length of a MAC address, "aa:bb:cc:dd:ee:ff", at the start of @s; 0: none. */
static size_t template_mac(struct str s)
{
	if (s.len < 17 || (s.len > 17 && char_is_word(s.p[17])))
		return 0;
	for (size_t i = 0; i < 17; i++) {
		if (i % 3 == 2 ? s.p[i] != ':' : char_hex(s.p[i]) < 0)
			return 0;
	}
	return 17;
}

/*
 * Length of a hex word at the start of @s; 0: none. A hex word begins with "0x", or has at least 4
 * hex digits, among them a decimal digit and a letter.
 */
static size_t template_hex(struct str s)
{
	struct str rest = s;
	bool has_prefix = str_take(&rest, STR("0x"));
	bool has_digit = false;
	bool has_letter = false;
	size_t n = 0;

	for (; n < rest.len && char_hex(rest.p[n]) >= 0; n++) {
		has_digit |= char_is_digit(rest.p[n]);
		has_letter |= !char_is_digit(rest.p[n]);
	}
	if (n < rest.len && char_is_word(rest.p[n]))
		return 0;
	if (has_prefix)
		return n ? n + 2 : 0;
	return n >= 4 && has_digit && has_letter ? n : 0;
}

static size_t template_number(struct str s)
{
	size_t n = 0;

	while (n < s.len && char_is_digit(s.p[n]))
		n++;
	if (n + 1 < s.len && s.p[n] == '.' && char_is_digit(s.p[n + 1])) {
		n++;
		while (n < s.len && char_is_digit(s.p[n]))
			n++;
	}
	return n;
}

void log_template_text(struct str text, struct out *out)
{
	bool in_word = false;
	size_t at = 0;

	while (at < text.len) {
		struct str s = str_skip(text, at);
		char c = s.p[0];
		size_t n = 0;

		if (!in_word && char_hex(c) >= 0) {
			if ((n = template_uuid(s)) > 0)
				out_z(out, "<id>");
			else if ((n = template_mac(s)) > 0 || (n = template_ipv4(s)) > 0)
				out_z(out, "<addr>");
			else if ((n = template_hex(s)) > 0)
				out_z(out, "<id>");
		}
		if (n == 0 && char_is_digit(c)) {
			n = template_number(s);
			out_z(out, "<n>");
		}
		if (n == 0) {
			out_char(out, c);
			n = 1;
		}
		at += n;
		in_word = char_is_word(text.p[at - 1]);
	}
}
