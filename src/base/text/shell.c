/* SPDX-License-Identifier: MIT */
#include "base/text/shell.h"

#include "base/out.h"

#include <string.h>

bool shell_is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c && strchr("_.,:@%+/=-", c));
}

void shell_word(struct out *o, struct str word, bool is_quoted)
{
	is_quoted |= word.len == 0;
	for (size_t i = 0; i < word.len; i++)
		is_quoted |= !shell_is_plain(word.p[i]);
	if (!is_quoted) {
		out_str(o, word);
		return;
	}
	out_char(o, '\'');
	for (size_t i = 0; i < word.len; i++) {
		if (word.p[i] == '\'')
			out_z(o, "'\\''");
		else
			out_char(o, word.p[i]);
	}
	out_char(o, '\'');
}
