/* SPDX-License-Identifier: MIT */
#include "analyses/counters/dd_run.h"

#include "core/capture.h"
#include "core/kinds/counters.h"
#include "core/strings.h"

#include <string.h>

/*
 * Set the operands: the words between "dd" and the next pipe, redirection or command. With several
 * runs of dd in the line, it is unknown which of them printed the figures.
 */
static void dd_run_command(struct str command, struct dd_run *ret)
{
	struct str rest = command;
	struct str word;
	unsigned int runs = 0;
	bool is_in = false;

	while (str_word(&rest, &word)) {
		/* "of=/tmp/dd" is an operand */
		if (str_glob(STR("dd|*/dd"), word) && str_find_char(word, '=') == word.len) {
			ret->command = str_sub(rest, 0, 0);
			is_in = ++runs == 1;
		} else if (strchr("|<>&;", word.p[0]) || str_glob(STR("?>*"), word)) {
			is_in = false;
		} else if (is_in) {
			is_in = str_find_char(word, ';') == word.len;
			word = str_sub(word, 0, str_find_char(word, ';'));
			ret->command.len = (size_t)(word.p + word.len - ret->command.p);
		}
	}
	ret->command = runs == 1 ? str_trim(ret->command) : STR_NONE;
}

bool dd_run_of(const struct capture *c, struct dd_run *ret)
{
	const struct strings *strings = capture_strings(c);
	const struct counter *bytes = counters_find(c->counters, strings, STR("dd"), STR("copied"));
	const struct counter *records =
		counters_find(c->counters, strings, STR("dd"), STR("records out"));

	*ret = (struct dd_run){
		.elapsed = counters_find(c->counters, strings, STR("dd"), STR("elapsed")),
	};
	if (!bytes || !ret->elapsed)
		return false;
	ret->seconds = counter_value(ret->elapsed);
	ret->bytes = counter_value(bytes);
	ret->records = records ? counter_value(records) : 0;
	dd_run_command(strings_get(strings, c->command), ret);
	return ret->seconds > 0 && ret->bytes > 0;
}

bool dd_run_has(const struct dd_run *r, const char *pattern)
{
	struct str rest = r->command;
	struct str word;

	while (str_word(&rest, &word)) {
		if (str_glob(str_of(pattern), word))
			return true;
	}
	return false;
}
