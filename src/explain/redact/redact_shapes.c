/* SPDX-License-Identifier: MIT */
#include "explain/redact/redact_shapes.h"

#include "base/status.h"
#include "base/str.h"
#include "base/text/utf8.h"

#define REDACT_IPV6_GROUPS   8u
#define REDACT_MODIFIERS_MAX 5u

/* The byte of @s at index @at; '\n' if @s is shorter. */
static char redact_at(struct str s, size_t at)
{
	return at < s.len ? s.p[at] : '\n';
}

static bool redact_is_one_of(struct str s, const char *const *words)
{
	for (; *words; words++) {
		if (str_eq(s, str_of(*words)))
			return true;
	}
	return false;
}

bool redact_shape_is_common(struct str word)
{
	static const char *const words[] = {
		"root", "localhost", "localdomain", "admin",           "user", "nobody",
		"home", "127.0.0.1", "0.0.0.0",     "255.255.255.255", NULL
	};

	return redact_is_one_of(word, words);
}

/* Whether @c is a letter outside of ASCII. The 'µ' of "µs" and the lines of tables do not count. */
static bool redact_is_foreign_letter(uint32_t c)
{
	return (c >= 0xc0 && c <= 0x24f && c != 0xd7 && c != 0xf7) ||
	       (c >= 0x370 && c <= 0x1fff && c != 0x3bc) || (c >= 0x3040 && c <= 0xd7af);
}

size_t redact_shape_word(struct str s)
{
	size_t n = 0;

	while (n < s.len) {
		uint32_t code;
		size_t len;

		if (char_is_word(s.p[n])) {
			n++;
			continue;
		}
		len = (unsigned char)s.p[n] < 0x80 ? 0 : utf8_decode(str_skip(s, n), &code);
		if (!len || !redact_is_foreign_letter(code))
			break;
		n += len;
	}
	return n;
}

/*
 * Length of an IPv4 address at the start of @s: four numbers up to 255, separated by @dot; 0: none.
 */
static size_t redact_ipv4(struct str s, char dot)
{
	struct str rest = s;

	for (int i = 0; i < 4; i++) {
		size_t before = rest.len;
		uint64_t v;

		if (i && (redact_at(rest, 0) != dot || !char_is_digit(redact_at(rest, 1))))
			return 0;
		rest = str_skip(rest, i ? 1 : 0);
		before = rest.len;
		if (!str_u64(&rest, &v) || v > 255 || before - rest.len > 3)
			return 0;
	}
	if (char_is_word(redact_at(rest, 0)) ||
	    (redact_at(rest, 0) == dot && char_is_digit(redact_at(rest, 1))))
		return 0;
	return s.len - rest.len;
}

static size_t redact_hex_run(struct str s)
{
	size_t n = 0;

	while (n < s.len && char_hex(s.p[n]) >= 0)
		n++;
	return n;
}

/*
 * Length of groups of hexadecimal digits at the start of @s, such as a UUID; 0: none. @groups:
 * number of digits of each group, ended by 0. @dash: the character between groups.
 */
static size_t redact_groups(struct str s, const unsigned char *groups, char dash)
{
	size_t at = 0;

	for (size_t i = 0; groups[i]; i++) {
		if (i && redact_at(s, at++) != dash)
			return 0;
		if (redact_hex_run(str_skip(s, at)) != groups[i])
			return 0;
		at += groups[i];
	}
	return char_is_word(redact_at(s, at)) || redact_at(s, at) == dash ? 0 : at;
}

/*
 * Length of an IPv6 address at the start of @s; 0: none. It has eight groups, or fewer with "::",
 * and at least one decimal digit ("::" alone and "a::b" are C++).
 */
