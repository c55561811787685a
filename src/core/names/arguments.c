/* SPDX-License-Identifier: MIT */
#include "core/names/arguments.h"

#include "base/out.h"
#include "base/str.h"

/* Offset after the ')' that closes the '(' at @open; 0: the list is not closed. */
static size_t arguments_end(struct str text, size_t open)
{
	size_t depth = 0;

	for (size_t i = open; i < text.len; i++) {
		depth += text.p[i] == '(';
		if (text.p[i] == ')' && --depth == 0)
			return i + 1;
	}
	return 0;
}

/*
 * Whether only qualifiers follow the argument list that ends at @end: "", " const", " (inlined)".
 */
static bool arguments_are_last(struct str text, size_t end)
{
	struct str rest = str_trim(str_skip(text, end));

	return rest.len == 0 || str_eq(rest, STR("const")) || str_starts(rest, STR("(inlined")) ||
	       str_starts(rest, STR("const (inlined")) || str_starts(rest, STR("[clone"));
}

static bool arguments_follow(char before)
{
	return char_is_digit(before) || (before >= 'a' && before <= 'z') ||
	       (before >= 'A' && before <= 'Z') || before == '_' || before == '>' ||
	       before == ')' || before == ']';
}

/*
 * Whether the text in brackets, from @from to @end, has C++ types: "(int*, char const&)". Otherwise
 * it has values, or the source line of a Java frame: "(Main.java:12)".
 */
static bool arguments_are_types(struct str text, size_t from, size_t end)
{
	struct str list = str_sub(text, from, end);

	return str_contains(list, STR("::")) || str_contains(list, STR("*")) ||
	       str_contains(list, STR("&)")) || str_contains(list, STR("&,"));
}

bool arguments_shorten(struct str text, bool is_name, const char *instead, struct out *out)
{
	bool is_qualified = false; /* the current word has "::" */
	bool is_short = false;

	for (size_t i = 0; i < text.len; i++) {
		char c = text.p[i];
		size_t end = c == '(' && i && arguments_follow(text.p[i - 1])
				     ? arguments_end(text, i)
				     : 0;

		if (c == ' ' || c == '\'')
			is_qualified = false;
		else if (c == ':' && i && text.p[i - 1] == ':')
			is_qualified = true;
		/* an empty list stays, because it may be a part of the name: operator()() */
		if (end > i + 2 && (is_qualified || (is_name && arguments_are_types(text, i, end) &&
						     arguments_are_last(text, end)))) {
			out_z(out, instead);
			is_short = true;
			i = end - 1;
			continue;
		}
		out_char(out, c);
	}
	return is_short;
}

/*
 * Return @head, the text before a name, without the type that the function returns: "[.] " for "[.]
 * v8::T* ".
 */
static struct str arguments_skip_type(struct str head)
{
	size_t at = str_find(head, STR("::"));

	while (at < head.len && at && head.p[at - 1] != ' ')
		at--;
	return str_sub(head, 0, at);
}

/*
 * As arguments_skip_namespace(), but remove only the first part of the name: "b::f" for "a::b::f".
 */
static struct str arguments_skip_part(struct str name, struct str *head)
{
	size_t first = 0; /* start of the last word with "::" */
	size_t part = 0;  /* end of the first part of this word: "a::" of "a::b::f" */
	size_t depth = 0;
	size_t word = 0;

	for (size_t i = 0; i < name.len; i++) {
		char c = name.p[i];

		if (c == '<' || c == '(')
			depth++;
		else if ((c == '>' || c == ')') && depth)
			depth--;
		else if (c == ' ' && !depth)
			word = i + 1;
		else if (c == ':' && !depth && i && name.p[i - 1] == ':' &&
			 (part == 0 || first != word)) {
			first = word;
			part = i + 1;
		}
	}
	*head = arguments_skip_type(str_sub(name, 0, first));
	return part ? str_skip(name, part) : STR("");
}

struct str arguments_strip(struct str name)
{
	bool is_qualified = false;

	for (size_t i = 0; i < name.len; i++) {
		char c = name.p[i];

		if (c == ':' && i && name.p[i - 1] == ':')
			is_qualified = true;
		else if (c == ' ')
			is_qualified = false;
		else if (c == '(' && i && is_qualified && arguments_follow(name.p[i - 1])) {
			size_t end = arguments_end(name, i);

			if (end > i + 2 && arguments_are_last(name, end))
				return str_sub(name, 0, i);
			if (end)
				i = end - 1;
		}
	}
	return name;
}

struct str arguments_skip_namespace(struct str name, struct str *head)
{
	struct str none;
	struct str rest = arguments_skip_part(name, head);
	struct str next = arguments_skip_part(rest, &none);

	/* keep the last two parts together: they are class and function */
	while (next.len && arguments_skip_part(next, &none).len) {
		rest = next;
		next = arguments_skip_part(rest, &none);
	}
	return rest;
}
