/* SPDX-License-Identifier: MIT */
#include "metrics/code/c_language.h"

#include "base/status.h"

#include <string.h>

#define LANGUAGE_HEAD_BYTES 65536u

struct language_scan {
	/*
	 * number of open #if, counted from the outermost #if whose line contains __cplusplus; 0: no
	 * such #if is open
	 */
	unsigned int only_cxx;
	bool in_comment;
};

bool c_language_is_cxx_name(struct str name)
{
	static const struct str endings[] = {
		STR(".cc"),  STR(".cpp"), STR(".cxx"), STR(".c++"), STR(".C"),   STR(".hh"),
		STR(".hpp"), STR(".hxx"), STR(".h++"), STR(".H"),   STR(".ipp"), STR(".tpp"),
	};

	for (size_t i = 0; i < ARRAY_LEN(endings); i++) {
		if (name.len > endings[i].len && str_ends(name, endings[i]))
			return true;
	}
	return false;
}

/*
 * Track the nesting of #if. @line: a preprocessor line. Returns whether the lines after it are only
 * for C++ compilers (#ifdef __cplusplus).
 */
static bool language_conditional(struct language_scan *s, struct str line)
{
	struct str word = str_ltrim(str_skip(line, 1));

	if (str_starts(word, STR("if")) && (s->only_cxx || str_contains(word, STR("__cplusplus"))))
		s->only_cxx++;
	else if (str_starts(word, STR("endif")) && s->only_cxx)
		s->only_cxx--;
	return s->only_cxx > 0;
}

/* Whether the #include line names a header without extension, as C++ does: <vector>, <cstdint>. */
static bool language_is_cxx_include(struct str line)
{
	struct str word = str_ltrim(str_skip(line, 1));
	size_t end;

	if (!str_take(&word, STR("include")))
		return false;
	word = str_ltrim(word);
	if (!str_take(&word, STR("<")))
		return false;
	end = str_find_char(word, '>');
	return end > 0 && end < word.len && str_find_char(str_sub(word, 0, end), '.') == end &&
	       str_find_char(str_sub(word, 0, end), '/') == end;
}

/* Skip a C++ name at the start of @s, such as "x::Y". Returns the text after it. */
static struct str language_after_name(struct str s)
{
	size_t n = 0;

	while (n < s.len && !char_is_space(s.p[n]) && !strchr("{;(=", s.p[n]) &&
	       (s.p[n] != ':' || str_starts(str_skip(s, n), STR("::"))))
		n += s.p[n] == ':' ? 2 : 1;
	return str_trim(str_skip(s, n));
}

/*
 * Whether the line declares a class or a namespace: "class X {", "class X : public Y", "class X;",
 * "namespace x {".
 */
static bool language_is_declaration(struct str line)
{
	struct str rest = line;
	bool is_class = str_take(&rest, STR("class "));

	if (!is_class && !str_take(&rest, STR("namespace ")))
		return false;
	rest = language_after_name(str_ltrim(rest));
	return rest.len == 0 || rest.p[0] == '{' ||
	       (is_class &&
		(rest.p[0] == ':' || rest.p[0] == ';' || str_starts(rest, STR("final"))));
}

static bool language_is_cxx_line(struct str line)
{
	static const struct str starts[] = {
		STR("template <"),
		STR("template<"),
		STR("using namespace "),
	};

	switch (line.p[0]) {
	case '#':
		return language_is_cxx_include(line);
	case 'p':
		if (str_eq(line, STR("public:")) || str_eq(line, STR("private:")) ||
		    str_eq(line, STR("protected:")))
			return true;
		break;
	case 'c':
	case 'n':
		if (language_is_declaration(line))
			return true;
		break;
	case 't':
	case 'u':
		for (size_t i = 0; i < ARRAY_LEN(starts); i++) {
			if (str_starts(line, starts[i]))
				return true;
		}
		break;
	default:
		break;
	}
	return str_contains(line, STR("std::"));
}

/*
 * Return the text of @line before its first comment. If a comment is open at the start of @line
 * (s->in_comment), return the text after the end of that comment. Set s->in_comment if a comment is
 * open at the end of @line.
 */
static struct str language_code(struct language_scan *s, struct str line)
{
	size_t open;

	if (s->in_comment) {
		size_t end = str_find(line, STR("*/"));

		s->in_comment = end == line.len;
		line = s->in_comment ? STR("") : str_skip(line, end + 2);
	}
	line = str_sub(line, 0, str_find(line, STR("//")));
	open = str_find(line, STR("/*"));
	if (open < line.len) {
		s->in_comment =
			str_find(str_skip(line, open + 2), STR("*/")) == line.len - open - 2;
		line = str_sub(line, 0, open);
	}
	return str_trim(line);
}

bool c_language_is_cxx_text(struct str text)
{
	struct str rest = str_sub(text, 0, LANGUAGE_HEAD_BYTES);
	struct language_scan s = { .only_cxx = 0 };
	struct str line;

	while (rest.len) {
		(void)str_line(&rest, &line);
		line = language_code(&s, line);
		if (line.len == 0)
			continue;
		if (line.p[0] == '#' && language_conditional(&s, line))
			continue;
		if (!s.only_cxx && language_is_cxx_line(line))
			return true;
	}
	return false;
}
