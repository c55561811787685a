/* SPDX-License-Identifier: MIT */
#include "analyses/plain_name.h"

#include "analyses/compare/compare_names.h"
#include "base/status.h"

#include <string.h>

static void plain_push(struct plain_name *p, char c)
{
	if (p->len < sizeof(p->text))
		p->text[p->len++] = c;
}

/*
 * Index after the bracket that closes the bracket at index @at; s.len: there is no closing bracket.
 */
static size_t plain_close(struct str s, size_t at, char open, char close)
{
	unsigned int depth = 0;

	for (; at < s.len; at++) {
		if (s.p[at] == open)
			depth++;
		else if (s.p[at] == close && !(close == '>' && at && s.p[at - 1] == '-') &&
			 --depth == 0)
			return at + 1;
	}
	return s.len;
}

static bool plain_is_word(char c)
{
	return char_is_word(c) || c == '$';
}

/*
 * Whether @s ends with the word "operator". Signs and brackets that follow it belong to the name.
 */
static bool plain_is_operator(struct str s)
{
	return str_ends(s, STR("operator")) && (s.len == 8 || !plain_is_word(s.p[s.len - 9]));
}

/*
 * Whether @s ends with "decltype" or "decltype ". A bracket that follows it belongs to a return
 * type.
 */
static bool plain_is_decltype(struct str s)
{
	if (s.len && s.p[s.len - 1] == ' ')
		s.len--;
	return str_ends(s, STR("decltype")) && (s.len == 8 || !plain_is_word(s.p[s.len - 9]));
}

/* Find the type T in "<T as Trait>::method" at the start of @s. Returns the text after the '>'. */
static struct str plain_self_type(struct str s, struct str *ret_type)
{
	size_t end = plain_close(s, 0, '<', '>');
	struct str type = str_sub(s, 1, end > 1 ? end - 1 : 1);
	unsigned int depth = 0;

	for (size_t i = 0; i + 4 <= type.len; i++) {
		if (type.p[i] == '<')
			depth++;
		else if (type.p[i] == '>' && depth)
			depth--;
		else if (depth == 0 && memcmp(type.p + i, " as ", 4) == 0) {
			type = str_sub(type, 0, i);
			break;
		}
	}
	while (type.len && (type.p[0] == '&' || type.p[0] == '*' || type.p[0] == ' '))
		type = str_skip(type, 1);
	(void)str_take(&type, STR("mut "));
	(void)str_take(&type, STR("dyn "));
	*ret_type = type;
	return str_skip(s, end);
}

/*
 * If @s begins with a part that plain names omit, the length of this part; 0: it does not. Such
 * parts are the version of a namespace ("__1::") and an anonymous namespace.
 */
static size_t plain_skipped(struct str s)
{
	static const struct str skipped[] = { STR("(anonymous namespace)::"),
					      STR("{anonymous}::"),
					      STR("__1::"),
					      STR("__2::"),
					      STR("__ndk1::"),
					      STR("__cxx11::"),
					      STR("__debug::"),
					      STR("__cxx1998::"),
					      STR("_V2::") };

	for (size_t i = 0; i < ARRAY_LEN(skipped); i++) {
		if (str_starts(s, skipped[i]))
			return skipped[i].len;
	}
	return 0;
}

/*
 * Copy the sign of an operator from the start of @s to @p: the "<<" of "operator<<". Returns the
 * rest of @s.
 */
static struct str plain_take_operator(struct plain_name *p, struct str s)
{
	static const struct str signs[] = {
		STR("()"), STR("[]"), STR("<=>"), STR("<<="), STR(">>="), STR("->*"), STR("<<"),
		STR(">>"), STR("<="), STR(">="),  STR("=="),  STR("!="),  STR("->"),  STR("&&"),
		STR("||"), STR("++"), STR("--"),  STR("+="),  STR("-="),
	};
	size_t n = 1;

	for (size_t i = ARRAY_LEN(signs); i-- > 0;) {
		if (str_starts(s, signs[i]))
			n = signs[i].len;
	}
	for (size_t i = 0; i < n; i++)
		plain_push(p, s.p[i]);
	s = str_skip(s, n);
	return str_starts(s, STR(" <")) ? str_skip(s, 1) : s;
}

/*
 * Copy @s to @p without template arguments and parameters. True: @s had template arguments,
 * parameters or the sign of an operator. A blank in @p then separates the return type from the
 * name.
 */
