/* SPDX-License-Identifier: MIT */
#include "core/names/start_names.h"

#include "base/status.h"
#include "base/str.h"

struct start_line {
	enum start_role role;
	/* unused here: a name has the same role in user space and in the kernel */
	unsigned int spaces;
	/* first letters of all patterns, as a set of str_letter() bits */
	uint32_t letters;
	const char *patterns;
};

#include "core/start_lines_table.h"

bool start_names_have(struct str name, unsigned int roles)
{
	uint32_t first = name.len ? str_letter(name.p[0]) : UINT32_MAX;

	for (size_t i = 0; i < ARRAY_LEN(start_lines); i++) {
		if (start_lines[i].letters & first && roles & START_BIT(start_lines[i].role) &&
		    str_glob(str_of(start_lines[i].patterns), name))
			return true;
	}
	return false;
}

bool start_names_enter_kernel(struct str name)
{
	return start_names_have(
		name, START_ENTRY | START_BIT(START_ROLE_BOOT) | START_BIT(START_ROLE_CPU) |
			      START_BIT(START_ROLE_LOOP) | START_BIT(START_ROLE_SYSCALL_BODY));
}
