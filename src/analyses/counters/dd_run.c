/* SPDX-License-Identifier: MIT */
#include "analyses/counters/dd_run.h"

#include "core/capture.h"
#include "core/kinds/counters.h"
#include "core/strings.h"

#include <stddef.h>
#include <string.h>

/* Set the operands: the words between "dd" and the next pipe, redirection or command. */
static void dd_run_command(struct str command, struct dd_run *ret)
{
	struct str rest = command;
	struct str word;
	const char *start = NULL;
	size_t len = 0;

	while (str_word(&rest, &word)) {
		if (str_glob(STR("dd|*/dd"), word)) {
			start = rest.p;
			len = 0;
			ret->is_piped = str_contains(
				str_sub(command, 0, (size_t)(word.p - command.p)), STR("|"));
		} else if (start && (strchr("|<>&;", word.p[0]) || str_glob(STR("?>*"), word))) {
			break;
		} else if (start) {
			len = (size_t)(word.p + word.len - start);
		}
	}
	if (start)
		ret->command = str_trim((struct str){ start, len });
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