static size_t redact_ipv6(struct str s)
{
	unsigned int groups = 0;
	bool has_gap = false;
	bool has_digit = false;
	size_t at = 0;

	while (at < s.len) {
		size_t n = redact_hex_run(str_skip(s, at));

		if (n > 4)
			return 0;
		for (size_t i = at; i < at + n; i++)
			has_digit |= char_is_digit(s.p[i]);
		groups += n > 0;
		at += n;
		if (redact_at(s, at) != ':')
			break;
		if (redact_at(s, at + 1) == ':') {
			if (has_gap)
				return 0;
			has_gap = true;
			at++;
		} else if (char_hex(redact_at(s, at + 1)) < 0) {
			break;
		}
		at++;
	}
	if (char_is_word(redact_at(s, at)) || !has_digit)
		return 0;
	return groups == REDACT_IPV6_GROUPS || (has_gap && groups >= 3) ? at : 0;
}

/* Length of an IPv6 address, a hardware address or a UUID at the start of @s; 0: none. */
static size_t redact_hex_shape(struct str s)
{
	static const unsigned char mac[] = { 2, 2, 2, 2, 2, 2, 0 };
	static const unsigned char uuid[] = { 8, 4, 4, 4, 12, 0 };
	size_t n = redact_groups(s, mac, ':');

	n = n ? n : redact_groups(s, mac, '-');
	n = n ? n : redact_groups(s, uuid, '-');
	return n ? n : redact_ipv6(s);
}

static size_t redact_label(struct str s)
{
	size_t n = 0;

	while (n < s.len && (char_is_letter(s.p[n]) || char_is_digit(s.p[n]) || s.p[n] == '-'))
		n++;
	return n;
}

/*
 * Length of the dotted name at the start of @s, such as "db1.example.com". *@ret_last: its last
 * label, "com".
 */
static size_t redact_labels(struct str s, struct str *ret_last)
{
	size_t at = 0;

	for (;;) {
		size_t n = redact_label(str_skip(s, at));

		*ret_last = str_sub(s, at, at + n);
		at += n;
		if (n == 0 || redact_at(s, at) != '.' || !redact_label(str_skip(s, at + 1)))
			return at;
		at++;
	}
}

/*
 * Length of a host name with a known domain, such as "db1.example.com", at the start of @s; 0:
 * none.
 */
static size_t redact_host_name(struct str s)
{
	static const char *const domains[] = { "com",   "org",   "net",         "edu", "gov",
					       "io",    "dev",   "de",          "uk",  "fr",
					       "cn",    "jp",    "ru",          "nl",  "eu",
					       "ch",    "local", "internal",    "lan", "corp",
					       "cloud", "intra", "localdomain", NULL };
	struct str last;
	size_t n = redact_labels(s, &last);

	if (n <= last.len || !redact_is_one_of(last, domains) || char_is_word(redact_at(s, n)) ||
	    redact_at(s, n) == '(' || redact_at(s, n) == ';')
		return 0;
	return n;
}

static bool redact_is_alphabetic(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (!char_is_letter(s.p[i]))
			return false;
	}
	return s.len > 1;
}

/* Length of an e-mail address, or of "user@host" in a prompt, at the start of @s; 0: none. */
static size_t redact_mail_address(struct str s, bool is_start)
{
	size_t n = 0;
	struct str last;
	size_t host;

	while (n < s.len && (char_is_word(s.p[n]) || (n && strchr(".%+-", s.p[n]))))
		n++;
	if (n == 0 || redact_at(s, n) != '@')
		return 0;
	host = redact_labels(str_skip(s, n + 1), &last);
	if (host == 0 || char_is_word(redact_at(s, n + 1 + host)))
		return 0;
	if (host > last.len)
		return redact_is_alphabetic(last) ? n + 1 + host : 0;
	if (!is_start || str_eq(last, STR("plt")) || !strchr(": ", redact_at(s, n + 1 + host)))
		return 0;
	return n + 1 + host;
}

static bool redact_is_of_path(char c)
{
	return char_is_word(c) || (unsigned char)c >= 0x80 || (c && strchr("./+~@%=,-", c));
}

/* Length of an absolute path with at least two slashes at the start of @s; 0: none. */
static size_t redact_path_length(struct str s)
{
	size_t n = 0;
	size_t slashes = 0;

	if (redact_at(s, 0) != '/' || !(char_is_word(redact_at(s, 1)) || redact_at(s, 1) == '.'))
		return 0;
	for (; n < s.len && redact_is_of_path(s.p[n]); n++)
		slashes += s.p[n] == '/';
	while (n && strchr(".,", s.p[n - 1]))
		n--;
	return slashes > 1 ? n : 0;
}