static bool plain_strip(struct plain_name *p, struct str s)
{
	bool had = false;

	while (s.len && p->len < sizeof(p->text)) {
		size_t skipped =
			p->len == 0 || !plain_is_word(p->text[p->len - 1]) ? plain_skipped(s) : 0;

		if (skipped) {
			s = str_skip(s, skipped);
		} else if (plain_is_operator((struct str){ p->text, p->len }) &&
			   strchr("<>=!+-*/%&|^~,[(", s.p[0])) {
			s = plain_take_operator(p, s);
			had = true;
		} else if (s.p[0] == '<' && p->len) {
			/* Rust writes "Vec::<T>" instead of "Vec<T>" */
			if (str_ends((struct str){ p->text, p->len }, STR("::")))
				p->len -= 2;
			s = str_skip(s, plain_close(s, 0, '<', '>'));
			had = true;
		} else if (s.p[0] == '(' && p->len && p->text[p->len - 1] != '.') {
			s = str_skip(s, plain_close(s, 0, '(', ')'));
			had = true;
			if (s.len && !strchr(":.{}#", s.p[0]) &&
			    !plain_is_decltype((struct str){ p->text, p->len }))
				break;
		} else {
			plain_push(p, s.p[0]);
			s = str_skip(s, 1);
		}
	}
	return had;
}

/* Remove a return type from the start of a name: "int " in "int f". */
static void plain_drop_type(struct plain_name *p)
{
	for (size_t i = p->len; i-- > 0;) {
		if (p->text[i] != ' ' || plain_is_operator((struct str){ p->text, i }))
			continue; /* the blank in "operator new" is part of the name */
		if (i + 1 == p->len)
			return;
		memmove(p->text, p->text + i + 1, p->len - i - 1);
		p->len -= i + 1;
		return;
	}
}

/*
 * Write a Java name with dots: "java/util/HashMap.get" and "Ljava/util/HashMap;::get" become
 * "java.util.HashMap.get". The class begins after the last '/'.
 */
static void plain_join_java(struct plain_name *p)
{
	struct str s = { p->text, p->len };
	size_t slash = str_rfind_char(s, '/');
	size_t semicolon = str_find_char(s, ';');

	if (slash >= s.len || slash == 0 || slash + 1 >= s.len || s.p[slash + 1] < 'A' ||
	    s.p[slash + 1] > 'Z' || str_find_char(s, ' ') < s.len)
		return;
	if (s.p[0] == 'L' && semicolon < s.len) {
		struct str method = str_skip(s, semicolon + 1);

		while (method.len && (method.p[0] == ':' || method.p[0] == '.'))
			method = str_skip(method, 1);
		memmove(p->text, p->text + 1, semicolon - 1);
		p->text[semicolon - 1] = '.';
		memmove(p->text + semicolon, method.p, method.len);
		p->len = semicolon + method.len;
	}
	for (size_t i = 0; i < p->len; i++) {
		if (p->text[i] == '/')
			p->text[i] = '.';
	}
}

struct str plain_name_make(struct plain_name *ret, struct str name)
{
	static const struct str marks[] = { STR("_[j]"), STR("_[k]"), STR("_[0]"), STR("_[1]") };
	struct str type = STR_NONE;
	bool had = false;

	ret->len = 0;
	name = compare_base_name(name);
	for (size_t i = 0; i < ARRAY_LEN(marks); i++) {
		if (str_ends(name, marks[i]))
			name.len -= marks[i].len;
	}
	if (name.len && name.p[0] == '<' && plain_close(name, 0, '<', '>') < name.len) {
		name = plain_self_type(name, &type);
		while (type.len && type.p[0] == '<') {
			struct str rest = plain_self_type(type, &type);

			(void)rest;
		}
		(void)plain_strip(ret, type);
		had = true;
	}
	had |= plain_strip(ret, name);
	if (had)
		plain_drop_type(ret);
	plain_join_java(ret);
	return (struct str){ ret->text, ret->len };
}

/*
 * Index at which the last component begins: at "push_back" in "std::vector::push_back". 0: there is
 * only one component.
 */
static size_t plain_last_at(struct str s)
{
	for (size_t i = s.len; i-- > 1;) {
		if (s.p[i] == ':' && s.p[i - 1] == ':')
			return i + 1;
		if (s.p[i] == '.' || s.p[i] == '#')
			return i + 1;
		if (s.p[i] == ' ' && !plain_is_operator(str_sub(s, 0, i)))
			/*
			 * the name begins after this blank, unless it is the blank in "operator
			 * new"
			 */
			break;
	}
	return 0;
}

struct str plain_name_family(struct str plain)
{
	size_t at = plain_last_at(plain);

	while (at && (plain.p[at - 1] == ':' || plain.p[at - 1] == '.' || plain.p[at - 1] == '#'))
		at--;
	return str_sub(plain, 0, at);
}

struct str plain_name_last(struct str plain)
{
	return str_skip(plain, plain_last_at(plain));
}
