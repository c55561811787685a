/* SPDX-License-Identifier: MIT */
#include "formats/perf_script/perf_script_events.h"

#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/strings.h"
#include "formats/ftrace/ftrace_pairs.h"

#define EVENTS_TEXT 512u

/*
 * Pairs of events that begin and end an operation, for names that differ in more than the last word
 * (the text after the last '_'). Source: drivers/nvme/host/trace.h, include/trace/events/i2c.h of
 * Linux.
 */
static const struct {
	struct str begin, end;
} events_pairs[] = {
	{ { "nvme_setup_cmd", 14 }, { "nvme_complete_rq", 16 } },
	{ { "i2c_write", 9 }, { "i2c_result", 10 } },
	{ { "i2c_read", 8 }, { "i2c_reply", 9 } },
};

struct str script_events_name(struct str event)
{
	size_t colon = str_find_char(event, ':');
	struct str name = str_skip(event, colon + 1);

	/*
	 * A name without '_' is no tracepoint but the modifier of a hardware counter, such as
	 * ":ppp". Pairs of scheduler events and system calls are found by other code
	 */
	if (colon >= event.len || str_find_char(name, '_') == name.len ||
	    str_starts(event, STR("sched:")) || str_starts(event, STR("syscalls:")) ||
	    str_starts(event, STR("raw_syscalls:")))
		return STR_NONE;
	return name;
}

void script_events_add(struct script_events *e, struct strings *strings, struct str name,
		       struct str fields, struct script_mark mark)
{
	char text[EVENTS_TEXT];
	size_t len = name.len;
	struct str rest = str_sub(fields, 0, sizeof(text) - 2 - LIMIT_NAME_BYTES / 8);
	str_id id;

	if (!name.len || !rest.len || e->marks.len >= SCRIPT_EVENTS_MAX ||
	    len + 2 + rest.len > sizeof(text))
		return;
	memcpy(text, name.p, len);
	memcpy(text + len, ": ", 2);
	memcpy(text + len + 2, rest.p, rest.len);
	mark.text = strings_add(strings, (struct str){ text, len + 2 + rest.len });
	*VEC_PUSH(&e->marks) = mark;
	id = strings_add(strings, name);
	for (size_t i = 0; i < e->names.len; i++) {
		if (e->names.data[i].v == id.v)
			return;
	}
	if (e->names.len < SCRIPT_EVENTS_NAMES)
		*VEC_PUSH(&e->names) = id;
}

bool script_events_is_pair(struct str a, struct str b)
{
	if (str_eq(a, b))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(events_pairs); i++) {
		if ((str_eq(a, events_pairs[i].begin) && str_eq(b, events_pairs[i].end)) ||
		    (str_eq(b, events_pairs[i].begin) && str_eq(a, events_pairs[i].end)))
			return true;
	}
	return str_eq(str_sub(a, 0, str_rfind_char(a, '_')), str_sub(b, 0, str_rfind_char(b, '_')));
}

bool script_events_are_pairs(const struct script_events *e, const struct strings *strings)
{
	for (size_t i = 0; i < e->names.len; i++) {
		for (size_t k = 0; k < i; k++) {
			if (script_events_is_pair(strings_get(strings, e->names.data[i]),
						  strings_get(strings, e->names.data[k])))
				return true;
		}
	}
	return false;
}

void script_events_end(const struct script_events *e, bool lost, struct capture *c)
{
	struct calls *calls = capture_calls(c);

	calls->has_tasks = calls->has_cpus = true;
	VEC_FOREACH (m, &e->marks) {
		uint32_t lane = calls_lane(calls, (struct call_lane){ .comm = m->comm,
								      .pid = m->pid,
								      .cpu = m->cpu,
								      .has_pid = true });

		*VEC_PUSH(&calls->marks) = (struct call_mark){ .time_ns = m->time_ns,
							       .lane = lane,
							       .line = m->line,
							       .text = m->text,
							       .kind = MARK_EVENT };
	}
	if (lost && e->marks.len)
		*VEC_PUSH(&calls->marks) =
			(struct call_mark){ .time_ns = e->marks.data[e->marks.len - 1].time_ns,
					    .kind = MARK_LOST };
	calls_finish(calls);
	ftrace_pairs(c);
}

void script_events_fini(struct script_events *e)
{
	VEC_FREE(&e->marks);
	VEC_FREE(&e->names);
}
