/* SPDX-License-Identifier: MIT */
#include "analyses/waits/wait_roles.h"

#include "base/status.h"
#include "base/str.h"

struct wait_line {
	enum wait_role role;
	/* kind of stacks for which the line is valid: enum wait_lines */
	unsigned int lines;
	/* set of the letters with which the patterns can begin; bits as in str_letter() */
	uint32_t letters;
	const char *patterns;
};

#include "analyses/wait_lines_table.h"

static bool wait_role_is_set(enum wait_role role)
{
	return role >= WAIT_ROLE_SILENT && role <= WAIT_ROLE_STREAM;
}

static bool wait_line_matches(const struct wait_line *line, struct str name)
{
	return (name.len == 0 || line->letters & str_letter(name.p[0])) &&
	       str_glob(str_of(line->patterns), name);
}

enum wait_role wait_role_find(struct str name, enum wait_lines lines)
{
	for (size_t i = 0; i < ARRAY_LEN(wait_lines); i++) {
		const struct wait_line *line = &wait_lines[i];

		if (line->lines == (unsigned int)lines && !wait_role_is_set(line->role) &&
		    wait_line_matches(line, name))
			return line->role;
	}
	return WAIT_ROLE_NONE;
}

bool wait_role_has(enum wait_role role, struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(wait_lines); i++) {
		if (wait_lines[i].role == role && wait_line_matches(&wait_lines[i], name))
			return true;
	}
	return false;
}
