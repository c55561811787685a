/* SPDX-License-Identifier: MIT */
#include "explain/redact/redact_text.h"

#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "explain/redact/redact_names.h"
#include "explain/redact/redact_shapes.h"

#define REDACT_HASH_MIN 20u
/* A hexadecimal word with at least this many digits is a code address. */
#define REDACT_CODE_MIN 8u

void redact_text_init(struct redact_text *r, const struct redact_key *key)
{
	r->out = NULL;
	redact_names_init(&r->names, key);
}

void redact_text_fini(struct redact_text *r)
{
	redact_names_fini(&r->names);
}

static void redact_put(const struct redact_text *r, struct str s)
{
	if (r->out)
		out_str(r->out, s);
}

static void redact_put_word(struct redact_text *r, struct str word)
{
	if (r->out)
		out_str(r->out, redact_names_word(&r->names, word));
	else
		redact_names_learn(&r->names, word);
}

static void redact_put_forced(struct redact_text *r, struct str word)
{
	if (r->out)
		out_str(r->out, redact_names_forced(&r->names, word));
	else
		redact_names_learn(&r->names, word);
}

static void redact_put_digits(struct redact_text *r, struct str digits, bool is_decimal)
{
	if (r->out)
		out_str(r->out, redact_names_digits(&r->names, digits, is_decimal));
	else
		redact_names_learn(&r->names, digits);
}

/* Whether @s has only hexadecimal digits, and at least one decimal digit. */
static bool redact_is_hex(struct str s)
{
	bool has_digit = false;

	for (size_t i = 0; i < s.len; i++) {
		if (char_hex(s.p[i]) < 0)
			return false;
		has_digit |= char_is_digit(s.p[i]);
	}
	return has_digit;
}

/*
 * Replace the names inside a mangled name of C++ or Rust. In "_ZN3foo3barEv", a number before each
 * name is its length.
 */
static void redact_mangled(struct redact_text *r, struct str s)
{
	while (s.len) {
		struct str rest = s;
		uint64_t n;

		if (!str_u64(&rest, &n)) {
			redact_put(r, str_sub(s, 0, 1));
			s = str_skip(s, 1);
			continue;
		}
		redact_put(r, str_sub(s, 0, s.len - rest.len));
		n = n < rest.len ? n : rest.len;
		if (n)
			redact_put_word(r, str_sub(rest, 0, (size_t)n));
		s = str_skip(rest, (size_t)n);
	}
}

/*
 * Write @run, which has only letters, digits and '_': a word, a number with a unit, a hash or an
 * address.
 */
static void redact_run(struct redact_text *r, struct str run)
{
	struct str word = run;

	if (redact_is_hex(run) && run.len >= REDACT_HASH_MIN) {
		redact_put_digits(r, run, false);
		return;
	}
	if ((redact_is_hex(run) && run.len >= REDACT_CODE_MIN) ||
	    str_starts_nocase(run, STR("0x"))) {
		redact_put(r, run);
		return;
	}
	if (str_starts(run, STR("_Z")) || str_starts(run, STR("__Z")) ||
	    str_starts(run, STR("_R"))) {
		redact_mangled(r, run);
		return;
	}
	/* keep the number of "10us" or "4kB". The unit is replaced if it is no public word. */
	while (word.len && char_is_digit(word.p[0]))
		word = str_skip(word, 1);
	redact_put(r, str_sub(run, 0, run.len - word.len));
	if (word.len && word.len < run.len && redact_is_hex(run))
		redact_put(r, word); /* keep "7f3a", a code address */
	else if (word.len)
		redact_put_word(r, word);
}

/* Replace the words of @s, and keep all bytes between them. */
static void redact_words_of(struct redact_text *r, struct str s)
{
	while (s.len) {
		size_t n = redact_shape_word(s);

		if (n)
			redact_run(r, str_sub(s, 0, n));
		else
			redact_put(r, str_sub(s, 0, n = 1));
		s = str_skip(s, n);
	}
}

/*
 * Replace every word of @s, even public ones. @has_common: keep words that every machine has, such
 * as "root".
 */
static void redact_force(struct redact_text *r, struct str s, bool has_common)
{
	while (s.len) {
		size_t n = redact_shape_word(s);
		struct str word = str_sub(s, 0, n ? n : 1);

		if (n < 2 || (has_common && redact_shape_is_common(word)))
			redact_put(r, word);
		else
			redact_put_forced(r, word);
		s = str_skip(s, word.len);
	}
}

static void redact_line(struct redact_text *r, struct str line);

/*
 * Replace the names in a path. Folders of a private path such as /home/joe are always replaced,
 * even if they are public words. In other paths, and in the last component, only words that are not
 * public are replaced.
 */
static void redact_path(struct redact_text *r, struct str path)
{
	size_t slash = redact_shape_is_private(path) ? str_rfind_char(path, '/') : 0;

	redact_force(r, str_sub(path, 0, slash), false);
	redact_put(r, STR("/"));
	redact_line(r, str_skip(path, slash + 1));
}

/*
 * Replace all labels of a host name, except the last ("com" of "db1.example.com") and labels that
 * every machine has ("localhost").
 */
static void redact_host(struct redact_text *r, struct str host)
{
	size_t dot = str_rfind_char(host, '.');

	redact_force(r, str_sub(host, 0, dot), true);
	redact_put(r, str_skip(host, dot));
}

static void redact_mail(struct redact_text *r, struct str mail)
{
	size_t at = str_find_char(mail, '@');
	struct str host = str_skip(mail, at + 1);

	redact_force(r, str_sub(mail, 0, at + 1), true);
	if (str_find_char(host, '.') < host.len)
		redact_host(r, host);
	else
		redact_force(r, host, true);
}

static void redact_shape(struct redact_text *r, enum redact_shape shape, struct str s)
{
	switch (shape) {
	case REDACT_SHAPE_IPV4:
		if (redact_shape_is_common(s))
			redact_put(r, s);
		else
			redact_put_digits(r, s, true);
		break;
	case REDACT_SHAPE_HEX:
		redact_put_digits(r, s, false);
		break;
	case REDACT_SHAPE_MAIL:
		redact_mail(r, s);
		break;
	case REDACT_SHAPE_HOST:
		redact_host(r, s);
		break;
	case REDACT_SHAPE_PATH:
		redact_path(r, s);
		break;
	case REDACT_SHAPE_ESCAPE:
		redact_put(r, s);
		break;
	default:
		redact_words_of(r, s);
	}
}

static void redact_line(struct redact_text *r, struct str line)
{
	size_t people = redact_shape_people(line);
	size_t at = 0;

	while (at < line.len) {
		enum redact_shape shape;
		size_t n = redact_shape_find(line, at, &shape);

		if (shape == REDACT_SHAPE_NONE) {
			n = redact_shape_word(str_skip(line, at));
			n = n ? n : 1;
		}
		if (shape == REDACT_SHAPE_NONE && at >= people)
			redact_force(r, str_sub(line, at, at + n), true);
		else
			redact_shape(r, shape, str_sub(line, at, at + n));
		at += n;
	}
}

static void redact_lines(struct redact_text *r, struct str text)
{
	while (text.len) {
		size_t n = str_find_char(text, '\n');

		redact_line(r, str_sub(text, 0, n));
		if (n < text.len)
			redact_put(r, STR("\n"));
		text = str_skip(text, n + 1);
	}
}

void redact_text_learn(struct redact_text *r, struct str text)
{
	r->out = NULL;
	redact_lines(r, text);
}

void redact_text_write(struct redact_text *r, struct str text, struct out *out)
{
	r->out = out;
	redact_lines(r, text);
}
