/* SPDX-License-Identifier: MIT */
#include "core/names/same_job.h"

#include "core/names/side_words.h"

#include <string.h>

#define JOB_PART_MARKS "-_./"
#define JOB_VERSIONED  "*.jar|*.so|*.py|*.js|*.rb|*.wasm|*.exe"
/* programs whose first argument is the program that does the job */
#define JOB_STARTERS "time|*/time|sudo|nohup|exec|command"

/* Whether @part is a version: "2", "v12", "rc1". */
static bool job_is_version(struct str part)
{
	(void)(str_take(&part, STR("rc")) || str_take(&part, STR("v")));
	for (size_t i = 0; i < part.len; i++) {
		if (!char_is_digit(part.p[i]))
			return false;
	}
	return part.len > 0;
}

/*
 * Take the next part of the word @s. Skip parts that name a side of a comparison, such as "old".
 * With @has_version, also skip versions: of "old-pack-2.1", only the part "pack" is returned.
 * STR_NONE: no part remains.
 */
static struct str job_part(struct str *s, bool has_version)
{
	while (s->len) {
		size_t n = 0;
		struct str part;

		while (n < s->len && !strchr(JOB_PART_MARKS, s->p[n]))
			n++;
		part = str_sub(*s, 0, n);
		*s = str_skip(*s, n < s->len ? n + 1 : n);
		/* drop the version at the end: "python3" */
		while (has_version && part.len > 1 && char_is_digit(part.p[part.len - 1]) &&
		       !job_is_version(part))
			part.len--;
		if (part.len && side_of_words(part) == SIDE_UNKNOWN &&
		    !(has_version && job_is_version(part)))
			return part;
	}
	return STR_NONE;
}

static bool job_same_word(struct str a, struct str b, bool is_program)
{
	bool is_file = str_glob(STR(JOB_VERSIONED), a) && str_glob(STR(JOB_VERSIONED), b);
	struct str x, y;

	if (str_eq(a, b))
		return true;
	if (is_program || is_file) {
		a = str_skip(a, str_rfind_char(a, '/') < a.len ? str_rfind_char(a, '/') + 1 : 0);
		b = str_skip(b, str_rfind_char(b, '/') < b.len ? str_rfind_char(b, '/') + 1 : 0);
	}
	do {
		x = job_part(&a, is_program || is_file);
		y = job_part(&b, is_program || is_file);
		if (!str_eq(x, y))
			return false;
	} while (x.len);
	return true;
}

/* Take the next word of the command @s that is not part of a redirection of its output. */
static bool job_word(struct str *s, struct str *ret)
{
	struct str target;

	while (str_word(s, ret)) {
		size_t at = str_find_char(*ret, '>');

		/*
		 * redirections are "2>&1", ">file", and ">" or "2>>" with the file as the next
		 * word; return any other word
		 */
		if (at > 1 || at == ret->len || (at == 1 && !strchr("12&", ret->p[0])))
			return true;
		if (str_ends(*ret, STR(">")))
			(void)str_word(s, &target);
	}
	return false;
}

bool same_job(struct str a, struct str b)
{
	bool is_program = true;
	bool is_assignment;
	struct str x, y;

	for (;;) {
		bool has_x = job_word(&a, &x);
		bool has_y = job_word(&b, &y);

		if (!has_x || !has_y)
			return has_x == has_y;
		/* VAR=value before the program is an assignment: the program follows */
		is_assignment = is_program && str_find_char(x, '=') < x.len;
		if (!job_same_word(x, y, is_program && !is_assignment))
			return false;
		is_program = is_assignment ||
			     (is_program && str_eq(x, y) && str_glob(STR(JOB_STARTERS), x));
	}
}