bool redact_shape_is_private(struct str path)
{
	static const char *const system[] = { "proc",  "sys",   "dev", "usr",  "lib",
					      "lib32", "lib64", "bin", "sbin", "etc",
					      "run",   "boot",  "tmp", "var",  NULL };
	struct str rest = str_skip(path, 1);

	return !redact_is_one_of(str_sub(rest, 0, str_find_char(rest, '/')), system);
}

/*
 * Length of an escape sequence at the start of @s, such as "\n" of C or "\u00e9" of JSON; 0: none.
 * Its letter is not part of the next word.
 */
static size_t redact_escape(struct str s)
{
	char c = redact_at(s, 1);

	if (redact_at(s, 0) != '\\' || !c)
		return 0;
	return strchr("ntrbfv0", c) ? 2 : c == 'x' ? 4 : c == 'u' ? 6 : 0;
}

/* Length of the modifiers of an event at the start of @s, "ppp" for "cycles:ppp"; 0: none. */
static size_t redact_modifiers(struct str s)
{
	size_t n = 0;

	while (n < s.len && s.p[n] && strchr("ukhGHpPSDWe", s.p[n]))
		n++;
	return n > REDACT_MODIFIERS_MAX || char_is_word(redact_at(s, n)) ? 0 : n;
}

static size_t redact_set(enum redact_shape shape, size_t n, enum redact_shape *ret)
{
	if (n)
		*ret = shape;
	return n;
}

size_t redact_shape_find(struct str line, size_t at, enum redact_shape *ret)
{
	struct str s = str_skip(line, at);
	char before = at ? line.p[at - 1] : '\n';
	size_t n = redact_set(REDACT_SHAPE_ESCAPE, redact_escape(s), ret);

	if (n)
		return n < s.len ? n : s.len;
	*ret = REDACT_SHAPE_NONE;
	if (char_is_word(before))
		return 0;
	if (before == ':' && at > 1 && char_is_word(line.p[at - 2])) {
		n = redact_set(REDACT_SHAPE_ESCAPE, redact_modifiers(s), ret);
		if (n)
			return n;
	}
	if (s.p[0] == '/')
		return before == '/' || before == '.'
			       ? 0
			       : redact_set(REDACT_SHAPE_PATH, redact_path_length(s), ret);
	if (s.p[0] != ':' && !char_is_word(s.p[0]))
		return 0;
	if (char_is_digit(s.p[0]) && before != '.')
		n = redact_set(REDACT_SHAPE_IPV4, redact_ipv4(s, before == '-' ? '-' : '.'), ret);
	if (!n && before != ':' && before != '-')
		n = redact_set(REDACT_SHAPE_HEX, redact_hex_shape(s), ret);
	if (!n && char_is_word(s.p[0]))
		n = redact_set(REDACT_SHAPE_MAIL,
			       redact_mail_address(s, before == '\n' || before == '['), ret);
	if (!n && before != '.' && before != '-')
		n = redact_set(REDACT_SHAPE_HOST, redact_host_name(s), ret);
	return n;
}

size_t redact_shape_people(struct str line)
{
	static const char *const keys[] = { "from",   "to",     "cc",       "sender",    "reply-to",
					    "author", "commit", "hostname", "committer", NULL };
	size_t at = 0;
	size_t n;
	struct str key;

	if (str_ends(str_rtrim(line), STR("wrote:")))
		return 0;
	while (at < line.len && strchr("> |#*\t", line.p[at]))
		at++;
	n = redact_label(str_skip(line, at));
	key = str_sub(line, at, at + n);
	at += n;
	while (redact_at(line, at) == ' ')
		at++;
	if (redact_at(line, at) != ':')
		return line.len;
	for (const char *const *k = keys; *k; k++) {
		if (str_eq_nocase(key, str_of(*k)))
			return at + 1;
	}
	return str_ends(key, STR("-by")) ? at + 1 : line.len;
}
