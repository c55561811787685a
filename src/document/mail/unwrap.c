/* SPDX-License-Identifier: MIT */
#include "document/mail/unwrap.h"

#include "base/out.h"
#include "base/status.h"
#include "base/str.h"

#define UNWRAP_WORD_BYTES 256u

static bool unwrap_is_alpha(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool unwrap_is_alnum(char c)
{
	return char_is_digit(c) || unwrap_is_alpha(c);
}

static char unwrap_last(struct str s)
{
	return s.p[s.len - 1];
}

/* The last word of @head. */
static struct str unwrap_last_word(struct str head)
{
	size_t n = 0;

	while (n < head.len && n < UNWRAP_WORD_BYTES && !char_is_space(head.p[head.len - n - 1]))
		n++;
	return str_skip(head, head.len - n);
}

static struct str unwrap_first_word(struct str tail)
{
	size_t n = 0;

	while (n < tail.len && n < UNWRAP_WORD_BYTES && !char_is_space(tail.p[n]))
		n++;
	return str_sub(tail, 0, n);
}

/*
 * The longest suffix of @w that consists of digits (hexadecimal ones if @hex) and the character
 * @also.
 */
static struct str unwrap_end_run(struct str w, char also, bool hex)
{
	size_t n = 0;

	while (n < w.len) {
		char c = w.p[w.len - n - 1];

		if (!(hex ? char_hex(c) >= 0 : char_is_digit(c)) && c != also)
			break;
		n++;
	}
	return str_skip(w, w.len - n);
}

static struct str unwrap_start_run(struct str w, char also, bool hex)
{
	size_t n = 0;

	while (n < w.len &&
	       ((hex ? char_hex(w.p[n]) >= 0 : char_is_digit(w.p[n])) || w.p[n] == also))
		n++;
	return str_sub(w, 0, n);
}

/* Whether @s is an IPv4 address. */
static bool unwrap_is_ipv4(struct str s)
{
	for (unsigned int i = 0; i < 4; i++) {
		uint64_t v;

		if ((i > 0 && !str_take(&s, STR("."))) || s.len == 0 || !str_u64(&s, &v) || v > 255)
			return false;
	}
	return s.len == 0;
}

/*
 * Whether the line break splits an IPv4 address: "192.168.22" + "0.102", "192.168.10" + ".10",
 * "192." + "168.220.103".
 */
static bool unwrap_splits_ipv4(struct str a, struct str b)
{
	char buf[32];
	struct str x = unwrap_end_run(a, '.', /* hex= */ false);
	struct str y = unwrap_start_run(b, '.', /* hex= */ false);

	/* drop the dot at the end of a sentence: "192.168.22" + "0.102." */
	if (y.len > 1 && unwrap_last(y) == '.')
		y.len--;
	if (x.len < 2 || y.len == 0 || x.len + y.len > 15 || unwrap_is_ipv4(x) || unwrap_is_ipv4(y))
		return false;
	memcpy(buf, x.p, x.len);
	memcpy(buf + x.len, y.p, y.len);
	return unwrap_is_ipv4((struct str){ buf, x.len + y.len });
}

static bool unwrap_is_uuid(struct str s)
{
	if (s.len != 36)
		return false;
	for (size_t i = 0; i < s.len; i++) {
		bool dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (dash ? s.p[i] != '-' : char_hex(s.p[i]) < 0)
			return false;
	}
	return true;
}

/* Whether the line break splits a UUID, a SHA-1 or a SHA-256 into the words @a and @b. */
static bool unwrap_splits_hex(struct str a, struct str b)
{
	char buf[64];
	struct str x = unwrap_end_run(a, '-', /* hex= */ true);
	struct str y = unwrap_start_run(b, '-', /* hex= */ true);
	size_t n = x.len + y.len;

	if (x.len == 0 || y.len == 0 || n > sizeof(buf))
		return false;
	memcpy(buf, x.p, x.len);
	memcpy(buf + x.len, y.p, y.len);
	if (unwrap_is_uuid((struct str){ buf, n }))
		return true;
	/* a part of exactly 16 digits is more likely a complete address than a part of a hash */
	return (n == 40 || n == 64) && x.len != 16 && y.len != 16 && !memchr(buf, '-', n);
}

/* Whether @a ends in the scheme of a network address: "tcp:", "unix:". */
static bool unwrap_ends_scheme(struct str a)
{
	static const char *const schemes[] = { "tcp:",  "ssl:",   "unix:", "udp:",
					       "http:", "https:", "file:" };

	for (size_t i = 0; i < ARRAY_LEN(schemes); i++) {
		if (str_ends(a, str_of(schemes[i])))
			return true;
	}
	return false;
}

/*
 * Whether the end of word @a shows that it continues in @b without a blank: "foo(", "0x", "/usr/".
 */
static bool unwrap_is_open_end(struct str a, struct str b)
{
	char before = a.len > 1 ? a.p[a.len - 2] : ' ';

	switch (unwrap_last(a)) {
	case '(':
	case '[':
	case '{':
		return true;
	case '<': /* bracket of a C++ template; not the operator in "4 <" */
		return unwrap_is_alnum(before) || before == '_' || before == '>';
	case '_':
	case '/':
		return a.len > 1 && unwrap_is_alnum(before);
	case '-': /* "sandbox-" and "wait-" continue in the next line; "-" and "--" do not */
		return unwrap_is_alnum(before) && unwrap_is_alnum(b.p[0]);
	case '+': /* "libc.so[7f96e9c96000+" continues in the next line; "g++" does not */
		return char_hex(before) >= 0 && char_hex(b.p[0]) >= 0 &&
		       str_find_char(a, '[') < a.len && str_find_char(a, ']') == a.len;
	case ':':
		if (before == ':')
			return a.len > 2 || unwrap_is_alpha(b.p[0]);
		return unwrap_ends_scheme(a) &&
		       (char_is_digit(b.p[0]) || b.p[0] == '/' || b.p[0] == '[');
	case 'x': /* "0x" continues in the next line */
		return str_ends(a, STR("0x")) && char_hex(b.p[0]) >= 0 &&
		       (a.len == 2 || !unwrap_is_alnum(a.p[a.len - 3]));
	default:
		return false;
	}
}

/* Whether a template bracket '<' is open at the end of @head. */
static bool unwrap_is_in_template(struct str head)
{
	int open = 0;

	if (head.len > UNWRAP_WORD_BYTES)
		head = str_skip(head, head.len - UNWRAP_WORD_BYTES);
	for (size_t i = 0; i < head.len; i++) {
		if (head.p[i] == '<')
			open++;
		else if (head.p[i] == '>' && open > 0)
			open--;
	}
	return open > 0;
}

/*
 * Whether the first character of @b, the first word after the line break, shows that @b continues
 * the previous word: it is a character such as "," or ")".
 */
static bool unwrap_is_open_start(struct str head, struct str a, struct str b)
{
	char next = b.len > 1 ? b.p[1] : ' ';

	switch (b.p[0]) {
	case ',':
	case ';':
	case ')':
	case ']':
	case '}':
		return true;
	case ':':
		return next == ':' ? unwrap_is_alnum(unwrap_last(a)) || unwrap_last(a) == '>'
				   : char_is_digit(unwrap_last(a)) && char_is_digit(next);
	/*
	 * A '>' that closes a template continues the word. If @a ends in '>', though, the demangler
	 * has written the blank between both.
	 */
	case '>':
		return next != ' ' && next != '=' && unwrap_last(a) != '>' &&
		       unwrap_is_in_template(head);
	default:
		return false;
	}
}

/*
 * Whether @a is the start of a path or address that continues in @b:
 * "<->/root/sandbox-192.168.72.4" + "5/br-int".
 */
static bool unwrap_splits_path(struct str a, struct str b)
{
	struct str digits = unwrap_start_run(b, '0', /* hex= */ false);

	if (str_find_char(a, '/') == a.len)
		return false;
	if (str_contains(a, STR("://")))
		return unwrap_is_alnum(unwrap_last(a)) && str_find_char(b, '/') < b.len;
	return char_is_digit(unwrap_last(a)) && digits.len > 0 && digits.len < b.len &&
	       b.p[digits.len] == '/';
}

enum unwrap unwrap_decide(struct str head, struct str tail)
{
	struct str a;
	struct str b = unwrap_first_word(tail);

	/* @a is empty if @head ends in a blank: the mailer broke the line at that blank */
	a = unwrap_last_word(head);
	if (a.len == 0 || b.len == 0)
		return UNWRAP_BLANK;
	if (unwrap_is_open_end(a, b) || unwrap_is_open_start(head, a, b) ||
	    unwrap_splits_ipv4(a, b) || unwrap_splits_hex(a, b) || unwrap_splits_path(a, b))
		return UNWRAP_GLUE;
	return UNWRAP_BLANK;
}

/*
 * Remove blanks at the end of @o. Then append one blank, unless the next line, @tail, continues the
 * last word of @o.
 */
static void unwrap_seam(struct out *o, struct str tail)
{
	enum unwrap how = unwrap_decide(out_view(o), tail);

	while (o->len && char_is_space(o->data[o->len - 1]))
		o->len--;
	if (o->len && how == UNWRAP_BLANK)
		out_char(o, ' ');
}

void unwrap_append_squeezed(struct out *o, struct str tail)
{
	struct str word;
	bool first = true;

	tail = str_trim(tail);
	if (tail.len == 0)
		return;
	unwrap_seam(o, tail);
	while (str_word(&tail, &word)) {
		if (!first)
			out_char(o, ' ');
		out_str(o, word);
		first = false;
	}
}
