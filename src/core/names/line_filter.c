/* SPDX-License-Identifier: MIT */
#include "core/names/line_filter.h"

#include "base/str.h"

static const char filter_grep[] = "grep|egrep|fgrep|zgrep|rg|ag|ack";

/*
 * Length of the first command of @s, which ends before an unquoted '|', ';' or "&&". A single '&'
 * does not end a command: it belongs to a redirection ("2>&1") or to a pipe ("|&").
 */
static size_t filter_part(struct str s)
{
	char quote = 0;

	for (size_t i = 0; i < s.len; i++) {
		if (quote) {
			quote = s.p[i] == quote ? 0 : quote;
		} else if (s.p[i] == '\\') {
			i++;
		} else if (s.p[i] == '\'' || s.p[i] == '"') {
			quote = s.p[i];
		} else if (s.p[i] == '|' || s.p[i] == ';' ||
			   str_starts(str_skip(s, i), STR("&&"))) {
			return i;
		}
	}
	return s.len;
}

/*
 * Whether awk or sed removes lines if it has the arguments @args. With other arguments, awk and sed
 * change lines, but remove none.
 */
static bool filter_drops(struct str name, struct str args)
{
	if (str_ends(name, STR("awk")))
		return !str_glob(STR("'{*|\"{*"), str_trim(args));
	return str_glob(STR("-n*|* -n*|*d'*|*d\"*|*d"), str_trim(args));
}

/*
 * Parse the command @part. If it removes lines, store it in @ret. If @ret already has a command, it
 * stays, except head and tail: a filter that can remove any line, such as grep, replaces these two.
 * @is_first: the command is not after a pipe.
 */
static void filter_program(struct str part, bool is_first, struct line_filter *ret)
{
	struct str name;
	size_t slash;

	do {
		if (!str_word(&part, &name))
			return;
	} while (str_eq(name, STR("sudo")));
	slash = str_rfind_char(name, '/');
	name = slash < name.len ? str_skip(name, slash + 1) : name;
	if (str_glob(str_of(filter_grep), name) ||
	    (!is_first && str_glob(STR("awk|gawk|mawk|sed"), name) && filter_drops(name, part))) {
		if (!ret->by.len || ret->is_cut)
			*ret = (struct line_filter){ .by = name };
	} else if (!is_first && !ret->by.len && str_glob(STR("head|tail"), name)) {
		*ret = (struct line_filter){ .by = name, .is_cut = true };
	}
}

struct line_filter line_filter_of(struct str command)
{
	struct line_filter ret = { .is_cut = false };
	bool is_first = true;

	while (command.len) {
		size_t n = filter_part(command);
		struct str rest = str_skip(command, n);

		filter_program(str_sub(command, 0, n), is_first, &ret);
		is_first = !str_starts(rest, STR("|")) || str_starts(rest, STR("||"));
		if (rest.len && is_first)
			ret = (struct line_filter){ .is_cut = false };
		command =
			str_skip(rest, str_starts(rest, STR("||")) || str_starts(rest, STR("|&")) ||
						       str_starts(rest, STR("&&"))
					       ? 2
					       : 1);
	}
	return ret;
}
