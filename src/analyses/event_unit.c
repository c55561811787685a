/* SPDX-License-Identifier: MIT */
#include "analyses/event_unit.h"

#include "analyses/compare/compare.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/profile.h"
#include "core/strings.h"

#include <stdio.h>

#define EVENT_LOCK_WAITS "waits for locks|waits|waiting time"
#define EVENT_WAITS      EVENT_LOCK_WAITS "|time off the CPU|wall-clock time|goroutines"

struct event_line {
	const char *patterns; /* patterns for event names, separated by '|' */
	enum event_kind kind;
	const char *of;
	bool is_exact;
};

#include "event_lines_table.h"

bool event_unit_is_lock_wait(const struct event_unit *unit)
{
	return str_glob(STR(EVENT_LOCK_WAITS), str_of(unit->of));
}

bool event_unit_is_wait(const struct event_unit *unit)
{
	return str_glob(STR(EVENT_WAITS), str_of(unit->of));
}

bool event_unit_is_goroutines(const struct event_unit *unit)
{
	return str_eq(str_of(unit->of), STR("goroutines"));
}

bool event_unit_is_bytes(const struct event_unit *unit)
{
	return unit->kind == EVENT_MEMORY && str_contains(str_of(unit->of), STR("bytes"));
}

/*
 * Describe an event that events.tsv does not list: a tracepoint, or an event of one processor
 * model.
 */
static void event_unit_other(struct str event, struct event_unit *ret)
{
	ret->kind = EVENT_OTHER;
	ret->is_plural = true;
	(void)snprintf(ret->of, sizeof(ret->of), "'" STR_FMT "' events",
		       STR_ARG(str_sub(event, 0, EVENT_UNIT_MAX - 32)));
}

/*
 * Whether the unit @of is plural. Only the words before " of " and " in " count: "page faults" and
 * "bytes in use" are plural, "run time of programs" is not.
 */
static bool event_unit_is_plural(const char *of)
{
	static const char *const ends[] = { " of ", " in " };
	struct str s = str_of(of);

	for (size_t i = 0; i < ARRAY_LEN(ends); i++)
		s = str_sub(s, 0, str_find(s, str_of(ends[i])));
	return str_ends(s, STR("s"));
}

static bool event_unit_matches(struct str patterns, struct str name)
{
	bool is_tracepoint = str_find_char(name, ':') < name.len;

	while (patterns.len) {
		struct str one = str_sub(patterns, 0, str_find_char(patterns, '|'));

		patterns = str_skip(patterns, one.len + 1);
		if ((!is_tracepoint || str_find_char(one, ':') < one.len) && str_glob(one, name))
			return true;
	}
	return false;
}

/*
 * Add "in user space" or "in the kernel" to the unit, if the event is counted only there. @spaces:
 * 1 user space, 2 kernel, 0 both.
 */
static void event_unit_restrict(struct event_unit *u, unsigned int spaces)
{
	static const char *const sides[] = { "", " in user space", " in the kernel" };
	size_t n = strlen(u->of);

	(void)snprintf(u->of + n, sizeof(u->of) - n, "%s", sides[spaces]);
}

struct event_unit event_unit_named(struct str event)
{
	struct event_unit ret = { .kind = EVENT_UNNAMED, .of = "the profile" };
	char lower[EVENT_UNIT_MAX];
	struct str name = compare_event(event);
	struct str small;

	if (name.len == 0)
		return ret;
	small = str_lower(str_sub(name, 0, sizeof(lower)), lower);
	for (size_t i = 0; i < ARRAY_LEN(event_lines); i++) {
		if (!event_unit_matches(str_of(event_lines[i].patterns), small))
			continue;
		ret.kind = event_lines[i].kind;
		ret.is_plural = event_unit_is_plural(event_lines[i].of);
		ret.is_exact = event_lines[i].is_exact;
		(void)snprintf(ret.of, sizeof(ret.of), "%s", event_lines[i].of);
		break;
	}
	if (ret.kind == EVENT_UNNAMED)
		event_unit_other(name, &ret);
	/*
	 * threads leave their CPU only in the kernel, so EVENT_SLEEP does not need the words "in
	 * the kernel"
	 */
	if (ret.kind != EVENT_SLEEP)
		event_unit_restrict(&ret, compare_event_spaces(event));
	return ret;
}

/*
 * Whether @c is a printed table of branches. Its shares are shares of branches, whatever event was
 * sampled.
 */
static bool event_unit_is_of_branches(const struct capture *c)
{
	VEC_FOREACH (title, &c->profile->table.extra_columns) {
		if (str_glob(STR("Target Sym*|To Line*|To Symbol*|Basic Block*"),
			     strings_get(capture_strings(c), *title)))
			return true;
	}
	return false;
}

struct event_unit event_unit_of(const struct capture *c)
{
	const struct profile *p = c->profile;
	struct event_unit ret =
		event_unit_named(p ? strings_get(capture_strings(c), p->event) : STR_NONE);

	if (p && event_unit_is_of_branches(c))
		return event_unit_named(STR("branches"));
	if (p && p->is_latency) {
		ret.kind = EVENT_OTHER;
		ret.is_plural = false;
		(void)snprintf(ret.of, sizeof(ret.of), "access latency");
	}
	if (!p || ret.kind != EVENT_UNNAMED)
		return ret;
	if (p->unit == WEIGHT_NS)
		(void)snprintf(ret.of, sizeof(ret.of), "the time");
	if (p->unit == WEIGHT_BYTES) {
		ret.kind = EVENT_MEMORY;
		ret.is_plural = true;
		(void)snprintf(ret.of, sizeof(ret.of), "bytes");
	}
	return ret;
}

bool event_unit_name_is_precise(struct str event)
{
	size_t at = str_rfind_char(event, ':');
	struct str modifier = STR_NONE;

	if (at >= event.len)
		/* a modifier follows the last slash: "P" in "cpu/mem-loads,ldlat=30/P" */
		at = str_rfind_char(event, '/');
	if (at < event.len)
		modifier = str_skip(event, at + 1);
	return str_glob(STR("ibs_*|*arm_spe*"), event) ||
	       str_find_char(modifier, 'p') < modifier.len ||
	       str_find_char(modifier, 'P') < modifier.len;
}
