/* SPDX-License-Identifier: MIT */
#include "formats/perf_script/perf_script_events.h"

#include "base/limits.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/strings.h"
#include "formats/perf_script/perf_script.h"

#define EVENTS_TEXT 512u

/* "block:block_rq_issue" without its system. Events of a CPU have modifiers behind the colon. */
static struct str events_name(struct str event)
{
	size_t colon = str_find_char(event, ':');
	struct str name = str_skip(event, colon + 1);

	/* switches and system calls have readers of their own */
	if (colon >= event.len || str_find_char(name, '_') == name.len ||
	    str_starts(event, STR("sched:")) || str_starts(event, STR("syscalls:")) ||
	    str_starts(event, STR("raw_syscalls:")))
		return STR_NONE;
	return name;
}

void script_events_add(struct script_events *e, struct strings *strings,
		       const struct script_header *h, uint32_t line)
{
	struct str name = events_name(h->event);
	char text[EVENTS_TEXT];
	size_t len = name.len;
	struct str rest = str_sub(h->rest, 0, sizeof(text) - 2 - LIMIT_NAME_BYTES / 8);
	str_id id;

	if (!name.len || !h->has_time || !h->rest.len || e->marks.len >= SCRIPT_EVENTS_MAX ||
	    len + 2 + rest.len > sizeof(text))
		return;
	memcpy(text, name.p, len);
	memcpy(text + len, ": ", 2);
	memcpy(text + len + 2, rest.p, rest.len);
	*VEC_PUSH(&e->marks) = (struct script_mark){
		h->time_ns,
		strings_add(strings, (struct str){ text, len + 2 + rest.len }),
		h->comm.len ? strings_add(strings, h->comm) : STR_ID_NONE,
		h->has_tid ? h->tid : h->pid,
		line,
		h->cpu,
	};
	id = strings_add(strings, name);
	for (size_t i = 0; i < e->names.len; i++) {
		if (e->names.data[i].v == id.v)
			return;
	}
	if (e->names.len < SCRIPT_EVENTS_NAMES)
		*VEC_PUSH(&e->names) = id;
}

bool script_events_are_pairs(const struct script_events *e, const struct strings *strings)
{
	for (size_t i = 0; i < e->names.len; i++) {
		struct str a = strings_get(strings, e->names.data[i]);

		for (size_t k = 0; k < i; k++) {
			struct str b = strings_get(strings, e->names.data[k]);

			if (str_eq(str_sub(a, 0, str_rfind_char(a, '_')),
				   str_sub(b, 0, str_rfind_char(b, '_'))))
				return true;
		}
	}
	return false;
}

void script_events_end(const struct script_events *e, struct capture *c)
{
	struct calls *calls = capture_calls(c);

	calls->is_from_events = true;
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
	calls_finish(calls);
}

void script_events_fini(struct script_events *e)
{
	VEC_FREE(&e->marks);
	VEC_FREE(&e->names);
}
